"""Reading untrusted documents: shapes, exact numbers, the model and its digest."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

DIGITS = 1_000_000  # of one numerator or denominator
NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


class Refused(Exception):
    """The document is not a certificate."""


class Rejected(Exception):
    """The evidence does not prove the claim."""


@dataclass(frozen=True)
class Table:
    """Probabilities: output o has `values[columns[c][o]]` in column c; the values ascend."""

    names: Sequence[str]
    outputs: Sequence[str]
    values: Sequence[Fraction]
    columns: Sequence[Sequence[int]]

    def ratio(self, column: int, output: int) -> tuple[int, int]:
        """The probability of an output in a column, as numerator and denominator."""
        return self.values[self.columns[column][output]].as_integer_ratio()


@dataclass(frozen=True)
class Model:
    """The worlds, as databases where `records` is given, and a mechanism or functions of them.

    `records[w]` is world w's records, each a tuple of entries, all -1 in an absent record.
    """

    worlds: Sequence[str]
    records: Sequence[Sequence[tuple[int, ...]]] | None
    mechanism: Table | None
    functions: Sequence[Sequence[Fraction]] | None


def fields(value: Any, where: str, keys: Collection[str], optional: Collection[str] = ()) -> None:
    """Refuse unless `value` is an object with all of `keys`, and else only `optional` ones."""
    if type(value) is not dict or any(key not in value for key in keys):
        raise Refused(f"{where} must be an object with {', '.join(keys)}")
    if any(key not in keys and key not in optional for key in value):
        raise Refused(f"{where} has an unknown key, beyond {', '.join([*keys, *optional])}")


def listing(value: Any, where: str, length: int | None = None) -> Sequence[Any]:
    """`value`, a list (of this length)."""
    if type(value) not in (list, tuple) or (length is not None and len(value) != length):
        raise Refused(f"{where} must be a list" + ("" if length is None else f" of {length}"))
    return value  # type: ignore[no-any-return]


def texts(value: Any, where: str) -> Sequence[str]:
    """`value`, a non-empty list of distinct texts."""
    if set(map(type, listing(value, where))) != {str} or len(set(value)) < len(value):
        raise Refused(f"{where} must be distinct texts, at least one")
    return value  # type: ignore[no-any-return]


def integers(
    value: Any, where: str, low: int, high: int = 2**60, length: int | None = None
) -> Sequence[int]:
    """`value`, a list of integers n with low <= n < high."""
    if listing(value, where, length) and (
        set(map(type, value)) != {int} or min(value) < low or max(value) >= high
    ):
        raise Refused(f"{where} must be integers, at least {low} and below {high}")
    return value  # type: ignore[no-any-return]


def number(value: Any, where: str) -> Fraction:
    """The exact number: a Fraction, or text "p" or "p/q"."""
    if type(value) is Fraction:
        return value
    found = NUMBER.fullmatch(value) if type(value) is str else None
    if found is None or max(len(found[1]), len(found[2] or "")) > DIGITS:
        raise Refused(f"{where} must be a fraction written as text, p or p/q")
    denominator = _integer(found[2] or "1")
    if denominator == 0:
        raise Refused(f"{where} has the denominator 0")
    return Fraction(_integer(found[1]), denominator)


def _integer(text: str) -> int:
    """int(text) for texts of any length; Python's own stops at 4300 digits."""
    if len(text) <= 4000:
        return int(text)
    if text[0] == "-":
        return -_integer(text[1:])
    tail = len(text) // 2
    shift: int = 10**tail
    return _integer(text[:-tail]) * shift + _integer(text[-tail:])


def show(value: Fraction | str) -> str:
    """A number or a name as part of a sentence, shortened."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:59] + "…")
    bits = max(abs(value.numerator), value.denominator).bit_length()
    return str(value) if bits <= 200 else f"(a fraction of {bits} bits)"


def total(terms: Iterable[tuple[int, int]]) -> Fraction:
    """The sum of n/d over all (n, d); denominators positive, not necessarily reduced."""
    numerator, common = 0, 1
    for n, d in terms:
        factor, rest = divmod(common, d)
        if rest:
            grown = math.lcm(common, d)
            numerator, factor, common = numerator * (grown // common), grown // d, grown
        numerator += n * factor
    return Fraction(numerator, common)


def read_claim(claim: Any, keys: Collection[str]) -> bool:
    """Whether the verdict of a claim with these keys of its own is "holds"."""
    fields(claim, "the claim", ("definition", "kind", "verdict", "digest", *keys))
    if type(claim["definition"]) is not str or claim["verdict"] not in ("holds", "violated"):
        raise Refused("a claim has a definition, any text, and a verdict, holds or violated")
    return bool(claim["verdict"] == "holds")


def read_evidence(evidence: Any) -> Any:
    """The witness, or None where there is none."""
    if evidence is None:
        return None
    fields(evidence, "the evidence", ("witness",))
    return evidence["witness"]


def read_model(model: Any, claimed_digest: Any) -> Model:
    """The model, validated, with the claimed digest."""
    together = (("outputs", "values", "columns"), ("records", "entries_per_record"))
    fields(model, "the model", ("worlds",), [*together[0], *together[1], "functions"])
    for keys in together:
        if any(key in model for key in keys):
            fields(model, "the model", keys, model)
    worlds = texts(model["worlds"], "worlds")
    result = Model(
        worlds,
        _records(model, len(worlds)) if "records" in model else None,
        _mechanism(model, worlds) if "columns" in model else None,
        _functions(model, len(worlds)) if "functions" in model else None,
    )
    state = hashlib.sha256()
    for line in _lines(result):
        state.update(line.encode("ascii") + b"\n")
    if claimed_digest != (found := f"sha256:{state.hexdigest()}"):
        raise Rejected(f"the model's digest is {found}, not the one of the claim")
    return result


def _records(model: dict[str, Any], worlds: int) -> Sequence[Sequence[tuple[int, ...]]]:
    (width,) = integers([model["entries_per_record"]], "entries_per_record", 1)
    rows = listing(model["records"], "records", worlds)
    entries = len(listing(rows[0], "records of a world"))
    if entries == 0 or entries % width:
        raise Refused(f"a world must have a positive multiple of {width} entries")
    for row in rows:
        integers(row, "records of a world", -1, length=entries)
    split = [[tuple(row[k : k + width]) for k in range(0, entries, width)] for row in rows]
    if any(-1 in record and set(record) != {-1} for row in split for record in row):
        raise Refused("an absent record must have -1 for all its entries")
    if len(set(map(tuple, rows))) < worlds:
        raise Refused("two worlds have the same records")
    return split


def _mechanism(model: dict[str, Any], worlds: Sequence[str]) -> Table:
    outputs = texts(model["outputs"], "outputs")
    values = [number(value, "each of values") for value in listing(model["values"], "values")]
    heads = ((v.numerator << 64) // v.denominator for v in values)  # most comparisons end here
    ascending = all(a < b for a, b in pairwise(zip(heads, values, strict=True)))
    if not values or values[0] < 0 or values[-1] > 1 or not ascending:
        raise Refused("values must ascend strictly, from 0 to 1 at most")
    columns = listing(model["columns"], "columns", len(worlds))
    for name, column in zip(worlds, columns, strict=True):
        integers(column, f"the column of world {show(name)}", 0, len(values), len(outputs))
        counts = Counter(column).items()
        mass = total((k * values[c].numerator, values[c].denominator) for c, k in counts)
        if mass != 1:
            raise Rejected(f"the column of world {show(name)} sums to {show(mass)}, must be 1")
    return Table(worlds, outputs, values, columns)


def _functions(model: dict[str, Any], worlds: int) -> Sequence[Sequence[Fraction]]:
    rows = [listing(row, "a function", worlds) for row in listing(model["functions"], "functions")]
    return [[number(value, "a function's value") for value in row] for row in rows]


def _lines(model: Model) -> Iterator[str]:
    """The text whose SHA-256 is the digest."""
    yield "worlds"
    yield from map(json.dumps, model.worlds)
    if model.records is not None:
        yield "records"
        yield from (" ".join(str(c) for record in row for c in record) for row in model.records)
        yield "entries_per_record"
        yield str(len(model.records[0][0]))
    if model.mechanism is not None:
        yield "outputs"
        yield from map(json.dumps, model.mechanism.outputs)
        yield "values"
        yield from map(_hexadecimal, model.mechanism.values)
        yield "columns"
        digits = [str(code) for code in range(len(model.mechanism.values))]
        for column in model.mechanism.columns:
            yield " ".join(map(digits.__getitem__, column))
    if model.functions is not None:
        yield "functions"
        yield from (" ".join(map(_hexadecimal, row)) for row in model.functions)


def _hexadecimal(value: Fraction) -> str:
    return f"{value.numerator:x}/{value.denominator:x}"
