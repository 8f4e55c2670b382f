"""Probabilities that are stated as comparisons of independent draws: they are integrated again.

The model of a question may say what its likelihoods are: laws of draws (Laplace, exponential,
uniform, geometric), events, each of which is that some sums of draws with integer factors are at
least 0, and for each value of the matrix a sum of products of events. No evidence is needed: each
sum is computed, and has to be exactly the value. How a program leads to these comparisons is taken;
so are the integrals where the model has only ends of its values, as with normal draws.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from . import reading as read
from .document import fields, index, indices, items, need, prove, spend
from .functions import Coarse, Sum, expanded
from .integrals import LAWS, ORIGIN, Event, Form, Law, Work
from .levels import Claim
from .numbers import Poly, of_powers, sum_of_powers
from .reading import Model

NORMAL = "normal"  # a law whose integrals are taken
BASES = {"geometric": "ratio", "interval": ""}  # what is raised to powers: else e
MAX_DRAWS = 1_000
MAX_DENOMINATOR = 10**60
MOST = 200  # degree of a basis
Stated = tuple[Any, list[tuple[Fraction, list[int]]]]  # of a sum: its place; weights and events


def check_noise(model: Model) -> None:
    """Reject values of the matrix that are not the probabilities that the model's `noise` says."""
    listed, sums = _stated(model, LAWS)
    chances = probabilities(listed)
    values, seen = model.table.values, set()
    for value, terms in sums:
        seen.add(index(value, len(values)))
        total = ORIGIN
        for factor, parts in terms:
            for event in parts:
                long, own = read.size(factor), read.size(chances[event])
                spend(50 + long // 500 + long * own // 100_000)
                factor = factor * chances[event]
            total = total + factor
        prove(total == values[value], f"the comparisons do not make value {value}")
    needed = {v for v, value in enumerate(values) if value}
    prove(seen == needed, "every value but 0 has its comparisons")


def check_enclosed(model: Model) -> None:
    """Refuse a `noise` that does not say, in its form, which comparisons of draws are between each
    two ends of a model. Their integrals are taken."""
    _, sums = _stated(model, {**LAWS, NORMAL: "real"})
    values = read.numbers(model.parts["values"])
    pairs = items([pair for pair, _ in sums], 2)
    indices([place for pair in pairs for place in pair], len(values))
    known = {(values[low], values[up]) for low, up in pairs}
    columns = zip(*model.ends, strict=True)
    found = {(low, up) for upper, lower in columns for up, low in zip(upper, lower, strict=True)}
    possible = {ends for ends in found if any(ends)}
    prove(known == possible, "the ends of every probability but 0 have their comparisons")


def check_reals(about: str, question: Any) -> None:
    """Refuse what is not decided by rows that stand for real numbers: where densities span one
    `cone` it is ratios without delta, where they are known by `pairs` those of worlds, and where
    numbers are cut at a list of levels the delta of worlds."""
    relation, kind = question["relation"], question["model"]["reals"]
    delta, of_pairs = read.number(question["level"]["delta"]), relation["rule"] != "secrets"
    need("tradeoff" not in question, "real numbers have no trade-off")
    if type(kind) is list:
        need(about in ("boxes", "comparison") and delta, "levels are cut for delta")
        return
    of_rows = about == "comparison" or relation["rule"] == "bounded_range"
    of_rows |= relation["rule"] == "simulator" and relation["given"] is not None
    of_worlds = about == "comparison" and (kind == "ends" or (kind == "pairs" and of_pairs))
    need(of_worlds or (kind == "cone" and of_rows), "real numbers are asked for more than ratios")
    need(not delta, "real numbers and delta")


def check_cut(model: Model, asked: Claim, witness: Any) -> None:
    """Refuse what is said with delta of real numbers at another level than those at which they are
    cut: there all holds that does for them. That less is not enough is so at each level. Of
    mixtures the witness is a density."""
    levels, said = model.parts["reals"], asked.leakage or {}
    if levels == "ends":
        _check_ends(model, witness)
    ends = [k for k in ("closed", "exp_epsilon", "upper", "at_most") if asked.delta and k in said]
    for key in ends[:1]:
        known = read.numbers(levels)
        need(read.number(said[key]) in known, "real numbers are cut at other levels")


def _check_ends(model: Model, witness: Any) -> None:
    """Reject rows of a `model` that no one function of a basis makes, and a witness whose row is no
    density at an end of a basis."""
    listed, sums = _stated(model, LAWS)
    known: dict[int, set[Any]] = {}
    for value, terms in sums:
        shares = ([share for event in parts for share in listed[event][2:]] for _, parts in terms)
        made = {tuple(share[1:] for share in own) for own in shares}
        known.setdefault(value, set()).update(made if len(made) == 1 else ())
    for output, row in enumerate(zip(*model.table.columns, strict=True)):
        spend(20 * len(row))
        own = [known[code] for code in {*row} if code in known]
        functions = set.intersection(*own) if own else {()}
        prove(functions, "a row is no function of a basis")
        if witness is not None and witness["output"] == output:
            prove(any(map(_is_end, functions)), "the witness is no density")


def _is_end(functions: Any) -> bool:
    """Whether the coefficients of functions, one for each number, are densities at ends."""
    for ((low, high), _, (n, power, anchor, _)), place in functions:
        both = power if None not in (low, high) else 0
        first = place == (0, power if low is None else 0) and not (both and anchor)
        if not first and (place != (n, power if high is None else 0) or (both and not anchor)):
            return False
    return True


def _stated(model: Model, known: Mapping[str, str]) -> tuple[list[Event], list[Stated]]:
    """The events that a model's `noise` lists, and its sums: a place, and weights with events."""
    laws, events, sums = fields(model.parts["noise"], "laws events sums")
    named = [_law(law, known) for law in items(laws, 2)]
    need(len(set(named)) == len(named), "a law stands twice")
    listed = [_event(event, named) for event in items(events)]
    need(len(set(listed)) == len(listed), "an event stands twice")
    plain = all(len(event) == 2 for event in listed)
    need(plain or model.parts.get("reals") == "ends", "shares are of real numbers")
    used = {law for event in listed for law in event[0]}
    need(used == set(named), "every law is one of an event")
    found = []
    for place, terms in items(sums, 2):
        weighted = [
            (read.number(weight), indices(parts, len(listed))) for weight, parts in items(terms, 2)
        ]
        need(all(weight > 0 for weight, _ in weighted), "a weight is positive")
        found.append((place, weighted))
    summed = {event for _, terms in found for _, parts in terms for event in parts}
    need(summed == set(range(len(listed))), "every event is part of a sum")
    return listed, found


def _law(parts: list[Any], known: Mapping[str, str]) -> Law:
    name, parameter = parts[0], read.number(parts[1])
    need(type(name) is str and name in known, f"no such law: {name!r:.80}")
    need(parameter > 0 and (name != "geometric" or parameter < 1), "the parameter of a law")
    return name, parameter


def _event(event: Any, laws: Sequence[Law]) -> Event:
    draws, conditions, *more = fields(event, "draws conditions" + " share" * ("share" in event))
    mine = tuple(laws[i] for i in indices(draws, len(laws)))
    need(mine != (), "an event has draws")
    bases = {BASES.get(name, "e") for name, _ in mine} - {""}
    need(len(bases) <= 1, "ratios and powers of e are not compared in one event")
    need(len(mine) <= MAX_DRAWS, "an event has many draws")
    forms = tuple(_form(terms, shift, len(mine)) for terms, shift in items(conditions, 2))
    if not more:
        return mine, forms
    return mine, forms, _share(more[0], len(mine))


def _share(said: Any, size: int) -> Any:
    """A form of draws and a number that is 0, and the function of a basis that is told of it."""
    number, ends, rates, degrees, place = items([said], 5)[0]
    terms, shift, unit = items([number], 3)[0]
    factors, over, _ = _form(terms, shift, size)
    need(factors[0], "the first draw is part of the number")
    low, high = (None if end is None else read.number(end) for end in items([ends], 2)[0])
    rate, step = read.numbers(items([rates], 2)[0])
    n, power, anchor, order = shape = indices(items([degrees], 4)[0], MOST)
    k, j = indices(items([place], 2)[0], MOST)
    need(k <= n and j <= power and anchor <= 1, "a function of the basis")
    if low is None or high is None:
        need(low is not high and (step <= 0 if high is None else step >= 0), "an end")
        need(bool(step) == bool(n) and not anchor and not order, "a basis with one end")
    else:
        need(low < high and step >= 0 and (step or not power), "a basis with two ends")
        need(bool(power) == bool(order) and (power or not anchor), "an order")
        need(not power or step * (high - low) <= 1, "a basis is narrow")
    line = (*factors, -index(unit, read.CODES, low=1)), over, False
    return line, ((low, high), (rate, step), tuple(shape)), (k, j)


def _form(terms: Any, shift: Any, size: int) -> Form:
    """The form with these factors of some of so many (`size`) draws."""
    factors = [0] * size
    for i, factor in items(terms, 2):
        known = index(factor, read.CODES, -read.CODES)
        need(not factors[index(i, size)] and known, "a factor is not 0")
        factors[i] = factor
    need(any(factors), "a condition is one of draws")
    return tuple(factors), read.number(shift), False


def probabilities(events: Sequence[Event]) -> list[Fraction]:
    """The exact probability of each of some `events`."""
    m = 1
    while True:
        try:
            work = Work(m)
            return [exact(_found(work, event), m) for event in events]
        except Coarse as coarse:
            m *= coarse.args[0]
            need(m <= MAX_DENOMINATOR, "the scales of draws have no common part")


def _found(work: Work, event: Event) -> Sum:
    """The probability of an event, or the share of a density."""
    if len(event) == 2:
        return work.probability(event)
    from .densities import part_of

    return part_of(work, event)


def exact(value: Sum, m: int) -> Fraction:
    """The number that a sum is."""
    under = expanded(Poly({0: value.unit}), value.below)
    return of_powers(*(sum_of_powers(terms, m) for terms in (value.terms, under)))
