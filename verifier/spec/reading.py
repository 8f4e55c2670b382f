"""A file, read whole before anything is decided: every error at once, and what is asked.

First comes what needs no world (`preview`); then the worlds, secrets, pairs, priors, mechanisms
and checks, each section by itself. A check whose question is too large to write down stays
undecided, and hides no error.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import perf_counter

from verifier.base import document, exact
from verifier.base.document import Mapping, Node, Note, Scalar, Sequence
from verifier.base.errors import InputErrors, LimitReached, NotDecided, limit_reason
from verifier.base.registry import DEFINITIONS
from verifier.claims.claim import Claim
from verifier.claims.rows import RowClaim
from verifier.priors import is_class, read_class
from verifier.spec import model, tradeoff
from verifier.spec.model import Check, Model, read_pairs
from verifier.spec.preview import Errors, allowed_options, is_small, preview

Wanted = tuple[Fraction | None, Fraction | None]  # the least and largest level; None: infinite
Guard = Callable[[str], AbstractContextManager[None]]  # of the part that it is to limit


@dataclass(frozen=True, eq=False)
class Question:
    """A check, read: its claim, or why it has none, and whether that is a limit; what the file
    expects; seconds so far."""

    check: Check
    claim: Claim | RowClaim | None
    reason: str
    expected: str
    leakage: Wanted | None
    seconds: float
    limited: bool = False


@dataclass(frozen=True, eq=False)
class Reading:
    """All that a file says."""

    model: Model
    questions: tuple[Question, ...]

    @property
    def notes(self) -> list[Note]:
        """The notes on the file."""
        return self.model.node.source.notes.all()


def read_whole(
    path: str | Path, allow_python: bool = False, guard: Guard = lambda part: nullcontext()
) -> Reading:
    """Read a file; InputErrors with all that is wrong. `guard` limits the time and memory of each
    part; what exceeds them is undecided, but for the worlds and secrets (LimitReached)."""
    errors = Errors()
    with guard(""):
        node = document.load(path)
        preview(node.mapping(what="a mapping of worlds, mechanism, checks, …"), errors)
        if errors.found and not is_small(node.mapping()):
            raise InputErrors(errors.found)
        read = errors.attempt(lambda: model.read(node, Path(path), allow_python))
    if read is None:
        raise InputErrors(errors.found)
    built, checks = read
    questions = [] if errors.found else [_question(check, errors, guard) for check in checks]
    with suppress(LimitReached, MemoryError), guard("what no check needs"):
        _read_unused(built, errors, any(question and question.limited for question in questions))
    if errors.found:
        raise InputErrors(errors.found)
    _tell_of_unused(built)
    return Reading(built, tuple(q for q in questions if q is not None))


def _question(check: Check, errors: Errors, guard: Guard) -> Question | None:
    """A check and its claim; None where something is wrong."""
    started = perf_counter()
    before = len(errors.found)
    expected = errors.attempt(lambda: check.expected)
    leakage = errors.attempt(lambda: expected_leakage(check))
    errors.attempt(lambda: check.name)
    claim, reason, limited = None, "", False
    try:
        with guard(f"check {check.index + 1}"):
            claim = errors.attempt(lambda: compile_check(check))
    except NotDecided as undecided:
        reason = str(undecided)
    except (LimitReached, MemoryError) as limit:
        reason, limited = limit_reason(limit), True
    if len(errors.found) > before or expected is None:
        _read_level(check, errors)
        return None
    return Question(check, claim, reason, expected, leakage, perf_counter() - started, limited)


def _read_level(check: Check, errors: Errors) -> None:
    """Read the level and delta of a check in which something else is wrong, for their errors."""
    known, given = allowed_options(check.definition.text), check.options
    if any(isinstance(given.get(key), Scalar) for key in ("epsilon", "exp_epsilon")):
        errors.attempt(check.level)
    if "delta" in known:
        errors.attempt(check.delta)


def compile_check(check: Check) -> Claim | RowClaim:
    """The claim of a check; NotDecided where there is no exact method for it."""
    keyword = check.definition.text
    definition = DEFINITIONS.module(keyword)
    allowed = allowed_options(keyword)
    check.options.check_keys(allowed)
    for key in ("mechanism", "pairs", "priors"):
        if (extra := check.item.get(key)) is not None and key not in allowed:
            raise extra.fail("S602", f"'{keyword}' takes no '{key}'")
    claim: Claim = check.definition.placed(lambda: definition.compile(check))
    return tradeoff.asked(check, claim)


def expected_leakage(check: Check) -> Wanted | None:
    """The `leakage` a check asserts: a number, `infinite`, or an interval."""
    node = check.item.get("leakage")
    if node is None:
        return None
    if isinstance(node, Sequence):
        ends = [item.number("an end of an interval") for item in node]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise node.fail("S607", "an interval has two ends, [lower, upper]")
        return ends[0], ends[1]
    text = node.scalar("a level").text
    if text == "infinite":
        return None, None
    if not exact.looks_like_number(text):
        raise node.fail(
            "S607", f"a number, infinite or [lower, upper] was expected, found '{text}'"
        )
    value = node.number("a level")
    return value, value


def _read_unused(read: Model, errors: Errors, limited: bool) -> None:
    """Read the pairs, mechanisms and priors that no check has needed, for what is wrong with
    them. Python code is not run, nor any program where something is wrong already, nor any
    mechanism where a limit was reached, which might be that of the mechanism."""
    slow = ("python", "program") if errors.found else ("python",)

    def is_slow(node: Node) -> bool:
        given = isinstance(node, Mapping) and any(node.get(key) is not None for key in slow)
        return limited or given

    if (pairs := read.node.get("pairs")) is not None:
        errors.attempt(lambda: read_pairs(pairs, read))
    for _, node in prior_classes(read):
        if (node.line, node.column) not in read.priors_used:
            errors.attempt(partial(read_class, node, read.space, read.secrets))
    table, one = read.node.get("mechanisms"), read.node.get("mechanism")
    for key, node in table.mapping().entries if table else ():
        if not is_slow(node):
            errors.attempt(partial(read.mechanism_named, key))
    if one is not None and not is_slow(one):
        errors.attempt(read.single_mechanism)


def prior_classes(read: Model) -> list[tuple[Scalar | None, Node]]:
    """The classes of priors of the file, with their names if they have any."""
    shared = read.node.get("priors")
    if isinstance(shared, Mapping) and not is_class(shared):
        return list(shared.entries)
    return [] if shared is None else [(None, shared)]


def _tell_of_unused(read: Model) -> None:
    """N103 and N104: secrets and classes of priors that nothing uses."""
    notes = read.node.source.notes
    secrets = read.node.get("secrets")
    for key, _ in secrets.mapping().entries if secrets else ():
        if key.text not in read.secrets.used:
            notes.tell("N103", f"the secret '{key.text}' is used by no check", key.place)
    for name, node in prior_classes(read):
        if (node.line, node.column) not in read.priors_used:
            which = f"the priors '{name.text}' are" if name else "the priors are"
            notes.tell("N104", f"{which} used by no check", (name or node).place)
