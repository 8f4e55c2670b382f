"""What got worse between two lines, by their numbers; what these cannot tell counts as worse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.level import Level, at_most
from verifier.changes import curves
from verifier.changes.curves import Moved
from verifier.changes.lines import Line, is_number
from verifier.changes.statuses import (
    LEAKS_LESS,
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    UNDECIDED,
    worst_first,
)
from verifier.claims.curve import Curve

VALUES = ("sensitivity", "parallel_composition")  # a larger value needs more noise


class Difference(NamedTuple):
    """One respect in which a check has changed: its status, and what it is in words."""

    status: str
    words: str


def differences(before: Line, after: Line) -> tuple[Difference, ...]:
    """What has changed from one line of a check to another, the worst first.

    >>> from dataclasses import replace
    >>> level = {"exp_epsilon": "4", "delta": "0"}
    >>> line = Line("a.yaml", None, "blowfish", None, level, {"exp_epsilon": "3"}, "holds", "holds",
    ...             None, "sha256:1", "sha256:2")
    >>> differences(line, replace(line, leakage={"exp_epsilon": "7/2"}, digest="sha256:3"))
    (Difference(status='leaks more', words='the smallest e^ε rose: 3 -> 7/2'),)
    """
    found = [*expectation(before, after), *_question(before, after), *_answer(before, after)]
    return worst_first(found)


def expectation(before: Line, after: Line) -> Iterator[Difference]:
    """How what a file expects of a check has changed."""
    if before.expected != after.expected:
        status = PROMISES_MORE if after.expected == "holds" else PROMISES_LESS
        said = f"the expectation has turned: {before.expected} -> {after.expected}"
        yield Difference(status, said)
    if before.asserted != after.asserted:
        yield _asserted(before.asserted, after.asserted)
    for one in curves.expected(before.wish, after.wish):
        yield _moved(one)


def _asserted(before: str | None, after: str | None) -> Difference:
    """How the leakage that a file asserts has changed."""
    if before is None or after is None:
        status, verb = (PROMISES_MORE, "new") if before is None else (PROMISES_LESS, "gone")
        return Difference(status, f"the asserted leakage is {verb}: {after or before}")
    (low, high), (least, most) = _interval(before), _interval(after)
    told = f"{before} -> {after}"
    if low <= least and most <= high:
        return Difference(PROMISES_MORE, f"the asserted leakage was narrowed: {told}")
    if least <= low and high <= most:
        return Difference(PROMISES_LESS, f"the asserted leakage was widened: {told}")
    return _otherwise(f"the asserted leakage is another one: {told}")


def _interval(text: str) -> tuple[Any, Any]:
    if text == "infinite":
        return math.inf, math.inf
    ends = text.strip("[]").split(",")
    return exact.number(ends[0]), exact.number(ends[-1])


def _question(before: Line, after: Line) -> Iterator[Difference]:
    """How the question has changed, as far as its digests and its level tell."""
    if not (before.digest and after.digest):
        yield Difference(UNDECIDED, "the question could not be written down")
    elif before.digest == after.digest:
        return
    elif not after.promise or before.promise != after.promise:
        yield _otherwise("the question is another one, and not only in its mechanism and level")
    elif (before.level is None) != (after.level is None):
        yield _otherwise("only one side has a level")
    elif before.level and after.level:
        yield from _levels(before.level, after.level)


def _otherwise(said: str) -> Difference:
    return Difference(PROMISES_OTHERWISE, said)


def _levels(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    """How the level and delta have changed."""
    if not all(map(is_number, (*before.values(), *after.values()))):
        if before != after:
            yield _otherwise(f"the level is another function: {_of_level(before, after)}")
        return
    old, new = _level(before), _level(after)
    if not at_most(new, old):
        yield Difference(PROMISES_LESS, f"the level was raised: {_of_level(before, after)}")
    elif not at_most(old, new):
        yield Difference(PROMISES_MORE, f"the level was lowered: {_of_level(before, after)}")
    least, most = exact.number(before["delta"]), exact.number(after["delta"])
    told = f"{before['delta']} -> {after['delta']}"
    if most > least:
        yield Difference(PROMISES_LESS, f"the delta was raised: {told}")
    elif most < least:
        yield Difference(PROMISES_MORE, f"the delta was lowered: {told}")


def _level(found: Mapping[str, str]) -> Level:
    if "epsilon" in found:
        return Level(epsilon=exact.number(found["epsilon"]))
    return Level(exp_epsilon=exact.number(found["exp_epsilon"]))


def _of_level(*levels: Mapping[str, str]) -> str:
    return " -> ".join(
        f"ε {found['epsilon']}" if "epsilon" in found else f"e^ε {found['exp_epsilon']}"
        for found in levels
    )


def _answer(before: Line, after: Line) -> Iterator[Difference]:
    """How the verdict and the smallest level have changed."""
    if after.verdict == before.verdict == "undecided":
        if before.digest != after.digest:
            yield Difference(UNDECIDED, "it was undecided, and is so now")
        return
    if after.verdict == "undecided":
        yield Difference(PROMISES_LESS, "it was decided, and is now undecided")
        return
    if before.verdict == "undecided":
        found = f"it was undecided, and is now decided: {after.verdict}"
        is_news = after.verdict == "violated" and before.digest != after.digest
        yield Difference(PROMISES_OTHERWISE if is_news else PROMISES_MORE, found)
        return
    if after.vacuous and not before.vacuous:
        yield Difference(PROMISES_LESS, "now there is nothing to compare")
    if (before.verdict, after.verdict) == ("holds", "violated"):
        yield Difference(LEAKS_MORE, "it held, and is now violated")
    elif before.verdict != after.verdict:
        yield Difference(LEAKS_LESS, "it was violated, and now holds")
    yield from _leakage(before, after)
    yield from functions(before, after)


def functions(before: Line, after: Line) -> Iterator[Difference]:
    """How the answers for all values of a parameter have changed, where both are decided."""
    if before.curve is None and after.curve is None:
        return
    if before.curve is None or after.curve is None:
        yield _otherwise("only one side is about all values of a parameter")
        return
    same_delta = (before.level or {}).get("delta") == (after.level or {}).get("delta")
    try:
        old, new = map(Curve.of_json, (dict(before.curve), dict(after.curve)))
        for one in curves.moved(old, new, same_delta=same_delta):
            yield _moved(one)
    except LimitReached as limit:
        yield _otherwise(f"the functions of the parameter could not be compared ({limit})")


def _moved(one: Moved) -> Difference:
    told = f": {one.before or 'none'} -> {one.after or 'none'}" if one.before or one.after else ""
    return Difference(one.status, f"{one.words}{told}")


def _leakage(before: Line, after: Line) -> Iterator[Difference]:
    old, new = _ends(before.leakage), _ends(after.leakage)
    if new is None and old is not None:
        yield Difference(PROMISES_LESS, "its smallest level is no longer found")
    if old is None and before.curve is None and _is_open(before, after):
        yield _otherwise("its smallest level was not found before, and the mechanism has changed")
    if old is None or new is None or old == new or after.vacuous:
        return
    about, told = _about(after), f"{_text(before.leakage)} -> {_text(after.leakage)}"
    if "value" in (after.leakage or {}) and after.definition not in VALUES:
        yield _otherwise(f"the {about} has changed: {told}")
    elif (before.level or {}).get("delta") != (after.level or {}).get("delta"):
        yield _otherwise(f"the {about} is one at another delta: {told}")
    elif new[0] > old[1]:
        yield Difference(LEAKS_MORE, f"the {about} rose: {told}")
    elif new[1] < old[0]:
        yield Difference(LEAKS_LESS, f"the {about} fell: {told}")
    else:
        yield Difference(LEAKS_MORE, f"the {about} may have risen: {told}")


def _is_open(before: Line, after: Line) -> bool:
    """Whether another question has the same verdict, by which no level is promised to hold."""
    violated = before.verdict == after.verdict == "violated"
    return violated and before.level is not None and before.digest != after.digest


def _about(line: Line) -> str:
    return "value" if "value" in (line.leakage or {}) else "smallest e^ε"


def _ends(leakage: Mapping[str, Any] | None) -> tuple[Any, Any] | None:
    """Between which numbers a leakage lies; without bound the two are infinite."""
    if leakage is None:
        return None
    if leakage.get("infinite"):
        return math.inf, math.inf
    if "lower" in leakage and "closed" not in leakage:
        return exact.number(leakage["lower"]), exact.number(leakage["upper"])
    value = exact.number(_exactly(leakage))
    return value, value


def _exactly(leakage: Mapping[str, Any]) -> str:
    """The number that a leakage is, as text."""
    known = (leakage[key] for key in ("value", "closed", "exp_epsilon") if key in leakage)
    return str(next(known, "1"))


def _text(leakage: Mapping[str, Any] | None) -> str:
    known = leakage or {}
    if known.get("infinite"):
        return "infinite"
    if "lower" in known and "closed" not in known:
        return f"between {known['lower']} and {known['upper']}"
    return _exactly(known)
