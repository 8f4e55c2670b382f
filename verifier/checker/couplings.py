"""Whether levels of independent runs add up under priors (composable).

They do where what is believed given two secrets is made of worlds compared alone. Worlds are
compared alone if a prior leaves one of each secret; of `hull` also if all together do, or one
leaves one of s, another one of t, and the first does not allow t or the other s. The witness is

- null if all possible worlds of two secrets are compared alone; of `any`, if a secret has one at
  most; of `all` and `product`;
- of `list` and `hull` `{"couplings": […]}`: for priors k, j (`list`: j = k) and pairs with s
  allowed by k, t by j, a list of `[v, w, share]`, compared alone, with sums P(v | s, k) and P(w |
  t, j);
- of families `{"alone": […], "trees": [{"pair": [s, t], "worlds": A, "tree": T}, …]}`: ends of
  curves, as `priors` of "implies", leave one world of either. s has no more worlds than t. For
  every union N of neighbours of single worlds of s, and the A of all worlds with neighbours in N,
  P(A) P(t) − P(N) P(s) is nowhere positive (Hall; Strassen);
- if violated, of `list` and `hull`, `{"prior": k, "pair": [s, t], "outputs": [o, p]}`, k perhaps
  the shares of a mixture. `one_run`, else null, is what one run of the mechanism leaks, of `hull`
  under any two priors; and o, p in turn are more than its square times as likely given t as given
  s.

It is vacuous if no prior (of `hull` not their sum) allows both secrets of a pair.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from typing import Any

from . import levels
from . import reading as read
from .cuts import Polynomial, multiply, nowhere_positive, summed
from .document import Pair, fields, index, indices, items, keep, named_pair, need, prove, spend
from .levels import Level
from .obligations import blocks_of_secrets, compare_beliefs
from .polynomials import Family, compared_by, read_family
from .reading import ZERO, Case, Secrets

Key = tuple[str, str, tuple[int, ...]]  # two secrets, and worlds of the first
Beliefs = list[dict[str, dict[int, int]]]  # for each prior: secret -> world -> weight
Sides = list[tuple[Collection[int], Collection[int]]]  # possible worlds of two secrets


def check_composable(case: Case) -> bool:
    """Whether levels add up under the priors of a `case`, if its witness proves the claim; else
    raise."""
    claim, relation, witness = case.claim, case.relation, case.witness
    kind, runs = relation["priors"]["class"], witness is not None and "outputs" in witness
    need(runs or (claim["one_run"] is None and "columns" not in case.model.parts), "nothing is run")
    if witness is not None and "alone" in witness:
        return _check_couplings_of_all(case)
    if kind in ("all", "product"):
        need(witness is None, "nothing is to be proved")
        levels.vacuous(claim, not list(blocks_of_secrets(relation, case.model)))
        return True
    secrets, pairs = read.secrets(relation, case.model)
    beliefs, possible = _read_beliefs(case, secrets)
    spend(4 * len(possible) * len(pairs))
    sides = [(own.get(s, ()), own.get(t, ())) for own in possible for s, t in pairs]
    levels.vacuous(claim, not any(here and there for here, there in sides))
    if runs:
        _check_two_runs(case, secrets, beliefs, pairs)
        return False
    alone = _alone(beliefs, pairs, kind == "hull") | _single(sides)
    if witness is not None:
        need(kind != "any", "without priors there are no couplings")
        _check_couplings(witness, alone, _believed(beliefs, pairs[::2], kind == "hull"))
        return True
    for s, t in sides:
        single = len(s) <= 1 and len(t) <= 1
        prove(single or kind != "any", "several worlds of a secret are possible")
        spend(8 * len(s) * len(t))
        every = all(frozenset((v, w)) in alone for v in s for w in t)
        prove(every, "two possible worlds are not compared by themselves")
    return True


def _single(sides: Sides) -> set[frozenset[int]]:
    """The two worlds of those that have one on each side."""
    return {frozenset((*s, *t)) for s, t in sides if len(s) == len(t) == 1}


def _alone(beliefs: Beliefs, pairs: list[Pair], mixed: bool) -> set[frozenset[int]]:
    """Two worlds that are compared by themselves: by a prior; or by mixtures of two, as near as one
    likes, if the first does not allow t, or the second s."""
    return _single(
        [
            (own[s], other[t])
            for own, other, s, t in _believed(beliefs, pairs, mixed)
            if own is other or t not in own or s not in other
        ]
    )


def _believed(beliefs: Beliefs, pairs: list[Pair], mixed: bool) -> Iterator[tuple[Any, ...]]:
    """Beliefs of which the first allows s and the second t: the same; of mixtures any two."""
    spend(4 * len(beliefs) ** (1 + mixed) * len(pairs))
    for own in beliefs:
        for other in beliefs if mixed else [own]:
            yield from ((own, other, s, t) for s, t in pairs if s in own and t in other)


def _check_couplings(witness: Any, alone: set[frozenset[int]], believed: Iterable[Any]) -> None:
    """Whether all that is believed given two secrets is made of worlds compared by themselves."""
    (couplings,) = fields(witness, "couplings")
    for (own, other, s, t), coupling in zip(believed, items(couplings), strict=True):
        found = defaultdict[int, Fraction](Fraction), defaultdict[int, Fraction](Fraction)
        for v, w, listed in items(coupling, 3):
            share = read.number(listed)
            prove(share > 0 and frozenset((v, w)) in alone, "worlds are not compared")
            found[0][v] += share
            found[1][w] += share
        for side, weights in zip(found, (own[s], other[t]), strict=True):
            mass = sum(weights.values())
            fits = {w: mass * share for w, share in side.items()} == weights
            prove(fits, "a coupling has other sides")


def _check_two_runs(case: Case, secrets: Secrets, beliefs: Beliefs, pairs: list[Pair]) -> None:
    """One run leaks what is claimed, and two outputs in turn are likelier than twice that."""
    table, (k, names, shown) = case.model.table, fields(case.witness, "prior pair outputs")
    mixed, (s, t) = case.relation["priors"]["class"] == "hull", named_pair(names)
    if mixed and type(k) is list:
        own = _read_mixture(k, case, secrets)
    else:
        own = beliefs[index(k, len(beliefs))]
    prove((s, t) in pairs and own.keys() >= {s, t}, "the witness is about no pair")
    compared = compare_beliefs(beliefs, pairs, table, across=mixed)
    columns, one_run = compared.table.chances(), read.number(case.claim["one_run"])
    spend(8 * len(compared.blocks) * len(columns[0]))
    sides = ((columns[i], columns[j], *compared.scales(i, j)) for (i,), (j,), _ in compared.blocks)
    equal = (
        p * here == one_run * q * there > 0
        for one, other, here, there, _ in sides
        for p, q in zip(one, other, strict=True)
    )
    proved = one_run >= 1 and compared.holds(Level(one_run), ZERO) and (one_run == 1 or any(equal))
    prove(proved, "one run leaks another amount")
    counts = Counter(indices(shown, len(table.columns[0])))
    less, more = (table.counted(own[name], counts) for name in (s, t))
    prove(len(shown) == 2 and more > one_run * one_run * less, "two runs do not tell more")


def _read_mixture(shares: Any, case: Case, secrets: Secrets) -> dict[str, dict[int, int]]:
    """What a mixture of all given priors, with these shares, says of each secret."""
    rows = read.weights(case.relation["priors"], case.model.size, ("hull",))
    parts = read.distribution(shares, len(rows), "a mixture")
    spend(len(rows) * case.model.size)
    columns = zip(*rows, strict=True)
    prior = [sum(p * q for p, q in zip(parts, column, strict=True)) for column in columns]
    mixture = {"class": "list", "priors": [list(map(str, prior))]}
    return read.beliefs(mixture, secrets, case.model.size)[0]


def _read_beliefs(case: Case, secrets: Secrets) -> tuple[Beliefs, list[Any]]:
    """What given priors say of the worlds of each secret; and which worlds they, or all of their
    mixtures, make possible. If the class is any, nothing is said and all worlds are possible."""
    priors, model = case.relation["priors"], case.model
    if priors["class"] == "any":
        fields(priors, "class")
        return [], [secrets]
    need(priors["class"] in ("list", "hull"), "no such class of priors")
    outputs = len(model.parts.get("outputs", ()))
    beliefs = read.beliefs(priors, secrets, model.size, 10 * outputs)
    need(beliefs, "there are priors")
    if priors["class"] == "list":
        return beliefs, beliefs
    return beliefs, [{s: set().union(*(own.get(s, ()) for own in beliefs)) for s in secrets}]


def _check_couplings_of_all(case: Case) -> bool:
    """Whether levels add up under the priors of a `case`, if its witness proves it; else raise."""
    alone, listed = fields(case.witness, "alone trees")
    family, trees = read_family(case.relation, case.model), _read_trees(listed)
    near = _read_alone(family, alone)
    asked = [_smaller_first(family, pair) for pair in family.pairs[::2]]
    compared = [(s, t) for s, t in asked if family.weights[s] and family.weights[t]]
    levels.vacuous(case.claim, not compared)
    for pair in compared:
        _check_pair(family, pair, near, trees)
    need(not trees, "a proof about nothing")
    return True


def _smaller_first(family: Family, pair: Pair) -> Pair:
    s, t = pair
    return pair if len(family.weights[s]) <= len(family.weights[t]) else (t, s)


def _read_alone(family: Family, listed: Any) -> dict[int, set[int]]:
    """For each world those that it is compared with by itself."""
    found: dict[int, set[int]] = {}
    for one in items(listed):
        left, right = compared_by(family, one)
        prove(len(left) == len(right) == 1, "several worlds are left")
        (w,), (v,) = left, right
        found.setdefault(w, set()).add(v)
        found.setdefault(v, set()).add(w)
    return found


def _read_trees(listed: Any) -> dict[Key, Any]:
    """The trees of pairs of secrets and worlds of the first that have one."""
    found: dict[Key, Any] = {}
    for names, worlds, tree in (fields(one, "pair worlds tree") for one in items(listed)):
        found[*named_pair(names), tuple(indices(worlds, read.CODES))] = tree
    need(len(found) == len(listed), "two proofs of one condition")
    return found


def _check_pair(
    family: Family, pair: Pair, near: dict[int, set[int]], trees: dict[Key, Any]
) -> None:
    """Whether no set of worlds of the first secret is likelier than its neighbours of the other;
    `trees` loses those that are used."""
    first, second = (family.weights[name] for name in pair)
    neighbours = {w: frozenset(near.get(w, ())).intersection(second) for w in first}
    unions = {frozenset[int]()}
    for more in set(neighbours.values()):
        spend(len(unions) * (10 + len(more)))
        unions |= {one | more for one in unions}
        keep(len(unions), 500 * len(second))
    p, q = (_sum(weights, weights) for weights in (first, second))
    for union in unions:
        inside = sorted(w for w, others in neighbours.items() if others <= union)
        above, below = multiply(_sum(first, inside), q), multiply(_sum(second, union), p)
        tree = trees.pop((*pair, tuple(inside)), 0)
        fits = nowhere_positive(summed([(above, 1), (below, -1)]), tree, family.groups)
        prove(fits, "worlds are likelier than those that they are compared with")


def _sum(weights: dict[int, Polynomial], worlds: Iterable[int]) -> Polynomial:
    return summed((weights[w], 1) for w in worlds)
