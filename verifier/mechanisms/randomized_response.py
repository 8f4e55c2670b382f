"""Every entry is answered truthfully with a fixed probability, independently of the others.

Syntax. `randomized_response: {truth: NUMBER, per: UNIT}`,
or with `epsilon: NUMBER` in place of `truth`

Options. One of the first two is needed:
- `truth`: the probability of the true value; the k − 1 other values share the rest evenly
- `epsilon`: a rational from 0; the true one of k values has the probability e^ε/(e^ε + k − 1)
- `per`: `entry` (the default: each attribute of each record by itself) or `record` (a whole record)

Records must be present, and have at least two values. Outputs are all databases, written as worlds
are, also those that `where` excludes.

Example. One bit with truth 3/4 leaks 3/4 against 1/4; a record of two bits answered as a whole with
truth 1/2 leaks 1/2 against 1/6.

    worlds: {records: [ann], domain: {smokes: [no, yes], coughs: [no, yes]}}
    mechanisms:
      bits: {randomized_response: {truth: 3/4}}
      whole: {randomized_response: {truth: 1/2, per: record}}
    checks:
      - differential_privacy: {exp_epsilon: 3, neighbours: entry}
        mechanism: bits
        leakage: 3
      - differential_privacy: {exp_epsilon: 3}
        mechanism: whole
        leakage: 3

References. Warner 1965, Randomized response; for k values: Kairouz, Oh, Viswanath 2014, Extremal
mechanisms for local differential privacy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Node
from verifier.base.errors import LimitReached
from verifier.mechanisms import Context
from verifier.world.mechanism import Mechanism, Output
from verifier.world.space import World, WorldSpace, show

MAX_ENTRIES = 2**28

RECORDS = "write worlds: {records: [ann, bob], domain: [0, 1]}, or a table for named worlds"


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that answers every entry by itself.

    node     {truth: 3/4, per: record}
    context  the worlds, and what the file names

    Raises S104 for `truth`; S109 where records may be absent or have a single value, or worlds are
    no records; LimitReached.
    """
    options = node.mapping(("truth", "epsilon", "per")).table
    truth, per = _truth(node), options.get("per")
    space = context.space
    if not space.records or space.absent_code is not None:
        hint = "leave `absent: true` out" if space.records else RECORDS
        raise node.fail("S109", "randomized response needs records that are all present", hint)
    whole = per is not None and per.word(("record", "entry"), "unit") == "record"
    parts = [space.record_values] if whole else space.entry_values
    sizes = [len(values) for values in parts] * len(space.records)
    if min(sizes) < 2:
        hint = "write a domain of at least two values, such as [0, 1]"
        said = "randomized response needs at least two values to choose from"
        raise node.fail("S109", said, hint)
    if prod(sizes) * space.size > MAX_ENTRIES:
        raise LimitReached(f"{prod(sizes)} outputs in {space.size} worlds are too many")
    values, table = _likelihoods(
        truth, sizes, space.record_codes if whole else space.entry_codes, space.size
    )
    text = space.record_text if whole else show
    names = [[text(value) for value in values] for values in parts] * len(space.records)
    labels = names[0] if space.bare and len(names) == 1 else _labels(names)
    return Mechanism.of(map(Output, labels, _databases(space, whole)), values, table)


def _truth(given: Node) -> Callable[[int], Fraction]:
    """The probability of a true answer, by the number of answers; S016, S104, S110, S116."""
    options = given.mapping()
    if (options.get("truth") is None) == (options.get("epsilon") is None):
        hint = "add truth: 3/4, or epsilon: 1, and not both"
        raise given.fail("S016", "exactly one of 'truth' and 'epsilon' is needed", hint)
    if options.get("epsilon") is not None:
        odds = _odds(options["epsilon"])
        return lambda kind: odds / (odds + kind - 1)
    node = options["truth"]
    truth = node.number("a probability")
    if not 0 <= truth <= 1:
        said = f"the probability {truth} is not in [0, 1]"
        raise node.fail("S104", said, exact.share(truth))
    return lambda kind: truth


def _odds(node: Node) -> Fraction:
    """The number e^epsilon; S110, S116."""
    from verifier.base.formula import exponential

    epsilon = node.number()
    if epsilon < 0:
        raise node.fail("S110", f"epsilon must be at least 0, found {epsilon}", "write epsilon: 1")
    return node.placed(lambda: exponential(epsilon))


def _likelihoods(
    truth: Callable[[int], Fraction], sizes: Sequence[int], codes: np.ndarray, worlds: int
) -> tuple[list[Fraction], np.ndarray]:
    """The values of the matrix, and which of them each entry has: shape (outputs, worlds).

    truth   how many answers there are -> the probability of the true one
    sizes   how many values each entry has
    codes   shape (entries, worlds), the value of each entry
    worlds  how many there are
    """
    answers = np.indices(sizes, dtype=np.uint8 if max(sizes) < 256 else np.int64)
    answers = answers.reshape(len(sizes), -1)
    # one digit per domain size: how many entries of this size are answered falsely
    counts = Counter(sizes)
    values, radix = [Fraction(1)], 1
    largest = prod(count + 1 for count in counts.values()) - 1
    table = np.zeros((answers.shape[1], worlds), dtype=np.min_scalar_type(largest))
    for kind, count in counts.items():
        told, lie = truth(kind), (1 - truth(kind)) / (kind - 1)
        values = [
            told ** (count - false) * lie**false * v for false in range(count + 1) for v in values
        ]
        for at in (at for at, size in enumerate(sizes) if size == kind):
            table += (answers[at][:, None] != codes[at][None, :]) * table.dtype.type(radix)
        radix *= count + 1
    return values, table


def _databases(space: WorldSpace, whole: bool) -> Iterator[World | None]:
    """The database that each answer is."""
    if whole or len(space.attributes) < 2:
        values: Sequence[Any] = space.element_values
    else:
        values = list(product(*space.entry_values))
    return map(space.database, product(values, repeat=len(space.records)))


def _labels(names: list[list[str]]) -> list[str]:
    """Answers written like worlds: `011`, or `(v1, v2)` where values have several characters."""
    short = all(len(name) == 1 for entry in names for name in entry)
    return ["".join(a) if short else f"({', '.join(a)})" for a in product(*names)]
