"""Results in words: a message for each check, then what a reader needs to act on it.

Names in them are as they are; whoever prints a line escapes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.base import shortened
from verifier.run.verify import Result, describe_leakage

if TYPE_CHECKING:
    from verifier.questions.curve import Curve

FEW = 6  # pieces of a function that are told


def message(result: Result) -> str:
    """The verdict on a check, and the smallest level."""
    return f"{result.verdict}{_smallest(result)}"


def details(result: Result, verbose: bool = False) -> Iterator[str]:
    """What else is said of a result, one line after the other.

    verbose  with the witness of a violation that was expected, and the tight example of what holds
    """
    answer = result.answer
    if result.mismatch:
        yield result.mismatch
    if answer.reason:
        yield answer.reason
    if answer.curve is not None:
        yield from _stretches(answer.curve, verbose)
        yield from _traded(answer.curve)
    for alpha, delta in answer.tradeoff:
        level, missed = map(shortened.number, (alpha, delta))
        yield f"at e^ε {level} the smallest δ is {missed}"
    if answer.witness and (verbose or result.expected != "violated" or result.mismatch):
        yield from answer.witness.lines()
    elif answer.shown and verbose:
        yield "where it is tight:"
        yield from (f"  {line}" for line in answer.shown.lines())
    if answer.made:
        yield from answer.made.lines()
    if result.isolation:
        yield f"isolation: {result.isolation}"


def _of_curve(curve: Curve) -> str:
    """Where a check holds, if not everywhere, and the smallest level where it is one function."""
    from verifier.kernels.regions import Region

    name, whole = curve.parameter, Region((curve.domain,))
    said = f"where {curve.region.told(name)}" if curve.region.intervals else "nowhere"
    where = "" if curve.region.same(whole) else f"; holds {said}"
    if curve.undecided:
        where += f", undecided where {Region(tuple(curve.undecided)).told(name)}"
    if len(curve.stretches) > 1:
        return f"{where}; {curve.words} in {len(curve.stretches)} pieces"
    told = [f"; {curve.words} {one.told(name)}" for one in curve.stretches]
    return "".join([where, *told])


def _stretches(curve: Curve, verbose: bool) -> Iterator[str]:
    """The smallest level on each piece, the first few unless all are wanted."""
    if len(curve.stretches) < 2:
        return
    shown = curve.stretches if verbose else curve.stretches[:FEW]
    for one in shown:
        name = curve.parameter
        yield f"{curve.words} {one.told(name)} where {one.interval.told(name)}"
    if len(shown) < len(curve.stretches):
        yield f"… and {len(curve.stretches) - len(shown)} more pieces (--verbose)"


def _traded(curve: Curve) -> Iterator[str]:
    """The smallest delta at each level of a trade-off."""
    name = curve.parameter
    for alpha, stretches in curve.tradeoff:
        for one in stretches:
            where = one.interval.told(name)
            yield f"at e^ε {alpha} the smallest δ is {one.told(name)} where {where}"


def _smallest(result: Result) -> str:
    answer = result.answer
    if result.vacuous:
        return "; vacuous: there was nothing to compare"
    if answer.quantity is not None:
        return f"; {answer.quantity.told}"
    if answer.curve is not None:
        return _of_curve(answer.curve)
    if answer.leakage is None:
        return ""
    approached = "" if answer.leakage.attained else ", approached but not attained"
    sign = symbol(result.definition)
    decimal = "" if answer.leakage.infinite else f" ({sign} {answer.leakage.decimal})"
    level = describe_leakage(answer, shortened.number)
    return f"; smallest e^{sign} {level}{decimal}{approached}"


def symbol(definition: str | None) -> str:
    """What a `definition` calls its level."""
    return "ρ" if definition == "zcdp" else "ε"
