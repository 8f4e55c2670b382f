"""Secrets and the pairs of them that outputs must not tell apart; pairs that worlds generate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from verifier.base.errors import InputError, LimitReached, choice
from verifier.world.space import show
from verifier.world.worlds import WorldSpace

MAX_PAIRS = 10**6
GENERATED = ("values", "entries", "presence")
GIVEN = "given"


@dataclass(frozen=True, eq=False)
class Secret:
    """A set of possible worlds, as a Boolean array; `named` where the file names it."""

    name: str
    worlds: np.ndarray
    named: bool = False


Pair = tuple[Secret, Secret]


@dataclass(frozen=True)
class Pairs:
    """Pairs of secrets, and how they were chosen: a kind of generated pairs, or `given`."""

    listed: tuple[Pair, ...]
    kind: str = GIVEN


def generated(space: WorldSpace, kind: str) -> Pairs:
    """`values`, `entries` or `presence` pairs of every record; InputError S405, S407, LimitReached.

    values    record i has one value, or another one
    entries   an attribute of record i has one value, or another one
    presence  record i has a value, or is absent
    """
    if kind not in GENERATED:
        raise InputError("S405", f"unknown kind of pairs '{kind}'", hint=choice(kind, GENERATED))
    return Pairs(tuple(_generated(kind, space)), kind)


def _generated(kind: str, space: WorldSpace) -> Iterator[Pair]:
    if not space.records:
        hint = "write pairs: [[sun, rain]] with two names of `secrets`"
        raise InputError("S407", f"pairs '{kind}' need worlds made of records", hint=hint)
    if kind == "presence" and space.absent_code is None:
        hint = "add absent: true to the worlds, or write values"
        raise InputError("S407", "pairs 'presence' need worlds with 'absent: true'", hint=hint)
    parts = space.entry_values if kind == "entries" else [space.record_values]
    if kind != "presence" and len(space.records) * sum(comb(len(v), 2) for v in parts) > MAX_PAIRS:
        raise LimitReached(f"more than {MAX_PAIRS} pairs of secrets are too many")
    for number, record in enumerate(space.records):
        if kind == "entries" and space.attributes:
            for at, attribute in enumerate(space.attributes):
                codes = space.entry_codes[number * len(space.attributes) + at]
                names = [show(value) for value in space.entry_values[at]]
                secrets = _of_codes(f"{record}.{attribute}", codes, names)
                yield from combinations(secrets, 2)
            continue
        values = _of_codes(record, space.record_codes[number], space.present_value_names)
        if kind == "presence":
            gone = Secret(f"{record} absent", ~space.present(number))
            yield from ((value, gone) for value in values)
        else:
            yield from combinations(values, 2)


def _of_codes(subject: str, codes: np.ndarray, names: list[str]) -> list[Secret]:
    return [Secret(f"{subject} = {name}", codes == code) for code, name in enumerate(names)]
