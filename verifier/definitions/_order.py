"""How questions are ordered: why no post-processing hurts a definition, and which numbers ask less.

A definition says `CLOSED`, one of the reasons below or its own, or None where it is not about the
outputs of a mechanism. Of a level and a delta a larger one asks for less; of its other options
`LARGER` says of which this is so (1), or the opposite (-1).
"""

from __future__ import annotations

DIVERGENCE = (
    "it bounds max(0, P(E) - α P'(E)) over events E for pairs of distributions of outputs; every "
    "event after processing is a mixture of events before it"
)
RENYI = "the sum of P^a P'^(1 - a) over outputs does not grow where outputs are put together"
ODDS = "a ratio after processing lies between two ratios before it"
COMPARING = (DIVERGENCE, RENYI, ODDS)  # pairs of distributions of what is released

LEVELS = dict.fromkeys(("exp_epsilon", "epsilon", "rho", "delta"), 1)
