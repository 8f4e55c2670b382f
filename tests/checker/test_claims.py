"""Altered certificates: what is accepted is true, as the definitions say when evaluated plainly."""

import json
from pathlib import Path

import pytest

from tests.drawing import wider
from tests.harden.claims import REGRESSIONS, bases, campaign, judged
from tests.harden.envelope import Parts, closed
from tests.harden.oracle import JUDGES, is_true
from verifier.checker import check

KEPT = sorted(REGRESSIONS.glob("*.json"))


def test_there_are_certificates_of_every_kind() -> None:
    assert bases().keys() == JUDGES.keys()


@pytest.mark.parametrize("kind", sorted(JUDGES))
def test_the_certificates_are_accepted(kind: str) -> None:
    assert {check(closed(parts)).outcome for parts in bases()[kind]} == {"accepted"}


@pytest.mark.oracle
@pytest.mark.parametrize("kind", sorted(JUDGES))
def test_the_oracle_agrees_with_what_is_accepted(kind: str) -> None:
    parts = bases()[kind][:: wider(2, 1)]
    assert all(is_true(p.claim, p.model, p.relation) for p in parts)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", sorted(JUDGES))
def test_no_altered_certificate_proves_what_is_false(kind: str) -> None:
    campaign(10, 1, [kind])


@pytest.mark.oracle
@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_what_was_accepted_once_though_false(path: Path) -> None:
    assert judged(Parts(*json.loads(path.read_text())), {}) != "false"
