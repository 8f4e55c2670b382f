"""Whether a library releases what is audited: draws of it against the matrix, by Pearson's χ².

Nothing of this is in a verdict: it only tells that the matrix is about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from math import log, sqrt

from verifier.base.errors import InputError
from verifier.lab.adapters.claimed import Adapted, Input

DRAWS = 20_000
RARE = 5  # outputs that are expected less often are one cell, which counts as if it were so often
ALARM = 1e-9  # how often an input with the matrix itself would be refused, at most about


def agreement(found: Adapted) -> str:
    """What was drawn, from one input or a few, in words.

    InputError S123 where the draws do not fit the matrix.
    """
    if found.release is None:
        return "nothing was drawn"
    space, matrix = found.space, found.mechanism
    names = [str(output) for output in matrix.outputs]
    rows = list(matrix.rows())
    inputs = _inputs(found)
    places = sorted({len(inputs) // 3, 2 * len(inputs) // 3, len(inputs) - 1})
    draws = DRAWS // len(places)
    said = []
    for place in places:
        draw = found.release(inputs[place])
        drawn = Counter(draw() for _ in range(draws))
        law = {name: float(row[place]) for name, row in zip(names, rows, strict=True)}
        said.append(_fit(space.name(place), drawn, law))
    return f"drawn: {draws:,} times from each of {', '.join(said)}"


def _inputs(found: Adapted) -> list[Input]:
    """The inputs in the order of the worlds."""
    whole = [value for value in found.inputs if isinstance(value, int)]
    if whole:
        return list(product(whole, repeat=len(found.records)))
    return [str(name) for name in found.inputs]


def _fit(name: str, drawn: Mapping[str, int], law: Mapping[str, float]) -> str:
    """χ² of the draws, which stays below d + 2√(dx) + 2x but for e^(−x) of all cases (Laurent,
    Massart 2000, Lemma 1); d degrees of freedom."""
    draws = sum(drawn.values())
    likely = [(drawn.get(out, 0), draws * p) for out, p in law.items() if draws * p >= RARE]
    rest = (draws - sum(n for n, _ in likely), draws - sum(e for _, e in likely))
    found = sum((n - e) ** 2 / max(e, RARE) for n, e in [*likely, rest])
    degrees, x = len(likely), -log(ALARM)
    bound = degrees + 2 * sqrt(degrees * x) + 2 * x
    impossible = [f"{out}, {count} times" for out, count in drawn.items() if not law.get(out)]
    if found <= bound and not impossible:
        return f"{name} (χ² {found:.1f}, bound {bound:.1f})"
    why = f"χ² is {found:.1f}, and {bound:.1f} is the bound"
    if impossible:
        why = f"came {impossible[0]}, which is impossible in the matrix"
    said = f"what is released is not what is audited: of {draws:,} draws from {name} {why}"
    raise InputError("S123", said)
