"""Distributions of records, as a file has them: of one, and of those that depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from verifier.base import exact
from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import LimitReached, choice
from verifier.base.rational_function import RationalFunction
from verifier.world.network import Network
from verifier.world.worlds import WorldSpace

ZERO, ONE = Fraction(0), Fraction(1)
MAX_STATES = 300


def distribution(node: Node, space: WorldSpace) -> list[Fraction]:
    """The distribution {value: p} of a `node` over the values of a record of `space`, by code."""
    row = [ZERO] * len(space.record_values)
    for code, value in by_code(node, space, "probabilities"):
        row[code] = probability(value)
    check_total(node, row)
    return row


def by_code(node: Node, space: WorldSpace, what: str) -> Iterator[tuple[int, Node]]:
    """The entries of a `node`, a mapping from values of a record of `space`; `what` names it in
    errors."""
    seen: set[int] = set()
    for key, value in node.mapping(what=f"a mapping from values to {what}").entries:
        code = _value_code(key, space)
        if code in seen:
            said = f"the value '{space.value_names[code]}' is given twice"
            raise key.fail("S504", said, "leave one of the two out")
        seen.add(code)
        yield code, value


def probability(node: Node) -> Fraction:
    """A number in [0, 1], which a `node` is."""
    value = node.number("a probability")
    if not 0 <= value <= 1:
        said = f"the probability {value} is not in [0, 1]"
        raise node.fail("S504", said, exact.share(value))
    return value


def _value_code(key: Scalar, space: WorldSpace) -> int:
    code = space.value_code(key.text)
    if code is None:
        names = space.value_names
        hint = choice(key.text, names, "values")
        raise key.fail("S504", f"'{key.text}' is not a value of a record", hint)
    return code


def check_total(node: Node, weights: Sequence[Fraction]) -> None:
    """S504 where the `weights` that a `node` gives do not sum to 1."""
    total = exact.total(weights)
    if total != 1:
        said = f"the probabilities sum to {total}, must be 1 (off by {abs(total - 1)})"
        raise node.fail("S504", said, exact.completed(weights))


def read_chain(node: Node, space: WorldSpace) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The distribution of the first record, and of the next for each value; of zeros where no value
    that is reached has it.

    node   the options of a prior `markov`
    space  the worlds, or what they are made of
    """
    chain = node.mapping(("initial", "transition"), needs="initial transition")
    if len(space.record_values) > MAX_STATES:
        raise LimitReached(f"Markov chains have at most {MAX_STATES} values in this version")
    table = chain["transition"]
    rows: list[list[Fraction] | None] = [None] * len(space.record_values)
    for code, value in by_code(table, space, "distributions"):
        rows[code] = distribution(value, space)
    start = chain["initial"]
    known = [row if row is not None else [ZERO] * len(rows) for row in rows]
    if isinstance(start, Scalar):
        start.word(("stationary",), "initial distribution", "S501")
        first = stationary(start, known, space.value_names)
    else:
        first = distribution(start, space)
    reached = {code for code, p in enumerate(first) if p}
    reached |= {code for row in known for code, p in enumerate(row) if p}
    for code in reached if len(space.records) > 1 else ():
        if rows[code] is None:
            name = space.value_names[code]
            hint = f"add {name}: {{{name}: 1}}, or other probabilities"
            raise table.fail("S502", f"the value '{name}' has no transition probabilities", hint)
    return first, known


def stationary(node: Node, rows: list[list[Fraction]], names: Sequence[str]) -> list[Fraction]:
    """The stationary distribution of a transition matrix, on the values it can reach.

    node   where it is asked for
    rows   the matrix, with rows of zeros for values that are not reached
    names  of the values
    """
    live = [code for code, row in enumerate(rows) if any(row)]
    if not live:
        said = "a stationary distribution needs transition probabilities"
        raise node.fail("S502", said, "write a distribution such as {0: 1/2, 1: 1/2}")
    for code in live:
        if sum(rows[code]) != 1 or any(p and to not in live for to, p in enumerate(rows[code])):
            said = "every value that is reached needs transition probabilities"
            hint = f"write under `transition` a row for each of: {', '.join(names[:20])}"
            raise node.fail("S502", said, hint)
    size = len(live)
    system = [[rows[a][b] - (a == b) for a in live] for b in live]
    system[-1] = [ONE] * size
    is_symbolic = any(isinstance(x, RationalFunction) for row in system for x in row)
    try:
        found = _eliminated(system) if is_symbolic else _solved(system)
    except ZeroDivisionError:
        said = "the chain has more than one stationary distribution"
        hint = f"write one, such as {{{names[live[0]]}: 1}}"
        raise node.fail("S502", said, hint) from None
    first = [ZERO] * len(rows)
    for at, code in enumerate(live):
        first[code] = found[at]
    return first


def _solved(system: list[list[Fraction]]) -> list[Fraction]:
    """What a square system gives, with 1 on the right of its last equation and 0 of the others;
    ZeroDivisionError where that is not unique."""
    from flint import fmpq, fmpq_mat

    size = len(system)
    matrix = fmpq_mat(size, size, [fmpq(x.numerator, x.denominator) for r in system for x in r])
    found = matrix.solve(fmpq_mat(size, 1, [fmpq(int(at == size - 1)) for at in range(size)]))
    return [Fraction(int(found[at, 0].p), int(found[at, 0].q)) for at in range(size)]


def _eliminated(system: list[list[Fraction]]) -> list[Fraction]:
    """The same for functions of a parameter, by elimination."""
    rows = [[*row, ZERO] for row in system]
    rows[-1][-1] = ONE
    for at in range(len(rows)):
        pivot = next((k for k in range(at, len(rows)) if rows[k][at]), None)
        if pivot is None:
            raise ZeroDivisionError
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [x / rows[at][at] for x in rows[at]]
        for k, row in enumerate(rows):
            if k != at and row[at]:
                rows[k] = [x - row[at] * y for x, y in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


def read_tree(node: Node, space: WorldSpace) -> Network:
    """The tree of a prior `tree`; what no parent can be is followed by itself.

    node   the options of a prior `tree`
    space  the worlds, or what they are made of
    """
    options = node.mapping(("parents", "initial", "transition", "transitions"), what="a tree")
    options.mapping(needs="parents initial")
    if len(space.record_values) > MAX_STATES:
        raise LimitReached(f"trees have at most {MAX_STATES} values in this version")
    parents = _parents(options["parents"], space)
    tables, chosen = _tables(options, parents, space)
    start = options["initial"]
    if isinstance(start, Scalar):
        start.word(("stationary",), "initial distribution", "S501")
        first = stationary(start, tables[0] if options.get("transition") else [], space.value_names)
    else:
        first = distribution(start, space)
    every = tuple(
        tuple(
            tuple(row) if any(row) else tuple(Fraction(int(a == b)) for b in range(len(row)))
            for a, row in enumerate(rows)
        )
        for rows in tables
    )
    tree = Network(tuple(first), parents, every, chosen)
    if len(tree.order) < len(parents):
        least = next(i for i in range(len(parents)) if i not in {*tree.order})
        said = f"the record '{space.records[least]}' is among its own ancestors, or below such"
        raise options["parents"].fail("S502", said, "leave out the parent of one of them")
    _check_rows(options, tree, tables, space)
    return tree


def _parents(node: Node, space: WorldSpace) -> tuple[int, ...]:
    """For each record the number of its parent, or -1."""
    number = {name: at for at, name in enumerate(space.records)}
    found = [-1] * len(number)
    for key, value in node.mapping(what="a mapping from records to their parents").entries:
        parent = value.scalar("the name of a record")
        for name in (key, parent):
            if name.text not in number:
                raise name.fail(
                    "S502", f"no record is named '{name.text}'", choice(name.text, number)
                )
        found[number[key.text]] = number[parent.text]
    return tuple(found)


def _tables(
    options: Mapping, parents: Sequence[int], space: WorldSpace
) -> tuple[list[list[list[Fraction]]], tuple[int, ...]]:
    """Distinct matrices, that of all records first, with rows of zeros; and which record has
    which."""
    common, own = options.get("transition"), options.get("transitions")
    tables = [] if common is None else [_table(common, space)]
    chosen = [0 if tables and parent >= 0 else -1 for parent in parents]
    for key, node in (
        own.mapping(what="a mapping from records to transitions").entries if own else ()
    ):
        if key.text not in space.records:
            hint = choice(key.text, space.records)
            raise key.fail("S502", f"no record is named '{key.text}'", hint)
        record = space.records.index(key.text)
        if parents[record] < 0:
            said = f"the record '{key.text}' has no parent that it could depend on"
            raise key.fail("S502", said, "name one under `parents`, or leave it out")
        if (table := _table(node, space)) not in tables:
            tables.append(table)
        chosen[record] = tables.index(table)
    for record, parent in enumerate(parents):
        if parent >= 0 and chosen[record] < 0:
            said = f"the record '{space.records[record]}' has no transition probabilities"
            hint = "write `transition`, for all records, or its own under `transitions`"
            raise options.fail("S502", said, hint)
    return tables, tuple(chosen)


def _table(node: Node, space: WorldSpace) -> list[list[Fraction]]:
    """A matrix of transitions; a row of zeros where a value has none."""
    rows = [[ZERO] * len(space.record_values) for _ in space.record_values]
    for code, value in by_code(node, space, "distributions"):
        rows[code] = distribution(value, space)
    return rows


def _check_rows(
    options: Mapping, tree: Network, tables: Sequence[list[list[Fraction]]], space: WorldSpace
) -> None:
    """S502 where a parent may have a value without transition probabilities."""
    possible = {-1: {code for code, p in enumerate(tree.initial) if p}}
    for record in tree.order:
        before = possible[tree.parents[record]]
        if tree.parents[record] < 0:
            possible[record] = before
            continue
        rows = tables[tree.chosen[record]]
        lacking = next((code for code in sorted(before) if not any(rows[code])), None)
        if lacking is not None:
            name = space.value_names[lacking]
            said = f"the value '{name}' has no transition probabilities"
            said += f", and the parent of '{space.records[record]}' may have it"
            raise options.fail("S502", said, f"add {name}: {{{name}: 1}}, or other probabilities")
        possible[record] = {to for code in before for to, p in enumerate(rows[code]) if p}
