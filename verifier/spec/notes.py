"""Notes: what a file has and no check needs, and answers that may be about something else than
was meant.

A file may have secrets, priors, mechanisms, parameters and records that are of no use. A name that
begins with an underscore may be unused, as that of a variable of a program. Whoever asserts the
smallest level (`leakage`) knows the answer, and is told nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np

from verifier.base import exact
from verifier.base.document import Mapping, Node, Note, Scalar, read_text
from verifier.base.errors import InputError, Place
from verifier.base.parameters import TEXT
from verifier.base.registry import DEFINITIONS
from verifier.priors import is_class
from verifier.priors.list import ListedPriors
from verifier.questions.answer import Answer
from verifier.questions.claim import ComparisonClaim, DivergenceClaim, SensitivityClaim
from verifier.questions.pieces import PiecesClaim
from verifier.questions.question import Question
from verifier.questions.rows import ErrorClaim
from verifier.spec.asked import Asked
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.world.mechanism import Mechanism
from verifier.world.relation import keys
from verifier.world.space import WorldSpace

FREE = ("title", "source", "name")  # text that means nothing
SIDES = ("neighbours", "graph")  # options that say which worlds are compared, if by default
MANY = 10**6  # entries of all matrices, above which the influence of records is not looked at
SHOWN = 6  # names of records
MEANT = "or begin its name with _ where this is meant"


def tell(model: Model, checks: Sequence[Check], questions: Sequence[Question]) -> None:
    """Tell what no check of a file needs.

    model      what the file says
    checks     all of its checks
    questions  of all of them, at least one of each
    """
    notes = model.node.source.notes
    for code, message, place in _found(model, checks, questions):
        notes.tell(code, message, place)


Told = Iterator[tuple[str, str, Place]]


def _found(model: Model, checks: Sequence[Check], questions: Sequence[Question]) -> Told:
    yield from _secrets(model)
    yield from _priors(model)
    yield from _mechanisms(model)
    yield from _parameters(model)
    worlds = model.node["worlds"]
    if isinstance(worlds, Mapping):
        yield from _presence(worlds, checks)
        yield from _records(model, worlds, questions) if not model.is_large else ()


def _secrets(model: Model) -> Told:
    """N103: secrets; where worlds are not enumerated, nobody knows which are needed."""
    secrets = None if model.is_large else model.node.table.get("secrets")
    for key, _ in secrets.mapping().entries if secrets else ():
        if key.text not in model.secrets.used and not _is_meant(key):
            yield "N103", f"the secret '{key.text}' is used by no check", key.place


def _priors(model: Model) -> Told:
    """N104: classes of priors, and pairs of secrets."""
    pairs = model.node.table.get("pairs")
    if pairs is not None and not model.uses(pairs):
        yield "N104", "the pairs are used by no check", pairs.place
    for name, node in prior_classes(model):
        if not model.uses(node) and not _is_meant(name):
            which = f"the priors '{name.text}' are" if name else "the priors are"
            yield "N104", f"{which} used by no check", (name or node).place


def prior_classes(model: Model) -> list[tuple[Scalar | None, Node]]:
    """The classes of priors of a file, with their names if they have any."""
    shared = model.node.table.get("priors")
    if isinstance(shared, Mapping) and not is_class(shared):
        return list(shared.entries)
    return [] if shared is None else [(None, shared)]


def _mechanisms(model: Model) -> Told:
    """N111: mechanisms."""
    one, table = model.node.table.get("mechanism"), model.node.table.get("mechanisms")
    if one is not None and not model.uses(one):
        yield "N111", "the mechanism is used by no check: leave it out", one.place
    for name, node in table.entries if isinstance(table, Mapping) else ():
        if not model.uses(node) and not _is_meant(name):
            said = f"the mechanism '{name.text}' is used by no check"
            hint = f"write a check with mechanism: {name.text}"
            yield "N111", f"{said}: {hint}, {MEANT}", name.place


def _parameters(model: Model) -> Told:
    """N112: parameters whose names stand nowhere else."""
    table = model.node.table.get("parameters")
    if not isinstance(table, Mapping):
        return
    words = {word for text in _texts(model.node) for word in re.findall(r"\w+", text)}
    with suppress(InputError):  # $name has been replaced in the tree
        words.update(TEXT.findall(read_text(model.path)))
    for name, _ in table.entries:
        if name.text not in words and not _is_meant(name):
            said = f"nothing uses the parameter '{name.text}'"
            yield "N112", f"{said}: leave it out, {MEANT}", name.place


def _texts(node: Node) -> Iterator[str]:
    """All that is written in a file, but for its parameters and for text that means nothing."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text not in (*FREE, "parameters"):
                yield key.text
                yield from _texts(value)
    else:
        yield node.written


def _presence(worlds: Mapping, checks: Sequence[Check]) -> Told:
    """N113: records may be absent, and all checks compare worlds by defaults without that."""
    absent = worlds.table.get("absent")
    if absent is None or not absent.flag():
        return
    options = [{*DEFINITIONS.module(check.definition.text).OPTIONS} & {*SIDES} for check in checks]
    given = [[check.options.table.get(key) for key in SIDES] for check in checks]
    complete = worlds.table.get("where") is None  # else changes of presence may be minimal
    if complete and all(options) and not any(map(any, given)):
        said = "no check compares presence, as by default two worlds have the same people"
        (option,) = options[0]
        other = "neighbours: add_remove, or replace" if option == SIDES[0] else "a graph, or full"
        yield "N113", f"{said}: write {other} where this is meant", absent.place


def _records(model: Model, worlds: Mapping, questions: Sequence[Question]) -> Told:
    """N114 and N115: records of one value only, and those on which no output depends."""
    space, where = model.space, worlds.table.get("where")
    named = [at for at, name in enumerate(space.records) if not name.startswith("_")]
    if len(space.record_values) == 1 or space.size == 1:
        return
    fixed = [at for at in named if (space.record_codes[at] == space.record_codes[at, 0]).all()]
    if fixed and where is not None:
        said = f"`where` leaves one value to {_listed(space, fixed)}, so that it is not compared"
        yield "N114", f"{said}: leave it out, {MEANT}", where.place
    if not (released := _released(questions)):
        return
    silent = [at for at in named if at not in fixed and _is_silent(space, at, released)]
    if silent:
        said = f"no output depends on {_listed(space, silent)}"
        yield "N115", f"{said}: leave it out, {MEANT}", worlds["records"].place


def _listed(space: WorldSpace, records: Sequence[int]) -> str:
    names = [f"'{space.records[at]}'" for at in records[:SHOWN]] + ["…"] * (len(records) > SHOWN)
    return f"the record{'s' * (len(names) > 1)} {', '.join(names)}"


def _is_silent(space: WorldSpace, record: int, released: Sequence[np.ndarray]) -> bool:
    """Whether worlds that differ in a record only have equal columns; there must be some."""
    others = keys(np.delete(space.record_codes, record, axis=0), space.size)
    _, first, group = np.unique(others, return_index=True, return_inverse=True)
    return len(first) < space.size and all((c == c[first[group]]).all() for c in released)


def _released(questions: Sequence[Question]) -> list[np.ndarray]:
    """Of each mechanism that is compared which worlds have equal columns, a number for each; none
    where a check is about priors, by which other records may matter, or about something else."""
    found = dict[int, Mechanism]()
    for question in questions:
        claim = question.claim
        parts = [part.claim for part in claim.parts] if isinstance(claim, PiecesClaim) else [claim]
        if question.priors is not None:
            return []
        for part in parts:
            if isinstance(part, ComparisonClaim | DivergenceClaim) and part.mechanism is not None:
                found[id(part.mechanism)] = part.mechanism
            elif not isinstance(part, ErrorClaim | SensitivityClaim):
                return []
    if sum(mechanism.codes.size for mechanism in found.values()) > MANY:
        return []
    return [keys(mechanism.codes, mechanism.worlds) for mechanism in found.values()]


def _is_meant(name: Scalar | None) -> bool:
    return name is not None and name.text.startswith("_")


def answer_notes(asked: Asked, answer: Answer) -> list[Note]:
    """The notes on an answer.

    asked   the check
    answer  accepted by the checker
    """
    check = asked.check
    found = [Note(code, said, check.definition.place) for code, said in _said(asked, answer)]
    if check.program() is not None:
        from verifier.spec import clamped

        found += clamped.clamped_notes(asked, answer)
    return found


def _said(asked: Asked, answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.leakage is not None and answer.leakage.vacuous:
        if asked.expected != "vacuous":
            yield "N105", "this check compared nothing"
        return
    is_asserted = "leakage" in asked.check.item.table
    if answer.verdict != "holds" or asked.expected != "holds" or is_asserted:
        return
    yield from _of_level(asked, answer)
    yield from _of_delta(asked)
    yield from _skipped(asked)


def _of_level(asked: Asked, answer: Answer) -> Iterator[tuple[str, str]]:
    """N116, N118: a smallest level of 1, and one that is the number given as ε."""
    question = asked.question
    assert question is not None
    level, smallest = question.level, _smallest(answer)
    if level is None or smallest is None or question.delta:
        return
    if smallest == 1 and level.exp_epsilon != 1 and question.definition != "influence":
        said = "the smallest e^ε is 1, as nothing that is compared tells the outputs apart"
        yield "N116", f"{said}: write leakage: 1 where this is meant"
    if smallest == level.epsilon != 1:
        q = exact.text(smallest)
        said = f"ε is {q}, and the smallest e^ε is {q} too"
        yield "N118", f"{said}: write exp_epsilon: {q}, or leakage: {q} where this is meant"


def _smallest(answer: Answer) -> Fraction | None:
    """The smallest e^ε of an answer, where it is a rational number, for all values of a parameter;
    None for another one."""
    if answer.curve is not None:
        same = all(s.top == s.bottom and not s.sense for s in answer.curve.stretches)
        return Fraction(1) if same and answer.curve.stretches else None
    found = None if answer.leakage is None else answer.leakage.exp_epsilon
    return None if found is None or exact.is_irrational(found) else found


def _of_delta(asked: Asked) -> Iterator[tuple[str, str]]:
    """N117: a δ by which one record may be released as it is."""
    question = asked.question
    assert question is not None
    count, delta = question.space.record_count, question.delta
    if count and not exact.is_irrational(delta) and delta * count >= 1:
        said = f"δ is at least 1/{count}: one of {count} records, drawn at random, may be released"
        yield "N117", f"{said}: write a smaller one, or leakage: … where this is meant"


def _skipped(asked: Asked) -> Iterator[tuple[str, str]]:
    """N119: listed priors under which no pair of secrets is possible."""
    question = asked.question
    if question is None or not isinstance(question.priors, ListedPriors) or asked.domain:
        return  # whether a prior with a real parameter is possible, may depend on it
    for number, prior in enumerate(question.priors.priors, 1):
        possible = [all(prior.probability(s.worlds) for s in pair) for pair in question.pairs]
        if possible and not any(possible):
            said = f"prior {number} compares nothing: a secret of each pair has probability 0"
            yield "N119", f"{said}: leave it out, or write leakage: … where this is meant"
