"""Row cones against plain arithmetic: how many facets, which rows, and what a broken one says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions.drawn import Json, decide
from tests.drawing import examples
from tests.kernels.rows import cones
from tests.kernels.rows.test_facets import MECHANISMS, mechanisms
from tests.lp import faces
from verifier.base.errors import InputError, LimitReached
from verifier.definitions import row_cone
from verifier.kernels.rows import facets
from verifier.questions.answer import Answer

F = Fraction
HAIR = F(1, 10**30)
EXAMPLES = examples(40)

Rows = list[list[Fraction]]


def spec_of(check: Json, **matrices: Rows) -> Json:
    worlds = [f"w{k}" for k in range(len(next(iter(matrices.values()))[0]))]
    tables: Json = {}
    for name, rows in matrices.items():
        columns = zip(*rows, strict=True)
        table = {w: list(map(str, column)) for w, column in zip(worlds, columns, strict=True)}
        tables[name] = {"table": {"outputs": [f"{name}.{k}" for k in range(len(rows))], **table}}
    return {"worlds": worlds, "mechanisms": tables, "checks": [check]}


def counted(facets: int, *given_rows: Rows) -> Answer:
    names = {f"g{k}": rows for k, rows in enumerate(given_rows)}
    return decide(spec_of({"row_cone": {"of": list(names), "facets": str(facets)}}, **names))


def inside(wanted: Rows, *given_rows: Rows) -> Answer:
    """The accepted answer, its evidence evaluated by the plain definition."""
    names = {f"g{k}": rows for k, rows in enumerate(given_rows)}
    check = {"row_cone": {"of": list(names)}, "mechanism": "m"}
    found = decide(spec_of(check, m=wanted, **names))
    assert found.certificate is not None
    evidence = found.certificate["evidence"]["witness"]
    everything = [row for rows in given_rows for row in rows]
    if found.verdict == "holds":
        for row, terms in zip(wanted, evidence["weights"], strict=True):
            rows = [given_rows[k][o] for k, o, _ in terms]
            assert all(F(y) > 0 for *_, y in terms)
            if any(row):
                assert row_cone.value(rows, [F(y) for *_, y in terms]) == row
    else:
        ((output, pays),) = evidence["payoff"].items()
        inequality = [-int(u) for u in pays]
        assert row_cone.least(everything, inequality) >= 0
        assert row_cone.least([wanted[int(output)]], inequality) < 0
        assert found.witness is not None
        broken(found.witness.as_json(), wanted)
    return found


def broken(witness: Any, wanted: Rows) -> None:
    """Bayes' rule with the prior and the output of a witness, its two sides by their names."""
    row = wanted[int(witness["output"].split(".")[1])]
    prior = {int(w[1:]): F(p) for w, p in witness["prior"].items()}
    assert sum(prior.values()) == 1
    other = {
        w for w in prior if f"w{w}" in witness["other"].replace("'", " ").replace(",", " ").split()
    }
    before = sum(prior[w] for w in other) / sum(prior[w] for w in prior.keys() - other)
    plus = sum(prior[w] * row[w] for w in prior.keys() - other)
    minus = sum(prior[w] * row[w] for w in other)
    assert F(witness["prior_odds"]) == before <= 1
    assert minus > plus
    assert witness["posterior_odds"] == (str(F(minus) / plus) if plus else "infinite")


@pytest.mark.parametrize("name", MECHANISMS)
def test_facets_of_mechanisms(name: str) -> None:
    agrees(MECHANISMS[name])


SOLIDS = {
    "cube": (cones.CUBE, 6),
    "octahedron": (cones.OCTAHEDRON, 8),
    "pyramid": (cones.PYRAMID, 5),
    "prism": (cones.PRISM, 5),
    "four-cube": (cones.FOUR_CUBE, 8),
    "triangle × triangle": (cones.PRODUCT, 6),
    "bipyramid over a cube": (cones.BIPYRAMID_OF_CUBE, 12),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_facets_of_solids(name: str) -> None:
    rows, number = SOLIDS[name]
    found = counted(number, rows)
    assert (found.verdict, found.value) == ("holds", number)
    assert counted(number + 1, rows).verdict == "violated"


def agrees(*given_rows: Rows) -> None:
    number = len(faces.facets([row for rows in given_rows for row in rows]))
    found = counted(number, *given_rows)
    assert (found.verdict, found.value) == ("holds", number)
    assert counted(number + 1, *given_rows).verdict == "violated"


@EXAMPLES
@given(st.data(), st.integers(1, 4), st.integers(1, 2))
def test_drawn_facets(data: st.DataObject, worlds: int, many: int) -> None:
    agrees(*(data.draw(mechanisms(worlds)) for _ in range(many)))


@EXAMPLES
@given(st.data(), st.integers(1, 4), st.integers(1, 2))
def test_drawn_rows(data: st.DataObject, worlds: int, many: int) -> None:
    """A row is inside exactly where adding it leaves all hyperplanes of the brute force valid."""
    given_rows = [data.draw(mechanisms(worlds)) for _ in range(many)]
    wanted = data.draw(mechanisms(worlds))
    everything = [row for rows in given_rows for row in rows]
    assert (inside(wanted, *given_rows).verdict == "holds") == all(
        is_inside(row, everything) for row in wanted
    )


def is_inside(row: Sequence[F], rows: Rows) -> bool:
    equations = faces.null_space(rows, len(row))
    if any(faces.dot(equation, row) for equation in equations):
        return False
    for on in faces.facets(rows):
        (normal,) = faces.null_space([*(rows[i] for i in on), *equations], len(row))
        values = [faces.dot(normal, other) for other in rows]
        if faces.dot(normal, row) * (1 if max(values) > 0 else -1) < 0:
            return False
    return True


def test_parity() -> None:
    """5/8 lies on the facets of two bits kept with 3/4, anything louder beyond."""
    response = cones.response(2, F(3, 4))

    def parity(truth: F) -> Rows:
        even = [truth, 1 - truth, 1 - truth, truth]
        return [even, [1 - p for p in even]]

    assert inside(parity(F(5, 8)), response).verdict == "holds"
    assert inside(parity(F(5, 8) + HAIR), response).verdict == "violated"
    loud = inside(parity(F(3, 4)), response)
    assert loud.witness is not None
    assert loud.witness.as_json()["posterior_odds"] == "9/5"  # 6/16 · 3/4 over 10/16 · 1/4


def test_more_facets_than_are_looked_at() -> None:
    """One row beyond a cone with many facets: the separating inequality is any."""
    rows = cones.polytope([[t**k for k in range(1, 7)] for t in range(30)])
    outside = [[F(int(w == o)) for w in range(7)] for o in range(7)]
    assert inside(outside, rows).verdict == "violated"


@pytest.mark.parametrize(
    ("check", "code"),
    [
        ({"row_cone": {"of": ["m"]}}, "S016"),
        ({"row_cone": {"facets": "2"}}, "S016"),
        ({"row_cone": {"of": [], "facets": "2"}}, "S018"),
        ({"row_cone": {"of": ["n"], "facets": "2"}}, "S106"),
        ({"row_cone": {"of": ["m"], "facets": "0"}}, "S101"),
        ({"row_cone": {"of": ["m"], "facets": "2"}, "mechanism": "m"}, "S602"),
        ({"row_cone": {"of": ["m"], "facets": "2", "epsilon": "1"}}, "S015"),
    ],
)
def test_bad_input(check: Json, code: str) -> None:
    with pytest.raises(InputError) as caught:
        decide(spec_of(check, m=[[F(1, 2), F(1, 3)], [F(1, 2), F(2, 3)]]))
    assert caught.value.code == code
    assert caught.value.place is not None


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many worlds leave the number undecided."""
    response = cones.response(2, F(3, 4))
    monkeypatch.setattr(facets, "WORLDS", 3)
    with pytest.raises(LimitReached, match="over 4 worlds, more than 3"):
        counted(4, response)
    assert inside(response, response).verdict == "holds"
