"""Promises that some simulator serves views and beliefs, and which of them imply others.

A promise is kept where a simulator that serves the new situations makes one that serves the old.
Below, α is the level with δ; P and Q are the distributions of outputs of the mechanism and of the
simulator Sim; F is an event of outputs, v a private value, and z what is known besides.

- *It sees less.* Where a function gives what the new simulator sees from what the old one sees, in
  every view, the old one may compute it first.
- *More is private.* Let the old private value be a function of the new one. The distributions
  given the old value are mixtures of those given the new ones, with the same weights on both
  sides, and P <= αQ + δ survives such mixtures.
- *More beliefs.* Both sides of P(F, v, z) <= α P(Sim, v, z) + δ P(v, z) are linear in the belief,
  so mixtures of beliefs come for free (Bassily et al. 2013, Theorem 4).
- *The canonical simulator* is one, so that a promise about it implies the one about any.

What is known besides is the same on both sides. In the inference form posteriors of private values
are compared. They are not linear in beliefs, so only the same beliefs are taken; a coarser private
value adds up posteriors on both sides.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from verifier.changes.inequalities import combined
from verifier.changes.matching import Matching
from verifier.questions.beliefs.coupled import Belief, Coupled, View
from verifier.questions.beliefs.exchangeable import Exchangeable
from verifier.questions.simulation import InferenceClaim, SimulationClaim

Weights = dict[tuple[int, str], Fraction]  # (new world, what is known besides) -> probability


def lost(old: SimulationClaim, new: SimulationClaim, worlds: Matching) -> list[str]:
    """What an `old` promise has that a `new` one is not shown to have: `views`, `simulator`,
    `priors`.

    worlds  the old ones in the new ones
    """
    if isinstance(old.coupled, Exchangeable) != isinstance(new.coupled, Exchangeable):
        return ["views"]
    kept = dict(worlds.common)
    found = [] if _sees_less(old.coupled, new.coupled, kept) else ["views"]
    if not _serves(old, new, kept):
        found.append("simulator")
    ours, theirs = (claim.coupled for claim in (old, new))
    wanted = [_weights(ours, belief, kept) for belief in ours.beliefs]
    known = [_weights(theirs, belief, None) for belief in theirs.beliefs]
    if not all(_is_among(belief, known, isinstance(old, InferenceClaim)) for belief in wanted):
        found.append("priors")
    return found


def _sees_less(old: Coupled, new: Coupled, kept: dict[int, int]) -> bool:
    """Whether each old view is kept by a new one.

    There at least the same is private, and the simulator sees a function of what it saw.
    """
    if len(old.views) != len(new.views):
        theirs = {view.subject: view for view in new.views}
        pairs = [(view, theirs.get(view.subject)) for view in old.views]
    else:
        pairs = list(zip(old.views, new.views, strict=True))
    seen: dict[Hashable, Hashable] = {}
    return all(
        theirs is not None and _is_function(ours, theirs, kept, seen) for ours, theirs in pairs
    )


def _is_function(
    old: View, new: View, kept: dict[int, int], seen: dict[Hashable, Hashable]
) -> bool:
    """Whether the new view keeps the old one.

    What is seen after follows from what was seen before, as `seen` has it so far; what was private
    follows from what is private.
    """
    private: dict[Hashable, Hashable] = {}
    alt, priv = (old.alt.tolist(), old.priv.tolist())
    return all(
        seen.setdefault(alt[w], int(new.alt[at])) == new.alt[at]
        and private.setdefault(int(new.priv[at]), priv[w]) == priv[w]
        for w, at in kept.items()
    )


def _serves(old: SimulationClaim, new: SimulationClaim, kept: dict[int, int]) -> bool:
    """Whether a simulator of the new kind is one of the old kind."""
    if old.given is None:
        return True
    if new.given is None or len(old.coupled.views) != len(new.coupled.views):
        return False
    given = new.given
    return all(
        old.given.get(int(ours.alt[w])) is None
        or kept.get(old.given[int(ours.alt[w])]) == given.get(int(theirs.alt[at]))
        for ours, theirs in zip(old.coupled.views, new.coupled.views, strict=True)
        for w, at in kept.items()
    )


def _weights(coupled: Coupled, belief: Belief, kept: dict[int, int] | None) -> Weights | None:
    """A belief over new worlds, and what is known besides in words; None where a world is gone."""
    found: Weights = {}
    for world, z, p in belief:
        at = world if kept is None else kept.get(world)
        if at is None:
            return None
        found[at, coupled.auxiliary[z]] = p
    return found


def _is_among(belief: Weights | None, known: Sequence[Weights | None], posteriors: bool) -> bool:
    """Whether a belief is one of those that are known, or, without posteriors, a mixture."""
    if belief is None:
        return False
    if belief in known or posteriors:
        return belief in known
    corners = [corner for corner in known if corner is not None]
    number = {key: at for at, key in enumerate(dict.fromkeys(k for c in corners for k in c))}
    if not belief.keys() <= number.keys():
        return False
    rows = [{number[key]: p for key, p in corner.items()} for corner in corners]
    return combined(rows, {number[key]: p for key, p in belief.items()}, len(number))
