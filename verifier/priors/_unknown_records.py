"""Independent records, each with an unknown distribution of its own, under public constraints or
with secrets about several records (the class `product` where single changes do not decide)."""

from __future__ import annotations

from typing import Any

from verifier.base.polynomial import Polynomial
from verifier.claims.claim import PolynomialsClaim
from verifier.claims.secrets import Pufferfish
from verifier.priors._polynomial import Variables, joint_claim, occurring


def claim(question: Pufferfish, priors: dict[str, Any]) -> PolynomialsClaim:
    """The claim about independent records, each with an unknown distribution of its own.

    question  what is asked
    priors    the class as it stands in a certificate

    With f_i the distribution of record i, θ(w) is proportional to Π_i f_i(w_i) over the worlds that
    exist (Kifer, Machanavajjhala 2014, Equation 25): a monomial in one simplex for each record.
    """
    space = question.space
    codes = [occurring(space, record) for record in range(len(space.records))]
    variables = Variables(tuple(map(len, codes)))
    places = [
        {code: variables.start(record) + at for at, code in enumerate(found)}
        for record, found in enumerate(codes)
    ]

    def weight(world: int) -> Polynomial:
        row = space.record_codes[:, world].tolist()
        chosen = [place[code] for place, code in zip(places, row, strict=True)]
        return {variables.exponents(chosen): 1}

    return joint_claim(question, variables, weight, priors, "product")
