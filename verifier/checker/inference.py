"""Certificates of kind "inference": with probability >= 1 - delta over (t, z), in every view, the
private value given F = t, z and given Sim = t, z are within (alpha, delta) of each other, under
every prior (docs/certificate.md).

A simulator proves that a level serves. Conflicts, (t, z) that are not all good, prove that no
level below another does, if whatever meets them all is more than delta.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any

from .conflict import is_conflict
from .covers import Conflict, Costs, is_avoidable
from .level import Level, read_level, settle
from .reading import Rejected, afford, fields, indices, items, need, number
from .situations import (
    Key,
    Simulator,
    Situation,
    Situations,
    is_linked,
    read_simulator,
    read_situations,
)

Place = tuple[int, int]  # prior, z


def check_inference(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    fields(witness, "simulator conflicts")
    level, delta = read_level(claim["level"])
    need(relation["rule"] == "simulator", "the rule is simulator")
    situations, given = read_situations(relation, model)
    shown, conflicts, leakage = witness["simulator"], witness["conflicts"], claim["leakage"]
    need(given is None or shown is None, "the simulator is given")
    question = _Question(situations, given, delta)

    def serves(at: Level) -> bool:
        simulator = given or read_simulator(shown, len(model["outputs"]) + 1)
        missed = _Question(situations, simulator, delta).missed(at.alpha)
        return max(missed, default=0) <= delta * question.whole

    def needs(at: Level | None) -> bool:
        need(at or shown is None, "there is no simulator")
        alpha = at.alpha if at else None
        if alpha == 1 and conflicts == []:
            return True
        return question.refutes(conflicts, alpha, closed=alpha == 1)

    on_bound = "lower" in leakage and level.alpha == number(leakage["lower"])
    within = on_bound and question.refutes(conflicts, level.alpha, closed=True)
    empty = given is None and not is_linked(situations, posteriors=True)
    need(not empty or (shown is None and conflicts == []), "nothing is compared", Rejected)
    return settle(leakage, level, empty, serves, needs, within)


class _Question:
    """Situations by prior and z, then by view. With a simulator, it sees for each output how often
    it gives it."""

    def __init__(self, situations: Situations, simulator: Simulator | None, delta: Any) -> None:
        self.situations, self.delta = situations, delta
        views: dict[Place, dict[int, dict[Key, Situation]]] = defaultdict(dict)
        for key, situation in situations.items():
            views[key[0], key[3]].setdefault(key[1], {})[key] = situation
        self.views, self.steps = dict(views), 0
        self.priors = 1 + max(prior for prior, _ in self.views)
        self.whole = sum(s.mass for key, s in situations.items() if key[:2] == (0, 0))
        self.outputs = len(next(iter(situations.values())).outputs)
        self.answers: dict[Key, tuple[int, list[int]]] | None = None
        if simulator:
            self.answers = {
                key: simulator.outputs(situation.inputs, self.outputs + 1)
                for key, situation in situations.items()
            }

    def cost(self, t: int, place: Place) -> Costs:
        """P(F = t, z) under each prior, that of the place or 0, times `whole`."""
        view = next(iter(self.views[place].values()))
        mass = sum(situation.outputs[t] for situation in view.values())
        return tuple(mass if k == place[0] else 0 for k in range(self.priors))

    def given(self, t: int, key: Key) -> dict[int, Any]:
        """The weights W of what the simulator sees."""
        if self.answers is None:
            return self.situations[key].inputs
        common, answer = self.answers[key]
        return {0: Fraction(answer[t], common)} if answer[t] else {}

    def missed(self, alpha: Any) -> list[int]:
        """The probability of the (t, z) that are not good, by prior, times `whole`."""
        found = [0] * self.priors
        for place, views in self.views.items():
            for t in range(self.outputs):
                cost = self.cost(t, place)[place[0]]
                if cost and not all(self._is_good(t, view, alpha) for view in views.values()):
                    found[place[0]] += cost
        return found

    def _is_good(self, t: int, view: dict[Key, Situation], alpha: Any) -> bool:
        """Whether q / Q and W / S are close in a view."""
        table = [(s.outputs[t], self.given(t, key).get(0, 0)) for key, s in view.items()]
        whole, total = sum(q for q, _ in table), sum(w for _, w in table)
        pairs = [(q * total, w * whole) for q, w in table]
        one = sum(max(0, p - alpha * q) for p, q in pairs)
        other = sum(max(0, q - alpha * p) for p, q in pairs)
        return bool(total > 0 and max(one, other) <= self.delta * whole * total)

    def refutes(self, groups: Any, alpha: Fraction | None, closed: bool) -> bool:
        """Whether conflicts at all levels below alpha (None: at all levels), and at alpha if
        `closed`, cannot be met within delta."""
        read = map(items, items(groups))
        listed = [[self._conflict(each, alpha, closed) for each in group] for group in read]
        found = {item for group in listed for conflict in group for item in conflict}
        costs = {(t, k, z): self.cost(t, (k, z)) for t, k, z in found}
        return not is_avoidable(listed, costs, self.delta * self.whole)

    def _conflict(self, conflict: Any, alpha: Fraction | None, closed: bool) -> Conflict:
        """The items of a conflict, if its weights prove it; else rejected."""
        fields(conflict, "output good weights")
        (t,) = indices([conflict["output"]], self.outputs)
        good, entries = items(conflict["good"], 2), items(conflict["weights"], 3)
        places = [(k, z) for k, z in (indices(place, 2**60) for place in good)]
        need(places and len(set(places)) == len(places), "a conflict is of different (t, z)")
        need(all(place in self.views for place in places), "a (t, z) that does not occur")
        read = [(tuple(indices(key, 2**60)), number(u), number(w)) for key, u, w in entries]
        weights = {key: (u, w) for key, u, w in read}
        need(len(weights) == len(read), "a situation stands twice")
        need(all(min(pair) >= 0 for pair in weights.values()), "a weight is negative")
        inside = all(key in self.situations and (key[0], key[3]) in places for key in weights)
        need(inside, "weights are of situations of the conflict")
        asked = [view for place in places for view in self.views[place].values()]
        self.steps += 10 * sum(1 + len(s.inputs) for view in asked for s in view.values())
        afford(self.steps)
        views = [
            [(s.outputs[t], self.given(t, k), *weights.get(k, (0, 0))) for k, s in view.items()]
            for view in asked
        ]
        proved = is_conflict(views, self.delta, alpha, closed)
        need(proved, "a conflict is not proved", Rejected)
        return frozenset((t, k, z) for k, z in places)
