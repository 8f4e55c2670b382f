"""Which worlds the priors of a class can make possible together.

Composition asks, for a world D of one secret and the worlds of another one, which sets
T = others ∩ supp θ occur among the priors θ of the class with θ(D) > 0 and θ(others) > 0. Smaller
sets ask for more, so only those count that contain no smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import field
from fractions import Fraction
from functools import cache, cached_property
from typing import Protocol

from verifier.base.nouns import Later, dataclass
from verifier.kernels.cones import Cone, maximum

Weights = Mapping[int, Fraction]  # world -> probability > 0


class Worlds(tuple[int, ...]):
    """Worlds that keep their hash: they are many, and looked up for each condition."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Found(Later):
    """worlds  T = others ∩ supp θ, ascending; no smaller T that was asked for is part of it
    prior   such a θ, a member of the class
    """

    worlds: tuple[int, ...]
    prior: Weights


class Supports(Protocol):
    """The supports that priors of a class can have."""

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """A smallest support T of a prior θ that avoids some worlds, or None.

        world    with θ(world) > 0
        others   with θ(others) > 0
        avoided  a part of `others`, disjoint from T: θ(avoided) = 0
        """
        ...


@dataclass(frozen=True)
class PairedSupports(Later):
    """The supports of priors that are different for each ordered pair of secrets, by name."""

    parts: Mapping[tuple[str, str], Supports]


def between(supports: Supports | PairedSupports, order: tuple[str, str]) -> Supports:
    """The `supports` of priors about a pair of secrets in this `order`."""
    return supports.parts[order] if isinstance(supports, PairedSupports) else supports


@dataclass(frozen=True)
class ListedSupports(Later):
    """The supports of given priors."""

    priors: Sequence[Weights]
    _meetings: dict[Worlds, list[tuple[Found, frozenset[int]]]] = field(
        default_factory=dict, init=False
    )

    def meetings(self, others: Sequence[int]) -> list[tuple[Found, frozenset[int]]]:
        """What each prior makes possible among others, where it does; fewest worlds first."""
        key = others if isinstance(others, Worlds) else Worlds(others)
        if key not in self._meetings:
            both = [(Worlds(w for w in key if w in prior), prior) for prior in self.priors]
            found = [(Found(worlds, prior), frozenset(worlds)) for worlds, prior in both if worlds]
            self._meetings[key] = sorted(found, key=lambda pair: len(pair[1]))
        return self._meetings[key]

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """See Supports of `world`, `others` and `avoided`: the smallest T of a prior."""
        for found, worlds in self.meetings(others):
            if world in found.prior and worlds.isdisjoint(avoided):
                return found
        return None


@dataclass(frozen=True)
class MixedSupports(Later):
    """The supports of mixtures of given priors: their unions.

    A prior with θ(D) > 0 that meets the others is better alone than mixed. One that misses them
    can be mixed with any other: T is then that of the other one.
    """

    given: ListedSupports

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """See Supports of `world`, `others` and `avoided`: one prior, or the average of two."""
        missing = (p for p in self.given.priors if world in p and p.keys().isdisjoint(others))
        apart = next(missing, None)
        if apart is None:
            return self.given.within(world, others, avoided)
        for found, worlds in self.given.meetings(others):
            if worlds.isdisjoint(avoided):
                alone = world in found.prior
                return found if alone else Found(found.worlds, average(apart, found.prior))
        return None


@dataclass(frozen=True)
class FreeSupports(Later):
    """Every non-empty set of worlds is a support."""

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """See Supports: `world` and the first of `others` that is not `avoided`."""
        other = next((w for w in others if w not in avoided), None)
        return None if other is None else Found((other,), uniform((world, other)))


@dataclass(frozen=True)
class GeneratedSupports(Later):
    """Each world has a set of atoms; the supports are {w : atoms(w) part of V}, for all sets V of
    atoms.

    With θ(D) > 0, V contains the atoms of D. Let E(w) be those of w that D has not. If E(w) is
    minimal among the others, then V = atoms(D) ∪ E(w) gives T = {w' : E(w') = E(w)}, and every T
    contains one of these.

    atoms   of each world that is possible, as the bits of an integer
    member  V -> a prior with this support
    """

    atoms: Mapping[int, int]
    member: Callable[[int], Weights]
    _known: dict[tuple[int, tuple[int, ...]], list[tuple[Found, frozenset[int]]]] = field(
        default_factory=dict, init=False
    )

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """See Supports of `world`, `others` and `avoided`: the first minimal T, fewest new atoms
        first."""
        if world not in self.atoms:
            return None
        key = (world, tuple(others))
        if key not in self._known:
            self._known[key] = list(self._minimal(world, others))
        return next((f for f, worlds in self._known[key] if worlds.isdisjoint(avoided)), None)

    def _minimal(self, world: int, others: Sequence[int]) -> Iterable[tuple[Found, frozenset[int]]]:
        own = self.atoms[world]
        groups: dict[int, list[int]] = {}
        for other in (w for w in others if w in self.atoms):
            groups.setdefault(self.atoms[other] & ~own, []).append(other)
        kept: list[int] = []
        for new in sorted(groups, key=int.bit_count):
            if all(fewer & ~new for fewer in kept):
                kept.append(new)
                worlds = tuple(groups[new])
                yield Found(worlds, self.member(own | new)), frozenset(worlds)


@dataclass(frozen=True)
class ConeSupports(Later):
    """The supports of the points of a cone, whose coordinates are the weights of the worlds.

    A sum of points is a point: if one has x_D > 0, and one meets the others, so does their sum.
    """

    cone: Cone
    _known: dict[tuple[tuple[int, ...], Set[int]], Weights | list[Fraction]] = field(
        default_factory=dict, init=False
    )

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """See Supports: tries to avoid each of `others` in turn, beside those `avoided` for
        `world`."""
        prior = self._prior(world, others, avoided)
        if prior is None:
            return None
        for other in others:
            if other in prior:
                missed = {w for w in others if w not in prior}
                prior = self._prior(world, others, {*missed, other}) or prior
        return Found(tuple(w for w in others if w in prior), prior)

    def proof(
        self, world: int, others: Sequence[int], avoided: Set[int]
    ) -> dict[str, list[Fraction]]:
        """Why `within` is None for a `world`, `others` and `avoided` ones.

        It is {"world": y} or {"others": y} with multipliers y of the rows (y >= 0 for <=), such
        that e <= y·G at every coordinate that is not avoided, where e is 1 at the world, or at the
        others, and 0 elsewhere (Farkas).
        """
        for key, target in (("world", (world,)), ("others", others)):
            found = self._with(target, avoided)
            if isinstance(found, list):
                return {key: found}
        raise ValueError("some prior makes both possible")

    def _prior(self, world: int, others: Sequence[int], avoided: Set[int]) -> Weights | None:
        own = self._with((world,), avoided)
        if isinstance(own, list) or not own.keys().isdisjoint(others):
            return None if isinstance(own, list) else own
        met = self._with(others, avoided)
        return None if isinstance(met, list) else average(own, met)

    def _with(self, target: Sequence[int], avoided: Set[int]) -> Weights | list[Fraction]:
        """A prior that is 0 where avoided and makes the target possible, else the multipliers."""
        key = (tuple(target), frozenset(avoided))
        if key not in self._known:
            self._known[key] = self._solved(*key)
        return self._known[key]

    def _solved(self, target: Sequence[int], avoided: Set[int]) -> Weights | list[Fraction]:
        from verifier.lp import Infeasible, Optimal, Solver

        kept = [w for w in range(self.cone.size) if w not in avoided]
        inside, rows = set(target), len(self.cone.rows)
        face, equation = self.cone.face(kept), [int(w in inside) for w in kept]
        right = [0] * rows + [1]
        if face.is_whole:
            outcome = Solver(face.program(equation)).maximise(right=right)
        else:
            outcome = maximum(face, [equation], [], right)
        if isinstance(outcome, Infeasible):  # |y_last| target <= y·G
            *multipliers, last = outcome.multipliers.dense(rows + 1)
            return [y / -last for y in multipliers]
        assert isinstance(outcome, Optimal)
        point = outcome.point.dense(len(kept))
        total = sum(point, Fraction(0))
        return {w: x / total for w, x in zip(kept, point, strict=True) if x}


def generated(atoms: Sequence[int], ways: Sequence[int] | None = None) -> GeneratedSupports:
    """The supports that `atoms` generate: all worlds are possible.

    atoms  of each world, as the bits of an integer
    ways   of each world, in proportion to which the class has distributions on the supports; where
           not given, uniform ones are in the class
    """
    weights = ways or [1] * len(atoms)

    @cache
    def member(chosen: int) -> dict[int, Fraction]:
        inside = [w for w, own in enumerate(atoms) if not own & ~chosen]
        total = sum(weights[w] for w in inside)
        return {w: Fraction(weights[w], total) for w in inside}

    return GeneratedSupports(dict(enumerate(atoms)), member)


def bits(places: Iterable[int]) -> int:
    """The integer that has a bit at each of the `places`.

    >>> bits([0, 2, 2])
    5
    """
    return sum(1 << place for place in set(places))


def uniform(worlds: Sequence[int]) -> dict[int, Fraction]:
    """The uniform distribution on some worlds."""
    return dict.fromkeys(worlds, Fraction(1, len(worlds)))


def average(first: Weights, second: Weights) -> dict[int, Fraction]:
    """The average of two distributions, `first` and `second`."""
    worlds = sorted({*first, *second})
    zero = Fraction(0)
    return {w: (first.get(w, zero) + second.get(w, zero)) / 2 for w in worlds}
