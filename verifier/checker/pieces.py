"""Certificates of kind "pieces": for which values of one parameter a claim of another kind holds.

Probabilities, levels and evidence are rational functions of the parameter. The certificate divides
its domain into pieces, and on each of them the rule of the other kind is followed with functions as
numbers (`fields`). Where that needs a comparison which changes within a piece, the piece is divided
there, and the rule followed again on each part.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from . import reading as read
from .fields import functions_on
from .parametric import Spot
from .question import PIECEWISE
from .reading import Budget, Case, need, prove, together
from .region import check_stated, inside, read_domain, spots
from .univariate import Divided

MOST_PARTS = 1_000
ASKED = {"definition", "digest", "level", "equals", "at_most"}  # what it shares with its pieces
TRADED = {"tradeoff"}  # of which each piece has the same levels
OWN = {"kind", "verdict", "region", "pieces", "leakage"}  # what it has of its own
APART = {"records", "entries_per_record", "counts", "entries_of_values"}
SAID = {"verdict", "leakage", "value", "one_run"} | TRADED  # what is said of a piece
Rule = Callable[[Any, Any, Any, Any], Any]  # of a claim, the parts of a model, relation, evidence


def check_pieces(case: Case, rule: Rule) -> bool:
    """Whether what is asked in a `case` holds for all values of the parameter, if the regions where
    it does are those that are claimed; else raise. The `rule` of the other kind proves or refutes
    it on each piece."""
    with together():
        return _check(case, rule)


def _check(case: Case, rule: Rule) -> bool:
    claim, model = case.claim, case.model.parts
    keys = "rule kind parameter from to cells"
    said, kind, name, low, high, listed = read.fields(case.relation, keys)
    need(said == "pieces" and kind in PIECEWISE, "the rule is pieces, of a kind that has them")
    budget = Budget()
    domain = read_domain(low, high, budget)
    parts = read.items(model["cells"])
    need(len(parts) == len(read.items(listed)), "a relation for each cell")
    cells, told = spots(parts, domain, budget), read.items(claim["pieces"])
    pieces = spots(told, domain, budget)
    shown = read.items(read.fields(case.witness, "pieces")[0])
    need(len(shown) == len(pieces), "evidence for each piece")
    need(claim.keys() <= ASKED | OWN | TRADED, "of all pieces together no more is said")
    asked = {key: claim[key] for key in ASKED & claim.keys()} | {"kind": kind}
    whole = {key: part for key, part in model.items() if key != "cells"}
    verdicts, at = list[str](), 0
    for piece, stated, evidence in zip(pieces, told, shown, strict=True):
        while not inside(piece, cells[at], budget):
            at += 1
        if "undecided" in stated:
            *_, undecided = read.fields(stated, "from to undecided")
            need(undecided is True and evidence is None, "undecided is true, without evidence")
            verdicts.append("undecided")
            continue
        own = _inner(parts[at])
        need(not {*whole, *APART} & own.keys(), "worlds stand once, beside the cells")
        answer = _inner(stated)
        need(answer.keys() <= SAID, "a piece has no question of its own")
        need(TRADED & answer.keys() == TRADED & claim.keys(), "a trade-off that is not asked for")
        about = {**asked, **answer}, {**whole, **own}, listed[at], evidence

        def followed(about: Any = about, answer: Any = answer) -> Any:
            if "tradeoff" in answer:
                points = [read.number(alpha) for alpha, _ in read.items(answer["tradeoff"], 2)]
                need(points == read.numbers(claim["tradeoff"]), "other levels than were asked for")
            return rule(*about)

        verdicts.append(_followed(piece, name, followed))
        prove(stated["verdict"] == verdicts[-1], f"the verdict on a piece is {verdicts[-1]}")
    check_stated(read.items(claim["region"]), pieces, [one == "holds" for one in verdicts], budget)
    vacuous = all("vacuous" in (one.get("leakage") or {}) for one in told)
    said_so = repr(claim.get("leakage")) == ("{'vacuous': True}" if vacuous else "None")
    prove(said_so and vacuous == ("leakage" in claim), "vacuous is said of nothing else")
    prove({"violated", "holds"} >= {*verdicts} or "violated" in verdicts, "a piece is undecided")
    return "violated" not in verdicts


def _inner(part: Any) -> dict[str, Any]:
    """A cell or a piece without its ends."""
    return {key: inner for key, inner in part.items() if key not in ("from", "to")}


def _followed(piece: Spot, name: str, rule: Callable[[], Any]) -> str:
    """The verdict of a rule on a piece, the same on all parts where it had to be divided."""
    waiting, verdicts, steps = [piece], set[bool](), 0
    while waiting:
        spot, steps = waiting.pop(), steps + 1
        need(steps <= MOST_PARTS, "a piece is divided too often")
        try:
            with functions_on(name, spot):
                verdicts.add(rule())
        except Divided as found:
            roots = spot.gap.roots(found.polynomial)
            for low, high in pairwise([spot.low, *roots, spot.high]):
                waiting.append(Spot(low, high, spot.budget, is_point=False))
            waiting += [Spot(root, root, spot.budget, is_point=True) for root in roots]
    prove(len(verdicts) == 1, "a piece is not divided where the verdict changes")
    return "holds" if verdicts == {True} else "violated"
