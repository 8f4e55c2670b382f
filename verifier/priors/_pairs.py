"""Classes that have priors of their own for each pair of secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from verifier.base.errors import NotDecided
from verifier.beliefs.supports import Found, Supports
from verifier.claims.secrets import Pair, Secret


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
