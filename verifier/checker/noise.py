"""Probabilities that are stated as comparisons of independent draws: they are integrated again.

A draw that is compared with one other is a function of it; so trees of comparisons are folded from
their leaves. Of what is left one draw is eliminated after the other, in cells where one of its
lower bounds is the largest and one of its upper bounds the smallest.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import gcd, lcm, prod
from typing import Any

from . import exponentials
from . import reading as read
from .exponentials import quotient
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
from .mixed import is_real, separated
from .reading import Model, need, prove

BASES = {"geometric": "ratio", "interval": ""}  # what is raised to powers: else e
MAX_DRAWS = 1_000
MAX_CELLS = 1_000_000
MAX_DENOMINATOR = 10**60
Form = tuple[Fraction, ...]  # factors of draws, then a constant: to be at least 0
Law = tuple[str, Fraction]
Limit = tuple[bool, Fraction, Fraction]  # is it a lower bound, of factor · other draw + constant
Node = tuple[Any, ...]  # law, ends, (step, start), leaves
Event = tuple[tuple[Law, ...], tuple[Form, ...]]
Cell = tuple[list[Form], dict[Any, Sum]]  # where forms are at least 0; what is integrated there
Terms = tuple[Any, list[tuple[Fraction, list[int]]]]  # of a sum: its place; weights and events
NORMAL = "normal"  # a law whose integrals are taken


def check_noise(model: Model) -> None:
    """Reject values of the matrix that are not the probabilities that the model's `noise` says."""
    listed, sums = _stated(model, LAWS)
    chances = probabilities(listed)
    values, seen = model.table.values, set()
    for value, terms in sums:
        seen.add(read.index(value, len(values)))
        total: Fraction = Fraction(0)
        for factor, parts in terms:
            for event in parts:
                factor = factor * chances[event]
            total = total + factor
        prove(total == values[value], f"the comparisons do not make value {value}")
    stated = {v for v, value in enumerate(values) if value}
    prove(seen - stated == set() and seen == stated, "every value but 0 has its comparisons")


def check_enclosed(model: Model) -> None:
    """Refuse a `noise` that does not say, in its form, which comparisons of draws are between each
    two ends of a model. Their integrals are taken."""
    _, sums = _stated(model, {**LAWS, NORMAL: "real"})
    values = read.numbers(model.parts["values"])
    pairs = read.items([pair for pair, _ in sums], 2)
    read.indices([place for pair in pairs for place in pair], len(values))
    stated = {(values[low], values[up]) for low, up in pairs}
    columns = zip(*model.ends, strict=True)
    found = {(low, up) for upper, lower in columns for up, low in zip(upper, lower, strict=True)}
    impossible = (Fraction(0), Fraction(0))
    fits = stated == found - {impossible}
    prove(fits, "the ends of every probability but 0 have their comparisons")


def _stated(model: Model, laws_known: Mapping[str, str]) -> tuple[list[Event], list[Terms]]:
    """The events that a model's `noise` lists, and its sums: a place, and weights with events."""
    laws, events, sums = read.fields(model.parts["noise"], "laws events sums")
    named = [_law(law, laws_known) for law in read.items(laws, 2)]
    need(len(set(named)) == len(named), "a law stands twice")
    listed = [_event(event, named, laws_known) for event in read.items(events)]
    need(len(set(listed)) == len(listed), "an event stands twice")
    used = {law for laws_of, _ in listed for law in laws_of}
    need(used == set(named), "every law is one of an event")
    found = []
    for place, terms in read.items(sums, 2):
        weighted = [
            (read.number(weight), read.indices(parts, len(listed)))
            for weight, parts in read.items(terms, 2)
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
    draws, conditions = read.fields(event, "draws conditions")
    mine = tuple(laws[i] for i in read.indices(draws, len(laws)))
    need(mine != (), "an event has draws")
    bases = {BASES.get(name, "e") for name, _ in mine} - {""}
    need(len(bases) <= 1, "ratios and powers of e are not compared in one event")
    need(len(mine) <= MAX_DRAWS, "an event has many draws")
    forms = []
    for terms, shift in read.items(conditions, 2):
        form = [Fraction(0)] * len(mine) + [read.number(shift)]
        for pair in read.items(terms, 2):
            i = read.index(pair[0], len(mine))
            need(not form[i] and read.index(pair[1], read.CODES, -read.CODES), "a factor is not 0")
            form[i] = Fraction(pair[1])
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
    unit = lcm(*(c.denominator for c in value.terms.values()))
    above = {k: int(c * unit) for k, c in value.terms.items()}
    below = expanded({0: Fraction(1)}, value.below)
    under = {k: int(c) * unit for k, c in below.items()}
    return quotient(*(exponentials.Sum(m, terms) for terms in (above, under)))


def rounded(forms: Iterable[Form], step: int) -> list[Form] | None:
    """The forms, of parallel ones the smallest, rounded for whole draws; None if two are never both
    at least 0."""
    least: dict[Form, Fraction] = {}
    for *factors, shift in forms:
        size = Fraction(gcd(*map(int, factors))) if step else max(map(abs, factors), default=0)
        unit, shift = tuple(Fraction(c, size or 1) for c in factors), Fraction(shift, size or 1)
        shift = Fraction(shift // 1) if step else shift
        least[unit] = min(shift, least.get(unit, shift))
    for unit, shift in least.items():  # what is about no draw is opposite to itself
        if shift + least.get(tuple(-c for c in unit), -shift) < 0:
            return None
    return [(*unit, shift) for unit, shift in least.items() if any(unit)]


def tidied(laws: Sequence[Law], forms: Iterable[Form]) -> list[Form] | None:
    """The forms of draws, of parallel ones the smallest; those of whole draws alone are rounded."""
    reals = [i for i, law in enumerate(laws) if is_real(law)]
    by: dict[bool, list[Form]] = {True: [], False: []}
    for form in forms:
        by[not any(form[i] for i in reals)].append(form)
    found = [rounded(by[whole], int(whole)) for whole in (False, True)]
    return [form for part in found for form in part or ()] if None not in found else None


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
        for lattice, cell in _classes(laws, found) if found is not None else ():
            nodes: list[Node] = [(law, (), at, ()) for law, at in zip(laws, lattice, strict=True)]
            total = total + self._of_nodes(nodes, cell, kind)
        return total

    def _of_nodes(self, nodes: list[Node], forms: list[Form], kind: Kind) -> Sum:
        """The probability of draws, `nodes`, whose leaves are folded first."""
        alive = set(range(len(nodes)))
        while True:
            by: dict[int, list[Form]] = defaultdict(list)
            for form in forms:
                for i in alive:
                    if form[i]:
                        by[i].append(form)
            laws = [node[0] for node in nodes]
            found = next((x for i in sorted(alive) if (x := _hangs(i, by[i], laws))), None)
            if found is None:
                break
            i, inner, limits = found
            law, ends, lattice, leaves = nodes[i] if inner is None else nodes[inner]
            if inner is None:
                nodes[i] = (law, limits, lattice, leaves)
            else:
                more = tuple(sorted((*leaves, (limits, nodes[i]))))
                nodes[inner] = (law, ends, lattice, more)
                alive.remove(i)
            gone = {
                id(form)
                for form in by[i]
                if inner is not None or not any(form[:i] + form[i + 1 : -1])
            }
            forms = [form for form in forms if id(form) not in gone]
        order = sorted(alive)
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
                unit = tuple(Fraction(i == v) for v in range(size))
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
        y = min(draws, key=lambda v: _choices(forms, v))
        apart = lcm(*(int(form[y]) for form in forms if form[y])) if kind.step else 1
        if apart > 1:
            beside = [v for v in draws if v != y and any(f[v] and f[y] for f in forms)]
            parts: Iterator[Cell] = self._split(beside, apart, forms, terms, kind)
        else:
            draws = [v for v in draws if v != y]
            cells = _limited(y, forms, kind.step)
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
            cell = rounded(_in_classes(forms, classes, apart), 1)
            if cell is not None:
                moved = terms
                for v, start in classes.items():
                    form = tuple(Fraction(apart * (i == v)) for i in range(len(forms[0]) - 1))
                    moved = _replaced(moved, v, (*form, Fraction(start)), kind)
                yield cell, moved


def _limited(y: int, forms: list[Form], step: int) -> Iterator[tuple[Any, Any, list[Form]]]:
    """A lower and an upper bound of draw y, each None where there is none; and the forms of the
    other draws by which these two are the narrowest bounds, of equal ones the first."""
    lower, upper = ([_solved(f, y) for f in forms if f[y] * s > 0] for s in (1, -1))
    others = [form for form in forms if not form[y]]
    for (i, low), (j, high) in product(_numbered(lower), _numbered(upper)):
        more = [_minus(low, f, step * (k < i)) for k, f in _numbered(lower) if k != i]
        more += [_minus(f, high, step * (k < j)) for k, f in _numbered(upper) if k != j]
        more += [_minus(high, low, 0)] if low and high else []
        cell = rounded([*others, *more], step)
        if cell is not None:
            yield low, high, cell


def _numbered(forms: list[Form]) -> list[tuple[int, Any]]:
    return list(enumerate(forms)) or [(0, None)]


def _minus(a: Any, b: Any, less: int) -> Form:
    found = [x - y for x, y in zip(a, b, strict=True)]
    return (*found[:-1], found[-1] - less)


def _solved(form: Form, y: int) -> Form:
    """What draw y is at least, or at most, where the form is at least 0."""
    return tuple(Fraction(0) if i == y else Fraction(-c, form[y]) for i, c in enumerate(form))


def _choices(forms: Iterable[Form], v: int) -> int:
    signs = [form[v] for form in forms]
    return max(1, sum(s > 0 for s in signs)) * max(1, sum(s < 0 for s in signs))


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


def _hangs(i: int, forms: list[Form], laws: Sequence[Law]) -> Any:
    """What draw i is, the other draw that all its forms are about (None where there is none), and
    its limits; None where it has several others, or several limits from one side, or is a whole
    draw and the other one is not."""
    own = [form for form in forms if not any(form[:i] + form[i + 1 : -1])]
    if own:
        return (
            i,
            None,
            tuple(sorted((form[i] > 0, Fraction(0), Fraction(-form[-1], form[i])) for form in own)),
        )
    others = {j for form in forms for j, c in enumerate(form[:-1]) if c and j != i}
    if len(others) != 1:
        return None
    (j,) = others
    limits = sorted((f[i] > 0, Fraction(-f[j], f[i]), Fraction(-f[-1], f[i])) for f in forms)
    factors, sides = {limit[1] for limit in limits}, {limit[0] for limit in limits}
    whole = all(x.denominator == 1 for limit in limits for x in limit[1:])
    fits = is_real(laws[i]) or (whole and not is_real(laws[j]))
    if len(factors) > 1 or len(sides) < len(limits) or not fits:
        return None
    return i, j, tuple(limits)


def _classes(
    laws: Sequence[Law], forms: list[Form]
) -> Iterable[tuple[list[tuple[int, int]], list[Form]]]:
    """Residue classes of whole draws, (step, start) for each, after which forms of two draws have
    factors 1 and −1; and the forms with the class in place of the draw."""
    size, reals = len(laws), [i for i, law in enumerate(laws) if is_real(law)]
    steps = _steps(size, [form for form in forms if not any(form[i] for i in reals)])
    if prod(steps) == 1 or prod(steps) > MAX_CELLS:
        return [([(1, 0)] * size, forms)]
    found = []
    for starts in product(*map(range, steps)):
        split = []
        for form in forms:
            shift = form[-1] + sum(c * s for c, s in zip(form, starts, strict=False))
            factors = (c * n for c, n in zip(form, steps, strict=False))
            split.append((*factors, shift))
        cell = tidied(laws, split)
        if cell is not None:
            found.append((list(zip(steps, starts, strict=True)), cell))
    return found


def _steps(size: int, forms: list[Form]) -> list[int]:
    """How far apart the values of each draw have to be; all 1 where factors do not agree."""
    pairs = [[i for i, c in enumerate(form[:-1]) if c] for form in forms]
    if max(map(len, pairs), default=0) > 2:
        return [1] * size
    found: dict[int, Fraction] = {}
    for first in range(size):
        todo = [first] if first not in found else []
        found.setdefault(first, Fraction(1))
        while todo:
            i = todo.pop()
            for form, both in zip(forms, pairs, strict=True):
                if i in both and len(both) == 2:
                    (j,) = set(both) - {i}
                    step = found[i] * abs(Fraction(form[i], form[j]))
                    todo += [] if j in found else [j]
                    if found.setdefault(j, step) != step:
                        return [1] * size
    unit = lcm(*(step.denominator for step in found.values()))
    return [int(found[i] * unit) for i in range(size)]


def _in_classes(forms: list[Form], starts: dict[int, int], apart: int) -> list[Form]:
    """The forms with apart · x + start in place of some draws x."""
    found = []
    for form in forms:
        shift = form[-1] + sum(form[v] * start for v, start in starts.items())
        factors = (c * apart if v in starts else c for v, c in enumerate(form[:-1]))
        found.append((*factors, shift))
    return found
