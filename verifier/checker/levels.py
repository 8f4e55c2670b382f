"""Levels that are asked for, and leakages: the smallest levels, verified from both sides."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .document import Refused, fields, items, need, prove
from .reading import FUNCTIONS, ONE, in_integers, is_other, number, size

MOST_BITS = 10**6  # of powers that are compared


@dataclass(frozen=True)
class Level:
    """alpha >= 1; or, where that is None, e^epsilon with epsilon > 0; or the root of it of a
    `degree`."""

    alpha: Fraction | None
    epsilon: Fraction = ONE
    degree: int = 1

    @property
    def number(self) -> Fraction:
        """The level, which is a number where there is a delta."""
        if self.alpha is None:
            raise Refused("with delta the level is a number")
        return self.alpha

    @property
    def base(self) -> Fraction:
        """alpha, or e^epsilon."""
        from .numbers import power

        return power(self.epsilon) if self.alpha is None else self.alpha

    def compare(self, p: Fraction, q: Fraction, distance: Fraction = ONE) -> int:
        """Whether `p` is below (-1), at (0) or above (1) the level^`distance` times `q` >= 0."""
        if is_other(p, q, self.alpha):
            if distance == self.degree and not FUNCTIONS.get():
                bound = q * self.base
                return int(p > bound) - int(p < bound)
            gap = self.gap(p, q, distance)
            return int(gap < 0) - int(gap > 0)
        if self.degree > 1:
            distance = Fraction(distance, self.degree)
        if self.alpha is not None and distance == 1:
            left = p.numerator * q.denominator * self.alpha.denominator
            right = q.numerator * p.denominator * self.alpha.numerator
            return (left > right) - (left < right)
        if p < q or q == 0 or self.alpha == 1:
            return (p > q) - (p < q)
        from .powers import sign

        j, k = distance.as_integer_ratio()
        if self.alpha is None:
            return sign([(Fraction(p, q), k)], j * self.epsilon)
        return sign([(Fraction(p, q), k), (self.alpha, -j)])

    def allows(self, p: Fraction, q: Fraction, distance: Fraction = ONE) -> bool:
        """Whether `p` is at most the level^`distance` times `q` >= 0."""
        if FUNCTIONS.get() and is_other(p, q, self.alpha):
            return bool(self.gap(p, q, distance) >= 0)
        return self.compare(p, q, distance) <= 0

    def reaches(self, end: "Level") -> bool:
        """Whether it is at least another level, which is no power of e."""
        return self.compare(end.alpha or ONE, ONE, Fraction(end.degree)) <= 0

    def gap(self, p: Fraction, q: Fraction, distance: Fraction = ONE) -> Any:
        """A positive multiple of the level^`distance` times `q` less `p`, or of their powers."""
        j, k = Fraction(distance, self.degree).as_integer_ratio()
        sizes = list(map(size, (p, q, ONE if self.alpha is None else self.alpha)))
        need(k * (sizes[0] + sizes[1]) + j * sizes[2] <= MOST_BITS, "a power is too long")
        (below, (above,)), (_, (first, last)) = in_integers([self.base]), in_integers([p, q])
        return above**j * last**k - below**j * first**k


@dataclass(frozen=True)
class Claim:
    """A level and a delta that are asked for, and the leakage, said of the smallest such level.

    `tradeoff` has other levels alpha >= 1, and the smallest delta of each."""

    level: Level
    delta: Fraction
    leakage: Any
    tradeoff: list[tuple[Fraction, Fraction]] = field(default_factory=list)

    def settle(
        self,
        empty: bool,
        holds: Callable[[Level], bool],
        needs: Callable[[Level | None], bool],
        within: bool = False,
        wide: bool = False,
        degrees: Collection[Fraction | int] = (),
        refuted: bool = False,
    ) -> bool:
        """Whether the definition is met at the level, once the leakage is verified from both sides.

        `empty` says that nothing is compared, `holds` whether it is met at another level, `needs`
        whether the evidence proves that nothing smaller will do (None: nothing at all). A level
        inside the bounds of the leakage is decided by `holds` too if it may lie `within`. Bounds
        may be `wide` if nothing better is known. With a parameter it may be a root of one of some
        `degrees`, or known from one side, up to the level if that is proved to be `refuted`.
        """
        leakage, level = self.leakage, self.level
        if "vacuous" in leakage or empty:
            said = repr(leakage) == "{'vacuous': True}" and empty
            prove(said, "vacuous is said of nothing else")
            return True
        if "infinite" in leakage:
            said = repr(leakage) == "{'infinite': True}" and needs(None)
            prove(said, "the leakage is not proved infinite")
            return False
        low, high = _ends(leakage, wide, degrees)
        prove(high is None or holds(high), "the leakage is too small")
        prove(low is None or needs(low), "the leakage is too large for the witness")
        if high and level.reaches(high):
            return True
        if low and (not level.reaches(low) or (refuted and high is None)):
            return False
        prove(within and low and high, "the level is inside the bounds")
        return holds(level)


def _ends(
    leakage: Any, wide: bool, degrees: Collection[Fraction | int]
) -> tuple[Level | None, Level | None]:
    """The bounds of a `leakage`, which are equal where it is exact, or they may be `wide`; with a
    parameter roots of these `degrees`, or one of both, None being the other."""
    if "root" in leakage:
        stated, degree = fields(leakage, "exp_epsilon root")
        known = FUNCTIONS.get() and type(degree) is int and degree > 1 and degree in degrees
        need(known, "no such root is taken here")
        root = Level(number(stated), degree=degree)
        need(root.alpha and root.alpha >= 1, "a leakage is at least 1")
        return root, root
    if FUNCTIONS.get() and len({"at_least", "at_most"} & set(leakage)) == 1:
        ((side, stated),) = leakage.items()
        end = Level(number(stated))
        need(end.alpha and end.alpha >= 1, "a leakage is at least 1")
        return (end, None) if side == "at_least" else (None, end)
    keys = "closed lower upper" if "closed" in leakage else "lower upper"
    ends = list(map(number, fields(leakage, keys if "lower" in leakage else "exp_epsilon")))
    low, high = ends[-2:] if len(ends) > 1 else ends * 2
    need(low <= high and (wide or (high - low) * 10**9 <= low), "the bounds are not narrow")
    if "closed" in leakage:
        need(low <= ends[0] <= high, "a closed form is not within its bounds")
        low = high = ends[0]
    need(low >= 1, "a leakage is at least 1")
    return Level(low), Level(high)


def claim(said: Any, trades: bool = False) -> Claim:
    """What is `said` about a level; with a trade-off, if it `trades` and has one."""
    points = items(said["tradeoff"], 2) if trades and "tradeoff" in said else []
    found = [(number(alpha), number(delta)) for alpha, delta in points]
    need(all(alpha >= 1 and 0 <= delta <= 1 for alpha, delta in found), "a level out of range")
    return Claim(*level(said["level"]), said["leakage"], found)


def level(asked: Any) -> tuple[Level, Fraction]:
    """The level that is `asked`, epsilon >= 0 or alpha >= 1, and its delta."""
    key = "epsilon" if "epsilon" in asked else "exp_epsilon"
    value, delta = map(number, fields(asked, f"{key} delta"))
    need(value >= (key == "exp_epsilon") and 0 <= delta <= 1, "a level out of range")
    return Level(None, value) if key == "epsilon" and value else Level(value or ONE), delta


def vacuous(claim: Any, empty: bool) -> None:
    """Just where a `claim` without a level is `empty`, as nothing is compared, it has a leakage,
    and says so."""
    said = not empty or repr(claim["leakage"]) == "{'vacuous': True}"
    prove(said, "nothing is compared, which is to be said")
