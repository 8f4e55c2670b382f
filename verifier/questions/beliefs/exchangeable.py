"""Records that are not told apart: simulators on histograms instead of lists.

Let a prior on (X, Z) be **exchangeable**: no permutation of the records of X changes it, whatever
Z is; let the mechanism F be symmetric: it depends on the histogram H of X, how many records have
each value. Then distributional privacy is decided by one record among n, and the histogram of
the others. Given (H, Z), the record is each of the H_v of value v with probability H_v / n; its
situations (v, z) have, for h the histogram of the others, H = h + e_v,

    P(v, z, F = t) = Σ_H P(H, z)·(H_v / n)·F(t | H),    P(v, z, others = h) = P(H, z)·(H_v / n).

*Theorem.* At every (α, δ) some simulator Sim(t | h) of the others' histogram serves these
situations, under all priors, exactly if some simulator serves every record on lists, told which
record is gone (`indexed`) or not.

*Proof.* As X is exchangeable given Z = z, every X_i has the situations above: P(X_i = v, z) and
P(v, z, F = t) are the same for all i; and given X_i = v, Z = z and the histogram h of the others,
X_-i is each list with this histogram equally likely, under every prior.

- From histograms to lists. Let a simulator on lists answer to what it sees of X_-i with
  Sim(· | histogram of X_-i), whatever it is told of i. Where records may be absent and it sees
  the database without this one, that is the histogram of what it sees without one ⊥. Its answers
  in (v, z) have the distribution Σ_h P(h | v, z)·Sim(· | h) for every i: the same conditions.
- From lists to histograms. Let Sim'(t | h) be the average, over all i and all lists y of
  histogram h as X_-i, of what a simulator on lists answers when record i is gone from y. It does
  not depend on the prior. The distribution of its answers in (v, z) is Q = (1/n)·Σ_i Q_i, with
  Q_i those of the given simulator in the situation (v, z) of record i. P is the same for all i,
  and Σ_t max(0, P_t − α·Q_t) and Σ_t max(0, Q_t − α·P_t) are convex in Q. So they are at most the
  average of those of the Q_i, hence at most δ.

Z may be any symmetric function of X, or be drawn with the histogram. The class `all` is that of
the priors on one list each; the permutations of one are another, and averaging a simulator over
all permutations of records shows that it serves if and only if one on histograms serves the
priors on one histogram each. The canonical simulator depends on histograms to begin with.

The inference form is not convex in the simulator; for it nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from verifier.base import histograms
from verifier.base.nouns import dataclass
from verifier.questions.beliefs.coupled import Belief, Coupled, View
from verifier.world import single
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True, eq=False)
class Exchangeable(Coupled):
    """One record among exchangeable ones. A world of `space` is a histogram of all records and
    the value of the one; the simulator sees the histogram of the others.

    histograms  the worlds they come from
    released    the mechanism over them
    priors      over (histogram, z)
    whole       shape (worlds,): the histogram of each world of `space`
    """

    histograms: WorldSpace
    released: Mechanism
    priors: Sequence[Belief]
    whole: np.ndarray


def exchangeable(
    space: WorldSpace, mechanism: Mechanism, auxiliary: Sequence[str], priors: Sequence[Belief]
) -> Exchangeable:
    """The question about one record among those of histograms.

    space      of histograms
    mechanism  over them
    auxiliary  what the simulator knows
    priors     over the histograms
    """
    one = single.one_record(space)
    codes = one.space.record_codes[0]
    others, alt = np.unique(single.others(one.space), axis=1, return_inverse=True)
    texts = space.value_names
    seen = [histograms.name(row, texts) for row in others.T.tolist()]
    return Exchangeable(
        WorldSpace(one.space.size, given=one.space.given),
        one.mechanism(mechanism),
        seen,
        [View(single.NAME, alt.reshape(-1), codes, texts)],
        auxiliary,
        [_of_one(one, prior) for prior in priors],
        space,
        mechanism,
        priors,
        one.whole,
    )


def _of_one(one: single.Single, prior: Belief) -> Belief:
    """The prior over (histogram and value of one record, z)."""
    shares: dict[int, list[tuple[int, Fraction]]] = {}
    for world, (h, share) in enumerate(zip(one.whole.tolist(), one.shares(), strict=True)):
        shares.setdefault(h, []).append((world, share))
    return [(world, z, p * share) for w, z, p in prior for world, share in shares[w]]


def without_one(question: Exchangeable) -> dict[int, int | None]:
    """For each view of a `question`, a world with one more absent record, or None."""
    space = question.histograms
    assert space.counts is not None and space.absent_code is not None
    found = {tuple(row): w for w, row in enumerate(space.counts.T.tolist())}
    first = {int(w): at for at, w in reversed(list(enumerate(question.whole.tolist())))}
    (view,) = question.views
    answer: dict[int, int | None] = {}
    for a, v, w in zip(view.alt.tolist(), view.priv.tolist(), question.whole.tolist(), strict=True):
        counts = space.counts[:, w].tolist()
        counts[v] -= 1
        counts[space.absent_code] += 1
        world = found.get(tuple(counts))
        answer[a] = None if world is None else first[world]
    return answer
