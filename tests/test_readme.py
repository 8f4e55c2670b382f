"""README: its example runs to the letter, links lead somewhere, tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.loops import each
from tests.pages import DOCS, LINK, PAGES, README, ROOT, anchors, blocks, commands, whole
from verifier import cli
from verifier.base import document
from verifier.base.registry import DEFINITIONS, PRIORS

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.usefixtures("here", "advised")
def test_the_example_prints_what_the_page_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {block.language: block.text for block in blocks(README)}
    command, printed = found["console"].split("\n", 1)
    assert command.startswith("$ .venv/bin/verifier ")
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(found["yaml"], encoding="utf-8")
    assert cli.main(command.split()[2:]) == 1
    assert capsys.readouterr().out == printed


def test_the_example_is_the_model_file_it_names() -> None:
    (name,) = re.findall(r"`(models/[\w/-]+\.yaml)` asks", TEXT)
    model = document.load(ROOT / name).mapping()
    (example,) = [block.text for block in blocks(README) if block.language == "yaml"]
    for key, value in document.parse(example).mapping().entries:
        if key.text != "checks":
            assert shape(value) == shape(model[key.text])


def shape(node: document.Node) -> object:
    """A tree without places."""
    if isinstance(node, document.Mapping):
        return {key.text: shape(value) for key, value in node.entries}
    if isinstance(node, document.Sequence):
        return [shape(item) for item in node]
    return node.scalar().text


@each(
    "page, target",
    [(page, link) for page in PAGES for link in LINK.findall(whole(page))],
)
def test_links_lead_somewhere(page: Path, target: str) -> None:
    if target.startswith(("https://", "http://")):
        return
    name, _, anchor = target.partition("#")
    goal = page.parent / name if name else page
    assert goal.exists()
    assert not anchor or anchor in anchors(goal)


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, new = set[Path](), {README}
    while new:
        page = new.pop()
        reached.add(page)
        links = LINK.findall(whole(page))
        goals = {(page.parent / link.partition("#")[0]).resolve() for link in links}
        new |= {goal for goal in goals if goal.suffix == ".md" and goal.is_file()} - reached
    assert reached >= set(PAGES)


def test_the_first_answer_is_on_the_first_screen() -> None:
    assert TEXT[: TEXT.index("## Commands")].count("\n") <= 60


def test_the_tables_name_everything_that_is_decided() -> None:
    page = whole(DOCS / "definitions" / "index.md")
    named = set(re.findall(r"`(\w+)`", page))
    assert named >= {*DEFINITIONS.keywords(), *PRIORS.keywords()}


def test_the_table_names_every_command() -> None:
    rows = "".join(re.findall(r"^\| (`verifier .*?) \|", TEXT, re.MULTILINE))
    assert set(re.findall(r"`verifier ([\w-]+)", rows)) == set(commands())
