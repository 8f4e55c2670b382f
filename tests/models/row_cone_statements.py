"""Single statements of the row-cone paper: minds that are kept, closures, scaled rows, outputs."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations, product

from tests.models.brute_force import (
    Level,
    Row,
    apply,
    coin,
    databases,
    independent,
)
from tests.models.closures import is_made_of

QUARTER, HALF, P = F(1, 4), F(1, 2), F(3, 4)
Vector = tuple[F, ...]


def flipped(w: Sequence[int]) -> Row:
    return independent([coin(P if x else 1 - P) for x in w])


def closure_by_rows() -> list[Level]:
    """Each column of weights of the rows is a product of columns of the inverse of one bit's."""
    worlds = databases(3, (0, 1))
    inverse = {True: P / (2 * P - 1), False: (P - 1) / (2 * P - 1)}
    response = {w: flipped(w) for w in worlds}
    for o, v in product(worlds, worlds):
        found = sum(
            response[w][o] * inverse[v[0] == w[0]] * inverse[v[1] == w[1]] * inverse[v[2] == w[2]]
            for w in worlds
        )
        assert found == (o == v)  # so the rows are independent, and weights of rows unique
    number = {w: apply(row, sum) for w, row in response.items()}
    made = is_made_of(number, (F(1), response, lambda o: {sum(o): F(1)}))
    return [True, made, made]


def extreme_mechanisms(rays: Iterable[Vector]) -> set[frozenset[Vector]]:
    """All that is made of rays, summing to 1, and no mixture: by Cramer's rule for three worlds."""
    found = set()
    for a, b, c in combinations(rays, 3):
        ones = (F(1), F(1), F(1))
        if whole := determinant(a, b, c):
            parts = determinant(ones, b, c), determinant(a, ones, c), determinant(a, b, ones)
            weights = [part / whole for part in parts]
            if min(weights) >= 0:
                rows = zip(weights, (a, b, c), strict=True)
                found.add(frozenset(tuple(y * x for x in ray) for y, ray in rows if y))
    return found


def determinant(a: Vector, b: Vector, c: Vector) -> F:
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1])
        - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def own_closures() -> list[Level]:
    """Rows of Pufferfish at 2 lie between extreme ones, so do those of differential privacy."""
    zero, one, two = F(0), F(1), F(2)
    believed = [(two, zero, t) for t in (HALF, two)] + [(zero, two, t) for t in (HALF, two)]
    third, twelfth = F(1, 3), F(1, 12)
    first = {(third, zero, twelfth), (2 * third, zero, 2 * third), (zero, one, QUARTER)}
    assert extreme_mechanisms(believed) == {
        frozenset(first),
        frozenset((y, x, z) for x, y, z in first),
    }
    near = [row for row in product((one, two), repeat=3) if len(set(row)) == 2]
    single = [row for row in near if sum(row) == 4]
    double = [tuple(3 - x for x in row) for row in single]
    assert extreme_mechanisms(near) == {
        frozenset(tuple(x / 4 for x in row) for row in single),
        frozenset(tuple(x / 5 for x in row) for row in double),
        *(
            frozenset({tuple(x / 3 for x in row), tuple(x / 3 for x in other)})
            for row, other in zip(single, double, strict=True)
        ),
    }
    return [True, two, True, two, two, two]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "closure-by-rows.yaml": closure_by_rows,
    "own-closures.yaml": own_closures,
}
