"""What two lines of a check expect and found, and what of it differs.

Levels are compared under one question only: `found` is for two lines that ask the same, of two
mechanisms. Whether they do is for `compare` to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.changes import curves
from verifier.changes.curves import LEVEL
from verifier.changes.lines import Line
from verifier.changes.statements import Statement, listing, logarithm
from verifier.changes.statuses import (
    LEAKS_LESS,
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    UNDECIDED,
)
from verifier.questions.curve import Curve
from verifier.questions.witness import Witness

WORSE = {"sensitivity": "the sensitivity", "parallel_composition": "what runs leak together"}
Leakage = Mapping[str, Any]


def expected(before: Line, after: Line) -> Iterator[Statement]:
    """How what a file expects of a check differs.

    before, after  its lines
    """
    old, new = before.expected, after.expected
    if old != new:
        turned = PROMISES_MORE if new == "holds" else PROMISES_OTHERWISE
        yield Statement(PROMISES_LESS if old == "holds" else turned, "expect", "expect", old, new)
    if before.asserted != after.asserted:
        status = _asserted(before.asserted, after.asserted)
        words = "the interval of the leakage"
        yield Statement(status, "leakage", words, before.asserted, after.asserted)
    yield from curves.expected(before.wish, after.wish)


def _asserted(old: str | None, new: str | None) -> str:
    """Whether an interval is inside another one, or has it inside."""
    if old is None or new is None:
        return PROMISES_MORE if old is None else PROMISES_LESS
    (low, high), (least, most) = _interval(old), _interval(new)
    if most > high or (most == high and least < low):
        return PROMISES_LESS
    return PROMISES_MORE


def _interval(text: str) -> tuple[Any, Any]:
    if text == "infinite":
        return math.inf, math.inf
    ends = text.strip("[]").split(",")
    return exact.number(ends[0]), exact.number(ends[-1])


def state(before: Line, after: Line, reason: str = "") -> Iterator[Statement]:
    """Whether a check is decided and compares something, now and before.

    before, after  its lines
    reason         why it is undecided now, where that is known
    """
    old, new = before.verdict, after.verdict
    if new == "undecided" != old:
        words = f"undecided now ({reason}); the verdict" if reason else "undecided now; the verdict"
        yield Statement(PROMISES_LESS, "verdict", words, old, new)
    elif old == "undecided" != new:
        is_news = new == "violated" and before.digest != after.digest  # nobody knows of what
        status = PROMISES_OTHERWISE if is_news else PROMISES_MORE
        yield Statement(status, "verdict", "decided now; the verdict", old, new)
    elif old == new == "undecided" and before.digest != after.digest:
        yield Statement(UNDECIDED, "verdict", "it was undecided, and is so now")
    if after.vacuous and not before.vacuous:
        yield Statement(PROMISES_LESS, "vacuous", "nothing is compared any more")
    elif before.vacuous and not after.vacuous and new != "undecided":
        yield Statement(PROMISES_MORE, "vacuous", "something is compared now")


def is_decided(line: Line) -> bool:
    """Whether the answer of a `line` says something of what it is asked about."""
    return line.verdict != "undecided" and not line.vacuous


def differing_answers(
    before: Line, after: Line, shown: Witness | None = None, where: str = ""
) -> Iterator[Statement]:
    """What two mechanisms leak under one question, and differs.

    before, after  the answers about either, both decided
    shown          the worst case of the second one
    where          what the question is, in words that follow others
    """
    if before.level == after.level and before.verdict != after.verdict:
        risen = after.verdict == "violated"
        status = LEAKS_MORE if risen else LEAKS_LESS
        ends, worst = (before.verdict, after.verdict), shown if risen else None
        yield Statement(status, "verdict", f"the verdict{where}", *ends, shown=worst)
    for one in (*_levels(before, after), *_functions(before, after), *_curves(before, after)):
        worst = shown if one.status == LEAKS_MORE and one.about != "delta" else None
        yield replace(one, words=f"{one.words}{where}", shown=worst)


def _levels(before: Line, after: Line) -> Iterator[Statement]:
    """Smallest levels, or other numbers that a definition asks for."""
    old, new = before.leakage, after.leakage
    if old is None:
        if before.level is not None and before.curve is None:
            words = "the smallest level was not found before, and the mechanism changed"
            yield Statement(PROMISES_OTHERWISE, "level found", words)
        return
    if new is None:
        yield Statement(PROMISES_LESS, "level found", f"{LEVEL} is found no more", _told(old), None)
        return
    about, change = LEVEL, order(old, new)
    if "value" in new:
        about = WORSE.get(after.definition, "the number found")
        if change and after.definition not in WORSE:
            yield Statement(PROMISES_OTHERWISE, "value", about, _told(old), _told(new))
            return
    if change is None:
        words = f"whether {about} rose is not decided, as enclosures overlap"
        yield Statement(PROMISES_OTHERWISE, "overlap", words, _told(old), _told(new))
    elif change:
        yield _moved(LEAKS_MORE if change == 1 else LEAKS_LESS, about, old, new)


def order(old: Leakage, new: Leakage) -> int | None:
    """1 where the `new` smallest level is larger than the `old` one, -1 where smaller, else 0.

    None where enclosures overlap, so that it is not known.

    >>> order({"value": "3"}, {"value": "4"})
    1
    """
    ends = bool(old.get("infinite")), bool(new.get("infinite"))
    if any(ends):
        return ends[1] - ends[0]
    ours, theirs = _ends(old), _ends(new)
    if theirs[0] > ours[1]:
        return 1
    if theirs[1] < ours[0]:
        return -1
    return 0 if ours[0] == ours[1] == theirs[0] == theirs[1] else None


def _ends(leakage: Leakage) -> tuple[Any, Any]:
    """Between which numbers a leakage lies; without bound the two are infinite."""
    if leakage.get("infinite"):
        return math.inf, math.inf
    known = [leakage[key] for key in ("value", "closed", "exp_epsilon") if key in leakage]
    texts = known * 2 or [leakage["lower"], leakage["upper"]]
    return exact.number(texts[0]), exact.number(texts[1])


def _told(leakage: Leakage) -> str:
    """A smallest level: exact, an enclosure, or `infinite`."""
    low, high = _ends(leakage)
    if low == math.inf:
        return "infinite"
    return exact.text(low) if low == high else f"[{float(low):.9g}, {float(high):.9g}]"


def _moved(status: str, words: str, old: Leakage, new: Leakage) -> Statement:
    """A statement about two levels, or values, that differ."""
    if "value" in new:
        return Statement(status, "value", words, _told(old), _told(new))
    ours, theirs = (_rational(one) for one in (old, new))
    factor = theirs / ours if ours and theirs else None
    difference = logarithm(factor, signed=True) if ours else "no longer infinite"
    exactly = all(set(one) <= {"exp_epsilon", "attained"} for one in (old, new))
    return Statement(
        status,
        "level",
        words,
        _told(old),
        _told(new),
        factor=factor if exactly else None,
        epsilon=(logarithm(ours), logarithm(theirs), difference),
    )


def _rational(leakage: Leakage) -> Fraction | None:
    """A level, or a rational just above it; None where it is infinite."""
    found = leakage.get("upper", leakage.get("exp_epsilon"))
    return None if found is None else exact.number(found)


def _functions(before: Line, after: Line) -> Iterator[Statement]:
    """The answers for all values of a parameter."""
    if before.curve is None and after.curve is None:
        return
    if before.curve is None or after.curve is None:
        words = "only one side is about all values of a parameter"
        yield Statement(PROMISES_OTHERWISE, "parameter", words)
        return
    try:
        old, new = map(Curve.of_json, (dict(before.curve), dict(after.curve)))
        yield from curves.moved(old, new, before.level == after.level)
    except LimitReached as limit:
        words = f"the functions of the parameter could not be compared ({limit})"
        yield Statement(PROMISES_OTHERWISE, "level", words)


def contradict(before: Line, after: Line) -> bool:
    """Whether two lines about one question, both decided, cannot both be true.

    before, after  the lines
    """
    if "undecided" in (before.verdict, after.verdict):
        return False
    said = [(line.level, line.leakage, line.verdict, line.promise) for line in (before, after)]
    return said[0] != said[1] or any(_functions(before, after))


def _curves(before: Line, after: Line) -> Iterator[Statement]:
    """The smallest delta at levels that either side asks for."""
    old, new = (tradeoff(line) for line in (before, after))
    missing = [exact.text(alpha) for alpha in old if alpha not in new]
    if missing:
        words = "the smallest delta is told no more at e^ε"
        yield listing(PROMISES_LESS, "delta found", words, missing)
    both = [alpha for alpha in old if alpha in new]
    rose = [alpha for alpha in both if new[alpha] > old[alpha]]
    fell = [alpha for alpha in both if new[alpha] < old[alpha]]
    for status, alphas in ((LEAKS_MORE, rose), (LEAKS_LESS, fell)):
        if alphas:
            worst = max(alphas, key=lambda alpha: abs(new[alpha] - old[alpha]))
            ends = exact.text(old[worst]), exact.text(new[worst])
            yield Statement(status, "delta", f"the smallest delta at e^ε = {worst}", *ends)


def tradeoff(line: Line) -> dict[Fraction, Fraction]:
    """The smallest delta at levels e^ε, as a `line` tells it."""
    points = line.tradeoff or ()
    return {exact.number(at["exp_epsilon"]): exact.number(at["delta"]) for at in points}
