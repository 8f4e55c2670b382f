"""Claims about simulators: what is released follows, nearly, from what they see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from verifier.base import exact
from verifier.base.level import Level
from verifier.base.nouns import dataclass
from verifier.questions import evidence
from verifier.questions.answer import Json
from verifier.questions.beliefs.coupled import Coupled
from verifier.questions.beliefs.exchangeable import Exchangeable
from verifier.questions.claim import Claim, Parts, level_json
from verifier.questions.evidence import Evidence
from verifier.questions.model import of_mechanism
from verifier.world.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class SimulationClaim(Claim):
    """For one simulator Sim[t | alt], in every situation, P(F | v, z) and P(Sim(alt) | v, z) are
    within (alpha, delta) of each other, both ways.

    given     what the simulator sees, by number -> the world on which it runs the mechanism; None
              where any simulator will do
    tradeoff  levels at which the smallest delta is asked for too
    """

    engine = "simulation.simulation"
    on_cell = "simulation.simulation"
    rule = "linear"
    proves: ClassVar[type[Evidence]] = evidence.SimulatorEvidence
    form: ClassVar[str] = "simulator"

    coupled: Coupled
    level: Level
    delta: Fraction
    given: Mapping[int, int] | None = None
    tradeoff: Sequence[Fraction] = ()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is simulated."""
        return self.coupled.mechanism

    def section(self) -> Parts:
        """See `Claim`."""
        coupled = self.coupled
        about = coupled.space, coupled.mechanism
        if isinstance(coupled, Exchangeable):
            about = coupled.histograms, coupled.released
        levels = {"tradeoff": list(map(exact.text, self.tradeoff))} if self.tradeoff else {}
        parts = {"relation": self._situations(), "level": level_json(self), **levels}
        return parts, of_mechanism(*about)

    def _situations(self) -> Json:
        """What the simulator sees, what is private, and the priors."""
        coupled, given = self.coupled, self.given
        worlds = None if given is None else [given.get(a, -1) for a in range(len(coupled.seen))]
        if isinstance(coupled, Exchangeable):
            priors = [[list(entry) for entry in prior] for prior in coupled.priors]
            if worlds is not None:
                worlds = [w if w < 0 else int(coupled.whole[w]) for w in worlds]
            return {"rule": "exchangeable", "priors": priors, "given": worlds}
        return {
            "rule": self.form,
            "views": [{"alt": v.alt.tolist(), "priv": v.priv.tolist()} for v in coupled.views],
            "priors": [[list(entry) for entry in belief] for belief in coupled.beliefs],
            "given": worlds,
        }


@dataclass(frozen=True, eq=False)
class InferenceClaim(SimulationClaim):
    """In every view P(priv | F = t, z) and P(priv | Sim(alt) = t, z) are within (alpha, delta), for
    (t, z) of probability 1 - delta under each prior; there is no trade-off."""

    engine = on_cell = "simulation.inference"
    proves = evidence.InferenceEvidence
    form = "inference"
