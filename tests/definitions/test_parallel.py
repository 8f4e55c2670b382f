"""Parallel and sequential composition under Blowfish policies, against brute force.

Theorem 4.3 of the paper is tested where it is true, with connected secret graphs; its smallest
counterexample is a model file.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import drawn, plain
from tests.definitions.cases import graphs
from tests.definitions.drawn import Space, decide
from tests.definitions.plain import Database, Edge
from tests.drawing import examples
from verifier.base.errors import InputError, LimitReached, TimeLimitReached, time_reached
from verifier.definitions import parallel_composition
from verifier.run import verify
from verifier.world.neighbours import critical as critical_secrets

EXAMPLES = examples(40)
F = Fraction
Groups = list[tuple[list[int], Fraction]]


@st.composite
def groupings(draw: st.DrawFn, records: int) -> Groups:
    """Disjoint groups of some of the records, with levels."""
    of = [draw(st.integers(-1, 1)) for _ in range(records)]
    found = [[r for r in range(records) if of[r] == k] for k in (0, 1)]
    levels = st.sampled_from([F(0), F(1), F(1, 3), F(5, 2), 1 + drawn.TINY])
    return [(members, draw(levels)) for members in found if members] or [([0], draw(levels))]


def spec(space: Space, graph: Any, groups: Groups, **more: Any) -> dict[str, Any]:
    written = [{"records": [f"r{r + 1}" for r in m], "epsilon": str(e)} for m, e in groups]
    options = {"groups": written, **({} if graph is None else {"graph": graph}), **more}
    return {"worlds": space.node, "checks": [{"parallel_composition": options}]}


def differing(w: Database, v: Database, groups: Groups) -> list[int]:
    """The numbers of the groups in which two databases differ."""
    return [k for k, (m, _) in enumerate(groups) if any(w[r] != v[r] for r in m)]


@EXAMPLES
@given(st.data())
def test_the_value_is_the_worst_sum(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    graph, edge = data.draw(graphs(space, len(space.databases[0])))
    groups = data.draw(groupings(len(space.databases[0])))
    pairs = plain.blowfish(space.databases, edge)
    sums = {
        (i, j): sum(
            (groups[k][1] for k in differing(space.databases[i], space.databases[j], groups)),
            F(0),
        )
        for i, j in pairs
    }
    worst = max(sums.values(), default=F(0))
    assert parallel_composition.value(space.databases, pairs, groups) == worst
    answer = decide(spec(space, graph, groups))
    assert answer.value == worst
    holds = worst <= max(e for _, e in groups)
    assert answer.verdict == ("holds" if holds else "violated")
    if not holds:
        assert answer.witness is not None
        w, v = (
            space.databases[space.names.index(name)] for name in answer.witness.as_json()["pair"]
        )
        counted = [k for k in differing(w, v, groups) if groups[k][1]]
        assert answer.witness.as_json()["groups"] == [
            [f"r{r + 1}" for r in groups[k][0]] for k in counted
        ]
        total = sum(groups[k][1] for k in counted)
        assert total == worst == F(answer.witness.as_json()["distance"])
    for bound in (worst, worst - drawn.TINY):
        again = decide(spec(space, graph, groups, at_most=str(bound)))
        assert again.verdict == ("holds" if bound == worst else "violated")
        certificate = again.certificate
        assert certificate is not None
        for change in (
            {"at_most": str(worst - 1)} if bound == worst else {"at_most": str(worst)},
            {"value": str(worst + 1)},
            {"equals": None},
        ):
            broken = opened(certificate)
            broken["claim"] |= change
            assert check(broken).outcome != "accepted"


# --- the value is attained, and is a bound ------------------------------------------------------


def singling_out(databases: Sequence[Database], chosen: Database, members: list[int], a: Fraction):  # type: ignore[no-untyped-def]
    """Whether D ∩ S is that of the chosen database; the answer is wrong with 1/(1 + a)."""
    right = [all(w[r] == chosen[r] for r in members) for w in databases]
    return [[a / (1 + a), 1 / (1 + a)] if r else [1 / (1 + a), a / (1 + a)] for r in right]


def joint(parts: Sequence[Sequence[Sequence[Fraction]]]) -> list[list[Fraction]]:
    """Independent mechanisms together, one column per world."""
    return [
        [prod(ps, start=F(1)) for ps in product(*(part[w] for part in parts))]
        for w in range(len(parts[0]))
    ]


@EXAMPLES
@given(st.data())
def test_two_output_mechanisms_attain_it(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    _, edge = data.draw(graphs(space, len(space.databases[0])))
    exponents = st.sampled_from([0, 1, 2])
    groups = [
        (m, F(data.draw(exponents))) for m, _ in data.draw(groupings(len(space.databases[0])))
    ]
    pairs = plain.blowfish(space.databases, edge)
    worst = parallel_composition.value(space.databases, pairs, groups)
    leakages = set()
    for chosen in space.databases:
        parts = [singling_out(space.databases, chosen, m, 2 ** int(e) * F(1)) for m, e in groups]
        for part, (_, e) in zip(parts, groups, strict=True):
            alone = plain.smallest_alpha(part, pairs)
            assert alone is not None and alone <= 2 ** int(e)  # each is private
        leakages.add(plain.smallest_alpha(joint(parts), pairs))
    assert max(found or 0 for found in leakages) == 2 ** int(worst)


@EXAMPLES
@given(st.data())
def test_no_mechanisms_exceed_it(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces(constrained=True))
    _, edge = data.draw(graphs(space, len(space.databases[0])))
    groups = data.draw(groupings(len(space.databases[0])))
    pairs = plain.blowfish(space.databases, edge)
    parts, alone = [], []
    for members, _ in groups:
        inside = sorted({tuple(w[r] for r in members) for w in space.databases}, key=repr)
        columns = data.draw(drawn.matrices(len(inside)))
        row = dict(zip(inside, columns, strict=True))
        parts.append([row[tuple(w[r] for r in members)] for w in space.databases])
        alone.append(plain.smallest_alpha(parts[-1], pairs))
    known = [level for level in alone if level is not None]
    assume(len(known) == len(alone))
    bound = max(
        (
            prod(
                (known[k] for k in differing(space.databases[i], space.databases[j], groups)),
                start=F(1),
            )
            for i, j in pairs
        ),
        default=F(1),
    )
    together = plain.smallest_alpha(joint(parts), pairs)
    assert together is not None and together <= bound


# --- Theorems 4.1, 4.2 and 4.3 ------------------------------------------------------------------


@EXAMPLES
@given(st.data())
def test_sequential_composition(data: st.DataObject) -> None:
    """Theorem 4.1: levels multiply; two runs of one mechanism need exactly the square."""
    space = data.draw(drawn.spaces())
    graph, _ = data.draw(graphs(space, len(space.databases[0])))
    tables = [drawn.table(space, data.draw(drawn.matrices(space.size))) for _ in range(2)]

    def leakage(mechanism: Any) -> Fraction | None:
        options = {"exp_epsilon": "1", **({} if graph is None else {"graph": graph})}
        checks = [{"blowfish": options}]
        found = decide({"worlds": space.node, "mechanism": mechanism, "checks": checks}).leakage
        assert found is not None
        return F(1) if found.vacuous else found.exp_epsilon

    first, second = map(leakage, tables)
    if first is not None and second is not None:
        both = leakage({"compose": tables})
        assert both is not None and max(first, second) <= both <= first * second
    twice = leakage({"compose": [tables[0], tables[0]]})
    assert twice == (None if first is None else first * first)


@EXAMPLES
@given(st.data())
def test_without_constraints_it_is_the_maximum(data: st.DataObject) -> None:
    """Theorem 4.2."""
    space = data.draw(drawn.spaces(constrained=False))
    graph, _ = data.draw(graphs(space, len(space.databases[0])))
    groups = data.draw(groupings(len(space.databases[0])))
    answer = decide(spec(space, graph, groups))
    assert answer.verdict == "holds" and answer.scope["theorem_4_3"]


@EXAMPLES
@given(st.data())
def test_the_condition_of_theorem_4_3(data: st.DataObject) -> None:
    """In both readings by trying all pairs of databases; it suffices for connected graphs."""
    space = data.draw(drawn.spaces(constrained=True))
    count = len(space.databases[0])
    graph, edge = data.draw(graphs(space, count))
    groups = data.draw(groupings(count))
    values = [*space.values, *([None] if space.absent else [])]
    everything = list(product(values, repeat=count))
    removed = [d for d in everything if d not in space.databases]
    constraints: list[set[Database]] = [
        {d} for d in removed
    ]  # of each, the databases where it fails
    node = dict(space.node)
    if len(removed) > 1 and data.draw(st.booleans()):
        constraints = [set(removed)]
        node["where"] = [" and ".join(f"({text})" for text in node["where"])]
    answer = decide({**spec(space, graph, groups), "worlds": node})
    for key, alone in (("theorem_4_3", False), ("theorem_4_3_single_changes", True)):
        met = all(
            len({k for i in critical(everything, fails, edge, alone) for k in of(i, groups)}) <= 1
            for fails in constraints
        )
        assert answer.scope[key] == met
    connected = all(is_connected(i, values, edge) for i in range(count))
    if connected and answer.scope["theorem_4_3_single_changes"]:
        assert answer.verdict == "holds"
    if answer.scope["theorem_4_3"]:
        assert answer.scope["theorem_4_3_single_changes"]


def critical(
    everything: Sequence[Database], fails: set[Database], edge: Edge, alone: bool
) -> set[int]:
    """The records of the secret pairs critical to a constraint."""
    found = set()
    for w in everything:
        for v in fails if w not in fails else ():
            changed = [i for i, (x, y) in enumerate(zip(w, v, strict=True)) if x != y]
            secret = [i for i in changed if None not in (w[i], v[i]) and edge(i, w[i], v[i])]
            if len(secret) == 1 and (len(changed) == 1 or not alone):
                found.add(secret[0])
    return found


def of(record: int, groups: Groups) -> list[int]:
    return [k for k, (members, _) in enumerate(groups) if record in members]


def is_connected(record: int, values: Sequence[Any], edge: Edge) -> bool:
    """Whether the secret graph of a record is connected, absence included."""
    reached, rest = {values[0]}, True
    while rest:
        more = {
            y
            for x in reached
            for y in values
            if x != y and None not in (x, y) and edge(record, x, y)
        }
        rest, reached = bool(more - reached), reached | more
    return reached == set(values)


@pytest.mark.parametrize("joined", [("ab",), ("ab", "bc"), ("ab", "bc", "ac")])
def test_every_constraint_on_two_records_of_three_values(joined: tuple[str, ...]) -> None:
    """Theorem 4.3 holds for connected graphs, in both readings of its condition. With the one edge
    a-b it does not: where the second record is not c unless the first one is a, only the first
    one's secret is critical, but from ac it goes to b only if the second one goes to a or b."""

    def edge(i: int, x: str, y: str) -> bool:
        return x + y in joined or y + x in joined

    everything = list(product("abc", repeat=2))
    exceptions = set()
    for size in range(1, len(everything) + 1):
        for worlds in combinations(everything, size):
            near = plain.blowfish(worlds, edge)
            if any(len(plain.changed(worlds[i], worlds[j])) == 2 for i, j in near):
                for alone in (False, True):
                    if len(critical(everything, set(everything) - set(worlds), edge, alone)) <= 1:
                        exceptions.add((worlds, alone))
    if joined == ("ab",):
        known = tuple(w for w in everything if w[1] != "c" or w[0] == "a")
        assert {(known, False), (known, True)} <= exceptions
    else:
        assert not exceptions


# --- what is refused ----------------------------------------------------------------------------

TWO = Space({"records": 2, "domain": [0, 1]}, [], [], [])


@pytest.mark.parametrize(
    ("groups", "code"),
    [
        (None, "S016"),
        ([], "S603"),
        ([{"records": ["r3"]}], "S603"),
        ([{"records": ["r1"]}, {"records": ["r2", "r1"]}], "S603"),
        ([{"records": ["r1"], "epsilon": "-1"}], "S601"),
        ([{"epsilon": "1"}], "S016"),
        ([{"records": ["r1"], "level": "1"}], "S015"),
    ],
)
def test_refusals(groups: Any, code: str) -> None:
    options = {} if groups is None else {"groups": groups}
    with pytest.raises(InputError, match=code):
        decide({"worlds": TWO.node, "checks": [{"parallel_composition": options}]})


def test_worlds_without_records() -> None:
    options = {"groups": [{"records": ["a"]}]}
    with pytest.raises(InputError, match="S603"):
        decide({"worlds": ["a", "b"], "checks": [{"parallel_composition": options}]})


def test_too_many_components() -> None:
    worlds = {"records": 12, "domain": [0, 1]}
    options = {"groups": [{"records": [f"r{i + 1}" for i in range(12)]}]}
    with pytest.raises(LimitReached):
        decide({"worlds": worlds, "checks": [{"parallel_composition": options}]})


def test_the_condition_is_left_out_where_worlds_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(critical_secrets, "MAX_STEPS", 1)
    worlds = {**TWO.node, "where": "r1 == r2"}
    groups = [{"records": ["r1"]}, {"records": ["r2"]}]
    answer = decide({"worlds": worlds, "checks": [{"parallel_composition": {"groups": groups}}]})
    assert (answer.verdict, answer.value) == ("violated", 2)
    assert "theorem_4_3" not in answer.scope


def test_a_violation_in_words() -> None:
    worlds = {"records": ["ann", "bob", "cat"], "domain": [0, 1], "where": "count(value == 1) == 1"}
    groups = [{"records": ["ann"]}, {"records": ["bob", "cat"], "epsilon": "1/2"}]
    answer = decide({"worlds": worlds, "checks": [{"parallel_composition": {"groups": groups}}]})
    assert answer.witness is not None
    assert list(answer.witness.lines()) == [
        "001 and 100 are neighbours and differ in {ann} and {bob, cat}"
    ]


def test_no_condition_is_left_out_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs out while the condition of Theorem 4.3 is looked at."""

    def out_of_time(*_: object) -> None:
        raise TimeLimitReached(time_reached(600))

    monkeypatch.setattr(parallel_composition, "affected", out_of_time)
    worlds = {"records": 2, "domain": [0, 1], "where": "r1 == r2"}
    options = {"groups": [{"records": ["r1"]}, {"records": ["r2"]}]}
    (check,) = drawn.read({"worlds": worlds, "checks": [{"parallel_composition": options}]})
    with pytest.raises(LimitReached, match="time"), verify.limits(verify.Options(time_limit=600)):
        verify.asked(check)
