"""What a mechanism and a simulator do in every situation, re-derived from priors and views."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .reading import (
    Rejected,
    afford,
    denominator,
    fields,
    indices,
    items,
    need,
    number,
    read_counts,
    read_table,
)

Row = tuple[int, dict[int, int]]  # a denominator; output -> numerator of its probability
Key = tuple[int, ...]  # prior, view, private value, auxiliary information


@dataclass(frozen=True)
class Simulator:
    """Different rows, and which one belongs to what the simulator sees."""

    rows: list[Row]
    of: dict[int, int]

    def outputs(self, inputs: dict[int, int], size: int) -> tuple[int, list[int]]:
        """A denominator and, for each output, the weighted sum of the rows of some inputs."""
        weights: Counter[int] = Counter()
        for a, weight in inputs.items():
            weights[self.of[a]] += weight
        common = denominator(Fraction(1, self.rows[at][0]) for at in weights)
        found = [0] * size
        for at, weight in weights.items():
            own, row = self.rows[at]
            for t, p in row.items():
                found[t] += weight * (common // own) * p
        return common, found


def row_of(answer: dict[int, Fraction]) -> Row:
    """A row of a simulator, which sums to 1."""
    common = denominator(answer.values())
    row = {t: p.numerator * (common // p.denominator) for t, p in answer.items()}
    need(min(row.values()) >= 0, "a probability is negative")
    need(sum(row.values()) == common, "a row of the simulator does not sum to 1", Rejected)
    return common, row


@dataclass(frozen=True)
class Situation:
    """Under one prior, in one view, given a private value and auxiliary information: the
    probabilities of the outputs and of what the simulator sees, all times one positive integer."""

    outputs: list[int]
    inputs: dict[int, int]
    mass: int


Situations = dict[Key, Situation]


def is_linked(situations: Situations, posteriors: bool) -> bool:
    """Whether any two situations are held against each other; otherwise every mechanism passes.

    They are where a simulator sees the same in both. For posteriors they are where these are two
    private values in one view, under one prior, with one auxiliary information.
    """
    owner: dict[object, Key] = {}
    for key, situation in situations.items():
        k, view, _, z = key
        shared: list[object] = [(k, view, z)] if posteriors else list(situation.inputs)
        if any(owner.setdefault(one, key) != key for one in shared):
            return True
    return False


Entry = tuple[int, int, int]  # what the simulator sees, private value, and how often


def _views(relation: Any, model: Any) -> list[list[list[Entry]]]:
    """For every view and world what the simulator sees and the private value; of exchangeable
    records, those of every one of them, where it sees the counts of the others, numbered in rising
    order."""
    worlds = len(model["worlds"])
    if relation["rule"] == "exchangeable":
        fields(relation, "rule priors given")
        rows = read_counts(model)
        afford(len(rows) * len(rows[0]) ** 2)
        marks = [[(v, c) for v, c in enumerate(row) if c] for row in rows]
        others = [
            [(*row[:v], c - 1, *row[v + 1 :]) for v, c in mark]
            for row, mark in zip(rows, marks, strict=True)
        ]
        number_of = {h: a for a, h in enumerate(sorted({h for row in others for h in row}))}
        pairs = zip(others, marks, strict=True)
        return [[[(number_of[h], v, c) for h, (v, c) in zip(*both, strict=True)] for both in pairs]]
    need(relation["rule"] == "simulator", "the rule is simulator or exchangeable")
    fields(relation, "rule views priors given")
    need(items(relation["views"]), "there are views")
    found = []
    for view in relation["views"]:
        fields(view, "alt priv")
        alt, priv = (indices(view[key], 2**60) for key in ("alt", "priv"))
        need(len(alt) == len(priv) == worlds, "alt and priv have one entry per world")
        found.append([[(a, v, 1)] for a, v in zip(alt, priv, strict=True)])
    return found


def read_situations(relation: Any, model: Any) -> tuple[Situations, Simulator | None]:
    """Every situation of positive probability by prior, view, private value and auxiliary
    information; and the simulator, where the relation gives it."""
    (values, columns), worlds = read_table(model), len(model["worlds"])
    common = denominator(values)
    parts = [int(value * common) for value in values]
    listed = [items(prior, 3) for prior in items(relation["priors"])]
    priors = [[(w, z, number(p)) for w, z, p in prior] for prior in listed]
    entries = [(w, z) for prior in priors for w, z, _ in prior]
    indices([w for w, _ in entries], worlds), indices([z for _, z in entries], 2**60)
    fit = all(min(p for _, _, p in prior) > 0 for prior in priors)
    need(fit and all(sum(p for _, _, p in prior) == 1 for prior in priors), "no prior", Rejected)
    need(priors, "there are priors")
    views = _views(relation, model)
    steps = sum(len(view[w]) for view in views for w, _ in entries)
    afford(steps * len(model["outputs"]) * 10)
    unit = denominator(p for prior in priors for _, _, p in prior)
    weighted = [[(w, z, int(p * unit)) for w, z, p in prior] for prior in priors]
    found: Situations = {}
    for at, view in enumerate(views):
        for k, prior in enumerate(weighted):
            groups: dict[Key, Any] = defaultdict(lambda: defaultdict(list))
            for w, z, weight in prior:
                for a, v, times in view[w]:
                    groups[k, at, v, z][weight * times].append((w, a))
            for key, group in groups.items():
                outputs, inputs = [0] * len(model["outputs"]), Counter[int]()
                for weight, alike in group.items():  # worlds of equal weight are added up together
                    for a, times in Counter(a for _, a in alike).items():
                        inputs[a] += weight * times * common
                    for t, codes in enumerate(zip(*(columns[w] for w, _ in alike), strict=True)):
                        outputs[t] += weight * sum(map(parts.__getitem__, codes))
                found[key] = Situation(outputs, inputs, sum(inputs.values()))
    if relation["given"] is None:
        return found, None
    runs = enumerate(indices(relation["given"], worlds, low=-1))
    rows = [row_of({t: values[c] for t, c in enumerate(column)}) for column in columns]
    return found, Simulator(rows, {a: w for a, w in runs if w >= 0})


def read_simulator(simulator: Any, outputs: int) -> Simulator:
    """A distribution of outputs for everything that the simulator may see."""
    found = Simulator([], {})
    for inputs, answer in items(simulator, 2):
        row = {t: number(p) for t, p in items(answer, 2)}
        need(len(indices([t for t, _ in answer], outputs)) == len(row), "an output stands twice")
        for a in indices(inputs, 2**60):
            need(a not in found.of, "what the simulator sees stands twice")
            found.of[a] = len(found.rows)
        found.rows.append(row_of(row))
    return found
