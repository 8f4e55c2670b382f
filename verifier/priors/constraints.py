"""Attackers may believe anything that satisfies given linear constraints.

Syntax. `priors: {constraints: ["P(PREDICATE) <= NUMBER", "P(PREDICATE | PREDICATE) in [LOW, HIGH]",
…]}`

Options. None: the constraints are listed, each in quotes.

Statement. The class has every prior θ that meets all constraints: a polytope. With fixed odds of
the two secrets the largest leakage within it is a linear program.

Example. Ann's bit tells nothing of Bob's to those who believe that Bob has 1 with probability 1/2
either way: his bit is seen through its own noise alone.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: {constraints: ["P(bob == 1 | ann == 0) == 1/2", "P(bob == 1 | ann == 1) == 1/2"]}
    secrets: {ann_yes: ann == 1, ann_no: ann == 0}
    pairs: [[ann_yes, ann_no]]
    checks:
      - pufferfish: {exp_epsilon: 3}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4, for a polytope of priors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Node, Scalar
from verifier.base.errors import InputError
from verifier.kernels.cones import Cone, Row, impossible, is_empty, rays, rays_of_functions
from verifier.priors import check_possible
from verifier.priors._linear import on_cone, read_constraint
from verifier.questions.beliefs.supports import ConeSupports
from verifier.questions.claim import PolytopeClaim
from verifier.questions.secrets import Pair, Pufferfish, Secret
from verifier.world.single import Single
from verifier.world.worlds import WorldSpace

MAX_CORNERS = 10_000


@dataclass(frozen=True, eq=False)
class ConstrainedPriors:
    """Every prior θ with G θ <= 0 (or = 0): a polytope.

    The condition is quadratic in θ, so a prior inside may leak more than every corner; but with
    fixed odds of the two secrets it is a linear program (see kernels/segments.py). Where
    the constraints are about θ(· | s) and θ(· | s') apart, all odds have the same optimal basis.
    """

    cone: Cone
    constraints: int

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The corners of the polytope over the worlds of `space`; LimitReached for too many."""
        if not self.cone.is_whole:
            listed = rays_of_functions(self.cone, MAX_CORNERS)
            sums = [exact.total(ray.values()) for ray in listed]
            return [
                {w: x / total for w, x in sorted(ray.items())}
                for ray, total in zip(listed, sums, strict=True)
            ]
        found = rays(self.cone, MAX_CORNERS)
        return [
            {w: Fraction(x, sum(ray.values())) for w, x in sorted(ray.items())} for ray in found
        ]

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> ConeSupports:
        """By linear programs; S403 for a named secret that no prior makes possible.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        secrets = [secret for pair in pairs for secret in pair]
        check_possible(secrets, impossible(self.cone, _masses(secrets)))
        return ConeSupports(self.cone)

    def of_one_record(self, one: Single) -> ConstrainedPriors:
        """Every prior over the worlds of `one` record with the same constraints on histograms: more
        than those that no permutation of the records changes."""
        rows = [_spread(row, one) for row in self.cone.rows]
        return ConstrainedPriors(Cone(one.space.size, rows), self.constraints)

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The rows, whatever `space` and `pairs`."""
        return {"class": "constraints", "rows": [row.statement() for row in self.cone.rows]}

    def claim(self, question: Pufferfish) -> PolytopeClaim:
        """The claim of a `question`, by P(s) and P(s, o) in each world.

        Raises S403 for a named secret that no prior makes possible.
        """
        secrets, mechanism, size = question.secrets, question.mechanism, self.cone.size

        def joint(name: str, output: int) -> list[Fraction]:
            found, row = [Fraction(0)] * size, mechanism.codes[output]
            for world in np.flatnonzero(secrets[name].worlds).tolist():
                found[world] = mechanism.values[row[world]]
            return found

        return on_cone(
            question,
            self.cone,
            _masses(secrets.values()),
            joint,
            lambda point: point,
            self.statement(question.space, question.pairs),
            f"{self.constraints} constraint{'s' * (self.constraints > 1)}",
        )


def _spread(row: Row, one: Single) -> Row:
    """A row about histograms, about the worlds of one record."""
    places = row.coefficients.items()
    return Row(
        row.sense,
        {value: np.flatnonzero(np.isin(one.whole, list(at))).tolist() for value, at in places},
    )


def _masses(secrets: Iterable[Secret]) -> dict[str, list[Fraction]]:
    """P(s) in each world."""
    return {secret.name: list(map(Fraction, secret.worlds.tolist())) for secret in secrets}


def read_with(
    node: Node | None, space: WorldSpace, secrets: Mapping[str, np.ndarray]
) -> ConstrainedPriors:
    """`priors: {constraints: ["P(flu | young) in [1/4, 1/2]", …]}`.

    node     what stands under the keyword; S501 for None, S505 for an empty list
    space    the worlds
    secrets  name -> Boolean array over the worlds, which constraints may name

    Raises S508 to S511 for a constraint.
    """
    if node is None:
        raise InputError(
            "S501", "the class 'constraints' lists them: {constraints: [\"P(s) <= 1/2\", …]}"
        )
    items = node.sequence("a list of constraints").items
    if not items:
        hint = "write all for no constraint"
        raise node.fail("S505", "the list of constraints is empty", hint)
    texts = [item.scalar("a constraint such as P(s) <= 1/2") for item in items]
    rows = [read_constraint(text, space, secrets) for text in texts]
    _check_consistent(texts, rows, space.size)
    return ConstrainedPriors(Cone(space.size, list(chain.from_iterable(rows))), len(texts))


def _check_consistent(texts: Sequence[Scalar], rows: Sequence[list[Row]], size: int) -> None:
    """Refuse constraints that no prior satisfies (S511), naming some that none can do without."""

    def contradict(kept: Sequence[int]) -> bool:
        return is_empty(Cone(size, [row for k in kept for row in rows[k]]))

    kept = list(range(len(texts)))
    if not contradict(kept):
        return
    for k in range(len(texts)):
        fewer = [other for other in kept if other != k]
        if contradict(fewer):
            kept = fewer
    together = ", ".join(f"'{texts[k].text}'" for k in kept)
    hint = "loosen one of them, or leave one out"
    raise texts[kept[0]].fail("S511", f"no prior satisfies {together}", hint)
