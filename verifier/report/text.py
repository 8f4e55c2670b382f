"""Results in words: a message for each check, then what a reader needs to act on it.

Names in them are as they are; whoever prints a line escapes it."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.report import shortened, witnesses
from verifier.verify import Result, describe_leakage


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
    for alpha, delta in answer.tradeoff:
        level, missed = map(shortened.number, (alpha, delta))
        yield f"at e^ε {level} the smallest δ is {missed}"
    if answer.witness and (verbose or result.expected != "violated" or result.mismatch):
        yield from witnesses.text(answer.witness)
    elif answer.shown and verbose:
        yield "where it is tight:"
        yield from (f"  {line}" for line in witnesses.text(answer.shown))
    if answer.made:
        yield from witnesses.text(answer.made)
    if result.isolation:
        yield f"isolation: {result.isolation}"


def _smallest(result: Result) -> str:
    answer = result.answer
    if result.vacuous:
        return "; vacuous: there was nothing to compare"
    if answer.quantity is not None:
        return f"; {answer.quantity.told}"
    if answer.leakage is None:
        return ""
    approached = "" if answer.leakage.attained else ", approached but not attained"
    decimal = "" if answer.leakage.infinite else f" (ε {answer.leakage.decimal})"
    level = describe_leakage(answer, shortened.number)
    return f"; smallest e^ε {level}{decimal}{approached}"
