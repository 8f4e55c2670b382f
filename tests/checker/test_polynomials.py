"""Certificates of kind polynomials, one for each family, made by hand; siblings are rejected.

All are about two bits and one output `yes`, whose probability is given for the worlds 00 to 11.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import between, check, digest_of
from tests.checker.outcomes import accepted, rejected, siblings
from verifier.checker.cuts import nowhere_positive
from verifier.checker.document import Refused
from verifier.checker.polynomials import read_value

Json = dict[str, Any]
BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
FIRST = {"s": [0, 1], "t": [2, 3]}  # the first bit is 0, or 1
AGREES = ["3/4", "1/4", "1/4", "3/4"]


def made(
    yes: list[str],
    priors: Json,
    leakage: Any,
    lower: Json | None,
    upper: Any = (),
    verdict: str = "holds",
    level: Json | None = None,
    secrets: Any = None,
) -> Json:
    columns = {f"{a}{b}": [p, _rest(p)] for (a, b), p in zip(BITS, yes, strict=True)}
    relation = between(FIRST if secrets is None else secrets, [["s", "t"]], priors)
    level = {"exp_epsilon": "10"} | (level or {})
    model = mechanism_model(columns, BITS)
    found = certificate(model, relation, leakage, verdict, None, level)
    found["claim"]["kind"] = "polynomials"
    if leakage is None:
        found["claim"]["leakage"] = None
    found["evidence"]["witness"] = {"lower": lower, "upper": list(upper)}
    return found


def _rest(p: str) -> str:
    numerator, denominator = map(int, p.split("/"))
    return f"{denominator - numerator}/{denominator}"


def at(*point: str, powers: list[int] | None = None) -> Json:
    """Output yes, s against t, along these variables."""
    powers = [0] * len(point) if powers is None else powers
    return {"pair": ["s", "t"], "outputs": [0], "point": list(point), "powers": powers}


# P(yes | s) = (x + y)²/4 / (x² + xy + y²) and P(yes | t) = 1/6, for x and y = P(0) and P(1). At
# level 2 what is to be proved is -xy(x - y)²/12 <= 0.
MIDDLE = ["1/4", "1/2", "1/6", "1/4"]
ODD = {"s": [0, 1, 3], "t": [2]}
SQUARE = {"square": [[1, 1, 0], [-1, 0, 1]], "rest": [[-1, 1, 1]], "tree": 0}
HALVES = [0, 1, 1, 1, 0, 0]  # x >= y and y >= x


def interior(tree: Any = HALVES, leakage: Any = "2", **more: Any) -> Json:
    upper = [] if tree is None else [{"pair": ["s", "t"], "outputs": [0], "tree": tree}]
    return made(MIDDLE, {"class": "iid"}, leakage, at("1", "1"), upper, secrets=ODD, **more)


def product_() -> Json:
    """The second bit is 0 for sure: 3/4 against 1/4."""
    return made(AGREES, {"class": "product"}, "3", at("1", "1", "1", "0"))


def hedging() -> Json:
    """The second bit is 0 with probability 3/4 at most: 5/8 against 3/8."""
    priors = {"class": "hedging", "weight": "1/2", "known": [[[0], "1/2"], [[1], "1/2"]]}
    secrets = {name: {"record": 0, "value": [value]} for name, value in (("s", 0), ("t", 1))}
    return made(AGREES, priors, "5/3", at("1", "0"), secrets=secrets)


def markov() -> Json:
    """The second bit is 0 with probability 1/4 to 3/4, whatever the first one: 5/8 against 3/8.
    One corner of the initial distribution, and two of each row."""
    half, wide = ["1/2", "1/2"], ["1/4", "3/4"]
    priors = {
        "class": "markov",
        "values": [[0], [1]],
        "initial": [half, half],
        "transition": [[wide, wide], [wide, wide]],
    }
    same = ["3/4", "1/4", "3/4", "1/4"]  # what is told of the second bit
    return made(same, priors, "5/3", at("1", "0", "1", "1", "0"))


def corner() -> Json:
    """Towards P(1) = 0 the ratio 1/2 : 1/4 of 00 and 10 is approached; 2 is not attained."""
    yes = ["1/2", "1/4", "1/4", "1/4"]
    return made(yes, {"class": "iid"}, "2", at("1", "1", powers=[0, 1]))


def with_delta() -> Json:
    """3/4 - 1/4 against 1/4, whether the second bit is 0 or 1."""
    yes, level = ["3/4", "3/4", "1/4", "1/4"], {"delta": "1/4"}
    return made(yes, {"class": "iid"}, "2", at("1", "1"), level=level)


GOOD = [interior, product_, hedging, markov, corner, with_delta]


@pytest.mark.parametrize("make", GOOD)
def test_good_ones_and_other_claims(make: Any) -> None:
    document = make()
    accepted(document)
    claim, witness = document["claim"], document["evidence"]["witness"]
    for leakage in ("1", "3/2", "199/100", "1000", {"infinite": True}, {"vacuous": True}):
        claim["leakage"] = leakage if isinstance(leakage, dict) else {"exp_epsilon": leakage}
        for shown in (witness, {"lower": None, "upper": []}, {**witness, "upper": []}):
            document["evidence"]["witness"] = shown
            for claim["verdict"] in ("holds", "violated"):
                smaller = leakage == "3/2" and make in (hedging, markov)
                assert check(document).outcome != "accepted", (leakage, smaller)


@pytest.mark.parametrize("make", GOOD)
@pytest.mark.parametrize("rule", ["influence", "simulator", ""])
def test_the_rule_is_of_secrets(make: Any, rule: str) -> None:
    document = make()
    document["relation"]["rule"] = rule
    assert check(document).outcome == "refused"


def test_a_square_or_two_halves_or_nothing() -> None:
    accepted(interior(SQUARE))
    accepted(interior([1, 0, 1, 1, 0, 0]))
    rejected(interior(None), "too small")
    rejected(interior(0), "too small")


@pytest.mark.parametrize(
    "tree",
    [
        1,
        -1,
        False,
        None,
        [],
        {},
        [[]],
        "0",
        [0, 1, 1, 1, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 2, 1, 1, 0, 0],
        [0, -1, 1, 1, 0, 0],
        [0, 1, 0, 1, 0, 0],
        [0, 1, 1, 0, 0, 0],
        [0, 1, 1, True, 0, 0],
        [0, 1, 2, 1, 0, 0],  # the square is 0 inside a half
        [0, 1, 1, 1, 0, 1],
        {"merge": [0, 1], "tree": 0},
        {"merge": [0, 0], "tree": 0},
        {**SQUARE, "more": 0},
        {**SQUARE, "tree": 1},
        {**SQUARE, "square": []},
        {**SQUARE, "rest": []},
        {**SQUARE, "square": [[1, 1, 0], [1, 0, 1]]},
        {**SQUARE, "square": [[1, 1, 0], [-1, 1, 0]]},
        {**SQUARE, "rest": [[1, 1, 1]]},
        {**SQUARE, "rest": [["-1", 1, 1]]},
        {**SQUARE, "rest": [[-1, 1, 1, 0]]},
        {**SQUARE, "rest": [[-1, True, 1]]},
    ],
)
def test_trees_that_prove_nothing(tree: Any) -> None:
    assert check(interior(tree)).outcome != "accepted"


def test_a_sum_of_two_variables() -> None:
    """P(yes | s) = 1/2 in any case, P(yes | t) = 1/4: what is to be proved is a multiple of
    (2 - level)·(x + y)²·…, which depends on the sum; the merged one is enough."""
    flat = ["1/2", "1/2", "1/4", "1/4"]
    whole = {"s": {"record": 0, "value": [0]}, "t": {"record": 0, "value": [1]}}
    priors = {"class": "hedging", "weight": "1", "known": [[[0], "1/2"], [[1], "1/2"]]}
    place: Json = {"pair": ["s", "t"], "outputs": [0]}
    merged = [{**place, "tree": {"merge": [0, 1], "tree": 0}}]
    accepted(made(flat, priors, "2", at("1", "1"), merged, secrets=whole))
    rejected(made(flat, priors, "19/10", at("1", "1"), merged, secrets=whole), "too small")
    uneven = corner()
    uneven["evidence"]["witness"]["upper"] = merged  # it does not depend on the sum
    rejected(uneven, "too small")


def test_bounds_may_be_wide_but_leave_the_level_outside() -> None:
    wide = {"lower": "2", "upper": "3"}
    accepted(interior(leakage=wide))
    rejected(interior(leakage=wide, level={"exp_epsilon": "5/2"}), "inside")
    accepted(interior(leakage=wide, level={"exp_epsilon": "3/2"}, verdict="violated"))
    rejected(interior(leakage={"lower": "21/10", "upper": "3"}), "too large")


def test_a_level_that_is_not_enough_without_a_leakage() -> None:
    short = {"verdict": "violated", "leakage": None}
    accepted(interior(None, level={"exp_epsilon": "199/100"}, **short))
    rejected(interior(None, level={"exp_epsilon": "2"}, **short), "does not violate")
    assert check(interior(level={"exp_epsilon": "3/2"}, **short)).outcome == "refused"
    silent = interior(None, level={"exp_epsilon": "1"}, **short)
    silent["evidence"]["witness"]["lower"] = None
    rejected(silent, "does not violate")


test_points_that_prove_nothing = siblings(
    (interior, "", "witness.lower.point", ["0", "0"], ["1", "-1"], ["1"], ["1", "1", "1"], "11"),
    (interior, "", "witness.lower.powers", [0], [0, -1], [0, True], [0, 0.0]),
    (interior, "", "witness.lower.pair", ["t", "s"], ["s", "s"], "st"),
    (interior, "", "witness.lower.outputs", [1], [0, 1], [], [False]),
    (interior, "", "witness.lower.more", 1),
)


def test_infinite_and_vacuous() -> None:
    """Without yes in t there is no level; a secret of no world is never compared."""
    yes = ["1/2", "1/2", "0/1", "0/1"]
    endless = made(yes, {"class": "iid"}, {"infinite": True}, at("1", "1"), verdict="violated")
    accepted(endless)
    endless["evidence"]["witness"]["upper"] = [{"pair": ["s", "t"], "outputs": [0], "tree": 0}]
    assert check(endless).outcome == "refused"
    nothing = made(yes, {"class": "iid"}, {"vacuous": True}, None, secrets={"s": [], "t": [2, 3]})
    accepted(nothing)
    for leakage in ({"exp_epsilon": "1"}, {"infinite": True}):
        nothing["claim"]["leakage"] = leakage
        rejected(nothing)


test_families_that_are_none = siblings(
    (hedging, "", "relation.priors.weight", "3/2", "-1/2"),
    (hedging, "", "relation.priors.known", [[[0], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1"], [[0], "1/2"], [[1], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1/2"], [[1], "1/2"], [[1], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1/2"], [[True], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1/2"], [[1.0], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1"], [[1], "1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "3/2"], [[1], "-1/2"]]),
    (hedging, "", "relation.priors.known", [[[0], "1/2"], [[1], "1/2"], [[2], "0"]]),
    (markov, "", "relation.priors.values", [[0], [0]], [[0], [True]], [[0]]),
    (markov, "", "relation.priors.transition", [[["1/4", "3/4"], ["1/4", "3/4"]]]),
    (markov, "", "relation.priors.transition", [[["1/4", "3/4"]] * 2] * 3),
    (markov, "", "relation.priors.initial", [["3/4", "1/4"], ["1/2", "1/2"]]),
    (markov, "", "relation.priors.initial", [["0", "1/4"], ["0", "1/4"]], ["01", "01"], "still"),
    (markov, "", "relation.priors.initial", [["1/2", "1/2"], ["1/2", "3/2"]]),
    (markov, "", "relation.priors.initial", [["-1/2", "1/2"], ["1/2", "1/2"]]),
    (markov, "", "relation.priors.initial", [["1/2", "1/2"], ["1/2", "1/2"], ["0", "0"]]),
)


def test_a_stationary_chain() -> None:
    """Both rows stay with 3/4: P(second = 0 | first = 0) = 3/4 against 1/4, told by 3/4 or 1/4:
    5/8 against 3/8."""
    stay = [[["3/4", "3/4"], ["1/4", "1/4"]], [["1/4", "1/4"], ["3/4", "3/4"]]]
    priors = {
        "class": "markov",
        "values": [[0], [1]],
        "initial": "stationary",
        "transition": stay,
    }
    same = ["3/4", "1/4", "3/4", "1/4"]
    accepted(made(same, priors, "5/3", at("1", "1")))
    rejected(made(same, priors, "3/2", at("1", "1")), "too small")
    rejected(made(same, priors, "2", at("1", "1")), "too large")


def test_a_negative_excess_is_no_witness() -> None:
    """yes has 1/8 in s, less than delta, and 0 in t: it needs no level, though 0 is multiplied."""
    yes, level = ["1/8", "1/8", "0/1", "0/1"], {"delta": "1/4"}
    endless: Json = {"infinite": True}
    forged = made(yes, {"class": "iid"}, endless, at("1", "1"), verdict="violated", level=level)
    rejected(forged, "proves nothing")
    forged["claim"]["leakage"] = None
    rejected(forged, "proves nothing")


@pytest.mark.parametrize(
    ("known", "outcome"),
    [
        (["1/2", "1/2"], "accepted"),
        (["1/2", "1/4"], "accepted"),
        (["0", "1"], "accepted"),
        (["1", "1/2"], "rejected"),
        (["3/2", "-1/2"], "rejected"),
    ],
)
def test_a_known_distribution_that_does_not_matter_is_one(known: list[str], outcome: str) -> None:
    """With weight 0 the other bit is as it likes: 3/4 against 1/4."""
    document = hedging()
    listed = [[[value], p] for value, p in enumerate(known)]
    document["relation"]["priors"].update(weight="0", known=listed)
    document["claim"]["leakage"] = {"exp_epsilon": "3"}
    assert check(document).outcome == outcome


def test_a_coefficient_of_one_is_positive() -> None:
    """1/2 against 1/3: 3 - 2 level for the four variables x x y y."""
    yes = ["1/2", "1/2", "1/2", "1/3"]
    ends = {"s": [0], "t": [3]}
    rejected(made(yes, {"class": "iid"}, "1", None, secrets=ends), "too small")
    accepted(made(yes, {"class": "iid"}, "3/2", at("1", "1"), secrets=ends))


def test_trees_of_what_needs_none() -> None:
    """Coefficients that are not positive need no tree; one that is no tree is none there either."""
    good = product_()
    place: Json = {"pair": ["s", "t"], "outputs": [0]}
    for tree in (0, [0, 1, 1, 1, 0, 0], [2, 3, 5, 7, 0, 0]):
        good["evidence"]["witness"]["upper"] = [{**place, "tree": tree}]
        accepted(good)
    for tree in ([0, 0, 1, 1, 0, 0], [0, 2, 1, 1, 0, 0], [3, 4, 1, 1, 0, 0], [-1, 0, 1, 1, 0, 0]):
        good["evidence"]["witness"]["upper"] = [{**place, "tree": tree}]
        assert check(good).outcome == "refused", tree
    for a, b in ((0, 1), (1, 0), (-1, 1), (1, -1), (True, 1), (1, 1.0)):
        good["evidence"]["witness"]["upper"] = [{**place, "tree": [0, 1, a, b, 0, 0]}]
        assert check(good).outcome == "refused", (a, b)
    for i, j in ((False, 1), (0, True), (0, 1.0)):
        good["evidence"]["witness"]["upper"] = [{**place, "tree": [i, j, 1, 1, 0, 0]}]
        assert check(good).outcome == "refused", (i, j)
    good["evidence"]["witness"]["upper"] = [{**place, "tree": 0}] * 2
    assert "two proofs" in check(good).reason
    good["evidence"]["witness"]["upper"] = [{**place, "outputs": [0, 1], "tree": 0}]
    assert "nothing" in check(good).reason
    other: Json = {"pair": ["t", "s"], "outputs": [0], "tree": 0}
    for listed in ([{**place, "tree": 0, "more": 0}], [{**place, "tree": 0}, {**other, "more": 0}]):
        good["evidence"]["witness"]["upper"] = listed
        assert check(good).outcome == "refused"


test_points_that_are_none = siblings(
    (product_, "refused", "witness.lower.point", ["1", "1", "0", "0"], ["0", "0", "1", "1"]),
    (product_, "refused", "witness.lower.point", ["1", "1", "-1", "2"], ["1", "1", "1"]),
    (product_, "refused", "witness.lower.powers", [0, 0, 0], [0, 0, 0, -1]),
    (product_, "refused", "witness.lower.outputs", [0, 1]),
    (product_, "refused", "witness.lower.more", 1),
)


def test_a_limit_of_high_order() -> None:
    """As in the corner, however fast P(1) falls; and towards P(0) = 0 there is 1/4 on either side.
    Where yes is impossible in t unless the second bit is 1, the ratio grows without bound."""
    for power in (1, 7, 1000):
        document = corner()
        document["evidence"]["witness"]["lower"]["powers"] = [0, power]
        accepted(document)
        document["evidence"]["witness"]["lower"]["powers"] = [power, 0]
        rejected(document, "too large")
        rows = ["1/2", "1/2", "0/1", "1/2"]
        towards = at("1", "1", powers=[0, power])
        accepted(made(rows, {"class": "iid"}, {"infinite": True}, towards, verdict="violated"))
        away = at("1", "1", powers=[power, 0])
        rejected(made(rows, {"class": "iid"}, {"infinite": True}, away, verdict="violated"))
        never = made(rows, {"class": "iid"}, "1", {**towards, "pair": ["t", "s"]})
        rejected(never, "proves nothing")


@pytest.mark.parametrize("size", ["1/1000", "1000"])
def test_a_point_of_any_size(size: str) -> None:
    """Both sides have the same degree, so that only the ratio of the variables counts."""
    for document in (interior(), corner()):
        document["evidence"]["witness"]["lower"]["point"] = [size, size]
        accepted(document)


def test_witnesses_of_nothing() -> None:
    """yes has 1/4 in s, just delta, and never happens in t; or has less than delta in s, however
    small the point is."""
    level = {"delta": "1/4"}
    just = made(["1/4", "1/4", "0/1", "0/1"], {"class": "iid"}, "1", at("1", "1"), level=level)
    rejected(just, "proves nothing")
    just["evidence"]["witness"]["lower"] = None
    accepted(just)
    yes, tiny = ["1/8", "1/8", "1/9", "1/9"], at("1/1000", "1/1000")
    rejected(made(yes, {"class": "iid"}, "1", tiny, level=level), "proves nothing")
    never = made(["0/1"] * 4, {"class": "iid"}, "1", at("1", "1"))
    rejected(never, "proves nothing")


# -(x + y - z)², which depends on x + y; with y = 0 it is 0 at x = z only
MERGED = {(2, 0, 0): -1, (1, 1, 0): -2, (0, 2, 0): -1, (1, 0, 1): 2, (0, 1, 1): 2, (0, 0, 2): -1}
CUT = [0, 2, 1, 1, 0, 0]
SPLIT = {(3, 1): -3, (2, 2): 6, (1, 3): -3}  # -3 xy (x - y)²
WHOLE = {"square": [[1, 1, 0], [-1, 0, 1]], "rest": [[-1, 1, 1]], "tree": 0}


def test_a_merged_polynomial_depends_on_the_sum() -> None:
    tree = {"merge": [0, 1], "tree": CUT}
    assert nowhere_positive(MERGED, tree, [3])
    assert nowhere_positive(MERGED, {"merge": [1, 0], "tree": [1, 2, 1, 1, 0, 0]}, [3])
    for term in [*MERGED, (3, 0, 0)]:
        for more in (-1, 1):
            other = {**MERGED, term: MERGED.get(term, 0) + more}
            still = term == (0, 0, 2) and more < 0  # one z² less
            assert nowhere_positive(other, tree, [3]) == still, (term, more)
    for term in MERGED:
        assert not nowhere_positive({m: x for m, x in MERGED.items() if m != term}, tree, [3])
    for wrong in ([0, 2], [1, 2], [0, 0], [1, 1]):
        assert not nowhere_positive(MERGED, {"merge": wrong, "tree": CUT}, [3])
    for wrong in ([0, 3], [-1, 0], [True, 0]):
        with pytest.raises(Refused):
            nowhere_positive(MERGED, {"merge": wrong, "tree": CUT}, [3])
    with pytest.raises(Refused):
        nowhere_positive(MERGED, {**tree, "more": 0}, [3])
    assert not nowhere_positive({(0, 1, 1): -1}, {"merge": [0, 0], "tree": 0}, [3])
    assert not nowhere_positive(MERGED, 0, [3])
    assert not nowhere_positive(MERGED, {"merge": [0, 1], "tree": 0}, [3])


def test_a_square_times_the_rest() -> None:
    for factor in (1, 5):
        assert nowhere_positive({m: factor * x for m, x in SPLIT.items()}, WHOLE, [2])
    assert not nowhere_positive({m: -x for m, x in SPLIT.items()}, WHOLE, [2])
    turned = {**WHOLE, "rest": [[1, 1, 1]]}
    assert not nowhere_positive(SPLIT, turned, [2])  # its rest is positive
    assert not nowhere_positive({m: -x for m, x in SPLIT.items()}, turned, [2])
    for term in [*SPLIT, (4, 0), (0, 4)]:
        for more in (-1, 1):
            other = {**SPLIT, term: SPLIT.get(term, 0) + more}
            assert not nowhere_positive(other, WHOLE, [2]), (term, more)
    for wrong in (
        {"rest": [["-1", 1, 1]]},
        {"rest": [[-1, 1]]},
        {"rest": [[-1, 1, 1, 0]]},
        {"rest": [[-1, 1, -1]]},
        {"rest": [[-1, 1, 1], [-1, 1, 1]]},
        {"rest": [[10**100000, 1, 1]]},
        {"rest": []},
        {"rest": [[0, 1, 1]]},
        {"square": []},
        {"more": 0},
    ):
        with pytest.raises(Refused):
            nowhere_positive(SPLIT, {**WHOLE, **wrong}, [2])
    assert not nowhere_positive(SPLIT, {**WHOLE, "tree": 1}, [2])
    small = {(4, 0): -1, (2, 2): 0}  # -x⁴ is no multiple of x²y²
    assert not nowhere_positive(
        small, {"square": [[1, 1, 1]], "rest": [[-1, 0, 0]], "tree": 0}, [2]
    )


def test_a_square_times_the_rest_has_no_more_terms() -> None:
    """-(x - y)² (x + y) = -x³ + x² y + x y² - y³; without a term it is not this."""
    tree = {"square": [[1, 1, 0], [-1, 0, 1]], "rest": [[-1, 1, 0], [-1, 0, 1]], "tree": 0}
    whole = {(3, 0): -1, (2, 1): 1, (1, 2): 1, (0, 3): -1}
    assert nowhere_positive(whole, tree, [2])
    for term in whole:
        assert not nowhere_positive({m: x for m, x in whole.items() if m != term}, tree, [2])


def test_intervals_of_a_value_that_never_occurs() -> None:
    """Three numbers up to 1/4 sum to no more than 3/4, so that there is no chain at all."""
    wide, never = ["1/4", "3/4"], ["0", "0"]
    document = markov()
    priors = document["relation"]["priors"]
    priors["values"] = [[0], [1], [2]]
    priors["initial"] = [*priors["initial"], never]
    priors["transition"] = [[wide, wide, never], [wide, wide, never], [["0", "1/4"]] * 3]
    document["claim"]["leakage"] = {"vacuous": True}
    document["evidence"]["witness"] = {"lower": None, "upper": []}
    rejected(document, "no distribution is within")


def test_the_entries_of_a_value() -> None:
    assert read_value([-1, 0, 7]) == (-1, 0, 7)
    for wrong in ([-2], [True], [0.0], ["0"], (0,), 0):
        with pytest.raises(Refused):
            read_value(wrong)


def test_a_chain_has_one_row_for_each_value() -> None:
    """A third row, and a variable for its only corner, would say nothing."""
    document = markov()
    accepted(document)
    document["relation"]["priors"]["transition"].append([["1/2", "1/2"], ["1/2", "1/2"]])
    document["evidence"]["witness"]["lower"].update(point=["1", "0", "1", "1", "0", "1"])
    document["evidence"]["witness"]["lower"].update(powers=[0] * 6)
    assert check(document).outcome == "refused"


def test_both_sides_of_a_ratio() -> None:
    """-(2x - 3y)(x - y) is negative at 1 and 3/2 only between these."""
    p = {(2, 0): -2, (1, 1): 5, (0, 2): -3}
    square = {(2, 0): -4, (1, 1): 12, (0, 2): -9}  # -(2x - 3y)²
    assert nowhere_positive(square, [0, 1, 3, 2, 0, 0], [2])
    assert nowhere_positive(square, [1, 0, 2, 3, 0, 0], [2])
    for tree in (
        0,
        1,
        [0, 1, 2, 3, 0, 0],
        [0, 1, 1, 1, 0, 0],
        [0, 1, 3, 2, 1, 0],
        [0, 1, 3, 2, 0, 1],
    ):
        assert not nowhere_positive(square, tree, [2]), tree
        assert not nowhere_positive(p, tree, [2]), tree
    assert not nowhere_positive({(1, 0): 1}, 0, [2])
    assert nowhere_positive({(1, 0): -1, (0, 1): 0}, 0, [2])
    for wrong in ([0, 0, 3, 2, 0, 0], [0, 2, 3, 2, 0, 0], [-1, 0, 3, 2, 0, 0]):
        with pytest.raises(Refused):
            nowhere_positive(square, wrong, [2])
    with pytest.raises(Refused):
        nowhere_positive({(1, 1): 1}, [0, 1, 1, 1, 0, 0], [1, 1])  # two distributions


def by_factors(document: Json, leakage: Any, yes: list[str] | None = None) -> str:
    """The outcome without trees, where coefficients alone are to prove the level."""
    found = deepcopy(document)
    found["evidence"]["witness"] |= {"upper": None}
    if yes is not None:
        columns = {f"{a}{b}": [p, _rest(p)] for (a, b), p in zip(BITS, yes, strict=True)}
        found["model"] = mechanism_model(columns, BITS)
        found["claim"]["digest"] = digest_of(found["model"])
    given = leakage if isinstance(leakage, dict) else {"exp_epsilon": leakage}
    found["claim"]["leakage"] = given
    return check(found).outcome


def test_coefficients_that_prove_the_level() -> None:
    """Of the second bit u, v are the chances of 0 and 1: (3u + v)/4 <= 3 (u + 3v)/4, term by term,
    once what divides P(s), and P(t), is left out."""
    for yes in (AGREES, ["3/4", "1/2", "1/4", "3/4"], ["3/4", "3/4", "1/4", "3/4"]):
        for leakage, outcome in (("3", "accepted"), ("2", "rejected"), ("4", "rejected")):
            assert by_factors(product_(), leakage, yes) == outcome
    other = made(AGREES[::-1], {"class": "product"}, "3", at("1", "1", "0", "1"))
    turned = made(["1/4", "3/4", "3/4", "1/4"], {"class": "product"}, "3", at("1", "1", "0", "1"))
    for document in (product_(), turned):
        assert by_factors(document, "3") == "accepted"
        assert by_factors(document, "29/10") == "rejected"
    assert by_factors(other, "3") == "rejected"  # the witness is about the other value


def test_coefficients_prove_less_than_trees() -> None:
    """P(yes, s) <= P(s)/2 and P(t) <= 6 P(yes, t): 3, though the level is 2."""
    accepted(interior())
    assert by_factors(interior(), "2") == "rejected"
    assert by_factors(interior(), {"lower": "2", "upper": "3"}) == "accepted"
    for upper in ("29/10", "2999999999/1000000000"):
        assert by_factors(interior(), {"lower": "2", "upper": upper}) == "rejected"
    half = ["1/4", "1/4", "1/6", "1/2"]  # the last coefficient is the largest, not the middle one
    for yes in (half, ["1/2", "1/4", "1/6", "1/4"]):
        document = interior()
        document["evidence"]["witness"]["lower"] = None
        assert by_factors(document, {"lower": "1", "upper": "3"}, yes) == "accepted"
        assert by_factors(document, {"lower": "1", "upper": "29/10"}, yes) == "rejected"


def test_an_output_that_nobody_gives() -> None:
    """Nothing is proved of it, as nothing is to be: the other one is certain."""
    never = made(["0/1"] * 4, {"class": "iid"}, "1", None, secrets=ODD)
    assert by_factors(never, "1") == "accepted"
    some = ["0/1", "0/1", "1/9", "0/1"]
    assert by_factors(never, "1", some) == "rejected"
    assert by_factors(never, {"lower": "1", "upper": "1000000"}, some) == "rejected"
    assert by_factors(never, {"lower": "1", "upper": "9/8"}, ["0/1", "1/9", "0/1", "0/1"]) == (
        "rejected"
    )


def test_terms_that_the_other_side_does_not_have() -> None:
    """Where the second bit is 1 for sure, yes is certain given t, and impossible given s."""
    endless = ["1/2", "0/1", "1/2", "1/1"]
    found = made(endless, {"class": "product"}, "2", None)
    for upper in ("2", "1000000"):
        assert by_factors(found, {"lower": "1", "upper": upper}) == "rejected"
