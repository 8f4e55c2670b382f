"""The questions of a plain spec file, read by docs/reference alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.second_reader import secrets, spaces
from tests.second_reader.definitions import BESIDE, read
from tests.second_reader.files import File, Question
from tests.second_reader.values import CannotRead


def questions(path: Path) -> Iterator[Question | CannotRead]:
    """One question for each check, or why it could not be read."""
    node = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    try:
        file = opened(node, path.parent)
    except CannotRead as reason:
        yield from [reason] * len(node["checks"])
        return
    for item in node["checks"]:
        try:
            yield question(item, file)
        except CannotRead as reason:
            yield reason


def opened(node: dict[str, Any], folder: Path) -> File:
    space = spaces.read(node["worlds"])
    return File(node, space, secrets.named(node.get("secrets", {}), space), folder)


def question(item: dict[str, Any], file: File) -> Question:
    """The question of one check."""
    known = {"name", "expect", "leakage", *BESIDE}
    ((definition, inside),) = ((k, v) for k, v in item.items() if k not in known)
    return read(definition, inside, {key: item[key] for key in BESIDE if key in item}, file)
