"""The command `compose`: model files by hand, classes of priors against repeated mechanisms."""

from __future__ import annotations

import csv
import io
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier import checker, cli
from verifier.base import document
from verifier.base.errors import InputError
from verifier.base.level import Leakage, Level
from verifier.checker import Verdict
from verifier.definitions import pufferfish
from verifier.lab.repeated import compose, folds, listed, runs
from verifier.lab.repeated.compose import Setting
from verifier.lab.repeated.setting import Row, compared, times
from verifier.mechanisms.repeat import repeated
from verifier.priors.list import ListedPriors
from verifier.questions.answer import write as written
from verifier.run import verify
from verifier.run.supervision import limits
from verifier.spec import reading

pytestmark = pytest.mark.usefixtures("here")

MODELS = Path(__file__).parents[3] / "models" / "composition"
Capture = pytest.CaptureFixture[str]
Write = Callable[[str], str]

# Two bits; once the second tells the first, and then it does not.
PAD = """
worlds: {records: [message, key], domain: [0, 1]}
secrets: {message_0: message == 0, message_1: message == 1}
pairs: [[message_0, message_1]]
priors: {list: [uniform]}
mechanisms:
  cipher_text: {deterministic: "xor(message, key)"}
  published_key: {deterministic: key}
checks:
"""
RESPONSE = """
worlds: {records: 2, domain: [0, 1]}
pairs: values
mechanism: {randomized_response: {truth: 3/4}}
"""


def found(path: str, number: int) -> list[Setting]:
    return list(compose.run(path, verify.Options(), number))


def levels(setting: Setting) -> list[Fraction | str | None]:
    return ["infinite" if r.leakage.infinite else r.leakage.exp_epsilon for r in setting.rows]


def of_model(name: str, mechanism: str, number: int) -> Setting:
    (setting,) = (s for s in found(str(MODELS / name), number) if s.mechanisms == (mechanism,))
    assert not setting.reasons
    return setting


def test_example_1() -> None:
    """Nothing once, everything after: 3 runs from a1 or a2, 13/3 from b1 or b2. The average of
    both, as both secrets have the probability 1/2."""
    setting = of_model("collapse-one-prior.yaml", "once", 3)
    assert levels(setting) == [1, "infinite", "infinite"]
    assert setting.conditions is not None and setting.conditions.infinite
    for entry in setting.certainty:
        assert entry.expected is not None and entry.fewest is not None and len(entry.fewest) == 2
        assert entry.expected.worlds == (3, 3, Fraction(13, 3), Fraction(13, 3))
        assert entry.expected.average == Fraction(11, 3)
        # 1 − 1/2 from a1; 1 − (1/16 + 9/16) from b1
        assert [p.average for p in entry.probability[:2]] == [0, Fraction(7, 16)]
    worst, likely = setting.trajectories
    assert worst.odds[:2] == (1, 1) and worst.odds[-1] is None and likely.odds[-1] is None


def test_example_3() -> None:
    """Four corners, and the intervals between them; (1 − 1/3)/(1/4) once."""
    for name in ("collapse-interval-corners.yaml", "collapse-interval-priors.yaml"):
        setting = of_model(name, "once", 3)
        assert levels(setting) == [Fraction(8, 3), "infinite", "infinite"]
        about = [entry for entry in setting.certainty if entry.pair]
        assert about
        for entry in about:
            assert entry.expected is not None and entry.expected.average == 3
            assert [p.average for p in entry.probability] == [0, Fraction(1, 2), Fraction(3, 4)]


def test_nothing_and_nothing_is_something() -> None:
    setting = of_model("two-runs-of-zero.yaml", "once", 4)
    assert levels(setting) == [1, *[Fraction(5, 2)] * 3]
    assert [row.linear.exp_epsilon for row in setting.rows] == [1] * 4
    assert [compared(row) for row in setting.rows] == ["equal", "above", "above", "above"]
    assert setting.conditions == Leakage(Fraction(1))  # which is why they do not suffice
    assert all(entry.fewest is None and entry.found for entry in setting.certainty)


def test_mechanisms_in_order_and_in_any_order(write: Write) -> None:
    """The cipher text is harmless, so is the key; both are not. In turn everything is known after
    two runs; by chance when both have come, after 3 on average."""
    checks = "".join(
        f"  - composition: {{exp_epsilon: 2, {key}: [cipher_text, published_key]}}\n"
        for key in ("sequence", "of")
    )
    checks += "  - composition: {exp_epsilon: 1}\n    mechanism: published_key\n"
    in_order, any_order, alone = found(write(PAD + checks), 3)
    assert [s.order for s in (in_order, any_order, alone)] == ["sequence", "any order", "alone"]
    for setting, expected in ((in_order, 2), (any_order, 3)):
        assert levels(setting) == [1, "infinite", "infinite"]
        assert [row.linear.exp_epsilon for row in setting.rows] == [1, 1, 1]
        assert {e.expected and e.expected.average for e in setting.certainty} == {expected}
        assert setting.rows[1].witness is not None
        assert set(setting.rows[1].witness.outputs) == {"cipher_text: 0", "published_key: 0"}
    assert levels(alone) == [1, 1, 1] and alone.conditions == Leakage(Fraction(1))


def test_equal_settings_are_one(write: Write) -> None:
    checks = "checks:\n" + "  - pufferfish: {exp_epsilon: 3}\n" * 2
    checks += "  - pufferfish: {exp_epsilon: 9, delta: 1/2}\n"
    checks += "  - pufferfish: {exp_epsilon: 9}\n    priors: all\n"
    one, other = found(write(RESPONSE + "priors: product\n" + checks), 1)
    assert one.checks == ("check 1", "check 2", "check 3") and one.priors == "product"
    assert other.checks == ("check 4",) and other.priors == "all"


@pytest.mark.parametrize(
    ("priors", "one"),
    [
        ("product", 3),
        ("all", 9),
        ("{hull: [{iid: {0: 1/2, 1: 1/2}}, {worlds: {00: 1/2, 11: 1/2}}]}", 9),
    ],
)
def test_classes_of_priors(write: Write, priors: str, one: int) -> None:
    """Independent bits: 3 for each run; bits that may be equal: 9."""
    checks = "checks:\n  - pufferfish: {exp_epsilon: 3}\n"
    (setting,) = found(write(f"{RESPONSE}priors: {priors}\n{checks}"), 3)
    assert levels(setting) == [one, one**2, one**3] and not setting.reasons
    assert [compared(row) for row in setting.rows] == ["equal"] * 3
    kinds = {"product": [("inequality", 1)] * 3, "all": [("inequality", 1)] * 3}
    wanted = kinds.get(priors, [("polytope", k) for k in (1, 2, 3)])
    assert [row.rule for row in setting.rows] == wanted


WEIGHTS = st.sampled_from([0, 1, 1, 2, 5])


@examples(25)
@given(data=st.data())
def test_powers_and_folds_are_what_the_engines_say_of_repeated_mechanisms(
    data: st.DataObject,
) -> None:
    """`repeat` and `compose` in a file, decided as one mechanism, against the rows."""

    def table() -> dict[str, Any]:
        rows = {"outputs": ["a", "b"]}
        for world in ("00", "01", "10", "11"):
            row = data.draw(st.lists(WEIGHTS, min_size=2, max_size=2).filter(any))
            rows[world] = [str(Fraction(x, sum(row))) for x in row]
        return {"table": rows}

    priors = data.draw(
        st.sampled_from(
            ["all", "product", {"hull": ["uniform", {"iid": {"0": "1/3", "1": "2/3"}}]}]
        )
    )
    order = data.draw(st.sampled_from(["sequence", "of"]))
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "pairs": "values",
        "priors": priors,
        "mechanisms": {"first": table(), "second": table()},
        "checks": [{"composition": {"exp_epsilon": "1", order: ["first", "second"]}}],
    }
    read, (check,) = reading.read_model_and_checks(
        document.parse(json.dumps(spec), "a.json"), Path("a.json")
    )
    case = compose.Case.of(check)
    rows = folds.rows(case)
    parts = [part for _, part in check.mechanisms()]

    def leakage(*taken: Any) -> Leakage | None:
        joined = taken[0] if len(taken) == 1 else folds._both(*taken)
        question = pufferfish.question(
            space=read.space,
            mechanism=joined,
            level=Level(Fraction(1)),
            pairs=case.pairs,
            priors=case.priors,
        )
        return verify.certified(question).leakage

    def order_of(found: Leakage | None) -> tuple[bool, Fraction]:
        assert found is not None
        return found.infinite, found.exp_epsilon or (found.bounds or (Fraction(0),))[0]

    one, two = next(rows), next(rows)
    first, second = parts
    if order == "sequence":
        assert order_of(one.leakage) == order_of(leakage(first))
        assert order_of(two.leakage) == order_of(leakage(first, second))
    else:
        assert order_of(one.leakage) == max(order_of(leakage(part)) for part in parts)
        both = [leakage(first, second), *(leakage(repeated(part, 2)) for part in parts)]
        assert order_of(two.leakage) == max(map(order_of, both))


def row(leakage: Leakage, linear: Leakage) -> Row:
    return Row(1, leakage, linear, None, ("polytope", 1))


def test_levels_are_compared_exactly_or_not_at_all() -> None:
    two, three, infinite = Leakage(Fraction(2)), Leakage(Fraction(3)), Leakage()
    around = Leakage(bounds=(Fraction(5, 2), Fraction(7, 2)))
    assert compared(row(two, three)) == "below" and compared(row(three, two)) == "above"
    assert compared(row(infinite, two)) == "above" and compared(row(two, infinite)) == "below"
    assert compared(row(infinite, infinite)) == "equal"
    assert compared(row(around, three)) is None and compared(row(around, around)) is None
    assert compared(row(two, around)) == "below"
    assert times(two, around).bounds == (5, 7) and times(two, infinite).infinite


# ------------------------------------------------------------------------------------------------
# the command


def test_formats_agree(capsys: Capture) -> None:
    file = str(MODELS / "collapse-one-prior.yaml")
    assert cli.main(["compose", file, "--runs", "3", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    setting = report["settings"][0]
    assert report["summary"]["undecided"] == 0 and report["runs"] == 3
    assert setting["leakage"][1]["leakage"] == {"infinite": True}
    assert setting["leakage"][0]["certificate"] == {"rule": "runs", "runs": 1, "accepted": True}
    world, secret = setting["certainty"]
    assert world["pair"] is None and secret["pair"] == ["s1", "s2"]
    assert secret["fewest"] == {"runs": 2, "outputs": ["(a1, b1)", "(a1, b2)"]}
    assert secret["expected"]["worlds"] == {"a1": "3", "a2": "3", "b1": "13/3", "b2": "13/3"}
    assert setting["trajectories"][0]["odds"][:2] == ["1", "1"]
    assert cli.main(["compose", file, "--runs", "3", "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    own = [line for line in lines if line["setting"] == "1"]
    assert [line["exp_epsilon"] for line in own] == ["1", "infinite", "infinite"]
    assert [line["secret_known"] for line in own] == ["0", "7/16", "21/32"]
    assert [line["linear_exp_epsilon"] for line in own] == ["1"] * 3
    assert cli.main(["compose", file]) == 0
    text = capsys.readouterr().out
    assert (
        "certain after 2 runs at the earliest ((a1, b1), (a1, b2)); after 11/3 on average" in text
    )
    assert "\033" not in text


def test_bad_input(write: Write, capsys: Capture, tmp_path: Path) -> None:
    path = write(f"{RESPONSE}checks:\n  - differential_privacy: {{exp_epsilon: 3}}\n")
    assert cli.main(["compose", path]) == 2
    told = capsys.readouterr().err
    assert "spec.yaml:6:3: S606 no check is about 'composition' or" in told
    assert "hint: add one, such as - pufferfish" in told
    assert cli.main(["compose", str(tmp_path / "missing.yaml")]) == 2
    for arguments in (
        ["compose"],
        ["compose", path, "--runs", "0"],
        ["compose", path, "--runs", "x"],
    ):
        with pytest.raises(SystemExit) as stopped:
            cli.main(arguments)
        assert stopped.value.code == 2
    checks = "  - composition: {exp_epsilon: 2, of: [cipher_text], sequence: [published_key]}\n"
    with pytest.raises(InputError, match="S605"):
        found(write(PAD + checks), 1)
    checks = "  - composition: {exp_epsilon: 2, of: [cipher]}\n"
    with pytest.raises(InputError, match="did you mean 'cipher_text'"):
        found(write(PAD + checks), 1)
    with pytest.raises(InputError, match="S605"):
        found(write(PAD + "  - composition: {exp_epsilon: 2, of: []}\n"), 1)
    with pytest.raises(InputError, match="S015"):
        found(write(PAD + "  - composition: {exp_epsilon: 2, mechanisms: [cipher_text]}\n"), 1)


def test_what_is_too_large_is_undecided_and_the_rest_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, write: Write
) -> None:
    file = str(MODELS / "two-runs-of-zero.yaml")
    monkeypatch.setattr(runs, "MAX_ENTRIES", 10)
    assert cli.main(["compose", file, "--format", "json", "--runs", "4"]) == 3
    setting = json.loads(capsys.readouterr().out)["settings"][0]
    assert len(setting["leakage"]) == 1 and setting["leakage"][0]["leakage"]["exp_epsilon"] == "1"
    assert "leakage of 2 runs" in setting["undecided"][0]
    assert setting["certainty"][0]["fewest"] == "never"
    monkeypatch.undo()
    hull = "priors: {hull: [uniform, {worlds: {00: 1/2, 11: 1/2}}]}\n"
    path = write(f"{RESPONSE}{hull}checks:\n  - pufferfish: {{exp_epsilon: 3}}\n")
    assert cli.main(["compose", path, "--time-limit", "0.000001", "--runs", "2"]) == 3
    said = capsys.readouterr()
    assert "undecided" in said.out + said.err and "time limit" in said.out + said.err


def test_no_world_that_an_attacker_thinks_possible_is_left_out(
    write: Write, capsys: Capture
) -> None:
    """Nothing to compare is never a pass."""
    prior = "priors: {list: [{worlds: {00: 1/2, 01: 1/2}}]}\n"
    named = "secrets: {one: r1 == 1, zero: r1 == 0}\n"
    checks = "checks:\n  - pufferfish: {exp_epsilon: 3, pairs: [[zero, one]]}\n"
    assert cli.main(["compose", write(RESPONSE + prior + named + checks)]) == 2
    assert "S403" in capsys.readouterr().err
    prior = "priors: {list: [{worlds: {00: 1}}]}\n"
    path = write(f"{RESPONSE}{prior}checks:\n  - pufferfish: {{exp_epsilon: 3}}\n")
    assert cli.main(["compose", path]) == 3
    assert "there is nothing to compare" in capsys.readouterr().out


def test_what_the_checker_rejects_is_not_said(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(checker, "check", lambda document: Verdict("rejected", "because"))
    assert cli.main(["compose", str(MODELS / "two-runs-of-zero.yaml")]) == 4
    said = capsys.readouterr()
    assert "because" in said.err and not said.out


@examples(20)
@given(data=st.data())
def test_everything_that_is_found_is_accepted(data: st.DataObject) -> None:
    """Drawn tables, awkward numbers, one or two mechanisms in either order, one or two priors."""
    weights = st.sampled_from([0, 0, 1, 1, 3, 10**30 + 1])
    worlds = ["w1", "w2", "w3", "w4"]

    def row(size: int) -> list[str]:
        drawn = data.draw(st.lists(weights, min_size=size, max_size=size).filter(any))
        return [str(Fraction(x, sum(drawn))) for x in drawn]

    size = data.draw(st.integers(2, 3))
    tables = {
        name: {"table": {"outputs": ["a", "b", "c"][:size], **{w: row(size) for w in worlds}}}
        for name in ("one", "two")
    }
    listed = [{"worlds": dict(zip(worlds, row(4), strict=True))} for _ in range(2)]
    order = data.draw(st.sampled_from(["of", "sequence"]))
    spec = {
        "worlds": worlds,
        "secrets": {"s": ["w1", "w2"], "t": ["w3", "w4"]},
        "pairs": [["s", "t"]],
        "priors": {"list": ["uniform", *listed]},
        "mechanisms": tables,
        "checks": [{"composition": {"exp_epsilon": "1", order: ["one", "two", "one"]}}],
    }
    _, (check,) = reading.read_model_and_checks(
        document.parse(json.dumps(spec), "a.json"), Path("a.json")
    )
    setting = compose._about(compose.Case.of(check), verify.Options(), 4)
    assert len(setting.rows) == 4 and len(setting.certainty) >= 4
    assert not [reason for reason in setting.reasons if "conditions" not in reason]


def numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all rationals inside what a certificate claims."""
    if isinstance(value, str) and (value == "infinite" or value[-1:].isdigit()):
        return [path]
    if not isinstance(value, dict | list):
        return []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [found for key, inner in items for found in numbers(inner, (*path, key))]


@pytest.mark.parametrize("name", ["collapse-unequal-worlds.yaml", "two-runs-of-zero.yaml"])
def test_no_number_can_be_changed(name: str) -> None:
    """Every single number that is claimed is checked: one part in 10^30 more is too much."""
    _, checks = reading.load(MODELS / name)
    case = compose.Case.of(checks[0])
    assert isinstance(case.priors, ListedPriors)
    given_ = case.given([prior.positive() for prior in case.priors.priors])
    made = listed.leaks(given_, listed.certainties(given_, 3), 3)
    made = replace(made, trajectories=listed.trajectories(given_, made.rows[-1], 3))
    good = json.loads(written(listed.document(given_, made)))
    assert checker.check(good).outcome == "accepted"
    places = [
        p for p in numbers(good["answer"]) if p[0] in ("alone", "rows", "certainty", "trajectories")
    ]
    places = [place for place in places if "pair" not in place]
    assert len(places) > 30
    for place in places:
        document = json.loads(json.dumps(good))
        inner = document["answer"]
        for key in place[:-1]:
            inner = inner[key]
        old = inner[place[-1]]
        tiny = Fraction(1, 10**30)
        inner[place[-1]] = "7" if old == "infinite" else str(Fraction(old) + tiny)
        assert checker.check(document).outcome == "rejected", place


def test_no_other_prior_is_tried_when_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    """The clock runs out under the first of two priors, once and for all."""
    tried, over = [], list[float]()
    monkeypatch.setattr(limits, "_left", lambda seconds: lambda: over.pop() if over else seconds)

    def out_of_time(chain: object) -> None:
        tried.append(chain)
        over.append(0.0)
        signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(listed.Chain, "reached", out_of_time)
    spec = write(
        RESPONSE + "priors: {list: [uniform, uniform]}\nchecks: [pufferfish: {epsilon: 2}]"
    )
    (found,) = compose.run(spec, verify.Options(time_limit=600), 2)
    assert len(tried) == 1 and len(found.rows) == 2
    (reason,) = found.reasons
    assert reason.startswith("certainty under prior 1: the time limit of 600 s was reached")
