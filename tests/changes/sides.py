"""Sides of changes, from the text of a file."""

from __future__ import annotations

from pathlib import Path

from verifier import verify
from verifier.changes.statements import Side
from verifier.spec.reading import Asked


def sides_of(folder: Path, text: str) -> list[Side]:
    """One side for each check of a file."""
    path = folder / "spec.yaml"
    path.write_text(text, "utf-8")
    return [side(asked) for asked in verify.load(path).questions]


def side(asked: Asked) -> Side:
    """A check with its answer, which the checker has accepted."""
    assert asked.question is not None
    answer = verify.answer(asked.question)
    return Side(
        name=asked.name,
        question=asked.question,
        answer=answer,
        expected=asked.expected,
        wanted=asked.leakage,
        vacuous=verify.is_vacuous(answer),
    )
