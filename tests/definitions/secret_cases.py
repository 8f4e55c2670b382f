"""Drawn checks of definitions that compare secrets under priors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.cases import DELTAS, ONE, Case, rows_of, spec_of
from tests.definitions.drawn import Draw, Json, Space
from tests.definitions.plain import Column, Pair
from verifier.definitions import bayesian_privacy, dependent_privacy, noiseless, pufferfish

SPACES = st.one_of(drawn.named_spaces(), drawn.spaces()).filter(lambda space: space.size > 1)


@st.composite
def secrets(draw: Draw, size: int) -> list[list[int]]:
    """2 to 4 disjoint non-empty sets of worlds that need not cover all."""
    labels = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    return [found for k in range(4) if (found := [w for w in range(size) if labels[w] == k])]


@st.composite
def listed_priors(draw: Draw, keyword: str) -> Case:
    space = draw(SPACES)
    columns, sets = draw(drawn.matrices(space.size)), draw(secrets(space.size))
    sets = sets if len(sets) > 1 else [[0], [1]]
    priors = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
    priors[0] = [(p + Fraction(1, space.size)) / 2 for p in priors[0]]  # every secret is possible
    weights = [{"worlds": dict(zip(space.names, map(str, p), strict=True))} for p in priors]
    return secret_case(draw, keyword, space, columns, sets, {"list": weights}, priors)


@st.composite
def all_priors(draw: Draw, keyword: str) -> Case:
    """`value` runs over the priors on two worlds."""
    space = draw(SPACES)
    columns, sets = draw(drawn.matrices(space.size)), draw(secrets(space.size))
    sets = sets if len(sets) > 1 else [[0], [1]]
    priors = [
        [Fraction(w in pair, 2) for w in range(space.size)]
        for pair in combinations(range(space.size), 2)
    ]
    return secret_case(draw, keyword, space, columns, sets, "all", priors)


@st.composite
def product_priors(draw: Draw, keyword: str) -> Case:
    """Secrets about the first record; `value` runs over half-half priors on one record's values
    and point masses on the others."""
    space = draw(drawn.spaces(constrained=False))
    columns = draw(drawn.matrices(space.size))
    first = [database[0] for database in space.databases]
    kept = draw(st.lists(st.sampled_from(sorted(set(first), key=repr)), unique=True, min_size=1))
    sets = [[w for w, x in enumerate(first) if x == v] for v in kept]
    rest = [w for w, x in enumerate(first) if x not in kept]
    priors = [
        [Fraction(w in pair, 2) for w in range(space.size)]
        for pair in combinations(range(space.size), 2)
        if len(plain.changed(*(space.databases[w] for w in pair))) == 1
    ]
    return secret_case(
        draw, keyword, space, columns, [*sets, *([rest] if rest else [])], "product", priors
    )


def secret_case(
    draw: Draw,
    keyword: str,
    space: Space,
    columns: Sequence[Column],
    sets: list[list[int]],
    priors: Any,
    tried: Sequence[Column],
) -> Case:
    delta = draw(st.sampled_from(DELTAS))
    names = [f"s{k}" for k in range(len(sets))]
    chosen = list(combinations(range(len(sets)), 2))
    more: Json = {
        "secrets": {n: [space.names[w] for w in s] for n, s in zip(names, sets, strict=True)}
    }
    pairs = [[names[a], names[b]] for a, b in chosen]
    conditionals, distances = compared(columns, [(sets[a], sets[b]) for a, b in chosen], tried)
    rows = rows_of(columns)
    value = {"pufferfish": pufferfish.value, "noiseless": noiseless.value}[keyword]
    worlds = [(set(sets[a]), set(sets[b])) for a, b in chosen]
    return Case(
        spec_of(space, columns, **more),
        keyword,
        {"pairs": pairs, "priors": priors, **({"delta": str(delta)} if delta else {})},
        conditionals,
        distances,
        lambda alpha: value(rows, tried, worlds, alpha),
        delta,
    )


def compared(
    columns: Sequence[Column],
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    tried: Sequence[Column],
) -> tuple[list[Column], dict[Pair, Fraction]]:
    """The conditional distributions of outputs, and which of them are compared."""
    conditionals: list[Column] = []
    distances: dict[Pair, Fraction] = {}
    seen: list[list[Column | None]] = []
    for prior in tried:
        for sides in pairs:
            ends = [plain.conditional(columns, prior, side) for side in sides]
            if ends[0] is not None and ends[1] is not None and ends not in seen:
                seen.append(ends)
                at = len(conditionals)
                conditionals += [ends[0], ends[1]]
                distances |= {(at, at + 1): ONE, (at + 1, at): ONE}
    return conditionals, distances


@st.composite
def given_conditionals(draw: Draw) -> Case:
    """Distributions given secrets; `value` runs over the priors that give two secrets 1/2 each."""
    space = draw(SPACES)
    columns, sets = draw(drawn.matrices(space.size)), draw(secrets(space.size))
    sets = sets if len(sets) > 1 else [[0], [1]]
    attackers, tried = [], []
    for _ in range(draw(st.integers(1, 2))):
        given: dict[str, Any] = {}
        weights: list[list[Fraction]] = []
        for k, worlds in enumerate(sets):
            inside = draw(drawn.distributions(len(worlds)))
            column = [Fraction(0)] * space.size
            for w, p in zip(worlds, inside, strict=True):
                column[w] = p
            weights.append(column)
            given[f"s{k}"] = {"worlds": {space.names[w]: str(column[w]) for w in worlds}}
        attackers.append(given)
        pairs = combinations(weights, 2)
        tried += [[(p + q) / 2 for p, q in zip(*pair, strict=True)] for pair in pairs]
    priors = {"conditionals": attackers if len(attackers) > 1 else attackers[0]}
    return secret_case(draw, "pufferfish", space, columns, sets, priors, tried)


def known_pairs(space: Space, known: int) -> list[tuple[list[int], list[int]]]:
    """Two values of a record, given the values of so many other records."""
    found = []
    worlds, records = range(space.size), range(len(space.databases[0]))
    for i in records:
        for others in combinations([r for r in records if r != i], known):
            keys = {tuple(database[r] for r in others) for database in space.databases}
            for key in keys:
                told = {w for w in worlds if tuple(space.databases[w][r] for r in others) == key}
                values = [
                    [w for w in worlds if w in told and space.databases[w][i] == value]
                    for value in space.values
                ]
                found += combinations(values, 2)
    return found


@st.composite
def record_values(draw: Draw, keyword: str) -> Case:
    """`dependent_privacy` and `bayesian_privacy` under list, all and product priors."""
    kind = draw(st.sampled_from(["list", "all", "product"]))
    spaces = drawn.spaces(constrained=False if kind == "product" else None)
    space = draw(spaces.filter(lambda space: space.size <= 9))
    columns = draw(drawn.matrices(space.size))
    pairs_of_worlds = list(combinations(range(space.size), 2))
    tried = [[Fraction(w in pair, 2) for w in range(space.size)] for pair in pairs_of_worlds]
    priors: Any = kind
    if kind == "list":
        tried = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
        named = [{"worlds": dict(zip(space.names, map(str, p), strict=True))} for p in tried]
        priors = {"list": named}
    elif kind == "product":
        databases = space.databases
        changes = [len(plain.changed(databases[v], databases[w])) for v, w in pairs_of_worlds]
        tried = [prior for prior, size in zip(tried, changes, strict=True) if size == 1]
    options: Json = {"priors": priors}
    others = len(space.databases[0]) - 1
    known = 0 if keyword == "dependent_privacy" else draw(st.sampled_from([None, 0, others]))
    if keyword == "bayesian_privacy" and (known is not None or draw(st.booleans())):
        options["known"] = "any" if known is None else str(known)
    sizes = range(others + 1) if known is None else [known]
    sides = [pair for size in sizes for pair in known_pairs(space, size)]
    conditionals, distances = compared(columns, sides, tried)
    delta, rows = draw(st.sampled_from(DELTAS)), rows_of(columns)

    def excess(alpha: Fraction) -> Fraction:
        if keyword == "dependent_privacy":
            return dependent_privacy.value(rows, space.databases, tried, alpha)
        return bayesian_privacy.value(rows, space.databases, tried, alpha, known)

    return Case(
        spec_of(space, columns),
        keyword,
        {**options, **({"delta": str(delta)} if delta else {})},
        conditionals,
        distances,
        excess,
        delta,
    )


def secrets_compared(keyword: str) -> st.SearchStrategy[Case]:
    """Checks of `pufferfish` or `noiseless` under all classes of priors."""
    return st.one_of(listed_priors(keyword), all_priors(keyword), product_priors(keyword))
