"""Programs of other tools' benchmarks: the levels of models/programs, again by quadrature."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import pairwise, product
from typing import Any

import pytest
from flint import acb, arb, ctx, fmpq

from tests.models.model_files import decided
from verifier.base.exponential import Exponential, bounds

World = tuple[int, ...]
Row = Callable[[World], Any]  # the probability, or density, of an output


def level(rows: Iterable[Row], domain: Iterable[int], size: int, up: bool = False) -> Any:
    """The largest ratio of two worlds whose answers differ by at most one, or all grow."""
    worlds = list(product(domain, repeat=size))
    steps = [step for step in product((0, 1) if up else (-1, 0, 1), repeat=size) if any(step)]
    found = arb(0)
    for row in rows:
        values = {world: row(world) for world in worlds}
        for world, step in product(worlds, steps):
            other = tuple(x + s for x, s in zip(world, step, strict=True))
            if other in values:
                ratio = values[world] / values[other]
                found = found.max(ratio).max(1 / ratio)
    return found


def first(root: Any, scale: Any, answer: Any = None) -> list[Row]:
    """Which of three answers is the first above a threshold of one, and this with new noise: the
    density at each whole number has the largest ratios."""

    def row(i: int, told: int | None) -> Row:
        def likely(world: World) -> Any:
            leaves = [(c, False) for c in world[:i]] + [(c, True) for c in world[i : i + 1]]
            density = 1 if told is None else (-arb(abs(told - world[i])) / answer).exp()
            return star(1, root, scale, tuple(sorted(leaves))) * density

        return likely

    told = [None] if answer is None else [*range(3)]
    return [row(3, None), *(row(i, t) for i in range(3) for t in told)]


def each(root: Any, scale: Any) -> list[Row]:
    """Of three answers, which are above a threshold of one."""

    def row(said: tuple[bool, ...]) -> Row:
        return lambda world: star(1, root, scale, tuple(sorted(zip(world, said, strict=True))))

    return [row(said) for said in product((False, True), repeat=3)]


def largest(noise: str) -> Row:
    """The probability that the first of the answers is the largest, with noise of scale two."""
    return lambda world: star(
        world[0], 2, 2, tuple((c, False) for c in sorted(world[1:])), noise == "exponential"
    )


@cache
def star(
    center: int, root: Any, scale: Any, leaves: tuple[tuple[int, bool], ...], above: bool = False
) -> Any:
    """The probability that all leaves are on their side of the root: an enclosure with 30 digits.

    Between two centers the integrand is analytic. Noise is Laplace noise, or where it is only
    `above` its center, exponential noise.
    """

    def value(middle: fmpq, x: acb, _: bool) -> acb:
        found = law(x - center, middle > center, root)[0]
        for c, over in leaves:
            found *= law(x - c, middle > c, scale)[1 if over else 2]
        return found

    def law(x: acb, right: bool, size: Any) -> tuple[acb, acb, acb]:
        """The density at a place, and the probabilities above and below it."""
        tail = (-x / size if right else x / size).exp()
        if above:
            return (tail / size, tail, 1 - tail) if right else (acb(0), acb(1), acb(0))
        return tail / (2 * size), *((tail / 2, 1 - tail / 2)[:: 1 if right else -1])

    ends = sorted({-600, 600, center, *(c for c, _ in leaves)})
    parts = [
        acb.integral(partial(value, fmpq(a + b, 2)), acb(a), acb(b)) for a, b in pairwise(ends)
    ]
    return sum(parts, acb(0)).real


EXPECTED: dict[tuple[str, int], Callable[[], Any]] = {
    ("programs/sparse-vector", 0): lambda: level(first(2, 4), range(3), 3),
    ("programs/sparse-vector", 1): lambda: level(first(2, 2), range(3), 3, up=True),
    ("programs/sparse-vector", 2): lambda: level(first(3, 6, 3), range(3), 3),
    ("programs/sparse-vector", 4): lambda: level(each(2, 2), range(3), 3),
    ("programs/sparse-vector", 5): lambda: level(first(4, fmpq(4, 3)), range(3), 3),
    ("libraries/autodp-sparse-vector", 0): lambda: level(first(1, 1), range(3), 3),
    ("libraries/autodp-sparse-vector", 1): lambda: level(first(1, 1), range(3), 3, up=True),
    ("programs/noisy-max", 0): lambda: level([largest("laplace")], range(2), 5),
    ("programs/noisy-max", 1): lambda: level([largest("exponential")], range(2), 5),
}


@pytest.mark.parametrize(("file", "check"), EXPECTED)
def test_levels_by_quadrature(file: str, check: int) -> None:
    found = decided(f"{file}.yaml")[check].leakage
    assert found is not None and isinstance(found.exp_epsilon, Exponential)
    low, high = (fmpq(end.numerator, end.denominator) for end in bounds(found.exp_epsilon, 30))
    with ctx.workprec(160):
        expected = EXPECTED[file, check]()
        assert expected.rad() < 1e-25 and abs(expected - arb(low)) < 1e-25 > abs(expected - high)
