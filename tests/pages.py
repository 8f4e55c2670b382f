"""The blocks of code of a Markdown page, for the tests that keep the pages true.

A comment on the line before a block tells a test how to take it: `<!-- exit 1 -->`,
`<!-- with --allow-python -->`, `<!-- save as noise.py -->`. A title says the same as `save as`.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.generate import as_on_site
from verifier import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
FORMAT_OF_CERTIFICATES = [DOCS / "certificate.md", DOCS / "rules.md"]
CERTIFICATES = DOCS / "certificates"  # the examples of these pages
FORMAT = [*sorted((DOCS / "reference").glob("*.md")), *sorted((DOCS / "definitions").glob("*.md"))]
GUIDES = [*sorted((DOCS / "tutorial").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), ROOT / "models" / "README.md"]

BLOCK = re.compile(
    r'^(?:<!-- ([^\n]*) -->\n)?```(\w*)(?: title="([^"\n]*)")?\n(.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
PROGRESS = re.compile(r"^\S+: (reading|check \d+ of .*)\n", re.MULTILINE)  # of slow machines
GENERATED = re.compile(r"^<!-- generated: .*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it starts, its language, its title, its text, the comment before it."""

    page: Path
    line: int
    language: str
    text: str
    note: str
    title: str = ""

    @property
    def place(self) -> str:
        """`page.md:12`, to name a test."""
        return f"{self.page.name}:{self.line}"

    def noted(self, word: str) -> str | None:
        """What the comment says after a word, or None."""
        return self.note.removeprefix(word).strip() if self.note.startswith(word) else None


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, m.start(2)) + 1, m[2], m[4], m[1] or "", m[3] or "")
        for m in BLOCK.finditer(text)
    ]


def example(name: str) -> Any:
    """The example certificate of a name, read anew."""
    return json.loads((CERTIFICATES / f"{name}.json").read_text(encoding="utf-8"))


def examples() -> dict[str, Any]:
    """All example certificates by their names."""
    return {path.stem: example(path.stem) for path in sorted(CERTIFICATES.glob("*.json"))}


def by_hand(page: Path) -> list[Block]:
    """The blocks outside of the parts that are generated."""
    text = page.read_text(encoding="utf-8")
    parts = [(m.start(), m.end()) for m in GENERATED.finditer(text)]
    lines = [range(*(text.count("\n", 0, at) + 1 for at in part)) for part in parts]
    return [block for block in blocks(page) if not any(block.line in part for part in lines)]


def saved(page: Path) -> dict[str, str]:
    """The files that a page asks its reader to save."""
    return {name: b.text for b in blocks(page) if (name := b.title or b.noted("save as"))}


def save(page: Path, folder: Path) -> None:
    """Write those files."""
    for name, text in saved(page).items():
        (folder / name).write_text(text, encoding="utf-8")


def code(*pages: Path) -> str:
    """Everything on pages that is code: blocks and spans."""
    texts = [page.read_text(encoding="utf-8") for page in pages]
    spans = [span for text in texts for span in SPAN.findall(BLOCK.sub("", text))]
    return "\n".join([*(block.text for page in pages for block in blocks(page)), *spans])


def words(*pages: Path) -> set[str]:
    """The words of the code of pages."""
    return set(re.findall(r"[A-Za-z_]\w*", code(*pages)))


def keys(*pages: Path) -> set[str]:
    """The words of the code in the text of pages, also where it goes on in the next line."""
    texts = (BLOCK.sub("", whole(page)) for page in pages)
    parts = (part for text in texts for part in re.split(r"\n\n|\n- |\n\|", text))
    spans = (span for part in parts for span in re.findall("`([^`]+)`", part))
    return {word for span in spans for word in re.findall(r"[A-Za-z_]\w*", span)}


def whole(page: Path) -> str:
    """A page as the site has it, with the parts that are written only there."""
    return as_on_site(page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    text = BLOCK.sub("", whole(page))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def commands() -> dict[str, set[str]]:
    """The commands of the command line, each with its long options that help shows."""
    (parsers,) = (a for a in cli._parser()._actions if isinstance(a, argparse._SubParsersAction))
    return {
        name: {
            option
            for option, action in parser._option_string_actions.items()
            if option.startswith("--") and action.help != argparse.SUPPRESS
        }
        for name, parser in parsers.choices.items()
    }
