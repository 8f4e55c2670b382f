"""What a check found before and after a change: levels, verdicts, numbers and curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from verifier.base import exact
from verifier.base.level import Leakage
from verifier.changes import curves
from verifier.changes.curves import LEVEL
from verifier.changes.statements import Side, Statement, ends, logarithm
from verifier.changes.statuses import (
    LEAKS_LESS,
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    SAME,
)
from verifier.claims.claim import ComparisonClaim
from verifier.kernels import hockey_stick

Curve = Mapping[Fraction, Fraction]  # level e^ε -> the smallest delta


def measured(before: Side, after: Side, asks_more: bool) -> Iterator[Statement]:
    """What is found on either side, and differs.

    before, after  the two sides
    asks_more      whether the mechanism is the same, and at least as much is asked of it: then a
                   larger level is no leak
    """
    yield from _verdicts(before, after)
    yield from _functions(before, after, asks_more)
    if "undecided" in (before.answer.verdict, after.answer.verdict):
        return
    if before.answer.delta == after.answer.delta:
        yield from _levels(before, after, asks_more)
    else:
        yield from _levels_at_other_deltas(before, after)
    yield from _numbers(before, after)
    yield from _curves(before, after, asks_more)


def _verdicts(before: Side, after: Side) -> Iterator[Statement]:
    old, new = before.answer.verdict, after.answer.verdict
    if new == "undecided" != old:
        reason = after.answer.reason or after.reason
        words = f"undecided now ({reason}); the verdict" if reason else "undecided now; the verdict"
        yield Statement(PROMISES_LESS, "verdict", words, old, new)
    elif old == "undecided" != new:
        is_news = new == "violated" and before.content != after.content  # nobody knows of what
        status = PROMISES_OTHERWISE if is_news else PROMISES_MORE
        yield Statement(status, "verdict", "decided now; the verdict", old, new)
    elif (old, new) == ("holds", "violated"):
        yield Statement(LEAKS_MORE, "verdict", "the verdict", old, new, shown=after.answer.shown)
    elif (old, new) == ("violated", "holds"):
        yield Statement(LEAKS_LESS, "verdict", "the verdict", old, new)
    if after.vacuous and not before.vacuous:
        yield Statement(PROMISES_LESS, "vacuous", "nothing is compared any more")
    elif before.vacuous and not after.vacuous and new != "undecided":
        yield Statement(PROMISES_MORE, "vacuous", "something is compared now")


def _functions(before: Side, after: Side, asks_more: bool) -> Iterator[Statement]:
    """The answers for all values of a parameter."""
    old, new = before.answer.curve, after.answer.curve
    if old is None and new is None:
        return
    if old is None or new is None:
        if "undecided" not in (before.answer.verdict, after.answer.verdict):
            words = "only one side is about all values of a parameter"
            yield Statement(PROMISES_OTHERWISE, "parameter", words)
        return
    same_delta = before.answer.delta == after.answer.delta
    for one in curves.moved(old, new, asks_more, same_delta):
        shown = after.answer.shown if one.status == LEAKS_MORE else None
        yield Statement(one.status, one.about, one.words, one.before, one.after, shown=shown)


def order(old: Leakage, new: Leakage) -> int | None:
    """1 where the `new` smallest level is larger than the `old` one, -1 where smaller, else 0.

    None where enclosures overlap, so that it is not known.
    """
    ours, theirs = ends(old), ends(new)
    if ours is None or theirs is None:
        return (theirs is None) - (ours is None)
    if theirs[0] > ours[1]:
        return 1
    if theirs[1] < ours[0]:
        return -1
    return 0 if ours[0] == ours[1] == theirs[0] == theirs[1] else None


def told(leakage: Leakage) -> str:
    """A smallest level: exact, an enclosure, or `infinite`."""
    found = ends(leakage)
    if found is None:
        return "infinite"
    low, high = found
    return exact.text(low) if low == high else f"[{float(low):.9g}, {float(high):.9g}]"


def _levels(before: Side, after: Side, asks_more: bool) -> Iterator[Statement]:
    old, new = before.answer.leakage, after.answer.leakage
    if before.vacuous or after.vacuous or old is None:
        return
    if new is None:
        yield Statement(PROMISES_LESS, "level found", f"{LEVEL} is found no more", told(old), None)
        return
    change = order(old, new)
    if change is None and not (asks_more and old == new):
        words = f"whether {LEVEL} rose is not decided, as enclosures overlap"
        yield Statement(PROMISES_OTHERWISE, "overlap", words, told(old), told(new))
    elif change == 1 and asks_more:
        yield _moved(SAME, f"{LEVEL} of an unchanged mechanism of which more is asked", old, new)
    elif change == 1:
        yield _moved(LEAKS_MORE, LEVEL, old, new, after)
    elif change == -1:
        yield _moved(LEAKS_LESS, LEVEL, old, new)


def _moved(
    status: str, words: str, old: Leakage, new: Leakage, side: Side | None = None
) -> Statement:
    """A statement about two levels that differ."""
    ours, theirs = ends(old), ends(new)
    factor = None
    if ours and theirs:
        factor = theirs[1] / ours[1]
    difference = logarithm(factor, signed=True) if ours else "no longer infinite"
    return Statement(
        status,
        "level",
        words,
        told(old),
        told(new),
        factor=factor if old.exp_epsilon and new.exp_epsilon else None,
        epsilon=(logarithm(ours and ours[1]), logarithm(theirs and theirs[1]), difference),
        shown=side.answer.shown if side else None,
    )


def _levels_at_other_deltas(before: Side, after: Side) -> Iterator[Statement]:
    """Smallest levels at two deltas: one that rose at a larger delta did so at the old one."""
    old, new = before.answer, after.answer
    if old.leakage is None or new.leakage is None or before.vacuous or after.vacuous:
        return
    change = order(old.leakage, new.leakage)
    words = f"{LEVEL}, at delta {old.delta} before and {new.delta} after"
    if change == 1 and new.delta > old.delta:
        yield _moved(LEAKS_MORE, words, old.leakage, new.leakage, after)
    elif change == -1 and new.delta < old.delta:
        yield _moved(LEAKS_LESS, words, old.leakage, new.leakage)
    elif change != 0:
        both = told(old.leakage), told(new.leakage)
        yield Statement(PROMISES_OTHERWISE, "level", f"{words} is not compared", *both)


WORSE = {"sensitivity": "the sensitivity", "parallel_composition": "what runs leak together"}


def _numbers(before: Side, after: Side) -> Iterator[Statement]:
    """Numbers that a definition asks for: a sensitivity that rose is a leak, others are neutral."""
    old, new = before.answer.value, after.answer.value
    if old is None or new is None or old == new:
        return
    definition = after.question.definition if after.question else ""
    ends = exact.text(old), exact.text(new)
    if definition in WORSE:
        status = LEAKS_MORE if new > old else LEAKS_LESS
        shown = after.answer.shown if new > old else None
        yield Statement(status, "value", WORSE[definition], *ends, factor=None, shown=shown)
    else:
        yield Statement(PROMISES_OTHERWISE, "value", "the number found", *ends)


def _curves(before: Side, after: Side, asks_more: bool) -> Iterator[Statement]:
    """The smallest delta at levels that either side asks for."""
    alphas = sorted({alpha for side in (before, after) for alpha, _ in side.answer.tradeoff})
    if before.vacuous or after.vacuous or not alphas:
        return
    old, new = _curve(before, alphas), _curve(after, alphas)
    missing = [exact.text(alpha) for alpha in alphas if alpha in old and alpha not in new]
    if missing:
        words = "the smallest delta is told no more at e^ε"
        yield Statement(
            PROMISES_LESS, "delta found", words, names=tuple(missing), count=len(missing)
        )
    both = [alpha for alpha in alphas if alpha in old and alpha in new]
    rose = [alpha for alpha in both if new[alpha] > old[alpha]]
    fell = [alpha for alpha in both if new[alpha] < old[alpha]]
    risen = SAME if asks_more else LEAKS_MORE
    for status, found in ((risen, rose), (LEAKS_LESS, fell)):
        if found:
            worst = max(found, key=lambda alpha: abs(new[alpha] - old[alpha]))
            words = f"the smallest delta at e^ε = {worst}"
            ends = exact.text(old[worst]), exact.text(new[worst])
            yield Statement(status, "delta", words, *ends)


def _curve(side: Side, alphas: Sequence[Fraction]) -> Curve:
    """The smallest delta at each level where it is known: as found, or by the mechanism itself."""
    known = dict(side.answer.tradeoff)
    claim = side.question.claim if side.question else None
    rest = [alpha for alpha in alphas if alpha not in known]
    if rest and isinstance(claim, ComparisonClaim) and claim.has_curve:
        found = hockey_stick.largest_delta(claim.compared, claim.relation.pairs(), rest)
        known |= dict(zip(rest, found, strict=True))
    return known
