"""Small examples found for a spec file: of a violation, or of a collapse. Each is a spec file that
has been decided again, with accepted certificates, before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from verifier import verify
from verifier.base import document, exact, parameters
from verifier.base.errors import InputError, LimitReached, NotDecided, limit_reason
from verifier.base.level import Leakage, Level
from verifier.claims.answer import Answer
from verifier.claims.claim import Json
from verifier.claims.question import Question
from verifier.claims.secrets import GIVEN
from verifier.claims.witness import Belief, EventWitness, OutputWitness, RunWitness
from verifier.priors.list import ListedPriors
from verifier.spec import reading
from verifier.spec.options import Check
from verifier.studies.search import separation
from verifier.studies.search.collapse import collapse
from verifier.studies.search.example import Example
from verifier.studies.search.shrink import shrink

ONE, LARGE = Level(exp_epsilon=Fraction(1)), Level(exp_epsilon=Fraction(10**6))
NOTHING_ONCE = "pufferfish: {exp_epsilon: 1}\nmechanism: once\nleakage: 1"
ALL_AFTER_TWO = (
    "pufferfish: {exp_epsilon: 1000000}\nmechanism: twice\nexpect: violated\nleakage: infinite"
)


@dataclass(frozen=True)
class Finding:
    """An example, as the text of a spec file; `about` says of what, in words. Without a text the
    `reason` says why there is none."""

    about: str
    spec: str = ""
    reason: str = ""


ONE_RECORD = "examples about one record of a histogram are not searched: leave exchangeable out"


def findings(path: Path, goal: str, options: verify.Options) -> list[Finding]:
    """Examples for a goal, for the active choice of the file's parameters. Raises InputError,
    verify.NotAccepted."""
    note = parameters.active().note
    found = _found(path, goal, parameters.filled(document.read_text(path)), options)
    return [replace(one, about=f"{one.about} ({note})") for one in found] if note else found


def _found(path: Path, goal: str, text: str, options: verify.Options) -> list[Finding]:
    """Examples for one choice; at a limit why there are none."""
    try:
        with verify.limits(options, "search"):
            if goal == "violation":
                return list(violations(text, path, options.allow_python))
            return list(collapses(text, path))
    except (LimitReached, MemoryError) as limit:
        reason = limit_reason(limit)
        return [Finding("all checks", reason=f"undecided: {reason}")]


def violations(text: str, path: Path, allow_python: bool = False) -> Iterator[Finding]:
    """For each check of a file that is violated, a small example of that; of an infinite leakage
    where it is infinite, else of a finite one."""
    for check in reading.read(document.parse(text, str(path)), path, allow_python)[1]:
        title = check.name or check.definition.text
        try:
            answer = verify.certified(reading.asked(check))
            if answer.verdict == "violated" and check.definition.text == "implies":
                yield Finding(title, separation.small(check, answer, title))
            elif answer.verdict == "violated":
                yield Finding(title, _small_violation(check, answer, title))
        except NotDecided as reason:
            yield Finding(title, reason=str(reason))


def _small_violation(check: Check, answer: Answer, title: str) -> str:
    wanted, example = _wanted(check, answer), _of_witness(check, answer)
    infinite = answer.leakage is not None and answer.leakage.infinite

    def holds(candidate: Example) -> bool:
        return _violates(candidate, wanted, infinite)

    if not holds(example):
        raise NotDecided("the worlds of the witness alone are no such example")
    found = shrink(example, holds, Example.simpler, Example.order)
    return _final(found, f"{title}, a small example", wanted)


def collapses(text: str, path: Path) -> Iterator[Finding]:
    """For the pairs and the priors of each check, a small mechanism that leaks nothing once and
    reveals a secret when run twice."""
    seen: list[Example] = []
    for check in reading.read(document.parse(text, str(path)), path)[1]:
        if check.definition.text not in ("pufferfish", "composition"):
            continue
        title = check.name or check.definition.text
        try:
            about = _setting(check)
        except NotDecided as reason:
            yield Finding(title, reason=str(reason))
            continue
        if about in seen:
            continue
        seen.append(about)
        found = collapse(about)
        if found is not None:
            small = shrink(found, _collapses, Example.simpler, Example.order)
            said = "No leakage once, a secret revealed when run twice"
            checks = [NOTHING_ONCE, ALL_AFTER_TWO]
            text = small.spec(said, f"found for {path.name}", checks)
            yield Finding(title, separation.confirmed(text))


@dataclass(frozen=True)
class Wanted:
    """What is asked of examples: a definition at a level, as it is written."""

    keyword: str
    written: str
    level: Level
    delta: Fraction

    def violation(self, example: Example) -> Leakage | None:
        """The smallest level of an example that violates it; None where it does not."""
        answer = _answer(lambda: example.question(self.keyword, self.level, self.delta))
        return answer.leakage if answer and answer.verdict == "violated" else None


def _wanted(check: Check, answer: Answer) -> Wanted:
    """The definition and level of a check, for pairs and priors given in full. Neighbours are pairs
    of secrets of one world each, so their definitions are the same as Pufferfish there. Not so
    where larger distances allow more, or several mechanisms are meant, or none (influence)."""
    keyword = "composition" if check.definition.text == "composition" else "pufferfish"
    asked = answer.level.as_json() if answer.level else {}
    asked |= {"delta": exact.text(answer.delta)} if answer.delta else {}
    level = ", ".join(f"{key}: {value}" for key, value in asked.items() if value != "0")
    relation = _relation(answer)
    several = check.options.get("of") or check.options.get("sequence")
    one_run = check.definition.text != "influence" and several is None
    near = set(relation.get("distances", ())) <= {"1"}
    if not (answer.level and one_run and near and _before(answer)):
        raise NotDecided(f"violations of '{check.definition.text}' have no such example")
    written = f"{keyword}: {{{level}}}\nmechanism: once"
    return Wanted(keyword, written, answer.level, answer.delta)


def _before(answer: Answer) -> Belief | None:
    """What an attacker believes whom a witness is about."""
    found = answer.witness
    return found.before if isinstance(found, OutputWitness | EventWitness | RunWitness) else None


def _relation(answer: Answer) -> Json:
    """Which worlds are compared, as the certificate states it."""
    assert answer.certificate is not None
    return answer.certificate["question"]["relation"] or {}


def _of_witness(check: Check, answer: Answer) -> Example:
    """The worlds of the witness's prior, its pair, and the mechanism there."""
    before = _before(answer)
    assert before is not None
    space, names, prior = check.space, before.pair, before.prior
    if any(space.index(world) is None for world in prior):
        raise NotDecided(ONE_RECORD)
    worlds = tuple(w for w in space.names(range(space.size)) if w in prior)
    inside = _secrets(_relation(answer), names, check)
    secrets = {s: tuple(w for w in worlds if w in of) for s, of in inside.items()}
    first, second = secrets
    return _example(check, worlds, secrets, ((first, second),), (prior,))


def _secrets(relation: Json, names: Sequence[str], check: Check) -> dict[str, set[str]]:
    """The worlds of a pair of secrets; of two worlds, that it is the one or the other."""
    known = relation.get("secrets", {})
    if all(type(known.get(name)) is list for name in names):
        return {name: set(check.space.names(known[name])) for name in names}
    if all(check.space.index(name) is not None for name in names):
        return {f"it is {name}": {name} for name in names}
    raise NotDecided(f"violations of '{check.definition.text}' have no such example")


def _setting(check: Check) -> Example:
    """All worlds, pairs and priors of a check, and a mechanism that says nothing."""
    given = check.priors()
    if not isinstance(given, ListedPriors):
        raise NotDecided("a collapse is found for priors that are listed")
    space = check.space
    chosen = check.pairs()
    if space.is_histograms and chosen.kind != GIVEN:
        raise NotDecided(ONE_RECORD)
    names = tuple(space.names(range(space.size)))
    priors = tuple({names[w]: p for w, p in corner.items()} for corner in given.corners(space))
    pairs = chosen.listed
    secrets = {
        secret.name: tuple(w for w, inside in zip(names, secret.worlds, strict=True) if inside)
        for pair in pairs
        for secret in pair
    }
    rows = {w: {"nothing": Fraction(1)} for w in names}
    both = tuple((s.name, t.name) for s, t in pairs)
    return Example(names, secrets, both, priors, ("nothing",), rows)


def _example(
    check: Check,
    worlds: tuple[str, ...],
    secrets: Mapping[str, tuple[str, ...]],
    pairs: tuple[tuple[str, str], ...],
    priors: tuple[Mapping[str, Fraction], ...],
) -> Example:
    mechanism = check.mechanism()
    rows = {}
    for w in worlds:
        at = check.space.index(w)
        assert at is not None
        column = (mechanism.probability(o, at) for o in range(len(mechanism.outputs)))
        rows[w] = {o: p for o, p in zip(mechanism.outputs, column, strict=True) if p}
    used = {o for row in rows.values() for o in row}
    outputs = tuple(o for o in mechanism.outputs if o in used)
    return Example(worlds, secrets, pairs, priors, outputs, rows)


def _answer(asked: Callable[[], Question]) -> Answer | None:
    """The answer to a question; None where there is none, or it is no valid one."""
    try:
        return verify.certified(asked())
    except (InputError, NotDecided):
        return None


def _violates(example: Example, wanted: Wanted, infinite: bool) -> bool:
    """Whether a check is violated, at every level or not."""
    leakage = wanted.violation(example)
    return leakage is not None and leakage.infinite == infinite


def _collapses(example: Example) -> bool:
    once = _answer(lambda: example.question("pufferfish", ONE))
    if once is None or once.leakage is None or once.leakage.exp_epsilon != 1:
        return False
    twice = _answer(lambda: example.question("pufferfish", LARGE, runs=2))
    return twice is not None and twice.leakage is not None and twice.leakage.infinite


def _final(example: Example, title: str, wanted: Wanted) -> str:
    leakage, pinned = wanted.violation(example), ""
    if leakage is not None and leakage.infinite:
        pinned = "\nleakage: infinite"
    elif leakage is not None and leakage.exp_epsilon is not None:
        pinned = f"\nleakage: {leakage.exp_epsilon}"
    checks = [f"{wanted.written}\nexpect: violated{pinned}"]
    return separation.confirmed(example.spec(title, "found by search", checks))
