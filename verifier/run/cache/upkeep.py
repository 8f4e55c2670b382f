"""What is kept in a cache, and how it becomes less.

OSError or sqlite3.Error where the folder cannot be used.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from verifier.run.cache.store import IGNORE, NAME, connect, today, version
from verifier.run.cache.unchanged import MARK

DAYS = 30  # that an answer is kept without being asked for
ANSWERS = f"question NOT LIKE '{MARK}%'"  # what else is kept is told of files, and made of them
BESIDE = ("", "-journal", "-wal", "-shm")  # what SQLite puts beside its file


@dataclass(frozen=True)
class Contents:
    """How many answers are kept, how many of them are of this program as it is, and the bytes of
    the file."""

    answers: int
    current: int
    size: int


def contents(folder: Path) -> Contents | None:
    """What is kept in a `folder`; None where nothing is."""
    file = connect(folder)
    if file is None:
        return None
    with closing(file):
        count = "SELECT count(*), count(CASE WHEN version=? THEN 1 END) FROM certificates"
        answers, current = file.execute(f"{count} WHERE {ANSWERS}", (version(),)).fetchone()
    return Contents(answers, current, (folder / NAME).stat().st_size)


def prune(folder: Path) -> int:
    """Remove the answers of other versions, and those that were not asked for in 30 days; how many
    they were."""
    file = connect(folder)
    if file is None:
        return 0
    with closing(file):
        # what was used in the future was so by a clock that was wrong
        stale = "DELETE FROM certificates WHERE (version<>? OR used NOT BETWEEN ? AND ?)"
        about = version(), today() - DAYS, today()
        removed = file.execute(f"{stale} AND {ANSWERS}", about).rowcount
        file.execute(stale, about)
        file.execute("VACUUM")
    return removed


def clear(folder: Path) -> bool:
    """Remove all that this program has made in a `folder`; whether there was anything."""
    found = [path for name in BESIDE if (path := folder / f"{NAME}{name}").exists()]
    for path in found:
        path.unlink()
    with suppress(OSError):  # there is none, or the folder holds something else
        if (folder / ".gitignore").read_bytes() == IGNORE.encode():
            (folder / ".gitignore").unlink()
            folder.rmdir()
    return bool(found)
