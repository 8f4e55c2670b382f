"""Certificates of kind local: good ones, and siblings that are broken by hand."""

from typing import Any

import pytest

from tests.checker.drafts import between, digest_of
from tests.checker.outcomes import accepted, outcome, parts, siblings, with_parts
from tests.pages import example
from verifier import checker

Json = dict[str, Any]
EXAMPLE: Json = example("local")
FLAT = {"outputs": ["x"], "values": ["1"], "columns": [[0], [0]], "runs": 1}
PAIRS = {"rule": "pairs", "distances": {"1": [[1], [0]]}}
NOTHING = {"rule": "pairs", "distances": {}}


def broken(**parts: Any) -> Json:
    """The example with other parts."""
    return with_parts(EXAMPLE, **parts)


PART = EXAMPLE["question"]["relation"]["parts"][0]


def test_the_example() -> None:
    accepted(EXAMPLE)
    assert outcome(EXAMPLE) == "accepted"


test_broken_siblings = siblings(
    (EXAMPLE, "", "", parts(answer__leakage={"exp_epsilon": "3"}, answer__verdict="holds")),
    (EXAMPLE, "", "answer.leakage", {"exp_epsilon": "10"}, {"infinite": True}),
    (EXAMPLE, "", "", parts(answer__leakage={"vacuous": True}, answer__verdict="holds")),
    (EXAMPLE, "", "answer.verdict", "holds"),
    (EXAMPLE, "", "witness", [], {}, {"changes": []}),
    (EXAMPLE, "", "relation.limit", "1", "3", None, "0"),
    (EXAMPLE, "", "relation.per_unit", True, 0, ""),
    (EXAMPLE, "", "relation.chosen", [0, -1], [0], [0, 0, 0]),
    (EXAMPLE, "", "relation.parts", [], [PART, PART]),
    (EXAMPLE, "", "relation.parts.0", {"rule": "replace", "group": 2}),
    (EXAMPLE, "", "relation.parts.0", {"rule": "entry", "group": 1}, PAIRS, NOTHING),
    (EXAMPLE, "", "options", {"neighbours": "l1", "group": 1}),
    (EXAMPLE, "", "options", {"neighbours": {"l2": "2"}, "group": 1}),
    (EXAMPLE, "", "options", {"neighbours": "all", "group": 2}),
    (
        EXAMPLE,
        "",
        "",
        parts(
            **{"question__options": {"neighbours": {"hamming": "3/2"}, "group": 1}}
            | {"question__relation__limit": "3/2"}
        ),
    ),
    (EXAMPLE, "", "model.channels", [[]], []),
    (
        EXAMPLE,
        "",
        "",
        parts(
            **{"question__model__channels": [EXAMPLE["question"]["model"]["channels"][0], [FLAT]]}
            | {"question__model__chosen": [0, 1]}
        ),
    ),
    (EXAMPLE, "", "model.chosen", [0]),
    (EXAMPLE, "", "model.people", ["ann", "ann"]),
    (EXAMPLE, "", "model.channels.0.0.runs", 0, 2),
    (EXAMPLE, "", "model.channels.0.0.columns", [[1, 0], [1, 1]]),
    (EXAMPLE, "", "model.worlds", ["0"]),
)


def test_no_record_is_left_out() -> None:
    """The second record tells nothing: the level is that of the first, which must be compared."""
    channels = [*EXAMPLE["question"]["model"]["channels"], [FLAT]]
    fine: Json = {
        "question__model__channels": channels,
        "question__model__chosen": [0, 1],
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "3"}},
    }
    assert outcome(broken(**fine)) == "accepted"
    for chosen in ([-1, 0], [0, -1], [-1, -1], [1, 0]):
        assert outcome(broken(**fine | {"question__relation__chosen": chosen})) != "accepted"


def test_an_event_with_delta() -> None:
    """Of both bits the event of two true answers has 9/16 − 5 · 1/16 = 1/4."""
    fine: Json = {
        "question__level": {"exp_epsilon": "5", "delta": "1/4"},
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "5"}},
    }
    assert outcome(broken(**fine)) == "accepted"
    for level in ("4", "6", "1"):
        said = {"verdict": "holds", "leakage": {"exp_epsilon": level}}
        assert outcome(broken(**fine | {"answer": said})) != "accepted"
    assert outcome(broken(**fine | {"evidence__witness": {"changes": []}})) == "refused"


def test_the_claim_in_words_names_the_class_of_priors() -> None:
    secrets = {"no": [0], "yes": [1]}
    relation = {"rule": "secrets", "secrets": secrets, "pairs": [["no", "yes"]]}
    fine: Json = {
        "question__definition": "pufferfish",
        "question__options": {"pairs": "values"},
        "question__relation__limit": "1",
        "question__relation__parts": [{**relation, "priors": {"class": "iid"}}],
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "3"}},
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
}
# and between all and none three times and twice
BOTH: Json = CROWD | {
    "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "6"}},
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


def said(exp_epsilon: str, verdict: str = "holds") -> Json:
    return {"verdict": verdict, "leakage": {"exp_epsilon": exp_epsilon}}


def of_metric(metric: str, radius: str, limit: str | None) -> Json:
    options: Json = {"neighbours": {metric: radius}, "group": 1}
    return {"question__options": options, "question__relation__limit": limit}


LISTED: Json = {"question__relation__parts": [PAIRS]}
ONE_CHANGE: Json = {"answer": said("3")}
METRICS: dict[str, Json] = {
    "hamming": of_metric("hamming", "2", "2"),
    "hamming of listed pairs": of_metric("hamming", "2", "2") | LISTED,
    "l1": of_metric("l1", "2", "2") | LISTED,
    "l1 between": of_metric("l1", "3/2", "3/2") | LISTED | ONE_CHANGE,
    "linf": of_metric("linf", "1", None) | LISTED,
}


@pytest.mark.parametrize("name", METRICS)
def test_distances_of_databases(name: str) -> None:
    """Both bits are at distance 2 together, with `linf` at 1."""
    assert outcome(broken(**METRICS[name])) == "accepted"


@pytest.mark.parametrize(
    "parts",
    [
        of_metric("hamming", "1", "2"),
        of_metric("hamming", "2", "1") | ONE_CHANGE,
        of_metric("hamming", "2", None),
        of_metric("hamming", "4/2", "4/2"),
        METRICS["hamming"] | {"question__options__group": 2},
        METRICS["hamming"] | {"question__relation__parts": [{"rule": "replace", "group": 2}]},
        of_metric("l1", "2", "1") | LISTED | ONE_CHANGE,
        of_metric("l1", "2", None) | LISTED,
        METRICS["l1"] | {"question__options__group": 2},
        METRICS["l1"] | {"question__relation__parts": [PART]},
        METRICS["l1 between"] | {"answer": said("9", "violated")},
        METRICS["linf"] | {"question__relation__limit": "1"} | ONE_CHANGE,
        METRICS["linf"] | {"question__relation__limit": "2"},
        METRICS["linf"] | {"question__relation__parts": [{"rule": "all"}]},
        of_metric("l2", "2", None) | LISTED,
        of_metric("l2", "2", "2") | LISTED,
    ],
)
def test_distances_that_the_options_do_not_say(parts: Json) -> None:
    assert outcome(broken(**parts)) in ("rejected", "refused")


# 0 of two outputs has probabilities 3/4, 1/2, 1/2, 1/4 at 00, 01, 10, 11: one entry more or less
# makes an output up to twice as likely, two entries three times; an absent record tells everything
ENTRIES: Json = {
    "worlds": ["00", "01", "10", "11", "none"],
    "records": [[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]],
    "entries_per_record": 2,
    "people": ["ann", "bob"],
    "chosen": [0, 0],
    "channels": [
        [
            {"outputs": ["0", "1"], "values": ["0", "1/4", "1/2", "3/4", "1"], "runs": 1}
            | {"columns": [[3, 1], [2, 2], [2, 2], [1, 3], [4, 0]]}
        ]
    ],
}
DIFFER = {
    "1": [[1, 2], [0, 3], [0, 3], [1, 2], []],
    "2": [[3], [2], [1], [0], []],
}
OF_ENTRIES: Json = {
    "answer": said("4"),
    "question__options": {"neighbours": "entry", "group": 2},
    "question__model": ENTRIES,
    "question__relation__parts": [{"rule": "pairs", "distances": DIFFER}],
}


def test_two_entries_are_those_of_two_records_or_of_one() -> None:
    """Of one record at a time the level would be 3."""
    assert outcome(broken(**OF_ENTRIES)) == "accepted"
    assert outcome(broken(**OF_ENTRIES | {"answer": said("3")})) == "rejected"
    one: Json = {"question__options__group": 1, "question__relation__limit": "1"}
    one |= {"question__relation__parts": [{"rule": "entry", "group": 1}]}
    assert outcome(broken(**OF_ENTRIES | one | {"answer": said("2")})) == "accepted"


@pytest.mark.parametrize(
    "distances",
    [
        {**DIFFER, "2": [[], [2], [1], [0], []]},  # a pair less
        {"1": DIFFER["1"]},
        {"1": [[1, 2, 3], [0, 3], [0, 3], [1, 2], []], "2": [[], [2], [1], [0], []]},
        {**DIFFER, "3": [[3], [], [], [], []]},  # a pair at two distances
        {"3": [[3], [], [], [], []], **DIFFER},
        {**DIFFER, "1": [[1, 2], [0, 3], [0, 3], [1, 2], [0]]},  # an absent record
        {},
    ],
)
def test_distances_that_are_no_numbers_of_entries(distances: Any) -> None:
    relation = {"rule": "pairs", "distances": distances}
    asked: Json = {"question__relation__parts": [relation]}
    assert outcome(broken(**OF_ENTRIES | asked)) in ("rejected", "refused")


def test_a_group_of_entries_has_listed_pairs() -> None:
    for rule in ("entry", "replace"):
        parts: Json = {"question__relation__parts": [{"rule": rule, "group": 2}]}
        assert outcome(broken(**OF_ENTRIES | parts)) in ("rejected", "refused")


CERTAIN: Json = {"question__model__channels__0__0__values": ["0", "1"]}
INFINITE = {"verdict": "violated", "leakage": {"infinite": True}}


def test_an_output_of_one_value_alone() -> None:
    """Bits that are told as they are: one change shows it, and no level serves."""
    fine = CERTAIN | {"answer": INFINITE}
    assert outcome(broken(**fine)) == "accepted"
    assert outcome(broken(**fine | {"question__relation__limit": None})) == "rejected"
    for level in ("1", "9", "1000000"):
        assert outcome(broken(**fine | {"answer": said(level, "violated")})) == "rejected"
        assert outcome(broken(**fine | {"answer": said(level)})) == "rejected"


def test_all_changes_with_an_output_of_one_value_alone() -> None:
    everyone: Json = {
        "question__options": {"neighbours": "all", "group": 1},
        "question__relation__limit": None,
        "question__relation__parts": [{"rule": "all"}],
    }
    fine = CERTAIN | everyone | {"answer": INFINITE}
    assert outcome(broken(**fine)) == "accepted"
    assert outcome(broken(**fine | {"answer": said("9")})) == "rejected"


def test_what_is_seen_of_one_value_alone_may_be_missed() -> None:
    """One answer shows the value with probability 3/4, of two at least one with 15/16."""
    seen = {
        "outputs": ["0", "?", "1"],
        "values": ["0", "1/4", "3/4"],
        "columns": [[2, 1, 0], [0, 1, 2]],
        "runs": 1,
    }
    two: Json = {
        "question__model__channels": [[seen]],
        "question__level": {"exp_epsilon": "8", "delta": "7/8"},
        "answer": INFINITE,
    }
    assert outcome(broken(**two)) == "accepted"
    assert outcome(broken(**two | {"answer": said("1")})) == "rejected"
    one: Json = {"question__options__group": 1, "question__relation__limit": "1"}
    assert outcome(broken(**two | one)) == "rejected"
    assert outcome(broken(**two | one | {"answer": said("1")})) == "accepted"
    exact: Json = {"question__level": {"exp_epsilon": "8", "delta": "15/16"}}
    assert outcome(broken(**two | exact)) == "rejected"
    assert outcome(broken(**two | exact | {"answer": said("1")})) == "accepted"


# of three values 0 of two outputs has probability 3/4, 1/4, 1/8: 1/2 if the value is below 2
MIXED: Json = {
    "worlds": ["0", "1", "2"],
    "records": [[0], [1], [2]],
    "channels": [
        [
            {"outputs": ["0", "1"], "values": ["1/8", "1/4", "3/4", "7/8"], "runs": 1}
            | {"columns": [[2, 1], [1, 2], [0, 3]]}
        ]
    ],
}
BELIEVED: Json = {
    "question__definition": "pufferfish",
    "question__options": {"pairs": "given"},
    "question__model": EXAMPLE["question"]["model"] | MIXED,
    "question__relation__limit": "1",
    "question__relation__parts": [
        between(
            {"low": [0, 1], "high": [2]},
            [["low", "high"]],
            {"class": "list", "priors": [["1/4", "1/4", "1/2"], ["0", "3/4", "1/4"]]},
        )
    ],
    "answer": said("4"),
}


def test_mixtures_of_values_under_listed_priors() -> None:
    """Values of the first prior mix to 1/2, four times 1/8; one by one they would differ by 6."""
    assert outcome(broken(**BELIEVED)) == "accepted"
    alone: Json = {"question__relation__parts__0__priors__priors": [["0", "3/4", "1/4"]]}
    assert outcome(broken(**BELIEVED | alone)) == "rejected"
    assert outcome(broken(**BELIEVED | alone | {"answer": said("2")})) == "accepted"


def believed() -> Json:
    return broken(**BELIEVED)


test_other_mixtures = siblings(
    (believed, "", "answer", said("6"), said("2")),
    (believed, "", "options", {"pairs": "values"}),
    (believed, "", "relation.parts.0.pairs", []),
    (believed, "", "model.channels.0.0.runs", 2),
    (believed, "", "model.channels", [[*MIXED["channels"][0], *MIXED["channels"][0]]]),
    (believed, "", "relation.parts.0.priors.priors", [], [["1/4", "1/4", "1/4"]]),
)


def test_a_group_of_neighbours_that_have_none() -> None:
    """Of records, too, `group` goes with replace, add_remove and entry alone."""
    listed = {"rule": "pairs", "distances": {"1": [[1], [0]]}}
    for rule, part, limit in (("induced", listed, "2"), ("all", {"rule": "all"}, None)):
        options = {"neighbours": rule, "group": 2}
        parts = {"question__relation__parts": [part], "question__relation__limit": limit}
        assert outcome(broken(question__options=options, **parts)) == "refused"
        alone = parts | ({"question__relation__limit": "1"} if limit else {})
        alone |= {"question__options": {**options, "group": 1}}
        assert outcome(broken(**alone)) != "refused"
