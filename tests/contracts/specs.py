"""Spec files of the words' own examples, and what a run says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier import cli
from verifier.report.words import SPEC, Word, words

Json = dict[str, Any]


def of_kind(kind: str) -> dict[str, Word]:
    """The words of a kind, by name."""
    every = (one for meanings in words().values() for one in meanings)
    return {one.name: one for one in every if one.kind == kind}


def plain(text: str) -> Json:
    """A spec file as data: every number and flag as its text."""
    data: Json = yaml.load(text, yaml.BaseLoader)
    return data


def save(files: dict[str, str], folder: Path) -> str:
    """Write files into a folder; the path of the spec file among them."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder / SPEC)


def report(
    files: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, Json, str]:
    """The exit status, the report and the complaints of `verifier check`.

    files   name -> text, the spec file among them
    folder  where to write them
    """
    path = save(files, folder)
    capsys.readouterr()
    status = cli.main(["check", path, "--format", "json", "--allow-python"])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out else {}, said.err


def unanswered(found: Json) -> Iterator[str]:
    """The checks of a report that end in neither an accepted certificate nor a reason."""
    for result in found["results"]:
        certificate = result["certificate"]
        decided = result["verdict"] in ("holds", "violated") and certificate
        if not (decided and certificate["accepted"]):
            reason = result["reason"] or ""
            if result["verdict"] != "undecided" or len(reason) < 20 or "internal" in reason:
                yield f"{result['definition']}: {result['verdict']} {certificate} {reason}"
