"""What repeated runs leak under classes of infinitely many priors.

Under all priors, and independent records whose single changes decide, k runs leak the k-th power of
one run: the worst output of the worst two worlds may come each time, and no output does better. For
the other classes k runs are a mechanism, whose outputs are multisets, and the engines decide it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce

import numpy as np

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import Leakage
from verifier.lab.repeated.collapse import Chain
from verifier.lab.repeated.setting import Case, Row, Seen, linear
from verifier.mechanisms.repeat import repeated
from verifier.priors.all import AllPriors
from verifier.priors.product import ProductPriors
from verifier.questions.answer import Answer
from verifier.questions.beliefs.supports import between, uniform
from verifier.questions.claim import ComparisonClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Secret
from verifier.questions.witness import OutputWitness
from verifier.run import verify
from verifier.world.mechanism import Coder, Mechanism, merge_proportional_rows

MAX_ENTRIES = 10**6  # of the matrix of several runs
MAX_BITS = 300_000  # of a level
MAX_QUESTIONS = 5000  # about the supports of a class of priors

Weights = Mapping[int, Fraction]


def rows(case: Case) -> Iterator[Row]:
    """1, 2, 3, … runs; LimitReached or NotDecided where it goes no further."""
    question = _of_worlds(case)
    return _folded(case) if question is None else _powers(question)


def _of_worlds(case: Case) -> Question | None:
    """The comparisons of two worlds each that decide one run, if the runs are alike."""
    if not isinstance(case.priors, AllPriors | ProductPriors) or len(case.plan.steps) > 1:
        return None
    try:
        question = case.question(case.plan.mechanism)
    except NotDecided:
        return None
    return question if isinstance(question.claim, ComparisonClaim) else None


def _powers(question: Question) -> Iterator[Row]:
    leakage, answer = _certified(question)
    one, k = leakage, 1
    while True:
        yield Row(k, leakage, leakage, _seen(answer, k), ("inequality", 1))
        k += 1
        leakage = _short(linear([one], k))


def _folded(case: Case) -> Iterator[Row]:
    """Mechanisms of k runs, while they are small enough. An infinite leakage stays: of the outputs
    that may follow, one is no less telling."""
    each = [_certified(case.question(mechanism))[0] for _, mechanism in case.steps()]
    k, row = 0, None
    while row is None or not row.leakage.infinite:
        k += 1
        question = case.question(folded(case, k))
        leakage, answer = _certified(question)
        row = Row(k, leakage, linear(each, k), _seen(answer), (question.stated().rule, k))
        yield row
    while True:
        k += 1
        yield Row(k, row.leakage, linear(each, k), None, row.rule)


def _seen(answer: Answer, runs: int | None = None) -> Seen | None:
    """What a witness shows: the same output so often, or an output of all runs together."""
    found = answer.witness
    if not isinstance(found, OutputWitness):
        return None
    outputs = found.output if runs is None else {found.output: runs}
    return Seen(found.before.pair, found.before.prior, outputs)


def folded(case: Case, runs: int) -> Mechanism:
    """The mechanism that releases the multisets of outputs of so many runs."""
    steps = case.steps()
    counts = Counter(steps[run % len(steps)][0] for run in range(runs))
    table = dict(steps)
    parts = [
        merge_proportional_rows(repeated(merge_proportional_rows(table[name]), n))
        for name, n in counts.items()
    ]
    return merge_proportional_rows(reduce(_both, parts))


def _both(left: Mechanism, right: Mechanism) -> Mechanism:
    size = len(left.outputs) * len(right.outputs)
    if size * left.worlds > MAX_ENTRIES:
        raise LimitReached(f"{size} outputs of several runs are too many")
    coder, codes = Coder(), []
    second = list(right.rows())
    for row in left.rows():
        codes += [[coder.code(p * q) for p, q in zip(row, o, strict=True)] for o in second]
    outputs = [f"{a} {b}" for a in left.outputs for b in right.outputs]
    return Mechanism.of(outputs, coder.values, np.array(codes), left.notes, (left, right))


def _certified(question: Question) -> tuple[Leakage, Answer]:
    """The smallest level and the answer, accepted by the checker."""
    answer = verify.certified(question)
    if answer.leakage is None:
        raise NotDecided(answer.reason or "the smallest level was not found")
    if answer.leakage.vacuous:
        raise NotDecided("no prior allows both secrets of a pair: there is nothing to compare")
    return _short(answer.leakage), answer


def _short(leakage: Leakage) -> Leakage:
    if exact.is_irrational(leakage.exp_epsilon or 0):
        return leakage
    if leakage.exp_epsilon and leakage.exp_epsilon.numerator.bit_length() > MAX_BITS:
        raise LimitReached("the exact numbers are too long")
    return leakage


def _worlds(secret: Secret) -> list[int]:
    return [*map(int, np.flatnonzero(secret.worlds))]


def collapsing(case: Case) -> Weights | None:
    """A prior of the class under which the fewest runs rule a secret out; None where no runs do."""
    supports = case.priors.supports(case.space, case.pairs)
    chain = Chain(case.plan, uniform(range(case.space.size)))
    orders = [order for pair in case.pairs for order in (pair, pair[::-1])]
    secrets = [(between(supports, (s.name, t.name)), _worlds(s), _worlds(t)) for s, t in orders]
    asked = 0
    for (_, possible), outputs in chain.reached():
        for members, inside, others in secrets if outputs else ():
            avoided = {world for world in others if possible >> world & 1}
            left = [world for world in inside if possible >> world & 1]
            asked += len(left)
            if asked > MAX_QUESTIONS:
                raise LimitReached("there are too many sets of possible worlds")
            for world in left if len(avoided) < len(others) else ():
                if found := members.within(world, others, avoided):
                    return found.prior
    return None
