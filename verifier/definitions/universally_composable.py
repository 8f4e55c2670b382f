"""Levels add up over several releases, whatever is released.

Syntax. `universally_composable: {pairs: PAIRS, priors: CLASS}`

Statement. Take any two mechanisms: one satisfies Pufferfish at ε1, the other one at ε2. Levels add
up if both together always satisfy it at ε1 + ε2. They do where a prior leaves only one possible
world for each secret of a pair; that is Theorem 9.1. More generally they do in two cases. In the
first, each world of one secret is compared by itself with each world of the other, by some pair and
prior that allow just these two. In the second, the beliefs given the two secrets are mixtures of
such pairs of worlds. So levels add up for priors `all`, and for `product` if secrets are about one
record.

Violated means that there is a counterexample: a mechanism and two of its outputs. One run of it has
a finite level over all pairs and priors of the class. The two outputs, one after the other, move
the odds by more than twice that level allows, often without bound. Theorem 9.1 says that levels add
up *only* if each prior leaves one world for each secret. For a given set of pairs that is too
strong, as other pairs may protect: with s = {D1, D2}, s' = {D3}, a uniform prior, and all pairs of
single worlds secret too, levels add up. Where neither a proof nor a counterexample is found, the
answer is undecided.

It is decided for priors `list` and `hull`, `all`, `product` about one record, and for every class
if each secret is one world. For `product` under `where`, `iid` and `markov` it can be proved, but
not refuted.

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
from verifier.base.level import Level
from verifier.definitions._linear import identity
from verifier.priors import class_of, pairs_of
from verifier.priors.all import AllPriors
from verifier.priors.hull import MixedPriors
from verifier.priors.list import ListedPriors
from verifier.priors.product import ProductPriors
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.composition import ComposableClaim, FamilyComposesClaim
from verifier.questions.question import Question
from verifier.questions.secrets import GIVEN, Pair, Pairs, PriorClass, Pufferfish
from verifier.spec.options import Options
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace

OPTIONS = ("pairs", "priors")
CLOSED = None  # about priors
ONE = Fraction(1)


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


def _claim(
    space: WorldSpace, pairs: Sequence[Pair], priors: PriorClass
) -> ComposableClaim | FamilyComposesClaim:
    """The priors' possible worlds in the secrets of all pairs; or their family."""
    secrets = {s.name: np.flatnonzero(s.worlds).tolist() for pair in pairs for s in pair}
    names = [(left.name, right.name) for left, right in pairs]
    given: Sequence[Sequence[Fraction]] = ()
    if is_given := isinstance(priors, ListedPriors | MixedPriors):
        priors.supports(space, pairs)  # refuses named secrets that are never compared
        given = [prior.tolist() for prior in priors.priors]
    is_any = not is_given and all(len(worlds) <= 1 for worlds in secrets.values())
    if not (is_given or is_any or _compares_worlds(space, pairs, priors)):
        return _family(space, pairs, priors)
    stated = {"class": "any"} if is_any else priors.statement(space, pairs)
    return ComposableClaim(
        "universally_composable",
        space,
        secrets,
        names,
        not is_given,
        given,
        isinstance(priors, MixedPriors),
        {"rule": "secrets", "secrets": secrets, "pairs": list(map(list, names)), "priors": stated},
        scope={"pairs": 2 * len(pairs)},
    )


def _compares_worlds(space: WorldSpace, pairs: Sequence[Pair], priors: PriorClass) -> bool:
    """Whether it is known of all priors which worlds they compare."""
    if isinstance(priors, ProductPriors):
        try:
            priors.changes(space, pairs)
        except NotDecided:
            return False
        return True
    return isinstance(priors, AllPriors)


def _family(space: WorldSpace, pairs: Sequence[Pair], priors: PriorClass) -> FamilyComposesClaim:
    """The priors as polynomials in unknown distributions; NotDecided where they are none."""
    name = "universally_composable"
    asked = Pufferfish(name, space, identity(space), pairs, Level(exp_epsilon=ONE), ONE - ONE)
    claim = priors.claim(asked)
    if not isinstance(claim, PolynomialsClaim):
        kind = type(priors).__module__.rsplit(".", 1)[-1]
        raise NotDecided(
            f"whether the priors '{kind}' are universally composable is decided only where every "
            "secret is one world"
        )
    return FamilyComposesClaim(name, space, claim, scope={"pairs": 2 * len(pairs)})


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
