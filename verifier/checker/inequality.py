"""The rule "inequality": the obligations of a question hold at a level, and one is an equation.

**Question.** Worlds, or secrets under priors with numbers, are compared in pairs, at a distance d.
To be shown is up <= L^d down at a level L. P and Q are the probabilities in the two worlds of a
pair.

- *Comparison*: P(o) <= L^d Q(o) for every output o; with delta P(S) - delta <= L Q(S) for every set
  S of outputs. Of secrets both sides are multiplied: P(o, s) P(t) <= L P(o, t) P(s).
- *Boxes*: the same of upper ends P⁺ and lower ends Q⁻, added up over secrets. With delta, Σ max(0,
  P⁺ - L Q⁻) or 1 - Σ P⁻ + Σ max(0, P⁻ - L Q⁻) is at most delta. "holds" is said of all matrices
  between the ends, "violated" of each.
- *Divergences*: `bounded_range` asks P(o) Q(p) <= L Q(o) P(p) for every two outputs, `renyi` of
  order a that Σ P^a Q^(1 - a) <= L^(a - 1), with Q > 0 where P > 0, and `zcdp` the same for every
  a > 1, at L^a. With channels worlds are values, and P is of all draws for one record.
- *Influence*: let f(X) be the largest P(x | s) / P(x | t), at least 1, of values x that entries X
  can have given s, under priors that allow both. f(X) <= L for an X that lacks at most `entries` of
  all.
- *Sensitivity* and *error* have a value in place of a level: the largest Σ |f(i) - f(j)| of
  functions f and compared worlds, 0 without any; or the expected loss of M, without a prior the
  largest of a world.

**Evidence** is the place of an obligation; null for an error, `leakage`, a leakage of 1, vacuous or
`at_most`, and a value of 0. Under priors with numbers it has `prior` too, and the pair names
secrets.

- Comparison: `{"pair": [i, j], "output": o}`, with delta `outputs`.
- Boxes: `{"lower": a, "rows": [{"pair": [i, j], "output": o, "weight": y}, …]}`, different rows,
  a >= 1 or null, y > 0.
- `bounded_range`: `{"pair": [i, j], "outputs": [o, p]}`. `renyi`: `{"pair": [i, j]}`. `zcdp`:
  `{"pair": [i, j], "order": a, "orders": [1, b, …, c]}`. Of the last two, if infinite,
  `{"pair": [i, j], "outputs": [o]}`. With channels there is `record`, and no `outputs`.
- Sensitivity: `{"pair": [i, j]}`.
- Influence: `{"upper": U, "worst": n}`: for each pair, one order after the other, runs `[first,
  last]` of entries to hide, null if the leakage is infinite; and the number of one for which
  nothing is better, null for 1.

**Why it is sound.** All obligations hold at L: each is evaluated. Below L one does not: at the
place up >= L^d down > 0; with up > 0 = down no level is enough. As down >= 0, obligations hold at
larger levels too. With `ends` "violated" needs a density.

*Boxes*: the sum of y (L Q - P), and of delta times the largest y of each pair, is largest where
each world's largest coefficients get what lower ends leave. If that is below 0 at L = 0 and at most
0 at a, it is below 0 between, being convex: each matrix misses a row. For null each Q⁺ is 0. At
another distance than 1 there is one row, with P⁻ >= a^d Q⁺.

*Influence*: a larger set of entries tells no less. So what hides X has an entry of each set that
tells L.

**Refused** are deltas of divergences and influences, or beside distances; irrational numbers of
boxes; functions in divergences but for ranges and integer orders; orders above 120 binary digits.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from operator import sub
from typing import Any

from . import levels
from . import reading as read
from .document import fields, index, indices, items, named_pair, need, prove, spend
from .levels import Level
from .obligations import (
    Box,
    Compared,
    compared_at,
    pairs_of,
    read_box,
    read_compared,
    read_loss,
    read_points,
)
from .reading import CODES, ONE, ZERO, Case, ratio

Ratio = tuple[Any, Any]  # numerator and denominator; infinite where that is 0
Needs = Callable[[Level | None], bool]  # whether a level is needed; or None, as none is enough
Side = tuple[int, int, set[Fraction]]  # two columns, and the distances at which they are compared
# two columns and an output -> a weight, and the distances
Rows = dict[tuple[int, int, int], tuple[Fraction, set[Fraction]]]


def needed_by(up: Any, down: Any, *powers: Fraction) -> Needs:
    """Whether an obligation is no longer met below a level."""
    return lambda low: any(reaches((up, down), low, d) for d in powers)


def reaches(ratio: Ratio, low: Level | None, cost: Fraction = ONE) -> bool:
    """Whether a `ratio` is at least a level to the power of a `cost`; or infinite, for None."""
    top, bottom = ratio
    return bool(top > 0 and (bottom == 0 if low is None else low.compare(top, bottom, cost) >= 0))


def of_nothing(low: Level | None) -> bool:
    """What is needed where no evidence is given: a level of 1."""
    return low is not None and low.alpha == 1


# ------------------------------------------------------------------ comparisons


def check_comparison(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    compared = read_compared(case.relation, case.model, case.model.table)
    asked = levels.claim(case.claim, trades=True)
    if "reals" in case.model.parts:
        from .noise import check_cut

        check_cut(case.model, asked, case.witness)
    near = not (asked.delta or asked.tradeoff) or compared.distances() <= {ONE}
    need(near, "with distances, delta is 0, and no delta is traded")
    need("at_most" not in asked.leakage or case.witness is None, "the witness proves nothing")
    prove(all(compared.is_least(*point) for point in asked.tradeoff), "not the smallest delta")
    kind = case.model.parts.get("reals")
    met = asked.settle(
        not compared.blocks,
        lambda at: compared.holds(at, asked.delta),
        needs(compared, case.witness, asked.delta),
        within=type(kind) is not list,  # rows cut at other levels
        wide=kind == "ends",
        degrees=() if asked.delta else compared.distances(),
    )
    prove(met or kind != "ends" or exceeds(compared, case.witness, asked.level), "no density")
    return met


def _read_side(compared: Compared, said: Any, keys: str) -> tuple[Side, list[Any]]:
    """The columns of a pair that is compared, which evidence names; and its other `keys`."""
    names = compared.names
    pair, *rest = fields(said, f"pair {keys}" + " prior" * (names is not None))
    if names is not None:
        k = index(rest.pop(), CODES)
        i, j = place = [names[k, name] for name in named_pair(pair)]
    else:
        place = indices(pair, len(compared.columns))
        i, j = (compared.columns[w] for w in place)
    distances = compared.at(*place)
    prove(distances, "the witness is no pair of the relation")
    return (i, j, distances), rest


def _read_place(compared: Compared, witness: Any, delta: Fraction) -> tuple[Side, Any]:
    """The columns and outputs of a `witness`; with `delta` and functions these may be left out."""
    key = "outputs" if delta else "output"
    left_out = delta and read.FUNCTIONS.get() and key not in witness
    side, listed = _read_side(compared, witness, "" if left_out else key)
    outputs = len(compared.table.columns[0])
    return side, None if left_out else indices(listed[0] if delta else listed, outputs)


def needs(compared: Compared, witness: Any, delta: Fraction) -> Needs:
    """Whether a `witness` shows that a level is needed (None: that no level is enough)."""
    if witness is None:
        return of_nothing
    (i, j, distances), outputs = _read_place(compared, witness, delta)

    def found(low: Level | None) -> bool:
        event = _worst(compared, i, j, low) if outputs is None else {*outputs}
        return needed_by(*compared.event(i, j, event, delta), *distances)(low)

    return found


def _worst(compared: Compared, i: int, j: int, low: Level | None) -> list[int]:
    """The outputs where P is at least a level times Q; without one, where Q is 0."""
    values, codes = compared.table.values, compared.codes(i, j)
    here, there, _ = compared.scales(i, j)

    def gains(p: int, q: int) -> bool:
        if low is None:
            return bool(values[q] == 0)
        return bool(low.gap(values[p] * here, values[q] * there) <= 0)

    known = {both: gains(*both) for both in {*codes}}
    return [o for o, both in enumerate(codes) if known[both]]


def exceeds(compared: Compared, witness: Any, level: Level) -> bool:
    """Whether a `witness` needs more than a `level`."""
    (i, j, distances), outputs = _read_place(compared, witness, ZERO)
    up, down = compared.event(i, j, outputs, ZERO)
    return any(level.compare(up, down, d) > 0 for d in distances)


# ------------------------------------------------------------------ largest numbers


def check_sensitivity(case: Case) -> bool:
    """Whether what a `case` claims of the sensitivity of functions holds.

    Its witness is a pair that attains the value, or it is rejected."""
    unit, points, blocks = read_points(case.relation, case.model)

    def apart(i: int, j: int) -> Any:
        return sum(map(abs, map(sub, points[i], points[j])))

    pairs = pairs_of(blocks, 70 + 3 * len(points[0]))
    farthest = max((apart(*pair) for pair in pairs), default=0)
    holds = _is_largest(case.claim, ratio(farthest, unit), not blocks)
    if farthest or case.witness is not None:
        i, j = indices(fields(case.witness, "pair")[0], case.model.size)
        attained = compared_at(case.relation, case.model, i, j) and apart(i, j) == farthest
        prove(attained, "the witness does not attain the sensitivity")
    return holds


def check_error(case: Case) -> bool:
    """Whether what a `case` claims of the expected loss of its mechanism holds.

    Its value is the loss, or it is rejected."""
    need(case.witness is None, "an error needs no evidence")
    _, prior = fields(case.relation, "rule prior")
    loss, rows = read_loss(case.model, prior), case.model.table.rows()
    need(len(loss.rows) == len(rows), "a loss has one row per output")
    spend(4 * len(rows) * case.model.size)
    return _is_largest(case.claim, loss.of(rows), empty=False)


def _is_largest(claim: Any, largest: Fraction, empty: bool) -> bool:
    """Whether a value that is the `largest` one is what a `claim` expects or allows."""
    levels.vacuous(claim, empty)
    prove(read.number(claim["value"]) == largest, "the value is another")
    if "at_most" in claim:
        return bool(largest <= read.number(claim["at_most"]))
    return claim["equals"] is None or read.number(claim["equals"]) == largest


# ------------------------------------------------------------------ ends of probabilities


def check_boxes(case: Case) -> bool:
    """Whether a `case` holds for every matrix of its box; raises where it holds for some only, or
    its witness does not prove what is said of the leakage."""
    asked = levels.claim(case.claim)
    need(type(asked.delta) is Fraction, "delta is rational")
    if "reals" in case.model.parts:
        from .noise import check_cut

        check_cut(case.model, asked, case.witness)
    box, least = read_box(case.relation, case.model), ONE
    need(box.ends.distances() <= {ONE} or not asked.delta, "with distances, delta is 0")
    enough = True
    if case.witness is not None:
        stated, listed = fields(case.witness, "lower rows")
        enough = stated is not None
        least = read.number(stated) if enough else ONE
        need(type(least) is Fraction and least >= 1, "a level is at least 1")
        missed = _is_missed(box, _read_rows(listed, box), least if enough else None, asked.delta)
        prove(missed, "some matrix may meet the comparisons")
    if asked.leakage is None:  # there is no upper bound
        prove(box.ends.blocks and enough, "nothing is said of the leakage")
        prove(asked.level.compare(least, ONE) > 0, "the level is not shown to be too small")
        return False

    def needed(level: Level | None) -> bool:
        return not enough or (level is not None and level.compare(least, ONE) >= 0)

    return asked.settle(
        not box.ends.blocks, lambda level: box.holds(level, asked.delta), needed, wide=True
    )


def _read_rows(listed: Any, box: Box) -> Rows:
    """The obligations of a witness, none of which stands twice: weights > 0, and distances."""
    found: Rows = {}
    for row in items(listed):
        spend(10 * len(box.ends.blocks) + 10)
        (i, j, distances), (output, text) = _read_side(box.ends, row, "output weight")
        key, weight = (i, j, index(output, len(box.lower[0]))), read.number(text)
        need(key not in found, "a comparison stands twice")
        need(type(weight) is Fraction and weight > 0, "a weight is rational and above 0")
        found[key] = weight, distances
    need(found, "a witness has comparisons")
    return found


def _is_missed(box: Box, rows: Rows, low: Fraction | None, delta: Fraction) -> bool:
    """Whether each matrix misses one of the `rows` at each level below `low` (None: at all).

    With g(level) the largest sum of weight (level Q - P), and delta times the largest weight of
    each pair, it is enough that g(0) < 0 and g(low) <= 0: g is convex. At other distances one row
    stands alone."""
    gains: dict[int, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    heaviest: dict[tuple[int, int], Fraction] = {}
    for (i, j, o), (weight, _) in rows.items():
        heaviest[i, j] = max(weight, heaviest.get((i, j), ZERO))
        for w, x in box.weights[i].items():
            gains[w][o] -= weight * x
    slack = delta * sum(heaviest.values()) * sum(box.weights[0].values())
    spend(2 * len(box.lower[0]) * (len(gains) + sum(len(box.weights[j]) for _, j, _ in rows)))
    if box.most(gains) + slack >= 0:
        return False
    if low is None:
        return all(box.ends.event(j, j, [o], ZERO)[0] == 0 for _, j, o in rows)
    distances = {d for _, own in rows.values() for d in own}
    if distances != {ONE}:
        ((i, j, o),) = rows
        ends = box.ends.event(len(box.weights) + i, j, [o], ZERO)
        return any(Level(low).compare(*ends, d) >= 0 for d in distances)
    for (_, j, o), (weight, _) in rows.items():
        for w, x in box.weights[j].items():
            gains[w][o] += low * weight * x
    return box.most(gains) + slack <= 0
