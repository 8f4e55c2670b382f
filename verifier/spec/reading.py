"""A file, read whole before anything is decided: every error at once, and what is asked.

First comes what needs no world (`preview`); then the worlds, secrets, pairs, priors, mechanisms
and checks, each section by itself. A check whose question is too large to write down stays
undecided, and hides no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from verifier.base import document, examples, parameters
from verifier.base.document import Mapping, Node, Note, Scalar, Sequence
from verifier.base.errors import (
    InputError,
    InputErrors,
    LimitReached,
    NotDecided,
    choice,
    limit_reason,
    nearest,
)
from verifier.base.nouns import Later, Shown, dataclass
from verifier.base.parameters import Choice
from verifier.base.registry import DEFINITIONS, PRIORS
from verifier.priors import read_class
from verifier.questions.question import CORNERS, Question
from verifier.spec import notes, records
from verifier.spec.asked import Asked, Wish, is_asked, read_wish
from verifier.spec.model import (
    Model,
    OfBox,
    OfReleased,
    check_secret_name,
    is_large,
    named_mechanisms,
    read_pairs,
)
from verifier.spec.options import Check
from verifier.world.language.reader import Scope, read_expression
from verifier.world.language.slips import check_expression, check_program
from verifier.world.language.statements import read_program
from verifier.world.local import values_of
from verifier.world.worlds import WorldSpace, constraints, described, outline

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval
    from verifier.questions.several import Domain
    from verifier.spec.several import Reals, Several
    from verifier.spec.symbolic import Over

T = TypeVar("T")

KEYS = (
    *("title", "source", "worlds", "parameters", "secrets", "pairs", "priors"),
    *("mechanism", "mechanisms", "checks"),
)
AROUND = ("name", "mechanism", "where", "expect", "leakage", "pairs", "priors")  # in a check
MAX_LEVELS = 1000
FEW = 10_000  # worlds
EXPRESSIONS = {"geometric": "query", "exponential": "score"}
ASKED = ("query", "loss", "gain")  # options of definitions that are expressions
INNER = ("of", "mechanism", "sees")
BOUND = ("candidate", "output", "guess")  # names that mechanisms and definitions bind

Guard = Callable[[str], AbstractContextManager[None]]  # of the part that it is to limit


@dataclass
class Errors(Later):
    """Errors as they are found, so that one does not hide another."""

    found: list[InputError] = field(default_factory=list)

    def attempt(self, make: Callable[[], T]) -> T | None:
        """make(), or None and its errors kept."""
        try:
            return make()
        except InputError as error:
            self.found += error.all
            return None


@dataclass(frozen=True, eq=False)
class Reading(Shown, Later):
    """All that a file says."""

    model: Model
    questions: tuple[Asked, ...]

    @property
    def notes(self) -> list[Note]:
        """The notes on the file."""
        notes = self.model.node.source.notes
        return notes.all() if notes.told or notes.compared else []


def read_whole(
    path: str | Path,
    allow_python: bool = False,
    guard: Guard = lambda part: nullcontext(),
    text: str | None = None,
    like: Model | None = None,
) -> Reading:
    """Read a file; InputErrors with all that is wrong.

    allow_python  whether it may run Python
    guard         limits time and memory of each part. A check that exceeds them is undecided;
                  LimitReached where worlds or secrets do
    text          in place of the file's
    like          a model whose tree is taken again, for other values of its parameters
    """
    if like is None:
        with guard(""):
            node, choice = _load(path, text)
    else:
        node, choice = like.node, parameters.active()
    if not choice.real:
        with parameters.given(choice):
            return _read_within(node, Path(path), allow_python, guard, like=like)
    from verifier.spec import parameters as declared
    from verifier.spec import several, symbolic

    about = declared.declared(node)
    with parameters.given(symbolic.probe(choice, about)):

        def over(model: Model) -> Reals:
            return several.Reals(choice, about, model, _question, allowed_options)

        return _read_within(node, Path(path), allow_python, guard, over)


def _load(path: str | Path, text: str | None) -> tuple[Node, Choice]:
    """The tree of a file, or of a `text` in its place, and what its parameters are."""

    def read() -> Node:
        if text is None:
            return document.load(path)
        return document.parse(parameters.filled(text), str(path))

    node = read()
    if not isinstance(node, Mapping) or node.table.get("parameters") is None:
        return node, parameters.active()
    from verifier.spec import parameters as declared

    choice = declared.default(node)
    with parameters.given(choice):
        return read(), choice


def _read_within(
    node: Node,
    path: Path,
    allow_python: bool,
    guard: Guard,
    over: Callable[[Model], Reals] | None = None,
    like: Model | None = None,
) -> Reading:
    """Read the tree of a file whose parameters are known; `over` is made of its model where one is
    real, and what this shares with one that it is `like` is not made again."""
    errors = Errors()
    with guard(""):
        preview(node.mapping(what="a mapping of worlds, mechanism, checks, …"), errors)
        if errors.found and not is_small(node.mapping()):
            raise InputErrors(errors.found)
        found = errors.attempt(lambda: read_model_and_checks(node, path, allow_python, like))
    if found is None:
        raise InputErrors(errors.found)
    built, checks = found
    values = None if over is None else over(built)
    questions = [
        one
        for check in ([] if errors.found else checks)
        for one in _asked(check, errors, guard, values)
    ]
    with suppress(LimitReached, MemoryError), guard("what no check needs"):
        if values is not None:
            values.tell()
        known = [one.question for one in questions if one.question is not None]
        all_asked = len({one.check.index for one in questions}) == len(checks)
        if like is None and not errors.found and all_asked and len(known) == len(questions):
            notes.tell(built, checks, known)
        if values is None:
            _read_unused(built, errors, any(question.limited for question in questions))
    if errors.found:
        raise InputErrors(errors.found)
    return Reading(built, tuple(map(_placed, questions)))


def _placed(one: Asked) -> Asked:
    """A check whose question says where it stands, once all files that are read are known."""
    if one.question is None:
        return one
    return replace(one, question=replace(one.question, source=one.check.source()))


def load(path: str | Path, allow_python: bool = False) -> tuple[Model, list[Check]]:
    """Read a spec file; InputError at the first thing that is wrong."""
    return read_model_and_checks(document.load(path), Path(path), allow_python)


def read_model_and_checks(
    node: Node, path: Path, allow_python: bool = False, like: Model | None = None
) -> tuple[Model, list[Check]]:
    """The model and the checks of a file's tree, which may be `like` another model of it."""
    top = node.mapping(KEYS, "a mapping of worlds, mechanism, checks, …", needs="worlds checks")
    if top.table.get("mechanism") is not None and top.table.get("mechanisms") is not None:
        said = "a file has 'mechanism' or 'mechanisms', not both"
        hint = "put the other one under `mechanisms` too, with a name"
        raise top["mechanisms"].fail("S605", said, hint)
    for key, text in top.entries:
        if key.text in ("title", "source"):
            text.scalar("text")
    items = top.table["checks"].sequence("a list of checks").items
    if not items:
        raise top["checks"].fail("S606", "the list of checks is empty: nothing would be checked")
    model = Model(path, top, allow_python)
    if like is not None:
        model.share(like)
    if not model.is_large:
        _ = model.space, model.secrets  # read now, for what is wrong with them
    if (table := top.table.get("priors")) is not None and isinstance(table, Mapping):
        _check_prior_names(table)
    known = DEFINITIONS.keywords()
    definitions = [read_check(item, known) for item in items]
    return model, [
        Check(model, *asked, item.mapping(), index)
        for index, (item, asked) in enumerate(zip(items, definitions, strict=True))
    ]


def _check_prior_names(table: Mapping) -> None:
    for key, _ in table.entries:
        if key.text in PRIORS.keywords() and len(table.entries) > 1:
            said = f"'{key.text}' is a class of priors and cannot be a name"
            raise key.fail("S506", said, f"choose another name, such as my_{key.text}")


def read_check(item: Node, known: list[str]) -> tuple[Scalar, Mapping]:
    """The definition of a check, and its options."""
    entries = item.mapping(what="a check such as {differential_privacy: {epsilon: ln(3)}}").entries
    for key, _ in entries:
        if key.text not in (*AROUND, *known):
            hint = nearest(key.text, (*AROUND, *known)).lstrip("; ") or choice("", known)
            raise key.fail("S015", f"unknown definition or key '{key.text[:80]}'", hint)
    found = [(key, value) for key, value in entries if key.text not in AROUND]
    if len(found) != 1:
        names = ", ".join(key.text for key, _ in found) or "none"
        several = "write a list item of its own for each definition"
        hint = several if found else examples.like("a list of checks")
        raise item.fail("S602", f"a check has exactly one definition, found {names}", hint)
    return found[0][0], found[0][1].mapping(what="a mapping of options")


Parts = list[tuple["Interval | Domain | None", Question]]  # of a check, over parts of an interval


def _asked(check: Check, errors: Errors, guard: Guard, over: Reals | None) -> list[Asked]:
    """A check and its question, with a real parameter one for each part of its interval; none where
    something is wrong, or its `where` leaves it out."""
    started = perf_counter()
    before = len(errors.found)
    parts: Parts = [(None, None)]  # type: ignore[list-item]
    reason, limited, values = "", False, None
    try:
        values = None if over is None else errors.attempt(lambda: over.of(check))
        if len(errors.found) > before:
            return []
        if values is None and not errors.attempt(lambda: is_asked(check)):
            return []
        errors.attempt(lambda: check.name)
        with guard(f"check {check.index + 1}"):
            made = errors.attempt(lambda: _questions(check, values))
            parts = parts if made is None else made
    except NotDecided as undecided:
        reason = str(undecided)
    except (LimitReached, MemoryError) as limit:
        reason, limited = limit_reason(limit), True
    asked = []
    for domain, question in parts:
        wish = errors.attempt(lambda domain=domain: _wish(check, values, domain))  # type: ignore[misc]
        if wish is not None:
            seconds = perf_counter() - started
            name, equations = ("", "") if values is None else (values.name, values.choice.equations)
            one = Asked(check, question, reason, wish, seconds, limited, domain, name, equations)
            asked.append(one)
    if len(errors.found) > before:
        _read_level(check, errors)
        return []
    return asked


def _wish(check: Check, over: Over | Several | None, domain: Interval | Domain | None) -> Wish:
    """What the file expects of a check, about some values of its real parameters if it has any."""
    if over is None:
        return read_wish(check)
    from verifier.spec.wishes import wish_over

    return wish_over(check, over, domain)


def _questions(check: Check, over: Over | Several | None) -> Parts:
    return [(None, _question(check))] if over is None else list(over.questions(check))


def _read_level(check: Check, errors: Errors) -> None:
    """Read the level and delta of a check in which something else is wrong, for their errors."""
    known, given = allowed_options(check.definition.text), check.options
    if any(isinstance(given.get(key), Scalar) for key in ("epsilon", "exp_epsilon")):
        errors.attempt(check.level)
    if "delta" in known:
        errors.attempt(check.delta)


def asked(check: Check) -> Question:
    """The question of a check, and where it stands; NotDecided where there is no exact method."""
    return replace(_question(check), source=check.source())


def _question(check: Check) -> Question:
    """The question of a check."""
    keyword = check.definition.text
    definition = DEFINITIONS.module(keyword)
    allowed = allowed_options(keyword)
    check.options.check_keys(allowed)
    for key, extra in check.item.entries:
        if key.text in ("mechanism", "pairs", "priors") and key.text not in allowed:
            raise extra.fail("S602", f"'{keyword}' takes no '{key.text}'")
    question: Question = check.definition.placed(lambda: _read(definition, check))
    levels = check.options.table.get("tradeoff")
    if levels is not None:
        question = levels.placed(lambda: question.with_tradeoff(_levels(levels)))
    return question


def _read(definition: Any, check: Check) -> Question:
    """The question of a check; of a box it is asked of every matrix inside, of released real
    numbers of the mechanism that stands for them."""
    try:
        found: Question = definition.read(check)
    except OfReleased as released:
        from verifier.spec.released import asked as asked_of_reals

        reals = released.mechanism
        delta = check.delta() if "delta" in check.options.table else Fraction(0)
        found = asked_of_reals(
            reals, delta, lambda known: definition.read(replace(check, asked_of=known))
        )
    except OfBox as unknown:
        from verifier.spec.boxes import asked as asked_of_box

        box = unknown.box
        return asked_of_box(box, lambda known: definition.read(replace(check, asked_of=known)))
    return found


def _levels(node: Node) -> tuple[Fraction, ...] | str:
    """The option `tradeoff`: levels e^ε at which the smallest delta is asked for too, [1, 2, 3], or
    `corners`."""
    if isinstance(node, Scalar) and node.text:
        return node.word((CORNERS,), "trade-off")
    items = node.sequence("a list of levels e^ε").items
    if not 1 <= len(items) <= MAX_LEVELS:
        hint = "write some, such as [1, 3/2, 2]" if not items else "leave some out"
        raise node.fail("S601", f"{len(items)} levels, 1 to {MAX_LEVELS} are allowed", hint)
    levels = []
    for item in items:
        level = item.number("a level e^ε")
        if level < 1:
            hint = "write e^ε, a number of at least 1"
            raise item.fail("S601", f"a level e^ε is at least 1, found {level}", hint)
        levels.append(level)
    return tuple(levels)


def _read_unused(read: Model, errors: Errors, limited: bool) -> None:
    """Read the pairs, mechanisms and priors that no check has needed, for what is wrong with
    them. Python code is not run, nor any program where something is wrong already, nor any
    mechanism where a limit was reached, which might be that of the mechanism."""
    slow = ("python", "program") if errors.found else ("python",)

    def is_slow(node: Node) -> bool:
        given = isinstance(node, Mapping) and any(node.table.get(key) is not None for key in slow)
        return limited or given

    if read.is_large:
        _read_unused_of_records(read, errors)
        return
    if (pairs := read.node.table.get("pairs")) is not None:
        errors.attempt(lambda: read_pairs(pairs, read))
    for _, node in notes.prior_classes(read):
        if not read.uses(node):
            errors.attempt(partial(read_class, node, read.space, read.secrets))
    table, one = read.node.table.get("mechanisms"), read.node.table.get("mechanism")
    for key, node in table.mapping().entries if table else ():
        if not is_slow(node):
            errors.attempt(lambda: read.local(node, True) or read.mechanism_named(key))  # noqa: B023
    if one is not None and not is_slow(one):
        errors.attempt(lambda: read.local(one, True) or read.single_mechanism())


def _read_unused_of_records(read: Model, errors: Errors) -> None:
    """The same for a file whose worlds are not enumerated."""
    for _, node in named_mechanisms(read.node):
        errors.attempt(partial(read.local, node))
    known, space = read.node.table.get("secrets"), read.outline
    secrets = errors.attempt(lambda: records.read_secrets(known, space, values_of(space)))
    if secrets and (pairs := read.node.table.get("pairs")) is not None:
        errors.attempt(lambda: records.read_pairs(pairs, secrets, len(space.records)))


def preview(top: Mapping, errors: Errors) -> None:
    """Look at every part of a file that needs no world; `errors` get what is wrong."""
    errors.attempt(lambda: top.check_keys(KEYS))
    for item in _items(top.table.get("checks")):
        errors.attempt(lambda item=item: _check(item))  # type: ignore[misc]
    texts = [*_mechanisms(top), *_of_definitions(top.table.get("checks"))]
    worlds, secrets = top.table.get("worlds"), top.table.get("secrets")
    where = isinstance(worlds, Mapping) and worlds.table.get("where") is not None
    if worlds is None or not (texts or secrets or where):
        return
    space = errors.attempt(lambda: _outline(top, worlds))
    if space is None:
        return
    scope = Scope(space)
    for text in errors.attempt(lambda: constraints(worlds)) or ():
        errors.attempt(lambda text=text: _expression(text, scope))  # type: ignore[misc]
    scope = _with_secrets(secrets, scope, errors)
    for text, read in texts:
        errors.attempt(lambda text=text, read=read: read(text, scope))  # type: ignore[misc]


def _outline(top: Mapping, worlds: Node) -> WorldSpace:
    """What worlds are made of; S206 where they are too many for a file that enumerates them."""
    found = described(worlds)
    if not is_large(top, lambda: found.outline):
        found.check_size()
    return found.outline


def is_small(top: Mapping) -> bool:
    """Whether the worlds of a file are few enough to look for more errors at once."""
    try:
        space = outline(top["worlds"])
    except InputError:
        return True
    if not space.records:
        return space.counts is None
    return bool(len(space.record_values) ** len(space.records) <= FEW)


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()


def _entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _check(item: Node) -> None:
    """The keys of a check and of its definition."""
    keyword, options = read_check(item, DEFINITIONS.keywords())
    options.check_keys(allowed_options(keyword.text))


def allowed_options(keyword: str) -> tuple[str, ...]:
    """The options that a definition takes."""
    known: tuple[str, ...] = tuple(DEFINITIONS.module(keyword).OPTIONS)
    leveled = "epsilon" in known or "rho" in known  # a definition without a level has no mechanism
    return (*known, "mechanism", "tradeoff") if leveled else known


def _with_secrets(node: Node | None, scope: Scope, errors: Errors) -> Scope:
    """The scope in which the secrets are known, each from the ones before it."""
    known: dict[str, np.ndarray] = {}
    for key, value in _entries(node):
        here = Scope(scope.space, dict(known))
        errors.attempt(lambda key=key: check_secret_name(key, scope.space))  # type: ignore[misc]
        if isinstance(value, Scalar):
            errors.attempt(lambda value=value, here=here: _expression(value, here))  # type: ignore[misc]
        known[key.text] = np.zeros(0, dtype=bool)
    return Scope(scope.space, known)


Found = tuple[Scalar, Callable[[Scalar, Scope], None]]


def _mechanisms(top: Mapping) -> Iterator[Found]:
    """The expressions and programs of all mechanisms of a file, and how to read them."""
    nodes = [node for _, node in _entries(top.table.get("mechanisms"))]
    nodes += [node for _, node in _entries(top) if _.text == "mechanism"]
    for item in _items(top.table.get("checks")):
        nodes += [value for key, value in _entries(item) if key.text == "mechanism"]
        for _, options in _entries(item):
            nodes += [value for key, value in _entries(options) if key.text == "mechanism"]
    for node in nodes:
        yield from _of_mechanism(node)


def _of_mechanism(node: Node) -> Iterator[Found]:
    for part in _items(node):
        yield from _of_mechanism(part)
    for key, value in _entries(node):
        if key.text == "program" and isinstance(value, Scalar):
            yield value, _program
        elif key.text == "deterministic" and isinstance(value, Scalar):
            yield value, _expression
        elif key.text in EXPRESSIONS:
            text = value.get(EXPRESSIONS[key.text]) if isinstance(value, Mapping) else None
            if isinstance(text, Scalar):
                yield text, _expression
        elif key.text in ("compose", "mixture", "repeat", "post_process", *INNER):
            yield from _of_mechanism(value)


def _of_definitions(checks: Node | None) -> Iterator[Found]:
    """The expressions among the options of definitions."""
    for item in _items(checks):
        for _, options in _entries(item):
            for key, value in _entries(options):
                if key.text in ASKED and isinstance(value, Scalar) and value.text != "histogram":
                    yield value, _expression


def _expression(text: Scalar, scope: Scope) -> None:
    if not text.text and not text.quoted:
        return  # told where it is read
    scope = Scope(scope.space, scope.secrets, BOUND)
    text.scalar("an expression")
    term, tree = read_expression(text, scope)
    check_expression(term, tree, scope)


def _program(text: Scalar, scope: Scope) -> None:
    if not text.text and not text.quoted:
        return
    program, tree = read_program(text.scalar("a program"), scope)
    check_program(program, tree, scope)
