"""Priors within linear constraints, against all corners of the polytope, found by solving every
system of tight constraints, and mixtures of every two of them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import drawn, plain
from tests.definitions.plain import Column
from tests.drawing import examples
from tests.priors.mixtures import HAIR, Case, Row, Vector, agrees, corners, inside, rounded
from tests.priors.test_hull import decided
from verifier.base import parameters
from verifier.base.errors import LimitReached
from verifier.engines.pufferfish import mixtures
from verifier.kernels.cones import Cone, rays
from verifier.kernels.cones import Row as CoefficientRow
from verifier.run import verify

F = Fraction
EXAMPLES = examples(40)


def within(
    columns: Sequence[Column],
    sides: Sequence[Sequence[int]],
    events: Sequence[Sequence[int]],
    constraints: Sequence[str],
    rows: Sequence[Row],
    delta: Fraction = plain.ZERO,
) -> Case:
    """All priors within constraints, as texts about events and as rows by hand."""
    return Case(
        columns,
        sides,
        corners(len(columns), rows),
        delta,
        {"constraints": list(constraints)},
        events,
        lambda prior: inside(prior, rows),
        rows,
    )


GAPS = [F(0), F(1, 10), F(1, 3), F(1, 7), F(1, 10**20), F(1)]


@st.composite
def constraint(
    draw: drawn.Draw, prior: Column, events: Sequence[Sequence[int]]
) -> tuple[str, list[Row]]:
    """A constraint that a prior satisfies, with its rows."""
    everything = range(len(prior))
    x, y, c = (draw(st.integers(0, len(events) - 1)) for _ in range(3))
    given = draw(st.booleans()) and any(prior[w] for w in events[c])
    inside = [w for w in everything if not given or w in events[c]]
    condition = f" | e{c}" if given else ""

    def mass(k: int) -> Fraction:
        return sum((prior[w] for w in events[k] if w in inside), F(0))

    def row(*terms: tuple[Fraction, Sequence[int]]) -> Vector:
        return [
            sum((f for f, event in terms if w in event and w in inside), F(0)) for w in everything
        ]

    total = sum((prior[w] for w in inside), F(0))
    low_gap, high_gap = draw(st.sampled_from(GAPS)), draw(st.sampled_from(GAPS))
    kind = draw(st.sampled_from(["interval", "bound", "odds", "compare"]))
    if kind in ("odds", "compare") and mass(y):
        ratio = mass(x) / mass(y) + high_gap
        left = f"P(e{x}{condition})"
        right = f"P(e{y}{condition})"
        text = f"{left} / {right} <= {ratio}" if kind == "odds" else f"{left} <= {ratio} * {right}"
        return text, [(False, row((F(1), events[x]), (-ratio, events[y])))]
    value = mass(x) / total
    low, high = max(F(0), value - low_gap), min(F(1), value + high_gap)
    above, below = (
        row((F(1), events[x]), (-high, everything)),
        row((F(-1), events[x]), (low, everything)),
    )
    if kind == "bound":
        sense = draw(st.sampled_from(["<=", ">="]))
        text = f"P(e{x}{condition}) {sense} {high if sense == '<=' else low}"
        return text, [(False, above if sense == "<=" else below)]
    text = f"P(e{x}{condition}) in [{low}, {high}]"
    return text, [(True, above)] if low == high else [(False, above), (False, below)]


@st.composite
def cases(draw: drawn.Draw) -> Case:
    """2 to 5 worlds; both secrets are possible under the prior the constraints are made around."""
    size = draw(st.integers(2, 5))
    simple = draw(st.booleans())
    columns = draw(rounded(size, draw(st.integers(2, 3))) if simple else drawn.matrices(size))
    labels = draw(st.lists(st.integers(0, 2), min_size=size - 2, max_size=size - 2))
    sides = [[k, *(w for w, label in enumerate(labels, 2) if label == k)] for k in (0, 1)]
    (prior,) = draw(rounded(1, size)) if simple else (draw(drawn.distributions(size)),)
    prior = [(p + F(w < 2)) / 3 for w, p in enumerate(prior)]
    one = st.sets(st.integers(0, size - 1), min_size=1, max_size=size).map(sorted)
    events = draw(st.lists(one, min_size=2, max_size=3))
    made = draw(st.lists(constraint(prior, events), min_size=1, max_size=3))
    delta = draw(st.sampled_from([F(0), F(0), F(0), F(1, 10), F(1, 3), HAIR]))
    return within(
        columns, sides, events, [t for t, _ in made], [r for _, rs in made for r in rs], delta
    )


@EXAMPLES
@given(cases(), st.sampled_from(["1", "3", "31/30", "1000000"]))
def test_drawn_polytopes(case: Case, asked: str) -> None:
    """A polytope is the hull of its corners."""
    leakage, hull = decided(case, asked).leakage, case.decide(case.hull()).leakage
    assert leakage is not None and hull is not None
    if leakage.bounds and hull.bounds:
        assert leakage.bounds[0] <= hull.bounds[1] and hull.bounds[0] <= leakage.bounds[1]
    else:
        assert leakage == hull


@EXAMPLES
@given(cases().filter(lambda case: case.delta), st.sampled_from(["1", "3", "31/30", "1000000"]))
def test_all_events_at_once(case: Case, asked: str) -> None:
    """By segments between corners, which the drawn polytopes have few of, or event by event."""
    answer = case.decide(exp_epsilon=asked)
    assert answer.certificate is not None and answer.leakage is not None
    assert "cuts" in answer.certificate["evidence"]["witness"]
    with patch.object(mixtures, "MAX_CORNERS", 0):
        singly = case.decide(exp_epsilon=asked)
        agrees(case, singly, F(asked))
        assert singly.certificate is not None
        assert "upper" in singly.certificate["evidence"]["witness"]
    assert answer.leakage == singly.leakage or answer.leakage.bounds


@EXAMPLES
@given(cases(), st.data())
def test_what_is_accepted_about_other_rows_is_true(case: Case, data: st.DataObject) -> None:
    """Another coefficient, sense or row in the statement, under the same evidence."""
    good = case.decide().certificate
    assert good is not None
    other = deepcopy(opened(good))
    rows = other["relation"]["priors"]["rows"]
    if not rows or "exp_epsilon" not in good["answer"]["leakage"]:
        return
    row = data.draw(st.sampled_from(rows))
    change = data.draw(st.sampled_from(["turned", "doubled", "equal", "gone"]))
    groups = row["coefficients"]
    if change == "equal":
        row["sense"] = "=" if row["sense"] == "<=" else "<="
    elif change == "gone" or not groups:
        groups.clear()
    else:
        key = data.draw(st.sampled_from(list(groups)))
        factor = -1 if change == "turned" else 2
        worlds = groups.pop(key)
        groups.setdefault(str(factor * int(key)), []).extend(worlds)
    if check(other).outcome == "accepted":
        size = len(case.names)
        changed = []
        for listed in rows:
            values = [F(0)] * size
            for value, worlds in listed["coefficients"].items():
                for world in worlds:
                    values[world] += int(value)
            changed.append((listed["sense"] == "=", values))
        truth = within(case.columns, case.sides, case.events, [], changed, case.delta)
        found = F(good["answer"]["leakage"]["exp_epsilon"])
        assert truth.holds(found) and (found == 1 or not truth.holds(found - (found - 1) * HAIR))


def test_constraints_about_each_secret_apart_need_one_piece() -> None:
    """P(o0 | s) is in [3/10, 7/10], P(o0 | t) in [11/30, 19/30]: (19/30) / (3/10) is above
    (7/10) / (11/30), and so it is for o1, by symmetry."""
    columns = [[F(x, 10), 1 - F(x, 10)] for x in (9, 1, 9, 1)]
    texts = ["P(e0 | e1) in [1/4, 3/4]", "P(e2 | e3) in [1/3, 2/3]"]
    quarter = [[F(-3), F(1), F(0), F(0)], [F(1), F(-3), F(0), F(0)]]
    third = [[F(0), F(0), F(-2), F(1)], [F(0), F(0), F(1), F(-2)]]
    case = within(
        columns,
        [[0, 1], [2, 3]],
        [[0], [0, 1], [2], [2, 3]],
        texts,
        [(False, row) for row in quarter + third],
    )
    answer = case.decide(exp_epsilon="2")
    agrees(case, answer, F(2))
    assert answer.leakage is not None and answer.certificate is not None
    assert answer.leakage.exp_epsilon == F(19, 30) / F(3, 10)
    assert [len(found) for found in answer.certificate["evidence"]["witness"]["upper"]] == [1] * 4


@EXAMPLES
@given(st.data())
def test_corners_are_those_of_all_tight_systems(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 5))
    factors = st.lists(st.integers(-2, 2), min_size=size, max_size=size)
    drawn_rows = data.draw(st.lists(st.tuples(st.booleans(), factors), min_size=1, max_size=3))
    rows = [(tight, [F(x) for x in row]) for tight, row in drawn_rows]
    cone = Cone(size, [integer_row(tight, row) for tight, row in drawn_rows])
    found = [dense(ray, size) for ray in rays(cone, 100)]
    assert sorted(found) == sorted(corners(size, rows))


def integer_row(tight: bool, row: Sequence[int]) -> CoefficientRow:
    places = {x: [k for k, y in enumerate(row) if y == x] for x in set(row) - {0}}
    return CoefficientRow("=" if tight else "<=", places)


def dense(ray: dict[int, int], size: int) -> Vector:
    return [F(ray.get(k, 0), sum(ray.values())) for k in range(size)]


def test_too_many_corners() -> None:
    """P(first half) = 1/2 of six worlds: 3·3 corners."""
    cone = Cone(6, [CoefficientRow("=", {1: [0, 1, 2], -1: [3, 4, 5]})])
    assert len(rays(cone, 9)) == 9
    with pytest.raises(LimitReached, match="more than 8 corners"):
        rays(cone, 8)


NAMED = """
parameters: {q: [1/3, 1/2, 1]}
worlds: [a, b, c]
secrets: {s: [a, b], t: [c]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], a: [3/4, 1/4], b: [1/4, 3/4], c: [1/4, 3/4]}}
priors: {constraints: ["P(a | s) <= q", "q / 2 <= P(s) + q"]}
checks: [{pufferfish: {exp_epsilon: 9}}]
"""


def test_parameters_stand_for_numbers(tmp_path: Path) -> None:
    """By hand: yes given s has probability (1 + 2q)/4 at most, given t it has 1/4."""
    path = tmp_path / "named.yaml"
    path.write_text(NAMED)
    found = {}
    for choice in verify.choices(path):
        with parameters.given(choice):
            (asked,) = verify.load(path).questions
            assert asked.question is not None
            answer = verify.certified(asked.question)
            found[choice.values["q"]] = answer.leakage and answer.leakage.exp_epsilon
    assert found == {q: max(1 + 2 * q, 3 / (3 - 2 * q)) for q in (F(1, 3), F(1, 2), F(1))}
