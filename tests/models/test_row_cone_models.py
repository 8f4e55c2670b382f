"""What randomized response protects: the numbers of models/row-cone, by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import pytest

from tests.models import row_cone_statements
from tests.models.brute_force import (
    Level,
    Mechanism,
    Row,
    coin,
    databases,
    differential_privacy,
    independent,
    one_differs,
)
from tests.models.closures import is_made_of, is_refuted_by
from tests.models.implications import extreme_rows, policies_compared
from tests.models.model_files import confirm, confirm_engine, once

FOLDER = "row-cone"
BITS = (0, 1)
P = F(3, 4)


def closures_compared() -> list[Level]:
    worlds = databases(2, BITS)

    def kept(truth: F) -> Mechanism:
        return {w: independent([coin(truth if x else 1 - truth) for x in w]) for w in worlds}

    def again(o: Any) -> Row:
        return independent([coin(F(5, 6) if x else F(1, 6)) for x in o])

    def weights(row: Row) -> Row:
        """Of the rows of two responses with truth P, each column by the inverse of one bit's."""
        inverse = {True: P / (2 * P - 1), False: (P - 1) / (2 * P - 1)}
        return {
            o: sum(row[w] * inverse[o[0] == w[0]] * inverse[o[1] == w[1]] for w in worlds)
            for o in worlds
        }

    def parity(alpha: F) -> Mechanism:
        found = {w: coin(F(alpha if sum(w) % 2 else 1) / (1 + alpha)) for w in worlds}
        assert differential_privacy(found, one_differs) == alpha
        return found

    more, less = kept(P), kept(F(2, 3))
    assert all(
        weights({w: more[w][o] for w in worlds}) == {v: v == o for v in worlds} for o in more
    )
    # rows made with y >= 0 sum to 1 only if each y of the independent rows does
    within = all(
        min(weights(row).values()) >= 0 for row in extreme_rows(worlds, one_differs, F(5, 3))
    )
    facet = {w: F(-((-3) ** sum(w))) for w in worlds}  # Theorem 4.3 for the string 00, times 16
    naming = {o: {w: F(w == o) for w in worlds} for o in worlds}
    made = is_made_of(less, (F(1), more, again))
    return [
        is_refuted_by({1: facet}, parity(F(3)), [more]),
        within,
        is_refuted_by({1: facet}, parity(F("1.667")), [more]),
        made,
        is_refuted_by(naming, more, [less]),
        made,  # and less truth has independent rows, too
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    **row_cone_statements.DERIVED,
    "closures-compared.yaml": closures_compared,
    "policies-compared.yaml": policies_compared,
}


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
