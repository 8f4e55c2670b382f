"""Mixtures of post-processings, shown or refuted by hand: products of matrices, and payoffs."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.models.brute_force import Mechanism, Row

Part = tuple[
    Fraction, Mechanism, Callable[[Any], Row]
]  # weight, mechanism, what becomes of outputs
Payoff = Mapping[Any, Mapping[Any, Fraction | int]]  # output -> world -> pay


def is_made_of(mechanism: Mechanism, *parts: Part) -> bool:
    """True, for that is what these parts are."""
    assert sum(weight for weight, _, _ in parts) == 1
    for world, row in mechanism.items():
        found: dict[Any, Fraction] = {}
        for weight, given, processing in parts:
            for output, p in given[world].items():
                assert sum(processing(output).values()) == 1
                for final, q in processing(output).items():
                    found[final] = found.get(final, Fraction(0)) + weight * p * q
        assert {o: p for o, p in found.items() if p} == {o: p for o, p in row.items() if p}
    return True


def is_refuted_by(payoff: Payoff, mechanism: Mechanism, given: Sequence[Mechanism]) -> bool:
    """False, for the mechanism earns more than any post-processing; other outputs pay nothing."""
    earned = sum(
        payoff.get(o, {}).get(w, 0) * p for w, row in mechanism.items() for o, p in row.items()
    )
    announced = {*payoff, *(o for row in mechanism.values() for o in row)}
    for other in given:
        seen = {o for row in other.values() for o in row}
        best = sum(
            max(
                sum(payoff.get(a, {}).get(w, 0) * row.get(o, 0) for w, row in other.items())
                for a in announced
            )
            for o in seen
        )
        assert best < earned
    return False
