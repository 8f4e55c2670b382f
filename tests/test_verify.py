"""The spine: what a check expects against what it finds, and nothing without the checker."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from verifier import checker
from verifier.base.errors import InputError
from verifier.base.level import Leakage
from verifier.checker import Verdict
from verifier.questions import question
from verifier.questions.answer import Answer, Quantity
from verifier.questions.question import Question
from verifier.run import verify
from verifier.run.verify import Options, Result

Run = Callable[..., list[Result]]

# w1 and w2 differ by a factor of 3 in both outputs: the smallest level is 3. At δ the condition
# is 3/4 − α/4 <= δ.
THREE = "worlds: [w1, w2]\nmechanism: {table: {outputs: [a, b], w1: [3/4, 1/4], w2: [1/4, 3/4]}}\n"
KNOWN = "worlds: [w1, w2]\nmechanism: {deterministic: world}\n"
ALONE = "worlds: [w1]\nmechanism: {deterministic: world}\n"
RECORDS = "worlds: {records: 2, domain: [0, 1]}\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The results of a spec: its head, and its checks."""

    def do(head: str, *checks: str, options: Options | None = None) -> list[Result]:
        path = tmp_path / "spec.yaml"
        path.write_text(f"{head}checks:\n" + "".join(f"  - {check}\n" for check in checks))
        return list(verify.run(str(path), options or Options()))

    return do


def private(rest: str = "", level: str = "exp_epsilon: 3") -> str:
    return f"{{differential_privacy: {{{level}, neighbours: all}}{rest}}}"


METRIC = "{{metric_privacy: {{exp_epsilon: {}, distance: {{graph: [[w1, w2, 2]]}}}}, {}}}"


@pytest.mark.parametrize(
    ("head", "check", "met"),
    [
        (THREE, private(), True),
        (THREE, private(", expect: holds"), True),
        (THREE, private(", expect: violated"), False),
        (THREE, private(level="exp_epsilon: 2.99"), False),
        (THREE, private(", expect: violated", "exp_epsilon: 2.99"), True),
        (THREE, private(level="epsilon: 1"), False),  # e = 2.718… < 3
        (THREE, private(level="epsilon: 1.1"), True),  # e^1.1 = 3.004…
        (THREE, private(level="epsilon: ln(3)"), True),
        (THREE, private(", leakage: 3"), True),
        (THREE, private(", leakage: 6/2"), True),
        (THREE, private(", leakage: 3.000000000000000000000001"), False),
        (THREE, private(", leakage: infinite"), False),
        (THREE, private(", leakage: [3, 3]"), True),
        (THREE, private(", leakage: [2.5, 3.5]"), True),
        (THREE, private(", leakage: [3.1, 4]"), False),
        (THREE, private(", leakage: [1, 2]"), False),
        # the leakage is pinned whatever the verdict
        (THREE, private(", expect: violated, leakage: 3", "exp_epsilon: 2"), True),
        (THREE, private(", expect: violated, leakage: 2", "exp_epsilon: 2"), False),
        # at δ = 1/4: 3/4 − α/4 <= 1/4 from α = 2 on; at δ = 1/2 always
        (THREE, private(", leakage: 2", "exp_epsilon: 2, delta: 1/4"), True),
        (THREE, private(", leakage: 1", "exp_epsilon: 1, delta: 1/2"), True),
        (THREE, private("", "exp_epsilon: 1, delta: 0.4999"), False),
        (KNOWN, private(", expect: violated, leakage: infinite"), True),
        (KNOWN, private(", expect: violated, leakage: 1000000"), False),
        (KNOWN, private(", expect: violated, leakage: [1, 1000000]"), False),
        (KNOWN, private("", "exp_epsilon: 1, delta: 1"), True),
        (ALONE, private("", "epsilon: 0"), False),  # vacuous
        (ALONE, private(", leakage: 1", "epsilon: 0"), False),
        (ALONE, private(", expect: vacuous", "epsilon: 0"), True),
        (ALONE, private(", expect: vacuous, leakage: 1", "epsilon: 0"), True),
        (THREE, private(", expect: vacuous"), False),
        (THREE, private(", expect: vacuous", "exp_epsilon: 2"), False),
        (ALONE, private(", leakage: infinite", "epsilon: 0"), False),
        # at distance 2 the smallest level is the square root of 3, 1.7320508075688772…
        (THREE, METRIC.format(2, "leakage: [1.732, 1.733]"), True),
        (THREE, METRIC.format(2, "leakage: [1.7, 1.732]"), False),
        (THREE, METRIC.format(2, "leakage: 1.7320508075688772"), False),
        (THREE, METRIC.format(2, "leakage: infinite"), False),
        (THREE, METRIC.format("1.7320508075688773", "expect: holds"), True),
        (THREE, METRIC.format("1.7320508075688772", "expect: violated"), True),
        (RECORDS, "sensitivity: {query: r1 + 2 * r2, equals: 2}", True),
        (RECORDS, "sensitivity: {query: r1 + 2 * r2, equals: 3}", False),
        (RECORDS, "sensitivity: {query: r1 + 2 * r2}", True),
        (RECORDS, "{sensitivity: {query: r1, equals: 1}, leakage: 1}", False),
    ],
)
def test_expectations(run: Run, head: str, check: str, met: bool) -> None:
    (result,) = run(head, check)
    assert result.status == ("ok" if met else "failed")
    assert (result.mismatch is None) == met
    assert result.answer.certificate is not None


def test_a_mismatch_says_both_sides(run: Run) -> None:
    wrong, pinned, between, infinite = run(
        THREE,
        private(", expect: violated"),
        private(", leakage: 7/2"),
        private(", leakage: [1, 3/2]"),
        private(", leakage: infinite"),
    )
    for result, words in (
        (wrong, ("violated", "holds")),
        (pinned, ("7/2", "3")),
        (between, ("[1, 3/2]", "3")),
        (infinite, ("infinite", "3")),
    ):
        assert result.mismatch is not None
        assert all(word in result.mismatch for word in words)


def test_vacuous_says_so(run: Run) -> None:
    (result,) = run(ALONE, private())
    assert result.answer.leakage is not None and result.answer.leakage.vacuous
    assert (result.status, result.vacuous) == ("failed", True)
    assert "expect: vacuous" in str(result.mismatch)
    (allowed,) = run(ALONE, private(), options=Options(allow_vacuous=True))
    assert (allowed.status, allowed.vacuous) == ("ok", True)


def test_a_pinned_leakage_does_not_become_vacuous(run: Run) -> None:
    (result,) = run(ALONE, private(", leakage: 3"))
    assert (result.status, result.answer.verdict) == ("failed", "holds")


@pytest.mark.parametrize("outcome", ["rejected", "refused"])
def test_what_the_checker_does_not_accept_is_no_answer(
    run: Run, outcome: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checker, "check", lambda document: Verdict(outcome, "because"))
    folder = tmp_path / "certificates"
    for check in (private(), private(", expect: violated", "exp_epsilon: 2")):
        (result,) = run(THREE, check, options=Options(certificates=folder))
        assert (result.status, result.answer.verdict) == ("internal", "undecided")
        assert result.answer.reason == f"the checker {outcome} the certificate: because"
        assert result.answer.witness is None and result.path is None
        assert result.answer.leakage is None and result.answer.proof is None
    assert not folder.exists()


def test_what_takes_too_long_to_check_is_undecided(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 1)
    (result,) = run(THREE, private())
    assert (result.status, result.answer.verdict) == ("undecided", "undecided")
    assert result.answer.reason == "an answer was found, but to check it takes too many steps"


def test_an_engine_that_lies_is_caught(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker reads the certificate itself: a wrong verdict or level does not pass."""

    def lying(edit: Callable[[dict[str, Any]], object]) -> str:
        real = question.document

        def document(*arguments: Any) -> Any:
            made = real(*arguments)
            edit(made)
            return made

        with monkeypatch.context() as patch:
            patch.setattr(verify, "document", document)
            return run(THREE, private(level="exp_epsilon: 2"))[0].status

    assert lying(lambda made: None) == "failed"
    assert lying(lambda made: made["answer"].update(verdict="holds")) == "internal"
    assert lying(lambda made: made["answer"].update(leakage={"exp_epsilon": "2"})) == "internal"
    assert lying(lambda made: made["answer"].update(leakage={"exp_epsilon": "4"})) == "internal"
    assert lying(lambda made: made.update(digest="sha256:0")) == "internal"
    assert lying(lambda made: made.update(taken=[])) == "internal"


def test_what_is_not_decided_is_never_guessed(run: Run) -> None:
    classes = ("{constraints: ['P(11) >= 1/4']}", "{constraints: ['P(00) >= 1/5']}")
    asked = (f"universally_composable: {{pairs: values, priors: {one}}}" for one in classes)
    results = run(f"{RECORDS}mechanism: {{randomized_response: {{truth: 3/4}}}}\n", *asked)
    assert [result.status for result in results] == ["undecided"] * 2
    assert all(result.answer.verdict == "undecided" for result in results)
    assert all(result.answer.certificate is None for result in results)
    assert all("is decided only where" in str(result.answer.reason) for result in results)


def test_results_come_in_the_order_of_the_file(run: Run) -> None:
    results = run(THREE, private(", name: first"), private(level="exp_epsilon: 2"), private())
    assert [result.index for result in results] == [0, 1, 2]
    assert [result.name for result in results] == ["first", None, None]
    assert [result.status for result in results] == ["ok", "failed", "ok"]


def test_expectations_are_read_before_anything_is_decided(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"{THREE}checks:\n  - {private()}\n  - {private(', expect: maybe')}\n")
    with pytest.raises(InputError, match="S015"):
        next(verify.run(str(path)))


def test_certificates_are_written_as_they_were_checked(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "certificates"
    results = run(THREE, private(), private(), options=Options(certificates=folder))
    assert len({result.path for result in results}) == 2
    for result in results:
        assert result.path is not None and Path(result.path).is_relative_to(folder)
        assert checker.check_file(result.path).outcome == "accepted"
        assert json.loads(Path(result.path).read_text())["answer"]["verdict"] == "holds"


def test_a_folder_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="S701"):
        run(THREE, private(), options=Options(certificates=tmp_path / "file"))


def test_an_answer_other_than_its_certificate_is_caught(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is reported is what the checker has seen, not what stands beside the certificate."""
    real = verify.decide
    for change in (
        {"verdict": "holds"},
        {"leakage": Leakage(Fraction(2))},
        {"quantity": Quantity(Fraction(1), "{}")},
    ):
        monkeypatch.setattr(verify, "decide", lambda *asked, c=change: replace(real(*asked), **c))
        assert run(THREE, private(level="exp_epsilon: 2"))[0].status == "internal"


def test_an_asserted_value_is_said_where_it_is_another(run: Run) -> None:
    (result,) = run(
        f"{RECORDS}mechanisms: {{r: {{randomized_response: {{truth: 3/4}}}}}}\n",
        "row_cone: {of: [r], facets: 3}",
    )
    assert result.status == "failed" and result.mismatch
    assert result.mismatch.endswith(", asserted 3")


@pytest.mark.parametrize(
    "rest",
    [
        "mechanisms: {r: {randomized_response: {truth: 3/4}}, other: {tabel: {}}}\n",
        "mechanisms: {r: {randomized_response: {truth: 3/4}}}\npriors: {a: {list: [unifrm]}}\n",
        "mechanisms: {r: {randomized_response: {truth: 3/4}}}\npriors: {list: [unifrm]}\n",
    ],
)
def test_what_no_check_needs_is_read_too(run: Run, rest: str) -> None:
    check = "differential_privacy: {exp_epsilon: 3}\n    mechanism: r"
    with pytest.raises(InputError, match=r"tabel|unifrm"):
        run(f"{RECORDS}{rest}", check)


def test_python_that_no_check_needs_is_not_run(run: Run) -> None:
    rest = "mechanisms: {r: {randomized_response: {truth: 3/4}}, p: {python: nothing.py:f}}\n"
    (result,) = run(f"{RECORDS}{rest}", "differential_privacy: {exp_epsilon: 3}\n    mechanism: r")
    assert result.status == "ok"


def test_limits_on_time_are_kept_in_a_thread(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(asked: Question) -> Answer:
        while True:
            pass

    found: list[Result] = []
    monkeypatch.setattr(verify, "decide", endless)
    options = Options(time_limit=0.5)
    thread = Thread(target=lambda: found.extend(run(THREE, private(), options=options)))
    thread.start()
    thread.join()
    assert [result.answer.reason for result in found] == [
        "the time limit of 0.5 s was reached (--time-limit)"
    ]
