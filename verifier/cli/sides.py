"""The two sides of a comparison: folders with files, of git where that is asked for.

A revision is written into a temporary folder, by an index of its own: neither the index nor the
working tree of the repository is touched. Names of files are relative to the current folder where
the sides are of git, and to the folder of a side otherwise.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from verifier.base.document import MAX_BYTES
from verifier.base.errors import InputError
from verifier.changes.gate import Entry
from verifier.changes.lines import of_result, wrong
from verifier.spec.recognising import SUFFIXES, may_be_spec

PATHS = ("/", "./", "../")  # a name that begins so is no revision
REVISIONS, FOLDERS, REPORTS, FILES = "revisions", "folders", "reports", "files"
LINK, SUBMODULE = "120000", "160000"


@dataclass(frozen=True)
class Side:
    """One side.

    name    what it is, for people
    root    the folder from which the names of its files are read
    files   the names of all its files that may be spec files, in order
    notes   what of it is left out
    top     the folder outside of which it may read nothing; None for the working tree
    """

    name: str
    root: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()
    top: str | None = None


@dataclass(frozen=True)
class Asked:
    """What the arguments of a command ask for: two sides of a kind, and files.

    kind    REVISIONS, FOLDERS or REPORTS
    before  the side BASE
    after   the side HEAD; None for the working tree, or the current folder
    files   only these; all where there are none
    """

    kind: str
    before: str
    after: str | None
    files: tuple[str, ...]


def asked(arguments: Sequence[str], merge_base: bool) -> Asked:
    """What arguments BASE [HEAD] [FILE…] mean; InputError S903.

    A name that git knows as a revision is one, unless it begins with `./`, `../` or `/`; another
    one is a folder or a report. The second name is HEAD where it is of the same kind as BASE.
    """
    first, *rest = arguments
    kind = _kind(first)
    if kind == FILES:
        raise _no_side(first)
    if merge_base and kind != REVISIONS:
        raise InputError("S903", "--merge-base needs a revision as BASE")
    head = rest.pop(0) if rest and _kind(rest[0]) == kind else None
    if kind == REPORTS and head is None:
        hint = f"write: verifier diff {first} NEW.json, the report of the new version"
        raise InputError("S903", "a report is compared with another report", hint=hint)
    if kind == REVISIONS:
        first, head = _revisions(first, head, merge_base)
    return Asked(kind, first, head, tuple(map(os.path.normpath, rest)))


def _no_side(name: str) -> InputError:
    """What is wrong with a name that is none of a side."""
    said = f"'{name}' is neither a revision, nor a folder, nor a report of check --format json"
    is_range = ".." in name and not name.startswith(PATHS)
    hint = "for two revisions write A B, or A...B for the merge base of both"
    return InputError("S903", f"{said}{_complaint(name)}", hint=hint if is_range else "")


def _revisions(first: str, head: str | None, merge_base: bool) -> tuple[str, str | None]:
    """The two revisions that are compared, from BASE or A...B, and HEAD where it is given.

    The second is None for the working tree.
    """
    base, dots, second = first.partition("...")
    if second and head:
        raise InputError("S903", f"HEAD is given twice: '{second}' and '{head}'")
    if not (dots or merge_base):
        return first, head
    if dots:
        base, head = base or "HEAD", second or head
    return _git("merge-base", base, head or "HEAD").strip(), head


def _kind(name: str) -> str:
    """What a name is: one of `revisions`, `folders`, `reports` or `files`."""
    if not name.startswith(PATHS) and all(map(_is_revision, filter(None, name.split("...", 1)))):
        return REVISIONS
    if os.path.isdir(name):
        return FOLDERS
    return REPORTS if _is_report(name) else FILES


def _is_revision(name: str) -> bool:
    try:
        _tree(name)
    except InputError:
        return False
    return True


def _complaint(name: str) -> str:
    """What git says of a name, where it says something."""
    try:
        _tree(name)
    except InputError as error:
        # with --quiet git says nothing of a revision that is not there, and ends with 1
        return "" if error.message.endswith("status 1") else f" ({error.message})"
    return ""


def _is_report(name: str) -> bool:
    import json

    try:
        found = json.loads(Path(name).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("results"), list)


@contextmanager
def opened(asked: Asked) -> Iterator[tuple[Side, Side]]:
    """Both sides, as long as they are needed; InputError S903."""
    if asked.kind == FOLDERS:
        yield _folder(asked.before), _folder(asked.after or ".")
        return
    with ExitStack() as stack:
        stack.enter_context(_ending())
        before = _revision(asked.before, stack)
        yield before, _working_tree() if asked.after is None else _revision(asked.after, stack)


@contextmanager
def _ending() -> Iterator[None]:
    """Let SIGTERM end what is begun, as SIGINT does, so that it clears up."""
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _removed(folder: str) -> Iterator[None]:
    """Remove a folder at the end, even where this process is killed: then a child does it."""
    child = 0
    if hasattr(os, "fork"):
        ours, theirs = os.pipe()
        child = os.fork()
        if not child:
            # in a session of its own, so that no signal for our group ends it before us
            os.setsid()
            os.close(theirs)
            os.read(ours, 1)  # returns once nobody can write any more
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
        os.close(ours)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(theirs)


def _folder(name: str) -> Side:
    """All files of a folder; links out of it are not followed."""
    root = os.path.abspath(name)
    names = []
    for folder, inner, here in os.walk(root):
        inner[:] = sorted(one for one in inner if one != ".git")
        names += [os.path.relpath(os.path.join(folder, one), root) for one in here]
    return _side(name, root, root, names)


def _side(name: str, root: str, top: str, names: Sequence[str], *notes: str) -> Side:
    """A side of those files that may be spec files."""
    found, left = [], list(notes)
    for one in sorted(set(names)):
        path = os.path.join(root, one)
        if not one.endswith(SUFFIXES) or not os.path.lexists(path):
            continue
        if os.path.islink(path) and not _is_within(path, top):
            left.append(f"{one} is a link out of {name}: not followed")
        elif os.path.isfile(path):
            found.append(one)
    return Side(name, root, tuple(found), tuple(left), top)


def _is_within(path: str, top: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(top))


def _working_tree() -> Side:
    """The files of the working tree, but those that are ignored."""
    top = _top()
    if top is None:
        said = "this repository has no working tree"
        raise InputError("S903", said, hint="name HEAD: two revisions")
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", at=top)
    here = os.getcwd()
    names = [os.path.relpath(os.path.join(top, one), here) for one in _names(listed)]
    return replace(_side("the working tree", here, top, names), top=None)


def here() -> Side:
    """The current folder, without what git ignores where it is one of git's."""
    try:
        tree = _working_tree()
    except InputError:
        return _folder(".")
    return replace(tree, files=tuple(one for one in tree.files if not one.startswith("../")))


def described() -> str:
    """The revision that the current folder is at, in short; empty where it is at none."""
    try:
        revision = _git("rev-parse", "--short", "HEAD").strip()
        changed = _git("status", "--porcelain", "--untracked-files=no", ".")
    except InputError:
        return ""
    return f"{revision}, with changes" if changed else revision


def _top() -> str | None:
    """The folder of the working tree that we are in; None in a bare repository."""
    if _git("rev-parse", "--is-inside-work-tree").strip() != "true":
        return None
    return _git("rev-parse", "--show-toplevel").removesuffix("\n")


def _names(listed: str) -> list[str]:
    return [name for name in listed.split("\0") if name]


def _revision(name: str, stack: ExitStack) -> Side:
    """The files of a revision, in a temporary folder."""
    tree = _tree(name)
    made = tempfile.mkdtemp(prefix="verifier-diff-")
    stack.enter_context(_removed(made))
    top = os.path.join(os.path.realpath(made), "tree")
    os.mkdir(top)
    git = {
        "GIT_DIR": _git("rev-parse", "--absolute-git-dir").removesuffix("\n"),
        "GIT_WORK_TREE": top,
        "GIT_INDEX_FILE": os.path.join(made, "index"),
    }
    # all files, even if the working tree is to show only some of them
    _git("read-tree", "--no-sparse-checkout", tree, at=top, **git)
    _git("checkout-index", "--all", "--quiet", at=top, **git)
    entries = [
        (entry.split(" ", 1)[0], entry.split("\t", 1)[1])
        for entry in _names(_git("ls-files", "-z", "--stage", at=top, **git))
    ]
    notes = [f"{one} is a submodule: not compared" for mode, one in entries if mode == SUBMODULE]
    for mode, one in entries:
        if mode == LINK and not _is_within(os.path.join(top, one), top):
            os.unlink(os.path.join(top, one))
            notes.append(f"{one} is a link out of {name}: not followed")
    prefix = "" if _top() is None else _git("rev-parse", "--show-prefix").removesuffix("\n")
    root = os.path.join(top, prefix)
    os.makedirs(root, exist_ok=True)
    names = [os.path.relpath(os.path.join(top, one), root) for _, one in entries]
    return _side(name, root, top, names, *notes)


def _tree(name: str) -> str:
    """The tree of a revision, as its digest."""
    wanted = f"{name}^{{tree}}"
    return _git("rev-parse", "--verify", "--quiet", "--end-of-options", wanted).strip()


def _git(*arguments: str, at: str | None = None, **variables: str) -> str:
    """What git prints; InputError S903 with what it complains of.

    arguments  of git
    at         the folder to be in
    variables  of its environment, besides ours
    """
    # messages in English, and no lock on an index that somebody else is using
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **variables}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=at, env=environment, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise InputError("S903", "git is not installed, or not found") from None
    if done.returncode:
        told = os.fsdecode(done.stderr).strip().splitlines() or [f"status {done.returncode}"]
        raise InputError("S903", f"git {arguments[0]}: {told[-1]}")
    return os.fsdecode(done.stdout)


def contents(side: Side, files: Sequence[str]) -> dict[str, bytes]:
    """The contents of those files of a side that may be spec files.

    files  only these, folders of them, or patterns; all where there are none
    """
    found = {}
    for name in side.files:
        content = _content(side, name) if _is_chosen(name, files) else None
        if content is not None and (name in files or may_be_spec(content)):
            found[name] = content
    return found


def _content(side: Side, name: str) -> bytes | None:
    """What stands in a file; None where it is too large for a spec file. InputError S903."""
    path = os.path.join(side.root, name)
    try:
        return Path(path).read_bytes() if os.path.getsize(path) <= MAX_BYTES else None
    except OSError as error:
        said = f"cannot read '{name}' of {side.name}: {error.strerror}"
        raise InputError("S903", said, hint="make it readable, or name other files") from None


def check_files(files: Sequence[str], names: Collection[str]) -> None:
    """Refuse files, folders and patterns with which none of the names goes; InputError S903."""
    for file in files:
        if not any(_is_chosen(name, [file]) for name in names):
            said = f"'{file}' is no revision, and there is no such file on either side"
            raise InputError("S903", said)


def _is_chosen(name: str, files: Sequence[str]) -> bool:
    """Whether a file is one of some files, in one of these folders, or matches such a pattern."""
    whole = os.path.abspath(name)
    return not files or any(
        whole == wanted or whole.startswith(os.path.join(wanted, "")) or fnmatch(whole, wanted)
        for wanted in map(os.path.abspath, files)
    )


def of_report(name: str, files: Sequence[str]) -> list[Entry]:
    """The checks in a report of `check --format json`; InputError S903."""
    import json

    report = json.loads(Path(name).read_bytes())
    if report.get("errors") or report.get("stopped"):
        said = f"{name} is the report of a run that has not read all files to their end"
        raise InputError("S903", said, hint="repeat it until it lists no 'errors' and no 'stopped'")
    found = []
    for number, result in enumerate(report["results"], 1):
        try:
            line = of_result(result)
            place = result["line"], result["column"]
            missed = result["reason"] if result["status"] == "failed" else ""
            named = result["index"], result["id"], result["label"]
            entry = Entry(line, line.file, *named, place, missed)
            is_one = not any(wrong(line)) and _is_known(entry)
        except (KeyError, TypeError):
            is_one = False
        if not is_one:
            said = f"result {number} of {name} is none of `verifier check --format json`"
            raise InputError("S903", said)
        if _is_chosen(line.file, files):
            found.append(entry)
    return found


def _is_known(entry: Entry) -> bool:
    """Whether an entry says where its check stands, and what it is called."""
    numbers = (entry.index, *(entry.place or ()))
    return all(isinstance(text, str) for text in (entry.id, entry.label, entry.missed)) and all(
        isinstance(number, int) for number in numbers
    )
