"""Certificates of kind "simulator": P <= alpha Q and Q <= alpha P up to delta, where Q is what a
simulator gives that sees less than the mechanism, in every situation (docs/certificate.md).

A simulator proves that a level serves. Demands on all simulators, with weights, prove that none
below another level does.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from .level import read_bounds, read_level, within
from .reading import Rejected, afford, fields, indices, need, number, read_table, total

Row = dict[int, Fraction]  # output -> probability


@dataclass(frozen=True)
class Simulator:
    """Different rows, and which one belongs to what the simulator sees."""

    rows: list[Row]
    of: dict[int, int]

    def within(self, inputs: dict[int, int]) -> Iterator[tuple[int, Row]]:
        """Weights and rows: of each row the sum of the weights of the inputs that have it."""
        weights: Counter[int] = Counter()
        for a, weight in inputs.items():
            weights[self.of[a]] += weight
        return ((weight, self.rows[at]) for at, weight in weights.items())


@dataclass(frozen=True)
class Situation:
    """Under one prior, in one view, given a private value and auxiliary information: the
    probabilities of the outputs and of what the simulator sees, all times one positive integer."""

    outputs: list[int]
    inputs: dict[int, int]
    mass: int


Situations = dict[tuple[int, ...], Situation]


def check_simulator(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    fields(relation, "rule views priors given")
    fields(witness, "simulator demands")
    level, delta = read_level(claim["level"])
    need(relation["rule"] == "simulator", "the rule is simulator")
    situations, given = _situations(relation, model)
    bounds = read_bounds(claim["leakage"])
    if bounds is None:
        need(witness["simulator"] is None, "there is no simulator")
        endless = _refutes(None, witness["demands"], situations, given, delta)
        need(endless, "the leakage is not proved infinite", Rejected)
        return False
    low, high = bounds
    need(given is None or witness["simulator"] is None, "the simulator is given")
    simulator = given or _read_simulator(witness["simulator"], len(model["outputs"]))
    serves = all(_serves(simulator, s, high, delta) for s in situations.values())
    need(serves, "the leakage is too small for the simulator", Rejected)
    needed = low == 1 or _refutes(low, witness["demands"], situations, given, delta)
    need(needed, "the leakage is too large for the demands", Rejected)
    return within(level, low, high)


def _situations(relation: Any, model: Any) -> tuple[Situations, Simulator | None]:
    """Every situation of positive probability by prior, view, private value and auxiliary
    information; and the simulator, where the relation gives it."""
    (values, columns), worlds = read_table(model), len(model["worlds"])
    common = lcm(*(value.denominator for value in values))
    parts = [int(value * common) for value in values]
    priors = [[(w, z, number(p)) for w, z, p in prior] for prior in relation["priors"]]
    entries = [(w, z) for prior in priors for w, z, _ in prior]
    indices([w for w, _ in entries], worlds), indices([z for _, z in entries], 2**60)
    fit = all(min(p for _, _, p in prior) > 0 for prior in priors)
    need(fit and all(sum(p for _, _, p in prior) == 1 for prior in priors), "no prior", Rejected)
    need(priors and relation["views"], "there are priors and views")
    afford(len(entries) * len(relation["views"]) * len(model["outputs"]) * 10)
    unit = lcm(*(p.denominator for prior in priors for _, _, p in prior))
    found: Situations = {}
    for at, view in enumerate(relation["views"]):
        fields(view, "alt priv")
        alt, priv = (indices(view[key], 2**60) for key in ("alt", "priv"))
        need(len(alt) == len(priv) == worlds, "alt and priv have one entry per world")
        for k, prior in enumerate(priors):
            groups = defaultdict(list)
            for w, z, p in prior:
                groups[k, at, priv[w], z].append((w, int(p * unit)))
            for key, group in groups.items():
                outputs, inputs = [0] * len(model["outputs"]), Counter[int]()
                for w, weight in group:
                    inputs[alt[w]] += weight * common
                    for t, code in enumerate(columns[w]):
                        outputs[t] += weight * parts[code]
                found[key] = Situation(outputs, inputs, sum(inputs.values()))
    if relation["given"] is None:
        return found, None
    runs = enumerate(indices(relation["given"], worlds, low=-1))
    rows = [{t: values[c] for t, c in enumerate(column) if values[c]} for column in columns]
    return found, Simulator(rows, {a: w for a, w in runs if w >= 0})


def _read_simulator(simulator: Any, outputs: int) -> Simulator:
    """A distribution of outputs for everything that the simulator may see."""
    found = Simulator([], {})
    for inputs, answer in simulator:
        row = {t: number(p) for t, p in answer}
        indices([t for t, _ in answer], outputs)
        need(len(row) == len(answer) and min(row.values()) >= 0, "a row is wrong")
        mass = total((1, p) for p in row.values())
        need(mass == 1, "a row of the simulator does not sum to 1", Rejected)
        for a in indices(inputs, 2**60):
            need(a not in found.of, "what the simulator sees stands twice")
            found.of[a] = len(found.rows)
        found.rows.append(row)
    return found


def _ideal(simulator: Simulator, situation: Situation) -> list[Fraction]:
    """What the simulator gives in a situation, with the factor of the situation."""
    terms: list[list[tuple[int, Fraction]]] = [[] for _ in situation.outputs]
    for weight, row in simulator.within(situation.inputs):
        for t, p in row.items():
            terms[t].append((weight, p))
    return list(map(total, terms))


def _serves(simulator: Simulator, situation: Situation, alpha: Fraction, delta: Fraction) -> bool:
    """Whether both excesses are at most delta."""
    (a, b), ideal = alpha.as_integer_ratio(), _ideal(simulator, situation)
    pairs = list(zip(situation.outputs, ideal, strict=True))
    for excess in ((b * p - a * q for p, q in pairs), (b * q - a * p for p, q in pairs)):
        gained = total((1, Fraction(gain)) for gain in excess if gain > 0)
        if gained > b * delta * situation.mass:
            return False
    return True


def _refutes(
    alpha: Fraction | None,
    demands: Any,
    situations: Situations,
    given: Simulator | None,
    delta: Any,
) -> bool:
    """Whether the demands refute every level below alpha (None: all levels). All levels that are
    not refuted have c0 + c1 alpha + c2 alpha^2 <= 0."""
    weights: dict[tuple[int, ...], dict[int, tuple[Fraction, Fraction]]] = defaultdict(dict)
    for key, t, *pair in demands:
        u, w = map(number, pair)
        row = weights[tuple(indices(key, 2**60))]
        need(t not in row and min(u, w) >= 0, "a demand is wrong")
        row[indices([t], 2**60)[0]] = u, w
    c0, c1, c2 = Fraction(0), Fraction(0), Fraction(0)
    gains: dict[int, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for key, row in weights.items():
        situation = situations[key]
        c0 += sum(u * situation.outputs[t] for t, (u, _) in row.items())
        c2 -= sum(w * situation.outputs[t] for t, (_, w) in row.items())
        c0 -= delta * situation.mass * max(u for u, _ in row.values())
        c1 -= delta * situation.mass * max(w for _, w in row.values())
        for a, weight in situation.inputs.items():
            for t, (u, w) in row.items():
                gains[a][t] += weight * (u - w)
    outputs = len(next(iter(situations.values())).outputs)
    for a, row_of in gains.items():
        if given is None:  # an output without demands gains nothing
            c1 -= max(max(row_of.values()), 0 if len(row_of) < outputs else max(row_of.values()))
        else:
            answer = given.rows[given.of[a]]
            c1 -= sum((answer.get(t, 0) * gain for t, gain in row_of.items()), Fraction(0))
    if alpha is None:
        return c2 == 0 and (c1 > 0 or c1 == 0 < c0)
    h, slope = c0 + alpha * (c1 + alpha * c2), c1 + 2 * alpha * c2
    return h > 0 or h == 0 > slope
