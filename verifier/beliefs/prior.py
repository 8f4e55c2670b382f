"""Single priors: distributions over the worlds, exact.

`uniform`, `{worlds: {name: p}}`, `{iid: {value: p}}`, `{independent: [{value: p}, …]}`,
`{markov: {initial: …, transition: …}}`, `{mixture: [{weight, prior}, …]}`. Where public
constraints remove worlds, priors over records are conditioned on what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import prod
from operator import mul
from typing import Any

import numpy as np

from verifier.base import exact, histograms
from verifier.base.document import Node, Scalar
from verifier.base.errors import InputError, LimitReached, choice
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Column, constant, lift
from verifier.world.single import Single
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace

ZERO, ONE = Fraction(0), Fraction(1)
MAX_STATES = 300


@dataclass(frozen=True, eq=False)
class Prior(Later):
    """A distribution over worlds: the probability of each, as a column that sums to 1."""

    weights: Column

    @classmethod
    def of(cls, weights: Column) -> Prior:
        """Weights >= 0, normalised; InputError S503 where all `weights` are 0 under the
        constraints."""
        total = _total(weights)
        if total == 0:
            raise InputError("S503", "the prior gives probability 0 to every world that is left")
        if total != 1:
            scaled = lift(lambda weight: weight / total, weights)
            weights = scaled if isinstance(scaled, Column) else constant(scaled, weights.size)
        return cls(weights)

    def probability(self, worlds: np.ndarray) -> Fraction:
        """P(secret), for a secret given as a Boolean array, `worlds`."""
        return _total(self.weights.take(np.flatnonzero(worlds)))

    def tolist(self) -> list[Fraction]:
        """The probability of each world."""
        return [exact.number(weight) for weight in self.weights.tolist()]

    def of_one_record(self, one: Single) -> Prior:
        """The prior over the worlds of `one` record, for one over its histograms."""
        both = zip(one.spread(self.tolist()), one.shares(), strict=True)
        return Prior(_column([weight * share for weight, share in both]))

    def positive(self) -> dict[int, Fraction]:
        """World -> probability, where it is positive."""
        return {world: weight for world, weight in enumerate(self.tolist()) if weight}


def read_prior(node: Node, space: WorldSpace) -> Prior:
    """The prior over the worlds of `space` that a `node` describes; InputError S501 to S504."""
    return node.placed(lambda: Prior.of(_weights(node, space)))


def _weights(node: Node, space: WorldSpace) -> Column:
    if isinstance(node, Scalar):
        node.word(("uniform",), "prior", "S501")
        return constant(ONE, space.size) if space.counts is None else _alike(space, None)
    key, value = node.mapping(what="a prior").only("a prior")
    if key.text not in KINDS:
        kinds = ["uniform", *KINDS]
        hint = "write uniform by itself" if key.text == "uniform" else choice(key.text, kinds)
        raise key.fail("S501", f"unknown kind of prior '{key.text}'", hint)
    if key.text in ("iid", "independent", "markov") and not space.records:
        if key.text == "iid" and space.counts is not None:
            return _alike(space, distribution(value, space))
        lacking = needs_records("S502", f"the prior '{key.text}'", space)
        raise key.fail(lacking.code, lacking.message, lacking.hint)
    return KINDS[key.text](value, space)


def _worlds(node: Node, space: WorldSpace) -> Column:
    weights = [ZERO] * space.size
    for key, value in node.mapping(what="a mapping from worlds to probabilities").entries:
        world = space.index(key.text)
        if world is None:
            hint = space.suggestion(key.text)
            raise key.fail("S504", f"unknown world '{key.text}'", hint)
        weights[world] = probability(value)
    _check_total(node, weights)
    return _column(weights)


def _iid(node: Node, space: WorldSpace) -> Column:
    row = distribution(node, space)
    return _product([_by_value(space, record, row) for record in range(len(space.records))])


def _alike(space: WorldSpace, row: Sequence[Fraction] | None) -> Column:
    """The weights of histograms: of all lists of records, or of records with one distribution."""
    assert space.counts is not None
    table = space.counts.T.tolist()
    if row is None:
        return _column([Fraction(histograms.multiplicity(counts)) for counts in table])
    return _column(
        [
            histograms.multiplicity(counts)
            * prod((p**c for p, c in zip(row, counts, strict=True) if c), start=ONE)
            for counts in table
        ]
    )


def _independent(node: Node, space: WorldSpace) -> Column:
    rows = [distribution(item, space) for item in node.sequence("one distribution per record")]
    if len(rows) != len(space.records):
        said = f"{len(rows)} distributions for {len(space.records)} records"
        hint = f"write one for each of: {', '.join(space.records[:20])}"
        raise node.fail("S502", said, hint)
    return _product([_by_value(space, record, row) for record, row in enumerate(rows)])


def read_chain(node: Node, space: WorldSpace) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The distribution of the first record, and of the next for each value; of zeros where no value
    that is reached has it.

    node   the options of a prior `markov`
    space  the worlds, or what they are made of
    """
    chain = node.mapping(("initial", "transition"), needs="initial transition")
    if len(space.record_values) > MAX_STATES:
        raise LimitReached(f"Markov chains have at most {MAX_STATES} values in this version")
    table = chain["transition"]
    rows: list[list[Fraction] | None] = [None] * len(space.record_values)
    for code, value in by_code(table, space, "distributions"):
        rows[code] = distribution(value, space)
    start = chain["initial"]
    known = [row if row is not None else [ZERO] * len(rows) for row in rows]
    if isinstance(start, Scalar):
        start.word(("stationary",), "initial distribution", "S501")
        first = _stationary(start, known, space.value_names)
    else:
        first = distribution(start, space)
    reached = {code for code, p in enumerate(first) if p}
    reached |= {code for row in known for code, p in enumerate(row) if p}
    for code in reached if len(space.records) > 1 else ():
        if rows[code] is None:
            name = space.value_names[code]
            hint = f"add {name}: {{{name}: 1}}, or other probabilities"
            raise table.fail("S502", f"the value '{name}' has no transition probabilities", hint)
    return first, known


def _markov(node: Node, space: WorldSpace) -> Column:
    first, known = read_chain(node, space)
    steps = [_by_value(space, 0, first)]
    for record in range(1, len(space.records)):
        before, after = (_codes(space, record - 1), _codes(space, record))
        step = lift(lambda a, b: known[a][b], before, after)
        steps.append(step)
    return _product(steps)


def _mixture(node: Node, space: WorldSpace) -> Column:
    parts = [
        part.mapping(("weight", "prior"), needs="weight prior")
        for part in node.sequence("a list of {weight, prior}")
    ]
    weights = [probability(part["weight"]) for part in parts]
    _check_total(node, weights)
    total: Column = constant(ZERO, space.size)
    for part, weight in zip(parts, weights, strict=True):
        prior = read_prior(part["prior"], space).weights
        total = _as_column(lift(lambda t, p, w=weight: t + w * p, total, prior), space.size)
    return total


KINDS: dict[str, Callable[[Node, WorldSpace], Column]] = {
    "worlds": _worlds,
    "iid": _iid,
    "independent": _independent,
    "markov": _markov,
    "mixture": _mixture,
}


def distribution(node: Node, space: WorldSpace) -> list[Fraction]:
    """The distribution {value: p} of a `node` over the values of a record of `space`, by code."""
    row = [ZERO] * len(space.record_values)
    for code, value in by_code(node, space, "probabilities"):
        row[code] = probability(value)
    _check_total(node, row)
    return row


def by_code(node: Node, space: WorldSpace, what: str) -> Iterator[tuple[int, Node]]:
    """The entries of a `node`, a mapping from values of a record of `space`; `what` names it in
    errors."""
    seen: set[int] = set()
    for key, value in node.mapping(what=f"a mapping from values to {what}").entries:
        code = _value_code(key, space)
        if code in seen:
            said = f"the value '{space.value_names[code]}' is given twice"
            raise key.fail("S504", said, "leave one of the two out")
        seen.add(code)
        yield code, value


def probability(node: Node) -> Fraction:
    """A number in [0, 1], which a `node` is."""
    value = node.number("a probability")
    if not 0 <= value <= 1:
        said = f"the probability {value} is not in [0, 1]"
        raise node.fail("S504", said, exact.share(value))
    return value


def _value_code(key: Scalar, space: WorldSpace) -> int:
    code = space.value_code(key.text)
    if code is None:
        names = space.value_names
        hint = choice(key.text, names, "values")
        raise key.fail("S504", f"'{key.text}' is not a value of a record", hint)
    return code


def _check_total(node: Node, weights: Sequence[Fraction]) -> None:
    total = exact.total(weights)
    if total != 1:
        said = f"the probabilities sum to {total}, must be 1 (off by {abs(total - 1)})"
        raise node.fail("S504", said, exact.completed(weights))


def _stationary(node: Node, rows: list[list[Fraction]], names: Sequence[str]) -> list[Fraction]:
    """The stationary distribution of a transition matrix, on the values it can reach."""
    from flint import fmpq, fmpq_mat

    live = [code for code, row in enumerate(rows) if any(row)]
    if not live:
        said = "a stationary distribution needs transition probabilities"
        raise node.fail("S502", said, "write a distribution such as {0: 1/2, 1: 1/2}")
    for code in live:
        if sum(rows[code]) != 1 or any(p and to not in live for to, p in enumerate(rows[code])):
            said = "every value that is reached needs transition probabilities"
            hint = f"write under `transition` a row for each of: {', '.join(names[:20])}"
            raise node.fail("S502", said, hint)
    size = len(live)
    system = [[rows[a][b] - (a == b) for a in live] for b in live]
    system[-1] = [ONE] * size
    matrix = fmpq_mat(size, size, [fmpq(x.numerator, x.denominator) for r in system for x in r])
    right = fmpq_mat(size, 1, [fmpq(int(at == size - 1)) for at in range(size)])
    try:
        found = matrix.solve(right)
    except ZeroDivisionError:
        said = "the chain has more than one stationary distribution"
        hint = f"write one, such as {{{names[live[0]]}: 1}}"
        raise node.fail("S502", said, hint) from None
    first = [ZERO] * len(rows)
    for at, code in enumerate(live):
        first[code] = Fraction(int(found[at, 0].p), int(found[at, 0].q))
    return first


def _codes(space: WorldSpace, record: int) -> Column:
    return Column(tuple(range(len(space.record_values))), space.record_codes[record])


def _by_value(space: WorldSpace, record: int, row: Sequence[Fraction]) -> Column:
    return _as_column(lift(row.__getitem__, _codes(space, record)), space.size)


def _product(parts: list[Column]) -> Column:
    return reduce(lambda a, b: _as_column(lift(mul, a, b), a.size), parts)


def _as_column(value: Column | Fraction, size: int) -> Column:
    return value if isinstance(value, Column) else constant(value, size)


def _column(weights: list[Fraction]) -> Column:
    return _as_column(
        lift(lambda i: weights[i], Column(tuple(range(len(weights))), np.arange(len(weights)))),
        len(weights),
    )


def _total(weights: Column) -> Fraction:
    counts = np.bincount(weights.codes, minlength=len(weights.values)).tolist()
    pairs: Iterable[tuple[Any, int]] = zip(weights.values, counts, strict=True)
    return sum((value * count for value, count in pairs if count), ZERO)


def prior_of(space: WorldSpace, weights: Prior | Sequence[Fraction | int | str]) -> Prior:
    """A prior over `space` with these `weights` of its worlds, in order; InputError S504."""
    if isinstance(weights, Prior):
        return weights
    row = [exact.number(weight) for weight in weights]
    total = exact.total(row)
    if len(row) != space.size or total != 1 or min(row) < 0:
        said = f"{len(row)} probabilities for {space.size} worlds, which sum to {total}"
        raise InputError("S504", said, hint="write one for each world, at least 0, that sum to 1")
    return Prior.of(_column(row))
