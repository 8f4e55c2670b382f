"""Rows of likelihood matrices: checks of those that are written out, and weighted sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.world.mechanism import Column, Mechanism, constant, lift


class Fail(Protocol):
    """Makes the error to raise at some place."""

    def __call__(self, code: str, message: str, hint: str = "") -> InputError:
        """From its code, message and hint."""
        ...


def check_row(
    name: str, row: Sequence[Fraction | int], cell: Callable[[int], Fail], whole: Fail
) -> None:
    """Refuse probabilities outside [0, 1] (S104) and sums other than 1 (S103).

    name   what the row is called in the message
    row    the probabilities
    cell   place in the row -> how to refuse what stands there
    whole  how to refuse the row
    """
    for at, p in enumerate(row):
        if not 0 <= p <= 1:
            raise cell(at)("S104", f"the probability {p} is not in [0, 1]", exact.share(p))
    total = exact.total(row)
    if total != 1:
        off = f"must be 1 (off by {abs(total - 1)})"
        raise whole("S103", f"{name} sums to {total}, {off}", exact.completed(row))


def quoted(name: str) -> str:
    """A name as a key of a file: in quotes where it has a comma or a bracket."""
    return f'"{name}"' if any(sign in name for sign in ",{}[]:#") else name


def row_for(name: str, outputs: int, sign: str) -> str:
    """An example of a row of a table: a world, a sign, and a probability for each output.

    name     the world
    outputs  how many there are
    sign     what stands between the two
    """
    name = quoted(name)
    cells = [f"1/{outputs}" if outputs > 1 else "1"] * outputs
    shown = cells if outputs <= 8 else [*cells[:3], "…"]
    return f"{name}," + ",".join(shown) if sign == "," else f"{name}: [{', '.join(shown)}]"


def add(total: Column | None, row: Column, weight: Fraction) -> Column:
    """total + weight * row, world by world."""
    if total is None:
        made = lift(lambda p: weight * p, row)
    else:
        made = lift(lambda t, p: t + weight * p, total, row)
    return made if isinstance(made, Column) else constant(made, row.size)


def weighted_sums(mechanism: Mechanism, terms: Iterable[tuple[int, Fraction]]) -> Column:
    """The sum of weight * P(output | .) over given outputs, in every world.

    mechanism  whose outputs they are
    terms      (output, weight), at least one
    """
    total: Column | None = None
    for output, weight in terms:
        total = add(total, mechanism.row(output), weight)
    assert total is not None
    return total
