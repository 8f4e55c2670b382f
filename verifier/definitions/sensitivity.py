"""How much a query can change between worlds that a secret graph calls neighbours.

Syntax. `sensitivity: {query: EXPRESSION, graph: GRAPH, equals: NUMBER}`

Statement. f is the query, a vector of numbers, and P the policy of `blowfish`, with its neighbours.
S(f, P) = max over neighbours (w, w') of ‖f(w) − f(w')‖₁.

Beside the value: α and ξ of the policy graph, where all constraints are counts `count(p) == c`
that are sparse with respect to the graph. The bound 2·max(α, ξ) of Theorem 8.2 needs a complete
graph; for incomplete graphs it is false, so it is reported and never used.

Options. `graph`; and
- `query`: an expression, a tuple being a vector; or `histogram`, the counts of all values
- `equals`: the value that the check asserts; none by default

Leakage. None: there is no level and no mechanism; the answer is the value itself, a rational.

Example. A histogram without constraints has sensitivity 2: one record leaves a bin for another.

    worlds: {records: [ann, bob], domain: [0, 1, 2]}
    checks:
      - sensitivity: {query: histogram, equals: 2}
      - sensitivity: {query: ann + bob, graph: {distance: 1}, equals: 1}

References. He, Machanavajjhala, Ding 2014, Blowfish privacy, Definitions 5.1 and 8.1 to 8.3,
Theorem 8.2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Plain, Scalar, tree
from verifier.base.errors import HINTS, InputError
from verifier.definitions.blowfish import edges_of, neighbours_of
from verifier.questions.answer import Quantity
from verifier.questions.claim import SensitivityClaim
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world.neighbours.policy_graph import policy_graph
from verifier.world.space import is_number, show
from verifier.world.worlds import WorldSpace, evaluate

OPTIONS = ("query", "graph", "equals")
CLOSED = None  # about a query

Functions = tuple[tuple[Fraction, ...], ...]


def question(
    *,
    space: WorldSpace,
    query: Plain,
    graph: Plain = "full",
    equals: Plain | None = None,
    where: Sequence[Scalar | str] = (),
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Question:
    """What the sensitivity of a query is (He, Machanavajjhala, Ding 2014, Definition 5.1).

    space    the possible worlds
    query    an expression about the world, a tuple for a vector; or `histogram`
    graph    which values of a record are kept apart, as for `blowfish.question`
    equals   what the sensitivity is to be, if it is known
    where    the constraints that the worlds were built with, for α and ξ
    secrets  names that the query may use, each true in some worlds: arrays of shape (worlds,)

    InputError where query or graph do not go with the worlds (S603, S604).
    """
    text = tree(query).scalar("an expression or 'histogram'")
    relation = neighbours_of(space, graph)
    histogram = text.text == "histogram"
    remarks = _remarks(space, graph, where)
    claim = SensitivityClaim(
        "sensitivity",
        space,
        _histogram(space) if histogram else _components(space, text, secrets or {}),
        relation,
        None if equals is None else tree(equals).rational("the expected sensitivity"),
        scope={"pairs": relation.count(), "notes": list(relation.notes)},
        remarks=remarks,
        told=lambda value: Quantity(value, "sensitivity {}", remarks),
    )
    options = {"graph": stated(graph, names=space.value_name), "query": stated(query)}
    return Question(definition="sensitivity", claim=claim, options=options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(
        space=options.space,
        query=options.needed("query"),
        graph=options.value("graph", "full"),
        equals=options.options.get("equals"),
        where=options.model.where,
        secrets=options.model.secrets,
    )


def value(functions: Sequence[Sequence[Fraction]], pairs: Iterable[tuple[int, int]]) -> Fraction:
    """The largest ‖f(w) − f(w')‖₁, straight from the definition.

    functions  the components of f, one number per world each
    pairs      the ordered pairs (w, w') of neighbours
    """
    return max(
        (sum((abs(f[w] - f[v]) for f in functions), Fraction(0)) for w, v in pairs),
        default=Fraction(0),
    )


def _histogram(space: WorldSpace) -> Functions:
    if space.counts is not None:
        rows = space.counts[: len(space.present_value_names)].tolist()
        return tuple(tuple(map(Fraction, row)) for row in rows)
    if not space.records:
        said = "a histogram needs worlds made of records"
        raise InputError("S603", said, hint=HINTS["S502"])
    present = range(len(space.present_value_names))
    counts = [(space.record_codes == code).sum(axis=0).tolist() for code in present]
    return tuple(tuple(map(Fraction, row)) for row in counts)


def _components(space: WorldSpace, query: Scalar, secrets: Mapping[str, np.ndarray]) -> Functions:
    column = evaluate(space, query, secrets)
    used = [column.values[code] for code in np.unique(column.codes).tolist()]
    rows = [value if isinstance(value, tuple) else (value,) for value in used]
    for row in rows:
        if not row or len(row) != len(rows[0]) or not all(map(is_number, row)):
            hint = 'write a number, or a list of numbers in quotes: "(ann, 3 * bob)"'
            said = f"the query must be numbers, always as many; found {show(row)}"
            raise query.fail("S604", said, hint)
    values = column.tolist()
    if isinstance(values[0], tuple):
        return tuple(tuple(map(Fraction, component)) for component in zip(*values, strict=True))
    return (tuple(map(Fraction, values)),)


def _remarks(space: WorldSpace, graph: Plain, where: Sequence[Scalar | str]) -> dict[str, Any]:
    """α and ξ of the policy graph, where the constraints are sparse count queries."""
    worlds_of_records = space.records or space.is_histograms
    if not worlds_of_records or space.absent_code is not None:
        return {}
    edges = edges_of(space, graph)
    queries = [_count_query(space, item if isinstance(item, str) else item.text) for item in where]
    known = [query for query in queries if query is not None]
    if len(known) < len(queries) or (edges != edges[0]).any():
        return {}
    found = policy_graph(known, edges[0])
    return {} if found is None else {"alpha": found.alpha, "xi": found.xi}


def _count_query(space: WorldSpace, text: str) -> np.ndarray | None:
    """Whether each value of a record satisfies p, for a constraint `count(p) == c` in which p is
    about the counted record alone; None for any other constraint."""
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not (
        isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], ast.Eq)
    ):
        return None
    call, other = tree.left, tree.comparators[0]
    if not isinstance(call, ast.Call):
        call, other = other, call
    if not (isinstance(call, ast.Call) and isinstance(other, ast.Constant)):
        return None
    if not (isinstance(call.func, ast.Name) and call.func.id == "count" and len(call.args) == 1):
        return None
    used = {node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)}
    if used & {*space.records, "world", "count", "sum"}:
        return None
    try:
        column = evaluate(space.of_one_record(), ast.get_source_segment(text, call) or "", {})
    except InputError:
        return None
    return column.where(lambda count: count == 1)
