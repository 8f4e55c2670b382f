"""A candidate is chosen, and those with better scores are likelier.

Syntax. `exponential: {candidates: [VALUE, …], score: EXPRESSION, base: NUMBER}`,
or with `epsilon: NUMBER, sensitivity: NUMBER` in place of `base`

Options. Candidates, score, and a base or both numbers in its place:
- `candidates`: what may be released, a list of different values
- `score`: an expression with whole values, in which `candidate` is the candidate
- `base`: a positive number; a candidate has a probability proportional to base^score. With
  base = e^(ε/(2Δ)), Δ being the sensitivity of the score, the level is at most e^ε
- `epsilon`, `sensitivity`: ε and Δ, positive rationals, for that base

With the score `-(candidate - QUERY) ** 2` and the base `exp(1/8)` it adds discrete Gaussian noise
of variance 4 to a query, on the range of the candidates.

Example. One record that is 0 or 1, base 2: the right candidate has 2/3, the wrong one 1/3.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      two:
        exponential: {candidates: [0, 1], score: count(value == candidate), base: 2}
      by_theorem:
        exponential: {candidates: [0, 1], score: ann * candidate, epsilon: 1, sensitivity: 1}
    checks:
      - differential_privacy: {exp_epsilon: 2}
        mechanism: two
        leakage: 2
      - differential_privacy: {epsilon: 1}
        mechanism: by_theorem

References. McSherry, Talwar 2007, Mechanism design via differential privacy.
"""

from __future__ import annotations

from fractions import Fraction
from operator import add, truediv
from typing import Any

from verifier.base.document import Node
from verifier.base.errors import InputError
from verifier.base.exact import is_irrational
from verifier.mechanisms import Context
from verifier.world.language.operations import plain
from verifier.world.mechanism import Mechanism, lift
from verifier.world.space import candidates, show
from verifier.world.worlds import evaluate_each

MAX_SCORE = 10_000
MAX_BITS = 10**6


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that chooses a candidate by its score.

    node     {candidates: [a, b], score: expression, base: 2}
    context  the worlds, and what the file names

    Raises S110 for candidates, a score or a base that do not fit.
    """
    options = node.mapping(
        ("candidates", "score", "base", "epsilon", "sensitivity"), needs="candidates score"
    )
    base = _base(node)
    space, secrets = context.space, context.secrets
    listed = candidates(options["candidates"], space, "a candidate", "candidates")
    expression = options["score"].scalar("an expression")
    values = [candidate.value for candidate in listed]
    scores = evaluate_each(space, expression, secrets, "candidate", values)
    weights = options["score"].placed(
        lambda: [lift(lambda score: _weight(base, score), score) for score in scores]
    )
    total = weights[0]
    for weight in weights[1:]:
        total = lift(add, total, weight)
    rows = [lift(truediv, weight, total) for weight in weights]
    return Mechanism.from_columns(listed, rows)


def _base(node: Node) -> Fraction:
    """The base, or e^(ε/(2Δ)); S016 for both or neither, S110, S118."""
    options = node.mapping()
    given = [key for key in ("base", "epsilon", "sensitivity") if options.get(key) is not None]
    if given not in (["base"], ["epsilon", "sensitivity"]):
        hint = "add base: 2, or epsilon: 1 and sensitivity: 1, and leave the others out"
        raise node.fail("S016", "'base', or 'epsilon' and 'sensitivity', is needed", hint)
    found = [options[key].number("a positive number") for key in given]
    for key, value in zip(given, found, strict=True):
        if value <= 0:
            said = f"the {key} must be positive, found {value}"
            raise options[key].fail("S110", said, "write a number above 0, such as 2")
    if given == ["base"]:
        return found[0]
    from verifier.base.formula import exponential

    return options["epsilon"].placed(lambda: exponential(found[0] / (2 * found[1])))


def _weight(base: Fraction, score: Any) -> Fraction:
    score = plain(score)
    if type(score) is not int or abs(score) > MAX_SCORE:
        raise InputError(
            "S110",
            f"scores must be whole numbers between -{MAX_SCORE} and {MAX_SCORE}, found "
            f"{show(score)}",
            hint="multiply the score by a number, and take the root of the base: 2*s with 2 is "
            "s with 4",
        )
    if is_irrational(base):
        return base**score
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(score) > MAX_BITS:
        said = f"the base to the score has more than {MAX_BITS} binary digits"
        hint = "divide the score by a number, or write a base with fewer digits"
        raise InputError("S110", said, hint=hint)
    return base**score
