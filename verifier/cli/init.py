"""The command `init`: a commented first file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.base.files import write
from verifier.cli.arguments import Parsers, add_command, add_out
from verifier.cli.running import OK, say

SHARE = files("verifier") / "share"
CHECK = ("verifier check {}", "verifier show {}")


@dataclass(frozen=True)
class Template:
    """A first file: its name among what is shared, where it goes, and what to do next."""

    name: str
    place: Path
    next: tuple[str, ...] = CHECK


KINDS = {
    kind: Template(f"templates/{kind}.privacy.yaml", Path(f"{kind}.privacy.yaml"))
    for kind in ("survey", "sparse-vector", "blowfish")
} | {
    "ci": Template(
        "templates/ci.yml",
        Path(".github/workflows/privacy.yml"),
        ("set the variable VERIFIER of the repository, as the file says", "git add {}"),
    )
}

LIKE = {
    name: Template(f"models/deployed/{name}.yaml", Path(f"{name}.privacy.yaml"))
    for name in ("attribution", "census", "memoized", "rappor", "sketch", "topics")
}


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "init", "write a first file, with comments")
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "kind",
        nargs="?",
        choices=tuple(KINDS),
        default="survey",
        metavar="KIND",
        help=f"one of: {', '.join(KINDS)}; %(default)s by default",
    )
    what.add_argument("--like", choices=tuple(LIKE), help="in place of KIND, a deployed system")
    add_out(
        command,
        "--output",
        type=Path,
        metavar="FILE",
        help="where it is written; by default KIND.privacy.yaml in the current folder, for ci "
        ".github/workflows/privacy.yml",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a first file to a place where none is yet, and say what to do next."""
    template = LIKE[options.like] if options.like else KINDS[options.kind]
    target: Path = options.out or template.place
    text = (SHARE / template.name).read_text(encoding="utf-8")
    if target.exists():
        said, hint = f"'{target}' is there already", "name another one with --out"
        raise InputError("S702", said, hint=hint)
    write(target, text)
    after = (f"  {step.format(target)}" for step in template.next)
    say(map(escaped, [f"{target}: written; next:", *after]))
    return OK
