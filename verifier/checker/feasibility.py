"""Questions that are linear systems: has one a solution, how large is its best one?

Evidence is a solution, which is put in; or multipliers of rows, whose sum no solution satisfies
(Farkas), or which bounds a gain (duality).

**Program**: c x is to be largest, with rows a x <=, = or >= b and bounds. The model's `program` has
names of `columns` and `rows`, `values`, and indices of these: `matrix`, for each row
`[[column, …], [value, …]]`, where columns may repeat, `senses`, `right`, `objective`, `lower` and
`upper`, perhaps null. The witness has vectors. `optimal`: `point` x, and `multipliers` y, with the
signs of rows, for which c x = y b + Σ d bound, d = c - y A, the bound being the upper one where d >
0; this is `value`. `infeasible`: `multipliers`, which give less than 0 for c = 0; or some bounds
cross. `unbounded`: a `point`, and a `ray` that keeps rows and bounds, taken as 0, and gains.

**Closures**: each row of a mechanism is a sum of y · row of given ones, y >= 0. That is all for
`row_cone`; for `post_processing`, mixtures of post-processings, all rows but 0 of a given mechanism
have the same Σ y. The witness is `{"weights": […]}`, for each output a list of `[k, i, y]`, row i
of mechanism k, none twice; or `{"payoff": {o: [u, …], …}}`, what announcing o earns in each world,
elsewhere 0. The mechanism then earns more than the best announcements after any given one; or for
`row_cone` more than 0, where no announcement after a row earns more than 0. Without mechanism a
cone has `value` facets, and the witness is `{"equations": […], "facets": […]}`.

**Implies**: every inequality b x <= 0 that the second definition asks of rows x at the leakage (its
upper end, or the level if that holds between) follows from those of the first at its level. The
model has a mechanism of the first. The witness is `{"worst": w, "inequalities": [vector, …],
"proofs": [{"inequality": b, "multipliers": [[k, y], …]}, …]}`: w proves the leakage of that
mechanism in a comparison; the inequalities h are of the first, up to positive factors, or, as rows
sum to 1, turned where Σ h = 0; and Σ y h >= b. Without positive entries b needs no proof. Lists are
empty where nothing is implied, or all given mechanisms meet it (`given`).

- Of families there are also `priors`, `[{"pair": …, "point": …, "powers": …}, …]`, curves as of
  "family", whose ends ask the h; and `"meets": {"exp_epsilon": γ, "upper": …}`, by which the
  mechanism is within γ. If the second definition is about a family, w is `{"output": o, "curve":
  {…}, "within": C}`, such a curve; the b are those of the larger class C, `all`, or `product` of
  `iid`.
- Into `row_cone` the witness has its `equations` and `facets`, and proofs of -a for each facet a,
  of a and -a for each equation. From closures into `post_processing`: `mixtures`, weights for each
  mechanism. Else all rows of the first are in the cone of one mechanism with rows w_i, by such
  proofs or `weights`. Its mechanisms Σ y_oi w_i are post-processings of rows λ_i w_i, λ_i = Σ_o
  y_oi. So it is enough that extreme λ >= 0, Σ λ_i w_i being the same in every world, are mixtures:
  λ = B z, with a basis as columns of `sums` B, facets z, `rays`, of the cone of rows of B, and
  `mixtures` for each z.
- Violated into closures: `worst`, a payoff against a mechanism of the first, which `weights` show
  to be one of a closure.

**Optimal**: `value` is the smallest loss of mechanisms with the inequalities of `under`. The
witness is `{"rows": X, "prior": p, "shares": u, "inequalities": […], "multipliers": […], "use":
…}`. X, a row for each answer r, attains it. For each r multipliers give p_w loss(r, w) + Σ y h_w >=
u_w: so each mechanism loses Σ u >= `value` against p. If the model has a
mechanism of the definition, `use` is `{"answers": […], "prior": q}`: for each output a distribution
of answers with this loss, or q shows, by the best answer to each output, that none has. Then it is
violated, as with one that is not of the definition; there, and without any, `use` is null. Under
`post_processing` it is `{"rows": X, "prior": p, "weights": …}`: X is such a mixture, and the best
answers to each given mechanism lose no less against p.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .document import fields, index, indices, items, mapping, need, prove, spend, texts
from .facets import dot, rank, read_facets
from .inequality import exceeds, needed_by, needs
from .levels import Level
from .linear import SENSES, End, Row, System, Terms, combined, is_bounded, signed
from .obligations import Loss, read_compared, read_loss
from .polynomials import asked_by, compared_by, meets, read_family
from .reading import ONE, ZERO, Case, Model, Table, grouped, in_integers

MOST_BITS = 10**5  # of a power of a level
Halfspace = dict[int, Fraction]  # world -> coefficient, of an inequality <= 0
Key = tuple[tuple[int, Fraction], ...]  # a halfspace up to a positive factor
Matrix = Sequence[Sequence[Fraction]]  # a row per answer or output, with an entry for each world
Follows = Callable[[Iterable[Halfspace], Any, Any], None]  # given inequalities and proofs
PROVES = {"optimal": "point multipliers", "infeasible": "multipliers", "unbounded": "point ray"}
CLOSED = "post_processing", "row_cone"  # definitions by what given mechanisms make


def check_program(case: Case) -> str:
    """The verdict of a `case` about a program, if its witness proves it; else raise."""
    verdict: str = case.claim["verdict"]
    need(type(verdict) is str, "an outcome is a text")
    fields(case.witness, PROVES[verdict])
    fields(case.relation, "rule")
    costs, system = _read_program(*fields(case.model.parts, "program"))
    vectors = {
        name: read.sparse(vector, len(system.rows if name == "multipliers" else system.ends))
        for name, vector in case.witness.items()
    }
    if verdict == "infeasible":
        most = system.most(Row({}), vectors["multipliers"])
        prove(system.is_crossed() or most < 0, "the multipliers prove nothing")
        return verdict
    x = vectors["point"]
    prove(system.allows(x), "the point is not feasible")
    if verdict == "unbounded":
        gains = system.allows(vectors["ray"], times=0) and costs.value(vectors["ray"]) > 0
        prove(gains, "the ray leaves the program or gains nothing")
        return verdict
    most = system.most(costs, vectors["multipliers"])
    proved = costs.value(x) == most == read.number(case.claim["value"])
    prove(proved, "the optimum is not proved")
    return verdict


def _read_program(section: Any) -> tuple[Row, System]:
    """The objective, which is to be as large as possible, and the system."""
    keys = "columns rows values matrix senses right objective lower upper"
    columns, names, listed, *coefficients, lower, upper = fields(section, keys)
    matrix, senses, right, objective = map(items, coefficients)
    width, height = (texts(part) if part != [] else 0 for part in (columns, names))
    values = read.numbers(listed)
    unit, integers = in_integers(values)
    rows = []
    for (places, codes), sense in zip(items(matrix, 2), senses, strict=True):
        sizes = len(indices(places, width)), len(indices(codes, len(values)))
        need(sizes[0] == sizes[1], "a row has as many values as columns")
        found = grouped(map(integers.__getitem__, codes)).items()
        rows.append(Row({v: [places[k] for k in ks] for v, ks in found}, unit, SENSES[sense]))
    known: dict[int | None, End] = {None: None, **dict(enumerate(values))}
    need(set(map(type, [*lower, *upper])) <= {int, type(None)}, "a bound is an index, or none")
    codes = (indices(part, len(values)) for part in (right, objective))
    fixed, gains = ([values[code] for code in part] for part in codes)
    need(len(rows) == height and len(gains) == len(lower) == width, "rows and columns")
    both = zip(items(lower), items(upper), strict=True)
    ends = [(known[low], known[high]) for low, high in both]
    return Row.of(dict(enumerate(gains))), System(list(zip(rows, fixed, strict=True)), ends)


def check_row_cone(case: Case) -> bool:
    """Whether what a `case` claims of given mechanisms is so, as its witness proves or refutes.

    It says how many facets their row cone has, or that the rows of a mechanism are in it; or that
    this is a mixture of their post-processings.
    """
    (rule,) = fields(case.relation, "rule")
    if (mixed := rule == "post_processing") or "facets" not in case.claim:
        return is_made(case.model.table, case.model.given, case.witness, mixed)
    asked, value = case.claim["facets"], case.claim["value"]
    _, facets = read_facets(_rows(case.model.given), *fields(case.witness, "equations facets"))
    prove(read.number(value) == len(facets), "the number of facets is another")
    return read.number(asked) == len(facets)


check_post_processing = check_row_cone


def _rows(tables: Iterable[Table]) -> list[Sequence[Any]]:
    """The rows of some `tables`, times what is positive."""
    return [row for table in tables for row in table.whole_rows()[1]]


def is_made(wanted: Table, given: Sequence[Table], witness: Any, mixed: bool) -> bool:
    """Whether a `witness` proves that all rows of the `wanted` mechanism are combinations of rows
    of `given` ones; or that it is `mixed`, a mixture of their post-processings. It may prove the
    contrary, or else is rejected."""
    if "weights" not in mapping(witness):
        _check_payoff(wanted, given, fields(witness, "payoff")[0], mixed)
        return False
    check_made(_own(wanted), given, fields(witness, "weights")[0], mixed)
    return True


def _own(table: Table) -> Terms:
    return [(ONE, row) for row in Row.all_of(table)]


def check_made(
    wanted: Terms, given: Sequence[Table], weights: Any, mixed: bool, total: Any = ONE
) -> None:
    """Each factor · row that is `wanted` is the sum of y · row over its list of `weights`, times
    the `total`; it has [number of a `given` mechanism, output, y]. Of those `mixed` all rows that
    are not 0 of a mechanism are used alike."""
    rows: dict[tuple[int, ...], Row] = {
        (k, o): row for k, table in enumerate(given) for o, row in enumerate(Row.all_of(table))
    }
    used, first = defaultdict[Any, Fraction](Fraction), dict[int, Fraction]()
    worlds = len(given[0].columns)
    for (factor, row), terms in zip(wanted, items(weights), strict=True):
        own = {tuple(indices(place, read.CODES)): read.number(y) for *place, y in items(terms, 3)}
        need(len(own) == len(terms), "a row stands twice")
        prove(all(y >= 0 for y in own.values()), "a weight is negative, which has the wrong sign")
        spend((1 + len(own)) * (20 + 4 * worlds))
        made = [(total * y, rows[place]) for place, y in own.items()]
        rest = combined(worlds, [(-factor, row), *made])[1]
        prove(not any(rest), "the combination is another row")
        for place, y in own.items():
            used[place] += y
    for place, row in rows.items() if mixed else ():
        alike = not row.places or used[place] == first.setdefault(place[0], used[place])
        prove(alike, "outputs of a mechanism are used unequally")


def _check_payoff(wanted: Table, given: Sequence[Table], payoff: Any, mixed: bool) -> None:
    """The `wanted` mechanism earns more than all that is made. Outputs not listed pay 0."""
    worlds, rows = len(wanted.columns), Row.all_of(wanted)
    pays = read.by_integer(payoff)
    columns = Table.of(read.matrix([*pays.values()])).whole_columns()
    need(all(len(u) == worlds for u in columns), "a payoff for each world")
    announced = {*map(tuple, columns)} | ({(0,) * worlds} if len(pays) < len(rows) else set())
    spend(2 * worlds * len(announced) * sum(len(t.columns[0]) for t in given))
    earned = sum(rows[index(o, len(rows))].at(u) for o, u in zip(pays, columns, strict=True))
    for table in given:
        best = [max(map(row.at, announced)) for row in Row.all_of(table)]
        most, least = sum(best) * wanted.whole[0], earned * table.whole[0]
        prove(least > most if mixed else max(best) <= 0 < earned, "what is made may earn as much")


def read_extreme(table: Table, sums: Any, rays: Any) -> Iterator[tuple[Terms, Any]]:
    """The rows of the extreme mechanisms in the row cone of a `table`, each times a total, which
    stands beside them; if these are all.

    `sums` has n rows: the λ with Σ_i λ_i w_i the same in every world are λ_i = Σ_k sums[i][k] z_k;
    `rays` are the z of the extreme λ ≥ 0.
    """
    worlds, basis, rows = table.chances(), read.matrix(sums), table.rows()
    size, width = len(rows), len(basis[0])
    need(len(basis) == size and all(len(part) == width for part in basis), "one entry for each row")
    spend(4 * size * width * len(worlds))
    for part in zip(*basis, strict=True):
        made = {dot(part, world) for world in worlds}
        prove(len(made) == 1, "a sum is not the same in every world")
    differences = [[p - q for p, q in zip(world, worlds[0], strict=True)] for world in worlds]
    prove(rank(differences) + width >= size, "there are more sums")
    _, found = read_facets(basis, [], rays)
    spend(4 * len(found) * size * (width + len(worlds)))
    for ray in found:
        factors = [dot(part, ray) for part in basis]
        terms = [(y, row) for y, row in zip(factors, Row.all_of(table), strict=True) if y]
        yield terms, dot(factors, worlds[0])


@dataclass(frozen=True)
class Linear:
    """A definition by all inequalities that it asks, at its level, of rows over so many worlds."""

    asked: dict[Key, Halfspace]
    worlds: int

    @classmethod
    def of(cls, relation: Any, level: Any, model: Model, equations: bool = False) -> "Linear":
        """The definition of a `relation` in the worlds of a `model` at a `level`; with `equations`,
        these are asked both ways."""
        found = list(read_halfspaces(relation, model, _read_level(level)))
        turned = [_turned(one) for one in found if equations and not sum(one.values())]
        return cls({_key(one): one for one in found + turned}, model.size)

    def read_used(self, inequalities: Any) -> list[Row]:
        """The `inequalities` of the definition by which others are proved."""
        found = [read.sparse(one, self.worlds) for one in items(inequalities)]
        prove(all(_key(one) in self.asked for one in found), "another inequality")
        return list(map(Row.of, found))

    def proves(self, used: Sequence[Row], row: Row, listed: Any) -> bool:
        """Whether a `row` plus multiples of those that are `used` is nowhere negative.

        They are `listed` as pairs of a place and a multiplier."""
        indices([at for at, _ in items(listed, 2)], len(used))
        terms = [(ONE, row), *signed((read.number(y), used[at]) for at, y in listed)]
        return is_bounded(self.worlds, terms)

    def check_proofs(self, wanted: Iterable[Halfspace], inequalities: Any, proofs: Any) -> None:
        """Every `wanted` inequality has one of the `proofs` by `inequalities` of the definition,
        unless all x >= 0 satisfy it."""
        used = self.read_used(inequalities)
        parts = [fields(proof, "inequality multipliers") for proof in items(proofs)]
        spend(self.worlds * sum(len(items(listed, 2)) for _, listed in parts))
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
        equal, least = read_facets(_rows(given), equations, facets)
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
    spend(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * row[w] for w, h in one.items()) <= 0 for row in rows for one in asked)


def read_halfspaces(relation: Any, model: Model, alpha: Fraction) -> Iterator[Halfspace]:
    """Every inequality that a `relation` of the worlds of a `model` asks at the level `alpha`; some
    may repeat."""
    worlds = range(model.size)
    identity = Table([ZERO, ONE], [bytes(w == o for o in worlds) for w in worlds])
    compared = read_compared(relation, model, identity)
    sides = [{w: p for w, p in enumerate(chances) if p} for chances in compared.table.chances()]
    size = read.size(alpha)
    for left, right, distance in compared.blocks:
        need(distance.denominator == 1, "a distance is a whole number")
        need(distance == 1 or distance * size <= MOST_BITS, "a power of the level is too long")
        factor = alpha**distance.numerator
        long = read.size(factor) ** 2 // 60_000  # for a common divisor
        spend(len(left) * len(right) * (4 * len(worlds) + long))
        for i, j in ((i, j) for i in left for j in right if i != j):
            here, there, _ = compared.scales(i, j)
            row = {w: here * weight for w, weight in sides[i].items()}
            for w, weight in sides[j].items():
                row[w] = row.get(w, ZERO) - factor * there * weight
            yield row


def check_implies(case: Case) -> bool:
    """Whether the first definition of a `case` implies the second, for all mechanisms on its
    worlds, at the level of its claim, if it has one; else raise."""
    _, first, level, second = fields(case.relation, "rule if level then")
    if second["rule"] in CLOSED:
        return _check_into(case, first, second)
    asked, model, of_priors = levels.claim(case.claim), case.model, "priors" in case.witness
    keys = "worst inequalities proofs" + " priors meets" * of_priors
    worst, inequalities, proofs, *priors = fields(case.witness, keys)
    need(asked.delta == 0, "a pure definition")
    proved = asked.leakage is not None and {"infinite", "vacuous"}.isdisjoint(asked.leakage)
    proved = proved and "given" not in model.parts
    need(proved or [inequalities, proofs] == [[], []], "proofs of nothing")
    follows = _premise(first, level, model, priors)
    along = type(worst) is dict and "curve" in worst
    if along:
        need(not (of_priors or read.FUNCTIONS.get()), "one side of priors, and plain numbers")
        ends, second = _at_end(second, model, worst), _larger(second, worst["within"])
    compared = read_compared(second, model, model.table)
    if asked.leakage is None:
        need(of_priors or along, "the leakage is known")
        above = asked.level.compare(*ends) > 0 if along else exceeds(compared, worst, asked.level)
        prove(above, "the mechanism does not exceed the level")
        return False

    wide = of_priors or along

    def holds(at: Level) -> bool:
        if not compared.holds(at, ZERO):
            return False
        inside = not (wide or asked.level.reaches(at)) and compared.holds(asked.level, ZERO)
        at = asked.level if inside else at
        prove(at.alpha is not None, "an irrational level inside the bounds")
        follows(read_halfspaces(second, model, at.number), inequalities, proofs)
        return True

    needed = needed_by(*ends, ONE) if along else needs(compared, worst, ZERO)
    return asked.settle(not compared.blocks, holds, needed, within=not wide, wide=wide)


def _at_end(second: Any, model: Model, worst: Any) -> list[Any]:
    """How likely an output is given each of two secrets, where a curve of priors of the class of
    the `second` definition ends, as `worst` lists it."""
    output, curve, _ = fields(worst, "output curve within")
    rows = model.table.rows()
    row, sides = rows[index(output, len(rows))], compared_by(read_family(second, model), curve)
    return [sum(p * row[w] for w, p in side.items()) for side in sides]


def _larger(second: Any, within: Any) -> Any:
    """The same definition about a larger class of priors, which compares worlds."""
    fits = within == "all" or (within, second["priors"]["class"]) == ("product", "iid")
    need(fits, "no larger class")
    return {**second, "priors": {"class": within}}


def _premise(first: Any, level: Any, model: Model, priors: Any) -> Follows:
    """What rejects inequalities that do not follow from the `first` definition, which the mechanism
    of a `model` meets.

    Of `priors` with unknown distributions those that are listed, or are the end of a curve, ask the
    inequalities by which others are proved; and there is a proof of how the mechanism meets it."""
    is_given = first == {"rule": "given"}
    need(is_given == ("given" in model.parts), "given mechanisms are for a rule given")
    if is_given:
        need(level is None and not priors, "given mechanisms have no level")
        known = [table.chances() for table in model.given]
        prove(model.table.chances() in known, "the mechanism is none of the given ones")
        rows = [row for table in model.given for row in table.rows()]
        return lambda wanted, *_: prove(
            _admits(list(wanted), rows), "a given mechanism needs a larger level"
        )
    (stated,) = fields(level, "exp_epsilon")
    if not priors:
        premise = Linear.of(first, stated, model, equations=True)
        prove(premise.admits(model.table.rows()), "not of the first definition")
        return premise.check_proofs
    alpha, (listed, met) = _read_level(stated), priors
    need(not (read.is_other(alpha) or read.FUNCTIONS.get()), "a rational level")
    family, (lower, upper) = read_family(first, model), fields(met, "exp_epsilon upper")
    most = read.number(lower)
    enough = 1 <= most <= alpha and meets(family, model.table, upper, Level(most))
    prove(enough, "not of the first definition")
    asked = [asked_by(family, one, alpha) for one in items(listed)]
    return Linear({_key(row): row for row in asked}, model.size).check_proofs


def _check_into(case: Case, first: Any, second: Any) -> bool:
    """Whether all rows of the first definition are in the row cone of given mechanisms, or all its
    mechanisms are mixtures of post-processings of some; or one mechanism of it is not so."""
    model, witness, mixed = case.model, case.witness, second["rule"] == "post_processing"
    level, pure, known = case.relation["level"], first["rule"] not in CLOSED, list[Table]()
    need(mixed or second == {"rule": "row_cone"}, "the row cone of all that are given")
    given = _chosen(model.given, second) if mixed else model.given
    if pure:
        premise = Linear.of(first, fields(level, "exp_epsilon")[0], model, equations=True)
    else:
        need(mixed and level is None, "given mechanisms have no level")
        known = _chosen(model.given, first)
    if "worst" in witness:
        worst, *shown = fields(witness, "worst" + " weights" * (not pure))
        prove(not is_made(model.table, given, worst, mixed), "it is of the second definition")
        if pure:
            prove(premise.admits(model.table.rows()), "not of the first definition")
        else:
            check_made(_own(model.table), known, shown[0], first["rule"] == "post_processing")
        return False
    facets, own = "equations facets inequalities proofs", "outputs" in model.parts
    need(not own or (mixed and first["rule"] != CLOSED[0]), "the model has no mechanism of its own")
    if not mixed:
        premise.check_cone(given, *fields(witness, facets))
        return True
    wanted: Iterable[tuple[Terms, Any]] = [(_own(table), ONE) for table in known]
    if first["rule"] == CLOSED[0]:
        (mixtures,) = fields(witness, "mixtures")
    else:
        mixtures, sums, rays, *shown = fields(
            witness, "mixtures sums rays " + (facets if pure else "weights")
        )
        if pure:
            premise.check_cone([model.table], *shown)
        for (rows, _), weights in zip(wanted, () if pure else items(shown[0]), strict=True):
            check_made(rows, [model.table], weights, False)
        wanted = read_extreme(model.table, sums, rays)
    for (rows, total), weights in zip(wanted, items(mixtures), strict=True):
        check_made(rows, given, weights, mixed, total)
    return True


def _chosen(given: list[Table], relation: Any) -> list[Table]:
    """The given mechanisms that a `relation` names, at least one, each once."""
    _, of = fields(relation, "rule of")
    need(indices(of, len(given)), "a list of mechanisms is needed")
    need(len(set(of)) == len(of), "a mechanism stands twice")
    return [given[at] for at in of]


def check_optimal(case: Case) -> bool:
    """Whether what a `case` claims of the smallest loss holds.

    Its witness proves the value, or it is rejected."""
    claim, model = case.claim, case.model
    _, under, level, stated = fields(case.relation, "rule under exp_epsilon prior")
    if under["rule"] == "post_processing":
        fields(under, "rule")
        need(level is None, "a closure has no level")
        return _is_best_made(case, read_loss(model, stated))
    keys = "rows prior shares inequalities multipliers use"
    answers, worst, listed, inequalities, multipliers, use = fields(case.witness, keys)
    value, definition = read.number(claim["value"]), Linear.of(under, level, model)
    levels.vacuous(claim, not any(definition.asked))
    loss = read_loss(model, stated)
    rows, used = _read_answers(answers, loss), definition.read_used(inequalities)
    prove(definition.admits(rows), "the mechanism is not of the definition")
    prove(loss.of(rows) <= value, "the mechanism has another loss")
    prior, shares = read.distribution(worst, model.size, "a prior"), read.numbers(listed)
    prove(loss.prior in (None, prior), "another prior")
    prove(len(shares) == model.size and sum(shares) >= value, "the shares prove less")
    proofs = [items(part, 2) for part in items(multipliers)]
    spend(4 * model.size * (len(rows) + sum(map(len, proofs))))
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


def _is_best_made(case: Case, loss: Loss) -> bool:
    """Whether what a `case` claims of the smallest loss of mixtures of post-processings holds: one
    that has it, and a prior against which no announcements after a given mechanism lose less."""
    claim, model = case.claim, case.model
    answers, worst, weights = fields(case.witness, "rows prior weights")
    value, rows = read.number(claim["value"]), _read_answers(answers, loss)
    check_made([(ONE, Row.of(dict(enumerate(row)))) for row in rows], model.given, weights, True)
    prove(loss.of(rows) <= value, "the mechanism has another loss")
    prior = read.distribution(worst, model.size, "a prior")
    prove(loss.prior in (None, prior), "another prior")
    spend(4 * model.size * len(rows) * sum(len(table.columns[0]) for table in model.given))
    least = min(_least(prior, table.rows(), loss) for table in model.given)
    prove(least >= value, "the prior proves less")
    return claim["equals"] is None or read.number(claim["equals"]) == value


def _read_answers(answers: Any, loss: Loss) -> Matrix:
    """The rows of a mechanism that answers: in each world a distribution."""
    rows = read.matrix(answers)
    need(len(rows) == len(loss.rows), "one row per answer")
    mechanism = all(read.is_distribution(column, len(rows)) for column in zip(*rows, strict=True))
    prove(mechanism, "no mechanism: an answer has another probability")
    return rows


def _least(prior: Sequence[Fraction], rows: Matrix, loss: Loss) -> Fraction:
    """What is lost against a prior, by the best answer to each output."""
    weighted = [list(map(mul, prior, costs)) for costs in loss.rows]
    return sum((min(dot(costs, row) for costs in weighted) for row in rows), ZERO)


def _attains(rows: Matrix, loss: Loss, value: Fraction, use: Any) -> bool:
    """Whether a mechanism has this loss, once its outputs are interpreted as well as possible: by
    the given answers, or, as a prior proves, not so well."""
    answers, listed = fields(use, "answers prior")
    spend(4 * len(rows) * len(loss.rows) * len(rows[0]))
    chosen, columns = read.matrix(answers), list(zip(*rows, strict=True))
    need(len(chosen) == len(rows), "one distribution of answers per output")
    need(all(read.is_distribution(part, len(loss.rows)) for part in chosen), "no answers")
    used = [[dot(p, column) for column in columns] for p in zip(*chosen, strict=True)]
    prior = read.distribution(listed, len(columns), "a prior")
    if loss.of(used) <= value:
        return True
    prove(loss.prior in (None, prior), "another prior")
    prove(_least(prior, rows, loss) > value, "the prior proves no larger loss")
    return False
