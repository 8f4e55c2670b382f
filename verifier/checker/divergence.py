"""Certificates of kind "divergence": how far apart two distributions of outputs are, by the range
of their ratios or by Rényi's divergence of one order, or of all orders in proportion to the order.

What two worlds have in common is a list of ratios r with probabilities P = r Q. The range is the
largest r over the smallest. With K(t) = ln of the sum of Q r^(t + 1), the divergence of order t + 1
is K(t) / t. K is convex, and 0 at 0, so that a chord bounds it between two orders.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, permutations, product
from typing import Any

from . import exponentials, levels
from . import reading as read
from .document import Budget, fields, index, indices, need, prove
from .levels import Claim, Level
from .losses import Answers, Losses, add, losses_of, read_channels
from .obligations import Block, read_blocks
from .powers import logarithm
from .reading import ONE, ZERO, Case, Model, Table, ratio

NEIGHBOURS = ("replace", "add_remove", "entry", "all", "pairs")
BITS = (64, 256, 1024)  # binary digits of enclosures
PLACES = 60  # binary digits of orders, before and after the point
HIGHEST = 20  # order of Rényi's divergence, of several parameters
MOST = 1000  # numerator and denominator of Rényi's order
LONGEST = 20_000  # binary digits of a power


@dataclass(frozen=True)
class Profile:
    """The ratios of two columns, None where infinite, each with its probabilities in both."""

    losses: Losses

    @cached_property
    def is_equal(self) -> bool:
        """Whether the columns are equal."""
        return set(self.losses) == {ONE}

    def power(self, order: Fraction) -> Fraction | None:
        """The k-th power of the sum of Q r^order, for an order j/k; None where it is irrational."""
        j, k = order.as_integer_ratio()
        ratios = [(r, q) for r, (_, q) in self.losses.items() if r]
        if k == 1:
            return sum((q * r**j for r, q in ratios), ZERO)
        first, total = ratios[0][0], ZERO
        for r, q in ratios:
            root = _root(ratio(r, first), k)
            if root is None:
                return None
            total += q * root**j
        return Fraction(first**j * total**k)

    def digits(self) -> int:
        """How many binary digits the ratios have at most."""
        return max(2 * read.size(r) for r in self.losses if r is not None)

    def size(self, t: Fraction) -> int:
        """About how many binary digits r^`t` has before or after the point, at most."""
        parts = (r.as_integer_ratio() for r in self.losses if r)
        return int(max(abs(n.bit_length() - d.bit_length()) + 1 for n, d in parts) * t) + 1

    def logarithm(self, t: Fraction, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds of K(`t`), for t > 0."""
        unit, low, high = 1 << bits, 0, 0
        for r, (p, _) in self.losses.items():
            if r:
                least, most = _power(r, t, bits)
                low += least * p.numerator // p.denominator
                high -= -most * p.numerator // p.denominator
        ends = [Fraction(max(end, unit), unit) for end in (low, high)]
        first, last = (logarithm(end, bits) for end in ends)
        return Fraction(first[0], unit), Fraction(last[1], unit)


def _root(value: Fraction, degree: int) -> Fraction | None:
    """The root of a positive `value` of this degree, where it is rational."""
    parts = [_integer_root(part, degree) for part in value.as_integer_ratio()]
    return Fraction(*parts) if Fraction(*parts) ** degree == value else None


def _integer_root(value: int, degree: int) -> int:
    """The integer part of the root of a positive `value`."""
    low, high = 1, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return low


def _power(r: Fraction, t: Fraction, bits: int) -> tuple[int, int]:
    """Integers at most 2^`bits` r^t and at least that, for r > 0 and t > 0."""
    low, high = logarithm(max(r, ratio(1, r)), bits)
    n, d = t.as_integer_ratio()
    least = exponentials.enclosure(n * low, d << bits, bits)[0]
    most = exponentials.enclosure(n * high, d << bits, bits)[1]
    unit = 1 << 2 * bits
    return (least, most) if r >= 1 else (unit // most, -(-unit // least))


@dataclass(frozen=True)
class Divergences:
    """What is compared: the profiles of all pairs of columns, and how they are measured.

    order    of Rényi's divergence; None for all orders, and for a range
    orders   between which chords bound K, ascending from 1 on
    """

    rule: str
    order: Fraction | None
    orders: Sequence[Fraction]
    profiles: list[Profile]
    budget: Budget

    def holds(self, at: Level) -> bool:
        """Whether all pairs are within a level."""
        return all(self.within(profile, at) for profile in self.profiles if not profile.is_equal)

    def within(self, profile: Profile, at: Level) -> bool:
        """Whether a pair is within a level, exactly; or, for all orders, is proved to be."""
        if None in profile.losses:
            return False
        if self.rule == "bounded_range":
            p, q = max(profile.losses), min(profile.losses)
            return q > 0 and at.compare(p, q) <= 0
        if self.order is None:
            return self._for_all(profile, at)
        return self.compare(profile, at) <= 0

    def compare(self, profile: Profile, at: Level) -> int:
        """Whether a divergence of the order is below, at or above a level."""
        assert self.order is not None
        j, k = self.order.as_integer_ratio()
        longest = len(profile.losses) * profile.digits() * (j + k)  # of sums of powers
        self.budget.spend(longest + len(profile.losses) * longest**2 // 50_000)
        power, t = profile.power(self.order), self.order - 1
        if power is not None:
            return at.compare(power, ONE, Fraction(t.numerator))
        for bits in BITS:
            low, high = self.bounds(profile, t, bits)
            least, most = _epsilon(at, bits)
            if high <= t * least or low > t * most:
                return -1 if high <= t * least else 1
        raise ArithmeticError("a comparison is too close to be decided")

    def bounds(self, profile: Profile, t: Fraction, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds of K(`t`) of a profile, which a budget pays."""
        size = profile.size(t)
        need(size <= LONGEST, "a power is too long")
        self.budget.spend(len(profile.losses) * 10 * (bits + size))
        return profile.logarithm(t, bits)

    def _for_all(self, profile: Profile, at: Level) -> bool:
        """Whether K(t) <= rho t (t + 1) for all t > 0, by chords between some of the orders, and by
        the largest ratio after the last one."""
        bits, last = BITS[1], len(self.orders) - 1
        if last < 1:
            return False
        rho, largest = _epsilon(at, bits)[0], max(r for r in profile.losses if r is not None)

        @cache
        def point(k: int) -> tuple[Fraction, Fraction]:
            t = self.orders[k] - 1
            return (t, self.bounds(profile, t, bits)[1]) if k else (ZERO, ZERO)

        def is_below(first: int, last: int) -> bool:
            (s, low), (t, high) = point(first), point(last)
            if _is_below(rho, s, low, ratio(high - low, t - s), t):
                return True
            middle = (first + last) // 2
            return last - first > 1 and is_below(first, middle) and is_below(middle, last)

        slope = Fraction(logarithm(largest, bits)[1], 1 << bits)
        return _is_below(rho, *point(last), slope, None) and is_below(0, last)


def _is_below(
    rho: Fraction, start: Fraction, value: Fraction, slope: Fraction, end: Fraction | None
) -> bool:
    """Whether a line is at most `rho` t (t + 1) for all t from a `start`, where it has a `value`,
    up to an `end`: the gap is convex, so it is least at an end, or at its vertex between them."""

    def gap(t: Fraction) -> Fraction:
        return rho * t * (t + 1) - value - slope * (t - start)

    if rho <= 0:
        return False
    vertex = ratio(slope - rho, 2 * rho)
    inside = start < vertex and (end is None or vertex < end)
    ends = [start] if end is None else [start, end]
    return all(gap(t) >= 0 for t in [*ends, *([vertex] if inside else [])])


def _epsilon(at: Level, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of the logarithm of a level."""
    if at.alpha is None:
        return at.epsilon, at.epsilon
    low, high = logarithm(at.alpha, bits)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


def check_divergence(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked, witness = levels.claim(case.claim), case.witness
    need(asked.delta == 0, "a divergence has no delta")
    rule, order, pairs = fields(case.relation, "rule order pairs")
    need(rule in ("bounded_range", "renyi", "zcdp"), "no such rule")
    need((order is not None) == (rule == "renyi"), "an order is that of Rényi's divergence")
    need(pairs["rule"] in NEIGHBOURS, "worlds are compared")
    if "channels" in case.model.parts:
        return _of_records(case, asked, pairs)
    shown = () if witness is None else indices(witness["pair"], case.model.size)
    table, kinds = case.model.table.alike(shown)
    blocks = read_blocks(pairs, case.model, kinds)
    budget = Budget()
    own = _divergences(case, blocks, _profiles(table, blocks, budget), table.values, budget)
    needs = _needs(own, witness, table, kinds, blocks)
    return _settle(asked, own, blocks, needs)


def obligations(relation: Any, model: Model, level: Level) -> tuple[bool, Iterator[Any]]:
    """Whether anything is compared; and numbers that are all at least 0 just where a range of
    ratios, or a divergence of an integer order, is within a `level` for all that is."""
    rule, order, pairs = fields(relation, "rule order pairs")
    need(rule in ("bounded_range", "renyi"), "a range, or a divergence of an order")
    need((order is not None) == (rule == "renyi"), "an order is that of Rényi's divergence")
    need(pairs["rule"] in NEIGHBOURS, "worlds are compared")
    table, kinds = model.table.alike()
    blocks = read_blocks(pairs, model, kinds)
    need({d for _, _, d in blocks} <= {ONE}, "distances are 1")
    power = 0 if order is None else _order(order)
    need(power == int(power) <= HIGHEST, "only integer orders up to 20 are proved")
    return bool(blocks), _obliged(table, blocks, level, int(power))


def _obliged(table: Table, blocks: Sequence[Block], level: Level, order: int) -> Iterator[Any]:
    """P(o) Q(o') <= level Q(o) P(o') for each two outputs, as for one, level being at least 1; or
    that the sum of P^order / Q^(order - 1) is at most level^(order - 1), and no Q is 0."""
    v, columns = table.values, table.columns
    listed = _pairs(blocks, len(columns[0]), Budget())
    known = {
        frozenset(Counter(zip(columns[i], columns[j], strict=True)).items()) for i, j in listed
    }
    for counts in known:
        if not order:
            for ((p, q), _), ((x, y), _) in permutations(counts, 2):
                yield level.gap(v[p] * v[y], v[q] * v[x])
            continue
        terms = [(often, v[p] ** order, v[q] ** (order - 1)) for (p, q), often in counts if v[p]]
        prove(all(below > 0 for _, _, below in terms), "a probability is not proved to be above 0")
        yield level.gap(
            read.total((often, ratio(above, below)) for often, above, below in terms),
            ONE,
            Fraction(order - 1),
        )


def _divergences(
    case: Case,
    blocks: Sequence[Block],
    profiles: list[Profile],
    values: Sequence[Fraction],
    budget: Budget,
) -> Divergences:
    """How the `profiles` of a `case` are measured, of probabilities with these `values`."""
    need({d for _, _, d in blocks} <= {ONE}, "neighbours have distance 1")
    rule, order = (case.relation[key] for key in ("rule", "order"))
    asked = None if order is None else _order(order)
    whole = asked is not None and asked.denominator == 1
    rational = all(type(value) is Fraction for value in values)
    need(rational or whole or rule == "bounded_range", "probabilities are rational")
    return Divergences(rule, asked, _orders(case.witness, rule), profiles, budget)


def _of_records(case: Case, asked: Claim, pairs: Any) -> bool:
    """The same of databases that differ in one record, each answered by a channel of its own: the
    answers of the others are alike in both."""
    channels, users = read_channels(case.model)
    blocks, budget = read_blocks(pairs, case.model, range(case.model.size)), Budget()
    listed = list(_pairs(blocks, 1, budget))
    values = [value for channel in channels for table, _ in channel for value in table.values]
    budget.spend(len(channels) * len(listed) * len(values) * 50)
    profiles = [_together(channel, pair, budget) for channel in channels for pair in listed]
    own = _divergences(case, blocks, profiles, values, budget)
    if case.witness is None:
        return _settle(asked, own, blocks, lambda low: low is not None and low.alpha == 1)
    several = own.rule == "zcdp" and "order" in case.witness
    keys = "record pair order orders" if several else "record pair"
    record, shown, *rest = fields(case.witness, keys)
    i, j = indices(shown, case.model.size)
    prove((i, j) in listed, "the witness is no pair of the relation")
    profile = _together(channels[users[index(record, len(users))]], (i, j), budget)
    needs = _unbounded(own, profile) if not rest else _of_order(own, profile, rest[0])
    return _settle(asked, own, blocks, needs)


def _together(channel: Answers, pair: tuple[int, int], budget: Budget) -> Profile:
    """The profile of a `pair` of columns of independent answers."""
    total = losses_of(channel, *pair, budget)
    rest = ONE - sum((q for _, q in total.values()), ZERO)
    return Profile({**total, ZERO: (ZERO, rest)} if rest else total)


def _unbounded(own: Divergences, profile: Profile) -> Callable[[Level | None], bool]:
    """Whether a profile needs a level, of a range or of one order; or is within none."""
    none = None in profile.losses or (own.rule == "bounded_range" and ZERO in profile.losses)

    def needs(low: Level | None) -> bool:
        if none or low is None or own.rule == "zcdp":
            return none and low is None
        if own.rule == "renyi":
            return own.compare(profile, low) >= 0
        return low.compare(max(profile.losses), min(profile.losses)) >= 0

    return needs


def _settle(
    asked: Claim,
    own: Divergences,
    blocks: Sequence[Block],
    needs: Callable[[Level | None], bool],
) -> bool:
    """Whether the level that is asked for is enough, once the leakage is verified, which with a
    parameter may be a root: of the degree of the sum's, the order less 1."""
    degrees = [] if own.order is None else [own.order - 1]
    within = own.rule != "zcdp"
    return asked.settle(not blocks, own.holds, needs, within=within, degrees=degrees)


def _order(text: Any) -> Fraction:
    """An order above 1 that is no long number."""
    order = read.number(text)
    need(type(order) is Fraction and order > 1, "an order is a rational above 1")
    need(max(order.as_integer_ratio()) <= MOST, "an order is too long")
    return order


def _orders(witness: Any, rule: str) -> list[Fraction]:
    """The orders between which chords are drawn: none, or 1 and larger ones, ascending."""
    if rule != "zcdp" or witness is None or "orders" not in witness:
        return []
    orders = read.numbers(witness["orders"])
    need({*map(type, orders)} <= {Fraction}, "an order is rational")
    need(not orders or orders[0] == 1, "the first order is 1")
    need(all(a < b for a, b in pairwise(orders)), "orders ascend")
    need(all(_is_short(order) for order in orders), "an order is too long")
    return orders


def _is_short(order: Fraction) -> bool:
    return max(part.bit_length() for part in order.as_integer_ratio()) <= 2 * PLACES


def _profiles(table: Table, blocks: Sequence[Block], budget: Budget) -> list[Profile]:
    """The different profiles of the pairs of columns that blocks compare."""
    columns, known = table.columns, set[frozenset[Any]]()
    for pair in _pairs(blocks, len(columns[0]), budget):
        known.add(frozenset(Counter(zip(*(columns[i] for i in pair), strict=True)).items()))
    longest = max(map(read.size, table.values))
    budget.spend(sum(map(len, known)) * (200 + longest * longest // 2000))
    return [_profile(table, codes) for codes in known]


def _pairs(blocks: Sequence[Block], outputs: int, budget: Budget) -> Iterator[tuple[int, int]]:
    """The pairs of different columns that blocks compare."""
    budget.spend(sum(len(s) * len(t) for s, t, _ in blocks) * (50 + outputs))
    for i, j in {pair for s, t, _ in blocks for pair in product(s, t)}:
        if i != j:
            yield i, j


def _profile(table: Table, counted: frozenset[Any]) -> Profile:
    """The profile of two columns, by how often two codes meet."""
    found: Losses = {}
    for (i, j), count in counted:
        p, q = table.values[i], table.values[j]
        if p or q:
            add(found, ratio(p, q) if q else None, count * p, count * q)
    return Profile(found)


def _needs(
    own: Divergences, witness: Any, table: Table, kinds: Sequence[int], blocks: Sequence[Block]
) -> Callable[[Level | None], bool]:
    """Whether the pair of a `witness` needs a level; or, for None, is within none."""
    if witness is None:
        return lambda low: low is not None and low.alpha == 1
    keys = {"bounded_range": "pair outputs", "renyi": "pair", "zcdp": "pair order orders"}[own.rule]
    keys = "pair outputs" if "outputs" in witness else keys
    shown, *rest = fields(witness, keys)
    i, j = (kinds[w] for w in shown)
    related = i != j and any(i in s and j in t for s, t, _ in blocks)
    prove(related, "the witness is no pair of the relation")
    columns = [table.columns[i], table.columns[j]]
    if "outputs" in witness:
        outputs = indices(rest[0], len(columns[0]))
        chances = [[table.values[column[o]] for o in outputs] for column in columns]
        return _odds(*chances) if own.rule == "bounded_range" else _impossible(*chances)
    profile = _profile(table, frozenset(Counter(zip(*columns, strict=True)).items()))
    need(None not in profile.losses, "an output shows that the pair is within no level")
    if own.rule == "renyi":
        return lambda low: low is not None and own.compare(profile, low) >= 0
    return _of_order(own, profile, rest[0])


def _of_order(own: Divergences, profile: Profile, stated: Any) -> Callable[[Level | None], bool]:
    """Whether a profile needs a level of all orders, by one that is `stated`."""
    order = read.number(stated)
    need(type(order) is Fraction and order > 1 and _is_short(order), "an order is above 1")
    need(None not in profile.losses, "an output shows that the pair is within no level")
    least = ratio(own.bounds(profile, order - 1, BITS[1])[0], order * (order - 1))
    return lambda low: low is not None and _epsilon(low, BITS[1])[1] <= least


def _odds(first: list[Fraction], second: list[Fraction]) -> Callable[[Level | None], bool]:
    """Whether the odds of two outputs change by a level at least."""
    (a, b), (c, d) = first, second
    p, q = a * d, b * c
    return lambda low: p > 0 == q if low is None else q > 0 and low.compare(p, q) >= 0


def _impossible(first: list[Fraction], second: list[Fraction]) -> Callable[[Level | None], bool]:
    """Whether an output is possible in the first column only."""
    (p,), (q,) = first, second
    return lambda low: low is None and p > 0 == q
