"""Certificates of kind "parameters": a comparison holds for all values of several parameters, or
some values violate it.

Probabilities, priors and the level are quotients of polynomials of the parameters, whose values lie
in intervals, and where polynomials are > 0 or >= 0. Each cell of this domain, on which a parameter
is at an end or between both, has a model of its own. Values that violate are put into all numbers,
which gives a question of kind "comparison", or of another kind that the relation names. That all
hold is one sign of a polynomial for each two numbers that are compared, derived from the model
again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import reading as read
from .cells import GIVEN, ComparisonCell, DivergenceCell, Domain, Sides
from .comparison import check_comparison
from .multivariate import Place, read_polynomial, read_quotient, read_terms, value
from .pieces import APART, ASKED, SAID
from .question import PIECEWISE
from .reading import COMMON, VALUES, Budget, Case, Model, need, prove

MOST = 8  # parameters
Rule = Callable[[Any, Any, Any, Any], Any]  # of a claim, the parts of a model, relation, evidence


def check_parameters(case: Case, follow: Rule) -> bool:
    """Whether what is asked in a `case` holds for all values of the parameters; else raise, or
    false where values are shown to violate it. What is asked of another kind is refuted by its rule
    that is to `follow`."""
    if "kind" in case.relation:
        return _of_kind(case, follow)
    rule, names, ends, where, listed = read.fields(
        case.relation, "rule parameters domain where cells"
    )
    need(rule == "parameters", "the rule is parameters")
    domain = _domain(names, ends, where)
    cells, models = list(domain.cells()), read.items(case.model.parts["cells"])
    need(len(cells) == len(models) == len(read.items(listed)), "a model for each cell")
    if "point" in case.witness:
        return _violated(case, domain, cells)
    return _proved(case, domain, models, listed, ComparisonCell)


def _proved(
    case: Case, domain: Domain, models: Any, listed: Any, kind: type[ComparisonCell]
) -> bool:
    """True, where each cell, of a `kind`, is proved; else raise."""
    budget, compared, cells = Budget(), False, list(domain.cells())
    proofs = read.items(read.fields(case.witness, "cells")[0])
    for sides, part, relation, proof in zip(cells, models, listed, proofs, strict=True):
        place = _place(domain, sides, proof, budget)
        if part is None:
            need(relation is None and not place.sample, "no relation and sample without a model")
            place.need_sign({(0,) * len(domain.names): -1}, "a cell without a model: 1")
        else:
            cell = kind(case, domain, place, part, relation)
            cell.hold()
            compared = compared or cell.compared
        need(place.asked >= place.trees.keys(), "a proof of what nothing asks for")
    keys = f"{COMMON} level" if compared else f"{COMMON} level leakage"
    read.fields(case.claim, keys)
    said = compared or repr(case.claim["leakage"]) == "{'vacuous': True}"
    prove(said, "nothing is compared, which is to be said")
    return True


def _of_kind(case: Case, follow: Rule) -> bool:
    """Whether what is asked of another kind holds: false, where its rule shows at a point that it
    does not; true for divergences that are proved on each cell."""
    keys = "rule kind parameters domain where cells"
    rule, kind, names, ends, where, listed = read.fields(case.relation, keys)
    need(rule == "parameters" and kind in PIECEWISE, "the rule is parameters, of such a kind")
    domain, parts = _domain(names, ends, where), read.items(case.model.parts["cells"])
    cells = list(domain.cells())
    need(len(cells) == len(parts) == len(read.items(listed)), "a model for each cell")
    if "cells" in case.witness:
        need(kind == "divergence", "of this kind values are refuted only")
        return _proved(case, domain, parts, listed, DivergenceCell)
    point, answer, evidence = read.fields(case.witness, "point answer evidence")
    values = read.numbers(point)
    inside = [k for k, sides in enumerate(cells) if domain.has(values, sides)]
    prove(inside, "the point is not in the domain")
    part, relation = parts[inside[0]], listed[inside[0]]
    prove(part is not None, "a cell without a model has no point")
    whole = {key: own for key, own in case.model.parts.items() if key != "cells"}
    need(not {*whole, *APART} & part.keys(), "worlds stand once, beside the cells")
    need(case.claim.keys() <= ASKED | {"kind", "verdict"}, "no more is said")
    need(read.mapping(answer).keys() <= SAID, "an answer at a point has no question of its own")
    asked = {key: case.claim[key] for key in ASKED & case.claim.keys()} | {"kind": kind}
    with values_at(names, values):
        found = follow({**asked, **answer}, {**whole, **part}, relation, evidence)
    need(answer["verdict"] == "violated", "the verdict at a point is violated")
    prove(found is False, "the point violates nothing")
    return False


@contextmanager
def values_at(names: Sequence[str], point: Sequence[Fraction]) -> Iterator[None]:
    """Inside, texts of functions of parameters are read as their values at a point."""

    def of(text: str) -> Fraction:
        top, bottom = (value(half, point) for half in read_quotient(text, names))
        prove(bottom, "a denominator vanishes at the point")
        return Fraction(top, bottom)

    token = VALUES.set(of)
    try:
        yield
    finally:
        VALUES.reset(token)


def _domain(names: Any, ends: Any, where: Any) -> Domain:
    need(0 < read.texts(names) <= MOST, "a few parameters")
    need(all(name.isidentifier() for name in names), "a parameter is a word")
    need(len(read.items(ends)) == len(names), "an interval for each parameter")
    sides, closed = [], []
    for part in ends:
        both = [read.fields(end, "rational closed") for end in read.fields(part, "from to")]
        (low, a), (high, b) = ((read.number(text), flag) for text, flag in both)
        need(type(low) is type(high) is Fraction and type(a) is type(b) is bool, "rational ends")
        need(low < high or (low == high and a and b), "an interval has a lower and an upper end")
        sides.append((low, high))
        closed.append((a, b))
    conditions = []
    for text, strict in (read.fields(one, "polynomial strict") for one in read.items(where)):
        need(type(text) is str and type(strict) is bool, "a polynomial, and whether it is > 0")
        conditions.append((read_polynomial(text, names), strict))
    return Domain(names, sides, closed, conditions)


def _place(domain: Domain, sides: Sides, proof: Any, budget: Budget) -> Place:
    """A cell, and what a certificate proves of it."""
    sample, signs = read.fields(proof, "sample signs")
    trees = {}
    for row in read.items(signs):
        rows, tree = read.fields(row, "polynomial tree")
        trees[frozenset(read_terms(rows, len(domain.names)).items())] = tree
    point = read.numbers(sample)
    need(len(trees) == len(signs), "two proofs of one polynomial")
    return Place(sides, domain.conditions, budget, point, trees)


def _violated(case: Case, domain: Domain, cells: list[Sides]) -> bool:
    """False, where a point is shown to violate what is asked."""
    listed, leakage, witness = read.fields(case.witness, "point leakage witness")
    read.fields(case.claim, f"{COMMON} level")
    point = read.numbers(listed)
    inside = [k for k, sides in enumerate(cells) if domain.has(point, sides)]
    prove(inside, "the point is not in the domain")
    part, relation = case.model.parts["cells"][inside[0]], case.relation["cells"][inside[0]]
    prove(part is not None, "a cell without a model has no point")

    def at(text: Any) -> Fraction:
        top, bottom = (value(half, point) for half in read_quotient(text, domain.names))
        prove(bottom, "a denominator vanishes at the point")
        return Fraction(top, bottom)

    outputs, texts, columns = read.fields(part, "outputs values columns")
    values = [at(text) for text in read.items(texts)]
    order = sorted(set(values))
    code = [order.index(x) for x in values]
    moved = [[code[c] for c in column] for column in read.unpacked(columns, len(values))]
    parts = {key: own for key, own in case.model.parts.items() if key != "cells"}
    model = Model({**parts, "outputs": outputs, "values": order, "columns": moved})
    model.check_alike(moved)
    alpha, delta = read.fields(case.claim["level"], "exp_epsilon delta")
    level = {"exp_epsilon": at(alpha), "delta": at(delta)}
    claim = {key: case.claim[key] for key in COMMON.split()}
    asked = {**claim, "level": level, "leakage": leakage}
    found = replace(case, claim=asked, model=model, relation=_valued(relation, at), witness=witness)
    prove(not check_comparison(found), "the point violates nothing")
    return False


def _valued(relation: Any, at: Any) -> Any:
    """A relation at a point, whose given priors are numbers there."""
    if relation["rule"] != "secrets" or relation["priors"]["class"] not in GIVEN:
        return relation
    priors = relation["priors"]
    rows = [
        {s: list(map(at, row)) for s, row in prior.items()}
        if type(prior) is dict
        else list(map(at, read.items(prior)))
        for prior in read.items(priors["priors"])
    ]
    return {**relation, "priors": {**priors, "priors": rows}}
