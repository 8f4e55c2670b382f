"""Families of priors whose probabilities are polynomials in distributions that nobody knows.

The parameters are points of simplices. Given a secret, each world has a weight, a polynomial with
non-negative coefficients that is homogeneous in each simplex: then scaling a point scales
P(s) and P(s, o) alike, and the condition is about the sign of homogeneous polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import InputError, NotDecided
from verifier.base.polynomial import Exponents, Point, Polynomial, value_at
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.secrets import Pufferfish
from verifier.questions.witness import Belief
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class Variables:
    """The parameters: one group for each unknown distribution, of the given sizes."""

    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of variables."""
        return sum(self.sizes)

    def start(self, group: int) -> int:
        """The number of the first variable of a group."""
        return sum(self.sizes[:group])

    def exponents(self, variables: Iterable[int]) -> Exponents:
        """The exponents of a product of variables."""
        found = [0] * self.count
        for variable in variables:
            found[variable] += 1
        return tuple(found)

    def form(self, group: int, coefficients: Iterable[int]) -> Polynomial:
        """The linear form Σ c_v x_v of a `group`, c being its `coefficients`."""
        start = self.start(group)
        pairs = enumerate(coefficients)
        return {self.exponents([start + v]): c for v, c in pairs if c}

    def total(self, group: int) -> Polynomial:
        """The sum of a group."""
        return self.form(group, [1] * self.sizes[group])


def occurring(space: WorldSpace, record: int | None = None) -> list[int]:
    """The codes of the values that a record has, absence first.

    space   the worlds, made of records
    record  the number of the record; None: any
    """
    if space.counts is not None and record is None:
        codes = np.flatnonzero(space.counts.any(axis=1))
    else:
        codes = np.unique(space.record_codes if record is None else space.record_codes[record])
    found: list[int] = codes.tolist()
    absent = [code for code in found if code == space.absent_code]
    return [*absent, *(code for code in found if code != space.absent_code)]


def need_records(space: WorldSpace, what: str) -> None:
    """InputError S502, about `what` was asked, where `space` is not made of records."""
    if not space.records:
        raise needs_records("S502", what, space)


Weights = Mapping[int, Polynomial]  # of the worlds in a secret


def claim_of(
    question: Pufferfish,
    variables: Variables,
    weights: Mapping[str, Weights],
    pairs: Sequence[tuple[str, str]],
    statement: dict[str, Any],
    scope: Mapping[str, Any],
    describe: Callable[[tuple[str, str], Point], Belief],
) -> PolynomialsClaim:
    """The claim about given weights of the worlds in each secret.

    question   what is asked
    variables  the parameters of the weights
    weights    secret -> world -> its weight, a polynomial
    pairs      the names of the secrets that are compared
    statement  the pairs and the class as they stand in a certificate
    scope      what an answer quantifies over
    describe   pair, point -> the witness in the reader's terms
    """
    return PolynomialsClaim(
        question.definition,
        question.space,
        question.mechanism,
        question.level,
        question.delta,
        pairs,
        statement,
        variables.sizes,
        {name: _sums(question, found) for name, found in weights.items()},
        describe,
        scope=scope,
    )


def joint_claim(
    question: Pufferfish,
    variables: Variables,
    weight: Callable[[int], Polynomial],
    priors: dict[str, Any],
    said: str,
) -> PolynomialsClaim:
    """The claim about priors that give each world one weight, whatever the secret.

    question   what is asked
    variables  the parameters of the weights
    weight     world -> its weight, a polynomial
    priors     the class as it stands in a certificate
    said       the class in a few words
    """
    weights: dict[str, Weights] = {}
    known: dict[int, Polynomial] = {}
    for name, secret in question.secrets.items():
        inside = np.flatnonzero(secret.worlds).tolist()
        weights[name] = {w: known.setdefault(w, weight(w)) for w in inside}
    skipped = []
    for name, found in weights.items():
        if not any(found.values()):
            if question.secrets[name].named:
                raise InputError("S403", f"'{name}' has probability 0 under every prior")
            skipped.append(f"'{name}' has probability 0 under every prior")
    pairs = [(left.name, right.name) for left, right in question.pairs]
    statement = {
        "rule": "secrets",
        "secrets": {name: list(found) for name, found in weights.items()},
        "pairs": [list(pair) for pair in pairs],
        "priors": priors,
    }

    def describe(pair: tuple[str, str], point: Point) -> Belief:
        space = question.space
        masses = [Fraction(value_at(weight(w), point)) for w in range(space.size)]
        first, second = (sum((masses[w] for w in weights[name]), Fraction(0)) for name in pair)
        total = exact.total(masses)
        prior = {space.name(w): m / total for w, m in enumerate(masses) if m}
        return Belief(pair, prior, first / second)

    scope = question.scope(said, skipped)
    return claim_of(question, variables, weights, pairs, statement, scope, describe)


def _sums(question: Pufferfish, weights: Weights) -> tuple[Polynomial, list[Polynomial]]:
    """P(s) and all P(s, o), times the common denominator of the probabilities."""
    mechanism = question.mechanism
    unit, values = exact.cleared(mechanism.values)
    groups: dict[int, tuple[Polynomial, list[int]]] = {}
    for world, weight in weights.items():  # weights are shared objects where they are equal
        groups.setdefault(id(weight), (weight, []))[1].append(world)
    outputs = []
    for row in mechanism.codes:
        factors = [
            (weight, sum(values[code] for code in row[worlds].tolist()))
            for weight, worlds in groups.values()
        ]
        outputs.append(_combination(factors))
    return _combination([(w, unit * len(worlds)) for w, worlds in groups.values()]), outputs


def _combination(factors: Iterable[tuple[Polynomial, int]]) -> Polynomial:
    found: Polynomial = {}
    for polynomial, factor in factors:
        for exponents, coefficient in polynomial.items() if factor else ():
            found[exponents] = found.get(exponents, 0) + factor * coefficient
    return found


def unknown_records_claim(question: Pufferfish, priors: dict[str, Any]) -> PolynomialsClaim:
    """The claim about independent records, each with an unknown distribution of its own.

    question  what is asked
    priors    the class as it stands in a certificate

    With f_i the distribution of record i, θ(w) is proportional to Π_i f_i(w_i) over the worlds that
    exist (Kifer, Machanavajjhala 2014, Equation 25): a monomial in one simplex for each record.
    """
    space = question.space
    if space.counts is not None:
        raise NotDecided(
            "secrets of several records that are not told apart are not decided for independent "
            "records with a distribution each"
        )
    codes = [occurring(space, record) for record in range(len(space.records))]
    variables = Variables(tuple(map(len, codes)))
    places = [
        {code: variables.start(record) + at for at, code in enumerate(found)}
        for record, found in enumerate(codes)
    ]

    def weight(world: int) -> Polynomial:
        row = space.record_codes[:, world].tolist()
        chosen = [place[code] for place, code in zip(places, row, strict=True)]
        return {variables.exponents(chosen): 1}

    return joint_claim(question, variables, weight, priors, "product")
