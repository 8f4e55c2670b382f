"""The JSON Schema of certificates: whatever is written fits, and broken shapes do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.checker.test_question import CASES, made
from tests.drawing import wider
from tests.models.model_files import decided
from tests.pages import ROOT, blocks
from verifier import checker
from verifier.claims.answer import write

Json = dict[str, Any]

SCHEMA = json.loads((files("verifier") / "schemas" / "certificate-2.json").read_text("utf-8"))
SHAPE = Draft202012Validator(SCHEMA)
EXAMPLES = {
    block.note or "comparison": json.loads(block.text)
    for block in blocks(ROOT / "docs" / "certificate.md")
    if block.language == "json"
}
MODELS = sorted((ROOT / "models").rglob("*.yaml"))[::3]
MOST = wider(20_000, 10**7)  # characters of a certificate


def fits(certificate: Any) -> bool:
    return bool(SHAPE.is_valid(certificate))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_examples_of_the_page_fit() -> None:
    assert {document["question"]["kind"] for document in EXAMPLES.values()} == set(checker.KINDS)
    for name, document in EXAMPLES.items():
        assert fits(document), name


@pytest.mark.parametrize("name", CASES)
def test_certificates_of_every_definition_fit(name: str) -> None:
    assert fits(made(name))


def written(path: Path) -> Iterator[Json]:
    """The certificates of a model, as they are written, that are not too long."""
    for result in decided(f"{path.parent.name}/{path.name}"):
        if result.answer.certificate is not None:
            text = write(result.answer.certificate)
            if len(text) <= MOST:
                yield json.loads(text)


def test_certificates_of_models_fit() -> None:
    """Those that have something that none before them has."""
    count, seen = 0, set[str]()
    for path in MODELS:
        for certificate in written(path):
            shape = {*shapes(certificate)}
            if not shape <= seen:
                seen |= shape
                count += 1
                assert fits(certificate), (path.name, certificate["question"]["source"])
    assert count > 50


def shapes(part: Any, place: str = "") -> Iterator[str]:
    """The keys and kinds of values in a certificate, each with the keys around it."""
    yield f"{place}: {type(part).__name__}"
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else (("", x) for x in part):
            yield from shapes(inner, f"{place}.{key}")


BROKEN: dict[str, Callable[[Json], object]] = {
    "version": lambda d: d.update(version=1),
    "version as text": lambda d: d.update(version="2"),
    "format": lambda d: d.update(format="certificate"),
    "more": lambda d: d.update(claim={}),
    "digest": lambda d: d.update(digest="sha256:0"),
    "taken": lambda d: d["taken"].append("digest"),
    "taken twice": lambda d: d["taken"].append("worlds"),
    "no witness": lambda d: d["evidence"].clear(),
    "mechanism": lambda d: d["evidence"].update(mechanism={}),
    "verdict": lambda d: d["answer"].update(verdict="undecided"),
    "leakage": lambda d: d["answer"].update(leakage={"exp_epsilon": 3}),
    "two leakages": lambda d: d["answer"]["leakage"].update(infinite=True),
    "no leakage": lambda d: d["answer"].pop("leakage"),
    "value": lambda d: d["answer"].update(value="1"),
    "kind": lambda d: d["question"].update(kind="gossip"),
    "other kind": lambda d: d["question"].update(kind="influence"),
    "definition": lambda d: d["question"].update(definition={}),
    "options": lambda d: d["question"].update(options=[]),
    "option with a point": lambda d: d["question"]["options"].update(group=1.5),
    "source": lambda d: d["question"].update(source={"spec": None}),
    "level": lambda d: d["question"]["level"].update(exp_epsilon="1.5"),
    "two levels": lambda d: d["question"]["level"].update(epsilon="1"),
    "no level": lambda d: d["question"].pop("level"),
    "equals": lambda d: d["question"].update(equals="1"),
    "rule": lambda d: d["question"]["relation"].update(rule="friends"),
    "group": lambda d: d["question"]["relation"].update(group=0),
    "no relation": lambda d: d["question"].update(relation=None),
    "no worlds": lambda d: d["question"]["model"].pop("worlds"),
    "worlds twice": lambda d: d["question"]["model"].update(worlds=["0", "0"]),
    "functions": lambda d: d["question"]["model"].update(functions=[["0", "1"]]),
    "values": lambda d: d["question"]["model"].update(values=[0.25, 0.75]),
    "columns": lambda d: d["question"]["model"]["columns"].append([-1, 0]),
    "column as another text": lambda d: d["question"]["model"]["columns"].append("0 1"),
    "records": lambda d: d["question"]["model"]["records"].append([-2]),
    "pair": lambda d: d["evidence"]["witness"].update(pair=[0, 1, 1]),
    "output": lambda d: d["evidence"]["witness"].update(output="0"),
}


@pytest.mark.parametrize("edit", BROKEN.values(), ids=BROKEN)
def test_broken_shapes_do_not_fit(edit: Callable[[Json], object]) -> None:
    certificate = json.loads(json.dumps(EXAMPLES["comparison"]))
    assert fits(certificate)
    edit(certificate)
    assert not fits(certificate)
    assert checker.check(certificate).outcome != "accepted"


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_parts_of_every_kind_are_needed_and_none_added(kind: str) -> None:
    """The keys of the envelope, of question, answer and model."""
    for path in ((), ("question",), ("answer",), ("evidence",), ("question", "model")):
        place: Any = EXAMPLES[kind]
        for key in path:
            place = place[key]
        for key in [*place, "extra"]:
            certificate = json.loads(json.dumps(EXAMPLES[kind]))
            inner = certificate
            for step in path:
                inner = inner[step]
            if key == "extra":
                inner[key] = None
            else:
                del inner[key]
            known = key in ("records", "entries_per_record") or (key, kind) in OPTIONAL
            assert fits(certificate) == known, (path, key)


OPTIONAL = {  # a checker says when they are needed
    ("mechanism", "composable"),
    ("mechanism", "implies"),
    ("level", "implies"),
    ("leakage", "implies"),
    ("value", "program"),
}
