"""A spec file, read: worlds, secrets, pairs, priors, mechanisms, and the checks to decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np

from verifier import priors
from verifier.base import document, exact, examples
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import InputError, LimitReached, choice, nearest
from verifier.base.level import Level
from verifier.base.registry import DEFINITIONS, PRIORS
from verifier.mechanisms import Context, read_mechanism, runs_python
from verifier.priors import Pair, PriorClass, Secret
from verifier.world.mechanism import Mechanism
from verifier.world.space import show
from verifier.world.worlds import WorldSpace, predicate, read_worlds

KEYS = (
    *("title", "source", "worlds", "secrets", "pairs", "priors"),
    *("mechanism", "mechanisms", "checks"),
)
MAX_NAMED = 30  # mechanisms inside one another, by name
MAX_PAIRS = 10**6
GENERATED_PAIRS = ("values", "entries", "presence")


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

    def priors_at(self, node: Node) -> PriorClass:
        """The class of priors that a node describes."""
        self.priors_used.add((node.line, node.column))
        return priors.read_class(node, self.space, self.secrets)

    def mechanism_named(self, name: Scalar) -> Mechanism:
        """The mechanism of a name under `mechanisms`."""
        table = self.node.get("mechanisms")
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


@dataclass(frozen=True, eq=False)
class Check:
    """One item of `checks`: a definition, its options, and what the file expects."""

    model: Model
    item: Mapping
    definition: Scalar
    options: Mapping
    index: int

    @property
    def space(self) -> WorldSpace:
        """The worlds."""
        return self.model.space

    @property
    def name(self) -> str | None:
        """The check's name in the file."""
        node = self.item.get("name")
        return node.scalar("a name").text if node else None

    @property
    def expected(self) -> str:
        """`holds`, `violated` or `vacuous`."""
        node = self.item.get("expect")
        return node.word(("holds", "violated", "vacuous"), "expectation") if node else "holds"

    def option(self, key: str) -> Node | None:
        """An option of the definition, or of the check around it."""
        inside, outside = self.options.get(key), self.item.get(key)
        if inside is not None and outside is not None:
            said = f"'{key}' is given twice, here and in the definition"
            raise outside.fail("S602", said, "leave one of the two out")
        return inside if inside is not None else outside

    def level(self) -> Level:
        """The level: exactly one of `epsilon` and `exp_epsilon`."""
        readers = {"epsilon": Level.of_epsilon, "exp_epsilon": Level.of_exp_epsilon}
        given = [key for key in readers if self.options.get(key) is not None]
        if len(given) != 1:
            times = "given twice" if given else "needed"
            hint = "leave one of the two out" if given else ""
            said = f"a level is {times}: either epsilon or exp_epsilon"
            raise self.definition.fail("S601", said, hint)
        node = self.options[given[0]].scalar("a level")
        return node.placed(lambda: readers[given[0]](node.text))

    def delta(self) -> Fraction:
        """delta in [0, 1], 0 where not given."""
        node = self.options.get("delta")
        if node is None:
            return Fraction(0)
        value = node.number("delta")
        if not 0 <= value <= 1:
            raise node.fail("S601", f"delta must lie in [0, 1], found {value}", exact.share(value))
        return value

    def mechanism_name(self) -> str | None:
        """The name of the chosen mechanism, or of several; None where the file has just one,
        without a name."""
        node = self.option("mechanism")
        if isinstance(node, Scalar):
            return node.text
        listed = self.options.get("of") or self.options.get("sequence")
        if node is None and isinstance(listed, Sequence):
            return ", ".join(
                item.text if isinstance(item, Scalar) else f"number {at}"
                for at, item in enumerate(listed, 1)
            )
        table = self.model.node.get("mechanisms")
        if node is None and table is not None:
            names = [key.text for key, _ in table.mapping().entries]
            if len(names) == 1:
                return names[0]
        return None

    def mechanism(self) -> Mechanism:
        """The mechanism to check; S605 where the file names several and the check none."""
        node = self.option("mechanism")
        if node is not None:
            return self.model.build(node)
        if self.model.node.get("mechanism") is not None:
            return self.model.single_mechanism()
        table = self.model.node.get("mechanisms")
        if table is None:
            hint = examples.missing("mechanism")
            raise self.definition.fail("S605", "the file has no mechanism to check", hint)
        entries = table.mapping(what="a mapping from names to mechanisms").entries
        if not entries:
            said = "the file has no mechanism to check"
            raise table.fail("S605", said, "write mechanisms: {name: mechanism}")
        if len(entries) != 1:
            names = ", ".join(key.text for key, _ in entries)
            hint = f"add mechanism: {entries[0][0].text} to the check"
            raise self.definition.fail("S605", f"the check must choose a mechanism: {names}", hint)
        return self.model.mechanism_named(entries[0][0])

    def mechanisms(self) -> list[tuple[str, Mechanism]]:
        """The mechanisms under `of` or `sequence` by name, as written; else the only one; S605."""
        given = [node for key in ("of", "sequence") if (node := self.options.get(key)) is not None]
        if not given:
            return [(self.mechanism_name() or "", self.mechanism())]
        names = [item.scalar("a name") for item in given[0].sequence("a list of mechanisms")]
        if len(given) == 2 or self.option("mechanism") is not None:
            said = "only one of 'mechanism', 'of' and 'sequence' names mechanisms"
            raise given[0].fail("S605", said, "leave the others out")
        if not names:
            hint = "write the names of mechanisms, such as [once, twice]"
            raise given[0].fail("S605", "the list of mechanisms is empty", hint)
        return [(name.text, self.model.mechanism_named(name)) for name in names]

    def isolation(self) -> str | None:
        """How the Python functions of its mechanisms are shut in; None where it has none."""
        top = self.model.node
        asked = [self.option(key) for key in ("mechanism", "of", "sequence", "if", "then", "under")]
        if not any(asked) and "epsilon" in DEFINITIONS.module(self.definition.text).OPTIONS:
            asked = [top.get("mechanism"), top.get("mechanisms")]
        if not (self.model.allow_python and any(runs_python(node, top) for node in asked)):
            return None
        name: str | None = import_module("verifier.mechanisms._guests").isolation_name()
        return name

    def pairs(self) -> list[Pair]:
        """The pairs of secrets; S404 where there are none."""
        node = self.option("pairs") or self.model.node.get("pairs")
        if node is None:
            raise self.definition.fail("S404", "the check needs pairs of secrets")
        return read_pairs(node, self.model)

    def priors(self) -> PriorClass:
        """The class of priors; S506 where there is none, or several and none is chosen."""
        node = self.option("priors")
        shared = self.model.node.get("priors")
        several = isinstance(shared, Mapping) and not priors.is_class(shared)
        if node is None:
            if shared is None:
                raise self.definition.fail("S506", "the check needs a class of priors")
            node = shared
            if several:
                assert isinstance(shared, Mapping)
                if len(shared.entries) != 1:
                    names = ", ".join(key.text for key, _ in shared.entries)
                    hint = f"add priors: {shared.entries[0][0].text} to the check"
                    said = f"the check must choose priors: {names}"
                    raise self.definition.fail("S506", said, hint)
                node = shared.entries[0][1]
        elif isinstance(node, Scalar) and not priors.is_class(node) and several:
            assert isinstance(shared, Mapping)
            chosen = shared.get(node.text)
            if chosen is None:
                known = [*(key.text for key, _ in shared.entries), *PRIORS.keywords()]
                hint = choice(node.text, known)
                raise node.fail("S506", f"no priors are named '{node.text}'", hint)
            node = chosen
        return self.model.priors_at(node)


def load(path: str | Path, allow_python: bool = False) -> tuple[Model, list[Check]]:
    """Read a spec file; InputError at the first thing that is wrong."""
    return read(document.load(path), Path(path), allow_python)


def read(node: Node, path: Path, allow_python: bool = False) -> tuple[Model, list[Check]]:
    """The model and the checks of a file's tree."""
    top = node.mapping(KEYS, "a mapping of worlds, mechanism, checks, …", needs="worlds checks")
    if top.get("mechanism") is not None and top.get("mechanisms") is not None:
        said = "a file has 'mechanism' or 'mechanisms', not both"
        hint = "put the other one under `mechanisms` too, with a name"
        raise top["mechanisms"].fail("S605", said, hint)
    for key in ("title", "source"):
        if (text := top.get(key)) is not None:
            text.scalar("text")
    items = top["checks"].sequence("a list of checks").items
    if not items:
        raise top["checks"].fail("S606", "the list of checks is empty: nothing would be checked")
    space = read_worlds(top["worlds"])
    model = Model(path, top, space, read_secrets(top.get("secrets"), space), allow_python)
    if (table := top.get("priors")) is not None and isinstance(table, Mapping):
        _check_prior_names(table)
    known = DEFINITIONS.keywords()
    read = [read_check(item, known) for item in items]
    return model, [
        Check(model, item.mapping(), *asked, index)
        for index, (item, asked) in enumerate(zip(items, read, strict=True))
    ]


def _check_prior_names(table: Mapping) -> None:
    for key, _ in table.entries:
        if key.text in PRIORS.keywords() and len(table.entries) > 1:
            said = f"'{key.text}' is a class of priors and cannot be a name"
            raise key.fail("S506", said, f"choose another name, such as my_{key.text}")


def read_check(item: Node, known: list[str]) -> tuple[Scalar, Mapping]:
    """The definition of a check, and its options."""
    around = ("name", "mechanism", "expect", "leakage", "pairs", "priors")
    entries = item.mapping(what="a check such as {differential_privacy: {epsilon: ln(3)}}").entries
    for key, _ in entries:
        if key.text not in (*around, *known):
            hint = nearest(key.text, (*around, *known)).lstrip("; ") or choice("", known)
            raise key.fail("S015", f"unknown definition or key '{key.text[:80]}'", hint)
    found = [(key, value) for key, value in entries if key.text not in around]
    if len(found) != 1:
        names = ", ".join(key.text for key, _ in found) or "none"
        several = "write a list item of its own for each definition"
        hint = several if found else examples.like("a list of checks")
        raise item.fail("S602", f"a check has exactly one definition, found {names}", hint)
    return found[0][0], found[0][1].mapping(what="a mapping of options")


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


def read_pairs(node: Node | str, model: Model) -> list[Pair]:
    """The pairs a node lists, or generates; S404 to S407."""
    if isinstance(node, str):
        return list(_generated(node, model.space))
    items = [node] if isinstance(node, Scalar) else node.sequence("a list of pairs").items
    found: list[Pair] = []
    for item in items:
        if isinstance(item, Scalar):
            kind = item.word(GENERATED_PAIRS, "kind of pairs", "S405")
            found += item.placed(lambda kind=kind: list(_generated(kind, model.space)))  # type: ignore[misc]
        else:
            found.append(_pair(item, model))
    if not found and not any(isinstance(item, Scalar) for item in items):
        raise node.fail("S404", "the list of pairs is empty")
    known: dict[str, Secret] = {}
    for secret in (secret for pair in found for secret in pair):
        if (known.setdefault(secret.name, secret).worlds != secret.worlds).any():
            said = f"'{secret.name}' names two different secrets"
            raise node.fail("S401", said, "give the secret of the file another name")
    return found


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


def _generated(kind: str, space: WorldSpace) -> Iterator[Pair]:
    """`values`, `entries` or `presence` pairs of every record."""
    if not space.records:
        hint = "write pairs: [[sun, rain]] with two names of `secrets`"
        raise InputError("S407", f"pairs '{kind}' need worlds made of records", hint=hint)
    if kind == "presence" and space.absent_code is None:
        hint = "add absent: true to the worlds, or write values"
        raise InputError("S407", "pairs 'presence' need worlds with 'absent: true'", hint=hint)
    parts = space.entry_values if kind == "entries" else [space.record_values]
    if kind != "presence" and len(space.records) * sum(comb(len(v), 2) for v in parts) > MAX_PAIRS:
        raise LimitReached(f"more than {MAX_PAIRS} pairs of secrets are too many")
    for number, record in enumerate(space.records):
        if kind == "entries" and space.attributes:
            for at, attribute in enumerate(space.attributes):
                codes = space.entry_codes[number * len(space.attributes) + at]
                names = [show(value) for value in space.entry_values[at]]
                secrets = _of_codes(f"{record}.{attribute}", codes, names)
                yield from combinations(secrets, 2)
            continue
        values = _of_codes(record, space.record_codes[number], space.present_value_names)
        if kind == "presence":
            gone = Secret(f"{record} absent", ~space.present(number))
            yield from ((value, gone) for value in values)
        else:
            yield from combinations(values, 2)


def _of_codes(subject: str, codes: np.ndarray, names: list[str]) -> list[Secret]:
    return [Secret(f"{subject} = {name}", codes == code) for code, name in enumerate(names)]
