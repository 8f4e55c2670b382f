"""Boxes of matrices: verdicts against the corners of the box, and an independent linear program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from pathlib import Path
from random import Random

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

import verifier
from tests.loops import each
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.level import Level
from verifier.definitions import differential_privacy, metric_privacy, pufferfish
from verifier.engines.comparison import boxes as engine
from verifier.mechanisms import mechanism_of, released_of
from verifier.questions.answer import Answer
from verifier.questions.boxes import BoxClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Secret
from verifier.questions.witness import EndsWitness
from verifier.run.verify import answer, answer_of_proof
from verifier.spec.boxes import asked
from verifier.world.box import Box, filled, telling, tight
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, named

Interval = tuple[F, F]
Columns = Sequence[Sequence[F]]


def space(count: int) -> WorldSpace:
    return named([f"w{k}" for k in range(count)])


def question(box: Box, level: F, delta: F = F(0)) -> Question:
    """Differential privacy of every matrix of a box, all worlds neighbours."""

    def ask(mechanism: Mechanism) -> Question:
        return differential_privacy.question(
            space=space(box.worlds),
            mechanism=mechanism,
            level=Level.of_exp_epsilon(level),
            delta=delta,
            neighbours="all",
        )

    return asked(box, ask)


def verdict(box: Box, level: F, delta: F = F(0)) -> Answer | None:
    """The answer; None where some matrices hold."""
    try:
        return answer(question(box, level, delta))
    except NotDecided as reason:
        assert "some matrices of the box hold" in str(reason)
        return None


def corners(column: Sequence[Interval]) -> Iterator[tuple[F, ...]]:
    """The corners of the numbers of sum 1 between ends: all but one number is at an end."""
    for free, (low, high) in enumerate(column):
        rest = [ends for at, ends in enumerate(column) if at != free]
        for chosen in product(*rest):
            left = 1 - sum(chosen)
            if low <= left <= high:
                yield (*chosen[:free], left, *chosen[free:])


def excess(columns: Columns, level: F) -> F:
    """The smallest δ at a level, straight from the definition, all worlds neighbours."""
    pairs = [(p, q) for p in columns for q in columns if p is not q]
    return max(
        sum((max(F(0), a - level * b) for a, b in zip(p, q, strict=True)), F(0)) for p, q in pairs
    )


def drawn(random: Random, outputs: int, worlds: int) -> Box:
    """A box that is not empty, with zeros, ties and awkward denominators."""
    columns = []
    for _ in range(worlds):
        weights = [random.choice((0, 1, 2, 3, 5)) for _ in range(outputs)]
        weights[random.randrange(outputs)] += 1
        total, ends = sum(weights), []
        for weight in weights:
            slack = random.choice((F(0), F(1, 7), F(1, 10**30), F(1, 3)))
            ends.append((max(F(0), F(weight, total) - slack), min(F(1), F(weight, total) + slack)))
        columns.append(ends)
    return Box.of([f"o{k}" for k in range(outputs)], columns)


def slack_by_floats(box: Box, level: F, delta: F) -> float:
    """By how much the best matrix of the box misses a level, by a float solver."""
    m, n = len(box.outputs), box.worlds
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    size = m * n + m * len(pairs) + 1
    rows, right = [], []
    for k, (i, j) in enumerate(pairs):
        for o in range(m):
            row = np.zeros(size)
            row[i * m + o], row[j * m + o], row[m * n + k * m + o] = 1, -float(level), -1
            rows.append(row)
            right.append(0.0)
        row = np.zeros(size)
        row[m * n + k * m : m * n + (k + 1) * m], row[-1] = 1, -1
        rows.append(row)
        right.append(float(delta))
    sums = np.zeros((n, size))
    for w in range(n):
        sums[w, w * m : (w + 1) * m] = 1
    ends = [tuple(map(float, end)) for w in range(n) for end in box.column(w)]
    bounds = [*ends, *[(0, None)] * (m * len(pairs) + 1)]
    costs = np.zeros(size)
    costs[-1] = 1
    found = linprog(costs, rows, right, sums, np.ones(n), bounds)
    assert found.status == 0
    return float(found.fun)


@each("seed", range(40))
@each("delta", [F(0), F(1, 9)])
def test_verdicts_against_corners_and_a_float_program(seed: int, delta: F) -> None:
    """A convex function is largest at a corner: so *holds* is that all corners do; and where no
    matrix does, the smallest slack of any is above 0."""
    random = Random(seed)
    box = drawn(random, random.choice((2, 3, 4)), 2)
    listed = [list(corners(box.column(w))) for w in range(2)]
    worst = random.choice((F(3, 2), F(2), F(7, 3), F(10)))
    found = verdict(box, worst, delta)
    all_hold = all(excess(columns, worst) <= delta for columns in product(*listed))
    slack = slack_by_floats(box, worst, delta)
    if found is None:
        assert slack < 1e-7
        assert delta or not all_hold  # with δ entries give a bound only
    elif found.verdict == "holds":
        assert all_hold
    else:
        assert slack > 1e-9 or not any(
            excess(columns, worst) <= delta for columns in product(*listed)
        )
        assert not all_hold
    if all_hold and not delta:
        assert found is not None and found.verdict == "holds"
    if slack > 1e-7:
        assert found is not None and found.verdict == "violated"


@pytest.mark.parametrize("seed", range(12))
def test_the_leakage_is_enclosed(seed: int) -> None:
    """At the lower end of the leakage some matrix holds, below it none; at the upper one all do."""
    box = drawn(Random(seed), 3, 3)
    for w in range(3):
        for o, (low, high) in enumerate(box.column(w)):
            attained = [c[o] for c in corners(box.column(w))]
            assert (min(attained), max(attained)) == (low, high)
    found = verdict(box, F(10**40))
    if found is None or found.leakage is None or found.leakage.infinite:
        return
    low = found.leakage.low
    high = found.leakage.bounds[1] if found.leakage.bounds else low
    assert low is not None and high is not None
    assert slack_by_floats(box, low, F(0)) < 1e-7
    if low > 1:
        assert slack_by_floats(box, low - F(1, 100), F(0)) > 0
    assert verdict(box, high) is not None


FIVE = Box.of(
    list("abcde"),
    [
        [(F(1, 5), F(1, 5))] * 5,
        [(F(1, 10), F(17, 100))] * 3 + [(F(1, 5), F(3, 5))] * 2,
    ],
)


def test_every_matrix_violates_and_no_single_output_shows_it() -> None:
    """By hand: three outputs have at most 51/100, the other two at least 49/100, against 2/5."""
    found = verdict(FIVE, F(6, 5))
    assert found is not None and found.verdict == "violated"
    assert found.leakage is not None and found.leakage.bounds == (F(49, 40), F(5, 2))
    assert isinstance(found.shown, EndsWitness) and len(found.shown.rows) > 1
    claim = question(FIVE, F(6, 5)).claim
    assert isinstance(claim, BoxClaim)
    for o in range(5):
        for i, j in ((0, 1), (1, 0)):
            assert claim.interval(i, o)[0] <= F(6, 5) * claim.interval(j, o)[1]
    text = "\n".join(found.shown.lines())
    assert "below e^ε = 49/40 every matrix between the ends misses one of these" in text
    assert found.shown.as_json()["below"] == "49/40"
    retold = answer_of_proof(question(FIVE, F(6, 5)), found.proof)  # type: ignore[arg-type]
    assert retold.shown == found.shown


def test_between_the_levels_a_matrix_of_each_kind_is_told() -> None:
    with pytest.raises(NotDecided) as reason:
        answer(question(FIVE, F(2)))
    assert "this one does, even at e^ε = 49/40: w0: [1/5, 1/5, 1/5, 1/5, 1/5], w1: [" in str(
        reason.value
    )
    assert "this one does not: w0: [1/5, 1/5, 1/5, 1/5, 1/5], w1: [1/10, " in str(reason.value)


def test_with_delta_the_ends_give_a_bound() -> None:
    """The largest excess is 26/100; the bound says 3/10."""
    held = verdict(FIVE, F(6, 5), F(3, 10))
    assert held is not None and held.verdict == "holds"
    for delta, said in ((F(27, 100), "not known whether all of them do"), (F(1, 4), "does not: ")):
        with pytest.raises(NotDecided, match=said):
            answer(question(FIVE, F(6, 5), delta))
    small = verdict(FIVE, F(1), F(1, 12))
    assert small is not None and small.verdict == "violated"
    assert isinstance(small.shown, EndsWitness) and small.shown.slack == F(1, 12)
    assert "by more than 1/12 together" in "\n".join(small.shown.lines())


def test_infinite_and_unknown_levels() -> None:
    """What one world never says, another one says surely, or perhaps."""
    never, ever = [(F(0), F(0)), (F(1), F(1))], [(F(1, 9), F(1, 3)), (F(2, 3), F(8, 9))]
    found = verdict(Box.of(["a", "b"], [never, ever]), F(3))
    assert found is not None and found.leakage is not None and found.leakage.infinite
    assert "at any level" in "\n".join(found.shown.lines())  # type: ignore[arg-type]
    perhaps = Box.of(["a", "b"], [[(F(0), F(1, 100)), (F(99, 100), F(1))], ever])
    violated = verdict(perhaps, F(3))
    assert violated is not None and violated.verdict == "violated" and violated.leakage is None
    assert verdict(perhaps, F(100)) is None
    with_delta = verdict(Box.of(["a", "b"], [never, ever]), F(3), F(1, 10))
    assert with_delta is not None and with_delta.leakage is not None
    assert with_delta.leakage.infinite


def test_points_are_decided_as_matrices_are() -> None:
    rows = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    box = Box.of(["a", "b"], [[(p, p) for p in row] for row in rows])
    found = verdict(box, F(3))
    assert found is not None and found.leakage is not None and found.leakage.exp_epsilon == 3
    alike = Box.of(["a"], [[(F(1), F(1))]] * 2)
    same = verdict(alike, F(1))
    assert same is not None and same.verdict == "holds" and same.evidence is None
    alone = verdict(Box.of(["a"], [[(F(1), F(1))]]), F(1))
    assert alone is not None and alone.leakage is not None and alone.leakage.vacuous


def test_many_pairs_are_left_to_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL", "MOST_ROWS"):
        monkeypatch.setattr(engine, name, 1)
    with pytest.raises(NotDecided, match="too large"):
        answer(question(FIVE, F(2)))
    monkeypatch.setattr(engine, "FEW_PAIRS", 0)
    box = Box.of(["a", "b"], [[(F(1, 10), F(9, 10))] * 2, [(F(1, 2), F(1, 2))] * 2])
    assert verdict(box, F(9)) is not None  # each world is compared with itself too
    with pytest.raises(NotDecided):
        answer(question(box, F(8)))
    monkeypatch.setattr(engine, "FEW_PAIRS", 100)
    assert verdict(box, F(8)) is not None
    monkeypatch.setattr(engine, "SHOWN", 3)
    monkeypatch.setattr(engine, "MOST_ROWS", 100)
    with pytest.raises(NotDecided, match=r"in w0 … \(2 worlds\)"):
        answer(question(FIVE, F(2)))


def test_mixtures_of_worlds() -> None:
    """Pufferfish with a prior: the secret of two worlds has the mixture of their ends."""
    ends = [[(F(1, 4), F(1, 2)), (F(1, 2), F(3, 4))], [(F(1, 2), F(1, 2))] * 2]
    box = Box.of(["a", "b"], [*ends, [(F(1, 8), F(1, 4)), (F(3, 4), F(7, 8))]])
    rows = [True, True, False]
    pair = Secret("s", np.array(rows)), Secret("t", ~np.array(rows))

    def ask(mechanism: Mechanism) -> Question:
        return pufferfish.question(
            space=space(3),
            mechanism=mechanism,
            level=Level.of_exp_epsilon(4),
            pairs=[pair],
            priors={"list": [{"worlds": {"w0": "1/2", "w1": "1/6", "w2": "1/3"}}]},
        )

    found = answer(asked(box, ask))
    # of a: (3/4)·[1/4, 1/2] + (1/4)·1/2 = [5/16, 1/2] against [1/8, 1/4]
    assert found.verdict == "holds" and found.leakage is not None
    assert found.leakage.bounds == (F(5, 4), F(4))
    assert isinstance(found.shown, EndsWitness) and found.shown.rows[0].pair == ("s", "t")


def test_distances_are_compared_entry_by_entry() -> None:
    box = Box.of(["a", "b"], [[(F(1, 4), F(1, 3)), (F(2, 3), F(3, 4))], [(F(1, 2), F(1, 2))] * 2])

    def ask(level: F) -> Question:
        return asked(
            box,
            lambda mechanism: metric_privacy.question(
                space=space(2),
                mechanism=mechanism,
                level=Level.of_exp_epsilon(level),
                distance={"graph": [["w0", "w1", 2]]},
            ),
        )

    assert answer(ask(F(3, 2))).verdict == "holds"  # 1/2 : 1/4 = 2 <= 9/4
    assert answer(ask(F(11, 10))).verdict == "violated"  # 1/2 : 1/3 = 3/2 > 121/100
    with pytest.raises(NotDecided, match="distances of 1 only"):
        answer(ask(F(13, 10)))


def test_what_is_more_than_a_comparison_stays_undecided(tmp_path: Path) -> None:
    table = "table: {outputs: [a, b], 0: [[0, 1], [0, 1]], 1: [1/2, 1/2]}"
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        f"worlds: {{records: [ann], domain: [0, 1]}}\nmechanism: {{{table}}}\n"
        "checks:\n  - pufferfish: {exp_epsilon: 3, pairs: values, priors: iid}\n"
        "  - differential_privacy: {exp_epsilon: 3, tradeoff: [1, 2]}\n"
    )
    with pytest.raises(InputError) as wrong:
        verifier.check(spec)
    assert wrong.value.code == "S602"
    text = spec.read_text().replace(", tradeoff: [1, 2]", ", delta: exp(-1)")
    spec.write_text(text)
    report = verifier.check(spec)
    assert [result.verdict for result in report.results] == ["undecided"] * 2
    assert "likelihoods of worlds are compared" in str(report.results[0].answer.reason)
    assert "irrational" in str(report.results[1].answer.reason)


def test_a_box_is_no_mechanism() -> None:
    table = {"table": {"outputs": ["a", "b"], "w0": [["0", "1"], ["0", "1"]], "w1": ["1", "0"]}}
    assert isinstance(released_of(space(2), table), Box)
    with pytest.raises(InputError, match="S120"):
        mechanism_of(space(2), table)


def test_ends_are_tightened_and_filled() -> None:
    half, ends = (F(1, 2), F(1)), [(F(0), F(1, 4)), (F(0), F(1)), (F(1, 2), F(1))]
    assert tight([half, half]) == [(F(1, 2), F(1, 2))] * 2
    assert filled(ends, {0: F(2), 1: F(1)}) == [F(1, 4), F(1, 4), F(1, 2)]
    for wrong in ([(F(1), F(0)), half], [half, half, half], [(F(0), F(1, 3))] * 2):
        with pytest.raises(InputError, match="S119"):
            tight(wrong)


def test_the_mechanism_that_tells_the_world() -> None:
    assert [list(map(int, row)) for row in telling(3).rows()] == np.eye(3).astype(int).tolist()
    with pytest.raises(LimitReached, match="5000 worlds"):
        telling(5000)


def test_exact_and_normal_draws_in_one_program() -> None:
    """Φ(1/2)·(1 − e^(−1)/2), and a coin; what no single integral gives names its draws."""
    coin = "a = draw(bernoulli(1/3))\n"
    both = "return [draw(normal(0, 2)) >= -1, draw(laplace(0, 1)) >= -1, a]"
    box = released_of(space(1), {"program": coin + both})
    assert isinstance(box, Box) and box.noise is not None
    low, high = box.interval(box.outputs.index("(True, True, 1)"), 0)
    with mpmath.workdps(40):
        value = mpmath.ncdf(mpmath.mpf(1) / 2) * (1 - mpmath.exp(-1) / 2) / 3
        ends = (mpmath.mpf(end.numerator) / end.denominator for end in (low, high))
        assert abs(next(ends) - value) < 1e-30 and abs(next(ends) - value) < 1e-30
    assert low < high < low * (1 + F(1, 10**29))
    for wrong in ("draw(normal(0, 1)) >= draw(laplace(0, 1))", RING):
        with pytest.raises(LimitReached, match=r"normal\(1\)"):
            released_of(space(1), {"program": f"return {wrong}" if wrong != RING else wrong})


RING = """\
x = draw(normal(0, 1))
y = draw(normal(0, 1))
z = draw(normal(0, 1))
return [x + y >= 0, y + z >= 0, x + z >= 0]
"""
