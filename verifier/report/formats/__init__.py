"""The formats of reports: one module each, with `render(document)`, or a `Writer` that writes what
is found at once."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Protocol

from verifier.base import registry
from verifier.base.errors import LibraryMissing
from verifier.base.nouns import Later, dataclass
from verifier.report.findings import Document, Finding
from verifier.report.view import PLAIN, View


class Writer(Protocol):
    """Writes a report while it grows, in lines that are safe to print."""

    def add(self, found: Finding) -> Iterable[str]:
        """The lines for a finding, which is the next one."""
        ...

    def end(self, document: Document) -> Iterable[str]:
        """The lines at the end; the document has all findings."""
        ...


@dataclass(frozen=True)
class Format(Later):
    """A format.

    module   in this folder, loaded where it is used
    about    what it is for
    streams  whether its lines are written at once
    draws    whether it has the figures of `verifier.lab.figures`
    advises  whether it has the advice of `verifier.lab.advice`
    library  that it needs, which the extra of its name installs
    """

    module: str
    about: str
    streams: bool = False
    draws: bool = False
    advises: bool = False
    library: str | None = None

    def ready(self) -> None:
        """LibraryMissing if it cannot be written."""
        if self.library and find_spec(self.library) is None:
            raise LibraryMissing(f"a report as {self.module}", self.library, self.module)

    def render(self, document: Document) -> str:
        """The whole report, with a line end at its end."""
        writer = self.writer()
        lines = [line for found in document.findings for line in writer.add(found)]
        return "".join(f"{line}\n" for line in [*lines, *writer.end(document)])

    def writer(self, view: View = PLAIN) -> Writer:
        """A writer of it."""
        module = registry.FORMATS.module(self.module)
        writer: Writer = module.Writer(view) if self.streams else _Whole(module)
        return writer


class Renderer(Protocol):
    """A module that renders a whole document."""

    def render(self, document: Document) -> str:
        """The document in this format, without a line end at its end."""
        ...


@dataclass(frozen=True)
class _Whole(Later):
    """Writes all at the end."""

    renderer: Renderer

    def add(self, found: Finding) -> Iterable[str]:
        return ()

    def end(self, document: Document) -> Iterable[str]:
        return (self.renderer.render(document),)


FORMATS = {
    "text": Format("text", "for people", streams=True, advises=True),
    "json": Format("json", "one object, for programs", advises=True),
    "jsonl": Format("jsonl", "one object to a line, written at once", streams=True, advises=True),
    "github": Format("github", "annotations of GitHub Actions"),
    "sarif": Format("sarif", "SARIF 2.1.0, for code scanning"),
    "junit": Format("junit", "JUnit's XML, for Jenkins, GitLab and others"),
    "gitlab": Format("gitlab", "GitLab's code quality report"),
    "markdown": Format("markdown", "a comment or a summary of at most 20 lines"),
    "latex": Format("latex", "a table for papers, with exact fractions"),
    "html": Format("html", "one page, with figures", draws=True, advises=True, library="jinja2"),
}
