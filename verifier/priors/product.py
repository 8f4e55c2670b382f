"""Records are independent, each with any distribution of its own.

Syntax. `priors: product`

Options. None.

Statement. For secrets about one record, the worlds are compared that differ in this record alone.
Otherwise the priors are polynomials in the unknown distributions of the records.

Example. Independent records say nothing of each other, so Bob's bit leaks 3, as under differential
privacy.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: product
    checks:
      - pufferfish: {exp_epsilon: 3, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Theorems 4.4 and 6.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from verifier.base.document import Node
from verifier.base.errors import NotDecided
from verifier.priors import ComparedPriors, Comparisons, no_options
from verifier.priors._comparisons import on_one_world, on_worlds
from verifier.priors._polynomial import need_records, unknown_records_claim
from verifier.questions.beliefs.supports import GeneratedSupports, bits, generated
from verifier.questions.claim import Claim
from verifier.questions.secrets import Pair, Pufferfish, Secret
from verifier.world import single
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks, crossings, keys
from verifier.world.worlds import WorldSpace

UNDECIDED = "independent records conditioned on public constraints are not decided by this version"


@dataclass(frozen=True)
class ProductPriors(ComparedPriors):
    """Independent records, for secrets that differ about one record only.

    Such secrets allow the record i the values S and S', and every other record the same values.
    Given s, records are independent, record i has some distribution on S, the others are as given
    s'; so P(o | s) averages, over the other records, columns of worlds that differ in this record
    alone, and point masses attain every single comparison. The comparisons are the changes of
    record i from S to S' (Kifer, Machanavajjhala, Theorems 6.1, 4.4; attributes inside one record
    may depend on each other).
    """

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The priors on one world of `space` each.

        Their records are independent, with public constraints too, and every distribution is a
        mixture of them.
        """
        if not space.is_histograms:
            need_records(space, "the class 'product'")
        return on_one_world(space)

    def claim(self, question: Pufferfish) -> Claim:
        """The claim of a `question`: single changes where they decide, else polynomials."""
        try:
            return super().claim(question)
        except NotDecided:
            priors = self.statement(question.space, question.pairs)
            return unknown_records_claim(question, priors)

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> GeneratedSupports:
        """All worlds that have, for each record, one of the values chosen for it.

        space  the worlds, made of records
        pairs  the pairs of secrets

        Uniform distributions of the records are uniform on these worlds.
        """
        need_records(space, "the class 'product'")
        if space.counts is not None:
            raise NotDecided(UNDECIDED)
        values = len(space.record_values)
        table = space.record_codes.T.tolist()
        return generated([bits(r * values + c for r, c in enumerate(row)) for row in table])

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Its keyword, whatever `space` and `pairs`."""
        return {"class": "product"}

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """Single changes of the record that a pair is about, both ways.

        space      the worlds
        mechanism  the matrix over them
        pairs      the pairs of secrets
        """
        blocks = self.changes(space, pairs)
        return on_worlds(space, mechanism, pairs, blocks, self.statement(space, pairs))

    def changes(self, space: WorldSpace, pairs: Sequence[Pair]) -> list[Blocks]:
        """The worlds that are compared by themselves; NotDecided where that says not all.

        space  the worlds, made of records
        pairs  the pairs of secrets
        """
        need_records(space, "the class 'product'")
        if not space.complete:
            raise NotDecided(UNDECIDED)
        records = range(len(space.records))
        same = [keys(_others(space, r), space.size) for r in records]
        blocks: list[Blocks] = []
        for left, right in pairs:
            others = same[0 if space.counts is not None else _changed_record(space, left, right)]
            blocks += crossings(others, left.worlds, right.worlds)
            blocks += crossings(others, right.worlds, left.worlds)
        return blocks


def read(node: Node | None, space: WorldSpace) -> ProductPriors:
    """`priors: product`, whatever `space`; S501 where `node` has options."""
    no_options(node)
    return ProductPriors()


def _others(space: WorldSpace, record: int) -> np.ndarray:
    """What the worlds of `space` say of all records but one; of others that are not told apart
    their counts."""
    if space.counts is not None:
        return single.others(space)
    return np.delete(space.record_codes, record, axis=0)


def _changed_record(space: WorldSpace, left: Secret, right: Secret) -> int:
    """The one record whose values the two secrets differ in."""
    here, there = _values(space, left), _values(space, right)
    differ = [r for r, (s, t) in enumerate(zip(here or (), there or (), strict=False)) if s != t]
    if len(differ) == 1:
        return differ[0]
    raise NotDecided(
        f"with independent records, secrets about several records ('{left.name}', "
        f"'{right.name}') are not decided by this version"
    )


def _values(space: WorldSpace, secret: Secret) -> list[set[int]] | None:
    """The values that a secret allows each record, where it is all worlds with such values."""
    allowed = [set(codes[secret.worlds].tolist()) for codes in space.record_codes]
    return allowed if prod(map(len, allowed)) == secret.worlds.sum() else None
