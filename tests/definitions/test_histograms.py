"""Histograms: what is decided of them is what is decided of all lists of records."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.cases import DELTAS, GROUPED, METRICS
from tests.definitions.drawn import Draw, Json, decide
from tests.definitions.histogram_cases import Case, cases, told_apart
from tests.drawing import examples, wider
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.questions.answer import Answer

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
    group, delta = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(DELTAS))
    is_private_as_lists_are(case, columns, kind, group, delta)


def is_private_as_lists_are(
    case: Case, columns: Any, kind: str, group: int, delta: Fraction
) -> None:
    options: Json = {"neighbours": kind}
    if kind in GROUPED:
        options |= {"group": str(group)}
    elif kind in METRICS:
        options = {"neighbours": {kind: str(group)}}
    asked = {"differential_privacy": {"exp_epsilon": "2", "delta": str(delta), **options}}
    pairs = case.among(plain.pairs_of(case.lists, related(kind, group)))
    is_as_expected(decide(spec_of(case, columns, asked)), columns, pairs, delta)


SIX = {
    "of two values": Case([0, 1], 6, False, None),
    "of two values, some": Case([0, 1], 6, False, {0, 2, 3, 5}),
    "of one value or absent": Case(["a"], 6, True, None),
    "of two values or absent, some": Case(["a", "b"], 6, True, {0, 1, 4, 7, 11, 15, 20, 25}),
}


def columns_of(case: Case, seed: str) -> list[list[Fraction]]:
    """Three outputs; some never occur, and some nearly as often as others."""
    random, found = Random(seed), []
    for _ in range(case.space.size):
        weights = random.choice([[0, 1, 2], [10**30, 10**30 + 1, 7], [3, 5, 7], [1, 1, 1]])
        random.shuffle(weights)
        found.append([Fraction(w, sum(weights)) for w in weights])
    return found


@pytest.mark.parametrize("group", wider([1, 5], [1, 2, 5]))
@pytest.mark.parametrize("kind", [*GROUPED, *METRICS, "all"])
@pytest.mark.parametrize("which", SIX)
def test_six_records(which: str, kind: str, group: int) -> None:
    case = SIX[which]
    if kind in ("l1", "linf") and None in case.values:
        return
    columns = columns_of(case, f"{which} {kind} {group}")
    is_private_as_lists_are(case, columns, kind, group, DELTAS[group % len(DELTAS)])


@pytest.mark.parametrize("keyword", ["blowfish", "induced_neighbours"])
@pytest.mark.parametrize("which", list(SIX)[:3])
def test_neighbours_among_six_records(which: str, keyword: str) -> None:
    neighbours_are_those_of_lists(SIX[which], columns_of(SIX[which], which), keyword)


@EXAMPLES
@given(cases(), st.data())
def test_blowfish_and_induced_neighbours(case: Case, data: st.DataObject) -> None:
    columns = data.draw(drawn.matrices(case.space.size))
    keyword = data.draw(st.sampled_from(["blowfish", "induced_neighbours"]))
    neighbours_are_those_of_lists(case, columns, keyword)


def neighbours_are_those_of_lists(case: Case, columns: Any, keyword: str) -> None:
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


def predicates(case: Case) -> st.SearchStrategy[list[str]]:
    """Two or three sets of histograms that do not meet, as predicates."""
    (value, *_), attributes = case.values, case.space.attributes
    test = f"A == {value[0]!r}" if attributes else f"value == {value!r}"
    count, most = f"count({test})", case.space.record_count
    cut = st.integers(0, max(0, most - 1))
    return cut.map(lambda k: [f"{count} <= {k}", f"{count} > {k}"])


@st.composite
def classes(draw: Draw, case: Case) -> Any:
    """A class of priors; those that are given have weights of histograms."""
    kind = draw(st.sampled_from(["list", "list", "hull", "all", "iid", "product", "constraints"]))
    if kind in ("all", "iid", "product"):
        return kind
    if kind == "constraints":
        first, _ = draw(predicates(case))
        return {kind: [f"P({first}) in [1/5, 2/3]"]}

    def prior() -> Any:
        way = draw(st.sampled_from(["uniform", "iid", "histograms", "histograms"]))
        if way == "uniform":
            return way
        if way == "iid":
            texts = [case.space.record_text(v) for v in case.space.record_values]
            weights = draw(drawn.distributions(len(texts)).filter(all))
            return {"iid": dict(zip(texts, map(str, weights), strict=True))}
        return {"histograms": draw(drawn.distributions(case.space.size))}

    return {kind: [prior() for _ in range(draw(st.integers(1, 2)))]}


def answered(spec: Json) -> Any:
    """The verdict and the smallest level; or the code of the error, or that it is undecided."""
    try:
        answer = decide(spec)
    except InputError as error:
        return error.code
    except (NotDecided, LimitReached):
        return "undecided"
    return answer.verdict, answer.leakage


def is_same(left: Any, right: Any) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        return bool(left == right)
    if left[0] != right[0] or left[1].vacuous != right[1].vacuous:
        return False
    if left[1].bounds and right[1].bounds:
        (a, b), (c, d) = left[1].bounds, right[1].bounds
        return bool(a <= d and c <= b)
    return bool(left[1] == right[1])


@EXAMPLES
@given(st.data())
def test_secrets_of_one_record(data: st.DataObject) -> None:
    """The same for each of the records of a list."""
    case = data.draw(cases(records=3))
    columns = data.draw(drawn.matrices(case.space.size))
    kinds = ["values", "values", "entries", *["presence"] * (2 * (None in case.values))]
    asked = {"exp_epsilon": "2", "pairs": data.draw(st.sampled_from(kinds))}
    keyword = data.draw(st.sampled_from(["pufferfish", "noiseless"]))
    more = {"checks": [{keyword: asked}]}
    both = told_apart(case, columns, data.draw(classes(case)), more)
    found, expected = answered(both.histograms), answered(both.lists)
    if expected == "undecided" or found == "undecided":
        return
    assert is_same(found, expected), (found, expected)


@pytest.mark.parametrize("pairs", ["values", [["low", "high"]]])
@pytest.mark.parametrize("priors", ["all", "iid", {"list": ["uniform"]}, {"hull": ["uniform"]}])
def test_secrets_among_six_records(priors: Any, pairs: Any) -> None:
    case = SIX["of two values"]
    more: Json = {"checks": [{"pufferfish": {"exp_epsilon": "2"}}], "pairs": pairs}
    if pairs != "values":
        more["secrets"] = {"low": "count(value == 0) <= 1", "high": "count(value == 0) > 1"}
    drawn_columns = columns_of(case, f"{priors} {pairs}")
    columns = [[(p + Fraction(1, 3)) / 2 for p in column] for column in drawn_columns]  # none is 0
    both = told_apart(case, columns, priors, more)
    found, expected = answered(both.histograms), answered(both.lists)
    assert "undecided" in (found, expected) or is_same(found, expected), (found, expected)


@EXAMPLES
@given(st.data())
def test_secrets_about_histograms(data: st.DataObject) -> None:
    case = data.draw(cases(records=3))
    columns = data.draw(drawn.matrices(case.space.size))
    low, high = data.draw(predicates(case))
    delta = data.draw(st.sampled_from(["0", "0", "1/7"]))
    asked = {"pufferfish": {"exp_epsilon": "2", "delta": delta}}
    more: Json = {"secrets": {"low": low, "high": high}, "pairs": [["low", "high"]]}
    priors = data.draw(classes(case).filter(lambda found: found != "product"))
    both = told_apart(case, columns, priors, {**more, "checks": [asked]})
    found, expected = answered(both.histograms), answered(both.lists)
    if "undecided" not in (found, expected):
        assert is_same(found, expected), (found, expected)


@EXAMPLES
@given(st.data())
def test_hedging_and_single_priors(data: st.DataObject) -> None:
    case = data.draw(cases(records=3))
    columns = data.draw(drawn.matrices(case.space.size))
    texts = [case.space.record_text(v) for v in case.space.record_values]
    known = dict(zip(texts, map(str, data.draw(drawn.distributions(len(texts)))), strict=True))
    asked: Json = {"exp_epsilon": "2", "known": known}
    asked["pairs"] = data.draw(st.sampled_from(["presence", "values"]))
    keyword = data.draw(st.sampled_from(["hedging_privacy", "single_prior_privacy"]))
    if keyword == "hedging_privacy":
        asked["weight"] = data.draw(st.sampled_from(["0", "1/3", "1"]))
    both = told_apart(case, columns, "all", {"checks": [{keyword: asked}]})
    found, expected = answered(both.histograms), answered(both.lists)
    if "undecided" not in (found, expected):
        assert is_same(found, expected), (found, expected)
