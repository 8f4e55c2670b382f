"""A network of records: each record is answered through a channel of its own, and what is asked
is how much all answers, or the records that are shown, tell about single records.

**Question.** `worlds` are the values of one record. For each record, or class of records that are
alike, the relation says which values are compared, at which cost, and how much all changes may cost
together. `priors` says how values of records depend on those of their parents: by transitions,
along chains or trees. Without priors there are no edges: records are independent. If there are no
channels, records are shown as they are, unless they are among a number of `hidden` ones.

**Independent records** tell a product of ratios, each at most the largest one of a channel. So the
largest product of changes within the limit is found again here. With delta the events of all
choices of changes to which no other can be added are gone through. Evidence: the changes that
attain it, or outputs of theirs.

**Dependent records.** Given the value of record i, the outputs of its branches are independent.
With C[o, v] the channels, T_i the transitions from the parent p of i,

    d_i(v) = C_i[o_i, v] * product of sum_w T_c[v, w] d_c(w) over the children c of i
    w_i(v) = sum_x T_i[x, v] w_p(x) C_p[o_p, x] * product of the same over the siblings,

    P(o | X_i in A) P(X_i in B) = sum_A w_i d_i P(X_i in B),

likewise with A and B exchanged. All of this is linear in the vectors of each branch. So cones that
hold the outputs of each channel, and products and images of one another, hold all vectors; what is
so at all their generators is so for all outputs. With two values a cone has two generators, which
are found here. With more the evidence states cones, and how products or images are sums of
generators. Where that is too wide, it has words of outputs along a line: e_a - x e_b, x the ratio
of a word, is pulled through the matrices, and must be <= 0 on a cone before a word ends. Outputs of
records prove what is needed.

**Shown records** tell a unit vector, hidden ones nothing; a record that is shown parts its branch
from the rest. So only those between are looked at, here as where records beyond some steps may tell
anything. Evidence: what to hide for each comparison, and one for which no choice is better. Blocks
hide best in a chain, as longer ones tell no more. In a tree of two values the factors of edges
multiply, and the least one for each number of hidden records follows from those onward.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import floor, gcd
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, afford, fields, index, indices, items, named_pair, need, prove, texts
from .levels import Level
from .losses import Answers, Losses, all_together, choices, excess, losses_of, powered
from .obligations import Block, read_blocks, read_compared
from .question import fields_of_network
from .reading import ONE, ZERO, Case, Model, Table

Vector = list[Any]  # of integers, or of polynomials of a parameter
Matrix = Sequence[Sequence[Any]]
Cone = list[Vector]  # generators
Ratio = tuple[Any, Any]  # numerator and denominator; infinite where that is 0
Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values
Side = list[tuple[Cone, dict[int, Matrix]]]  # cones, and a matrix for each output of the next one
Best = dict[Fraction, Fraction | None]  # cost -> the largest ratio, None where infinite
MOST_RUNS = 10**6
MOST_ROOT = 1000  # degrees of levels are below
MOST_STEPS = 100  # from a record to others that are looked at
MOST_VECTORS = 30_000  # of a cone that is not stated


def check_network(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked, kind = levels.claim(case.claim), case.claim["kind"]
    limit, per_unit, parts, chosen, hidden, priors = fields_of_network(case.relation)
    people = texts(case.model.parts["people"])
    need(len(chosen) == people, "a part, or none, for each record")
    need((priors is None) == (kind == "local"), "records depend on each other, or they do not")
    need(kind == "quilts" or not hidden, "records are hidden where the others are shown")
    if priors is None:
        return Independent.of(case, asked.delta).settle(asked)
    need(limit == "1" and not (per_unit or asked.delta), "one record counts, without delta")
    compared = list(_compared(parts, chosen, case.model))
    every = networks(priors, case.model, kind == "quilts")
    if kind == "quilts":
        return Hiding.of(case, compared, every, hidden).settle(asked)
    return Outputs.of(case, compared, every).settle(asked)


check_local = check_quilts = check_network


def _compared(parts: Any, chosen: list[int], model: Model) -> Iterator[Compared]:
    """A record and two sets of its values, in both orders."""
    listed = []
    for part in parts:
        sets, pairs = read.secrets(part, model)
        need(part["priors"] == {"class": "network"}, "priors are those of the network")
        need(all(sets.values()), "a set has a value")
        listed.append([(sets[s], sets[t]) for s, t in pairs])
    afford(20 * sum(len(listed[at]) for at in chosen if at >= 0))
    for i, at in enumerate(chosen):
        yield from ((i, a, b) for a, b in (listed[at] if at >= 0 else ()))


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


@dataclass(frozen=True)
class Part:
    """What is compared of a record: the columns of independent answers, by blocks; `names` has the
    numbers of columns that belong to pairs of a prior and a secret."""

    answers: Answers
    blocks: list[Block]
    names: Mapping[tuple[int, str], int] | None = None

    @classmethod
    def of(cls, relation: Any, answers: Answers, model: Model, people: int) -> "Part":
        """What a `relation` compares; with secrets, under priors by which so many `people` are
        independent, the unknown distribution of one being any."""
        if relation["rule"] == "secrets":
            kind = relation["priors"]["class"]
            need(kind in ("product", "iid", "list") or (kind == "all" and people == 1), "priors")
            if kind == "list":
                ((table, runs),) = answers
                need(runs == 1, "mixtures are of one answer, drawn once")
                found = read_compared(relation, model, table)
                return cls([(found.table, 1)], found.blocks, found.names)
            relation = {**relation, "priors": {"class": "product" if kind == "iid" else kind}}
        return cls(answers, read_blocks(relation, model, range(model.size)))

    def best(self) -> Best:
        """The largest ratio of a change at each cost, None where infinite."""
        found: Best = {}
        for cost, ratio in self._of_one() if len(self.answers) == 1 else self._of_several():
            known = found.get(cost, ZERO)
            found[cost] = None if ratio is None or known is None else max(ratio, known)
        return found

    def _of_one(self) -> Iterator[tuple[Fraction, Fraction | None]]:
        ((table, runs),) = self.answers
        for s, t, cost in self.blocks:
            afford((len(s) + len(t)) * len(table.columns[0]))
            yield cost, _largest(table, s, t, runs)

    def _of_several(self) -> Iterator[tuple[Fraction, Fraction | None]]:
        """Each cost with the products of the ratios of pairs of columns, equal ones once."""
        budget, chosen = Budget(), dict[Fraction, set[tuple[int, ...]]]()
        each = [_Ratios(table, runs, budget) for table, runs in self.answers]
        for s, t, cost in self.blocks:
            budget.spend(30 * len(each) * len(s) * len(t))
            lines = [one.numbers(s, t) for one in each]
            chosen.setdefault(cost, set()).update(*map(zip, *lines))
        for cost, every in chosen.items():
            for numbers in every:
                ratios = [one.ratios[k] for one, k in zip(each, numbers, strict=True)]
                yield cost, _product(ratios)


class _Ratios:
    """The largest `ratios` of two columns of a `table`, drawn so often (`runs`), each once, None
    where infinite; a `budget` pays."""

    def __init__(self, table: Table, runs: int, budget: Budget) -> None:
        self.table, self.kinds = table.alike()
        self.runs, self.budget = runs, budget
        self.ratios: list[Fraction | None] = []
        self.known: dict[Any, int] = {}

    def numbers(self, s: Collection[int], t: Collection[int]) -> list[list[int]]:
        """For each column in `s` the numbers of its ratios to those in `t`."""
        left, right = ([self.kinds[column] for column in side] for side in (s, t))
        lines = {u: {v: self._number(u, v) for v in {*right}} for u in {*left}}
        return [[lines[u][v] for v in right] for u in left]

    def _number(self, u: int, v: int) -> int:
        if (u, v) not in self.known:
            self.budget.spend(10 * len(self.table.columns[0]))
            ratio = _largest(self.table, (u,), (v,), self.runs)
            if ratio not in self.known:
                self.known[ratio] = len(self.ratios)
                self.ratios.append(ratio)
            self.known[u, v] = self.known[ratio]
        return self.known[u, v]


def _largest(table: Table, s: Collection[int], t: Collection[int], runs: int) -> Fraction | None:
    """The largest ratio of an output in columns `s` and `t`, drawn so often; None: infinite."""
    columns = ((table.columns[w] for w in side) for side in (s, t))
    highs, lows = (zip(*side, strict=True) for side in columns)
    found, parts = (0, 1), table.whole[1]
    for high, low in set(zip(map(max, highs), map(min, lows), strict=True)):
        if exceeds((parts[high], parts[low]), found):
            found = parts[high], parts[low]
    return read.ratio(*found) ** runs if found[1] else None


def _product(ratios: Iterable[Any]) -> Any:
    """The product of some `ratios`, None where one is infinite."""
    found = ONE
    for ratio in ratios:
        if ratio is None:
            return None
        found *= ratio
    return found


Shown = tuple[Part, tuple[int, int], Fraction, Any]  # a part, columns, cost, outputs


@dataclass
class Independent:
    """What is compared of independent records: `parts`, each of `several` records; how much changes
    may cost together, with no `room` any, or `per_unit` every single one; and changes that are
    `shown`."""

    parts: list[Part]
    several: list[int]
    room: Fraction | None
    per_unit: bool
    delta: Fraction
    shown: list[Shown]

    @classmethod
    def of(cls, case: Case, delta: Fraction) -> "Independent":
        """What the question and the witness of a `case` say."""
        limit, per_unit, relations, chosen, *_ = fields_of_network(case.relation)
        channels, at = read_channels(case.model)
        keys = [(k, own) if k >= 0 else None for k, own in zip(chosen, at, strict=True)]
        number = {key: n for n, key in enumerate(dict.fromkeys(filter(None, keys)))}
        parts = [Part.of(relations[k], channels[c], case.model, len(at)) for k, c in number]
        own = [number[key] if key else -1 for key in keys]
        need(not delta or not per_unit, "with distances, delta is 0")
        room = None if limit is None else read.number(limit)
        shown = [] if case.witness is None else list(_changes(case.witness, parts, own, delta))
        costs = [cost for _, _, cost, _ in shown]
        within = len(costs) <= 1 if per_unit else room is None or sum(costs) <= room
        prove(within, "the changes of the witness are too many")
        return cls(parts, [own.count(k) for k in range(len(parts))], room, per_unit, delta, shown)

    def settle(self, asked: levels.Claim) -> bool:
        """Whether what is `asked` is met."""
        exact = "closed" in asked.leakage or "lower" not in asked.leakage
        need(not self.delta or exact, "with delta, a leakage is exact")
        most = None if self.per_unit else self.room
        costs = [cost for part in self.parts for _, _, cost in part.blocks]
        empty = not any(most is None or cost <= most for cost in costs)
        if self.delta:
            known, shown = [] if empty else list(self._choices()), self._losses()
            return asked.settle(
                empty,
                lambda level: all(excess(one, level.alpha) <= self.delta for one in known),
                lambda low: _exceeds(shown, low, self.delta),
            )
        p, q, cost = self._outputs()
        return asked.settle(
            empty,
            self._holds,
            lambda low: _reaches((p, q), low, cost),
            within=True,
            degrees=range(2, MOST_ROOT) if self.per_unit else (),
        )

    @cached_property
    def best(self) -> list[Best]:
        """For each part the largest ratio at each cost."""
        return [part.best() for part in self.parts]

    def _holds(self, level: Level) -> bool:
        """Whether the largest product of changes is within a `level`; or every single change is."""
        if self.per_unit:
            single = [known for found in self.best for known in found.items()]
            return all(r is not None and level.compare(r, ONE, cost) <= 0 for cost, r in single)
        fits: list[dict[Fraction, Any]] = [
            {cost: r for cost, r in found.items() if self.room is None or cost <= self.room}
            for found in self.best
        ]
        if any(None in found.values() for found in fits):
            return False
        if self.room is None:
            each = zip(fits, self.several, strict=True)
            largest = _product(max(found.values(), default=ONE) ** k for found, k in each)
        else:
            largest = _packed(fits, self.several, self.room)
        return level.compare(largest, ONE) <= 0

    def _outputs(self) -> tuple[Fraction, Fraction, Fraction]:
        """P and Q of the outputs of the changes that are shown, and the cost of a single one."""
        p = q = ONE
        for part, (i, j), _, (outputs,) in self.shown:
            for (table, runs), output in zip(part.answers, items(outputs), strict=True):
                index(output, len(table.columns[i]))
                p *= table.chance(i, [output]) ** runs
                q *= table.chance(j, [output]) ** runs
        return p, q, self.shown[0][2] if self.shown and self.per_unit else ONE

    def _losses(self) -> Losses:
        """The losses of all changes that are shown."""
        budget = Budget()
        times = Counter((id(part), pair) for part, pair, _, _ in self.shown)
        parts = {id(part): part for part, *_ in self.shown}
        once = ((losses_of(parts[at].answers, *pair, budget), k) for (at, pair), k in times.items())
        return all_together([powered(losses, k, budget) for losses, k in once], budget)

    def _choices(self) -> Iterator[Losses]:
        """The losses of each choice of changes to which no other can be added, equal ones once."""
        kinds, budget = dict[Any, Any](), Budget()
        for at, part in enumerate(self.parts):
            for i, j, cost in ((i, j, c) for s, t, c in part.blocks for i, j in product(s, t)):
                if i != j:
                    losses = losses_of(part.answers, i, j, budget)
                    key = at, frozenset(losses.items())
                    if key not in kinds or cost < kinds[key][1]:
                        kinds[key] = at, cost, losses
        yield from choices([*kinds.values()], self.several, self.room, budget)


def _changes(witness: Any, parts: list[Part], chosen: list[int], delta: Any) -> Iterator[Shown]:
    """The changes of a `witness`, of different records and each one that is compared; without delta
    each has outputs, and where there is a prior, that."""
    seen = set[int]()
    for change in items(fields(witness, "changes")[0]):
        record = index(change["record"], len(chosen))
        need(record not in seen and chosen[record] >= 0, "a record changes once")
        seen.add(record)
        part = parts[chosen[record]]
        keys = "record pair" + " prior" * (part.names is not None) + " outputs" * (not delta)
        _, pair, *more = fields(change, keys)
        if part.names is None:
            i, j = indices(pair, len(part.answers[0][0].columns))
        else:
            prior = index(more.pop(0), read.CODES)
            i, j = (part.names[prior, name] for name in named_pair(pair))
        costs = [d for s, t, d in part.blocks if i != j and i in s and j in t]
        prove(costs, "a change of the witness is not compared")
        yield part, (i, j), min(costs), more


def _packed(fits: list[Any], several: list[int], room: Fraction) -> Fraction:
    """The largest product of changes within a `room`: for each amount the largest so far."""
    unit, _ = read.whole([*{cost for found in fits for cost in found}, ONE])
    items = [[(int(cost * unit), ratio) for cost, ratio in found.items()] for found in fits]
    longest = (
        k * max((c for c, _ in own), default=0) for own, k in zip(items, several, strict=True)
    )
    budget, top = Budget(), min(floor(room * unit), sum(longest))
    afford(100 * top)
    best = [ONE] * (top + 1)
    for own, k in zip(items, several, strict=True):
        for _ in range(min(k, top // min((cost for cost, _ in own), default=top + 1))):
            budget.spend(100 * top * len(own))
            for spent in range(top, 0, -1):
                options = [best[spent - cost] * ratio for cost, ratio in own if cost <= spent]
                best[spent] = max([best[spent], *options])
    return max(best)


def _exceeds(losses: Losses, low: Level | None, delta: Fraction) -> bool:
    """Whether an event has P - `delta` >= alpha Q > 0; or > 0 = Q, for no level."""
    if low is None:
        return sum((p for p, q in losses.values() if not q), ZERO) > delta
    alpha: Any = low.alpha
    event = [(p, q) for p, q in losses.values() if p >= alpha * q]
    p, q = (sum((side[at] for side in event), ZERO) for at in (0, 1))
    return bool(alpha == 1 or (q > 0 and p - delta >= alpha * q))


def _reaches(ratio: Ratio, low: Level | None, cost: Fraction = ONE) -> bool:
    """Whether a `ratio` is at least a level to the power of a `cost`; or infinite, for None."""
    top, bottom = ratio
    if low is None:
        return bool(top > 0 == bottom)
    return bool(top > 0) and low.compare(top, bottom, cost) >= 0


@dataclass
class Cones:
    """Cones around products and images of others. Those of two values may have two `ends`. Others
    are `stated`, in the order in which they are needed; one has just these generators where it is
    null, or none is left. Equal ones are one list."""

    ends: bool
    stated: list[Any]
    budget: Budget
    used: int = 0
    known: dict[Any, Any] = field(default_factory=dict)

    def around(self, vectors: Iterable[Vector]) -> Cone:
        """A cone that holds some vectors."""
        found = [v for v in vectors if any(v)]
        prove(found, "outputs are impossible")
        if self.ends and len(found) > 1:
            first = last = found[0]
            for v in found:
                first = v if exceeds(v, first) else first
                last = v if exceeds(last, v) else last
            return [first, last]
        found = list(map(reduced, found))
        whole = {*map(type, (x for v in found for x in v))} == {int}
        found = list(map(list, dict.fromkeys(map(tuple, found)))) if whole else found
        self.used += 1
        cone = self._holding(found)
        return self.known.setdefault(tuple(map(tuple, cone)), cone) if whole else cone

    def _holding(self, vectors: Cone) -> Cone:
        """The generators that are `stated`, once some vectors are proved to be sums of them."""
        stated = self.stated[self.used - 1] if self.used <= len(self.stated) else None
        if stated is None:
            need(len(vectors) <= MOST_VECTORS, "so many vectors need a cone")
            return vectors
        listed, sums = fields(stated, "generators sums")
        cone = [read.whole(row)[1] for row in read.matrix(listed)]
        need(all(len(v) == len(vectors[0]) and all(x >= 0 for x in v) for v in cone), "a cone")
        for v, parts in zip(vectors, items(sums), strict=True):
            factors = read.sparse(parts, len(cone))
            self.budget.spend(20 * len(parts) * len(v))
            weights = read.whole([*factors.values()])[1]
            prove(all(x >= 0 for x in weights), "a factor is negative")
            total = times([*zip(*map(cone.__getitem__, factors), strict=True)], weights)
            k = next(k for k, x in enumerate(v) if x)
            same = all(x * v[k] == total[k] * y for x, y in zip(total, v, strict=True))
            prove(total[k] > 0 and same, "a vector is not in its cone")
        return cone

    def moved(self, matrix: Matrix, cone: Cone) -> Cone:
        """A cone that holds the images of one under a `matrix`."""
        return self._once(matrix, cone, len(cone), lambda: self._moved(matrix, cone))

    def _moved(self, matrix: Matrix, cone: Cone) -> Cone:
        images = [times(matrix, v) for v in cone]
        if len(cone) == 1:
            return self.around(map(short, images))
        if not self.ends:
            return self.around(images)
        (p, q), (r, s) = matrix
        images = [v for v in images if any(v)]
        return images if p * s >= q * r else images[::-1]  # the largest one stays so, or is least

    def product(self, one: Cone, other: Cone) -> Cone:
        """A cone that holds the products of the vectors of two cones."""
        count = len(one) * len(other)
        return self._once(one, other, count, lambda: self._product(one, other))

    def _product(self, one: Cone, other: Cone) -> Cone:
        if self.ends and len(one) + len(other) > 2:
            ends = [multiplied(one[at], other[at]) for at in (0, -1)]
            if all(map(any, ends)):
                return ends
        return self.around(multiplied(v, w) for v, w in product(one, other))

    def _once(self, one: Any, other: Cone, count: int, made: Callable[[], Cone]) -> Cone:
        """What is `made` of two lists, so many vectors; of the same lists once."""
        if (id(one), id(other)) not in self.known:
            longest = max(map(digits, other))
            each = 30 if self.ends else 150 + 150 * len(other[0])
            self.budget.spend(count * each * (1 + longest // 300))
            self.known[id(one), id(other)] = made(), one, other
        found: Cone = self.known[id(one), id(other)][0]
        return found

    def others(self, start: Cone, branches: list[Cone]) -> Iterator[Cone]:
        """For each of some `branches` the products of a cone and all other branches."""
        rest: list[Cone | None] = [None]
        for branch in branches[:0:-1]:
            rest.append(self.product(branch, rest[-1]) if rest[-1] is not None else branch)
        for branch in branches:
            after = rest.pop()
            yield self.product(start, after) if after is not None else start
            start = self.product(start, branch) if rest else start


@dataclass
class Network:
    """Records with their `parents` (-1: none), each before its children in `order`; the transitions
    to each by `rows` and by `columns`, and the distribution of those without a parent."""

    parents: list[int]
    order: list[int]
    rows: Sequence[Matrix]
    columns: Sequence[Matrix]
    first: Vector
    budget: Budget

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each record."""
        found = read.grouped(self.parents)
        return [found.get(i, []) for i in range(len(self.parents))]

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Where each record stands in the order."""
        return {i: at for at, i in enumerate(self.order)}

    def beside(self, i: int) -> list[int]:
        """The records next to one."""
        return [*self.children[i], *(self.parents[i],)[: self.parents[i] + 1]]

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, up to a factor; equal ones are one list."""
        found, known = [self.first] * len(self.parents), dict[Any, Vector]()
        for i in self.order:
            if self.parents[i] >= 0:
                made = times(self.columns[i], found[self.parents[i]])
                self.budget.spend(len(made) ** 2 + digits(made) ** 2 // 3000)
                found[i] = known.setdefault(written(reduced(made)), reduced(made))
        return found

    def compares(self, one: Compared) -> bool:
        """Whether both sets of values that are compared are possible."""
        i, *sides = one
        return all(any(self.marginals[i][v] for v in side) for side in sides)

    def ratio(self, one: Compared, w: Vector, d: Vector) -> Ratio:
        """P(o | X_i in A) / P(o | X_i in B) of the outputs that make w_i and d_i."""
        i, a, b = one
        m = self.marginals[i]
        up, down = (sum(w[x] * d[x] for x in values) for values in (a, b))
        return up * sum(m[x] for x in b), down * sum(m[x] for x in a)


@dataclass
class Told:
    """What records of a `network` tell: each what one of its `channels` does, output ->
    likelihoods; or, if there are none, its value, unless it is hidden. With the `cones`, perhaps
    the steps within which records count (`reach`), and worst words."""

    network: Network
    channels: Sequence[dict[int, Vector]]
    cones: Cones
    reach: int | None = None
    words: dict[tuple[int, int, int], Any] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def own(self) -> list[Cone]:
        """Cones of what each record tells that is hidden or has a channel."""
        if not self.channels:
            return [[[1] * len(self.network.first)]] * len(self.network.parents)
        found = {id(channel): channel for channel in self.channels}
        cones = {at: self.cones.around(channel.values()) for at, channel in found.items()}
        return [cones[id(channel)] for channel in self.channels]

    @cached_property
    def value(self) -> Cone:
        """The cone of what a record tells that is shown."""
        size = range(len(self.network.first))
        return [[int(v == w) for w in size] for v in size]

    @cached_property
    def everywhere(self) -> tuple[dict[int, Cone], dict[int, Cone]]:
        """Cones of w_i, and of d_i, for each record."""
        return self._sides(dict(enumerate(self.own)), self.network.ranks)

    def _sides(
        self, told: dict[int, Cone], asked: Collection[int]
    ) -> tuple[dict[int, Cone], dict[int, Cone]]:
        """The same of records that are together, from what each of them tells; w_i of those `asked`
        for, with whom all above them are."""
        net, below, above = self.network, dict(told), dict[int, Cone]()
        order = sorted(told, key=net.ranks.__getitem__)
        inside = {i: [c for c in net.children[i] if c in told] for i in order}
        for i in reversed(order):
            for c in inside[i]:
                below[i] = self.cones.product(below[i], self.cones.moved(net.rows[c], below[c]))
        for i in order:
            top = self.known.setdefault(id(net.marginals[i]), [net.marginals[i]])
            cone = above.setdefault(i, top)
            if inside[i] and i in asked:
                branches = [self.cones.moved(net.rows[c], below[c]) for c in inside[i]]
                start = self.cones.product(cone, told[i])
                others = self.cones.others(start, branches)
                for c, found in zip(inside[i], others, strict=True):
                    above[c] = self.cones.moved(net.columns[c], found)
        return above, below

    def sides(self, i: int, hidden: Collection[int] | None = None) -> tuple[Cone, Cone]:
        """Cones of w_i and of d_i. Where records are `hidden`, or within reach, those next to them
        show their values, and part all others from record i."""
        if hidden is None and self.reach is None:
            return self.everywhere[0][i], self.everywhere[1][i]
        net, told, left = self.network, dict[int, Cone](), [(i, 0)]
        for k, steps in left:
            inside = k in hidden if hidden is not None else steps <= (self.reach or 0)
            told[k] = self.own[k] if inside else self.value
            left += [(j, steps + 1) for j in net.beside(k) if j not in told] if inside else []
        net.budget.spend(20 * len(told))
        path = [i]
        while net.parents[path[-1]] in told:
            path.append(net.parents[path[-1]])
        above, below = self._sides(told, path)
        return above[i], below[i]

    def ratios(self, one: Compared, hidden: Collection[int] | None = None) -> list[Ratio]:
        """Ratios of which no outputs exceed all, those of whole numbers the largest; the same list
        for all that is alike."""
        (i, a, b), m = one, self.network.marginals[one[0]]
        sides = self.sides(i, hidden)
        word = (i, a[0], b[0]) if len(a) == len(b) == 1 and (i, a[0], b[0]) in self.words else None
        key = *map(id, sides), id(m), word, tuple(a), tuple(b)
        if key not in self.known:
            if word:
                sides = self._worst(*word)
            elif self.cones.ends:
                sides = [sides[0][-a[0]]], [sides[1][-a[0]]]
            elif len(a) == len(b) == 1 and not hidden:  # sides have outputs of their own
                sides = [_highest(sides[0], a[0], b[0])], [_highest(sides[1], a[0], b[0])]
            above, below = sides
            longest = max(map(digits, [*above, *below]))
            self.network.budget.spend(len(above) * len(below) * (20 + longest // 10))
            found = self.known[key] = list[Ratio]()
            for w, d in product(above, below):
                ratio = self.network.ratio(one, w, d)
                if not found or read.is_other(*ratio, *found[0]):
                    found.append(ratio)
                elif exceeds(ratio, found[0]):
                    found[0] = ratio
        return self.known[key]  # type: ignore[no-any-return]

    def _worst(self, i: int, a: int, b: int) -> tuple[Cone, Cone]:
        """w_i and d_i of the words that are stated to be worst, once all others are cut."""
        left, right = items(self.words[i, a, b])
        before = self._longest(left, self._before(i), a, b)
        return [before], [self._longest(right, self._after(i), a, b)]

    def _before(self, i: int) -> Side:
        """From a record up: cones of w, and the matrix of each output of the next one."""
        net, found = self.network, Side()
        while (parent := net.parents[i]) >= 0:
            need(len(net.children[parent]) == 1, "a word goes along a branch without others")
            rows = self.channels[parent].items()
            steps: dict[int, Matrix] = {
                o: [multiplied(line, row) for line in net.columns[i]] for o, row in rows
            }
            found.append((self.sides(i)[0], steps))
            i = parent
        return [*found, ([net.first], {})]

    def _after(self, i: int) -> Side:
        """From a record down: cones of d, and the matrix of each of its outputs."""
        net, found = self.network, Side()
        while i >= 0:
            children = net.children[i]
            need(len(children) < 2, "a word goes along a branch without others")
            table = net.rows[children[0]] if children else [[1]] * len(net.first)
            steps: dict[int, Matrix] = {
                o: [[x * p for p in line] for x, line in zip(row, table, strict=True)]
                for o, row in self.channels[i].items()
            }
            found.append((self.sides(i)[1], steps))
            i = children[0] if children else -1
        return [*found, ([[1]], {})]

    def _longest(self, word: Any, side: Side, *pair: int) -> Vector:
        """The vector of a `word`, the output of the nearest record first, once no other word is
        proved to have a larger v[a] / v[b]."""
        indices(word, read.CODES)
        ((v,), _), (a, b) = side[-1], pair
        for output, (_, steps) in zip(reversed(word), reversed(side[:-1]), strict=True):
            v = times(steps[output], v)
        prove(v[a], "a word is impossible")
        functional: Vector = [0] * len(v)
        functional[a], functional[b] = v[b], -v[a]
        left = [(functional, 0)] if v[b] else []
        while left:
            functional, at = left.pop()
            cone, steps = side[at]
            longest = 1 + digits(functional) // 300
            self.network.budget.spend(len(functional) * (len(cone) + len(steps)) * longest)
            if any(sum(map(mul, functional, g)) > 0 for g in cone):
                prove(steps, "a word is not the worst one")
                left += [(pulled(functional, m), at + 1) for m in steps.values()]
        return v


@dataclass
class Outputs:
    """What is `compared` by outputs under each of some networks, and outputs `reached`."""

    compared: list[Compared]
    every: list[Told]
    worst: Ratio

    @classmethod
    def of(cls, case: Case, compared: list[Compared], every: list[Network]) -> "Outputs":
        """What the witness of a `case` says of some networks."""
        worst, reach, cones, words = fields(case.witness, "worst reach cones words")
        is_of_two = case.model.size == 2
        need(reach is None or (index(reach, MOST_STEPS, low=1) and is_of_two), "of two values")
        channels, at = read_channels(case.model)
        rows = list(map(_rows_of, channels))
        known: list[dict[Any, Any]] = [{} for _ in every]
        for prior, i, a, b, *both in items(words, 6):
            indices([i, a, b], read.CODES)
            need((i, a, b) not in known[index(prior, len(every))], "words stand twice")
            known[prior][i, a, b] = both
        told = [
            Told(
                one,
                [rows[k] for k in at],
                Cones(is_of_two, items(own), one.budget),
                reach,
                said,
            )
            for one, own, said in zip(every, items(cones), known, strict=True)
        ]
        shown = (1, 1) if worst is None else _shown(worst, compared, told)
        return cls(compared, told, shown)

    def settle(self, asked: levels.Claim) -> bool:
        """Whether what is `asked` is met."""
        asks = [
            (one, told)
            for told in self.every
            for one in self.compared
            if told.network.compares(one)
        ]

        def holds(level: Level) -> bool:
            found = (told.ratios(one) for one, told in asks)
            different = {id(ratios): ratios for ratios in found}  # those of records alike are one
            return all(level.compare(*r) <= 0 for ratios in different.values() for r in ratios)

        if asked.leakage is None:
            up, down = self.worst
            prove(
                up and asked.level.compare(up, down) > 0, "the witness does not violate the level"
            )
        met = asked.leakage is not None and asked.settle(
            not asks, holds, lambda low: _reaches(self.worst, low), wide=True
        )
        for told in self.every:
            need(told.cones.used >= len(told.cones.stated), "a cone of nothing")
            used = sum(type(key) is tuple and key[3] is not None for key in told.known)
            need(len(told.words) == used, "a word of nothing")
        return met


def _shown(said: Any, compared: list[Compared], every: list[Told]) -> Ratio:
    """The ratio that outputs, one of each record, attain; -1 is any."""
    prior, record, pair, outputs = fields(said, "prior record pair outputs")
    told = every[index(prior, len(every))]
    size, net = len(told.network.first), told.network
    a, b = (indices(values, size) for values in items(pair))
    one = index(record, len(net.parents)), a, b
    prove(one in compared and net.compares(one), "the witness is not compared")
    listed = zip(indices(outputs, read.CODES, low=-1), told.channels, strict=True)
    rows = [{0: channel[output] if output >= 0 else [1] * size} for output, channel in listed]
    alone = Told(net, rows, Cones(size == 2, [], net.budget))
    for i in net.order:
        alone.cones.product(*alone.sides(i))
    (found,) = alone.ratios(one)
    prove(found[0], "the outputs of the witness are impossible")
    return found


def _rows_of(answers: Answers) -> dict[int, Vector]:
    """The rows of one of the `answers` of a channel, times one number; without rows of zeros, and
    of those that are multiples of each other the first one."""
    ((table, runs),) = answers
    need(runs == 1, "an answer is drawn once")
    found: dict[tuple[Any, ...], tuple[int, Vector]] = {}
    for output, row in enumerate(table.whole_rows()[1]):
        if any(row):
            found.setdefault(tuple(reduced(row)), (output, list(row)))
    return dict(found.values())


@dataclass
class Hiding:
    """What is `compared` under each of some networks, if so many records, `most`, may be hidden:
    for each comparison those in runs, `upper`; and one, `worst`, for which nothing is better."""

    compared: list[Compared]
    every: list[Told]
    is_tree: bool
    most: int
    upper: Any = None
    worst: Any = None

    @classmethod
    def of(cls, case: Case, compared: list[Compared], every: list[Network], most: int) -> "Hiding":
        """What the question and the witness of a `case` say of some networks."""
        size, (codes,) = case.model.size, case.model.entries
        need(all(-1 not in code for code in codes), "a record has one entry and is there")
        need(most <= len(every[0].parents), "no more records are hidden than there are")
        is_tree = case.relation["priors"]["class"] == "trees"
        if is_tree:
            (net,) = every
            numbers = [*net.first, *(p for table in net.rows for row in table for p in row)]
            need(size == 2 and all(p > 0 for p in numbers), "of two values nothing is impossible")
        afford(len(compared) * len(every) * size)
        told = [Told(one, [], Cones(size == 2, [], one.budget)) for one in every]
        found = cls(compared, told, is_tree, most)
        if any(found.views):
            found.upper, found.worst = fields(case.witness, "upper worst")
        else:
            need(case.witness is None, "there is evidence just where something is compared")
        return found

    @cached_property
    def views(self) -> list[list[Told]]:
        """For each comparison the networks that make it."""
        return [
            [told for told in self.every if told.network.compares(one)] for one in self.compared
        ]

    def settle(self, asked: levels.Claim) -> bool:
        """Whether what is `asked` is met."""
        need("lower" not in asked.leakage, "an influence is exact")
        empty = not any(self.views)
        need(empty or ("infinite" in asked.leakage) == (self.upper is None), "records to hide")
        return asked.settle(empty, self._holds, self._needs)

    def _holds(self, level: Level) -> bool:
        """Whether the hidden records leave the others to tell no more than a `level`."""
        people, different = len(self.every[0].network.parents), dict[int, list[Ratio]]()
        for one, views, runs in zip(self.compared, self.views, items(self.upper), strict=True):
            hidden = set[int]()
            for first, last in items(runs, 2):
                index(last, people, low=index(first, people))
                need(len(hidden) + last - first < self.most, "too many records are hidden")
                hidden.update(range(first, last + 1))
            if views and one[0] not in hidden:
                return False
            found = (told.ratios(one, hidden) for told in views)
            different.update((id(ratios), ratios) for ratios in found)
        return all(level.compare(*r) <= 0 for ratios in different.values() for r in ratios)

    def _needs(self, low: Level | None) -> bool:
        """Whether for the worst comparison all ways to hide so few records leave the others to tell
        a level (None: everything)."""
        if self.worst is None:
            return low is not None and low.alpha == 1
        one = self.compared[index(self.worst, len(self.compared))]
        views = [told for told in self.every if told.network.compares(one)]
        prove(views, "no prior makes this comparison")
        (i, (a, *_), _), people = one, len(views[0].network.parents)
        size = min(self.most, people)
        if self.is_tree and size:
            return _reaches((_least(views[0].network, i, a, size), 1), low)
        starts = range(max(0, i - size + 1), min(i, people - size) + 1) if size else ()
        return all(
            any(_reaches(r, low) for told in views for r in told.ratios(one, range(k, k + size)))
            for k in starts
        )


def _least(net: Network, i: int, p: int, size: int) -> Fraction:
    """The least factor by which so many hidden records of a tree leave the others to tell a value
    `p` of record i."""
    links: list[tuple[int, int, Matrix]] = [(i, -1, [])]
    for record, before, _ in links:
        links += [(j, record, table) for j, table in _edges(net, record) if j != before]
    bits = sum(digits([x for row in table for x in row]) for *_, table in links[1:])
    net.budget.spend(len(links) ** 2 * size // 10 * (1 + bits**2 // 200_000))
    found = {record: [[ONE], [ONE]] for record, *_ in links}
    for record, before, table in links[:0:-1]:
        for q in (0, 1):
            ways = [_through(table, q, None)]
            ways += [_through(table, q, factors) for factors in zip(*found[record], strict=True)]
            found[before][q] = _joined(found[before][q], ways, size)
    return found[i][p][min(size, len(links)) - 1]


def _edges(net: Network, i: int) -> Iterator[tuple[int, Matrix]]:
    """The records beside one of a tree, with what is in proportion to their values, given its."""
    for j in net.beside(i):
        if j != net.parents[i]:
            yield j, net.rows[j]
        else:
            own, above, rows = net.marginals[i], net.marginals[j], net.rows[i]
            yield j, [[own[1 - v] * above[x] * rows[x][v] for x in (0, 1)] for v in (0, 1)]


def _through(table: Matrix, p: int, onward: Iterable[Fraction] | None) -> Fraction:
    """What an edge tells a value `p` of its near end from the other one: where its far end is shown
    (None), or hidden, with the factors `onward` from there for either of its values."""
    (a, b), (c, d) = table
    s = p if a * d >= b * c else 1 - p
    up, down = table[p], table[1 - p]
    if onward is None:
        return read.ratio(up[s], down[s])
    factor = list(onward)[s]
    return read.ratio(up[s] * factor + up[1 - s], down[s] * factor + down[1 - s])


def _joined(factors: list[Fraction], ways: list[Fraction], most: int) -> list[Fraction]:
    """The least products of two factors, by the number of hidden records of both, below `most`."""
    found: dict[int, Fraction] = {}
    for k, factor in enumerate(factors):
        for n, way in enumerate(ways[: most - k], k):
            if n not in found or factor * way < found[n]:
                found[n] = factor * way
    return [found[n] for n in sorted(found)]


def networks(priors: Any, model: Model, are_shown: bool) -> list[Network]:
    """The networks of a class of `priors`, over the values of the records of a `model`, which may
    be shown; those of chains, in which each record is the parent of the next one."""
    people = texts(model.parts["people"])
    if priors["class"] == "trees":
        _, trees = fields(priors, "class trees")
        keys = "initial parents transitions chosen"
        found = [fields(tree, keys) for tree in items(trees)]
    else:
        line, chosen = list(range(-1, people - 1)), [-1] + [0] * (people - 1)
        found = [[first, line, [table], chosen] for first, table in _chains(priors, are_shown)]
    need(found, "there is a network")
    return [_network(parts, model.size, people) for parts in found]


def _chains(priors: Any, are_shown: bool) -> list[Any]:
    """The first distributions and the transitions of a class of chains; of stationary ones of two
    values whose transitions lie within intervals the worst ones.

    The values change with probabilities a and b. Where a + b <= 1, with one record more, a ratio x
    of likelihoods becomes ((1 - a) x + a) / (b x + 1 - b): it grows with x, and for x >= 1 falls
    with a and b. So the worst chain changes least; either direction is alike.

    If records are shown, let l = 1 - a - b. One at distance d tells the second value from the first
    by at most (1 + l^d b/a) / (1 - l^d) where l^d >= 0, else by (1 + |l|^d) / (1 - |l|^d a/b), and
    the first from the second with a and b exchanged. Where a + b >= 1 all of |l|^d, |l|^d a/b and
    |l|^d b/a grow with a and b, as |l| <= a and |l| <= b, so that these grow too. So of all chains
    within intervals the one that changes least or the one that changes most is the worst."""
    if priors["class"] != "markov":
        kind, listed = fields(priors, "class chains")
        need(kind == "chains", "there are chains")
        return [fields(one, "initial transition") for one in items(listed)]
    _, initial, rows = fields(priors, "class initial transition")
    need(initial == "stationary", "the chains are stationary")
    change = []
    for code, row in enumerate(items(rows, 2)):
        ends = [read.numbers(interval) for interval in row]
        prove(all(0 <= low <= high <= 1 for low, high in ends), "an interval is [low, high]")
        (low, high), (other, most) = ends[code], ends[1 - code]
        change.append((max(other, 1 - high), min(most, 1 - low)))
    prove(all(0 < low <= high for low, high in change), "values always change with a probability")
    rarely, often = ([ends[at] for ends in change] for at in (0, 1))
    prove(are_shown or sum(often) <= 1, "not the worst chain")
    worst = [rarely] * (sum(rarely) < 1 or sum(often) <= 1) + [often] * (sum(often) > 1)
    unit = read.ratio
    return [([unit(b, a + b), unit(a, a + b)], [[1 - a, a], [b, 1 - b]]) for a, b in worst]


def _network(parts: list[Any], size: int, people: int) -> Network:
    """A network of so many `people`, of records with values of a `size`."""
    initial, parents, tables, chosen = parts
    need(len(indices(parents, people, low=-1)) == people, "a parent for each record, or -1")
    need(len(indices(chosen, len(items(tables)), low=-1)) == people, "one for each record")
    has = all((at < 0) == (parent < 0) for at, parent in zip(chosen, parents, strict=True))
    need(has, "transitions lead from a parent")
    first = read.whole(read.distribution(initial, size, "an initial distribution"))[1]
    rows = [_table(table, size) for table in tables]
    columns = [[list(column) for column in zip(*table, strict=True)] for table in rows]
    order = [i for i, parent in enumerate(parents) if parent < 0]
    children = read.grouped(parents)
    for i in order:
        order += children.get(i, [])
    need(len(order) == people, "a record is its own ancestor")
    onward = [rows[at] if at >= 0 else [] for at in chosen]
    back = [columns[at] if at >= 0 else [] for at in chosen]
    return Network(parents, order, onward, back, first, Budget())


def _table(table: Any, size: int) -> Matrix:
    """A matrix of transitions times one number."""
    found = [read.distribution(row, size, "a row of transitions") for row in items(table)]
    need(len(found) == size, "not one row for each value")
    _, flat = read.whole([p for row in found for p in row])
    return [flat[k : k + size] for k in range(0, len(flat), size)]


def _highest(vectors: Cone, a: int, b: int) -> Vector:
    """The vector with the largest v[a] / v[b]."""
    found, *others = [v for v in vectors if v[a]] or vectors
    for v in others:
        found = v if exceeds((v[a], v[b]), (found[a], found[b])) else found
    return found


def exceeds(one: Any, other: Any) -> bool:
    """Whether a ratio, `one`, exceeds an `other`; each is a numerator and a denominator."""
    return bool(one[0] * other[1] > other[0] * one[1])


def times(matrix: Matrix, vector: Sequence[Any]) -> Vector:
    """The product of a `matrix` and a `vector`."""
    return [sum(map(mul, row, vector)) for row in matrix]


def multiplied(one: Sequence[Any], other: Sequence[Any]) -> Vector:
    """The products of the numbers of two vectors."""
    return list(map(mul, one, other))


def pulled(functional: Vector, matrix: Matrix) -> Vector:
    """The product of a row and a `matrix`."""
    return [sum(map(mul, functional, column)) for column in zip(*matrix, strict=True)]


def reduced(vector: Sequence[Any]) -> Vector:
    """A `vector`, not of zeros alone, without the common divisor of its numbers."""
    for x in vector:
        if read.is_other(x):
            found: list[Any] = x.without_common(vector)
            return found
    parts = read.whole(vector)[1]
    common = gcd(*parts)
    return [x // common for x in parts]


def short(vector: Vector) -> Vector:
    """A vector; of functions without their common factors."""
    return vector if {*map(type, vector)} == {int} or not any(vector) else reduced(vector)


def written(vector: Vector) -> Any:
    """What is equal for vectors that are written alike."""
    return tuple(map(read.written, vector))


def digits(vector: Iterable[Any]) -> int:
    """How long the integers of a `vector` are; functions are paid for where they are used."""
    return max(x.bit_length() if type(x) is int else 0 for x in vector)
