"""The smallest level at which a check holds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.base import exact

Json = dict[str, Any]


@dataclass(frozen=True)
class Leakage:
    """The smallest level at which a check holds.

    exp_epsilon  alpha* where rational, None where infinite or irrational
    bounds       an enclosure of relative width <= 1e-9 where irrational
    vacuous      nothing had to be compared
    attained     whether some comparison needs this level, rather than all levels below it
    """

    exp_epsilon: Fraction | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    vacuous: bool = False
    attained: bool = True

    @classmethod
    def within(cls, bounds: tuple[Fraction, Fraction] | None) -> Leakage:
        """Between two bounds, exact where they are equal; infinite without."""
        if bounds is None or bounds[0] == bounds[1]:
            return cls(bounds and bounds[0])
        return cls(bounds=bounds)

    @property
    def infinite(self) -> bool:
        """Whether no level serves."""
        return self.exp_epsilon is None and self.bounds is None

    def claim(self) -> Json:
        """The `leakage` object of a certificate."""
        if self.vacuous:
            return {"vacuous": True}
        if self.exp_epsilon is not None:
            return {"exp_epsilon": exact.text(self.exp_epsilon)}
        if self.bounds is not None:
            return {"lower": exact.text(self.bounds[0]), "upper": exact.text(self.bounds[1])}
        return {"infinite": True}

    def as_json(self) -> Json:
        """The `leakage` object of the report."""
        if self.vacuous:
            return {"exp_epsilon": "1", "vacuous": True}
        found = self.claim()
        return found if self.infinite and self.attained else {**found, "attained": self.attained}


NOTHING = Leakage(Fraction(1), vacuous=True)
