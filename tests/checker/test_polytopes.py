"""Certificates of mixtures, made by hand; broken siblings are rejected."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from math import gcd
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import between, check, digest_of, draft, opened
from tests.checker.outcomes import siblings
from tests.drawing import examples
from tests.pages import example
from tests.priors.mixtures import corners as tight_systems
from verifier.checker.document import Refused, Rejected
from verifier.checker.linear import Row, corners
from verifier.checker.polytopes import check_comparison
from verifier.checker.reading import FUNCTIONS, Case, Model

Json = dict[str, Any]
F = Fraction
HAIR = F(1, 10**50)


def certificate(
    columns: Sequence[str],
    priors: Json,
    upper: list[list[Any]],
    leakage: Json,
    lower: Json | None,
    verdict: str = "holds",
    **impossible: Any,
) -> Json:
    """P(yes | w) = columns[w], no otherwise; s is the first half of the worlds, t the other."""
    values = sorted({x for p in columns for x in (F(p), 1 - F(p))})
    model = {
        "worlds": [f"w{k}" for k in range(len(columns))],
        "outputs": ["yes", "no"],
        "values": [str(x) for x in values],
        "columns": [[values.index(F(p)), values.index(1 - F(p))] for p in columns],
    }
    half = len(columns) // 2
    worlds = range(len(columns))
    return draft(
        "polytope",
        model,
        between({"s": list(worlds[:half]), "t": list(worlds[half:])}, [["s", "t"]], priors),
        {"lower": lower, "upper": upper, "impossible": impossible},
        verdict=verdict,
        level={"exp_epsilon": "1000", "delta": "0"},
        leakage=leakage,
    )


def hull(
    columns: Sequence[str],
    priors: Sequence[Sequence[str]],
    leakage: Json,
    lower: Json | None,
    verdict: str = "holds",
    alpha: str | None = None,
) -> Json:
    """All mixtures of two priors, with the proof at alpha."""
    upper = []
    for yes in (True, False) if alpha else ():
        for turned in (False, True):
            parts = []
            for weights in ([F(x) for x in prior] for prior in priors):
                chances = [F(p) if yes else 1 - F(p) for p in columns]
                half = len(columns) // 2
                first, second = (
                    (sum(weights[w] * chances[w] for w in side), sum(weights[w] for w in side))
                    for side in (range(half), range(half, 2 * half))
                )
                parts.append((*second, *first) if turned else (*first, *second))
            upper.append(pieces(parts[0], parts[1], F(alpha or 1)))
    given = {"class": "hull", "priors": [list(prior) for prior in priors]}
    return certificate(columns, given, upper, leakage, lower, verdict)


def pieces(first: Any, second: Any, alpha: Fraction) -> list[Any]:
    """Between the shares of the two priors both inequalities for (μ, ν) are equations; beyond
    them add much of (D, −B) of the prior with the smaller share, or (−D, B) of the other one."""
    low, high = sorted((first, second), key=lambda x: x[1] / (x[1] + x[3]))
    shares = [x[1] / (x[1] + x[3]) for x in (low, high)]

    def solved(p: Fraction) -> tuple[Fraction, Fraction]:
        right = [(1 - p) * a - alpha * p * c for a, _, c, _ in (low, high)]
        (_, b, _, d), (_, e, _, f) = low, high
        return (
            (right[0] * f - right[1] * d) / (b * f - e * d),
            (right[1] * b - right[0] * e) / (b * f - e * d),
        )

    def more(at: tuple[Fraction, Fraction], times: int, of: Any) -> list[str]:
        return [str(at[0] + times * of[3]), str(at[1] - times * of[1])]

    ends = [solved(p) for p in shares]
    found = [[str(shares[0]), str(shares[1]), *(list(map(str, end)) for end in ends)]]
    if shares[0]:
        found.insert(0, ["0", str(shares[0]), ["1", "0"], more(ends[0], 99, low)])
    if shares[1] < 1:
        found.append([str(shares[1]), "1", more(ends[1], -99, high), ["0", "0"]])
    return found


def attained() -> Json:
    """Two harmless priors; 1/4 of one and 3/4 of the other leak 7/10 against 9/70."""
    return hull(
        ["9/10", "1/10", "9/10", "1/10"],
        [["9/10", "0", "1/10", "0"], ["0", "1/10", "0", "9/10"]],
        {"exp_epsilon": "49/9"},
        {"pair": ["s", "t"], "output": 0, "at": ["1/4", "3/4"]},
        alpha="49/9",
    )


def limit() -> Json:
    """(2 − x) / (x + 4/5 (1 − x)) at weight x of the second: 5/2 as x falls to 0."""
    return hull(
        ["1/2", "1/2", "1/2", "1/5"],
        [["0", "0", "0", "1"], ["1/2", "0", "1/2", "0"]],
        {"exp_epsilon": "5/2"},
        {"pair": ["s", "t"], "output": 0, "between": [["1", "0"], ["0", "1"]]},
        alpha="5/2",
    )


def infinite() -> Json:
    """(2 − x) / x at weight x of the second."""
    return hull(
        ["1/2", "1/2", "1/2", "0"],
        [["0", "0", "0", "1"], ["1/2", "0", "1/2", "0"]],
        {"infinite": True},
        {"pair": ["s", "t"], "output": 0, "between": [["1", "0"], ["0", "1"]]},
        "violated",
    )


def endless_at_a_mixture() -> Json:
    """The first makes s possible, the second t: every proper mixture has 1/2 against 0."""
    return hull(
        ["1/2", "0"],
        [["1", "0"], ["0", "1"]],
        {"infinite": True},
        {"pair": ["s", "t"], "output": 0, "at": ["1/3", "2/3"]},
        "violated",
    )


def enclosed() -> Json:
    """81u² + 114uv + 8v² over 81u² + 66uv + 8v²: (137 − 48 √2) / 49 = 1.41056630625…"""
    return hull(
        ["9/10", "1/10", "9/10", "1/10"],
        [["1/2", "0", "1/2", "0"], ["0", "1/3", "0", "2/3"]],
        {"lower": "1410566306/1000000000", "upper": "1410566307/1000000000"},
        {"pair": ["s", "t"], "output": 0, "between": [["1", "0"], ["0", "1"]]},
        alpha="1410566307/1000000000",
    )


def harmless() -> Json:
    """Yes never happens, and no always."""
    return hull(
        ["0", "0", "0", "0"],
        [["1/2", "0", "1/2", "0"], ["1/4", "0", "0", "3/4"]],
        {"exp_epsilon": "1"},
        {"pair": ["s", "t"], "output": 0, "at": ["1", "0"]},
        alpha="1",
    )


def vacuous() -> Json:
    """s is impossible."""
    good = hull(["1", "0"], [["0", "1"], ["0", "1"]], {"vacuous": True}, None)
    good["evidence"]["witness"]["impossible"] = {"s": []}
    return good


def box() -> Json:
    """P(w0) <= P(w1): P(yes | s) is in [1/4, 1/2], P(yes | t) = 1/4. Each bound is the largest
    P(output | s) at p = 0 and −2 times the smallest P(output | t) at p = 1."""
    row = {"sense": "<=", "coefficients": {"1": [0], "-1": [1]}}
    return certificate(
        ["3/4", "1/4", "1/4", "1/4"],
        {"class": "constraints", "rows": [row]},
        [
            [["0", "1", ["1/4", "1/2", "0"], ["0", "0", "-1/2"]]],
            [["0", "1", ["0", "1/4", "0"], ["0", "0", "-1/2"]]],
            [["0", "1", ["0", "3/4", "0"], ["0", "0", "-3/2"]]],
            [["0", "1", ["0", "3/4", "0"], ["1/2", "0", "-1"]]],
        ],
        {"exp_epsilon": "2"},
        {"pair": ["s", "t"], "output": 0, "at": ["1/4", "1/4", "1/2", "0"]},
    )


def nothing_but_zero() -> Json:
    """P(w0) + P(w1) <= 0."""
    row = {"sense": "<=", "coefficients": {"1": [0, 1]}}
    given = {"class": "constraints", "rows": [row]}
    return certificate(["1", "1", "0", "0"], given, [], {"vacuous": True}, None, s=["1"])


def with_delta() -> Json:
    """As box with δ = 1/4: A = P(s, yes) − P(s)/4 is 1/4 at most, so the level is 1; events {yes},
    {no}, {yes, no}."""
    good = box()
    good["claim"] |= {
        "level": {"exp_epsilon": "1", "delta": "1/4"},
        "leakage": {"exp_epsilon": "1"},
    }
    good["evidence"]["witness"] |= {
        "lower": {"pair": ["s", "t"], "outputs": [0], "at": ["1", "1", "1", "1"]},
        "upper": [
            [["0", "1", ["1/4", "1/4", "0"], ["0", "0", "-1/4"]]],
            [["0", "1", ["0", "0", "0"], ["0", "0", "0"]]],
            [["0", "1", ["0", "1/2", "0"], ["0", "0", "-3/4"]]],
            [["0", "1", ["0", "1/2", "0"], ["1/4", "0", "-1/2"]]],
            [["0", "1", ["0", "3/4", "0"], ["0", "0", "-1"]]],
            [["0", "1", ["0", "3/4", "0"], ["0", "0", "-1"]]],
        ],
    }
    return good


def by_corners() -> Json:
    """The same by the corners 1100, 0100, 0011 of P(w0) <= P(w1), P(w2) = P(w3). From the first to
    the last f is u v (1 − 1/2 − 1/4·2) = 0 for yes, in the other order for no, so that δ = 1/4 is
    needed; cut or not."""
    good = with_delta()
    equal = {"sense": "=", "coefficients": {"1": [2], "-1": [3]}}
    good["relation"]["priors"]["rows"].append(equal)
    del good["evidence"]["witness"]["upper"]
    good["evidence"]["witness"]["cuts"] = [[[0, 2, ["1/3", "1/2"]]], []]
    return good


def of_one_corner() -> Json:
    """One prior alone, which gives yes the same probability in all worlds."""
    good = hull(["1/3"] * 4, [["1/4"] * 4], {"exp_epsilon": "1"}, {**PAIR, "at": ["1"]})
    del good["evidence"]["witness"]["upper"]
    good["evidence"]["witness"]["cuts"] = [[], []]
    return good


GOOD = [attained, limit, infinite, endless_at_a_mixture, enclosed, vacuous, box, with_delta]
GOOD += [nothing_but_zero, harmless, by_corners, of_one_corner]


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_made_by_hand(make: Any) -> None:
    assert check(make()).outcome == "accepted", check(make())


def outcome(document: Json, path: str, value: Any) -> str:
    """After one edit."""
    edited = deepcopy(document)
    *parents, last = path.split(".")
    place: Any = edited
    for key in parents:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    return check(edited).outcome


CUTS = "evidence.witness.cuts"
LEVEL = "claim.level"
LEAKAGE = "claim.leakage"
LOWER = "evidence.witness.lower"
UPPER = "evidence.witness.upper"
IMPOSSIBLE = "evidence.witness.impossible"


PAIR = {"pair": ["s", "t"], "output": 0}


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_other_claims_are_rejected(make: Any) -> None:
    good = make()
    other = {"holds": "violated", "violated": "holds"}[good["claim"]["verdict"]]
    assert outcome(good, "claim.verdict", other) == "rejected"
    assert outcome(good, "claim.digest", "sha256:" + "0" * 64) == "rejected"
    forms = [{"infinite": True}, {"vacuous": True}, {"exp_epsilon": "1"}, {"exp_epsilon": "49/8"}]
    if "exp_epsilon" in good["claim"]["leakage"]:
        found = F(good["claim"]["leakage"]["exp_epsilon"])
        forms += [{"exp_epsilon": str(found + HAIR)}]
        forms += [{"exp_epsilon": str(found - HAIR)}]
    for form in forms:
        if form != good["claim"]["leakage"]:
            assert outcome(good, LEAKAGE, form) != "accepted", form
    if good["evidence"]["witness"]["lower"]:
        assert outcome(good, LOWER, None) != "accepted"
        assert outcome(good, LOWER + ".pair", ["s", "s"]) == "rejected"


SWAPPED = [["0", "1", ["0", "0", "-1/2"], ["1/4", "1/2", "0"]]]
BELOW = {"lower": "1410566305/1000000000", "upper": "1410566306/1000000000"}
ABOVE = {"lower": "1410566307/1000000000", "upper": "1410566308/1000000000"}


test_broken_siblings_are_rejected = siblings(
    (attained, "rejected", "witness.lower.at", ["1/3", "2/3"], ["1", "0"], ["0", "0"]),
    (attained, "rejected", "witness.lower.at", ["5/4", "-1/4"]),
    (attained, "rejected", "witness.lower", {**PAIR, "between": [["1", "0"], ["0", "1"]]}),
    (
        attained,
        "rejected",
        "witness.lower",
        {**PAIR, "between": [["1/4", "3/4"], ["1/4", "3/4"]], "output": 1},
    ),
    (attained, "rejected", "witness.upper.0", []),
    (attained, "rejected", "witness.upper.0.0.1", "1/9"),
    (attained, "rejected", "witness.upper.0.1.1", "8/10"),
    (attained, "rejected", "witness.upper.0.0.2", ["0", "0"]),
    (attained, "rejected", "witness.upper.0.2.3", ["0", "-1"]),
    (attained, "rejected", "witness.upper.0.1.2.0", "76/100"),
    (attained, "rejected", "witness.impossible", {"s": []}),
    (limit, "rejected", "witness.lower.between", [["0", "1"], ["1", "0"]]),
    (limit, "rejected", "witness.lower.between", [["1", "0"], ["1", "0"]]),
    (limit, "rejected", "witness.lower", {**PAIR, "at": ["1", "0"]}),
    (limit, "rejected", "witness.upper.0.1.0", "1/3"),
    (infinite, "rejected", "witness.lower.between", [["0", "1"], ["1", "0"]]),
    (infinite, "rejected", "witness.lower.between", [["0", "1"], ["0", "1"]]),
    (infinite, "rejected", "witness.lower", {**PAIR, "at": ["1", "0"]}),
    (endless_at_a_mixture, "rejected", "witness.lower.at", ["0", "1"]),
    (enclosed, "rejected", "witness.lower.between", [["0", "1"], ["0", "1"]]),
    (enclosed, "rejected", "claim.leakage", BELOW, ABOVE),
    (attained, "rejected", "relation.priors.priors", [["1/3", "1/3", "0", "0"]] * 2),
    (attained, "rejected", "relation.priors.priors", [["4/3", "-1/3", "0", "0"]] * 2),
    (vacuous, "rejected", "relation.priors.priors.1", ["1/2", "1/2"]),
    (vacuous, "rejected", "witness.impossible", {}),
    (nothing_but_zero, "rejected", "witness.impossible.s", ["1/2"]),
    (nothing_but_zero, "rejected", "relation.priors.rows.0.coefficients", {"1": [0]}),
    (box, "rejected", "witness.upper.0.0.2.0", "-1/4", "1/5"),
    (box, "rejected", "witness.upper.0.0.2", ["1/4", "49/100", "0"]),
    (box, "rejected", "witness.upper.0.0.3", ["0", "0", "-51/100"]),
    (box, "rejected", "witness.upper.0", SWAPPED),
    (box, "rejected", "witness.upper.3.0.3", ["-1/2", "0", "-1"]),
    (box, "rejected", "witness.lower.at", ["1/3", "1/6", "1/2", "0"]),
    (box, "rejected", "relation.priors.rows.0.coefficients", {"1": [1], "-1": [0]}),
    (box, "rejected", "relation.priors.rows.0.coefficients", {"1": [0], "-2": [1]}),
    (with_delta, "rejected", "level.delta", "1/5", "0"),
    (with_delta, "rejected", "witness.lower.at", ["1", "1", "0", "0"]),
    (with_delta, "rejected", "witness.upper.5.0.3", ["0", "0", "-1/2"]),
    (by_corners, "rejected", "level.delta", "249/1000"),
    (by_corners, "rejected", "relation.priors.rows.0.coefficients", {"1": [1], "-1": [0]}),
    (by_corners, "rejected", "witness.cuts.0.0.2", ["1/2", "1/3"], ["0", "1/3"], ["1/3", "1"]),
    (by_corners, "rejected", "witness.cuts.0.0.2", ["1/3", "1/3"]),
)


test_broken_siblings_are_not_accepted = siblings(
    (attained, "", "witness.lower.at", ["1/4"]),
    (attained, "", "witness.lower.output", 2),
    (attained, "", "witness.lower.between", [["1/4", "3/4"]]),
    (attained, "", "witness.lower", []),
    (limit, "", "witness.lower.between", [["1", "0"]], [["1", "0"]] * 3),
    (attained, "", "level", {"exp_epsilon": "1000", "delta": "1/2"}),
    (attained, "", "relation.priors", {"class": "list", "priors": [["1/4"] * 4]}),
    (attained, "", "relation.priors.priors", []),
    (attained, "", "relation.priors.priors.0", ["1/2", "1/2"]),
    (attained, "", "relation", {"rule": "all"}),
    (enclosed, "", "claim.leakage", {"lower": "7/5", "upper": "8/5"}, {"lower": "2", "upper": "1"}),
    (attained, "", "witness.upper", []),
    (box, "", "witness.upper", []),
    (box, "", "witness.upper.0.0", ["0", "1", ["1/4", "1/2", "0"]]),
    (box, "", "witness.upper.0.0.2", ["1/4", "1/2"], ["1/4", "0", "1/2", "0"]),
    (box, "", "relation.priors.rows.0.sense", ">=", "<"),
    (box, "", "relation.priors.rows.0.coefficients", {"1": [0], "01": [1]}),
    (box, "", "relation.priors.rows.0.coefficients", {"1/2": [0], "-1": [1]}),
    (box, "", "relation.priors.rows.0.coefficients", {"1": [4], "-1": [1]}),
    (box, "", "relation.priors.rows", []),
    (infinite, "", "witness.upper", [[]]),
    (vacuous, "", "witness.upper", [[]]),
    (vacuous, "", "witness.lower", {**PAIR, "at": ["1", "0"]}),
    (box, "", "relation.priors.class", "cone"),
    (box, "", "relation.rule", "influence"),
    (attained, "", "relation.rule", "influence"),
    (with_delta, "", "witness.lower.outputs", [2], 0),
    (by_corners, "", "witness.cuts", [], [[]], [[], [], []]),
    (by_corners, "", "witness.cuts.0", [[2, 0, []]], [[0, 0, []]], [[0, 3, []]]),
    (by_corners, "", "witness.cuts.0", [[0, 1, []], [0, 1, []]], [[0, 1]]),
    (by_corners, "", "witness.upper", []),
    (by_corners, "", "relation.priors.rows.0.coefficients", {"1": [0, 1, 2, 3]}),
)


@pytest.mark.parametrize("make", [attained, limit, enclosed, box, with_delta])
def test_nothing_can_be_left_out(make: Any) -> None:
    """Neither a cell nor a piece."""
    good = make()
    upper = good["evidence"]["witness"]["upper"]
    for at, found in enumerate(upper):
        assert outcome(good, UPPER, [*upper[:at], *upper[at + 1 :]]) != "accepted"
        for k in range(len(found)):
            assert outcome(good, f"{UPPER}.{at}", [*found[:k], *found[k + 1 :]]) == "rejected"


@pytest.mark.parametrize(
    ("make", "level", "verdict"),
    [
        (attained, {"exp_epsilon": "49/9"}, "holds"),
        (attained, {"exp_epsilon": str(F(49, 9) - HAIR)}, "violated"),
        (attained, {"epsilon": "1695/1000"}, "holds"),  # ln(49/9) = 1.69459…
        (attained, {"epsilon": "1694/1000"}, "violated"),
        (limit, {"exp_epsilon": "5/2"}, "holds"),
        (limit, {"epsilon": "9/10"}, "violated"),
        (enclosed, {"exp_epsilon": "1410566307/1000000000"}, "holds"),
        (enclosed, {"exp_epsilon": "1410566305/1000000000"}, "violated"),
        (infinite, {"epsilon": "1000"}, "violated"),
    ],
)
def test_levels(make: Any, level: Json, verdict: str) -> None:
    good = make()
    good["claim"] |= {"level": {**level, "delta": "0"}, "verdict": verdict}
    assert check(good).outcome == "accepted", check(good)
    wrong = {"holds": "violated", "violated": "holds"}[verdict]
    assert outcome(good, "claim.verdict", wrong) == "rejected"


@pytest.mark.parametrize("verdict", ["holds", "violated"])
def test_a_level_inside_the_bounds_proves_nothing(verdict: str) -> None:
    good = enclosed()
    good["claim"]["level"] = {"exp_epsilon": "14105663065/10000000000", "delta": "0"}
    good["claim"]["verdict"] = verdict
    assert check(good).outcome == "rejected"


@pytest.mark.parametrize(
    "prior",
    [
        ["9/10", "0", "2/10", "-1/10"],
        ["-1/10", "1/10", "9/10", "1/10"],
        ["9/10", "0", "1/5", "0"],
        ["9/20", "0", "1/20", "0"],
        ["0", "0", "0", "0"],
        ["9/10", "0", "1/10"],
    ],
)
def test_weights_of_a_hull_are_priors(prior: list[str]) -> None:
    """A multiple of a good one would do no harm to the proof, but is none either."""
    for at in (0, 1):
        document = attained()
        document["relation"]["priors"]["priors"][at] = prior
        verdict = check(document)
        assert verdict.outcome == "rejected" and "no distribution" in verdict.reason, verdict


PAGE = ["1/4", "1/2", "0"], ["0", "0", "-1/2"]  # multipliers at the ends, of the page's example


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [[]],
        [["0", "1", PAGE[0]]],
        [["0", "1", ["0", "0", "0"], PAGE[1]]],  # at the first end nothing is proved
        [["0", "1", PAGE[0], ["0", "0", "0"]]],
        [["1/2", "1", PAGE[0], PAGE[1]]],
        [["0", "1/2", PAGE[0], PAGE[1]]],
        [["1", "1", PAGE[1], PAGE[1]]],
        [["0", "0", PAGE[0], PAGE[0]]],
        [["1", "0", PAGE[1], PAGE[0]]],
        [["0", "1", PAGE[0], PAGE[1]], ["0", "1", PAGE[0], PAGE[1]]],
        [["0", "0", PAGE[0], PAGE[0]], ["1", "1", PAGE[1], PAGE[1]]],
    ],
)
def test_pieces_cover_all_shares(pieces: list[Any]) -> None:
    document = opened(example("polytope"))
    assert document["evidence"]["witness"]["upper"][0] == [["0", "1", *map(list, PAGE)]]
    assert check(document).outcome == "accepted"
    document["evidence"]["witness"]["upper"][0] = pieces
    assert check(document).outcome != "accepted"


def rare(leakage: str, forged: list[Any]) -> Json:
    """P(yes | s) = 1/10 against 1/100. At p = 0 the first ends say A <= 1/10 B, at p = 1 the last
    ones -2 C <= -1/50 D; so on for the other cells, at any level from 2 on."""
    ends = [("1/10", "-1/50"), ("1/100", "-1/5"), ("9/10", "-99/50"), ("99/100", "-9/5")]
    upper: list[Any] = [[["0", "1", [mu, "0"], ["0", nu]]] for mu, nu in ends]
    upper[0] = forged
    witness = {"pair": ["s", "t"], "output": 0, "at": ["1"]}
    given = {"class": "hull", "priors": [["1/2", "1/2"]]}
    return certificate(["1/10", "1/100"], given, upper, {"exp_epsilon": leakage}, witness)


def test_multipliers_at_the_ends_have_a_sign() -> None:
    """A level of 10 is needed. A positive mu at p = 1, or nu at p = 0, would prove 2."""
    accepted_at_ten = rare("10", [["0", "1", ["1/10", "0"], ["0", "-1/10"]]])
    assert check(accepted_at_ten).outcome == "accepted"
    for forged in (
        ["0", "1", ["1/10", "0"], ["1/2", "-1/10"]],
        ["0", "1", ["1/10", "0"], ["100", "-100"]],
        ["0", "1", ["-2/5", "1/2"], ["0", "-1/50"]],
        ["0", "1", ["-100", "101"], ["0", "-1/50"]],
        ["0", "1", ["1/10", "0"], ["0", "-1/50"]],
        ["0", "1", ["1/10", "-1/200"], ["0", "-1/50"]],
    ):
        verdict = check(rare("2", [forged]))
        assert verdict.outcome == "rejected" and "too small" in verdict.reason, forged


def test_every_secret_said_to_be_impossible_is() -> None:
    document = vacuous()
    for name, multipliers in (("t", []), ("t", ["0"]), ("u", [])):
        document["evidence"]["witness"]["impossible"] = {"s": [], name: multipliers}
        assert check(document).outcome != "accepted"
    document["evidence"]["witness"]["impossible"] = {"s": ["0"]}
    assert check(document).outcome == "refused"  # there are no rows to multiply


def test_equations_hold_exactly() -> None:
    """P(w0) = P(w1), as the point of the box has it; less is no prior."""
    document = box()
    document["relation"]["priors"]["rows"][0]["sense"] = "="
    assert check(document).outcome == "accepted"
    for point in (["1/8", "3/8", "1/2", "0"], ["1/4", "1/4", "3/4", "-1/4"]):
        document["evidence"]["witness"]["lower"]["at"] = point
        verdict = check(document)
        assert verdict.outcome == "rejected" and "no prior" in verdict.reason


def test_what_never_happens_needs_no_level() -> None:
    """Between the two priors yes has 0 against 0."""
    ends = {"pair": ["s", "t"], "output": 0, "between": [["1", "0"], ["0", "1"]]}
    priors = [["0", "0", "0", "1"], ["1/2", "0", "1/2", "0"]]
    document = hull(["0"] * 4, priors, {"exp_epsilon": "5"}, ends, alpha="5")
    document["claim"]["leakage"] = {"exp_epsilon": "5"}
    verdict = check(document)
    assert verdict.outcome == "rejected" and "too large" in verdict.reason, verdict
    endless = hull(["0"] * 4, priors, {"infinite": True}, ends, "violated")
    assert check(endless).outcome == "rejected"


def test_rows_are_at_most_0_with_integers() -> None:
    """The same class with a row >= 0 and negative multipliers, or with halves, is not read."""
    for sense, coefficients, factor in (
        ("<=", {"1": [0], "-1": [1]}, 1),
        (">=", {"-1": [0], "1": [1]}, -1),
        ("<=", {"1": [0], "-1": [1], "1/2": [2]}, 1),
        ("<=", {"1": [0], "-1": [1], "0/1": [2]}, 1),
    ):
        document = box()
        row = document["relation"]["priors"]["rows"][0]
        row.update(sense=sense, coefficients=coefficients)
        for ((_, _, *ends),) in document["evidence"]["witness"]["upper"]:
            for multipliers in ends:
                multipliers[0] = str(factor * F(multipliers[0]))
        good = (sense, len(coefficients)) == ("<=", 2)
        assert check(document).outcome == ("accepted" if good else "refused")


def test_multipliers_are_exact() -> None:
    """Half of 2 P(w0) + 2 P(w1) <= 0; anything less does not do."""
    document = nothing_but_zero()
    document["relation"]["priors"]["rows"][0]["coefficients"] = {"2": [0, 1]}
    for y, outcome_ in (("1/2", "accepted"), ("499/1000", "rejected"), ("-1/2", "rejected")):
        document["evidence"]["witness"]["impossible"]["s"] = [y]
        assert check(document).outcome == outcome_


E_CLOSED = {"closed": "e", "lower": "2718281828/1000000000", "upper": "2718281829/1000000000"}
TOLD = ("e/(1 + e)", "1/(1 + e)")  # P(yes) in s and t, so that e is the level for all priors


def told(alpha: Any = E_CLOSED, *bounds: str, priors: Any = None, **parts: Any) -> Json:
    """Bounds of P(yes | s), P(yes | t), P(no | s), P(no | t), each proved to be at most e times the
    other one of yes or no."""
    values = sorted({"e/(1 + e)", "1/(1 + e)"}, reverse=False)
    upper = [
        [["0", "1", [bound, "0"], ["0", f"-{bound}"]]] for bound in bounds or (*TOLD, *TOLD[::-1])
    ]
    found = certificate(
        ["1/2", "1/2"], priors or {"class": "constraints", "rows": []}, upper, alpha, None
    )
    found["model"] |= {"values": values, "columns": [[1, 0], [0, 1]]}
    found["evidence"]["witness"]["lower"] = {
        "pair": ["s", "t"],
        "output": 0,
        "at": ["1/2", "1/2"],
    } | parts
    found["claim"]["digest"] = digest_of(found["model"])
    return found


def test_powers_of_e() -> None:
    """All priors on a bit that is told with odds e : 1; the bounds are identities."""
    assert check(told()).outcome == "accepted", check(told()).reason
    assert check(told(at=["1/(1 + e)", "e/(1 + e)"])).outcome == "accepted"
    assert check(told(at=["1", "-e^(-60)"])).outcome == "rejected"
    assert check(told(at=["0", "1"])).outcome == "rejected"
    assert check(told(output=1)).outcome == "rejected"
    mixed = told()
    mixed["relation"]["priors"] = {
        "class": "constraints",
        "rows": [{"sense": "<=", "coefficients": {"1": [0], "-1": [1]}}],
    }
    for pieces in mixed["evidence"]["witness"]["upper"]:
        for piece in pieces:
            piece[2].insert(0, "0")
            piece[3].insert(0, "0")
    assert check(mixed).outcome == "accepted"
    mixed["evidence"]["witness"]["upper"][0][0][2][0] = "-e^(-60)"
    assert check(mixed).outcome == "rejected"


@pytest.mark.parametrize("hair", ["+ e^(-60)", "- e^(-60)"])
def test_a_hair_beside_powers_of_e(hair: str) -> None:
    assert check(told(E_CLOSED | {"closed": f"e {hair}"})).outcome == "rejected"
    bounds = f"e/(1 + e {hair})", *TOLD[1:], *TOLD[::-1]
    assert check(told(E_CLOSED, *bounds)).outcome == "rejected"


def test_mixtures_of_priors_with_powers_of_e() -> None:
    """Of priors that allow one secret each all priors are mixtures, whatever their weights are."""
    rows = [["1/(1 + e)", "e/(1 + e)"], ["e/(1 + e)", "1/(1 + e)"]]
    bounds = [*TOLD, *TOLD[::-1]]
    found = told(E_CLOSED, *bounds, priors={"class": "hull", "priors": rows})
    assert check(found).outcome == "accepted", check(found).reason
    found = told(E_CLOSED, "1/(1 + e)", *bounds[1:], priors={"class": "hull", "priors": rows})
    assert check(found).outcome == "rejected"


@given(st.data())
@examples(40)
def test_corners_of_drawn_classes(data: st.DataObject) -> None:
    """Against the solutions of all systems of tight constraints."""
    size = data.draw(st.integers(1, 5))
    row = st.lists(st.integers(-2, 2), min_size=size, max_size=size)
    drawn = data.draw(st.lists(st.tuples(st.booleans(), row), max_size=4))
    rows = [
        Row({x: [k for k, y in enumerate(at) if y == x] for x in set(at)}, sense=-(not tight))
        for tight, at in drawn
    ]
    expected = tight_systems(size, [(tight, list(map(F, at))) for tight, at in drawn])
    found = corners(size, rows)
    assert found == sorted(found, reverse=True) and all(gcd(*x) == 1 for x in found)
    assert sorted([F(x, sum(ray)) for x in ray] for ray in found) == sorted(expected)


def test_opposite_corners_of_a_square() -> None:
    """Half on w0 or w1: four corners. Of P(w0 or w2) <= 1/2 two opposite ones have equality, and no
    corner is between the other two."""
    rows = [Row({1: [0, 1], -1: [2, 3]}, sense=0), Row({1: [0, 2], -1: [1, 3]})]
    assert corners(4, rows) == [(1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1)]


def test_what_shows_an_end_that_is_not_claimed_is_refused() -> None:
    """On a piece the leakage may be known from one side."""
    parts = opened(example("polytope"))
    known, relation, claim = parts["evidence"]["witness"], parts["relation"], parts["claim"]
    told = {key: claim[key] for key in ("definition", "verdict", "digest")}
    cases: list[Any] = [
        ({"exp_epsilon": "2"}, {}, True, False),
        ({"at_most": "2"}, {"lower": None}, True, "Rejected"),
        ({"at_least": "2"}, {"upper": []}, "Rejected", False),
    ]
    token = FUNCTIONS.set(F)
    try:
        for leakage, left, *outcomes in cases:
            for level, outcome in zip(("2", "3/2"), outcomes, strict=True):
                asked = {"level": {"exp_epsilon": level, "delta": "0"}, "leakage": leakage}
                for witness in ({**known, **left}, known):
                    case = Case({**told, **asked}, Model(parts["model"]), relation, witness)
                    try:
                        found: bool | str = check_comparison(case)
                    except (Refused, Rejected) as error:
                        found = type(error).__name__
                    assert found == ("Refused" if left and witness is known else outcome), case
    finally:
        FUNCTIONS.reset(token)
