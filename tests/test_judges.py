"""The plain judges of certificates tell a false claim from a true one."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import mechanism_model
from tests.harden.claims import bases
from tests.harden.envelope import Parts

pytestmark = pytest.mark.oracle
CROWDS = ("boxes", "local", "network", "quilts")
LEVELED = (*CROWDS, "parameters", "pieces", "region")
TINY = Fraction(1, 10**30)


def said(parts: Parts) -> bool | None:
    from tests.harden.oracle import is_true

    return is_true(parts.claim, parts.model, parts.relation)


@pytest.mark.parametrize("kind", LEVELED)
def test_true_ones_and_the_other_verdict(kind: str) -> None:
    for parts in bases()[kind][:2]:
        assert said(parts) is True
        other = deepcopy(parts)
        other.claim["verdict"] = {"holds": "violated", "violated": "holds"}[parts.claim["verdict"]]
        assert said(other) is not True


@pytest.mark.parametrize("kind", CROWDS)
def test_another_leakage(kind: str) -> None:
    exact = [p for p in bases()[kind] if "exp_epsilon" in (p.claim["leakage"] or ())]
    assert exact
    for parts in exact[:2]:
        for more in (TINY, -TINY):
            other = deepcopy(parts)
            level = Fraction(parts.claim["leakage"]["exp_epsilon"]) + more
            other.claim["leakage"]["exp_epsilon"] = str(level)
            assert not said(other)


def with_rational_ends(kind: str) -> list[Parts]:
    """Certificates whose region ends inside the domain, at a rational number."""
    return [
        parts
        for parts in bases()[kind]
        if any("rational" in end and end != parts.relation[key] for _, key, end in ends(parts))
    ]


def ends(parts: Parts) -> list[tuple[Any, str, Any]]:
    return [(one, key, one[key]) for one in parts.claim["region"] for key in ("from", "to")]


@pytest.mark.parametrize("kind", ["pieces", "region"])
@pytest.mark.parametrize("more", [None, TINY, -TINY])
def test_another_region(kind: str, more: Fraction | None) -> None:
    """An end that is elsewhere, or closed where it is open."""
    chosen = with_rational_ends(kind)
    assert chosen
    for parts in chosen[:2]:
        other = deepcopy(parts)
        end = next(e for _, k, e in ends(other) if "rational" in e and e != other.relation[k])
        if more is None:
            end["closed"] = not end["closed"]
        else:
            end["rational"] = str(Fraction(end["rational"]) + more)
        assert said(other) is False


@pytest.mark.parametrize("kind", ["pieces", "region"])
def test_pieces_that_do_not_cover_the_domain(kind: str) -> None:
    for parts in with_rational_ends(kind)[:2]:
        for at in range(len(parts.claim["pieces"])):
            other = deepcopy(parts)
            del other.claim["pieces"][at]
            assert said(other) is False


def test_an_interval_with_two_roots_or_none() -> None:
    from tests.harden.oracle.parametric import end
    from tests.harden.oracle.reading import Wrong

    def at(low: str, high: str, *polynomial: int) -> Any:
        stated = {"polynomial": list(map(str, polynomial)), "between": [low, high]}
        return end({**stated, "closed": True})

    low, high, closed = at("1", "2", -2, 0, 1)
    assert closed and low**2 < 2 < high**2 and high - low < TINY
    assert at("1", "2", -3, 2)[:2] == (Fraction(3, 2), Fraction(3, 2))
    for wrong in (
        ("-2", "2", -2, 0, 1),
        ("3", "4", -2, 0, 1),
        ("2", "1", -2, 0, 1),
        ("0", "2", -1, 3, -3, 1),  # a root three times
        ("0", "3", -6, 11, -6, 1),  # three roots, and another sign at both ends
    ):
        with pytest.raises(Wrong):
            at(*wrong[:2], *wrong[2:])


def test_a_violation_at_the_only_value_that_conditions_leave() -> None:
    """Where the bit is told wrongly with 1/4 the ratio is 3, and 2 is asked."""
    from tests.checker.drafts import sealed
    from tests.checker.test_parameters import ISOLATED
    from tests.harden.envelope import opened

    for verdict in ("holds", "violated"):
        parts = opened(sealed(ISOLATED))
        parts.claim["verdict"] = verdict
        assert said(parts) is (verdict == "violated")


def test_chains_that_make_different_worlds_possible() -> None:
    """After 0 there is 1, and after 1 either: of s only 01 is possible, of t always 10 and 11.
    Outputs 0 and 1 need 4^b and 4^(1 - b), so that 2 is the least level, at b = 1/2."""
    rows = [["1/4", "1/16", "11/16"], ["1/4", "1/4", "1/2"], ["1/16", "1/4", "11/16"]]
    model = mechanism_model(dict(zip("abcd", [*rows, rows[0]], strict=True)))
    model |= {"records": [[0, 0], [0, 1], [1, 0], [1, 1]], "entries_per_record": 1}
    wide, after_0 = ["0", "1"], [["0", "0"], ["1/2", "1"]]
    chains = {"values": [[0], [1]], "initial": [wide, wide]}
    chains |= {"transition": [after_0, [["1/4", "1"], ["1/4", "1/2"]]]}
    relation = {"rule": "secrets", "secrets": {"s": [0, 1], "t": [2, 3]}, "pairs": [["s", "t"]]}
    relation |= {"priors": {"class": "markov", **chains}}
    claim = {"kind": "composition", "level": {"exp_epsilon": "2", "delta": "0"}}
    for level, verdict in (("2", True), ("4", False), ("3/2", False)):
        said_so = {**claim, "verdict": "holds", "leakage": {"exp_epsilon": level}}
        assert said(Parts(said_so, model, relation, {})) is verdict
