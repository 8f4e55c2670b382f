"""Policy-specific sensitivity and the policy graph against brute force."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import drawn, plain
from tests.definitions.cases import graphs
from tests.definitions.drawn import Space, decide
from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.definitions import sensitivity
from verifier.world.neighbours.policy_graph import policy_graph

EXAMPLES = examples(80)

Query = Callable[[plain.Database], list[Fraction]]


def queries(space: Space) -> dict[str, Query]:
    """Queries as written, and by plain arithmetic."""
    first = space.values[0]
    found: dict[str, Query] = {
        "7": lambda w: [Fraction(7)],
        "histogram": lambda w: [Fraction(w.count(v)) for v in space.values],
    }
    if space.absent or isinstance(first, tuple):
        return found
    text = repr(first) if isinstance(first, str) else f"({first})"
    found[f"count(value == {text})"] = lambda w: [Fraction(w.count(first))]
    found[f"(count(value == {text}) ** 2, 1/7 if r1 == {text} else -10**30)"] = lambda w: [
        Fraction(w.count(first) ** 2),
        Fraction(1, 7) if w[0] == first else Fraction(-(10**30)),
    ]
    return found


@EXAMPLES
@given(st.data())
def test_sensitivity_is_the_largest_change(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    graph, edge = data.draw(graphs(space, len(space.databases[0])))
    text, query = data.draw(st.sampled_from(sorted(queries(space).items(), key=lambda q: q[0])))
    pairs = plain.blowfish(space.databases, edge)
    points = [query(w) for w in space.databases]
    functions = [list(row) for row in zip(*points, strict=True)]
    changes = {
        (i, j): sum((abs(a - b) for a, b in zip(points[i], points[j], strict=True)), plain.ZERO)
        for i, j in pairs
    }
    largest = max(changes.values(), default=plain.ZERO)
    assert sensitivity.value(functions, pairs) == largest
    options = {"query": text, **({} if graph is None else {"graph": graph})}
    for equals in (largest, largest + Fraction(1, 10**30)):
        spec = {
            "worlds": space.node,
            "checks": [{"sensitivity": {**options, "equals": str(equals)}}],
        }
        answer = decide(spec)
        assert answer.value == largest
        assert answer.verdict == ("holds" if equals == largest else "violated")
        certificate = answer.certificate
        assert certificate is not None
        witness = certificate["evidence"]["witness"]
        if largest:
            first = min(pair for pair, change in changes.items() if change == largest)
            assert witness == {"pair": list(first)}
        else:
            assert witness is None
        for wrong in (largest + 1, largest - Fraction(1, 10**40)):
            broken = opened(certificate)
            broken["claim"]["value"] = str(wrong)
            assert check(broken).outcome != "accepted"


def test_numbers_beyond_64_bits() -> None:
    query = f"({2**62} * r1, 1/{10**20 + 39} * r1)"
    spec = {
        "worlds": {"records": "2", "domain": ["-1", "1"]},
        "checks": [{"sensitivity": {"query": query}}],
    }
    assert decide(spec).value == 2**63 + Fraction(2, 10**20 + 39)


@pytest.mark.parametrize("query", ["()", "'word'", "(1, 2) if r1 == 0 else 1"])
def test_a_query_is_numbers(query: str) -> None:
    spec = {
        "worlds": {"records": "1", "domain": ["0", "1"]},
        "checks": [{"sensitivity": {"query": query}}],
    }
    with pytest.raises(InputError, match="S604"):
        decide(spec)


@pytest.mark.parametrize(
    "constraint",
    ["count(value == r2) == 2", "count(value == r1) == 1", "r1 == 0", "count(1 == 1) == 2"],
)
def test_remarks_never_break_a_check(constraint: str) -> None:
    """Constraints that are no count queries of single records have no policy graph."""
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"], "where": constraint},
        "checks": [{"sensitivity": {"query": "r1 + 10 * r2"}}],
    }
    answer = decide(spec)
    known = constraint == "count(1 == 1) == 2"
    assert ("alpha" in answer.scope) == known


def test_the_bound_of_the_policy_graph_fails_for_incomplete_graphs() -> None:
    """E = {a-b}; one record in {a, e}, one in {d, b}: the histogram changes by 6 or more, while
    the only cycle has length 2 and the longest path length 1."""
    spec = {
        "worlds": {
            "records": "2",
            "domain": ["a", "b", "d", "e"],
            "where": [
                "count(value == 'a' or value == 'e') == 1",
                "count(value == 'b' or value == 'd') == 1",
            ],
        },
        "checks": [{"sensitivity": {"query": "histogram", "graph": {"edges": [["a", "b"]]}}}],
    }
    databases = [
        w
        for w in product("abde", repeat=2)
        if sum(x in "ae" for x in w) == 1 and sum(x in "bd" for x in w) == 1
    ]
    pairs = plain.blowfish(databases, lambda i, x, y: {x, y} == {"a", "b"})
    largest = max(
        sum(abs(databases[i].count(v) - databases[j].count(v)) for v in "abde") for i, j in pairs
    )
    answer = decide(spec)
    assert answer.value == largest
    assert (answer.scope["alpha"], answer.scope["xi"]) == (2, 1)


def simple_lengths(
    arcs: set[tuple[Any, Any]], vertices: Sequence[Any]
) -> Iterable[tuple[Any, ...]]:
    """Every sequence of different vertices joined by arcs."""
    for size in range(1, len(vertices) + 1):
        for path in permutations(vertices, size):
            if all(step in arcs for step in pairwise(path)):
                yield path


@EXAMPLES
@given(st.data())
def test_policy_graph_against_all_paths(data: st.DataObject) -> None:
    """Definitions 8.1 to 8.3: arcs p -> q where an edge (x, y) lowers p and lifts q, v+ -> q and
    p -> v- where it does only one of the two, and v+ -> v-."""
    size, count = data.draw(st.integers(2, 4)), data.draw(st.integers(0, 3))
    bits = st.lists(st.booleans(), min_size=size, max_size=size)
    wanted = [np.array(data.draw(bits)) for _ in range(count)]
    edges = np.zeros((size, size), dtype=bool)
    for x, y in data.draw(st.sets(st.tuples(*[st.integers(0, size - 1)] * 2))):
        edges[x, y] = edges[y, x] = x != y
    arcs: set[tuple[Any, Any]] = {("+", "-")}
    sparse = True
    for x, y in np.argwhere(edges):
        up = [q for q in range(count) if wanted[q][y] and not wanted[q][x]]
        down = [q for q in range(count) if wanted[q][x] and not wanted[q][y]]
        sparse &= len(up) <= 1 and len(down) <= 1
        if up or down:
            arcs.add((down[0] if down else "+", up[0] if up else "-"))
    found = policy_graph(wanted, edges)
    assert (found is not None) == sparse
    if found is not None:
        paths = list(simple_lengths(arcs, [*range(count), "+", "-"]))
        cycles = [len(p) for p in paths if len(p) > 1 and (p[-1], p[0]) in arcs]
        assert found.alpha == max(cycles, default=0)
        assert found.xi == max(len(p) - 1 for p in paths if p[0] == "+" and p[-1] == "-")
