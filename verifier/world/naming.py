"""Names of worlds, records and attributes, and values of records: what is wrong with them."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from verifier.base.document import Scalar
from verifier.base.errors import InputError
from verifier.world.language.reader import Scope
from verifier.world.space import WorldSpace, show


def check_name(name: Scalar, what: str, space: WorldSpace, secrets: Collection[str] = ()) -> None:
    """Refuse (S203) a name that expressions could not use, S202 one that is already taken."""
    text = name.text
    if not text.isidentifier() or unicodedata.normalize("NFKC", text) != text:
        said = f"the {what} name '{text}' is no plain word (letters, digits, _)"
        raise name.fail("S203", said, _plain_word(text, what))
    if keyword.iskeyword(text):
        said = f"'{text}' is a word of the language and cannot be a name"
        raise name.fail("S203", said, f"write {text}_")
    owner = Scope(space, dict.fromkeys(secrets, np.zeros(0))).owner(text)
    if owner == "a word of the language":
        said = f"'{text}' is a word of the language and cannot be a name"
        raise name.fail("S203", said, f"write {text}_")
    if owner:
        said = f"the {what} name '{text}' is already the name of {owner}"
        raise name.fail("S202", said, f"write another name, such as {text}_2")


def _plain_word(text: str, what: str) -> str:
    """The hint how a name is written as a plain word."""
    word = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", text[:60])).strip("_")
    word = f"{what[0]}{word}" if word[:1].isdigit() else word
    return f"write {word}" if word.isidentifier() else f"write a word such as {what}_1"


Problem = tuple[int, str, str]  # which item, code, message


def problem_with_names(names: Sequence[str]) -> Problem | None:
    """What is wrong with the names of a list of worlds."""
    if not names:
        return 0, "S201", "the list of worlds is empty"
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name.strip() or name != name.strip() or "\n" in name:
            return i, "S203", "a world's name is not empty and has no blanks around it"
        if name in ("world", "outputs", "True", "False", "None"):
            return i, "S203", f"'{name}' is reserved and cannot name a world"
        if name in seen:
            return i, "S202", f"the world '{name}' is listed twice"
        seen.add(name)
    return None


def problem_with_values(values: Sequence[Any]) -> Problem | None:
    """What is wrong with the values of a domain."""
    if not values:
        return 0, "S204", "the domain is empty"
    seen: set[Any] = set()
    for i, value in enumerate(values):
        text = show(value)
        if not text.strip() or text != text.strip():
            return i, "S204", "a value is not empty and has no blanks around it"
        if any(sign in text for sign in "(),⊥\n") or isinstance(value, tuple):
            return i, "S204", f"the value '{text}' contains one of ( ) , ⊥, which names use"
        if value in seen:
            return i, "S202", f"the value '{text}' is listed twice"
        seen.add(value)
    return None


def check_texts(values: Sequence[Any], attributes: tuple[str, ...]) -> None:
    """Attribute values are joined by `/` in names: refuse values for which that is ambiguous."""
    if len(attributes) < 2 or not any("/" in show(part) for value in values for part in value):
        return
    seen: dict[str, Any] = {}
    for value in values:
        text = "/".join(map(show, value))
        if text in seen:
            raise InputError(
                "S204", f"the records {show(seen[text])} and {show(value)} would both be '{text}'"
            )
        seen[text] = value
