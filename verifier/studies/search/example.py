"""An example: worlds, secrets, priors and one mechanism, all written out. It can be made simpler,
and written as a spec file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from verifier.base.level import Level
from verifier.beliefs.prior import prior_of
from verifier.claims.question import Question
from verifier.claims.secrets import Secret
from verifier.definitions import composition, pufferfish
from verifier.mechanisms.repeat import repeated
from verifier.priors.list import ListedPriors
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import named

Weights = Mapping[str, Fraction]  # world or output -> probability

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 60, 100, 1000, 10**6)


@dataclass(frozen=True)
class Example:
    """Finitely many worlds, each with its distribution over the outputs.

    secrets  name -> its worlds
    pairs    of names of secrets
    priors   distributions over the worlds
    rows     world -> distribution over the outputs; outputs without an entry have probability 0
    """

    worlds: tuple[str, ...]
    secrets: Mapping[str, tuple[str, ...]]
    pairs: tuple[tuple[str, str], ...]
    priors: tuple[Weights, ...]
    outputs: tuple[str, ...]
    rows: Mapping[str, Weights]

    def question(
        self, keyword: str, level: Level, delta: Fraction = Fraction(0), runs: int = 1
    ) -> Question:
        """What `pufferfish` or `composition` asks of so many runs of the mechanism.

        InputError where the example is none.
        """
        space = named(self.worlds)
        secrets = {
            secret: Secret(secret, np.isin(self.worlds, worlds), named=True)
            for secret, worlds in self.secrets.items()
        }
        pairs = [(secrets[s], secrets[t]) for s, t in self.pairs]
        priors = [[Fraction(prior.get(w, 0)) for w in self.worlds] for prior in self.priors]
        known = ListedPriors(tuple(prior_of(space, prior) for prior in priors))
        one = mechanism_of(self.worlds, self.outputs, self.rows)
        several = one if runs == 1 else repeated(one, runs)
        if keyword == "composition":
            return composition.question(
                space=space, mechanisms=[("", several)], level=level, pairs=pairs, priors=known
            )
        return pufferfish.question(
            space=space, mechanism=several, level=level, delta=delta, pairs=pairs, priors=known
        )

    def order(self) -> tuple[int, int, int, int]:
        """Fewer worlds, then fewer outputs, then smaller denominators, then smaller numerators."""
        used = [p for row in (*self.rows.values(), *self.priors) for p in row.values()]
        below = sum(p.denominator for p in used)
        return len(self.worlds), len(self.outputs), below, sum(p.numerator for p in used)

    def simpler(self) -> Iterator[Example]:
        """Without a world; two outputs merged; probabilities with smaller denominators."""
        yield from (found for w in self.worlds if (found := self.without(w)) is not None)
        yield from (self.merged(a, b) for a, b in combinations(self.outputs, 2))
        for denominator in DENOMINATORS:
            rows = {w: rounded(row, denominator) for w, row in self.rows.items()}
            priors = tuple(rounded(prior, denominator) for prior in self.priors)
            yield replace(self, rows=rows, priors=priors)
            yield replace(self, rows=rows)
            yield replace(self, priors=priors)
            for w in self.worlds:
                yield replace(self, rows={**self.rows, w: rows[w]})

    def without(self, world: str) -> Example | None:
        """The example without a world, its priors conditioned on the others; None where a secret or
        a prior has no other world."""
        secrets = {s: tuple(w for w in of if w != world) for s, of in self.secrets.items()}
        priors = tuple(conditioned(prior, world) for prior in self.priors)
        if not all(secrets.values()) or not all(priors):
            return None
        rows = {w: row for w, row in self.rows.items() if w != world}
        used = {o for row in rows.values() for o in row}
        return replace(
            self,
            worlds=tuple(w for w in self.worlds if w != world),
            secrets=secrets,
            priors=priors,
            outputs=tuple(o for o in self.outputs if o in used),
            rows=rows,
        )

    def merged(self, first: str, second: str) -> Example:
        """The example in which the second output is called the first."""
        rows = {}
        for world, row in self.rows.items():
            found = {o: p for o, p in row.items() if o != second}
            if second in row:
                found[first] = found.get(first, Fraction(0)) + row[second]
            rows[world] = found
        return replace(self, outputs=tuple(o for o in self.outputs if o != second), rows=rows)

    def spec(self, title: str, source: str, checks: Sequence[str]) -> str:
        """The spec file with these checks, each one line or more of YAML; its mechanisms are `once`
        and, the same run twice, `twice`."""
        lines = [f"title: {name(title)}", f"source: {name(source)}"]
        lines.append(f"worlds: [{', '.join(map(name, self.worlds))}]")
        lines.append("secrets:")
        for secret, worlds in self.secrets.items():
            lines.append(f"  {name(secret)}: [{', '.join(map(name, worlds))}]")
        pairs = (f"[{name(s)}, {name(t)}]" for s, t in self.pairs)
        lines += [f"pairs: [{', '.join(pairs)}]", "priors:", "  list:"]
        lines += [f"    - worlds: {weights(prior)}" for prior in self.priors]
        lines += ["mechanisms:", "  once:", "    table:"]
        lines.append(f"      outputs: [{', '.join(map(name, self.outputs))}]")
        for world in self.worlds:
            row = (str(self.rows[world].get(o, 0)) for o in self.outputs)
            lines.append(f"      {name(world)}: [{', '.join(row)}]")
        lines.append("  twice: {repeat: {of: once, runs: 2}}")
        lines.append("checks:")
        for check in checks:
            first, *rest = check.splitlines()
            lines += [f"  - {first}", *(f"    {line}" for line in rest)]
        return "\n".join(lines) + "\n"


def mechanism_of(
    worlds: Sequence[str], outputs: Sequence[str], rows: Mapping[str, Weights]
) -> Mechanism:
    """The mechanism with these rows of probabilities, one for each world."""
    return Mechanism.from_rows(outputs, [[rows[w].get(o, 0) for w in worlds] for o in outputs])


def name(text: str) -> str:
    """A text as a scalar of YAML that is read as this text."""
    if PLAIN.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


def weights(given: Weights) -> str:
    """A distribution as a mapping of YAML."""
    return "{" + ", ".join(f"{name(key)}: {p}" for key, p in given.items()) + "}"


def conditioned(prior: Weights, world: str) -> Weights:
    """The prior given that the world is another one; empty where it cannot be."""
    rest = {w: p for w, p in prior.items() if w != world and p}
    total = sum(rest.values(), Fraction(0))
    return {w: p / total for w, p in rest.items()}


def rounded(given: Weights, denominator: int) -> Weights:
    """A distribution close to the given one in multiples of 1/denominator: rounded down, and what
    is missing added one by one where most was lost. Entries that become 0 are left out."""
    shares = {key: p * denominator for key, p in given.items()}
    whole = {key: int(share) for key, share in shares.items()}
    lost = sorted(given, key=lambda key: whole[key] - shares[key])  # most lost first; stable
    for key in lost[: denominator - sum(whole.values())]:
        whole[key] += 1
    return {key: Fraction(count, denominator) for key, count in whole.items() if count}
