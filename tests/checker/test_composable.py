"""Certificates of universally composable priors, and of mechanisms that do not compose."""

from typing import Any

import pytest

from tests.checker import outcomes
from tests.checker.conftest import Build
from tests.checker.drafts import check, draft
from tests.checker.outcomes import siblings
from tests.pages import example

WORLDS = ["a", "b", "c"]
# one run: P(yes | s) = 1/3, P(yes | t) = 1/2; yes, then no never happens given s
MECHANISM = {"a": [1, 0], "b": [0, 1], "c": ["1/2", "1/2"]}
SHARED = ["1/6", "1/3", "1/2"]
SURE = ["1/3", "0", "2/3"]
OTHER = ["0", "1/4", "3/4"]


GIVEN = ("list", "hull")


def relation(kind: str, *priors: list[str]) -> Any:
    stated = {"class": kind, **({"priors": list(priors)} if kind in GIVEN or priors else {})}
    secrets = {"s": [0, 1], "t": [2], "u": [0]}
    return {"rule": "secrets", "secrets": secrets, "pairs": [["s", "t"]], "priors": stated}


def made(build: Any, about: Any, one_run: str | None, witness: Any = None) -> Any:
    model = build.mechanism_model(MECHANISM)
    if witness is None:
        model = {"worlds": WORLDS, "functions": []}
    return draft(
        "composable",
        model,
        about,
        witness,
        verdict="violated" if witness else "holds",
        one_run=one_run,
    )


WITNESS = {"prior": 0, "pair": ["s", "t"], "outputs": [0, 1]}


@pytest.mark.parametrize(
    ("about", "outcome"),
    [
        (relation("list", SURE), "accepted"),
        (relation("list", SURE, OTHER), "accepted"),
        (relation("list", SURE, SHARED), "rejected"),
        (relation("list", ["1/2", "1/2", "0"], SURE), "accepted"),  # the first does not allow t
        (relation("hull", SURE, ["1/2", "0", "1/2"]), "accepted"),
        (relation("hull", SURE, OTHER), "accepted"),  # a with c, and b with c
        (relation("hull", SURE, SHARED), "rejected"),
        (relation("hull", ["1/3", "0", "2/3"], ["1/2", "1/2", "0"]), "rejected"),  # b never with c
        (relation("hull", ["1", "0", "0"], ["0", "1", "0"]), "refused"),  # t is never possible
        (relation("any"), "rejected"),
        (relation("all"), "accepted"),
        (relation("all", SURE), "refused"),
        (relation("product", SURE), "refused"),
        (relation("product"), "refused"),  # worlds without records
        (relation("list", SURE, OTHER, SHARED), "accepted"),  # protected by the two others
        ({**relation("any"), "priors": {"class": "any", "priors": [SURE]}}, "refused"),
        (relation("list"), "refused"),
        (relation("list", ["1/3", "0", "1/3"]), "rejected"),
        (relation("list", ["1/3", "2/3"]), "rejected"),
        (relation("list", ["-1/3", "2/3", "2/3"]), "rejected"),
    ],
)
def test_one_possible_world(build: Any, about: Any, outcome: str) -> None:
    assert check(made(build, about, None)).outcome == outcome


@pytest.mark.parametrize(
    ("about", "empty"),
    [
        (relation("list", ["1/2", "1/2", "0"]), True),
        (relation("hull", ["1", "0", "0"], ["0", "1", "0"]), True),
        (relation("list", SURE), False),
        ({**relation("list", SURE), "pairs": []}, True),
        ({**relation("any"), "pairs": []}, True),
        ({**relation("any"), "secrets": {"s": [], "t": [1]}}, True),
        ({**relation("any"), "secrets": {"s": [0], "t": [1]}}, False),
    ],
)
def test_nothing_compared_is_said_to_be_vacuous(build: Any, about: Any, empty: bool) -> None:
    document = made(build, about, None)
    assert (check(document).outcome == "accepted") == (not empty)
    for leakage in ({"vacuous": True}, {"vacuous": 1}, {"infinite": True}, None, {}):
        document["claim"]["leakage"] = leakage
        said = empty and repr(leakage) == "{'vacuous': True}"
        assert (check(document).outcome == "accepted") == said


def about_records(pairs: Any, kind: str = "product", **secrets: Any) -> Any:
    relation = {"rule": "secrets", "secrets": secrets, "pairs": pairs, "priors": {"class": kind}}
    worlds = ["00", "01", "10", "11"]
    records = [[0, 0], [0, 1], [1, 0], [1, 1]]
    model = {"worlds": worlds, "records": records, "entries_per_record": 1, "functions": []}
    return relation, model


@pytest.mark.parametrize(
    ("secrets", "outcome"),
    [
        ({"s": [0, 1], "t": [2, 3]}, "accepted"),  # the first record
        ({"s": [0], "t": [2]}, "accepted"),
        ({"s": [0, 3], "t": [1, 2]}, "rejected"),  # equal, or different
        ({"s": [0], "t": [3]}, "rejected"),  # both records
        ({"s": [0, 1], "t": []}, "refused"),  # vacuous, and not said
    ],
)
def test_independent_records(build: Any, secrets: Any, outcome: str) -> None:
    about, model = about_records([["s", "t"]], **secrets)
    document = made(build, about, None)
    document["model"] = model
    document["claim"]["digest"] = build.digest_of(model)
    assert check(document).outcome == outcome, check(document)
    everybody = {**document, "relation": {**about, "priors": {"class": "all"}}}
    assert (check(everybody).outcome == "accepted") == bool(secrets["t"])
    fewer = {key: part[:3] if isinstance(part, list) else part for key, part in model.items()}
    short = {name: [w for w in worlds if w < 3] for name, worlds in secrets.items()}
    missing = {**document, "model": fewer, "relation": {**about, "secrets": short}}
    missing["claim"] = {**document["claim"], "digest": build.digest_of(fewer)}
    assert check(missing).outcome != "accepted"


def test_classes_without_numbers_have_no_run(build: Any) -> None:
    about = relation("all")
    assert check(made(build, about, "1")).outcome == "refused"
    assert check(made(build, about, "3/2", WITNESS)).outcome == "refused"
    with_columns = made(build, about, None)
    with_columns["model"] = build.mechanism_model(MECHANISM)
    with_columns["claim"]["digest"] = build.digest_of(with_columns["model"])
    assert check(with_columns).outcome == "refused"


def test_two_rows_of_finite_ratio(build: Any) -> None:
    """P(x | s) = 1/8 = P(x | t), so that one run leaks nothing; P(xx | s) = 1/32 is twice
    P(xx | t)."""
    columns = {"a": ["1/4", "3/4"], "b": ["0", "1"], "c": ["1/8", "7/8"], "d": ["1/8", "7/8"]}
    model = build.mechanism_model(columns)
    priors = ["1/6", "1/6", "1/3", "1/3"]
    about = relation("list", priors)
    about["secrets"] = {"s": [0, 1], "t": [2, 3]}
    for witness, outcome in (
        ({"prior": 0, "pair": ["t", "s"], "outputs": [0, 0]}, "accepted"),
        ({"prior": 0, "pair": ["s", "t"], "outputs": [0, 0]}, "rejected"),
        ({"prior": 0, "pair": ["t", "s"], "outputs": [0, 1]}, "rejected"),
        ({"prior": 0, "pair": ["t", "s"], "outputs": [1, 1]}, "accepted"),  # 25/32 > 49/64
        ({"prior": 0, "pair": ["t", "s"], "outputs": []}, "rejected"),
        ({"prior": 0, "pair": ["t", "s"], "outputs": [0, 0, 0]}, "rejected"),
    ):
        document = made(build, about, "1", witness)
        document["model"] = model
        document["claim"]["digest"] = build.digest_of(model)
        assert check(document).outcome == outcome, (witness, check(document))


def test_two_runs_at_just_twice_the_level(build: Any) -> None:
    """One run leaks 2, and two exactly 4."""
    columns = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"], "c": ["1/4", "3/4"]}
    model = build.mechanism_model(columns)
    document = made(
        build, relation("list", SHARED), "2", {"prior": 0, "pair": ["t", "s"], "outputs": [0, 0]}
    )
    document["model"] = model
    document["claim"]["digest"] = build.digest_of(model)
    assert check(document).outcome == "rejected"


def test_secrets_of_one_world_compose_whatever_the_priors(build: Any) -> None:
    about = {**relation("any"), "pairs": [["u", "t"]]}
    assert check(made(build, about, None)).outcome == "accepted"
    assert check(made(build, about, "1")).outcome == "refused"
    assert check(made(build, {**about, "rule": "all"}, None)).outcome == "refused"


@pytest.mark.parametrize(
    ("about", "one_run", "outcome"),
    [
        (relation("list", SHARED), "3/2", "accepted"),
        (relation("hull", SHARED), "3/2", "accepted"),
        (relation("list", SHARED), "4/3", "rejected"),
        (relation("list", SHARED), "2", "rejected"),
        (relation("list", SHARED), None, "refused"),
        (relation("list", SHARED, ["1/4", "1/4", "1/2"]), "3/2", "accepted"),
        (relation("list", SHARED, SURE), "3/2", "rejected"),  # the other prior protects
        (relation("list", SURE, SHARED), "3/2", "rejected"),
        # mixtures: 2/3 under one prior against 1/3 under the other one
        (relation("hull", SHARED, ["1/3", "1/6", "1/2"]), "3/2", "accepted"),
    ],
)
def test_one_run(build: Any, about: Any, one_run: str | None, outcome: str) -> None:
    document = made(build, about, one_run, WITNESS)
    assert check(document).outcome == outcome, check(document)


def test_mixtures_compare_any_two_priors(build: Any) -> None:
    """Under one prior P(yes | t) = 1/2, under the other one 1/4; P(yes | s) = 1/3 under both."""
    columns = {"a": [1, 0], "b": [0, 1], "c": ["1/2", "1/2"], "d": ["1/4", "3/4"]}
    model = build.mechanism_model(columns)
    priors = [["1/6", "1/3", "1/2", "0"], ["1/6", "1/3", "0", "1/2"]]
    other = ["1/3", "1/6", "1/2", "0"]  # 2/3: against 1/4 the ratio 8/3, against 3/4 of no: 9/4
    for kind, level in (("list", "3/2"), ("hull", "8/3")):
        document = made(build, relation(kind, *priors, other), level, WITNESS)
        document["model"] = model
        document["relation"]["secrets"] = {"s": [0, 1], "t": [2, 3]}
        document["claim"]["digest"] = build.digest_of(model)
        assert check(document).outcome == "accepted", (kind, check(document))


def leaking() -> Any:
    """Two runs tell more than twice what one tells."""
    return made(Build(), relation("list", SHARED), "3/2", WITNESS)


test_two_runs = siblings(
    (leaking, "", "witness.outputs", [0, 0], [0], [0, 1, 0], [0, 2], [False, True]),
    (leaking, "", "witness.pair", ["t", "s"], ["s", "s"], ["s", "x"], ["u", "t"]),
    (leaking, "", "witness.prior", 1, -1, "0"),
    (leaking, "", "witness.more", 1),
)


def test_a_mechanism_that_is_seen_by_nobody_proves_nothing(build: Any) -> None:
    """Two runs must be possible given the other secret, and the prior must allow both."""
    document = made(build, relation("list", SHARED), "1", WITNESS)
    constant = {world: ["1", "0"] for world in MECHANISM}
    document["model"] = build.mechanism_model(constant)
    document["claim"]["digest"] = build.digest_of(document["model"])
    assert check(document).outcome == "rejected"
    excluded = made(build, relation("list", ["1/3", "2/3", "0"], SURE), "1", WITNESS)
    assert check(excluded).outcome == "rejected"


def test_a_part_of_the_mechanism_that_is_shown_is_none_of_the_question() -> None:
    document = example("composable")
    assert outcomes.outcome(document) == "accepted"
    for part in ("outputs", "values"):
        more = outcomes.with_parts(document, **{f"question__model__{part}": []})
        assert outcomes.outcome(more) == "refused"


def test_no_mechanism_where_priors_compose(build: Any) -> None:
    document = made(build, relation("list", SURE), None)
    assert check(document).outcome == "accepted"
    document["model"] = build.mechanism_model(MECHANISM)
    document["claim"]["digest"] = build.digest_of(document["model"])
    assert check(document).outcome == "refused"


def test_secrets_without_worlds_compose(build: Any) -> None:
    """Free priors, and a pair of which the other secret has no world."""
    about = {**relation("any"), "secrets": {"s": [0, 1], "t": [], "u": [0], "v": [1]}}
    about["pairs"] = [["s", "t"], ["u", "v"]]
    assert check(made(build, about, None)).outcome == "rejected"  # priors are free
    listed = {**relation("list", ["1/2", "1/2", "0"]), "secrets": about["secrets"]}
    listed["pairs"] = about["pairs"]
    assert check(made(build, listed, None)).outcome == "accepted"


def test_pairs_and_outputs_that_nobody_sees(build: Any) -> None:
    """A third output never happens, and the first pair is of a secret that is not possible."""
    columns = {"a": [1, 0, 0], "b": [0, 1, 0], "c": ["1/2", "1/2", 0], "d": ["1/2", "1/2", 0]}
    model = build.mechanism_model(columns)
    for pairs, witness in (
        ([["s", "d"], ["s", "t"]], WITNESS),
        ([["d", "s"], ["t", "s"]], WITNESS),
        ([["s", "t"], ["s", "d"]], WITNESS),
    ):
        for kind in ("list", "hull"):
            about = relation(kind, [*SHARED, "0"])
            about["secrets"] = {"s": [0, 1], "t": [2], "d": [3]}
            about["pairs"] = pairs
            for level, outcome in (("3/2", "accepted"), ("1", "rejected"), ("4/3", "rejected")):
                document = made(build, about, level, witness)
                document["model"] = model
                document["claim"]["digest"] = build.digest_of(model)
                assert check(document).outcome == outcome, check(document)
            unbounded = {**columns, "c": ["1/2", "1/4", "1/4"]}  # once tells t from s
            document = made(build, about, "3/2", witness)
            document["model"] = build.mechanism_model(unbounded)
            document["claim"]["digest"] = build.digest_of(document["model"])
            assert "another amount" in check(document).reason


def test_every_prior_is_a_distribution(build: Any) -> None:
    for wrong in (["1/3", "0", "1/3"], ["-1/3", "2/3", "2/3"], ["1/2", "1/2"], []):
        for kind in ("list", "hull"):
            assert check(made(build, relation(kind, SURE, wrong), None)).outcome != "accepted"
            document = made(build, relation(kind, SHARED, wrong), "3/2", WITNESS)
            assert check(document).outcome != "accepted"


def test_without_priors_nothing_is_vacuous(build: Any) -> None:
    for kind in ("list", "hull", "all", "product"):
        document = made(build, relation(kind), None)
        document["claim"]["leakage"] = {"vacuous": True}
        assert check(document).outcome == "refused"
