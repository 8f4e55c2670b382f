"""All mixtures of given priors, drawn and by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.drawn import decide, read
from tests.drawing import examples
from tests.priors.mixtures import (
    HAIR,
    Case,
    Vector,
    agrees,
    check_witness,
    grid,
    no_sibling_is_accepted,
    rounded,
)
from verifier.base.errors import InputError, LimitReached
from verifier.questions.answer import Answer
from verifier.run import verify

F = Fraction
EXAMPLES = examples(50)


@st.composite
def crossed(draw: drawn.Draw) -> Case:
    """Priors that leak little, each on one world of s and one of t: the worst is in between."""
    first, second = draw(rounded(2, 2))
    (a, b), (c, d) = ([(x + F(1, 9)) / F(11, 9) for x in p] for p in draw(rounded(2, 2)))
    priors = [[a, F(0), b, F(0)], [F(0), c, F(0), d], *draw(rounded(draw(st.integers(0, 1)), 4))]
    return Case([first, second, first, second], [[0, 1], [2, 3]], priors)


@st.composite
def scattered(draw: drawn.Draw) -> Case:
    """1 to 4 priors on 2 to 5 worlds, with zeros, ties and gaps of 1e-30; both secrets possible."""
    size = draw(st.integers(2, 5))
    plain_numbers = draw(st.booleans())  # awkward ones seldom have interior worst mixtures
    columns = draw(rounded(size, 2) if plain_numbers else drawn.matrices(size))
    labels = draw(st.lists(st.integers(0, 2), min_size=size - 2, max_size=size - 2))
    sides = [[k, *(w for w, label in enumerate(labels, 2) if label == k)] for k in (0, 1)]
    awkward = st.lists(drawn.distributions(size), min_size=1, max_size=4)
    priors = draw(rounded(draw(st.integers(1, 4)), size) if plain_numbers else awkward)
    for side in (0, 1):
        if not any(p[w] for p in priors for w in sides[side]):
            priors[0] = [(p + F(w == side)) / 2 for w, p in enumerate(priors[0])]
    return Case(columns, sides, priors)


def cases() -> st.SearchStrategy[Case]:
    return st.one_of(scattered(), crossed())


@EXAMPLES
@given(cases(), st.sampled_from(["1", "3", "31/30", "1000000"]))
def test_drawn_hulls(case: Case, asked: str) -> None:
    decided(case, asked)


def decided(case: Case, asked: str) -> Answer:
    """The answer at a level agrees, and those near the smallest one; no sibling is accepted."""
    answer = case.decide(exp_epsilon=asked)
    agrees(case, answer, F(asked))
    no_sibling_is_accepted(answer.certificate)
    assert answer.leakage is not None
    found = answer.leakage.exp_epsilon
    near = [found, found - HAIR] if found else [*(answer.leakage.bounds or ())]
    for level in near:
        if level >= 1:
            again = case.decide(exp_epsilon=str(level))
            assert again.leakage == answer.leakage or answer.leakage.bounds
            agrees(case, again, level)
    return answer


@EXAMPLES
@given(cases(), st.sampled_from(["0", "1/10", "1", "20"]))
def test_levels_that_are_powers_of_e(case: Case, epsilon: str) -> None:
    answer = case.decide(epsilon=epsilon)
    assert answer.leakage is not None
    bounds = answer.leakage.bounds or (answer.leakage.exp_epsilon,) * 2
    if bounds[0] is None:
        assert answer.verdict == "violated"
    else:
        below = [plain.is_at_most_exp(end, F(epsilon)) for end in bounds if end is not None]
        assert below[0] == below[1] == (answer.verdict == "holds")
    if answer.witness and answer.witness.as_json()["ratio"] != "infinite":
        assert not plain.is_at_most_exp(F(answer.witness.as_json()["ratio"]), F(epsilon))
        check_witness(case, answer, F(1))


@EXAMPLES
@given(cases())
@example(Case([[F(1)], [F(1)]], [[0], [1]], [[F(1), F(0)], [F(0), F(1)]]))  # mixtures allow both
def test_hull_of_one_is_the_list_and_more_is_more(case: Case) -> None:
    masses = [[sum(prior[w] for w in side) for side in case.sides] for prior in case.corners]
    if not any(map(all, masses)):
        with pytest.raises(InputError, match="no prior allows both"):
            case.decide(case.hull("list"))
        return
    listed, hull = case.decide(case.hull("list")).leakage, case.decide().leakage
    assert listed is not None and hull is not None
    if len(case.corners) == 1:
        assert listed == hull
    elif not hull.infinite and not listed.vacuous:
        upper = hull.exp_epsilon or (hull.bounds or (F(1), F(1)))[1]
        assert listed.exp_epsilon is not None and listed.exp_epsilon <= upper


TWO = Case(  # i1, i2 against j1, j2: each prior leaks 1, a quarter of the first 49/9
    [[F(x, 10), 1 - F(x, 10)] for x in (9, 1, 9, 1)],
    [[0, 1], [2, 3]],
    [[F(9, 10), F(0), F(1, 10), F(0)], [F(0), F(1, 10), F(0), F(9, 10)]],
)


def test_two_harmless_priors() -> None:
    """1/4 of the first, 3/4 of the second: P(yes | s) = 7/10 against P(yes | t) = 9/70."""
    at, below = TWO.decide(exp_epsilon="49/9"), TWO.decide(exp_epsilon=str(F(49, 9) - HAIR))
    assert (at.verdict, below.verdict) == ("holds", "violated")
    assert at.leakage == below.leakage and at.leakage is not None
    assert at.leakage.as_json() == {"exp_epsilon": "49/9", "attained": True}
    assert below.witness and below.witness.as_json() == {
        "pair": ["s", "t"],
        "prior": {"w0": "9/40", "w1": "3/40", "w2": "1/40", "w3": "27/40"},
        "prior_odds": "3/7",
        "output": "o0",
        "posterior_odds": "7/3",
        "ratio": "49/9",
    }


def test_the_worst_mixture_of_three_is_between_two() -> None:
    """A third prior, inside the other two's leakage, changes nothing but is never used."""
    case = Case(TWO.columns, TWO.sides, [[F(1, 4)] * 4, *TWO.corners])
    answer = case.decide()
    assert answer.leakage is not None and answer.leakage.exp_epsilon == F(49, 9)
    assert answer.certificate is not None
    assert answer.certificate["evidence"]["witness"]["lower"]["at"] == [0, F(1, 4), F(3, 4)]
    agrees(case, answer, F(1))


UNATTAINED = Case(  # o0 has probability 1/2 on i and j1, 0 on j2; the prior on j2, and half i, j1
    [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)], [F(0), F(1)]],
    [[0], [1, 2]],
    [[F(0), F(0), F(1)], [F(1, 2), F(1, 2), F(0)]],
)


def test_infinite_though_every_mixture_is_finite() -> None:
    """A weight x on the second prior leaks (2 − x)/x, at o0."""
    answer = UNATTAINED.decide(exp_epsilon="99")
    assert answer.leakage is not None
    assert answer.leakage.as_json() == {"infinite": True, "attained": False}
    assert answer.verdict == "violated" and answer.witness is not None
    assert UNATTAINED.leakage([F(9, 10), F(1, 10)]) == 19
    assert answer.witness.as_json()["ratio"] == "101"  # the weights 50 and 1
    assert UNATTAINED.leakage([F(50, 51), F(1, 51)]) == 101
    agrees(UNATTAINED, answer, F(99))


def test_approached_but_not_attained() -> None:
    """As above with probability 1/5 instead of 0: (1/2 (2 − x)) / (1/2 x + 2/5 (1 − x)) falls
    from 5/2 at x = 0, where s is impossible, to 1; so 5/2 holds, and anything less does not."""
    columns = [*UNATTAINED.columns[:2], [F(1, 5), F(4, 5)]]
    case = Case(columns, UNATTAINED.sides, UNATTAINED.corners)
    at, below = case.decide(exp_epsilon="5/2"), case.decide(exp_epsilon=str(F(5, 2) - HAIR))
    assert at.leakage is not None
    assert at.leakage.as_json() == {"exp_epsilon": "5/2", "attained": False}
    assert (at.verdict, below.verdict) == ("holds", "violated")
    agrees(case, below, F(5, 2) - HAIR)
    close = case.decide(epsilon="9/10")  # e^(9/10) = 2.4596…
    assert close.verdict == "violated" and close.witness is not None
    assert F(24596, 10000) < F(close.witness.as_json()["ratio"]) < F(5, 2)


IRRATIONAL = Case(  # as TWO, with other weights: see the derivation below
    TWO.columns,
    TWO.sides,
    [[F(1, 2), F(0), F(1, 2), F(0)], [F(0), F(1, 3), F(0), F(2, 3)]],
)


def test_an_irrational_level() -> None:
    """Weights u, v: P(o0 | s) = (9u/2 + v/3) / (10 (u/2 + v/3)), and so on; the ratio is
    (27u + 2v)(3u + 4v) / ((3u + 2v)(27u + 4v)) = (81 u² + 114 uv + 8 v²) / (81 u² + 66 uv + 8 v²).
    With r = u/v it is 1 + 48 / (81 r + 66 + 8 / r), largest at 81 r² = 8, where 81 r + 8/r =
    36 √2: 1 + 48 / (66 + 36 √2) = 1 + 8 / (11 + 6 √2) = 1 + 8 (11 − 6 √2) / 49. At o1 it is
    (3u + 18v)(3u + 4v) / ((3u + 2v)(3u + 36v)) = 1 − 48 uv / (9u² + 114 uv + 72 v²); the other
    order inverts both: 1 + 48 / (9r + 66 + 72/r), where 9r + 72/r is at least 36 √2 again."""
    answer = IRRATIONAL.decide(exp_epsilon="1")
    assert answer.leakage is not None and answer.leakage.bounds is not None
    for end, sign in zip(answer.leakage.bounds, (1, -1), strict=True):
        # end = (137 − 48 √2) / 49 exactly when (137 − 49 end)² = 2 · 48²
        assert 49 * end < 137 and sign * ((137 - 49 * end) ** 2 - 2 * 48**2) > 0
    assert answer.leakage.attained
    agrees(IRRATIONAL, answer, F(1))
    root = F(1414213562373095048801688724209698078569671875376948, 10**51)  # below √2
    for close, verdict in ((root, "holds"), (root + F(1, 10**51), "violated")):
        level = (137 - 48 * close) / 49
        found = IRRATIONAL.decide(exp_epsilon=str(level))
        assert found.verdict == verdict
        agrees(IRRATIONAL, found, level)


def test_each_prior_makes_one_secret_possible() -> None:
    """Every proper mixture leaks the same: 9/10 against 1/10."""
    columns = [[F(9, 10), F(1, 10)], [F(1, 10), F(9, 10)]]
    case = Case(columns, [[0], [1]], [[F(1), F(0)], [F(0), F(1)]])
    answer = case.decide()
    assert answer.leakage is not None
    assert answer.leakage.as_json() == {"exp_epsilon": "9", "attained": True}
    agrees(case, answer, F(1))


def one_check(**options: Any) -> Any:
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "secrets": {"one": ["10", "11"], "none": ["00"]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
    }
    asked = {"exp_epsilon": "3", "pairs": [["one", "none"]], **options}
    (check,) = read({**spec, "checks": [{"pufferfish": asked}]})
    return check


@pytest.mark.parametrize(
    ("priors", "code"),
    [
        ("hull", "S501"),
        ({"hull": []}, "S505"),
        ({"hull": "uniform"}, "S"),
        ({"hull": [{"worlds": {"00": "1"}}, {"worlds": {"01": "1"}}]}, "S403"),
        ({"hull": [{"worlds": {"00": "1/2"}}]}, "S504"),
    ],
)
def test_bad_hulls(priors: Any, code: str) -> None:
    with pytest.raises(InputError, match=code):
        verify.asked(one_check(priors=priors))


def many_outputs(*columns: Sequence[int], delta: str, priors: Any, level: str) -> Answer:
    """The worlds a, b, c with these weights of outputs; a against the others."""
    outputs = [f"o{k}" for k in range(len(columns[0]))]
    rows = {w: [str(F(x, sum(c))) for x in c] for w, c in zip("abc", columns, strict=True)}
    asked = {"exp_epsilon": level, "delta": delta, "pairs": [["s", "t"]], "priors": priors}
    return decide(
        {
            "worlds": list("abc"),
            "secrets": {"s": ["a"], "t": ["b", "c"]},
            "mechanism": {"table": {"outputs": outputs, **rows}},
            "checks": [{"pufferfish": asked}],
        }
    )


def test_delta_with_many_outputs_by_hand() -> None:
    """Against b alone: at 24/5 the excess of 11/66 over α·1/66 and of 10/66 over α·2/66 is 33/5 of
    1/66, or 1/10. Any c makes it less, as it makes 6/66 of each output."""
    first, last = {"a": "1/2", "b": "1/2"}, {"a": "1/4", "c": "3/4"}
    priors = {"hull": [{"worlds": first}, {"worlds": last}]}
    columns = range(1, 12), range(11, 0, -1), [1] * 11
    for level, verdict in (("24/5", "holds"), (str(F(24, 5) - HAIR), "violated")):
        found = many_outputs(*columns, delta="1/10", priors=priors, level=level)
        assert found.verdict == verdict and found.leakage is not None
        assert (found.leakage.exp_epsilon, found.leakage.attained) == (F(24, 5), True)


WEIGHTS = st.lists(st.integers(0, 9), min_size=13, max_size=13).filter(any)


@EXAMPLES
@given(
    st.tuples(WEIGHTS, WEIGHTS, WEIGHTS),
    rounded(3, 3),
    st.sampled_from([F(1, 20), F(1, 5), F(2, 3)]),
)
def test_delta_with_many_outputs(
    weights: tuple[list[int], ...], priors: list[Vector], delta: Fraction
) -> None:
    """What mixtures leak by the definition, and that the level of the answer is needed."""
    assume(any(p[0] for p in priors) and any(p[1] + p[2] for p in priors))
    given = {"hull": [{"worlds": dict(zip("abc", map(str, p), strict=True))} for p in priors]}
    columns = [[F(x, sum(column)) for x in column] for column in weights]

    def excess(prior: Sequence[Fraction], alpha: Fraction) -> Fraction:
        """The larger δ that is needed of the two orders."""
        if not prior[0] or not prior[1] + prior[2]:
            return F(0)
        other = [
            (prior[1] * x + prior[2] * y) / (prior[1] + prior[2])
            for x, y in zip(*columns[1:], strict=True)
        ]
        sides = list(zip(columns[0], other, strict=True))
        return max(
            sum((max(F(0), p - alpha * q) for p, q in both), F(0))
            for both in (sides, [(q, p) for p, q in sides])
        )

    found = many_outputs(*weights, delta=str(delta), priors=given, level="1").leakage
    assert found is not None
    low, high = found.bounds or (found.exp_epsilon, found.exp_epsilon)
    for mixture in grid(3, 6):
        prior = [
            sum((x * p[w] for x, p in zip(mixture, priors, strict=True)), F(0)) for w in range(3)
        ]
        assert excess(prior, F(10**9) if high is None else high) <= delta or high is None
    if low != 1:
        near = F(10**6) if low is None else low - (low - 1) / 10**30
        answer = many_outputs(*weights, delta=str(delta), priors=given, level=str(near))
        assert answer.verdict == "violated" and answer.witness
        shown = answer.witness.as_json()["prior"]
        assert excess([F(shown.get(w, 0)) for w in "abc"], near) > delta


def test_delta_with_many_outputs_and_corners() -> None:
    """P(first 20 of 40 worlds) = 1/2: 400 corners, and 2^11 events."""
    names = [f"w{k}" for k in range(40)]
    first = {"s": names[:10], "t": names[10:20]}
    spec = {
        "worlds": names,
        "secrets": {**first, "half": names[:20]},
        "mechanism": {
            "table": {"outputs": list("abcdefghijk"), **dict.fromkeys(names, ["1/11"] * 11)}
        },
        "checks": [
            {
                "pufferfish": {
                    "exp_epsilon": "1",
                    "delta": "1/9",
                    "pairs": [["s", "t"]],
                    "priors": {"constraints": ["P(half) == 1/2"]},
                }
            }
        ],
    }
    with pytest.raises(LimitReached, match="more than 300 corners"):
        decide(spec)


def test_vacuous_where_no_mixture_allows_both() -> None:
    """Generated secrets: record 2 is 1 under no prior, and record 1 as well."""
    check = one_check(pairs="values", priors={"hull": [{"worlds": {"00": "1"}}]})
    answer = verify.decide(verify.asked(check))
    assert answer.leakage is not None and answer.leakage.vacuous
    assert (answer.verdict, answer.witness) == ("holds", None)
    assert any("probability 0" in note for note in answer.scope["notes"])


def test_secrets_possible_under_different_priors_are_compared() -> None:
    answer = decide_values([{"worlds": {"00": "1"}}, {"worlds": {"11": "1"}}])
    assert answer.leakage is not None and answer.leakage.exp_epsilon == 9


def decide_values(priors: list[Any]) -> Answer:
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
        "checks": [{"noiseless": {"exp_epsilon": "1", "priors": {"hull": priors}}}],
    }
    return decide(spec)
