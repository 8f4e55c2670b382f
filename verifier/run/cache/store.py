"""What was answered before: parts of certificates, under the digests of their questions.

They stand in a file of SQLite. Nothing here is trusted: what `get` finds is a suggestion that the
checker has yet to accept. So nothing that goes wrong here is an error of the run: it is told once,
and the question is decided.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from verifier.base.registry import PACKAGE
from verifier.base.version import VERSION

Json = dict[str, Any]
NAME = "certificates.sqlite"
TABLE = (
    "CREATE TABLE certificates (question TEXT, version TEXT, content BLOB, used INTEGER, "
    "PRIMARY KEY (question, version)) WITHOUT ROWID"
)
LARGEST = 2**24  # bytes of what is kept of a certificate, as text
PATIENCE = 2.0  # seconds to wait while another run writes
IGNORE = "# made by verifier: what is here can be removed at any time\n*\n"
_LONG = re.compile(rb"[0-9]{100001}")  # digits: no number of a certificate has as many


@lru_cache
def version() -> str:
    """What answers depend on besides the question: this program, by the digest of its modules."""
    digest = hashlib.sha256(VERSION.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return f"{VERSION}-{digest.hexdigest()[:16]}"


def today() -> int:
    """The number of this day."""
    return int(time.time() // 86400)


def connect(folder: Path, create: bool = False) -> sqlite3.Connection | None:
    """The file of a folder, opened; None where there is none yet.

    create  whether it is made where it is missing

    OSError or sqlite3.Error where it cannot be used, or is not a file of this program.
    """
    path = Path(os.path.abspath(folder / NAME))
    if create:
        _make(path.parent)
    elif not os.path.lexists(path):
        return None
    mode = "rwc" if create else "rw"
    file = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", timeout=PATIENCE, isolation_level=None, uri=True
    )
    try:
        file.execute("PRAGMA synchronous=OFF")  # what a crash of the system spoils is decided again
        file.execute("PRAGMA trusted_schema=OFF")
        if create:
            file.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        tables = file.execute("SELECT sql FROM sqlite_schema").fetchall()
        # the very words of our table, or nothing yet: whatever else it is, it is left alone
        if tables not in ([(TABLE,)], []):
            raise sqlite3.DatabaseError("it is the file of another program, or of another version")
    except BaseException:
        file.close()
        raise
    if not tables:
        file.close()
        return None
    return file


def _make(folder: Path) -> None:
    """Make a folder, kept out of repositories, unless it is there."""
    with suppress(FileExistsError):
        folder.mkdir(parents=True)
        (folder / ".gitignore").write_text(IGNORE, encoding="utf-8")


class Store:
    """What is kept in a folder.

    folder  is made when there is something to keep
    tell    is told in words that the folder cannot be read, or written; then that is given up
    """

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda reason: None) -> None:
        self.folder, self.tell = folder, tell
        self._file: sqlite3.Connection | None = None
        self._given_up: set[str] = set()

    def get(self, question: str) -> Any:
        """What is kept under the digest of a `question`, as JSON; None for nothing."""
        found = self._trying("read", lambda: self._selected(question))
        if found is None:
            return None
        content, used = found
        if used != today():
            update = "UPDATE certificates SET used=? WHERE question=? AND version=?"
            self._write(update, today(), question, version())
        return _unpacked(content)

    def _selected(self, question: str) -> Any:
        self._file = self._file or connect(self.folder)
        if self._file is None:
            return None
        select = "SELECT content, used FROM certificates WHERE question=? AND version=?"
        return self._file.execute(select, (question, version())).fetchone()

    def put(self, question: str, part: Json) -> None:
        """Keep a `part` of a certificate under the digest of its `question`, unless it is too
        large."""
        text = json.dumps(part, default=str, separators=(",", ":")).encode()
        if len(text) <= LARGEST:
            insert = "INSERT OR REPLACE INTO certificates VALUES (?, ?, ?, ?)"
            self._write(insert, question, version(), zlib.compress(text), today())

    def _write(self, statement: str, *values: object) -> None:
        def execute() -> None:
            self._file = self._file or connect(self.folder, create=True)
            assert self._file
            self._file.execute(statement, values)

        self._trying("written", execute)

    def _trying(self, what: str, do: Callable[[], Any]) -> Any:
        """What `do` gives; None where it fails, now or before."""
        # a file that cannot be read is not written either
        if {"read", what} & self._given_up:
            return None
        try:
            return do()
        except (OSError, sqlite3.Error, MemoryError) as error:
            self._given_up.add(what)
            said = f"the cache in '{self.folder}' cannot be {what}: {error or 'memory'}"
            self.tell(f"{said} (no answer depends on it)")
        return None

    def close(self) -> None:
        """Give the file back."""
        if self._file:
            self._file.close()
            self._file = None


def _unpacked(content: Any) -> Any:
    """The JSON that was packed as `content`; None where it is nothing that `put` has written."""
    try:
        # bounded, as a few bytes may have been packed to become gigabytes
        text = zlib.decompressobj().decompress(content, LARGEST + 1)
        return None if len(text) > LARGEST or _LONG.search(text) else json.loads(text)
    except (zlib.error, TypeError, ValueError, RecursionError):
        return None
