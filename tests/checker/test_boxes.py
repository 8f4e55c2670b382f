"""Certificates of kind "boxes": what is accepted, and siblings that are broken by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.checker.drafts import asking, check, digest_of

Json = dict[str, Any]
# w has 1/5 five times; in v the first three have at most 17/100, so that the others have 49/100
MODEL: Json = {
    "worlds": ["w", "v"],
    "outputs": list("abcde"),
    "values": ["1/10", "17/100", "1/5", "3/5"],
    "lower": [[2] * 5, [0, 0, 0, 2, 2]],
    "upper": [[2] * 5, [1, 1, 1, 3, 3]],
}
ROWS = [{"pair": [1, 0], "output": o, "weight": "2"} for o in (3, 4)]


def document(**changes: Any) -> Json:
    """A certificate about the stated relation; parts of it are changed."""
    parts: Json = {
        "level": {"exp_epsilon": "6/5", "delta": "0"},
        "relation": {"rule": "all"},
        "model": MODEL,
        "verdict": "violated",
        "leakage": {"lower": "49/40", "upper": "3"},
        "witness": {"lower": "49/40", "rows": ROWS},
        "definition": None,
        "options": {},
        "taken": ["matrix", "relation", "worlds"],
        **changes,
    }
    answer = {key: parts[key] for key in ("verdict", "leakage")}
    asked = {key: parts[key] for key in ("definition", "options", "level")}
    found = asking("boxes", parts["model"], parts["relation"], answer, parts["witness"], **asked)
    return {**found, "digest": digest_of(found["question"]), "taken": parts["taken"]}


def outcome(**changes: Any) -> str:
    return check(document(**changes)).outcome


def level(alpha: str, delta: str = "0") -> Json:
    return {"exp_epsilon": alpha, "delta": delta}


def table(values: list[str], lower: list[list[int]], upper: list[list[int]]) -> Json:
    names = [f"w{k}" for k in range(len(lower))]
    outputs = [f"o{k}" for k in range(len(lower[0]))]
    parts: Json = {"worlds": names, "outputs": outputs, "values": values}
    return {**parts, "lower": lower, "upper": upper}


def row(i: Any, j: Any, output: int, weight: str = "1", **more: Any) -> Json:
    return {**more, "pair": [i, j], "output": output, "weight": weight}


HELD: Json = {"verdict": "holds", "level": level("3"), "witness": None}
HELD["leakage"] = {"lower": "1", "upper": "3"}
# one world never says o0, the other one with at least 1/9
NEVER = table(["0", "1/9", "1/3", "2/3", "8/9", "1"], [[0, 5], [1, 3]], [[0, 5], [2, 4]])
# w0 says o0 with at most 1/100, w1 with at least 1/9
RARELY = table(
    ["0", "1/100", "1/9", "1/3", "2/3", "8/9", "99/100", "1"], [[0, 6], [2, 4]], [[1, 7], [3, 5]]
)
# three worlds; the first two are the secret s, with priors 3 : 1; the third is t
MIXED = table(
    ["1/8", "1/4", "1/2", "3/4", "7/8"], [[1, 2], [2, 2], [0, 3]], [[2, 3], [2, 2], [1, 4]]
)
SECRETS: Json = {"rule": "secrets", "secrets": {"s": [0, 1], "t": [2]}, "pairs": [["s", "t"]]}
SECRETS["priors"] = {"class": "list", "priors": [["1/2", "1/6", "1/3"]]}
FAR: Json = {"rule": "pairs", "distances": {"2": [[1], [0]]}}
# one world with [1/10, 9/10] twice, which is not compared with itself
WIDE = table(["1/10", "1/2", "9/10"], [[0, 0], [1, 1]], [[2, 2], [1, 1]])

ACCEPTED: dict[str, Json] = {
    "violated by every matrix": {},
    "by less than is shown": {"leakage": {"lower": "61/50", "upper": "3"}, "level": level("11/10")},
    "held by every matrix": {**HELD, "witness": {"lower": "49/40", "rows": ROWS}}
    | {"leakage": {"lower": "49/40", "upper": "3"}},
    "held, nothing below": HELD,
    "held at an irrational level": {**HELD, "level": {"epsilon": "2", "delta": "0"}},
    "held, one number": {**HELD, "leakage": {"lower": "1", "upper": "3"}, "level": level("7/2")},
    "one number": {"verdict": "holds", "level": level("1"), "leakage": {"exp_epsilon": "1"}}
    | {"witness": None, "model": table(["1/4", "3/4"], [[0, 1]] * 2, [[0, 1]] * 2)},
    "no level serves": {"leakage": {"infinite": True}, "model": NEVER}
    | {"witness": {"lower": None, "rows": [row(1, 0, 0)]}},
    "no upper end": {"leakage": None, "model": RARELY}
    | {"witness": {"lower": "100/9", "rows": [row(1, 0, 0)]}},
    "nothing is compared": {"verdict": "holds", "leakage": {"vacuous": True}, "witness": None}
    | {"relation": {"rule": "pairs", "distances": {}}},
    "held up to delta": {**HELD, "level": level("6/5", "1/3")}
    | {"leakage": {"lower": "1", "upper": "6/5"}},
    "held up to delta, entry by entry": {**HELD, "model": WIDE, "level": level("2", "3/5")}
    | {"leakage": {"lower": "1", "upper": "2"}},
    "violated, with delta": {
        "level": level("1", "1/12"),
        "leakage": {"lower": "61/60", "upper": "3"},
    }
    | {"witness": {"lower": "61/60", "rows": ROWS}},
    "mixtures": {**HELD, "model": MIXED, "relation": SECRETS, "level": level("4")}
    | {"leakage": {"lower": "5/4", "upper": "4"}}
    | {"witness": {"lower": "5/4", "rows": [row("s", "t", 0, prior=0)]}},
    "at a distance": {"model": NEVER | {"values": ["1/20", "1/9", "1/3", "2/3", "8/9", "19/20"]}}
    | {"relation": FAR, "level": level("7/5"), "leakage": {"lower": "149/100", "upper": "3"}}
    | {"witness": {"lower": "149/100", "rows": [row(1, 0, 0)]}},
    "no world is compared with itself": {**HELD, "model": WIDE, "level": level("5")}
    | {"leakage": {"lower": "1", "upper": "5"}},
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    found = check(document(**ACCEPTED[name]))
    assert found.outcome == "accepted", found


def model(**parts: Any) -> Json:
    return {"model": MODEL | parts}


def witness(lower: Any, *rows: Json) -> Json:
    return {"witness": {"lower": lower, "rows": list(rows)}}


BROKEN: dict[str, tuple[str, Json]] = {
    "another verdict": ("rejected", {"verdict": "holds"}),
    "a level that some matrices meet": ("rejected", {"level": level("2")}),
    "a larger lower end": ("rejected", {"leakage": {"lower": "5/4", "upper": "3"}}),
    "a witness for more": ("rejected", witness("5/4", *ROWS)),
    "a smaller upper end": ("rejected", {**HELD, "leakage": {"lower": "1", "upper": "2"}}),
    "no witness": ("rejected", {"witness": None}),
    "no more than delta": ("rejected", {"level": level("6/5", "1/2")}),
    "one of the rows": ("rejected", witness("49/40", ROWS[0])),
    "no rows": ("refused", witness("49/40")),
    "a row twice": ("refused", witness("49/40", *ROWS, ROWS[0])),
    "a weight of 0": ("refused", witness("49/40", *ROWS, row(1, 0, 2, "0"))),
    "a negative weight": ("refused", witness("49/40", *ROWS, row(1, 0, 2, "-1"))),
    "an irrational weight": ("refused", witness("49/40", ROWS[0], row(1, 0, 4, "e"))),
    "other weights": ("rejected", witness("49/40", ROWS[0], row(1, 0, 4, "1"))),
    "the other order": ("rejected", witness("49/40", *(row(0, 1, o) for o in (3, 4)))),
    "a world with itself": ("rejected", witness("49/40", row(0, 0, 3))),
    "an output that is not there": ("refused", witness("49/40", row(1, 0, 5))),
    "a world that is not there": ("refused", witness("49/40", row(2, 0, 3))),
    "a prior where there is none": ("refused", witness("49/40", row(1, 0, 3, prior=0))),
    "below 1": ("refused", witness("1/2", *ROWS)),
    "an irrational end": ("refused", witness("e", *ROWS)),
    "no level, where one serves": ("rejected", witness(None, *ROWS)),
    "infinite, where it is not": ("rejected", {"leakage": {"infinite": True}}),
    "infinite without rows": ("rejected", {"leakage": {"infinite": True}, "witness": None}),
    "vacuous, where it is not": ("rejected", {"leakage": {"vacuous": True}}),
    "nothing said, nothing shown": ("rejected", {"leakage": None, "witness": None}),
    "nothing said of a level above": ("rejected", {"leakage": None, "level": level("49/40")}),
    "nothing said, no level serves": (
        "rejected",
        {"leakage": None, "model": NEVER} | witness(None, row(1, 0, 0)),
    ),
    "an empty box above": ("rejected", model(upper=[[2] * 5, [1, 1, 1, 1, 2]])),
    "an empty box below": ("rejected", model(lower=[[2] * 5, [1, 1, 1, 2, 3]])),
    "crossed ends": (
        "rejected",
        model(lower=[[2] * 5, [1, 0, 0, 2, 2]], upper=[[2] * 5, [0, 1, 1, 3, 3]]),
    ),
    "too few worlds": ("refused", model(upper=[[2] * 5])),
    "too few outputs": ("refused", model(upper=[[2] * 5, [1, 1, 1, 3]])),
    "irrational ends": ("refused", model(values=["1/10", "17/100", "e^(-1)", "3/5"])),
    "other values": ("rejected", model(values=["17/100", "1/10", "1/5", "3/5"])),
    "columns beside the ends": ("refused", model(columns=[[2] * 5] * 2)),
    "an irrational delta": ("refused", {"level": level("6/5", "1/10*e^(-1)")}),
    "distances with delta": ("refused", {"relation": FAR, "level": level("6/5", "1/10")}),
    "a larger lower end at a distance": (  # the root of 20/9 is below 3/2
        "rejected",
        ACCEPTED["at a distance"]
        | {"leakage": {"lower": "3/2", "upper": "3"}}
        | witness("3/2", row(1, 0, 0)),
    ),
    "several rows at a distance": ("refused", {"relation": FAR}),
    "too much up to delta": (
        "rejected",
        {**HELD, "level": level("6/5", "1/4"), "leakage": {"lower": "1", "upper": "6/5"}},
    ),
    "another tradeoff": ("refused", {"leakage": {"lower": "49/40"}}),
    "a world with itself, too wide": (
        "rejected",
        {**HELD, "model": WIDE, "level": level("4"), "leakage": {"lower": "1", "upper": "4"}},
    ),
    "irrational priors": (
        "refused",
        {**ACCEPTED["mixtures"]}
        | {
            "relation": {
                **SECRETS,
                "priors": {"class": "list", "priors": [["1/2", "e^(-1)/2", "1/2 - e^(-1)/2"]]},
            }
        },
    ),
    "a prior that is not there": (
        "refused",
        {**ACCEPTED["mixtures"], **witness("5/4", row("s", "t", 0, prior=1))},
    ),
    "too much of a mixture": (
        "rejected",
        {**ACCEPTED["mixtures"], "leakage": {"lower": "5/4", "upper": "15/4"}},
    ),
    "a mixture needs less": (
        "rejected",
        {**ACCEPTED["mixtures"], **witness("4/3", row("s", "t", 0, prior=0))},
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    expected, changes = BROKEN[name]
    found = check(document(**changes))
    assert found.outcome == expected, found


def test_what_is_taken() -> None:
    assert outcome(taken=["relation", "worlds"]) == "rejected"
    options = {"neighbours": "all", "group": 1}
    of = {"definition": "differential_privacy", "options": options}
    assert outcome(**of, taken=["matrix", "worlds"]) == "accepted"
    assert outcome(**of, taken=["matrix", "worlds"], relation=FAR) == "rejected"


# P(w says 1) and P(v says 1) of 0 + normal(0, 1) >= 0 and 1 + normal(0, 1) >= 0, by two digits
NOISE: Json = {
    "laws": [["normal", "1"]],
    "events": [
        {"draws": [0], "conditions": [[[[0, 1]], "0"]]},
        {"draws": [0], "conditions": [[[[0, 1]], "1"]]},
        {"draws": [0], "conditions": [[[[0, -1]], "-1"]]},
    ],
    "sums": [
        [[2, 2], [["1", [0]]]],
        [[4, 5], [["1", [1]]]],
        [[0, 1], [["1", [2]]]],
    ],
}
NORMAL: Json = {
    "worlds": ["w", "v"],
    "outputs": ["0", "1"],
    "values": ["15/100", "16/100", "1/2", "4/5", "84/100", "85/100"],
    "lower": [[2, 2], [0, 4]],
    "upper": [[2, 2], [1, 5]],
}
OF_NOISE: Json = {**HELD, "level": level("4"), "leakage": {"lower": "1", "upper": "10/3"}}
OF_NOISE["taken"] = ["integrals", "paths", "relation", "worlds"]


def noisy(change: Callable[[Json], None] = lambda noise: None) -> str:
    noise = json.loads(json.dumps(NOISE))
    change(noise)
    return outcome(**OF_NOISE, model={**NORMAL, "noise": noise})


def put(*path: Any) -> Callable[[Json], None]:
    *inner, last, value = path

    def change(part: Any) -> None:
        for key in inner:
            part = part[key]
        part[last] = value

    return change


def _two_kinds(noise: Json) -> None:
    noise["laws"].append(["geometric", "1/2"])
    noise["events"][0]["draws"].append(1)


FORGED: dict[str, tuple[str, Callable[[Json], None]]] = {
    "a law of no name": ("refused", put("laws", 0, 0, "cauchy")),
    "a scale of 0": ("refused", put("laws", 0, 1, "0")),
    "a law that is not used": ("refused", lambda noise: noise["laws"].append(["normal", "2"])),
    "draws of two kinds": ("refused", _two_kinds),
    "an event that is not used": (
        "refused",
        lambda noise: noise["events"].append({"draws": [0], "conditions": [[[[0, 1]], "9"]]}),
    ),
    "a negative weight": ("refused", put("sums", 0, 1, 0, 0, "-1")),
    "a sum left out": ("refused", lambda noise: noise["sums"].pop()),
    "other ends": ("rejected", put("sums", 0, 0, [0, 2])),
    "ends that are not there": ("refused", put("sums", 0, 0, [2, 9])),
    "one place": ("refused", put("sums", 0, 0, 2)),
    "three ends": ("refused", put("sums", 0, 0, [2, 2, 2])),
    "no sums": ("refused", put("sums", [])),
}


def test_integrals_are_taken() -> None:
    assert noisy() == "accepted"
    plain = {**OF_NOISE, "taken": ["paths", "relation", "worlds"]}
    assert outcome(**plain, model={**NORMAL, "noise": NOISE}) == "rejected"
    assert outcome(**OF_NOISE, model=NORMAL) == "rejected"


@pytest.mark.parametrize("name", FORGED)
def test_forged_noise(name: str) -> None:
    expected, change = FORGED[name]
    assert noisy(change) == expected


def test_what_is_impossible_has_no_comparisons() -> None:
    """A third output that neither world gives."""
    model: Json = {**NORMAL, "outputs": ["0", "1", "2"], "values": ["0", *NORMAL["values"]]}
    for ends in ("lower", "upper"):
        model[ends] = [[1 + code for code in codes] + [0] for codes in NORMAL[ends]]
    sums = [[[1 + code for code in pair], terms] for pair, terms in NOISE["sums"]]
    assert outcome(**OF_NOISE, model={**model, "noise": {**NOISE, "sums": sums}}) == "accepted"
    more = [*sums, [[0, 0], [["1", [0]]]]]
    assert outcome(**OF_NOISE, model={**model, "noise": {**NOISE, "sums": more}}) == "rejected"


def test_normal_noise_makes_no_matrix() -> None:
    """Without ends the values would have to be exact, and no rule integrates a normal draw."""
    point = {key: part for key, part in NORMAL.items() if key not in ("lower", "upper")}
    found = document(**OF_NOISE, model={**point, "columns": [[2, 2], [1, 4]], "noise": NOISE})
    assert check(found).outcome != "accepted"
