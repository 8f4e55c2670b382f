"""Levels alpha = e^epsilon >= 1, exact comparisons with them, and the smallest one of a check.

`exp_epsilon` and `ln(p/q)` are rational levels. For a rational epsilon other than 0 the number
e^epsilon is transcendental (F. Lindemann, Über die Zahl π, Mathematische Annalen 20, 1882), so it
never equals a rational: rigorous enclosures, refined until they exclude one side, always decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.decimals import DIGITS, bounds, enclosed, logarithm, rounded, significant
from verifier.base.errors import InputError
from verifier.base.nouns import Later, dataclass

MAX_EPSILON = 10_000
_LN = re.compile(r"ln\((.*)\)", re.DOTALL)
_OTHER_LN = re.compile(r"(?:log|Ln|LN|Log|math\.log|ln) ?\(? ?([0-9./]{1,40}) ?\)?")


@dataclass(frozen=True)
class Level(Later):
    """A level: `exp_epsilon` = alpha where rational, otherwise `epsilon` = ln(alpha) rational."""

    exp_epsilon: Fraction | None = None
    epsilon: Fraction | None = None

    @classmethod
    def of_exp_epsilon(cls, value: str | int | Fraction) -> Level:
        """The level alpha = `value` itself; InputError S601 below 1."""
        if isinstance(value, str) and (logarithm := _LN.fullmatch(value.strip())):
            hint = f"write {logarithm[1]}, or epsilon: {value}"
            raise InputError("S601", "exp_epsilon is e^ε itself, found a logarithm", hint=hint)
        alpha = exact.number(value)
        if alpha < 1:
            hint = f"write epsilon: {alpha}" if alpha >= 0 else ""
            raise InputError("S601", f"exp_epsilon must be at least 1, found {alpha}", hint=hint)
        if exact.is_irrational(alpha):
            from verifier.base.exponential import exponent

            if (epsilon := exponent(alpha)) is not None:
                return cls(epsilon=epsilon)
        return cls(exp_epsilon=alpha)

    @classmethod
    def of_epsilon(cls, value: str | int | Fraction) -> Level:
        """The level e^`value`, for a rational or the text `ln(p/q)`; InputError S601.

        >>> Level.of_epsilon("ln(3)")
        Level(exp_epsilon=Fraction(3, 1), epsilon=None)
        """
        logarithm = _LN.fullmatch(value.strip()) if isinstance(value, str) else None
        if logarithm:
            alpha = exact.number(logarithm[1])
            if alpha < 1:
                hint = "write ln(x) with x at least 1, such as ln(3)"
                raise InputError("S601", f"ln({alpha}) is negative or undefined", hint=hint)
            return cls(exp_epsilon=alpha)
        if isinstance(value, str) and (other := _OTHER_LN.fullmatch(value.strip())):
            raise InputError("S101", f"'{value[:40]}' is not a level", hint=f"write ln({other[1]})")
        epsilon = exact.number(value)
        if exact.is_symbolic(epsilon):
            from verifier.base.formula import exponential
            from verifier.base.rational_function import rate_of

            if rate_of(epsilon) is not None:
                return cls.of_exp_epsilon(exponential(epsilon))
            said = f"epsilon is a multiple of the parameter, others are exp_epsilon: {epsilon}"
            raise InputError("S803", said)
        if exact.is_irrational(epsilon):
            hint = "write epsilon: 1/2, or exp_epsilon: (1 + exp(1))/2"
            raise InputError("S118", f"epsilon must be rational, found {epsilon}", hint=hint)
        if not 0 <= epsilon <= MAX_EPSILON:
            said = f"epsilon must lie in [0, {MAX_EPSILON}], found {epsilon}"
            hint = f"write exp_epsilon: {epsilon}" if 0 < epsilon < 10**9 else ""
            raise InputError("S601", said, hint=hint)
        return cls(exp_epsilon=Fraction(1)) if epsilon == 0 else cls(epsilon=epsilon)

    def admits(self, ratio: Fraction, distance: Fraction = Fraction(1)) -> bool:
        """Whether ratio <= alpha^distance, exactly; `ratio` >= 0, `distance` >= 0.

        >>> Level.of_epsilon(1).admits(Fraction(27182818284, 10**10))
        True
        """
        if self.exp_epsilon is not None:
            return ratio**distance.denominator <= self.exp_epsilon**distance.numerator
        assert self.epsilon is not None
        return at_most_exp(ratio, self.epsilon * distance)

    def as_json(self) -> dict[str, str]:
        """The level as the file gave it: `exp_epsilon` where rational, else `epsilon`."""
        if self.exp_epsilon is not None:
            return {"exp_epsilon": exact.text(self.exp_epsilon)}
        assert self.epsilon is not None
        return {"epsilon": exact.text(self.epsilon)}

    @property
    def decimal(self) -> str:
        """ε, in six digits; of a function as a logarithm."""
        if self.exp_epsilon is not None and exact.is_symbolic(self.exp_epsilon):
            from verifier.base.rational_function import exponent_of, parameter

            rate = exponent_of(self.exp_epsilon)
            if rate is None:
                return f"ln({self.exp_epsilon})"
            return str(rate * parameter(getattr(self.exp_epsilon, "parameter", "")))
        if self.exp_epsilon is not None:
            return logarithm(self.exp_epsilon)
        assert self.epsilon is not None
        return rounded(self.epsilon)

    @property
    def alpha(self) -> Fraction:
        """The number e^ε, rational or a power of e."""
        if self.exp_epsilon is not None:
            return self.exp_epsilon
        from verifier.base import exponential

        return exponential.power(self.epsilon or 0)

    def __str__(self) -> str:
        if self.exp_epsilon is not None:
            return f"e^ε = {self.exp_epsilon}"
        return f"ε = {self.epsilon}"


def at_most(
    one: Level, other: Level, near: Fraction = Fraction(1), far: Fraction = Fraction(1)
) -> bool:
    """Whether α^near <= β^far for two levels α, `one`, and β, `other`, exactly.

    near, far  exponents, 0 or more

    >>> at_most(Level.of_epsilon(1), Level.of_exp_epsilon(3))
    True
    """
    if one.epsilon is not None and other.epsilon is not None:
        return one.epsilon * near <= other.epsilon * far
    if one.exp_epsilon is not None:
        return other.admits(one.exp_epsilon**near.numerator, far * near.denominator)
    return not near or not at_most(other, one, far, near)  # they are never equal


def at_most_exp(ratio: Fraction, exponent: Fraction) -> bool:
    """Whether ratio <= e^exponent, by enclosures refined until they decide."""
    if exponent == 0 or ratio <= 0:
        return ratio <= 1
    if exact.is_irrational(ratio):
        from verifier.base import exponential

        return ratio <= exponential.power(exponent)
    low, high = map(Fraction, bounds(ratio, DIGITS))  # of its logarithm
    if not low <= exponent <= high:
        return high < exponent
    from flint import arb, ctx, fmpq

    wanted = fmpq(ratio.numerator, ratio.denominator)
    power = fmpq(exponent.numerator, exponent.denominator)
    before, bits = ctx.prec, 128
    try:
        while True:
            ctx.prec = bits
            gap = arb(power).exp() - arb(wanted)
            if gap > 0:
                return True
            if gap < 0:
                return False
            bits *= 2
    finally:
        ctx.prec = before


@dataclass(frozen=True)
class Leakage(Later):
    """The smallest level at which a check holds.

    exp_epsilon  alpha* where rational or made of powers of e, None where infinite or enclosed
    bounds       an enclosure of relative width <= 1e-9 of other numbers
    vacuous      nothing had to be compared
    attained     whether some comparison needs this level, rather than all levels below it
    side         "at_least" or "at_most" where exp_epsilon is a function that alpha* lies on this
                 side of, for all values of a parameter; "" where it is alpha*
    root         of which degree alpha* is the root of exp_epsilon, for all values of a parameter
    """

    exp_epsilon: Fraction | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    vacuous: bool = False
    attained: bool = True
    side: str = ""
    root: int = 1

    @classmethod
    def within(cls, bounds: tuple[Fraction, Fraction] | None) -> Leakage:
        """Between two bounds, exact where they are equal; infinite without."""
        if bounds is None or bounds[0] == bounds[1]:
            return cls(bounds and bounds[0])
        return cls(bounds=bounds)

    @classmethod
    def up_to(cls, least: Fraction | None, levels: Sequence[Fraction], asked: Fraction) -> Leakage:
        """Of what says as much as real numbers at some `levels` only, and needs a `least` one: it
        is the smallest one there; else that lies between it and the next of them. What is `asked`
        is not inside the bounds."""
        if least is None or least in levels:
            return cls(least)
        low, digits = Fraction(1), 12
        while low <= 1 or low <= asked < least:
            low, digits = Fraction(_before(least, digits)), digits * 2
        return cls(bounds=(low, min(level for level in levels if level >= least)))

    @property
    def infinite(self) -> bool:
        """Whether no level serves."""
        return self.exp_epsilon is None and self.bounds is None

    @property
    def remark(self) -> str | None:
        """What is said of a level whose enclosure is wider than that of an irrational number."""
        if self.bounds is None or self.bounds[1] <= self.bounds[0] * (1 + Fraction(1, 10**9)):
            return None
        low, high = map(significant, self.bounds)
        return f"the smallest level was only found to lie between {low} and {high}"

    @property
    def low(self) -> Fraction | None:
        """The level, or what it is at least; None where infinite."""
        return self.bounds[0] if self.bounds else self.exp_epsilon

    def claim(self) -> dict[str, Any]:
        """The `leakage` object of a certificate."""
        if self.vacuous:
            return {"vacuous": True}
        found = self.exp_epsilon
        if self.side and found is not None:
            return {self.side: exact.text(found)}
        if self.root > 1 and found is not None:
            return {"exp_epsilon": exact.text(found), "root": self.root}
        if found is not None and exact.is_irrational(found) and not exact.is_symbolic(found):
            return _closed(found)
        if self.exp_epsilon is not None:
            return {"exp_epsilon": exact.text(self.exp_epsilon)}
        if self.bounds is not None:
            return {"lower": exact.text(self.bounds[0]), "upper": exact.text(self.bounds[1])}
        return {"infinite": True}

    @property
    def decimal(self) -> str:
        """ε, in six digits; an interval where its bounds are rounded differently."""
        if self.exp_epsilon is not None:
            return logarithm(self.exp_epsilon)
        return "infinite" if self.bounds is None else enclosed(*self.bounds)

    def as_json(self) -> dict[str, Any]:
        """The `leakage` object of the report."""
        if self.vacuous:
            return {"exp_epsilon": "1", "vacuous": True}
        found = self.claim()
        return found if self.infinite and self.attained else {**found, "attained": self.attained}


def _before(value: Fraction, digits: int) -> Fraction:
    """A number of so many digits that is at most one above 1."""
    if exact.is_irrational(value):
        from verifier.base.exponential import bounds

        return bounds(value, digits)[0]
    unit = Fraction(10) ** (len(str(int(value))) - digits)
    return value // unit * unit


def _closed(alpha: Fraction) -> dict[str, str]:
    """An irrational level as a closed form, between decimals of twelve digits."""
    from verifier.base.exponential import bounds

    low, high = map(exact.text, bounds(alpha))
    return {"closed": exact.text(alpha), "lower": low, "upper": high}


NO_COMPARISON = Leakage(Fraction(1), vacuous=True)
