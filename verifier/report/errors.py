"""Errors and notes as objects of JSON, version 1."""

from __future__ import annotations

from typing import Any

from verifier.base.document import Note
from verifier.base.errors import InputError, Place


def error_as_json(error: InputError) -> dict[str, Any]:
    """Where and what an error in a file is, and what to write instead or null."""
    return {**_told(error.code, error.message, error.place), "hint": error.hint or None}


def note_as_json(note: Note) -> dict[str, Any]:
    """Where and what a note on a file is."""
    return _told(note.code, note.message, note.place)


def _told(code: str, message: str, place: Place | None) -> dict[str, Any]:
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "code": code,
        "message": message,
    }
