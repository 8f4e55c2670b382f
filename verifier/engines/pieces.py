"""Deciding for which values of a parameter a claim of linear programs holds, piece by piece.

At a sample the engine of the claim decides, with functions of the parameter as its numbers. All
signs that it asks for are recorded (`verifier.base.cell`): up to the nearest roots of these
polynomials its answer is the same, so that is one piece. Each end is decided by itself, and what
lies beyond it with a sample of its own.

Example. A bit is told with probability p, 1/2 < p < 1, to somebody whose prior is any mixture of
two. Where p/(1 − p) is the smallest level at one sample, the same multipliers, as functions, prove
it for all p.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from verifier.base import parameters, registry
from verifier.base.cell import AtRoot, Cell, Root, Varies
from verifier.base.errors import LimitReached, NotDecided, TimeLimitReached
from verifier.base.exact import number
from verifier.base.formula import MAX_LENGTH
from verifier.base.level import NO_COMPARISON
from verifier.base.parameters import Choice
from verifier.base.rational_function import parts
from verifier.checker.numbers import read_function
from verifier.checker.signs import dense
from verifier.engines.comparison import region as comparisons
from verifier.engines.comparison.region import merged, region_of
from verifier.kernels.regions import Interval, Region
from verifier.kernels.roots import End, between, compare, enclosed, real_roots
from verifier.questions.answer import Answer, Proof, answer_section
from verifier.questions.cells import is_by_pairs
from verifier.questions.claim import Claim, NetworkClaim
from verifier.questions.curve import Curve, Stretch, end_json, interval_json, read_interval
from verifier.questions.evidence import PiecesEvidence, SaidRegion
from verifier.questions.pieces import OnCell, PiecesClaim
from verifier.questions.question import evidence_section

SENSES = {"at_least": "at least", "at_most": "at most", "lower": "at least"}
MAX_PIECES = 500  # of a cell
DIVISIONS = 100  # of a cell where what proves an answer changes
NARROWEST = Fraction(1, 2**24)  # of a cell: what is narrower is not divided
NARROW = Fraction(1, 2**128)
SAMPLES = 20  # that are tried where one is a root
Json = dict[str, Any]
Found = tuple[End, End, Proof | str]  # a piece, and what is proved there, or why nothing is


class Changing(str):
    """Why nothing is proved on a piece, though something may be on parts of it."""


def decide(claim: PiecesClaim) -> Answer:
    """Where a claim holds, and its smallest level or value as a function; NotDecided where this is
    unknown for some values and violated for none."""
    if _is_by_pairs(claim):
        return told(claim, comparisons.prove(claim))
    found = [one for part in claim.parts for one in _of_part(claim, part)]
    proofs = [proof for _, _, proof in found if isinstance(proof, Proof)]
    verdicts = {_verdict(proof) for _, _, proof in found}
    if "violated" not in verdicts and None in verdicts:
        raise NotDecided(_unknown(claim, found))
    region = region_of([(low, high, _verdict(proof) == "holds") for low, high, proof in found])
    vacuous = all(getattr(proof.said, "leakage", None) == NO_COMPARISON for proof in proofs)
    said = SaidRegion(
        "violated" if "violated" in verdicts else "holds",
        [interval_json(interval) for interval in region.intervals],
        [_said(*one) for one in found],
        NO_COMPARISON if vacuous and len(proofs) == len(found) else None,
    )
    rule = claim.proved_by()
    evidence = [evidence_section(p, rule) if isinstance(p, Proof) else None for _, _, p in found]
    return told(claim, Proof(said, PiecesEvidence(evidence)))


def _is_by_pairs(claim: PiecesClaim) -> bool:
    """Whether a claim is decided by its comparisons alone, which are of rational functions."""
    return not claim.has_powers and all(is_by_pairs(part.claim) for part in claim.parts)


def _verdict(proof: Proof | str) -> str | None:
    found: str | None = getattr(proof.said, "verdict", None) if isinstance(proof, Proof) else None
    return found


def _unknown(claim: PiecesClaim, found: Sequence[Found]) -> str:
    """What is not known, in words."""
    unknown = region_of([(low, high, isinstance(proof, str)) for low, high, proof in found])
    reasons = dict.fromkeys(proof for _, _, proof in found if isinstance(proof, str))
    said = f"for {unknown.told(claim.parameter)}: {'; '.join(reasons)}"
    known = region_of([(low, high, _verdict(proof) == "holds") for low, high, proof in found])
    return f"{said} (it holds for {known.told(claim.parameter)})" if known.intervals else said


def _said(low: End, high: End, proof: Proof | str) -> Json:
    closed = compare(low, high) == 0
    ends = {"from": end_json(low, closed), "to": end_json(high, closed)}
    if isinstance(proof, str):
        return {**ends, "undecided": True}
    return {**ends, **answer_section(proof.said)}


def _of_part(claim: PiecesClaim, part: OnCell) -> list[Found]:
    """The pieces of a cell, ascending."""
    if part.is_point:
        return [(part.low, part.high, _at(claim, part.low, not claim.has_powers))]
    waiting, found, divided = [(part.low, part.high)], list[Found](), 0
    least = _width(part.low, part.high) * NARROWEST
    while waiting:
        low, high = waiting.pop(max(range(len(waiting)), key=lambda at: _width(*waiting[at])))
        if compare(low, high) == 0:
            network = isinstance(part.claim, NetworkClaim) and isinstance(low, Root)
            found.append((low, high, _at(claim, low, not (network or claim.has_powers))))
            continue
        if len(found) > MAX_PIECES:
            found.append((low, high, f"over {MAX_PIECES} pieces"))
            continue
        below, above, proof = _around(claim, low, high)
        if compare(above, high):
            waiting += [(above, high), (above, above)]
        if isinstance(proof, Changing) and divided < DIVISIONS and _width(below, above) > least:
            middle, divided = between(below, above), divided + 1
            waiting += [(middle, above), (middle, middle), (below, middle)]
        else:
            found.append((below, above, proof))
        if compare(low, below):
            waiting += [(below, below), (low, below)]
    order = cmp_to_key(compare)
    return _glued(sorted(found, key=lambda one: (order(one[0]), order(one[1]))))


def _width(low: End, high: End) -> Fraction:
    """About how far two ends are apart."""
    (x, _), (_, y) = (enclosed(end, NARROW) for end in (low, high))
    return y - x


def _glued(found: Sequence[Found]) -> list[Found]:
    """Pieces without the single numbers between parts of what stays unknown; one that violates is
    kept where no interval does."""
    violated = any(_verdict(proof) == "violated" and compare(x, y) for x, y, proof in found)
    glued = list[Found]()
    for one in found:
        glued.append(one)
        (first, _, before), (x, y, inside), (_, last, after) = ([one] * 3 + glued)[-3:]
        if not (compare(x, y) == 0 and all(isinstance(p, Changing) for p in (before, after))):
            continue
        if violated or _verdict(inside) != "violated":
            glued[-3:] = [(first, last, after)]
        violated |= _verdict(inside) == "violated"
    return glued


def _at(claim: PiecesClaim, x: End, reduces: bool = True) -> Proof | str:
    """What is proved at one number; an irrational one is first enclosed as narrowly as most signs
    need it. Where little is done with functions it `reduces` none of them."""
    if isinstance(x, Root):
        x = Root(x.polynomial, *x.enclosed(NARROW))
    return _proof(claim, Cell(claim.parameter, x, x, x, reduces=reduces))


def _around(claim: PiecesClaim, low: End, high: End) -> Found:
    """What is proved around a sample in an interval, as far as it is the same."""
    sample = between(low, high)
    for _ in range(SAMPLES):
        cell = Cell(claim.parameter, low, high, sample)
        try:
            proof = _proof(claim, cell)
        except AtRoot:
            sample = between(low, sample)
            continue
        return (*nearest(cell, low, high, sample), proof)
    return low, high, "no sample was found"


def nearest(cell: Cell, low: End, high: End, sample: Fraction) -> tuple[End, End]:
    """The nearest roots around a sample of what its cell has recorded, or the ends."""
    for polynomial in cell.recorded:
        for root in real_roots(polynomial, low, high):
            if compare(root, sample) < 0:
                low = root
            else:
                high = root
                break
    return low, high


def _proof(claim: PiecesClaim, cell: Cell) -> Proof | str:
    """What the engine of a claim proves in a cell, or why it proves nothing."""
    try:
        with cell:
            inner = claim.ask(cell)
            found: Proof = engine_of(inner).prove(inner)
            return found
    except TimeLimitReached:
        raise
    except Varies as limit:
        return Changing(limit)
    except (NotDecided, LimitReached) as limit:
        return str(limit)


def engine_of(claim: Claim) -> Any:
    """The module that decides a claim whose numbers are functions."""
    assert claim.on_cell is not None
    return registry.ENGINES.module(claim.on_cell)


def told(claim: PiecesClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; a violation has a rational value where there is
    one, and a witness there, which is found again."""
    said = proof.said
    assert isinstance(said, SaidRegion)
    region = Region(tuple(read_interval(part) for part in said.region))
    pieces = [(read_interval(part), part) for part in said.pieces]
    leveled = [stretch for one in pieces for stretch in _stretches(claim, *one)]
    unknown = region_of([(i.low, i.high, "undecided" in part) for i, part in pieces])
    violated = [interval for interval, part in pieces if part.get("verdict") == "violated"]
    simple = [between(i.low, i.high) for i in violated if not i.is_point]
    simple += [i.low for i in violated if i.is_point and isinstance(i.low, Fraction)]
    value = min(simple, key=lambda x: (x.denominator, x), default=None)
    asked = parts(claim.level.alpha) if claim.level is not None else ((), ())
    stretches = merged(_without_exceptions(leveled, region, asked))
    answer = Answer(
        said.verdict,
        said.leakage,
        proof=proof,
        scope=dict(claim.scope),
        level=claim.level,
        delta=claim.delta,
        curve=Curve(
            claim.parameter,
            claim.domain,
            stretches,
            region,
            value,
            unknown.intervals,
            claim.parts[0].claim.quantity,
            _traded(claim, pieces),
        ),
    )
    if said.verdict == "holds":
        return answer
    if value is None:
        return replace(answer, reason=f"it is violated for single irrational {claim.parameter}")
    shown = _decided_at(claim, value)
    reason = f"violated at {claim.parameter} = {value}"
    return replace(answer, shown=shown.shown, made=shown.made, reason=reason)


def _decided_at(claim: PiecesClaim, x: Fraction) -> Answer:
    """The answer for one value of the parameter."""
    if _is_by_pairs(claim):
        return comparisons.decide_at(claim, x)
    cell = Cell(claim.parameter, x, x, x)
    with cell:
        inner = claim.ask(cell)
        found: Answer = engine_of(inner).decide(inner)
        return found


def _traded(
    claim: PiecesClaim, pieces: Sequence[tuple[Interval, Mapping[str, Any]]]
) -> Sequence[tuple[Fraction, Sequence[Stretch]]]:
    """Each level of a trade-off that is asked for, with the smallest delta there as a function."""
    found = []
    for at, alpha in enumerate(getattr(claim.parts[0].claim, "tradeoff", ())):
        said = [(i, part["tradeoff"][at][1]) for i, part in pieces if "tradeoff" in part]
        with parameters.given(Choice(real=(claim.parameter,))):
            deltas = [Stretch(i, *parts(number(delta))) for i, delta in said]
        found.append((alpha, merged(deltas)))
    return found


def _without_exceptions(
    stretches: Sequence[Stretch], region: Region, asked: tuple[Any, Any]
) -> list[Stretch]:
    """The stretches. A single number is no exception where all that is said beside it is that the
    level asked for is enough, or not enough: there it is alike, whatever more is known."""
    found = list(stretches)
    for at in range(1, len(found) - 1):
        before, one, after = found[at - 1 : at + 2]
        said = [(part.top, part.bottom, part.root, part.sense) for part in (before, after)]
        if said != [(*asked, 1, before.sense)] * 2 or not one.interval.is_point:
            continue
        if before.sense == ("at most" if region.has(one.interval.low) else "at least"):
            found[at] = replace(before, interval=one.interval)
    return found


def _stretches(claim: PiecesClaim, where: Interval, part: Mapping[str, Any]) -> Iterator[Stretch]:
    """The smallest level or the value on a piece, if there is one; of what is violated, and no more
    is said of it, the level is at least the one asked for."""
    said = {"value": part["value"]} if "value" in part else part.get("leakage")
    if said is None:
        if claim.level is not None and part.get("verdict") == "violated":
            yield Stretch(where, *parts(claim.level.alpha), sense="at least")
        return
    if "infinite" in said:
        yield Stretch(where, (1,), ())
        return
    said = {"exp_epsilon": "1"} if "vacuous" in said else said
    key = next(iter(said))  # of the ends of an enclosure, at a point, the lower one
    if len(said[key]) > MAX_LENGTH:
        return  # so long a number of an irrational point is told to nobody
    if claim.has_powers:
        with parameters.given(Choice(real=(claim.parameter,))):
            top, bottom = parts(number(said[key]))
    else:
        top, bottom = map(dense, read_function(said[key], (claim.parameter,)))
    yield Stretch(where, top, bottom, int(said.get("root", 1)), SENSES.get(key, ""))
