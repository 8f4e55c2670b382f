"""Repeated runs under given priors: what is said about them, and its certificate.

What the checker has not accepted is not said; whatever is too large is left out with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from verifier.base import exact
from verifier.base.errors import LimitReached, TimeLimitReached
from verifier.base.level import Leakage
from verifier.lab.repeated.collapse import Chain, Known, the_world, which_of
from verifier.lab.repeated.runs import Plan, Table, Weights, Worst, alone, leakages
from verifier.questions.answer import Json, Proof
from verifier.questions.evidence import OutputsEvidence, RunsEvidence, SaidRuns
from verifier.questions.model import of_mechanism
from verifier.questions.question import Section
from verifier.questions.question import document as document_of
from verifier.world.worlds import WorldSpace

MAX_BITS = 300_000  # of a number in a certificate
MAX_CELLS = 2 * 10**6  # outputs in possible worlds
MAX_NUMBERS = 300_000  # probabilities

Value = Fraction | None  # None: infinite
Names = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Given:
    """What is run, and whose secrets it may tell to whom.

    secrets  name -> its worlds
    """

    space: WorldSpace
    plan: Plan
    secrets: Mapping[str, frozenset[int]]
    pairs: Sequence[Names]
    priors: Sequence[Weights]


@dataclass(frozen=True)
class Mean:
    """A number for each of some true worlds, and their average under the prior."""

    worlds: tuple[Value, ...]
    average: Value


@dataclass(frozen=True)
class Certainty:
    """When runs tell which world, or which one of a pair of secrets, is the true one.

    pair         None: the world
    worlds       the true worlds that are looked at
    fewest       outputs of the fewest runs that do; None where none do
    found        whether `fewest` is known
    probability  after 1, 2, 3, … runs
    expected     the number of runs until then; None where it is not known
    """

    prior: int
    pair: Names | None
    worlds: tuple[int, ...]
    fewest: tuple[int, ...] | None
    found: bool
    probability: tuple[Mean, ...]
    expected: Mean | None


@dataclass(frozen=True)
class Trajectory:
    """The odds of two secrets before and after each of some outputs.

    world  the true world of which these are the most likely outputs; None: the worst outputs
    """

    prior: int
    pair: Names
    outputs: tuple[int, ...]
    odds: tuple[Value, ...]
    world: int | None


@dataclass(frozen=True)
class Found:
    """What was found, and what stopped the search.

    alone  the worst output of each step by itself
    rows   the worst outputs of 1, 2, 3, … runs
    """

    certainty: tuple[Certainty, ...] = ()
    alone: tuple[Worst, ...] = ()
    rows: tuple[Worst, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    reasons: tuple[str, ...] = ()


def certainties(given: Given, runs: int) -> Found:
    """When runs make certain, under each of the priors."""
    found: list[Certainty] = []
    reasons: list[str] = []
    for number in range(len(given.priors)):
        entries, limit = _certainties(given, number, runs)
        found += entries
        if limit:
            reasons.append(f"certainty under prior {number + 1}: {limit}")
        if isinstance(limit, TimeLimitReached):
            break
    return Found(tuple(found), reasons=tuple(reasons))


Targets = dict[Names | None, tuple[tuple[int, ...], Known]]  # the worlds that are looked at


def _certainties(
    given: Given, number: int, runs: int
) -> tuple[list[Certainty], LimitReached | None]:
    """What is found under one prior, by its number, until a limit is reached."""
    prior = given.priors[number]
    if len(prior) * len(given.plan.mechanism.outputs) > MAX_CELLS:
        return [], LimitReached(f"{len(prior)} possible worlds are too many")
    chain = Chain(given.plan, prior)
    targets, found, reached = _targets(given, prior, chain), _Times(), None
    try:
        found.search(prior, chain, targets, runs)
    except LimitReached as limit:
        reached = limit
    entries = [
        Certainty(
            number,
            target,
            inside,
            found.fewest.get(target),
            found.complete or target in found.fewest,
            tuple(row[at] for row in found.probabilities),
            found.expected.get(target),
        )
        for at, (target, (inside, _)) in enumerate(targets.items())
    ]
    return entries, reached


def _targets(given: Given, prior: Weights, chain: Chain) -> Targets:
    """The world, and which one of each pair of secrets that the prior allows."""
    targets: Targets = {None: (chain.worlds, the_world)}
    for pair in given.pairs:
        left, right = (given.secrets[name] & prior.keys() for name in pair)
        if left and right:
            inside = tuple(world for world in chain.worlds if world in left | right)
            targets[pair] = inside, which_of(chain.numbered(left), chain.numbered(right))
    return targets


@dataclass
class _Times:
    """When targets are known: the fewest outputs, whether all of them were looked for, the expected
    number of runs, and the probabilities after 1, 2, 3, … runs, by target."""

    fewest: dict[Names | None, tuple[int, ...]] = field(default_factory=dict)
    complete: bool = False
    expected: dict[Names | None, Mean] = field(default_factory=dict)
    probabilities: list[list[Mean]] = field(default_factory=list)

    def search(self, prior: Weights, chain: Chain, targets: Targets, runs: int) -> None:
        """Find them one after the other; what was found before a limit is reached stays."""

        def mean(inside: tuple[int, ...], numbers: Sequence[Value]) -> Mean:
            table = dict(zip(chain.worlds, numbers, strict=True))
            return _mean(prior, inside, [table[world] for world in inside])

        for (_, possible), outputs in chain.reached():
            for target, (_, known) in targets.items():
                if target not in self.fewest and known(possible):
                    self.fewest[target] = outputs
        self.complete = True
        if len(prior) * len(targets) * runs > MAX_NUMBERS:
            raise LimitReached(f"numbers for {len(prior)} true worlds are too many")
        for target, (inside, known) in targets.items():
            self.expected[target] = mean(inside, chain.expected(known))
        stream = chain.probabilities([known for _, known in targets.values()])
        for _, lists in zip(range(runs), stream, strict=False):
            each = zip(targets.values(), lists, strict=True)
            means = [mean(inside, numbers) for (inside, _), numbers in each]
            _check_length(p for m in means for p in (m.average, *m.worlds))
            self.probabilities.append(means)


def leaks(given: Given, found: Found, runs: int) -> Found:
    """The worst outputs of 1, 2, 3, … runs, beside what is known of certainty."""
    table = Table.of(
        given.plan.mechanism, given.plan.steps, given.priors, given.pairs, given.secrets
    )
    each: list[Worst] = []
    rows: list[Worst] = []
    reasons = list(found.reasons)
    try:
        each = alone(table)
        for _, worst in zip(range(runs), leakages(table, _collapse(given, found)), strict=False):
            _check_length([worst.ratio])
            rows.append(worst)
    except LimitReached as limit:
        reasons.append(f"leakage of {len(rows) + 1} runs: {limit}")
    return replace(found, alone=tuple(each), rows=tuple(rows), reasons=tuple(reasons))


def _collapse(given: Given, found: Found) -> Worst | None:
    """The fewest outputs that rule a secret out, if those of every prior are known."""
    about = [entry for entry in found.certainty if entry.pair]
    if not all(entry.found for entry in about):
        return None
    certain = [entry for entry in about if entry.fewest is not None]
    if not certain:
        return None
    entry = min(certain, key=lambda entry: len(entry.fewest or ()))
    assert entry.pair is not None and entry.fewest is not None
    mechanism = given.plan.mechanism
    left = [
        world
        for world in given.secrets[entry.pair[0]] & given.priors[entry.prior].keys()
        if all(mechanism.probability(output, world) for output in entry.fewest)
    ]
    return Worst(None, entry.prior, entry.pair if left else entry.pair[::-1], entry.fewest)


def trajectories(given: Given, worst: Worst, runs: int) -> tuple[Trajectory, Trajectory]:
    """Along the worst outputs, and along those that the likeliest world most likely gives."""
    prior = given.priors[worst.prior]
    world = max(sorted(given.secrets[worst.pair[0]] & prior.keys()), key=prior.__getitem__)
    likely = _likely(given.plan, world, runs)
    about = worst.prior, worst.pair
    return (
        Trajectory(*about, worst.outputs, _odds(given, *about, worst.outputs), None),
        Trajectory(*about, likely, _odds(given, *about, likely), world),
    )


def _odds(given: Given, number: int, pair: Names, outputs: Sequence[int]) -> tuple[Value, ...]:
    """P(s | …) / P(t | …) before and after each output; some world of s can give them all."""
    prior, mechanism = given.priors[number], given.plan.mechanism
    sides = [{w: prior[w] for w in given.secrets[name] & prior.keys()} for name in pair]
    found: list[Value] = []
    for output in (None, *outputs):
        if output is not None:
            sides = [{w: p * mechanism.probability(output, w) for w, p in s.items()} for s in sides]
        left, right = (sum(side.values(), Fraction(0)) for side in sides)
        found.append(left / right if right else None)
    return tuple(found)


def _likely(plan: Plan, world: int, runs: int) -> tuple[int, ...]:
    """The most likely multisets of 1, 2, 3, … outputs, each the last one and one more: the
    likelihood Π p^c / c! is separable and concave in its logarithm, so that the greedy choice of
    the largest p / (c + 1) is best (Finucan 1964)."""
    counts: Counter[int] = Counter()
    found: list[int] = []
    for run in range(runs):
        step = plan.steps[run % len(plan.steps)]
        gains = {o: plan.mechanism.probability(o, world) / (counts[o] + 1) for o in step}
        found.append(max(step, key=gains.__getitem__))
        counts[found[-1]] += 1
    return tuple(found)


def document(given: Given, found: Found) -> Json:
    """The certificate of everything that was found."""
    said = SaidRuns(
        "holds",
        [Leakage(worst.ratio) for worst in found.alone],
        [Leakage(worst.ratio) for worst in found.rows],
        [_stated(entry) for entry in found.certainty],
        [
            {
                "prior": path.prior,
                "pair": list(path.pair),
                "outputs": list(path.outputs),
                "odds": list(map(text, path.odds)),
                "world": path.world,
            }
            for path in found.trajectories
        ],
    )
    zero = Fraction(0)
    weights = [[p.get(w, zero) for w in range(given.space.size)] for p in given.priors]
    relation: dict[str, object] = {
        "rule": "runs",
        "secrets": {name: sorted(worlds) for name, worlds in given.secrets.items()},
        "pairs": [list(pair) for pair in given.pairs],
        "priors": {"class": "list", "priors": weights},
    }
    model = of_mechanism(given.space, given.plan.mechanism)
    evidence = RunsEvidence(*(list(map(_worst, rows)) for rows in (found.alone, found.rows)))
    stated = {
        "definition": None,
        "options": {},
        "source": None,
        "steps": [list(step) for step in given.plan.steps],
        "relation": relation,
    }
    return document_of(Section(stated, model, "runs"), Proof(said, evidence))


def text(value: Value) -> str:
    """A number, exactly, or `infinite`."""
    return "infinite" if value is None else exact.text(value)


def _worst(worst: Worst) -> OutputsEvidence | None:
    return None if worst.ratio == 1 else OutputsEvidence(worst.prior, worst.pair, worst.outputs)


def _stated(entry: Certainty) -> Json:
    fewest = {} if entry.fewest is None else {"outputs": list(entry.fewest)}
    return {
        "prior": entry.prior,
        "pair": entry.pair and list(entry.pair),
        "fewest": fewest if entry.found else None,
        "probability": list(map(_stated_mean, entry.probability)),
        "expected": entry.expected and _stated_mean(entry.expected),
    }


def _stated_mean(mean: Mean) -> Json:
    return {"worlds": list(map(text, mean.worlds)), "average": text(mean.average)}


def _mean(prior: Weights, worlds: Sequence[int], numbers: Sequence[Value]) -> Mean:
    finite = [number for number in numbers if number is not None]
    if len(finite) < len(numbers):
        return Mean(tuple(numbers), None)
    total = sum((prior[w] * x for w, x in zip(worlds, finite, strict=True)), Fraction(0))
    return Mean(tuple(finite), total / sum(prior[w] for w in worlds))


def _check_length(numbers: Iterable[Value]) -> None:
    for number in numbers:
        if number and number.numerator.bit_length() + number.denominator.bit_length() > MAX_BITS:
            raise LimitReached("the exact numbers are too long")
