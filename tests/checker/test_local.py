"""Certificates of kind local: good ones, and siblings that are broken by hand."""

import json
from copy import deepcopy
from typing import Any

import pytest

from tests.checker.drafts import digest_of
from tests.checker.outcomes import accepted
from tests.pages import ROOT, blocks
from verifier import checker

Json = dict[str, Any]
PAGE = blocks(ROOT / "docs" / "certificate.md")
EXAMPLE: Json = json.loads(next(block.text for block in PAGE if block.note == "local"))
FLAT = {"outputs": ["x"], "values": ["1"], "columns": [[0], [0]], "runs": 1}
PAIRS = {"rule": "pairs", "distances": {"1": [[1], [0]]}}
NOTHING = {"rule": "pairs", "distances": {}}


def outcome(changed: Json) -> str:
    document = deepcopy(changed)
    document["digest"] = digest_of(document["question"])
    document["taken"] = checker.taken(document["question"]) or document["taken"]
    return checker.check(document).outcome


def broken(**parts: Any) -> Json:
    """The example with other parts, each named by its path, with __ between keys."""
    document = deepcopy(EXAMPLE)
    for path, part in parts.items():
        *keys, last = path.split("__")
        inside: Any = document
        for key in keys:
            inside = inside[int(key) if key.isdigit() else key]
        inside[int(last) if last.isdigit() else last] = part
    return document


CHANGE = EXAMPLE["evidence"]["witness"]["changes"][0]
PART = EXAMPLE["question"]["relation"]["parts"][0]


def test_the_example() -> None:
    accepted(EXAMPLE)
    assert outcome(EXAMPLE) == "accepted"


@pytest.mark.parametrize(
    "parts",
    [
        # other answers
        {"answer__leakage": {"exp_epsilon": "3"}, "answer__verdict": "holds"},
        {"answer__leakage": {"exp_epsilon": "10"}},
        {"answer__leakage": {"infinite": True}},
        {"answer__leakage": {"vacuous": True}, "answer__verdict": "holds"},
        {"answer__verdict": "holds"},
        # other evidence
        {"evidence__witness": None},
        {"evidence__witness": {"changes": []}},
        {"evidence__witness": {"changes": [CHANGE]}},
        {"evidence__witness": {"changes": [CHANGE, CHANGE]}},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 2}]},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 1, "outputs": [1]}]},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 1, "outputs": []}]},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 1, "outputs": [0, 0]}]},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 1, "pair": [0, 0]}]},
        {"evidence__witness__changes": [CHANGE, {**CHANGE, "record": 1, "prior": 0, "x": 1}]},
        # another relation than the definition asks
        {"question__relation__limit": "1"},
        {"question__relation__limit": "3"},
        {"question__relation__limit": None},
        {"question__relation__limit": "0"},
        {"question__relation__per_unit": True},
        {"question__relation__chosen": [0, -1]},
        {"question__relation__chosen": [0]},
        {"question__relation__chosen": [0, 0, 0]},
        {"question__relation__parts": []},
        {"question__relation__parts": [PART, PART]},
        {"question__relation__parts__0": {"rule": "replace", "group": 2}},
        {"question__relation__parts__0": {"rule": "entry", "group": 1}},
        {"question__relation__parts__0": PAIRS},
        {"question__relation__parts__0": NOTHING},
        {"question__options": {"neighbours": "l1", "group": 1}},
        {"question__options": {"neighbours": {"hamming": "3/2"}, "group": 1}}
        | {"question__relation__limit": "3/2"},
        {"question__options": {"neighbours": {"l2": "2"}, "group": 1}},
        {"question__options": {"neighbours": "all", "group": 2}},
        # another model
        {"question__model__channels": [[]]},
        {"question__model__channels": []},
        {"question__model__channels": [EXAMPLE["question"]["model"]["channels"][0], [FLAT]]}
        | {"question__model__chosen": [0, 1]},
        {"question__model__chosen": [0]},
        {"question__model__people": ["ann", "ann"]},
        {"question__model__channels__0__0__runs": 0},
        {"question__model__channels__0__0__runs": 2},
        {"question__model__channels__0__0__columns": [[1, 0], [1, 1]]},
        {"question__model__worlds": ["0"]},
    ],
)
def test_broken_siblings(parts: Json) -> None:
    assert outcome(broken(**parts)) in ("rejected", "refused")


def test_no_record_is_left_out() -> None:
    """The second record tells nothing: the level is that of the first, which must be compared."""
    channels = [*EXAMPLE["question"]["model"]["channels"], [FLAT]]
    fine: Json = {
        "question__model__channels": channels,
        "question__model__chosen": [0, 1],
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "3"}},
        "evidence__witness__changes": [CHANGE],
    }
    assert outcome(broken(**fine)) == "accepted"
    for chosen in ([-1, 0], [0, -1], [-1, -1], [1, 0]):
        assert outcome(broken(**fine | {"question__relation__chosen": chosen})) != "accepted"
    assert outcome(broken(**fine | {"question__model__chosen": [1, 0]})) == "rejected"


def test_an_event_with_delta() -> None:
    """Of both bits the event of two true answers has 9/16 − 5 · 1/16 = 1/4."""
    plain = [{**CHANGE, "record": at} for at in (0, 1)]
    for change in plain:
        del change["outputs"]
    fine: Json = {
        "question__level": {"exp_epsilon": "5", "delta": "1/4"},
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "5"}},
        "evidence__witness__changes": plain,
    }
    assert outcome(broken(**fine)) == "accepted"
    for level in ("4", "6", "1"):
        said = {"verdict": "holds", "leakage": {"exp_epsilon": level}}
        assert outcome(broken(**fine | {"answer": said})) != "accepted"
    assert outcome(broken(**fine | {"evidence__witness__changes": plain[:1]})) == "rejected"
    assert outcome(broken(**fine | {"evidence__witness": None})) == "rejected"


def test_the_claim_in_words_names_the_class_of_priors() -> None:
    secrets = {"no": [0], "yes": [1]}
    relation = {"rule": "secrets", "secrets": secrets, "pairs": [["no", "yes"]]}
    fine: Json = {
        "question__definition": "pufferfish",
        "question__options": {"pairs": "values"},
        "question__relation__limit": "1",
        "question__relation__parts": [{**relation, "priors": {"class": "iid"}}],
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "3"}},
        "evidence__witness__changes": [CHANGE],
    }
    document = broken(**fine)
    document["digest"] = digest_of(document["question"])
    words = checker.check(document).claim
    assert words.startswith("pufferfish (pairs: values; priors: iid) at exp_epsilon 8")
    for kind in ("all", "any", "hull", "conditionals"):
        part = {**relation, "priors": {"class": kind}}
        assert outcome(broken(**fine | {"question__relation__parts": [part]})) != "accepted"
    assert outcome(broken(**fine | {"question__relation__chosen": [0, -1]})) != "accepted"
    given = {"question__options": {"pairs": "given"}, "question__relation__chosen": [0, -1]}
    assert outcome(broken(**fine | given)) == "accepted"


HISTOGRAMS: Json = {
    "worlds": ["0×2", "0×1 1×1", "1×2"],
    "counts": [[2, 0], [1, 1], [0, 2]],
    "entries_of_values": [[0], [1]],
    "people": [""],
    "chosen": [0],
    "channels": [
        [
            {"outputs": ["few", "many"], "values": ["1/4", "1/2", "3/4"], "runs": 1}
            | {"columns": [[2, 0], [1, 1], [0, 2]]},
            {"outputs": ["none", "some"], "values": ["1/3", "2/3"], "runs": 1}
            | {"columns": [[1, 0], [0, 1], [0, 1]]},
        ]
    ],
}
# from one of two to none "many" and "some" are twice as likely each
CROWD: Json = {
    "question__options__group": 1,
    "question__model": HISTOGRAMS,
    "question__relation": {**EXAMPLE["question"]["relation"], "limit": "1", "chosen": [0]},
    "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "4"}},
    "evidence__witness__changes": [{"record": 0, "pair": [1, 0], "outputs": [1, 1]}],
}
# and between all and none three times and twice
BOTH: Json = CROWD | {
    "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "6"}},
    "evidence__witness__changes": [{"record": 0, "pair": [0, 2], "outputs": [0, 0]}],
}
ALL: Json = BOTH | {
    "question__options": {"neighbours": "all", "group": 1},
    "question__relation__parts": [{"rule": "all"}],
}
TWO: Json = BOTH | {
    "question__options__group": 2,
    "question__relation__parts": [{"rule": "replace", "group": 2}],
}


@pytest.mark.parametrize("parts", [CROWD, ALL, TWO])
def test_histograms_of_two_records(parts: Json) -> None:
    assert outcome(broken(**parts)) == "accepted"


@pytest.mark.parametrize(
    "parts",
    [
        CROWD | {"answer": {"verdict": "holds", "leakage": {"exp_epsilon": "3"}}},
        CROWD | {"answer": {"verdict": "holds", "leakage": {"exp_epsilon": "5"}}},
        CROWD | {"evidence__witness": None},
        CROWD | {"evidence__witness__changes__0__outputs": [1]},
        CROWD | {"evidence__witness__changes__0__outputs": [1, 0]},
        CROWD | {"evidence__witness__changes__0__outputs": [1, 1, 1]},
        # a larger ratio, of histograms that are not compared
        BOTH,
        # the group as it would be of records: one of them moves, and there is but one
        CROWD | {"question__options__group": 2, "question__relation__limit": "2"},
        CROWD | {"question__options__group": 2},
        TWO | {"question__relation__limit": "2"},
        TWO | {"question__options__group": 1},
        ALL | {"question__relation__limit": None},
        ALL | {"question__relation__parts": [{"rule": "replace", "group": 1}]},
        # several histograms, or none
        CROWD | {"question__model__people": ["ann", "bob"], "question__model__chosen": [0, 0]}
        | {"question__relation__chosen": [0, 0]},
        CROWD | {"question__relation__chosen": [-1], "question__relation__parts": []},
        # other counts
        CROWD | {"question__model__counts": [[2, 0], [1, 1], [0, 3]]},
        CROWD | {"question__model__counts": [[2, 0], [1, 1]]},
        CROWD | {"question__model__counts": [[2, 0], [1, 1], [1, 1]]},
        CROWD | {"question__model__entries_of_values": [[0], [0]]},
        # of which another definition asks
        CROWD | {"question__definition": "induced_neighbours", "question__options": {}}
        | {"question__relation__parts": [PAIRS]},
        # one record among others
        CROWD | {"question__model__records": [[0], [0], [1]]}
        | {"question__model__entries_per_record": 1},
    ],
)  # fmt: skip
def test_broken_histograms(parts: Json) -> None:
    assert outcome(broken(**parts)) in ("rejected", "refused")


def test_a_value_is_that_of_one_record() -> None:
    """Worlds of two records would have neighbours that one change does not reach."""
    worlds: Json = {
        "question__model__worlds": ["00", "01", "10", "11"],
        "question__model__records": [[0, 0], [0, 1], [1, 0], [1, 1]],
        "question__model__channels__0__0__columns": [[1, 0], [0, 1], [0, 1], [0, 1]],
    }
    fine = {"question__model__entries_per_record": 2}
    assert outcome(broken(**worlds | fine)) == "accepted"
    assert outcome(broken(**worlds)) == "refused"
