"""Certificates about definitions that ask linear inequalities of every row of a mechanism.

A comparison of columns i and j at distance d is column_i <= alpha^d column_j. Of the mechanism in
which every world is its own output, column_i lists the weights with which i averages the worlds.

Kind "implies": every mechanism of one definition is of another one at a level, and a mechanism of
the first needs this level. Evidence: this mechanism, with the comparison in which it needs it; and
for every inequality b of the second definition at the level multipliers y >= 0 of inequalities h of
the first with Σ_h y_h h >= b. Rows sum to 1 in each world, so an inequality with Σ_w h_w = 0 is an
equation. Or: all rows of a definition are in the row cone of given mechanisms; or all of its
mechanisms are mixtures of post-processings of given ones. These have no level.

Kind "optimal": the smallest loss under a definition, and whether a given mechanism has it.
Evidence: a mechanism of this loss; and a prior, shares and multipliers y >= 0 of the inequalities
h with prior_w loss[r][w] + Σ_h y_rh h_w >= share_w for every answer r and world w. Then every
mechanism of the definition loses at least Σ_w share_w against that prior, hence in some world.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from .closures import (
    check_inside,
    check_mixture,
    check_row_cone,
    is_mixture,
    read_extreme,
    read_facets,
)
from .comparison import check_comparison, read_compared
from .reading import (
    COMMON,
    ONE,
    ZERO,
    Budget,
    Claim,
    Table,
    afford,
    distribution,
    fields,
    indices,
    is_distribution,
    items,
    need,
    number,
    numbers,
    prove,
    read_claim,
    read_given,
    read_table,
    read_vacuous,
)
from .rules import Row, is_bounded, multiples

MOST_BITS = 10**5  # of a power of a level
Halfspace = dict[int, Fraction]  # world -> coefficient, of an inequality <= 0
Key = tuple[tuple[int, Fraction], ...]  # a halfspace up to a positive factor
Matrix = Sequence[Sequence[Fraction]]  # a row per answer or output, with an entry for each world


@dataclass(frozen=True)
class Linear:
    """A definition by all inequalities that it asks, at its level, of rows over so many worlds."""

    asked: dict[Key, Halfspace]
    worlds: int

    @classmethod
    def of(cls, relation: Any, level: Any, model: Any, equations: bool = False) -> "Linear":
        """The definition of a `relation` in the worlds of a `model` at a `level`; with `equations`,
        these are asked both ways."""
        alpha, found = number(level), {}
        need(alpha >= 1, "a level is at least 1")
        for one in read_halfspaces(relation, model, alpha):
            found[_key(one)] = one
            if equations and not sum(one.values()):
                turned = {w: -h for w, h in one.items()}
                found[_key(turned)] = turned
        return cls(found, len(model["worlds"]))

    def read_used(self, inequalities: Any) -> list[Row]:
        """The `inequalities` of the definition by which others are proved."""
        found = [read_halfspace(one, self.worlds) for one in items(inequalities)]
        prove(all(_key(one) in self.asked for one in found), "another inequality")
        return list(map(Row.of, found))

    def proves(self, used: Sequence[Row], row: Row, listed: Any) -> bool:
        """Whether a `row` plus multiples of those that are `used` is nowhere negative.

        They are `listed` as pairs of a place and a multiplier."""
        indices([at for at, _ in items(listed, 2)], len(used))
        terms = [(ONE, row), *multiples((y, used[at]) for at, y in listed)]
        return is_bounded(self.worlds, terms)

    def check_proofs(self, wanted: Iterable[Halfspace], inequalities: Any, proofs: Any) -> None:
        """Every `wanted` inequality has one of the `proofs` by `inequalities` of the definition,
        unless all x >= 0 satisfy it."""
        listed, used = items(proofs), self.read_used(inequalities)
        parts = [(read_halfspace(proof["inequality"], self.worlds), proof) for proof in listed]
        afford(self.worlds * sum(len(items(proof["multipliers"], 2)) for proof in listed))
        known = {_key(one) for one, _ in parts}
        missing = (one for one in wanted if max(one.values()) > 0 and _key(one) not in known)
        prove(not any(missing), "an inequality is not proved")
        for one, proof in parts:
            _, multipliers = fields(proof, "inequality multipliers")
            need(one or multipliers, "a proof of nothing")
            turned = Row.of({w: -h for w, h in one.items()})
            proved = self.proves(used, turned, multipliers)
            prove(proved, "the multipliers do not prove an inequality")

    def check_cone(
        self, given: list[Table], equations: Any, facets: Any, inequalities: Any, proofs: Any
    ) -> None:
        """All rows of the definition are in the row cone of `given` mechanisms.

        Its `equations` and `facets` are all, and have `proofs` by `inequalities` of the definition.
        """
        equal, least = read_facets(given, equations, facets)
        rows = [*equal, *([-a for a in row] for row in equal), *least]
        wanted = [{w: Fraction(-a) for w, a in enumerate(row) if a} for row in rows]
        self.check_proofs(wanted, inequalities, proofs)


def _key(halfspace: Halfspace) -> Key:
    kept = [(w, h) for w, h in sorted(halfspace.items()) if h]
    return tuple((w, Fraction(h, abs(kept[0][1]))) for w, h in kept)


def read_halfspace(listed: Any, worlds: int) -> Halfspace:
    """The inequality `listed` by pairs of a world, one of so many `worlds`, and a coefficient."""
    found = {w: number(h) for w, h in items(listed, 2)}
    need(len(indices([w for w, _ in listed], worlds)) == len(found), "a world stands twice")
    return found


def read_halfspaces(relation: Any, model: Any, alpha: Fraction) -> Iterator[Halfspace]:
    """Every inequality that a `relation` of the worlds of a `model` asks at the level `alpha`; some
    may repeat."""
    worlds = range(len(model["worlds"]))
    identity = Table([ZERO, ONE], [[int(w == o) for o in worlds] for w in worlds])
    compared = read_compared(relation, model, identity)
    sides = [{w: p for w, p in enumerate(chances) if p} for chances in compared.table.chances()]
    budget, size = Budget(), max(map(int.bit_length, alpha.as_integer_ratio()))
    for left, right, distance in compared.blocks:
        need(distance.denominator == 1, "a distance is a whole number")
        need(distance == 1 or distance * size <= MOST_BITS, "a power of the level is too long")
        budget.spend(len(left) * len(right) * 4 * len(worlds))
        factor = alpha**distance.numerator
        for i, j in ((i, j) for i in left for j in right if i != j):
            row = dict(sides[i])
            for w, weight in sides[j].items():
                row[w] = row.get(w, ZERO) - factor * weight
            yield row


def admits(asked: Collection[Halfspace], rows: Matrix) -> bool:
    """Whether all `rows` of a mechanism satisfy every inequality that is `asked`."""
    afford(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * row[w] for w, h in one.items()) <= 0 for row in rows for one in asked)


def check_implies(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the first definition of a `relation` implies the second at the level of a `claim`.

    It is about all mechanisms on the worlds of a `model`; the `witness` proves the smallest level.
    """
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
    premise = _premise(relation, model)
    _check_has(premise, read_table(model))
    if alpha is not None:
        premise.check_proofs(wanted, *proofs)
    return holds


def _premise(relation: Any, model: Any) -> Linear:
    level = fields(relation["level"], "exp_epsilon")[0]
    return Linear.of(relation["if"], level, model, equations=True)


def _check_has(premise: Linear, table: Table) -> None:
    prove(admits(premise.asked.values(), table.rows()), "not of the first definition")


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
    premise = _premise(relation, model)
    if "worst" in witness:
        inside = check_row_cone(claim, model, None, *fields(witness, "worst"))
        prove(not inside, "no row is outside")
        _check_has(premise, read_table(model))
        return False
    parts = fields(witness, "equations facets inequalities proofs")
    need("outputs" not in model, "the model has no mechanism of its own")
    premise.check_cone(read_given(model), *parts)
    return True


def _check_into_closure(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether all mechanisms of a definition are mixtures of post-processings of given ones.

    Each one that it is about is; or, where it asks something of each row alone, all extreme ones
    of a mechanism in whose row cone all its rows are."""
    fields(claim, COMMON)
    first, level, second = fields(relation, "if level then")
    listed = read_given(model)
    given = _chosen(listed, fields(second, "rule of")[1], once=True)
    known = None
    if first["rule"] in ("post_processing", "row_cone"):
        need(level is None, "given mechanisms have no level")
        known = _chosen(listed, fields(first, "rule of")[1], once="worst" in witness)
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


def _chosen(given: list[Table], of: Any, once: bool) -> list[Table]:
    """Some of the given mechanisms, at least one, each perhaps only once."""
    need(indices(of, len(given)), "a list of mechanisms is needed")
    need(not once or len(set(of)) == len(of), "a mechanism stands twice")
    return [given[at] for at in of]


def _check_belongs(
    table: Table, model: Any, relation: Any, witness: Any, known: list[Table] | None
) -> None:
    """The mechanism of the model is of the first definition."""
    if known is None:
        fields(witness, "worst")
        _check_has(_premise(relation, model), table)
    elif relation["if"]["rule"] == "row_cone":
        check_inside(table, known, fields(witness, "worst weights")[1])
    else:
        fields(witness, "worst")
        _check_among(table, known)


def _read_extreme(
    own: Table, model: Any, relation: Any, witness: Any, known: list[Table] | None
) -> tuple[list[Table], Any]:
    """The extreme mechanisms of that of the model, and the mixtures that they are said to be. All
    rows of the first definition are in its row cone."""
    if known is None:
        keys = "sums rays mixtures equations facets inequalities proofs"
        sums, rays, mixtures, *parts = fields(witness, keys)
        _premise(relation, model).check_cone([own], *parts)
    else:
        sums, rays, mixtures, listed = fields(witness, "sums rays mixtures weights")
        for one, weights in zip(known, items(listed), strict=True):
            check_inside(one, [own], weights)
    return read_extreme(own, sums, rays), mixtures


def check_optimal(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether a `claim` about the smallest loss in a `model` holds for a `relation`.

    The `witness` proves the value, or it is rejected."""
    under, level, stated = fields(relation, "under exp_epsilon prior")
    keys = "rows prior shares inequalities multipliers use"
    answers, worst, listed, inequalities, multipliers, use = fields(witness, keys)
    value, worlds = number(claim["value"]), len(model["worlds"])
    definition = Linear.of(under, level, model)
    read_vacuous(claim, "value equals", not any(definition.asked))
    loss, rows = _read_loss(model["functions"], worlds), _matrix(answers)
    need(len(rows) == len(loss), "one row per answer")
    used = definition.read_used(inequalities)
    given = None if stated is None else distribution(stated, worlds, "a prior on the worlds")
    mechanism = all(is_distribution(column, len(rows)) for column in zip(*rows, strict=True))
    prove(mechanism, "no mechanism: an answer has another probability")
    prove(admits(definition.asked.values(), rows), "the mechanism is not of the definition")
    prove(_loss(loss, rows, given) <= value, "the mechanism has another loss")
    prior = distribution(worst, worlds, "a prior on the worlds")
    prove(given in (None, prior), "another prior")
    shares = list(map(number, listed))
    prove(len(shares) == worlds and sum(shares) >= value, "the shares prove less")
    proofs = [items(part, 2) for part in items(multipliers)]
    afford(4 * worlds * (len(loss) + sum(map(len, proofs))))
    for costs, proof in zip(loss, proofs, strict=True):
        rest = [p * x - share for p, x, share in zip(prior, costs, shares, strict=True)]
        proved = definition.proves(used, Row.of(dict(enumerate(rest))), proof)
        prove(proved, "the multipliers do not prove the shares")
    fits = claim["equals"] is None or number(claim["equals"]) == value
    if "columns" not in model:
        need(use is None, "there is no mechanism to be used")
        return fits
    outputs = read_table(model).rows()
    if admits(definition.asked.values(), outputs):
        return _attains(outputs, loss, given, value, use) and fits
    need(use is None, "no use of a mechanism that is not of the definition")
    return False


def _attains(rows: Matrix, loss: Matrix, given: Any, value: Fraction, use: Any) -> bool:
    """Whether a mechanism has this loss, once its outputs are interpreted as well as possible: by
    the given answers, or, as a prior proves, not so well."""
    afford(4 * len(rows) * len(loss) * len(loss[0]))
    answers, listed = fields(use, "answers prior")
    chosen, columns = _matrix(answers), list(zip(*rows, strict=True))
    need(len(chosen) == len(rows), "one distribution of answers per output")
    need(all(is_distribution(chances, len(loss)) for chances in chosen), "no answers")
    used = [[_dot(p, column) for column in columns] for p in zip(*chosen, strict=True)]
    prior = distribution(listed, len(columns), "a prior on the worlds")
    if _loss(loss, used, given) <= value:
        return True
    prove(given in (None, prior), "another prior")
    weighted = [list(map(mul, prior, costs)) for costs in loss]
    least = sum(min(_dot(costs, row) for costs in weighted) for row in rows)
    prove(least > value, "the prior proves no larger loss")
    return False


def _read_loss(functions: Any, worlds: int) -> Matrix:
    loss = _matrix(functions)
    need(loss and {len(row) for row in loss} == {worlds}, "a loss has one value per world")
    return loss


def _loss(loss: Matrix, rows: Matrix, prior: Any) -> Fraction:
    """The expected loss against a prior, or the largest of a world."""
    pairs = zip(zip(*loss, strict=True), zip(*rows, strict=True), strict=True)
    of_world = [_dot(costs, column) for costs, column in pairs]
    return max(of_world) if prior is None else _dot(prior, of_world)


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, left, right), ZERO)


def _matrix(rows: Any) -> Matrix:
    return list(map(numbers, items(rows)))
