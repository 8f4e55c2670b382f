"""The table of a mechanism with simpler numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verifier.studies.search.example import DENOMINATORS, Weights, rounded

Rows = Mapping[str, Weights]  # world -> distribution over the outputs


def order(rows: Rows) -> tuple[int, int]:
    """Smaller denominators, then smaller numerators."""
    used = [p for row in rows.values() for p in row.values()]
    return sum(p.denominator for p in used), sum(p.numerator for p in used)


def simpler(rows: Rows) -> Iterator[Rows]:
    """All rows with a smaller denominator, or one of them."""
    for denominator in DENOMINATORS:
        close = {world: rounded(row, denominator) for world, row in rows.items()}
        yield close
        yield from ({**rows, world: close[world]} for world in rows)
