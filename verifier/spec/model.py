"""The nouns of a file: worlds, secrets, pairs and mechanisms."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path

import numpy as np

from verifier import priors
from verifier.base import examples, parameters
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import InputError, NotDecided, choice
from verifier.base.nouns import Later, dataclass
from verifier.mechanisms import UNNAMED, Context, Lookup, is_local, read_released, ways
from verifier.questions.secrets import (
    GENERATED,
    Pair,
    Pairs,
    PriorClass,
    Secret,
    generated,
    ordered,
)
from verifier.world.box import Box
from verifier.world.local import LocalMechanism, NotFactored
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import (
    MAX_WORLDS,
    Described,
    WorldSpace,
    constraints,
    described,
    predicate,
)

MAX_NAMED = 30  # mechanisms inside one another, by name
DECIDED = (
    "write fewer records, or one of the definitions that channels of single records decide: "
    "differential_privacy and others that compare worlds, pufferfish, noiseless, dependent_privacy"
)
FEW = 2**7  # worlds, up to which a matrix shows whole worlds as witnesses, in about the same time
FEW_OVER = 2**12  # the same with several real parameters
MANY = 2**16  # worlds, above which they are enumerated only where something needs them


class Secrets(dict[str, np.ndarray]):
    """Names of secrets with Boolean arrays over the worlds; `used` are those looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self.used.add(name)
        return super().__getitem__(name)


class OfBox(NotDecided):
    """A check is about a mechanism whose probabilities are known between two ends only."""

    def __init__(self, box: Box) -> None:
        super().__init__("only ends of the probabilities are known")
        self.box = box


class OfReleased(NotDecided):
    """A check is about a mechanism that releases real numbers."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__("real numbers are released")
        self.mechanism = mechanism


@dataclass(eq=False)
class Model(Later):
    """The nouns of a file; mechanisms are built when a check first needs them. Records that answer
    by themselves are so unless all is decided `by_worlds`."""

    path: Path
    node: Mapping
    allow_python: bool = False
    by_worlds: bool = False
    _built: dict[str, Mechanism | Box] = field(default_factory=dict)
    _building: list[str] = field(default_factory=list)
    _files: dict[str, str] = field(default_factory=dict)  # path as written -> digest
    _wrong: dict[str, InputError] = field(default_factory=dict)
    used: set[tuple[int, int]] = field(default_factory=set)  # what checks needed, by place
    _channels: dict[tuple[int, int, bool], LocalMechanism | None] = field(
        default_factory=dict
    )  # by place, and whether parts are looked for
    shared: dict[tuple[int, int], str] = field(
        default_factory=dict
    )  # place of a mechanism -> why it has no independent parts

    @cached_property
    def space(self) -> WorldSpace:
        """The worlds, enumerated; S206 where they are too many."""
        if self.is_large and size_of(self.outline) > MAX_WORLDS:
            said = f"{written_size(self.outline)} worlds are too many to be enumerated"
            raise self.node["worlds"].fail("S206", said, DECIDED)
        return self._described.space

    @cached_property
    def outline(self) -> WorldSpace:
        """What worlds are made of, without any world unless they are listed."""
        return self._described.outline

    @cached_property
    def _described(self) -> Described:
        """The worlds as the file describes them."""
        return described(self.node["worlds"])

    @cached_property
    def is_large(self) -> bool:
        """Whether worlds are left alone until something needs them."""
        return is_large(self.node, lambda: self.outline)

    @cached_property
    def secrets(self) -> Secrets:
        """The secrets, as sets of worlds."""
        return read_secrets(self.node.table.get("secrets"), self.space)

    @cached_property
    def is_fixed(self) -> bool:
        """Whether worlds and secrets are the same for all values of parameters."""
        nodes = (self.node.table.get(key) for key in ("worlds", "secrets"))
        return not any(node and parameters.is_mentioned(node.written) for node in nodes)

    def share(self, other: Model) -> None:
        """Take over what another model of the same tree, for other values of its parameters, has
        made that is the same here."""
        if other.is_fixed:
            same = ("_described", "is_fixed", "is_large", "outline", "secrets", "space")
            vars(self).update({name: vars(other)[name] for name in same if name in vars(other)})

    @property
    def where(self) -> list[Scalar]:
        """The constraints on the worlds."""
        return constraints(self.node["worlds"])

    def use(self, node: Node) -> None:
        """Keep in mind that priors, pairs or a mechanism, at a `node` of the file, are needed."""
        self.used.add((node.line, node.column))

    def uses(self, node: Node) -> bool:
        """Whether something has needed what stands at a `node`."""
        return (node.line, node.column) in self.used

    def found(self, name: Scalar) -> Node | None:
        """The mechanism of a `name`, as the file describes it, which is needed; None for none."""
        node = lookup(self.node, name)
        if node is not None:
            self.use(node)
        return node

    def priors_at(self, node: Node) -> PriorClass:
        """The class of priors that a node describes."""
        self.use(node)
        return priors.read_class(node, self.space, self.secrets)

    def mechanism_named(self, name: Scalar) -> Mechanism | Box:
        """The mechanism of a name under `mechanisms`."""
        table, node = self.node.table.get("mechanisms"), self.found(name)
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

    def build(self, node: Node) -> Mechanism | Box:
        """The mechanism a node describes."""
        return read_released(
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

    def local(self, node: Node, parts: bool = False) -> LocalMechanism | None:
        """The channels of a mechanism that answers every record by itself; None for another one,
        where there are so few worlds that its matrix serves as well, or worlds are to decide.

        node   the mechanism
        parts  whether to look for independent parts that are each about one record
        """
        if self.by_worlds:
            return None
        find, place = self.found, (node.line, node.column, parts)
        self.use(node)
        most = FEW_OVER if len(parameters.active().real) > 1 else FEW
        if size_of(self.outline) <= most and UNNAMED in ways(node, find):
            return None
        if place not in self._channels:
            self._channels[place] = self._local(node, find, parts)
        return self._channels[place]

    def _local(self, node: Node, find: Lookup, parts: bool) -> LocalMechanism | None:
        """The channels of a mechanism, as its names are found; None where it has none."""
        from verifier.mechanisms.local import of_answers, read_local

        crowd, listed = self.outline.is_histograms, bool(self.outline.given)
        secrets: abc.Mapping[str, np.ndarray] = self.secrets if listed else {}
        context = Context(self.outline, secrets, _nothing, self.path.parent, self.allow_python)
        context = replace(context, files=self._files)
        if not crowd and is_local(node, find):
            return None if self.where else read_local(node, context, find)
        if not (crowd or listed or (parts and self.outline.records)):
            return None
        context = replace(context, space=self.space, named=self.mechanism_named)
        try:
            return of_answers(node, replace(context, secrets=self.secrets), find)
        except NotFactored as reason:
            self.shared[node.line, node.column] = str(reason)
            return None

    @property
    def files(self) -> list[str]:
        """The files that its mechanisms were read from, by their paths as written."""
        return sorted(self._files)

    def source(self) -> dict[str, object]:
        """The digests of the file and of the files that its mechanisms were read from."""
        return {"spec": self.node.source.digest, "files": dict(sorted(self._files.items()))}

    def single_mechanism(self) -> Mechanism | Box:
        """The mechanism under `mechanism`, built once."""
        self.use(self.node.table["mechanism"])
        if "" not in self._built:
            self._built[""] = self.build(self.node.table["mechanism"])
        return self._built[""]


def lookup(top: Mapping, name: Scalar) -> Node | None:
    """The mechanism of a `name`, as a file describes it; None where there is none."""
    table = top.table.get("mechanisms")
    return table.get(name.text) if isinstance(table, Mapping) else None


def named_mechanisms(top: Mapping) -> Iterator[tuple[str, Node]]:
    """The mechanisms of a file with their names, those of checks without."""
    for key, node in top.entries:
        if key.text == "mechanism":
            yield "", node
        if key.text == "mechanisms" and isinstance(node, Mapping):
            yield from ((name.text, each) for name, each in node.entries)
        for item in node if key.text == "checks" and isinstance(node, Sequence) else ():
            for about in (item, *(n for _, n in item.entries)) if isinstance(item, Mapping) else ():
                own = about.table.get("mechanism") if isinstance(about, Mapping) else None
                if own is not None and not isinstance(own, Scalar):
                    yield "", own


def is_large(top: Mapping, outline: abc.Callable[[], WorldSpace]) -> bool:
    """Whether worlds are so many that they are enumerated only where something needs them.

    Then every mechanism answers every record by itself; or there is none, and all checks are about
    hidden records. `outline` gives what the worlds are made of; it raises where they are wrong.
    """
    worlds, found = top.table.get("worlds"), list(named_mechanisms(top))
    if not isinstance(worlds, Mapping) or worlds.table.get("where") is not None:
        return False
    if not found and not _asks_of_records(top.table.get("checks")):
        return False
    try:
        if size_of(outline()) <= MANY:
            return False
    except InputError:  # told where worlds are read
        return False
    return all(is_local(node, partial(lookup, top)) for _, node in found)


def _asks_of_records(checks: Node | None) -> bool:
    """Whether all `checks` are about hidden records."""
    items = checks.items if isinstance(checks, Sequence) else ()
    known = [item for item in items if isinstance(item, Mapping) and "influence" in item.table]
    return bool(known) and len(known) == len(items)


def size_of(space: WorldSpace) -> int:
    """How many worlds there are without constraints; 1 for histograms."""
    size: int = len(space.record_values) ** len(space.records)
    return size


def written_size(space: WorldSpace) -> str:
    """The same as a power, as people read it."""
    return f"{len(space.record_values)}^{len(space.records)}"


def _nothing(name: Scalar) -> Mechanism:
    raise name.fail("S106", f"no mechanism is named '{name.text}'")


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
    if kinds and len(items) > 1 and model.space.is_histograms:
        said = "pairs about one record among others stand alone"
        raise node.fail("S405", said, f"write pairs: {kinds[0]}, and a check for each other kind")
    if not found and not any(isinstance(item, Scalar) for item in items):
        raise node.fail("S404", "the list of pairs is empty")
    known: dict[str, Secret] = {}
    for secret in (secret for pair in found for secret in pair):
        if (known.setdefault(secret.name, secret).worlds != secret.worlds).any():
            said = f"'{secret.name}' names two different secrets"
            raise node.fail("S401", said, "give the secret of the file another name")
    if kinds and len(items) == 1:
        return Pairs(tuple(found), kinds[0])
    return Pairs(tuple(ordered(found)))


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
