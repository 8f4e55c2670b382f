"""Reading untrusted documents: shapes, exact numbers, the model. Whatever else goes wrong with a
malformed document is a Python exception, and `check` refuses it."""

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

sys.set_int_max_str_digits(0)  # numbers may be long; MAX_DIGITS bounds them
MAX_DIGITS = 100_000
MAX_STEPS = 10**9
TABLE = {"worlds", "outputs", "values", "columns"}
FUNCTIONS, GIVEN = {"worlds", "functions"}, {"worlds", "given"}
PARTS = {  # of a model, by the kind of certificate; of other kinds it is a table
    "composable": [TABLE, {"worlds"}],
    "implies": [TABLE, TABLE | GIVEN, GIVEN],
    "influence": [{"worlds"}],
    "optimal": [FUNCTIONS, TABLE | FUNCTIONS],
    "post_processing": [TABLE | GIVEN],
    "program": [{"program"}],
    "row_cone": [GIVEN, TABLE | GIVEN],
    "sensitivity": [FUNCTIONS],
}
SHOWN = {"composable", "implies"}  # kinds whose evidence may be a mechanism of its own
# output o has probability values[columns[c][o]] in column c; the values ascend
Table = tuple[list[Fraction], list[list[int]]]


class Refused(Exception):
    """The document is no certificate."""


class Rejected(Exception):
    """The evidence does not prove the claim."""


def need(condition: object, otherwise: str, error: type[Exception] = Refused) -> None:
    """Refuse (or reject) unless the condition is true."""
    if not condition:
        raise error(otherwise)


def afford(steps: int) -> None:
    """Refuse more work than a minute or two."""
    need(steps <= MAX_STEPS, f"the certificate needs more than {MAX_STEPS} steps")


def fields(value: Any, keys: str) -> None:
    """Refuse unless `value` is an object with exactly these keys."""
    need(type(value) is dict and set(value) == set(keys.split()), f"an object needs: {keys}")


def items(value: Any, width: int | None = None) -> list[Any]:
    """`value`, a list; of lists of this width, if one is given."""
    need(type(value) is list, "a list is needed")
    fits = width is None or all(type(item) is list and len(item) == width for item in value)
    need(fits, f"a list of lists of {width} is needed")
    return value  # type: ignore[no-any-return]


def mapping(value: Any) -> dict[str, Any]:
    """`value`, an object with any keys."""
    need(type(value) is dict, "an object is needed")
    return value  # type: ignore[no-any-return]


def indices(value: Any, size: int, low: int = 0) -> list[int]:
    """`value`, a list of integers n with low <= n < size."""
    need(type(value) is list and set(map(type, value)) <= {int}, "a list of integers is needed")
    need(not value or (low <= min(value) and max(value) < size), f"not all in [{low}, {size})")
    return value  # type: ignore[no-any-return]


def texts(value: Any) -> int:
    """The length of `value`, a list of different texts, at least one."""
    need(type(value) is list and set(map(type, value)) == {str}, "a list of texts is needed")
    need(len(set(value)) == len(value), "a name stands twice")
    return len(value)


def number(value: Any) -> Fraction:
    """The exact number: a Fraction, or text p or p/q."""
    if type(value) is Fraction:
        return value
    need(type(value) is str and len(value) <= MAX_DIGITS, "a number is a text, not too long")
    need(re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value), "a number is p or p/q")
    return Fraction(value)


def numbers(value: Any) -> list[Fraction]:
    """A list of exact numbers."""
    return list(map(number, items(value)))


def denominator(fractions: Iterable[Fraction]) -> int:
    """A common denominator; refused if it has more digits than can be worked with."""
    found, terms = 1, [value.denominator for value in fractions]
    for term in set(terms):
        found = lcm(found, term)
        afford(found.bit_length() * len(terms) // 10)
    return found


def total(terms: Iterable[tuple[int, Fraction]]) -> Fraction:
    """The sum of k * value over all (k, value)."""
    terms = list(terms)
    common = denominator(value for _, value in terms)
    return Fraction(sum(k * v.numerator * (common // v.denominator) for k, v in terms), common)


def check_digest(question: Any, digest: Any) -> None:
    """Reject a digest that is not the one of the question as canonical JSON."""
    text = json.dumps(question, sort_keys=True, separators=(",", ":"), default=str)
    found = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    need(digest == found, f"the digest of the question is {found}", Rejected)


def read_model(model: Any, evidence: Any, kind: str) -> Any:
    """The model, with the mechanism that the evidence of some kinds is about."""
    need(type(model) is dict, "a model is an object")
    own = {"columns"} & set(model)
    if kind in SHOWN and not own and "mechanism" in evidence:
        fields(evidence, "witness mechanism")
        fields(evidence["mechanism"], "outputs values columns")
        model = {**model, **evidence["mechanism"]}
    else:
        fields(evidence, "witness")
        need(kind not in SHOWN or not own, "a mechanism is evidence here")
    parts = PARTS.get(kind, [TABLE])
    fits = set(model) - {"records", "entries_per_record", "counts"} in parts
    need(fits, f"a model has one of {parts}")
    if "program" not in model:
        texts(model["worlds"])
        check_worlds(model)
    return model


def check_worlds(model: Any) -> None:
    """Refuse records or counts that are no worlds, also where no rule asks for them."""
    if "records" in model or "entries_per_record" in model:
        read_records(model)
    if "counts" in model:
        read_counts(model)


def read_table(model: Any) -> Table:
    """The likelihood matrix: distinct ascending values, and columns that sum to 1."""
    values, outputs = numbers(model["values"]), texts(model["outputs"])
    columns = [unpacked(column) for column in items(model["columns"])]
    heads = [(v.numerator << 64) // v.denominator for v in values]  # most comparisons end here
    ascend = all(a < b for a, b in pairwise(zip(heads, values, strict=True)))
    need(ascend and values[0] >= 0 and values[-1] <= 1, "values ascend from 0 to 1")
    for world, column in zip(model["worlds"], columns, strict=True):
        need(len(indices(column, len(values))) == outputs, "a column has one code per output")
        mass = total((k, values[code]) for code, k in Counter(column).items())
        need(mass == 1, f"the column of {world!r:.100} does not sum to 1", Rejected)
    return values, columns


def unpacked(column: Any) -> Any:
    """The codes of a column that is one base64 text, a byte each; another one as it is."""
    return list(base64.b64decode(column, validate=True)) if type(column) is str else column


def read_given(model: Any) -> list[Table]:
    """The likelihood matrices of other mechanisms over the same worlds, at least one."""
    given = items(model["given"])
    need(given, "a list of mechanisms is needed")
    for part in given:
        fields(part, "name outputs values columns")
    texts([part["name"] for part in given])
    return [read_table({**part, "worlds": model["worlds"]}) for part in given]


def read_counts(model: Any) -> list[list[int]]:
    """The counts of each world, all those of one number of records, at least 1."""
    rows = items(model["counts"])
    (values,) = {len(indices(row, 2**60)) for row in rows}
    (records,) = set(map(sum, rows))
    need(len(rows) == len(set(map(tuple, rows))) == len(model["worlds"]), "worlds are different")
    need(values and records, "there are values and records")
    return rows


def read_records(model: Any) -> list[list[tuple[int, ...]]]:
    """The records of each world, tuples of entries that are all -1 where a record is absent."""
    rows, width = items(model["records"]), model["entries_per_record"]
    (cells,) = {len(indices(row, 2**60, low=-1)) for row in rows}
    need(len(rows) == len(set(map(tuple, rows))) == len(model["worlds"]), "worlds are different")
    need(indices([width], cells + 1, low=1) and cells % width == 0, "entries_per_record")
    split = [[tuple(row[k : k + width]) for k in range(0, cells, width)] for row in rows]
    whole = all(-1 not in record or set(record) == {-1} for row in split for record in row)
    need(whole, "an absent record is -1 throughout")
    return split
