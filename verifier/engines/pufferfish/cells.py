"""What is compared where priors are the points of a cone: ordered pairs of secrets and events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

from verifier.base import exact
from verifier.base.cell import innermost
from verifier.kernels.segments import ONE, Cell, Point, Slices, scaled
from verifier.questions.claim import PolytopeClaim
from verifier.questions.evidence import ConePrior


def cells(claim: PolytopeClaim) -> Iterator[tuple[Slices, Cell]]:
    """All pairs of possible secrets of a claim in both orders, and all outputs; with delta,
    events."""
    outputs = range(len(claim.mechanism.outputs))
    families = [outputs] if claim.delta else [range(o, o + 1) for o in outputs]
    places, kind = range(len(families[0])), Slices
    asked = [claim.level.exp_epsilon or ONE, *chain(*claim.mass.values()), *numbers(claim)]
    if not claim.cone.is_whole or any(map(exact.is_irrational, asked)):
        from verifier.kernels.irrational import IrrationalSlices

        kind = IrrationalSlices
    events = list(chain.from_iterable(combinations(places, k + 1) for k in places))
    for names in claim.pairs:
        if not claim.impossible.keys().isdisjoint(names):
            continue
        (b, d), unit = scaled(*(claim.mass[name] for name in names))
        slices = kind(claim.cone, b, d, unit)
        for family in families:
            yield from ((slices, cell) for cell in _cells(claim, names, family, events, b, d, unit))


def numbers(claim: PolytopeClaim) -> Iterator[Fraction]:
    """The delta and the probabilities of a claim; with a parameter, which may stand in the priors
    alone, those of secrets and outputs too."""
    yield claim.delta
    yield from claim.mechanism.values
    if innermost() is not None:
        for name in claim.mass:
            for output in range(len(claim.mechanism.outputs)):
                yield from claim.joint(name, output)


def _cells(
    claim: PolytopeClaim,
    names: tuple[str, str],
    family: Sequence[int],
    events: Iterable[Sequence[int]],
    b: list[Any],
    d: list[Any],
    unit: int,
) -> Iterator[Cell]:
    """Both orders of a pair, and events: places in a family of outputs."""
    joint = [[x * unit for x in claim.joint(name, o)] for name in names for o in family]
    (*rows, (scale, loss)), _ = scaled(*joint, [ONE, claim.delta])
    of_first, of_second = rows[: len(family)], rows[len(family) :]
    for event in events:
        first, second = (_total([side[k] for k in event]) for side in (of_first, of_second))
        outputs = tuple(family[k] for k in event)
        excess = _total([first, [-loss * x for x in b]])
        yield Cell(names, outputs, excess, b, second, d, scale)
        excess = _total([second, [-loss * x for x in d]])
        yield Cell((names[1], names[0]), outputs, excess, d, first, b, scale, turned=True)


def cell_of(claim: PolytopeClaim, needs: ConePrior) -> Cell:
    """The cell that evidence is about."""
    family = [needs.output] if needs.output is not None else needs.outputs or ()
    (b, d), unit = scaled(*(claim.mass[name] for name in needs.pair))
    return next(_cells(claim, needs.pair, family, [range(len(family))], b, d, unit))


def _total(rows: Sequence[list[Any]]) -> list[Any]:
    return rows[0] if len(rows) == 1 else [sum(column) for column in zip(*rows, strict=True)]


def dense(claim: PolytopeClaim, point: Point) -> list[Fraction]:
    """All coordinates of a point, of sum 1."""
    total = sum(point.values())
    return [exact.over(point.get(at, 0), total) for at in range(claim.cone.size)]
