"""Leakage of several runs: brute force over sequences of outputs, and structured mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base.errors import LimitReached
from verifier.lab.repeated import runs
from verifier.lab.repeated.runs import Plan, Table, Worst, alone, leakages, planned
from verifier.world.mechanism import Mechanism

Matrix = Sequence[Sequence[Fraction]]  # world, then output
PAIR = [("s", "t")]


def mechanism(columns: Matrix) -> Mechanism:
    return Mechanism.from_rows(map(str, range(len(columns[0]))), list(zip(*columns, strict=True)))


def table(plan: Plan, priors: Sequence[Mapping[int, Fraction]], s: set[int], t: set[int]) -> Table:
    secrets = {"s": frozenset(s), "t": frozenset(t)}
    return Table.of(plan.mechanism, plan.steps, priors, PAIR, secrets)


def ratio(
    parts: Sequence[Matrix],
    outputs: Sequence[int],
    prior: Mapping[int, Fraction],
    s: set[int],
    t: set[int],
) -> tuple[Fraction, Fraction]:
    """P(outputs | s) and P(outputs | t), straight from the definition."""
    sides = []
    for side in (s, t):
        worlds = [w for w in side if w in prior]
        likely = [
            prior[w] * prod(p[w][o] for p, o in zip(parts, outputs, strict=True)) for w in worlds
        ]
        sides.append(sum(likely, Fraction(0)) / sum(prior[w] for w in worlds))
    return sides[0], sides[1]


def largest(
    parts: Sequence[Matrix], priors: Sequence[Mapping[int, Fraction]], s: set[int], t: set[int]
) -> Fraction | None:
    """The largest ratio over all sequences of outputs, both ways; None: infinite."""
    best = Fraction(1)
    for outputs in product(*(range(len(part[0])) for part in parts)):
        for prior in priors:
            for p, q in (both := ratio(parts, outputs, prior, s, t), both[::-1]):
                if p and not q:
                    return None
                best = max(best, p / q) if q else best
    return best


WEIGHTS = st.sampled_from([0, 0, 1, 1, 2, 3, 10**30, 10**30 + 1])


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[Matrix], list[dict[int, Fraction]], int]:
    """Mechanisms, priors that allow the first world and the last, and the size of s."""
    size = draw(st.integers(2, 4))

    def mechanism() -> Matrix:
        outputs = draw(st.integers(2, 3))
        rows = []
        for _ in range(size):
            row = draw(st.lists(WEIGHTS, min_size=outputs, max_size=outputs).filter(any))
            rows.append([Fraction(x, sum(row)) for x in row])
        return rows

    def prior() -> dict[int, Fraction]:
        inner = draw(st.lists(WEIGHTS, min_size=size - 2, max_size=size - 2))
        weights = [1, *inner, 2]
        return {w: Fraction(x, sum(weights)) for w, x in enumerate(weights) if x}

    parts = [mechanism() for _ in range(draw(st.integers(1, 2)))]
    return parts, [prior() for _ in range(draw(st.integers(1, 2)))], draw(st.integers(1, size - 1))


@examples(60)
@given(drawn())
def test_sequences_of_outputs_one_by_one(
    case: tuple[list[Matrix], list[dict[int, Fraction]], int],
) -> None:
    parts, priors, middle = case
    s, t = set(range(middle)), set(range(middle, len(parts[0])))
    named = [(f"m{at}", mechanism(part)) for at, part in enumerate(parts)]
    found = list(islice(leakages(table(planned(named, True), priors, s, t)), 3))
    starts = [0, len(parts[0][0])]
    for k, worst in enumerate(found, start=1):
        taken = [parts[i % len(parts)] for i in range(k)]
        assert worst.ratio == largest(taken, priors, s, t)
        local = [o - starts[i % len(parts)] for i, o in enumerate(worst.outputs)]
        p, q = ratio(taken, local, priors[worst.prior], s, t)
        high, low = (p, q) if worst.pair == ("s", "t") else (q, p)
        assert high and (worst.ratio is None) == (low == 0)
        assert not low or high / low == worst.ratio
    for part, worst in zip(parts, alone(table(planned(named, True), priors, s, t)), strict=True):
        assert worst.ratio == largest([part], priors, s, t)
    any_order = list(islice(leakages(table(planned(named, False), priors, s, t)), 3))
    for k, worst in enumerate(any_order, start=1):
        levels = [largest(chosen, priors, s, t) for chosen in product(parts, repeat=k)]
        assert worst.ratio == (None if None in levels else max(filter(None, levels)))


def test_two_runs_of_zero() -> None:
    """models/composition/two-runs-of-zero.yaml by hand: up, down betrays a coin, 1/10 to 1/4 of the
    honest weight; more of either output does not change that."""
    half = Fraction(1, 2)
    columns = [[Fraction(1), Fraction(0)], [half, half], [Fraction(0), Fraction(1)]] * 2
    prior = dict(enumerate(map(Fraction, ["1/5", "1/10", "1/5", "1/8", "1/4", "1/8"])))
    found = leakages(
        table(planned([("once", mechanism(columns))], False), [prior], {0, 1, 2}, {3, 4, 5})
    )
    first, *others = islice(found, 6)
    assert first.ratio == 1
    assert {worst.ratio for worst in others} == {Fraction(5, 2)}
    assert all({*worst.outputs} == {0, 1} and worst.pair == ("t", "s") for worst in others)


def response(bits: int, truth: Fraction) -> Matrix:
    """Every bit is reported truthfully with this probability."""
    worlds = list(product((0, 1), repeat=bits))
    return [
        [prod(truth if a == b else 1 - truth for a, b in zip(w, o, strict=True)) for o in worlds]
        for w in worlds
    ]


def test_proportional_multisets_are_one() -> None:
    """Three bits flipped at random: k runs have (k + 1)^3 classes, all of which a binomial for each
    bit describes, not C(k + 7, 7) multisets; the first bit leaks 3^k."""
    plan = planned([("m", mechanism(response(3, Fraction(3, 4))))], False)
    prior = dict.fromkeys(range(8), Fraction(1, 8))
    made = table(plan, [prior], set(range(4)), set(range(4, 8)))
    for k, layer in enumerate(islice(runs.multisets(made.steps, 8), 8), start=1):
        assert len(layer.logs) == (k + 1) ** 3 <= comb(k + 7, 7)
    levels = [worst.ratio for worst in islice(leakages(made), 8)]
    assert levels == [3**k for k in range(1, 9)]


def test_many_runs_without_proportional_multisets() -> None:
    """Once none were found for a few runs, each multiset is taken as it comes: C(k + 2, 2)."""
    columns = [[Fraction(x, 10) for x in row] for row in ([2, 3, 5], [7, 2, 1], [1, 8, 1])]
    plan = planned([("m", mechanism(columns))], False)
    made = table(plan, [dict.fromkeys(range(3), Fraction(1, 3))], {0}, {1, 2})
    for k, layer in enumerate(islice(runs.multisets(made.steps, 3), 12), start=1):
        assert len(layer.logs) == comb(k + 2, 2)
    worst = list(islice(leakages(made), 12))[-1]
    assert len(worst.outputs) == 12 and list(worst.outputs) == sorted(worst.outputs)
    by_hand = max(
        max(p / q, q / p)
        for a in range(13)
        for b in range(13 - a)
        for w in [
            [
                columns[w][0] ** a * columns[w][1] ** b * columns[w][2] ** (12 - a - b)
                for w in range(3)
            ]
        ]
        for p, q in [(w[0], (w[1] + w[2]) / 2)]
    )
    assert worst.ratio == by_hand


@pytest.mark.parametrize("names", ["a", "ab"])
def test_long_runs_are_as_all_sequences(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six runs, of which the last five are taken as they come; some outputs are impossible."""
    monkeypatch.setattr(runs, "FEW", 1)
    parts = {
        "a": [[2, 3, 5, 0], [0, 7, 2, 1], [1, 0, 8, 1]],
        "b": [[3, 3, 3, 1], [5, 1, 1, 3], [4, 0, 4, 2]],
    }
    used = [(n, [[Fraction(x, 10) for x in row] for row in parts[n]]) for n in names]
    plan = planned([(name, mechanism(rows)) for name, rows in used], len(names) > 1)
    prior = {0: Fraction(1, 6), 1: Fraction(1, 2), 2: Fraction(1, 3)}
    made = table(plan, [prior], {0, 1}, {1, 2})
    for k, worst in enumerate(islice(leakages(made), 6), start=1):
        each = [used[run % len(used)][1] for run in range(k)]
        assert worst.ratio == largest(each, [prior], {0, 1}, {1, 2})
        outputs = [o % 4 for o in worst.outputs]
        p, q = ratio(each, outputs, prior, {0, 1}, {1, 2})
        p, q = (p, q) if worst.pair == ("s", "t") else (q, p)
        assert p == worst.ratio * q if worst.ratio is not None else p > q == 0


def test_ties_that_floats_cannot_see() -> None:
    """Two outputs whose ratios differ by one part in 10^40: the larger one is found."""
    tiny = Fraction(1, 10**40)
    rows = [[Fraction(3, 10), Fraction(3, 10) + tiny], [Fraction(1, 10), Fraction(1, 10)]]
    columns = [[*row, 1 - sum(row)] for row in rows]
    made = table(
        planned([("m", mechanism(columns))], False),
        [{0: Fraction(1, 2), 1: Fraction(1, 2)}],
        {0},
        {1},
    )
    first, second = islice(leakages(made), 2)
    assert first.outputs == (1,) and first.ratio == 3 + 10 * tiny
    assert second.outputs == (1, 1) and second.ratio == (3 + 10 * tiny) ** 2


def test_what_is_known_to_be_infinite_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    half = Fraction(1, 2)
    columns = [[half, half, Fraction(0)], [half, Fraction(0), half]]
    made = table(planned([("m", mechanism(columns))], False), [{0: half, 1: half}], {0}, {1})
    monkeypatch.setattr(runs, "MAX_ENTRIES", 0)
    found = list(islice(leakages(made, Worst(None, 0, ("t", "s"), (2,))), 3))
    assert [worst.ratio for worst in found] == [None] * 3
    assert found[-1].outputs == (2, 0, 0)
    with pytest.raises(LimitReached, match="1 runs have too many multisets"):
        next(leakages(made))
