"""Products of independent matrices: their largest ratios, their privacy losses, and the changes of
several records that together make the largest product.

The likelihood ratio of independent answers is the product of theirs. So the largest ratio of two
columns of a product is the product of the largest ones, and the distribution of its logarithm, the
privacy loss, is their convolution (Dwork, Rothblum 2016, Concentrated differential privacy).

By hand: of a bit told twice with probability 3/4 the ratios are 9, 1 and 1/9; their probabilities
are 9/16, 3/8 and 1/16 where the bit is as told, and 1/16, 3/8 and 9/16 where it is not.

>>> bit = Mechanism.from_rows("01", [["3/4", "1/4"], ["1/4", "3/4"]])
>>> [(str(ratio), str(p)) for ratio, (p, q) in sorted(losses([(bit, 2)], (0, 1)).items())]
[('1/9', '1/16'), ('1', '3/8'), ('9', '9/16')]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, floor, lcm

import numpy as np

from verifier.base.errors import LimitReached
from verifier.base.exact import is_irrational, is_symbolic, largest, text
from verifier.kernels.ratios import Comparison, binary_logarithm
from verifier.world.local import Answer
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks, Relation

ONE = Fraction(1)
MAX_LOSSES = 10**6  # products of losses that are formed at once
MAX_TERMS = 10**5  # of a power of losses
MAX_LISTED = 2**24  # pairs of columns, in each of several answers
MAX_COMPARED = 2**28  # the same where floats leave out most
MAX_TABLE = 2**24  # entries of tables of ratios in floats
CHUNK = 2**20  # pairs of columns looked at together
MAX_BITS = 300_000  # of a ratio
MAX_TEXT = 100_000  # characters of one with powers of e
MAX_STEPS = 10**6  # of a choice of changes by cost
PRIME = 2**61 - 1

Ratio = Fraction | None  # None: infinite
Losses = Mapping[Ratio, tuple[Fraction, Fraction]]  # ratio -> probabilities on both sides
Drawn = Sequence[tuple[Losses, int]]  # losses, each with the number of independent draws


@dataclass(frozen=True)
class Change:
    """A change of one record from one column to another one.

    ratio    the largest one of the columns, above 1
    cost     what the change costs
    pair     the columns
    outputs  of each answer the first that has its largest ratio
    """

    ratio: Ratio
    cost: Fraction
    pair: tuple[int, int]
    outputs: tuple[int, ...]

    def above(self, other: Change) -> bool:
        """Whether its ratio is larger than that of an `other` one."""
        if self.ratio is None or other.ratio is None:
            return self.ratio is None and other.ratio is not None
        return self.ratio > other.ratio


def largest_changes(answers: Sequence[Answer], relation: Relation) -> list[Change]:
    """The change with the largest ratio at each cost; none where no ratio is above 1.

    answers   matrices whose columns are compared, each with the number of its draws
    relation  which columns; their distance is the cost
    """
    costs = sorted({part.distance for part in relation.blocks})
    found = (
        _largest(answers, [part for part in relation.blocks if part.distance == cost], cost)
        for cost in costs
    )
    return [change for change in found if change is not None]


def _largest(answers: Sequence[Answer], blocks: Sequence[Blocks], cost: Fraction) -> Change | None:
    if len(answers) == 1 and not any(map(is_symbolic, answers[0][0].values)):
        ((matrix, runs),) = answers
        table = Comparison(matrix)
        extreme = table.largest(blocks)
        if extreme is None or (extreme.ratio is not None and extreme.ratio <= 1):
            return None
        first = table.first(blocks, extreme)
        ratio = None if extreme.ratio is None else power(extreme.ratio, runs)
        return Change(ratio, cost, (first.left, first.right), (first.output,))
    found = [change(answers, pair, cost) for pair in _different(answers, blocks)]
    best = _best(found) if found else None
    return None if best is None or best.ratio == 1 else best


def _different(answers: Sequence[Answer], blocks: Sequence[Blocks]) -> list[tuple[int, int]]:
    """The first pair of columns of `blocks` for each choice of largest ratios of all `answers`,
    ascending; LimitReached for too many pairs."""
    columns = answers[0][0].worlds
    pairs = sum(part.left.size * part.right.shape[1] for part in blocks)
    if pairs * len(answers) > MAX_COMPARED:
        raise LimitReached(f"{pairs} pairs of columns in {len(answers)} answers are too many")
    is_few = pairs * len(answers) <= MAX_LISTED
    keys = _keys(blocks, columns) if is_few else _closest(answers, blocks)
    left, right = np.divmod(np.unique(np.concatenate(keys)), columns)
    left, right = left[left != right], right[left != right]
    ratios = np.stack([_numbered(matrix, left, right) for matrix, _ in answers])
    _, first = np.unique(ratios, axis=1, return_index=True)
    return [(int(left[at]), int(right[at])) for at in sorted(first.tolist())]


def _keys(blocks: Iterable[Blocks], columns: int) -> list[np.ndarray]:
    """The pairs of columns of `blocks`, each as one number."""
    return [(part.left[:, :, None] * columns + part.right[:, None, :]).ravel() for part in blocks]


def _closest(answers: Sequence[Answer], blocks: Sequence[Blocks]) -> list[np.ndarray]:
    """Those pairs of columns, each as one number, whose product of ratios may be the largest one,
    by floats; LimitReached for too many."""
    if any(is_symbolic(value) for matrix, _ in answers for value in matrix.values):
        raise LimitReached("so many pairs of columns in several answers are compared for numbers")
    columns, tables = answers[0][0].worlds, [_logarithms(matrix) for matrix, _ in answers]
    margin = 1e-8 * sum(runs for _, runs in answers)  # far beyond the error of the logarithms
    top, found, count = 0.0, list[np.ndarray](), 0
    for part in _chunks(blocks):
        (keys,) = _keys([part], columns)
        size = np.zeros(len(keys))
        for (kind, logs), (_, runs) in zip(tables, answers, strict=True):
            pairs = kind[part.left][:, :, None], kind[part.right][:, None, :]
            size += runs * logs[pairs].ravel()
        top = max(top, float(size.max(initial=0)))
        near = size >= top * (1 - 1e-12) - margin
        found.append(np.stack([keys[near], size[near].view(np.int64)]))
        count += found[-1].shape[1]
        if count > CHUNK:
            kept = np.concatenate(found, axis=1)
            found = [kept[:, kept[1].view(np.float64) >= top * (1 - 1e-12) - margin]]
            count = found[0].shape[1]
            if count > CHUNK:
                raise LimitReached(f"{count} pairs of columns are too close to be told apart")
    return [keys for keys, _ in found]


def _chunks(blocks: Iterable[Blocks]) -> Iterator[Blocks]:
    """The same pairs, in blocks of a bounded number."""
    for part in blocks:
        width = part.right.shape[1]
        rows = max(1, CHUNK // (part.left.shape[1] * width))
        for start in range(0, len(part.left), rows):
            left, right = part.left[start : start + rows], part.right[start : start + rows]
            for at in range(0, left.shape[1], max(1, CHUNK // (len(left) * width))):
                some = slice(at, at + max(1, CHUNK // (len(left) * width)))
                yield Blocks(left[:, some], right, part.distance)


def _logarithms(matrix: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each column, and for each two kinds the logarithm of their largest ratio."""
    rows, kind = np.unique(matrix.codes.T, axis=0, return_inverse=True)
    if len(rows) ** 2 > MAX_TABLE:
        raise LimitReached(f"the ratios of {len(rows)} different columns are too many")
    logs = np.array([binary_logarithm(value) if value else -np.inf for value in matrix.values])
    found = np.full((len(rows), len(rows)), -np.inf)
    for own in logs[rows.T]:
        possible = np.flatnonzero(own > -np.inf)
        size = own[possible, None] - own[None, :]
        found[possible] = np.maximum(found[possible], size)
    return kind.reshape(-1), found


def _numbered(matrix: Mechanism, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A number for the largest ratio of each of some pairs of columns, the same for equal ones."""
    columns, kind = np.unique(matrix.codes.T, axis=0, return_index=True, return_inverse=True)[1:]
    both = kind.reshape(-1)[left] * len(columns) + kind.reshape(-1)[right]
    distinct, place = np.unique(both, return_inverse=True)
    known: dict[Ratio, int] = {}
    pairs = ((columns[key // len(columns)], columns[key % len(columns)]) for key in distinct)
    numbers = [known.setdefault(_of_columns(matrix, *pair)[0], len(known)) for pair in pairs]
    return np.array(numbers, dtype=np.int64)[place.reshape(-1)]


def change(answers: Sequence[Answer], pair: tuple[int, int], cost: Fraction = ONE) -> Change:
    """The change between a `pair` of columns of all `answers`, at a `cost`."""
    ratios = [_of_columns(matrix, *pair) for matrix, _ in answers]
    outputs = tuple(output for _, output in ratios)
    total = ONE
    for (ratio, _), (_, runs) in zip(ratios, answers, strict=True):
        if ratio is None:
            return Change(None, cost, pair, outputs)
        total *= power(ratio, runs)
    return Change(total, cost, pair, outputs)


def power(ratio: Fraction, runs: int) -> Fraction:
    """A `ratio` to the power of so many `runs`; LimitReached where it would be too long."""
    return short(ratio**runs) if runs * _bits(ratio) <= 2 * MAX_BITS else short(None)


def short(ratio: Fraction | None) -> Fraction:
    """A `ratio`, unless it is too long for a certificate; LimitReached."""
    if ratio is None or _bits(ratio) > MAX_BITS:
        raise LimitReached(f"the smallest level has more than {MAX_BITS} binary digits")
    if is_irrational(ratio) and len(text(ratio)) > MAX_TEXT:
        raise LimitReached(f"the smallest level is a text of more than {MAX_TEXT} characters")
    return ratio


def _bits(ratio: Fraction) -> int:
    """The binary digits of the larger part of a rational; 0 of another number."""
    return max(map(int.bit_length, ratio.as_integer_ratio())) if type(ratio) is Fraction else 0


def _of_columns(matrix: Mechanism, left: int, right: int) -> tuple[Ratio, int]:
    """The largest ratio of two columns of a matrix, and its first output."""
    first: dict[tuple[int, int], int] = {}
    for output, (high, low) in enumerate(matrix.codes[:, [left, right]].tolist()):
        first.setdefault((high, low), output)
    ratios: dict[Fraction, int] = {}
    for (high, low), output in first.items():
        p, q = matrix.values[high], matrix.values[low]
        if p and not q:
            return None, output
        if p:
            ratios.setdefault(p / q, output)
    best = largest(ratios)
    return best, ratios[best]


def losses(answers: Iterable[Answer], pair: tuple[int, int]) -> Losses:
    """The ratios of a `pair` of columns of independent `answers`, each with the probability that it
    comes in either column; those of probability 0 in the first are left out."""
    return all_losses(drawn(answers, pair))


def drawn(answers: Iterable[Answer], pair: tuple[int, int]) -> Drawn:
    """The same of single `answers`, each with the number of its draws; equal ones are one."""
    found = Counter[frozenset[tuple[Ratio, tuple[Fraction, Fraction]]]]()
    for matrix, runs in answers:
        found[frozenset(_losses(matrix, *pair).items())] += runs
    return tuple((dict(once), runs) for once, runs in found.items())


def all_losses(draws: Drawn) -> Losses:
    """The losses of all that is drawn, together; LimitReached where they are too many."""
    total: Losses = {ONE: (ONE, ONE)}
    for once, runs in draws:
        total = convolved(total, powered(once, runs))
    return total


def _losses(matrix: Mechanism, left: int, right: int) -> Losses:
    found: dict[Ratio, tuple[Fraction, Fraction]] = {}
    for high, low in matrix.codes[:, [left, right]].tolist():
        p, q = matrix.values[high], matrix.values[low]
        if p:
            _add(found, p / q if q else None, p, q)
    return found


def _add(
    found: dict[Ratio, tuple[Fraction, Fraction]], key: Ratio, p: Fraction, q: Fraction
) -> None:
    before = found.get(key, (Fraction(0), Fraction(0)))
    found[key] = before[0] + p, before[1] + q


def convolved(one: Losses, other: Losses) -> Losses:
    """The losses of two independent answers together; LimitReached where they are too many."""
    if len(one) * len(other) > MAX_LOSSES:
        raise LimitReached(f"{len(one)} times {len(other)} privacy losses are too many")
    found: dict[Ratio, tuple[Fraction, Fraction]] = {}
    for a, (p, q) in one.items():
        for b, (r, s) in other.items():
            _add(found, None if a is None or b is None else a * b, p * r, q * s)
    return found


def terms_of(draws: Drawn, most: int) -> int | None:
    """At most how many losses all `draws` have together; None where these, or products on the way
    to them, are more than `most`. Equal products are told by their residues."""
    total = 1
    for once, runs in draws:
        terms = comb(runs + len(once) - 1, runs)
        if terms > MAX_TERMS:
            own = {1}
            finite = [x for x in once if x is not None]
            one = {x.numerator * pow(x.denominator, -1, PRIME) % PRIME for x in finite}
            one |= {0} if len(finite) < len(once) else set()
            for digit in f"{runs:b}":
                for other in (own, one) if digit == "1" else (own,):
                    if len(own) * len(other) > most:
                        return None
                    own = {a * b % PRIME for a in own for b in other}
            terms = len(own)
        total *= terms
    return total if total <= most else None


def powered(one: Losses, runs: int) -> Losses:
    """The losses of so many `runs` of an answer; LimitReached where they are too many."""
    if runs == 1:
        return one
    numbers = [*one, *(p for sides in one.values() for p in sides)]
    is_rational = not any(p is not None and is_irrational(p) for p in numbers)
    if is_rational and comb(runs + len(one) - 1, runs) <= MAX_TERMS:
        return _multinomial(one, runs)
    total: Losses = {ONE: (ONE, ONE)}
    while runs:
        if runs & 1:
            total = convolved(total, one)
        runs //= 2
        one = convolved(one, one) if runs else one
    return total


def _multinomial(one: Losses, runs: int) -> Losses:
    """The same by the multinomial theorem, in whole numbers."""
    units = [lcm(*(sides[k].denominator for sides in one.values())) for k in (0, 1)]
    terms = [(a, int(p * units[0]), int(q * units[1])) for a, (p, q) in one.items()]
    found: dict[Ratio, tuple[int, int]] = {}

    def add(at: int, left: int, ratio: Ratio, times: tuple[int, int]) -> None:
        a, p, q = terms[at]
        for count in range(left + 1) if at + 1 < len(terms) else [left]:
            ways = comb(left, count)
            more = (ways * times[0] * p**count, ways * times[1] * q**count)
            if a is None and count:
                product = None
            else:
                product = None if ratio is None else ratio * (a**count if a is not None else ONE)
            if at + 1 < len(terms):
                add(at + 1, left - count, product, more)
            else:
                known = found.get(product, (0, 0))
                found[product] = known[0] + more[0], known[1] + more[1]

    add(0, runs, ONE, (1, 1))
    whole = [unit**runs for unit in units]
    return {a: (Fraction(p, whole[0]), Fraction(q, whole[1])) for a, (p, q) in found.items()}


Chosen = tuple[tuple[int, Change], ...]  # numbers of records, each with its change


def largest_product(
    options: Sequence[tuple[Sequence[int], Sequence[Change]]], limit: Fraction | None
) -> Chosen:
    """The changes of different records that together make the largest product of ratios.

    options  kinds of records: their numbers, ascending, and the changes that each of them may make
    limit    what all changes together may cost; None for any cost
    """
    if limit is None:
        every = ((r, _best(changes)) for records, changes in options if changes for r in records)
        return tuple(sorted(every, key=lambda item: item[0]))
    affordable = [
        (records, [change for change in changes if change.cost <= limit])
        for records, changes in options
    ]
    for records, changes in affordable:
        for change in changes:
            if change.ratio is None:
                return ((records[0], change),)
    costs = {change.cost for _, changes in affordable for change in changes}
    if len(costs) == 1:
        return _dearest(affordable, floor(limit / costs.pop()))
    return _by_cost(affordable, limit)


def _best(changes: Sequence[Change]) -> Change:
    """The first of the changes with the largest ratio."""
    ratios = [change.ratio for change in changes]
    best = None if None in ratios else largest(ratio for ratio in ratios if ratio is not None)
    return next(change for change in changes if change.ratio is best)


def _dearest(options: Sequence[tuple[Sequence[int], Sequence[Change]]], most: int) -> Chosen:
    """The `most` records with the largest ratios, where all changes cost the same."""
    each = [(r, changes[0]) for records, changes in options if changes for r in records[:most]]
    each.sort(key=lambda item: (-(item[1].ratio or 0), item[0]))
    return tuple(sorted(each[:most], key=lambda item: item[0]))


def _by_cost(options: Sequence[tuple[Sequence[int], Sequence[Change]]], limit: Fraction) -> Chosen:
    """The largest product within a limit, by the best one for each cost and so many records."""
    unit = lcm(*(c.cost.denominator for _, changes in options for c in changes))
    room = floor(limit * unit)
    best: list[tuple[Fraction, Chosen]] = [(ONE, ())] * (room + 1)
    steps = 0
    for record, changes in _useful(options, room, unit):
        steps += (room + 1) * len(changes)
        if steps > MAX_STEPS:
            raise LimitReached(f"choices of changes within {limit} in steps of 1/{unit} are many")
        for spent in range(room, 0, -1):
            for change in changes:
                rest = spent - int(change.cost * unit)
                if rest >= 0:
                    assert change.ratio is not None
                    product = best[rest][0] * change.ratio
                    if product > best[spent][0]:
                        best[spent] = product, (*best[rest][1], (record, change))
    return tuple(sorted(best[room][1], key=lambda item: item[0]))


def _useful(
    options: Sequence[tuple[Sequence[int], Sequence[Change]]], room: int, unit: int
) -> Iterator[tuple[int, Sequence[Change]]]:
    """The records of each kind that can change together within a room."""
    for records, changes in options:
        if changes:
            most = room // int(min(change.cost for change in changes) * unit)
            for record in records[:most]:
                yield record, changes
