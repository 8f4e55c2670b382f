"""What is told of an answer follows from its question and its certificate, for every engine."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from tests.checker.drafts import kind_of
from tests.models.model_files import MODELS, asked, decided, files, some_files
from tests.retold import is_retold
from verifier.base.level import Leakage
from verifier.claims.reading import SAID
from verifier.claims.witness import EventWitness, OutputWitness
from verifier.verify import ENGINES

FOLDERS = sorted(path.name for path in MODELS.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS)
def test_models_are_told_from_their_certificates(folder: str) -> None:
    for file in some_files(folder):
        name = f"{folder}/{file}"
        for one, result in zip(asked(name), decided(name), strict=True):
            assert one.question is not None
            is_retold(one.question, result.answer)


def test_every_claim_has_its_evidence() -> None:
    assert SAID.keys() == ENGINES.keys()


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
