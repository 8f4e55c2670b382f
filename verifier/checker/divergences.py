"""What a divergence asks, written from the question alone: obligations of two distributions.

Of the range of ratios they are P_o Q_p <= level Q_o P_p for every two outputs o and p. Of Rényi's
divergence of order j/k it is S^k <= level^(j - k), where S is the sum of P^(j/k) Q^(1 - j/k) over
all outputs; and P <= 0 where Q is 0. Where S^k is irrational, S and the logarithm K(t) of that for
the order t + 1 lie between bounds.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from . import reading as read
from .document import fields, kept, need, spend
from .levels import Level
from .losses import losses_of, read_channels
from .obligations import Block, Obligation, pairs_of, read_blocks
from .powers import enclosure, logarithm
from .reading import ONE, ZERO, Model, ratio

NEIGHBOURS = ("replace", "add_remove", "entry", "all", "pairs")
BITS = (64, 256, 1024)  # binary digits of enclosures
MOST = 1000  # numerator and denominator of Rényi's order
LONGEST = 20_000  # binary digits of a power
IMPOSSIBLE: Obligation = (ONE, ZERO, ONE)
Chances = Sequence[tuple[Fraction, Fraction, int]]  # P and Q, and how many outputs have them
Bounds = tuple[Fraction, Fraction]
Ratio = tuple[Fraction, Fraction]  # P and Q


@dataclass(frozen=True)
class Divergences:
    """What is compared, and how it is measured.

    order    of Rényi's divergence; None for all orders, and for a range
    blocks   which worlds are compared
    pairs    the distributions of each two that are compared, each choice once
    of       those of two worlds, in the channel of a record where there are any
    records  how many have channels; 0 for a mechanism
    """

    rule: str
    order: Fraction | None
    blocks: list[Block]
    pairs: Sequence[Chances]
    of: Callable[[int, int, int], Chances]
    records: int

    def holds(self, level: Level) -> bool:
        """Whether a range, or the divergence of one order, of all pairs is within a level."""
        return all(self.allows(chances, level) for chances in self.pairs)

    def allows(self, chances: Chances, level: Level) -> bool:
        """Whether that of one pair is."""
        found = self.obligations(chances)
        if found is None:
            return self.compare(chances, level) <= 0
        return all(level.allows(*one) for one in found)

    def compare(self, chances: Chances, level: Level) -> int:
        """Whether bounds put a divergence below or above a level."""
        t = (self.order or ONE) - 1
        for bits in BITS:
            low, high = self.bounds(chances, t, bits)
            least, most = epsilon(level, bits)
            if high <= t * least or low > t * most:
                return -1 if high <= t * least else 1
        raise ArithmeticError("a comparison is too close to be decided")

    def obligations(self, chances: Chances) -> list[Obligation] | None:
        """What is asked of a pair: None where powers are irrational."""
        if self.rule == "bounded_range":
            return list(_of_range(chances))
        terms = [one for one in chances if one[0]]
        if not all(q > 0 for _, q, _ in terms):
            return [IMPOSSIBLE]
        if self.order is None:
            return []
        j, k = self.order.as_integer_ratio()
        power = power_of_sum(terms, self.order)
        return None if power is None else [(power, ONE, Fraction(j - k))]

    def bounds(self, chances: Chances, t: Fraction, bits: int) -> Bounds:
        """Bounds of K(`t`) of a pair."""
        terms = [(around(ratio(p, q), bits), around(n * p, bits)) for p, q, n in chances if p]
        parts = [r.as_integer_ratio() for (_, r), _ in terms]
        size = max(abs(n.bit_length() - d.bit_length()) + 1 for n, d in parts) * t
        need(size <= LONGEST, "a power is too long")
        spend(len(terms) * 10 * (bits + int(size)))
        return bounds_of_logarithm(terms, t, bits)


def power_of_sum(terms: Chances, order: Fraction) -> Fraction | None:
    """S^k, of positive P and Q, for an order j/k; None where it is irrational."""
    j, k = order.as_integer_ratio()
    size = 2 * max(read.size(x) for p, q, _ in terms for x in (p, q))
    longest = len(terms) * size * (j + k)
    if k == 1:
        spend(longest + len(terms) * longest**2 // 50_000)
        return read.total((n, ratio(p**j, q ** (j - 1))) for p, q, n in terms)
    first = ratio(*terms[0][:2])
    spend(len(terms) * (2 + 2 * size // k) * (100 + size**2 // 10_000))
    roots: list[Any] = [_root(ratio(p, q * first), k) for p, q, _ in terms]
    if None in roots:
        return None
    spend(longest + len(terms) * longest**2 // 50_000)
    total = sum((n * q * root**j for (_, q, n), root in zip(terms, roots, strict=True)), ZERO)
    return first**j * total**k


@kept
def around(value: Any, bits: int) -> Bounds:
    """Rationals below a `value` > 0 and above it, or it twice."""
    if not read.is_other(value):
        return value, value
    unit = 1 << 2 * bits
    need(1 <= unit * value < unit << bits, "a number is too small or too large")
    low, high = (int(unit * end) for end in value.within(4 * bits) or (0, 1 << bits))
    low = _last(lambda n: n <= unit * value, high + 1, max(1, low))
    return Fraction(low, unit), Fraction(low + 1, unit)


def bounds_of_logarithm(terms: Iterable[tuple[Bounds, Bounds]], t: Fraction, bits: int) -> Bounds:
    """Bounds of the logarithm of the sum of P r^`t`, for bounds of ratios r and of P, and t > 0."""
    unit, low, high = 1 << bits, 0, 0
    for (r, s), (p, q) in terms:
        low += _power(r, t, bits)[0] * p.numerator // p.denominator
        high -= -_power(s, t, bits)[1] * q.numerator // q.denominator
    ends = [logarithm(Fraction(max(end, unit), unit), bits) for end in (low, high)]
    return Fraction(ends[0][0], unit), Fraction(ends[1][1], unit)


def _of_range(chances: Chances) -> Iterator[Obligation]:
    """That odds change by a level at most: those of the outputs with the largest and the smallest
    ratio; with parameters those of every two."""
    listed: list[Ratio] = [(p, q) for p, q, _ in chances]
    if not read.FUNCTIONS.get():
        possible = [pair for pair in listed if any(pair)]
        possible.sort(key=lambda both: (not both[1], ratio(*both) if both[1] else ZERO))
        listed = [possible[0], possible[-1]]
    for (p, q), (x, y) in permutations(listed, 2):
        yield p * y, q * x, ONE


def _root(value: Fraction, degree: int) -> Fraction | None:
    """The root of a positive `value` of this degree, where it is rational."""
    parts = [] if read.is_other(value) else value.as_integer_ratio()
    root = Fraction(*(_integer_root(part, degree) for part in parts))  # 0 of no parts
    return root if root**degree == value else None


def _integer_root(value: int, degree: int) -> int:
    """The integer part of the root of a positive `value`."""
    return _last(lambda n: n**degree <= value, 1 << (value.bit_length() // degree + 1))


def _last(fits: Callable[[int], bool], high: int, low: int = 1) -> int:
    """The last of the integers from `low` on, and below `high`, that fit: the first ones do."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@kept
def _power(r: Fraction, t: Fraction, bits: int) -> tuple[int, int]:
    """Integers at most 2^`bits` r^t and at least that, for r > 0 and t > 0."""
    low, high = logarithm(max(r, ratio(1, r)), bits)
    n, d = t.as_integer_ratio()
    least = enclosure(n * low, d << bits, bits)[0]
    most = enclosure(n * high, d << bits, bits)[1]
    unit = 1 << 2 * bits
    return (least, most) if r >= 1 else (unit // most, -(-unit // least))


def epsilon(at: Level, bits: int) -> Bounds:
    """Bounds of the logarithm of a level."""
    if at.alpha is None:
        return at.epsilon, at.epsilon
    low, high = logarithm(at.alpha, bits)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


def read_divergences(relation: Any, model: Model) -> Divergences:
    """What a `relation` asks of a mechanism; or of records with channels of their own, where the
    answers of all but one are alike."""
    rule, order, compared = fields(relation, "rule order pairs")
    need((order is not None) == (rule == "renyi"), "an order is that of Rényi's divergence")
    need(compared["rule"] in NEIGHBOURS, "worlds are compared")
    asked = None if order is None else _order(order)
    read_pairs = _of_channels if "channels" in model.parts else _of_table
    blocks, pairs, of, records = read_pairs(compared, model)
    need({d for _, _, d in blocks} <= {ONE}, "neighbours have distance 1")
    whole = rule == "bounded_range" or (asked is not None and asked.denominator == 1)
    need(whole or not read.FUNCTIONS.get(), "of functions a range, or integer orders, are decided")
    return Divergences(rule, asked, blocks, pairs, of, records)


Of = Callable[[int, int, int], Chances]
Pairs = tuple[list[Block], list[Chances], Of, int]


def _of_table(compared: Any, model: Model) -> Pairs:
    """What is compared of one mechanism, whose different columns are kinds of worlds."""
    table, kinds = model.table.alike()
    values, columns, blocks = table.values, table.columns, read_blocks(compared, model, kinds)
    both = pairs_of(blocks, 50 + len(columns[0]))
    longest = max(map(read.size, values))

    def counted(i: int, j: int) -> frozenset[Any]:
        return frozenset(Counter(zip(columns[i], columns[j], strict=True)).items())

    def chances(counts: Iterable[Any]) -> Chances:
        return [(values[p], values[q], n) for (p, q), n in counts]

    known = {counted(i, j) for i, j in both}
    spend(sum(map(len, known)) * (200 + longest * longest // 2000))
    pairs = list(map(chances, known))
    return blocks, pairs, lambda i, j, _: chances(counted(kinds[i], kinds[j])), 0


def _of_channels(compared: Any, model: Model) -> Pairs:
    """What is compared of each channel of a record, whose answers are independent."""
    blocks, (channels, users) = read_blocks(compared, model), read_channels(model)
    values = [value for channel in channels for table, _ in channel for value in table.values]
    both = pairs_of(blocks, 50 * (1 + len(channels) * len(values)))

    def chances(i: int, j: int, channel: Any) -> Chances:
        found = [(p, p * ratio, 1) for ratio, p in losses_of(channel, i, j).items()]
        return [*found, (ZERO, ONE - sum((q for _, q, _ in found), ZERO), 1)]

    def of(i: int, j: int, record: int) -> Chances:
        return chances(i, j, channels[users[record]])

    pairs = [chances(*pair, channel) for channel in channels for pair in both]
    return blocks, pairs, of, len(users)


def _order(text: Any) -> Fraction:
    """An order above 1 that is no long number."""
    order = read.number(text)
    need(type(order) is Fraction and order > 1, "an order is a rational above 1")
    need(max(order.as_integer_ratio()) <= MOST, "an order is too long")
    return order
