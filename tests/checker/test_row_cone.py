"""Certificates of row cones: a missing facet is always noticed; broken siblings are rejected."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.conftest import digest_of, mechanism_model
from tests.checker.drafts import check, draft
from tests.checker.outcomes import accepted, rejected
from tests.drawing import examples
from tests.kernels.rows import cones
from tests.kernels.rows.test_facets import mechanisms
from tests.lp import faces
from verifier.checker.facets import rank

Json = dict[str, Any]
Rows = list[list[Fraction]]


def certificate(given_rows: list[Rows], wanted: Rows | None, claim: Json, witness: Json) -> Json:
    def columns(rows: Rows) -> Json:
        return {f"w{k}": list(map(str, c)) for k, c in enumerate(zip(*rows, strict=True))}

    listed = []
    for at, rows in enumerate(given_rows):
        model = mechanism_model(columns(rows))
        listed.append({"name": f"g{at}", **{k: model[k] for k in model if k != "worlds"}})
    whole = mechanism_model(columns(wanted or given_rows[0]))
    whole = whole if wanted else {"worlds": whole["worlds"]}
    model = {**whole, "given": listed}
    return draft("row_cone", model, None, witness, **claim)


def counted(rows: Rows, facets: list[list[Any]], equations: list[list[Any]] | None = None) -> Json:
    """The certificate that these are all facets."""
    claim = {"verdict": "holds", "facets": str(len(facets)), "value": str(len(facets))}
    written = {"equations": texts(equations or []), "facets": texts(facets)}
    return certificate([rows], None, claim, written)


def texts(rows: list[list[Any]]) -> list[list[str]]:
    return [list(map(str, row)) for row in rows]


def by_brute_force(rows: Rows) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """All facets and equations, integers, of the cone of the rows."""
    size = len(rows[0])
    equations = faces.null_space(rows, size)
    found = []
    for on in sorted(faces.facets(rows), key=sorted):
        (normal,) = faces.null_space([*(rows[i] for i in on), *equations], size)
        sign = 1 if max(faces.dot(normal, row) for row in rows) > 0 else -1
        found.append(whole([sign * v for v in normal]))
    return found, [whole(row) for row in equations]


def whole(row: list[Fraction]) -> list[Fraction]:
    scale = 1
    for value in row:
        scale *= value.denominator
    return [value * scale for value in row]


SOLIDS = {
    "cube": cones.CUBE,
    "octahedron": cones.OCTAHEDRON,
    "pyramid": cones.PYRAMID,
    "prism": cones.PRISM,
    "triangle × triangle": cones.PRODUCT,
    "bipyramid over a cube": cones.BIPYRAMID_OF_CUBE,
    "two bits": cones.response(2, Fraction(3, 4)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_any_missing_facet_of_a_solid_is_noticed(name: str) -> None:
    """All facets are accepted; of fewer, any one or some at random, none is."""
    rows, random = SOLIDS[name], Random(name)
    facets, equations = by_brute_force(rows)
    accepted(counted(rows, facets, equations))
    for at in range(len(facets)):
        rejected(counted(rows, facets[:at] + facets[at + 1 :], equations), "not the facets")
    for _ in range(30):
        some = random.sample(facets, random.randint(1, len(facets) - 1))
        rejected(counted(rows, some, equations), "not the facets")


@examples(60)
@given(st.data(), st.integers(1, 4))
def test_any_missing_facet_is_noticed(data: st.DataObject, worlds: int) -> None:
    rows = data.draw(mechanisms(worlds))
    facets, equations = by_brute_force(rows)
    accepted(counted(rows, facets, equations))
    some = data.draw(st.lists(st.sampled_from(facets), unique_by=tuple, max_size=len(facets) - 1))
    rejected(counted(rows, some, equations), "not the facets")


SQUARE = cones.polytope([(0, 0), (0, 1), (1, 0), (1, 1)])
FACETS, _ = by_brute_force(SQUARE)


def test_what_is_no_facet() -> None:
    accepted(counted(SQUARE, FACETS))
    first, second = FACETS[:2]
    for wrong in (
        [*FACETS, first],
        [*FACETS, [2 * v for v in first]],
        [*FACETS[1:], [a + b for a, b in zip(first, second, strict=True)]],
        [*FACETS[1:], [-v for v in first]],
        [*FACETS, [0, 0, 0]],
        [*FACETS, [1, 0, 0]],  # valid, and touches nothing
    ):
        rejected(counted(SQUARE, wrong), "not the facets")


def test_equations() -> None:
    """Two worlds that always have the same probability: one equation, two facets."""
    rows = [[Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)]]
    rows += [[Fraction(1, 2), Fraction(1, 2), Fraction(3, 4)]]
    facets = [[3, 0, -2], [-1, 0, 2]]
    accepted(counted(rows, facets, [[1, -1, 0]]))
    accepted(counted(rows, [[0, 3, -2], [0, -1, 2]], [[2, -2, 0]]))
    rejected(counted(rows, facets), "or there are others")
    rejected(counted(rows, facets, [[1, -1, 0], [2, -2, 0]]), "depend")
    rejected(counted(rows, facets, [[1, 0, -1]]), "does not hold")
    rejected(counted(rows, facets, [[0, 0, 0]]), "depend")


def test_the_number_and_the_verdict() -> None:
    document = counted(SQUARE, FACETS)
    for key, value in (("value", "5"), ("facets", "5"), ("verdict", "violated")):
        rejected({**document, "claim": {**document["claim"], key: value}})
    other = {**document["claim"], "facets": "5", "verdict": "violated"}
    accepted({**document, "claim": other})


HALF = Fraction(1, 2)
RESPONSE = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
WEAKER = [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]


def member(weights: list[list[list[Any]]], wanted: Rows = WEAKER, verdict: str = "holds") -> Json:
    return certificate([RESPONSE], wanted, {"verdict": verdict}, {"weights": weights})


def test_members() -> None:
    """(5/8, 3/8) = 3/4 (3/4, 1/4) + 1/4 (1/4, 3/4)."""
    good = [[[0, 0, "3/4"], [0, 1, "1/4"]], [[0, 0, "1/4"], [0, 1, "3/4"]]]
    accepted(member(good))
    rejected(member(good, verdict="violated"))
    rejected(member([good[1], good[0]]), "another row")
    rejected(member([good[0], [[0, 0, "1/4"]]]), "another row")
    sharp = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    negative = [[[0, 0, "3/2"], [0, 1, "-1/2"]], [[0, 0, "-1/2"], [0, 1, "3/2"]]]
    rejected(member(negative, sharp), "negative")
    for broken in ([good[0]], [*good, good[0]], [[[1, 0, "1"]], good[1]], [[[0, 2, "1"]], good[1]]):
        assert check(member(broken)).outcome == "refused"


def test_outsiders() -> None:
    sharp = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]

    def outside(pays: list[str], output: int = 0, wanted: Rows = sharp) -> Json:
        witness = {"payoff": {str(output): pays}}
        return certificate([RESPONSE], wanted, {"verdict": "violated"}, witness)

    for pays in (["1", "-3"], ["1/2", "-3/2"]):
        accepted(outside(pays))
    rejected(outside(["1", "-3"], output=1), "as much")
    rejected(outside(["1", "-3"], wanted=WEAKER), "as much")
    rejected(outside(["2", "-5"]), "as much")
    document = outside(["1", "-3"])
    rejected({**document, "claim": {**document["claim"], "verdict": "holds"}})
    for broken in (["1"], ["1", "-3", "0"], []):
        assert check(outside(broken)).outcome == "refused"
    assert check(outside(["1", "-3"], output=2)).outcome == "refused"


def test_outsiders_by_several_outputs() -> None:
    """Each earns more than 0, if only for one of them; nothing is earned by no output."""
    sharp = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    for payoff, outcome in (
        ({"0": ["1", "-3"], "1": ["-3", "1"]}, "accepted"),
        ({"0": ["1", "-3"], "1": ["0", "-1"]}, "rejected"),  # 1 - 1
        ({"0": ["1", "-3"], "1": ["-1", "1"]}, "rejected"),  # (1, 3) earns by the second
        ({}, "rejected"),
    ):
        made = certificate([RESPONSE], sharp, {"verdict": "violated"}, {"payoff": payoff})
        assert check(made).outcome == outcome, payoff


def test_rows_of_several_mechanisms() -> None:
    """Rays (3, 2) and (1, 2) of the one, (0, 1) and (2, 1) of the other: those include these."""
    first = [[Fraction(3, 4), HALF], [Fraction(1, 4), HALF]]
    second = [[Fraction(0), HALF], [Fraction(1), HALF]]
    claim = {"verdict": "holds", "facets": "2", "value": "2"}

    def facets(listed: list[list[str]], *given_rows: Rows) -> Json:
        return certificate(list(given_rows), None, claim, {"equations": [], "facets": listed})

    one, other = [["2", "-1"], ["-2", "3"]], [["1", "0"], ["-1", "2"]]
    accepted(facets(one, first))
    accepted(facets(other, second))
    rejected(facets(other, first), "not the facets")
    for order in ((first, second), (second, first)):
        rejected(facets(one, *order), "not the facets")
        accepted(facets(other, *order))


def test_members_by_several_mechanisms() -> None:
    """Weights over given mechanisms whose rows have other denominators; outsiders of both."""
    third = [[Fraction(1, 3), Fraction(2, 5)], [Fraction(2, 3), Fraction(3, 5)]]
    fifth = [[Fraction(4, 5), Fraction(1, 7)], [Fraction(1, 5), Fraction(6, 7)]]
    pairs = zip(third, fifth, strict=True)
    mixed = [[a / 3 + 2 * b / 3 for a, b in zip(*rows, strict=True)] for rows in pairs]
    weights = [[[0, k, "1/3"], [1, k, "2/3"]] for k in (0, 1)]
    holds = {"verdict": "holds"}
    accepted(certificate([third, fifth], mixed, holds, {"weights": weights}))
    accepted(certificate([third, fifth], third, holds, {"weights": [[[0, 0, "1"]], [[0, 1, "1"]]]}))
    for wrong in (
        [[[0, k, "2/3"], [1, k, "1/3"]] for k in (0, 1)],
        [[[0, k, "1/3"], [1, k, "2/3"]] for k in (1, 0)],
        [[[0, k, "4/9"], [1, k, "2/3"]] for k in (0, 1)],
        [weights[0], []],
        [[], weights[1]],
        [weights[0], [[0, 1, "1"]]],
        [weights[0], [[0, 1, "1/3"], [1, 1, "2/3"], [1, 0, "-1"]]],
    ):
        rejected(certificate([third, fifth], mixed, holds, {"weights": wrong}))
    for index in ([True, 0], [0, True], [-1, 0], [2, 0], [0, -1], [0, 2], [1.0, 0], [0, 0.0]):
        junk = [[[*index, "1/3"]], weights[1]]
        document = certificate([third, fifth], mixed, holds, {"weights": junk})
        assert check(document).outcome == "refused"
    twice = [[[0, k, "1/6"], [0, k, "1/6"], [1, k, "2/3"]] for k in (0, 1)]
    document = certificate([third, fifth], mixed, holds, {"weights": twice})
    assert check(document).reason == "a row stands twice"


def test_outsiders_of_several_mechanisms() -> None:
    """x >= 2 y / 3 holds of the first mechanism and not of the second one."""
    sharp = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    first = [[HALF, HALF], [HALF, HALF]]
    second = [[Fraction(1, 4), HALF], [Fraction(3, 4), HALF]]
    violated = {"verdict": "violated"}

    def outside(pays: list[str], *given_rows: Rows, output: Any = "0") -> Json:
        witness = {"payoff": {output: pays}}
        return certificate(list(given_rows), sharp, violated, witness)

    accepted(outside(["-3", "2"], first))
    for order in ((first, second), (second, first)):
        rejected(outside(["-3", "2"], *order), "as much")
        accepted(outside(["-2", "1"], *order))
    for output in (True, False, -1, "-1", "-2", "2", "0.0", None):
        assert check(outside(["-2", "1"], first, output=output)).outcome == "refused"
    rejected(outside(["0", "0"], first), "as much")
    rejected(outside(["-1", "0"], first), "as much")  # 0 is not above 0


def test_no_other_answer() -> None:
    good = [[[0, 0, "3/4"], [0, 1, "1/4"]], [[0, 0, "1/4"], [0, 1, "3/4"]]]
    for document in (member(good), counted(SQUARE, FACETS)):
        accepted(document)
        related = {**document, "relation": {"rule": "all"}}
        assert check(related).outcome == "refused"
        document["claim"]["rows"] = []
        assert check(document).outcome == "refused"
    document = counted(SQUARE, FACETS)
    whole = {key: part[0] for key, part in document["model"].items() if key == "given"}
    document["model"] |= {key: whole["given"][key] for key in ("outputs", "values", "columns")}
    document["claim"]["digest"] = digest_of(document["model"])
    assert "nothing reads" in check(document).reason


@pytest.mark.parametrize("witness", [None, [], ["weights"], "weights", 1, {}, {"payoff": 0}])
def test_evidence_is_an_object(witness: Any) -> None:
    document = member([[[0, 0, "3/4"], [0, 1, "1/4"]], [[0, 0, "1/4"], [0, 1, "3/4"]]])
    document["evidence"]["witness"] = witness
    assert check(document).outcome == "refused"
    assert check({**document, "relation": {"rule": "all"}}).outcome == "refused"


def test_ranks() -> None:
    def found(*rows: list[int]) -> int:
        return rank([[Fraction(x, 7) for x in row] for row in rows])

    assert found([0, 0]) == 0
    assert found([1, 2], [2, 4]) == found([0, 3], [0, 0]) == 1
    assert found([1, 2], [2, 3]) == found([0, 1], [1, 0], [1, 1]) == 2
    assert found([1, 1, 0], [0, 1, 1], [1, 2, 1]) == found([0, 0, 1], [1, 1, 0]) == 2
    assert found([1, 1, 0], [0, 1, 1], [1, 0, 1]) == 3
    assert found([1, 2, 3, 4], [2, 4, 6, 9], [0, 0, 0, 1], [5, 10, 15, 21]) == 2


def of_told(claim: Json, witness: Json, wanted: Any = None) -> Json:
    """About the row cone of a bit that is told with odds e : 1."""

    def columns(rows: Any) -> Json:
        return {f"w{k}": list(column) for k, column in enumerate(zip(*rows, strict=True))}

    told = mechanism_model(columns([["e/(1 + e)", "1/(1 + e)"], ["1/(1 + e)", "e/(1 + e)"]]))
    made = certificate([[[Fraction(1), Fraction(1)]]], [[Fraction(1), Fraction(1)]], claim, witness)
    listed = {key: told[key] for key in told if key != "worlds"}
    model = {**mechanism_model(columns(wanted or [["1/2", "1/2"], ["1/2", "1/2"]]))}
    made["model"] = {**model, "given": [{"name": "told", **listed}]}
    made["claim"]["digest"] = digest_of(made["model"])
    return made


def test_weights_of_rows_with_powers_of_e() -> None:
    """(1/2, 1/2) is half of both rows."""
    holds = {"verdict": "holds"}
    halves = [[0, 0, "1/2"], [0, 1, "1/2"]]
    accepted(of_told(holds, {"weights": [halves, halves]}))
    rejected(of_told(holds, {"weights": [halves, halves[:1]]}), "another row")
    less = [[0, 0, "1/2"], [0, 1, "(1 - e^(-60))/2"]]
    rejected(of_told(holds, {"weights": [halves, less]}), "another row")
    negative = [[0, 0, "-e^(-60)"], [0, 1, "1/2"]]
    rejected(of_told(holds, {"weights": [halves, negative]}), "negative")


@pytest.mark.parametrize(
    ("pays", "why"), [((-3, 1), ""), ((-2, 1), "as much"), ((-4, 1), "as much")]
)
def test_an_inequality_between_rows_with_powers_of_e(pays: Any, why: str) -> None:
    """3 x_0 >= x_1 for odds up to e; of the rows (1/5, 4/5) and (4/5, 1/5) the first breaks it,
    and not 4 x_0 >= x_1."""
    witness = {"payoff": {"0": list(map(str, pays))}}
    made = of_told({"verdict": "violated"}, witness, [["1/5", "4/5"], ["4/5", "1/5"]])
    rejected(made, why) if why else accepted(made)


def test_facets_need_rational_rows() -> None:
    made = of_told(
        {"verdict": "holds", "facets": "2", "value": "2"},
        {"equations": [], "facets": [["3", "-1"]]},
    )
    made["model"] = {key: made["model"][key] for key in ("worlds", "given")}
    made["claim"]["digest"] = digest_of(made["model"])
    found = check(made)
    assert found.outcome == "refused"
    assert "a rational number is needed" in found.reason
