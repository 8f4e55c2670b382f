"""What is asked of independent draws: forms, which are to be at least 0, with integer factors."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm, prod
from typing import Any

from .document import spend
from .functions import KINDS

MAX_CLASSES = 1_000_000
Form = tuple[Any, ...]  # factors of draws, then a constant, which may be a fraction
Law = tuple[str, Fraction]
Event = tuple[tuple[Law, ...], tuple[Form, ...]]


def is_real(law: Law) -> bool:
    """Whether a draw of the law is a real number."""
    return KINDS[law[0]] == "real"


def rounded(forms: Sequence[Form], step: int) -> list[Form] | None:
    """The forms, of parallel ones the smallest, rounded for whole draws; None if two are never both
    at least 0."""
    spend(100 + sum(40 + 8 * len(form) for form in forms))
    least: dict[Form, Any] = {}
    for *factors, shift in forms:
        size = gcd(*factors) or 1
        unit = tuple(c // size for c in factors)
        shift = shift // size if step else Fraction(shift, size)
        before = least.get(unit)
        least[unit] = shift if before is None else min(shift, before)
    for unit, shift in least.items():  # what is about no draw is opposite to itself
        if shift + least.get(tuple(-c for c in unit), -shift) < 0:
            return None
    return [(*unit, shift) for unit, shift in least.items() if any(unit)]


def tidied(laws: Sequence[Law], forms: Iterable[Form]) -> list[Form] | None:
    """The forms of draws, of parallel ones the smallest; those of whole draws alone are rounded."""
    reals = [i for i, law in enumerate(laws) if is_real(law)]
    by: dict[bool, list[Form]] = {True: [], False: []}
    for form in forms:
        by[not any(form[i] for i in reals)].append(form)
    found = [rounded(by[whole], int(whole)) for whole in (False, True)]
    return [form for part in found for form in part or ()] if None not in found else None


def limited(y: int, forms: list[Form], step: int) -> Iterator[tuple[Any, Any, list[Form]]]:
    """What draw `y` is at least and at most, each None where it has no such bound; and the `forms`
    of the other draws by which these two are the narrowest bounds, of equal ones the first."""
    lower, upper = ([f for f in forms if f[y] * s > 0] for s in (1, -1))
    others = [form for form in forms if not form[y]]
    for (i, low), (j, high) in product(_numbered(lower), _numbered(upper)):
        more = [_within(f, low, y, step * (k < i)) for k, f in _numbered(lower) if k != i]
        more += [_within(f, high, y, step * (k < j)) for k, f in _numbered(upper) if k != j]
        if low and high:
            a, b = low[y], -high[y]
            more.append(tuple(p * b + q * a for p, q in zip(low, high, strict=True)))
        cell = rounded([*others, *more], step)
        if cell is not None:
            yield low and _solved(low, y), high and _solved(high, y), cell


def _numbered(forms: list[Form]) -> list[tuple[int, Any]]:
    return list(enumerate(forms)) or [(0, None)]


def _within(form: Form, best: Form, y: int, less: int) -> Form:
    """That draw y is limited by `best` at least as narrowly as by a form, or by `less` more."""
    a, b = abs(form[y]), abs(best[y])
    *found, shift = (p * b - q * a for p, q in zip(form, best, strict=True))
    return (*found, shift - less * a * b)


def _solved(form: Form, y: int) -> Form:
    """What draw y is at least, or at most, where the form is at least 0."""
    return tuple(Fraction(0) if i == y else Fraction(-c, form[y]) for i, c in enumerate(form))


def choices(forms: Sequence[Form], v: int) -> int:
    """In how many ways one of the `forms` limits draw `v` most, from each side."""
    factors: list[int] = [form[v] for form in forms]
    return max(1, sum(x > 0 for x in factors)) * max(1, sum(x < 0 for x in factors))


def hangs(i: int, forms: list[Form], laws: Sequence[Law]) -> Any:
    """What draw i is, the other draw that all its forms are about (None where there is none), and
    its limits; None where it has several others, or several limits from one side, or is a whole
    draw and the other one is not."""
    own = [form for form in forms if not any(form[:i] + form[i + 1 : -1])]
    if own:
        return (
            i,
            None,
            tuple(sorted((form[i] > 0, Fraction(0), Fraction(-form[-1], form[i])) for form in own)),
        )
    others = {j for form in forms for j, c in enumerate(form[:-1]) if c and j != i}
    if len(others) != 1:
        return None
    (j,) = others
    limits = sorted((f[i] > 0, Fraction(-f[j], f[i]), Fraction(-f[-1], f[i])) for f in forms)
    factors, sides = {limit[1] for limit in limits}, {limit[0] for limit in limits}
    whole = all(x.denominator == 1 for limit in limits for x in limit[1:])
    fits = is_real(laws[i]) or (whole and not is_real(laws[j]))
    if len(factors) > 1 or len(sides) < len(limits) or not fits:
        return None
    return i, j, tuple(limits)


def classes(
    laws: Sequence[Law], forms: list[Form]
) -> Iterable[tuple[list[tuple[int, int]], list[Form]]]:
    """Residue classes of whole draws, (step, start) for each, after which forms of two draws have
    factors 1 and −1; and the forms with the class in place of the draw."""
    size, reals = len(laws), [i for i, law in enumerate(laws) if is_real(law)]
    steps = _steps(size, [form for form in forms if not any(form[i] for i in reals)])
    if prod(steps) == 1 or prod(steps) > MAX_CLASSES:
        return [([(1, 0)] * size, forms)]
    found = []
    for starts in product(*map(range, steps)):
        split = []
        for form in forms:
            shift = form[-1] + sum(c * s for c, s in zip(form[:-1], starts, strict=True))
            factors = (c * n for c, n in zip(form[:-1], steps, strict=True))
            split.append((*factors, shift))
        cell = tidied(laws, split)
        if cell is not None:
            found.append((list(zip(steps, starts, strict=True)), cell))
    return found


def _steps(size: int, forms: list[Form]) -> list[int]:
    """How far apart the values of each draw have to be; all 1 where factors do not agree."""
    pairs = [[i for i, c in enumerate(form[:-1]) if c] for form in forms]
    if max(map(len, pairs), default=0) > 2:
        return [1] * size
    found: dict[int, Fraction] = {}
    for first in range(size):
        todo = [first] if first not in found else []
        found.setdefault(first, Fraction(1))
        while todo:
            i = todo.pop()
            for form, both in zip(forms, pairs, strict=True):
                if i in both and len(both) == 2:
                    (j,) = set(both) - {i}
                    step = found[i] * abs(Fraction(form[i], form[j]))
                    todo += [] if j in found else [j]
                    if found.setdefault(j, step) != step:
                        return [1] * size
    unit = lcm(*(step.denominator for step in found.values()))
    return [int(found[i] * unit) for i in range(size)]


def in_classes(forms: list[Form], starts: dict[int, int], apart: int) -> list[Form]:
    """The forms with apart · x + start in place of some draws x."""
    found = []
    for form in forms:
        shift = form[-1] + sum(form[v] * start for v, start in starts.items())
        factors = (c * apart if v in starts else c for v, c in enumerate(form[:-1]))
        found.append((*factors, shift))
    return found
