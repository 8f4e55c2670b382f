"""Model files of the Blowfish paper, with constraints: every number from the definitions."""

from itertools import permutations, product

from tests.models.by_definition import (
    F,
)
from tests.models.model_files import confirm

# --- Constraints ------------------------------------------------------------------------------


def test_known_marginal() -> None:
    kinds, third = list(product("ab", repeat=2)), range(3)
    possible = {
        tuple((*kind, c) for kind, c in zip(order, cs, strict=True))
        for order in permutations(kinds)
        for cs in product(third, repeat=4)
    }
    assert len(possible) == 1944
    worst = 0
    for cs in product(third, repeat=3):  # the first database, up to renaming people and values
        v = tuple((*kind, c) for kind, c in zip(kinds, (0, *cs), strict=True))
        for w in possible:
            moved = [i for i in range(4) if v[i] != w[i]]
            partial = (
                tuple(w[i] if i in part else v[i] for i in range(4))
                for part in (
                    {i for k, i in enumerate(moved) if mask >> k & 1}
                    for mask in range(1, 2 ** len(moved) - 1)
                )
            )
            if moved and not any(u in possible for u in partial):
                cells = set(v) | set(w)
                worst = max(worst, sum(abs(v.count(x) - w.count(x)) for x in cells))
    confirm("blowfish/known-marginal.yaml", F(worst))
