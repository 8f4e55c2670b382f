"""Questions with a domain: for which values of parameters what they ask there holds.

Probabilities, levels and evidence are functions of the parameters. Of one parameter the answer
divides the domain into pieces, and on each of them a rule is followed with functions as numbers.
Where that needs a comparison which changes within a piece, the piece is divided there, and the rule
followed again on each part.

Of several parameters either a rule is followed at a point of the domain, with the values of all
functions there, and shows that it is violated; or each obligation of a comparison or a divergence
is a polynomial that is proved to be nowhere negative on its cell.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from . import levels
from . import reading as read
from .cuts import read_terms
from .document import fields, items, mapping, need, prove
from .domains import check_region_of, ends_of, is_inside, read_parts, read_spots
from .levels import vacuous
from .numbers import Divided, Poly, functions_on, packed
from .obligations import read_compared
from .question import PIECEWISE, what_is_asked
from .reading import Model, check_parts
from .signs import Cell, Spot

MOST_PARTS = 1_000
HIGHEST = 20  # order of Rényi's divergence, of several parameters
ASKED = {"level", "equals", "at_most"}  # what it shares with its pieces
TRADED = {"tradeoff"}  # of which each piece has the same levels
SAID = {"verdict", "leakage", "value", "one_run"} | TRADED  # what is said of a piece
Rule = Callable[[Any, Any, Any], Any]  # of a claim, a plain question and evidence: whether it holds
Parts = list[tuple[Any, Any]]  # cells, and the question on each


def check_domain(claim: Any, question: Any, evidence: Any, rule: Rule) -> bool:
    """Whether what a `question` asks holds for all values of its parameters; else raise. The `rule`
    proves or refutes it of one part."""
    parts = read_parts(question)
    need("epsilon" not in claim.get("level", {}), "with parameters a level is exp_epsilon")
    for _, one in parts:
        need(one is None or what_is_asked(one) in PIECEWISE, "no such question has a domain")
    if len(question["domain"]["parameters"]) == 1:
        return _check_pieces(claim, parts, evidence, rule)
    if "point" in mapping(evidence):
        return _violated(claim, parts, evidence, rule)
    return _check_cells(claim, parts, evidence)


def _check_pieces(claim: Any, parts: Parts, evidence: Any, rule: Rule) -> bool:
    """The same of one parameter, if the regions where it holds are those that are claimed."""
    told, shown = items(claim["pieces"]), items(fields(evidence, "places")[0])
    asked = {key: claim[key] for key in ASKED & claim.keys()}
    ends, name = ends_of([cell for cell, _ in parts]), parts[0][0].name
    spots, verdicts, at = read_spots(told, name, ends), list[str](), 0
    need(len(shown) == len(told), "evidence for each piece")
    for piece, stated, place in zip(spots, told, shown, strict=True):
        while not is_inside(piece, parts[at][0]):
            at += 1
        if "undecided" in stated:
            *_, undecided = fields(stated, "from to undecided")
            need(undecided is True and place is None, "undecided is true, without evidence")
            verdicts.append("undecided")
            continue
        answer = {key: said for key, said in stated.items() if key not in ("from", "to")}
        need(answer.keys() <= SAID, "a piece has no question of its own")
        need(TRADED & answer.keys() == TRADED & claim.keys(), "a trade-off that is not asked for")

        def followed(answer: Any = answer, about_it: Any = (parts[at][1], place)) -> Any:
            if "tradeoff" in answer:
                points = [read.number(alpha) for alpha, _ in items(answer["tradeoff"], 2)]
                need(points == read.numbers(claim["tradeoff"]), "other levels than were asked for")
            return rule({**asked, **answer}, *about_it)

        verdicts.append(_followed(piece, followed))
    check_region_of(items(claim["region"]), spots, [one == "holds" for one in verdicts])
    empty = all("vacuous" in (one.get("leakage") or {}) for one in told)
    vacuous(claim, empty)
    prove({"violated", "holds"} >= {*verdicts} or "violated" in verdicts, "a piece is undecided")
    return "violated" not in verdicts


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


def _check_cells(claim: Any, parts: Parts, evidence: Any) -> bool:
    """True if trees prove on each cell of several parameters what is asked there; else raise."""
    proofs, empty = items(fields(evidence, "cells")[0]), True
    for (cell, asked), proof in zip(parts, proofs, strict=True):
        rule, sample, signs = fields(proof, "rule sample signs")
        need(rule == "inequality", "trees prove inequalities")
        rows = [fields(row, "polynomial tree") for row in items(signs)]
        place = replace(cell, trees={read_rows(listed, cell): tree for listed, tree in rows})
        need(len(place.trees) == len(rows), "two proofs of one polynomial")
        inside = sample == [] if asked is None else cell.has(read.numbers(sample))
        prove(inside, "the sample is not in the cell, or there is none")
        holds, some = holds_on(place, claim["level"], asked)
        prove(holds, "an obligation is not met")
        empty = empty and not some
        need(place.asked.keys() >= place.trees.keys(), "a proof of what nothing asks for")
    vacuous(claim, empty)
    return True


def read_rows(rows: Any, cell: Cell) -> Poly:
    """A polynomial of the parameters of a cell from rows of a coefficient and exponents."""
    return Poly({packed(m): c for m, c in read_terms(rows, len(cell.names)).items()})


def holds_on(place: Cell, level: Any, question: Any) -> tuple[bool, bool]:
    """Whether a `question` holds on a cell at a `level`, where what has a sign is proved to have it
    or this is rejected; and whether it compares anything. Without a question the cell is proved to
    be empty."""
    with functions_on(place):
        if question is None:
            return place.nonnegative(Poly({0: -1})), False
        about, relation, parts = what_is_asked(question), question["relation"], question["model"]
        (asked, delta), model = levels.level(mapping(level)), Model(parts)
        check_parts(model)
        if about == "divergence":
            from .divergences import read_divergences

            found = read_divergences(relation, model)
            whole = found.order is None or found.order in range(2, HIGHEST + 1)
            need(whole and found.rule != "zcdp", "a range, or an integer order up to 20")
            need(not delta, "delta is 0")
            holds, some = found.holds(asked), bool(found.blocks)
        else:
            need(about == "comparison", "with several parameters this is refuted only")
            own = read_compared(relation, model, model.table)
            need(not delta or own.distances() <= {1}, "with distances, delta is 0")
            holds, some = own.holds(asked, delta), bool(own.blocks)
        model.parts.check()
        return holds, some


def _violated(claim: Any, parts: Parts, evidence: Any, rule: Rule) -> bool:
    """False, where the `rule` shows at a point that it violates what is asked; else raise."""
    listed, answer, shown = fields(evidence, "point answer evidence")
    need(mapping(answer).keys() <= SAID, "an answer at a point has no question of its own")
    point = read.numbers(listed)
    inside = [one for cell, one in parts if cell.has(point)]
    prove(inside, "the point is not in the domain")
    prove(inside[0] is not None, "a cell without a model has no point")
    asked = {key: claim[key] for key in ASKED & claim.keys()}
    at = replace(parts[0][0], sides=[(x, x) for x in point])
    with functions_on(at):
        found = rule({**asked, **answer}, inside[0], shown)
    prove(found is False, "the point violates nothing")
    return False
