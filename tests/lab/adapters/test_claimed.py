"""What is said of a library's mechanism, without any library."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

import verifier
from verifier.base.errors import InputError, LibraryMissing
from verifier.lab.adapters import Adapted, Claim, adapted, built, library
from verifier.lab.adapters.claimed import ALL, table
from verifier.testing import assert_private
from verifier.world.worlds import named

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
LAWS = {
    "a: 1": {"x": HALF, "y": HALF},
    "b\"'": {"x": THIRD, "z": 2 * THIRD},
    "c": {"x": Fraction(1)},
}
NAMES = tuple(LAWS)


def toy(claim: Claim) -> Adapted:
    """Three inputs; the first two share x, at 1/2 and 1/3."""
    return Adapted("toy 1: 'it'", NAMES, table(named(NAMES), LAWS), "all", claim, ALL)


def test_the_matrix_and_the_file_say_the_same(tmp_path: Path) -> None:
    """y has 1/2, 0, 0; z has 0, 2/3, 0: from c to b x falls by 2/3, so δ at ε = 0 is 2/3."""
    exact = toy(Claim.of(0, "2/3"))
    assert list(exact.mechanism.rows()) == [[HALF, THIRD, 1], [HALF, 0, 0], [0, 2 * THIRD, 0]]
    path = tmp_path / "toy.yaml"
    for claim, verdict in ((Claim.of(0, "2/3"), "holds"), (Claim.of("1/9", "3/5"), "violated")):
        one = toy(claim)
        path.write_text(one.spec(), encoding="utf-8")
        (result,) = verifier.check(path).results
        assert result.verdict == verdict == verifier.decide(one.question()).verdict
        assert result.question is not None
        assert result.content == one.question().stated().content


def test_whole_numbers_are_values_of_a_record() -> None:
    geometric = {"geometric": {"query": "x", "exp_epsilon": 2}}
    noisy = Adapted("toy", (-1, 0, 1), geometric, {"l1": 1}, Claim.of("7/10"), "three")
    answer = verifier.decide(noisy.question())
    assert answer.verdict == "holds" and answer.leakage is not None
    assert answer.leakage.exp_epsilon == 2


def test_the_margin_by_hand() -> None:
    """At ε = 0 the largest δ is 2/3; with δ = 2/3 no ε is needed, with less none serves."""
    assert toy(Claim.of(0)).margin() == "at ε = 0 the smallest δ is 0.666667; at δ = 0 no ε serves"
    said = Adapted(
        "", (0, 1), {"randomized_response": {"truth": "3/4"}}, "all", Claim.of(1), ALL
    ).margin()
    assert said.startswith("at ε = 1 the smallest δ is 0.0704")  # 3/4 - e/4
    assert said.endswith("; at δ = 0 the smallest ε is 0.0986 above the claim")  # ln 3 - 1


def test_a_claim_may_be_asserted() -> None:
    assert assert_private(toy(Claim.of(0)), Claim.of(0, "2/3")).verdict == "holds"
    with pytest.raises(AssertionError, match="violated"):
        assert_private(toy(Claim.of(0)))


def test_a_claim_of_nothing() -> None:
    assert Claim.of_floats(0.1).epsilon == Fraction(3602879701896397, 36028797018963968)
    for epsilon in (float("inf"), float("nan")):
        with pytest.raises(InputError, match="S121"):
            Claim.of_floats(epsilon)


def test_other_objects_are_errors() -> None:
    with pytest.raises(InputError, match="'list' is no mechanism of diffprivlib, "):
        adapted([])


@pytest.mark.parametrize(
    "name", ["diffprivlib.mechanisms.Binary", "opendp.measurements.make_laplace"]
)
def test_a_library_that_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = name.partition(".")[0]
    for module in (first, "diffprivlib.mechanisms", "opendp.prelude"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LibraryMissing, match=rf"pip install 'privacy-verifier\[{first}\]'"):
        built(name, {})


def test_a_library_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As diffprivlib 0.6.6 beside scikit-learn 1.9."""
    for module in [name for name in sys.modules if name.startswith("diffprivlib")]:
        monkeypatch.delitem(sys.modules, module)
    (tmp_path / "diffprivlib.py").write_text("from json import DOUBLE\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        LibraryMissing, match=r"scikit-learn before 1.9.*cannot import name 'DOUBLE'"
    ):
        library("diffprivlib")
