"""Certificates of kind "composable": priors with one possible world in each secret; or a mechanism
that leaks a finite amount once, and without bound in two runs."""

from fractions import Fraction
from itertools import product
from typing import Any

from .reading import Rejected, Table, afford, fields, indices, need, number, read_table
from .relation import read_secrets

ONE = Fraction(1)


def check_composable(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the priors are of the form that composes, if the evidence proves it; else raise."""
    fields(claim, "definition kind verdict digest one_run")
    need(relation["rule"] == "secrets", "the relation is of pairs of secrets")
    secrets, pairs = read_secrets(relation, model)
    kind, priors = _priors(relation["priors"], len(model["worlds"]))
    afford(len(pairs) * (len(priors) + 1) ** 2 * len(model["worlds"]))
    if witness is None:
        need(claim["one_run"] is None, "nothing is run")
        if kind == "any":
            single = all(len(secrets[s]) <= 1 for s, _ in pairs)
        else:
            joined = [sum(weights) for weights in zip(*priors, strict=True)]
            single = all(
                _possible(prior, secrets[s]) <= 1 or not _possible(prior, secrets[t])
                for prior in ([joined] if kind == "hull" else priors)
                for s, t in pairs
            )
        need(single, "several worlds of a secret are possible", Rejected)
        return True
    table = read_table(model)
    fields(witness, "prior pair outputs")
    (k,), (s, t) = indices([witness["prior"]], len(priors)), witness["pair"]
    need((s, t) in pairs, "the witness is about no pair", Rejected)
    outputs = indices(witness["outputs"], len(model["outputs"]))
    never = _run(table, priors[k], secrets[s], outputs)
    seen = _run(table, priors[k], secrets[t], outputs)
    need(never == 0 and seen and len(outputs) == 2, "two runs do not tell", Rejected)
    need(
        number(claim["one_run"]) == _once(table, priors, secrets, pairs, kind), "leakage", Rejected
    )
    return False


def _priors(stated: Any, worlds: int) -> tuple[str, list[list[Fraction]]]:
    """The class, and its given priors."""
    kind = stated["class"]
    need(kind in ("any", "list", "hull"), "no such class of priors")
    fields(stated, "class" if kind == "any" else "class priors")
    priors = [list(map(number, prior)) for prior in stated.get("priors", ())]
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
    worst = ONE
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
