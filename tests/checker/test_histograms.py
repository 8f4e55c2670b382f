"""Certificates about histograms of records: good ones, and siblings that are broken by hand."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import check, digest_of, opened
from tests.checker.test_pieces import written
from tests.definitions.drawn import decide
from tests.loops import each
from verifier import checker
from verifier.checker.obligations import read_blocks
from verifier.checker.reading import Model

Json = dict[str, Any]


def counted(neighbours: str = "replace", group: int = 1) -> Json:
    """The certificate of a noisy count of three records, each of which may be absent."""
    options = {"neighbours": neighbours, "group": str(group)}
    asked = {"differential_privacy": {"exp_epsilon": "3", **options}}
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
    "an entry below that of absent records": lambda m: m["entries_of_values"].__setitem__(0, [-2]),
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


@pytest.mark.parametrize(("group", "outcome"), [(1, "rejected"), (2, "rejected"), (3, "accepted")])
def test_values_that_are_no_grid(group: int, outcome: str) -> None:
    """One value becomes the other in three changes, with nothing between them."""
    document = counted("entry", group)
    if group == 3:
        document = counted("entry")
        document["claim"]["options"]["group"] = document["relation"]["group"] = 3
    document["model"]["entries_of_values"] = [[0, 0, 0], [1, 1, 1], [-1, -1, -1]]
    assert check_again(document).outcome == outcome


@pytest.mark.parametrize("neighbours", ["replace", "entry"])
def test_one_value_leaves_nothing_to_compare(neighbours: str) -> None:
    """All records are a: there is one histogram."""
    spec = {
        "worlds": {"records": "3", "domain": ["a"], "exchangeable": "true"},
        "mechanism": {"deterministic": "count(value == 'a')"},
        "checks": [{"differential_privacy": {"exp_epsilon": "3", "neighbours": neighbours}}],
    }
    document = opened(decide(spec).certificate)
    assert document["model"]["counts"] == [[3]]
    assert document["claim"]["leakage"] == {"vacuous": True}
    assert check_again(document).outcome == "accepted"
    document["claim"]["leakage"] = {"exp_epsilon": "1"}
    assert check_again(document).outcome == "rejected"


def of_one(priors: Any = "all", pairs: str = "values") -> Json:
    """The certificate about one of two records of three values, the counts of which are released
    with noise."""
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "2"}
    worlds = {"records": "2", "domain": ["a", "b"], "absent": "true", "exchangeable": "true"}
    asked = {"pufferfish": {"exp_epsilon": "9", "pairs": pairs}}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "priors": priors}
    return deepcopy(opened(decide({**spec, "checks": [asked]}).certificate))


def drop(document: Json, world: int) -> None:
    """Leave a world out, and number the others again."""
    for key in ("worlds", "records", "counts", "columns"):
        document["model"][key].pop(world)
    for name, inside in document["relation"]["secrets"].items():
        kept = [w - (w > world) for w in inside if w != world]
        document["relation"]["secrets"][name] = kept


OF_ONE: dict[str, Callable[[Json], Any]] = {
    "a world that is missing": lambda d: drop(d, 2),
    "records told apart": lambda d: d["model"]["columns"].__setitem__(1, d["model"]["columns"][0]),
    "another record": lambda d: d["model"]["records"].__setitem__(0, d["model"]["records"][-1]),
    "two records": lambda d: d["model"].update(records=[[*r, 0] for r in d["model"]["records"]]),
    "no records": lambda d: [d["model"].pop(key) for key in ("records", "entries_per_record")],
    "no counts": lambda d: [d["model"].pop(key) for key in ("counts", "entries_of_values")],
    "another value of absent records": lambda d: d["model"]["entries_of_values"].reverse(),
    "a secret that is smaller": lambda d: next(iter(d["relation"]["secrets"].values())).pop(),
    "a pair less": lambda d: d["relation"]["pairs"].clear(),
}


@pytest.mark.parametrize("priors", ["all", "product", "iid"])
@pytest.mark.parametrize("broken", sorted(OF_ONE))
def test_questions_about_one_record_that_are_none(broken: str, priors: str) -> None:
    document = of_one(priors)
    assert check_again(document).outcome == "accepted"
    OF_ONE[broken](document)
    assert check_again(document).outcome != "accepted"


@pytest.mark.parametrize("initial", [None, "stationary"])
def test_no_chain_is_of_records_that_are_not_told_apart(initial: str | None) -> None:
    """As a chain of the one record, every histogram around it would be as likely as any other."""
    document = of_one("iid")
    values = sorted({tuple(row) for row in document["model"]["records"]})
    row = [["0", "1"]] * len(values)
    chains = {"values": [list(x) for x in values], "transition": [row] * len(values)}
    document["relation"]["priors"] = {"class": "markov", "initial": initial or row, **chains}
    document["claim"] |= {"level": {"exp_epsilon": "1000", "delta": "0"}, "verdict": "holds"}
    document["claim"]["leakage"] = {"lower": "1", "upper": "1000"}
    document["evidence"]["witness"] = {"lower": None, "upper": None}
    verdict = check_again(document)
    assert (verdict.outcome, verdict.reason) == ("refused", "no chains of these records")


def test_one_record_is_no_database() -> None:
    """Neighbours of the worlds of one record among others are those of no definition."""
    document = of_one()
    claim = {"definition": "differential_privacy", "options": {"neighbours": "all", "group": 1}}
    document["claim"] |= claim
    document["relation"] = {"rule": "all"}
    verdict = check_again(document)
    assert verdict.outcome == "refused" and "one record among others" in verdict.reason
    del document["claim"]["options"]  # no definition
    verdict = check_again(document)
    assert verdict.outcome == "refused" and "one record among others" in verdict.reason


def test_ends_of_one_record_are_not_told_apart_either() -> None:
    """Boxes whose ends are the probabilities; and one of which the ends are wider for one world of
    a histogram, whose matrices could tell records apart."""
    document = of_one()
    model = document["model"]
    columns = model.pop("columns")
    model |= {"lower": columns, "upper": columns}
    document["claim"] |= {"kind": "boxes"}
    document["evidence"]["witness"] = None
    document["claim"]["leakage"] = {
        "lower": "1",
        "upper": document["claim"]["leakage"]["exp_epsilon"],
    }
    assert check_again(document).outcome == "accepted"
    counts = model["counts"]
    world = next(w for w, row in enumerate(counts) if counts.count(row) > 1)
    for key in ("lower", "upper"):
        codes = [list(column) for column in columns]
        output = codes[world].index(min(codes[world])) if key == "upper" else 0
        codes[world][output] = len(model["values"]) - 1 if key == "upper" else 0
        if codes != columns:
            copy = deepcopy(document)
            copy["model"][key] = codes
            verdict = check_again(copy)
            assert verdict.outcome == "rejected" and "tells records apart" in verdict.reason


def of_one_for_all(parameters: str, folder: Path) -> Json:
    """The certificate about one of two records, which are alike with q = 1 - 2p + 2p².

    The output 0 has probability 2/3, 1/3, 1/6 for 0, 1, 2 records with `a`; so (2 - q)/6 for a
    record with `a` and (1 + q)/3 for one with `b`: 4(1 - p + p²)/(1 + 2p - 2p²), 28/13 at 1/3.
    """
    other = "q" if "q" in parameters else "p"
    coins = "{iid: {a: p, b: 1 - p}}", f"{{iid: {{a: 1 - {other}, b: {other}}}}}"
    mixed = ", ".join(f"{{weight: 1/2, prior: {coin}}}" for coin in coins)
    text = f"""
parameters: {{{parameters}}}
worlds: {{records: 2, domain: [a, b], exchangeable: true}}
mechanism: {{geometric: {{query: count(value == 'a'), ratio: 1/2, low: 0, high: 2}}}}
priors: {{list: [{{mixture: [{mixed}]}}]}}
pairs: values
checks: [{{pufferfish: {{exp_epsilon: 5/2}}}}]
"""
    (found,) = written(text, folder)
    return found


def told_apart(document: Json, part: int) -> None:
    """One of two worlds that have the same histogram has another column."""
    model = document["question"]["model"]
    (at, *_) = [w for w, row in enumerate(model["counts"]) if model["counts"].count(row) > 1]
    (other, *_) = [w for w, row in enumerate(model["counts"]) if row != model["counts"][at]]
    columns = model["cells"][part]["columns"]
    columns[at] = columns[other]


@pytest.mark.parametrize("parameters", ["p: 1/4 < p < 3/4", "p: 1/4 < p < 3/4, q: 1/4 < q < 3/4"])
def test_one_record_for_all_values_of_parameters(parameters: str, tmp_path: Path) -> None:
    document = of_one_for_all(parameters, tmp_path)
    kind = "region" if "q" not in parameters else "parameters"
    assert document["question"]["kind"] == kind and document["answer"]["verdict"] == "holds"
    assert check(document).outcome == "accepted"
    for piece in document["answer"].get("pieces", []):
        top, bottom = (
            sum(int(c) * Fraction(1, 3) ** k for k, c in enumerate(piece[part]))
            for part in ("numerator", "denominator")
        )
        assert top / bottom == Fraction(28, 13)
    told_apart(document, 0)
    document["digest"] = digest_of(document["question"])
    verdict = check(document)
    assert verdict.outcome == "rejected" and "not told apart" in verdict.reason


def hedged(pairs: str) -> Json:
    """A noisy count of two records, one of which is `a`, or is `b`, or is not in the data.

    With weight 2/3 the others are of a distribution that nobody knows, else a fair one. Against
    `b` the count is one more, whatever is known of the others: 3. Output 0 has probability 3/4
    if both are `b`, 1/4 if one is, 1/12 if none; so without the record it is up to
    2/3 · 3/4 + 1/3 · (3/4 + 1/4 + 1/4 + 1/12)/4 = 11/18, and given `a` then
    2/3 · 1/4 + 1/3 · (1/4 + 1/12)/2 = 2/9, which is 4/11 of it.
    """
    worlds = {"records": "2", "domain": ["a", "b"], "exchangeable": "true"}
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "2"}
    known = {"a": "1/2", "b": "1/2"}
    asked = {"exp_epsilon": "9", "known": known, "weight": "1/3", "pairs": pairs}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}}
    answer = decide({**spec, "checks": [{"hedging_privacy": asked}]})
    return deepcopy(opened(answer.certificate))


HEDGED: dict[str, Callable[[Json], Any]] = {
    "a smaller level": lambda d: d["claim"].update(leakage={"exp_epsilon": "5/2"}),
    "a larger level": lambda d: d["claim"].update(leakage={"exp_epsilon": "7/2"}),
    "another weight": lambda d: d["relation"]["priors"].update(weight="1/2"),
    "another distribution": lambda d: d["relation"]["priors"].update(
        known=[[[0], "1/3"], [[1], "2/3"]]
    ),
    "a point of another one": lambda d: d["evidence"]["witness"]["lower"]["point"].reverse(),
    "no point": lambda d: d["evidence"]["witness"].update(lower=None),
    "another value": lambda d: d["relation"]["secrets"]["a record = a"].update(value=[1]),
    "another record": lambda d: d["relation"]["secrets"]["a record = a"].update(record=1),
    "a world that is missing": lambda d: [
        d["model"][key].pop(1) for key in ("worlds", "records", "counts", "columns")
    ],
    "records told apart": lambda d: d["model"]["columns"].__setitem__(1, d["model"]["columns"][0]),
}


@pytest.mark.parametrize(("pairs", "level"), [("values", "3"), ("presence", "11/4")])
def test_hedging_about_one_record(pairs: str, level: str) -> None:
    document = hedged(pairs)
    assert document["claim"]["leakage"] == {"exp_epsilon": level}
    assert check_again(document).outcome == "accepted"
    for name, change in HEDGED.items():
        broken = deepcopy(document)
        change(broken)
        same = name in ("another distribution", "a point of another one") and pairs == "values"
        assert (check_again(broken).outcome == "accepted") == same, name


def labelled() -> Json:
    """The noisy count of one label among two records with two attributes."""
    domain = {"A": ["0", "1"], "B": ["x", "y"]}
    worlds = {"records": "2", "domain": domain, "absent": "true", "exchangeable": "true"}
    noise = {"query": "count(B == 'x')", "exp_epsilon": "3", "low": "0", "high": "2"}
    asked = {"label_privacy": {"exp_epsilon": "3", "label": "B"}}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "checks": [asked]}
    return deepcopy(opened(decide(spec).certificate))


def near(document: Json, w: str, v: str, there: bool) -> None:
    """Compare two histograms, or leave them out."""
    names, listed = document["model"]["worlds"], document["relation"]["distances"]["1"]
    for one, other in ((w, v), (v, w)):
        others = listed[names.index(one)]
        (others.append if there else others.remove)(names.index(other))


LABELLED: dict[str, Callable[[Json], Any]] = {
    "two labels": lambda d: near(d, "0/x×2", "0/y×2", True),
    "label and value": lambda d: near(d, "0/x×2", "0/x×1 1/y×1", True),
    "the value of another attribute": lambda d: near(d, "0/x×2", "0/x×1 1/x×1", True),
    "a record that is absent": lambda d: near(d, "0/x×2", "0/x×1 ⊥×1", True),
    "a label of few": lambda d: near(d, "1/y×1 ⊥×1", "1/x×1 ⊥×1", False),
    "a label less": lambda d: near(d, "0/x×2", "0/x×1 0/y×1", False),
    "no label": lambda d: d["relation"]["distances"].clear(),
    "entries of another value": lambda d: d["model"]["entries_of_values"].reverse(),
    "a label that is no text": lambda d: d["claim"]["options"].update(label=1),
}


def test_labels_of_records_that_are_not_told_apart() -> None:
    """One label more or less is one more or less in the count, which one output shows by 3."""
    document = labelled()
    verdict = check_again(document)
    assert verdict.outcome == "accepted" and verdict.taken == ("label", "matrix", "worlds")
    assert document["claim"]["leakage"] == {"exp_epsilon": "3"}
    for name, change in LABELLED.items():
        broken = deepcopy(document)
        change(broken)
        assert check_again(broken).outcome != "accepted", name


def test_labels_of_some_histograms() -> None:
    """What a record becomes may be no world: two people who have the same label."""
    document = labelled()
    kept = [w for w, row in enumerate(document["model"]["counts"]) if max(row) == 2]
    for key in ("worlds", "counts", "columns"):
        document["model"][key] = [document["model"][key][w] for w in kept]
    document["relation"]["distances"] = {}
    document["claim"] |= {"leakage": {"vacuous": True}, "verdict": "holds"}
    document["evidence"]["witness"] = None
    assert check_again(document).outcome == "accepted"
    near_by = [[1], [0], *([] for _ in kept[2:])]
    document["relation"]["distances"] = {"1": near_by}
    assert check_again(document).outcome == "rejected"


def composed(priors: str) -> Json:
    """The noisy count over many runs, for one record among others."""
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "2"}
    worlds = {"records": "2", "domain": ["a", "b"], "absent": "true", "exchangeable": "true"}
    asked = {"composition": {"exp_epsilon": "9", "pairs": "values"}}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "priors": priors}
    return deepcopy(opened(decide({**spec, "checks": [asked]}).certificate))


def test_composition_about_one_record() -> None:
    """Where some prior makes `a` and `b` possible, so are both among `a` and among `b`, at most 3
    from any other world; one among absent records may be none."""
    document = composed("iid")
    assert document["claim"]["kind"] == "composition"
    assert document["claim"]["leakage"] == {"exp_epsilon": "3"}
    assert check_again(document).outcome == "accepted"
    place = {name: w for w, name in enumerate(document["model"]["worlds"])}
    for world, cover, good in (
        ("a among b×1", "b among b×1", True),
        ("a among ⊥×1", "b among ⊥×1", True),
        ("a among a×1", "b among b×1", False),  # 9
        ("a among b×1", "b among ⊥×1", False),
        ("b among a×1", "a among ⊥×1", False),
        ("a among a×1", "a among a×1", False),
    ):
        other = deepcopy(document)
        for side in other["evidence"]["witness"]["upper"]:
            for line in side:
                line[1] = [place[cover]] if line[0] == place[world] else line[1]
        assert (check_again(other).outcome == "accepted") == good, (world, cover)
    for leakage in ("2", "9"):
        broken = deepcopy(document)
        broken["claim"]["leakage"] = {"exp_epsilon": leakage}
        assert check_again(broken).outcome != "accepted"
    document["relation"]["priors"] = {"class": "product"}
    verdict = check_again(document)
    assert verdict.outcome == "refused" and "only iid" in verdict.reason


def test_one_record_among_others_is_compared_by_secrets_only(build: Any) -> None:
    """Its records are no records of the whole database."""
    both = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]}
    model = build.mechanism_model(both, [[0], [1]])
    model |= {"counts": [[1, 1], [1, 1]], "entries_of_values": [[0], [1]]}
    for rule in ("replace", "entry", "add_remove"):
        relation = {"rule": rule, "group": 1}
        for leakage in ("1", {"vacuous": True}):
            found = check(build.certificate(model, relation, leakage, "holds"))
            assert (found.outcome, "has secrets" in found.reason) == ("refused", True)


def lists_of(values: list[tuple[int, ...]], records: int) -> dict[tuple[int, ...], list[Any]]:
    """All lists of so many records, by how many have each of the values."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for one in product(values, repeat=records):
        found.setdefault(tuple(map(one.count, values)), []).append(one)
    return found


def differ(rule: str, group: int, one: Any, other: Any) -> bool:
    """Whether two lists of records are neighbours, by the words of the page."""
    changed = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    crossing = [(-1 in a) != (-1 in b) for a, b in changed]
    if rule == "entry":
        places = sum(x != y for a, b in changed for x, y in zip(a, b, strict=True))
        return not any(crossing) and 1 <= places <= group
    return 1 <= len(changed) <= group and set(crossing) == {rule == "add_remove"}


@each("rule", ["replace", "entry", "add_remove"])
@each("group", [1, 2, 3])
@each(
    "values, records",
    [
        ([(0,), (1,), (-1,)], 3),
        ([(-1,), (0,), (1,), (2,)], 2),
        ([(0, 0), (1, 0), (1, 1), (-1, -1)], 2),
        ([(0, 0), (1, 1)], 3),
        ([(0,)], 2),
    ],
)
def test_histograms_are_neighbours_where_two_lists_are(
    rule: str, group: int, values: list[tuple[int, ...]], records: int
) -> None:
    lists = lists_of(values, records)
    counts = list(lists)
    parts = {"worlds": list(map(str, counts)), "counts": list(map(list, counts))}
    model = Model({**parts, "entries_of_values": list(map(list, values))})
    blocks = read_blocks({"rule": rule, "group": group}, model)
    expected = {
        (w, v)
        for w, v in permutations(range(len(counts)), 2)
        if any(differ(rule, group, a, b) for a in lists[counts[w]] for b in lists[counts[v]])
    }
    assert {(w, v) for s, t, _ in blocks for w in s for v in t} == expected
    assert all(s and t for s, t, _ in blocks)
