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
from verifier.definitions import noiseless, pufferfish

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
    conditionals: list[Column] = []
    distances: dict[Pair, Fraction] = {}
    for prior in tried:
        for a, b in chosen:
            ends = [plain.conditional(columns, prior, sets[side]) for side in (a, b)]
            if ends[0] is not None and ends[1] is not None:
                at = len(conditionals)
                conditionals += [ends[0], ends[1]]
                distances |= {(at, at + 1): ONE, (at + 1, at): ONE}
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


def secrets_compared(keyword: str) -> st.SearchStrategy[Case]:
    """Checks of `pufferfish` or `noiseless` under all classes of priors."""
    return st.one_of(listed_priors(keyword), all_priors(keyword), product_priors(keyword))
