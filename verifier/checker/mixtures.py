"""Certificates of kind "mixtures": P(o | s) <= alpha P(o | t) under all mixtures of given priors.

A prior enters by (A, B, C, D) = (P(s, o), P(s), P(t, o), P(t)), a mixture by the sums; A D <= alpha
C B at all mixtures if at those of every two priors (docs/certificate.md): a form in two weights.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import lcm
from typing import Any

from .level import ONE, read_bounds, read_level, within
from .reading import Rejected, afford, fields, indices, need, number, read_table, total
from .relation import read_secrets


def check_mixtures(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    (level, delta), leakage = read_level(claim["level"]), claim["leakage"]
    need(delta == 0, "delta is 0")
    cells = dict(_cells(relation, model))
    if "vacuous" in leakage or not cells:
        need(leakage == {"vacuous": True} and not cells and not witness, "not vacuous", Rejected)
        return True
    bounds = read_bounds(leakage)
    if bounds is None:
        need(_needs(witness, cells, None), "the leakage is not proved infinite", Rejected)
        return False
    low, high = bounds
    need(all(_holds(cell, high) for cell in cells.values()), "the leakage is too small", Rejected)
    needed = _needs(witness, cells, low) if witness else low == 1
    need(needed, "the leakage is too large for the witness", Rejected)
    return within(level, low, high)


def _cells(relation: Any, model: Any) -> Iterator[tuple[Any, list[Any]]]:
    """A, B, C, D under each prior, all times one positive integer, for each ordered pair of secrets
    that some mixture makes possible, and each output."""
    fields(relation["priors"], "class priors")
    need((relation["rule"], relation["priors"]["class"]) == ("secrets", "hull"), "no hull")
    (values, columns), (secrets, pairs) = read_table(model), read_secrets(relation, model)
    priors = [list(map(number, weights)) for weights in relation["priors"]["priors"]]
    fit = all(len(p) == len(columns) and min(p) >= 0 and sum(p) == 1 for p in priors)
    need(fit, "a prior is no distribution on the worlds", Rejected)
    afford(len(pairs) * len(model["outputs"]) * len(priors) * (len(columns) + len(priors)))
    unit = lcm(*(x.denominator for prior in priors for x in prior))
    weights = [[int(x * unit) for x in prior] for prior in priors]
    rows = [[values[code] for code in row] for row in zip(*columns, strict=True)]

    def masses(worlds: Sequence[int], row: Sequence[Any]) -> list[Any]:
        return [total((p[w], row[w]) for w in worlds if p[w]) for p in weights]

    for s, t in pairs:
        b, d = (masses(secrets[name], [ONE] * len(columns)) for name in (s, t))
        for output, row in enumerate(rows) if any(b) and any(d) else ():
            a, c = (masses(secrets[name], row) for name in (s, t))
            unit = lcm(*(x.denominator for x in (*a, *c)))
            yield (s, t, output), [[int(x * unit) for x in p] for p in zip(a, b, c, d, strict=True)]


def _form(p: Sequence[Any], q: Sequence[Any]) -> tuple[Any, Any]:
    """The coefficients of u v in A D and in C B at u p + v q; for p = q twice those of u^2."""
    return p[0] * q[3] + q[0] * p[3], p[2] * q[1] + q[2] * p[1]


def _holds(cell: list[Any], alpha: Any) -> bool:
    """Whether A D <= alpha C B at all mixtures: 2x2 copositivity for every two priors."""
    a, b = alpha.as_integer_ratio()
    own = [b * n - a * d for n, d in (_form(p, p) for p in cell)]
    cross = (b * n - a * d for n, d in (_form(p, q) for p, q in combinations(cell, 2)))
    two = zip(cross, combinations(own, 2), strict=True)
    return max(own) <= 0 and all(h <= 0 or h * h <= f * g for h, (f, g) in two)


def _needs(witness: Any, cells: Any, alpha: Any) -> bool:
    """Whether no level below alpha (None: none at all) is enough: it is the ratio at a mixture, or
    its limit towards the first prior of a segment; or the segment fails at alpha."""
    mixed = "mixture" in witness
    fields(witness, "pair output mixture" if mixed else "pair output segment")
    cell = cells[(*witness["pair"], witness["output"])]
    if mixed:
        weights = list(map(number, witness["mixture"]))
        need(min(weights) >= 0, "a weight is negative")
        parts = zip(*cell, strict=True)
        p = q = [sum(w * x for w, x in zip(weights, part, strict=True)) for part in parts]
    else:
        p, q = (cell[k] for k in indices(witness["segment"], len(cell)))
    (n, d), exact = _form(p, q), mixed or _form(p, p) == (0, 0)
    if exact and n > 0 and (d == 0 if alpha is None else n == alpha * d):
        return True
    return not mixed and alpha is not None and not _holds([p, q], alpha)
