"""Deciding the inference form: which (t, z) are good, under all priors at once, for one simulator.

At a level, cores (sets of items that are not good together, each with a proof) are collected until
no choice of bad items within delta meets them all, or until the rest is good. The smallest level
lies between the levels of vectors that are found and those below which the proofs hold. It is
algebraic, and need not be attained; it is exact where one proof reaches the level of a vector, and
else enclosed.

Example. A bit is told with probability 3/4, and a simulator sees nothing. After the output 0 the
bit is 0 with probability 3/4, after a simulator's with 1/2. So (0, z) is good from the level 2 on,
for 1/2 <= alpha · 1/4; it is a core below.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count
from math import floor, isqrt
from typing import Any

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.exponential import Irrational
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.engines.simulation.blocks import classes
from verifier.engines.simulation.covers import Core, cover, groups
from verifier.engines.simulation.inferences import (
    Condition,
    Gift,
    Inferences,
    Part,
    Refutation,
    Served,
)
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.beliefs.coupled import Coupled, Situation, linked, situations
from verifier.questions.evidence import ConflictEvidence, InferenceEvidence, Replies, Terms
from verifier.questions.simulation import SimulationClaim
from verifier.questions.witness import Case, ConflictsWitness, Reply, Simulator
from verifier.questions.witness import Conflict as Told


@dataclass(frozen=True, eq=False)
class Conflict:
    """(prior, z) that are not good together at an output, with weights of their situations."""

    output: int
    where: Sequence[tuple[int, int]]
    weights: Mapping[int, tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False)
class Found:
    """The smallest level of a question.

    bounds     around it, equal where it is known exactly; None where there is none
    gifts      output -> a vector that serves the upper bound, to be scaled
    conflicts  that no choice of bad (t, z) avoids below the lower bound; none where that is 1
    side       "at_least" or "at_most" where only one bound is known, which stands twice
    """

    bounds: tuple[Fraction, Fraction] | None
    gifts: Mapping[int, Gift]
    conflicts: Sequence[Conflict]
    side: str = ""


def told(claim: SimulationClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the simulator that serves, if there is one to show,
    and what no simulator makes good at once below the smallest level."""
    evidence, coupled = proof.witness, claim.coupled
    assert isinstance(evidence, InferenceEvidence)
    found = situations(coupled)
    counts = {**sizes(coupled.space, coupled.mechanism), "situations": len(found)}
    answer = leveled(claim, proof, counts)
    assert answer.leakage is not None
    made, low = None, answer.leakage.low
    if claim.given is None and answer.verdict == "holds":
        rows = _guessing(found) if answer.leakage.vacuous else evidence.simulator or ()
        made = Simulator([_reply(coupled, inputs, row) for inputs, row in rows])
    conflicts = [_told(coupled, conflict) for conflict in evidence.conflicts]
    shown = ConflictsWitness(low, conflicts) if conflicts else None
    return replace(answer, made=made, shown=shown, reason=answer.leakage.remark)


def _guessing(found: Sequence[Situation]) -> Replies:
    """A simulator where any one will do: it draws one of the possible outputs."""
    columns = zip(*(one.outputs for one in found), strict=True)
    possible = [t for t, column in enumerate(columns) if any(column)]
    seen = sorted({a for one in found for a in one.inputs})
    return [(seen, [(t, Fraction(1, len(possible))) for t in possible])]


def _reply(coupled: Coupled, inputs: Sequence[int], row: Terms) -> Reply:
    """What a simulator says to some of what it sees."""
    names = coupled.mechanism.outputs
    return Reply(
        [coupled.seen[a] for a in inputs],
        {names[t]: p for t, p in row if t < len(names)},
        next((p for t, p in row if t >= len(names)), Fraction(0)),
    )


def _told(coupled: Coupled, conflict: ConflictEvidence) -> Told:
    """A conflict in the reader's terms."""
    several = len(coupled.beliefs) > 1
    cases = [
        Case(prior + 1 if several else None, coupled.auxiliary[z] or None)
        for prior, z in conflict.good
    ]
    return Told(coupled.mechanism.outputs[conflict.output], cases)


def _proof(claim: SimulationClaim, found: Sequence[Situation], smallest: Found) -> Proof:
    """That of the `smallest` level, about situations that were `found`."""
    bounds, side, replies = smallest.bounds, smallest.side, None
    vacuous = claim.given is None and not linked(claim.coupled, posteriors=True)
    serves = bounds is not None and side != "at_least"
    if claim.given is None and serves and not vacuous:
        simulator = _simulator(found, smallest.gifts)
        replies = [(a, sorted(row.items())) for a, row in simulator]
    leakage = replace(Leakage.within(bounds), side=side)
    return proved(
        bounds is not None and serves and claim.level.admits(bounds[1]),
        NO_COMPARISON if vacuous else leakage,
        InferenceEvidence(replies, _grouped(found, smallest.conflicts)),
    )


Rows = list[tuple[list[int], dict[int, Fraction]]]


def _simulator(found: Sequence[Situation], gifts: Mapping[int, Gift]) -> Rows:
    """One simulator that gives every output in proportion to its vector, as often as it can; what
    is left goes to one more output, with the next number."""
    extra = len(found[0].outputs)
    largest = {t: max(gift.values()) for t, gift in gifts.items()}
    seen = sorted({a for situation in found for a in situation.inputs})
    rows = {a: {t: g[a] / largest[t] for t, g in gifts.items() if g.get(a)} for a in seen}
    most = max((sum(row.values(), Fraction(0)) for row in rows.values()), default=Fraction(0))
    for row in rows.values():
        for t in row:
            row[t] /= most
        rest = 1 - sum(row.values(), Fraction(0))
        if rest:
            row[extra] = rest
    alike = classes(seen, lambda a: tuple(sorted(rows[a].items())))
    return [(inputs, rows[inputs[0]]) for inputs in alike]


def _grouped(found: Sequence[Situation], conflicts: Sequence[Conflict]) -> list[ConflictEvidence]:
    """The conflicts as a certificate has them, those with common (t, z) one after the other."""
    numbers: dict[tuple[int, int, int], int] = {}
    cores: dict[frozenset[int], Conflict] = {}
    for conflict in conflicts:
        places = [(conflict.output, *where) for where in conflict.where]
        cores[frozenset(numbers.setdefault(p, len(numbers)) for p in places)] = conflict
    return [_conflict(found, cores[core]) for group in groups(cores) for core in group]


def _conflict(found: Sequence[Situation], conflict: Conflict) -> ConflictEvidence:
    weights = [(found[n].key, u, w) for n, (u, w) in conflict.weights.items() if u or w]
    return ConflictEvidence(conflict.output, conflict.where, weights)


ONE = Fraction(1)
BITS = 32  # of an enclosure, unless the level that is asked for is closer
STEPS = 4  # towards a level that is a function of a parameter
MAX_ENTRIES = 200_000
Oracle = Callable[[Core], Served | Refutation | None]


@dataclass(frozen=True, eq=False)
class Item:
    """(t, z) of positive probability under a prior.

    places  the situation of each private value, view by view
    scales  for each view q · W in the units of the situations, over that of the condition
    mass    P(t, z), in the units of the situations
    """

    output: int
    prior: int
    z: int
    condition: int
    places: tuple[tuple[int, ...], ...]
    scales: tuple[Fraction, ...]
    mass: Any


@dataclass(frozen=True, eq=False)
class Question:
    """All items of a claim, their different conditions, and what each prior may spend."""

    items: Sequence[Item]
    conditions: Sequence[Condition]
    priors: int
    budget: Any


@dataclass(frozen=True, eq=False)
class Kept:
    """A core of items with its proof."""

    items: Core
    proof: Refutation


def decide(claim: SimulationClaim) -> Answer:
    """The verdict on a claim, the smallest level, and a simulator or conflicts."""
    return told(claim, prove(claim))


def prove(claim: SimulationClaim) -> Proof:
    """The proof of the answer to a claim: of the smallest level, or, where that is no function of a
    parameter, of the level that is asked for."""
    found = situations(claim.coupled)
    numbers = [part for one in found for part in (*one.outputs, one.total)]
    is_function = any(map(exact.is_symbolic, [*numbers, claim.level.alpha, claim.delta]))
    if not is_function and any(map(exact.is_irrational, numbers)):
        raise Irrational
    search = Search(question(found, claim), claim.delta)
    smallest = search.as_function if is_function else search.smallest
    return _proof(claim, found, smallest(claim.level))


def question(found: Sequence[Situation], claim: SimulationClaim) -> Question:
    """The items of a claim about situations that were `found`; LimitReached for too many."""
    inputs = _inputs(found, claim)
    views: dict[tuple[int, int], dict[int, list[int]]] = {}
    for number, situation in enumerate(found):
        prior, view, _, z = situation.key
        views.setdefault((prior, z), {}).setdefault(view, []).append(number)
    conditions: dict[Condition, int] = {}
    items, entries = [], 0
    for (prior, z), numbers in views.items():
        for t in range(len(found[0].outputs)):
            mass = sum(found[n].outputs[t] for n in next(iter(numbers.values())))
            if not mass:
                continue
            parts = [_parts(found, inputs, t, group) for group in numbers.values()]
            condition = tuple(view for view, _, _ in parts)
            entries += sum(len(part[1]) + 1 for view in condition for part in view)
            if entries > MAX_ENTRIES:
                raise LimitReached(f"conditions with more than {MAX_ENTRIES} numbers")
            at = conditions.setdefault(condition, len(conditions))
            places, scales = zip(*((place, scale) for _, place, scale in parts), strict=True)
            items.append(Item(t, prior, z, at, places, scales, mass))
    whole = sum(s.total for s in found if s.key[:2] == (0, 0))
    budget = claim.delta * whole
    if all(isinstance(item.mass, int) for item in items):  # not so with a parameter
        budget = exact.floor(budget)
    items.sort(key=lambda item: item.output)
    return Question(items, list(conditions), len(claim.coupled.beliefs), budget)


Inputs = Callable[[int, int], dict[int, Any]]  # situation, output -> a -> weight


def _inputs(found: Sequence[Situation], claim: SimulationClaim) -> Inputs:
    """What the simulator sees; a given one is like seeing how often it gives the output."""
    given, mechanism = claim.given, claim.coupled.mechanism
    if given is None:
        return lambda number, t: dict(found[number].inputs)
    rows = [[mechanism.values[code] for code in row] for row in mechanism.codes.tolist()]

    def weights(number: int, t: int) -> dict[int, Any]:
        total = sum((k * rows[t][given[a]] for a, k in found[number].inputs.items()), Fraction(0))
        return {0: total} if total else {}

    return weights


def _parts(
    found: Sequence[Situation], inputs: Inputs, t: int, group: Sequence[int]
) -> tuple[tuple[Part, ...], tuple[int, ...], Fraction]:
    """The parts of a view, in coprime numbers and a common order; their situations; the scale."""
    seen = [inputs(number, t) for number in group]
    q, shares = _divided([found[number].outputs[t] for number in group])
    k, weights = _divided([weight for row in seen for weight in row.values()])
    left = iter(weights)
    rows = [tuple(sorted((a, next(left)) for a in row)) for row in seen]
    parts = list(zip(zip(shares, rows, strict=True), group, strict=True))
    if set(map(type, (*shares, *weights))) <= {int}:  # an order of functions would be a comparison
        parts.sort()
    return tuple(part for part, _ in parts), tuple(number for _, number in parts), q * k


def _divided(values: Sequence[Any]) -> tuple[Any, list[Any]]:
    """What some values, not negative, are divided by, and the coprime numbers that this leaves."""
    first = next((at for at, value in enumerate(values) if value), None)
    if first is None:
        return 1, list(values)
    whole = exact.coprime(values)
    return exact.over(values[first], whole[first]), whole


class Search:
    """The search for the smallest level of a question."""

    def __init__(self, question: Question, delta: Fraction) -> None:
        self.question = question
        self.inferences = Inferences(question.conditions, delta)
        none = [0] * question.priors
        self.costs = [
            tuple(item.mass if k == item.prior else 0 for k in range(len(none)))
            for item in question.items
        ]
        self.kept: list[Kept] = []

    def smallest(self, asked: Level | None = None) -> Found:
        """The smallest level, or bounds that leave the level that is asked for outside, or have it
        as the lower one if a proof refutes it. Such bounds are kept where a limit is reached."""
        # first whether any level serves: a bound from above
        found = self._attempt(self.inferences.endless, lambda proof: proof.root is None)
        if isinstance(found, list):
            return Found(None, {}, self._conflicts(self.last(found)[1]))
        bracket = _Bracket(self, found)
        start = [ONE]
        if asked is not None and asked.exp_epsilon is not None:
            start.append(asked.exp_epsilon)
        try:
            for alpha in start:
                bracket.test(alpha)
            bracket.narrow(asked)
        except LimitReached:
            if not bracket.decides(asked):
                raise
        lower, upper = bracket.lower, bracket.upper
        return Found((lower.level, upper.level), upper.gifts, self._conflicts(lower.proof))

    def as_function(self, asked: Level) -> Found:
        """The smallest level as a function of a parameter. Where that is not found, vectors that
        serve the level that is asked for, or cores that refute it."""
        found = self._attempt(self.inferences.endless, lambda proof: proof.root is None)
        if isinstance(found, list):
            return Found(None, {}, self._conflicts(self.last(found)[1]))
        bracket = _Bracket(self, found)
        if bracket.meet():
            lower, upper = bracket.lower, bracket.upper
            return Found((upper.level,) * 2, upper.gifts, self._conflicts(lower.proof))
        found, bounds = self.test(asked.alpha), (asked.alpha, asked.alpha)
        if isinstance(found, dict):
            return Found(bounds, _Upper.of(found).gifts, [], "at_most")
        return Found(bounds, {}, self._conflicts(self.last(found)[1]), "at_least")

    def test(self, alpha: Fraction) -> dict[int, Served] | list[Kept]:
        """Vectors by output that serve alpha, or cores that no choice meets at alpha."""
        oracle = partial(self.inferences.at, alpha=alpha)
        return self._attempt(oracle, lambda proof: proof.covers(alpha, closed=True))

    def below(self, alpha: Fraction) -> list[Kept] | None:
        """Cores that no choice meets below alpha, if there are proofs of this kind."""
        oracle = partial(self.inferences.below, alpha=alpha)
        found = self._attempt(oracle, lambda proof: proof.covers(alpha, closed=False))
        return found if isinstance(found, list) else None

    def _attempt(
        self, oracle: Oracle, counts: Callable[[Refutation], bool]
    ) -> dict[int, Served] | list[Kept]:
        active = [core for core in self.kept if counts(core.proof)]
        while True:
            bad = self._cover(active)
            if bad is None:
                return active
            served: dict[int, Served] = {}
            new: list[Kept] = []
            for output, good in self._good(bad).items():
                found = oracle(frozenset(self.question.items[k].condition for k in good))
                if isinstance(found, Refutation):
                    new.append(self._core(good, self._smaller(found, oracle)))
                    if not self.question.budget:  # nothing may be bad, so that one core is enough
                        break
                elif found:
                    served[output] = found
            if not new:
                return served
            active += new
            self.kept += new

    def _good(self, bad: Core) -> dict[int, list[int]]:
        """The items that are not bad, by output."""
        found: dict[int, list[int]] = {}
        for number, item in enumerate(self.question.items):
            if number not in bad:
                found.setdefault(item.output, []).append(number)
        return found

    def _smaller(self, proof: Refutation, oracle: Oracle) -> Refutation:
        """A proof for as few of the conditions as possible, where the choice matters."""
        if self.question.budget:
            for condition in sorted(proof.core):
                if condition in proof.core and len(proof.core) > 1:
                    found = oracle(proof.core - {condition})
                    proof = found if isinstance(found, Refutation) else proof
        return proof

    def _core(self, good: Sequence[int], proof: Refutation) -> Kept:
        """One item for each condition of a proof."""
        known = {self.question.items[k].condition: k for k in reversed(good)}
        return Kept(frozenset(known[condition] for condition in proof.core), proof)

    def last(self, cores: Sequence[Kept]) -> tuple[Fraction | None, list[Kept]]:
        """The last level below which no choice meets these cores (None: all), and those needed."""
        used: list[Kept] = []
        for core in sorted(cores, key=lambda core: _falling(core.proof.root)):
            used.append(core)
            if self._cover(used) is None:
                for other in used[:-1]:
                    without = [c for c in used if c is not other]
                    used = without if self._cover(without) is None else used
                return core.proof.root, used
        raise AssertionError("the cores leave a choice")

    def _cover(self, cores: Sequence[Kept]) -> Core | None:
        return cover([core.items for core in cores], self.costs, self.question.budget)

    def _conflicts(self, cores: Sequence[Kept]) -> list[Conflict]:
        """Cores in the terms of the situations."""
        found = []
        for core in cores:
            of = {self.question.items[k].condition: self.question.items[k] for k in core.items}
            items = [self.question.items[k] for k in sorted(core.items)]
            weights = {
                of[c].places[i][v]: (u / of[c].scales[i], w / of[c].scales[i])
                for (c, i, v), (u, w) in core.proof.weights.items()
            }
            where = [(item.prior, item.z) for item in items]
            found.append(Conflict(items[0].output, where, dict(sorted(weights.items()))))
        return found


def _falling(root: Fraction | None) -> tuple[bool, Fraction]:
    return root is not None, -(root or ONE)


@dataclass(frozen=True, eq=False)
class _Lower:
    """A bound from below, with a proof; `is_refuted` where no vectors serve the level itself."""

    level: Fraction = ONE
    proof: Sequence[Kept] = ()
    is_refuted: bool = False


@dataclass(frozen=True, eq=False)
class _Upper:
    """A bound from above, with vectors by output."""

    level: Fraction
    gifts: Mapping[int, Gift]

    @classmethod
    def of(cls, served: Mapping[int, Served]) -> _Upper:
        """That of vectors which were found."""
        level = max((s.level for s in served.values()), default=ONE)
        return cls(level, {output: s.gift for output, s in served.items()})


class _Bracket:
    """Bounds of the smallest level: vectors for the upper one, a proof of the lower one.

    Each bound changes in one step, so that both stand wherever a limit on time interrupts.
    """

    def __init__(self, search: Search, served: dict[int, Served]) -> None:
        self.search, self.lower, self.upper = search, _Lower(), _Upper.of(served)

    def test(self, alpha: Fraction) -> None:
        """Move a bound to alpha or beyond."""
        if not self.lower.level <= alpha < self.upper.level:
            return
        found = self.search.test(alpha)
        if isinstance(found, dict):
            self.upper = _Upper.of(found)
            return
        root, used = self.search.last(found)
        assert root is not None and root >= alpha
        self.lower = _Lower(root, used, root == alpha)

    def meet(self) -> bool:
        """Whether the bounds meet, each of them a level of vectors or of a proof."""
        for _ in range(STEPS):
            before = self.lower
            self.test(self.lower.level)
            if self.lower.level != self.upper.level:
                self._raise(self.upper.level)
            if self.lower.level == self.upper.level:
                return True
            if self.lower is before:
                return False
        return False

    def narrow(self, asked: Level | None) -> None:
        """Until the bounds meet, or are close and leave the level that is asked for outside."""
        tried: Fraction | None = None
        for step in count():
            guess = simplest(self.lower.level, self.upper.level)  # a rational level, in the end
            if guess == self.upper.level != tried:
                tried = guess
                self._raise(guess)
            elif step % 4 == 0 and not (guess == self.lower.level and self.lower.is_refuted):
                self.test(guess)
            if self.lower.level == self.upper.level:
                return
            if self._is_narrow() and self.decides(asked):
                if not self.lower.is_refuted:
                    self.test(self.lower.level)  # a proof often reaches a level that is rational
                return
            self.test(self._between())

    def _raise(self, alpha: Fraction) -> None:
        """Move the lower bound to alpha, if proofs refute everything below."""
        proof = self.search.below(alpha) if self.lower.level < alpha else None
        if proof:
            self.lower = _Lower(alpha, self.search.last(proof)[1])

    def _is_narrow(self) -> bool:
        return (self.upper.level - self.lower.level) * (1 << BITS) <= self.lower.level

    def _between(self) -> Fraction:
        """A simple level in the middle, on a logarithmic scale where the bounds are far apart."""
        low, high = self.lower.level, self.upper.level
        if high > 4 * low:
            return Fraction(1 + isqrt(floor(low * high)))
        quarter = (high - low) / 4
        return simplest(low + quarter, high - quarter)

    def decides(self, asked: Level | None) -> bool:
        """Whether the bounds tell if the level that is asked for serves."""
        low = self.lower.level
        if asked is None or asked.admits(self.upper.level) or not asked.admits(low):
            return True
        return asked.exp_epsilon == low and self.lower.is_refuted


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of smallest denominator in [low, high], 0 < low <= high.

    >>> simplest(Fraction(31, 10), Fraction(32, 10))
    Fraction(16, 5)
    """
    whole = low.numerator // low.denominator
    if whole == low:
        return low
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))
