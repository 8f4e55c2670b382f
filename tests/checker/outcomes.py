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


def pairs_of_sets(pairs: Any) -> Json:
    """What is compared of a record: pairs of two lists of values, that others depend on."""
    named = [[str(side) for side in both] for both in pairs]
    sets = {str(side): side for both in pairs for side in both}
    return {"rule": "secrets", "secrets": sets, "pairs": named, "priors": {"class": "network"}}


def of_network(parts: Any, chosen: list[int], priors: Any, **more: Any) -> Json:
    """The relation of records which depend on each other, of parts as `pairs_of_sets` has them."""
    said = {"rule": "network", "limit": "1", "per_unit": False, "hidden": 0, **more}
    return {
        **said,
        "parts": list(map(pairs_of_sets, parts)),
        "chosen": chosen,
        "priors": priors,
    }
