"""**Independent records** (local). When x changes into y, let r be the product, over all draws of a
channel, of the largest A[o, x] / A[o, y] with A[o, x] > 0. If `per_unit`, r <= L^d for every change
at cost d. Else the product of r is at most L for changes of different records that cost at most
`limit` together; with delta Σ max(0, P(o) - L Q(o)) <= delta for all outputs of such changes to
which no other can be added. A part may have secrets: with priors `product` or `iid`, any values of
both; `list`, mixtures of columns, of one answer drawn once; `all`, of a single record.

The witness is null. With delta none below L is enough if an event P >= L Q has P - delta >= L Q >
0, or if Q = 0 has P > delta.

Or it is `{"points": n}`, 64 <= n <= 2^16: Σ is enclosed on grids of n ratios ρ^i. For the upper end
an output is split into two with neighbouring ratios, of the same P and Q together; for the lower
one, of all indices i their sum is told. Of more than n every second is kept. None below L is enough
if an event has P - L Q > delta.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product, takewhile
from math import comb, floor
from typing import Any

from . import levels
from . import reading as read
from .cones import exceeds
from .document import Rejected, fields, index, indices, items, keep, need, spend, texts
from .grids import MOST_POINTS, Grid, enclosed
from .inequality import reaches
from .levels import Level
from .numbers import Divided
from .obligations import Block, read_blocks, read_compared
from .question import fields_of_network
from .reading import ONE, ZERO, Case, Model, Table

MOST_ROOT = 1000  # degrees of levels are below
MAX_TERMS = 10**5  # of a power
MOST_RUNS = 10**6 + 1
LEAST_POINTS = 64  # of a grid
Losses = dict[Any, Any]  # of outputs: Q / P -> P; of several answers together both are multiplied
Answers = list[tuple[Table, int]]  # each with the number of its draws
Drawn = list[tuple[Losses, int]]  # the losses of answers, each with the number of its draws
Least = dict[Fraction, Any]  # cost -> the least ratio
CERTAIN: Losses = {ONE: ONE}  # of no answer


def together(one: Losses, other: Losses) -> Losses:
    """The losses of two independent answers."""
    bits, found = _bits(one) + _bits(other), defaultdict[Any, Any](int)
    spend(len(one) * len(other) * (100 + bits // 10 + bits**2 // 100_000))
    for a, p in max(one, other, key=len).items():
        for b, r in min(other, one, key=len).items():
            found[a * b] += p * r
        keep(len(found), 2 * bits)
    return found


def _bits(losses: Losses) -> int:
    """How many binary digits the longest of each number have together."""
    return sum(max(map(read.size, column)) for column in (losses, losses.values()))


def powered(one: Losses, times: int) -> Losses:
    """The losses of so many independent answers that are alike."""
    if times == 1:
        return one
    terms = comb(times + len(one) - 1, times)
    if terms <= MAX_TERMS and times > len(one) and not read.is_other(*one, *one.values()):
        unit, whole = read.in_integers([*one.values()])
        bits = times * unit.bit_length()
        spend(terms * (200 + bits // 10 + bits**2 // 20_000))
        keep(terms, 6 * bits)
        found = _multinomial(list(zip(one, whole, strict=True)), times)
        return {a: Fraction(p, unit**times) for a, p in found.items()}
    total = CERTAIN
    while times:
        total = together(total, one) if times & 1 else total
        times //= 2
        one = together(one, one) if times else one
    return total


def _multinomial(one: list[tuple[Any, int]], times: int) -> Losses:
    """The same in integers: of the answers that are left, some have the next loss."""

    @cache
    def made(at: int, left: int) -> Losses:
        (ratio, p), is_last = one[at], at + 1 == len(one)
        found = defaultdict[Any, Any](int)
        for n in range(left if is_last else 0, left + 1):
            own, ways = ratio**n, comb(left, n) * p**n
            for after, r in (CERTAIN if is_last else made(at + 1, left - n)).items():
                found[after * own] += ways * r
        return found

    return made(0, times)


def excess(losses: Losses, alpha: Any) -> Fraction:
    """The sum over the outputs of max(0, P - `alpha` Q)."""
    return sum((p * max(ZERO, 1 - alpha * ratio) for ratio, p in losses.items()), ZERO)


def needs_level(losses: Losses, low: Level | None, delta: Fraction) -> bool:
    """Whether an event has P - `delta` >= alpha Q > 0; or > 0 = Q, for no level."""
    if low is None:
        return sum((p for ratio, p in losses.items() if not ratio), ZERO) > delta
    alpha: Any = low.alpha
    event = [(p, p * ratio) for ratio, p in losses.items() if alpha * ratio <= 1]
    p, q = (sum((side[at] for side in event), ZERO) for at in (0, 1))
    try:
        return bool(alpha == 1 or (q > 0 and p - delta >= alpha * q))
    except Divided:  # it is missed somewhere
        return False


def read_channels(model: Model, of_ratios: bool = False) -> tuple[list[Answers], list[int]]:
    """The channels of a `model`, each of some answers, and the number of each record's. Rows stand
    for real numbers only where what is asked is `of_ratios`: products of rows of cones span the
    cone of products."""
    channels = []
    for listed in items(model.parts["channels"]):
        channels.append(Answers())
        for answer in items(listed):
            more = [key for key in ("noise", "reals") if key in answer]
            keys = ["outputs", "values", "columns", "runs", *more]
            table = dict(zip(keys, fields(answer, " ".join(keys)), strict=True))
            of_rows = table.pop("reals", None) == "cone" and of_ratios
            need("reals" not in more or of_rows, "real numbers are asked for more than ratios")
            runs, one = table.pop("runs"), Model({"worlds": model.parts["worlds"], **table})
            if "noise" in table:
                from .noise import check_noise

                check_noise(one)
            channels[-1].append((one.table, index(runs, MOST_RUNS, low=1)))
        need(channels[-1], "a channel gives an answer")
    chosen = indices(model.parts["chosen"], len(channels))
    need(len(chosen) == texts(model.parts["people"]), "a channel for each record")
    return channels, chosen


def losses_of(answers: Answers, i: int, j: int) -> Losses:
    """The ratios of two columns of all `answers` together, with their probabilities in the first,
    which are > 0."""
    return all_together(drawn(answers, i, j))


def drawn(answers: Answers, i: int, j: int) -> Drawn:
    """The same of different ones of the `answers` by themselves."""
    found = Counter[frozenset[Any]]()
    for table, runs in answers:
        once = defaultdict[Any, Any](int)
        columns = ([table.values[c] for c in table.columns[k]] for k in (i, j))
        for p, q in zip(*columns, strict=True):
            if p:
                once[read.ratio(q, p)] += p
        found[frozenset(once.items())] += runs
    return [(dict(once), runs) for once, runs in found.items()]


def choices(
    parts: Sequence[tuple[Answers, list[Block]]], several: list[int], room: Fraction | None
) -> Iterator[Drawn]:
    """What is drawn in each choice of changes to which no other can be added.

    parts    answers of a record, and which of their columns may change into which, with costs
    several  how many records there are of each
    room     for costs together; None for any
    """
    kinds = dict[Any, tuple[int, Fraction, Drawn]]()
    for at, (answers, blocks) in enumerate(parts):
        for i, j, cost in ((i, j, c) for s, t, c in blocks for i, j in product(s, t) if i != j):
            own = drawn(answers, i, j)
            key = at, frozenset((frozenset(once.items()), runs) for once, runs in own)
            if key not in kinds or cost < kinds[key][1]:
                kinds[key] = at, cost, own
    ways: list[tuple[list[int], Any, Drawn]] = [(several, room, [])]
    for part, cost, own in kinds.values():
        further = []
        for left, rest, chosen in ways:
            most = left[part] if rest is None else min(left[part], floor(Fraction(rest, cost)))
            spend(1000 * (1 + most))
            for times in range(most + 1):
                fewer = [k - times * (other == part) for other, k in enumerate(left)]
                less = None if rest is None else rest - times * cost
                more = [(once, runs * times) for once, runs in own if times]
                further.append((fewer, less, [*chosen, *more]))
        ways = further
    for left, rest, chosen in ways:
        spend(100 * len(kinds))
        if not any(left[at] and (rest is None or cost <= rest) for at, cost, _ in kinds.values()):
            yield chosen


def all_together(several: Drawn) -> Losses:
    """The losses of independent answers, of each so many that are alike."""
    found = CERTAIN
    for losses, times in several:
        found = together(found, powered(losses, times))
    return found


def least_ratios(answers: Answers, blocks: list[Block]) -> Least:
    """At each cost the least product of the ratios Q / P of two columns, drawn in all `answers`.

    Of a single answer the largest P and the least Q of each output are enough."""
    chosen = defaultdict[Fraction, dict[Any, list[Any]]](dict)
    tables, known = [table.alike() for table, _ in answers], dict[Any, Any]()

    @cache
    def least(at: int, s: tuple[int, ...], t: tuple[int, ...]) -> Any:
        """That of some columns of one answer; equal ones are one object."""
        (table, _), (_, runs), found = tables[at], answers[at], (0, 1)
        for ratio in table.extremes(s, t, set()):
            found = ratio if exceeds(ratio, found) else found
        drawn = power(read.ratio(found[1], found[0]), runs)
        keep(1 + len(known), 2 * read.size(drawn))
        return known.setdefault(read.written(drawn), drawn)

    for s, t, cost in blocks:
        pairs = [(s, t)] if len(answers) == 1 else [((i,), (j,)) for i, j in product(s, t)]
        spend(30 * len(answers) * len(pairs))
        for pair in pairs:
            sides = ([tuple([which[c] for c in side]) for side in pair] for _, which in tables)
            lines = [least(at, *both) for at, both in enumerate(sides)]
            chosen[cost][tuple(map(id, lines))] = lines
    return {cost: min(map(multiplied, every.values())) for cost, every in chosen.items()}


def power(value: Fraction, times: int) -> Fraction:
    """A power of a `value`, if it is not too long to be made."""
    bits = times * read.size(value)
    spend(bits + bits**2 // 10**7)
    return value**times


def multiplied(factors: Iterable[Any]) -> Any:
    """The product of some numbers, if it is not too long to be brought to lowest terms."""
    found: Any = ONE
    for factor in factors:
        spend(read.size(found) * read.size(factor) // 100_000)
        found = found * factor
    return found


def least_product(least: list[Least], several: list[int], room: Fraction | None) -> Any:
    """The least product of so many changes (`several`) of each kind, which cost at most a `room`
    together (None: any); `least` has their ratios."""
    if room is None:
        each = zip(least, several, strict=True)
        return multiplied(power(min(own.values(), default=ONE), k) for own, k in each)
    fits = [{c: r for c, r in own.items() if c <= room} for own in least]
    found = {ZERO: ONE}  # what changes cost -> least product
    for own, k in zip(fits, several, strict=True):
        for _ in range(min(k, floor(Fraction(room, min(own, default=room + 1))))):
            long = max(map(read.size, (*found.values(), *own.values())))
            spend((100 + long**2 // 100_000) * len(found) * len(own))
            keep(len(found) * len(own), long)
            further = dict(found)
            for (spent, before), (cost, ratio) in product(found.items(), own.items()):
                if spent + cost <= room:
                    most = further.get(spent + cost, ONE)
                    further[spent + cost] = min(most, before * ratio)
            found = further
    return min(found.values())


# whether all holds at a level; whether one needs a level, or none serves (None)
Facts = tuple[Callable[[Level], bool], Callable[[Level | None], bool]]
Part = tuple[Answers, list[Block]]  # the columns of independent answers, and which are compared


def _part(relation: Any, answers: Answers, model: Model, people: int) -> Part:
    """What a `relation` compares of a record; with secrets, under priors by which so many `people`
    are independent, the unknown distribution of one being any."""
    if relation["rule"] == "secrets":
        kind = relation["priors"]["class"]
        need(kind in ("product", "iid", "list") or (kind == "all" and people == 1), "priors")
        if kind == "list":
            ((table, runs),) = answers
            need(runs == 1, "mixtures are of one answer, drawn once")
            found = read_compared(relation, model, table)
            return [(found.table.over(found.masses), 1)], found.blocks
        relation = {**relation, "priors": {"class": "product" if kind == "iid" else kind}}
    return answers, read_blocks(relation, model)


def _of_ratios(parts: list[Part], several: list[int], room: Any, per_unit: bool) -> Facts:
    """Without delta: about the least ratio Q / P of all changes together; or about those of single
    ones, with costs."""

    @cache
    def least() -> list[tuple[Any, Fraction]]:
        each = [least_ratios(*part) for part in parts]
        if per_unit:
            return [(ratio, cost) for own in each for cost, ratio in own.items()]
        return [(least_product(each, several, room), ONE)]

    def holds(level: Level) -> bool:
        return all(level.compare(ONE, ratio, cost) <= 0 for ratio, cost in least())

    return holds, lambda low: any(reaches((ONE, ratio), low, cost) for ratio, cost in least())


def _of_sums(drawn: Callable[[], Iterator[Drawn]], delta: Fraction) -> Facts:
    """With delta: about the sum of max(0, P - L Q), for each choice of changes."""
    known = cache(lambda: list(map(all_together, drawn())))

    def holds(level: Level) -> bool:
        return all(excess(one, level.alpha) <= delta for one in known())

    return holds, lambda low: any(needs_level(one, low, delta) for one in known())


def _of_grids(drawn: Callable[[], Iterator[Drawn]], delta: Fraction, points: int) -> Facts:
    """The same, enclosed on grids of at most so many `points`."""
    fewer = (*takewhile(points.__gt__, (LEAST_POINTS * 4**k for k in range(6))), points)
    grids = cache(lambda: [cache(partial(enclosed, one, delta=delta)) for one in drawn()])

    def exceeds_delta(made: Callable[[int], Grid], alpha: Fraction) -> bool:
        """Whether a sum is above delta at a level `alpha`, on the first grid that tells."""
        for n in fewer:
            if made(n).upper(alpha) <= delta:
                return False
            if made(n).lower(alpha) > delta:
                return True
        raise Rejected("the grid does not decide a level")

    def holds(level: Level) -> bool:
        return not any(exceeds_delta(made, level.number) for made in grids())

    def needs(low: Level | None) -> bool:
        if low is None:
            return any(made(points).infinite() > delta for made in grids())
        return low.number == 1 or any(exceeds_delta(made, low.number) for made in grids())

    return holds, needs


def check_local(case: Case) -> bool:
    """Whether the definition of a `case` is met by independent records; the witness is null, or how
    many points grids may have, as what these tell is found here."""
    asked = levels.claim(case.claim)
    limit, per_unit, relations, chosen, *others = fields_of_network(case.relation)
    need(others == [0, None], "independent records are not hidden")
    points = 0
    if case.witness is not None:
        points = index(fields(case.witness, "points")[0], MOST_POINTS + 1, low=LEAST_POINTS)
    exact = "closed" in asked.leakage or "lower" not in asked.leakage
    fits = not per_unit if asked.delta else not points
    need(fits and (exact or not asked.delta or points), "with delta, a leakage is exact")
    channels, at = read_channels(case.model, of_ratios=not asked.delta)
    counts = Counter((k, own) for k, own in zip(chosen, at, strict=True) if k >= 0)
    parts = [_part(relations[k], channels[own], case.model, len(at)) for k, own in counts]
    several, room = [*counts.values()], None if limit is None else read.number(limit)
    holds, needs = _of_ratios(parts, several, room, per_unit)
    if asked.delta:
        of_sums = partial(_of_grids, points=points) if points else _of_sums
        holds, needs = of_sums(partial(choices, parts, several, room), asked.delta)
    costs = [cost for _, blocks in parts for _, _, cost in blocks]
    empty = not any(per_unit or room is None or cost <= room for cost in costs)
    degrees = range(2, MOST_ROOT) if per_unit else ()
    return asked.settle(empty, holds, needs, not points, bool(points), degrees)
