"""Certificates of kind "composable": priors with one possible world in each secret; or a mechanism
that leaks a finite amount once, and without bound in two runs."""

from fractions import Fraction
from itertools import product
from typing import Any

from .level import read_vacuous
from .reading import (
    Rejected,
    Table,
    afford,
    fields,
    indices,
    items,
    need,
    number,
    numbers,
    read_table,
)
from .relation import read_pair, read_secrets

ONE = Fraction(1)


def check_composable(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the priors are of the form that composes, if the evidence proves it; else raise."""
    need(relation["rule"] == "secrets", "the relation is of pairs of secrets")
    secrets, pairs = read_secrets(relation, model)
    kind, priors = _priors(relation["priors"], len(model["worlds"]))
    counts = _counts(kind, priors, secrets)
    afford(4 * len(counts) * len(pairs))
    compared = any(count[s] and count[t] for count in counts for s, t in pairs)
    read_vacuous(claim, "one_run", not compared)
    if witness is None:
        need(claim["one_run"] is None and "columns" not in model, "nothing is run")
        free = kind == "any"
        sides = ((count[s], free or count[t]) for count in counts for s, t in pairs)
        need(
            not any(here > 1 and there for here, there in sides),
            "several worlds of a secret are possible",
            Rejected,
        )
        return True
    table = read_table(model)
    fields(witness, "prior pair outputs")
    (k,), (s, t) = indices([witness["prior"]], len(priors)), read_pair(witness["pair"])
    need((s, t) in pairs, "the witness is about no pair", Rejected)
    outputs = indices(witness["outputs"], len(model["outputs"]))
    never = _run(table, priors[k], secrets[s], outputs)
    seen = _run(table, priors[k], secrets[t], outputs)
    need(never == 0 and seen and len(outputs) == 2, "two runs do not tell", Rejected)
    once = _once(table, priors, secrets, pairs, kind)
    need(number(claim["one_run"]) == once, "one run leaks another amount", Rejected)
    return False


def _counts(
    kind: str, priors: list[list[Fraction]], secrets: dict[str, list[int]]
) -> list[dict[str, int]]:
    """The number of possible worlds of each secret under each prior; of mixtures, under one of
    all priors; without given priors, all worlds."""
    afford(10 * (1 + len(priors)) * sum(1 + len(worlds) for worlds in secrets.values()))
    if kind == "any":
        return [{name: len(worlds) for name, worlds in secrets.items()}]
    if kind == "hull":
        priors = [list(map(max, zip(*priors, strict=True)))]
    return [{name: _possible(p, worlds) for name, worlds in secrets.items()} for p in priors]


def _priors(stated: Any, worlds: int) -> tuple[str, list[list[Fraction]]]:
    """The class, and its given priors."""
    kind = stated["class"]
    need(kind in ("any", "list", "hull"), "no such class of priors")
    fields(stated, "class" if kind == "any" else "class priors")
    priors = [] if kind == "any" else list(map(numbers, items(stated["priors"])))
    need(kind == "any" or priors, "there are priors")
    for prior in priors:
        fits = len(prior) == worlds and min(prior) >= 0 and sum(prior) == 1
        need(fits, "no distribution on the worlds", Rejected)
    return kind, priors


def _possible(prior: list[Fraction], worlds: list[int]) -> int:
    return sum(prior[w] > 0 for w in worlds)


def _run(table: Table, prior: list[Fraction], worlds: list[int], outputs: list[int]) -> Fraction:
    """P(outputs of independent runs | secret)."""
    values, columns = table
    mass, seen = Fraction(0), Fraction(0)
    for w in worlds:
        chance = prior[w]
        mass += chance
        for output in outputs:
            chance *= values[columns[w][output]]
        seen += chance
    need(mass, "the prior does not allow the secret", Rejected)
    return Fraction(seen, mass)


def _once(table: Table, priors: Any, secrets: Any, pairs: Any, kind: str) -> Fraction:
    """The leakage of one run, over both secrets under one prior; for mixtures under any two, which
    no mixture exceeds."""
    worst, sizes = ONE, sum(len(secrets[s]) + len(secrets[t]) for s, t in pairs)
    times = len(priors) ** (2 if kind == "hull" else 1)
    afford(8 * times * (len(pairs) + sizes * len(table[1][0])))
    for (k, p), (m, q) in product(enumerate(priors), repeat=2):
        for s, t in pairs if kind == "hull" or k == m else ():
            if not _possible(p, secrets[s]) or not _possible(q, secrets[t]):
                continue
            for output in range(len(table[1][0])):
                left, right = (
                    _run(table, *side, [output]) for side in ((p, secrets[s]), (q, secrets[t]))
                )
                need(left == 0 or right > 0, "one run leaks without bound", Rejected)
                if left:
                    worst = max(worst, Fraction(left, right))
    return worst
