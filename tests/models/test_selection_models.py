"""Mechanisms that select: elections, noisy maxima, the sparse vector technique."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations
from typing import Any

import pytest

from tests.models.brute_force import (
    Level,
    Row,
    add_up,
    apply,
    databases,
    differential_privacy,
    geometric,
    independent,
    one_differs,
)
from tests.models.model_files import confirm, confirm_engine, once

FOLDER = "mechanisms"
HALF = F(1, 2)
BITS = (0, 1)


def anybody(w: object, v: object) -> bool:
    return True


def exponential(scores: dict[Any, int]) -> Row:
    weights = {c: F(2) ** score for c, score in scores.items()}
    return add_up((c, weight / sum(weights.values())) for c, weight in weights.items())


def election(rule: Callable[[dict[Any, int]], Row]) -> Level:
    votes = databases(3, range(3))
    return differential_privacy(
        {w: rule({c: w.count(c) for c in range(3)}) for w in votes}, one_differs
    )


def permute_and_flip(scores: dict[Any, int]) -> Row:
    pairs: list[tuple[Any, F]] = []
    orders = list(permutations(scores))
    for order in orders:
        left = F(1, len(orders))
        for candidate in order:
            taken = HALF ** (max(scores.values()) - scores[candidate])
            pairs.append((candidate, left * taken))
            left *= 1 - taken
    return add_up(pairs)


def noisy_max(ties: Callable[[], Row]) -> Level:
    def winner(pair: tuple[int, int]) -> Row:
        if pair[0] == pair[1]:
            return ties()
        return {"a" if pair[0] > pair[1] else "b": F(1)}

    return differential_privacy(
        {
            (k,): apply(
                independent([geometric(k, HALF, 0, 3), geometric(3 - k, HALF, 0, 3)]), winner
            )
            for k in range(4)
        },
        lambda w, v: abs(w[0] - v[0]) == 1,
    )


def report_noisy_max() -> list[Level]:
    told = noisy_max(lambda: {"tie": F(1)})
    first = noisy_max(lambda: {"a": F(1)})
    fair = noisy_max(lambda: {"a": HALF, "b": HALF})
    return [told, told, first, fair, fair]


def sparse_vector(
    answers: tuple[int, ...],
    threshold: Row,
    noise: Callable[[int], Row],
    hits: int,
    renew: bool = False,
    show: bool = False,
) -> Row:
    """The released list; `hits` is the cut-off, `renew` draws the threshold again after a hit."""
    pairs: list[tuple[Any, F]] = []

    def step(i: int, bar: int, seen: tuple[Any, ...], left: int, p: F) -> None:
        if i == len(answers) or left == 0:
            pairs.append((seen, p))
            return
        for noisy, q in noise(answers[i]).items():
            if noisy < bar:
                step(i + 1, bar, (*seen, "below"), left, p * q)
                continue
            word = noisy if show else "above"
            for new_bar, r in (threshold if renew else {bar: F(1)}).items():
                step(i + 1, new_bar, (*seen, word), left - 1, p * q * r)

    for bar, p in threshold.items():
        step(0, bar, (), hits, p)
    return add_up(pairs)


def sparse_vector_level(queries: int, center: int, ratio: F, **rules: Any) -> Level:
    threshold = geometric(center, ratio, center - 1, center + 1)
    # Beyond the reach of the threshold only the side matters.
    noise = rules.pop("noise", lambda a: geometric(a, HALF, center - 2, center + 1))
    m = {w: sparse_vector(w, threshold, noise, **rules) for w in databases(queries, BITS)}
    return differential_privacy(m, anybody)


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "exponential-mechanism.yaml": lambda: [election(exponential)] * 3,
    "permute-and-flip.yaml": lambda: [election(permute_and_flip)] * 3,
    "report-noisy-max.yaml": report_noisy_max,
    "sparse-vector.yaml": lambda: [sparse_vector_level(3, 1, HALF, hits=1)] * 2,
    "sparse-vector-resampled.yaml": lambda: (
        [sparse_vector_level(4, 1, F(1, 4), hits=2, renew=True)] * 3
    ),
    "sparse-vector-tight-clamp.yaml": lambda: [sparse_vector_level(4, 0, HALF, hits=1)],
    "sparse-vector-noisy-answer.yaml": lambda: [sparse_vector_level(3, 1, HALF, hits=1, show=True)],
    "sparse-vector-wrong-scale.yaml": lambda: [sparse_vector_level(4, 1, HALF, hits=2)] * 3,
    "sparse-vector-no-query-noise.yaml": lambda: [
        sparse_vector_level(2, 1, HALF, hits=9, noise=lambda a: {a: F(1)})
    ],
    "sparse-vector-no-cut-off.yaml": lambda: [
        sparse_vector_level(n, 1, HALF, hits=9) for n in (2, 3, 4)
    ],
}


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
