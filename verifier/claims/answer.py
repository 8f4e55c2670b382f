"""What is said about a claim: the verdict, the level or value that was found, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.level import Leakage, Level
from verifier.claims.certificate import Proof
from verifier.claims.witness import Construction, Witness

Json = dict[str, Any]


@dataclass(frozen=True)
class Quantity:
    """A number that a definition asks for, in the words of that definition.

    value   the number itself
    words   what a report calls it, with {} in the place of the number
    beside  quantities told with it, by name
    remark  what else a reader should know of it

    >>> Quantity(Fraction(3, 2), "smallest loss {}", {"alpha": Fraction(2)}).told
    'smallest loss 3/2, alpha = 2'
    """

    value: Fraction
    words: str
    beside: Mapping[str, Fraction | int] = field(default_factory=dict)
    remark: str = ""

    @property
    def told(self) -> str:
        """All of it as a report says it."""
        beside = "".join(f", {name} = {value}" for name, value in self.beside.items())
        remark = f"; {self.remark}" if self.remark else ""
        return f"{self.words.format(exact.text(self.value))}{beside}{remark}"


@dataclass(frozen=True)
class Answer:
    """An engine's answer, before and after the checker has seen it.

    verdict      "holds", "violated" or "undecided"
    leakage      the smallest level, for definitions that have one
    quantity     the number found, for definitions that ask for one
    witness      only where violated
    made         a mechanism, simulator or mixture, where the claim is about one
    tradeoff     levels and the smallest delta at each, where they were asked for
    proof        what is said in the certificate, and why; None where undecided
    certificate  the document for the checker, once the spine has put the question to the proof
    scope        what was quantified over
    level        that was asked for, with `delta`
    reason       why undecided, or what else the reader should know
    """

    verdict: str
    leakage: Leakage | None = None
    quantity: Quantity | None = None
    witness: Witness | None = None
    made: Construction | None = None
    tradeoff: Sequence[tuple[Fraction, Fraction]] = ()
    proof: Proof | None = None
    certificate: Json | None = None
    scope: Mapping[str, Any] = field(default_factory=dict)
    level: Level | None = None
    delta: Fraction = Fraction(0)
    reason: str | None = None

    @property
    def value(self) -> Fraction | None:
        """The number found, without its words."""
        return None if self.quantity is None else self.quantity.value
