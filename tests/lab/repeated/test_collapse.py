"""Collapse: closed forms of the paper's examples, and brute force over sequences of outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base.errors import LimitReached
from verifier.lab.repeated import collapse
from verifier.lab.repeated.collapse import Chain, the_world, which_of
from verifier.lab.repeated.runs import Plan, planned
from verifier.world.mechanism import Mechanism

Matrix = Sequence[Sequence[Fraction]]  # world, then output
HALF = Fraction(1, 2)


def plan(*columns: Matrix, in_order: bool = False) -> Plan:
    """Mechanisms given by the probabilities of outputs in each world."""
    named = [
        (f"m{at}", Mechanism.from_rows(map(str, range(len(c[0]))), list(zip(*c, strict=True))))
        for at, c in enumerate(columns)
    ]
    return planned(named, in_order)


def first(chain: Chain, known: collapse.Known, runs: int) -> list[list[Fraction]]:
    stream = chain.probabilities([known])
    return [next(stream)[0] for _ in range(runs)]


def pairs_of_halves(left: Sequence[Fraction], right: Sequence[Fraction]) -> Matrix:
    """Example 1: a world tells itself, and a world of the other side drawn from the prior."""
    outputs = [(a, b) for a in range(len(left)) for b in range(len(right))]
    rows = [[right[b] * (a == world) for a, b in outputs] for world in range(len(left))]
    return rows + [[left[a] * (b == world) for a, b in outputs] for world in range(len(right))]


@pytest.mark.parametrize(
    ("left", "right"),
    [("1/4 3/4", "1/2 1/2"), ("1/6 1/3 1/2", "2/3 1/3"), ("1/7 2/7 4/7", "1/5 1/5 3/5")],
)
def test_example_1(left: str, right: str) -> None:
    """From a world of one side, the first output shows some p of the other side, and it takes
    1 / (1 − p) more runs until another one is seen: 1 + Σ p / (1 − p) in all; 3 for halves, and
    13/3 for 1/4 and 3/4. After k runs it is known unless all showed the same: 1 − Σ p^k."""
    sides = [[Fraction(p) for p in side.split()] for side in (left, right)]
    size = len(sides[0]) + len(sides[1])
    chain = Chain(plan(pairs_of_halves(*sides)), dict.fromkeys(range(size), Fraction(1, size)))
    known = which_of(
        chain.numbered(range(len(sides[0]))), chain.numbered(range(len(sides[0]), size))
    )
    other = [sides[1]] * len(sides[0]) + [sides[0]] * len(sides[1])
    for target in (the_world, known):
        assert chain.expected(target) == [1 + sum(p / (1 - p) for p in ps) for ps in other]
        for k, found in enumerate(first(chain, target, 6), start=1):
            assert found == [1 - sum(p**k for p in ps) for ps in other]
        fewest = chain.fewest(target)
        assert fewest is not None and len(fewest) == 2
    if left == "1/4 3/4":
        assert chain.expected(the_world) == [3, 3, Fraction(13, 3), Fraction(13, 3)]


def parities(n: int) -> tuple[list[tuple[int, ...]], Matrix]:
    """Example 2: which bits differ from the first one, or the parity (of all but the first, if n is
    even)."""
    worlds = list(product((0, 1), repeat=n))
    said = [
        (("A", *(w[0] ^ x for x in w[1:])), ("B", sum(w if n % 2 else w[1:]) % 2)) for w in worlds
    ]
    outputs = sorted({o for both in said for o in both}, key=repr)
    return worlds, [[HALF * (o in both) for o in outputs] for both in said]


@pytest.mark.parametrize("n", range(3, 9))
def test_example_2(n: int) -> None:
    """Both kinds of output are needed and enough: 1 − 2·2^−k after k runs, 3 on average."""
    worlds, columns = parities(n)
    chain = Chain(plan(columns), dict.fromkeys(range(2**n), Fraction(1, 2**n)))
    sides = [[w for w, bits in enumerate(worlds) if bits[1] == bit] for bit in (0, 1)]
    for known in (the_world, which_of(*map(chain.numbered, sides))):
        assert set(chain.expected(known)) == {3}
        fewest = chain.fewest(known)
        assert fewest is not None and len(fewest) == 2
    for k, found in enumerate(first(chain, the_world, 20), start=1):
        assert set(found) == {1 - Fraction(2, 2**k)}


@pytest.mark.parametrize("prior", ["1/8 3/8 1/6 1/3", "1/4 1/4 3/10 1/5", "1/97 1/3 1/3 94/291"])
def test_example_3(prior: str) -> None:
    """Two different outputs prove the secret, whatever the prior is: 3 runs on average."""
    columns = [[HALF, HALF, 0, 0], [0, 0, HALF, HALF], [HALF, 0, HALF, 0], [0, HALF, 0, HALF]]
    weights = dict(enumerate(map(Fraction, prior.split())))
    chain = Chain(plan([[Fraction(p) for p in column] for column in columns]), weights)
    assert chain.expected(which_of(0b0011, 0b1100)) == [3] * 4
    assert [row[0] for row in first(chain, which_of(0b0011, 0b1100), 4)] == [
        1 - Fraction(2, 2**k) for k in range(1, 5)
    ]


def test_worlds_that_no_output_separates_are_never_told_apart() -> None:
    columns = [[HALF, HALF], [Fraction(1, 3), Fraction(2, 3)], [Fraction(1), Fraction(0)]]
    chain = Chain(plan(columns), dict.fromkeys(range(3), Fraction(1, 3)))
    assert chain.fewest(the_world) is None
    assert chain.expected(the_world) == [None] * 3
    known = which_of(0b011, 0b100)
    assert chain.expected(known) == [2, Fraction(3, 2), None]
    assert first(chain, known, 3)[2] == [Fraction(7, 8), Fraction(26, 27), 0]


def test_a_prior_on_one_world_is_certain_before_the_first_run() -> None:
    chain = Chain(plan([[HALF, HALF], [Fraction(1), Fraction(0)]]), {1: Fraction(1)})
    assert chain.fewest(the_world) == () and chain.expected(the_world) == [0]


def test_mechanisms_in_turn() -> None:
    """One mechanism always says the first bit, the other one the second with probability 1/2."""
    worlds = list(product((0, 1), repeat=2))
    sure = [[Fraction(w[0] == bit) for bit in (0, 1)] for w in worlds]
    unsure = [[HALF * (w[1] == bit) for bit in (0, 1)] + [HALF] for w in worlds]
    prior = dict.fromkeys(range(4), Fraction(1, 4))
    chain = Chain(plan(sure, unsure, in_order=True), prior)
    assert set(chain.expected(the_world)) == {4}  # 2, 4, 6, … with probability 1/2, 1/4, …
    assert [row[0] for row in first(chain, the_world, 5)] == [
        0,
        HALF,
        HALF,
        3 * HALF / 2,
        3 * HALF / 2,
    ]
    chain = Chain(plan(unsure, sure, in_order=True), prior)
    assert set(chain.expected(the_world)) == {Fraction(7, 2)}  # 2, 3, 5, 7, …: 1/2·2 + 1/2·(3 + 2)
    chain = Chain(plan(sure, sure, in_order=True), prior)
    assert chain.expected(the_world) == [None] * 4


def test_too_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    _, columns = parities(3)
    monkeypatch.setattr(collapse, "MAX_ENTRIES", 20)
    chain = Chain(plan(columns), dict.fromkeys(range(8), Fraction(1, 8)))
    with pytest.raises(LimitReached, match="too many sets"):
        chain.expected(the_world)


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[Matrix], Mapping[int, Fraction], int]:
    """Mechanisms, a prior that may leave worlds out, and the worlds of a secret as bits."""
    size = draw(st.integers(2, 4))
    weight = st.sampled_from([0, 0, 1, 1, 2, 5])

    def mechanism() -> Matrix:
        outputs = draw(st.integers(2, 3))
        rows = []
        for _ in range(size):
            row = draw(st.lists(weight, min_size=outputs, max_size=outputs).filter(any))
            rows.append([Fraction(x, sum(row)) for x in row])
        return rows

    parts = [mechanism() for _ in range(draw(st.integers(1, 2)))]
    prior = draw(st.lists(weight, min_size=size, max_size=size).filter(any))
    given = {w: Fraction(x, sum(prior)) for w, x in enumerate(prior) if x}
    return parts, given, draw(st.integers(1, 2**size - 2))


@examples(60)
@given(drawn())
def test_sequences_of_outputs_one_by_one(
    case: tuple[list[Matrix], Mapping[int, Fraction], int],
) -> None:
    """P(certain) after k runs summed over all sequences, the fewest runs that have one, and for the
    expected number, Σ P(not certain after k runs), the part of the first runs bounds it from
    below."""
    parts, prior, secret = case
    chain = Chain(plan(*parts, in_order=True), prior)
    others = [w for w in prior if not secret >> w & 1]
    inside = [w for w in prior if secret >> w & 1]
    known = which_of(chain.numbered(inside), chain.numbered(others))
    for target, certain in (
        (the_world, lambda left: len(left) == 1),
        (known, lambda left: bool(left & {*inside}) != bool(left & {*others})),
    ):
        found = first(chain, target, 4)
        shortest = chain.fewest(target)
        expected = chain.expected(target)
        for k in range(5):
            runs = [parts[i % len(parts)] for i in range(k)]
            sums = dict.fromkeys(prior, Fraction(0))
            for sequence in product(*(range(len(part[0])) for part in runs)):
                chance = {w: Fraction(1) for w in prior}
                for part, output in zip(runs, sequence, strict=True):
                    chance = {w: p * part[w][output] for w, p in chance.items()}
                left = {w for w, p in chance.items() if p}
                if left and certain(left):
                    sums = {w: p + chance[w] for w, p in sums.items()}
                    assert shortest is not None and len(shortest) <= k
            if k:
                assert found[k - 1] == [sums[w] for w in chain.worlds]
            if shortest is not None and len(shortest) == k:
                assert any(sums.values())
        for at, value in enumerate(expected):
            missing = 1 + sum(1 - row[at] for row in found)
            if not target(chain.start[1]):
                assert value is None or value >= missing
            if value is None:
                assert found[-1][at] < 1


@examples(40)
@given(drawn())
def test_the_expected_number_is_the_limit_of_its_sums(
    case: tuple[list[Matrix], Mapping[int, Fraction], int],
) -> None:
    """Σ P(not certain after k runs) over many runs comes near to a finite expectation, and grows
    beyond every bound where it is infinite (floats are enough here)."""
    parts, prior, _ = case
    chain = Chain(plan(*parts, in_order=True), prior)
    expected = chain.expected(the_world)
    stream = chain.probabilities([the_world])
    sums = [0.0 if the_world(chain.start[1]) else 1.0] * len(expected)
    last = [0.0] * len(expected)
    for _ in range(200):
        (row,) = next(stream)
        last = [1 - float(p) for p in row]
        sums = [total + rest for total, rest in zip(sums, last, strict=True)]
    for value, total, rest in zip(expected, sums, last, strict=True):
        if value is None:
            assert rest > 1e-9
        elif rest < 1e-12:
            assert abs(float(value) - total) < 1e-6
