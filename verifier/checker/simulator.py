"""Certificates of kind "simulator": P <= alpha Q and Q <= alpha P up to delta, where Q is what a
simulator gives that sees less than the mechanism, in every situation (docs/certificate.md).

A simulator proves that a level serves. Demands on all simulators, with weights, prove that none
below another level does.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

from .level import Level, read_level, read_tradeoff, settle
from .reading import Rejected, denominator, fields, indices, items, need, number
from .situations import (
    Key,
    Simulator,
    Situation,
    Situations,
    is_linked,
    read_simulator,
    read_situations,
)


def check_simulator(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    points = read_tradeoff(claim)
    fields(witness, "simulator demands" + " tradeoff" * bool(points))
    level, delta = read_level(claim["level"])
    situations, given = read_situations(relation, model)
    shown, demands = witness["simulator"], witness["demands"]
    need(given is None or shown is None, "the simulator is given")

    def serves(at: Level) -> bool:
        simulator = given or read_simulator(shown, len(model["outputs"]))
        return all(_serves(simulator, s, at.alpha, delta) for s in situations.values())

    def needs(at: Level | None) -> bool:
        need(at or shown is None, "there is no simulator")
        alpha = at.alpha if at else None
        if alpha == 1 and demands == []:
            return True
        return _refutes(alpha, demands, situations, given, delta)

    proofs = items(witness["tradeoff"]) if points else []
    for (alpha, least), proof in zip(points, proofs, strict=True):
        fields(proof, "simulator demands")
        need(given is None or proof["simulator"] is None, "the simulator is given")
        best = given or read_simulator(proof["simulator"], len(model["outputs"]))
        enough = all(_serves(best, s, alpha, least) for s in situations.values())
        need(enough, "a delta is too small", Rejected)
        refuting = proof["demands"]
        tight = not least and refuting == []
        tight = tight or _needs(alpha, least, refuting, situations, given)
        need(tight, "a delta is too large for the demands", Rejected)
    empty = given is None and not is_linked(situations, posteriors=False)
    need(not empty or (shown is None and demands == []), "nothing is compared", Rejected)
    return settle(claim["leakage"], level, empty, serves, needs)


def _serves(simulator: Simulator, situation: Situation, alpha: Any, delta: Fraction) -> bool:
    """Whether both excesses are at most delta."""
    common, ideal = simulator.outputs(situation.inputs, len(situation.outputs))
    pairs = [(common * p, q) for p, q in zip(situation.outputs, ideal, strict=True)]
    a, b = alpha.as_integer_ratio()
    one, other = ([b * p - a * q for p, q in pairs], [b * q - a * p for p, q in pairs])
    most = max(sum(gain for gain in excess if gain > 0) for excess in (one, other))
    return bool(most <= b * delta * common * situation.mass)


def _read_demands(demands: Any, outputs: int) -> dict[Key, dict[int, tuple[int, int]]]:
    """The weights u and w of each situation and output, times one positive integer."""
    listed = items(demands, 4)
    read = [(tuple(indices(key, 2**60)), t, number(u), number(w)) for key, t, u, w in listed]
    indices([t for _, t, _, _ in read], outputs)
    need(all(u >= 0 and w >= 0 for _, _, u, w in read), "a weight is negative")
    scale = denominator(x for _, _, *pair in read for x in pair)
    found: dict[Key, dict[int, tuple[int, int]]] = defaultdict(dict)
    for key, t, u, w in read:
        need(t not in found[key], "a demand stands twice")
        found[key][t] = int(u * scale), int(w * scale)
    return found


def _refutes(
    alpha: Fraction | None,
    demands: Any,
    situations: Situations,
    given: Simulator | None,
    delta: Any,
) -> bool:
    """Whether the demands refute every level below alpha (None: all levels). All levels that are
    not refuted have c0 + c1 alpha + c2 alpha^2 <= 0."""
    (c0, c1, c2), (m0, m1) = _sums(demands, situations, given)
    c0, c1 = c0 - delta * m0, c1 - delta * m1
    if alpha is None:
        return bool(c2 == 0 and (c1 > 0 or c1 == 0 < c0))
    h, slope = c0 + alpha * (c1 + alpha * c2), c1 + 2 * alpha * c2
    return bool(h > 0 or h == 0 > slope)


def _needs(
    alpha: Fraction,
    delta: Fraction,
    demands: Any,
    situations: Situations,
    given: Simulator | None,
) -> bool:
    """Whether the demands refute every smaller delta at alpha: c0 + c1 alpha + c2 alpha^2 is at
    most (m0 + m1 alpha) times any delta that serves."""
    (c0, c1, c2), (m0, m1) = _sums(demands, situations, given)
    mass = m0 + alpha * m1
    return bool(mass > 0 and c0 + alpha * (c1 + alpha * c2) >= delta * mass)


def _sums(
    demands: Any, situations: Situations, given: Simulator | None
) -> tuple[tuple[Fraction, Fraction, Fraction], tuple[int, int]]:
    """c0, c1 and c2 of the demands for delta = 0, and what each delta takes off c0 and c1."""
    c0, c1, c2 = Fraction(0), Fraction(0), Fraction(0)
    m0, m1 = 0, 0
    gains: dict[int, Counter[int]] = defaultdict(Counter)
    size = len(next(iter(situations.values())).outputs)
    for key, row in _read_demands(demands, size).items():
        outputs, mass = situations[key].outputs, situations[key].mass
        c0 += sum(u * outputs[t] for t, (u, _) in row.items())
        c2 -= sum(w * outputs[t] for t, (_, w) in row.items())
        m0 += mass * max(u for u, _ in row.values())
        m1 += mass * max(w for _, w in row.values())
        for a, weight in situations[key].inputs.items():
            for t, (u, w) in row.items():
                gains[a][t] += weight * (u - w)
    for a, gain in gains.items():
        if given is None:
            c1 -= max(gain[t] for t in range(size))
        else:
            common, answer = given.rows[given.of[a]]
            c1 -= Fraction(sum(p * gain[t] for t, p in answer.items()), common)
    return (c0, c1, c2), (m0, m1)
