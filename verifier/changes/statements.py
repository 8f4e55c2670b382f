"""What a change of one check brings: its two sides, statements about them, and their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from verifier.base.level import Leakage
from verifier.changes.statuses import worst, worst_first
from verifier.claims.answer import Answer
from verifier.claims.question import Question
from verifier.claims.witness import Witness
from verifier.spec.wishes import Wanted

SHOWN = 8  # names of a list in a line


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One side of a check that is compared.

    name      of the check
    question  that it asks; None where it has none
    reason    why it has none
    answer    that the checker has accepted, or one that is undecided
    expected  what the file expects: `holds`, `violated` or `vacuous`
    wanted    the interval in which the file wants the smallest level; None where it says nothing
    wish      what the file expects for all values of a parameter, as JSON; None where nothing
    vacuous   whether nothing was compared
    content   a digest of the question without its place; equal ones are the same question
    """

    name: str
    question: Question | None
    reason: str = ""
    answer: Answer
    expected: str = "holds"
    wanted: Wanted | None = None
    wish: Mapping[str, Any] | None = None
    vacuous: bool = False
    content: str | None = None


@dataclass(frozen=True)
class Statement:
    """One thing that differs between the two sides.

    status   a word of `statuses`
    about    what it is about, in one word for programs: `level`, `delta`, `worlds`, …
    words    the same for people
    before   its value before the change, where it has one
    after    its value after the change
    names    worlds, pairs or priors that are concerned, the first few
    count    how many they are
    factor   e^ε after the change divided by that before, where both are exact
    epsilon  ε before and after, and the difference, as decimals
    shown    the worst case after the change
    """

    status: str
    about: str
    words: str
    before: str | None = None
    after: str | None = None
    names: tuple[str, ...] = ()
    count: int = 0
    factor: Fraction | None = None
    epsilon: tuple[str, str, str] | None = None
    shown: Witness | None = None

    @property
    def line(self) -> str:
        """The statement in one line."""
        found = f"{self.status}: {self.words}"
        if self.before is not None or self.after is not None:
            found += f": {self.before or 'none'} -> {self.after or 'none'}"
        if self.epsilon:
            found += " (ε {} -> {}, {})".format(*self.epsilon)
        if self.names:
            rest = self.count - len(self.names)
            found += "; namely " if self.before or self.after else ": "
            found += ", ".join(self.names) + (f" and {rest} more" if rest > 0 else "")
        return found


@dataclass(frozen=True)
class Change:
    """All that differs between two sides of a check, the worst first; nothing where they agree."""

    name: str
    statements: tuple[Statement, ...]

    @property
    def status(self) -> str:
        """The worst status of a statement."""
        return worst(one.status for one in self.statements)

    def having(self, status: str) -> Iterator[Statement]:
        """The statements of one `status`."""
        return (statement for statement in self.statements if statement.status == status)


def change(name: str, statements: list[Statement]) -> Change:
    """The change of the check of a `name`, its `statements` put in order."""
    return Change(name, worst_first(statements))


def listing(status: str, about: str, words: str, names: list[str]) -> Statement:
    """A statement about things that have `names`, of which it keeps the first few.

    status, about and words are those of a Statement.
    """
    return Statement(status, about, words, names=tuple(names[:SHOWN]), count=len(names))


def logarithm(value: Fraction | None, signed: bool = False) -> str:
    """ln of a `value`, to six decimals; `infinite` for None. Where `signed`, with its sign."""
    if value is None:
        return "+infinite" if signed else "infinite"
    with localcontext(prec=60):
        found = Decimal(value.numerator).ln() - Decimal(value.denominator).ln()
        return f"{found:+.6f}" if signed else f"{found:.6f}"


def ends(leakage: Leakage) -> tuple[Fraction, Fraction] | None:
    """The least and largest that a smallest level may be; None where it is infinite."""
    if leakage.exp_epsilon is not None:
        return leakage.exp_epsilon, leakage.exp_epsilon
    return leakage.bounds
