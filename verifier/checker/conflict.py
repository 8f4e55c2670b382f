"""Whether weights prove that an output cannot be good in several views at once.

For x >= 0, what a simulator gives to the output by what it sees, a view has values v with numbers
q_v, W_v(x) = Σ_a W_va x_a, and sums Q and S(x). Where it is good, S(x) > 0 and

    Σ_v max(0, q_v S − alpha Q W_v) <= delta Q S,   Σ_v max(0, Q W_v − alpha q_v S) <= delta Q S.

With weights u, w >= 0 for these terms, added up over views, Σ_a (c0_a − alpha c1_a) x_a <= 0.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any

View = list[tuple[int, dict[int, Any], Any, Any]]  # q, W by a, u and w of every value


def is_conflict(views: list[View], delta: Any, alpha: Fraction | None, closed: bool) -> bool:
    """Whether no x >= 0 is good in all views at any level below alpha (None: at any level), nor at
    alpha if `closed`."""
    c0, c1 = defaultdict[int, Any](int), defaultdict[int, Any](int)
    for view in views:
        whole = sum(q for q, _, _, _ in view)
        most = delta * whole * (max(u for _, _, u, _ in view) + max(w for _, _, _, w in view))
        first = sum(u * q for q, _, u, _ in view) - most
        second = sum(w * q for q, _, _, w in view)
        for a, total in _sums(view).items():
            c0[a] += total * first
            c1[a] += total * second
        for _, row, u, w in view:
            for a, k in row.items():
                c0[a] += w * whole * k
                c1[a] += u * whole * k
    gains = {a: c0[a] - (alpha or 0) * c1[a] for a in c0}
    if any(gain < 0 for gain in gains.values()):
        return False
    if alpha and any(
        all(gains[a] > 0 or (c1[a] and not closed) for a in _sums(view)) for view in views
    ):  # this view gets nothing
        return True
    return not any(c1.values()) and any(_left(view, gains) > delta for view in views)


def _left(view: View, gains: dict[int, Any]) -> Fraction:
    """The part q / Q of the values that get nothing, as x_a = 0 wherever the gain is positive."""
    left = sum(q for q, row, _, _ in view if all(gains[a] > 0 for a in row))
    return Fraction(left, sum(q for q, _, _, _ in view))


def _sums(view: View) -> dict[int, Any]:
    """S_a = Σ_v W_va."""
    found = defaultdict[int, Any](int)
    for _, row, _, _ in view:
        for a, k in row.items():
            found[a] += k
    return found
