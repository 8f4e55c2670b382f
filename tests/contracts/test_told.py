"""What is told of an answer follows from its question and its certificate, for every engine."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.models.model_files import MODELS, asked, decided, some_files
from tests.retold import is_retold
from verifier.base import registry
from verifier.questions import claim
from verifier.questions.claim import Claim, DomainClaim, PriorsClaim
from verifier.questions.rows import LeastLossClaim
from verifier.questions.simulation import InferenceClaim

FOLDERS = sorted(path.name for path in MODELS.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS)
def test_models_are_told_from_their_certificates(folder: str) -> None:
    for file in some_files(folder):
        name = f"{folder}/{file}"
        for one, result in zip(asked(name), decided(name), strict=True):
            assert one.question is not None
            is_retold(one.question, result.answer)


def test_every_claim_says_all_of_itself() -> None:
    """An engine that decides, proves and tells it, its evidence, and how it is written."""
    for path in Path(claim.__file__).parent.glob("*.py"):
        import_module(f"verifier.questions.{path.stem}")
    shared = {DomainClaim, LeastLossClaim, PriorsClaim}
    found = {one for base in (Claim, *shared) for one in base.__subclasses__()} - shared
    assert len(found) > 25
    for one in {*found, InferenceClaim}:
        assert one.section is not Claim.section, one
        assert hasattr(one, "proves"), one
        assert {"decide", "told"} <= vars(registry.ENGINES.module(one.engine)).keys(), one
        if one.on_cell is not None:
            assert "prove" in vars(registry.ENGINES.module(one.on_cell)), one
