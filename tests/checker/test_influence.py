"""Certificates of kind "influence", made by hand, and their broken siblings."""

from copy import deepcopy
from typing import Any

import pytest

from tests.checker.conftest import digest_of
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from verifier.checker.document import Refused
from verifier.checker.inequality import _can_meet

# Two bits that agree with probability 3/4; the secret is the first. Hiding one bit leaves the
# other: the first tells everything, the second a factor of 3.
BITS = {
    "worlds": ["00", "01", "10", "11"],
    "records": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "entries_per_record": 1,
}
PRIOR = ["3/8", "1/8", "1/8", "3/8"]
SECRETS = {"zero": [0, 1], "one": [2, 3]}
LOWER = {
    "pair": ["zero", "one"],
    "cores": [
        {"shown": [0], "prior": 0, "world": 0},
        {"shown": [1], "prior": 0, "world": 0},
    ],
}


def certificate(
    entries: int, leakage: Any, upper: Any, lower: Any, verdict: str = "holds", level: str = "3"
) -> Any:
    return {
        "format": "verifier-certificate",
        "version": 2,
        "claim": {
            "definition": "made by hand",
            "kind": "influence",
            "verdict": verdict,
            "level": {"exp_epsilon": level, "delta": "0"},
            "leakage": leakage if isinstance(leakage, dict) else {"exp_epsilon": leakage},
            "digest": digest_of(BITS),
        },
        "model": BITS,
        "relation": {
            "rule": "influence",
            "entries": entries,
            "secrets": SECRETS,
            "pairs": [["zero", "one"]],
            "priors": {"class": "list", "priors": [PRIOR]},
        },
        "evidence": {"witness": {"upper": upper, "lower": lower}},
    }


def one() -> Any:
    return deepcopy(certificate(1, "3", [[0], [0]], LOWER))


def test_one_hidden_entry() -> None:
    accepted(one())
    accepted(certificate(1, "3", [[0], [0]], LOWER, "violated", "2"))
    accepted(certificate(1, "3", [[0], [0]], {**LOWER, "pair": ["one", "zero"]} | other_world()))


def other_world() -> Any:
    """In the order one, zero the second bit tells most where it is 1."""
    return {"cores": [{"shown": [e], "prior": 0, "world": 3} for e in (0, 1)]}


def test_nothing_hidden_tells_everything() -> None:
    lower = {"pair": ["zero", "one"], "cores": LOWER["cores"][:1]}
    accepted(certificate(0, {"infinite": True}, None, lower, "violated"))
    rejected(certificate(1, {"infinite": True}, None, lower, "violated"))
    second = {"pair": ["zero", "one"], "cores": LOWER["cores"][1:]}
    rejected(certificate(0, {"infinite": True}, None, second, "violated"), "less")


def test_everything_hidden_tells_nothing() -> None:
    accepted(certificate(2, "1", [[0, 1], [1, 0]], None))
    rejected(certificate(2, "1", [[0, 1], [0]], None))
    rejected(certificate(2, "3", [[0], [0]], None), "too large")


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d["claim"].update(verdict="violated"),
        lambda d: d["claim"].update(leakage={"exp_epsilon": "2"}),
        lambda d: d["claim"].update(leakage={"exp_epsilon": "4"}),
        lambda d: d["claim"].update(leakage={"lower": "3", "upper": "3"}),
        lambda d: d["claim"].update(leakage={"vacuous": True}),
        lambda d: d["claim"].update(leakage={"infinite": True}),
        lambda d: d["claim"]["level"].update(delta="1/2"),
        lambda d: d["claim"].update(entries=1),
        lambda d: d["relation"].update(entries=2),  # now the cores can be met
        lambda d: d["relation"].update(entries=0),
        lambda d: d["relation"].update(entries=3),
        lambda d: d["relation"].update(rule="secrets"),
        lambda d: d["relation"].pop("entries"),
        lambda d: d["relation"].update(pairs=[["zero", "two"]]),
        lambda d: d["relation"].update(pairs=[["zero", "zero"]]),
        lambda d: d["relation"]["secrets"].update(one=[3]),
        lambda d: d["relation"]["priors"].update({"class": "all"}),
        lambda d: d["relation"]["priors"]["priors"][0].__setitem__(0, "1/2"),
        lambda d: d["relation"]["priors"]["priors"][0].append("0"),
        lambda d: d["relation"]["priors"]["priors"].append(["1/2", "0", "0", "1/2"]),
        lambda d: witness(d).update(upper=None),
        lambda d: witness(d).update(upper=[[0]]),
        lambda d: witness(d).update(upper=[[1], [1]]),
        lambda d: witness(d).update(upper=[[0, 1], [0, 1]]),
        lambda d: witness(d).update(upper=[[0], [0, 1]]),
        lambda d: witness(d).update(upper=[[0], [2]]),
        lambda d: witness(d).update(lower=None),
        lambda d: witness(d)["lower"].update(pair=["zero", "zero"]),
        lambda d: witness(d)["lower"].update(pair=["one", "zero"]),
        lambda d: witness(d)["lower"]["cores"].pop(),
        lambda d: witness(d)["lower"]["cores"][1].update(shown=[]),
        lambda d: witness(d)["lower"]["cores"][1].update(world=3),
        lambda d: witness(d)["lower"]["cores"][1].update(prior=1),
        lambda d: witness(d)["lower"]["cores"][1].update(shown=[2]),
        lambda d: d["evidence"].update(witness=None),
    ],
)
def test_broken_siblings(edit: Any) -> None:
    document = one()
    edit(document)
    assert check(document).outcome != "accepted"


def witness(document: Any) -> Any:
    return document["evidence"]["witness"]


def test_a_second_prior_counts() -> None:
    """Bits that agree with probability 9/10: hiding the first leaves 9."""
    document = one()
    document["relation"]["priors"]["priors"].append(["9/20", "1/20", "1/20", "9/20"])
    rejected(document, "too small")
    document["claim"].update(leakage={"exp_epsilon": "9"}, verdict="violated")
    rejected(document, "less")
    document["evidence"]["witness"]["lower"]["cores"][1]["prior"] = 1
    accepted(document)


def test_nothing_is_hidden_for_a_pair_that_no_prior_compares() -> None:
    document = one()
    document["relation"]["secrets"]["none"] = []
    document["relation"]["pairs"].append(["zero", "none"])
    document["evidence"]["witness"]["upper"] = [[0], [0], [], []]
    accepted(document)
    document["evidence"]["witness"]["upper"] = [[0], [0], [0], []]
    verdict = check(document)
    assert verdict.outcome == "refused" and "hidden for nothing" in verdict.reason


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


def test_too_many_sets_of_entries_are_refused_soon() -> None:
    """30 entries do not meet 31 cores that share nothing, but the sets to try are 60 ** 30."""
    with pytest.raises(Refused):
        _can_meet([(2**60 - 1) << 60 * core for core in range(31)], 30)


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


def test_a_core_is_about_what_the_first_secret_may_show() -> None:
    """The first bit is never 1 given zero, so that its value 1 tells nothing there."""
    document = one()
    witness(document)["lower"]["cores"][0]["world"] = 2
    rejected(document, "less")
    endless = certificate(0, {"infinite": True}, None, deepcopy(LOWER), "violated")
    witness(endless)["lower"]["cores"] = [{"shown": [0], "prior": 0, "world": 2}]
    rejected(endless, "less")
    witness(endless)["lower"] = None
    rejected(endless, "infinite")


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: witness(d)["lower"]["cores"][0].update(shown=[-1]),
        lambda d: witness(d)["lower"]["cores"][0].update(shown=[2]),
        lambda d: witness(d)["lower"]["cores"][0].update(shown=[False]),
        lambda d: witness(d)["lower"]["cores"][0].update(world=-1),
        lambda d: witness(d)["lower"]["cores"][0].update(world=4),
        lambda d: witness(d)["lower"]["cores"][0].update(prior=-1),
        lambda d: witness(d)["lower"]["cores"][0].update(prior=False),
        lambda d: witness(d)["lower"]["cores"][0].update(more=0),
        lambda d: witness(d)["lower"].update(more=0),
        lambda d: witness(d).update(more=0),
        lambda d: witness(d).update(upper=[[0, 1], [0, 1]]),
        lambda d: witness(d).update(upper=[[-1], [0]]),
        lambda d: witness(d).update(upper=[[0], [2]]),
        lambda d: witness(d).update(upper=[[0]]),
        lambda d: witness(d).update(upper=[[0], [0], [0]]),
        lambda d: d["claim"].update(steps="1"),
        lambda d: d["claim"]["level"].update(delta="1/2"),
        lambda d: d["claim"].update(leakage={"lower": "3", "upper": "3"}),
        lambda d: d["relation"].update(entries=-1),
        lambda d: d["relation"].update(entries=3),
        lambda d: d["relation"].update(rule="secrets"),
        lambda d: d["relation"].update(more=0),
        lambda d: d["relation"]["priors"].update(more=0),
        lambda d: d["relation"]["priors"].update({"class": "all"}),
        lambda d: d["relation"].update(
            priors={"class": "conditionals", "priors": [{"two": ["1", "0", "0", "0"]}]}
        ),
    ],
)
def test_what_is_refused(edit: Any) -> None:
    document = one()
    edit(document)
    assert check(document).outcome == "refused", check(document)


def test_a_negative_number_of_entries_tells_nothing() -> None:
    for entries in (-1, -2):
        nothing = certificate(entries, "3", [[], []], {**LOWER, "cores": []})
        assert check(nothing).outcome == "refused"


def test_entries_meet_cores() -> None:
    """Against trying all sets of entries."""
    lists = [[], [1], [1, 2], [3, 5, 6], [1, 2, 4], [7, 8], [3, 6, 12, 9], [0], [1, 0]]
    for cores in lists:
        for most in range(4):
            sets = [s for s in range(16) if s.bit_count() <= most]
            expected = any(all(core & s for core in cores) for s in sets)
            assert _can_meet(cores, most) == expected, (cores, most)
