"""Files that are whole or not there: written beside their place, then renamed; the manifest."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from verifier.base.errors import InputError

_NUMBERS = count()
_UNFINISHED = re.compile(r"\.(\d+)-\d+\.part")
MANIFEST = "manifest.json"


def write(target: Path, content: str | bytes) -> str:
    """Write `content` to the file `target` as a whole: its place always holds the old one or the
    new.

    Folders are made as needed. What is there and no regular file, such as a pipe or `/dev/null`, is
    written to: a file in its place would take it from all others. Returns the SHA-256 of the
    bytes, in hexadecimal; InputError S701.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    beside = target.with_name(f".{os.getpid()}-{next(_NUMBERS)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return hashlib.sha256(data).hexdigest()
        try:
            _fill(beside, data)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritten(target, error) from None
    return hashlib.sha256(data).hexdigest()


def unwritten(target: Path, error: OSError) -> InputError:
    """What is said of a file that the system does not let be written, S701."""
    reason = error.strerror or error
    if isinstance(error, FileExistsError):  # of the folders that are to be made
        reason = f"'{error.filename}' is no folder"
    return InputError("S701", f"cannot write '{target}': {reason}")


def _fill(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def place(folder: Path, spec: str, number: int | None = None, note: str = "") -> Path:
    """Where a certificate of a spec file goes.

    Below `folder` it has the place that the spec has below the working folder or, from outside of
    it, below the root of the file system.

    folder  of all certificates
    spec    the path of the spec file
    number  of the check; None for what all names of a spec begin with
    note    for which parameters, in words

    >>> place(Path("proofs"), "survey/spec.yaml", 2).as_posix()
    'proofs/survey/spec.yaml-2.json'
    """
    whole, here = Path(os.path.abspath(spec)), Path.cwd()
    inside = whole.relative_to(here if whole.is_relative_to(here) else whole.anchor)
    if number is None:
        return folder / inside
    after = "-" + re.sub(r"[^\w=.]+", "_", note) if note else ""
    return folder / f"{inside}-{number}{after}.json"


def remove_stale(folder: Path, spec: str, fresh: Collection[Path]) -> None:
    """Remove the certificates of a `spec` file below `folder` that are not `fresh`; InputError
    S701."""
    base = place(folder, spec)
    named = re.compile(re.escape(base.name) + r"-\d+(-[\w=.]+)?\.json")
    for path in _listed(base.parent):
        if named.fullmatch(path.name) and path not in fresh:
            _remove(path)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError("S701", f"cannot remove '{path}': {error.strerror}") from None


def write_manifest(folder: Path, tool: str, specs: Sequence[dict[str, Any]]) -> None:
    """Write what a run has found, and clear away what killed runs left unfinished; InputError S701.

    folder  of all certificates, which are all written
    tool    name and version of the program
    specs   what was found for each spec file
    """
    report = {"version": 1, "tool": tool, "specs": list(specs)}
    folders = {folder, *(place(folder, spec["file"]).parent for spec in specs)}
    for path in (path for one in sorted(folders) for path in _unfinished(one)):
        _remove(path)
    for one in sorted(folders):
        _sync(one)
    write(folder / MANIFEST, json.dumps(report, indent=1) + "\n")
    _sync(folder)


def _unfinished(folder: Path) -> Iterator[Path]:
    """What processes that are no more have not finished writing."""
    for path in _listed(folder):
        found = _UNFINISHED.fullmatch(path.name)
        if found and not _is_alive(int(found[1])):
            yield path


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _sync(folder: Path) -> None:
    """Make renames in a folder lasting, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
