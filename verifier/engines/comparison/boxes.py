"""Deciding comparisons in a box of matrices: for all of them, for none, or for some.

Entry by entry, the upper end of one column is compared with the lower end of the other one: what
holds there holds for every matrix of the box (with delta it is a bound, that may be too large).
The least level that some matrix of the box has is found by linear programs: at a level α, a matrix
is looked for that misses no comparison by more than a slack t,

    min t  subject to  P_i[o] − α·P_j[o] <= t  (with delta: Σ_o s_o <= delta + t)            (1)

over all matrices between the ends with columns of sum 1. Where t > 0 the multipliers y of (1) say
that every matrix misses one of the comparisons, for all α below the root of

    g(α) = max Σ y·(α·P_j[o] − P_i[o]) + delta · Σ_pairs max y                               (2)

over the box, which is convex and piecewise linear; the next program is asked there. For δ = 0 both
ends are attained: between the two levels some matrices hold, and some do not.

Example. All five outputs have probability 1/5 in one world. In the other one three have at most
17/100 each, so the two others at least 49/100 together, more than 6/5 · 2/5. So the level 6/5 is
missed by every matrix, though no output alone shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.kernels import hockey_stick
from verifier.kernels.ratios import Comparison, level_of
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.boxes import BoxClaim
from verifier.questions.evidence import BoxEvidence, BoxRow
from verifier.questions.witness import EndsWitness, MissedRow
from verifier.world.box import filled
from verifier.world.relation import Blocks

if TYPE_CHECKING:
    from verifier.lp import Program

FEW_PAIRS = 20_000  # up to which a world is not compared with itself
FEW = 200  # pairs of which an example is looked for
SMALL, MOST_ROWS = 300, 3_000  # of a linear program that is tried at all, or where it decides
MOST_ENTRIES = 100_000  # that are compared, for a program to be written down
ROUNDS = 40
SHOWN = 40  # numbers of a matrix that is told
ZERO, ONE = Fraction(0), Fraction(1)
Row = tuple[int, int, int]  # two columns and an output
Rows = Mapping[Row, Fraction]


@dataclass(frozen=True)
class Found:
    """A level up to which all holds or is missed (None: infinite), and comparisons that say so.

    holds  whether the level that is asked for is no less
    """

    level: Fraction | None
    rows: Rows
    holds: bool


def decide(claim: BoxClaim) -> Answer:
    """The verdict on every matrix of the box of a claim; NotDecided where they differ."""
    if claim.relation.is_empty():
        return told(claim, proved(True, NO_COMPARISON, None))
    above, below = _by_entries(claim, upper=True), _by_entries(claim, upper=False)
    least, point = below, None
    if _is_open(claim, above, below):
        least, point = _by_programs(claim, below, SMALL if above.holds else MOST_ROWS)
    if above.holds or not least.holds:
        return told(claim, _proof(claim, above, least))
    raise NotDecided(_undecided(claim, above, least, point))


def _is_open(claim: BoxClaim, above: Found, below: Found) -> bool:
    """Whether linear programs may tell more than single entries do."""
    if not below.holds or below.level is None:
        return False
    near = all(part.distance == 1 for part in claim.relation.blocks)
    wide = above.level is None or above.level - below.level > below.level / 10**9
    few = claim.relation.count() * claim.outputs <= MOST_ENTRIES
    return near and few and (wide or not above.holds)


def _proof(claim: BoxClaim, above: Found, least: Found) -> Proof:
    low = ONE if least.level is not None and not least.rows else least.level
    if low is None:
        leakage: Leakage | None = Leakage()
    elif above.level is None:
        leakage = None
    else:
        known = [level for level in claim.box.levels if level >= above.level]
        leakage = Leakage.within((low, min(known, default=above.level)))
    keys = claim.keys

    def said(row: Row, weight: Fraction) -> BoxRow:
        i, j, output = row
        if not keys:
            return BoxRow(pair=(i, j), output=output, weight=weight)
        (prior, first), (_, second) = keys[i], keys[j]
        return BoxRow(prior=prior, pair=(first, second), output=output, weight=weight)

    listed = [said(row, weight) for row, weight in sorted(least.rows.items())]
    evidence = BoxEvidence(low, listed) if listed else None
    return proved(above.holds, leakage, evidence)


def told(claim: BoxClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    counts = {"worlds": claim.space.size, "outputs": claim.outputs}
    answer = leveled(claim, proof, counts)
    if not isinstance(proof.witness, BoxEvidence):
        return answer
    rows = []
    for row in proof.witness.rows:
        i, j = (
            at if isinstance(at, int) else claim.keys.index((row.prior or 0, at)) for at in row.pair
        )
        ends = claim.interval(i, row.output), claim.interval(j, row.output)
        label = claim.box.outputs[row.output]
        rows.append(MissedRow(claim.describe(i, j).pair, label, row.weight, *ends))
    return replace(answer, shown=EndsWitness(proof.witness.lower, rows, claim.delta))


def _pairs(claim: BoxClaim, upper: bool) -> Iterator[Blocks]:
    """The comparisons of upper ends with lower ones, or of lower with upper ones."""
    size = len(claim.columns)
    left, right = (0, size) if upper else (size, 0)
    for part in claim.relation.blocks:
        first, second = part.left, part.right
        if claim.relation.count() <= FEW_PAIRS:
            found = np.stack(part.arrays(), axis=1)
            first, second = found[:, :1], found[:, 1:]
        if len(first):
            yield Blocks(first + left, second + right, part.distance)


def _by_entries(claim: BoxClaim, upper: bool) -> Found:
    """The level that every matrix of the box meets, or that none is below, entry by entry."""
    if claim.delta:
        return _together(claim) if upper else _by_events(claim)
    size, table = len(claim.columns), Comparison(claim.ends)
    best, holds = Found(ONE, {}, True), True
    for part in _pairs(claim, upper):
        extreme = table.largest([part])
        if extreme is None or (extreme.ratio is not None and extreme.ratio <= 1):
            continue
        ratio = extreme.ratio
        holds &= ratio is not None and claim.level.admits(ratio, part.distance)
        level = None if ratio is None else level_of(ratio, part.distance)
        end = level[1 if upper else 0] if isinstance(level, tuple) else level
        if end is None or (best.level is not None and end > best.level):
            found = table.first([part], extreme)
            rows = {(found.left % size, found.right % size, found.output): ONE}
            best = Found(end, rows if best.level is not None else best.rows, True)
    return replace(best, holds=holds)


def _by_events(claim: BoxClaim) -> Found:
    """A level that no matrix of the box is below, by the worst event of two columns of ends."""
    size, pairs = (
        len(claim.columns),
        (pair for part in _pairs(claim, False) for pair in part.pairs()),
    )
    alpha, pair = hockey_stick.largest_alpha(claim.ends, pairs, claim.delta)
    rows: Rows = {}
    if pair:
        left, right = pair
        event = hockey_stick.event(claim.ends, pair, alpha)
        rows = {(left % size, right % size, output): ONE for output in event}
    return Found(alpha, rows, alpha is not None and claim.level.admits(alpha))


def _together(claim: BoxClaim) -> Found:
    """A level that every matrix of the box meets up to delta. For some outputs of a pair the
    probability in one column is at most the sum of their upper ends, and at most what the lower
    ends of all others leave."""
    best: Fraction | None = ONE
    outputs = range(claim.outputs)
    for i, j in claim.relation.pairs():
        ends = [(*claim.interval(i, o), claim.interval(j, o)[0]) for o in outputs]
        rest = 1 - sum((low for low, _, _ in ends), ZERO)
        levels = [hockey_stick.profile((p, q, 1) for _, p, q in ends).smallest_alpha(claim.delta)]
        if rest <= claim.delta:
            lowest = hockey_stick.profile((p, q, 1) for p, _, q in ends)
            levels.append(lowest.smallest_alpha(claim.delta - rest))
        known = [level for level in levels if level is not None]
        best = None if best is None or not known else max(best, min(known))
    return Found(best, {}, best is not None and claim.level.admits(best))


Columns = dict[int, list[Fraction]]  # of a matrix: world -> probabilities


def _by_programs(claim: BoxClaim, start: Found, most: int) -> tuple[Found, Columns | None]:
    """The least level of a matrix of the box, and such a matrix; what is known at the `start` where
    programs would have more rows than they may have at `most`."""
    best = start
    for _ in range(ROUNDS):
        assert best.level is not None
        rows = list(islice(_open_rows(claim, best.level), most + 1))
        if len(rows) > most:
            return best, None
        missed, point = _solved(claim, best.level, rows)
        if not missed:
            return best, point
        level = _root(claim, missed, best.level)
        best = Found(level, missed, level is not None and claim.level.admits(level))
        if not best.holds:
            return best, None
    return best, None


def _open_rows(claim: BoxClaim, alpha: Fraction) -> Iterator[Row]:
    """The comparisons that some matrix of the box might miss at a level."""
    ends, size = claim.ends, len(claim.columns)
    values, codes = ends.values, ends.codes.T
    for i, j in claim.relation.pairs():
        for o, (p, q) in enumerate(zip(codes[i].tolist(), codes[size + j].tolist(), strict=True)):
            if values[p] > alpha * values[q]:
                yield i, j, o


def _solved(claim: BoxClaim, alpha: Fraction, open_: list[Row]) -> tuple[Rows, Columns | None]:
    """The multipliers of (1), where every matrix misses something; else a matrix that misses
    nothing."""
    from verifier.lp import Optimal, solve

    worlds = sorted({w for i, j, _ in open_ for w in (*claim.columns[i], *claim.columns[j])})
    outputs = range(claim.outputs)
    cells = {(w, o): f"M {(w, o)}" for w in worlds for o in outputs}
    found = solve(_program(claim, alpha, open_, cells))
    assert isinstance(found, Optimal)
    if found.value < 0:
        weights = ((row, abs(found.multipliers.fraction(k))) for k, row in enumerate(open_))
        return {row: weight for row, weight in weights if weight}, None
    place = {cell: at for at, cell in enumerate(cells)}
    return {}, {w: [found.point.fraction(place[w, o]) for o in outputs] for w in worlds}


def _program(
    claim: BoxClaim, alpha: Fraction, open_: list[Row], cells: Mapping[tuple[int, int], str]
) -> Program:
    """How little a matrix of the box, with named `cells`, can miss the `open_` rows by: the largest
    row, or with delta the largest sum of the rows of a pair beyond delta."""
    from verifier import lp

    lines, slacks = [], dict[tuple[int, int], list[str]]()
    for row in open_:
        i, j, o = row
        terms: dict[str, Fraction | int] = {cells[w, o]: x for w, x in claim.columns[i].items()}
        for w, x in claim.columns[j].items():
            terms[cells[w, o]] = terms.get(cells[w, o], ZERO) - alpha * x
        slack = f"s {row}" if claim.delta else "t"
        lines.append(lp.Row(f"{row}", {**terms, slack: -1}, "<=", 0))
        if claim.delta:
            slacks.setdefault((i, j), []).append(slack)
    for pair, own in slacks.items():
        lines.append(lp.Row(f"{pair}", {**dict.fromkeys(own, 1), "t": -1}, "<=", claim.delta))
    for w in dict.fromkeys(w for w, _ in cells):
        ones = {cells[w, o]: 1 for o in range(claim.outputs)}
        lines.append(lp.Row(f"sum {w}", ones, "=", 1))
    ends = {name: claim.box.interval(o, w) for (w, o), name in cells.items()}
    lower, upper = ({name: end[k] for name, end in ends.items()} for k in (0, 1))
    names = [*cells.values(), *(name for own in slacks.values() for name in own), "t"]
    return lp.Program.build(names, lines, {"t": -1}, lower, upper)


def _root(claim: BoxClaim, rows: Rows, start: Fraction) -> Fraction | None:
    """The largest level at which (2) is not positive, by steps of Newton from above; None where it
    never is. At the `start` it is negative."""
    alpha, (value, slope) = start, _missed(claim, rows, start)
    while slope <= 0:
        if not any(claim.interval(j, o)[1] for _, j, o in rows):
            return None
        alpha *= 2
        value, slope = _missed(claim, rows, alpha)
    while value:
        alpha -= value / slope
        value, slope = _missed(claim, rows, alpha)
    return alpha


def _missed(claim: BoxClaim, rows: Rows, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """(2) at a level, and its slope where it is attained."""
    gains: dict[int, dict[int, Fraction]] = {}
    for (i, j, o), weight in rows.items():
        for w, x in claim.columns[i].items():
            own = gains.setdefault(w, {})
            own[o] = own.get(o, ZERO) - weight * x
        for w, x in claim.columns[j].items():
            own = gains.setdefault(w, {})
            own[o] = own.get(o, ZERO) + alpha * weight * x
    chosen = {w: filled(claim.box.column(w), own) for w, own in gains.items()}
    value = sum((x * chosen[w][o] for w, own in gains.items() for o, x in own.items()), ZERO)
    heaviest: dict[tuple[int, int], Fraction] = {}
    for (i, j, _), weight in rows.items():
        heaviest[i, j] = max(weight, heaviest.get((i, j), ZERO))
    slope = sum(
        (
            weight * x * chosen[w][o]
            for (_, j, o), weight in rows.items()
            for w, x in claim.columns[j].items()
        ),
        ZERO,
    )
    return value + claim.delta * sum(heaviest.values()), slope


def _undecided(claim: BoxClaim, above: Found, least: Found, point: Columns | None) -> str:
    """That some matrices hold, and some do not, with one of each where one is known."""
    level = exact.text(least.level or ONE)
    if point is None:
        return (
            "entry by entry the ends do not decide it, and the linear program that looks for a "
            f"matrix between them is too large, or for distances of 1 only; e^ε is at least {level}"
        )
    worst = _worst(claim, above)
    holds = f"this one does, even at e^ε = {level}: {_shown(claim, point)}"
    if worst is None:
        return f"some matrices of the box hold; {holds}; it is not known whether all of them do"
    return f"some matrices of the box hold; {holds}; this one does not: {_shown(claim, worst)}"


def _worst(claim: BoxClaim, above: Found) -> Columns | None:
    """A matrix of the box that misses the level that is asked for, where one is found: for the
    outputs of a pair whose ends are farthest apart."""
    pairs = [(i, j) for i, j, _ in above.rows][:1] if not claim.delta else claim.relation.pairs()
    for i, j in islice(pairs, FEW):
        ends = [(claim.interval(i, o)[1], claim.interval(j, o)[0]) for o in range(claim.outputs)]
        order = sorted(range(claim.outputs), key=lambda o: _apart(*ends[o]), reverse=True)
        if not claim.delta:
            order = [o for _, _, o in above.rows]
        for size in range(1, len(order) + 1):
            found = _farthest(claim, i, j, order[:size])
            p, q = (
                sum(
                    (x * found[w][o] for w, x in claim.columns[at].items() for o in order[:size]),
                    ZERO,
                )
                for at in (i, j)
            )
            if _misses(claim, i, j, p - claim.delta, q):
                return found
    return None


def _apart(p: Fraction, q: Fraction) -> tuple[bool, Fraction]:
    return (not q and p > 0, p / q if q else p)


def _farthest(claim: BoxClaim, i: int, j: int, outputs: Sequence[int]) -> Columns:
    """The columns of a matrix in which some outputs are likeliest in one column, and least likely
    in the other one."""
    found: Columns = {}
    for column, sign in ((j, -1), (i, 1)):
        gains = {o: Fraction(sign) for o in outputs}
        found |= {w: filled(claim.box.column(w), gains) for w in claim.columns[column]}
    return found


def _misses(claim: BoxClaim, i: int, j: int, p: Fraction, q: Fraction) -> bool:
    """Whether p > α^d·q for columns that are compared."""
    parts = (part for part in claim.relation.blocks if (i, j) in set(part.pairs()))
    return p > 0 and any(not q or not claim.level.admits(p / q, part.distance) for part in parts)


def _shown(claim: BoxClaim, columns: Columns) -> str:
    """A matrix in words, as far as it is short."""
    listed = sorted(columns.items())
    if len(listed) * claim.outputs > SHOWN:
        return f"in {claim.space.name(listed[0][0])} … ({len(listed)} worlds)"
    return ", ".join(
        f"{claim.space.name(w)}: [{', '.join(map(exact.text, column))}]" for w, column in listed
    )
