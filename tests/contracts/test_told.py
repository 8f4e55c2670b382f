"""What is told of an answer follows from its question and its certificate, for every engine."""

from __future__ import annotations

from fractions import Fraction as F
from importlib import import_module
from pathlib import Path

import pytest

from tests.checker.drafts import kind_of
from tests.models.model_files import MODELS, asked, decided, files, some_files
from tests.retold import is_retold
from verifier.base import registry
from verifier.base.level import Leakage
from verifier.questions import claim
from verifier.questions.claim import Claim, DomainClaim, PriorsClaim
from verifier.questions.simulation import InferenceClaim
from verifier.questions.witness import EventWitness, OutputWitness

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
    shared = {DomainClaim, PriorsClaim}
    found = {one for base in (Claim, *shared) for one in base.__subclasses__()} - shared
    assert len(found) > 25
    for one in {*found, InferenceClaim}:
        assert one.section is not Claim.section, one
        assert hasattr(one, "proves"), one
        assert {"decide", "told"} <= vars(registry.ENGINES.module(one.engine)).keys(), one
        if one.on_cell is not None:
            assert "prove" in vars(registry.ENGINES.module(one.on_cell)), one


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_example_attains_the_level(folder: str) -> None:
    """An output has the smallest level as its ratio, and an event misses it by delta; held or not.
    A metric asks for a root of the ratio."""
    for file in files(folder):
        for result in decided(f"{folder}/{file}"):
            answer, shown = result.answer, result.answer.shown
            leakage = answer.leakage
            if leakage is None or leakage.bounds or not leakage.attained:
                continue
            level = leakage.exp_epsilon
            if isinstance(shown, OutputWitness) and result.definition != "metric_privacy":
                assert shown.ratio == level, result
            if isinstance(shown, EventWitness):
                p, q = shown.probabilities
                assert p - answer.delta == level * q if level else p > answer.delta and not q


@pytest.mark.parametrize("folder", FOLDERS)
def test_comparisons_that_hold_have_an_example(folder: str) -> None:
    for file in files(folder):
        for result in decided(f"{folder}/{file}"):
            certificate = result.answer.certificate
            kind = certificate and kind_of(certificate)
            if kind in ("comparison", "sensitivity") and result.leakage != Leakage(F(1)):
                assert result.answer.shown or result.vacuous or result.answer.value == 0, result
