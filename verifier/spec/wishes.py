"""What a file expects of a check: a verdict, a smallest level; with a parameter where, and which.

`expect: {holds: p <= 3/4}` says for which values of the parameters it holds, and `leakage:
[[p <= 3/4, p/(1 - p)], …]` the smallest level as a function. Where all parameters have values,
both are about these.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from verifier.base import exact, parameters
from verifier.base.document import Mapping, Node, Sequence
from verifier.base.errors import NotDecided
from verifier.base.nouns import Later, dataclass
from verifier.spec.options import Check

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval, Region
    from verifier.questions.answer import Answer
    from verifier.questions.curve import Stretch
    from verifier.questions.several import Domain
    from verifier.spec.several import Several
    from verifier.spec.symbolic import Over

VERDICTS = ("holds", "violated", "vacuous")
PIECES = "write [[p <= 3/4, p/(1 - p)], [p > 3/4, infinite]], or one function"

Wanted = tuple[Fraction | None, Fraction | None]  # the least and largest level; None: infinite
Wished = tuple["Region", Fraction | None]  # where, and the level there; None: infinite


@dataclass(frozen=True)
class Wish(Later):
    """What is expected of an answer.

    expected  `holds`, `violated` or `vacuous`
    leakage   the smallest level; None where nothing is said
    region    where in the interval of a real parameter it holds; None without one
    curve     the smallest level as a function there; None where nothing is said
    """

    expected: str
    leakage: Wanted | None = None
    region: Region | None = None
    curve: tuple[Wished, ...] | None = None

    def as_json(self, name: str) -> dict[str, Any] | None:
        """What is expected for all values of a parameter of this name; None where nothing is."""
        if self.region is None and self.curve is None:
            return None
        found: dict[str, Any] = {"parameter": name}
        if self.region is not None:
            found["region"] = _intervals(self.region)
        if self.curve is not None:
            found["leakage"] = [
                {
                    "region": _intervals(where),
                    **({"infinite": True} if level is None else {"exp_epsilon": exact.text(level)}),
                }
                for where, level in self.curve
            ]
        return found


def _intervals(region: Region) -> list[dict[str, Any]]:
    from verifier.questions.curve import interval_json

    return list(map(interval_json, region.intervals))


def is_asked(check: Check) -> bool:
    """Whether a check is about the values of the parameters, as its `where` says."""
    node = check.item.table.get("where")
    return node is None or _is_true(node)


def read_wish(check: Check, over: Over | Several | None, domain: Interval | Domain | None) -> Wish:
    """What a file expects of a check.

    over    about its real parameters; None without one
    domain  the values of them that the check is about
    """
    node, level = check.item.table.get("expect"), check.item.table.get("leakage")
    if over is not None and over.name and domain is not None:
        with parameters.given(over.choice):
            return _over(node, level, cast("Over", over), cast("Interval", domain))
    if isinstance(node, Mapping):
        wanted = node.mapping(("holds",), "where it holds", "holds")["holds"]
        expected = "holds" if over is not None or _is_true(wanted) else "violated"
        return Wish(expected, None if over is not None else leakage(check))
    expected = node.word(VERDICTS, "expectation") if node else "holds"
    return Wish(expected, None if over is not None else leakage(check))


def leakage(check: Check) -> Wanted | None:
    """The `leakage` a check asserts: a number, `infinite`, or an interval; of pieces the one that
    is about the values of the parameters."""
    node = check.item.table.get("leakage")
    if node is None:
        return None
    if isinstance(node, Sequence):
        if node.items and all(isinstance(item, Sequence) for item in node):
            found = [_level(value) for where, value in _pieces(node) if _is_true(where)]
            return (found[0], found[0]) if found else None
        ends = [item.number("an end of an interval") for item in node]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise node.fail("S607", "an interval has two ends, [lower, upper]")
        return ends[0], ends[1]
    value = _level(node)
    return value, value


def _level(node: Node) -> Fraction | None:
    """A level, None for `infinite`."""
    text = node.scalar("a leakage").text
    if text == "infinite":
        return None
    if not (exact.looks_like_number(text) or exact.is_formula(text)):
        raise node.fail(
            "S607", f"a number, infinite or [lower, upper] was expected, found '{text}'"
        )
    return node.number("a level")


def _pieces(node: Sequence) -> list[tuple[Node, Node]]:
    """The conditions and functions of [[condition, function], …]."""
    found = [item.sequence("a condition and a function") for item in node]
    for item in found:
        if len(item.items) != 2:
            raise item.fail("S607", "a piece is a condition and a function", PIECES)
    return [(item.items[0], item.items[1]) for item in found]


def _is_true(node: Node) -> bool:
    from verifier.spec.parameters import condition

    return condition(node) is True


def _over(node: Node | None, level: Node | None, over: Over, domain: Interval) -> Wish:
    """What is expected over an interval of the real parameter."""
    whole = over.part(None, domain)
    region: Region | None
    if isinstance(node, Mapping):
        wanted = node.mapping(("holds",), "where it holds", "holds")["holds"]
        region = over.part(wanted, domain)
        expected = "holds" if region.same(whole) else "violated"
    else:
        expected = node.word(VERDICTS, "expectation") if node else "holds"
        region = None if expected == "violated" else whole
    if level is None:
        return Wish(expected, None, region)
    if not isinstance(level, Sequence):
        return Wish(expected, None, region, ((whole, _level(level)),))
    if not level.items or not all(isinstance(item, Sequence) for item in level):
        raise level.fail("S607", "over an interval the leakage is a function, or pieces", PIECES)
    pieces = _pieces(level)
    for where, _ in pieces:
        if not over.part(where, over.domain).intervals:
            raise where.fail("S805", f"no value of {over.name} fulfils it", "leave the piece out")
    curve = tuple((over.part(where, domain), _level(value)) for where, value in pieces)
    return Wish(expected, None, region, curve)


def mismatch(answer: Answer, wish: Wish, name: str) -> str | None:
    """How an answer over an interval differs from what is expected, in words.

    answer  that the checker has accepted
    wish    what is expected
    name    of the parameter

    NotDecided where what is expected is not known.
    """
    from verifier.kernels.regions import Region, refined

    curve = answer.curve
    if curve is None:
        constant = answer.leakage.exp_epsilon if answer.leakage else None
        if all(level == constant for _, level in wish.curve or ()):
            return None
        return f"expected another leakage, it is the same for all {name}"
    unknown = Region(tuple(curve.undecided))
    if wish.region is not None:
        if refined([curve.region, wish.region, unknown], _differ).intervals:
            told = (one.told(name) for one in (wish.region, curve.region))
            wanted, found = (one if one == "nowhere" else f"where {one}" for one in told)
            return f"expected to hold {wanted}, it holds {found}"
        if unknown.intervals:
            raise NotDecided(f"undecided where {unknown.told(name)}")
    if wish.curve and answer.level is None:
        return "it has no smallest level"
    for region, level in wish.curve or ():
        if (open_ := refined([region, unknown], all)).intervals:
            raise NotDecided(f"undecided where {open_.told(name)}")
        for stretch in curve.stretches:
            if not _agree(region, level, stretch, name):
                wanted = "infinite" if level is None else exact.text(level)
                where = stretch.interval.told(name)
                return f"expected the leakage {wanted}, it is {stretch.told(name)} where {where}"
    return None


def _differ(inside: Iterable[bool]) -> bool:
    """Whether a number is in one of two regions only, and not in a third."""
    found, wanted, unknown = inside
    return found != wanted and not unknown


def _agree(region: Region, level: Fraction | None, stretch: Stretch, name: str) -> bool:
    """Whether the smallest level is as expected where a region and a stretch meet; NotDecided where
    it is known from one side only."""
    from verifier.base.rational_function import parts, quotient
    from verifier.kernels.regions import Region, refined
    from verifier.kernels.roots import sign_at
    from verifier.spec.parameters import is_of_e

    both = refined([region, Region((stretch.interval,))], all)
    if not both.intervals:
        return True
    if level is None or stretch.is_infinite:
        return level is None and stretch.is_infinite
    if stretch.sense:
        where, said = both.told(name), stretch.told(name)
        raise NotDecided(f"where {where} it is known only that the smallest level is {said}")
    if is_of_e(level):  # no value of a rational function is one
        return False
    gap, _ = parts(level**stretch.root - quotient(name, stretch.top, stretch.bottom))
    return not gap or all(one.is_point and not sign_at(gap, one.low) for one in both.intervals)
