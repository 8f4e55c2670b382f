"""Divergences by the rule "inequality".

*All orders*: K(t) = ln Σ Q (P/Q)^(t + 1) is convex, and 0 at 0. So it is below chords between the
orders less 1, and beyond the last one below a line whose slope is ln of the largest ratio. These
lines are at most ρ t (t + 1), ρ = ln L. From below, K(a - 1) >= a (a - 1) ρ.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

from . import levels
from . import reading as read
from .divergences import BITS, Chances, Divergences, around, epsilon, read_divergences
from .document import fields, index, indices, mapping, need, prove
from .inequality import Needs, needed_by, of_nothing, reaches
from .levels import Level
from .obligations import compared_at
from .powers import logarithm
from .reading import ONE, ZERO, Case, ratio

PLACES = 120  # binary digits of each part of an order


def check_divergence(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    if case.relation["rule"] == "leakage":
        from .leakage import check_leakage

        return check_leakage(case)
    asked, own = levels.claim(case.claim), read_divergences(case.relation, case.model)
    need(asked.delta == 0, "a divergence has no delta")
    needed, orders = _read_divergence(own, case)
    pairs = own.pairs if own.rule == "zcdp" else []
    return asked.settle(
        not own.blocks,
        lambda at: own.holds(at) and all(_is_below_all(own, c, orders, at) for c in pairs),
        needed,
        within=own.rule != "zcdp",
        degrees=[] if own.order is None else [own.order - 1],
    )


def _read_divergence(own: Divergences, case: Case) -> tuple[Needs, list[Fraction]]:
    """What the pair of a witness needs; and the orders between which chords are drawn."""
    if case.witness is None:
        return of_nothing, []
    witness, model = mapping(case.witness), case.model
    keys = {"bounded_range": "outputs", "renyi": "", "zcdp": "order orders"}[own.rule]
    if own.records:
        keys = "record" + " order orders" * (own.rule == "zcdp" and "order" in witness)
    elif "outputs" in witness:
        keys = "outputs"
    pair, *rest = fields(witness, f"pair {keys}")
    i, j = indices(pair, model.size)
    record = index(rest.pop(0), own.records) if own.records else 0
    prove(compared_at(case.relation["pairs"], model, i, j), "no pair of the relation")
    if keys == "outputs":
        places = indices(rest[0], len(model.table.columns[0]))
        (p, *others), (q, *more) = ([model.table.chance(w, [o]) for o in places] for w in (i, j))
        if own.rule == "bounded_range":
            (other,), (another,) = others, more
            return needed_by(p * another, q * other, ONE), []
        need(not others, "one output is impossible")
        return lambda low: low is None and reaches((p, q), low), []
    chances = own.of(i, j, record)
    if rest:
        orders = [_short(order) for order in read.numbers(rest[1])]
        need(not orders or orders[0] == 1, "the first order is 1")
        need(all(a < b for a, b in pairwise(orders)), "orders ascend")
        return _needs_of_order(own, chances, _short(read.number(rest[0]))), orders
    found = own.obligations(chances)
    if found is None:
        return lambda low: low is not None and own.compare(chances, low) >= 0, []
    return lambda low: any(needed_by(*one)(low) for one in found), []


def _short(order: Fraction) -> Fraction:
    """An order that is no long number."""
    need(type(order) is Fraction, "an order is rational")
    need(read.size(order) <= PLACES, "an order is too long")
    return order


def _needs_of_order(own: Divergences, chances: Chances, order: Fraction) -> Needs:
    """Whether a pair needs a level of all orders, by one of them."""
    need(order > 1, "an order is above 1")
    need(not own.obligations(chances), "an output shows that the pair is within no level")
    least = ratio(own.bounds(chances, order - 1, BITS[1])[0], order * (order - 1))
    return lambda low: low is not None and epsilon(low, BITS[1])[1] <= least


def _is_below_all(
    own: Divergences, chances: Chances, orders: Sequence[Fraction], at: Level
) -> bool:
    """Whether K(t) <= rho t (t + 1) for all t > 0, by chords between some of the `orders`, and by
    the largest ratio after the last one."""
    if all(p == q for p, q, _ in chances):
        return True
    bits, last = BITS[1], len(orders) - 1
    if last < 1:
        return False
    rho, largest = epsilon(at, bits)[0], max(ratio(p, q) for p, q, _ in chances if q)

    @cache
    def point(k: int) -> tuple[Fraction, Fraction]:
        t = orders[k] - 1
        return (t, own.bounds(chances, t, bits)[1]) if k else (ZERO, ZERO)

    def is_below(first: int, last: int) -> bool:
        (s, low), (t, high) = point(first), point(last)
        if _is_below(rho, s, low, ratio(high - low, t - s), t):
            return True
        middle = (first + last) // 2
        return last - first > 1 and is_below(first, middle) and is_below(middle, last)

    slope = Fraction(logarithm(around(largest, bits)[1], bits)[1], 1 << bits)
    return _is_below(rho, *point(last), slope, None) and is_below(0, last)


def _is_below(
    rho: Fraction, start: Fraction, value: Fraction, slope: Fraction, end: Fraction | None
) -> bool:
    """Whether a line is at most `rho` t (t + 1) for all t from a `start`, where it has a `value`,
    up to an `end`: the gap is convex, so it is least at its vertex, or at the end next to it."""
    if rho <= 0:
        return False
    t = max(start, ratio(slope - rho, 2 * rho))
    t = t if end is None else min(t, end)
    return rho * t * (t + 1) >= value + slope * (t - start)
