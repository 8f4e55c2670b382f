"""The rule "composition": the conditions that are necessary for linear composition.

**Question.** Take any ordered pair (s, t), prior that allows both, and world D of s that it makes
possible, and let T be the worlds of t that it makes possible. There are weights β >= 0 of sum 1 on
T with M[o, D] <= L Π M[o, w]^β_w for every output o (0⁰ = 1). Delta is 0.

**Evidence** is `{"upper": …, "lower": …}`.

- `upper` has for each pair, in both orders, `[D, betas]` for each world D of s, ascending; it is
  null if the leakage is infinite. A beta is a world, or `{w: number, …}` above 0 of sum 1. Each
  serves at L, and every T has all worlds of one; without any T there is none. Of `constraints` it
  is `[D, betas, leaves]`: for each different set of a world from each beta, in their order,
  `{"world": y}` or `{"others": y}`, multipliers of the rows. The points that are 0 on the set are 0
  at D, or on t, so that no T misses it: Σ y G >= 0 outside of it, and >= 1 there.
- `lower` is `{"pair": [s, t], "world": D, "prior": [weight, …], "counts": {o: n, …}, "run": {o: n,
  …}, "repetitions": r}`. The prior allows D and t. Over `counts` Π M[o, D]^n >= L^Σn Π M[o, w]^n
  for each w of T that has all outputs of D; if there is none, no level is enough. If violated,
  `run` is likelier in D than L^Σn times in each w of T, at the level; and r is null, or so often
  repeated it is that much likelier given s than given t. Otherwise both are null. `lower` is null
  for a vacuous leakage, or 1, but of `constraints`.
- Weights that are no rationals are `{"worlds": […], "outputs": […]}`, ascending: as a beta with one
  world more, and equations at the outputs; as `counts` with one output more, and equations in the
  worlds. All minors of the matrix of ln(L M[o, w] / M[o, D]), with alternating signs, have one
  sign: so there are such weights, and no others.

**Why it is sound.** The conditions, each to the power of its count, contradict any smaller level:
by weighted geometric means.

On a domain β is rational; with `at_least`, `upper` may be null where the run refutes the level.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

from . import levels
from . import reading as read
from .document import Pair, fields, index, indices, items, named_pair, need, prove, spend
from .levels import MOST_BITS, Level
from .obligations import Compared
from .powers import sign
from .reading import FUNCTIONS, ONE, ZERO, Case, Secrets, Table, denominator
from .supports import Supports, Weights, read_supports
from .ties import serve

SHORT, LONGEST = 12, 48  # exponents of powers that are multiplied out at once, and at all
DEGREES = range(2, 49)  # of roots that a leakage may be


@dataclass(frozen=True)
class Tied:
    """Weights of worlds, or of outputs, by equality at outputs, or in worlds."""

    worlds: list[int]
    outputs: list[int]

    def __iter__(self) -> Iterator[int]:
        return iter(self.worlds)

    def __len__(self) -> int:
        return len(self.worlds)


Beta = dict[int, Fraction] | Tied  # on worlds of t, where it is positive
Counts = dict[int, int] | Tied  # of outputs
Betas = dict[int, list[Beta]]  # of each world that has any


@dataclass(frozen=True)
class Conditions:
    """What is compared, in which mechanism, and what the priors make possible."""

    table: Table
    secrets: Secrets
    pairs: list[Pair]
    supports: Supports


@dataclass(frozen=True)
class Lower:
    """A world of s and those of t that a prior makes possible; how often outputs are counted in
    the proof of the leakage, and in the run that refutes the level."""

    prior: Weights
    pair: Pair
    world: int
    others: list[int]
    counts: Counts
    run: dict[int, int] | None
    repetitions: int | None


def check_composition(case: Case) -> bool:
    """Whether the conditions of a `case` are met, if its witness proves the leakage; else raise."""
    asked, (upper, lower) = levels.claim(case.claim), fields(case.witness, "upper lower")
    need(asked.delta == 0, "delta is 0")
    secrets, pairs = read.secrets(case.relation, case.model)
    supports = read_supports(case.relation, case.model, secrets)
    conditions = Conditions(case.model.table, secrets, pairs, supports)
    betas = None if upper is None else _read_betas(upper, conditions)
    below = None if lower is None else _read_lower(lower, conditions)

    def holds(at: Level) -> bool:
        need(betas is not None, "there are no betas")
        return _serve(conditions.table, betas or {}, at)

    def needs(low: Level | None) -> bool:
        need(low is not None or betas is None, "betas prove that a level is enough")
        if low is not None and low.alpha == 1 and supports.certain:
            return below is None
        return below is not None and _bounds(conditions.table, below, low)

    run = below.run if below else None
    refuted = below is not None and _refutes(conditions, below, asked.level)
    holding = asked.settle(betas == {}, holds, needs, degrees=DEGREES, refuted=refuted)
    need(not below or holding == (not run), "a run is for a verdict of violated")
    prove(not run or refuted, "the run does not refute the level")
    return holding


def _read_betas(upper: Any, conditions: Conditions) -> Betas:
    """The betas of each world that has any; they cover all that the class makes possible."""
    found: Betas = defaultdict(list)
    for (s, t), entries in zip(conditions.pairs, items(upper), strict=True):
        inside = set(conditions.secrets[t])
        for world, entry in zip(conditions.secrets[s], items(entries), strict=True):
            given, betas, *proof = items(entry)
            need(type(given) is int and given == world, "the worlds of a secret ascend")
            outputs = len(conditions.table.columns[0])
            known = [_read_beta(beta, inside, outputs) for beta in items(betas)]
            conditions.supports.cover(world, s, t, list(map(frozenset, known)), proof)
            if known:
                found[world] += known
    return dict(found)


def _read_beta(beta: Any, inside: set[int], outputs: int) -> Beta:
    """A convex combination of worlds; an integer is one of them alone. Or worlds with one output
    less."""
    if type(beta) is dict and "worlds" in beta:
        return _read_tied(beta, inside, outputs, more=1)
    shares = {beta: "1"} if type(beta) is int else read.by_integer(beta)
    found = {world: read.number(share) for world, share in shares.items()}
    need(found.keys() <= inside, "a beta is on worlds of the other secret")
    prove(min(found.values()) > 0 and sum(found.values()) == 1, "a beta is no distribution")
    return found


def _read_lower(lower: Any, conditions: Conditions) -> Lower:
    """The counts, under a prior of the class that makes the world and some others possible."""
    keys = "pair world prior counts run repetitions"
    names, at, listed, counts, run, times = fields(lower, keys)
    s, t = pair = named_pair(names)
    prove(pair in conditions.pairs, "a pair that is not compared")
    worlds, outputs = len(conditions.table.columns), len(conditions.table.columns[0])
    world, prior = index(at, worlds), read.distribution(listed, worlds, "a prior")
    others = [w for w in conditions.secrets[t] if prior[w]]
    prove(world in conditions.secrets[s] and prior[world] and others, "the prior excludes a side")
    known = conditions.supports.has(prior, world, s, t)
    prove(known, "the prior is not known to be of the class")
    if type(counts) is dict and "worlds" in counts:
        counted: Counts = _read_tied(counts, {*others}, outputs, more=-1)
    else:
        counted = _read_counts(counts, outputs)
    repeated = None if run is None else _read_counts(run, outputs)
    indices([] if times is None else [times], read.LARGE, low=1)
    need(repeated or times is None, "there is no run to be repeated")
    return Lower(prior, pair, world, others, counted, repeated, times)


def _read_tied(found: Any, inside: set[int], outputs: int, more: int) -> Tied:
    """Worlds among those `inside` and outputs, ascending: as many, and so many `more` worlds."""
    tied = Tied(*fields(found, "worlds outputs"))
    for side, size in ((tied.worlds, read.LARGE), (tied.outputs, outputs)):
        need(indices(side, size) == sorted(set(side)), "worlds and outputs ascend")
    need(inside.issuperset(tied.worlds), "weights are on worlds of the other secret")
    need(len(tied.worlds) == len(tied.outputs) + more, "one equality less than weights")
    return tied


def _read_counts(counts: Any, outputs: int) -> dict[int, int]:
    """How often each output is counted, at least one of them."""
    found = read.by_integer(counts)
    need(found, "counts are of outputs")
    indices([*found], outputs), indices([*found.values()], read.LARGE, low=1)
    return found


def _serve(table: Table, betas: Betas, at: Level) -> bool:
    """Whether every condition is met at this level."""
    known = [(world, beta) for world, found in betas.items() for beta in found]
    spend(sum(len(beta) for _, beta in known) * len(table.columns[0]) // 10)
    alone = Compared(table, [([w], list(beta), ONE) for w, beta in known if len(beta) == 1])
    mixed = ((world, beta) for world, beta in known if len(beta) > 1)
    return alone.holds(at, ZERO) and all(_dominates(table, w, beta, at) for w, beta in mixed)


def _dominates(table: Table, world: int, beta: Beta, at: Level) -> bool:
    """Whether M[o, world] <= alpha prod M[o, w]^beta_w for every output o, with alpha the level."""
    if isinstance(beta, Tied):
        return _dominates_tied(table, world, beta, at)
    values, columns = table.values, table.columns
    unit = lcm(denominator(beta.values()), at.degree)
    shares = [int(share * unit) for share in beta.values()]
    level = (at.alpha or ONE, unit // at.degree)
    for codes in set(zip(columns[world], *(columns[w] for w in beta), strict=True)):
        p, *others = (values[code] for code in codes)
        if p and not all(others):
            return False
        if p and _sign([level, (p, -unit), *zip(others, shares, strict=True)]) < 0:
            return False
    return True


def _dominates_tied(table: Table, world: int, beta: Tied, at: Level) -> bool:
    """The same for weights with which the `outputs` of a beta are met with equality."""
    excess = _excess(table, world, at)
    outputs = [o for o, code in enumerate(table.columns[world]) if table.values[code]]
    return _served({o: [excess(o, w) for w in beta.worlds] for o in outputs}, beta.outputs)


def _bounds_tied(table: Table, world: int, counts: Tied, having: list[int], low: Level) -> bool:
    """Whether weights of outputs, equal in the `worlds` of the counts, make them at least as likely
    in a `world` as in those `having` all its outputs, if each of these has alpha times as much."""
    excess = _excess(table, world, low)
    if not all(table.values[table.columns[world][o]] for o in counts.outputs):
        return False
    rows = {w: [Fraction(1, excess(o, w)) for o in counts.outputs] for w in having}
    return _served(rows, counts.worlds)


def _excess(table: Table, world: int, at: Level) -> Callable[[int, int], Fraction]:
    """alpha M[o, w] / M[o, world] for an output and a world; refused where the level is a root, or
    a number is a function, of which no logarithms are compared."""
    alpha, values, columns = at.alpha or ONE, table.values, table.columns
    known = at.degree == 1 and not read.is_other(alpha, *values)
    need(known, "weights by equalities are of rational numbers")
    return lambda o, w: Fraction(alpha * values[columns[w][o]], values[columns[world][o]])


def _served(rows: dict[int, list[Fraction]], tied: list[int]) -> bool:
    """Whether weights with which the `tied` of the rows are met with equality serve all of them."""
    places = list(rows)
    known = rows.keys() >= {*tied} and all(map(all, rows.values()))
    return known and serve([*rows.values()], list(map(places.index, tied)))


def _bounds(table: Table, lower: Lower, low: Level | None) -> bool:
    """Whether no level below this one (None: none at all) is enough. Betas are 0 outside the
    worlds that have all outputs of the world; if the counts are at least alpha^runs times as likely
    there as in each of these, then also compared to their weighted geometric means."""
    values, columns = table.values, table.columns
    spend(len(lower.others) * len(columns[0]) * 2)

    def has_all(w: int) -> bool:
        codes = zip(columns[lower.world], columns[w], strict=True)
        return all(values[q] or not values[p] for p, q in codes)

    having = [w for w in lower.others if has_all(w)]
    if low is None:
        return not having
    if isinstance(lower.counts, Tied):
        return _bounds_tied(table, lower.world, lower.counts, having, low)
    return all(_compare(table, lower.world, w, lower.counts, low) >= 0 for w in having)


def _refutes(conditions: Conditions, lower: Lower, level: Level) -> bool:
    """Whether there is a run that is more than alpha^runs times as likely in the world as in each
    of the others, so that enough repetitions tell s from t; and whether the stated number is."""
    table, prior, run = conditions.table, lower.prior, lower.run
    if not run or any(_compare(table, lower.world, w, run, level) <= 0 for w in lower.others):
        return False
    if lower.repetitions is None:
        return True
    repeated = {o: lower.repetitions * n for o, n in run.items()}
    sides = ({w: prior[w] for w in conditions.secrets[name]} for name in lower.pair)
    p, q = (table.counted(side, repeated) for side in sides)
    return level.compare(p, q, Fraction(sum(repeated.values()))) > 0


def _compare(table: Table, world: int, other: int, counts: dict[int, int], level: Level) -> int:
    """Whether the counts are less (-1), as (0) or more than (1) alpha^runs times as likely in the
    world as in the other one; less if they are impossible in the world."""
    values, columns = table.values, table.columns
    seen: Counter[tuple[int, int]] = Counter()
    for o, times in counts.items():
        seen[columns[world][o], columns[other][o]] += times
    pairs = [(values[p], values[q], times) for (p, q), times in seen.items()]
    if not all(p and q for p, q, _ in pairs):
        return 1 if all(p for p, _, _ in pairs) else -1
    ratios, runs = [(read.ratio(p, q), times) for p, q, times in pairs], sum(counts.values())
    if level.alpha is None:
        return sign(ratios, runs * level.epsilon)
    more = level.degree // gcd(runs, level.degree)
    powers = [(r, times * more) for r, times in ratios]
    return _sign([*powers, (level.alpha, -runs * more // level.degree)])


def _sign(powers: Sequence[tuple[Fraction, int]]) -> int:
    """The sign of the sum of k ln r over all (r, k) of `powers`; of functions the products of all
    r^k with k > 0 and with k < 0 are compared, unless bounds of logarithms show that it is 1."""
    if not read.is_other(*(r for r, _ in powers)):
        return sign(powers)
    longest = max(sum(max(0, side * k) for _, k in powers) for side in (1, -1))
    if longest > SHORT and FUNCTIONS.get():
        from .signs import is_above_one

        if is_above_one(powers):
            return 1
    size = sum(abs(k) * read.size(r) for r, k in powers)
    need(longest <= LONGEST and size <= MOST_BITS, "a power is too long")
    above, below = (
        prod((r ** (side * k) for r, k in powers if side * k > 0), start=ONE) for side in (1, -1)
    )
    return (above > below) - (above < below)
