"""Certificates of kind "comparison": P <= alpha^distance Q for every output, or so up to delta.
And of kind "sensitivity": the largest L1 distance of a query at two related worlds.

The claimed leakage is verified from both sides: there every comparison holds, and the witness
allows nothing smaller. The verdict must then be what leakage and level say.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from operator import sub
from typing import Any

from . import levels
from . import reading as read
from .document import afford, fields, index, indices, named_pair, need, prove
from .levels import Claim, Level
from .obligations import Block, Compared, hold, read_blocks, read_compared
from .reading import CODES, ONE, ZERO, Case, Model


def check_comparison(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim, trades=True)
    shown = () if case.witness is None else case.witness["pair"]
    compared = read_compared(case.relation, case.model, case.model.table, shown)
    return settle(compared, asked, case.witness, not compared.blocks)


def settle(compared: Compared, asked: Claim, witness: Any, empty: bool) -> bool:
    """Whether the definition is met at the level that is `asked`, once the leakage is verified;
    it is `empty` where nothing is compared, which is said."""
    near = compared.distances() <= {ONE}
    pure = not (asked.delta or asked.tradeoff)
    need(near or pure, "with distances, delta is 0, and no delta is traded")
    exact = "closed" in asked.leakage or "lower" not in asked.leakage
    need(not asked.delta or exact, "with delta, a leakage is exact")
    for alpha, least in asked.tradeoff:
        prove(compared.largest(alpha) == least, "not the smallest delta")
    degrees = () if asked.delta else compared.distances()
    return asked.settle(
        empty,
        lambda at: hold(compared, at, asked.delta),
        needs(compared, witness, asked.delta),
        within=True,
        degrees=degrees,
    )


def read_shown(compared: Compared, witness: Any, delta: Fraction) -> tuple[int, int, Any]:
    """The columns and outputs of a `witness`, which is to be about one comparison.

    With `delta` they may be left out where numbers are functions. No column is compared as
    another that is equal."""
    known = "outputs" in witness or not read.FUNCTIONS.get()
    keys = "pair output" if not delta else "pair" + " outputs" * known
    if compared.names is not None:
        prior, pair, *outputs = fields(witness, f"prior {keys}")
        i, j = (compared.names[index(prior, CODES), name] for name in named_pair(pair))
    else:
        pair, *outputs = fields(witness, keys)
        i, j = map(compared.columns.__getitem__, indices(pair, len(compared.columns)))
    prove(compared.between(i, j), "the witness is no pair of the relation")
    listed = (own if delta else [own] for own in outputs)
    return i, j, next((indices(o, len(compared.table.columns[i])) for o in listed), None)


def _sides(
    compared: Compared, shown: tuple[int, int, Any], low: Level | None
) -> tuple[Fraction, Fraction]:
    """P and Q of what is `shown`; without outputs of all where P is at least a level times Q,
    or where Q is 0 if there is no level."""
    i, j, outputs = shown
    if outputs is None:
        values, both = compared.table.values, compared.codes(i, j)
        counts = {
            (p, q): low.gap(values[p], values[q]) <= 0 if low else values[q] == 0
            for p, q in set(both)
        }
        outputs = [o for o, codes in enumerate(both) if counts[codes]]
    return compared.table.chance(i, {*outputs}), compared.table.chance(j, {*outputs})


def needs(compared: Compared, witness: Any, delta: Fraction) -> Callable[[Level | None], bool]:
    """Whether a `witness`, of a leakage above 1, needs a level (None: there is none)."""
    shown = None if witness is None else read_shown(compared, witness, delta)
    distances = {ONE} if shown is None else compared.between(*shown[:2])

    def found(low: Level | None) -> bool:
        p, q = (ONE, ONE) if shown is None else _sides(compared, shown, low)
        p = p if shown is None else p - delta
        if low is None:
            return p > 0 == q
        return q > 0 and any(low.compare(p, q, d) >= 0 for d in distances)

    return found


def exceeds(compared: Compared, witness: Any, level: Level) -> bool:
    """Whether a `witness` needs more than a `level`."""
    shown = read_shown(compared, witness, ZERO)
    p, q = _sides(compared, shown, level)
    return any(level.compare(p, q, d) > 0 for d in compared.between(*shown[:2]))


Point = tuple[Any, ...]  # the query's values in a world, times a common denominator


def check_sensitivity(case: Case) -> bool:
    """Whether what a `case` claims of the sensitivity of functions holds.

    Its witness is a pair that attains the value, or it is rejected."""
    claim, model = case.claim, case.model
    bound = "at_most" if "at_most" in claim else "equals"
    points, unit = _points(model)
    shown = () if case.witness is None else fields(case.witness, "pair")[0]
    known: dict[Any, int] = {}
    apart = {*shown}
    keys = ((point, w if w in apart else -1) for w, point in enumerate(points))
    kinds = [known.setdefault(key, len(known)) for key in keys]
    blocks = read_blocks(case.relation, model, kinds)
    levels.vacuous(claim, f"value {bound}", not blocks)
    farthest = _farthest([point for point, _ in known], blocks)
    largest = read.ratio(farthest, unit)
    prove(read.number(claim["value"]) == largest, "the sensitivity is another")
    if largest or case.witness is not None:
        i, j = (kinds[w] for w in indices(shown, len(points)))
        related = i != j and any(i in s and j in t for s, t, _ in blocks)
        attained = related and _distance(*(points[w] for w in shown)) == farthest
        prove(attained, "the witness does not attain the sensitivity")
    if bound == "at_most":
        return bool(largest <= read.number(claim["at_most"]))
    return claim["equals"] is None or read.number(claim["equals"]) == largest


def _points(model: Model) -> tuple[list[Point], Any]:
    """What the functions of a `model` are in each world, as whole multiples of 1 over a unit; and
    that unit."""
    functions = read.matrix(model.parts["functions"])
    need({*map(len, functions)} == {model.size}, "a function has one value per world")
    unit, whole = read.whole(list(chain.from_iterable(functions)))
    values = iter(whole)
    return list(zip(*([*islice(values, model.size)] for _ in functions), strict=True)), unit


def _farthest(points: Sequence[Point], blocks: Sequence[Block]) -> Any:
    """The largest distance of related ones of some `points`."""
    afford(sum(len(s) * len(t) for s, t, _ in blocks) * 50 * len(points[0]))
    found = {pair for s, t, _ in blocks for pair in product(s, t)}
    return max((_distance(points[a], points[b]) for a, b in found), default=0)


def _distance(p: Point, q: Point) -> Any:
    return sum(map(abs, map(sub, p, q)))
