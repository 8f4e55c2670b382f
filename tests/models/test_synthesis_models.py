"""Smallest losses of models/synthesis, by plain arithmetic.

That the clamped geometric mechanism, read as well as possible, has the smallest loss is a theorem
(Ghosh, Roughgarden, Sundararajan 2009; Gupte, Sundararajan 2010); here its loss is computed.
"""

from collections.abc import Callable
from fractions import Fraction as F

from tests.models.model_files import checks, confirm_engine

FOLDER = "synthesis"
TEN = range(11)


def geometric(total: int, alpha: int) -> list[F]:
    """(1 − ρ)/(1 + ρ)·ρ^|z| with ρ = 1/alpha; what is beyond 0 and 10 is clamped, which is
    (ρ^d + ρ^(d+1) + …) = ρ^d/(1 − ρ) there."""
    rho = F(1, alpha)
    ends = {0: 1 / (1 - rho), 10: 1 / (1 - rho)}
    return [(1 - rho) / (1 + rho) * rho ** abs(o - total) * ends.get(o, F(1)) for o in TEN]


def loss_when_read(prior: dict[int, F], loss: Callable[[int, int], int], alpha: int = 2) -> F:
    """Each output is read as the answer that costs least, given what it tells."""
    rows = {w: geometric(w, alpha) for w in prior}
    return sum(
        (min(sum(p * rows[w][o] * loss(r, w) for w, p in prior.items()) for r in TEN) for o in TEN),
        F(0),
    )


def test_count_of_ten() -> None:
    even, ends = dict.fromkeys(TEN, F(1, 11)), {0: F(1, 2), 10: F(1, 2)}
    derived = [
        loss_when_read(even, lambda r, w: abs(r - w)),
        loss_when_read(even, lambda r, w: (r - w) ** 2),
        loss_when_read(ends, lambda r, w: int(r != w)),
        loss_when_read(even, lambda r, w: abs(r - w), alpha=4),
    ]
    file = "count-of-ten.yaml"
    assert [F(check["optimal"]["equals"]) for check in checks(f"{FOLDER}/{file}")] == derived
    confirm_engine(FOLDER, file, *derived)
