"""Whether all mechanisms of a definition can be made of given ones, against its extreme mechanisms.

A mechanism whose rows satisfy what is asked of each row is a mixture of post-processings of those
whose rows are independent extreme rows: they are tried one by one, each by real arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import opened
from tests.definitions import drawn
from tests.definitions.drawn import Draw, Json, decide
from tests.definitions.rows import Row, exists, extreme_rows, is_combination, only_direction
from tests.drawing import examples
from verifier.base.errors import InputError, LimitReached
from verifier.definitions import post_processing
from verifier.engines.rows import implied_closure
from verifier.questions.answer import Answer

F = Fraction
Rows = list[Row]
EXAMPLES = examples(30)
LEVELS = ["1", "31/30", "2", "1000"]


def asked(worlds: object, mechanisms: Json, first: Json, of: Sequence[str]) -> Answer:
    """Whether all of a definition can be made of some mechanisms."""
    check = {"implies": {"if": first, "then": {"post_processing": {"of": list(of)}}}}
    return decide({"worlds": worlds, "mechanisms": mechanisms, "checks": [check]})


def by_outputs(columns: Sequence[Sequence[Fraction]]) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]


def extreme_mechanisms(rays: Sequence[Row]) -> Iterator[Rows]:
    """All with independent rows out of these directions that sum to 1 in every world."""
    size = len(rays[0])
    for count in range(1, size + 1):
        for chosen in combinations(rays, count):
            equations = [[*(ray[w] for ray in chosen), F(-1)] for w in range(size)]
            weights = only_direction(equations, count + 1)
            if weights is not None and weights[-1] and min(weights[:-1]) > 0:
                factors = [y / weights[-1] for y in weights[:-1]]
                yield [[y * x for x in ray] for y, ray in zip(factors, chosen, strict=True)]


def extreme_of(rows: Sequence[Row]) -> Rows:
    """The directions of rows that are no combination of the others."""
    found = list({direction(row): row for row in rows if any(row)}.values())
    for row in list(found):
        others = [other for other in found if other is not row]
        if others and is_combination(row, others):
            found = others
    return found


def direction(row: Row) -> tuple[int, ...]:
    common = lcm(*(x.denominator for x in row))
    whole = [int(x * common) for x in row]
    return tuple(x // gcd(*whole) for x in whole)


def confirmed(answer: Answer, given: Sequence[Rows]) -> Rows:
    """The mechanism of a certificate, which earns more than any post-processing can."""
    assert answer.certificate is not None
    draft = opened(answer.certificate)
    model, evidence = draft["model"], draft["evidence"]["witness"]
    columns = [[F(model["values"][code]) for code in column] for column in model["columns"]]
    rows, worst = by_outputs(columns), evidence["worst"]
    none = ["0"] * len(columns)
    payoff = [[F(u) for u in worst["payoff"].get(str(o), none)] for o in range(len(rows))]
    earned = sum(
        u * p for us, ps in zip(payoff, rows, strict=True) for u, p in zip(us, ps, strict=True)
    )
    assert earned > post_processing.best(given, payoff)
    return rows


@st.composite
def questions(draw: Draw) -> tuple[drawn.Space, list[Rows], list[Rows], Json]:
    """Worlds, one or two mechanisms of a premise, those of a conclusion, and all as tables; the
    former may be made of the latter."""
    space = draw(drawn.named_spaces().filter(lambda space: space.size <= 3))
    given = [draw(drawn.matrices(space.size)) for _ in range(draw(st.integers(1, 2)))]
    known = []
    for _ in range(draw(st.integers(1, 2))):
        columns = draw(drawn.matrices(space.size))
        if draw(st.integers(0, 3)):
            source = draw(st.sampled_from(given))
            processing = [draw(drawn.distributions(2)) for _ in source[0]]
            columns = [
                [sum((p * q[o] for p, q in zip(c, processing, strict=True)), F(0)) for o in (0, 1)]
                for c in source
            ]
        known.append(columns)
    named = {f"m{k}": drawn.table(space, c) for k, c in enumerate(given)}
    named |= {f"k{k}": drawn.table(space, c) for k, c in enumerate(known)}
    return space, list(map(by_outputs, known)), list(map(by_outputs, given)), named


@pytest.mark.oracle
@EXAMPLES
@given(questions())
def test_closures_of_closures(question: tuple[drawn.Space, list[Rows], list[Rows], Json]) -> None:
    space, known, given, named = question
    first = {"post_processing": {"of": [name for name in named if name[0] == "k"]}}
    found = asked(space.names, named, first, [name for name in named if name[0] == "m"])
    assert (found.verdict == "holds") == all(exists(given, one) for one in known)
    if found.verdict == "violated":
        assert confirmed(found, given) in known
        assert found.witness is not None and named[found.witness.as_json()["given"]]


@pytest.mark.oracle
@EXAMPLES
@given(questions())
def test_row_cones_in_closures(question: tuple[drawn.Space, list[Rows], list[Rows], Json]) -> None:
    space, known, given, named = question
    rows = [row for one in known for row in one]
    made = all(exists(given, m) for m in extreme_mechanisms(extreme_of(rows)))
    first = {"row_cone": {"of": [name for name in named if name[0] == "k"]}}
    of = [name for name in named if name[0] == "m"]
    found = asked(space.names, named, first, of)
    assert (found.verdict == "holds") == made
    if found.verdict == "violated":
        assert all(is_combination(row, rows) for row in confirmed(found, given))
    elif len(known) == 1:
        first = {"post_processing": first["row_cone"]}
        assert asked(space.names, named, first, of).verdict == "holds"


@st.composite
def mechanisms_at(draw: Draw, alpha: Fraction, size: int) -> Rows:
    """One of two mechanisms is run, each with two outputs, (t x, 1 - t x), and no two worlds
    further apart than this level."""
    found = []
    for _ in range(2):
        steps = draw(st.lists(st.integers(0, 7), min_size=size, max_size=size))
        x = [1 + (alpha - 1) * step / 7 for step in steps]
        t = min(1 / max(x), (alpha - 1) / (alpha * max(x) - min(x)) if alpha > 1 else F(1, 2))
        found += [[t * p / 2 for p in x], [(1 - t * p) / 2 for p in x]]
    assert all(max(row) <= alpha * min(row) for row in found)
    return found


@pytest.mark.oracle
@EXAMPLES
@given(questions(), st.sampled_from(LEVELS), st.data())
def test_definitions_in_closures(
    question: tuple[drawn.Space, list[Rows], list[Rows], Json], alpha: str, data: st.DataObject
) -> None:
    """With neighbours that are all pairs."""
    space, _, given, named = question
    rays = [[F(1)] * space.size]  # at level 1 all rows are constant
    if F(alpha) > 1:
        rays = extreme_of(list(extreme_rows(space.size, F(alpha))))
    made = all(exists(given, m) for m in extreme_mechanisms(rays))
    first = {"differential_privacy": {"exp_epsilon": alpha, "neighbours": "all"}}
    of = [name for name in named if name[0] == "m"]
    found = asked(space.names, named, first, of)
    assert (found.verdict == "holds") == made
    if found.verdict == "violated":
        assert max(max(row) - F(alpha) * min(row) for row in confirmed(found, given)) <= 0
    else:
        assert exists(given, data.draw(mechanisms_at(F(alpha), space.size)))


SIDES = ["left", "right"]
ERASURE = {"outputs": ["left", "right", "nothing"]}
ERASURE |= {"left": ["1/2", "0", "1/2"], "right": ["0", "1/2", "1/2"]}
TWO_SIDES = {
    "erasure": {"table": ERASURE},
    "identity": {"deterministic": "world"},
    "response": {"table": {"outputs": SIDES, "left": ["4/5", "1/5"], "right": ["1/5", "4/5"]}},
}


@pytest.mark.parametrize(
    ("first", "of", "verdict"),
    [
        ({"post_processing": {"of": ["erasure"]}}, ["identity"], "holds"),
        ({"row_cone": {"of": ["erasure"]}}, ["identity"], "holds"),
        ({"post_processing": {"of": ["identity"]}}, ["erasure"], "violated"),
        # the identity has its rows in the row cone of erasure
        ({"row_cone": {"of": ["erasure"]}}, ["erasure"], "violated"),
        ({"post_processing": {"of": ["erasure"]}}, ["erasure"], "holds"),
        # erasure guesses right with 3/4, as differential privacy at 3 allows, but not 4
        ({"differential_privacy": {"exp_epsilon": "3", "neighbours": "all"}}, ["erasure"], "holds"),
        (
            {"differential_privacy": {"exp_epsilon": "4", "neighbours": "all"}},
            ["erasure"],
            "violated",
        ),
        (
            {"differential_privacy": {"exp_epsilon": "4", "neighbours": "all"}},
            ["erasure", "response"],
            "holds",
        ),
        (
            {
                "differential_privacy": {
                    "exp_epsilon": "4.000000000000000000000000000001",
                    "neighbours": "all",
                }
            },
            ["erasure", "response"],
            "violated",
        ),
    ],
)
def test_erasure_and_identity(first: Json, of: list[str], verdict: str) -> None:
    assert asked(SIDES, TWO_SIDES, first, of).verdict == verdict


BITS = {"records": "2", "domain": ["0", "1"]}


def test_differential_privacy_allows_a_loud_parity() -> None:
    """Two responses with truth 3/4 keep the parity with 5/8, differential privacy with 3/4."""
    more = {"more": {"randomized_response": {"truth": "3/4"}}}
    found = asked(BITS, more, {"differential_privacy": {"exp_epsilon": "3"}}, ["more"])
    assert found.verdict == "violated" and found.witness is not None
    assert set(found.witness.as_json()["mechanism"]) == {"outputs", "00", "01", "10", "11"}
    for level, verdict in (("5/3", "holds"), ("1667/1000", "violated")):
        first = {"differential_privacy": {"exp_epsilon": level}}
        assert asked(BITS, more, first, ["more"]).verdict == verdict


def test_two_responses() -> None:
    both = {
        name: {"randomized_response": {"truth": truth}}
        for name, truth in (("more", "3/4"), ("less", "2/3"))
    }
    for kind in ("post_processing", "row_cone"):
        one, other = ({kind: {"of": [name]}} for name in both)
        assert asked(BITS, both, other, ["more"]).verdict == "holds"
        found = asked(BITS, both, one, ["less"])
        assert found.verdict == "violated" and found.witness is not None
        assert found.witness.as_json()["given"] == "more"


def test_dependent_rows() -> None:
    """Erasure beside a coin: its own rows say more than can be made of it, those at 2 do not."""
    twice = {"outputs": ["a", "b", "c", "d"]}
    twice |= {"left": ["1/2", "0", "1/4", "1/4"], "right": ["0", "1/2", "1/4", "1/4"]}
    spec = {"twice": {"table": twice}, **TWO_SIDES}
    first = {"differential_privacy": {"exp_epsilon": "2", "neighbours": "all"}}
    assert asked(SIDES, spec, first, ["twice"]).verdict == "holds"
    assert asked(SIDES, spec, {"row_cone": {"of": ["twice"]}}, ["twice"]).verdict == "violated"


def test_several_extreme_mechanisms() -> None:
    """Rows that tell the first bit or the second one, never both. A mechanism of such rows flips a
    coin which one to tell; the constant row says nothing."""
    worlds = ["a", "b", "c", "d"]
    rows = [["1/4", "1/4", "0", "0"], ["0", "0", "1/4", "1/4"]]
    rows += [["1/4", "0", "1/4", "0"], ["0", "1/4", "0", "1/4"]]
    rows += [["1/2"] * 4]
    columns = {w: list(column) for w, column in zip(worlds, zip(*rows, strict=True), strict=True)}
    pairs = {
        name: {"table": {"outputs": ["yes", "no"], **{w: [p, q] for w, p, q in sides}}}
        for name, sides in (
            ("first", [("a", "1", "0"), ("b", "1", "0"), ("c", "0", "1"), ("d", "0", "1")]),
            ("second", [("a", "1", "0"), ("b", "0", "1"), ("c", "1", "0"), ("d", "0", "1")]),
        )
    }
    spec = {"both": {"table": {"outputs": [f"o{k}" for k in range(5)], **columns}}, **pairs}
    first = {"row_cone": {"of": ["both"]}}
    found = asked(worlds, spec, first, ["first", "second"])
    assert found.verdict == "holds" and found.certificate is not None
    assert len(found.certificate["evidence"]["witness"]["rays"]) == 2
    assert asked(worlds, spec, first, ["first"]).verdict == "violated"
    assert asked(worlds, spec, first, ["both"]).verdict == "violated"


def test_too_many_extreme_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world, or nothing, with 1/2 each: who guesses it is right with 5/8."""
    worlds = ["00", "01", "10", "11"]
    rows = {w: [*("1/2" if v == w else "0" for v in worlds), "1/2"] for w in worlds}
    half = {"half": {"table": {"outputs": [*worlds, "nothing"], **rows}}}
    first = {"differential_privacy": {"exp_epsilon": "6/5"}}
    with monkeypatch.context() as patch:
        patch.setattr(implied_closure, "EXTREME", 3)
        with pytest.raises(LimitReached, match="too many"):
            asked(BITS, half, first, ["half"])
    assert asked(BITS, half, first, ["half"]).verdict == "holds"


@pytest.mark.parametrize("then", [{}, {"of": ["erasure"], "mechanism": "identity"}])
def test_bad_options(then: Json) -> None:
    check = {
        "implies": {"if": {"row_cone": {"of": ["erasure"]}}, "then": {"post_processing": then}}
    }
    with pytest.raises(InputError):
        decide({"worlds": SIDES, "mechanisms": TWO_SIDES, "checks": [check]})
