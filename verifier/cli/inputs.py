"""The files that arguments name: files, folders, patterns, and standard input.

Below a folder these are the spec files, by their text; only what it leaves in doubt is read as
YAML, as the parent of a run loads no library where it can be helped.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator

from verifier.base.document import MAX_BYTES
from verifier.base.errors import InputError, Place
from verifier.spec.recognising import SUFFIXES, has_keys, is_spec, may_be_spec

DASH, STDIN = "-", "<stdin>"  # as an argument, and as a name in reports
MAGIC = re.compile(r"[*?[]")
WANTED = "a YAML or JSON file with `worlds` and `checks` at its top"


def named(argument: str) -> Iterator[str]:
    """The files that an argument names; those of a folder or a pattern in the order of their names.

    InputError S001 where a folder or a pattern has none, or a folder cannot be read.
    """
    if argument == DASH:
        yield STDIN
    elif os.path.isdir(argument):
        yield from _below(argument)
    elif MAGIC.search(argument) and not os.path.lexists(argument):
        yield from _matching(argument)
    else:
        yield argument


def covers(argument: str, file: str) -> bool:
    """Whether an argument names a file that is there, or would if this were a spec file."""
    if os.path.isdir(argument):
        inside = os.path.relpath(file, argument)
        hidden = any(
            part.startswith(".") for part in os.path.dirname(inside).split(os.sep)
        )  # or ..
        return file.endswith(SUFFIXES) and not hidden
    if MAGIC.search(argument) and not os.path.lexists(argument):
        return any(covers(found, file) for found in glob.glob(argument, recursive=True))
    return os.path.relpath(argument) == os.path.relpath(file)


def single(argument: str) -> str:
    """The one file that an argument names."""
    return STDIN if argument == DASH else argument


def given(name: str) -> dict[str, str]:
    """What a worker has to be told of a file besides its name: standard input itself."""
    if name != STDIN:
        return {}
    return {"given": sys.stdin.buffer.read(MAX_BYTES + 1).decode("latin-1")}


def _matching(pattern: str) -> Iterator[str]:
    """The files that match a pattern, and those below the folders that do."""
    found = sorted(glob.glob(pattern, recursive=True))
    is_deep = "**" in pattern  # which matches the files below folders by itself
    names = [name for name in found if not (is_deep and os.path.isdir(name))]
    if not names:
        raise _missing(pattern, "no file matches this pattern")
    for name in names:
        yield from _below(name) if os.path.isdir(name) else (name,)


def _below(folder: str) -> list[str]:
    """The spec files below a folder, but in folders that are hidden."""
    names: list[str] = []
    for path, inner, files in os.walk(folder, onerror=_refuse):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        whole = (os.path.join(path, name) for name in sorted(files) if name.endswith(SUFFIXES))
        names += [name for name in whole if is_spec_file(name)]
    if not names:
        raise nothing_in(folder)
    return names


def nothing_in(folder: str) -> InputError:
    """The error of a folder without any spec file."""
    return _missing(folder, f"there is no spec file in this folder: {WANTED}")


def _refuse(error: OSError) -> None:
    raise _missing(error.filename, f"cannot read the folder: {error.strerror}")


def _missing(name: str, message: str) -> InputError:
    return InputError("S001", message, Place(name, 1, 1), hint="name a spec file")


def is_spec_file(path: str) -> bool:
    """Whether a file has the keys at its top; also where it cannot be read, which is told then."""
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES)
    except OSError:
        return True
    if has_keys(content.decode("utf-8-sig", "replace")):
        return True
    # YAML may have them indented, escaped, or after a mark of its beginning
    return not path.endswith(".json") and may_be_spec(content) and is_spec(path)
