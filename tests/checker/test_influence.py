"""Certificates of kind "influence", made by hand, and their broken siblings."""

from collections import Counter
from copy import deepcopy
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from tests.checker.conftest import digest_of
from tests.checker.drafts import check, draft
from tests.checker.outcomes import GONE, accepted, rejected, siblings

# Two bits that agree with probability 3/4; the secret is the first. Hiding one bit leaves the
# other: the first tells everything, the second a factor of 3.
BITS = {
    "worlds": ["00", "01", "10", "11"],
    "records": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "entries_per_record": 1,
}
PRIOR = ["3/8", "1/8", "1/8", "3/8"]
SECRETS = {"zero": [0, 1], "one": [2, 3]}
FIRST = [[[0, 0]], [[0, 0]]]  # hide the first bit, in both orders


def certificate(
    entries: int, leakage: Any, upper: Any, worst: Any, verdict: str = "holds", level: str = "3"
) -> Any:
    return draft(
        "influence",
        BITS,
        {
            "rule": "influence",
            "entries": entries,
            "secrets": SECRETS,
            "pairs": [["zero", "one"]],
            "priors": {"class": "list", "priors": [PRIOR]},
        },
        {"upper": upper, "worst": worst},
        verdict=verdict,
        level={"exp_epsilon": level, "delta": "0"},
        leakage=leakage if isinstance(leakage, dict) else {"exp_epsilon": leakage},
    )


def one() -> Any:
    return deepcopy(certificate(1, "3", FIRST, 0))


def test_one_hidden_entry() -> None:
    accepted(one())
    accepted(certificate(1, "3", FIRST, 0, "violated", "2"))
    accepted(certificate(1, "3", FIRST, 1))  # the other order


def test_nothing_hidden_tells_everything() -> None:
    accepted(certificate(0, {"infinite": True}, None, 0, "violated"))
    rejected(certificate(0, {"infinite": True}, None, None, "violated"), "infinite")
    rejected(certificate(1, {"infinite": True}, None, 0, "violated"))


def test_everything_hidden_tells_nothing() -> None:
    accepted(certificate(2, "1", [[[0, 1]], [[1, 1], [0, 0]]], None))
    accepted(certificate(2, "1", [[[0, 1]], [[0, 1]]], 0))  # 1 is told by no entry at all
    rejected(certificate(2, "1", [[[0, 1]], [[0, 0]]], None))
    rejected(certificate(2, "3", FIRST, None), "too large")
    rejected(certificate(2, "3", FIRST, 0), "too large")


test_broken_siblings = siblings(
    (one, "", "claim.verdict", "violated"),
    (one, "", "claim.leakage", {"exp_epsilon": "2"}, {"exp_epsilon": "4"}),
    (one, "", "claim.leakage", {"lower": "3", "upper": "3"}, {"vacuous": True}, {"infinite": True}),
    (one, "", "level.delta", "1/2"),
    (one, "", "claim.entries", 1),
    (one, "", "relation.entries", 2, 0, 3, GONE),
    (one, "", "relation.rule", "secrets"),
    (one, "", "relation.pairs", [["zero", "two"]], [["zero", "zero"]]),
    (one, "", "relation.secrets.one", [3]),
    (one, "", "relation.priors.class", "all"),
    (one, "", "relation.priors.priors.0.0", "1/2"),
    (one, "", "relation.priors.priors.0+", "0"),
    (one, "", "relation.priors.priors+", ["1/2", "0", "0", "1/2"]),
    (one, "", "witness.upper", None, FIRST[:1], [[[1, 1]], [[1, 1]]], [[], []]),
    (one, "", "witness.upper", [[[0, 1]], [[0, 1]]], [[[0, 0]], [[0, 1]]], [[[0, 0]], [[2, 2]]]),
    (one, "", "witness.worst", None, 2),
    (one, "", "witness", None),
)


def witness(document: Any) -> Any:
    return document["evidence"]["witness"]


def test_a_second_prior_counts() -> None:
    """Bits that agree with probability 9/10: hiding the first leaves 9."""
    document = one()
    document["relation"]["priors"]["priors"].append(["9/20", "1/20", "1/20", "9/20"])
    rejected(document, "too small")
    document["claim"].update(leakage={"exp_epsilon": "9"}, verdict="violated")
    accepted(document)


def test_nothing_is_hidden_for_a_pair_that_no_prior_compares() -> None:
    document = one()
    document["relation"]["secrets"]["none"] = []
    document["relation"]["pairs"].append(["zero", "none"])
    document["evidence"]["witness"]["upper"] = [*FIRST, [], []]
    accepted(document)
    document["evidence"]["witness"]["upper"] = [*FIRST, [[0, 0]], []]
    verdict = check(document)
    assert verdict.outcome == "refused" and "hidden for nothing" in verdict.reason
    document["evidence"]["witness"] = {"upper": [*FIRST, [], []], "worst": 2}
    rejected(document, "no prior")


def test_distributions_given_the_secrets() -> None:
    document = one()
    given = {"zero": ["3/4", "1/4", "0", "0"], "one": ["0", "0", "1/4", "3/4"]}
    document["relation"]["priors"] = {"class": "conditionals", "priors": [given]}
    accepted(document)
    for name in ("hull", "constraints", "all"):
        document["relation"]["priors"]["class"] = name
        assert check(document).outcome == "refused"
    document["relation"]["priors"]["class"] = "conditionals"
    given["one"] = ["0", "1/4", "0", "3/4"]
    rejected(document, "outside")


def test_nothing_compared_is_vacuous() -> None:
    document = one()
    document["relation"]["priors"]["priors"] = [["1/2", "1/2", "0", "0"]]
    assert check(document).outcome != "accepted"
    document["claim"].update(leakage={"vacuous": True})
    assert check(document).outcome == "refused"  # its evidence is about nothing
    document["evidence"]["witness"] = None
    accepted(document)


def test_a_single_world() -> None:
    document = one()
    document["model"] = {"worlds": ["00"], "records": [[0, 0]], "entries_per_record": 1}
    document["relation"].update(secrets={"zero": [0], "one": []})
    document["relation"]["priors"]["priors"] = [["1"]]
    document["claim"].update(leakage={"vacuous": True}, digest=digest_of(document["model"]))
    document["evidence"]["witness"] = None
    accepted(document)


def test_an_entry_is_an_attribute_of_a_record() -> None:
    """The same two bits as attributes of one person, absent in a fifth world."""
    document = one()
    document["model"] = {
        "worlds": ["00", "01", "10", "11", "⊥"],
        "records": [[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]],
        "entries_per_record": 2,
    }
    document["relation"]["priors"]["priors"] = [[*PRIOR, "0"]]
    document["claim"]["digest"] = digest_of(document["model"])
    accepted(document)
    document["relation"]["secrets"]["one"].append(4)
    document["relation"]["priors"]["priors"] = [["3/8", "1/8", "1/8", "2/8", "1/8"]]
    rejected(document)  # ⊥ in place of the second bit tells that the first is no 0


@pytest.mark.parametrize(
    "prior",
    [
        ["3/16", "1/16", "1/16", "3/16"],
        ["3/8", "1/8", "5/8", "-1/8"],
        ["3/8", "1/8", "1/8", "3/8", "0"],
        ["1/2", "1/4", "1/4"],
    ],
)
def test_priors_are_distributions(prior: list[str]) -> None:
    document = one()
    document["relation"]["priors"]["priors"] = [prior]
    rejected(document, "no distribution")
    given = {"zero": prior, "one": ["0", "0", "1/4", "3/4"]}
    document["relation"]["priors"] = {"class": "conditionals", "priors": [given]}
    rejected(document, "no distribution")


test_what_is_refused = siblings(
    (one, "refused", "witness.worst", -1, 2, False),
    (one, "refused", "witness.more", 0),
    (one, "refused", "witness.upper", [[[0, 1]], [[0, 1]]], [[[-1, 0]], [[0, 0]]]),
    (one, "refused", "witness.upper", [[[0, 0]], [[2, 2]]], [[[0, 0]], [0]]),
    (one, "refused", "witness.upper", FIRST[:1], [*FIRST, *FIRST]),
    (one, "refused", "claim.steps", "1"),
    (one, "refused", "level.delta", "1/2"),
    (one, "refused", "claim.leakage", {"lower": "3", "upper": "3"}),
    (one, "refused", "relation.entries", -1, 3),
    (one, "refused", "relation.rule", "secrets"),
    (one, "refused", "relation.more", 0),
    (one, "refused", "relation.priors.more", 0),
    (one, "refused", "relation.priors.class", "all"),
    (
        one,
        "refused",
        "relation.priors",
        {"class": "conditionals", "priors": [{"two": ["1", "0", "0", "0"]}]},
    ),
)


def test_a_negative_number_of_entries_tells_nothing() -> None:
    for entries in (-1, -2):
        assert check(certificate(entries, "3", [[], []], 0)).outcome == "refused"


def test_what_can_be_hidden_at_best() -> None:
    """Against trying all sets of entries, of bits that depend on each other in drawn ways."""
    random, rows = Random(1), list(product((0, 1), repeat=4))
    for number in range(4):
        masses = [random.choice([0, 1, 1, 2, 5]) for _ in rows]
        masses[0] = masses[-1] = 1
        prior = [Fraction(mass, sum(masses)) for mass in masses]
        sides = [[w for w, row in enumerate(rows) if row[0] == x] for x in (0, 1)]
        for entries in (1, 2, 3):
            least = [
                min(ratio(rows, prior, *both, own) for own in combinations(range(4), 4 - entries))
                for both in (sides, sides[::-1])
            ]
            document = certificate(entries, "1", [], 0, "holds", "1000")
            document["model"] = {**BITS, "worlds": list(map(str, rows)), "records": rows}
            document["model"]["records"] = list(map(list, rows))
            document["relation"] |= {"secrets": dict(zip(("zero", "one"), sides, strict=True))}
            document["relation"]["priors"]["priors"] = [list(map(str, prior))]
            for at, said in ((at, said) for at in (0, 1) for said in {*least}):
                leakage = {"exp_epsilon": str(said)} if said < INFINITE else {"infinite": True}
                document["claim"].update(leakage=leakage)
                document["claim"].update(verdict="holds" if said < INFINITE else "violated")
                document["claim"]["digest"] = digest_of(document["model"])
                for upper in product(combinations(range(4), entries), repeat=2):
                    told = [
                        ratio(rows, prior, *both, [e for e in range(4) if e not in own])
                        for both, own in zip((sides, sides[::-1]), upper, strict=True)
                    ]
                    shown = [[[e, e] for e in own] for own in upper]
                    document["evidence"]["witness"] = {
                        "upper": shown if said < INFINITE else None,
                        "worst": at,
                    }
                    expected = least[at] >= said and (max(told) <= said or said == INFINITE)
                    good = check(document).outcome == "accepted"
                    assert good == expected, (number, entries, at, said, upper)


INFINITE = Fraction(10**9)


def ratio(rows: Any, prior: Any, s: Any, t: Any, shown: Any) -> Fraction:
    """The largest P(x | s) / P(x | t) of what is shown, by plain loops."""
    sides = []
    for inside in (s, t):
        mass = sum(prior[w] for w in inside)
        sides.append(Counter[Any]())
        for w in inside:
            sides[-1][tuple(rows[w][e] for e in shown)] += prior[w] / mass
    both = [(p, sides[1][x]) for x, p in sides[0].items() if p]
    return max(p / q if q else INFINITE for p, q in both)
