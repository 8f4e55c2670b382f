"""Model files of the Pufferfish paper, Section 9: every number from the definitions."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as F
from typing import Any

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Row,
    add_up,
    apply,
    coin,
    databases,
    independent,
    pufferfish,
)
from tests.models.model_files import MODELS, checks, confirm
from verifier.run import verify

BITS = (0, 1)
MESSAGES = databases(2, BITS)  # Alice's worlds: (message, key)
UNIFORM = dict.fromkeys(MESSAGES, F(1, 4))
SECRETS = [(lambda w: w[0] == 0, lambda w: w[0] == 1)]


def flipped(bit: int, error: F) -> Row:
    return apply(coin(error), lambda flip: bit ^ flip)


def joint(alice: Mechanism, bob: Mechanism) -> Mechanism:
    return {w: independent([alice[w], bob[w]]) for w in alice}


def bob(phi: Callable[[tuple[int, ...]], Row]) -> Mechanism:
    """Equation 22: the sum over Bob's data of P(output | his data) P(his data | Alice's)."""
    error = F(1, 4)
    return {
        w: add_up(
            (output, likely * p)
            for data, likely in phi(w).items()
            for output, p in flipped(data, error).items()
        )
        for w in MESSAGES
    }


def test_alice_and_bob() -> None:
    cipher_text: Mechanism = {w: {w[0] ^ w[1]: F(1)} for w in MESSAGES}
    response = {w: flipped(w[0], F(1, 3)) for w in MESSAGES}
    has_the_key = bob(lambda w: {w[1]: F(1)})
    guesses = bob(lambda w: flipped(w[1], F(1, 4)))
    nothing = bob(lambda w: coin(F(1, 2)))
    similar = bob(lambda w: flipped(w[0], F(1, 4)))
    levels = [
        pufferfish(mechanism, [UNIFORM], SECRETS)
        for mechanism in (
            cipher_text,
            has_the_key,
            joint(cipher_text, has_the_key),
            joint(cipher_text, guesses),
            joint(cipher_text, nothing),
            response,
            similar,
            joint(response, similar),
        )
    ]
    # by hand: the key is right with 3/4, the guess with 3/4 3/4 + 1/4 1/4 = 5/8
    assert levels == [1, 1, 3, F(5, 3), 1, 2, F(5, 3), F(10, 3)]
    confirm("pufferfish/alice-and-bob.yaml", *levels)


# --- Theorem 9.1 ------------------------------------------------------------------------------

Weights = Mapping[Any, F]
FILE = "pufferfish/universally-composable.yaml"


def most_possible(priors: Sequence[Weights], records: tuple[int, ...]) -> int:
    """The most possible worlds of a value of a record whose other value is possible too."""
    found = 0
    for prior in priors:
        for i in records:
            counts = [sum(1 for w, p in prior.items() if p and w[i] == x) for x in BITS]
            found = max([found, *counts]) if all(counts) else found
    return found


def once_and_twice(prior: Weights, star: tuple[int, ...]) -> tuple[Level, Level]:
    """The mechanism of the proof: yes at the star, no elsewhere in its secret, otherwise either."""
    rows = {w: coin(F(w == star)) if w[0] == star[0] else coin(F(1, 2)) for w in prior}
    twice = {w: independent([row, row]) for w, row in rows.items()}
    return pufferfish(rows, [prior], SECRETS), pufferfish(twice, [prior], SECRETS)


def test_universally_composable() -> None:
    known = [
        {(0, 1): F(1, 3), (1, 1): F(2, 3)},
        {(0, 0): F(1, 4), (0, 1): F(3, 4)},
    ]
    equal = {(0, 0): F(1, 3), (1, 1): F(2, 3)}
    between = [
        {w: (p + q) / 2 for (w, p), q in zip(equal.items(), (F(3, 4), F(1, 4)), strict=True)}
    ]
    proof = {(0, 0): F(1, 6), (0, 1): F(1, 3), (1, 0): F(1, 2)}
    most = [
        most_possible(known, BITS),
        most_possible([equal], (0,)),
        most_possible(between, (0,)),
        most_possible([UNIFORM], (0,)),
        most_possible([proof], (0,)),
    ]
    assert most == [1, 1, 1, 2, 2]
    assert once_and_twice(UNIFORM, (0, 0)) == (1, INFINITE)
    assert once_and_twice(proof, (0, 0)) == (F(3, 2), INFINITE)
    stated = [check.get("expect", "holds") for check in checks(FILE)]
    assert stated == ["holds" if worlds <= 1 else "violated" for worlds in most]
    answers = [result.answer for result in verify.run(str(MODELS / FILE))]
    assert [answer.verdict for answer in answers] == stated
    witnesses = [answer.witness and answer.witness.as_json() for answer in answers[3:]]
    assert [found and found["leakage"] for found in witnesses] == ["1", "3/2"]


def test_composes_in_spite_of_a_prior() -> None:
    """By hand: levels between all worlds hold between averages. Else two mechanisms: first and
    second told apart by u, alike in d1 and d2; and a row of level 2 whose square is not of 4."""
    file = "pufferfish/composes-in-spite-of-a-prior.yaml"
    believed = dict.fromkeys(("d1", "d2", "d3", "d4"), F(1, 4))

    def levels(pairs: Sequence[tuple[str, str]], rows: Mechanism) -> list[Level]:
        secrets = [
            ((lambda w, s=s: w in s.split()), (lambda w, t=t: w in t.split())) for s, t in pairs
        ]
        twice = {w: independent([row, row]) for w, row in rows.items()}
        return [pufferfish(m, [believed], secrets) for m in (rows, twice)]

    half = coin(F(1, 2))
    first = {"d1": coin(F(0)), "d2": coin(F(1)), "d3": half, "d4": half}
    second = {"d1": coin(F(0)), "d2": coin(F(0)), "d3": coin(F(1)), "d4": half}
    square = {"d1": coin(F(1, 2)), "d2": coin(F(1, 4)), "d3": coin(F(3, 16)), "d4": half}
    assert levels([("d1 d2", "d3")], first) == [1, INFINITE]
    assert levels([("d1", "d2"), ("d1 d3", "d4")], second) == [1, INFINITE]
    assert levels([("d1 d2", "d3"), ("d1", "d2")], square) == [2, F(40, 9)]
    expected = ["violated", "holds", "holds", "violated", "violated"]
    assert [check.get("expect", "holds") for check in checks(file)] == expected
    assert [result.answer.verdict for result in verify.run(str(MODELS / file))] == expected
