"""Certificates of kind "comparison": P <= alpha^distance Q for every output, or so up to delta.

The claimed leakage is verified from both sides: there every comparison holds, and the witness
allows nothing smaller. The verdict must then be what leakage and level say.
"""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from .level import ONE, Level, read_level, read_tradeoff, settle
from .reading import (
    Rejected,
    Table,
    afford,
    denominator,
    fields,
    indices,
    items,
    mapping,
    need,
    numbers,
    read_table,
    total,
)
from .relation import Block, read_blocks, read_pair, read_secrets

FORMS = (("B", 7), ("H", 15), ("I", 31))  # of arrays, and the bits below the top one
NOTHING = ONE, ONE, {ONE}  # what a leakage of 1 needs
Names = dict[tuple[int, str], int]  # prior, secret -> column
FEW = 100  # comparisons of worlds that are made one by one


def check_comparison(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    points = read_tradeoff(claim)
    (level, delta), table = read_level(claim["level"]), read_table(model)
    names: Names | None = None
    if relation["rule"] == "secrets" and relation["priors"]["class"] in ("list", "conditionals"):
        table, names, blocks = condition(relation, model, table)
    else:
        blocks = read_blocks(relation, model)
    need(not delta or all(d == 1 for _, _, d in blocks), "with distances, delta is 0")
    given = witness is not None
    p, q, distances = _reach(witness, table, names, blocks, delta) if given else NOTHING
    need(not delta or "lower" not in claim["leakage"], "with delta, a leakage is exact")

    def needs(low: Level | None) -> bool:
        if low is None:
            return p > 0 == q
        return q > 0 and any(low.compare(p, q, d) >= 0 for d in distances)

    def holds(at: Level) -> bool:
        return hold(table, blocks, at, delta)

    for alpha, least in points:
        need(all(d == 1 for _, _, d in blocks), "with distances, there is no delta")
        need(_largest(table, blocks, alpha) == least, "not the smallest delta", Rejected)
    return settle(claim["leakage"], level, not blocks, holds, needs, within=True)


def condition(relation: Any, model: Any, table: Table) -> tuple[Table, Names, list[Block]]:
    """P(output | secret) under each prior: a table, its column of each (prior, secret) with
    P(secret) > 0, and which of them are compared. A prior of class conditionals is a distribution
    for each of some secrets, concentrated on it."""
    fields(relation["priors"], "class priors")
    secrets, pairs = read_secrets(relation, model)
    given = relation["priors"]["class"] == "conditionals"
    weighted: dict[tuple[int, str], dict[int, int]] = {}
    priors, steps = items(relation["priors"]["priors"]), 0
    for k, prior in enumerate(priors):
        if given:
            need(set(mapping(prior)) <= set(secrets), "a secret is not known")
            weights = {name: _weights(prior[name], model, k) for name in prior}
        else:
            weights = dict.fromkeys(secrets, _weights(prior, model, k))
        for name, masses in weights.items():
            inside = {w: masses[w] for w in secrets[name] if masses[w]}
            steps += len(secrets[name]) + 10 * len(inside) * len(table[1][0])
            afford(steps)
            whole = not given or sum(inside.values()) == sum(masses)
            need(whole, "mass outside a secret", Rejected)
            if inside:
                weighted[k, name] = inside
    names: Names = {side: at for at, side in enumerate(weighted)}
    rows = [_mean(table, inside) for inside in weighted.values()]
    values = sorted({p for row in rows for p in row})
    code = {p: at for at, p in enumerate(values)}
    afford(2 * len(priors) * len(pairs))
    sides = (((k, s), (k, t)) for k in range(len(priors)) for s, t in pairs)
    both = ((names[s], names[t]) for s, t in sides if s in names and t in names)
    blocks: list[Block] = [([i], [j], ONE) for i, j in both]
    return (values, [[code[p] for p in row] for row in rows]), names, blocks


def _mean(table: Table, weights: dict[int, int]) -> list[Fraction]:
    """The mean of some columns, with these weights."""
    values, columns = table
    codes = zip(*(columns[w] for w in weights), strict=True)
    parts = list(weights.values())
    sums = (total(zip(parts, map(values.__getitem__, row), strict=True)) for row in codes)
    return [Fraction(mass, sum(parts)) for mass in sums]


def _weights(listed: Any, model: Any, prior: int) -> list[int]:
    """Integers in the proportions of a distribution on the worlds."""
    found = numbers(listed)
    fits = len(found) == len(model["worlds"]) and min(found) >= 0 and sum(found) == 1
    need(fits, f"prior {prior} is no distribution on the worlds", Rejected)
    scale = denominator(found)
    return [int(weight * scale) for weight in found]


def _reach(
    witness: Any, table: Table, names: Names | None, blocks: list[Block], delta: Fraction
) -> Any:
    """P - delta, Q and distances of a witness, which must be about one of the comparisons."""
    key = "outputs" if delta else "output"
    fields(witness, f"pair {key}" if names is None else f"prior pair {key}")
    if names is None:
        i, j = indices(witness["pair"], len(table[1]))
    else:
        (prior,) = indices([witness["prior"]], 2**60)
        i, j = (names[prior, name] for name in read_pair(witness["pair"]))
    distances = {d for s, t, d in blocks if i != j and i in s and j in t}
    need(distances, "the witness is no pair of the relation", Rejected)
    (values, columns), event = table, witness[key] if delta else [witness[key]]
    event = set(indices(event, len(columns[i])))
    p, q = (total((1, values[columns[end][o]]) for o in event) for end in (i, j))
    return p - delta, q, distances


def hold(table: Table, blocks: list[Block], level: Level, delta: Fraction) -> bool:
    """Whether every comparison holds at this level."""
    values, columns = table
    if delta:
        return _largest(table, blocks, level.alpha) <= delta
    # Codes ascend with values. So P passes with just those Q whose code is at least its limit, and
    # one subtraction of large integers, whose digits are codes, compares all outputs of two worlds.
    _afford_comparisons(table, blocks)
    form = next(f for f, bits in FORMS if len(values) < 1 << bits)
    top = _pack(form, [1 << array(form).itemsize * 8 - 1] * len(columns[0]))
    limits = {d: _limits(values, level, d) for d in {d for _, _, d in blocks}}

    @cache
    def packed(world: int, distance: Fraction | None) -> int:
        column = columns[world]
        return _pack(form, map(limits[distance].__getitem__, column) if distance else column)

    def sides(s: Sequence[int], t: Sequence[int], d: Fraction) -> Iterable[tuple[int, int]]:
        if len(s) * len(t) <= FEW:
            return product([packed(i, d) for i in s], [packed(j, None) for j in t])
        largest = map(max, zip(*(columns[i] for i in s), strict=True))
        smallest = map(min, zip(*(columns[j] for j in t), strict=True))
        return [(_pack(form, map(limits[d].__getitem__, largest)), _pack(form, smallest))]

    compared = (pair for block in blocks for pair in sides(*block))
    return all(((least | top) - limit) & top == top for limit, least in compared)


def _afford_comparisons(table: Table, blocks: list[Block]) -> None:
    """Refuse too many comparisons; and too many tables, one for each distance."""
    (values, columns), distances = table, {d for _, _, d in blocks}
    outputs = len(columns[0])
    afford(4 * len(distances) * len(columns) * outputs)
    afford(100 * len(distances - {ONE}) * len(values))
    sizes, each = [(len(s), len(t)) for s, t, _ in blocks], 20 + outputs // 20
    afford(sum(a * b * each if a * b <= FEW else (a + b) * outputs for a, b in sizes))


def _largest(table: Table, blocks: list[Block], alpha: Any) -> Fraction:
    """The largest excess of a pair."""
    values, columns = table
    afford(sum(len(s) * len(t) for s, t, _ in blocks) * (50 + len(columns[0])))
    pairs = {(i, j) for s, t, _ in blocks for i, j in product(s, t)}
    excesses = (_excess(values, columns[i], columns[j], alpha) for i, j in pairs)
    return max(excesses, default=Fraction(0))


def _limits(values: list[Fraction], level: Level, distance: Fraction) -> list[int]:
    """For each P the code of the smallest Q with P <= alpha^distance Q; it ascends with P."""
    heads = [(v.numerator << 64) // v.denominator for v in values]  # most comparisons end here
    simple = level.alpha is not None and distance == 1
    a, b = level.alpha.as_integer_ratio() if level.alpha and simple else (0, 1)
    limits, q = [], 0
    for p, head in zip(values, heads, strict=True):
        while (head + 1) * b > heads[q] * a:  # else certainly P <= alpha Q
            above = simple and head * b >= (heads[q] + 1) * a  # certainly P > alpha Q
            if not above and level.compare(p, values[q], distance) <= 0:
                break
            q += 1
        limits.append(q)
    return limits


def _pack(form: str, codes: Iterable[int]) -> int:
    """One integer whose digits, of the width that an array of this form has, are the codes."""
    return int.from_bytes(array(form, codes).tobytes(), sys.byteorder)


def _excess(values: list[Fraction], left: list[int], right: list[int], alpha: Any) -> Fraction:
    """The sum over the outputs of max(0, P - alpha Q)."""
    codes = Counter(zip(left, right, strict=True)).items()
    gains = ((k, values[p] - alpha * values[q]) for (p, q), k in codes)
    return total((k, gain) for k, gain in gains if gain > 0)
