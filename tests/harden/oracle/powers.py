"""Powers of e in a certificate, at a rational that is nearer to e than anything asked of it.

A sum of powers of e that is 0 is so as an identity, at each number in place of e; one that is not 0
has the same sign at all that are near enough.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import lcm

from tests.harden.oracle.reading import Json

KEPT = {"rule", "class", "kind", "verdict", "worlds", "outputs", "people", "pairs", "pair", "sense"}
POWER = re.compile(r"(?<!\w)e(?:\^([0-9]+)|\^\((-?[0-9]+)(?:/([0-9]+))?\)|(?!\w|\^))")
BITS, MOST = 400, 400  # of the root of e that stands in; and its largest power
NUMBER = re.compile(r"[0-9 +*/()-]+")


class Unknown(Exception):
    """Powers of e that are not put: with parameters in the exponent, or too large."""


def near_e(*parts: Json) -> list[Json]:
    """The same parts with rationals in place of powers of e, also of a level epsilon."""
    texts = {text for part in parts for text in _texts(part)}
    epsilons = [Fraction(text[2:]) for text in texts if text.startswith("ε ")]
    found = [_exponent(shown) for text in texts for shown in POWER.finditer(text)]
    if not found:
        return list(parts)
    degree = lcm(*(q.denominator for q in [*found, *epsilons]))
    if max(abs(q) * degree for q in [*found, *epsilons]) > MOST:
        raise Unknown
    with localcontext() as context:
        context.prec = BITS
        root = Fraction(int((Decimal(1) / degree).exp() * 2**BITS), 2**BITS)
    powers = {q: root ** int(q * degree) for q in {*found, *epsilons}}
    return [_put(part, powers) for part in parts]


def _exponent(shown: re.Match[str]) -> Fraction:
    whole, top, bottom = shown.groups()
    return Fraction(int(whole or top or 1), int(bottom or 1))


def _texts(value: Json, key: object = None) -> set[str]:
    """All texts that may have powers of e, and levels."""
    if type(value) is dict:
        rest = {k: part for k, part in value.items() if k not in KEPT}
        own = {f"ε {rest.pop('epsilon')}"} if key == "level" and "epsilon" in rest else set()
        return own.union(*(_texts(part, k) for k, part in rest.items()))
    if type(value) is list:
        return set[str]().union(*map(_texts, value))
    return {value} if type(value) is str else set()


def _put(value: Json, powers: dict[Fraction, Fraction]) -> Json:
    if type(value) is dict and "epsilon" in value and "delta" in value:
        alpha = powers[Fraction(value["epsilon"])]
        return {"exp_epsilon": str(alpha), "delta": _put(value["delta"], powers)}
    if type(value) is dict:
        return {k: part if k in KEPT else _put(part, powers) for k, part in value.items()}
    if type(value) is list:
        return [_put(part, powers) for part in value]
    if type(value) is not str or not POWER.search(value):
        return value
    text = POWER.sub(lambda shown: f"({powers[_exponent(shown)]})", value)
    if "e^" in text:
        raise Unknown
    if not NUMBER.fullmatch(text):
        return text  # there is a parameter
    code = re.sub(r"\d+", r"F(\g<0>)", text)
    return str(eval(code, {"__builtins__": {}}, {"F": Fraction}))
