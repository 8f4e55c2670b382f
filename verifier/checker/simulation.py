"""A simulator that sees less does as well as the mechanism: by its answers, or by what is inferred.

A situation (k, i, v, z) is prior k, view i, private value v and auxiliary information z, of mass
m > 0. There P_t is how likely output t is, K_a that a is seen, and Q_t = Σ_a K_a x_at with the
probabilities x of a simulator, any one or that which is `given`.

**Simulator**: in all situations Σ_t max(0, P_t − α Q_t) <= δ m, and the same of Q_t − α P_t. The
witness is `{"simulator": X, "demands": D}`. X, which is put in, lists `[[a, …], vector]`, the
outputs where one of these a is seen; it is null if given, or no level is said to serve. D lists
`[[k, i, v, z], t, u, w]`, multipliers u, w >= 0 of both, added up; it is empty where the leakage
has no lower end. What serves makes c0 + c1 α + c2 α² <= 0:

    c0 = Σ u P_t − δ Σ m max_t u,   c2 = −Σ w P_t
    c1 = −Σ_a max_t Σ K_a (u − w) − δ Σ m max_t w    (given: Σ_t x_at for max_t)

If it is above 0 at a, or just below, nothing below serves; if for large α, nothing does. For points
of a trade-off `tradeoff` has such objects: with c for δ = 0 and m = Σ m max_t u + α Σ m max_t w
above 0, c0 + c1 α + c2 α² >= δ m, or δ is 0 and D empty. It is vacuous, X null and D empty, if none
is given and no a is seen in two situations.

**Inference** compares posteriors. For an output t the values v of a view have q_v = P_t, W_v = Σ_a
W_va x_a, W_va = K_a, and sums Q and S. (t, z) is good if S > 0 and in each view

    Σ_v max(0, q_v S − α Q W_v) <= δ Q S,   Σ_v max(0, Q W_v − α q_v S) <= δ Q S.

Under each prior what is not good has probability at most δ. X may have one output more, which M
never has. `conflicts`, in place of `demands`, are
`{"output": t, "good": [[k, z], …], "weights": [[[k, i, v, z], u, w], …]}`, not all good.
Multipliers add up to Σ_a (c0_a − α c1_a) x_a <= 0, c1 >= 0, S_a = Σ_v W_va:

    c0_a = Σ (u q_v S_a + w Q W_va) − δ Σ Q S_a (max_v u + max_v w)
    c1_a = Σ (u Q W_va + w q_v S_a)    (given: one a, W_v for W_va)

Where no coefficient is below 0, x_a = 0 wherever one is above 0, or will be at smaller α. If that
is so for all values of a view, S = 0; or for values with Σ q_v > δ Q the first inequality fails.
For no level at all c1 = 0. What is not good meets all conflicts; each way to do so costs more than
δ under some prior. It is vacuous if no view has two values under one prior and z.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from operator import add, le
from typing import Any

from . import levels
from . import reading as read
from .document import fields, index, indices, items, need, prove, spend
from .levels import Level
from .linear import Row, is_positive
from .reading import ZERO, Case, in_integers, ratio
from .situations import Key, Setting, Simulator, read_setting

MOST_WAYS = 10**6  # to meet conflicts, which no other one undercuts
Place = tuple[int, int]  # prior, z
Item = tuple[int, int, int]  # output, prior, z
Costs = tuple[int, ...]  # by prior
Conflict = frozenset[Item]
View = list[tuple[int, dict[int, Any], Any, Any]]  # q, W by a, u and w of every value


def check_simulator(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked, keys = levels.claim(case.claim, trades=True), "simulator demands"
    shown, demands, *proofs = fields(case.witness, keys + " tradeoff" * bool(asked.tradeoff))
    setting = read_setting(case.relation, case.model)
    empty = setting.is_empty(asked.leakage, shown, demands, posteriors=False)

    def needs(at: Level | None) -> bool:
        if at and at.alpha == 1 and demands == []:
            return True
        c, m = _demanded(setting, demands)
        c = [c[0] - asked.delta * m[0], c[1] - asked.delta * m[1], c[2]]
        return is_positive(c, at.alpha if at else None)

    for (alpha, least), proof in zip(asked.tradeoff, *proofs, strict=True):
        best, refuting = fields(proof, keys)
        need(setting.given is None or best is None, "the simulator is given")
        prove(_serves(setting, best, alpha, least), "a delta is too small")
        (c0, c1, c2), (m0, m1) = _demanded(setting, refuting)
        mass, total = m0 + alpha * m1, c0 + alpha * (c1 + alpha * c2)
        none_less = mass > 0 and total >= least * mass
        prove(none_less or (not least and refuting == []), "a delta is too large for the demands")
    return asked.settle(empty, lambda at: _serves(setting, shown, at.alpha, asked.delta), needs)


def _read_simulator(setting: Setting, shown: Any, outputs: int) -> Simulator:
    """The simulator of a `setting`, or the one `shown`: a distribution of so many `outputs` for all
    that it may see."""
    if setting.given is not None:
        return setting.given
    found: Simulator = {}
    for inputs, answer in items(shown, 2):
        chances = read.sparse(answer, outputs)
        fits = read.is_distribution(list(chances.values()), len(chances))
        prove(fits, "a row of the simulator is negative, or does not sum to 1")
        seen = [*found, *indices(inputs, read.CODES)]
        found |= dict.fromkeys(inputs, Row.of(chances))
        need(len(found) == len(seen), "what the simulator sees stands twice")
    return found


def _serves(setting: Setting, shown: Any, alpha: Any, delta: Fraction) -> bool:
    """Whether the simulator is as close as asked in every situation."""
    simulator = _read_simulator(setting, shown, setting.size)
    answered = (
        (one, one.answers(simulator, setting.size)[1]) for one in setting.situations.values()
    )
    pairs = (list(zip(one.outputs, answer, strict=True)) for one, answer in answered)
    return all(is_close(listed, alpha, delta) for listed in pairs)


def is_close(pairs: Sequence[tuple[Any, Any]], alpha: Any, delta: Fraction) -> bool:
    """Whether the first ones of some `pairs` and the second ones, each over their own sum, exceed
    `alpha` times each other by `delta` at most, in all; no if the second ones are 0."""
    below, (above,) = in_integers([alpha])
    mass, total = (sum(column) for column in zip(*pairs, strict=True))
    scaled = [(q * total, w * mass) for q, w in pairs]
    one = sum(max(0, below * p - above * q) for p, q in scaled)
    other = sum(max(0, below * q - above * p) for p, q in scaled)
    return bool(total > 0 and max(one, other) <= delta * below * mass * total)


def _demanded(setting: Setting, demands: Any) -> tuple[list[Fraction], list[Fraction]]:
    """What `demands` say of all simulators, added up: one that serves at a level alpha with a delta
    has c0 + c1 alpha + c2 alpha^2 <= delta (m0 + m1 alpha)."""
    c, m = [ZERO, ZERO, ZERO], [ZERO, ZERO]
    gains = defaultdict[int, defaultdict[int, Any]](lambda: defaultdict(int))
    for key, row in _read_multipliers(demands, setting).items():
        situation = setting.situations[key]
        c[0] += sum(u * situation.outputs[t] for t, (u, _) in row.items())
        c[2] -= sum(w * situation.outputs[t] for t, (_, w) in row.items())
        m[0] += situation.mass * max(u for u, _ in row.values())
        m[1] += situation.mass * max(w for _, w in row.values())
        for a, weight in situation.inputs.items():
            for t, (u, w) in row.items():
                gains[a][t] += weight * (u - w)
    for a, gain in gains.items():
        if setting.given is None:  # no answer to `a` gains more than its best output does
            c[1] -= max(gain[t] for t in range(setting.size))
        else:
            answer = setting.given[a]
            c[1] -= ratio(answer.at([gain[t] for t in range(setting.size)]), answer.unit)
    return c, m


def _read_multipliers(listed: Any, setting: Setting) -> dict[Key, dict[int, tuple[Any, Any]]]:
    """The numbers u and w >= 0 that are `listed` after a situation and an output, by these, times
    one positive number."""
    found: dict[Key, dict[int, tuple[Any, Any]]] = defaultdict(dict)
    parts = items(listed, 4)
    stated = [read.number(x) for *_, u, w in parts for x in (u, w)]
    need(all(x >= 0 for x in stated), "a multiplier is negative")
    numbers = iter(in_integers(stated)[1])
    for key, t, _, _ in parts:
        own = found[*indices(key, read.CODES)]
        need(index(t, setting.size) not in own, "a situation stands twice")
        own[t] = next(numbers), next(numbers)
    need(found.keys() <= setting.situations.keys(), "no such situation")
    return found


def check_inference(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    shown, conflicts = fields(case.witness, "simulator conflicts")
    setting = read_setting(case.relation, case.model)
    empty = setting.is_empty(asked.leakage, shown, conflicts, posteriors=True)
    views = Views(setting, asked.delta)

    def serves(at: Level) -> bool:
        return views.serves(_read_simulator(setting, shown, setting.size + 1), at.alpha)

    def needs(at: Level | None) -> bool:
        alpha = at.alpha if at else None
        return (alpha == 1 and conflicts == []) or views.refutes(conflicts, alpha, alpha == 1)

    level, low = asked.level.alpha, asked.leakage.get("lower", asked.leakage.get("at_least"))
    on_bound = low is not None and level == read.number(low)
    within = on_bound and views.refutes(conflicts, level, closed=True)
    return asked.settle(empty, serves, needs, within, wide=True, refuted=within)


class Views:
    """The situations of each prior and z, by view."""

    def __init__(self, setting: Setting, delta: Fraction) -> None:
        """Those of a `setting`, which are good up to `delta`."""
        self.setting, self.delta = setting, delta
        views = defaultdict[Place, defaultdict[int, list[Key]]](lambda: defaultdict(list))
        for key in setting.situations:
            views[key[0], key[3]][key[1]].append(key)
        self.at = {place: list(own.values()) for place, own in views.items()}
        self.answers = self._answers(setting.given) if setting.given else None
        masses = (one.mass for key, one in setting.situations.items() if key[:2] == (0, 0))
        self.most = delta * sum(masses)

    def cost(self, t: int, place: Place) -> int:
        """P(F = `t`, z) under the prior of a `place`, in the unit of all."""
        spend(len(self.at[place][0]))
        return sum(self.setting.situations[key].outputs[t] for key in self.at[place][0])

    def serves(self, simulator: Simulator, alpha: Any) -> bool:
        """Whether the (t, z) that are not good at `alpha` with the `simulator` have a probability
        of at most delta under each prior."""
        missed, answers = Counter[int](), self._answers(simulator)
        for place, views in self.at.items():
            spend(100 * self.setting.size * (1 + sum(map(len, views))))
            for t in range(self.setting.size):
                cost = self.cost(t, place)
                pairs = ([(self._mass(key, t), answers[key][t]) for key in view] for view in views)
                if cost and not all(is_close(view, alpha, self.delta) for view in pairs):
                    missed[place[0]] += cost
        return max(missed.values(), default=0) <= self.most

    def _mass(self, key: Key, t: int) -> int:
        return self.setting.situations[key].outputs[t]

    def _answers(self, simulator: Simulator) -> dict[Key, list[Fraction]]:
        """How often the simulator gives each output in every situation; it may give one more."""
        found = {}
        for key, situation in self.setting.situations.items():
            unit, answer = situation.answers(simulator, self.setting.size + 1)
            found[key] = [ratio(x, unit) for x in answer]
        return found

    def refutes(self, listed: Any, alpha: Fraction | None, closed: bool) -> bool:
        """Whether the conflicts `listed`, of all levels below `alpha` (None: of all levels), and of
        alpha if `closed`, cannot be met within delta."""
        found = [self._conflict(each, alpha, closed) for each in items(listed)]
        costs = {(t, k, z): self.cost(t, (k, z)) for t, k, z in frozenset[Item]().union(*found)}
        return not is_avoidable(found, costs, self.most)

    def _conflict(self, conflict: Any, alpha: Fraction | None, closed: bool) -> Conflict:
        """The items of a conflict, if its multipliers prove it; else rejected."""
        output, good, listed = fields(conflict, "output good weights")
        t = index(output, self.setting.size)
        places = [(k, z) for k, z in (indices(at, read.CODES) for at in items(good, 2))]
        need(places and len(set(places)) == len(places), "a conflict is of different (t, z)")
        asked = [view for place in places for view in self.at[place]]
        stated = [[key, t, u, w] for key, u, w in items(listed, 3)]
        weights = _read_multipliers(stated, self.setting)
        need(weights.keys() <= {*chain(*asked)}, "multipliers are of situations of the conflict")
        seen = {key: self._seen(key, t) for key in chain(*asked)}
        spend(10 * sum(1 + len(row) for row in seen.values()))
        views = [
            [(self._mass(key, t), seen[key], *weights.get(key, {t: (0, 0)})[t]) for key in view]
            for view in asked
        ]
        prove(is_conflict(views, self.delta, alpha, closed), "a conflict is not proved")
        return frozenset((t, k, z) for k, z in places)

    def _seen(self, key: Key, t: int) -> dict[int, Any]:
        """The weights W of what the simulator sees; a given one sees how often it gives t."""
        if self.answers is None:
            return self.setting.situations[key].inputs
        return {0: self.answers[key][t]} if self.answers[key][t] else {}


def is_conflict(views: list[View], delta: Any, alpha: Fraction | None, closed: bool) -> bool:
    """Whether no x >= 0 is good, up to `delta`, in all `views` at any level below `alpha` (None: at
    any level), nor at alpha if `closed`."""
    c0, c1 = _added_up(views, delta)
    gains = {a: c0[a] - (alpha or 0) * c1[a] for a in c0}
    if any(gain < 0 for gain in gains.values()) or (alpha is None and any(c1.values())):
        return False
    none = {a for a in gains if gains[a] > 0 or (not closed and c1[a])}  # x_a = 0 there
    return any(_is_lost(view, none, delta) for view in views)


def _added_up(views: list[View], delta: Any) -> tuple[dict[int, Any], dict[int, Any]]:
    """By what the simulator sees the coefficients c0 and c1: c0 x - alpha c1 x <= 0 where all is
    good."""
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
    return c0, c1


def _is_lost(view: View, none: set[int], delta: Any) -> bool:
    """Whether S = 0 where x_a = 0 for all of `none`, or W = 0 for values with too much of Q."""
    lost = [q for q, row, _, _ in view if row.keys() <= none]
    return len(lost) == len(view) or bool(sum(lost) > delta * sum(q for q, _, _, _ in view))


def is_avoidable(conflicts: Sequence[Conflict], costs: dict[Item, int], most: Fraction) -> bool:
    """Whether some items, at `costs` of at most so much for each prior, meet all `conflicts`.

    They are chosen one conflict after the other; of those that later conflicts do not have, only
    what they cost is kept."""
    need(all(conflicts), "a conflict has items")
    last = {item: at for at, conflict in enumerate(conflicts) for item in conflict}
    priors = sorted({k for _, k, _ in costs})
    front = {frozenset[Item](): [(0,) * len(priors)]}
    for at, conflict in enumerate(conflicts):
        more = defaultdict[frozenset[Item], set[Costs]](set)
        for chosen, found in front.items():
            spend(10 * len(found) * (len(conflict) + len(chosen)))
            for taken in [chosen] if chosen & conflict else [chosen | {one} for one in conflict]:
                kept = frozenset(item for item in taken if last[item] > at)
                own = {item[1]: costs[item] for item in taken - chosen}
                adds = [own.get(k, 0) for k in priors]
                more[kept].update(tuple(map(add, adds, before)) for before in found)
        front = {
            kept: _cheapest(cost for cost in found if max(cost) <= most)
            for kept, found in more.items()
        }
        need(sum(map(len, front.values())) <= MOST_WAYS, f"more than {MOST_WAYS} ways to go on")
    return any(front.values())


def _cheapest(found: Iterable[Costs]) -> list[Costs]:
    """The costs that no other ones undercut for every prior."""
    kept: list[Costs] = []
    for cost in sorted(found):  # what undercuts it comes before it
        spend(len(kept) * len(cost))
        if not any(all(map(le, other, cost)) for other in kept):
            kept.append(cost)
    return kept
