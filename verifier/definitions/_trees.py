"""Secrets about values of single records that follow trees, from channels alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from verifier.base import exact
from verifier.base.document import Plain
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.claims.claim import Json, TreesClaim
from verifier.claims.question import Question, share
from verifier.claims.secrets import Pair
from verifier.definitions._chains import ALTERNATES, alternates, are_rational, stated_priors
from verifier.mechanisms.local import matrix_of
from verifier.priors.markov import MarkovPriors
from verifier.world.local import Channel, LocalMechanism
from verifier.world.tree import Tree
from verifier.world.worlds import WorldSpace

MOST_EXACT = 3  # values of which channels mostly decide exactly; worlds do of more
Part = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # pairs of sets of values


def of_trees(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    pairs: Sequence[Sequence[Pair]],
    trees: Sequence[Tree],
    options: Json,
    needed: bool = True,
    intervals: MarkovPriors | None = None,
) -> Question | None:
    """The question whether sets of values stay secret from who believes a tree.

    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    pairs       for each record its pairs of secrets, over the values of a record
    trees       that the values may follow
    options     the definition's own, in canonical form
    needed      whether worlds are too many to be enumerated
    intervals   of transitions, of which the only tree is the worst chain

    NotDecided for what channels do not decide, or None where worlds can be enumerated.
    """
    rows = [row for tree in trees for row in (tree.initial, *sum(tree.transitions, ()))]
    reason = "channels are decided without delta" if share(delta) else None
    if not are_rational(local, rows, or_functions=True):
        reason = "probabilities must be rational numbers"
    if reason is None and intervals and any(alternates(tree.transitions[0]) for tree in trees):
        reason = ALTERNATES
    if not needed and local.values.size > MOST_EXACT:
        return None
    if reason is not None:
        if needed:
            raise NotDecided(f"for records that depend on each other {reason}")
        return None
    known: dict[Part, int] = {}
    asked = [tuple((_codes(a.worlds), _codes(b.worlds)) for a, b in own) for own in pairs]
    chosen = [known.setdefault(part, len(known)) if part else -1 for part in asked]
    parts = list(known)
    statement: Json = {
        "rule": "trees",
        "parts": [[[list(side) for side in pair] for pair in part] for part in parts],
        "chosen": chosen,
        "priors": stated_trees(trees) if intervals is None else stated_priors((), intervals),
    }
    priors = f"list of {len(trees)}" if intervals is None else "markov"
    count = 2 * sum(map(len, asked))
    claim = TreesClaim(
        definition,
        space,
        local.each(lambda channel: Channel.of(matrix_of(channel))),
        trees,
        parts,
        chosen,
        level,
        statement,
        {"pairs": count, "priors": priors, "notes": list(local.notes)},
    )
    return Question(definition=definition, claim=claim, options=options)


def _codes(values: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(values).tolist())


def stated_trees(trees: Sequence[Tree]) -> Json:
    """The class of some `trees` as a certificate has it."""
    return {"class": "trees", "trees": list(map(_stated, trees))}


def _stated(tree: Tree) -> Json:
    def listed(row: Sequence[Fraction]) -> list[str]:
        return list(map(exact.text, row))

    return {
        "initial": listed(tree.initial),
        "parents": list(tree.parents),
        "transitions": [list(map(listed, table)) for table in tree.transitions],
        "chosen": list(tree.chosen),
    }
