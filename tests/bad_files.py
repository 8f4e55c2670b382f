"""The corpus of bad files: what each of them says, and what must be said about it.

`tests/bad/*.yaml` are files as they are; their first line is `# expect: LINE:COLUMN CODE part of
the message`, and after `=>` part of the hint. `tests/bad/*.cases` hold many small ones:

    === S015 a misspelt key | did you mean 'worlds'?
    »wolrds: [sun, rain]

The header has the code, a title, and part of the hint; `»` in the text marks the place and is
taken out. `LIMIT` instead of a code stands for what is not wrong but too large: undecided. Keys at
the top that are not there are those of `REST`, put at the end; not so where the title starts with
`raw`. A text with a hole `□` is a case for each line `~ filling` below it, which may have `=> CODE
| hint` of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.definitions.told import told
from verifier.base import exact
from verifier.base.errors import InputError, LimitReached
from verifier.spec.reading import read_whole

FOLDER = Path(__file__).parent / "bad"
REST = {
    "worlds": "worlds: {records: [ann, bob], domain: [0, 1]}",
    "mechanism": "mechanism: {randomized_response: {truth: 3/4}}",
    "checks": "checks: [{differential_privacy: {exp_epsilon: 9, neighbours: all}}]",
}
LIMIT = "LIMIT"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Bad:
    """A file: its name in the corpus, its text, and what is expected: place, code, part of the
    message and part of the hint. And its title, which stays where others come before it."""

    name: str
    text: str
    place: str
    code: str
    message: str = ""
    hint: str = ""
    title: str = ""

    @property
    def collection(self) -> str:
        """The collection that it is in, or `files`."""
        return self.name.split("-")[0] if re.search(r"-[0-9]+$", self.name) else "files"

    def write(self, folder: Path) -> Path:
        """The file in a folder."""
        path = folder / f"{self.name}.yaml"
        path.write_bytes(self.text.encode())
        return path


def corpus() -> list[Bad]:
    """All of them."""
    files = [_file(path) for path in sorted(FOLDER.glob("*.yaml"))]
    collections = sorted(FOLDER.glob("*.cases"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in collections}
    texts |= {word: one.bad for word, one in told().items()}
    return [*files, *(case for name, text in texts.items() for case in cases(name, text))]


def _file(path: Path) -> Bad:
    text = path.read_text(encoding="utf-8")
    expected = text.split("\n", 1)[0].removeprefix("# expect: ")
    place, code, said = expected.split(" ", 2)
    message, _, hint = said.partition("=> ")
    return Bad(path.stem, text, place, code, message.strip(), hint, path.stem)


def cases(stem: str, collection: str) -> Iterator[Bad]:
    """The cases of a collection, by its name and its text."""
    blocks = re.split(r"^=== ", collection, flags=re.MULTILINE)[1:]
    for number, block in enumerate(blocks, 1):
        header, _, body = block.partition("\n")
        lines = body.removesuffix("\n").split("\n")
        fillings = [line[2:] for line in lines if line.startswith("~ ")]
        text = "\n".join(line for line in lines if not line.startswith("~ "))
        name = f"{stem}-{number}"
        if not fillings:
            yield _case(name, header, text)
        for at, filling in enumerate(fillings, 1):
            value, _, own = filling.partition(" => ")
            marked = text.replace("»", "") if "»" in value else text
            case = _case(f"{name}-{at}", _header(header, own), marked.replace("□", value))
            yield replace(case, title=f"{case.title}: {value}")


def _header(header: str, own: str) -> str:
    """The header of a filling: its own code and hint, if it has them, and the title of all."""
    if not own:
        return header
    code, _, hint = own.partition(" |")
    title = header.partition(" |")[0].split(" ", 1)[1]
    return f"{code} {title} |{hint}"


def _case(name: str, header: str, text: str) -> Bad:
    head, _, hint = header.partition(" |")
    code, _, title = head.partition(" ")
    assert text.count("»") == (code != LIMIT), f"{name}: one place: {text}"
    before = text.partition("»")[0]
    place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    text = text.replace("»", "")
    text = text if title.startswith("raw") else completed(text)
    text = text if text.endswith("\n") else text + "\n"
    return Bad(name, text, place if code != LIMIT else "", code, "", hint.strip(), title)


def completed(text: str) -> str:
    """A text with the keys that every file needs."""
    given = set(re.findall(r"^([a-z]+):", text, re.MULTILINE))
    if "mechanisms" in given:
        given.add("mechanism")
    return "\n".join([text, *(line for key, line in REST.items() if key not in given)])


def found(path: Path, allow_python: bool = False) -> InputError | str:
    """What is said about a file once all of it is read: its errors; or `undecided`, why; or that
    nothing is wrong."""
    try:
        reading = read_whole(path, allow_python)
    except InputError as error:
        return error
    except LimitReached:
        return UNDECIDED
    reasons = [question.reason for question in reading.questions if question.reason]
    return UNDECIDED if reasons else "nothing is wrong"


def objection(bad: Bad, answer: InputError | str) -> str:
    """How an answer about a file differs from what is expected; nothing where it does not."""
    if bad.code == LIMIT:
        return "" if answer == UNDECIDED else f"{bad.name}: {answer}"
    if not isinstance(answer, InputError):
        return f"{bad.name}: no error, {answer}"
    if any(_is_expected(bad, error) for error in answer.all):
        return ""
    wanted = f"{bad.place} {bad.code} {bad.message} => {bad.hint}"
    return f"{bad.name}: {wanted} was expected, not\n{answer}"


def _is_expected(bad: Bad, error: InputError) -> bool:
    place = f"{error.place.line}:{error.place.column}" if error.place else "nowhere"
    same = (place, error.code) == (bad.place, bad.code)
    return same and bad.message in error.message and bad.hint in error.hint


# mended, another of their errors is left
SEVERAL: frozenset[str] = frozenset()
MEANT = re.compile(r"did you mean '(.*)'\?")
WRITE = re.compile(r"write (\S+|\[[^\]]*\]|\{[^…]*\}|\"[^\"]*\")")
INSTEAD = re.compile(r"(\S+) in place of (\S+) makes it 1")
TOKEN = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s,\[\]{}():]+(?:[^\n,\[\]{}:#]*[^\s,\[\]{}:#])?"
)


def mended(bad: Bad, error: InputError) -> str | None:
    """The text with what the hint says in it; None where it gives no text to write."""
    assert error.place is not None
    lines = bad.text.split("\n")
    at = error.place.line - 1
    if at >= len(lines) or error.place.file.endswith(".csv"):
        return None
    before, rest = lines[at][: error.place.column - 1], lines[at][error.place.column - 1 :]
    if instead := INSTEAD.fullmatch(error.hint):
        known = [m for m in re.finditer(r"[\w./-]+", rest) if _equal(m[0], instead[2])]
        if not known:
            return None
        last = known[-1]
        rest = rest[: last.start()] + instead[1] + rest[last.end() :]
    elif replacement := MEANT.fullmatch(error.hint) or WRITE.fullmatch(error.hint):
        word = re.match(r"\w+", rest) if MEANT.fullmatch(error.hint) else None
        token = word or TOKEN.match(rest) or _bracketed(rest)
        if token is None:
            return None
        rest = replacement[1] + rest[len(token[0]) :]
    else:
        return None
    lines[at] = before + rest
    return "\n".join(lines)


def _bracketed(rest: str) -> re.Match[str] | None:
    return re.match(r"\[[^\[\]]*\]|\{[^{}]*\}", rest)


def _equal(text: str, value: str) -> bool:
    return exact.looks_like_number(text) and exact.number(text) == exact.number(value)
