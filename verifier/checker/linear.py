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
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .closures import check_inside, check_mixture, is_inside, is_mixture, read_extreme, read_facets
from .comparison import check_comparison, exceeds, needs
from .document import Budget, afford, fields, indices, items, need, prove
from .levels import Claim, Level
from .obligations import read_compared
from .polynomials import asked_by, meets, read_family
from .reading import COMMON, ONE, ZERO, Case, Model, Table
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
    def of(cls, relation: Any, level: Any, model: Model, equations: bool = False) -> "Linear":
        """The definition of a `relation` in the worlds of a `model` at a `level`; with `equations`,
        these are asked both ways."""
        alpha, found = _read_level(level), {}
        for one in read_halfspaces(relation, model, alpha):
            found[_key(one)] = one
            if equations and not sum(one.values()):
                turned = _turned(one)
                found[_key(turned)] = turned
        return cls(found, model.size)

    def read_used(self, inequalities: Any) -> list[Row]:
        """The `inequalities` of the definition by which others are proved."""
        found = [read.sparse(one, self.worlds) for one in items(inequalities)]
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
        used = self.read_used(inequalities)
        parts = [fields(proof, "inequality multipliers") for proof in items(proofs)]
        afford(self.worlds * sum(len(items(listed, 2)) for _, listed in parts))
        known = [(read.sparse(one, self.worlds), listed) for one, listed in parts]
        keys = {_key(one) for one, _ in known}
        needed = (_key(one) for one in wanted if max(one.values()) > 0)
        prove(all(_is_among(key, keys) for key in needed), "an inequality is not proved")
        for one, listed in known:
            need(one or listed, "a proof of nothing")
            proved = self.proves(used, Row.of(_turned(one)), listed)
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

    def admits(self, rows: Matrix) -> bool:
        """Whether all `rows` of a mechanism satisfy every inequality."""
        return _admits(self.asked.values(), rows)


def _read_level(level: Any) -> Fraction:
    alpha = read.number(level)
    need(alpha >= 1, "a level is at least 1")
    return alpha


def _key(halfspace: Halfspace) -> Key:
    kept = [(w, h) for w, h in sorted(halfspace.items()) if h]
    return tuple((w, read.ratio(h, abs(kept[0][1]))) for w, h in kept)


def _is_among(key: Key, keys: Collection[Key]) -> bool:
    """Whether a `key` is one of some `keys`; at an irrational point equal numbers may be written in
    several ways, so that they are compared one by one."""
    return key in keys or (read.FUNCTIONS.get() is not None and any(key == one for one in keys))


def _turned(halfspace: Halfspace) -> Halfspace:
    return {w: -h for w, h in halfspace.items()}


def _admits(asked: Collection[Halfspace], rows: Matrix) -> bool:
    afford(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * row[w] for w, h in one.items()) <= 0 for row in rows for one in asked)


def read_halfspaces(relation: Any, model: Model, alpha: Fraction) -> Iterator[Halfspace]:
    """Every inequality that a `relation` of the worlds of a `model` asks at the level `alpha`; some
    may repeat."""
    worlds = range(model.size)
    identity = Table([ZERO, ONE], [bytes(w == o for o in worlds) for w in worlds])
    compared = read_compared(relation, model, identity)
    sides = [{w: p for w, p in enumerate(chances) if p} for chances in compared.table.chances()]
    budget, size = Budget(), read.size(alpha)
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


def check_implies(case: Case) -> bool:
    """Whether the first definition of a `case` implies the second, for all mechanisms on its
    worlds, at the level of its claim, if it has one; else raise."""
    first, level, second = fields(case.relation, "if level then")
    if second["rule"] == "row_cone":
        return _check_into_cone(case)
    if second["rule"] == "post_processing":
        return _check_into_closure(case)
    if "priors" in case.witness:
        return _check_of_priors(case)
    asked, model = levels.claim(case.claim), case.model
    worst, *proofs = fields(case.witness, "worst inequalities proofs")
    need(asked.delta == 0, "a pure definition")
    holds = check_comparison(replace(case, relation=second, witness=worst))
    alpha, is_given = _to_prove(asked, holds), first == {"rule": "given"}
    need(is_given == ("given" in model.parts), "given mechanisms are for a rule given")
    need(proofs == [[], []] or (alpha is not None and not is_given), "proofs of nothing")
    wanted = [] if alpha is None else read_halfspaces(second, model, alpha)
    if is_given:
        need(level is None, "given mechanisms have no level")
        _check_among(model.table, model.given)
        rows = [row for table in model.given for row in table.rows()]
        prove(_admits(list(wanted), rows), "a given mechanism needs a larger level")
        return holds
    premise = _premise(case)
    prove(premise.admits(model.table.rows()), "not of the first definition")
    if alpha is not None:
        premise.check_proofs(wanted, *proofs)
    return holds


def _check_of_priors(case: Case) -> bool:
    """The same where the first definition is about priors with unknown distributions: those that
    are listed, or are the end of a curve, ask the inequalities by which others are proved."""
    keys = "worst priors meets inequalities proofs"
    worst, priors, met, *proofs = fields(case.witness, keys)
    first, level, second = fields(case.relation, "if level then")
    alpha = _read_level(*fields(level, "exp_epsilon"))
    asked, model = levels.claim(case.claim), case.model
    rational = not read.is_other(alpha) and not read.FUNCTIONS.get()
    need(asked.delta == 0 and rational, "a pure definition at a rational level")
    family = read_family(first, model)
    stated, upper = fields(met, "exp_epsilon upper")
    most = read.number(stated)
    enough = 1 <= most <= alpha and meets(family, model.table, upper, Level(most))
    prove(enough, "not of the first definition")
    rows = [asked_by(family, one, alpha) for one in items(priors)]
    premise = Linear({_key(row): row for row in rows}, model.size)
    shown = () if worst is None else worst["pair"]
    compared = read_compared(second, model, model.table, shown)

    def holds(at: Level) -> bool:
        premise.check_proofs(read_halfspaces(second, model, at.alpha or ONE), *proofs)
        return True

    needs_no_proof = asked.leakage is None or {"infinite", "vacuous"} & set(asked.leakage)
    need(not needs_no_proof or proofs == [[], []], "proofs of nothing")
    if asked.leakage is None:
        prove(exceeds(compared, worst, asked.level), "the mechanism does not exceed the level")
        return False
    shown_needs = needs(compared, worst, asked.delta)
    return asked.settle(not compared.blocks, holds, shown_needs, wide=True)


def _premise(case: Case) -> Linear:
    (level,) = fields(case.relation["level"], "exp_epsilon")
    return Linear.of(case.relation["if"], level, case.model, equations=True)


def _to_prove(asked: Claim, holds: bool) -> Fraction | None:
    """The level at which all inequalities are to be proved; None where none is implied, or nothing
    is compared. Inside the bounds of the smallest one, a level said to hold is proved itself."""
    leakage, level = asked.leakage, asked.level
    if "infinite" in leakage or "vacuous" in leakage:
        return None
    key = (
        "exp_epsilon" if "exp_epsilon" in leakage else "closed" if "closed" in leakage else "upper"
    )
    upper = read.number(leakage[key])
    if not holds or level.compare(upper, ONE) <= 0:
        return upper
    prove(level.alpha is not None, "an irrational level inside the bounds")
    return level.alpha


def _check_among(table: Table, given: list[Table]) -> None:
    known = [other.chances() for other in given]
    prove(table.chances() in known, "the mechanism is none of the given ones")


def _check_into_cone(case: Case) -> bool:
    """Whether all rows of the first definition are in the row cone of the given mechanisms, or a
    mechanism of the first has a row outside."""
    fields(case.claim, COMMON)
    fields(case.relation["then"], "rule")
    premise, model = _premise(case), case.model
    if "worst" in case.witness:
        inside = is_inside(model.table, model.given, *fields(case.witness, "worst"))
        prove(not inside, "no row is outside")
        prove(premise.admits(model.table.rows()), "not of the first definition")
        return False
    parts = fields(case.witness, "equations facets inequalities proofs")
    need("outputs" not in model.parts, "the model has no mechanism of its own")
    premise.check_cone(model.given, *parts)
    return True


def _check_into_closure(case: Case) -> bool:
    """Whether all mechanisms of a definition are mixtures of post-processings of given ones.

    Each one that it is about is; or, where it asks something of each row alone, all extreme ones
    of a mechanism in whose row cone all its rows are."""
    fields(case.claim, COMMON)
    first, level, second = fields(case.relation, "if level then")
    model, witness, known = case.model, case.witness, None
    given = _chosen(model.given, fields(second, "rule of")[1], once=True)
    if first["rule"] in ("post_processing", "row_cone"):
        need(level is None, "given mechanisms have no level")
        of = fields(first, "rule of")[1]
        known = _chosen(model.given, of, once="worst" in witness)
    if "worst" in witness:
        made = is_mixture(model.table, given, witness["worst"])
        prove(not made, "the mechanism is such a mixture")
        _check_belongs(case, known)
        return False
    if known is not None and first["rule"] == "post_processing":
        (mixtures,) = fields(witness, "mixtures")
        need("outputs" not in model.parts, "the model has no mechanism of its own")
        wanted = known
    else:
        wanted, mixtures = _read_extreme(case, known)
    for one, mixture in zip(wanted, items(mixtures), strict=True):
        check_mixture(one, given, mixture)
    return True


def _chosen(given: list[Table], of: Any, once: bool) -> list[Table]:
    """Some of the given mechanisms, at least one, each perhaps only once."""
    need(indices(of, len(given)), "a list of mechanisms is needed")
    need(not once or len(set(of)) == len(of), "a mechanism stands twice")
    return [given[at] for at in of]


def _check_belongs(case: Case, known: list[Table] | None) -> None:
    """The mechanism of the model is of the first definition."""
    table, in_cone = case.model.table, case.relation["if"]["rule"] == "row_cone"
    _, *weights = fields(case.witness, "worst weights" if in_cone else "worst")
    if known is None:
        prove(_premise(case).admits(table.rows()), "not of the first definition")
    elif in_cone:
        check_inside(table, known, *weights)
    else:
        _check_among(table, known)


def _read_extreme(case: Case, known: list[Table] | None) -> tuple[list[Table], Any]:
    """The extreme mechanisms of that of the model, and the mixtures that they are said to be. All
    rows of the first definition are in its row cone."""
    own, keys = case.model.table, "sums rays mixtures"
    if known is None:
        keys += " equations facets inequalities proofs"
        sums, rays, mixtures, *parts = fields(case.witness, keys)
        _premise(case).check_cone([own], *parts)
    else:
        sums, rays, mixtures, listed = fields(case.witness, f"{keys} weights")
        for one, weights in zip(known, items(listed), strict=True):
            check_inside(one, [own], weights)
    return read_extreme(own, sums, rays), mixtures


@dataclass(frozen=True)
class Loss:
    """The losses of answers, a row of worlds for each, and the prior against which they are
    expected; without one the largest of a world counts."""

    rows: Matrix
    prior: list[Fraction] | None

    def of(self, answers: Matrix) -> Fraction:
        """What a mechanism loses with these `answers` as its rows."""
        pairs = zip(zip(*self.rows, strict=True), zip(*answers, strict=True), strict=True)
        of_world = [_dot(costs, column) for costs, column in pairs]
        return max(of_world) if self.prior is None else _dot(self.prior, of_world)


def check_optimal(case: Case) -> bool:
    """Whether what a `case` claims of the smallest loss holds.

    Its witness proves the value, or it is rejected."""
    claim, model = case.claim, case.model
    under, level, stated = fields(case.relation, "under exp_epsilon prior")
    keys = "rows prior shares inequalities multipliers use"
    answers, worst, listed, inequalities, multipliers, use = fields(case.witness, keys)
    value, definition = read.number(claim["value"]), Linear.of(under, level, model)
    levels.vacuous(claim, "value equals", not any(definition.asked))
    loss = read_loss(model, stated)
    rows = read.matrix(answers)
    need(len(rows) == len(loss.rows), "one row per answer")
    used = definition.read_used(inequalities)
    mechanism = all(read.is_distribution(column, len(rows)) for column in zip(*rows, strict=True))
    prove(mechanism, "no mechanism: an answer has another probability")
    prove(definition.admits(rows), "the mechanism is not of the definition")
    prove(loss.of(rows) <= value, "the mechanism has another loss")
    prior, shares = read.distribution(worst, model.size, "a prior"), read.numbers(listed)
    prove(loss.prior in (None, prior), "another prior")
    prove(len(shares) == model.size and sum(shares) >= value, "the shares prove less")
    proofs = [items(part, 2) for part in items(multipliers)]
    afford(4 * model.size * (len(rows) + sum(map(len, proofs))))
    for costs, proof in zip(loss.rows, proofs, strict=True):
        rest = [p * x - share for p, x, share in zip(prior, costs, shares, strict=True)]
        proved = definition.proves(used, Row.of(dict(enumerate(rest))), proof)
        prove(proved, "the multipliers do not prove the shares")
    fits = claim["equals"] is None or read.number(claim["equals"]) == value
    if "columns" not in model.parts:
        need(use is None, "there is no mechanism to be used")
        return fits
    outputs = model.table.rows()
    if definition.admits(outputs):
        return _attains(outputs, loss, value, use) and fits
    need(use is None, "no use of a mechanism that is not of the definition")
    return False


def read_loss(model: Model, prior: Any) -> Loss:
    """The losses that a `model` has as functions, and the `prior` of a relation."""
    rows = read.matrix(model.parts["functions"])
    need(rows and {len(row) for row in rows} == {model.size}, "a loss has one value per world")
    given = None if prior is None else read.distribution(prior, model.size, "a prior on the worlds")
    return Loss(rows, given)


def _attains(rows: Matrix, loss: Loss, value: Fraction, use: Any) -> bool:
    """Whether a mechanism has this loss, once its outputs are interpreted as well as possible: by
    the given answers, or, as a prior proves, not so well."""
    answers, listed = fields(use, "answers prior")
    afford(4 * len(rows) * len(loss.rows) * len(rows[0]))
    chosen, columns = read.matrix(answers), list(zip(*rows, strict=True))
    need(len(chosen) == len(rows), "one distribution of answers per output")
    need(all(read.is_distribution(part, len(loss.rows)) for part in chosen), "no answers")
    used = [[_dot(p, column) for column in columns] for p in zip(*chosen, strict=True)]
    prior = read.distribution(listed, len(columns), "a prior")
    if loss.of(used) <= value:
        return True
    prove(loss.prior in (None, prior), "another prior")
    weighted = [list(map(mul, prior, costs)) for costs in loss.rows]
    least = sum(min(_dot(costs, row) for costs in weighted) for row in rows)
    prove(least > value, "the prior proves no larger loss")
    return False


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, left, right), ZERO)
