"""The pages in docs/: every example runs, every word of the format is explained."""

from __future__ import annotations

import ast
import doctest
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs import generate
from tests.loops import each
from tests.pages import (
    DOCS,
    FORMAT,
    GENERATED,
    GUIDES,
    PAGES,
    PROGRESS,
    ROOT,
    Block,
    blocks,
    by_hand,
    code,
    commands,
    save,
    whole,
    words,
)
from verifier import cli
from verifier.base.errors import CODES, NOTES
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS
from verifier.questions import secrets
from verifier.questions.beliefs import prior
from verifier.spec import reading
from verifier.world.language.reader import DISTRIBUTIONS, FUNCTIONS
from verifier.world.neighbours import distances, graphs
from verifier.world.relation import RULES
from verifier.world.space import WORDS

pytestmark = pytest.mark.usefixtures("here", "advised")

FILE = DOCS / "reference" / "file.md"  # its first file is the frame of all parts of files
PYTHON = DOCS / "python.md"
MEANINGS = DOCS / "definitions"

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
    for block in by_hand(page):
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
    """A file: the text itself if it is one, otherwise the frame with this part."""
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


FRAME = next(examples(FILE)).spec.text
EXAMPLES = [example for page in FORMAT for example in examples(page)]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.spec.place)
def test_examples_run(
    example: Example,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    save(example.spec.page, tmp_path)
    spec = complete(example.spec.text, FRAME)
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
    assert output.out + PROGRESS.sub("", output.err) == printed


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
        *reading.KEYS,
        *secrets.GENERATED,
        *graphs.WORDS,
        *graphs.KINDS,
        *distances.METRICS,
        *RULES,
        *FUNCTIONS,
        *DISTRIBUTIONS,
        *(
            name
            for forms in DISTRIBUTIONS.values()
            for form in forms
            for name in form.parameters.split()
        ),
        *WORDS,
    }
    assert known - words(*FORMAT) == set()


def test_what_the_models_command_lists_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["models"])
    listed = re.findall(r"^  (\S+)", capsys.readouterr().out, re.MULTILINE)
    assert len(listed) > 40
    assert set(listed) - words(*FORMAT) == set()


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_options_of_definitions_are_explained(keyword: str) -> None:
    """Those of the level and δ are explained once, on the page on checks."""
    options = set(DEFINITIONS.module(keyword).OPTIONS) - {"epsilon", "exp_epsilon", "delta"}
    assert options - words(MEANINGS / f"{keyword}.md") == set()


def test_generated_parts_are_up_to_date() -> None:
    assert not generate.stale(), "run: python -m docs.generate"


def test_a_part_is_generated_anew() -> None:
    page = "before\n<!-- generated: limits -->\nold\n<!-- end -->\nafter\n"
    new = generate.generated(page)
    assert "\nold\n" not in new and "20,000,000" in new
    assert new.startswith("before\n<!-- generated: limits -->\n")
    assert new.endswith("\n<!-- end -->\nafter\n")
    assert generate.generated(new) == new


def accepted_keys() -> set[str]:
    """Every key that some reader of mappings in the engine allows, taken from its source."""
    found: set[str] = set()
    for path in (ROOT / "verifier").rglob("*.py"):
        if path.is_relative_to(ROOT / "verifier" / "checker"):
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
    assert keys - words(*FORMAT) - {"pragma"} == set()


def test_options_are_those_of_the_commands() -> None:
    options = set().union(*commands().values())
    told = "\n".join(map(whole, FORMAT))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", told)) == options | {"--version"}


def test_every_range_of_codes_is_named() -> None:
    text = whole(DOCS / "reference" / "errors.md")
    assert set(re.findall(r"^## (S\d)… ", text, re.MULTILINE)) == {code[:2] for code in CODES}
    assert set(re.findall(r"^### ([SN]\d{3})$", text, re.MULTILINE)) == {*CODES, *NOTES}


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_every_definition_has_its_page(keyword: str) -> None:
    page = MEANINGS / f"{keyword}.md"
    titles = re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == [
        "The formula",
        "When to use it",
        "Options and files that run",
        "Why the answer is exact",
    ]
    assert any("worlds" in parts(e.spec.text) for e in examples(page))


PROSE = [*FORMAT, *GUIDES, DOCS / "index.md", DOCS / "theory.md"]


@each("page", PROSE)
def test_the_first_sentence_of_a_page_is_short_and_plain(page: Path) -> None:
    """At most 20 words, and no symbol before it is introduced."""
    text = GENERATED.sub("", page.read_text(encoding="utf-8"))
    first = re.split(r"(?<=[.?]) ", text.split("\n\n")[1].replace("\n", " "))[0]
    assert len(first.split()) <= 20, first
    assert not re.search(r"[αβδθεΣΠρ≤≥]|P\(", first), first


def test_numbers_on_the_definitions_page_are_in_the_models_it_names() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(MEANINGS.glob("*.md"))]
    page = "".join(text.split("## Why the answer is exact")[-1] for text in texts)
    links = re.findall(r"\(\.\./\.\./(models/[\w/-]+\.yaml)\)", page)
    models = "".join((ROOT / link).read_text(encoding="utf-8") for link in links)
    numbers = set(re.findall(r"\b\d+/[1-9]\d*\b", page))
    assert "196/27" in numbers
    assert numbers <= set(re.findall(r"\b\d+/\d+\b", models))


@each("page", PAGES)
def test_names_of_the_package_are_there(page: Path) -> None:
    for name in re.findall(r"\bverifier(?:\.[a-z_]+)+\b(?!\.)", code(page)):
        if not name.endswith((".yaml", ".md", ".py", ".lock", ".toml", ".json")):
            assert pkgutil.resolve_name(name)


def test_the_package_itself_loads_nothing() -> None:
    program = "import sys, verifier; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    "left_out", ["cvxpy", pytest.param(None, marks=pytest.mark.oracle, id="with cvxpy")]
)
def test_python_examples(
    left_out: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The python page as one doctest, in a folder with the files it asks to save."""
    save(PYTHON, tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [""] * (len(PYTHON.read_text(encoding="utf-8").splitlines()) + 1)
    for block in blocks(PYTHON):
        if block.language != "python" or (left_out and left_out in block.text):
            continue
        if ">>>" in block.text:
            for offset, line in enumerate(block.text.splitlines()):
                lines[block.line + offset] = line
    test = doctest.DocTestParser().get_doctest("\n".join(lines), {}, "python.md", str(PYTHON), 0)
    assert len(test.examples) > 10
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
