"""The nouns of a spec file: worlds, secrets, pairs, priors and mechanisms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from verifier import priors
from verifier.base import examples
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import InputError, choice
from verifier.claims.secrets import GENERATED, GIVEN, Pair, Pairs, PriorClass, Secret, generated
from verifier.mechanisms import Context, read_mechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, constraints, predicate

MAX_NAMED = 30  # mechanisms inside one another, by name


class Secrets(dict[str, np.ndarray]):
    """Names of secrets with Boolean arrays over the worlds; `used` are those looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self.used.add(name)
        return super().__getitem__(name)


@dataclass(eq=False)
class Model:
    """The nouns of a file; mechanisms are built when a check first needs them."""

    path: Path
    node: Mapping
    space: WorldSpace
    secrets: Secrets
    allow_python: bool = False
    _built: dict[str, Mechanism] = field(default_factory=dict)
    _building: list[str] = field(default_factory=list)
    _files: dict[str, str] = field(default_factory=dict)  # path as written -> digest
    _wrong: dict[str, InputError] = field(default_factory=dict)
    priors_used: set[tuple[int, int]] = field(default_factory=set)  # by place

    @property
    def where(self) -> list[Scalar]:
        """The constraints on the worlds."""
        return constraints(self.node["worlds"])

    def priors_at(self, node: Node) -> PriorClass:
        """The class of priors that a node describes."""
        self.priors_used.add((node.line, node.column))
        return priors.read_class(node, self.space, self.secrets)

    def mechanism_named(self, name: Scalar) -> Mechanism:
        """The mechanism of a name under `mechanisms`."""
        table = self.node.table.get("mechanisms")
        node = table.mapping().get(name.text) if table else None
        if node is None:
            known = [key.text for key, _ in table.mapping().entries] if table else []
            hint = choice(name.text, known) or examples.like("a mechanism")
            raise name.fail("S106", f"no mechanism is named '{name.text}'", hint)
        if name.text in self._building:
            others = [key.text for key, _ in self.node["mechanisms"].mapping().entries]
            others = [other for other in others if other not in self._building]
            other = f"others are: {', '.join(others[:20])}" if others else ""
            hint = other or examples.like("a mechanism")
            raise name.fail("S106", f"the mechanism '{name.text}' is made of itself", hint)
        if len(self._building) == MAX_NAMED:
            raise name.fail("S106", f"more than {MAX_NAMED} mechanisms made of one another")
        if name.text in self._wrong:
            raise self._wrong[name.text]
        if name.text not in self._built:
            self._building.append(name.text)
            try:
                self._built[name.text] = self.build(node)
            except InputError as error:
                self._wrong[name.text] = error
                raise
            finally:
                self._building.pop()
        return self._built[name.text]

    def build(self, node: Node) -> Mechanism:
        """The mechanism a node describes."""
        return read_mechanism(
            node,
            Context(
                self.space,
                self.secrets,
                self.mechanism_named,
                self.path.parent,
                self.allow_python,
                self._files,
            ),
        )

    def source(self) -> dict[str, object]:
        """The digests of the file and of the files that its mechanisms were read from."""
        return {"spec": self.node.source.digest, "files": dict(sorted(self._files.items()))}

    def single_mechanism(self) -> Mechanism:
        """The mechanism under `mechanism`, built once."""
        if "" not in self._built:
            self._built[""] = self.build(self.node["mechanism"])
        return self._built[""]


def check_secret_name(name: Scalar, space: WorldSpace) -> None:
    """Refuse (S401) the name of something else."""
    owner = space.owner(name.text)
    if owner is None and space.may_be_named(name.text) and space.index(name.text) is not None:
        owner = "a world"
    if owner:
        hint = f"choose another name, such as is_{name.text}" if name.text.isidentifier() else ""
        raise name.fail("S401", f"the secret '{name.text}' has the name of {owner}", hint)


def read_secrets(node: Node | None, space: WorldSpace) -> Secrets:
    """The secrets of a file as Boolean arrays over the worlds; S401 to S403."""
    secrets = Secrets()
    for key, value in node.mapping(what="a mapping from names to secrets").entries if node else ():
        check_secret_name(key, space)
        if isinstance(value, Sequence):
            worlds = np.zeros(space.size, dtype=bool)
            for name in value:
                worlds[space.locate(name.scalar("a world"))] = True
        else:
            worlds = predicate(space, value.scalar("a predicate or a list of worlds"), secrets)
        if not worlds.any():
            raise value.fail("S402", f"the secret '{key.text}' is empty: no world is in it")
        secrets[key.text] = worlds
    return secrets


def read_pairs(node: Node, model: Model) -> Pairs:
    """The pairs a node lists, or generates; S404 to S407."""
    items = [node] if isinstance(node, Scalar) else node.sequence("a list of pairs").items
    found: list[Pair] = []
    kinds = []
    for item in items:
        if isinstance(item, Scalar):
            kinds.append(item.word(GENERATED, "kind of pairs", "S405"))
            found += item.placed(partial(generated, model.space, kinds[-1])).listed
        else:
            found.append(_pair(item, model))
    if not found and not any(isinstance(item, Scalar) for item in items):
        raise node.fail("S404", "the list of pairs is empty")
    known: dict[str, Secret] = {}
    for secret in (secret for pair in found for secret in pair):
        if (known.setdefault(secret.name, secret).worlds != secret.worlds).any():
            said = f"'{secret.name}' names two different secrets"
            raise node.fail("S401", said, "give the secret of the file another name")
    return Pairs(tuple(found), kinds[0] if kinds and len(items) == 1 else GIVEN)


def _pair(item: Node, model: Model) -> Pair:
    names = [part.scalar("a secret") for part in item.sequence("a pair [secret, secret]")]
    if len(names) != 2:
        pairs = combinations((name.text for name in names[:4]), 2)
        written = ", ".join(f"[{a}, {b}]" for a, b in pairs)
        hint = f"write {written}" if 2 < len(names) < 5 else ""
        raise item.fail("S405", f"a pair has two secrets, found {len(names)}", hint)
    sides = []
    for name in names:
        if name.text not in model.secrets:
            hint = choice(name.text, model.secrets, "secrets") or examples.missing("secrets")
            raise name.fail("S405", f"no secret is named '{name.text}'", hint)
        sides.append(Secret(name.text, model.secrets[name.text], named=True))
    common = np.flatnonzero(sides[0].worlds & sides[1].worlds)
    if len(common):
        world = model.space.name(int(common[0]))
        raise item.fail(
            "S406", f"the secrets '{names[0].text}' and '{names[1].text}' overlap in world {world}"
        )
    return sides[0], sides[1]
