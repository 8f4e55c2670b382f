"""Tables of few distinct values: columns with one value per world, and likelihood matrices.

Both hold distinct values once and an integer code for each place. An operation on columns runs
once per combination of values that occurs, not once per world, so exact arithmetic on a million
worlds costs a few array operations. The codes of a mechanism ascend with its values: largest and
smallest entries are found on integer arrays, and rational arithmetic runs once per distinct pair of
values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.base.nouns import Later, Shown, dataclass, plot

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from verifier.world.noise import Noise

CONE = "cone"  # its rows span the closed cone that those of released real numbers do
PAIRS = "pairs"  # of two worlds the largest ratio of probabilities is that of densities
MIXED = "mixed"  # real numbers are mixtures of its outputs
ENDS = "ends"  # likewise, and of compared worlds the level is that of densities
CUT = "cut"  # of two worlds the smallest delta at some levels is that of densities
Asked = tuple["Mechanism", Mapping[tuple[int, int], Fraction]]  # columns that mix worlds; distances
MAX_COMMON = 5_000  # bits of a common denominator of all probabilities


@dataclass(frozen=True, eq=False)
class Column(Later):
    """The value of world w is values[codes[w]].

    values  distinct (a value may be unused)
    codes   shape (worlds,), integers below len(values)
    """

    values: tuple[Hashable, ...]
    codes: np.ndarray

    @property
    def size(self) -> int:
        """The number of worlds."""
        return len(self.codes)

    def take(self, rows: np.ndarray) -> Column:
        """The column of the worlds with the numbers `rows`, in that order."""
        return Column(self.values, self.codes[rows])

    def where(self, test: Callable[[Any], object]) -> np.ndarray:
        """Boolean array: whether the value of each world passes a test."""
        passes = np.array([bool(test(value)) for value in self.values], dtype=bool)
        return np.asarray(passes[self.codes])

    def tolist(self) -> list[Any]:
        """The values, one per world."""
        return [self.values[code] for code in self.codes.tolist()]


def constant(value: Hashable, size: int) -> Column:
    """The column with one `value` everywhere, over so many worlds (`size`)."""
    return Column((value,), np.zeros(size, dtype=np.uint8))


def lift(operation: Callable[..., Any], *arguments: Any) -> Any:
    """`operation` of the arguments world by world: called once per combination that occurs.

    Arguments that are no columns are the same in every world; with no column at all this is a
    plain call.

    >>> bit = Column((0, 1), np.array([0, 1, 1]))
    >>> lift(lambda x, y: x + y, bit, 2).tolist()
    [2, 3, 3]
    """
    columns = [argument for argument in arguments if isinstance(argument, Column)]
    if not columns:
        return operation(*arguments)
    indices, codes = combinations([(len(c.values), c.codes) for c in columns])
    rows = iter(indices)
    size = len(indices[0])
    spread = [
        [argument.values[i] for i in next(rows).tolist()]
        if isinstance(argument, Column)
        else [argument] * size
        for argument in arguments
    ]
    table, order = intern(map(operation, *spread))
    return Column(table, order[codes] if len(table) < size else codes)


def intern(values: Iterable[Hashable]) -> tuple[tuple[Hashable, ...], np.ndarray]:
    """The distinct values in order of first appearance, and the code of each."""
    seen: dict[Hashable, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    return tuple(seen), np.array(codes, dtype=_smallest(len(seen)))


def combinations(parts: Sequence[tuple[int, np.ndarray]]) -> tuple[list[np.ndarray], np.ndarray]:
    """The combinations of codes that occur together in all `parts`.

    Each part is (number of codes, codes of the rows); all have the same rows. Returns, per part,
    its code in each combination, and the combination of each row. Combinations are numbered in
    lexicographic order.
    """
    (size, codes), *rest = parts
    if not rest:
        present, codes = compress(codes, size)
        return [present], codes
    indices = [np.arange(size)]
    for more, other in rest:
        product = size * more
        wide = _smallest(product)
        present, codes = compress(codes.astype(wide) * wide(more) + other.astype(wide), product)
        before = present // more
        indices = [index[before] for index in indices] + [present - before * more]
        size = len(present)
    return indices, codes


def compress(codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The codes below `size` that occur, ascending, and for each row the rank of its code."""
    if size > 4 * len(codes) + 4096:
        present, ranks = np.unique(codes, return_inverse=True)
        return present.astype(np.int64), ranks.reshape(-1)
    occurs = np.flatnonzero(np.bincount(codes, minlength=size))
    if len(occurs) == size:
        return occurs, codes
    order = np.zeros(size, dtype=_smallest(len(occurs)))
    order[occurs] = np.arange(len(occurs))
    return occurs, order.take(codes)


def join(size: int, parts: Iterable[tuple[np.ndarray, Any]]) -> Column:
    """The column of `size` worlds put together from parts (world numbers, column or value)."""
    seen: dict[Hashable, int] = {}
    codes = np.zeros(size, dtype=np.int64)
    for rows, part in parts:
        if isinstance(part, Column):
            order = [seen.setdefault(value, len(seen)) for value in part.values]
            codes[rows] = np.array(order, dtype=np.int64)[part.codes]
        else:
            codes[rows] = seen.setdefault(part, len(seen))
    return Column(tuple(seen), codes.astype(_smallest(len(seen))))


def _smallest(size: int) -> type[np.unsignedinteger[Any]] | type[np.signedinteger[Any]]:
    """The smallest integer type for the codes 0 .. size - 1."""
    for kind in (np.uint8, np.uint16, np.uint32):
        if size <= np.iinfo(kind).max:
            return kind
    return np.int64


@dataclass(frozen=True)
class Several(Later):
    """Many values as one output, whose rows are proportional: all whole numbers from one on, or
    outputs that were merged. Sorted as the number `end`."""

    end: int | Fraction
    text: str

    def __repr__(self) -> str:
        return self.text


class Middle(Several):
    """A function that densities are mixtures of, and that is no density itself."""


def is_middle(value: Any) -> bool:
    """Whether a `Middle` is, or is in, what is released as one `value`."""
    if isinstance(value, tuple):
        return any(map(is_middle, value))
    return isinstance(value, Middle)


def stands_for_many(value: Any) -> bool:
    """Whether many values are, or are in, what is released as one `value`."""
    if isinstance(value, tuple):
        return any(map(stands_for_many, value))
    return isinstance(value, Several)


@dataclass(frozen=True)
class Output(Later):
    """A value that is released, and the text by which reports and files name it."""

    text: str
    value: Any


@dataclass(frozen=True, eq=False)
class Mechanism(Shown, Later):
    """A likelihood matrix over a fixed list of worlds.

    outputs   distinct labels
    values    the distinct probabilities, strictly ascending
    codes     shape (outputs, worlds): P(outputs[o] | world w) = values[codes[o, w]]
    notes     what was merged or skipped while it was built, in words
    noise     the comparisons of draws that the values are probabilities of, where it is known
    released  the values of the language that the outputs are; empty where only labels are known
    reals     where outputs stand for real numbers, for which questions the mechanism says no more
              than these: `CONE`, `PAIRS`, `ENDS` or `CUT`; for none where it is `MIXED`; else empty
    levels    the levels e^ε at which what is `CUT` says no more than real numbers
    cutter    levels e^ε, what is compared, and whether more is told where a place is irrational ->
              regions of real numbers, with the same smallest delta of these pairs at these levels,
              and a larger one at no level; or, if more is told, at least that of the numbers. Of
              what is `MIXED` without levels: what is `ENDS`, with densities as the first outputs.
              None where it is not known how

    Real numbers can be drawn from what stands for them, so that it says at least as much. What
    compares likelihoods of worlds, or of mixtures of them, holds for a row together with all its
    multiples, and for two rows together with their sum: the cone that rows span decides it.
    """

    outputs: tuple[str, ...]
    values: tuple[Fraction, ...]
    codes: np.ndarray
    notes: tuple[str, ...] = ()
    noise: Noise | None = None
    released: tuple[Any, ...] = ()
    reals: str = ""
    levels: tuple[Fraction, ...] = ()
    cutter: Callable[..., Any] | None = None

    @classmethod
    def of(
        cls,
        outputs: Iterable[str | Output],
        values: Sequence[Fraction],
        codes: np.ndarray,
        notes: Iterable[str] = (),
        parts: Iterable[Mechanism] = (),
    ) -> Mechanism:
        """The mechanism with entries values[codes]; `values` in any order, repeats allowed.

        outputs  their labels, or the values with their labels
        values   in any order, repeats allowed
        codes    shape (outputs, worlds), places in `values`
        notes    what was merged or skipped, in words
        parts    the mechanisms that it is made of, whose mark of real numbers, `reals`, it has

        Raises InputError S103 where a column does not sum to 1, S104 for an entry outside
        [0, 1], S105 for repeated or missing labels.
        """
        given = list(outputs)
        labels = tuple(one.text if isinstance(one, Output) else one for one in given)
        known = tuple(one.value for one in given if isinstance(one, Output))
        _check_labels(labels, codes.shape[0])
        used = np.zeros(len(values), dtype=bool)
        for row in codes:
            used[row] = True
        table, order = _ascending(values, np.flatnonzero(used))
        released = known if len(known) == len(given) else ()
        reals = _reals_of(parts)
        made = cls(labels, table, order[codes], tuple(notes), released=released, reals=reals)
        for world, total in _wrong_columns(made):
            raise InputError(
                "S103", f"the probabilities in world number {world + 1} sum to {total}, must be 1"
            )
        return made

    @classmethod
    def from_rows(
        cls,
        outputs: Iterable[str | Output],
        rows: Iterable[Sequence[Fraction | int | str]],
        notes: Iterable[str] = (),
        parts: Iterable[Mechanism] = (),
    ) -> Mechanism:
        """The mechanism with one row of probabilities for each output; InputError S101 for a float.

        outputs  their labels
        rows     for each output one probability per world
        notes    what was merged or skipped, in words
        parts    the mechanisms that it is made of

        >>> Mechanism.from_rows(["yes", "no"], [["1/2", 1], ["0.5", 0]]).values
        (Fraction(0, 1), Fraction(1, 2), Fraction(1, 1))
        """
        coder = Coder()
        codes = [
            [coder.code(p if isinstance(p, Fraction) else exact.number(p)) for p in row]
            for row in rows
        ]
        if len({len(row) for row in codes}) != 1 or not codes[0]:
            raise InputError("S105", "a mechanism needs outputs, worlds, and rows of one length")
        return cls.of(outputs, coder.values, np.array(codes, dtype=np.int64), notes, parts)

    @classmethod
    def from_columns(
        cls,
        outputs: Iterable[str | Output],
        rows: Iterable[Column],
        notes: Iterable[str] = (),
        parts: Iterable[Mechanism] = (),
    ) -> Mechanism:
        """The mechanism with one Column of probabilities over the worlds for each output.

        outputs  their labels
        rows     their columns
        notes    what was merged or skipped, in words
        parts    the mechanisms that it is made of
        """
        coder = Coder()
        codes = []
        for row in rows:
            table = np.zeros(len(row.values), dtype=np.int64)
            for code in np.unique(row.codes).tolist():
                table[code] = coder.code(row.values[code])
            codes.append(table[row.codes])
        return cls.of(outputs, coder.values, np.array(codes), notes, parts)

    @classmethod
    def from_array(
        cls,
        outputs: Iterable[str],
        counts: np.ndarray,
        denominator: int | Sequence[int] | np.ndarray | None = None,
    ) -> Mechanism:
        """The mechanism with whole numbers, as NumPy has them, over a common denominator.

        outputs      their labels
        counts       shape (outputs, worlds), integers
        denominator  of all of them, or one for each world; None for the sum of each column

        Raises InputError S101 for floats, which are rounded already; else as `of` does.

        >>> Mechanism.from_array(["yes", "no"], np.array([[1, 3], [2, 0]])).values
        (Fraction(0, 1), Fraction(1, 3), Fraction(2, 3), Fraction(1, 1))
        """
        from verifier.world import arrays

        return cls.from_rows(outputs, arrays.rows(counts, denominator))

    @property
    def matrix(self) -> np.ndarray:
        """All probabilities exactly: an array of objects, shape (outputs, worlds)."""
        from verifier.world import arrays

        return arrays.exactly(self.values, self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The matrix as floats, which are rounded; exactly with `dtype=object`."""
        from verifier.world import arrays

        if copy is False:
            raise ValueError("the matrix of a mechanism becomes an array by copying only")
        return arrays.about(self.values, self.codes, dtype)

    def to_dataframe(self, worlds: Iterable[str] | None = None) -> pandas.DataFrame:
        """The matrix as a frame of pandas with exact numbers, a row for each output.

        worlds  names of the columns; numbers from 1 by default

        LibraryMissing without pandas.
        """
        from verifier.world import arrays

        return arrays.frame(self.outputs, self.matrix, worlds)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a part of the matrix on given axes, or on the current ones, and return them."""
        return plot(self, ax)

    def taken(self, worlds: np.ndarray) -> Mechanism:
        """The mechanism over the worlds with the numbers `worlds`, in that order."""
        return replace(self, codes=self.codes[:, worlds], cutter=None)

    def row(self, output: int) -> Column:
        """P(output | .) as a column over the worlds."""
        return Column(self.values, self.codes[output])

    @property
    def labelled(self) -> Sequence[str | Output]:
        """The outputs with their values, as far as these are known."""
        if not self.released:
            return self.outputs
        return list(map(Output, self.outputs, self.released))

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
        self._codes: dict[Hashable, int] = {}

    def code(self, value: Fraction | int) -> int:
        """The code of a value."""
        rational = type(value) in (int, Fraction)
        key = value.as_integer_ratio() if rational else value  # hashing a Fraction is far slower
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = len(self.values)
            self.values.append(value if isinstance(value, Fraction) else Fraction(value))
        return found


def merge_proportional_rows(mechanism: Mechanism) -> Mechanism:
    """The mechanism with proportional rows added up.

    Such outputs carry the same information about the world, so no comparison of worlds changes
    (but the probabilities of runs do); the merged label joins the old ones with ` | `.
    """
    groups = proportional_outputs(mechanism)
    rows = [
        [sum(column, Fraction(0)) for column in zip(*_some_rows(mechanism, group), strict=True)]
        for group in groups
    ]
    labelled = mechanism.labelled
    merged = len(mechanism.outputs) - len(groups)
    note = (f"{merged} proportional outputs were merged into others",) if merged else ()
    labels = [
        labelled[group[0]] if len(group) == 1 else _several(mechanism.outputs[o] for o in group)
        for group in groups
    ]
    return Mechanism.from_rows(labels, rows, (*mechanism.notes, *note), [mechanism])


def told_as_one(outputs: Sequence[str]) -> list[str]:
    """What a reader has to know of outputs that stand for many with proportional rows."""
    said = ", ".join(outputs)
    return [f"told as one, as they say the same of the worlds: {said}"] if outputs else []


def _several(labels: Iterable[str]) -> Output:
    text = " | ".join(labels)
    return Output(text, Several(0, text))


def proportional_outputs(mechanism: Mechanism) -> list[list[int]]:
    """The outputs of a `mechanism` in groups with proportional rows; impossible ones are a
    group."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for output, row in enumerate(mechanism.codes):
        present, pattern = np.unique(row, return_inverse=True)
        top = mechanism.values[present[-1]]
        shape = tuple(mechanism.values[code] / top for code in present) if top else ()
        groups.setdefault((pattern.tobytes(), shape), []).append(output)
    return list(groups.values())


def one_of(named: Sequence[tuple[str, Mechanism]]) -> Mechanism:
    """The mechanism that picks one of those `named` uniformly and says which; names may repeat.

    >>> coin = Mechanism.from_rows(["yes", "no"], [["1/2"], ["1/2"]])
    >>> one_of([("a", coin), ("b", coin)]).outputs
    ('a: yes', 'a: no', 'b: yes', 'b: no')
    """
    parts = dict(named)
    if len(parts) == 1:
        return named[0][1]
    labels = [f"{name}: {output}" for name, part in parts.items() for output in part.outputs]
    values = [value / len(parts) for part in parts.values() for value in part.values]
    starts = accumulate((len(part.values) for part in parts.values()), initial=0)
    tables = zip(parts.values(), starts, strict=False)
    codes = np.concatenate([part.codes.astype(np.int64) + start for part, start in tables])
    notes = dict.fromkeys(note for part in parts.values() for note in part.notes)
    return Mechanism.of(labels, values, codes, notes, parts.values())


def _reals_of(parts: Iterable[Mechanism]) -> str:
    """What a mechanism stands for that runs all of some `parts`, or chooses one of them: cones and
    largest ratios of products and unions come from those of the parts."""
    kinds = {part.reals for part in parts} - {""}
    if kinds & {MIXED, ENDS}:
        return MIXED
    return PAIRS if PAIRS in kinds else CONE if kinds else ""


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
    """The distinct used values in ascending order, and the new code of each old code; S104.

    Sorted by floats first: Python rounds a quotient of integers correctly, so the floats of
    ascending rationals never descend. Only values with equal floats are compared as rationals.
    """
    floats = _floats([values[code] for code in used.tolist()])
    by_float = np.argsort(floats, kind="stable")
    used, tied = used[by_float], np.diff(floats[by_float]) == 0
    new = np.ones(len(used), dtype=bool)
    ends = np.flatnonzero(np.diff(np.r_[False, tied, False]))
    for start, last in ends.reshape(-1, 2).tolist():
        alike = sorted(used[start : last + 1].tolist(), key=values.__getitem__)
        used[start : last + 1] = alike
        new[start + 1 : last + 1] = [values[a] != values[b] for a, b in pairwise(alike)]
    order = np.zeros(len(values), dtype=np.min_scalar_type(max(0, int(new.sum()) - 1)))
    order[used] = np.cumsum(new) - 1
    return tuple(values[code] for code in used[new].tolist()), order


def _floats(values: Sequence[Fraction]) -> np.ndarray:
    """The nearest floats of `values`; S104 where one is outside [0, 1]."""
    if is_rational(values):
        ratios = [value.as_integer_ratio() for value in values]
        inside = all(0 <= numerator <= denominator for numerator, denominator in ratios)
    else:
        inside = all(0 <= value <= 1 for value in values)
    if not inside:
        low, high = min(values), max(values)
        raise InputError("S104", f"the probability {low if low < 0 else high} is not in [0, 1]")
    if is_rational(values):
        return np.array([numerator / denominator for numerator, denominator in ratios])
    return np.array(list(map(float, values)))


def is_rational(values: Iterable[Fraction]) -> bool:
    """Whether all of the `values` are rational."""
    return all(type(value) is Fraction for value in values)


def _wrong_columns(mechanism: Mechanism) -> Iterator[tuple[int, Fraction]]:
    """Worlds whose column does not sum to 1, with the sum; equal multisets are summed once, and of
    one that is like the one before only what differs."""
    seen: set[bytes] = set()
    add = _adding(mechanism.values)
    before, total = Counter[int](), Fraction(0)
    for world, column in enumerate(np.sort(mechanism.codes.T, axis=1, kind="stable")):
        key = column.tobytes()
        if key in seen:
            continue
        seen.add(key)
        counts = Counter(column.tolist())
        changed = {code for code, _ in counts.items() ^ before.items()}
        if len(changed) >= len(counts):
            before, total, changed = Counter(), Fraction(0), set(counts)
        total += add({code: counts[code] - before[code] for code in changed})
        before = counts
        if total == 1:
            total = Fraction(1)  # however it was written
        else:
            yield world, total


def _common(ratios: Sequence[tuple[int, int]]) -> int:
    """A common denominator of all `ratios`; 0 where it is long."""
    common = 1
    for _, below in sorted(ratios, key=lambda ratio: -ratio[1]):
        common = lcm(common, below)
        if common.bit_length() > MAX_COMMON:
            return 0
    return common


def _adding(values: Sequence[Fraction]) -> Callable[[Mapping[int, int]], Fraction]:
    """What adds up `values` that are counted by their codes."""
    if not is_rational(values):
        return lambda counts: exact.total(n * values[code] for code, n in counts.items())
    ratios = [value.as_integer_ratio() for value in values]
    every = _common(ratios)

    def add(counts: Mapping[int, int]) -> Fraction:
        common, total = every or lcm(*[ratios[code][1] for code in counts]), 0
        for code, times in counts.items():
            numerator, denominator = ratios[code]
            total += times * numerator * (common // denominator)
        return Fraction(total, common)

    return add
