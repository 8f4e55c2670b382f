"""Certificates of kind "composable" about priors that are polynomials in unknown distributions.

Some priors, or ends of curves of priors, compare two worlds by themselves. If under every prior
what is believed given s and given t is a coupling of such worlds, then levels add up. By Hall and
Strassen there is one exactly if no set A of worlds of s is likelier, given s, than its neighbours
N are, given t: P(A) P(t) <= P(N) P(s), for all priors. It is enough to look at the unions N of
neighbours of single worlds, and at the A of all worlds whose neighbours are in N.
"""

from collections.abc import Iterable
from typing import Any

from . import levels
from . import reading as read
from .cuts import Polynomial, multiply, nowhere_positive, steps, summed
from .document import Budget, Pair, afford, fields, indices, items, named_pair, need, prove
from .polynomials import Family, compared_by, read_family
from .reading import Case

Key = tuple[str, str, tuple[int, ...]]  # two secrets, and worlds of the first


def check_couplings_of_all(case: Case) -> bool:
    """Whether levels add up under the priors of a `case`, if its witness proves it; else raise."""
    alone, listed = fields(case.witness, "alone trees")
    need(case.claim["one_run"] is None and "columns" not in case.model.parts, "nothing is run")
    family, trees = read_family(case.relation, case.model), _read_trees(listed)
    near = _read_alone(family, alone)
    asked = [_smaller_first(family, pair) for pair in family.pairs[::2]]
    compared = [(s, t) for s, t in asked if family.weights[s] and family.weights[t]]
    levels.vacuous(case.claim, "one_run", not compared)
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
    unions, budget = {frozenset[int]()}, Budget()
    for more in set(neighbours.values()):
        budget.spend(len(unions) * (len(first) + len(second)))
        unions |= {one | more for one in unions}
    terms = [sum(map(len, weights.values())) for weights in (first, second)]
    afford(2 * len(unions) * terms[0] * terms[1])
    p, q = (_sum(weights, weights) for weights in (first, second))
    for union in unions:
        inside = sorted(w for w, others in neighbours.items() if others <= union)
        above, below = multiply(_sum(first, inside), q), multiply(_sum(second, union), p)
        tree = trees.pop((*pair, tuple(inside)), 0)
        if tree:
            afford(steps(tree, (above, below), family.groups))
        fits = nowhere_positive(summed([(above, 1), (below, -1)]), tree, family.groups)
        prove(fits, "worlds are likelier than those that they are compared with")


def _sum(weights: dict[int, Polynomial], worlds: Iterable[int]) -> Polynomial:
    return summed((weights[w], 1) for w in worlds)
