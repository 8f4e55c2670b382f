"""Whether the rows of a definition are in the row cone of mechanisms, against extreme rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Json, decide
from verifier.claim import Answer
from verifier.priors import NotDecided

F = Fraction
Row = list[Fraction]


def implied(worlds: Sequence[str], alpha: str, mechanisms: Json, neighbours: Json) -> Answer:
    """Whether a definition at a level implies the row cone of mechanisms."""
    premise = {next(iter(neighbours)): {**next(iter(neighbours.values())), "exp_epsilon": alpha}}
    check = {"implies": {"if": premise, "then": {"row_cone": {"of": list(mechanisms)}}}}
    return decide({"worlds": list(worlds), "mechanisms": mechanisms, "checks": [check]})


def extreme_rows(size: int, alpha: Fraction) -> Iterator[Row]:
    """Rows with x_w <= alpha x_v for all worlds on which so many of these and of x_w >= 0 are
    equations that only multiples satisfy them."""
    asked = [[F(w == v) for v in range(size)] for w in range(size)]
    for w, v in permutations(range(size), 2):
        asked.append([alpha * (u == v) - F(u == w) for u in range(size)])
    for chosen in combinations(asked, size - 1):
        ray = only_direction([list(row) for row in chosen], size)
        for row in (ray, [-x for x in ray]) if ray else ():
            if all(sum(a * x for a, x in zip(h, row, strict=True)) >= 0 for h in asked):
                yield row


def only_direction(rows: list[Row], size: int) -> Row | None:
    """The solution of homogeneous equations, if only its multiples are others: Gauss-Jordan."""
    pivots: list[int] = []
    for column in range(size):
        row = next((r for r in rows[len(pivots) :] if r[column]), None)
        if row is None:
            continue
        at = len(pivots)
        rows.remove(row)
        rows.insert(at, [x / row[column] for x in row])
        for k, other in enumerate(rows):
            if k != at and other[column]:
                rows[k] = [x - other[column] * y for x, y in zip(other, rows[at], strict=True)]
        pivots.append(column)
    if len(pivots) < size - 1:
        return None
    (free,) = set(range(size)) - set(pivots)
    found = [F(0)] * size
    found[free] = F(1)
    for k, column in enumerate(pivots):
        found[column] = -rows[k][free]
    return found


def is_combination(row: Row, given: Sequence[Row]) -> bool:
    """Whether weights >= 0 exist, by real arithmetic."""
    solver = z3.Solver()
    weights = z3.RealVector("y", len(given))
    solver.add(*(y >= 0 for y in weights))
    for w, x in enumerate(row):
        terms = [y * z3.RealVal(str(g[w])) for y, g in zip(weights, given, strict=True)]
        solver.add(z3.Sum(terms) == z3.RealVal(str(x)))
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(["1", "9/8", "2", "1000"]))
def test_engine_and_extreme_rows_agree(data: st.DataObject, alpha: str) -> None:
    """With neighbours that are all pairs. At level 1 all rows are constant, and in every cone."""
    space = data.draw(drawn.named_spaces().filter(lambda space: space.size <= 4))
    columns = [data.draw(drawn.matrices(space.size)) for _ in range(data.draw(st.integers(1, 2)))]
    mechanisms = {f"m{k}": drawn.table(space, c) for k, c in enumerate(columns)}
    rows = [list(row) for c in columns for row in zip(*c, strict=True)]
    neighbours = {"differential_privacy": {"neighbours": "all"}}
    found = implied(space.names, alpha, mechanisms, neighbours)
    inside = all(is_combination(row, rows) for row in extreme_rows(space.size, F(alpha)))
    assert found.verdict == ("holds" if inside else "violated")
    if found.witness:
        x = [F(row[0]) for w, row in found.witness["mechanism"].items() if w != "outputs"]
        side = x if found.witness["output"] == "yes" else [1 - p for p in x]
        assert not is_combination(side, rows)


def test_one_bit() -> None:
    """The row cone of a response with truth 3/4 is differential privacy at 3."""
    response = {
        "response": {"table": {"outputs": ["0", "1"], "a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}}
    }
    neighbours = {"differential_privacy": {"neighbours": "all"}}
    for alpha, verdict in (("3", "holds"), ("3.000000000000000000000000000001", "violated")):
        assert implied(["a", "b"], alpha, response, neighbours).verdict == verdict


def test_two_bits() -> None:
    """Section V: randomized response protects the parity better than differential privacy does."""
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "mechanisms": {"response": {"randomized_response": {"truth": "3/4"}}},
    }
    premise = {"differential_privacy": {"exp_epsilon": "3"}}
    check = {"implies": {"if": premise, "then": {"row_cone": {"of": ["response"]}}}}
    found = decide({**spec, "checks": [check]})
    assert found.verdict == "violated" and found.witness is not None
    assert {found.witness["likelier"], found.witness["other"]} == {
        "xor(r1, r2) == 0",
        "xor(r1, r2) == 1",
    }


def test_not_decided() -> None:
    """A row cone in another is asked of each mechanism."""
    cone = {"row_cone": {"of": ["m"]}}
    spec = {"worlds": ["a", "b"], "mechanisms": {"m": {"deterministic": "world"}}}
    with pytest.raises(NotDecided):
        decide({**spec, "checks": [{"implies": {"if": cone, "then": cone}}]})
