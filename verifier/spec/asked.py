"""A check of a file, read: what it asks, what is expected of it, and how reports name it.

A file expects a verdict and a smallest level; with a parameter it says where, and which. `expect:
{holds: p <= 3/4}` says for which values of the parameters a check holds, and `leakage: [[p <= 3/4,
p/(1 - p)], …]` the smallest level as a function. Where all parameters have values, both are about
these.

Reports say where a check stands, what it is called, and by which id it is known again after the
file has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as Items
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.base import exact, parameters
from verifier.base.document import Mapping, Node, Sequence
from verifier.base.errors import InputError, LimitReached, Place
from verifier.base.nouns import Later, Shown, dataclass
from verifier.questions.claim import Claim
from verifier.questions.question import Question
from verifier.spec.options import Check

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval, Region
    from verifier.questions.several import Domain

VERDICTS = ("holds", "violated", "vacuous")
PIECES = "write [[p <= 3/4, p/(1 - p)], [p > 3/4, infinite]], or one function"

Wanted = tuple[Fraction | None, Fraction | None]  # the least and largest level; None: infinite
Wished = tuple["Region", Fraction | None]  # where, and the level there; None: infinite
IN_TITLE = ("name", "epsilon", "exp_epsilon", "rho", "delta", "expect", "leakage")
DIGITS = 16  # of an id, hexadecimal


@dataclass(frozen=True)
class Wish(Later):
    """What is expected of an answer.

    expected  `holds`, `violated` or `vacuous`
    leakage   the smallest level; None where nothing is said
    region    where in the interval of a real parameter it holds; None without one
    curve     the smallest level as a function there; None where nothing is said
    """

    expected: str
    leakage: Wanted | None = None
    region: Region | None = None
    curve: tuple[Wished, ...] | None = None

    def as_json(self, name: str) -> dict[str, Any] | None:
        """What is expected for all values of a parameter of this name; None where nothing is."""
        if self.region is None and self.curve is None:
            return None
        found: dict[str, Any] = {"parameter": name}
        if self.region is not None:
            found["region"] = _intervals(self.region)
        if self.curve is not None:
            found["leakage"] = [
                {
                    "region": _intervals(where),
                    **({"infinite": True} if level is None else {"exp_epsilon": exact.text(level)}),
                }
                for where, level in self.curve
            ]
        return found


def _intervals(region: Region) -> list[dict[str, Any]]:
    from verifier.questions.curve import interval_json

    return list(map(interval_json, region.intervals))


def is_asked(check: Check) -> bool:
    """Whether a check is about the values of the parameters, as its `where` says."""
    node = check.item.table.get("where")
    return node is None or _is_true(node)


def read_wish(check: Check, of_functions: bool = False) -> Wish:
    """What a file expects of a check.

    of_functions  whether real parameters have no values, so that only a verdict is expected
    """
    node = check.item.table.get("expect")
    if isinstance(node, Mapping):
        wanted = node.mapping(("holds",), "where it holds", "holds")["holds"]
        expected = "holds" if of_functions or _is_true(wanted) else "violated"
    else:
        expected = node.word(VERDICTS, "expectation") if node else "holds"
    return Wish(expected, None if of_functions else leakage(check))


def leakage(check: Check) -> Wanted | None:
    """The `leakage` a check asserts: a number, `infinite`, or an interval; of pieces the one that
    is about the values of the parameters."""
    node = check.item.table.get("leakage")
    if node is None:
        return None
    if isinstance(node, Sequence):
        if node.items and all(isinstance(item, Sequence) for item in node):
            found = [wanted_level(value) for where, value in pieces_of(node) if _is_true(where)]
            return (found[0], found[0]) if found else None
        ends = [item.number("an end of an interval") for item in node]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise node.fail("S607", "an interval has two ends, [lower, upper]")
        return ends[0], ends[1]
    value = wanted_level(node)
    return value, value


def wanted_level(node: Node) -> Fraction | None:
    """A level, None for `infinite`."""
    text = node.scalar("a leakage").text
    if text == "infinite":
        return None
    if not (exact.looks_like_number(text) or exact.is_formula(text)):
        raise node.fail(
            "S607", f"a number, infinite or [lower, upper] was expected, found '{text}'"
        )
    return node.number("a level")


def pieces_of(node: Sequence) -> list[tuple[Node, Node]]:
    """The conditions and functions of [[condition, function], …]."""
    found = [item.sequence("a condition and a function") for item in node]
    for item in found:
        if len(item.items) != 2:
            raise item.fail("S607", "a piece is a condition and a function", PIECES)
    return [(item.items[0], item.items[1]) for item in found]


def _is_true(node: Node) -> bool:
    from verifier.spec.parameters import condition

    return condition(node) is True


@dataclass(frozen=True, eq=False)
class Asked(Shown, Later):
    """A check that has been read.

    question   what it asks; None where it cannot be asked
    reason     why it cannot
    wish       what the file expects
    seconds    that reading it took
    limited    whether the reason is a limit
    domain     the values of real parameters that it is about
    parameter  the name of the one that is left open
    equations  what other parameters are as functions of it, in words
    """

    check: Check
    question: Question | None
    reason: str
    wish: Wish
    seconds: float
    limited: bool = False
    domain: Interval | Domain | None = None
    parameter: str = ""
    equations: str = ""

    @property
    def expected(self) -> str:
        """`holds`, `violated` or `vacuous`."""
        return self.wish.expected

    @property
    def leakage(self) -> Wanted | None:
        """The smallest level that is asserted."""
        return self.wish.leakage

    @property
    def name(self) -> str:
        """The check's name in the file, or its definition."""
        return self.check.title

    @property
    def claim(self) -> Claim | None:
        """What decides the question."""
        return None if self.question is None else self.question.claim


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


def named(file: str, asked: Items[Asked]) -> list[Named]:
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


def _ids(file: str, asked: Items[Asked]) -> Iterator[str]:
    before: Counter[tuple[str | None, ...]] = Counter()
    for one in asked:
        check = one.check
        unnamed = check.definition.text, check.mechanism_name()
        key = unnamed if check.name is None else (check.name,)
        key = (*key, *filter(None, [parameters.active().note]))
        text = json.dumps([path_from_here(file), *key, before[key]])
        before[key] += 1
        yield hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _labels(asked: Items[Asked]) -> list[str]:
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


def _differences(checks: Items[Check]) -> Iterator[str]:
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
    title = check.name or " ".join(filter(None, [check.definition.text, _level_told(asked)]))
    mechanism = check.mechanism_name()
    return f"{title} [{mechanism}]" if mechanism else title


def _level_told(asked: Asked) -> str:
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
