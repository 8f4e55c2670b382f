"""Distributions and tables of mechanisms, with simpler numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from verifier.world.mechanism import Mechanism

Weights = Mapping[str, Fraction]  # world or output -> probability; what is left out has 0
Rows = Mapping[str, Weights]  # world -> distribution over the outputs

DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 60, 100, 1000, 10**6)


def rows_of(mechanism: Mechanism, worlds: Sequence[str]) -> Rows:
    """The table of a mechanism over `worlds`."""
    columns = zip(*mechanism.rows(), strict=True)
    return {
        world: {o: p for o, p in zip(mechanism.outputs, column, strict=True) if p}
        for world, column in zip(worlds, columns, strict=True)
    }


def mechanism_of(worlds: Sequence[str], outputs: Sequence[str], rows: Rows) -> Mechanism:
    """The mechanism with these rows of probabilities, one for each world."""
    return Mechanism.from_rows(outputs, [[rows[w].get(o, 0) for w in worlds] for o in outputs])


def used(outputs: Sequence[str], rows: Rows) -> list[str]:
    """Those of the outputs that some world can give."""
    return [o for o in outputs if any(o in row for row in rows.values())]


def order(rows: Rows) -> tuple[int, int]:
    """Smaller denominators, then smaller numerators."""
    inside = [p for row in rows.values() for p in row.values()]
    return sum(p.denominator for p in inside), sum(p.numerator for p in inside)


def simpler(rows: Rows) -> Iterator[Rows]:
    """All rows with a smaller denominator, or one of them."""
    for denominator in DENOMINATORS:
        close = {world: rounded(row, denominator) for world, row in rows.items()}
        yield close
        yield from ({**rows, world: close[world]} for world in rows)


def merged(outputs: Sequence[str], rows: Rows) -> Iterator[Rows]:
    """The table with two of its outputs as one, for every two of them."""
    for first, second in combinations(outputs, 2):
        found = {}
        for world, row in rows.items():
            both = row.get(first, Fraction(0)) + row.get(second, Fraction(0))
            rest = {o: p for o, p in row.items() if o not in (first, second)}
            found[world] = {**rest, first: both} if both else rest
        yield found


def rounded(given: Weights, denominator: int) -> Weights:
    """A distribution close to the given one in multiples of 1/denominator: rounded down, and what
    is missing added one by one where most was lost. Entries that become 0 are left out."""
    shares = {key: p * denominator for key, p in given.items()}
    whole = {key: int(share) for key, share in shares.items()}
    lost = sorted(given, key=lambda key: whole[key] - shares[key])  # most lost first; stable
    for key in lost[: denominator - sum(whole.values())]:
        whole[key] += 1
    return {key: Fraction(count, denominator) for key, count in whole.items() if count}
