"""What a simulator may see, and the situations in which it is compared: written from the question
alone, by its priors and views. Kinds "simulator" and "inference" ask something of each."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any

from . import reading as read
from .document import fields, indices, items, need, prove, spend
from .linear import Row, combined
from .reading import ONE, Model, in_integers

Key = tuple[int, ...]  # of a situation: prior, view, private value, auxiliary information
View = list[list[tuple[int, int, int]]]  # by world: what is seen, private value, and how often
Prior = list[tuple[int, int, int]]  # world, auxiliary information, weight
Simulator = dict[int, Row]  # by what it sees: the probabilities of outputs


@dataclass(frozen=True)
class Situation:
    """Under one prior, in one view, given a private value and auxiliary information: the
    probabilities of the outputs and of what the simulator sees, all times one positive integer."""

    outputs: list[int]
    inputs: dict[int, int]

    @cached_property
    def mass(self) -> int:
        """The probability of the situation."""
        return sum(self.inputs.values())

    def answers(self, simulator: Simulator, size: int) -> tuple[Any, list[Any]]:
        """A denominator, and how often a `simulator` gives each of `size` outputs, times it."""
        return combined(size, ((weight, simulator[a]) for a, weight in self.inputs.items()))


@dataclass(frozen=True)
class Setting:
    """Every situation of positive probability; the simulator, where the relation gives it; and the
    number of outputs."""

    situations: dict[Key, Situation]
    given: Simulator | None
    size: int

    def is_empty(self, leakage: Any, shown: Any, refuting: Any, posteriors: bool) -> bool:
        """Whether every mechanism passes, as no two situations are held against each other; then
        nothing may be `shown`, nor be `refuting` others; nor where the `leakage` has no such end.

        They are where a simulator sees the same in both. For `posteriors` they are where these are
        two private values in one view, under one prior, with one auxiliary information."""
        need(self.given is None or shown is None, "the simulator is given")
        unseen = shown is None or {"infinite", "at_least"}.isdisjoint(leakage)
        need(unseen and (refuting == [] or "at_most" not in leakage), "evidence of another end")
        owner: dict[object, Key] = {}
        for key, situation in self.situations.items():
            shared: Iterable[object] = [(*key[:2], key[3])] if posteriors else situation.inputs
            if self.given or any(owner.setdefault(one, key) != key for one in shared):
                return False
        prove(shown is None and refuting == [], "nothing is compared")
        return True


def read_setting(relation: Any, model: Model) -> Setting:
    """The situations that priors and views of a `relation` make of a `model`."""
    table, priors = model.table, _read_priors(relation["priors"], model.size)
    views, size = _read_views(relation, model), len(table.columns[0])
    spend(10 * size * sum(len(view[w]) for view in views for prior in priors for w, _, _ in prior))
    worlds, seen = (defaultdict[Key, Counter[int]](Counter) for _ in range(2))
    for (at, view), (k, prior) in product(enumerate(views), enumerate(priors)):
        for w, z, weight in prior:
            for a, v, times in view[w]:
                worlds[k, at, v, z][w] += weight * times
                seen[k, at, v, z][a] += weight * times
    unit, outputs = table.whole[0], table.sums(list(worlds.values()))
    situations = {
        key: Situation(chances, {a: weight * unit for a, weight in inputs.items()})
        for (key, inputs), chances in zip(seen.items(), outputs, strict=True)
    }
    if relation["given"] is None:
        return Setting(situations, None, size)
    runs = enumerate(indices(relation["given"], model.size, low=-1))
    rows = [Row.over(unit, dict(enumerate(column))) for column in table.whole_columns()]
    known = {a: rows[w] for a, w in runs if w >= 0}
    complete = all(one.inputs.keys() <= known.keys() for one in situations.values())
    need(complete, "a given simulator answers whatever it may see")
    return Setting(situations, known, size)


def _read_priors(listed: Any, worlds: int) -> list[Prior]:
    """The entries of each prior, all weights times one integer."""
    priors = [items(prior, 3) for prior in items(listed)]
    need(priors, "there are priors")
    entries = [(w, z, read.number(p)) for w, z, p in chain(*priors)]
    indices([w for w, _, _ in entries], worlds)
    indices([z for _, z, _ in entries], read.CODES)
    prove(all(p > 0 for _, _, p in entries), "no prior: a weight is not positive")
    parts = iter(in_integers([ONE, *(p for _, _, p in entries)])[1])
    unit, found = next(parts), [[(w, z, next(parts)) for w, z, _ in prior] for prior in priors]
    fits = all(sum(p for _, _, p in prior) == unit for prior in found)
    prove(fits, "no prior: no sum of 1")
    return found


def _read_views(relation: Any, model: Model) -> list[View]:
    """For each world what the simulator sees and the private value, in every view."""
    if relation["rule"] == "exchangeable":
        fields(relation, "rule priors given")
        return [_any_record(model.counts)]
    fields(relation, "rule views priors given")
    found = []
    for view in items(relation["views"]):
        alt, priv = (indices(part, read.CODES) for part in fields(view, "alt priv"))
        need(len(alt) == len(priv) == model.size, "alt and priv have one entry per world")
        found.append([[(a, v, 1)] for a, v in zip(alt, priv, strict=True)])
    need(found, "there are views")
    return found


def _any_record(rows: list[list[int]]) -> View:
    """Of exchangeable records, by their counts, every one is private in turn: the simulator sees
    the counts of the others, numbered in rising order."""
    spend(len(rows) * len(rows[0]) ** 2)
    others = [
        {v: (*row[:v], count - 1, *row[v + 1 :]) for v, count in enumerate(row) if count}
        for row in rows
    ]
    code = {h: a for a, h in enumerate(sorted({h for left in others for h in left.values()}))}
    both = zip(rows, others, strict=True)
    return [[(code[h], v, row[v]) for v, h in left.items()] for row, left in both]
