"""The table of a sweep: written by the parent alone, and whole at every instant.

While a sweep lasts its rows are in a database of SQLite (write-ahead log), which is the `.sqlite`
that was asked for or stands beside the table, named `.partial`. A transaction has all rows of some
combinations. A `.csv` or `.parquet` is made of it at the end: written beside its place, then
renamed. What a killed sweep has written is found again by the keys.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from verifier.base.errors import InputError, LibraryMissing
from verifier.base.files import unwritten

Record = Sequence[Any]
OF_CHECK = {  # the columns of a check, with their types
    "check_number": "INTEGER",
    "name": "TEXT",
    "definition": "TEXT",
    "digest": "TEXT",
    "verdict": "TEXT",
    "status": "TEXT",
    "level": "TEXT",
    "leakage": "TEXT",
    "leakage_float": "REAL",
    "reason": "TEXT",
    "seconds": "REAL",
}
FIRST, LAST, CERTIFICATE = "combination", "key", "certificate"
PARTIAL = ".partial"  # after the name of a table that is not complete
PART = 10_000  # rows of a Parquet table that are written at a time
PATIENCE = 5.0  # seconds until the workers of a killed sweep must have ended


def columns(parameters: Iterable[str], certificates: bool) -> dict[str, str]:
    """The columns of a table, with their types.

    A parameter that is named as another column, whatever its case, has `parameter_` before it.

    >>> list(columns(["p", "Status"], False))[:4]
    ['combination', 'p', 'parameter_Status', 'check_number']
    """
    last = {**OF_CHECK, **({CERTIFICATE: "TEXT"} if certificates else {}), LAST: "TEXT"}
    taken, named = {FIRST, *last, CERTIFICATE}, []
    for name in parameters:
        while name.lower() in taken:
            name = f"parameter_{name}"
        taken.add(name.lower())
        named.append(name)
    return {FIRST: "INTEGER", **dict.fromkeys(named, "TEXT"), **last}


class Table:
    """The table of a sweep, open for writing; to be used in a `with`.

    target   where it goes, folders are made as needed; the suffix says in which format
    columns  with their types
    resume   whether the rows that are there already count

    Raises S701 where it cannot be written, S702 where it is there already, or is another one;
    LibraryMissing.
    """

    def __init__(self, target: Path, columns: Mapping[str, str], resume: bool) -> None:
        self.target, self.columns = target, columns
        is_database = target.suffix == ".sqlite"
        self.path = target if is_database else target.with_name(target.name + PARTIAL)
        if target.suffix == ".parquet":
            _pyarrow()
        there = [path for path in dict.fromkeys((target, self.path)) if path.exists()]
        if there and not resume:
            said = f"'{there[0]}' is there already"
            raise InputError("S702", said, hint="write --resume to go on with it, or remove it")
        self._marks = ", ".join("?" * len(columns))
        with _written(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path, "ab")  # noqa: SIM115 - until the end of the sweep
            self._hold()
            self._base = sqlite3.connect(self.path, isolation_level=None)
        with self._checked(is_new=self.path not in there):
            self._start(is_database)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(sqlite3.Error):
            self._base.close()
        self._lock.close()  # last: closing it would take the database's own locks away

    def _hold(self) -> None:
        """Keep other sweeps out; one that was killed may take a moment to be gone."""
        end = monotonic() + PATIENCE
        while True:
            try:
                return fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() > end:
                    self._lock.close()
                    said = f"another sweep writes '{self.path}'"
                    raise InputError("S702", said, hint="wait until it has ended") from None
                sleep(0.02)

    @contextmanager
    def _checked(self, is_new: bool) -> Iterator[None]:
        """Close what is open where a block fails, and remove what `is_new`."""
        try:
            with _written(self.path):
                yield
        except InputError:
            self.__exit__()
            if is_new:
                self._remove()
            raise

    def _start(self, is_database: bool) -> None:
        """Make the table, with the rows of a complete one if it is there; hold it against ours."""
        found = [name for _, name, *_ in self._base.execute("PRAGMA table_info(results)")]
        if found:
            self._compare(found)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        if not found:
            with self._transaction():
                self._create()
                if self.target.exists() and not is_database:
                    names, rows = FORMATS[self.target.suffix][0](self.target)
                    self._compare(names)
                    self._insert(rows)

    def _create(self) -> None:
        typed = ", ".join(f'"{name}" {kind}' for name, kind in self.columns.items())
        self._base.execute(f'CREATE TABLE results ({typed}, PRIMARY KEY ("key", "check_number"))')

    def _compare(self, found: Sequence[str]) -> None:
        if list(found) != list(self.columns):
            said = f"'{self.target}' has the columns {', '.join(found)}"
            raise InputError("S702", said, hint=f"they would be {', '.join(self.columns)}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def _insert(self, rows: Iterable[Record]) -> None:
        self._base.executemany(f"INSERT INTO results VALUES ({self._marks})", rows)

    def keys(self) -> dict[str, set[str]]:
        """The keys of all combinations that are there, with the statuses of their checks."""
        found: dict[str, set[str]] = {}
        kept: dict[frozenset[str], set[str]] = {}  # as there are few different ones
        query = "SELECT key, group_concat(DISTINCT status) FROM results GROUP BY key"
        with _written(self.path):
            for key, statuses in self._base.execute(query):
                one = frozenset(statuses.split(","))
                found[key] = kept.setdefault(one, set(one))
        return found

    def put(self, rows: Iterable[Record]) -> None:
        """Write the rows of some combinations, all or none of them; S701."""
        with _written(self.path), self._transaction():
            self._insert(rows)

    def complete(self) -> None:
        """Put the table in its place, all of it; S701."""
        if self.path == self.target:
            with _written(self.path):
                # without its log the database is one file again, which may be copied
                self._base.execute("PRAGMA journal_mode=DELETE")
            return
        beside = self.target.with_name(self.target.name + ".tmp")
        names = ", ".join(f'"{name}"' for name in self.columns)
        query = f"SELECT {names} FROM results ORDER BY combination, rowid"
        with _written(self.target):
            with closing(self._base.execute(query)) as rows:
                FORMATS[self.target.suffix][1](beside, self.columns, rows)
            os.replace(beside, self.target)
            self._base.close()
            self._remove()

    def _remove(self) -> None:
        """Remove the database, which must be closed."""
        for end in ("-wal", "-shm", ""):
            Path(f"{self.path}{end}").unlink(missing_ok=True)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """Say which file cannot be written (S701)."""
    try:
        yield
    except sqlite3.Error as error:
        raise InputError("S701", f"cannot write '{path}': {error}") from None
    except OSError as error:
        raise unwritten(path, error) from None


def _csv_rows(path: Path) -> tuple[list[str], Iterator[Record]]:
    """The names of the columns and the rows of a csv file."""
    import csv

    def lines() -> Iterator[list[str]]:
        with open(path, encoding="utf-8", newline="") as file:
            yield from csv.reader(file)

    found = lines()
    names = next(found, [])
    numbers = {k for k, name in enumerate(names) if OF_CHECK.get(name) == "REAL"}
    return names, (
        [_number(text) if text and k in numbers else text or None for k, text in enumerate(row)]
        for row in found
    )


def _number(text: str) -> float:
    """The number nearest to a text; SQLite would read some, such as 0.005754, as another one."""
    try:
        return float(text)
    except ValueError:
        raise OSError(f"no number: {text:.30}") from None


def _write_csv(path: Path, columns: Mapping[str, str], rows: Iterable[Record]) -> None:
    import csv

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        _sync(file)


def _parquet_rows(path: Path) -> tuple[list[str], Iterator[Record]]:
    """The names of the columns and the rows of a Parquet file."""
    parquet = _pyarrow().parquet
    try:
        file = parquet.ParquetFile(path)
    except _pyarrow().ArrowInvalid as error:
        raise OSError(f"no Parquet table: {error}") from None
    batches = file.iter_batches(batch_size=PART)
    return list(file.schema_arrow.names), (
        row for batch in batches for row in zip(*batch.to_pydict().values(), strict=True)
    )


def _write_parquet(path: Path, columns: Mapping[str, str], rows: Any) -> None:
    """Write rows in groups of so many that a group is quickly read and written."""
    arrow = _pyarrow()
    types = {"TEXT": arrow.string(), "INTEGER": arrow.int64(), "REAL": arrow.float64()}
    schema = arrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with open(path, "wb") as file:
        with arrow.parquet.ParquetWriter(file, schema) as writer:
            while part := rows.fetchmany(PART):
                arrays = [
                    arrow.array(values, one.type)
                    for values, one in zip(zip(*part, strict=True), schema, strict=True)
                ]
                writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
        _sync(file)


def _sync(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise LibraryMissing("a table .parquet", "pyarrow", "parquet") from None
    return pyarrow


Reader = Callable[[Path], tuple[list[str], Iterator[Record]]]
Writer = Callable[[Path, Mapping[str, str], Any], None]
FORMATS: dict[str, tuple[Reader, Writer]] = {  # by the suffix: those that are made at the end
    ".csv": (_csv_rows, _write_csv),
    ".parquet": (_parquet_rows, _write_parquet),
}
SUFFIXES = (".sqlite", *FORMATS)
