"""Programs that return lists of independent elements: the product is what running them gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base.document import parse
from verifier.programs.factored import factors
from verifier.programs.run import run_program
from verifier.world.local import NotFactored
from verifier.world.mechanism import Mechanism
from verifier.world.space import show
from verifier.world.worlds import database, named

WORLDS = named(["v", "w"])
BLOOM = """
bloom = [1, 0] if world == 'v' else [0, 0]
out = []
for b in bloom:
    p = draw(bernoulli(1/4 * b + 3/8))
    out.append(draw(bernoulli(11/20 if p == 1 else 9/20)))
return out
"""
TWO_LISTS = """
out = []
if world == 'v':
    out.append(draw(uniform(0, 2)))
    out.append('x')
else:
    for i in range(2):
        x = draw({'x': 1/3, i: 2/3})
        out.append(x)
return out
"""
CHANGED = """
total = 0
out = []
for i in range(3):
    total = total + i
    out.append(total + draw(bernoulli(1/7)))
out.append(total)
return out
"""
COUNTED = """
seen = {'x': 0}
bits = [0] * 2
out = []
for z in ['x', 'y', 'x']:
    seen[z] = seen.get(z, 0) + 1
    bits[-1] += seen[z]
    out.append(bits[1] + draw(binomial(2, 1/3)))
return out
"""
OVER_DRAWS = """
x = draw(laplace(0, 1)) + (1 if world == 'v' else 0)
y = draw(laplace(0, 1))
out = []
for z in [x, y]:
    out.append(1 if z > 0 else 0)
return out
"""
LATE = """
out = []
out.append(draw(bernoulli(1/3)))
if draw(bernoulli(1/2)) == 1:
    return out
return out
"""


RETURNED = """
first = 1 if world == 'v' else 0
x = draw(bernoulli(1/3 + first / 3))
y = draw(uniform(0, 2))
if y == 1:
    y = 5
return [x + first, 'x', y, draw(bernoulli(1/7)), first]
"""


DRAWN = """
q = 1 if world == 'v' else 0
out = []
for i in range(2):
    if q + draw(laplace(0, 1)) >= 1/2:
        out.append(max(0, min(1, floor(draw(laplace(i, 2))))))
    else:
        out.append('low')
return out
"""
IN_PAIRS = """
q = 1 if world == 'v' else 0
out = []
for i in range(2):
    t = draw(laplace(0, 1))
    out.append(1 if q >= t else 0)
    out.append(1 if draw(exponential(2)) >= t else 0)
out.append(draw(bernoulli(1/3)))
return out
"""
LOST = """
d = 0
out = []
for i in range(2):
    x = draw(geometric(d, 1/2))
    d = 1 if x > 0 else 0
    out.append(d)
    d = 0
return out
"""


def elements(text: str, space: object = WORLDS) -> list[Mechanism] | None:
    indented = text.strip().replace("\n", "\n  ")
    node = parse(f"program: |\n  {indented}\n", "x.yaml").mapping()["program"]
    try:
        return factors(space, node.scalar())  # type: ignore[arg-type]
    except NotFactored:
        return None


def assert_is_product(whole: Mechanism, each: list[Mechanism]) -> None:
    """The probabilities of a program are the products of those of its parts."""
    for world in range(whole.worlds):
        expected: dict[str, Fraction] = {}
        for chosen in product(*(range(len(one.outputs)) for one in each)):
            parts = [one.released[o] for one, o in zip(each, chosen, strict=True)]
            values = tuple(x for p in parts for x in (p if isinstance(p, tuple) else (p,)))
            chances = (one.probability(o, world) for one, o in zip(each, chosen, strict=True))
            expected[show(values)] = prod(chances, start=Fraction(1))
        told = {o: whole.probability(at, world) for at, o in enumerate(whole.outputs)}
        assert told == {name: p for name, p in expected.items() if name in told}
        assert not sum(p for name, p in expected.items() if name not in told)


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        (BLOOM, [1, 1]),
        (TWO_LISTS, [1, 1]),
        (CHANGED, [1, 1, 1, 1]),
        (COUNTED, [1, 1, 1]),
        (OVER_DRAWS, [1, 1]),
        (LATE, [1]),
        (RETURNED, [1, 1, 1, 1, 1]),
        (DRAWN, [1, 1]),
        (IN_PAIRS, [2, 2, 1]),
        (LOST, [1, 1]),
    ],
)
@pytest.mark.parametrize("space", [WORLDS, database(["ann", "bob"], [0, 1])])
def test_the_product_is_the_program(text: str, widths: list[int], space: object) -> None:
    if space is not WORLDS:
        text = text.replace("world == 'v'", "bob == 1")
    whole, each = run_program(space, text), elements(text, space)  # type: ignore[arg-type]
    assert each and isinstance(whole, Mechanism)
    found = [one.released[0] for one in each]
    assert [len(x) if isinstance(x, tuple) else 1 for x in found] == widths
    assert_is_product(whole, each)


STEPS = [
    "x = draw(bernoulli(1/3))",
    "y = draw(bernoulli(1 / (y + 2)))",
    "t = draw(laplace(q, 1))",
    "x = q",
    "y += x",
    "y = 1 if t > q else 0",
    "out.append(x)",
    "out = out + [y + q]",
    "out.append(t > y)",
    "out += [draw(bernoulli(1/5 + q / 5))]",
    "if x > 0:\n    out.append(y)",
    "if x == 1:\n    y = draw(bernoulli(1/7))",
    "if q == 1:\n    out.append(0)\nelse:\n    out.append(x)",
    "for i in range(x + 1):\n    y = i",
    "for i in range(2):\n    x = draw(bernoulli(1/2))\n    out.append(x + i)\n"
    "    if y > 0:\n        break",
    "if y > x:\n    return out",
    "m[x % 2] += draw(bernoulli(1/3))",
    "m[1 - q] = t",
    "d[x] = y + q",
    "x = d.get(y, q)",
    "out.append(m[q] > 0)",
    "for z in [x, y, draw(bernoulli(1/9))]:\n    out.append(z + q)",
    "for z, n in sorted(d.items()):\n    y = n\n    out.append(z)",
]


@examples(60)
@given(st.lists(st.sampled_from(STEPS), min_size=2, max_size=7))
def test_the_product_of_drawn_programs(steps: list[str]) -> None:
    first = ["q = 1 if world == 'v' else 0", "x = 0", "y = 0", "t = q", "m = [0, q]"]
    first += ["d = {}", "out = []"]
    text = "\n".join([*first, *steps, "return out"])
    if each := elements(text):
        whole = run_program(WORLDS, text)
        assert isinstance(whole, Mechanism)
        assert_is_product(whole, each)


PREFIX = """
total = 0
out = []
for bit in world:
    total += bit + draw(laplace(0, 1))
    out.append(total)
return out
"""
SMART = """
next = 0
total = 0
out = []
for i in range(3):
    if i % 2 == 1:
        next = total + world[i] + draw(laplace(0, 1))
        total = 0
    else:
        next += world[i] + draw(laplace(0, 2))
        total += world[i]
    out.append(next)
return out
"""


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (PREFIX, 3),
        (SMART, 3),
        (PREFIX.replace("laplace(0, 1)", "geometric(0, 1/2)"), 3),
        (PREFIX.replace("total += bit +", "total += bit / 2 + 3 *"), 3),
        (PREFIX.replace("laplace(0, 1)", "exponential(2)"), 3),
        (SMART.replace("draw(laplace(0, 1))", "1"), 3),  # two draws, and a number
        ("x = draw(laplace(0, 1))\nreturn [r1 + x, x + draw(laplace(r2 + r3, 1)), r1, 1]", 4),
        ("x = draw(laplace(0, 1))\nreturn [[r1 + x, 2], x + draw(laplace(r2, 1))]", 2),
        ("x = draw(laplace(0, 1))\nreturn [r1 + x, r2 - x]", 0),  # one draw
        ("x = draw(laplace(0, 1))\ny = draw(laplace(0, 1))\nreturn [x + y, (r1 + 1) * x]", 0),
    ],
)
def test_released_sums_are_told_step_by_step(text: str, steps: int) -> None:
    """For each two worlds the least odds of the steps are together those of the sums."""
    space = database(["r1", "r2", "r3"], [0, 1])
    each = elements(text, space)
    assert len(each or ()) == steps
    whole = run_program(space, text) if each else None
    for i, j in product(range(8), repeat=2) if isinstance(whole, Mechanism) else ():
        assert prod(_least(one, i, j) for one in each or ()) == _least(whole, i, j)


def _least(one: Mechanism, i: int, j: int) -> Fraction:
    return min(row[j] / row[i] for row in one.rows() if row[i])


def test_what_parts_share_is_named() -> None:
    text = (
        "t = draw(laplace(0, 1))\nout = []\nfor i in range(3):\n    out.append(t > i)\nreturn out"
    )
    node = parse("program: |\n  " + text.replace("\n", "\n  ") + "\n", "x.yaml").mapping()
    with pytest.raises(
        NotFactored, match="'t', from line 1, is used on after an element, in line 4"
    ):
        factors(WORLDS, node["program"].scalar())


@pytest.mark.parametrize(
    "text",
    [
        # one draw for two elements
        "out = []\nx = draw(bernoulli(1/2))\nout.append(x)\nout.append(x)\nreturn out",
        # the second draw depends on the first
        "out = []\np = draw(bernoulli(1/2))\nout.append(p)\n"
        "out.append(draw(bernoulli(1/3 + p / 3)))\nreturn out",
        # a draw decides which element of a list, or which key of a dictionary, is set
        "bits = [0, 0]\nbits[draw(bernoulli(1/2))] = 1\nout = []\nfor b in bits:\n"
        "    out.append(b)\nreturn out",
        "d = {}\nout = []\nfor i in range(2):\n    d[i] = d.get(0, 0) + draw(bernoulli(1/2))\n"
        "    out.append(d[i])\nreturn out",
        # how many there are is random
        "out = []\nfor i in range(3):\n    out.append(draw(bernoulli(1/2)))\n"
        "    if draw(bernoulli(1/2)) == 1:\n        break\nreturn out",
        "out = []\nif draw(bernoulli(1/2)) == 1:\n    return out\nout.append(1)\nreturn out",
        "out = []\nout.append(1)\nout.append(2)\nif draw(bernoulli(1/2)) == 1:\n    out.append(3)\n"
        "return out",
        # a branch is drawn, and told later
        "out = []\nx = draw(bernoulli(1/2))\nif x == 1:\n    out.append(0)\nelse:\n"
        "    out.append(1)\nout.append(x)\nreturn out",
        # a distribution has a draw in it; one without clamps is told twice, or decides how many
        "x = draw(laplace(0, 1))\nd = {x: 1/2, 0: 1/2}\nout = []\nout.append(x > 0)\n"
        "out.append(draw(d) > 0)\nreturn out",
        "out = []\nx = draw(laplace(0, 1))\nout.append(x > 0)\nout.append(x > 1)\nreturn out",
        "out = []\nif draw(laplace(0, 1)) > 0:\n    out.append(1)\nout.append(1)\nreturn out",
        "out = []\nfor i in range(3):\n    if draw(laplace(0, 1)) > 0:\n        continue\n"
        "    out.append(i)\nreturn out",
        "out = []\nfor i in range(3):\n    out.append(i)\n    if draw(laplace(0, 1)) > 0:\n"
        "        return out\nreturn out",
        # elements in two branches of one world, but not of the other
        "out = []\nif world == 'v':\n    t = draw(laplace(0, 1))\n    out.append(t > 0)\n"
        "    out.append(t > 1)\nelse:\n    out.append(1)\n    out.append(2)\n"
        "out.append(3)\nreturn out",
        # one world has more of them
        "out = []\nif world == 'v':\n    out.append(1)\nout.append(1)\nreturn out",
        # the list is looked at, begun again, or not the one returned
        "out = []\nout.append(1)\nout.append(len(out))\nreturn out",
        "out = []\nout.append(1)\nout = []\nout.append(2)\nreturn out",
        "out = []\nout.append(1)\nreturn len(out)",
        "out = [1]\nout.append(1)\nreturn out",
        "out = []\nother = []\nout.append(1)\nif world == 'v':\n    return other\nreturn out",
        "out = []\nreturn out",
        "return []",
        # elements that are returned at once share a draw, or come in another order than their draws
        "x = draw(bernoulli(1/2))\nreturn [x, x]",
        "x = draw(bernoulli(1/2))\ny = draw(bernoulli(1/3))\nreturn [y, x]",
        "x = draw(bernoulli(1/2))\ny = x + 1\nx = draw(bernoulli(1/2))\nreturn [y, x, y]",
        "if world == 'v':\n    return [1]\nreturn [draw(bernoulli(1/2)), 1]",
        "return 1",
    ],
)
def test_other_programs_are_left_alone(text: str) -> None:
    assert elements(text) is None


def test_elements_of_a_world_are_read_one_by_one() -> None:
    """In 4,096 worlds each part is about one record, however the records are named."""
    space = database([f"r{k}" for k in range(12)], [0, 1])
    loops = ("for bit in world:", "for k in range(12):\n    bit = world[k]")
    for loop in loops:
        said = f"out = []\n{loop}\n    out.append(draw(bernoulli(1/4 + bit / 2)))\nreturn out"
        parts = list(factors(space, said, {}))
        assert len(parts) == 12
        for part, codes in zip(parts, space.record_codes, strict=True):
            assert [part.values[code] for code in part.codes[1]] == [
                Fraction(3 if code else 1, 4) for code in codes
            ]
