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
from verifier.definitions import universally_composable
from verifier.questions.answer import Answer
from verifier.questions.witness import TwoRunsWitness

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


def are_compared(
    priors: Sequence[Sequence[Fraction]],
    pairs: Sequence[Pair],
    singles: Sequence[Sequence[Fraction]],
) -> bool:
    """Whether all possible worlds of two secrets are compared by some prior on just these two."""
    alone = set()
    for prior in singles:
        for pair in pairs:
            s, t = ([w for w in side if prior[w]] for side in pair)
            if len(s) == len(t) == 1:
                alone |= {(s[0], t[0]), (t[0], s[0])}
    return all(
        (v, w) in alone
        for prior in priors
        for s, t in pairs
        for v in s
        for w in t
        if prior[v] and prior[w]
    )


def are_coupled(pairs: Sequence[Pair], priors: Sequence[Sequence[Fraction]], kind: str) -> bool:
    """Whether all that is compared is made of worlds that are compared by themselves, by Hall's
    condition on all sets of worlds: a coupling exists if none has more mass than its neighbours."""
    given = [
        (k, j, given_side(priors[k], s), given_side(priors[j], t), (s, t))
        for k in range(len(priors))
        for j in range(len(priors))
        if kind == "hull" or k == j
        for s, t in pairs
        if mass(priors[k], s) and mass(priors[j], t)
    ]
    alone = {
        (*p, *q)
        for k, j, p, q, (s, t) in given
        if len(p) == len(q) == 1
        if k == j or not mass(priors[k], t) or not mass(priors[j], s)
    }
    alone |= {(w, v) for v, w in alone}
    for _, _, p, q, _ in given:
        for size in range(1, len(p) + 1):
            for some in combinations(p, size):
                near = {w for w in q for v in some if (v, w) in alone}
                if sum(p[v] for v in some) > sum(q[w] for w in near):
                    return False
    return True


def given_side(prior: Sequence[Fraction], side: set[int]) -> dict[int, Fraction]:
    return {w: prior[w] / mass(prior, side) for w in side if prior[w]}


def closed_sets(setting: Setting) -> list[set[int]]:
    """Every set of worlds that meets both secrets of each pair and prior, or neither."""
    pairs, priors = setting
    sides = [
        [{w for w in side if prior[w]} for side in pair]
        for prior in priors
        for pair in pairs
        if all(mass(prior, side) for side in pair)
    ]
    chosen = [set(some) for size in range(6) for some in combinations(range(5), size)]
    return [some for some in chosen if all(bool(some & s) == bool(some & t) for s, t in sides)]


def twice(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [[p * q for p, q in zip(x, y, strict=True)] for x in rows for y in rows]


@EXAMPLES
@given(settings_of(), st.sampled_from(["list", "hull"]))
def test_the_theorem_and_its_mechanisms(setting: Setting, kind: str) -> None:
    pairs, priors = setting
    members = mixtures(priors) if kind == "hull" else priors
    single = is_single(members, pairs)
    assert single == (universally_composable.value(members, pairs) <= 1)
    compared = are_compared(members, pairs, members)
    assert compared or not single
    try:
        answer = decide(spec(setting, kind))
    except NotDecided:
        assert not are_compared(members, pairs, [*priors, members[-1]])
        assert not are_coupled(pairs, priors, kind)
        if kind == "list":
            closed = closed_sets(setting)
            assert all(one & two in closed for one in closed for two in closed)
        return
    if answer.verdict == "holds":
        assert compared or are_coupled(pairs, priors, kind)
    else:
        assert not are_coupled(pairs, priors, kind)
        assert not compared
        confirm(answer, setting, kind)
    refused(answer)


def confirm(answer: Answer, setting: Setting, kind: str, names: Sequence[str] = WORLDS) -> None:
    """The mechanism of a witness leaks a finite amount once, and more than its square twice."""
    assert answer.certificate is not None and answer.witness is not None
    model = opened(answer.certificate)["model"]
    outputs = range(len(model["outputs"]))
    rows = [[F(model["values"][column[o]]) for column in model["columns"]] for o in outputs]
    once = F(answer.witness.as_json()["leakage"])
    shown = answer.witness.as_json()["prior"]
    prior = [F(shown.get(world, 0)) for world in names]
    found, both = leakage(rows, setting), leakage(twice(rows), (setting[0], [prior]))
    assert found is not None and (found == once if kind == "list" else found <= once)
    assert both is None or both > once**2
    if kind == "list":
        assert prior in setting[1]
    else:  # of at most two priors: a mixture, as its share of the first has all others
        first, last = setting[1][0], setting[1][-1]
        shares = {(x - q) / (p - q) for x, p, q in zip(prior, first, last, strict=True) if p != q}
        assert len(shares) < 2 and all(0 <= share <= 1 for share in shares)
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
    if answer.verdict == "holds":
        evidence = None
    broken: list[dict[str, Any]] = [{"claim": {**made["claim"], "verdict": other}}]
    if evidence:
        level = {"one_run": str(F(made["claim"]["one_run"]) + 1)}
        broken.append({"claim": {**made["claim"], **level}})
        broken.append({"evidence": {"witness": None}})
        for change in ({"pair": evidence["pair"][::-1]}, {"outputs": [9, 9]}, {"outputs": [0]}):
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


@EXAMPLES
@given(
    settings_of(),
    st.sampled_from(["list", "hull"]),
    st.lists(st.tuples(drawn.matrices(5), drawn.matrices(5)), min_size=3, max_size=3),
)
def test_levels_multiply_where_they_are_said_to(
    setting: Setting, kind: str, drawn_two: list[tuple[list[list[F]], list[list[F]]]]
) -> None:
    """Two mechanisms at a time, under given priors and mixtures of any weights."""
    pairs, priors = setting
    single = [
        [F(w in both, 2) for w in range(5)] for both in ({a, b} for a, b in TWO[: len(pairs)])
    ]
    priors = [*priors, *single]
    assume(all(any(mass(p, s) and mass(p, t) for p in priors) for s, t in pairs))
    try:
        if decide(spec((pairs, priors), kind)).verdict == "violated":
            return
    except NotDecided:
        return
    first, last = priors[0], priors[-1]
    some = [*priors] if kind == "list" else [*priors, *between(first, last), *mixtures(priors)]
    for two in drawn_two:
        rows = [list(zip(*columns, strict=True)) for columns in two]
        levels = [leakage(mechanism, (pairs, some)) for mechanism in rows]
        both = [[p * q for p, q in zip(x, y, strict=True)] for x in rows[0] for y in rows[1]]
        if levels[0] is not None and levels[1] is not None:
            together = leakage(both, (pairs, some))
            assert together is not None and together <= levels[0] * levels[1]


TWO = [(0, 1), (2, 3)]  # worlds of priors that may compare them alone


def between(first: Sequence[Fraction], last: Sequence[Fraction]) -> list[list[Fraction]]:
    shares = (F(1, 10**9), F(1, 7), 1 - F(1, 10**9))
    return [
        [share * p + (1 - share) * q for p, q in zip(first, last, strict=True)] for share in shares
    ]


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
    assert asked([["s", "t"], ["one", "two"], ["one", "t"], ["two", "t"]]).verdict == "holds"
    assert asked([["s", "t"], ["one", "t"], ["two", "t"]]).verdict == "holds"


def test_two_finite_rows() -> None:
    """d1 and d2 are compared, so that an output is possible in both or in neither, and no two tell
    d1 from d3 for certain. A row of level 2: d1 = 2, d2 = 1, P(x | s) = 3/2, d3 = 3/4. Its square
    has 5/2 against 9/16, more than 4 times as much."""
    answer = asked([["s", "t"], ["one", "two"]])
    assert answer.verdict == "violated" and answer.witness is not None
    setting: Setting = [({0, 1}, {2}), ({0}, {1})], [[F(1, 3)] * 3]
    confirm(answer, setting, "list", ("d1", "d2", "d3"))
    x, y = answer.witness.as_json()["probabilities"]
    assert F(y) > F(answer.witness.as_json()["leakage"]) ** 2 * F(x) > 0


def test_closed_sets_of_other_pairs() -> None:
    """Whatever is possible in a is possible in b, and conversely, so that the mechanism of the
    theorem's proof leaks without bound; by hand two outputs leak 2 once, and tell s1 from t1 for
    certain in two runs."""
    secrets = {"s0": "a", "t0": "b", "s1": "ac", "t1": "d"}
    _, once = told("abcd", secrets, [["s0", "t0"], ["s1", "t1"]])
    assert once <= 2


def test_a_world_where_neither_output_is_possible() -> None:
    """An output that is not possible in a is possible in neither v nor w, and one that is not in b
    is in neither v nor x; so v needs a third output if two are to share no world of d."""
    secrets = {"d": "ab", "e": "c", "k": "vw", "l": "a", "m": "vx", "n": "b"}
    mechanism, _ = told("abcvwx", secrets, [["d", "e"], ["k", "l"], ["m", "n"]])
    assert mechanism["neither"]["v"] == "1"


def told(worlds: str, secrets: dict[str, str], pairs: list[list[str]]) -> tuple[Any, Fraction]:
    """The mechanism that refutes the uniform prior, and what it leaks; two runs are certain."""
    answer = decide(
        {
            "worlds": list(worlds),
            "secrets": {name: list(of) for name, of in secrets.items()},
            "priors": {"list": ["uniform"]},
            "checks": [{"universally_composable": {"pairs": pairs}}],
        }
    )
    assert answer.verdict == "violated" and answer.witness is not None
    shown = answer.witness.as_json()
    rows = [[F(row[w]) for w in worlds] for row in shown["mechanism"].values()]
    setting = (
        [({*map(worlds.find, secrets[s])}, {*map(worlds.find, secrets[t])}) for s, t in pairs],
        [[F(1, len(worlds))] * len(worlds)],
    )
    assert leakage(rows, setting) == F(shown["leakage"])
    assert leakage(twice(rows), setting) is None and shown["probabilities"][0] == "0"
    return shown["mechanism"], F(shown["leakage"])


def test_other_priors_protect() -> None:
    single = [{"worlds": {d: "1/2", "d3": "1/2"}} for d in ("d1", "d2")]
    assert (
        asked([["s", "t"]], priors={"list": [single[0], "uniform", single[1]]}).verdict == "holds"
    )
    assert asked([["s", "t"]], priors={"list": [single[0], "uniform"]}).verdict == "violated"


def test_mixtures_of_priors_with_single_worlds() -> None:
    single = [{"worlds": {d: "1/2", "d3": "1/2"}} for d in ("d1", "d2")]
    assert asked([["s", "t"]], priors={"list": single}).verdict == "holds"
    assert asked([["s", "t"]], priors={"hull": single}).verdict == "holds"
    apart = [{"worlds": {"d1": "1/2", "d3": "1/2"}}, {"worlds": {"d2": "1"}}]
    assert asked([["s", "t"]], priors={"hull": apart}).verdict == "holds"  # d2 in the limit
    mixed = [apart[0], {"worlds": {"d1": "1/2", "d2": "1/2"}}]
    answer = asked([["s", "t"]], priors={"hull": mixed})
    assert answer.verdict == "violated" and answer.witness is not None
    shown = answer.witness.as_json()
    rows = [[F(row[d]) for d in ("d1", "d2", "d3")] for row in shown["mechanism"].values()]
    prior = [F(shown["prior"][d]) for d in ("d1", "d2", "d3")]
    share = 2 * prior[1]  # of the second one
    assert prior[0] == share / 2 + (1 - share) / 2 and prior[2] == (1 - share) / 2
    once, setting = F(shown["leakage"]), ([({0, 1}, {2})], [prior])
    found, both = leakage(rows, setting), leakage(twice(rows), setting)
    assert found is not None and found <= once and (both is None or both > once**2)


def test_worlds_that_are_compared_in_parallel() -> None:
    """a with c and b with d by themselves; the mixture of a and b that c and d have too. If a and b
    are as likely, but c is less, part of a goes with d, which nothing compares."""
    given = [{"worlds": dict.fromkeys(pair, "1/2")} for pair in (("a", "c"), ("b", "d"))]
    for third, verdict in (("1/3", "violated"), ("1/2", "holds")):
        rest = str(1 - F(third))
        both = {"a": "1/4", "b": "1/4", "c": str(F(third) / 2), "d": str(F(rest) / 2)}
        spec = {
            "worlds": list("abcd"),
            "secrets": {"s": ["a", "b"], "t": ["c", "d"]},
            "pairs": [["s", "t"]],
            "priors": {"list": [*given, {"worlds": both}]},
            "checks": [{"universally_composable": {}}],
        }
        assert decide(spec).verdict == verdict


def test_other_classes() -> None:
    assert asked([["one", "two"], ["two", "t"]], priors="all").verdict == "holds"
    assert asked([["s", "t"]], priors="all").verdict == "holds"
    bits: dict[str, Any] = {"worlds": {"records": 2, "domain": [0, 1]}}
    asked_of: dict[str, Any] = {"pairs": "values", "priors": "product"}
    answer = decide({**bits, "checks": [{"universally_composable": asked_of}]})
    assert answer.verdict == "holds"
    refused(answer)
    both = {"secrets": {"same": "r1 == r2", "other": "r1 != r2"}}
    asked_of["pairs"] = [["same", "other"]]
    # who knows one bit compares two worlds, and all beliefs are made of such
    answer = decide({**bits, **both, "checks": [{"universally_composable": asked_of}]})
    assert answer.verdict == "holds"
    asked_of = {"pairs": "values", "priors": {"constraints": ["P(r1 == 0) >= 1/3"]}}
    with pytest.raises(NotDecided, match="'constraints'"):
        decide({**bits, "checks": [{"universally_composable": asked_of}]})


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


def test_a_violation_can_be_replayed_by_hand() -> None:
    """The second prior violates; the level 5 is that of the first, which needs the world w3."""
    weights = [[F(2), F(0), F(1), F(3), F(1)], [F(3, 13), F(2, 13), F(7, 13), F(0), F(1, 13)]]
    priors = [[p / sum(row) for p in row] for row in weights]
    setting: Setting = ([({0}, {1, 2, 3, 4}), ({0, 2}, {3})], priors)
    witness = decide(spec(setting, "list")).witness
    assert isinstance(witness, TwoRunsWitness)
    possible = [w for w in range(5) if any(prior[w] for prior in priors)]
    assert all(list(row) == [WORLDS[w] for w in possible] for row in witness.mechanism.values())
    rows = [[row.get(name, F(0)) for name in WORLDS] for row in witness.mechanism.values()]
    assert [sum(column) for column in zip(*rows, strict=True)] == [1] * 5
    assert leakage(rows, setting) == witness.leakage


def test_a_violation_in_words() -> None:
    prior = {"worlds": {"d1": "1/6", "d2": "1/3", "d3": "1/2"}}
    answer = asked([["s", "t"]], priors={"list": [prior]})
    assert answer.witness is not None
    assert list(answer.witness.lines()) == [
        "s against t; prior {d1: 1/6, d2: 1/3, d3: 1/2}",
        "a mechanism that leaks at most e^ε 3/2 in one run:",
        "  first with {d1: 0, d2: 1, d3: 1/2}",
        "  second with {d1: 1, d2: 0, d3: 1/2}",
        "two runs say first, then second with probability 0 given s, 1/4 given t: more than e^ε "
        "(3/2)² apart",
    ]
