"""Results as text: one line per check, then what a reader needs to act on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifier import exact
from verifier.report import mixtures
from verifier.report.witnesses import simulator, witness
from verifier.verify import Result, describe_leakage

MARKS = {"ok": "ok", "failed": "FAILED", "undecided": "undecided", "internal": "INTERNAL ERROR"}
COLOURS = {"ok": "32", "failed": "31", "undecided": "33", "internal": "31"}


def render(results: Sequence[Result], colour: bool = False) -> str:
    """The report on the results of one file, at least one."""
    lines = [results[0].file]
    told: set[str] = set()
    for result in results:
        lines += _result(result, colour)
        notes = [note for note in result.answer.scope.get("notes", ()) if note not in told]
        lines += [f"      note: {note}" for note in notes]
        told.update(notes)
    return "\n".join(lines)


def summary(results: Sequence[Result]) -> str:
    """How many checks ended how, and how many of them compared nothing."""
    counts = [(MARKS[s].lower(), sum(r.status == s for r in results)) for s in MARKS]
    vacuous = sum(r.answer.leakage is not None and r.answer.leakage.vacuous for r in results)
    counts.append(("vacuous: nothing was compared", vacuous))
    return ", ".join(f"{count} {word}" for word, count in counts if count)


def _result(result: Result, colour: bool) -> Iterator[str]:
    answer = result.answer
    mark = MARKS[result.status]
    if colour:
        mark = f"\033[{COLOURS[result.status]}m{mark}\033[0m"
    title = result.name or " ".join(filter(None, [result.definition, _level(result)]))
    mechanism = f" [{result.mechanism}]" if result.mechanism else ""
    yield f"  {mark}  {title}{mechanism}: {answer.verdict}{_smallest(result)}"
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
    if answer.leakage.vacuous:
        return "; vacuous: there was nothing to compare"
    approached = "" if answer.leakage.attained else ", approached but not attained"
    return f"; smallest e^ε {describe_leakage(answer)}{approached}"


def _condition(scope: Mapping[str, Any]) -> str:
    """What is known of the sufficient condition for parallel composition."""
    if "theorem_4_3" not in scope:
        return ""
    return f"; the condition of Theorem 4.3 is {'' if scope['theorem_4_3'] else 'not '}met"
