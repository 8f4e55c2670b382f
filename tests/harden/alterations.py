"""Changes of a certificate that leave it readable: of what it claims, and of how it proves it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

from tests.harden.envelope import Json, Parts

GAP = Fraction(1, 10**30)
NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")
EMPTY: list[Json] = [None, [], {}, [[]], [{}], 0, "0", ""]
WORDS = {  # texts that stand for each other
    "verdict": ["holds", "violated", "optimal", "infeasible", "unbounded"],
    "rule": ["replace", "entry", "add_remove", "all", "pairs", "secrets", "given", "row_cone"],
    "class": ["all", "product", "iid", "list", "hull", "any", "conditionals", "constraints"],
    "sense": ["<=", "=", ">="],
}
UNFIT = LookupError, TypeError, ValueError, AttributeError, ArithmeticError
PARAMETRIC = {"parameters", "pieces", "region"}
FACTORS = [0, 0, 0, Fraction(1, 2), 2, -1, GAP]
VALUES = {
    "value",
    "equals",
    "at_most",
    "facets",
    "one_run",
    "tradeoff",
    "average",
    "odds",
    "worlds",
}
LEAKAGES = {"exp_epsilon", "lower", "upper", "closed", "at_least"}  # which are at least 1
Place = tuple[Any, Any]  # a list or an object, and the index or key in it


def altered(parts: Parts, random: Random, others: list[Parts]) -> Parts:
    """A copy with one to three changes; `others` are of the same kind, to take parts from."""
    found = deepcopy(parts)
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        change = random.choice(CHANGES + OF_A_PARAMETER * (parts.kind in PARAMETRIC))
        try:
            change(found, random, deepcopy(random.choice(others)))
        except UNFIT:  # the kind has no such part
            with suppress(*UNFIT):
                _anywhere(found, random, parts)
    if random.random() < 0.3:
        with suppress(*UNFIT):
            _turn_verdict(found, random, parts)
    return found


def _turn_verdict(parts: Parts, random: Random, other: Parts) -> None:
    parts.claim["verdict"] = {"holds": "violated", "violated": "holds"}[parts.claim["verdict"]]


def _level(parts: Parts, random: Random, other: Parts) -> None:
    """A level at, just below or just above the leakage, or another one."""
    claim, leakage = parts.claim, parts.claim.get("leakage") or {}
    near = [Fraction(v) for v in leakage.values() if type(v) is str]
    alpha = random.choice([*near, *(x + GAP for x in near), *(x - GAP for x in near), Fraction(2)])
    claim["level"] = {"exp_epsilon": str(max(alpha, Fraction(1))), "delta": claim["level"]["delta"]}
    if random.random() < 0.2:
        epsilon = random.choice(["0", "1", "1/3", str(GAP), "7"])
        claim["level"] = {"epsilon": epsilon, "delta": claim["level"]["delta"]}


def _delta(parts: Parts, random: Random, other: Parts) -> None:
    parts.claim["level"]["delta"] = random.choice(["0", "1", str(GAP), "1/7", "1/100", "1/2"])


def _leakage(parts: Parts, random: Random, other: Parts) -> None:
    numbers = [str(x) for x in _numbers(parts)]
    alpha = random.choice([*numbers, "1"])
    forms = [{"exp_epsilon": alpha}, {"infinite": True}, {"vacuous": True}, other.claim["leakage"]]
    parts.claim["leakage"] = random.choice(forms)


def _nudge_leakage(parts: Parts, random: Random, other: Parts) -> None:
    leakage = parts.claim["leakage"]
    for key in leakage:
        leakage[key] = str(
            Fraction(leakage[key]) + random.choice([GAP, -GAP, 1, Fraction(1, 10**9)])
        )


def _value(parts: Parts, random: Random, other: Parts) -> None:
    key = random.choice(
        [k for k in ("value", "equals", "at_most", "facets", "one_run") if k in parts.claim]
    )
    number = Fraction(parts.claim[key] or 1)
    parts.claim[key] = str(
        random.choice([number + 1, number - 1, number + GAP, number - GAP, number * 2])
    )
    if key == "value" and "equals" in parts.claim and random.random() < 0.5:
        parts.claim["equals"] = parts.claim["value"]


def _move_mass(parts: Parts, random: Random, other: Parts) -> None:
    """Another probability of two outputs in a world, of the mechanism or a given one."""
    given = parts.model.get("given", [])
    table = random.choice([parts.model, *given] if "columns" in parts.model else given)
    rows = [[Fraction(table["values"][code]) for code in column] for column in table["columns"]]
    row = random.choice(rows)
    one, two = random.sample(range(len(row)), 2)
    part = random.choice([row[one], row[one] / 2, min(row[one], GAP), row[one] / 3])
    row[one], row[two] = row[one] - part, row[two] + part
    values = sorted({p for row in rows for p in row})
    table["values"] = list(map(str, values))
    table["columns"] = [[values.index(p) for p in row] for row in rows]


def _swap_columns(parts: Parts, random: Random, other: Parts) -> None:
    columns = parts.model["columns"]
    i, j = random.sample(range(len(columns)), 2)
    columns[i], columns[j] = random.choice([(columns[j], columns[i]), (columns[j], columns[j])])


def _move_weight(parts: Parts, random: Random, other: Parts) -> None:
    """Another weight of two worlds in a prior, or of two entries of any list of sum 1."""
    lists = [
        (holder, key)
        for root in (parts.relation, parts.witness)
        for holder, key in spots(root)
        if _is_distribution(holder[key])
    ]
    holder, key = random.choice(lists)
    row = list(map(Fraction, holder[key]))
    i, j = random.sample(range(len(row)), 2)
    part = random.choice([row[i], row[i] / 2, min(row[i], GAP)])
    row[i], row[j] = row[i] - part, row[j] + part
    holder[key] = list(map(str, row))


def _is_distribution(value: Json) -> bool:
    return (
        type(value) is list
        and len(value) > 1
        and all(type(x) is str and NUMBER.fullmatch(x) for x in value)
        and sum(map(Fraction, value)) == 1
    )


def _secret(parts: Parts, random: Random, other: Parts) -> None:
    """A world more or less in a secret, or a pair of secrets more or less."""
    relation = parts.relation.get("then") or parts.relation
    named = relation["secrets"]
    listed = named[random.choice(list(named))]
    world = random.randrange(len(parts.model["worlds"]))
    if random.random() < 0.2:
        relation["pairs"] = random.choice(
            [[], relation["pairs"] * 2, [p[::-1] for p in relation["pairs"]]]
        )
    elif world in listed:
        listed.remove(world)
    else:
        listed.append(world)


def _class(parts: Parts, random: Random, other: Parts) -> None:
    """Another class of priors, with the priors that it needs; or those of another certificate."""
    size, relation = len(parts.model["worlds"]), parts.relation
    point = ["1", *["0"] * (size - 1)]
    even = [str(Fraction(1, size))] * size
    known = relation["priors"].get("priors", [even, point])
    classes = [{"class": name} for name in ("all", "product", "iid", "any")]
    classes += [{"class": name, "priors": known} for name in ("list", "hull")]
    classes += [{"class": "list", "priors": []}, {"class": "constraints", "rows": []}]
    relation["priors"] = random.choice([*classes, other.relation["priors"]])


def _relation(parts: Parts, random: Random, other: Parts) -> None:
    worlds = len(parts.model["worlds"])
    rows = [[j for j in range(worlds) if j != i and random.random() < 0.5] for i in range(worlds)]
    names = ["replace", "entry", "add_remove"]
    grouped = [{"rule": rule, "group": random.randint(1, 3)} for rule in names]
    listed = {"rule": "pairs", "distances": {random.choice(["1", "2", "1/2"]): rows}}
    parts.relation = random.choice([*grouped, {"rule": "all"}, listed, other.relation])


def _end(parts: Parts, random: Random, other: Parts) -> None:
    """An end of a cell, a piece or a region: elsewhere, open or closed, or another end; all that
    are equal to it follow, or it alone."""
    roots = [part for part in (parts.claim, parts.model, parts.relation) if part]
    ends = [(holder, key) for root in roots for holder, key in spots(root) if _is_end(holder[key])]
    holder, key = random.choice(ends)
    old, new = holder[key], deepcopy(holder[key])
    how = random.randrange(5)
    if how == 0:
        new["closed"] = not new["closed"]
    elif how == 1:
        source, at = random.choice(ends)
        new = {**deepcopy(source[at]), "closed": new["closed"]}
    elif "rational" in new:
        x = Fraction(new["rational"])
        new["rational"] = str(x + random.choice([GAP, -GAP, Fraction(1, 50), Fraction(-1, 50)]))
    elif how in (2, 3):
        low, high = map(Fraction, new["between"])
        wide = random.choice([GAP, Fraction(1, 100), high - low])
        new["between"] = [str(low - wide), str(high + random.choice([0, wide]))]
    else:
        at = random.randrange(len(new["polynomial"]))
        new["polynomial"][at] = str(int(new["polynomial"][at]) + random.choice([1, -1]))
    alike = ends if random.random() < 0.7 else [(holder, key)]
    place = {k: v for k, v in old.items() if k != "closed"}
    for holder, key in alike:
        if place.items() <= holder[key].items():
            kept = {} if how == 0 and len(alike) == 1 else {"closed": holder[key]["closed"]}
            holder[key] = {**deepcopy(new), **kept}


def _is_end(value: Json) -> bool:
    return (
        type(value) is dict and "closed" in value and bool({"rational", "between"} & value.keys())
    )


def _pieces(parts: Parts, random: Random, other: Parts) -> None:
    """A piece less, or merged with the two after it; or its answer and its evidence elsewhere."""
    told = parts.claim["pieces"]
    shown = parts.witness[random.choice(sorted(parts.witness))]
    i, j = random.randrange(len(told)), random.randrange(len(told))
    how = random.randrange(5)
    if how == 0:
        del told[i], shown[i]
    elif how == 1:
        told[i]["to"] = told[i + 2]["to"]
        del told[i + 1 : i + 3], shown[i + 1 : i + 3]
    elif how == 2:
        ends = {key: told[i][key] for key in ("from", "to")}
        told[i], shown[i] = {**deepcopy(told[j]), **ends}, deepcopy(shown[j])
    elif how == 3:
        told[i] = {**{key: told[i][key] for key in ("from", "to")}, "undecided": True}
        shown[i] = None
    else:
        told.insert(i, deepcopy(told[i])), shown.insert(i, deepcopy(shown[i]))
    _follow(parts)


def _follow(parts: Parts) -> None:
    """The region and the verdict that the pieces of kind pieces say."""
    told = parts.claim["pieces"]
    if parts.kind != "pieces":
        return
    found: list[Any] = []
    for before, one in zip([None, *told], told, strict=False):
        if one.get("verdict") == "holds":
            if before is not None and before.get("verdict") == "holds":
                found[-1]["to"] = one["to"]
            else:
                found.append({"from": one["from"], "to": one["to"]})
    parts.claim["region"] = deepcopy(found)
    verdicts = {one.get("verdict") for one in told}
    parts.claim["verdict"] = "violated" if "violated" in verdicts else "holds"


def _function(parts: Parts, random: Random, other: Parts) -> None:
    """Another function of a parameter in one place."""
    name = random.choice(parts.relation.get("parameters") or [parts.relation["parameter"]])
    word = re.compile(rf"\b{name}\b")
    roots = [part for part in (parts.claim, parts.model, parts.relation, parts.witness) if part]
    texts = [
        (holder, key)
        for root in roots
        for holder, key in spots(root)
        if type(holder[key]) is str and word.search(holder[key]) and key not in ("parameter", 0)
    ]
    holder, key = random.choice(texts)
    forms = [f"{name}", f"1 - {name}", f"{name}^2", f"1 - {name}^2", f"1/{name}", "1/2", "1", "0"]
    holder[key] = random.choice([*forms, texts[0][0][texts[0][1]], random.choice(texts)[0][key]])


def _part_of_another(parts: Parts, random: Random, other: Parts) -> None:
    key = random.choice(list(parts.witness))
    parts.witness[key] = other.witness[key]


def _wholesale(parts: Parts, random: Random, other: Parts) -> None:
    """Some parts of the evidence in bulk, and what is claimed as a number times the same factor."""
    parts.witness, factor = in_bulk(parts.witness, random)
    if random.random() < 0.8:
        kept = {"level"} if random.random() < 0.3 else set()
        for name in parts.claim.keys() - kept:
            parts.claim[name] = _times(parts.claim[name], factor, name)


def in_bulk(evidence: Json, random: Random) -> tuple[Json, Fraction | int]:
    """Evidence with all numbers of some parts times one factor, or with all lists of one depth
    there emptied; and the factor, 0 if they were."""
    root = {"": evidence}
    holder, key = (root, "") if random.random() < 0.6 else random.choice(list(spots(root)))
    factor, depth = random.choice(FACTORS), random.choice([None, None, 0, 1, 2])
    found = holder[key]
    keys = list(found) if type(found) is dict else range(len(found))
    for at in [at for at in keys if random.random() < 0.6]:
        found[at] = _times(found[at], factor) if depth is None else _emptied(found[at], depth)
    return root[""], factor if depth is None else 0


def _times(value: Json, factor: Fraction | int, name: str | None = None) -> Json:
    """All numbers below times a factor; with the name of what is claimed only what counts, and at
    least 1 where it is a level."""
    if type(value) is dict:
        return {key: _times(part, factor, name and key) for key, part in value.items()}
    if type(value) is list:
        return [_times(part, factor, name) for part in value]
    is_function = type(value) is str and not factor and any(c in value for c in "*^ ")
    if type(value) is not str or not (is_function or NUMBER.fullmatch(value)):
        return value
    found = Fraction(0) if is_function else Fraction(value) * factor
    if name is None or name in VALUES:
        return str(found)
    return str(max(found, Fraction(1))) if name in LEAKAGES else value


def _emptied(value: Json, depth: int) -> Json:
    """All lists and objects at a depth with nothing in them."""
    if type(value) is list:
        return [_emptied(part, depth - 1) for part in value] if depth else []
    if type(value) is dict:
        return {key: _emptied(part, depth - 1) for key, part in value.items()} if depth else {}
    return value


def _whole_of_another(parts: Parts, random: Random, other: Parts) -> None:
    name = random.choice(["claim", "model", "relation", "witness"])
    setattr(parts, name, deepcopy(getattr(other, name)))


def _anywhere(parts: Parts, random: Random, other: Parts) -> None:
    """One place, of any depth."""
    name = random.choice(
        ["claim", "model", "relation", "relation", "witness", "witness", "witness"]
    )
    root = {"": getattr(parts, name)}
    places = list(spots(root))
    holder, key = random.choice(places)
    changed(holder, key, random, places)
    setattr(parts, name, root[""])


def changed(holder: Any, key: Any, random: Random, places: list[Place]) -> None:
    value = holder[key]
    if random.random() < 0.1:
        holder[key] = deepcopy(random.choice(EMPTY))
    elif random.random() < 0.1:
        source, at = random.choice(places)
        holder[key] = deepcopy(source[at])
    elif type(value) is str and NUMBER.fullmatch(value):
        x = Fraction(value)
        new = [x + 1, x - 1, x + GAP, x - GAP, -x, x / 2, x * 2, Fraction(0), Fraction(1), 1 - x]
        holder[key] = str(random.choice(new))
    elif type(value) is str:
        others = WORDS.get(key, [w for w, k in places if type(w) is str])
        holder[key] = random.choice(others or ["s"])
    elif type(value) is int or value is None:
        n = value or 0
        holder[key] = random.choice(
            [n + 1, n - 1, 0, 1, -1, None, n + 2, True, False, float(n), str(n)]
        )
    elif type(value) is bool:
        holder[key] = random.choice([not value, 1, 0])
    elif type(value) is list and value:
        _change_list(value, random)
    elif type(value) is dict and value:
        _change_object(value, random)


def _change_list(value: list[Any], random: Random) -> None:
    i, j = random.randrange(len(value)), random.randrange(len(value))
    how = random.randrange(6)
    if how == 0:
        del value[i]
    elif how == 1:
        value.insert(j, deepcopy(value[i]))
    elif how in (2, 3):
        value[i], value[j] = value[j], value[i]
    elif how == 4:
        value.clear()
    else:
        value[i] = deepcopy(value[j])


def _change_object(value: dict[str, Any], random: Random) -> None:
    one, two = random.choice(list(value)), random.choice(list(value))
    how = random.randrange(4)
    if how == 0:
        del value[one]
    elif how == 1:
        value[one], value[two] = value[two], value[one]
    elif how == 2:
        name = random.choice([f"{one}0", "0", "1", "s", f"-{one}", f"0{one}"])
        value[name] = value.pop(one)
    else:
        value[one] = deepcopy(value[two])


def spots(root: Json) -> Iterator[Place]:
    for key in list(root) if type(root) is dict else range(len(root)) if type(root) is list else ():
        yield root, key
        yield from spots(root[key])


def _numbers(parts: Parts) -> Iterator[Fraction]:
    """Numbers, and quotients of probabilities, that a leakage may be."""
    values = [Fraction(v) for v in parts.model.get("values", ())]
    yield from (p / q for p in values for q in values if q and p >= q)


CHANGES = [
    *[_anywhere] * 6,
    _level,
    _delta,
    _leakage,
    _nudge_leakage,
    _turn_verdict,
    _value,
    _move_mass,
    _move_mass,
    _swap_columns,
    _move_weight,
    _secret,
    _class,
    _relation,
    _part_of_another,
    _whole_of_another,
    *[_wholesale] * 4,
]
OF_A_PARAMETER = [*[_end] * 4, *[_pieces] * 3, *[_function] * 2]
