"""Questions of coupled-worlds privacy: views, auxiliary information, priors; then the claim.

Every form of the definition is about a `Coupled`; `claim` alone knows which form is decided how.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Plain, Scalar, tree
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.examples import like
from verifier.base.level import Level
from verifier.priors import Mixtures, class_of
from verifier.priors.list import ListedPriors
from verifier.questions.beliefs.coupled import Belief, Coupled, View
from verifier.questions.beliefs.records import probability
from verifier.questions.claim import Json
from verifier.questions.question import THIRD, Question, share, stated
from verifier.questions.secrets import PriorClass
from verifier.questions.simulation import InferenceClaim, SimulationClaim
from verifier.spec.options import Options
from verifier.world.language.slips import misspelt
from verifier.world.mechanism import Column, Mechanism, intern
from verifier.world.space import labels, literal
from verifier.world.worlds import WorldSpace, evaluate

OPTIONS = ("epsilon", "exp_epsilon", "delta", "priors", "form", "indexed", "auxiliary")
MAX_SEEN = 5 * 10**6  # worlds times views
Secrets = Mapping[str, np.ndarray]
Seen = Sequence[Sequence[Hashable]]  # for each view and world, what the simulator sees


@dataclass(frozen=True, eq=False)
class Setting:
    """What both definitions are about, besides who sees what.

    posteriors  whether posteriors are compared, `form: inference`
    auxiliary   z: None, a function of the world, or [[world, z, probability], …]
    priors      None where `auxiliary` lists one
    """

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    level: Level
    delta: Fraction
    posteriors: bool
    auxiliary: Node | None
    priors: PriorClass | None
    secrets: Secrets

    @classmethod
    def of(
        cls,
        definition: str,
        space: WorldSpace,
        mechanism: Mechanism,
        level: Level,
        delta: Plain,
        form: Plain,
        auxiliary: Plain | None,
        priors: PriorClass | Plain | None,
        secrets: Secrets | None,
    ) -> Setting:
        """The setting of a question's parameters."""
        return cls(
            definition,
            space,
            mechanism,
            level,
            share(delta),
            tree(form).word(("simulation", "inference"), "form") == "inference",
            None if auxiliary is None else tree(auxiliary),
            None if priors is None else class_of(space, priors, secrets),
            secrets or {},
        )

    def question(self, claim: SimulationClaim, indexed: bool, options: Json) -> Question:
        """The question that the claim decides; `options` besides those of both definitions."""
        known, name = self.auxiliary, self.space.world_name
        stated_options = {
            "form": "inference" if self.posteriors else "simulation",
            "indexed": indexed,
            "auxiliary": None if known is None else stated(known, THIRD, name),
            **options,
        }
        return Question(
            definition=self.definition, claim=claim, options=stated_options, priors=self.priors
        )


def priors_of(options: Options) -> PriorClass | None:
    """The priors that the `options` of a file name; None where `auxiliary` lists one."""
    if not isinstance(options.options.get("auxiliary"), SequenceNode):
        return options.priors()
    given = options.option("priors")
    if given is not None:
        said = "a list of [world, z, probability] is a prior: give one of them"
        raise given.fail("S602", said, "leave priors out here")
    return None


def claim(
    about: Setting, seen: Seen, names: Mapping[Any, str], privates: Sequence[tuple[str, Column]]
) -> SimulationClaim:
    """The claim that some simulator, seeing this, serves these private values."""
    if about.posteriors:
        _check_inference(about)
    coupled = _coupled(about, seen, names, privates)
    return (InferenceClaim if about.posteriors else SimulationClaim)(
        about.definition,
        coupled.space,
        coupled,
        about.level,
        about.delta,
        scope={
            "views": len(coupled.views),
            "priors": len(coupled.beliefs),
            "notes": list(coupled.mechanism.notes),
        },
    )


def _check_inference(about: Setting) -> None:
    """NotDecided where priors are not listed, as Theorem 4 is of no use; or where outputs have been
    added up while the mechanism was built, and delta could be spent on some of them."""
    if not (about.priors is None or isinstance(about.priors, ListedPriors)):
        raise NotDecided("in the inference form only priors in a 'list' are decided")
    if about.delta and about.mechanism.notes:
        raise NotDecided("with delta the inference form needs every output by itself")


def _coupled(
    about: Setting, seen: Seen, names: Mapping[Any, str], privates: Sequence[tuple[str, Column]]
) -> Coupled:
    """Views, priors and auxiliary information."""
    inputs, codes = intern(key for row in seen for key in row)
    alts = np.asarray(codes, dtype=np.int64).reshape(len(seen), -1)
    texts = [labels(column.values) for _, column in privates]
    auxiliary, priors = beliefs(about)
    return Coupled(
        about.space,
        about.mechanism,
        [names[key] for key in inputs],
        [
            View(subject, alt, column.codes.astype(np.int64), told)
            for alt, (subject, column), told in zip(alts, privates, texts, strict=True)
        ],
        auxiliary,
        priors,
    )


def column(space: WorldSpace, node: Node, secrets: Secrets) -> Column:
    """A function of the world: an expression, or a table name → value with every world."""
    if isinstance(node, Scalar):
        return evaluate(space, node, secrets)
    if not isinstance(node, MappingNode):
        hint = 'write an expression, in quotes: "(ann, bob)", or {sun: day, rain: day}'
        said = "a function of the world is an expression, or {world: value, …}"
        raise node.fail("S608", said, hint)
    found: list[Any] = [None] * space.size
    for key, value in node.entries:
        found[space.locate(key)] = literal(value.scalar("a value").text)
    if None in found:
        missing = space.name(found.index(None))
        hint = f"add {missing}: 0, or another value"
        raise node.fail("S608", f"the table has no value for the world {missing}", hint)
    values, codes = intern(found)
    for a, b in misspelt(values):
        message = f"the words '{a}' and '{b}' are different values: is one of them misspelt?"
        node.source.notes.tell("N109", message, node.place)
    return Column(values, codes)


def beliefs(about: Setting) -> tuple[Sequence[str], Sequence[Belief]]:
    """The values of z in words, and the priors over (world, z)."""
    node, space = about.auxiliary, about.space
    if isinstance(node, SequenceNode):
        return _joint(space, node)
    if about.priors is None:
        raise InputError("S506", "the question needs a class of priors")
    if not isinstance(about.priors, Mixtures):
        raise NotDecided("simulators for this class of priors are not decided by this version")
    corners = about.priors.corners(space)
    if node is None:
        return [""], [[(w, 0, p) for w, p in weights.items()] for weights in corners]
    known = column(space, node, about.secrets)
    codes = known.codes.tolist()
    return labels(known.values), [
        [(w, codes[w], p) for w, p in weights.items()] for weights in corners
    ]


def _joint(space: WorldSpace, node: SequenceNode) -> tuple[Sequence[str], Sequence[Belief]]:
    """`[[world, z, p], …]`: one prior over (world, z)."""
    weights: dict[tuple[int, Any], Fraction] = {}
    for item in node:
        parts = item.sequence("[world, z, probability]").items
        if len(parts) != 3:
            said = f"[world, z, probability] was expected, found {len(parts)}"
            raise item.fail("S608", said, like("[world, z, probability]"))
        key = space.locate(parts[0].scalar("a world")), literal(parts[1].scalar("z").text)
        if key in weights:
            said = f"the world and z of '{parts[0].scalar().text}' stand twice"
            raise item.fail("S608", said, "leave one of the two out, and add its probability")
        weights[key] = probability(parts[2])
    total = exact.total(weights.values())
    if total != 1:
        said = f"the probabilities sum to {total}, must be 1"
        raise node.fail("S504", said, exact.completed(list(weights.values())))
    values, codes = intern(z for _, z in weights)
    entries = zip(weights.items(), codes.tolist(), strict=True)
    return labels(values), [[(world, z, p) for ((world, _), p), z in entries if p]]


def check_size(space: WorldSpace, views: int) -> None:
    """LimitReached where so many `views` have too many worlds of `space`."""
    if space.size * views > MAX_SEEN:
        raise LimitReached(f"{space.size} worlds in {views} views are too many")
