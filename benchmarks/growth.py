"""Families of questions that grow: the spec file of each size, decided and checked.

python -m benchmarks.growth FAMILY SIZE     prints the processor seconds of the parts as JSON
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.worker import spec

Text = Callable[[int], str]


def _bits(n: int, rest: str, more: str = "") -> str:
    """A file about so many bits."""
    return f"worlds: {{records: {n}, domain: [0, 1]{more}}}\n{rest}\n"


def _program(*lines: str) -> str:
    """A mechanism of these `lines`."""
    return "\n    ".join(["mechanism:\n  program: |", *lines])


def _values(n: int) -> str:
    return ", ".join(map(str, range(n)))


COUNT = "mechanism: {geometric: {query: count(value == 1), exp_epsilon: 2, low: 0, high: %s}}"
OPEN = "mechanism: {geometric: {query: count(value == 1), exp_epsilon: 2}}"
RESPONSE = "mechanism: {randomized_response: {truth: 3/4}}"
PAIRS = "checks: [{differential_privacy: {epsilon: 1, neighbours: all}}]"
UNIFORM = "pairs: values\npriors: {list: [uniform]}"
ENUMERATED = ", where: count(value == 1) >= 0"
GROUPS = "{exp_epsilon: 17, delta: 1/4, group: 4}"
NEAR, EVEN = "[1/2, 2/3]", "[1/3, 1/2]"


def optimal(n: int) -> str:
    """The best mechanism for a count below n, absolute error, uniform prior."""
    return f"""worlds: {{records: [total], domain: [{_values(n)}]}}
checks:
  - optimal:
      under: {{differential_privacy: {{exp_epsilon: 2, neighbours: {{l1: 1}}}}}}
      outputs: [{_values(n)}]
      loss: abs(output - total)
      prior: uniform
"""


def implies(n: int) -> str:
    """Two Blowfish policies on n records of three values, both ways."""
    near = "{blowfish: {exp_epsilon: 2, graph: {distance: 1}}}"
    two, three = (f"{{blowfish: {{exp_epsilon: {level}, graph: full}}}}" for level in (2, 3))
    return f"""worlds: {{records: {n}, domain: [0, 1, 2]}}
checks:
  - implies: {{if: {near}, then: {three}}}
    expect: violated
  - implies: {{if: {two}, then: {near}}}
"""


def table(n: int) -> str:
    """A random channel of n outputs, written out, in n worlds."""
    numbers = random.Random(n)
    rows = []
    for world in range(n):
        row = [numbers.randint(1, 9) for _ in range(n)]
        rows.append(f"    w{world}: [{', '.join(f'{x}/{sum(row)}' for x in row)}]")
    names = [", ".join(f"{kind}{k}" for k in range(n)) for kind in "wo"]
    return "\n".join(
        [
            f"worlds: [{names[0]}]",
            f"mechanism:\n  table:\n    outputs: [{names[1]}]",
            *rows,
            "checks: [{differential_privacy: {exp_epsilon: 20, neighbours: all}}]\n",
        ]
    )


FAMILIES: dict[str, Text] = {
    "counts": lambda n: _bits(
        n,
        f"{COUNT % n}\nchecks: [{{differential_privacy: {{exp_epsilon: 2}}}}]",
        ", exchangeable: true",
    ),
    "shuffled": lambda n: _bits(
        n,
        _program(
            "ones = 0",
            f"for person in range({n}):",
            "  ones += draw(bernoulli(3/4 if person < count(value == 1) else 1/4))",
            "return ones",
        )
        + "\nchecks: [{differential_privacy: {exp_epsilon: 3}}]",
        ", exchangeable: true",
    ),
    "shuffled-delta": lambda n: _bits(
        n,
        _program(
            "ones = 0",
            "for bit in world:",
            "  ones += draw(bernoulli(3/4 if bit == 1 else 1/4))",
            "return ones",
        )
        + "\nchecks: [{differential_privacy: {exp_epsilon: 2, delta: 1/10}}]",
    ),
    "optimal": optimal,
    "markov-intervals": lambda n: _bits(
        n,
        f"""{COUNT % n}
secrets: {{a: r1 == 1, b: r1 == 0}}
pairs: [[a, b]]
priors:
  markov:
    initial: {{0: [2/5, 3/5], 1: [2/5, 3/5]}}
    transition: {{0: {{0: {NEAR}, 1: {EVEN}}}, 1: {{0: {EVEN}, 1: {NEAR}}}}}
checks: [{{pufferfish: {{exp_epsilon: 6}}}}]""",
    ),
    "sparse-vector": lambda n: _bits(
        n,
        _program(
            "t = draw(laplace(0, 2))",
            f"for i in range({n}):",
            "    if world[i] + draw(laplace(0, 4)) >= t:",
            "        return i",
            "return 'none'",
        )
        + f"\n{PAIRS}",
    ),
    "noisy-max": lambda n: _bits(
        n,
        _program(
            "noisy = []",
            f"for i in range({n}):",
            "    noisy.append(world[i] + draw(laplace(0, 2)))",
            "return argmax(noisy)",
        )
        + f"\n{PAIRS}",
    ),
    "row-cone": lambda n: _bits(
        n,
        """mechanisms:
  more: {randomized_response: {truth: 4/5}}
  less: {randomized_response: {truth: 3/4}}
checks: [{row_cone: {of: [more]}, mechanism: less}]""",
    ),
    "implies": implies,
    "composition": lambda n: _bits(
        n, f"{UNIFORM}\n{RESPONSE}\nchecks: [{{composition: {{exp_epsilon: 3}}}}]"
    ),
    "listed-count": lambda n: _bits(
        n, f"{UNIFORM}\n{OPEN}\nchecks: [{{pufferfish: {{exp_epsilon: 2}}}}]"
    ),
    "table": table,
    "groups-delta": lambda n: _bits(
        n,
        f"{RESPONSE}\nchecks: [{{differential_privacy: {GROUPS}}}]",
        ENUMERATED,
    ),
}


def grown(family: str, size: int) -> dict[str, object]:
    """Every check of a family's file of one size, from text to accepted certificates."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{family}-{size}.yaml"
        path.write_text(FAMILIES[family](size))
        return spec(str(path))


if __name__ == "__main__":
    print(json.dumps(grown(sys.argv[1], int(sys.argv[2]))))
