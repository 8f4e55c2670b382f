"""What influence curves say, and what they promise about runs of mechanisms: the nouns.

Levels are α = e^ε >= 1, None where infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from verifier.base.nouns import Shown, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Value = Fraction | None  # None: infinite


@dataclass(frozen=True)
class Point:
    """The curve at one number b of hidden entries.

    entries  b
    exp_a    e^a(b)
    pair     of secrets that needs it
    hidden   the entries to hide for this pair
    choices  for every ordered pair the numbers of the entries to hide; None if e^a(b) is infinite
    """

    entries: int
    exp_a: Value
    pair: tuple[str, ...]
    hidden: tuple[str, ...]
    choices: tuple[tuple[int, ...], ...] | None


@dataclass(frozen=True)
class Promise:
    """What the curve at b = `entries` promises about some runs: α^(kb)·e^a(b), and β^k·e^a(b) with
    the factor β, which is infinite where e^a(b) is."""

    entries: int
    factor: Value
    by_alpha: Value
    by_factor: Value


@dataclass(frozen=True)
class Runs:
    """What so many runs leak (unless there are too many outputs to say), and all promises."""

    runs: int
    found: bool
    leakage: Value
    promises: tuple[Promise, ...]

    @property
    def best(self) -> Promise:
        """The smallest promise by β."""
        return min(self.promises, key=lambda promise: order(promise.by_factor))

    @property
    def best_by_alpha(self) -> Promise:
        """The smallest promise by α."""
        return min(self.promises, key=lambda promise: order(promise.by_alpha))


@dataclass(frozen=True)
class About:
    """A mechanism: its level for one entry, and whether no two worlds differ in one entry."""

    name: str | None
    alpha: Value
    vacuous: bool
    runs: tuple[Runs, ...]


@dataclass(frozen=True)
class Budget:
    """A level α of differential privacy for one entry that keeps a level E of Pufferfish.

    The curve at b = `entries` says that α^b·e^a(b) <= E is enough. So α is the b-th root of
    `power`, which is E/e^a(b).
    """

    entries: int
    power: Fraction

    def allows_more(self, other: Budget) -> bool:
        """Whether its level is above that of another one."""
        return bool(self.power**other.entries > other.power**self.entries)


@dataclass(frozen=True)
class Wanted:
    """A level of Pufferfish that is to be kept, and which levels for one entry keep it.

    level    of Pufferfish, e^ε
    budgets  of every b >= 1 with e^a(b) <= level; for all entries there is one
    """

    level: Fraction
    budgets: tuple[Budget, ...]

    @property
    def best(self) -> Budget:
        """The largest level for one entry (the paper's Algorithms 1 and 2 take the smallest)."""
        best, *others = self.budgets
        for other in others:
            best = other if other.allows_more(best) else best
        return best


@dataclass(frozen=True)
class Setting(Shown):
    """Pairs and priors, the first check that asks about them, and all there is to say."""

    check: str
    pairs: tuple[tuple[str, str], ...]
    priors: str
    curve: tuple[Point, ...]
    about: tuple[About, ...]
    wanted: Wanted | None = None

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve on given axes, or on the current ones of pyplot, and return them."""
        return plot(self, ax)


@dataclass(frozen=True)
class Undecided:
    """A check about which nothing was found, and why."""

    check: str
    reason: str


def wanted(level: Fraction, curve: tuple[Point, ...]) -> Wanted:
    """What a curve allows mechanisms that are to keep a level of Pufferfish.

    Composition paper, Theorem 6.1 and Appendix B; one budget holds of all its entries at least.

    level  e^ε, one or more
    curve  its points from b = 0 on
    """
    kept = [(point.entries, point.exp_a) for point in curve]
    budgets = [Budget(b, level / exp_a) for b, exp_a in kept if b and exp_a and exp_a <= level]
    return Wanted(level, tuple(budgets))


def order(value: Value) -> tuple[bool, Fraction]:
    """A key that puts the infinite last."""
    return value is None, value or Fraction(0)


def times(left: Value, right: Value) -> Value:
    """The product of two levels."""
    return None if left is None or right is None else left * right


def power(value: Value, exponent: int) -> Value:
    """A power of a level; the zeroth is 1."""
    if exponent == 0:
        return Fraction(1)
    return None if value is None else value**exponent
