"""Classes of priors that are the mixtures of some corners, by their definition: an oracle.

Between two corners what an inequality lacks is a quadratic form, and no other mixture is worse,
which is held against the definition on grids of mixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from hypothesis import strategies as st

from tests.checker import forgeries
from tests.checker.drafts import check, opened
from tests.definitions import drawn, plain
from tests.definitions.drawn import Json, decide
from tests.definitions.plain import Column
from verifier.questions.answer import Answer

F = Fraction
HAIR = F(1, 10**40)
Vector = list[Fraction]
Row = tuple[bool, Vector]  # whether = 0 (else <= 0), coefficients of the worlds


@dataclass
class Case:
    """columns  of the mechanism, by world
    sides    the worlds of two secrets
    corners  all priors of the class are their mixtures
    priors   the class in a spec; the hull of the corners unless given
    events   sets of worlds that it names
    has      whether a prior is in the class; a mixture of two corners unless given
    """

    columns: Sequence[Column]
    sides: Sequence[Sequence[int]]
    corners: Sequence[Column]
    delta: Fraction = plain.ZERO
    priors: Any = None
    events: Sequence[Sequence[int]] = ()
    has: Callable[[Vector], bool] | None = None
    rows: Sequence[Row] = ()
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = [f"w{k}" for k in range(len(self.columns))]

    def hull(self, kind: str = "hull") -> Json:
        """The corners, as a spec lists priors."""
        named = (dict(zip(self.names, map(str, p), strict=True)) for p in self.corners)
        return {kind: [{"worlds": weights} for weights in named]}

    def decide(self, priors: Any = None, **level: str) -> Answer:
        sets = {"s": self.sides[0], "t": self.sides[1]}
        sets |= {f"e{k}": event for k, event in enumerate(self.events) if event}
        outputs = [f"o{k}" for k in range(len(self.columns[0]))]
        rows = {n: [str(p) for p in c] for n, c in zip(self.names, self.columns, strict=True)}
        asked = {
            **(level or {"exp_epsilon": "1"}),
            "delta": str(self.delta),
            "pairs": [["s", "t"]],
            "priors": priors or self.priors or self.hull(),
        }
        return decide(
            {
                "worlds": self.names,
                "secrets": {name: [self.names[w] for w in found] for name, found in sets.items()},
                "mechanism": {"table": {"outputs": outputs, **rows}},
                "checks": [{"pufferfish": asked}],
            }
        )

    def parts(self, prior: Column, pair: Sequence[int], event: Sequence[int]) -> Vector:
        """P(s, E), P(s), P(t, E), P(t)."""
        found = []
        for side in pair:
            chances = [sum((self.columns[w][o] for o in event), F(0)) for w in self.sides[side]]
            weights = [prior[w] for w in self.sides[side]]
            joint = (x * y for x, y in zip(chances, weights, strict=True))
            found += [sum(joint, F(0)), sum(weights, F(0))]
        return found

    def quadratics(self, alpha: Fraction) -> Iterator[tuple[Vector, Vector]]:
        """(A − δB) D − α C B and C B, as [constant, linear, square] in the share of the second of
        two corners."""
        outputs = range(len(self.columns[0]))
        events = plain.events(len(outputs)) if self.delta else ((o,) for o in outputs)
        for event in events:
            for pair in ((0, 1), (1, 0)):
                known = [self.parts(p, pair, event) for p in self.corners]
                for p, q in combinations_with_replacement(known, 2):
                    a, b, c, d = ([x, y - x] for x, y in zip(p, q, strict=True))
                    a = [x - self.delta * y for x, y in zip(a, b, strict=True)]
                    gain, loss = times(a, d), times(c, b)
                    yield [x - alpha * y for x, y in zip(gain, loss, strict=True)], loss

    def holds(self, alpha: Fraction) -> bool:
        return all(largest(form)[0] <= 0 for form, _ in self.quadratics(alpha))

    def attains(self, alpha: Fraction) -> bool:
        """Whether some prior has this ratio, where none has a larger one."""
        for form, loss in self.quadratics(alpha):
            value, share = largest(form)
            shares = [share, F(0), F(1), F(1, 2)] if value == 0 else []
            if any(at(form, x) == 0 < at(loss, x) for x in shares):
                return True
        return False

    def mixed(self, weights: Sequence[Fraction]) -> Vector:
        rows = [[w * p for p in prior] for w, prior in zip(weights, self.corners, strict=True)]
        return [sum(column, F(0)) for column in zip(*rows, strict=True)]

    def leakage(self, weights: Sequence[Fraction]) -> Fraction | None:
        """Of one mixture, by the definition; None is infinite."""
        pair = self.sides[0], self.sides[1]
        return plain.pufferfish_alpha(self.columns, [self.mixed(weights)], [pair], self.delta)


def times(x: Vector, y: Vector) -> Vector:
    return [x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[1] * y[1]]


def at(form: Vector, share: Fraction) -> Fraction:
    return form[0] + form[1] * share + form[2] * share**2


def largest(form: Vector) -> tuple[Fraction, Fraction]:
    """The maximum of a quadratic on [0, 1], and where it is."""
    shares = [F(0), F(1)]
    if form[2] < 0 and 0 < -form[1] / (2 * form[2]) < 1:
        shares.append(-form[1] / (2 * form[2]))
    return max((at(form, share), share) for share in shares)


def grid(size: int, steps: int) -> Iterator[Vector]:
    """All mixtures with weights in multiples of 1/steps."""
    for parts in product(range(steps + 1), repeat=size):
        if sum(parts) == steps:
            yield [F(part, steps) for part in parts]


def corners(size: int, rows: Sequence[Row]) -> list[Vector]:
    """The corners of {θ >= 0, sum 1, rows}: solutions of each system of tight constraints."""
    units = [[F(-(i == k)) for k in range(size)] for i in range(size)]
    found = []
    for tight in combinations([*(row for _, row in rows), *units], size - 1):
        point = solve([[F(1)] * size, *tight], size)
        if point and point not in found and inside(point, rows):
            found.append(point)
    return found


def inside(point: Sequence[Fraction], rows: Sequence[Row]) -> bool:
    values = ((e, sum((g * x for g, x in zip(row, point, strict=True)), F(0))) for e, row in rows)
    return min(point) >= 0 and all(v == 0 if e else v <= 0 for e, v in values)


def solve(matrix: Sequence[Vector], size: int) -> Vector | None:
    """The only solution of matrix · x = (1, 0, …, 0), or None."""
    left = [[*row, F(k == 0)] for k, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((k for k in range(column, len(left)) if left[k][column]), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        left[column] = [x / left[column][column] for x in left[column]]
        for k in range(len(left)):
            if k != column and left[k][column]:
                factor = left[k][column]
                left[k] = [x - factor * y for x, y in zip(left[k], left[column], strict=True)]
    return [row[size] for row in left]


def is_mixture_of_two(prior: Column, given: Sequence[Column]) -> bool:
    for p, q in product(given, repeat=2):
        weights = {(x - b) / (a - b) for x, a, b in zip(prior, p, q, strict=True) if a != b}
        for weight in weights or {F(1)}:
            mixed = [weight * a + (1 - weight) * b for a, b in zip(p, q, strict=True)]
            if 0 <= weight <= 1 and mixed == list(prior):
                return True
    return False


@st.composite
def rounded(draw: drawn.Draw, count: int, size: int) -> list[list[Fraction]]:
    """Distributions with weights from 0 to 9."""
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    return [[F(x, sum(row)) for x in row] for row in (draw(weights) for _ in range(count))]


def agrees(case: Case, answer: Answer, level: Fraction) -> None:
    """The answer's leakage from both sides; the verdict; the witness by the definition."""
    leakage = answer.leakage
    assert leakage is not None and not leakage.vacuous
    assert (answer.verdict == "holds") == case.holds(level)
    high = leakage.exp_epsilon
    if leakage.bounds is not None:
        low, high = leakage.bounds
        assert case.holds(high) and not case.holds(low) and (high - low) * 10**9 <= low
    elif high is not None:
        assert case.holds(high) and (high == 1 or not case.holds(high - (high - 1) * HAIR))
        assert high == 1 or leakage.attained == case.attains(high)
    else:
        assert not case.holds(F(10**200))
    steps = {1: 1, 2: 24, 3: 6, 4: 4}.get(len(case.corners))
    for mixture in grid(len(case.corners), steps) if steps else ():
        found = case.leakage(mixture)
        assert high is None or (found is not None and found <= high)
        if not leakage.attained:
            assert found is not None and (high is None or found < high)
    assert (answer.witness is None) == (answer.verdict == "holds")
    if answer.witness:
        check_witness(case, answer, level)


def check_witness(case: Case, answer: Answer, level: Fraction) -> None:
    assert answer.witness is not None and answer.leakage is not None
    witness = answer.witness.as_json()
    prior = [F(witness["prior"].get(name, 0)) for name in case.names]
    assert sum(prior) == 1
    assert case.has(prior) if case.has else is_mixture_of_two(prior, case.corners)
    labels = witness.get("outputs") or [witness["output"]]
    pair = ["st".index(name) for name in witness["pair"]]
    a, b, c, d = case.parts(prior, pair, [int(x[1:]) for x in labels])
    assert F(witness["prior_odds"]) == b / d and a / b > level * c / d + case.delta
    if case.delta:
        assert witness["probabilities"] == [str(a / b), str(c / d)]
        return
    assert witness["posterior_odds"] == (str(a / c) if c else "infinite")
    assert witness["ratio"] == (str(a * d / (b * c)) if c else "infinite")
    if answer.leakage.attained and answer.leakage.bounds is None:
        assert witness["ratio"] == str(answer.leakage.exp_epsilon or "infinite")


def no_sibling_is_accepted(certificate: Any) -> None:
    """No answer that contradicts it, with the same evidence or with a part of it emptied."""
    draft = opened(certificate)
    witness = draft["evidence"]["witness"]
    for other in forgeries.false_answers(draft):
        for shown in (witness, *({**witness, key: []} for key in witness)):
            assert check(forgeries.forged(draft, other, shown)).outcome != "accepted", (
                other,
                shown,
            )
