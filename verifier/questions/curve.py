"""The smallest level, or a number that is asked for, as a function of one real parameter; and ends
of intervals as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from verifier.base import exact, parameters
from verifier.base.cell import Coefficients, Root, sign_at
from verifier.base.exponential_polynomial import INFINITE, ExponentialPolynomial
from verifier.base.nouns import Later, dataclass
from verifier.base.parameters import Choice
from verifier.base.rational_function import function_value, quotient, text

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval, Region
    from verifier.kernels.roots import End

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Stretch(Later):
    """The smallest level, or another quantity, on a part of the domain: the `root`-th root of a
    quotient of two integer polynomials, infinite where the bottom is 0.

    sense  "" where this is the smallest level; "at least" or "at most" where it is on one side
    """

    interval: Interval
    top: Coefficients
    bottom: Coefficients
    root: int = 1
    sense: str = ""

    @property
    def is_infinite(self) -> bool:
        """Whether no level serves."""
        return not self.bottom

    def told(self, name: str) -> str:
        """The function as text."""
        if self.is_infinite:
            return "infinite"
        found = f"{self.sense} {text(name, self.top, self.bottom)}".lstrip()
        return found if self.root == 1 else f"({found})^(1/{self.root})"

    def as_json(self) -> Json:
        """The stretch as it stands in a report."""
        ends = interval_json(self.interval)
        if self.is_infinite:
            return {**ends, "infinite": True}
        parts = {
            "numerator": polynomial_json(self.top),
            "denominator": polynomial_json(self.bottom),
        }
        more = {"root": self.root} if self.root > 1 else {"bound": self.sense} if self.sense else {}
        return {**ends, **parts, **more}

    @classmethod
    def of_json(cls, found: Json) -> Stretch:
        """What `as_json` has written."""
        where = read_interval(found)
        if "infinite" in found:
            return cls(where, (1,), ())
        top, bottom = (read_polynomial(found[key]) for key in ("numerator", "denominator"))
        return cls(where, top, bottom, found.get("root", 1), found.get("bound", ""))

    def near(self, x: Fraction) -> float:
        """About the value at a rational."""
        if self.is_infinite:
            return float("inf")
        found: float = float(self.at(x)) ** (1 / self.root)
        return found

    def at(self, x: Fraction) -> Fraction:
        """The quotient of the polynomials at a rational, of which the level is a root."""
        return function_value(quotient("", self.top, self.bottom), x)


@dataclass(frozen=True, eq=False)
class Curve(Later):
    """The smallest level, or another quantity, as a function of a parameter, and where the check
    holds.

    parameter  its name
    domain     its values
    stretches  ascending, each a point or an interval; together they are the domain, or less where
               something is undecided or there is no level
    region     where the check holds
    violated   a rational value at which it is violated; None where there is none
    undecided  where this is not known
    quantity   what the function is in words, such as an expected error; "" for the smallest level
    tradeoff   levels that were asked for too, each with the stretches of the smallest delta there
    """

    parameter: str
    domain: Interval
    stretches: Sequence[Stretch]
    region: Region
    violated: Fraction | None = None
    undecided: Sequence[Interval] = ()
    quantity: str = ""
    tradeoff: Sequence[tuple[Fraction, Sequence[Stretch]]] = ()

    @property
    def words(self) -> str:
        """What the function is, as text."""
        return self.quantity or "smallest e^ε"

    def at(self, x: End) -> Stretch:
        """The stretch to which a value belongs; ValueError for one outside."""
        found = next((one for one in self.stretches if one.interval.has(x)), None)
        if found is None:
            raise ValueError(f"{self.parameter} = {x} is outside the domain")
        return found

    def as_json(self) -> Json:
        """The parameter and its domain, where the check holds, and the smallest level, or another
        value, piece by piece; with a trade-off the smallest delta of each level."""
        unknown = list(map(interval_json, self.undecided))
        traded = [
            {"exp_epsilon": exact.text(alpha), "delta": [one.as_json() for one in stretches]}
            for alpha, stretches in self.tradeoff
        ]
        return {
            "parameter": self.parameter,
            "domain": interval_json(self.domain),
            "region": list(map(interval_json, self.region.intervals)),
            "value" if self.quantity else "leakage": [one.as_json() for one in self.stretches],
            **({"undecided": unknown} if unknown else {}),
            **({"tradeoff": traded} if traded else {}),
        }

    @classmethod
    def of_json(cls, found: Json) -> Curve:
        """What `as_json` has written; KeyError, TypeError, ValueError or InputError where something
        else."""
        from verifier.kernels.regions import Region

        key, name = "value" if "value" in found else "leakage", found["parameter"]
        with parameters.given(Choice(real=(name,))):  # levels may be functions of it
            traded = [(exact.number(one["exp_epsilon"]), one) for one in found.get("tradeoff", [])]
        return cls(
            name,
            read_interval(found["domain"]),
            list(map(Stretch.of_json, found[key])),
            Region(tuple(map(read_interval, found["region"]))),
            undecided=list(map(read_interval, found.get("undecided", []))),
            quantity="value" if key == "value" else "",
            tradeoff=[(at, list(map(Stretch.of_json, one["delta"]))) for at, one in traded],
        )

    def parts(self) -> list[Interval]:
        """What the domain is made of, ascending: the stretches, or where there is no level the
        region and what is outside, and what is undecided."""
        from verifier.kernels.regions import Region, refined
        from verifier.kernels.roots import compare

        unknown = Region(tuple(self.undecided))
        known = [one.interval for one in self.stretches]
        if not known:
            whole = Region((self.domain,))
            outside = refined([whole, self.region, unknown], lambda x: [*x] == [True, False, False])
            known = [*self.region.intervals, *outside.intervals]
        order = cmp_to_key(compare)
        listed = [*known, *unknown.intervals]
        return sorted(listed, key=lambda one: (order(one.low), not one.low_closed))


def end_json(end: End, closed: bool) -> Json:
    """An end as it stands in a certificate and in a report.

    >>> end_json(Fraction(1, 2), False)
    {'rational': '1/2', 'closed': False}
    """
    if end == INFINITE:
        return {"rational": "infinite", "closed": closed}
    if not isinstance(end, Root):
        return {"rational": exact.text(end), "closed": closed}
    between = [exact.text(end.low), exact.text(end.high)]
    return {"polynomial": polynomial_json(end.polynomial), "between": between, "closed": closed}


def polynomial_json(polynomial: Coefficients) -> list[Any]:
    """A polynomial as it stands there: its coefficients from the constant term up; of an
    exponential one each c·x^i·e^(qx) as [c, i, q], or c·x^i·e^(qx + r) as [c, i, q, r].

    >>> polynomial_json((-2, 0, 1))
    ['-2', '0', '1']
    """
    if isinstance(polynomial, ExponentialPolynomial):
        short = 2 + any(r for (_, _, r), _ in polynomial)
        return [[str(c), str(i), *map(exact.text, m[: short - 1])] for (i, *m), c in polynomial]
    return list(map(str, polynomial))


def read_polynomial(found: Any) -> Coefficients:
    """The polynomial that `polynomial_json` has written."""
    if found and isinstance(found[0], list):
        terms = {(int(i), Fraction(q), Fraction(*r)): int(c) for c, i, q, *r in found}
        return ExponentialPolynomial.of(terms)
    return tuple(map(int, found))


def interval_json(interval: Interval) -> Json:
    """An interval as it stands there, by its ends."""
    return {
        "from": end_json(interval.low, interval.low_closed),
        "to": end_json(interval.high, interval.high_closed),
    }


def one_parameter(parameter: str, values: Interval, cells: Sequence[Json]) -> Json:
    """A domain of one `parameter` as it stands there, with its `values` and what is asked on its
    `cells`."""
    sides = [interval_json(values)]
    return {"parameters": [parameter], "sides": sides, "where": [], "cells": cells}


def read_end(found: Any) -> tuple[End, bool]:
    """The end that `end_json` has written, and whether it belongs to the interval."""
    if "rational" in found:
        end = found["rational"]
        return (INFINITE if end == "infinite" else Fraction(end)), found["closed"]
    low, high = map(Fraction, found["between"])
    polynomial = read_polynomial(found["polynomial"])
    if not sign_at(polynomial, low) * sign_at(polynomial, high) < 0:
        raise ValueError("no root between two numbers")
    return Root(polynomial, low, high), found["closed"]


def read_interval(found: Any) -> Interval:
    """The interval that `interval_json` has written."""
    from verifier.kernels.regions import Interval

    (low, low_closed), (high, high_closed) = read_end(found["from"]), read_end(found["to"])
    return Interval(low, high, low_closed, high_closed)
