"""Privacy without noise: the numbers of models/coupled-worlds, by plain fractions.

Simulators are sought a second time by z3, from the definition alone.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction as F
from typing import Any

import pytest

from tests.definitions.simulator_cases import Question
from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    Row,
    add_up,
    coin,
    databases,
    differential_privacy,
    independent,
    one_differs,
    pufferfish,
    smallest_level,
    values_of_each_record,
)
from tests.models.model_files import MODELS, confirm, confirm_engine, files, once

pytestmark = pytest.mark.oracle

FOLDER = "coupled-worlds"
BITS = (0, 1)
COIN = coin(F(1, 2))


def exactly(records: int, domain: Any, function: Callable[[Any], Hashable]) -> Mechanism:
    return {w: {function(w): F(1)} for w in databases(records, domain)}


def mix(weighted: list[tuple[F, Prior]]) -> Prior:
    return add_up((w, weight * p) for weight, prior in weighted for w, p in prior.items())


def noiseless(
    mechanism: Mechanism, priors: list[Prior], domain: Any = BITS, delta: F = ZERO
) -> Level:
    """Coupled-worlds paper, Def. 6 without auxiliary information."""
    records = len(next(iter(mechanism)))
    return pufferfish(mechanism, priors, values_of_each_record(records, domain), delta)


def iid(row: Row, records: int = 3) -> Prior:
    return independent([row] * records)


def majority(records: int) -> Mechanism:
    return exactly(records, BITS, lambda w: 2 * sum(w) > records)


CAUSES = [iid(coin(F(9, 10))), iid(coin(F(1, 10)))]
HIDDEN = mix([(F(1, 2), prior) for prior in CAUSES])


World = tuple[Any, ...]
Entries = Sequence[tuple[World, Hashable, F]]  # world, what the attacker knows, probability
View = tuple[Callable[[Any], Hashable], Callable[[Any], Hashable]]  # alt, priv


def asked(mechanism: Mechanism, priors: Sequence[Entries], views: Sequence[View]) -> Question:
    worlds = list(mechanism)
    outputs = list(dict.fromkeys(t for row in mechanism.values() for t in row))
    return Question(
        [[mechanism[w].get(t, ZERO) for t in outputs] for w in worlds],
        [([alt(w) for w in worlds], [priv(w) for w in worlds]) for alt, priv in views],
        [[(worlds.index(w), z, p) for w, z, p in entries] for entries in priors],
    )


def simulated(
    mechanism: Mechanism, priors: Sequence[Entries], views: Sequence[View], level: Level, delta: F
) -> Level:
    """`level`, after a solver has found a simulator for it, and none right below it (Def. 5)."""
    question = asked(mechanism, priors, views)
    if level == INFINITE:
        assert not question.serves(F(10**30), delta)
    else:
        assert isinstance(level, F) and question.serves(level, delta)
        assert level == 1 or not question.serves(level - F(1, 10**30), delta)
    return level


def inferred(
    mechanism: Mechanism,
    priors: Sequence[Entries],
    views: Sequence[View],
    level: Level,
    delta: F = ZERO,
) -> Level:
    """As `simulated`, for posteriors and the best choice of good (t, z) (Def. 4)."""
    question = asked(mechanism, priors, views)
    if level == INFINITE:
        assert not question.infers(F(10**30), delta)
    else:
        assert isinstance(level, F) and question.infers(level, delta)
        assert level == 1 or not question.infers(level - F(1, 10**30), delta)
    return level


def others(records: int) -> list[View]:
    """Definition 3, the simulator told which record is gone."""
    return [
        (lambda w, i=i: (i, *w[:i], *w[i + 1 :]), lambda w, i=i: w[i])  # type: ignore[misc]
        for i in range(records)
    ]


def knowing(prior: Prior, known: Callable[[Any], Hashable] = lambda w: None) -> Entries:
    return [(w, known(w), p) for w, p in prior.items()]


def distributional(
    mechanism: Mechanism,
    prior: Prior,
    level: Level,
    delta: F = ZERO,
    known: Callable[[Any], Hashable] = lambda w: None,
) -> Level:
    return simulated(
        mechanism, [knowing(prior, known)], others(len(next(iter(mechanism)))), level, delta
    )


def unseen(rows: Sequence[Row], level: Level, delta: F = ZERO) -> Level:
    """`rows`: the outputs given each value of a record that is independent of the others.

    What a simulator makes of the others then has the same distribution given each value, and it
    may be any: it may as well see nothing.
    """
    mechanism = {(k,): row for k, row in enumerate(rows)}
    prior = {w: F(1, len(rows)) for w in mechanism}
    return simulated(mechanism, [knowing(prior)], [(lambda w: None, lambda w: w[0])], level, delta)


def canonical(
    function: Callable[[World], Hashable],
    priors: Sequence[Prior],
    delta: F = ZERO,
    known: Callable[[Any], Hashable] = lambda w: None,
) -> Level:
    """The level of the deterministic mechanism itself as the simulator; None: absent."""
    levels: list[Level] = [F(1)]
    for prior in priors:
        for i in range(len(next(iter(prior)))):
            for case in {(w[i], known(w)) for w in prior}:
                part = {w: p for w, p in prior.items() if (w[i], known(w)) == case}
                mass = sum(part.values())
                real = add_up((function(w), p / mass) for w, p in part.items())
                ideal = add_up(
                    (function((*w[:i], None, *w[i + 1 :])), p / mass) for w, p in part.items()
                )
                levels += [smallest_level(real, ideal, delta), smallest_level(ideal, real, delta)]
    return max(levels)


def majority_without_noise() -> list[Level]:
    m = majority(3)
    fair, hidden = noiseless(m, [iid(COIN)]), noiseless(m, [HIDDEN])
    return [
        distributional(m, iid(COIN), F(2)),
        distributional(m, iid(COIN), F(2)),
        distributional(m, HIDDEN, F(2)),
        inferred(m, [knowing(iid(COIN))], others(3), F(2)),
        inferred(m, [knowing(HIDDEN)], others(3), F(50, 41)),
        *[differential_privacy(m, one_differs), fair, fair, hidden, hidden, hidden],
    ]


def parity_known() -> list[Level]:
    parity = exactly(3, BITS, lambda w: sum(w) % 2)
    given_parity = [{w: F(1, 4) for w in parity if sum(w) % 2 == z} for z in BITS]
    given_two = {(0, 0, 0): F(1, 2), (1, 0, 0): F(1, 2)}
    return [
        distributional(parity, iid(COIN), INFINITE, known=lambda w: sum(w) % 2),
        inferred(parity, [knowing(iid(COIN), lambda w: sum(w) % 2)], others(3), F(1)),
        distributional(parity, iid(COIN), F(1)),
        *(noiseless(parity, priors) for priors in ([iid(COIN)], given_parity, [given_two])),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "majority-without-noise.yaml": majority_without_noise,
    "parity-with-parity-known.yaml": parity_known,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def test_every_file_is_derived_once() -> None:
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in (MODELS.parent / "tests" / "models").glob("test_coupled_worlds*.py")
    )
    assert {file: tests.count(f'"{file}"') for file in files(FOLDER)} == dict.fromkeys(
        files(FOLDER), 1
    )
