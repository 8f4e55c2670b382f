"""How reports name the checks of a file: where each stands, what it is called, and by which id it
is known again after the file has changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

from verifier.base import exact, parameters
from verifier.base.document import Node
from verifier.base.errors import InputError, LimitReached, Place
from verifier.base.nouns import Later, dataclass
from verifier.spec.options import Check
from verifier.spec.reading import Asked

IN_TITLE = ("name", "epsilon", "exp_epsilon", "rho", "delta", "expect", "leakage")
DIGITS = 16  # of an id, hexadecimal


@dataclass(frozen=True)
class Named(Later):
    """How reports name a check.

    place  where it stands
    id     the same as long as file and name are, or without a name definition and mechanism
    label  what it is called, unlike any other check of its file
    note   for which values of the parameters it is asked
    """

    place: Place
    id: str
    label: str
    note: str = ""


def named(file: str, asked: Sequence[Asked]) -> list[Named]:
    """The names of all checks of a file, in their order."""
    checks = [one.check for one in asked]
    places = [Place(file, check.item.line, check.item.column) for check in checks]
    return list(map(Named, places, _ids(file, asked), _labels(asked), map(note, asked)))


def path_from_here(file: str) -> str:
    """The path of a file from the current folder, if it is in there; else from the root; with
    slashes.

    >>> path_from_here("./specs/../survey.yaml")
    'survey.yaml'
    """
    whole, here = Path(os.path.abspath(file)), Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def note(asked: Asked) -> str:
    """For which values of the parameters a check is asked, in words; "" where there is one choice.

    asked  the check
    """
    domain = [] if asked.domain is None else [asked.domain.told(asked.parameter)]
    return ", ".join(filter(None, [parameters.active().note, *domain, asked.equations]))


def _ids(file: str, asked: Sequence[Asked]) -> Iterator[str]:
    before: Counter[tuple[str | None, ...]] = Counter()
    for one in asked:
        check = one.check
        unnamed = check.definition.text, check.mechanism_name()
        key = unnamed if check.name is None else (check.name,)
        key = (*key, *filter(None, [parameters.active().note]))
        text = json.dumps([path_from_here(file), *key, before[key]])
        before[key] += 1
        yield hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _labels(asked: Sequence[Asked]) -> list[str]:
    """Titles; where they are the same with the options that differ, or at last with numbers."""
    titles = [_title(one) for one in asked]
    labels, counts = list(titles), Counter(titles)
    for title in (title for title, count in counts.items() if count > 1):
        same = [number for number, other in enumerate(titles) if other == title]
        for number, told in zip(same, _differences([asked[at].check for at in same]), strict=True):
            labels[number] += told
    for number, told in enumerate(map(note, asked)):
        labels[number] += f" ({told})" if told else ""
    while len(counts := Counter(labels)) < len(labels):
        labels = [
            f"{label}, check {number}" if counts[label] > 1 else label
            for number, label in enumerate(labels, 1)
        ]
    return labels


def _differences(checks: Sequence[Check]) -> Iterator[str]:
    """What to add to the same title of checks: the options in which they differ."""
    options = [_options(check) for check in checks]
    keys = dict.fromkeys(key for given in options for key in given)
    written = {key: {one[key].written if key in one else None for one in options} for key in keys}
    differ = [key for key, found in written.items() if len(found) > 1]
    for given in options:
        yield "".join(f", {key} {given[key].short}" for key in differ if key in given)


def _title(asked: Asked) -> str:
    """The name of a check, or its definition and level, and the mechanism."""
    check = asked.check
    title = check.name or " ".join(filter(None, [check.definition.text, _level(asked)]))
    mechanism = check.mechanism_name()
    return f"{title} [{mechanism}]" if mechanism else title


def _level(asked: Asked) -> str:
    level, delta = None, Fraction(0)
    if asked.question is not None:
        level, delta = asked.question.level, asked.question.delta
    else:
        with suppress(InputError, LimitReached):  # a definition without a level, or a function
            level, delta = asked.check.level(), asked.check.delta()
    told = level.as_json() if level else {}
    if "rho" in asked.check.options.table:  # which has no e^ρ beside it
        told = {"rho": told.get("epsilon") or _logarithm(told["exp_epsilon"])} if told else {}
    parts = [f"{key} {value}" for key, value in told.items()]
    parts += [f"delta {exact.text(delta)}"] if delta else []
    return f"({', '.join(parts)})" if parts else ""


def _logarithm(number: str) -> str:
    """The logarithm of a number of at least 1, as a file may have it."""
    return "0" if number == "1" else f"ln({number})"


def _options(check: Check) -> dict[str, Node]:
    """What a check says besides its title and what is expected."""
    entries = [*check.options.entries, *check.item.entries]
    leave_out = (*IN_TITLE, check.definition.text)
    return {key.text: node for key, node in entries if key.text not in leave_out}
