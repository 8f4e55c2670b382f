"""Cases that nothing else brings about, each by hand."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.checker.compositions import BOTH, MIDDLE, RIGHT, SIDES, UNIFORM, composition, lower
from tests.checker.drafts import check, draft, sealed
from tests.checker.test_certainty import expecting
from tests.checker.test_runs import certificate as runs
from verifier.checker import check_file, taken

UPPER = [[[0, [BOTH]]], [[1, [0]], [2, [0]]]]


@pytest.mark.parametrize("text", ["1.5", "NaN", "Infinity", "1e3"])
def test_a_number_that_is_no_integer(tmp_path: Path, text: str) -> None:
    path = tmp_path / "certificate.json"
    path.write_text('{"format": "verifier-certificate", "version": %s}' % text)  # noqa: UP031
    assert check_file(path).outcome == "refused"


@pytest.mark.parametrize("text", ["1.5", "NaN", "-Infinity", "1e3"])
def test_no_number_stands_for_null(tmp_path: Path, build: Any, text: str) -> None:
    same = build.mechanism_model({"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]})
    written = json.dumps(sealed(build.certificate(same, {"rule": "all"}, "1", "holds")))
    path = tmp_path / "certificate.json"
    path.write_text(written)
    assert check_file(path).outcome == "accepted"
    assert written.count('"witness": null') == 1
    path.write_text(written.replace('"witness": null', f'"witness": {text}'))
    assert check_file(path).outcome == "refused"


def test_what_may_end_where_nothing_becomes_certain() -> None:
    """After x the worlds a and b are left, which nobody can tell apart."""
    columns = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"], "c": ["0", "1"]}
    assert expecting(columns, [[0, 1]], ["infinite"] * 3, "infinite") == "accepted"
    assert expecting(columns, [[0, 1]], ["2", "2", "infinite"], "infinite") == "rejected"
    longer = {name: [*(str(Fraction(p) / 2) for p in row), "1/2"] for name, row in columns.items()}
    assert expecting(longer, [[2], [0, 1]], ["infinite"] * 3, "infinite") == "accepted"


def test_what_no_world_gives_is_no_shorter_way() -> None:
    """Worlds a and b say x, c and d say y: nothing is ever certain, though x and y contradict."""
    columns = {"a": ["1", "0"], "b": ["1", "0"], "c": ["0", "1"], "d": ["0", "1"]}
    for fewest, outcome in (({}, "accepted"), ({"outputs": [0, 1]}, "rejected")):
        entry = {"prior": 0, "pair": None, "fewest": fewest, "probability": [], "expected": None}
        claim = {"steps": [[0, 1]], "alone": [], "rows": [], "certainty": [entry]}
        secrets, evidence = {"s": [0], "t": [2]}, {"alone": [], "rows": []}
        claim |= {"trajectories": []}
        document = runs(columns, secrets, [["1/4"] * 4], claim, evidence)
        assert check(document).outcome == outcome


def test_a_mean_of_zero_serves_no_level() -> None:
    """World 1 never has the first output, so no mean with it is as likely as 1/4."""
    none = ["0", "1/2", "1/2"]
    document = composition([MIDDLE, none, RIGHT], SIDES, UNIFORM, UPPER, lower())
    assert check(document).outcome == "rejected"


def test_counts_that_the_world_never_has() -> None:
    """World 0 never has the first output, so counting it proves no level."""
    never = ["0", "1/2", "1/2"]
    document = composition([never, MIDDLE, RIGHT], SIDES, UNIFORM, UPPER, lower(counts={"0": 1}))
    assert check(document).outcome == "rejected"


def table(columns: list[list[Fraction]]) -> Any:
    values = sorted({p for column in columns for p in column})
    return {
        "outputs": [f"o{k}" for k in range(len(columns[0]))],
        "values": list(map(str, values)),
        "columns": [[values.index(p) for p in column] for column in columns],
    }


def test_every_row_is_in_the_cone_of_the_identity() -> None:
    """Its facets are x >= 0, which needs no proof."""
    same = [[Fraction(int(v == w)) for v in range(2)] for w in range(2)]
    model = {"worlds": ["a", "b"], "given": [{"name": "identity", **table(same)}]}
    relation = {"if": {"rule": "all"}, "level": {"exp_epsilon": "2"}, "then": {"rule": "row_cone"}}
    witness = {"equations": [], "facets": [["1", "0"], ["0", "1"]], "inequalities": []}
    document = draft("implies", model, relation, witness | {"proofs": []})
    assert check(document).outcome == "accepted", check(document)


def test_facets_that_meet_in_an_edge_with_a_row_in_its_middle() -> None:
    """The pyramid over an octahedron, with the middle of apex and a corner: pyramids over triangles
    that share one corner only meet in this edge, whose three rows have rank 2.

    In coordinates (t, t + x, t + y, t + z, h) with |x| + |y| + |z| <= t - h, 0 <= h."""
    corners = [[1, 1 + a, 1 + b, 1 + c, 0] for a, b, c in _units()]
    rows = [*corners, [1, 1, 1, 1, 1], [2, 3, 2, 2, 1]]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    columns = [
        [Fraction(x, s) for x in c] for c, s in zip(zip(*rows, strict=True), sums, strict=True)
    ]
    facets = [[0, 0, 0, 0, 1]]
    for signs in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)):
        facets.append([1 + sum(signs), *(-s for s in signs), -1])
    scaled = [[str(a * s) for a, s in zip(facet, sums, strict=True)] for facet in facets]
    model = {"worlds": list("abcde"), "given": [{"name": "pyramid", **table(columns)}]}

    def outcome(listed: Any, count: int) -> str:
        said = {"facets": str(count), "value": str(count)}
        shown = {"equations": [], "facets": listed}
        return check(draft("row_cone", model, None, shown, **said)).outcome

    assert outcome(scaled, 9) == "accepted"
    for at in range(9):
        assert outcome([*scaled[:at], *scaled[at + 1 :]], 8) == "rejected"


def _units() -> list[list[int]]:
    return [[sign * (k == at) for k in range(3)] for at in range(3) for sign in (1, -1)]


def test_a_prior_against_which_a_loss_is_expected_is_taken() -> None:
    under = {"definition": "differential_privacy", "options": {"neighbours": "all", "group": 1}}
    question = {
        "definition": "optimal",
        "options": {"under": under, "loss": "0"},
        "relation": {
            "rule": "optimal",
            "under": {"rule": "all"},
            "exp_epsilon": "2",
            "prior": ["1/2", "1/2"],
        },
        "model": {"worlds": ["a", "b"], "functions": [["0", "1"], ["1", "0"]]},
        "source": None,
    }
    assert taken(question) == ["loss", "priors", "worlds"]
    question["relation"] = {**question["relation"], "prior": None}  # type: ignore[dict-item]
    assert taken(question) == ["loss", "worlds"]


def test_records_that_are_not_told_apart_have_no_views() -> None:
    options = {"form": "simulation", "indexed": False, "auxiliary": None, "simulator": "any"}
    question = {
        "definition": "distributional_privacy",
        "options": options,
        "relation": {"rule": "exchangeable", "priors": [[[0, 0, "1"]]], "given": None},
        "model": {"worlds": ["a"], "counts": [[1]], "outputs": ["o"], "columns": [[0]]},
        "source": None,
    }
    assert "priors" in taken(question) and "simulator" not in taken(question)
