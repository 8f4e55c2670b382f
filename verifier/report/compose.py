"""What repeated runs leak, as text, as JSON and as comma-separated values; pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from verifier.base import decimals, exact
from verifier.base.level import Leakage
from verifier.lab.repeated.compose import Setting
from verifier.lab.repeated.listed import Certainty, Given, Mean, Trajectory, Value, text
from verifier.lab.repeated.setting import Row, Seen, compared, ends
from verifier.report import tex
from verifier.report.influence import comma_separated, logarithm, table

Json = dict[str, Any]
SHOWN = 4  # pairs, outputs, odds and priors that are written out
LONG = 20  # characters of an exact number that people read
COLUMNS = (
    *("setting", "mechanisms", "order", "priors", "runs", "exp_epsilon", "epsilon"),
    *("linear_exp_epsilon", "linear_epsilon", "compared", "secret_known", "world_known"),
)


def lines(found: Setting) -> Iterator[str]:
    """What was found as tables for people."""
    yield from (f"  {line}" for line in _setting(found))


def _setting(found: Setting) -> Iterator[str]:
    pairs = _some([f"{s} against {t}" for s, t in found.pairs])
    yield f"{_title(found)}: {pairs}; priors {found.priors}" if found.pairs else _title(found)
    head = ["runs", "e^ε", "ε", "linear bound", "", "secret known", "world known"]
    if lines := [[cell or "" for cell in line] for line in _lines(found, _short)]:
        yield from table([head, *lines])
    if found.conditions is not None:
        each = " for the whole sequence" if found.order == "sequence" else ""
        level = _level(found.conditions, _short)
        yield f"  conditions of Theorem 5.1: smallest e^ε {level}{each}"
    if found.given is not None:
        yield from (f"  {_path(found.given, path)}" for path in found.trajectories)
        for entry in found.certainty[: 2 * SHOWN]:
            yield f"  {_certainty(found.given, entry)}"
        if len(found.certainty) > 2 * SHOWN:
            yield f"  … ({len(found.certainty)} in all)"
    for reason in found.reasons:
        yield f"  undecided: {reason}"


def _title(found: Setting) -> str:
    names = ", ".join(filter(None, found.mechanisms)) or found.checks[0]
    return {"sequence": f"{names}, in this order", "any order": f"{names}, in any order"}.get(
        found.order, names
    )


def _lines(found: Setting, show: Any) -> Iterator[list[str | None]]:
    """For each number of runs: e^ε, ε, the linear bound, how they compare, and P(known)."""
    lengths = [len(entry.probability) for entry in found.certainty]
    rows = {row.runs: row for row in found.rows}
    for runs in range(1, max([len(rows), *lengths]) + 1):
        row = rows.get(runs)
        level = [_level(row.leakage, show), _decimal(row.leakage)] if row else [None, None]
        linear = [_level(row.linear, show), compared(row)] if row else [None, None]
        known = [_largest(found.certainty, runs, world) for world in (False, True)]
        shown = [None if p is None else show(p) for p in known]
        yield [str(runs), *level, *linear, *shown]


def _largest(entries: Sequence[Certainty], runs: int, world: bool) -> Fraction | None:
    """The largest average probability that the world, or the secret of a pair, is known."""
    found = [
        entry.probability[runs - 1].average
        for entry in entries
        if (entry.pair is None) == world and len(entry.probability) >= runs
    ]
    return max((p for p in found if p is not None), default=None)


def _short(value: Value) -> str:
    """A number, by its first digits where it is long."""
    exactly = text(value)
    if value is None or len(exactly) <= LONG:
        return exactly
    if exact.is_irrational(value):
        return f"≈ {decimals.significant(value)}"
    with localcontext(prec=6):
        return f"≈ {Decimal(value.numerator) / Decimal(value.denominator):.6g}"


def _level(leakage: Leakage, show: Any) -> str:
    bounds = ends(leakage)
    if bounds is None or bounds[0] == bounds[1]:
        return str(show(bounds and bounds[0]))
    return f"[{show(bounds[0])}, {show(bounds[1])}]"


def _decimal(leakage: Leakage) -> str:
    bounds = ends(leakage)
    return logarithm(bounds and bounds[1])


def _path(given: Given, path: Trajectory) -> str:
    odds = [_short(value) for value in path.odds]
    middle = [] if len(odds) <= 2 * SHOWN else ["…"]
    kept = odds if not middle else [*odds[:SHOWN], *middle, *odds[-SHOWN:]]
    about = "along the worst outputs"
    if path.world is not None:
        about = f"along the likeliest outputs of {given.space.name(path.world)}"
    counts = _some([f"{label}: {n}" for label, n in _counts(given, path.outputs).items()])
    pair = f"{path.pair[0]} against {path.pair[1]}"
    return f"odds of {pair} {about} {{{counts}}}: {', '.join(kept)}"


def _certainty(given: Given, entry: Certainty) -> str:
    what = "the world" if entry.pair is None else f"which of {entry.pair[0]} and {entry.pair[1]}"
    prior = f"prior {entry.prior + 1}: " if len(given.priors) > 1 else ""
    if not entry.found:
        return f"{prior}{what}: not decided"
    if entry.fewest is None:
        return f"{prior}{what}: never certain"
    outputs = _some([given.plan.mechanism.outputs[output] for output in entry.fewest])
    runs = "1 run" if len(entry.fewest) == 1 else f"{len(entry.fewest)} runs"
    said = f"{prior}{what}: certain after {runs} at the earliest"
    said += f" ({outputs})" if entry.fewest else ""
    if entry.expected is None:
        return said
    mean = entry.expected.average
    if mean is None:
        return f"{said}; expected number of runs infinite"
    finite = sorted(x for x in entry.expected.worlds if x is not None)
    spread = f", from {_short(finite[0])} to {_short(finite[-1])} by world"
    return f"{said}; after {_short(mean)} on average{spread if finite[0] != finite[-1] else ''}"


def _counts(given: Given, outputs: Sequence[int]) -> dict[str, int]:
    labels = given.plan.mechanism.outputs
    return {labels[output]: n for output, n in Counter(outputs).items()}


def _some(items: Sequence[str]) -> str:
    more = f", … ({len(items)} in all)" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more


def as_json(found: Setting) -> Json:
    """Everything found about a setting, every rational as text."""
    given = found.given
    entries = [_certainty_json(given, entry) for entry in found.certainty] if given else []
    paths = [_path_json(given, path) for path in found.trajectories] if given else []
    return {
        "checks": list(found.checks),
        "mechanisms": list(found.mechanisms),
        "order": found.order,
        "pairs": [list(pair) for pair in found.pairs],
        "priors": found.priors,
        "leakage": [_row_json(row) for row in found.rows],
        "conditions": found.conditions and found.conditions.as_json(),
        "certainty": entries,
        "trajectories": paths,
        "undecided": list(found.reasons),
    }


def _row_json(row: Row) -> Json:
    rule, runs = row.rule
    return {
        "runs": row.runs,
        "leakage": row.leakage.as_json(),
        "epsilon": _decimal(row.leakage),
        "linear": row.linear.as_json(),
        "linear_epsilon": _decimal(row.linear),
        "compared": compared(row),
        "witness": row.witness and _seen_json(row.witness),
        "certificate": {"rule": rule, "runs": runs, "accepted": True},
    }


def _seen_json(seen: Seen) -> Json:
    prior = {world: exact.text(weight) for world, weight in seen.prior.items()}
    key = "output" if isinstance(seen.outputs, str) else "outputs"
    return {"pair": list(seen.pair), "prior": prior, key: seen.outputs}


def _certainty_json(given: Given, entry: Certainty) -> Json:
    names = given.space.names(entry.worlds)
    fewest: Json | None = None
    if entry.fewest is not None:
        outputs = [given.plan.mechanism.outputs[output] for output in entry.fewest]
        fewest = {"runs": len(outputs), "outputs": outputs}
    return {
        "prior": {given.space.name(w): exact.text(p) for w, p in _weights(given, entry.prior)},
        "pair": entry.pair and list(entry.pair),
        "fewest": fewest if entry.found and fewest else ("never" if entry.found else None),
        "expected": entry.expected and _mean_json(names, entry.expected),
        "probability": [_mean_json(names, mean) for mean in entry.probability],
    }


def _weights(given: Given, number: int) -> list[tuple[int, Fraction]]:
    return sorted(given.priors[number].items())


def _mean_json(names: Sequence[str], mean: Mean) -> Json:
    worlds = zip(names, map(text, mean.worlds), strict=True)
    return {"average": text(mean.average), "worlds": dict(worlds)}


def _path_json(given: Given, path: Trajectory) -> Json:
    return {
        "prior": {given.space.name(w): exact.text(p) for w, p in _weights(given, path.prior)},
        "pair": list(path.pair),
        "world": None if path.world is None else given.space.name(path.world),
        "outputs": [given.plan.mechanism.outputs[output] for output in path.outputs],
        "odds": list(map(text, path.odds)),
    }


def latex(found: Setting) -> Iterator[str]:
    """What was found as a table in LaTeX, a row for each number of runs."""
    head = ["runs", tex.ALPHA, tex.EPSILON, "linear bound", "", "secret known", "world known"]
    rows = [[tex.number(cell or "") for cell in line] for line in _lines(found, text)]
    if rows:
        yield from tex.table(head, rows, "rrrrlrr", f"{_title(found)}; priors {found.priors}")


def as_csv(found: Setting, number: int) -> Iterator[str]:
    """What was found, one line for each number of runs; settings are numbered from 1: this is
    `number`."""
    start = [number, " ".join(found.mechanisms), found.order, found.priors]
    for runs, exp, epsilon, linear, how, *known in _lines(found, text):
        bound = next((_decimal(r.linear) for r in found.rows if str(r.runs) == runs), "")
        yield comma_separated([*start, runs, exp, epsilon, linear, bound, how, *known])
