"""Programs that return lists of independent elements: the product is what running them gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from verifier.base.document import parse
from verifier.programs.factored import factors
from verifier.programs.run import run_program
from verifier.world.mechanism import Mechanism
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


def elements(text: str, space: object = WORLDS) -> list[Mechanism] | None:
    indented = text.strip().replace("\n", "\n  ")
    node = parse(f"program: |\n  {indented}\n", "x.yaml").mapping()["program"]
    return factors(space, node.scalar())  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [BLOOM, TWO_LISTS, CHANGED, LATE, RETURNED])
@pytest.mark.parametrize("space", [WORLDS, database(["ann", "bob"], [0, 1])])
def test_the_product_is_the_program(text: str, space: object) -> None:
    if space is not WORLDS:
        text = text.replace("world == 'v'", "bob == 1")
    whole, each = run_program(space, text), elements(text, space)  # type: ignore[arg-type]
    assert each
    for world in range(whole.worlds):
        expected: dict[str, Fraction] = {}
        for chosen in product(*(range(len(one.outputs)) for one in each)):
            words = [one.outputs[o] for one, o in zip(each, chosen, strict=True)]
            quoted = [repr(x) if x == "x" else x for x in words]
            name = f"({', '.join(quoted)}{',' * (len(each) == 1)})"
            chances = (one.probability(o, world) for one, o in zip(each, chosen, strict=True))
            expected[name] = prod(chances, start=Fraction(1))
        found = {o: whole.probability(at, world) for at, o in enumerate(whole.outputs)}
        assert found == {name: p for name, p in expected.items() if name in found}
        assert not sum(p for name, p in expected.items() if name not in found)


@pytest.mark.parametrize(
    "text",
    [
        # one draw for two elements
        "out = []\nx = draw(bernoulli(1/2))\nout.append(x)\nout.append(x)\nreturn out",
        # the second draw depends on the first
        "out = []\np = draw(bernoulli(1/2))\nout.append(p)\n"
        "out.append(draw(bernoulli(1/3 + p / 3)))\nreturn out",
        # how many there are is random
        "out = []\nfor i in range(3):\n    out.append(draw(bernoulli(1/2)))\n"
        "    if draw(bernoulli(1/2)) == 1:\n        break\nreturn out",
        "out = []\nif draw(bernoulli(1/2)) == 1:\n    return out\nout.append(1)\nreturn out",
        # a branch is drawn, and told later
        "out = []\nx = draw(bernoulli(1/2))\nif x == 1:\n    out.append(0)\nelse:\n"
        "    out.append(1)\nout.append(x)\nreturn out",
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
