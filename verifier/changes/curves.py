"""What two answers say for all values of a real parameter: where each holds, and its level there.

Both are compared value by value, exactly: where one was asked about, held, or had a level, and at
which values the level of the other one is larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

from verifier.base import exact, parameters
from verifier.base.errors import InputError
from verifier.base.parameters import Choice
from verifier.base.rational_function import parts, quotient
from verifier.changes.statements import Statement
from verifier.changes.statuses import (
    LEAKS_LESS,
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
)
from verifier.kernels.regions import Interval, Region, refined, satisfying
from verifier.kernels.roots import between, compare
from verifier.questions.curve import Curve, Stretch, read_interval

LEVEL = "the smallest level e^ε"
NEARER = 10  # times that a rational is sought nearer to an end
Wish = Mapping[str, Any] | None


def moved(old: Curve, new: Curve, same_level: bool = True) -> list[Statement]:
    """How the answer for all values of a parameter changed, at the values that both are about.

    old, new    the answers about two mechanisms, to one question
    same_level  whether at one level too, so that verdicts are compared
    """
    risen, fallen = LEAKS_MORE, LEAKS_LESS
    if new.quantity:  # such as an expected error, of which more is neither better nor worse
        risen = fallen = PROMISES_OTHERWISE
    found = [*_verdicts(old, new)] if same_level else []
    found += _levels(old, new, new.quantity or LEVEL, risen, fallen)
    traded = dict(new.tradeoff)
    for alpha, stretches in old.tradeoff:
        deltas = replace(old, stretches=stretches), replace(new, stretches=traded.get(alpha, ()))
        words = f"the smallest delta at e^ε = {alpha}"
        found += _levels(*deltas, words, LEAKS_MORE, LEAKS_LESS)
    return found if new.quantity else [*found, *_at_new_values(old, new)]


def _at_new_values(old: Curve, new: Curve) -> Iterator[Statement]:
    """Whether the level is larger for a value that is new than for all that were there before."""
    before, after = Region((old.domain,)), Region((new.domain,))
    where = refined([after, before], lambda inside: [*inside] == [True, False])
    fresh = replace(new, stretches=_within(new.stretches, where))
    if not fresh.stretches or _exceeds(old, fresh, strictly=False) is not None:
        return
    worst, told = _exceeds(fresh, old, strictly=True), f"for {where.told(new.parameter)}"
    if worst is None:
        words = f"whether {LEVEL} is larger {told} than for any value before is not known"
        yield Statement(PROMISES_OTHERWISE, "level", words)
    else:
        words = f"{LEVEL} is larger {told} than for any value before; at {new.parameter} = {worst}"
        yield Statement(LEAKS_MORE, "level", words, None, _told(fresh, worst))


def _within(stretches: Sequence[Stretch], where: Region) -> list[Stretch]:
    """The parts of some stretches in a region."""
    return [
        replace(one, interval=interval)
        for one in stretches
        for interval in refined([Region((one.interval,)), where], all).intervals
    ]


def _exceeds(one: Curve, other: Curve, strictly: bool) -> Fraction | None:
    """A rational at which one level is at least as large, or larger, than the other is anywhere;
    None where none was found, of those in the middle and near to the ends."""
    for stretch in one.stretches:
        for x in () if stretch.sense else _tried(stretch.interval):
            value = None if stretch.is_infinite else stretch.at(x)
            if value is not None and exact.is_irrational(value):
                continue  # a power of e is not compared with functions of the parameter
            top, bottom = (1, 0) if value is None else value.as_integer_ratio()
            level = Stretch(other.domain, (top,), (bottom,) if bottom else (), stretch.root)
            constant = replace(other, stretches=[level])
            rest = [_larger(constant, other), _unknown(constant, other)]
            if strictly:
                whole, below = Region((other.domain,)), _larger(other, constant)
                rest = [refined([whole, below], lambda inside: [*inside] == [True, False])]
            if not any(region.intervals for region in rest):
                return x
    return None


def _tried(where: Interval) -> list[Fraction]:
    """Rationals of an interval: closed ends, the middle, and some nearer and nearer to the ends."""
    ends = ((where.low, where.low_closed), (where.high, where.high_closed))
    found = [end for end, closed in ends if closed and isinstance(end, Fraction)]
    if where.is_point:
        return found[:1]
    low = high = between(where.low, where.high)
    found.append(low)
    for _ in range(NEARER):
        low, high = between(where.low, low), between(high, where.high)
        found += [low, high]
    return found


def _levels(old: Curve, new: Curve, about: str, risen: str, fallen: str) -> Iterator[Statement]:
    """Where the level, or another number, is larger, smaller, or not found any more."""
    yield from _lost(old, new, about)
    for status, words, where in (
        (risen, "is larger", _larger(old, new)),
        (fallen, "is smaller", _larger(new, old)),
        (PROMISES_OTHERWISE, "may be larger, as it is known from one side", _unknown(old, new)),
    ):
        if where.intervals:
            yield _at_a_value(status, f"{about} {words}", old, new, where)


def _at_a_value(status: str, words: str, old: Curve, new: Curve, where: Region) -> Statement:
    """What is said of a region, with the numbers at one of its values."""
    first = where.intervals[0]
    x = first.low if first.is_point else between(first.low, first.high)
    told = [_told(curve, x) for curve in (old, new)] if isinstance(x, Fraction) else [None, None]
    at = f"; at {new.parameter} = {x}" if told[0] else ""
    return Statement(status, "level", f"{words} for {where.told(new.parameter)}{at}", *told)


def _told(curve: Curve, x: Fraction) -> str:
    """The level at a rational, in words."""
    one = curve.at(x)
    if one.is_infinite:
        return "infinite"
    found = f"{one.sense} {one.at(x)}".lstrip()
    return found if one.root == 1 else f"({found})^(1/{one.root})"


def _verdicts(old: Curve, new: Curve) -> Iterator[Statement]:
    """Where it holds, is violated, or is undecided otherwise than before."""
    for status, words, before, after in (
        (LEAKS_MORE, "it held, and is violated", "holds", "violated"),
        (LEAKS_LESS, "it was violated, and holds", "violated", "holds"),
        (PROMISES_LESS, "it held, and is undecided", "holds", "undecided"),
        (PROMISES_LESS, "it was violated, and is undecided", "violated", "undecided"),
        (PROMISES_OTHERWISE, "it was undecided, and is violated", "undecided", "violated"),
        (PROMISES_MORE, "it was undecided, and holds", "undecided", "holds"),
    ):
        where = _parts(old)[before].within(_parts(new)[after])
        if where.intervals:
            yield Statement(status, "region", f"{words} for {where.told(new.parameter)}")


def _parts(curve: Curve) -> dict[str, Region]:
    """The values for which a check holds, is violated, and is undecided."""
    asked, holds = Region((curve.domain,)), curve.region
    unknown = Region(tuple(curve.undecided))
    violated = refined([asked, holds, unknown], lambda inside: [*inside] == [True, False, False])
    known = refined([holds, unknown], lambda inside: [*inside] == [True, False])
    return {"holds": known, "violated": violated, "undecided": unknown}


def _lost(old: Curve, new: Curve, about: str) -> Iterator[Statement]:
    """Where a level was found, and is found no more though the check is decided."""
    had, has = (Region(tuple(one.interval for one in curve.stretches)) for curve in (old, new))
    known = Region((new.domain,)), Region(tuple(new.undecided))
    where = refined([had, known[0], has, known[1]], lambda x: [*x] == [True, True, False, False])
    if where.intervals:
        words = f"{about} is found no more for {where.told(new.parameter)}"
        yield Statement(PROMISES_LESS, "level found", words)


def _larger(one: Curve, other: Curve) -> Region:
    """The values at which the level of the other curve is larger than that of one."""
    found = []
    for here, there, where in _meeting(one, other):
        if here.sense or there.sense or here.is_infinite:
            continue
        if there.is_infinite:
            found.append(Region((where,)))
            continue
        degree, name = lcm(here.root, there.root), one.parameter
        less, more = (
            quotient(name, part.top, part.bottom) ** (degree // part.root) for part in (here, there)
        )
        found.append(where_larger(name, less, more, where))
    return refined(found, any)


def expected(old: Wish, new: Wish) -> Iterator[Statement]:
    """How what a file expects for all values of a parameter changed.

    old, new  as in a report: `region`, where the check is to hold, and `leakage`, piece by piece
    """
    name = (new or old or {}).get("parameter", "")
    before, after = (_region((wish or {}).get("region")) for wish in (old, new))
    yield from _elsewhere("expect", "where it is expected to hold", before, after, name)
    ours, theirs = _asserted(old), _asserted(new)
    if [text for _, text in ours] == [text for _, text in theirs]:
        for (one, text), (other, _) in zip(ours, theirs, strict=True):
            yield from _elsewhere("leakage", f"where {text} is asserted", one, other, name)
        return
    status = PROMISES_OTHERWISE if ours and theirs else PROMISES_LESS if ours else PROMISES_MORE
    first, second = (" or ".join(text for _, text in levels) or None for levels in (ours, theirs))
    yield Statement(status, "leakage", "the asserted leakage", first, second)


def _elsewhere(about: str, words: str, old: Region, new: Region, name: str) -> Iterator[Statement]:
    """Whether something is expected for fewer values, or else for more."""
    for status, one, other in ((PROMISES_LESS, old, new), (PROMISES_MORE, new, old)):
        if refined([one, other], lambda inside: [*inside] == [True, False]).intervals:
            yield Statement(status, about, words, old.told(name), new.told(name))
            return


def _region(intervals: Any) -> Region:
    return Region(tuple(map(read_interval, intervals or [])))


def _asserted(wish: Wish) -> list[tuple[Region, str]]:
    """The levels that are asserted, and where."""
    listed = (wish or {}).get("leakage", [])
    return [(_region(one["region"]), one.get("exp_epsilon", "infinite")) for one in listed]


def is_readable(found: Any, key: str) -> bool:
    """Whether a `curve` or a `wish` is one."""
    try:
        if key == "curve":
            Curve.of_json(found)
        else:
            list(expected(found, found))
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError, InputError):
        return False
    return True


def where_larger(name: str, less: Fraction, more: Fraction, where: Interval) -> Region:
    """The values of a parameter at which the second of two functions of it is the larger one."""
    with parameters.given(Choice(real=(name,))):
        top, bottom = parts(more - less)
    return refined([satisfying([(top, sign), (bottom, sign)], where) for sign in "<>"], any)


def _unknown(old: Curve, new: Curve) -> Region:
    """The values at which one of two different levels is known from one side only."""
    found = [
        Region((where,))
        for here, there, where in _meeting(old, new)
        if (here.sense or there.sense) and not _same(here, there)
    ]
    return refined(found, any)


def _same(one: Stretch, other: Stretch) -> bool:
    """Whether two stretches say the same, apart from where."""
    said = [(part.top, part.bottom, part.root, part.sense) for part in (one, other)]
    return said[0] == said[1]


def _meeting(one: Curve, other: Curve) -> Iterator[tuple[Stretch, Stretch, Interval]]:
    """Stretches of two curves, and where they meet; both are ascending."""
    left, right = list(one.stretches), list(other.stretches)
    while left and right:
        here, there = left[0].interval, right[0].interval
        for where in refined([Region((here,)), Region((there,))], all).intervals:
            yield left[0], right[0], where
        order = compare(here.high, there.high)
        ends_first = order < 0 or (order == 0 and not here.high_closed)
        (left if ends_first else right).pop(0)
