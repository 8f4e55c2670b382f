"""Campaign "substitution": a number of a model becomes a parameter, and its region is compared.

A number v is replaced by p (and 1 − v by 1 − p) with p near v; in a row of numbers that sum to 1
the largest other one gets the rest. What the region and the smallest level say of a value is to be
what the ordinary check finds there: at v, at drawn values, at rational ends, and within 10^-30 of
all ends.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

from tests.slips import MODELS
from verifier.base import document, parameters
from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import InputError, LimitReached, NotDecided, VerifierError
from verifier.kernels.roots import enclosed
from verifier.questions.answer import Answer
from verifier.questions.curve import Curve
from verifier.run import verify

TINY, WIDTH = Fraction(1, 10**30), Fraction(1, 50)
NUMBER = re.compile(r"(?<![\w./$-])(?<!\*\*)(\d+/[1-9]\d*|0\.\d+)(?![\w./]|\*\*)")
EXPECTED = ("expect", "leakage")  # of a check, which says so of one value
NAMES = {"title", "source", "name", "outputs", "epsilon"}  # under them no parameter stands
SECONDS = 10.0  # for each check
POINTS = 9  # at which an answer is compared


@dataclass(frozen=True)
class Substitution:
    """A file of which one number is replaced."""

    path: Path
    value: Fraction

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name} {self.value}"

    @cached_property
    def name(self) -> str:
        """A name that the file does not have."""
        text = self.path.read_text(encoding="utf-8")
        return next(name for name in ("p", "q", "theta") if not re.search(rf"\b{name}\b", text))

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of the parameter's interval."""
        least = Fraction(int(self.value))  # a probability stays one, and a level
        width = min(WIDTH, (self.value - least) / 2, (least + 1 - self.value) / 2)
        width = width or WIDTH
        return self.value - width, self.value + width

    def text(self) -> str:
        """The file with the parameter, as JSON."""
        low, high = self.ends
        replaced = self.replaced(document.load(self.path), "")
        said = {"parameters": {self.name: f"{low} < {self.name} < {high}"}}
        return json.dumps(said | replaced)

    def replaced(self, node: Node, key: str) -> Any:
        """A part of the file, which stands under a key."""
        if isinstance(node, Scalar):
            if key == "exp_epsilon" and node.text == str(self.value):
                return self.name
            return node.text if key in NAMES else NUMBER.sub(self.instead, node.text)
        parts = dict(_parts(node))
        if rest := self.in_row(parts):
            return list(rest.values()) if isinstance(node, document.Sequence) else rest
        inner = {
            name: self.replaced(part, key if isinstance(name, int) else name)
            for name, part in parts.items()
            if name not in EXPECTED
        }
        return list(inner.values()) if isinstance(node, document.Sequence) else inner

    def instead(self, found: re.Match[str]) -> str:
        """What stands in place of a number."""
        number = Fraction(found[1])
        at = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip()
        alone = at == ("", "")
        if number == self.value:
            return self.name if alone else f"({self.name})"
        if number == 1 - self.value:
            return f"1 - {self.name}" if alone else f"(1 - {self.name})"
        return found[1]

    def in_row(self, parts: dict[Any, Node]) -> dict[Any, str] | None:
        """The parts, where they are numbers that sum to 1 and have the value, or the rest to 1."""
        row = {name: _number(part) for name, part in parts.items()}
        known = {name: x for name, x in row.items() if x is not None}
        if len(known) < max(2, len(row)) or sum(known.values()) != 1:
            return None
        found = {name: str(x) for name, x in known.items()}
        for value, sign in ((self.value, ""), (1 - self.value, "-")):
            if value in known.values():
                one = next(name for name, x in known.items() if x == value)
                other = max((name for name in known if name != one), key=known.__getitem__)
                rest = known[other] + self.value if not sign else known[other] - self.value
                found[one] = f"1 - {self.name}" if sign else self.name
                found[other] = f"{rest} {'+' if sign else '-'} {self.name}"
                return found
        return None


def _parts(node: Node) -> Iterator[tuple[Any, Node]]:
    if isinstance(node, Mapping):
        yield from node.table.items()
    elif isinstance(node, document.Sequence):
        yield from enumerate(node.items)


def _number(node: Node) -> Fraction | None:
    found = re.fullmatch(r"\d+(/[1-9]\d*|\.\d+)?", node.text) if isinstance(node, Scalar) else None
    return Fraction(found[0]) if found else None


def substitutions(paths: Sequence[Path] = ()) -> list[Substitution]:
    """All of the models that have no parameter."""
    found: list[Substitution] = []
    for path in paths or sorted(MODELS.glob("*/*.yaml")):
        top = document.load(path)
        if isinstance(top, Mapping) and top.get("parameters") is None:
            numbers = dict.fromkeys(_numbers(top, ""))
            kept = {x if x > 1 else max(x, 1 - x) for x in numbers}  # p and 1 - p are one
            found += [Substitution(path, x) for x in sorted(kept)]
    return found


def _numbers(node: Node, key: str) -> Iterator[Fraction]:
    """The numbers that may be replaced: between 0 and 1, and levels above 1."""
    if isinstance(node, Scalar) and key not in NAMES:
        text = re.fullmatch(r"[1-9]\d*", node.text) if key == "exp_epsilon" else None
        numbers = [node.text] if text else NUMBER.findall(node.text)
        yield from (x for x in map(Fraction, numbers) if x not in (0, 1))
    for name, part in _parts(node):
        if name not in EXPECTED:
            yield from _numbers(part, key if isinstance(name, int) else str(name))


@dataclass
class Found:
    """What came out of one substitution.

    compared  how many single answers were compared
    said      why something is undecided, or an error
    wrong     what is not as it is to be
    """

    compared: int = 0
    said: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def found(one: Substitution, random: Random) -> Found:
    """What comes out of a substitution."""
    report = Found()
    with tempfile.TemporaryDirectory() as folder:
        copytree(one.path.parent, folder, dirs_exist_ok=True)
        path = Path(folder) / "substituted.json"
        path.write_text(one.text(), encoding="utf-8")
        try:
            _compare(path, one, random, report)
        except InputError as error:
            report.said.append(f"error {error.code}")
            if error.place is None:
                report.wrong.append(f"an error without a place: {error.code} {error.message}")
        except LimitReached as limit:
            report.said.append(str(limit))
        except Exception as error:
            report.wrong.append(f"{type(error).__name__}: {error!s:.300}")
    return report


def _compare(path: Path, one: Substitution, random: Random, report: Found) -> None:
    whole = {at: answer for at, answer in answers(path, one, report) if answer is not None}
    curves = {at: answer.curve for at, answer in whole.items() if answer.curve is not None}
    if not curves:
        return
    for x in _values(one, list(curves.values()), random):
        for at, plain in answers(path, one, report, x, curves):
            curve = curves[at]
            if plain is None or any(part.has(x) for part in curve.undecided):
                continue
            report.compared += 1
            if difference := different(curve, x, plain):
                report.wrong.append(f"check {at + 1}, {one.name} = {x}: {difference}")


def answers(
    path: Path,
    one: Substitution,
    report: Found,
    x: Fraction | None = None,
    chosen: Any = None,
) -> Iterator[tuple[int, Answer | None]]:
    """The answer to each check, for all values or one; None where it is undecided."""
    (choice,) = verify.choices(path, {} if x is None else {one.name: [str(x)]})
    with parameters.given(choice):
        for at, asked in enumerate(verify.load(path, time_limit=SECONDS).questions):
            if chosen is not None and at not in chosen:
                continue
            try:
                if asked.question is None:
                    raise NotDecided(asked.reason)
                yield at, verify.answer(asked.question, time_limit=SECONDS)
            except (NotDecided, LimitReached) as limit:
                if x is None:
                    report.said.append(str(limit))
                yield at, None
            except (VerifierError, AssertionError, ArithmeticError) as error:
                where = "all" if x is None else x
                said = f"{type(error).__name__} {error!s:.300}"
                report.wrong.append(f"check {at + 1}, {one.name} = {where}: {said}")
                yield at, None


def _values(one: Substitution, curves: Sequence[Curve], random: Random) -> list[Fraction]:
    """Values at which answers are compared; of the ends of pieces a few."""
    low, high = one.ends
    ends = {
        end
        for curve in curves
        for part in (
            *curve.region.intervals,
            *curve.undecided,
            *(s.interval for s in curve.stretches),
        )
        for end in (part.low, part.high)
    }
    near = {
        x
        for end in ends
        for left, right in [enclosed(end, TINY)]
        for x in (left - TINY, left, right, right + TINY)
        if low < x < high
    }
    drawn = [low + (high - low) * Fraction(random.randint(1, 999), 1000) for _ in range(2)]
    some = random.sample(sorted(near), min(len(near), POINTS - 3))
    return [one.value, *drawn, *some]


def different(curve: Curve, x: Fraction, plain: Answer) -> str | None:
    """How an answer for all values differs from the one at a value x; None where it does not."""
    verdict = "holds" if curve.region.has(x) else "violated"
    if verdict != plain.verdict:
        return f"the verdict is {verdict}, found {plain.verdict}"
    ends = _ends(plain)
    stretch = next((one for one in curve.stretches if one.interval.has(x)), None)
    if ends is None or not curve.stretches:
        return None
    if stretch is None:
        return "no level is said there"
    said = None if stretch.is_infinite else stretch.at(x)
    if said is None or None in ends:
        fits = said is None and None in ends
    else:
        low, high = (end**stretch.root for end in ends if end is not None)
        fits = (low <= said or stretch.sense == "at least") and (
            said <= high or stretch.sense == "at most"
        )
    found = " to ".join("infinite" if end is None else str(end) for end in dict.fromkeys(ends))
    return None if fits else f"it is {stretch.told(curve.parameter)}, found {found}"


def _ends(plain: Answer) -> tuple[Fraction | None, Fraction | None] | None:
    """What the level or the value lies between; no numbers where infinite, None without one."""
    level = plain.leakage
    if plain.value is not None:
        return plain.value, plain.value
    if level is None or level.vacuous:
        return None
    return level.bounds or (level.exp_epsilon, level.exp_epsilon)


def campaign(count: int, seed: int) -> str:
    """So many substitutions, drawn; AssertionError if an answer differs, or is no answer."""
    random, every = Random(seed), substitutions()
    chosen = random.sample(every, min(count, len(every)))
    compared, said, wrong = 0, Counter[str](), list[str]()
    for one in chosen:
        report = found(one, Random(f"{seed} {one}"))
        compared += report.compared
        said.update(report.said)
        wrong += [f"{one}: {what}" for what in report.wrong]
    reasons = "; ".join(f"{n} {what}" for what, n in said.most_common(5))
    summary = f"{len(chosen)} numbers, {compared} answers compared; without one: {reasons}"
    assert not wrong, f"{summary}; {len(wrong)} are wrong: {' | '.join(wrong[:20])}"
    return summary
