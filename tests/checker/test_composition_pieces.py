"""Certificates of kind pieces about conditions for composition, and siblings broken by hand.

D has both outputs with 1/2, u has p and 1 - p, v the other way round. u and v need 2p. Half of each
shows that D needs 1/(2 √(p(1 - p))), which is more from 0.9196 on, and 2 at (2 + √3)/4, a root of
16 p² - 16 p + 1 near 0.933.

Where the best weights change with the parameter, powers are compared by bounds of logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.outcomes import siblings
from tests.checker.test_pieces import Json, broken, pieces, shown, written
from verifier.checker import signs
from verifier.checker.numbers import functions_on, read_function
from verifier.checker.signs import Spot, is_above_one
from verifier.checker.sturm import Real

FILE = """
parameters: {p: 1/2 < p < 1}
worlds: [d, u, v]
secrets: {s: [d], t: [u, v]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], d: [1/2, 1/2], u: [p, 1-p], v: [1-p, p]}}
priors: PRIORS
checks: [{composition: {exp_epsilon: 2}}]
"""


@cache
def made(priors: str = "{list: [uniform]}") -> Json:
    """The certificate of a file."""
    with TemporaryDirectory() as folder:
        (found,) = written(FILE.replace("PRIORS", priors), Path(folder))
    return found


@cache
def sided() -> Json:
    """The same where in place of the root only is said on which side of the level it is. With 2 as
    the geometric mean of the root's square and 1, a weighted harmonic one is below the root."""
    found = deepcopy(made())
    for piece, evidence in zip(pieces(found), shown(found), strict=True):
        if "root" in piece["leakage"] and piece["verdict"] == "holds":
            piece["leakage"] = {"at_most": "2"}
        elif "root" in piece["leakage"]:
            piece["leakage"] = {"at_least": "4/(1 + 16*p - 16*p^2)"}
            evidence["witness"]["upper"] = None
    return found


def witness(document: Json, at: int) -> Any:
    return shown(document)[at]["witness"]


def lower(document: Json, at: int) -> Any:
    return witness(document, at)["lower"]


def place(side: str) -> int:
    """Of the first piece with a leakage from one side."""
    return next(k for k, piece in enumerate(pieces(sided())) if side in piece["leakage"])


EXACT, MOST, LEAST = (place(key) for key in ("exp_epsilon", "at_most", "at_least"))


def covering(document: Json, at: int, beta: Any) -> None:
    """Other weights for D."""
    witness(document, at)["upper"][0][0][1] = [beta]


test_siblings = siblings(
    (sided, "refused", "", lambda d: pieces(d)[EXACT].update(leakage={"exp_epsilon": "p"})),
    (sided, "rejected", "", lambda d: pieces(d)[EXACT].update(leakage={"exp_epsilon": "3*p"})),
    (sided, "refused", "", lambda d: witness(d, EXACT).update(upper=None)),
    (sided, "refused", "", lambda d: witness(d, MOST).update(upper=None)),
    (sided, "rejected", "", lambda d: witness(d, EXACT).update(lower=None)),
    (sided, "rejected", "", lambda d: witness(d, LEAST).update(lower=None)),
    (sided, "rejected", "", lambda d: covering(d, MOST, {"1": "1/3", "2": "2/3"})),
    (sided, "rejected", "", lambda d: covering(d, MOST, 1)),
    (sided, "refused", "", lambda d: covering(d, MOST, {"1": "p", "2": "1 - p"})),
    (
        sided,
        "refused",
        "",
        lambda d: covering(d, MOST, {"1": f"1/{2**20}", "2": f"{2**20 - 1}/{2**20}"}),
    ),
    (sided, "refused", "", lambda d: covering(d, MOST, {"worlds": [1, 2], "outputs": [0]})),
    (
        sided,
        "refused",
        "",
        lambda d: lower(d, LEAST).update(counts={"worlds": [1], "outputs": [0, 1]}),
    ),
    (sided, "rejected", "", lambda d: lower(d, LEAST).update(counts={"0": 1})),
    (sided, "rejected", "", lambda d: lower(d, LEAST).update(run={"0": 1})),
    (sided, "accepted", "", lambda d: lower(d, LEAST).update(counts={"0": 2, "1": 2})),
    (sided, "refused", "", lambda d: lower(d, LEAST).update(counts={"0": 10**9, "1": 10**9})),
    (sided, "refused", "", lambda d: lower(d, LEAST).update(run=None)),
    (sided, "accepted", "", lambda d: pieces(d)[LEAST].update(leakage={"at_least": "2"})),
    (
        sided,
        "rejected",
        "",
        lambda d: (
            pieces(d)[LEAST].update(leakage={"at_least": "2"}),
            lower(d, LEAST).update(run=None),
        ),
    ),
    (
        sided,
        "rejected",
        "",
        lambda d: pieces(d)[MOST].update(leakage={"at_least": "2"}, verdict="violated"),
    ),
    (
        sided,
        "rejected",
        "",
        lambda d: (
            pieces(d)[MOST].update(leakage={"at_least": "2"}, verdict="violated"),
            lower(d, MOST).update(run={"0": 1, "1": 1}),
        ),
    ),
    (
        sided,
        "refused",
        "",
        lambda d: pieces(d)[LEAST].update(leakage={"at_least": "1/(4*p*(1-p))"}),
    ),
    (
        sided,
        "rejected",
        "",
        lambda d: pieces(d)[LEAST].update(leakage={"at_least": "1/(4*p - 4*p^2)"}),
    ),
    (sided, "rejected", "", lambda d: pieces(d)[LEAST].update(leakage={"infinite": True})),
    (
        sided,
        "refused",
        "",
        lambda d: pieces(d)[EXACT].update(leakage={"infinite": True}, verdict="violated"),
    ),
    (sided, "rejected", "", lambda d: lower(d, LEAST).update(prior=["1/3", "p/3", "(2 - p)/3"])),
    (sided, "refused", "", lambda d: lower(d, LEAST).update(repetitions=9)),
)


def rooted(degree: Any = 2, power: str = "1/(4*p - 4*p^2)") -> Callable[[Json], object]:
    """The root of another degree, or of another function."""

    def edit(document: Json) -> None:
        for at in (MOST, LEAST):
            pieces(document)[at]["leakage"] = {"exp_epsilon": power, "root": degree}

    return edit


FOURTH = "1/(16*p^2 - 32*p^3 + 16*p^4)"
test_siblings_with_a_root = siblings(
    (made, "accepted", "", rooted(4, FOURTH)),
    (made, "rejected", "", rooted(3)),
    (made, "rejected", "", rooted(2, "1/(3*p - 3*p^2)")),
    (made, "rejected", "", rooted(2, "1/(5*p - 5*p^2)")),
    (made, "refused", "", rooted(2, "p")),
    (made, "refused", "", rooted(1)),
    (made, "refused", "", rooted(49)),
    (made, "refused", "", rooted("2")),
    (made, "rejected", "", lambda d: witness(d, MOST).update(lower=None)),
    (made, "rejected", "", lambda d: lower(d, MOST).update(counts={"0": 1})),
    (made, "rejected", "", lambda d: lower(d, MOST).update(counts={"0": 2, "1": 1})),
    (made, "accepted", "", lambda d: lower(d, MOST).update(counts={"0": 2, "1": 2})),
    (made, "rejected", "", lambda d: covering(d, MOST, {"1": "1/3", "2": "2/3"})),
    (made, "refused", "", lambda d: covering(d, MOST, {"worlds": [1, 2], "outputs": [0]})),
)


def test_a_root_at_one_number() -> None:
    """At 99/100 the level is the root of 10000/396, with numbers that are no functions; what is
    met by equalities is then met at no root."""
    found = deepcopy(made())
    end = {"rational": "99/100", "closed": False}
    whole, evidence = pieces(found)[LEAST], shown(found)[LEAST]
    at = {**deepcopy(whole), "from": {**end, "closed": True}, "to": {**end, "closed": True}}
    at["leakage"] = {"exp_epsilon": "2500/99", "root": 2}
    pieces(found)[LEAST:] = [{**whole, "to": end}, at, {**whole, "from": end}]
    shown(found)[LEAST:] = [evidence, deepcopy(evidence), evidence]
    assert broken(lambda d: None, found) == "accepted"

    def said(edit: Callable[[Json], object]) -> str:
        return broken(edit, found)

    tied = {"worlds": [1, 2], "outputs": [0]}
    assert said(lambda d: covering(d, LEAST + 1, tied)) == "refused"
    tied = {"worlds": [1], "outputs": [0, 1]}
    assert said(lambda d: lower(d, LEAST + 1).update(counts=tied)) == "refused"
    more = {"exp_epsilon": "2501/99", "root": 2}
    assert said(lambda d: pieces(d)[LEAST + 1].update(leakage=more)) == "rejected"


def test_mixtures_of_priors_that_are_functions() -> None:
    """The first prior has D alone: with it half of the other makes D, u and v possible."""
    found = made("{hull: [{worlds: {d: 1}}, {worlds: {u: p, v: 1-p}}]}")
    assert check(found).outcome == "accepted"
    at = next(k for k, piece in enumerate(pieces(found)) if piece["verdict"] == "violated")
    assert lower(found, at)["prior"] == ["1/2", "p/2", "(1 - p)/2"]

    def said(*prior: str) -> str:
        return broken(lambda d: lower(d, at).update(prior=list(prior)), found)

    assert said("1/2", "p/2", "(1 - p)/2") == "accepted"
    assert said("1/2", "(1 - p)/2", "p/2") == said("2/3", "p/3", "(1 - p)/3") == "rejected"


def test_a_piece_across_the_level() -> None:
    """What holds up to the root does not hold beyond it, nor the other way round."""
    found = deepcopy(sided())
    ends = [piece["from"] for piece in pieces(found)]
    assert any(end.get("polynomial") == ["1", "-16", "16"] for end in ends)

    def moved(document: Json) -> None:
        """The level from one side is said of a piece that ends at 19/20, between two ends."""
        end = {"rational": "19/20", "closed": False}
        pieces(document)[MOST]["to"] = end
        point = pieces(document)[MOST + 1]
        point["from"] = point["to"] = {**end, "closed": True}
        pieces(document)[LEAST]["from"] = end

    assert broken(moved, found) == "rejected"


CHANGING = """
parameters: {p: 27/50 < p < 11/20}
worlds: [d, u, v]
secrets: {s: [d], t: [u, v]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], d: [1/2, 1/2], u: [p/10, 1-p/10], v: [19/20, 1/20]}}
priors: {list: [uniform]}
checks: [{composition: {exp_epsilon: 9/4}}]
"""


def test_long_powers_are_compared_by_logarithms(tmp_path: Path) -> None:
    """The end is near 0.542224: counts beyond 12 refute the level before it, weights with such
    denominators meet it beyond it."""
    (found,) = written(CHANGING, tmp_path)
    assert check(found).outcome == "accepted"
    kinds = [piece.get("verdict", "undecided") for piece in pieces(found)]
    first, last = kinds.index("holds"), len(kinds) - 1
    before = next(k for k, verdict in enumerate(kinds) if verdict == "violated")
    assert before < kinds.index("undecided") < first and kinds[last] == "holds"
    ((entry,), _) = witness(found, last)["upper"]
    (beta,) = entry[1]
    assert sum(map(Fraction, beta.values())) == 1

    def said(edit: Callable[[Json], object]) -> str:
        return broken(edit, found)

    share = Fraction(beta["1"])
    for other, outcome in ((share + Fraction(1, 10**6), "accepted"), (Fraction(1, 2), "rejected")):
        weights = {"1": str(other), "2": str(1 - other)}
        assert said(lambda d, w=weights: covering(d, last, w)) == outcome  # type: ignore[misc]
    unit = 10**7
    weights = {"1": str(Fraction(unit // 2, unit + 1)), "2": str(Fraction(unit // 2 + 1, unit + 1))}
    assert said(lambda d: covering(d, last, weights)) == "refused"  # is not shown, and too long
    run = lower(found, before)["run"]
    assert sum(run.values()) > 12 and pieces(found)[before]["leakage"] == {"at_least": "9/4"}
    other_way = {"0": run["1"], "1": run["0"]}
    assert said(lambda d: lower(d, before).update(run=other_way)) != "accepted"
    assert said(lambda d: lower(d, before).update(counts=other_way)) != "accepted"


def real(low: str, high: str, *polynomial: int) -> Real:
    """A rational, or the root of a polynomial between two."""
    return Real(Fraction(low), Fraction(high), polynomial)


ROOT_OF_HALF = real("7/10", "71/100", -1, 0, 2)


@pytest.mark.parametrize(
    ("text", "low", "high", "above"),
    [
        ("2*p", real("501/1000", "501/1000"), real("1", "1"), True),
        ("2*p", real("1/2", "1/2"), real("1", "1"), False),  # 1 at an end
        ("2*p", real("499/1000", "499/1000"), real("1", "1"), False),
        ("100*p", real("0", "0"), real("1", "1"), False),  # 0 at an end
        ("5*p - 5*p^2", real("2/5", "2/5"), real("3/5", "3/5"), True),
        ("71*p/50", ROOT_OF_HALF, ROOT_OF_HALF, True),  # 1.00409 at the root of 1/2
        ("7*p/5", ROOT_OF_HALF, ROOT_OF_HALF, False),  # 0.98995
        ("3*p/2", ROOT_OF_HALF, real("1", "1"), True),
    ],
)
def test_products_above_one(text: str, low: Real, high: Real, above: bool) -> None:
    """A power of a function over itself, times what is below 1 by a little."""
    spot = Spot("p", low, high, is_point=low is high)
    with functions_on(spot):
        function = spot.quotient(*read_function(text, ("p",)))
        assert is_above_one([(function, 10**6), (Fraction(10**9 - 1, 10**9), 20)]) == above


def test_too_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds of two functions with a fixed ratio meet on long parts."""
    spot = Spot("p", real("1/5", "1/5"), real("4/5", "4/5"), is_point=False)
    with functions_on(spot):
        more, less = (spot.quotient(*read_function(f"{k}*p - {k}*p^2", ("p",))) for k in (6, 5))
        powers = [(more, 20), (less, -20)]
        assert is_above_one(powers)
        monkeypatch.setattr(signs, "MOST_INTERVALS", 2)
        assert not is_above_one(powers)


ADDING = """
parameters: {p: 0 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
priors: {list: [{worlds: {00: p/2, 01: (1-p)/2, 10: 1/4, 11: 1/4}}]}
checks:
  - universally_composable: {}
"""


def test_levels_that_do_not_add_up_for_any_value(tmp_path: Path) -> None:
    """Given ann's bit both bits of bob are possible: two runs tell more than twice one."""
    (document,) = written(ADDING, tmp_path)
    assert document["question"]["relation"]["kind"] == "composable"
    assert document["answer"]["verdict"] == "violated"
    assert broken(lambda d: None, document) == "accepted"
    for at, piece in enumerate(pieces(document)):
        assert piece["verdict"] == "violated"
        for other in ("9 + 2*p", "1", "1000"):

            def change(d: Json, at: int = at, other: str = other) -> None:
                pieces(d)[at]["one_run"] = other

            assert broken(change, document) == "rejected"

        def holds(d: Json, at: int = at) -> None:
            pieces(d)[at] |= {"verdict": "holds", "one_run": None}

        assert broken(holds, document) == "refused"  # nothing is run then


def test_products_that_are_one_at_an_end() -> None:
    """p above 1, and 1/p below it: at 1 itself the product is no more than 1."""
    for low, high, k in ((1, 2, 1), (Fraction(1, 2), 1, -1), (1, 2, 3)):
        ends = (Real(Fraction(x), Fraction(x)) for x in (low, high))
        spot = Spot("p", *ends, is_point=False)
        with functions_on(spot):
            p = spot.quotient(*read_function("p", ("p",)))
            assert not is_above_one([(p, k)])
            assert is_above_one([(p, k), (Fraction(101, 100), 1)])
