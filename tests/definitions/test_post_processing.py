"""Mixtures of post-processings against real arithmetic, and the theorems about them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Draw, Json, decide
from tests.definitions.rows import exists
from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.definitions import post_processing
from verifier.definitions._plain import Matrix
from verifier.questions.answer import Answer

F = Fraction
HAIR = F(1, 10**30)
EXAMPLES = examples(40)

Rows = list[list[Fraction]]


def transposed(matrix: Matrix) -> Rows:
    return [list(line) for line in zip(*matrix, strict=True)]


def spec_of(given: Sequence[Matrix], wanted: Matrix) -> Json:
    """The check whether one matrix (rows: outputs) is a mixture of post-processings of others."""
    worlds = [f"w{k}" for k in range(len(wanted[0]))]
    mechanisms = {
        name: {
            "table": {
                "outputs": [f"{name}.{k}" for k in range(len(matrix))],
                **{w: list(map(str, c)) for w, c in zip(worlds, transposed(matrix), strict=True)},
            }
        }
        for name, matrix in [("m", wanted), *((f"g{k}", rows) for k, rows in enumerate(given))]
    }
    check = {"post_processing": {"of": list(mechanisms)[1:]}, "mechanism": "m"}
    return {"worlds": worlds, "mechanisms": mechanisms, "checks": [check]}


def answer(given: Sequence[Matrix], wanted: Matrix) -> Answer:
    """The accepted answer, its evidence evaluated by the plain definition."""
    found = decide(spec_of(given, wanted))
    assert found.certificate is not None
    evidence = found.certificate["evidence"]["witness"]
    if found.verdict == "holds":
        parts, used = [], []
        for k, rows in enumerate(given):
            table = [[F(0)] * len(rows) for _ in wanted]
            for row, terms in zip(table, evidence["weights"], strict=True):
                for at, output, y in terms:
                    if at == k:
                        row[output] += F(y)
            weights = {sum(column) for column in transposed(table)}
            if weights != {0}:
                (weight,) = weights
                parts.append((weight, [[y / weight for y in row] for row in table]))
                used.append(rows)
        assert sum(p for p, _ in parts) == 1
        assert post_processing.value(used, parts) == [list(row) for row in wanted]
        return found
    none = ["0"] * len(wanted[0])
    payoff = [[F(u) for u in evidence["payoff"].get(str(o), none)] for o in range(len(wanted))]
    earned = sum(
        u * p for us, ps in zip(payoff, wanted, strict=True) for u, p in zip(us, ps, strict=True)
    )
    shown = found.witness.as_json()
    assert earned == F(shown["earns"]) > F(shown["best"]) == post_processing.best(given, payoff)
    return found


@st.composite
def stochastic(draw: Draw, outputs: int, columns: int) -> Rows:
    """A matrix of probabilities, each column a distribution."""
    return transposed([draw(drawn.distributions(outputs)) for _ in range(columns)])


@st.composite
def questions(draw: Draw) -> tuple[list[Rows], Rows]:
    """Given mechanisms and one that may be a mixture, or is one, or is a hair beside one."""
    worlds = draw(st.integers(2, 4))
    given = [transposed(draw(drawn.matrices(worlds))) for _ in range(draw(st.integers(1, 3)))]
    if draw(st.integers(0, 2)) == 0:
        return given, transposed(draw(drawn.matrices(worlds)))
    outputs = draw(st.integers(2, 4))
    weights = draw(drawn.distributions(len(given)))
    parts = [(p, draw(stochastic(outputs, len(m)))) for p, m in zip(weights, given, strict=True)]
    wanted = [list(row) for row in post_processing.value(given, parts)]
    if draw(st.booleans()):
        world = draw(st.integers(0, worlds - 1))
        o, other = draw(st.permutations(range(outputs)))[:2]
        moved = min(HAIR, wanted[o][world])
        wanted[o][world] -= moved
        wanted[other][world] += moved
    return given, wanted


@pytest.mark.oracle
@EXAMPLES
@given(questions())
def test_engine_plain_definition_and_real_arithmetic_agree(
    question: tuple[list[Rows], Rows],
) -> None:
    given, wanted = question
    found = answer(given, wanted)
    assert (found.verdict == "holds") == exists(given, wanted)
    if found.witness and "output" in found.witness.as_json():
        assert F(found.witness.as_json()["best"]) == 0


@EXAMPLES
@given(st.data())
def test_whatever_is_made_passes_and_so_does_what_is_made_of_that(data: st.DataObject) -> None:
    worlds = data.draw(st.integers(2, 4))
    first = transposed(data.draw(drawn.matrices(worlds)))
    second = made(first, data.draw(stochastic(3, len(first))))
    third = made(second, data.draw(stochastic(2, 3)))
    for start, end in ((first, second), (second, third), (first, third)):
        assert answer([start], end).verdict == "holds"


def test_outputs_that_differ_beyond_floats() -> None:
    """Two worlds differ by 3/10^40, which one output of three keeps."""
    one = 10**40 + 10
    worlds = [[F(one - 3, one), F(0), F(3, one)], [F(one - 3, one), F(3, one), F(0)]]
    processing = [[F(0), F(0), F(1, 2)], [F(1), F(1, 2), F(0)], [F(0), F(1, 2), F(1, 2)]]
    second = made(transposed(worlds), processing)
    third = made(second, [[F(0)] * 3, [F(1)] * 3])
    for start, end in ((transposed(worlds), second), (second, third)):
        assert answer([start], end).verdict == "holds"
    assert answer([second], transposed([[F(1), F(0)], [F(0), F(1)]])).verdict == "violated"


def made(given: Matrix, processing: Matrix) -> Rows:
    return [list(row) for row in post_processing.value([given], [(F(1), processing)])]


def response(bits: int, truth: Fraction) -> Rows:
    worlds = list(product((0, 1), repeat=bits))
    return [
        [
            prod((truth if a == b else 1 - truth for a, b in zip(o, w, strict=True)), start=F(1))
            for w in worlds
        ]
        for o in worlds
    ]


def parity(bits: int, truth: Fraction) -> Rows:
    sides = [sum(w) % 2 for w in product((0, 1), repeat=bits)]
    return [[truth if side == told else 1 - truth for side in sides] for told in (0, 1)]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_less_truth_is_made_of_more(bits: int) -> None:
    """Keeping each bit with 1/2 < q <= p is keeping it with p, then with (q + p - 1)/(2p - 1)."""
    ascending = [F(1, 2), F(2, 3), F(3, 4), F(3, 4) + HAIR, F(4, 5), F(1)]
    for low in ascending:
        for high in ascending:
            found = answer([response(bits, high)], response(bits, low))
            assert found.verdict == ("holds" if low <= high else "violated")


@pytest.mark.oracle
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_a_parity_of_responses_has_a_threshold(bits: int) -> None:
    """Responses with truth 3/4 know the parity of k bits with (1 + 2**-k)/2, 5/8 for two."""
    most = (1 + F(1, 2**bits)) / 2
    for truth, verdict in ((most, "holds"), (most + HAIR, "violated"), (most - HAIR, "holds")):
        assert answer([response(bits, F(3, 4))], parity(bits, truth)).verdict == verdict
        if bits < 4:
            assert exists([response(bits, F(3, 4))], parity(bits, truth)) == (verdict == "holds")


def test_the_facet_that_a_loud_parity_breaks() -> None:
    """Theorem 4.3: coefficients p^ham(s, w) (p - 1)^(2 - ham(s, w)) for a string s, of one sign."""
    found = answer([response(2, F(3, 4))], parity(2, F(3, 4)))
    assert found.witness is not None
    (pays,) = found.witness.as_json()["payoff"].values()
    worlds = list(product((0, 1), repeat=2))
    facets = [
        [prod(3 if a != b else -1 for a, b in zip(s, w, strict=True)) for w in worlds]
        for s in worlds
    ]
    coefficients = [int(pays[f"w{k}"]) for k in range(4)]
    assert coefficients in facets or [-u for u in coefficients] in facets


def test_rows_inside_and_yet_no_mixture() -> None:
    """Erasure: the world is guessed with 3/4 at best, the identity knows it."""
    half = F(1, 2)
    erasure = [[half, F(0)], [F(0), half], [half, half]]
    identity = [[F(1), F(0)], [F(0), F(1)]]
    found = answer([erasure], identity)
    assert found.verdict == "violated" and found.witness is not None
    assert "output" not in found.witness.as_json()
    sizes = [int(u) for pays in found.witness.as_json()["payoff"].values() for u in pays.values()]
    assert max(map(abs, sizes)) == 1
    assert answer([identity], erasure).verdict == "holds"
    assert answer([erasure, identity], identity).verdict == "holds"


def test_impossible_and_proportional_outputs() -> None:
    third = F(1, 3)
    given = [[F(0), F(0)], [third, third], [third, F(0)], [third, 2 * third]]
    wanted = [[third / 2, third / 2], [F(0), F(0)], [third / 2, third / 2], [2 * third, 2 * third]]
    assert answer([given], wanted).verdict == "holds"
    assert answer([wanted], given).verdict == "violated"


def test_worlds_that_look_alike() -> None:
    """What no given mechanism tells apart, no post-processing does."""
    same = [[F(1), F(1), F(0)], [F(0), F(0), F(1)]]
    found = answer([same], [[F(1), F(0), F(0)], [F(0), F(1), F(1)]])
    assert found.witness is not None
    assert set(found.witness.as_json()["likelier"]) | set(found.witness.as_json()["than"]) == {
        "w0",
        "w1",
    }


@pytest.mark.parametrize(
    ("options", "code"),
    [({}, "S016"), ({"of": []}, "S018"), ({"of": ["nobody"]}, "S106"), ({"to": ["g0"]}, "S015")],
)
def test_what_is_given(options: Json, code: str) -> None:
    spec: Any = spec_of([[[F(1), F(1)]]], [[F(1), F(1)]])
    spec["checks"][0]["post_processing"] = options
    with pytest.raises(InputError) as error:
        decide(spec)
    assert error.value.code == code


def test_names_and_mechanisms_on_the_spot() -> None:
    spec: Any = spec_of([[[F(1), F(1)]]], [[F(1), F(1)]])
    for of in ("g0", ["g0", "g0"], [{"deterministic": "world"}, "g0"]):
        spec["checks"][0]["post_processing"] = {"of": of}
        assert decide(spec).verdict == "holds"
