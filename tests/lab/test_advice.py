"""What violated checks hold with: each advice passes, and the next value does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifier
from tests.drawing import examples, wider
from tests.loops import each
from verifier.base import exact, parameters
from verifier.base.errors import InputError
from verifier.lab.advice import Advice, advice
from verifier.run import verify
from verifier.run.verify import Options

ROOT = Path(__file__).parents[2]
MODELS = {  # folder -> files
    "exponentials": ("discrete-gaussian",),
    "row-cone": (
        "parity-of-more-bits",
        "which-facet",
        "scaled-rows",
        "erasure",
        "four-attackers",
    ),
    "pufferfish": (
        "released-sums",
        "two-runs-reveal-all",
        "iid-two-values",
        "odds-of-a-count",
        "chain-of-channels",
        "opting-out",
        "independent-records",
        "aggregate-secrets",
        "two-anonymous-tables",
        "mixtures-without-a-worst",
        "correlated-records",
        "salaries-within-a-factor",
        "aggregate-secrets-of-three-bits",
        "posterior-odds",
        "noisy-cells-given-exact-ones",
        "independent-colours",
        "constraints-without-a-worst",
        "intervals-for-each-secret",
        "mixtures-irrational-level",
        "fair-coins-without-noise",
        "priors-are-not-convex",
        "corners-are-not-enough",
        "constraints-irrational-level",
        "no-assumption",
        "four-times-or-fourth-power",
    ),
    "libraries": ("partition-selection",),
}
HEAD = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
"""
LESS = Fraction(1, 10**8)  # of a number; levels that are rounded have twelve digits


def advised(file: Path, values: dict[str, Sequence[str]] | None = None) -> dict[int, list[Advice]]:
    """All advice on the violated checks of a file, by their numbers."""
    found: dict[int, list[Advice]] = {}
    for choice in verify.choices(file, values or {}):
        with parameters.given(choice):
            for result in verify.run(str(file), Options()):
                if result.verdict == "violated":
                    told = advice(result, Options(), values or {})
                    found.setdefault(result.index, []).extend(told)
    return found


def says(file: Path, index: int = 0) -> list[str]:
    return [one.says for one in advised(file)[index]]


def spliced(text: str, one: Advice, new: str | None = None) -> str:
    """A text with an edit, as an editor does it."""
    lines = text.splitlines(keepends=True)
    at = sum(map(len, lines[: one.edit.line - 1])) + one.edit.column - 1
    return text[:at] + (one.edit.text if new is None else new) + text[at + one.edit.length :]


def verdicts(folder: Path, text: str, index: int, name: str = "edited.yaml") -> set[str]:
    """The verdicts on a check, which is read and decided by itself."""
    (folder / name).write_text(text, encoding="utf-8")
    results = verifier.check(folder / name).results
    return {result.verdict for result in results if result.index == index}


def lower(text: str) -> str:
    """An option with a number that is a little smaller."""
    name, value = re.fullmatch(r"(\w+): ([^\n,]*?)(?:,? *\n? *)", text).groups()  # type: ignore[union-attr]
    if value.startswith("ln("):
        return f"{name}: ln(({value[3:-1]}) * {1 - LESS})"
    return f"{name}: ({value}) * ({1 - LESS})"


def beyond(text: str, one: Advice) -> str:
    """A number that moved, and goes on a little towards where it was: beyond the end of a region;
    half the way to it, where it was searched for."""
    lines = text.split("\n")
    at = one.edit.column - 1
    old = exact.number(lines[one.edit.line - 1][at : at + one.edit.length])
    new = exact.number(one.edit.text)
    if re.search(" up to | from ", one.says):
        return str(new + (1 if old > new else -1) * abs(new) / 1000)
    return str((old + new) / 2)


NAMED = [f"{folder}/{name}" for folder in MODELS for name in MODELS[folder]]


@each("model", NAMED[:: wider(3, 1)])
def test_what_is_advised_passes_and_the_next_does_not(model: str, tmp_path: Path) -> None:
    file = ROOT / "models" / f"{model}.yaml"
    text = file.read_text(encoding="utf-8")
    count = 0
    for index, found in advised(file).items():
        for one in found:
            count += 1
            assert verdicts(tmp_path, spliced(text, one), index) == {"holds"}, one
            lines = spliced(text, one).split("\n")
            assert list(one.lines) == lines[one.edit.line - 1 :][: len(one.lines)]
            moved = re.search(r" in line (\d+)$", one.says)
            if moved is None:  # an option, which may have been inserted
                end = "".join(re.findall(r"(,? *\n? *)$", one.edit.text)[:1])
                new = lower(one.edit.text) + end
            else:
                assert int(moved[1]) == one.edit.line
                new = beyond(text, one)
            assert verdicts(tmp_path, spliced(text, one, new), index) == {"violated"}, (one, new)
    assert count


def test_the_ways_by_hand(tmp_path: Path) -> None:
    """A bit with truth t needs max(t/(1 - t), (1 - t)/t); at e^ε = 2 it misses 3/4 - 2/4."""
    file = tmp_path / "a.yaml"
    file.write_text(HEAD + "  - differential_privacy: {exp_epsilon: 2}\n")
    assert says(file) == ["exp_epsilon: 3", "delta: 1/4", "truth from 1/3 to 2/3 in line 2"]
    level, delta, truth = advised(file)[0]
    assert level.lines == ["  - differential_privacy: {exp_epsilon: 3}"]
    assert delta.lines == ["  - differential_privacy: {delta: 1/4, exp_epsilon: 2}"]
    assert truth.lines == ["mechanism: {randomized_response: {truth: 2/3}}"]
    assert truth.as_json() == {
        "says": "truth from 1/3 to 2/3 in line 2",
        "line": 2,
        "column": 42,
        "length": 3,
        "text": "2/3",
    }


@given(st.fractions(1, 20, max_denominator=50).filter(lambda level: level > 1))
@examples(30)
def test_the_end_of_the_truth(tmp_path_factory: pytest.TempPathFactory, level: Fraction) -> None:
    """One bit holds at e^ε = α with truth up to α/(1 + α), whatever α is."""
    file = tmp_path_factory.mktemp("drawn") / "a.yaml"
    check = f"  - differential_privacy: {{exp_epsilon: {level}}}\n"
    file.write_text(HEAD.replace("3/4", "99/100") + check)
    end = level / (1 + level)
    truth = next(one for one in advised(file)[0] if one.says.startswith("truth"))
    assert exact.number(truth.edit.text) == end


# a check -> part of what is said
OTHERS = {
    "differential_privacy: {exp_epsilon: 3, group: 2}": {"group: 1"},
    "renyi: {exp_epsilon: 5/2, order: 3}": {"order: 2"},  # 7/3, and 2.603…
    "differential_privacy: {epsilon: 1}": {"epsilon: ln(3)"},
    "differential_privacy: {epsilon: ln(2), delta: 1/100}": {"delta: 1/4", "epsilon: ln(74/25)"},
    'differential_privacy: {epsilon: "ln(2)"}': {"epsilon: ln(3)"},
}


def test_other_options(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(HEAD + "".join(f"  - {check}\n" for check in OTHERS))
    found = advised(file)
    for index, wanted in enumerate(OTHERS.values()):
        assert wanted <= {one.says for one in found[index]}, found[index]


def test_a_number_that_was_asserted(tmp_path: Path) -> None:
    """Noise of ratio 1/2 between 0 and 1 is off by one with probability 1/3."""
    file = tmp_path / "a.yaml"
    file.write_text(
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanism: {geometric: {query: ann, ratio: 1/2, low: 0, high: 1}}\n"
        "checks:\n  - error: {loss: abs(output - ann), at_most: 1/4}\n"
    )
    assert says(file) == ["at_most: 1/3", "ratio up to 1/3 in line 2"]  # r/(1 + r) <= 1/4


def test_how_it_is_written(tmp_path: Path) -> None:
    """In lines, in JSON, in quotes; a number over several lines is left as it is."""
    file = tmp_path / "a.yaml"
    block = "  - name: x\n    differential_privacy:\n      epsilon: ln(2)\n      group: 1\n"
    file.write_text(HEAD + block)
    level, delta, _ = advised(file)[0]
    assert level.lines == ["      epsilon: ln(3)"]
    assert delta.lines == ["      delta: 1/4", "      epsilon: ln(2)"]
    json = tmp_path / "a.json"
    json.write_text(
        '{"worlds": {"records": ["ann"], "domain": [0, 1]},\n'
        ' "mechanism": {"exponential": {"candidates": [0, 1], "score": "ann * candidate",'
        ' "base": 4}},\n "checks": [{"differential_privacy": {"exp_epsilon": 2}}]}'
    )
    lines = [line for one in advised(json)[0] for line in one.lines]
    assert lines[0] == ' "checks": [{"differential_privacy": {"exp_epsilon": "5/2"}}]}'
    assert '"delta": "1/10", "exp_epsilon": 2' in lines[1]
    assert any(line.endswith('"base": "3"}},') for line in lines)  # (1 + b)/2 <= 2
    file.write_text(HEAD + '  - differential_privacy: {exp_epsilon: "1 +\n      1"}\n')
    assert "exp_epsilon: 3" not in says(file)
    # what is given to a file by its name has to stay in it
    file.write_text(HEAD.replace("3/4", "$t") + "  - differential_privacy: {exp_epsilon: 2}\n")
    found = advised(file, {"t": ["3/4"]})[0]
    assert [one.says for one in found] == ["exp_epsilon: 3", "delta: 1/4"]


PARAMETER = """\
parameters: {p: 1/2 < p < 1, n: [1, 2]}
worlds: {records: n, domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
"""


def test_parameters(tmp_path: Path) -> None:
    """Advice holds for all values of all parameters, of which only the worst ones show it."""
    file = tmp_path / "a.yaml"
    file.write_text(PARAMETER + "  - differential_privacy: {exp_epsilon: 4, group: n}\n")
    found = [one.says for one in advised(file)[0]]
    # two bits need (p/(1 - p))^2
    assert found == ["exp_epsilon: p^2/(1 - 2*p + p^2)", "where: 1/2 < p <= 2/3"]
    file.write_text(PARAMETER + "  - differential_privacy: {exp_epsilon: 4}\n    where: p > 3/5\n")
    for one in advised(file)[0][1::2]:
        assert one.lines == ["    where: 3/5 < p <= 4/5"]
    file.write_text(PARAMETER + "  - differential_privacy: {exp_epsilon: 4, group: n}\n")
    found = [one.says for one in advised(file, {"p": ["3/4"], "n": ["1", "2"]})[0]]
    assert found[0] == "exp_epsilon: 9"


def test_a_parameter_with_one_value(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "parameters: {t: 3/4}\n"
        + HEAD.replace("3/4", "1 - (1 - t)")
        + "  - differential_privacy: {exp_epsilon: 2}\n"
    )
    assert says(file)[2:] == ["t from 1/3 to 2/3 in line 1"]


def test_numbers_of_a_program_are_searched_for(tmp_path: Path) -> None:
    """Laplace noise of scale b on a count leaks e^(1/b), here at most e^(1/3); no region is known
    beside a power of e."""
    file = tmp_path / "a.yaml"
    file.write_text(
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanism:\n  program: |\n    x = ann + draw(laplace(0, 2))\n    return x >= 1\n"
        "checks:\n  - differential_privacy: {epsilon: 1/3}\n"
    )
    found = {one.says: one for one in advised(file)[0]}
    scale = next(one for name, one in found.items() if name.startswith("laplace"))
    text = file.read_text()
    assert verdicts(tmp_path, spliced(text, scale), 0) == {"holds"}
    step = Fraction(1, 10)
    here = exact.number(scale.edit.text)
    assert 2 < here <= 3 + step and scale.edit.line == 4
    finer = spliced(text, scale, str(here - step))
    assert verdicts(tmp_path, finer, 0) == {"violated"}


def test_nothing_that_would_not_pass(tmp_path: Path) -> None:
    """No level serves, no δ below 1, and no number moves; nor is a table moved."""
    file = tmp_path / "a.yaml"
    file.write_text(
        "worlds: {records: [ann], domain: [0, 1]}\nmechanism: {deterministic: ann}\n"
        "checks:\n  - differential_privacy: {exp_epsilon: 2}\n"
    )
    assert says(file) == []
    # a leakage that is asserted has to stay what it is
    file.write_text(HEAD + "  - {differential_privacy: {exp_epsilon: 2}, leakage: 3}\n")
    assert says(file) == ["exp_epsilon: 3"]
    with pytest.raises(InputError):
        (result,) = verify.run(str(file), Options())
        file.unlink()
        advice(result, Options())


def test_the_time_is_kept_to(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(HEAD + "  - differential_privacy: {exp_epsilon: 2}\n")
    (result,) = verify.run(str(file), Options())
    assert advice(result, Options(), seconds=0.0) == []
