"""Reading untrusted documents: shapes, exact numbers, the model. Whatever else goes wrong with a
malformed document is a Python exception, and `check` refuses it."""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

sys.set_int_max_str_digits(0)  # numbers may be long; MAX_DIGITS bounds them
MAX_DIGITS = 100_000


class Refused(Exception):
    """The document is no certificate."""


class Rejected(Exception):
    """The evidence does not prove the claim."""


@dataclass(frozen=True)
class Table:
    """Output o has probability values[columns[c][o]] in column c; the values ascend."""

    values: Sequence[Fraction]
    columns: Sequence[Sequence[int]]


def need(condition: object, otherwise: str, error: type[Exception] = Refused) -> None:
    """Refuse (or reject) unless the condition is true."""
    if not condition:
        raise error(otherwise)


def fields(value: Any, keys: str) -> None:
    """Refuse unless `value` is an object with exactly these keys."""
    need(type(value) is dict and set(value) == set(keys.split()), f"an object needs: {keys}")


def indices(value: Any, size: int, low: int = 0) -> list[int]:
    """`value`, a list of integers n with low <= n < size."""
    need(type(value) is list and set(map(type, value)) <= {int}, "a list of integers is needed")
    need(not value or (low <= min(value) and max(value) < size), f"not all in [{low}, {size})")
    return value  # type: ignore[no-any-return]


def number(value: Any) -> Fraction:
    """The exact number: a Fraction, or text p or p/q."""
    if type(value) is Fraction:
        return value
    need(type(value) is str and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value), "a number is p or p/q")
    need(len(value) <= MAX_DIGITS, "a number is too long")
    return Fraction(value)


def total(terms: Sequence[tuple[int, Fraction]]) -> Fraction:
    """The sum of k * value over all (k, value)."""
    common = lcm(*(value.denominator for _, value in terms))
    return Fraction(sum(k * v.numerator * (common // v.denominator) for k, v in terms), common)


def check_digest(model: Any, digest: Any) -> None:
    """Reject unless the digest is that of the model, as canonical JSON."""
    text = json.dumps(model, sort_keys=True, separators=(",", ":"), default=str)
    found = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    need(digest == found, f"the digest of the model is {found}", Rejected)
    worlds = model["worlds"]
    need(worlds and type(worlds) is list and len(set(worlds)) == len(worlds), "different worlds")


def read_table(model: Any) -> Table:
    """The likelihood matrix: distinct ascending values, and columns that sum to 1."""
    values, worlds = list(map(number, model["values"])), model["worlds"]
    heads = [(v.numerator << 64) // v.denominator for v in values]  # most comparisons end here
    ascend = all(a < b for a, b in pairwise(zip(heads, values, strict=True)))
    need(ascend and values[0] >= 0 and values[-1] <= 1, "values ascend from 0 to 1")
    need(len(set(model["outputs"])) == len(model["outputs"]), "an output stands twice")
    for world, column in zip(worlds, model["columns"], strict=True):
        need(len(indices(column, len(values))) == len(model["outputs"]), "a column is too short")
        mass = total([(k, values[code]) for code, k in Counter(column).items()])
        need(mass == 1, f"the column of {world} sums to {mass}, must be 1", Rejected)
    return Table(values, model["columns"])


def read_records(model: Any) -> list[list[tuple[int, ...]]]:
    """The records of each world, tuples of entries that are all -1 where a record is absent."""
    rows, width = model["records"], model["entries_per_record"]
    (cells,) = {len(indices(row, 2**60, -1)) for row in rows}
    need(len(rows) == len(set(map(tuple, rows))) == len(model["worlds"]), "worlds are different")
    need(type(width) is int and width > 0 < cells and cells % width == 0, "entries_per_record")
    split = [[tuple(row[k : k + width]) for k in range(0, cells, width)] for row in rows]
    whole = all(-1 not in record or set(record) == {-1} for row in split for record in row)
    need(whole, "an absent record is -1 throughout")
    return split
