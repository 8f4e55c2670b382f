"""Assertions about verdicts."""

from typing import Any

from tests.checker.drafts import check


def rejected(document: Any, *words: str) -> None:
    verdict = check(document)
    assert verdict.outcome == "rejected", verdict
    for word in words:
        assert word in verdict.reason, verdict


def accepted(document: Any) -> None:
    assert check(document).outcome == "accepted", check(document)
