"""Files whose mechanisms answer every record by itself: what channels decide, and what not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifier import checker, cli
from verifier.base.errors import InputErrors, LimitReached
from verifier.questions.claim import ComparisonClaim, LocalClaim
from verifier.run.verify import certified, check
from verifier.spec.reading import Reading, read_whole

pytestmark = pytest.mark.usefixtures("here")

RESPONSE: Any = {"randomized_response": {"truth": "3/4"}}
LOCAL: Any = {"local": RESPONSE}
DP: Any = {"differential_privacy": {"exp_epsilon": 3}}
MANY: Any = {"records": 1000, "domain": [0, 1]}
SECRETS: Any = {"ill": "r7 == 1", "well": "not ill"}


def spec(checks: list[Any], mechanism: Any = LOCAL, worlds: Any = MANY, **parts: Any) -> str:
    return json.dumps({"worlds": worlds, "mechanism": mechanism, "checks": checks, **parts})


def read(text: str) -> Reading:
    return read_whole("spec.yaml", text=text)


def wrong(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InputErrors) as caught:
        read(text)
    assert all(error.place and error.hint for error in caught.value.all)
    return [(error.code, error.message) for error in caught.value.all]


def levels(text: str) -> list[tuple[str, object]]:
    found = []
    for asked in read(text).questions:
        assert asked.question
        answer = certified(asked.question)
        found.append((answer.verdict, answer.leakage))
    return found


CHECKS: list[Any] = [
    {"differential_privacy": {"exp_epsilon": 20, "group": 3}},
    {"differential_privacy": {"epsilon": 1, "delta": "1/5", "group": 2}},
    {"metric_privacy": {"epsilon": 1, "distance": "hamming"}},
    {"pufferfish": {"exp_epsilon": 3, "pairs": "values", "priors": "product"}},
    {"noiseless": {"epsilon": 1, "priors": {"list": [{"iid": {"0": "1/3", "1": "2/3"}}]}}},
]


@pytest.mark.parametrize(
    "mechanism",
    [
        RESPONSE,
        {"repeat": {"of": RESPONSE, "runs": 2}},
        {"compose": [RESPONSE, {"randomized_response": {"truth": "2/3"}}]},
    ],
)
def test_what_is_seen_to_be_local_has_the_answers_of_few_records(mechanism: Any) -> None:
    """Nine bits by channels, three by enumeration: records that do not change tell nothing."""
    many = spec(CHECKS, mechanism, {"records": 9, "domain": [0, 1]})
    few = spec(CHECKS, mechanism, {"records": 3, "domain": [0, 1]})
    claims = [asked.claim for asked in read(many).questions]
    assert all(isinstance(claim, LocalClaim) and claim.local.notes for claim in claims)
    assert all(isinstance(asked.claim, ComparisonClaim) for asked in read(few).questions)
    assert levels(many) == levels(few)


def test_channels_with_powers_of_e() -> None:
    """One bit at ε = 1: two of them at ε = 2, by channels and by enumeration."""
    response: Any = {"randomized_response": {"truth": "exp(1)/(1 + exp(1))"}}
    two = {"records": 2, "domain": [0, 1]}
    checks = [
        {"differential_privacy": {"epsilon": 2, "group": 2}},
        {"differential_privacy": {"epsilon": 2, "group": 2, "delta": "1/10"}},
        *CHECKS[2:],
    ]
    assert levels(spec(checks, {"local": response}, two)) == levels(spec(checks, response, two))


def test_what_channels_do_not_decide_is_enumerated() -> None:
    secrets = {"equal": "r1 == r2", "other": "not equal"}
    asked = [
        {"pufferfish": {"exp_epsilon": 99, "pairs": [["equal", "other"]], "priors": "all"}},
        {"metric_privacy": {"exp_epsilon": 3, "distance": "linf"}},
        {"differential_privacy": {"exp_epsilon": 3, "tradeoff": [1, 2]}},
        {"coupled_worlds": {"exp_epsilon": 3, "alt": "r1", "priv": "r2"}},
    ]
    two = {"records": 2, "domain": [0, 1]}
    claims = [q.claim for q in read(spec(asked[:3], LOCAL, two, secrets=secrets)).questions]
    assert claims and not any(isinstance(claim, LocalClaim) for claim in claims)


@pytest.mark.parametrize(
    ("checks", "parts", "code", "said"),
    [
        ([{"sensitivity": {"query": "r1"}}], {}, "S206", "'sensitivity' enumerates worlds"),
        ([{"row_cone": {"of": [LOCAL]}}], {}, "S206", "2^1000 worlds are too many"),
        ([{"metric_privacy": {"exp_epsilon": 3, "distance": "linf"}}], {}, "S604", "add up"),
        ([{"noiseless": {"exp_epsilon": 3, "priors": "all"}}], {}, "S114", "independent"),
        (
            [{"pufferfish": {"exp_epsilon": 3, "pairs": [["two", "well"]], "priors": "iid"}}],
            {"secrets": {**SECRETS, "two": "r1 == r7"}},
            "S114",
            "about 2 records",
        ),
        (
            [{"pufferfish": {"exp_epsilon": 3, "pairs": [["one", "well"]], "priors": "iid"}}],
            {"secrets": {**SECRETS, "one": "r1 == 1"}},
            "S114",
            "are about two",
        ),
        (
            [{"pufferfish": {"exp_epsilon": 3, "pairs": [["ill", "sick"]], "priors": "iid"}}],
            {"secrets": {**SECRETS, "sick": "r7 >= 1"}},
            "S406",
            "overlap in the value 1",
        ),
        ([DP], {"secrets": {"none": "r7 == r7 + 1"}}, "S402", "is empty"),
        ([DP], {"secrets": {"any": "count(value == 1) > 3"}}, "S114", "about no records"),
        ([DP], {"secrets": SECRETS, "pairs": [["ill", "wel"]]}, "S405", "no secret is named"),
        ([DP], {"mechanism": {"local": [RESPONSE]}}, "S114", "1 channels for 1000 records"),
        ([DP], {"mechanism": {"local": {"randomized_response": {"truth": 2}}}}, "S104", "not in"),
        (
            [{"pufferfish": {"exp_epsilon": 3, "pairs": "values", "priors": {"list": [
                {"independent": [{"0": 1}]}]}}}],
            {},
            "S502",
            "1 distributions for 1000 records",
        ),
        ([DP], {"worlds": {**MANY, "where": "r1 == 1"}}, "S206", "2^1000"),
        ([DP], {"worlds": {"records": 2, "domain": [0, 1], "where": "r1 == 1"}}, "S114", "tie"),
    ],
)  # fmt: skip
def test_bad_input(checks: list[Any], parts: Any, code: str, said: str) -> None:
    found = wrong(spec(checks, **parts))
    assert [one for one in found if one[0] == code and said in one[1]], found


def test_many_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Checked, shown, locked, kept in a cache and certified as any other file."""
    path, kept = tmp_path / "many.yaml", str(tmp_path / "kept")
    named = [{**DP, "name": "dp"}]
    path.write_text(spec(named, secrets=SECRETS, pairs=[["ill", "well"]]), encoding="utf-8")
    for _ in range(2):  # the second answer comes from the cache
        report = check(path, certificates=tmp_path / "c", cache=kept)
        (result,) = report.results
        assert result.status == "ok" and result.leakage and result.leakage.exp_epsilon == 3
        assert checker.check(result.certificate).taken == ("matrix", "worlds")
        assert result.witness is None and result.answer.shown is not None
    assert cli.main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "1000 records, each one of 0, 1; worlds are not enumerated" in shown
    assert "channel 1: the probability of 2 outputs in 2 worlds" in shown
    assert cli.main(["check", "--format", "json", str(path)]) == 0
    tight = json.loads(capsys.readouterr().out)["results"][0]["tight"]
    assert tight["ratio"] == "3" and tight["records"][0]["record"] == "r1"


def test_a_change_of_channels_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = []
    for name, truth in (("before", "3/4"), ("after", "4/5")):
        folder = tmp_path / name
        folder.mkdir()
        mechanism = {"local": {"randomized_response": {"truth": truth}}}
        text = spec([{"differential_privacy": {"exp_epsilon": 4}}], mechanism)
        (folder / "x.yaml").write_text(text, encoding="utf-8")
        sides.append(str(folder))
    assert cli.main(["diff", *sides]) == 1
    assert "the smallest level e^ε: 3 -> 4" in capsys.readouterr().out


def test_names_of_names_and_many_draws() -> None:
    """Thirty names that each stand for two of the next are looked up once; 3^(2^19) is too long."""
    named: Any = {f"m{k}": {"compose": [f"m{k + 1}", f"m{k + 1}"]} for k in range(28)}
    asked = [{**DP, "mechanism": name} for name in ("m20", "m9")]
    parts = {"worlds": MANY, "mechanisms": {**named, "m28": LOCAL}, "checks": asked}
    short, long = read(json.dumps(parts)).questions
    assert short.question and long.question
    leakage = certified(short.question).leakage
    assert leakage and leakage.exp_epsilon == 3**256
    with pytest.raises(LimitReached):
        certified(long.question)


CROWD: Any = {"records": 12, "domain": ["a", "b", "c"], "exchangeable": True}
CELLS: Any = [
    {"geometric": {"query": f"count(value == '{v}')", "ratio": ratio, "low": 0, "high": 12}}
    for v, ratio in (("a", "1/2"), ("b", "1/3"), ("c", "exp(-1/2)"))
]
RETURNED = """return [
    draw(geometric(count(value == 'a'), 1/2, 0, 12)),
    draw(geometric(count(value == 'b'), 1/3, 0, 12)),
    draw(geometric(count(value == 'c'), exp(-1/2), 0, 12))]"""


@pytest.mark.parametrize("mechanism", [{"compose": CELLS}, {"program": RETURNED}, "all"])
def test_noise_on_each_cell_of_a_histogram(mechanism: Any) -> None:
    """Whoever moves changes two counts by 1; at most a and b, whose ratios are 2 and 3."""
    named = {"mechanisms": {"all": {"compose": ["a", *CELLS[1:]]}, "a": CELLS[0]}}
    checks = [{"differential_privacy": {"exp_epsilon": 6, "group": g}} for g in (1, 2)]
    one = {"mechanism": "all"} if mechanism == "all" else {}
    text = json.dumps(
        {"worlds": CROWD, "checks": [{**check, **one} for check in checks]}
        | (named if one else {"mechanism": mechanism})
    )
    assert all(isinstance(asked.claim, LocalClaim) for asked in read(text).questions)
    found = [(verdict, leakage.exp_epsilon) for verdict, leakage in levels(text)]  # type: ignore
    assert [verdict for verdict, _ in found] == ["holds", "violated"]
    assert [leakage for _, leakage in found] == [6, 36]


def test_what_else_is_asked_of_cells_is_asked_of_their_matrix() -> None:
    two = {"compose": CELLS[:2]}
    checks: list[Any] = [
        {"differential_privacy": {"exp_epsilon": 6, "neighbours": "all"}},
        {"differential_privacy": {"exp_epsilon": 6, "delta": "1/100"}},
        {"differential_privacy": {"exp_epsilon": 6, "tradeoff": [2]}},
        {"metric_privacy": {"exp_epsilon": 6, "distance": "hamming"}},
        {"induced_neighbours": {"exp_epsilon": 6}},
        {"pufferfish": {"exp_epsilon": 3, "pairs": "values", "priors": "product"}},
    ]
    claims = [asked.claim for asked in read(spec(checks, two, {**CROWD, "records": 30})).questions]
    assert [isinstance(claim, LocalClaim) for claim in claims] == [True] + 5 * [False]
