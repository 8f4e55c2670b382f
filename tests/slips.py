"""Slips of the pen, made at random in right files: is each that changes an answer told?

A slip is a forgotten `draw`, a number in quotes, a word misspelt or without quotes, a misspelt
name, `=` for `==` or the other way round, or a misspelt word of the file itself. `campaign` makes
many of them in the models; what is *missed* changed an answer, met every expectation (asserted
levels aside) and was told by no error and no new note.
"""

from __future__ import annotations

import io
import json
import random
import re
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from verifier.base import document
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import InputError, LimitReached
from verifier.report.json import _leakage
from verifier.run import verify

MODELS = Path(__file__).parents[1] / "models"
LANGUAGE = {"deterministic", "program", "query", "score", "where", "loss", "auxiliary"}
FREE = {"title", "source", "name"}  # text that means nothing
KINDS = (
    *("forgotten draw", "quoted number", "misspelt word", "unquoted word", "misspelt name"),
    *("= for ==", "== for =", "word of the file"),
)
ENGINEER = ("turned comparison", "< for <=", "e for e^e", "wrong record")  # see `engineer`
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
CLOSED = {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}
LEVELS = {"epsilon": "exp_epsilon", "exp_epsilon": "epsilon"}
SECONDS = 10.0  # for each check


@dataclass(frozen=True)
class Slip:
    """A file with one slip: its kind, its place, and what was written there."""

    path: Path
    kind: str
    line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        place = f"{self.path.parent.name}/{self.path.name}:{self.line}"
        return f"{place}: {self.kind}: {self.before} -> {self.after}"


@dataclass
class Report:
    """How many slips of each kind ended how; those that were missed."""

    ended: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: list[Slip] = field(default_factory=list)
    failing: list[Slip] = field(default_factory=list)  # an answer changed, and a check fails

    def add(self, slip: Slip, how: str) -> None:
        """Count a slip, and keep those that changed an answer without being told."""
        self.ended[slip.kind, how] += 1
        if how == "missed":
            self.missed.append(slip)
        elif how == "failed":
            self.failing.append(slip)

    def total(self, how: str) -> int:
        """How many slips ended so: told, same, failed, missed."""
        return sum(count for (_, ended), count in self.ended.items() if ended == how)


def misspelt(word: str, draw: random.Random) -> str:
    """A word with a letter left out, doubled, or exchanged with the next, or another first case; no
    number, which would be another expression that is right."""
    letters = [i for i, c in enumerate(word) if c.isalpha()]
    if not letters:
        return word
    i = draw.choice(letters)
    kind = draw.randrange(4)
    if kind == 0 and not (rest := word[:i] + word[i + 1 :]).isdecimal() and rest:
        return rest
    if kind == 1 and i + 1 < len(word):
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if kind == 2 and word[0].isalpha():
        return word[0].swapcase() + word[1:]
    return word[:i] + word[i] + word[i:]


def texts(node: Node, key: str = "") -> Iterator[tuple[str, Scalar]]:
    """The scalars of a file, each with the nearest key above it."""
    if isinstance(node, Scalar):
        yield key, node
    elif isinstance(node, Sequence):
        for item in node:
            yield from texts(item, key)
    elif isinstance(node, Mapping):
        for name, value in node.entries:
            if key not in ("", *FREE) or name.text not in FREE:
                yield "key", name
            inner = "secrets" if key == "secrets" else name.text
            yield from texts(value, inner)


def slips(path: Path, draw: random.Random) -> Iterator[Slip]:
    """Every place of a file with one slip."""
    content = path.read_text(encoding="utf-8")
    lines, top = content.split("\n"), document.load(path)
    records = _records(top)
    for key, scalar in texts(top):
        if key in FREE:
            continue
        found = _in_language(scalar, draw, records) if key in LANGUAGE | {"secrets"} else []
        found = found or _in_file(scalar, draw)
        if key == "key" and scalar.text in LEVELS:
            place, after = scalar.at(1, 1), LEVELS[scalar.text]
            found.append(("e for e^e", (place.line, place.column - 1), len(scalar.text), after))
        for kind, (line, start), length, after in found:
            row = lines[line - 1]
            before = row[start : start + length]
            if before == after:
                continue
            changed = [*lines]
            changed[line - 1] = row[:start] + after + row[start + length :]
            yield Slip(path, kind, line, before, after, "\n".join(changed))


Edit = tuple[str, tuple[int, int], int, str]  # kind, line from 1 and column from 0, length, new


def _in_file(scalar: Scalar, draw: random.Random) -> list[Edit]:
    """A misspelt word of the file."""
    if not re.fullmatch(r"[A-Za-z_]\w*", scalar.text) or scalar.block:
        return []
    place = scalar.at(1, 1)
    new = misspelt(scalar.text, draw)
    return [("word of the file", (place.line, place.column - 1), len(scalar.text), new)]


def _records(top: Node) -> list[str]:
    """The names of the records of a file."""
    worlds = top.get("worlds") if isinstance(top, Mapping) else None
    node = worlds.get("records") if isinstance(worlds, Mapping) else None
    if isinstance(node, Sequence):
        return [item.scalar().text for item in node]
    text = node.text if isinstance(node, Scalar) else ""
    return [f"r{n}" for n in range(1, int(text) + 1)] if text.isdecimal() else []


def _in_language(scalar: Scalar, draw: random.Random, records: list[str]) -> list[Edit]:
    """All slips in an expression or a program."""
    try:
        found = list(tokenize.generate_tokens(io.StringIO(scalar.text).readline))
    except (tokenize.TokenError, IndentationError):
        return []
    if "\n" in scalar.text.rstrip("\n") and not scalar.block:
        return []
    made: list[Edit] = []
    place = scalar.at(1, 1)
    raw = scalar.source.lines[place.line - 1]
    quote = '"' if scalar.quoted and raw[place.column - 2] == "'" else "'"
    for number, token in enumerate(found):
        at = scalar.at(token.start[0], token.start[1] + 1)
        where, text = (at.line, at.column - 1), token.string
        if token.type == tokenize.NUMBER:
            made.append(("quoted number", where, len(text), f"{quote}{text}{quote}"))
        elif token.type == tokenize.STRING:
            word = text[1:-1]
            new = text[0] + misspelt(word, draw) + text[0]
            made.append(("misspelt word", where, len(text), new))
            if word.isidentifier():
                made.append(("unquoted word", where, len(text), word))
        elif token.type == tokenize.NAME and text == "draw":
            if (end := _closing(found, number + 1)) is not None and token.start[0] == end[0]:
                inner = found[number + 1].start[1] + 1
                whole = scalar.text.split("\n")[token.start[0] - 1]
                length = end[1] + 1 - token.start[1]
                made.append(("forgotten draw", where, length, whole[inner : end[1]]))
        elif token.type == tokenize.NAME:
            if text in records:
                other = records[records.index(text) - 1]
                made.append(("wrong record", where, len(text), other))
            made.append(("misspelt name", where, len(text), misspelt(text, draw)))
        elif text in TURNED:
            made.append(("turned comparison", where, len(text), TURNED[text]))
            made.append(("< for <=", where, len(text), CLOSED[text]))
        elif text == "==":
            made.append(("= for ==", where, 2, "="))
        elif text == "=" and found[number + 1].string != "=":
            made.append(("== for =", where, 1, "=="))
    return made


def _closing(tokens: list[tokenize.TokenInfo], opening: int) -> tuple[int, int] | None:
    """Where the bracket closes that opens at a token."""
    depth = 0
    for token in tokens[opening:]:
        depth += (token.string in "([{") * bool(token.string)
        depth -= (token.string in ")]}") * bool(token.string)
        if depth == 0:
            return token.start
    return None


@dataclass(frozen=True)
class Outcome:
    """What is said about a file: the answer of each check, the notes, whether it was refused."""

    answers: tuple[str, ...]
    notes: frozenset[tuple[str, str]]
    passes: bool
    refused: bool = False


def outcome(path: Path) -> Outcome:
    """What is said about a file; asserted levels do not count."""
    answers, notes, passes = [], set(), True
    try:
        for result in verify.check(path, time_limit=SECONDS).results:
            said = [result.answer.verdict, _leakage(result), result.definition]
            said.append(str(result.answer.level))
            answers.append(json.dumps(said))
            notes |= {(note.code, note.message) for note in result.notes}
            passes &= result.answer.verdict == result.expected
    except (InputError, LimitReached):
        return Outcome((), frozenset(), False, refused=True)
    return Outcome(tuple(answers), frozenset(notes), passes)


def ended(slip: Slip, right: Outcome) -> str:
    """How a slip ended: told (by an error or a new note), same (no answer changed), failed (a
    check fails, unlike before), or missed."""
    with tempfile.TemporaryDirectory() as folder:
        for beside in slip.path.parent.glob("*.csv"):
            (Path(folder) / beside.name).write_bytes(beside.read_bytes())
        path = Path(folder) / slip.path.name
        path.write_text(slip.text, encoding="utf-8")
        found = outcome(path)
    if found.refused or found.notes - right.notes:
        return "told"
    if found.answers == right.answers:
        return "same"
    return "missed" if found.passes else "failed"


def campaign(
    count: int, seed: int, models: Iterable[Path] | None = None, kinds: Iterable[str] = KINDS
) -> Report:
    """So many slips, drawn evenly over the kinds and then over the models that allow the kind."""
    draw, report = random.Random(seed), Report()
    paths = sorted(MODELS.glob("*/*.yaml")) if models is None else list(models)
    made: dict[str, dict[Path, list[Slip]]] = {kind: {} for kind in kinds}
    for path in paths:
        for slip in slips(path, draw):
            if slip.kind in made:
                made[slip.kind].setdefault(path, []).append(slip)
    drawn = [kind for kind in made if made[kind]]
    known: dict[Path, Outcome] = {}
    for _ in range(count):
        places = made[draw.choice(drawn)]
        path = draw.choice(list(places))
        slip = draw.choice(places[path])
        if path not in known:
            known[path] = outcome(path)
        report.add(slip, ended(slip, known[path]))
    return report


def harden(count: int, seed: int) -> str:
    """A campaign as `tests.harden` runs it; AssertionError where a slip was missed."""
    report = campaign(count, seed)
    assert not report.missed, "; ".join(map(str, report.missed))
    how = ("told", "same", "failed")
    return ", ".join(f"{report.total(name)} {name}" for name in how)


def main(count: str = "200", seed: str = "0", *kinds: str) -> None:
    """Print what a campaign found."""
    report = campaign(int(count), int(seed), kinds=kinds or KINDS)
    for (kind, how), number in sorted(report.ended.items()):
        print(f"{kind:20} {how:8} {number}")
    for slip in report.failing:
        print("failed", slip)
    for slip in report.missed:
        print("MISSED", slip)


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:])
