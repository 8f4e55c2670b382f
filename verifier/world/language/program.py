"""Programs: the exact likelihoods of their outputs, for all worlds at once."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Scalar
from verifier.base.errors import LimitReached
from verifier.world.language import front as fronts
from verifier.world.language import operations, slips
from verifier.world.language.front import Front
from verifier.world.language.inputs import Classes, Collector
from verifier.world.language.reader import Scope
from verifier.world.language.run import OUTPUT, Run
from verifier.world.language.slips import tell_of_outputs
from verifier.world.language.statements import read_program, with_terms
from verifier.world.language.states import Setting
from verifier.world.language.syntax import Apply, At, Source, Term, Tree, parse, rebuild
from verifier.world.mechanism import Column, Mechanism, combinations, intern
from verifier.world.space import WorldSpace, labels, order_key

MAX_ENTRIES = 400_000_000
SHORT_WORK = 10_000_000  # as MAX_WORK counts


def run_program(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray] | None = None,
    wider: bool = False,
) -> Mechanism:
    """The exact likelihoods of a program's outputs in every world.

    With `wider`, all noise is clamped to about twice its range, and no long work is done.

    Outputs are sorted: numbers ascending, then truths, words, worlds, lists element by element.

    Raises InputError S301 to S314 at the place in the text, naming a world and the state where a
    step fails, and LimitReached when there are too many states, steps or outputs.
    """
    scope = Scope(space, secrets or {})
    program, tree = read_program(source, scope)
    slips.check_program(program, tree, scope)
    if wider:
        program = with_terms(program, _widened)
    collector = Collector(space, tree, secrets or {})
    program = with_terms(program, collector.term)
    classes = Classes.of(collector.columns, space.size)
    setting = Setting(space, tree, classes, collector.records)
    returned = Run.of(program, setting, SHORT_WORK if wider else None)
    return _likelihoods(fronts.unite(returned, classes), classes, tree)


def clamps(source: Scalar) -> list[At]:
    """Where a program draws clamped noise."""
    tree = parse(Source.of(source), "exec")
    return [
        tree.at(node)
        for node in ast.walk(tree.root)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "geometric"
    ]


def _widened(term: Term) -> Term:
    """The term with noise clamped to about twice its range."""
    if isinstance(term, Apply) and term.operation is operations.geometric:
        term = replace(term, operation=operations.geometric_wider)
    return rebuild(term, _widened)


def _likelihoods(front: Front, classes: Classes, tree: Tree) -> Mechanism:
    """The likelihoods of what was returned: one variable, OUTPUT."""
    given = front.values[OUTPUT]
    column = given if isinstance(given, Column) else Column((given,), np.zeros(front.size, int))
    outputs = sorted({column.values[code] for code in np.unique(column.codes)}, key=order_key)
    tell_of_outputs(outputs, tree.source)
    rank = {value: place for place, value in enumerate(outputs)}
    rows = np.array([rank.get(value, 0) for value in column.values])[column.codes]
    worlds = len(classes.of_world)
    if len(outputs) * worlds > MAX_ENTRIES:
        raise LimitReached(f"{len(outputs)} outputs in {worlds} worlds are too many probabilities")
    (place, block), group = combinations(
        [(len(outputs), rows), (front.partition.size, front.block)]
    )
    found: Any
    found, codes = intern(fronts.total(front.weight, group, len(place)).tolist())
    kind = np.min_scalar_type(len(found))
    matrix = np.zeros((len(outputs), front.partition.size), dtype=kind)
    matrix[place, block] = codes.astype(kind) + kind.type(1)
    values = [Fraction(numerator, front.denominator) for numerator in (0, *found)]
    by_block = Mechanism.of(labels(outputs), values, matrix)
    return replace(by_block, codes=by_block.codes[:, front.partition.block[classes.of_world]])
