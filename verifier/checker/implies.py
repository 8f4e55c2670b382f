"""Certificates of kind "implies": every mechanism of one definition is of another one at a level,
and a mechanism of the first that needs this level.

Evidence: the mechanism of the model, the comparison in which it needs the level; and for every
inequality b of the second definition at the level multipliers y >= 0 of inequalities h of the first
with Σ_h y_h h >= b. Rows sum to 1 in each world, so an inequality with Σ_w h_w = 0 is an equation.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .comparison import check_comparison
from .halfspaces import Row, read_halfspaces
from .level import Level, read_level
from .reading import Rejected, afford, fields, indices, need, number, read_table

Key = tuple[tuple[int, Fraction], ...]


def check_implies(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the level that is asked for is implied, once the smallest one is verified."""
    fields(relation, "if level then")
    fields(witness, "worst inequalities proofs")
    fields(relation["level"], "exp_epsilon")
    level, _ = read_level({**relation["level"], "delta": "0"})
    _, delta = read_level(claim["level"])
    need(level.alpha is not None and delta == 0, "two pure definitions")
    holds = check_comparison(claim, model, relation["then"], witness["worst"])
    asked = {_key(row): row for row in _premise(relation["if"], model, level)}
    values, columns = read_table(model)
    for codes in zip(*columns, strict=True):
        x = [values[code] for code in codes]
        fits = all(sum(h * x[w] for w, h in terms.items()) <= 0 for terms in asked.values())
        need(fits, "the mechanism is not of the first definition", Rejected)
    leakage = claim["leakage"]
    if "infinite" in leakage or "vacuous" in leakage:
        return bool(holds)
    upper = number(leakage["upper" if "upper" in leakage else "exp_epsilon"])
    used = [_row(listed) for listed in witness["inequalities"]]
    need(all(_key(row) in asked for row in used), "another inequality", Rejected)
    proofs = {_key(_row(proof["inequality"])): proof for proof in witness["proofs"]}
    afford(len(model["worlds"]) * sum(len(proof["multipliers"]) for proof in proofs.values()))
    for row in read_halfspaces(relation["then"], model, upper):
        if max(row.values()) > 0:
            need(_key(row) in proofs, "an inequality is not proved", Rejected)
    for proof in proofs.values():
        _check_proof(proof, used)
    return bool(holds)


def _premise(relation: Any, model: Any, level: Level) -> Iterator[Row]:
    """Every inequality of the first definition; equations both ways."""
    assert level.alpha is not None
    for row in read_halfspaces(relation, model, level.alpha):
        if any(row.values()):
            yield row
            if not sum(row.values()):
                yield {w: -h for w, h in row.items()}


def _check_proof(proof: Any, used: list[Row]) -> None:
    """Σ_h y_h h >= b with y >= 0."""
    fields(proof, "inequality multipliers")
    rest = {w: -b for w, b in _row(proof["inequality"]).items()}
    indices([h for h, _ in proof["multipliers"]], len(used))
    for h, text in proof["multipliers"]:
        y = number(text)
        need(y >= 0, "a multiplier is negative", Rejected)
        for w, factor in used[h].items():
            rest[w] = rest.get(w, Fraction(0)) + y * factor
    need(min(rest.values()) >= 0, "the multipliers do not prove an inequality", Rejected)


def _row(listed: Any) -> Row:
    """World -> coefficient, out of pairs."""
    row = {w: number(h) for w, h in listed}
    need(len(row) == len(listed) and all(type(w) is int for w in row), "a world stands twice")
    return row


def _key(row: Row) -> Key:
    """An inequality, up to a positive factor."""
    kept = [(w, h) for w, h in sorted(row.items()) if h]
    return tuple((w, h / abs(kept[0][1])) for w, h in kept)
