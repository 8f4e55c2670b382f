"""`exponential`: a candidate with probability proportional to base^score (McSherry, Talwar 2007).

With sensitivity Δ of the score, base = e^(ε/(2Δ)) gives ε-differential privacy.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verifier.column import lift
from verifier.document import Node
from verifier.errors import InputError
from verifier.language.values import literal, show
from verifier.mechanism import Mechanism
from verifier.mechanisms import Context
from verifier.worlds import evaluate

MAX_SCORE = 10_000
MAX_BITS = 10**6


def read(node: Node, context: Context) -> Mechanism:
    """`{candidates: [a, b], score: "count(value == candidate)", base: 2}`; whole scores."""
    options = node.mapping(("candidates", "score", "base"), needs="candidates score base")
    base = options["base"].number("a positive base")
    if base <= 0:
        raise options["base"].fail("S110", f"the base must be positive, found {base}")
    candidates = [
        literal(item.scalar("a candidate").text)
        for item in options["candidates"].sequence("a list")
    ]
    if not candidates or len(set(candidates)) < len(candidates):
        raise options["candidates"].fail("S110", "candidates must be different, at least one")
    expression = options["score"].scalar("an expression")
    scores = [
        evaluate(context.space, expression, context.secrets, {"candidate": candidate})
        for candidate in candidates
    ]
    weights = options["score"].placed(
        lambda: [lift(lambda score: _weight(base, score), score) for score in scores]
    )
    total = weights[0]
    for weight in weights[1:]:
        total = lift(Fraction.__add__, total, weight)
    rows = [lift(Fraction.__truediv__, weight, total) for weight in weights]
    return Mechanism.from_columns([show(candidate) for candidate in candidates], rows)


def _weight(base: Fraction, score: Any) -> Fraction:
    if type(score) is not int or abs(score) > MAX_SCORE:
        raise InputError(
            "S110",
            f"scores must be whole numbers between -{MAX_SCORE} and {MAX_SCORE}, found {score}; "
            "scale the score and take a root of the base",
        )
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(score) > MAX_BITS:
        raise InputError("S110", f"the base to the score has more than {MAX_BITS} binary digits")
    return base**score
