"""Pufferfish about values of single records that follow Markov chains, from channels alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.claims.claim import ChainsClaim, Json
from verifier.claims.question import Question
from verifier.kernels.chains import MAX_STATES, Chain
from verifier.mechanisms.local import matrix_of
from verifier.world.local import Channel, LocalMechanism
from verifier.world.worlds import WorldSpace

Values = tuple[int, int, int]  # a record, and two of its values by code


def of_chains(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    chains: Sequence[Chain],
    given: Iterable[Values] | None = None,
) -> Question:
    """The question whether values of records stay secret from who believes a Markov chain.

    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    chains      that the values may follow
    given       the values that are compared; None for each two of each record

    NotDecided where records have too many values, or may be absent.
    """
    values = len(space.record_values)
    if values > MAX_STATES or space.absent_code is not None:
        raise NotDecided(
            f"chains over records that may be absent, or have more than {MAX_STATES} values, "
            "are decided by enumerated worlds only"
        )
    compared = list(given) if given is not None else _all(len(space.records), values)
    statement: Json = {
        "rule": "chains",
        "pairs": None if given is None else [list(one) for one in compared],
        "priors": {"class": "chains", "chains": list(map(_stated, chains))},
    }
    several = "" if len(chains) == 1 else f"list of {len(chains)}: "
    claim = ChainsClaim(
        definition,
        space,
        local.each(lambda channel: Channel.of(matrix_of(channel))),
        chains,
        compared,
        level,
        statement,
        {"pairs": 2 * len(compared), "priors": f"{several}markov", "notes": list(local.notes)},
    )
    options = {"pairs": "values" if given is None else "given"}
    return Question(definition=definition, claim=claim, options=options)


def are_rational(local: LocalMechanism, chains: Sequence[Chain]) -> bool:
    """Whether all probabilities of channels and chains are rational numbers."""
    answers = [matrix.values for channel in local.channels for matrix, _ in channel.answers]
    rows = [row for chain in chains for row in (chain.initial, *chain.transition)]
    return all(type(p) is Fraction for row in (*answers, *rows) for p in row)


def _all(records: int, values: int) -> list[Values]:
    return [(i, a, b) for i in range(records) for a, b in combinations(range(values), 2)]


def _stated(chain: Chain) -> Json:
    def listed(row: Sequence[Fraction]) -> list[str]:
        return list(map(exact.text, row))

    return {"initial": listed(chain.initial), "transition": list(map(listed, chain.transition))}
