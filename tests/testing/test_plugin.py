"""The plugin of pytest, in runs of pytest of its own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import DOCS, blocks, save

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "no:verifier", "-p", "verifier.testing.plugin")  # also where it is installed
SURVEY = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - name: one participant
    differential_privacy: {epsilon: ln(3)}
  - differential_privacy: {exp_epsilon: 2}
  - name: everybody
    pufferfish: {exp_epsilon: 3, pairs: values, priors: all}
    expect: violated
"""
HOLDS = SURVEY.replace("exp_epsilon: 2", "exp_epsilon: 4")
NOTE = HOLDS.replace("mechanism:", "secrets: {ann_yes: ann == 1}\nmechanism:")
VACUOUS = """\
worlds: {records: [ann], domain: [0]}
mechanism: {deterministic: 0}
checks:
  - differential_privacy: {exp_epsilon: 2}
"""
UNDECIDED = """\
worlds: {records: [ann, bob, cat], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - coupled_worlds: {epsilon: 1, alt: ann, priv: bob, form: inference, priors: product}
"""


def write(pytester: pytest.Pytester, **files: str) -> None:
    for name, text in files.items():
        path = pytester.path / f"{name}.privacy.yaml"
        path.write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the other plugins, which take longer to load than a check to decide."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """In a fork of this process, which has loaded what a new one would load first. One run inside
    another forgets modules that the other has seen."""
    names = ("stdout", "stderr")
    process = os.fork()
    if not process:
        gc.freeze()  # pytest collects at its end, which is long for all that this process has
        for number, name in enumerate(names, 1):
            os.dup2(os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), number)
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
        status: int = pytest.ExitCode.INTERNAL_ERROR
        try:
            status = pytest.main(["--basetemp=kept", *PLUGIN, *arguments])
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    said = [(pytester.path / name).read_text(encoding="utf-8").splitlines() for name in names]
    return pytest.RunResult(status, *said, duration=0.0)


def run_anew(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """In a process of its own, as users have it."""
    return pytester.runpytest_subprocess(*PLUGIN, *arguments)


def test_each_check_is_a_test(pytester: pytest.Pytester) -> None:
    write(pytester, survey=HOLDS)
    found = run_anew(pytester, "-v")
    found.assert_outcomes(passed=3)
    found.stdout.fnmatch_lines(
        [
            "survey.privacy.yaml::one participant PASSED*",
            "survey.privacy.yaml::differential_privacy (exp_epsilon 4) PASSED*",
            "survey.privacy.yaml::everybody PASSED*",
        ]
    )


def test_a_failure_prints_the_witness_and_no_traceback(pytester: pytest.Pytester) -> None:
    write(pytester, survey=SURVEY)
    found = run(pytester)
    found.assert_outcomes(passed=2, failed=1)
    text = found.stdout.str()
    assert "  FAILED  differential_privacy (exp_epsilon 2): violated; smallest e^ε 3" in text
    assert "      expected holds, found violated" in text
    assert "ratio 3" in text
    assert "Traceback" not in text and "plugin.py" not in text and "raise" not in text
    found.stdout.fnmatch_lines(
        ["FAILED survey.privacy.yaml::differential_privacy (exp_epsilon 2)*"]
    )


def test_undecided_is_a_failure_with_its_reason(pytester: pytest.Pytester) -> None:
    write(pytester, survey=UNDECIDED)
    found = run(pytester)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*undecided*coupled_worlds*", "*only priors in a 'list'*"])


def test_nothing_compared_is_a_failure(pytester: pytest.Pytester) -> None:
    write(pytester, survey=VACUOUS)
    found = run(pytester)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*nothing was compared*"])


def test_a_bad_file_is_an_error_with_place_and_hint(pytester: pytest.Pytester) -> None:
    write(pytester, bad=HOLDS.replace("mechanism:", "mechansim:"), good=HOLDS)
    found = run(pytester)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(
        [
            "*bad.privacy.yaml:2:1: S015 unknown key 'mechansim'*",
            "*did you mean 'mechanism'?*",
            "ERROR bad.privacy.yaml*",
        ]
    )
    assert "Traceback" not in found.stdout.str()
    assert found.ret == pytest.ExitCode.INTERRUPTED


def test_a_note_is_a_warning_or_an_error(pytester: pytest.Pytester) -> None:
    write(pytester, survey=NOTE)
    found = run(pytester)
    found.assert_outcomes(passed=3, warnings=1)
    found.stdout.fnmatch_lines(
        ["*survey.privacy.yaml:2: PrivacyNote: *:2:11: N103 the secret 'ann_yes' *"]
    )
    strict = run(pytester, "-W", "error::verifier.testing.PrivacyNote")
    strict.assert_outcomes(errors=1)
    strict.stdout.fnmatch_lines(["*N103 the secret 'ann_yes' is used by no check*"])


@pytest.mark.parametrize(
    ("arguments", "passed", "deselected"),
    [
        (("-k", "participant"), 1, 2),
        (("-m", "privacy"), 3, 0),
        (("-m", "not privacy"), 0, 3),
        (("survey.privacy.yaml::one participant",), 1, 0),
    ],
)
def test_checks_are_selected(
    pytester: pytest.Pytester, arguments: tuple[str, ...], passed: int, deselected: int
) -> None:
    write(pytester, survey=HOLDS)
    found = run(pytester, "--strict-markers", *arguments)
    found.assert_outcomes(passed=passed, deselected=deselected)


def test_the_first_failure_may_end_it_and_be_repeated(pytester: pytest.Pytester) -> None:
    write(pytester, survey=SURVEY)
    run(pytester, "-x").assert_outcomes(passed=1, failed=1)
    run(pytester, "--lf").assert_outcomes(failed=1)
    write(pytester, survey=HOLDS.replace("exp_epsilon: 4", "exp_epsilon: 2, delta: 1/4"))
    run(pytester).assert_outcomes(passed=3)


def test_collecting_decides_nothing(pytester: pytest.Pytester) -> None:
    """What is violated is no failure yet."""
    write(pytester, survey=SURVEY)
    found = run(pytester, "--collect-only", "-q")
    assert found.ret == 0
    assert found.stdout.lines[:3] == [
        "survey.privacy.yaml::one participant",
        "survey.privacy.yaml::differential_privacy (exp_epsilon 2)",
        "survey.privacy.yaml::everybody",
    ]


def test_processes_share_the_work(pytester: pytest.Pytester) -> None:
    write(pytester, first=SURVEY, second=NOTE)
    found = run_anew(pytester, "-p", "xdist.plugin", "-n", "2")
    found.assert_outcomes(passed=5, failed=1, warnings=found.parseoutcomes()["warnings"])
    assert "ratio 3" in found.stdout.str()


def test_names_are_ids(pytester: pytest.Pytester) -> None:
    """Colons of a name do not end an id, and checks of the same name are told apart."""
    text = HOLDS.replace("one participant", "a::b").replace("everybody", "a::b")
    write(pytester, survey=text)
    lines = run(pytester, "--collect-only", "-q").stdout.lines[:3]
    assert lines[0].startswith("survey.privacy.yaml::a:b") and len(set(lines)) == 3
    run(pytester, *lines).assert_outcomes(passed=3)


SETTINGS = "[pytest]\nverifier_specs = promises more/*/*.yml\n"


def test_listed_folders_and_patterns_are_collected(pytester: pytest.Pytester) -> None:
    pytester.makeini(SETTINGS)
    for name in ("promises/a.yaml", "promises/deep/b.json", "more/x/c.yml", "more/d.yaml"):
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HOLDS, encoding="utf-8")
    Path("promises/notes.txt").write_text("no file of ours", encoding="utf-8")
    found = run(pytester, "--collect-only", "-q")
    files = {line.split("::")[0] for line in found.stdout.lines if "::" in line}
    assert files == {"promises/a.yaml", "promises/deep/b.json", "more/x/c.yml"}
    pytester.makeini("[pytest]\nverifier_specs = .\n")
    found = run(pytester, "--collect-only", "-q")
    assert files | {"more/d.yaml"} == {line.split("::")[0] for line in found.stdout.lines[:12]}


def test_a_listed_folder_that_is_missing_is_told(pytester: pytest.Pytester) -> None:
    pytester.makeini(SETTINGS)
    found = run(pytester)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["ERROR: verifier_specs: nothing in * is 'promises'"])


LARGE = """\
worlds: {records: 16, domain: [0, 1], where: count(value == 1) >= 1}
mechanism: {deterministic: count(value == 1)}
checks: [{differential_privacy: {exp_epsilon: 2}}]
"""


def test_a_limit_on_time(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nverifier_time_limit = 0.001\n")
    write(pytester, survey=LARGE)
    found = run(pytester)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["*limit*"])


def test_python_functions_run_only_where_the_settings_say_so(pytester: pytest.Pytester) -> None:
    write(pytester, survey=HOLDS.replace("{randomized_response: {truth: 3/4}}", PYTHON))
    (pytester.path / "noise.py").write_text(NOISE, encoding="utf-8")
    found = run(pytester)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["*allow*python*"])
    pytester.makeini("[pytest]\nverifier_allow_python = true\n")
    run(pytester).assert_outcomes(passed=2, failed=1)  # nothing is told of bob's bit


PYTHON = "{python: {file: noise.py, function: noise}}"
NOISE = """\
def noise(world):
    return {"yes": "3/4", "no": "1/4"} if world["ann"] else {"yes": "1/4", "no": "3/4"}
"""


PAGE = DOCS / "how-to" / "pytest.md"


def test_the_page_shows_what_is_printed(pytester: pytest.Pytester) -> None:
    save(PAGE, pytester.path)
    found = run(pytester, "-v")
    (shown,) = (block.text for block in blocks(PAGE) if block.language == "text")
    printed = set(found.stdout.lines)
    for line in shown.splitlines():
        assert line in printed or any(other.startswith(f"{line} ") for other in printed), line


def test_every_other_run_of_pytest_loads_no_engine() -> None:
    """Which imports the plugin, as all runs do where it is installed."""
    code = (
        "import sys, pytest; before = set(sys.modules); import verifier.testing.plugin;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}));"
        "print(*sorted(name for name in sys.modules if name.startswith('verifier')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    new, ours = (line.split() for line in done.stdout.splitlines())
    assert set(new) - {"verifier"} <= sys.stdlib_module_names
    door = {"verifier", *("verifier.base", "verifier.base.nouns", "verifier.base.version")}
    assert set(ours) == {*door, "verifier.testing", "verifier.testing.plugin"}


def test_every_value_of_a_list_is_a_test(pytester: pytest.Pytester) -> None:
    """3 are needed for one participant."""
    text = SURVEY.splitlines()
    text[4] = "    differential_privacy: {exp_epsilon: n}"
    write(pytester, survey="\n".join(["parameters: {n: [2, 4]}", *text[:5]]))
    found = run(pytester, "-v")
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["*::one participant (n = 2) FAILED*", "*(n = 4) PASSED*"])


def test_an_assertion_shows_the_line_that_asked_and_no_frame_of_its_own(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        test_survey=f"""
        from verifier.testing import assert_private
        from tests_of_questions import asked

        def test_text():
            assert_private({SURVEY!r})

        def test_question():
            assert_private(asked)
        """,
        tests_of_questions="""
        from verifier import Level, database, mechanism
        from verifier.definitions import differential_privacy

        space = database(records=["ann"], domain=[0, 1])
        bit = mechanism(space, {"randomized_response": {"truth": "3/4"}})
        level = Level.of_exp_epsilon(2)
        asked = differential_privacy.question(space=space, mechanism=bit, level=level)
        """,
    )
    found = run(pytester)
    assert found.ret == 1
    found.stdout.fnmatch_lines(["*>*assert_private(*", "E*AssertionError*", "*ratio 3*"])
    found.stdout.no_fnmatch_line("*testing/__init__.py*")
