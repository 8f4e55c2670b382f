"""Assertions about verdicts, and certificates with other parts."""

from copy import deepcopy
from typing import Any

from tests.checker.drafts import Json, check, stated


def rejected(document: Any, *words: str) -> None:
    verdict = check(document)
    assert verdict.outcome == "rejected", verdict
    for word in words:
        assert word in verdict.reason, verdict


def accepted(document: Any) -> None:
    assert check(document).outcome == "accepted", check(document)


def outcome(changed: Json) -> str:
    """The outcome of a certificate whose question was changed, and is stated rightly again."""
    return check(stated(changed)).outcome


def with_parts(document: Json, **parts: Any) -> Json:
    """The same with other parts, each named by its path, with __ between keys."""
    document = deepcopy(document)
    for path, part in parts.items():
        *keys, last = path.split("__")
        inside: Any = document
        for key in keys:
            inside = inside[int(key) if key.isdigit() else key]
        inside[int(last) if last.isdigit() else last] = deepcopy(part)
    return document
