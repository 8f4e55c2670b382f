"""Deployed systems: the levels of models/deployed, again by enumeration and in decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction as F
from itertools import pairwise, product
from math import comb
from typing import Any

import mpmath as mp
import pytest

from tests.models.laws import Law, bit, is_told, level, mixed, ratio, renyi, together
from tests.models.model_files import checks, files

World = tuple[Any, ...]


def rappor(p: Any, value: int) -> Law:
    """One report of the two bits that value 0 sets and the two of value 1."""
    kept = [F(3, 4) if place // 2 == value else F(1, 4) for place in range(4)]
    return together(*(bit(k * F(3, 4) + (1 - k) * p) for k in kept))


def ones(kept: Any, reports: int) -> Law:
    """How many of the reports of one kept bit are 1."""

    def binomial(q: Any, n: int) -> Any:
        return comb(reports, n) * q**n * (1 - q) ** (reports - n)

    return {
        n: kept * binomial(F(3, 4), n) + (1 - kept) * binomial(F(1, 2), n)
        for n in range(reports + 1)
    }


def two_weeks(world: World) -> Law:
    """Two reports of a bit for each of two values: what is kept belongs to the value."""

    def given(memo: tuple[int, ...]) -> Law:
        shown = [memo[2 * week + place] for week in world for place in range(2)]
        return together(*(bit(F(3, 4) if kept else F(1, 2)) for kept in shown))

    kept = together(*(bit(F(3, 4)), bit(F(1, 4)), bit(F(1, 4)), bit(F(3, 4))))
    return mixed((weight, given(memo)) for memo, weight in kept.items())


def chain(start: Any, stays: tuple[Any, Any]) -> Callable[[World], Any]:
    """The weight of a world of 0 and 1 in a chain: the first is 1 with `start`, and a value stays
    with its own probability."""

    def weight(world: World) -> Any:
        found = start if world[0] else 1 - start
        for now, then in pairwise(world):
            found *= stays[now] if now == then else 1 - stays[now]
        return found

    return weight


def believed(
    likely: Callable[[World], Law],
    weight: Callable[[World], Any],
    size: int,
    secret: Callable[[World], Any],
) -> tuple[Law, Law]:
    """What is seen where a secret is false, and where it is true."""
    worlds = list(product((0, 1), repeat=size))
    return tuple(  # type: ignore[return-value]
        mixed((weight(w), likely(w)) for w in worlds if bool(secret(w)) is told)
        for told in (False, True)
    )


def each(likely: Callable[[int], Law]) -> Callable[[World], Law]:
    """One report about each entry."""
    return lambda world: together(*(likely(value) for value in world))


def largest(
    likely: Callable[[World], Law], weight: Callable[[World], Any], size: int, delta: Any = 0
) -> Any:
    """The level of whether any entry is 1."""
    pairs = [believed(likely, weight, size, lambda w, i=i: w[i]) for i in range(size)]
    return max(level(*pair, delta) if delta else ratio(*pair) for pair in pairs)


def topic(value: int) -> Law:
    return bit(F(19, 20) * F(1, 5) * value + F(1, 20) * F(1, 469))


def flipped(epsilon: Any) -> Callable[[int], Law]:
    """A bit that is true with e^ε/(1 + e^ε)."""
    true = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    return lambda value: bit(true if value else 1 - true)


def sketch(value: int) -> Law:
    return together(flipped(2)(value), flipped(2)(1 - value))


def month(value: int) -> Law:
    true = flipped(4)(value)[1]
    return {n: comb(30, n) * true**n * (1 - true) ** (30 - n) for n in range(31)}


def one_bit(noise: Any) -> Callable[[World], Law]:
    """Three answers by two that are kept, each turned around with probability `noise`."""

    def given(world: World) -> Law:
        kept = together(flipped(1)(0), flipped(1)(1))
        return mixed(
            (weight, together(*(bit(1 - noise if memo[day] else noise) for day in world)))
            for memo, weight in kept.items()
        )

    return given


def report(states: int) -> Callable[[int], Law]:
    """One of so many states: any of them with probability k/(k - 1 + e^14), else the true one."""
    made_up = states / (states - 1 + mp.exp(14))

    def given(value: int) -> Law:
        law = {0: made_up / states, 1: made_up / states, 2: made_up * (states - 2) / states}
        return {out: p + (1 - made_up) * (out == value) for out, p in law.items()}

    return given


def gaussian(low: int, high: int, count: int) -> Law:
    """Discrete Gaussian noise of variance 4 on a count, within a range."""
    return mixed((mp.exp(-(F(z - count) ** 2) / 8), {z: 1}) for z in range(low, high + 1))


def levels(file: str) -> list[Any]:
    """What the checks of a file have as their smallest levels; None: infinite."""
    with mp.workdps(60):
        return list(FILES[file]())


def of_rappor() -> Iterable[Any]:
    yield ratio(rappor(F(1, 2), 0), rappor(F(1, 2), 1))
    yield ratio(rappor(F(1, 4), 0), rappor(F(1, 4), 1))
    kept = [together(*(bit(F(3, 4) if n // 2 == v else F(1, 4)) for n in range(4))) for v in (0, 1)]
    yield ratio(*kept)
    yield ratio(ones(F(3, 4), 52), ones(F(1, 4), 52))
    yield ratio(ones(F(3, 4), 1), ones(F(1, 4), 1)) ** 52
    stays = chain(F(1, 2), (F(9, 10), F(9, 10)))
    yield ratio(*believed(two_weeks, stays, 2, lambda world: world[0]))


def of_topics() -> Iterable[Any]:
    yield ratio(topic(0), topic(1))
    yield ratio(*(together(topic(v), topic(v)) for v in (0, 1)))
    yield max(
        ratio(each(topic)(one), each(topic)(other))
        for one, other in product(product((0, 1), repeat=3), repeat=2)
    )
    # stationary: from out to in 1/100, back 1/5
    yield largest(each(topic), chain(F(1, 21), (F(99, 100), F(4, 5))), 3)


def of_sketch() -> Iterable[Any]:
    yield ratio(sketch(0), sketch(1))
    yield ratio(flipped(4)(0), flipped(4)(1))
    yield ratio(month(0), month(1))
    yield level(month(0), month(1), mp.mpf(1) / 2)
    yield largest(each(flipped(4)), chain(F(1, 2), (F(9, 10), F(9, 10))), 2)


def of_memoized() -> Iterable[Any]:
    sure, unsure = one_bit(0), one_bit(F(1, 5))
    fair = chain(F(1, 2), (F(1, 2), F(1, 2)))

    def changes(world: World) -> bool:
        return len(set(world)) > 1

    def by_a_day(likely: Callable[[World], Law]) -> Iterable[Any]:
        for world in product((0, 1), repeat=3):
            for day in range(3):
                other = tuple(1 - x if d == day else x for d, x in enumerate(world))
                yield ratio(likely(world), likely(other))

    yield ratio(sure((0, 0, 0)), sure((1, 1, 1)))
    yield ratio(*believed(sure, fair, 3, changes))
    yield None if None in by_a_day(sure) else 0
    yield max(by_a_day(unsure))
    yield ratio(*believed(unsure, fair, 3, changes))
    yield largest(unsure, chain(F(1, 2), (F(4, 5), F(4, 5))), 3)


def of_attribution() -> Iterable[Any]:
    view, click = report(3), report(2925)
    yield ratio(view(0), view(1))
    yield ratio(click(0), click(1))
    yield level(view(0), view(1), mp.mpf(64) / 100)
    yield ratio(*(together(view(v), view(v)) for v in (0, 1)))
    yield largest(each(view), chain(F(1, 100), (F(99, 100), F(1, 2))), 2)


def of_census() -> Iterable[Any]:
    one, other = (gaussian(-6, 7, count) for count in (0, 1))
    orders = [1 + F(n, 50) for n in range(500)]  # the worst is 1
    yield mp.exp(max(renyi(one, other, order) / order for order in orders))
    yield mp.exp(renyi(one, other, 2))
    yield level(one, other, mp.mpf(1) / 20)
    yield ratio(one, other)
    house = chain(F(1, 2), (F(9, 10), F(9, 10)))
    yield largest(lambda world: gaussian(-5, 7, sum(world)), house, 2, mp.mpf(1) / 20)


FILES: dict[str, Callable[[], Iterable[Any]]] = {
    "attribution": of_attribution,
    "census": of_census,
    "memoized": of_memoized,
    "rappor": of_rappor,
    "sketch": of_sketch,
    "topics": of_topics,
}


@pytest.mark.parametrize("file", FILES)
def test_levels_by_enumeration(file: str) -> None:
    for check, found in zip(checks(f"deployed/{file}.yaml"), levels(file), strict=True):
        assert is_told(check["leakage"], found), check["name"]


def test_every_file_is_derived() -> None:
    assert {f"{name}.yaml" for name in FILES} == set(files("deployed"))
