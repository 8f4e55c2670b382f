"""The engine's certificates ask what a second reader of the spec files finds in them."""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.drawing import wider
from tests.models import model_files
from tests.pages import FORMAT, by_hand, save
from tests.second_reader.certificates import differences, stated
from tests.second_reader.files import Question
from tests.second_reader.questions import questions
from tests.second_reader.values import CannotRead
from verifier.base import parameters
from verifier.run import verify
from verifier.spec import reading

ROOT = Path(__file__).parents[2]
MODELS = [  # those with parameters are another reader's
    path
    for path in sorted((ROOT / "models").glob("*/*.yaml"))
    if "\nparameters:" not in path.read_text(encoding="utf-8")
]
PAGES = [ROOT / "docs" / "reference" / "file.md"]  # first, the frame of all parts
PAGES += [page for page in FORMAT if page not in PAGES]

SLOW = {"rappor-bloom.yaml", "vertex-cover.yaml"}  # 20 seconds each: left to the long tests
LEAST = 1020  # checks of models: fewer would mean that the test looks at less than it did


@dataclass
class Found:
    """How many questions are the same, what could not be read and why, and what differs."""

    same: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.same} questions are the same"]
        lines += [f"{n} not read: {reason}" for reason, n in self.unread.most_common()]
        return "\n".join([*lines, *self.different])


Stated = Callable[[], dict[str, Any]]  # not asked where the second reader cannot read
Read = Callable[[Path], Iterable[Stated]]


def compiled(path: Path) -> Iterator[Stated]:
    """The questions of a file's checks as certificates would state them; nothing is decided."""
    for choice in verify.choices(path):
        with parameters.given(choice):
            for check in reading.load(path)[1]:
                yield partial(question, check)


def question(check: reading.Asked) -> dict[str, Any]:
    return {"question": verify.asked(check).stated().whole}


def decided(path: Path) -> Iterator[Stated]:
    """The certificates of a file's checks."""
    for result in model_files.decided(f"{path.parent.name}/{path.name}"):
        yield partial(certificate, result)


def certificate(result: verify.Result) -> dict[str, Any]:
    assert result.answer.certificate is not None, f"{result.name}: undecided"
    return result.answer.certificate


def compare(paths: Iterable[Path], read: Read = compiled) -> Found:
    """Reads each file twice and compares the questions of its checks."""
    found = Found()
    for path in paths:
        for place, (mine, other) in enumerate(zip(questions(path), read(path), strict=True)):
            if isinstance(mine, CannotRead):
                found.unread[str(mine)] += 1
                continue
            told = [*differences(mine, made := other()), *strange(made, path, place)]
            found.different += [f"{path.name}, check {place + 1}: {what}" for what in told]
            found.same += not told
    return found


@cache
def source(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """The digest of a file, and its checks."""
    text = path.read_bytes()
    checks = yaml.load(text, yaml.BaseLoader)["checks"]
    return f"sha256:{hashlib.sha256(text).hexdigest()}", checks


def strange(certificate: dict[str, Any], path: Path, place: int) -> Iterator[str]:
    """Whether a certificate is said to be of another file or check."""
    told, (digest, checks) = stated(certificate).source, source(path)
    if told["spec"] != digest:
        yield "another file"
    if (told["check"], told["name"]) != (place, checks[place].get("name")):
        yield "another check"


def campaign(count: int, seed: int) -> str:
    """The certificates of so many models, decided: for the long tests."""
    drawn = Random(seed).sample(MODELS, min(count, len(MODELS)))
    found = alike(compare(sorted(drawn), decided), len(drawn))
    return f"{found.same} certificates of {len(drawn)} models state what a second reader reads"


def alike(found: Found, least: int) -> Found:
    """What was found, which must be enough, and no difference."""
    assert not found.different and found.same >= least, str(found)
    return found


def test_models_are_read_alike() -> None:
    """Each sixth model in a build, else all but two slow ones."""
    step = wider(6, 1)
    read = [path for path in MODELS[::step] if path.name not in SLOW]
    print(alike(compare(read), LEAST // step * 9 // 10))


def examples() -> list[dict[str, Any]]:
    """The spec files of the pages that have checks; others of them are parts of the first."""
    blocks = [block for page in PAGES for block in by_hand(page) if block.language == "yaml"]
    kept = [block.text for block in blocks if "python" not in block.note]
    parts = [yaml.load(text, yaml.BaseLoader) for text in kept]
    first, *others = [part for part in parts if isinstance(part, dict)]
    whole = [part for part in others if "checks" in part or "worlds" not in part]
    return [first, *(filled(part, first) for part in whole)]


def filled(part: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    kept = {"mechanism", "checks"} if "worlds" in part else set(first)
    kept -= {"mechanism"} if "mechanisms" in part else set()
    return {**{key: first[key] for key in first if key in kept}, **part}


def test_examples_of_the_page_are_read_alike(tmp_path: Path) -> None:
    for page in PAGES:
        save(page, tmp_path)
    paths = []
    for place, example in enumerate(examples()):
        path = tmp_path / f"{place}.yaml"
        path.write_text(yaml.safe_dump(example, allow_unicode=True, sort_keys=False))
        paths.append(path)
    alike(compare(path for path in paths if readable(path)), 100)


def readable(path: Path) -> bool:
    """Whether the example is one of a file that is right, as one of them is not, and has no
    parameters, which are another reader's."""
    text = path.read_text()
    return "19999" not in text and "parameters:" not in text


@cache
def asked(path: str, place: int) -> tuple[Question, dict[str, Any]]:
    """The question of a check of a model, and the engine's certificate."""
    file = ROOT / "models" / path
    mine = list(questions(file))[place]
    assert isinstance(mine, Question)
    return mine, list(decided(file))[place]()


Change = Callable[[Any], None]


def swap(items: list[Any]) -> None:
    items[0], items[1] = items[1], items[0]


def another_probability(part: Any) -> None:
    part["values"] = [Fraction(value) / 2 for value in part["values"]]


def fewer_neighbours(relation: Any) -> None:
    next(worlds for worlds in relation["distances"]["1"] if worlds).pop()


def smaller_secret(relation: Any) -> None:
    relation["secrets"][relation["pairs"][0][0]].pop()


def other_prior(relation: Any) -> None:
    weights = relation["priors"]["priors"][0]
    weights[0], weights[1] = weights[1] / 2, weights[0] + weights[1] / 2


def other_tree(relation: Any) -> None:
    relation["priors"]["trees"][0]["parents"][9] = 2


def wider_row(relation: Any) -> None:
    relation["priors"]["transition"][1][0][1] = "1/2"


RESPONSE = ("pufferfish/correlated-records.yaml", 0)
NEIGHBOURS = ("blowfish/chosen-edges.yaml", 0)
LISTED = ("pufferfish/alice-and-bob.yaml", 4)
TREE = ("composition/influence-of-a-tree.yaml", 0)
INTERVALS = ("composition/influence-of-intervals.yaml", 0)
PRIVATE = ("coupled-worlds/less-known.yaml", 0)


@pytest.mark.parametrize(
    ("check", "part", "change"),
    [
        (LISTED, "model", lambda part: swap(part["worlds"])),
        (LISTED, "model", lambda part: swap(part["outputs"])),
        (LISTED, "model", lambda part: swap(part["columns"])),
        (LISTED, "model", another_probability),
        (LISTED, "model", lambda part: part["records"][0].__setitem__(0, 1)),
        (LISTED, "level", lambda level: level.__setitem__("exp_epsilon", "3/2")),
        (LISTED, "level", lambda level: level.__setitem__("delta", "1/1000")),
        (LISTED, "relation", lambda relation: relation["pairs"].clear()),
        (LISTED, "relation", smaller_secret),
        (LISTED, "relation", other_prior),
        (LISTED, "relation", lambda relation: relation["priors"]["priors"].append([1, 0, 0, 0])),
        (LISTED, "relation", lambda relation: relation["priors"].update({"class": "hull"})),
        (RESPONSE, "relation", lambda relation: relation.update(group=2)),
        (RESPONSE, "relation", lambda relation: relation.update(rule="all")),
        (NEIGHBOURS, "relation", fewer_neighbours),
        (TREE, "model", lambda part: swap(part["worlds"])),
        (TREE, "model", lambda part: swap(part["people"])),
        (TREE, "relation", lambda relation: relation.update(hidden=2)),
        (TREE, "relation", lambda relation: relation["chosen"].append(relation["chosen"].pop(0))),
        (TREE, "relation", other_tree),
        (INTERVALS, "relation", wider_row),
        (PRIVATE, "relation", lambda relation: relation["views"].pop()),
        (PRIVATE, "relation", lambda relation: swap(relation["views"][0]["alt"])),
        (PRIVATE, "relation", lambda relation: relation["views"][0]["priv"].__setitem__(0, 1)),
        (PRIVATE, "relation", lambda relation: relation["priors"].pop()),
        (PRIVATE, "relation", lambda relation: relation["priors"][0][0].__setitem__(1, 7)),
    ],
)
def test_another_question_is_told(check: tuple[str, int], part: str, change: Change) -> None:
    mine, certificate = asked(*check)
    assert not list(differences(mine, certificate))
    other = copy.deepcopy(certificate)
    change(getattr(stated(other), part))
    assert list(differences(mine, other))
