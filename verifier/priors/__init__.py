"""Classes of priors: one module each, named after its keyword in a file.

May enter: what stands under the keyword.
Must not know: which definition asks.

Each module has `read(node, space) -> PriorClass`, where node is None for a class without
options; or `read_with(node, space, secrets)`, if its options speak of the file's secrets. A class
turns the question that Pufferfish asks of it into a claim: which comparisons decide it
(`Comparisons`), or a claim of its own kind. Where there is no exact method for a question it
raises NotDecided, and the answer is *undecided*, never a guess. The docstring of a module is what
`verifier explain` prints.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from verifier.base.document import Mapping, Node, Plain, Scalar, tree
from verifier.base.errors import InputError, choice
from verifier.base.nouns import Later, dataclass
from verifier.base.registry import PRIORS
from verifier.questions.beliefs.prior import KINDS as SINGLE
from verifier.questions.beliefs.supports import PairedSupports, Supports
from verifier.questions.claim import Claim, ComparisonClaim, Given
from verifier.questions.secrets import (
    GIVEN,
    Pair,
    Pairs,
    PriorClass,
    Pufferfish,
    Secret,
    generated,
    ordered,
)
from verifier.questions.witness import Belief
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation
from verifier.world.single import Single, one_record
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True, eq=False)
class Comparisons(Later):
    """What Pufferfish compares for one class of priors.

    compared  the matrix whose columns are compared
    relation  over its columns, both orders of each pair
    describe  columns i, j -> what an attacker believes
    priors    the class in a few words
    skipped   pairs that no prior of the class allows
    keys      of each column the number of a prior and a secret; none where columns are worlds
    """

    compared: Mechanism
    relation: Relation
    describe: Callable[[int, int], Belief]
    priors: str
    skipped: Sequence[str] = ()
    keys: Sequence[Given] = ()


@runtime_checkable
class Mixtures(Protocol):
    """A class of priors that are mixtures of finitely many of them."""

    def corners(self, space: WorldSpace) -> Iterable[abc.Mapping[int, Fraction]]:
        """These priors over the worlds of `space`: world -> probability > 0."""
        ...


class ComparedPriors:
    """A class of priors for which finitely many comparisons decide."""

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> Supports | PairedSupports:
        """See PriorClass, as for `space` and `pairs`."""
        raise NotImplementedError

    def of_one_record(self, one: Single) -> PriorClass:
        """See PriorClass, of `one` record: the class itself, if it is that of all priors of some
        kind."""
        return self

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """See PriorClass, as for `space` and `pairs`."""
        raise NotImplementedError

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """The comparisons that decide all pairs, both orders, and all priors of the class.

        space      the worlds
        mechanism  the matrix over them
        pairs      the pairs of secrets
        """
        raise NotImplementedError

    def claim(self, question: Pufferfish) -> Claim:
        """The claim that all comparisons of a `question` hold."""
        found = self.comparisons(question.space, question.mechanism, question.pairs)
        return ComparisonClaim(
            question.definition,
            question.space,
            question.mechanism,
            found.compared,
            found.relation,
            question.level,
            question.delta,
            found.describe,
            scope=question.scope(found.priors, found.skipped),
            keys=found.keys,
        )


def is_class(node: Node) -> bool:
    """Whether a node describes one class, rather than naming several."""
    if isinstance(node, Scalar):
        return node.text in PRIORS.keywords()
    return isinstance(node, Mapping) and any(k.text in PRIORS.keywords() for k, _ in node.entries)


def read_class(node: Node, space: WorldSpace, secrets: abc.Mapping[str, np.ndarray]) -> PriorClass:
    """The class of priors a node describes: a keyword, or {keyword: options}.

    node     the class, as a file has it
    space    the worlds
    secrets  name -> Boolean array over the worlds, those of the file

    Raises S501 for an unknown class, and what the class raises.
    """
    if isinstance(node, Scalar):
        key, options = node.scalar("a class of priors"), None
    else:
        key, options = node.mapping(what="a class of priors").only("a class of priors")
    if key.text == "uniform" or (key.text not in PRIORS.keywords() and key.text in SINGLE):
        written = key.text if options is None else f"{{{key.text}: …}}"
        said = f"'{key.text}' is a single prior, not a class of priors"
        raise key.fail("S501", said, f"write {{list: [{written}]}}")
    if key.text == "iid" and options is not None:
        said = "the class 'iid' takes no options"
        raise key.fail("S501", said, "one prior is written {list: [{iid: …}]}")
    if key.text not in PRIORS.keywords():
        hint = choice(key.text, PRIORS.keywords(), "classes of priors")
        raise key.fail("S501", f"unknown class of priors '{key.text}'", hint)
    module = PRIORS.module(key.text)

    def make() -> PriorClass:
        if hasattr(module, "read_with"):
            return module.read_with(options, space, secrets)  # type: ignore[no-any-return]
        return module.read(options, space)  # type: ignore[no-any-return]

    return key.placed(make)


def check_possible(secrets: Iterable[Secret], impossible: abc.Container[str]) -> None:
    """InputError S403 for a named secret that no prior makes possible.

    secrets     those of the pairs
    impossible  the names of those that no prior makes possible
    """
    for secret in secrets:
        if secret.named and secret.name in impossible:
            raise InputError("S403", f"'{secret.name}' has probability 0 under every prior")


def no_options(node: Node | None) -> None:
    """Refuse options of a class that has none: S501 where `node` is not None."""
    if node is not None:
        said = "this class of priors takes no options"
        raise node.fail("S501", said, "write its name alone, such as priors: product")


def class_of(
    space: WorldSpace,
    priors: PriorClass | Plain,
    secrets: abc.Mapping[str, np.ndarray] | None = None,
) -> PriorClass:
    """A class of priors, as it is, or as a file would describe it.

    space    the worlds
    priors   a class; or a word, or {word: options}
    secrets  name -> Boolean array over the worlds, which the options may name
    """
    if isinstance(priors, Node | str | abc.Mapping):
        return read_class(tree(priors), space, secrets or {})
    return cast(PriorClass, priors)


def asked_about(
    space: WorldSpace, mechanism: Mechanism, pairs: Pairs, priors: PriorClass
) -> tuple[WorldSpace, Mechanism, PriorClass]:
    """The worlds that `pairs` are about, the mechanism over them, and the class of priors.

    space      the worlds; of histograms, generated pairs are about one record among others
    mechanism  the matrix over them
    priors     the class over them
    """
    if not space.is_histograms or pairs.kind == GIVEN:
        return space, mechanism, priors
    one = one_record(space)
    return one.space, one.mechanism(mechanism), priors.of_one_record(one)


def pairs_of(space: WorldSpace, pairs: Pairs | str | Sequence[Pair]) -> Pairs:
    """The pairs of a kind, or those that are listed; InputError S404 where none are.

    space  the worlds
    pairs  `values`, `entries` or `presence`; or a list of two secrets each
    """
    if isinstance(pairs, Pairs):
        return pairs
    if isinstance(pairs, str):
        return generated(space, pairs)
    if not pairs:
        raise InputError("S404", "the list of pairs is empty")
    return Pairs(tuple(ordered(pairs)))
