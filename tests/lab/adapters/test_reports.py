"""Reports about a value: their levels by hand, and the installed libraries."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import verifier
from verifier.base.errors import InputError
from verifier.base.exact import number
from verifier.lab.adapters import Adapted, Claim, adapted, built, reports
from verifier.lab.adapters.sampled import agreement

HALF = Fraction(1, 2)


def of(law: reports.Law, count: int = 3) -> Adapted:
    return reports.adapted("a report", count, law, Claim.of(1), lambda value: value)


@pytest.mark.parametrize(
    ("law", "count", "level"),
    [
        (reports.response(HALF), 3, "exp(1/2)"),
        (reports.unary("3/4", "1/4"), 3, "9"),
        (reports.unary("1/2", "1/(exp(1) + 1)"), 2, "e"),
        (reports.subset(Fraction(1), lambda _: 1), 3, "e"),  # as k-ary response
        (reports.subset(Fraction(1), lambda _: 2), 5, "infinite"),  # the truth comes first
    ],
)
def test_levels_by_hand(law: reports.Law, count: int, level: str) -> None:
    found = of(law, count)
    for row in zip(*found.mechanism.rows(), strict=True):
        assert sum(row) == 1
    answer = verifier.decide(found.question())
    expected = None if level == "infinite" else number(level)
    assert answer.leakage is not None and answer.leakage.exp_epsilon == expected


def test_names_of_outputs() -> None:
    assert [reports.output_name(one) for one in (2.0, [1.0, 0.0], (3,))] == ["2", "(1, 0)", "(3)"]


@pytest.mark.parametrize("count", [1, 7])
def test_too_few_or_too_many_values(count: int) -> None:
    with pytest.raises(InputError, match=f"2 to 6 values are known here, found {count}"):
        of(reports.response(HALF), count)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("target", "arguments", "verdict"),
    [
        ("pure_ldp.DEClient", {"epsilon": "1", "d": "3"}, "holds"),
        ("pure_ldp.UEClient", {"epsilon": "1", "d": "3"}, "holds"),
        ("multi_freq_ldpy.GRR_Client", {"epsilon": "1", "k": "3"}, "holds"),
        ("multi_freq_ldpy.UE_Client", {"epsilon": "1", "k": "3"}, "holds"),
        ("multi_freq_ldpy.SS_Client", {"epsilon": "1", "k": "4"}, "holds"),  # one of four
        ("multi_freq_ldpy.SS_Client", {"epsilon": "1", "k": "6"}, "violated"),  # two of six
    ],
)
def test_what_the_libraries_release(target: str, arguments: dict[str, str], verdict: str) -> None:
    pytest.importorskip(target.partition(".")[0])
    found = built(target, arguments)
    assert agreement(found).startswith("drawn: ")
    assert verifier.decide(found.question()).verdict == verdict


@pytest.mark.oracle
def test_a_bit_that_is_set_is_never_cleared() -> None:
    pytest.importorskip("pure_ldp")
    with pytest.raises(InputError, match="S123"):
        agreement(built("pure_ldp.RAPPORClient", {"f": "0.5", "d": "2"}))


@pytest.mark.oracle
def test_other_clients_are_errors() -> None:
    oracles: Any = pytest.importorskip("pure_ldp.frequency_oracles")
    with pytest.raises(InputError, match="'HEClient' are not known"):
        adapted(oracles.HEClient(1.0, 3))
    with pytest.raises(InputError, match="are its own values"):
        adapted(oracles.DEClient(1.0, 3), values=[0, 1])
