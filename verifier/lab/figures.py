"""What can be drawn of a check: a part of its matrix, the prior and the odds of the worst case, the
curve of delta, and what several runs leak.

Every number is exact. What would be large or slow is left out, and `Figures.missing` says so.

Example. A bit is told with probability 3/4. The matrix has two rows, 3/4, 1/4 and 1/4, 3/4; in the
worst case even odds become 3; delta is 1/2 at e^ε = 1 and 0 from 3 on; k runs leak 3^k.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import comb
from typing import TypeVar

import numpy as np

from verifier.base.errors import LimitReached, NotDecided, TimeLimitReached, limit_reason
from verifier.base.level import Leakage, Level
from verifier.kernels import hockey_stick
from verifier.lab.repeated.setting import linear
from verifier.mechanisms.repeat import repeated
from verifier.questions import witness as witnesses
from verifier.questions.answer import Answer
from verifier.questions.claim import ComparisonClaim, PolytopeClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Pufferfish
from verifier.questions.witness import Belief, Witness
from verifier.run import verify
from verifier.world.mechanism import Mechanism, merge_proportional_rows

PARTS = ("matrix", "prior", "curve", "runs")  # that may take long
ROWS = COLUMNS = 16  # of a matrix that is drawn
BARS = 16  # worlds of a prior
RUNS = 10
CORNERS = 100  # of a curve
MAX_WORLDS = 20_000  # among which those of a prior are looked for
MAX_COMPARED = 20_000  # entries of all columns that a curve compares
MAX_ENTRIES = 500  # of the matrix of several runs

Made = TypeVar("Made")
Side = Mapping[int, Fraction]  # the possible worlds of one of a pair, with their probabilities


@dataclass(frozen=True)
class Matrix:
    """A part of a likelihood matrix.

    outputs  labels of the rows
    columns  names of worlds, then of secrets
    secrets  how many columns are about secrets: P(output | secret) under the prior of the worst
             case
    rows     probabilities, shape (outputs, columns)
    marked   the rows and columns of the entries that are compared in the worst case
    size     (outputs, worlds) of the whole matrix
    """

    outputs: tuple[str, ...]
    columns: tuple[str, ...]
    secrets: int
    rows: tuple[tuple[Fraction, ...], ...]
    marked: tuple[tuple[int, ...], tuple[int, ...]]
    size: tuple[int, int]


@dataclass(frozen=True)
class Bar:
    """The prior probability of a world, or value; side: its place in the pair, None for neither."""

    name: str
    weight: Fraction
    side: int | None


@dataclass(frozen=True)
class Odds:
    """The odds of the first of a pair against the second, before and after (None: infinite) an
    output."""

    pair: tuple[str, str]
    output: str
    before: Fraction
    after: Fraction | None


@dataclass(frozen=True)
class Event:
    """The probabilities of an event, under the first of a pair and under the second."""

    pair: tuple[str, str]
    probabilities: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Curve:
    """The smallest delta at levels alpha, ascending; whether it is linear in between."""

    points: tuple[tuple[Fraction, Fraction], ...]
    whole: bool


@dataclass(frozen=True)
class Runs:
    """What 1, 2, … independent runs leak, and at most by the leakage of one."""

    leakage: Leakage
    linear: Leakage


@dataclass(frozen=True)
class Figures:
    """All that can be drawn of a check.

    level    that was asked for, with `delta`
    prior    the likeliest worlds, in their order; `worlds` is the number of all that are possible
    missing  what is not here, and why
    """

    level: Level | None = None
    delta: Fraction = Fraction(0)
    matrix: Matrix | None = None
    prior: tuple[Bar, ...] = ()
    worlds: int = 0
    odds: Odds | None = None
    event: Event | None = None
    curve: Curve | None = None
    runs: tuple[Runs, ...] = ()
    missing: tuple[str, ...] = ()


def figures_of(question: Question, answer: Answer, parts: Container[str] = PARTS) -> Figures:
    """What can be drawn of a question and its answer.

    question  that was asked
    answer    that the checker has accepted
    parts     which fields are looked for, of PARTS; others are as where there is nothing

    There is nothing where it is asked for all values of parameters at once.
    """
    if is_about_parameters(question):
        return Figures()
    shown = answer.shown
    missing: list[str] = []
    over: list[str] = []

    def tried(part: str, what: str, make: Callable[[], Made], nothing: Made) -> Made:
        if part not in parts:
            return nothing
        try:
            if not over:
                return make()
        except TimeLimitReached as limit:
            over.append(str(limit))
        except (LimitReached, NotDecided, MemoryError) as limit:
            missing.append(f"{what}: {limit_reason(limit)}")
            return nothing
        missing.append(f"{what}: {over[0]}")
        return nothing

    belief = _belief(shown)
    drawn = Figures(
        answer.level,
        answer.delta,
        tried("matrix", "matrix", lambda: _matrix(question, answer, shown), None),
        tried("prior", "prior", lambda: _bars(question, belief), ()),
        len(belief.prior) if belief else 0,
        _odds(shown),
        _event(shown),
        tried("curve", "curve of δ", lambda: _curve(question, answer), None),
    )
    runs: list[Runs] = []  # kept one by one: what is known stays where a limit is reached
    tried("runs", "more runs", lambda: runs.extend(islice(_runs(question, answer), RUNS)), None)
    return replace(drawn, runs=tuple(runs), missing=tuple(missing))


def is_about_parameters(question: Question) -> bool:
    """Whether it is asked for all values of real parameters at once."""
    return getattr(question.claim, "domain", None) is not None


def _belief(shown: Witness | None) -> Belief | None:
    """What an attacker believes in the worst case; the pair is empty where there is only a
    prior."""
    before, prior = getattr(shown, "before", None), getattr(shown, "prior", None)
    if isinstance(before, Belief):
        return before
    return Belief(getattr(shown, "pair", ("", "")), prior) if prior else None


def _odds(shown: Witness | None) -> Odds | None:
    if isinstance(shown, witnesses.OutputWitness):
        before = shown.before
        return Odds(before.pair, shown.output, before.odds, shown.after)
    if isinstance(shown, witnesses.GuaranteeWitness):
        pair = shown.other, shown.likelier
        return Odds(pair, shown.output, shown.odds, shown.after)
    return None


def _event(shown: Witness | None) -> Event | None:
    if isinstance(shown, witnesses.EventWitness):
        return Event(shown.before.pair, shown.probabilities)
    return None


def _bars(question: Question, belief: Belief | None) -> tuple[Bar, ...]:
    if belief is None:
        return ()
    sides, space = _sides(question, belief), question.space
    likeliest = set(sorted(belief.prior, key=lambda name: -belief.prior[name])[:BARS])

    def side(name: str) -> int | None:
        return next((k for k, worlds in enumerate(sides) if space.index(name) in worlds), None)

    shown = [(name, weight) for name, weight in belief.prior.items() if name in likeliest]
    return tuple(Bar(name, Fraction(weight), side(name)) for name, weight in shown)


def _sides(question: Question, belief: Belief | None) -> tuple[Side, ...]:
    """The possible worlds of both of a pair; nothing where a prior is not about worlds."""
    if belief is None:
        return ()
    if question.space.size > MAX_WORLDS:
        raise LimitReached(f"there are {question.space.size} worlds, more than {MAX_WORLDS}")
    space, secrets = question.space, {s.name: s.worlds for pair in question.pairs for s in pair}
    indices = {name: space.index(name) for name in belief.prior}
    weights = {at: belief.prior[name] for name, at in indices.items() if at is not None}
    found = []
    for name in belief.pair:
        itself = [space.index(name)]
        worlds = np.flatnonzero(secrets[name]).tolist() if name in secrets else itself
        found.append({w: weights[w] for w in worlds if w in weights})
    return tuple(found) if all(found) else ()


# The matrix


def _matrix(question: Question, answer: Answer, shown: Witness | None) -> Matrix | None:
    if isinstance(answer.made, witnesses.BestMechanism):
        return _best(answer.made.mechanism)
    return None if question.mechanism is None else _likelihoods(question, question.mechanism, shown)


def _likelihoods(question: Question, mechanism: Mechanism, shown: Witness | None) -> Matrix:
    """The mechanism, first the worlds and outputs of the worst case; what is compared stands last
    where it is no single worlds."""
    space, belief = question.space, _belief(shown)
    sides = _sides(question, belief)
    secrets = sides if any(len(side) > 1 for side in sides) else ()
    worlds = _first(_likeliest(sides), space.size, COLUMNS - len(secrets))
    if secrets:
        compared = [len(worlds), len(worlds) + 1]
    else:
        compared = [worlds.index(world) for side in sides for world in side]
    places = {label: at for at, label in enumerate(mechanism.outputs)}
    told = [places[label] for label in _told(shown) if label in places][:ROWS]
    outputs = _first(told, len(places), ROWS)
    marked = sorted(map(outputs.index, told)) if compared else []

    def row(o: int) -> tuple[Fraction, ...]:
        given = (_given(mechanism, o, side) for side in secrets)
        return *(mechanism.probability(o, w) for w in worlds), *given

    return Matrix(
        tuple(mechanism.outputs[o] for o in outputs),
        (*space.names(worlds), *(belief.pair if belief and secrets else ())),
        len(secrets),
        tuple(map(row, outputs)),
        (tuple(marked), tuple(compared)),
        (len(places), space.size),
    )


def _likeliest(sides: Sequence[Side]) -> list[int]:
    """The worlds of both sides, by their weights."""
    weights = {world: weight for side in sides for world, weight in side.items()}
    return sorted(weights, key=lambda world: -weights[world])


def _best(table: witnesses.Table) -> Matrix:
    """The mechanism that an answer has made."""
    outputs, worlds = table.outputs[:ROWS], list(table.columns)[:COLUMNS]
    rows = [tuple(table.columns[world][o] for world in worlds) for o in range(len(outputs))]
    size = len(table.outputs), len(table.columns)
    return Matrix(tuple(outputs), tuple(worlds), 0, tuple(rows), ((), ()), size)


def _told(shown: Witness | None) -> Sequence[str]:
    """The outputs of the worst case."""
    if isinstance(shown, witnesses.EventWitness):
        return shown.outputs
    if isinstance(shown, witnesses.RunWitness):
        return list(shown.run)
    output = getattr(shown, "output", None)
    return [] if output is None else [output]


def _first(chosen: Sequence[int], size: int, most: int) -> list[int]:
    """The `chosen` numbers below `size`, and the first others, ascending; so many at `most`."""
    numbers = dict.fromkeys([*chosen, *range(min(size, most))])
    return sorted(list(numbers)[:most])


def _given(mechanism: Mechanism, output: int, side: Side) -> Fraction:
    """P(output | one of the pair) under the prior."""
    joint = sum(weight * mechanism.probability(output, w) for w, weight in side.items())
    return Fraction(joint) / sum(side.values())


# Curves


def _curve(question: Question, answer: Answer) -> Curve | None:
    """The whole curve where distributions are compared, else the points that were asked for."""
    claim = question.claim
    if isinstance(claim, ComparisonClaim) and claim.has_curve:
        entries = sum(part.count() for part in claim.relation.blocks) * len(claim.compared.outputs)
        if entries > MAX_COMPARED:
            raise LimitReached(f"{entries} entries are compared, more than {MAX_COMPARED}")
        points = hockey_stick.curve(claim.compared, claim.relation.pairs())
        if len(points) > CORNERS:
            raise LimitReached(f"it has {len(points)} corners, more than {CORNERS}")
        return Curve(points, True)
    return Curve(tuple(sorted(answer.tradeoff)), False) if answer.tradeoff else None


def _runs(question: Question, answer: Answer) -> Iterator[Runs]:
    """What 1, 2, … independent runs leak at the same δ: powers where worlds are compared without δ,
    for the worst output may come each time; else the same question about all runs together, for
    the classes of priors that it is decided for by comparisons or linear programs."""
    claim, one = question.claim, answer.leakage
    if not isinstance(claim, ComparisonClaim | PolytopeClaim) or one is None or _trivial(one):
        return
    if isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism and not claim.delta:
        yield from (Runs(linear([one], k), linear([one], k)) for k in range(1, RUNS + 1))
        return
    once = merge_proportional_rows(claim.mechanism)
    yield Runs(one, one)
    for k in range(2, RUNS + 1):
        entries = comb(len(once.outputs) + k - 1, k) * once.worlds
        if entries > MAX_ENTRIES:
            raise LimitReached(
                f"a table of {entries} entries for {k} runs, more than {MAX_ENTRIES}"
            )
        again = _again(question, claim, repeated(once, k))
        leakage = verify.certified(again).leakage if again else None
        if leakage is None:
            return
        yield Runs(leakage, linear([one], k))


def _trivial(one: Leakage) -> bool:
    """Whether one run tells nothing or everything, so that several do too."""
    return one.infinite or one.exp_epsilon == 1


def _again(
    question: Question, claim: ComparisonClaim | PolytopeClaim, mechanism: Mechanism
) -> Question | None:
    """The same question about another mechanism; None where it cannot be asked from here."""
    if question.priors is not None and question.pairs:
        space, level, delta = claim.space, claim.level, claim.delta
        asked = Pufferfish(claim.definition, space, mechanism, question.pairs, level, delta)
        return replace(question, claim=question.priors.claim(asked))
    if isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism:
        changed = replace(claim, mechanism=mechanism, compared=mechanism, tradeoff=())
        return replace(question, claim=changed)
    return None
