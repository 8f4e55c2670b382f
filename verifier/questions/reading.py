"""Reading a proof back from a certificate's JSON: the inverse of how `answer` writes it.

Each field is read by its annotation: an `int` is an integer, a `Fraction` text in lowest terms,
a `Sequence` a list, and so on. Whatever has another shape is refused; nothing is guessed. What is
read is no more true than its source: it is for the checker to accept the certificate.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from verifier.base import exact
from verifier.base.level import Leakage
from verifier.questions.answer import MALFORMED, Json, NotRead, Proof
from verifier.questions.claim import Claim, DomainClaim
from verifier.questions.evidence import Evidence
from verifier.world.mechanism import Mechanism

NUMBER = re.compile("-?[0-9]+(/[0-9]+)?")


def read_proof(claim: Claim, answer: Json, evidence: Json) -> Proof:
    """The proof that stands in a certificate.

    claim     that it answers
    answer    the answer section, as parsed JSON
    evidence  the evidence section

    NotRead where either has another shape than what engines write for such a claim.
    """
    said, proves = claim.said, claim.proves
    try:
        if isinstance(claim, DomainClaim):
            return Proof(_read(said, answer), _read(proves, evidence))
        found: Evidence | None = _read(proves or NoneType, evidence["witness"])
        own = set(evidence) - {"rule", "witness"}
        mechanism = (
            _mechanism(**_read(Mapping[str, object], evidence["mechanism"])) if own else None
        )
        return Proof(_read(said, answer), found, mechanism)
    except MALFORMED as error:
        raise NotRead(f"no proof: {error!r:.200}") from None


def _read(kind: Any, found: Any, numbers: bool = False) -> Any:
    """What was `found` as a value of an annotation, `kind`; with `numbers` integers are text."""
    if kind is object:
        return found
    if kind is int and not numbers:
        return _plain(int, found)
    reader = READERS.get(get_origin(kind) or kind)
    return reader(kind, found, numbers) if reader else _fields(kind, _plain(dict, found))


def _plain(kind: type, found: Any) -> Any:
    """The same if it is just of this kind: no truth value is an integer."""
    if type(found) is not kind:
        raise NotRead(f"{kind.__name__} expected, found {found!r:.40}")
    return found


def _number(kind: type, found: Any, numbers: bool) -> Any:
    """A fraction, or an integer, from its canonical text."""
    rational = NUMBER.fullmatch(_plain(str, found))
    value = Fraction(found) if rational else exact.number(found)
    if exact.text(value) != found:
        raise NotRead(f"no number in lowest terms: {found!r:.40}")
    return value if kind is Fraction else _whole(value)


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise NotRead(f"an integer expected, found {value}")
    return value.numerator


def _list(kind: Any, found: Any, numbers: bool) -> list[Any]:
    (each,) = get_args(kind)
    return [_read(each, part, numbers) for part in _plain(list, found)]


def _tuple(kind: Any, found: Any, numbers: bool) -> tuple[Any, ...]:
    pairs = zip(get_args(kind), _plain(list, found), strict=True)
    return tuple(_read(each, part, numbers) for each, part in pairs)


def _mapping(kind: Any, found: Any, numbers: bool) -> dict[Any, Any]:
    keys, values = get_args(kind)
    return {
        _read(keys, key, numbers=True): _read(values, part, numbers)
        for key, part in _plain(dict, found).items()
    }


def _any(kind: Any, found: Any, numbers: bool) -> Any:
    """The first of several kinds that fits."""
    for one in get_args(kind):
        try:
            return _read(one, found, numbers)
        except (ValueError, TypeError):
            continue
    raise NotRead(f"neither of {kind}: {found!r:.40}")


def _leakage(kind: Any, found: Any, numbers: bool) -> Leakage:
    """The smallest level; whether it is attained is not in a certificate."""
    if found == {"vacuous": True}:
        return Leakage(Fraction(1), vacuous=True)
    if found == {"infinite": True}:
        return Leakage()
    if set(found) == {"lower", "upper"}:
        return Leakage(bounds=(_read(Fraction, found["lower"]), _read(Fraction, found["upper"])))
    if set(found) == {"closed", "lower", "upper"}:
        closed = Leakage(exact.number(_plain(str, found["closed"])))
        if closed.claim() != found:
            raise NotRead(f"no closed form: {found!r:.40}")
        return closed
    (level,) = _read(Mapping[str, Fraction], found).items()
    if level[0] != "exp_epsilon":
        raise NotRead(f"no leakage: {found!r:.40}")
    return Leakage(level[1])


def _fields(kind: Any, found: Json) -> Any:
    """An object of a class, by the annotations of its fields."""
    left, parts = dict(found), {}
    hints = _hints(kind)
    for each in fields(kind):
        if "inline" in each.metadata:
            part, left = left, {}
        elif each.name in left:
            part = left.pop(each.name)
            if part is None and "absent" in each.metadata:
                raise NotRead(f"{each.name} is null")
        elif "absent" in each.metadata:
            continue
        else:
            raise NotRead(f"{each.name} is missing")
        parts[each.name] = _read(hints[each.name], part, "numbers" in each.metadata)
    if left:
        raise NotRead(f"keys of nothing: {', '.join(left):.40}")
    return kind(**parts)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _mechanism(outputs: Any, values: Any, columns: Any) -> Mechanism:
    """The mechanism that is part of the evidence, whose columns may be packed."""
    import numpy as np

    packed = all(isinstance(column, str) for column in columns)
    if packed:
        whole = [base64.b64decode(column, validate=True) for column in columns]
        width = len(whole[0]) // len(outputs)
        codes = [np.frombuffer(column, f"<u{width}").astype(np.int64) for column in whole]
    else:
        codes = _read(Sequence[Sequence[int]], columns)
    table = np.array(codes).T
    if table.min() < 0:
        raise NotRead("a code is negative")
    return Mechanism.of(_read(Sequence[str], outputs), _read(Sequence[Fraction], values), table)


READERS: dict[Any, Callable[[Any, Any, bool], Any]] = {
    Fraction: _number,
    int: _number,
    str: lambda kind, found, numbers: _plain(str, found),
    NoneType: lambda kind, found, numbers: _plain(NoneType, found),
    Leakage: _leakage,
    Sequence: _list,
    tuple: _tuple,
    Mapping: _mapping,
    Union: _any,
    UnionType: _any,
}
