"""What attackers believe given each secret, whatever they believe of the secrets themselves.

Syntax. `priors: {conditionals: {SECRET: PRIOR, …}}`, or a list of such mappings, one per attacker

Options. None besides the distributions. Each gives its secret the probability 1. Each pair of
secrets needs an attacker who has a distribution for both.

Statement. A prior matters only through its conditional distributions P(world | secret). For a pair
and an attacker who has both, these two are compared, whatever the odds of the two secrets.

Example. Given that Ann has 1, Bob has it too with probability 1/2; given 0, he has 0 for sure: at
the output 11, (3/4)·(1/2) against (1/4)·(1/4). The same the other way round.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    pairs: values
    priors:
      conditionals:
        ann = 1: {worlds: {10: 1/2, 11: 1/2}}
        ann = 0: {worlds: {00: 1}}
        bob = 1: {worlds: {01: 1/2, 11: 1/2}}
        bob = 0: {worlds: {00: 1}}
    checks:
      - pufferfish: {exp_epsilon: 6}
        leakage: 6

References. Kifer, Machanavajjhala 2014, Pufferfish, Section 7.2.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import InputError, choice
from verifier.priors import ComparedPriors, Comparisons
from verifier.priors._comparisons import by_pair, compare
from verifier.priors.list import conditional
from verifier.questions.beliefs.prior import Prior, read_prior
from verifier.questions.beliefs.supports import ListedSupports, PairedSupports, average
from verifier.questions.claim import Given
from verifier.questions.secrets import Pair, Secret
from verifier.questions.witness import Belief
from verifier.world.mechanism import Mechanism
from verifier.world.single import Single
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class ConditionalPriors(ComparedPriors):
    """One or more attackers, each with P(world | s) for some of the secrets s.

    Pufferfish uses a prior only through its conditional distributions (Kifer, Machanavajjhala
    2014, Section 7.2), so for a pair (s, t) and an attacker who has both, P(o | s) = Σ P(w | s)
    M[o, w] is compared with P(o | t). Each is concentrated on its secret: then s and t with any
    odds and these conditionals are a prior.
    """

    attackers: tuple[tuple[tuple[Scalar, Prior], ...], ...]

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> PairedSupports:
        """Those of both conditionals of an attacker, as a prior with odds 1; S507 as below.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        beliefs = self._beliefs(space, {secret.name: secret for pair in pairs for secret in pair})

        def joint(first: Secret, second: Secret) -> ListedSupports:
            names = first.name, second.name
            sides = [
                [beliefs[number, name].positive() for name in names]
                for number in self._having(beliefs, names)
            ]
            return ListedSupports([average(*both) for both in sides])

        return by_pair(pairs, joint)

    def of_one_record(self, one: Single) -> ConditionalPriors:
        """None: distributions given what `one` record is are no distributions of histograms."""
        said = "'conditionals' of histograms say nothing of one record"
        raise InputError("S502", said, hint="write {list: [prior, …]}, or pairs of `secrets`")

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """What each attacker has, whatever `space` and `pairs`."""
        given = [{name.text: p.tolist() for name, p in attacker} for attacker in self.attackers]
        return {"class": "conditionals", "priors": given}

    def _beliefs(self, space: WorldSpace, secrets: dict[str, Secret]) -> dict[Given, Prior]:
        """Each distribution, by the number of its attacker and the secret."""
        found: dict[Given, Prior] = {}
        for number, attacker in enumerate(self.attackers):
            for name, prior in attacker:
                _check(name, prior, secrets, space)
                found[number, name.text] = prior
        return found

    def _having(self, beliefs: Container[Given], names: tuple[str, str]) -> list[int]:
        """The attackers that have distributions given both secrets."""
        found = [
            number
            for number in range(len(self.attackers))
            if all((number, name) in beliefs for name in names)
        ]
        if not found:
            first, second = names
            said = f"nobody has distributions given '{first}' and '{second}'"
            raise InputError(
                "S507", said, hint=f"write both in one mapping: {first}: …, {second}: …"
            )
        return found

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """One column per attacker and secret.

        space      the worlds
        mechanism  the matrix over them
        pairs      the pairs of secrets

        Raises S507 for a name that is no secret of a pair, mass outside the secret, and a pair that
        no attacker compares.
        """
        secrets = {secret.name: secret for pair in pairs for secret in pair}
        beliefs = self._beliefs(space, secrets)
        found, skipped = [], []
        for names in ((left.name, right.name) for left, right in pairs):
            having = self._having(beliefs, names)
            found += [((number, names[0]), (number, names[1])) for number in having]
            if len(having) < len(self.attackers):
                of = f"{len(having)} of {len(self.attackers)} attackers"
                skipped.append(f"'{names[0]}' against '{names[1]}' is known to {of} only")
        keys = list(beliefs)

        def describe(left: int, right: int) -> Belief:
            sides = [beliefs[keys[column]].tolist() for column in (left, right)]
            halves = [sum(weights, Fraction(0)) / 2 for weights in zip(*sides, strict=True)]
            prior = {space.name(w): half for w, half in enumerate(halves) if half}
            return Belief((keys[left][1], keys[right][1]), prior, place=keys[left][0] + 1)

        statement: dict[str, object] = {
            "rule": "secrets",
            "secrets": {n: np.flatnonzero(s.worlds).tolist() for n, s in secrets.items()},
            "pairs": [[left.name, right.name] for left, right in pairs],
            "priors": self.statement(space, pairs),
        }
        columns = {
            key: conditional(mechanism, prior, secrets[key[1]].worlds)
            for key, prior in beliefs.items()
        }
        return Comparisons(
            *compare(mechanism.outputs, columns, found, statement),
            describe,
            f"conditionals of {len(self.attackers)}",
            skipped,
            keys,
        )


def _check(name: Scalar, prior: Prior, secrets: dict[str, Secret], space: WorldSpace) -> None:
    secret = secrets.get(name.text)
    if secret is None:
        hint = choice(name.text, secrets, "secrets of the pairs")
        raise name.fail("S507", f"no pair has a secret '{name.text}'", hint)
    outside = np.flatnonzero(~secret.worlds)
    for world, weight in zip(outside, prior.weights.take(outside).tolist(), strict=True):
        if weight:
            where = f"'{name.text}' gives {weight} to {space.name(int(world))}"
            inside = space.names(np.flatnonzero(secret.worlds)[:20].tolist())
            hint = f"worlds of '{name.text}': {', '.join(inside)}"
            said = f"the distribution given {where}, which is not in it"
            raise name.fail("S507", said, hint)


def read(node: Node | None, space: WorldSpace) -> ConditionalPriors:
    """`priors: {conditionals: {secret: prior, …}}`, or a list of such mappings.

    node   what stands under the keyword; S501 for None
    space  the worlds
    """
    if node is None:
        raise InputError("S501", "'conditionals' needs distributions: {conditionals: {s: uniform}}")
    items = [node] if isinstance(node, Mapping) else node.sequence("{secret: prior, …}").items
    what = "a mapping from secrets to priors"
    attackers = tuple(
        tuple((name, read_prior(prior, space)) for name, prior in item.mapping(what=what).entries)
        for item in items
    )
    if not all(attackers) or not attackers:
        raise node.fail("S505", "the class of priors is empty: nothing would be checked")
    return ConditionalPriors(attackers)
