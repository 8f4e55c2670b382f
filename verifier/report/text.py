"""Results as text: one line per check, then what a reader needs to act on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier import exact
from verifier.claim import Json
from verifier.report import mixtures
from verifier.verify import Result, describe_leakage

MARKS = {"ok": "ok", "failed": "FAILED", "undecided": "undecided", "internal": "INTERNAL ERROR"}
COLOURS = {"ok": "32", "failed": "31", "undecided": "33", "internal": "31"}
SHOWN = 12  # worlds of a prior, and outputs of an event, written out


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
        yield from (f"      {line}" for line in mixtures.mixture(answer.mixture, SHOWN, _some))


def _level(result: Result) -> str:
    level = result.answer.level
    parts = [f"{key} {value}" for key, value in level.items() if (key, value) != ("delta", "0")]
    return f"({', '.join(parts)})" if parts else ""


def _smallest(result: Result) -> str:
    answer = result.answer
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


def witness(found: Json) -> Iterator[str]:
    """A witness in words."""
    if "given" in found:
        yield f"the mechanism {found['given']} needs more:"
    if "mechanism" in found:
        told = [f"{w}: {row[0]}" for w, row in found["mechanism"].items() if w != "outputs"]
        yield f"this mechanism says yes with probability {_some(told)}, no otherwise;"
    if "payoff" in found:
        yield from mixtures.payoff(found, SHOWN, _some)
        return
    if "demands" in found:
        yield from _demands(found)
        return
    if "conflicts" in found:
        yield from _conflicts(found)
        return
    if "bound" in found:
        yield from guarantee(found)
        return
    if "inequality" in found:
        yield f"output {found['output']} breaks {found['inequality']}"
        return
    if "loss" in found:
        prior = _some([f"{world}: {weight}" for world, weight in found["prior"].items()])
        yield f"however its outputs are read, it loses {found['loss']} against the prior {prior}"
        return
    pair = found["pair"]
    if "distance" in found:
        yield f"between {pair[0]} and {pair[1]} the query changes by {found['distance']}"
        return
    prior = found["prior"]
    weights = [f"{world}: {weight}" for world, weight in prior.items()]
    yield f"pair {pair[0]} against {pair[1]}; prior {_some(weights)}"
    if "outputs" in found:
        outputs, masses = found["outputs"], found["probabilities"]
        yield f"the event {_some(outputs)} has probability {masses[0]} against {masses[1]}"
        return
    yield (
        f"output {found['output']}: odds {found['prior_odds']} before, {found['posterior_odds']} "
        f"after, ratio {found['ratio']}"
    )


def guarantee(found: Json) -> Iterator[str]:
    """A guarantee of a row cone that an output breaks."""
    weights = [f"{world}: {weight}" for world, weight in found["prior"].items()]
    yield f"prior {_some(weights)}" if weights else "a prior on many worlds"
    yield (
        f"output {found['output']}: odds of {found['other']} against {found['likelier']} "
        f"{found['prior_odds']} before, {found['posterior_odds']} after, though at most "
        f"{found['bound']} in the row cone"
    )


def _demands(found: Json) -> Iterator[str]:
    """Demands on a simulator that contradict each other, the heaviest first."""
    below = found["no_simulator_below"]
    serves = "any level" if below == "infinite" else f"a level e^ε below {below}"
    spared = f", though each may be missed, by {found['slack']} in all" if "slack" in found else ""
    yield f"no simulator serves {serves}, for these demands contradict each other{spared}:"
    for demand in found["demands"][:SHOWN]:
        prior = f"prior {demand['prior']}, " if "prior" in demand else ""
        known = f", z = {demand['auxiliary']}" if "auxiliary" in demand else ""
        p, side = demand["probability"], demand["demand"]
        bound = f"e^ε·{p}" if side == "at most" else f"{p} / e^ε"
        yield (
            f"  {prior}given {demand['private']}{known}: output {demand['output']} "
            f"{side} {bound}, seeing {_some(demand['sees'])}; weight {demand['weight']}"
        )
    if len(found["demands"]) > SHOWN:
        yield f"  … ({len(found['demands'])} in all)"


def _conflicts(found: Json) -> Iterator[str]:
    """What a simulator cannot make good at once, in the inference form."""
    below = found["no_simulator_below"]
    serves = "any level" if below == "infinite" else f"a level e^ε below {below}"
    yield f"no simulator serves {serves}: what can be inferred from these outputs is too different"
    for conflict in found["conflicts"][:SHOWN]:
        cases = []
        for case in conflict["cases"]:
            prior = [f"prior {case['prior']}"] if "prior" in case else []
            known = [f"z = {case['auxiliary']}"] if "auxiliary" in case else []
            cases.append(", ".join(prior + known))
        where = "; ".join(filter(None, cases))
        together = " (not all of them together)" if len(cases) > 1 else ""
        yield f"  output {conflict['output']}{': ' + where if where else ''}{together}"
    if len(found["conflicts"]) > SHOWN:
        yield f"  … ({len(found['conflicts'])} in all)"


def simulator(rows: Sequence[Json]) -> Iterator[str]:
    """What a simulator sees, and its answers."""
    for row in rows[:SHOWN]:
        answer = [f"{output}: {p}" for output, p in row["outputs"].items()]
        answer += [f"anything else: {row['otherwise']}"] if "otherwise" in row else []
        yield f"simulator: sees {_some(row['sees'])}, answers {_some(answer)}"
    if len(rows) > SHOWN:
        yield f"simulator: … ({len(rows)} rows in all)"


def _some(items: Sequence[str]) -> str:
    more = f", … ({len(items)} in all)" if len(items) > SHOWN else ""
    return "{" + ", ".join(items[:SHOWN]) + more + "}"
