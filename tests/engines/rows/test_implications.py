"""Largest ratios over cones of rows: cheapest paths against linear programs; completion."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base.halfspaces import Halfspaces
from verifier.engines.rows.implications import Cone, Graph, Most, completed, with_equations

F = Fraction
FACTORS = [F(1), F(2), F(3, 2), F(4), 1 + F(1, 10**30), F(10**20 + 1, 3)]


@st.composite
def graphs(draw: st.DrawFn) -> Halfspaces:
    """x_u <= c x_v for some pairs, with c >= 1."""
    size = draw(st.integers(2, 5))
    pairs = [(u, v) for u in range(size) for v in range(size) if u != v]
    rows = []
    for u, v in draw(st.lists(st.sampled_from(pairs), unique=True)):
        factor = draw(st.sampled_from(FACTORS))
        rows.append({u: factor.denominator, v: -factor.numerator})
    return Halfspaces(size, rows, [""] * len(rows))


def proves(asked: Halfspaces, found: Most, left: int, right: int) -> bool:
    """Whether the row attains the ratio and the multipliers prove that none is larger."""
    assert asked.admits(found.row) and min(found.row) >= 0
    if found.ratio is None:
        return found.row[left] > 0 == found.row[right]
    assert found.row[left] == found.ratio * found.row[right] > 0
    rest = {left: F(-1), right: found.ratio}
    for h, y in found.multipliers.items():
        assert y > 0
        for w, value in asked.rows[h].items():
            rest[w] = rest.get(w, F(0)) + y * value
    return min(rest.values()) >= 0


@examples(50)
@given(graphs())
def test_paths_and_programs_agree(asked: Halfspaces) -> None:
    asked = with_equations(asked)
    graph, cone = Graph.of(asked), Cone(asked)
    assert graph is not None
    for left in range(asked.worlds):
        for right in range(asked.worlds):
            if left != right:
                path = graph.most(left, right)
                program = cone.most({left: F(1)}, {right: F(1)})
                assert path.ratio == program.ratio
                assert proves(asked, path, left, right)
                assert proves(asked, program, left, right)
                confirm_completion(asked, path)


def confirm_completion(asked: Halfspaces, found: Most) -> None:
    """Both rows satisfy the inequalities, and with a larger t they would not."""
    rows = completed(found.row, asked)
    for x in rows:
        assert min(x) >= 0 and asked.admits(x)
    assert all(a + b == 1 for a, b in zip(*rows, strict=True))
    more = [1 - a * (1 + F(1, 10**9)) for a in rows[0]]
    assert min(more) < 0 or not asked.admits(more)


def test_what_is_no_graph() -> None:
    """Averages, a factor below 1, one world alone."""
    rows: list[Mapping[int, int]] = [{0: 1, 1: -1, 2: -1}, {0: 2, 1: -1}, {0: -1}]
    for row in rows:
        assert Graph.of(Halfspaces(3, [row], [""])) is None


def test_equations_are_turned_once() -> None:
    asked = Halfspaces(3, [{0: 1, 1: -1}, {1: 1, 0: -1}, {1: 1, 2: -1}, {0: 1, 2: -2}], [*"abcd"])
    found = with_equations(asked)
    assert [dict(row) for row in found.rows[4:]] == [{1: -1, 2: 1}]
    assert found.names[4:] == ["c, turned"]
