"""Privacy losses: the ratios of two columns, each with its probabilities in both."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, floor
from typing import Any

from . import reading as read
from .document import fields, index, indices, items, keep, need, spend, texts
from .levels import Level
from .obligations import Block
from .reading import ONE, ZERO, Model, Table

MAX_TERMS = 10**5  # of a power
MOST_RUNS = 10**6
Losses = dict[Any, tuple[Fraction, Fraction]]  # ratio, None where infinite -> P and Q
Answers = list[tuple[Table, int]]  # each with the number of its draws
Kind = tuple[int, Fraction, Losses]  # of a change: of which records, its cost, losses
PRIME = 2**61 - 1
CERTAIN: Losses = {ONE: (ONE, ONE)}  # of no answer


def add(found: dict[Any, Any], ratio: Fraction | None, p: Any, q: Any) -> None:
    """Add probabilities to those of a `ratio`."""
    before = found.get(ratio, (0, 0))
    found[ratio] = before[0] + p, before[1] + q


def together(one: Losses, other: Losses) -> Losses:
    """The losses of two independent answers."""
    bits, found = _bits(one) + _bits(other), Losses()
    spend(len(one) * len(other) * (100 + bits // 10))
    for a, (p, q) in max(one, other, key=len).items():
        for b, (r, s) in min(other, one, key=len).items():
            add(found, _times(a, b), p * r, q * s)
        keep(len(found), 2 * bits)
    return found


def all_together(answers: Sequence[Losses]) -> Losses:
    """The losses of independent `answers`; before any product is made all are counted."""
    found, ahead, bits = CERTAIN, _residues(CERTAIN), 0
    for losses in answers:
        bits += _bits(losses)
        ahead = ahead and _counted(ahead, _residues(losses), bits)
    for losses in answers:
        spend(100 * len(found) * len(losses))
        found = together(found, losses)
    return found


def _residues(losses: Losses) -> set[int]:
    """The ratios modulo a prime, which are different where they are, nearly always; nothing where
    they are not rational."""
    if read.is_other(*losses):
        return set()
    parts = [(0, 1) if ratio is None else ratio.as_integer_ratio() for ratio in losses]
    return {a * pow(b % PRIME or 1, -1, PRIME) % PRIME for a, b in parts}


def _counted(one: set[int], other: set[int], bits: int) -> set[int]:
    """The residues of the products of ratios, if all these are not too many to be made with
    numbers of so many `bits`."""
    spend(len(one) * len(other) * (100 + bits // 10))
    found = set[int]()
    for a in max(one, other, key=len):
        found.update([a * b % PRIME for b in min(other, one, key=len)])
        keep(len(found), 2 * bits)
    return found


def _bits(losses: Losses) -> int:
    """How many binary digits the longest of each number have together."""
    ratios = [ratio for ratio in losses if ratio is not None]
    columns = (ratios, *zip(*losses.values(), strict=True))
    return sum(max(map(read.size, column), default=0) for column in columns)


def _times(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a * b


def powered(one: Losses, times: int) -> Losses:
    """The losses of so many independent answers that are alike."""
    if times == 1:
        return one
    masses = [p for side in one.values() for p in side]
    terms = comb(times + len(one) - 1, times)
    if terms <= MAX_TERMS and not read.is_other(*masses, *one):
        unit, whole = read.whole(masses)
        bits = times * unit.bit_length()
        spend(terms * (200 + bits // 10 + bits**2 // 3_000))
        keep(terms, 6 * bits)
        found = _multinomial(list(zip(one, whole[::2], whole[1::2], strict=True)), times)
        return {a: (Fraction(p, unit**times), Fraction(q, unit**times)) for a, p, q in found}
    total, bits = CERTAIN, max(map(read.size, masses))
    ahead, power = _residues(one), 1
    while ahead and 2 * power <= times:
        power *= 2
        ahead = _counted(ahead, ahead, power * _bits(one))
    while times:
        spend((100 + bits // 10) * len(one) * (len(total) + len(one)))
        bits *= 2
        total = together(total, one) if times & 1 else total
        times //= 2
        one = together(one, one) if times else one
    return total


def _multinomial(one: list[tuple[Any, int, int]], times: int) -> Iterator[tuple[Any, int, int]]:
    """The same in integers: of the answers that are left, some have the next loss."""
    states: dict[int, dict[Any, tuple[int, int]]] = {times: {ONE: (1, 1)}}
    for at, (ratio, p, q) in enumerate(one, 1):
        further: dict[int, dict[Any, tuple[int, int]]] = {}
        for left, known in states.items():
            for n in range(left + 1) if at < len(one) else [left]:
                own = None if ratio is None and n else (ratio or ONE) ** n
                ways = comb(left, n)
                found = further.setdefault(left - n, {})
                for before, (r, s) in known.items():
                    add(found, _times(before, own), ways * r * p**n, ways * s * q**n)
        states = further
    yield from ((ratio, p, q) for ratio, (p, q) in states[0].items())


def excess(losses: Losses, alpha: Any) -> Fraction:
    """The sum over the outputs of max(0, P - `alpha` Q)."""
    return sum((max(ZERO, p - alpha * q) for p, q in losses.values()), ZERO)


def needs_level(losses: Losses, low: Level | None, delta: Fraction) -> bool:
    """Whether an event has P - `delta` >= alpha Q > 0; or > 0 = Q, for no level."""
    if low is None:
        return sum((p for p, q in losses.values() if not q), ZERO) > delta
    alpha: Any = low.alpha
    event = [(p, q) for p, q in losses.values() if p >= alpha * q]
    p, q = (sum((side[at] for side in event), ZERO) for at in (0, 1))
    return bool(alpha == 1 or (q > 0 and p - delta >= alpha * q))


def read_channels(model: Model) -> tuple[list[Answers], list[int]]:
    """The channels of a `model`, each of some answers, and the number of each record's."""
    channels = []
    for listed in items(model.parts["channels"]):
        channels.append(Answers())
        for answer in items(listed):
            outputs, values, columns, runs = fields(answer, "outputs values columns runs")
            table = {"outputs": outputs, "values": values, "columns": columns}
            one = Model({"worlds": model.parts["worlds"], **table}).table
            channels[-1].append((one, index(runs, MOST_RUNS, low=1)))
        need(channels[-1], "a channel gives an answer")
    chosen = indices(model.parts["chosen"], len(channels))
    need(len(chosen) == texts(model.parts["people"]), "a channel for each record")
    return channels, chosen


def losses_of(answers: Answers, i: int, j: int) -> Losses:
    """The ratios of two columns of all `answers` together, with their probabilities in both, where
    the first is > 0."""
    found = []
    for table, runs in answers:
        once: Losses = {}
        columns = ([table.values[c] for c in table.columns[k]] for k in (i, j))
        for p, q in zip(*columns, strict=True):
            if p:
                add(once, read.ratio(p, q) if q else None, p, q)
        found.append(powered(once, runs))
    return all_together(found)


def losses_of_changes(changes: Sequence[tuple[Answers, tuple[int, int]]]) -> Losses:
    """The losses of all `changes` of different records, each by two columns of answers."""
    known = {id(answers): answers for answers, _ in changes}
    several = Counter((id(answers), pair) for answers, pair in changes)
    once = ((losses_of(known[at], *pair), k) for (at, pair), k in several.items())
    return all_together([powered(losses, k) for losses, k in once])


def choices(
    parts: Sequence[tuple[Answers, list[Block]]], several: list[int], room: Fraction | None
) -> Iterator[Losses]:
    """The losses of each choice of changes to which no other can be added; of equal ones, one.

    parts    answers of a record, and which of their columns may change into which, with costs
    several  how many records there are of each
    room     for costs together; None for any
    """
    kinds = dict[Any, Kind]()
    for at, (answers, blocks) in enumerate(parts):
        for i, j, cost in ((i, j, c) for s, t, c in blocks for i, j in product(s, t)):
            if i != j:
                losses = losses_of(answers, i, j)
                key = at, frozenset(losses.items())
                if key not in kinds or cost < kinds[key][1]:
                    kinds[key] = at, cost, losses
    yield from _choices([*kinds.values()], several, room, CERTAIN)


def _choices(
    kinds: list[Kind],
    several: list[int],
    room: Fraction | None,
    known: Losses,
) -> Iterator[Losses]:
    """All ways to add changes to those that are `known` until none fits any more, so many of each
    kind at once; the first kind that is added comes before all that follow."""
    spend(1000 + 100 * len(kinds))

    def fits(kind: Kind) -> bool:
        return several[kind[0]] > 0 and (room is None or kind[1] <= room)

    added = [at for at, kind in enumerate(kinds) if fits(kind)]
    if not added:
        yield known
    for at in added:
        part, cost, losses = kinds[at]
        most = several[part] if room is None else min(several[part], floor(Fraction(room, cost)))
        for times in range(most, 0 if at < added[-1] else most - 1, -1):
            left = [k - times * (own == part) for own, k in enumerate(several)]
            rest = None if room is None else room - times * cost
            more = powered(losses, times)
            spend(100 * len(known) * len(more))
            yield from _choices(kinds[at + 1 :], left, rest, together(known, more))
