"""What every claim says of itself: the engine that decides it, and how its certificate is written.

A new kind of claim is a class on `Claim`: nothing else lists the classes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from verifier.base import exact
from verifier.base.nouns import Later
from verifier.questions.answer import Json
from verifier.questions.evidence import Said, SaidLevel
from verifier.questions.model import Model

Parts = tuple[Json, Model]  # of a question section: relation, level and others; and the model


class Claim(Later):
    """What a check asks; a definition compiles a check to a claim.

    engine   the module of `verifier.engines` that decides it
    on_cell  the one that does where its numbers are functions of parameters; None where none does
    rule     of the checker, by which evidence proves an answer
    said     the class of what is said in answer
    proves   the classes of evidence for it, as an annotation

    Every class has fields `definition`, the keyword of the file, and `space`, the worlds.
    """

    engine: ClassVar[str]
    on_cell: ClassVar[str | None] = None
    rule: ClassVar[str] = "inequality"
    said: ClassVar[type[Said]] = SaidLevel
    proves: ClassVar[Any]

    def section(self) -> Parts:
        """What it asks as JSON: the question section of a certificate, and the model in it."""
        raise NotImplementedError

    def proved_by(self) -> str:
        """The rule by which evidence proves an answer, on all cells of a domain."""
        return self.rule


class DomainClaim(Claim):
    """A claim about all values of real parameters; `domain` says which, and `parts` are its
    cells."""


def level_json(claim: Any) -> Json:
    """The level of a `claim`, and its delta, as JSON."""
    return {**claim.level.as_json(), "delta": exact.text(claim.delta)}


def bound_json(claim: Any) -> Json:
    """What the value that a `claim` asks for is to be, as JSON."""
    if claim.at_most is not None:
        return {"at_most": exact.text(claim.at_most)}
    return {"equals": None if claim.equals is None else exact.text(claim.equals)}
