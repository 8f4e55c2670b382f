"""The plugin of pytest: every check of `*.privacy.yaml` is a test, without a line of Python.

Every run of pytest in an environment imports this module, so it loads the standard library and
pytest alone. A file is read when it is collected, and each of its checks is decided when its test
runs.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verifier.testing import PrivacyNote, said

if TYPE_CHECKING:
    from verifier.base.document import Note
    from verifier.base.parameters import Choice
    from verifier.run.verify import Options, Result
    from verifier.spec.asked import Asked

ENDINGS = (".yaml", ".yml", ".json")
NAMED = tuple(f".privacy{ending}" for ending in ENDINGS)
SPECS, LIMIT, PYTHON = "verifier_specs", "verifier_time_limit", "verifier_allow_python"
MARK = "privacy"
LISTED = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings in pytest's file of settings."""
    parser.addini(SPECS, "folders and patterns of spec files, besides *.privacy.yaml", "args", [])
    parser.addini(LIMIT, "seconds for reading a spec file and for each check", default="300")
    parser.addini(PYTHON, "let spec files run Python functions, as untrusted guests", "bool", False)


def pytest_configure(config: pytest.Config) -> None:
    """What the settings list; UsageError where there is nothing of the kind."""
    config.addinivalue_line("markers", f"{MARK}: a check of a spec file of verifier")
    found: set[Path] = set()
    for pattern in config.getini(SPECS):
        names = glob(pattern, root_dir=config.rootpath, recursive=True)
        if not names:
            raise pytest.UsageError(f"{SPECS}: nothing in {config.rootpath} is '{pattern}'")
        found.update(Path(os.path.normpath(config.rootpath / name)) for name in names)
    config.stash[LISTED] = frozenset(found)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Files that are named *.privacy.yaml, or listed, or inside a listed folder."""
    listed = parent.config.stash[LISTED]
    inside = file_path.suffix in ENDINGS and not listed.isdisjoint(file_path.parents)
    if file_path.name.endswith(NAMED) or file_path in listed or inside:
        return SpecFile.from_parent(parent, path=file_path)
    return None


class SpecFile(pytest.File):
    """A spec file, read when it is collected."""

    def collect(self) -> Iterator[CheckItem]:
        """A test for each check and each choice of the file's parameters; notes are warnings."""
        from verifier.base.parameters import given
        from verifier.run.verify import Options, choices, limits, unsettled
        from verifier.spec.reading import read_whole

        config = self.config
        options = Options(
            time_limit=float(config.getini(LIMIT)), allow_python=config.getini(PYTHON)
        )
        told: set[Note] = set()  # for another choice
        for choice in choices(self.path):
            with given(choice):
                read = read_whole(self.path, options.allow_python, partial(limits, options))
                results = unsettled(str(self.path), read)
            _warn(self.path, [note for note in read.notes if note not in told])
            told.update(read.notes)
            for result, asked in zip(results, read.questions, strict=True):
                about = {"result": result, "asked": asked, "choice": choice, "options": options}
                yield CheckItem.from_parent(self, name=_name(result), **about)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with a file, with places and hints."""
        from verifier.base.errors import VerifierError

        if isinstance(excinfo.value, VerifierError | PrivacyNote):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class CheckItem(pytest.Item):
    """One check, decided when the test runs."""

    def __init__(
        self, *, result: Result, asked: Asked, choice: Choice, options: Options, **node: Any
    ) -> None:
        super().__init__(**node)
        self.result, self.asked, self.choice, self.options = result, asked, choice, options
        self.add_marker(MARK)
        self.extra_keyword_matches.add(result.definition)

    def runtest(self) -> None:
        """Decide it; NotMet unless the answer is the one that is expected."""
        from verifier.base.parameters import given
        from verifier.run.verify import settled

        with given(self.choice):
            found = settled(self.result, self.asked, self.options)
        _warn(self.path, found.notes)
        if found.status != "ok":
            raise NotMet("\n".join(said(found)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The lines of the report in place of a traceback."""
        if isinstance(excinfo.value, NotMet | PrivacyNote):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the check stands, and its name."""
        place = self.result.place
        return self.path, place and place.line - 1, self.name


class NotMet(Exception):
    """A check whose answer is not the one that is expected."""


def _warn(path: Path, notes: Iterable[Note]) -> None:
    """Tell what a file says that nobody asked for, where it says so."""
    for note in notes:
        line = note.place.line if note.place else 1
        warnings.warn_explicit(PrivacyNote(str(note)), None, str(path), line)


def _name(result: Result) -> str:
    """The name of a check as a part of the id of a test."""
    from verifier.base.escape import escaped

    # pytest parts the id of a test at `::`
    return escaped(result.label).replace("::", ":")
