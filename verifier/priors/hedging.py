"""Records follow a known distribution with some weight, and an unknown one otherwise.

Syntax. `priors: {hedging: {weight: NUMBER, known: {VALUE: NUMBER, …}}}`

Options. Both are needed:
- `weight`: the weight of the known distribution, from 0 to 1
- `known`: the known distribution of a record, {value: probability, …}

Statement. f* is the known distribution, f any other one, a the weight of f*, n the number of
records. Given that record i has the value t, the other n − 1 records have (1 − a)·Π f + a·Π f*;
given that i is not in the data, all n records come from others, and have (1 − a)·Π f + a·Π f*.

Example. Whatever Ann has, Bob has the same distribution: her bit leaks 3, as under differential
privacy.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: {hedging: {weight: 1/10, known: {0: 1/2, 1: 1/2}}}
    checks:
      - pufferfish: {exp_epsilon: 3, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Section 7.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Node
from verifier.base.errors import InputError, NotDecided
from verifier.base.polynomial import Point, Polynomial, add, product
from verifier.priors._comparisons import by_pair, compare
from verifier.priors._polynomial import Variables, Weights, claim_of, need_records, occurring
from verifier.priors.list import conditional
from verifier.questions.beliefs.prior import Prior, column
from verifier.questions.beliefs.records import distribution, probability
from verifier.questions.beliefs.supports import GeneratedSupports, PairedSupports, bits
from verifier.questions.claim import ComparisonClaim, PolynomialsClaim
from verifier.questions.secrets import Pair, Pufferfish, Secret
from verifier.questions.witness import Belief
from verifier.world.single import others
from verifier.world.worlds import WorldSpace

Given = tuple[int, int] | None  # record i has the value t; None: nothing is given


@dataclass(frozen=True)
class HedgingPriors:
    """Given that record i is t, the other n − 1 records have (1−a)·Π f + a·Π f*; given that i is
    not in the data, all n records come from others, and have (1−a)·Π f + a·Π f*.

    weight  a, from 0 to 1; with 1 this is single-prior privacy
    known   f*, one probability per code of a value; f is any distribution

    The conditionals are given directly: the weight does not depend on the secret, so this is not
    a mixture of joint priors, whose weights an observation would change.
    """

    weight: Fraction
    known: tuple[Fraction, ...]

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> PairedSupports:
        """The worlds whose other records may have their values, for both secrets of a pair.

        space  the worlds
        pairs  the pairs of secrets

        With 0 < a < 1: those whose other records have only values that are possible under f*, or
        only values from a set. As a prior: both conditionals, with odds 1.
        """
        return by_pair(pairs, lambda s, t: self._both(space, _given(space, s), _given(space, t)))

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The weight, and f* over the values that occur in `space`, whatever the `pairs`."""
        known = [[_value(space, code), self.known[code]] for code in occurring(space)]
        return {"class": "hedging", "weight": self.weight, "known": known}

    def _both(self, space: WorldSpace, *given: tuple[int, int]) -> GeneratedSupports:
        """The supports of the conditionals given two secrets, with the same f; the values of the
        other records are atoms where f* does not allow them all."""
        rests: list[dict[int, list[int]]] = []
        for record, code in given:
            inside = np.flatnonzero(space.record_codes[record] == code)
            rows = np.delete(space.record_codes[:, inside], record, axis=0).T.tolist()
            rests.append(dict(zip(inside.tolist(), rows, strict=True)))
        atoms = {
            world: 0 if self._is_likely(rest) else bits(rest)
            for side in rests
            for world, rest in side.items()
            if self.weight < 1 or self._is_likely(rest)
        }
        codes = occurring(space)
        default = next((code for code in codes if self.known[code]), codes[0])

        def prior(chosen: int) -> dict[int, Fraction]:
            values = [code for code in codes if chosen >> code & 1] or [default]
            f = {code: Fraction(1, len(values)) for code in values}
            found: dict[int, Fraction] = {}
            for side in rests:
                weights = {world: self._weight(rest, f) for world, rest in side.items()}
                mass = 2 * exact.total(weights.values())
                found |= {world: weight / mass for world, weight in weights.items() if weight}
            return found

        return GeneratedSupports(atoms, cache(prior))

    def _is_likely(self, rest: Sequence[int]) -> bool:
        """Whether a > 0 and f* allows all values of the other records, or there are none."""
        return not rest or (self.weight > 0 and all(self.known[code] for code in rest))

    def _weight(self, rest: Sequence[int], f: Mapping[int, Fraction]) -> Fraction:
        """(1−a)·Π f + a·Π f* over the other records."""
        zero, one = Fraction(0), Fraction(1)
        unknown = prod((f.get(code, zero) for code in rest), start=one)
        known = prod((self.known[code] for code in rest), start=one)
        return (1 - self.weight) * unknown + self.weight * known

    def claim(self, question: Pufferfish) -> PolynomialsClaim | ComparisonClaim:
        """The claim of a `question` about secrets that give one record one value."""
        given = {name: _given(question.space, secret) for name, secret in question.secrets.items()}
        pairs = [(left.name, right.name) for left, right in question.pairs]
        return self.claim_about(question, given, pairs)

    def claim_about(
        self, question: Pufferfish, given: Mapping[str, Given], pairs: Sequence[tuple[str, str]]
    ) -> PolynomialsClaim | ComparisonClaim:
        """The claim about pairs of secrets that are described by what they give; with delta, of the
        known distribution alone, a comparison of columns.

        question  what is asked
        given     secret -> the record and the value that it gives, or None
        pairs     the names of the secrets that are compared
        """
        if question.delta and self.weight == 1:
            return self._comparison(question, given, pairs)
        space = question.space
        codes = occurring(space)
        names = tuple(space.value_names[code] for code in codes)
        variables = Variables((len(codes),))
        place = {code: at for at, code in enumerate(codes)}
        unit, known = exact.cleared(self.known)
        whole, (a,) = exact.cleared([self.weight])

        @cache
        def weight(rest: tuple[int, ...], times: int) -> Polynomial:
            n = len(rest)
            unknown = {variables.exponents([place[code] for code in rest]): unit**n}
            expected = product([variables.total(0)] * n, variables.count)
            likely = a * prod(known[code] for code in rest)
            mixed = add({m: (whole - a) * c for m, c in unknown.items()}, expected, likely)
            return {m: c * times for m, c in mixed.items() if c}

        weights: dict[str, Weights] = {}
        ways = space.ways()
        for name, what in given.items():
            left = _besides(space, what and what[0])
            inside = np.flatnonzero(_where(space, what)).tolist()
            weights[name] = {w: weight(left[w], ways[w]) for w in inside}

        def describe(pair: tuple[str, str], point: Point) -> Belief:
            total = Fraction(sum(point))
            model = {f"f({name})": x / total for name, x in zip(names, point, strict=True) if x}
            return Belief(pair, model)

        scope = question.scope("single prior" if self.weight == 1 else "hedging", ())
        statement = self._relation(space, given, pairs)
        return claim_of(question, variables, weights, pairs, statement, scope, describe)

    def _comparison(
        self, question: Pufferfish, given: Mapping[str, Given], pairs: Sequence[tuple[str, str]]
    ) -> ComparisonClaim:
        """That of the columns that the known distribution makes likely given each secret."""
        space, mechanism, columns = question.space, question.mechanism, {}
        ways = space.ways()
        for name, what in given.items():
            inside, rests = _where(space, what), _besides(space, what and what[0])
            weights = [
                count * prod(map(self.known.__getitem__, rest), start=Fraction(here))
                for here, count, rest in zip(inside.tolist(), ways, rests, strict=True)
            ]
            if any(weights):
                columns[0, name] = conditional(mechanism, Prior.of(column(weights)), inside)
        possible = [(s, t) for s, t in pairs if (0, s) in columns and (0, t) in columns]
        compared = [((0, s), (0, t)) for s, t in possible]
        keys = list(columns)

        def describe(left: int, right: int) -> Belief:
            known = {f"f({space.value_names[c]})": p for c, p in enumerate(self.known) if p}
            return Belief((keys[left][1], keys[right][1]), known)

        statement = self._relation(space, given, pairs)
        matrix, relation = compare(mechanism.outputs, columns, compared, statement)
        skipped = [f"{s}, {t} (one is impossible)" for s, t in pairs if (s, t) not in possible]
        return ComparisonClaim(
            question.definition,
            space,
            mechanism,
            matrix,
            relation,
            question.level,
            question.delta,
            describe,
            scope=question.scope("single prior", skipped),
            keys=keys,
        )

    def _relation(
        self, space: WorldSpace, given: Mapping[str, Given], pairs: Sequence[tuple[str, str]]
    ) -> dict[str, Any]:
        """What is compared, as it stands in a certificate."""
        return {
            "rule": "secrets",
            "secrets": {
                name: what and {"record": what[0], "value": _cells(space, *what)}
                for name, what in given.items()
            },
            "pairs": [list(pair) for pair in pairs],
            "priors": self.statement(space, ()),
        }


def read(node: Node | None, space: WorldSpace) -> HedgingPriors:
    """`priors: {hedging: {weight: a, known: {value: p}}}`.

    node   what stands under the keyword
    space  the worlds, made of records; S502 otherwise
    """
    if node is None:
        raise InputError("S501", "the class 'hedging' is {hedging: {weight: a, known: {value: p}}}")
    need_records(space, "the class 'hedging'")
    options = node.mapping(("weight", "known"), "hedging", needs="weight known")
    return HedgingPriors(
        probability(options["weight"]), tuple(distribution(options["known"], space))
    )


def _besides(space: WorldSpace, record: int | None) -> list[tuple[int, ...]]:
    """The codes of all records in each world of `space`, or of all but one, ascending."""
    if space.counts is not None:
        counts = space.counts if record is None else others(space)
        codes = range(len(counts))
        return [tuple(np.repeat(codes, row).tolist()) for row in counts.T]
    rows = space.record_codes if record is None else np.delete(space.record_codes, record, axis=0)
    return [tuple(sorted(row)) for row in rows.T.tolist()]


def _where(space: WorldSpace, what: Given) -> np.ndarray:
    """Boolean array: the worlds where a record has a value, or all."""
    if what is None:
        return np.ones(space.size, dtype=bool)
    found: np.ndarray = space.record_codes[what[0]] == what[1]
    return found


def _given(space: WorldSpace, secret: Secret) -> tuple[int, int]:
    """The one record and its value that a secret is about."""
    found = [
        (record, int(code))
        for record, row in enumerate(space.record_codes)
        for code in np.unique(row[secret.worlds])
        if np.array_equal(row == code, secret.worlds)
    ]
    if len(found) != 1:
        raise NotDecided(
            "hedging says what follows from one value of one record: the secret "
            f"'{secret.name}' is not that of exactly one record"
        )
    return found[0]


def _cells(space: WorldSpace, record: int, code: int) -> list[int]:
    """The entries of a record where it has a value, as a certificate has them."""
    entries = max(1, len(space.attributes))
    column = space.entry_codes[:, int(np.flatnonzero(space.record_codes[record] == code)[0])]
    return [int(c) for c in column[record * entries : (record + 1) * entries]]


def _value(space: WorldSpace, code: int) -> list[int]:
    """The entries of the first record that ever has a value."""
    return _cells(space, int(np.flatnonzero((space.record_codes == code).any(axis=1))[0]), code)
