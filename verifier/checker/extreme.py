"""The extreme ones of all mechanisms that have their rows in the row cone of one mechanism.

Let its rows be w_1, …, w_n. A mechanism with rows x_o = Σ_i y_oi w_i, y ≥ 0, is a post-processing
of the one with rows λ_i w_i for λ_i = Σ_o y_oi, and Σ_i λ_i w_i = (1, …, 1). So all are mixtures of
post-processings of those with rows λ_i w_i for the extreme λ ≥ 0 with this sum: such a λ is a mean
of extreme ones. The λ ≥ 0 for which Σ_i λ_i w_i is the same in every world are a cone, and its
extreme rays are known to be all by the argument for facets of row cones.
"""

from fractions import Fraction
from typing import Any

from .reading import Rejected, Table, afford, items, need, numbers
from .row_cone import check_rays, rank


def extreme_mechanisms(table: Table, sums: Any, rays: Any) -> list[Any]:
    """Those mechanisms, as they stand in a model, if the evidence proves that they are all.

    sums  n rows: the λ with Σ_i λ_i w_i the same in every world are λ_i = Σ_k sums[i][k] z_k
    rays  the z of the extreme λ ≥ 0
    """
    values, columns = table
    worlds = [[values[code] for code in column] for column in columns]
    rows, basis = list(zip(*worlds, strict=True)), list(map(numbers, items(sums)))
    size, width = len(rows), len(basis[0])
    need(len(basis) == size and all(len(part) == width for part in basis), "one entry for each row")
    afford(4 * size * width * len(worlds))
    for part in zip(*basis, strict=True):
        made = {sum(y * p for y, p in zip(part, world, strict=True)) for world in worlds}
        need(len(made) == 1, "a sum is not the same in every world", Rejected)
    differences = [[p - q for p, q in zip(world, worlds[0], strict=True)] for world in worlds]
    need(rank(differences) + width >= size, "there are more sums", Rejected)
    found = check_rays(basis, rays)
    afford(4 * len(found) * size * (width + len(worlds)))
    return [_mechanism(basis, ray, rows) for ray in found]


def _mechanism(
    basis: list[list[Fraction]], ray: tuple[int, ...], rows: list[tuple[Fraction, ...]]
) -> Any:
    """The mechanism with rows λ_i w_i, those with λ_i = 0 left out."""
    factors = [sum(b * z for b, z in zip(part, ray, strict=True)) for part in basis]
    share = Fraction(1, sum(y * row[0] for y, row in zip(factors, rows, strict=True)))
    table = [[y * share * p for p in row] for y, row in zip(factors, rows, strict=True) if y]
    values = sorted({p for row in table for p in row})
    place = {value: code for code, value in enumerate(values)}
    columns = [[place[p] for p in column] for column in zip(*table, strict=True)]
    outputs = [str(k) for k in range(len(table))]
    return {"outputs": outputs, "values": values, "columns": columns}
