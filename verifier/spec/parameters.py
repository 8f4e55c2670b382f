"""The parameters of a file: what it says of them, the choices that are asked about, conditions.

Under `parameters` a name has a list of values (`n: 2..6`, `n: [2, 4]`, `p: 1/2..1:6` for six of
them at equal distances), which are tried one after the other, or is a real number in an interval
(`p: 1/2 < p < 1`), about all of which a check is decided at once. `--set` gives a name other
values, and fixes a real one.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

from verifier.base import exact, parameters
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Scalar
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError, Place, nearest
from verifier.base.exponential_polynomial import INFINITE
from verifier.base.nouns import Later, dataclass
from verifier.base.parameters import TEXT, Choice
from verifier.base.rational_function import RationalFunction
from verifier.kernels.regions import SENSES, Interval, Region, refined, satisfying
from verifier.world.space import WORDS

MAX_VALUES = 10_000  # of one parameter, and choices of a file
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_SPACED = re.compile(r"([^,]+?)\.\.([^,]+):([0-9]{1,9})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIDES = re.compile(r"\s*(<=|>=|=<|=>|[<>≤≥])\s*")  # between the sides of an interval
_MEANT = {"≤": "<=", "=<": "<=", "≥": ">=", "=>": ">="}
_TURNED = {">": "<", ">=": "<="}
_COMPARED = re.compile(r"(<=|>=|==|<|>)")
HINT = "write p: 1/2 < p < 1, n: 2..6 or n: [2, 4, 8]"


@dataclass(frozen=True)
class Declared(Later):
    """What a file says of a parameter: its values as they are written, or the interval that it lies
    in."""

    node: Node
    values: tuple[str, ...] = ()
    interval: Interval | None = None


def declared(top: Node) -> dict[str, Declared]:
    """The parameters of a file by name; S802."""
    node = top.table.get("parameters") if isinstance(top, MappingNode) else None
    if node is None:
        return {}
    entries = node.mapping(what="a mapping of parameters").entries
    for key, _ in entries:
        name = key.text
        if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in WORDS or name == "e":
            said = f"'{name[:40]}' cannot be the name of a parameter"
            hint = "write a plain word such as p or truth"
            if exact.looks_like_number(name):
                hint += "; a list of values has brackets: n: [1, 2, 3]"
            raise key.fail("S802", said, hint)
    return {key.text: _declared(key.text, value) for key, value in entries}


def _declared(name: str, node: Node) -> Declared:
    if isinstance(node, SequenceNode):
        items = [item.scalar("a value") for item in node.items]
        if not items or len(items) > MAX_VALUES:
            raise node.fail("S802", f"{len(items)} values, 1 to {MAX_VALUES} are allowed", HINT)
        for item in items:
            if _SIDES.search(item.text):
                said = f"a list has numbers, found '{item.text[:40]}'"
                raise item.fail("S802", said, f"write {name}: {item.text}, without brackets")
            item.number("a value")
        return Declared(node, tuple(item.text for item in items))
    text = node.scalar("values or an interval").text.strip()
    sides = _SIDES.split(text)
    if len(sides) == 3 and sides[0] == name and sides[1] in _TURNED:
        sides = [sides[2], _TURNED[sides[1]], name]
    if len(sides) == 3 and sides[1] in ("<", "<=") and sides[2] == name:
        sides += ["<", ""]
    if len(sides) == 5 and {sides[1], sides[3]} <= {"<", "<="}:
        return Declared(node, interval=_interval(name, node, *sides))
    values = node.placed(lambda: tuple(_expanded(text, "S802")))
    for value in values:
        is_number = exact.looks_like_number(value) or exact.is_arithmetic(value)
        if not is_number or re.fullmatch(r"[0-9]+-[0-9]+", value):
            said = f"'{text[:40]}' is no interval of {name}, and no list of values"
            raise node.fail("S802", said, _meant(name, text))
    return Declared(node, values)


def _meant(name: str, text: str) -> str:
    """The hint how an interval or a list is written, which somebody wrote in another way."""
    sides = [_MEANT.get(side, side) for side in _SIDES.split(text)]
    if len(sides) == 5 and sides[2] == name:
        if {sides[1], sides[3]} <= {">", ">="}:
            sides = [_TURNED.get(side, side) for side in sides[::-1]]
        if {sides[1], sides[3]} <= {"<", "<="}:
            return f"write {name}: {' '.join(sides)}"
    if found := re.fullmatch(r"([^.-]+(?:\.[0-9]+)?)(\.\.+|-)([^.-].*)", text):
        low, sign, high = found.groups()
        if sign == "-":
            return f"write {low}..{high} for several values, or {low} - {high} for the difference"
        return f"write {name}: {low} < {name} < {high}, or {low}..{high}:5 for five values"
    return HINT


def _interval(name: str, node: Node, *sides: str) -> Interval:
    """An interval, from sides such as 1/2, <, p, <=, 1."""
    low, left, inner, right, high = sides
    if inner != name:
        said = f"the interval of {name} is about '{inner}'"
        raise node.fail("S802", said, f"write {low} {left} {name} {right} {high}")
    said = f"an interval goes from a smaller rational number to a larger one, found {low}, {high}"
    try:
        first, last = exact.number(low), exact.number(high) if high else INFINITE
    except InputError:
        hint = "write two numbers; `where` of a check may compare parameters, such as p < q"
        if "inf" in high.lower() or "∞" in high:
            hint = f"write {name}: {low} {left} {name}"
        raise node.fail("S802", said, hint) from None
    if exact.is_irrational(first) or exact.is_irrational(last) or first >= last:
        hint = HINT if first != last else f"write {name}: {low} for a single value; {HINT[6:]}"
        raise node.fail("S802", said, hint)
    return Interval(first, last, left == "<=", right == "<=")


def _expanded(text: str, code: str = "S806", most: int = MAX_VALUES) -> Iterable[str]:
    """The values of a text: those of a range such as 2..6 or 1/2..1:6, else the text itself.

    code  of the error
    most  how many values there may be
    """
    if found := _RANGE.fullmatch(text):
        low, high = map(int, found.groups())
        if not low <= high < low + most:
            raise InputError(code, f"{text} has no value, or over {most}")
        return map(str, range(low, high + 1))
    if found := _SPACED.fullmatch(text):
        if not 2 <= int(found[3]) <= most:
            raise InputError(code, f"{text} has {found[3]} values, 2 to {most} are allowed")
        ends = [exact.number(end.strip()) for end in found.groups()[:2]]
        if any(map(exact.is_irrational, ends)) or ends[0] == ends[1]:
            raise InputError(code, f"{text} does not go from one rational number to another")
        return _spaced(ends[0], ends[1], int(found[3]))
    return (text,)


def _spaced(first: Fraction, last: Fraction, count: int) -> Iterable[str]:
    """So many values from the first to the last, at equal distances."""
    return (str(first + (last - first) * at / (count - 1)) for at in range(count))


def choices(
    top: Node, text: str, given: Mapping[str, Sequence[str]], zipped: bool = False
) -> list[Choice]:
    """Every choice of the parameters of a file, in the order of their names in it.

    top     its tree
    text    what it was read from
    given   name -> values that stand in place of its own, as --set has them
    zipped  whether the n-th values go together, instead of all combinations

    Raises S801 for a name that the file has not, or that has no value; S806 for a value outside its
    interval, or lists of different lengths.
    """
    known = declared(top)
    lists = values(top, text, given)
    for name in known.keys() & given.keys():
        for value in lists[name]:
            check_inside(name, value, known[name])
    real = tuple(name for name in known if name not in lists)
    told = [name for name, each in lists.items() if name in given or len(each) > 1]
    found = list[Choice]()
    for row in zipped_rows(lists) if zipped else product(*lists.values()):
        if len(found) == MAX_VALUES:
            raise InputError("S806", f"over {MAX_VALUES} combinations of values")
        texts = dict(zip(lists, row, strict=True))
        numbers = {name: exact.number(texts[name]) for name in known if name in texts}
        chosen = tuple((name, texts[name]) for name in told)
        found.append(Choice(numbers, real, {**texts, **{name: name for name in real}}, chosen))
    if not given:
        _check_conditions(top, found, known)
    return found


def _check_conditions(top: Node, found: Sequence[Choice], known: Mapping[str, Declared]) -> None:
    """Refuse (S805) a check whose `where` no choice fulfils: it would be asked about nothing."""
    checks = top.table.get("checks") if isinstance(top, MappingNode) else None
    for item in checks.items if isinstance(checks, SequenceNode) else ():
        node = item.table.get("where") if isinstance(item, MappingNode) else None
        if node is not None and not any(_may_hold(node, choice, known) for choice in found):
            names = ", ".join(known) or "parameters"
            raise node.fail("S805", f"no value of {names} fulfils it", "leave the check out")


def _may_hold(node: Node, choice: Choice, known: Mapping[str, Declared]) -> bool:
    """Whether a condition holds for a choice, or for some value of its only real parameter; what
    cannot be read is told elsewhere."""
    if len(choice.real) > 1:
        return True
    with parameters.given(choice), suppress(InputError):
        name = choice.real[0] if choice.real else ""
        held = condition(node, name, known[name].interval if name else None)
        return held if isinstance(held, bool) else bool(held.intervals)
    return True


def values(
    top: Node, text: str, given: Mapping[str, Sequence[str]], most: int = MAX_VALUES
) -> dict[str, list[str]]:
    """The values, as text, of all parameters but the real ones that are given none.

    top    the tree of a file
    text   what it was read from
    given  name -> values that stand in place of its own, as --set has them
    most   how many a range of them may have

    Raises S801 for a name that the file has not, or that has no value; S806 for a bad range.
    """
    known = declared(top)
    _check_names(known, text, given, top)
    return {
        name: _values(known.get(name), given.get(name), most)
        for name in {**known, **given}
        if name in given or known[name].interval is None
    }


def _check_names(
    known: Mapping[str, Declared], text: str, given: Mapping[str, Sequence[str]], top: Node
) -> None:
    used = set(TEXT.findall(text)) if given else set()
    for name in sorted({*used, *given} - known.keys()):
        if name in used and name in given:
            continue
        hint = ""
        if name in used:
            message = f"the parameter '{name}' has no values: --set {name}"
        else:
            message = f"the parameter '{name}' does not occur in the file"
            hint = nearest(name, known).lstrip("; ") or _known(known)
        raise InputError("S801", message, Place(top.source.file, 1, 1), hint=hint)


def _known(names: Iterable[str]) -> str:
    """A hint that tells the parameters of a file, if it has some."""
    told = ", ".join(names)
    return f"the parameters of the file are: {told}" if told else ""


def _values(about: Declared | None, given: Sequence[str] | None, most: int) -> list[str]:
    """The values of a parameter: those that are given, or its own."""
    if given is None or about is None:
        return list(given or (about.values if about else ()))
    return [value for text in given for value in _expanded(text.strip(), most=most)]


def check_inside(name: str, value: str, about: Declared) -> None:
    """Refuse (S806) a value of a parameter, as text, outside the interval that it lies in."""
    if _SIDES.search(value):
        hint = (
            f"write a number, --set {name}=0.7; intervals stand under `parameters`, or in `where`"
        )
        raise InputError("S806", f"{name} = {value[:40]} is no number", hint=hint)
    number = exact.number(value)
    if about.interval and not (not exact.is_irrational(number) and about.interval.has(number)):
        raise InputError("S806", f"{name} = {value} lies outside of {about.interval.told(name)}")


def zipped_rows(lists: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, ...]]:
    """The n-th values of all lists together; a list of one value goes with all. S806."""
    length = max(map(len, lists.values()), default=1)
    for name, values in lists.items():
        if len(values) not in (1, length):
            said = f"{name} has {len(values)} values, another parameter {length}"
            raise InputError("S806", said, hint="with --zip lists have one length, or one value")
    rows = (values if len(values) == length else [*values] * length for values in lists.values())
    return zip(*rows, strict=True) if lists else [()]


def condition(
    node: Node | None,
    name: str = "",
    domain: Interval | None = None,
    more: Sequence[tuple[Scalar, str]] = (),
) -> Region | bool:
    """Where a condition holds: the part of the `domain` of the real parameter `name`, or whether it
    holds, where there is none.

    node  comparisons such as `1/2 < p <= 3/4`, put together by `and` and `or`, or a list of them,
          all of which are to hold; None for none
    more  chains of comparisons that are to hold too, and where they stand

    Raises S805 where it cannot be read.
    """
    items = scalars(node)
    found = [_either(item, name, domain) for item in items]
    found += [_chain(item, text, name, domain) for item, text in more]
    return _all(found)


def scalars(node: Node | None) -> list[Scalar]:
    """The texts of a condition, all of which are to hold; none where there is no condition."""
    if node is None:
        return []
    items = [node] if isinstance(node, Scalar) else node.sequence("a condition").items
    return [item.scalar("a condition") for item in items]


def _either(node: Scalar, name: str, domain: Interval | None) -> Region | bool:
    parts = [
        _all([_chain(node, part, name, domain) for part in re.split(r"\band\b", text)])
        for text in re.split(r"\bor\b", node.text)
    ]
    regions = [part for part in parts if isinstance(part, Region)]
    if any(part is True for part in parts) or not regions:
        return any(part is True for part in parts)
    return refined(regions, any) if len(regions) > 1 else regions[0]


def _all(parts: Sequence[Region | bool]) -> Region | bool:
    regions = [part for part in parts if isinstance(part, Region)]
    if any(part is False for part in parts) or not regions:
        return all(part is not False for part in parts)
    return refined(regions, all) if len(regions) > 1 else regions[0]


def _chain(node: Scalar, text: str, name: str, domain: Interval | None) -> Region | bool:
    """Where the comparisons of a chain such as a < b <= c hold."""
    wanted, fixed = [], True
    for gap, sense in gaps(node, text):
        if isinstance(gap, RationalFunction):
            wanted.append((_product(gap), sense))
        else:
            fixed &= SENSES[sense]((gap > 0) - (gap < 0))
    if not wanted or not fixed:
        return fixed
    assert domain is not None
    return satisfying(wanted, domain)


def gaps(node: Scalar, text: str) -> list[tuple[Fraction, str]]:
    """The differences that a chain of comparisons such as a < b <= c compares with 0, and how."""
    sides = _COMPARED.split(text)
    if len(sides) < 3 or not all(side.strip() for side in sides):
        raise node.fail("S805", f"'{text.strip()[:40]}' is no comparison of numbers")
    values = [node.placed(lambda side=side: exact.number(side.strip())) for side in sides[::2]]  # type: ignore[misc]
    pairs = zip(pairwise(values), sides[1::2], strict=True)
    return node.placed(lambda: [(a - b, sense) for (a, b), sense in pairs])


def _product(gap: RationalFunction) -> tuple[int, ...]:
    """A polynomial with the sign of a function wherever this has a value."""
    from verifier.base.rational_function import parts, quotient

    return parts(quotient(gap.parameter, gap.top) * quotient(gap.parameter, gap.bottom))[0]


def default(top: Node) -> Choice:
    """The only choice of the parameters of a file; S806 where there are several.

    It is the one that is active, where this is about the same names.
    """
    known, here = declared(top), parameters.active()
    if not known or set(known) <= set(here.names):
        return here
    found = choices(top, "", {})
    if len(found) > 1:
        name, about = next((n, about) for n, about in known.items() if len(about.values) > 1)
        said = f"{name} has {len(about.values)} values, and here it needs one"
        raise about.node.fail("S806", said, f"write --set {name}={about.values[0]}")
    return found[0]


def fixed_at(choice: Choice, name: str, x: Fraction) -> Choice:
    """The `choice` with the real parameter `name` fixed at `x`."""
    real = tuple(other for other in choice.real if other != name)
    texts = {**choice.texts, name: str(x)}
    values, chosen = {**choice.values, name: x}, (*choice.chosen, (name, str(x)))
    return replace(choice, values=values, real=real, texts=texts, chosen=chosen)
