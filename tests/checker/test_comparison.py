"""Hand-made certificates, each accepted, and broken siblings, each rejected for its reason."""

from decimal import Context, Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from verifier.checker.levels import Level
from verifier.checker.obligations import Compared
from verifier.checker.reading import Table

HALF = ["1/2", "1/2"]
# randomized response on two bits, truth 3/4; outputs 00, 01, 10, 11
BITS = {
    "00": ["9/16", "3/16", "3/16", "1/16"],
    "01": ["3/16", "9/16", "1/16", "3/16"],
    "10": ["3/16", "1/16", "9/16", "3/16"],
    "11": ["1/16", "3/16", "3/16", "9/16"],
}
RECORDS = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.fixture
def response(build: Any) -> Any:
    """Randomized response leaks 3 per record: violated at level 2."""
    model = build.mechanism_model(BITS, RECORDS)
    relation = {"rule": "replace", "group": 1}
    return build.certificate(model, relation, "3", "violated", {"pair": [0, 1], "output": 0})


def test_response_and_its_broken_siblings(build: Any, response: Any) -> None:
    accepted(response)

    def sibling(*words: str, **claim: Any) -> None:
        rejected(build.edited(response, lambda d: d["claim"].update(claim)), *words)

    sibling("the verdict must be", verdict="holds")
    sibling("the verdict must be", level={"exp_epsilon": "3", "delta": "0"})
    sibling("the verdict must be", level={"epsilon": "11/10", "delta": "0"})  # e^1.1 > 3
    sibling("too small", leakage={"exp_epsilon": "299/100"})
    sibling("too large", leakage={"exp_epsilon": "301/100"})
    sibling("infinite", leakage={"infinite": True})
    sibling("vacuous", leakage={"vacuous": True})
    sibling("digest", digest="sha256:" + "0" * 64)

    def witness(*words: str, **change: Any) -> None:
        edited = build.edited(response, lambda d: d["evidence"]["witness"].update(change))
        rejected(edited, *words)

    witness("too large", output=3)
    witness("too large", output=1)
    witness("no pair of the relation", pair=[0, 3])
    rejected(
        build.edited(response, lambda d: d.update(evidence={"witness": None})),
        "too large for the witness",
    )


def test_epsilon_next_to_its_leakage(build: Any, response: Any) -> None:
    """ln 3 = 1.0986122886681096913952...: the level decides in the 20th digit."""

    def at(epsilon: str, verdict: str) -> Any:
        claim = {"level": {"epsilon": epsilon, "delta": "0"}, "verdict": verdict}
        return build.edited(response, lambda d: d["claim"].update(claim))

    accepted(at("109861228866810969140/100000000000000000000", "holds"))
    accepted(at("109861228866810969139/100000000000000000000", "violated"))
    rejected(at("109861228866810969139/100000000000000000000", "holds"), "the verdict must be")
    accepted(at("1" + "0" * 9000, "holds"))
    accepted(at("0", "violated"))
    accepted(at("1/1" + "0" * 9000, "violated"))


def test_one_column_off(build: Any, response: Any) -> None:
    """A world cannot hide: the pairs are derived from the records."""
    broken = build.edited(response, lambda d: d["model"]["columns"][0].__setitem__(0, 1))
    rejected(broken, "'00'", "does not sum to 1")


@pytest.mark.parametrize(
    ("rule", "leakage", "pair"),
    [
        ({"rule": "replace", "group": 2}, "9", [0, 3]),
        ({"rule": "replace", "group": 10**9}, "9", [0, 3]),
        ({"rule": "entry", "group": 1}, "3", [0, 1]),
        ({"rule": "all"}, "9", [0, 3]),
        ({"rule": "pairs", "distances": {"1": [[3], [], [], []]}}, "9", [0, 3]),
        (
            {"rule": "pairs", "distances": {"2": [[3], [], [], []], "1": [[1], [], [], []]}},
            "3",
            [0, 3],
        ),
        ({"rule": "pairs", "distances": {"1/2": [[3], [], [], []]}}, "81", [0, 3]),
    ],
)
def test_every_rule_on_two_bits(build: Any, rule: Any, leakage: str, pair: list[int]) -> None:
    model = build.mechanism_model(BITS, RECORDS)
    witness = {"pair": pair, "output": 0}
    document = build.certificate(model, rule, leakage, "violated", witness)
    accepted(document)
    rejected(
        build.edited(document, lambda d: d["claim"].update(verdict="holds")), "the verdict must be"
    )
    for wrong in ({"exp_epsilon": leakage + "1"}, {"exp_epsilon": "11/10"}):
        rejected(build.edited(document, lambda d, w=wrong: d["claim"].update(leakage=w)), "leakage")
    backwards = build.edited(document, lambda d: d["evidence"]["witness"]["pair"].reverse())
    rejected(backwards)


def test_constrained_worlds_have_no_neighbours(build: Any) -> None:
    model = build.mechanism_model({w: BITS[w] for w in ("00", "11")}, [[0, 0], [1, 1]])
    relation = {"rule": "replace", "group": 1}
    document = build.certificate(model, relation, {"vacuous": True}, "holds")
    accepted(document)
    accepted(build.edited(document, lambda d: d.update(evidence={"witness": None})))
    rejected(build.edited(document, lambda d: d["claim"].update(verdict="violated")), "verdict")
    one = {"exp_epsilon": "1"}
    rejected(build.edited(document, lambda d: d["claim"].update(leakage=one)), "vacuous")


def test_absence(build: Any) -> None:
    """Worlds ⊥, a, b of one record: presence leaks 3, replacement 3/2."""
    columns = {"⊥": ["1/4", "3/4"], "a": ["3/4", "1/4"], "b": HALF}
    model = build.mechanism_model(columns, [[-1], [0], [1]])
    present = {"rule": "add_remove", "group": 1}
    witness = {"pair": [1, 0], "output": 0}
    accepted(build.certificate(model, present, "3", "violated", witness))
    replace = {"rule": "replace", "group": 1}
    rejected(build.certificate(model, replace, "3", "violated", witness), "no pair")
    document = build.certificate(model, replace, "2", "holds", {"pair": [2, 1], "output": 1})
    accepted(document)
    rejected(build.edited(document, lambda d: d.update(relation=present)), "no pair")


def test_two_records_come_and_go(build: Any) -> None:
    """Groups of 1 leak 4; groups of 2 leak 6, where one record goes as another comes."""
    columns = {"⊥⊥": HALF, "a⊥": ["1/4", "3/4"], "⊥a": ["7/8", "1/8"], "aa": HALF}
    model = build.mechanism_model(columns, [[-1, -1], [0, -1], [-1, 0], [0, 0]])
    one, two = ({"rule": "add_remove", "group": group} for group in (1, 2))
    four = {"pair": [0, 2], "output": 1}
    accepted(build.certificate(model, one, "4", "violated", four))
    six = {"pair": [1, 2], "output": 1}
    accepted(build.certificate(model, two, "6", "violated", six))
    rejected(build.certificate(model, one, "6", "violated", six), "no pair")
    rejected(build.certificate(model, two, "4", "violated", four), "too small")


def test_two_attributes(build: Any) -> None:
    """One record of two bits: replacing it is 9, an entry of it 3."""
    model = build.mechanism_model(BITS, RECORDS, entries_per_record=2)
    nine = {"pair": [0, 3], "output": 0}
    accepted(build.certificate(model, {"rule": "replace", "group": 1}, "9", "violated", nine))
    three = {"pair": [0, 1], "output": 0}
    accepted(build.certificate(model, {"rule": "entry", "group": 1}, "3", "violated", three))
    rejected(build.certificate(model, {"rule": "entry", "group": 1}, "9", "violated", nine), "pair")


def test_infinite_leakage(build: Any) -> None:
    model = build.mechanism_model({"s": ["1", "0"], "t": HALF})
    infinite = {"infinite": True}
    witness = {"pair": [1, 0], "output": 1}
    document = build.certificate(model, {"rule": "all"}, infinite, "violated", witness)
    accepted(document)
    rejected(build.edited(document, lambda d: d["claim"].update(verdict="holds")), "verdict")
    rejected(
        build.edited(document, lambda d: d["claim"].update(leakage={"exp_epsilon": "5"})),
        "too small",
    )
    other = {"pair": [0, 1], "output": 0}
    rejected(build.certificate(model, {"rule": "all"}, infinite, "violated", other), "infinite")
    rejected(build.certificate(model, {"rule": "all"}, infinite, "violated"), "infinite")
    twice = build.listed(2, (1, 0, "1/2"), (1, 0, "7"))
    accepted(build.certificate(model, twice, infinite, "violated", witness))


def test_no_leakage_needs_no_witness(build: Any) -> None:
    model = build.mechanism_model({"s": HALF, "t": HALF})
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds"))
    level = {"exp_epsilon": "1"}
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", level=level))
    witness = {"pair": [0, 1], "output": 1}
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", witness))
    rejected(build.certificate(model, {"rule": "all"}, "1", "violated"), "verdict")


def test_delta(build: Any) -> None:
    """P = (3/4, 1/4), Q = (1/4, 3/4): P - alpha Q = delta at alpha = 3 - 4 delta."""
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    level = {"exp_epsilon": "2", "delta": "1/4"}
    witness = {"pair": [0, 1], "outputs": [0]}
    document = build.certificate(model, {"rule": "all"}, "2", "holds", witness, level)
    accepted(document)
    small = build.edited(document, lambda d: d["claim"].update(leakage={"exp_epsilon": "19/10"}))
    rejected(small, "too small")
    event = build.edited(document, lambda d: d["evidence"]["witness"].update(outputs=[0, 1]))
    rejected(event, "too large")
    empty = build.edited(document, lambda d: d["evidence"]["witness"].update(outputs=[]))
    rejected(empty, "too large")
    level = {"exp_epsilon": "1", "delta": "1/2"}
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", None, level))


def test_witnesses_that_say_nothing(build: Any) -> None:
    """0 against 0, equal ones, and P = delta against 0 allow every level."""
    model = build.mechanism_model({"s": [*HALF, "0"], "t": [*HALF, "0"]})
    nothing = {"pair": [0, 1], "output": 2}
    rejected(build.certificate(model, {"rule": "all"}, "5", "violated", nothing), "too large")
    same = {"pair": [0, 1], "output": 0}
    near = build.listed(2, (0, 1, "1/1000000000"))
    rejected(build.certificate(model, near, "5", "violated", same), "too large")
    model = build.mechanism_model({"s": ["1/4", "3/4"], "t": ["0", "1"]})
    event, level = {"pair": [0, 1], "outputs": [0]}, {"delta": "1/4"}
    rejected(build.certificate(model, {"rule": "all"}, "5", "violated", event, level), "too large")
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", None, level))


def test_delta_and_infinite(build: Any) -> None:
    model = build.mechanism_model({"s": ["1/2", "0", "1/2"], "t": ["0", "1/2", "1/2"]})
    level = {"delta": "1/3"}
    witness = {"pair": [0, 1], "outputs": [0]}
    infinite = {"infinite": True}
    accepted(build.certificate(model, {"rule": "all"}, infinite, "violated", witness, level))
    level = {"delta": "1/2"}
    document = build.certificate(model, {"rule": "all"}, infinite, "violated", witness, level)
    rejected(document, "infinite")
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", None, level))


def test_an_excess_is_not_rounded(build: Any) -> None:
    """Two outputs exceed by 1/5 each, and a third one by a hair."""
    hair = Fraction(1, 10**30)
    left = [Fraction(2, 5), Fraction(2, 5), Fraction(1, 10) + hair, Fraction(1, 10) - hair]
    right = [Fraction(1, 5), Fraction(1, 5), Fraction(1, 10), Fraction(1, 2)]
    model = build.mechanism_model({"s": left, "t": right})
    there = build.listed(2, (0, 1))
    for excess, outcome in ((hair, "accepted"), (0, "rejected"), (hair / 2, "rejected")):
        level = {"exp_epsilon": "1", "delta": str(Fraction(2, 5) + excess)}
        document = build.certificate(model, there, "1", "holds", None, level)
        assert check(document).outcome == outcome, excess
    for alpha, excess in ((Fraction(2), Fraction(0)), (1, Fraction(2, 5) + hair)):
        curve = build.certificate(model, there, "2", "holds", {"pair": [0, 1], "output": 0})
        for change, outcome in ((0, "accepted"), (hair, "rejected"), (-hair, "rejected")):
            if excess + change >= 0:
                curve["claim"]["tradeoff"] = [[str(alpha), str(excess + change)]]
                assert check(curve).outcome == outcome


def test_probabilities_a_hair_apart(build: Any) -> None:
    """64 binary digits do not tell 1/4 + 10^-30 from 1/4."""
    hair = Fraction(1, 10**30)
    columns = {"s": [Fraction(1, 4) + hair, Fraction(3, 4) - hair], "t": ["1/4", "3/4"]}
    model = build.mechanism_model(columns)
    witness = {"pair": [0, 1], "output": 0}
    exact = str(1 + 4 * hair)
    level = {"exp_epsilon": exact}
    relation = {"rule": "all"}
    assert check(build.certificate(model, relation, exact, "holds", witness, level)).outcome == (
        "accepted"
    )
    for leakage in (str(1 + 3 * hair), str(1 + 5 * hair), "1"):
        for shown in (witness, None):
            document = build.certificate(model, relation, leakage, "holds", shown, level)
            assert check(document).outcome == "rejected"


def test_levels_of_e_beside_a_power(build: Any) -> None:
    """Ratio 2 at distance 2 and 7/5 at distance 1, at sqrt(2) = e^0.346573590279972654...: the
    pair at distance 1 is compared with a level of e that lies within the bounds."""
    columns = {"s": ["4/10", "6/10"], "t": ["2/10", "8/10"], "u": ["2/7", "5/7"]}
    model = build.mechanism_model(columns)
    relation = build.listed(3, (0, 1, "2"), (0, 2, "1"))
    tight = {"lower": "14142135623/10000000000", "upper": "14142135624/10000000000"}
    for digits, verdict in (("34657359027997266", "holds"), ("34657359027997265", "violated")):
        level = {"epsilon": digits + "/100000000000000000"}
        document = build.certificate(model, relation, tight, verdict, {"pair": [0, 1], "output": 0})
        document["claim"]["level"] = {**level, "delta": "0"}
        accepted(document)
        other = {"holds": "violated", "violated": "holds"}[verdict]
        rejected(build.edited(document, lambda d, v=other: d["claim"].update(verdict=v)), "verdict")


HAIR = Fraction(1, 10**30)
NUMBERS = [Fraction(n, 12) for n in (0, 1, 2, 3, 4, 6, 9, 12)]
NUMBERS = sorted([*NUMBERS, *(p + sign * HAIR for p in NUMBERS[1:-1] for sign in (1, -1))])
# a level: alpha, or 200 decimal digits of e^(1/2) where no comparison is equal
ROOT_OF_E = Fraction(int(Decimal("0.5").exp(Context(prec=201)) * 10**200), 10**200)
LEVELS = [Level(a) for a in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9, 4), 1 + HAIR)]
LEVELS.append(Level(None, Fraction(1, 2)))


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_comparisons_one_by_one(level: Level, seed: int) -> None:
    """All outputs of all pairs at once, against each one alone: P^k <= alpha^j Q^k."""
    random, alpha = Random(seed), level.alpha or ROOT_OF_E
    outcomes = set()
    for _ in range(25):
        columns = [random.choices(range(len(NUMBERS)), k=2) for _ in range(30)]
        closest = random.choice([None, Fraction(2), Fraction(1, 2), Fraction(1)])
        distances = [Fraction(1)] if closest is None else [closest, Fraction(1)]
        if random.random() < 0.5:  # world 1 lies near world 0
            columns[1] = [
                max(0, min(len(NUMBERS) - 1, o + random.choice([-1, 0]))) for o in columns[0]
            ]
        size = random.choice([1, 1, 1, 1, 11])
        blocks = [
            (range(size), range(size, 2 * size), d)
            for d in random.sample(distances, len(distances))
        ]
        expected = all(
            NUMBERS[columns[i][o]] ** d.denominator
            <= alpha**d.numerator * NUMBERS[columns[j][o]] ** d.denominator
            for s, t, d in blocks
            for i in s
            for j in t
            for o in range(2)
        )
        outcomes.add(expected)
        assert Compared(Table(NUMBERS, columns), blocks).holds(level, Fraction(0)) == expected
    assert outcomes == {True, False}


@pytest.mark.parametrize("size", [100, 127, 128, 129, 200, 255, 256, 257, 33000])
def test_tables_of_many_values(size: int) -> None:
    """Codes of 8, 16 and 32 bits; at alpha 1 just the same or a larger value is near enough."""
    values = [Fraction(k, size) for k in range(size)]
    top, block = size - 1, [((0,), (1,), Fraction(1))]
    for left, right in (
        ([top, 0], [0, top]),
        ([top, 0, top - 1], [top, 0, top]),
        ([0, top], [top, top - 1]),
        ([0, top - 1], [0, top]),
        ([top // 2, 1], [top // 2 - 1, top]),
        ([1, top // 2], [0, top // 2]),
        ([top, top], [0, 0]),
        ([top, 1, top], [top, 1, 64]),
    )[: 3 if size > 1000 else 8]:
        expected = all(p <= q for p, q in zip(left, right, strict=True))
        assert (
            Compared(Table(values, [left, right]), block).holds(Level(Fraction(1)), Fraction(0))
            == expected
        )


def test_distances_go_with_no_delta(build: Any) -> None:
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    witness, level = {"pair": [0, 1], "outputs": [0]}, {"exp_epsilon": "2", "delta": "1/4"}
    accepted(build.certificate(model, build.listed(2, (0, 1)), "2", "holds", witness, level))
    bounds = {"lower": "2", "upper": "2"}
    document = build.certificate(model, build.listed(2, (0, 1)), bounds, "holds", witness, level)
    accepted(document)  # bounds may stand for a number
    for pairs in ([(0, 1, "2")], [(0, 1, "1"), (1, 0, "2")]):
        relation = build.listed(2, *pairs)
        document = build.certificate(model, relation, "2", "holds", witness, level)
        assert "delta is 0" in check(document).reason
        output = {"pair": [0, 1], "output": 0}
        curve = build.certificate(model, build.listed(2, (0, 1)), "3", "violated", output)
        curve["claim"]["tradeoff"] = [["2", "1/4"]]
        accepted(curve)
        curve["relation"] = build.listed(2, (0, 1, "1"), (1, 0, "2"))
        assert "no delta" in check(curve).reason


def test_an_excess_of_many_pairs() -> None:
    """The largest sum of max(0, P - alpha Q) over the pairs, one way; none without pairs."""
    values = [Fraction(k, 4) for k in range(5)]
    columns = [[3, 1, 0], [1, 1, 2], [2, 0, 2], [0, 4, 0]]
    two, one = Level(Fraction(2)), Level(Fraction(1))
    assert Compared(Table(values, columns), []).holds(two, HAIR)
    for level, blocks, least in (
        (two, [([0], [1], 1)], Fraction(1, 4)),  # 3/4 - 2/4
        (two, [([1], [0], 1)], Fraction(1, 2)),  # 0 and 2/4
        (one, [([0], [1], 1)], Fraction(1, 2)),
        (one, [([0], [3], 1)], Fraction(3, 4)),
        (two, [([0], [1, 2], 1)], Fraction(1, 4)),  # 1/4; 0 and 1/4
        (two, [([0], [1], 1), ([3], [1], 1)], Fraction(1, 2)),  # 1 - 2/4
        (two, [([0, 3], [1, 2], 1)], Fraction(1)),
    ):
        pairs = [(s, t, Fraction(d)) for s, t, d in blocks]
        assert Compared(Table(values, columns), pairs).holds(level, least)
        assert not Compared(Table(values, columns), pairs).holds(level, least - HAIR)


def test_a_curve_where_nothing_is_compared(build: Any) -> None:
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    document = build.certificate(model, build.listed(2), {"vacuous": True}, "holds")
    document["claim"]["tradeoff"] = [["2", "0"]]
    accepted(document)
    document["claim"]["tradeoff"] = [["2", "1"]]
    rejected(document, "smallest delta")
    witness = {"pair": [0, 1], "output": 0}
    assert check({**document, "evidence": {"witness": witness}}).outcome == "rejected"


def test_each_point_of_a_curve(build: Any) -> None:
    """3/4 - alpha/4 and zero from 3 on."""
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    witness, points = {"pair": [0, 1], "output": 0}, [["1", "1/2"], ["2", "1/4"], ["3", "0"]]
    document = build.certificate(model, {"rule": "all"}, "3", "violated", witness)
    document["claim"]["tradeoff"] = points
    accepted(document)
    for at in range(3):
        for wrong in ("1/3", "1"):
            lie = [*points[:at], [points[at][0], wrong], *points[at + 1 :]]
            edited = build.edited(document, lambda d, p=lie: d["claim"].update(tradeoff=p))
            rejected(edited, "smallest delta")


def test_a_curve_of_which_one_pair_has_less(build: Any) -> None:
    """At alpha = 1 s exceeds t by 1/4 and u by 1/2: what is right for one pair is not enough."""
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": HALF, "u": ["1/4", "3/4"]})
    there = build.listed(3, (0, 1), (0, 2))
    document = build.certificate(model, there, "3", "violated", {"pair": [0, 2], "output": 0})
    for delta, said in (("1/2", "accepted"), ("1/4", "rejected")):
        document["claim"]["tradeoff"] = [["1", delta]]
        assert check(document).outcome == said, delta


def test_a_world_is_no_pair(build: Any) -> None:
    model = build.mechanism_model({"s": HALF, "t": HALF})
    for pair, outcome in (([0, 1], "accepted"), ([0, 0], "rejected"), ([1, 1], "rejected")):
        witness = {"pair": pair, "output": 0}
        document = build.certificate(model, {"rule": "all"}, "1", "holds", witness)
        assert check(document).outcome == outcome
    for pair, output in (([False, True], 0), ([0, 1], False), ([0, 1], -1), ([0, 1.0], 0)):
        witness = {"pair": pair, "output": output}
        document = build.certificate(model, {"rule": "all"}, "1", "holds", witness)
        assert check(document).outcome == "refused"


def test_a_pair_at_two_distances(build: Any) -> None:
    """Ratio 3 at distance 1 needs 3, at distance 2 less: the closer one is proof enough."""
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    relation = build.listed(2, (0, 1, "1"), (0, 1, "2"))
    accepted(build.certificate(model, relation, "3", "violated", {"pair": [0, 1], "output": 0}))


def test_a_prior_has_a_weight_for_each_world(build: Any) -> None:
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    relation: Any = {"rule": "secrets", "secrets": {"s": [0], "t": [1]}, "pairs": [["s", "t"]]}
    witness = {"prior": 0, "pair": ["s", "t"], "output": 0}
    for prior, outcome in (
        (["1/2", "1/2"], "accepted"),
        (["1/4", "1/4", "1/2"], "rejected"),
        (["1/4", "3/4", "0"], "rejected"),
        (["1/2", "1/4"], "rejected"),
        (["1"], "rejected"),
    ):
        about = {**relation, "priors": {"class": "list", "priors": [prior]}}
        document = build.certificate(model, about, "3", "violated", witness)
        assert check(document).outcome == outcome
