"""Kinds about all values of parameters, evaluated at single ones by the plain judge of each value.

Pieces are to be points and open intervals that take turns. Rational points are looked at as they
are, intervals at their middle and within 10^-30 of both ends; of an irrational point only what lies
beside it is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import cycle, islice, pairwise, product
from random import Random

from tests.harden.oracle.reading import HUGE, TINY, Json, Wrong, averages, both, require
from tests.one_parameter import at as value_at
from tests.one_parameter import common, derivative, divided, plus, roots_inside, times

Judge = Callable[[Json, Json, Json], bool | None]
NEAR, CLOSE = Fraction(1, 10**30), Fraction(1, 10**45)
FUNCTION = re.compile(r"[\w +*/^()-]+")
WORDS = {"rule", "class", "kind", "worlds", "outputs", "pairs", "name", "parameter", "senses"}
POINTS = 3  # of each cell of several parameters
ZERO, ONE = Fraction(0), Fraction(1)
End = tuple[Fraction, Fraction, bool]  # around the number, at most CLOSE apart; whether closed


def end(stated: Json) -> End:
    """A number between two that are very near."""
    closed = stated["closed"]
    require(type(closed) is bool, "closed")
    if "rational" in stated:
        return Fraction(stated["rational"]), Fraction(stated["rational"]), closed
    low, high = map(Fraction, stated["between"])
    polynomial = [Fraction(c) for c in stated["polynomial"]]
    moved = _moved(polynomial, low, high)
    require(low < high and moved and moved[-1], "a polynomial between two numbers")
    require(value_at(polynomial, low) * value_at(polynomial, high) < 0, "one root")
    repeated = common(moved, derivative(moved))
    require(roots_inside(divided(moved, repeated)[0]) == 1, "one root")
    again = common(repeated, derivative(repeated))
    require(len(repeated) == 1 or not roots_inside(divided(repeated, again)[0]), "a simple root")
    left = value_at(polynomial, low) > 0
    while high - low > CLOSE:
        middle = (low + high) / 2
        inside = value_at(polynomial, middle)
        if not inside:
            return middle, middle, closed
        low, high = (middle, high) if (inside > 0) == left else (low, middle)
    return low, high, closed


def _moved(polynomial: list[Fraction], low: Fraction, high: Fraction) -> list[Fraction]:
    """A polynomial of low + (high − low)·q."""
    found: list[Fraction] = []
    for c in reversed(polynomial):
        found = plus(times(found, [low, high - low]), [c] if c else [])
    return found


def same(one: End, other: End) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def covered(parts: Sequence[Json], domain: tuple[End, End]) -> list[tuple[End, End]]:
    """The ends of parts, points and open intervals that take turns, from one end to the other."""
    found = [(end(part["from"]), end(part["to"])) for part in parts]
    require(found, "a part")
    for low, high in found:
        point = same(low, high)
        require(low[2] == high[2] == point and (point or low[1] < high[0]), "point or interval")
    for at, (part, whole) in enumerate(((found[0], domain[0]), (found[-1], domain[1]))):
        require(same(part[at], whole) and same(*part) == whole[2], "the domain")
    for one, other in pairwise(found):
        require(same(one[1], other[0]) and one[0][2] != other[0][2], "they take turns")
    return found


def inside(part: tuple[End, End], x: Fraction) -> bool:
    low, high = part
    return low[0] <= x <= high[1] if low[2] and same(low, high) else low[1] < x < high[0]


def points(part: tuple[End, End]) -> list[Fraction]:
    """Rational values in a part; none in an irrational point."""
    low, high = part
    if same(low, high):
        return [low[0]] if low[0] == low[1] else []
    width = high[0] - low[1]
    return [low[1] + width * NEAR, low[1] + width * Fraction(3, 7), high[0] - width * NEAR]


def number(text: str, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a function."""
    require(FUNCTION.fullmatch(text), "a function")
    code = re.sub(r"(?<![\w])\d+", r"F(\g<0>)", text.replace("^", "**"))
    try:
        return Fraction(eval(code, {"__builtins__": {}}, {"F": Fraction, **values}))
    except ZeroDivisionError:
        raise Wrong("a denominator vanishes") from None


def put(part: Json, values: Mapping[str, Fraction]) -> Json:
    """A part of a certificate with numbers in place of functions."""
    if type(part) is list:
        return [put(inner, values) for inner in part]
    if type(part) is dict and "coefficients" in part:
        found: dict[str, list[int]] = {}
        for text, places in part["coefficients"].items():
            found.setdefault(str(number(text, values)), []).extend(places)
        return {**part, "coefficients": found}
    if type(part) is dict:
        return {k: inner if k in WORDS else put(inner, values) for k, inner in part.items()}
    named = type(part) is str and {*re.findall(r"[A-Za-z_]\w*", part)} & values.keys()
    return str(number(part, values)) if named else part


def _within(parts: Sequence[tuple[End, End]], x: Fraction) -> int:
    (found,) = [at for at, part in enumerate(parts) if inside(part, x)]
    return found


def _regions(claim: Json, x: Fraction) -> bool:
    """Whether a rational belongs to the region that is claimed."""
    found = []
    for part in claim["region"]:
        low, high = end(part["from"]), end(part["to"])
        above = x >= low[0] if low[2] and low[0] == low[1] else x > low[1]
        below = x <= high[1] if high[2] and high[0] == high[1] else x < high[0]
        found.append(above and below)
    return any(found)


def _evaluated(
    claim: Json,
    model: Json,
    relation: Json,
    judge: Callable[[Json, Fraction, Json, Json], bool | None],
) -> bool | None:
    """What a judge says of a claim at single values, of which it is given the piece."""
    name = relation["parameter"]
    domain = end(relation["from"]), end(relation["to"])
    require(domain[0][1] < domain[1][0], "an interval")
    cells, pieces = covered(model["cells"], domain), covered(claim["pieces"], domain)
    require(len(relation["cells"]) == len(cells), "a relation for each cell")
    for part in pieces:  # none goes beyond a cell
        require(any(_reaches(cell, part) for cell in cells), "a piece beyond a cell")
    found: list[bool | None] = []
    for part, stated in zip(pieces, claim["pieces"], strict=True):
        for x in points(part):
            at = _within(cells, x)
            whole = {key: inner for key, inner in model.items() if key != "cells"}
            own = {k: v for k, v in model["cells"][at].items() if k not in ("from", "to")}
            there = put({**whole, **own}, {name: x})
            found.append(judge(stated, x, there, put(relation["cells"][at], {name: x})))
    holds = all(_regions(claim, x) for part in pieces for x in points(part))
    whole_said = len(claim["region"]) == 1 and all(
        same(end(claim["region"][0][key]), domain[k]) for k, key in enumerate(("from", "to"))
    )
    unknown = any("undecided" in piece for piece in claim["pieces"])
    require((claim["verdict"] == "holds") == (holds and whole_said and not unknown), "verdict")
    return both(*found)


def _reaches(cell: tuple[End, End], part: tuple[End, End]) -> bool:
    return cell[0][0] <= part[0][1] and part[1][0] <= cell[1][1]


def rooted(value: Fraction, degree: int) -> Json:
    """A leakage that is the root of a number: exactly, or between two bounds."""
    if degree == 1:
        return {"exp_epsilon": str(value)}
    low, high, width = ZERO, value + 1, TINY / 10**5
    while high - low > width:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return {"lower": str(max(ONE, low)), "upper": str(max(ONE, high))}


def region(claim: Json, model: Json, relation: Json) -> bool | None:
    from tests.harden.oracle.direct import comparison

    name, nothing = relation["parameter"], "leakage" in claim

    def judge(stated: Json, x: Fraction, there: Json, compared: Json) -> bool | None:
        level = put(claim["level"], {name: x})
        verdict = "holds" if _regions(claim, x) else "violated"
        asked = {"kind": "comparison", "level": level, "verdict": verdict}
        if not averages(compared, there):
            asked["leakage"] = {"vacuous": True}
            one = "infinite" not in stated and stated["numerator"] == stated["denominator"]
            return both(one or None, comparison(asked, there, compared))
        require(not nothing, "something is compared")
        if "infinite" in stated:
            asked["leakage"] = {"infinite": True}
        else:
            top, bottom = (
                value_at([Fraction(c) for c in stated[k]], x) for k in ("numerator", "denominator")
            )
            require(bottom, "a denominator")
            asked["leakage"] = rooted(top / bottom, stated.get("root", 1))
        return comparison(asked, there, compared)

    return _evaluated(claim, model, relation, judge)


def pieces(claim: Json, model: Json, relation: Json) -> bool | None:
    from tests.harden.oracle import JUDGES

    name, kind = relation["parameter"], relation["kind"]
    asked = {k: claim[k] for k in ("level", "equals", "at_most") if k in claim}

    def judge(stated: Json, x: Fraction, there: Json, compared: Json) -> bool | None:
        if "undecided" in stated:
            require(not _regions(claim, x), "what is undecided is in no region")
            return True
        said = {k: stated[k] for k in ("verdict", "leakage", "value") if k in stated}
        require((said["verdict"] == "holds") == _regions(claim, x), "region and verdict")
        own = put({"kind": kind, **asked, **said}, {name: x})
        answers = [JUDGES[kind](one, there, compared) for one in _forms(own)]
        return True if True in answers else both(*answers)

    return _evaluated(claim, model, relation, judge)


def _forms(claim: Json) -> Iterator[Json]:
    """The ordinary claims of which one is to be true."""
    leakage = claim.get("leakage") or {}
    if "at_most" in leakage:
        require(Fraction(leakage["at_most"]) <= _level(claim), "the level is enough")
        yield {**claim, "leakage": {"lower": "1", "upper": leakage["at_most"]}}
    elif "at_least" in leakage:
        require(Fraction(leakage["at_least"]) > _level(claim), "the level is not enough")
        yield {**claim, "leakage": {"lower": leakage["at_least"], "upper": str(HUGE)}}
        yield {**claim, "leakage": {"infinite": True}}
    elif "root" in leakage:
        found = rooted(Fraction(leakage["exp_epsilon"]), leakage["root"])
        yield {**claim, "leakage": found}
    else:
        yield claim


def _level(claim: Json) -> Fraction:
    return Fraction(claim["level"]["exp_epsilon"])


def parameters(claim: Json, model: Json, relation: Json) -> bool | None:
    """Points of every cell are drawn; a violation that none of them shows is not told."""
    from tests.harden.oracle import JUDGES

    kind = relation.get("kind", "comparison")
    if "exp_epsilon" not in claim.get("level", {}):
        return None  # of what has a value in place of a level, or a power of e
    random, names = Random(1), relation["parameters"]
    axes = [_axis(interval, random) for interval in relation["domain"]]
    cells = list(product(*axes))
    require(len(cells) == len(model["cells"]) == len(relation["cells"]), "cells")
    found: list[bool | None] = []
    for choices, own, compared in zip(cells, model["cells"], relation["cells"], strict=True):
        for row in zip(*choices, strict=True):
            x = dict(zip(names, row, strict=True))
            if not all(_meets(condition, x) for condition in relation["where"]):
                continue
            require(own is not None, "a cell where there are values")
            whole = {key: part for key, part in model.items() if key != "cells"}
            try:
                there, pairs, level = (
                    put(part, x) for part in (whole | own, compared, claim["level"])
                )
            except Wrong:
                continue  # where a denominator vanishes nothing is asked
            asked = {"kind": kind, "level": level, "verdict": "holds"}
            within = {"lower": "1", "upper": level["exp_epsilon"]}
            try:
                if JUDGES[kind](asked | {"leakage": {"vacuous": True}}, there, pairs):
                    found.append(True)
                    continue
                require("leakage" not in claim, "something is compared")
                found.append(JUDGES[kind](asked | {"leakage": within}, there, pairs))
            except Wrong:  # no mechanism there: a violation elsewhere remains one
                require(claim["verdict"] == "violated", "a mechanism everywhere")
    if claim["verdict"] == "holds":
        return both(*found)
    return True if False in found else None


def _axis(interval: Json, random: Random) -> list[list[Fraction]]:
    """For each place of a parameter, its ends and between, values there."""
    (low, _, first), (high, _, last) = end(interval["from"]), end(interval["to"])
    count = 16 * POINTS
    if low == high:
        return [[low] * count]
    half = count // 2
    drawn = [low + (high - low) * Fraction(random.randint(1, 999), 1000) for _ in range(half - 4)]
    near = [low + (high - low) * x for x in (NEAR, 1 - NEAR)] * 2
    wide = range(int(low) * 8, int(high) * 8 + 8)
    simple = sorted(
        {Fraction(n, d) for d in range(1, 9) for n in wide if low < Fraction(n, d) < high}
    )
    between = [*drawn, *near, *islice(cycle(simple or drawn), half)]
    random.shuffle(between)
    return [*([[low] * count] if first else []), between, *([[high] * count] if last else [])]


def _meets(condition: Json, x: Mapping[str, Fraction]) -> bool:
    value = number(condition["polynomial"], x)
    return value > 0 if condition["strict"] else value >= 0
