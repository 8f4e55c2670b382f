"""Mechanisms that answer every record by itself: channels decide what all worlds would.

The same question is asked twice, of the channels and of the matrix over all worlds, on drawn
channels with zeros, ties and long denominators.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import permutations
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.definitions.drawn import decide
from tests.drawing import wider
from verifier.base.level import Leakage, Level
from verifier.definitions import (
    blowfish,
    bounded_range,
    differential_privacy,
    induced_neighbours,
    label_privacy,
    metric_privacy,
    pufferfish,
    renyi,
    zcdp,
)
from verifier.mechanisms.local import over
from verifier.questions.question import Question
from verifier.questions.witness import DivergenceWitness, RangeWitness
from verifier.run import verify
from verifier.run.verify import certified
from verifier.world.local import Channel, LocalMechanism, values_of
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, exchangeable

PARTS = ("0", "0", "1", "2", "2", "3", "1/3", "10000000000/10000000001", f"1/{10**30}", "7/9")
LEVELS = [Level.of_exp_epsilon(x) for x in ("1", "2", "3", "9", "100")]
LEVELS += [Level.of_epsilon("1/3"), Level.of_epsilon(2)]
SPACES: dict[str, Any] = {
    "bits": partial(database, domain=[0, 1]),
    "absent": partial(database, domain=["a", "b"], absent=True),
    "three": partial(database, domain=[0, 1, "5/2"]),
    "numbers": partial(database, domain=[0, 1, Fraction(5, 2)]),
    "entries": partial(database, domain={"x": [0, 1], "y": ["u", "v"]}),
    "gone": partial(database, domain={"x": [0, 1], "y": ["u"]}, absent=True),
}
NEIGHBOURS: dict[str, list[dict[str, Any]]] = {
    "bits": [{"neighbours": "all"}, {"neighbours": {"linf": 1}}, {"neighbours": {"l1": 2}}],
    "absent": [{"neighbours": "add_remove", "group": 2}, {"neighbours": "induced"}],
    "three": [{"group": 2}, {"neighbours": {"hamming": 2}}, {"neighbours": "induced"}],
    "numbers": [
        {"neighbours": {"l1": "1/2"}},
        {"neighbours": {"l1": 3}},
        {"neighbours": {"linf": "3/2"}},
        {"neighbours": "all"},
    ],
    "entries": [{"neighbours": "entry", "group": g} for g in (1, 2, 3)],
    "gone": [{"neighbours": {"hamming": 2}}, {"neighbours": "entry", "group": 2}],
}


def drawn_matrix(draw: Random, columns: int) -> Mechanism:
    outputs = draw.randint(1, 3)
    table = []
    for _ in range(columns):
        weights = [Fraction(draw.choice(PARTS)) for _ in range(outputs)]
        weights[draw.randrange(outputs)] += not any(weights)
        table.append([weight / sum(weights) for weight in weights])
    if draw.random() < 0.4:
        table = [draw.choice(table) for _ in table]
    return Mechanism.from_rows([f"o{o}" for o in range(outputs)], list(zip(*table, strict=True)))


def drawn(draw: Random, kind: str) -> tuple[WorldSpace, LocalMechanism]:
    space = SPACES[kind]([f"r{i}" for i in range(draw.randint(1, 3 if kind == "bits" else 2))])
    values = values_of(space)
    pool = []
    for _ in range(2):
        answers = [(drawn_matrix(draw, values.size), 1) for _ in range(draw.choice((1, 1, 2)))]
        pool.append(Channel.of(*((matrix, draw.choice((1, 1, 2))) for matrix, _ in answers)))
    return space, LocalMechanism.of(
        values, space.records, [draw.choice(pool) for _ in space.records]
    )


def agree(local: Question, whole: Question) -> None:
    """Both questions have the same answer, and the checker accepts both."""
    found, expected = certified(local), certified(whole)
    assert found.verdict == expected.verdict
    assert found.leakage == expected.leakage


def asked(ask: Any, space: WorldSpace, local: LocalMechanism, **options: Any) -> None:
    agree(
        ask(space=space, mechanism=local, **options),
        ask(space=space, mechanism=over(space, local), **options),
    )


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("seed", range(wider(3, 6)))
def test_differential_privacy(kind: str, seed: int) -> None:
    draw = Random(f"{kind} {seed}")
    for options in NEIGHBOURS[kind]:
        space, local = drawn(draw, kind)
        level = draw.choice(LEVELS)
        asked(differential_privacy.question, space, local, level=level, **options)


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("seed", range(wider(2, 3)))
def test_differential_privacy_with_delta(kind: str, seed: int) -> None:
    draw = Random(f"delta {kind} {seed}")
    for options in NEIGHBOURS[kind]:
        space, local = drawn(draw, kind)
        delta = draw.choice(("1/4", "1/10", f"1/{10**30}", "2/3"))
        level = draw.choice(LEVELS)
        ask = differential_privacy.question
        asked(ask, space, local, level=level, delta=delta, **options)


ONE_RECORD = {"absent": "add_remove", "entries": "entry"}  # else replace


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("seed", range(wider(1, 8)))
def test_divergences(kind: str, seed: int) -> None:
    """Ranges, and orders for which the sum is rational, are the same; others lie together."""
    draw = Random(f"divergences {kind} {seed}")
    asks = [bounded_range.question, zcdp.question]
    asks += [partial(renyi.question, order=order) for order in ("2", "3", "5", "3/2")]
    for ask in draw.sample(asks, 2):
        space, local = drawn(draw, kind)
        neighbours = ONE_RECORD.get(kind, "replace")
        options = {"level": draw.choice(LEVELS), "neighbours": neighbours}
        found = certified(ask(space=space, mechanism=local, **options))
        expected = certified(ask(space=space, mechanism=over(space, local), **options))
        assert found.verdict == expected.verdict and found.leakage and expected.leakage
        if found.leakage.bounds is None or expected.leakage.bounds is None:
            assert found.leakage == expected.leakage
        else:
            (low, high), (least, most) = found.leakage.bounds, expected.leakage.bounds
            assert low <= most and least <= high


def test_divergences_of_many_records(tmp_path: Path) -> None:
    """Of one of three answers with 3/5 the ratios are 3, 1 and 1/3; of order 2 the level is
    9/5 + 1/15 + 1/5 = 31/15, and its square where all is told twice. For two records that change
    there is no method."""
    text = """
worlds: {records: 1000, domain: [0, 1, 2]}
mechanisms:
  told: {randomized_response: {truth: 3/5}}
  twice: {repeat: {of: told, runs: 2}}
checks:
  - {bounded_range: {exp_epsilon: 9}, mechanism: told, leakage: 9}
  - {renyi: {exp_epsilon: 31/15, order: 2}, mechanism: told, leakage: 31/15}
  - {bounded_range: {exp_epsilon: 80}, mechanism: twice, leakage: 81, expect: violated}
  - {renyi: {exp_epsilon: 5, order: 2}, mechanism: twice, leakage: 961/225}
  - {zcdp: {rho: 1}, mechanism: twice}
  - {bounded_range: {exp_epsilon: 81, group: 2}, mechanism: told}
"""
    (tmp_path / "many.yaml").write_text(text)
    *found, last = verify.check(tmp_path / "many.yaml").results
    assert [one.status for one in found] == ["ok"] * 5 and last.status == "undecided"
    assert isinstance(found[0].answer.shown, RangeWitness)
    assert found[0].answer.shown.outputs == ["0", "1"] and found[0].answer.shown.ratio == 9
    assert isinstance(found[4].answer.shown, DivergenceWitness)
    assert "r1 = 0" in found[4].answer.shown.before.pair


def test_divergences_of_many_answers() -> None:
    """Twenty bits of one record: the range is 9^20. With an output that 0 has and 1 has not, no
    level is enough."""
    bit = Mechanism.from_rows(["no", "yes"], [["3/4", "1/4"], ["1/4", "3/4"]])
    half = Mechanism.from_rows(["a", "b"], [["1/2", "0"], ["1/2", "1"]])
    space = database(["ann", "bob"], [0, 1])
    many, mixed = (
        LocalMechanism.of(values_of(space), space.records, [Channel.of(*answers)] * 2)
        for answers in ([(bit, 20)], [(bit, 20), half])
    )
    level = Level.of_exp_epsilon(9**20)
    found = certified(bounded_range.question(space=space, mechanism=many, level=level))
    assert (found.verdict, found.leakage) == ("holds", Leakage(Fraction(9**20)))
    found = certified(renyi.question(space=space, mechanism=mixed, level=level, order="2"))
    assert found.leakage == Leakage() and isinstance(found.shown, DivergenceWitness)
    assert found.shown.output == "no, a" and found.shown.before.pair == ("ann = 0", "ann = 1")


@pytest.mark.parametrize("seed", range(wider(4, 8)))
def test_metrics(seed: int) -> None:
    draw = Random(f"metric {seed}")
    for kind, distance in (("numbers", "l1"), ("bits", "l1"), ("absent", "hamming")):
        space, local = drawn(draw, kind)
        asked(metric_privacy.question, space, local, level=LEVELS[seed % 7], distance=distance)


@pytest.mark.parametrize("seed", range(wider(4, 8)))
def test_policies(seed: int) -> None:
    draw = Random(f"policy {seed}")
    level = LEVELS[seed % 7]
    space, local = drawn(draw, "numbers")
    names = space.records
    graphs = (
        "full",
        {"edges": [["0", "1"], ["1", "5/2"]]},
        {"distance": "3/2"},
        {"records": {names[0]: {"partition": [["0", "1"]]}}},
    )
    asked(blowfish.question, space, local, level=level, graph=graphs[seed % 4])
    space, local = drawn(draw, "entries")
    asked(blowfish.question, space, local, level=level, graph="attribute", delta="1/5")
    space, local = drawn(draw, "gone")
    asked(label_privacy.question, space, local, level=level, label="x")
    space, local = drawn(draw, "absent")
    asked(induced_neighbours.question, space, local, level=level)


@pytest.mark.parametrize("seed", range(wider(8, 16)))
def test_secrets_of_single_records(seed: int) -> None:
    """Channels of one record, against all worlds with polynomials and given priors."""
    draw = Random(f"secrets {seed}")
    kind = draw.choice(("bits", "absent", "three", "entries", "gone"))
    space, local = drawn(draw, kind)
    pairs = draw.choice(
        {"absent": ["values", "presence"], "gone": ["presence", "entries"]}.get(
            kind, ["values", "entries"]
        )
    )
    values = local.values.value_names
    one = distribution(draw, values)
    each = [distribution(draw, values) for _ in space.records]
    priors = draw.choice(("product", {"list": [{"iid": one}, "uniform", {"independent": each}]}))
    ask = partial(pufferfish.question, pairs=pairs, priors=priors)
    delta = draw.choice((0, 0, "1/7"))
    asked(ask, space, local, level=LEVELS[seed % 7], delta=delta)


def distribution(draw: Random, values: list[str]) -> dict[str, str]:
    weights = [Fraction(draw.choice(PARTS[:7])) for _ in values]
    weights[draw.randrange(len(values))] += 1
    return {v: str(weight / sum(weights)) for v, weight in zip(values, weights, strict=True)}


def test_one_unknown_distribution_of_all_records() -> None:
    """Of single values it makes any two likely, so that the channels decide."""
    space = database(["ann", "bob"], [0, 1])
    draw = Random(0)
    for _ in range(3):
        matrix = drawn_matrix(draw, 2)
        channels = [Channel.of(matrix), Channel.of(drawn_matrix(draw, 2))]
        local = LocalMechanism.of(values_of(space), space.records, channels)
        ask = partial(pufferfish.question, pairs="values", priors="iid")
        asked(ask, space, local, level=LEVELS[2])


def crowd(
    draw: Random, values: list[Any], absent: bool = False
) -> tuple[WorldSpace, LocalMechanism]:
    """Histograms of one to four records, and up to three answers about them."""
    space = exchangeable(draw.randint(1, 4), domain=values, absent=absent)
    answers = [
        (drawn_matrix(draw, space.size), draw.choice((1, 1, 2))) for _ in range(draw.randint(1, 3))
    ]
    return space, LocalMechanism.of(space, ("",), [Channel.of(*answers)])


@pytest.mark.parametrize("seed", range(wider(6, 12)))
def test_histograms_as_they_are_defined(seed: int) -> None:
    """Half the sum of all differences of counts is how many records move."""
    draw = Random(f"crowd {seed}")
    space, local = crowd(draw, ["a", "b", "c"])
    assert space.counts is not None
    rows = space.counts.T.tolist()
    for group, neighbours in ((1, "replace"), (2, "replace"), (9, "all"), (3, {"hamming": 3})):
        within = [
            pair
            for pair in permutations(range(space.size), 2)
            if sum(abs(x - y) for x, y in zip(*map(rows.__getitem__, pair), strict=True))
            <= 2 * group
        ]
        found = certified(
            differential_privacy.question(
                space=space,
                mechanism=local,
                level=draw.choice(LEVELS),
                neighbours=neighbours,
                group=group if neighbours == "replace" else 1,
            )
        )
        assert found.leakage is not None
        assert found.leakage.exp_epsilon == largest(local.channels[0], within)


def largest(channel: Channel, pairs: list[tuple[int, int]]) -> Fraction | None:
    """The largest ratio of two columns of all answers together, by definition; None: infinite."""
    best = Fraction(1)
    for i, j in pairs:
        ratio = Fraction(1)
        for matrix, runs in channel.answers:
            rows = range(len(matrix.outputs))
            both = [(matrix.probability(o, i), matrix.probability(o, j)) for o in rows]
            if any(p > 0 == q for p, q in both):
                return None
            ratio *= max(p / q for p, q in both if p) ** runs
        best = max(best, ratio)
    return best


@pytest.mark.parametrize("seed", range(wider(4, 8)))
def test_histograms_twice_said(seed: int) -> None:
    """An answer for each element, and one matrix of all, whatever the neighbours."""
    draw = Random(f"crowds {seed}")
    ask = differential_privacy.question
    for options in ({"neighbours": "add_remove"}, {"neighbours": {"hamming": 2}}, {"group": 2}):
        space, local = crowd(draw, ["a", "b"], absent=True)
        asked(ask, space, local, level=draw.choice(LEVELS), **options)
    space, local = crowd(draw, [0, 1, 5])
    for neighbours in ({"l1": 2}, {"linf": 1}, "entry", "induced"):
        asked(ask, space, local, level=draw.choice(LEVELS), neighbours=neighbours)
    asked(ask, space, local, level=draw.choice(LEVELS), delta="1/7")


@pytest.mark.parametrize("bits", [1, 101, 400])
def test_delta_of_many_equal_channels(bits: int) -> None:
    """The level of the events "at least k bits are told as they are", by binomial coefficients."""
    delta = Fraction(1, 10)
    ways = [comb(bits, k) for k in range(bits, -1, -1)]
    told, not_told = Fraction(0), Fraction(0)
    levels = [Fraction(1)]
    for k, n in zip(range(bits, -1, -1), ways, strict=True):
        told += Fraction(n * 3**k, 4**bits)
        not_told += Fraction(n * 3 ** (bits - k), 4**bits)
        levels.append((told - delta) / not_told)
    spec = {
        "worlds": {"records": str(bits), "domain": ["0", "1"]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "checks": [
            {"differential_privacy": {"exp_epsilon": "2", "delta": "1/10", "group": str(bits)}}
        ],
    }
    assert decide(spec).leakage.exp_epsilon == max(levels)
