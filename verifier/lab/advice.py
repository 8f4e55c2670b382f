"""What a violated check would hold with: the text to write, for each of several ways.

- The smallest level, or the number that was found, as the option of the check.
- The smallest delta at the level that was asked for.
- An option of the definition of which smaller or larger numbers ask for less, such as `group`.
- The values of a real parameter for which it holds, as `where` of the check.
- One number of the mechanism, or of `parameters`, the others as they are. It becomes a real
  parameter of the file, of which the region is found where the check holds. The advice is the end
  of the region, or a decimal beside an end that is no rational. Where no region is found, a whole
  number moves step by step, another one by bisection.

Nothing of this is believed: the text is changed, and read and decided again like any file, for
every choice of its parameters. Only where the check then passes there is advice.

Example. Randomized response of one bit with truth 3/4 is violated at e^ε = 2. It holds with
`exp_epsilon: 3`, with `delta: 1/4`, and with any truth from 1/3 to 2/3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from time import process_time

from verifier.base import exact, exponential, parameters
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Scalar, parse, read_text
from verifier.base.document import Sequence as List
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.exponential_polynomial import INFINITE
from verifier.base.registry import DEFINITIONS, MECHANISMS
from verifier.kernels.regions import Interval, Region
from verifier.kernels.roots import End, compare, enclosed, simple
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec.edits import Edit, Places, edited
from verifier.spec.reading import allowed_options, read_check, read_whole

LEVELS = ("epsilon", "exp_epsilon", "rho")
ASSERTED = ("at_most", "equals")  # options that have the number that was found
MOVED = "moved_number"  # the name of a number that becomes a parameter
# its values, in which {} is its name; the first with which the file can be read
DOMAINS = ("0 < {}", "0 < {} < 1", "1 <= {}", "1 < {}", "0 <= {}", "0 <= {} < 1")
STEPS = 12  # by which options and whole numbers move at most
DOUBLINGS = 6  # of the distance of other numbers from where they may not be
SHORT = 7  # characters of a fraction where a decimal is exact too
LONGEST = 40  # characters of an exact number that is advised
DIGITS = 12  # of a level that is longer
FINE = 4  # digits of a number beside an end that is longer, or none of its region
ROUGH = 2  # digits of the distance by which a number is bisected
NARROW = Fraction(1, 10**30)  # width of an enclosure of an end
_NUMBER = re.compile(rf"(?<![\w./])(?:{exact.PATTERN})(?![\w./(])")
_ALONE = re.compile(rf"\s*(?:ln\()?(?P<number>{exact.PATTERN})\)?\s*")
_DRAW = re.compile(r"draw\((?P<word>\w+)\((?P<numbers>[^()]*)\)")


@dataclass(frozen=True)
class Advice:
    """What to write so that a check holds.

    says   what it holds with, in words
    edit   the text, and where it is to stand
    lines  of the file that are changed, as they are then
    """

    says: str
    edit: Edit
    lines: Sequence[str]

    def as_json(self) -> dict[str, object]:
        """It as reports have it."""
        return {"says": self.says, **self.edit.as_json()}


def advice(
    result: Result,
    options: Options,
    given: Mapping[str, Sequence[str]] = {},
    zipped: bool = False,
    seconds: float | None = None,
) -> list[Advice]:
    """What a violated check would hold with, the quickest ways first.

    result   of the check, while the choice of its parameters is active
    options  limits for each part of the work
    given    values of its parameters, as `--set` has them, and whether they are `zipped`
    seconds  of the processor for all of it, with what is found until then; None for no such limit

    InputError where the file is no longer what it was.
    """
    found, trials = list[Advice](), Trials(result, options, given, zipped, seconds)
    with suppress(LimitReached, MemoryError):
        for way in (_level, _value, _delta, _options, _where, _numbers):
            for one in way(result, trials):
                found.append(one)
    return found


class Trials:
    """The file of a check, changed in one place or another; the arguments are those of `advice`."""

    def __init__(
        self,
        result: Result,
        options: Options,
        given: Mapping[str, Sequence[str]],
        zipped: bool,
        seconds: float | None,
    ) -> None:
        self.file, self.index, self.given, self.zipped = result.file, result.index, given, zipped
        self._options = replace(options, certificates=None, cache=None)
        self._end = None if seconds is None else process_time() + seconds
        self.text = read_text(self.file)
        self.top = parse(self.text, self.file).mapping()
        self.places = Places(self.file, self.text)
        self.item = self.top["checks"].sequence().items[self.index].mapping()
        self.definition, self.asked = read_check(self.item, DEFINITIONS.keywords())

    @property
    def options(self) -> Options:
        """The options for the next part; LimitReached where no time is left."""
        if self._end is None:
            return self._options
        left = self._end - process_time()
        if left <= 0:
            raise LimitReached("the time for advice is over")
        return replace(self._options, time_limit=left)

    def decided(self, edits: Sequence[Edit]) -> list[Result]:
        """The check in the changed file, for every choice of its parameters; InputError where that
        is bad, LimitReached where it cannot be read within the limits."""
        text, found = edited(self.text, edits), list[Result]()
        for choice in verify.choices(self.file, self.given, self.zipped, text):
            with parameters.given(choice):
                read = read_whole(
                    self.file,
                    self.options.allow_python,
                    lambda part: verify.limits(self.options, part),
                    text,
                )
                both = zip(read.questions, verify.unsettled(self.file, read), strict=True)
                for asked, result in both:
                    if result.index == self.index:
                        found.append(verify.settled(result, asked, self.options))
        return found

    def advised(self, says: str, edit: Edit | None) -> Iterator[Advice]:
        """The advice to write something, if the check passes then; that its violation is expected
        is left aside.

        says  what it holds with, in words
        edit  what is written; None where this cannot be said

        LimitReached where no time is left.
        """
        if edit is None or not self.options:
            return
        with suppress(InputError, LimitReached):
            results = self.decided([edit])
            if results and all(map(_is_held, results)):
                lines = edited(self.text, [edit]).split("\n")
                end = edit.line + edit.text.count("\n")
                yield Advice(says, edit, lines[edit.line - 1 : end])


def _is_held(result: Result) -> bool:
    holds = result.verdict == "holds" and not result.vacuous
    return holds and (result.status == "ok" or result.expected == "violated")


def _entry(trials: Trials, names: Sequence[str]) -> tuple[Scalar, Scalar] | None:
    """The first option of a check with one of these names, if its value is a single one."""
    for key, value in trials.asked.entries:
        if key.text in names and isinstance(value, Scalar):
            return key, value
    return None


def _stated(
    trials: Trials, name: str, value: str, found: tuple[Scalar, Scalar] | None
) -> Iterator[Advice]:
    """An option of the check with another value, in place of one that was `found`."""
    places = trials.places
    edit = places.entry(*found, name, value) if found else places.first(trials.asked, name, value)
    yield from trials.advised(f"{name}: {value}", edit)


def _level(result: Result, trials: Trials) -> Iterator[Advice]:
    """The smallest level."""
    found, level = _entry(trials, LEVELS), _smallest(result)
    if found is None or level is None:
        return
    name, value = found[0].text, level
    if name != "exp_epsilon":
        exponent = _exponent(level)
        value = f"ln({level})" if exponent is None else exact.text(exponent)
    yield from _stated(trials, name, value, found)


def _smallest(result: Result) -> str | None:
    """The smallest e^ε, as a file has it; a decimal above it where it is no short number; a
    function of a parameter. None where no level serves."""
    found, curve = result.leakage, result.answer.curve
    if curve is not None:
        one = curve.stretches[0] if len(curve.stretches) == 1 else None
        known = one is not None and not (one.is_infinite or one.sense or one.root > 1)
        return one.told(curve.parameter) if one is not None and known else None
    if found is None or found.infinite or found.side or found.root > 1:
        return None
    number = found.bounds[1] if found.bounds else found.exp_epsilon
    assert number is not None
    if found.bounds or len(exact.text(number)) > LONGEST:
        return _decimal(_beside(number, DIGITS, up=True))
    return exact.text(number)


def _exponent(level: str) -> Fraction | None:
    """The rational ε of a level e^ε; None where there is none."""
    number = exact.number(level)
    return Fraction(0) if number == 1 else exponential.exponent(number)


def _value(result: Result, trials: Trials) -> Iterator[Advice]:
    """The number that was found."""
    found, value = _entry(trials, ASSERTED), result.answer.value
    if found is not None and value is not None:
        yield from _stated(trials, found[0].text, exact.text(value), found)


def _delta(result: Result, trials: Trials) -> Iterator[Advice]:
    """The smallest delta at the level that was asked for."""
    question, name = result.question, "delta"
    if (
        question is None
        or question.level is None
        or name not in allowed_options(trials.definition.text)
    ):
        return
    try:
        with verify.limits(trials.options):
            answer = verify.certified(question.with_tradeoff([question.level.alpha]))
    except (InputError, NotDecided, LimitReached, MemoryError):
        return
    delta = next((delta for _, delta in answer.tradeoff), Fraction(1))
    if delta < 1:
        value = exact.text(delta)
        if len(value) > LONGEST:
            value = _decimal(_beside(delta, DIGITS, up=True))
        yield from _stated(trials, name, value, _entry(trials, [name]))


def _options(result: Result, trials: Trials) -> Iterator[Advice]:
    """Options of the definition of which other numbers ask for less."""
    larger = getattr(DEFINITIONS.module(trials.definition.text), "LARGER", {})
    for name, order in larger.items():
        found = _entry(trials, [name])
        if found is not None and found[1].text.isdecimal():
            value = int(found[1].text)
            values = [value + order * step for step in range(1, STEPS)]
            ways = (list(_stated(trials, name, str(n), found)) for n in values if n > 0)
            yield from next(filter(None, ways), [])


def _where(result: Result, trials: Trials) -> Iterator[Advice]:
    """The values of a real parameter for which it holds."""
    curve, node = result.answer.curve, trials.item.table.get("where")
    if curve is None or not curve.region.intervals:
        return
    value = " or ".join(_inside(one).told(curve.parameter) for one in curve.region.intervals)
    if isinstance(node, Scalar):
        edit = trials.places.inside(node, 0, node.text, value)
    else:
        edit = None if node else trials.places.first(trials.item, "where", value)
    yield from trials.advised(f"where: {value}", edit)


def _inside(interval: Interval) -> Interval:
    """An interval with ends that are short, inside another one; that it is none shows when it is
    read."""
    low, high = _short(interval.low, up=True), _short(interval.high, up=False)
    return Interval(
        low,
        high,
        interval.low_closed or low != interval.low,
        interval.high_closed or high != interval.high,
    )


def _short(end: End, up: bool) -> Fraction:
    """An end of an interval, or a decimal beside it where it is no short rational."""
    if isinstance(end, Fraction) and (end == INFINITE or len(str(end)) <= LONGEST):
        return end
    return _beside(end, FINE, up)


def _beside(number: End, digits: int, up: bool) -> Fraction:
    """The nearest decimal of so many digits that is at least a number, or at most."""
    if isinstance(number, Fraction) and exact.is_irrational(number):
        low, high = exponential.bounds(number, 2 * digits)
    else:
        low, high = enclosed(number, NARROW)
    return _rounded(high if up else low, _unit(low, digits), up)


def _rounded(value: Fraction, unit: Fraction, up: bool) -> Fraction:
    """The nearest multiple of a unit that is at least a value, or at most."""
    return -(-value // unit) * unit if up else value // unit * unit


def _unit(number: Fraction, digits: int) -> Fraction:
    """By how much decimals of so many digits differ that are about a number other than 0."""
    size = abs(number)
    places = len(str(int(size))) if size >= 1 else 1 - len(str(int(1 / size)))
    return Fraction(10) ** (places - digits)


def _decimal(number: Fraction) -> str:
    """A number as a file has it: a fraction, but where this is longer than a few digits and a
    decimal is exact."""
    text, places = exact.text(number), number.denominator.bit_length()
    if len(text) <= SHORT or 10**places % number.denominator:
        return text
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    told = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
    return f"-{told}" if number < 0 else told


@dataclass(frozen=True)
class Number:
    """A number of a file that may move.

    label   what it is called
    node    the text in which it stands
    start   where it begins there
    text    it as it is written
    name    of the parameter whose only value it is; "" for another number
    """

    label: str
    node: Scalar
    start: int
    text: str
    name: str = ""

    @cached_property
    def value(self) -> Fraction:
        """The number itself."""
        return exact.number(self.text)

    def edit(self, places: Places, new: str) -> Edit | None:
        """To write something else for it."""
        return places.inside(self.node, self.start, self.text, new)

    def as_parameter(self, trials: Trials, domain: str) -> list[Edit]:
        """To let it be a real parameter with the values of a domain; nothing where that cannot be
        written."""
        # not as JSON, as nobody gets to see it
        places, name = Places("", trials.text), self.name or MOVED
        about, table = domain.format(name), trials.top.table.get("parameters")
        edit = self.edit(places, about if self.name else name)
        if edit is None or self.name:
            return [edit] if edit else []
        if isinstance(table, MappingNode) and table.entries:
            return [edit, places.first(table, name, about)]
        return [edit, places.first(trials.top, "parameters", f"{{{name}: {about}}}")]


Passing = Callable[..., list[Advice]]  # what is advised for a value, if the check passes there


def _numbers(result: Result, trials: Trials) -> Iterator[Advice]:
    """Numbers that move, each by itself."""
    if MOVED not in trials.text:
        for number in _movable(trials):
            yield from _moved(number, trials)


def _movable(trials: Trials) -> Iterator[Number]:
    """Single values of parameters, and the numbers of the mechanism of a check."""
    table = trials.top.table.get("parameters")
    for key, value in table.entries if isinstance(table, MappingNode) else ():
        if key.text not in trials.given:
            yield from _whole(key.text, value, key.text)
    nodes = [trials.item.table.get("mechanism"), trials.asked.table.get("mechanism")]
    nodes += [trials.asked.table.get(key) for key in ("of", "sequence")]
    if not any(nodes):
        nodes = [trials.top.table.get(key) for key in ("mechanism", "mechanisms")]
    seen = set[str]()
    for node in filter(None, nodes):
        yield from _inner(node, trials, seen)


def _inner(node: Node, trials: Trials, seen: set[str]) -> Iterator[Number]:
    """The numbers below a node of a mechanism, and of those that it names."""
    if isinstance(node, List):
        for item in node.items:
            yield from _inner(item, trials, seen)
    elif isinstance(node, MappingNode):
        for key, value in node.entries:
            if key.text == "program" and isinstance(value, Scalar):
                yield from _drawn(value)
            elif key.text in MECHANISMS.keywords() and isinstance(value, MappingNode):
                for option, number in value.entries:
                    yield from _whole(option.text, number)
            yield from _inner(value, trials, seen)
    elif isinstance(node, Scalar) and node.text not in seen:
        seen.add(node.text)
        table = trials.top.table.get("mechanisms")
        named = table.table.get(node.text) if isinstance(table, MappingNode) else None
        if named is not None:
            yield from _inner(named, trials, seen)


def _whole(label: str, node: Node, name: str = "") -> Iterator[Number]:
    """The number that a value of the file is, or whose logarithm it is."""
    if isinstance(node, Scalar) and (found := _ALONE.fullmatch(node.text)):
        yield Number(label, node, found.start("number"), found["number"], name)


def _drawn(program: Scalar) -> Iterator[Number]:
    """The numbers that say how draws of a program are distributed."""
    for draw in _DRAW.finditer(program.text):
        for found in _NUMBER.finditer(draw["numbers"]):
            yield Number(draw["word"], program, draw.start("numbers") + found.start(), found[0])


def _moved(number: Number, trials: Trials) -> Iterator[Advice]:
    """Where a number has to be for the check to hold, on both sides of where it is."""

    def passing(value: Fraction, says: str = "{}: {}") -> list[Advice]:
        text = _decimal(value)
        edit = number.edit(trials.places, text)
        line = "" if edit is None else f" in line {edit.line}"
        return list(trials.advised(says.format(number.label, text) + line, edit))

    found = _region(number, trials)
    if found is not None:
        yield from _ends(number.value, *found, passing)
    elif number.value.denominator > 1 or _is_read(number, number.value + Fraction(1, 2), trials):
        yield from _bisected(number.value, passing)
    else:
        steps = (number.value + side * step for step in range(1, STEPS) for side in (-1, 1))
        yield from next(filter(None, map(passing, steps)), [])


def _is_read(number: Number, value: Fraction, trials: Trials) -> bool:
    """Whether the file could have another value for a number."""
    edit = number.edit(trials.places, str(value))
    with suppress(InputError, LimitReached):
        return edit is not None and bool(trials.decided([edit]))
    return False


def _region(number: Number, trials: Trials) -> tuple[Region, Interval] | None:
    """The values of a number for which the check holds, and all that were asked about; None where
    this is not found."""
    for domain in DOMAINS if number.value >= 0 else ():
        edits = number.as_parameter(trials, domain)
        with suppress(InputError, LimitReached):
            answers = [result.answer for result in trials.decided(edits)] if edits else []
            curves = [answer.curve for answer in answers if answer.curve is not None]
            if not curves or len(curves) < len(answers):
                return None
            return reduce(Region.within, [one.region for one in curves]), curves[0].domain
    return None


def _ends(value: Fraction, region: Region, whole: Interval, passing: Passing) -> Iterator[Advice]:
    """The values nearest to a number, on both sides, at which the check holds."""
    parts = region.intervals
    below = [one for one in parts if compare(one.high, value) <= 0][-1:]
    above = [one for one in parts if compare(one.low, value) >= 0][:1]
    for one, is_below in [*((one, True) for one in below), *((one, False) for one in above)]:
        near = _within(one, is_below)
        far, last = (one.low, whole.low) if is_below else (one.high, whole.high)
        says = "{} up to {}" if is_below else "{} from {} on"
        if one.is_point:
            says = "{}: {}"
        elif compare(far, last):
            end = _decimal(_short(far, up=is_below))
            says = f"{{}} from {end} to {{}}" if is_below else f"{{}} from {{}} to {end}"
        yield from [] if near is None else passing(near, says)


def _within(interval: Interval, is_high: bool) -> Fraction | None:
    """A short rational at the end of an interval, or as near to it as some digits are; None where
    the interval is too short."""
    near = _short(interval.high if is_high else interval.low, up=not is_high)
    if not interval.has(near):
        near += _unit(near, FINE) * (-1 if is_high else 1)
    return near if interval.has(near) else None


def _bisected(value: Fraction, passing: Passing) -> list[Advice]:
    """A number as near to a value as two digits of the distance say, at which the check holds."""
    ways: list[Callable[[Fraction], Fraction]] = [lambda k: value * k, lambda k: value / k]
    if 0 < value < 1:  # nearer to 1, and to 1/2
        ways += [lambda k: 1 - (1 - value) / k, lambda k: (1 + (2 * value - 1) / k) / 2]
    tried = (way(Fraction(2**step)) for step in range(1, DOUBLINGS + 1) for way in ways)
    far = next(filter(passing, tried), value)
    if far == value:
        return []
    unit, up = _unit(far - value, ROUGH), far > value
    # the check is violated at the first of these numbers of steps, and holds at the last
    low, high, held = 0, int(abs(far - value) / unit) + 1, far
    while high - low > 1:
        middle = (low + high) // 2
        here = _rounded(value + (middle if up else -middle) * unit, unit, up)
        if passing(here):
            held, high = here, middle
        else:
            low = middle
    ends = sorted([held, held - unit if up else held + unit])
    return passing(simple(*ends)) or passing(held)
