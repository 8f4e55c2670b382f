"""Malformed documents are refused, whatever their shape; the checker never crashes."""

import json
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.conftest import Build
from tests.checker.drafts import KINDS, check, sealed
from tests.checker.outcomes import GONE, siblings
from tests.drawing import examples
from verifier.checker import check_file

COLUMNS = {"a": ["1/4", "3/4"], "b": ["3/4", "1/4"], "⊥": ["1/2", "1/2"]}


def good(build: Any) -> list[Any]:
    """One certificate of every shape."""
    model = build.mechanism_model(COLUMNS, [[0], [1], [-1]])
    output = {"pair": [0, 1], "output": 1}
    event = {"pair": [0, 1], "outputs": [1]}
    named = {"prior": 0, "pair": ["s", "t"], "output": 1}
    secrets = {"rule": "secrets", "secrets": {"s": [0], "t": [1]}, "pairs": [["s", "t"]]}
    listed = {"class": "list", "priors": [["1/3", "1/3", "1/3"]]}
    given = {"class": "conditionals", "priors": [{"s": ["1", "0", "0"], "t": ["0", "1", "0"]}]}
    delta = {"delta": "1/4"}
    metric = build.listed(3, (0, 1, "2"))
    root3 = {"lower": "17320508075/10000000000", "upper": "17320508076/10000000000"}
    query = {"worlds": ["a", "b"], "functions": [["-1", "1/2"]]}
    make = build.certificate
    return [
        make(model, {"rule": "replace", "group": 1}, "3", "violated", output),
        make(model, {"rule": "all"}, "3", "violated", output),
        make(model, build.listed(3, (0, 1)), "2", "holds", event, delta),
        make(model, metric, root3, "holds", output),
        make(model, build.listed(3), {"vacuous": True}, "holds"),
        make(model, secrets | {"priors": {"class": "all"}}, "3", "violated", output),
        make(model, secrets | {"priors": {"class": "product"}}, "3", "violated", output),
        make(model, secrets | {"priors": listed}, "3", "violated", named),
        make(model, secrets | {"priors": given}, "3", "violated", named),
        build.sensitivity(query, {"rule": "all"}, "3/2", None, "holds", [0, 1]),
    ]


def first() -> Any:
    return good(Build())[0]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside a document."""
    found = [path]
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else items:
        found += places(inner, (*path, key))
    return found


HUGE = 10**5000
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 4),
    st.sampled_from([HUGE, -HUGE, 2**63, 0.5, float("nan"), float("inf"), Fraction(1, 3), b"1"]),
    st.sampled_from(
        ["", "0", "1", "1/0", "-1/2", "1e3", "0.5", " 1", "١", "1_0", "1/2/3", "\ud800"]
    ),
    st.sampled_from([[], {}, [[]], [{}], {"": []}, [0, 0], [True], {1: 2}, ("0",), "9" * 9000]),
    st.sampled_from(["all", "list", "product", "replace", "secrets", "pairs", "distances"]),
).map(deepcopy)


@examples(400)
@given(data=st.data())
def test_mutated_certificates(build: Any, data: st.DataObject) -> None:
    document = json.loads(json.dumps(data.draw(st.sampled_from(good(build)))))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(places(document)))
        if not path:
            document = data.draw(JUNK)
            break
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        kind = data.draw(st.sampled_from(["replace", "remove", "add", "double"]))
        if kind == "replace":
            parent[path[-1]] = data.draw(JUNK)
        elif kind == "remove":
            del parent[path[-1]]
        elif isinstance(parent, dict):
            parent[data.draw(st.sampled_from(["extra", "group", "prior", 7]))] = data.draw(JUNK)
        else:
            parent.append(parent[path[-1]] if kind == "double" else data.draw(JUNK))
        if not isinstance(document, dict):
            break
    with suppress(Exception):  # some models are too broken to have a digest
        document["claim"]["digest"] = build.digest_of(document["model"])
    verdict = check(document)
    assert verdict.outcome in ("accepted", "rejected", "refused")
    assert isinstance(verdict.reason, str) and verdict.reason


def test_the_unmutated_are_accepted(build: Any, tmp_path: Path) -> None:
    for k, document in enumerate(good(build)):
        assert check(document).outcome == "accepted", check(document)
        path = tmp_path / f"{k}.json"
        path.write_text(json.dumps(sealed(document)))
        assert check_file(path) == check(document)


@pytest.mark.parametrize(
    "document",
    [None, 1, "x", [], {}, {"format": "verifier-certificate"}, object(), Fraction(1)],
)
def test_not_a_certificate(document: Any) -> None:
    assert check(document).outcome == "refused"


test_broken_shapes_are_refused = siblings(
    (first, "refused", "version", 1, True, 2.0),
    (first, "refused", "claim.kind", "gossip", []),
    (first, "refused", "level", {"exp_epsilon": "1/2", "delta": "0"}),
    (first, "refused", "level", {"epsilon": "-1", "delta": "0"}),
    (first, "refused", "level", {"epsilon": "1", "exp_epsilon": "3", "delta": "0"}),
    (first, "refused", "claim.leakage", {"exp_epsilon": "1/2"}),
    (first, "refused", "model.columns.0.0", True, -1, 3),
    (first, "refused", "model.columns.0+", 0),
    (first, "refused", "model.columns.-1", GONE),
    (first, "refused", "model.values+", "-1/2", 1),
    (first, "refused", "model.outputs.0", "o1"),
    (first, "refused", "model.worlds.0", "b"),
    (first, "refused", "model.records.0", [1], [-2]),
    (first, "refused", "model.entries_per_record", 2, 0),
    (first, "refused", "model.records", GONE),
    (first, "refused", "model.functions", [["1", "2", "3"]]),
    (first, "refused", "relation.group", 0, True),
    (first, "refused", "relation.rule", "friends"),
    (first, "refused", "witness.output", 2),
    (first, "refused", "witness.outputs", [1]),
)


test_wrong_contents_are_rejected = siblings(
    (first, "rejected", "claim.verdict", "undecided", False),
    (first, "rejected", "claim.leakage", {"infinite": 1}, {"infinite": True, "exp_epsilon": "3"}),
    (first, "rejected", "claim.leakage", {"vacuous": True}),
    (first, "rejected", "claim.digest", None),
    (first, "rejected", "witness.pair", [0, 0]),
)


def test_half_absent_record_is_refused(build: Any) -> None:
    model = build.mechanism_model(COLUMNS, [[0, 0], [0, -1], [-1, -1]], entries_per_record=2)
    document = build.certificate(model, {"rule": "entry", "group": 1}, "3", "violated")
    assert "absent" in check(document).reason


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "Expecting"),
        ("{", "Expecting"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": ' + "1" * 100_001 + "}", "too long"),
        ("[" * 200_000, ""),
        ('{"a":' * 200_000, ""),
        ("9" * 5000, ""),
        ("\ufeff{}", ""),
        ("{}", "format"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    verdict = check_file(path)
    assert verdict.outcome == "refused"
    assert word in verdict.reason


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b'{"a": "\xe9"}')
    for path in (tmp_path, tmp_path / "missing", tmp_path / "latin", "a\0b"):
        assert check_file(path).outcome == "refused"


def test_in_process_cycles_and_depth(build: Any) -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for junk in (loop, deep):
        for key in ("claim", "model", "relation", "evidence"):
            assert check({**good(build)[0], key: junk}).outcome == "refused"
        document = build.edited(good(build)[0], lambda d: None)
        document["model"]["worlds"] = junk
        assert check(document).outcome == "refused"


def test_numbers_of_ten_thousand_digits(build: Any) -> None:
    """Python's own limit of 4300 digits for text must not matter, nor show in the messages."""
    denominator = 10**9999
    small, large = Fraction(1, denominator), Fraction(denominator - 1, denominator)
    columns = {"s": [small, large], "t": [large, small]}
    model = build.mechanism_model({k: ["0", "1"] for k in columns})
    one, rest = "1" + "0" * 9999, "9" * 9999
    model["values"] = [f"1/{one}", f"{rest}/{one}"]
    model["columns"] = [[0, 1], [1, 0]]
    witness = {"pair": [1, 0], "output": 0}

    def claim(leakage: str, level: str) -> Any:
        model_digest = build.digest_of
        build_model = {**model, "values": []}
        document = build.certificate(build_model, {"rule": "all"}, leakage, "holds", witness)
        document["model"] = {**model, "values": [small, large]}
        document["claim"]["digest"] = model_digest(document["model"])
        document["model"] = model
        document["claim"]["level"]["exp_epsilon"] = level
        return document

    assert check(claim(rest, rest)).outcome == "accepted"
    assert check(claim(rest, rest[1:])).outcome == "rejected"
    assert "too small" in check(claim(rest[1:], rest)).reason
    assert "too large" in check(claim(one, one)).reason
    assert check(claim("1" * 100_001, rest)).outcome == "refused"


def test_fractions_and_text_are_the_same(build: Any) -> None:
    document = build.edited(good(build)[0], lambda d: None)
    document["model"]["values"] = [Fraction(value) for value in document["model"]["values"]]
    document["claim"]["leakage"]["exp_epsilon"] = Fraction(3)
    assert check(document).outcome == "accepted"
    document["model"]["values"] = ["2/8", "3/6", "6/8"]
    assert check(document).outcome == "rejected"  # the digest is of the text
    document["claim"]["digest"] = build.digest_of(document["model"])
    assert check(document).outcome == "accepted"


def test_all_kinds_are_read() -> None:
    first = {"comparison", "composable", "composition", "implies", "inference", "influence"}
    third = {
        "boxes",
        "network",
        "local",
        "quilts",
        "region",
        "runs",
        "sensitivity",
        "simulator",
    }
    second = {
        "divergence",
        "error",
        "optimal",
        "parameters",
        "pieces",
        "polynomials",
        "polytope",
        "post_processing",
        "program",
        "row_cone",
    }
    assert set(KINDS) == first | second | third
