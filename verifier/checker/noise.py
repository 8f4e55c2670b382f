"""Probabilities that are stated as comparisons of independent draws: they are integrated again.

A draw that is compared with one other is a function of it; so trees of comparisons are folded from
their leaves. Of what is left one draw is eliminated after the other, in cells where one of its
lower bounds is the largest and one of its upper bounds the smallest.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import Any

from . import exponentials
from . import reading as read
from .document import Budget, fields, index, indices, items, need, prove
from .exponentials import quotient
from .forms import (
    Event,
    Form,
    Law,
    choices,
    classes,
    hangs,
    in_classes,
    is_real,
    limited,
    rounded,
    tidied,
)
from .functions import (
    KINDS,
    LAWS,
    NOTHING,
    Coarse,
    Function,
    Kind,
    Sum,
    add,
    constant,
    density,
    expanded,
)
from .mixed import separated
from .reading import Model

BASES = {"geometric": "ratio", "interval": ""}  # what is raised to powers: else e
MAX_DRAWS = 1_000
MAX_CELLS = 1_000_000
MAX_DENOMINATOR = 10**60
Limit = tuple[bool, Fraction, Fraction]  # is it a lower bound, of factor · other draw + constant
Node = tuple[Any, ...]  # law, ends, (step, start), leaves
Cell = tuple[list[Form], dict[Any, Sum]]  # where forms are at least 0; what is integrated there
Terms = tuple[Any, list[tuple[Fraction, list[int]]]]  # of a sum: its place; weights and events
NORMAL = "normal"  # a law whose integrals are taken


def check_noise(model: Model) -> None:
    """Reject values of the matrix that are not the probabilities that the model's `noise` says."""
    listed, sums = _stated(model, LAWS)
    chances = probabilities(listed)
    values, seen, budget = model.table.values, set(), Budget()
    for value, terms in sums:
        seen.add(index(value, len(values)))
        total: Fraction = Fraction(0)
        for factor, parts in terms:
            for event in parts:
                long, own = read.size(factor), read.size(chances[event])
                budget.spend(50 + long // 500 + long * own // 100_000)
                factor = factor * chances[event]
            total = total + factor
        prove(total == values[value], f"the comparisons do not make value {value}")
    stated = {v for v, value in enumerate(values) if value}
    prove(seen == stated, "every value but 0 has its comparisons")


def check_enclosed(model: Model) -> None:
    """Refuse a `noise` that does not say, in its form, which comparisons of draws are between each
    two ends of a model. Their integrals are taken."""
    _, sums = _stated(model, {**LAWS, NORMAL: "real"})
    values = read.numbers(model.parts["values"])
    pairs = items([pair for pair, _ in sums], 2)
    indices([place for pair in pairs for place in pair], len(values))
    stated = {(values[low], values[up]) for low, up in pairs}
    columns = zip(*model.ends, strict=True)
    found = {(low, up) for upper, lower in columns for up, low in zip(upper, lower, strict=True)}
    impossible = (Fraction(0), Fraction(0))
    fits = stated == found - {impossible}
    prove(fits, "the ends of every probability but 0 have their comparisons")


def _stated(model: Model, laws_known: Mapping[str, str]) -> tuple[list[Event], list[Terms]]:
    """The events that a model's `noise` lists, and its sums: a place, and weights with events."""
    laws, events, sums = fields(model.parts["noise"], "laws events sums")
    named = [_law(law, laws_known) for law in items(laws, 2)]
    need(len(set(named)) == len(named), "a law stands twice")
    listed = [_event(event, named, laws_known) for event in items(events)]
    need(len(set(listed)) == len(listed), "an event stands twice")
    used = {law for laws_of, _ in listed for law in laws_of}
    need(used == set(named), "every law is one of an event")
    found = []
    for place, terms in items(sums, 2):
        weighted = [
            (read.number(weight), indices(parts, len(listed))) for weight, parts in items(terms, 2)
        ]
        need(all(weight > 0 for weight, _ in weighted), "a weight is positive")
        found.append((place, weighted))
    known = {event for _, terms in found for _, parts in terms for event in parts}
    need(known == set(range(len(listed))), "every event is part of a sum")
    return listed, found


def _law(parts: list[Any], known: Mapping[str, str]) -> Law:
    name, parameter = parts[0], read.number(parts[1])
    need(type(name) is str and name in known, f"no such law: {name!r:.80}")
    need(parameter > 0 and (name != "geometric" or parameter < 1), "the parameter of a law")
    return name, parameter


def _event(event: Any, laws: Sequence[Law], known: Mapping[str, str]) -> Event:
    draws, conditions = fields(event, "draws conditions")
    mine = tuple(laws[i] for i in indices(draws, len(laws)))
    need(mine != (), "an event has draws")
    bases = {BASES.get(name, "e") for name, _ in mine} - {""}
    need(len(bases) <= 1, "ratios and powers of e are not compared in one event")
    need(len(mine) <= MAX_DRAWS, "an event has many draws")
    forms = []
    for terms, shift in items(conditions, 2):
        form: list[Any] = [0] * len(mine) + [read.number(shift)]
        for pair in items(terms, 2):
            i = index(pair[0], len(mine))
            need(not form[i] and index(pair[1], read.CODES, -read.CODES), "a factor is not 0")
            form[i] = pair[1]
        need(any(form[:-1]), "a condition is one of draws")
        forms.append(tuple(form))
    return mine, tuple(forms)


def probabilities(events: Sequence[Event]) -> list[Fraction]:
    """The exact probability of each of some `events`."""
    m = 1
    while True:
        try:
            work = Work(m)
            return [exact(work.probability(event), m) for event in events]
        except Coarse as coarse:
            m *= coarse.factor
            need(m <= MAX_DENOMINATOR, "the scales of draws have no common part")


def exact(value: Sum, m: int) -> Fraction:
    """The number that a sum is."""
    under = {k: c * value.unit for k, c in expanded({0: 1}, value.below).items() if c}
    return quotient(*(exponentials.Sum(m, terms) for terms in (value.terms, under)))


class Work:
    """Integrals over one m; functions of draws with what hangs from them are made once."""

    def __init__(self, m: int) -> None:
        self.m, self.cells = m, 0
        self.part = cache(self._part)
        self.function = cache(self._function)
        self.below = cache(lambda node: self.function(node).below())
        self.leaf = cache(self._leaf)

    def count(self) -> None:
        """Count one more cell, up to the limit."""
        self.cells += 1
        need(self.cells <= MAX_CELLS, f"more than {MAX_CELLS} cells")

    def probability(self, event: Event) -> Sum:
        """The probability that all forms of an event are at least 0."""
        total = NOTHING
        for weight, inner in separated(event, self.count):
            term = constant(weight)
            for part in inner:
                term = term * self.part(part)
            total = total + term
        return total

    def _part(self, event: Event) -> Sum:
        """The probability of an event whose real draws hang from whole ones, if it has any."""
        laws, forms = event
        kinds = [KINDS[name] for name, _ in laws]
        kind = Kind(next((kind for kind in kinds if kind != "real"), "real"), self.m)
        total = NOTHING
        found = tidied(laws, forms)
        for lattice, cell in classes(laws, found) if found is not None else ():
            nodes: list[Node] = [(law, (), at, ()) for law, at in zip(laws, lattice, strict=True)]
            total = total + self._of_nodes(nodes, cell, kind)
        return total

    def _of_nodes(self, nodes: list[Node], forms: list[Form], kind: Kind) -> Sum:
        """The probability of draws, `nodes`, whose leaves are folded first."""
        order, forms = _folded(nodes, forms)
        need(kind.step == 0 or not any(is_real(nodes[i][0]) for i in order), "a draw is not split")
        functions = [self.function(nodes[i]) for i in order]
        inside = [tuple(form[i] for i in (*order, -1)) for form in forms]
        if len(order) == 1 and not inside:
            return functions[0].below().last
        return self._cells(functions, inside, kind)

    def _function(self, node: Node) -> Function:
        (name, parameter), ends, (step, start), leaves = node
        kind = Kind(KINDS[name], self.m)
        if leaves:
            shorter = self.function((node[0], ends, (step, start), leaves[:-1]))
            leaf = self.leaf(*leaves[-1])
            return shorter * (leaf if leaf.kind == kind else leaf.sampled(kind))
        found = density(name, parameter, kind)
        if (step, start) != (1, 0):
            found = found.at(Fraction(step), Fraction(start))
        for lower, _, end in ends:
            found = found.within(*((end, None) if lower else (None, end)))
        return found

    def _leaf(self, limits: tuple[Limit, ...], node: Node) -> Function:
        """The probability that a draw is within `limits`, as a function of the other draw."""
        below = self.below(node)
        step = below.kind.step
        low = next((limit for limit in limits if limit[0]), None)
        high = next((limit for limit in limits if not limit[0]), None)
        last = {(below.kind.still, 0): below.last} if below.last else {}
        top = Function(below.kind, [], [last])
        if high:
            top = below.at(high[1], high[2] + step)
        return top.less(below.at(low[1], low[2])) if low else top

    def _cells(self, functions: Sequence[Function], forms: list[Form], kind: Kind) -> Sum:
        """The integral of a product of functions of one draw each where all forms hold."""
        size, total = len(functions), NOTHING
        for choice in product(*(range(len(f.pieces)) for f in functions)):
            self.count()
            ends = list(forms)
            terms: dict[Any, Sum] = {((), ()): constant(1)}
            for i, (f, k) in enumerate(zip(functions, choice, strict=True)):
                unit = tuple(int(i == v) for v in range(size))
                ends += [(*unit, -f.breaks[k - 1])] if k else []
                high = f.breaks[k : k + 1]
                ends += [(*(-u for u in unit), b - kind.step) for b in high]
                terms = {
                    ((*rates, rate), (*powers, n)): c * d
                    for (rates, powers), c in terms.items()
                    for (rate, n), d in f.pieces[k].items()
                }
            cell = rounded(ends, kind.step)
            if terms and cell is not None:
                total = total + self._eliminate(list(range(size)), cell, terms, kind)
        return total

    def _eliminate(
        self, draws: list[int], forms: list[Form], terms: dict[Any, Sum], kind: Kind
    ) -> Sum:
        """The integral of some `terms` over `draws` where all forms are at least 0."""
        total = NOTHING
        self.count()
        if not draws:
            for c in terms.values():
                total = total + c
            return total
        y = min(draws, key=lambda v: choices(forms, v))
        apart = lcm(*(form[y] for form in forms if form[y])) if kind.step else 1
        if apart > 1:
            beside = [v for v in draws if v != y and any(f[v] and f[y] for f in forms)]
            parts: Iterator[Cell] = self._split(beside, apart, forms, terms, kind)
        else:
            draws = [v for v in draws if v != y]
            cells = limited(y, forms, kind.step)
            parts = ((cell, _between(terms, y, low, high, kind)) for low, high, cell in cells)
        for cell, inner in parts:
            total = total + self._eliminate(draws, cell, inner, kind)
        return total

    def _split(
        self, draws: list[int], apart: int, forms: list[Form], terms: dict[Any, Sum], kind: Kind
    ) -> Iterator[Cell]:
        """Forms and terms with apart · x + start in place of whole draws x, for each of the starts
        of all `draws` that some values have."""
        need(apart ** len(draws) <= MAX_CELLS, f"more than {MAX_CELLS} residue classes")
        for starts in product(range(apart), repeat=len(draws)):
            classes = dict(zip(draws, starts, strict=True))
            self.count()
            cell = rounded(in_classes(forms, classes, apart), 1)
            if cell is not None:
                moved = terms
                for v, start in classes.items():
                    form = tuple(Fraction(apart * (i == v)) for i in range(len(forms[0]) - 1))
                    moved = _replaced(moved, v, (*form, Fraction(start)), kind)
                yield cell, moved


def _between(terms: dict[Any, Sum], y: int, low: Any, high: Any, kind: Kind) -> dict[Any, Sum]:
    """The terms integrated over draw y from `low` to `high`, with limit 0 at an infinite end."""
    whole: dict[Any, Sum] = {}
    for (rates, powers), c in terms.items():
        for n, factor in enumerate(kind.primitive(rates[y], powers[y])):
            if factor:
                add(whole, (rates, (*powers[:y], n, *powers[y + 1 :])), c * factor)
    found: dict[Any, Sum] = {}
    if high:
        found = _replaced(whole, y, (*high[:-1], high[-1] + kind.step), kind)
    for key, c in _replaced(whole, y, low, kind).items() if low else ():
        add(found, key, c.scaled(-1))
    return found


def _replaced(terms: dict[Any, Sum], y: int, form: Form, kind: Kind) -> dict[Any, Sum]:
    """The terms with draw y replaced by a form."""
    found: dict[Any, Sum] = {}
    for (rates, powers), c in terms.items():
        rate, moved = rates[y], [*rates]
        moved[y] = kind.still
        if rate != kind.still:
            for i, factor in enumerate(form[:-1]):
                if factor:
                    moved[i] = kind.join(moved[i], kind.stretched(rate, factor))
            c = c * kind.power(rate, form[-1])
        rest = (*powers[:y], 0, *powers[y + 1 :])
        expansion: dict[tuple[int, ...], Fraction] = {rest: Fraction(1)}
        for _ in range(powers[y]):
            longer: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for raised, d in expansion.items():
                for i, factor in enumerate(form):
                    if factor:
                        longer[tuple(p + (v == i) for v, p in enumerate(raised))] += d * factor
            expansion = longer
        for raised, d in expansion.items():
            add(found, (tuple(moved), raised), c.scaled(d))
    return found


def _folded(nodes: list[Node], forms: list[Form]) -> tuple[list[int], list[Form]]:
    """Fold draws into those from which they hang, in `nodes`: those that are left, and the forms
    that still limit them."""
    alive, laws = set(range(len(nodes))), [node[0] for node in nodes]
    while True:
        by = {i: [form for form in forms if form[i]] for i in alive}
        found = next((x for i in sorted(alive) if (x := hangs(i, by[i], laws))), None)
        if found is None:
            return sorted(alive), forms
        i, inner, limits = found
        if inner is None:
            law, _, lattice, leaves = nodes[i]
            nodes[i] = (law, limits, lattice, leaves)
            gone = [form for form in by[i] if not any(form[:i] + form[i + 1 : -1])]
        else:
            law, ends, lattice, leaves = nodes[inner]
            nodes[inner] = (law, ends, lattice, tuple(sorted((*leaves, (limits, nodes[i])))))
            gone = by[i]
            alive.remove(i)
        ids = set(map(id, gone))
        forms = [form for form in forms if id(form) not in ids]
