"""How much hidden records matter where records follow Markov chains or a tree, without worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from verifier.base import exact
from verifier.base.cell import innermost
from verifier.base.errors import InputError, NotDecided
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.definitions._network import (
    Dependent,
    compared,
    dependent,
    of_dependent,
    relation,
)
from verifier.kernels.chains import MAX_STATES
from verifier.questions.claim import QuiltsClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Pair
from verifier.spec.model import FEW
from verifier.spec.options import Options
from verifier.spec.records import read_pairs, read_secrets
from verifier.world.local import RECORD, LocalMechanism, values_of
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True, eq=False)
class Records(Later):
    """Records that depend on each other, and pairs of secrets about each of them.

    space   what worlds are made of
    values  what one record may be, as worlds
    known   the chains or the tree
    pairs   for each record its pairs of secrets, over the values of a record
    kind    of the pairs
    """

    space: WorldSpace
    values: WorldSpace
    known: Dependent
    pairs: Sequence[Sequence[Pair]]
    kind: str

    def question(self, level: Level, entries: int) -> Question:
        """The question whether so many hidden `entries` keep the others below a `level`."""
        known, (parts, chosen) = self.known, compared(self.pairs)
        every = [
            (record, *both)
            for record, at in enumerate(chosen)
            for pair in (parts[at] if at >= 0 else ())
            for both in (pair, pair[::-1])
        ]
        claim = QuiltsClaim(
            "influence",
            self.space,
            self.values,
            level,
            entries,
            every,
            known.networks,
            known.intervals.transition if known.intervals else (),
            relation(known, parts, chosen, entries),
            scope={"pairs": len(every), "priors": known.told},
        )
        options = {"entries": entries, "pairs": self.kind}
        return Question(definition="influence", claim=claim, options=options)

    def leaks(self, local: LocalMechanism) -> Question:
        """The question whether channels leak nothing about the secrets."""
        stated = {"pairs": self.kind}
        about = self.space, local, Level(exp_epsilon=Fraction(1)), 0, self.pairs, stated
        found = of_dependent(self.known, "pufferfish", *about)
        assert found is not None  # as it is needed
        return found

    def named(self) -> Iterator[tuple[int, str, str]]:
        """The record of each pair, and the names of its secrets."""
        for record, own in enumerate(self.pairs):
            name = self.space.records[record]
            for pair in own:
                a, b = (s.name if s.named else f"{name}{s.name.removeprefix(RECORD)}" for s in pair)
                yield record, a, b


def read(options: Options) -> Records | None:
    """What the `options` of a file say about records; None where worlds are to be enumerated.

    Where worlds are too many for that, NotDecided for records that no method is for, and S114 for a
    secret about several of them.
    """
    model, space = options.model, options.model.outline
    if model.where or model.by_worlds or space.given or not space.records:
        return None
    known = dependent(options.priors_node(), space)
    few = len(space.record_values) ** len(space.records) <= FEW
    if known is None or (few and known.intervals is None and innermost() is None):
        return None
    try:
        pairs, kind = _pairs(options, space)
    except InputError as error:
        if model.is_large or error.code != "S114":
            raise
        return None
    if (reason := _objection(space, known)) is None:
        return Records(space, values_of(space), known, pairs, kind)
    if model.is_large:
        raise NotDecided(f"where records depend on each other {reason}")
    return None


def _pairs(options: Options, space: WorldSpace) -> tuple[list[list[Pair]], str]:
    """For each record its pairs of secrets, and the kind of all of them."""
    model, node = options.model, options.pairs_node()
    secrets = read_secrets(model.node.table.get("secrets"), space, values_of(space))
    pairs, kind = read_pairs(node, secrets, len(space.records))
    if not model.is_large:
        model.secrets.used.update(s.name for own in pairs for pair in own for s in pair if s.named)
    return pairs, kind


def _objection(space: WorldSpace, known: Dependent) -> str | None:
    """Why worlds are needed; None where they are not."""
    if space.absent_code is not None or len(space.attributes) > 1:
        return "hidden entries are decided for records of one value that are present"
    if len(space.record_values) > MAX_STATES:
        return f"hidden entries are decided for at most {MAX_STATES} values"
    rows = list(known.rows)
    if any(exact.is_irrational(p) and not exact.is_symbolic(p) for row in rows for p in row):
        return "probabilities must be rational numbers"
    many = len(known.networks) > 1 or len(rows[0]) != 2
    if not known.are_chains and (many or not all(map(all, rows))):
        return (
            "hidden entries are decided for one tree of two values in which nothing is impossible"
        )
    return None
