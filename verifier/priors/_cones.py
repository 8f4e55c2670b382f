"""Classes of priors that are the points of a cone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.errors import NotDecided
from verifier.claims.claim import PolytopeClaim
from verifier.claims.secrets import Pufferfish
from verifier.kernels.cones import Cone, impossible
from verifier.priors import check_possible

MAX_OUTPUTS = 10  # with delta, where every event is a question of its own


def on_cone(
    question: Pufferfish,
    cone: Cone,
    mass: Mapping[str, Sequence[Fraction]],
    joint: Callable[[str, int], Sequence[Fraction]],
    prior: Callable[[Sequence[Fraction]], Sequence[Fraction]],
    priors: dict[str, Any],
    scope: str,
) -> PolytopeClaim:
    """The claim about all points of a cone.

    question  what is asked
    cone      the points
    mass      secret -> coefficients of P(s) at a point
    joint     secret, output -> coefficients of P(s, o) at a point
    prior     a point -> the prior that it stands for
    priors    the class as it stands in a certificate
    scope     the class in a few words

    Raises S403 for a named secret that no point makes possible; NotDecided.
    """
    outputs = len(question.mechanism.outputs)
    if question.delta and outputs > MAX_OUTPUTS:
        raise NotDecided(
            f"with delta > 0, each of 2^{outputs} events may have a worst prior of its own; for "
            f"these priors at most {MAX_OUTPUTS} outputs are decided by this version"
        )
    excluded = impossible(cone, mass)
    check_possible(question.secrets.values(), excluded)
    pairs = [(left.name, right.name) for left, right in question.pairs]
    return PolytopeClaim(
        question.definition,
        question.space,
        question.mechanism,
        question.level,
        question.delta,
        cone,
        mass,
        joint,
        prior,
        excluded,
        pairs,
        {
            "rule": "secrets",
            "secrets": {
                name: np.flatnonzero(secret.worlds).tolist()
                for name, secret in question.secrets.items()
            },
            "pairs": [list(pair) for pair in pairs],
            "priors": priors,
        },
        question.scope(
            scope, [f"'{name}' has probability 0 under every prior" for name in excluded]
        ),
    )
