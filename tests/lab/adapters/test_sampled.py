"""Draws of a release against the matrix that is audited, without any library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from random import Random

import pytest

from tests.lab.adapters.test_claimed import LAWS, toy
from verifier.base.errors import InputError
from verifier.lab.adapters.claimed import Adapted, Claim, Input
from verifier.lab.adapters.sampled import DRAWS, agreement


def drawing(law: dict[str, float]) -> Callable[[], str]:
    source = Random(1)
    return lambda: source.choices(list(law), list(law.values()))[0]


def released(change: dict[str, dict[str, float]]) -> Adapted:
    """The toy, which releases what its matrix says but for some inputs."""
    laws = {name: {out: float(p) for out, p in law.items()} for name, law in LAWS.items()}

    def release(name: Input) -> Callable[[], str]:
        return drawing((laws | change)[str(name)])

    return replace(toy(Claim.of(0)), release=release)


def test_a_release_with_the_matrix() -> None:
    """Of c one output is sure: χ² is 0, of 1 degree, and 1 + 2√x + 2x for x = 9 ln 10 is 51.6."""
    said = agreement(released({}))
    assert said.startswith(f"drawn: {DRAWS // 2:,} times from each of b\"' (χ² ")
    assert said.endswith("c (χ² 0.0, bound 51.6)")


@pytest.mark.parametrize(
    ("law", "why"),
    [
        ({"x": 0.40, "z": 0.60}, "χ² is "),  # a third
        ({"x": 1 / 3, "y": 0.001, "z": 2 / 3}, "which is impossible in the matrix"),
        ({"z": 1.0}, "χ² is "),
    ],
)
def test_another_release_has_no_verdict(law: dict[str, float], why: str) -> None:
    with pytest.raises(InputError, match=f"S123 what is released .* 10,000 draws .*{why}"):
        agreement(released({"b\"'": law}))


def test_draws_in_turn_are_counted_by_hand() -> None:
    """One of two outputs in turn: at 1/3 and 2/3, χ² is 10,000/8 = 1250 for them, and 0 beyond."""
    found = replace(
        toy(Claim.of(0)), release=lambda name: cycle("xz" if name != "c" else "x").__next__
    )
    with pytest.raises(InputError, match=r"χ² is 1250\.0, and 56\.3 is the bound"):
        agreement(found)


def test_what_cannot_be_drawn() -> None:
    assert agreement(toy(Claim.of(0))) == "nothing was drawn"
