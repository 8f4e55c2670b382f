"""Promises that compare distributions of outputs, two by two, and which of them imply others.

A column is what is known of the world, a distribution over worlds; a mechanism gives it a
distribution of outputs, M a = Σ_w a_w M[., w]. A promise is a set of comparisons (a, b, d) at a
level α with δ: P(E | a) <= α^d P(E | b) + δ for every event E, for all of them. Three rules say
that promises imply another comparison; each is sound for every mechanism.

*Alike.* The same a and b, and α'^d' <= α^d, δ' <= δ: the right side only grows.

*Chains* (group privacy). P(E | a) <= β P(E | b) + δ and P(E | b) <= γ P(E | c) + δ' give, put into
one another, P(E | a) <= βγ P(E | c) + βδ' + δ. So with δ = 0 distances add up along a path, and
k steps at distance 1 give α^k with δ(1 + α + … + α^(k−1)). Where all columns are single worlds and
δ = 0, no other comparisons follow: for a world a, x_w = α^−D(a, w), with D the length of the
shortest path, is a row that keeps them all and attains equality.

*Combinations.* Without δ a comparison asks Σ_w (a_w − α^d b_w) x_w <= 0 of every row x >= 0 of a
mechanism, and Farkas' lemma says when others imply it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm

from verifier.base.level import Level, at_most
from verifier.changes.inequalities import implied
from verifier.questions.claim import ComparisonClaim, Json
from verifier.questions.question import Question

MOST = 200_000  # comparisons
MOST_STEPS = 10**6  # along paths
MOST_COMBINED = 200  # comparisons that are tried as combinations

Column = tuple[tuple[int, Fraction | int], ...]  # (world, weight > 0), by ascending world
Pair = tuple[Column, Column]


@dataclass(frozen=True)
class Promise:
    """Comparisons at a level.

    pairs  (a, b) -> d
    level  α
    delta  δ
    """

    pairs: Mapping[Pair, Fraction]
    level: Level
    delta: Fraction


def single(world: int) -> Column:
    """The column of one `world`."""
    return ((world, 1),)


def lacking(old: Promise, new: Promise, size: int) -> Iterator[Pair]:
    """The comparisons of an `old` promise that are not shown to follow from a `new` one.

    size  how many worlds there are, which both number alike
    """
    rest = [pair for pair in old.pairs if not _alike(pair, old, new)]
    rest = list(_beyond_chains(rest, old, new))
    points = all(len(column) == 1 for pair in [*rest, *new.pairs] for column in pair)
    if points or not rest or new.delta or len(rest) > MOST_COMBINED:
        return iter(rest)
    return _beyond_combinations(rest, old, new, size)


def _alike(pair: Pair, old: Promise, new: Promise) -> bool:
    distance = new.pairs.get(pair)
    return (
        distance is not None
        and new.delta <= old.delta
        and at_most(new.level, old.level, distance, old.pairs[pair])
    )


def _beyond_chains(rest: Iterable[Pair], old: Promise, new: Promise) -> Iterator[Pair]:
    """Those comparisons that no path of new ones gives."""
    unit = lcm(*(distance.denominator for distance in {*new.pairs.values()}))
    number: dict[Column, int] = {}
    steps: dict[int, list[tuple[int, int]]] = {}
    for (a, b), distance in new.pairs.items():
        here, there = (number.setdefault(column, len(number)) for column in (a, b))
        steps.setdefault(here, []).append((there, int(distance * unit)))
    wanted: dict[int, list[tuple[int, Pair]]] = {}
    for a, b in rest:
        here, there = (number.setdefault(column, len(number)) for column in (a, b))
        wanted.setdefault(here, []).append((there, (a, b)))
    left = MOST_STEPS
    for start, ends in wanted.items():
        far, used = _distances(start, steps, {end for end, _ in ends}) if left > 0 else ({}, 0)
        left -= used
        for end, pair in ends:
            length = far.get(end)
            if length is None or not _served(Fraction(length, unit), old.pairs[pair], old, new):
                yield pair


def _distances(
    start: int, steps: Mapping[int, Sequence[tuple[int, int]]], wanted: set[int]
) -> tuple[dict[int, int], int]:
    """The lengths of the shortest paths to the ends that are wanted, and how many steps were tried.

    start   where they begin
    steps   from each place to others, with their lengths
    wanted  the ends, of which those are taken away that are found
    """
    found: dict[int, int] = {}
    used, heap = 0, [(0, start)]
    while heap and wanted:
        length, place = heappop(heap)
        if place in found:
            continue
        found[place] = length
        wanted.discard(place)
        for other, distance in steps.get(place, ()):
            used += 1
            if other not in found:
                heappush(heap, (length + distance, other))
    return found, used


def _served(far: Fraction, distance: Fraction, old: Promise, new: Promise) -> bool:
    """Whether a path of this length serves an old comparison at its distance."""
    if not at_most(new.level, old.level, far, distance):
        return False
    if not new.delta:
        return True
    alpha = new.level.exp_epsilon
    # only neighbours at distance 1 have a delta
    if alpha is None or far.denominator != 1:
        return False
    return new.delta * sum((alpha**k for k in range(int(far))), Fraction(0)) <= old.delta


def _beyond_combinations(
    rest: Iterable[Pair], old: Promise, new: Promise, size: int
) -> Iterator[Pair]:
    """Those comparisons that no combination of new ones gives, where rows are rational."""
    known = [_row(pair, new, distance) for pair, distance in new.pairs.items()]
    rows = [row for row in known if row is not None]
    for pair in rest:
        wanted = _row(pair, old, old.pairs[pair])
        if wanted is None or not implied(rows, wanted, size):
            yield pair


def _row(pair: Pair, promise: Promise, distance: Fraction) -> dict[int, Fraction] | None:
    """a − α^d b; None where it is not rational."""
    alpha = promise.level.exp_epsilon
    if alpha is None or distance.denominator != 1:
        return None
    found = {world: Fraction(weight) for world, weight in pair[0]}
    for world, weight in pair[1]:
        found[world] = found.get(world, Fraction(0)) - alpha**distance.numerator * weight
    return found


def exact(question: Question) -> Promise | None:
    """The comparisons that a `question` asks for; None where it asks for something else, or for too
    many."""
    claim = question.claim
    if not isinstance(claim, ComparisonClaim) or _many(claim):
        return None
    columns = _columns(claim)
    if columns is None:
        return None
    pairs: dict[Pair, Fraction] = {}
    for part in claim.relation.blocks:
        for i, j in part.pairs():
            pair = columns[i], columns[j]
            pairs[pair] = min(part.distance, pairs.get(pair, part.distance))
    return Promise(pairs, claim.level, claim.delta)


def _many(claim: ComparisonClaim) -> bool:
    return sum(part.count() for part in claim.relation.blocks) > MOST


def _columns(claim: ComparisonClaim) -> Sequence[Column] | None:
    """What each column that is compared knows of the world."""
    statement = claim.relation.statement
    priors = statement.get("priors")
    kind = priors["class"] if isinstance(priors, dict) else None
    if claim.compared is claim.mechanism:
        return [single(world) for world in range(claim.space.size)]
    if kind not in ("list", "conditionals"):
        return None
    return [conditional(statement, prior, name) for prior, name in claim.keys]


def conditional(statement: Json, prior: int, name: str) -> Column:
    """A listed prior given a secret.

    statement  the relation of a certificate, of rule `secrets`
    prior      its number
    name       of the secret
    """
    given = statement["priors"]["priors"][prior]
    weights = given[name] if isinstance(given, dict) else given
    return within(weights, statement["secrets"][name])


def within(prior: Sequence[Fraction], worlds: Iterable[int]) -> Column:
    """A `prior` given that the world is one of `worlds`; empty where it never is."""
    weights = [(world, Fraction(prior[world])) for world in sorted(worlds)]
    mass = sum((weight for _, weight in weights), Fraction(0))
    return tuple((world, weight / mass) for world, weight in weights if weight)


def renumbered(promise: Promise, place: Sequence[int | None]) -> Promise:
    """A `promise` over worlds numbered anew, without what it says of worlds that have no number.

    place  world -> its new number, or None
    """
    if place == range(len(place)):
        return promise
    pairs: dict[Pair, Fraction] = {}
    for (a, b), distance in promise.pairs.items():
        left, right = _moved(a, place), _moved(b, place)
        if left is not None and right is not None:
            pairs[left, right] = distance
    return replace(promise, pairs=pairs)


def _moved(column: Column, place: Sequence[int | None]) -> Column | None:
    found = []
    for world, weight in column:
        at = place[world]
        if at is None:
            return None
        found.append((at, weight))
    return tuple(sorted(found))
