"""Certificates of kind "composable": priors with one possible world in each secret; or a mechanism
that leaks a finite amount once, and without bound in two runs."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from .reading import (
    ONE,
    Table,
    afford,
    distribution,
    fields,
    index,
    indices,
    items,
    need,
    number,
    prove,
    read_table,
    read_vacuous,
)
from .relation import Pair, Secrets, read_pair, read_secrets

Prior = list[Fraction]


@dataclass(frozen=True)
class Class:
    """Given priors, one by one (list) or with all their mixtures (hull); or any priors."""

    kind: str
    priors: list[Prior]
    secrets: Secrets
    pairs: list[Pair]

    def counts(self) -> list[dict[str, int]]:
        """The number of possible worlds of each secret under each prior; of mixtures, under one of
        all priors; without given priors, all worlds."""
        sizes = {name: len(worlds) for name, worlds in self.secrets.items()}
        afford(10 * (1 + len(self.priors)) * (len(sizes) + sum(sizes.values())))
        if self.kind == "any":
            return [sizes]
        mixed = [list(map(max, zip(*self.priors, strict=True)))]
        listed = mixed if self.kind == "hull" else self.priors
        return [{name: self.possible(prior, name) for name in sizes} for prior in listed]

    def possible(self, prior: Prior, name: str) -> int:
        """The number of worlds of a secret, by its `name`, that a `prior` makes possible."""
        return sum(prior[w] > 0 for w in self.secrets[name])

    def run(self, table: Table, prior: Prior, name: str, outputs: list[int]) -> Fraction:
        """P(`outputs` of independent runs | secret of this `name`) under a `prior`; the `table` has
        the probabilities of one run."""
        values, columns = table
        worlds = [w for w in self.secrets[name] if prior[w]]
        mass = sum(prior[w] for w in worlds)
        prove(mass, "the prior does not allow the secret")
        seen = (prior[w] * prod(values[columns[w][o]] for o in outputs) for w in worlds)
        return Fraction(sum(seen), mass)

    def once(self, table: Table) -> Fraction:
        """The leakage of one run of a `table`, over both secrets under one prior; for mixtures
        under any two, which no mixture exceeds."""
        worst, mixed, outputs = ONE, self.kind == "hull", range(len(table.columns[0]))
        sizes = sum(len(self.secrets[s]) + len(self.secrets[t]) for s, t in self.pairs)
        times = len(self.priors) ** (1 + mixed)
        afford(8 * times * (len(self.pairs) + sizes * len(outputs)))
        both = product(self.priors, repeat=2) if mixed else ((p, p) for p in self.priors)
        for (p, q), (s, t) in product(both, self.pairs):
            for o in outputs if self.possible(p, s) and self.possible(q, t) else ():
                left, right = self.run(table, p, s, [o]), self.run(table, q, t, [o])
                prove(left == 0 or right > 0, "one run leaks without bound")
                worst = max(worst, Fraction(left, right)) if left else worst
        return worst


def check_composable(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the priors of a `relation` are of the form that composes, if the `witness` proves the
    `claim` about the `model`; else raise."""
    priors = _read_class(relation, model)
    counts = priors.counts()
    afford(4 * len(counts) * len(priors.pairs))
    sides = [(count[s], count[t]) for count in counts for s, t in priors.pairs]
    read_vacuous(claim, "one_run", not any(here and there for here, there in sides))
    if witness is None:
        need(claim["one_run"] is None and "columns" not in model, "nothing is run")
        several = any(here > 1 and (there or priors.kind == "any") for here, there in sides)
        prove(not several, "several worlds of a secret are possible")
        return True
    table, (k, pair, outputs) = read_table(model), fields(witness, "prior pair outputs")
    prior, (s, t) = priors.priors[index(k, len(priors.priors))], read_pair(pair)
    prove((s, t) in priors.pairs, "the witness is about no pair")
    indices(outputs, len(model["outputs"]))
    never, seen = priors.run(table, prior, s, outputs), priors.run(table, prior, t, outputs)
    prove(never == 0 and seen and len(outputs) == 2, "two runs do not tell")
    prove(priors.once(table) == number(claim["one_run"]), "one run leaks another amount")
    return False


def _read_class(relation: Any, model: Any) -> Class:
    """The class of priors, and the secrets."""
    need(relation["rule"] == "secrets", "the relation is of pairs of secrets")
    (secrets, pairs), stated = read_secrets(relation, model), relation["priors"]
    kind, size = stated["class"], len(model["worlds"])
    need(kind in ("any", "list", "hull"), "no such class of priors")
    if kind == "any":
        fields(stated, "class")
        return Class(kind, [], secrets, pairs)
    priors = [distribution(prior, size) for prior in items(fields(stated, "class priors")[1])]
    need(priors, "there are priors")
    return Class(kind, priors, secrets, pairs)
