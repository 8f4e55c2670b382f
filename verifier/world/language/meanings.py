"""What each operation of the language means: in one row its word, what it takes, and its meanings.

Three programs read a text. One evaluates it over worlds, by the meaning of single values
(`operations`). One asks what each part may be before any world is enumerated (`possible`). And one
goes through programs with draws that nobody has looked at (`unclamped`). A new operation is a row
of this table.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from verifier.base.nouns import Later, dataclass
from verifier.noise.draws import Path
from verifier.world.language import operations as one
from verifier.world.language import possible as may
from verifier.world.language import unclamped as free
from verifier.world.language.syntax import OUTER, STORED, WHOLE
from verifier.world.space import Failure, truth

MANY = 1000  # arguments


class Meaning(NamedTuple):
    """The row of an operation.

    word        its name, or its sign as a class of `ast`; None where no text names it
    concrete    of single values; in a term it stands for the operation
    abstract    what it may give of what its values may be
    drawn       of draws that nobody has looked at: a function of what the path knows and of the
                values; None where these are refused. A comparison is strict or not, and may turn
                its sides
    takes       the least and the greatest number of arguments of a function
    depth       how much it looks at
    parameters  of a distribution, which may be given by keyword
    """

    word: str | type[ast.AST] | None
    concrete: Callable[..., Any]
    abstract: may.Abstract
    drawn: Callable[..., Any] | None = None
    takes: tuple[int, int] = (1, 1)
    depth: int = OUTER
    parameters: str = ""


_ROWS = (
    Meaning(ast.Add, one.add, may.add, free.add),
    Meaning(ast.Sub, one.subtract, may.any_number, free.subtract),
    Meaning(ast.Mult, one.multiply, may.multiply, free.multiply),
    Meaning(ast.Div, one.divide, partial(may.folded, one.divide), free.divide),
    Meaning(ast.FloorDiv, one.floor_divide, may.any_number, free.floor_divide),
    Meaning(ast.Mod, one.modulo, may.any_number),
    Meaning(ast.Pow, one.power, may.any_number),
    Meaning(ast.USub, one.negate, partial(may.folded, one.negate), free.negate),
    Meaning(ast.UAdd, one.plus, partial(may.folded, one.plus), partial(free.stores, one.plus)),
    Meaning(ast.Not, one.negation, may.any_truth),
    Meaning(ast.Eq, one.equal, may.any_truth, free.equal),
    Meaning(ast.NotEq, one.different, may.any_truth, free.different),
    Meaning(ast.Lt, one.less, may.any_truth, partial(free.compare, True, True)),
    Meaning(ast.LtE, one.at_most, may.any_truth, partial(free.compare, False, True)),
    Meaning(ast.Gt, one.greater, may.any_truth, partial(free.compare, True, False)),
    Meaning(ast.GtE, one.at_least, may.any_truth, partial(free.compare, False, False)),
    Meaning(ast.In, one.member, may.any_truth, partial(free.member, one.member)),
    Meaning(ast.NotIn, one.not_member, may.any_truth, partial(free.member, one.not_member)),
    Meaning("len", one.length, may.any_number, partial(free.stores, one.length)),
    Meaning("min", one.minimum, may.any_number, free.minimum, (1, MANY), WHOLE),
    Meaning("max", one.maximum, may.any_number, free.maximum, (1, MANY), WHOLE),
    Meaning("abs", one.absolute, may.any_number, free.absolute),
    Meaning("exp", one.exponential, may.any_number),
    Meaning("sqrt", one.square_root, may.any_number),
    Meaning("xor", one.xor, may.xor, None, (1, MANY), WHOLE),
    Meaning("hamming", one.hamming, may.any_number, None, (2, 2), WHOLE),
    Meaning("range", one.range_of, may.numbers, free.range_of, (1, 3)),
    Meaning("argmax", one.argmax, may.any_number, free.argmax, (1, MANY), WHOLE),
    Meaning("sorted", one.sorted_of, may.anything, free.sorted_of, depth=WHOLE),
    Meaning("floor", one.floor_of, may.any_number, free.floor_of),
    Meaning("round", one.round_of, may.any_number, free.round_of),
    Meaning(None, one.display, may.display, partial(free.stores, one.display), depth=STORED),
    Meaning(None, one.append, may.append, partial(free.stores, one.append)),
    Meaning(None, one.key, may.same, free.key, depth=WHOLE),
    Meaning(None, one.index, may.index, partial(free.stores, one.index)),
    Meaning(None, one.put, may.put, partial(free.stores, one.put)),
    Meaning(None, one.unpacked, may.unpacked, partial(free.stores, one.unpacked)),
    Meaning(None, one.dictionary, may.dictionary, partial(free.stores, one.dictionary)),
    Meaning(None, one.get, may.get, partial(free.stores, one.get)),
    Meaning(None, one.keys_of, may.anything, partial(free.stores, one.keys_of)),
    Meaning(None, one.values_of, may.anything, partial(free.stores, one.values_of)),
    Meaning(None, one.items_of, may.anything, partial(free.stores, one.items_of)),
    Meaning(None, one.rounds, may.anything, partial(free.stores, one.rounds)),
    Meaning(None, one.present, may.any_truth),
    Meaning(None, one.as_count, may.any_number),
    Meaning(None, one.as_term, may.any_number, partial(free.stores, one.as_term)),
    Meaning(None, one.count_list, may.any_number),
    Meaning(None, one.count_over, may.any_number),
    Meaning(None, one.sum_list, may.any_number, free.sum_list),
    Meaning(None, one.sum_over, may.any_number, free.sum_list),
    Meaning(None, one.table, may.table, partial(free.stores, one.table)),
    Meaning(None, one.need_output, may.anything, partial(free.stores, one.need_output)),
    Meaning(None, free.released, may.anything, free.look_at),
    Meaning("uniform", one.uniform, may.uniform, parameters="a b"),
    Meaning("bernoulli", one.bernoulli, may.bits, parameters="p"),
    Meaning("binomial", one.binomial, may.binomial, parameters="n p"),
    Meaning("geometric", one.geometric, may.drawn_numbers, parameters="center ratio low high"),
    Meaning("geometric", free.geometric, may.drawn_numbers, parameters="center ratio"),
    Meaning("geometric", free.geometric_epsilon, may.drawn_numbers, parameters="center epsilon"),
    Meaning("laplace", free.laplace, may.drawn_numbers, parameters="center scale"),
    Meaning("normal", free.normal, may.drawn_numbers, parameters="center scale"),
    Meaning("normal", free.normal_variance, may.drawn_numbers, parameters="center variance"),
    Meaning("exponential", free.exponential, may.drawn_numbers, parameters="scale"),
    Meaning("interval", free.interval, may.drawn_numbers, parameters="a b"),
)
MEANINGS = {row.concrete: row for row in _ROWS}
SIGNS = {row.word: row.concrete for row in _ROWS if isinstance(row.word, type)}
_NAMED = [(row.word, row) for row in _ROWS if isinstance(row.word, str)]
FUNCTIONS = {word: row for word, row in _NAMED if not row.parameters}
DISTRIBUTIONS = {  # name -> its forms
    name: [row for word, row in _NAMED if word == name]
    for name in dict.fromkeys(word for word, row in _NAMED if row.parameters)
}


@dataclass(frozen=True, eq=False)
class Asking(Later):
    """An operation whose first argument is what the path knows; it may give `Alternatives`."""

    operation: Callable[..., Any]

    def __call__(self, path: Path, *values: Any) -> Any:
        try:
            return _value(self.operation, path, *values)
        except free.Asked as asked:
            return asked.alternatives


def _value(operation: Callable[..., Any], path: Path, *values: Any) -> Any:
    """What an `operation` gives; raises `Asked` where the path does not tell."""
    if not any(map(free.has_draw, values)):
        return operation(*values)
    if isinstance(operation, one.Chain):
        pairs = zip(operation.tests, values, values[1:], strict=False)
        return truth(all(_value(test, path, a, b) for test, a, b in pairs))
    rule = MEANINGS[operation].drawn if operation in MEANINGS else None
    if rule is None:
        raise Failure("S315", f"{_name(operation)} would look at a draw that is not clamped")
    return rule(path, *values)


def _name(operation: Callable[..., Any]) -> str:
    if isinstance(operation, partial):
        return str(operation.keywords["where"])  # of `need_truth`: such as "if"
    return getattr(operation, "__name__", "this").strip("_").replace("_", " ")
