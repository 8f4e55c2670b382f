"""What a file expects over an interval of a real parameter: where a check holds, and the smallest
level there as a function."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from verifier.base import exact, parameters
from verifier.base.document import Mapping, Sequence
from verifier.base.errors import NotDecided
from verifier.spec.asked import PIECES, VERDICTS, Wish, pieces_of, read_wish, wanted_level
from verifier.spec.options import Check

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval, Region
    from verifier.questions.answer import Answer
    from verifier.questions.curve import Stretch
    from verifier.questions.several import Domain
    from verifier.spec.several import Several
    from verifier.spec.symbolic import Over


def wish_over(check: Check, over: Over | Several, domain: Interval | Domain | None) -> Wish:
    """What a file expects of a check over the values of real parameters.

    over    about the parameters
    domain  the values of them that the check is about
    """
    if not over.name or domain is None:
        return read_wish(check, of_functions=True)
    with parameters.given(over.choice):
        return _over_interval(check.item, cast("Over", over), cast("Interval", domain))


def _over_interval(item: Mapping, over: Over, domain: Interval) -> Wish:
    """What is expected over an interval of the real parameter."""
    node, level = item.table.get("expect"), item.table.get("leakage")
    whole = over.part(None, domain)
    region: Region | None
    if isinstance(node, Mapping):
        wanted = node.mapping(("holds",), "where it holds", "holds")["holds"]
        region = over.part(wanted, domain)
        expected = "holds" if region.same(whole) else "violated"
    else:
        expected = node.word(VERDICTS, "expectation") if node else "holds"
        region = None if expected == "violated" else whole
    if level is None:
        return Wish(expected, None, region)
    if not isinstance(level, Sequence):
        return Wish(expected, None, region, ((whole, wanted_level(level)),))
    if not level.items or not all(isinstance(item, Sequence) for item in level):
        raise level.fail("S607", "over an interval the leakage is a function, or pieces", PIECES)
    pieces = pieces_of(level)
    for where, _ in pieces:
        if not over.part(where, over.domain).intervals:
            raise where.fail("S805", f"no value of {over.name} fulfils it", "leave the piece out")
    curve = tuple((over.part(where, domain), wanted_level(value)) for where, value in pieces)
    return Wish(expected, None, region, curve)


def mismatch(answer: Answer, wish: Wish, name: str) -> str | None:
    """How an answer over an interval differs from what is expected, in words.

    answer  that the checker has accepted
    wish    what is expected
    name    of the parameter

    NotDecided where what is expected is not known.
    """
    from verifier.kernels.regions import Region, refined

    curve = answer.curve
    if curve is None:
        constant = answer.leakage.exp_epsilon if answer.leakage else None
        if all(level == constant for _, level in wish.curve or ()):
            return None
        return f"expected another leakage, it is the same for all {name}"
    unknown = Region(tuple(curve.undecided))
    if wish.region is not None:
        if refined([curve.region, wish.region, unknown], _differ).intervals:
            told = (one.told(name) for one in (wish.region, curve.region))
            wanted, found = (one if one == "nowhere" else f"where {one}" for one in told)
            return f"expected to hold {wanted}, it holds {found}"
        if unknown.intervals:
            raise NotDecided(f"undecided where {unknown.told(name)}")
    if wish.curve and answer.level is None:
        return "it has no smallest level"
    for region, level in wish.curve or ():
        if (open_ := refined([region, unknown], all)).intervals:
            raise NotDecided(f"undecided where {open_.told(name)}")
        for stretch in curve.stretches:
            if not _agree(region, level, stretch, name):
                wanted = "infinite" if level is None else exact.text(level)
                where = stretch.interval.told(name)
                return f"expected the leakage {wanted}, it is {stretch.told(name)} where {where}"
    return None


def _differ(inside: Iterable[bool]) -> bool:
    """Whether a number is in one of two regions only, and not in a third."""
    found, wanted, unknown = inside
    return found != wanted and not unknown


def _agree(region: Region, level: Fraction | None, stretch: Stretch, name: str) -> bool:
    """Whether the smallest level is as expected where a region and a stretch meet; NotDecided where
    it is known from one side only."""
    from verifier.base.rational_function import parts, quotient
    from verifier.kernels.regions import Region, refined
    from verifier.kernels.roots import sign_at

    both = refined([region, Region((stretch.interval,))], all)
    if not both.intervals:
        return True
    if level is None or stretch.is_infinite:
        return level is None and stretch.is_infinite
    if stretch.sense:
        where, said = both.told(name), stretch.told(name)
        raise NotDecided(f"where {where} it is known only that the smallest level is {said}")
    gap, _ = parts(level**stretch.root - quotient(name, stretch.top, stretch.bottom))
    return not gap or all(one.is_point and not sign_at(gap, one.low) for one in both.intervals)
