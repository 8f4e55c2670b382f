"""Campaign "work": small certificates that ask for much, none of which keeps the checker busy.

Certificates of every rule are altered: numbers are made long, counts large, lists repeated, and
worlds, outputs, parameters and draws multiplied. Each is judged in a child of this process, which
is ended after so much processor time, and may have so much more memory.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from functools import cache, partial
from random import Random
from time import process_time
from typing import Any

from tests.checker import forgeries
from tests.checker.drafts import digest_of, sealed
from tests.harden import claims
from tests.harden.alterations import NUMBER, UNFIT, changed, spots
from tests.harden.envelope import closed
from tests.harden.recording import fork, limit
from verifier import checker

Json = Any
SHORT = 4000  # characters of a certificate
SECONDS, MEMORY = 10, 5 * 10**8
COUNTS = (2, 3, 5, 10, 20, 40, 100, 1000, 10**4, 10**6, 10**9, 2**59, 2**60 - 1, 10**299)
DIGITS = (20, 100, 300, 1000, 3000)


def campaign(count: int, seed: int) -> str:
    """Judge `count` certificates; AssertionError if one takes more than the limits."""
    seen, over, slowest = Counter[str](), list[str](), (0.0, 0)
    for number, outcome, seconds in judged(seed, count):
        seen[outcome] += 1
        slowest = max(slowest, (seconds, number))
        if outcome in ("time", "memory"):
            over.append(f"{number} ({outcome})")
    found = ", ".join(f"{n} {outcome}" for outcome, n in sorted(seen.items()))
    summary = f"{count} certificates: {found}; the slowest {slowest[0]:.1f} s, number {slowest[1]}"
    assert not over, f"{summary}; made({seed}, number) of {', '.join(over[:20])}"
    return summary


def judged(seed: int, count: int) -> Iterator[tuple[int, str, float]]:
    """The number of each certificate, its outcome, and the processor time that it took."""
    bases()
    at = 0
    while at < count:
        reading, writing = os.pipe()
        child = fork(partial(_judge_all, seed, at, count, writing))
        os.close(writing)
        with os.fdopen(reading) as told:
            for line in told:
                outcome, seconds = line.split()
                yield at, outcome, float(seconds)
                at += 1
        _, status = os.waitpid(child, 0)
        if status:
            by_time = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
                signal.SIGPROF,
                signal.SIGALRM,
            )
            yield at, "time" if by_time else "memory", float(SECONDS)
            at += 1


def _judge_all(seed: int, first: int, count: int, writing: int) -> None:
    for number in range(first, count):
        signal.setitimer(signal.ITIMER_PROF, 0)
        document = made(seed, number)
        limit(SECONDS, MEMORY)
        started = process_time()
        outcome = checker.check(document).outcome
        os.write(writing, f"{outcome} {process_time() - started}\n".encode())


def made(seed: int, number: int) -> Json:
    """One altered certificate, as a file would have it."""
    random = Random(f"{seed} {number}")
    while True:
        document = altered(random.choice(bases()), random)
        document["digest"] = digest_of(document["question"])
        if len(json.dumps(document, default=str)) <= SHORT:
            document["taken"] = checker.taken(document["question"])
            return document


@cache
def bases() -> list[Json]:
    """Small certificates of every rule, by hand, of models and of drawn files."""
    found = [closed(parts) for listed in claims.bases().values() for parts in listed]
    found += [sealed(document) for document in forgeries.originals()]
    return [one for one in found if len(json.dumps(one, default=str)) <= SHORT]


def altered(document: Json, random: Random) -> Json:
    """A copy with one to four changes."""
    found = deepcopy(document)
    for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
        try:
            random.choice(CHANGES)(found, random)
        except UNFIT:  # it has no such part
            _anywhere(found, random)
    return found


def _roots(document: Json) -> list[Json]:
    return [document[key] for key in ("question", "answer", "evidence")]


def _leaves(document: Json, wanted: Callable[[Any], bool]) -> list[tuple[Any, Any]]:
    """Each list or object with an index or key at which something wanted stands."""
    every = (place for root in _roots(document) for place in spots(root))
    return [(holder, key) for holder, key in every if wanted(holder[key])]


def _is_number(value: Any) -> bool:
    return type(value) is str and bool(NUMBER.fullmatch(value))


def _anywhere(document: Json, random: Random) -> None:
    """One place, as other campaigns change it."""
    holder, key = random.choice(_leaves(document, lambda _: True))
    changed(holder, key, random, _leaves(document, lambda _: True))


def _large(document: Json, random: Random) -> None:
    """An integer becomes a large one."""
    holder, key = random.choice(_leaves(document, lambda value: type(value) is int))
    holder[key] = random.choice(COUNTS)


def _long(document: Json, random: Random) -> None:
    """A number, or all that are equal to it, becomes one with many digits, of nearly its size or
    not."""
    found = _leaves(document, _is_number)
    holder, key = random.choice(found)
    text = holder[key]
    alike = found if random.random() < 0.5 else [(holder, key)]
    new = _lengthened(Fraction(text), random)
    for holder, key in alike:
        if holder[key] == text:
            holder[key] = new


def _lengthened(x: Fraction, random: Random) -> str:
    unit = 10 ** random.choice(DIGITS) + random.choice([0, 1, 7, 9, 57])
    how = random.randrange(4)
    if how == 0:
        return str(x * Fraction(unit, unit + 2))
    if how == 1:
        return str(x + Fraction(1, unit))
    return str(x * unit if how == 2 else x / unit)


def _irrational(document: Json, random: Random) -> None:
    """A number gets powers of e, with many terms or long exponents."""
    holder, key = random.choice(_leaves(document, _is_number))
    holder[key] = _of_powers(random)


def _of_powers(random: Random) -> str:
    terms = random.choice([1, 1, 2, 5, 20, 100])
    unit = random.choice([1, 2, 7, 997, 10**9 + 7, 10**40 + 7, 10**300 + 9])
    tops = random.sample(range(1, 10 * terms + random.choice([2, 100, 10**4])), terms)
    powers = [f"e^({top}/{unit})" if unit > 1 else f"e^{top}" for top in tops]
    total = " + ".join(powers)
    forms = [total, f"1/({total})" if terms > 1 else f"1/{total}", f"1 + {total}", f"2 - {total}"]
    return random.choice(forms)


def _level(document: Json, random: Random) -> None:
    """A level that is tiny, huge, long, or with powers of e, and a delta."""
    level = document["question"]["level"]
    unit = 10 ** random.choice(DIGITS)
    values = ["1", str(1 + Fraction(1, unit)), str(unit), f"{unit + 1}/3", _of_powers(random)]
    epsilons = ["0", f"1/{unit}", str(unit), f"{unit + 1}/{unit}", "10000", "1/9999999967"]
    old = level.pop("exp_epsilon", None) or level.pop("epsilon", None)
    choices = [{"exp_epsilon": value} for value in values] + [{"epsilon": x} for x in epsilons]
    level.update(random.choice([*choices, {"exp_epsilon": old}]))
    if random.random() < 0.5:
        level["delta"] = random.choice(["0", "1/2", f"1/{unit}", f"{unit - 1}/{unit}"])


def _repeated(document: Json, random: Random) -> None:
    """A list or an object has its parts several times, under other names."""
    holder, key = random.choice(_leaves(document, lambda value: type(value) in (list, dict)))
    holder[key] = _times(holder[key], random.choice([2, 3, 5, 10, 30, 100, 1000]), random)


def _times(value: Json, times: int, random: Random) -> Json:
    if type(value) is dict:
        return {f"{key}{k or ''}": part for k in range(times) for key, part in value.items()}
    if value and all(type(part) is str and not _is_number(part) for part in value):
        return [f"{part}{k or ''}" for k in range(times) for part in value]
    if value and all(map(_is_number, value)) and random.random() < 0.5:  # the same sum
        return [str(Fraction(part) / times) for part in value for _ in range(times)]
    return [deepcopy(part) for _ in range(times) for part in value]


def _tables(document: Json) -> list[Json]:
    """All objects that have columns of codes or of numbers over outputs."""
    wanted = {"outputs", "values", "columns"}
    return [h[k] for h, k in _leaves(document, lambda v: type(v) is dict and wanted <= v.keys())]


def _table(document: Json, random: Random) -> None:
    """Other probabilities, of more outputs, long, short, many or few of them equal."""
    table = random.choice(_tables(document))
    outputs = random.choice([len(table["outputs"]), 2, 3, 5, 8, 20, 60])
    table["outputs"] = [str(o) for o in range(outputs)]
    worlds = len(table["columns"])
    rows = [_distribution(outputs, random) for _ in range(random.choice([1, 2, worlds]))]
    columns = [rows[w % len(rows)] for w in range(worlds)]
    values = sorted({p for row in columns for p in row})
    table["values"] = list(map(str, values))
    table["columns"] = [[values.index(p) for p in row] for row in columns]


def _distribution(size: int, random: Random) -> list[Fraction]:
    unit = 10 ** random.choice([1, 2, 10, 40, 200, 1000])
    weights = [random.randint(0, unit) for _ in range(size - 1)] + [unit]
    return [Fraction(weight, sum(weights)) for weight in weights]


def _worlds(document: Json, random: Random) -> None:
    """More worlds: copies of those that are there, with other records."""
    model = random.choice([h[k] for h, k in _leaves(document, _has_worlds)])
    old = len(model["worlds"])
    new = old + random.choice([1, 2, 5, 20, 60, 200])
    model["worlds"] = [*model["worlds"], *(f"w{k}" for k in range(old, new))]
    for key in ("columns", "lower", "upper"):
        if key in model:
            model[key] = [model[key][w % old] for w in range(new)]
    for key in ("functions", "losses"):
        if key in model:
            model[key] = [[row[w % len(row)] for w in range(new)] for row in model[key]]
    if "records" in model:
        width = max(1, len(model["records"][0]))
        size = random.choice([2, 3, 10, 100])
        more = [[random.randrange(size) for _ in range(width)] for _ in range(old, new)]
        model["records"] = [*model["records"], *more]
    if "counts" in model:
        width, total = len(model["counts"][0]), sum(model["counts"][0])
        cuts = (sorted(random.randint(0, total) for _ in range(width - 1)) for _ in range(old, new))
        more = [[b - a for a, b in zip([0, *cut], [*cut, total], strict=True)] for cut in cuts]
        model["counts"] = [*model["counts"], *more]


def _has_worlds(value: Any) -> bool:
    return type(value) is dict and "worlds" in value


def _records(document: Json, random: Random) -> None:
    """Records that are longer, all alike in what is added, or not."""
    model = random.choice([h[k] for h, k in _leaves(document, _has_worlds)])
    more = random.choice([1, 3, 10, 30, 100])
    size = random.choice([1, 2, 5])
    entries = min(model["entries_per_record"] * more, SHORT)  # it may have been made large
    model["records"] = [
        [*row, *(random.randrange(size) for _ in range(entries))] for row in model["records"]
    ]


def _neighbours(document: Json, random: Random) -> None:
    """Another relation of worlds, with a group, or with many or odd distances."""
    relation = document["question"]["relation"]
    names = ["replace", "entry", "add_remove"]
    grouped = [{"rule": rule, "group": random.choice(COUNTS[:-1])} for rule in names]
    size = len(document["question"]["model"]["worlds"])
    rows = [[w for w in range(size) if w != v] for v in range(size)]
    unit = random.choice([1, 3, 97, 10**6 + 3, 10**9 + 7])
    tops = random.sample(range(1, 10**4), random.choice([1, 2, 10, 50]))
    pairs = {"rule": "pairs", "distances": {str(Fraction(top, unit)): rows for top in tops}}
    new = random.choice([*grouped, pairs, {"rule": "all"}])
    found = [(h, k) for h, k in spots(relation) if type(h[k]) is dict and "rule" in h[k]]
    if found and random.random() < 0.7:
        holder, key = random.choice(found)
        holder[key] = new
    else:
        document["question"]["relation"] = new


def _function(document: Json, random: Random) -> None:
    """A function of parameters with high exponents, many terms, or long coefficients."""
    names = document["question"]["domain"]["parameters"]
    texts = _leaves(
        document,
        lambda value: type(value) is str and any(name in value for name in names),
    )
    holder, key = random.choice([(h, k) for h, k in texts if k not in ("parameter", "parameters")])
    text = holder[key]
    power = random.choice([2, 5, 20, 100, 500, 2000, 5000])
    name = random.choice(names)
    many = random.choice([2, 5, 20, 80])
    polynomial = " + ".join(f"{random.choice(COUNTS)}*{name}^{power + k}" for k in range(many))
    several = "*".join(f"{one}^{power}" for one in names)
    forms = [
        text.replace(name, f"{name}^{power}") if "^" not in text else text,
        f"{name}^{power}",
        f"1 - {several}",
        polynomial,
        f"({polynomial})/(1 + {several})",
        f"1 - {10 ** random.choice(DIGITS) // 3}*{several}",
    ]
    holder[key] = random.choice(forms)


def _parameters(document: Json, random: Random) -> None:
    """More parameters, each with the sides of one that is there."""
    domain = document["question"]["domain"]
    names = [f"x{k}" for k in range(random.choice([1, 2, 4, 8]))]
    domain["parameters"] = [*domain["parameters"], *names]
    for key in ("sides", "domain"):
        if key in domain:
            domain[key] = [*domain[key], *(deepcopy(domain[key][0]) for _ in names)]


def _deeper(document: Json, random: Random) -> None:
    """Something of the evidence stands in a node of a tree, again and again."""
    holder, key = random.choice(list(spots(document["evidence"])))
    for _ in range(random.choice([1, 3, 10, 40])):
        ends = random.choice([[1, 1], [10**30, 1], [3, 10**300]])
        old = holder[key]
        nodes = ([0, 1, *ends, old, old], [0, 1, *ends, old, 0], {"merge": [0, 1], "tree": old})
        holder[key] = deepcopy(random.choice(nodes))
        if len(json.dumps(holder[key], default=str)) > SHORT:
            holder[key] = old
            return


def _elsewhere(document: Json, random: Random) -> None:
    """The evidence, the relation or the model of another one."""
    other = deepcopy(random.choice(bases()))
    part = random.choice(["evidence", "relation", "model", "level", "answer"])
    if part in ("evidence", "answer"):
        document[part] = other[part]
    else:
        document["question"][part] = other["question"][part]


CHANGES = [
    *[_large] * 3,
    *[_long] * 3,
    _irrational,
    _level,
    *[_repeated] * 3,
    *[_table] * 2,
    *[_worlds] * 2,
    _records,
    _neighbours,
    *[_function] * 3,
    _parameters,
    _deeper,
    _elsewhere,
    _anywhere,
]
