"""Certificates of kind "runs" of drawn mechanisms that take turns, filled in by brute force."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.test_runs import certificate, collapse

Json = Any
ZERO, ONE, GAP = Fraction(0), Fraction(1), Fraction(1, 10**30)
HALVES = [(0, 2), (1, 1), (2, 0), (1, 1), (1, 3)]


class Drawn:
    """Three or four worlds, one or two steps of two outputs with many zeros, one prior."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.size = random.choice([3, 3, 4])
        self.steps = [[0, 1], [2, 3]][: random.choice([1, 2, 2])]
        self.chance = [
            [
                Fraction(x, sum(row))
                for _ in self.steps
                for row in [random.choice(HALVES)]
                for x in row
            ]
            for _ in range(self.size)
        ]
        weights = [random.choice([1, 1, 2, 3]) for _ in range(self.size)]
        self.prior = [Fraction(x, sum(weights)) for x in weights]
        self.secrets = {
            "s": [0],
            "t": list(range(1, random.choice([2, self.size]) + 1))[: self.size - 1],
        }

    def outputs(self, runs: int) -> Any:
        return product(*(self.steps[k % len(self.steps)] for k in range(runs)))

    def likely(self, world: int, outputs: Any) -> Fraction:
        found = ONE
        for o in outputs:
            found *= self.chance[world][o]
        return found

    def known(self, outputs: Any, pair: Any) -> bool:
        left = {w for w in range(self.size) if self.likely(w, outputs)}
        if pair is None:
            return len(left) == 1
        return bool(left & set(self.secrets["s"])) != bool(left & set(self.secrets["t"]))

    def worlds(self, pair: Any) -> list[int]:
        return list(range(self.size)) if pair is None else [*self.secrets["s"], *self.secrets["t"]]

    def mean(self, numbers: list[Any], pair: Any) -> Json:
        weights = [self.prior[w] for w in self.worlds(pair)]
        average = sum(x * p for x, p in zip(numbers, weights, strict=True)) / sum(weights)
        return {"worlds": list(map(str, numbers)), "average": str(average)}

    def certain(self, runs: int, pair: Any) -> Json:
        sure = [outputs for outputs in self.outputs(runs) if self.known(outputs, pair)]
        numbers = [sum((self.likely(w, x) for x in sure), ZERO) for w in self.worlds(pair)]
        return self.mean(numbers, pair)

    def fewest(self, pair: Any, most: int) -> Json:
        for runs in range(most + 1):
            for outputs in self.outputs(runs):
                if self.known(outputs, pair) and any(
                    self.likely(w, outputs) for w in range(self.size)
                ):
                    return {"outputs": list(outputs)}
        return {}

    def ratio(self, pair: Any, outputs: Any) -> tuple[Fraction, Fraction]:
        sides = [self.secrets[name] for name in pair]
        p, q = (
            sum((self.prior[w] * self.likely(w, outputs) for w in side), ZERO)
            / sum(self.prior[w] for w in side)
            for side in sides
        )
        return p, q

    def row(self, runs: int) -> tuple[Json, Json]:
        """The level of so many runs, and a witness."""
        best, witness = ONE, None
        for outputs in self.outputs(runs):
            for pair in (["s", "t"], ["t", "s"]):
                p, q = self.ratio(pair, outputs)
                about = {"prior": 0, "pair": pair, "outputs": list(outputs)}
                if p and not q:
                    return {"infinite": True}, about
                if q and p / q > best:
                    best, witness = p / q, about
        return {"exp_epsilon": str(best)}, witness


def made(drawn: Drawn, runs: int = 4) -> Json:
    rows, witnesses = zip(*(drawn.row(k + 1) for k in range(runs)), strict=True)
    certainty = [
        {
            "prior": 0,
            "pair": pair,
            "fewest": drawn.fewest(pair, 7),
            "probability": [drawn.certain(k + 1, pair) for k in range(runs)],
            "expected": None,
        }
        for pair in (None, ["s", "t"])
    ]
    share = Fraction(1, len(drawn.steps))
    return certificate(
        {f"w{w}": [str(p * share) for p in row] for w, row in enumerate(drawn.chance)},
        drawn.secrets,
        [list(map(str, drawn.prior))],
        {
            "steps": drawn.steps,
            "alone": [],
            "rows": list(rows),
            "certainty": certainty,
            "trajectories": [],
        },
        {"alone": [], "rows": list(witnesses)},
    )


@pytest.mark.parametrize("seed", range(20))
def test_drawn_runs(seed: int) -> None:
    document = made(Drawn(seed))
    assert check(document).outcome == "accepted", check(document)
    for entry in document["claim"]["certainty"]:
        for row in entry["probability"]:
            for numbers, at in [(row["worlds"], k) for k in range(len(row["worlds"]))] + [
                (row, "average")
            ]:
                right = numbers[at]
                numbers[at] = str(Fraction(right) + GAP)
                assert check(document).outcome == "rejected", (row, at)
                numbers[at] = right
        right = entry["fewest"]
        longer = [*right.get("outputs", ()), *document["claim"]["steps"][0]]
        for wrong in ({"outputs": longer}, {} if right else {"outputs": []}):
            entry["fewest"] = wrong
            assert check(document).outcome != "accepted", wrong
        entry["fewest"] = None
        assert check(document).outcome == "accepted"
        entry["fewest"] = right


def expecting(columns: Json, steps: Json, numbers: list[str], average: str) -> str:
    size = len(columns)
    prior = [str(Fraction(1, size))] * size
    entry = {
        "prior": 0,
        "pair": None,
        "fewest": None,
        "probability": [],
        "expected": {"worlds": numbers, "average": average},
    }
    claim = {"steps": steps, "alone": [], "rows": [], "certainty": [entry], "trajectories": []}
    secrets = {"s": [0], "t": [1]}
    return check(certificate(columns, secrets, [prior], claim, {"alone": [], "rows": []})).outcome


def test_how_long_it_takes() -> None:
    """World a says x, or what all say; b and c say only that. From a it takes 1/p runs, from the
    others for ever."""
    three = {"a": ["1/3", "2/3"], "b": ["0", "1"], "c": ["0", "1"]}
    endless = ["3", "infinite", "infinite"]
    assert expecting(three, [[0, 1]], endless, "infinite") == "accepted"
    for wrong in (["2", *endless[1:]], ["3", "3", "infinite"], ["infinite"] * 3):
        assert expecting(three, [[0, 1]], wrong, "infinite") == "rejected"
    assert expecting(three, [[0, 1]], endless, "3") == "rejected"


def test_two_steps_of_which_one_tells() -> None:
    """The first step says nothing, the second one tells with 1/3: from either world 2 runs each of
    3 rounds, and the last of them is the second."""
    both = {"a": ["1/2", "0", "1/6", "0", "1/3"], "b": ["1/2", "0", "0", "1/6", "1/3"]}
    both = {name: [*row[:1], *row[2:]] for name, row in both.items()}
    assert expecting(both, [[0], [1, 2, 3]], ["6", "6"], "6") == "accepted"
    assert expecting(both, [[1, 2, 3], [0]], ["5", "5"], "5") == "accepted"
    for wrong in ("3", "5", "7"):
        assert expecting(both, [[0], [1, 2, 3]], [wrong, wrong], wrong) == "rejected"
    three = [[0], [1], [2, 3, 4]]  # two steps that say nothing
    rows = {
        "a": ["1/3", "1/3", "1/9", "0", "2/9"],
        "b": ["1/3", "1/3", "0", "1/9", "2/9"],
    }
    assert expecting(rows, three, ["9", "9"], "9") == "accepted"
    assert expecting(rows, three, ["8", "8"], "8") == "rejected"


@pytest.mark.parametrize("outputs", [[0, 3], [1, 2]])
def test_what_no_world_gives_is_not_certain(outputs: list[int]) -> None:
    """No world has both outputs; no run of one output is certain either."""
    document = collapse()
    document["claim"]["certainty"][0]["fewest"] = {"outputs": [0, 1]}
    assert check(document).outcome == "accepted"
    document["claim"]["certainty"][0]["fewest"] = {"outputs": outputs}
    assert check(document).outcome == "rejected"
