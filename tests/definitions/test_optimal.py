"""Best mechanisms against closed forms, z3, and every deterministic reading of outputs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions.drawn import decide
from tests.drawing import examples
from tests.oracles import z3
from verifier import checker
from verifier.definitions import optimal
from verifier.questions.answer import Answer
from verifier.questions.witness import BestMechanism

Matrix = list[list[Fraction]]


def question(size: int, under: Any, loss: str, **more: Any) -> Any:
    domain = [str(value) for value in range(size)]
    options = {"under": under, "outputs": domain, "loss": loss, **more}
    return {"worlds": {"records": ["total"], "domain": domain}, "checks": [{"optimal": options}]}


def line(alpha: Any) -> Any:
    return {"differential_privacy": {"exp_epsilon": str(alpha), "neighbours": {"l1": "1"}}}


def by_z3(loss: Matrix, alpha: Fraction, prior: Sequence[Fraction] | None) -> Fraction:
    """The smallest loss for neighbours on a line, as a linear program of z3."""
    n = len(loss[0])
    x = [[z3.Real(f"x{r}_{w}") for w in range(n)] for r in range(len(loss))]
    solver, number = z3.Optimize(), lambda value: z3.RealVal(str(value))
    for row in x:
        solver.add(*(p >= 0 for p in row))
        for a, b in pairwise(row):
            solver.add(a <= number(alpha) * b, b <= number(alpha) * a)
    costs = []
    for w in range(n):
        solver.add(z3.Sum([row[w] for row in x]) == 1)
        costs.append(z3.Sum([number(loss[r][w]) * x[r][w] for r in range(len(loss))]))
    bound = z3.Real("bound")
    if prior is None:
        solver.add(*(cost <= bound for cost in costs))
    else:
        solver.add(z3.Sum([number(p) * c for p, c in zip(prior, costs, strict=True)]) == bound)
    found = solver.minimize(bound)
    assert solver.check() == z3.sat
    return Fraction(str(solver.lower(found)))


def accepted(answer: Answer) -> bool:
    return checker.check(answer.certificate).outcome == "accepted"


@pytest.mark.parametrize("alpha", ["1", "3", "7/2", "1000001/1000000"])
def test_a_bit_is_wrong_with_the_probability_of_randomized_response(alpha: str) -> None:
    answer = decide(question(2, line(alpha), "0 if output == total else 1"))
    assert answer.value == 1 / (1 + Fraction(alpha)) and accepted(answer)


@pytest.mark.oracle
@examples(30)
@given(st.data())
def test_smallest_loss_is_that_of_z3(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 4))
    alpha = data.draw(st.sampled_from([Fraction(1), Fraction(2), 1 + Fraction(1, 10**30)]))
    known = data.draw(st.booleans())
    weights = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    prior = [Fraction(weight, sum(weights)) for weight in weights] if known else None
    text = data.draw(
        st.sampled_from(
            ["abs(output - total)", "(output - total) ** 3", "1/3 if output < total else -output"]
        )
    )
    plain = {
        "abs(output - total)": lambda r, w: Fraction(abs(r - w)),
        "(output - total) ** 3": lambda r, w: Fraction((r - w) ** 3),
        "1/3 if output < total else -output": lambda r, w: (
            Fraction(1, 3) if r < w else Fraction(-r)
        ),
    }[text]
    loss = [[plain(r, w) for w in range(n)] for r in range(n)]
    more = {"prior": {"worlds": {str(w): str(p) for w, p in enumerate(prior)}}} if prior else {}
    answer = decide(question(n, line(alpha), text, **more))
    assert answer.value == by_z3(loss, alpha, prior)
    assert accepted(answer) and isinstance(answer.made, BestMechanism)
    rows = [[answer.made.mechanism.columns[str(w)][r] for w in range(n)] for r in range(n)]
    assert optimal.value(loss, rows, prior) == answer.value


@examples(30)
@given(st.data())
def test_a_mechanism_is_read_as_well_as_possible(data: st.DataObject) -> None:
    """Against a prior some deterministic reading is best."""
    n = 3
    counts = data.draw(
        st.lists(
            st.lists(st.integers(0, 4), min_size=2, max_size=2).filter(any), min_size=n, max_size=n
        )
    )
    table = {str(w): [f"{x}/{sum(row)}" for x in row] for w, row in enumerate(counts)}
    asked = question(n, line(4), "abs(output - total)", prior="uniform")
    asked["checks"][0]["mechanism"] = {"table": {"outputs": ["a", "b"], **table}}
    answer = decide(asked)
    assert accepted(answer)
    chance = [[Fraction(x, sum(row)) for x in row] for row in counts]
    private = all(
        chance[w][o] <= 4 * chance[v][o]
        for w, v in ((0, 1), (1, 0), (1, 2), (2, 1))
        for o in (0, 1)
    )
    losses = [
        sum(Fraction(1, n) * chance[w][o] * abs(said[o] - w) for w in range(n) for o in (0, 1))
        for said in product(range(n), repeat=2)
    ]
    assert answer.verdict == ("holds" if private and min(losses) == answer.value else "violated")
    if answer.witness and "loss" in answer.witness.as_json():
        assert Fraction(answer.witness.as_json()["loss"]) == min(losses)
    assert (answer.witness is not None and "inequality" in answer.witness.as_json()) == (
        not private
    )


@pytest.mark.parametrize("prior", ["uniform", "worst", {"worlds": {"0": "1/2", "3": "1/2"}}])
@pytest.mark.parametrize("loss", ["abs(output - total)", "0 if output == total else 1"])
def test_the_geometric_mechanism_is_optimal_for_every_user(prior: Any, loss: str) -> None:
    """Ghosh, Roughgarden, Sundararajan 2009; Gupte, Sundararajan 2010 for the worst world."""
    asked = question(6, line(3), loss, prior=prior)
    noise = {"geometric": {"query": "total", "exp_epsilon": "3", "low": "0", "high": "5"}}
    asked["checks"][0]["mechanism"] = noise
    answer = decide(asked)
    assert answer.verdict == "holds" and accepted(answer)


def test_other_definitions_and_the_asserted_loss() -> None:
    """Pufferfish with a uniform prior on two bits and secrets about the first: the parity costs
    nothing, so who asks for the parity loses nothing; the first bit costs 1/4 at level 3."""
    worlds = {"records": ["a", "b"], "domain": ["0", "1"]}
    shared = {"worlds": worlds, "pairs": ["values"], "priors": {"list": ["uniform"]}}
    under = {"pufferfish": {"exp_epsilon": "3"}}
    for loss, smallest in (("0 if output == xor(a, b) else 1", "0"), ("abs(output - a)", "1/4")):
        options = {"under": under, "outputs": ["0", "1"], "loss": loss, "prior": "uniform"}
        for equals, verdict in ((smallest, "holds"), ("1/3", "violated")):
            answer = decide({**shared, "checks": [{"optimal": {**options, "equals": equals}}]})
            assert (answer.value, answer.verdict) == (Fraction(smallest), verdict)
            assert accepted(answer)


def broken(found: Any) -> list[Any]:
    """Certificates that claim or prove something else."""
    changes: list[tuple[list[Any], Any]] = [
        (["claim", "value"], "1/5"),
        (["claim", "verdict"], "violated"),
        (["relation", "exp_epsilon"], "4"),
        (["evidence", "witness", "shares", 0], "1"),
        (["evidence", "witness", "rows", 0, 0], "1"),
        (["evidence", "witness", "multipliers", 0], []),
        (["evidence", "witness", "inequalities", 0], [[0, "1"]]),
        (["evidence", "witness", "prior"], ["1", "0"]),
    ]
    made = []
    for path, value in changes:
        other = copy.deepcopy(found)
        place = other
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        made.append(other)
    return made


def test_broken_certificates_are_not_accepted() -> None:
    found = decide(question(2, line(3), "0 if output == total else 1")).certificate
    assert checker.check(found).outcome == "accepted"
    assert found is not None
    for other in broken(opened(found)):
        assert check(other).outcome != "accepted"


def test_answers_that_name_worlds_are_worlds() -> None:
    """Under differential privacy at 3 nobody guesses two bits better than bit by bit: each is right
    with 3/4 at most, and the product of two such rows is best, as their posteriors are."""
    for names in (["nn", "ny", "yn", "yy"], ["00", "01", "10", "11"]):
        for loss in ("0 if output == world else 1", "0 if world in [output] else 1"):
            options = {
                "under": {"differential_privacy": {"exp_epsilon": "3"}},
                "outputs": names,
                "loss": loss,
                "prior": "uniform",
            }
            worlds = {"records": ["ann", "bob"], "domain": [names[0][0], names[3][0]]}
            found = decide({"worlds": worlds, "checks": [{"optimal": options}]})
            assert found.value == Fraction(7, 16), (names, loss)
