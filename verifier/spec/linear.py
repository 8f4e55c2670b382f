"""Definitions that are linear in the rows of a mechanism, as inequalities.

A definition that compares columns, Σ_w (a_w − α^d b_w) M[o, w] <= 0 for every output o, asks the
same of each row. Its coefficients are read off the columns that it compares when each world is an
output of its own. So two definitions can be compared, and best mechanisms found, by linear
programming over rows or over whole mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from verifier.base.document import Node
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.halfspaces import Halfspaces
from verifier.base.registry import DEFINITIONS
from verifier.claims.claim import ComparisonClaim
from verifier.spec.model import Check
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

MOST = 200_000  # comparisons


@dataclass(frozen=True, eq=False)
class LinearDefinition:
    """A definition that is linear in the rows of a mechanism, over fixed worlds.

    claim    its comparisons, of the mechanism in which every world is its own output
    weights  for every column that is compared, the worlds it averages: world -> weight > 0
    """

    claim: ComparisonClaim
    weights: Sequence[Mapping[int, Fraction]]

    def comparisons(self) -> Iterator[tuple[int, int, int]]:
        """Columns i, j and a whole distance d: column i is at most α^d times column j."""
        if sum(part.count() for part in self.claim.relation.blocks) > MOST:
            raise LimitReached(f"more than {MOST} comparisons are too many inequalities")
        for part in self.claim.relation.blocks:
            if part.distance.denominator != 1:
                raise NotDecided("distances that are no whole numbers are not linear in this sense")
            yield from ((i, j, part.distance.numerator) for i, j in part.pairs())

    def halfspaces(self, alpha: Fraction | None = None) -> Halfspaces:
        """The inequalities at a level; the one that was asked for unless another is given."""
        level = alpha or self.claim.level.exp_epsilon
        if level is None:
            raise NotDecided(
                "e^ε is irrational: its inequalities are not rational; use exp_epsilon"
            )
        found: dict[tuple[tuple[int, int], ...], str] = {}
        for i, j, d in dict.fromkeys(self.comparisons()):
            row = _whole(self.weights[i], self.weights[j], level**d)
            if any(value > 0 for _, value in row):
                found.setdefault(row, f"{self._name(i)} <= {level**d} {self._name(j)}")
        rows = [dict(row) for row in found]
        return Halfspaces(self.claim.space.size, rows, list(found.values()))

    def _name(self, column: int) -> str:
        worlds, names = self.weights[column], self.claim.space.name
        terms = (names(w) if p == 1 else f"{p}*{names(w)}" for w, p in worlds.items())
        return " + ".join(terms) if len(worlds) == 1 else f"({' + '.join(terms)})"


@dataclass(frozen=True, eq=False)
class _Inner(Check):
    """A definition inside another one's options, about a given mechanism; pairs and priors are its
    own, or those of the check around it."""

    outer: Check
    about: Mechanism

    def mechanism(self) -> Mechanism:
        return self.about

    def option(self, key: str) -> Node | None:
        own = self.options.get(key)
        return self.outer.option(key) if own is None else own


def identity(space: WorldSpace) -> Mechanism:
    """The mechanism that publishes the world."""
    codes = np.eye(space.size, dtype=np.int64)
    return Mechanism.of(space.names(range(space.size)), [Fraction(0), Fraction(1)], codes)


def read(check: Check, node: Node) -> LinearDefinition:
    """The definition `{keyword: options}` of a node, over the worlds, pairs and priors of a check;
    NotDecided where its rows are not described by finitely many rational inequalities."""
    claim = about(check, node, identity(check.space))
    return LinearDefinition(
        claim, [_column(claim.compared, j) for j in range(claim.compared.worlds)]
    )


def about(check: Check, node: Node, mechanism: Mechanism) -> ComparisonClaim:
    """The claim that a mechanism satisfies the definition of a node; see `read`."""
    key, options = node.mapping(what="a definition such as {differential_privacy: …}").only(
        "a definition", DEFINITIONS.keywords()
    )
    own = options.mapping(what="a mapping of options")
    module = DEFINITIONS.module(key.text)
    own.check_keys((*module.OPTIONS, "pairs", "priors"))
    inner = _Inner(check.model, check.item, key, own, check.index, check, mechanism)
    claim = key.placed(lambda: module.compile(inner))
    if not isinstance(claim, ComparisonClaim) or claim.delta:
        raise NotDecided(f"what '{key.text}' asks here is not linear in the rows of a mechanism")
    return claim


def _column(compared: Mechanism, column: int) -> dict[int, Fraction]:
    weights = (compared.values[code] for code in compared.codes[:, column].tolist())
    return {w: p for w, p in enumerate(weights) if p}


def _whole(
    left: Mapping[int, Fraction], right: Mapping[int, Fraction], factor: Fraction
) -> tuple[tuple[int, int], ...]:
    """left − factor · right in integers without a common factor, by ascending world."""
    values = {w: left.get(w, 0) - factor * right.get(w, 0) for w in sorted({*left, *right})}
    common = lcm(*(Fraction(value).denominator for value in values.values()))
    whole = {w: int(value * common) for w, value in values.items() if value}
    shared = gcd(*whole.values()) or 1
    return tuple((w, value // shared) for w, value in whole.items())
