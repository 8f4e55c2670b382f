"""What randomized response protects: the numbers of models/row-cone, by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import product
from math import prod
from typing import Any

import pytest

from tests.models import facet_models, row_cone_statements
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
    given,
    hamming,
    independent,
    one_differs,
    pufferfish,
    values_of_each_record,
)
from tests.models.closures import guessing, has_rows_of, is_made_of, is_refuted_by
from tests.models.implications import definitions_compared, extreme_rows, policies_compared
from tests.models.model_files import confirm, confirm_engine, files, once

FOLDER = "row-cone"
BITS = (0, 1)
P = F(3, 4)


def anybody(w: object, v: object) -> bool:
    return True


def response(records: int) -> Mechanism:
    return {w: independent([coin(P if x else 1 - P) for x in w]) for w in databases(records, BITS)}


def parity_of_response(records: int, bits: int) -> Mechanism:
    """The parity of the first responses: a post-processing of randomized response."""
    return {w: apply(row, lambda o: sum(o[:bits]) % 2) for w, row in response(records).items()}


def parity_with_truth(truth: F) -> Mechanism:
    return {w: coin(truth if sum(w) % 2 else 1 - truth) for w in databases(2, BITS)}


def bits(*chances: F) -> Prior:
    return independent([coin(q) for q in chances])


def parity_of(number: int) -> list[tuple[Secret, Secret]]:
    return [(lambda w: sum(w[:number]) % 2 == 0, lambda w: sum(w[:number]) % 2 == 1)]


def facets(records: int) -> list[dict[Any, F]]:
    """Theorem 4.3: one facet for each bit string s, coefficients p^ham (p-1)^(k-ham)."""
    return [
        {
            w: P ** hamming(s, w) * (P - 1) ** (records - hamming(s, w))
            for w in databases(records, BITS)
        }
        for s in product(BITS, repeat=records)
    ]


def rows(mechanism: Mechanism) -> list[dict[Any, F]]:
    outputs = {o for row in mechanism.values() for o in row}
    return [{w: row.get(o, F(0)) for w, row in mechanism.items()} for o in sorted(outputs, key=str)]


def is_in_row_cone(mechanism: Mechanism, records: int) -> bool:
    return all(
        sum(facet[w] * row[w] for w in row) >= 0
        for facet in facets(records)
        for row in rows(mechanism)
    )


def test_the_quiet_parity_lies_on_the_facets_and_anything_louder_beyond() -> None:
    quiet = parity_with_truth(F(5, 8))
    assert quiet == parity_of_response(2, 2)
    assert is_in_row_cone(quiet, 2)
    assert not is_in_row_cone(parity_with_truth(F(5, 8) + F(1, 10**9)), 2)
    assert not is_in_row_cone(parity_with_truth(P), 2)


@pytest.mark.parametrize("records", [2, 3])
def test_each_facet_touches_all_rows_of_randomized_response_but_one(records: int) -> None:
    """The cone is simplicial: 2^k rows, 2^k facets, each facet opposite to one row."""
    for facet in facets(records):
        products = [sum(facet[w] * row[w] for w in row) for row in rows(response(records))]
        assert sorted(products)[:-1] == [0] * (2**records - 1)
        assert max(products) == prod([2 * P - 1] * records)


def test_attacker_1_never_changes_his_mind_but_may_be_confirmed() -> None:
    """P(output | odd) <= 5/3 P(output | even), with equality for three outputs of four."""
    prior = bits(P, P)
    (even, odd) = (given(response(2), prior, secret) for secret in parity_of(2)[0])
    ratios = {output: odd[output] / even[output] for output in even}
    assert ratios == {(0, 0): F(5, 3), (0, 1): F(5, 3), (1, 0): F(5, 3), (1, 1): F(15, 41)}


def response_of_two() -> list[Level]:
    quiet, loud = parity_with_truth(F(5, 8)), parity_with_truth(P)
    attacker = [bits(P, P)]
    return [
        F(len(facets(2))),
        differential_privacy(loud, one_differs),
        differential_privacy(response(2), one_differs),
        differential_privacy(quiet, one_differs),
        pufferfish(quiet, attacker, parity_of(2)),
        pufferfish(loud, attacker, parity_of(2)),
        pufferfish(response(2), attacker, parity_of(2)),
        is_made_of(quiet, (F(1), response(2), lambda o: {sum(o) % 2: F(1)})),
        is_refuted_by(broken_facet(), loud, [response(2)]),
    ]


def broken_facet() -> dict[int, dict[Any, F]]:
    """The facet of the string 00, turned, and paid where the output says that the parity is odd."""
    return {1: {w: -value for w, value in facets(2)[0].items()}}


def parity_of_more_bits() -> list[Level]:
    levels = [differential_privacy(parity_of_response(4, k), one_differs) for k in (1, 2, 3, 4)]
    return [*levels, levels[-1]]


def four_attackers() -> list[Level]:
    attackers = [bits(q, r) for q in (P, 1 - P) for r in (P, 1 - P)]
    mechanisms = [
        parity_with_truth(F(5, 8)),
        parity_with_truth(F(625000001, 10**9)),
        parity_of_response(2, 1),
    ]
    return [pufferfish(m, attackers, parity_of(2)) for m in mechanisms]


def undecided_attacker() -> list[Level]:
    prior = [bits(F(1, 2), P)]
    second_bit = values_of_each_record(2, BITS)[1:]
    return [
        pufferfish(response(2), prior, parity_of(2)),
        pufferfish(response(2), prior, second_bit),
    ]


def any_prior(mechanism: Mechanism, pair: tuple[Secret, Secret]) -> Level:
    """Pufferfish paper, Thm 3.1: without assumptions every pair of worlds across the secrets."""
    first, second = pair
    return differential_privacy(
        mechanism, lambda w, v: (first(w) and second(v)) or (second(w) and first(v))
    )


def three_bits() -> list[Level]:
    three_sure, two_sure = bits(P, 1 - P, P), bits(P, P, F(1, 2))
    two, three = parity_of_response(3, 2), parity_of_response(3, 3)
    return [
        F(len(facets(3))),
        pufferfish(three, [three_sure], parity_of(3)),
        pufferfish(two, [two_sure], parity_of(2)),
        pufferfish(three, [two_sure], parity_of(2)),
        any_prior(response(3), parity_of(3)[0]),
        any_prior(response(3), parity_of(2)[0]),
    ]


def many_definitions() -> list[Level]:
    m = response(2)
    neighbours = differential_privacy(m, one_differs)
    pairs = values_of_each_record(2, BITS)
    uniform = pufferfish(m, [bits(F(1, 2), F(1, 2))], pairs)
    every_pair = max(any_prior(m, pair) for pair in pairs)
    # Metric, Blowfish and induced neighbours: the same single changes (a change of both bits is
    # not minimal); independent records: Thm 6.1.
    return [*[neighbours] * 5, uniform, differential_privacy(m, anybody), every_pair]


def erasure() -> list[Level]:
    half = F(1, 2)
    m: dict[str, Row] = {w: {w: half, "nothing": half} for w in ("left", "right")}
    identity: dict[str, Row] = {w: {w: F(1)} for w in ("left", "right")}
    return [
        differential_privacy(m, anybody),
        differential_privacy(identity, anybody),
        differential_privacy(m, anybody, half),
        differential_privacy(identity, anybody, half),
        is_made_of(m, (F(1), identity, lambda o: {o: half, "nothing": half})),
        has_rows_of(identity, m, {w: {w: F(2)} for w in ("left", "right")}),
        is_refuted_by(guessing(["left", "right"]), identity, [m]),
        # whatever is made of erasure
        is_made_of(m, (F(1), identity, lambda o: {o: half, "nothing": half})),
        # the identity, whose rows are in the row cone
        is_refuted_by(guessing(["left", "right"]), identity, [m]),
    ]


def two_mechanisms() -> list[Level]:
    sides, half, other = ("left", "right"), F(1, 2), {"left": "right", "right": "left"}
    erasure: dict[str, Row] = {w: {w: half, "nothing": half} for w in sides}
    response, guess, sharper = (
        {w: {w: truth, other[w]: 1 - truth} for w in sides} for truth in (F(4, 5), P, F(5, 6))
    )
    one_of_them: dict[str, Row] = {
        w: {f"seen {w}": F(1, 4), "nothing": F(1, 4), w: F(2, 5), other[w]: F(1, 10)} for w in sides
    }
    certain = {"left": {"left": 1, "right": -4}}  # left is at most four times likelier than right

    def guessed(o: str) -> Row:
        return {"left": half, "right": half} if o == "nothing" else {o: F(1)}

    named = {f"seen {w}": {w: 1} for w in sides} | guessing(sides)
    return [
        is_refuted_by(certain, erasure, [response]),
        is_refuted_by(guessing(sides), response, [erasure]),
        is_made_of(guess, (F(1), erasure, guessed)),
        is_made_of(
            one_of_them,
            (half, erasure, lambda o: {o if o == "nothing" else f"seen {o}": F(1)}),
            (half, response, lambda o: {o: F(1)}),
        ),
        is_refuted_by(named | {"nothing": dict.fromkeys(sides, half)}, one_of_them, [erasure]),
        is_refuted_by({"seen left": certain["left"]}, one_of_them, [response]),
        has_rows_of(sharper, erasure, {w: {w: F(5, 3), other[w]: F(1, 3)} for w in sides}),
        is_refuted_by(guessing(sides), sharper, [erasure, response]),
        is_refuted_by(guessing(sides), sharper, [one_of_them, guess, response]),
    ]


def less_truth() -> list[Level]:
    worlds = databases(3, BITS)

    def kept(truth: F) -> Mechanism:
        return {w: independent([coin(truth if x else 1 - truth) for x in w]) for w in worlds}

    def again(truth: F) -> Callable[[Any], Row]:
        return lambda o: independent([coin(truth if x else 1 - truth) for x in o])

    def parity(number: int, truth: F) -> Mechanism:
        return {w: coin(truth if sum(w[:number]) % 2 else 1 - truth) for w in worlds}

    def told(number: int) -> Callable[[Any], Row]:
        return lambda o: {sum(o[:number]) % 2: F(1)}

    def undone(truth: F) -> F:
        """With what to keep a bit once more, so that it is kept with P in all."""
        return (P + truth - 1) / (2 * truth - 1)

    hair = F(1, 10**30)
    naming = {o: {w: F(w[0] == o[0]) for w in worlds} for o in worlds}
    odd = {o: {w: F(sum(w[:2]) % 2 == o) for w in worlds} for o in BITS}
    return [
        is_made_of(kept(P), (F(1), kept(F(4, 5)), again(F(11, 12)))),
        is_refuted_by(naming, kept(F(4, 5)), [kept(P)]),
        is_made_of(kept(P), (F(1), kept(P + hair), again(undone(P + hair)))),
        is_refuted_by(naming, kept(P + hair), [kept(P)]),
        is_made_of(parity(2, F(5, 8)), (F(1), kept(P), told(2))),
        is_refuted_by(odd, parity(2, F(5, 8) + hair), [kept(P)]),
        is_made_of(parity(3, F(9, 16)), (F(1), kept(P), told(3))),
    ]


def closures_compared() -> list[Level]:
    worlds = databases(2, BITS)

    def kept(truth: F) -> Mechanism:
        return {w: independent([coin(truth if x else 1 - truth) for x in w]) for w in worlds}

    def again(o: Any) -> Row:
        return independent([coin(F(5, 6) if x else F(1, 6)) for x in o])

    def weights(row: Row) -> Row:
        """Of the rows of two responses with truth P, each column by the inverse of one bit's."""
        inverse = {True: P / (2 * P - 1), False: (P - 1) / (2 * P - 1)}
        return {
            o: sum(row[w] * inverse[o[0] == w[0]] * inverse[o[1] == w[1]] for w in worlds)
            for o in worlds
        }

    def parity(alpha: F) -> Mechanism:
        found = {w: coin(F(alpha if sum(w) % 2 else 1) / (1 + alpha)) for w in worlds}
        assert differential_privacy(found, one_differs) == alpha
        return found

    more, less = kept(P), kept(F(2, 3))
    assert all(
        weights({w: more[w][o] for w in worlds}) == {v: v == o for v in worlds} for o in more
    )
    # rows made with y >= 0 sum to 1 only if each y of the independent rows does
    within = all(
        min(weights(row).values()) >= 0 for row in extreme_rows(worlds, one_differs, F(5, 3))
    )
    facet = {w: F(-((-3) ** sum(w))) for w in worlds}  # Theorem 4.3 for the string 00, times 16
    naming = {o: {w: F(w == o) for w in worlds} for o in worlds}
    made = is_made_of(less, (F(1), more, again))
    return [
        is_refuted_by({1: facet}, parity(F(3)), [more]),
        within,
        is_refuted_by({1: facet}, parity(F("1.667")), [more]),
        made,
        is_refuted_by(naming, more, [less]),
        made,  # and less truth has independent rows, too
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    **facet_models.DERIVED,
    **row_cone_statements.DERIVED,
    "closures-compared.yaml": closures_compared,
    "definitions-compared.yaml": definitions_compared,
    "erasure.yaml": erasure,
    "four-attackers.yaml": four_attackers,
    "less-truth.yaml": less_truth,
    "one-mechanism-many-definitions.yaml": many_definitions,
    "parity-of-more-bits.yaml": parity_of_more_bits,
    "policies-compared.yaml": policies_compared,
    "row-cone-of-randomized-response.yaml": response_of_two,
    "three-bits.yaml": three_bits,
    "two-mechanisms.yaml": two_mechanisms,
    "undecided-attacker.yaml": undecided_attacker,
}


@pytest.mark.parametrize("file", files(FOLDER))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", files(FOLDER))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
