"""Names for sets of worlds: the predicate that a reader would use, where one fits exactly."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from verifier.world.space import is_number, show
from verifier.world.worlds import WorldSpace

SHOWN = 8  # worlds written out


def named(space: WorldSpace, worlds: Collection[int]) -> str:
    """A predicate of `space` that holds in exactly these `worlds`, some but not all; else a list of
    them.

    Recognised are values and attributes of a record (equal, different, at least, at most),
    presence, a single world, parities of two-valued entries, and counts of records with a value or
    an attribute (equal, at least, at most).

    >>> from verifier.world.worlds import database
    >>> named(database(["ann", "bob"], [0, 1]), [0, 3])
    'xor(ann, bob) == 0'
    """
    chosen = np.zeros(space.size, dtype=bool)
    chosen[list(worlds)] = True
    found = next(_predicates(space, chosen), None)
    return listed(space, worlds) if found is None else found


def listed(space: WorldSpace, worlds: Collection[int]) -> str:
    """The names in `space` of `worlds`, the first few of them where they are many."""
    names = space.names(sorted(worlds)[:SHOWN])
    more = f", … ({len(worlds)} in all)" if len(worlds) > SHOWN else ""
    return f"one of the worlds {', '.join(names)}{more}"


def _predicates(space: WorldSpace, chosen: np.ndarray) -> Iterator[str]:
    for name, values, codes in _entries(space):
        yield from _about(name, values, codes, chosen)
    for record, name in enumerate(space.records):
        if space.absent_code is not None and (space.present(record) == chosen).all():
            yield f"{name}.present"
    if chosen.sum() == 1:
        yield f"world == {_quoted(space.name(int(chosen.argmax())))}"
    yield from _parity(space, chosen)
    for condition, counts in _counts(space):
        yield from _thresholds(f"count({condition})", counts, chosen)


def _entries(space: WorldSpace) -> Iterator[tuple[str, tuple[Any, ...], np.ndarray]]:
    """What an expression calls each entry of a record, its values, and their codes (-1: absent)."""
    if not space.records:
        return
    width = len(space.entry_values)
    for at, codes in enumerate(space.entry_codes):
        record, entry = space.records[at // width], at % width
        name = f"{record}.{space.attributes[entry]}" if space.attributes else record
        yield name, space.entry_values[entry], codes


def _about(
    name: str, values: tuple[Any, ...], codes: np.ndarray, chosen: np.ndarray
) -> Iterator[str]:
    """Predicates of one entry that hold in exactly the chosen worlds."""
    for code, value in enumerate(values):
        if ((codes == code) == chosen).all():
            yield f"{name} == {_quoted(value)}"
    for code, value in enumerate(values):
        if ((codes != code) == chosen).all():
            yield f"{name} != {_quoted(value)}"
    if all(map(is_number, values)) and (codes >= 0).all():
        order = np.argsort(np.argsort(np.array(values, dtype=object), kind="stable"))
        ranks, ascending = order[codes], sorted(values)
        for text, rank in _bounds(ranks, chosen):
            yield f"{name} {text} {_quoted(ascending[rank])}"


def _thresholds(name: str, numbers: np.ndarray, chosen: np.ndarray) -> Iterator[str]:
    """Predicates of a number that hold in exactly the chosen worlds."""
    low = int(numbers[chosen].min())
    if ((numbers == low) == chosen).all():
        yield f"{name} == {low}"
    yield from (f"{name} {sign} {value}" for sign, value in _bounds(numbers, chosen))


def _bounds(numbers: np.ndarray, chosen: np.ndarray) -> Iterator[tuple[str, int]]:
    """`>=` or `<=` with the number for which it holds in exactly the chosen worlds."""
    low, high = int(numbers[chosen].min()), int(numbers[chosen].max())
    if ((numbers >= low) == chosen).all():
        yield ">=", low
    if ((numbers <= high) == chosen).all():
        yield "<=", high


def _parity(space: WorldSpace, chosen: np.ndarray) -> Iterator[str]:
    """The parity of two-valued entries that is even, or odd, in exactly the chosen worlds.

    The entries' second values, as sets of worlds, and the set of all worlds span a space over the
    field of two elements; the chosen worlds are reduced by a basis of it.
    """
    bits = [
        (name, values[values != (1, 0)], codes == (values != (1, 0)), set(values) == {0, 1})
        for name, values, codes in _entries(space)
        if len(values) == 2 and (codes >= 0).all()
    ]
    basis: list[tuple[int, int]] = []  # a set of worlds, and the entries whose sum it is
    for at, (_, _, ones, _) in enumerate(bits):
        _extend(basis, _as_integer(ones), 1 << at)
    _extend(basis, _as_integer(np.ones(space.size, dtype=bool)), 1 << len(bits))
    rest, used = _reduced(basis, _as_integer(chosen), 0)
    if rest:
        return
    even, parts = bool(used >> len(bits)), [bit for at, bit in enumerate(bits) if used >> at & 1]
    if all(is_binary for *_, is_binary in parts):
        yield f"xor({', '.join(name for name, *_ in parts)}) == {'0' if even else '1'}"
    else:
        truths = ", ".join(f"{name} == {_quoted(one)}" for name, one, *_ in parts)
        yield f"{'not ' if even else ''}xor({truths})"


def _extend(basis: list[tuple[int, int]], worlds: int, entries: int) -> None:
    worlds, entries = _reduced(basis, worlds, entries)
    if worlds:
        basis.append((worlds, entries))
        basis.sort(reverse=True)


def _reduced(basis: list[tuple[int, int]], worlds: int, entries: int) -> tuple[int, int]:
    """What is left of a set of worlds after adding up sets of the basis, and the entries used."""
    for other, used in basis:
        if worlds ^ other < worlds:
            worlds, entries = worlds ^ other, entries ^ used
    return worlds, entries


def _as_integer(worlds: np.ndarray) -> int:
    return int("".join("1" if chosen else "0" for chosen in worlds), 2)


def _counts(space: WorldSpace) -> Iterator[tuple[str, np.ndarray]]:
    """Conditions on a record, and how many present records meet them in each world."""
    whole = range(len(space.record_values[: space.absent_code]))
    if space.counts is not None:
        tallies = [space.counts[code] for code in whole]
    elif space.records:
        tallies = [(space.record_codes == code).sum(axis=0) for code in whole]
    else:
        return
    for at, values in enumerate(space.entry_values):
        for value in values:
            meets = [
                (v[at] if space.attributes else v) == value
                for v in space.record_values[: space.absent_code]
            ]
            name = space.attributes[at] if space.attributes else "value"
            counts = sum(t for t, met in zip(tallies, meets, strict=True) if met)
            yield f"{name} == {_quoted(value)}", np.asarray(counts)


def _quoted(value: Any) -> str:
    """A value as an expression has it."""
    return repr(value) if isinstance(value, str) else show(value)
