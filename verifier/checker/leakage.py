"""Leakages by the rule "inequality".

`leakage`: guess r gains u(r, w), its row of `functions`; without any, r is a world and gains 1 for
itself. With V(x) = max_r Σ_w x_w u(r, w), Σ_o V(θ_w M[o, w]) - delta <= L V(θ) for each prior θ,
and V(θ) >= 0. Of class `all` θ is uniform: on all worlds, with delta or a trade-off on any of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

from . import levels
from . import reading as read
from .document import fields, need, prove, spend
from .inequality import needed_by, of_nothing
from .levels import Level
from .reading import ONE, ZERO, Case, Model

Gained = tuple[Any, Any]  # before the output and after it


def check_leakage(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its leakage is the smallest level; else
    raise."""
    asked = levels.claim(case.claim, trades=True)
    need(case.witness is None, "a leakage needs no evidence")
    found = list(_gained(case, subsets=bool(asked.delta) + len(asked.tradeoff)))
    gains = [(after - asked.delta, before) for before, after in found]
    need(found, "there is a prior")

    def excess(alpha: Fraction) -> Any:
        return max([ZERO, *(after - alpha * before for before, after in found)])

    def needed(low: Level | None) -> bool:
        return of_nothing(low) or any(needed_by(*one, ONE)(low) for one in gains)

    prove(all(excess(a) == d for a, d in asked.tradeoff), "not the smallest delta")
    return asked.settle(
        False, lambda at: all(at.allows(*one) for one in gains), needed, within=True
    )


def _gained(case: Case, subsets: int) -> Iterator[Gained]:
    """What the best guess gains under each prior that may be the worst one: of `subsets` too, where
    so many points are asked of each."""
    model, (_, priors) = case.model, fields(case.relation, "rule priors")
    unit, parts = model.table.whole
    outputs = list(zip(*model.table.columns, strict=True))
    rows = read.matrix(model.parts["functions"]) if "functions" in model.parts else None
    need(rows is None or {*map(len, rows)} == {model.size}, "a gain has one value per world")
    for prior in _priors(priors, model, rows is None, subsets):
        worth = [{w: x * row[w] for w, x in prior.items()} for row in rows or ()]
        worth = worth or [{w: x} for w, x in prior.items()]
        spend(200 + 40 * subsets + (10 + 4 * len(outputs)) * sum(map(len, worth)))
        scale, whole = read.in_integers([x for own in worth for x in own.values()])
        listed = iter(whole)
        worth = [{w: next(listed) for w in own} for own in worth]
        before = max(sum(own.values()) for own in worth)
        need(before >= 0, "without the output something is lost")
        after = sum(
            max(sum(x * parts[codes[w]] for w, x in own.items()) for own in worth)
            for codes in outputs
        )
        yield read.ratio(before, scale), read.ratio(after, scale * unit)


def _priors(
    priors: Any, model: Model, right: bool, subsets: int
) -> Iterable[Mapping[int, Fraction]]:
    """The weights of worlds under given priors. Of class all, where the `right` world is guessed,
    the uniform one is the worst, and with a delta that on some of the worlds: on `subsets`."""
    if priors["class"] != "all":
        listed = read.weights(priors, model.size)
        return [{w: x for w, x in enumerate(prior) if x} for prior in listed]
    fields(priors, "class")
    need(right, "of all priors the world is guessed")
    worlds = range(model.size)
    sizes = range(1, model.size + 1) if subsets else [model.size]
    some = chain.from_iterable(combinations(worlds, size) for size in sizes)
    return (dict.fromkeys(own, Fraction(1, len(own))) for own in some)
