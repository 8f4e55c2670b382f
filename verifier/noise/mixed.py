"""Events of whole and real draws: a real draw is a whole number and a fraction, which are split.

A draw x is k + u with a whole k and 0 <= u < 1. Of an exponential draw the two are independent, as
its density is a product; a Laplace draw is one of these with either sign; on an interval k is one
of finitely many. A comparison of whole draws and such x is L + s >= 0 with a whole L and a sum s of
fractions, so that it is L + floor(s) >= 0. In a cell where each floor(s) is given, there are
comparisons of whole draws alone and comparisons of fractions alone.

A real draw that hangs from a whole one, by comparisons with nothing else, stays what it is: its
probability is a function of the whole draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor

from verifier.base.errors import LimitReached
from verifier.noise.draws import (
    EXPONENTIAL,
    FRACTION,
    INTERVAL,
    LAPLACE,
    STEPS,
    WHOLE_PART,
    Condition,
    Draw,
    Law,
    Linear,
    Path,
)
from verifier.noise.events import Event, events
from verifier.noise.trees import Graph

MAX_CELLS = 100_000


@dataclass(frozen=True)
class Split:
    """A real draw as sign · (whole + fraction), with the probability of that sign or a factor.

    end  the sum of the two is at most that, where that is not a whole number
    """

    sign: int
    weight: Fraction
    whole: Draw
    fraction: Draw
    end: Fraction | None = None


@dataclass
class _Limit:
    """How many floors have been tried."""

    count: int = 0

    def step(self) -> None:
        """One more; LimitReached past the limit."""
        self.count += 1
        if self.count > MAX_CELLS:
            said = f"whole and real draws are compared in more than {MAX_CELLS} cells"
            raise LimitReached(said)


def loose(event: Event) -> list[int]:
    """The real draws of an event with whole ones that do not hang from these."""
    if len({law.whole for law in event.laws}) == 1:
        return []
    hung: set[int] = set()
    for leaf, inner in reversed(Graph.of(event).fold()):
        if not event.laws[leaf].whole and (event.laws[inner].whole or inner in hung):
            hung.add(leaf)
    return [i for i, law in enumerate(event.laws) if not law.whole and i not in hung]


def cells(event: Event) -> Iterator[tuple[Fraction, list[Event]]]:
    """Products of events, with weights, that add up to an `event` of whole and real draws.

    In each of them the real draws that are left hang from whole ones. LimitReached where there are
    too many cells.
    """
    draws = [Draw(i, law) for i, law in enumerate(event.laws)]
    reals = [draws[i] for i in loose(event)]
    limit = _Limit()
    for chosen in product(*(_splits(draw, len(draws)) for draw in reals)):
        splits = dict(zip(reals, chosen, strict=True))
        forms, alone, weight = [], [], Fraction(1)
        for terms, constant in event.conditions:
            form = Linear(tuple((draws[i], factor) for i, factor in terms), constant)
            whole, fractions = _parted(form, splits)
            if fractions.terms:
                forms.append((whole, fractions))
            else:
                alone.append(Condition.of(whole.plus(constant)))
        for split in chosen:
            weight *= split.weight
            if split.end is not None:
                both = {split.whole: -1}, {split.fraction: -1}
                forms.append((Linear.of(both[0], 0), Linear.of(both[1], split.end)))
        start = Path().plus(alone)
        for inside, path in _floors(forms, Path(), start, limit) if start is not None else ():
            yield weight, [*events(path), *events(inside)]


def _splits(draw: Draw, size: int) -> list[Split]:
    """A real `draw` of an event with `size` draws as whole numbers and fractions."""
    law, numbers = draw.law, (size + draw.number, 2 * size + draw.number)
    if law.kind == INTERVAL:
        steps = ceil(law.parameter)
        whole = Draw(numbers[0], Law(STEPS, Fraction(steps)))
        fraction = Draw(numbers[1], Law(INTERVAL, Fraction(1)))
        end = law.parameter if steps != law.parameter else None
        return [Split(1, steps / law.parameter, whole, fraction, end)]
    whole = Draw(numbers[0], Law(WHOLE_PART, law.parameter))
    fraction = Draw(numbers[1], Law(FRACTION, law.parameter))
    if law.kind == EXPONENTIAL:
        return [Split(1, Fraction(1), whole, fraction)]
    assert law.kind == LAPLACE, law
    return [Split(sign, Fraction(1, 2), whole, fraction) for sign in (1, -1)]


def _parted(form: Linear, splits: dict[Draw, Split]) -> tuple[Linear, Linear]:
    """The sum without its constant, fractions apart: these with the constant."""
    whole: dict[Draw, int | Fraction] = {}
    fractions: dict[Draw, int | Fraction] = {}
    for draw, factor in form.terms:
        split = splits.get(draw)
        if split is None:
            whole[draw] = factor
        else:
            whole[split.whole] = factor * split.sign
            fractions[split.fraction] = factor * split.sign
    return Linear.of(whole, 0), Linear.of(fractions, form.constant)


def _floors(
    forms: Sequence[tuple[Linear, Linear]], inside: Path, path: Path, limit: _Limit
) -> Iterator[tuple[Path, Path]]:
    """For each choice of the floors of sums of fractions that is possible: what it says of the
    fractions, and of the whole draws. Added to what `inside` and `path` say."""
    if not forms:
        yield inside, path
        return
    (whole, fractions), *rest = forms
    factors = [factor for _, factor in fractions.terms]
    least = floor(sum(min(f, 0) for f in factors) + fractions.constant)
    most = ceil(sum(max(f, 0) for f in factors) + fractions.constant)
    for k in range(least, most):
        limit.step()
        between = [Condition.of(fractions.plus(-k)), Condition.of(fractions.times(-1).plus(k + 1))]
        within, longer = inside.plus(between), path.plus([Condition.of(whole.plus(k))])
        if within is not None and longer is not None:
            yield from _floors(rest, within, longer, limit)
