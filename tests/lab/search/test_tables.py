"""Tables made simpler stay tables."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.lab.search import tables

SETTINGS = examples(60)


@st.composite
def distributions(draw: st.DrawFn, names: list[str]) -> dict[str, Fraction]:
    shares = draw(st.lists(st.integers(0, 7), min_size=len(names), max_size=len(names)).filter(any))
    return {
        n: Fraction(share, sum(shares)) for n, share in zip(names, shares, strict=True) if share
    }


ROWS = st.lists(distributions(["a", "b", "c"]), min_size=1, max_size=3).map(
    lambda rows: {f"w{at}": row for at, row in enumerate(rows)}
)


@SETTINGS
@given(distributions(["a", "b", "c"]), st.integers(1, 9))
def test_rounding_stays_within_one_step(given_row: dict[str, Fraction], denominator: int) -> None:
    found = tables.rounded(given_row, denominator)
    assert sum(found.values()) == 1
    for key, p in given_row.items():
        assert abs(found.get(key, 0) - p) < Fraction(1, denominator)
        assert (found.get(key, Fraction(0)) * denominator).denominator == 1


@SETTINGS
@given(ROWS)
def test_simpler_tables_are_tables(rows: dict[str, dict[str, Fraction]]) -> None:
    for other in (*tables.simpler(rows), *tables.merged(["a", "b", "c"], rows)):
        assert set(other) == set(rows)
        for row in other.values():
            assert sum(row.values()) == 1 and min(row.values()) > 0


@SETTINGS
@given(ROWS)
def test_merged_outputs_have_the_sum_of_both(rows: dict[str, dict[str, Fraction]]) -> None:
    first = next(tables.merged(["a", "b", "c"], rows))
    for world, row in rows.items():
        assert first[world].get("a", 0) == row.get("a", 0) + row.get("b", 0)
        assert "b" not in first[world]
        assert first[world].get("c", 0) == row.get("c", 0)
