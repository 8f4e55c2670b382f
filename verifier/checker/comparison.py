"""Certificates of kind "comparison": P <= alpha^distance Q for every output, or so up to delta.

The claimed leakage is verified from both sides: there every comparison holds, and the witness
allows nothing smaller. The verdict must then be what leakage and level say.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from .conditionals import Places, condition, is_prior_list
from .extremes import hardest
from .level import ONE, Level, read_level
from .reading import (
    Refused,
    Rejected,
    Table,
    fields,
    integers,
    number,
    read_claim,
    read_evidence,
    read_model,
    show,
    total,
)
from .relation import RULES, Block, read_blocks, secret_pair, world_pair

WIDTH = 10**9  # an enclosure has (upper - lower) * WIDTH <= lower


@dataclass(frozen=True)
class Witness:
    """The probabilities of one event in two compared columns, at their distance."""

    p: Fraction
    q: Fraction
    distance: Fraction


def check_comparison(document: dict[str, Any]) -> None:
    """Return if the evidence proves the claim, else raise Rejected or Refused."""
    claim, relation = document["claim"], document["relation"]
    holds = read_claim(claim, ("level", "leakage"))
    level = read_level(claim["level"])
    model = read_model(document["model"], claim["digest"])
    if model.mechanism is None or model.functions is not None:
        raise Refused("a comparison needs a mechanism in the model, and no functions")
    places: Places | None = None
    if is_prior_list(relation):
        table, blocks, places = condition(relation, model, model.mechanism)
    else:
        table, blocks = model.mechanism, read_blocks(relation, model, RULES)
    if level.delta and relation["rule"] == "distances":
        raise Refused("with distances, delta must be 0")
    witness = _read_witness(document, table, blocks, places, level.delta)
    within = _is_within(claim["leakage"], level, table, blocks, witness)
    if within != holds:
        raise Rejected(f"wrong verdict: the leakage is {'' if within else 'not '}within the level")


def _read_witness(
    document: dict[str, Any],
    table: Table,
    blocks: list[Block],
    places: Places | None,
    delta: Fraction,
) -> Witness | None:
    """The witness of the evidence, which must be one of the comparisons."""
    witness, key = read_evidence(document["evidence"]), "outputs" if delta else "output"
    if witness is None:
        return None
    if places is None:
        fields(witness, "the witness", ("pair", key))
        i, j = world_pair(witness["pair"], len(table.names))
    else:
        fields(witness, "the witness", ("prior", "pair", key))
        (prior,) = integers([witness["prior"]], "the witness's prior", 0)
        s, t = secret_pair(witness["pair"], document["relation"]["secrets"])
        if (prior, s) not in places or (prior, t) not in places:
            raise Rejected("the witness's prior does not allow both of its secrets")
        i, j = places[prior, s], places[prior, t]
    event = integers(witness[key] if delta else [witness[key]], key, 0, len(table.outputs))
    if len(set(event)) < len(event):
        raise Refused("the witness has an output twice")
    distance = next((d for first, second, d in blocks if i in first and j in second), None)
    if distance is None:
        pair = f"{show(table.names[i])} to {show(table.names[j])}"
        raise Rejected(f"the witness, {pair}, is not a pair of the relation")
    p, q = (total(table.ratio(column, o) for o in event) for column in (i, j))
    return Witness(p, q, distance)


def _is_within(
    leakage: Any, level: Level, table: Table, blocks: list[Block], witness: Witness | None
) -> bool:
    """Whether the leakage, once verified, is within the level."""
    form = next(iter(leakage), None) if type(leakage) is dict else None
    if form == "vacuous" or form == "infinite":
        fields(leakage, "the leakage", (form,))
        if leakage[form] is not True:
            raise Refused(f"the leakage's {form} must be true")
    if form == "vacuous" or not blocks:
        if form != "vacuous" or blocks or witness:
            raise Rejected("the leakage is vacuous when, and only when, no pair is compared")
        return True
    if form == "infinite":
        if witness is None or not _is_unbounded(witness, level.delta):
            raise Rejected("the leakage is not proved infinite by a witness")
        return False
    exact = form == "exp_epsilon" or level.delta > 0
    keys = ("exp_epsilon",) if exact else ("lower", "upper")
    fields(leakage, "the leakage", keys)
    low, high = (number(leakage[key], "the leakage") for key in (keys[0], keys[-1]))
    if not 1 <= low <= high or (high - low) * WIDTH > low:
        raise Refused("a leakage is at least 1, and enclosed to a relative width of 1e-9")
    if violation := _first_violation(table, blocks, Level(high, None, level.delta)):
        raise Rejected(f"the leakage is too small: {violation}")
    if witness is None and low > 1:
        raise Rejected("a leakage above 1 needs a witness")
    if witness and not _attains(witness, low, level.delta):
        found = f"{show(witness.p)} against {show(witness.q)} at distance {show(witness.distance)}"
        raise Rejected(f"the leakage is too large, or the witness wrong: it has {found}")
    if level.allows(high, ONE, ONE):
        return True
    return level.allows(low, ONE, ONE) and not _first_violation(table, blocks, level)


def _is_unbounded(witness: Witness, delta: Fraction) -> bool:
    """No finite level satisfies the witness."""
    if witness.distance == 0:
        return witness.p > witness.q
    return witness.q == 0 and witness.p > delta


def _attains(witness: Witness, low: Fraction, delta: Fraction) -> bool:
    """No level below `low` satisfies the witness: p - delta >= low^distance q, and q > 0."""
    inverse = Level(Fraction(1, low), None, delta)
    return (
        witness.q > 0
        and witness.distance > 0
        and inverse.allows(witness.q, witness.p - delta, witness.distance)
    )


def _first_violation(table: Table, blocks: list[Block], level: Level) -> str | None:
    """The first comparison that fails at this level, in words."""
    if level.delta:
        return _first_excess(table, blocks, level)
    values = table.values
    for distance, pairs in hardest(table, blocks).items():
        if not all(level.allows(values[p], values[q], distance) for p, q in pairs):
            return next(filter(None, (_locate(table, block, level) for block in blocks)))
    return None


def _locate(table: Table, block: Block, level: Level) -> str | None:
    """The first failing output of a block, in words."""
    for o, output in enumerate(table.outputs):
        i = max(block[0], key=lambda c: table.columns[c][o])
        j = min(block[1], key=lambda c: table.columns[c][o])
        p, q = (table.values[table.columns[c][o]] for c in (i, j))
        if not level.allows(p, q, block[2]):
            there = f"{show(p)} in {show(table.names[i])}, {show(q)} in {show(table.names[j])}"
            return f"output {show(output)} has probability {there}"
    return None


def _first_excess(table: Table, blocks: list[Block], level: Level) -> str | None:
    """The first pair with sum over the outputs of max(0, P - alpha Q) > delta, in words."""
    alpha = level.alpha
    assert alpha is not None
    for first, second, _ in blocks:
        for i, j in product(first, second):
            codes = Counter(zip(table.columns[i], table.columns[j], strict=True))
            gains = ((table.values[p] - alpha * table.values[q], k) for (p, q), k in codes.items())
            excess = total((k * gain.numerator, gain.denominator) for gain, k in gains if gain > 0)
            if excess > level.delta:
                pair = f"{show(table.names[i])} against {show(table.names[j])}"
                return f"{pair} needs a delta of {show(excess)}"
    return None
