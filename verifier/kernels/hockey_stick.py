"""delta as a function of alpha: sum over outputs of max(0, P_o - alpha * Q_o), exact.

For one ordered pair of distributions the function is convex, decreasing and piecewise linear:
the largest of the lines P(S) - alpha * Q(S), where it suffices to let S run over the events made
of the outputs with the largest ratios P_o / Q_o.

By hand: for P = (3/4, 1/4) and Q = (1/4, 3/4), delta(1) = (3/4 − 1/4) + 0 = 1/2, and delta(3) = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism

Line = tuple[Fraction, Fraction]  # (P(S), Q(S)) of an event S


@dataclass(frozen=True)
class Profile(Later):
    """The events of one ordered pair, by falling ratio.

    ratios  P_o / Q_o of each group of outputs, falling; None stands for infinity and comes first
    lines   (P(S), Q(S)) of the empty event and then of the first 1, 2, … groups
    """

    ratios: tuple[Fraction | None, ...]
    lines: tuple[Line, ...]

    def smallest_alpha(self, delta: Fraction) -> Fraction | None:
        """The smallest alpha >= 1 at which the pair meets delta; None when there is none."""
        best = Fraction(1)
        for p, q in self.lines:
            if p - best * q > delta:
                if q == 0:
                    return None
                best = (p - delta) / q
        return best


def profile(entries: Iterable[tuple[Fraction, Fraction, int]]) -> Profile:
    """The profile of a pair whose outputs have `entries` (p, q, times)."""
    mass: dict[Fraction | None, list[Fraction]] = {}
    for p, q, times in entries:
        if p:
            total = mass.setdefault(p / q if q else None, [Fraction(0), Fraction(0)])
            total[0] += times * p
            total[1] += times * q
    finite = sorted((ratio for ratio in mass if ratio is not None), reverse=True)
    ratios = ([None] if None in mass else []) + finite
    lines = [(Fraction(0), Fraction(0))]
    for ratio in ratios:
        lines.append((lines[-1][0] + mass[ratio][0], lines[-1][1] + mass[ratio][1]))
    return Profile(tuple(ratios), tuple(lines))


def profiles(
    mechanism: Mechanism, pairs: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], Profile]]:
    """The different profiles of `pairs` of columns of a `mechanism`, each with its first pair."""
    columns, base = np.ascontiguousarray(mechanism.codes.T), len(mechanism.values)
    number: dict[bytes, int] = {}
    alike = [number.setdefault(column.tobytes(), len(number)) for column in columns]
    seen, known = set[tuple[int, int]](), set[bytes]()
    for left, right in pairs:
        if (both := (alike[left], alike[right])) in seen:
            continue
        seen.add(both)
        keys = np.sort(columns[left].astype(np.int64) * base + columns[right])
        if (name := keys.tobytes()) in known:
            continue
        known.add(name)
        distinct, times = np.unique(keys, return_counts=True)
        yield (
            (left, right),
            profile(
                (mechanism.values[key // base], mechanism.values[key % base], count)
                for key, count in zip(distinct.tolist(), times.tolist(), strict=True)
            ),
        )


def largest_alpha(
    mechanism: Mechanism, pairs: Iterable[tuple[int, int]], delta: Fraction
) -> tuple[Fraction | None, tuple[int, int] | None]:
    """The smallest level that serves all `pairs` of columns of a `mechanism` at `delta`.

    mechanism  whose columns are compared
    pairs      ordered pairs of worlds
    delta      in [0, 1]
    """
    best, witness = Fraction(1), None
    for pair, found in profiles(mechanism, pairs):
        alpha = found.smallest_alpha(delta)
        if alpha is None:
            return None, pair
        if alpha > best:
            best, witness = alpha, pair
    return best, witness


def largest_delta(
    mechanism: Mechanism, pairs: Iterable[tuple[int, int]], alphas: Sequence[Fraction]
) -> list[Fraction]:
    """For each of the `alphas` the smallest delta that serves all `pairs` of a `mechanism`."""
    lines = {line for _, found in profiles(mechanism, pairs) for line in found.lines}
    lines.add((Fraction(0), Fraction(0)))
    return [max(p - alpha * q for p, q in lines) for alpha in alphas]


def event(mechanism: Mechanism, pair: tuple[int, int], alpha: Fraction | None) -> list[int]:
    """The outputs of a `mechanism` at which the `pair` has P_o >= `alpha` · Q_o and P_o > 0."""
    values, codes = mechanism.values, mechanism.codes
    found = []
    for output, (left, right) in enumerate(codes[:, list(pair)].tolist()):
        p, q = values[left], values[right]
        if p and (q == 0 if alpha is None else p >= alpha * q):
            found.append(output)
    return found


def curve(
    mechanism: Mechanism, pairs: Iterable[tuple[int, int]]
) -> tuple[tuple[Fraction, Fraction], ...]:
    """The corners (alpha, delta) of the exact curve delta(alpha) over all pairs.

    They ascend from alpha = 1; the curve is linear in between and constant after the last.

    mechanism  whose columns are compared
    pairs      ordered pairs of worlds

    The curve is the upper envelope of the lines P(S) - alpha * Q(S) of all pairs.
    """
    lines = {(Fraction(0), Fraction(0))}
    for _, found in profiles(mechanism, pairs):
        lines.update(found.lines)
    alpha = Fraction(1)
    p, q = max(lines, key=lambda line: (line[0] - line[1], -line[1]))
    corners = [(alpha, p - q)]
    while True:
        later = [((p - a) / (q - b), b, a) for a, b in lines if b < q]
        if not later:
            return tuple(corners)
        alpha, q, p = min(later)
        corners.append((alpha, p - alpha * q))
