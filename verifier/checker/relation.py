"""The secrets of a relation: their worlds, which pairs are compared, what given priors say."""

from typing import Any

from .reading import (
    Budget,
    afford,
    distribution,
    fields,
    indices,
    items,
    mapping,
    need,
    prove,
    whole,
)

Secrets = dict[str, list[int]]  # name -> its worlds, ascending
Pair = tuple[str, str]


def read_secrets(relation: Any, model: Any) -> tuple[Secrets, list[Pair]]:
    """The worlds of a `model` in each secret of a `relation`, and its pairs in both orders."""
    _, listed, _, _ = fields(relation, "rule secrets pairs priors")
    size, pairs = len(model["worlds"]), read_pairs(relation)
    sets = {name: set(indices(worlds, size)) for name, worlds in mapping(listed).items()}
    afford(10 * sum(min(len(sets[s]), len(sets[t])) for s, t in pairs))
    prove(all(sets[s].isdisjoint(sets[t]) for s, t in pairs), "two secrets overlap")
    return {name: sorted(worlds) for name, worlds in sets.items()}, pairs


def read_pairs(relation: Any) -> list[Pair]:
    """The pairs of names of secrets of a `relation`, in both orders."""
    pairs = [read_pair(pair) for pair in items(relation["pairs"])]
    return [pair for s, t in pairs for pair in ((s, t), (t, s))]


def read_pair(pair: Any) -> Pair:
    """`pair`, two names."""
    need(type(pair) is list and list(map(type, pair)) == [str, str], "a pair is of two names")
    return pair[0], pair[1]


def read_beliefs(
    priors: Any, secrets: Secrets, size: int, cost: int = 0
) -> list[dict[str, dict[int, int]]]:
    """For each given prior, and each of the `secrets` that it allows, integers in the proportions
    of P(world | secret).

    Of `priors` of class list each is a distribution on the `size` worlds; of class conditionals,
    one for each of some secrets, concentrated on it. Each world takes `cost` steps afterwards.
    """
    kind, listed = fields(priors, "class priors")
    need(kind in ("list", "conditionals"), "no such class of priors")
    found, budget = [], Budget()
    for k, prior in enumerate(items(listed)):
        inside: dict[str, dict[int, int]] = {}
        for name, weights in _by_secret(prior, kind, secrets, size, f"prior {k}").items():
            members = {w: weights[w] for w in secrets[name] if weights[w]}
            budget.spend(len(secrets[name]) + cost * len(members))
            inner = kind == "list" or sum(members.values()) == sum(weights)
            prove(inner, "mass outside a secret")
            if members:
                inside[name] = members
        found.append(inside)
    return found


def _by_secret(
    prior: Any, kind: str, secrets: Secrets, size: int, name: str
) -> dict[str, list[int]]:
    """The distribution on the worlds that goes with each secret, in integers."""
    if kind == "list":
        return dict.fromkeys(secrets, whole(distribution(prior, size, name))[1])
    need(set(mapping(prior)) <= set(secrets), "a secret is not known")
    return {s: whole(distribution(row, size, name))[1] for s, row in prior.items()}
