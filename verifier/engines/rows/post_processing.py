"""Mixtures of post-processings of given mechanisms: one of them, or payoffs that refute it.

Example. Of a bit that is told with probability 3/4, and turned round with probability 1/4, the
truth is left with 3/4 · 3/4 + 1/4 · 1/4 = 5/8. With 7/8 it cannot be made: paid 1 for each world
that is guessed, it earns 7/8 + 7/8, and no post-processing earns more than 3/4 + 3/4.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.3 and Theorem 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from verifier.base import exact
from verifier.questions.answer import Answer, Proof
from verifier.questions.evidence import (
    PayoffEvidence,
    SaidValue,
    Weights,
    WeightsEvidence,
)
from verifier.questions.rows import PostProcessingClaim
from verifier.questions.witness import Mixture, Part, PayoffWitness, RowPayoffWitness
from verifier.world.mechanism import Mechanism, proportional_outputs

if TYPE_CHECKING:
    from verifier.lp.channels import Channel
    from verifier.lp.model.integers import IntegerMatrix
    from verifier.lp.model.program import Outcome, Vector


@dataclass(frozen=True, eq=False)
class Merged:
    """A mechanism on some worlds, with proportional rows added up and impossible ones left out.

    groups  the outputs of each row
    rows    shape (groups, worlds), integers over `scale`; where there are powers of e, the numbers
            themselves, and the scale is 1
    """

    mechanism: Mechanism
    groups: Sequence[Sequence[int]]
    rows: np.ndarray
    scale: int

    @property
    def is_rational(self) -> bool:
        """Whether no number has powers of e."""
        return not any(map(exact.is_irrational, self.mechanism.values))

    @cached_property
    def channel(self) -> Channel:
        """The rows as columns of a channel."""
        from verifier.lp.channels import Channel

        return Channel(matrix(self.rows.T), self.scale)

    def shares(self, group: int) -> Iterator[tuple[int, Fraction]]:
        """The outputs of a group, and their shares of its row."""
        codes = self.mechanism.codes[self.groups[group]]
        world = int(codes[0].argmax())
        masses = [self.mechanism.values[code] for code in codes[:, world].tolist()]
        for output, mass in zip(self.groups[group], masses, strict=True):
            yield output, mass / sum(masses)


def different_worlds(mechanisms: Sequence[Mechanism]) -> list[int]:
    """The first of all worlds that are the same to all of the mechanisms."""
    codes = np.concatenate([mechanism.codes for mechanism in mechanisms])
    first: dict[bytes, int] = {}
    for world, column in enumerate(np.ascontiguousarray(codes.T)):
        first.setdefault(column.tobytes(), world)
    return list(first.values())


def merged(mechanism: Mechanism, worlds: Sequence[int]) -> Merged:
    """The mechanism on these worlds."""
    groups = [g for g in proportional_outputs(mechanism) if _possible(mechanism, g[0])]
    scale, whole = exact.in_integers(mechanism.values)
    rational = not any(map(exact.is_irrational, whole))
    table = np.array(whole, dtype=np.int64 if rational and scale < 2**31 else object)
    codes = mechanism.codes[:, worlds]
    rows = np.array([table[codes[group]].sum(axis=0) for group in groups])
    return Merged(mechanism, groups, rows, scale)


def _possible(mechanism: Mechanism, output: int) -> bool:
    return bool(mechanism.values[int(mechanism.codes[output].max())])


def matrix(rows: np.ndarray) -> IntegerMatrix:
    """The rows of a dense matrix of integers as a sparse one."""
    from verifier.lp.model.integers import IntegerMatrix

    filled = rows != 0
    ends = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    return IntegerMatrix(rows.shape, ends, np.nonzero(filled)[1], rows[filled])


SHOWN = 64  # entries of a matrix written out in a report
FACET = 2**16  # entries of generators up to which a facet is looked for
SIZES = (*range(1, 13), *(2**bits for bits in range(4, 31)))  # of rounded payoffs

Payoff = Mapping[int, Sequence[int]]  # output -> what it pays in each world; 0 for other outputs


def decide(claim: PostProcessingClaim) -> Answer:
    """The mixture that a claim asks for, or payoffs."""
    return told(claim, prove(claim))


def prove(claim: PostProcessingClaim) -> Proof:
    """The proof of the answer to a claim; single rows first where that is less work."""
    from verifier.lp.mixtures import Mixture as Found
    from verifier.lp.mixtures import NoMixture, mixture

    worlds = different_worlds([claim.mechanism, *claim.given.values()])
    wanted = merged(claim.mechanism, worlds)
    given = [merged(mechanism, worlds) for mechanism in claim.given.values()]
    if not all(part.is_rational for part in (wanted, *given)):
        return _in_field(claim, given, wanted, worlds)
    channels = [part.channel for part in given]
    found = mixture(channels, wanted.channel) if len(given) == 1 else None
    if not isinstance(found, Found):
        row = _row_outside(given, wanted)
        if row is not None:
            return _refuted(claim, _everywhere(*row, worlds, claim))
        found = found or mixture(channels, wanted.channel)
    if isinstance(found, NoMixture):
        return _refuted(claim, _payoff(found.payoff, given, wanted, worlds))
    return _made(given, wanted, found.parts)


def _in_field(
    claim: PostProcessingClaim, given: Sequence[Merged], wanted: Merged, worlds: Sequence[int]
) -> Proof:
    """The proof where numbers have powers of e, by one linear program."""
    from verifier.lp.irrational import rounded
    from verifier.lp.model.program import Infeasible, Optimal

    sizes = [len(part.groups) * len(wanted.groups) for part in given]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    outcome = _solved(given, wanted, starts, sum(sizes))
    if isinstance(outcome, Infeasible):
        for found in rounded(outcome.multipliers):
            turned = {at: -value for at, value in found.numerators.items()}
            payoff = _payoff(replace(found, numerators=turned), given, wanted, worlds)
            if _earns(payoff, claim) > _best(payoff, claim):
                return _refuted(claim, payoff)
    assert isinstance(outcome, Optimal)
    parts = []
    for start, size in zip(starts, sizes, strict=True):
        own = {at - start: y for at, y in outcome.point.numerators.items()}
        kept = {at: y for at, y in own.items() if 0 <= at < size}
        parts.append(replace(outcome.point, numerators=kept))
    return _made(given, wanted, parts)


def _solved(given: Sequence[Merged], wanted: Merged, starts: Sequence[int], weight: int) -> Outcome:
    """The outcome of Σ_k given_k · Y_k = wanted for Y_k >= 0 with rows of sum p_k, Σ p_k = 1.

    starts  the column of the first entry of each Y_k, by outputs of it and of the wanted one
    weight  the column of p_1

    The multiplier of row world · outputs + output is minus a payoff. The last output needs no
    equations: sums of rows imply them.
    """
    from verifier.lp import Row, solve_rows

    outer = len(wanted.groups)
    rows = []
    for world, target in enumerate(wanted.rows.T.tolist()):
        chances = [part.rows[:, world].tolist() for part in given]
        for j, right in enumerate(target):
            terms = {
                start + i * outer + j: exact.over(p, part.scale)
                for part, start, listed in zip(given, starts, chances, strict=True)
                for i, p in enumerate(listed)
                if j < outer - 1
            }
            rows.append(Row("", terms, "=", exact.over(right, wanted.scale) if terms else 0))
    for k, (part, start) in enumerate(zip(given, starts, strict=True)):
        for i in range(len(part.groups)):
            answers = dict.fromkeys(range(start + i * outer, start + (i + 1) * outer), 1)
            rows.append(Row("", {**answers, weight + k: -1}, "=", 0))
    rows.append(Row("", dict.fromkeys(range(weight, weight + len(given)), 1), "=", 1))
    return solve_rows(weight + len(given), rows)


def told(claim: PostProcessingClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; what is earned is found again."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidValue)
    sizes = {"worlds": claim.space.size, "outputs": len(claim.mechanism.outputs)}
    given = {name: len(mechanism.outputs) for name, mechanism in claim.given.items()}
    return Answer(
        said.verdict,
        shown=_shown(claim, evidence.payoff) if isinstance(evidence, PayoffEvidence) else None,
        made=mixture_of(claim.mechanism.outputs, claim.given, evidence.weights)
        if isinstance(evidence, WeightsEvidence)
        else None,
        proof=proof,
        scope={**sizes, "given": given, **claim.scope},
    )


def _row_outside(given: Sequence[Merged], wanted: Merged) -> tuple[int, list[int]] | None:
    """The first output whose row is no non-negative combination of given rows, and coefficients of
    an inequality, <= 0 for those, that it violates."""
    from verifier.lp.cones import Outside, membership, violated_facet

    generators = matrix(np.concatenate([part.rows for part in given]))
    for group, row in zip(wanted.groups, wanted.rows.tolist(), strict=True):
        answer = membership(generators, row)
        if isinstance(answer, Outside):
            if generators.shape[0] * generators.shape[1] <= FACET:
                return group[0], violated_facet(generators, row)
            found = answer.separator.numerators
            return group[0], [found.get(world, 0) for world in range(len(row))]
    return None


def _everywhere(
    output: int, coefficients: Sequence[int], worlds: Sequence[int], claim: PostProcessingClaim
) -> Payoff:
    """Payoffs of one output, from those in different worlds."""
    pays = [0] * claim.space.size
    for world, value in zip(worlds, coefficients, strict=True):
        pays[world] = value
    return {output: pays}


def _payoff(
    found: Vector, given: Sequence[Merged], wanted: Merged, worlds: Sequence[int]
) -> Payoff:
    """Payoffs for outputs, >= 0 and as small integers as rounding finds, from those of groups."""
    outer, size = len(wanted.groups), len(worlds)
    pays = np.zeros((outer, size), dtype=object)
    for at, value in found.numerators.items():
        if at < outer * size:
            pays[at % outer, at // outer] = value
    pays = _readable(pays - pays.min(axis=0), given, wanted)
    full = np.zeros((outer, wanted.mechanism.worlds), dtype=object)
    full[:, worlds] = pays
    return {
        output: row
        for group, row in zip(wanted.groups, full.tolist(), strict=True)
        if any(row)
        for output in group
    }


def _readable(pays: np.ndarray, given: Sequence[Merged], wanted: Merged) -> np.ndarray:
    """The first rounded payoffs that refute as well, or those given."""
    listed = pays.ravel().tolist()
    if any(map(exact.is_symbolic, listed)):
        return pays
    whole: np.ndarray = np.array(exact.coprime(listed), dtype=object).reshape(pays.shape)
    largest = int(whole.max())
    for size in SIZES:
        if size < largest:
            rounded: np.ndarray = (2 * whole * size + largest) // (2 * largest)
            if _refutes(rounded, given, wanted):
                return rounded
    return whole


def _refutes(pays: np.ndarray, given: Sequence[Merged], wanted: Merged) -> bool:
    earned = exact.over((pays * wanted.rows.astype(object)).sum(), wanted.scale)
    return all(
        exact.over((pays @ part.rows.T.astype(object)).max(axis=0).sum(), part.scale) < earned
        for part in given
    )


def _earned(pays: Sequence[int], mechanism: Mechanism, output: int) -> Fraction:
    """Σ over worlds of what an output pays there, times its probability."""
    codes = mechanism.codes[output].tolist()
    sums: dict[int, int] = {}
    for pay, code in zip(pays, codes, strict=True):
        if pay:
            sums[code] = sums.get(code, 0) + pay
    return sum((pay * mechanism.values[code] for code, pay in sums.items()), Fraction(0))


def _earns(payoff: Payoff, claim: PostProcessingClaim) -> Fraction:
    """What the mechanism earns."""
    return sum((_earned(pays, claim.mechanism, o) for o, pays in payoff.items()), Fraction(0))


def _best(payoff: Payoff, claim: PostProcessingClaim) -> Fraction:
    """The most that a post-processing of a given mechanism earns."""
    announced = [list(pays) for pays in dict.fromkeys(map(tuple, payoff.values()))]
    if len(payoff) < len(claim.mechanism.outputs):
        announced.append([0] * claim.space.size)
    return max(
        sum(
            (
                max(_earned(pays, mechanism, output) for pays in announced)
                for output in range(len(mechanism.outputs))
            ),
            Fraction(0),
        )
        for mechanism in claim.given.values()
    )


def _refuted(claim: PostProcessingClaim, payoff: Payoff) -> Proof:
    return Proof(SaidValue("violated"), PayoffEvidence(payoff))


def _shown(claim: PostProcessingClaim, payoff: Payoff) -> PayoffWitness:
    """The payoffs in the reader's terms. One output alone may tell what no row of the given
    mechanisms tells: all of these earn nothing by it."""
    mechanism, names = claim.mechanism, claim.space.names(range(claim.space.size))
    earns, best = _earns(payoff, claim), _best(payoff, claim)
    pays_at = {
        mechanism.outputs[o]: {names[w]: Fraction(u) for w, u in enumerate(pays) if u}
        for o, pays in payoff.items()
    }
    if len(payoff) > 1 or any(
        _earned(pays, other, output) > 0
        for other in claim.given.values()
        for output in range(len(other.outputs))
        for pays in payoff.values()
    ):
        return PayoffWitness(pays_at, earns, best)
    ((output, weights),) = pays_at.items()
    total = sum(map(abs, weights.values()))
    return RowPayoffWitness(
        pays_at,
        earns,
        best,
        output,
        {name: abs(u) / total for name, u in weights.items()},
        [name for name, u in weights.items() if u > 0],
        [name for name, u in weights.items() if u < 0],
    )


def mixture_of(
    outputs: Sequence[str], known: Mapping[str, Mechanism], weights: Sequence[Weights]
) -> Mixture:
    """A mixture in the reader's terms.

    outputs  of the mixture
    known    the given mechanisms, by name
    weights  for each output the outputs that it is made of
    """
    found: dict[int, dict[int, dict[str, Fraction]]] = {}
    for name, listed in zip(outputs, weights, strict=True):
        for k, output, y in listed:
            found.setdefault(k, {}).setdefault(output, {})[name] = y
    shown = []
    for k, (name, given) in enumerate(known.items()):
        if k in found:
            weight = sum(next(iter(found[k].values())).values(), Fraction(0))
            words = {
                output: {other: y / weight for other, y in found[k][at].items()}
                for at, output in enumerate(given.outputs)
                if at in found[k]
            }
            entries = sum(map(len, words.values()))
            shown.append(Part(name, weight, words if entries <= SHOWN else None, entries))
    return Mixture(shown)


def _made(given: Sequence[Merged], wanted: Merged, parts: Sequence[Vector]) -> Proof:
    """The proof by the factors with which outputs of given mechanisms make each of the wanted one,
    from those of groups. Impossible outputs become the first possible one."""
    outer = len(wanted.groups)
    made: list[list[tuple[int, int, Fraction]]] = [[] for _ in wanted.mechanism.outputs]
    for k, (part, found) in enumerate(zip(given, parts, strict=True)):
        sums: list[dict[int, int]] = [{} for _ in part.groups]
        for at, value in sorted(found.numerators.items()):
            if value:
                sums[at // outer][at % outer] = value
        weight = exact.over(sum(sums[0].values()), found.denominator)
        both = zip(part.groups, sums, strict=True)
        rows = {output: row for group, row in both for output in group}
        for output in range(len(part.mechanism.outputs)) if weight else ():
            spread = {wanted.groups[0][0]: weight}
            if output in rows:
                spread = {
                    other: exact.over(value, found.denominator) * share
                    for j, value in rows[output].items()
                    for other, share in wanted.shares(j)
                }
            for other, y in spread.items():
                made[other].append((k, output, y))
    return Proof(SaidValue("holds"), WeightsEvidence(made))
