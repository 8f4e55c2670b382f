"""Privacy collapse: when the outputs of repeated runs leave one world, or one secret, possible.

After some runs, the worlds that are still possible are those of the prior that give a positive
probability to every output seen. These sets only shrink, so that they form a chain that ends:
from the true world w, with S ∩ supp(o) standing for the worlds of S that can give o,

    P_w(S → T) = Σ { M[o, w] : S ∩ supp(o) = T },
    E_w(S) = 1 + Σ_T P_w(S → T) E_w(T), and 0 where S is certain enough,

solved from the smallest sets up (Bai et al., Section 4). Sets are the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verifier.base.errors import LimitReached
from verifier.lab.repeated.runs import Plan, Weights, in_integers

MAX_ENTRIES = 500_000  # worlds in all sets that are reached

Known = Callable[[int], bool]  # whether a set of possible worlds is certain enough
State = tuple[int, int]  # the step of the next run, and the worlds that are possible
Step = dict[int, tuple[int, dict[int, int]]]  # next set -> an output, and world -> probability


def bits(worlds: int) -> Iterator[int]:
    """The places of the bits of an integer, ascending."""
    while worlds:
        yield (worlds & -worlds).bit_length() - 1
        worlds &= worlds - 1


@dataclass
class Chain:
    """The sets of possible worlds under one prior.

    worlds  those of the prior; they are numbered by their places here
    """

    plan: Plan
    prior: Weights
    worlds: tuple[int, ...] = field(init=False)
    unit: int = field(init=False)
    _groups: list[dict[int, tuple[int, list[int]]]] = field(init=False)
    _known: dict[State, Step] = field(init=False, default_factory=dict)
    _entries: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Outputs of one step that the same worlds can give are one."""
        self.worlds = tuple(sorted(self.prior))
        mechanism = self.plan.mechanism
        share = sum(mechanism.probability(o, 0) for o in self.plan.steps[0])
        (table,), self.unit = in_integers([[value / share for value in mechanism.values]])
        self._groups = []
        for outputs in self.plan.steps:
            groups: dict[int, tuple[int, list[int]]] = {}
            for output in outputs:
                row = [table[mechanism.codes[output, world]] for world in self.worlds]
                support = int("".join("1" if p else "0" for p in reversed(row)), 2)
                first, known = groups.get(support, (output, [0] * len(row)))
                groups[support] = first, [p + q for p, q in zip(known, row, strict=True)]
            self._groups.append(groups)

    @property
    def start(self) -> State:
        """Before the first run."""
        return 0, (1 << len(self.worlds)) - 1

    def numbered(self, worlds: Iterable[int]) -> int:
        """Some of the worlds as bits."""
        place = {world: at for at, world in enumerate(self.worlds)}
        return sum(1 << place[world] for world in worlds)

    def after(self, state: State) -> Step:
        """What one more run can make of a set; probabilities are times `unit`."""
        if state not in self._known:
            step, possible = state
            found: Step = {}
            for support, (output, row) in self._groups[step].items():
                if left := possible & support:
                    _, chances = found.setdefault(left, (output, {}))
                    for world in bits(left):
                        chances[world] = chances.get(world, 0) + row[world]
            self._entries += sum(len(chances) for _, chances in found.values())
            if self._entries > MAX_ENTRIES:
                raise LimitReached("there are too many sets of possible worlds")
            self._known[state] = found
        return self._known[state]

    def following(self, step: int) -> int:
        """The step after one."""
        return (step + 1) % len(self._groups)

    def reached(self) -> Iterator[tuple[State, tuple[int, ...]]]:
        """Every set that can be reached with fewest outputs that lead there, the shortest first."""
        seen: dict[State, tuple[int, ...]] = {self.start: ()}
        queue = [self.start]
        for state in queue:
            yield state, seen[state]
            for left, (output, _) in self.after(state).items():
                further = self.following(state[0]), left
                if further not in seen:
                    seen[further] = (*seen[state], output)
                    queue.append(further)

    def fewest(self, known: Known) -> tuple[int, ...] | None:
        """Outputs of the fewest runs that make certain; None where none do."""
        return next((outputs for (_, left), outputs in self.reached() if known(left)), None)

    def probabilities(self, targets: Sequence[Known]) -> Iterator[list[list[Fraction]]]:
        """For 1, 2, 3, … runs and every target: P(certain) from each of the true worlds."""
        step, left = self.start
        mass, total = {left: dict.fromkeys(bits(left), 1)}, 1
        while True:
            further: dict[int, dict[int, int]] = {}
            for possible, weights in mass.items():
                for left, (_, chances) in self.after((step, possible)).items():
                    sums = further.setdefault(left, {})
                    for world, p in chances.items():
                        sums[world] = sums.get(world, 0) + weights[world] * p
            mass, total, step = further, total * self.unit, self.following(step)
            yield [self._certain(mass, total, known) for known in targets]

    def _certain(self, mass: dict[int, dict[int, int]], total: int, known: Known) -> list[Fraction]:
        sums = [0] * len(self.worlds)
        for possible, weights in mass.items():
            if known(possible):
                for world, p in weights.items():
                    sums[world] += p
        return [Fraction(p, total) for p in sums]

    def expected(self, known: Known) -> list[Fraction | None]:
        """The expected number of runs until certain, from each of the true worlds; None: infinite.

        Where no output of a whole round of steps changes the set, nothing ever will.
        """
        states = sorted((state for state, _ in self.reached()), key=lambda s: s[1].bit_count())
        found: dict[tuple[State, int], Fraction | None] = {}
        for state in states:
            certain = known(state[1])
            for world in bits(state[1]):
                more = Fraction(0) if certain else self._expected(state, world, found)
                found[state, world] = more
        return [found[self.start, world] for world in range(len(self.worlds))]

    def _expected(
        self, state: State, world: int, smaller: dict[tuple[State, int], Fraction | None]
    ) -> Fraction | None:
        step, possible = state
        runs, stays = Fraction(0), Fraction(1)
        for _ in self._groups:
            further, still = Fraction(1), 0
            for left, (_, chances) in self.after((step, possible)).items():
                p = chances.get(world, 0)
                if p and left == possible:
                    still = p
                elif p:
                    rest = smaller[(self.following(step), left), world]
                    if rest is None:
                        return None
                    further += rest * Fraction(p, self.unit)
            runs, stays = runs + stays * further, stays * Fraction(still, self.unit)
            if not stays:
                return runs
            step = self.following(step)
        return None if stays == 1 else runs / (1 - stays)


def the_world(possible: int) -> bool:
    """Only one world is possible."""
    return possible.bit_count() == 1


def which_of(left: int, right: int) -> Known:
    """One of two secrets is possible, and the other one is not."""
    return lambda possible: bool(possible & left) != bool(possible & right)
