"""Secrets about values of single records that follow Markov chains, from channels alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from verifier.base import exact
from verifier.base.document import Plain
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.claims.claim import ChainsClaim, Json
from verifier.claims.question import Question, share
from verifier.claims.secrets import Pair
from verifier.kernels.chains import MAX_STATES, Chain
from verifier.mechanisms.local import matrix_of
from verifier.priors.markov import MarkovPriors
from verifier.world.local import Channel, LocalMechanism
from verifier.world.worlds import WorldSpace

ALTERNATES = "intervals are decided whose probabilities of change are at most 1 together"


def of_chains(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    pairs: Sequence[Sequence[Pair]],
    chains: Sequence[Chain],
    options: Json,
    intervals: MarkovPriors | None = None,
    needed: bool = True,
) -> Question | None:
    """The question whether values of records stay secret from who believes a Markov chain.

    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    pairs       for each record its pairs of secrets, over the values of a record
    chains      that the values may follow
    options     the definition's own, in canonical form
    intervals   of transitions, of which the only chain is the worst one
    needed      whether worlds are too many to be enumerated

    NotDecided for what channels do not decide, or None where worlds can be enumerated.
    """
    kind = options.get("pairs", "values")
    reason = _objection(local, share(delta), kind, pairs, chains)
    if (
        reason is None
        and intervals is not None
        and any(alternates(chain.transition) for chain in chains)
    ):
        reason = ALTERNATES
    if reason:
        if needed:
            raise NotDecided(f"for records that follow a Markov chain {reason}")
        return None
    compared = [
        (record, *(int(np.flatnonzero(secret.worlds)[0]) for secret in pair))
        for record, own in enumerate(pairs)
        for pair in own
    ]
    statement: Json = {
        "rule": "chains",
        "pairs": [list(one) for one in compared] if kind == "given" else None,
        "priors": stated_priors(chains, intervals),
    }
    priors = f"list of {len(chains)}" if intervals is None else "markov"
    claim = ChainsClaim(
        definition,
        space,
        local.each(lambda channel: Channel.of(matrix_of(channel))),
        chains,
        [(record, first, second) for record, first, second in compared],
        level,
        statement,
        {"pairs": 2 * len(compared), "priors": priors, "notes": list(local.notes)},
    )
    return Question(definition=definition, claim=claim, options=options)


def _objection(
    local: LocalMechanism,
    delta: Fraction,
    kind: str,
    pairs: Sequence[Sequence[Pair]],
    chains: Sequence[Chain],
) -> str | None:
    """Why the recursion from both ends does not decide a question; None where it does."""
    if delta:
        return "channels are decided without delta"
    if not are_of_chains(local, kind, pairs):
        return (
            f"channels are decided for at most {MAX_STATES} values that are present, each a secret"
        )
    rows = [row for chain in chains for row in (chain.initial, *chain.transition)]
    return None if are_rational(local, rows) else "probabilities must be rational numbers"


def alternates(transition: Sequence[Sequence[Fraction]]) -> bool:
    """Whether two values follow each other more often than themselves."""
    (_, a), (b, _) = transition
    return a + b > 1


def are_of_chains(local: LocalMechanism, kind: str, pairs: Sequence[Sequence[Pair]]) -> bool:
    """Whether secrets are single values of records, which are few and never absent.

    local  what is released of each record
    kind   of the pairs
    pairs  for each record its pairs of secrets, over the values of a record
    """
    if local.values.absent_code is not None or local.values.size > MAX_STATES:
        return False
    secrets = (secret for own in pairs for pair in own for secret in pair)
    return kind in ("values", "given") and all(secret.worlds.sum() == 1 for secret in secrets)


def are_rational(
    local: LocalMechanism, rows: Sequence[Sequence[Fraction]], or_functions: bool = False
) -> bool:
    """Whether the channels of a `local` mechanism and some `rows` have no powers of e, and no
    functions of a parameter `or_functions` are allowed."""
    answers = [matrix.values for channel in local.channels for matrix, _ in channel.answers]
    return all(
        type(p) is Fraction or (or_functions and exact.is_symbolic(p))
        for row in (*answers, *rows)
        for p in row
    )


def stated_priors(chains: Sequence[Chain], intervals: MarkovPriors | None = None) -> Json:
    """The class of some `chains` as a certificate has it; or of `intervals` of transitions."""
    if intervals is None:
        return {"class": "chains", "chains": list(map(_stated, chains))}
    rows = [[list(map(exact.text, ends)) for ends in row] for row in intervals.transition]
    return {"class": "markov", "initial": "stationary", "transition": rows}


def _stated(chain: Chain) -> Json:
    def listed(row: Sequence[Fraction]) -> list[str]:
        return list(map(exact.text, row))

    return {"initial": listed(chain.initial), "transition": list(map(listed, chain.transition))}
