"""A note on the answer of a check about a program: the worst output lies on a clamp."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from verifier.base.document import Note, Scalar
from verifier.base.errors import InputError, LimitReached
from verifier.mechanisms import known_exactly
from verifier.programs.run import clamps, run_program
from verifier.questions.answer import Answer
from verifier.questions.claim import ComparisonClaim
from verifier.questions.witness import OutputWitness
from verifier.spec.asked import Asked
from verifier.world.mechanism import Mechanism
from verifier.world.space import WorldSpace


def clamped_notes(asked: Asked, answer: Answer) -> list[Note]:
    """N106 where clamped noise makes an answer worse; nothing where this takes too long."""
    with suppress(LimitReached, MemoryError):
        return _clamped(asked, answer)
    return []


def _clamped(asked: Asked, answer: Answer) -> list[Note]:
    """N106: without clamps, or with twice the range of noise, the worst output of a program that
    violates its level unexpectedly would be at most half as far above it."""
    witness, claim, program = answer.witness, asked.claim, asked.check.program()
    if asked.expected == "violated":
        return []
    if program is None or not isinstance(claim, ComparisonClaim):
        return []
    if not isinstance(witness, OutputWitness):
        return []
    at = clamps(program)
    if not at or claim.compared is not claim.mechanism or claim.level.exp_epsilon is None:
        return []
    worlds = [claim.space.index(name) for name in witness.before.pair]
    if None in worlds:
        return []
    output, level = witness.output, claim.level.exp_epsilon
    other, how = _otherwise(asked, claim.space, program, output)
    before = _ratio(*(_likelihood(claim.mechanism, output, w or 0) for w in worlds))
    after = _ratio(*(_likelihood(other, output, w or 0) for w in worlds))
    if after is None or (before is not None and 2 * (after - level) > before - level):
        return []
    message = (
        f"the noise is clamped, which makes the worst output, {output}, worse: {how} its ratio "
        f"would be {_brief(after)}, not {_brief(before)}"
    )
    return [Note("N106", message, program.at(*at[0]))]


def _otherwise(
    asked: Asked, space: WorldSpace, program: Scalar, output: str
) -> tuple[Mechanism, str]:
    """A `program` over a `space` without clamps, or with wider ones where that is not possible or
    has not the same `output`; and which of the two, in words."""
    secrets = asked.check.model.secrets
    with suppress(InputError, LimitReached):
        free = known_exactly(run_program(space, program, secrets, free=True))
        if output in free.outputs:
            return free, "without clamps"
    wider = known_exactly(run_program(space, program, secrets, wider=True))
    return wider, "with about twice the range"


def _ratio(left: Fraction, right: Fraction) -> Fraction | None:
    """The larger likelihood over the smaller; None where that is infinite, 0 where both are 0."""
    low, high = sorted((left, right))
    return high / low if low else None if high else Fraction(0)


def _brief(ratio: Fraction | None) -> str:
    if ratio is None or ratio > 10**100:
        return "infinite" if ratio is None else "above 1e100"
    return f"about {float(ratio):.6g}" if ratio else "0"


def _likelihood(mechanism: Mechanism, output: str, world: int) -> Fraction:
    if output not in mechanism.outputs:
        return Fraction(0)
    code: int = mechanism.codes[mechanism.outputs.index(output), world]
    return mechanism.values[code]
