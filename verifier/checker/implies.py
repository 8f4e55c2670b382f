"""Certificates of kind "implies": every mechanism of one definition is of another one at a level,
and a mechanism of the first that needs this level.

Evidence: the mechanism of the model, the comparison in which it needs the level; and for every
inequality b of the second definition at the level multipliers y >= 0 of inequalities h of the first
with Σ_h y_h h >= b. Rows sum to 1 in each world, so an inequality with Σ_w h_w = 0 is an equation.

Or: all rows of a definition are in the row cone of given mechanisms; or all of its mechanisms are
mixtures of post-processings of given ones. These have no level.
"""

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any

from .comparison import check_comparison
from .extreme import extreme_mechanisms
from .halfspaces import Halfspace as Row
from .halfspaces import Key, key, read_halfspaces
from .halfspaces import read_halfspace as read_row
from .level import ONE, Level, read_level
from .post_processing import check_post_processing
from .reading import (
    Rejected,
    Table,
    afford,
    fields,
    indices,
    items,
    need,
    number,
    numbers,
    read_given,
    read_table,
)
from .row_cone import check_row_cone


def check_implies(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the level that is asked for is implied, once the smallest one is verified."""
    fields(relation, "if level then")
    if relation["then"] == {"rule": "row_cone"}:
        return _check_into_cone(claim, model, relation, witness)
    if relation["then"]["rule"] == "post_processing":
        return _check_into_closure(claim, model, relation, witness)
    fields(claim, "definition kind verdict digest level leakage")
    fields(witness, "worst inequalities proofs")
    asked, delta = read_level(claim["level"])
    need(delta == 0, "a pure definition")
    holds = check_comparison(claim, model, relation["then"], witness["worst"])
    level = _to_prove(claim["leakage"], asked, holds)
    is_given = relation["if"] == {"rule": "given"}
    proofs = [witness["inequalities"], witness["proofs"]]
    need(is_given == ("given" in model), "given mechanisms are for a rule given")
    need(proofs == [[], []] or (level is not None and not is_given), "proofs of nothing")
    if is_given:
        need(relation["level"] is None, "given mechanisms have no level")
        wanted = [] if level is None else list(read_halfspaces(relation["then"], model, level))
        _check_given(read_table(model), read_given(model), wanted)
        return holds
    premise = _premise(relation, model)
    need(_admits(premise.values(), [read_table(model)]), "not of the first definition", Rejected)
    if level is not None:
        _check_proofs(read_halfspaces(relation["then"], model, level), premise, model, witness)
    return holds


def _check_into_cone(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether all rows of the first definition are in the row cone of the given mechanisms: all its
    facets and equations are proved; or a mechanism of the first has a row outside."""
    fields(claim, "definition kind verdict digest")
    premise = _premise(relation, model)
    if "worst" in witness:
        fields(witness, "worst")
        inside = check_row_cone(claim, model, None, witness["worst"])
        need(not inside, "no row is outside", Rejected)
        table = read_table(model)
        need(_admits(premise.values(), [table]), "not of the first definition", Rejected)
        return False
    fields(witness, "equations facets inequalities proofs")
    _check_rows(claim, model, premise, witness)
    return True


def _check_rows(claim: Any, model: Any, premise: dict[Key, Row], witness: Any) -> None:
    """All facets and equations of the row cone of the given mechanisms are proved."""
    parts = {key: items(witness[key]) for key in ("equations", "facets")}
    count = str(len(parts["facets"]))
    check_row_cone({**claim, "facets": count, "value": count}, model, None, parts)
    equations, facets = (list(map(numbers, rows)) for rows in parts.values())
    turned = [[-a for a in row] for row in equations]
    rows = [{w: -a for w, a in enumerate(row) if a} for row in (*equations, *turned, *facets)]
    _check_proofs(rows, premise, model, witness)


def _check_into_closure(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether all mechanisms of the first definition are mixtures of post-processings of the given
    ones: each of those that the first is about; or, where it asks something of each row alone, all
    extreme ones of a mechanism in whose row cone all rows of the first are. Or one is not."""
    fields(claim, "definition kind verdict digest")
    fields(relation["then"], "rule of")
    read_given(model)
    given, rule = _chosen(model, relation["then"]["of"]), relation["if"]["rule"]
    known = _known(model, relation) if rule in ("post_processing", "row_cone") else None
    if "worst" in witness:
        made = check_post_processing(claim, {**model, "given": given}, None, witness["worst"])
        need(not made, "the mechanism is such a mixture", Rejected)
        _check_belongs(claim, model, relation, witness, known)
        return False
    if known is not None and rule == "post_processing":
        fields(witness, "mixtures")
        need("outputs" not in model, "the model has no mechanism of its own")
        wanted = known
    else:
        _check_inside(claim, model, relation, witness, known)
        wanted = extreme_mechanisms(read_table(model), witness["sums"], witness["rays"])
    for one, mixture in zip(wanted, items(witness["mixtures"]), strict=True):
        about = {**one, "worlds": model["worlds"], "given": given}
        check_post_processing(claim, about, None, {"mixture": mixture})
    return True


def _check_inside(
    claim: Any, model: Any, relation: Any, witness: Any, known: list[Any] | None
) -> None:
    """All rows of the first definition are in the row cone of the mechanism of the model."""
    own = {key: model[key] for key in ("outputs", "values", "columns")}
    about = {"worlds": model["worlds"], "given": [{"name": "", **own}]}
    if known is None:
        fields(witness, "sums rays mixtures equations facets inequalities proofs")
        _check_rows(claim, about, _premise(relation, model), witness)
        return
    fields(witness, "sums rays mixtures weights")
    for one, weights in zip(known, items(witness["weights"]), strict=True):
        check_row_cone(claim, {**one, **about}, None, {"weights": weights})


def _check_belongs(
    claim: Any, model: Any, relation: Any, witness: Any, known: list[Any] | None
) -> None:
    """The mechanism of the model is of the first definition."""
    table = read_table(model)
    if known is None:
        fields(witness, "worst")
        admitted = _admits(_premise(relation, model).values(), [table])
        need(admitted, "not of the first definition", Rejected)
    elif relation["if"]["rule"] == "row_cone":
        fields(witness, "worst weights")
        check_row_cone(claim, {**model, "given": known}, None, {"weights": witness["weights"]})
    else:
        fields(witness, "worst")
        listed = [_columns(other) for other in read_given({**model, "given": known})]
        need(_columns(table) in listed, "the mechanism is none of the given ones", Rejected)


def _known(model: Any, relation: Any) -> list[Any]:
    """The mechanisms that the first definition is about."""
    fields(relation["if"], "rule of")
    need(relation["level"] is None, "given mechanisms have no level")
    return _chosen(model, relation["if"]["of"])


def _chosen(model: Any, of: Any) -> list[Any]:
    """Some of the given mechanisms, at least one."""
    need(indices(of, len(model["given"])), "a list of mechanisms is needed")
    return [model["given"][at] for at in of]


def _check_proofs(wanted: Iterable[Row], premise: dict[Key, Row], model: Any, witness: Any) -> None:
    """Every wanted inequality, unless all x >= 0 satisfy it, is proved by those of the premise."""
    worlds, listed = len(model["worlds"]), items(witness["proofs"])
    used = [read_row(row, worlds) for row in items(witness["inequalities"])]
    need(all(key(row) in premise for row in used), "another inequality", Rejected)
    proved = {key(read_row(proof["inequality"], worlds)) for proof in listed}
    afford(worlds * sum(len(items(proof["multipliers"], 2)) for proof in listed))
    for row in wanted:
        if max(row.values()) > 0:
            need(key(row) in proved, "an inequality is not proved", Rejected)
    for proof in listed:
        _check_proof(proof, used, worlds)


def _to_prove(leakage: Any, asked: Level, holds: bool) -> Fraction | None:
    """The level at which all inequalities are to be proved; None where none is implied, or nothing
    is compared. Inside the bounds of the smallest one, a level said to hold is proved itself."""
    if "infinite" in leakage or "vacuous" in leakage:
        return None
    upper = number(leakage["upper" if "upper" in leakage else "exp_epsilon"])
    if not holds or asked.compare(upper, ONE) <= 0:
        return upper
    need(asked.alpha is not None, "an irrational level inside the bounds", Rejected)
    return asked.alpha


def _check_given(worst: Table, given: list[Table], wanted: list[Row]) -> None:
    """The mechanism of the model is one of them, and the rows of all satisfy the inequalities."""
    columns = [_columns(table) for table in given]
    need(_columns(worst) in columns, "the mechanism is none of the given ones", Rejected)
    need(_admits(wanted, given), "a given mechanism needs a larger level", Rejected)


def _columns(table: Table) -> list[list[Fraction]]:
    values, columns = table
    return [[values[code] for code in column] for column in columns]


def _admits(asked: Collection[Row], tables: list[Table]) -> bool:
    """Whether every row of every mechanism satisfies every inequality."""
    rows = [row for table in tables for row in zip(*_columns(table), strict=True)]
    afford(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * x[w] for w, h in terms.items()) <= 0 for x in rows for terms in asked)


def _premise(relation: Any, model: Any) -> dict[Key, Row]:
    """Every inequality of the first definition at its level; equations both ways."""
    fields(relation["level"], "exp_epsilon")
    alpha = number(relation["level"]["exp_epsilon"])
    need(alpha >= 1, "a level is at least 1")
    found = {}
    for row in read_halfspaces(relation["if"], model, alpha):
        found[key(row)] = row
        if not sum(row.values()):
            turned = {w: -h for w, h in row.items()}
            found[key(turned)] = turned
    return found


def _check_proof(proof: Any, used: list[Row], worlds: int) -> None:
    """Σ_h y_h h >= b with y >= 0."""
    fields(proof, "inequality multipliers")
    rest = {w: -b for w, b in read_row(proof["inequality"], worlds).items()}
    indices([h for h, _ in proof["multipliers"]], len(used))
    for h, text in proof["multipliers"]:
        y = number(text)
        need(y >= 0, "a multiplier is negative", Rejected)
        for w, factor in used[h].items():
            rest[w] = rest.get(w, Fraction(0)) + y * factor
    need(min(rest.values()) >= 0, "the multipliers do not prove an inequality", Rejected)
