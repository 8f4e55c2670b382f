"""Small files for what the page says and no model has: both readers find the same question."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.second_reader.questions import questions
from tests.second_reader.test_same_questions import compare
from tests.second_reader.values import CannotRead

BITS = "worlds: {records: 2, domain: [0, 1]}\n"
NAMES = "worlds: [b, a]\n"
ATTRIBUTES = "worlds: {records: 2, domain: {a: [x, y], b: [1, 2]}}\n"
ABSENT = "worlds: {records: 2, domain: [0, 1], absent: true}\n"
SOME = "worlds: {records: 2, domain: [0, 1], where: count(value == 1) >= 1}\n"
TABLE = "{table: {outputs: [y, x, z], b: [1/2, 1/2, 0], a: [1, 0, 0]}}"
ALL = "checks: [{differential_privacy: {exp_epsilon: 2, neighbours: all}}]\n"
NUMBERS = "[+1, -1/2, .5, 1E2, 5., 1_000, 1 / 3, 1/02, 011, 1e05, x]"
KINDS = "{'z': 1/8, 12: 1/8, 9: 1/4, True: 1/8, world: 1/8, (1, 2): 1/16, (): 1/16, r1: 1/8}"
DRAWN = "{mixture: [{weight: 1/2, prior: uniform}, {weight: 1/2, prior: {iid: {0: 3/4, 1: 1/4}}}]}"


def program(*lines: str) -> str:
    text = "".join(f"    {line}\n" for line in lines)
    return f"{BITS}mechanism:\n  program: |\n{text}"


FILES = {
    "numbers": f"worlds: {{records: 1, domain: {NUMBERS}}}\nmechanism: {{deterministic: r1}}\n",
    "names are kept": "worlds: [1.0, 1, 2/4]\nmechanism: {deterministic: world}\n",
    "noise from 0": BITS + "mechanism: {geometric: {query: r1 + r2, ratio: 1/2, low: 0}}\n",
    "noise from 3": BITS + "mechanism: {geometric: {query: r1 + r2, ratio: 1/2, low: 3}}\n",
    "noise to 0": BITS + "mechanism: {geometric: {query: r1 + r2, ratio: 1/2, high: 0}}\n",
    "noise on 5": BITS + 'mechanism: {geometric: {query: "5", ratio: 1/2}}\n',
    "kinds of outputs": f"{ABSENT}mechanism:\n  program: |\n    return draw({KINDS})\n",
    "counts of outputs": f"{NAMES}mechanism: {{repeat: {{runs: 3, of: {TABLE}}}}}\n",
    "pairs of outputs": f"{NAMES}mechanism: {{compose: [{TABLE}, {TABLE}]}}\n",
    "sums of outputs": f"{NAMES}mechanism:\n"
    f"  merge_proportional: {{compose: [{TABLE}, {TABLE}]}}\n",
    "new outputs": f"{NAMES}mechanism: {{post_process: {{of: {TABLE}, "
    "matrix: {x: {q: 1/2, r: 1/2}, y: {p: 1, q: 0}, z: {r: 1}}}}\n",
    "a record is a list": ATTRIBUTES + "mechanism: {deterministic: r1}\n",
    "inside a list": ATTRIBUTES + "mechanism: {deterministic: '(r1, r2.a, world)'}\n",
    "response by record": ATTRIBUTES
    + "mechanism: {randomized_response: {truth: 1/2, per: record}}\n",
    "response to some": SOME + "mechanism: {randomized_response: {truth: 3/4}}\n",
    "lazy logic": BITS + "mechanism: {deterministic: r1 == 0 or 1 / r1 > 0}\n",
    "sum of a list": BITS + "mechanism: {deterministic: 'sum([r1, 1]) + sum(1) + sum(value)'}\n",
    "elements that are set": program(
        "bits = [0] * 2 + [[5, 6]]",
        "bits[draw(bernoulli(1/3))] = 1",
        "bits[r1] += draw(bernoulli(1/4))",
        "bits[-1][r2] *= 2",
        "copy = bits",
        "copy[0] = 9",
        "return bits",
    ),
    "binomial": program(
        "return sqrt(r1 * 9/4) + draw(binomial(3, 1/4)) + draw(binomial(n=r2, p=1))"
    ),
    "dictionaries": program(
        "counts = {}",
        "for v in [r1, r2, draw(bernoulli(1/5))]:",
        "    counts[v] = counts.get(v, 0) + 1",
        "counts['x'] = {}",
        "counts['x'][(r1, 2)] = 'y'",
        "inner = sorted(counts['x'].items())",
        "return [sorted(counts), inner, len(counts), 1 in counts, (1, 2) in counts['x']]",
    ),
    "dictionaries that begin with some keys": program(
        "counts = {1: 0, 0: 0, 2: r1}",
        "names = {0: 'no', 1: 'yes'}",
        "for v in world:",
        "    counts[v] += 1",
        "n = 0",
        "for v, times in sorted(counts.items()):",
        "    n = 3 * n + times",
        "return [names[r1], n, sum(counts.values()), max(counts.values()), "
        "sorted([2, r1, r2, 'a', (1, 0)])]",
    ),
    "worlds in a program": BITS
    + "mechanism:\n  program: |\n    x = world\n    return (x, len(x))\n",
}


@pytest.mark.parametrize("name", FILES)
def test_matrices_are_read_alike(name: str, tmp_path: Path) -> None:
    same(FILES[name] + ALL, tmp_path)


@pytest.mark.parametrize(
    "prior",
    [
        DRAWN,
        "uniform",
        "{iid: {0.0: 1/3, 1: 2/3}}",
        "{independent: [{0: 1/3, 1: 2/3}, {1: 1}]}",
        "{markov: {initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}}",
        "{tree: {parents: {r1: r2}, initial: stationary, transition: {0: {1: 1}, 1: {0: 1}}}}",
        "{tree: {parents: {r2: r1}, initial: {1: 1}, transitions: {r2: {1: {0: 2/3, 1: 1/3}}}}}",
        "{worlds: {10: 1/2, 11: 1/2}}",
    ],
)
def test_priors_are_read_alike(prior: str, tmp_path: Path) -> None:
    check = "checks: [{pufferfish: {exp_epsilon: 2, pairs: values}}]\n"
    same(f"{SOME}mechanism: {{deterministic: r1}}\npriors: {{list: [{prior}]}}\n{check}", tmp_path)


def same(text: str, folder: Path) -> None:
    path = folder / "small.yaml"
    path.write_text(text)
    found = compare([path])
    assert (found.same, found.different) == (1, []), str(found)


@pytest.mark.parametrize(
    "text",
    [
        BITS + "mechanism: {python: {file: x.py, function: f}}\n",
        BITS + "mechanism: {program: 'while True: pass'}\n",
        BITS + "mechanism: {deterministic: r3}\n",
        BITS + "mechanism: {program: 'return draw({10: 1/2, world: 1/2})'}\n",
        BITS + "mechanism: {deterministic: r1 < 'a'}\n",
        NAMES + "mechanism: {randomized_response: {truth: 1/2}}\n",
    ],
)
def test_what_is_not_on_the_page_is_not_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(text + ALL)
    (question,) = questions(path)
    assert isinstance(question, CannotRead)
