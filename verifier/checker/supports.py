"""Which worlds priors of a class make possible together: the least such sets, found from the class.

T is what remains of t beside a world D of s: of `all` single worlds; of `list` and `conditionals`
those with weight under a prior that allows D; of `hull` also those under another prior if that has
none; of `product` and `iid` those with the values, of each record or of all, of D and one world of
t; of `markov` those that a choice of possible values for each row leaves; of `hedging`, where a
secret is all worlds with one value of one record, those whose other records have values of a set,
or p > 0. The prior of a witness is any of `all` and `constraints`, else one of these: listed, half
of its two conditionals, the mean of two, uniform on the values, or a chain with low + c (high -
low) on such a choice.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, pairwise, product
from math import prod
from typing import Any

from . import reading as read
from .document import fields, items, mapping, need, prove, spend
from .linear import Row
from .polynomials import read_chains, read_known, stationary
from .polytopes import Cone, read_cone
from .reading import ONE, ZERO, Model, Secrets, Value

Weights = list[Fraction]  # of all worlds
Inside = Callable[[int], bool]  # of a world of t


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


class Enumerated(ABC):
    """A class of priors by the smallest sets that it makes possible."""

    secrets: Secrets
    certain = True  # whether bases are covered only where a prior makes worlds of both possible

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        """Reject unless every prior that makes a `world` of `s` and some of `t` possible makes all
        worlds of one of the `bases` possible; with no bases: unless there is no such prior. The
        `proof` is empty."""
        need(not proof, "only constraints need a proof")
        found = list(self.least(world, s, t))
        spend(len(self.secrets[s]) * len(found) * (1 + sum(map(len, bases))))
        covered = all(any(all(map(inside, base)) for base in bases) for inside in found)
        prove(covered, f"worlds possible with {world} are not covered")
        prove(found or not bases, f"nothing is possible with {world}")

    @abstractmethod
    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        """Sets of worlds of `t`, not empty: each is what some prior that makes this `world` of `s`
        possible leaves of t, and every such prior leaves one of them, or more."""

    @abstractmethod
    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether this is certainly a `prior` of the class (see above), for a
        `world` of `s` and worlds of `t`."""


@dataclass(frozen=True)
class Given(Enumerated):
    """Priors one by one: the weights of each given some secrets, or given any. Of a hull also
    their mixtures, which make possible what one of them does."""

    secrets: Secrets
    priors: list[dict[str, Weights]]
    mixed: bool = False

    @cached_property
    def possible(self) -> list[dict[str, set[int]]]:
        """The worlds of each secret that have weight, for each prior."""
        return [
            {name: {w for w in self.secrets[name] if row[w]} for name, row in prior.items()}
            for prior in self.priors
        ]

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        """The worlds of `t` that a prior makes possible; where it has none, of a hull another's."""
        for own in self.possible:
            if t in own and world in own.get(s, ()):
                if own[t]:
                    yield own[t].__contains__
                elif self.mixed:
                    yield from (other[t].__contains__ for other in self.possible if other[t])

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether the `prior` is half a listed one given `s`, and half the same given `t`; or, of a
        hull, half each of two given `s`."""
        pairs = [(p[s], p[t]) for p in self.priors if s in p and t in p]
        if self.mixed:
            pairs += combinations([row for row, _ in pairs], 2)
        spend(len(pairs) * len(prior) * 10)
        means = ([read.ratio(x + y, 2) for x, y in zip(*pair, strict=True)] for pair in pairs)
        return prior in means


@dataclass(frozen=True)
class Spanned(Enumerated):
    """Priors that make all worlds possible whose marks are among some marks."""

    secrets: Secrets
    marks: list[frozenset[Any]]
    ways: list[int]  # in proportion to which some priors have the worlds that they make possible
    free: bool  # all distributions are priors

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        """The worlds within the marks of the `world` and of one of `t` together."""
        spend(len(self.secrets[s]) * len(self.secrets[t]) * (1 + len(self.marks[world])))
        spans = {self.marks[world] | self.marks[other] for other in self.secrets[t]}
        yield from (lambda w, span=span: self.marks[w] <= span for span in spans)

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether all distributions are priors, or this one is in proportion to the ways."""
        marked = list(zip(self.marks, prior, strict=True))
        span = frozenset[Any]().union(*(marks for marks, p in marked if p))
        both = zip(marked, self.ways, strict=True)
        return (
            self.free or len({Fraction(p, ways) for (marks, p), ways in both if marks <= span}) == 1
        )


Supports = Constrained | Enumerated


def read_supports(relation: Any, model: Model, secrets: Secrets) -> Supports:
    """What the class of priors of a `relation` makes possible of the `secrets` of a `model`."""
    kind = relation["priors"]["class"]
    if kind == "constraints":
        return Constrained(read_cone(relation, model), secrets)
    if kind not in CLASSES:
        listed = read.conditionals(relation["priors"], secrets, model.size)
        return Given(secrets, listed, kind == "hull")
    return CLASSES[kind](relation["priors"], model, secrets)


def _spanned(priors: Any, model: Model, secrets: Secrets) -> Supports:
    """Of class product the mark of a record is its place and value, of iid its value; of class all
    a world is its own."""
    (kind,) = fields(priors, "class")
    marks: list[frozenset[Any]] = [frozenset([w]) for w in range(model.size)]
    if "counts" in model.parts:
        need(kind != "product", "of records that are not told apart, no product")
    if "counts" in model.parts and kind == "iid":
        marks = [frozenset(v for v, n in enumerate(row) if n) for row in model.counts]
    elif kind != "all":
        marks = [frozenset(row if kind == "iid" else enumerate(row)) for row in model.records]
    return Spanned(secrets, marks, model.ways, free=kind == "all")


@dataclass(frozen=True)
class Hedging(Enumerated):
    """Given record i, the others have (1-a) prod f + a prod known, on the worlds that exist.

    others  secret -> its worlds -> the other records
    """

    secrets: Secrets
    weight: Fraction
    known: dict[Value, Fraction]
    others: dict[str, dict[int, tuple[Value, ...]]]

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        """What the least values that make the `world` possible leave of `t`."""
        for values in self._needed(world, s, t):
            yield {w for w, p in self._likely(t, values).items() if p}.__contains__

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether the `prior` is half that of `s` and half that of `t`, for some values."""
        for values in self._needed(world, s, t):
            found = [ZERO] * len(prior)
            for likely in (self._likely(name, values) for name in (s, t)):
                for w, p in likely.items():
                    found[w] = read.ratio(p, 2 * sum(likely.values()))
            if found == prior:
                return True
        return False

    def _needed(self, world: int, s: str, t: str) -> Collection[frozenset[Value]]:
        """Values that f needs: those that make the world possible, and some world of t, where the
        known distribution does not; at least one."""
        none, both = frozenset[Value](), (self.others[s], self.others[t])
        here, *there = (
            none if self._by_known(row) else frozenset(row)
            for row in (self.others[s][world], *both[1].values())
        )
        found = {here | values for values in there}
        if self.weight == 1:
            found = {frozenset(self.known)} if none in found else set()
        elif none in found:
            found = found - {none} | {frozenset([value]) for value in self.known}
        spend(20 * len(found) * sum(map(len, both)) * (1 + len(self.others[s][world])))
        return found

    def _likely(self, name: str, values: frozenset[Value]) -> dict[int, Fraction]:
        """The likelihood of each world of a secret, where f is uniform on some `values`."""
        share = read.ratio(1, len(values))
        return {
            w: (1 - self.weight) * prod(share * (x in values) for x in row) + self._by_known(row)
            for w, row in self.others[name].items()
        }

    def _by_known(self, row: tuple[Value, ...]) -> Fraction:
        return self.weight * prod(map(self.known.__getitem__, row), start=ONE)


def _hedging(priors: Any, model: Model, secrets: Secrets) -> Supports:
    """Of each secret, which is one value of one record, the other records."""
    rows, (a, known) = model.records, read_known(priors, model)
    others: dict[str, dict[int, tuple[Value, ...]]] = {}
    for name, worlds in secrets.items():
        spend((len(worlds) + len(rows)) * len(rows[0]))
        about = [
            i
            for i, x in enumerate(rows[worlds[0]] if worlds else ())
            if worlds == [w for w, row in enumerate(rows) if row[i] == x]
        ]
        prove(len(about) == 1, "a secret is not one value of one record")
        others[name] = {w: tuple(rows[w][: about[0]] + rows[w][about[0] + 1 :]) for w in worlds}
    return Hedging(secrets, a, known, others)


def _markov(priors: Any, model: Model, secrets: Secrets) -> Supports:
    """Of chains that make the same transitions possible, one stands for all."""
    chains = read_chains(priors)
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
    return Given(secrets, found)


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


CLASSES: dict[str, Callable[[Any, Model, Secrets], Supports]] = {
    **dict.fromkeys(("all", "product", "iid"), _spanned),
    "hedging": _hedging,
    "markov": _markov,
}
