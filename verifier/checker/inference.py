"""Certificates of kind "inference": with probability >= 1 - delta over (t, z), in every view, the
private value given F = t, z and given Sim = t, z are within (alpha, delta) of each other, under
every prior (docs/certificate.md).

A simulator proves that a level serves. Conflicts, (t, z) that are not all good, prove that no
level below another does, if whatever meets them all is more than delta. For x >= 0, what a
simulator gives to the output by what it sees, a view has values v with numbers q_v,
W_v(x) = Σ_a W_va x_a, and sums Q and S(x). Where it is good, S(x) > 0 and

    Σ_v max(0, q_v S − alpha Q W_v) <= delta Q S,   Σ_v max(0, Q W_v − alpha q_v S) <= delta Q S.

With weights u, w >= 0 for these terms, added up over views, Σ_a (c0_a − alpha c1_a) x_a <= 0.
"""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, fields, index, indices, items, need, prove
from .levels import Level
from .reading import Case, ratio
from .simulator import Key, Setting, Simulator, Situation, excess, read_setting, read_weights

MAX_COVERS, MAX_SUMS = 4000, 10**6
Place = tuple[int, int]  # prior, z
Item = tuple[int, int, int]  # output, prior, z
Costs = tuple[int, ...]  # by prior
Conflict = frozenset[Item]
View = list[tuple[int, dict[int, Any], Any, Any]]  # q, W by a, u and w of every value


def check_inference(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    shown, conflicts = fields(case.witness, "simulator conflicts")
    need(case.relation["rule"] == "simulator", "the rule is simulator")
    setting = read_setting(case.relation, case.model)
    empty = setting.is_empty(shown, conflicts, posteriors=True)
    views = Views(setting, asked.delta)

    def serves(at: Level) -> bool:
        simulator = setting.simulator(shown, setting.size + 1)
        return max(views.missed(simulator, at.alpha)) <= asked.delta * views.whole

    def needs(at: Level | None) -> bool:
        need(at or shown is None, "there is no simulator")
        alpha = at.alpha if at else None
        if alpha == 1 and conflicts == []:
            return True
        return views.refutes(conflicts, alpha, closed=alpha == 1)

    level, low = asked.level.alpha, asked.leakage.get("lower", asked.leakage.get("at_least"))
    on_bound = low is not None and level == read.number(low)
    within = on_bound and views.refutes(conflicts, level, closed=True)
    return asked.settle(empty, serves, needs, within, wide=True, refuted=within)


class Views:
    """The situations of each prior and z, by view."""

    def __init__(self, setting: Setting, delta: Fraction) -> None:
        """Those of a `setting`, which are good up to `delta`."""
        self.setting, self.delta, self.budget = setting, delta, Budget()
        self.at: dict[Place, dict[int, dict[Key, Situation]]] = {}
        for key, situation in setting.situations.items():
            views = self.at.setdefault((key[0], key[3]), {})
            views.setdefault(key[1], {})[key] = situation
        self.answers = self._answers(setting.given) if setting.given else None
        self.priors = 1 + max(prior for prior, _ in self.at)
        self.whole = sum(s.mass for key, s in setting.situations.items() if key[:2] == (0, 0))

    def mass(self, t: int, place: Place) -> int:
        """P(F = `t`, z) under the prior of the `place`, times `whole`."""
        view = next(iter(self.at[place].values()))
        return sum(situation.outputs[t] for situation in view.values())

    def cost(self, t: int, place: Place) -> Costs:
        """The same for each prior, 0 for the others."""
        self.budget.spend(self.priors)
        mass = self.mass(t, place)
        return tuple(mass if k == place[0] else 0 for k in range(self.priors))

    def missed(self, simulator: Simulator, alpha: Any) -> list[int]:
        """The probability of the (t, z) that are not good at `alpha` with the `simulator`, by
        prior, times `whole`."""
        found, answers = [0] * self.priors, self._answers(simulator)
        for place, views in self.at.items():
            self.budget.spend(100 * self.setting.size * (1 + sum(map(len, views.values()))))
            for t in range(self.setting.size):
                cost = self.mass(t, place)
                tables = [
                    [(s.outputs[t], answers[key][t]) for key, s in view.items()]
                    for view in views.values()
                ]
                if cost and not all(_is_good(table, alpha, self.delta) for table in tables):
                    found[place[0]] += cost
        return found

    def _answers(self, simulator: Simulator) -> dict[Key, list[Fraction]]:
        """How often the simulator gives each output in every situation; it may give one more."""
        found = {}
        for key, situation in self.setting.situations.items():
            unit, answer = simulator.outputs(situation.inputs, self.setting.size + 1)
            found[key] = [ratio(x, unit) for x in answer]
        return found

    def refutes(self, groups: Any, alpha: Fraction | None, closed: bool) -> bool:
        """Whether conflicts, in `groups`, at all levels below `alpha` (None: at all levels), and at
        alpha if `closed`, cannot be met within delta."""
        listed = [
            [self._conflict(each, alpha, closed) for each in items(group)]
            for group in items(groups)
        ]
        found = {item for group in listed for conflict in group for item in conflict}
        costs = {(t, k, z): self.cost(t, (k, z)) for t, k, z in found}
        return not is_avoidable(listed, costs, self.delta * self.whole)

    def _conflict(self, conflict: Any, alpha: Fraction | None, closed: bool) -> Conflict:
        """The items of a conflict, if its weights prove it; else rejected."""
        output, good, listed = fields(conflict, "output good weights")
        t, places = index(output, self.setting.size), self._places(good)
        stated = [[[key, t], u, w] for key, u, w in items(listed, 3)]
        weights, known = read_weights(stated, self.setting.size), self.setting.situations
        inside = all(key in known and (key[0], key[3]) in places for key, _ in weights)
        need(inside, "weights are of situations of the conflict")
        asked = [view for place in places for view in self.at[place].values()]
        self.budget.spend(10 * sum(1 + len(s.inputs) for view in asked for s in view.values()))
        views = [
            [
                (s.outputs[t], self._given(t, key), *weights.get((key, t), (0, 0)))
                for key, s in view.items()
            ]
            for view in asked
        ]
        prove(is_conflict(views, self.delta, alpha, closed), "a conflict is not proved")
        return frozenset((t, k, z) for k, z in places)

    def _places(self, good: Any) -> list[Place]:
        """Different (prior, z) that occur."""
        places = [(k, z) for k, z in (indices(at, read.CODES) for at in items(good, 2))]
        need(places and len(set(places)) == len(places), "a conflict is of different (t, z)")
        need(all(place in self.at for place in places), "a (t, z) that does not occur")
        return places

    def _given(self, t: int, key: Key) -> dict[int, Any]:
        """The weights W of what the simulator sees; a given one sees how often it gives t."""
        if self.answers is None:
            return self.setting.situations[key].inputs
        return {0: self.answers[key][t]} if self.answers[key][t] else {}


def _is_good(table: list[tuple[int, Fraction]], alpha: Any, delta: Fraction) -> bool:
    """Whether q / Q and W / S are close in a view."""
    whole, total = (sum(column) for column in zip(*table, strict=True))
    pairs = [(q * total, w * whole) for q, w in table]
    return bool(total > 0 and excess(pairs, alpha) <= delta * whole * total)


def is_conflict(views: list[View], delta: Any, alpha: Fraction | None, closed: bool) -> bool:
    """Whether no x >= 0 is good, up to `delta`, in all `views` at any level below `alpha` (None: at
    any level), nor at alpha if `closed`."""
    gains, c1 = _bounds(views, delta, alpha or 0)
    if any(gain < 0 for gain in gains.values()):
        return False
    none = {a for a, gain in gains.items() if gain > 0}  # x_a = 0 there
    below = none | (set() if closed else {a for a in c1 if c1[a]})
    if alpha and any(set().union(*(row for _, row, _, _ in view)) <= below for view in views):
        return True  # a view gets nothing
    return not any(c1.values()) and any(_left(view, none) > delta for view in views)


def _bounds(views: list[View], delta: Any, alpha: Any) -> tuple[dict[int, Any], dict[int, Any]]:
    """c0 − alpha c1, and c1: the weighted sum of all bounds."""
    c0, c1 = defaultdict[int, Any](int), defaultdict[int, Any](int)
    for view in views:
        whole = sum(q for q, _, _, _ in view)
        most = delta * whole * (max(u for _, _, u, _ in view) + max(w for _, _, _, w in view))
        first = sum(u * q for q, _, u, _ in view) - most
        second = sum(w * q for q, _, _, w in view)
        for _, row, u, w in view:  # S_a is the sum of W_va, each of which adds these
            for a, k in row.items():
                c0[a] += k * (first + w * whole)
                c1[a] += k * (second + u * whole)
    return {a: c0[a] - alpha * c1[a] for a in c0}, c1


def _left(view: View, none: set[int]) -> Fraction:
    """The part q / Q of the values that get nothing."""
    left = sum(q for q, row, _, _ in view if row.keys() <= none)
    return ratio(left, sum(q for q, _, _, _ in view))


def is_avoidable(groups: list[list[Conflict]], costs: dict[Item, Costs], budget: Fraction) -> bool:
    """Whether some items, at `costs` within a `budget` for each prior, meet every conflict of all
    `groups`. No item stands in two groups, so that the costs of groups add up."""
    seen: set[Item] = set()
    front: list[Costs] | None = None
    for group in groups:
        need(group and all(group), "a group has conflicts, and a conflict has items")
        own = frozenset[Item]().union(*group)
        need(not seen & own, "an item stands in two groups of conflicts")
        seen |= own
        found = _covers(group, costs, budget)
        need(len(front or ()) * len(found) <= MAX_SUMS, f"more than {MAX_SUMS} ways to go on")
        sums = found if front is None else [_sum(one, other) for one in front for other in found]
        front = _cheapest(cost for cost in sums if max(cost) <= budget)
    return front is None or front != []


def _covers(group: list[Conflict], costs: dict[Item, Costs], budget: Fraction) -> list[Costs]:
    """The costs of all ways to meet the conflicts of a group, one item after the other."""
    found: dict[frozenset[Item], Costs | None] = {frozenset(): None}
    steps = Budget()
    for conflict in dict.fromkeys(group):
        steps.spend(len(found) * (len(conflict) + max(map(len, found), default=0)) * 10)
        more: dict[frozenset[Item], Costs | None] = {}
        for chosen, cost in found.items():
            if chosen & conflict:
                more[chosen] = cost
                continue
            for item in conflict:
                total = costs[item] if cost is None else _sum(cost, costs[item])
                if max(total) <= budget:
                    more[chosen | {item}] = total
        need(len(more) <= MAX_COVERS, f"more than {MAX_COVERS} ways to meet conflicts")
        found = more
    return _cheapest(cost for cost in found.values() if cost is not None)


def _cheapest(front: Iterable[Costs]) -> list[Costs]:
    """The costs that no other ones undercut for every prior."""
    kept: list[Costs] = []
    for cost in sorted(set(front)):  # what undercuts it comes before it
        if not any(all(a <= b for a, b in zip(c, cost, strict=True)) for c in kept):
            kept.append(cost)
            need(len(kept) <= MAX_COVERS, f"more than {MAX_COVERS} ways to meet conflicts")
    return kept


def _sum(left: Costs, right: Costs) -> Costs:
    return tuple(a + b for a, b in zip(left, right, strict=True))
