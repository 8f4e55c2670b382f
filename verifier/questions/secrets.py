"""Secrets, pairs of them that outputs must not tell apart, and what is asked about such pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np

from verifier.base.errors import InputError, LimitReached, choice
from verifier.base.level import Level
from verifier.base.nouns import Later, Shown, dataclass
from verifier.questions.beliefs.supports import PairedSupports, Supports
from verifier.questions.claim import Claim
from verifier.world.mechanism import Mechanism
from verifier.world.single import Single, one_record
from verifier.world.space import show
from verifier.world.worlds import WorldSpace

MAX_PAIRS = 10**6
GENERATED = ("values", "entries", "presence")
GIVEN = "given"


@dataclass(frozen=True, eq=False)
class Secret(Shown, Later):
    """A set of possible worlds, as a Boolean array; `named` where the file names it."""

    name: str
    worlds: np.ndarray
    named: bool = False


Pair = tuple[Secret, Secret]


@dataclass(frozen=True)
class Pairs(Later):
    """Pairs of secrets, and how they were chosen: a kind of generated pairs, or `given`."""

    listed: tuple[Pair, ...]
    kind: str = GIVEN


def ordered(pairs: Iterable[Pair]) -> list[Pair]:
    """Listed `pairs` in an order by names alone. So a question does not depend on the order in
    which somebody lists the pairs, nor on which secret of a pair comes first."""
    names = (sorted(pair, key=lambda secret: secret.name) for pair in pairs)
    return sorted(((first, second) for first, second in names), key=_names)


def _names(pair: Pair) -> tuple[str, str]:
    return pair[0].name, pair[1].name


def generated(space: WorldSpace, kind: str) -> Pairs:
    """`values`, `entries` or `presence` pairs of every record; InputError S405, S407, LimitReached.

    values    record i has one value, or another one
    entries   an attribute of record i has one value, or another one
    presence  record i has a value, or is absent

    Of histograms they are secrets of one record among those that are not told apart.
    """
    if kind not in GENERATED:
        raise InputError("S405", f"unknown kind of pairs '{kind}'", hint=choice(kind, GENERATED))
    about = one_record(space).space if space.is_histograms else space
    return Pairs(tuple(_generated(kind, about)), kind)


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


@dataclass(frozen=True, eq=False)
class Pufferfish(Later):
    """Whether P(o | s, θ) <= α·P(o | s', θ), up to δ, for all pairs (s, s') in both orders and all
    priors θ of a class; `definition` is the spec keyword."""

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    pairs: Sequence[Pair]
    level: Level
    delta: Fraction

    @property
    def secrets(self) -> dict[str, Secret]:
        """The secrets of the pairs by name."""
        return {secret.name: secret for pair in self.pairs for secret in pair}

    def scope(self, priors: str, skipped: Sequence[str]) -> dict[str, Any]:
        """What an answer quantifies over.

        priors   the class in a few words
        skipped  the pairs that it does not allow, each with the reason
        """
        shown = [f"skipped: {reason}" for reason in skipped[:3]]
        if len(skipped) > len(shown):
            shown.append(f"skipped: {len(skipped) - len(shown)} more")
        notes = [*self.mechanism.notes, *shown]
        return {"pairs": 2 * len(self.pairs), "priors": priors, "notes": notes}


class PriorClass(Protocol):
    """A class of priors."""

    def claim(self, question: Pufferfish) -> Claim:
        """The claim that answers `question` for this class; NotDecided where there is no method."""
        ...

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> Supports | PairedSupports:
        """Which worlds its priors can make possible together.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        ...

    def of_one_record(self, one: Single) -> PriorClass:
        """The class over the worlds of `one` record, for a class over its histograms; InputError
        for a class that says nothing of one record."""
        ...

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The class as it stands in a certificate.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        ...
