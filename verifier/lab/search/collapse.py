"""Mechanisms that leak little once and much when run several times (Bai, He, Gu, Kifer, Maeng,
Section 4), for the secrets and priors of a check.

A row x of likelihoods respects a level α when Σ_w θ(w | s) x_w <= α Σ_w θ(w | t) x_w for every pair
(s, t) and every prior θ that allows both. These x >= 0 form a cone, which contains (1, …, 1); so
for some of its points the outputs c·x, c·y, … and 1 − c·(x + y + …) are a mechanism of this level,
if the step c is small. What the runs x, y, … leak, the ratio of two sums over Π x_w, is largest
where each of them is an extreme ray of the cone: with the others fixed it is a ratio of linear
functions.

Where infinitely many priors make no finite list of comparisons, rows are looked for under finitely
many of the priors, and a prior under which the result leaks too much once becomes one of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import Leakage, Level
from verifier.definitions import pufferfish
from verifier.definitions._linear import LinearDefinition, identity, linear_of
from verifier.lab.search import tables
from verifier.lab.search.files import Tree, alone, headed, leakage, plain
from verifier.lab.search.shrink import shrunk
from verifier.mechanisms.repeat import repeated
from verifier.priors.list import ListedPriors
from verifier.questions.beliefs.prior import prior_of
from verifier.questions.beliefs.supports import PairedSupports, Supports, between
from verifier.questions.question import Question
from verifier.questions.secrets import GIVEN, Pairs, PriorClass
from verifier.questions.witness import OutputWitness
from verifier.run import verify
from verifier.spec.options import Check
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

Ray = tuple[int, ...]  # a likelihood for each world, without a common factor

MOST_RAYS = 5000
MOST_RUNS = 2 * 10**6  # ways to choose the rows of all runs
ROUNDS = 40  # of a row and a prior
LARGE = Fraction(10**6)


@dataclass(frozen=True)
class Goal:
    """What is looked for.

    once  the level of one run, e^ε
    runs  how many runs, two or more
    more  what these leak more than; None: they rule a secret out
    """

    once: Fraction = Fraction(1)
    runs: int = 2
    more: Fraction | None = None

    def reached(self, found: Leakage | None) -> bool:
        """Whether the runs leak enough."""
        if found is None or found.infinite or self.more is None:
            return found is not None and found.infinite
        low = found.bounds[0] if found.bounds else found.exp_epsilon
        return low is not None and low > self.more


@dataclass(frozen=True)
class Setting:
    """The worlds, pairs and priors of a check."""

    space: WorldSpace
    pairs: Pairs
    priors: PriorClass

    @classmethod
    def of(cls, check: Check) -> Setting:
        """Those of a check; NotDecided for secrets of one record of a histogram."""
        chosen = check.pairs()
        if check.space.is_histograms and chosen.kind != GIVEN:
            raise NotDecided("one record of a histogram is not searched: leave exchangeable out")
        return cls(check.space, chosen, check.priors())

    def question(self, mechanism: Mechanism, level: Fraction) -> Question:
        """What Pufferfish asks of a mechanism."""
        asked = Level(exp_epsilon=level)
        return pufferfish.question(
            space=self.space,
            mechanism=mechanism,
            level=asked,
            pairs=self.pairs,
            priors=self.priors,
        )

    def linear(self, level: Fraction) -> LinearDefinition:
        """What it asks of rows; NotDecided where this is no finite list of inequalities."""
        return linear_of(self.space, lambda mechanism: self.question(mechanism, level))

    def leaks(self, mechanism: Mechanism, level: Fraction) -> Leakage | None:
        """The smallest level of a mechanism."""
        return verify.certified(self.question(mechanism, level)).leakage

    def under(self, priors: Sequence[Mapping[str, Fraction]]) -> Setting:
        """The same under some priors."""
        names = self.space.names(range(self.space.size))
        listed = (prior_of(self.space, [prior.get(w, 0) for w in names]) for prior in priors)
        return Setting(self.space, self.pairs, ListedPriors(tuple(listed)))


def collapse(check: Check, goal: Goal, title: str) -> Iterator[tuple[Tree | None, str]]:
    """Files of a check with ever simpler mechanisms that meet the goal, as they are found; or none,
    and why. Its own mechanism plays no part. Raises NotDecided, and LimitReached where the cone has
    too many rays.
    """
    about = Setting.of(check)
    found = mechanism(about, goal)
    if found is None:
        yield None, missing(about, goal)
        return
    names = about.space.names(range(about.space.size))
    outputs = found.outputs

    def holds(rows: tables.Rows) -> bool:
        return meets(about, tables.mechanism_of(names, outputs, rows), goal)

    for rows in shrunk(tables.rows_of(found, names), holds, tables.simpler, tables.order):
        yield example(check, about, goal, title, tables.used(outputs, rows), rows), ""


def missing(about: Setting, goal: Goal) -> str:
    """What it means that no mechanism was found, in words."""
    try:
        definition = about.linear(goal.once)
    except NotDecided:
        return never(about, goal) or (
            "none was found; these priors are no finite list, so there may be one"
        )
    found = rays(definition, goal.once)
    looked = f"of {len(found)} extreme rows any {goal.runs} were tried together"
    if goal.more is not None:
        return f"none was found: {looked}, compared in floats"
    runs = enough(definition, found)
    if runs is None:
        return f"there is none: {looked}, and no number of runs rules a secret out"
    return f"there is none: {looked}; {runs} runs are enough for one"


def never(about: Setting, goal: Goal) -> str | None:
    """Why no runs rule a secret out under any prior of an infinite class, in words; None where this
    is not known.

    Under some priors of the class the cone of rows has all rows of the class. If runs rule a secret
    out under a prior, then its worlds are avoided by extreme rows of that cone, as in `enough`, or
    have probability 0; a prior for which this may be is one more of these.
    """
    first = _objection(about, identity(about.space), goal.once)
    if goal.more is not None or first is None:
        return None
    names, known = about.space.names(range(about.space.size)), [first]
    try:
        supports = about.priors.supports(about.space, about.pairs.listed)
    except NotDecided:
        return None
    for _ in range(ROUNDS):
        found = rays(about.under(known).linear(goal.once), goal.once)
        prior = _ruling_out(about, supports, found)
        if prior is None:
            said = f"of {len(found)} extreme rows under {len(known)} of the priors"
            return f"there is none: {said}, which make all others, no number of runs rules one out"
        named_prior = {names[w]: p for w, p in prior.items()}
        if named_prior in known:
            return None
        known.append(named_prior)
    return None


def _ruling_out(
    about: Setting, supports: Supports | PairedSupports, found: Sequence[Ray]
) -> Mapping[int, Fraction] | None:
    """A prior of the class under which rows may rule out a secret and not the other of a pair."""
    for pair in about.pairs.listed:
        for s, t in (pair, pair[::-1]):
            others = np.flatnonzero(t.worlds).tolist()
            members = between(supports, (s.name, t.name))
            for w in np.flatnonzero(s.worlds).tolist():
                rows = [ray for ray in found if ray[w]]
                stay = {v for v in others if all(ray[v] for ray in rows)}
                if (one := members.within(w, others, stay)) is not None:
                    return one.prior
    return None


def enough(definition: LinearDefinition, found: Sequence[Ray]) -> int | None:
    """So many runs that some rows rule a secret out; None where no number of runs does.

    found  the extreme rays of the cone of rows

    Runs rule the second of two secrets out, and not the first, where all of them can come from one
    world w of the first, and each world v of the second is impossible in some run: a row in which
    w is possible and v is not. Each row is a sum of extreme rays, one of which has w too.
    """
    known = []
    for i, j, _ in definition.comparisons():
        first, second = definition.weights[i], definition.weights[j]
        rows = ([ray for ray in found if ray[w]] for w in first)
        if any(all(any(not ray[v] for ray in with_w) for v in second) for with_w in rows):
            known.append(len(second))
    return min(known, default=None)


def meets(about: Setting, found: Mechanism, goal: Goal) -> bool:
    """Whether a mechanism has the level once, and leaks enough in several runs."""
    if verify.certified(about.question(found, goal.once)).verdict != "holds":
        return False
    return goal.reached(about.leaks(repeated(found, goal.runs), goal.more or LARGE))


def mechanism(about: Setting, goal: Goal) -> Mechanism | None:
    """A mechanism that meets the goal; None where there is none, or where the priors are no finite
    list of comparisons and none was found."""
    try:
        return _mechanism(about.linear(goal.once), goal)
    except NotDecided:
        return _alternating(about, goal)


def _alternating(about: Setting, goal: Goal) -> Mechanism | None:
    """The best mechanism under some priors, until no prior of the class objects to it."""
    prior = _objection(about, identity(about.space), goal.once)
    if prior is None:
        return None
    known = [prior]
    for _ in range(ROUNDS):
        found = _mechanism(about.under(known).linear(goal.once), goal)
        if found is None:
            return None
        prior = _objection(about, found, goal.once)
        if prior is None:
            return found
        if prior in known:
            break
        known.append(prior)
    raise NotDecided(f"no mechanism was found by {len(known)} priors")


def _objection(about: Setting, found: Mechanism, level: Fraction) -> Mapping[str, Fraction] | None:
    """A prior under which a mechanism has not the level; None where there is none."""
    answer = verify.certified(about.question(found, level))
    if answer.verdict == "holds":
        return None
    if not isinstance(answer.witness, OutputWitness):
        raise NotDecided("no prior is told that violates the level")
    return answer.witness.before.prior


def _mechanism(definition: LinearDefinition, goal: Goal) -> Mechanism | None:
    rows = best(definition, goal)
    return None if rows is None else _with_outputs(definition, rows, goal.once)


def rays(definition: LinearDefinition, level: Fraction) -> list[Ray]:
    """The extreme rays of the cone of rows of a level; those with few worlds first."""
    from verifier.lp.exact.double_description import dual

    halfspaces = definition.halfspaces(level)
    size = halfspaces.worlds
    rows = [[int(w == at) for w in range(size)] for at in range(size)]
    rows += [[-row.get(w, 0) for w in range(size)] for row in halfspaces.rows]
    return sorted(dual(rows, MOST_RAYS).rays, key=lambda ray: sum(map(bool, ray)))


def best(definition: LinearDefinition, goal: Goal) -> tuple[Ray, ...] | None:
    """The rows of all runs that leak most, or the first that rule a secret out; None where they do
    not meet the goal."""
    found = rays(definition, goal.once)
    if comb(len(found) + goal.runs - 1, goal.runs) > MOST_RUNS:
        raise LimitReached(f"{goal.runs} runs have too many choices of {len(found)} rows")
    pairs = list(dict.fromkeys((i, j) for i, j, _ in definition.comparisons()))
    top, chosen = Fraction(0), None
    for rows, (i, j) in _likely(definition, found, pairs, goal.runs):
        left, right = (_mass(definition.weights[column], rows) for column in (i, j))
        if not right:
            return rows
        if left / right > top:
            top, chosen = left / right, rows
    return chosen if goal.more is not None and top > goal.more else None


def _likely(
    definition: LinearDefinition,
    found: Sequence[Ray],
    pairs: Sequence[tuple[int, int]],
    runs: int,
) -> Iterator[tuple[tuple[Ray, ...], tuple[int, int]]]:
    """By floats: for all but the last row, the last one and the comparison that leak most, where
    this is more than before."""
    table = np.array([[x / max(ray) for x in ray] for ray in found])
    sides = np.zeros((len(definition.weights), table.shape[1]))
    for column, weights in enumerate(definition.weights):
        sides[column, list(weights)] = [float(p) for p in weights.values()]
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    top = 0.0
    for most in combinations_with_replacement(range(len(found)), runs - 1):
        sums = (table[list(most)].prod(axis=0) * table[most[-1] :]) @ sides.T
        left, right = sums[:, first], sums[:, second]
        ratios = np.zeros_like(left)
        np.divide(left, right, out=ratios, where=right > 0)
        ratios[(left > 0) & (right == 0)] = np.inf
        if ratios.size and ratios.max() > top:
            top = ratios.max()
            last, pair = np.unravel_index(ratios.argmax(), ratios.shape)
            rows = [*most, most[-1] + int(last)]
            yield tuple(found[at] for at in rows), pairs[pair]


def _mass(weights: Mapping[int, Fraction], rows: Sequence[Ray]) -> Fraction:
    """The probability of all rows, up to a factor."""
    return sum((p * prod(row[w] for row in rows) for w, p in weights.items()), Fraction(0))


def _with_outputs(definition: LinearDefinition, rows: Sequence[Ray], level: Fraction) -> Mechanism:
    """Outputs with likelihoods proportional to the rows, as large as possible, and the rest."""
    distinct = list(dict.fromkeys(rows))
    sums = [sum(column) for column in zip(*distinct, strict=True)]
    step = Fraction(1, max(sums))
    for halfspace in definition.halfspaces(level).rows:
        spent = -sum(h * sums[w] for w, h in halfspace.items())
        if spent > 0:
            step = min(step, Fraction(-sum(halfspace.values())) / spent)
    given = [[step * x for x in row] for row in distinct]
    given.append([1 - step * total for total in sums])
    labels = [str(at) for at in range(1, len(given))]
    kept = [(label, row) for label, row in zip([*labels, "other"], given, strict=True) if any(row)]
    return Mechanism.from_rows([label for label, _ in kept], [row for _, row in kept])


def example(
    check: Check,
    about: Setting,
    goal: Goal,
    title: str,
    outputs: Sequence[str],
    rows: tables.Rows,
) -> Tree:
    """The file of a check with a mechanism that meets the goal, run once and several times."""
    top = {k: v for k, v in alone(check).items() if k not in ("mechanism", "mechanisms", "checks")}
    chosen = {key: plain(node) for key in ("pairs", "priors") if (node := check.option(key))}
    found = tables.mechanism_of(about.space.names(range(about.space.size)), outputs, rows)
    table = {w: [str(row.get(o, 0)) for o in outputs] for w, row in rows.items()}

    def asked(name: str, level: Fraction, released: Mechanism) -> Tree:
        pinned = leakage(about.leaks(released, level))
        return {"pufferfish": {"exp_epsilon": str(level), **chosen}, "mechanism": name, **pinned}

    several = repeated(found, goal.runs)
    checks = [
        asked("once", goal.once, found),
        {**asked("several", goal.more or LARGE, several), "expect": "violated"},
    ]
    mechanisms = {
        "once": {"table": {"outputs": list(outputs), **table}},
        "several": {"repeat": {"of": "once", "runs": str(goal.runs)}},
    }
    said = f"{title}: little leakage once, much in {goal.runs} runs"
    return headed({**top, "mechanisms": mechanisms, "checks": checks}, said)
