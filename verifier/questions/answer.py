"""What is said about a claim: the verdict, the level or value that was found, and why.

The last part writes it as JSON, for certificates. Their format is described in
docs/certificate.md; `verifier.checker` reads it and shares no code with this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.base.level import Leakage, Level
from verifier.base.nouns import Later, Shown, dataclass
from verifier.questions.evidence import Evidence, Said, SaidLevel
from verifier.questions.witness import Construction, Witness
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from verifier.questions.curve import Curve

Json = dict[str, Any]
# whatever reading a proof that no engine has written may raise
MALFORMED = (
    *(ValueError, TypeError, LookupError, ArithmeticError, AssertionError, RecursionError),
    *(StopIteration, InputError),
)


@dataclass(frozen=True, eq=False)
class Proof(Later):
    """What an engine says to a question, and why.

    said       verdict, leakage, value, …
    witness    the evidence; None where there is nothing to prove
    mechanism  that the evidence is about, where the question has none
    """

    said: Said
    witness: Evidence | None
    mechanism: Mechanism | None = None


class NotRead(ValueError):
    """What no engine has written as the proof of an answer to this claim, though it may be one."""


@dataclass(frozen=True)
class Quantity(Later):
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
class Answer(Shown, Later):
    """An engine's answer, before and after the checker has seen it.

    verdict      "holds", "violated" or "undecided"
    leakage      the smallest level, for definitions that have one
    quantity     the number found, for definitions that ask for one
    shown        the tight example: where the smallest level, or the number, is attained; where
                 violated, what exceeds the level asked for; None where nothing does
    made         a mechanism, simulator or mixture, where the claim is about one
    tradeoff     levels and the smallest delta at each, where they were asked for
    proof        what is said in the certificate, and why; None where undecided
    certificate  the document for the checker, once the spine has put the question to the proof
    scope        what was quantified over
    level        that was asked for, with `delta`
    reason       why undecided, or what else the reader should know
    curve        the smallest level and where the check holds as functions of a parameter; None
                 where there is none
    boxes        values of several parameters for which it is undecided: ends as text, by name
    """

    verdict: str
    leakage: Leakage | None = None
    quantity: Quantity | None = None
    shown: Witness | None = None
    made: Construction | None = None
    tradeoff: Sequence[tuple[Fraction, Fraction]] = ()
    proof: Proof | None = None
    certificate: Json | None = None
    scope: Mapping[str, Any] = field(default_factory=dict)
    level: Level | None = None
    delta: Fraction = Fraction(0)
    reason: str | None = None
    curve: Curve | None = None
    boxes: Sequence[Mapping[str, Sequence[str]]] = ()

    @property
    def value(self) -> Fraction | None:
        """The number found, without its words."""
        return None if self.quantity is None else self.quantity.value

    @property
    def evidence(self) -> Evidence | None:
        """What proves it to the checker."""
        return None if self.proof is None else self.proof.witness

    @property
    def witness(self) -> Witness | None:
        """What shows that the claim is false; only where violated."""
        return self.shown if self.verdict == "violated" else None


class Leveled(Protocol):
    """A claim about a level."""

    @property
    def level(self) -> Level:
        """The level that is asked for."""
        ...

    @property
    def delta(self) -> Fraction:
        """By how much it may be missed."""
        ...

    @property
    def scope(self) -> Mapping[str, Any]:
        """What is quantified over."""
        ...


def proved(
    holds: bool,
    leakage: Leakage | None,
    evidence: Evidence | None,
    tradeoff: Sequence[tuple[Fraction, Fraction]] = (),
    mechanism: Mechanism | None = None,
) -> Proof:
    """The proof of an answer to a claim about a level.

    Example. For the mechanism that tells a bit with probability 3/4, the engine of comparisons
    finds the smallest level 3, by the output 0 of the world 0; asked for e^ε = 4, the answer is
    *holds*, and this one comparison proves it: the checker looks at all others itself.

    holds      whether the claim is true
    leakage    the smallest level; None where it was not found
    evidence   for the checker
    tradeoff   levels, and the smallest delta at each
    mechanism  that is part of the evidence
    """
    said = SaidLevel("holds" if holds else "violated", leakage, tradeoff or None)
    return Proof(said, evidence, mechanism)


def sizes(space: WorldSpace, mechanism: Mechanism) -> dict[str, Any]:
    """The numbers of worlds and of outputs, for the scope of an answer."""
    return {"worlds": space.size, "outputs": len(mechanism.outputs)}


def leveled(claim: Leveled, proof: Proof, counts: Mapping[str, Any]) -> Answer:
    """What a proof says in answer to a claim about a level, without an example.

    claim   that was asked
    proof   which says a `SaidLevel`
    counts  what the scope counts, such as `sizes`
    """
    said = proof.said
    assert isinstance(said, SaidLevel)
    return Answer(
        said.verdict,
        said.leakage,
        proof=proof,
        scope={**counts, **claim.scope},
        level=claim.level,
        delta=claim.delta,
        tradeoff=said.tradeoff or (),
    )


def answer_section(said: Said) -> dict[str, Any]:
    """The answer section of a certificate from what is `said`, every rational as text."""
    return {
        key: exact.text(part) if isinstance(part, Fraction) else part
        for key, part in _object(said).items()
    }


def written(found: object) -> Any:
    """What was `found`, evidence or a part of it, as JSON; a rational stays what it is, and becomes
    text with the whole document.

    >>> from verifier.questions.evidence import ComparisonEvidence
    >>> written(ComparisonEvidence(pair=(0, 1), output=0))
    {'pair': [0, 1], 'output': 0}
    """
    if isinstance(found, str | int | Fraction | None):
        return found
    if isinstance(found, Sequence):
        return [written(part) for part in found]
    if isinstance(found, Mapping):
        return {str(key): written(part) for key, part in found.items()}
    return found.claim() if isinstance(found, Leakage) else _object(found)


def _object(found: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for each in fields(found):
        part = getattr(found, each.name)
        if part is None and "absent" in each.metadata:
            continue
        if "inline" in each.metadata:
            told |= written(part)
        else:
            told[each.name] = _texts(part) if "numbers" in each.metadata else written(part)
    return told


def _texts(found: Any) -> Any:
    """The same with all numbers as text."""
    if isinstance(found, Mapping):
        return {str(key): _texts(part) for key, part in found.items()}
    if isinstance(found, int | Fraction):
        return exact.text(found)
    return found if isinstance(found, str | None) else [_texts(part) for part in found]


def write(certificate: Json) -> str:
    """The certificate as JSON text, every rational as text."""
    return json.dumps(certificate, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"
