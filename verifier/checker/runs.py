"""The rule "runs": what 1, 2, 3, … independent runs leak under given priors.

**Question.** `steps` are lists of different outputs, in which every
output stands: run i, from 0, has one of list i mod their number. A list has the same sum of M[o, w]
in every world, by which probabilities are divided. The verdict is `holds`. The answer says at least
one of these:

- `rows`: for 1, 2, 3, … runs the largest P(outputs | s) / P(outputs | t), over priors that allow
  both, `{"exp_epsilon": L}` or `{"infinite": true}`; `alone`: the same for one run of each step.
- `trajectories`: `{"prior": k, "pair": [s, t], "outputs": [o, …], "odds": [x, …], "world": w}`:
  P(s)/P(t) before and after each output, or `infinite`. If w is not null each output has the
  largest P(o | w) / (n + 1) in its step, having come n times before.
- `certainty`: `{"prior": k, "pair": p, "fewest": …, "probability": […], "expected": …}`. A world is
  possible if it can give all outputs so far. It is certain when one is, or with a pair worlds of
  one secret only. `fewest` is `{"outputs": [o, …]}`, a shortest run that makes certain, `{}` for
  none, or null. The next, for 1, 2, … runs, and the expected number of runs, or null, are
  `{"worlds": [x, …], "average": y}`, for each true world (of the pair), ascending, and weighted by
  the prior; or `infinite`.

**Evidence** is `{"alone": […], "rows": […]}`: for each level null, for 1, or
`{"prior": k, "pair": [s, t], "outputs": [o, …]}`, outputs with this ratio or more.

**Why it is sound.** Likelihoods of runs are proportional to the product of M[o, w].
So the generators of a cone of products decide a level; what is infinite stays so. All sets of
worlds that runs can leave are followed, with their probabilities. The expected number solves one
equation for each, smaller ones first, and is infinite where a round of steps leaves a set as it is.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain
from operator import and_, mul, sub
from typing import Any

from . import reading as read
from .cones import Cone, Cones, Vector
from .document import Pair, fields, index, indices, items, named_pair, need, prove, spend
from .reading import ONE, ZERO, Case, Secrets, Table

Known = Callable[[int], bool]  # whether sets of worlds, as bits, make certain what is asked
Moves = list[dict[int, Fraction]]  # for each step, worlds that an output leaves -> its probability
Prior = dict[int, Fraction]  # world -> probability > 0


@dataclass(frozen=True)
class Runs:
    """Runs of several mechanisms, again and again; the outputs of all of them are told apart.

    steps  the outputs that the first, second, … run can have
    table  the probability of each output in its run
    """

    steps: list[list[int]]
    table: Table

    @cached_property
    def chance(self) -> list[list[Fraction]]:
        """World, output -> the probability in its run."""
        return self.table.chances()

    @cached_property
    def masks(self) -> list[int]:
        """Output -> the worlds that can give it."""
        return [sum(1 << w for w, p in enumerate(row) if p) for row in self.table.rows()]

    def follows(self, outputs: Any, only: list[list[int]] | None = None) -> None:
        """Reject `outputs` that are not those of runs in the order of all steps, or `only` some."""
        indices(outputs, len(self.chance[0]))
        steps = only or self.steps
        order = (o in steps[k % len(steps)] for k, o in enumerate(outputs))
        prove(all(order), "an output of another mechanism")

    def moves(self, world: int) -> Moves:
        """What the outputs of each step leave possible, from a true world."""
        found = []
        for outputs in self.steps:
            sums: dict[int, Fraction] = defaultdict(Fraction)
            for o in outputs:
                if self.chance[world][o]:
                    sums[self.masks[o]] += self.chance[world][o]
            found.append(dict(sums))
        return found


def read_runs(steps: Any, table: Table) -> Runs:
    """The outputs of each of the `steps`, which a `table` makes equally likely in every world."""
    values, columns = table.values, table.columns
    different = all(step and len(set(items(step))) == len(step) for step in items(steps))
    need(different, "a step is empty")
    needed = {o for step in steps for o in indices(step, len(columns[0]))}
    need(len(needed) == len(columns[0]), "an output stands in no step")
    shares = {ONE}  # of a single step, as every column sums to 1
    if len(steps) > 1:
        shares = {sum(values[column[o]] for o in step) for column in columns for step in steps}
    prove(len(shares) == 1, "a step is no mechanism")
    (share,) = shares
    return Runs(steps, Table([Fraction(value, share) for value in values], columns))


class Chain:
    """The sets of worlds that runs leave possible under one prior."""

    def __init__(self, runs: Runs, prior: dict[int, Fraction], length: int) -> None:
        self.runs, self.prior = runs, prior
        self.start = sum(1 << w for w in prior)
        self.moves = {world: runs.moves(world) for world in prior}
        self.masses = {world: self._spread(world, length) for world in prior}

    def _spread(self, world: int, length: int) -> list[dict[int, Fraction]]:
        """The probability of each set after 1, 2, …, `length` runs."""
        found, steps, mass = [], self.moves[world], {self.start: ONE}
        for run in range(length):
            further: dict[int, Fraction] = defaultdict(Fraction)
            own, long = steps[run % len(steps)], max(map(read.size, mass.values()), default=0)
            spend(len(mass) * len(own) * (5 + long // 500 + long**2 // 500_000))
            for possible, p in mass.items():
                for mask, q in own.items():
                    further[possible & mask] += p * q
            mass = further
            found.append(mass)
            spend(length * len(mass) * len(steps) * 100)
        return found

    def check(self, entry: Any, pair: Sequence[Sequence[int]] | None) -> None:
        """Reject an `entry` that is not so: the fewest runs that make certain which world (or which
        one of a `pair` of secrets) is true, the probability after 1, 2, 3, … runs, the expected
        number."""
        both = set(self.prior) if pair is None else {w for side in pair for w in side}
        known, worlds = _known(pair), [w for w in self.prior if w in both]
        if entry["fewest"] is not None:
            self._check_fewest(entry["fewest"], known)
        for k, said in enumerate(entry["probability"]):
            masses = (self.masses[w][k].items() for w in worlds)
            sums = (sum((p for s, p in mass if known(s)), ZERO) for mass in masses)
            self._compare(said, worlds, list(sums))
        if entry["expected"] is not None:
            means = [_expected(self.moves[w], self.start, known) for w in worlds]
            self._compare(entry["expected"], worlds, means)

    def _check_fewest(self, said: Any, known: Known) -> None:
        """Reject outputs after which nothing is certain, or to which there is a shorter way. An
        empty object claims that no run ever makes certain."""
        fields(said, "outputs" if said else "")
        if said:
            self.runs.follows(said["outputs"])
            masks = map(self.runs.masks.__getitem__, said["outputs"])
            left = reduce(and_, masks, self.start)
            prove(left and known(left), "nothing is certain after these runs")
        moves = [set[int]().union(*together) for together in zip(*self.moves.values(), strict=True)]
        after = (runs for (_, left), runs in _reached(moves, self.start).items() if known(left))
        fewest = min(after, default=None)
        prove(fewest == (len(said["outputs"]) if said else None), "there is a shorter way")

    def _compare(self, said: Any, worlds: list[int], found: Sequence[Fraction | None]) -> None:
        """Reject other numbers for the worlds, or another average; None is infinite."""
        each, mean = fields(said, "worlds average")
        stated = [None if x == "infinite" else read.number(x) for x in [*items(each), mean]]
        average = None
        if None not in found:
            weighted = ((x or ZERO) * self.prior[w] for x, w in zip(found, worlds, strict=True))
            average = Fraction(sum(weighted), sum(self.prior[w] for w in worlds))
        prove(stated == [*found, average], "another probability or number of runs")


def _known(pair: Sequence[Sequence[int]] | None) -> Known:
    """Whether what is possible is one world; or of one secret of a pair and not of the other."""
    if pair is None:
        return lambda possible: possible & (possible - 1) == 0
    left, right = (sum(1 << w for w in side) for side in pair)
    return lambda possible: bool(possible & left) != bool(possible & right)


def _reached(moves: Sequence[Collection[int]], start: int) -> dict[tuple[int, int], int]:
    """The sets of worlds that runs may leave possible from a first one, each with the step that is
    next; and after how many runs at first."""
    states = [(0, start)]
    found = {states[0]: 0}
    for state in states:
        spend(1000 * len(moves[state[0]]))
        for mask in moves[state[0]]:
            further = (state[0] + 1) % len(moves), state[1] & mask
            if further[1] and further not in found:
                found[further] = found[state] + 1
                states.append(further)
    return found


def _expected(moves: Moves, start: int, known: Known) -> Fraction | None:
    """The expected number of runs until certain: smaller sets come first, and a set that a round of
    all steps certainly leaves as it is stays for ever."""
    value: dict[tuple[int, int], Fraction | None] = {}
    for state in sorted(_reached(moves, start), key=lambda state: state[1].bit_count()):
        value[state] = ZERO if known(state[1]) else _one_round(moves, state, value)
    return value[0, start]


def _one_round(moves: Moves, state: tuple[int, int], value: Any) -> Fraction | None:
    """E = 1 + the sum of p E over what comes next, which is solved for E where the set may stay."""
    (at, possible), total, stays = state, ZERO, ONE
    for _ in moves:
        step, at = moves[at], (at + 1) % len(moves)
        total, still = total + stays, ZERO
        for mask, p in step.items():
            if possible & mask == possible:
                still += p
            elif value[at, possible & mask] is None:
                return None
            else:
                total += stays * p * value[at, possible & mask]
        stays *= still
        if not stays:
            return total
    return None if stays == 1 else Fraction(total, 1 - stays)


def check_runs(case: Case) -> bool:
    """True if the witness of a `case` proves all that is claimed of given priors; else raise."""
    keys = ["steps", "alone", "rows", "certainty", "trajectories"]
    steps, alone, rows, certainty, paths = map(case.claim.__getitem__, keys)
    shown, witnesses = fields(case.witness, "alone rows")
    leaks = _read_leaks(steps, case)
    said = [_says(entry) for entry in items(certainty)]
    need(alone or rows or paths or any(said), "nothing is claimed")
    need(len(items(alone)) in (0, len(steps)), "one leakage for each step")
    every = zip(steps if alone else [], alone, items(shown), strict=True)
    for step, leakage, witness in every:
        leaks.check([leakage], [witness], [step])
    leaks.check(items(rows), witnesses, steps)
    for path in items(paths):
        leaks.check_trajectory(path)
    leaks.check_certainty(certainty)
    return True


def _says(entry: Any) -> bool:
    """Whether an entry of certainty says anything."""
    _, _, *parts = fields(entry, "prior pair fewest probability expected")
    return any(part is not None and part != [] for part in parts)


def _read_leaks(steps: Any, case: Case) -> "Leaks":
    """The runs of these steps, the secrets and the listed priors."""
    secrets, pairs = read.secrets(case.relation, case.model)
    runs = read_runs(steps, case.model.table)
    weights = read.weights(case.relation["priors"], case.model.size)
    priors = [{w: p for w, p in enumerate(prior) if p} for prior in weights]
    spend(len(priors) * (len(pairs) + sum(1 + len(worlds) for worlds in secrets.values())))
    return Leaks(runs, priors, secrets, pairs)


class Leaks:
    """What multisets of outputs tell about two secrets that a prior allows.

    inside   prior and secret -> the prior on the worlds of the secret
    cases    prior and pair of secrets that it allows
    rows     output -> likelihoods by class of worlds that no output tells apart, times one unit
    weights  prior and secret -> P(class | secret), times an integer of the prior
    """

    def __init__(
        self, runs: Runs, priors: list[Prior], secrets: Secrets, pairs: list[Pair]
    ) -> None:
        self.runs, self.priors, self.secrets = runs, priors, secrets
        sides = [(k, name) for k in range(len(priors)) for name in secrets]
        self.inside = {(k, s): _restricted(priors[k], secrets[s]) for k, s in sides}
        self.cases = self._allowed(pairs)
        worlds = sorted(set[int]().union(*priors))
        classes = read.grouped(tuple(runs.chance[w]) for w in worlds)
        _, integers = read.in_integers(list(chain.from_iterable(classes)))
        width = len(self.runs.chance[0])
        columns = [integers[at : at + width] for at in range(0, len(integers), width)]
        self.rows: list[Vector] = list(map(list, zip(*columns, strict=True)))
        compared = {(k, name) for k, pair in self.cases for name in pair}
        spend(5 * len(compared) * (len(classes) + len(worlds)))
        self.weights = {side: _shares(self.inside[side], worlds, classes) for side in compared}

    def _allowed(self, pairs: list[Pair]) -> dict[tuple[int, Pair], None]:
        every = ((k, pair) for k in range(len(self.priors)) for pair in pairs)
        return {(k, p): None for k, p in every if all(self.inside[k, name] for name in p)}

    def _sides(self, prior: Any, names: Any) -> list[Prior]:
        """What a prior says of the worlds of two secrets, which are compared under it."""
        k, pair = index(prior, len(self.priors)), named_pair(names)
        prove((k, pair) in self.cases, "no such pair of the relation under this prior")
        return [self.inside[k, name] for name in pair]

    def check(self, rows: Any, witnesses: Any, steps: list[list[int]]) -> None:
        """Reject levels (`rows`) that are not the smallest ones for 1, 2, 3, … runs of `steps`; the
        `witnesses` are outputs that need them."""
        prove(not rows or self.cases, "nothing is compared")
        for k, (said, witness) in enumerate(zip(rows, items(witnesses), strict=True)):
            self._check_witness(said, witness, steps, k + 1)
        width, infinite = len(self.rows[0]), False
        cones, cone = Cones(width), [[1] * width]
        outputs = [cones.around(self.rows[o] for o in step) for step in steps]
        for k, said in enumerate(rows):
            prove("infinite" in said or not infinite, "an infinite leakage stays")
            infinite = "infinite" in said
            if not infinite:
                cone = cones.product(cone, outputs[k % len(steps)])
                spend(2 * len(cone) * width * len(self.cases))
                self._check_bound(cone, read.number(said["exp_epsilon"]))

    def _check_witness(self, said: Any, witness: Any, steps: list[list[int]], runs: int) -> None:
        """Reject a leakage that these outputs do not need."""
        (stated,) = fields(said, "infinite" if "infinite" in said else "exp_epsilon")
        if witness is None:
            prove(said == {"exp_epsilon": "1"}, "a witness is missing")
            return
        prior, names, outputs = fields(witness, "prior pair outputs")
        sides = self._sides(prior, names)
        need(len(items(outputs)) == runs, "one output for each run")
        self.runs.follows(outputs, steps)
        p, q = (self.runs.table.counted(side, Counter(outputs)) for side in sides)
        if "infinite" in said:
            prove(stated is True and p > 0 == q, "not infinite")
        else:
            alpha = read.number(stated)
            prove(alpha >= 1 and p >= alpha * q > 0, "the leakage is too large")

    def _check_bound(self, cone: Cone, alpha: Fraction) -> None:
        """Reject a level that some multiset exceeds."""
        for k, pair in self.cases:
            ps, qs = (self.weights[k, name] for name in pair)
            unit = read.denominator([*ps, *qs])
            least = [int(p * unit) * alpha.denominator for p in ps]
            most = [int(q * unit) * alpha.numerator for q in qs]
            gains = list(map(sub, most, least))
            fits = all(sum(map(mul, gains, v)) >= 0 for v in cone)
            prove(fits, "the leakage is too small")

    def check_trajectory(self, said: Any) -> None:
        """Reject other odds than are `said` of a pair after 0, 1, 2, … of the outputs; and, where a
        true world is named, outputs that are not its most likely multisets: p / (count + 1) grows
        greedily."""
        prior, names, outputs, odds, world = fields(said, "prior pair outputs odds world")
        chance, steps = self.runs.chance, self.runs.steps
        self.runs.follows(outputs)
        sides = self._sides(prior, names)
        spend(10 * len(items(odds)) * (sum(map(len, sides)) + max(map(len, steps))))
        _check_odds(sides, odds[0])
        times: Counter[int] = Counter()
        for run, (o, after) in enumerate(zip(outputs, odds[1:], strict=True)):
            if world is not None:
                row = chance[index(world, len(chance))]
                gains = {x: Fraction(row[x], times[x] + 1) for x in steps[run % len(steps)]}
                prove(gains[o] == max(gains.values()), "a less likely output")
                times[o] += 1
            sides = [{w: p * chance[w][o] for w, p in side.items()} for side in sides]
            _check_odds(sides, after)

    def check_certainty(self, certainty: list[Any]) -> None:
        """Reject what `certainty` says falsely of when runs make certain."""
        longest: dict[int, int] = {}
        for entry in certainty:
            k = index(entry["prior"], len(self.priors))
            longest[k] = max(longest.get(k, 0), len(items(entry["probability"])))
        chains = {k: Chain(self.runs, self.priors[k], most) for k, most in longest.items()}
        for entry in certainty:
            k, pair = entry["prior"], None if entry["pair"] is None else named_pair(entry["pair"])
            prove(pair is None or (k, pair) in self.cases, "no such pair under this prior")
            chains[k].check(entry, pair and [self.secrets[name] for name in pair])


def _restricted(prior: Prior, worlds: list[int]) -> Prior:
    return {w: prior[w] for w in worlds if w in prior}


def _shares(inside: Prior, worlds: list[int], classes: dict[Any, list[int]]) -> list[Fraction]:
    """P(class | secret), for classes of places in a list of worlds."""
    mass = [inside.get(w, ZERO) for w in worlds]
    return [Fraction(sum(mass[k] for k in ks), sum(inside.values())) for ks in classes.values()]


def _check_odds(sides: list[Prior], odds: Any) -> None:
    """Reject other odds than those of the masses on both sides."""
    p, q = (sum(side.values(), ZERO) for side in sides)
    found = p > 0 if odds == "infinite" else q > 0 and p == read.number(odds) * q
    prove(found and (odds != "infinite" or q == 0), "other odds")
