"""Pieces of kind polynomials, where one distribution of two values is unknown, and Sturm's theorem.

The file's condition is −1/4 + 2(p − 1/2)t − 5/16·t² <= 0 for all t > 0, so 64p² − 64p + 11 <= 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.test_pieces import ONE, ROOT_2, WHOLE, Json, broken, pieces, shown, spot, written
from tests.drawing import wider
from tests.one_parameter import nowhere_positive_above
from verifier.checker import reading, sturm
from verifier.checker.cuts import fails_on, nowhere_positive, quotient
from verifier.checker.document import Refused, Rejected, limited
from verifier.checker.numbers import Divided, functions_on
from verifier.checker.pieces import _followed

CASES = wider(60, 1500)
HALF = Fraction(1, 2)
CROWD = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob, cat], domain: [0, 1]}
mechanism:
  table: {outputs: ["yes", "no"], 000: Q, 001: Q, 010: Q, 011: Q, 100: Q, 101: P, 110: P, 111: V}
secrets: {ann_yes: ann == 1, ann_no: ann == 0}
pairs: [[ann_yes, ann_no]]
priors: iid
checks: [{pufferfish: {exp_epsilon: 2}}]
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Json:
    text = CROWD.replace(": Q", ": [1/4, 3/4]").replace(": P", ": [p, 1 - p]")
    folder = tmp_path_factory.mktemp("crowd")
    (found,) = written(text.replace(": V", ": [3/16, 13/16]"), folder)
    assert check(found).outcome == "accepted"
    return found


def place(document: Json, key: str, value: Any) -> int:
    """The first piece in which something is so."""
    return next(k for k, one in enumerate(pieces(document)) if one.get(key) == value)


def test_the_region(crowd: Json) -> None:
    (interval,) = crowd["answer"]["region"]
    assert interval["to"]["polynomial"] == ["11", "-64", "64"] and interval["to"]["closed"]
    assert crowd["question"]["relation"]["kind"] == "polynomials"


def test_what_fails_is_looked_for(crowd: Json) -> None:
    """A prior is not shown: the condition named fails somewhere for each value."""
    at = place(crowd, "verdict", "violated")
    lower = shown(crowd)[at]["witness"]["lower"]
    common = [[1, 3, 1], [2, 2, 2], [1, 1, 3]]  # x·y·(x + y)²
    line = {"divisor": common, "line": [["0", "1"], ["1", "0"]], "eliminated": None}
    assert lower == {"pair": ["ann_yes", "ann_no"], "outputs": [0], **line}

    def said(edit: Callable[[Json], object]) -> str:
        return broken(lambda d: edit(shown(d)[at]["witness"]), crowd)

    assert said(lambda w: w["lower"].update(pair=["ann_no", "ann_yes"])) == "rejected"
    assert said(lambda w: w["lower"].update(outputs=[1])) == "rejected"
    assert said(lambda w: w["lower"].update(outputs=[])) == "refused"
    assert said(lambda w: w["lower"].update(powers=[0, 0])) == "refused"
    assert said(lambda w: w["lower"].update(line=[["1", "0"], ["0", "1"]])) == "accepted"
    assert said(lambda w: w["lower"].update(line=[["0", "1"], ["0", "1"]])) == "rejected"
    assert said(lambda w: w["lower"].update(eliminated=1)) == "accepted"  # the same, turned round
    for wrong in ([["0", "1"]], [["0", "1", "1"], ["1", "0", "1"]], [["-1", "1"], ["1", "0"]]):
        assert said(lambda w, wrong=wrong: w["lower"].update(line=wrong)) == "refused"
    assert said(lambda w: w.update(upper=[{**lower, "tree": 0}])) == "refused"
    leveled = {"at_least": "2"}
    assert broken(lambda d: pieces(d)[at].update(leakage=leveled), crowd) == "refused"

    def longer(document: Json) -> None:
        """Down to a value where the condition does not fail."""
        (interval,) = document["answer"]["region"]
        for end in (part[key] for part in (*pieces(document), interval) for key in ("from", "to")):
            if end.get("polynomial") == ["11", "-64", "64"]:
                closed = end["closed"]
                end.clear()
                end.update(rational="779/1000", closed=closed)

    assert broken(longer, crowd) == "rejected"


def test_what_holds_is_decided(crowd: Json) -> None:
    """At the end, where the worst odds are irrational."""
    at = max(k for k, one in enumerate(pieces(crowd)) if one["verdict"] == "holds")
    assert pieces(crowd)[at]["leakage"] == {"at_most": "2"}
    upper = shown(crowd)[at]["witness"]["upper"]
    named = {"pair": ["ann_yes", "ann_no"], "outputs": [0]}
    tree = next(one for one in upper if {**one, **named} == one)
    common = [[1, 3, 1], [2, 2, 2], [1, 1, 3]]
    assert tree["tree"] == {"divisor": common, "tree": {"sturm": [0, 1]}}
    place = upper.index(tree)

    def said(tree: Any) -> str:
        return broken(lambda d: shown(d)[at]["witness"]["upper"][place].update(tree=tree), crowd)

    assert said(0) == "rejected" and said("") == "refused"
    assert broken(lambda d: shown(d)[at]["witness"]["upper"].pop(place), crowd) == "rejected"
    assert broken(lambda d: pieces(d)[at].update(leakage={"at_most": "1"}), crowd) == "rejected"


SQUARE = {(2, 0): -ONE, (1, 1): 2 * ONE, (0, 2): -ONE}  # -(x - y)^2
RATIO = {"sturm": [0, 1]}


def proves(p: dict[tuple[int, ...], Any], tree: Any, groups: list[int]) -> bool:
    with functions_on(WHOLE):
        return nowhere_positive(p, tree, groups)


def test_a_ratio() -> None:
    """-(x - y)² - (x - y)²·u, with u in a group of its own, and more."""
    assert proves(SQUARE, RATIO, [2]) and proves(SQUARE, {"sturm": [1, 0]}, [2])
    assert not proves({**SQUARE, (1, 1): 2 * ONE + Fraction(1, 10**9)}, RATIO, [2])
    both = {(*m, k): x for m, x in SQUARE.items() for k in (0, 1)}
    assert proves(both, RATIO, [2, 1])
    assert not proves({**both, (1, 1, 1): 3 * ONE}, RATIO, [2, 1])
    assert not proves({**SQUARE, (1, 0): ONE / 9}, RATIO, [2])  # of another degree
    assert proves({}, RATIO, [2])
    for edge, groups in (([0, 1], [1, 1]), ([0, 0], [2]), ([0, 2], [2]), ([0, 1], [1])):
        with pytest.raises(Refused):
            proves(SQUARE, {"sturm": edge}, groups)


def test_a_discriminant() -> None:
    """-x² + 2·x·y - c·y²: nowhere positive for c >= 1."""
    for c, holds in ((1, True), (2, True), (Fraction(99, 100), False)):
        p = {(2, 0): -ONE, (1, 1): 2 * ONE, (0, 2): -c * ONE}
        tree = {"quadratic": 0, "trees": [0, 0, 0]}
        assert proves(p, tree, [2]) == holds
        assert proves({(a + 3, b): x for (a, b), x in p.items()}, tree, [2]) == holds
    assert not proves({(2, 0): ONE, (1, 1): ONE, (0, 2): ONE}, {**tree}, [2])
    assert not proves({(2, 0): -ONE, (0, 2): ONE}, tree, [2])  # C alone is positive
    assert not proves({(2, 0): ONE, (0, 2): -ONE}, tree, [2])  # A alone is
    assert proves({}, tree, [2])
    for wrong in (
        {"quadratic": 0, "trees": [0, 0]},
        {"quadratic": 2, "trees": [0, 0, 0]},
        {"quadratic": 0, "trees": [0, 0, 0], "tree": 0},
    ):
        with pytest.raises(Refused):
            proves(SQUARE, wrong, [2])
    with pytest.raises(Refused):
        proves({(3, 0): -ONE, (0, 3): -ONE}, tree, [2])  # of degree 3


def test_a_divisor() -> None:
    """-(x + y)·(x - y)²; a divisor with a negative number, or none, proves nothing."""
    p = {(3, 0): -ONE, (2, 1): ONE, (1, 2): ONE, (0, 3): -ONE}
    assert proves(p, {"divisor": [[1, 1, 0], [1, 0, 1]], "tree": RATIO}, [2])
    assert not proves(p, {"divisor": [[1, 1, 0], [1, 0, 1]], "tree": 0}, [2])
    for wrong in ([[1, 1, 0], [2, 0, 1]], [[1, 1, 0], [-1, 0, 1]], [], [[1, 0, 2]]):
        with pytest.raises(Refused):
            proves(p, {"divisor": wrong, "tree": RATIO}, [2])
    difference = {(2, 0): -ONE, (0, 2): ONE}  # the middle terms go out
    assert not proves(difference, {"divisor": [[1, 1, 0], [1, 0, 1]], "tree": 0}, [2])
    with functions_on(spot(Fraction(1, 2), Fraction(3, 4))):  # of no sign everywhere
        number = reading.number("5 - 8*p")
        whole = {(2, 0): -ONE, (1, 1): number, (0, 1): ONE - ONE}
        found = quotient(whole, [[1, 1, 0]], 2)
        assert list(found) == [(1, 0), (0, 1)]


def test_no_parameter_is_needed() -> None:
    """The polynomials may have rational coefficients; then the quotient is shortened."""
    half = {m: x / 2 for m, x in SQUARE.items()}
    for p in (SQUARE, half):
        for tree in (RATIO, {"quadratic": 0, "trees": [0, 0, 0]}):
            assert nowhere_positive(p, tree, [2])
            assert nowhere_positive(p, {"divisor": [[2, 0, 0]], "tree": tree}, [2])
        assert not nowhere_positive(p, {"divisor": [[1, 0, 0]], "tree": 0}, [2])


def test_a_line_of_priors() -> None:
    """x² + b·x·y - y² with b >= 0 is positive for large x; -x² + 2·x·y - c·y² for c < 1."""
    line = [["0", "1"], ["0", "1"]]  # y > 0 whatever x is
    with functions_on(WHOLE):
        for p, fails in (
            ({(2, 0): ONE, (0, 2): -ONE}, True),
            ({(2, 0): -ONE, (1, 1): 2 * ONE, (0, 2): -ONE}, False),
            ({(2, 0): -ONE, (1, 1): 2 * ONE, (0, 2): -ONE / 2}, True),
            ({(5, 0): -ONE, (4, 1): 2 * ONE, (3, 2): -ONE / 2}, True),
            ({(1, 1): ONE, (0, 2): -ONE}, True),
            ({}, False),
        ):
            assert fails_on(p, line, 0, 2) == fails
        with pytest.raises(Refused):
            fails_on({(2, 0): -ONE, (1, 1): -3 * ONE, (0, 2): -ONE}, line, 0, 2)
        assert fails_on({(1, 0): ONE, (0, 1): -ONE}, [["0", "1"], ["1", "0"]], None, 2)
        assert not fails_on({(1, 0): ONE, (0, 1): -ONE}, [["0", "1"], ["1", "1"]], None, 2)


def test_a_line_of_long_numbers_is_paid_for() -> None:
    """Numbers of 2000 digits to the power 100: the steps are counted before one is made."""
    line = [[f"1/{10**2000 + 1}", "1"], ["1", f"1/{10**2000 + 9}"]]
    with limited() as spent, pytest.raises(Refused, match="steps"):
        spent[0] = 95 * 10**6
        fails_on({(100, 0): 1, (0, 100): -1}, line, None, 2)


def test_no_part_of_other_certificates() -> None:
    """A tree that proves nothing; and without a parameter a point is needed."""
    from tests.checker.drafts import check
    from tests.checker.test_polynomials import AGREES, at, made

    leakage, outputs = {"exp_epsilon": "3"}, {"pair": ["s", "t"], "outputs": [0]}
    lower = at("1", "1")
    wrong = made(AGREES, {"class": "iid"}, leakage, lower, [{**outputs, "tree": RATIO}])
    assert check(wrong).outcome == "rejected"
    wrong = made(AGREES, {"class": "iid"}, None, outputs, (), "violated", {"exp_epsilon": "1"})
    assert check(wrong).outcome == "refused"


def drawn(random: Random) -> list[int]:
    found = [random.choice((1, -1, -1))]
    for _ in range(random.randint(0, 3)):
        factor = [random.randint(-3, 3) for _ in range(random.randint(1, 3))]
        for _ in range(random.randint(1, 3)):
            found = sturm.multiplied(found, factor)
    return found


def test_drawn_polynomials() -> None:
    random = Random("sturm of the checker")
    cases = [drawn(random) for _ in range(CASES)]
    answers = [sturm.is_nowhere_positive(form) for form in cases]
    assert answers == list(map(nowhere_positive_above, cases))
    assert 0.2 < answers.count(True) / len(answers) < 0.8
    assert sturm.is_nowhere_positive([]) and sturm.is_nowhere_positive([0, Fraction(0)])
    assert sturm.is_nowhere_positive([Fraction(-1, 3), Fraction(2, 3), Fraction(-1, 3)])
    with pytest.raises(Refused):
        sturm.is_nowhere_positive([-1] * 202)


FORMS = (  # holds at p
    (["-1", "p", "-1"], lambda p: p <= 2),
    (["-1", "2*p", "-p^2"], lambda p: True),
    (["-p", "2*p^2", "-p^3"], lambda p: True),
    (["0", "-1", "-1 + p", "p - 1"], lambda p: p <= 1),
    (["2 - p", "-1"], lambda p: p >= 2),
    (["-1", "2*p", "-p^2", "0", "(1 - p)/(2*p)"], None),
    (["1 - 3*p + p^2", "2 - p", "-1"], None),
)


def evaluated(texts: Iterable[str], x: Fraction) -> list[Fraction]:
    """The values of functions of p."""
    return [Fraction(eval(text.replace("^", "**"), {"p": x})) for text in texts]


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_functions(number: int) -> None:
    """On each part of a piece the answer is that at a value inside, and so it is at points."""
    texts, holds = FORMS[number]

    def rule() -> bool:
        return sturm.is_nowhere_positive(list(map(reading.number, texts)))

    parts = [(Fraction(1, 2), Fraction(1, 3)), (Fraction(9, 4), Fraction(1, 4))]
    for x, reach in parts:
        with functions_on(spot(x, x)):
            at_point = rule()
        assert at_point == nowhere_positive_above(evaluated(texts, x))
        assert holds is None or at_point == holds(x)
        try:
            said = _followed(spot(x - reach / 100, x + reach / 100), rule)
        except Rejected:
            continue
        assert (said == "holds") == at_point
    with functions_on(spot(ROOT_2, ROOT_2)):
        irrational = rule()
    assert irrational == nowhere_positive_above(evaluated(texts, Fraction(70710678, 10**8)))


def test_a_change_divides() -> None:
    """−1 + p t − t² fails from p = 2 on."""
    with functions_on(spot(ONE, 3 * ONE)), pytest.raises(Divided) as found:
        sturm.is_nowhere_positive(list(map(reading.number, ["-1", "p", "-1"])))
    assert found.value.polynomial in ((-4, 0, 1), (4, 0, -1))


def test_what_fails_at_another_level_shows_nothing(crowd: Json) -> None:
    """At e^5 all of it holds. A level is a function here."""

    def named(level: Json) -> Callable[[Json], object]:
        def edit(document: Json) -> None:
            document["question"]["level"] = level
            at = place(document, "verdict", "violated")
            for k, piece in enumerate(pieces(document)):
                if piece["verdict"] == "violated":
                    piece["leakage"], shown(document)[k] = None, shown(document)[at]

        return edit

    assert broken(named(crowd["question"]["level"]), crowd) == "accepted"
    assert broken(named({"epsilon": "5", "delta": "0"}), crowd) == "refused"


def test_small_coefficients() -> None:
    """(−1 + t − t²) p / 10 is below 0, however small."""
    with functions_on(spot(Fraction(1, 4), HALF)):
        form = [reading.number(text) * reading.number("1/10") for text in ("-p", "p", "-p")]
        assert sturm.is_nowhere_positive([*form, reading.number("-p^2/10")])
        assert not sturm.is_nowhere_positive([*form, reading.number("p^2/10")])
        assert sturm.is_nowhere_positive([reading.number(text) for text in ("-p", "0", "p - 1")])
