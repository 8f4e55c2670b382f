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
from .rules import Row, Terms, is_bounded, multiples

MOST_BITS = 10**5  # of a power of a level
Halfspace = dict[int, Fraction]  # world -> coefficient, of an inequality <= 0
Key = tuple[tuple[int, Fraction], ...]


def key(halfspace: Halfspace) -> Key:
    """A `halfspace` up to a positive factor."""
    kept = [(w, h) for w, h in sorted(halfspace.items()) if h]
    return tuple((w, Fraction(h, abs(kept[0][1]))) for w, h in kept)


def read_halfspace(listed: Any, worlds: int) -> Halfspace:
    """The inequality `listed` by pairs of a world, one of so many `worlds`, and a coefficient."""
    found = {w: number(h) for w, h in items(listed, 2)}
    need(len(indices([w for w, _ in listed], worlds)) == len(found), "a world stands twice")
    return found


def read_used(listed: Any, asked: Collection[Key], worlds: int) -> list[Row]:
    """The inequalities `listed` for proofs, each of them `asked` of rows over so many `worlds`."""
    used = [read_halfspace(one, worlds) for one in items(listed)]
    prove(all(key(one) in asked for one in used), "another inequality")
    return [Row.of(one) for one in used]


def read_multiples(listed: Any, used: Sequence[Row]) -> Terms:
    """Multiples of some inequalities that are `used`, `listed` by pairs of a place and a number."""
    indices([at for at, _ in listed], len(used))
    return multiples((y, used[at]) for at, y in listed)


def admits(asked: Collection[Halfspace], rows: Sequence[Sequence[Fraction]]) -> bool:
    """Whether all `rows` of a mechanism satisfy every inequality that is `asked`."""
    afford(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * row[w] for w, h in one.items()) <= 0 for row in rows for one in asked)


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
        yield from _against(sides, left, right, alpha**distance.numerator)


def _against(
    sides: Sequence[Halfspace], left: Iterable[int], right: Sequence[int], factor: Fraction
) -> Iterator[Halfspace]:
    """Each column of the left minus a factor times each other one of the right."""
    for i in left:
        for j in (j for j in right if j != i):
            row = dict(sides[i])
            for w, weight in sides[j].items():
                row[w] = row.get(w, ZERO) - factor * weight
            yield row


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


Bounds = list[Fraction]  # an entry for each world
Matrix = Sequence[Sequence[Fraction]]  # a row per answer or output, with an entry for each world


@dataclass(frozen=True)
class Losses:
    """The loss of each answer in each world; it is expected against the `prior`, if one is given,
    and else in the worst world."""

    table: Matrix
    prior: Sequence[Fraction] | None

    def of(self, rows: Matrix) -> Fraction:
        """The loss of a mechanism that gives the answers by these `rows`."""
        pairs = zip(zip(*self.table, strict=True), zip(*rows, strict=True), strict=True)
        of_world = [_dot(costs, column) for costs, column in pairs]
        return max(of_world) if self.prior is None else _dot(self.prior, of_world)


def check_optimal(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether value and mechanism are as a `claim` expects, if it is the smallest loss of a `model`
    under a `relation`, which the `witness` proves; else raise."""
    under, level, prior = fields(relation, "under exp_epsilon prior")
    keys = "rows prior shares inequalities multipliers use"
    answers, worst, shares, inequalities, multipliers, use = fields(witness, keys)
    value, alpha, worlds = number(claim["value"]), number(level), len(model["worlds"])
    need(alpha >= 1, "a level is at least 1")
    asked = {key(one): one for one in read_halfspaces(under, model, alpha)}
    read_vacuous(claim, "value equals", not any(asked))
    losses, rows = Losses(_matrix(model["functions"]), None), _matrix(answers)
    need(losses.table and {len(row) for row in losses.table} == {worlds}, "one value per world")
    need(len(rows) == len(losses.table), "one row per answer")
    afford(len(rows) * sum(map(len, asked)) * 10)
    used = read_used(inequalities, asked, worlds)
    if prior is not None:
        losses = Losses(losses.table, distribution(prior, worlds, "a prior on the worlds"))
    mechanism = all(is_distribution(column, len(rows)) for column in zip(*rows, strict=True))
    prove(mechanism, "no mechanism: an answer has another probability")
    prove(admits(asked.values(), rows), "the mechanism is not of the definition")
    prove(losses.of(rows) <= value, "the mechanism has another loss")
    against = distribution(worst, worlds, "a prior on the worlds")
    prove(losses.prior in (None, against), "another prior")
    bounds = list(map(number, shares))
    prove(len(bounds) == worlds and sum(bounds) >= value, "the shares prove less")
    _check_shares(losses.table, against, bounds, used, multipliers)
    fits = claim["equals"] is None or number(claim["equals"]) == value
    if "columns" in model:
        return _attains(model, asked.values(), losses, value, use) and fits
    need(use is None, "there is no mechanism to be used")
    return fits


def _check_shares(
    table: Matrix, prior: Bounds, shares: Bounds, used: list[Row], multipliers: Any
) -> None:
    """Each mechanism of the definition loses the share of each world, or more, against the prior."""
    listed = [items(part, 2) for part in items(multipliers)]
    afford(4 * len(prior) * (len(table) + sum(map(len, listed))))
    for costs, part in zip(table, listed, strict=True):
        rest = (p * x - share for p, x, share in zip(prior, costs, shares, strict=True))
        terms = [(ONE, Row.of(dict(enumerate(rest)))), *read_multiples(part, used)]
        prove(is_bounded(len(prior), terms), "the multipliers do not prove the shares")


def _attains(
    model: Any, asked: Collection[Halfspace], losses: Losses, value: Fraction, use: Any
) -> bool:
    """Whether the mechanism of the model is of the definition and has this loss, once its outputs
    are interpreted as well as possible: by the given answers, or not as a prior proves."""
    rows = read_table(model).rows()
    afford(4 * len(rows) * len(losses.table) * len(model["worlds"]))
    if not admits(asked, rows):
        need(use is None, "no use of a mechanism that is not of the definition")
        return False
    answers, listed = fields(use, "answers prior")
    chosen, columns = _matrix(answers), list(zip(*rows, strict=True))
    need(len(chosen) == len(rows), "one distribution of answers per output")
    need(all(is_distribution(p, len(losses.table)) for p in chosen), "no answers")
    choices = zip(*chosen, strict=True)
    used = [[_dot(choice, column) for column in columns] for choice in choices]
    prior = distribution(listed, len(columns), "a prior on the worlds")
    if losses.of(used) <= value:
        return True
    prove(losses.prior in (None, prior), "another prior")
    weighted = [list(map(mul, prior, costs)) for costs in losses.table]
    least = sum(min(_dot(costs, row) for costs in weighted) for row in rows)
    prove(least > value, "the prior proves no larger loss")
    return False


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, left, right), ZERO)


def _matrix(rows: Any) -> Matrix:
    return list(map(numbers, items(rows)))
