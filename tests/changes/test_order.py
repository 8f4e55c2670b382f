"""The order of promises against mechanisms: one that keeps the new promise and breaks the old one
refutes that the old one is kept. Levels are set so that drawn mechanisms are such, just about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.definitions.drawn import read
from tests.drawing import wider
from verifier.base.errors import InputError, NotDecided
from verifier.base.level import Level
from verifier.changes.order import losses, promised
from verifier.definitions import (
    blowfish,
    bounded_range,
    coupled_worlds,
    dependent_privacy,
    differential_privacy,
    distributional_privacy,
    hedging_privacy,
    implies,
    induced_neighbours,
    metric_privacy,
    pufferfish,
    renyi,
    sensitivity,
)
from verifier.questions.claim import ComparisonClaim
from verifier.questions.question import Question
from verifier.run import verify
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, named

Ask = Callable[[Mechanism, Level], Question]
Draw = Callable[[Random, WorldSpace], Ask]
ONE = Fraction(1)
STAYS = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/4", "1": "3/4"}}


def keeps(old: Question, new: Question) -> bool:
    """Whether every mechanism that keeps the new promise is shown to keep the old one."""
    return not losses(old, new)


def numbers(random: Random, size: int) -> list[Fraction]:
    """A distribution with ties, powers of two and now and then zeros."""
    weights = [Fraction(random.choice([0, 1, 1, 1, 2, 4, 8])) for _ in range(size)]
    weights[random.randrange(size)] += 1
    return [weight / sum(weights) for weight in weights]


def mechanism(random: Random, size: int) -> Mechanism:
    """A drawn matrix; or a row of powers and its complement, as extreme mechanisms are."""
    if random.random() < 0.5:
        power = random.choice([2, 3])
        row = [Fraction(1, 2 * power ** random.choice([0, 0, 1, 1, 2, 3])) for _ in range(size)]
        return Mechanism.from_rows(["yes", "no"], [row, [1 - p for p in row]])
    outputs = random.choice([2, 2, 3])
    columns = [numbers(random, outputs) for _ in range(size)]
    return Mechanism.from_rows(map(str, range(outputs)), list(zip(*columns, strict=True)))


def delta(random: Random) -> str:
    return random.choice(["0", "0", "0", "1/20", "1/4"])


def of_neighbours(random: Random, space: WorldSpace) -> Ask:
    rules = ["all"] if not space.records else ["replace", "entry", "all", "add_remove"]
    rule, group, missed = random.choice(rules), random.choice([1, 1, 2]), delta(random)
    size = 1 if rule == "all" else group
    return lambda m, level: differential_privacy.question(
        space=space, mechanism=m, level=level, neighbours=rule, group=str(size), delta=missed
    )


def of_a_metric(random: Random, space: WorldSpace) -> Ask:
    if space.records:
        metric: Any = "hamming"
    else:
        names = space.names(range(space.size))
        edges = [[a, b, str(random.choice([1, 1, 2]))] for a in names for b in names if a < b]
        metric = {"graph": random.sample(edges, random.randint(1, len(edges)))}
    return lambda m, level: metric_privacy.question(
        space=space, mechanism=m, level=level, distance=metric
    )


def of_a_policy(random: Random, space: WorldSpace) -> Ask:
    if not space.records:
        return of_neighbours(random, space)
    if random.random() < 0.5:
        return lambda m, level: blowfish.question(space=space, mechanism=m, level=level)
    return lambda m, level: induced_neighbours.question(space=space, mechanism=m, level=level)


def prior(random: Random, space: WorldSpace) -> dict[str, Any]:
    weights = zip(space.names(range(space.size)), numbers(random, space.size), strict=True)
    return {"worlds": {name: str(weight) for name, weight in weights if weight}}


def priors(random: Random, space: WorldSpace, kinds: Sequence[str]) -> Any:
    kind = random.choice(kinds)
    if kind in ("list", "hull"):
        shared = Random(random.choice([1, 2]))
        known = [prior(shared, space) for _ in range(3)]
        return {kind: random.sample(known, random.choice([1, 2, 3]))}
    if kind == "constraints":
        names = space.names(range(space.size))
        rows = [f"P({a}) <= {bound}" for a in names[:2] for bound in ("1/2", "3/4")]
        rows += [f"P({names[0]}) >= {bound} * P({names[-1]})" for bound in (1, 2)]
        return {kind: random.sample(rows, random.choice([1, 2]))}
    return kind


def of_secrets(random: Random, space: WorldSpace) -> Ask:
    """Pufferfish over pairs of values, or of groups of worlds."""
    classes = ["list", "list", "hull", "constraints", "all"]
    classes += ["product", "iid"] if space.records else []
    believed, missed = priors(random, space, classes), "0"
    if space.records:
        return lambda m, level: pufferfish.question(
            space=space, mechanism=m, level=level, pairs="values", priors=believed, delta=missed
        )
    cut = random.randrange(1, space.size)
    pairs = [(group(space, range(cut)), group(space, range(cut, space.size)))]
    if random.random() < 0.3:
        pairs += [(group(space, [0]), group(space, [space.size - 1]))]
    return lambda m, level: pufferfish.question(
        space=space, mechanism=m, level=level, pairs=pairs, priors=believed
    )


def group(space: WorldSpace, worlds: Sequence[int] | range) -> Any:
    import numpy as np

    from verifier.questions.secrets import Secret

    inside = np.isin(np.arange(space.size), list(worlds))
    return Secret("|".join(space.names(worlds)), inside)


def of_one_prior(random: Random, space: WorldSpace) -> Ask:
    if not space.records or space.may_be_absent:
        return of_neighbours(random, space)
    if random.random() < 0.5:
        believed = priors(random, space, ["list", "product"])
        return lambda m, level: dependent_privacy.question(
            space=space, mechanism=m, level=level, priors=believed
        )
    kind, weight = random.choice(["values", "presence"]), random.choice(["1/2", "1"])
    known = {"0": "1/3", "1": "2/3"}
    return lambda m, level: hedging_privacy.question(
        space=space, mechanism=m, level=level, known=known, weight=weight, pairs=kind
    )


def of_simulators(random: Random, space: WorldSpace) -> Ask:
    believed = priors(random, space, ["list", "hull", "all"])
    form = "inference" if "list" in believed and random.random() < 0.3 else "simulation"
    if not space.records:
        return of_neighbours(random, space)
    if random.random() < 0.5:
        indexed = random.choice(["true", "false"])
        return lambda m, level: distributional_privacy.question(
            space=space, mechanism=m, level=level, priors=believed, indexed=indexed, form=form
        )
    first, other = space.records[:2]
    alt = random.choice([first, f"{first} == {other}", "0", f"({first}, {other})"])
    priv = random.choice([other, f"({first}, {other})"])
    return lambda m, level: coupled_worlds.question(
        space=space, mechanism=m, level=level, priors=believed, alt=alt, priv=priv, form=form
    )


FAMILIES: Mapping[str, Sequence[Draw]] = {
    "neighbours": [of_neighbours, of_a_metric, of_a_policy],
    "secrets": [of_secrets, of_secrets, of_neighbours],
    "single priors": [of_one_prior, of_secrets],
    "simulators": [of_simulators],
}
BITS = database(["ann", "bob"], [0, 1])
SPACES = {
    "neighbours": [BITS, database(["ann"], [0, 1, 2], absent=True), named(["a", "b", "c", "d"])],
    "secrets": [BITS, named(["a", "b", "c"]), named(["a", "b", "c", "d"])],
    "single priors": [BITS],
    "simulators": [BITS],
}


@dataclass(frozen=True)
class Bounds:
    """The least and largest that a smallest level may be; None: infinite, or not decided."""

    low: Fraction | None
    high: Fraction | None


def leakage(question: Question) -> Bounds:
    found = verify.decide(question).leakage
    if found is None:
        return Bounds(ONE, None)
    if found.bounds:
        return Bounds(*found.bounds)
    return Bounds(found.exp_epsilon, found.exp_epsilon)


def at(alpha: Fraction) -> Level:
    return Level.of_exp_epsilon(alpha)


def below(level: Fraction | None) -> Fraction:
    """A level that is a little smaller, and at least 1; 100 where it is infinite."""
    return Fraction(100) if level is None else 1 + (level - 1) * Fraction(999, 1000)


def counterexample(old: Ask, new: Ask, old_of: Mechanism, new_of: Mechanism) -> bool | None:
    """Whether one mechanism, over either side's worlds, is not told from one that keeps the new
    promise and the old; None where it is no counterexample."""
    try:
        ours, theirs = leakage(old(old_of, at(ONE))), leakage(new(new_of, at(ONE)))
    except (NotDecided, InputError):
        return None
    if theirs.high is None or ours.low == 1:
        return None
    before, after = old(old_of, at(below(ours.low))), new(new_of, at(theirs.high))
    return keeps(before, after)


@pytest.mark.parametrize("seed", range(wider(3, 12)))
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_kept_is_broken(family: str, seed: int) -> None:
    random, tried = Random(f"{family} {seed}"), 0
    for _ in range(12 if family == "simulators" else 25):
        space = random.choice(SPACES[family])
        try:
            old, new = (random.choice(FAMILIES[family])(random, space) for _ in range(2))
            drawn = mechanism(random, space.size)
            found = counterexample(old, new, drawn, drawn)
        except InputError:  # neighbours or secrets that these worlds do not have
            continue
        tried += found is not None
        assert not found
    assert tried


def linear(random: Random, space: WorldSpace) -> Ask:
    """A definition that asks linear inequalities of rows."""
    kinds: list[Draw] = [of_neighbours, of_a_metric, of_secrets]
    while True:
        ask = random.choice(kinds)(random, space)
        silent = Mechanism.from_rows(["nothing"], [[ONE] * space.size])
        claim = ask(silent, at(ONE)).claim
        if isinstance(claim, ComparisonClaim) and not claim.delta:
            return ask


@pytest.mark.parametrize("seed", range(wider(3, 12)))
def test_linear_promises_are_decided(seed: int) -> None:
    """Kept exactly where the engine of implications proves that every mechanism keeps it."""
    random, verdicts = Random(seed), []
    for _ in range(20):
        space = random.choice([BITS, named(["a", "b", "c"])])
        old, new = linear(random, space), linear(random, space)
        few, more = (at(Fraction(random.choice(["1", "3/2", "2", "4", "9"]))) for _ in range(2))

        def conclusion(m: Mechanism, ask: Ask = old, level: Level = more) -> Question:
            return ask(m, level)

        def premise(m: Mechanism, ask: Ask = new, level: Level = few) -> Question:
            return ask(m, level)

        try:
            asked = implies.question(space=space, premise=premise, conclusion=conclusion)
        except NotDecided:  # distances that are no whole numbers
            continue
        silent = Mechanism.from_rows(["nothing"], [[ONE] * space.size])
        verdict = verify.answer(asked).verdict
        verdicts.append(verdict)
        assert keeps(old(silent, more), new(silent, few)) == (verdict == "holds")
    assert {"holds", "violated"} == set(verdicts)


OTHERS = [
    (database(["ann", "bob"], [0, 1]), database(["bob", "ann"], [0, 1])),
    (database(["ann", "bob"], [0, 1]), database(["ann", "bob"], [0, 1, 2])),
    (database(["ann", "bob"], [0, 1], where=["not (ann == 1 and bob == 1)"]), BITS),
    (database(["ann"], [0, 1], absent=True), database(["ann", "bob"], [0, 1], absent=True)),
    (database(["ann"], [0, 1]), database(["ann", "bob"], [0, 1], absent=True)),
    (named(["a", "c", "b"]), named(["b", "a", "d", "c"])),
]


def who(space: WorldSpace, world: int) -> Any:
    """A world as who has which value; or its name."""
    if not space.records:
        return space.name(world)
    found = zip(space.records, space.record_codes[:, world].tolist(), strict=True)
    return {
        record: space.record_values[code] for record, code in found if code != space.absent_code
    }


def restricted(drawn: Mechanism, after: WorldSpace, before: WorldSpace) -> Mechanism:
    """A mechanism on the worlds of another space, by who has which value."""
    keys = [who(after, w) for w in range(after.size)]
    chosen = [keys.index(who(before, w)) for w in range(before.size)]
    return Mechanism.from_rows(drawn.outputs, [[row[w] for w in chosen] for row in drawn.rows()])


@pytest.mark.parametrize("seed", range(wider(3, 12)))
@pytest.mark.parametrize("case", range(len(OTHERS)))
def test_nothing_kept_in_more_worlds_is_broken(case: int, seed: int) -> None:
    before, after = OTHERS[case]
    random, tried = Random(f"{case} {seed}"), 0
    draws = [of_neighbours, of_a_metric, of_secrets, of_a_policy]
    draws += [of_simulators] if len(before.records) > 1 else []
    for _ in range(15):
        draw = random.choice(draws)
        try:
            drawn = mechanism(random, after.size)
            old, new = draw(random, before), draw(random, after)
            found = counterexample(old, new, restricted(drawn, after, before), drawn)
        except InputError:
            continue
        tried += found is not None
        assert not found
    assert tried


def neighbours(
    rule: Any, space: WorldSpace, level: str, group: str = "1", delta: str = "0"
) -> Question:
    return differential_privacy.question(
        space=space,
        mechanism=Mechanism.from_rows(["nothing"], [[ONE] * space.size]),
        level=Level.of_epsilon(level),
        neighbours=rule,
        group=group,
        delta=delta,
    )


ABSENT = database(["ann", "bob", "cat"], [0, 1], absent=True)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        # one value replaced is one record gone and one come: 2·1
        (("replace", "2"), ("add_remove", "1"), True),
        (("replace", "199/100"), ("add_remove", "1"), False),
        # two values: two gone together, two come together
        (("replace", "2", "2"), ("add_remove", "1", "2"), True),
        (("replace", "4", "2"), ("add_remove", "1"), True),
        (("replace", "3", "3"), ("replace", "1"), True),
        (("replace", "2", "3"), ("replace", "1", "2"), True),
        (("replace", "29/10", "3"), ("replace", "1"), False),
        # two steps at δ: δ + e^ε δ with ε = ln 2
        (("replace", "ln(4)", "2", "3/10"), ("replace", "ln(2)", "1", "1/10"), True),
        (("replace", "ln(4)", "2", "29/100"), ("replace", "ln(2)", "1", "1/10"), False),
        (("add_remove", "1"), ("all", "1"), True),
        (("all", "1"), ("add_remove", "1"), False),
        (("add_remove", "5"), ("replace", "1"), False),
    ],
)
def test_groups(old: tuple[str, ...], new: tuple[str, ...], kept: bool) -> None:
    before, after = (neighbours(rule, ABSENT, *rest) for rule, *rest in (old, new))
    assert keeps(before, after) == kept


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("iid", "product", True),
        ("product", "all", True),
        ("iid", "all", True),
        ("product", "iid", False),
        ("all", "product", False),
        ({"list": ["uniform"]}, {"hull": ["uniform", {"worlds": {"00": "1"}}]}, True),
        ({"hull": ["uniform", {"worlds": {"00": "1"}}]}, {"list": ["uniform"]}, False),
        ({"list": ["uniform"]}, {"constraints": ["P(ann == 1) <= 1/2"]}, True),
        ({"list": ["uniform"]}, {"constraints": ["P(ann == 1) <= 1/3"]}, False),
        (
            {"hull": ["uniform", {"worlds": {"00": "1"}}]},
            {"constraints": ["P(ann == 1) <= 1/2"]},
            True,
        ),
        ({"constraints": ["P(ann == 1) <= 1/3"]}, {"constraints": ["P(ann == 1) <= 1/2"]}, True),
        ({"constraints": ["P(ann == 1) <= 1/2"]}, {"constraints": ["P(ann == 1) <= 1/3"]}, False),
        (
            {"constraints": ["P(ann == 1) <= 1/3", "P(bob == 1) <= 1/3"]},
            {"constraints": ["P(ann == 1) + P(bob == 1) <= 2/3"]},
            True,
        ),
        ({"constraints": ["P(ann == 1) == 1/3"]}, {"constraints": ["P(ann == 1) >= 1/4"]}, True),
        ({"constraints": ["P(ann == 1) <= 1/3"]}, "all", True),
    ],
)
def test_classes(old: Any, new: Any, kept: bool) -> None:
    """Constraints and hulls by hand."""
    silent = Mechanism.from_rows(["nothing"], [[ONE] * 4])
    before, after = (
        pufferfish.question(
            space=BITS, mechanism=silent, level=at(Fraction(2)), pairs="values", priors=believed
        )
        for believed in (old, new)
    )
    assert keeps(before, after) == kept


def chain(low: str, high: str) -> Question:
    row = {"0": [low, high], "1": ["0", "1"]}
    believed = {"markov": {"initial": {"0": "1/2", "1": "1/2"}, "transition": {"0": row, "1": row}}}
    silent = Mechanism.from_rows(["nothing"], [[ONE] * 4])
    return pufferfish.question(
        space=BITS, mechanism=silent, level=at(Fraction(2)), pairs="values", priors=believed
    )


def test_chains_are_nested() -> None:
    assert keeps(chain("1/3", "1/2"), chain("1/4", "1/2"))
    assert not keeps(chain("1/4", "1/2"), chain("1/3", "1/2"))
    assert not keeps(chain("1/4", "1/2"), chain("1/4", "1/3"))


def statuses(before: Question, after: Question) -> list[tuple[str, str]]:
    return [(each.status, each.about) for each in promised(before, after)]


def test_an_absent_record_is_one_that_is_not_known() -> None:
    few, many = (
        database(["ann"], [0, 1], absent=True),
        database(["bob", "ann"], [0, 1], absent=True),
    )
    before, after = neighbours("add_remove", few, "1"), neighbours("add_remove", many, "1")
    assert statuses(before, after) == [("promises more", "worlds")]
    assert statuses(after, before) == [("promises less", "worlds")]


def along(*edges: tuple[str, str], names: str = "abc") -> Question:
    space = named(list(names))
    silent = Mechanism.from_rows(["nothing"], [[ONE] * space.size])
    graph = {"graph": [list(edge) for edge in edges]}
    return metric_privacy.question(
        space=space, mechanism=silent, level=at(Fraction(2)), distance=graph
    )


def test_fewer_comparisons_and_others() -> None:
    whole, part, other = along(("a", "b"), ("b", "c")), along(("a", "b")), along(("b", "c"))
    assert statuses(whole, part) == [("promises less", "comparisons")]
    assert statuses(part, whole) == [("promises more", "comparisons")]
    assert statuses(part, other) == [("promises otherwise", "comparisons")]
    assert statuses(whole, along(("d", "e"), names="def")) == [("promises otherwise", "worlds")]


def test_a_definition_that_is_another_one_may_keep_the_promise() -> None:
    """Two bits: who differs in one value is a neighbour in both, and a pair in the third."""
    silent = Mechanism.from_rows(["nothing"], [[ONE] * 4])
    level = at(Fraction(2))
    first = differential_privacy.question(space=BITS, mechanism=silent, level=level)
    same = [
        blowfish.question(space=BITS, mechanism=silent, level=level),
        metric_privacy.question(space=BITS, mechanism=silent, level=level, distance="hamming"),
        pufferfish.question(
            space=BITS, mechanism=silent, level=level, pairs="values", priors="product"
        ),
    ]
    for other in same:
        assert statuses(first, other) == statuses(other, first) == []
    sensitive = sensitivity.question(space=BITS, query="ann + bob")
    assert statuses(first, sensitive) == [("promises otherwise", "definition")]


def without_one(believed: Any, **options: str) -> Question:
    space = database(["ann", "bob"], [0, 1], absent=True)
    silent = Mechanism.from_rows(["nothing"], [[ONE] * space.size])
    level = at(Fraction(2))
    return distributional_privacy.question(
        space=space, mechanism=silent, level=level, priors=believed, **options
    )


ONE_WORLD, OTHER_WORLD = {"worlds": {"00": "1"}}, {"worlds": {"11": "1"}}
BOTH_WORLDS = {"worlds": {"00": "1/2", "11": "1/2"}}


def test_mixtures_of_beliefs_are_free_but_for_inference() -> None:
    mixed, corners = {"list": [BOTH_WORLDS]}, {"list": [ONE_WORLD, OTHER_WORLD]}
    assert keeps(without_one(mixed), without_one(corners))
    assert not keeps(without_one(corners), without_one(mixed))
    inferred = (without_one(each, form="inference") for each in (mixed, corners))
    assert not keeps(*inferred)
    assert keeps(without_one(mixed, form="inference"), without_one(mixed, form="inference"))
    assert not keeps(without_one(mixed, form="inference"), without_one(mixed))


def test_simulators() -> None:
    believed = {"list": [BOTH_WORLDS]}
    canonical, any_one = (without_one(believed, simulator=kind) for kind in ("canonical", "any"))
    assert keeps(any_one, canonical)
    assert not keeps(canonical, any_one)
    told, untold = (without_one(believed, indexed=flag) for flag in ("true", "false"))
    assert keeps(told, untold)


@pytest.mark.parametrize(
    ("changed", "about"),
    [
        ({"worlds": {"records": 4, "domain": [0, 1]}}, "worlds"),
        (
            {"priors": {"list": [{"markov": {"initial": "stationary", "transition": STAYS}}]}},
            "priors",
        ),
        ({"pairs": [["s", "t"]], "secrets": {"s": "r1 == 0", "t": "r1 == 1"}}, "pairs"),
    ],
)
def test_large_questions_say_what_is_another_one(changed: dict[str, Any], about: str) -> None:
    """Of channels no world is enumerated: certificates are compared."""
    chain = {"markov": {"initial": {"0": "1/2", "1": "1/2"}, "transition": STAYS}}
    spec = {
        "worlds": {"records": 3, "domain": [0, 1]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "pairs": "values",
        "priors": {"list": [chain]},
        "checks": [{"pufferfish": {"exp_epsilon": "5"}}],
    }
    (one,), (other,) = read(spec), read({**spec, **changed})
    found = losses(verify.asked(one), verify.asked(other))
    assert [loss.about for loss in found] == [about]


def test_divergences_are_compared_with_themselves() -> None:
    """Of one order the level decides; another order, other neighbours, or a range do not."""
    bits = database(["ann", "bob"], [0, 1])
    made = mechanism(Random(1), bits.size)

    def asked(level: int, order: int = 2, **more: Any) -> Question:
        alpha = Level.of_exp_epsilon(level)
        return renyi.question(space=bits, mechanism=made, level=alpha, order=order, **more)

    assert keeps(asked(3), asked(2)) and not keeps(asked(2), asked(3))
    for other in (asked(2, order=3), asked(2, neighbours="all"), asked(2, group=2)):
        (loss,) = losses(asked(2), other)
        assert (loss.about, loss.definite) == ("question", False)
    span = bounded_range.question(space=bits, mechanism=made, level=Level.of_exp_epsilon(2))
    for one, other in ((span, asked(2)), (asked(2), span)):
        assert [loss.about for loss in losses(one, other)] == ["definition"]
