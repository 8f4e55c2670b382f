"""What `verifier compose` looks at: mechanisms, pairs of secrets and priors, and what runs leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from verifier.base.errors import NotDecided
from verifier.base.level import Leakage, Level
from verifier.definitions import composition, pufferfish
from verifier.lab.repeated.listed import Given
from verifier.lab.repeated.runs import Plan, planned
from verifier.priors import asked_about
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, PriorClass
from verifier.spec.options import Check
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

ONE = Level(exp_epsilon=Fraction(1))


@dataclass(frozen=True)
class Seen:
    """What is seen when several runs leak most.

    pair     of secrets, by name
    prior    world -> probability
    outputs  of one run each -> how often; or the one output of a mechanism that does all runs
    """

    pair: tuple[str, str]
    prior: Mapping[str, Fraction]
    outputs: Mapping[str, int] | str


@dataclass(frozen=True)
class Row:
    """What so many runs leak.

    linear   the product of what each run leaks by itself
    witness  what is seen then; None where nothing is told
    rule     of the certificate, and the number of runs that it is about
    """

    runs: int
    leakage: Leakage
    linear: Leakage
    witness: Seen | None
    rule: tuple[str, int]


@dataclass(frozen=True, eq=False)
class Case:
    """What one setting is about."""

    check: Check
    space: WorldSpace
    named: Sequence[tuple[str, Mechanism]]
    order: str
    pairs: Sequence[Pair]
    priors: PriorClass
    plan: Plan = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan", planned(self.named, self.order == "sequence"))

    @classmethod
    def of(cls, check: Check) -> Case:
        """The case of a check of `composition` or `pufferfish`."""
        named = check.mechanisms()
        several = "sequence" if check.options.get("sequence") is not None else "any order"
        order = several if len({name for name, _ in named}) > 1 else "alone"
        pairs, priors = check.pairs(), check.priors()
        abouts = [asked_about(check.space, m, pairs, priors) for _, m in named]
        named = [(name, m) for (name, _), (_, m, _) in zip(named, abouts, strict=True)]
        return cls(check, abouts[0][0], named, order, pairs.listed, abouts[0][2])

    @property
    def keyword(self) -> str:
        """The class of priors, by its keyword."""
        return type(self.priors).__module__.rpartition(".")[2]

    @property
    def key(self) -> str:
        """Equal for equal settings."""
        names = [name if name else id(mechanism) for name, mechanism in self.named]
        pairs = [(s.name, s.worlds.tobytes(), t.name, t.worlds.tobytes()) for s, t in self.pairs]
        try:
            priors: object = self.priors.statement(self.space, self.pairs)
        except NotDecided:
            priors = id(self.priors)
        return repr([names, self.order, pairs, priors])

    def secrets(self) -> dict[str, frozenset[int]]:
        """The worlds of each secret."""
        found = {secret.name: secret for pair in self.pairs for secret in pair}
        return {name: frozenset(np.flatnonzero(s.worlds).tolist()) for name, s in found.items()}

    def names(self) -> list[tuple[str, str]]:
        """The pairs by name."""
        return [(left.name, right.name) for left, right in self.pairs]

    def given(self, priors: Sequence[Mapping[int, Fraction]]) -> Given:
        """The same under these priors only."""
        return Given(self.space, self.plan, self.secrets(), self.names(), priors)

    def steps(self) -> Sequence[tuple[str, Mechanism]]:
        """What each run uses, again and again."""
        return self.named if self.order == "sequence" else [("", self.plan.mechanism)]

    def question(self, mechanism: Mechanism) -> Question:
        """What Pufferfish asks about a mechanism."""
        return pufferfish.question(
            space=self.space, mechanism=mechanism, level=ONE, pairs=self.pairs, priors=self.priors
        )

    def conditions(self) -> Question:
        """What Theorem 5.1 asks at the check's own level."""
        return composition.question(
            space=self.space,
            mechanisms=self.named,
            level=self.check.level(),
            pairs=self.pairs,
            priors=self.priors,
            in_sequence=self.check.options.get("sequence") is not None,
        )


def ends(leakage: Leakage) -> tuple[Fraction, Fraction] | None:
    """The bounds of a smallest level, equal where it is exact; None: infinite."""
    if leakage.exp_epsilon is not None:
        return leakage.exp_epsilon, leakage.exp_epsilon
    return leakage.bounds


def times(left: Leakage, right: Leakage) -> Leakage:
    """The product of two levels."""
    first, second = ends(left), ends(right)
    if first is None or second is None:
        return Leakage()
    return Leakage.within((first[0] * second[0], first[1] * second[1]))


def linear(alone: Sequence[Leakage], runs: int) -> Leakage:
    """The product of what each of so many runs leaks by itself; the steps come again and again."""
    found = Leakage(Fraction(1))
    for step, leakage in enumerate(alone):
        for _ in range(step, runs, len(alone)):
            found = times(found, leakage)
    return found


def compared(row: Row) -> str | None:
    """Whether the leakage is "below", "equal" to or "above" the linear bound; None: too close."""
    found, bound = ends(row.leakage), ends(row.linear)
    if found is None or bound is None:
        return "equal" if found is bound else ("above" if found is None else "below")
    if found[1] < bound[0] or bound[1] < found[0]:
        return "below" if found[1] < bound[0] else "above"
    return "equal" if found == bound and found[0] == found[1] else None
