"""How likely it is that independent draws compare as a path says, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verifier.base.errors import LimitReached
from verifier.noise.cells import Cells, TooMany
from verifier.noise.draws import GEOMETRIC, GEOMETRIC_EPSILON, Law
from verifier.noise.events import Event
from verifier.noise.pieces import NOTHING, Coarse, Powers, Ratios, Real, Scale
from verifier.noise.sums import Sum
from verifier.noise.trees import Eliminator, Graph, residues

MAX_DENOMINATOR = 10**60


@dataclass
class Probabilities:
    """Exact probabilities of events, as sums of powers of t = e^(1/m); m grows where it has to."""

    m: int = 1
    known: dict[Event, Sum] = field(default_factory=dict)
    scales: dict[type, Eliminator] = field(default_factory=dict)

    def of(self, events: Iterable[Event]) -> list[Sum]:
        """The probability of each of some `events`, all over one m."""
        wanted = list(events)
        while True:
            try:
                return [self.one(event) for event in wanted]
            except Coarse as coarse:
                self.m *= coarse.factor
                if self.m > MAX_DENOMINATOR:
                    said = "the scales and centers of the draws have no common part"
                    raise LimitReached(said) from None
                self.known.clear()
                self.scales.clear()

    def one(self, event: Event) -> Sum:
        """The probability of an `event`; Coarse if m has to grow."""
        if event not in self.known:
            self.known[event] = self._probability(event)
        return self.known[event]

    def _probability(self, event: Event) -> Sum:
        eliminator = self._eliminator(event.laws)
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
        """What eliminates draws of the kind of some `laws`, which are all of one kind."""
        scale = _SCALES[laws[0].ratio](self.m)
        return self.scales.setdefault(type(scale), Eliminator(scale))


_SCALES: dict[str, Callable[[int], Scale]] = {
    GEOMETRIC: Ratios,
    GEOMETRIC_EPSILON: Powers,
    "": Real,
}
