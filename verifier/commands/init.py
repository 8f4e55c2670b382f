"""The command `init`: a commented first file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from verifier.base.escape import escaped
from verifier.commands.arguments import Parsers, add_command
from verifier.commands.running import BAD_INPUT, OK, complain, say

TEMPLATES = files("verifier") / "share" / "templates"
CHECK = ("verifier check {}", "verifier show {}")


@dataclass(frozen=True)
class Template:
    """A first file: its name among the templates, where it goes, and what to do next."""

    name: str
    place: Path
    next: tuple[str, ...] = CHECK


KINDS = {
    kind: Template(f"{kind}.privacy.yaml", Path(f"{kind}.privacy.yaml"))
    for kind in ("survey", "sparse-vector", "blowfish")
} | {
    "ci": Template(
        "ci.yml",
        Path(".github/workflows/privacy.yml"),
        ("set the variable VERIFIER of the repository, as the file says", "git add {}"),
    )
}


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "init", "write a first file, with comments")
    command.add_argument(
        "kind",
        nargs="?",
        choices=tuple(KINDS),
        default="survey",
        metavar="KIND",
        help=f"one of: {', '.join(KINDS)}; %(default)s by default",
    )
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where it is written; by default KIND.privacy.yaml in the current folder, for ci "
        ".github/workflows/privacy.yml",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a template to a file that is not there yet, and say what to do next."""
    template = KINDS[options.kind]
    target: Path = options.output or template.place
    text = (TEMPLATES / template.name).read_text(encoding="utf-8")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        hint = "; name another one with --output" if isinstance(error, FileExistsError) else ""
        complain(escaped(f"{target}: not written: {error.strerror}{hint}"))
        return BAD_INPUT
    after = (f"  {step.format(target)}" for step in template.next)
    say(map(escaped, [f"{target}: written; next:", *after]))
    return OK
