"""Elimination of leaves inwards: a draw that is compared with one other becomes a function of it.

Σ or ∫ f(y)·[y ≥ ax + c] is a function of x of the same class, so each leaf is one primitive and
one product with what is known of x. What is left is one draw, or a core in which every draw is
compared with several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any

from verifier.noise.draws import Law, Number
from verifier.noise.events import Event
from verifier.noise.pieces import Pieces, Scale
from verifier.noise.sums import Sum

MAX_RESIDUES = 100_000


@dataclass(frozen=True, order=True)
class Bound:
    """The draw is at least `factor · x + constant` (`lower`), or at most that."""

    lower: bool
    factor: Fraction
    constant: Fraction


@dataclass(frozen=True, order=True)
class Step:
    """A sum s = factor · p + z of another sum p and a Laplace draw z, with what s has to meet.

    law     of z
    factor  not 0
    ends    numbers that bound s
    steps   from s
    """

    law: Law
    factor: Fraction
    ends: tuple[Bound, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, order=True)
class Node:
    """A draw with what hangs from it.

    law      of the draw
    ends     numbers that bound it: (lower, 0, constant)
    lattice  (m, s): of a whole draw only the values m·x + s, with x as the variable
    leaves   the bounds of each leaf in terms of this draw, and the leaf
    steps    from this draw
    """

    law: Law
    ends: tuple[Bound, ...] = ()
    lattice: tuple[int, int] = (1, 0)
    leaves: tuple[tuple[tuple[Bound, ...], Node], ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass
class Eliminator:
    """Functions of one draw by what hangs from it, each made once.

    reals  where the scale is one of whole draws, what eliminates the real ones that hang from them
    """

    scale: Scale
    reals: Eliminator | None = None
    made: dict[Any, Pieces] = field(default_factory=dict)

    def function(self, node: Node) -> Pieces:
        """The density of a draw times the probabilities of its leaves."""
        if node not in self.made:
            self.made[node] = self._function(node)
        return self.made[node]

    def _function(self, node: Node) -> Pieces:
        if node.leaves:
            shorter = replace(node, leaves=node.leaves[:-1])
            return self.function(shorter) * self.leaf(*node.leaves[-1])
        found = self._met(self.scale.density(node.law), node)
        step, start = map(Fraction, node.lattice)
        return found.composed(step, start) if node.lattice != (1, 0) else found

    def _met(self, found: Pieces, sum_: Node | Step) -> Pieces:
        """A function of a sum where it is within its ends, times the probabilities of its steps."""
        for end in sum_.ends:
            found = found.within(*((end.constant, None) if end.lower else (None, end.constant)))
        for step in sum_.steps:
            found = found * self.step(step)
        return found

    def step(self, step: Step) -> Pieces:
        """The probability of what a step's sum has to meet, as a function of the sum before it."""
        if step not in self.made:
            one = Pieces(self.scale, [], [{(self.scale.still, 0): Sum.of(1)}])
            smooth = self._met(one, step).smoothed(step.law)
            self.made[step] = smooth.composed(step.factor, Fraction(0))
        return self.made[step]

    def leaf(self, limits: tuple[Bound, ...], node: Node) -> Pieces:
        """The probability that a leaf is within its `limits`, as a function of the inner draw."""
        key = (limits, node)
        if key not in self.made:
            self.made[key] = self._leaf(limits, node)
        return self.made[key]

    def _leaf(self, limits: tuple[Bound, ...], node: Node) -> Pieces:
        if self.reals and not node.law.whole:
            return self.reals.leaf(limits, node).sampled(self.scale)
        below = self.below(node)
        still, step = self.scale.still, self.scale.step
        whole = {(still, 0): c} if (c := below.pieces[-1].get((still, 0))) else {}
        found = Pieces(self.scale, [], [whole])
        by = {limit.lower: limit for limit in limits}
        low, high = by.get(True), by.get(False)
        if low and high and high.constant + step <= low.constant:
            return Pieces(self.scale, [], [{}])
        if high:
            found = below.composed(high.factor, high.constant + step)
        if low:
            found = found.plus(below.composed(low.factor, low.constant), -1)
        return found

    def below(self, node: Node) -> Pieces:
        """The primitive of a draw's function."""
        key = ("below", node)
        if key not in self.made:
            self.made[key] = self.function(node).below()
        return self.made[key]

    def total(self, node: Node) -> Sum:
        """The probability of all that hangs from a draw."""
        return self.function(node).total()


@dataclass
class Graph:
    """An event with its draws as nodes: conditions on one draw are ends, on two are edges."""

    nodes: dict[int, Node]
    edges: dict[int, dict[int, list[tuple[int, int, Number]]]]
    more: list[tuple[tuple[tuple[int, int], ...], Number]]  # on three draws and more

    @classmethod
    def of(cls, event: Event) -> Graph:
        """The graph of an `event`."""
        nodes = {i: Node(law) for i, law in enumerate(event.laws)}
        graph = cls(nodes, defaultdict(lambda: defaultdict(list)), [])
        for terms, constant in event.conditions:
            if len(terms) == 1:
                ((i, a),) = terms
                end = Bound(a > 0, Fraction(0), Fraction(-constant, a))
                nodes[i] = replace(nodes[i], ends=tuple(sorted({*nodes[i].ends, end})))
            elif len(terms) == 2:
                (i, a), (j, b) = terms
                graph.edges[i][j].append((a, b, constant))
                graph.edges[j][i].append((b, a, constant))
            else:
                graph.more.append((terms, constant))
        return graph

    def fold(self, kept: Iterable[int] = ()) -> list[tuple[int, int]]:
        """Hang every leaf, but for some that are `kept`, from the draw that it is compared with,
        until none is left, first those from which least hangs; which leaves hang from which draws,
        in this order."""
        hung: list[tuple[int, int]] = []
        busy = {*kept, *(i for terms, _ in self.more for i, _ in terms)}
        while True:
            leaves = [i for i in self.nodes if i not in busy and self._hangs(i)]
            if not leaves:
                break
            leaf = min(leaves, key=lambda i: len(self.nodes[i].leaves))
            ((inner, _),) = self.edges[leaf].items()
            limits = _limits(self.edges[leaf][inner])
            node, below = self.nodes[inner], self.nodes.pop(leaf)
            hanging = tuple(sorted((*node.leaves, (limits, below))))
            self.nodes[inner] = replace(node, leaves=hanging)
            del self.edges[leaf], self.edges[inner][leaf]
            hung.append((leaf, inner))
        return hung

    def conditions(self) -> Iterator[tuple[tuple[tuple[int, int], ...], Number]]:
        """The conditions on two draws and more."""
        for i, others in self.edges.items():
            for j, edges in others.items():
                if i < j:
                    yield from ((((i, a), (j, b)), c) for a, b, c in edges)
        yield from self.more

    def _hangs(self, i: int) -> bool:
        """Whether a draw is compared with one other, from each side once, at one factor."""
        if len(self.edges[i]) != 1 or len(self.nodes) == 1:
            return False
        ((inner, found),) = self.edges[i].items()
        limits = _limits(found)
        whole = all(limit.factor.denominator == 1 for limit in limits)
        fits = (whole and self.nodes[inner].law.whole) or not self.nodes[i].law.whole
        one = len({limit.factor for limit in limits}) == 1
        return fits and one and len({limit.lower for limit in limits}) == len(limits)


def _limits(edges: list[tuple[int, int, Number]]) -> tuple[Bound, ...]:
    """The bounds of the first draw of some `edges` in terms of the second."""
    return tuple(sorted(Bound(a > 0, Fraction(-b, a), Fraction(-c, a)) for a, b, c in edges))


def residues(event: Event) -> list[Graph]:
    """The graphs whose probabilities add up to that of an `event`.

    Whole draws with factors other than 1 are split into their residue classes, after which all
    factors are 1: a·y + b·x + c >= 0 with a·(M/a)·y' and b·(M/b)·x' in place of a·y and b·x.
    """
    graph = Graph.of(event)
    if graph.more or not any(law.whole for law in event.laws):
        return [graph]
    steps = _steps(graph)
    if steps is None or all(step == 1 for step in steps):
        return [graph]
    if prod(steps) > MAX_RESIDUES:
        return [graph]
    return [_shifted(event, steps, starts) for starts in product(*map(range, steps))]


def _steps(graph: Graph) -> list[int] | None:
    """For each draw of a graph how far apart its values are; None where factors do not agree."""
    found: dict[int, Fraction] = {}
    todo: list[int] = []
    while todo or len(found) < len(graph.nodes):
        i = todo.pop() if todo else next(i for i in graph.nodes if i not in found)
        found.setdefault(i, Fraction(1))
        for j, edges in graph.edges[i].items():
            if not (graph.nodes[i].law.whole and graph.nodes[j].law.whole):
                continue
            todo += [j] if j not in found else []
            for a, b, _ in edges:
                step = found[i] * abs(Fraction(a, b))
                if found.setdefault(j, step) != step:
                    return None
    common = lcm(*(step.denominator for step in found.values()))
    return [int(found[i] * common) for i in sorted(found)]


def _shifted(event: Event, steps: Sequence[int], starts: Sequence[int]) -> Graph:
    """The graph of an `event` where draw i is steps[i]·x + starts[i] with a whole x."""
    inner = []
    for terms, constant in event.conditions:
        if len(terms) == 2:
            (i, a), (j, b) = terms
            constant += a * starts[i] + b * starts[j]
            if event.laws[i].whole and event.laws[j].whole:
                constant //= abs(a) * steps[i]
                terms = ((i, a // abs(a)), (j, b // abs(b)))
            else:
                terms = ((i, a * steps[i]), (j, b * steps[j]))
        inner.append((terms, constant))
    graph = Graph.of(Event(event.laws, tuple(inner)))
    for i, node in graph.nodes.items():
        graph.nodes[i] = replace(node, lattice=(steps[i], starts[i]))
    return graph
