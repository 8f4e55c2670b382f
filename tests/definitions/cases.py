"""Drawn checks of every definition, each with what it compares by the plain definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.drawn import Draw, Json, Space
from tests.definitions.plain import Column, Pair
from verifier.definitions import (
    blowfish,
    differential_privacy,
    induced_neighbours,
    label_privacy,
    metric_privacy,
)

ONE = Fraction(1)


@dataclass(frozen=True)
class Case:
    """One drawn check without its level.

    columns   the compared distributions; pairs with their distances refer to them
    excess    the definition's own `value` at alpha: at most `delta` exactly where it holds
    serves    whether it holds at alpha, where that is no comparison of pairs of columns
    about     further facts for tests of one definition
    """

    spec: Json
    keyword: str
    options: Json
    columns: Sequence[Column]
    distances: dict[Pair, Fraction]
    excess: Callable[[Fraction], Fraction]
    delta: Fraction = Fraction(0)
    serves: Callable[[Fraction], bool] | None = None
    about: Any = None

    def with_level(self, **level: str) -> Json:
        """The spec with one check at a level."""
        return {**self.spec, "checks": [{self.keyword: {**self.options, **level}}]}


def spec_of(space: Space, columns: Sequence[Column], **more: Any) -> Json:
    return {"worlds": space.node, "mechanism": drawn.table(space, columns), **more}


def rows_of(columns: Sequence[Column]) -> list[list[Fraction]]:
    return [list(row) for row in zip(*columns, strict=True)]


DELTAS = [Fraction(0), Fraction(0), Fraction(1, 3), Fraction(1, 7), Fraction(1), plain.ONE / 10**31]


@st.composite
def differential(draw: Draw) -> Case:
    """Every kind of neighbours, with group and delta."""
    kind = draw(st.sampled_from(["replace", "add_remove", "entry", "all", "induced", *METRICS]))
    space = draw(drawn.named_spaces() if kind == "all" else SPACES.get(kind, drawn.spaces()))
    columns = draw(drawn.matrices(space.size))
    options: Json = {"neighbours": kind}
    group = draw(st.integers(1, 3)) if kind in GROUPED else 1
    if kind in GROUPED:
        options = {} if kind == "replace" and draw(st.booleans()) else options
        options |= {"group": str(group)} if group > 1 else {}
        found = plain.pairs_of(space.databases, GROUPED[kind], group)
    elif kind in METRICS:
        limit = draw(
            st.sampled_from(["1", "2"] if kind == "hamming" else ["1", "2/3", "2", "1/1000"])
        )
        options = {"neighbours": {kind: limit}}
        found = {
            (i, j)
            for i, j in permutations(range(space.size), 2)
            if plain.distance(kind, space.databases[i], space.databases[j]) <= Fraction(limit)
        }
    elif kind == "all":
        found = set(permutations(range(space.size), 2))
    else:
        found = plain.induced(space.databases)
    rows = rows_of(columns)
    return _on_worlds(
        draw,
        space,
        columns,
        ("differential_privacy", options),
        found,
        lambda alpha: differential_privacy.value(rows, found, alpha),
    )


METRICS = ("hamming", "l1", "linf")
GROUPED = {
    "replace": plain.is_replace,
    "add_remove": plain.is_add_remove,
    "entry": plain.is_entry,
}
NUMERIC = drawn.spaces(absent=False, numeric=True)
SPACES = {
    "add_remove": drawn.spaces(absent=True),
    "entry": drawn.spaces(attributes=True),
    "induced": drawn.spaces(constrained=True),
    "l1": NUMERIC,
    "linf": NUMERIC,
}


def _on_worlds(
    draw: Draw,
    space: Space,
    columns: Sequence[Column],
    check: tuple[str, Json],
    pairs: set[Pair],
    excess: Callable[[Fraction], Fraction],
) -> Case:
    """A check that compares pairs of worlds."""
    delta, (keyword, options) = draw(st.sampled_from(DELTAS)), check
    return Case(
        spec_of(space, columns),
        keyword,
        {**options, "delta": str(delta)} if delta else options,
        columns,
        dict.fromkeys(pairs, ONE),
        excess,
        delta,
    )


@st.composite
def induced(draw: Draw) -> Case:
    space = draw(drawn.spaces(constrained=True))
    columns = draw(drawn.matrices(space.size))
    rows = rows_of(columns)
    return _on_worlds(
        draw,
        space,
        columns,
        ("induced_neighbours", {}),
        plain.induced(space.databases),
        lambda alpha: induced_neighbours.value(rows, space.databases, alpha),
    )


@st.composite
def labels(draw: Draw) -> Case:
    space = draw(drawn.spaces(attributes=True))
    columns, label = draw(drawn.matrices(space.size)), draw(st.integers(0, 1))
    rows = rows_of(columns)
    return _on_worlds(
        draw,
        space,
        columns,
        ("label_privacy", {"label": "AB"[label]}),
        plain.pairs_of(space.databases, plain.is_label, label),
        lambda alpha: label_privacy.value(rows, space.databases, label, alpha),
    )


@st.composite
def graphs(draw: Draw, space: Space, records: int) -> tuple[Any, plain.Edge]:
    """A secret graph as it is written, and its edges."""
    kinds = ["full", "partition", "edges", "between", "records"]
    kinds += ["attribute"] if isinstance(space.values[0], tuple) else []
    kinds += ["distance"] if isinstance(space.values[0], Fraction) else []
    kind = draw(st.sampled_from(kinds))
    if kind == "full":
        return draw(st.sampled_from(["full", None])), lambda i, x, y: _present(x, y)
    if kind == "attribute":
        return kind, lambda i, x, y: _present(x, y) and plain.entries_changed(x, y) == 1
    if kind == "distance":
        limit = draw(st.sampled_from(["1", "4/3", "3/2", "2"]))
        close = {pair for pair in combinations(space.values, 2) if is_close(*pair, limit)}
        return {"distance": limit}, lambda i, x, y: (x, y) in close or (y, x) in close
    if kind == "records":
        first, inner = (
            draw(graphs(space, 0)) if records else ("full", lambda i, x, y: _present(x, y))
        )
        first = "full" if first is None else first

        def of_record(i: int, x: Any, y: Any) -> bool:
            return _present(x, y) if i else inner(i, x, y)

        if isinstance(first, dict) and "records" in first:
            return "full", lambda i, x, y: _present(x, y)
        return {"records": {"r1": first}}, of_record
    values = [*space.values, *([None] if space.absent else [])]  # an absent record may be joined
    texts = {v: drawn.value_text(v) for v in values}
    joined = draw(st.sets(st.sampled_from(list(combinations(values, 2)))))
    if kind == "edges":
        edges = [[texts[x], texts[y]] for x, y in sorted(joined, key=repr)]
        return {"edges": edges}, lambda i, x, y: (x, y) in joined or (y, x) in joined
    if kind == "between":
        far = {pair: draw(st.sampled_from(["1/2", "1", "3"])) for pair in sorted(joined, key=repr)}
        near = {pair for pair, d in far.items() if Fraction(d) <= 1}
        given = [[texts[x], texts[y], d] for (x, y), d in far.items()]
        graph = {"distance": "1", "between": given}
        return graph, lambda i, x, y: (x, y) in near or (y, x) in near
    block = {v: draw(st.integers(0, 2)) for v in values}
    blocks = [[texts[v] for v in values if block[v] == k] for k in range(2)]

    def together(i: int, x: Any, y: Any) -> bool:  # values in no block are joined to nothing
        return bool(block[x] == block[y] < 2)

    return {"partition": [part for part in blocks if part]}, together


def is_close(x: Fraction, y: Fraction, limit: str) -> bool:
    return abs(x - y) <= Fraction(limit)


def _present(x: Any, y: Any) -> bool:
    return x is not None and y is not None and x != y


@st.composite
def policies(draw: Draw) -> Case:
    space = draw(drawn.spaces())
    columns = draw(drawn.matrices(space.size))
    graph, edge = draw(graphs(space, len(space.databases[0])))
    rows = rows_of(columns)
    return _on_worlds(
        draw,
        space,
        columns,
        ("blowfish", {} if graph is None else {"graph": graph}),
        plain.blowfish(space.databases, edge),
        lambda alpha: blowfish.value(rows, space.databases, edge, alpha),
    )


@st.composite
def metrics(draw: Draw) -> Case:
    """hamming, l1, linf on records, graphs on named worlds."""
    kind = draw(st.sampled_from([*METRICS, "graph"]))
    if kind == "graph":
        space = draw(drawn.named_spaces())
        lengths = {
            pair: draw(st.sampled_from(["1/2", "1", "2", "2/3", "3"]))
            for pair in draw(st.sets(st.sampled_from(list(combinations(range(space.size), 2)))))
        }
        options: Json = {
            "distance": {
                "graph": [[space.names[i], space.names[j], d] for (i, j), d in lengths.items()]
            }
        }
        distances = shortest({p: Fraction(d) for p, d in lengths.items()}, space.size)
    else:
        space = draw(drawn.spaces() if kind == "hamming" else NUMERIC)
        options = {"distance": kind}
        distances = {
            (i, j): plain.distance(kind, space.databases[i], space.databases[j])
            for i, j in permutations(range(space.size), 2)
        }
    columns = draw(drawn.matrices(space.size))
    rows, listed = rows_of(columns), [(i, j, d) for (i, j), d in distances.items()]
    return Case(
        spec_of(space, columns),
        "metric_privacy",
        options,
        columns,
        distances,
        lambda alpha: metric_privacy.value(rows, listed, alpha),
    )


def shortest(lengths: dict[Pair, Fraction], size: int) -> dict[Pair, Fraction]:
    """Lengths of shortest paths (Floyd, Warshall); worlds that no path joins are left out."""
    found = {**lengths, **{(j, i): d for (i, j), d in lengths.items()}}
    for k in range(size):
        for i, j in permutations(range(size), 2):
            if (i, k) in found and (k, j) in found:
                through = found[i, k] + found[k, j]
                found[i, j] = min(through, found.get((i, j), through))
    return {pair: d for pair, d in found.items() if pair[0] != pair[1]}
