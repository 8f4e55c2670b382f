"""Expected errors against plain loops over outputs and worlds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import decide
from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.base.exponential import power
from verifier.definitions import error
from verifier.questions.answer import Answer
from verifier.questions.witness import ErrorWitness

HAIR = Fraction(1, 10**30)
LOSSES: dict[str, Any] = {  # of output o, in the world in which ann has x and bob y
    "(output - ann) ** 2": lambda o, x, y: (o - x) ** 2,
    "abs(output - ann * bob) - 1/7": lambda o, x, y: abs(o - x * y) - Fraction(1, 7),
    "0 if output <= bob else 10**20": lambda o, x, y: 0 if o <= y else 10**20,
}


def answer(spec: Any) -> Answer:
    return decide(spec)


@examples(40)
@given(st.data())
def test_the_error_is_the_mean_of_losses(data: st.DataObject) -> None:
    domain = [Fraction(x) for x in data.draw(st.sampled_from(drawn.NUMBERS))]
    worlds = [(x, y) for x in domain for y in domain]
    outputs = data.draw(st.sampled_from([["0", "1"], ["1/2", "0", "-3"]]))
    columns = [data.draw(drawn.distributions(len(outputs))) for _ in worlds]
    text = data.draw(st.sampled_from(sorted(LOSSES)))
    of_world = [
        sum(p * LOSSES[text](Fraction(o), *w) for o, p in zip(outputs, column, strict=True))
        for w, column in zip(worlds, columns, strict=True)
    ]
    prior = data.draw(st.none() | drawn.distributions(len(worlds)))
    mean = sum(p * x for p, x in zip(prior or [], of_world, strict=False))
    value = max(of_world) if prior is None else mean
    rows = [list(row) for row in zip(*columns, strict=True)]
    losses = [[Fraction(LOSSES[text](Fraction(o), *w)) for w in worlds] for o in outputs]
    assert error.value(losses, rows, prior) == value
    texts = [str(x) for x in domain]
    names = [drawn.world_name(w, domain, absent=False) for w in worlds]
    table = {w: list(map(str, column)) for w, column in zip(names, columns, strict=True)}
    spec: Any = {
        "worlds": {"records": ["ann", "bob"], "domain": texts},
        "mechanism": {"table": {"outputs": outputs, **table}},
    }
    options: Any = {"loss": text}
    if prior is not None:
        options["prior"] = {"worlds": dict(zip(names, map(str, prior), strict=True))}
    for bound, holds in (
        ({}, True),
        ({"equals": str(value)}, True),
        ({"equals": str(value + HAIR)}, False),
        ({"at_most": str(value)}, True),
        ({"at_most": str(value - HAIR)}, False),
    ):
        found = answer({**spec, "checks": [{"error": {**options, **bound}}]})
        assert (found.value, found.verdict) == (value, "holds" if holds else "violated")
        if prior is None:
            assert found.shown == ErrorWitness(value, names[of_world.index(value)])
        else:
            assert found.shown is None


BIT: Any = {"worlds": {"records": ["ann"], "domain": ["0", "1"]}}


@pytest.mark.parametrize(
    ("mechanism", "loss", "value"),
    [
        ({"deterministic": "(ann / 3, 'yes')"}, "abs(output[0] - ann)", "2/3"),
        ({"deterministic": "(ann / 3, ann == 1)"}, "1 if output[1] else output[0]", "1"),
        ({"deterministic": "ann == 1"}, "0 if output else 1", "1"),
        ({"deterministic": "-ann / 3"}, "ann - output", "4/3"),
        ({"compose": [{"deterministic": "world"}] * 2}, "abs(output[0] - ann) + output[1]", "1"),
        ({"deterministic": "((-ann, 1), 'a, b')"}, "1 if output[1] == 'a, b' else 0", "1"),
        ({"deterministic": "((-ann, 1), 'a, b')"}, "-output[0][0]", "1"),
        ({"compose": [{"deterministic": "ann"}, {"deterministic": "'no'"}]}, "output[0]", "1"),
        (
            {"compose": [{"deterministic": "ann"}, {"deterministic": "'no'"}]},
            "5 if output[1] == 'no' else 0",
            "5",
        ),
        (
            {"post_process": {"of": {"deterministic": "ann"}, "map": {"0": "(a b", "1": "c"}}},
            "3 if output == '(a b' else 2",
            "3",
        ),
        (
            {"program": "return '1' if draw(bernoulli(1/4)) == 1 else 1"},
            "4 if output == '1' else 0",
            "1",
        ),
        (
            {"program": "return draw(geometric(center=ann, ratio=1/2)) >= 1"},
            "0 if output == (ann == 1) else 1",
            "1/3",
        ),
    ],
)
def test_outputs_are_values(mechanism: Any, loss: str, value: str) -> None:
    """Numbers, words, truths and lists, as the mechanism made them."""
    spec = {**BIT, "mechanism": mechanism, "checks": [{"error": {"loss": loss}}]}
    assert answer(spec).value == Fraction(value)


NAMES = [["n", "y"], ["0", "1"], ["00", "01"], ["10", "01"], ["1/0", "0/1"], ["True", "False"]]
WORLDS: Any = {"records": ["ann", "bob"]}
RESPONSE: Any = {"randomized_response": {"truth": "3/4"}}
OF_WORLDS = {  # of an answer that is a database: each entry is right with probability 3/4
    "0 if output == world else 1": "7/16",
    "0 if world == output else 1": "7/16",
    "0 if output == (ann, bob) else 1": "7/16",
    "0 if output in [world, (ann, bob)] else 1": "7/16",
    "0 if output[0] == ann else 1": "1/4",
    "0 if output.bob == bob else 1": "1/4",
    "0 if [output.ann, output[1]] == world else 1": "7/16",
    "hamming(output, world)": "1/2",
    "1 if output in twins and world in twins else 0": "5/8",  # in the worst world
}


def of_pairs(domain: list[str]) -> list[str]:
    """The names of all databases of two records."""
    texts = [str(Fraction(text)) if text == "0/1" else text for text in domain]
    pairs = [(a, b) for a in texts for b in texts]
    short = all(len(text) == 1 for text in texts)
    return ["".join(pair) if short else f"({', '.join(pair)})" for pair in pairs]


def test_an_output_made_of_values_is_the_world() -> None:
    """Whatever its text looks like, and however the mechanism is written."""
    for domain in NAMES:
        names = of_pairs(domain)
        table = [["9/16", "3/16", "3/16", "1/16"], ["3/16", "9/16", "1/16", "3/16"]]
        rows = [*table, *(row[::-1] for row in table[::-1])]
        listed = dict(zip(names, rows, strict=True))
        one = RESPONSE["randomized_response"]
        for mechanism in (
            RESPONSE,
            {"local": {"randomized_response": one}},
            {"table": {"outputs": names, **listed}},
            {"post_process": {"of": RESPONSE, "map": dict(zip(names, names, strict=True))}},
            {"mixture": [{"weight": "1", "mechanism": RESPONSE}]},
        ):
            spec = {
                "worlds": {**WORLDS, "domain": domain},
                "secrets": {"twins": "ann == bob"},
                "mechanism": mechanism,
                "checks": [{"error": {"loss": loss}} for loss in OF_WORLDS],
            }
            found = [answer({**spec, "checks": [check]}).value for check in spec["checks"]]
            assert found == list(map(Fraction, OF_WORLDS.values())), (domain, mechanism)


def test_a_world_that_is_an_element_and_one_that_is_excluded() -> None:
    """Two answers, of which the second is right with 9/16; and answers outside of `where`."""
    for domain in NAMES:
        worlds = {**WORLDS, "domain": domain}
        both = {"compose": [{"deterministic": "bob"}, RESPONSE]}
        loss = {"error": {"loss": "0 if output[1] == world and output[0] == bob else 1"}}
        spec = {"worlds": worlds, "mechanism": both, "checks": [loss]}
        assert answer(spec).value == Fraction(7, 16)
        spec["worlds"] = {**worlds, "where": "ann == bob"}
        spec["mechanism"] = RESPONSE
        for text, value in (
            ("0 if output == world else 1", "7/16"),
            ("0 if output.ann == ann else 1", "1/4"),
            ("0 if output in all else 1", "3/8"),
        ):
            spec["secrets"] = {"all": "ann == bob or True"}
            spec["checks"] = [{"error": {"loss": text}}]
            assert answer(spec).value == Fraction(value), (domain, text)


def test_the_only_record_is_its_world() -> None:
    for domain in NAMES:
        for mechanism in (RESPONSE, {"local": RESPONSE}):
            for loss in (
                *("0 if output == world else 1", "0 if output == ann else 1"),
                *("0 if output[0] == ann else 1", "0 if output.ann == world else 1"),
            ):
                spec = {
                    "worlds": {"records": ["ann"], "domain": domain},
                    "mechanism": mechanism,
                    "checks": [{"error": {"loss": loss}}],
                }
                assert answer(spec).value == Fraction(1, 4), (domain, mechanism, loss)


def test_a_text_that_names_a_world_is_a_number_too() -> None:
    """The sum of two digits, of which 10 to 18 are written like worlds."""
    sums = list(map(str, range(19)))
    rows = {f"{a}{b}": {str(a + b): "1"} for a in range(10) for b in range(10)}
    spec = {
        "worlds": {**WORLDS, "domain": sums[:10]},
        "mechanism": {"table": {"outputs": sums, **rows}},
        "checks": [{"error": {"loss": "abs(output - ann - bob) + (0 if output < 19 else 1)"}}],
    }
    assert answer(spec).value == 0


REFUSED: Any = [  # a number and a word, a world and a number, a list of another length
    *((RESPONSE, test) for test in ("output == 10", "output == (ann, bob, 1)", "output == ann")),
    *((RESPONSE, test) for test in ("output[0] == 'yes'", "output.bob == world")),
    *((RESPONSE, test) for test in ("output in [1, 2]", "[output] == [world, 1]")),
    *(({"deterministic": "ann"}, test) for test in ("output == world", "output == 'yes'")),
    ({"deterministic": "(ann, 'x') if bob == 1 else 'none'"}, "output == 1"),
]


def test_what_can_never_be_equal_is_refused() -> None:
    taken = []
    for mechanism, test in REFUSED:
        spec = {"worlds": {**WORLDS, "domain": ["0", "1"]}, "mechanism": mechanism}
        try:
            answer({**spec, "checks": [{"error": {"loss": f"0 if {test} else 1"}}]})
            taken.append(test)
        except InputError as error:
            taken += [] if error.code == "S309" else [f"{test}: {error}"]
    assert not taken


def test_powers_of_e() -> None:
    """Told with odds e : 1, a bit is wrong with probability 1/(1 + e)."""
    options = {"loss": "abs(output - ann)", "equals": "1/(1 + exp(1))"}
    spec = {**BIT, "mechanism": {"randomized_response": {"epsilon": "1"}}}
    for prior in ({}, {"prior": "uniform"}):
        found = answer({**spec, "checks": [{"error": {**options, **prior}}]})
        assert found.verdict == "holds"
        assert found.value == 1 / (1 + power(1))
    low = {"loss": "abs(output - ann)", "at_most": "0.2689414213"}
    assert answer({**spec, "checks": [{"error": low}]}).verdict == "violated"


@pytest.mark.parametrize(
    "mechanism",
    [
        {"geometric": {"query": "ann", "ratio": "1/2"}},
        {"geometric": {"query": "ann", "ratio": "1/2", "low": "0"}},
        {"geometric": {"query": "0", "ratio": "1/2"}},
        {"program": "return (draw(geometric(center=ann, ratio=1/2)), ann)"},
        {"merge_proportional": {"deterministic": "0 if ann == 0 else 1"}},
    ],
)
def test_an_output_that_stands_for_many_has_no_loss(mechanism: Any) -> None:
    spec = {**BIT, "mechanism": mechanism, "checks": [{"error": {"loss": "1"}}]}
    if "merge_proportional" in mechanism:  # nothing was merged
        assert answer(spec).value == 1
        return
    with pytest.raises(InputError, match="stands for many"):
        answer(spec)
