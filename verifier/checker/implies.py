"""Certificates of kind "implies": every mechanism of one definition is of another one at a level,
and a mechanism of the first that needs this level.

Evidence: the mechanism of the model, the comparison in which it needs the level; and for every
inequality b of the second definition at the level multipliers y >= 0 of inequalities h of the first
with Σ_h y_h h >= b. Rows sum to 1 in each world, so an inequality with Σ_w h_w = 0 is an equation.

Or: all rows of a definition are in the row cone of given mechanisms; or all of its mechanisms are
mixtures of post-processings of given ones. These have no level.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .comparison import check_comparison
from .halfspaces import (
    Halfspace,
    Key,
    admits,
    key,
    read_halfspace,
    read_halfspaces,
    read_multiples,
    read_used,
)
from .post_processing import check_mixture, is_mixture, read_extreme
from .reading import (
    COMMON,
    ONE,
    Claim,
    Table,
    afford,
    fields,
    indices,
    items,
    need,
    number,
    prove,
    read_claim,
    read_given,
    read_table,
)
from .row_cone import check_inside, check_row_cone, read_facets
from .rules import Row, is_bounded


@dataclass(frozen=True)
class Linear:
    """A definition by all inequalities on rows over so many worlds that it asks at its level, and
    its equations, which are inequalities both ways."""

    asked: dict[Key, Halfspace]
    worlds: int

    @classmethod
    def of(cls, relation: Any, level: Any, model: Any) -> "Linear":
        """The definition of a `relation` in the worlds of a `model` at a `level`."""
        alpha = number(*fields(level, "exp_epsilon"))
        need(alpha >= 1, "a level is at least 1")
        found = {}
        for one in read_halfspaces(relation, model, alpha):
            found[key(one)] = one
            if not sum(one.values()):
                turned = {w: -h for w, h in one.items()}
                found[key(turned)] = turned
        return cls(found, len(model["worlds"]))

    def check_has(self, table: Table) -> None:
        """The mechanism of a `table` is of the definition."""
        prove(admits(self.asked.values(), table.rows()), "not of the first definition")

    def check_proofs(self, wanted: Iterable[Halfspace], inequalities: Any, proofs: Any) -> None:
        """Every `wanted` inequality, unless all x >= 0 satisfy it, is proved: the `proofs` have
        multipliers of `inequalities` of the definition."""
        listed, used = items(proofs), read_used(inequalities, self.asked, self.worlds)
        parts = [fields(proof, "inequality multipliers") for proof in listed]
        proved = [(read_halfspace(one, self.worlds), items(ys, 2)) for one, ys in parts]
        afford(self.worlds * sum(len(multipliers) for _, multipliers in proved))
        known = {key(one) for one, _ in proved}
        for one in wanted:
            prove(max(one.values()) <= 0 or key(one) in known, "an inequality is not proved")
        for one, multipliers in proved:
            need(one or multipliers, "a proof of nothing")
            terms = [(-ONE, Row.of(one)), *read_multiples(multipliers, used)]
            proof = is_bounded(self.worlds, terms)
            prove(proof, "the multipliers do not prove an inequality")

    def check_cone(
        self, given: list[Table], equations: Any, facets: Any, inequalities: Any, proofs: Any
    ) -> None:
        """All rows of the definition are in the row cone of `given` mechanisms: its `equations` and
        `facets` are all, and `proofs` by `inequalities` of the definition have each of them."""
        equal, least = read_facets(given, equations, facets)
        rows = [*equal, *([-a for a in row] for row in equal), *least]
        wanted = [{w: Fraction(-a) for w, a in enumerate(row) if a} for row in rows]
        self.check_proofs(wanted, inequalities, proofs)


def check_implies(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the level of a `claim` is implied for the mechanisms on the worlds of a `model`, by
    the two definitions of a `relation`, once the `witness` proves the smallest one; else raise."""
    first, level, second = fields(relation, "if level then")
    if second == {"rule": "row_cone"}:
        return _check_into_cone(claim, model, relation, witness)
    if second["rule"] == "post_processing":
        return _check_into_closure(claim, model, relation, witness)
    asked = read_claim(claim)
    worst, *proofs = fields(witness, "worst inequalities proofs")
    need(asked.delta == 0, "a pure definition")
    holds = check_comparison(claim, model, second, worst)
    alpha, is_given = _to_prove(asked, holds), first == {"rule": "given"}
    need(is_given == ("given" in model), "given mechanisms are for a rule given")
    need(proofs == [[], []] or (alpha is not None and not is_given), "proofs of nothing")
    wanted = [] if alpha is None else read_halfspaces(second, model, alpha)
    if is_given:
        need(level is None, "given mechanisms have no level")
        _check_given(read_table(model), read_given(model), list(wanted))
        return holds
    premise = Linear.of(first, level, model)
    premise.check_has(read_table(model))
    if alpha is not None:
        premise.check_proofs(wanted, *proofs)
    return holds


def _to_prove(asked: Claim, holds: bool) -> Fraction | None:
    """The level at which all inequalities are to be proved; None where none is implied, or nothing
    is compared. Inside the bounds of the smallest one, a level said to hold is proved itself."""
    leakage, level = asked.leakage, asked.level
    if "infinite" in leakage or "vacuous" in leakage:
        return None
    upper = number(leakage["upper" if "upper" in leakage else "exp_epsilon"])
    if not holds or level.compare(upper, ONE) <= 0:
        return upper
    prove(level.alpha is not None, "an irrational level inside the bounds")
    return level.alpha


def _check_given(worst: Table, given: list[Table], wanted: list[Halfspace]) -> None:
    """The mechanism of the model is one of those given, and the rows of all are as wanted."""
    _check_among(worst, given)
    rows = [row for table in given for row in table.rows()]
    prove(admits(wanted, rows), "a given mechanism needs a larger level")


def _check_among(table: Table, given: list[Table]) -> None:
    known = [other.chances() for other in given]
    prove(table.chances() in known, "the mechanism is none of the given ones")


def _check_into_cone(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether all rows of the first definition are in the row cone of the given mechanisms, or a
    mechanism of the first has a row outside."""
    fields(claim, COMMON)
    premise = Linear.of(relation["if"], relation["level"], model)
    if "worst" in witness:
        inside = check_row_cone(claim, model, None, *fields(witness, "worst"))
        prove(not inside, "no row is outside")
        premise.check_has(read_table(model))
        return False
    parts = fields(witness, "equations facets inequalities proofs")
    need("outputs" not in model, "the model has no mechanism of its own")
    premise.check_cone(read_given(model), *parts)
    return True


def _check_into_closure(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether all mechanisms of the first definition are mixtures of post-processings of the given
    ones: each of those that the first is about; or, where it asks something of each row alone, all
    extreme ones of a mechanism in whose row cone all rows of the first are. Or one is not."""
    fields(claim, COMMON)
    first, level, second = fields(relation, "if level then")
    listed = read_given(model)
    given = _chosen(listed, fields(second, "rule of")[1])
    known = None
    if first["rule"] in ("post_processing", "row_cone"):
        need(level is None, "given mechanisms have no level")
        known = _chosen(listed, fields(first, "rule of")[1])
    if "worst" in witness:
        made = is_mixture(read_table(model), given, witness["worst"])
        prove(not made, "the mechanism is such a mixture")
        _check_belongs(read_table(model), model, relation, witness, known)
        return False
    if known is not None and first["rule"] == "post_processing":
        (mixtures,) = fields(witness, "mixtures")
        need("outputs" not in model, "the model has no mechanism of its own")
        wanted = known
    else:
        wanted, mixtures = _read_extreme(read_table(model), model, relation, witness, known)
    for one, mixture in zip(wanted, items(mixtures), strict=True):
        check_mixture(one, given, mixture)
    return True


def _chosen(given: list[Table], of: Any) -> list[Table]:
    """Some of the given mechanisms, at least one."""
    need(indices(of, len(given)), "a list of mechanisms is needed")
    return [given[at] for at in of]


def _check_belongs(
    table: Table, model: Any, relation: Any, witness: Any, known: list[Table] | None
) -> None:
    """The mechanism of the model is of the first definition."""
    if known is None:
        fields(witness, "worst")
        Linear.of(relation["if"], relation["level"], model).check_has(table)
    elif relation["if"]["rule"] == "row_cone":
        check_inside(table, known, fields(witness, "worst weights")[1])
    else:
        fields(witness, "worst")
        _check_among(table, known)


def _read_extreme(
    own: Table, model: Any, relation: Any, witness: Any, known: list[Table] | None
) -> tuple[list[Table], Any]:
    """The extreme mechanisms of that of the model, in whose row cone all rows of the first
    definition are; and the mixtures that they are said to be."""
    if known is None:
        keys = "sums rays mixtures equations facets inequalities proofs"
        sums, rays, mixtures, *parts = fields(witness, keys)
        Linear.of(relation["if"], relation["level"], model).check_cone([own], *parts)
    else:
        sums, rays, mixtures, listed = fields(witness, "sums rays mixtures weights")
        for one, weights in zip(known, items(listed), strict=True):
            check_inside(one, [own], weights)
    return read_extreme(own, sums, rays), mixtures
