"""Drawn histograms of records, and all the lists of records that have one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.definitions.drawn import Draw, Json, world_name
from tests.definitions.plain import Database, Pair
from verifier.world import worlds


class Case:
    """Histograms, and all the lists of records that have one of them."""

    def __init__(self, domain: Any, records: int, absent: bool, kept: set[int] | None) -> None:
        parts = list(domain.values()) if isinstance(domain, dict) else [domain]
        self.values = [v if isinstance(domain, dict) else v[0] for v in product(*parts)]
        self.values += [None] * absent
        space = worlds.exchangeable(records, domain, absent)
        self.node: Json = {
            "records": str(records),
            "domain": domain,
            "absent": str(absent).lower(),
            "exchangeable": "true",
        }
        assert space.counts is not None
        rows = list(map(tuple, space.counts.T.tolist()))
        self.rows = [row for w, row in enumerate(rows) if kept is None or w in kept]
        self.space = space
        if len(self.rows) < len(rows):
            where = " or ".join(map(self.condition, self.rows))
            self.space = worlds.exchangeable(records, domain, absent, where=[where])
            self.node["where"] = where
        place = {row: w for w, row in enumerate(self.rows)}
        lists = [
            (d, tuple(map(d.count, self.values))) for d in product(self.values, repeat=records)
        ]
        self.lists: list[Database] = [d for d, row in lists if row in place]
        self.of = [place[row] for _, row in lists if row in place]

    def condition(self, row: tuple[int, ...]) -> str:
        """An expression that holds for one histogram."""
        names = self.space.attributes or ("value",)

        def count(value: Any, n: int) -> str:
            entries = value if isinstance(value, tuple) else (value,)
            tests = [f"{name} == {entry!r}" for name, entry in zip(names, entries, strict=True)]
            return f"count({' and '.join(tests)}) == {n}"

        known = [(v, n) for v, n in zip(self.values, row, strict=True) if v is not None]
        return f"({' and '.join(count(v, n) for v, n in known)})"

    @property
    def names(self) -> list[str]:
        return self.space.names(range(self.space.size))

    def among(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs of different histograms that some pairs of lists have."""
        return sorted({(self.of[i], self.of[j]) for i, j in pairs if self.of[i] != self.of[j]})


@st.composite
def cases(
    draw: Draw, numbers: bool = False, constrained: bool | None = None, records: int = 5
) -> Case:
    """Few records, `records` at most."""
    absent = not numbers and draw(st.booleans())
    plain_domains = [[0, 1], [0, 1, 4]] if numbers else [["a", "b"], ["a", "b", "c"]]
    mapped = [{"A": [0, 1], "B": [0, 3]}] if numbers else [{"A": [0, 1], "B": ["u", "v"]}]
    domain = draw(st.sampled_from([*plain_domains, *plain_domains, *mapped]))
    values = (4 if isinstance(domain, dict) else len(domain)) + absent
    records = draw(st.integers(1, min(records, {2: 5, 3: 4, 4: 3, 5: 2}[values])))
    total = worlds.exchangeable(records, domain, absent).size
    kept = None
    if draw(st.booleans()) if constrained is None else constrained:
        kept = draw(st.sets(st.integers(0, total - 1), min_size=1))
    return Case(domain, records, absent, kept)


@dataclass(frozen=True)
class Both:
    """The same check about histograms, and about all lists of records that have them."""

    histograms: Json
    lists: Json


def told_apart(case: Case, columns: Any, priors: Any, more: Json) -> Both:
    """A check with the same mechanism and priors on both.

    priors  a class, in which {"histograms": weights} stands for a prior
    """
    absent = None in case.values
    names = [world_name(d, case.values[: len(case.values) - absent], absent) for d in case.lists]
    times = Counter(case.of)
    outputs = [f"o{k}" for k in range(len(columns[0]))]
    specs = []
    for side, (known, of) in enumerate(((case.names, range(len(case.names))), (names, case.of))):

        def written(found: Any, known: Any = known, of: Any = of, side: int = side) -> Any:
            if isinstance(found, list):
                return [written(part) for part in found]
            if not isinstance(found, dict):
                return found
            if "histograms" in found:
                weights = [p / (times[h] if side else 1) for h, p in enumerate(found["histograms"])]
                return {"worlds": {w: str(weights[h]) for w, h in zip(known, of, strict=True)}}
            return {key: written(part) for key, part in found.items()}

        table = {w: [str(p) for p in columns[h]] for w, h in zip(known, of, strict=True)}
        node = {**case.node, "exchangeable": "false"} if side else case.node
        mechanism = {"table": {"outputs": outputs, **table}}
        specs.append({"worlds": node, "mechanism": mechanism, "priors": written(priors), **more})
    return Both(*specs)
