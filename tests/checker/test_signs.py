"""Roots, signs and order of real numbers against square roots, which are compared by their squares.

A number is told by its key, its square with its own sign: keys are ordered as the numbers are.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import prod
from operator import add, lt, mul, sub, truediv
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from verifier.checker import reading as read
from verifier.checker.cones import reduced
from verifier.checker.cuts import Region
from verifier.checker.document import Refused, Rejected, limited
from verifier.checker.domains import (
    is_inside,
    read_cells,
    read_domain,
    read_end,
    read_parts,
    read_spots,
)
from verifier.checker.numbers import (
    NUMBERS,
    Divided,
    Poly,
    divided,
    functions_on,
    packed,
    power,
    primitive,
    read_polynomial,
)
from verifier.checker.signs import BITS, Cell, Spot, _bounds
from verifier.checker.sturm import (
    Dense,
    Gap,
    Real,
    compare,
    is_nowhere_positive,
    multiplied,
    shortened,
    sign,
    sign_at,
    variations,
)

Factor = tuple[Dense, tuple[Fraction, ...]]  # a polynomial, and the keys of its roots
NUMBERS_DRAWN = [Fraction(n, d) for n in range(-5, 6) for d in (1, 2, 3)]
ROUNDS = wider(150, 3_000)


def key(x: Fraction) -> Fraction:
    return x * abs(x)


FACTORS: list[Factor] = [
    *(((-x.numerator, x.denominator), (key(x),)) for x in NUMBERS_DRAWN),
    *(((-k, 0, 1), (Fraction(-k), Fraction(k))) for k in (2, 2, 2, 3, 5)),
    *(((k, 0, -1), (Fraction(-k), Fraction(k))) for k in (2, 3)),
    ((1, 0, 1), ()),
    ((-1, 1, -1), ()),
]


def drawn(random: Random) -> list[Factor]:
    return random.choices(FACTORS, k=random.choice((1, 1, 2, 3, 4)))


def product(factors: list[Factor]) -> Dense:
    found: Dense = (1,)
    for a, _ in factors:
        found = multiplied(found, a)
    return found


def side(factors: list[Factor], at: Fraction) -> int:
    """The sign of a product at the number with a key."""
    return prod(
        (1 if a[-1] > 0 else -1) * prod((at > root) - (at < root) for root in roots)
        for a, roots in factors
    )


def number(random: Random) -> tuple[Real, Fraction]:
    """A rational, or a root of a product, with two numbers around it."""
    if random.random() < 0.3:
        x = random.choice(NUMBERS_DRAWN)
        return Real(x, x), key(x)
    while True:
        factors = drawn(random)
        low, high = (Fraction(random.randint(-40, 40), random.choice((7, 8, 11))) for _ in "ab")
        inside = [k for _, roots in factors for k in roots if key(low) <= k <= key(high)]
        ends = {key(low), key(high)} & {*inside}
        if len(inside) == 1 and not ends:
            return Real(low, high, product(factors)), inside[0]


@pytest.mark.parametrize("seed", range(2))
def test_roots_signs_and_order(seed: int) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        (x, first), (y, last) = number(random), number(random)
        assert compare(x, y) == (first > last) - (first < last), (x, y)
        factors = drawn(random)
        a, keys = product(factors), {k for _, roots in factors for k in roots}
        assert sign_at(a, x) == side(factors, first), (a, x)
        if first != last:
            ends = sorted([(first, x), (last, y)], key=lambda end: end[0])
            (least, low), (most, high) = ends
            inside = sorted(k for k in keys if least < k < most)
            roots = Gap(low, high).roots(a)
            assert len(roots) == len(inside)
            for root, k in zip(roots, inside, strict=True):
                assert key(root.low) <= k <= key(root.high) and not sign_at(a, root)
            middles = [(p + q) / 2 for p, q in pairwise([least, *inside, most])]
            signs = {side(factors, k) for k in middles} | {0 for _ in inside}
            assert Gap(low, high).signs(a) == signs, (a, low, high)
            spot = Spot("p", low, high, is_point=False)
            check_answers(spot, a, signs)
        check_answers(Spot("p", x, x, is_point=True), a, {side(factors, first)})


def check_answers(spot: Spot, a: Dense, signs: set[int]) -> None:
    """What a piece says of a sign is what all its signs say; else it is divided."""
    poly = Poly({k: c for k, c in enumerate(a) if c})
    for asked, yes, no in (
        (spot.nonnegative, {0, 1}, {-1}),
        (spot.positive, {1}, {0, -1}),
        (spot.vanishes, {0}, {1, -1}),
    ):
        if signs <= yes or signs <= no:
            assert asked(poly) == (signs <= yes)
        else:
            with pytest.raises(Divided) as found:
                asked(poly)
            assert found.value.polynomial == a


def test_signs_above_0() -> None:
    random = Random(3)
    for _ in range(ROUNDS):
        factors = drawn(random)
        keys = sorted({Fraction(0), *(k for _, roots in factors for k in roots if k > 0)})
        middles = [(p + q) / 2 for p, q in pairwise(keys)] + [keys[-1] + 1]
        expected = all(side(factors, k) <= 0 for k in middles)
        assert is_nowhere_positive(product(factors)) == expected, factors
    assert is_nowhere_positive([0, 0]) and not is_nowhere_positive([Fraction(1, 3)])


def test_sign_variations() -> None:
    """Of roots between two numbers there are as many, or fewer by an even number."""
    random = Random(4)
    for _ in range(ROUNDS):
        factors = drawn(random)
        low, high = sorted(Fraction(random.randint(-50, 50), 13) for _ in "ab")
        inside = [k for _, roots in factors for k in roots if key(low) < k < key(high)]
        a = product(factors)
        if low < high and sign(a, low) and sign(a, high):
            found = variations(a, low, high)
            assert found >= len(inside) and (found - len(inside)) % 2 == 0
            assert found == len(inside) or found > 1


def test_polynomials_on_a_cell_are_those_of_its_variables() -> None:
    """At u, v > 0 a polynomial has there a positive multiple of its value at the weighted mean of
    both ends; the same one times powers of u + v everywhere."""
    random = Random(5)
    for _ in range(40):
        count = random.choice((1, 2, 3))
        sides = []
        for _ in range(count):
            low, high = sorted(Fraction(random.randint(-6, 6), random.randint(1, 3)) for _ in "ab")
            sides.append((low, high))
        a = Poly()
        for _ in range(random.choice((1, 2, 4))):
            m = packed([random.choice((0, 0, 1, 2, 3)) for _ in range(count)])
            a[m] = random.choice((-3, -1, 1, 2, 4))
        cell, ratios = Cell(tuple("pqr"[:count]), tuple(sides), []), set[Fraction]()
        degrees = [max(m >> 64 * k & 2**64 - 1 for m in a) for k in range(count)]
        for _ in range(4):
            pairs = [(random.randint(1, 5), random.randint(1, 5)) for _ in range(count)]
            point = [
                (low * u + high * v) / (u + v)
                for (low, high), (u, v) in zip(sides, pairs, strict=True)
            ]
            value = sum(
                c * prod(x ** (m >> 64 * k & 2**64 - 1) for k, x in enumerate(point))
                for m, c in a.items()
            )
            open_ = [pair for pair, (low, high) in zip(pairs, sides, strict=True) if low != high]
            variables = [x for pair in open_ for x in pair]
            found = sum(
                c * prod(x**e for x, e in zip(variables, m, strict=True))
                for m, c in cell.homogeneous(a).items()
            )
            scale = prod(
                (u + v) ** n
                for (u, v), n, (low, high) in zip(pairs, degrees, sides, strict=True)
                if low != high
            )
            assert (found > 0, found < 0) == (value > 0, value < 0)
            ratios |= {Fraction(found) / (value * scale)} if value else set()
        assert len(ratios) <= 1 and all(ratio > 0 for ratio in ratios)


def test_division_of_polynomials() -> None:
    random = Random(6)
    for _ in range(60):
        count = random.choice((1, 2))
        parts = [
            Poly(
                {
                    packed([random.randint(0, 3) for _ in range(count)]): random.choice((-2, 1, 3))
                    for _ in range(random.randint(1, 4))
                }
            )
            for _ in "ab"
        ]
        whole = parts[0].times(parts[1])
        assert divided(whole, parts[1]) == parts[0] and divided(Poly(), parts[0]) == {}
        assert primitive(whole).times(Poly({0: 6})).keys() == whole.keys()
    for a, b in (({0: 1}, {0: 2}), ({2: 1, 0: 1}, {1: 1, 0: 1})):
        with pytest.raises(Refused, match="divisor"):
            divided(Poly(a), Poly(b))


def test_sums_of_powers_of_e_by_bounds() -> None:
    """e lies between 2.71828 and 2.71829, which decides all signs that are drawn here."""
    random, low, high = Random(7), Fraction(271828, 100000), Fraction(271829, 100000)
    for _ in range(ROUNDS):
        terms = {k: random.randint(-9, 9) for k in range(-2, 4)}
        ends = [
            sum(c * (x if (c > 0) == (k > 0) else y) ** k for k, c in terms.items())
            for x, y in ((low, high), (high, low))
        ]
        number = sum((c * power(Fraction(k)) for k, c in terms.items()), Fraction(0))
        if ends[0] > 0 or ends[1] < 0:
            assert (number > 0, number < 0, bool(number)) == (ends[0] > 0, ends[1] < 0, True)
            assert (number >= 0, number <= 0) == (ends[0] > 0, ends[1] < 0)
    halves = [NUMBERS.quotient(read_polynomial("e^(1/2)", ()), Poly({0: k})) for k in (2, -2)]
    assert halves[0] ** 2 * 4 == power(Fraction(1)) == halves[1] ** 2 * 4 and halves[1] < 0


def test_what_is_no_end() -> None:
    """A root is alone between its two numbers, simple, and neither of them is one."""
    ends = {"from": {"rational": "0", "closed": True}, "to": {"rational": "1", "closed": False}}
    found = [end.at.low for end in read_domain(*ends.values())]
    assert found == [0, 1]
    good = {"polynomial": ["-2", "0", "1"], "between": ["1", "2"], "closed": False}
    assert read_end(good).at == Real(Fraction(1), Fraction(2), (-2, 0, 1))
    for polynomial, between in (
        (["-2", "0", "1"], ["2", "1"]),
        (["-2", "0", "1"], ["1", "1"]),
        (["-2", "0", "1"], ["3/2", "2"]),
        (["3", "-5", "2"], ["1", "2"]),  # 1 is a root, 3/2 another one
        (["-3", "22", "-48", "32"], ["0", "1"]),  # 1/4, 1/2 and 3/4
        (["1", "-2", "1"], ["0", "2"]),  # 1 twice
        (["-2", "0", "1", "0"], ["1", "2"]),
        (["-1/2", "1"], ["0", "2"]),
        (["5"], ["0", "1"]),
        ([], ["0", "1"]),
    ):
        with pytest.raises((Refused, LookupError)):
            read_end({"polynomial": polynomial, "between": between, "closed": False})
    for closed in ("true", 1, None):
        with pytest.raises(Refused):
            read_end({**good, "closed": closed})


def test_pieces_follow_each_other() -> None:
    """Points and open intervals in turn, none of which goes back, from end to end."""

    def piece(low: int, high: int, closed: bool = False) -> Any:
        return {
            "from": {"rational": str(low), "closed": closed},
            "to": {"rational": str(high), "closed": closed},
        }

    def point(at: int) -> Any:
        return piece(at, at, closed=True)

    ends = read_domain({"rational": "0", "closed": True}, {"rational": "4", "closed": False})
    good = [point(0), piece(0, 2), point(2), piece(2, 4)]
    spots = read_spots(good, "p", ends)
    assert [(one.low.low, one.high.low, one.is_point) for one in spots] == [
        *((0, 0, True), (0, 2, False), (2, 2, True), (2, 4, False))
    ]
    half_open = {**piece(2, 4), "from": {"rational": "2", "closed": True}}
    for bad in (
        good[1:],
        good[:3],
        [*good, point(4)],
        [*good[:2], good[3]],
        [point(0), piece(0, 4), point(4), piece(4, 2), point(2), piece(2, 4)],
        [point(0), piece(0, 1), point(2), piece(2, 4)],
        [*good[:2], half_open],
        [point(0), piece(2, 2), *good[2:]],
        [point(0), point(0), piece(0, 4)],
        [],
    ):
        with pytest.raises((Refused, Rejected)):
            read_spots(bad, "p", ends)
    inside = [[is_inside(one, other) for other in spots] for one in spots]
    assert inside == [[x == y for x in range(4)] for y in range(4)]
    whole = read_spots([point(0), piece(0, 4)], "p", ends)[1]
    assert [is_inside(one, whole) for one in spots] == [False, True, True, True]
    assert not any(is_inside(whole, one) for one in spots)


def test_sides_of_a_box() -> None:
    def side(low: str, first: bool, high: str, last: bool) -> Any:
        return {
            "from": {"rational": low, "closed": first},
            "to": {"rational": high, "closed": last},
        }

    def sides(one: Any) -> list[tuple[tuple[Fraction, Fraction], ...]]:
        return [cell.sides for cell in read_cells(["p"], [one], [])]

    x, y = Fraction(1, 3), Fraction(2)
    assert sides(side("1/3", True, "2", True)) == [((x, x),), ((x, y),), ((y, y),)]
    assert sides(side("1/3", False, "2", True)) == [((x, y),), ((y, y),)]
    assert sides(side("1/3", True, "2", False)) == [((x, x),), ((x, y),)]
    assert sides(side("1/3", False, "2", False)) == [((x, y),)]
    assert sides(side("2", True, "2", True)) == [((y, y),)]
    root = {"polynomial": ["-2", "0", "1"], "between": ["1", "2"], "closed": False}
    for bad in (
        side("2", True, "1/3", True),
        side("2", False, "2", True),
        side("2", True, "2", False),
        {**side("0", True, "1", True), "to": root},
        {**side("0", True, "9", True), "from": root},
    ):
        with pytest.raises(Refused):
            sides(bad)
    question = {
        "domain": {"parameters": ["p"], "sides": [side("0", True, "1", True)] * 2, "where": []},
        "relation": None,
    }
    question["domain"]["cells"] = []
    with pytest.raises(Refused, match="an interval for each parameter"):
        read_parts(question)


def test_edges_of_trees_are_positive_integers() -> None:
    for a, b in ((0, 1), (1, 0), (-1, 1), (1, True), ("1", 1), (1, Fraction(1))):
        with pytest.raises(Refused):
            Region([2]).proved({(1, 0): -1}, [0, 1, a, b, 0, 0])


def test_texts_of_powers() -> None:
    assert read_polynomial("2*p^3*q - p", ("p", "q")) == {packed((3, 1)): 2, packed((1, 0)): -1}
    for text in (
        "p^(2)",
        "p^(-1)",
        "p^0",
        "p^5001",
        "p^(1/2)",
        "e",
        "p*p",
        "p^",
        "2*2",
        "r",
        "(1 + pq",
        "1 + p)",
    ):
        with pytest.raises(Refused):
            read_polynomial(text, ("p", "q"))
    assert read_polynomial("p^5000", ("p",)) == {5000: 1}


def test_what_sums_of_powers_have_in_common_is_positive() -> None:
    e = power(Fraction(1))
    for shared in (1 - e, e - 1, 2 - 2 * e):
        found = (shared + 0 * e).without_common([shared * 2, shared * -4, shared * 6])
        signs = [1, -2, 3] if shared > 0 else [-1, 2, -3]
        assert found == signs, shared
    apart = e.without_common([2 * e, 4 + 2 * e, Fraction(6)])
    assert apart == [e, 2 + e, 3]


def test_no_denominator_is_dropped() -> None:
    """Of 32 and 32 terms the common denominator is too long: -x²/a + x/8 - 1/b is above 0 at 4/b,
    where a and b are large; without denominators it would be -x² + x - 1."""
    a, b = (sum(power(Fraction(k * step)) for k in range(32)) for step in (1, 32))
    with pytest.raises(Refused, match="denominator"):
        is_nowhere_positive([-1 / b, Fraction(1, 8), -1 / a])
    with pytest.raises(Refused, match="denominator"):
        reduced([1 / a, 1 / b])
    assert not is_nowhere_positive([-1 / a, Fraction(1, 8), -1 / a])
    place = Spot("p", Real(Fraction(0), Fraction(0)), Real(Fraction(1), Fraction(1)), False)
    with functions_on(place):
        halves = [read.number(text) for text in ("1/(1 + p)", "2/(1 + p)", "-3/(1 + p)")]
    assert not is_nowhere_positive(halves[:2]) and shortened(halves) == (1, 2, -3)


def test_long_quotients_are_counted() -> None:
    """Two terms over two may be as many as there are exponents between."""
    size = 10**5
    with limited() as spent:
        assert len(divided(Poly({0: -1, size: 1}), Poly({0: -1, 1: 1}))) == size
    assert spent[0] > 10 * size
    with pytest.raises(Refused, match="memory"):
        divided(Poly({0: -1, 10 * size: 1}), Poly({0: -1, 1: 1}))


def test_trees_of_zero_are_counted() -> None:
    """What is 0 needs no cut, but each cut makes conditions long."""
    trees = [[1, 0, 10**900, 1, 0, 0], 0, 0]
    condition = (Poly({2000: 1}), False)
    one, sides = Poly({0: 1}), ((Fraction(0), Fraction(1)),) * 2
    cell = Cell(("p", "q"), sides, [condition], {one: {"quadratic": 0, "trees": trees}})
    with limited(), pytest.raises(Refused, match="steps"):
        cell.proves(one)


def test_numbers_of_two_places_are_not_put_together() -> None:
    ends = Real(Fraction(0), Fraction(0)), Real(Fraction(1), Fraction(1))
    found = []
    for name in ("p", "q"):
        with functions_on(Spot(name, *ends, False)):
            found.append(read.number(name))
    one, other = found
    for operation in (add, sub, mul, truediv, lt):
        with pytest.raises(ValueError, match="rational"):
            operation(one, other)


def test_bounds_of_a_polynomial_enclose_it() -> None:
    """At both ends and between them; at a point they are no further apart than their rounding."""
    random, unit = Random(5), 1 << BITS
    for _ in range(ROUNDS):
        form = [random.randint(-9, 9) for _ in range(random.randint(1, 5))]
        low, high = sorted(random.randint(-3 * unit, 3 * unit) for _ in range(2))
        for ends in ((low, high), (low, low), (high, high)):
            least, most = _bounds(form, *ends)
            for x in (*ends, sum(ends) // 2):
                true = sum(c * Fraction(x, unit) ** k for k, c in enumerate(form)) * unit
                assert least <= true <= most, (form, ends)
        assert most - least <= 3**5
