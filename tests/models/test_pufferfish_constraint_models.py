"""A published count: where `failure` is None, independent records conditioned on a constraint are
protected as well as induced neighbours (couplings.py)."""

from tests.models.by_definition import (
    F,
    Level,
    Mechanism,
    World,
    bits,
    databases,
    everything,
    independent,
    induced,
    over_pairs,
    pufferfish,
    replace,
    response,
    uniform,
    values,
)
from tests.models.couplings import failure
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)


def protected(worlds: list[World], mechanism: Mechanism) -> Level:
    """The level of induced neighbours, and of independent records conditioned on the constraint."""
    assert failure(worlds) is None
    return over_pairs(mechanism, induced(worlds))


def test_published_count() -> None:
    worlds = databases(BITS, 4, lambda w: sum(w) == 2)
    mechanism = response(worlds, F(3, 4), BITS)
    skewed = independent(worlds, [bits(HALF), bits(F(9, 10)), bits(F(1, 10)), bits(F(2, 3))])
    assert not replace(worlds)
    confirm(
        "pufferfish/published-count.yaml",
        F(1),
        over_pairs(mechanism, induced(worlds)),
        pufferfish(mechanism, values(worlds), [uniform(worlds)]),
        pufferfish(mechanism, values(worlds), [skewed]),
        protected(worlds, mechanism),
        over_pairs(mechanism, everything(worlds)),
    )
