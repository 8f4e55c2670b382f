"""Products of many branches grow: what they cost is paid by both factors, and all are kept."""

import pytest

from verifier.checker.cones import Cones
from verifier.checker.document import Refused, limited


def vector(k: int) -> list[int]:
    """Two long numbers without common divisors."""
    return [3 ** (6000 + k), 5 ** (4000 + k)]


def test_a_long_product_is_paid_beside_a_short_factor() -> None:
    cones, cone = Cones(2), [[1, 1]]
    with limited() as spent:
        for k in range(30):
            cone = cones.product(cone, [vector(k)])
        assert spent[0] > 5 * 10**6


def test_no_more_products_are_kept_than_there_is_memory_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("verifier.checker.document.MAX_BYTES", 10**7)
    cones, cone = Cones(2), [[2, 1], [1, 2]]
    with limited(), pytest.raises(Refused, match="more memory than"):
        for k in range(250):
            cone = cones.product(cone, [vector(k), vector(k)[::-1]])
