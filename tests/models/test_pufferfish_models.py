"""Model files of the Pufferfish paper, Sections 3 and 6: every number from the definitions."""

import random
from itertools import combinations_with_replacement, pairwise, product

from tests.models.by_definition import (
    F,
    Fraction,
    Prior,
    Row,
    World,
    add_remove,
    bits,
    databases,
    everything,
    exactly,
    geometric,
    independent,
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
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)


def test_outbreak() -> None:
    """Every list of eight people, 1 for who is ill."""
    lists = list(product((0, 1), repeat=8))
    m = {w: geometric(sum(w), HALF, 0, 8) for w in lists}

    def cases(p: Fraction) -> dict[World, Fraction]:
        return {w: p ** sum(w) * (1 - p) ** (8 - sum(w)) for w in lists}

    rare, often = cases(F(1, 4)), cases(F(3, 4))
    common = {w: (rare[w] + often[w]) / 2 for w in lists}
    outbreak = [w for w in lists if sum(w) >= 3], [w for w in lists if sum(w) < 3]
    somebody = [w for w in lists if w[0]], [w for w in lists if not w[0]]
    far = smallest_level(m[lists[0]], m[lists[-1]])
    single = [(w, (1 - w[0], *w[1:])) for w in lists]
    confirm(
        "pufferfish/outbreak.yaml",
        pufferfish(m, [outbreak], [rare]),
        far,
        max(smallest_level(m[w], m[v]) for w, v in single),
        pufferfish(m, [somebody], [common]),
        far,
    )


def markov(worlds: list[World], first: Row, step: dict[int, Row]) -> Prior:
    prior = {}
    for w in worlds:
        prior[w] = first[w[0]]
        for x, y in pairwise(w):
            prior[w] *= step[x][y]
    return prior


# --- Section 3.2 ------------------------------------------------------------------------------


def test_no_assumption() -> None:
    worlds = databases((0, 1, None), 3)
    mechanism = noisy(worlds, lambda w: w.count(1), HALF)
    # Theorem 3.1: two-world priors separate any two worlds that differ in a secret
    secrets = values(worlds) + presence(worlds)
    two_worlds = over_pairs(
        mechanism, {pair for s, t in secrets for v in s for w in t for pair in ((v, w), (w, v))}
    )
    near = over_pairs(mechanism, add_remove(worlds))
    far = over_pairs(mechanism, everything(worlds))
    confirm("pufferfish/no-assumption.yaml", near, two_worlds, two_worlds, far)


# --- Section 6: independent records -----------------------------------------------------------


def test_independent_records() -> None:
    worlds = databases(BITS, 4)

    def level(p: Fraction) -> Fraction | float:
        return over_pairs(response(worlds, p, BITS), replace(worlds))

    far = over_pairs(response(worlds, F(3, 4), BITS), everything(worlds))
    low, middle, high = level(F(2, 3)), level(F(3, 4)), level(F(9, 10))
    confirm("pufferfish/independent-records.yaml", low, middle, high, high, high, far)


def test_independent_colours() -> None:
    domain = ("red", "green", "blue")
    worlds = databases(domain, 2)
    half, three_fifths = response(worlds, HALF, domain), response(worlds, F(3, 5), domain)
    useless = response(worlds, F(1, 3), domain)
    near = over_pairs(three_fifths, replace(worlds))
    confirm(
        "pufferfish/independent-colours.yaml",
        over_pairs(half, replace(worlds)),
        near,
        near,
        over_pairs(useless, everything(worlds)),
        over_pairs(three_fifths, everything(worlds)),
    )


def test_presence_of_a_record() -> None:
    worlds = databases(("up", "down", None), 3)
    mechanism = noisy(worlds, lambda w: w.count("up") - w.count("down"), HALF)
    one, two = over_pairs(mechanism, add_remove(worlds)), over_pairs(mechanism, replace(worlds))
    confirm("pufferfish/presence-of-a-record.yaml", one, one, one, two, two)


def test_single_changes_decide_independent_records() -> None:
    """Theorem 6.1: random independent priors stay below the level of single changes."""
    draw = random.Random(1)
    worlds = databases((0, 1, None), 3)
    mechanism = noisy(worlds, lambda w: w.count(1), HALF)
    for _ in range(20):
        weights = [[F(draw.randrange(1, 9)) for _ in range(3)] for _ in range(3)]
        prior = independent(worlds, [dict(zip((0, 1, None), x, strict=True)) for x in weights])
        assert pufferfish(mechanism, presence(worlds), [prior]) <= 2
        assert pufferfish(mechanism, values(worlds), [prior]) <= 2


def test_correlation_breaks_the_bound() -> None:
    worlds = databases((1, None), 2)
    yes = {(None, None): F(2, 3), (None, 1): F(1, 3), (1, None): F(1, 3), (1, 1): F(1, 6)}
    mechanism = {w: bits(p) for w, p in yes.items()}
    both, one = F(2, 5), F(1, 10)
    couple = {(None, None): both, (1, 1): both, (None, 1): one, (1, None): one}
    near = over_pairs(mechanism, add_remove(worlds))
    confirm(
        "pufferfish/correlation-breaks-the-bound.yaml",
        near,
        near,
        pufferfish(mechanism, presence(worlds), [uniform(worlds)]),
        pufferfish(mechanism, presence(worlds), [couple]),
    )
    # the proof, for Bob: alpha (1 + (alpha−1) P(A | absent)) / (1 + (alpha−1) P(C | present))
    assert 2 * (1 + F(4, 5)) / (1 + F(1, 5)) == 3


def test_surely_present_records() -> None:
    worlds = databases((0, 1, None), 2)
    mechanism = exactly(worlds, lambda w: w[0] == 1)
    prior = {(0, 0): HALF, (1, 1): HALF}
    confirm(
        "pufferfish/surely-present-records.yaml",
        pufferfish(mechanism, presence(worlds), [prior]),
        pufferfish(mechanism, values(worlds), [prior]),
    )


def test_correlated_records() -> None:
    worlds = databases(BITS, 3)
    step = {0: bits(F(1, 3)), 1: bits(F(3, 4))}
    prior = markov(worlds, bits(F(4, 7)), step)
    mechanism = response(worlds, F(3, 4), BITS)
    bob = split(worlds, lambda w: w[1] == 1, lambda w: w[1] == 0)
    level = pufferfish(mechanism, bob, [prior])
    near = over_pairs(mechanism, replace(worlds))
    confirm("pufferfish/correlated-records.yaml", near, level, level)


def test_markov_chains() -> None:
    worlds = databases(BITS, 3)
    mechanism = response(worlds, F(3, 4), BITS)
    tuesday = split(worlds, lambda w: w[1] == 1, lambda w: w[1] == 0)

    def prior(stay: Fraction) -> Prior:
        return markov(worlds, bits(HALF), {0: bits(1 - stay), 1: bits(stay)})

    def level(stay: Fraction) -> Fraction | float:
        found = pufferfish(mechanism, tuesday, [prior(stay)])
        assert found == 3 * ((3 * stay + 1 - stay) / (stay + 3 * (1 - stay))) ** 2
        return found

    sticky = level(F(9, 10))
    every_day = pufferfish(mechanism, values(worlds), [prior(F(9, 10))])
    confirm(
        "pufferfish/markov-chains.yaml",
        level(HALF),
        level(F(2, 3)),
        sticky,
        sticky,
        level(F(1)),
        every_day,
    )


def test_entries_and_attributes() -> None:
    people = [(a, b) for a in BITS for b in BITS]
    worlds = databases(people, 2)
    flip = {x: bits(F(3, 4) if x else F(1, 4)) for x in BITS}
    mechanism = {w: together(*(flip[x] for person in w for x in person)) for w in worlds}
    entry = [
        (v, w)
        for v, w in replace(worlds)
        if sum(x != y for p, q in zip(v, w, strict=True) for x, y in zip(p, q, strict=True)) == 1
    ]
    # one attribute from 0 to 1, the other attribute of the person free on both sides
    record = over_pairs(mechanism, replace(worlds))
    attribute = over_pairs(
        mechanism,
        [
            (v, w)
            for v, w in replace(worlds)
            if any(
                p[k] != q[k] and all(v[j] == w[j] for j in (0, 1) if j != i)
                for i, (p, q) in enumerate(zip(v, w, strict=True))
                for k in (0, 1)
            )
        ],
    )
    secrets = [
        pair
        for i in (0, 1)
        for k in (0, 1)
        for pair in split(worlds, lambda w: w[i][k] == 1, lambda w: w[i][k] == 0)  # noqa: B023
    ]
    confirm(
        "pufferfish/entries-and-attributes.yaml",
        over_pairs(mechanism, entry),
        record,
        attribute,
        attribute,
        pufferfish(mechanism, secrets, [uniform(worlds)]),
    )


def test_the_count_of_others_is_crowd_blending() -> None:
    """Gehrke et al.'s definition, at no leakage: each tuple of each multiset blends with k − 1 more
    (they could be exchanged in any data), or can be taken away."""
    data = [d for n in range(7) for d in combinations_with_replacement(("bob", "other"), n)]

    def blend(k: int, t: str, other: str) -> bool:
        return all(count(k, (*d, t)) == count(k, (*d, other)) for d in data)

    def count(k: int, d: tuple[str, ...]) -> int:
        return max(k, d.count("other"))

    for k in (1, 2, 3):
        for d in data:
            for t in set(d):
                taken = list(d)
                taken.remove(t)
                crowd = sum(blend(k, t, other) for other in d)
                assert crowd >= k or count(k, d) == count(k, tuple(taken))


def test_crowd_blending() -> None:
    worlds = databases(("bob", "other"), 3, lambda w: w.count("bob") <= 1)
    secrets = split(worlds, lambda w: "bob" in w, lambda w: "bob" not in w)
    k_2 = exactly(worlds, lambda w: max(2, w.count("other")))
    k_3 = exactly(worlds, lambda w: max(3, w.count("other")))
    confirm(
        "pufferfish/crowd-blending.yaml",
        pufferfish(k_2, secrets, [uniform(worlds)]),
        over_pairs(k_2, replace(worlds)),
        pufferfish(k_3, secrets, [uniform(worlds)]),
    )
