"""What classes of priors share for which finitely many comparisons of columns decide.

The columns are those of the mechanism itself, or conditional output distributions; each pair of
secrets may have priors of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from verifier.base.errors import NotDecided
from verifier.beliefs.supports import Found, Supports
from verifier.claims.secrets import Pair, Secret
from verifier.claims.witness import Belief
from verifier.priors import Comparisons
from verifier.world.mechanism import Coder, Mechanism
from verifier.world.relation import Blocks, Relation, listed
from verifier.world.worlds import WorldSpace

Key = TypeVar("Key", bound=Hashable)


def compare(
    outputs: Sequence[str],
    columns: Mapping[Key, Sequence[Fraction]],
    pairs: Iterable[tuple[Key, Key]],
    statement: dict[str, object],
) -> tuple[Mechanism, Relation]:
    """The matrix of columns, and the pairs of them, in both directions.

    outputs    their names
    columns    key -> the probability of each output, in the order of the matrix
    pairs      the keys of the columns that are compared
    statement  the pairs as they stand in a certificate
    """
    coder = Coder()
    codes = [[coder.code(p) for p in column] for column in columns.values()]
    place = {key: at for at, key in enumerate(columns)}
    found = [(place[s], place[t]) for s, t in pairs]
    both = dict.fromkeys([*found, *((j, i) for i, j in found)])
    matrix = np.array(codes or [[coder.code(1)]]).T
    compared = Mechanism.of(outputs if codes else ("none",), coder.values, matrix)
    return compared, Relation(tuple(listed(both)), statement)


@dataclass(frozen=True)
class PairedSupports:
    """The supports for each pair of secrets.

    parts  the worlds of one secret -> the worlds of each secret that is compared with it, and the
           supports that priors about these two have
    """

    parts: Mapping[tuple[int, ...], Sequence[tuple[Set[int], Supports]]]

    def within(self, world: int, others: Sequence[int], avoided: Set[int]) -> Found | None:
        """That of the one pair that the world and the others belong to."""
        parts = self.parts[tuple(others)]
        supports = next(part for inside, part in parts if world in inside)
        return supports.within(world, others, avoided)


def by_pair(pairs: Sequence[Pair], supports: Callable[[Secret, Secret], Supports]) -> Supports:
    """`supports` of every ordered pair: of worlds in the first secret against those of the second.
    NotDecided where a world belongs to two pairs with the same second secret."""
    parts: dict[tuple[int, ...], list[tuple[Set[int], Supports]]] = {}
    ordered = {(s.name, t.name): (s, t) for left, right in pairs for s, t in _both(left, right)}
    for first, second in ordered.values():
        inside, others = (tuple(np.flatnonzero(s.worlds).tolist()) for s in (first, second))
        found = parts.setdefault(others, [])
        if others and any(not worlds.isdisjoint(inside) for worlds, _ in found):
            raise NotDecided(
                f"a world is in '{first.name}' and in another secret that is compared with "
                f"'{second.name}', and these priors are different for each secret"
            )
        found.append((frozenset(inside), supports(first, second)))
    return PairedSupports(parts)


def _both(left: Secret, right: Secret) -> tuple[Pair, Pair]:
    return (left, right), (right, left)


def on_worlds(
    space: WorldSpace,
    mechanism: Mechanism,
    pairs: Sequence[Pair],
    blocks: Sequence[Blocks],
    priors: dict[str, Any],
) -> Comparisons:
    """Comparisons of worlds; a witness is the prior that is undecided between two.

    space      the worlds
    mechanism  the matrix over them
    pairs      the pairs of secrets
    blocks     the worlds that are compared
    priors     the class as it stands in a certificate
    """
    secrets = {secret.name: secret for pair in pairs for secret in pair}
    statement: dict[str, object] = {
        "rule": "secrets",
        "secrets": {
            name: np.flatnonzero(secret.worlds).tolist() for name, secret in secrets.items()
        },
        "pairs": [[left.name, right.name] for left, right in pairs],
        "priors": priors,
    }
    skipped = [f"no world is in '{name}'" for name, s in secrets.items() if not s.worlds.any()]

    def describe(left: int, right: int) -> Belief:
        ordered = [*pairs, *((b, a) for a, b in pairs)]
        first, second = next((a, b) for a, b in ordered if a.worlds[left] and b.worlds[right])
        return Belief((first.name, second.name), space.halves(left, right))

    return Comparisons(
        mechanism,
        Relation(tuple(blocks), statement, overlapping=len(blocks) > 2),
        describe,
        priors["class"],
        skipped,
    )


def on_one_world(space: WorldSpace) -> list[dict[int, Fraction]]:
    """The priors on one world of `space` each."""
    return [{world: Fraction(1)} for world in range(space.size)]
