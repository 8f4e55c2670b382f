"""Regions of checks that channels decide: at single values as the ordinary check and as the plain
definition, by products of the channels' tables, and by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import opened
from tests.drawing import wider
from tests.engines.test_divergence_pieces import confirm, functions
from tests.engines.test_pieces import ROWS, answers, one, same_everywhere, values

CASES = wider(1, 30)
ZEROS = ("[1, 0]", "[(1-2*p)**2, 4*p*(1-p)]")  # impossible everywhere; at 1/2 alone
CHECKS = {  # the check, and whether two databases are compared that differ so much
    "one": ("differential_privacy: {ASKED}", lambda records, size: records == 1),
    "both": ("differential_privacy: {ASKED, group: 2}", lambda records, size: records > 0),
    "sizes": ("differential_privacy: {ASKED, neighbours: {l1: 2}}", lambda records, size: size < 3),
    "metric": ("metric_privacy: {ASKED, distance: l1}", lambda records, size: True),
}


def number(text: str, p: Fraction) -> Fraction:
    """A number of a file at one value of the parameter."""
    found: Fraction = eval(re.sub(r"(\d+)", r"F(\1)", text), {"p": p, "F": Fraction})
    return found


@dataclass
class Drawn:
    """A check of two records with channels of their own: for each the rows of one or two answers,
    by the record's value."""

    asked: str
    channels: list[list[list[str]]]
    level: str
    delta: str

    @classmethod
    def by(cls, random: Random, asked: str) -> Drawn:
        listed = ROWS + (ZEROS if random.random() < 0.3 else ())
        listed = ROWS[:3] if asked == "sizes" else listed  # there are many ways to change both
        size = 2 if asked == "both" else 3
        channels = [
            [[random.choice(listed) for _ in range(size)] for _ in range(random.choice((1, 1, 2)))]
            for _ in "ab"
        ]
        if asked == "sizes":
            channels = [channels[0][:1]] * 2
        delta = "0" if asked == "metric" else random.choice(("0", "1/10", "p/4"))
        return cls(asked, channels, random.choice(("3/2", "2", "1 + p", "4")), delta)

    @property
    def text(self) -> str:
        """The file."""
        told = []
        for parts in self.channels:
            each = [", ".join(f"{v}: {row}" for v, row in enumerate(rows)) for rows in parts]
            tables = [f"{{table: {{outputs: [x, y], {rows}}}}}" for rows in each]
            told.append(tables[0] if len(tables) == 1 else f"{{compose: [{', '.join(tables)}]}}")
        asked = f"exp_epsilon: {self.level}" + f", delta: {self.delta}" * (self.delta != "0")
        return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: 2, domain: {list(range(len(self.channels[0][0])))}}}
mechanism: {{local: [{", ".join(told)}]}}
checks: [{{{CHECKS[self.asked][0].replace("ASKED", asked)}}}]
"""

    def holds(self, p: Fraction) -> bool:
        """The definition: every event of answers, of all databases that are compared."""
        level, delta = number(self.level, p), number(self.delta, p)
        known: dict[tuple[int, ...], list[Fraction]] = {}
        for world in product(range(len(self.channels[0][0])), repeat=2):
            rows = [
                rows[v] for answers, v in zip(self.channels, world, strict=True) for rows in answers
            ]
            chances = [[number(x, p) for x in row.strip("[]").split(", ")] for row in rows]
            known[world] = [prod(one) for one in product(*chances)]
        for a, b in product(known, repeat=2):
            gaps = [abs(x - y) for x, y in zip(a, b, strict=True)]
            if a != b and CHECKS[self.asked][1](sum(map(bool, gaps)), sum(gaps)):
                alpha = level ** (sum(gaps) if self.asked == "metric" else 1)
                pairs = zip(known[a], known[b], strict=True)
                if sum(max(Fraction(0), x - alpha * y) for x, y in pairs) > delta:
                    return False
        return True


@pytest.mark.parametrize("asked", CHECKS)
@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_definition(asked: str, seed: int, tmp_path: Path) -> None:
    random, path = Random(f"local {asked} {seed}"), tmp_path / "drawn.yaml"
    drawn = Drawn.by(random, asked)
    path.write_text(drawn.text)
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None and not answer.curve.undecided
    for x in values(answer, random):
        assert answer.curve.region.has(x) == drawn.holds(x), x
    if seed < 8:
        same_everywhere(path, random, confirm)


SURVEY = """
parameters: {p: DOMAIN}
worlds: {records: 1000, domain: [0, 2, 7/2]}
mechanism: {local: {randomized_response: {truth: p}}}
checks: [CHECK]
"""


def survey(path: Path, check: str, domain: str = "1/3 < p < 1") -> Any:
    """The answer about a thousand people who tell one of three numbers."""
    return one(path, SURVEY.replace("CHECK", check).replace("DOMAIN", domain))


def test_a_level_by_distance(tmp_path: Path) -> None:
    """The ratio is 2p/(1 − p) at all distances, and 2 and 7/2 are nearest; the level 2 is enough as
    long as its square is at most 2³, so up to p = 2 − √2."""
    found = survey(tmp_path / "a.yaml", "metric_privacy: {exp_epsilon: 2, distance: l1}")
    (stretch,) = functions(found)
    assert stretch == ("(4*p^2/(1 - 2*p + p^2))^(1/3)", "1/3 < p < 1")
    (held,) = found.curve.region.intervals
    assert held.high.polynomial == (2, -4, 1)


def test_what_is_impossible(tmp_path: Path) -> None:
    """Below 1/3 another answer is the likelier one. Where all tell the truth no level serves, but
    with a delta of 1."""
    check = "differential_privacy: {exp_epsilon: 16, group: 2}"
    below, middle, above = functions(survey(tmp_path / "a.yaml", check, "0 < p <= 1"))
    assert below == ("(1 - 2*p + p^2)/(4*p^2)", "0 < p <= 1/3")
    assert middle == ("4*p^2/(1 - 2*p + p^2)", "1/3 < p < 1")
    assert above == ("infinite", "p = 1")
    check = "differential_privacy: {exp_epsilon: 16, delta: p}"
    assert functions(survey(tmp_path / "a.yaml", check, "1/3 < p <= 1"))[-1][0] == "1"


def test_a_level_that_is_a_function(tmp_path: Path) -> None:
    check = "differential_privacy: {exp_epsilon: 2*p/(1-p)}"
    assert survey(tmp_path / "a.yaml", check).verdict == "holds"
    found = survey(
        tmp_path / "a.yaml", "pufferfish: {exp_epsilon: 1 + p, pairs: values, priors: product}"
    )
    assert found.curve.region.told("p") == "1/3 < p <= 0.414213562373"  # 2p <= 1 − p²


def test_what_is_seen_to_be_local(tmp_path: Path) -> None:
    """Twelve bits are told by channels, in place of a matrix over 4,096 worlds."""
    text = """
parameters: {p: 1/2 < p < 1}
worlds: {records: 12, domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{differential_privacy: {exp_epsilon: 9, group: 2}}]
"""
    found = one(tmp_path / "a.yaml", text)
    assert functions(found) == [("p^2/(1 - 2*p + p^2)", "1/2 < p < 1")]
    assert opened(found.certificate)["relation"]["kind"] == "local"
