"""Measurements of OpenDP whose distribution its documentation states: the claim is that of `map`.

OpenDP computes with exact numbers inside, and reads its float arguments as the rationals that they
are; its random bits are not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from verifier.base.errors import InputError
from verifier.lab.adapters.arguments import read_arguments
from verifier.lab.adapters.claimed import ALL, VALUE, Adapted, Claim, between, chosen, table
from verifier.lab.adapters.libraries import library
from verifier.world.worlds import database

MAX_CANDIDATES = 5
FAR = 10**6  # below all scores
SELECTIONS = ("make_noisy_max", "make_noisy_top_k")


@dataclass(frozen=True)
class _Measured:
    """What is documented of a measurement.

    inputs      whole numbers of every record, or names
    described   the mechanism, as a spec file has it
    covers      which of all inputs these are, in words
    distance    from d_in to what `map` takes
    neighbours  from d_in to neighbours, as a spec file has them
    records     the names of the records, where inputs are whole numbers
    argument    from an input to what the measurement takes
    shown       from what it releases to the output's name
    """

    inputs: tuple[int, ...] | tuple[str, ...]
    described: Mapping[str, Any]
    covers: str
    neighbours: Callable[[int], Any] = lambda d_in: {"l1": d_in}
    distance: Callable[[int], Any] = lambda d_in: d_in
    records: tuple[str, ...] = (VALUE,)
    argument: Callable[[Any], Any] = lambda values: values[0]
    shown: Callable[[Any], str] = str


def built(name: str, arguments: dict[str, str], values: Sequence[int] | None) -> Adapted:
    """The measurement of a constructor with arguments as texts, adapted; InputError S121."""
    given = read_arguments(arguments)
    if ("lower" in given) != ("upper" in given):
        said = f"opendp.measurements.{name}: --lower and --upper go together"
        raise InputError("S121", said, hint="write both, or none")
    dp = library("opendp.prelude")
    d_in, candidates = given.pop("d_in", None), given.pop("candidates", None)
    measure = given.pop("measure", "max")
    if "lower" in given or "upper" in given:
        given["bounds"] = (given.pop("lower", None), given.pop("upper", None))
    dp.enable_features("contrib")
    try:
        made = getattr(dp.m, name)(**_space(dp, name, measure), **given)
    except Exception as error:  # of code that is not known here
        said = str(error).strip().splitlines()[-1]
        raise InputError("S121", f"opendp.measurements.{name}: {said}") from None
    return adapted(made, values, d_in, candidates)


def _space(dp: Any, name: str, measure: str) -> dict[str, Any]:
    """The domain, the metric and the measure that a constructor asks for."""
    number, distance = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    if name == "make_laplace_threshold":
        counts = dp.map_domain(dp.atom_domain(T=str), number)
        return {"input_domain": counts, "input_metric": dp.l01inf_distance(distance)}
    if name in SELECTIONS:
        scores = {"input_domain": dp.vector_domain(number), "input_metric": dp.linf_distance(T=int)}
        return {**scores, "output_measure": getattr(dp, f"{measure}_divergence")()}
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
    concentrated = "ZeroConcentrated" in (measure := str(measurement.output_measure))
    if not concentrated and "MaxDivergence" not in measure:
        raise InputError("S121", f"a claim in ε and δ or in ρ is known here, not one in {measure}")
    if name in SELECTIONS:
        few = 2 if concentrated else 3
        given = {**given, "candidates": few if candidates is None else candidates}
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
    claim = replace(Claim.of_floats(epsilon, delta), concentrated=concentrated)
    neighbours = found.neighbours(near)
    covers = found.covers if values is None else chosen(values)

    def release(value: Any) -> Callable[[], str]:
        argument = found.argument(value)
        return lambda: found.shown(measurement(argument))

    described = found.described
    return Adapted(
        title, found.inputs, described, neighbours, claim, covers, found.records, release
    )


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
        inputs = _inputs(values, 0, near)
        low, high = min(inputs), max(inputs)

        def shown(noisy: int) -> str:
            return f"≤{low}" if noisy <= low else f"≥{high}" if noisy >= high else str(noisy)

        return _Measured(inputs, {"geometric": noise}, covers, shown=shown)
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

    def shown(released: Mapping[Any, int]) -> str:
        return str(min(top, *released.values())) if released else "no key"

    return _Measured(
        inputs,
        {"program": program},
        covers,
        distance=lambda d_in: (1, d_in, d_in),
        argument=lambda values: {"key": values[0]} if values[0] else {},
        shown=shown,
    )


def _selected(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    """The places of the largest of some scores, one after the other."""
    if "monotonic" in str(given["input_metric"]):
        raise InputError("S121", "known here are scores that go up and down")
    if values is not None:
        raise InputError("S121", "the inputs are scores of -d_in, 0 and d_in, not other numbers")
    count, runs = given["candidates"], given.get("k", 1)
    if not max(2, runs) <= count <= MAX_CANDIDATES:
        said = f"{max(2, runs)} to {MAX_CANDIDATES} candidates are known here, found {count}"
        raise InputError("S121", said)
    names = tuple(f"score{number}" for number in range(count))
    sign, scale, inputs = -1 if given["negate"] else 1, _scale(given), (-near, 0, near)
    if "ZeroConcentrated" in str(given["output_measure"]):
        laws = {
            scores: _weighed([sign * score / scale for score in scores], runs)
            for scores in product(inputs, repeat=count)
        }
        described = table(database(names, inputs), laws)
    else:
        described = {"program": _flipped(names, runs, "-" if sign < 0 else "", scale)}
    covers = f"{count} scores, each {-near}, 0 or {near}; no others, nor more or fewer of them"
    return _Measured(
        inputs,
        described,
        covers,
        lambda d_in: {"linf": d_in},
        records=names,
        argument=list,
        shown=_listed if "k" in given else str,  # a list, or one place
    )


def _flipped(scores: Sequence[str], runs: int, sign: str, scale: Fraction) -> str:
    """Permute-and-flip: each score with exponential noise, and the largest; again for the others,
    among which one that is taken is below all."""
    noisy = [f"{sign}{score} + draw(exponential({scale}))" for score in scores]
    lines = [f"place0 = argmax([{', '.join(noisy)}])"]
    for run in range(1, runs):
        taken = [
            " or ".join(f"place{r} == {place}" for r in range(run)) for place in range(len(scores))
        ]
        left = [
            f"{-FAR} if {is_taken} else {one}" for is_taken, one in zip(taken, noisy, strict=True)
        ]
        lines.append(f"place{run} = argmax([{', '.join(left)}])")
    places = ", ".join(f"place{run}" for run in range(runs))
    return "\n".join([*lines, f"return {places}" if runs == 1 else f"return ({places})"])


def _weighed(exponents: Sequence[Fraction], runs: int) -> dict[str, str]:
    """The exponential mechanism: a place by weights e^exponent, then one of the others."""
    law = {}
    for places in permutations(range(len(exponents)), runs):
        factors = []
        for run, place in enumerate(places):
            left = (e for other, e in enumerate(exponents) if other not in places[:run])
            factors.append(f"exp({exponents[place]})/({' + '.join(f'exp({e})' for e in left)})")
        law[_listed(places)] = " * ".join(factors)
    return law


def _listed(places: Sequence[int]) -> str:
    """The name of an output: one place, or several in parentheses."""
    return str(places[0]) if len(places) == 1 else f"({', '.join(map(str, places))})"


def _bit(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    found = _answers(["false", "true"], Fraction(given["prob"]), values)
    return replace(
        found, argument=lambda name: name == "true", shown=lambda said: str(said).lower()
    )


def _category(given: Mapping[str, Any], values: Sequence[int] | None, near: int) -> _Measured:
    names = {str(name): name for name in given["categories"]}
    return replace(_answers([*names], Fraction(given["prob"]), values), argument=names.__getitem__)


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
    "make_noisy_max": _selected,
    "make_noisy_top_k": _selected,
    "make_randomized_response": _category,
    "make_randomized_response_bool": _bit,
}


def _version() -> str:
    from importlib.metadata import version

    return version("opendp")
