"""Priors given as a list: the distribution of the output given each secret, as a table."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .level import ONE
from .reading import Model, Rejected, Table, fields, listing, number, show, total
from .relation import Block, read_secrets

Places = dict[tuple[int, str], int]  # the column of (prior, secret); absent where P(secret) = 0


def is_prior_list(relation: Any) -> bool:
    """Whether the relation compares secrets under listed priors."""
    if type(relation) is not dict or relation.get("rule") != "secrets":
        return False
    priors = relation.get("priors")
    return type(priors) is dict and priors.get("class") == "list"


def condition(relation: Any, model: Model, mechanism: Table) -> tuple[Table, list[Block], Places]:
    """The table of P(output | secret, prior), and which of its columns are compared."""
    secrets, pairs = read_secrets(relation, model)
    fields(relation["priors"], "priors", ("class", "priors"))
    places: Places = {}
    labels: list[str] = []
    distributions: list[list[Fraction]] = []
    blocks: list[Block] = []
    for k, weights in enumerate(listing(relation["priors"]["priors"], "priors")):
        prior = _prior(weights, k, len(model.worlds))
        for name in sorted({name for pair in pairs for name in pair}):
            support = [w for w in secrets[name] if prior[w]]
            if support:
                places[k, name] = len(distributions)
                labels.append(f"{name} (prior {k})")
                distributions.append(_distribution(mechanism, prior, support))
        blocks += [
            ((places[k, s],), (places[k, t],), ONE)
            for s, t in pairs
            if (k, s) in places and (k, t) in places
        ]
    values = sorted({p for distribution in distributions for p in distribution})
    codes = {p: code for code, p in enumerate(values)}
    columns = [[codes[p] for p in distribution] for distribution in distributions]
    return Table(labels, mechanism.outputs, values, columns), blocks, places


def _prior(weights: Any, k: int, worlds: int) -> list[Fraction]:
    prior = [number(weight, "a prior's weight") for weight in listing(weights, "a prior", worlds)]
    if min(prior) < 0:
        raise Rejected(f"prior {k} has a negative weight")
    mass = total(weight.as_integer_ratio() for weight in prior)
    if mass != 1:
        raise Rejected(f"prior {k} sums to {show(mass)}, must be 1")
    return prior


def _distribution(mechanism: Table, prior: list[Fraction], support: list[int]) -> list[Fraction]:
    """P(output | the worlds of the support), per output."""
    mass = total(prior[w].as_integer_ratio() for w in support)
    shares = [Fraction(prior[w], mass) for w in support]

    def terms(codes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        for share, code in zip(shares, codes, strict=True):
            value = mechanism.values[code]
            yield share.numerator * value.numerator, share.denominator * value.denominator

    rows = zip(*(mechanism.columns[w] for w in support), strict=True)
    return [total(terms(codes)) for codes in rows]
