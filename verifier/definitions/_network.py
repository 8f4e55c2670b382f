"""Secrets about values of single records that depend on each other, from channels alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from verifier.base import exact, parameters
from verifier.base.document import Node, Plain
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.kernels.chains import MAX_STATES
from verifier.mechanisms.local import matrix_of
from verifier.priors._chains import read_intervals, read_networks
from verifier.priors.markov import MarkovPriors
from verifier.questions.claim import Json, NetworkClaim
from verifier.questions.question import Question, share
from verifier.questions.secrets import Pair
from verifier.world.local import Channel, LocalMechanism
from verifier.world.network import Network
from verifier.world.worlds import WorldSpace

MOST_EXACT = 3  # values of which channels mostly decide exactly; worlds do of more
Part = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # pairs of sets of values


@dataclass(frozen=True)
class Dependent(Later):
    """Priors under which records depend on each other.

    networks    of all records
    are_chains  whether they are written as Markov chains, or some as trees
    intervals   of transitions, of which one of the chains is the worst one
    """

    networks: Sequence[Network]
    are_chains: bool = True
    intervals: MarkovPriors | None = None

    @property
    def statement(self) -> Json:
        """The class as a certificate has it."""
        if self.intervals is not None:
            rows = [[_texts(ends) for ends in row] for row in self.intervals.transition]
            return {"class": "markov", "initial": "stationary", "transition": rows}
        if self.are_chains:
            return {"class": "chains", "chains": list(map(_of_chain, self.networks))}
        return {"class": "trees", "trees": list(map(_of_tree, self.networks))}

    @property
    def told(self) -> str:
        """The class in a few words."""
        return "markov" if self.intervals else f"list of {len(self.networks)}"

    @property
    def rows(self) -> Iterator[Sequence[Fraction]]:
        """All distributions."""
        for network in self.networks:
            yield from (network.initial, *sum(network.transitions, ()))


def dependent(node: Node, space: WorldSpace) -> Dependent | None:
    """The chains or trees of a class of priors, None for another one."""
    if found := read_intervals(node, space):
        return Dependent(found[0], intervals=found[1])
    listed = read_networks(node, space)
    return Dependent(*listed) if listed else None


def of_dependent(
    known: Dependent,
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    pairs: Sequence[Sequence[Pair]],
    options: Json,
    needed: bool = True,
) -> Question | None:
    """The question whether sets of values stay secret from who believes that records depend.

    known       what is believed
    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    pairs       for each record its pairs of secrets, over the values of a record
    options     the definition's own, in canonical form
    needed      whether worlds are too many to be enumerated

    NotDecided for what channels do not decide, or None where worlds can be enumerated.
    """
    are_of_chain = known.are_chains and _are_single(local, options.get("pairs", "values"), pairs)
    reason = _objection(known, local, share(delta), are_of_chain)
    if not needed and (reason or (local.values.size > MOST_EXACT and not are_of_chain)):
        return None
    if reason:
        raise NotDecided(f"for records that depend on each other {reason}")
    parts, chosen = compared(pairs)
    count = 2 * sum(map(len, pairs))
    claim = NetworkClaim(
        definition,
        space,
        local.each(lambda channel: Channel.of(matrix_of(channel))),
        known.networks,
        parts,
        chosen,
        level,
        relation(known, parts, chosen),
        scope={"pairs": count, "priors": known.told, "notes": list(local.notes)},
    )
    return Question(definition=definition, claim=claim, options=options)


def compared(pairs: Sequence[Sequence[Pair]]) -> tuple[list[Part], list[int]]:
    """The different lists of two sets of values, and which one each record has; -1 where only
    others have pairs.

    pairs  for each record its pairs of secrets, over the values of a record
    """
    parts: dict[Part, int] = {}
    asked = [tuple((_codes(a.worlds), _codes(b.worlds)) for a, b in own) for own in pairs]
    some = any(asked)
    chosen = [parts.setdefault(part, len(parts)) if part or not some else -1 for part in asked]
    return list(parts), chosen


def relation(
    known: Dependent, parts: Sequence[Part], chosen: Sequence[int], hidden: int = 0
) -> Json:
    """What is `compared` under priors, as a certificate has it, if so many records are hidden."""
    return {
        "rule": "network",
        "limit": "1",
        "per_unit": False,
        "parts": list(map(_of_part, parts)),
        "chosen": list(chosen),
        "hidden": hidden,
        "priors": known.statement,
    }


def _of_part(part: Part) -> Json:
    """Pairs of sets of values, each set by its codes."""
    named = [[" ".join(map(str, side)) for side in pair] for pair in part]
    sets = (zip(names, pair, strict=True) for names, pair in zip(named, part, strict=True))
    return {
        "rule": "secrets",
        "secrets": {name: list(side) for both in sets for name, side in both},
        "pairs": named,
        "priors": {"class": "network"},
    }


def _objection(
    known: Dependent, local: LocalMechanism, delta: Fraction, are_of_chain: bool
) -> str | None:
    """Why channels do not decide a question; None where they do."""
    of_two = local.values.size == 2 and parameters.active().real
    if not _are_rational(local, known.rows, or_functions=bool(of_two) or not are_of_chain):
        return "probabilities must be rational numbers"
    if delta:
        return "channels are decided without delta"
    if known.intervals and any(_alternates(*chain.transitions) for chain in known.networks):
        return "intervals are decided whose probabilities of change are at most 1 together"
    return None


def _alternates(transition: Sequence[Sequence[Fraction]]) -> bool:
    """Whether two values follow each other more often than themselves."""
    (_, a), (b, _) = transition
    return a + b > 1


def _are_single(local: LocalMechanism, kind: str, pairs: Sequence[Sequence[Pair]]) -> bool:
    """Whether secrets are single values of records, which are few and never absent.

    local  what is released of each record
    kind   of the pairs
    pairs  for each record its pairs of secrets, over the values of a record
    """
    if local.values.absent_code is not None or local.values.size > MAX_STATES:
        return False
    secrets = (secret for own in pairs for pair in own for secret in pair)
    return kind in ("values", "given") and all(secret.worlds.sum() == 1 for secret in secrets)


def _are_rational(
    local: LocalMechanism, rows: Iterator[Sequence[Fraction]], or_functions: bool
) -> bool:
    """Whether the channels of a `local` mechanism and some `rows` have no powers of e, and no
    functions of a parameter `or_functions` are allowed."""
    answers = [matrix.values for channel in local.channels for matrix, _ in channel.answers]
    return all(
        type(p) is Fraction or (or_functions and exact.is_symbolic(p))
        for row in (*answers, *rows)
        for p in row
    )


def _codes(values: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(values).tolist())


def _texts(row: Sequence[Fraction]) -> list[str]:
    return list(map(exact.text, row))


def _of_chain(chain: Network) -> Json:
    (table,) = chain.transitions
    return {"initial": _texts(chain.initial), "transition": list(map(_texts, table))}


def _of_tree(tree: Network) -> Json:
    return {
        "initial": _texts(tree.initial),
        "parents": list(tree.parents),
        "transitions": [list(map(_texts, table)) for table in tree.transitions],
        "chosen": list(tree.chosen),
    }
