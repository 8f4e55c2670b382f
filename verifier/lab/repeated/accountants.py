"""What accountants of other libraries say of many runs, beside what is exact.

Each is given the privacy losses of one run, in floats, and asked what its users ask: the ε of all
runs at a δ, or the δ at an ε. Nothing of this is in a verdict.

- dp-accounting: privacy loss distributions, rounded up to a grid of its own.
- autodp: Rényi divergences of all orders; and characteristic functions, which it calls Fourier.
- diffprivlib: a budget that is spent K times, with δ as its slack; it knows the ε of a run alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from importlib import metadata
from io import StringIO
from math import inf, isnan, log
from typing import Any

import numpy as np

from verifier.base.errors import LibraryMissing, VerifierError
from verifier.base.level import Level
from verifier.kernels.products import Drawn
from verifier.kernels.ratios import binary_logarithm
from verifier.lab.adapters.libraries import library

INTERVAL = 1e-4  # of the losses of dp-accounting, as it is by default
MAX_PLACES = 5 * 10**7  # of such an interval, in the losses of all runs
MAX_CHOICES = 16  # that are compared, of which the largest counts
ROUNDING = 1e-12  # of sums of probabilities


class Silent(VerifierError):
    """Why an accountant says nothing."""


@dataclass(frozen=True)
class Asked:
    """What an accountant is asked.

    parts   the logarithms of P and Q of each output of one answer, and how often it is given
    runs    how many there are
    number  the δ, or the ε, that is given
    level   whether ε is asked for
    """

    parts: Sequence[tuple[np.ndarray, int]]
    runs: int
    number: float
    level: bool

    @property
    def largest(self) -> float:
        """The largest loss of one run."""
        return sum(times // self.runs * float((p - q).max()) for (p, q), times in self.parts)


@dataclass(frozen=True)
class Said:
    """What an accountant says of all runs.

    accountant  its library with the version, and its way where it has several
    number      the ε at the δ asked for, or the δ at the ε; None where it is infinite, or nothing
    reason      why it says nothing
    """

    accountant: str
    number: Fraction | None = None
    reason: str = ""


def said(several: Sequence[Drawn], runs: int, asked: Fraction | Level) -> Iterator[Said]:
    """What each accountant says, or why it says nothing.

    several  the privacy losses that are compared, each with the number of its draws in all runs
    runs     how many there are
    asked    a delta, at which levels are looked for; or a level, at which deltas are
    """
    is_level = isinstance(asked, Fraction)
    number = float(asked) if isinstance(asked, Fraction) else _logarithm(asked.alpha)
    questions = [
        Asked([(_atoms(once), times) for once, times in one], runs, number, is_level)
        for one in several
    ]
    for way, module, ask in WAYS:
        name = module.partition(".")[0].replace("_", "-")
        try:
            loaded = library(module, "this accountant")
        except LibraryMissing as reason:
            yield Said(f"{name}{way}", reason=str(reason))
        else:
            yield _answered(f"{name} {_version(name)}{way}", partial(ask, loaded), questions)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "of no version"


def _answered(about: str, ask: Callable[[Asked], Any], questions: Sequence[Asked]) -> Said:
    """The largest answer to all questions."""
    if len(questions) > MAX_CHOICES:
        return Said(about, reason=f"{len(questions)} pairs of distributions are compared, not one")
    try:
        with redirect_stdout(StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = max((float(ask(one)) for one in questions), default=0.0)
    except Silent as reason:
        return Said(about, reason=str(reason))
    except VerifierError:  # a limit
        raise
    except Exception as error:  # of a library, whatever it is
        return Said(about, reason=f"it ends in {type(error).__name__}: {error}")
    if isnan(found):
        return Said(about, reason="it says nan, which is no number")
    return Said(about, None if found == inf else Fraction(found))


def _logarithm(value: Fraction) -> float:
    return binary_logarithm(value) * log(2) if value else -inf


def _atoms(once: Any) -> np.ndarray:
    """The logarithms of P and Q of each output that P has."""
    return np.array([list(map(_logarithm, both)) for both in once.values()]).T


def _finite(one: Asked) -> None:
    if one.largest == inf:
        raise Silent("a run has an infinite loss, of which it knows nothing")


def _privacy_losses(module: Any, one: Asked) -> Any:
    """By dp-accounting, whose `lower` is Q and whose `upper` is P."""
    losses = [((p - q)[np.isfinite(q)], times) for (p, q), times in one.parts]
    spread = sum(times * float(np.ptp(own)) for own, times in losses if own.size)
    if spread > MAX_PLACES * INTERVAL:
        places = f"{spread / INTERVAL:.2g}"
        raise Silent(f"in its steps of {INTERVAL} the losses of all runs have {places} places")
    found = []
    for (p, q), times in one.parts:
        upper, lower = (dict(enumerate(side.tolist())) for side in (p, q))
        rest = 1 - float(np.exp(q).sum())
        if rest > ROUNDING:  # what P never has
            lower[-1] = log(rest)
        found.append(module.from_two_probability_mass_functions(lower, upper).self_compose(times))
    total = reduce(lambda left, right: left.compose(right), found)
    find = total.get_epsilon_for_delta if one.level else total.get_delta_for_epsilon
    return find(one.number)


def _renyi(module: Any, one: Asked) -> Any:
    """By autodp, from Rényi divergences."""
    _finite(one)
    return _composed(module, "Composition", "RDP", one, _divergences)


def _divergences(p: np.ndarray, q: np.ndarray) -> Callable[[float], float]:
    def of(order: float) -> float:
        if order == 1:
            return float(np.exp(p) @ (p - q))
        if order == inf:
            return float((p - q).max())
        terms = order * p + (1 - order) * q
        top = terms.max()
        return float((top + log(np.exp(terms - top).sum())) / (order - 1))

    return of


def _fourier(module: Any, one: Asked) -> Any:
    """By autodp, from characteristic functions of the losses on either side."""
    _finite(one)
    if any(1 - np.exp(q).sum() > ROUNDING for (_, q), _ in one.parts):
        raise Silent("an output is impossible on one side, of which it knows nothing")
    return _composed(module, "ComposeAFA", "log_phi", one, _characteristic)


def _characteristic(p: np.ndarray, q: np.ndarray) -> tuple[Callable[[Any], Any], ...]:
    def of(own: np.ndarray, other: np.ndarray) -> Callable[[Any], Any]:
        return lambda t: np.log(np.exp(own + 1j * np.multiply.outer(t, own - other)).sum(axis=-1))

    return of(p, q), of(q, p)


def _composed(
    module: Any, by: str, kind: str, one: Asked, told: Callable[[np.ndarray, np.ndarray], Any]
) -> Any:
    """What autodp makes of mechanisms of which it is told one thing."""
    core, known = library("autodp.autodp_core", "this accountant"), []
    for (p, q), _ in one.parts:
        own = core.Mechanism()
        own.name, own.params = "run", {}
        own.propagate_updates(told(p, q), kind)
        known.append(own)
    every = getattr(module, by)()(known, [times for _, times in one.parts])
    return every.get_approxDP(one.number) if one.level else every.get_approx_delta(one.number)


def _budget(module: Any, one: Asked) -> Any:
    """By diffprivlib."""
    _finite(one)
    if not one.level:
        raise Silent("it tells no δ")
    if one.largest <= 0:  # it takes no ε of 0
        return 0
    accountant = module.BudgetAccountant(slack=one.number)
    for _ in range(one.runs):
        accountant.spend(one.largest, 0)
    return accountant.total()[0]


WAYS: Sequence[tuple[str, str, Callable[[Any, Asked], Any]]] = (
    ("", "dp_accounting.pld.privacy_loss_distribution", _privacy_losses),
    (" by Rényi divergences", "autodp.transformer_zoo", _renyi),
    (" by Fourier", "autodp.transformer_zoo", _fourier),
    ("", "diffprivlib.accountant", _budget),
)
