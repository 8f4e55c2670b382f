"""Bounds of the coupled-worlds paper with delta, with several views, for samples and for known
records: the numbers of models/coupled-worlds, by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import product
from math import comb, factorial
from typing import Any

import pytest

from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    Row,
    add_up,
    coin,
    differential_privacy,
    geometric,
    independent,
    one_differs,
    smallest_level,
)
from tests.models.model_files import confirm, confirm_engine, decided, once
from tests.models.test_coupled_worlds_models import (
    BITS,
    COIN,
    FOLDER,
    canonical,
    iid,
    inferred,
    knowing,
    mix,
    others,
    simulated,
    unseen,
)

pytestmark = pytest.mark.oracle

ONE = F(1)
POISSON = "poisson-sample-size.yaml"


def inference_with_views() -> list[Level]:
    fair = iid(COIN, 2)
    mechanism = {w: add_up([(w, F(1, 50)), ("nothing", F(49, 50))]) for w in fair}
    entries = [knowing(fair)]
    assert F(1, 5) ** 2 == 4 * 2 * F(1, 200)  # promised for two views: 2 sqrt(2 delta)
    first = simulated(mechanism, entries, others(2), F(3), F(1, 200))
    return [
        first,
        first,
        simulated(mechanism, entries, others(2), F(151, 49), F("0.0049")),
        inferred(mechanism, entries, others(2), ONE, F(1, 5)),
        inferred(mechanism, entries, others(2), ONE, F(1, 50)),
        inferred(mechanism, entries, others(2), INFINITE, F("0.0199")),
    ]


def composition_with_delta() -> list[Level]:
    rows: list[Row] = [
        {"said": F(1, 10), "hint": F(1, 20), "none": F(17, 20)},
        {"said": F(4, 10), "none": F(6, 10)},
    ]
    both = [{(a, b): p * q for a, p in row.items() for b, q in row.items()} for row in rows]
    delta, true = F(1, 60), F(39, 2000)
    assert true < max(delta * 2 + delta, delta + delta * 2) == F(1, 20)
    known = unseen(
        rows, F(2), delta
    )  # given ann's bit a second answer does not depend on the first
    return [
        known,
        unseen(rows, F(167, 83), F("0.0166")),
        known,
        known,
        unseen(both, F(4), true),
        unseen(both, F(781, 194), F("0.0194")),
    ]


def inference_of_pufferfish_with_delta() -> list[Level]:
    rows: list[Row] = [
        {"no": F(297, 400), "yes": F(99, 400), "surely_no": F(1, 100)},
        {"no": F(99, 400), "yes": F(297, 400), "surely_yes": F(1, 100)},
    ]
    mechanism = {(x,): rows[x] for x in BITS}
    entries, views = [knowing(iid(COIN, 1))], [(lambda w: None, lambda w: w[0])]

    def apart(delta: F) -> Level:
        return max(smallest_level(p, q, delta) for p in rows for q in rows)

    assert F(1, 5) ** 2 == 4 * F(1, 100)  # 2 sqrt(delta)
    return [
        apart(F(1, 100)),
        apart(F("0.0099")),
        inferred(mechanism, entries, views, F(6, 5), F(1, 5)),
        inferred(mechanism, entries, views, F(49, 25), F(1, 100)),
        inferred(mechanism, entries, views, INFINITE, F("0.0099")),
    ]


def map_estimator_known_records() -> list[Level]:
    """A simulator is as good for mixtures of sources as for both (Theorem 4)."""
    p = F(1, 401)
    sources = [coin(p), coin(1 - p)]
    root = 2 * F(20, 401)  # the sum of the square roots of p (1 - p)
    promised, few = 401 * root**3, 401 * root**5
    q = 400 * root**3
    level = (1 + (400 * 4 - 1) * q) / (1 - q)
    assert (promised, few, level) == (
        F(64000, 160801),
        F(102400000, 25856961601),
        F(40998881201, 38881201),
    )

    def high(ones: int) -> bool:
        return ones > 3

    def answers(seen: tuple[int, ...]) -> F:
        """How often a simulator says 'high': a coin where the hidden record decides."""
        return F(high(sum(seen)) + high(sum(seen) + 1), 2)

    def missed(known: int) -> F:
        """By how much it misses at level 1, where the first so many records are known."""
        found = ZERO
        for source, i, z in product(sources, range(6), product(BITS, repeat=known)):
            for x in BITS:
                if i < known and z[i] != x:
                    continue
                free = 5 - known + (i < known)
                real = ideal = ZERO
                for rest in product(BITS, repeat=free):
                    chance = ONE
                    for bit in rest:
                        chance *= source[bit]
                    seen = (*z[:i], *z[i + 1 :], *rest) if i < known else (*z, *rest)
                    real += chance * high(sum(seen) + x)
                    ideal += chance * answers(seen)
                found = max(found, abs(real - ideal))
        return found

    # r3 after 0, 0: 'high' exactly if all others are 1, and r3 too; no simulator knows r3
    assert not high(3) and high(4)
    least = (1 - p) ** 3 / 2
    assert missed(2) == least == F(32000000, 64481201) > promised
    assert missed(0) < few
    return [ONE, _at(least, promised), ONE, INFINITE]


def _at(least: F, delta: F) -> Level:
    """The level that r3 after 0, 0 needs: s <= delta for 'high' given 0; and given 1, where 'high'
    has p = 2 least, p - delta <= level·s and (1 - s) - delta <= level·(1 - p)."""
    p = 2 * least
    return max((p - delta) / delta, (1 - 2 * delta) / (1 - p))


def exact_sum_hull() -> list[Level]:
    values = (-1, 0, 1)
    uniform = iid({x: F(1, 3) for x in values}, 4)
    modes = [{x: F(2, 3) if x == mode else F(1, 6) for x in values} for mode in (-1, 0, 1, -1)]
    half = independent(modes)

    def added(w: tuple[Any, ...]) -> int:
        return sum(x for x in w if x is not None)

    def level(priors: list[Prior], delta: F, known: Callable[[Any], Any] = lambda w: None) -> Level:
        return canonical(added, priors, delta, known=known)

    blends = [mix([(F(k, 4), uniform), (1 - F(k, 4), half)]) for k in range(5)]
    two, all_of_them = level([uniform, half], F(7, 27)), level(blends, F(7, 27))
    first = level([uniform, half], F(13, 36), lambda w: w[0])
    assert level(blends, F(13, 36), lambda w: w[0]) == first
    return [two, all_of_them, level(blends, F("0.259")), first, first]


def sample_of_a_population() -> list[Level]:
    sizes = {n: F(p, 10) for n, p in enumerate((1, 2, 4, 2, 1), 1)}
    steps = [p for n, p in sizes.items() if n > 1 and F(1, 2) <= p / sizes[n - 1] <= 2]
    assert 1 - sum(steps) == F(1, 10)  # condition (2)
    chosen = [w for w in product(*[(x, None) for x in "aaaab"]) if any(w)]
    prior = add_up((w, sizes[n] / comb(5, n)) for w in chosen for n in [5 - w.count(None)])

    def histogram(least: int) -> Callable[[tuple[Any, ...]], tuple[int, ...]]:
        return lambda w: tuple(c if c >= least else 0 for c in (w.count("a"), w.count("b")))

    truncated = {w: {histogram(2)(w): ONE} for w in prior}
    return [
        canonical(histogram(0), [prior], F("0.999999999")),
        canonical(histogram(2), [prior], F(3, 10)),
        canonical(histogram(2), [prior], F("0.2333")),
        simulated(truncated, [knowing(prior)], others(5), F(2), F(1, 26)),
    ]


def insertion_and_change() -> list[Level]:
    """Of mechanisms of one record with two values: P(1)/P(-1) = P(1)/P(absent) * P(absent)/P(-1),
    which the noisy sum attains."""
    worlds = list(product((-1, 1, None), repeat=2))
    rows = {w: geometric(sum(x for x in w if x), F(1, 2), -2, 2) for w in worlds}
    people = {w: {2 - w.count(None): ONE} for w in worlds}

    def changed(one: Any, other: Any) -> bool:
        return one_differs(one, other) and one.count(None) == other.count(None)

    def inserted(one: Any, other: Any) -> bool:
        return one_differs(one, other) and one.count(None) != other.count(None)

    square = differential_privacy(rows, changed)
    fair = {w: F(1, 4) for w in worlds if None not in w}
    alike = {w: F(1, 2) for w in ((-1, -1), (1, 1))}
    return [
        differential_privacy(rows, inserted),
        square,
        square,
        differential_privacy(people, changed),
        differential_privacy(people, inserted),
        max(_posteriors(rows, prior, i) for prior in (fair, alike) for i in (0, 1)),
    ]


def _posteriors(rows: Mechanism, prior: Prior, i: int) -> Level:
    """How far what is believed of record i after F(X) = t may be from that after F(X_-i) = t."""
    levels: list[Level] = [ONE]
    for t in range(-2, 3):
        beliefs = []
        for removed in (False, True):
            seen = {w: (*w[:i], None, *w[i + 1 :]) if removed else w for w in prior}
            joint = [(w[i], p * rows[seen[w]][t]) for w, p in prior.items()]
            total = sum(p for _, p in joint)
            beliefs.append(add_up((x, p / total) for x, p in joint))
        levels += [smallest_level(*beliefs), smallest_level(*beliefs[::-1])]
    return max(levels)


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "composition-with-delta.yaml": composition_with_delta,
    "exact-sum-hull.yaml": exact_sum_hull,
    "inference-of-pufferfish-with-delta.yaml": inference_of_pufferfish_with_delta,
    "inference-with-views.yaml": inference_with_views,
    "insertion-and-change.yaml": insertion_and_change,
    "map-estimator-known-records.yaml": map_estimator_known_records,
    "sample-of-a-population.yaml": sample_of_a_population,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def test_a_poisson_sample_size() -> None:
    """e is between two sums, so that 3/n is compared with it and its reciprocal."""
    low = sum(F(1, factorial(k)) for k in range(20))
    high = low + F(1, 10**17)
    good = [n for n in range(1, 100) if 1 / low <= F(3, n) <= low]
    assert good == [n for n in range(1, 100) if 1 / high <= F(3, n) <= high] == list(range(2, 9))
    weight = sum(F(3**n, factorial(n)) for n in good)  # times e^-3
    assert weight == F(71721, 4480)
    assert high**3 - weight > 4 * ONE and low**3 - weight > 4 * ONE  # over e^3: more than 4 e^-3
    confirm(f"{FOLDER}/{POISSON}", False, False, True)
    for result in decided(f"{FOLDER}/{POISSON}"):
        assert result.status == "ok"
        value = result.answer.value
        assert value is not None and 1 - weight / low**3 <= value <= 1 - weight / high**3
