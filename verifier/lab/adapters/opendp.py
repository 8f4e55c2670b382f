"""Measurements of OpenDP whose distribution its documentation states: the claim is that of `map`.

OpenDP computes with exact numbers inside, and reads its float arguments as the rationals that they
are; its random bits are not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.base.errors import InputError
from verifier.lab.adapters.arguments import read_arguments
from verifier.lab.adapters.claimed import ALL, VALUE, Adapted, Claim, between, chosen
from verifier.lab.adapters.libraries import library

MAX_CANDIDATES = 5


@dataclass(frozen=True)
class _Measured:
    """What is documented of a measurement.

    inputs      whole numbers of every record, or names
    described   the mechanism, as a spec file has it
    covers      which of all inputs these are, in words
    distance    from d_in to what `map` takes
    neighbours  from d_in to neighbours, as a spec file has them
    records     the names of the records, where inputs are whole numbers
    """

    inputs: tuple[int, ...] | tuple[str, ...]
    described: Mapping[str, Any]
    covers: str
    neighbours: Callable[[int], Any] = lambda d_in: {"l1": d_in}
    distance: Callable[[int], Any] = lambda d_in: d_in
    records: tuple[str, ...] = (VALUE,)


def built(name: str, arguments: dict[str, str], values: Sequence[int] | None) -> Adapted:
    """The measurement of a constructor with arguments as texts, adapted; InputError S121."""
    given = read_arguments(arguments)
    if ("lower" in given) != ("upper" in given):
        said = f"opendp.measurements.{name}: --lower and --upper go together"
        raise InputError("S121", said, hint="write both, or none")
    dp = library("opendp.prelude")
    d_in, candidates = given.pop("d_in", None), given.pop("candidates", None)
    if "lower" in given or "upper" in given:
        given["bounds"] = (given.pop("lower", None), given.pop("upper", None))
    dp.enable_features("contrib")
    try:
        made = getattr(dp.m, name)(**_space(dp, name), **given)
    except Exception as error:  # of code that is not known here
        said = str(error).strip().splitlines()[-1]
        raise InputError("S121", f"opendp.measurements.{name}: {said}") from None
    return adapted(made, values, d_in, candidates)


def _space(dp: Any, name: str) -> dict[str, Any]:
    """The domain, the metric and the measure that a constructor asks for."""
    number, distance = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    if name == "make_laplace_threshold":
        counts = dp.map_domain(dp.atom_domain(T=str), number)
        return {"input_domain": counts, "input_metric": dp.l01inf_distance(distance)}
    if name == "make_noisy_max":
        scores = {"input_domain": dp.vector_domain(number), "input_metric": dp.linf_distance(T=int)}
        return {**scores, "output_measure": dp.max_divergence()}
    if name in ("make_laplace", "make_geometric"):
        return {"input_domain": number, "input_metric": distance}
    return {}


def adapted(
    measurement: Any, values: Sequence[int] | None, d_in: int | None, candidates: int | None
) -> Adapted:
    """The exact matrix of a measurement, and what its `map` claims.

    measurement  by one of the constructors in `KNOWN`
    values       the whole numbers that may be its input
    d_in         how far neighbours lie apart; 1 by default
    candidates   how many scores `make_noisy_max` gets; 3 by default

    InputError S121 for other measurements.
    """
    made = getattr(measurement, "__opendp_dict__", {})
    name, given = made.get("__function__", ""), made.get("__kwargs__", {})
    if name not in KNOWN:
        said = f"the probabilities of OpenDP's '{name or measurement}' are not known here"
        raise InputError("S121", said, hint=f"known are: {', '.join(KNOWN)}")
    if "MaxDivergence" not in (measure := str(measurement.output_measure)):
        raise InputError("S121", f"a claim in ε and δ is known here, not one in {measure}")
    if name == "make_noisy_max":
        given = {**given, "candidates": 3 if candidates is None else candidates}
    elif candidates is not None:
        raise InputError("S121", f"{name} has no candidates")
    near = 1 if d_in is None else d_in
    if near < 1:
        raise InputError("S121", f"d_in is 1 or more, found {near}", hint="leave it out")
    found = KNOWN[name](given, values, near)
    try:
        epsilon, delta = _level(measurement.map(found.distance(near)))
    except Exception as error:  # of a class that only the library has
        said = str(error).strip().splitlines()[-1]
        raise InputError("S121", f"its map claims nothing for d_in = {near}: {said}") from None
    shown = [f"{key}={value!r}" for key, value in given.items() if _is_plain(value)]
    title = f"opendp {_version()}: {name}({', '.join(shown)}), d_in={near}"
    claim = Claim.of_floats(epsilon, delta)
    neighbours = found.neighbours(near)
    covers = found.covers if values is None else chosen(values)
    return Adapted(title, found.inputs, found.described, neighbours, claim, covers, found.records)


def _level(claimed: Any) -> tuple[float, float]:
    return claimed if isinstance(claimed, tuple) else (claimed, 0.0)


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool | int | float | tuple | list)


def _inputs(values: Sequence[int] | None, low: int, high: int) -> tuple[int, ...]:
    return between(low, high) if values is None else tuple(values)


def _check_whole(given: Mapping[str, Any]) -> None:
    if "AtomDomain(T=i" not in str(given["input_domain"]):
        hint = "use dp.atom_domain(T=int)"
        raise InputError("S121", "noise on floats is not known here", hint=hint)


def _scale(given: Mapping[str, Any]) -> Fraction:
    if not given["scale"]:
        raise InputError("S121", "without noise, scale = 0, nothing is private")
    return Fraction(given["scale"])


def _noise(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    """A whole number plus noise z of probability in proportion to e^(−|z|/scale)."""
    _check_whole(given)
    bounds = given.get("bounds")
    noise = {"query": VALUE, "epsilon": 1 / _scale(given)}
    if bounds is None:
        covers = f"the whole numbers from 0 to {near}; others differ by a shift alone"
        return _Measured(_inputs(values, 0, near), {"geometric": noise}, covers)
    low, high = bounds
    query = f"max({low}, min({high}, {VALUE}))"
    inputs = _inputs(values, low, high)
    described = {"geometric": {**noise, "query": query, "low": low, "high": high}}
    return _Measured(inputs, described, f"all inputs, as they are clamped to {low} to {high}")


def _threshold(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    """The count of one key, with noise; released from the threshold on. 0: there is no such key."""
    _check_whole(given)
    inputs, threshold = _inputs(values, 0, near + 1), given["threshold"]
    if min(inputs) < 0:
        raise InputError("S121", "a count is 0 or more")
    top, epsilon = max(*inputs, threshold), 1 / _scale(given)
    program = (
        f"if {VALUE} == 0:\n    return 'no key'\n"
        f"noisy = draw(geometric({VALUE}, epsilon={epsilon}))\n"
        f"seen = max({threshold - 1}, min({top}, noisy))\n"
        f"return seen if seen >= {threshold} else 'no key'"
    )
    covers = f"one key with counts from 0, no key, to {near + 1}; others differ by a shift alone"
    return _Measured(inputs, {"program": program}, covers, distance=lambda d_in: (1, d_in, d_in))


def _noisy_max(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    """The place of the largest of some scores, each with exponential noise: permute and flip."""
    if "monotonic" in str(given["input_metric"]):
        raise InputError("S121", "known here are scores that go up and down")
    if values is not None:
        raise InputError("S121", "the inputs are scores of -d_in, 0 and d_in, not other numbers")
    count = given["candidates"]
    if not 2 <= count <= MAX_CANDIDATES:
        raise InputError("S121", f"2 to {MAX_CANDIDATES} candidates are known here, found {count}")
    scores, sign = [f"score{number}" for number in range(count)], "-" if given["negate"] else ""
    noise = f"draw(exponential({_scale(given)}))"
    program = f"return argmax([{', '.join(f'{sign}{score} + {noise}' for score in scores)}])"
    inputs = (-near, 0, near)
    covers = f"{count} scores, each {-near}, 0 or {near}; no others, nor more or fewer of them"
    return _Measured(
        inputs, {"program": program}, covers, lambda d_in: {"linf": d_in}, records=tuple(scores)
    )


def _bit(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    return _answers(["false", "true"], Fraction(given["prob"]), values)


def _category(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    return _answers([str(name) for name in given["categories"]], Fraction(given["prob"]), values)


def _answers(names: list[str], truth: Fraction, values: Sequence[int] | None) -> _Measured:
    """The truth with one probability, every other answer with equal ones."""
    if values is not None:
        raise InputError("S121", "the inputs are its categories, not whole numbers")
    other = (1 - truth) / (len(names) - 1)
    rows = {name: [str(truth if name == said else other) for said in names] for name in names}
    return _Measured(tuple(names), {"table": {"outputs": names, **rows}}, ALL, lambda _: "all")


KNOWN: dict[str, Callable[[Mapping[str, Any], Sequence[int] | None, int], _Measured]] = {
    "make_geometric": _noise,
    "make_laplace": _noise,
    "make_laplace_threshold": _threshold,
    "make_noisy_max": _noisy_max,
    "make_randomized_response": _category,
    "make_randomized_response_bool": _bit,
}


def _version() -> str:
    from importlib.metadata import version

    return version("opendp")
