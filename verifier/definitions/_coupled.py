"""Reading checks of coupled-worlds privacy: views, auxiliary information, priors; then the claim.

Reading ends with a `Coupled`, which every form of the definition is about; `claim` alone knows
which form is decided how.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Scalar
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.examples import like
from verifier.beliefs.coupled import Belief, Coupled, View
from verifier.beliefs.prior import probability
from verifier.claims.claim import SimulationClaim
from verifier.priors import Mixtures
from verifier.priors.list import ListedPriors
from verifier.spec.model import Check
from verifier.world.language.slips import misspelt
from verifier.world.mechanism import Column, intern
from verifier.world.space import labels, literal
from verifier.world.worlds import evaluate

OPTIONS = ("epsilon", "exp_epsilon", "delta", "priors", "form", "indexed", "auxiliary")
MAX_SEEN = 5 * 10**6  # worlds times views
Seen = Sequence[Sequence[Hashable]]  # for each view and world, what the simulator sees


def claim(
    check: Check, seen: Seen, names: Mapping[Any, str], privates: Sequence[tuple[str, Column]]
) -> SimulationClaim:
    """The claim that some simulator, seeing this, serves these private values."""
    question, delta = coupled(check, seen, names, privates), check.delta()
    posteriors = is_inference(check)
    if posteriors:
        _check_inference(check, question, delta)
    return SimulationClaim(
        check.definition.text,
        question,
        check.level(),
        delta,
        scope={
            "views": len(question.views),
            "priors": len(question.beliefs),
            "notes": list(question.mechanism.notes),
        },
        posteriors=posteriors,
    )


def is_inference(check: Check) -> bool:
    """Whether the check is about posteriors, `form: inference`."""
    form = check.options.get("form")
    return form is not None and form.word(("simulation", "inference"), "form") == "inference"


def _check_inference(check: Check, question: Coupled, delta: Fraction) -> None:
    """NotDecided where priors are not listed, as Theorem 4 is of no use; or where outputs have been
    added up while the mechanism was built, and delta could be spent on some of them."""
    is_joint = isinstance(check.options.get("auxiliary"), SequenceNode)
    if not is_joint and not isinstance(check.priors(), ListedPriors):
        raise NotDecided("in the inference form only priors in a 'list' are decided")
    if delta and question.mechanism.notes:
        raise NotDecided("with delta the inference form needs every output by itself")


def coupled(
    check: Check, seen: Seen, names: Mapping[Any, str], privates: Sequence[tuple[str, Column]]
) -> Coupled:
    """The question of a check, with its priors and auxiliary information."""
    inputs, codes = intern(key for row in seen for key in row)
    alts = np.asarray(codes, dtype=np.int64).reshape(len(seen), -1)
    auxiliary, priors = beliefs(check)
    return Coupled(
        check.space,
        check.mechanism(),
        [names[key] for key in inputs],
        [view(subject, alt, column) for alt, (subject, column) in zip(alts, privates, strict=True)],
        auxiliary,
        priors,
    )


def view(subject: str, alt: np.ndarray, private: Column) -> View:
    """The view of what the simulator sees and what is private."""
    return View(subject, alt, private.codes.astype(np.int64), labels(private.values))


def flag(check: Check, key: str, default: bool) -> bool:
    """An option that is `true` or `false`."""
    node = check.options.get(key)
    return default if node is None else node.flag()


def column(check: Check, node: Node) -> Column:
    """A function of the world: an expression, or a table name → value with every world."""
    space = check.space
    if isinstance(node, Scalar):
        return evaluate(space, node, check.model.secrets)
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


def beliefs(check: Check) -> tuple[Sequence[str], Sequence[Belief]]:
    """The values of z in words, and the priors over (world, z)."""
    node = check.options.get("auxiliary")
    if isinstance(node, SequenceNode):
        return _joint(check, node)
    priors = check.priors()
    if not isinstance(priors, Mixtures):
        raise NotDecided("simulators for this class of priors are not decided by this version")
    corners = priors.corners(check.space)
    if node is None:
        return [""], [[(w, 0, p) for w, p in weights.items()] for weights in corners]
    known = column(check, node)
    codes = known.codes.tolist()
    return labels(known.values), [
        [(w, codes[w], p) for w, p in weights.items()] for weights in corners
    ]


def _joint(check: Check, node: SequenceNode) -> tuple[Sequence[str], Sequence[Belief]]:
    """`[[world, z, p], …]`: one prior over (world, z)."""
    given = check.option("priors")
    if given is not None:
        said = "a list of [world, z, probability] is a prior: give one of them"
        raise given.fail("S602", said, "leave priors out here")
    weights: dict[tuple[int, Any], Fraction] = {}
    for item in node:
        parts = item.sequence("[world, z, probability]").items
        if len(parts) != 3:
            said = f"[world, z, probability] was expected, found {len(parts)}"
            raise item.fail("S608", said, like("[world, z, probability]"))
        key = check.space.locate(parts[0].scalar("a world")), literal(parts[1].scalar("z").text)
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


def check_size(check: Check, views: int) -> None:
    """LimitReached where the views have too many worlds."""
    if check.space.size * views > MAX_SEEN:
        raise LimitReached(f"{check.space.size} worlds in {views} views are too many")
