"""What kinds of certificates read alike: exact numbers, tables, worlds, secrets."""

import base64
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain
from math import factorial, lcm, prod
from operator import mul
from typing import Any

from .document import FUNCTIONS as FUNCTIONS
from .document import (
    MAX_DIGITS,
    TEXTS,
    Noted,
    Pair,
    fields,
    index,
    indices,
    items,
    mapping,
    named_pair,
    need,
    prove,
    spend,
    texts,
)

CODES = 2**60  # codes, and what is no place in a list, are below
FEW = 128  # values whose codes are a byte with a bit to spare
LARGE = 10**3000  # counts, and parts of ratios, are below
ZERO, ONE = Fraction(0), Fraction(1)
RATIONAL = (int, Fraction)  # other numbers are of classes of their own, which are Fractions
Secrets = dict[str, list[int]]  # name -> its worlds, ascending
Value = tuple[int, ...]  # the entries of a record
# rules of relations that have secrets
OF_SECRETS = ("secrets", "composable", "composition", "runs")


def number(value: Any) -> Fraction:
    """The exact number that `value` is: text p or p/q, or one with powers of e."""
    if isinstance(value, Fraction):  # made here: a document has texts
        return value
    need(type(value) is str and len(value) <= MAX_DIGITS, "a number is a text, not too long")
    if read := TEXTS.get():
        return read(value)
    if re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value):
        return Fraction(value)
    need("e" in value, "a number is p or p/q")
    from .numbers import NUMBERS, read_function

    return NUMBERS.quotient(*read_function(value, ()))


def by_integer(value: Any) -> dict[int, Any]:
    """The entries of `value`, an object whose keys are integers as text."""
    found = {int(number(key)): entry for key, entry in mapping(value).items()}
    need(list(map(str, found)) == list(value), "a key is no index or integer as text")
    return found


def numbers(value: Any) -> list[Fraction]:
    """`value`, a list of exact numbers; equal texts are read once."""
    if set(map(type, items(value))) != {str}:
        return list(map(number, value))
    known = {text: number(text) for text in set(value)}
    return list(map(known.__getitem__, value))


def matrix(value: Any) -> list[list[Fraction]]:
    """`value`, a list of lists of exact numbers."""
    return list(map(numbers, items(value)))


def sparse(value: Any, size: int) -> dict[int, Fraction]:
    """The numbers of `value`, pairs of a place below `size` and a number; no place stands twice."""
    found = {place: number(x) for place, x in items(value, 2)}
    need(len(indices([place for place, _ in value], size)) == len(found), "a place stands twice")
    return found


def is_distribution(found: Sequence[Fraction], size: int) -> bool:
    """Whether the numbers `found` are `size` ones >= 0 of sum 1."""
    unit, parts = in_integers(found)
    return len(parts) == size and sum(parts) == unit and all(part >= 0 for part in parts)


def distribution(value: Any, size: int, name: str = "a list") -> list[Fraction]:
    """`value`, a list of `size` numbers >= 0 of sum 1; or it is rejected by its `name`."""
    found = numbers(value)
    fits = is_distribution(found, size)
    prove(fits, f"{name} is no distribution: a number is negative, or they do not sum to 1")
    return found


def denominator(fractions: Iterable[Fraction]) -> int:
    """A common denominator of `fractions`; refused if it is too long to work with."""
    return common([value.denominator for value in fractions])


def common(terms: Sequence[int]) -> int:
    """The least common multiple of `terms`; refused if it is too long to work with."""
    found, longest = 1, max(map(int.bit_length, terms), default=0)
    for term in sorted(set(terms), reverse=True):
        spend(20 + found.bit_length() * (20 + longest) // 20_000)
        found = lcm(found, term)
    spend(len(terms) * found.bit_length() * (2_000 + longest) // 20_000)
    return found


def in_integers(fractions: Sequence[Fraction]) -> tuple[Any, list[Any]]:
    """A common denominator of `fractions`, and each of them times it: integers, unless one is
    irrational."""
    for value in fractions:
        if is_other(value):
            return value.whole(fractions)  # type: ignore[attr-defined, no-any-return]
    ratios = [value.as_integer_ratio() for value in fractions]
    unit = common([below for _, below in ratios])
    return unit, [above * (unit // below) for above, below in ratios]


def total(terms: Iterable[tuple[int, Fraction]]) -> Fraction:
    """The sum of k * value over all (k, value) of `terms`."""
    terms = list(terms)
    unit, values = in_integers([value for _, value in terms])
    found = sum(k * v for (k, _), v in zip(terms, values, strict=True))
    return ratio(found, unit)


def ratio(mass: Any, unit: Any) -> Fraction:
    """The number `mass` / `unit`."""
    if not is_other(mass, unit):
        return Fraction(mass, unit)
    found: Fraction = mass.__truediv__(unit) if is_other(mass) else unit.__rtruediv__(mass)
    return found


def is_other(*values: Any) -> bool:
    """Whether one of some `values` is a number of another kind than a Fraction or an integer."""
    return any(type(value) not in RATIONAL and isinstance(value, Fraction) for value in values)


def written(value: Any) -> Any:
    """What is equal for numbers that are written alike; of functions it decides no sign."""
    return value.written if is_other(value) else value


def size(value: Fraction) -> int:
    """How many binary digits the longer part of a number has."""
    if is_other(value):
        return value.size()  # type: ignore[attr-defined, no-any-return]
    return max(part.bit_length() for part in value.as_integer_ratio())


def grouped(keys: Iterable[Any]) -> dict[Any, list[int]]:
    """Each of some `keys`, and the places where it stands."""
    found: dict[Any, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        found[key].append(place)
    return dict(found)


Codes = bytes | tuple[int, ...]  # of one column; bytes where a model has at most `FEW` values


@dataclass(frozen=True)
class Table:
    """A likelihood matrix: output o has probability values[columns[c][o]] in column c, of a world
    or of a secret under a prior."""

    values: list[Fraction]
    columns: Sequence[Codes]

    @classmethod
    def of(cls, columns: Sequence[Sequence[Fraction]]) -> "Table":
        """The table that has these `columns` of probabilities."""
        known = {written(p): p for column in columns for p in column}
        code = {key: at for at, key in enumerate(known)}
        codes = [tuple([code[written(p)] for p in column]) for column in columns]
        return cls(list(known.values()), codes)

    @cached_property
    def whole(self) -> tuple[int, list[int]]:
        """A common denominator of the values, and each of them times it."""
        return in_integers(self.values)

    def alike(self) -> "tuple[Table, list[int]]":
        """The table of the different columns, and which one each column is."""
        known: dict[Any, int] = {}
        which = [known.setdefault(column, len(known)) for column in self.columns]
        return Table(self.values, list(known)), which

    def chances(self) -> list[list[Fraction]]:
        """For each column the probabilities of the outputs."""
        return [[self.values[code] for code in column] for column in self.columns]

    def rows(self) -> list[tuple[Fraction, ...]]:
        """For each output its probabilities in the columns."""
        return list(zip(*self.chances(), strict=True))

    def whole_columns(self) -> list[list[int]]:
        """The columns times the common denominator."""
        return list(map(list, self._whole(range(len(self.columns)))))

    def whole_rows(self) -> tuple[int, list[tuple[int, ...]]]:
        """A common denominator, and the rows times it."""
        return self.whole[0], list(zip(*self.whole_columns(), strict=True))

    def chance(self, column: int, outputs: Iterable[int]) -> Fraction:
        """The probability of some `outputs`, all different, in a `column`."""
        return total((1, self.values[self.columns[column][o]]) for o in outputs)

    def sums(self, listed: Sequence[Mapping[int, Any]]) -> list[list[Any]]:
        """For each of the weights >= 0 of columns that are `listed`, and each output, the sum of
        weight times probability, times the common denominator."""
        spend(sum(20 + len(weights) for weights in listed) * (20 + len(self.columns[0])))
        return list(map(self._sum, listed))

    def _sum(self, weights: Mapping[int, Any]) -> list[Any]:
        """The same for one of them; columns of equal weight are added up first."""
        alike: dict[Any, tuple[Any, list[int]]] = {}
        for c, weight in weights.items():
            alike.setdefault(written(weight), (weight, []))[1].append(c)
        added = (map(sum, zip(*self._whole(own), strict=True)) for _, own in alike.values())
        factors = [0, *(weight for weight, _ in alike.values())]  # there may be no columns
        rows = zip([0] * len(self.columns[0]), *added, strict=True)
        return [sum(map(mul, factors, row)) for row in rows]

    def _whole(self, chosen: Iterable[int]) -> Iterator[Iterator[Any]]:
        """The `chosen` columns times the common denominator."""
        return (map(self.whole[1].__getitem__, self.columns[c]) for c in chosen)

    def extremes(self, s: Collection[int], t: Collection[int], seen: set[Any]) -> set[Any]:
        """For each output the largest probability in the columns `s` and the least in `t`, times
        the common denominator; but for rows that were `seen` in columns as many."""
        first, chosen = (0, [*s]) if {*s} == {*t} else (len(s), [*s, *t])
        spend(len(chosen) * (20 + len(self.columns[0]) // 2))
        rows = {*zip(*map(self.columns.__getitem__, chosen), strict=True)} - seen
        seen |= rows
        parts = [list(map(self.whole[1].__getitem__, column)) for column in zip(*rows, strict=True)]
        above, below = zip(*parts[:first] or parts, strict=True), zip(*parts[first:], strict=True)
        return {*zip(map(max, above), map(min, below), strict=True)}

    def over(self, masses: Sequence[Any]) -> "Table":
        """The table of the columns, each divided by its own one of some `masses` above 0."""
        pairs = zip(self.chances(), masses, strict=True)
        return Table.of([[ratio(p, mass) for p in column] for column, mass in pairs])

    def counted(self, weights: Mapping[int, Any], counts: Mapping[int, int]) -> Fraction:
        """The probability of `counts` of outputs in as many draws from one column, itself drawn
        with these `weights`, times a number that only the counts decide."""
        known = {column[o] for column in self.columns for o in counts}
        unit = denominator(self.values[code] for code in known)
        whole_value = {code: int(self.values[code] * unit) for code in known}
        size, masses = sum(counts.values()) * unit.bit_length(), defaultdict[Any, Any](int)
        for w, weight in weights.items():
            masses[tuple([self.columns[w][o] for o in counts])] += weight
        spend((1 + len(masses)) * (20 * len(counts) + size * size // 50_000))
        likely = (
            mass
            * prod(whole_value[code] ** k for code, k in zip(seen, counts.values(), strict=True))
            for seen, mass in masses.items()
        )
        return ratio(sum(likely), sum(masses.values()))


class Model:
    """The parts of a model, each of which is read where it is asked for, and once."""

    def __init__(self, parts: Any) -> None:
        """A model of these `parts`, an object."""
        self.parts = Noted(parts)

    @cached_property
    def size(self) -> int:
        """The number of worlds."""
        return texts(self.parts["worlds"])

    @cached_property
    def table(self) -> Table:
        """The likelihood matrix, whose columns sum to 1."""
        table = self._table("columns")
        wrong = _wrong(dict.fromkeys(table.columns), table)
        for world, column in zip(self.parts["worlds"], table.columns, strict=True):
            prove(column != wrong, f"the column of {world!r:.100} does not sum to 1")
        return table

    def _table(self, key: str) -> Table:
        """The columns under a `key`, of values >= 0 in any order."""
        values, outputs = numbers(self.parts["values"]), texts(self.parts["outputs"])
        need(all(value >= 0 for value in values), "a number is negative")
        known: dict[Codes, Codes] = {}  # equal columns are one object
        codes = unpacked(items(self.parts[key]), len(values), outputs)
        table = Table(values, [known.setdefault(c, c) for c in codes])
        need(set(map(len, known)) == {outputs}, "a column has one code per output")
        return table

    @cached_property
    def ends(self) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
        """For each world the upper ends of all probabilities, and the lower ones; rational."""
        upper, lower = self._table("upper"), self._table("lower")
        need({*map(type, upper.values)} == {Fraction}, "ends are rational")
        need(len(upper.columns) == len(lower.columns) == self.size, "there are ends of each world")
        return upper.chances(), lower.chances()

    @cached_property
    def given(self) -> list[Table]:
        """The likelihood matrices of other mechanisms, at least one."""
        given, worlds = items(self.parts["given"]), self.parts["worlds"]
        texts([fields(part, "name outputs values columns")[0] for part in given])
        return [Model({**part, "worlds": worlds}).table for part in given]

    @property
    def is_histograms(self) -> bool:
        """Whether worlds are histograms of records that are not told apart."""
        return "counts" in self.parts and "records" not in self.parts

    @property
    def is_of_one(self) -> bool:
        """Whether worlds are those of one record among others that are not told apart."""
        return "counts" in self.parts and "records" in self.parts

    @cached_property
    def counts(self) -> list[list[int]]:
        """The counts of each world, all those of one number of records, at least 1."""
        values, rows = self._rows("counts", 0, same=self.is_of_one)
        (records,) = set(map(sum, rows))
        need(values and records, "there are values and records")
        return rows

    @cached_property
    def others(self) -> list[tuple[int, ...]]:
        """The counts of the others in each world of one record.

        Every histogram stands there with each value that it has, and with the same column."""
        code = {entries: v for v, entries in enumerate(self.entries_of_values)}
        own = [code[entries] for (entries,) in self.records]
        stated: list[Sequence[Any]] = [self.table.columns] if "columns" in self.parts else []
        stated += self.ends if "lower" in self.parts else ()
        for key, worlds in grouped(map(tuple, self.counts)).items():
            having = [v for v, count in enumerate(key) if count]
            prove(sorted(own[w] for w in worlds) == having, "a world of one record is missing")
            alike = all(columns[w] == columns[worlds[0]] for columns in stated for w in worlds)
            prove(alike, "the mechanism tells records apart that are not told apart")
        pairs = zip(own, self.counts, strict=True)
        return [tuple([n - (u == v) for u, n in enumerate(row)]) for v, row in pairs]

    @cached_property
    def ways(self) -> list[int]:
        """How many lists of records each world stands for."""
        if "counts" not in self.parts:
            return [1] * self.size
        rows = self.others if self.is_of_one else self.counts
        spend(sum(rows[0]) ** 2 * len(rows))
        return [factorial(sum(row)) // prod(map(factorial, row)) for row in rows]

    @cached_property
    def entries_of_values(self) -> list[Value]:
        """The entries of each value that is counted, all -1 where it is that of absent records."""
        rows = items(self.parts["entries_of_values"])
        (width,) = {len(indices(row, CODES, -1)) for row in rows}
        whole = all(-1 not in row or set(row) == {-1} for row in rows)
        need(width and whole, "an absent record is -1 throughout")
        different = len(set(map(tuple, rows))) == len(rows) == len(self.counts[0])
        need(different, "every value that is counted has its own entries")
        return list(map(tuple, rows))

    @property
    def absent_value(self) -> int | None:
        """The place of the value of absent records, if there is one."""
        return next((v for v, row in enumerate(self.entries_of_values) if -1 in row), None)

    @cached_property
    def places(self) -> list[tuple[Value, ...]]:
        """The entries of each record in each world; all are -1 where it is absent."""
        cells, rows = self._rows("records", -1, same=self.is_of_one)
        width = self.parts["entries_per_record"]
        need(index(width, cells + 1, low=1) and cells % width == 0, "entries_per_record")
        need(not self.is_of_one or cells == width, "there is one record")
        entries = list(zip(*rows, strict=True))
        split = [_together(entries[k : k + width]) for k in range(0, cells, width)]
        complete = all(-1 not in x or set(x) == {-1} for place in split for x in set(place))
        need(complete, "an absent record is -1 throughout")
        return split

    @property
    def entries(self) -> list[tuple[Value, ...]]:
        """The same for each entry of each record, as if it were a record."""
        return [_together([e]) for place in self.places for e in zip(*place, strict=True)]

    @cached_property
    def records(self) -> list[tuple[Value, ...]]:
        """The records of each world."""
        return list(zip(*self.places, strict=True))

    def _rows(self, key: str, low: int, same: bool = False) -> tuple[int, list[Any]]:
        """A list of integers from `low` on for each world, and how long they are; all different,
        or some the `same`."""
        rows = self.parts[key]
        (width,) = set(map(len, items(rows)))
        need(set(map(type, rows)) == {list}, "a list of lists is needed")
        indices(list(chain.from_iterable(rows)), CODES, low)
        need(len(rows) == self.size, "there is one list for each world")
        need(same or len(set(map(tuple, rows))) == self.size, "worlds are different")
        return width, rows


def _together(columns: Sequence[tuple[int, ...]]) -> tuple[Value, ...]:
    """The rows of some `columns`; those of a single one that are equal are one object."""
    if len(columns) > 1:
        return tuple(zip(*columns, strict=True))
    known = {entry: (entry,) for entry in set(columns[0])}
    return tuple(map(known.__getitem__, columns[0]))


def _wrong(columns: Iterable[Codes], table: Table) -> Codes | None:
    """The first of some `columns` of a `table` whose values do not sum to 1, if there is one. Of
    one that is like the one before only what differs is added up, if it is rational."""
    add: Callable[..., Fraction] = total
    if is_other(*table.values):
        from .numbers import added as add
    before = Counter[int]()
    for column in columns:
        counts = Counter(column)
        terms = {c: n - before[c] for c, n in counts.items() if before.get(c) != n}
        terms |= {c: -n for c, n in before.items() if c not in counts}
        near = before and (not terms or (add is total and len(terms) < len(counts)))
        listed = [(n, table.values[c]) for c, n in (terms if near else counts).items()]
        if add(listed) != (0 if near else 1):
            return column
        before = counts
    return None


def unpacked(columns: list[Any], size: int, outputs: int) -> Iterable[Codes]:
    """The codes below `size` of `columns`, each a list, or one base64 text of a byte, or of two,
    for each of so many `outputs`."""
    kind = bytes if size <= FEW else tuple
    if set(map(type, columns)) == {list}:
        indices(list(chain.from_iterable(columns)), size)
        return map(kind, columns)

    @cache
    def decoded(text: str) -> Codes:
        codes = base64.b64decode(text, validate=True)
        need(base64.b64encode(codes).decode() == text, "base64 in another form")
        wide = len(codes) == 2 * outputs
        found = kind(struct.unpack(f"<{outputs}H", codes) if wide else codes)
        need(max(found) < size, f"not all in [0, {size})")
        return found

    return (decoded(c) if type(c) is str else kind(indices(c, size)) for c in columns)


@dataclass(frozen=True)
class Case:
    """What is claimed of a relation between the worlds of a model, and the witness of it."""

    claim: Any
    model: Model
    relation: Any
    witness: Any


def check_parts(model: Model) -> None:
    """Refuse worlds of a `model` that are none, also where no rule asks for them.

    What is said with `reals` of rows that are cut, or shares, is left to a rule that knows it."""
    stated = set(model.parts)
    need(model.size, "there are worlds")
    need(not stated & {"records", "entries_per_record"} or model.places, "there are records")
    need("counts" not in stated or model.counts, "there are counts")
    need("entries_of_values" not in stated or model.entries_of_values, "there are values")
    need(not model.is_of_one or model.others, "there are others")
    need(model.parts.get("reals") not in ("cone", "pairs") or model.parts["reals"], "rows of reals")


def secrets(relation: Any, model: Model) -> tuple[Secrets, list[Pair]]:
    """The worlds of a `model` in each secret of a `relation`, and its pairs in both orders."""
    rule, listed, _, _ = fields(relation, "rule secrets pairs priors")
    need(type(rule) is str and rule in OF_SECRETS, f"the rule is one of {OF_SECRETS}")
    both = pairs(relation)
    sets = {name: set(indices(worlds, model.size)) for name, worlds in mapping(listed).items()}
    spend(10 * sum(min(len(sets[s]), len(sets[t])) for s, t in both))
    prove(all(sets[s].isdisjoint(sets[t]) for s, t in both), "two secrets overlap")
    return {name: sorted(worlds) for name, worlds in sets.items()}, both


def pairs(relation: Any) -> list[Pair]:
    """The pairs of names of secrets of a `relation`, in both orders."""
    listed = [named_pair(names) for names in items(relation["pairs"])]
    return [both for s, t in listed for both in ((s, t), (t, s))]


def weights(priors: Any, size: int, classes: Collection[str] = ("list",)) -> list[list[Fraction]]:
    """The weights of `size` worlds under each of given `priors`, of one of some `classes`."""
    kind, listed = fields(priors, "class priors")
    need(kind in classes, "no such class of priors")
    return [distribution(row, size, f"prior {k}") for k, row in enumerate(items(listed))]


def conditionals(priors: Any, secrets: Secrets, size: int) -> list[dict[str, list[Fraction]]]:
    """The weights of `size` worlds that go with each of the `secrets` under each of given `priors`.

    Of class conditionals each has its own for some secrets, concentrated on them.
    """
    if priors["class"] != "conditionals":
        return [dict.fromkeys(secrets, row) for row in weights(priors, size, ("list", "hull"))]
    found = [
        {name: distribution(row, size, f"prior {k}") for name, row in mapping(prior).items()}
        for k, prior in enumerate(items(fields(priors, "class priors")[1]))
    ]
    inside = (sum(map(row.__getitem__, secrets[s])) == 1 for p in found for s, row in p.items())
    prove(all(inside), "mass outside a secret")
    return found


def beliefs(
    priors: Any, secrets: Secrets, size: int, cost: int = 0
) -> list[dict[str, dict[int, int]]]:
    """For each of given `priors`, and each of the `secrets` that it allows, integers in the
    proportions of P(world | secret), for `size` worlds. Each world takes `cost` steps afterwards.
    """
    found: list[dict[str, dict[int, int]]] = []
    for prior in conditionals(priors, secrets, size):
        found.append({})
        rows = {id(row): row for row in prior.values()}  # one may be that of many secrets
        parts = {key: in_integers(row)[1] for key, row in rows.items()}
        for name, row in prior.items():
            own = parts[id(row)]
            weights = {w: own[w] for w in secrets[name] if own[w]}
            spend(len(secrets[name]) + cost * len(weights))
            if weights:
                found[-1][name] = weights
    return found
