"""Whether levels add up over several releases, whatever is released.

Syntax. `universally_composable: {pairs: PAIRS, priors: CLASS}`

Statement. θ is a prior of the class, (s, s') a pair of secrets. For every θ and every pair with
P(s | θ) > 0 and P(s' | θ) > 0, θ has just one possible world in s and just one in s'. Pufferfish
with such priors compares single worlds, so it composes: mechanisms that satisfy it with ε1 and ε2
satisfy it together with ε1 + ε2 (Corollary 9.4).

Violated means more than that some prior is not of this form: a mechanism is given, that of the
proof, which says "yes" in one possible world D* of s, "no" in the other worlds of s, and either
with probability 1/2 elsewhere. Its leakage is finite over all pairs and all priors of the class,
and that of two runs is not: yes, then no, has probability 0 given s and 1/4 given s'. Where
it leaks without bound by itself, for every D*, other pairs or priors protect, and the answer is
undecided: the "only if" of the theorem is too strong for a given set of pairs. (s = {D1, D2}, s' =
{D3}, θ uniform, and all pairs of single worlds secret too: then all mechanisms compose.)

Decided for `list` and `hull`, and for every class where each secret is one world.

Options. `pairs`, `priors`.

Leakage. None: there is no level and no mechanism; a witness has the leakage of its one run.

Example. An attacker who knows all records but one is universally composable; the uniform prior
over two records is not.

    worlds: {records: [ann, bob], domain: [0, 1]}
    secrets: {bob_yes: bob == 1, bob_no: bob == 0}
    pairs: [[bob_yes, bob_no]]
    priors:
      knows_ann: {list: [{worlds: {00: 1/2, 01: 1/2}}]}
      knows_nobody: {list: [uniform]}
    checks:
      - universally_composable: {priors: knows_ann}
      - universally_composable: {priors: knows_nobody}
        expect: violated

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 9.3, Theorem 9.1, Corollary 9.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from verifier.base.document import Plain
from verifier.base.errors import NotDecided
from verifier.claims.claim import ComposableClaim
from verifier.claims.question import Question
from verifier.claims.secrets import GIVEN, Pair, Pairs, PriorClass
from verifier.priors import class_of, pairs_of
from verifier.priors.hull import MixedPriors
from verifier.priors.list import ListedPriors
from verifier.spec.options import Options
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace

OPTIONS = ("pairs", "priors")


def question(
    *,
    space: WorldSpace,
    pairs: Pairs | str | Sequence[Pair],
    priors: PriorClass | Plain,
) -> Question:
    """Whether priors are universally composable (Kifer, Machanavajjhala 2014, Theorem 9.1).

    space   the possible worlds
    pairs   of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors  a class such as `all`, or {"list": [prior, …]}

    InputError for pairs or priors that do not go with the worlds; NotDecided for a class of which
    it is not known.
    """
    known, chosen = class_of(space, priors), pairs_of(space, pairs)
    if space.is_histograms and chosen.kind != GIVEN:
        raise needs_records("S407", "universally_composable, about one record,", space)
    return Question(
        definition="universally_composable",
        claim=_claim(space, chosen.listed, known),
        options={"pairs": chosen.kind},
        pairs=chosen.listed,
        priors=known,
    )


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(space=options.space, pairs=options.pairs(), priors=options.priors())


def _claim(space: WorldSpace, pairs: Sequence[Pair], priors: PriorClass) -> ComposableClaim:
    """The priors' possible worlds in the secrets of all pairs."""
    secrets = {s.name: np.flatnonzero(s.worlds).tolist() for pair in pairs for s in pair}
    names = [(left.name, right.name) for left, right in pairs]
    given: Sequence[Sequence[Fraction]] = ()
    stated: dict[str, object] = {"class": "any"}
    if isinstance(priors, ListedPriors | MixedPriors):
        priors.supports(space, pairs)  # refuses named secrets that are never compared
        given = [prior.tolist() for prior in priors.priors]
        stated = priors.statement(space, pairs)
    elif any(len(worlds) > 1 for worlds in secrets.values()):
        raise NotDecided(_undecided(priors))
    return ComposableClaim(
        "universally_composable",
        space,
        secrets,
        names,
        given,
        isinstance(priors, MixedPriors),
        {"rule": "secrets", "secrets": secrets, "pairs": list(map(list, names)), "priors": stated},
        scope={"pairs": 2 * len(pairs)},
    )


def _undecided(priors: PriorClass) -> str:
    kind = type(priors).__module__.rsplit(".", 1)[-1]
    return (
        f"whether the priors '{kind}' are universally composable is decided only where every "
        "secret is one world"
    )


def value(priors: Iterable[Sequence[Fraction]], pairs: Iterable[tuple[set[int], set[int]]]) -> int:
    """The largest number of possible worlds of a secret, straight from the theorem.

    priors  a weight per world each
    pairs   of sets of worlds

    Over the pairs and the priors that allow both secrets; the priors are universally composable up
    to 1.
    """
    most, pairs = 0, list(pairs)
    for prior in priors:
        for pair in pairs:
            possible = [sum(1 for w in secret if prior[w] > 0) for secret in pair]
            if all(possible):
                most = max(most, *possible)
    return most
