"""Mechanisms of other libraries: their exact matrices, and the levels that the libraries claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.base import registry
from verifier.base.errors import InputError
from verifier.lab.adapters.libraries import LIBRARIES as LIBRARIES
from verifier.lab.adapters.libraries import library as library

if TYPE_CHECKING:
    from verifier.lab.adapters.claimed import Adapted as Adapted
    from verifier.lab.adapters.claimed import Claim as Claim

__all__ = ["TARGETS", "Adapted", "Claim", "adapted", "built"]

# What `verifier audit` can build: the arguments that it needs, and those that it takes besides.
TARGETS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "diffprivlib.mechanisms.Binary": (("epsilon",), ("value0", "value1")),
    "diffprivlib.mechanisms.Exponential": (("epsilon", "sensitivity", "utility"), ()),
    "diffprivlib.mechanisms.ExponentialCategorical": (("epsilon", "utility_list"), ()),
    "diffprivlib.mechanisms.ExponentialHierarchical": (("epsilon", "hierarchy"), ()),
    "diffprivlib.mechanisms.Geometric": (("epsilon",), ("sensitivity",)),
    "diffprivlib.mechanisms.GeometricFolded": (("epsilon", "lower", "upper"), ("sensitivity",)),
    "diffprivlib.mechanisms.GeometricTruncated": (("epsilon", "lower", "upper"), ("sensitivity",)),
    "multi_freq_ldpy.GRR_Client": (("epsilon", "k"), ()),
    "multi_freq_ldpy.SS_Client": (("epsilon", "k"), ()),
    "multi_freq_ldpy.UE_Client": (("epsilon", "k"), ()),
    "opendp.measurements.make_geometric": (("scale",), ("lower", "upper", "d_in")),
    "opendp.measurements.make_laplace": (("scale",), ("d_in",)),
    "opendp.measurements.make_laplace_threshold": (("scale", "threshold"), ("d_in",)),
    "opendp.measurements.make_noisy_max": (("scale",), ("candidates", "d_in", "measure")),
    "opendp.measurements.make_noisy_top_k": (("scale", "k"), ("candidates", "d_in", "measure")),
    "opendp.measurements.make_randomized_response": (("prob", "categories"), ()),
    "opendp.measurements.make_randomized_response_bool": (("prob",), ()),
    "pure_ldp.DEClient": (("epsilon", "d"), ()),
    "pure_ldp.RAPPORClient": (("f", "d"), ()),
    "pure_ldp.UEClient": (("epsilon", "d"), ()),
}
# Why others have no exact matrix, and what is nearest to them.
_FLOATS = "releases floats: no finite matrix of it is exact", "diffprivlib.mechanisms.Geometric"
_DRAWS = "draws too many random numbers to try them all", "diffprivlib.mechanisms.Exponential"
_CONCENTRATED = "has endless noise without a closed form", "opendp.measurements.make_laplace"
INEXACT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            *("Bingham", "Gaussian", "GaussianAnalytic", "Laplace", "LaplaceBoundedDomain"),
            *("LaplaceBoundedNoise", "LaplaceFolded", "LaplaceTruncated", "Snapping"),
            *("Staircase", "Uniform", "Vector"),
        ),
        _FLOATS,
    ),
    **dict.fromkeys(("GaussianDiscrete", "PermuteAndFlip"), _DRAWS),
    **dict.fromkeys(("make_gaussian", "make_gaussian_threshold"), _CONCENTRATED),
}


def adapted(
    mechanism: object,
    *,
    values: Sequence[int] | None = None,
    d_in: int | None = None,
    candidates: int | None = None,
) -> Adapted:
    """The exact matrix of a library's mechanism, and the level that the library claims for it.

    mechanism  of diffprivlib, OpenDP or pure-ldp, as their constructors make it
    values     the whole numbers that may be its input, where it takes whole numbers
    d_in       how far neighbours lie apart, for OpenDP; 1 by default
    candidates how many scores there are, for OpenDP's `make_noisy_max` and `make_noisy_top_k`

    InputError S121 for one that is not known exactly, NotDecided where its random numbers are used
    in another way, LimitReached where it has too many outputs.
    """
    name = type(mechanism).__module__.partition(".")[0]
    if name not in LIBRARIES:
        said = f"'{type(mechanism).__qualname__}' is no mechanism of {', '.join(LIBRARIES)}"
        raise InputError("S121", said)
    module = registry.ADAPTERS.module(name)
    found: Adapted = module.adapted(mechanism, values, d_in, candidates)
    return found


def audited(
    target: str,
    arguments: dict[str, str],
    values: Sequence[int] | None,
    slack: tuple[str, str],
) -> Adapted:
    """What `built` gives, with a claim that is by so much weaker.

    slack  what is added to ε and to δ
    """
    from verifier.base import exact

    found = built(target, arguments, values)
    more = tuple(map(exact.number, slack))
    return found.claiming(found.claim.with_slack(*more))


def built(target: str, arguments: dict[str, str], values: Sequence[int] | None = None) -> Adapted:
    """The same of a mechanism that is built first, of one of the TARGETS and texts as arguments."""
    module = registry.ADAPTERS.module(target.partition(".")[0])
    found: Adapted = module.built(target.rpartition(".")[2], arguments, values)
    return found


def __getattr__(name: str) -> object:
    if name in ("Adapted", "Claim"):
        return getattr(registry.ADAPTERS.module("claimed"), name)
    raise AttributeError(f"module 'verifier.lab.adapters' has no attribute '{name}'")
