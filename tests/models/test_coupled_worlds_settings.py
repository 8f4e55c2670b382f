"""What is private, and what a simulator sees (Section II-C of the paper), by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations

import pytest

from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    add_up,
    coin,
    databases,
    given,
    independent,
    pufferfish,
)
from tests.models.model_files import confirm, confirm_engine, once
from tests.models.test_coupled_worlds_models import (
    BITS,
    COIN,
    FOLDER,
    Entries,
    View,
    distributional,
    exactly,
    iid,
    knowing,
    noiseless,
    simulated,
    unseen,
)

pytestmark = pytest.mark.oracle


def schools() -> list[Level]:
    two = exactly(4, BITS, lambda w: sum(w) >= 2)
    alike = {(x, y): F(3, 7) if x == y else F(1, 14) for x in BITS for y in BITS}
    contagious = {(*v, *w): p * q for v, p in alike.items() for w, q in alike.items()}
    fair = iid(COIN, 4)

    def seen(school: int) -> Callable[[tuple[int, ...]], object]:
        return lambda w: (school, w[2:] if school == 0 else w[:2])

    pupils: list[View] = [(seen(i // 2), lambda w, i=i: w[i]) for i in range(4)]  # type: ignore[misc]
    whole: list[View] = [(seen(0), lambda w: w[:2]), (seen(1), lambda w: w[2:])]
    return [
        distributional(two, contagious, F(49, 40)),
        simulated(two, [knowing(contagious)], pupils, F(3), ZERO),
        noiseless(two, [contagious]),
        simulated(two, [knowing(contagious)], whole, INFINITE, ZERO),
        distributional(two, fair, F(2)),
        simulated(two, [knowing(fair)], pupils, F(2), ZERO),
        noiseless(two, [fair]),
    ]


FRIENDSHIPS = list(combinations(range(4), 2))


def is_connected(world: tuple[int, ...]) -> bool:
    """Whether everybody is reached from person 0."""
    friends = [pair for pair, there in zip(FRIENDSHIPS, world, strict=True) if there]
    reached = {0}
    for _ in range(3):
        reached |= {x for pair in friends if reached & set(pair) for x in pair}
    return len(reached) == 4


def social_network() -> list[Level]:
    connected, number = exactly(6, BITS, is_connected), exactly(6, BITS, sum)
    fair = iid(COIN, 6)

    def around(person: int, there: bool) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        chosen = [k for k, pair in enumerate(FRIENDSHIPS) if (person in pair) == there]
        return lambda w: tuple(w[k] for k in chosen)

    members: list[View] = [
        (lambda w, p=p: (p, around(p, False)(w)), around(p, True))  # type: ignore[misc]
        for p in range(4)
    ]
    mine = around(0, True)
    ends = [(lambda w: sum(mine(w)) == 0, lambda w: sum(mine(w)) == 3)]
    one = [given(number, fair, lambda w, v=v: w[0] == v) for v in BITS]
    ann = [given(number, fair, lambda w, v=v: mine(w) == v) for v in databases(3, BITS)]
    return [
        distributional(connected, fair, F(3, 2)),
        noiseless(connected, [fair]),
        simulated(connected, [knowing(fair)], members, INFINITE, ZERO),
        simulated(connected, [knowing(fair)], members, F(1), F(1, 2)),
        pufferfish(connected, [fair], ends, F("0.999999999")),
        unseen(one, F(1), F(5, 32)),
        noiseless(number, [fair], delta=F(5, 16)),
        unseen(ann, F(1), F(7, 16)),
    ]


def public_and_private() -> list[Level]:
    """A record is (ill, old)."""
    record = {(0, 0): F(27, 40), (1, 0): F(3, 40), (0, 1): F(5, 40), (1, 1): F(5, 40)}
    domain = list(record)
    prior = independent([record] * 2)
    report: Mechanism = {
        w: coin(F(3, 4) if w[0][0] or w[1][0] else F(1, 4)) for w in databases(2, domain)
    }
    views: list[View] = [
        (lambda w: (0, w[0][1], w[1]), lambda w: w[0][0]),
        (lambda w: (1, w[0], w[1][1]), lambda w: w[1][0]),
    ]
    ages: Entries = knowing(prior, lambda w: (w[0][1], w[1][1]))
    entries = [
        (lambda w, i=i, a=a: w[i][a] == 0, lambda w, i=i, a=a: w[i][a] == 1)
        for i in range(2)
        for a in range(2)
    ]
    return [
        distributional(report, prior, F(5, 3)),
        simulated(report, [knowing(prior)], views, F(80, 73), ZERO),
        simulated(report, [ages], views, F(20, 11), ZERO),
        noiseless(report, [prior], domain),
        pufferfish(report, [prior], entries),
    ]


def blurred_assets() -> list[Level]:
    """A world is (firm, rival, blur)."""
    assets = add_up((x, F(1, 4)) for x in range(4))
    prior = independent([assets, assets, COIN])
    total: Mechanism = {w: {w[0] + w[1]: F(1)} for w in prior}
    odd: Mechanism = {w: {w[0] % 2: F(1)} for w in prior}
    blurred: View = (lambda w: (w[0] + w[2], w[1]), lambda w: w[0])
    unblurred: View = (lambda w: w[1], lambda w: w[0])
    ends = [(lambda w: w[0] == 0, lambda w: w[0] == 3)]
    entries = [knowing(prior)]
    return [
        simulated(total, entries, [unblurred], F(1), F(3, 8)),
        simulated(total, entries, [blurred], F(1), ZERO),
        pufferfish(total, [prior], ends, F(3, 4)),
        simulated(odd, entries, [unblurred], F(1), F(1, 2)),
        simulated(odd, entries, [blurred], F(1), F(3, 8)),
        pufferfish(odd, [prior], ends),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "blurred-assets.yaml": blurred_assets,
    "public-and-private.yaml": public_and_private,
    "schools.yaml": schools,
    "social-network.yaml": social_network,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
