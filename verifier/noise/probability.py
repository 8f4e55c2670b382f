"""How likely it is that independent draws compare as a path says, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from verifier.base.errors import LimitReached
from verifier.noise.cells import Cells, TooMany
from verifier.noise.densities import density, share
from verifier.noise.draws import RATIO, Law
from verifier.noise.events import Event, Released, Share
from verifier.noise.mixed import cells, loose
from verifier.noise.pieces import NOTHING, Coarse, Multiples, Pieces, Powers, Ratios, Real
from verifier.noise.sums import Sum
from verifier.noise.trees import Eliminator, Graph, residues
from verifier.noise.walks import walk

MAX_DENOMINATOR = 10**60
Made = TypeVar("Made")


@dataclass
class Probabilities:
    """Exact probabilities of events, as sums of powers of t = e^(1/m); m grows where it has to.

    multiples  whether the rates of draws are multiples of a parameter ε, so that t = e^(ε/m)
    """

    m: int = 1
    multiples: bool = False
    known: dict[Event, Sum] = field(default_factory=dict)
    densities: dict[tuple[Event, Released], Pieces] = field(default_factory=dict)
    scales: dict[type, Eliminator] = field(default_factory=dict)

    def of(self, events: Iterable[Event]) -> list[Sum]:
        """The probability of each of some `events`, all over one m."""
        wanted = list(events)
        return self.over_one(lambda: [self.one(event) for event in wanted])

    def over_one(self, made: Callable[[], Made]) -> Made:
        """What is `made` over one m, which grows for it."""
        while True:
            try:
                return made()
            except Coarse as coarse:
                self.m *= coarse.factor
                if self.m > MAX_DENOMINATOR:
                    said = "the scales and centers of the draws have no common part"
                    raise LimitReached(said) from None
                self.known.clear()
                self.densities.clear()
                self.scales.clear()

    def one(self, event: Event) -> Sum:
        """The probability of an `event`; Coarse if m has to grow."""
        if event not in self.known:
            self.known[event] = self._probability(event)
        return self.known[event]

    def density(self, event: Event, released: Released) -> Pieces:
        """The density of a `released` number where an `event` holds; Coarse if m has to grow."""
        key = event, released
        if key not in self.densities:
            if any(law.whole for law in event.laws):
                raise LimitReached("a real number is released beside comparisons of whole draws")
            self.densities[key] = density(event, released, self._eliminator(event.laws))
        return self.densities[key]

    @property
    def reals(self) -> Real:
        """The scale of real draws."""
        return Real(self.m)

    def _probability(self, event: Event) -> Sum:
        if isinstance(event, Share):
            inner = Event(event.laws, event.conditions)
            return share(self.density(inner, event.released), event)
        if self.multiples and len({law.whole for law in event.laws}) > 1:
            raise LimitReached("whole and real draws are compared, whose noise has a parameter")
        if not loose(event):
            return self._folded(event)
        total = NOTHING
        for weight, parts in cells(event):
            term = Sum.of(weight)
            for part in parts:
                term = term * self.one(part)
            total = total + term
        return total

    def _folded(self, event: Event) -> Sum:
        """The probability of an `event` whose real draws hang from whole ones, if there are any."""
        eliminator = self._eliminator(event.laws)
        if (steps := walk(event)) is not None:
            return eliminator.total(steps)
        total = NOTHING
        for graph in residues(event):
            graph.fold()
            if len(graph.nodes) == 1 and not graph.more:
                ((_, node),) = graph.nodes.items()
                total = total + eliminator.total(node)
            else:
                total = total + self._core(graph, eliminator)
        return total

    def _core(self, graph: Graph, eliminator: Eliminator) -> Sum:
        """The probability of a `graph` whose leaves have been folded."""
        place = {i: k for k, i in enumerate(graph.nodes)}
        functions = [eliminator.function(node) for node in graph.nodes.values()]
        forms = []
        for terms, constant in graph.conditions():
            form = [Fraction(0)] * len(place) + [Fraction(constant)]
            for i, factor in terms:
                form[place[i]] = Fraction(factor)
            forms.append(tuple(form))
        try:
            return Cells(eliminator.scale).total(functions, forms)
        except TooMany as reason:
            laws = ", ".join(f"{node.law.kind}" for node in graph.nodes.values())
            said = f"{len(place)} draws ({laws}) are compared with one another: {reason}"
            raise LimitReached(said) from None

    def _eliminator(self, laws: Sequence[Law]) -> Eliminator:
        """What eliminates draws of some `laws`; real ones have to hang from whole ones, if any."""
        bases = {law.base for law in laws} - {""}
        if len(bases) > 1:
            raise LimitReached("a draw with a ratio is compared, by others, with a power of e")
        scale: Any = (Multiples if self.multiples else Real)(self.m)
        reals = self.scales.setdefault(type(scale), Eliminator(scale))
        if not any(law.whole for law in laws):
            return reals
        scale = Ratios(self.m) if bases == {RATIO} else Powers(self.m)
        return self.scales.setdefault(type(scale), Eliminator(scale, reals))
