"""Histograms: what is decided of them is what is decided of all lists of records."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, digest_of, opened
from tests.definitions import drawn, plain
from tests.definitions.cases import DELTAS, GROUPED, METRICS
from tests.definitions.drawn import Json, decide
from tests.definitions.histogram_cases import Case, cases
from tests.drawing import examples
from verifier import checker
from verifier.claims.answer import Answer

EXAMPLES = examples(30)
ALPHA = Fraction(2)


def spec_of(case: Case, columns: Any, asked: Json, **more: Any) -> Json:
    rows = dict(zip(case.names, columns, strict=True))
    table = {name: [str(p) for p in column] for name, column in rows.items()}
    mechanism = {"table": {"outputs": [f"o{k}" for k in range(len(columns[0]))], **table}}
    return {"worlds": case.node, "mechanism": mechanism, "checks": [asked], **more}


def related(kind: str, group: int) -> Callable[..., bool]:
    """Whether two lists of records are neighbours."""
    if kind in GROUPED:
        return lambda w, v: GROUPED[kind](w, v, group)
    if kind in METRICS:
        return lambda w, v: w != v and plain.distance(kind, w, v) <= group
    return lambda w, v: w != v


def is_as_expected(answer: Answer, columns: Any, pairs: list[plain.Pair], delta: Fraction) -> None:
    """The verdict at level 2 and the smallest level are those of the pairs."""
    worst = max((plain.excess(columns[i], columns[j], ALPHA) for i, j in pairs), default=0)
    assert answer.verdict == ("violated" if worst > delta else "holds")
    assert answer.leakage.vacuous == (not pairs)
    assert answer.leakage.exp_epsilon == plain.smallest_alpha(columns, pairs, delta)


@EXAMPLES
@given(st.data())
def test_differential_privacy(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([*GROUPED, *METRICS, "all"]))
    case = data.draw(cases(numbers=kind in ("l1", "linf")))
    columns = data.draw(drawn.matrices(case.space.size))
    group = data.draw(st.integers(1, 3))
    options: Json = {"neighbours": kind}
    if kind in GROUPED:
        options |= {"group": str(group)}
    elif kind in METRICS:
        options = {"neighbours": {kind: str(group)}}
    delta = data.draw(st.sampled_from(DELTAS))
    asked = {"differential_privacy": {"exp_epsilon": "2", "delta": str(delta), **options}}
    pairs = case.among(plain.pairs_of(case.lists, related(kind, group)))
    is_as_expected(decide(spec_of(case, columns, asked)), columns, pairs, delta)


@EXAMPLES
@given(cases(), st.data())
def test_blowfish_and_induced_neighbours(case: Case, data: st.DataObject) -> None:
    columns = data.draw(drawn.matrices(case.space.size))
    keyword = data.draw(st.sampled_from(["blowfish", "induced_neighbours"]))
    found = (
        plain.blowfish(case.lists, lambda i, x, y: x is not None and y is not None)
        if keyword == "blowfish"
        else plain.induced(case.lists)
    )
    answer = decide(spec_of(case, columns, {keyword: {"exp_epsilon": "2"}}))
    is_as_expected(answer, columns, case.among(found), Fraction(0))


@EXAMPLES
@given(st.data(), st.sampled_from(METRICS))
def test_metric_privacy(data: st.DataObject, metric: str) -> None:
    """Every two lists, at their own distance."""
    case = data.draw(cases(numbers=metric != "hamming"))
    columns = data.draw(drawn.matrices(case.space.size))
    asked = {"metric_privacy": {"exp_epsilon": "2", "distance": metric}}
    holds = all(
        p <= ALPHA ** int(plain.distance(metric, w, v)) * q
        for i, w in zip(case.of, case.lists, strict=True)
        for j, v in zip(case.of, case.lists, strict=True)
        for p, q in zip(columns[i], columns[j], strict=True)
    )
    assert decide(spec_of(case, columns, asked)).verdict == ("holds" if holds else "violated")


@EXAMPLES
@given(cases(), st.data())
def test_label_privacy_and_sensitivity(case: Case, data: st.DataObject) -> None:
    if case.space.attributes:
        columns = data.draw(drawn.matrices(case.space.size))
        pairs = case.among(plain.pairs_of(case.lists, plain.is_label, 1))
        asked: Json = {"label_privacy": {"exp_epsilon": "2", "label": "B"}}
        is_as_expected(decide(spec_of(case, columns, asked)), columns, pairs, Fraction(0))
    pairs = case.among(plain.blowfish(case.lists, lambda i, x, y: None not in (x, y)))
    present = range(len(case.values) - (None in case.values))
    farthest = max(
        (sum(abs(case.rows[i][v] - case.rows[j][v]) for v in present) for i, j in pairs), default=0
    )
    asked = {"sensitivity": {"query": "histogram", "equals": str(farthest)}}
    answer = decide({"worlds": case.node, "checks": [asked]})
    assert answer.verdict == "holds"


def counted(neighbours: str = "replace") -> Json:
    """The certificate of a noisy count of three records, each of which may be absent."""
    asked = {"differential_privacy": {"exp_epsilon": "3", "neighbours": neighbours}}
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "3"}
    worlds = {"records": "3", "domain": ["a", "b"], "absent": "true", "exchangeable": "true"}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "checks": [asked]}
    return deepcopy(opened(decide(spec).certificate))


BROKEN: dict[str, Callable[[Json], Any]] = {
    "two worlds swapped": lambda m: m["counts"].__setitem__(
        slice(0, 2), [m["counts"][1], m["counts"][0]]
    ),
    "a count changed": lambda m: m["counts"][0].__setitem__(0, 7),
    "a world twice": lambda m: m["counts"].__setitem__(0, m["counts"][1]),
    "counts of no values": lambda m: m.update(counts=[[] for _ in m["counts"]]),
    "no counts": lambda m: m.pop("counts"),
    "no values": lambda m: m.pop("entries_of_values"),
    "a value less": lambda m: m["entries_of_values"].pop(),
    "a value twice": lambda m: m["entries_of_values"].__setitem__(1, m["entries_of_values"][0]),
    "values without entries": lambda m: m.update(entries_of_values=[[], [], []]),
    "an absent record that has entries": lambda m: m.update(
        entries_of_values=[[0, 0], [1, 0], [-1, 0]]
    ),
    "nothing said of values": lambda m: m.update(entries_of_values=[]),
}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("broken", sorted(BROKEN))
def test_models_that_are_none(broken: str, neighbours: str) -> None:
    """Whatever is changed in the counts or the values, nothing of it is accepted."""
    document = counted(neighbours)
    BROKEN[broken](document["model"])
    assert check_again(document).outcome != "accepted"


def check_again(document: Json) -> checker.Verdict:
    """The verdict on a draft whose digest fits."""
    document["claim"]["digest"] = digest_of(document["model"])
    return check(document)


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_other_values_are_absent(neighbours: str) -> None:
    """Which value is that of absent records is stated; said of a, other pairs are compared."""
    document = counted(neighbours)
    document["model"]["entries_of_values"] = [[-1], [0], [1]]
    verdict = check_again(document)
    assert (verdict.outcome == "accepted") == (neighbours == "add_remove"), verdict
