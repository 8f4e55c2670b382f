"""The table of docs/reference/region.md: what is decided where a parameter stands in which place.

Each cell is held against a small file. Its words: `yes`, a region and the smallest level (or
number) for every value; `level asked for`, a region, and the smallest level is not always told;
`no`, undecided.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import answers
from tests.pages import ROOT
from verifier.base import parameters
from verifier.run import verify

PAGE = ROOT / "docs" / "reference" / "region.md"
EVERY = wider(7, 1)  # of the cells one is run
PLACES = ("mechanism", "priors", "level", "delta")

BITS = "worlds: {records: [ann, bob], domain: [0, 1]}"
TOLD = "mechanism: {randomized_response: {truth: T}}"
ALIKE = "{worlds: {00: W/2, 11: W/2, 01: (1 - W)/2, 10: (1 - W)/2}}"
TWO = f"mechanisms: {{one: {TOLD[11:]}, other: {{randomized_response: {{truth: 2/3}}}}}}"
# what a file has besides, and the check; T, W, L and D are the truth, the weight of equal bits, the
# level and delta, one of which is a function
ROWS: dict[str, tuple[str, str]] = {
    "`differential_privacy`": ("", "differential_privacy: {exp_epsilon: L, delta: D}"),
    "`blowfish`": ("", "blowfish: {exp_epsilon: L, delta: D, graph: full}"),
    "`induced_neighbours`": ("", "induced_neighbours: {exp_epsilon: L, delta: D}"),
    "`metric_privacy`": ("", "metric_privacy: {exp_epsilon: L, distance: hamming}"),
    "`pufferfish`, `list`": (
        f"priors: {{list: [{ALIKE}]}}",
        "pufferfish: {exp_epsilon: L, delta: D, pairs: values}",
    ),
    "`pufferfish`, `hull`": (
        f"priors: {{hull: [{ALIKE}, {{iid: {{0: 1/2, 1: 1/2}}}}]}}",
        "pufferfish: {exp_epsilon: L, delta: D, pairs: values}",
    ),
    "`pufferfish`, `constraints`": (
        'priors: {constraints: ["P(bob == 1 | ann == 1) >= 1 - W"]}',
        "pufferfish: {exp_epsilon: L, pairs: values}",
    ),
    "`pufferfish`, `iid`": ("priors: iid", "pufferfish: {exp_epsilon: L, pairs: values}"),
    "`bayesian_privacy`": (
        f"priors: {{list: [{ALIKE}]}}",
        "bayesian_privacy: {exp_epsilon: L, delta: D, known: 1}",
    ),
    "`noiseless`": (f"priors: {{list: [{ALIKE}]}}", "noiseless: {exp_epsilon: L, delta: D}"),
    "`dependent_privacy`": (
        f"priors: {{list: [{ALIKE}]}}",
        "dependent_privacy: {exp_epsilon: L, delta: D}",
    ),
    "`hedging_privacy`": (
        "",
        "hedging_privacy: {exp_epsilon: L, known: {0: W, 1: 1 - W}, weight: W/2}",
    ),
    "`single_prior_privacy`": (
        "",
        "single_prior_privacy: {exp_epsilon: L, delta: D, known: {0: W, 1: 1 - W}}",
    ),
    "`composition`": (
        f"priors: {{list: [{ALIKE}]}}",
        "composition: {exp_epsilon: L, pairs: values}",
    ),
    "`coupled_worlds`": (
        f"priors: {{list: [{ALIKE}]}}",
        "coupled_worlds: {exp_epsilon: L, delta: D, alt: bob, priv: ann}",
    ),
    "`coupled_worlds`, `inference`": (
        f"priors: {{list: [{ALIKE}]}}",
        "coupled_worlds: {exp_epsilon: L, delta: D, alt: bob, priv: ann, form: inference}",
    ),
    "`distributional_privacy`": (
        f"priors: {{list: [{ALIKE}]}}",
        "distributional_privacy: {exp_epsilon: L, delta: D}",
    ),
    "`influence`": (
        f"priors: {{list: [{ALIKE}]}}",
        "influence: {exp_epsilon: L, entries: 1, pairs: values}",
    ),
    "`bounded_range`": ("", "bounded_range: {exp_epsilon: L}"),
    "`renyi`, an integer order": ("", "renyi: {exp_epsilon: L, order: 3}"),
    "`renyi`, another order": ("", "renyi: {exp_epsilon: L, order: 3/2}"),
    "`zcdp`": ("", "zcdp: {rho: 1}"),
    "`error`": (
        "mechanism: {table: {outputs: [0, 1], 00: [T, 1 - T], 01: [T, 1 - T], "
        "10: [1 - T, T], 11: [1 - T, T]}}",
        "error: {loss: abs(output - ann), at_most: 1/2}",
    ),
    "`universally_composable`": (
        f"priors: {{list: [{ALIKE}]}}",
        "universally_composable: {pairs: values}",
    ),
    "`implies`, a level": (
        f"priors: {{list: [{ALIKE}]}}",
        "implies: {if: {differential_privacy: {exp_epsilon: L}}, "
        "then: {pufferfish: {exp_epsilon: 9, pairs: values}}}",
    ),
    "`optimal`": (
        "",
        "optimal: {under: {differential_privacy: {exp_epsilon: L}}, outputs: [0, 1], "
        "loss: abs(output - ann)}",
    ),
    "`post_processing`": (TWO, "post_processing: {of: one}, mechanism: other"),
    "`row_cone` of a mechanism": (TWO, "row_cone: {of: one}, mechanism: other"),
    "`row_cone`, `facets`": (TWO, "row_cone: {of: one, facets: 4}"),
}
VALUES = {"T": ("p", "3/4"), "W": ("p", "3/4"), "L": ("4*p", "2"), "D": ("p/5", "0")}
APART = ("`implies", "`optimal", "`universally", "`influence", "`post", "`row_cone", "`error")


def file(row: str, place: str) -> str:
    """The file of a cell."""
    besides, check = ROWS[row]
    told = "" if row.startswith(APART) else TOLD
    values = dict(zip(PLACES, VALUES, strict=True))
    filled = {letter: VALUES[letter][letter != values[place]] for letter in VALUES}
    whole = "\n".join([BITS, told, besides, f"checks: [{{{check}}}]"])
    return re.sub(r"\b[TWLD]\b", lambda found: filled[found[0]], whole)


def word(text: str, folder: Path) -> str:
    """What is decided of a file."""
    path = folder / "cell.yaml"
    path.write_text(f"parameters: {{p: 1/2 < p < 1}}\n{text}\n")
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        (asked,) = verify.load(path).questions
    (answer,) = answers(path) if asked.question else [None]
    if answer is None:
        return "no"
    assert answer.curve is not None and not answer.curve.undecided
    return "level asked for" if any(one.sense for one in answer.curve.stretches) else "yes"


def table() -> dict[str, list[str]]:
    """The rows of the page by their first cell."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells if len(row) == 1 + len(PLACES)}


CELLS = [(row, at) for row in ROWS for at in range(len(PLACES))]


def test_the_table_has_each_row() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize(("row", "at"), CELLS[::EVERY])
def test_a_cell(row: str, at: int, tmp_path: Path) -> None:
    """A cell has — where no number of the check stands there, and otherwise what is decided."""
    text = file(row, PLACES[at])
    there = re.search(r"\bp\b", text)
    assert table()[row][at] == (word(text, tmp_path) if there else "—")
