"""Questions on the cells of a parameter's domain, put together into one about all of its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.errors import NotDecided
from verifier.questions.claim import Claim, ComparisonClaim
from verifier.questions.pieces import OnCell, PiecesClaim
from verifier.questions.question import Question
from verifier.questions.several import AnyCell, Domain, EverywhereClaim, Sides

if TYPE_CHECKING:
    from verifier.base.cell import Cell
    from verifier.kernels.regions import Interval
    from verifier.kernels.roots import End


Point = tuple[Fraction, ...]
SINGLE = "single values are decided: a list under `parameters`, --set, or verifier sweep"


def region_question(
    parameter: str,
    domain: Interval,
    parts: Sequence[tuple[End, End, Question]],
    ask: Callable[[Cell], Question],
    has_powers: bool = False,
) -> Question:
    """The question for all values of a parameter, of those that are asked on its cells.

    parameter   its name
    domain      its values
    parts       the ends of each cell, and the question there; ascending, without gaps
    ask         the question, asked anew within a cell
    has_powers  whether powers of e may be in it

    NotDecided where there is no method for what a cell asks, or the level is one of an epsilon.
    """
    first = next((one for low, high, one in parts if low != high), parts[0][2])
    if reason := _objection(first, [type(one.claim) for _, _, one in parts]):
        raise NotDecided(f"with a parameter {reason}")
    if has_powers and domain.has_negative:
        raise NotDecided(f"powers of e stand beside {parameter}, which may be below 0")
    claim = PiecesClaim(
        first.definition,
        first.space,
        parameter,
        domain,
        [OnCell(low, high, one.claim) for low, high, one in parts],
        lambda cell: ask(cell).claim,
        first.level,
        first.delta,
        has_powers,
        scope={**_scope(first), "parameter": domain.told(parameter)},
    )
    return replace(first, claim=claim)


def _scope(question: Question) -> Mapping[str, Any]:
    """What a question on a cell quantifies over, where it is decided by its comparisons."""
    claim: Any = question.claim
    return claim.scope if is_by_pairs(claim) else {}


def everywhere_question(
    domain: Domain,
    found: Sequence[tuple[Sides, Question | None, Point]],
    ask: Callable[[Point], Question],
) -> Question:
    """The question for all values of several parameters, of those that are asked on its cells.

    domain  their values
    found   the ends of each cell, the question there, if there is a value, and a point
    ask     the question at a point

    NotDecided where there is no method for what a cell asks, or the level is one of an epsilon.
    """
    known = [(sides, one) for sides, one, _ in found if one is not None]
    whole = tuple((side.low, side.high) for side in domain.sides)
    first = next((one for sides, one in known if sides == whole), known[0][1])
    if reason := _objection(first, [type(one.claim) for _, one in known]):
        raise NotDecided(f"with several parameters {reason}")
    if getattr(first.claim, "tradeoff", ()):
        raise NotDecided("a trade-off is told for one parameter: fix all but one with --set")
    claim = EverywhereClaim(
        first.definition,
        first.space,
        domain,
        [AnyCell(sides, one and one.claim, point) for sides, one, point in found],
        lambda point: ask(point).claim,
        first.level,
        first.delta,
        scope={**_scope(first), "parameter": domain.told()},
    )
    return replace(first, claim=claim)


def is_by_pairs(claim: Claim) -> bool:
    """Whether a `claim` is decided by its comparisons alone: then it asks for one level, and not of
    a known distribution of records."""
    if not isinstance(claim, ComparisonClaim):
        return False
    priors: Any = claim.relation.statement.get("priors") or {}
    return not claim.tradeoff and priors.get("class", "") != "hedging"


def _objection(question: Question, kinds: Sequence[type]) -> str | None:
    """Why there is no method for all values of a parameter; None where there is one.

    question  what is asked on a cell
    kinds     the classes of the claims on all cells
    """
    kind = type(question.claim)
    if question.level is not None and question.level.exp_epsilon is None:
        return "the level is a number: write exp_epsilon"
    if question.claim.on_cell is None:
        return f"there is no method {_about(question)}"
    if set(kinds) != {kind}:
        return f"the method is another for other values, {_about(question)}"
    return None


def _about(question: Question) -> str:
    """What a question is about, in words, and what is decided of it."""
    priors = ""
    if question.priors is not None:
        told = question.priors.statement(question.space, question.pairs)["class"]
        priors = f" with priors {told}"
    return f"for {question.definition}{priors}; {SINGLE}"
