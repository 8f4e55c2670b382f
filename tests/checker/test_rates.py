"""Certificates whose functions have powers of e with a parameter: good ones, siblings that are
broken by hand, and the numbers themselves against mpmath."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mp, mpf

from tests.drawing import examples
from tests.loops import each
from verifier import checker
from verifier.base import parameters
from verifier.checker import rates
from verifier.checker.document import Refused, limited
from verifier.checker.domains import read_end
from verifier.checker.numbers import ONE, SCALE, Poly, functions_on, packed, read_function
from verifier.checker.reading import number
from verifier.checker.signs import Spot, formed
from verifier.checker.sturm import Gap, Real, compare, sign_at
from verifier.questions.answer import write
from verifier.run import verify

Json = dict[str, Any]
F = Fraction
INFINITE = Real(rates.INFINITE, rates.INFINITE)
ALL = Spot("p", Real(F(0), F(0)), INFINITE, is_point=False)
FILE = """\
parameters: {p: 0 < p}
worlds: {records: [a], domain: [0, 1]}
mechanism:
  program: |
    return a + draw(laplace(0, 1/p)) > 1/2
checks: [differential_privacy: {exp_epsilon: 3}]
"""
# holds up to 2·ln 2, as 2e^(p/2) − 1 is the smallest level
RATES = [F(0), F(1, 3), F(1, 2), F(1), F(3, 2)]
CONSTANTS = st.sampled_from([F(0), F(0), F(1, 2), F(1)])
KEYS = st.tuples(st.integers(0, 2), st.sampled_from(RATES), CONSTANTS)
TERMS = st.dictionaries(KEYS, st.integers(-4, 4).filter(bool), min_size=2, max_size=5)
SHORT = st.dictionaries(
    st.tuples(st.integers(0, 1), st.sampled_from([F(0), F(1, 2), F(1)]), CONSTANTS),
    st.integers(-3, 3).filter(bool),
    min_size=2,
    max_size=3,
)


def poly(terms: dict[tuple[Any, ...], int]) -> Poly:
    """The sum of c x^i e^(qx + r) over (i, q, r) -> c, or (i, q) -> c."""
    return Poly(
        {
            packed([i, int(F(q) * SCALE), 0, int(sum(r) * SCALE)]): c
            for (i, q, *r), c in terms.items()
        }
    )


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Json:
    path = tmp_path_factory.mktemp("rates") / "spec.yaml"
    path.write_text(FILE, encoding="utf-8")
    return certificate(path)


def certificate(path: Path) -> Json:
    (choice,) = verify.choices(str(path))
    with parameters.given(choice):
        ((one,),) = [verify.load(str(path)).questions]
        assert one.question is not None
        found: Json = json.loads(write(verify.decide(one.question).certificate or {}))
        return found


def outcome(document: Json, edit: Callable[[Json], object]) -> str:
    changed = deepcopy(document)
    edit(changed)
    return checker.check(changed).outcome


def put(*path: Any, value: Any) -> Callable[[Json], None]:
    """Exchange a part of the answer."""

    def edit(document: Json) -> None:
        inside = document["answer"]
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = value

    return edit


ROOT = ("region", 0, "to")
LN_4 = {"polynomial": [["-2", "0", "0"], ["1", "0", "1/2"]], "between": ["1", "2"]}
BROKEN: list[tuple[Callable[[Json], None], str]] = [
    (put(*ROOT, value={**LN_4, "closed": True}), "accepted"),  # other numbers around the same
    (
        put(
            *ROOT,
            value={
                "polynomial": [["-4", "0", "0"], ["1", "0", "1"]],
                "between": ["1", "2"],
                "closed": True,
            },
        ),
        "accepted",
    ),  # the same number, written otherwise
    (put(*ROOT, "closed", value=False), "rejected"),
    (put(*ROOT, value={"rational": "infinite", "closed": False}), "rejected"),
    (put(*ROOT, value={"rational": "infinite", "closed": True}), "refused"),
    (put(*ROOT, value={**LN_4, "between": ["1", "5/4"], "closed": True}), "refused"),
    (put(*ROOT, value={**LN_4, "between": ["-1", "2"], "closed": True}), "refused"),
    (
        put(
            *ROOT,
            value={
                "polynomial": [["-3", "0", "0"], ["1", "0", "1"]],
                "between": ["1", "2"],
                "closed": True,
            },
        ),
        "rejected",
    ),
    (
        put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "0", "1/2"], ["1", "0", "1/2"]]),
        "refused",
    ),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["0", "0", "1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "0", "-1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "-1", "1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "1/2", "1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1/2", "0", "1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "0", "1000000"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0"], ["1", "0"]]), "refused"),
    (put(*ROOT, "polynomial", value=[[]]), "refused"),
    (put(*ROOT, "polynomial", value=[]), "refused"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(p/2)"), "rejected"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="2*e^(p/2)"), "rejected"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(p/2)*2 - 1"), "refused"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(p/0)"), "refused"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(q/2)"), "refused"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(1/2)"), "rejected"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e*e"), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0", "0"], ["1", "0", "1/2", "0"]]), "accepted"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0", "1"], ["1", "0", "1/2", "0"]]), "refused"),
    (
        put(
            *ROOT,
            value={
                "polynomial": [["-2", "0", "0", "1/9"], ["1", "0", "1/2", "0"]],
                "between": ["1", "2"],
                "closed": True,
            },
        ),
        "rejected",
    ),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0", "0"], ["1", "0", "1/2"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0", "-1"], ["1", "0", "1/2", "0"]]), "refused"),
    (put(*ROOT, "polynomial", value=[["-2", "0", "0", "p"], ["1", "0", "1/2", "0"]]), "refused"),
    (put("pieces", 0, "leakage", "exp_epsilon", value="e^(p/2)*e^(p/2)"), "refused"),
    (put("verdict", value="holds"), "rejected"),
]


def test_siblings(good: Json) -> None:
    assert checker.check(good).outcome == "accepted"
    found = [outcome(good, edit) for edit, _ in BROKEN]
    assert found == [wanted for _, wanted in BROKEN], list(zip(found, BROKEN, strict=True))


def test_the_pieces_are_what_divides_the_domain(good: Json) -> None:
    """Evidence for fewer pieces, or other ones, proves nothing."""

    def merged(document: Json) -> None:
        pieces = document["answer"]["pieces"]
        pieces[0]["to"] = pieces[-1]["to"]
        del pieces[1:], document["evidence"]["places"][1:]

    def without(document: Json) -> None:
        document["evidence"]["places"][0]["witness"] = None

    def moved(document: Json) -> None:
        for piece in document["answer"]["pieces"]:
            for key in ("from", "to"):
                if "polynomial" in piece[key]:
                    piece[key]["polynomial"] = [["-3", "0", "0"], ["1", "0", "1"]]
                    piece[key]["between"] = ["1", "2"]

    assert [outcome(good, edit) for edit in (merged, without, moved)] == ["rejected"] * 3


def test_powers_of_e_below_zero_are_refused() -> None:
    """Terms would not ascend there; and a sign at one number below 0 is found all the same."""
    terms, minus = poly({(0, 1): 1, (1, 0): -3}), Real(F(-1), F(-1))
    with limited():
        assert sign_at(terms, minus) == 1
        with pytest.raises(Refused):
            Gap(minus, Real(F(1), F(1))).signs(terms)


def sign(value: Any) -> int:
    return 0 if abs(value) < mpf(10) ** -25 else 1 if value > 0 else -1


def valued(terms: dict[tuple[int, Fraction, Fraction], int], x: Fraction) -> Any:
    at = mpf(x.numerator) / x.denominator
    return sum(
        c * at**i * exp(mpf(q.numerator) / q.denominator * at + mpf(r.numerator) / r.denominator)
        for (i, q, r), c in terms.items()
    )


@given(TERMS, st.fractions(0, 9, max_denominator=7), st.fractions(0, 2, max_denominator=5))
@examples(60)
def test_signs_and_zeros(
    terms: dict[tuple[int, Fraction, Fraction], int], x: Fraction, w: Fraction
) -> None:
    """As many as of a grid, and each isolated."""
    a, high = poly(terms), x + w + F(1, 9)
    with mp.workdps(40), limited():
        assert rates.sign(a, x) == sign(valued(terms, x))
        assert rates.sign(a, rates.INFINITE) == sign(valued(terms, F(80)))
        gap = Gap(Real(x, x), Real(high, high))
        if len(a) < 2 or not rates.has_rates(a):
            return
        roots = gap.roots(a)
        grid = [sign(valued(terms, x + (high - x) * k / 40)) for k in range(41)]
        changes = sum(s * t < 0 for s, t in pairwise(grid))
        assert len(roots) >= changes or 0 in grid
        assert len(roots) <= rates.variations(a, x, high)
        for root in roots:
            assert sign_at(a, root) == 0


@given(SHORT, SHORT, SHORT)
@examples(40)
def test_common_divisors(one: Any, two: Any, three: Any) -> None:
    """(ab, ac) has the divisor a, and what is left has nothing in common."""
    a, b, c = map(poly, (one, two, three))
    with limited():
        found = rates.common(a.times(b), a.times(c))
        left = [rates.divided(a.times(each), found) for each in (b, c)]
        assert rates.common(*left) in (ONE, ONE.negative())
        rates.divided(found, rates.primitive(a))
        rates.divided(rates.distinct(a.times(a)), rates.distinct(a))


def test_rational_zeros_where_two_exponents_are_the_same() -> None:
    """Of e^x − e the zero is 1, and it is the one of x − 1 too."""
    a, minus = poly({(0, 1): 1, (0, 0, 1): -1}), poly({(1, 0): 1, (0, 0): -1})
    with limited():
        (x,) = Gap(Real(F(0), F(0)), INFINITE).roots(a)
        assert (x.low, x.high) == (1, 1) and sign_at(formed(minus), x) == 0
    # 3x/2 + 1/4 is x/3 + 1 at 9/14
    a = poly({(0, F(3, 2), F(1, 4)): 1, (0, F(1, 3), 1): -1})
    with limited():
        assert rates.coincidences(a) == [F(9, 14)]
        (x,) = Gap(Real(F(0), F(0)), INFINITE).roots(a)
        assert (x.low, x.high) == (F(9, 14), F(9, 14))


def test_double_zeros_and_numbers_written_in_two_ways() -> None:
    four, two = poly({(0, 1): 1, (0, 0): -4}), poly({(0, F(1, 2)): 1, (0, 0): -2})
    gap = Gap(Real(F(0), F(0)), INFINITE)
    with limited():
        (x,), (y,), (z,) = map(gap.roots, (four, two, two.times(two).times(poly({(1, 1): 3}))))
        assert compare(x, y) == compare(y, z) == 0
        assert sign_at(two, x) == sign_at(four, z) == 0 and sign_at(
            poly({(0, 1): 1, (1, 0): -1}), x
        )
        assert gap.signs(two.times(two)) == {0, 1} and gap.signs(two) == {-1, 0, 1}
        assert compare(x, INFINITE) == -1 == -compare(INFINITE, x) and not compare(
            INFINITE, INFINITE
        )


def test_numbers_at_a_rational_point_are_functions_where_they_have_powers_of_e() -> None:
    spot = Spot("p", Real(F(2), F(2)), Real(F(2), F(2)), is_point=True)
    with limited(), functions_on(spot):
        assert number("p^2/3") == F(4, 3) and number("e^(p/2)") == number("p*e^(p/2)/2")
        assert number("e^p") > 7 and number("e^p") < F(15, 2) and number("e^p") != number("e^(p/2)")
        assert number("(e^p - 1)/(e^(p/2) - 1)") == number("1 + e^(p/2)")


TEXTS = [
    ("e^p", {(0, 1): 1}),
    ("3*p^2*e^(3*p/4)", {(2, F(3, 4)): 3}),
    ("p*e^(2*p)", {(1, 2): 1}),
    ("-1 + e^(p/2)", {(0, 0): -1, (0, F(1, 2)): 1}),
    ("e", {(0, 0, 1): 1}),
    ("2*p*e^(1/2)*e^(3*p/4)", {(1, F(3, 4), F(1, 2)): 2}),
]
REFUSED_TEXTS = [
    "e^(p/0)",
    "e^q",
    "e^(p*2)",
    "e^-p",
    "e^p*p",
    "e^(p/1000000007)",
    "e^(100000*p)",
    "e^(p)^2",
    "e^p*e^p",
    "e*e",
    "e^p*e",
    "e^(1/1000000007)",
    "e^(100000)",
    "p^(1/2)",
]


@each("text, terms", TEXTS)
def test_texts(text: str, terms: Any) -> None:
    assert read_function(text, ("p",)) == (poly(terms), ONE)


def test_texts_with_powers_of_1_over_e() -> None:
    """They are multiplied by a power of e, above and below."""
    found = read_function("(1 - e^(-1/2))/(p*e^(-1))", ("p",))
    assert found == (poly({(0, 0, 1): 1, (0, 0, F(1, 2)): -1}), poly({(1, 0, 0): 1}))


@each("text", REFUSED_TEXTS)
def test_texts_that_are_refused(text: str) -> None:
    with pytest.raises((Refused, ArithmeticError)):
        read_function(text, ("p",))
    with pytest.raises((Refused, ArithmeticError)):
        read_function(text, ("p", "q"))


def test_several_parameters_have_no_powers_of_e() -> None:
    with pytest.raises(Refused):
        read_function("e^p", ("p", "q"))


@cache
def signs(text: str) -> set[int]:
    (top, _) = read_function(text, ("p",))
    return ALL.gap.signs(formed(top))


def test_signs_without_an_upper_end() -> None:
    """By hand; also of a polynomial without powers of e."""
    with limited():
        assert signs("-3 + p") == {-1, 0, 1} and signs("1 + p") == {1} and signs("-1 - p^3") == {-1}
        assert signs("p^2 - 2*p + 1") == {0, 1} and signs("e^p - 1 - p") == {1}
        assert signs("e^p - e") == {-1, 0, 1} and signs("e^p - p*e") == {0, 1}
        assert signs("p*e - 1") == {-1, 0, 1} and signs("1 + p*e") == {1}
        assert signs("e^p - 3*p") == {-1, 0, 1} and signs("e^(p/1000) - p") == {-1, 0, 1}


@each(
    "value",
    [
        {"rational": "infinite", "closed": True},
        {"rational": "Infinity", "closed": False},
        {"infinite": True, "closed": False},
        {"rational": "infinite"},
    ],
)
def test_ends_that_are_no_ends(value: Any) -> None:
    with pytest.raises((Refused, ValueError, LookupError)):
        read_end(value)


def test_what_vanishes_at_a_point_is_no_common_factor() -> None:
    """Divided by it, numbers that are 0 would not be."""
    (x,) = Gap(Real(F(0), F(0)), INFINITE).roots(poly({(0, F(1, 2)): 1, (0, 0): -2}))
    with limited(), functions_on(Spot("p", x, x, is_point=True)):
        zero, other = number("-2 + e^(p/2)"), number("-3 + e^(p/2)")
        listed = [zero, zero * 3, zero * other]
        assert all(one == 0 for one in [*listed, *zero.without_common(listed)])  # type: ignore[attr-defined]
        assert other < 0 and number("1/p") / number("e^p/4") * number("p") == 1
