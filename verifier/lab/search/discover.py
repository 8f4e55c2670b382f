"""Small examples found for a spec file. Each is a spec file that has been decided again, with
accepted certificates, before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from verifier.base import document, parameters
from verifier.base.errors import LimitReached, NotDecided, TimeLimitReached, limit_reason
from verifier.base.registry import DEFINITIONS
from verifier.lab.search import separation, violation
from verifier.lab.search.collapse import Goal, collapse
from verifier.lab.search.constraint import smallest
from verifier.lab.search.files import Candidate, Tree, alone, answer, confirmed, plain, written
from verifier.lab.search.separate import Family, Search, settings, why_none
from verifier.lab.search.worst import worst
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.options import Check

Found = tuple[Tree | None, str]  # an example, if there is one, and what was tried


@dataclass(frozen=True)
class Finding:
    """An example, as the text of a spec file; `about` says of what, in words. Without a text the
    `reason` says why there is none, with one why it is not the best. The `note` says what was
    tried. One that is not `whole` may become better, and is not confirmed."""

    about: str
    spec: str = ""
    reason: str = ""
    note: str = ""
    whole: bool = True


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


Tell = Callable[[Finding], None]


def findings(
    path: Path, wanted: Wanted, options: verify.Options, tell: Tell, best: Finding | None = None
) -> None:
    """Tell examples for a goal, for the active choice of the file's parameters, as they are found,
    also those that may become better. Raises InputError, verify.NotAccepted.

    best  what a search that was stopped has told last, if it may become better
    """

    def told(one: Finding) -> None:
        nonlocal best
        best = None if one.whole else one
        tell(one)

    try:
        with verify.limits(options, "search"):
            text = parameters.filled(document.read_text(path))
            checks = reading.read_model_and_checks(
                document.parse(text, str(path)), path, options.allow_python
            )[1]
            for one in GOALS[wanted.goal](checks, wanted):
                told(one)
    except (LimitReached, MemoryError) as limit:
        reason = f"undecided: {limit_reason(limit)}"
        told(_kept(best, reason, options) if best else Finding("search", reason=reason))


def _kept(best: Finding, reason: str, options: verify.Options) -> Finding:
    """The best that was found before a limit was reached, confirmed."""
    try:
        with verify.limits(options, "example"):
            spec = confirmed(best.spec)
            return replace(best, spec=spec, reason=reason, whole=True)
    except (NotDecided, LimitReached, MemoryError):
        return replace(best, spec="", reason=reason, whole=True)


def violations(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check that is violated, a small file of the same question that shows it; of an
    infinite leakage where it is infinite, else of a finite one."""
    for check in checks:
        yield from _better(check.title, partial(_small, check, wanted))


def _small(check: Check, wanted: Wanted) -> Iterator[Found]:
    found = answer(check)
    if found.verdict != "violated":
        return
    if check.definition.text == "implies":
        trees = separation.small(check, found, check.title)
    else:
        given = Candidate(alone(check), check.model.path, check.model.allow_python)
        said = f"{check.title}, a small example"
        trees = violation.smaller(given, said, wanted.keep_worlds)
    yield from ((tree, "") for tree in trees)


def collapses(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For the pairs and the priors of each check, a mechanism that leaks little once and much in
    several runs."""
    seen = []
    for check in checks:
        if check.definition.text not in ("pufferfish", "composition"):
            continue
        about = [plain(node) for key in ("pairs", "priors") if (node := check.option(key))]
        if about not in seen:
            seen.append(about)
            own = partial(collapse, check, wanted.collapse, check.title)
            yield from _better(check.title, own)


def separations(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """A mechanism of which the first of two checks holds, and the second does not."""
    first, second = (_chosen(checks, name) for name in wanted.checks)
    title = f"{first.title} without {second.title}"

    def found() -> Iterator[Found]:
        family = wanted.family
        about_file = family.worlds is None and family.priors is None and family.runs is None
        if about_file and (reason := why_none(first, second)) is not None:
            yield None, reason
            return
        search = Search(settings(first, second, wanted.family), wanted.family, wanted.seconds)
        try:
            tree = search.found(title)
        except TimeLimitReached as limit:
            raise TimeLimitReached(f"{limit}; {search.told()}") from None
        yield tree, search.told()

    yield from _better(title, found)


def priors(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check with priors and a level, a prior of a class under which most is leaked."""
    for check in checks:
        if {"priors", "epsilon"} <= {*DEFINITIONS.module(check.definition.text).OPTIONS}:
            yield from _better(check.title, partial(worst, check, wanted.priors))


def constraints(checks: list[Check], wanted: Wanted) -> Iterator[Finding]:
    """For each check that holds, a constraint on the worlds under which it is violated."""
    for check in checks:
        yield from _better(check.title, partial(smallest, check, wanted.seconds))


def _better(title: str, search: Callable[[], Iterator[Found]]) -> Iterator[Finding]:
    """What a search finds, ever better; then the last of it, confirmed, or why there is nothing."""
    tree, note = None, ""
    try:
        for tree, note in search():
            if tree is not None:
                yield Finding(title, written(tree), note=note, whole=False)
        spec = "" if tree is None else confirmed(written(tree))
    except NotDecided as reason:
        yield Finding(title, reason=str(reason))
    else:
        yield Finding(title, spec, note=note)


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
