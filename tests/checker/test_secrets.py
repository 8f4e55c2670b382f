"""Pairs of secrets under all, product and listed priors."""

import json
from typing import Any

from tests.checker.drafts import between, check
from tests.checker.outcomes import accepted, rejected

# randomized response on two bits, truth 3/4; outputs 00, 01, 10, 11
BITS = {
    "00": ["9/16", "3/16", "3/16", "1/16"],
    "01": ["3/16", "9/16", "1/16", "3/16"],
    "10": ["3/16", "1/16", "9/16", "3/16"],
    "11": ["1/16", "3/16", "3/16", "9/16"],
}
RECORDS = [[0, 0], [0, 1], [1, 0], [1, 1]]


SECRETS = {"first 0": [0, 1], "first 1": [2, 3]}


def test_secrets_under_all_priors(build: Any) -> None:
    model = build.mechanism_model(BITS)
    relation = between(SECRETS, [["first 0", "first 1"]], {"class": "all"})
    witness = {"pair": [0, 3], "output": 0}
    document = build.certificate(model, relation, "9", "violated", witness)
    accepted(document)
    backwards = {"pair": [3, 0], "output": 3}
    accepted(build.certificate(model, relation, "9", "violated", backwards))
    inside = {"pair": [0, 1], "output": 0}
    rejected(build.certificate(model, relation, "3", "violated", inside), "no pair")
    shared = build.edited(document, lambda d: d["relation"]["secrets"]["first 1"].append(0))
    rejected(shared, "overlap")
    empty = build.edited(document, lambda d: d["relation"]["secrets"].update({"first 1": []}))
    rejected(empty)


def test_secrets_under_product_priors(build: Any) -> None:
    model = build.mechanism_model(BITS, RECORDS)
    relation = between(
        {**SECRETS, "equal": [0, 3], "unequal": [1, 2], "second 1": [1, 3]},
        [["first 0", "first 1"]],
        {"class": "product"},
    )
    witness = {"pair": [0, 2], "output": 0}
    document = build.certificate(model, relation, "3", "violated", witness)
    accepted(document)
    correlated = build.edited(document, lambda d: d["evidence"]["witness"].update(pair=[0, 3]))
    rejected(correlated, "no pair")
    pairs = [["equal", "unequal"]]
    rejected(build.edited(document, lambda d: d["relation"].update(pairs=pairs)), "choice")
    part = build.edited(document, lambda d: d["relation"]["secrets"].update({"first 1": [2]}))
    rejected(part, "one record")
    known = build.edited(part, lambda d: d["relation"]["secrets"].update({"first 0": [0]}))
    accepted(known)  # 00 against 10, by somebody who knows the second record
    rejected(build.edited(known, lambda d: d["evidence"]["witness"].update(pair=[1, 3])), "no pair")
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
    relation = between({"s": [0, 1], "t": [2, 3]}, [["s", "t"]], {"class": "list", "priors": ends})
    accepted(build.certificate(model, relation, "1", "holds"))
    mixed = json.loads(json.dumps(relation))
    mixed["priors"]["priors"].append(middle)
    witness = {"prior": 2, "pair": ["s", "t"], "output": 0}
    document = build.certificate(model, mixed, "41/9", "violated", witness)
    accepted(document)
    rejected(build.certificate(model, mixed, "1", "holds"), "too small")
    rejected(
        build.edited(document, lambda d: d["evidence"]["witness"].update(prior=0)), "too large"
    )
    nobody = build.edited(document, lambda d: d["evidence"]["witness"].update(prior=3))
    assert check(nobody).outcome == "refused"

    def prior(*weights: str) -> Any:
        copy = json.loads(json.dumps(document))
        copy["relation"]["priors"]["priors"][2] = list(weights)
        return copy

    rejected(prior("9/20", "1/20", "1/20", "8/20"), "prior 2 is no distribution")
    rejected(prior("3/2", "-1/2", "0", "0"), "prior 2 is no distribution")
    only_s = build.edited(
        document,
        lambda d: d["relation"]["priors"].update(priors=[["1/2", "1/2", "0", "0"]]),
    )
    only_s["evidence"]["witness"] = None
    rejected(only_s, "vacuous")
    only_s["claim"].update(leakage={"vacuous": True}, verdict="holds")
    accepted(only_s)


def test_secrets_under_given_conditional_distributions(build: Any) -> None:
    """A second bit that equals the first one surely, or is fair: 9/16 to 1/16, and 3/4 to 1/4."""
    model = build.mechanism_model(BITS)
    sure = {"first 0": ["1", "0", "0", "0"], "first 1": ["0", "0", "0", "1"]}
    fair = {"first 0": ["1/2", "1/2", "0", "0"], "first 1": ["0", "0", "1/2", "1/2"]}
    relation = between(
        SECRETS, [["first 0", "first 1"]], {"class": "conditionals", "priors": [fair]}
    )
    witness = {"prior": 0, "pair": ["first 0", "first 1"], "output": 0}
    document = build.certificate(model, relation, "3", "violated", witness)
    accepted(document)
    both = json.loads(json.dumps(relation))
    both["priors"]["priors"].append(sure)
    rejected(build.certificate(model, both, "3", "violated", witness), "too small")
    accepted(build.certificate(model, both, "9", "violated", witness | {"prior": 1}))

    def given(**distributions: Any) -> Any:
        changed = {"class": "conditionals", "priors": [{**fair, **distributions}]}
        return build.edited(document, lambda d: d["relation"].update(priors=changed))

    rejected(given(**{"first 0": ["1/2", "1/4", "1/4", "0"]}), "outside")
    rejected(given(**{"first 0": ["1/2", "1/4", "0", "0"]}), "no distribution")
    for wrong in (given(third=["1", "0", "0", "0"]), given(**{"first 0": 1})):
        assert check(wrong).outcome == "refused"
    partly = build.edited(document, lambda d: d["relation"]["priors"]["priors"][0].pop("first 1"))
    partly["evidence"]["witness"] = None
    rejected(partly, "vacuous")
    partly["claim"].update(leakage={"vacuous": True}, verdict="holds")
    accepted(partly)
