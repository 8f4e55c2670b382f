"""What a change of one check brings: statements about what differs, and their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from verifier.changes.statuses import worst, worst_first
from verifier.questions.witness import Witness

SHOWN = 8  # names of a list in a line


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
    def told(self) -> str:
        """All of it but the status, in one line."""
        found = self.words
        if self.before is not None or self.after is not None:
            found += f": {self.before or 'none'} -> {self.after or 'none'}"
        if self.epsilon:
            found += " (ε {} -> {}, {})".format(*self.epsilon)
        if self.names:
            rest = self.count - len(self.names)
            found += "; namely " if self.before or self.after else ": "
            found += ", ".join(self.names) + (f" and {rest} more" if rest > 0 else "")
        return found

    @property
    def line(self) -> str:
        """The statement in one line."""
        return f"{self.status}: {self.told}"


@dataclass(frozen=True)
class Change:
    """All that differs between two sides of a check, the worst first; nothing where they agree."""

    statements: tuple[Statement, ...]

    @property
    def status(self) -> str:
        """The worst status of a statement."""
        return worst(one.status for one in self.statements)

    def having(self, status: str) -> Iterator[Statement]:
        """The statements of one `status`."""
        return (statement for statement in self.statements if statement.status == status)


def change(statements: Iterable[Statement]) -> Change:
    """The change that some `statements` make, put in order."""
    return Change(worst_first(statements))


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
