"""Mechanisms that leak nothing once and reveal a secret when run twice, by plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.studies.search.collapse import collapse, rays
from verifier.studies.search.example import Example

ZERO = Fraction(0)


def setting(weights: list[int], cut: int) -> Example:
    worlds = tuple(f"w{at}" for at in range(len(weights)))
    prior = {w: Fraction(x, sum(weights)) for w, x in zip(worlds, weights, strict=True) if x}
    secrets = {"s": worlds[:cut], "t": worlds[cut:]}
    silent = {w: {"nothing": Fraction(1)} for w in worlds}
    return Example(worlds, secrets, (("s", "t"),), (prior,), ("nothing",), silent)


def given_secret(example: Example, secret: str, run: tuple[str, ...]) -> Fraction:
    """P(outputs of independent runs | secret) under the first prior."""
    inside = {w: example.priors[0].get(w, ZERO) for w in example.secrets[secret]}
    total = ZERO
    for world, weight in inside.items():
        for output in run:
            weight *= example.rows[world].get(output, ZERO)
        total += weight
    return total / sum(inside.values())


def check(found: Example, pairs: list[tuple[str, str]]) -> None:
    """One run says nothing about any pair; some two runs rule out a secret of one."""
    for s, t in pairs:
        for o in found.outputs:
            assert given_secret(found, s, (o,)) == given_secret(found, t, (o,))
    runs = [
        (given_secret(found, s, run), given_secret(found, t, run))
        for s, t in pairs
        for run in product(found.outputs, repeat=2)
    ]
    assert any((p == 0) != (q == 0) for p, q in runs)


@examples(60)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.data())
def test_one_pair_collapses_where_a_secret_has_two_worlds(
    weights: list[int], data: st.DataObject
) -> None:
    """Two worlds w, w' of t, one D of s: outputs that D and w, or D and w', can give. The two
    worlds on either side that Example 1 asks for are not needed. One against one is differential
    privacy, where equal columns stay equal."""
    cut = data.draw(st.integers(1, len(weights) - 1))
    left, right = (sum(map(bool, part)) for part in (weights[:cut], weights[cut:]))
    if left and right:
        found = collapse(setting(weights, cut))
        assert (found is not None) == (max(left, right) >= 2)
        if found is not None:
            check(found, [("s", "t")])


def test_the_rays_of_one_pair_are_pairs_of_worlds() -> None:
    """{w, w'} with x_w = 1/θ(w | s), x_w' = 1/θ(w' | t): here 4, 4/3 against 2, 2."""
    found = {tuple(ray.items()) for ray in rays(setting([1, 3, 2, 2], 2))}
    assert found == {
        (("w0", 2), ("w2", 1)),
        (("w0", 2), ("w3", 1)),
        (("w1", 2), ("w2", 3)),
        (("w1", 2), ("w3", 3)),
    }


def test_three_bits_all_protected() -> None:
    """Example 2: every bit a secret, a uniform prior; a mechanism of the paper's kind is found."""
    worlds = tuple("".join(bits) for bits in product("01", repeat=3))
    secrets = {
        f"{at}{v}": tuple(w for w in worlds if w[at] == v) for at, v in product(range(3), "01")
    }
    pairs = tuple((f"{at}0", f"{at}1") for at in range(3))
    even = {w: Fraction(1, 8) for w in worlds}
    silent = {w: {"nothing": Fraction(1)} for w in worlds}
    found = collapse(Example(worlds, secrets, pairs, (even,), ("nothing",), silent))
    assert found is not None
    check(found, list(pairs))


def test_all_priors_on_pairs_of_worlds_prevent_it() -> None:
    """Undecided between any two worlds of different secrets: only constant rows leak nothing."""
    about = setting([1, 1, 1, 1], 2)
    half = Fraction(1, 2)
    points = tuple({f"w{a}": half, f"w{b}": half} for a in (0, 1) for b in (2, 3))
    assert (
        collapse(
            Example(about.worlds, about.secrets, about.pairs, points, about.outputs, about.rows)
        )
        is None
    )
