"""Certificates of kind "runs": what 1, 2, 3, … independent runs leak under given priors, how odds
change along some runs, and when runs make certain which world or secret is the true one.

Runs are multisets of outputs: k of them have in world w a likelihood proportional to the product of
M[o, w], and leak the largest ratio of its means given two secrets. All multisets are tried.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm, prod
from operator import mul
from typing import Any

from .chains import ONE, ZERO, Chain, Runs
from .reading import (
    Rejected,
    afford,
    denominator,
    fields,
    indices,
    items,
    need,
    number,
    numbers,
    read_table,
)
from .relation import read_pair, read_secrets

HEAD = 96  # binary digits that settle most comparisons
FEW = 4  # runs in which no two multisets say the same, after which none are looked for
Vector = tuple[int, ...]
Prior = dict[int, Fraction]  # world -> probability > 0
Case = tuple[int, tuple[str, str]]  # the number of a prior, and two secrets that it allows


def check_runs(claim: Any, model: Any, relation: Any, evidence: Any) -> bool:
    """True if everything that is claimed is so; else raise."""
    fields(claim, "definition kind verdict digest steps alone rows certainty trajectories")
    fields(evidence, "alone rows")
    secrets, pairs = read_secrets(relation, model)
    runs, priors = _read_runs(claim["steps"], model), _read_priors(relation, model)
    _check_claimed(claim)
    afford(len(priors) * (len(pairs) + sum(1 + len(worlds) for worlds in secrets.values())))
    allowed = [[any(w in prior for w in secrets[name]) for name in secrets] for prior in priors]
    possible = [dict(zip(secrets, row, strict=True)) for row in allowed]
    cases = [
        (k, p) for k, names in enumerate(possible) for p in pairs if names[p[0]] and names[p[1]]
    ]
    leaks = Leaks(runs, priors, secrets, cases)
    need(len(claim["alone"]) in (0, len(runs.steps)), "one leakage for each step")
    shown = items(evidence["alone"])
    for k, (said, witness) in enumerate(zip(claim["alone"], shown, strict=True)):
        leaks.check([said], [witness], [runs.steps[k]])
    leaks.check(claim["rows"], evidence["rows"], runs.steps)
    for said in claim["trajectories"]:
        leaks.check_trajectory(said)
    chains: dict[int, Chain] = {}
    for entry in claim["certainty"]:
        (k,) = indices([entry["prior"]], len(priors))
        pair = None if entry["pair"] is None else read_pair(entry["pair"])
        need(pair is None or (k, pair) in leaks.cases, "no such pair under this prior", Rejected)
        if k not in chains:
            same = (other for other in claim["certainty"] if other["prior"] == k)
            longest = max(len(items(other["probability"])) for other in same)
            chains[k] = Chain(runs, priors[k], longest)
        chains[k].check(entry, pair and [secrets[name] for name in pair])
    return True


def _check_claimed(claim: Any) -> None:
    """Refuse a claim that says nothing."""
    alone, rows, paths, certain = (
        items(claim[key]) for key in ("alone", "rows", "trajectories", "certainty")
    )
    said = []
    for entry in certain:
        fields(entry, "prior pair fewest probability expected")
        said += [entry["probability"] or None, entry["fewest"], entry["expected"]]
    need(alone or rows or paths or said != [None] * len(said), "nothing is claimed")


def _read_priors(relation: Any, model: Any) -> list[Prior]:
    """The listed priors."""
    need(relation["rule"] == "secrets", "no secrets")
    fields(relation["priors"], "class priors")
    need(relation["priors"]["class"] == "list", "a class of priors other than list")
    found = []
    for listed in items(relation["priors"]["priors"]):
        weights = numbers(listed)
        fits = len(weights) == len(model["worlds"]) and min(weights) >= 0 and sum(weights) == 1
        need(fits, "a prior is no distribution on the worlds", Rejected)
        found.append({w: p for w, p in enumerate(weights) if p})
    return found


def _read_runs(steps: Any, model: Any) -> Runs:
    """The outputs of each step, whose probabilities sum to the same in every world."""
    values, columns = read_table(model)
    outputs = range(len(model["outputs"]))
    different = all(step and len(set(items(step))) == len(step) for step in items(steps))
    need(different, "a step is empty")
    needed = {o for step in steps for o in indices(step, len(outputs))}
    need(needed == set(outputs), "an output stands in no step")
    share = ONE  # of all outputs, as every column sums to 1
    if len(steps) > 1:
        shares = {
            sum((values[column[o]] for o in step), ZERO) for column in columns for step in steps
        }
        need(len(shares) == 1, "a step is no mechanism", Rejected)
        (share,) = shares
    chances = [Fraction(value, share) for value in values]
    return Runs(steps, [[chances[code] for code in column] for column in columns])


class Leaks:
    """What multisets of outputs tell about the secrets.

    rows     output -> likelihoods by class of worlds that no output tells apart, times its unit
    scales   a common unit over that of each class
    weights  prior and secret -> P(class | secret), times an integer of the prior
    """

    def __init__(
        self, runs: Runs, priors: list[Prior], secrets: dict[str, list[int]], cases: list[Case]
    ) -> None:
        self.runs, self.priors, self.secrets, self.cases = (
            runs,
            priors,
            secrets,
            dict.fromkeys(cases),
        )
        classes: dict[tuple[Fraction, ...], set[int]] = {}
        for w in sorted({w for prior in priors for w in prior}):
            classes.setdefault(tuple(runs.chance[w]), set()).add(w)
        units = list(map(denominator, classes))
        whole = [[int(p * u) for p in column] for column, u in zip(classes, units, strict=True)]
        self.rows: list[Vector] = list(zip(*whole, strict=True))
        self.scales = [lcm(*units) // unit for unit in units]
        self.weights: dict[tuple[int, str], list[Fraction]] = {}
        sides = {(k, name) for k, pair in cases for name in pair}
        afford(5 * len(sides) * sum(1 + len(members) for members in classes.values()))
        for k, name in sides:
            inside = {w: priors[k][w] for w in secrets[name] if w in priors[k]}
            all_of_it = sum(inside.values())
            sums = (
                sum((inside.get(w, ZERO) for w in members), ZERO) for members in classes.values()
            )
            self.weights[k, name] = [Fraction(p, all_of_it) for p in sums]

    def check(self, rows: Any, witnesses: Any, steps: list[list[int]]) -> None:
        """Reject levels that are not the smallest ones for 1, 2, 3, … runs."""
        need(not rows or self.cases, "nothing is compared", Rejected)
        for k, (said, witness) in enumerate(zip(rows, items(witnesses), strict=True)):
            self._check_witness(said, witness, [steps[i % len(steps)] for i in range(k + 1)])
        every, infinite = self._multisets(steps), False
        for k, said in enumerate(rows):
            need("infinite" in said or not infinite, "an infinite leakage stays", Rejected)
            infinite = "infinite" in said
            if not infinite:
                self._check_bound(next(every), number(said["exp_epsilon"]), k + 1)

    def _check_witness(self, said: Any, witness: Any, steps: list[list[int]]) -> None:
        """Reject a leakage that these outputs do not need."""
        fields(said, "infinite" if "infinite" in said else "exp_epsilon")
        if witness is None:
            need(said == {"exp_epsilon": "1"}, "a witness is missing", Rejected)
            return
        fields(witness, "prior pair outputs")
        (k,) = indices([witness["prior"]], len(self.priors))
        pair, outputs = read_pair(witness["pair"]), witness["outputs"]
        need((k, pair) in self.cases, "the witness is no pair of the relation", Rejected)
        indices(outputs, len(self.rows))
        fit = (o in step for o, step in zip(outputs, steps, strict=True))
        need(all(fit), "an output of another mechanism", Rejected)
        times = Counter(outputs)
        p, q = (self._mass(k, name, times) for name in pair)
        if "infinite" in said:
            need(repr(said) == "{'infinite': True}" and p > 0 == q, "not infinite", Rejected)
        else:
            alpha = number(said["exp_epsilon"])
            need(alpha >= 1 and p >= alpha * q > 0, "the leakage is too large", Rejected)

    def _mass(self, k: int, name: str, times: dict[int, int]) -> Fraction:
        """P(outputs | secret), in the order in which they stand."""
        prior, chance = self.priors[k], self.runs.chance
        inside = [w for w in self.secrets[name] if w in prior]
        likelihood = (
            prior[w] * prod((chance[w][o] ** n for o, n in times.items()), start=ONE)
            for w in inside
        )
        return Fraction(sum(likelihood, ZERO), sum(prior[w] for w in inside))

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
                need(fits, "the leakage is too small", Rejected)

    def _multisets(self, steps: list[list[int]]) -> Iterator[list[Vector]]:
        """Likelihoods of the multisets of 1, 2, 3, … outputs, up to factors and repetition.

        If all steps are one, a multiset is extended by the place of its last output or later ones;
        where several have the same likelihoods, by all places that any of them would be."""
        found: dict[Vector, int] = {(1,) * len(self.scales): 0}
        rows = [list(dict.fromkeys(_reduced(self.rows[o]) for o in step)) for step in steps]
        run, work, same = 0, 0, True
        while True:
            step, tried = rows[run % len(rows)], 0
            further: dict[Vector, int] = {}
            for vector, start in found.items():
                for place in range(start if len(rows) == 1 else 0, len(step)):
                    product = tuple(map(mul, vector, step[place]))
                    product = _reduced(product) if same else product
                    further[product] = min(place, further.get(product, place))
                    tried += 1
            run, work = run + 1, work + tried
            same = same and (run < FEW or len(further) < tried)
            afford(work * (50 + len(self.scales) + 2 * sum(len(self.scales) for _ in self.cases)))
            found = further
            yield list(found)

    def check_trajectory(self, said: Any) -> None:
        """Reject other odds of the pair after 0, 1, 2, … of the outputs; and, where a true world is
        named, outputs that are not its most likely multisets: p / (count + 1) grows greedily."""
        fields(said, "prior pair outputs odds world")
        self.runs.follows(said["outputs"])
        odds_after = items(said["odds"])
        (k,), pair = indices([said["prior"]], len(self.priors)), read_pair(said["pair"])
        need((k, pair) in self.cases, "no such pair", Rejected)
        prior, chance = self.priors[k], self.runs.chance
        sides = [{w: prior[w] for w in self.secrets[s] if w in prior} for s in pair]
        steps = self.runs.steps
        afford(10 * len(odds_after) * (sum(map(len, sides)) + max(map(len, steps))))
        times: Counter[int] = Counter()
        self._check_odds(sides, odds_after[0])
        for run, (output, odds) in enumerate(zip(said["outputs"], odds_after[1:], strict=True)):
            if said["world"] is not None:
                (row,) = (chance[w] for w in indices([said["world"]], len(chance)))
                gains = {o: Fraction(row[o], times[o] + 1) for o in steps[run % len(steps)]}
                need(gains[output] == max(gains.values()), "a less likely output", Rejected)
                times[output] += 1
            sides = [{w: x * chance[w][output] for w, x in side.items()} for side in sides]
            self._check_odds(sides, odds)

    @staticmethod
    def _check_odds(sides: list[Prior], odds: Any) -> None:
        """Reject other odds than those of the masses on both sides."""
        p, q = (sum(side.values(), ZERO) for side in sides)
        found = p > 0 if odds == "infinite" else q > 0 and p == number(odds) * q
        need(found and (odds != "infinite" or q == 0), "other odds", Rejected)


def _reduced(vector: Vector) -> Vector:
    factor = gcd(*vector)
    return vector if factor <= 1 else tuple([x // factor for x in vector])
