"""Results as lines of text: one per check, then what a reader needs to act on it. Names in them
are as they are; whoever prints a line escapes it."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.base import exact
from verifier.report import witnesses
from verifier.verify import Result, describe_leakage


def title(result: Result) -> str:
    """The name of a result's check, or its definition and level, and the mechanism."""
    name = result.name or " ".join(filter(None, [result.definition, _level(result)]))
    return f"{name} [{result.mechanism}]" if result.mechanism else name


def lines(result: Result) -> Iterator[str]:
    """What is said of a result; the first line has no mark yet."""
    answer = result.answer
    yield f"{title(result)}: {answer.verdict}{_smallest(result)}"
    if result.mismatch:
        yield f"      {result.mismatch}"
    if answer.reason:
        yield f"      {answer.reason}"
    for alpha, delta in answer.tradeoff:
        yield f"      at e^ε {exact.text(alpha)} the smallest δ is {exact.text(delta)}"
    if answer.witness and (result.expected != "violated" or result.mismatch):
        yield from (f"      {line}" for line in witnesses.text(answer.witness))
    if answer.made:
        yield from (f"      {line}" for line in witnesses.text(answer.made))
    if result.isolation:
        yield f"      isolation: {result.isolation}"


def _level(result: Result) -> str:
    answer = result.answer
    level = answer.level.as_json() if answer.level else {}
    parts = [f"{key} {value}" for key, value in level.items()]
    parts += [f"delta {exact.text(answer.delta)}"] if answer.delta else []
    return f"({', '.join(parts)})" if parts else ""


def _smallest(result: Result) -> str:
    answer = result.answer
    if result.vacuous:
        return "; vacuous: there was nothing to compare"
    if answer.quantity is not None:
        return f"; {answer.quantity.told}"
    if answer.leakage is None:
        return ""
    approached = "" if answer.leakage.attained else ", approached but not attained"
    return f"; smallest e^ε {describe_leakage(answer)}{approached}"
