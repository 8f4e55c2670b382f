"""Single priors: distributions over the worlds, exact.

`uniform`, `{worlds: {name: p}}`, `{iid: {value: p}}`, `{independent: [{value: p}, …]}`,
`{markov: {initial: …, transition: …}}`, `{tree: {parents: …, initial: …, transition: …}}`,
`{mixture: [{weight, prior}, …]}`, `{weight: EXPRESSION}`. Where public constraints remove worlds,
priors over records are conditioned on what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import prod
from operator import mul
from typing import Any

import numpy as np

from verifier.base import exact, histograms
from verifier.base.document import Node, Scalar
from verifier.base.errors import InputError, choice
from verifier.base.nouns import Later, Shown, dataclass
from verifier.questions.beliefs.records import (
    check_total,
    distribution,
    probability,
    read_chain,
    read_tree,
)
from verifier.world.mechanism import Column, constant, lift
from verifier.world.single import Single
from verifier.world.space import brief, is_number, needs_records
from verifier.world.worlds import WorldSpace, evaluate

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class Prior(Shown, Later):
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
        return Prior(column([weight * share for weight, share in both]))

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
    if key.text in ("iid", "independent", "markov", "tree") and not space.records:
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
    check_total(node, weights)
    return column(weights)


def _iid(node: Node, space: WorldSpace) -> Column:
    row = distribution(node, space)
    return _product([_by_value(space, record, row) for record in range(len(space.records))])


def _alike(space: WorldSpace, row: Sequence[Fraction] | None) -> Column:
    """The weights of histograms: of all lists of records, or of records with one distribution."""
    assert space.counts is not None
    table = space.counts.T.tolist()
    if row is None:
        return column([Fraction(histograms.multiplicity(counts)) for counts in table])
    return column(
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


def _markov(node: Node, space: WorldSpace) -> Column:
    first, known = read_chain(node, space)
    steps = [_by_value(space, 0, first)]
    for record in range(1, len(space.records)):
        before, after = (_codes(space, record - 1), _codes(space, record))
        step = lift(lambda a, b: known[a][b], before, after)
        steps.append(step)
    return _product(steps)


def _tree(node: Node, space: WorldSpace) -> Column:
    tree = read_tree(node, space)
    parts = []
    for record, parent in enumerate(tree.parents):
        if parent < 0:
            parts.append(_by_value(space, record, tree.initial))
        else:
            rows = tree.transitions[tree.chosen[record]]
            before, after = (_codes(space, one) for one in (parent, record))
            parts.append(lift(lambda a, b, rows=rows: rows[a][b], before, after))
    return _product(parts)


def _mixture(node: Node, space: WorldSpace) -> Column:
    parts = [
        part.mapping(("weight", "prior"), needs="weight prior")
        for part in node.sequence("a list of {weight, prior}")
    ]
    weights = [probability(part["weight"]) for part in parts]
    check_total(node, weights)
    total: Column = constant(ZERO, space.size)
    for part, weight in zip(parts, weights, strict=True):
        prior = read_prior(part["prior"], space).weights
        total = _as_column(lift(lambda t, p, w=weight: t + w * p, total, prior), space.size)
    return total


def _by_formula(node: Node, space: WorldSpace) -> Column:
    """The weights that an expression about the world has, which need not sum to 1."""
    expression = node.scalar("an expression")
    found = evaluate(space, expression)
    used = {found.values[code] for code in np.unique(found.codes).tolist()}
    for weight in used:
        if not is_number(weight):
            said = f"a weight is a number, found {brief(weight)}"
            raise expression.fail("S306", said, "write numbers, such as 2 if ann == bob else 1")
        if weight < 0:
            world = space.name(found.tolist().index(weight))
            said = f"the weight of the world '{world}' is {exact.text(weight)}, below 0"
            raise expression.fail("S504", said, "write weights of 0 or more, such as max(0, …)")
    return _as_column(lift(exact.number, found), space.size)


KINDS: dict[str, Callable[[Node, WorldSpace], Column]] = {
    "worlds": _worlds,
    "iid": _iid,
    "independent": _independent,
    "markov": _markov,
    "tree": _tree,
    "mixture": _mixture,
    "weight": _by_formula,
}


def _codes(space: WorldSpace, record: int) -> Column:
    return Column(tuple(range(len(space.record_values))), space.record_codes[record])


def _by_value(space: WorldSpace, record: int, row: Sequence[Fraction]) -> Column:
    return _as_column(lift(row.__getitem__, _codes(space, record)), space.size)


def _product(parts: list[Column]) -> Column:
    return reduce(lambda a, b: _as_column(lift(mul, a, b), a.size), parts)


def _as_column(value: Column | Fraction, size: int) -> Column:
    return value if isinstance(value, Column) else constant(value, size)


def column(weights: list[Fraction]) -> Column:
    """The column of the `weights` of all worlds."""
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
    return Prior.of(column(row))
