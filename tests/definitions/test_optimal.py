"""Best mechanisms against closed forms, z3, and every deterministic reading of outputs."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.checker.outcomes import with_parts
from tests.definitions import drawn
from tests.definitions.drawn import decide
from tests.drawing import examples
from tests.oracles import z3
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.definitions import optimal
from verifier.questions.answer import Answer
from verifier.questions.witness import BestMechanism, Mixture
from verifier.run import verify

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


def guesses(names: Sequence[str], size: int) -> Any:
    """What is made of mechanisms, for a loss between any answer and any of so many worlds."""
    return {
        "under": {"post_processing": {"of": [*names]}},
        "outputs": [str(r) for r in range(size)],
        "loss": "abs(output - total) + (1/3 if output < total else 0)",
    }


@examples(60)
@given(st.data())
def test_the_best_post_processing_by_all_strategies(data: st.DataObject) -> None:
    """Of two worlds the losses of all deterministic ones are points of a plane. Mixtures of two of
    them are enough, as the best one is where a line between two meets the diagonal, or a point."""
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    tables = [[data.draw(drawn.distributions(n)) for _ in "01"] for n in sizes]
    names = [f"m{k}" for k in range(len(tables))]
    spec = question(2, {}, "")
    spec["mechanisms"] = {
        name: {
            "table": {
                "outputs": [f"o{o}" for o in range(len(table[0]))],
                **{str(w): list(map(str, column)) for w, column in enumerate(table)},
            }
        }
        for name, table in zip(names, tables, strict=True)
    }
    losses = [[Fraction(0), Fraction(4, 3)], [Fraction(1), Fraction(0)]]  # answer, world
    points = [
        [
            sum((p * losses[r][w] for p, r in zip(table[w], chosen, strict=True)), Fraction(0))
            for w in (0, 1)
        ]
        for table in tables
        for chosen in product((0, 1), repeat=len(table[0]))
    ]
    prior = data.draw(st.none() | drawn.distributions(2))
    if prior is None:
        value = min(map(max, points))
        for (a, b), (c, d) in product(points, repeat=2):
            if a > b and c < d:  # share t of the first with t a + (1 - t) c = t b + (1 - t) d
                share = (d - c) / (a - b + d - c)
                value = min(value, share * a + (1 - share) * c)
    else:
        value = min(prior[0] * x + prior[1] * y for x, y in points)
    options = guesses(names, 2)
    if prior is not None:
        options["prior"] = {"worlds": {"0": str(prior[0]), "1": str(prior[1])}}
    for equals, verdict in ((value, "holds"), (value + Fraction(1, 10**30), "violated")):
        spec["checks"] = [{"optimal": {**options, "equals": str(equals)}}]
        answer = decide(spec)
        assert (answer.value, answer.verdict) == (value, verdict) and accepted(answer)
        assert isinstance(answer.made, Mixture)


BIT: Any = {
    "worlds": {"records": ["total"], "domain": ["0", "1"]},
    "mechanisms": {"m0": {"randomized_response": {"truth": "3/4"}}},
}


def test_a_bit_that_is_told_is_repeated() -> None:
    loss = "0 if output == total else 1"
    options = {**guesses(["m0"], 2), "loss": loss}
    answer = decide({**BIT, "checks": [{"optimal": options}]})
    assert answer.value == Fraction(1, 4) and isinstance(answer.made, Mixture)
    (part,) = answer.made.parts
    assert part.post_processing == {"0": {"0": Fraction(1)}, "1": {"1": Fraction(1)}}
    found = opened(answer.certificate or {})
    for key, part in (("rows", [["1", "0"], ["0", "1"]]), ("weights", []), ("prior", ["1", "0"])):
        assert check(with_parts(found, **{f"witness__{key}": part})).outcome != "accepted"
    for key, part in (
        ("weights", [[[0, 0, "1"]], [[0, 1, "1"]], []]),
        ("rows", []),
        ("weights", [[[0, 0, "2"]], [[0, 1, "2"]]]),
        ("weights", [[[0, 0, "1"], [0, 0, "0"]], [[0, 1, "1"]]]),
    ):
        assert check(with_parts(found, **{f"witness__{key}": part})).outcome != "accepted"
    for path, part in (
        ("claim__value", "1/5"),
        ("claim__value", "1/3"),
        ("relation__exp_epsilon", "3"),
        ("relation__under__of", [0]),
    ):
        assert check(with_parts(found, **{path: part})).outcome != "accepted"


def test_what_a_truth_costs_is_told_as_a_loss(tmp_path: Path) -> None:
    """It is repeated, and wrong with probability 1 - p."""
    loss = "0 if output == total else 1"
    path, asked = tmp_path / "spec.json", {**guesses(["m0"], 2), "loss": loss}
    spec = {**BIT, "parameters": {"p": "1/2 < p < 1"}, "checks": [{"optimal": asked}]}
    spec["mechanisms"] = {"m0": {"randomized_response": {"truth": "p"}}}
    path.write_text(json.dumps(spec))
    (found,) = verify.check(path).results
    curve = found.answer.curve
    assert curve is not None and curve.words == "smallest loss"
    assert [stretch.told("p") for stretch in curve.stretches] == ["1 - p"]


def test_whether_a_mechanism_is_made_of_others_is_asked_elsewhere() -> None:
    with pytest.raises(NotDecided, match="asked by post_processing"):
        decide({**BIT, "checks": [{"optimal": {**guesses(["m0"], 2), "mechanism": "m0"}}]})
