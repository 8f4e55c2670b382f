"""Mechanisms as likelihood matrices: P(output | world), exact.

The matrix is a short table of its distinct values and one integer code per entry. The table
ascends, so comparing codes compares values: largest and smallest entries are found on integer
arrays, and rational arithmetic runs once per distinct pair of values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from verifier.column import Column
from verifier.errors import InputError


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A likelihood matrix over a fixed list of worlds.

    outputs  distinct labels
    values   the distinct probabilities, strictly ascending
    codes    shape (outputs, worlds): P(outputs[o] | world w) = values[codes[o, w]]
    notes    what was merged or skipped while it was built, in words
    """

    outputs: tuple[str, ...]
    values: tuple[Fraction, ...]
    codes: np.ndarray
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        outputs: Iterable[str],
        values: Sequence[Fraction],
        codes: np.ndarray,
        notes: Iterable[str] = (),
    ) -> Mechanism:
        """The mechanism with entries values[codes]; `values` in any order, repeats allowed.

        Raises InputError S103 where a column does not sum to 1, S104 for an entry outside
        [0, 1], S105 for repeated or missing labels.
        """
        labels = tuple(outputs)
        _check_labels(labels, codes.shape[0])
        table, order = _ascending(values, np.unique(codes))
        if table and not (table[0] >= 0 and table[-1] <= 1):
            wrong = table[0] if table[0] < 0 else table[-1]
            raise InputError("S104", f"the probability {wrong} is not in [0, 1]")
        made = cls(labels, table, order[codes], tuple(notes))
        for world, total in _wrong_columns(made):
            raise InputError(
                "S103", f"the probabilities in world number {world + 1} sum to {total}, must be 1"
            )
        return made

    @classmethod
    def from_rows(
        cls, outputs: Iterable[str], rows: Iterable[Sequence[Fraction]], notes: Iterable[str] = ()
    ) -> Mechanism:
        """The mechanism with one row of probabilities (one per world) for each output.

        >>> Mechanism.from_rows(["yes", "no"], [[Fraction(1, 2), 1], [Fraction(1, 2), 0]]).values
        (Fraction(0, 1), Fraction(1, 2), Fraction(1, 1))
        """
        coder = Coder()
        codes = np.array([[coder.code(p) for p in row] for row in rows], dtype=np.int64)
        if codes.ndim != 2:
            raise InputError("S105", "a mechanism needs at least one output and one world")
        return cls.of(outputs, coder.values, codes, notes)

    @classmethod
    def from_columns(
        cls, outputs: Iterable[str], rows: Iterable[Column], notes: Iterable[str] = ()
    ) -> Mechanism:
        """The mechanism with one Column of probabilities over the worlds for each output."""
        coder = Coder()
        codes = []
        for row in rows:
            table = np.zeros(len(row.values), dtype=np.int64)
            for code in np.unique(row.codes).tolist():
                table[code] = coder.code(row.values[code])
            codes.append(table[row.codes])
        return cls.of(outputs, coder.values, np.array(codes), notes)

    def row(self, output: int) -> Column:
        """P(output | .) as a column over the worlds."""
        return Column(self.values, self.codes[output])

    @property
    def worlds(self) -> int:
        """The number of worlds (columns)."""
        return int(self.codes.shape[1])

    def probability(self, output: int, world: int) -> Fraction:
        """P(output | world)."""
        return self.values[int(self.codes[output, world])]

    def rows(self) -> Iterator[list[Fraction]]:
        """The matrix, one list of probabilities per output."""
        for row in self.codes.tolist():
            yield [self.values[code] for code in row]


class Coder:
    """Gives each distinct rational a code, in order of first appearance."""

    def __init__(self) -> None:
        self.values: list[Fraction] = []
        self._codes: dict[tuple[int, int], int] = {}

    def code(self, value: Fraction | int) -> int:
        """The code of a value."""
        key = (value.numerator, value.denominator)  # hashing a Fraction is far slower
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = len(self.values)
            self.values.append(Fraction(value))
        return found


def merge_proportional_rows(mechanism: Mechanism) -> Mechanism:
    """The mechanism with proportional rows added up.

    Such outputs carry the same information about the world, so no comparison of worlds changes
    (but the probabilities of runs do); the merged label joins the old ones with ` | `.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for output, row in enumerate(mechanism.codes):
        present, pattern = np.unique(row, return_inverse=True)
        top = mechanism.values[present[-1]]
        shape = tuple(mechanism.values[code] / top for code in present) if top else ()
        groups.setdefault((pattern.tobytes(), shape), []).append(output)
    rows = [
        [sum(column, Fraction(0)) for column in zip(*_some_rows(mechanism, group), strict=True)]
        for group in groups.values()
    ]
    labels = [" | ".join(mechanism.outputs[o] for o in group) for group in groups.values()]
    merged = len(mechanism.outputs) - len(groups)
    note = (f"{merged} proportional outputs were merged into others",) if merged else ()
    return Mechanism.from_rows(labels, rows, (*mechanism.notes, *note))


def _some_rows(mechanism: Mechanism, outputs: Iterable[int]) -> Iterator[list[Fraction]]:
    for output in outputs:
        yield [mechanism.values[code] for code in mechanism.codes[output].tolist()]


def _check_labels(labels: tuple[str, ...], rows: int) -> None:
    if rows == 0 or len(labels) != rows:
        raise InputError("S105", f"{rows} rows of probabilities for {len(labels)} outputs")
    repeated = [label for label, count in Counter(labels).items() if count > 1]
    if repeated:
        raise InputError("S105", f"the output '{repeated[0]}' appears twice")


def _ascending(
    values: Sequence[Fraction], used: np.ndarray
) -> tuple[tuple[Fraction, ...], np.ndarray]:
    """The distinct used values in ascending order, and the new code of each old code.

    Sorted by their first 128 binary places, which are exact integers; only values that agree
    there are compared as rationals.
    """
    live = used.tolist()
    places = {c: (values[c].numerator << 128) // values[c].denominator for c in live}
    live.sort(key=places.__getitem__)
    start = 0
    for stop in range(1, len(live) + 1):
        if stop == len(live) or places[live[stop]] != places[live[start]]:
            if stop - start > 1:
                live[start:stop] = sorted(live[start:stop], key=values.__getitem__)
            start = stop
    table: list[Fraction] = []
    order = np.zeros(len(values), dtype=np.int64)
    for code in live:
        if not table or table[-1] != values[code]:
            table.append(values[code])
        order[code] = len(table) - 1
    return tuple(table), order.astype(np.min_scalar_type(max(0, len(table) - 1)))


def _wrong_columns(mechanism: Mechanism) -> Iterator[tuple[int, Fraction]]:
    """Worlds whose column does not sum to 1, with the sum; equal multisets are summed once."""
    seen: set[bytes] = set()
    values = mechanism.values
    for world, column in enumerate(np.sort(mechanism.codes.T, axis=1)):
        key = column.tobytes()
        if key in seen:
            continue
        seen.add(key)
        counts = Counter(column.tolist())
        common = lcm(*(values[code].denominator for code in counts))
        total = sum(
            times * values[code].numerator * (common // values[code].denominator)
            for code, times in counts.items()
        )
        if total != common:
            yield world, Fraction(total, common)
