"""Which worlds priors of a class make possible together: the least such sets, found from the class.

T is what a prior that makes a world D of s possible leaves of t. Weights of worlds are polynomials
in variables as of "family"; of `all` each world has its own variable. A prior of `hull` has its
share; so has one of `list` and `conditionals`, of which only one is positive. Of `markov` they are
chains, for each choice of possible values for each row, low + c (high - low) there. A monomial of D
and one of a world of t have some variables; T has the worlds that have a monomial in these alone.
The prior of a witness has in s and t the proportions of one where these are equal, and all others
0, half of it in either of `conditionals` and `hedging`; or it is any of `all` and `constraints`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise, product
from math import prod
from typing import Any

from . import reading as read
from .cuts import Polynomial
from .document import Pair, fields, items, mapping, need, prove, spend
from .linear import Row
from .polynomials import read_chains, read_family, stationary
from .polytopes import Cone, read_cone
from .reading import ONE, ZERO, Model, Secrets

Weights = list[Fraction]  # of all worlds


@dataclass(frozen=True)
class Constrained:
    """Points of a cone, the weights of the worlds."""

    cone: Cone
    secrets: Secrets
    certain = False

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        """The same as below. A set that contains none of the `bases` misses a transversal, one
        world of each. For each of these the `proof` shows by multipliers that the points that are 0
        there are 0 at the `world` of `s`, or in all of `t`."""
        (leaves,) = proof
        spend(prod(map(len, bases)) * (len(bases) + self.cone.size))
        transversals = dict.fromkeys(map(frozenset, product(*map(sorted, bases))))
        for missed, leaf in zip(transversals, items(leaves), strict=True):
            ((key, multipliers),) = mapping(leaf).items()
            need(key in ("world", "others"), "a proof is about the world or the others")
            zero = Row({1: [world] if key == "world" else self.secrets[t]})
            proved = self.cone.bounds([(ONE, zero)], read.numbers(multipliers), missed)
            prove(proved, f"worlds possible with {world} are not covered")

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether the `prior` is in the cone, whatever the `world`, `s` and `t`."""
        return self.cone.has(prior)


@dataclass(frozen=True)
class Enumerated:
    """Priors whose weights are polynomials in variables, none of which is negative.

    weights  secret -> its worlds -> sets of variables, as bits -> the sum of the coefficients of
             the monomials that have just these
    alone    whether only one variable is positive, as of priors one by one
    apart    whether the worlds of each secret have these weights by themselves
    free     whether all distributions are priors
    """

    secrets: Secrets
    weights: dict[str, dict[int, dict[int, Fraction]]]
    alone: bool = False
    apart: bool = False
    free: bool = False
    certain = True  # whether bases are covered only where a prior makes worlds of both possible

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        """Reject unless every prior that makes a `world` of `s` and some of `t` possible makes all
        worlds of one of the `bases` possible; with no bases: unless there is no such prior. The
        `proof` is empty."""
        need(not proof, "only constraints need a proof")
        found = self._together(world, s, self.variables[t])
        spend(len(found) * sum(len(self.weights[t][w]) for base in bases for w in base))
        covered = all(
            any(all(self._at(t, w, variables) for w in base) for base in bases)
            for variables in found
        )
        prove(covered, f"worlds possible with {world} are not covered")
        prove(found or not bases, f"nothing is possible with {world}")

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether the `prior` has the proportions of one whose variables are equal, or 0: of as few
        as make a `world` of `s` and one that it has of `t` possible."""
        there = {m for w in self.secrets[t] if prior[w] for m in self.weights[t][w]}
        found = self._together(world, s, there)
        terms = [len(own) for name in (s, t) for own in self.weights[name].values()]
        spend(20 * len(found) * sum(terms))
        return self.free or any(self._is_like(prior, (s, t), variables) for variables in found)

    @cached_property
    def variables(self) -> dict[str, set[int]]:
        """For each secret the sets of variables of its worlds."""
        return {s: {m for w in ws for m in self.weights[s][w]} for s, ws in self.secrets.items()}

    def _together(self, world: int, s: str, there: set[int]) -> set[int]:
        """Sets of variables: each makes this `world` of `s` possible, and has one of those that are
        `there`; every prior that does has those of one of them."""
        own = self.weights[s][world]
        spend(len(own) * len(there))
        return there.intersection(own) if self.alone else {m | n for m in own for n in there}

    def _at(self, name: str, world: int, variables: int) -> Fraction:
        """The weight of a world of a secret where some `variables` are 1, the others 0."""
        terms = self.weights[name][world].items()
        return sum((x for m, x in terms if not m & ~variables), ZERO)

    def _is_like(self, prior: Weights, pair: Pair, variables: int) -> bool:
        """Whether a `prior` has such proportions in two secrets."""
        sides = [{w: self._at(name, w, variables) for w in self.secrets[name]} for name in pair]
        units = [sum(side.values()) if self.apart else ONE for side in sides[::-1]]
        likely = {w: x * u for side, u in zip(sides, units, strict=True) for w, x in side.items()}
        mass, total = sum(prior[w] for w in likely), sum(likely.values())
        return all(prior[w] * total == x * mass for w, x in likely.items())


Supports = Constrained | Enumerated


def read_supports(relation: Any, model: Model, secrets: Secrets) -> Supports:
    """What the class of priors of a `relation` makes possible of the `secrets` of a `model`."""
    priors, kind = relation["priors"], relation["priors"]["class"]
    if kind == "constraints":
        return Constrained(read_cone(relation, model), secrets)
    if kind == "all":
        fields(priors, "class")
        own = {s: {w: {1 << w: ONE} for w in worlds} for s, worlds in secrets.items()}
        return Enumerated(secrets, own, free=True)
    if kind in ("product", "iid", "hedging"):
        named = _of_one_value(model, secrets) if kind == "hedging" else secrets
        family = read_family({**relation, "secrets": named}, model)
        weights = {s: _by_variables(own) for s, own in family.weights.items()}
        return Enumerated(secrets, weights, apart=kind == "hedging")
    if kind == "markov":
        listed = _chains(priors, model, secrets)
    else:
        listed = read.conditionals(priors, secrets, model.size)
    priors_of = {s: [(1 << k, own[s]) for k, own in enumerate(listed) if s in own] for s in secrets}
    weights = {
        s: {w: {k: row[w] for k, row in priors_of[s] if row[w]} for w in worlds}
        for s, worlds in secrets.items()
    }
    return Enumerated(secrets, weights, alone=kind != "hull", apart=kind == "conditionals")


def _by_variables(weights: dict[int, Polynomial]) -> dict[int, dict[int, Fraction]]:
    """Of each world the sums of the coefficients of monomials in the same variables, as bits."""
    found: dict[int, dict[int, Fraction]] = {}
    for w, p in weights.items():
        spend(20 * sum(map(len, p)))
        sums = found.setdefault(w, defaultdict(Fraction))
        for m, x in p.items():
            sums[sum(1 << k for k, e in enumerate(m) if e)] += x
    return found


def _of_one_value(model: Model, secrets: Secrets) -> dict[str, Any]:
    """The record and the value that each secret is about."""
    rows, found = model.records, dict[str, Any]()
    for name, worlds in secrets.items():
        spend((len(worlds) + len(rows)) * len(rows[0]))
        about = [
            {"record": i, "value": list(x)}
            for i, x in enumerate(rows[worlds[0]] if worlds else ())
            if worlds == [w for w, row in enumerate(rows) if row[i] == x]
        ]
        prove(len(about) == 1, "a secret is not one value of one record")
        (found[name],) = about
    return found


def _chains(priors: Any, model: Model, secrets: Secrets) -> list[dict[str, Weights]]:
    """Of chains that make the same transitions possible, one stands for all."""
    chains = read_chains(priors, model)
    size = len(chains.codes)
    spend(2**size * size)
    steps = [_chances(row, size) for row in chains.transitions]
    first = [] if chains.first is None else [_chances(chains.first, size)]
    paths = [[chains.codes[record] for record in row] for row in model.records]
    long = len(paths[0]) * max(map(read.size, chain(*chain(*first, *steps))))
    each = 100 + len(paths) * (50 * len(paths[0]) + long * (100 + long) // 50_000)  # of a chain
    spend(prod(map(len, [*first, *steps])) * each)
    found: list[dict[str, Weights]] = []
    for chosen in product(*first, *steps):
        start, rows = (chosen[0], chosen[1:]) if first else (_stationary(chosen), chosen)
        weights = [
            prod((rows[v][w] for v, w in pairwise(path)), start=start[path[0]]) for path in paths
        ]
        if mass := sum(weights):
            prior = [read.ratio(p, mass) for p in weights]
            found.append(dict.fromkeys(secrets, prior))
    return found


def _stationary(rows: Sequence[Weights]) -> Weights:
    """The weights of the one stationary distribution of a chain."""
    trees = stationary([[{(): p} for p in row] for row in rows], 0)  # polynomials in nothing
    found = [tree.get((), ZERO) for tree in trees]
    need(any(found), "some chains of the class have several stationary distributions")
    return found


def _chances(row: Any, size: int) -> list[Weights]:
    """For each set of values that a distribution within intervals makes possible, that which is as
    far from the lower ends, for all these values alike, as sums to 1."""
    ends = [(read.number(low), read.number(high)) for low, high in items(row, 2)]
    need(len(ends) == size, "one interval for each value")
    prove(all(0 <= low <= high <= 1 for low, high in ends), "an interval is [low, high]")
    found = []
    for never in product((False, True), repeat=size):
        if any(low and gone for (low, _), gone in zip(ends, never, strict=True)):
            continue
        left = [(ZERO, ZERO) if gone else both for both, gone in zip(ends, never, strict=True)]
        least, most = (sum(column) for column in zip(*left, strict=True))
        if least <= 1 <= most:
            share = read.ratio(1 - least, most - least) if most > least else ZERO
            chances = [low + share * (high - low) for low, high in left]
            if all(p or gone for p, gone in zip(chances, never, strict=True)):
                found.append(chances)
    prove(found, "no distribution is within the intervals")
    return found
