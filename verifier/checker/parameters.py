"""Certificates of kind "parameters": a comparison holds for all values of several parameters, or
some values violate it.

Probabilities, priors and the level are quotients of polynomials of the parameters, whose values lie
in intervals, and where polynomials are > 0 or >= 0. Each cell of this domain, on which a parameter
is at an end or between both, has a model of its own. Values that violate are put into all numbers,
which gives a question of kind "comparison", or of another kind that the relation names. That all
hold is one sign of a polynomial for each two numbers that are compared, derived from the model
again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from . import reading as read
from .comparison import check_comparison, read_blocks
from .multivariate import (
    Place,
    Poly,
    Quotient,
    plus,
    power,
    read_polynomial,
    read_quotient,
    read_terms,
    times,
    value,
)
from .pieces import APART, ASKED, SAID
from .question import PIECEWISE
from .reading import COMMON, VALUES, Budget, Case, Model, need, prove

Sides = tuple[tuple[Fraction, Fraction], ...]
GIVEN = ("list", "conditionals")
MOST = 8  # parameters
FARTHEST = 100  # distances are below


@dataclass(frozen=True)
class Domain:
    """The parameters, the ends of each and whether they belong to it, and the conditions."""

    names: list[str]
    ends: list[tuple[Fraction, Fraction]]
    closed: list[tuple[bool, bool]]
    conditions: list[tuple[Poly, bool]]

    def cells(self) -> Iterator[Sides]:
        """The cells, in their order."""
        parts = [
            [(low, low)] * a + [(low, high)] * (low < high) + [(high, high)] * (b and low < high)
            for (low, high), (a, b) in zip(self.ends, self.closed, strict=True)
        ]
        return product(*parts)

    def has(self, point: Sequence[Fraction], sides: Sides) -> bool:
        """Whether a point is in a cell, and the conditions hold there."""
        need(len(point) == len(sides) and set(map(type, point)) <= {Fraction}, "a point")
        pairs = zip(point, sides, strict=True)
        if not all(low == x == high or low < x < high for x, (low, high) in pairs):
            return False
        found = ((value(condition, point), strict) for condition, strict in self.conditions)
        return all(x > 0 or (x == 0 and not strict) for x, strict in found)


Rule = Callable[[Any, Any, Any, Any], Any]  # of a claim, the parts of a model, relation, evidence


def check_parameters(case: Case, follow: Rule) -> bool:
    """Whether what is asked in a `case` holds for all values of the parameters; else raise, or
    false where values are shown to violate it. What is asked of another kind is refuted by its rule
    that is to `follow`."""
    if "kind" in case.relation:
        return _refuted(case, follow)
    rule, names, ends, where, listed = read.fields(
        case.relation, "rule parameters domain where cells"
    )
    need(rule == "parameters", "the rule is parameters")
    domain = _domain(names, ends, where)
    cells, models = list(domain.cells()), read.items(case.model.parts["cells"])
    need(len(cells) == len(models) == len(read.items(listed)), "a model for each cell")
    if "point" in case.witness:
        return _violated(case, domain, cells)
    budget, compared = Budget(), False
    proofs = read.items(read.fields(case.witness, "cells")[0])
    for sides, part, relation, proof in zip(cells, models, listed, proofs, strict=True):
        place = _place(domain, sides, proof, budget)
        if part is None:
            need(relation is None, "no relation without a model")
            place.need_sign({(0,) * len(names): -1}, "a cell without a model: 1")
            continue
        cell = _Cell(case, domain, place, part, relation, proof.get("conditionals"))
        cell.hold()
        compared = compared or cell.compared
    keys = f"{COMMON} level" if compared else f"{COMMON} level leakage"
    read.fields(case.claim, keys)
    said = compared or repr(case.claim["leakage"]) == "{'vacuous': True}"
    prove(said, "nothing is compared, which is to be said")
    return True


def _refuted(case: Case, follow: Rule) -> bool:
    """False, where the rule of another kind shows at a point that what is asked does not hold."""
    keys = "rule kind parameters domain where cells"
    rule, kind, names, ends, where, listed = read.fields(case.relation, keys)
    need(rule == "parameters" and kind in PIECEWISE, "the rule is parameters, of such a kind")
    domain, parts = _domain(names, ends, where), read.items(case.model.parts["cells"])
    cells = list(domain.cells())
    need(len(cells) == len(parts) == len(read.items(listed)), "a model for each cell")
    point, answer, evidence = read.fields(case.witness, "point answer evidence")
    values = read.numbers(point)
    inside = [k for k, sides in enumerate(cells) if domain.has(values, sides)]
    prove(inside, "the point is not in the domain")
    part, relation = parts[inside[0]], listed[inside[0]]
    prove(part is not None, "a cell without a model has no point")
    whole = {key: own for key, own in case.model.parts.items() if key != "cells"}
    need(not {*whole, *APART} & part.keys(), "worlds stand once, beside the cells")
    need(case.claim.keys() <= ASKED | {"kind", "verdict"}, "no more is said")
    need(read.mapping(answer).keys() <= SAID, "an answer at a point has no question of its own")
    asked = {key: case.claim[key] for key in ASKED & case.claim.keys()} | {"kind": kind}
    with values_at(names, values):
        found = follow({**asked, **answer}, {**whole, **part}, relation, evidence)
    need(answer["verdict"] == "violated", "the verdict at a point is violated")
    prove(found is False, "the point violates nothing")
    return False


@contextmanager
def values_at(names: Sequence[str], point: Sequence[Fraction]) -> Iterator[None]:
    """Inside, texts of functions of parameters are read as their values at a point."""

    def of(text: str) -> Fraction:
        top, bottom = (value(half, point) for half in read_quotient(text, names))
        prove(bottom, "a denominator vanishes at the point")
        return Fraction(top, bottom)

    token = VALUES.set(of)
    try:
        yield
    finally:
        VALUES.reset(token)


def _domain(names: Any, ends: Any, where: Any) -> Domain:
    need(0 < read.texts(names) <= MOST, "a few parameters")
    need(all(name.isidentifier() for name in names), "a parameter is a word")
    need(len(read.items(ends)) == len(names), "an interval for each parameter")
    sides, closed = [], []
    for part in ends:
        both = [read.fields(end, "rational closed") for end in read.fields(part, "from to")]
        (low, a), (high, b) = ((read.number(text), flag) for text, flag in both)
        need(type(low) is type(high) is Fraction and type(a) is type(b) is bool, "rational ends")
        need(low < high or (low == high and a and b), "an interval has a lower and an upper end")
        sides.append((low, high))
        closed.append((a, b))
    conditions = []
    for text, strict in (read.fields(one, "polynomial strict") for one in read.items(where)):
        need(type(text) is str and type(strict) is bool, "a polynomial, and whether it is > 0")
        conditions.append((read_polynomial(text, names), strict))
    return Domain(names, sides, closed, conditions)


def _place(domain: Domain, sides: Sides, proof: Any, budget: Budget) -> Place:
    """A cell, and what a certificate proves of it."""
    keys = "sample signs" + " conditionals" * ("conditionals" in proof)
    sample, signs, *_ = read.fields(proof, keys)
    trees = {}
    for row in read.items(signs):
        rows, tree = read.fields(row, "polynomial tree")
        trees[frozenset(read_terms(rows, len(domain.names)).items())] = tree
    point = read.numbers(sample)
    need(len(trees) == len(signs), "two proofs of one polynomial")
    return Place(sides, domain.conditions, budget, point, trees)


def _violated(case: Case, domain: Domain, cells: list[Sides]) -> bool:
    """False, where a point is shown to violate what is asked."""
    listed, leakage, witness = read.fields(case.witness, "point leakage witness")
    read.fields(case.claim, f"{COMMON} level")
    point = read.numbers(listed)
    inside = [k for k, sides in enumerate(cells) if domain.has(point, sides)]
    prove(inside, "the point is not in the domain")
    part, relation = case.model.parts["cells"][inside[0]], case.relation["cells"][inside[0]]
    prove(part is not None, "a cell without a model has no point")

    def at(text: Any) -> Fraction:
        top, bottom = (value(half, point) for half in read_quotient(text, domain.names))
        prove(bottom, "a denominator vanishes at the point")
        return Fraction(top, bottom)

    outputs, texts, columns = read.fields(part, "outputs values columns")
    values = [at(text) for text in read.items(texts)]
    order = sorted(set(values))
    code = [order.index(x) for x in values]
    moved = [[code[c] for c in column] for column in read.unpacked(columns, len(values))]
    parts = {key: own for key, own in case.model.parts.items() if key != "cells"}
    model = Model({**parts, "outputs": outputs, "values": order, "columns": moved})
    model.check_alike(moved)
    alpha, delta = read.fields(case.claim["level"], "exp_epsilon delta")
    level = {"exp_epsilon": at(alpha), "delta": at(delta)}
    claim = {key: case.claim[key] for key in COMMON.split()}
    asked = {**claim, "level": level, "leakage": leakage}
    found = replace(case, claim=asked, model=model, relation=_valued(relation, at), witness=witness)
    prove(not check_comparison(found), "the point violates nothing")
    return False


def _valued(relation: Any, at: Any) -> Any:
    """A relation at a point, whose given priors are numbers there."""
    if relation["rule"] != "secrets" or relation["priors"]["class"] not in GIVEN:
        return relation
    priors = relation["priors"]
    rows = [
        {s: list(map(at, row)) for s, row in prior.items()}
        if type(prior) is dict
        else list(map(at, read.items(prior)))
        for prior in read.items(priors["priors"])
    ]
    return {**relation, "priors": {**priors, "priors": rows}}


class _Cell:
    """What is compared on a cell, all of whose columns are distributions there."""

    def __init__(
        self, case: Case, domain: Domain, place: Place, part: Any, relation: Any, given: Any
    ) -> None:
        self._place, self._names, model = place, domain.names, case.model
        prove(domain.has(place.sample, place.sides), "the sample is not in the cell")
        alpha, delta = read.fields(case.claim["level"], "exp_epsilon delta")
        self._level, self._delta = self._number(alpha), self._number(delta)
        place.need_sign(plus(self._level[0], self._level[1], -1), "the level less 1")
        place.need_sign(self._delta[0], "delta")
        place.need_sign(plus(self._delta[1], self._delta[0], -1), "1 less delta")
        outputs, values, codes = read.fields(part, "outputs values columns")
        size = read.texts(outputs)
        self._numbers = [self._number(text) for text in read.items(values)]
        columns = list(map(tuple, read.unpacked(read.items(codes), len(values))))
        need(set(map(len, columns)) == {size}, "a column has one code per output")
        need(len(columns) == model.size, "there is one column for each world")
        model.check_alike(columns)
        for top, _ in self._numbers:
            place.need_sign(top, "a value")
        for column in set(columns):
            self._need_sum([self._numbers[code] for code in column], "a column")
        if relation["rule"] == "secrets" and relation["priors"]["class"] in GIVEN:
            self._believe(relation, columns, model, given)
            return
        need(given is None, "conditionals go with given priors")
        self._columns = list(dict.fromkeys(columns))
        kinds = list(map(self._columns.index, columns))
        blocks = read_blocks(relation, model, kinds)
        self.compared = bool(blocks)
        self._pairs = set[tuple[int, int, int]]()
        for s, t, d in blocks:
            need(d.denominator == 1 and d < FARTHEST, "a distance is an integer")
            place.budget.spend(len(s) * len(t))
            self._pairs.update((i, j, int(d)) for i in s for j in t if i != j)

    def _number(self, text: Any) -> Quotient:
        return self._place.oriented(read_quotient(text, self._names))

    def _times(self, *factors: Poly) -> Poly:
        found = {(0,) * len(self._names): 1}
        for factor in factors:
            found = times(found, factor, self._place.budget)
        return found

    def _total(self, numbers: Sequence[Quotient]) -> Quotient:
        """The sum, over one denominator for those that are equal."""
        sums: dict[Any, Quotient] = {}
        for top, bottom in numbers:
            key = frozenset(bottom.items())
            sums[key] = plus(sums[key][0] if key in sums else {}, top), bottom
        found: Quotient = ({}, self._times())
        for top, bottom in sums.values():
            if top:
                left, right = self._times(found[0], bottom), self._times(top, found[1])
                found = plus(left, right), self._times(found[1], bottom)
        return found

    def _need_sum(self, numbers: Sequence[Quotient], what: str) -> None:
        top, bottom = self._total(numbers)
        prove(top == bottom, f"{what} does not sum to 1")

    def _believe(self, relation: Any, columns: Any, model: Model, given: Any) -> None:
        """Compare P(output | secret) under priors whose weights are functions, as the certificate
        has them; not where a secret has no weight."""
        secrets, pairs = read.secrets(relation, model)
        keys, values, codes = read.fields(given, "keys values columns")
        numbers = [self._number(text) for text in read.items(values)]
        self._columns = list(map(tuple, read.unpacked(read.items(codes), len(numbers))))
        stated = iter(zip(read.items(keys, 2), self._columns, strict=True))
        at: dict[tuple[int, str], int] = {}
        for k, prior in enumerate(self._priors(relation["priors"], secrets, model)):
            for secret, weights in prior.items():
                mass = self._total([weights[w] for w in secrets[secret]])
                if not mass[0]:
                    continue
                key, column = next(stated)
                need(key == [k, secret], "the conditionals are those of each prior and secret")
                at[k, secret] = len(at)
                need(len(column) == len(columns[0]), "a conditional has one code per output")
                for o, code in enumerate(column):
                    joint = self._total(
                        [self._product(weights[w], columns[w][o]) for w in secrets[secret]]
                    )
                    left = self._times(numbers[code][0], mass[0], joint[1])
                    right = self._times(numbers[code][1], mass[1], joint[0])
                    prove(left == right, "a conditional is another")
        need(next(stated, None) is None, "no other conditionals")
        self._numbers = numbers
        self._pairs = {
            (at[k, s], at[k, t], 1)
            for k in {k for k, _ in at}
            for s, t in pairs
            if (k, s) in at and (k, t) in at
        }
        self.compared = bool(self._pairs)

    def _product(self, weight: Quotient, code: int) -> Quotient:
        top, bottom = self._numbers[code]
        return self._times(weight[0], top), self._times(weight[1], bottom)

    def _priors(
        self, priors: Any, secrets: Mapping[str, list[int]], model: Model
    ) -> Iterator[dict[str, list[Quotient]]]:
        """For each prior, and each secret that it speaks of, the weights of the worlds."""
        kind, listed = read.fields(priors, "class priors")
        for prior in read.items(listed):
            rows = dict.fromkeys(secrets, prior) if kind == "list" else read.mapping(prior)
            known: dict[int, list[Quotient]] = {}
            for secret, row in rows.items():
                if id(row) not in known:
                    known[id(row)] = [self._number(text) for text in read.items(row)]
                    need(len(row) == model.size, "a weight for each world")
                    for top, _ in known[id(row)]:
                        self._place.need_sign(top, "a weight")
                    self._need_sum(known[id(row)], "a prior")
                if kind != "list":
                    inside = [known[id(row)][w] for w in secrets[secret]]
                    self._need_sum(inside, "a prior within its secret")
            yield {secret: known[id(row)] for secret, row in rows.items()}

    def hold(self) -> None:
        """Reject what is not proved to hold on the whole cell."""
        if self._delta[0]:
            need(all(d == 1 for _, _, d in self._pairs), "with distances, delta is 0")
            for i, j in {(i, j) for i, j, _ in self._pairs}:
                self._hold_together(self._columns[i], self._columns[j])
            return
        seen = set()
        for i, j, d in self._pairs:
            self._place.budget.spend(len(self._columns[i]))
            for p, q in set(zip(self._columns[i], self._columns[j], strict=True)):
                if p != q and (p, q, d) not in seen:
                    seen.add((p, q, d))
                    self._hold_at(p, q, d)

    def _hold_at(self, p: int, q: int, d: int) -> None:
        (a, b), (c, e) = self._numbers[p], self._numbers[q]
        if b != e:
            a, c = self._times(a, e), self._times(c, b)
        up, down = (power(part, d, self._place.budget) for part in self._level)
        self._place.need_sign(plus(self._times(up, c), self._times(down, a), -1), "a comparison")

    def _hold_together(self, first: Sequence[int], second: Sequence[int]) -> None:
        """The same with delta, for each event."""
        counts = Counter(zip(first, second, strict=True))
        self._place.budget.spend(1000 * 2 ** len(counts))
        bottoms = {
            frozenset(self._numbers[k][1].items()): self._numbers[k][1]
            for both in counts
            for k in both
        }
        (s, t), (x, y) = self._level, self._delta
        allowed = self._times(x, t, *bottoms.values())
        gains = []
        for (p, q), often in counts.items():
            (a, b), (c, e) = self._numbers[p], self._numbers[q]
            left, right = ([other for other in bottoms.values() if other != own] for own in (b, e))
            gain = plus(self._times(t, a, *left), self._times(s, c, *right), -1)
            gains.append(self._times(y, {m: often * z for m, z in gain.items()}))
        for chosen in product((False, True), repeat=len(gains)):
            rest = allowed
            for gain, counted in zip(gains, chosen, strict=True):
                rest = plus(rest, gain, -1) if counted else rest
            self._place.need_sign(rest, "a comparison of an event")
