"""Mechanisms of diffprivlib, by their own code: each of its random numbers is a multiple of 2⁻⁵³.

A mechanism is given a source of random numbers that tells it the number to use, and asked what it
makes of this number: no formula of the library is written down here a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from verifier.base.errors import InputError, NotDecided, VerifierError
from verifier.lab.adapters.arguments import read_arguments
from verifier.lab.adapters.claimed import (
    ALL,
    VALUE,
    Adapted,
    Claim,
    Release,
    between,
    chosen,
    table,
)
from verifier.lab.adapters.grid import GRID, law
from verifier.lab.adapters.libraries import library
from verifier.world.worlds import database, named

MAX_CANDIDATES = 6
STEPS = (-1, 0, 1)  # of a utility, in multiples of the sensitivity
SEED = 20_000
DEFAULTS = {"value0": "0", "value1": "1"}


class _Told:
    """A source of random numbers that gives one number, once."""

    def __init__(self, number: float) -> None:
        self._numbers = [number]

    def random(self) -> float:
        """The number."""
        if not self._numbers:
            raise NotDecided("the mechanism draws more than one random number")
        return self._numbers.pop()

    def __getattr__(self, name: str) -> Any:
        raise NotDecided(f"the mechanism draws its random numbers with '{name}'")


def built(name: str, arguments: dict[str, str], values: Sequence[int] | None) -> Adapted:
    """The mechanism of a class with arguments as texts, adapted; InputError S121."""
    given = read_arguments(DEFAULTS | arguments if name == "Binary" else arguments)
    kind = getattr(library("diffprivlib.mechanisms"), name)
    try:
        made = kind(**given)
    except Exception as error:  # of code that is not known here
        raise InputError("S121", f"diffprivlib.mechanisms.{name}: {error}") from None
    return adapted(made, values)


def adapted(
    mechanism: Any,
    values: Sequence[int] | None,
    d_in: int | None = None,
    candidates: int | None = None,
) -> Adapted:
    """The exact matrix of a mechanism, and the level that it is built with.

    mechanism  one of diffprivlib's
    values     the whole numbers that may be its input, where it takes whole numbers
    d_in       None: neighbours are those of the mechanism's sensitivity
    candidates None: they are those of the mechanism

    InputError S121 for classes that are not known here.
    """
    kind = type(mechanism).__name__
    claim = Claim.of_floats(mechanism.epsilon, mechanism.delta)
    title = f"diffprivlib {_version()}: {_called(mechanism)}"
    if d_in is not None or candidates is not None:
        said = "sensitivity and candidates are the mechanism's own: no d_in, and no other number"
        raise InputError("S121", said)
    if kind == "Exponential":
        return _of_utilities(mechanism, title, claim, values)
    if kind in NAMES:
        if values is not None:
            raise InputError("S121", f"the inputs of {kind} are its own, not whole numbers")
        names = NAMES[kind](mechanism)
        laws = {name: law(_outcome(mechanism, name)) for name in names}
        release = _release(mechanism, lambda value: value)
        return Adapted(title, names, table(named(names), laws), "all", claim, ALL, release=release)
    if kind not in ("Geometric", "GeometricTruncated", "GeometricFolded"):
        raise InputError("S121", f"the probabilities of diffprivlib's '{kind}' are not known here")
    inputs, covers = _values(mechanism)
    if values is not None:
        inputs, covers = tuple(values), chosen(values)
    laws_of_values = {value: _law_of_geometric(mechanism, value) for value in inputs}
    described = table(database([VALUE], inputs), laws_of_values)
    near = {"l1": int(mechanism.sensitivity)} if mechanism.sensitivity else "all"
    release = _release(mechanism, lambda values: values[0])
    return Adapted(title, inputs, described, near, claim, covers, release=release)


NAMES: dict[str, Callable[[Any], tuple[str, ...]]] = {  # of the inputs
    "Binary": lambda mechanism: (mechanism.value0, mechanism.value1),
    "ExponentialCategorical": lambda mechanism: tuple(mechanism._domain_values),
    "ExponentialHierarchical": lambda mechanism: tuple(mechanism._domain_values),
}


def _of_utilities(
    mechanism: Any, title: str, claim: Claim, values: Sequence[int] | None
) -> Adapted:
    """A choice among few candidates: each utility is as given, or less or more by the sensitivity.

    All may move at once, some up and some down.
    """
    count = len(mechanism.utility)
    if mechanism.monotonic or values is not None:
        raise InputError("S121", "known here are utilities that go up and down, and no others")
    if count > MAX_CANDIDATES:
        raise InputError("S121", f"{count} candidates: more than {MAX_CANDIDATES}")
    options = {"epsilon": mechanism.epsilon, "sensitivity": mechanism.sensitivity}

    def raised(more: Any) -> Any:
        utility = [
            u + mechanism.sensitivity * m for u, m in zip(mechanism.utility, more, strict=True)
        ]
        return type(mechanism)(utility=utility, measure=mechanism.measure, **options)

    laws = {more: law(_outcome(raised(more), None)) for more in product(STEPS, repeat=count)}
    records = tuple(f"more{number}" for number in range(count))
    described = table(database(records, STEPS), laws)
    covers = (
        "utilities as given, and each by the sensitivity less (-1) or more (1); no other utilities"
    )

    def release(more: Any) -> Callable[[], str]:
        return _drawn(raised(more), None)

    return Adapted(title, STEPS, described, {"linf": 1}, claim, covers, records, release)


def _values(mechanism: Any) -> tuple[tuple[int, ...], str]:
    """The whole numbers between the bounds, and so much beyond them as neighbours lie apart;
    without bounds, those from 0 to the sensitivity. And what they cover."""
    apart = mechanism.sensitivity
    if not hasattr(mechanism, "lower"):
        return between(0, apart), f"the whole numbers from 0 to {apart}; others differ by a shift"
    low, high = mechanism.lower, mechanism.upper
    found = between(low, high) and between(low - apart, high + apart)
    return found, f"the whole numbers from {found[0]} to {found[-1]}: the bounds, and beyond them"


def _law_of_geometric(mechanism: Any, value: int) -> dict[str, Fraction]:
    """The law of a whole number with noise, which falls twice while the random number grows.

    Folding comes afterwards, or outcomes would come back.
    """
    turns = [GRID // 2]
    if type(mechanism).__name__ != "GeometricFolded":
        return law(_outcome(mechanism, value), turns)
    kind = library("diffprivlib.mechanisms").Geometric
    plain = kind(epsilon=mechanism.epsilon, sensitivity=mechanism.sensitivity)
    folded: dict[str, Fraction] = {}
    for noisy, share in law(_outcome(plain, value), turns).items():
        whole = noisy.lstrip("-").isdecimal()
        here = str(round(mechanism._fold(int(noisy)))) if whole else noisy
        folded[here] = folded.get(here, Fraction(0)) + share
    return folded


def _outcome(mechanism: Any, value: int | str | None) -> Callable[[float], str]:
    """What the mechanism makes of a value and a random number; the name of an error that it ends
    in."""
    import numpy as np

    own = copy(mechanism)

    def outcome(number: float) -> str:
        own._rng = _Told(number)
        try:
            with np.errstate(all="ignore"):
                return str(own.randomise(value))
        except VerifierError:
            raise
        except (ArithmeticError, ValueError, RuntimeError) as error:
            return type(error).__name__

    return outcome


def _release(mechanism: Any, value: Callable[[Any], Any]) -> Release:
    """What the mechanism draws for an input of the worlds, which is this `value` to it."""
    return lambda given: _drawn(mechanism, value(given))


def _drawn(mechanism: Any, value: Any) -> Callable[[], str]:
    """Outcomes for a value, one after the other, of random numbers with a seed."""
    source = Random(SEED)
    return lambda: _outcome(mechanism, value)(source.random())


def _called(mechanism: Any) -> str:
    """How the mechanism is built, without its source of random numbers."""
    from inspect import getfullargspec

    names = [n for n in getfullargspec(type(mechanism)).kwonlyargs if n != "random_state"]
    shown = (f"{name}={getattr(mechanism, name)!r}" for name in names)
    return f"{type(mechanism).__name__}({', '.join(shown)})"


def _version() -> str:
    version: str = library("diffprivlib").__version__
    return version
