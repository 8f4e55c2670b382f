"""One-sided privacy: the plain loops, the mechanism of the paper by hand, what others are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.cases import Case, _on_worlds, rows_of
from tests.definitions.drawn import Draw, Json, decide, value_text
from tests.definitions.plain import Database, Pair
from tests.definitions.told import Told
from tests.loops import each
from tests.second_reader.values import CannotRead
from verifier.definitions import one_sided_privacy

F = Fraction
WORD = "one_sided_privacy"
BITS: Json = {"records": "2", "domain": ["0", "1"]}
SICK: Json = {"records": ["ann", "bob"], "domain": ["yes", "no"]}


def compared(databases: Sequence[Database], policy: Callable[[int, Any], bool]) -> set[Pair]:
    """Every database, every sensitive record of it, every other value of this record."""
    found = set()
    for w, database in enumerate(databases):
        for i, x in enumerate(database):
            for v, other in enumerate(databases):
                alike = (*database[:i], *database[i + 1 :]) == (*other[:i], *other[i + 1 :])
                if alike and x is not None and other[i] not in (x, None) and policy(i, x):
                    found.add((w, v))
    return found


def pairs(names: Sequence[str], databases: Sequence[Database], options: Json) -> set[Pair]:
    """The same where a file lists values, of all records or by name."""
    given = options["sensitive"]

    def policy(i: int, x: Any) -> bool:
        listed = given.get(names[i], []) if isinstance(given, dict) else given
        if isinstance(listed, str):
            raise CannotRead("a predicate about one value")
        return value_text(x) in listed or any(drawn.value(text) == x for text in listed)

    return compared(databases, policy)


@st.composite
def policies(draw: Draw) -> Case:
    """Values that are listed, or named by a predicate; of one record, or of all."""
    space = draw(drawn.spaces())
    columns = draw(drawn.matrices(space.size))
    rows = rows_of(columns)
    chosen = draw(st.sets(st.sampled_from(space.values)))
    alone = draw(st.booleans())

    def policy(i: int, x: Any) -> bool:
        return x in chosen and not (alone and i)

    texts = [value_text(x) for x in space.values if x in chosen]
    rule = " or ".join(is_value(x) for x in space.values if x in chosen) or "1 == 2"
    told: Any = draw(st.sampled_from([texts, rule]))
    return _on_worlds(
        draw,
        space,
        columns,
        (WORD, {"sensitive": {"r1": told} if alone else told}),
        compared(space.databases, policy),
        lambda alpha: one_sided_privacy.value(rows, space.databases, policy, alpha),
    )


def is_value(x: Any) -> str:
    """A predicate that holds for one value of a record."""
    parts = zip("AB", x, strict=True) if isinstance(x, tuple) else [("value", x)]
    written = ((name, repr(y) if isinstance(y, str) else f"({y})") for name, y in parts)
    return f"({' and '.join(f'{name} == {y}' for name, y in written)})"


def osdp_rr(alpha: Fraction) -> Json:
    """The mechanism OsdpRR of one record: sensitive ones are suppressed, others with 1/α."""
    kept = 1 - 1 / alpha
    return {"outputs": ["nothing", "no"], "yes": ["1", "0"], "no": [str(1 - kept), str(kept)]}


def leaked(worlds: Json, mechanism: Json, **options: Any) -> Fraction | None:
    """The smallest e^ε; None where it is infinite."""
    asked = {"exp_epsilon": "2", "sensitive": ["yes"], **options}
    answer = decide({"worlds": worlds, "mechanism": mechanism, "checks": [{WORD: asked}]})
    assert answer.leakage is not None and not answer.leakage.vacuous
    assert (answer.verdict == "holds") == (answer.leakage.exp_epsilon in (1, F(3, 2), 2))
    return answer.leakage.exp_epsilon


@each("alpha", [F(3, 2), F(2), F(3), F(10)])
def test_the_mechanism_of_the_paper_is_exactly_at_its_level(alpha: Fraction) -> None:
    """What is suppressed is e^ε times likelier from a sensitive record; so it is of many."""
    local = {"local": {"table": osdp_rr(alpha)}}
    for records in ("1", "2", "1000"):
        assert leaked({**SICK, "records": records}, local) == alpha
        assert leaked({**SICK, "records": records}, local, sensitive=["yes", "no"]) is None
        assert leaked({**SICK, "records": records}, local, sensitive=["no"]) is None


def test_what_is_not_released_tells_who_is_sensitive() -> None:
    """The exclusion attack: all records that are not sensitive are released, as they are."""
    clear = {"local": {"table": {"outputs": ["nothing", "no"], "yes": [1, 0], "no": [0, 1]}}}
    assert leaked(SICK, clear) is None


def test_a_policy_is_a_list_or_a_predicate_of_each_record() -> None:
    """Only bob is asked, so that ann's values do not matter."""
    mechanism = {
        "program": "return bob if bob == 'no' and draw(bernoulli(1/2)) == 1 else 'nothing'"
    }
    told = (["yes"], "value == 'yes'", {"ann": ["no"], "bob": ["yes"]}, {"bob": "value == 'yes'"})
    for sensitive in told:
        assert leaked(SICK, mechanism, sensitive=sensitive) == 2
    assert leaked(SICK, mechanism, sensitive={"ann": ["yes", "no"]}) == 1
    ages: Json = {"records": ["ann"], "domain": {"age": ["10", "30"], "ill": ["0", "1"]}}
    minor = {"deterministic": "ann.age < 18"}
    assert leaked(ages, minor, sensitive="age < 18") is None
    assert leaked(ages, {"deterministic": "1"}, sensitive="age < 18") == 1


def test_absent_records_stay_so() -> None:
    absent = {**SICK, "absent": "true"}
    assert leaked(absent, {"deterministic": "ann.present"}) == 1
    assert leaked(absent, {"deterministic": "ann.present and ann == 'yes'"}) is None


def test_histograms_are_as_lists_of_records() -> None:
    """One record more that is not sensitive, one less that is: a geometric count of ratio 1/2."""
    where = "count(value == 'yes') <= 2"
    crowd = {"records": "4", "domain": ["yes", "no", "maybe"], "where": [where]}
    count = {"geometric": {"query": "count(value == 'no')", "ratio": "1/2"}}
    for sensitive in (["yes"], "value == 'yes'", ["no", "maybe"]):
        for worlds in (crowd, {**crowd, "exchangeable": "true"}):
            assert leaked(worlds, count, sensitive=sensitive) == 2


@each(
    "premise, conclusion, level",
    [
        ({"differential_privacy": {}}, {WORD: {"sensitive": ["yes"]}}, 2),
        ({WORD: {"sensitive": ["yes"]}}, {"differential_privacy": {}}, None),
        ({WORD: {"sensitive": ["yes", "no"]}}, {"differential_privacy": {}}, 2),
        ({WORD: {"sensitive": ["yes", "no"]}}, {WORD: {"sensitive": {"ann": ["yes"]}}}, 2),
        ({WORD: {"sensitive": {"ann": ["yes"]}}}, {WORD: {"sensitive": ["yes"]}}, None),
    ],
)
def test_the_fewer_are_sensitive_the_less_is_promised(
    premise: Json, conclusion: Json, level: int | None
) -> None:
    """With all values sensitive it is differential privacy."""
    asked = {
        side: {word: {**options, "exp_epsilon": "2"} for word, options in definition.items()}
        for side, definition in (("if", premise), ("then", conclusion))
    }
    answer = decide({"worlds": SICK, "checks": [{"implies": asked}]})
    assert answer.leakage is not None and answer.leakage.exp_epsilon == level


def test_nothing_sensitive_is_nothing_compared() -> None:
    for sensitive in ([], {}, "1 == 2"):
        asked = {WORD: {"exp_epsilon": "2", "sensitive": sensitive}}
        answer = decide({"worlds": SICK, "mechanism": {"deterministic": "ann"}, "checks": [asked]})
        assert answer.leakage is not None and answer.leakage.vacuous
    assert plain.smallest_alpha([[F(1)]], compared([("yes",)], lambda i, x: True)) == 1


TOLD = Told(
    options=("sensitive",),
    pairs=pairs,
    drawn=policies(),
    taken={
        "one-sided": (
            {"exp_epsilon": "4", "sensitive": ["0"]},
            {"mechanism": {"randomized_response": {"truth": "3/4"}}},
            ["matrix", "policy", "worlds"],
        ),
        "one-sided crowd": (
            {"exp_epsilon": "4", "sensitive": ["0"]},
            {
                "worlds": {"records": "3", "domain": ["0", "1", "2"], "exchangeable": "true"},
                "mechanism": {"geometric": {"query": "count(value == 1)", "ratio": "1/2"}},
            },
            ["matrix", "policy", "worlds"],
        ),
    },
    relations={
        "one-sided": [
            {"rule": "replace", "group": 1},
            {"rule": "pairs", "distances": {"2": [[1, 2], [3], [3], []]}},
            *(
                {"rule": "pairs", "distances": {"1": listed}}
                for listed in ([[1], [], [], []], [[1, 2], [0], [3], []], [[3], [], [], []])
            ),
        ],
    },
    asked=(
        "{one_sided_privacy: {exp_epsilon: 9, sensitive: [1]}, mechanism: response}",
        lambda **about: one_sided_privacy.question(**about, sensitive=[1]),
    ),
    bad="""=== S016 a policy that is missing | add sensitive: [yes]
checks: [{»one_sided_privacy: {exp_epsilon: 9}}]
=== S601 a level of one-sided privacy | epsilon: ln(3), or exp_epsilon: 3
checks: [{»one_sided_privacy: {sensitive: [1]}}]
=== S604 policies |
checks: [{one_sided_privacy: {exp_epsilon: 9, sensitive: □}}]
~ [»2] => S604 | values: 0, 1
~ {ann: [»yes]} => S604 | values: 0, 1
~ [»[1]] => S014 | write 1
~ »valu == 1 => S303 | did you mean 'value'?
~ »ann == 1 => S303 |
~ »value => S306 |
=== S604 absence as a policy | absent records stay absent
worlds: {records: [ann], domain: [0, 1], absent: true}
mechanism: {deterministic: ann.present}
checks: [{one_sided_privacy: {exp_epsilon: 9, sensitive: [»⊥]}}]
=== S604 a policy by name for a crowd | write it without records
worlds: {records: 2, domain: [0, 1], exchangeable: true}
mechanism: {deterministic: count(value == 1)}
checks: [{one_sided_privacy: {exp_epsilon: 9, sensitive: »{r1: [1]}}}]
=== S603 a policy for named worlds | {pairs: …}
worlds: [sun, rain]
mechanism: {deterministic: world}
checks: [{one_sided_privacy: {exp_epsilon: 9, sensitive: »[sun]}}]
""",
)
