"""Model files of single sentences of the Pufferfish paper, from the definitions."""

from collections import Counter
from itertools import combinations_with_replacement, pairwise, product
from math import exp, isclose

from tests.models.brute_force import add_up, apply, coin
from tests.models.by_definition import (
    F,
    Fraction,
    Mechanism,
    Prior,
    Row,
    World,
    add_remove,
    bits,
    databases,
    everything,
    exactly,
    flips,
    geometric,
    independent,
    induced,
    noisy,
    over_pairs,
    presence,
    pufferfish,
    replace,
    response,
    smallest_level,
    split,
    together,
    uniform,
    values,
)
from tests.models.model_files import checks, confirm, decided
from verifier.report.json import result_as_json

BITS = (0, 1)
HALF, THIRD = F(1, 2), F(1, 3)
FRIENDS: Prior = {w: F(3 if w[0] == w[1] else 1, 8) for w in databases(BITS, 2)}


# --- Section 3.1 ------------------------------------------------------------------------------


def test_posterior_odds() -> None:
    """By Bayes: the ratio of odds after and before, for each output."""
    answer: Mechanism = {("s1",): bits(F(3, 20)), ("s2",): bits(F(1, 20)), ("t",): bits(HALF)}
    turned: Mechanism = {("s1",): bits(HALF), ("s2",): bits(HALF), ("t",): bits(F(1, 10))}
    three = {("s1",): F(3, 8), ("s2",): F(3, 8), ("t",): F(1, 4)}
    ten = {("s1",): F(1, 22), ("s2",): F(1, 22), ("t",): F(10, 11)}

    def odds(mechanism: Mechanism, prior: Prior) -> list[Fraction]:
        """Of s against t after each output."""
        after = [{w: p * mechanism[w][o] for w, p in prior.items()} for o in (1, 0)]
        return [(p["s1",] + p["s2",]) / p["t",] for p in after]

    def level(mechanism: Mechanism, prior: Prior) -> Fraction:
        before = (prior["s1",] + prior["s2",]) / prior["t",]
        return max(max(x / before, before / x) for x in odds(mechanism, prior))

    assert odds(answer, three) == [F(3, 5), F(27, 5)]
    file = "pufferfish/posterior-odds.yaml"
    confirm(file, level(answer, three), level(answer, ten), level(turned, three))


# --- Section 4.1 ------------------------------------------------------------------------------


def test_everything_at_times() -> None:
    worlds = databases(BITS, 2)
    answers = response(worlds, F(3, 4), BITS)
    mechanism = {
        w: {w: F(1, 10), **{("answers", o): F(9, 10) * p for o, p in answers[w].items()}}
        for w in worlds
    }

    def level(delta: Fraction) -> Fraction | float:
        return max(smallest_level(mechanism[v], mechanism[w], delta) for v, w in replace(worlds))

    believed = pufferfish(mechanism, values(worlds), [uniform(worlds)])
    file = "pufferfish/everything-at-times.yaml"
    confirm(file, level(F(1, 10)), level(F(99, 1000)), believed)


def released(w: World) -> int:
    """max(2, number of tuples that are not Bob)."""
    return max(2, w.count("x") + w.count("y"))


def test_what_blends() -> None:
    worlds = databases(("bob", "x", "y", None), 4)
    mechanism = exactly(worlds, released)
    swaps = [
        (v, w)
        for v, w in replace(worlds)
        if any({x, y} == {"x", "y"} for x, y in zip(v, w, strict=True))
    ]
    few = [w for w in worlds if w.count("x") + w.count("y") <= 2]
    beside = [(v, w) for v in few for w in few if (v[0] is None) != (w[0] is None)]
    bob = [
        (v, w)
        for v, w in add_remove(worlds)
        if {v[0], w[0]} == {"bob", None}
    ]  # fmt: skip
    confirm(
        "pufferfish/what-blends.yaml",
        over_pairs(mechanism, swaps),
        over_pairs(mechanism, beside),
        over_pairs(mechanism, bob),
        over_pairs(mechanism, add_remove(worlds)),
    )


def test_crowd_blending_to_the_letter() -> None:
    """For k = 2 and multisets of up to four tuples: each tuple blends with another one of its
    database, whatever the others are, or nobody can tell the database from that without it."""
    tuples = ("bob", "x", "y")
    sizes = [list(combinations_with_replacement(tuples, n)) for n in range(5)]

    def blends(t: str, u: str) -> bool:
        return all(released((*d, t)) == released((*d, u)) for n in range(4) for d in sizes[n])

    assert blends("x", "y") and not blends("bob", "x")
    for database in (d for size in sizes for d in size):
        for t, number in Counter(database).items():
            rest = Counter(database) - Counter([t])
            others = sum(n for u, n in rest.items() if blends(t, u))
            assert number and (
                others >= 1 or released(tuple(rest.elements())) == released(database)
            )


# --- Sections 5 and 6.3.3 ---------------------------------------------------------------------


def test_axioms() -> None:
    worlds = databases(BITS, 2)
    both = response(worlds, F(3, 5), BITS)
    ann = {w: {("first", x): p for x, p in flips(THIRD, w[0]).items()} for w in worlds}
    number = {w: apply(dict(both[w]), sum) for w in worlds}
    chosen = {
        w: {o: share * p for share, m in ((THIRD, both), (2 * THIRD, ann)) for o, p in m[w].items()}
        for w in worlds
    }
    levels = [pufferfish(m, values(worlds), [FRIENDS]) for m in (both, ann, number, chosen)]
    assert pufferfish(ann, values(worlds)[1:], [FRIENDS]) == F(7, 5)  # about bob
    # what is made of a mechanism leaks no more, by Theorem 5.1, and it is made of itself
    confirm("pufferfish/axioms.yaml", *levels, levels[0], max(levels[:2]))


def test_opting_out() -> None:
    worlds = databases(BITS, 2)
    bob, eve = ({w: flips(F(1, 4), w[i]) for w in worlds} for i in BITS)
    secrets = values(worlds)[:1]
    confirm(
        "pufferfish/opting-out.yaml",
        over_pairs(eve, [(v, w) for v, w in everything(worlds) if v[1] == w[1]]),
        pufferfish(eve, secrets, [FRIENDS]),
        pufferfish(bob, secrets, [FRIENDS]),
    )


# --- Section 8 --------------------------------------------------------------------------------


def test_united_secrets() -> None:
    worlds = databases(range(4), 2)
    mechanism = noisy(worlds, sum, HALF)
    salary = split(worlds, lambda w: w[0] < 2, lambda w: w[0] >= 2)
    total = split(worlds, lambda w: abs(sum(w) - 3) <= 1, lambda w: abs(sum(w) - 3) == 2)
    priors = [
        uniform(worlds),
        independent(worlds, [{0: HALF, 3: HALF}, {0: F(1)}]),
        independent(worlds, [{1: F(1)}, {0: HALF, 3: HALF}]),
    ]
    levels = [pufferfish(mechanism, s, priors) for s in (salary, total, salary + total)]
    confirm("pufferfish/united-secrets.yaml", *levels)


def common(v: World, w: World) -> int:
    """How many records have the same value in both."""
    return sum(x == y for x, y in zip(v, w, strict=True))


def zlw(
    worlds: list[World], delta: Fraction, where: list[World] | None = None
) -> list[tuple[World, World]]:
    """Definition 8.2, second half, with μ the number of records that differ."""
    inside = worlds if where is None else where
    far = len(worlds[0]) - delta
    return [(v, w) for v, w in everything(inside) if common(v, w) > max(far, 0)]


def test_zlw_privacy() -> None:
    worlds = databases(BITS, 3)
    mechanism = noisy(worlds, lambda w: 3 * w[0] + w[1] + w[2], HALF)
    constrained = [(v, w) for v, w in replace(worlds) if 3 - common(v, w) <= 2]
    modified = [(v, w) for v, w in everything(worlds) if 3 - common(v, w) <= 2]
    small = [w for w in worlds if w[0] == 0]
    assert set(zlw(worlds, F(2))) == set(constrained)
    assert set(zlw(worlds, F(5, 2))) == set(modified)
    assert {frozenset(pair) for pair in zlw(worlds, F(2), small)} == {
        frozenset(((0, *v), (0, *w))) for v, w in replace(databases(BITS, 2))
    }
    other_metric = [
        (v, w)
        for v, w in everything(worlds)
        if (1 if common(v, w) == 2 else 3) < 2 and common(v, w)
    ]
    levels = [
        over_pairs(mechanism, pairs)
        for pairs in (constrained, modified, zlw(worlds, F(2), small), other_metric)
    ]
    confirm("pufferfish/zlw-privacy.yaml", *levels)


def test_one_tuple_has_nothing_in_common() -> None:
    worlds = databases(range(3), 1)
    mechanism = exactly(worlds, sum)
    constrained = [(v, w) for v, w in everything(worlds) if abs(v[0] - w[0]) <= 1]
    assert not zlw(worlds, F(10))
    confirm(
        "pufferfish/one-tuple-has-nothing-in-common.yaml",
        over_pairs(mechanism, constrained),
        over_pairs(mechanism, zlw(worlds, F(10))),
    )


def test_four_times_or_fourth_power() -> None:
    worlds = databases(range(7), 1)
    mechanism = noisy(worlds, sum, THIRD)
    close = [(v, w) for v, w in everything(worlds) if abs(v[0] - w[0]) <= 1]
    ((near, far),) = split(worlds, lambda w: abs(w[0] - 3) <= 1, lambda w: abs(w[0] - 3) == 2)
    apart = over_pairs(mechanism, [p for v in near for w in far for p in ((v, w), (w, v))])
    file = "pufferfish/four-times-or-fourth-power.yaml"
    confirm(file, over_pairs(mechanism, close), apart, apart)


# --- Section 9 --------------------------------------------------------------------------------


def test_composition_of_differential_privacy() -> None:
    worlds = databases(("f", "m", None), 3)

    def count(number: int, level: int) -> Row:
        return geometric(number, F(1, level), 0, 3)

    def serial(w: World) -> Row:
        first = count(w.count("f"), 2)
        return add_up(
            ((a, b), p * q)
            for a, p in first.items()
            for b, q in count(w.count("f" if a > 0 else "m"), 3).items()
        )

    answers = {w: serial(w) for w in worlds}
    parallel = {w: together(count(w.count("f"), 2), count(w.count("m"), 3)) for w in worlds}
    afterwards = {w: apply(row, lambda o: o == (0, 0)) for w, row in answers.items()}
    confirm(
        "pufferfish/composition-of-differential-privacy.yaml",
        over_pairs(answers, add_remove(worlds)),
        over_pairs(parallel, add_remove(worlds)),
        over_pairs(parallel, replace(worlds)),
        over_pairs(afterwards, add_remove(worlds)),
    )


def test_two_anonymous_tables() -> None:
    diseases = ("flu", "cancer", "ulcer")
    worlds = databases(diseases, 3, lambda w: w[0] not in w[1:])
    one = exactly(worlds, lambda w: frozenset(w[:2]))
    two = exactly(worlds, lambda w: (frozenset(w[:2]), frozenset((w[0], w[2]))))
    secrets = split(worlds, lambda w: w[0] == "flu", lambda w: w[0] == "cancer")
    confirm(
        "pufferfish/two-anonymous-tables.yaml",
        *(
            pufferfish(m, secrets, [uniform(worlds)], delta)
            for m, delta in ((one, HALF), (one, F("0.49")), (two, F(3, 4)), (two, F("0.74")))
        ),
    )
    # each group has two persons and two diseases; both tables name Bob's disease with 1/2
    certain = [w for w in worlds if len(frozenset(w[:2]) & frozenset((w[0], w[2]))) == 1]
    assert F(len(certain), len(worlds)) == HALF


def test_bob_answers_alice() -> None:
    worlds = databases(BITS, 2)
    alice = exactly(worlds, lambda w: w[0] ^ w[1])

    def both(w: World) -> Row:
        published = w[0] ^ w[1]
        lie = F(1, 4) if published else THIRD
        wrong = F(3, 4) * lie + F(1, 4) * (1 - lie)
        return {(published, w[1]): 1 - wrong, (published, 1 - w[1]): wrong}

    secrets = values(worlds)[:1]
    mechanisms = (alice, {w: both(w) for w in worlds})
    first, second = (pufferfish(m, secrets, [uniform(worlds)]) for m in mechanisms)
    confirm("pufferfish/bob-answers-alice.yaml", first, second, second)


def test_levels_add_up() -> None:
    """Independent records compare databases that differ in one record, by Theorem 6.1."""
    worlds = databases(BITS, 2)
    first, second = response(worlds, 2 * THIRD, BITS), response(worlds, F(3, 4), BITS)
    third = response(worlds, F(3, 5), BITS)
    both = {w: together(first[w], second[w]) for w in worlds}
    after = {
        w: add_up(
            ((a, b), p * q)
            for a, p in first[w].items()
            for b, q in (second if a[0] == 1 else third)[w].items()
        )
        for w in worlds
    }
    levels = [over_pairs(m, replace(worlds)) for m in (first, second, both, after)]
    confirm("pufferfish/levels-add-up.yaml", *levels)


def test_neighbours_of_confident_attackers() -> None:
    """Each attacker has one possible world in each secret, and each two neighbours an attacker."""
    worlds = databases(BITS, 2)
    supports = [((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1))]
    ordered = {pair for v, w in supports for pair in ((v, w), (w, v))}
    assert ordered == set(replace(worlds))
    two = F(2)
    confirm("pufferfish/neighbours-of-confident-attackers.yaml", True, two, two, two)


# --- Section 10 -------------------------------------------------------------------------------


def test_no_neighbours_to_the_letter() -> None:
    worlds = databases(BITS, 2, lambda w: sum(w) == 1)
    mechanism = exactly(worlds, lambda w: w[0])

    def reached(v: World) -> set[frozenset[tuple[int, int]]]:
        """The sets of moves from a database that lead to a possible one."""
        return {frozenset(set(enumerate(v)) ^ set(enumerate(w))) for w in worlds}

    def moves(v: World, w: World) -> frozenset[tuple[int, int]]:
        return frozenset(set(enumerate(v)) ^ set(enumerate(w)))

    letter = [
        (v, w) for v, w in everything(worlds) if not any(m <= moves(v, w) for m in reached(v))
    ]
    assert letter == [] and len(induced(worlds)) == 2
    confirm(
        "pufferfish/no-neighbours-to-the-letter.yaml",
        over_pairs(mechanism, letter),
        over_pairs(mechanism, induced(worlds)),
    )


def test_priors_of_the_proof() -> None:
    worlds = databases(BITS, 3, lambda w: w[0] >= w[1] >= w[2])
    priors = [
        independent(worlds, [coin(p) for p in chances])
        for chances in ((HALF, F(0), F(0)), (F(1), HALF, F(0)), (F(1), F(1), HALF))
    ]
    possible = [tuple(w for w in worlds if prior[w]) for prior in priors]
    assert {frozenset(pair) for pair in possible} == {frozenset(p) for p in induced(worlds)}
    # so both compare the same worlds; a row of powers of 2 with induced neighbours within 2 is
    # an extreme one
    rows = [
        dict(zip(worlds, map(F, row), strict=True))
        for row in product((1, 2, 4, 8), repeat=4)
        if all(F(1, 2) <= F(a, b) <= 2 for a, b in pairwise(row))
    ]
    level = max(
        max(x / y, y / x)
        for row in rows
        for s, t in values(worlds)
        for x, y in [(sum(row[w] for w in s) / len(s), sum(row[w] for w in t) / len(t))]
    )
    confirm("pufferfish/priors-of-the-proof.yaml", F(2), F(2), level)


def test_priors_under_a_constraint() -> None:
    """Attackers who are nearly certain, of some records more than of others, compare two databases
    each. What says x_w in proportion to 2 for one side of Ann or Cleo keeps 2 under many priors."""
    worlds = databases(BITS, 3, lambda w: w[0] >= w[1])
    near = [{0: F(1, 10**e), 1: F(1, 10**f)} for e, f in ((0, 0), (0, 2), (0, 4), (2, 0), (4, 0))]
    compared = set()
    for records in product(near, repeat=3):
        prior = independent(worlds, records)
        for sides in values(worlds):
            v, w = (max(s, key=lambda w: prior[w]) for s in sides)
            if all(
                prior[x] > F(98, 100) * sum(prior[y] for y in s)
                for x, s in zip((v, w), sides, strict=True)
            ):
                compared |= {(v, w), (w, v)}
    assert compared >= set(induced(worlds))
    two_steps = {(v, w) for v, u in compared for x, w in compared if u == x}
    assert compared | two_steps >= set(everything(worlds))
    assert not compared >= set(everything(worlds))
    mechanism = {w: bits(F((2 - w[0]) * (2 - w[2]), 6)) for w in worlds}
    for records in product([*near, {0: F(1)}, {0: F(1, 3), 1: F(2, 3)}], repeat=3):
        prior = independent(worlds, records)
        assert pufferfish(mechanism, values(worlds), [prior]) <= 2
    level = over_pairs(mechanism, everything(worlds))
    confirm("pufferfish/priors-under-a-constraint.yaml", F(2), level, level)


def test_published_histogram_twice() -> None:
    """Each pair of databases is some attacker's, so that Pufferfish compares them all."""
    worlds = databases(BITS, 3, lambda w: sum(w) == 1)
    once = response(worlds, 2 * THIRD, BITS)
    twice = {w: together(once[w], once[w]) for w in worlds}
    assert set(induced(worlds)) == set(everything(worlds))
    for v, w in everything(worlds):
        chances = [bits(HALF) if x != y else bits(F(x)) for x, y in zip(v, w, strict=True)]
        assert {u for u, p in independent(worlds, chances).items() if p} == {v, w}
    levels = [over_pairs(m, everything(worlds)) for m in (once, twice)]
    confirm("pufferfish/published-histogram-twice.yaml", *levels)


def test_absent_people_twice() -> None:
    """Each two databases are in a box without the others, and part some pair of secrets."""
    worlds = databases((0, 1, None), 2, lambda w: w.count(1) == 1)
    once = noisy(
        worlds,
        lambda w: int(w[1] is None) if w[0] == 1 else 3 - int(w[0] is None),
        HALF,
    )
    twice = {w: together(once[w], once[w]) for w in worlds}
    for v, w in everything(worlds):
        box = [u for u in worlds if all(x in pair for x, *pair in zip(u, v, w, strict=True))]
        assert set(box) == {v, w}
        assert any(
            (v in s and w in t) or (v in t and w in s) for s, t in values(worlds) + presence(worlds)
        )
    levels = [over_pairs(m, everything(worlds)) for m in (once, twice)]
    confirm("pufferfish/absent-people-twice.yaml", *levels)


def test_scale_of_the_noise() -> None:
    """Rounded at 1/2 and 3/2: the ratios of the probabilities on each side, by hand."""
    file = "pufferfish/scale-of-the-noise.yaml"
    stated = [check["leakage"] for check in checks(file)]
    assert stated == ["e^2", "e^(1/2)"]
    assert [check.get("expect") for check in checks(file)] == ["violated", None]
    for result, scale in zip(decided(file), (HALF, F(2)), strict=True):

        def below(x: Fraction, scale: Fraction = scale) -> float:
            tail = exp(-abs(x) / scale) / 2
            return tail if x < 0 else 1 - tail

        rows = [[below(HALF - c), below(F(3, 2) - c) - below(HALF - c)] for c in (0, 1, 2)]
        rows = [[p, q, 1 - p - q] for p, q in rows]
        ratios = [x / y for v, w in pairwise(rows) for x, y in zip(v, w, strict=True)]
        level = max(max(r, 1 / r) for r in ratios)
        assert isclose(level, exp(1 / scale))
        assert result_as_json(result)["ok"]
