"""No evidence that was emptied, repeated or exchanged has a false claim accepted; and nothing that
stands in a certificate is left unread."""

import json
from typing import Any

import pytest

from tests.checker.forgeries import (
    all_emptied,
    campaign,
    false_answers,
    forged,
    originals,
    with_garbage,
)
from verifier.checker import KINDS, check

SIZE = 4000  # characters of certificates all parts of which are tried


def test_the_originals_are_accepted_and_of_all_kinds() -> None:
    for document in originals():
        assert check(document).outcome == "accepted", document["claim"]
    kinds = {(document["claim"]["kind"], document["claim"]["verdict"]) for document in originals()}
    assert {kind for kind, _ in kinds} == set(KINDS)
    both = {kind for kind, verdict in kinds if verdict == "violated"}
    assert both == set(KINDS) - {"program", "runs"}


def test_drawn_forgeries() -> None:
    report = campaign(4000, seed=1)
    assert report.tried == 4000
    assert report.accepted == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_emptied_evidence(kind: str) -> None:
    """Of the smallest certificate of each verdict, against two false answers."""
    for document in smallest(kind):
        for answer in false_answers(document)[:2]:
            for witness in list(all_emptied(document))[:400]:
                assert check(forged(document, answer, witness)).outcome != "accepted", witness


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_is_left_unread(kind: str) -> None:
    for document in smallest(kind):
        for path, changed in with_garbage(document):
            assert check(changed).outcome != "accepted", path


def smallest(kind: str) -> list[Any]:
    """The smallest certificate of each verdict."""
    found: dict[str, Any] = {}
    for document in sorted(originals(), key=lambda each: len(json.dumps(each))):
        if document["claim"]["kind"] == kind:
            found.setdefault(document["claim"]["verdict"], document)
    return list(found.values())
