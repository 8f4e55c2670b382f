"""Lines for tests: a plain one, and others that differ from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verifier.changes.lines import Line

PLAIN = Line(
    file="a.yaml",
    name=None,
    definition="blowfish",
    mechanism=None,
    level={"exp_epsilon": "4", "delta": "0"},
    leakage={"exp_epsilon": "3", "attained": True},
    verdict="holds",
    expected="holds",
    asserted=None,
    digest="sha256:" + "1" * 64,
    promise="sha256:" + "9" * 64,
    asks={"mechanism": "1" * 16, "options": {}, "items": {}, "rest": "9" * 16},
)


def line(digest: int = 2, **parts: Any) -> Line:
    """The plain line with other parts; its mechanism is another one unless `digest` is 1."""
    of = {"mechanism": str(digest) * 16}
    return replace(
        PLAIN, digest="sha256:" + str(digest) * 64, **{"asks": {**PLAIN.asks, **of}, **parts}
    )
