"""Universally composable priors: the theorem by brute force, and mechanisms that do not compose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import drawn
from tests.definitions.drawn import decide
from tests.drawing import examples
from verifier.base.errors import InputError, NotDecided
from verifier.claims.answer import Answer
from verifier.definitions import universally_composable
from verifier.report.witnesses import as_json, text

EXAMPLES = examples(60)
F = Fraction
WORLDS = [f"w{k}" for k in range(5)]
Pair = tuple[set[int], set[int]]
Setting = tuple[list[Pair], list[list[Fraction]]]


@st.composite
def settings_of(draw: st.DrawFn) -> Setting:
    """One or two pairs of secrets, and one or two priors, often on few worlds."""
    pairs = []
    for _ in range(draw(st.integers(1, 2))):
        side = [draw(st.integers(0, 2)) for _ in WORLDS]
        pair = tuple({w for w in range(5) if side[w] == k} for k in (0, 1))
        assume(all(pair))
        pairs.append((pair[0], pair[1]))
    priors = []
    for _ in range(draw(st.integers(1, 2))):
        few = draw(st.sets(st.integers(0, 4), min_size=2, max_size=4))
        weights = draw(drawn.distributions(len(few)))
        priors.append([F(0)] * 5)
        for world, weight in zip(sorted(few), weights, strict=True):
            priors[-1][world] = weight
    for s, t in pairs:
        assume(any(mass(prior, s) and mass(prior, t) for prior in priors))
    return pairs, priors


def mass(prior: Sequence[Fraction], secret: set[int]) -> Fraction:
    return sum((prior[w] for w in secret), F(0))


def spec(setting: Setting, kind: str) -> dict[str, Any]:
    pairs, priors = setting
    secrets = {
        f"s{k}{i}": [WORLDS[w] for w in sorted(side)]
        for k, p in enumerate(pairs)
        for i, side in enumerate(p)
    }
    given = [{"worlds": {WORLDS[w]: str(p) for w, p in enumerate(prior) if p}} for prior in priors]
    options = {"pairs": [[f"s{k}0", f"s{k}1"] for k in range(len(pairs))], "priors": {kind: given}}
    return {"worlds": WORLDS, "secrets": secrets, "checks": [{"universally_composable": options}]}


def is_single(priors: Sequence[Sequence[Fraction]], pairs: Sequence[Pair]) -> bool:
    """The condition of the theorem."""
    for prior in priors:
        for pair in pairs:
            possible = [[w for w in side if prior[w]] for side in pair]
            if all(possible) and any(len(worlds) != 1 for worlds in possible):
                return False
    return True


def mixtures(priors: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """A mixture of every set of priors: all supports that mixtures have."""
    return [
        [sum(weights) / size for weights in zip(*some, strict=True)]
        for size in range(1, len(priors) + 1)
        for some in combinations(priors, size)
    ]


def leakage(rows: Sequence[Sequence[Fraction]], setting: Setting) -> Fraction | None:
    """The largest ratio of conditional probabilities, None for infinite."""
    worst = F(1)
    for prior in setting[1]:
        for pair in setting[0]:
            for s, t in (pair, pair[::-1]):
                if mass(prior, s) and mass(prior, t):
                    for row in rows:
                        p, q = (
                            sum((prior[w] * row[w] for w in side), F(0)) / mass(prior, side)
                            for side in (s, t)
                        )
                        if p and not q:
                            return None
                        worst = max(worst, p / q) if q else worst
    return worst


def proofs(setting: Setting) -> list[list[list[Fraction]]]:
    """The mechanism of the proof for every prior, secret and possible world of it."""
    found = []
    for prior in setting[1]:
        for pair in setting[0]:
            for s, t in (pair, pair[::-1]):
                possible = [w for w in s if prior[w]]
                for star in possible if len(possible) > 1 and mass(prior, t) else ():
                    yes = [F(w == star) if w in s else F(1, 2) for w in range(5)]
                    found.append([yes, [1 - p for p in yes]])
    return found


def twice(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [[p * q for p, q in zip(x, y, strict=True)] for x in rows for y in rows]


@EXAMPLES
@given(settings_of(), st.sampled_from(["list", "hull"]))
def test_the_theorem_and_its_mechanisms(setting: Setting, kind: str) -> None:
    pairs, priors = setting
    members = mixtures(priors) if kind == "hull" else priors
    single = is_single(members, pairs)
    assert single == (universally_composable.value(members, pairs) <= 1)
    try:
        answer = decide(spec(setting, kind))
    except NotDecided as reason:
        assert not single
        if kind == "list":
            levels = [leakage(rows, setting) for rows in proofs(setting)]
            assert levels and all(level is None for level in levels)
        alone = [
            k
            for k, p in enumerate(priors)
            for rows in proofs((pairs, [p]))
            if leakage(rows, (pairs, [p]))
        ]
        assert ("alone" in str(reason)) == bool(alone)
        return
    assert answer.verdict == ("holds" if single else "violated")
    if not single:
        confirm(answer, setting, kind)
    refused(answer)


def confirm(answer: Answer, setting: Setting, kind: str) -> None:
    """The mechanism of a witness leaks a finite amount once, without bound twice."""
    assert answer.certificate is not None and answer.witness is not None
    model = opened(answer.certificate)["model"]
    rows = [[F(model["values"][column[o]]) for column in model["columns"]] for o in (0, 1)]
    assert rows in proofs(setting)
    once = F(as_json(answer.witness)["leakage"])
    found = leakage(rows, setting)
    assert found is not None and (found == once if kind == "list" else found <= once)
    assert leakage(twice(rows), setting) is None
    assert as_json(answer.witness)["probabilities"] == ["0", "1/4"]
    if kind == "hull":
        for weight in (F(1, 10**6), F(1, 3), 1 - F(1, 10**6)):
            mixed = [
                weight * p + (1 - weight) * q
                for p, q in zip(setting[1][0], setting[1][-1], strict=True)
            ]
            between = leakage(rows, (setting[0], [mixed]))
            assert between is not None and between <= once


def refused(answer: Answer) -> None:
    """Broken siblings of the certificate."""
    assert answer.certificate is not None
    made = opened(answer.certificate)
    other = {"holds": "violated", "violated": "holds"}[answer.verdict]
    evidence = made["evidence"]["witness"]
    broken: list[dict[str, Any]] = [{"claim": {**made["claim"], "verdict": other}}]
    if evidence:
        level = {"one_run": str(F(made["claim"]["one_run"]) + 1)}
        broken.append({"claim": {**made["claim"], **level}})
        broken.append({"evidence": {"witness": None}})
        for change in ({"pair": evidence["pair"][::-1]}, {"outputs": [0, 0]}, {"outputs": [0]}):
            broken.append({"evidence": {"witness": {**evidence, **change}}})
    else:
        broken.append(
            {"evidence": {"witness": {"prior": 0, "pair": ["s00", "s01"], "outputs": [0, 1]}}}
        )
    for change in broken:
        assert check({**made, **change}).outcome != "accepted"


@EXAMPLES
@given(settings_of(), drawn.matrices(5), drawn.matrices(5))
def test_corollary_9_4(setting: Setting, first: list[list[F]], second: list[list[F]]) -> None:
    """Where the condition is met, the levels of two mechanisms multiply."""
    pairs, priors = setting
    kept = [prior for prior in priors if is_single([prior], pairs)]
    rows = [list(zip(*columns, strict=True)) for columns in (first, second)]
    levels = [leakage(mechanism, (pairs, kept)) for mechanism in rows]
    both = [[p * q for p, q in zip(x, y, strict=True)] for x in rows[0] for y in rows[1]]
    if levels[0] is not None and levels[1] is not None:
        together = leakage(both, (pairs, kept))
        assert together is not None and together <= levels[0] * levels[1]


# --- other pairs may protect, and other classes -------------------------------------------------

THREE = {"worlds": ["d1", "d2", "d3"], "priors": {"list": ["uniform"]}}
SECRETS = {"s": ["d1", "d2"], "t": ["d3"], "one": ["d1"], "two": ["d2"]}


def asked(pairs: Any, **more: Any) -> Answer:
    options = {"pairs": pairs, **more}
    return decide({**THREE, "secrets": SECRETS, "checks": [{"universally_composable": options}]})


def test_pairs_of_single_worlds_protect() -> None:
    """The "only if" of Theorem 9.1 is too strong: with these pairs all mechanisms compose, since
    d1, d2 and d3 are compared with each other, and the ratios of averages are between theirs."""
    assert asked([["s", "t"]]).verdict == "violated"
    with pytest.raises(NotDecided, match=r"other pairs or priors protect$"):
        asked([["s", "t"], ["one", "two"], ["one", "t"], ["two", "t"]])
    with pytest.raises(NotDecided, match="protect"):
        asked([["s", "t"], ["one", "two"]])


def test_other_priors_protect() -> None:
    single = [{"worlds": {d: "1/2", "d3": "1/2"}} for d in ("d1", "d2")]
    with pytest.raises(NotDecided, match="prior 2 alone would not compose"):
        asked([["s", "t"]], priors={"list": [single[0], "uniform", single[1]]})


def test_only_mixtures_have_several_worlds() -> None:
    single = [{"worlds": {d: "1/2", "d3": "1/2"}} for d in ("d1", "d2")]
    assert asked([["s", "t"]], priors={"list": single}).verdict == "holds"
    with pytest.raises(NotDecided, match="only mixtures"):
        asked([["s", "t"]], priors={"hull": single})


def test_other_classes_only_where_secrets_are_worlds() -> None:
    assert asked([["one", "two"], ["two", "t"]], priors="all").verdict == "holds"
    with pytest.raises(NotDecided, match="'all'"):
        asked([["s", "t"]], priors="all")


def test_refusals() -> None:
    sure = [{"worlds": {"d1": "1"}}]
    for kind in ("list", "hull"):
        with pytest.raises(InputError, match="S403"):
            asked([["s", "t"]], priors={kind: sure})
    with pytest.raises(InputError, match="S602"):
        options = {
            "universally_composable": {"pairs": [["s", "t"]]},
            "mechanism": {"deterministic": "1"},
        }
        decide({**THREE, "secrets": SECRETS, "checks": [options]})


def test_a_violation_in_words() -> None:
    prior = {"worlds": {"d1": "1/6", "d2": "1/3", "d3": "1/2"}}
    answer = asked([["s", "t"]], priors={"list": [prior]})
    assert answer.witness is not None
    assert list(text(answer.witness)) == [
        "s against t; prior {d1: 1/6, d2: 1/3, d3: 1/2}: d1 is not the only possible world of s",
        "a mechanism that says yes in d1, no in the rest of s, and either with probability 1/2 "
        "elsewhere, leaks at most e^ε 3/2",
        "its runs say yes, then no with probability 0 given s, 1/4 given t",
    ]
