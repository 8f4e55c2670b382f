"""Every model, twice besides: a second reader finds its questions in its file, and the oracle of
claims finds true what its certificates say. Neither shares code with engine and checker. What is
reported is, word for word, what was, and can be read again in every format.

What is expected stands in the files, from the papers or by hand. In `left.txt` are what the reader
cannot read or is slow to, and what the oracle tells not at all or not soon, which the profile
`thorough` asks and the campaign `draws`; tests beside this file derive such numbers, those with
powers of e in decimals and by quadrature.
"""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.checker.drafts import kind_of
from tests.drawing import wider
from tests.golden.reports import frozen_part, report, unreadable
from tests.harden.envelope import opened
from tests.harden.oracle import is_true
from tests.harden.substitution import TINY, different
from tests.models.model_files import MODELS, decided, decided_with
from tests.oracles import NotInstalled
from tests.second_reader.certificates import differences
from tests.second_reader.questions import questions
from tests.second_reader.values import CannotRead
from verifier.base.level import Leakage
from verifier.kernels.roots import enclosed
from verifier.questions.answer import write
from verifier.questions.curve import Curve
from verifier.questions.witness import EventWitness, OutputWitness
from verifier.run import verify
from verifier.run.verify import Result

FILES = [f"{path.parent.name}/{path.name}" for path in sorted(MODELS.glob("*/*.yaml"))]
OF_VALUES = [f for f in FILES if "\nparameters:" in (MODELS / f).read_text(encoding="utf-8")]
PLAIN = [file for file in FILES if file not in OF_VALUES]
LISTED = Path(__file__).with_name("left.txt").read_text(encoding="utf-8").splitlines()
LEFT = [line.split() for line in LISTED]


def left(why: str) -> dict[str, set[int]]:
    """File -> the checks of it that are left open for a reason; none are named where all are."""
    found = [line[1:] for line in LEFT if line[:1] == [why]]
    return {file: {int(n) for n in ",".join(checks).split(",") if n} for file, *checks in found}


UNREAD, UNTOLD, LONG = left("unread"), left("untold"), wider(left("long"), {})
READ = [file for file in PLAIN if file not in wider(left("slow"), {})]


@pytest.mark.parametrize("file", FILES)
def test_answers_are_as_expected_and_true(file: str) -> None:
    untold = UNTOLD.get(file, set()) | LONG.get(file, set())
    for place, result in enumerate(decided(file)):
        assert result.status == "ok" and not result.notes, (place, result.mismatch)
        has_example(result)
        certificate = result.answer.certificate
        if certificate is None or place in untold:
            continue
        parts = opened(json.loads(write(certificate)))
        with suppress(NotInstalled):  # `make oracle` installs what some claims need
            assert is_true(parts.claim, parts.model, parts.relation) is True, place
    assert report(file) == frozen_part(file), "make golden writes the frozen report anew"
    assert not unreadable(file)


def has_example(result: Result) -> None:
    """An output has the smallest level as its ratio, and an event misses it by delta; held or not.
    A metric asks for a root of the ratio."""
    answer, shown, leakage = result.answer, result.answer.shown, result.answer.leakage
    kind = answer.certificate and kind_of(answer.certificate)
    if kind in ("comparison", "sensitivity") and result.leakage != Leakage(Fraction(1)):
        assert shown or result.vacuous or answer.value == 0, result
    if leakage is None or leakage.bounds or not leakage.attained:
        return
    level = leakage.exp_epsilon
    if isinstance(shown, OutputWitness) and result.definition != "metric_privacy":
        assert shown.ratio == level, result
    if isinstance(shown, EventWitness):
        p, q = shown.probabilities
        assert p - answer.delta == level * q if level else p > answer.delta and not q, result


@pytest.mark.parametrize("file", READ)
def test_questions_are_those_of_the_file(file: str) -> None:
    found = list(questions(MODELS / file))
    unread = [isinstance(mine, CannotRead) for mine in found]
    assert any(unread) == (file in UNREAD)
    for mine, result in zip(found, () if all(unread) else decided(file), strict=not all(unread)):
        if not isinstance(mine, CannotRead) and result.answer.certificate is not None:
            assert not list(differences(mine, result.answer.certificate))


@pytest.mark.parametrize(
    "file", wider([f for f in OF_VALUES if f.startswith("parameters")], OF_VALUES)
)
def test_what_is_said_of_all_values_is_so_of_single_ones(file: str) -> None:
    """Of ends of regions and pieces, of what is a hair beside them, and of others."""
    random, wrong, compared = Random(file), [], 0
    whole = [one for one in decided(file) if one.answer.curve and not one.equations]
    for result in whole:
        curve, others = result.answer.curve, {*result.values.split(", ")} - {""}
        for x in values(curve, random):
            for one in decided_with(file, verify.Options(), {curve.parameter: [str(x)]}):
                alone = {*one.values.split(", ")} - {f"{curve.parameter} = {x}"}
                if (one.index, alone) == (result.index, others) and one.status != "undecided":
                    compared += 1
                    wrong += filter(None, [different(curve, x, one.answer)])
    assert not wrong and compared >= len(whole)


def values(curve: Curve, random: Random) -> list[Fraction]:
    """Values of a parameter at which an answer for all is compared."""
    parts = (*curve.region.intervals, *(one.interval for one in curve.stretches))
    ends = {end for part in parts for end in (part.low, part.high)}
    near = {x for e in ends for a, b in [enclosed(e, TINY)] for x in (a - TINY, a, b, b + TINY)}
    some = [sorted(filter(curve.domain.has, near)), [Fraction(k, 97) for k in range(1, 97)]]
    inside = [[x for x in one if curve.domain.has(x)] for one in some]
    return [x for one in inside for x in random.sample(one, min(wider(1, 3), len(one)))]
