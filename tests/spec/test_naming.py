"""What reports call the checks of a file, and by which id they know them again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from verifier.spec.asked import Named, named
from verifier.spec.reading import read_whole

HEAD = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  once: {randomized_response: {truth: 3/4}}
  more: {randomized_response: {truth: 4/5}}
"""
DP = "differential_privacy: {exp_epsilon: 3}, mechanism: once"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(*checks: str, head: str = HEAD) -> list[Named]:
    text = "".join(f"  - {{{check}}}\n" for check in checks)
    Path("a.yaml").write_text(f"{head}checks:\n{text}", encoding="utf-8")
    return named("a.yaml", read_whole("a.yaml").questions)


def labels(*checks: str) -> list[str]:
    return [one.label for one in names(*checks)]


def test_a_label_is_name_or_definition_level_and_mechanism() -> None:
    assert labels(
        f"name: one answer, {DP}",
        DP,
        "differential_privacy: {epsilon: 1/2, delta: 1/10}, mechanism: more, expect: violated",
    ) == [
        "one answer [once]",
        "differential_privacy (exp_epsilon 3) [once]",
        "differential_privacy (epsilon 1/2, delta 1/10) [more]",
    ]


def test_the_level_of_zcdp_is_told_as_a_file_has_it() -> None:
    levels = ["0", "1/2", "ln(3)", "ln(1)"]
    checks = [f"zcdp: {{rho: {level}}}, mechanism: once" for level in levels]
    assert labels(*checks) == [
        "zcdp (rho 0) [once], check 1",
        "zcdp (rho 1/2) [once]",
        "zcdp (rho ln(3)) [once]",
        "zcdp (rho 0) [once], check 4",
    ]


def test_checks_that_differ_in_options_say_which() -> None:
    start = "differential_privacy (exp_epsilon 3) [once]"
    assert labels(
        DP,
        "differential_privacy: {exp_epsilon: 3, neighbours: all}, mechanism: once",
        "differential_privacy: {exp_epsilon: 3, neighbours: {hamming: 2}}, mechanism: once",
    ) == [start, f"{start}, neighbours all", f"{start}, neighbours {{hamming: 2}}"]


def test_checks_that_differ_in_nothing_are_numbered() -> None:
    start = "differential_privacy (exp_epsilon 3) [once]"
    assert labels(DP, f"name: x, {DP}", DP) == [
        f"{start}, check 1",
        "x [once]",
        f"{start}, check 3",
    ]


def test_no_two_labels_are_the_same_whatever_the_names() -> None:
    taken = "name: 'x [once], check 2', differential_privacy: {exp_epsilon: 3}"
    found = labels(f"name: x, {DP}", f"name: x, {DP}", f"{taken}, mechanism: once", DP, DP)
    assert len(set(found)) == 5


def test_what_is_expected_is_no_part_of_a_label() -> None:
    assert labels(DP, f"{DP}, leakage: 3")[1].endswith("[once], check 2")


def test_an_id_is_the_digest_of_file_and_name() -> None:
    (one,) = names(f"name: one answer, {DP}")
    text = json.dumps(["a.yaml", "one answer", 0])
    assert one.id == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_an_id_stays_where_others_move() -> None:
    before = names(f"name: x, {DP}", DP)
    after = names("blowfish: {exp_epsilon: 3}, mechanism: more", DP, f"name: x, {DP}")
    assert [one.id for one in before] == [after[2].id, after[1].id]
    assert before[0].place != after[2].place


def test_ids_differ_by_mechanism_and_by_which_of_several_it_is() -> None:
    other = DP.replace("once", "more")
    assert len({one.id for one in names(DP, DP, other, f"name: x, {DP}", f"name: x, {DP}")}) == 5


def test_the_same_path_in_other_words_has_the_same_id() -> None:
    names(DP)
    questions = read_whole("a.yaml").questions
    paths = ("a.yaml", "./a.yaml", str(Path.cwd() / "a.yaml"))
    assert len({named(path, questions)[0].id for path in paths}) == 1


def test_a_check_without_a_question_has_its_level_too() -> None:
    (one,) = names("universally_composable: {pairs: values, priors: iid}")
    assert one.label == "universally_composable"
    (place,) = {one.place}
    assert (place.file, place.line, place.column) == ("a.yaml", HEAD.count("\n") + 2, 5)
