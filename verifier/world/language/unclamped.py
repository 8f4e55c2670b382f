"""Draws that are not clamped, as values: operations on them, which ask how they compare.

Such a value is a rational sum of draws that nobody has looked at. An operation that has to know how
it compares asks: `Asked` holds the alternatives, of which just one is true, and the state is split
into them. What is known stands in the state's path, a conjunction of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

from verifier.base.cell import innermost
from verifier.base.exact import is_irrational, is_symbolic
from verifier.base.exponential import exponent
from verifier.base.nouns import Later, dataclass
from verifier.base.rational_function import exponent_of, rate_of
from verifier.noise.draws import (
    EXPONENTIAL,
    GEOMETRIC,
    GEOMETRIC_EPSILON,
    INTERVAL,
    LAPLACE,
    NORMAL,
    Condition,
    Draw,
    Floor,
    Law,
    Linear,
    Path,
    Sides,
)
from verifier.noise.events import seen
from verifier.world.language import operations
from verifier.world.language.axes import apart
from verifier.world.language.operations import Distribution, elements, need_integer, need_number
from verifier.world.space import Dictionary, Failure, Truth, is_number, number, truth

Conditions = tuple[Condition | bool, ...]
Terms = tuple[tuple[Draw, int | Fraction], ...]
MAX_RELEASED = 100_000
DENSITIES = {LAPLACE, EXPONENTIAL, INTERVAL}  # of laws that are known in pieces
TOGETHER = "numbers are released together that rest on a draw, or on draws that were compared"
CLAMP = "clamp it to finitely many values: max(low, min(high, floor(x)))"


@dataclass(frozen=True)
class Unclamped(Later):
    """The distribution of center + noise with a law."""

    law: Law
    center: Any

    def __repr__(self) -> str:
        kind, parameter = self.law.kind, self.law.parameter
        if kind == EXPONENTIAL:
            return f"exponential({parameter})"
        if kind == INTERVAL:
            return f"interval({self.center}, {self.center + parameter})"
        if kind == GEOMETRIC_EPSILON:
            return f"geometric({self.center}, epsilon={parameter})"
        if kind == NORMAL:
            return f"normal({self.center}, variance={parameter})"
        return f"{kind}({self.center}, {parameter})"

    def drawn(self, place: int) -> Linear:
        """A draw, told apart from all others by its `place`."""
        noise = Linear.of({Draw(place, self.law): 1}, 0)
        return noise.plus(self.center)


@dataclass(frozen=True)
class Alternatives(Later):
    """Conjunctions of which just one holds, up to probability 0."""

    cases: tuple[Conditions, ...]


class Asked(Exception):
    """An operation has to know which of some alternatives holds."""

    def __init__(self, alternatives: Alternatives) -> None:
        super().__init__(alternatives)
        self.alternatives = alternatives


def has_draw(value: Any) -> bool:
    """Whether a draw that nobody has looked at is in a value."""
    if isinstance(value, tuple):
        return any(map(has_draw, value))
    if isinstance(value, Dictionary):
        return has_draw(value.entries)
    return isinstance(value, Linear | Floor)


def draws_in(value: Any) -> Iterator[Draw]:
    """The draws that are in a value, or in the outcomes of a distribution."""
    if isinstance(value, Distribution):
        value = value.outcomes
    if isinstance(value, Dictionary):
        value = value.entries
    if isinstance(value, tuple):
        for item in value:
            yield from draws_in(item)
    elif isinstance(value, Linear | Floor):
        form = value.of if isinstance(value, Floor) else value
        yield from (draw for draw, _ in form.terms)


def choose(path: Path, cases: Sequence[Conditions]) -> int:
    """Which of some `cases` holds on the path; raises `Asked` where it does not tell."""
    for i, case in enumerate(cases):
        if all(map(path.truth, case)):
            return i
    left = [
        (i, case)
        for i, case in enumerate(cases)
        if not any(path.truth(condition) is False for condition in case)
    ]
    if len(left) == 1:
        return left[0][0]
    raise Asked(Alternatives(tuple(case for _, case in left)))


def holds(path: Path, condition: Condition | bool) -> bool:
    """Whether a `condition` holds on the path."""
    if isinstance(condition, bool):
        return condition
    return choose(path, [(condition,), (condition.contrary,)]) == 0


def stores(operation: Callable[..., Any], path: Path, *values: Any) -> Any:
    """What an `operation` gives that only keeps values."""
    return operation(*values)


def minus(a: Any, b: Any) -> Linear:
    """a − b, at least one of them a sum of draws."""
    start = a if isinstance(a, Linear) else Linear((), a)
    return start.plus(b, -1)


@lru_cache(maxsize=2**14)
def above(a: Any, b: Any, strict: bool) -> Condition | bool:
    """The condition a >= b, or a > b where `strict`."""
    for value in (a, b):
        if not isinstance(value, Linear | Floor):
            need_number(value, "a comparison with a draw")
    if isinstance(a, Floor) and is_number(b):
        return Condition.of(a.of.plus(-(floor(b) + 1 if strict else ceil(b))))
    if isinstance(b, Floor) and is_number(a):
        return Condition.of(minus(ceil(a) if strict else floor(a) + 1, b.of), strict=True)
    if isinstance(a, Floor) or isinstance(b, Floor):
        said = "a floor or round of a draw is compared with a draw"
        raise Failure("S315", said, "compare it with numbers, or compare the draws themselves")
    form = minus(a, b)
    if len({draw.law.base for draw, _ in form.terms} - {""}) > 1:
        raise Failure("S321", "a draw with a ratio is compared with one of powers of e")
    return Condition.of(form, strict)


def compare(strict: bool, turned: bool, path: Path, a: Any, b: Any) -> Truth:
    """a >= b, or a > b where `strict`; of a and b `turned` round."""
    return truth(holds(path, above(b, a, strict) if turned else above(a, b, strict)))


def equal(path: Path, a: Any, b: Any) -> Truth:
    """a == b, up to probability 0."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        pairs = zip(a, b, strict=False)
        return truth(len(a) == len(b) and all(equal(path, x, y) for x, y in pairs))
    if not (has_draw(a) or has_draw(b)):
        return operations.equal(a, b)
    for value in (a, b):
        if not isinstance(value, Linear | Floor):
            need_number(value, "a comparison with a draw")
        elif isinstance(value, Linear) and not all(d.law.whole for d, _ in value.terms):
            raise Failure("S317", "== of a continuous draw, which has probability 0")
    return truth(holds(path, above(a, b, False)) and holds(path, above(b, a, False)))


def different(path: Path, a: Any, b: Any) -> Truth:
    """a != b, up to probability 0."""
    return truth(not equal(path, a, b))


def add(path: Path, a: Any, b: Any) -> Any:
    """a + b."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return operations.add(a, b)
    return _sum("+", a, b, 1)


def subtract(path: Path, a: Any, b: Any) -> Any:
    """a − b."""
    return _sum("-", a, b, -1)


def _sum(sign: str, a: Any, b: Any, factor: int) -> Any:
    a, b = _summand(a, sign), _summand(b, sign)
    if isinstance(a, Floor) and is_number(b) and b.denominator == 1:
        return Floor(a.of.plus(b, factor))
    if isinstance(b, Floor) and is_number(a) and a.denominator == 1 and factor == 1:
        return Floor(b.of.plus(a))
    if isinstance(a, Floor) or isinstance(b, Floor):
        said = "the floor or round of a draw is added to what is no whole number"
        raise Failure("S315", said, "add first, then round")
    return _plain((a if isinstance(a, Linear) else Linear((), a)).plus(b, factor))


def _summand(value: Any, sign: str) -> Any:
    return value if isinstance(value, Linear | Floor) else need_number(value, sign)


def _plain(form: Linear) -> Any:
    """A sum of draws, or the number that it is where all have gone out."""
    return form if form.terms else number(form.constant)


def multiply(path: Path, a: Any, b: Any) -> Any:
    """a · b, one of them a number; or a list repeated."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return operations.multiply(a, b)
    if has_draw(a) and has_draw(b):
        raise Failure("S316", "a product of two draws")
    factor, value = (b, a) if has_draw(a) else (a, b)
    return _scaled(value, need_number(factor, "*"), "*")


def divide(path: Path, a: Any, b: Any) -> Any:
    """a / b, by a number."""
    if has_draw(b):
        raise Failure("S316", "a quotient by a draw")
    if need_number(b, "/") == 0:
        raise Failure("S307", "division by zero")
    return _scaled(a, Fraction(1) / b, "/")


def _scaled(value: Any, factor: int | Fraction, sign: str) -> Any:
    if not isinstance(value, Linear):
        said = f"{sign} of the floor or round of a draw"
        raise Failure("S315", said, "multiply first, then round")
    return _plain(value.times(factor))


def negate(path: Path, a: Any) -> Any:
    """−a."""
    return _scaled(a, -1, "-")


def floor_divide(path: Path, a: Any, b: Any) -> Any:
    """The largest integer that is at most a / b."""
    return floor_of(path, divide(path, a, b))


def floor_of(path: Path, a: Any) -> Any:
    """The largest integer that is at most a."""
    if isinstance(a, Floor):
        return a
    return a if a.whole else Floor(a)


def round_of(path: Path, a: Any) -> Any:
    """The nearest integer."""
    if isinstance(a, Floor) or a.whole:
        return a
    if all(draw.law.whole for draw, _ in a.terms):
        said = "round of a fraction of a whole draw, which may lie half way"
        raise Failure("S315", said, "write floor(x + 1/2)")
    return Floor(a.plus(Fraction(1, 2)))


def absolute(path: Path, a: Any) -> Any:
    """|a|."""
    return a if holds(path, above(a, 0, False)) else _scaled(a, -1, "abs")


def _items(values: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    items = elements(values[0], name) if len(values) == 1 else values
    for item in items:
        if not isinstance(item, Linear | Floor):
            need_number(item, name)
    return items


def _largest(path: Path, items: Sequence[Any], sign: int) -> int:
    """The place of the largest of some items, or of the smallest; the first of several."""
    places, cases = _rivals(tuple(items), sign)
    return places[choose(path, cases)]


@lru_cache(maxsize=2**12)
def _rivals(items: tuple[Any, ...], sign: int) -> tuple[list[int], list[Conditions]]:
    """The places of the items that may be the largest, or the smallest, and when they are."""
    numbers = [(sign * x, -i) for i, x in enumerate(items) if is_number(x)]
    best = [-max(numbers)[1]] if numbers else []
    places = sorted([i for i, x in enumerate(items) if not is_number(x)] + best)

    def beats(i: int, j: int) -> Condition | bool:
        """That the item i is taken rather than j: ties go to the first."""
        a, b = (items[i], items[j]) if sign > 0 else (items[j], items[i])
        return above(a, b, strict=j < i)

    return places, [tuple(beats(i, j) for j in places if j != i) for i in places]


def maximum(path: Path, *values: Any) -> Any:
    """The greatest of several values, or of one list."""
    items = _items(values, "max")
    return items[_largest(path, items, 1)]


def minimum(path: Path, *values: Any) -> Any:
    """The least of several values, or of one list."""
    items = _items(values, "min")
    return items[_largest(path, items, -1)]


def argmax(path: Path, *values: Any) -> int:
    """The place of the greatest value."""
    return _largest(path, _items(values, "argmax"), 1)


def sum_list(path: Path, value: Any, *_: Any) -> Any:
    """The sum of a list."""
    total: Any = 0
    for item in elements(value, "sum"):
        total = add(path, total, item) if has_draw(total) or has_draw(item) else total + item
    return total


def range_of(path: Path, *bounds: Any) -> Any:
    """Refused."""
    raise Failure("S319", "how often a loop runs would depend on a draw that is not clamped")


def released(value: Any) -> Any:
    """What a program returns; a draw in it is looked at."""
    return value


def look_at(path: Path, value: Any) -> Any:
    """What is returned, in which a draw is looked at."""
    made = _looked_at(path, value)
    forms = list(_forms((made,)))
    compared = any(draw in path.draws for form in forms for draw, _ in form.terms)
    if not compared and (not forms or apart(forms) is not None):
        return made
    if any(draw.law.kind not in DENSITIES for form in forms for draw, _ in form.terms):
        said = "a whole or normal draw is released after it was compared, or in a sum of draws"
        raise Failure("S322", said, CLAMP)
    if seen(path, forms) is None:
        raise Failure("S322", TOGETHER, f"release one of them alone; or {CLAMP}")
    return made


def _looked_at(path: Path, value: Any) -> Any:
    """What is released, with numbers for draws that have finitely many values."""
    if isinstance(value, tuple):
        return tuple(_looked_at(path, item) for item in value)
    if not isinstance(value, Linear | Floor):
        return value
    form = value.of if isinstance(value, Floor) else value
    if isinstance(value, Linear) and not value.whole:
        return value
    low, high = _ends(path, form)
    if low is None or high is None:
        if isinstance(value, Linear):
            return value
        raise Failure("S318", "a draw with infinitely many values is released", CLAMP)
    if high - low >= MAX_RELEASED:
        raise Failure("S318", f"a draw with {high - low + 1} values is released", CLAMP)
    if low == high:
        return low
    return low + choose(path, _between(form, low, high))


@lru_cache(maxsize=2**12)
def _between(form: Linear, low: int, high: int) -> tuple[Conditions, ...]:
    """That the floor of a sum of draws is each of the numbers from `low` to `high`."""
    return tuple(
        (Condition.of(form.plus(-k)), Condition.of(minus(k + 1, form), strict=True))
        for k in range(low, high + 1)
    )


def _forms(values: Iterable[Any]) -> Iterator[Linear]:
    for value in values:
        if isinstance(value, tuple):
            yield from _forms(value)
        elif isinstance(value, Linear):
            yield value


def _ends(path: Path, form: Linear) -> tuple[int | None, int | None]:
    """The least and the greatest floor that a sum of draws has on a path, where it tells."""
    found: list[int | None] = []
    for sign in (1, -1):
        terms, scale = _side(form.terms, sign)
        known = path.tight.get(terms)
        law = _own_end(form, sign)
        if known is None:
            found.append(None if law is None else law)
            continue
        end = sign * -known / scale + form.constant
        strict = sign < 0 and not all(d.law.whole for d, _ in form.terms)
        found.append(ceil(end) - 1 if strict else floor(end))
    return found[0], found[1]


@lru_cache(maxsize=2**12)
def _side(terms: Terms, sign: int) -> tuple[Sides, Fraction]:
    """The normal form of a sum times `sign`, and what it is multiplied by besides."""
    condition = Condition.of(Linear(terms, 0).times(sign))
    assert isinstance(condition, Condition)
    return condition.terms, condition.terms[0][1] / Fraction(sign * terms[0][1])


def _own_end(form: Linear, sign: int) -> int | None:
    """The least (sign 1) or greatest floor that a single draw has by its law."""
    if len(form.terms) != 1:
        return None
    ((draw, factor),) = form.terms
    end = draw.law.low if factor * sign > 0 else draw.law.high
    if end is None:
        return None
    value = factor * end + form.constant
    return floor(value) if sign > 0 else ceil(value) - 1


def _law(kind: str, parameter: Any, name: str) -> Law:
    if not is_symbolic(need_number(parameter, f"the {name} of {kind}")):
        _need_rational(parameter, f"the {name} of {kind}")
        _take_base("e")
    if parameter <= 0:
        said = f"the {name} of {kind} is {parameter}, must be above 0"
        raise Failure("S320", said, "write a positive one, such as 2")
    if is_symbolic(parameter):
        parameter = _in_units(kind, parameter, name)
    return Law(kind, Fraction(parameter))


def _in_units(kind: str, parameter: Any, name: str) -> Fraction:
    """A scale in units of 1/ε, or an epsilon in units of ε, ε the real parameter."""
    scale = name == "scale"
    rate = rate_of(1 / parameter if scale else parameter)
    if rate is None or kind == NORMAL:
        said = (
            f"the {name} of {kind}, {parameter}, is no multiple of {'1 over ' * scale}a parameter"
        )
        hint = f"write {'2/epsilon' if scale else 'epsilon/2'}, with the parameter epsilon"
        raise Failure("S803", said, "fix the parameter with --set" if kind == NORMAL else hint)
    _take_base(f"e^{parameter.parameter}")
    return 1 / rate if scale else rate


def _need_rational(value: Any, what: str) -> None:
    if is_irrational(need_number(value, what)):
        raise Failure("S320", f"{what} is irrational", "write a rational one: 1/2")


def geometric(center: Any, ratio: Any) -> Unclamped | Distribution:
    """center + Z, with P(Z = z) = (1−ρ)/(1+ρ)·ρ^|z| on all integers."""
    need_integer(center, "the center of geometric")
    if is_symbolic(ratio):
        return Unclamped(Law(GEOMETRIC_EPSILON, _power(ratio)), center)
    if (power := exponent(ratio)) is not None and power < 0:
        return geometric_epsilon(center, -power)
    if is_irrational(ratio):
        said = "the ratio of geometric is irrational"
        raise Failure("S320", said, "write geometric(0, epsilon=1) for the ratio e^(−1)")
    if not 0 <= need_number(ratio, "the ratio of geometric") < 1:
        raise Failure("S311", f"the ratio of geometric is {ratio}, must be in [0, 1)")
    if ratio == 0:
        return Distribution((center,), (1,))
    return Unclamped(Law(GEOMETRIC, Fraction(ratio)), center)


def _power(ratio: Any) -> Fraction:
    """The number k of a ratio x^k or e^(−kx), which makes x or e^x the base of all draws of the
    program."""
    if not isinstance(ratio.parameter, str):
        said = f"the ratio of geometric, {ratio}, has several parameters"
        raise Failure("S320", said, "fix all but one of them with --set")
    if (rate := exponent_of(ratio)) is not None and rate < 0:
        _take_base(f"e^{ratio.parameter}")
        return -rate
    power = len(ratio.top) - 1
    if ratio.bottom != (1,) or ratio.top != (*[0] * power, 1):
        said = f"the ratio of geometric, {ratio}, is no power of the parameter"
        raise Failure("S320", said, f"write a power of it, such as {ratio.parameter}**2")
    if not 0 < ratio < 1:
        raise Failure("S311", f"the ratio of geometric is {ratio}, must be in [0, 1)")
    _take_base(ratio.parameter)
    return Fraction(power)


def _take_base(name: str) -> None:
    """Let draws have powers of e, or of the parameter of this `name`; S804 for both."""
    cell = innermost()
    if cell is None:
        return
    if cell.base not in ("", name):
        raise Failure("S804", f"draws with powers of {cell.base} and of {name} in one file")
    cell.base = name


def geometric_epsilon(center: Any, epsilon: Any) -> Unclamped:
    """center + Z, with the ratio e^(−ε)."""
    need_integer(center, "the center of geometric")
    law = _law("geometric", epsilon, "epsilon")
    return Unclamped(Law(GEOMETRIC_EPSILON, law.parameter), center)


def laplace(center: Any, scale: Any) -> Unclamped:
    """center + Z, with the density e^(−|z|/b)/(2b), b the `scale`."""
    _need_rational(center, "the center of laplace")
    return Unclamped(_law(LAPLACE, scale, "scale"), center)


def exponential(scale: Any) -> Unclamped:
    """Z >= 0, with the density e^(−z/b)/b, b the `scale`."""
    return Unclamped(_law(EXPONENTIAL, scale, "scale"), 0)


def interval(a: Any, b: Any) -> Unclamped:
    """A number between a and b, each as likely."""
    _need_rational(a, "an end of interval")
    _need_rational(b, "an end of interval")
    if not a < b:
        raise Failure("S320", f"interval from {a} to {b} has no length", "write interval(0, 1)")
    return Unclamped(Law(INTERVAL, Fraction(b - a)), a)


def normal(center: Any, scale: Any) -> Unclamped:
    """center + Z, with the density e^(−z²/(2σ²))/(σ√(2π)), σ the `scale`."""
    law = _law(NORMAL, scale, "scale")
    return normal_variance(center, law.parameter**2)


def normal_variance(center: Any, variance: Any) -> Unclamped:
    """center + Z, with the density e^(−z²/(2v))/√(2πv), v the `variance`."""
    _need_rational(center, "the center of normal")
    return Unclamped(_law(NORMAL, variance, "variance"), center)


UNCLAMPED: frozenset[Callable[..., Any]] = frozenset(
    {geometric, geometric_epsilon, laplace, exponential, interval, normal, normal_variance}
)


def key(path: Path, place: Any) -> Any:
    """Refused."""
    raise Failure("S315", "an index would look at a draw that is not clamped")


def member(operation: Callable[..., Any], path: Path, a: Any, b: Any) -> Truth:
    """What an `operation` says of a key and a dictionary whose values are draws."""
    if has_draw(a) or not isinstance(b, Dictionary):
        raise Failure("S315", "`in` would look at a draw that is not clamped")
    return operation(a, b)  # type: ignore[no-any-return]


def sorted_of(path: Path, a: Any) -> tuple[Any, ...]:
    """The elements of a list in order, or the keys of a dictionary."""
    if isinstance(a, Dictionary):
        return operations.sorted_of(a)
    left, found = list(_items((a,), "sorted")), []
    while left:
        found.append(left.pop(_largest(path, left, -1)))
    return tuple(found)
