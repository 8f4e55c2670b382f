"""A mechanism runs several times, and how often each output came is released.

Syntax. `repeat: {of: MECHANISM, runs: NUMBER}`

Options. Both are needed:
- `of`: the mechanism, in full or by its name
- `runs`: how often it runs

The order of independent runs carries no information about the world, so the multiset leaks
exactly what the sequence does. With c_o the number of times that output o came, and P(o) its
probability in one of k runs, P(multiset) = k!/Π c_o! · Π P(o)^c_o. Outputs are written
`{yes: 2, no: 1}`.

Example. A bit that is answered three times with truth 3/4 leaks 3·3·3 = 27.

    worlds: {records: [ann], domain: [0, 1]}
    mechanism: {repeat: {of: {randomized_response: {truth: 3/4}}, runs: 3}}
    checks:
      - differential_privacy: {exp_epsilon: 27}
        leakage: 27
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np

from verifier.base.document import Node
from verifier.base.errors import LimitReached
from verifier.base.exact import is_irrational
from verifier.mechanisms import Context, read_run
from verifier.world.mechanism import Coder, Mechanism, Output, Several, stands_for_many

MAX_RUNS = 10**6
MAX_TERMS = 2 * 10**6
MAX_BITS = 10**8  # of all probabilities of a world


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism of several runs of one.

    node     {of: mechanism, runs: 2}
    context  the worlds, and what the file names
    """
    options = node.mapping(("of", "runs"), needs="of runs")
    once = read_run(options["of"], context)
    return repeated(once, options["runs"].integer(1, MAX_RUNS, "a number of runs"))


def repeated(once: Mechanism, runs: int) -> Mechanism:
    """Independent runs of a mechanism, as multisets of outputs.

    once  the mechanism
    runs  how often it runs, at least 1

    Raises LimitReached where the multisets are too many.
    """
    columns, which = np.unique(once.codes, axis=1, return_inverse=True)
    size = comb(len(once.outputs) + runs - 1, runs)
    rational = (value for value in once.values if not is_irrational(value))
    bits = runs * max((value.denominator.bit_length() for value in rational), default=1)
    if size * columns.shape[1] > MAX_TERMS or size * bits > MAX_BITS:
        raise LimitReached(f"{size} multisets of outputs, with {bits} binary digits, are too many")
    distinct = [[once.values[code] for code in column] for column in columns.T.tolist()]
    powers = [[[p**n for n in range(runs + 1)] for p in column] for column in distinct]
    coder, codes, labels = Coder(), [], list[Output]()
    for chosen in combinations_with_replacement(range(len(once.outputs)), runs):
        counts = Counter(chosen)
        ways = factorial(runs) // prod(map(factorial, counts.values()))
        codes.append(
            [
                coder.code(prod((column[o][n] for o, n in counts.items()), start=Fraction(ways)))
                for column in powers
            ]
        )
        shown = ", ".join(f"{once.outputs[o]}: {n}" for o, n in counts.items())
        text = f"{{{shown}}}"
        many = any(stands_for_many(once.released[o]) for o in counts) if once.released else False
        labels.append(Output(text, Several(0, text) if many else text))
    found = np.array(codes)[:, which.ravel()]
    return Mechanism.of(labels, coder.values, found, once.notes, [once])
