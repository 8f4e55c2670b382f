"""Mechanisms that answer every record by itself: the matrix is the product of the channels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import verifier
from verifier.base.errors import InputError, LimitReached
from verifier.mechanisms import mechanism_of
from verifier.mechanisms.local import matrix_of
from verifier.run import verify
from verifier.spec import reading
from verifier.world.local import Channel, LocalMechanism, repeated, together, values_of
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import database, exchangeable, named

TWO = database(["ann", "bob"], [0, 1])
FLU = {"table": {"outputs": ["ill", "well"], "flu": ["2/3", "1/3"], "none": ["1/7", "6/7"]}}


def test_the_matrix_is_the_product_of_the_channels() -> None:
    space = database(["ann", "bob"], ["flu", "none"])
    other = {"deterministic": "record"}
    made = mechanism_of(space, {"local": [FLU, other]})
    flu = {"flu": (Fraction(2, 3), Fraction(1, 3)), "none": (Fraction(1, 7), Fraction(6, 7))}
    expected = {
        f"({said}, {heard})": [
            flu[a][at] * (b == heard) for a, b in product(("flu", "none"), repeat=2)
        ]
        for at, said in enumerate(("ill", "well"))
        for heard in ("flu", "none")
    }
    assert dict(zip(made.outputs, made.rows(), strict=True)) == expected


def test_randomized_response_is_local() -> None:
    for domain in ([0, 1], ["a", "bc", "d"], {"x": [0, 1], "y": ["u", "v", "w"]}):
        space = database(["ann", "bob"], domain)  # type: ignore[arg-type]
        response = {"randomized_response": {"truth": "3/5", "per": "record"}}
        whole, local = mechanism_of(space, response), mechanism_of(space, {"local": response})
        assert list(whole.rows()) == list(local.rows())
        assert whole.outputs == local.outputs


def test_an_absent_record_has_a_row_of_its_own() -> None:
    space = database(["ann", "bob"], [0, 1], absent=True)
    table = {"outputs": ["x", "-"], "0": ["1/2", "1/2"], "1": [1, 0], "⊥": [0, 1]}
    made = mechanism_of(space, {"local": {"table": table}})
    world, output = space.index("0⊥"), made.outputs.index("x-")
    assert world is not None and made.probability(output, world) == Fraction(1, 2)


def test_one_record_is_named_like_its_values() -> None:
    assert values_of(database(["ann", "bob"], ["flu", "none"])).names(range(2)) == ["flu", "none"]
    assert values_of(named(["sun", "rain"])).names(range(2)) == ["sun", "rain"]


def test_equal_channels_are_shared_and_equal_answers_counted() -> None:
    bit = Mechanism.from_rows("01", [["3/4", "1/4"], ["1/4", "3/4"]])
    flat = Mechanism.from_rows("01", [["1/2", "1/2"], ["1/2", "1/2"]])
    ways = [Channel.of(bit, flat), Channel.of(flat), Channel.of(flat, bit)]
    made = LocalMechanism.of(values_of(TWO), ("a", "b", "c"), ways)
    assert made.chosen == (0, 1, 0) and made.users(0) == (0, 2)
    assert [runs for _, runs in Channel.of(bit, flat, bit).answers] == [2, 1]
    twice, both = repeated(made, 2), together([made, made])
    assert [c.key for c in twice.channels] == [c.key for c in both.channels]


def test_several_answers_as_one_matrix() -> None:
    bit = Mechanism.from_rows("01", [["3/4", "1/4"], ["1/4", "3/4"]])
    made = matrix_of(Channel.of(bit, bit))
    assert sorted(map(tuple, made.rows())) == sorted(
        [
            (Fraction(9, 16), Fraction(1, 16)),
            (Fraction(3, 8), Fraction(3, 8)),
            (Fraction(1, 16), Fraction(9, 16)),
        ]
    )
    with pytest.raises(LimitReached):
        matrix_of(Channel(((bit, 1), (Mechanism.from_rows("ab", [[1, 0], [0, 1]]), 2**20))))


@pytest.mark.parametrize(
    ("space", "local"),
    [
        (TWO, [FLU]),
        (TWO, "once"),
        (TWO, ["once", "once"]),
        (database(["ann", "bob"], [0, 1], where=["ann <= bob"]), {"deterministic": "record"}),
        (exchangeable(3, [0, 1]), {"deterministic": "1"}),
    ],
)
def test_bad_input(space: object, local: object) -> None:
    with pytest.raises(InputError) as caught:
        mechanism_of(space, {"local": local})  # type: ignore[arg-type, dict-item]
    assert caught.value.code == "S114" and caught.value.hint


HISTOGRAM = """
worlds: {records: 4, domain: [0, 1]}
mechanism:
  program: |
    out = []
    for i in range(4):
        out.append(max(-1, min(2, round(world[CELL] + draw(laplace(0, 1))))))
    return out
checks:
  - differential_privacy: {epsilon: 1}
    leakage: e
  - {differential_privacy: {epsilon: 2, group: 2}, leakage: e^2}
"""


@pytest.mark.parametrize("cell", ["i", "3 - i"])
def test_parts_about_one_record_each_are_its_channel(tmp_path: Path, cell: str) -> None:
    """The Laplace mechanism on counts of sensitivity 1: e for each record that changes."""
    path = tmp_path / "spec.yaml"
    path.write_text(HISTOGRAM.replace("CELL", cell), encoding="utf-8")
    report = verifier.check(str(path))
    assert [result.status for result in report.results] == ["ok", "ok"]


def test_a_part_about_two_records_leaves_the_matrix(tmp_path: Path) -> None:
    text = HISTOGRAM.replace("world[CELL]", "world[i] * world[0]").replace("range(4)", "range(3)")
    path = tmp_path / "spec.yaml"
    path.write_text(
        text.replace("    leakage: e\n", "").replace(", leakage: e^2", ""), encoding="utf-8"
    )
    told = verifier.load(str(path)).questions[0].question
    assert told.local is None and told.mechanism is not None


@pytest.mark.parametrize(
    "said",
    [
        "[q + draw(laplace(0, 2)) for q in world]",
        "[r1 + draw(laplace(0, 1)), draw(exponential(3)) + r2 / 2, r1 - draw(laplace(0, 3))]",
        "[2 * r2 + draw(laplace(0, 2)), draw(bernoulli((1 + r1) / 7)), r2 + draw(laplace(0, 5))]",
    ],
)
def test_parts_are_what_the_whole_is(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real numbers part by part, and in one matrix of all cells, as with delta."""
    path = tmp_path / "spec.yaml"
    path.write_text(
        f"worlds: {{records: 2, domain: [0, 1, 3]}}\nmechanism: {{program: 'return {said}'}}\n"
        "checks:\n  - differential_privacy: {epsilon: 2}\n"
        "  - differential_privacy: {epsilon: 2, delta: 1/10}\n"
    )
    monkeypatch.setattr("verifier.spec.model.FEW", 0)
    found = []
    for most in (0, 10**9):
        monkeypatch.setattr("verifier.mechanisms.local.MANY_DRAWN", most)
        _, (pure, cut) = reading.load(str(path), False)
        asked = verify.asked(pure)
        assert (asked.local is not None) == (most == 0)
        assert cut.channels(parts=True) is None
        found.append(verify.decide(asked))
    one, other = found
    assert (one.verdict, one.leakage) == (other.verdict, other.leakage)
