"""Which of two mechanisms tells more: Blackwell's order of experiments, decided exactly.

A mechanism is at most as informative as another one where it is a post-processing of it (Blackwell
1951). Then it is no worse for any definition that post-processing cannot hurt, at every level, for
every prior and pair: its module says why, as `CLOSED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from verifier.base.errors import LimitReached, NotDecided
from verifier.base.registry import DEFINITIONS
from verifier.changes.matching import matched, on_common
from verifier.changes.statements import Change
from verifier.changes.statuses import LEAKS_MORE, UNDECIDED
from verifier.definitions import post_processing
from verifier.questions.answer import Answer
from verifier.questions.question import Question
from verifier.questions.simulation import InferenceClaim
from verifier.questions.witness import Mixture, PayoffWitness
from verifier.run.verify import answer
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

UNKNOWN = ("overlap", "level found", "verdict")  # statements on what is not known of a leak
EQUIVALENT, LESS_INFORMATIVE = "equivalent", "less informative"
MORE_INFORMATIVE, INCOMPARABLE = "more informative", "incomparable"


@dataclass(frozen=True, eq=False)
class Comparison:
    """How informative a new mechanism is beside an old one.

    relation    the new mechanism is `equivalent`, `less informative`, `more informative`,
                `incomparable`, or it is `undecided`
    processing  of the old mechanism's outputs: output -> output of the new one -> probability;
                None where the new one is none, or where it is too long to be told
    gain        a payoff that the new mechanism earns and no post-processing of the old one does
    forward     the accepted answer whether the new one is a post-processing of the old one
    backward    the other way round
    only        names of worlds that only the side before has, and only the side after: left out
    reason      why it is undecided
    """

    relation: str
    processing: Mapping[str, Mapping[str, Fraction]] | None = None
    gain: PayoffWitness | None = None
    forward: Answer | None = None
    backward: Answer | None = None
    only: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    reason: str = ""

    @property
    def harmless(self) -> bool:
        """Whether the new mechanism is a post-processing of the old one, on all worlds."""
        return self.relation in (EQUIVALENT, LESS_INFORMATIVE) and not any(self.only)


def blackwell(
    before: tuple[WorldSpace, Mechanism],
    after: tuple[WorldSpace, Mechanism],
    time_limit: float | None = None,
) -> Comparison:
    """Which of two mechanisms tells more about the worlds that both know.

    before, after  the worlds and the mechanism over them, on either side of a change
    time_limit     seconds for each of the two questions

    Over a limit it is undecided, with the reason.
    """
    if before[1].reals or after[1].reals:
        return Comparison(UNDECIDED, reason="real numbers are released")
    try:
        worlds = matched(before[0], after[0])
        both = on_common(before, after)
    except LimitReached as limit:
        return Comparison(UNDECIDED, reason=str(limit))
    only = tuple(worlds.gone), tuple(worlds.new)
    if both is None:
        return Comparison(UNDECIDED, only=only, reason="no world is on both sides")
    old, new = both
    names = after[0].names(at for _, at in worlds.common)
    space = WorldSpace(len(names), given=tuple(names))
    try:
        forward = _made(space, new, "before", old, time_limit)
        backward = _made(space, old, "after", new, time_limit)
    except (LimitReached, NotDecided, MemoryError) as limit:
        return Comparison(UNDECIDED, only=only, reason=str(limit) or "memory limit reached")
    return _said(forward, backward, only)


def _made(
    space: WorldSpace, wanted: Mechanism, name: str, given: Mechanism, time_limit: float | None
) -> Answer:
    """The accepted answer whether a mechanism is a post-processing of a given one."""
    asked = post_processing.question(space=space, mechanism=wanted, of={name: given})
    return answer(asked, time_limit=time_limit)


def _said(
    forward: Answer, backward: Answer, only: tuple[tuple[str, ...], tuple[str, ...]]
) -> Comparison:
    relation = {
        ("holds", "holds"): EQUIVALENT,
        ("holds", "violated"): LESS_INFORMATIVE,
        ("violated", "holds"): MORE_INFORMATIVE,
        ("violated", "violated"): INCOMPARABLE,
    }[forward.verdict, backward.verdict]
    made, gain = forward.made, forward.witness
    return Comparison(
        relation,
        made.parts[0].post_processing if isinstance(made, Mixture) else None,
        gain if isinstance(gain, PayoffWitness) else None,
        forward,
        backward,
        only,
    )


def closed(question: Question) -> str | None:
    """Why no post-processing can hurt the definition of a `question`; None where that is not known.

    The inference form is not known to be closed: posteriors after merged outputs are averages with
    other weights for the mechanism than for its simulator.
    """
    if isinstance(question.claim, InferenceClaim):
        return None
    found: str | None = DEFINITIONS.module(question.definition).CLOSED
    return found


def cannot_leak(question: Question, mechanisms: Comparison) -> bool:
    """Whether the new mechanism cannot leak more than the old one under an old question.

    question    that was asked of the old mechanism
    mechanisms  what `blackwell` says of both

    No smallest level can rise, if no post-processing can hurt the definition.
    """
    processed = mechanisms.relation in (EQUIVALENT, LESS_INFORMATIVE)
    return processed and not question.mechanisms and closed(question) is not None


def contradiction(question: Question, change: Change, mechanisms: Comparison) -> str | None:
    """What contradicts itself: a larger smallest level about a mechanism that is a post-processing
    of the old one; None where nothing does.

    question    that was asked of the old mechanism
    change      what `compare` says
    mechanisms  what `blackwell` says of both mechanisms
    """
    if not (cannot_leak(question, mechanisms) and any(change.having(LEAKS_MORE))):
        return None
    return "the new mechanism is a post-processing of the old one, yet more was found to leak"
