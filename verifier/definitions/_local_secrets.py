"""Secrets about single records, for mechanisms that answer every record by itself.

Records are independent under the priors here, and so are their answers. Given that a secret about
record i is true, all other records and answers are as given any other secret about it: they cancel
in P(o | s) / P(o | s'). What is left is the channel of record i, over the values of that record:
every change from a value of s to one of s' where its distribution is unknown (`product`, `iid`: a
distribution on two values makes each of them), and mixtures of its columns where it is known.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from verifier.base.document import Mapping, Node, Plain, Scalar, tree
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError
from verifier.base.level import Level
from verifier.definitions._network import dependent, of_dependent
from verifier.mechanisms.local import matrix_of
from verifier.priors.list import ListedPriors
from verifier.priors.product import ProductPriors
from verifier.questions.beliefs.prior import Prior, read_prior
from verifier.questions.beliefs.records import distribution
from verifier.questions.claim import Changes, ComparisonClaim, Json, LocalClaim
from verifier.questions.question import Question, share
from verifier.questions.secrets import GIVEN, Pair, PriorClass, Pufferfish
from verifier.spec.options import Options
from verifier.spec.records import pairs_of_kind, read_pairs, read_secrets
from verifier.world.local import Channel, LocalMechanism
from verifier.world.mechanism import Coder, Column
from verifier.world.worlds import WorldSpace

ONE = Fraction(1)
FREE = ("product", "iid")  # classes in which the distribution of a record is unknown
KINDS = ("iid", "independent", "uniform")  # of single priors under which records are independent


@dataclass(frozen=True)
class RecordPriors:
    """What attackers may believe of single records, which are independent.

    name   of the class: `product`, `iid`, `list`; or `all`, where there is one record
    given  of a list, for each prior the distributions of all records: one, or one for each
    """

    name: str
    given: tuple[tuple[Prior, ...], ...] = ()

    def of(self, record: int) -> PriorClass:
        """The class of distributions of a `record`."""
        if self.name != "list":
            return ProductPriors()
        return ListedPriors(tuple(rows[record % len(rows)] for rows in self.given))

    def same(self, record: int) -> object:
        """The same for two records with the same class of distributions."""
        return tuple(id(rows[record % len(rows)]) for rows in self.given)


def has_form(node: Node) -> bool:
    """Whether records are independent in a class of priors, by how it is written."""
    if isinstance(node, Scalar):
        return node.text in FREE
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        return False
    ((key, value),) = node.entries
    if key.text != "list" or not isinstance(value, SequenceNode) or not value.items:
        return False
    return all(_is_independent(item) for item in value)


def _is_independent(prior: Node) -> bool:
    if isinstance(prior, Scalar):
        return prior.text in KINDS
    return isinstance(prior, Mapping) and [key.text for key, _ in prior.entries] in (
        ["iid"],
        ["independent"],
    )


def read_priors(node: Node, values: WorldSpace, records: Sequence[str]) -> RecordPriors:
    """A class of priors that `has_form`.

    node     the class
    values   the values of a record, as worlds
    records  the names of the records
    """
    if isinstance(node, Scalar):
        return RecordPriors(node.text)
    ((_, value),) = node.mapping().entries
    return RecordPriors("list", tuple(_rows(item, values, records) for item in value.sequence()))


def _rows(prior: Node, values: WorldSpace, records: Sequence[str]) -> tuple[Prior, ...]:
    if isinstance(prior, Scalar) or prior.mapping().entries[0][0].text == "iid":
        return (read_prior(prior, values),)
    given = prior.mapping()["independent"].sequence("one distribution per record").items
    if len(given) != len(records):
        said = f"{len(given)} distributions for {len(records)} records"
        hint = f"write one for each of: {', '.join(records[:20])}"
        raise prior.fail("S502", said, hint)
    known: dict[tuple[Fraction, ...], Prior] = {}
    rows = (tuple(distribution(item, values)) for item in given)
    return tuple(known.setdefault(row, _prior(row)) for row in rows)


def _prior(row: Sequence[Fraction]) -> Prior:
    coder = Coder()
    codes = [coder.code(p) for p in row]
    return Prior.of(Column(tuple(coder.values), np.array(codes)))


def compared(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    pairs: Sequence[Sequence[Pair]],
    priors: RecordPriors,
    options: Json,
) -> Question:
    """The question whether no two secrets about one record are told apart.

    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    pairs       for each record its pairs of secrets, over the values of a record
    priors      what attackers may believe of single records
    options     the definition's own, in canonical form
    """
    if priors.name == "list":  # mixtures are of whole answers
        local = local.each(lambda channel: Channel.of(matrix_of(channel)))
    parts: dict[object, tuple[int, Changes]] = {}
    chosen, notes = [], dict.fromkeys(local.notes)
    for record, own in enumerate(pairs):
        if not own:
            chosen.append(-1)
            continue
        key = local.chosen[record], priors.same(record), tuple(map(_key, own))
        if key not in parts:
            channel = local.channel(record)
            matrix = channel.answers[0][0]
            about = Pufferfish(definition, local.values, matrix, own, level, share(delta))
            parts[key] = len(parts), _changes(about, channel, priors, record)
        chosen.append(parts[key][0])
    count = 2 * sum(map(len, pairs))
    scope = {"values": local.values.size, "pairs": count, "priors": _told(priors)}
    claim = LocalClaim(
        definition,
        space,
        local,
        tuple(part for _, part in parts.values()),
        tuple(chosen),
        ONE,
        level,
        share(delta),
        scope={**scope, "notes": list(notes)},
    )
    return Question(definition=definition, claim=claim, options=options)


def _key(pair: Pair) -> object:
    """The same for two pairs of secrets with the same values and names."""
    return tuple((secret.name, secret.worlds.tobytes()) for secret in pair)


def _told(priors: RecordPriors) -> str:
    return priors.name if priors.name != "list" else f"list of {len(priors.given)}"


def _changes(about: Pufferfish, channel: Channel, priors: RecordPriors, record: int) -> Changes:
    """What is compared of a record: its question alone, over its own values."""
    claim = priors.of(record).claim(about)
    assert isinstance(claim, ComparisonClaim)
    if priors.name != "list":
        statement = {**claim.relation.statement, "priors": {"class": priors.name}}
        relation = replace(claim.relation, statement=statement)
        return Changes(channel.answers, relation, claim.describe)
    return Changes(((claim.compared, 1),), claim.relation, claim.describe)


def asked(
    definition: str, options: Options, kind: str = GIVEN, states: bool = True
) -> Question | None:
    """The question that the `options` of a file ask of channels; None where they do not decide it,
    but worlds are few enough to be enumerated.

    definition  the keyword that asks
    kind        of the pairs where none are written, `given` for those of the file
    states      whether the kind of pairs is one of its options

    Raises S114 where worlds are too many, and secrets or priors are about several records.
    """
    local = options.channels()
    if local is None:
        return None
    model, node = options.model, options.priors_node()
    known = dependent(node, model.outline)
    try:
        priors = None if known else _priors(node, local)
        pairs, kind = _pairs(options, local, kind)
    except InputError as error:
        if model.is_large or error.code != "S114":
            raise
        return None
    stated = {"pairs": kind} if states else {}
    args = definition, model.outline, local, options.level(), options.delta()
    if priors is not None:
        return compared(*args, pairs, priors, stated)
    assert known is not None
    return of_dependent(known, *args, pairs, stated, needed=model.is_large)


def question(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    pairs: object,
    priors: object,
    states: bool = True,
) -> Question:
    """The question from Python, about pairs of a kind: `values`, `entries` or `presence`.

    priors  `product`, `iid`, or {"list": [prior, …]} with priors of independent records

    The others are those of `compared` and `asked`. InputError S114 for other pairs or priors.
    """
    if not isinstance(pairs, str) or not isinstance(priors, Node | str | abc.Mapping):
        said = "channels decide pairs and priors that are written out"
        raise InputError("S114", said, hint="write pairs values, and priors product")
    each = pairs_of_kind(local.values, pairs)
    options = {"pairs": pairs} if states else {}
    every = [each] * len(local.records)
    known = dependent(tree(priors), space)
    if known:
        asked = of_dependent(known, definition, space, local, level, delta, every, options)
        assert asked is not None
        return asked
    found = _priors(tree(priors), local)
    return compared(definition, space, local, level, delta, every, found, options)


def _priors(node: Node, local: LocalMechanism) -> RecordPriors:
    """The class of priors of a node; S114 where records may depend on one another."""
    alone = len(local.records) == 1 and isinstance(node, Scalar) and node.text == "all"
    if not has_form(node) and not alone:
        said = "channels decide priors under which records are independent"
        hint = "write product, iid, a list of {iid: …} and {independent: […]}, or of {markov: …}"
        raise node.fail("S114", said, hint)
    return read_priors(node, local.values, local.records)


def _pairs(options: Options, local: LocalMechanism, kind: str) -> tuple[list[list[Pair]], str]:
    """For each record its pairs of secrets, and the kind of all of them."""
    if kind != GIVEN and options.option("pairs") is None:
        return [pairs_of_kind(local.values, kind)] * len(local.records), kind
    model, node = options.model, options.pairs_node()
    secrets = read_secrets(model.node.table.get("secrets"), model.outline, local.values)
    found = read_pairs(node, secrets, len(local.records))
    if not model.is_large:
        named = {s.name for own in found[0] for pair in own for s in pair if s.named}
        model.secrets.used.update(named)
    return found
