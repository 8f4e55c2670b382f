"""Certificates of format 2 are converted, or it is said why not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.checker.drafts import digest_of, of_format_2
from tests.pages import examples
from verifier import checker
from verifier.run.earlier import NotConverted, converted

EXAMPLES = examples()
REGION = of_format_2(EXAMPLES["region"])


def test_examples_there_and_back() -> None:
    assert len(EXAMPLES) > 10
    for note, example in EXAMPLES.items():
        assert converted(of_format_2(example)) == example, note


def test_a_wrong_digest_stays_wrong() -> None:
    forged = {**REGION, "digest": digest_of({})}
    assert checker.check(converted(REGION)).outcome == "accepted"
    assert checker.check(converted(forged)).outcome == "rejected"


@pytest.mark.parametrize(
    "change",
    [
        lambda piece: piece.update({"from": piece["to"], "to": piece["from"]}),
        lambda piece: piece.update(to={"rational": "-1", "closed": True}),
        lambda piece: piece.pop("to"),
    ],
)
def test_ends_in_a_wrong_order(change: Any) -> None:
    document = deepcopy(REGION)
    change(document["answer"]["pieces"][0])
    with pytest.raises(NotConverted):
        converted(document)
