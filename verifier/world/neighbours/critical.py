"""Which records a public constraint affects (He, Machanavajjhala, Ding 2014, Section 4.1)."""

from __future__ import annotations

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.worlds import WorldSpace

MAX_STEPS = 2**24


def affected(space: WorldSpace, constraint: np.ndarray, edges: np.ndarray, alone: bool) -> set[int]:
    """The records with a secret pair that is critical to a constraint q.

    space       all worlds, whether or not they satisfy q
    constraint  Boolean array: which of them do
    edges       shape (records, k, k): the discriminative secret graphs
    alone       whether only the record of the secret pair may differ

    The pair (record i is x, record i is y) is critical when worlds D ⊢ q and D' ⊬ q exist with
    T(D, D') = {(i, x, y)}. To the letter, other records may differ along no edge; with `alone`
    they may not. Raises LimitReached for more than a thousand worlds or so.
    """
    codes, record = space.record_codes, np.arange(len(space.records))[:, None]
    outside = codes[:, ~constraint]
    inside = codes[:, constraint]
    if outside.size * inside.shape[1] > MAX_STEPS:
        raise LimitReached(f"{space.size} worlds are too many for the critical secrets")
    found: set[int] = set()
    for here in inside.T[:, :, None]:
        secret = edges[record, here, outside]
        single = secret.sum(axis=0) == 1
        if alone:
            single &= (outside != here).sum(axis=0) == 1
        found.update(np.flatnonzero(secret[:, single].any(axis=1)).tolist())
    return found
