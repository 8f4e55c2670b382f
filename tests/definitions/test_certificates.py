"""Witnesses are the first there are; broken siblings of good certificates are rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import plain
from tests.definitions.cases import Case, differential, metrics, policies
from tests.definitions.drawn import Json, decide, read
from tests.definitions.secret_cases import all_priors, listed_priors, product_priors
from tests.drawing import examples
from verifier import checker
from verifier.run import verify

ON_WORLDS = st.one_of(differential(), policies(), metrics())
UNDER_PRIORS = st.one_of(listed_priors("pufferfish"), product_priors("pufferfish"))
EXAMPLES = examples(60)


@EXAMPLES
@given(ON_WORLDS)
def test_the_first_witness_is_reported(case: Case) -> None:
    """First in the order of worlds and outputs among the comparisons made that attain the
    smallest level (metric privacy leaves out those that follow from others)."""
    certificate = decide(case.with_level(exp_epsilon="1")).certificate
    assert certificate is not None
    witness, leakage = certificate["evidence"]["witness"], certificate["answer"]["leakage"]
    if case.delta:
        attained = [pair for pair in sorted(case.distances) if attains_delta(case, pair, leakage)]
        found = None if witness is None else tuple(witness["pair"])
        expected = None if leakage.get("exp_epsilon") == "1" or not attained else attained[0]
        assert found == expected or leakage.get("vacuous")
    else:
        expected = first_at_highest_level(case, compared(case, certificate["question"]["relation"]))
        assert witness == (expected and {"pair": list(expected[:2]), "output": expected[2]})


def attains_delta(case: Case, pair: plain.Pair, leakage: Json) -> bool:
    found = plain.smallest_alpha(case.columns, [pair], case.delta)
    return leakage == ({"infinite": True} if found is None else {"exp_epsilon": str(found)})


def compared(case: Case, relation: Json) -> list[plain.Pair]:
    """The pairs a certificate lists, all of which the definition compares."""
    if case.keyword != "metric_privacy":
        return sorted(case.distances)
    listed = {
        (i, j): Fraction(distance)
        for distance, rows in relation["distances"].items()
        for i, others in enumerate(rows)
        for j in others
    }
    assert all(case.distances[pair] <= distance for pair, distance in listed.items())
    return sorted(listed)


def first_at_highest_level(case: Case, pairs: Iterable[plain.Pair]) -> tuple[int, int, int] | None:
    """By comparing ratio^(1/d) as integer powers, one comparison after the other."""
    best: tuple[Fraction, Fraction] | None = None
    first = None
    for pair in pairs:
        distance = case.distances[pair]
        for output, (p, q) in enumerate(zip(*(case.columns[w] for w in pair), strict=True)):
            if p > 0 == q:
                return plain.first_infinite(case.columns, pairs)
            if p > q and (best is None or is_above((p / q, distance), best)):
                best, first = (p / q, distance), (*pair, output)
    return first


def is_above(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> bool:
    (a, d), (b, e) = left, right
    return a ** (e.numerator * d.denominator) > b ** (d.numerator * e.denominator)


@EXAMPLES
@given(all_priors("pufferfish"))
def test_the_first_witness_among_secrets(case: Case) -> None:
    """Against every world across each pair of secrets, both ways."""
    spec = case.with_level(exp_epsilon="1")
    certificate = decide(spec).certificate
    assert certificate is not None
    (check,) = read(spec)
    columns = [[Fraction(p) for p in row] for row in list(spec["mechanism"]["table"].values())[1:]]
    pairs = set()
    for left, right in check.pairs().listed:
        for i, j in product(range(check.space.size), repeat=2):
            if left.worlds[i] and right.worlds[j]:
                pairs |= {(i, j), (j, i)}
    if case.delta == 0:
        expected = plain.first_witness(columns, pairs)
        witness = certificate["evidence"]["witness"]
        assert witness == (expected and {"pair": list(expected[:2]), "output": expected[2]})


@EXAMPLES
@given(st.one_of(ON_WORLDS, UNDER_PRIORS), st.sampled_from(["1", "3", "10000000"]))
def test_broken_siblings_are_rejected(case: Case, level: str) -> None:
    spec = case.with_level(exp_epsilon=level)
    (asked,) = read(spec)
    good = verify.decide(verify.asked(asked)).certificate
    assert good is not None and checker.check(good).outcome == "accepted"
    for name, broken in siblings(opened(good)):
        assert check(broken).outcome != "accepted", (name, broken)


def siblings(good: Json) -> Iterator[tuple[str, Json]]:
    """Certificates of claims that are wrong, or with evidence that proves nothing."""

    def changed(name: str, *path: Any, to: Any) -> tuple[str, Json]:
        broken = deepcopy(good)
        target: Any = broken
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = to
        return name, broken

    claim, witness = good["claim"], good["evidence"]["witness"]
    other = {"holds": "violated", "violated": "holds"}[claim["verdict"]]
    yield changed("verdict", "claim", "verdict", to=other)
    leakage = claim["leakage"]
    if "exp_epsilon" in leakage:
        found, tiny = Fraction(leakage["exp_epsilon"]), Fraction(1, 10**50)
        yield changed("up", "claim", "leakage", to={"exp_epsilon": str(found + tiny)})
        yield changed("down", "claim", "leakage", to={"exp_epsilon": str(found - tiny)})
        if found > 1:
            level = (found + 1) / 2 if claim["verdict"] == "holds" else found
            yield changed("level", "claim", "level", "exp_epsilon", to=str(level))
    if "lower" in leakage:
        lower, upper = Fraction(leakage["lower"]), Fraction(leakage["upper"])
        gap = upper - lower
        higher = {"lower": str(upper), "upper": str(upper + gap)}
        below = {"lower": str(lower - gap), "upper": str(lower)}
        yield changed("up", "claim", "leakage", to=higher)
        yield changed("down", "claim", "leakage", to=below)
    for form in ("infinite", "vacuous"):
        if form not in leakage:
            yield changed(form, "claim", "leakage", to={form: True})
    if witness is not None:
        if leakage.get("lower") != "1":  # an enclosure from 1 needs none
            yield changed("no witness", "evidence", "witness", to=None)
        pair = witness["pair"]
        yield changed("turned", "evidence", "witness", "pair", to=pair[::-1])
        if "outputs" in witness:
            yield changed("event", "evidence", "witness", "outputs", to=[])
    yield changed("digest", "claim", "digest", to="sha256:" + "0" * 64)
    yield changed("name", "model", "worlds", 0, to="another")
    rows = good["model"]["columns"]
    for name, wrong in (("turned", rows[::-1]), ("heavy", [[max(map(max, rows))] * len(rows[0])])):
        if wrong != rows[: len(wrong)]:
            yield changed(name, "model", "columns", to=[*wrong, *rows[len(wrong) :]])
