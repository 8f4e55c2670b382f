"""Results as lines of text: one per check, then what a reader needs to act on it. Names in them
are as they are; whoever prints a line escapes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.base import exact
from verifier.report import mixtures
from verifier.report.witnesses import simulator, witness
from verifier.verify import Result, describe_leakage


def title(result: Result) -> str:
    """The check's name, or its definition and level, and the mechanism."""
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
        yield from (f"      {line}" for line in witness(answer.witness))
    if answer.simulator:
        yield from (f"      {line}" for line in simulator(answer.simulator))
    if answer.mixture:
        yield from (f"      {line}" for line in mixtures.mixture(answer.mixture))
    if result.isolation:
        yield f"      isolation: {result.isolation}"


def _level(result: Result) -> str:
    level = result.answer.level
    parts = [f"{key} {value}" for key, value in level.items() if (key, value) != ("delta", "0")]
    return f"({', '.join(parts)})" if parts else ""


def _smallest(result: Result) -> str:
    answer = result.answer
    if result.vacuous:
        return "; vacuous: there was nothing to compare"
    if answer.value is not None and result.definition == "parallel_composition":
        return f"; together ε {exact.text(answer.value)}{_condition(answer.scope)}"
    if answer.value is not None:
        bound = "".join(
            f", {key} = {answer.scope[key]}" for key in ("alpha", "xi") if key in answer.scope
        )
        if result.definition == "row_cone":
            return f"; {exact.text(answer.value)} facets"
        what = "smallest loss" if answer.best else "sensitivity"
        return f"; {what} {exact.text(answer.value)}{bound}"
    if answer.leakage is None:
        return ""
    approached = "" if answer.leakage.attained else ", approached but not attained"
    return f"; smallest e^ε {describe_leakage(answer)}{approached}"


def _condition(scope: Mapping[str, Any]) -> str:
    """What is known of the sufficient condition for parallel composition."""
    if "theorem_4_3" not in scope:
        return ""
    return f"; the condition of Theorem 4.3 is {'' if scope['theorem_4_3'] else 'not '}met"
