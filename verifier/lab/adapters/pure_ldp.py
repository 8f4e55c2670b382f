"""Clients of pure-ldp, as they are documented: a value, or a bit for each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import metadata
from typing import Any

from verifier.base.errors import InputError
from verifier.lab.adapters import reports
from verifier.lab.adapters.arguments import read_arguments
from verifier.lab.adapters.claimed import Adapted, Claim
from verifier.lab.adapters.libraries import library


def built(name: str, arguments: dict[str, str], values: Sequence[int] | None) -> Adapted:
    """The client of a class with arguments as texts, adapted; InputError S121."""
    given = read_arguments(arguments)
    if name == "RAPPORClient":  # a bit for each value, and no two values share one
        bits = given.pop("d")
        given |= {"m": bits, "hash_funcs": [[int]], "num_of_cohorts": 1}
    made = getattr(library("pure_ldp.frequency_oracles"), name)(**given)
    return adapted(made, values)


def adapted(
    client: Any,
    values: Sequence[int] | None,
    d_in: int | None = None,
    candidates: int | None = None,
) -> Adapted:
    """The documented matrix of a client, and the level that it is built with.

    client  a DEClient, a UEClient without `use_oue`, or a RAPPORClient of one cohort whose hash
            functions send each value to a bit of its own

    InputError S121 for other classes.
    """
    kind = type(client).__name__
    if kind not in ("DEClient", "RAPPORClient", "UEClient"):
        raise InputError("S121", f"the probabilities of pure-ldp's '{kind}' are not known here")
    if (values, d_in, candidates) != (None, None, None):
        raise InputError("S121", f"the inputs of {kind} are its own values")
    count = client.m if kind == "RAPPORClient" else client.d
    if kind == "RAPPORClient":
        half = Fraction(client.f) / 2
        claimed = client.convert_f_to_eps(client.f, len(client.hash_family[0]))
        law = reports.unary(f"1 - {half}", str(half))
    else:
        claimed = client.epsilon
        e = Fraction(claimed)
        both = (f"exp({e / 2})/(exp({e / 2}) + 1)", f"1/(exp({e / 2}) + 1)")
        law = reports.response(e) if kind == "DEClient" else reports.unary(*both)
    reports.seed()

    def draw(value: int) -> Any:
        released = client.privatise(value + 1)
        return released[0] if kind == "RAPPORClient" else released

    title = f"pure-ldp {metadata.version('pure-ldp')}: {kind}, {count} values, ε = {claimed}"
    return reports.adapted(title, count, law, Claim.of_floats(claimed), draw)
