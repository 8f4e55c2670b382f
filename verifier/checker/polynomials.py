"""The rule "family": a comparison under priors that are polynomials in unknown distributions.

**Question.** Each unknown distribution has a group of variables, none negative, and a secret gives
its worlds weights, polynomials that are homogeneous in each group. With sums of weights A, B, C,
D = P(s, o), P(s), P(t, o), P(t) to be shown is n <= L d, n = A D - delta B D and d = C B, for each
ordered pair with B and D not 0, and each output, or with delta each event but the empty one.

- `iid`: a variable for each value that records have, ascending. A world weighs the product of those
  of its records, a histogram so many times as it has ways. `product`: a group for each record.
- `hedging`: variables as of `iid`. A world weighs (1 - a) Π x + a Π p S^m over the m records other
  than i, or all, a being the weight and S the sum of the variables.
- `markov`: for each row, the initial one first, a variable for each corner of the distributions
  within its intervals (all probabilities but one at an end), ascending. A row gives a value the
  form Σ (its probability at the corner) x. A world weighs the forms of its first value and
  transitions, and sums of groups up to degree n - 1 in each row, for n records. For a stationary
  first value stands the sum, over all maps that lead from each other value to it, of the product of
  transitions; degrees are then n.

**Evidence** is `{"lower": …, "upper": …}`.

- `lower` is null or `{"pair": [s, t], "outputs": [o, …], "point": [c, …], "powers": [e, …]}`: c >=
  0 and an integer e >= 0 for each variable, in each group some c > 0. Along x = c z^e, z towards 0,
  n and d have leading terms N z^k and D z^l, N > 0. If k < l, or d is 0, no level is enough; if k =
  l none below N/D.
- `upper` is `[{"pair": [s, t], "outputs": [o, …], "tree": T}, …]`, trees that prove n - L d nowhere
  positive where the tree 0 does not; empty for an infinite leakage or null.
- Or it is null: leave the largest monomial that divides B out of A and B, that of D out of C and D.
  With r(p, q) the least number such that no coefficient of p exceeds r times that of q, r(A, C)
  r(D, B) or r(A, B) r(D, C) is at most L for each output with A not 0.
- On a domain, with a null leakage, `lower` may be
  `{"pair": …, "outputs": …, "divisor": h, "line": [a, b], "eliminated": i}`: n - L d at the level
  asked for, over h with positive coefficients, is positive at a + z b for some z > 0, a and b >= 0;
  or, unless i is null, it is A x² + B x + C times a power of variable i, B >= 0 and B² - 4 A C > 0
  there.

**Why it is sound.** Both sides have one degree in each group, so no sum has to be 1.
**Refused** are chains of more than 30 values.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import chain, combinations, pairwise, product
from math import comb, prod
from typing import Any, NamedTuple

from . import levels
from . import reading as read
from .cuts import (
    Polynomial,
    fails_on,
    linear,
    multiply,
    nowhere_positive,
    power,
    quotient,
    slices,
    summed,
)
from .document import Pair, fields, index, indices, items, mapping, named_pair, need, prove, spend
from .levels import Level
from .reading import ONE, ZERO, Case, Model, Table, Value

MOST_VALUES = 30  # of a chain: more have too many maps of transitions


@dataclass(frozen=True)
class Family:
    """The sizes of the groups of variables; for each secret, its worlds and their weights; and the
    ordered pairs of secrets."""

    groups: list[int]
    weights: dict[str, dict[int, Polynomial]]
    pairs: list[Pair]


def _independent(relation: Any, model: Model) -> Family:
    """iid: one unknown distribution of all records; product: one for each record. Of records that
    are not told apart each world stands for as many lists as it does."""
    (kind,) = fields(relation["priors"], "class")
    one = kind == "iid"
    if "counts" in model.parts:
        need(one, "of records that are not told apart, only iid")
        values = [(0, value) for value in model.entries_of_values]
        worlds = [Counter(dict(zip(values, row, strict=True))) for row in model.counts]
    else:
        worlds = [
            Counter((0 if one else i, record) for i, record in enumerate(row))
            for row in model.records
        ]
    variables = sorted({variable for row in worlds for variable in +row})
    spend(20 * len(worlds) * len(variables))
    keys = [
        (tuple(map(row.__getitem__, variables)), times)
        for row, times in zip(worlds, model.ways, strict=True)
    ]
    known: dict[Any, Polynomial] = {(m, times): {m: times} for m, times in keys}
    groups = list(Counter(group for group, _ in variables).values())
    return _family(groups, [known[key] for key in keys], relation, model)  # equal: one object


def _family(groups: list[int], weights: list[Polynomial], relation: Any, model: Model) -> Family:
    """Every world has one weight, whatever the secret."""
    secrets, pairs = read.secrets(relation, model)
    inside = {name: {w: weights[w] for w in worlds} for name, worlds in secrets.items()}
    return Family(groups, inside, pairs)


def read_value(value: Any) -> Value:
    """The entries of a record, listed in `value`."""
    return tuple(indices(value, read.CODES, low=-1))


def read_values(listed: Any) -> dict[Value, int]:
    """Different values, `listed`, and their numbers."""
    found = {read_value(value): code for code, value in enumerate(items(listed))}
    need(len(found) == len(listed), "a value stands twice")
    return found


def read_known(priors: Any, model: Model) -> tuple[Fraction, dict[Value, Fraction]]:
    """The weight of the known distribution of hedging `priors`, and that distribution, on the
    records of a `model`."""
    _, weight, known = fields(priors, "class weight known")
    values = read_values([value for value, _ in items(known, 2)])
    found = dict(zip(values, [read.number(p) for _, p in known], strict=True))
    occurring = {record for row in model.records for record in row}
    need(occurring == set(found), "the known distribution is of other values")
    a = read.number(weight)
    fits = 0 <= a <= 1 and min(found.values()) >= 0 and sum(found.values()) <= 1
    prove(fits, "no weight, or no distribution")
    return a, found


def known_beliefs(relation: Any, model: Model) -> list[dict[str, dict[int, int]]]:
    """What the known distribution alone, if its weight is 1, makes likely given each secret, for
    each secret that it allows: integers in these proportions."""
    _, secrets, _, priors = fields(relation, "rule secrets pairs priors")
    weight, known = read_known(priors, model)
    need(weight == 1, "events of an unknown distribution are no comparisons")
    spend(10 * len(mapping(secrets)) * len(model.records) * len(model.records[0]))
    found = {}
    for name, given in secrets.items():
        inside = _others(given, model)
        likely = [
            model.ways[w] * prod(map(known.__getitem__, rest), start=ONE)
            for w, rest in inside.items()
        ]
        weights = dict(zip(inside, read.in_integers(likely)[1], strict=True))
        found[name] = {w: p for w, p in weights.items() if p}
    return [{name: weights for name, weights in found.items() if weights}]


def _hedging(relation: Any, model: Model) -> Family:
    """Given a value of record i, the others have (1-a) prod f + a prod known; given nothing, all
    have. Only worlds of the model count."""
    _, secrets, _, priors = fields(relation, "rule secrets pairs priors")
    rows, (a, known) = model.records, read_known(priors, model)
    values, places = sorted(known), sum(model.counts[0]) if model.is_of_one else len(rows[0])
    most = places - (None not in mapping(secrets).values())
    spend(len(rows) * len(values) * comb(most + len(values), len(values)))
    everyone = linear([ONE] * len(values), 0, len(values))
    totals = {n: power(everyone, n, len(values)) for n in (places - 1, most)}

    @cache
    def weight(others: Sequence[Any], times: int) -> Polynomial:
        likely = a * prod(map(known.__getitem__, others))
        found = {m: likely * x for m, x in totals[len(others)].items()}
        found[tuple(map(Counter(others).__getitem__, values))] += 1 - a
        return {m: x * times for m, x in found.items() if x}

    spend(10 * len(mapping(secrets)) * len(rows) * places)
    weights = {
        name: {w: weight(rest, model.ways[w]) for w, rest in _others(given, model).items()}
        for name, given in secrets.items()
    }
    return Family([len(values)], weights, read.pairs(relation))


def _others(given: Any, model: Model) -> dict[int, tuple[Value, ...]]:
    """The worlds where a record has a value, and their other records, sorted; or all of all."""
    rows, one = model.records, model.is_of_one
    if given is None:
        everyone = [_spelled(model, counts) for counts in model.counts] if one else rows
        return {w: tuple(sorted(row)) for w, row in enumerate(everyone)}
    record, value = fields(given, "record value")
    i, value = index(record, len(rows[0])), read_value(value)
    inside = ((w, row) for w, row in enumerate(rows) if row[i] == value)
    if one:
        return {w: _spelled(model, model.others[w]) for w, _ in inside}
    return {w: tuple(sorted(row[:i] + row[i + 1 :])) for w, row in inside}


def _spelled(model: Model, counts: Iterable[int]) -> tuple[Value, ...]:
    """Records with these counts, sorted."""
    values = zip(model.entries_of_values, counts, strict=True)
    return tuple(sorted(value for value, count in values for _ in range(count)))


@dataclass(frozen=True)
class Chains:
    """Numbered values, and intervals of the probabilities of each transition; of the first value
    too, or none where the chain is stationary."""

    codes: dict[Value, int]
    first: list[Any] | None
    transitions: list[Any]


def read_chains(priors: Any, model: Model) -> Chains:
    """The chains of `priors` of class markov, over records of a `model` that are told apart."""
    _, values, initial, listed = fields(priors, "class values initial transition")
    codes, first = read_values(values), None if initial == "stationary" else initial
    need(len(items(listed)) == len(codes) and not model.is_of_one, "no chains of these records")
    return Chains(codes, first, listed)


def _markov(relation: Any, model: Model) -> Family:
    """Rows of probabilities within intervals: mixtures of the corners, one group for each row."""
    chains, rows = read_chains(relation["priors"], model), model.records
    size, steps, still = len(chains.codes), len(rows[0]) - 1, chains.first is None
    lists = chains.transitions if still else [chains.first, *chains.transitions]
    _spend_trees(size)
    corners = [_corners(row, size) for row in lists]
    groups = list(map(len, corners))
    count, forms = sum(groups), list[list[Polynomial]]()
    for at, points in enumerate(corners):  # times an integer for each row: all weights are alike
        whole = read.in_integers(list(chain.from_iterable(points)))[1]
        columns = (whole[value::size] for value in range(size))
        forms.append([linear(column, sum(groups[:at]), count) for column in columns])
    begin = stationary(forms, count) if still else forms.pop(0)
    sums = [summed((form, 1) for form in row) for row in forms]

    @cache
    def used(before: int, onto: tuple[int, ...], degree: int) -> Polynomial:
        """The transitions from a value onto others, and sums up to a degree."""
        rest = power(sums[before], degree - len(onto), count)
        return reduce(multiply, map(forms[before].__getitem__, onto), rest)

    @cache
    def weight(first: int, moves: tuple[tuple[int, int], ...]) -> Polynomial:
        """The initial weight and the transitions; with sums up to the same degree for all paths."""
        spend(20 * prod(comb(steps + n, n - 1) for n in groups))
        onto = [tuple(b for a, b in moves if a == before) for before in range(size)]
        degrees = [steps + (still and before == first) for before in range(size)]
        return reduce(multiply, map(used, range(size), onto, degrees), begin[first])

    paths = ([chains.codes[record] for record in row] for row in rows)
    weights = [weight(path[0], tuple(sorted(pairwise(path)))) for path in paths]
    return _family(groups, weights, relation, model)


def stationary(forms: list[list[Polynomial]], count: int) -> list[Polynomial]:
    """The stationary weight of each value: trees of transitions into it.

    The `forms` of the transitions from and to each value are in `count` variables.
    """
    found, one = [], power({}, 0, count)
    _spend_trees(len(forms))
    for root in range(len(forms)):
        ways = ([forms[v][w] for v, w in tree.items()] for tree in _trees(root, len(forms)))
        found.append(summed((reduce(multiply, way, one), 1) for way in ways))
    return found


def _spend_trees(size: int) -> None:
    need(size <= MOST_VALUES, "too many values")
    spend(size ** (size + 1))


def _corners(row: Any, size: int) -> list[tuple[Fraction, ...]]:
    """The corners of the distributions within intervals: all but one probability at an end."""
    ends = [(read.number(low), read.number(high)) for low, high in items(row, 2)]
    fits = len(ends) == size and all(0 <= low <= high <= 1 for low, high in ends)
    prove(fits, "an interval is [low, high], one for each value")
    found: set[tuple[Fraction, ...]] = set()
    for at, (low, high) in enumerate(ends):
        for chosen in product(*ends[:at], *ends[at + 1 :]):
            rest = ONE - sum(chosen)
            if low <= rest <= high:
                found.add((*chosen[:at], rest, *chosen[at:]))
    prove(found, "no distribution is within the intervals")
    return sorted(found)


def _trees(root: int, size: int) -> Iterator[dict[int, int]]:
    """Every way to go from each other value to another one that leads to the root."""
    others = [code for code in range(size) if code != root]
    for targets in product(range(size), repeat=size - 1):
        tree = dict(zip(others, targets, strict=True))
        ends = set(others)
        for _ in range(size):
            ends = {tree.get(code, code) for code in ends}
        if ends <= {root}:
            yield tree


FAMILIES: dict[str, Callable[[Any, Model], Family]] = {
    "iid": _independent,
    "product": _independent,
    "hedging": _hedging,
    "markov": _markov,
}


Event = tuple[int, ...]
Key = tuple[str, str, Event]  # two secrets, and outputs
NEVER = 2**99  # the order of what is 0


class Condition(NamedTuple):
    """n <= alpha d, for n and d that are products of two integer polynomials each."""

    above: tuple[Polynomial, Polynomial]
    below: tuple[Polynomial, Polynomial]

    def both(self) -> tuple[Polynomial, Polynomial]:
        """n and d, multiplied out."""
        return multiply(*self.above), multiply(*self.below)


def check_comparison(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked, (lower, upper) = levels.claim(case.claim), fields(case.witness, "lower upper")
    family = read_family(case.relation, case.model)
    conditions, groups = _Conditions(family, case.model.table, asked.delta), family.groups
    if read.FUNCTIONS.get() and lower and "line" in lower:
        prove(_fails(lower, upper, asked, conditions), "the condition does not fail")
        return False
    reached = ONE if lower is None else _reached(lower, conditions, groups)
    need(upper == [] or (asked.leakage and "infinite" not in asked.leakage), "a proof of no level")
    if asked.leakage is None:
        enough = reached is None or asked.level.compare(reached, ONE) > 0
        prove(enough, "the witness does not violate the level")
        return False

    @cache
    def proof() -> Callable[[Level], bool]:
        return _proof(upper, conditions)

    def needs(at: Level | None) -> bool:
        return reached is None or (at is not None and at.alpha is not None and reached >= at.alpha)

    return asked.settle(not conditions.compared, lambda at: proof()(at), needs, wide=True)


def _proof(upper: Any, conditions: "_Conditions") -> Callable[[Level], bool]:
    """Whether coefficients alone, or the trees of `upper`, prove all conditions at a level."""
    if upper is None:
        return _by_factors(conditions)
    groups, keys = conditions.family.groups, conditions.every()
    trees = {_key(*fields(part, "pair outputs tree")[:2]): part["tree"] for part in items(upper)}
    need(len(trees) == len(upper), "two proofs of one condition")
    need(trees.keys() <= {*keys}, "a proof about nothing")

    def holds(at: Level) -> bool:
        b, (a,) = read.in_integers([at.alpha or ONE])  # what holds at 1 holds at any e^epsilon
        both = ((key, conditions.one(key).both()) for key in keys)
        return all(
            nowhere_positive(summed([(n, b), (d, -a)]), trees.get(key, 0), groups)
            for key, (n, d) in both
        )

    return holds


def _fails(lower: Any, upper: Any, asked: levels.Claim, conditions: "_Conditions") -> bool:
    """Whether what `lower` names fails at the level asked for, somewhere on a line of priors: no
    more is said of the leakage."""
    need(upper == [] and asked.leakage is None, "no level is proved")
    keys = "pair outputs divisor line eliminated"
    pair, outputs, divisor, line, eliminated = fields(lower, keys)
    n, d = conditions.one(_key(pair, outputs)).both()
    alpha: Any = asked.level.alpha
    need(alpha is not None, "a level is a function")
    b, (a,) = read.in_integers([alpha])
    count = sum(conditions.family.groups)
    p = quotient(summed([(n, b), (d, -a)]), divisor, count)
    return fails_on(p, line, eliminated, count)


def _by_factors(conditions: "_Conditions") -> Callable[[Level], bool]:
    """Whether the coefficients of A, B, C and D alone prove all conditions at a level, delta or no
    delta: A <= p C and D <= q B, p q <= alpha; or A <= p B and D <= q C."""
    joint, outputs = conditions.joint, len(conditions.table.columns[0])
    terms = {name: len(mass) for name, (mass, *_) in joint.items()}
    size = 1 + max((len(m) for mass, *_ in joint.values() for m in mass), default=0)
    spend(sum(terms[s] + terms[t] for s, t in conditions.compared) * outputs * (5 + size))
    known = {name: _without_common(listed) for name, listed in joint.items() if listed[0]}
    bounds = []
    for s, t in conditions.compared:
        (b, *p), (d, *q) = known[s], known[t]
        odds = _ratio(d, b)
        for a, c in zip(p, q, strict=True):
            if a:
                ways = ((_ratio(a, c), odds), (_ratio(a, b), _ratio(d, c)))
                found = [x * y for x, y in ways if x is not None and y is not None]
                bounds.append(min(found, default=None))
    return lambda at: all(x is not None and x <= (at.alpha or ONE) for x in bounds)


def _without_common(listed: list[Polynomial]) -> list[Polynomial]:
    """P(s) and all P(s, o), which have no other monomials, without the one that divides P(s)."""
    common = list(map(min, zip(*listed[0], strict=True)))
    return [
        {tuple(e - k for e, k in zip(m, common, strict=True)): x for m, x in p.items()}
        for p in listed
    ]


def _ratio(p: Polynomial, q: Polynomial) -> Fraction | None:
    """The least r such that no coefficient of p, all above 0, exceeds r times that of q."""
    top, bottom = 0, 1
    for m, x in p.items():
        y = q.get(m, 0)
        if not y:
            return None
        if x * bottom > top * y:
            top, bottom = x, y
    return Fraction(top, bottom)


@dataclass(frozen=True)
class _Conditions:
    """For each ordered pair of secrets that some prior makes possible, and each output, what is
    claimed; with delta, for each event."""

    family: Family
    table: Table
    delta: Fraction

    @cached_property
    def joint(self) -> dict[str, list[Polynomial]]:
        """P(s) and P(s, o) of each secret."""
        return {name: _joint(weights, self.table) for name, weights in self.family.weights.items()}

    @cached_property
    def compared(self) -> list[Pair]:
        """The ordered pairs of secrets that some prior makes possible."""
        return [(s, t) for s, t in self.family.pairs if self.joint[s][0] and self.joint[t][0]]

    def every(self) -> list[Key]:
        """What all of them are about; there are steps for multiplying them out, one by one."""
        outputs, pairs = range(len(self.table.columns[0])), self.compared
        sizes = range(1, len(outputs) + 1 if self.delta else 2)
        terms = {name: len(mass) for name, (mass, *_) in self.joint.items()}
        each = 20 + 4 * sum(self.family.groups)  # of a product of terms
        number = 2 ** len(outputs) if self.delta else len(outputs)
        spend(each * (len(pairs) + sum(terms[s] * terms[t] for s, t in pairs)) * number)
        events = list(chain.from_iterable(combinations(outputs, size) for size in sizes))
        return [(s, t, event) for s, t in pairs for event in events]

    def one(self, key: Key) -> Condition:
        """What is claimed of two secrets and an event; refused if there is no such claim."""
        s, t, event = key
        need((s, t) in self.family.pairs, "a pair that is not compared")
        indices(list(event), len(self.table.columns[0]))
        ascends = event and all(a < b for a, b in pairwise(event))
        need(ascends and (self.delta or len(event) == 1), "no event")
        (b, *p), (d, *q) = self.joint[s], self.joint[t]
        need(b and d, "a secret that no prior makes possible")
        down, (up,) = read.in_integers([self.delta])
        a, c = (summed((x[o], down) for o in event) for x in (p, q))
        return Condition((summed([(a, 1), (b, -up)]), d), (c, b))


def _joint(weights: dict[int, Polynomial], table: Table) -> list[Polynomial]:
    """P(s) and P(s, o) for each output o, all times one integer. The chances of worlds whose weight
    is one object are added up first."""
    worlds = list(weights)
    alike = [[worlds[k] for k in ks] for ks in read.grouped(map(id, weights.values())).values()]
    parts = [weights[members[0]] for members in alike]
    spend((len(table.columns[0]) + 1) * (10 * sum(map(len, parts)) + len(worlds)))
    numbers = iter(read.in_integers([x for p in parts for x in p.values()])[1])
    scaled = [{m: next(numbers) for m in p} for p in parts]
    whole = [{m: x for m, x in p.items() if x} for p in scaled]
    return [summed(zip(whole, column, strict=True)) for column in _masses(alike, table)]


def _masses(alike: list[list[int]], table: Table) -> list[list[int]]:
    """The numbers of some worlds, and for each output the sums of its chances there, all times one
    integer."""
    counts = [table.whole[0] * len(worlds) for worlds in alike]
    sums = table.sums([dict.fromkeys(worlds, 1) for worlds in alike])
    return [counts, *map(list, zip(*sums, strict=True))]


def _key(pair: Any, outputs: Any) -> Key:
    return (*named_pair(pair), tuple(indices(outputs, read.CODES)))


def _reached(lower: Any, conditions: _Conditions, groups: list[int]) -> Fraction | None:
    """The limit of n / d along x = point t^powers for t -> 0+; None is infinite."""
    pair, outputs, listed, powers = fields(lower, "pair outputs point powers")
    condition = conditions.one(_key(pair, outputs))
    terms = [m for factors in condition for p in factors for m in p]
    point = _read_curve(listed, powers, terms, groups)
    (order, top), (below, bottom) = (_product(factors, point, powers) for factors in condition)
    prove(order < NEVER and top > 0 and order <= below, "the witness proves nothing")
    return read.ratio(top, bottom) if order == below else None


def _read_curve(
    listed: Any, powers: Any, terms: list[tuple[int, ...]], groups: list[int]
) -> list[Fraction]:
    """The point of a curve point t^powers in the `groups`, if values of the `terms` along it are
    not too long."""
    point = read.numbers(listed)
    bits = max(max(map(int.bit_length, x.as_integer_ratio())) for x in point)
    bits *= max(map(sum, terms))  # of the largest term
    spend(len(terms) * (10 * len(point) + bits // 10 + bits * bits // 60000))
    indices(powers, read.CODES)
    need(len(point) == len(powers) == sum(groups) and min(point) >= 0, "no point")
    need(all(any(point[part]) for part in slices(groups)), "a distribution of sum 0")
    return point


def read_family(relation: Any, model: Model) -> Family:
    """The family of priors of a `relation` between secrets."""
    return FAMILIES[relation["priors"]["class"]](relation, model)


def meets(family: Family, table: Table, upper: Any, level: Level) -> bool:
    """Whether `upper` proves that a mechanism, a `table`, meets all conditions at a `level`."""
    return _proof(upper, _Conditions(family, table, ZERO))(level)


def asked_by(family: Family, listed: Any, alpha: Fraction) -> dict[int, Fraction]:
    """The inequality that the end of a curve, as it is `listed`, asks of every row of a mechanism
    at the level `alpha`: what is believed given one secret, less alpha times given another one."""
    left, right = compared_by(family, listed)
    return {w: left.get(w, ZERO) - alpha * right.get(w, ZERO) for w in {*left, *right}}


def compared_by(family: Family, listed: Any) -> list[dict[int, Fraction]]:
    """What is believed given each of two secrets at the end of a curve, as it is `listed`: of
    priors along it, under which both are possible."""
    names, point, powers = fields(listed, "pair point powers")
    pair = named_pair(names)
    need(pair in family.pairs, "a pair that is not compared")
    sides = [family.weights[name] for name in pair]
    terms = [m for weights in sides for p in weights.values() for m in p]
    start, ends = _read_curve(point, powers, terms, family.groups), []
    for weights in sides:
        found = {w: leading(p, start, powers) for w, p in weights.items()}
        least = min((order for order, _ in found.values()), default=NEVER)
        prove(least < NEVER, "a secret that no prior makes possible")
        chosen = {w: x for w, (order, x) in found.items() if order == least}
        total = sum(chosen.values())
        ends.append({w: read.ratio(x, total) for w, x in chosen.items()})
    return ends


def _product(
    factors: tuple[Polynomial, Polynomial], point: list[Fraction], powers: list[int]
) -> tuple[int, Fraction]:
    """The lowest power of t in a product at point t^powers, and its coefficient."""
    (one, x), (other, y) = (leading(p, point, powers) for p in factors)
    return min(one + other, NEVER), x * y


def leading(p: Polynomial, point: list[Fraction], powers: list[int]) -> tuple[int, Fraction]:
    """The lowest power of t in p at point t^powers, and its coefficient."""
    orders: dict[int, Fraction] = {}
    for m, c in p.items():
        order = sum(e * k for e, k in zip(m, powers, strict=True))
        term = c * prod(x**e for e, x in zip(m, point, strict=True))
        orders[order] = orders.get(order, ZERO) + term
    return min((order, x) for order, x in [*orders.items(), (NEVER, ONE)] if x)
