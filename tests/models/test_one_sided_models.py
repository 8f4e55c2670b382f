"""OsdpRR by all outputs of all pairs of databases that its policy compares."""

from fractions import Fraction
from itertools import product

from tests.definitions import plain
from tests.definitions.test_one_sided_privacy import compared
from tests.models.brute_force import INFINITE, Level
from tests.models.model_files import confirm, confirm_engine

VALUES = ("minor", "adult", "senior")
DATABASES = list(product(VALUES, repeat=2))


def released(value: str, runs: int, kept: Fraction) -> dict[tuple[str, ...], Fraction]:
    """What is told of one record in so many runs."""
    one = {"nothing": 1 - kept, value: kept} if value != "minor" else {"nothing": Fraction(1)}
    found = {(): Fraction(1)}
    for _ in range(runs):
        found = {(*told, new): p * q for told, p in found.items() for new, q in one.items()}
    return {told: p for told, p in found.items() if p}


def smallest(
    sensitive: set[str], kept: Fraction, runs: int = 1, delta: Fraction = plain.ZERO
) -> Level:
    """The smallest e^ε: the largest ratio of an output, or with δ by every event."""
    each = {value: released(value, runs, kept) for value in VALUES}
    of_database = [
        {(a, b): p * q for a, p in each[x].items() for b, q in each[y].items()}
        for x, y in DATABASES
    ]
    best: Level = Fraction(1)
    for w, v in compared(DATABASES, lambda i, x: x in sensitive):
        left, right = of_database[w], of_database[v]
        if delta:
            outputs = sorted({*left, *right})
            columns = [[told.get(o, plain.ZERO) for o in outputs] for told in (left, right)]
            found: Level = plain.smallest_alpha(columns, [(0, 1)], delta) or INFINITE
        else:
            found = max(p / right[o] if o in right else INFINITE for o, p in left.items())
        best = max(best, found)
    return best


def test_osdp_rr() -> None:
    kept, clear = Fraction(3, 4), Fraction(1)
    minors = {"minor"}
    derived = [
        smallest(minors, kept),
        smallest(minors, kept),
        smallest(minors, kept, delta=Fraction(1, 4)),
        smallest(minors, kept, runs=2),
        smallest({"minor", "adult"}, kept),
        smallest(minors, clear),
        smallest({*VALUES}, kept),
    ]
    assert derived == [4, 4, 3, 16, INFINITE, INFINITE, INFINITE]
    # pairs of a premise are those of the conclusion and more, or a pair is not among them
    derived += [Fraction(4), Fraction(4), INFINITE]
    confirm("one-sided/osdp-rr.yaml", *derived)
    confirm_engine("one-sided", "osdp-rr.yaml", *derived)
