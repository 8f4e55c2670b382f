"""Distributions that make worlds possible under hedging are made one by one, where they count."""

import tracemalloc

from tests.checker.compositions import composition
from tests.checker.drafts import check


def test_no_two_values_of_all_are_tried() -> None:
    """Of 100 values of another record, with no evidence: not 5,000 priors of 200 worlds each."""
    values = range(100)
    rows = [[a, b] for a in (0, 1) for b in values]
    secrets = {"s": values, "t": range(100, 200)}
    known = [[[b], "1/100"] for b in values]
    priors = {"class": "hedging", "weight": "1/2", "known": known}
    asked = composition([["1"]] * 200, secrets, priors, None, None, records=rows)
    tracemalloc.start()
    try:
        verdict = check(asked)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert verdict.outcome == "refused"
    assert "no betas" in verdict.reason
    assert peak < 20_000_000
