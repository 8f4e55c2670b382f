"""Certificates that one definition implies another, made by hand; broken siblings are rejected."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import digest_of, listed, mechanism_model
from tests.checker.drafts import between, check, draft, sealed
from tests.checker.outcomes import GONE, accepted, rejected, siblings, turned

Json = dict[str, Any]

# Worlds a, b, c in a line. The first definition compares neighbours at 2, the second the ends.
LINE = listed(3, (0, 1), (1, 0), (1, 2), (2, 1))
ENDS = listed(3, (0, 2), (2, 0))
WORST = {"a": ["2/3", "1/3"], "b": ["1/3", "2/3"], "c": ["1/6", "5/6"]}


def certificate(
    mechanism: Json,
    first: Json,
    second: Json,
    evidence: Json,
    leakage: Any,
    verdict: str = "holds",
    levels: tuple[str, str] = ("2", "4"),
) -> Json:
    model = mechanism_model(mechanism)
    return draft(
        "implies",
        model,
        {"if": first, "level": {"exp_epsilon": levels[0]}, "then": second},
        evidence,
        verdict=verdict,
        level={"exp_epsilon": levels[1], "delta": "0"},
        leakage=leakage,
    )


def ends() -> Json:
    """x_a <= 2 x_b and x_b <= 2 x_c, hence x_a <= 4 x_c; and back."""
    evidence = {
        "worst": {"pair": [0, 2], "output": 0},
        "inequalities": [
            [[0, "1"], [1, "-2"]],
            [[1, "1"], [2, "-2"]],
            [[2, "1"], [1, "-2"]],
            [[1, "1"], [0, "-2"]],
        ],
        "proofs": [
            {"inequality": [[0, "1"], [2, "-4"]], "multipliers": [[0, "1"], [1, "2"]]},
            {"inequality": [[2, "1"], [0, "-4"]], "multipliers": [[2, "1"], [3, "2"]]},
        ],
    }
    return certificate(WORST, LINE, ENDS, evidence, {"exp_epsilon": "4"})


def nothing() -> Json:
    """No two worlds are compared, so that the identity is of the first definition."""
    evidence = {"worst": {"pair": [0, 2], "output": 0}, "inequalities": [], "proofs": []}
    identity = {"a": ["1", "0", "0"], "b": ["0", "1", "0"], "c": ["0", "0", "1"]}
    none = {"rule": "pairs", "distances": {}}
    return certificate(identity, none, ENDS, evidence, {"infinite": True}, "violated")


def one_way() -> Json:
    """At level 1, x_a <= x_b is an equation: both sum to 1 over the outputs."""
    evidence = {
        "worst": None,
        "inequalities": [[[0, "-1"], [1, "1"]]],
        "proofs": [{"inequality": [[1, "1"], [0, "-1"]], "multipliers": [[0, "1"]]}],
    }
    coin = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]}
    back = listed(2, (1, 0))
    first = listed(2, (0, 1))
    return certificate(coin, first, back, evidence, {"exp_epsilon": "1"}, levels=("1", "1"))


def root() -> Json:
    """Ends at distance 2: the level 2 is enough, since 2 squared is 4."""
    document = ends()
    document["relation"]["then"] = listed(3, (0, 2, "2"), (2, 0, "2"))
    document["claim"].update(leakage={"exp_epsilon": "2"})
    return document


def averages() -> Json:
    """One prior: a against b or c, half each; of every two worlds at 2 follows 2 for averages."""
    evidence = {
        "worst": {"prior": 0, "pair": ["s", "t"], "output": 0},
        "inequalities": [
            [[0, "1"], [1, "-2"]],
            [[0, "1"], [2, "-2"]],
            [[1, "1"], [0, "-2"]],
            [[2, "1"], [0, "-2"]],
        ],
        "proofs": [
            {
                "inequality": [[0, "1"], [1, "-1"], [2, "-1"]],
                "multipliers": [[0, "1/2"], [1, "1/2"]],
            },
            {
                "inequality": [[1, "1/2"], [2, "1/2"], [0, "-2"]],
                "multipliers": [[2, "1/2"], [3, "1/2"]],
            },
        ],
    }
    second = between(
        {"s": [0], "t": [1, 2]}, [["s", "t"]], {"class": "list", "priors": [["1/2", "1/4", "1/4"]]}
    )
    worst = {"a": ["2/3", "1/3"], "b": ["1/3", "2/3"], "c": ["1/3", "2/3"]}
    return certificate(worst, {"rule": "all"}, second, evidence, {"exp_epsilon": "2"})


def closure() -> Json:
    """All that can be made of two responses: the one with more truth needs the level."""
    evidence = {"worst": {"pair": [0, 1], "output": 0}, "inequalities": [], "proofs": []}
    better = {"a": ["4/5", "1/5"], "b": ["1/5", "4/5"]}
    worse = {"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}
    document = certificate(
        better, {"rule": "given"}, {"rule": "all"}, evidence, {"exp_epsilon": "4"}
    )
    given = []
    for name, columns in (("worse", worse), ("better", better)):
        model = mechanism_model(columns)
        given.append({"name": name, **{key: model[key] for key in model if key != "worlds"}})
    document["model"]["given"] = given
    document["claim"]["digest"] = digest_of(document["model"])
    document["relation"]["level"] = None
    return document


def into_cone(inside: bool = True) -> Json:
    """The row cone of a response with truth 3/4 is -3 x_a + x_b <= 0 and x_a - 3 x_b <= 0."""
    response = mechanism_model({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
    columns = {"a": ["4/5", "1/5"], "b": ["1/5", "4/5"]}
    evidence: Json = {
        "equations": [],
        "facets": [["3", "-1"], ["-1", "3"]],
        "inequalities": [[[1, "1"], [0, "-2"]], [[0, "1"], [1, "-2"]]],
        "proofs": [
            {"inequality": [[0, "-3"], [1, "1"]], "multipliers": [[0, "1"]]},
            {"inequality": [[0, "1"], [1, "-3"]], "multipliers": [[1, "1"]]},
        ],
    }
    if not inside:
        evidence = {"worst": {"payoff": {"0": ["1", "-3"]}}}
    document = certificate(
        columns, {"rule": "all"}, {"rule": "row_cone"}, evidence, None, "holds", ("2", "1")
    )
    model = document["model"] if not inside else {"worlds": ["a", "b"]}
    given = {key: response[key] for key in response if key != "worlds"}
    document["model"] = {**model, "given": [{"name": "response", **given}]}
    for key in ("level", "leakage"):
        del document["claim"][key]
    document["relation"]["level"]["exp_epsilon"] = "2" if inside else "4"
    document["claim"].update(
        digest=digest_of(document["model"]), verdict="holds" if inside else "violated"
    )
    return document


def outside_cone() -> Json:
    """Differential privacy at 4 allows more truth."""
    return into_cone(inside=False)


Columns = dict[str, list[str]]
RESPONSE = {"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}
LESS = {"a": ["2/3", "1/3"], "b": ["1/3", "2/3"]}
ERASURE = {"a": ["1/2", "0", "1/2"], "b": ["0", "1/2", "1/2"]}
IDENTITY = {"a": ["1", "0"], "b": ["0", "1"]}


def into_closure(
    first: Json, given: list[Columns], then: list[int], own: Columns | None, evidence: Json
) -> Json:
    """Whether all of the first definition, at 2 if it has a level, can be made of given ones."""
    parts = []
    for k, columns in enumerate(given):
        table = mechanism_model(columns)
        del table["worlds"]
        parts.append({"name": f"given {k}", **table})
    own_model = {"worlds": list(given[0])} if own is None else mechanism_model(own)
    model = {**own_model, "given": parts}
    verdict = "violated" if "worst" in evidence else "holds"
    level = None if "of" in first else {"exp_epsilon": "2"}
    return draft(
        "implies",
        model,
        {
            "if": first,
            "level": level,
            "then": {"rule": "post_processing", "of": then},
        },
        evidence,
        verdict=verdict,
    )


def kept(*outputs: int) -> list[Any]:
    """These outputs of the first given mechanism as they are."""
    return [[[0, output, "1"]] for output in outputs]


KEPT = kept(0, 1)
GUESS = {"payoff": {"0": ["1", "0"], "1": ["0", "1"]}}
ONE = {"sums": [["1"], ["1"]], "rays": [["1"]]}


def less_of_response() -> Json:
    """A response kept with 5/6 again; each given mechanism of the first is made so."""
    again = [[[0, 0, "5/6"], [0, 1, "1/6"]], [[0, 0, "1/6"], [0, 1, "5/6"]]]
    first = {"rule": "post_processing", "of": [1, 0]}
    return into_closure(first, [RESPONSE, LESS], [0], None, {"mixtures": [again, KEPT]})


def response_of_less() -> Json:
    """Who guesses is right with 3/4 rather than 2/3."""
    first, own = {"rule": "post_processing", "of": [1, 0]}, [[[1, o, "1"]] for o in (0, 1)]
    shown = {"worst": GUESS, "weights": own}
    return into_closure(first, [RESPONSE, LESS], [1], RESPONSE, shown)


def at_two() -> Json:
    """Differential privacy at 2, with rows in the cone of a response with truth 3/4."""
    proofs = {key: evidence(into_cone())[key] for key in into_cone()["evidence"]["witness"]}
    return into_closure(
        {"rule": "all"}, [RESPONSE], [0], RESPONSE, {**ONE, "mixtures": [KEPT], **proofs}
    )


def at_two_not() -> Json:
    """Erasure of another kind, which says something with 1/10 only."""
    rarely = {"a": ["1/10", "0", "9/10"], "b": ["0", "1/10", "9/10"]}
    return into_closure({"rule": "all"}, [rarely], [0], LESS, {"worst": GUESS})


def rows_of_erasure() -> Json:
    """All mechanisms with rows in the row cone of erasure can be made of the identity."""
    weights = [[[[0, 0, "1/2"]], [[0, 1, "1/2"]], [[0, 0, "1/2"], [0, 1, "1/2"]]]]
    first = {"rule": "row_cone", "of": [0]}
    made = {**ONE, "mixtures": [KEPT], "weights": weights}
    return into_closure(first, [ERASURE, IDENTITY], [1], IDENTITY, made)


def rows_beside_erasure() -> Json:
    """The same with erasure itself for the rows: the sums are (y, y, z), its extreme mechanisms the
    identity and the constant one."""
    made = {
        "sums": [["1", "0"], ["1", "0"], ["0", "1"]],
        "rays": [["1", "0"], ["0", "1"]],
        "mixtures": [KEPT, [[[0, 0, "1"], [0, 1, "1"]]]],
        "weights": [[[[0, o, "1"]] for o in range(3)]],
    }
    first = {"rule": "row_cone", "of": [0]}
    return into_closure(first, [ERASURE, IDENTITY], [1], ERASURE, made)


def rows_of_a_constant() -> Json:
    """The only output of a mechanism that says nothing is its only extreme mechanism."""
    silent = {"a": ["1"], "b": ["1"]}
    alone = {"sums": [["1"]], "rays": [["1"]], "weights": [[[[0, 0, "1"]]]]}
    both = [[[0, 0, "1"], [0, 1, "1"]]]
    first = {"rule": "row_cone", "of": [0]}
    return into_closure(first, [silent, IDENTITY], [1], silent, {**alone, "mixtures": [both]})


def erasure_is_less() -> Json:
    """The identity has its rows in the row cone of erasure, and cannot be made of it."""
    first = {"rule": "row_cone", "of": [0]}
    weights = [[[0, 0, "2"]], [[0, 1, "2"]]]
    return into_closure(first, [ERASURE], [0], IDENTITY, {"worst": GUESS, "weights": weights})


CLOSURES = [
    *(less_of_response, response_of_less, at_two, at_two_not),
    *(rows_of_erasure, rows_beside_erasure, rows_of_a_constant, erasure_is_less),
]


@pytest.mark.parametrize(
    "make", [ends, nothing, one_way, root, averages, closure, into_cone, outside_cone, *CLOSURES]
)
def test_good_ones(make: Callable[[], Json]) -> None:
    accepted(make())


def evidence(document: Json) -> Json:
    found: Json = document["evidence"]["witness"]
    return found


def use_worse(document: Json) -> None:
    """The mechanism with less truth as the worst one, at its own level."""
    worse = document["model"]["given"][0]
    document["model"].update(values=worse["values"], columns=worse["columns"])
    document["claim"].update(leakage={"exp_epsilon": "3"})


def made_of_itself(document: Json) -> None:
    """No payoffs, but a mixture: of both mechanisms the response can be made."""
    document["relation"]["then"]["of"] = [0]
    evidence(document)["worst"] = {"weights": KEPT}


def only_constant(document: Json) -> None:
    """Fewer sums than there are: erasure itself as the only extreme mechanism."""
    halves = [[[0, 0, "1/2"]], [[0, 1, "1/2"]], [[0, 0, "1/2"], [0, 1, "1/2"]]]
    evidence(document).update(sums=[["1"]] * 3, rays=[["1"]], mixtures=[halves])


def itself(document: Json) -> None:
    """All with rows in the row cone of erasure would be made of erasure."""
    document["relation"]["then"]["of"] = [0]
    evidence(document).update(sums=[["1"]] * 3, rays=[["1"]], mixtures=[kept(0, 1, 2)])


def none_of_it(document: Json) -> None:
    """The row cone alone has the identity."""
    document["relation"]["if"]["rule"] = "post_processing"


test_broken_siblings = siblings(
    (ends, "verdict", "claim.verdict", "violated"),
    (ends, "verdict", "level.exp_epsilon", "399/100"),
    (ends, "too small", "claim.leakage", {"exp_epsilon": "3"}),
    (ends, "too large", "claim.leakage", {"exp_epsilon": "5"}),
    (ends, "first definition", "relation.level.exp_epsilon", "19/10"),
    (ends, "another inequality", "relation.level.exp_epsilon", "3"),
    (ends, "first definition", "relation.if", ENDS),
    (ends, "not proved", "relation.then", listed(3, (0, 2), (2, 0), (1, 0))),
    (ends, "not proved", "witness.proofs.-1", GONE),
    (ends, "do not prove", "witness.proofs.0.multipliers.-1", GONE),
    (ends, "do not prove", "witness.proofs.0.multipliers", []),
    (ends, "negative", "witness.proofs.0.multipliers+", [2, "-1"]),
    (ends, "not proved", "witness.proofs.0.inequality", [[0, "1"], [2, "-5"]]),
    (ends, "another inequality", "witness.inequalities.0", [[0, "1"], [1, "-1"]]),
    (ends, "another inequality", "witness.inequalities+", [[0, "1"], [2, "-4"]]),
    (ends, "too large", "witness.worst.pair", [2, 0]),
    (ends, "", "witness.worst.pair", [0, 1]),
    (nothing, "first definition", "relation.if", LINE),
    (nothing, "too small", "claim.leakage", {"exp_epsilon": "9"}),
    (nothing, "", "witness.worst.pair", [0, 1]),
    (one_way, "another inequality", "relation.level.exp_epsilon", "2"),
    (one_way, "", "witness.inequalities", []),
    (root, "too small", "claim.leakage", {"exp_epsilon": "3/2"}),
    (root, "too small", "relation.then", ENDS),
    (averages, "not proved", "claim.leakage", {"exp_epsilon": "3"}),
    (closure, "none of the given", "model.given.-1", GONE),
    (closure, "needs a larger level", "", lambda d: use_worse(d)),
    (closure, "", "relation.level", {"exp_epsilon": "2"}),
    (closure, "", "model.given", GONE),
    (ends, "", "relation+", {"if": {"rule": "given"}, "level": None}),
    (into_cone, "verdict", "claim.verdict", "violated"),
    (into_cone, "another inequality", "relation.level.exp_epsilon", "4"),
    (into_cone, "not the facets", "witness.facets.-1", GONE),
    (into_cone, "not the facets", "witness.facets.0", ["4", "-1"]),
    (into_cone, "not proved", "witness.proofs.-1", GONE),
    (into_cone, "do not prove", "witness.proofs.0.multipliers", []),
    (into_cone, "depend", "witness.equations+", ["1", "-1"]),
    (outside_cone, "verdict", "claim.verdict", "holds"),
    (outside_cone, "first definition", "relation.level.exp_epsilon", "3"),
    (outside_cone, "", "witness.worst.payoff", {"0": ["1", "-4"]}),
    (outside_cone, "as much", "witness.worst.payoff", {"0": ["1", "-2"]}, {"1": ["1", "-3"]}, {}),
    (outside_cone, "", "witness.weights", kept(0, 1)),
    (outside_cone, "", "level", {"exp_epsilon": "1", "delta": "0"}),
    (less_of_response, "verdict", "claim.verdict", "violated"),
    (less_of_response, "another row", "relation.then.of", [1]),
    (less_of_response, "another row", "relation.if.of", [0, 1]),
    (less_of_response, "", "relation.if.of", [0, 1, 1], [], [1, 2]),
    (less_of_response, "", "relation.then.of", []),
    (less_of_response, "", "relation.if.rule", "row_cone"),
    (less_of_response, "", "witness.mixtures.-1", GONE),
    (less_of_response, "", "relation.level", {"exp_epsilon": "2"}),
    (less_of_response, "", "model+", mechanism_model(LESS)),
    (response_of_less, "verdict", "claim.verdict", "holds"),
    (response_of_less, "as much", "relation.then.of", [0]),
    (response_of_less, "", "relation.if.of", [1]),
    (response_of_less, "another row", "witness.weights.0.0.0", 0),
    (response_of_less, "", "witness.weights", GONE),
    (response_of_less, "another row", "witness.worst", {"weights": KEPT}),
    (response_of_less, "is of the second", "", made_of_itself),
    (at_two, "verdict", "claim.verdict", "violated"),
    (at_two, "another inequality", "relation.level.exp_epsilon", "4"),
    (at_two, "not the facets", "model+", mechanism_model(LESS)),
    (at_two, "not the facets", "witness.facets.-1", GONE),
    (at_two, "not proved", "witness.proofs.-1", GONE),
    (at_two, "", "witness.mixtures", []),
    (at_two, "", "witness.rays", [["2"], ["1"]]),
    (at_two, "not the same", "witness.sums", [["1"], ["2"]]),
    (at_two_not, "first definition", "relation.level.exp_epsilon", "3/2"),
    (at_two_not, "", "witness.weights", []),
    (rows_of_erasure, "", "relation.then.of", [0]),
    (rows_of_erasure, "", "witness.weights.0.-1", GONE),
    (rows_of_erasure, "", "witness.weights", []),
    (rows_of_erasure, "another row", "witness.weights.0.0.-1", GONE),
    (rows_of_erasure, "", "model+", mechanism_model(RESPONSE)),
    (rows_beside_erasure, "not the facets", "witness.rays.-1", GONE),
    (rows_beside_erasure, "not the facets", "witness.rays+", ["1", "1"]),
    (rows_beside_erasure, "", "witness.mixtures.-1", GONE),
    (rows_beside_erasure, "", "witness.mixtures", turned),
    (rows_beside_erasure, "more sums", "", only_constant),
    (rows_beside_erasure, "not the same", "witness.sums.0", turned),
    (rows_beside_erasure, "more sums", "", itself),
    (erasure_is_less, "verdict", "claim.verdict", "holds"),
    (erasure_is_less, "", "relation.if.rule", "post_processing"),
    (erasure_is_less, "", "witness.weights", GONE),
    (erasure_is_less, "", "witness.weights.-1", GONE),
    (erasure_is_less, "another row", "witness.weights.0+", [0, 2, "1"]),
    (erasure_is_less, "used unequally", "", none_of_it),
    (averages, "not proved", "relation.then.priors.priors", [["1/2", "1/3", "1/6"]]),
)


test_malformed = siblings(
    (ends, "", "relation.level", GONE, {"epsilon": "1"}, {"exp_epsilon": "1/2"}),
    (ends, "", "level.delta", "1/2"),
    (ends, "", "relation.if.distances.1/2", [[1], [], []]),
    (ends, "", "relation.if", {"rule": "unheard of"}),
    (ends, "", "witness.worst", GONE),
    (ends, "", "witness.proofs.0.multipliers+", [9, "1"]),
    (ends, "", "witness.inequalities+", [[0, "1"], [0, "-2"]], [], [["0", "1"], [1, "-2"]]),
    (ends, "", "witness.proofs+", {"inequality": [], "multipliers": []}),
)


@pytest.mark.parametrize("key", ["worlds", "given", "records", "more"])
def test_the_mechanism_shown_changes_no_other_part_of_the_model(key: str) -> None:
    document = sealed(ends())
    assert check(document).outcome == "accepted"
    document["evidence"]["mechanism"][key] = document["question"]["model"]["worlds"]
    assert check(document).outcome == "refused"


@pytest.mark.parametrize("make", [into_cone, less_of_response])
def test_a_mechanism_is_shown_only_where_it_is_looked_at(make: Callable[[], Json]) -> None:
    document = sealed(make())
    assert check(document).outcome == "accepted"
    response = mechanism_model(RESPONSE)
    document["evidence"]["mechanism"] = {k: x for k, x in response.items() if k != "worlds"}
    assert check(document).outcome == "refused"


def test_the_claim_is_pure_and_has_no_trade_off() -> None:
    """With delta, or with a trade-off, the comparison of the mechanism alone would be proved."""
    document = one_way()
    for delta in ("1/10", "1"):
        document["claim"]["level"]["delta"] = delta
        assert check(document).outcome == "refused"
    document = ends()
    document["claim"]["tradeoff"] = [["1", "1/2"]]  # of the mechanism: 2/3 - 1/6
    assert check(document).outcome == "refused"


def test_the_worst_is_outside() -> None:
    """Evidence that a mechanism is inside violates nothing."""
    inside = outside_cone()
    response = inside["model"]["given"][0]
    inside["model"].update({key: response[key] for key in ("outputs", "values", "columns")})
    inside["claim"]["digest"] = digest_of(inside["model"])
    inside["evidence"]["witness"]["worst"] = {"weights": [[[0, 0, "1"]], [[0, 1, "1"]]]}
    rejected(inside, "is of the second")
    made_of = response_of_less()
    assert made_of["claim"]["verdict"] == "violated"
    made_of["model"].update(
        {key: made_of["model"]["given"][0][key] for key in ("outputs", "values", "columns")}
    )
    made_of["relation"]["then"]["of"] = made_of["relation"]["if"]["of"] = [0]
    made_of["claim"]["digest"] = digest_of(made_of["model"])
    made_of["evidence"]["witness"]["worst"] = {"weights": KEPT}
    rejected(made_of, "is of the second")


def cube_root(level: Json) -> Json:
    """Ends at distance 3: the cube root of 4 is between 1.5874010519 and 1.587401053."""
    document = ends()
    document["relation"]["then"] = listed(3, (0, 2, "3"), (2, 0, "3"))
    bounds = {"lower": "15874010519/10000000000", "upper": "1587401053/1000000000"}
    document["claim"].update(leakage=bounds, level={**level, "delta": "0"})
    return document


def test_a_level_inside_the_bounds_is_rational() -> None:
    """Three times 0.46209812038 is above ln 4, and its power of e below the upper bound. Of an
    irrational level no inequality could be proved."""
    irrational = cube_root({"epsilon": "46209812038/100000000000"})
    rejected(irrational, "irrational")
    evidence(irrational).update(inequalities=[], proofs=[])
    rejected(irrational, "irrational")
    for level in ("15874010525/10000000000", "1587401053/1000000000", "2"):
        rational = cube_root({"exp_epsilon": level})
        cube = min(Fraction(level), Fraction("1587401053/1000000000")) ** 3
        for i, j, proof in ((0, 2, 0), (2, 0, 1)):
            evidence(rational)["proofs"][proof]["inequality"] = [[i, "1"], [j, str(-cube)]]
        accepted(rational)
        evidence(rational).update(inequalities=[], proofs=[])
        rejected(rational, "not proved")


def test_nothing_is_proved_of_no_level() -> None:
    """Where no level is claimed, or given mechanisms decide, there are no inequalities."""
    for make in (nothing, closure):
        for change in (
            {"inequalities": [[[0, "1"], [1, "-2"]]]},
            {"proofs": [{"inequality": [[0, "1"], [1, "-2"]], "multipliers": []}]},
            {"proofs": {}},
            {"inequalities": None},
        ):
            document = make()
            evidence(document).update(change)
            assert check(document).outcome == "refused"


def test_given_mechanisms_are_all_read() -> None:
    """Also those that the question is not about; and none where it is about none."""
    document = less_of_response()
    other = {**document["model"]["given"][0], "name": "other"}
    document["model"]["given"].append(other)
    document["claim"]["digest"] = digest_of(document["model"])
    accepted(document)
    document["model"]["given"][-1] = {**other, "columns": [[0, 0], [0, 0]]}
    document["claim"]["digest"] = digest_of(document["model"])
    assert check(document).outcome != "accepted"
    plain = ends()
    plain["model"]["given"] = [other]
    plain["claim"]["digest"] = digest_of(plain["model"])
    assert check(plain).outcome == "refused"


def test_rows_of_each_mechanism_are_inside() -> None:
    """The identity besides erasure; its own rows are needed whole."""
    document = rows_of_erasure()
    document["relation"]["if"]["of"] = [0, 1]
    own = [[[0, 0, "1"]], [[0, 1, "1"]]]
    evidence(document)["weights"].append(own)
    accepted(document)
    for other in ([own[0], own[0]], [own[0]], [own[0], []], [*own, own[0]]):
        evidence(document)["weights"][1] = other
        assert check(document).outcome != "accepted"
    evidence(document)["weights"] = [*evidence(rows_of_erasure())["weights"], own, own]
    assert check(document).outcome == "refused"


def test_every_sum_is_the_same_in_every_world() -> None:
    """Left and nothing are 1 in one world and 1/2 in the other; as many parts for every row."""
    document = rows_beside_erasure()
    evidence(document)["sums"][0][1] = "1"
    rejected(document, "not the same")
    for sums in (
        [["1", "0"], ["1", "0"]],
        [["1", "0"], ["1", "0"], ["0"]],
        [["1", "0"], ["1", "0"], ["0", "1"], ["0", "0"]],
        [["1", "0"], ["1", "0"], ["0", "1", "0"]],
        [],
    ):
        document = rows_beside_erasure()
        evidence(document)["sums"] = sums
        assert check(document).outcome == "refused", sums


def no_mixtures(document: Json) -> None:
    evidence(document).update(mixtures=[])


@pytest.mark.parametrize(
    ("make", "edit"),
    [
        *((make, lambda d: evidence(d).update(more=0)) for make in (ends, closure, into_cone)),
        *((make, lambda d: evidence(d).update(more=0)) for make in (outside_cone, *CLOSURES)),
        *((make, lambda d: d["relation"]["then"].update(more=0)) for make in CLOSURES),
        *((make, lambda d: d["claim"].update(steps="1")) for make in (ends, into_cone, *CLOSURES)),
        *((make, lambda d: d["relation"].update(more=0)) for make in (ends, into_cone, *CLOSURES)),
        (less_of_response, lambda d: d["relation"]["if"].update(more=0)),
        (rows_of_erasure, lambda d: d["relation"]["if"].update(more=0)),
        (less_of_response, lambda d: d["relation"]["if"].update(of=[-1])),
        (less_of_response, lambda d: (d["relation"]["if"].update(of=[]), no_mixtures(d))),
        (less_of_response, lambda d: d["relation"]["then"].update(of=[0, 0])),
        (response_of_less, lambda d: d["relation"]["if"].update(of=[1, 0, 0])),
        (less_of_response, lambda d: d["relation"].update(level={"exp_epsilon": "2"})),
        (rows_of_erasure, lambda d: d["relation"].update(level={"exp_epsilon": "2"})),
        (ends, lambda d: d["relation"]["level"].update(exp_epsilon="1/2")),
        (into_cone, lambda d: d["relation"]["level"].update(exp_epsilon="1/2")),
        (ends, lambda d: d["relation"]["level"].update(more="1/2")),
        (ends, lambda d: d["claim"]["level"].update(delta="1/2")),
        (ends, lambda d: evidence(d)["proofs"][0].update(more=0)),
        (ends, lambda d: evidence(d)["proofs"][0]["multipliers"].append([-1, "0"])),
        (ends, lambda d: evidence(d)["proofs"][0]["multipliers"].append([4, "0"])),
        (closure, lambda d: d["relation"].update(level={"exp_epsilon": "2"})),
    ],
)
def test_what_is_refused(build: Any, make: Callable[[], Json], edit: Callable[[Json], Any]) -> None:
    assert check(build.edited(make(), edit)).outcome == "refused"


def test_proofs_of_more_than_is_asked_are_checked_too() -> None:
    document = ends()
    more = {"inequality": [[0, "1"], [1, "-2"]], "multipliers": [[0, "1"]]}
    evidence(document)["proofs"].append(more)
    accepted(document)
    more["multipliers"] = [[1, "1"]]
    rejected(document, "do not prove")


def test_the_mechanism_is_of_the_first_definition() -> None:
    """In every row, of every output, and for given ones with the columns of one of them."""
    document = at_two_not()
    document["relation"]["level"]["exp_epsilon"] = "199/100"
    rejected(document, "first definition")
    document = outside_cone()
    document["relation"]["level"]["exp_epsilon"] = "399/100"
    rejected(document, "first definition")
    document["relation"]["level"]["exp_epsilon"] = "4"
    accepted(document)


def test_equations_are_proved_both_ways() -> None:
    """At level 1 all rows are in the cone of a coin, x_a = x_b."""
    coin = mechanism_model({"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]})
    document = into_cone()
    own = {key: coin[key] for key in coin if key != "worlds"}
    document["model"] = {"worlds": ["a", "b"], "given": [{"name": "coin", **own}]}
    document["claim"]["digest"] = digest_of(document["model"])
    document["relation"]["level"]["exp_epsilon"] = "1"
    both = [[[0, "1"], [1, "-1"]], [[1, "1"], [0, "-1"]]]
    proofs = [{"inequality": row, "multipliers": [[k, "1"]]} for k, row in enumerate(both)]
    shown = {"equations": [["1", "-1"]], "facets": [["1", "0"]], "inequalities": both}
    evidence(document).update(**shown, proofs=proofs)
    accepted(document)
    for one in proofs:
        evidence(document)["proofs"] = [one]
        rejected(document, "not proved")


def test_nothing_compared_is_vacuous() -> None:
    document = ends()
    document["relation"]["then"] = {"rule": "pairs", "distances": {}}
    document["claim"]["leakage"] = {"vacuous": True}
    document["evidence"]["witness"] = {"worst": None, "inequalities": [], "proofs": []}
    accepted(document)


def test_given_mechanisms_without_a_level() -> None:
    document = closure()
    identity = mechanism_model(IDENTITY)
    own = {key: identity[key] for key in ("outputs", "values", "columns")}
    document["model"].update(own)
    document["model"]["given"][1].update(own)
    document["claim"].update(
        leakage={"infinite": True}, verdict="violated", digest=digest_of(document["model"])
    )
    accepted(document)


def test_coefficients_of_0_and_signs() -> None:
    document = ends()
    evidence(document)["inequalities"][0].append([2, "0"])
    accepted(document)
    document = averages()
    evidence(document)["inequalities"].append([[0, "-1"]])  # true, but not asked
    rejected(document, "another inequality")


def with_e(level: str = "e", **parts: Any) -> Json:
    """As `ends`, at the level e: x_a <= e^2 x_c and back."""
    worst = {
        "a": ["e/(1 + e)", "1/(1 + e)"],
        "b": ["1/(1 + e)", "e/(1 + e)"],
        "c": ["1/(e + e^2)", "(-1 + e + e^2)/(e + e^2)"],
    }
    evidence = {
        "worst": {"pair": [0, 2], "output": 0},
        "inequalities": [
            [[0, "1"], [1, "-e"]],
            [[1, "1"], [2, "-e"]],
            [[2, "1"], [1, "-e"]],
            [[1, "1"], [0, "-e"]],
        ],
        "proofs": [
            {"inequality": [[0, "1"], [2, "-e^2"]], "multipliers": [[0, "1"], [1, "e"]]},
            {"inequality": [[2, "1"], [0, "-e^2"]], "multipliers": [[2, "1"], [3, "e"]]},
        ],
        **parts,
    }
    closed = {"closed": "e^2", "lower": "7389056098/1000000000", "upper": "7389056099/1000000000"}
    return certificate(worst, LINE, ENDS, evidence, closed, levels=(level, "e^2"))


def test_powers_of_e() -> None:
    accepted(with_e())
    rejected(with_e(level="e + e^(-60)"), "another inequality")
    rejected(with_e(level="e - e^(-60)"), "not of the first definition")
    missing = with_e()["evidence"]["witness"]["proofs"][:1]
    rejected(with_e(proofs=missing), "not proved")


def test_powers_of_levels_with_powers_of_e_are_not_too_long() -> None:
    """At distance d they have d times as many digits, or so."""
    document = with_e(level="(1 + 99999999999*e)/100000000000")
    document["relation"]["if"] = listed(3, (0, 1, "99999"), (1, 0))
    found = check(document)
    assert found.outcome == "refused"
    assert "a power of the level is too long" in found.reason
