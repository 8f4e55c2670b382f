"""Certificates of kind "influence": how little the entries of a database tell about secrets when a
few of them are hidden.

What a set of entries tells is never more than what a larger set tells. So hidden entries bound the
leakage from above; from below, sets of shown entries that each tell as much, such that so few
hidden entries cannot meet all of them.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .level import Level, read_level, settle
from .reading import (
    Rejected,
    afford,
    denominator,
    fields,
    indices,
    items,
    mapping,
    need,
    numbers,
    read_records,
)
from .relation import read_pair, read_secrets

Weights = dict[int, int]  # of the worlds in a secret, in proportion to P(world | secret)
View = tuple[Weights, Weights]
PART = 2000  # steps that a set of entries costs, for its room in memory


def check_influence(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the level is met, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    (level, delta), rows = read_level(claim["level"]), _entries(model)
    need(delta == 0 and "lower" not in claim["leakage"], "an influence is exact, without delta")
    fields(relation, "rule entries secrets pairs priors")
    need(relation["rule"] == "influence", "no such rule")
    (most,) = indices([relation["entries"]], len(rows[0]) + 1)
    kept = {key: relation[key] for key in ("rule", "secrets", "pairs", "priors")}
    secrets, pairs = read_secrets(kept, model)
    beliefs = _beliefs(relation["priors"], secrets, len(rows))
    afford(2 * len(pairs) * len(beliefs))
    afford(2 * len(pairs) * len(beliefs))
    views = {
        (s, t): {
            k: (given[s], given[t]) for k, given in enumerate(beliefs) if given.keys() >= {s, t}
        }
        for s, t in pairs
    }
    empty = not any(views.values())
    need(empty == (witness is None), "there is evidence just where something is compared")
    if not empty:
        fields(witness, "upper lower")
        need(("infinite" in claim["leakage"]) == (witness["upper"] is None), "entries to hide")

    def holds(at: Level) -> bool:
        hidden = [set(indices(entries, len(rows[0]))) for entries in items(witness["upper"])]
        need(all(len(entries) <= most for entries in hidden), "too many entries are hidden")
        sizes = (len(s) + len(t) for pair in pairs for s, t in views[pair].values())
        afford(len(rows[0]) * sum(sizes))
        tables = zip(pairs, hidden, strict=True)
        return all(_is_hidden(rows, views[pair].values(), entries, at) for pair, entries in tables)

    def needs(low: Level | None) -> bool:
        if witness["lower"] is None:
            return low is not None and low.alpha == 1
        fields(witness["lower"], "pair cores")
        compared = views[read_pair(witness["lower"]["pair"])]
        listed = items(witness["lower"]["cores"])
        worlds = max((len(s) + len(t) for s, t in compared.values()), default=0)
        afford(worlds * sum(2 + len(items(core["shown"])) for core in listed))
        cores = [_core(rows, compared, core, low) for core in listed]
        return not _can_meet(cores, most)

    return settle(claim["leakage"], level, empty, holds, needs)


def _entries(model: Any) -> list[list[int]]:
    """The entries of each world; absent records are -1 throughout."""
    return [[entry for record in row for entry in record] for row in read_records(model)]


def _beliefs(priors: Any, secrets: dict[str, list[int]], worlds: int) -> list[dict[str, Weights]]:
    """For each prior the weights inside each secret that is possible."""
    fields(priors, "class priors")
    given = priors["class"] == "conditionals"
    need(given or priors["class"] == "list", "no such class of priors")
    found, steps = [], 0
    for prior in items(priors["priors"]):
        need(not given or set(mapping(prior)) <= set(secrets), "a secret is not known")
        joint = None if given else _distribution(prior, worlds)
        inside = {}
        for name in prior if given else secrets:
            weights = _distribution(prior[name], worlds) if joint is None else joint
            steps += 2 * len(secrets[name])
            afford(steps)
            members = {w: weights[w] for w in secrets[name] if weights[w]}
            whole = not given or sum(members.values()) == sum(weights)
            need(whole, "mass outside a secret", Rejected)
            if members:
                inside[name] = members
        found.append(inside)
    return found


def _distribution(listed: Any, worlds: int) -> list[int]:
    """Integers in the proportions of a distribution on the worlds."""
    found = numbers(listed)
    fits = len(found) == worlds and min(found) >= 0 and sum(found) == 1
    need(fits, "a prior is no distribution on the worlds", Rejected)
    scale = denominator(found)
    return [int(weight * scale) for weight in found]


def _compared(rows: list[list[int]], shown: list[int], view: View) -> dict[Any, tuple[int, int]]:
    """Each value of the shown entries, as it may be given s -> P(value | s), P(value | t), times
    one integer."""
    left, right = (_masses(rows, shown, side) for side in view)
    above, below = sum(left.values()), sum(right.values())
    return {x: (mass * below, right.get(x, 0) * above) for x, mass in left.items()}


def _masses(rows: list[list[int]], shown: list[int], weights: Weights) -> dict[Any, int]:
    masses: dict[Any, int] = {}
    for world, weight in weights.items():
        key = tuple([rows[world][entry] for entry in shown])
        masses[key] = masses.get(key, 0) + weight
    return masses


def _is_hidden(rows: list[list[int]], views: Iterable[View], hidden: set[int], at: Level) -> bool:
    """Whether the entries that are not hidden tell no more than a level."""
    shown = [entry for entry in range(len(rows[0])) if entry not in hidden]
    found = (pair for view in views for pair in _compared(rows, shown, view).values())
    return all(at.compare(Fraction(p), Fraction(q)) <= 0 for p, q in found)


def _core(rows: list[list[int]], views: dict[int, View], core: Any, low: Level | None) -> int:
    """A set of entries, as bits, one value of which tells at least a level (None: everything)."""
    fields(core, "shown prior world")
    shown = indices(core["shown"], len(rows[0]))
    (world,) = indices([core["world"]], len(rows))
    (prior,) = indices([core["prior"]], 2**60)
    need(prior in views, "the prior does not compare the pair", Rejected)
    key = tuple(rows[world][entry] for entry in shown)
    p, q = _compared(rows, shown, views[prior]).get(key, (0, 0))
    tells = p > 0 == q if low is None else p > 0 and low.compare(Fraction(p), Fraction(q)) >= 0
    need(tells, "a set of entries tells less than the leakage", Rejected)
    return sum({1 << entry for entry in shown})


def _can_meet(cores: list[int], most: int) -> bool:
    """Whether at most so many entries have one in each of the cores. A set that does has one in
    the first core that a part of it has not met, so such parts grow entry by entry."""
    parts, done = {0}, 0
    for left in range(most, -1, -1):
        grown: set[int] = set()
        for part in parts:
            done += len(cores) + 1
            afford(done)
            missed = next((core for core in cores if not core & part), None)
            if missed is None:
                return True
            if left:
                bits = (1 << entry for entry in range(missed.bit_length()))
                grown.update(part | bit for bit in bits if missed & bit)
                afford(PART * len(grown))
        parts = grown
    return False
