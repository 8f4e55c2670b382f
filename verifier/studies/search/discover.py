"""Small examples found for a spec file. Each is a spec file that has been decided again, with
accepted certificates, before it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from verifier import verify
from verifier.base import document, parameters
from verifier.base.errors import LimitReached, NotDecided, limit_reason
from verifier.base.registry import DEFINITIONS
from verifier.spec import reading
from verifier.spec.options import Check
from verifier.studies.search import separation, violation
from verifier.studies.search.collapse import Goal, collapse
from verifier.studies.search.constraint import smallest
from verifier.studies.search.files import Candidate, alone, answer, confirmed, plain
from verifier.studies.search.separate import Family, Search, settings
from verifier.studies.search.worst import worst


@dataclass(frozen=True)
class Finding:
    """An example, as the text of a spec file; `about` says of what, in words. Without a text the
    `reason` says why there is none. The `note` says what was tried."""

    about: str
    spec: str = ""
    reason: str = ""
    note: str = ""


@dataclass(frozen=True)
class Wanted:
    """What to look for.

    goal         in a word
    keep_worlds  whether worlds stay as they are
    collapse     what a mechanism leaks once and in several runs
    checks       the names of two checks, or their numbers, to be told apart
    family       the mechanisms to try
    priors       a class of priors, as YAML
    seconds      for all that is tried; None without a limit
    """

    goal: str = "violation"
    keep_worlds: bool = False
    collapse: Goal = field(default_factory=Goal)
    checks: tuple[str, ...] = ()
    family: Family = field(default_factory=Family)
    priors: str = "all"
    seconds: float | None = None


def findings(path: Path, wanted: Wanted, options: verify.Options) -> list[Finding]:
    """Examples for a goal, for the active choice of the file's parameters. Raises InputError,
    verify.NotAccepted."""
    note = parameters.active().note
    text = parameters.filled(document.read_text(path))
    found = _found(path, wanted, text, options)
    return [replace(one, about=f"{one.about} ({note})") for one in found] if note else found


def _found(path: Path, wanted: Wanted, text: str, options: verify.Options) -> list[Finding]:
    """Examples for one choice; at a limit why there are none."""
    search = GOALS[wanted.goal]
    found: list[Finding] = []
    try:
        with verify.limits(options, "search"):
            checks = reading.read(document.parse(text, str(path)), path, options.allow_python)[1]
            for one in search(checks, wanted):
                found.append(one)
    except (LimitReached, MemoryError) as limit:
        found.append(Finding("search", reason=f"undecided: {limit_reason(limit)}"))
    return found


def violations(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check that is violated, a small file of the same question that shows it; of an
    infinite leakage where it is infinite, else of a finite one."""
    for check in checks:
        try:
            found = answer(check)
            if found.verdict == "violated" and check.definition.text == "implies":
                yield Finding(check.title, separation.small(check, found, check.title))
            elif found.verdict == "violated":
                yield Finding(check.title, _small(check, wanted))
        except NotDecided as reason:
            yield Finding(check.title, reason=str(reason))


def _small(check: Check, wanted: Wanted) -> str:
    given = Candidate(alone(check), check.model.path, check.model.allow_python)
    said = f"{check.title}, a small example"
    return confirmed(violation.smaller(given, said, wanted.keep_worlds))


def collapses(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For the pairs and the priors of each check, a mechanism that leaks little once and much in
    several runs."""
    seen = []
    for check in checks:
        if check.definition.text not in ("pufferfish", "composition"):
            continue
        about = [plain(node) for key in ("pairs", "priors") if (node := check.option(key))]
        if about in seen:
            continue
        seen.append(about)
        try:
            found = collapse(check, wanted.collapse, check.title)
            if found is not None:
                yield Finding(check.title, found)
        except NotDecided as reason:
            yield Finding(check.title, reason=str(reason))


def separations(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """A mechanism of which the first of two checks holds, and the second does not."""
    first, second = (_chosen(checks, name) for name in wanted.checks)
    title = f"{first.title} without {second.title}"
    try:
        search = Search(settings(first, second, wanted.family), wanted.family, wanted.seconds)
        spec = search.found(title)
        yield Finding(title, spec or "", note=search.told())
    except NotDecided as reason:
        yield Finding(title, reason=str(reason))


def priors(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check with priors and a level, a prior of a class under which most is leaked."""
    for check in checks:
        if not {"priors", "epsilon"} <= {*DEFINITIONS.module(check.definition.text).OPTIONS}:
            continue
        try:
            spec, note = worst(check, wanted.priors)
            yield Finding(check.title, spec, note=note)
        except NotDecided as reason:
            yield Finding(check.title, reason=str(reason))


def constraints(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check that holds, a constraint on the worlds under which it is violated."""
    for check in checks:
        try:
            spec, tried = smallest(check, wanted.seconds)
            yield Finding(check.title, spec or "", note=tried.told())
        except NotDecided as reason:
            yield Finding(check.title, reason=str(reason))


def _chosen(checks: list[Check], name: str) -> Check:
    """The check of a name, or of a number from 1 on; S606."""
    named = [check for check in checks if name in (check.title, str(check.index + 1))]
    if len(named) != 1:
        several = "several checks are" if named else "no check is"
        known = ", ".join(f"{check.index + 1} ({check.title})" for check in checks)
        said = f"{several} called '{name}'"
        raise checks[0].model.node["checks"].fail("S606", said, f"choose of {known}")
    return named[0]


GOALS = {"violation": violations, "collapse": collapses, "separate": separations}
GOALS |= {"prior": priors, "constraint": constraints}
