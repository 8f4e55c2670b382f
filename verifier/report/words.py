"""The words of the format: what each one means, how it is written, and an example that runs.

Definitions, mechanisms and classes of priors tell of themselves, in the docstrings of their
modules; `vocabulary` tells of the other words. All these texts have the same form: a sentence, then
paragraphs, some of which begin with a heading such as `Syntax.` Options are listed, one to an item;
those that are named before the list have the meaning that `vocabulary.OPTIONS` gives them. An
example ends with a spec file, indented; before it may come other files, whose names are the last
words in backticks before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from textwrap import dedent, fill

from verifier.base.error_examples import EXAMPLES
from verifier.base.errors import CODES, NOTES
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS, Registry
from verifier.report import vocabulary

TOLD = {**CODES, **NOTES}  # the codes of errors and of notes
ROOMS: Mapping[str, Registry] = {
    "definition": DEFINITIONS,
    "mechanism": MECHANISMS,
    "class of priors": PRIORS,
}
LISTED = {  # kind -> the heading of `verifier models`
    "definition": "definitions",
    "mechanism": "mechanisms",
    "class of priors": "classes of priors",
    "single prior": "single priors",
}
SPEC = "spec.yaml"  # the name of an example's own file
HEADINGS = ("Syntax", "Statement", "Options", "Leakage", "Example", "References")
SHORTEST = 3  # characters of a word's beginning that is taken for the word
WIDE = 100

_HEADED = re.compile(rf"\n\n(?=(?:{'|'.join(HEADINGS)})\.\s)")
_ITEM = re.compile(r"^- (?=`)", re.MULTILINE)
_NAMED = re.compile(r"`(\w+)`")
_FILE = re.compile(r"`([\w-]+\.\w+)`")


@dataclass(frozen=True)
class Word:
    """One meaning of a word.

    kind      `definition`, `mechanism`, `class of priors`, `single prior`, `key of the file`, …
    summary   one sentence
    sections  heading -> its text, `Options` without the list; in the order of the source
    options   option -> what it means, in one line
    files     the example: name -> text; the spec file is `spec.yaml`
    """

    name: str
    kind: str
    summary: str
    sections: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def syntax(self) -> str:
        """How it is written, in one line."""
        return " ".join(self.sections.get("Syntax", "").split("\n\n")[0].split())

    @property
    def example(self) -> str:
        """A spec file that has it."""
        return self.files.get(SPEC, "")


def word(name: str, kind: str, text: str, example: str = "") -> Word:
    """The word that a text of the form above tells of.

    name     the word
    kind     of what kind it is, see Word
    text     its text
    example  a spec file, where the text has none
    """
    summary, *parts = _HEADED.split(text.strip())
    headed = [part.partition(".") for part in parts]
    sections = {head: body.strip("\n ") for head, _, body in headed}
    files = dict(_files(sections.get("Example", "")))
    return Word(
        name,
        kind,
        " ".join(summary.split()),
        sections,
        dict(_options(sections.get("Options", ""))),
        files or {SPEC: example},
    )


def _options(text: str) -> Iterator[tuple[str, str]]:
    """The options that a section lists, each with its meaning."""
    common, *items = _ITEM.split(text)
    for option in _NAMED.findall(common):
        if option in vocabulary.OPTIONS:
            yield option, vocabulary.OPTIONS[option]
    for item in items:
        names, meaning = item.split(":", 1)
        for option in _NAMED.findall(names):
            yield option, " ".join(meaning.split("\n\n")[0].split())


def _files(text: str) -> Iterator[tuple[str, str]]:
    """The files of an example: its indented blocks."""
    before = ""
    for part in re.split(r"\n\n(?! {4}\S)|\n\n(?= {4})", text):
        if part.startswith("    "):
            named = _FILE.findall(before)
            yield (named[-1] if named else SPEC), dedent(part) + "\n"
        before = part


@cache
def words() -> Mapping[str, tuple[Word, ...]]:
    """Every word of the format but codes and options, with all its meanings."""
    found = [
        word(keyword, kind, room.told(keyword))
        for kind, room in ROOMS.items()
        for keyword in room.keywords()
    ]
    for name, (text, example) in vocabulary.SINGLE.items():
        found.append(word(name, "single prior", text, example))
    for group in vocabulary.GROUPS:
        found += [word(name, group.kind, text, group.example) for name, text in group.words.items()]
    names = dict.fromkeys(one.name for one in found)
    return {name: tuple(one for one in found if one.name == name) for name in names}


def owners(option: str) -> list[Word]:
    """The words that have an option, those whose example shows it first."""
    having = [one for meanings in words().values() for one in meanings if option in one.options]
    return sorted(having, key=lambda one: not re.search(rf"\b{option}:", one.example))


def explained(subject: str) -> str | None:
    """What a code, a word of the format or an option means; None for any other word."""
    if subject in TOLD:
        return "\n".join([f"{subject}: {TOLD[subject]}", *EXAMPLES[subject].lines()])
    told = [_shown(one) for one in words().get(subject, ())]
    if having := owners(subject):
        told.append(_option(subject, having))
    return "\n\n".join(told) or None


def _shown(one: Word) -> str:
    """A word with its summary, its sections and its example."""
    parts = [f"{one.name}: {one.kind}\n{one.summary}"]
    for heading, text in one.sections.items():
        if heading == "Options" and one.options:
            parts.append("\n".join(["Options.", *_lines(one.options)]))
        elif heading == "Syntax":
            parts.append(f"Syntax. {text.replace('`', '')}")
        else:
            parts.append(f"{heading}. {text}")
    if "Example" not in one.sections:
        parts.append(f"Example.\n\n{_indented(one.example)}")
    return "\n\n".join(parts)


def _option(option: str, having: list[Word]) -> str:
    """An option: what it means where, and the first example that shows it."""
    meanings: dict[str, list[str]] = {}
    for one in having:
        meanings.setdefault(one.options[option], []).append(f"{one.name} ({one.kind})")
    lines = [line for text, names in meanings.items() for line in _meaning(text, names)]
    shown = having[0]
    files = [
        "\n\n".join([*([f"`{name}`:"] if name != SPEC else []), _indented(text)])
        for name, text in shown.files.items()
    ]
    syntax = fill(f"Syntax. {shown.syntax.replace('`', '')}", WIDE)
    head = f"{syntax}\n\nExample, of {shown.name}.\n\n"
    return "\n".join([f"{option}: option", *lines, "", head + "\n\n".join(files)])


def _meaning(text: str, names: list[str]) -> list[str]:
    """What an option means to some words."""
    told = fill(f"of {', '.join(names)}: {text}", WIDE, subsequent_indent="    ")
    return told.split("\n")


def _lines(options: Mapping[str, str]) -> Iterable[str]:
    """Options, one to a line, and further lines where it is long."""
    width = max(map(len, options)) + 4
    for option, meaning in options.items():
        yield fill(f"  {option:<{width - 2}}{meaning}", WIDE, subsequent_indent=" " * width)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().split("\n"))


def known() -> list[str]:
    """Everything that can be explained."""
    options = {
        option for meanings in words().values() for one in meanings for option in one.options
    }
    return [*words(), *sorted(options - words().keys()), *TOLD]


def suggestion(subject: str) -> str:
    """What to append to the message that nobody knows a word, the `subject`: the words that begin
    with it or have its letters as initials, or those that it or a part of them is like, or nothing.

    >>> suggestion("blow"), suggestion("epsilonn"), suggestion("geometrc")
    ("; did you mean 'blowfish'?", "; did you mean 'epsilon'?", "; did you mean 'geometric'?")
    >>> suggestion("difrential")
    "; did you mean 'differential_privacy'?"
    """
    asked = subject[:WIDE].lower()
    meant = [one for one in known() if len(asked) >= SHORTEST and one.lower().startswith(asked)]
    meant = meant or [one for one in known() if "_" in one and _initials(one) == asked]
    if not meant:
        parts = _parts()
        meant = [one for part in get_close_matches(asked, parts, n=1) for one in parts[part]]
    return f"; did you mean {_either(list(dict.fromkeys(meant))[:3])}?" if meant else ""


def _parts() -> dict[str, list[str]]:
    """Words in small letters, and what stands between their underscores -> the words."""
    found = {one.lower(): [one] for one in known()}
    for one in words():
        for part in one.split("_"):
            found.setdefault(part, []).append(one)
    return found


def _initials(name: str) -> str:
    return "".join(part[:1] for part in name.split("_"))


def _either(names: list[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)


def listed() -> Mapping[str, list[Word]]:
    """What a spec file can be made of, by kind."""
    every = [one for meanings in words().values() for one in meanings]
    return {title: [one for one in every if one.kind == kind] for kind, title in LISTED.items()}
