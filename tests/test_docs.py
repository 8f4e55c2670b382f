"""The pages in docs/: every example runs, every word of the format is explained."""

from __future__ import annotations

import ast
import doctest
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pages import ROOT, Block, blocks, code, commands, save, words
from verifier import cli
from verifier.base.errors import CODES
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS
from verifier.beliefs import prior
from verifier.spec import model
from verifier.world.language.reader import DISTRIBUTIONS, FUNCTIONS
from verifier.world.neighbours import distances, graphs
from verifier.world.relation import RULES
from verifier.world.space import WORDS

FORMAT = ROOT / "docs" / "format.md"
PYTHON = ROOT / "docs" / "python.md"
MEANINGS = ROOT / "docs" / "definitions.md"

# What a part of a file gets for keys that it does not have: checks that always hold, but read
# everything else.
MECHANISM = "mechanism: {deterministic: world}\n"
CHECKS = "checks:\n  - differential_privacy: {epsilon: 0, delta: 1, neighbours: all}\n"
SECRETS = "  - pufferfish: {epsilon: 0, delta: 1}\n"


@dataclass(frozen=True)
class Example:
    """A spec file of a page, whole or a part, and the blocks that show its answers."""

    spec: Block
    answers: tuple[Block, ...]

    @property
    def status(self) -> int:
        """The exit status: 0 unless the page says otherwise."""
        return int(self.spec.noted("exit") or 0)

    @property
    def arguments(self) -> list[str]:
        """Options that the page says are needed."""
        return (self.spec.noted("with") or "").split()


def examples(page: Path) -> Iterator[Example]:
    """Each yaml block with the console and json blocks up to the next one."""
    spec: Block | None = None
    answers: list[Block] = []
    for block in blocks(page):
        if block.language == "yaml":
            if spec:
                yield Example(spec, tuple(answers))
            spec, answers = block, []
        elif spec and block.language in ("console", "json"):
            answers.append(block)
    if spec:
        yield Example(spec, tuple(answers))


def parts(text: str) -> dict[str, str]:
    """The top-level keys of a file, each with its text."""
    pieces = re.split(r"^(?=\w+:)", text, flags=re.MULTILINE)
    return {piece.split(":")[0]: piece for piece in pieces if piece.strip()}


def complete(text: str, frame: str) -> str:
    """A file: the text itself if it is one, otherwise the page's first file with this part."""
    given = parts(text)
    if "worlds" in given and "checks" in given:
        return text
    if "worlds" in given:
        found = {"mechanism": MECHANISM, "checks": CHECKS, **given}
    else:
        found = {**parts(frame), "checks": CHECKS + SECRETS, **given}
    if "mechanisms" in given:
        del found["mechanism"]
    return "".join(found.values())


EXAMPLES = list(examples(FORMAT))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.spec.place)
def test_examples_run(
    example: Example,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    save(FORMAT, tmp_path)
    spec = complete(example.spec.text, EXAMPLES[0].spec.text)
    Path("spec.yaml").write_text(spec, encoding="utf-8")
    status = cli.main(["check", "spec.yaml", *example.arguments])
    output = capsys.readouterr()
    assert status == example.status, output.out + output.err
    for answer in example.answers:
        check_answer(answer, capsys)


def check_answer(answer: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """A console block runs and prints what it shows; a json block is the report."""
    if answer.language == "json":
        cli.main(["check", "spec.yaml", "--format", "json"])
        assert without_seconds(capsys.readouterr().out) == without_seconds(answer.text)
        return
    command, printed = answer.text.split("\n", 1)
    assert command.startswith("$ verifier ")
    cli.main(command.split()[2:])
    output = capsys.readouterr()
    assert output.out + output.err == printed


def without_seconds(text: str) -> object:
    """A report, parsed; times differ between runs."""
    report = json.loads(text)
    for result in report["results"]:
        result.pop("seconds")
    return report


def test_a_part_goes_into_the_frame() -> None:
    frame = "worlds: [a]\nmechanism: x\nchecks: []\n"
    assert complete(frame, "") == frame
    assert complete("checks: [y]\n", frame) == "worlds: [a]\nmechanism: x\nchecks: [y]\n"
    assert complete("mechanism:\n  y\n", frame).startswith("worlds: [a]\nmechanism:\n  y\nchecks:")
    assert complete("mechanisms: {y: z}\nchecks: []\n", frame).startswith("worlds: [a]\nchecks:")
    assert complete("worlds: [b]\n", frame) == MECHANISM + CHECKS + "worlds: [b]\n"


def test_keywords_are_explained() -> None:
    known = {
        *DEFINITIONS.keywords(),
        *MECHANISMS.keywords(),
        *PRIORS.keywords(),
        "uniform",
        *prior.KINDS,
        *model.KEYS,
        *model.GENERATED_PAIRS,
        *graphs.WORDS,
        *graphs.KINDS,
        *distances.METRICS,
        *RULES,
        *FUNCTIONS,
        *DISTRIBUTIONS,
        *(name for _, names in DISTRIBUTIONS.values() for name in names),
        *WORDS,
    }
    assert known - words(FORMAT) == set()


def test_what_the_models_command_lists_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["models"])
    listed = re.findall(r"^  (.*)$", capsys.readouterr().out, re.MULTILINE)
    assert {word for line in listed for word in line.split(", ")} - words(FORMAT) == set()


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_options_of_definitions_are_explained(keyword: str) -> None:
    (row,) = re.findall(rf"^\| `{keyword}` \| (.*) \|", FORMAT.read_text("utf-8"), re.MULTILINE)
    told = set(re.findall(r"`(\w+)`", row.split(" | ")[0]))
    if row.startswith("level"):
        told |= {"epsilon", "exp_epsilon"}
    assert told == set(DEFINITIONS.module(keyword).OPTIONS)


def accepted_keys() -> set[str]:
    """Every key that some reader of mappings in the engine allows, taken from its source."""
    found: set[str] = set()
    for path in (ROOT / "verifier").rglob("*.py"):
        if "checker" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in ("mapping", "check_keys", "only", "word"):
                    found.update(literals(node.args))
                elif node.func.attr in ("get", "option") and len(node.args) == 1:
                    found.update(literals([ast.Tuple(elts=node.args)]))
    return found


def literals(arguments: list[ast.expr]) -> Iterator[str]:
    """The texts written out in tuples among the arguments."""
    for argument in arguments:
        for item in argument.elts if isinstance(argument, ast.Tuple) else ():
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                yield item.value


def test_keys_in_the_source_are_explained() -> None:
    keys = accepted_keys()
    assert {"truth", "per", "between", "weight", "absent", "runs"} <= keys
    assert keys - words(FORMAT) - {"pragma"} == set()


def test_options_are_those_of_the_commands() -> None:
    options = set().union(*commands().values())
    assert set(re.findall(r"--[a-z][a-z-]*", code(FORMAT))) == options | {"--version"}


def test_every_range_of_codes_is_named() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    assert set(re.findall(r"\| (S\d)… \|", text)) == {code[:2] for code in CODES}


def test_every_decided_definition_has_its_section() -> None:
    for page, level in ((FORMAT, "###"), (MEANINGS, "##")):
        titles = re.findall(rf"^{level} (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(DEFINITIONS.keywords()) <= set(titles)


def test_numbers_on_the_definitions_page_are_in_the_models_it_names() -> None:
    page = MEANINGS.read_text(encoding="utf-8")
    links = re.findall(r"\(\.\./(models/[\w/-]+\.yaml)\)", page)
    models = "".join((ROOT / link).read_text(encoding="utf-8") for link in links)
    numbers = set(re.findall(r"\b\d+/[1-9]\d*\b", page))
    assert "196/27" in numbers
    assert numbers <= set(re.findall(r"\b\d+/\d+\b", models))


def test_the_package_itself_loads_nothing() -> None:
    program = "import sys, verifier; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_python_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The python page as one doctest, in a folder with the files it asks to save."""
    save(PYTHON, tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [""] * (len(PYTHON.read_text(encoding="utf-8").splitlines()) + 1)
    for block in blocks(PYTHON):
        if block.language == "python" and ">>>" in block.text:
            for offset, line in enumerate(block.text.splitlines()):
                lines[block.line + offset] = line
    test = doctest.DocTestParser().get_doctest("\n".join(lines), {}, "python.md", str(PYTHON), 0)
    assert len(test.examples) > 10
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
