"""Settings: what options, the environment and a file say under one name, and which of them counts.

The command line goes before the environment, the environment before a file, a file before the
default. The file is the nearest one upwards from the current folder: `verifier.toml`, else a
`pyproject.toml` with a table `[tool.verifier]`. Files are not merged.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from verifier.base.document import Source, decode, read_bytes
from verifier.base.errors import InputError, Place, choice
from verifier.base.escape import escaped
from verifier.base.version import VERSION
from verifier.cli import arguments
from verifier.cli.inputs import MAGIC
from verifier.run.cache import FOLDER

OWN, SHARED = "verifier.toml", "pyproject.toml"  # the first goes before the second
TABLE = ("tool", "verifier")  # of the second
CODE = "S905"
DEFAULT, LIST = "default", "a list of texts"
MOST_SHOWN = 3  # names of a list in the head of a report
WORDS = " or ".join(arguments.FAIL_ON)
CLAUSE = re.compile(r"(==|!=|>=|<=|~=|>|<|)\s*(\d+(?:\.\d+)*)")
COMPARED: dict[str, Callable[[list[int], list[int]], bool]] = {
    "==": lambda ours, theirs: ours == theirs,
    "!=": lambda ours, theirs: ours != theirs,
    ">=": lambda ours, theirs: ours >= theirs,
    "<=": lambda ours, theirs: ours <= theirs,
    ">": lambda ours, theirs: ours > theirs,
    "<": lambda ours, theirs: ours < theirs,
}
SHAPES: dict[str, Callable[[Any], bool]] = {  # of values of a file
    "true or false": lambda value: isinstance(value, bool),
    "false": lambda value: value is False,
    "a number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "a text": lambda value: isinstance(value, str) and value != "",
    WORDS: lambda value: value in arguments.FAIL_ON,
    LIST: lambda value: (
        isinstance(value, list)
        and value != []
        and all(isinstance(one, str) and one for one in value)
    ),
}


class Setting(NamedTuple):
    """A name: of the option `--name`, of a key of the file, of the variable `VERIFIER_NAME`.

    shapes    what its value in a file may be
    read      what a text means: of the environment, or of the file; ArgumentTypeError
    example   its value in a file
    about     what it is, in words
    default   as a text; None where there is none
    dest      the name among the parsed arguments
    commands  that take it; all that have the option where there are none
    variable  of the environment that has it; empty where none has
    none      what no value means, in words
    strict    its value where it gates most; None where it gates nothing
    """

    name: str
    shapes: tuple[str, ...]
    read: Callable[[str], Any]
    example: str
    about: str
    default: str | None = None
    dest: str = ""
    commands: tuple[str, ...] = ()
    variable: str = ""
    none: str = "none"
    strict: Any = None


class File(NamedTuple):
    """A file of settings: its path, its text, the keys that lead to its table, and the table."""

    path: str
    source: Source
    within: tuple[str, ...]
    table: dict[str, Any]

    def error(self, key: str, message: str, hint: str = "") -> InputError:
        """The error to raise about the value of a key."""
        place = self.place(key)
        return self.source.error(CODE, message, place.line, place.column, hint)

    def place(self, key: str) -> Place:
        """Where a key stands; the start of the file where its text is written with escapes."""
        line, column = _position(self.source.lines, (*self.within, key))
        return Place(self.path, line, column)


class Said(NamedTuple):
    """What one place says under a name: the value, and the place in words.

    file  that says it; None where no file does
    """

    name: str
    value: Any
    words: str
    file: File | None = None

    @property
    def by(self) -> str:
        """Who says it: an option, a variable, a place in a file, or the default."""
        return self.words if self.file is None else str(self.file.place(self.name))


def flag(text: str) -> bool:
    """A truth, as a text."""
    if text not in ("true", "false", "1", "0"):
        raise argparse.ArgumentTypeError(f"true or false was expected, not '{text}'")
    return text in ("true", "1")


def leak_or_promise(text: str) -> str:
    """What `diff` fails on, as a text."""
    if text not in arguments.FAIL_ON:
        raise argparse.ArgumentTypeError(f"{WORDS} was expected, not '{text}'")
    return text


def clauses(text: str) -> str:
    """The versions that may run, such as `>=0.1,<2`."""
    if not all(CLAUSE.fullmatch(one.strip()) for one in text.split(",")):
        raise argparse.ArgumentTypeError(f"versions were expected, such as >=0.1,<2, not '{text}'")
    return text


SETTINGS = (
    Setting(
        "paths",
        (LIST,),
        str,
        '["models", "survey/*.yaml"]',
        "spec files, folders of them and patterns, for `check` and `lock` without FILE",
        dest="files",
        commands=("check", "lock"),
        none="all of this folder",
    ),
    Setting(
        "strict",
        ("true or false",),
        flag,
        "true",
        "whether a note is a failure",
        "false",
        variable="VERIFIER_STRICT",
        strict=True,
    ),
    Setting(
        "time-limit",
        ("a number",),
        arguments.seconds,
        "60",
        "seconds of the processor for each part of the work",
        str(arguments.DEFAULT_SECONDS),
        variable="VERIFIER_TIME_LIMIT",
    ),
    Setting(
        "memory-limit",
        ("a text",),
        arguments.size,
        '"2G"',
        "memory of all processes of the run; 80% of what there is by default",
        variable="VERIFIER_MEMORY_LIMIT",
        none="80% of the memory",
    ),
    Setting(
        "jobs",
        ("a number", "a text"),
        arguments.jobs,
        '"auto"',
        "how many files are worked on side by side",
        "auto",
        variable="VERIFIER_JOBS",
    ),
    Setting(
        "cache",
        ("a text", "false"),
        arguments.cache,
        '".verifier-cache"',
        "the folder where answers are kept, or false",
        FOLDER,
        variable="VERIFIER_CACHE",
    ),
    Setting(
        "report",
        (LIST,),
        arguments.target,
        '["sarif=privacy.sarif"]',
        "further reports of `check`, each FORMAT=PATH",
        dest="reports",
        commands=("check",),
    ),
    Setting(
        "advice",
        ("true or false",),
        flag,
        "false",
        "whether `check` says what a violated check would hold with",
        "true",
        variable="VERIFIER_ADVICE",
    ),
    Setting(
        "allow-python",
        ("true or false",),
        flag,
        "true",
        "whether spec files may run Python functions, as untrusted guests",
        "false",
        variable="VERIFIER_ALLOW_PYTHON",
    ),
    Setting(
        "fail-on",
        (WORDS,),
        leak_or_promise,
        '"leak"',
        "what `diff` fails on: leak or promise",
        arguments.FAIL_ON[0],
        variable="VERIFIER_FAIL_ON",
        strict=arguments.FAIL_ON[0],
    ),
    Setting(
        "required-version",
        ("a text",),
        clauses,
        '">=0.1,<2"',
        "the versions of verifier that may run; another one ends with status 2",
    ),
)
NAMES = {one.name: one for one in SETTINGS}


def dest(setting: Setting) -> str:
    """The name of a setting among the parsed arguments."""
    return setting.dest or setting.name.replace("-", "_")


def settle(options: argparse.Namespace) -> list[str]:
    """Fill in what the command line leaves open; notes on what makes a gate weaker.

    The arguments get `said`: name -> what is said under it, the place that counts first.
    InputError S905.
    """
    taken = [one for one in SETTINGS if _is_taken(one, options)]
    if not taken:
        return []
    file = None if getattr(options, "isolated", False) else nearest(_folders())
    options.said = {one.name: list(_said(one, options, file)) for one in SETTINGS}
    for one in taken:
        setattr(options, dest(one), options.said[one.name][0].value)
    if is_set(options, "paths"):
        for name in options.files:
            if not MAGIC.search(name) and not os.path.lexists(name):
                raise error(options, "paths", f"there is no '{name}'")
    return [note for one in taken for note in _weaker(one, options.said[one.name])]


def is_set(options: argparse.Namespace, name: str) -> bool:
    """Whether it is a file that says what a command takes under a name."""
    return _is_taken(NAMES[name], options) and options.said[name][0].file is not None


def error(options: argparse.Namespace, name: str, message: str) -> InputError:
    """What is wrong with what a file says under a name."""
    file: File = options.said[name][0].file
    return file.error(name, f"'{name}': {message}", "paths are those from the folder of this file")


def shown_settings(options: argparse.Namespace) -> Iterator[str]:
    """The file that counts, those that are passed over, and all settings with their places."""
    folders = iter(()) if options.isolated else _folders()
    file = nearest(folders)
    yield escaped(f"file of settings: {file.path if file else 'none'}")
    with suppress(InputError):  # of a file that does not count
        if above := nearest(folders):  # which goes on where it has found one
            yield escaped(f"passed over: {above.path}")
    rows = [(one.name, *_told(one, options.said[one.name])) for one in SETTINGS]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:2]]
    for name, value, by in rows:
        yield escaped(f"{name:{widths[0]}}  {value:{widths[1]}}  {by}")


def chosen(options: argparse.Namespace) -> Iterator[str]:
    """The settings of a run that are not the default, with their places; its reports left out."""
    for one in SETTINGS:
        is_set = _is_taken(one, options) and options.said[one.name][0].by != DEFAULT
        if is_set and one.name != "report":
            value, by = _told(one, options.said[one.name])
            first = options.said[one.name][0].value
            if isinstance(first, list) and len(first) > MOST_SHOWN:
                value = f"of {len(first)} names"
            yield f"{one.name} {value} by {by}"


def _told(setting: Setting, said: Sequence[Said]) -> tuple[str, str]:
    """What counts of a setting, and who says so, over whom."""
    chosen, *others = said
    over = [f"{one.by} ({value_text(setting, one.value)})" for one in others if one.by != DEFAULT]
    by = f"{chosen.by}, over {' and '.join(over)}" if over else chosen.by
    return value_text(setting, chosen.value), by


def value_text(setting: Setting, value: Any) -> str:
    """A value of a setting, as people read it."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or setting.none
    if isinstance(value, bool):
        return str(value).lower()
    if setting.name == "memory-limit" and value is not None:
        return f"{value} bytes"
    if isinstance(value, float):
        return f"{value:g}"
    return setting.none if value is None else str(value)


def _is_taken(setting: Setting, options: argparse.Namespace) -> bool:
    """Whether a command takes a setting."""
    is_its = not setting.commands or options.command in setting.commands
    return is_its and hasattr(options, dest(setting))


def _said(setting: Setting, options: argparse.Namespace, file: File | None) -> Iterator[Said]:
    """What is said under a name, the place that counts first."""
    name, default = setting.name, setting.default
    given = getattr(options, dest(setting), None) if _is_taken(setting, options) else None
    if given not in (None, []):
        option = f"--{'no-' if given is False else ''}{name}"
        value = None if name == "cache" and given is False else given
        yield Said(name, value, "FILE" if name == "paths" else option)
    text = os.environ.get(setting.variable) if setting.variable else None
    if text or (text is not None and name == "cache"):
        yield Said(name, _of_variable(setting, text), setting.variable)
    if file is not None and name in file.table:
        yield Said(name, _of_file(setting, file), file.path, file)
    is_list = LIST in setting.shapes
    yield Said(name, [] if is_list else default and setting.read(default), DEFAULT)


def _of_variable(setting: Setting, text: str) -> Any:
    try:
        return setting.read(text)
    except argparse.ArgumentTypeError as error:
        hint = f"unset {setting.variable}, or write what `--{setting.name}` takes"
        raise InputError(CODE, f"{setting.variable}: {error}", hint=hint) from None


def _of_file(setting: Setting, file: File) -> Any:
    """The value that a file has under a name."""
    value = file.table[setting.name]
    hint = f"write {setting.name} = {setting.example}"
    if not any(SHAPES[shape](value) for shape in setting.shapes):
        wanted = " or ".join(setting.shapes)
        raise file.error(setting.name, f"'{setting.name}': {wanted} was expected", hint)
    try:
        if isinstance(value, list):
            return [_placed(setting, setting.read(one), file) for one in value]
        if isinstance(value, bool):
            return setting.read(str(value).lower() if setting.name != "cache" else "")
        return _placed(setting, setting.read(str(value)), file)
    except argparse.ArgumentTypeError as error:
        raise file.error(setting.name, f"'{setting.name}': {error}", hint) from None


def _placed(setting: Setting, value: Any, file: File) -> Any:
    """A path that a file has, from the folder of the file; other values as they are."""
    if setting.name == "report":
        from dataclasses import replace

        return replace(value, path=_below(setting, file, value.path))
    if setting.name == "cache":
        return _below(setting, file, value)
    return _input(file, value) if setting.name == "paths" else value


def _below(setting: Setting, file: File, path: Path) -> Path:
    """What is written, which a file of settings may put into its own folder only."""
    folder = os.path.dirname(file.path) or "."
    whole = os.path.realpath(os.path.join(folder, path))
    if not Path(whole).is_relative_to(os.path.realpath(folder)) or ".git" in Path(whole).parts:
        said = f"'{setting.name}': '{path}' lies outside the folder of this file, or in .git"
        hint = f"write a path below it, or give --{setting.name} on the command line"
        raise file.error(setting.name, said, hint)
    return Path(os.path.relpath(os.path.join(folder, path)))


def _input(file: File, name: str) -> str:
    """What is read: a file, a folder or a pattern."""
    folder = os.path.dirname(file.path)
    is_pattern = MAGIC.search(name) and not os.path.lexists(os.path.join(folder, name))
    return os.path.relpath(os.path.join(glob.escape(folder) if is_pattern else folder, name))


def _weaker(setting: Setting, said: Sequence[Said]) -> Iterator[str]:
    """A note where a place makes a gate weaker that another place, or the default, has closed."""
    chosen, *others = said
    if setting.strict is None or chosen.value == setting.strict:
        return
    closed = next((one for one in others if one.value == setting.strict), None)
    if closed is None or (closed.by == DEFAULT and chosen.by.startswith("-")):
        return
    shown = f"{setting.name} is {value_text(setting, chosen.value)} by {chosen.by}"
    against = "by default" if closed.by == DEFAULT else f"by {closed.by}"
    yield escaped(f"note: {shown}, {value_text(setting, closed.value)} {against}")


def _folders() -> Iterator[str]:
    """The current folder, and those above it, as they are named from it."""
    here = Path(os.getcwd())
    yield from (os.path.relpath(above, here) for above in (here, *here.parents))


def nearest(folders: Iterator[str]) -> File | None:
    """The first file of settings in some folders; InputError S905."""
    found = next(filter(None, map(_of_folder, folders)), None)
    if found is not None:
        _check(found)
    return found


def _of_folder(folder: str) -> File | None:
    """The file of settings of a folder, and that the other one contradicts nothing in it."""
    own, shared = _file(os.path.join(folder, OWN)), _file(os.path.join(folder, SHARED))
    if own is not None and shared is not None:
        _check_same(own, shared)
    return own or shared


def _file(name: str) -> File | None:
    """A file of settings; None where it is not there, or has no settings."""
    name, within = os.path.normpath(name), TABLE if os.path.basename(name) == SHARED else ()
    if not os.path.lexists(name):
        return None
    try:
        data = read_bytes(name)
        if within and TABLE[-1].encode() not in data:
            return None
        text = decode(data, name).replace("\r\n", "\n")
    except InputError as error:
        raise InputError(CODE, error.message, error.place, error.excerpt, error.hint) from None
    source = Source(name, tuple(text.split("\n")))
    table = _parsed(text, source)
    for key in within:
        if not isinstance(table, dict) or key not in table:
            return None
        table = table[key]
    if not isinstance(table, dict):
        line, column = _position(source.lines, within)
        said = "settings are a table"
        raise source.error(CODE, said, line, column, f"write [{'.'.join(TABLE)}]")
    return File(name, source, within, table)


def _parsed(text: str, source: Source) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, _, where = str(error).partition(" (at ")
        line, column = [*map(int, re.findall(r"\d+", where)), len(source.lines), 1][:2]
        hint = "write lines such as strict = true; texts stand in quotes"
        raise source.error(CODE, f"not well-formed TOML: {said}", line, column, hint) from None


def _check(file: File) -> None:
    """Refuse unknown names, and a version that may not run."""
    for key in file.table:
        if key not in NAMES:
            raise file.error(key, f"unknown setting '{key}'", choice(key, NAMES, "settings"))
    wanted = NAMES["required-version"]
    if wanted.name in file.table and not is_allowed(VERSION, _of_file(wanted, file)):
        said = f"this is verifier {VERSION}, and {file.table[wanted.name]} is required"
        raise file.error(wanted.name, said, "install that version, or change the setting")


def _check_same(own: File, shared: File) -> None:
    """Refuse two files of one folder of which the second one's settings would be lost."""
    for key, value in shared.table.items():
        hint = "keep the settings of a folder in one file"
        if key not in own.table:
            said = f"'{key}' would be lost: {own.path}:1:1 goes before this file, and has none"
            raise shared.error(key, said, hint)
        if own.table[key] != value:
            said = f"'{key}' is another one at {own.place(key)}, which goes before this file"
            raise shared.error(key, said, hint)


def is_allowed(version: str, wanted: str) -> bool:
    """Whether a version is one of those that are wanted.

    >>> [is_allowed("0.1.0", one) for one in (">=0.1,<2", "~=0.1.0", "0.2", "!=0.1")]
    [True, True, False, False]
    """
    return all(_satisfies(version, *_clause(one)) for one in wanted.split(","))


def _clause(text: str) -> tuple[str, str]:
    found = CLAUSE.fullmatch(text.strip())
    assert found is not None
    return found[1] or "==", found[2]


def _satisfies(version: str, sign: str, other: str) -> bool:
    if sign == "~=":
        head = other.rpartition(".")[0] or other
        same = _satisfies(".".join(version.split(".")[: head.count(".") + 1]), "==", head)
        return same and _satisfies(version, ">=", other)
    ours, theirs = ([*map(int, re.findall(r"\d+", text)[:6])] for text in (version, other))
    length = max(len(ours), len(theirs))
    padded = [one + [0] * (length - len(one)) for one in (ours, theirs)]
    return COMPARED[sign](*padded)


def _position(lines: Sequence[str], keys: Sequence[str]) -> tuple[int, int]:
    """Line and column where the last of some keys is written that lead to a value.

    TOML has many ways to write a key. So a line has it if what stands above it is a document
    without these keys, and what ends with it, or with the rest of its value, one that has them.
    """
    word = re.compile(rf"(?<![\w-]){re.escape(keys[-1])}(?![\w-])")
    for number, line in enumerate(lines):
        found = word.search(line)
        if found is None or _has(lines[:number], keys) is not False:
            continue
        ends = (_has(lines[:end], keys) for end in range(number + 1, len(lines) + 1))
        if next((one for one in ends if one is not None), False):
            return number + 1, found.start() + 1
    return 1, 1


def _has(lines: Sequence[str], keys: Sequence[str]) -> bool | None:
    """Whether keys lead to a value in some lines of TOML; None where these are no document."""
    import tomllib

    try:
        node: Any = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return None
    for key in keys:
        if not isinstance(node, dict) or key not in node:
            return False
        node = node[key]
    return True
