"""Errors and notes as objects of JSON, version 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from verifier.base.document import Note
from verifier.base.errors import InputError, Place
from verifier.base.escape import escaped

FEW = 3  # choices of parameters that an error names
Json = dict[str, Any]


def error_as_json(error: InputError) -> Json:
    """Where and what an error in a file is, and what to write instead or null."""
    return {**_told(error.code, error.message, error.place), "hint": error.hint or None}


def together(events: Iterable[Json], choices: int) -> Json:
    """The errors of several choices of parameters, each told once, with the choices that it is of.

    events   for each choice its errors as text, `error`, and as `json`, and it in words, its `note`
    choices  how many there are; an error of all of them is about none
    """
    known = dict[tuple[object, ...], tuple[str, Json, dict[str, None]]]()
    for event in events:
        for text, error in zip(event["error"], event["json"], strict=True):
            notes = known.setdefault(tuple(error.values()), (text, error, {}))[2]
            notes[event["note"]] = None
    found: Json = {"error": [], "json": []}
    for text, error, notes in known.values():
        said = "" if len(notes) == choices > 1 else f", for {_few(list(notes))}"
        first, *others = text.split("\n")
        found["error"].append("\n".join([first + escaped(said), *others]))
        found["json"].append({**error, "message": error["message"] + said})
    return found


def _few(notes: Sequence[str]) -> str:
    """Choices of parameters; of many the first few."""
    few, more = notes[:FEW], len(notes) - FEW
    return "; ".join([*few, f"and {more} more"] if more > 0 else few)


def note_as_json(note: Note) -> Json:
    """Where and what a note on a file is."""
    return _told(note.code, note.message, note.place)


def _told(code: str, message: str, place: Place | None) -> Json:
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "code": code,
        "message": message,
    }
