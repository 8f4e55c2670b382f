"""Promises about pairs of secrets and a class of priors, and which of them include others.

Pufferfish privacy, its special cases, the conditions for composition, influence and universal
composability all say *for every pair and every prior of the class*: with more pairs and more
priors they ask more, at any level. So a promise is kept where each old pair is a new one, and the
old class is inside the new one.

A prior over the old worlds is one over the new worlds, which gives the others probability 0. It
meets a new secret in the old worlds of it: so secrets are the same where their old worlds are.
Classes are inside one another as follows.

- Every joint prior is in `all`.
- A prior of a `list`, and each corner of a `hull`, is in a list that has it, in a hull as a
  combination of its corners, in `constraints` whose rows it satisfies. A hull is convex, as are
  hulls and constraints; so it is inside where its corners are.
- `constraints` are inside others where Farkas' lemma derives the rows of these.
- Over the same worlds: `iid` is inside `product`, with one distribution for all records; `markov`
  inside another one where every interval is; a class that says the same, inside itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from verifier.changes.comparisons import Column, Pair, Promise, single, within
from verifier.changes.inequalities import combined, implied
from verifier.changes.matching import Matching, identical
from verifier.questions.claim import Json
from verifier.questions.question import Question
from verifier.world.worlds import WorldSpace

MOST = 200_000  # comparisons across pairs of secrets
ABSENT = frozenset({-1})  # of the secret that a record is not in the data
LISTED = ("list", "hull")
SHOWN = 4  # worlds of a prior in words
JOINT = ("list", "hull", "constraints", "product", "iid", "markov", "all")

Worlds = frozenset[int]
Rows = list[dict[int, Fraction]]


@dataclass(frozen=True)
class Believed:
    """Pairs of secrets, and the class of priors.

    pairs   two sets of worlds each -> the names of the secrets
    priors  the class as it stands in a certificate
    space   the worlds
    """

    pairs: Mapping[frozenset[Worlds], tuple[str, str]]
    priors: Json
    space: WorldSpace

    @property
    def kind(self) -> str:
        """The class in a few words."""
        parts = self.priors.get("priors", self.priors.get("rows"))
        name: str = self.priors["class"]
        return name if parts is None else f"{name} of {len(parts)}"

    def names(self, pairs: Iterable[frozenset[Worlds]]) -> list[str]:
        """Some of the `pairs` in words."""
        return [" against ".join(self.pairs[pair]) for pair in pairs]


def believed(question: Question) -> Believed | None:
    """The secrets and priors of a `question`; None where it is not about any."""
    statement = question.stated().parts["relation"]
    if not isinstance(statement, dict) or "secrets" not in statement:
        return None
    secrets = {name: _worlds(question.space, s) for name, s in statement["secrets"].items()}
    pairs = {frozenset({secrets[s], secrets[t]}): (s, t) for s, t in statement["pairs"]}
    return Believed(pairs, statement["priors"], question.space)


def _worlds(space: WorldSpace, secret: Any) -> Worlds:
    """The worlds of a secret; with hedging, of the record and the value that it gives."""
    if secret is None:
        return ABSENT
    if isinstance(secret, dict):
        width = max(1, len(space.attributes))
        first = secret["record"] * width
        entries = space.entry_codes[first : first + width]
        inside = (entries == np.array(secret["value"])[:, None]).all(axis=0)
        return frozenset(np.flatnonzero(inside).tolist())
    return frozenset(secret)


def lost_pairs(old: Believed, new: Believed, worlds: Matching) -> list[str]:
    """The pairs of an `old` promise that a `new` one does not compare, in words.

    worlds  the old ones in the new ones
    """
    kept = {at: w for w, at in worlds.common}

    def before(secret: Worlds) -> Worlds:
        if secret == ABSENT:
            return secret
        return frozenset(kept[at] for at in secret if at in kept)

    known = {frozenset(map(before, pair)) for pair in new.pairs}
    return old.names(pair for pair in old.pairs if pair not in known)


def inside(old: Believed, new: Believed, worlds: Matching) -> bool:
    """Whether the class of priors of `old` is shown to be inside that of `new`.

    worlds  the old ones in the new ones
    """
    here, there = old.priors["class"], new.priors["class"]
    same = identical(old.space, new.space)
    if same and old.priors == new.priors:
        return True
    if None in worlds.place:
        return False
    if there == "all":
        return here in JOINT
    if same and (here, there) == ("iid", "product"):
        return True
    if same and here == there == "markov":
        return _nested(old.priors, new.priors)
    if here in LISTED:
        return not outside(old, new, worlds)
    return here == there == "constraints" and _implied(old, new, worlds)


def outside(old: Believed, new: Believed, worlds: Matching) -> list[str]:
    """The priors that an `old` class names and a `new` one is not shown to have, in words.

    worlds  the old ones in the new ones
    """
    here = old.priors["class"]
    if here not in LISTED or new.priors["class"] == "all":
        return []
    return [
        f"prior {number} ({_words(prior, old.space)})"
        for number, prior in enumerate(old.priors["priors"], 1)
        if not _has(new, _moved(prior, worlds), here == "hull")
    ]


def _words(prior: Sequence[Fraction], space: WorldSpace) -> str:
    weights = [f"{space.name(w)}: {p}" for w, p in enumerate(prior) if p]
    return ", ".join(weights[:SHOWN] + ["…"] * (len(weights) > SHOWN))


def _moved(prior: Sequence[Fraction], worlds: Matching) -> Column:
    """A prior over the old worlds as one over the new ones."""
    return tuple(sorted((at, prior[w]) for w, at in worlds.common if prior[w]))


def _has(new: Believed, prior: Column, mixed: bool) -> bool:
    """Whether a class has a prior; where `mixed`, so that it has mixtures of such priors too."""
    kind, point = new.priors["class"], dict(prior)
    if kind == "list":
        return not mixed and prior in map(_column, new.priors["priors"])
    if kind == "hull":
        corners = [dict(_column(corner)) for corner in new.priors["priors"]]
        return combined(corners, point, new.space.size)
    if kind == "constraints":
        rows = _rows(new.priors)
        return all(sum(point.get(w, 0) * value for w, value in row.items()) <= 0 for row in rows)
    return False


def _column(prior: Sequence[Fraction]) -> Column:
    return tuple((w, Fraction(p)) for w, p in enumerate(prior) if p)


def _rows(priors: Json) -> Rows:
    """The rows of constraints, each as one that is at most 0; an equation is two of them."""
    found: Rows = []
    for row in priors["rows"]:
        groups = row["coefficients"].items()
        values = {w: Fraction(value) for value, listed in groups for w in listed}
        found.append(values)
        if row["sense"] == "=":
            found.append({w: -value for w, value in values.items()})
    return found


def _implied(old: Believed, new: Believed, worlds: Matching) -> bool:
    """Whether the rows of new constraints follow from the old ones, over the old worlds."""
    kept = {at: w for w, at in worlds.common}
    rows, size = _rows(old.priors), old.space.size
    wanted = ({kept[w]: c for w, c in row.items() if w in kept} for row in _rows(new.priors))
    return all(implied(rows, row, size) for row in wanted)


def _nested(old: Json, new: Json) -> bool:
    """Whether every interval of a chain is inside that of another one."""
    if "stationary" in (old["initial"], new["initial"]) and old["initial"] != new["initial"]:
        return False
    rows = [[*chains["transition"]] for chains in (old, new)]
    if old["initial"] != "stationary":
        rows = [[chains["initial"], *row] for chains, row in zip((old, new), rows, strict=True)]
    return old["values"] == new["values"] and all(
        low <= a and b <= high
        for ours, theirs in zip(*rows, strict=True)
        for (a, b), (low, high) in zip(ours, theirs, strict=True)
    )


def across(of: Believed) -> Iterable[Pair] | None:
    """Comparisons of worlds that imply a promise, whatever its priors; None where too many.

    of  the secrets and priors of the promise

    Let α be its level with δ, and let P(E | w) <= α P(E | w') + δ for every event E of outputs, all
    worlds w of a secret s and w' of its partner s'. Given s, an output has a mixture of the
    distributions of the worlds of s. Mixing both sides independently, over w given s and w' given
    s', keeps the inequality (Kifer, Machanavajjhala 2014, Theorem 3.1).
    """
    everything = frozenset(range(of.space.size))
    pairs = [
        tuple(everything if secret == ABSENT else secret for secret in pair) for pair in of.pairs
    ]
    if any(len(pair) != 2 for pair in pairs) or sum(len(s) * len(t) for s, t in pairs) > MOST:
        return None
    return chain.from_iterable(_both(s, t) for s, t in pairs)


def _both(left: Worlds, right: Worlds) -> Iterator[Pair]:
    for w in left:
        for v in right:
            if w != v:
                yield single(w), single(v)
                yield single(v), single(w)


def consequences(question: Question, of: Believed) -> Promise | None:
    """Comparisons that a promise about a hull of priors implies: those of its corners; None for
    other classes.

    question  whose level it is
    of        its secrets and priors
    """
    if of.priors["class"] != "hull" or question.level is None:
        return None
    pairs: dict[Pair, Fraction] = {}
    for prior in of.priors["priors"]:
        for sides in of.pairs:
            columns = [within(prior, side) for side in sides]
            if len(columns) == 2 and all(columns):
                a, b = columns
                pairs |= {(a, b): Fraction(1), (b, a): Fraction(1)}
    return Promise(pairs, question.level, question.delta)
