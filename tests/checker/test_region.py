"""Certificates of kind region: good ones, and siblings that are broken by hand.

Mechanisms have one bit, two outputs and a parameter p, so that levels and ends are known by hand.
"""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.drafts import asking, between, check, digest_of, of_format_2, stated
from tests.checker.drafts import sealed as in_format_3
from tests.checker.outcomes import accepted, siblings
from tests.pages import example
from verifier.checker.document import Refused
from verifier.checker.numbers import read_function
from verifier.checker.sturm import (
    Gap,
    Real,
    common,
    compare,
    multiplied,
    odd_part,
    sign_at,
    variations,
)

Json = dict[str, Any]
EXAMPLE: Json = of_format_2(example("region"))
SQUARE = {"polynomial": ["-1", "0", "2"], "between": ["7/10", "3/4"]}  # √½
ROOT_5 = {"polynomial": ["-1", "1", "1"], "between": ["3/5", "5/8"]}  # (√5 − 1)/2
REPLACE = {"rule": "replace", "group": 1}
BITS: Json = {"worlds": ["0", "1"], "records": [[0], [1]], "entries_per_record": 1}
PLACE = {"pair": [0, 1], "output": 0}


def end(at: Any, closed: bool) -> Json:
    return {**at, "closed": closed} if isinstance(at, dict) else {"rational": at, "closed": closed}


def ends(low: Any, high: Any = None) -> Json:
    """An open interval, or a point."""
    point = high is None
    return {"from": end(low, point), "to": end(low if point else high, point)}


def piece(low: Any, high: Any, top: str, bottom: str = "1", **more: Any) -> Json:
    function = {"numerator": top.split(), "denominator": bottom.split(), **more}
    return {**ends(low, high), **function}


def infinite(low: Any, high: Any = None) -> Json:
    return {**ends(low, high), "infinite": True}


def region(*intervals: tuple[Any, Any, bool, bool]) -> list[Json]:
    return [{"from": end(a, c), "to": end(b, d)} for a, b, c, d in intervals]


def cell(low: Any, high: Any, *values: str) -> Json:
    """The first value is told of the bit 0, the second of 1; the last two are their complements."""
    columns = [[0, 2], [1, 3]]
    return {**ends(low, high), "outputs": ["x", "y"], "values": list(values), "columns": columns}


def document(
    cells: list[Json],
    pieces: list[Json],
    where: list[Json],
    *,
    level: str = "3",
    delta: str = "0",
    low: Any = ("0", False),
    high: Any = ("1", False),
    relation: Any = REPLACE,
    places: Any = None,
    definition: Any = "differential_privacy",
    holds: bool = False,
) -> Json:
    relations = relation if isinstance(relation, list) else [relation] * len(cells)
    domain = {"rule": "region", "parameter": "p", "from": end(*low), "to": end(*high)}
    options = {"neighbours": "replace", "group": 1}
    about = {"definition": definition, "options": options} if definition else {}
    about["level"] = {"exp_epsilon": level, "delta": delta}
    answer = {"verdict": "holds" if holds else "violated", "region": where, "pieces": pieces}
    shown = {"places": places or [PLACE] * len(pieces)}
    model, relation = {**BITS, "cells": cells}, {**domain, "cells": relations}
    return stated(asking("region", model, relation, answer, shown, **about))


def sealed(changed: Json) -> Json:
    return stated({"taken": ["matrix", "worlds"], **changed})


def outcome(changed: Json) -> str:
    return check(sealed(changed)).outcome


def broken(base: Json, path: str, part: Any) -> Json:
    """A document with another part at a path."""
    found = deepcopy(base)
    *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    inside: Any = found
    for key in keys:
        inside = inside[key]
    inside[last] = part
    return found


def test_the_example() -> None:
    accepted(EXAMPLE)
    assert outcome(EXAMPLE) == "accepted"


HALF = piece("1/2", None, "1")
ONE_CELL = cell("0", "1", "1 - p", "p", "p", "1 - p")
BIT = document(  # (1 − p)/p up to 1/2, p/(1 − p) from there; at level 3 from 1/4 to 3/4
    [ONE_CELL],
    [
        piece("0", "1/4", "1 -1", "0 1"),
        piece("1/4", None, "3"),
        piece("1/4", "1/2", "1 -1", "0 1"),
        HALF,
        piece("1/2", "3/4", "0 1", "1 -1"),
        piece("3/4", None, "0 -2", "-2 2"),
        piece("3/4", "1", "0 1", "1 -1"),
    ],
    region(("1/4", "3/4", True, True)),
    places=[PLACE] * 3 + [None] + [{"pair": [1, 0], "output": 0}] * 3,
)
IRRATIONAL = document(  # the level 1 + p meets p/(1 − p) where p² + p = 1
    [cell("1/2", "1", "p", "1 - p", "1 - p", "p")],
    [
        piece("1/2", ROOT_5, "0 1", "1 -1"),
        piece(ROOT_5, None, "1 1"),
        piece(ROOT_5, "1", "0 1", "1 -1"),
    ],
    region(("1/2", ROOT_5, False, True)),
    low=("1/2", False),
    level="1 + p",
)
SQUARED = document(  # (2p² − 1)² is 0 at √½, where no level serves
    [
        cell("3/5", "4/5", "1 - 4*p^2 + 4*p^4", "1/2", "4*p^2 - 4*p^4", "1/2"),
    ],
    [
        piece("3/5", SQUARE, "1", "2 0 -8 0 8"),
        infinite(SQUARE),
        piece(SQUARE, "4/5", "1", "2 0 -8 0 8"),
    ],
    [],
    low=("3/5", False),
    high=("4/5", False),
    level="5",
    places=[{"pair": [1, 0], "output": 0}] * 3,
)
METRIC = document(  # worlds at distance 2: the square root of p/(1 − p) is at most 2 up to 4/5
    [cell("1/2", "1", "p", "1 - p", "1 - p", "p")],
    [
        piece("1/2", "4/5", "0 1", "1 -1", root=2),
        piece("4/5", None, "0 1", "1 -1", root=2),
        piece("4/5", "1", "0 1", "1 -1", root=2),
    ],
    region(("1/2", "4/5", False, True)),
    low=("1/2", False),
    level="2",
    relation={"rule": "pairs", "distances": {"2": [[1], [0]]}},
    definition=None,
)
DELTA = document(  # p − α(1 − p) <= 1/10
    [cell("1/2", "1", "p", "1 - p", "1 - p", "p")],
    [
        piece("1/2", "11/20", "1"),
        piece("11/20", None, "1"),
        piece("11/20", "31/40", "-1 10", "10 -10"),
        piece("31/40", None, "-1 10", "10 -10"),
        piece("31/40", "1", "-1 10", "10 -10"),
    ],
    region(("1/2", "31/40", False, True)),
    low=("1/2", False),
    delta="1/10",
    places=[None, None, {"pair": [0, 1]}, {"pair": [0, 1]}, {"pair": [0, 1]}],
)
HIDDEN = document(  # an output that the bit 1 never has, with probability p: infinite above delta
    [cell("0", "1", "p", "0", "1 - p", "1")],
    [
        piece("0", "1/4", "1"),
        piece("1/4", None, "1"),
        infinite("1/4", "1"),
    ],
    region(("0", "1/4", False, True)),
    delta="1/4",
    places=[None, None, {"pair": [0, 1]}],
)
CELLS = document(  # p is told up to 1/2, 1/2 from there, and nothing is at the end
    [
        cell("0", "1/2", "p", "1/2", "1 - p", "1/2"),
        cell("1/2", None, "1/2", "1/2", "1/2", "1/2"),
        cell("1/2", "1", "1/2", "1/2", "1/2", "1/2"),
        cell("1", None, "1/2", "1/2", "1/2", "1/2"),
    ],
    [
        piece("0", "1/6", "1", "0 2"),
        piece("1/6", None, "1", "0 2"),
        piece("1/6", "1/4", "1", "0 2"),
        piece("1/4", None, "2"),
        piece("1/4", "1/2", "1", "0 2"),
        HALF,
        piece("1/2", "1", "1"),
        piece("1", None, "1"),
    ],
    region(("1/6", "1", True, True)),
    high=("1", True),
    places=[{"pair": [1, 0], "output": 0}] * 5 + [None] * 3,
)
GOOD = {
    "bit": BIT,
    "irrational": IRRATIONAL,
    "squared": SQUARED,
    "metric": METRIC,
    "delta": DELTA,
    "hidden": HIDDEN,
    "cells": CELLS,
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_one(name: str) -> None:
    accepted(GOOD[name])


Q = "question.model.cells.0"
A = "answer.pieces"
W = "evidence.witness.places"
test_rejected = siblings(
    (BIT, "", "answer.region", region(("0", "1", False, False)), []),
    (BIT, "", "answer.region", region(("1/4", "3/4", True, False))),
    (BIT, "", "answer.region", region(("1/5", "3/4", True, True))),
    (BIT, "", "answer.region", region(("1/4", "1/2", True, True), ("1/2", "3/4", False, True))),
    (BIT, "", "answer.verdict", "holds"),
    (BIT, "", "answer.pieces", BIT["answer"]["pieces"][:-1], BIT["answer"]["pieces"][1:]),
    (BIT, "", "answer.pieces.3", BIT["answer"]["pieces"][2], piece("2/5", None, "1")),
    (BIT, "", "answer.pieces.3", piece("1/2", None, "2")),
    (BIT, "", "answer.pieces.4", piece("1/2", "3/4", "1"), piece("1/2", "3/4", "1 1", "1 -1")),
    (BIT, "", "answer.pieces.4", piece("1/2", "3/4", "1 -1", "0 1"), infinite("1/2", "3/4")),
    (BIT, "", "answer.pieces.4", piece("1/2", "3/4", "0 1", "2 -3")),
    (HIDDEN, "", "answer.pieces.2", piece("1/4", "1", "1000")),
    (SQUARED, "", "answer.pieces.1", piece(SQUARE, None, "1000")),
    (METRIC, "", "answer.pieces.0.root", 1),
    (IRRATIONAL, "", "answer.pieces.1", piece(ROOT_5, None, "1 2")),
    (DELTA, "", "answer.pieces.2", piece("11/20", "31/40", "0 1", "1 -1")),
    (DELTA, "", "answer.pieces.2", piece("11/20", "31/40", "1")),
    (HIDDEN, "", "witness.places.0", {"pair": [0, 1]}),
    (BIT, "", "witness.places.0", {"pair": [0, 0], "output": 0}, {"pair": [1, 0], "output": 0}),
    (BIT, "", "witness.places.0", None),
    (SQUARED, "", "witness.places.1", {"pair": [0, 0], "output": 0}, {"pair": [0, 1], "output": 0}),
    (SQUARED, "", "witness.places.1", {"pair": [1, 0], "output": 1}),
    (HIDDEN, "", "witness.places.2", {"pair": [1, 0]}),
    (BIT, "", "relation.from.closed", True),
    (BIT, "", "relation.to.closed", True),
    (BIT, "", "relation.from.rational", "-1"),
    (BIT, "", "relation.to.rational", "2"),
    (BIT, "", "model.cells.0.values", ["1 - p", "p", "p", "p"], ["1 - 2*p", "p", "2*p", "1 - p"]),
    (BIT, "", "model.cells.0.values", ["3 - 16*p + 16*p^2", "p", "-2 + 16*p - 16*p^2", "1 - p"]),
    (BIT, "", "model.cells.0.values", ["(1 - 2*p)/(1 - 2*p)", "p", "0", "1 - p"]),
    (CELLS, "", "model.cells.1.values", ["p", "1/2", "p", "p^2"]),
    (CELLS, "", "model.cells.1", CELLS["question"]["model"]["cells"][3]),
    (BIT, "", "level.exp_epsilon", "2*p", "1/(1 - 4*p + 4*p^2)"),
    (DELTA, "", "level.delta", "-1/10", "11/10", "(9 - 30*p + 25*p^2)/9", "1/(1 - p)"),
)


test_refused = siblings(
    (BIT, "", "relation.rule", "cells"),
    (BIT, "", "relation.cells", [], [REPLACE, REPLACE]),
    (BIT, "", "model.cells", []),
    (BIT, "", "relation.to", end("0", False), end("-1", False)),
    (BIT, "", "answer.pieces", []),
    (BIT, "", "answer.pieces.0", piece("1/4", "0", "3")),
    (BIT, "", "answer.pieces.0.from.closed", True, 0),
    (BIT, "", "answer.pieces.1", {**BIT["answer"]["pieces"][1], "from": end("1/4", False)}),
    (BIT, "", "witness.places", [PLACE] * 8),
    (BIT, "", "answer.leakage", {"vacuous": True}),
    (SQUARED, "", "answer.pieces.1.infinite", 1),
    (BIT, "", "answer.pieces.0.denominator", [], ["1/2"], ["1", "0"]),
    (METRIC, "", "answer.pieces.0.root", 0, 100),
    (BIT, "", "relation.to.rational", "e"),
    (IRRATIONAL, "", "answer.pieces.0.to.between", ["7/10", "3/4"], ["-2", "1"], ["5/8", "3/5"]),
    (
        IRRATIONAL,
        "",
        "answer.pieces.0.to",
        end({"polynomial": ["0", "1"], "between": ["0", "1"]}, False),
    ),
    (IRRATIONAL, "", "answer.pieces.0.to.polynomial", ["1"]),
    (BIT, "", "model.cells.0.outputs", []),
    (BIT, "", "model.cells.0.columns", [[0], [1]], [[0, 2]], [[0, 4], [1, 3]]),
    (BIT, "", "model.cells.0.values.0", "1 - q", "1/2 - p + 1/2", "1 - p + p", "1 - ", 1),
    (BIT, "", "model.cells.0.values.0", "1 - p^5001", "1 - 2p", "1/0", "1/2/3", "1 - p/1"),
    (BIT, "", "model.cells.0.values.0", "(1 - p)/1*p^0", "(2 - 2*p)/1 + 1*p^0"),
    (METRIC, "", "relation.cells.0.distances", {"1/2": [[1], [0]]}, {"100": [[1], [0]]}),
    (METRIC, "", "level.delta", "1/10"),
    (BIT, "", "level", {"epsilon": "1", "delta": "0"}),
    (BIT, "", "model.outputs", ["x"]),
    (CELLS, "", "answer.pieces.5", piece("1/2", "1", "1")),
)


def test_with_delta_a_leakage_is_no_root() -> None:
    """Else 9 at a delta would be proved to be a leakage of 3."""
    nine = piece("1/2", "1", "9", "1")
    told = ["(91 - p)/100", "p/100", "(9 + p)/100", "(100 - p)/100"]  # P - 9 Q = (91 - 10p)/100
    at = {
        "level": "3",
        "delta": "(91 - 10*p)/100",
        "low": ("1/2", False),
        "places": [{"pair": [0, 1]}],
    }
    true = document([cell("1/2", "1", *told)], [nine], [], **at)
    assert outcome(true) == "accepted"
    where = region(("1/2", "1", False, False))
    forged = document([cell("1/2", "1", *told)], [{**nine, "root": 2}], where, holds=True, **at)
    assert outcome(forged) == "refused"


def test_numbers_whose_powers_are_too_long() -> None:
    """(1 + s)^n a((u + v s)/(1 + s)) has a power of the denominators in each coefficient."""
    tiny = "1" + "0" * 9_000
    at = {"polynomial": ["0", *["1"] * 400], "between": [f"-1/{tiny}", f"1/{tiny}"]}
    changed = broken(in_format_3(BIT), "question.domain.sides.0.from", end(at, False))
    assert "steps" in check({**changed, "digest": digest_of(changed["question"])}).reason


def test_common_divisors_of_long_numbers() -> None:
    """The first division is refused before it is begun."""
    long = 10**150_000
    with pytest.raises(Refused, match="steps"):
        common(tuple(long + k * k for k in range(200)), tuple(long - k for k in range(199)))


def test_powers_of_long_numbers() -> None:
    """At a distance of 99 the 99th power of a fraction is compared."""
    long = "1" + "0" * 30_000
    changed = broken(METRIC, "question.relation.cells.0.distances", {"99": [[1], [0]]})
    level = {"exp_epsilon": f"(1 + {long}*p)/({long} - {long}*p)"}
    changed = broken(in_format_3(sealed(changed)), f"{A}.0.leakage", level)
    assert "a power is too long" in check(changed).reason


def test_equal_columns_are_compared() -> None:
    where = region(("0", "1", False, False))
    one = document(
        [cell("0", "1", "p", "1 - p")], [piece("0", "1", "1")], where, holds=True, places=[None]
    )
    alike = broken(one, "question.model.cells.0.columns", [[0, 1], [0, 1]])
    assert outcome(alike) == "accepted"
    assert outcome(broken(alike, "answer.leakage", {"vacuous": True})) == "rejected"


def test_rationals_may_stand_for_text() -> None:
    changed = broken(BIT, "question.level.delta", Fraction(0))
    assert outcome(broken(changed, "question.level.exp_epsilon", Fraction(3))) == "accepted"


def test_numbers_of_another_class_are_read_by_their_text() -> None:
    class Text(Fraction):
        def __str__(self) -> str:
            return "4*p/p"

    assert outcome(broken(BIT, "question.level.exp_epsilon", Text(3))) == "rejected"


def test_words_say_where() -> None:
    words = check(IRRATIONAL).claim
    assert "(it holds for 1/2 < p <= the root of ['-1', '1', '1'] near 3/5)" in words
    assert "(it holds for no p)" in check(SQUARED).claim


SECRETS = between(
    {"a": [0], "b": [1]}, [["a", "b"]], {"class": "list", "priors": [["p", "1 - p"], ["1", "0"]]}
)
CONDITIONALS = {
    **SECRETS,
    "priors": {"class": "conditionals", "priors": [{"a": ["1", "0"], "b": ["0", "1"]}]},
}
NAMED = {"prior": 0, "pair": ["a", "b"], "output": 0}
BELIEVED = broken(
    document(
        [cell("1/2", "1", "p", "1 - p", "1 - p", "p"), cell("1", None, "1", "0", "0", "1")],
        [
            piece("1/2", "3/4", "0 1", "1 -1"),
            piece("3/4", None, "3"),
            piece("3/4", "1", "0 1", "1 -1"),
            piece("1", None, "1"),  # the second secret has no probability there
        ],
        region(("1/2", "3/4", False, True), ("1", "1", True, True)),
        low=("1/2", False),
        high=("1", True),
        relation=SECRETS,
        definition=None,
        places=[NAMED, NAMED, NAMED, None],
    ),
    "answer.verdict",
    "violated",
)
GIVEN = document(
    [cell("1/2", "1", "p", "1 - p", "1 - p", "p")],
    [
        piece("1/2", "3/4", "0 1", "1 -1"),
        piece("3/4", None, "3"),
        piece("3/4", "1", "0 1", "1 -1"),
    ],
    region(("1/2", "3/4", False, True)),
    low=("1/2", False),
    relation=CONDITIONALS,
    definition=None,
    places=[NAMED] * 3,
)
PRIORS = "question.relation.cells.0.priors.priors"


def test_beliefs() -> None:
    """Under a prior that depends on p, and one that does not allow both secrets."""
    accepted(BELIEVED)
    accepted(GIVEN)
    assert check(BELIEVED).taken == ("matrix", "relation", "worlds")


@pytest.mark.parametrize(
    "base, part",
    [
        (BELIEVED, [["p", "p"]]),
        (BELIEVED, [["2*p", "1 - 2*p"]]),
        (BELIEVED, [["p"]]),
        (BELIEVED, [["p", "1 - p", "0"]]),
        (BELIEVED, [["1", "0"]]),
        (GIVEN, [{"a": ["1", "0"], "b": ["1/2", "1/2"]}]),
        (GIVEN, [{"a": ["1", "0"]}]),
        (GIVEN, []),
    ],
)
def test_beliefs_that_are_none(base: Json, part: Any) -> None:
    assert outcome(broken(base, PRIORS, part)) in ("rejected", "refused")


def test_a_weight_that_vanishes_inside_a_piece() -> None:
    """At √½ the first secret is impossible: no piece may go over it."""
    weights = ["1 - 4*p^2 + 4*p^4", "4*p^2 - 4*p^4"]
    assert outcome(broken(BELIEVED, PRIORS, [weights])) == "refused"


def test_nothing_is_compared() -> None:
    """Where the records are one, there are no neighbours: this is said, and said only there."""
    nothing = {"rule": "pairs", "distances": {}}
    found = document(
        [ONE_CELL], [piece("0", "1", "1")], region(("0", "1", False, False)), relation=nothing
    )
    found = broken(broken(found, "question.definition", None), "question.options", {})
    found["answer"]["verdict"] = "holds"
    found["evidence"]["witness"]["places"] = [None]
    assert outcome(found) == "refused"
    found["answer"]["leakage"] = {"vacuous": True}
    assert outcome(found) == "accepted"
    found["answer"]["leakage"] = {"vacuous": 1}
    assert outcome(found) == "rejected"
    found["answer"]["leakage"] = {"vacuous": True}
    found["evidence"]["witness"]["places"] = [PLACE]
    assert outcome(found) == "rejected"


def test_events_whose_outputs_change() -> None:
    """A piece is divided by itself where an output begins to count, though the sums agree."""
    values = ["1 - p", "p", "p", "1 - p"]
    found = document(
        [cell("0", "1", *values)],
        [piece("0", "1", "1000")],
        region(("0", "1", False, False)),
        delta="1",
        holds=True,
        level="1000",
    )
    found["evidence"]["witness"]["places"] = [None]
    assert outcome(found) == "rejected"
    assert outcome(broken(found, "answer.pieces.0", piece("0", "1", "1"))) == "accepted"


# The arithmetic of polynomials, by hand.

HALF_, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
ROOT_2 = Real(ONE, TWO, (-2, 0, 1))
MINUS_ROOT_2 = Real(-TWO, -ONE, (-2, 0, 1))


def rational(x: Any) -> Real:
    return Real(Fraction(x), Fraction(x))


def gap(low: Real, high: Real) -> Gap:
    return Gap(low, high)


def times(a: Any, b: Any) -> tuple[int, ...]:
    return tuple(multiplied(a, b))


def test_order() -> None:
    again = Real(HALF_, Fraction(3, 2), times((-2, 0, 1), (3, 1)))
    near = Real(ONE, TWO, (-2 * 10**30 - 1, 0, 10**30))
    twice = Real(Fraction(0), Fraction(5, 4), (-1, 2))  # is 1/2
    assert compare(ROOT_2, again) == 0 == compare(twice, rational("1/2"))
    assert compare(rational("1/2"), twice) == 0 == compare(twice, twice)
    assert compare(ROOT_2, near) == -1 == compare(MINUS_ROOT_2, ROOT_2)
    assert compare(near, ROOT_2) == 1 == compare(ROOT_2, rational("7/5"))
    assert compare(rational(1), rational(2)) == -1
    assert compare(Real(Fraction(0), ONE, (-1, 2)), Real(Fraction(0), ONE, (-1, 4))) == 1
    assert rational(1).halved() == rational(1)


def test_signs_at_a_number() -> None:
    assert sign_at((-2, 0, 1), ROOT_2) == 0 == sign_at((), ROOT_2)
    assert sign_at((-2, 0, 1), rational(2)) == 1 == sign_at((7,), ROOT_2)
    assert sign_at((-7, 5), ROOT_2) == 1 == -sign_at((-3, 2), ROOT_2)
    halved = Real(Fraction(0), ONE, (-1, 2))  # its middle is the root itself
    assert sign_at((-3, 10), halved) == 1


def test_signs_between() -> None:
    """No sign variation, one, and some where only bisection decides."""
    hidden = (26, -50, 25)  # (5x − 5)² + 1
    assert variations(hidden, Fraction(0), TWO) == 2
    squared = (1, -2, 1)  # 0 at 1
    expected = {
        (1, 1): {1},
        (-1, -1): {-1},
        (): {0},
        (-1, 1): {-1, 0, 1},
        (1, -3, 2): {-1, 0, 1},
        (0, 2, -1): {1},  # 0 at both ends
        hidden: {1},
        squared: {0, 1},
        (-1, 2, -1): {-1, 0},
        times(squared, (-3, 2)): {-1, 0, 1},
        times(squared, (3, -2)): {-1, 0, 1},
    }
    for a, signs in expected.items():
        assert gap(rational(0), rational(2)).signs(a) == signs, a
    assert odd_part(times(times(squared, (-3, 2)), (1, 0, 1))) in {
        times((-3, 2), (1, 0, 1)),
        times((3, -2), (1, 0, 1)),
    }
    assert odd_part(times(squared, (-1, 1))) in {(-1, 1), (1, -1)}
    assert common((-1, 0, 1), (1, 2, 1)) in {(1, 1), (-1, -1)}


def test_signs_up_to_irrational_ends() -> None:
    """The end itself may be a root, once or twice, with others of the same polynomial inside."""
    left = gap(rational(0), ROOT_2)
    assert left.signs((2, 0, -1)) == {1} == left.signs(times((2, 0, -1), (2, 0, -1)))
    every = {-1, 0, 1}
    assert left.signs((-7, 5)) == every  # 7/5 is below √2
    assert gap(rational(0), ROOT_2).signs((-141, 100)) == every
    over = gap(MINUS_ROOT_2, rational(2))
    assert over.signs((-2, 0, 1)) == every and over.signs((4, 0, 1)) == {1}
    assert gap(MINUS_ROOT_2, ROOT_2).signs((2, 0, -1)) == {1}
    assert gap(ROOT_2, rational(2)).signs((-2, 0, 1)) == {1}
    assert gap(ROOT_2, rational("3/2")).signs((-3, 2)) == {-1}
    exact = Real(ONE, TWO, (-3, 2))  # the middle of the interval is the end
    assert gap(exact, rational(4)).signs((-5, 3)) == every
    assert gap(rational(0), exact).signs((5, -3)) == {1}
    assert gap(exact, Real(ONE, Fraction(9, 5), (-8, 5))).signs((1,)) == {1}


@pytest.mark.parametrize("text", ["1 + 1", "p + p", "2*p^2 - p^2", "0" * 100_001])
def test_texts_that_are_no_functions(text: str) -> None:
    with pytest.raises(Refused):
        read_function(text, ("p",))


def test_the_longest_function() -> None:
    assert read_function("0" * 99_999 + "7", ("p",)) == ({0: 7}, {0: 1})
