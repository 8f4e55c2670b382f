"""A cell of the domain of several parameters, and that a comparison holds everywhere on it.

Each inequality is one polynomial that is proved to be nowhere negative (`multivariate`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from . import reading as read
from .comparison import read_blocks
from .multivariate import Place, Poly, Quotient, plus, power, read_quotient, times, value
from .reading import Case, Model, need, prove

Sides = tuple[tuple[Fraction, Fraction], ...]
GIVEN = ("list", "conditionals")
FARTHEST = 100  # distances are below
HIGHEST = 20  # order of Rényi's divergence


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


class ComparisonCell:
    """What is compared on a cell, all of whose columns are distributions there."""

    def __init__(self, case: Case, domain: Domain, place: Place, part: Any, relation: Any) -> None:
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
            self._believe(relation, columns, model)
            return
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

    def _believe(self, relation: Any, columns: Any, model: Model) -> None:
        """Compare P(o, secret) / P(secret), as the question has both, under priors whose weights
        are functions; not where a secret has no weight."""
        secrets, pairs = read.secrets(relation, model)
        numbers, codes = list[Quotient](), dict[Any, int]()
        at: dict[tuple[int, str], int] = {}
        self._columns = []
        for k, prior in enumerate(self._priors(relation["priors"], secrets, model)):
            for secret, weights in prior.items():
                worlds = secrets[secret]
                mass = self._total([weights[w] for w in worlds])
                if not mass[0]:
                    continue
                at[k, secret] = len(at)
                column = []
                for o in range(len(columns[0])):
                    joint = self._total([self._product(weights[w], columns[w][o]) for w in worlds])
                    ratio = self._times(joint[0], mass[1]), self._times(joint[1], mass[0])
                    key = tuple(frozenset(half.items()) for half in ratio)
                    column.append(codes.setdefault(key, len(codes)))
                    if len(codes) > len(numbers):
                        numbers.append(ratio)
                self._columns.append(tuple(column))
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


class DivergenceCell(ComparisonCell):
    """The range of the ratios of two columns, or Rényi's divergence of an integer order, on a cell
    all of whose columns are distributions there."""

    def __init__(self, case: Case, domain: Domain, place: Place, part: Any, relation: Any) -> None:
        rule, order, pairs = read.fields(relation, "rule order pairs")
        need(rule in ("bounded_range", "renyi"), "a range, or a divergence of an order")
        self._order = 0 if rule == "bounded_range" else _order(order)
        need(self._order or order is None, "a range has no order")
        need(pairs["rule"] != "secrets", "worlds are compared")
        super().__init__(case, domain, place, part, pairs)

    def hold(self) -> None:
        """Reject what is not proved to hold on the whole cell."""
        need(not self._delta[0], "delta is 0")
        seen = set()
        for i, j, d in self._pairs:
            need(d == 1, "distances are 1")
            self._place.budget.spend(len(self._columns[i]))
            counts = Counter(zip(self._columns[i], self._columns[j], strict=True))
            key = frozenset(counts.items())
            if key not in seen:
                seen.add(key)
                (self._hold_order if self._order else self._hold_range)(counts)

    def _hold_range(self, counts: Counter[tuple[int, int]]) -> None:
        """P(o) Q(o') <= alpha Q(o) P(o') for each two outputs; it is so for one, as alpha >= 1."""
        for (p, q), (x, y) in permutations(counts, 2):
            (a, b), (c, e) = self._product(self._numbers[p], y), self._product(self._numbers[q], x)
            up, down = self._level
            left, right = self._times(up, c, b), self._times(down, a, e)
            self._place.need_sign(plus(left, right, -1), "a range")

    def _hold_order(self, counts: Counter[tuple[int, int]]) -> None:
        """The sum of P^a / Q^(a - 1) is at most alpha^(a - 1), and no Q is 0 anywhere."""
        terms = []
        for (p, q), often in counts.items():
            (a, b), (c, e) = self._numbers[p], self._numbers[q]
            if not a:
                continue
            prove(self._place.is_positive(c), "a probability is not proved to be above 0")
            top = self._times(*[a] * self._order, *[e] * (self._order - 1))
            bottom = self._times(*[b] * self._order, *[c] * (self._order - 1))
            terms.append(({m: often * x for m, x in top.items()}, bottom))
        total = self._total(terms)
        up, down = (power(part, self._order - 1, self._place.budget) for part in self._level)
        left, right = self._times(up, total[1]), self._times(down, total[0])
        self._place.need_sign(plus(left, right, -1), "a divergence")


def _order(text: Any) -> int:
    order = read.number(text)
    need(type(order) is Fraction and order.denominator == 1, "the order is an integer")
    need(2 <= order <= HIGHEST, "the order is from 2 to 20")
    return int(order)
