"""No evidence that was emptied, repeated, swapped or multiplied has an answer accepted that
contradicts an accepted one; and nothing that stands in a certificate is left unread."""

import json
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import KINDS, check
from tests.checker.forgeries import (
    all_emptied,
    by_kind,
    campaign,
    false_answers,
    forged,
    originals,
    with_garbage,
)
from tests.drawing import wider

DRAWN, MOST = wider((1000, 100), (2500, 600))


def test_the_originals_are_accepted_and_of_all_kinds() -> None:
    for document in originals():
        assert check(document).outcome == "accepted", document["claim"]
    kinds = {(document["claim"]["kind"], document["claim"]["verdict"]) for document in originals()}
    assert {kind for kind, _ in kinds} == set(KINDS)
    both = {kind for kind, verdict in kinds if verdict == "violated"}
    assert both == set(KINDS) - {"program", "runs"}


def test_drawn_forgeries() -> None:
    report = campaign(DRAWN, seed=1)
    assert report.tried == DRAWN
    assert report.accepted == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_emptied_evidence(kind: str) -> None:
    """Of the smallest certificate of each verdict, with every false answer; if these are too many,
    some of them."""
    for document in smallest(kind):
        tried = list(product(false_answers(document), all_emptied(document)))
        for answer, witness in Random(0).sample(tried, min(len(tried), MOST)):
            assert check(forged(document, answer, witness)).outcome != "accepted", witness


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_is_left_unread(kind: str) -> None:
    for document in smallest(kind):
        for path, changed in with_garbage(document):
            assert check(changed).outcome != "accepted", path


def smallest(kind: str) -> list[Any]:
    """The smallest certificate of each verdict."""
    found: dict[str, Any] = {}
    for document in sorted(by_kind()[kind], key=lambda each: len(json.dumps(each))):
        found.setdefault(document["claim"]["verdict"], document)
    return list(found.values())
