"""Certificates of kind parameters: good ones, and siblings that are broken by hand.

Mechanisms have one bit and two outputs: 0 is told as such with probability p, 1 with probability q.
"""

import json
from copy import deepcopy
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import asking, between, check, digest_of, of_format_2, stated
from tests.checker.outcomes import siblings
from tests.checker.test_region import BITS, broken, outcome, sealed
from tests.pages import example
from verifier import checker
from verifier.checker.cuts import Region
from verifier.checker.document import Refused, Rejected, limited
from verifier.checker.numbers import (
    Poly,
    functions_on,
    packed,
    read_function,
)
from verifier.checker.signs import Cell
from verifier.questions.answer import write
from verifier.run import verify
from verifier.run.verify import decide, load

Json = dict[str, Any]
EXAMPLE: Json = of_format_2(example("parameters"))
REPLACE = {"rule": "replace", "group": 1}
OPEN = ("1/2", False, "1", False)
SAMPLE = ["3/4", "5/8"]
ORDERS = """\
parameters: {p: 1/2 < p < 3/4, q: 1/2 < q < 3/4}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [p, 1-p], b: [1-q, q]}}
checks: [renyi: {exp_epsilon: 100, order: 2, neighbours: all}]
"""


def side(low: str, low_closed: bool, high: str, high_closed: bool) -> Json:
    return {
        "from": {"rational": low, "closed": low_closed},
        "to": {"rational": high, "closed": high_closed},
    }


def cell(*values: str) -> Json:
    """Probabilities of both answers where the bit is 0, then where it is 1."""
    return {"outputs": ["x", "y"], "values": list(values), "columns": [[0, 1], [2, 3]]}


BIT = cell("p", "1 - p", "1 - q", "q")


def document(
    cells: list[Any],
    witness: Any,
    *,
    sides: Any = (OPEN, OPEN),
    where: Any = (),
    level: str = "q/(1 - p)",
    delta: str = "0",
    relation: Any = REPLACE,
    named: bool = True,
    verdict: str = "holds",
) -> Json:
    domain = {
        "rule": "parameters",
        "parameters": ["p", "q"],
        "domain": [side(*one) for one in sides],
        "where": [{"polynomial": text, "strict": strict} for text, strict in where],
        "cells": [None if one is None else relation for one in cells],
    }
    options = {"neighbours": "replace", "group": 1}
    about = {"definition": "differential_privacy", "options": options} if named else {}
    about["level"] = {"exp_epsilon": level, "delta": delta}
    model = {**BITS, "cells": cells}
    return stated(asking("parameters", model, domain, {"verdict": verdict}, witness, **about))


def proof(*signs: Any, sample: Any = SAMPLE, **more: Any) -> Json:
    found = [{"polynomial": rows, "tree": tree} for rows, tree in signs]
    return {"sample": list(sample), "signs": found, **more}


def at(point: list[str], leakage: Any, pair: Any, **more: Any) -> Json:
    return {"point": point, "leakage": leakage, "witness": {"pair": pair, **more}}


SIGN = EXAMPLE["evidence"]["witness"]["cells"][0]["signs"][0]
SIGNS = (SIGN["polynomial"], SIGN["tree"])
ORDERED = document([BIT], {"cells": [proof(SIGNS)]}, where=[("p - q", False)])
# 3(1 − q) − p and 3(1 − p) − q are conditions, so that 3 holds: no coefficient of f − g is left
PLUS = document(
    [BIT],
    {
        "cells": [
            proof(
                ([[3, 0, 0], [-1, 1, 0], [-3, 0, 1]], {"plus": [0, "1"]}),
                ([[3, 0, 0], [-3, 1, 0], [-1, 0, 1]], {"plus": [1, "1"]}),
            )
        ]
    },
    where=[("3 - p - 3*q", False), ("3 - 3*p - q", False)],
    level="3",
)
POINT = document(  # at p = 3/4, q = 7/8 the ratio of x is 6, of y 7/2, where 4 is asked
    [BIT],
    at(["3/4", "7/8"], {"exp_epsilon": "6"}, [0, 1], output=0),
    level="4",
    verdict="violated",
)
# p <= 3/4 and q <= 3/4, ends included: at level 3 linear functions on four cells
FOUR = document(
    [
        BIT,
        cell("p", "1 - p", "1/4", "3/4"),
        cell("3/4", "1/4", "1 - q", "q"),
        cell("3/4", "1/4", "1/4", "3/4"),
    ],
    {
        "cells": [
            proof(sample=["5/8", "5/8"]),
            proof(sample=["5/8", "3/4"]),
            proof(sample=["3/4", "5/8"]),
            proof(sample=["3/4", "3/4"]),
        ]
    },
    sides=[("1/2", False, "3/4", True)] * 2,
    level="3",
)
# where q < p, nothing is left at p = 1/2; the square (p − q)² is below the level
SQUARE = [[1, 2, 0], [-2, 1, 1], [1, 0, 2]]
NONE = document(
    [None, BIT],
    {
        "cells": [
            proof(([[-1, 0, 0]], {"none": 0}), sample=[]),
            proof(SIGNS),
        ]
    },
    sides=[("1/2", True, "1", False), OPEN],
    where=[("p - q", True)],
)
# the level is above 1 by a square, which is 0 inside; the columns are the same
HALF = cell("1/2", "1/2", "1/2", "1/2")
ROOT_OF = [[1, 1, 0, 0, 1], [-1, 0, 1, 1, 0]]  # a multiple of q − p in the variables of the cell
REPEATED = document(
    [HALF],
    {"cells": [proof((SQUARE, {"square": ROOT_OF, "rest": [[-1, 0, 0, 0, 0]], "tree": 0}))]},
    level="1 + p^2 - 2*p*q + q^2",
)
# the square times p + q, which is 0 nowhere
DIVISOR = [[2, 1, 0, 1, 0], [3, 1, 0, 0, 1], [3, 0, 1, 1, 0], [4, 0, 1, 0, 1]]
DIVIDED = document(
    [HALF],
    {
        "cells": [
            proof(
                (
                    [[1, 3, 0], [-1, 2, 1], [-1, 1, 2], [1, 0, 3]],
                    {
                        "divisor": DIVISOR,
                        "tree": {"square": ROOT_OF, "rest": [[-1, 0, 0, 0, 0]], "tree": 0},
                    },
                )
            )
        ]
    },
    level="1 + p^3 - p^2*q - p*q^2 + q^3",
)
# 1 + (p − 3/4)² in place of it, cut in the middle: nothing is left to prove on either half
CUT = document(
    [HALF],
    {
        "cells": [
            proof(([[9, 0, 0], [-24, 1, 0], [16, 2, 0]], [0, 1, 1, 1, 0, 0])),
        ]
    },
    level="(25 - 24*p + 16*p^2)/16",
)
MERGED = document(  # p is a sum of both variables of q times something
    [HALF],
    {"cells": [proof(([[1, 1, 0]], {"merge": [2, 3], "tree": 0}))]},
    level="1 + p",
)
# P <= 3 Q + 1/10 up to 3p + q, p + 3q <= 31/10: of the events {x} and {y} are the conditions
DELTA = document(
    [BIT],
    {
        "cells": [
            proof(
                ([[31, 0, 0], [-10, 1, 0], [-30, 0, 1]], {"plus": [0, "1"]}),
                ([[31, 0, 0], [-30, 1, 0], [-10, 0, 1]], {"plus": [1, "1"]}),
            )
        ]
    },
    where=[("31 - 10*p - 30*q", False), ("31 - 30*p - 10*q", False)],
    level="3",
    delta="1/10",
)
FAR = document(  # at distance 2 the square of 3 is allowed, and 9/10 is told at most
    [BIT],
    {"cells": [proof(sample=["5/8", "5/8"])]},
    sides=[("1/2", False, "9/10", False)] * 2,
    relation={"rule": "pairs", "distances": {"2": [[1], [0]]}},
    level="3",
    named=False,
)
ALONE = document(
    [HALF],
    {"cells": [proof()]},
    relation={"rule": "pairs", "distances": {"1": [[], []]}},
    level="2",
    named=False,
)
ALONE["answer"]["leakage"] = {"vacuous": True}
GOOD = {
    "example": EXAMPLE,
    "ordered": ORDERED,
    "plus": PLUS,
    "point": POINT,
    "four": FOUR,
    "none": NONE,
    "repeated": REPEATED,
    "divided": DIVIDED,
    "cut": CUT,
    "merged": MERGED,
    "delta": DELTA,
    "far": FAR,
    "alone": ALONE,
}


@pytest.mark.parametrize("name", GOOD)
def test_good_ones(name: str) -> None:
    found = check(sealed(GOOD[name]))
    assert (found.outcome, found.reason) == ("accepted", "the evidence proves the claim")


W = "evidence.witness"
SIGNS_AT = f"{W}.cells.0.signs"
test_broken_ones = siblings(
    (ORDERED, "", "answer.verdict", "violated"),
    (ORDERED, "", "answer.leakage", {"vacuous": True}),
    (ALONE, "", "answer.leakage", {"exp_epsilon": "1"}),
    (ORDERED, "", "level.exp_epsilon", "p/(1 - q)", "(1 - p)/q"),
    (ORDERED, "", "relation.where.0.polynomial", "q - p", "2*p - q"),
    (ORDERED, "", "relation.where", []),
    (PLUS, "", "level.exp_epsilon", "29/10", "1/2"),
    (PLUS, "", "level.delta", "-1/10", "11/10"),
    (DELTA, "", "level.delta", "9/100"),
    (FAR, "", "level.exp_epsilon", "2"),
    (FAR, "", "level.delta", "1/10"),
    (FOUR, "", "relation.domain.0.to.rational", "4/5"),
    (FOUR, "", "relation.domain.0.to.closed", False),
    (FOUR, "", "relation.domain.0.from.closed", True),
    (ORDERED, "", "relation.domain.0.from.rational", "1", "e"),
    (ORDERED, "", "relation.domain.0", side("3/4", False, "3/4", True)),
    (ORDERED, "", "relation.domain.0.from.closed", 1),
    (ORDERED, "", "relation.domain", [side(*OPEN)]),
    (ORDERED, "", "relation.parameters", ["p", "p"], ["p", "1"], ["p", "r"]),
    (ORDERED, "", "relation.parameters", [f"p{k}" for k in range(9)]),
    (ORDERED, "", "relation.rule", "region"),
    (ORDERED, "", "relation.where.0.strict", 1),
    (ORDERED, "", "relation.cells", [], [None]),
    (NONE, "", "relation.cells.0", REPLACE),
    (NONE, "", "witness.cells.0.signs.0.tree", [2, 3, 1, 1, {"none": 0}, {"none": 1}]),
    (ORDERED, "", "model.cells.0", None),
    (ORDERED, "", "model.cells.0.values.0", "p - q/10", "p^2/(2*p - 1)"),
    (ORDERED, "", "model.cells.0.values", ["2*p", "1 - 2*p", "1 - q", "q"]),
    (ORDERED, "", "model.cells.0.columns", [[0, 1]], [[0, 1, 1], [2, 3, 3]]),
    (FAR, "", "relation.cells.0.distances", {"1/2": [[1], [0]]}),
    (ORDERED, "", "witness.cells", [], 2 * ORDERED["evidence"]["witness"]["cells"], []),
    (ORDERED, "", "witness.cells.0.signs", [], [SIGN, SIGN]),
    (ORDERED, "", "witness.cells.0.signs", [SIGN, {"polynomial": [[7, 0, 0]], "tree": 0}]),
    (ORDERED, "", "witness.cells.0.signs.0.tree", 0, 1, {"none": 0}),
    (ORDERED, "", "witness.cells.0.signs.0.tree.factor", 1),
    (
        ORDERED,
        "",
        "witness.cells.0.signs.0.tree.rest",
        [[1, 1, 0, 0, 1], [1, 0, 1, 1, 0], [2, 0, 1, 0, 1]],
    ),
    (ORDERED, "", "witness.cells.0.signs.0.tree.rest", []),
    (ORDERED, "", "witness.cells.0.signs.0.tree.rest.0.0", -2, 0),
    (ORDERED, "", "witness.cells.0.signs.0.polynomial.0.0", 2),
    (PLUS, "", "witness.cells.0.signs.0.tree.plus.1", "0", "-1", "100"),
    (PLUS, "", "witness.cells.0.signs.0.tree.plus.0", 1, 2),
    (REPEATED, "", "witness.cells.0.signs.0.tree.rest", [[1, 0, 0, 0, 0]]),
    (REPEATED, "", "witness.cells.0.signs.0.tree.square.0.0", 2),
    (DIVIDED, "", "witness.cells.0.signs.0.tree.divisor", [[1, 1, 0, 0, 1], [-1, 0, 1, 1, 0]]),
    (DIVIDED, "", "witness.cells.0.signs.0.tree.divisor", [[0, 0, 0, 0, 0]]),
    (DIVIDED, "", "witness.cells.0.signs.0.tree.divisor.3.0", 5),
    (DIVIDED, "", "witness.cells.0.signs.0.tree.tree", 0),
    (CUT, "", "witness.cells.0.signs.0.tree", [0, 2, 1, 1, 0, 0], [0, 1, 1, 3, 0, 0]),
    (MERGED, "", "witness.cells.0.signs.0.tree.merge", [0, 1]),
    (ORDERED, "", "witness.cells.0.sample", ["5/8", "3/4"], ["3/4", "1/2"], ["3/4"]),
    (NONE, "", "witness.cells.0.sample", SAMPLE),
    (POINT, "", "witness.point", ["3/4", "2/3"], ["3/4", "1"], ["3/4"]),
    (POINT, "", "witness.leakage", {"exp_epsilon": "7"}),
    (POINT, "", "witness.witness.output", 1),
    (POINT, "", "answer.verdict", "holds"),
    (POINT, "", "answer.leakage", {"exp_epsilon": "6"}),
    (POINT, "", "level.exp_epsilon", "1/(4*p - 3)"),
    (POINT, "", "level", {"epsilon": "1", "delta": "0"}),
    (POINT, "", "relation.where", [{"polynomial": "p - q", "strict": False}]),
    (POINT, "accepted", "relation.where", [{"polynomial": "8*p - 6*q", "strict": False}]),
    (POINT, "", "relation.domain.0.to.rational", "e/2"),
    (POINT, "", "relation.domain.0.to.closed", 0),
    (POINT, "", "model.cells", [BIT, BIT]),
    (POINT, "", "relation.cells", [REPLACE, REPLACE]),
)


def test_signs_of_denominators() -> None:
    """A level whose parts are both negative is the same."""
    same = broken(ORDERED, "question.level.exp_epsilon", "-q/(-1 + p)")
    assert outcome(same) == "accepted"


def test_a_condition_that_holds_nowhere() -> None:
    """On the whole cell p = 1/2 < q it is less than 0; after a cut it might be 0 at the cut."""
    weak = broken(NONE, "question.relation.where.0.strict", False)
    assert outcome(weak) == "accepted"
    halves = [0, 1, 1, 1, {"none": 0}, {"none": 0}]
    assert outcome(broken(NONE, f"{W}.cells.0.signs.0.tree", halves)) == "accepted"
    assert outcome(broken(weak, f"{W}.cells.0.signs.0.tree", halves)) != "accepted"


def test_a_point_where_no_value_is() -> None:
    """The point is in the cell that the certificate leaves out."""
    changed = deepcopy(NONE)
    changed["answer"]["verdict"] = "violated"
    changed["question"]["relation"]["where"][0]["polynomial"] = "p + q - 1"
    witness = at(["1/2", "3/4"], {"exp_epsilon": "3/2"}, [0, 1], output=0)
    changed["evidence"]["witness"] = witness
    found = check(sealed(changed))
    assert (found.outcome, found.reason) == ("rejected", "a cell without a model has no point")


SECRETS = """
parameters: {p: 1/2 < p < 1, a: 1/4 < a < 1/2}
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {yes: bob == 1, no: bob == 0, never: bob == 2}
pairs: [[yes, no]]
mechanism: {randomized_response: {truth: p}}
"""
LISTED = """
checks:
  - pufferfish: {exp_epsilon: 6*p**2/(1 - p)**2}
    priors: {list: [{worlds: {00: a, 11: 1 - a}}, {worlds: {00: 1/2, 01: 1/2}}, {worlds: {00: 1}}]}
  - pufferfish: {exp_epsilon: 2}
    priors: {list: [{worlds: {00: a, 11: 1 - a}}]}
  - pufferfish: {exp_epsilon: 6*p**2/(1 - p)**2}
    priors: {conditionals: [{yes: {worlds: {01: a, 11: 1 - a}}, no: {worlds: {00: 1}}}]}
  - pufferfish: {exp_epsilon: 2}
    priors: {conditionals: [{yes: {worlds: {01: a, 11: 1 - a}}, no: {worlds: {00: 1}}}]}
"""


@pytest.fixture(scope="module")
def believed(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """Certificates about given priors, as they are written."""
    path = tmp_path_factory.mktemp("spec") / "a.yaml"
    path.write_text((SECRETS + LISTED).replace(", never: bob == 2", ""))
    found = []
    for one in load(path).questions:
        assert one.question is not None
        found.append(of_format_2(json.loads(write(decide(one.question).certificate or {}))))
    return found


ROWS = "question.relation.cells.0.priors.priors"
OTHERS = [
    (0, f"{W}.cells.0", proof(sample=["3/4", "3/4"])),
    (0, f"{ROWS}.0", ["a", "0", "0", "1 + a"]),
    (0, f"{ROWS}.0", ["3*a", "0", "0", "1 - 3*a"]),
    (0, f"{ROWS}.0", ["a", "1 - a"]),
    (0, f"{ROWS}.0", ["1 + a", "0", "0", "-a"]),
    (2, f"{ROWS}.0.yes", ["1", "0", "0", "0"]),
]


def test_given_priors(believed: list[Json]) -> None:
    assert [one["answer"]["verdict"] for one in believed] == ["holds", "violated"] * 2
    assert {check(one).outcome for one in believed} == {"accepted"}
    for number, path, part in OTHERS:
        assert outcome(broken(believed[number], path, part)) != "accepted", (path, part)


# a bit is told wrongly with probability p; the condition leaves p = 1/4, where the ratio is 3, and
# 1/3 <= p < 2/3, where 2 is enough
ISOLATED = document(
    [{"outputs": ["a", "b"], "values": ["p", "1 - p"], "columns": [[1, 0], [0, 1]]}],
    {
        "point": ["1/4", "1/2"],
        "leakage": {"exp_epsilon": "3"},
        "witness": {"prior": 0, "pair": ["one", "zero"], "output": 1},
    },
    sides=[("0", False, "2/3", False), ("0", False, "1", False)],
    where=[("-1 + 11*p - 40*p^2 + 48*p^3", False)],
    level="2",
    relation=between(
        {"one": [1], "zero": [0]}, [["one", "zero"]], {"class": "list", "priors": [["q", "1 - q"]]}
    ),
    named=False,
    verdict="violated",
)


def test_a_square_that_is_0_at_the_only_point_of_violation() -> None:
    """P(output | secret), times (4p - 1)^2 above and below, would make 0 >= 0 of the comparison at
    p = 1/4; the trees prove everything else."""
    assert outcome(ISOLATED) == "accepted"
    square = [[5, 0, 1, 0, 0], [-3, 1, 0, 0, 0]]

    def times_square(*rest: list[int]) -> Json:
        return {"square": square, "rest": list(rest), "tree": 0}

    signs = [
        ([[1, 0, 0], [-8, 1, 0], [16, 2, 0]], times_square([-1, 0, 0, 0, 0])),
        ([[2, 0, 0], [-19, 1, 0], [56, 2, 0], [-48, 3, 0]], times_square([-1, 1, 0, 0, 0])),
        ([[-1, 0, 0], [11, 1, 0], [-40, 2, 0], [48, 3, 0]], {"plus": [0, "1"]}),
        ([[1, 1, 0], [-8, 2, 0], [16, 3, 0]], times_square([-1, 0, 1, 0, 0])),
        (
            [[1, 0, 0], [-9, 1, 0], [24, 2, 0], [-16, 3, 0]],
            times_square([-3, 1, 0, 0, 0], [-1, 0, 1, 0, 0]),
        ),
    ]
    given = {
        "keys": [[0, "one"], [0, "zero"]],
        "values": [
            "(p - 8*p^2 + 16*p^3)/(1 - 8*p + 16*p^2)",
            "(1 - 9*p + 24*p^2 - 16*p^3)/(1 - 8*p + 16*p^2)",
        ],
        "columns": [[0, 1], [1, 0]],
    }
    for proofs in ([], signs):
        for more in (
            {},
            {"conditionals": given},
            {"conditionals": {**given, "keys": [[0, "one"]]}},
        ):
            forged = deepcopy(ISOLATED)
            forged["answer"] = {"verdict": "holds"}
            shown = proof(*proofs, sample=["1/2", "1/2"], **more)
            forged["evidence"] = {"witness": {"cells": [shown]}}
            assert outcome(sealed(forged)) in ("rejected", "refused"), (proofs, more)


def test_words_say_of_which_values_it_is() -> None:
    holds, violated = (check(sealed(one)).claim for one in (ORDERED, POINT))
    assert "holds (for all 1/2 < p < 1, 1/2 < q < 1, p - q >= 0)" in holds
    assert "violated (for some 1/2 < p < 1, 1/2 < q < 1)" in violated


@pytest.mark.parametrize(
    "text",
    [
        "p/q/2",
        "p/1 - q",
        "1 - p/2",
        "p*p",
        "p^0",
        "p^5001",
        "2*",
        "r",
        "1 + 2",
        "p/0",
        "p/2*q",
        "²",
    ],
)
def test_what_is_no_function(text: Any) -> None:
    with pytest.raises(Refused):
        read_function(text, ("p", "q"))


def poly(terms: dict[tuple[int, ...], int]) -> Poly:
    return Poly({packed(m): c for m, c in terms.items()})


def cube(low: Fraction, high: Fraction, count: int, trees: Any = None) -> Cell:
    names = tuple(f"p{k}" for k in range(count))
    return Cell(names, ((low, high),) * count, [], trees or {})


def test_functions() -> None:
    found = read_function("(1 - 3*p^2*q)/(2*q)", ("p", "q"))
    assert found == (poly({(0, 0): 1, (2, 1): -3}), poly({(0, 1): 2}))
    assert poly({(1,): 1}).plus(poly({(1,): 1}), -1) == {}
    both = poly({(1,): 1, (0,): 1}).times(poly({(1,): 1, (0,): -1}))
    assert both == poly({(2,): 1, (0,): -1})


def test_long_polynomials_are_refused() -> None:
    with limited(), pytest.raises(Refused, match=r"steps|memory"):
        cube(Fraction(0), Fraction(1), 3).nonnegative(poly({(400, 400, 400): 1, (0, 0, 0): 1}))
    longer = cube(Fraction(3**1000, 2**1500), Fraction(2), 2)  # 10^5 products of 10^6 digits each
    with limited(), pytest.raises(Refused, match=r"steps|memory"):
        longer.nonnegative(poly({(400, 400): 1}))
    with pytest.raises(Rejected):
        cube(Fraction(0), Fraction(2), 1).quotient(poly({(0,): 1}), poly({(0,): 1, (1,): -1}))


def test_denominators_are_positive_everywhere() -> None:
    """(p - 1)^2 is 0 inside, a tree proves it nowhere negative, and it is no denominator."""
    square = poly({(0,): 1, (1,): -2, (2,): 1})
    whole = {"square": [[1, 1, 0], [-1, 0, 1]], "rest": [[-1, 0, 0]], "tree": 0}
    for tree in (0, whole, [0, 1, 1, 1, 0, 0]):
        place = cube(Fraction(0), Fraction(2), 1, {square: tree})
        assert tree == 0 or place.nonnegative(square)
        with functions_on(place), pytest.raises(Rejected):
            place.quotient(poly({(0,): 1}), square)


def test_cuts_of_long_polynomials_take_more_steps() -> None:
    def spent(low: Fraction, tree: Any) -> int:
        place = cube(low, Fraction(2), 1, {poly({(20,): 1, (0,): 1}): tree})
        with limited() as steps:
            place.nonnegative(poly({(20,): 1, (0,): 1}))
        return steps[0]

    cut, short, longer = [0, 1, 1, 1, 0, 0], Fraction(1, 2), Fraction(3**1000, 2**1500)
    more = [spent(low, cut) - spent(low, 0) for low in (short, longer)]
    assert more[1] > 10 * more[0] > 0


def test_polynomials_of_one_degree() -> None:
    """Both times powers of u + v, by their values: degrees 2 and 1, 0 and 3 become 2 and 3."""

    def value(a: dict[tuple[int, ...], int], point: tuple[int, ...]) -> int:
        return sum(c * prod(x**k for x, k in zip(point, m, strict=True)) for m, c in a.items())

    p = {(2, 0, 0, 1): 3, (1, 1, 1, 0): -2, (0, 2, 1, 0): 5}
    q = {(0, 0, 3, 0): 7, (0, 0, 1, 2): -4}
    for one, other in ((p, q), (q, p), (p, {}), ({}, q)):
        both = Region([2, 2])._alike(one, other)
        for point in product((1, 2, 5), repeat=4):
            first, second = point[0] + point[1], point[2] + point[3]
            factors = {id(p): second**2, id(q): first**2} if one and other else {}
            for before, after in zip((one, other), both, strict=True):
                expected = value(before, point) * factors.get(id(before), 1)
                assert value(after, point) == expected
        degrees = {(m[0] + m[1], m[2] + m[3]) for each in both for m in each}
        assert len(degrees) == 1


@pytest.mark.parametrize(
    ("definition", "rule", "order"),
    [("renyi", "renyi", "3/2"), ("renyi", "renyi", "21"), ("zcdp", "zcdp", None)],
)
def test_on_cells_orders_are_integers(
    definition: str, rule: str, order: str | None, tmp_path: Path
) -> None:
    """Of other orders only rational numbers are bounded, not functions."""
    path = tmp_path / "spec.yaml"
    path.write_text(ORDERS)
    (result,) = verify.check(path).results
    document = json.loads(write(result.answer.certificate or {}))
    assert checker.check(document).outcome == "accepted"
    question = document["question"]
    question["definition"] = definition
    question["options"].pop("order")
    if order is not None:
        question["options"]["order"] = order
    for cell in question["domain"]["cells"]:
        cell["relation"] |= {"rule": rule, "order": order}
    document["digest"] = digest_of(question)
    assert "integer order" in checker.check(document).reason
