"""Pufferfish with δ on a segment between two priors, for all events at once.

With A_o = P(s, o), B = P(s), C_o = P(t, o) and D = P(t) the worst event of a prior has the outputs
o with A_o·D > α·C_o·B. So the condition for all events is one,

    f = Σ_o max(0, A_o·D − α·C_o·B) − δ·B·D  <=  0.

It is enough on segments between two corners of the priors, as it is for every single event (see
`segments`). On u·x + v·y each difference is a quadratic form F u² + 2 H u v + G v², so that f is at
most the form of the sums of max(0, F), max(0, G), max(0, H), less those of δ·B·D. Where that is
nowhere positive for u, v >= 0, the segment is proved; else it is cut in two.

This ends. Where f < 0, short pieces are proved. If f is 0 inside a segment and nowhere positive, no
difference changes its sign there, as f would turn upwards; the form of the event has a double root
there, and the segment is cut at this rational.

Example. x has A = (1, 0), B = 1 and no C, D; y has C = (1/4, 3/4), D = 1 and no A, B. Then f is
u v (max(0, 1 − α/4) + max(0, −3α/4) − δ): not one cut, and for δ = 1/2 the smallest level is 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verifier.base import exact
from verifier.kernels import segments
from verifier.kernels.segments import ONE, ZERO, Ends

Event = tuple[int, ...]
Values = tuple[Sequence[Any], Any, Sequence[Any], Any]  # A by output, B, C by output, D
Alpha = Callable[[], Fraction]


@dataclass(frozen=True, eq=False)
class Segment:
    """Two priors with one ordered pair of secrets.

    first, last  their values, A and C times `scale`
    loss         δ times the scale
    """

    first: Values
    last: Values
    loss: Any

    def at(self, share: Fraction) -> Values:
        """The values of the mixture with this share of the last prior, up to a factor."""
        part, whole = exact.ratio(share)
        (a, b, c, d), (e, f, g, h) = self.first, self.last

        def mixed(x: Any, y: Any) -> Any:
            return (whole - part) * x + part * y

        return list(map(mixed, a, e)), mixed(b, f), list(map(mixed, c, g)), mixed(d, h)

    def ends(self, event: Event) -> tuple[Ends, Ends]:
        """A − δ B, B, C and D of an event for both priors."""
        return self._of(self.first, event), self._of(self.last, event)

    def _of(self, values: Values, event: Event) -> Ends:
        a, b, c, d = values
        return sum(a[o] for o in event) - self.loss * b, b, sum(c[o] for o in event), d

    def uncut(self, alpha: Alpha) -> Iterator[Fraction | Event]:
        """Shares at which the segment is cut so that its pieces prove the condition, ascending. An
        event that violates it comes before them, until alpha is another."""
        waiting = [(ZERO, ONE)]
        while waiting:
            low, high = waiting.pop()
            first, last = self.at(low), self.at(high)
            form = self._bound(first, last, alpha())
            if is_nowhere_positive(*form):
                if high < 1:
                    yield high
                continue
            middle = self._middle(low, high)
            events = [worst(values, alpha()) for values in (first, last, self.at(middle))]
            both = [(event, self._of(first, event), self._of(last, event)) for event in events]
            failing = [event for event, x, y in both if not segments.holds(x, y, alpha())]
            if failing:
                yield failing[0]
                waiting.append((low, high))
                continue
            cut = _touching(segments.signed(*both[2][1:], alpha()), low, high) or middle
            waiting += [(cut, high), (low, cut)]

    def attaining(self, alpha: Fraction | None) -> tuple[Event, Any] | None:
        """An event, and weights of a mixture that has the ratio alpha (None: infinite) with it,
        which is the smallest level of the segment; None where no mixture has it."""
        if alpha is None:
            return self._certain()
        cuts = [cut for cut in self.uncut(lambda: alpha) if isinstance(cut, Fraction)]
        for low, high in pairwise([ZERO, *cuts, ONE]):
            inner = _touching(self._bound(self.at(low), self.at(high), alpha), low, high)
            for share in (low, high, inner or self._middle(low, high)):
                values = self.at(share)
                event = worst(values, alpha, or_equal=True)
                ends = self._of(values, event)
                if segments.attaining(ends, ends, alpha):
                    part, whole = exact.ratio(share)
                    return event, (whole - part, part)
        return None

    def _certain(self) -> tuple[Event, Any] | None:
        """An event that the second secret rules out, and weights, likewise: at one end, or at
        both."""
        for ends in ((self.first,), (self.last,), (self.first, self.last)):
            seconds = zip(*(c for _, _, c, _ in ends), strict=True)
            event = tuple(o for o, found in enumerate(seconds) if not any(found))
            x, y = (self._of(values, event) for values in (ends[0], ends[-1]))
            weights = segments.attaining(x, y, None)
            if weights:
                alone = (1, 0) if ends[0] is self.first else (0, 1)
                return event, weights if len(ends) > 1 else alone
        return None

    def _bound(self, x: Values, y: Values, alpha: Fraction) -> tuple[Any, Any, Any]:
        """The coefficients of u², v² and 2 u v, up to a factor, of a form that is at least f at u·x
        + v·y."""
        above, below = exact.ratio(alpha)

        def coefficient(x: Values, y: Values) -> Any:
            (a, b, c, d), (e, f, g, h) = x, y
            over = (
                below * (p * h + r * d) - above * (q * f + s * b)
                for p, q, r, s in zip(a, c, e, g, strict=True)
            )
            return sum(x for x in over if x > 0) - below * self.loss * (b * h + f * d)

        return coefficient(x, x), coefficient(y, y), coefficient(x, y)

    def _middle(self, low: Fraction, high: Fraction) -> Fraction:
        """A simple share between two."""
        quarter = (high - low) / 4
        return segments.simplest_between(low + quarter, high - quarter)


def _touching(form: tuple[Any, Any, Any], low: Fraction, high: Fraction) -> Fraction | None:
    """The share between two at which a form f u² + g v² + 2 h u v has a double root."""
    f, g, h = form
    if not (h > 0 > f and h * h == f * g):
        return None
    (part, whole), (more, all_of_it) = exact.ratio(low), exact.ratio(high)
    return exact.over(h * part - f * more, h * whole - f * all_of_it)


def worst(values: Values, alpha: Fraction, or_equal: bool = False) -> Event:
    """The outputs o with A_o·D > alpha·C_o·B, or where both are the same and not 0 too."""
    (a, b, c, d), (above, below) = values, exact.ratio(alpha)
    sides = ((below * x * d, above * y * b) for x, y in zip(a, c, strict=True))
    return tuple(o for o, (p, q) in enumerate(sides) if p > q or (or_equal and p == q > 0))


def is_nowhere_positive(f: Any, g: Any, h: Any) -> bool:
    """Whether f u² + g v² + 2 h u v <= 0 for all u, v >= 0."""
    return bool(f <= 0 and g <= 0 and (h <= 0 or h * h <= f * g))
