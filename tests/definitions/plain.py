"""The definitions by plain loops, written from the papers; nothing of the engine is used here.

A database is a tuple with one value per record: a number or word, a tuple of them where records
have attributes, None where the record is absent. Columns are output distributions of worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from typing import Any

Database = tuple[Any, ...]
Column = Sequence[Fraction]
Pair = tuple[int, int]
Edge = Callable[[int, Any, Any], bool]  # is (x, y) an edge of record i's secret graph?

ONE, ZERO = Fraction(1), Fraction(0)


def changed(w: Database, v: Database) -> list[int]:
    return [i for i, (x, y) in enumerate(zip(w, v, strict=True)) if x != y]


def is_replace(w: Database, v: Database, group: int = 1) -> bool:
    moved = changed(w, v)
    return 0 < len(moved) <= group and all(w[i] is not None and v[i] is not None for i in moved)


def is_add_remove(w: Database, v: Database, group: int = 1) -> bool:
    moved = changed(w, v)
    return 0 < len(moved) <= group and all((w[i] is None) != (v[i] is None) for i in moved)


def is_entry(w: Database, v: Database, group: int = 1) -> bool:
    moved = changed(w, v)
    if any(w[i] is None or v[i] is None for i in moved):
        return False
    return 0 < sum(entries_changed(w[i], v[i]) for i in moved) <= group


def entries_changed(x: Any, y: Any) -> int:
    if isinstance(x, tuple):
        return sum(a != b for a, b in zip(x, y, strict=True))
    return int(x != y)


def is_label(w: Database, v: Database, label: int) -> bool:
    """Whether a new label for one record makes one database of the other."""
    return w != v and any(
        x is not None
        and y is not None
        and w == (*v[:i], (*y[:label], x[label], *y[label + 1 :]), *v[i + 1 :])
        for i, (x, y) in enumerate(zip(w, v, strict=True))
    )


def entries(w: Database) -> list[Fraction]:
    """All numbers of a database, in a row."""
    return [Fraction(e) for x in w for e in (x if isinstance(x, tuple) else (x,))]


def distance(metric: str, w: Database, v: Database) -> Fraction:
    if metric == "hamming":
        return Fraction(len(changed(w, v)))
    gaps = [abs(a - b) for a, b in zip(entries(w), entries(v), strict=True)]
    return sum(gaps, ZERO) if metric == "l1" else max(gaps)


def tuples(w: Database) -> frozenset[tuple[int, Any]]:
    """The (individual, value) tuples of a database; an absent individual has none."""
    return frozenset((i, x) for i, x in enumerate(w) if x is not None)


def induced(databases: Sequence[Database]) -> set[Pair]:
    """Pufferfish paper, Definition 10.3: no non-empty proper subset of the moves stays inside."""
    found = set()
    sets = [tuples(w) for w in databases]
    for i, w in enumerate(sets):
        for j, v in enumerate(sets):
            moves = sorted(w ^ v, key=repr)
            middle = (
                (w - set(some)) | (set(some) - w)
                for size in range(1, len(moves))
                for some in combinations(moves, size)
            )
            if moves and not any(world in sets for world in middle):
                found.add((i, j))
    return found


def blowfish(databases: Sequence[Database], edge: Edge) -> set[Pair]:
    """Blowfish paper, Definition 4.1, with T(w, w'') not empty, by trying every third world."""

    def secrets(w: Database, v: Database) -> set[Any]:
        return {(i, w[i], v[i]) for i in changed(w, v) if edge(i, w[i], v[i])}

    found = set()
    for i, w in enumerate(databases):
        for j, v in enumerate(databases):
            broken, moved = secrets(w, v), tuples(w) ^ tuples(v)
            if not broken:
                continue
            for u in databases:
                less, fewer = secrets(w, u), tuples(w) ^ tuples(u)
                if (less and less < broken) or (less == broken and fewer < moved):
                    break
            else:
                found.add((i, j))
    return found


def pairs_of(databases: Sequence[Database], test: Callable[..., bool], *more: Any) -> set[Pair]:
    return {
        (i, j)
        for i, w in enumerate(databases)
        for j, v in enumerate(databases)
        if test(w, v, *more)
    }


def events(outputs: int) -> Iterator[tuple[int, ...]]:
    """Every set of outputs."""
    for size in range(outputs + 1):
        yield from combinations(range(outputs), size)


def excess(p: Column, q: Column, alpha: Fraction) -> Fraction:
    """The smallest delta at alpha: the worst event."""
    return max(sum((p[o] - alpha * q[o] for o in event), ZERO) for event in events(len(p)))


def smallest_alpha(
    columns: Sequence[Column], pairs: Iterable[Pair], delta: Fraction = ZERO
) -> Fraction | None:
    """The smallest alpha >= 1 at which every pair meets delta; None for infinite.

    P(S) <= alpha Q(S) + delta for every event S, one after the other.
    """
    best = ONE
    for i, j in pairs:
        for event in events(len(columns[i])):
            p, q = (sum((columns[w][o] for o in event), ZERO) for w in (i, j))
            if q == 0 and p > delta:
                return None
            if q:
                best = max(best, (p - delta) / q)
    return best


def first_witness(columns: Sequence[Column], pairs: Iterable[Pair]) -> tuple[int, int, int] | None:
    """The first (world, world, output) with the largest ratio, None where no ratio is above 1."""
    best, first = ONE, None
    for i, j in sorted(pairs):
        for o, (p, q) in enumerate(zip(columns[i], columns[j], strict=True)):
            if p > 0 == q:
                return first_infinite(columns, pairs)
            if p > best * q:
                best, first = p / q, (i, j, o)
    return first


def first_infinite(columns: Sequence[Column], pairs: Iterable[Pair]) -> tuple[int, int, int]:
    return next(
        (i, j, o)
        for i, j in sorted(pairs)
        for o in range(len(columns[i]))
        if columns[i][o] > 0 == columns[j][o]
    )


def conditional(columns: Sequence[Column], prior: Column, secret: Iterable[int]) -> Column | None:
    """P(o | s, theta), or None where P(s | theta) = 0."""
    inside = list(secret)
    mass = sum((prior[w] for w in inside), ZERO)
    if not mass:
        return None
    outputs = range(len(columns[0]))
    return [sum((prior[w] * columns[w][o] for w in inside), ZERO) / mass for o in outputs]


def pufferfish_alpha(
    columns: Sequence[Column],
    priors: Iterable[Column],
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    delta: Fraction = ZERO,
) -> Fraction | None:
    """The smallest alpha over priors and pairs of secrets, straight from the definition."""
    best = ONE
    for prior in priors:
        for left, right in pairs:
            p, q = conditional(columns, prior, left), conditional(columns, prior, right)
            if p is None or q is None:
                continue
            found = smallest_alpha([p, q], [(0, 1), (1, 0)], delta)
            if found is None:
                return None
            best = max(best, found)
    return best


def is_at_most_exp(ratio: Fraction, epsilon: Fraction) -> bool:
    """ratio <= e^epsilon, to 120 digits."""
    if epsilon == 0:
        return ratio <= 1
    with localcontext() as context:
        context.prec = 120
        power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return Decimal(ratio.numerator) / Decimal(ratio.denominator) <= power
