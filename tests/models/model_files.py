"""What a model file says about its checks, read without the engine, and what the engine answers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.drawing import wider
from tests.models.brute_force import INFINITE, Level
from verifier.base import parameters
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Result
from verifier.spec.asked import Asked

MODELS = Path(__file__).parents[2] / "models"


def files(folder: str) -> list[str]:
    return sorted(path.name for path in (MODELS / folder).glob("*.yaml"))


def some_files(folder: str) -> list[str]:
    """Those of a folder that are read a second time: each sixth one in a build; in the campaign
    `draws` of `make harden` all."""
    return files(folder)[:: wider(6, 1)]


@cache
def checks(file: str) -> list[dict[str, Any]]:
    """The checks of a file, every scalar as text."""
    document = yaml.load((MODELS / file).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert document["title"] and document["source"]
    found: list[dict[str, Any]] = document["checks"]
    return found


def largest(groups: Sequence[Mapping[str, Any]]) -> Fraction:
    """The largest level of groups of records."""
    return max(Fraction(group.get("epsilon", 1)) for group in groups)


def level_holds(options: Mapping[str, Any], value: Level) -> bool:
    """Is the derived smallest level at most the level stated in the file? A truth value is the
    verdict itself."""
    if isinstance(value, bool):
        return value
    if "then" in options:
        (options,) = options["then"].values()
    if "at_most" in options:
        return value <= Fraction(options["at_most"])
    if "groups" in options:
        return value <= largest(options["groups"])
    if "facets" in options:
        return value == Fraction(options["facets"])
    if "equals" in options:
        return value == Fraction(options["equals"])
    if "exp_epsilon" in options:
        return value <= Fraction(options["exp_epsilon"])
    if logarithm := re.fullmatch(r"ln\((.*)\)", options["epsilon"]):
        return value <= Fraction(logarithm[1])
    with localcontext(prec=60):
        exp_epsilon = Fraction(Decimal(options["epsilon"]).exp())
    assert value == 1 or abs(value - exp_epsilon) > Fraction(1, 10**50), "too close for 60 digits"
    return value <= exp_epsilon


@cache
def once(derive: Callable[[], Sequence[Level]]) -> Sequence[Level]:
    """The numbers that a function derives, for all tests of this process."""
    return derive()


def confirm(file: str, *derived: Level) -> None:
    """Every verdict and every pinned leakage of the file agrees with the derived values."""
    found = checks(file)
    assert len(found) == len(derived), f"{file}: {len(found)} checks, {len(derived)} numbers"
    for check, value in zip(found, derived, strict=True):
        (definition,) = set(check) - {"name", "mechanism", "expect", "leakage", "pairs", "priors"}
        verdict = "holds" if level_holds(check[definition], value) else "violated"
        expected = check.get("expect", "holds")
        if expected == "vacuous":
            # of a sensitivity the value is 0, of a level 1
            expected = "holds" if value in (0, 1) else "nothing to compare"
        assert expected == verdict, (file, check, value)
        if "leakage" in check:
            pinned = check["leakage"]
            number = INFINITE if pinned == "infinite" else Fraction(pinned)
            assert number == value, (file, check, value)


def decided_with(
    file: str, options: verify.Options, given: Mapping[str, Sequence[str]] = {}
) -> Iterator[Result]:
    """What the engine answers for every choice of the parameters of a file, or of given values."""
    for choice in verify.choices(MODELS / file, given):
        with parameters.given(choice):
            yield from verify.run(str(MODELS / file), options)


@cache
def decided(file: str) -> tuple[Result, ...]:
    """What the engine answers for a file: decided once for all tests of this process."""
    return tuple(decided_with(file, verify.Options()))


def asked(file: str) -> Iterator[Asked]:
    """The checks of a file, read for every choice of its parameters, which is then active."""
    for choice in verify.choices(MODELS / file):
        with parameters.given(choice):
            yield from verify.load(MODELS / file).questions


def confirm_engine(folder: str, file: str, *derived: Level) -> None:
    """The engine meets every expectation of the file and finds the derived leakage."""
    results = decided(f"{folder}/{file}")
    assert not [note for result in results for note in result.notes]
    for result, value in zip(map(result_as_json, results), derived, strict=True):
        assert result["ok"], result
        found = result["leakage"]
        if isinstance(value, bool):
            assert found is None and result["verdict"] == ("holds" if value else "violated")
        elif value == INFINITE:
            assert found.get("infinite"), result
        elif found.get("vacuous"):
            assert value == 1, result
        else:
            assert Fraction(found.get("exp_epsilon") or found["value"]) == value, result
