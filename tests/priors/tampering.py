"""Certificates of kind polytope with one thing broken, so that they prove nothing."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

from tests.definitions.drawn import Json

TINY = Fraction(1, 10**50)


def broken(good: Json) -> Iterator[tuple[str, Json]]:
    """Other claims, another model, and evidence with a part left out, moved or made negative."""

    def changed(name: str, *path: Any, to: Any) -> tuple[str, Json]:
        document = deepcopy(good)
        target: Any = document
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = to
        return name, document

    claim, proof = good["claim"], ("evidence", "witness")
    leakage, evidence = claim["leakage"], good["evidence"]["witness"]
    other = {"holds": "violated", "violated": "holds"}[claim["verdict"]]
    yield changed("verdict", "claim", "verdict", to=other)
    yield changed("digest", "claim", "digest", to="sha256:" + "0" * 64)
    yield changed("name", "model", "worlds", 0, to="another")
    for form in ("infinite", "vacuous"):
        if form not in leakage:
            yield changed(form, "claim", "leakage", to={form: True})
    if "exp_epsilon" in leakage:
        found = Fraction(leakage["exp_epsilon"])
        yield changed("up", "claim", "leakage", to={"exp_epsilon": str(found + TINY)})
        yield changed("down", "claim", "leakage", to={"exp_epsilon": str(found - TINY)})
    if "lower" in leakage:
        low, high = Fraction(leakage["lower"]), Fraction(leakage["upper"])
        above = {"lower": str(high), "upper": str(2 * high - low)}
        below = {"lower": str(2 * low - high), "upper": str(low)}
        yield changed("up", "claim", "leakage", to=above)
        yield changed("down", "claim", "leakage", to=below)
    if evidence["lower"] is None:
        return
    yield changed("no lower side", *proof, "lower", to=None)
    key = "at" if "at" in evidence["lower"] else "between"
    point = evidence["lower"][key] if key == "at" else evidence["lower"][key][0]
    moved = [x or Fraction(-1, 10**60) for x in point]
    if moved != point:
        moved = moved if key == "at" else [moved, evidence["lower"][key][1]]
        yield changed("negative weight", *proof, "lower", key, to=moved)
    for at, cuts in enumerate(evidence.get("cuts", [])):
        rest = [x for k, x in enumerate(evidence["cuts"]) if k != at]
        yield changed("no pair", *proof, "cuts", to=rest)
        yield changed("no such corner", *proof, "cuts", at, to=[*cuts, [0, 10**6, []]])
        for k, (i, j, shares) in enumerate(cuts):
            path = (*proof, "cuts", at, k)
            yield changed("twice", *path[:-1], to=[*cuts, [i, j, shares]])
            yield changed("turned", *path, to=[j, i, shares])
            yield changed("beyond", *path, 2, to=[*shares, 1])
            yield changed("before", *path, 2, to=[0, *shares])
            yield changed("again", *path, 2, to=[*shares[:1], *shares])
    for at, pieces in enumerate(evidence.get("upper", [])):
        rest = [x for k, x in enumerate(evidence["upper"]) if k != at]
        yield changed("no cell", *proof, "upper", to=rest)
        for k, (low, high, *ends) in enumerate(pieces):
            path = (*proof, "upper", at, k)
            yield changed("no piece", *path[:-1], to=pieces[:k] + pieces[k + 1 :])
            yield changed("shifted", *path, to=[low, (low + high) / 2, *ends])
            yield changed("later", *path, to=[(low + high) / 2, high, *ends])
            for row, given in enumerate(good["relation"]["priors"].get("rows", [])):
                if given["sense"] == "<=":
                    yield changed("negative multiplier", *path, 2, row, to=Fraction(-1, 10**60))
