"""Plain arithmetic shared by the definitions' `value` functions: no arrays, no codes, no tricks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[Fraction]]  # rows: outputs; columns: worlds


def smallest_delta(rows: Matrix, pairs: Iterable[tuple[int, int]], alpha: Fraction) -> Fraction:
    """The largest Σ_o max(0, M[o, w] − α·M[o, w']) over pairs (w, w').

    rows   M, one row per output o, one column per world
    pairs  the ordered pairs of worlds
    alpha  α, the level e^ε
    """
    return max(
        (
            sum((max(Fraction(0), row[w] - alpha * row[v]) for row in rows), Fraction(0))
            for w, v in pairs
        ),
        default=Fraction(0),
    )
