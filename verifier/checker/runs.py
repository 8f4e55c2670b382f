"""Certificates of kind "runs": what 1, 2, 3, … independent runs leak under given priors, how odds
change along some runs, and when runs make certain which world or secret is the true one.

Runs are multisets of outputs: k of them have in world w a likelihood proportional to the product of
M[o, w], and leak the largest ratio of its means given two secrets. All multisets are tried.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from math import gcd, lcm, prod
from operator import mul
from typing import Any

from .chains import Chain, Prior, Runs, read_runs
from .reading import (
    COMMON,
    ONE,
    ZERO,
    Budget,
    afford,
    denominator,
    distribution,
    fields,
    grouped,
    index,
    indices,
    items,
    need,
    number,
    prove,
    whole,
)
from .relation import Pair, Secrets, read_pair, read_secrets

HEAD = 96  # binary digits that settle most comparisons
FEW = 4  # runs in which no two multisets say the same, after which none are looked for
Vector = tuple[int, ...]


def check_runs(claim: Any, model: Any, relation: Any, evidence: Any) -> bool:
    """True if the `evidence` proves all that a `claim` says of a `model` and the given priors of a
    `relation`; else raise."""
    parts = fields(claim, f"{COMMON} steps alone rows certainty trajectories")[-5:]
    steps, (alone, rows, certainty, paths) = parts[0], map(items, parts[1:])
    shown, witnesses = fields(evidence, "alone rows")
    leaks = _read_leaks(steps, model, relation)
    said = [_says(entry) for entry in certainty]
    need(alone or rows or paths or any(said), "nothing is claimed")
    need(len(alone) in (0, len(steps)), "one leakage for each step")
    for step, leakage, witness in zip(steps if alone else [], alone, items(shown), strict=True):
        leaks.check([leakage], [witness], [step])
    leaks.check(rows, witnesses, steps)
    for path in paths:
        leaks.check_trajectory(path)
    leaks.check_certainty(certainty)
    return True


def _says(entry: Any) -> bool:
    """Whether an entry of certainty says anything."""
    _, _, *parts = fields(entry, "prior pair fewest probability expected")
    return any(part is not None and part != [] for part in parts)


def _read_leaks(steps: Any, model: Any, relation: Any) -> "Leaks":
    """The runs of these steps, the secrets and the listed priors."""
    (secrets, pairs), runs = read_secrets(relation, model), read_runs(steps, model)
    need(relation["rule"] == "secrets", "no secrets")
    kind, listed = fields(relation["priors"], "class priors")
    need(kind == "list", "a class of priors other than list")
    weights = [distribution(prior, len(model["worlds"]), "a prior") for prior in items(listed)]
    priors = [{w: p for w, p in enumerate(prior) if p} for prior in weights]
    afford(len(priors) * (len(pairs) + sum(1 + len(worlds) for worlds in secrets.values())))
    return Leaks(runs, priors, secrets, pairs)


class Leaks:
    """What multisets of outputs tell about two secrets that a prior allows.

    inside   prior and secret -> the prior on the worlds of the secret
    cases    prior and pair of secrets that it allows
    rows     output -> likelihoods by class of worlds that no output tells apart, times its unit
    scales   a common unit over that of each class
    weights  prior and secret -> P(class | secret), times an integer of the prior
    """

    def __init__(
        self, runs: Runs, priors: list[Prior], secrets: Secrets, pairs: list[Pair]
    ) -> None:
        self.runs, self.priors, self.secrets = runs, priors, secrets
        sides = [(k, name) for k in range(len(priors)) for name in secrets]
        self.inside = {(k, s): _restricted(priors[k], secrets[s]) for k, s in sides}
        self.cases = dict.fromkeys(
            (k, (s, t))
            for k in range(len(priors))
            for s, t in pairs
            if self.inside[k, s] and self.inside[k, t]
        )
        worlds = sorted(set[int]().union(*priors))
        classes = grouped(tuple(runs.chance[w]) for w in worlds)
        integers = [whole(column) for column in classes]
        self.rows: list[Vector] = list(zip(*(row for _, row in integers), strict=True))
        self.scales = [lcm(*(unit for unit, _ in integers)) // unit for unit, _ in integers]
        compared = {(k, name) for k, pair in self.cases for name in pair}
        afford(5 * len(compared) * (len(classes) + len(worlds)))
        self.weights = {side: _shares(self.inside[side], worlds, classes) for side in compared}

    def check(self, rows: Any, witnesses: Any, steps: list[list[int]]) -> None:
        """Reject levels (`rows`) that are not the smallest ones for 1, 2, 3, … runs of `steps`; the
        `witnesses` are outputs that need them."""
        prove(not rows or self.cases, "nothing is compared")
        for k, (said, witness) in enumerate(zip(rows, items(witnesses), strict=True)):
            self._check_witness(said, witness, [steps[i % len(steps)] for i in range(k + 1)])
        every, infinite = self._multisets(steps), False
        for k, said in enumerate(rows):
            prove("infinite" in said or not infinite, "an infinite leakage stays")
            infinite = "infinite" in said
            if not infinite:
                self._check_bound(next(every), number(said["exp_epsilon"]), k + 1)

    def _check_witness(self, said: Any, witness: Any, steps: list[list[int]]) -> None:
        """Reject a leakage that these outputs do not need."""
        fields(said, "infinite" if "infinite" in said else "exp_epsilon")
        if witness is None:
            prove(said == {"exp_epsilon": "1"}, "a witness is missing")
            return
        prior, names, outputs = fields(witness, "prior pair outputs")
        k, pair = index(prior, len(self.priors)), read_pair(names)
        prove((k, pair) in self.cases, "the witness is no pair of the relation")
        indices(outputs, len(self.rows))
        fit = (o in step for o, step in zip(outputs, steps, strict=True))
        prove(all(fit), "an output of another mechanism")
        p, q = (self._mass(self.inside[k, name], Counter(outputs)) for name in pair)
        if "infinite" in said:
            prove(repr(said) == "{'infinite': True}" and p > 0 == q, "not infinite")
        else:
            alpha = number(said["exp_epsilon"])
            prove(alpha >= 1 and p >= alpha * q > 0, "the leakage is too large")

    def _mass(self, inside: Prior, times: dict[int, int]) -> Fraction:
        """P(outputs | secret), in the order in which they stand."""
        chance = self.runs.chance
        likelihood = (
            p * prod((chance[w][o] ** n for o, n in times.items()), start=ONE)
            for w, p in inside.items()
        )
        return Fraction(sum(likelihood), sum(inside.values()))

    def _check_bound(self, multisets: Sequence[Vector], alpha: Fraction, runs: int) -> None:
        """Reject a level that some multiset exceeds. Heads of long numbers, rounded against the
        claim, mostly settle it."""
        scales = [scale**runs for scale in self.scales]
        for k, pair in self.cases:
            ps, qs = (self.weights[k, name] for name in pair)
            unit = denominator([*ps, *qs])
            least = [int(p * unit) * s * alpha.denominator for p, s in zip(ps, scales, strict=True)]
            most = [int(q * unit) * s * alpha.numerator for q, s in zip(qs, scales, strict=True)]
            cut = max(0, max(map(int.bit_length, (*least, *most))) - HEAD)
            heads = [(q >> cut) + (-p >> cut) for p, q in zip(least, most, strict=True)]
            gains = [q - p for p, q in zip(least, most, strict=True)]
            for v in multisets:
                fits = sum(map(mul, heads, v)) >= 0 or sum(map(mul, gains, v)) >= 0
                prove(fits, "the leakage is too small")

    def _multisets(self, steps: list[list[int]]) -> Iterator[list[Vector]]:
        """Likelihoods of the multisets of 1, 2, 3, … outputs, up to factors and repetition.

        If all steps are one, a multiset is extended by the place of its last output or later ones;
        where several have the same likelihoods, by all places that any of them would be."""
        found: dict[Vector, int] = {(1,) * len(self.scales): 0}
        rows = [list(dict.fromkeys(_reduced(self.rows[o]) for o in step)) for step in steps]
        budget, each, same = Budget(), 50 + len(self.scales) * (1 + 2 * len(self.cases)), True
        for run in count(1):
            step, tried = rows[(run - 1) % len(rows)], 0
            further: dict[Vector, int] = {}
            for vector, start in found.items():
                for place in range(start if len(rows) == 1 else 0, len(step)):
                    product = tuple(map(mul, vector, step[place]))
                    product = _reduced(product) if same else product
                    further[product] = min(place, further.get(product, place))
                    tried += 1
            same = same and (run < FEW or len(further) < tried)
            budget.spend(tried * each)
            found = further
            yield list(found)

    def check_trajectory(self, said: Any) -> None:
        """Reject other odds than are `said` of a pair after 0, 1, 2, … of the outputs; and, where a
        true world is named, outputs that are not its most likely multisets: p / (count + 1) grows
        greedily."""
        prior, names, outputs, odds, world = fields(said, "prior pair outputs odds world")
        self.runs.follows(outputs)
        k, pair = index(prior, len(self.priors)), read_pair(names)
        prove((k, pair) in self.cases, "no such pair")
        sides, steps = [self.inside[k, name] for name in pair], self.runs.steps
        afford(10 * len(items(odds)) * (sum(map(len, sides)) + max(map(len, steps))))
        _check_odds(sides, odds[0])
        times: Counter[int] = Counter()
        for run, (o, after) in enumerate(zip(outputs, odds[1:], strict=True)):
            if world is not None:
                row = self.runs.chance[index(world, len(self.runs.chance))]
                gains = {x: Fraction(row[x], times[x] + 1) for x in steps[run % len(steps)]}
                prove(gains[o] == max(gains.values()), "a less likely output")
                times[o] += 1
            sides = [{w: p * self.runs.chance[w][o] for w, p in side.items()} for side in sides]
            _check_odds(sides, after)

    def check_certainty(self, certainty: list[Any]) -> None:
        """Reject what `certainty` says falsely of when runs make certain."""
        longest: dict[int, int] = {}
        for entry in certainty:
            k = index(entry["prior"], len(self.priors))
            longest[k] = max(longest.get(k, 0), len(items(entry["probability"])))
        chains = {k: Chain(self.runs, self.priors[k], most) for k, most in longest.items()}
        for entry in certainty:
            k, pair = entry["prior"], None if entry["pair"] is None else read_pair(entry["pair"])
            prove(pair is None or (k, pair) in self.cases, "no such pair under this prior")
            chains[k].check(entry, pair and [self.secrets[name] for name in pair])


def _restricted(prior: Prior, worlds: list[int]) -> Prior:
    return {w: prior[w] for w in worlds if w in prior}


def _shares(inside: Prior, worlds: list[int], classes: dict[Any, list[int]]) -> list[Fraction]:
    """P(class | secret), for classes of places in a list of worlds."""
    mass = [inside.get(w, ZERO) for w in worlds]
    return [Fraction(sum(mass[k] for k in ks), sum(inside.values())) for ks in classes.values()]


def _check_odds(sides: list[Prior], odds: Any) -> None:
    """Reject other odds than those of the masses on both sides."""
    p, q = (sum(side.values(), ZERO) for side in sides)
    found = p > 0 if odds == "infinite" else q > 0 and p == number(odds) * q
    prove(found and (odds != "infinite" or q == 0), "other odds")


def _reduced(vector: Vector) -> Vector:
    factor = gcd(*vector)
    return vector if factor <= 1 else tuple([x // factor for x in vector])
