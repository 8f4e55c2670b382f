"""The model section of a certificate: worlds, and what is released or asked in them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.nouns import Later, dataclass
from verifier.noise.events import Share
from verifier.questions.answer import Json
from verifier.world.box import Box
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from verifier.noise.draws import Law
    from verifier.noise.events import Event
    from verifier.world.noise import Chance


CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)
COMPACT = 100  # outputs, from which on a column is one text
LARGE = 10**5  # entries, from which on it is so for any number of outputs
ON_CELLS = (  # what a parameter may stand in, and what belongs to it
    *("outputs", "values", "columns", "given", "functions", "channels", "people", "chosen"),
)
MECHANISM = (  # in the model section
    *("outputs", "values", "columns", "lower", "upper", "noise", "reals", "channels", "chosen"),
)


@dataclass(frozen=True, eq=False)
class Model(Later):
    """The model section of a certificate."""

    section: Json

    @cached_property
    def text(self) -> str:
        """The section as canonical JSON."""
        return dumps(self.section)

    @cached_property
    def worlds_text(self) -> str:
        """The section without the mechanism, as canonical JSON."""
        return dumps(without_mechanism(self.section))


def without_mechanism(parts: Json) -> Json:
    """The parts of a model that are none of a mechanism."""
    return {key: part for key, part in parts.items() if key not in MECHANISM}


def different(parts: Iterable[Any]) -> list[Any]:
    """The parts of a section, each once, in their order."""
    found: list[Any] = []
    for part in parts:
        if part not in found:
            found.append(part)
    return found


@lru_cache(maxsize=4)
def of_mechanism(space: WorldSpace, mechanism: Mechanism) -> Model:
    """The model section about a mechanism."""
    return of_parts(space, {**_drawn(mechanism), **_reals(mechanism)})


def _drawn(mechanism: Mechanism) -> Json:
    """The table of a mechanism, and the comparisons of draws that make up its values, if any."""
    if mechanism.noise is None:
        return table_of(mechanism)
    place = {value: code for code, value in enumerate(mechanism.values)}
    known = zip(mechanism.noise.values[1:], mechanism.noise.sums, strict=True)
    chances = ((place[value], chance) for value, chance in known if value)
    return {**table_of(mechanism), "noise": _noise(chances)}


@lru_cache(maxsize=4)
def of_box(space: WorldSpace, box: Box) -> Model:
    """The model section about a box of matrices."""
    noise = {}
    if box.noise is not None:
        place = {value: code for code, value in enumerate(box.values)}
        ends = [[place[low], place[high]] for low, high in box.noise.ends]
        noise = {"noise": _noise(zip(ends, box.noise.sums, strict=True))}
    table = {"outputs": list(box.outputs), "values": list(box.values)}
    lower, upper = _packed(box, box.lower), _packed(box, box.upper)
    return of_parts(space, {**table, "lower": lower, "upper": upper, **noise, **_reals(box)})


def _reals(made: Mechanism | Box) -> Json:
    """How far rows stand for real numbers, where they do."""
    if made.levels:
        return {"reals": list(map(exact.text, made.levels))}
    kind = getattr(made, "reals", "")
    return {"reals": kind} if kind else {}


def _noise(chances: Iterable[tuple[Any, Chance]]) -> Json:
    """The comparisons of draws that make up values, each given by its place."""
    listed: dict[Event, int] = {}
    sums = []
    for at, chance in chances:
        terms = [
            [exact.text(weight), [listed.setdefault(event, len(listed)) for event in parts]]
            for parts, weight in sorted(chance, key=repr)
        ]
        sums.append([at, terms])
    laws = {law: i for i, law in enumerate(dict.fromkeys(x for e in listed for x in e.laws))}
    return {
        "laws": [[law.kind, exact.text(law.parameter)] for law in laws],
        "events": [_event(event, laws) for event in listed],
        "sums": sums,
    }


def _event(event: Event, laws: Mapping[Law, int]) -> Json:
    conditions = [
        [list(map(list, terms)), exact.text(Fraction(constant))]
        for terms, constant in event.conditions
    ]
    found: Json = {"draws": [laws[law] for law in event.laws], "conditions": conditions}
    if isinstance(event, Share):
        found["share"] = _share(event)
    return found


def _share(event: Share) -> list[Any]:
    """The number of whose density it is a share, and the function of which basis."""
    (terms, constant, times), basis = event.released, event.basis
    shape = [basis.degree, basis.power, basis.anchor, basis.order]
    number = [list(map(list, terms)), exact.text(Fraction(constant)), times]
    ends = [None if end is None else exact.text(Fraction(end)) for end in (basis.low, basis.high)]
    rates = [exact.text(basis.rate), exact.text(basis.step)]
    return [number, ends, rates, shape, list(event.place)]


@lru_cache(maxsize=4)
def of_channels(mechanism: LocalMechanism) -> Model:
    """The model section about channels: its worlds are the values of one record."""
    channels = [
        [{**_drawn(answer), **_reals(answer), "runs": runs} for answer, runs in channel.answers]
        for channel in mechanism.channels
    ]
    people = list(mechanism.records)
    parts = {"channels": channels, "people": people, "chosen": list(mechanism.chosen)}
    return of_parts(mechanism.values, parts)


def of_mechanisms(
    space: WorldSpace,
    mechanism: Mechanism | None,
    given: Mapping[str, Mechanism],
    functions: Sequence[Sequence[Fraction]] = (),
) -> Model:
    """The model section about given mechanisms, one that is compared with them if any, and
    functions if any, one value per world each."""
    parts: Json = {"functions": [list(component) for component in functions]} if functions else {}
    parts["given"] = [{"name": name, **table_of(other)} for name, other in given.items()]
    return of_parts(space, parts | (table_of(mechanism) if mechanism else {}))


def of_worlds(space: WorldSpace) -> Model:
    """The model section about the worlds alone."""
    return of_parts(space, {})


def of_functions(
    space: WorldSpace,
    functions: Sequence[Sequence[Fraction]],
    mechanism: Mechanism | None = None,
) -> Model:
    """The model section about functions, one value per world each, and a mechanism if any."""
    parts: Json = {"functions": [list(component) for component in functions]}
    return of_parts(space, parts | (table_of(mechanism) if mechanism else {}))


def table_of(mechanism: Mechanism) -> Json:
    """Outputs, distinct values, and the columns of their codes."""
    return {
        "outputs": list(mechanism.outputs),
        "values": list(mechanism.values),
        "columns": _packed(mechanism, mechanism.codes),
    }


def _packed(table: Mechanism | Box, codes: np.ndarray) -> list[Any]:
    """The columns of the codes of a table."""
    many = len(table.outputs) >= COMPACT or codes.size >= LARGE
    if not many or len(table.values) > 2**16:
        listed: list[Any] = codes.T.tolist()
        return listed
    text = cache(lambda codes: base64.b64encode(codes).decode("ascii"))
    width = 1 if len(table.values) <= 256 else 2
    packed, size = codes.T.astype(f"<u{width}").tobytes(), width * len(table.outputs)
    return [text(packed[at : at + size]) for at in range(0, len(packed), size)]


def of_parts(space: WorldSpace, parts: Json) -> Model:
    """The model section about worlds and other parts."""
    section = {"worlds": space.names(range(space.size)), **parts}
    if space.records:
        section["records"] = space.entry_codes.T.tolist()
        section["entries_per_record"] = max(1, len(space.attributes))
    if space.counts is not None:
        section["counts"] = space.counts.T.tolist()
        section["entries_of_values"] = space.of_one_record().entry_codes.T.tolist()
    return Model(section)


def dumps(part: object) -> str:
    """A part as canonical JSON."""
    return CANONICAL.encode(part)


def on_cell(relation: Any, model: Json) -> Json:
    """What is asked on a cell of a domain."""
    return {"relation": relation, "model": model}


def divided(sections: Sequence[Mapping[str, Any]], at: int = 0) -> tuple[Json, list[Json]]:
    """The parts of a model that all cells have, as that number `at`, and those of each cell;
    NotDecided where the worlds are not the same on all."""
    whole = {key: value for key, value in sections[at].items() if key not in ON_CELLS}
    cells = [{key: one[key] for key in one if key in ON_CELLS} for one in sections]
    if any({**whole, **own} != one for own, one in zip(cells, sections, strict=True)):
        raise NotDecided("the worlds are others for other values of the parameter")
    return whole, cells
