"""What classes of priors share for which finitely many comparisons of columns decide.

The columns are those of the mechanism itself, or conditional output distributions; each pair of
secrets may have priors of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from verifier.priors import Comparisons
from verifier.questions.beliefs.supports import PairedSupports, Supports
from verifier.questions.secrets import Pair, Secret
from verifier.questions.witness import Belief
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


def by_pair(
    pairs: Sequence[Pair], supports: Callable[[Secret, Secret], Supports]
) -> PairedSupports:
    """`supports` of each of the `pairs` in both orders, in which a world of the first secret is
    compared with the second."""
    ordered = [order for left, right in pairs for order in ((left, right), (right, left))]
    return PairedSupports({(s.name, t.name): supports(s, t) for s, t in ordered})


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
