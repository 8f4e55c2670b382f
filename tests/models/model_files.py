"""What a model file says about its checks, read without the engine."""

from pathlib import Path
from typing import NamedTuple

import yaml

from tests.models.by_definition import INFINITE, F, Level

MODELS = Path(__file__).parents[2] / "models"


class Check(NamedTuple):
    definition: str
    level: Level
    expect: str
    pinned: Level | None


def number(text: str) -> Level:
    return INFINITE if text == "infinite" else F(text)


def checks(file: str) -> list[Check]:
    """The checks of a model file, read without the engine; every scalar stays text."""
    document = yaml.load((MODELS / file).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert document["title"] and document["source"]
    out = []
    for check in document["checks"]:
        (definition,) = set(check) - {"name", "mechanism", "expect", "leakage"}
        body = check[definition]
        if definition == "sensitivity":
            level: Level = number(body["equals"])
        elif "epsilon" in body:
            level = number(body["epsilon"].removeprefix("ln(").removesuffix(")"))
        else:
            level = number(body["exp_epsilon"])
        pinned = number(check["leakage"]) if "leakage" in check else None
        out.append(Check(definition, level, check.get("expect", "holds"), pinned))
    return out


def confirm(file: str, *exact: Level) -> None:
    """Each check of the file agrees with the exact smallest level found by brute force."""
    found = checks(file)
    assert len(found) == len(exact), f"{file}: {len(found)} checks, {len(exact)} numbers"
    for place, (check, level) in enumerate(zip(found, exact, strict=True)):
        holds = level == check.level if check.definition == "sensitivity" else level <= check.level
        assert check.expect == ("holds" if holds else "violated"), (file, place, check, level)
        assert check.pinned in (None, level), (file, place, check, level)
