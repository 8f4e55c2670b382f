"""The words of the format: what each one means, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc

from verifier.base.error_examples import EXAMPLES
from verifier.base.errors import CODES
from verifier.base.notes import NOTES
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS
from verifier.beliefs import prior

TOLD = {**CODES, **NOTES}  # the codes of errors and of notes


ROOMS = (DEFINITIONS, MECHANISMS, PRIORS)


def explained(subject: str) -> str | None:
    """What an error code or a keyword means; None for any other word."""
    if subject in TOLD:
        return "\n".join([f"{subject}: {TOLD[subject]}", *EXAMPLES[subject].lines()])
    for room in ROOMS:
        if subject in room.keywords():
            module = room.module(subject)
            options = getattr(module.read, "__doc__", "") if room is MECHANISMS else ""
            return f"{subject}\n\n{module.__doc__}\n{cleandoc(options or '')}".rstrip()
    return None


def known() -> list[str]:
    """Everything that can be explained."""
    words = [word for room in ROOMS for word in room.keywords()]
    return [*TOLD, *words]


def listed() -> dict[str, Sequence[str]]:
    """What a spec file can be made of, by kind."""
    return {
        "definitions": DEFINITIONS.keywords(),
        "mechanisms": MECHANISMS.keywords(),
        "classes of priors": PRIORS.keywords(),
        "single priors": ["uniform", *prior.KINDS],
    }
