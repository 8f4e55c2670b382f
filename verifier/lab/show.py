"""A reading in tables: worlds, mechanisms, secrets, pairs, priors and neighbours as they are
understood, with counts, and the first rows where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Node, Note, Scalar
from verifier.base.errors import InputError, LimitReached, limit_reason
from verifier.mechanisms import known_exactly
from verifier.mechanisms.local import ANSWERS
from verifier.priors import read_class
from verifier.priors.hull import MixedPriors
from verifier.priors.list import ListedPriors
from verifier.questions.claim import ComparisonClaim, SensitivityClaim
from verifier.questions.secrets import Pair
from verifier.spec.asked import Asked
from verifier.spec.model import Model, named_mechanisms, read_pairs
from verifier.spec.notes import prior_classes
from verifier.spec.reading import Reading
from verifier.world.box import Box
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace, constraints

ROWS = 20
COLUMNS = 12
MAX_COUNTED = 100_000


@dataclass(frozen=True)
class Table:
    """A table of texts.

    about  what it shows, with counts
    rows   the first of `count` rows
    """

    name: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int


@dataclass(frozen=True)
class Shown:
    """What a file says, and the notes on it."""

    file: str
    title: str
    tables: tuple[Table, ...]
    notes: tuple[Note, ...]


def shown_file(read: Reading) -> Shown:
    """Everything a file says, in tables."""
    model = read.model
    title = model.node.get("title")
    tables = (
        _of_records(read)
        if model.is_large
        else [
            *_worlds(model.space, constraints(model.node["worlds"])),
            *_secrets(read),
            *_pairs(read),
            *_priors(read),
            *chain.from_iterable(_mechanism(n, m, model.space) for n, m in _mechanisms(read)),
            _checks(read.questions),
            *chain.from_iterable(map(_neighbours, read.questions)),
        ]
    )
    text = title.text if isinstance(title, Scalar) else ""
    return Shown(str(model.path), text, tuple(tables), tuple(read.notes))


def _of_records(read: Reading) -> list[Table]:
    """What a file says whose worlds are not enumerated: of single records."""
    model, space = read.model, read.model.outline
    count = len(space.records)
    about = f"{_many(count, 'record')}, each one of {_some(space.value_names)}"
    about += "; worlds are not enumerated"
    tables = [_table("records", about, ("record",), ((name,) for name in space.records), count)]
    for name, node in named_mechanisms(model.node):
        local = model.local(node)
        assert local is not None
        tables += _channels(f"mechanism {name}".rstrip(), local)
    return [*tables, _checks(read.questions)]


def _channels(title: str, local: LocalMechanism) -> Iterator[Table]:
    """The answers of each channel, and the records that use it."""
    for number, channel in enumerate(local.channels):
        users = [local.records[record] for record in local.users(number)]
        for at, (matrix, runs) in enumerate(channel.answers):
            name = f"{title}, channel {number + 1}" + f", answer {at + 1}" * (
                len(channel.answers) > 1
            )
            times = f", drawn {runs} times" * (runs > 1)
            for table in _mechanism("", matrix, local.values):
                whole = ANSWERS in local.notes
                said = f"; {ANSWERS}" if whole else f"; of the records {_some(users)}"
                about = f"{table.about}{times}{said}"
                yield replace(table, name=name, about=about)


def _table(
    name: str, about: str, columns: Sequence[str], rows: Iterable[Sequence[str]], count: int
) -> Table:
    return Table(name, about, tuple(columns), tuple(map(tuple, islice(rows, ROWS))), count)


def _some(names: Sequence[str]) -> str:
    more = f", … ({len(names)} in all)" if len(names) > COLUMNS else ""
    return ", ".join(names[:COLUMNS]) + more


def _worlds(space: WorldSpace, where: Sequence[Scalar]) -> Iterator[Table]:
    """The worlds with the value of each record, and the constraints on them."""
    about = _many(space.size, "possible world")
    if space.records:
        values = _some(space.value_names)
        about += f" of {_many(len(space.records), 'record')}, each one of {values}"
    records = space.records[:COLUMNS]
    rows = (
        (space.name(w), *(space.value_names[space.record_codes[r, w]] for r in range(len(records))))
        for w in range(space.size)
    )
    yield _table("worlds", about, ("world", *records), rows, space.size)
    if where:
        texts = [(text.text,) for text in where]
        about = "constraints that all of them satisfy"
        yield _table("where", about, ("constraint",), texts, len(texts))


def _secrets(read: Reading) -> Iterator[Table]:
    secrets = read.model.secrets
    if secrets:
        rows = [_secret(read.model.space, name, worlds) for name, worlds in secrets.items()]
        about = f"{_many(len(rows), 'secret')}, each true in some worlds"
        yield _table("secrets", about, ("secret", "count", "worlds"), rows, len(rows))


def _secret(space: WorldSpace, name: str, worlds: np.ndarray) -> tuple[str, str, str]:
    count = int(worlds.sum())
    first = space.names(np.flatnonzero(worlds)[:COLUMNS])
    return name, str(count), ", ".join(first) + ", …" * (count > len(first))


def _pairs(read: Reading) -> Iterator[Table]:
    """The pairs of the file, and those of single checks."""
    nodes: list[tuple[str, Node | None]] = [("pairs", read.model.node.get("pairs"))]
    for question in read.questions:
        if "pairs" in _keys(question):
            nodes.append((f"pairs of check {question.check.index + 1}", _option(question, "pairs")))
    for name, node in nodes:
        if node is not None:
            pairs = read_pairs(node, read.model).listed
            about = f"{_many(len(pairs), 'pair')} of secrets that must not be told apart"
            rows = map(_pair, pairs)
            yield _table(name, about, ("secret", "count", "against", "count"), rows, len(pairs))


def _keys(question: Asked) -> set[str]:
    entries = (*question.check.item.entries, *question.check.options.entries)
    return {key.text for key, _ in entries}


def _option(question: Asked, key: str) -> Node | None:
    return question.check.option(key)


def _pair(pair: Pair) -> tuple[str, ...]:
    left, right = pair
    return left.name, str(int(left.worlds.sum())), right.name, str(int(right.worlds.sum()))


def _priors(read: Reading) -> Iterator[Table]:
    """Each class of priors; where priors are listed, the probability of every world."""
    model, space = read.model, read.model.space
    for name, node in prior_classes(model):
        title = f"priors {name.text}" if name else "priors"
        try:
            found = read_class(node, space, model.secrets)
        except LimitReached as limit:
            yield _table(title, str(limit), ("class",), [(node.written,)], 1)
            continue
        if not isinstance(found, ListedPriors | MixedPriors):
            yield _table(title, "a class of priors", ("class",), [(node.written,)], 1)
            continue
        kind = "the mixtures of" if isinstance(found, MixedPriors) else "a list of"
        about = f"{kind} {_many(len(found.priors), 'prior')}, by the probability of each world"
        shown = found.priors[:COLUMNS]
        columns = ("world", *(f"prior {number + 1}" for number in range(len(shown))))
        rows = (
            (space.name(w), *(_probability(prior.weights, w) for prior in shown))
            for w in range(space.size)
        )
        yield _table(title, about, columns, rows, space.size)


def _probability(weights: Any, world: int) -> str:
    return exact.text(weights.values[weights.codes[world]])


def _mechanisms(read: Reading) -> Iterator[tuple[str, Mechanism | LocalMechanism | str]]:
    """The mechanisms by name, by their parts where these are looked at alone; why one cannot be
    shown, where it cannot."""
    model = read.model
    table = model.node.get("mechanisms")
    for key, node in table.mapping().entries if table else ():
        yield key.text, _built(model, node, partial(model.mechanism_named, key))
    if (alone := model.node.get("mechanism")) is not None:
        yield "", _built(model, alone, model.single_mechanism)
    for question in read.questions:
        own = question.check.option("mechanism")
        if own is not None and not isinstance(own, Scalar):
            name = f"of check {question.check.index + 1}"
            yield name, _built(model, own, partial(model.build, own))


def _built(
    model: Model, node: Node, make: Callable[[], Mechanism | Box]
) -> Mechanism | LocalMechanism | str:
    try:
        parts = model.local(node, parts=True)
        if parts is not None and ANSWERS in parts.notes:
            return parts
        found = make()
        return known_exactly(found) if isinstance(found, Box) else found
    except (LimitReached, InputError, MemoryError) as error:
        return limit_reason(error)


def _mechanism(
    name: str, found: Mechanism | LocalMechanism | str, space: WorldSpace
) -> Iterator[Table]:
    """A row for each world, a column for each output, as a table in a file."""
    title = f"mechanism {name}".rstrip()
    if isinstance(found, LocalMechanism):
        yield from _channels(title, found)
        return
    if isinstance(found, str):
        yield _table(title, f"not built: {found}", (), (), 0)
        return
    outputs = found.outputs[:COLUMNS]
    about = (
        f"the probability of {_many(len(found.outputs), 'output')} in {_many(space.size, 'world')}"
    )
    if found.reals:
        about = f"what stands for released real numbers in {_many(space.size, 'world')}"
    about += f" (the first {len(outputs)} outputs)" * (len(outputs) < len(found.outputs))
    about += "".join(f"; {note}" for note in found.notes)
    rows = (
        (
            space.name(w),
            *(exact.text(found.values[found.codes[o, w]]) for o in range(len(outputs))),
        )
        for w in range(space.size)
    )
    yield _table(title, about, ("world", *outputs), rows, space.size)


def _checks(questions: Sequence[Asked]) -> Table:
    columns = ("check", "name", "definition", "level", "delta", "mechanism", "expected", "asked")
    rows = map(_check, questions)
    return _table("checks", _many(len(questions), "check"), columns, rows, len(questions))


def _told(level: object, definition: str) -> str:
    """A level, which `zcdp` calls ρ."""
    return str(level).replace("ε", "ρ") if definition == "zcdp" else str(level)


def _check(question: Asked) -> tuple[str, ...]:
    check, claim = question.check, question.claim
    level, delta = getattr(claim, "level", None), getattr(claim, "delta", None)
    return (
        str(check.index + 1),
        check.name or "",
        check.definition.text,
        "" if level is None else _told(level, check.definition.text),
        "" if delta is None else exact.text(delta),
        check.mechanism_name() or "",
        question.expected,
        asked(question),
    )


def asked(question: Asked) -> str:
    """What a check compares, in a few words; or why nothing is decided."""
    if question.claim is None:
        return f"not decided: {question.reason}"
    scope = getattr(question.claim, "scope", {})
    return ", ".join(f"{key}: {value}" for key, value in scope.items() if key != "notes" and value)


def _neighbours(question: Asked) -> Iterator[Table]:
    """The pairs of worlds that a check compares."""
    claim = question.claim
    direct = isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism
    if direct or isinstance(claim, SensitivityClaim):
        assert isinstance(claim, ComparisonClaim | SensitivityClaim)
        name = f"neighbours of check {question.check.index + 1}"
        count, rows = _compared(claim.relation, claim.space)
        more = "".join(f"; {note}" for note in claim.relation.notes)
        about = f"{_many(count, 'ordered pair')} of worlds that are compared{more}"
        yield _table(name, about, ("world", "against", "distance"), rows, count)


def _compared(relation: Relation, space: WorldSpace) -> tuple[int, Iterable[tuple[str, ...]]]:
    """How many pairs there are, and the rows of their table."""
    rows = (
        (space.name(w), space.name(v), exact.text(part.distance))
        for part in relation.blocks
        for w, v in part.pairs()
    )
    most = sum(part.count() for part in relation.blocks)
    if relation.overlapping and most <= MAX_COUNTED:  # a pair may stand in several blocks
        once = list(dict.fromkeys(rows))
        return len(once), once
    return most, rows


def _many(count: int, what: str) -> str:
    """So many of something.

    >>> _many(1, "pair"), _many(2, "pair")
    ('1 pair', '2 pairs')
    """
    return f"{count} {what}{'s' * (count != 1)}"
