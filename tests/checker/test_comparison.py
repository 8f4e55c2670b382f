"""Hand-made certificates, each accepted, and broken siblings, each rejected for its reason."""

import hashlib
import json
from typing import Any

import pytest

from verifier.checker import check

HALF = ["1/2", "1/2"]
# randomized response on two bits, truth 3/4; outputs 00, 01, 10, 11
BITS = {
    "00": ["9/16", "3/16", "3/16", "1/16"],
    "01": ["3/16", "9/16", "1/16", "3/16"],
    "10": ["3/16", "1/16", "9/16", "3/16"],
    "11": ["1/16", "3/16", "3/16", "9/16"],
}
RECORDS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def rejected(document: Any, *words: str) -> None:
    verdict = check(document)
    assert verdict.outcome == "rejected", verdict
    for word in words:
        assert word in verdict.reason, verdict


def accepted(document: Any) -> None:
    assert check(document).outcome == "accepted", check(document)


@pytest.fixture
def response(build: Any) -> Any:
    """Randomized response leaks 3 per record: violated at level 2."""
    model = build.mechanism_model(BITS, RECORDS)
    relation = {"rule": "replace", "group": 1}
    return build.certificate(model, relation, "3", "violated", {"pair": [0, 1], "output": 0})


def test_the_example_of_the_docs() -> None:
    document = {
        "format": "verifier-certificate",
        "version": 1,
        "claim": {
            "definition": "differential_privacy",
            "kind": "comparison",
            "verdict": "holds",
            "level": {"exp_epsilon": "3", "delta": "0"},
            "leakage": {"exp_epsilon": "3"},
            "digest": "",
        },
        "model": {
            "worlds": ["0", "1"],
            "records": [[0], [1]],
            "entries_per_record": 1,
            "outputs": ["no", "yes"],
            "values": ["1/4", "3/4"],
            "columns": [[1, 0], [0, 1]],
        },
        "relation": {"rule": "replace", "group": 1},
        "evidence": {"witness": {"pair": [0, 1], "output": 0}},
    }
    lines = 'worlds "0" "1" records 0 1 entries_per_record 1 outputs "no" "yes" values 1/4 3/4'
    text = "\n".join([*lines.split(), "columns", "1 0", "0 1", ""])
    document["claim"]["digest"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()  # type: ignore[index]
    accepted(document)


def test_response_and_its_broken_siblings(build: Any, response: Any) -> None:
    accepted(response)

    def sibling(*words: str, **claim: Any) -> None:
        rejected(build.edited(response, lambda d: d["claim"].update(claim)), *words)

    sibling("wrong verdict", verdict="holds")
    sibling("wrong verdict", level={"exp_epsilon": "3", "delta": "0"})
    sibling("wrong verdict", level={"epsilon": "11/10", "delta": "0"})  # e^1.1 > 3
    sibling("too small", "9/16 in '00', 3/16 in '10'", leakage={"exp_epsilon": "299/100"})
    sibling("too large", leakage={"exp_epsilon": "301/100"})
    sibling("infinite", leakage={"infinite": True})
    sibling("vacuous", leakage={"vacuous": True})
    sibling("digest", digest="sha256:" + "0" * 64)

    def witness(*words: str, **change: Any) -> None:
        edited = build.edited(response, lambda d: d["evidence"]["witness"].update(change))
        rejected(edited, *words)

    witness("witness wrong", output=3)
    witness("witness wrong", output=1)
    witness("not a pair of the relation", pair=[0, 3])
    rejected(build.edited(response, lambda d: d.update(evidence=None)), "needs a witness")


def test_epsilon_next_to_its_leakage(build: Any, response: Any) -> None:
    """ln 3 = 1.0986122886681096913952...: the level decides in the 20th digit."""

    def at(epsilon: str, verdict: str) -> Any:
        claim = {"level": {"epsilon": epsilon, "delta": "0"}, "verdict": verdict}
        return build.edited(response, lambda d: d["claim"].update(claim))

    accepted(at("109861228866810969140/100000000000000000000", "holds"))
    accepted(at("109861228866810969139/100000000000000000000", "violated"))
    rejected(at("109861228866810969139/100000000000000000000", "holds"), "wrong verdict")
    accepted(at("1" + "0" * 9000, "holds"))
    accepted(at("0", "violated"))
    accepted(at("1/1" + "0" * 9000, "violated"))


def test_one_column_off(build: Any, response: Any) -> None:
    """A world cannot hide: the pairs are derived from the records."""
    broken = build.edited(response, lambda d: d["model"]["columns"][0].__setitem__(0, 1))
    rejected(broken, "'00'", "sums to 5/8")


@pytest.mark.parametrize(
    ("rule", "leakage", "pair"),
    [
        ({"rule": "replace", "group": 2}, "9", [0, 3]),
        ({"rule": "replace", "group": 10**9}, "9", [0, 3]),
        ({"rule": "entry", "group": 1}, "3", [0, 1]),
        ({"rule": "all"}, "9", [0, 3]),
        ({"rule": "pairs", "pairs": [[0, 3]]}, "9", [0, 3]),
        ({"rule": "distances", "pairs": [[0, 3, "2"], [0, 1, "1"]]}, "3", [0, 3]),
        ({"rule": "distances", "pairs": [[0, 3, "1/2"]]}, "81", [0, 3]),
    ],
)
def test_every_rule_on_two_bits(build: Any, rule: Any, leakage: str, pair: list[int]) -> None:
    model = build.mechanism_model(BITS, RECORDS)
    witness = {"pair": pair, "output": 0}
    document = build.certificate(model, rule, leakage, "violated", witness)
    accepted(document)
    rejected(build.edited(document, lambda d: d["claim"].update(verdict="holds")), "wrong verdict")
    for wrong in ({"exp_epsilon": leakage + "1"}, {"exp_epsilon": "11/10"}):
        rejected(build.edited(document, lambda d, w=wrong: d["claim"].update(leakage=w)), "leakage")
    backwards = build.edited(document, lambda d: d["evidence"]["witness"]["pair"].reverse())
    rejected(backwards)


def test_constrained_worlds_have_no_neighbours(build: Any) -> None:
    model = build.mechanism_model({w: BITS[w] for w in ("00", "11")}, [[0, 0], [1, 1]])
    relation = {"rule": "replace", "group": 1}
    document = build.certificate(model, relation, {"vacuous": True}, "holds")
    accepted(document)
    accepted(build.edited(document, lambda d: d.update(evidence=None)))
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
    rejected(build.certificate(model, replace, "3", "violated", witness), "not a pair")
    document = build.certificate(model, replace, "2", "holds", {"pair": [2, 1], "output": 1})
    accepted(document)
    rejected(build.edited(document, lambda d: d.update(relation=present)), "not a pair")


def test_two_records_come_and_go(build: Any) -> None:
    """Groups of 1 leak 4; groups of 2 leak 6, where one record goes as another comes."""
    columns = {"⊥⊥": HALF, "a⊥": ["1/4", "3/4"], "⊥a": ["7/8", "1/8"], "aa": HALF}
    model = build.mechanism_model(columns, [[-1, -1], [0, -1], [-1, 0], [0, 0]])
    one, two = ({"rule": "add_remove", "group": group} for group in (1, 2))
    four = {"pair": [0, 2], "output": 1}
    accepted(build.certificate(model, one, "4", "violated", four))
    six = {"pair": [1, 2], "output": 1}
    accepted(build.certificate(model, two, "6", "violated", six))
    rejected(build.certificate(model, one, "6", "violated", six), "not a pair")
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
    distance = {"rule": "distances", "pairs": [[0, 1, "0"]]}
    accepted(build.certificate(model, distance, infinite, "violated", other))


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
    rejected(small, "too small", "delta of 11/40")
    event = build.edited(document, lambda d: d["evidence"]["witness"].update(outputs=[0, 1]))
    rejected(event, "witness")
    empty = build.edited(document, lambda d: d["evidence"]["witness"].update(outputs=[]))
    rejected(empty, "witness")
    level = {"exp_epsilon": "1", "delta": "1/2"}
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", None, level))


def test_witnesses_that_say_nothing(build: Any) -> None:
    """0 against 0, the distance 0, and P = delta against 0 allow every level."""
    model = build.mechanism_model({"s": [*HALF, "0"], "t": [*HALF, "0"]})
    nothing = {"pair": [0, 1], "output": 2}
    rejected(build.certificate(model, {"rule": "all"}, "5", "violated", nothing), "too large")
    same = {"pair": [0, 1], "output": 0}
    distance = {"rule": "distances", "pairs": [[0, 1, "0"]]}
    rejected(build.certificate(model, distance, "5", "violated", same), "too large")
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


def test_irrational_leakage(build: Any) -> None:
    """Ratio 2 at distance 2: sqrt(2) = 1.41421356237..."""
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    relation = {"rule": "distances", "pairs": [[0, 1, "2"], [1, 0, "2"]]}
    tight = {"lower": "14142135623/10000000000", "upper": "14142135624/10000000000"}
    witness = {"pair": [0, 1], "output": 0}

    def at(level: Any, verdict: str, leakage: Any = tight) -> Any:
        return build.certificate(model, relation, leakage, verdict, witness, level)

    accepted(at({}, "holds"))
    accepted(at({"exp_epsilon": "7/5"}, "violated"))
    between = "141421356237/100000000000"  # sqrt(2) = 1.414213562373...
    accepted(at({"exp_epsilon": between}, "violated"))
    between = "1414213562374/1000000000000"
    accepted(at({"exp_epsilon": between}, "holds"))
    rejected(at({"exp_epsilon": between}, "violated"), "verdict")
    high = {"lower": "14142135624/10000000000", "upper": "14142135625/10000000000"}
    rejected(at({}, "holds", high), "too large")
    low = {"lower": "14142135622/10000000000", "upper": "14142135623/10000000000"}
    rejected(at({}, "holds", low), "too small")
    wide = {"lower": "14142135/10000000", "upper": "14142136/10000000"}
    assert check(at({}, "holds", wide)).outcome == "refused"


def test_irrational_leakage_at_irrational_level(build: Any) -> None:
    """ln 2 / 2 = 0.346573590279972654...: inside the enclosure the comparisons decide."""
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    relation = {"rule": "distances", "pairs": [[0, 1, "2"]]}
    tight = {"lower": "14142135623/10000000000", "upper": "14142135624/10000000000"}
    witness = {"pair": [0, 1], "output": 0}
    for digits, verdict in (("34657359027997266", "holds"), ("34657359027997265", "violated")):
        level = {"epsilon": digits + "/100000000000000000", "delta": "0"}
        document = build.certificate(model, relation, tight, verdict, witness)
        document["claim"]["level"] = level
        accepted(document)


SECRETS = {"first 0": [0, 1], "first 1": [2, 3]}


def test_secrets_under_all_priors(build: Any) -> None:
    model = build.mechanism_model(BITS)
    relation = {
        "rule": "secrets",
        "secrets": SECRETS,
        "pairs": [["first 0", "first 1"]],
        "priors": {"class": "all"},
    }
    witness = {"pair": [0, 3], "output": 0}
    document = build.certificate(model, relation, "9", "violated", witness)
    accepted(document)
    backwards = {"pair": [3, 0], "output": 3}
    accepted(build.certificate(model, relation, "9", "violated", backwards))
    inside = {"pair": [0, 1], "output": 0}
    rejected(build.certificate(model, relation, "3", "violated", inside), "not a pair")
    shared = build.edited(document, lambda d: d["relation"]["secrets"]["first 1"].append(0))
    rejected(shared, "in common")
    empty = build.edited(document, lambda d: d["relation"]["secrets"].update({"first 1": []}))
    rejected(empty)


def test_secrets_under_product_priors(build: Any) -> None:
    model = build.mechanism_model(BITS, RECORDS)
    relation = {
        "rule": "secrets",
        "secrets": {**SECRETS, "equal": [0, 3], "unequal": [1, 2], "second 1": [1, 3]},
        "pairs": [["first 0", "first 1"]],
        "priors": {"class": "product"},
    }
    witness = {"pair": [0, 2], "output": 0}
    document = build.certificate(model, relation, "3", "violated", witness)
    accepted(document)
    correlated = build.edited(document, lambda d: d["evidence"]["witness"].update(pair=[0, 3]))
    rejected(correlated, "not a pair")
    pairs = [["equal", "unequal"]]
    rejected(build.edited(document, lambda d: d["relation"].update(pairs=pairs)), "same record")
    part = build.edited(document, lambda d: d["relation"]["secrets"].update({"first 1": [2]}))
    rejected(part, "same record")
    three = build.mechanism_model({w: BITS[w] for w in ("00", "01", "10")}, RECORDS[:3])
    relation = relation | {"secrets": {"s": [0, 1], "t": [2]}, "pairs": [["s", "t"]]}
    incomplete = build.certificate(three, relation, "3", "violated", witness)
    rejected(incomplete, "complete product")


def test_secrets_under_listed_priors(build: Any) -> None:
    """The priors of the model file about convexity: each leaks nothing, their midpoint 41/9."""
    columns = {"i1": ["9/10", "1/10"], "i2": ["1/10", "9/10"]}
    model = build.mechanism_model({**columns, "j1": ["9/10", "1/10"], "j2": ["1/10", "9/10"]})
    ends = [["9/10", "0", "1/10", "0"], ["0", "1/10", "0", "9/10"]]
    middle = ["9/20", "1/20", "1/20", "9/20"]
    relation = {
        "rule": "secrets",
        "secrets": {"s": [0, 1], "t": [2, 3]},
        "pairs": [["s", "t"]],
        "priors": {"class": "list", "priors": ends},
    }
    accepted(build.certificate(model, relation, "1", "holds"))
    mixed = json.loads(json.dumps(relation))
    mixed["priors"]["priors"].append(middle)
    witness = {"prior": 2, "pair": ["s", "t"], "output": 0}
    document = build.certificate(model, mixed, "41/9", "violated", witness)
    accepted(document)
    rejected(build.certificate(model, mixed, "1", "holds"), "too small", "s (prior 2)")
    rejected(
        build.edited(document, lambda d: d["evidence"]["witness"].update(prior=0)), "too large"
    )
    nobody = build.edited(document, lambda d: d["evidence"]["witness"].update(prior=3))
    rejected(nobody, "does not allow")

    def prior(*weights: str) -> Any:
        copy = json.loads(json.dumps(document))
        copy["relation"]["priors"]["priors"][2] = list(weights)
        return copy

    rejected(prior("9/20", "1/20", "1/20", "8/20"), "sums to 19/20")
    rejected(prior("3/2", "-1/2", "0", "0"), "negative")
    only_s = build.edited(
        document,
        lambda d: d["relation"]["priors"].update(priors=[["1/2", "1/2", "0", "0"]]),
    )
    only_s["evidence"] = None
    rejected(only_s, "vacuous")
    only_s["claim"].update(leakage={"vacuous": True}, verdict="holds")
    accepted(only_s)
