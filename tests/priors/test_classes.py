"""What each class of priors compares, against priors drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.drawn import Json, Space, decide
from tests.drawing import examples
from verifier.base.errors import InputError

F = Fraction
EXAMPLES = examples(60)


@st.composite
def products(draw: drawn.Draw, space: Space) -> list[Fraction]:
    """Independent records, each with a distribution of its own."""
    values = [*space.values, *([None] if space.absent else [])]
    rows = [
        dict(zip(values, draw(drawn.distributions(len(values))), strict=True))
        for _ in space.databases[0]
    ]
    weights = []
    for database in space.databases:
        mass = F(1)
        for x, row in zip(database, rows, strict=True):
            mass *= row[x]
        weights.append(mass)
    return weights


@EXAMPLES
@given(st.data(), st.sampled_from(["values", "entries", "presence"]), st.sampled_from(["0", "1/5"]))
def test_product_priors_bound_and_attain(data: st.DataObject, kind: str, text: str) -> None:
    """No product prior exceeds the claimed level; the one in the witness attains it."""
    delta = F(text)
    space = data.draw(
        drawn.spaces(
            absent=True if kind == "presence" else None,
            attributes=True if kind == "entries" else None,
            constrained=False,
        )
    )
    columns = data.draw(drawn.matrices(space.size))
    pairs = generated(kind, space)
    spec: Json = {"worlds": space.node, "mechanism": drawn.table(space, columns)}
    options: Json = {"pairs": kind, "priors": "product", "exp_epsilon": "1", "delta": text}
    answer = decide({**spec, "checks": [{"pufferfish": options}]})
    assert answer.leakage is not None
    level = answer.leakage.exp_epsilon
    for _ in range(3):
        prior = data.draw(products(space))
        found = plain.pufferfish_alpha(columns, [prior], pairs, delta)
        assert level is None or (found is not None and found <= level)
    if answer.witness:
        weights = answer.witness.as_json()["prior"]
        prior = [F(weights.get(name, 0)) for name in space.names]
        changed = [w for w, p in zip(space.databases, prior, strict=True) if p]
        assert len(plain.changed(*changed)) == 1, "two worlds that differ in one record"
        assert plain.pufferfish_alpha(columns, [prior], pairs, delta) == level


ROWS = [F(0), F(1), F(1, 10**30), F(7, 3)]


@EXAMPLES
@given(st.data(), st.sampled_from(["0", "1/7", "1/3"]))
def test_product_priors_against_a_grid(data: st.DataObject, text: str) -> None:
    """Values of one record, given values of the other: no prior of the grid needs a higher level,
    and one of its corners (one record undecided, the other certain) needs this one."""
    delta = F(text)
    domain = data.draw(st.sampled_from([["0", "1"], ["0", "1", "2"]]))
    values = [F(text) for text in domain]
    databases = list(product(values, repeat=2))
    names = [drawn.world_name(database, values, False) for database in databases]
    space = Space({"records": "2", "domain": domain}, databases, names, values)
    columns = data.draw(drawn.matrices(space.size))
    first, second, *rest = data.draw(st.permutations(values))
    parts = [[first], [second, *rest[: data.draw(st.integers(0, 1))]]]
    told = data.draw(st.sets(st.sampled_from(values), min_size=1))
    sets = [[w for w, (x, y) in enumerate(databases) if x in part and y in told] for part in parts]
    secrets = {name: [names[w] for w in part] for name, part in zip("st", sets, strict=True)}
    options: Json = {"pairs": [["s", "t"]], "priors": "product", "delta": text}
    mechanism = drawn.table(space, columns)
    answer = decide(check(space.node, mechanism, options, secrets=secrets))
    assert answer.leakage is not None
    level = answer.leakage.exp_epsilon
    rows = [row for row in product(ROWS, repeat=len(space.values)) if any(row)]
    corners = [row for row in rows if set(row) <= {0, 1} and sum(row) <= 2]
    needed = [
        plain.pufferfish_alpha(columns, [joint(space, pair)], [(sets[0], sets[1])], delta)
        for pair in product(corners, repeat=2)
    ]
    assert level == (None if None in needed else max(needed))
    for _ in range(20):
        pair = data.draw(st.tuples(st.sampled_from(rows), st.sampled_from(rows)))
        found = plain.pufferfish_alpha(columns, [joint(space, pair)], [(sets[0], sets[1])], delta)
        assert level is None or (found is not None and found <= level)


def joint(space: Space, rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Two independent records with values in these proportions."""
    total = prod(map(sum, rows))
    chances = [dict(zip(space.values, row, strict=True)) for row in rows]
    return [chances[0][x] * chances[1][y] / total for x, y in space.databases]


def generated(kind: str, space: Space) -> list[tuple[list[int], list[int]]]:
    """The pairs of secrets of every record, by plain loops."""
    found = []
    worlds = range(space.size)

    def where(test: Any) -> list[int]:
        return [w for w in worlds if test(space.databases[w])]

    for i in range(len(space.databases[0])):
        if kind == "presence":
            gone = where(lambda d, i=i: d[i] is None)
            found += [(where(lambda d, i=i, v=v: d[i] == v), gone) for v in space.values]
        elif kind == "entries" and isinstance(space.values[0], tuple):
            for at in range(2):
                entries = sorted({v[at] for v in space.values})
                sets = [
                    where(lambda d, i=i, e=e, at=at: d[i] is not None and d[i][at] == e)
                    for e in entries
                ]
                found += list(combinations(sets, 2))
        else:
            sets = [where(lambda d, i=i, v=v: d[i] == v) for v in space.values]
            found += list(combinations(sets, 2))
    return found


@EXAMPLES
@given(st.data())
def test_all_priors_bound_and_attain(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces().filter(lambda space: space.size > 1))
    columns, pairs = data.draw(drawn.matrices(space.size)), generated("values", space)
    spec: Json = {"worlds": space.node, "mechanism": drawn.table(space, columns)}
    options: Json = {"pairs": "values", "priors": "all", "exp_epsilon": "1"}
    answer = decide({**spec, "checks": [{"pufferfish": options}]})
    assert answer.leakage is not None
    level = answer.leakage.exp_epsilon
    for _ in range(3):
        prior = data.draw(drawn.distributions(space.size))
        found = plain.pufferfish_alpha(columns, [prior], pairs)
        assert level is None or (found is not None and found <= level)
    if answer.witness:
        weights = answer.witness.as_json()["prior"]
        prior = [F(weights.get(name, 0)) for name in space.names]
        assert plain.pufferfish_alpha(columns, [prior], pairs) == level


def check(worlds: Any, mechanism: Any, options: Json, **more: Any) -> Json:
    return {
        "worlds": worlds,
        "mechanism": mechanism,
        **more,
        "checks": [{"pufferfish": {"exp_epsilon": "1", **options}}],
    }


BITS = {"records": "2", "domain": ["0", "1"]}
IDENTITY = {"deterministic": "world"}
RESPONSE = {"randomized_response": {"truth": "3/4"}}


def test_attributes_inside_a_record_may_depend_on_each_other() -> None:
    """Response with 3/4 on two bits: 3 for one changed entry, 9 on entries."""
    worlds = {"records": "1", "domain": {"A": ["0", "1"], "B": ["0", "1"]}}
    entries = decide(check(worlds, RESPONSE, {"pairs": "entries", "priors": "product"}))
    assert entries.leakage is not None and entries.leakage.exp_epsilon == 9
    neighbours = {"exp_epsilon": "1", "neighbours": "entry"}
    one = decide(
        {"worlds": worlds, "mechanism": RESPONSE, "checks": [{"differential_privacy": neighbours}]}
    )
    assert one.leakage is not None and one.leakage.exp_epsilon == 3


def test_pairs_that_no_prior_allows_are_skipped_and_said() -> None:
    """Two priors on one world each: nothing is compared, and the report says so."""
    listed = {"list": [{"worlds": {"00": "1"}}, {"worlds": {"11": "1"}}]}
    answer = decide(check(BITS, IDENTITY, {"pairs": "values", "priors": listed}))
    assert answer.leakage is not None and answer.leakage.vacuous
    assert (answer.verdict, answer.witness) == ("holds", None)
    assert any("skipped" in note for note in answer.scope["notes"])


def test_a_named_secret_without_probability_is_an_error() -> None:
    spec = check(
        BITS,
        IDENTITY,
        {"pairs": [["one", "two"]], "priors": {"list": [{"worlds": {"00": "1"}}]}},
        secrets={"one": "r1 == 1", "two": "r1 == 0"},
    )
    with pytest.raises(InputError, match="S403"):
        decide(spec)


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"one": "r1 == 1 and r2 == 1", "two": "r1 == 0"}, None),
        ({"one": "r1 == 1", "two": "r2 == 0"}, None),
        ({"one": "r1 == 1", "two": "r1 == 0"}, "r1 <= r2"),
    ],
)
def test_product_priors_beyond_one_record(more: Json, where: str | None) -> None:
    """Secrets about several records, and records conditioned on constraints: the identity parts
    them."""
    more = {**more, "two": f"not ({more['one']}) and {more['two']}"}
    worlds = BITS if where is None else {**BITS, "where": where}
    options = {"pairs": [["one", "two"]], "priors": "product"}
    answer = decide(check(worlds, IDENTITY, options, secrets=more))
    assert answer.leakage is not None and answer.leakage.infinite


def test_every_prior_allows_both_records_to_depend_on_each_other() -> None:
    """00 against 11, as if the records were equal: 3 * 3, where independent records leak 3."""
    for keyword, level in (("all", 9), ("product", 3)):
        answer = decide(check(BITS, RESPONSE, {"pairs": "values", "priors": keyword}))
        assert answer.leakage is not None and answer.leakage.exp_epsilon == level
