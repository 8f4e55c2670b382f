"""The words of the format: what each one means, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc

from verifier import definitions, mechanisms, prior, priors
from verifier.error_examples import EXAMPLES
from verifier.errors import CODES
from verifier.notes import NOTES

TOLD = {**CODES, **NOTES}  # the codes of errors and of notes


def _rooms() -> dict[str, list[str]]:
    return {
        "definitions": definitions.keywords(),
        "mechanisms": mechanisms.keywords(),
        "priors": priors.keywords(),
    }


def explained(subject: str) -> str | None:
    """What an error code or a keyword means; None for any other word."""
    if subject in TOLD:
        return "\n".join([f"{subject}: {TOLD[subject]}", *EXAMPLES[subject].lines()])
    for room, words in _rooms().items():
        if subject in words:
            module = import_module(f"verifier.{room}.{subject}")
            options = getattr(module.read, "__doc__", "") if room == "mechanisms" else ""
            return f"{subject}\n\n{module.__doc__}\n{cleandoc(options or '')}".rstrip()
    return None


def known() -> list[str]:
    """Everything that can be explained."""
    words = [word for words in _rooms().values() for word in words]
    return [*TOLD, *words]


def listed() -> dict[str, Sequence[str]]:
    """What a spec file can be made of, by kind."""
    return {
        "definitions": definitions.keywords(),
        "mechanisms": mechanisms.keywords(),
        "classes of priors": priors.keywords(),
        "single priors": ["uniform", *prior.KINDS],
    }
