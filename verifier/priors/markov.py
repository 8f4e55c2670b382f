"""Each record depends on the one before it, with probabilities known up to intervals.

Syntax. `priors: {markov: {initial: {VALUE: INTERVAL, …}, transition: {VALUE: {VALUE: INTERVAL, …},
…}}}`

Options. Both are needed; a number stands for itself, an interval is written [1/4, 1/2]:
- `initial`: the distribution of the first record, or `stationary`
- `transition`: for each value the distribution of the record after one with this value

Statement. The first record has the distribution `initial`, each other one the row of the value
before it; these are any distributions within their intervals. At least one is an interval; one
prior without is written `{list: [{markov: {…}}]}`.

Example. Two fair bits that are equal with probability 1/2 to 9/10, each answered truthfully with
probability 3/4. At 9/10 Ann's bit leaks 3·(3·9/10 + 1/10)/(9/10 + 3/10) = 7.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    secrets: {ann_yes: ann == 1, ann_no: ann == 0}
    pairs: [[ann_yes, ann_no]]
    priors:
      markov:
        initial: {0: 1/2, 1: 1/2}
        transition:
          0: {0: [1/2, 9/10], 1: [1/10, 1/2]}
          1: {0: [1/10, 1/2], 1: [1/2, 9/10]}
    checks:
      - pufferfish: {exp_epsilon: 7}
        leakage: 7

References. Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Example 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod
from typing import Any

from verifier.base import exact
from verifier.base.document import Node, Scalar
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.polynomial import Polynomial, add
from verifier.base.polynomial import product as multiplied
from verifier.priors import check_possible
from verifier.priors._polynomial import Variables, joint_claim, need_records
from verifier.questions.beliefs.records import by_code, probability
from verifier.questions.beliefs.supports import ListedSupports
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.secrets import Pair, Pufferfish
from verifier.world.worlds import WorldSpace

MAX_VALUES = 6
Row = tuple[tuple[Fraction, Fraction], ...]  # an interval for each value
ZERO = (Fraction(0), Fraction(0))
MOST_SUPPORTED = 200_000  # worlds times supports


@dataclass(frozen=True)
class MarkovPriors:
    """The first record has the distribution `initial`, each other one the row of the value before
    it; these are any distributions within their intervals.

    initial     a row; None for the stationary distribution of the chain
    transition  one row per code of a value

    A row within intervals is a mixture of the corners of its polytope, so a path has a product of
    linear forms in these mixtures as its probability. The stationary distribution is proportional
    to Σ over spanning trees into a value of the product of their transitions (Markov chain tree
    theorem).
    """

    initial: Row | None
    transition: tuple[Row, ...]

    def claim(self, question: Pufferfish) -> PolynomialsClaim:
        """The claim of a `question`: one simplex over the corners of each row."""
        space = question.space
        rows = [self.initial, *self.transition] if self.initial else list(self.transition)
        found = [corners(row) for row in rows]
        variables = Variables(tuple(map(len, found)))
        paths = self._paths(found, variables, len(space.records) - 1)
        weigh = cache(paths.weight)

        def weight(world: int) -> Polynomial:
            codes = space.record_codes[:, world].tolist()
            return weigh(codes[0], tuple(sorted(pairwise(codes))))

        return joint_claim(
            question, variables, weight, self.statement(space, question.pairs), "markov"
        )

    def _paths(
        self, found: Sequence[Sequence[Sequence[Fraction]]], variables: Variables, steps: int
    ) -> _Paths:
        """The weights of paths of so many `steps`; `found` has the corners of each row."""
        totals: list[Polynomial] = []
        forms: list[list[Polynomial]] = []
        for row, points in enumerate(found):
            unit, numbers = exact.cleared([p for point in points for p in point])
            columns = (numbers[value :: len(points[0])] for value in range(len(points[0])))
            forms.append([variables.form(row, column) for column in columns])
            totals.append({m: c * unit for m, c in variables.total(row).items()})
        size, count = len(self.transition), variables.count
        if self.initial:
            used = [[1] + [0] * size] * size
            return _Paths(forms[0], forms[1:], totals, [1] + [steps] * size, used, count)
        starts = [self._into(code, forms, variables) for code in range(size)]
        used = [[int(k != code) for k in range(size)] for code in range(size)]
        return _Paths(starts, forms, totals, [steps + 1] * size, used, count)

    def _into(
        self, root: int, forms: Sequence[Sequence[Polynomial]], variables: Variables
    ) -> Polynomial:
        """The sum over spanning trees into a value of the product of their transitions."""
        found: Polynomial = {}
        for tree in trees_into(root, len(forms)):
            found = add(found, multiplied((forms[a][b] for a, b in tree), variables.count))
        return found

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> ListedSupports:
        """The supports that chains have, each shown by one of them.

        space  the worlds
        pairs  the pairs of secrets

        Raises NotDecided where there are too many, S403 for a named secret outside all of them.
        """
        found: dict[frozenset[int], dict[int, Fraction]] = {}
        for weights in self._weights(space):
            total = exact.total(weights.values())
            prior = {world: weight / total for world, weight in weights.items()}
            found.setdefault(frozenset(prior), prior)
        secrets = [secret for pair in pairs for secret in pair]
        possible = sorted(frozenset[int]().union(*found))
        check_possible(secrets, {s.name for s in secrets if not s.worlds[possible].any()})
        return ListedSupports([prior for prior in found.values() if prior])

    def _weights(self, space: WorldSpace) -> Iterator[dict[int, Fraction]]:
        """Of one chain for each choice of the values that its rows make possible: the worlds that
        are possible, with weights proportional to those of the chain."""
        one, size = Fraction(1), len(self.transition)
        rows = [_inside(row) for row in (self.initial, *self.transition) if row]
        if prod(map(len, rows)) * space.size > MOST_SUPPORTED:
            raise NotDecided("intervals from 0 give the chains of the class too many supports")
        trees = [list(trees_into(root, size)) for root in range(size)]
        paths = space.record_codes.T.tolist()
        for chosen in product(*rows):
            start, steps = (chosen[0], chosen[1:]) if self.initial else (None, chosen)
            if start is None:
                start = [
                    exact.total(prod((steps[a][b] for a, b in tree), start=one) for tree in into)
                    for into in trees
                ]
                if not any(start):
                    raise NotDecided(
                        "a chain of the class has several stationary distributions, which is not "
                        "compared by this version"
                    )
            chances = (
                prod((steps[a][b] for a, b in pairwise(path)), start=start[path[0]])
                for path in paths
            )
            yield {world: chance for world, chance in enumerate(chances) if chance}

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The intervals, and the values of `space` as entries of a record, whatever the `pairs`."""
        parts = space.entry_values
        values = [
            [-1] * len(parts)
            if code == space.absent_code
            else [
                part.index(x)
                for part, x in zip(parts, value if space.attributes else (value,), strict=True)
            ]
            for code, value in enumerate(space.record_values)
        ]
        return {
            "class": "markov",
            "values": values,
            "initial": "stationary" if self.initial is None else _listed(self.initial),
            "transition": [_listed(row) for row in self.transition],
        }


@dataclass(frozen=True)
class _Paths:
    """The weights of paths, products of linear forms that have one degree in the variables of each
    row of probabilities.

    starts     the weight of each first value
    forms      the forms of the transitions from and to each value
    totals     the sum of the variables of each row: that of the first record, if it has one, before
               those of transitions
    most       how often each row may be used
    used       for each first value, how often its weight uses each row
    variables  how many variables there are
    """

    starts: Sequence[Polynomial]
    forms: Sequence[Sequence[Polynomial]]
    totals: Sequence[Polynomial]
    most: Sequence[int]
    used: Sequence[Sequence[int]]
    variables: int

    def weight(self, start: int, moves: Sequence[tuple[int, int]]) -> Polynomial:
        """The weight of paths from one value with these transitions, in any order."""
        counts, first = list(self.used[start]), len(self.totals) - len(self.forms)
        for before, _ in moves:
            counts[first + before] += 1
        factors = [self.starts[start], *(self.forms[a][b] for a, b in moves)]
        for total, limit, count in zip(self.totals, self.most, counts, strict=True):
            factors += [total] * (limit - count)
        return multiplied(factors, self.variables)


def _listed(row: Row) -> list[list[Fraction]]:
    return [list(interval) for interval in row]


def corners(row: Row) -> list[tuple[Fraction, ...]]:
    """The corners of {p : low <= p <= high, Σ p = 1}, ascending: all but one p at an end.

    row  (low, high) for each p

    >>> [tuple(map(str, p)) for p in corners(((Fraction(0), Fraction(1)),) * 2)]
    [('0', '1'), ('1', '0')]
    """
    found: set[tuple[Fraction, ...]] = set()
    for free, (low, high) in enumerate(row):
        for chosen in product(*(row[:free] + row[free + 1 :])):
            rest = 1 - sum(chosen, Fraction(0))
            if low <= rest <= high:
                found.add((*chosen[:free], rest, *chosen[free:]))
    return sorted(found)


def _inside(row: Row) -> list[list[Fraction]]:
    """For each set of values that a distribution within a row may make possible: the one that goes
    from the lower ends as far to the upper ones of these values, for all alike, as sums to 1."""
    found = []
    for values in product((False, True), repeat=len(row)):
        ends = [one if kept else ZERO for one, kept in zip(row, values, strict=True)]
        lows, highs = (exact.total(side) for side in zip(*ends, strict=True))
        if not lows <= 1 <= highs:
            continue
        share = (1 - lows) / (highs - lows) if lows < highs else Fraction(0)
        inside = [low + share * (high - low) for low, high in ends]
        if [p > 0 for p in inside] == list(values) and all(
            low <= p for (low, _), p in zip(row, inside, strict=True)
        ):
            found.append(inside)
    return found


def trees_into(root: int, size: int) -> Iterator[list[tuple[int, int]]]:
    """The spanning trees of the complete graph directed into a node: an edge for every other one.

    root  the node
    size  how many nodes there are, numbered from 0

    >>> list(trees_into(0, 2))
    [[(1, 0)]]
    """
    others = [node for node in range(size) if node != root]
    for targets in product(range(size), repeat=len(others)):
        following = dict(zip(others, targets, strict=True))
        if all(_reaches(node, following) for node in others):
            yield list(following.items())


def _reaches(node: int, following: dict[int, int]) -> bool:
    for _ in following:
        node = following.get(node, node)
    return node not in following


def read(node: Node | None, space: WorldSpace) -> MarkovPriors:
    """`priors: {markov: {initial: …, transition: …}}` with at least one interval.

    node   what stands under the keyword
    space  the worlds, made of records
    """
    if node is None:
        raise InputError("S501", "the class 'markov' is {markov: {initial: …, transition: …}}")
    need_records(space, "the class 'markov'")
    chain = node.mapping(("initial", "transition"), "a chain", needs="initial transition")
    size = len(space.record_values)
    if size > MAX_VALUES:
        raise LimitReached(f"chains with intervals have at most {MAX_VALUES} values")
    rows: list[Row | None] = [None] * size
    for code, item in by_code(chain["transition"], space, "distributions"):
        rows[code] = _row(item, space)
    first = _initial(chain["initial"], space)
    known = [row for row in (first, *rows) if row]
    if not any(low < high for row in known for low, high in row):
        raise node.fail(
            "S501",
            "a chain without intervals is a single prior; as a class: {list: [{markov: …}]}",
            "write {list: [{markov: …}]}, or [1/3, 2/3] for a probability",
        )
    reached = {code for row in known for code, (_, high) in enumerate(row) if high}
    needed = reached if len(space.records) > 1 else set()
    _check_rows(chain["transition"], rows, range(size) if first is None else sorted(needed), space)
    return MarkovPriors(first, tuple(row or _stay(code, size) for code, row in enumerate(rows)))


def _initial(node: Node, space: WorldSpace) -> Row | None:
    """The distribution of the first record; None where it is the stationary one."""
    if isinstance(node, Scalar):
        node.word(("stationary",), "initial distribution", "S501")
        return None
    return _row(node, space)


def _check_rows(
    node: Node, rows: Sequence[Row | None], needed: Iterable[int], space: WorldSpace
) -> None:
    """Refuse (S502) a chain that can come to a value without transition probabilities."""
    for code in needed:
        if rows[code] is None:
            name = space.value_names[code]
            raise node.fail(
                "S502",
                f"the value '{name}' has no transition probabilities",
                f"add {name}: {{{name}: 1}}, or other probabilities",
            )


def _stay(code: int, size: int) -> Row:
    """The row of a value that is never left."""
    one = (Fraction(1), Fraction(1))
    return tuple(one if other == code else ZERO for other in range(size))


def _row(node: Node, space: WorldSpace) -> Row:
    """{value: p or [a, b]}: an interval per code; values that are not named have probability 0."""
    row = [ZERO] * len(space.record_values)
    for code, item in by_code(node, space, "probabilities"):
        row[code] = _interval(item)
    least, most = (exact.total(ends) for ends in zip(*row, strict=True))
    if not least <= 1 <= most:
        text = f"to {least}" if least == most else f"to between {least} and {most}"
        said = f"the probabilities sum {text}, must be 1: no distribution is left"
        raise node.fail("S504", said, "widen the intervals until 1 lies between the two sums")
    return tuple(row)


def _interval(node: Node) -> tuple[Fraction, Fraction]:
    if not isinstance(node, SequenceNode):
        p = probability(node)
        return p, p
    ends = [probability(item) for item in node.items]
    if len(ends) != 2 or ends[0] > ends[1]:
        hint = f"write [{min(ends)}, {max(ends)}]" if ends else "write [1/3, 2/3]"
        raise node.fail("S504", "an interval has two ends, [lower, upper]", hint)
    return ends[0], ends[1]
