"""Certificates of kinds "pieces", "region" and "parameters": for which values of parameters a claim
of another kind holds.

Probabilities, levels and evidence are functions of the parameters. Of one parameter the certificate
divides the domain into pieces, and on each of them the rule of the other kind is followed with
functions as numbers. Where that needs a comparison which changes within a piece, the piece is
divided there, and the rule followed again on each part. Kind "region" is the same of comparisons,
whose smallest level on a piece is said by its coefficients.

Of several parameters (kind "parameters") either the rule is followed at a point of the domain, with
the values of all functions there, and shows that it is violated; or each obligation of a comparison
or a divergence is a polynomial that is proved to be nowhere negative on its cell.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from . import levels
from . import reading as read
from .cuts import read_terms
from .document import fields, index, items, mapping, need, prove, spend
from .domains import check_region_of, is_inside, read_cells, read_domain, read_integers, read_spots
from .inequality import settle
from .levels import Claim
from .numbers import Divided, Poly, functions_on, packed, quotient, read_function, value
from .obligations import read_compared
from .question import PIECEWISE
from .reading import COMMON, VALUES, Case, Model
from .signs import Cell, Spot

MOST_PARTS = 1_000
FARTHEST = 100  # degrees of roots are below
HIGHEST = 20  # order of Rényi's divergence, of several parameters
ASKED = {"definition", "digest", "level", "equals", "at_most"}  # what it shares with its pieces
TRADED = {"tradeoff"}  # of which each piece has the same levels
OWN = {"kind", "verdict", "region", "pieces", "leakage"}  # what it has of its own
APART = {"records", "entries_per_record", "counts", "entries_of_values"}
SAID = {"verdict", "leakage", "value", "one_run"} | TRADED  # what is said of a piece
READ = {"worlds", "outputs", "values", "columns"} | APART  # parts of a model of comparisons
VACUOUS = "{'vacuous': True}"
Rule = Callable[[Any, Any, Any, Any], Any]  # of a claim, the parts of a model, relation, evidence
Walk = Iterator[tuple[Spot, Any, Any, Any, Any]]  # a piece, parts, relation, what is said, evidence


def check_pieces(case: Case, rule: Rule) -> bool:
    """Whether what is asked in a `case` holds for all values of the parameter, if the regions where
    it does are those that are claimed; else raise. The `rule` of the other kind proves or refutes
    it on each piece."""
    claim, told = case.claim, items(case.claim["pieces"])
    keys = "rule kind parameter from to cells"
    said, kind, *about = fields(case.relation, keys)
    need(said == "pieces" and kind in PIECEWISE, "the rule is pieces, of a kind that has them")
    need(claim.keys() <= ASKED | OWN | TRADED, "of all pieces together no more is said")
    asked = {key: claim[key] for key in ASKED & claim.keys()} | {"kind": kind}
    spots, verdicts = list[Spot](), list[str]()
    for piece, parts, relation, stated, evidence in _walk(case, told, "pieces", *about):
        spots.append(piece)
        if "undecided" in stated:
            *_, undecided = fields(stated, "from to undecided")
            need(undecided is True and evidence is None, "undecided is true, without evidence")
            verdicts.append("undecided")
            continue
        answer = _inner(stated)
        need(answer.keys() <= SAID, "a piece has no question of its own")
        need(TRADED & answer.keys() == TRADED & claim.keys(), "a trade-off that is not asked for")
        about_it = {**asked, **answer}, parts, relation, evidence

        def followed(about_it: Any = about_it, answer: Any = answer) -> Any:
            if "tradeoff" in answer:
                points = [read.number(alpha) for alpha, _ in items(answer["tradeoff"], 2)]
                need(points == read.numbers(claim["tradeoff"]), "other levels than were asked for")
            return rule(*about_it)

        verdicts.append(_followed(piece, followed))
        prove(stated["verdict"] == verdicts[-1], f"the verdict on a piece is {verdicts[-1]}")
    check_region_of(items(claim["region"]), spots, [one == "holds" for one in verdicts])
    vacuous = all("vacuous" in (one.get("leakage") or {}) for one in told)
    said_so = repr(claim.get("leakage")) == (VACUOUS if vacuous else "None")
    prove(said_so and vacuous == ("leakage" in claim), "vacuous is said of nothing else")
    prove({"violated", "holds"} >= {*verdicts} or "violated" in verdicts, "a piece is undecided")
    return "violated" not in verdicts


def check_region(case: Case) -> bool:
    """Whether a comparison that a `case` asks for holds for all values of the parameter, if the
    regions where it does are those that are claimed; else raise."""
    claim, told = case.claim, items(case.claim["pieces"])
    said, *about = fields(case.relation, "rule parameter from to cells")
    need(said == "region", "the rule is region")
    fields(claim["level"], "exp_epsilon delta")
    for part in items(case.model.parts["cells"]):
        fields(part, "from to outputs values columns")
    spots, verdicts, compares = list[Spot](), list[str](), set[bool]()
    for piece, parts, relation, stated, place in _walk(case, told, "places", *about):

        def followed(about_it: Any = (parts, relation, stated, place)) -> bool:
            holds, some = _settled(claim["level"], *about_it)
            compares.add(some)
            return holds

        spots.append(piece)
        verdicts.append(_followed(piece, followed))
    check_region_of(items(claim["region"]), spots, [one == "holds" for one in verdicts])
    _check_vacuous(claim, "level region pieces", not any(compares))
    return "violated" not in verdicts


def _settled(level: Any, parts: Any, relation: Any, stated: Any, place: Any) -> tuple[bool, bool]:
    """Whether a comparison holds at a `level` on a piece, once what is `stated` of the smallest one
    is proved; and whether anything is compared."""
    model = _model(parts)
    compared = read_compared(relation, model, model.table)
    asked = Claim(*levels.level(level), _lead(_inner(stated)))
    return settle(compared, asked, place, empty=False), bool(compared.blocks)


def _check_vacuous(claim: Any, keys: str, empty: bool) -> None:
    """A leakage is said just where nothing is compared."""
    fields(claim, f"{COMMON} {keys}" + " leakage" * empty)
    said = not empty or repr(claim["leakage"]) == VACUOUS
    prove(said, "nothing is compared, which is to be said")


def _lead(stated: Any) -> Any:
    """The smallest level that is said of a piece, as a leakage: a root of a quotient, or none."""
    if "infinite" in stated:
        return stated
    keys = "numerator denominator" + " root" * ("root" in stated)
    top, bottom, *root = fields(stated, keys)
    above, below = (
        Poly({k: c for k, c in enumerate(read_integers(part)) if c}) for part in (top, bottom)
    )
    need(below, "a denominator is not 0")
    degree = index(root[0], FARTHEST, low=1) if root else 1
    return {"exp_epsilon": quotient(above, below)} | ({"root": degree} if degree > 1 else {})


def _walk(
    case: Case, told: list[Any], key: str, name: Any, low: Any, high: Any, listed: Any
) -> Walk:
    """Each piece with the parts of the model and the relation of the cell in which it lies, what is
    `told` of it, and its evidence, which stands under a `key`."""
    need(type(name) is str and name.isidentifier(), "a parameter is a word")
    domain, parts = read_domain(low, high), items(case.model.parts["cells"])
    need(len(parts) == len(items(listed)), "a relation for each cell")
    cells, pieces = read_spots(parts, name, domain), read_spots(told, name, domain)
    shown, at = items(fields(case.witness, key)[0]), 0
    need(len(shown) == len(pieces), "evidence for each piece")
    for piece, stated, evidence in zip(pieces, told, shown, strict=True):
        while not is_inside(piece, cells[at]):
            at += 1
        yield piece, _whole(case.model.parts, _inner(parts[at])), listed[at], stated, evidence


def _whole(parts: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of the model of a cell: its own, and those that all cells have."""
    whole = {key: own for key, own in parts.items() if key != "cells"}
    need(not {*whole, *APART} & part.keys(), "worlds stand once, beside the cells")
    return {**whole, **part}


def _model(parts: Any) -> Model:
    """A model whose numbers are functions, which need no order."""
    model = Model(parts, loose=True)
    need(not model.is_of_one or model.others, "there are others")
    return model


def _inner(part: Any) -> dict[str, Any]:
    """A cell or a piece without its ends."""
    return {key: inner for key, inner in part.items() if key not in ("from", "to")}


def _followed(piece: Spot, rule: Callable[[], Any]) -> str:
    """The verdict of a rule on a piece, the same on all parts where it had to be divided."""
    waiting, verdicts, steps = [piece], set[bool](), 0
    while waiting:
        spot, steps = waiting.pop(), steps + 1
        need(steps <= MOST_PARTS, "a piece is divided too often")
        try:
            with functions_on(spot):
                verdicts.add(rule())
        except Divided as found:
            roots = spot.gap.roots(found.polynomial)
            for low, high in pairwise([spot.low, *roots, spot.high]):
                waiting.append(Spot(spot.name, low, high, is_point=False))
            waiting += [Spot(spot.name, root, root, is_point=True) for root in roots]
    prove(len(verdicts) == 1, "a piece is not divided where the verdict changes")
    return "holds" if verdicts == {True} else "violated"


def check_parameters(case: Case, follow: Rule) -> bool:
    """Whether what is asked in a `case` holds for all values of several parameters, as each cell
    proves; or false where a point violates it, as the rule shows that is to `follow`. Else raise.
    """
    kind, cells = read_asked(case.relation, case.model.parts)
    if kind == "comparison":
        fields(case.claim["level"], "exp_epsilon delta")
    if "cells" not in case.witness:
        return _violated(case, kind, cells, follow)
    proofs, empty = items(fields(case.witness, "cells")[0]), True
    for (cell, parts, relation), proof in zip(cells, proofs, strict=True):
        sample, signs = fields(proof, "sample signs")
        rows = [fields(row, "polynomial tree") for row in items(signs)]
        place = replace(cell, trees={read_rows(listed, cell): tree for listed, tree in rows})
        need(len(place.trees) == len(rows), "two proofs of one polynomial")
        inside = sample == [] if parts is None else cell.has(read.numbers(sample))
        prove(inside, "the sample is not in the cell, or there is none")
        empty = not compares(kind, case.claim["level"], place, parts, relation) and empty
        need(place.asked.keys() >= place.trees.keys(), "a proof of what nothing asks for")
    _check_vacuous(case.claim, "level", empty)
    return True


Asked = list[tuple[Cell, Any, Any]]  # a cell, the parts of its model or None, its relation


def read_asked(relation: Any, parts: Mapping[str, Any]) -> tuple[str, Asked]:
    """The kind of what is asked of several parameters, and what it is on each cell of their
    domain."""
    several = "rule parameters domain where cells"
    keys = f"kind {several}" if "kind" in relation else several
    *kinds, rule, names, ends, where, listed = fields(relation, keys)
    kind = kinds[0] if kinds else "comparison"
    need(rule == "parameters" and kind in PIECEWISE, "the rule is parameters, of such a kind")
    cells, models = read_cells(names, ends, where), items(parts["cells"])
    need(len(cells) == len(models) == len(items(listed)), "a model for each cell")
    wholes = [None if part is None else _whole(parts, part) for part in models]
    pairs = zip(models, listed, strict=True)
    need(all(part is not None or one is None for part, one in pairs), "no relation without a model")
    return kind, list(zip(cells, wholes, listed, strict=True))


def read_rows(rows: Any, cell: Cell) -> Poly:
    """A polynomial of the parameters of a cell from rows of a coefficient and exponents."""
    return Poly({packed(m): c for m, c in read_terms(rows, len(cell.names)).items()})


def compares(kind: str, level: Any, place: Cell, parts: Any, relation: Any) -> bool:
    """Whether anything is compared on a cell; rejected unless it is proved to hold there at a
    `level`. Without a model the cell is proved to be empty."""
    with functions_on(place):
        if parts is None:
            return not place.nonnegative(Poly({0: -1}))
        need(parts.keys() <= READ, "a cell has outputs, values and columns")
        (asked, delta), model = levels.level(mapping(level)), _model(parts)
        if kind == "divergence":
            from .divergences import read_divergences

            found = read_divergences(relation, model)
            whole = found.order is None or found.order in range(2, HIGHEST + 1)
            need(whole and found.rule != "zcdp", "a range, or an integer order up to 20")
            need(not delta, "delta is 0")
            some, holds = bool(found.related.blocks), found.holds(asked)
        else:
            need(kind == "comparison", "of this kind values are refuted only")
            own = read_compared(relation, model, model.table)
            need(not delta or own.distances() <= {1}, "with distances, delta is 0")
            some, holds = bool(own.blocks), own.holds(asked, delta)
        prove(holds, "an obligation is not met")
        return some


def _violated(case: Case, kind: str, cells: Asked, follow: Rule) -> bool:
    """False, where the rule of a `kind` shows at a point that it violates what is asked."""
    keys = "point answer evidence" if "answer" in case.witness else "point leakage witness"
    listed, answer, evidence = fields(case.witness, keys)
    if "answer" not in case.witness:
        answer, evidence = {"verdict": "violated", "leakage": answer}, {"witness": evidence}
    need(case.claim.keys() <= ASKED | {"kind", "verdict"}, "no more is said")
    need(mapping(answer).keys() <= SAID, "an answer at a point has no question of its own")
    point = read.numbers(listed)
    inside = [one for one in cells if one[0].has(point)]
    prove(inside, "the point is not in the domain")
    cell, parts, relation = inside[0]
    prove(parts is not None, "a cell without a model has no point")
    asked = {key: case.claim[key] for key in ASKED & case.claim.keys()} | {"kind": kind}
    with values_at(cell.names, point):
        found = follow({**asked, **answer}, parts, relation, evidence)
    need(answer["verdict"] == "violated", "the verdict at a point is violated")
    prove(found is False, "the point violates nothing")
    return False


@contextmanager
def values_at(names: tuple[str, ...], point: Sequence[Fraction]) -> Iterator[None]:
    """Inside, texts of functions of parameters are read as their values at a point."""

    def of(text: str) -> Fraction:
        spend(20 * len(text))
        top, bottom = (value(half, point) for half in read_function(text, names))
        prove(bottom, "a denominator vanishes at the point")
        return Fraction(top, bottom)

    token = VALUES.set(of)
    try:
        yield
    finally:
        VALUES.reset(token)
