"""`product`: independent records, each with any distribution of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.document import Node
from verifier.errors import InputError
from verifier.mechanism import Mechanism
from verifier.neighbours.records import keys
from verifier.priors import ComparedPriors, Comparisons, NotDecided, Pair, Secret, no_options
from verifier.priors._worlds import on_worlds
from verifier.relation import Blocks, crossings
from verifier.worlds import WorldSpace


@dataclass(frozen=True)
class ProductPriors(ComparedPriors):
    """Independent records, for secrets about one record each.

    Given s, the record's value has some distribution on the values s allows, the others are as
    before; so P(o | s) averages, over the other records, columns of worlds that differ in this
    record alone, and point masses attain every single comparison. The comparisons are the
    changes of the record from a value of s to a value of s' (Kifer, Machanavajjhala,
    Theorems 6.1, 4.4; attributes inside one record may depend on each other).
    """

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The priors on one world each: their records are independent, with public constraints
        too, and every distribution is a mixture of them."""
        if not space.records:
            raise InputError("S502", "the class 'product' needs worlds made of records")
        return super().corners(space)

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """Single changes of the record that a pair is about, both ways."""
        if not space.records:
            raise InputError("S502", "the class 'product' needs worlds made of records")
        if not space.complete:
            raise NotDecided(
                "independent records conditioned on public constraints are not decided "
                "by this version"
            )
        blocks: list[Blocks] = []
        for left, right in pairs:
            record = _common_record(space, left, right)
            same = keys(np.delete(space.record_codes, record, axis=0), space.size)
            blocks += crossings(same, left.worlds, right.worlds)
            blocks += crossings(same, right.worlds, left.worlds)
        return on_worlds(space, mechanism, pairs, blocks, "product")


def read(node: Node | None, space: WorldSpace) -> ProductPriors:
    """`priors: product`."""
    no_options(node)
    return ProductPriors()


def _common_record(space: WorldSpace, left: Secret, right: Secret) -> int:
    """The one record that both secrets are about."""
    for record in range(len(space.records)):
        if all(_depends_only_on(space, secret.worlds, record) for secret in (left, right)):
            return record
    raise NotDecided(
        f"with independent records, secrets about several records ('{left.name}', "
        f"'{right.name}') are not decided by this version"
    )


def _depends_only_on(space: WorldSpace, secret: np.ndarray, record: int) -> bool:
    codes = space.record_codes[record]
    inside = np.bincount(codes[secret], minlength=len(space.record_values))
    total = np.bincount(codes, minlength=len(space.record_values))
    return bool(np.all((inside == 0) | (inside == total)))
