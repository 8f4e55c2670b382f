"""What priors of a class make possible together: `within` against all supports of the class, which
are enumerated from its definition, and its priors against the definition again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Draw, Json, Space, read
from tests.drawing import examples
from tests.priors import families
from tests.priors.mixtures import inside
from tests.priors.test_constraints import cases
from verifier.base.errors import InputError, NotDecided
from verifier.priors.product import ProductPriors
from verifier.questions.beliefs.supports import ConeSupports, Found, Supports, between
from verifier.world.worlds import exchangeable

F = Fraction
EXAMPLES = examples(40)
Weights = Mapping[int, Fraction]
Set = frozenset[int]


@dataclass(frozen=True)
class Case:
    """worlds  a spec's worlds, and their names
    sides   the worlds of two secrets
    priors  a spec's class
    sets    all supports of its priors, from its definition
    member  whether a prior with one of these supports is in the class
    """

    worlds: Any
    names: Sequence[str]
    sides: Sequence[Sequence[int]]
    priors: Any
    sets: Iterable[Set]
    member: Callable[[Weights], bool]
    named: Sequence[tuple[str, Sequence[int]]] = ()

    def spec(self) -> Json:
        sides = [*zip("st", self.sides, strict=True), *self.named]
        return {
            "worlds": self.worlds,
            "secrets": {name: [self.names[w] for w in side] for name, side in sides},
            "mechanism": {"table": {"outputs": ["o"], **{name: ["1"] for name in self.names}}},
            "checks": [
                {"pufferfish": {"exp_epsilon": "1", "pairs": [["s", "t"]], "priors": self.priors}}
            ],
        }

    def supports(self, order: tuple[str, str] = ("s", "t")) -> Supports:
        (check,) = read(self.spec())
        return between(check.priors().supports(check.space, check.pairs().listed), order)

    def smallest(self, world: int, others: Sequence[int], avoided: Set) -> list[Set]:
        """All T that are disjoint from `avoided` and contain no other such T."""
        met = {s.intersection(others) for s in self.sets if world in s}
        found = [t for t in met if t and not t & avoided]
        return [t for t in found if not any(u < t for u in found)]


def nonempty(values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Every choice of at least one."""
    known = list(values)
    return chain.from_iterable(combinations(known, n) for n in range(1, len(known) + 1))


def unions(sets: Iterable[Set]) -> set[Set]:
    return {frozenset[int]().union(*some) for some in nonempty(set(sets))}


def positive(prior: Sequence[Fraction]) -> dict[int, Fraction]:
    return {w: p for w, p in enumerate(prior) if p}


def mean(*priors: Sequence[Fraction]) -> dict[int, Fraction]:
    return positive([sum(ps, F(0)) / len(priors) for ps in zip(*priors, strict=True)])


def is_uniform(prior: Weights) -> bool:
    return len(set(prior.values())) == 1


@st.composite
def sides(draw: Draw, size: int) -> list[list[int]]:
    """Two secrets, both of them possible, and worlds in neither."""
    first = draw(st.permutations(range(size)))[:2]
    labels = [draw(st.integers(0, 2)) for _ in range(size)]
    for label, world in enumerate(first):
        labels[world] = label
    return [[w for w in range(size) if labels[w] == label] for label in (0, 1)]


@st.composite
def record_spaces(draw: Draw) -> Space:
    return draw(drawn.spaces().filter(lambda space: space.size > 1))


@st.composite
def sparse(draw: Draw, worlds: Sequence[int], size: int) -> list[Fraction]:
    """A distribution on some of the worlds."""
    weights = st.sampled_from([*[F(0)] * 6, F(1), F(2), drawn.TINY, F(1, drawn.HUGE)])
    found = draw(st.lists(weights, min_size=len(worlds), max_size=len(worlds)).filter(any))
    row = dict(zip(worlds, found, strict=True))
    return [row.get(w, F(0)) / sum(found) for w in range(size)]


def on_worlds(names: Sequence[str], prior: Sequence[Fraction]) -> Json:
    return {"worlds": {names[w]: str(p) for w, p in positive(prior).items()}}


@st.composite
def with_given_priors(draw: Draw) -> Case:
    """list, hull and all, over a list of names."""
    names = draw(drawn.named_spaces()).names
    size, everything = len(names), range(len(names))
    kind = draw(st.sampled_from(["list", "hull", "all"]))
    if kind == "all":
        every = set(map(frozenset, nonempty(everything)))
        return Case(names, names, draw(sides(size)), "all", every, lambda prior: True)
    priors = draw(st.lists(sparse(everything, size), min_size=1, max_size=4))
    sets = {frozenset(positive(p)) for p in priors}
    several = product(priors, priors) if kind == "hull" else zip(priors, priors, strict=True)
    members = [mean(*some) for some in several]
    return Case(
        names,
        names,
        draw(sides(size)),
        {kind: [on_worlds(names, p) for p in priors]},
        unions(sets) if kind == "hull" else sets,
        lambda prior: prior in members,
    )


@st.composite
def with_conditionals(draw: Draw) -> Case:
    names = draw(drawn.named_spaces()).names
    parts = draw(sides(len(names)))
    having = ["st", *draw(st.lists(st.sampled_from(["s", "t", "st"]), max_size=3))]
    attackers = [
        {name: draw(sparse(parts["st".index(name)], len(names))) for name in known}
        for known in having
    ]
    members = [mean(*a.values()) for a in attackers if len(a) == 2]
    return Case(
        names,
        names,
        parts,
        {"conditionals": [{n: on_worlds(names, p) for n, p in a.items()} for a in attackers]},
        {frozenset(prior) for prior in members},
        lambda prior: prior in members,
    )


@st.composite
def with_records(draw: Draw) -> Case:
    """iid and product, where some worlds may be missing."""
    space = draw(record_spaces())
    count, values = len(space.databases[0]), families.values_of(space)
    kind = draw(st.sampled_from(["iid", "product"]))
    alike = ([row] * count for row in nonempty(values))
    choices = alike if kind == "iid" else product(nonempty(values), repeat=count)
    boxes = {
        frozenset(
            w
            for w, row in enumerate(space.databases)
            if all(x in allowed for x, allowed in zip(row, chosen, strict=True))
        )
        for chosen in choices
    }
    parts = draw(sides(space.size))
    return Case(space.node, space.names, parts, kind, boxes - {frozenset()}, is_uniform)


@st.composite
def with_hedging(draw: Draw) -> Case:
    """Two secrets that give a record a value, and have no world in common."""
    space = draw(record_spaces())
    count = len(space.databases[0])
    values = [x for x in families.values_of(space) if any(x in row for row in space.databases)]

    def worlds(record: int, x: Any) -> list[int]:
        return [w for w, row in enumerate(space.databases) if row[record] == x]

    named = [(i, x, worlds(i, x)) for i, x in product(range(count), values)]
    secrets = [s for s in named if s[2] and sum(s[2] == t[2] for t in named) == 1]
    apart = [pair for pair in combinations(secrets, 2) if not {*pair[0][2]} & {*pair[1][2]}]
    assume(apart)
    both = draw(st.sampled_from(apart))
    a = draw(st.sampled_from([F(0), F(1, 1000), F(1, 2), F(1)]))
    everything = families.values_of(space)
    known = dict(zip(everything, draw(known_rows(len(everything))), strict=True))

    def conditional(secret: tuple[int, Any, list[int]], chosen: Sequence[Any]) -> list[Fraction]:
        weights = [F(0)] * space.size
        for w in secret[2]:
            rest = [x for i, x in enumerate(space.databases[w]) if i != secret[0]]
            weights[w] = (1 - a) * prod((F(x in chosen, len(chosen)) for x in rest), start=F(1))
            weights[w] += a * prod((known[x] for x in rest), start=F(1))
        return [p / sum(weights) for p in weights] if any(weights) else weights

    halves = [[conditional(secret, chosen) for secret in both] for chosen in nonempty(values)]
    members = [mean(*pair) for pair in halves]
    return Case(
        space.node,
        space.names,
        [secret[2] for secret in both],
        {
            "hedging": {
                "weight": str(a),
                "known": {drawn.value_text(x): str(p) for x, p in known.items()},
            }
        },
        {frozenset(prior) for prior in members},
        lambda prior: prior in members,
    )


@st.composite
def known_rows(draw: Draw, size: int) -> list[Fraction]:
    weights = st.lists(st.sampled_from([F(0), F(0), F(1), F(3)]), min_size=size, max_size=size)
    found = draw(weights.filter(any))
    return [x / sum(found) for x in found]


@st.composite
def with_constraints(draw: Draw) -> Case:
    """A point of a polytope mixes some corners, and its support is the union of theirs."""
    case = draw(cases())
    corners = {frozenset(positive(corner)) for corner in case.corners}

    def member(prior: Weights) -> bool:
        return inside([prior.get(w, F(0)) for w in range(len(case.names))], case.rows)

    constraints = case.priors
    named = [(f"e{k}", event) for k, event in enumerate(case.events)]
    return Case(case.names, case.names, case.sides, constraints, unions(corners), member, named)


KINDS = [with_given_priors(), with_conditionals(), with_records(), with_hedging()]


def walk(
    case: Case, supports: Supports, world: int, others: Sequence[int], avoided: Set
) -> Iterator[tuple[Set, Found | None]]:
    """The answers for `avoided`, and with every world of a T avoided in turn as well."""
    found = supports.within(world, others, avoided)
    yield avoided, found
    for other in found.worlds if found else ():
        yield from walk(case, supports, world, others, avoided | {other})


def confirm(case: Case, data: st.DataObject) -> None:
    """All of `within`, both orders."""
    try:
        both = [case.supports(("s", "t")), case.supports(("t", "s"))]
    except InputError as error:
        s, t = map(set, case.sides)
        assert error.code == "S403" and not any(met & s and met & t for met in case.sets)
        return
    for order, supports, (here, others) in zip(
        (("s", "t"), ("t", "s")), both, (case.sides, case.sides[::-1]), strict=True
    ):
        for world in here:
            some = data.draw(st.frozensets(st.sampled_from(others)))
            again = case.supports(order) if world == here[0] else supports
            for avoided in (frozenset[int](), some):
                for missed, found in list(walk(case, supports, world, others, avoided))[:20]:
                    assert again.within(world, others, missed) == found
                    smallest = case.smallest(world, others, missed)
                    if found is None:
                        assert not smallest
                        disprove(case, supports, world, others, missed)
                        continue
                    prior = found.prior
                    assert frozenset(found.worlds) in smallest
                    assert found.worlds == tuple(w for w in others if w in prior)
                    assert world in prior and frozenset(prior) in case.sets and case.member(prior)
                    assert min(prior.values()) > 0 and sum(prior.values()) == 1


def disprove(
    case: Case, supports: Supports, world: int, others: Sequence[int], avoided: Set
) -> None:
    """The multipliers of a proof, by plain sums over the rows of the class's statement."""
    if not isinstance(supports, ConeSupports):
        return
    (check,) = read(case.spec())
    rows = check.priors().statement(check.space, check.pairs().listed)["rows"]
    ((key, multipliers),) = supports.proof(world, others, avoided).items()
    target = {"world": [world], "others": others}[key]
    bound = [F(0)] * len(case.names)
    for y, row in zip(multipliers, rows, strict=True):
        assert y >= 0 or row["sense"] == "="
        for value, worlds in row["coefficients"].items():
            for w in worlds:
                bound[w] += y * int(value)
    assert all((w in target) <= b for w, b in enumerate(bound) if w not in avoided)


@EXAMPLES
@given(st.data())
def test_drawn_classes(data: st.DataObject) -> None:
    for kind in KINDS:
        confirm(data.draw(kind), data)


@EXAMPLES
@given(with_constraints(), st.data())
def test_drawn_constraints(case: Case, data: st.DataObject) -> None:
    confirm(case, data)


@EXAMPLES
@given(st.data())
def test_drawn_chains(data: st.DataObject) -> None:
    """Two values; a chain in the middle of every interval is the one that is shown."""
    spaces = drawn.spaces(absent=False, attributes=False)
    space = data.draw(spaces.filter(lambda space: len(space.values) == 2 and space.size > 1))
    family = data.draw(families.markov(space))
    grid = list(product([(F(1), F(0)), (F(0), F(1)), (F(1, 2), F(1, 2))], repeat=3))
    sets = {frozenset(positive(family.weights(point))) for point in grid}
    every = [family.weights(point) for point in grid]
    members = [positive([w / (sum(weights) or 1) for w in weights]) for weights in every]
    case = Case(
        space.node,
        space.names,
        data.draw(sides(space.size)),
        family.keyword,
        sets - {frozenset()},
        lambda prior: prior in members,
    )
    rows = family.keyword["markov"]["transition"]
    stays = all(F(row.get(v, ["0", "0"])[1]) == 1 for v, row in rows.items())
    if family.keyword["markov"]["initial"] == "stationary" and stays:
        with pytest.raises(NotDecided, match="several stationary"):
            case.supports()
    else:
        confirm(case, data)


SECRETS = {
    "first a": "r1 == 'a'",
    "first b": "r1 == 'b'",
    "first c": "r1 == 'c'",
    "second a": "r2 == 'a'",
}


def supports_of(priors: Any, *pairs: tuple[str, str], **worlds: Any) -> Supports:
    """Of a class over two records with values a, b, c: those of the first of the pairs."""
    asked = {"exp_epsilon": "1", "pairs": list(map(list, pairs)), "priors": priors}
    spec = {
        "worlds": {"records": "2", "domain": ["a", "b", "c"], **worlds},
        "secrets": {name: SECRETS[name] for pair in pairs for name in pair},
        "mechanism": {"deterministic": "0"},
        "checks": [{"pufferfish": asked}],
    }
    (check,) = read(spec)
    return between(check.priors().supports(check.space, check.pairs().listed), pairs[0])


AA, AB, AC, BA, BB, BC, CA, CB, CC = range(9)
FIRST = ("first a", "first b")


def test_a_mixture_of_two_joins_their_supports() -> None:
    """Nobody has both aa and a world that starts with b; aa is alone, so any of the others do."""
    given = [{"worlds": dict.fromkeys(ws, "1/2")} for ws in (["aa", "ac"], ["ab", "ba"])]
    given += [{"worlds": {"bb": "1/3", "bc": "2/3"}}, {"worlds": {"bc": "1"}}]
    supports = supports_of({"hull": given}, FIRST)
    others = [BA, BB, BC]
    quarters = {AA: F(1, 4), AB: F(1, 4), AC: F(1, 4), BA: F(1, 4)}
    assert supports.within(AA, others, frozenset()) == Found((BA,), quarters)
    half = {AA: F(1, 4), AC: F(1, 4), BC: F(1, 2)}
    assert supports.within(AA, others, {BA}) == Found((BC,), half)
    assert supports.within(AA, others, {BA, BC}) is None
    assert supports.within(AB, others, frozenset()) == Found((BA,), {AB: F(1, 2), BA: F(1, 2)})
    assert supports.within(AB, others, {BA}) is None
    with pytest.raises(InputError, match="no prior allows both"):
        supports_of({"list": [given[0], given[2]]}, FIRST)


def test_alike_records_bring_their_values_along() -> None:
    """aa and a world that starts with b: both values are possible for both records. From ac to a b
    all three are."""
    supports = supports_of("iid", FIRST)
    four = dict.fromkeys((AA, AB, BA, BB), F(1, 4))
    assert supports.within(AA, [BA, BB, BC], frozenset()) == Found((BA, BB), four)
    assert supports.within(AA, [BA, BB, BC], {BA}) is None
    found = supports.within(AC, [BA, BB, BC], frozenset())
    assert found == Found((BA, BB, BC), dict.fromkeys(range(9), F(1, 9)))


def test_independent_records_change_alone() -> None:
    """From ab to bb; where bb is not possible, by one of the two that are left, in any way."""
    complete = supports_of("product", FIRST)
    half = F(1, 2)
    assert complete.within(AB, [BA, BB, BC], frozenset()) == Found((BB,), {AB: half, BB: half})
    assert complete.within(AB, [BA, BB, BC], {BB}) is None
    less = supports_of("product", FIRST, where=["not (r1 == 'b' and r2 == 'b')"])
    aa, ab, ba, bc = 0, 1, 3, 4
    three = dict.fromkeys((aa, ab, ba), F(1, 3))
    assert less.within(ab, [ba, bc], frozenset()) == Found((ba,), three)
    other = less.within(ab, [ba, bc], {ba})
    assert other and other.worlds == (bc,)
    assert less.within(ab, [ba, bc], {ba, bc}) is None


def hedging(weight: str) -> Json:
    """f* gives a."""
    return {"hedging": {"weight": weight, "known": {"a": "1"}}}


@pytest.mark.parametrize(
    ("a", "world", "worlds"),
    [
        ("0", AB, (BB,)),  # f alone must give b
        ("1/2", AA, (BA,)),  # f* gives a, f may do so too
        ("1/2", AB, (BA, BB)),  # b comes from f, and f* gives a
        ("1", AA, (BA,)),
        ("1", AB, None),  # f* never gives b
    ],
)
def test_hedging_mixes_a_known_distribution(a: str, world: int, worlds: Any) -> None:
    supports = supports_of(hedging(a), FIRST)
    found = supports.within(world, [BA, BB, BC], frozenset())
    assert (found and found.worlds) == worlds
    if found and a == "1/2" and world == AB:
        assert found.prior == dict.fromkeys((AA, AB, BA, BB), F(1, 4))


def test_priors_given_a_secret_need_to_know_which() -> None:
    """ba starts with b, and has a second; both are compared with ab and ac. Known values are a:
    given b first, f may be c alone; given a second, it must give b, which makes ab possible."""
    priors, where = hedging("1/2"), ["r1 != r2"]
    pairs = [("first b", "first a"), ("second a", "first a")]
    ba, others = 2, [0, 1]
    first, second = (supports_of(priors, *order, where=where) for order in (pairs, pairs[::-1]))
    for supports in (first, second):
        assert supports.within(ba, others, frozenset()) is not None
    found = first.within(ba, others, {0})
    assert found is not None and found.worlds == (1,)
    assert second.within(ba, others, {0}) is None


MOVES = {
    "a": {"a": "1/2", "b": "1/2"},
    "b": {"b": ["1/3", "1/2"], "c": ["1/2", "2/3"]},
    "c": {"c": ["0", "0"], "b": "1"},
}


def test_a_chain_within_intervals() -> None:
    """No move from a to c, from b or c to a, from c to c."""
    initial = {"a": ["1/4", "1/2"], "b": "1/4", "c": ["1/4", "1/2"]}
    supports = supports_of({"markov": {"initial": initial, "transition": MOVES}}, FIRST)
    found = supports.within(AB, [BA, BB, BC], frozenset())
    assert found and found.worlds == (BB, BC) and set(found.prior) == {AA, AB, BB, BC, CB}
    assert supports.within(AC, [BA, BB, BC], frozenset()) is None
    assert supports.within(AB, [BA, BB, BC], {BC}) is None


def test_a_chain_that_leaves_a_value_for_ever() -> None:
    """In the long run there is no a, and b : c = 1 : P(b -> c), which is 12 : 7 in the middle."""
    priors = {"markov": {"initial": "stationary", "transition": MOVES}}
    supports = supports_of(priors, ("first b", "first c"))
    assert supports.within(BB, [CA, CB, CC], frozenset()) == Found(
        (CB,), {BB: F(5, 19), BC: F(7, 19), CB: F(7, 19)}
    )
    with pytest.raises(InputError, match="'first a' has probability 0"):
        supports_of(priors, FIRST)


def test_an_interval_from_0_allows_two_supports() -> None:
    """With or without a move from a to a."""
    moves = {**MOVES, "a": {"a": ["0", "1/2"], "b": ["1/2", "1"]}}
    half = {"a": "1/2", "b": "1/2"}
    supports = supports_of({"markov": {"initial": half, "transition": moves}}, FIRST)
    found = supports.within(BB, [AA, AB, AC], frozenset())
    assert found and found.worlds == (AB,) and set(found.prior) == {AB, BB, BC}
    found = supports.within(AA, [BA, BB, BC], frozenset())
    assert found and set(found.prior) == {AA, AB, BB, BC}
    forced = {**MOVES, "a": {"a": ["0", "1/2"], "b": ["1/2", "1/2"]}}
    initial = {"a": "1/2", "b": "1/2"}
    supports = supports_of({"markov": {"initial": initial, "transition": forced}}, FIRST)
    found = supports.within(AA, [BA, BB, BC], frozenset())
    assert found and set(found.prior) == {AA, AB, BB, BC}


@pytest.mark.parametrize("names", ["duxy", "dxyu", "dyxu", "yxdu", "uyxd"])
def test_constraints_that_need_one_world_or_another(names: str) -> None:
    """d brings x along, and y or u; u is in neither secret."""
    constraints = ["P(d) <= P(x)", "P(d) <= P(yu)"]
    case = Case(
        list(names),
        names,
        [[names.index("d")], sorted(map(names.index, "xy"))],
        {"constraints": constraints},
        [],
        bool,
        [("yu", sorted(map(names.index, "yu")))],
    )
    supports, world, others = case.supports(), case.sides[0][0], case.sides[1]
    x, y, u = map(names.index, "xyu")
    found = supports.within(world, others, frozenset())
    assert found and found.worlds == (x,) and set(found.prior) == {world, x, u}
    assert supports.within(world, others, {x}) is None
    back = supports.within(y, [world], frozenset())
    assert back and back.worlds == (world,) and back.prior[x] >= back.prior[world]


def test_histograms_are_not_made_of_records() -> None:
    with pytest.raises(InputError, match="needs records that are told apart"):
        ProductPriors().supports(exchangeable(2, ["a", "b"]), [])
