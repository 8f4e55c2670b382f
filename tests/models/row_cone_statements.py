"""Single statements of the row-cone paper: minds that are kept, closures, scaled rows, outputs."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from typing import Any

from tests.models.brute_force import (
    Level,
    Mechanism,
    Prior,
    Row,
    Secret,
    apply,
    coin,
    databases,
    differential_privacy,
    hamming,
    independent,
    pufferfish,
    values_of_each_record,
)
from tests.models.closures import has_rows_of, is_made_of, is_refuted_by

WORLDS = databases(2, (0, 1))
QUARTER, HALF, P = F(1, 4), F(1, 2), F(3, 4)
EVEN_ODD: list[tuple[Secret, Secret]] = [(lambda w: sum(w) % 2 == 0, lambda w: sum(w) % 2 == 1)]
Vector = tuple[F, ...]


def flipped(w: Sequence[int]) -> Row:
    return independent([coin(P if x else 1 - P) for x in w])


def parity(truth: F) -> Mechanism:
    return {w: coin(truth if sum(w) % 2 else 1 - truth) for w in WORLDS}


def bits(*chances: F) -> Prior:
    return independent([coin(q) for q in chances])


def keeps_mind(mechanism: Mechanism, prior: Prior, sides: tuple[Secret, Secret]) -> bool:
    """After each output the first side is at least as likely as the second, as before."""
    outputs = {o for row in mechanism.values() for o in row}

    def mass(side: Secret, output: Any) -> F:
        return sum((p * mechanism[w].get(output, F(0)) for w, p in prior.items() if side(w)), F(0))

    first, second = sides
    assert sum(p for w, p in prior.items() if first(w)) > sum(
        p for w, p in prior.items() if second(w)
    )
    return all(mass(first, o) >= mass(second, o) for o in outputs)


def posterior_odds() -> list[Level]:
    """Theorem 4.5: the facet of the string s is what keeps the mind of the attacker of s."""
    response = {w: flipped(w) for w in WORLDS}
    at_p = bits(P, P)
    second_bit: tuple[Secret, Secret] = (lambda w: w[1] == 1, lambda w: w[1] == 0)
    for s in WORLDS:
        facet = {w: P ** hamming(s, w) * (P - 1) ** (2 - hamming(s, w)) for w in WORLDS}
        prior = bits(*(1 - P if x else P for x in s))
        odds = sum(p for w, p in prior.items() if sum(w) % 2 == sum(s) % 2) / F(3, 8)
        assert odds == F(5, 3)  # so that a ratio within 5/3 keeps them at 1
        assert all(abs(facet[w]) == prior[w] for w in WORLDS)
        assert all((facet[w] > 0) == (sum(w) % 2 == sum(s) % 2) for w in WORLDS)
    louder = F("1.667") / F("2.667")
    attackers = [bits(q, r) for q in (P, 1 - P) for r in (P, 1 - P)]
    assert pufferfish(parity(louder), attackers, EVEN_ODD) == F("1.667")
    return [
        keeps_mind(response, at_p, EVEN_ODD[0]),
        keeps_mind(parity(F(5, 8)), at_p, EVEN_ODD[0]),
        keeps_mind(parity(F("0.625000001")), at_p, EVEN_ODD[0]),
        keeps_mind(response, bits(F(4, 5), F(9, 10)), EVEN_ODD[0]),
        keeps_mind(response, bits(F(7, 10), F(7, 10)), EVEN_ODD[0]),
        keeps_mind(response, bits(HALF, P), second_bit),
        True,  # by the assertions above
        keeps_mind(parity(louder), at_p, EVEN_ODD[0]),
    ]


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


def anonymous_tables() -> list[Level]:
    worlds = databases(2, (20, 30, 40))
    table: Mechanism = {w: {(min(w), max(w)): F(1)} for w in worlds}
    middle: Mechanism = {w: {F(sum(w), 2): F(1)} for w in worlds}
    made = is_made_of(middle, (F(1), table, lambda o: {F(sum(o), 2): F(1)}))
    naming = {o: {w: F(w == o) for w in worlds} for o in ((20, 40), (30, 30))}
    return [made, is_refuted_by(naming, table, [middle])]


def scaled_rows() -> list[Level]:
    first = {w: coin(P if w[0] else 1 - P) for w in WORLDS}
    third = F(1, 3)
    colours = {
        w: {"red": p[1] * third, "blue": p[1] * 2 * third, 0: p[0]} for w, p in first.items()
    }
    friends = {w: F(3 if w[0] == w[1] else 1, 8) for w in WORLDS}
    pairs = values_of_each_record(2, (0, 1))
    # of two values a = x_00 = x_01 and b = x_10 = x_11 the rows (3, 1) and (1, 3): 3a >= b, 3b >= a
    level = differential_privacy(first, lambda w, v: True)
    assert level == 3
    both = {w: flipped(w) for w in WORLDS}
    assert both[0, 0][0, 0] != both[0, 1][0, 0]
    return [
        has_rows_of(first, colours, {1: {"red": F(1), "blue": F(1)}, 0: {0: F(1)}}),
        has_rows_of(colours, first, {"red": {1: third}, "blue": {1: 2 * third}, 0: {0: F(1)}}),
        pufferfish(first, [friends], pairs),
        pufferfish(colours, [friends], pairs),
        F(2),
        False,
    ]


def which_facet() -> list[Level]:
    yes = {(0, 0): F(3, 5), (0, 1): HALF, (1, 0): HALF, (1, 1): F(1, 5)}
    for row in (yes, {w: 1 - p for w, p in yes.items()}):  # Equation (3) with p = 3/4, times 16
        assert 9 * row[0, 0] + row[1, 1] >= 3 * row[0, 1] + 3 * row[1, 0]
    assert yes[0, 0] + 9 * yes[1, 1] < 3 * yes[0, 1] + 3 * yes[1, 0]  # Equations (4) and (7)
    mechanism = {w: coin(p) for w, p in yes.items()}
    return [
        pufferfish(mechanism, [bits(1 - P, 1 - P)], EVEN_ODD),
        pufferfish(mechanism, [bits(P, P)], EVEN_ODD),
    ]


def outputs_that_tell_nothing() -> list[Level]:
    def told(output: tuple[int, int]) -> Mechanism:
        return {w: coin(flipped(w)[output]) for w in WORLDS}

    prior = [bits(HALF, P)]
    assert [pufferfish(told(o), prior, EVEN_ODD) for o in ((1, 1), (1, 0))] == [F(7, 3), 1]
    return [pufferfish(told(o), prior, EVEN_ODD) for o in ((0, 1), (0, 0))]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "anonymous-tables.yaml": anonymous_tables,
    "closure-by-rows.yaml": closure_by_rows,
    "outputs-that-tell-nothing.yaml": outputs_that_tell_nothing,
    "own-closures.yaml": own_closures,
    "posterior-odds.yaml": posterior_odds,
    "scaled-rows.yaml": scaled_rows,
    "which-facet.yaml": which_facet,
}
