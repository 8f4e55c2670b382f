"""Mechanisms that leak nothing once and reveal a secret when run twice (Bai, He, Gu, Kifer, Maeng,
Section 4), for given secrets and priors.

A row x of likelihoods leaks nothing when Σ_w θ(w | s) x_w = Σ_w θ(w | t) x_w for every pair (s, t)
and every prior θ that allows both. These x >= 0 form a cone, which contains (1, …, 1); so for two
of its points x, y and a small step c the outputs c·x, c·y and 1 − c·x − c·y are a mechanism of zero
leakage. If a world D of s has x_D, y_D > 0 and no world of t that some prior allows together with D
has both, then in D two runs may give the first and the second output, and then t is ruled out.
Extreme rays suffice: each x is a sum of rays, and one of them has D.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import lcm

from verifier.studies.search.example import Example

Ray = dict[str, int]  # world -> entry > 0

MOST_RAYS = 5000


def collapse(about: Example) -> Example | None:
    """The example with a mechanism of at most three outputs that leaks nothing once, and after two
    runs has ruled out a secret with positive probability; None where there is none. Its own
    mechanism plays no part. Raises LimitReached where the cone has too many extreme rays.
    """
    found = rays(about)
    for prior in about.priors:
        for pair in about.pairs:
            for s, t in (pair, pair[::-1]):
                inside = [w for w in about.secrets[s] if prior.get(w)]
                others = {w for w in about.secrets[t] if prior.get(w)}
                for x, y in _candidates(inside if others else (), found):
                    if others.isdisjoint(x.keys() & y.keys()):
                        return _with_outputs(about, x, y)
    return None


def rays(about: Example) -> list[Ray]:
    """The extreme rays of the cone of zero leakage, in integers; those with few worlds first."""
    from verifier.lp.exact.double_description import dual

    size = len(about.worlds)
    rows = [[int(w == at) for w in range(size)] for at in range(size)]
    for equation in equations(about):
        rows += [equation, [-value for value in equation]]
    found = [dict(zip(about.worlds, ray, strict=True)) for ray in dual(rows, MOST_RAYS).rays]
    positive = [{w: value for w, value in ray.items() if value} for ray in found]
    return sorted(positive, key=len)


def equations(about: Example) -> Iterator[list[int]]:
    """What zero leakage asks of a row, in integers."""
    for prior in about.priors:
        for s, t in about.pairs:
            mass = [sum(prior.get(w, Fraction(0)) for w in about.secrets[x]) for x in (s, t)]
            if all(mass):
                values = {w: prior.get(w, Fraction(0)) / mass[0] for w in about.secrets[s]}
                values |= {w: -prior.get(w, Fraction(0)) / mass[1] for w in about.secrets[t]}
                row = [values.get(w, Fraction(0)) for w in about.worlds]
                common = lcm(*(value.denominator for value in row))
                yield [int(value * common) for value in row]


def _candidates(inside: Sequence[str], found: Sequence[Ray]) -> Iterator[tuple[Ray, Ray]]:
    """Pairs of rays that have a world in common."""
    for world in inside:
        yield from combinations([ray for ray in found if world in ray], 2)


def _with_outputs(about: Example, x: Ray, y: Ray) -> Example:
    """Outputs with likelihoods proportional to x and y, as large as possible, and the rest."""
    most = max(x.get(w, 0) + y.get(w, 0) for w in about.worlds)
    rows = {}
    for w in about.worlds:
        row: dict[str, Fraction] = {
            "first": Fraction(x.get(w, 0), most),
            "second": Fraction(y.get(w, 0), most),
        }
        row["neither"] = 1 - sum(row.values(), Fraction(0))
        rows[w] = {output: p for output, p in row.items() if p}
    used = {output for row in rows.values() for output in row}
    outputs = tuple(o for o in ("first", "second", "neither") if o in used)
    return replace(about, outputs=outputs, rows=rows)
