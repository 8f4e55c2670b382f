"""The worlds of a secret t that a prior of a class makes possible together with a world of s:
the smallest such sets, re-derived from the class; and the priors that may witness them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Any, Protocol

from .families import MOST_VALUES, read_known, read_values, trees
from .level import ONE
from .polytopes import Cone, read_cone
from .reading import (
    Rejected,
    afford,
    fields,
    items,
    mapping,
    need,
    number,
    numbers,
    read_records,
)
from .rules import Row

ZERO = Fraction(0)
Secrets = dict[str, list[int]]
Weights = list[Fraction]  # of all worlds
Inside = Callable[[int], bool]  # of a world of t


class Supports(Protocol):
    """What the priors of a class make possible."""

    @property
    def certain(self) -> bool:
        """Whether bases are covered only where a prior makes worlds of both secrets possible."""

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        """Reject unless every prior that makes a world of s and some of t possible makes all
        worlds of one of the bases possible; with no bases: unless there is no such prior."""

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        """Whether this is certainly a prior of the class (docs/certificate.md says which)."""


def read_supports(relation: Any, model: Any, secrets: Secrets) -> Supports:
    """The class of priors of a relation."""
    if relation["priors"]["class"] == "constraints":
        return Constrained(read_cone(relation, model), secrets)
    return CLASSES[relation["priors"]["class"]](relation["priors"], model, secrets)


def read_prior(listed: Any, model: Any) -> Weights:
    """A distribution on the worlds."""
    found = numbers(listed)
    fits = len(found) == len(model["worlds"]) and min(found) >= 0 and sum(found) == 1
    need(fits, "a prior is no distribution on the worlds", Rejected)
    return found


def _mean(one: Weights, other: Weights) -> Weights:
    return [Fraction(x + y, 2) for x, y in zip(one, other, strict=True)]


@dataclass(frozen=True)
class Constrained:
    """Points of a cone, the weights of the worlds."""

    cone: Cone
    secrets: Secrets
    certain = False

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        """A set that contains no base misses a transversal, one world of each. For each of these
        multipliers prove that the points that are 0 there are 0 at the world, or in all of t."""
        (leaves,) = proof
        afford(prod(map(len, bases)) * (len(bases) + self.cone.size))
        transversals = dict.fromkeys(map(frozenset, product(*map(sorted, bases))))
        for missed, leaf in zip(transversals, items(leaves), strict=True):
            ((key, multipliers),) = mapping(leaf).items()
            need(key in ("world", "others"), "a proof is about the world or the others")
            zero = {world} if key == "world" else set(self.secrets[t])
            possible = Row({1: sorted(zero)})
            proved = self.cone.bounds([(ONE, possible)], numbers(multipliers), missed)
            need(proved, f"worlds possible with {world} are not covered", Rejected)

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        return self.cone.has(prior)


class Enumerated(ABC):
    """A class of priors by the smallest sets that it makes possible."""

    secrets: Secrets
    certain = True

    @abstractmethod
    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        """Sets of worlds of t, not empty: each is what some prior that makes this world of s
        possible leaves of t, and every such prior leaves one of them, or more."""

    def cover(self, world: int, s: str, t: str, bases: list[frozenset[int]], proof: Any) -> None:
        need(not proof, "only constraints need a proof")
        found = list(self.least(world, s, t))
        afford(len(self.secrets[s]) * len(found) * (1 + sum(map(len, bases))))
        covered = all(any(all(map(inside, base)) for base in bases) for inside in found)
        need(covered, f"worlds possible with {world} are not covered", Rejected)
        need(found or not bases, f"nothing is possible with {world}", Rejected)


@dataclass(frozen=True)
class Given(Enumerated):
    """Priors one by one: the weights of each given some secrets, or given any. Of a hull also
    their mixtures, which make possible what one of them does."""

    secrets: Secrets
    priors: list[dict[str, Weights]]
    possible: list[dict[str, set[int]]]  # the worlds of each secret that have weight
    mixed: bool = False

    @classmethod
    def of(cls, priors: list[dict[str, Weights]], secrets: Secrets, mixed: bool = False) -> "Given":
        possible = [
            {name: {w for w in secrets[name] if row[w]} for name, row in prior.items()}
            for prior in priors
        ]
        return cls(secrets, priors, possible, mixed)

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        for own in self.possible:
            if t in own and world in own.get(s, ()):
                if own[t]:
                    yield own[t].__contains__
                elif self.mixed:
                    yield from (other[t].__contains__ for other in self.possible if other[t])

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        pairs = [(p[s], p[t]) for p in self.priors if s in p and t in p]
        if self.mixed:
            pairs += combinations([row for row, _ in pairs], 2)
        afford(len(pairs) * len(prior) * 10)
        return any(_mean(*pair) == prior for pair in pairs)


@dataclass(frozen=True)
class Spanned(Enumerated):
    """Priors that make all worlds possible whose marks are among some marks: of class product the
    mark of a record is its place and value, of iid its value; of class all a world is its own."""

    secrets: Secrets
    marks: list[frozenset[Any]]
    free: bool = False  # all distributions are priors

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        afford(len(self.secrets[s]) * len(self.secrets[t]) * (1 + len(self.marks[world])))
        spans = {self.marks[world] | self.marks[other] for other in self.secrets[t]}
        yield from (lambda w, span=span: self.marks[w] <= span for span in spans)

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        marked = list(zip(self.marks, prior, strict=True))
        span = frozenset[Any]().union(*(marks for marks, p in marked if p))
        return self.free or len({p for marks, p in marked if marks <= span}) == 1


@dataclass(frozen=True)
class Hedging(Enumerated):
    """Given record i, the others have (1-a) prod f + a prod known, on the worlds that exist."""

    secrets: Secrets
    weight: Fraction
    known: dict[Any, Fraction]
    others: dict[str, dict[int, tuple[Any, ...]]]  # secret -> its worlds -> the other records

    def least(self, world: int, s: str, t: str) -> Iterator[Inside]:
        there = self.others[t]
        afford(len(self.others[s]) * len(there) * (1 + len(self.others[s][world])))
        for values in self._unknown(world, s, t):
            f = self._model(values)
            yield {w for w, row in there.items() if self._likelihood(row, f)}.__contains__

    def has(self, prior: Weights, world: int, s: str, t: str) -> bool:
        for values in self._unknown(world, s, t):
            expected, f = [ZERO] * len(prior), self._model(values)
            for rows in (self.others[s], self.others[t]):
                likely = {w: self._likelihood(row, f) for w, row in rows.items()}
                for w, p in likely.items():
                    expected[w] = Fraction(p, 2 * sum(likely.values()))
            if expected == prior:
                return True
        return False

    def _unknown(self, world: int, s: str, t: str) -> Iterator[frozenset[Any]]:
        """Values that f needs: those that make the world possible, and some world of t, where the
        known distribution does not; at least one."""
        none = frozenset[Any]()
        here, *there = (
            none if self.weight * prod(map(self.known.__getitem__, row)) else frozenset(row)
            for row in (self.others[s][world], *self.others[t].values())
        )
        found = {here | values for values in there}
        if self.weight == 1:
            yield from [frozenset(self.known)] if none in found else []
        else:
            yield from found - {none}
            yield from (frozenset([value]) for value in self.known if none in found)

    def _model(self, values: frozenset[Any]) -> dict[Any, Fraction]:
        return dict.fromkeys(values, Fraction(1, len(values)))

    def _likelihood(self, row: tuple[Any, ...], f: dict[Any, Fraction]) -> Fraction:
        unknown = prod((f.get(value, ZERO) for value in row), start=1 - self.weight)
        return unknown + prod(map(self.known.__getitem__, row), start=self.weight)


def _all(priors: Any, model: Any, secrets: Secrets) -> Supports:
    fields(priors, "class")
    return Spanned(secrets, [frozenset([w]) for w in range(len(model["worlds"]))], free=True)


def _independent(priors: Any, model: Any, secrets: Secrets) -> Supports:
    fields(priors, "class")
    rows = read_records(model)
    if priors["class"] == "iid":
        return Spanned(secrets, list(map(frozenset, rows)))
    return Spanned(secrets, [frozenset(enumerate(row)) for row in rows])


def _listed(priors: Any, model: Any, secrets: Secrets) -> Supports:
    fields(priors, "class priors")
    rows = [read_prior(row, model) for row in items(priors["priors"])]
    mixed = priors["class"] == "hull"
    return Given.of([dict.fromkeys(secrets, row) for row in rows], secrets, mixed)


def _conditionals(priors: Any, model: Any, secrets: Secrets) -> Supports:
    fields(priors, "class priors")
    listed = map(mapping, items(priors["priors"]))
    given = [{s: read_prior(row, model) for s, row in prior.items()} for prior in listed]
    inside = all(sum(map(row.__getitem__, secrets[s])) == 1 for p in given for s, row in p.items())
    need(inside, "mass outside a secret", Rejected)
    return Given.of(given, secrets)


def _hedging(priors: Any, model: Any, secrets: Secrets) -> Supports:
    fields(priors, "class weight known")
    rows, (a, known) = read_records(model), read_known(priors, model)
    others = {}
    for name, worlds in secrets.items():
        afford(len(worlds) * len(rows[0]) + len(rows))
        about = [
            (i, x)
            for i, x in enumerate(rows[worlds[0]] if worlds else ())
            if worlds == [w for w, row in enumerate(rows) if row[i] == x]
        ]
        need(len(about) == 1, "a secret is not one value of one record", Rejected)
        ((i, _),) = about
        others[name] = {w: tuple(rows[w][:i] + rows[w][i + 1 :]) for w in worlds}
    return Hedging(secrets, a, known, others)


def _markov(priors: Any, model: Any, secrets: Secrets) -> Supports:
    """All chains make the same paths possible; one of them stands for the class."""
    fields(priors, "class values initial transition")
    codes, rows = read_values(priors["values"]), read_records(model)
    size = len(codes)
    need(len(items(priors["transition"])) == size, "one row for each value")
    steps = [_chances(row, size) for row in priors["transition"]]
    if priors["initial"] == "stationary":
        need(size <= MOST_VALUES, "too many values")
        afford(size ** (size + 1))
        first = [ZERO] * size
        for root in range(size):
            for tree in trees(root, size):
                first[root] += prod((steps[v][w] for v, w in tree.items()), start=ONE)
    else:
        first = _chances(priors["initial"], size)
    weights = []
    for row in rows:
        path = [codes[record] for record in row]
        weights.append(first[path[0]] * prod((steps[v][w] for v, w in pairwise(path)), start=ONE))
    mass = sum(weights)
    prior = [Fraction(p, mass) for p in weights if mass]
    return Given.of([dict.fromkeys(secrets, prior)] if mass else [], secrets)


def _chances(row: Any, size: int) -> Weights:
    """A distribution within intervals, as far from their lower ends as sums to 1; the others
    within them must make the same values possible."""
    lows, highs = ([number(ends[k]) for ends in items(row, 2)] for k in (0, 1))
    need(len(row) == size, "one interval for each value")
    fits = all(0 <= low <= high <= 1 for low, high in zip(lows, highs, strict=True))
    need(fits and sum(lows) <= 1 <= sum(highs), "no distribution is within the intervals", Rejected)
    for low, high in zip(lows, highs, strict=True):
        least, most = max(low, 1 - sum(highs) + high), min(high, 1 - sum(lows) + low)
        need(least > 0 or most == 0, "some chains of the class make more possible than others")
    width = sum(highs, ZERO) - sum(lows)
    share = Fraction(1 - sum(lows), width) if width else ZERO
    return [low + share * (high - low) for low, high in zip(lows, highs, strict=True)]


CLASSES: dict[str, Callable[[Any, Any, Secrets], Supports]] = {
    "all": _all,
    "product": _independent,
    "iid": _independent,
    "list": _listed,
    "hull": _listed,
    "conditionals": _conditionals,
    "hedging": _hedging,
    "markov": _markov,
}
