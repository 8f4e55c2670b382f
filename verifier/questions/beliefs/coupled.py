"""What coupled-worlds privacy is about: views (alt, priv), beliefs about (world, z), situations.

A mechanism is compared with a simulator that sees alt(X) only. For every prior over (world, z),
every view (alt, priv) and every (v, z) of positive probability, a **situation** has the
distribution of the outputs and that of what the simulator sees. Every question about a
simulator, in whichever form, is about the situations alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

MAX_STEPS = 10**8
Belief = Sequence[tuple[int, int, Fraction]]  # (world, z, probability > 0), summing to 1


@dataclass(frozen=True, eq=False)
class View(Later):
    """A pair (alt, priv) of functions of the world.

    subject  what is private, in words
    alt      shape (worlds,): the number of what the simulator sees, common to all views
    priv     shape (worlds,): the number of the private value
    values   the private values in words
    """

    subject: str
    alt: np.ndarray
    priv: np.ndarray
    values: Sequence[str]


@dataclass(frozen=True, eq=False)
class Coupled(Later):
    """A mechanism, its views, and the priors over (world, z) under which they are taken.

    seen       what the simulator may see, in words, by number
    auxiliary  the values of z in words; ("",) where nobody knows anything more
    beliefs    finitely many priors; by Theorem 4 their mixtures come for free
    """

    space: WorldSpace
    mechanism: Mechanism
    seen: Sequence[str]
    views: Sequence[View]
    auxiliary: Sequence[str]
    beliefs: Sequence[Belief]


@dataclass(frozen=True, eq=False)
class Situation(Later):
    """One (v, z) of positive probability, under one prior and in one view.

    key      prior, view, v, z by number
    outputs  unit · P(v, z, F = t) for every output t
    inputs   unit · P(v, z, alt = a) for every a of positive probability
    total    unit · P(v, z)

    The integer `unit` is common to all situations of a question. Where some number is made of
    powers of e, it is 1, and the parts are numbers of that kind.
    """

    key: tuple[int, int, int, int]
    outputs: tuple[Any, ...]
    inputs: dict[int, Any]
    total: Any


@lru_cache(maxsize=1)  # asked for by whoever decides, and by whoever tells
def situations(coupled: Coupled) -> list[Situation]:
    """All situations of a question, `coupled`, in the order of priors, views, and worlds."""
    mechanism, views = coupled.mechanism, coupled.views
    entries = sum(map(len, coupled.beliefs)) * len(views)
    if entries * len(mechanism.outputs) > MAX_STEPS:
        raise LimitReached(
            f"{entries} worlds in views under priors, with {len(mechanism.outputs)} outputs each, "
            f"are more than {MAX_STEPS} steps"
        )
    common, parts = exact.in_integers(mechanism.values)
    numerators = np.array(parts, dtype=object)
    weights = exact.in_integers([p for belief in coupled.beliefs for _, _, p in belief])[1]
    listed = iter(weights)
    whole = [[(world, z, next(listed)) for world, z, _ in belief] for belief in coupled.beliefs]
    return [
        _situation((prior, number, v, z), group, views[number], mechanism, numerators, common)
        for prior, belief in enumerate(whole)
        for number, view in enumerate(views)
        for (v, z), group in _groups(belief, view)
    ]


def _groups(
    belief: Sequence[tuple[int, int, Any]], view: View
) -> Iterator[tuple[tuple[int, int], list[tuple[int, Any]]]]:
    """For every (v, z) its worlds, with their weights."""
    groups: dict[tuple[int, int], list[tuple[int, Any]]] = defaultdict(list)
    priv = view.priv.tolist()
    for world, z, weight in belief:
        groups[priv[world], z].append((world, weight))
    yield from groups.items()


def _situation(
    key: tuple[int, int, int, int],
    group: Sequence[tuple[int, Any]],
    view: View,
    mechanism: Mechanism,
    numerators: np.ndarray,
    common: int,
) -> Situation:
    worlds = [world for world, _ in group]
    weights = np.array([weight for _, weight in group], dtype=object)
    inputs: dict[int, Any] = defaultdict(int)
    for seen, (_, weight) in zip(view.alt[worlds].tolist(), group, strict=True):
        inputs[seen] += weight * common
    outputs = numerators[mechanism.codes[:, worlds]] @ weights
    return Situation(key, tuple(outputs.tolist()), dict(inputs), common * weights.sum())


def linked(coupled: Coupled, posteriors: bool) -> bool:
    """Whether any two situations have to be told apart or not; otherwise all mechanisms pass.

    coupled     the question
    posteriors  whether posteriors are compared rather than outputs

    They are linked where the simulator may see the same in both, or, for `posteriors`, where they
    are two private values in one view under one prior and the same z.
    """
    owner: dict[object, object] = {}
    for prior, belief in enumerate(coupled.beliefs):
        for number, view in enumerate(coupled.views):
            alt, priv = view.alt.tolist(), view.priv.tolist()
            for world, z, _ in belief:
                key = (prior, number, z) if posteriors else alt[world]
                situation = (prior, number, priv[world], z)
                if owner.setdefault(key, situation) != situation:
                    return True
    return False
