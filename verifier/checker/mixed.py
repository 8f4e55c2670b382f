"""Whole and real draws that are compared with one another: a real draw is a whole number k and a
fraction u, and what is asked of the k and of the u are two independent questions.

An exponential draw has independent k and u, a Laplace draw is one of these with either sign, and on
an interval k is one of finitely many. A form L + s, with a whole L and a sum s of fractions, is at
least 0 just where L + floor(s) is; so the floors of all s are gone through.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, gcd

from .forms import Event, Form, Law, is_real
from .functions import KINDS, ONE


def separated(event: Event, count: Callable[[], None]) -> Iterator[tuple[Fraction, list[Event]]]:
    """Products of independent events, with weights, that add up to an `event`; `count` counts
    them. In each of them real draws hang from whole ones, or there are none of one kind."""
    laws, forms = event
    split = _loose(event) if len({is_real(law) for law in laws}) == 2 else []
    if not split:
        yield ONE, [event]
        return
    weight, outer, inner, limits = _halves(laws, split)
    more = [*forms, *limits]
    unit = [tuple(int(i == j) for j in range(len(split))) for i in range(len(split))]
    bounds = [(*u, Fraction(0)) for u in unit] + [(*(-c for c in u), ONE) for u in unit]
    signs = [(1, -1) if laws[i][0] == "laplace" else (1,) for i in split]
    for chosen in product(*signs):
        turned = dict(zip(split, chosen, strict=True))
        whole = [tuple(c * turned.get(i, 1) for i, c in enumerate(form[:-1])) for form in more]
        sums = [(*(form[i] * turned[i] for i in split), form[-1]) for form in more]
        for whole_forms, u_forms in _floors(list(zip(whole, sums, strict=True)), [], bounds, count):
            yield weight, [_used(outer, whole_forms), _used(inner, u_forms)]


def _halves(
    laws: Sequence[Law], split: Sequence[int]
) -> tuple[Fraction, list[Law], list[Law], list[Form]]:
    """The weight of each choice of signs, the laws with the whole parts of the draws of `split`,
    the laws of the fractions of these, and what a draw on an interval asks besides."""
    kind = "ratios" if any(KINDS[name] == "ratios" for name, _ in laws) else "powers"
    weight, outer, inner, limits = ONE, list(laws), list[Law](), list[Form]()
    for i in split:
        name, width = laws[i]
        outer[i], u = ("whole part", width), ("fraction", width)
        if name == "laplace":
            weight = weight * Fraction(1, 2)
        elif name == "interval":
            steps = Fraction(ceil(width))
            outer[i], u = (f"steps of {kind}", steps), ("interval", ONE)
            weight = weight * Fraction(steps, width)
            limits.append((*(-(i == j) for j in range(len(laws))), width))
        inner.append(u)
    return weight, outer, inner, limits


def _floors(
    pairs: list[tuple[Form, Form]],
    found: list[Form],
    bounds: list[Form],
    count: Callable[[], None],
) -> Iterator[tuple[list[Form], list[Form]]]:
    """For each choice of floors of sums of fractions: what it asks of whole numbers and fractions,
    in addition to `found` and `bounds`."""
    if not pairs:
        yield found, bounds
        return
    (whole, (*factors, shift)), *rest = pairs
    if not any(factors):
        yield from _floors(rest, [*found, (*whole, shift)], bounds, count)
        return
    least = floor(sum(c for c in factors if c < 0) + shift)
    most = ceil(sum(c for c in factors if c > 0) + shift)
    for k in range(least, most):
        count()
        low, high = (*factors, shift - k), (*(-c for c in factors), k + 1 - shift)
        inside = _tightest([*bounds, low, high])
        if inside:
            longer = [*found, (*whole, Fraction(k))]
            yield from _floors(rest, longer, inside, count)


def _tightest(forms: list[Form]) -> list[Form]:
    """Of parallel forms the smallest; none where two leave no room between them."""
    least: dict[Form, Fraction] = {}
    for form in forms:
        size = gcd(*form[:-1])
        unit, shift = tuple(c // size for c in form[:-1]), Fraction(form[-1], size)
        least[unit] = min(shift, least.get(unit, shift))
    opposite = {unit: tuple(-c for c in unit) for unit in least}
    rooms = [least[u] + least[v] for u, v in opposite.items() if v in least]
    return [(*unit, shift) for unit, shift in least.items()] if min(rooms) > 0 else []


def _used(laws: Sequence[Law], forms: Sequence[Form]) -> Event:
    """The event without draws that it does not ask about."""
    kept = [i for i in range(len(laws)) if any(form[i] for form in forms)]
    shorter = tuple(tuple(form[i] for i in (*kept, -1)) for form in forms)
    return tuple(laws[i] for i in kept), shorter


def _loose(event: Event) -> list[int]:
    """The real draws that do not hang from whole ones by forms with nothing else."""
    laws, forms = event
    others = [form for form in forms if sum(map(bool, form[:-1])) > 1]
    left, inner = set(range(len(laws))), dict[int, int]()
    todo = [i for i in left if is_real(laws[i])]
    while todo:
        i = todo.pop()
        mine = [form for form in others if form[i]]
        beside = {j for form in mine for j, c in enumerate(form[:-1]) if c and j != i}
        if len(beside & left) == 1 and len(beside - left) == 0 and _is_simple(mine, i, *beside):
            (j,) = beside
            inner[i] = j
            left.remove(i)
            others = [form for form in others if not form[i]]
            todo += [j] if is_real(laws[j]) and j not in todo else []
    hung = {i for i in inner if _ends_whole(i, inner, laws)}
    return [i for i in range(len(laws)) if is_real(laws[i]) and i not in hung]


def _is_simple(forms: Sequence[Form], i: int, j: int) -> bool:
    """Whether the forms of two draws limit draw i from each side at most once, at one factor."""
    sides = [form[i] > 0 for form in forms]
    one = len({Fraction(form[j], form[i]) for form in forms}) == 1
    return one and len(set(sides)) == len(sides)


def _ends_whole(i: int, inner: dict[int, int], laws: Sequence[Law]) -> bool:
    while i in inner:
        i = inner[i]
    return not is_real(laws[i])
