"""Model files of the Pufferfish paper, Sections 3 and 6: every number from the definitions."""

from itertools import product

from tests.models.by_definition import (
    F,
    Fraction,
    World,
    geometric,
    pufferfish,
    smallest_level,
)
from tests.models.model_files import confirm

HALF = F(1, 2)


def test_outbreak() -> None:
    """Every list of eight people, 1 for who is ill."""
    lists = list(product((0, 1), repeat=8))
    m = {w: geometric(sum(w), HALF, 0, 8) for w in lists}

    def cases(p: Fraction) -> dict[World, Fraction]:
        return {w: p ** sum(w) * (1 - p) ** (8 - sum(w)) for w in lists}

    rare, often = cases(F(1, 4)), cases(F(3, 4))
    common = {w: (rare[w] + often[w]) / 2 for w in lists}
    outbreak = [w for w in lists if sum(w) >= 3], [w for w in lists if sum(w) < 3]
    somebody = [w for w in lists if w[0]], [w for w in lists if not w[0]]
    far = smallest_level(m[lists[0]], m[lists[-1]])
    single = [(w, (1 - w[0], *w[1:])) for w in lists]
    confirm(
        "pufferfish/outbreak.yaml",
        pufferfish(m, [outbreak], [rare]),
        far,
        max(smallest_level(m[w], m[v]) for w, v in single),
        pufferfish(m, [somebody], [common]),
        far,
    )
