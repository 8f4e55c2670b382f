"""What Theorem 5.1 of the composition paper asks for, and what k runs leak: models/composition,
by plain fractions and whole powers."""

import json
from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations, pairwise, product
from math import prod
from pathlib import Path

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Prior,
    Row,
    Secret,
    add_up,
    coin,
    databases,
    differential_privacy,
    independent,
    pufferfish,
)
from tests.models.conditions import Weights, met, needed, possible, proved, serve, situations
from tests.models.model_files import MODELS, checks, confirm, confirm_engine, files, once
from tests.models.test_composition_models import DERIVED as OTHERS
from tests.models.test_composition_models import repeated
from tests.models.test_composition_paper_models import DERIVED as OF_THE_PAPER
from verifier import cli
from verifier.run import verify

pytestmark = pytest.mark.usefixtures("here")

FOLDER = "composition"
BITS = (0, 1)


def among(worlds: str) -> Secret:
    return lambda w: w in set(worlds)


def table(outputs: str, rows: dict[str, str]) -> Mechanism:
    """Rows of fractions separated by blanks."""
    return {
        w: add_up(zip(outputs.split(), map(F, row.split()), strict=True)) for w, row in rows.items()
    }


def uniform(worlds: str) -> Prior:
    return {w: F(1, len(worlds)) for w in worlds}


# --- Weights of one half ----------------------------------------------------------------------

MEAN = table(
    "1 2 3 4 rest",
    {
        "c": "1/5 1/5 1/20 1/5 7/20",
        "d": "1/5 1/5 1/5 1/20 7/20",
        "a": "1/20 1/5 1/5 1/5 7/20",
        "b": "1/5 1/20 1/5 1/5 7/20",
    },
)
SIDES = [(among("cd"), among("ab"))]
HALVES: list[Weights] = [{"a": 1, "b": 1}, {"c": 1, "d": 1}]


def composes_by_a_mean() -> list[Level]:
    believed = uniform("abcd")
    counts = [{"1": 1, "2": 1}, {"3": 1, "4": 1}]
    level = proved(MEAN, possible(believed), SIDES, F(2), HALVES, counts)
    one, *more = (pufferfish(repeated(MEAN, k), [believed], SIDES) for k in (1, 2, 3, 4))
    assert more == [4, 2 / (F(1, 4) + F(1, 16)), 16]
    near = differential_privacy(MEAN, lambda v, w: (v in "ab") != (w in "ab"))
    assert near == differential_privacy(MEAN, lambda v, w: True)
    return [level, level, near, one, *more]


def test_both_orders_and_every_world_need_the_mean() -> None:
    """Each of the four conditions is met at 2 by (1/2, 1/2), and by one world not below 4."""
    for world, others in situations(possible(uniform("abcd")), SIDES):
        assert serve(MEAN, F(2), world, dict.fromkeys(others, 1))
        assert not serve(MEAN, F("1.999999999"), world, dict.fromkeys(others, 1))
        for other in others:
            assert serve(MEAN, F(4), world, {other: 1})
            assert not serve(MEAN, F("3.999999999"), world, {other: 1})
    everything = possible(uniform("abcd")), SIDES
    assert not met(MEAN, *everything, F("1.999999999"), HALVES)
    assert not needed(MEAN, *everything, F("2.000000001"), [{"1": 1, "2": 1}])


def test_the_arithmetic_mean_is_at_least_the_geometric() -> None:
    """For k runs: P(o | s) <= 2**k P(o | t), since for every D the square of P(o | D) is at most
    4**k times the product of the other two, which is at most the square of their arithmetic mean.
    """
    for k in (1, 2, 3):
        for outcome in product(MEAN["a"], repeat=k):
            chance = {w: prod((row[o] for o in outcome), start=F(1)) for w, row in MEAN.items()}
            for s, t in ("cd", "ab"), ("ab", "cd"):
                x, y = (chance[w] for w in t)
                assert ((x + y) / 2) ** 2 - x * y == ((x - y) / 2) ** 2
                assert all(chance[w] ** 2 <= 4**k * x * y for w in s)


# --- Weights that are logarithms --------------------------------------------------------------

FIRST = table(
    "up down rest",
    {"d": "1/4 1/4 1/2", "a": "1/8 1/4 5/8", "b": "1/4 1/12 2/3"},
)
SECOND = table(
    "up down rest",
    {"d": "1/4 1/4 1/2", "a": "1/16 1/4 11/16", "b": "3/8 1/24 7/12"},
)
DAB = [(among("d"), among("ab"))]
IRRATIONAL = "composition/irrational-weights.yaml"
DEFINITIONS = ("composition", "pufferfish")
A, B = 24727, 15601  # A : B is nearly log 3 : log 2, A/(A + B) = 0.61314719…


def test_levels_of_irrational_weights() -> None:
    """Weights and counts prove that the smallest levels are within the pinned intervals."""
    supports = possible(uniform("dab"))
    below, above = F("1.529592328"), F("1.529592329")
    assert met(FIRST, supports, DAB, above, [{"a": A, "b": B}])
    assert needed(FIRST, supports, DAB, below, [{"up": A, "down": B}])
    assert met(SECOND, supports, DAB, F("2.000000001"), [{"a": A, "b": B}])
    assert needed(SECOND, supports, DAB, F(2), [{"up": 1, "down": 1}])
    once = pufferfish(FIRST, [uniform("dab")], DAB)
    assert once == F(3, 2) < below
    stated = checks(IRRATIONAL)
    asked = [F(next(c[d]["exp_epsilon"] for d in c if d in DEFINITIONS)) for c in stated]
    assert asked == [above, below, below, F(2), F("1.999999999")]
    verdicts = [c.get("expect", "holds") for c in stated]
    assert verdicts == ["holds", "violated", "holds", "holds", "violated"]
    intervals = [["1.529592328", "1.529592329"], None, "3/2", "2", None]
    assert [c.get("leakage") for c in stated] == intervals


def test_at_the_level_itself_only_irrational_weights_serve() -> None:
    """4**x (2/3)**(1-x) <= 2 is 6**x <= 3, and 6**(1-x) <= 2 is 6**x >= 3: with x = p/n that is
    6**p = 3**n, which is impossible by the factor 2 unless p = 0, and then n = 0. With 6**x = 3
    both are 2, and `rest`, 8/11 and 6/7 of d's, asks for less; so 2 is the level."""
    d, a, b = (SECOND[w] for w in "dab")
    assert [d["up"] / a["up"], d["up"] / b["up"]] == [4, F(2, 3)]
    assert [d["down"] / a["down"], d["down"] / b["down"]] == [1, 6]
    assert F(4) / F(2, 3) == 6 == F(6) / 1 and 2 / F(2, 3) == 3 and F(6) / 2 == 3
    weights = [{"a": p, "b": n - p} for n in range(1, 40) for p in range(n + 1)]
    assert not any(serve(SECOND, F(2), "d", chosen) for chosen in weights)


def test_the_engine_encloses_the_level() -> None:
    first, _, once, second, _ = verify.run(str(MODELS / IRRATIONAL))
    assert once.answer.leakage is not None and once.answer.leakage.exp_epsilon == F(3, 2)
    assert second.answer.leakage is not None and second.answer.leakage.exp_epsilon == 2
    assert first.status == "ok" and first.answer.leakage is not None
    found = first.answer.leakage.as_json()
    low, high = F("1.529592328"), F("1.529592329")
    assert low <= F(found["lower"]) < F(found["upper"]) <= high


# --- Worlds that nobody believes in -----------------------------------------------------------

# r, g: real and ghost worlds of s; R, G: those of t
HUNT: Mechanism = {w: {w == "g": F(1)} for w in "rgRG"}
TOSS: Mechanism = {w: coin(F(2, 3) if w in "rG" else F(1, 3)) for w in "rgRG"}
REAL_OR_GHOST = [(among("rg"), among("RG"))]


def supports_matter() -> list[Level]:
    certain, all_four = uniform("rR"), uniform("rgRG")
    every = [set(chosen) for n in range(1, 5) for chosen in combinations("rgRG", n)]
    pairs = REAL_OR_GHOST
    return [
        proved(HUNT, possible(certain), pairs, F(1)),
        pufferfish(repeated(HUNT, 2), [certain], pairs),
        proved(HUNT, possible(all_four), pairs, INFINITE),
        proved(TOSS, possible(certain), pairs, F(2)),
        pufferfish(repeated(TOSS, 2), [certain], pairs),
        proved(TOSS, possible(all_four), pairs, F(1)),
        pufferfish(repeated(TOSS, 2), [all_four], pairs),
        proved(TOSS, every, pairs, F(2)),
    ]


def test_the_theorem_as_printed_is_false_both_ways() -> None:
    """It asks for every world of s, and lets every world of t help. But `HUNT` leaks nothing in any
    number of runs to who knows that there are no ghosts, and `TOSS` leaks 2**k."""
    everywhere, certain = [set("rgRG")], uniform("rR")
    proved(HUNT, everywhere, REAL_OR_GHOST, INFINITE)
    assert HUNT["r"] == HUNT["R"]
    proved(TOSS, everywhere, REAL_OR_GHOST, F(1))
    for k in (1, 2, 3):
        assert pufferfish(repeated(TOSS, k), [certain], REAL_OR_GHOST) == 2**k


# --- Correlation is given away once -----------------------------------------------------------

HABITS: Prior = {w: F(3 if w[0] == w[1] else 1, 8) for w in databases(2, BITS)}
ANSWERS = [(lambda w: w[0] == 1, lambda w: w[0] == 0)]


def said(bit: int, truth: F) -> Row:
    return {bit: truth, 1 - bit: 1 - truth}


OF_HABIT: Mechanism = {w: said(w[1], F(3, 4)) for w in HABITS}
OF_BOTH: Mechanism = {w: independent([said(w[0], F(2, 3)), said(w[1], F(3, 4))]) for w in HABITS}


def habits() -> list[Level]:
    once, *more = (pufferfish(repeated(OF_HABIT, k), [HABITS], ANSWERS) for k in (1, 2, 3))
    both = [pufferfish(repeated(OF_BOTH, k), [HABITS], ANSWERS) for k in (1, 2, 3)]
    return [
        proved(OF_HABIT, possible(HABITS), ANSWERS, F(1)),
        once,
        *more,
        proved(OF_BOTH, possible(HABITS), ANSWERS, F(2)),
        *both,
    ]


def test_the_formulas_of_the_file() -> None:
    """(3 * 3**k + 1)/(3**k + 3) for k answers about the habit, 2**k times that for both; both
    grow slower than the powers of one run."""
    formula = [F(3 * 3**k + 1, 3**k + 3) for k in range(40)]
    for k in (1, 2, 3, 4):
        assert pufferfish(repeated(OF_HABIT, k), [HABITS], ANSWERS) == formula[k]
    for k in (1, 2, 3):
        assert pufferfish(repeated(OF_BOTH, k), [HABITS], ANSWERS) == 2**k * formula[k]
    assert all(x < y < 3 for x, y in pairwise(formula))
    assert all(formula[k] < formula[1] ** k for k in range(2, 40))


# --- How long it takes ------------------------------------------------------------------------


def expected_runs(row: Row, certain: Callable[[frozenset[object]], bool]) -> F:
    """Until the set of different outputs seen is enough."""

    def from_here(seen: frozenset[object]) -> F:
        if certain(seen):
            return F(0)
        later = sum((p * from_here(seen | {o}) for o, p in row.items() if o not in seen), F(1))
        return later / sum((p for o, p in row.items() if o not in seen), F(0))

    return from_here(frozenset())


def two_kinds(seen: frozenset[object]) -> bool:
    return len(seen) >= 2


LENGTHS = {
    # the true world is known as soon as it was seen with two others of the other side
    "collapse-one-prior.yaml": {"a": ("1/2 1/2", "3"), "b": ("1/4 3/4", "13/3")},
    "collapse-unequal-worlds.yaml": {"a": ("2/3 1/3", "7/2"), "b": ("1/6 1/3 1/2", "27/10")},
    # one A and one B
    "collapse-xor.yaml": {"": ("1/2 1/2", "3")},
    # two outputs of which the other side has only one each
    "collapse-interval-corners.yaml": {"": ("1/2 1/2", "3")},
    "collapse-interval-priors.yaml": {"": ("1/2 1/2", "3")},
}


@pytest.mark.parametrize("file", LENGTHS)
def test_compose_prints_the_expected_numbers_of_runs(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By an absorbing chain over the sets of outputs seen, and 1 + the sum of p/(1-p) by hand."""
    for chances, length in LENGTHS[file].values():
        row = dict(enumerate(map(F, chances.split())))
        assert expected_runs(row, two_kinds) == F(length)
        assert 1 + sum((p / (1 - p) for p in row.values()), F(0)) == F(length)
    path = str(MODELS / FOLDER / file)
    assert cli.main(["compose", path, "--runs", "2", "--format", "json"]) == 0
    for setting in json.loads(capsys.readouterr().out)["settings"]:
        assert setting["conditions"]["infinite"]
        for about in setting["certainty"]:
            for world, number in about["expected"]["worlds"].items():
                (length,) = {x for k, (_, x) in LENGTHS[file].items() if world.startswith(k)}
                assert F(number) == F(length)
            assert len(about["fewest"]["outputs"]) == 2


def test_two_outputs_are_enough_for_example_3() -> None:
    """Each world of s1 shares one of its two outputs with each world of not_s1."""
    outputs = {"t": {"1a2a", "1a2b"}, "t_other": {"1b2a", "1b2b"}}
    others = {"f": {"1a2a", "1b2a"}, "f_other": {"1a2b", "1b2b"}}
    assert all(len(x & y) == 1 for x in outputs.values() for y in others.values())


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "composes-by-a-mean.yaml": composes_by_a_mean,
    "habits-tell-less-and-less.yaml": habits,
    "supports-matter.yaml": supports_matter,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def test_every_file_is_derived() -> None:
    constraints = ("product-given-", "blowfish-row-", "at-most-", "exact-count-")
    others = ("influence-", "post-processing-", "gaussian-", *constraints)
    elsewhere = {f for f in files(FOLDER) if f.startswith(others)}
    here = {*DERIVED, Path(IRRATIONAL).name}
    assert {*OTHERS, *OF_THE_PAPER, *here, *elsewhere} == set(files(FOLDER))
