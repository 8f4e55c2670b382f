"""A whole number plus noise that is the less likely the larger it is, on both sides.

Syntax. `geometric: {query: EXPRESSION, exp_epsilon: NUMBER, low: NUMBER, high: NUMBER}`,
or with `ratio: NUMBER` or `epsilon: NUMBER` in place of `exp_epsilon`

Options. The query, and one of `exp_epsilon`, `epsilon` and `ratio`:
- `query`: an expression with whole values
- `exp_epsilon`: above 1; the noise has the ratio 1/exp_epsilon, whatever the query's sensitivity
- `epsilon`: a rational above 0; the noise has the ratio e^(−epsilon): discrete Laplace noise
- `ratio`: ρ, above 0 and below 1: P(noise = z) = (1 − ρ)/(1 + ρ)·ρ^|z|, so that
  P(noise >= d) = P(noise <= −d) = ρ^d/(1 + ρ) for d >= 0
- `low`: the smallest output; what lies below is added to it
- `high`: the largest output; what lies above is added to it

On all integers, the outputs at and below the smallest query value have proportional rows, and
likewise above: they are added up, exactly, into one output each.

Example. A count of one record with ratio 1/2 leaks 2, and so it does between 0 and 1.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      free: {geometric: {query: count(value == 1), exp_epsilon: 2}}
      clamped: {geometric: {query: count(value == 1), ratio: 1/2, low: 0, high: 1}}
    checks:
      - differential_privacy: {exp_epsilon: 2}
        mechanism: free
        leakage: 2
      - differential_privacy: {exp_epsilon: 2}
        mechanism: clamped
        leakage: 2

References. Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy
mechanisms.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Mapping, Node
from verifier.base.errors import LimitReached
from verifier.base.exact import is_irrational
from verifier.mechanisms import Context
from verifier.world.mechanism import Coder, Column, Mechanism, Output, Several, told_as_one
from verifier.world.space import labelled, show
from verifier.world.worlds import evaluate

MAX_OUTPUTS = 100_000
MAX_BITS = 10**9  # of all probabilities together


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that adds two-sided geometric noise to a query.

    node     {query: expression, exp_epsilon: 2 or ratio: 1/2, low: 0, high: 2}
    context  the worlds, and what the file names

    Raises S110 for a query, a ratio or bounds that do not fit; LimitReached.
    """
    options = node.mapping(
        ("query", "exp_epsilon", "epsilon", "ratio", "low", "high"), needs="query"
    )
    query, centers = _query(options["query"], context)
    low, high = _bounds(options)
    bottom = low if low is not None else min(centers[0], centers[-1] if high is None else high - 1)
    top = high if high is not None else max(centers[-1], bottom + (low is not None))
    farthest = max(top, centers[-1]) - min(bottom, centers[0])
    if farthest >= MAX_OUTPUTS:
        hint = "write low: and high: closer to the values of the query"
        raise options["query"].fail("S110", f"more than {MAX_OUTPUTS} outputs", hint)
    coder, ratio = Coder(), _ratio(node)
    bits = 1 if is_irrational(ratio) else ratio.denominator.bit_length()
    if farthest * (top - bottom) * bits > MAX_BITS:
        raise LimitReached(f"{top - bottom + 1} outputs with such a ratio are too large")
    codes = _codes(centers, bottom, top, ratio, coder)
    place = {center: at for at, center in enumerate(centers)}
    table = np.array([place.get(value, 0) for value in query.values])  # type: ignore[call-overload]
    outputs, merged = _outputs(bottom, top, low is None, high is None)
    codes = codes[table[query.codes]].T
    return Mechanism.of(outputs, coder.values, codes, told_as_one(merged))


def _query(node: Node, context: Context) -> tuple[Column, list[int]]:
    """The query in every world, and the whole numbers that it has, ascending; S110."""
    query = evaluate(context.space, node.scalar("an expression"), context.secrets)
    used = sorted({query.values[code] for code in np.unique(query.codes)}, key=str)
    for value in used:
        if type(value) is not int:
            said = f"the query must be whole numbers, found {show(value)}"
            raise node.fail("S110", said, _whole(value))
    return query, sorted(used)


def _bounds(options: Mapping) -> tuple[int | None, int | None]:
    """The bounds of the outputs, each None where it is not given; S110."""
    low, high = _bound(options.get("low")), _bound(options.get("high"))
    if low is not None and high is not None and low > high:
        hint = f"write low: {high}, high: {low}"
        raise options["low"].fail("S110", f"low = {low} is above high = {high}", hint)
    return low, high


def _outputs(
    bottom: int, top: int, open_low: bool, open_high: bool
) -> tuple[list[Output], list[str]]:
    """The outputs, and which of infinitely many proportional ones were merged."""
    values: list[Any] = list(range(bottom, top + 1))
    merged = []
    if top == bottom and open_low and open_high:
        values = [Several(top, "any")]
        merged.append("all outputs")
    if top > bottom and open_low:
        values[0] = Several(bottom, f"≤{bottom}")
        merged.append(f"outputs ≤ {bottom}")
    if top > bottom and open_high:
        values[-1] = Several(top, f"≥{top}")
        merged.append(f"outputs ≥ {top}")
    return labelled(values), merged


def _whole(value: Any) -> str:
    """The hint how a query becomes a whole number."""
    if isinstance(value, Fraction) and not is_irrational(value):
        return f"multiply the query by {value.denominator}"
    return "write count(value == 'flu') or another number, not a truth or a word"


def _ratio(node: Node) -> Fraction:
    options = node.mapping()
    keys = ("exp_epsilon", "epsilon", "ratio")
    given = [key for key in keys if options.get(key) is not None]
    if len(given) != 1:
        hint = "leave all but one out" if given else "add exp_epsilon: 2, or ratio: 1/2"
        said = "exactly one of 'exp_epsilon', 'epsilon' and 'ratio' is needed"
        raise node.fail("S016", said, hint)
    value = options[given[0]].number()
    if given[0] == "epsilon":
        return _of_epsilon(options["epsilon"], value)
    if given[0] == "exp_epsilon":
        if value <= 1:
            hint = f"write ratio: {value}" if 0 < value < 1 else "write exp_epsilon: 2"
            said = f"exp_epsilon must be above 1, found {value}"
            raise options[given[0]].fail("S110", said, hint)
        return 1 / value
    if not 0 < value < 1:
        hint = f"write exp_epsilon: {value}" if value > 1 else "write ratio: 1/2"
        said = f"ratio must lie between 0 and 1, found {value}"
        raise options[given[0]].fail("S110", said, hint)
    return value


def _of_epsilon(node: Node, epsilon: Fraction) -> Fraction:
    """The ratio e^(−epsilon); S110, S116."""
    from verifier.base.formula import exponential

    if epsilon <= 0:
        raise node.fail("S110", f"epsilon must be above 0, found {epsilon}", "write epsilon: 1/10")
    return node.placed(lambda: exponential(-epsilon))


def _bound(node: Node | None) -> int | None:
    return None if node is None else node.integer(-(10**9), 10**9, "a whole number")


def _codes(centers: list[int], bottom: int, top: int, ratio: Fraction, coder: Coder) -> np.ndarray:
    """The codes of P(z | center), shape (centers, outputs), for z = bottom … top; everything beyond
    is added to the ends. Each distance has one probability, which is computed once."""
    if bottom == top:
        return np.full((len(centers), 1), coder.code(1))
    places = np.array([center - bottom for center in centers])
    distances = abs(np.arange(top - bottom + 1) - places[:, None])
    middle, found = (1 - ratio) / (1 + ratio), np.zeros(distances.shape, dtype=np.int64)
    inner = np.zeros(int(distances.max()) + 1, dtype=np.int64)
    for distance in np.flatnonzero(np.bincount(distances[:, 1:-1].flat)).tolist():
        inner[distance] = coder.code(middle * ratio**distance)
    found[:, 1:-1] = inner[distances[:, 1:-1]]
    for row, center in enumerate(centers):
        found[row, 0] = coder.code(_beyond(center - bottom, ratio))
        found[row, -1] = coder.code(_beyond(top - center, ratio))
    return found


def _beyond(distance: int, ratio: Fraction) -> Fraction:
    """P(noise >= distance)."""
    if distance >= 0:
        return ratio**distance / (1 + ratio)
    return 1 - ratio ** (1 - distance) / (1 + ratio)
