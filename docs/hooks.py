"""The site takes in what pages leave to it, and what they link to and load outside of docs/.

The first is the atlas and the errors, which `docs/generate.py` writes. The second is model files
and pages of the root: a link of a page is written as a forge follows it, from file to file of the
repository; the site has only what is in docs/, so pages for the rest are made here, and links to
them are rewritten. What the page that checks a certificate loads is the checker as one file, and
Python for browsers where npm has installed it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs loads this file by its path, so that it knows no package
from docs.generate import as_on_site  # noqa: E402
from verifier.standalone.build import build  # noqa: E402

DOCS = ROOT / "docs"
PYODIDE = ROOT / ".venv" / "browser" / "node_modules" / "pyodide"
LOADED = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?!https?://|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
CODE = re.compile(r"`[^`\n]+`")
FOREIGN = re.compile(r'<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"')
GLOSSARY = "reference/glossary.md"
NO_SENTENCE = ("#", "|", "<", "-", " ", "!", "Ref")  # a heading, a table, part of a list, sources
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists the pages of all definitions after their first one."""
    (listed,) = (part["Definitions"] for part in config.nav or [] if "Definitions" in part)
    listed += sorted(
        path.relative_to(DOCS).as_posix()
        for path in (DOCS / "definitions").glob("*.md")
        if path.name != "index.md"
    )
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page for each page of the root, and for each model file."""
    for path in outside():
        files.append(File.generated(config, address(path), content=content(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Writes the parts that only the site has, and links to files outside of docs/ anew."""
    source = outside_by_address().get(page.file.src_uri, DOCS / page.file.src_uri)

    def rewritten(link: re.Match[str]) -> str:
        goal = Path(os.path.normpath(source.parent / link[1]))
        if goal.is_dir():
            goal /= "README.md" if (goal / "README.md").is_file() else "index.md"
        if DOCS not in goal.parents and goal not in outside():
            raise PluginError(f"{source}: the site has no page for the link {link[1]}")
        return os.path.relpath(address(goal), Path(page.file.src_uri).parent) + (link[2] or "")

    whole = outside_of_blocks(as_on_site(markdown), lambda text: LINK.sub(rewritten, bars(text)))
    return whole if page.file.src_uri == GLOSSARY else with_words(whole, page.file.src_uri)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Refuses a page that would load something from another host."""
    if found := FOREIGN.search(output):
        raise PluginError(f"{page.file.src_uri}: loads from another host: {found[0]}")
    return output


def on_post_build(config: MkDocsConfig) -> None:
    """Adds what the page that checks a certificate loads."""
    add_checker(Path(config.site_dir) / "browser")


def add_checker(folder: Path) -> None:
    """Add the checker, and Python for browsers if it is there, to the scripts in a folder."""
    build(folder / "privacy-checker.pyz")
    if PYODIDE.is_dir():
        (folder / "pyodide").mkdir(exist_ok=True)
        for name in LOADED:
            shutil.copy(PYODIDE / name, folder / "pyodide")


def with_words(markdown: str, page: str) -> str:
    """A page with the first use of each word of the glossary in its sentences as a link there."""
    words = re.findall(r"^## (.+)$", (DOCS / GLOSSARY).read_text(encoding="utf-8"), re.MULTILINE)
    left = {word.lower(): word.lower().replace(" ", "-") for word in words}
    goal = os.path.relpath(GLOSSARY, Path(page).parent)
    longest = sorted(left, key=len, reverse=True)
    skipped = r"`[^`]*`|!?\[[^\]]*\]\([^)]*\)"  # code, and what is a link already
    used = re.compile(
        rf"({skipped})|(?<!-)(?<!in )\b({'|'.join(longest)})s?\b(?! \d)", re.IGNORECASE
    )

    def linked(found: re.Match[str]) -> str:
        name = left.pop((found[2] or "").lower(), None)
        return f"[{found[0]}]({goal}#{name})" if name else found[0]

    def sentences(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(x if x.startswith(NO_SENTENCE) else used.sub(linked, x) for x in lines)

    return outside_of_blocks(markdown, sentences)


def bars(text: str) -> str:
    """A text with the bars in its code as they are: in tables a forge wants them escaped."""
    return CODE.sub(lambda code: code[0].replace("\\|", "|"), text)


def outside_of_blocks(markdown: str, change: Callable[[str], str]) -> str:
    """A page with everything but its fenced blocks changed."""
    kept = FENCED.findall(markdown)
    changed = (change(text) for text in FENCED.split(markdown))
    return "".join(text + block for text, block in zip(changed, [*kept, ""], strict=True))


def outside() -> list[Path]:
    """The files outside of docs/ that have a page on the site."""
    root = (path for path in ROOT.glob("*.md") if path.name != "README.md")
    return [*sorted(root), ROOT / "models" / "README.md", *sorted(ROOT.glob("models/*/*.yaml"))]


def outside_by_address() -> dict[str, Path]:
    """Those files by their address on the site."""
    return {address(path): path for path in outside()}


def address(path: Path) -> str:
    """Where the source of a page is, as the site has it."""
    if DOCS in path.parents:
        return path.relative_to(DOCS).as_posix()
    if path.name == "README.md":
        path = path.with_name("papers.md")
    return path.relative_to(ROOT).with_suffix(".md").as_posix()


def content(path: Path) -> str:
    """The Markdown of a page: the file itself, or the text of a model file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    name = path.relative_to(ROOT).as_posix()
    return f'{HIDDEN}# {path.stem}\n\n```yaml title="{name}"\n{text}```\n'
