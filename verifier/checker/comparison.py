"""Certificates of kind "comparison": P <= alpha^distance Q for every output, or so up to delta.

The claimed leakage is verified from both sides: there every comparison holds, and the witness
allows nothing smaller. The verdict must then be what leakage and level say.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from .level import Level, read_level
from .reading import Rejected, Table, check_digest, fields, indices, need, number, read_table, total
from .relation import ONE, Block, read_blocks, read_secrets


def check_comparison(document: dict[str, Any]) -> None:
    """Return if the evidence proves the claim, else raise."""
    claim, relation, model = document["claim"], document["relation"], document["model"]
    fields(claim, "definition kind verdict digest level leakage")
    check_digest(model, claim["digest"])
    level, table = read_level(claim["level"]), read_table(model)
    names: dict[Any, int] = {w: w for w in range(len(model["worlds"]))}
    if relation["rule"] == "secrets" and relation["priors"]["class"] == "list":
        table, names, blocks = _condition(relation, model, table)
    else:
        blocks = read_blocks(relation, model)
    need(not level.delta or all(d == 1 for _, _, d in blocks), "with distances, delta is 0")
    fields(document["evidence"], "witness")
    witness = document["evidence"]["witness"]
    if witness is not None:
        witness = _witness(witness, table, names, blocks, level.delta)
    holds = _is_within(claim["leakage"], level, table, blocks, witness)
    verdict = "holds" if holds else "violated"
    need(claim["verdict"] == verdict, f"by the leakage the verdict is {verdict}", Rejected)


def _condition(relation: Any, model: Any, table: Table) -> tuple[Table, Any, list[Block]]:
    """P(output | secret) under each listed prior: a table, its column of each (prior, secret) with
    P(secret) > 0, and which of them are compared."""
    fields(relation["priors"], "class priors")
    names: dict[tuple[int, str], int] = {}
    rows: list[list[Fraction]] = []
    blocks: list[Block] = []
    for k, weights in enumerate(relation["priors"]["priors"]):
        prior = list(map(number, weights))
        fits = len(prior) == len(model["worlds"]) and min(prior) >= 0 and sum(prior) == 1
        need(fits, f"prior {k} is no distribution on the worlds", Rejected)
        for s, t, *sides in read_secrets(relation, model):
            for name, worlds in zip((s, t), sides, strict=True):
                support = [w for w in worlds if prior[w]]
                if support and (k, name) not in names:
                    names[k, name] = len(rows)
                    mass = total([(1, prior[w]) for w in support])
                    shares = [prior[w] / mass for w in support]
                    outputs = zip(*(table.columns[w] for w in support), strict=True)
                    terms = (zip(shares, codes, strict=True) for codes in outputs)
                    rows.append(
                        [total([(1, p * table.values[c]) for p, c in row]) for row in terms]
                    )
            if (k, s) in names and (k, t) in names:
                blocks.append(((names[k, s],), (names[k, t],), ONE))
    values = sorted({p for row in rows for p in row})
    code = {p: at for at, p in enumerate(values)}
    return Table(values, [[code[p] for p in row] for row in rows]), names, blocks


def _witness(
    witness: Any, table: Table, names: dict[Any, int], blocks: list[Block], delta: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """P, Q and distance of the witness, which must be one of the comparisons."""
    prior, key = "prior" in witness, "outputs" if delta else "output"
    fields(witness, f"{'prior ' if prior else ''}pair {key}")
    i, j = (names[(witness["prior"], end) if prior else end] for end in witness["pair"])
    distance = next((d for s, t, d in blocks if i != j and i in s and j in t), None)
    need(distance is not None, "the witness is no pair of the relation", Rejected)
    event = set(indices(witness[key] if delta else [witness[key]], len(table.columns[i])))
    p, q = (total([(1, table.values[table.columns[c][o]]) for o in event]) for c in (i, j))
    return p, q, distance or ONE


def _is_within(leakage: Any, level: Level, table: Table, blocks: list[Block], witness: Any) -> bool:
    """Whether the leakage, once verified, is within the level."""
    if "vacuous" in leakage or not blocks:
        need(leakage == {"vacuous": True} and not blocks and not witness, "not vacuous", Rejected)
        return True
    p, q, distance = witness or (ONE, ONE, ONE)
    if "infinite" in leakage:
        endless = leakage == {"infinite": True} and q == 0 and p > level.delta
        need(endless, "the leakage is not proved infinite", Rejected)
        return False
    fields(leakage, "lower upper" if "lower" in leakage else "exp_epsilon")
    low, high = min(ends := [number(end) for end in leakage.values()]), max(ends)
    need(low >= 1 and (high - low) * 10**9 <= low, "a leakage is at least 1, and narrow")
    need(not level.delta or low == high, "with delta, a leakage is exact")
    need(_hold(table, blocks, Level(high, None, level.delta)), "the leakage is too small", Rejected)
    attained = q > 0 and Level(1 / low, None, level.delta).allows(q, p - level.delta, distance)
    need(attained if witness else low == 1, "the leakage is too large for the witness", Rejected)
    return level.allows(high, ONE) or (level.allows(low, ONE) and _hold(table, blocks, level))


def _hold(table: Table, blocks: list[Block], level: Level) -> bool:
    """Whether every comparison holds at this level."""
    if level.delta:
        pairs = {(i, j) for s, t, _ in blocks for i, j in product(s, t)}
        return all(_excess(table, i, j, level.alpha) <= level.delta for i, j in pairs)
    found: dict[Fraction, set[tuple[int, int]]] = defaultdict(set)

    def extreme(choose: Callable[..., int], worlds: Sequence[int]) -> Iterable[int]:
        columns = [table.columns[w] for w in worlds]
        return columns[0] if len(columns) == 1 else map(choose, zip(*columns, strict=True))

    for s, t, distance in blocks:
        if s is t and len(s) == 2:
            there = set(zip(*(table.columns[w] for w in s), strict=True))
            found[distance] |= there | {(q, p) for p, q in there}
        else:  # codes ascend with values: the largest P against the smallest Q decides
            found[distance].update(zip(extreme(max, s), extreme(min, t), strict=True))
    hard = (
        (table.values[p], table.values[q], d) for d, ps in found.items() for p, q in ps if p > q
    )
    return all(level.allows(*comparison) for comparison in hard)


def _excess(table: Table, i: int, j: int, alpha: Any) -> Fraction:
    """The sum over the outputs of max(0, P - alpha Q)."""
    codes = Counter(zip(table.columns[i], table.columns[j], strict=True)).items()
    gains = [(k, table.values[p] - alpha * table.values[q]) for (p, q), k in codes]
    return total([(k, gain) for k, gain in gains if gain > 0])
