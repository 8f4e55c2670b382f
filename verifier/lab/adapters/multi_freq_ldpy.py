"""Clients of multi-freq-ldpy, as they are written: a value, a bit for each, or several values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import metadata
from math import exp
from typing import Any

from verifier.lab.adapters import reports
from verifier.lab.adapters.arguments import read_arguments
from verifier.lab.adapters.claimed import Adapted, Claim
from verifier.lab.adapters.libraries import library


def built(name: str, arguments: dict[str, str], values: Sequence[int] | None) -> Adapted:
    """A client with arguments as texts, adapted; InputError S121."""
    given = read_arguments(arguments)
    count, epsilon = given["k"], given["epsilon"]
    oracles = "multi_freq_ldpy.pure_frequency_oracles"
    client: Any = getattr(library(f"{oracles}.{name.partition('_')[0]}"), name)
    # without its compiler, which has random numbers of its own, and no seed from outside
    plain = getattr(client, "py_func", client)
    e = Fraction(epsilon)

    def size(count: int) -> int:
        return max(1, round(count / (exp(epsilon) + 1)))

    law = {
        "GRR_Client": reports.response(e),
        "SS_Client": reports.subset(e, size),
        "UE_Client": reports.unary("1/2", f"1/(exp({e}) + 1)"),
    }[name]
    reports.seed()
    version = metadata.version("multi-freq-ldpy")
    title = f"multi-freq-ldpy {version}: {name}, {count} values, ε = {epsilon}"
    claim = Claim.of_floats(epsilon)
    return reports.adapted(title, count, law, claim, lambda value: plain(value, count, epsilon))
