"""Certificates of kind "simulator": P <= alpha Q and Q <= alpha P up to delta, where Q is what a
simulator gives that sees less than the mechanism, in every situation (docs/certificate.md).

A simulator proves that a level serves. Demands on all simulators, with weights, prove that none
below another level does. Situations are re-derived from priors and views.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from . import levels
from . import reading as read
from .document import afford, fields, index, indices, items, need, prove
from .levels import Level
from .reading import ZERO, Case, Model, ratio, whole

Key = tuple[int, ...]  # of a situation: prior, view, private value, auxiliary information
Row = tuple[int, dict[int, int]]  # a denominator; output -> numerator of its probability
View = list[list[tuple[int, int, int]]]  # by world: what is seen, private value, and how often
Prior = list[tuple[int, int, int]]  # world, auxiliary information, weight
Alike = tuple[Any, list[tuple[int, int]]]  # a weight; each world that has it, and what is seen


@dataclass(frozen=True)
class Situation:
    """Under one prior, in one view, given a private value and auxiliary information: the
    probabilities of the outputs and of what the simulator sees, all times one positive integer."""

    outputs: list[int]
    inputs: dict[int, int]
    mass: int


@dataclass(frozen=True)
class Simulator:
    """Different rows, and which one belongs to what the simulator sees."""

    rows: list[Row]
    of: dict[int, int]

    def outputs(self, inputs: dict[int, int], size: int) -> tuple[int, list[int]]:
        """A denominator, and for each of `size` outputs the sum of rows weighted by `inputs`."""
        weights: Counter[int] = Counter()
        for a, weight in inputs.items():
            weights[self.of[a]] += weight
        units = [ratio(1, self.rows[at][0]) for at in weights]
        (unit, factors), found = whole(units), [0] * size
        for (at, weight), factor in zip(weights.items(), factors, strict=True):
            for t, p in self.rows[at][1].items():
                found[t] += weight * factor * p
        return unit, found


@dataclass(frozen=True)
class Setting:
    """Every situation of positive probability; the simulator, where the relation gives it; and the
    number of outputs."""

    situations: dict[Key, Situation]
    given: Simulator | None
    size: int

    def simulator(self, shown: Any, size: int) -> Simulator:
        """The given simulator, or else the one `shown`, whose outputs are below `size`."""
        return self.given or _read_simulator(shown, size)

    def is_empty(self, shown: Any, refuting: Any, posteriors: bool) -> bool:
        """Whether every mechanism passes, as no two situations are held against each other; then
        nothing may be `shown`, nor be `refuting` others.

        They are where a simulator sees the same in both. For `posteriors` they are where these are
        two private values in one view, under one prior, with one auxiliary information."""
        need(self.given is None or shown is None, "the simulator is given")
        owner: dict[object, Key] = {}
        for key, situation in self.situations.items():
            shared: Iterable[object] = situation.inputs
            shared = [(*key[:2], key[3])] if posteriors else shared
            if self.given or any(owner.setdefault(one, key) != key for one in shared):
                return False
        prove(shown is None and refuting == [], "nothing is compared")
        return True


def check_simulator(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim, trades=True)
    points, keys = asked.tradeoff, "simulator demands"
    shown, demands, *proofs = fields(case.witness, keys + " tradeoff" * bool(points))
    setting = read_setting(case.relation, case.model)
    empty = setting.is_empty(shown, demands, posteriors=False)

    def serves(at: Level) -> bool:
        return _serves(setting, shown, at.alpha, asked.delta)

    def needs(at: Level | None) -> bool:
        need(at or shown is None, "there is no simulator")
        if at and at.alpha == 1 and demands == []:
            return True
        return _demanded(setting, demands).refute(at.alpha if at else None, asked.delta)

    for (alpha, least), proof in zip(points, proofs[0] if points else [], strict=True):
        best, refuting = fields(proof, keys)
        need(setting.given is None or best is None, "the simulator is given")
        prove(_serves(setting, best, alpha, least), "a delta is too small")
        none_less = not least and refuting == []
        none_less = none_less or _demanded(setting, refuting).need(alpha, least)
        prove(none_less, "a delta is too large for the demands")
    return asked.settle(empty, serves, needs)


def _serves(setting: Setting, shown: Any, alpha: Any, delta: Fraction) -> bool:
    """Whether both excesses are at most delta in every situation."""
    simulator = setting.simulator(shown, setting.size)
    for situation in setting.situations.values():
        unit, ideal = simulator.outputs(situation.inputs, setting.size)
        pairs = [(unit * p, q) for p, q in zip(situation.outputs, ideal, strict=True)]
        if excess(pairs, alpha) > delta * unit * situation.mass:
            return False
    return True


def excess(pairs: list[tuple[Any, Any]], alpha: Fraction) -> Fraction:
    """The sum of max(0, p - `alpha` q) over all `pairs` (p, q), or of (q, p) if that is more."""
    b, (a,) = whole([alpha])
    one = sum(max(0, b * p - a * q) for p, q in pairs)
    return ratio(max(one, sum(max(0, b * q - a * p) for p, q in pairs)), b)


@dataclass(frozen=True)
class Demanded:
    """What demands say of all simulators: one that serves at a level alpha with a delta has
    c0 + c1 alpha + c2 alpha^2 <= delta (m0 + m1 alpha)."""

    c: tuple[Fraction, Fraction, Fraction]
    m: tuple[Any, Any]

    def refute(self, alpha: Fraction | None, delta: Fraction) -> bool:
        """Whether no level below `alpha` (None: none at all) serves with `delta`."""
        c0, c1, c2 = self.c[0] - delta * self.m[0], self.c[1] - delta * self.m[1], self.c[2]
        if alpha is None:
            return bool(c2 == 0 and (c1 > 0 or c1 == 0 < c0))
        h, slope = c0 + alpha * (c1 + alpha * c2), c1 + 2 * alpha * c2
        return bool(h > 0 or h == 0 > slope)

    def need(self, alpha: Fraction, least: Fraction) -> bool:
        """Whether no delta below `least` serves at `alpha`."""
        (c0, c1, c2), mass = self.c, self.m[0] + alpha * self.m[1]
        return bool(mass > 0 and c0 + alpha * (c1 + alpha * c2) >= least * mass)


def _demanded(setting: Setting, demands: Any) -> Demanded:
    """The sum of all demands."""
    c0, c1, c2, m0, m1 = ZERO, ZERO, ZERO, ZERO, ZERO
    gains: dict[int, Counter[int]] = defaultdict(Counter)
    for key, row in _read_demands(demands, setting.size).items():
        situation = setting.situations[key]
        c0 += sum(u * situation.outputs[t] for t, (u, _) in row.items())
        c2 -= sum(w * situation.outputs[t] for t, (_, w) in row.items())
        m0 += situation.mass * max(u for u, _ in row.values())
        m1 += situation.mass * max(w for _, w in row.values())
        for a, weight in situation.inputs.items():
            for t, (u, w) in row.items():
                gains[a][t] += weight * (u - w)
    for a, gain in gains.items():
        if setting.given is None:  # no answer to `a` gains more than its best output does
            c1 -= max(gain[t] for t in range(setting.size))
        else:
            unit, answer = setting.given.rows[setting.given.of[a]]
            c1 -= ratio(sum(p * gain[t] for t, p in answer.items()), unit)
    return Demanded((c0, c1, c2), (m0, m1))


def _read_demands(demands: Any, outputs: int) -> dict[Key, dict[int, tuple[Any, Any]]]:
    """The weights u and w of each situation and output, times one positive number."""
    known = read_weights([[[key, t], u, w] for key, t, u, w in items(demands, 4)], outputs)
    parts = iter(whole([x for pair in known.values() for x in pair])[1])
    found: dict[Key, dict[int, tuple[Any, Any]]] = defaultdict(dict)
    for key, t in known:
        found[key][t] = next(parts), next(parts)
    return found


def read_weights(listed: Any, outputs: int) -> dict[tuple[Key, int], tuple[Fraction, Fraction]]:
    """The weights u and w >= 0 that are `listed` after a situation and one of so many `outputs`."""
    found = {}
    for (key, t), u, w in listed:
        at = tuple(indices(key, read.CODES)), index(t, outputs)
        need(at not in found, "a situation stands twice")
        found[at] = read.number(u), read.number(w)
        need(min(found[at]) >= 0, "a weight is negative")
    return found


def _read_simulator(shown: Any, outputs: int) -> Simulator:
    """A distribution of outputs for everything that the simulator may see."""
    found = Simulator([], {})
    for inputs, answer in items(shown, 2):
        for a in indices(inputs, read.CODES):
            need(a not in found.of, "what the simulator sees stands twice")
            found.of[a] = len(found.rows)
        found.rows.append(_row(read.sparse(answer, outputs)))
    return found


def _row(answer: dict[int, Fraction]) -> Row:
    """A row of a simulator, which sums to 1."""
    unit, parts = whole(list(answer.values()))
    need(all(part >= 0 for part in parts), "a probability is negative")
    prove(sum(parts) == unit, "a row of the simulator does not sum to 1")
    return unit, dict(zip(answer, parts, strict=True))


def read_setting(relation: Any, model: Model) -> Setting:
    """The situations that priors and views of a `relation` make of a `model`."""
    table, priors = model.table, _read_priors(relation["priors"], model.size)
    views, size = _read_views(relation, model), len(table.columns[0])
    afford(10 * size * sum(len(view[w]) for view in views for prior in priors for w, _, _ in prior))
    unit, parts = whole(table.values)
    columns = [list(map(parts.__getitem__, column)) for column in table.columns]
    situations: dict[Key, Situation] = {
        (k, at, v, z): _situation(alike, columns, unit)
        for at, view in enumerate(views)
        for k, prior in enumerate(priors)
        for (v, z), alike in _grouped(prior, view).items()
    }
    if relation["given"] is None:
        return Setting(situations, None, size)
    runs = enumerate(indices(relation["given"], len(columns), low=-1))
    rows = [_row(dict(enumerate(column))) for column in table.chances()]
    return Setting(situations, Simulator(rows, {a: w for a, w in runs if w >= 0}), size)


def _read_priors(listed: Any, worlds: int) -> list[Prior]:
    """The entries of each prior, all weights times one integer."""
    priors = [[(*at, read.number(p)) for *at, p in items(prior, 3)] for prior in listed]
    need(priors and type(listed) is list, "there are priors")
    entries = list(chain(*priors))
    indices([w for w, _, _ in entries], worlds)
    indices([z for _, z, _ in entries], read.CODES)
    prove(all(p > 0 for _, _, p in entries), "no prior: a weight is not positive")
    prove(all(sum(p for _, _, p in prior) == 1 for prior in priors), "no prior: no sum of 1")
    parts = iter(whole([p for _, _, p in entries])[1])
    return [[(w, z, next(parts)) for w, z, _ in prior] for prior in priors]


def _read_views(relation: Any, model: Model) -> list[View]:
    """For each world what the simulator sees and the private value, in every view."""
    if relation["rule"] == "exchangeable":
        fields(relation, "rule priors given")
        return [_any_record(model.counts)]
    need(relation["rule"] == "simulator", "the rule is simulator or exchangeable")
    fields(relation, "rule views priors given")
    found = []
    for view in items(relation["views"]):
        alt, priv = (indices(part, read.CODES) for part in fields(view, "alt priv"))
        need(len(alt) == len(priv) == model.size, "alt and priv have one entry per world")
        found.append([[(a, v, 1)] for a, v in zip(alt, priv, strict=True)])
    need(found, "there are views")
    return found


def _any_record(rows: list[list[int]]) -> View:
    """Of exchangeable records, by their counts, every one is private in turn: the simulator sees
    the counts of the others, numbered in rising order."""
    afford(len(rows) * len(rows[0]) ** 2)
    others = [
        {v: (*row[:v], count - 1, *row[v + 1 :]) for v, count in enumerate(row) if count}
        for row in rows
    ]
    code = {h: a for a, h in enumerate(sorted({h for left in others for h in left.values()}))}
    both = zip(rows, others, strict=True)
    return [[(code[h], v, row[v]) for v, h in left.items()] for row, left in both]


def _grouped(prior: Prior, view: View) -> dict[tuple[int, int], list[Alike]]:
    """The worlds by private value and auxiliary information, and by weight; of functions by those
    that are written alike."""
    found: dict[Any, dict[Any, Alike]] = defaultdict(dict)
    for w, z, weight in prior:
        for a, v, times in view[w]:
            own = weight * times
            found[v, z].setdefault(read.written(own), (own, []))[1].append((w, a))
    return {key: list(alike.values()) for key, alike in found.items()}


def _situation(alike: list[Alike], columns: list[list[int]], unit: int) -> Situation:
    """What these worlds make; of equal weight they are added up together, by columns times unit."""
    outputs, inputs = [0] * len(columns[0]), Counter[int]()
    for weight, worlds in alike:
        for a, times in Counter(a for _, a in worlds).items():
            inputs[a] += weight * times * unit
        for t, chances in enumerate(zip(*(columns[w] for w, _ in worlds), strict=True)):
            outputs[t] += weight * sum(chances)
    return Situation(outputs, inputs, sum(inputs.values()))
