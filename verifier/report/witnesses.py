"""Witnesses of violations in words, and simulators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from verifier.claims.claim import Json
from verifier.report import mixtures
from verifier.report.shortened import SHOWN, some


def witness(found: Json) -> Iterator[str]:
    """A witness in words."""
    return next(said for key, said in KINDS.items() if key in found)(found)


def _output(found: Json) -> Iterator[str]:
    """An output that is likelier under one secret than under the other."""
    yield _prior(found)
    yield (
        f"output {found['output']}: odds {found['prior_odds']} before, {found['posterior_odds']} "
        f"after, ratio {found['ratio']}"
    )


def _event(found: Json) -> Iterator[str]:
    """Outputs that are likelier together."""
    yield _prior(found)
    outputs, masses = found["outputs"], found["probabilities"]
    yield f"the event {some(outputs)} has probability {masses[0]} against {masses[1]}"


def _change(found: Json) -> Iterator[str]:
    (world, other), distance = found["pair"], found["distance"]
    yield f"between {world} and {other} the query changes by {distance}"


def _groups(found: Json) -> Iterator[str]:
    (world, other), names = found["pair"], [some(group) for group in found["groups"]]
    yield f"{world} and {other} are neighbours and differ in {' and '.join(names)}"


def _run(found: Json) -> Iterator[str]:
    """Outputs that an attacker waits for, and how often all of them."""
    yield _prior(found)
    counts = [f"{output} ({n}×)" for output, n in found["run"].items()]
    yield f"in world {found['world']} an attacker waits for the outputs {some(counts)}"
    if found["repetitions"] is not None:
        ratio = f"ratio {found['ratio']}" if "ratio" in found else "the ratio"
        again = f", {found['repetitions']} times over" if found["repetitions"] > 1 else ""
        runs = f"{found['runs']} run{'s' * (found['runs'] > 1)}"
        yield (
            f"after {runs} with just these{again}: odds {found['prior_odds']} before; {ratio} is "
            f"above {found['allowed']}"
        )


def _two_runs(found: Json) -> Iterator[str]:
    """A mechanism that does not compose with itself."""
    (s, t), (yes, no) = found["pair"], found["runs"]
    never, seen = found["probabilities"]
    weights = [f"{world}: {weight}" for world, weight in found["prior"].items()]
    only = f"{found['world']} is not the only possible world of {s}"
    yield f"{s} against {t}; prior {some(weights)}: {only}"
    yield (
        f"a mechanism that says {yes} in {found['world']}, {no} in the rest of {s}, and either "
        f"with probability 1/2 elsewhere, leaks at most e^ε {found['leakage']}"
    )
    yield f"its runs say {yes}, then {no} with probability {never} given {s}, {seen} given {t}"


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
            f"{side} {bound}, seeing {some(demand['sees'])}; weight {demand['weight']}"
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
        yield f"simulator: sees {some(row['sees'])}, answers {some(answer)}"
    if len(rows) > SHOWN:
        yield f"simulator: … ({len(rows)} rows in all)"


def _guarantee(found: Json) -> Iterator[str]:
    """A guarantee of a row cone that an output breaks."""
    weights = [f"{world}: {weight}" for world, weight in found["prior"].items()]
    yield f"prior {some(weights)}" if weights else "a prior on many worlds"
    yield (
        f"output {found['output']}: odds of {found['other']} against {found['likelier']} "
        f"{found['prior_odds']} before, {found['posterior_odds']} after, though at most "
        f"{found['bound']} in the row cone"
    )


def _inequality(found: Json) -> Iterator[str]:
    yield f"output {found['output']} breaks {found['inequality']}"


def _loss(found: Json) -> Iterator[str]:
    prior = some([f"{world}: {weight}" for world, weight in found["prior"].items()])
    yield f"however its outputs are read, it loses {found['loss']} against the prior {prior}"


def _of_given(found: Json) -> Iterator[str]:
    """A witness that is about one of given mechanisms."""
    what = "cannot be made of the given ones" if "payoff" in found else "needs more"
    yield f"the mechanism {found['given']} {what}:"
    yield from witness({key: part for key, part in found.items() if key != "given"})


def _of_mechanism(found: Json) -> Iterator[str]:
    """A witness that is about a mechanism of its own: with two outputs, or listed by outputs."""
    outputs = found["mechanism"]["outputs"]
    rows = {world: row for world, row in found["mechanism"].items() if world != "outputs"}
    told = [some([f"{w}: {row[o]}" for w, row in rows.items()]) for o in range(len(outputs))]
    if outputs == ["yes", "no"]:
        yield f"this mechanism says yes with probability {told[0]}, no otherwise;"
    else:
        yield "this mechanism says"
        for output, row in list(zip(outputs, told, strict=True))[:SHOWN]:
            yield f"  {output} with probability {row}"
        if len(outputs) > SHOWN:
            yield f"  … ({len(outputs)} outputs in all)"
    yield from witness({key: part for key, part in found.items() if key != "mechanism"})


KINDS: dict[str, Callable[[Json], Iterator[str]]] = {  # by the first key that a witness has
    "leakage": _two_runs,
    "given": _of_given,
    "mechanism": _of_mechanism,
    "payoff": mixtures.payoff,
    "demands": _demands,
    "conflicts": _conflicts,
    "bound": _guarantee,
    "inequality": _inequality,
    "loss": _loss,
    "groups": _groups,
    "distance": _change,
    "run": _run,
    "outputs": _event,
    "output": _output,
}


def _prior(found: Json) -> str:
    s, t = found["pair"]
    weights = [f"{world}: {weight}" for world, weight in found["prior"].items()]
    return f"pair {s} against {t}; prior {some(weights)}"
