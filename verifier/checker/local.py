"""Certificates of kind "local": every record is answered by a channel of its own.

The worlds of the model are the values of one record. Answers are independent, so the ratio of two
databases is the product of those of the records in which they differ; here the largest product is
found again, and the changes of the witness must attain it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, afford, fields, index, indices, items, named_pair, need, prove, texts
from .levels import Claim, Level
from .losses import CERTAIN, Losses, add, all_together, excess, powered, together
from .obligations import Block, read_blocks, read_compared
from .products import MANY, closest
from .question import fields_of_local
from .reading import ONE, ZERO, Case, Model, Table

MAX_RUNS = 10**6
MOST_ROOT = 1000  # degrees of levels are below
Answers = list[tuple[Table, int]]  # each with the number of its draws
Best = dict[Fraction, Any]  # cost -> the largest ratio, None where infinite


@dataclass(frozen=True)
class Part:
    """What is compared of a record: the columns of independent answers, by blocks; `names` has the
    numbers of columns that belong to pairs of a prior and a secret."""

    answers: Answers
    blocks: list[Block]
    names: Mapping[tuple[int, str], int] | None = None

    def best(self) -> Best:
        """The largest ratio of a change at each cost."""
        found: Best = {}
        for cost, ratio in self._of_one() if len(self.answers) == 1 else self._of_several():
            known = found.get(cost, ZERO)
            found[cost] = None if ratio is None or known is None else max(ratio, known)
        return found

    def _of_one(self) -> Iterator[tuple[Fraction, Fraction | None]]:
        """The cost of each block with the largest ratio of its columns, in one answer."""
        ((table, runs),) = self.answers
        for s, t, cost in self.blocks:
            afford((len(s) + len(t)) * len(table.columns[0]))
            yield cost, _largest(table, s, t, runs)

    def _of_several(self) -> Iterator[tuple[Fraction, Fraction | None]]:
        """Each cost with the ratios of pairs of columns in several answers, each choice once."""
        few = [block for block in self.blocks if len(block[0]) * len(block[1]) < MANY]
        afford(30 * len(self.answers) * sum(len(s) * len(t) for s, t, _ in few))
        budget = Budget()
        each = [_Ratios(table, runs, budget) for table, runs in self.answers]
        chosen = {
            (cost, tuple([one.number(i, j) for one in each]))
            for s, t, cost in few
            for i, j in product(s, t)
        }
        for s, t, cost in self.blocks:
            if len(s) * len(t) >= MANY:
                chosen |= {(cost, numbers) for numbers in closest(each, list(s), list(t), budget)}
        for cost, numbers in chosen:
            ratios = [one.ratios[number] for one, number in zip(each, numbers, strict=True)]
            yield cost, None if None in ratios else _product(ratios)


def losses_of(answers: Answers, i: int, j: int, budget: Budget) -> Losses:
    """The ratios of two columns of all `answers` together, with their probabilities in both, where
    the first is > 0; a `budget` pays."""
    found = []
    for table, runs in answers:
        once: Losses = {}
        for p, q in zip(
            *([table.values[c] for c in table.columns[k]] for k in (i, j)), strict=True
        ):
            if p:
                add(once, read.ratio(p, q) if q else None, p, q)
        found.append(powered(once, runs, budget))
    return all_together(found, budget)


Shown = tuple[Part, tuple[int, int], Fraction, Any]  # a part, columns, cost, outputs


@dataclass(frozen=True)
class Compared:
    """What is compared of all records: `parts`, each of `several` records; and how much changes
    may cost together, with no `room` any, or `per_unit` every single one."""

    parts: list[Part]
    several: list[int]
    room: Fraction | None
    per_unit: bool

    def is_empty(self) -> bool:
        """Whether no change is compared that may be made alone."""
        most = None if self.per_unit else self.room
        costs = [cost for part in self.parts for _, _, cost in part.blocks]
        return not any(most is None or cost <= most for cost in costs)


def check_local(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    _, limit, per_unit, _, _ = fields_of_local(case.relation)
    room = None if limit is None else read.number(limit)
    parts, chosen = _parts(case.relation, case.model)
    need(not asked.delta or not per_unit, "with distances, delta is 0")
    exact = "closed" in asked.leakage or "lower" not in asked.leakage
    need(not asked.delta or exact, "with delta, a leakage is exact")
    own = "record pair" if asked.delta else "record pair outputs"
    changes = [] if case.witness is None else _changes(case.witness, parts, chosen, own)
    _check_together([cost for _, _, cost, _ in changes], room, per_unit)
    several = [chosen.count(at) for at in range(len(parts))]
    compared = Compared(parts, several, room, per_unit)
    settle = _settle_events if asked.delta else _settle_ratios
    return settle(asked, compared, changes)


def _settle_events(asked: Claim, compared: Compared, changes: list[Shown]) -> bool:
    """Whether what is asked with a delta is met: by the events of all choices of changes."""
    parts, empty = compared.parts, compared.is_empty()
    known = list(_choices(parts, compared.several, compared.room)) if not empty else []
    shown = _all_together(changes)
    return asked.settle(
        empty,
        lambda level: all(excess(losses, level.alpha) <= asked.delta for losses in known),
        lambda low: _needs_with_delta(shown, low, asked.delta),
    )


def _settle_ratios(asked: Claim, compared: Compared, changes: list[Shown]) -> bool:
    """Whether what is asked without a delta is met: by the largest products of ratios."""
    best, per_unit = [part.best() for part in compared.parts], compared.per_unit
    largest = _largest_products(best, compared.several, compared.room, per_unit)
    p, q = _shown(changes)
    cost = changes[0][2] if changes and per_unit else ONE

    def holds(level: Level) -> bool:
        return all(r is not None and level.compare(r, ONE, d) <= 0 for r, d in largest)

    def needs(low: Level | None) -> bool:
        return p > 0 == q if low is None else q > 0 and low.compare(p, q, cost) >= 0

    degrees = range(2, MOST_ROOT) if per_unit else ()
    return asked.settle(compared.is_empty(), holds, needs, within=True, degrees=degrees)


def _parts(relation: Any, model: Model) -> tuple[list[Part], list[int]]:
    """What a `relation` compares by each channel of a `model`, and which of it for each record; -1
    where nothing of a record is compared."""
    _, _, _, relations, chosen = fields_of_local(relation)
    channels, of = read_channels(model)
    people = len(of)
    need(people == len(chosen), "a channel for each record")
    keys = [(k, at) if k >= 0 else None for k, at in zip(chosen, of, strict=True)]
    numbers = {key: n for n, key in enumerate(dict.fromkeys(filter(None, keys)))}
    parts = [_part(_of_one(relations[k], people), channels[at], model) for k, at in numbers]
    return parts, [numbers[key] if key else -1 for key in keys]


def read_channels(model: Model) -> tuple[list[Answers], list[int]]:
    """The channels of a `model`, and the number of each record's."""
    channels = [_answers(answers, model) for answers in items(model.parts["channels"])]
    chosen = indices(model.parts["chosen"], len(channels))
    need(len(chosen) == texts(model.parts["people"]), "a channel for each record")
    return channels, chosen


def _part(relation: Any, answers: Answers, model: Model) -> Part:
    """What a `relation` compares of a record with these `answers`."""
    if relation["rule"] != "secrets" or relation["priors"]["class"] != "list":
        return Part(answers, read_blocks(relation, model, range(model.size)))
    ((table, runs),) = answers
    need(runs == 1, "mixtures are of one answer, drawn once")
    compared: Any = read_compared(relation, model, table)
    return Part([(compared.table, 1)], compared.blocks, compared.columns)


def _of_one(relation: Any, people: int) -> Any:
    """A relation over the values of one record; with secrets, priors under which so many records
    are independent, the unknown distribution of one being any."""
    if relation["rule"] != "secrets":
        return relation
    kind = relation["priors"]["class"]
    need(kind in ("product", "iid", "list") or (kind == "all" and people == 1), "independence")
    return {**relation, "priors": {"class": "product"}} if kind == "iid" else relation


def _answers(listed: Any, model: Model) -> Answers:
    """The answers of a channel, at least one."""
    found = []
    for answer in items(listed):
        outputs, values, columns, runs = fields(answer, "outputs values columns runs")
        table = {"outputs": outputs, "values": values, "columns": columns}
        one = Model({"worlds": model.parts["worlds"], **table}).table
        found.append((one, index(runs, MAX_RUNS, low=1)))
    need(found, "a channel gives an answer")
    return found


def _changes(witness: Any, parts: list[Part], chosen: list[int], keys: str) -> list[Shown]:
    """The changes of a `witness`, of different records and each one that is compared; each has
    these `keys`, and a prior where there is one."""
    found, records = [], set()
    for change in items(fields(witness, "changes")[0]):
        record = index(change["record"], len(chosen))
        need(record not in records and chosen[record] >= 0, "a record changes once")
        records.add(record)
        part = parts[chosen[record]]
        if part.names is None:
            _, pair, *outputs = fields(change, keys)
            i, j = indices(pair, len(part.answers[0][0].columns))
        else:
            _, pair, *outputs, prior = fields(change, f"{keys} prior")
            i, j = (part.names[index(prior, read.CODES), name] for name in named_pair(pair))
        costs = [d for s, t, d in part.blocks if i != j and i in s and j in t]
        prove(costs, "a change of the witness is not compared")
        found.append((part, (i, j), min(costs), outputs))
    return found


def _check_together(costs: list[Fraction], room: Fraction | None, per_unit: bool) -> None:
    """Reject changes that cost more together than may be; of a metric, more than one."""
    within = len(costs) <= 1 if per_unit else room is None or sum(costs) <= room
    prove(within, "the changes of the witness are too many")


def _shown(changes: list[Shown]) -> tuple[Fraction, Fraction]:
    """P and Q of the outputs of all `changes`."""
    p = q = ONE
    for part, (i, j), _, (outputs,) in changes:
        for (table, runs), output in zip(part.answers, items(outputs), strict=True):
            index(output, len(table.columns[i]))
            p *= table.chance(i, [output]) ** runs
            q *= table.chance(j, [output]) ** runs
    return p, q


def _largest(table: Table, s: Collection[int], t: Collection[int], runs: int) -> Any:
    """The largest ratio of an output in columns `s` and `t`, drawn so often; None: infinite."""
    parts, columns = table.whole[1], table.columns
    pairs = set(
        zip(
            map(max, zip(*(columns[w] for w in s), strict=True)),
            map(min, zip(*(columns[w] for w in t), strict=True)),
            strict=True,
        )
    )
    top, bottom = 0, 1
    for high, low in pairs:
        if parts[high] * bottom > top * parts[low]:
            top, bottom = parts[high], parts[low]
    return read.ratio(top, bottom) ** runs if bottom else None


class _Ratios:
    """The largest ratios of pairs of columns of a `table`, drawn so often (`runs`), in the order in
    which they are asked for; a `budget` pays for each two columns once."""

    def __init__(self, table: Table, runs: int, budget: Budget) -> None:
        self.table, self.kinds = table.alike()
        self.runs, self.budget = runs, budget
        self.ratios: list[Fraction | None] = []
        self.known: dict[Fraction | None, int] = {}
        self.of_pairs: dict[tuple[int, int], int] = {}

    def number(self, i: int, j: int) -> int:
        """Where the ratio of the columns of `i` and `j` stands, the same for equal ratios."""
        pair = self.kinds[i], self.kinds[j]
        if pair not in self.of_pairs:
            self.budget.spend(10 * len(self.table.columns[0]))
            ratio = _largest(self.table, pair[:1], pair[1:], self.runs)
            if ratio not in self.known:
                self.known[ratio] = len(self.ratios)
                self.ratios.append(ratio)
            self.of_pairs[pair] = self.known[ratio]
        return self.of_pairs[pair]


def _product(factors: Any) -> Fraction:
    found = ONE
    for factor in factors:
        found *= factor
    return found


def _largest_products(
    best: list[Best], several: list[int], room: Fraction | None, per_unit: bool
) -> list[tuple[Fraction | None, Fraction]]:
    """Ratios, None where infinite, and distances, whose levels decide: the largest product of
    changes that cost at most `room` together, or per unit of cost every single one.

    best     for each part the largest ratio at each cost
    several  for each part how many records have it
    """
    if per_unit:
        return [(ratio, cost) for found in best for cost, ratio in found.items()]
    fits = [
        {cost: r for cost, r in found.items() if room is None or cost <= room} for found in best
    ]
    if any(None in found.values() for found in fits):
        return [(None, ONE)]
    if room is None:
        return [
            (_product(max(found.values(), default=ONE) ** k for found, k in pairs), ONE)
            for pairs in [list(zip(fits, several, strict=True))]
        ]
    return [(_packed(fits, several, room), ONE)]


def _packed(fits: list[Any], several: list[int], room: Fraction) -> Fraction:
    """The largest product of changes within a `room`: for each amount the largest so far."""
    costs = {cost for found in fits for cost in found}
    unit, _ = read.whole([*costs, ONE])
    budget, steps = Budget(), floor(room * unit)
    top = min(
        steps,
        sum(
            k * max(map(int, (c * unit for c in found)), default=0)
            for found, k in zip(fits, several, strict=True)
        ),
    )
    afford(100 * top)
    best = [ONE] * (top + 1)
    for found, k in zip(fits, several, strict=True):
        prices = [(int(cost * unit), ratio) for cost, ratio in found.items()]
        least = min((cost for cost, _ in prices), default=top + 1)
        for _ in range(min(k, top // least)):
            budget.spend(100 * top * len(prices))
            for spent in range(top, 0, -1):
                options = [best[spent - cost] * ratio for cost, ratio in prices if cost <= spent]
                best[spent] = max([best[spent], *options])
    return max(best)


Kind = tuple[int, Fraction, Losses]  # part, cost, losses


def _choices(parts: list[Part], several: list[int], room: Fraction | None) -> Iterator[Losses]:
    """The losses of each choice of changes to which no other can be added; of equal ones, one."""
    kinds: dict[Any, Kind] = {}
    budget = Budget()
    for at, part in enumerate(parts):
        for s, t, cost in part.blocks:
            for i, j in product(s, t):
                if i != j:
                    losses = losses_of(part.answers, i, j, budget)
                    key = at, frozenset(losses.items())
                    if key not in kinds or cost < kinds[key][1]:
                        kinds[key] = at, cost, losses
    yield from _choose(list(kinds.values()), several, room, CERTAIN, budget)


def _choose(
    kinds: list[Kind], several: list[int], room: Fraction | None, known: Losses, budget: Budget
) -> Iterator[Losses]:
    """All ways to add changes to those that are `known` until none fits any more, so many of each
    kind at once; the first kind that is added comes before all that follow."""
    budget.spend(1000 + 100 * len(kinds))

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
            more = powered(losses, times, budget)
            budget.spend(100 * len(known) * len(more))
            yield from _choose(kinds[at + 1 :], left, rest, together(known, more), budget)


def _all_together(changes: list[Shown]) -> Losses:
    """The losses of all `changes`."""
    found, budget = list[Losses](), Budget()
    parts = {id(part): part for part, _, _, _ in changes}
    for (part, pair), times in Counter((id(part), pair) for part, pair, _, _ in changes).items():
        once = losses_of(parts[part].answers, *pair, budget)
        found.append(powered(once, times, budget))
    return all_together(found, budget)


def _needs_with_delta(losses: Losses, low: Level | None, delta: Fraction) -> bool:
    """Whether an event of the witness has P - `delta` >= alpha Q > 0; or > 0 = Q, for no level."""
    if low is None:
        return sum((p for p, q in losses.values() if not q), ZERO) > delta
    alpha: Any = low.alpha
    event = [(p, q) for p, q in losses.values() if p >= alpha * q]
    p, q = (sum((side[at] for side in event), ZERO) for at in (0, 1))
    return bool(alpha == 1 or (q > 0 and p - delta >= alpha * q))
