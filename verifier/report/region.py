"""For which values of a parameter checks hold, as text, JSON, comma-separated values and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base import exact
from verifier.base.cell import Root
from verifier.base.errors import LibraryMissing
from verifier.base.exponential_polynomial import INFINITE, ExponentialPolynomial
from verifier.base.rational_function import function_value, polynomial_text
from verifier.kernels.regions import Interval, end_text
from verifier.kernels.roots import End, apart, enclosed
from verifier.questions.curve import Curve, Stretch
from verifier.questions.several import Domain
from verifier.report.influence import comma_separated
from verifier.report.text import message
from verifier.run.verify import Result, describe_leakage

if TYPE_CHECKING:
    from types import ModuleType

Json = dict[str, Any]
Chosen = Mapping[str, str]
WITHOUT = "no parameter stands in it"
COLUMNS = ("check", "parameter", "value", "exp_epsilon", "level", "holds", "quantity")
NEAR = Fraction(1, 2**40)  # how near an irrational end points are drawn
DRAWN = 200  # values in each piece of a figure, at least


def lines(result: Result, chosen: Chosen, verbose: bool = False) -> Iterator[str]:
    """A check as text: where it holds, and the smallest level as a function.

    result   of a check
    chosen   the values of parameters that have several, by their names
    verbose  with the witness of a violation
    """
    if result.answer.curve is None:
        yield f"  {result.label}: {_constant(result, chosen)}"
    else:
        yield from _functions(result, result.answer.curve)
    if verbose and result.witness:
        yield from (f"      {line}" for line in result.witness.lines())


def _constant(result: Result, chosen: Chosen) -> str:
    """A check without a real parameter in it, or with several."""
    if result.verdict == "undecided":
        return f"undecided: {result.answer.reason}"
    failed = f" ({result.mismatch})" if result.mismatch else ""
    if _domain(result) is not None:
        return f"{message(result)}{failed}; {result.answer.reason or 'for all values'}"
    return f"{message(result)}{failed}{'' if chosen else f'; {WITHOUT}'}"


def _functions(result: Result, curve: Curve) -> Iterator[str]:
    verdict, name = result.verdict, curve.parameter
    failed = f" ({result.mismatch})" if result.mismatch else ""
    some = "some " if verdict == "violated" else ""  # where, is told below
    yield f"  {result.label}: {verdict} for {some}{_values(result, curve)}{failed}"
    yield f"    holds for      {curve.region.told(name)}"
    if result.answer.level is not None:
        yield f"    level          {result.answer.level}"
    head = f"{curve.words:<15}"
    for one in curve.stretches:
        yield f"    {head}{one.told(name)}, for {one.interval.told(name)}"
        head = " " * len(head)
    for part in curve.undecided:
        yield f"    undecided for  {part.told(name)}"
    for alpha, stretches in curve.tradeoff:
        yield f"    smallest δ at e^ε {alpha}:"
        for one in stretches:
            yield f"{' ' * len(head)}    {one.told(name)}, for {one.interval.told(name)}"
    for root in _roots(curve):
        polynomial = polynomial_text(name, root.polynomial)
        yield f"    {end_text(root)} is the root of {polynomial} near there"
    if result.answer.reason:
        yield f"    {result.answer.reason}"


def _values(result: Result, curve: Curve) -> str:
    """What is asked about, in words."""
    return ", ".join(filter(None, [curve.domain.told(curve.parameter), result.equations]))


def _domain(result: Result) -> Domain | None:
    """The values of several parameters that a check is about; None where it is about no such."""
    found: Domain | None = getattr(result.question and result.question.claim, "domain", None)
    return found if isinstance(found, Domain) else None


def _roots(curve: Curve) -> Iterator[Root]:
    """The irrational ends, each once."""
    told = set()
    deltas = [one for _, stretches in curve.tradeoff for one in stretches]
    parts = [*curve.region.intervals, *(one.interval for one in (*curve.stretches, *deltas))]
    for end in (end for part in parts for end in (part.low, part.high)):
        if isinstance(end, Root) and end_text(end) not in told:
            told.add(end_text(end))
            yield end


def as_json(result: Result, chosen: Chosen) -> Json:
    """A check as JSON, every number as text.

    result  of a check
    chosen  the values of parameters that have several, by their names
    """
    answer, curve, reason = result.answer, result.answer.curve, result.answer.reason
    head: Json = {
        "file": result.file,
        "index": result.index,
        "name": result.name,
        "verdict": result.verdict,
        "status": result.status,
        **({"chosen": dict(chosen)} if chosen else {}),
        **({"equations": result.equations} if result.equations else {}),
    }
    domain = _domain(result)
    if curve is None and not chosen and domain is None:
        reason = reason or WITHOUT
    found: Json = {**head, **({"reason": reason} if reason else {})}
    if answer.verdict == "undecided":
        return {**found, **({"boxes": list(answer.boxes)} if answer.boxes else {})}
    found |= {"level": answer.level and answer.level.as_json(), "delta": exact.text(answer.delta)}
    if curve is not None:
        return {**found, **curve.as_json()}
    about = {} if domain is None else domain.as_json()
    return {**found, **about, "leakage": answer.leakage and answer.leakage.as_json()}


def as_csv(result: Result, chosen: Chosen, points: int) -> Iterator[str]:
    """A check as comma-separated values: one line for each of some values of the parameter.

    result  of a check
    chosen  the values of parameters that have several, by their names; without a real parameter
            they are the only line
    points  how many rationals between the ends of each stretch, besides rational ends that belong
            to it
    """
    curve = result.answer.curve
    if curve is None:
        if chosen and result.verdict != "undecided":
            yield comma_separated(_row(result, chosen))
        return
    for x in sampled(curve, points):
        found, asked = _exact(curve, x), result.answer.level
        alpha = (
            function_value(asked.exp_epsilon, x) if asked and asked.exp_epsilon is not None else ""
        )
        holds = "yes" if curve.region.has(x) else "no"
        if any(part.has(x) for part in curve.undecided):
            holds = "undecided"
        level, value = ("", found) if curve.quantity else (found, "")
        cells = (result.label, curve.parameter, exact.text(x), level, str(alpha), holds, value)
        yield comma_separated(cells)


def _row(result: Result, chosen: Chosen) -> Iterator[str]:
    """The cells of a check without a real parameter."""
    level, found = result.answer.level, result.leakage
    yield from (result.label, ", ".join(chosen), ", ".join(chosen.values()))
    yield "" if found is None else describe_leakage(result.answer)
    yield str(level.exp_epsilon) if level and level.exp_epsilon is not None else ""
    yield "yes" if result.verdict == "holds" else "no"
    yield "" if result.answer.value is None else exact.text(result.answer.value)


def _exact(curve: Curve, x: Fraction) -> str:
    one = next((one for one in curve.stretches if one.interval.has(x)), None)
    if one is None:
        return ""
    if one.is_infinite:
        return "infinite"
    value = f"{one.sense} {exact.text(one.at(x))}".lstrip()
    return value if one.root == 1 else f"({value})^(1/{one.root})"


def sampled(curve: Curve, points: int) -> Iterator[Fraction]:
    """Rational values of the parameter, ascending."""
    for part in curve.parts():
        yield from _within(_bounded(part, curve), points)


def _bounded(part: Interval, curve: Curve) -> Interval:
    """A part of the values; up to a little beyond all other ends where it has no upper one."""
    if part.high != INFINITE:
        return part
    listed = (one for one in (*curve.parts(), *curve.region.intervals) if one.high == INFINITE)
    return replace(part, high=max(apart(one.low, one.high)[1] for one in listed))


def _within(part: Interval, points: int) -> Iterator[Fraction]:
    """Rational values in an interval."""
    if part.low_closed and not isinstance(part.low, Root):
        yield part.low
    if part.is_point:
        return
    first, last = apart(part.low, part.high)
    for k in range(1, points + 1):
        yield first + (last - first) * k / (points + 1)
    if part.high_closed and not isinstance(part.high, Root):
        yield part.high


def drawing(result: Result, points: int) -> Json:
    """What a figure of a check needs: points as floats, and where the pieces and the region end."""
    curve = result.answer.curve
    assert curve is not None
    level = result.answer.level
    asked = level.exp_epsilon if level else None
    found: list[Json] = []
    for one in curve.stretches:
        drawn = list(_within(_bounded(one.interval, curve), max(points, DRAWN)))
        if one.interval.is_point:  # also an irrational one
            drawn = [enclosed(one.interval.low, NEAR)[0]]
        found.append(
            {
                "x": list(map(float, drawn)),
                "y": [None if one.is_infinite or one.sense else one.near(x) for x in drawn],
                "level": [
                    None if asked is None else float(function_value(asked, x)) for x in drawn
                ],
                "point": one.interval.is_point,
            }
        )
    parts = [_bounded(part, curve) for part in (*curve.parts(), *curve.region.intervals)]
    spans = [[_float(part.low), _float(part.high)] for part in parts]
    return {
        "kind": "region",
        "title": result.label,
        "parameter": curve.parameter,
        "quantity": curve.quantity,
        "stretches": found,
        "breaks": sorted({end for span in spans for end in span}),
        "region": spans[len(spans) - len(curve.region.intervals) :],
        "region_told": curve.region.told(curve.parameter),
    }


def _float(end: End) -> float:
    return float(enclosed(end, NEAR)[0])


def latex(result: Result) -> Iterator[str]:
    """A check in LaTeX: the smallest level, or another value, as a function by cases, and where it
    holds."""
    curve = result.answer.curve
    if curve is None:
        return
    sympy = _sympy()
    name = sympy.latex(sympy.Symbol(curve.parameter))
    yield f"% {result.label}"
    if curve.stretches:
        what = rf"\text{{{curve.quantity}}}" if curve.quantity else r"e^{\varepsilon}"
        yield rf"{what}({name}) = \begin{{cases}}"
    for one in curve.stretches:
        function = _function(sympy, one, curve.parameter)
        side = rf"\text{{{one.sense} }} " if one.sense else ""
        yield rf"  {side}{function} & \text{{for }} {_inequalities(sympy, one.interval, name)} \\"
    if curve.stretches:
        yield r"\end{cases}"
    where = [_inequalities(sympy, one, name) for one in curve.region.intervals]
    told = r" \text{ or } ".join(where) or rf"\text{{no }} {name}"
    yield rf"\text{{holds for }} {told}"
    for part in curve.undecided:
        yield rf"\text{{undecided for }} {_inequalities(sympy, part, name)}"


def _sympy() -> ModuleType:
    try:
        import sympy
    except ImportError:
        raise LibraryMissing("LaTeX", "sympy", "latex") from None
    return sympy  # type: ignore[no-any-return]


def _function(sympy: Any, one: Stretch, name: str) -> str:
    if one.is_infinite:
        return r"\infty"
    symbol = sympy.Symbol(name)
    if isinstance(one.top, ExponentialPolynomial):
        above, below = (_exponential(sympy, part, symbol) for part in (one.top, one.bottom))
        found = above / below
    else:
        above, below = (sympy.Poly(part[::-1], symbol).as_expr() for part in (one.top, one.bottom))
        found = sympy.factor(above) / sympy.factor(below)
    return str(sympy.latex(found if one.root == 1 else sympy.root(found, one.root)))


def _exponential(sympy: Any, part: Any, symbol: Any) -> Any:
    """An exponential polynomial."""
    terms = (
        c * symbol**i * sympy.exp(symbol * _rational(sympy, q) + _rational(sympy, r))
        for (i, q, r), c in part
    )
    return sympy.Add(*terms)


def _rational(sympy: Any, x: Fraction) -> Any:
    return sympy.Rational(x.numerator, x.denominator)


def _inequalities(sympy: Any, interval: Interval, name: str) -> str:
    if interval.is_point:
        return f"{name} = {_end(sympy, interval.low)}"
    signs = [r"\le" if closed else "<" for closed in (interval.low_closed, interval.high_closed)]
    low = _end(sympy, interval.low)
    if interval.high == INFINITE:
        return f"{low} {signs[0]} {name}"
    return f"{low} {signs[0]} {name} {signs[1]} {_end(sympy, interval.high)}"


def _end(sympy: Any, end: End) -> str:
    """An end: a fraction, a closed form of degree 2, or twelve digits."""
    if not isinstance(end, Root):
        return str(sympy.latex(_rational(sympy, end)))
    if len(end.polynomial) > 3 or isinstance(end.polynomial, ExponentialPolynomial):
        return rf"{end_text(end)}\ldots"
    low, high = (_rational(sympy, x) for x in (end.low, end.high))
    symbol = sympy.Symbol("x")
    roots = sympy.roots(sympy.Poly(end.polynomial[::-1], symbol))
    return str(sympy.latex(next(root for root in roots if low < root < high)))
