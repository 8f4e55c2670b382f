"""Model files of the Pufferfish paper, Section 9: every number from the definitions."""

from collections.abc import Callable
from fractions import Fraction as F

from tests.models.brute_force import (
    Mechanism,
    Row,
    add_up,
    apply,
    coin,
    databases,
    independent,
    pufferfish,
)
from tests.models.model_files import confirm

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
