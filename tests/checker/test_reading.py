"""What is read of untrusted documents, one small value after the other."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from verifier.base import exponential
from verifier.checker import canonical, check_digest, read_model
from verifier.checker.document import (
    MAX_DIGITS,
    Refused,
    Rejected,
    fields,
    indices,
    items,
    mapping,
    plain,
    texts,
)
from verifier.checker.reading import Model, Table, denominator, number, numbers, unpacked

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda: items([1, "a"]), [1, "a"]),
        (lambda: items([]), []),
        (lambda: items([[1, 2], [3, 4]], 2), [[1, 2], [3, 4]]),
        (lambda: items([], 2), []),
        (lambda: mapping({"a": 1}), {"a": 1}),
        (lambda: indices([], 0), []),
        (lambda: indices([0, 2], 3), [0, 2]),
        (lambda: indices([2, 0], 3), [2, 0]),
        (lambda: indices([-1, 2], 3, low=-1), [-1, 2]),
        (lambda: texts(["a"]), 1),
        (lambda: texts(["a", "b"]), 2),
        (lambda: number("-6/4"), Fraction(-3, 2)),
        (lambda: number("7"), 7),
        (lambda: number(plain(THIRD)), THIRD),
        (lambda: number("0" * (MAX_DIGITS - 1) + "1"), 1),
        (lambda: numbers(["1/2", "1/3"]), [HALF, THIRD]),
        (lambda: denominator([HALF, THIRD, HALF]), 6),
        (lambda: denominator([Fraction(3)]), 1),
        (lambda: denominator([]), 1),
        (lambda: numbers(["2/4", "1/2", "2/4"]), [HALF, HALF, HALF]),
    ],
)
def test_what_is_read(read: Callable[[], Any], found: Any) -> None:
    assert read() == found
    assert type(read()) is type(found) or isinstance(read(), Fraction)


@pytest.mark.parametrize(
    "read",
    [
        lambda: items((1, 2)),
        lambda: items({}),
        lambda: items("ab"),
        lambda: items([[1, 2], (1, 2)], 2),
        lambda: items([[1, 2], [1]], 2),
        lambda: items([[1], [1, 2]], 2),
        lambda: items(["ab", "cd"], 2),
        lambda: items(None),
        lambda: mapping([]),
        lambda: mapping([("a", 1)]),
        lambda: indices((0,), 1),
        lambda: indices({0}, 1),
        lambda: indices([True], 2),
        lambda: indices([0, False], 2),
        lambda: indices([1.0], 2),
        lambda: indices([1, "1"], 2),
        lambda: indices([0, 3], 3),
        lambda: indices([3, 0], 3),
        lambda: indices([-1, 2], 3),
        lambda: indices([0], 1, low=1),
        lambda: texts([]),
        lambda: texts(("a", "b")),
        lambda: texts("ab"),
        lambda: texts(["a", 1]),
        lambda: texts([1, 2]),
        lambda: texts(["a", "b", "a"]),
        lambda: number(1),
        lambda: number(0.5),
        lambda: number(b"1"),
        lambda: number("0" * MAX_DIGITS + "1"),
        lambda: number("1/2/3"),
        lambda: number("1."),
        lambda: number("+1"),
        lambda: number("1\n"),
        lambda: number(""),
        lambda: number("1/-2"),
        lambda: numbers(("1", "2")),
        lambda: fields({"a": 1}, "a b"),
        lambda: fields({"a": 1, "b": 2, "c": 3}, "a b"),
        lambda: fields(["a", "b"], "a b"),
        lambda: fields({"a", "b"}, "a b"),
        lambda: fields([], ""),
    ],
)
def test_what_is_refused(read: Callable[[], Any]) -> None:
    with pytest.raises(Refused):
        read()
    fields({"a": 1, "b": 2}, "a b")


def test_the_digest_is_of_canonical_json() -> None:
    """Sorted keys, no spaces, escapes."""
    text = '{"a":["\\u00e9","1/2"],"b":{"c":1,"d":null}}'
    digest = f"sha256:{sha256(text.encode()).hexdigest()}"
    question = {"b": {"d": None, "c": 1}, "a": ["é", "1/2"]}
    assert canonical(question) == text
    check_digest(text, digest)
    for other in (None, digest[7:], digest.upper(), "sha256:" + "0" * 64):
        with pytest.raises(Rejected):
            check_digest(text, other)
    with pytest.raises(Rejected):
        check_digest(canonical({**question, "e": 0}), digest)


COIN = {"outputs": ["x", "y"], "values": ["1/4", "1/2", "3/4"], "columns": [[0, 2], [1, 1]]}
TABLE = {"worlds": ["a", "b"], **COIN}
BARE = {"rule": "inequality", "witness": None}


@pytest.mark.parametrize(
    ("model", "evidence", "kind"),
    [
        (TABLE, BARE, "comparison"),
        ({**TABLE, "records": [[0], [1]], "entries_per_record": 1}, BARE, "comparison"),
        ({**TABLE, "counts": [[0, 1], [1, 0]]}, BARE, "comparison"),
        ({"worlds": ["a", "b"], "functions": []}, BARE, "sensitivity"),
        ({**TABLE, "more": 0}, BARE, "comparison"),
        ({"program": {}}, BARE, "program"),
        ({"worlds": ["a", "b"]}, BARE, "composable"),
        ({"worlds": ["a", "b"]}, {**BARE, "mechanism": COIN}, "composable"),
        ({"worlds": ["a", "b"], "given": []}, BARE, "implies"),
        ({"worlds": ["a", "b"], "given": []}, {**BARE, "mechanism": COIN}, "implies"),
    ],
)
def test_models(model: Any, evidence: Any, kind: str) -> None:
    shown = evidence.get("mechanism", {})
    found = read_model(model, evidence, kind).parts
    assert found == {**model, **shown}
    if "columns" in found:  # the worlds alone are read so far
        with pytest.raises(Refused, match=r"nothing reads .*columns"):
            found.check()
    for key in found:
        assert found[key] is {**model, **shown}[key]
    found.check()


@pytest.mark.parametrize(
    ("model", "evidence", "kind"),
    [
        ([], BARE, "comparison"),
        ({"worlds": ["a", "b"]}, {**BARE, "mechanism": COIN}, "comparison"),
        (TABLE, {**BARE, "mechanism": COIN}, "comparison"),
        (TABLE, {}, "comparison"),
        (TABLE, BARE, "composable"),
        (TABLE, {**BARE, "mechanism": COIN}, "composable"),
        (TABLE, BARE, "implies"),
        ({"worlds": ["a", "b"]}, {**BARE, "mechanism": {**COIN, "more": 0}}, "composable"),
        ({"worlds": ["a", "b"]}, {"mechanism": COIN}, "composable"),
        ({"worlds": ["a", "b"]}, {**BARE, "mechanism": COIN, "more": 0}, "composable"),
        ({**TABLE, "worlds": ["a", "a"]}, BARE, "comparison"),
        ({**TABLE, "worlds": []}, BARE, "comparison"),
        ({**TABLE, "records": [[0], [0]], "entries_per_record": 1}, BARE, "comparison"),
        ({**TABLE, "counts": [[0, 1], [0, 1]]}, BARE, "comparison"),
        ({"worlds": ["a", "a"], "functions": []}, BARE, "sensitivity"),
    ],
)
def test_what_is_no_model(model: Any, evidence: Any, kind: str) -> None:
    with pytest.raises(Refused):
        read_model(model, evidence, kind)


def test_half_of_the_keys_of_records_are_none() -> None:
    for part in ({"records": [[0], [1]]}, {"entries_per_record": 1}):
        with pytest.raises(KeyError):
            read_model({**TABLE, **part}, BARE, "comparison")


def part(name: str, model: Any) -> Any:
    """A part of a model, as it is read."""
    return getattr(Model(model), name)


def test_tables() -> None:
    quarters = [Fraction(1, 4), HALF, Fraction(3, 4)]
    table = Table(quarters, [bytes([0, 2]), bytes([1, 1])])
    assert part("table", TABLE) == table
    assert part("table", {**TABLE, "columns": ["AAI=", "AQE="]}) == table
    ends = {**TABLE, "values": ["0", "1"], "columns": [[0, 1], [1, 0]]}
    assert part("table", ends).chances() == [[0, 1], [1, 0]]
    hair = Fraction(1, 10**30)  # which 64 binary digits do not show
    close = {**TABLE, "values": [HALF - hair, HALF, HALF + hair], "columns": [[0, 2], [1, 1]]}
    assert part("table", close).values == close["values"]
    for values in (["1/2", "1/4", "3/4"], ["3/4", "1/2", "1/4"], ["1/2", "1/2", "1/4", "3/4"]):
        code = {Fraction(value): at for at, value in enumerate(values)}
        columns = [[code[p] for p in column] for column in table.chances()]
        moved = part("table", {**TABLE, "values": values, "columns": columns})
        assert moved.chances() == table.chances()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"values": ["-1/2", "1/2", "3/2"], "columns": [[0, 2], [1, 1]]}, Refused),
        ({"values": ["-1/2", "1/2", "1"], "columns": [[1, 1], [1, 1]]}, Refused),
        ({"values": ["1/2", "3/2"], "columns": [[0, 1], [0, 0]]}, Rejected),
        ({"columns": [[0, 2], [1, 2]]}, Rejected),
        ({"columns": [[1, 1], [0, 1]]}, Rejected),
        ({"columns": [[0, 2], [1, 3]]}, Refused),
        ({"columns": [[0, 2], [1, 1, 1]]}, Refused),
        ({"columns": [[0, 2], [1]]}, Refused),
        ({"values": ["0", "1"], "columns": [[0, 1], [0, 1, 0]]}, Refused),
        ({"values": ["0", "1"], "columns": [[1], [1]]}, Refused),
        ({"columns": [[0, 2]]}, ValueError),
        ({"columns": [[0, 2], [1, 1], [1, 1]]}, ValueError),
        ({"columns": ["AAI=", "AQ\nE="]}, ValueError),
        ({"columns": [b"AAI=", "AQE="]}, Refused),
        ({"values": []}, Refused),
        ({"outputs": ["x", "x"]}, Refused),
    ],
)
def test_what_is_no_table(change: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        part("table", {**TABLE, **change})


def test_given_mechanisms() -> None:
    one, two = {**COIN, "name": "one"}, {**COIN, "name": "two"}
    model = {"worlds": ["a", "b"], "given": [one, two]}
    assert part("given", model) == [part("table", TABLE)] * 2
    for given in ([], [one, one], [one, {**two, "more": 0}], [COIN], {}, [one, {**two, "name": 1}]):
        with pytest.raises(Refused):
            part("given", {**model, "given": given})


def test_counts() -> None:
    rows = [[2, 0], [1, 1]]
    assert part("counts", {"worlds": ["a", "b"], "counts": rows}) == rows
    for wrong in (
        [[2, 0], [1, 0]],
        [[2, 0], [2, 0]],
        [[2, 0], [1, 1, 0]],
        [[2, 0], [3, -1]],
        [[2, 0]],
        [[2, 0], [1, 1], [0, 2]],
        [[2, False], [1, 1]],
        [(2, 0), (1, 1)],
        ((2, 0), (1, 1)),
    ):
        with pytest.raises((Refused, ValueError)):
            part("counts", {"worlds": ["a", "b"], "counts": wrong})
    for empty in ([[0, 0]], [[0]], [[]]):
        with pytest.raises(Refused):
            part("counts", {"worlds": ["a"], "counts": empty})
    assert part("counts", {"worlds": ["a"], "counts": [[1]]}) == [[1]]


@pytest.mark.parametrize(
    "column",
    [
        *(
            "AAI",
            "AAI==",
            "AAI=AAI=",
            "AA I=",
            "AAI=\n",
            "AAJ=",
            "=AAI",
            "ÄAI=",
            "",
        ),  # AAJ= is AAI=
        *("AAM=", "AP8="),  # codes 0 and 3, 0 and 255
        *([0, True], [0.0, 2], [0, "2"], [0, 3], [0, 256], [0, -1], [0], [0, 2, 0], (0, 2), {}),
        *(bytes([0, 2]), {0: 0, 2: 0}, 2, None),
    ],
)
def test_what_is_no_column(column: Any) -> None:
    assert part("table", {**TABLE, "columns": [[0, 2], [1, 1]]})
    with pytest.raises((Refused, ValueError, TypeError)):
        part("table", {**TABLE, "columns": [column, [1, 1]]})


@pytest.mark.parametrize("size", [127, 128, 129, 256])
def test_columns_of_many_values(size: int) -> None:
    """Around the number of values whose codes are held as bytes; text is the same as a list."""
    values = [Fraction(2 * k, size * (size - 1)) for k in range(size)]
    model = {"worlds": ["a", "b"], "outputs": [str(o) for o in range(size)], "values": values}
    columns = [list(range(size)), list(range(size))[::-1]]
    tables = [
        part("table", {**model, "columns": columns}),
        part("table", {**model, "columns": [b64encode(bytes(c)).decode() for c in columns]}),
    ]
    assert tables[0] == tables[1]
    assert tables[0].chances() == [values, values[::-1]]
    for wrong in (
        *([*columns[0][:-1], size], [*columns[0][:-1], size - 2], tuple(columns[0])),
        dict.fromkeys(columns[0]),
    ):
        with pytest.raises((Refused, Rejected)):
            part("table", {**model, "columns": [wrong, columns[1]]})


def test_sums_of_columns() -> None:
    """Weights of columns against one addition after the other."""
    quarters = [Fraction(0), Fraction(1, 4), HALF, Fraction(3, 4)]
    table = Table(quarters, [bytes([1, 3, 0]), bytes([2, 2, 0]), bytes([0, 1, 3])])
    listed = [{0: 1}, {0: 3, 2: 1}, {0: 10**30, 1: 1, 2: 0}, {1: 1, 2: 10**9}]
    expected = [
        [sum(k * quarters[table.columns[c][o]] for c, k in weights.items()) for o in range(3)]
        for weights in listed
    ]
    assert table.whole[0] == 4
    assert table.sums(listed) == [[4 * x for x in row] for row in expected]
    long = Table([Fraction(0), Fraction(1, 10**30)], table.columns[1:2])
    assert (long.sums([]), table.sums([{}])) == ([], [[0, 0, 0]])


def test_records() -> None:
    model = {"worlds": ["a", "b"], "records": [[0, 1, -1, -1], [5, 0, 2, 3]]}
    assert part("records", {**model, "entries_per_record": 2}) == [
        ((0, 1), (-1, -1)),
        ((5, 0), (2, 3)),
    ]
    assert part("records", {**model, "entries_per_record": 4, "records": [[0] * 4, [1] * 4]}) == [
        ((0,) * 4,),
        ((1,) * 4,),
    ]
    assert part("records", {**model, "entries_per_record": 1})[0] == ((0,), (1,), (-1,), (-1,))
    for width in (4, 3, 0, 5, 8, -2, True, 2.0, "2", None):
        with pytest.raises(Refused):
            part("records", {**model, "entries_per_record": width})
    for rows in (
        [[0, 1], [0, 1]],
        [[0, 1], [0, -1]],
        [[0, 1], [-1, 0]],
        [[0, 1], [-2, -2]],
        [[0, 1], [0, True]],
        [[0, 1], [0, 2**60]],
        [[0, 1]],
        [[0, 1], [1, 0], [1, 1]],
        [[0, 1], [1, 0, 1, 1]],
        [(0, 1), (1, 0)],
        ((0, 1), (1, 0)),
    ):
        with pytest.raises((Refused, ValueError)):
            part("records", {"worlds": ["a", "b"], "records": rows, "entries_per_record": 2})
    whole = {**model, "records": [[0, 1, 2, 3], [5, 0, 2, 3]]}
    with pytest.raises(Refused):  # one record of three entries, and one of one
        part("records", {**whole, "entries_per_record": 3})
    with pytest.raises(Refused):  # no record has an entry
        part("records", {"worlds": ["a"], "records": [[]], "entries_per_record": 1})


def of_columns(columns: list[list[Any]]) -> Model:
    """The model of these columns of probabilities."""
    values = sorted({p for column in columns for p in column})
    return Model(
        {
            "worlds": [f"w{w}" for w in range(len(columns))],
            "outputs": [f"o{o}" for o in range(len(columns[0]))],
            "values": [str(value) for value in values],
            "columns": [[values.index(p) for p in column] for column in columns],
        }
    )


PRIMES = (101, 103, 107, 109, 113)
E = exponential.power(Fraction(1))
MANY: dict[str, list[list[Any]]] = {
    "more values than outputs": [[Fraction(1, n), 1 - Fraction(1, n)] for n in PRIMES],
    "few values": [[Fraction(k, 21) for k in row] for row in (range(7), (6, 0, 1, 2, 3, 4, 5))],
    "many outputs of few values": [[Fraction(1, 100)] * 50 + [Fraction(1, 50)] * 25] * 2,
    "many values": [[Fraction(k, 300 * 301 // 2) for k in range(301)]] * 2,
    "powers of e": [[1 / (1 + E), E / (1 + E)], [E / (1 + E), 1 / (1 + E)]],
    "powers of e in one": [[1 / (1 + E), E / (1 + E)], [Fraction(1, 2), Fraction(1, 2)]],
}


@pytest.mark.parametrize("name", MANY)
def test_columns_sum_to_1(name: str) -> None:
    """However they are added up, a column that is off by a hair, or by as much as another one is on
    the other side, is told by its world."""
    columns, hair = MANY[name], Fraction(1, 10**30)
    assert len(of_columns(columns).table.columns) == len(columns)
    for world, offs in ((0, (hair, 0)), (1, (0, hair)), (1, (0, -hair)), (0, (hair, -hair))):
        off = [list(column) for column in columns]
        for column, more in zip(off, offs, strict=False):
            column[-1] = column[-1] + more
        with pytest.raises(Rejected, match=f"'w{world}' does not sum to 1"):
            _ = of_columns(off).table


def test_a_number_of_the_engine_is_read_as_its_text() -> None:
    """It is a Fraction of another class, which is not trusted: the root of e, 1.6487."""
    root = number(plain(exponential.power(HALF)))
    assert type(root) is type(number("e^(1/2)")) and not isinstance(root, exponential.Exponential)
    assert not number(plain(exponential.power(HALF) / 2)) < Fraction(4, 5)
    assert number(plain(exponential.power(HALF) / 2)) < Fraction(5, 6)


@pytest.mark.parametrize("size", [128, 129, 255, 256, 257, 1000])
def test_codes_of_many_values(size: int) -> None:
    """A text has codes of a byte or of two, a list those of any values; their number is none."""
    last = min(size, 256) - 1
    texts = [b64encode(codes).decode() for codes in (bytes([0, last]), wide(0, size - 1))]
    found = [list(codes) for codes in unpacked([[0, size - 1], *texts], size, 2)]
    assert found == [[0, size - 1], [0, last], [0, size - 1]]
    assert [list(codes) for codes in unpacked([[size - 1]], size, 1)] == [[size - 1]]
    texts = [b64encode(wide(size)).decode(), b64encode(bytes([size % 256])).decode()]
    for wrong in [[size], *texts[: 1 + (size < 256)]]:
        with pytest.raises(Refused):
            list(unpacked([wrong], size, 1))
    for length in (1, 3, 5):  # neither one nor two bytes for each output
        with pytest.raises((Refused, Rejected, ValueError)):
            part("table", {**TABLE, "columns": [b64encode(bytes(length)).decode(), [1, 1]]})


def wide(*codes: int) -> bytes:
    """The codes in two bytes each, the lower one first."""
    return b"".join(code.to_bytes(2, "little") for code in codes)


def test_others_beside_one_record() -> None:
    """Two records of two values, one of them told apart; no mechanism is needed to count others."""
    records = {"records": [[0], [0], [1], [1]], "entries_per_record": 1}
    counts = {"counts": [[2, 0], [1, 1], [1, 1], [0, 2]], "entries_of_values": [[0], [1]]}
    model = Model({"worlds": ["a", "b", "c", "d"], **records, **counts})
    assert model.others == [(1, 0), (0, 1), (1, 0), (0, 1)]
