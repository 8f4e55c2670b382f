"""Secrets about single records, and pairs of them, read without any world.

A secret is an expression that names one record; it is a set of values of that record. Pairs of a
kind, such as `values`, are those of every record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from verifier.base import examples
from verifier.base.document import Node, Scalar, Sequence
from verifier.base.errors import choice
from verifier.base.nouns import Later, dataclass
from verifier.questions.secrets import GENERATED, GIVEN, Pair, Pairs, Secret, generated, ordered
from verifier.world.space import WorldSpace
from verifier.world.worlds import predicate

NAME = re.compile(r"[^\W\d]\w*")
ONE = "with channels a secret is about one record"


@dataclass(frozen=True, eq=False)
class RecordSecrets(Later):
    """The secrets of a file.

    of      name -> the number of its record, and a Boolean array over the values of a record
    values  the values of a record, as worlds
    """

    of: Mapping[str, tuple[int, np.ndarray]]
    values: WorldSpace


def read_secrets(node: Node | None, space: WorldSpace, values: WorldSpace) -> RecordSecrets:
    """The secrets of a file, each about one record.

    node    {name: expression}; None for no secrets
    space   what worlds are made of
    values  the values of a record, as worlds

    Raises S114 for a secret that is not about one record, S402 for one without a value.
    """
    found: dict[str, tuple[int, np.ndarray]] = {}
    for key, value in node.mapping(what="a mapping from names to secrets").entries if node else ():
        if isinstance(value, Sequence):
            raise value.fail("S114", ONE, f"write an expression such as {space.records[0]} == …")
        found[key.text] = _secret(value.scalar("a predicate"), space, values, found)
        if not found[key.text][1].any():
            said = f"the secret '{key.text}' is empty: no value is in it"
            raise value.fail("S402", said)
    return RecordSecrets(found, values)


def _secret(
    text: Scalar, space: WorldSpace, values: WorldSpace, known: Mapping[str, tuple[int, np.ndarray]]
) -> tuple[int, np.ndarray]:
    names = set(NAME.findall(text.text))
    records = {at for at, record in enumerate(space.records) if record in names}
    records |= {known[name][0] for name in names & set(known)}
    if len(records) != 1:
        hint = f"write an expression about one of them, such as {space.records[0]} == …"
        raise text.fail("S114", f"{ONE}, this is about {len(records) or 'no'} records", hint)
    (record,) = records
    alone = replace(values, records=(space.records[record],))
    mine = {name: worlds for name, (at, worlds) in known.items() if at == record}
    return record, predicate(alone, text, mine)


def read_pairs(node: Node, secrets: RecordSecrets, records: int) -> tuple[list[list[Pair]], str]:
    """The pairs of secrets about each of so many `records`; and their kind.

    node     a kind of pairs, or a list of kinds and of [secret, secret]
    secrets  those of the file

    Raises S404 to S406 as for pairs of sets of worlds, S114 for secrets about two records.
    """
    items = [node] if isinstance(node, Scalar) else node.sequence("a list of pairs").items
    found: list[list[Pair]] = [[] for _ in range(records)]
    kinds = []
    for item in items:
        if isinstance(item, Scalar):
            kinds.append(item.word(GENERATED, "kind of pairs", "S405"))
            pairs = item.placed(lambda: pairs_of_kind(secrets.values, kinds[-1]))
            for own in found:
                own += pairs
        else:
            record, pair = _pair(item, secrets)
            found[record].append(pair)
    if not items:
        raise node.fail("S404", "the list of pairs is empty")
    if kinds and len(items) == 1:
        return found, kinds[0]
    return [ordered(own) for own in found], GIVEN


def pairs_of_kind(values: WorldSpace, kind: str) -> list[Pair]:
    """The pairs of a `kind` about one record, over its `values`."""
    found: Pairs = generated(values, kind)
    return list(found.listed)


def _pair(item: Node, secrets: RecordSecrets) -> tuple[int, Pair]:
    names = [part.scalar("a secret") for part in item.sequence("a pair [secret, secret]")]
    if len(names) != 2:
        raise item.fail("S405", f"a pair has two secrets, found {len(names)}")
    for name in names:
        if name.text not in secrets.of:
            hint = choice(name.text, secrets.of, "secrets") or examples.missing("secrets")
            raise name.fail("S405", f"no secret is named '{name.text}'", hint)
    (first, here), (second, there) = (secrets.of[name.text] for name in names)
    if first != second:
        said = f"{ONE}, '{names[0].text}' and '{names[1].text}' are about two"
        raise item.fail("S114", said, "pair secrets about the same record")
    if (here & there).any():
        value = secrets.values.name(int(np.flatnonzero(here & there)[0]))
        said = f"the secrets '{names[0].text}' and '{names[1].text}' overlap in the value {value}"
        raise item.fail("S406", said)
    left, right = (Secret(n.text, w, named=True) for n, w in zip(names, (here, there), strict=True))
    return first, (left, right)
