"""Programs run over all worlds at once against Python running every path in every world.

Each drawn program is written twice: in the language, and as Python text in which `draw` replays
a list of choices. The second is executed once per path and world.
"""

from collections.abc import Hashable
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.programs.run import run_program
from verifier.world.worlds import database

Pair = tuple[str, str]
RECORDS = ("r1", "r2")
ITEMS = ["range(2)", "[r1, r2]", "(0, r2, x)", "range(x % 2)", "l + [1]", "sorted(m)", "sorted(d)"]
ITEMS += ["q in [y + q for q in (0, x) if q != y]"]
ITEMS += ["[y] * 2", "[x, draw(bernoulli(<>)), y]", "q, y in sorted(d.items())"]
RETURNED = ["l", "x", "(x, y, l)", "y * 3 + x, r2", "m", "sorted(d.items())"]


@cache
def geometric(center: int, ratio: Fraction, low: int, high: int) -> dict[int, Fraction]:
    """By the definition, summing |z| <= 20 term by term and the rest as a geometric series."""
    out = {value: Fraction(0) for value in range(low, high + 1)}
    for z in range(-20, 21):
        out[min(max(center + z, low), high)] += (1 - ratio) / (1 + ratio) * ratio ** abs(z)
    rest = (1 - ratio) / (1 + ratio) * ratio**21 / (1 - ratio)
    out[low] += rest
    out[high] += rest
    return out


def both(form: str, *parts: Pair) -> Pair:
    return tuple(  # type: ignore[return-value]
        form.replace("{", "{{")
        .replace("}", "}}")
        .replace("<>", "{}")
        .format(*(p[i] for p in parts))
        for i in range(2)
    )


class Writer:
    """Draws programs over the variables x, y and the list l."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def probability(self) -> Pair:
        n, d = self.random.choice([(1, 2), (1, 3), (2, 7), (0, 1), (1, 1)])
        return f"{n}/{d}", f"F({n}, {d})"

    def number(self, depth: int) -> Pair:
        draw = self.random
        if depth == 0 or draw.random() < 0.3:
            return both(draw.choice(["x", "y", "q", "r1", "r2", "0", "1", "2", "len(l)"]))
        kind = draw.randrange(15)
        a, b = self.number(depth - 1), self.number(depth - 1)
        if kind < 4:
            return both(draw.choice(["(<> + <>)", "(<> - <>)", "(<> * <>)", "min(<>, <>)"]), a, b)
        if kind == 4:
            return both("(<> % 3)", a)
        if kind == 5:
            return both("(<> if <> else <>)", a, self.truth(depth - 1), b)
        if kind == 6:
            return both("[r2, <>, r1][(<>) % 3]", a, b)
        if kind == 7:
            inner = self.pure(depth - 1)
            return f"count(value == {inner[0]})", f"sum(v == {inner[1]} for v in (r1, r2))"
        if kind == 8:
            return both("draw(bernoulli(<>))", self.probability())
        if kind == 9:
            return (
                f"draw(geometric({a[0]}, 1/2, 0, 2))",
                f"draw(geometric({a[1]}, F(1, 2), 0, 2))",
            )
        if kind == 11:
            return both("m[(<>) % 3]", a)
        if kind == 12:
            return both("d.get((<>) % 2, <>)", a, b)
        if kind == 14:
            parts = a, b, self.truth(depth - 1)
            return both("sum([<> for q in (<>, r2) if <>])", *parts)
        if kind == 13:
            return both("draw(binomial(2, <>))", self.probability())
        p = self.probability()
        table = both("draw({'<>': <>, '<>': 1 - <>})", ("no", "no"), p, ("yes", "yes"), p)
        return both("(1 if <> == 'yes' else <>)", table, a)

    def pure(self, depth: int) -> Pair:
        return both(self.random.choice(["x", "y % 2", "q", "r1", "0", "1 - r2"]))

    def truth(self, depth: int) -> Pair:
        draw = self.random
        if depth == 0 or draw.random() < 0.5:
            a, b = self.number(max(depth - 1, 0)), self.number(max(depth - 1, 0))
            sign = draw.choice(["==", "<", ">=", "!="])
            return both(f"(<> + 0 {sign} <>)", a, b)  # a sum may be any number
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return both(draw.choice(["(<> and <>)", "(<> or <>)", "(not (<> and <>))"]), a, b)

    def block(self, depth: int, indent: str, loop: bool) -> list[Pair]:
        lines: list[Pair] = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, indent, loop)
        return lines

    def statement(self, depth: int, indent: str, loop: bool) -> list[Pair]:
        draw = self.random
        if draw.random() < 0.3:
            return self.change(indent)
        kind = draw.randrange(9 if depth else 5)
        if kind < 2:
            return [both(f"{indent}{draw.choice('xy')} = (<>) % 3", self.number(2))]
        if kind == 2:
            return [both(f"{indent}{draw.choice('xy')} += <>", self.pure(0))]
        if kind == 3:
            return [both(f"{indent}l.append(<>)", self.number(1))]
        if kind == 4:
            if loop and draw.random() < 0.6:
                word = draw.choice(["break", "continue"])
                return [both(f"{indent}if <>:", self.truth(1)), both(f"{indent}    {word}")]
            return [both(f"{indent}if <>:", self.truth(1)), both(f"{indent}    return (x, y)")]
        if kind < 7:
            lines = [both(f"{indent}if <>:", self.truth(2))]
            lines += self.block(depth - 1, indent + "    ", loop)
            if draw.random() < 0.3:
                lines.append(both(f"{indent}elif <>:", self.truth(1)))
                lines += self.block(depth - 1, indent + "    ", loop)
            if draw.random() < 0.5:
                lines.append(both(f"{indent}else:"))
                lines += self.block(depth - 1, indent + "    ", loop)
            return lines
        items = draw.choice(ITEMS)
        items = items if " in " in items else f"q in {items}"
        head = both(f"{indent}for {items}:", *[self.probability()] * items.count("<>"))
        return [head, *self.block(depth - 1, indent + "    ", True)]

    def change(self, indent: str) -> list[Pair]:
        """An element of the list m, or of the dictionary d, is set."""
        sign = self.random.choice(["=", "+="])
        place, value = self.number(1), self.number(1)
        if self.random.random() < 0.5:
            return [both(f"{indent}m[(<>) % 3 - 1] {sign} (<>) % 5", place, value)]
        if sign == "=":
            return [both(f"{indent}d[(<>) % 3] = <>", place, value)]
        name = self.random.choice(["0", "r1", "(r2 + 1) % 2"])
        return [
            both(f"{indent}if {name} in d and len(d) + sum(d.values()) > 0:"),
            both(f"{indent}    d[{name}] += <>", value),
        ]

    def program(self) -> Pair:
        lines = [both("x = draw(uniform(0, 1))"), both("y = r1"), both("q = 1"), both("l = []")]
        lines += [both("m = [0, r1, 1] * 1"), both(self.random.choice(["d = {}", "d = {r2: 1}"]))]
        lines += [both("d[2] = 0")]
        lines += self.block(2, "", False)
        lines += [both("for q in [r1, 1, r2 + x]:"), *self.block(1, "    ", True)]
        for word in ("break", "continue"):
            lines += [both("    if <>:", self.truth(1)), both(f"        {word}")]
        lines += [both("    x = (<>) % 2", self.number(2))]
        lines.append(both("return " + self.random.choice(RETURNED)))
        return "\n".join(line[0] for line in lines), "\n".join(line[1] for line in lines)


class TooManyPaths(Exception):
    """The drawn program is too large for the slow interpreter."""


def paths(text: str, world: tuple[int, ...]) -> dict[Hashable, Fraction]:
    """The distribution of the result in one world: every list of choices in turn."""
    body = "\n".join("    " + line for line in text.split("\n"))
    chosen: list[int] = []
    options: list[list[tuple[Any, Fraction]]] = []

    def draw(distribution: dict[Any, Fraction]) -> Any:
        if len(options) == len(chosen):
            chosen.append(0)
        options.append([item for item in distribution.items() if item[1]])
        return options[-1][chosen[len(options) - 1]][0]

    scope: dict[str, Any] = {
        "F": Fraction,
        "draw": draw,
        "bernoulli": lambda p: {1: p, 0: 1 - p},
        "geometric": geometric,
        "binomial": lambda n, p: {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)},
        "uniform": lambda a, b: {n: Fraction(1, b - a + 1) for n in range(a, b + 1)},
        **dict(zip(RECORDS, world, strict=True)),
    }
    exec(f"def run():\n{body}", scope)
    total: dict[Hashable, Fraction] = {}
    for _ in range(400):
        options.clear()
        result = freeze(scope["run"]())
        weight = Fraction(1)
        for pick, offered in zip(chosen, options, strict=True):
            weight *= offered[pick][1]
        total[result] = total.get(result, Fraction(0)) + weight
        while chosen and chosen[-1] + 1 == len(options[len(chosen) - 1]):
            chosen.pop()
        if not chosen:
            return total
        chosen[-1] += 1
    raise TooManyPaths


def freeze(value: Any) -> Hashable:
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value


@examples(150)
@given(st.randoms(use_true_random=False))
def test_all_worlds_at_once_is_every_path_in_every_world(random: Random) -> None:
    ours, python = Writer(random).program()
    try:
        expected = [paths(python, world) for world in product(range(2), repeat=2)]
    except TooManyPaths:
        return
    found = run_program(database(RECORDS, [0, 1]), ours)
    assert set(found.outputs) == {str(result) for column in expected for result in column}
    for world, column in enumerate(expected):
        by_label = {str(result): p for result, p in column.items()}
        for output, label in enumerate(found.outputs):
            assert found.probability(output, world) == by_label.get(label, 0), (ours, label)
