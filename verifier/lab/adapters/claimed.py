"""A mechanism of a library with its claim, as a question and as a spec file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from verifier.base import exact
from verifier.base.decimals import DIGITS, bounds
from verifier.base.errors import InputError
from verifier.base.level import Level
from verifier.definitions import differential_privacy, zcdp
from verifier.kernels.hockey_stick import largest_alpha, largest_delta
from verifier.mechanisms import mechanism_of
from verifier.questions.question import Question
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, named

VALUE = "x"  # a record that is a whole number
MAX_INPUTS = 100
ALL = "all inputs"
Input = tuple[int, ...] | str
Release = Callable[[Input], Callable[[], str]]


@dataclass(frozen=True)
class Claim:
    """Differential privacy at a level, or zero-concentrated.

    epsilon       0 or more; ρ if it is concentrated
    delta         from 0 to 1
    concentrated  whether ρ is claimed

    >>> Claim.of("1/2").delta
    Fraction(0, 1)
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    concentrated: bool = False

    @classmethod
    def of(cls, epsilon: str | int | Fraction, delta: str | int | Fraction = 0) -> Claim:
        """The claim with these numbers; InputError S101 for a float."""
        return cls(exact.number(epsilon), exact.number(delta))

    @classmethod
    def of_floats(cls, epsilon: float, delta: float = 0) -> Claim:
        """The claim with what a library has as floats, each of which is a rational number.

        InputError S121 where one is infinite.
        """
        try:
            return cls(Fraction(epsilon), Fraction(delta))
        except (OverflowError, ValueError):
            raise InputError("S121", f"ε = {epsilon}, δ = {delta} claims nothing") from None

    def with_slack(self, epsilon: Fraction, delta: Fraction) -> Claim:
        """The claim with so much more of both."""
        return replace(self, epsilon=self.epsilon + epsilon, delta=self.delta + delta)


@dataclass(frozen=True)
class Adapted:
    """A mechanism of a library, in exact numbers.

    title       the library with its version, and the mechanism as it is called there
    inputs      the whole numbers that a record may be, or names
    described   the mechanism, as a spec file has it
    neighbours  which inputs are neighbours, as a spec file has it
    claim       what the library claims
    covers      which of all inputs these are, in words
    records     the names of the records, where inputs are whole numbers: of one by default
    release     gives for an input, whole numbers of the records or a name, what draws an output
    """

    title: str
    inputs: tuple[int, ...] | tuple[str, ...]
    described: Mapping[str, Any]
    neighbours: Any
    claim: Claim
    covers: str
    records: tuple[str, ...] = (VALUE,)
    release: Release | None = None

    @property
    def space(self) -> WorldSpace:
        """The worlds: a value of each record, or a name."""
        whole = [value for value in self.inputs if isinstance(value, int)]
        return (
            database(self.records, whole) if whole else named([str(name) for name in self.inputs])
        )

    @property
    def mechanism(self) -> Mechanism:
        """P(output | input), shape (outputs, worlds)."""
        return mechanism_of(self.space, dict(self.described))

    def question(self) -> Question:
        """Whether the mechanism keeps the claim."""
        space, level = self.space, Level.of_epsilon(self.claim.epsilon)
        mechanism = mechanism_of(space, dict(self.described))
        if self.claim.concentrated:
            return zcdp.question(
                space=space, mechanism=mechanism, level=level, neighbours=self.neighbours
            )
        return differential_privacy.question(
            space=space,
            mechanism=mechanism,
            level=level,
            delta=self.claim.delta,
            neighbours=self.neighbours,
        )

    def margin(self) -> str | None:
        """By how much the claim is missed: the δ that is needed at its ε, and the ε at its δ. None
        for a claim of ρ, as the smallest one is told anyway."""
        claim, mechanism = self.claim, self.mechanism
        if claim.concentrated:
            return None
        pairs = differential_privacy.neighbours_of(self.space, self.neighbours).pairs()
        level = Level.of_epsilon(claim.epsilon)
        (delta,) = largest_delta(mechanism, pairs, [level.alpha])
        needed = f"at ε = {_decimal(claim.epsilon)} the smallest δ is {float(delta):.6g}"
        alpha, _ = largest_alpha(mechanism, pairs, claim.delta)
        at = f"at δ = {_decimal(claim.delta)}"
        if alpha is None:
            return f"{needed}; {at} no ε serves"
        low, _ = map(Fraction, bounds(alpha, DIGITS))  # of its logarithm
        return f"{needed}; {at} the smallest ε is {float(low - claim.epsilon):.3g} above the claim"

    def claiming(self, claim: Claim) -> Adapted:
        """The same mechanism with another claim."""
        return replace(self, claim=claim)

    def spec(self) -> str:
        """The question as a spec file."""
        whole = isinstance(self.inputs[0], int)
        worlds = {"records": self.records, "domain": self.inputs} if whole else self.inputs
        ((keyword, options),) = self.described.items()
        lines = [f"title: {_flow(self.title)}", f"worlds: {_flow(worlds)}", "mechanism:"]
        if isinstance(options, str):
            lines += [f"  {keyword}: |", *(f"    {line}" for line in options.splitlines())]
        else:
            lines += [f"  {keyword}:"]
            lines += [f"    {_flow(key)}: {_flow(value)}" for key, value in options.items()]
        epsilon, delta = str(self.claim.epsilon), str(self.claim.delta)
        if self.claim.concentrated:
            check = {"zcdp": {"rho": epsilon, "neighbours": self.neighbours}}
        else:
            level = {"epsilon": epsilon, "delta": delta, "neighbours": self.neighbours}
            check = {"differential_privacy": level}
        name = "ρ" if self.claim.concentrated else "ε"
        said = f"as claimed, {name} = {_decimal(self.claim.epsilon)}"
        said += f", δ = {_decimal(self.claim.delta)}" if self.claim.delta else ""
        lines += ["checks:", f"  - name: {_flow(said)}", f"    {_flow(check)[1:-1]}"]
        return "\n".join([*lines, ""])


def _decimal(value: Fraction) -> str:
    return repr(float(value)).removesuffix(".0")


def _flow(value: Any) -> str:
    """A value in JSON, which is YAML too; the rationals in it as texts."""
    return json.dumps(value, ensure_ascii=False, default=str)


def between(low: float, high: float) -> tuple[int, ...]:
    """The whole numbers from `low` to `high`, as inputs; InputError S121 for many or none."""
    if high - low >= MAX_INPUTS:
        said = f"there are more than {MAX_INPUTS} inputs between {low} and {high}"
        raise InputError("S121", said, hint="choose some: --values 0..5")
    found = tuple(range(ceil(low), floor(high) + 1))
    if not found:
        said = f"there is no whole number between {low} and {high}"
        raise InputError("S121", said, hint="choose inputs: --values 0..5")
    return found


def chosen(values: Sequence[int]) -> str:
    """What inputs cover that somebody has chosen."""
    return f"{', '.join(map(str, values))} alone, as chosen, and no other input"


def table(space: WorldSpace, laws: Mapping[Any, Mapping[str, Fraction | str]]) -> dict[str, Any]:
    """A mechanism that is written out, as a spec file has it.

    space  the worlds, one for each input
    laws   input, in the order of the worlds -> output -> probability, or a formula of it
    """
    outputs = list(dict.fromkeys(output for law in laws.values() for output in law))
    rows = {
        space.name(world): [str(law.get(output, 0)) for output in outputs]
        for world, law in enumerate(laws.values())
    }
    return {"table": {"outputs": outputs, **rows}}
