"""A question: what is asked, whole; and the certificate that answers it.

A `Question` is a definition with its options, and the claim that decides it. What it states, in
the form of docs/certificate.md, stands in every certificate beside the engine's evidence: so what
the checker accepts answers this question, and no other one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from verifier import checker
from verifier.base import exact, parameters
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Plain, tree
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError, NotDecided
from verifier.base.level import Level
from verifier.base.nouns import Later, Shown, dataclass
from verifier.kernels import hockey_stick
from verifier.questions.answer import Json, Proof, answer_section, written
from verifier.questions.claim import Claim, ComparisonClaim, DomainClaim, LeakageClaim
from verifier.questions.evidence import OnDomain
from verifier.questions.model import Model, different, dumps, table_of, without_mechanism
from verifier.questions.secrets import Pair, PriorClass
from verifier.questions.simulation import InferenceClaim, SimulationClaim
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    pass

CORNERS = "corners"


@dataclass(frozen=True, kw_only=True, eq=False)
class Question(Shown, Later):
    """What is asked, whole, from a file or from Python.

    definition  its keyword
    options     those that are stated, in canonical form, with their defaults
    claim       what decides it: worlds, mechanism, level, relation
    pairs       of secrets that are compared, where it is about secrets
    priors      the class of what attackers believe, where there is one
    source      digests of the file and of those it reads, and the check's place; None from Python
    """

    definition: str
    claim: Claim
    options: Json = field(default_factory=dict)
    pairs: Sequence[Pair] = ()
    priors: PriorClass | None = None
    source: Json | None = None

    def __post_init__(self) -> None:
        worlds, mechanism = self.space.size, self.mechanism
        if mechanism is not None and (columns := mechanism.worlds) != worlds:
            raise InputError("S107", f"the mechanism has {columns} worlds, the space has {worlds}")
        if mechanism is not None and mechanism.reals and (why := self._reason(mechanism.reals)):
            raise NotDecided(why)
        if any(given.reals for given in self.mechanisms.values()):
            raise NotDecided("real numbers are released, with which nothing is compared")
        if not isinstance(level := self.level, Level | None):
            hint = "write verifier.Level.of_exp_epsilon(3) or verifier.Level.of_epsilon('ln(3)')"
            raise InputError("S601", f"a Level was expected, found {level!r}", hint=hint)

    def _reason(self, reals: str) -> str:
        from verifier.questions.densities import reason

        return reason(self.claim, reals)

    @property
    def space(self) -> WorldSpace:
        """The possible worlds."""
        claim: Any = self.claim  # of which each class has such a field
        found: WorldSpace = claim.space
        return found

    @property
    def mechanism(self) -> Mechanism | None:
        """The mechanism that is asked about, over these worlds; None where there is none."""
        found: Mechanism | None = getattr(self.claim, "mechanism", None)
        return found

    @property
    def local(self) -> LocalMechanism | None:
        """The channels that it is about, in place of a matrix; None where there are none."""
        return getattr(self.claim, "local", None)

    @property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """The mechanisms that it is compared with, by name."""
        found: Mapping[str, Mechanism] = getattr(self.claim, "given", None) or {}
        return {} if isinstance(self.claim, SimulationClaim) else found

    @property
    def is_for_all(self) -> bool:
        """Whether it is about all values of real parameters."""
        return isinstance(self.claim, DomainClaim)

    @property
    def level(self) -> Level | None:
        """The level e^ε; None for definitions without one."""
        found: Level | None = getattr(self.claim, "level", None)
        return found

    @property
    def delta(self) -> Fraction:
        """What may be missed."""
        found: Fraction = getattr(self.claim, "delta", Fraction(0))
        return found

    def stated(self) -> Section:
        """The question section of its certificate, with a digest."""
        return _stated(self)

    @property
    def digest(self) -> str:
        """The SHA-256 of all that is stated."""
        return self.stated().digest

    @property
    def content(self) -> str:
        """The digest without the source: the same for the same question in any file or place."""
        return self.stated().content

    @property
    def promise(self) -> str:
        """The digest without source, mechanism and level: the same while the same is promised."""
        return self.stated().promise

    def with_tradeoff(self, levels: Sequence[Fraction] | str) -> Question:
        """The question that asks for the smallest delta at further levels e^ε too; `corners` are
        those of the curve δ(e^ε), where distributions are compared. InputError S602 where there is
        no exact curve."""
        claim = self.claim
        simulated = isinstance(claim, SimulationClaim) and not isinstance(claim, InferenceClaim)
        if simulated or self.definition == "g_leakage":
            assert isinstance(claim, SimulationClaim | LeakageClaim)
            if isinstance(levels, str):
                said = "a list of levels e^ε was expected, as this curve has other corners"
                raise InputError("S014", said, hint="write [1, 3/2, 2]")
            return replace(self, claim=replace(claim, tradeoff=tuple(levels)))
        if self.mechanism is not None and self.mechanism.reals:
            raise NotDecided("real numbers are released, of which no trade-off is known")
        if not isinstance(claim, ComparisonClaim) or not claim.has_curve:
            said = "there is no exact trade-off for this definition or class of priors"
            raise InputError("S602", said, hint="leave tradeoff out")
        if isinstance(levels, str):
            if any(map(exact.is_symbolic, claim.compared.values)):
                raise NotDecided("with a parameter there are no corners: write levels, [1, 2, 3]")
            corners = hockey_stick.curve(claim.compared, claim.relation.pairs())
            levels = [alpha for alpha, _ in corners]
        return replace(self, claim=replace(claim, tradeoff=tuple(levels)))


def asked_of(claim: Claim) -> Json:
    """Relation, level, domain and model of a claim, as a certificate has them."""
    parts, model = claim.section()
    return {**parts, "model": model.section}


@lru_cache(maxsize=1)  # one question is asked for its content, its digest and its certificate
def _stated(question: Question) -> Section:
    parts, model = question.claim.section()
    about = {
        "definition": question.definition,
        "options": question.options,
        "source": question.source,
    }
    return Section({**about, **parts}, model, question.claim.proved_by())


Names = Callable[[str], str | None]
THIRD = "third"  # the third of each list in a list is a number
# what is a number under a key of an option; elsewhere 1-2 is the label of a value
NUMBERS: Mapping[str, object] = {
    **dict.fromkeys(("hamming", "l1", "linf", "distance", "epsilon"), Fraction(0)),
    **dict.fromkeys(("graph", "between"), THIRD),
}


def stated(value: Plain, like: object = None, names: Names = lambda text: None) -> Any:
    """An option in canonical form: as JSON, exact numbers as canonical text.

    like   a truth value or an int where it is one, a Fraction where it is arithmetic, or THIRD
    names  the name of what a text names, whatever number it looks like; None where it is none

    >>> stated({"partition": [["a", "0.50"]]}), stated("7.0", 1)
    ({'partition': [['a', '1/2']]}, 7)
    """
    node = tree(value)
    if isinstance(node, MappingNode):
        items = node.entries
        return {key.text: stated(inner, NUMBERS.get(key.text), names) for key, inner in items}
    if isinstance(node, SequenceNode):
        if like is THIRD:
            return [_weighted(item.sequence(), names) for item in node.items]
        return [stated(item, names=names) for item in node.items]
    text = node.scalar("a value").text
    if isinstance(like, bool):
        return text == "true"
    if isinstance(like, int):
        return int(exact.number(text))
    known = exact.looks_like_number(text) or text in parameters.active().names
    if known and like is None and (name := names(text)) is not None:
        return name
    if known or (isinstance(like, Fraction) and exact.is_arithmetic(text)):
        return exact.text(exact.number(text))
    if parameters.is_mentioned(text):
        with suppress(InputError):  # an expression about records is none
            return exact.text(exact.number(text))
    return text


def _weighted(node: SequenceNode, names: Names) -> list[Any]:
    """Two labels, and perhaps a number."""
    labels, numbers = node.items[:2], node.items[2:]
    said = (stated(one, names=names) for one in labels)
    return [*said, *(stated(one, Fraction(0)) for one in numbers)]


def share(value: Plain, what: str = "delta") -> Fraction:
    """A number in [0, 1]; InputError S601 for another one."""
    found = value if isinstance(value, Fraction) else tree(value).number(what)
    if not 0 <= found <= 1:
        said = f"{what} must lie in [0, 1], found {found}"
        raise tree(value).fail("S601", said, exact.share(found))
    return found


def document(stated: Section, proof: Proof) -> Json:
    """A certificate; rationals inside may still be Fraction objects. It marks what a checker takes
    as the question has it."""
    section = stated.whole
    return {
        "format": "verifier-certificate",
        "version": 3,
        "question": section,
        "digest": stated.digest,
        "taken": checker.taken(section),
        "answer": answer_section(proof.said),
        "evidence": evidence_section(proof, stated.rule),
    }


def evidence_section(proof: Proof, rule: str) -> Json:
    """The evidence of a proof by a `rule`, and the mechanism that is part of it, as JSON; that of a
    domain of parameters names a rule for each part."""
    if isinstance(proof.witness, OnDomain):
        return dict(written(proof.witness))
    found: Json = {"rule": rule, "witness": written(proof.witness)}
    if proof.mechanism is not None:
        found["mechanism"] = table_of(proof.mechanism)
    return found


@dataclass(frozen=True, eq=False)
class Section(Later):
    """The question section of a certificate: the model, and all other parts; and the rule by which
    evidence proves it."""

    parts: Json
    model: Model
    rule: str

    @property
    def compared(self) -> Any:
        """The relation; of a domain of parameters the values, and the relation on each cell."""
        if "domain" not in self.parts:
            return self.parts["relation"]
        domain = self.parts["domain"]
        cells = [
            one and {key: part for key, part in one.items() if key != "model"}
            for one in domain["cells"]
        ]
        return {**domain, "cells": cells}

    @property
    def whole(self) -> Json:
        """The section."""
        return {**self.parts, "model": self.model.section}

    @cached_property
    def _texts(self) -> dict[str, str]:
        """Each part as canonical JSON."""
        texts = {key: dumps(value) for key, value in self.parts.items()}
        return {**texts, "model": self.model.text}

    @property
    def _promised(self) -> dict[str, str]:
        """The domain without the mechanism on its cells, where there is one, and the worlds."""
        found = {"model": self.model.worlds_text}
        if "domain" in self.parts:
            listed = filter(None, self.parts["domain"]["cells"])
            cells = [[one["relation"], without_mechanism(one["model"])] for one in listed]
            found["domain"] = dumps({**self.parts["domain"], "cells": different(cells)})
        return found

    @property
    def digest(self) -> str:
        """The SHA-256 of the section as canonical JSON."""
        return _digest(self._texts)

    @property
    def content(self) -> str:
        """The digest that the section would have with the source None."""
        return _digest({**self._texts, "source": "null"})

    @property
    def promise(self) -> str:
        """The digest of what is promised of any mechanism at any level: of all but these two."""
        left_out = dict.fromkeys(("source", "level", "tradeoff"), "null")
        return _digest({**self._texts, **left_out, **self._promised})

    @property
    def asks(self) -> Json:
        """What is asked of what, in parts that two questions can be told apart by, as short
        digests: the `mechanism`, the `options` as text, the `items` that are quantified over, the
        `bound` of a number, and the `rest`, but for the level."""
        relation, options = self.parts.get("relation"), dict(self.parts["options"])
        items: Json = {}
        if isinstance(relation, dict) and "pairs" in relation and "priors" in relation:
            relation, items = _items(relation)
            options.pop("pairs", None)  # how they were chosen
        left_out = ("source", "level", "tradeoff", "relation", "options", "domain", *BOUNDS)
        rest = [self.parts[key] for key in sorted(self.parts.keys() - {*left_out})]
        bound = next((self.parts[key] for key in BOUNDS if key in self.parts), None)
        return {
            **({} if bound is None else {"bound": bound}),
            "mechanism": _short(self._texts["model"] + self._texts.get("domain", "")),
            "options": {key: _shown(value) for key, value in options.items()},
            "items": items,
            "rest": _short(dumps([*rest, options, relation, self._promised])),
        }


LISTED = {"list": "priors", "hull": "priors", "conditionals": "priors", "constraints": "rows"}
BOUNDS = ("at_most", "equals")
MOST_ITEMS = 100  # listed each by its digest
LONGEST_OPTION = 60  # characters that are told


def _items(relation: Json) -> tuple[Json, Json]:
    """A relation about pairs of secrets without what it lists, and that: pairs, and what its class
    of priors lists."""
    secrets, priors = relation.get("secrets") or {}, relation["priors"]
    kind = priors["class"] if isinstance(priors, dict) and "class" in priors else None
    listed = {"pairs": [_pair(pair, secrets) for pair in relation["pairs"] or ()]}
    if kind in LISTED:
        key = LISTED[kind]
        listed[key] = priors[key]
        priors = {name: part for name, part in priors.items() if name != key}
    rest = {key: part for key, part in relation.items() if key not in ("secrets", "pairs")}
    return {**rest, "priors": priors}, {key: _each(one) for key, one in listed.items()}


def _pair(pair: Sequence[Any], secrets: Json) -> list[str]:
    """A pair by what its secrets are, in any order."""
    return sorted(dumps(secrets.get(one, one) if isinstance(one, str) else one) for one in pair)


def _each(items: Sequence[Any]) -> list[str]:
    """The digests of some items, each once; one of all where they are many."""
    found = sorted({_short(dumps(item)) for item in items})
    return found if len(found) <= MOST_ITEMS else [_short(dumps(found))]


def _shown(option: Any) -> str:
    """An option as text, a long one by its digest."""
    text = option if isinstance(option, str) else dumps(option)
    return text if len(text) <= LONGEST_OPTION else _short(text)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _digest(texts: Mapping[str, str]) -> str:
    text = ",".join(f'"{key}":{texts[key]}' for key in sorted(texts))
    return f"sha256:{hashlib.sha256(f'{{{text}}}'.encode()).hexdigest()}"
