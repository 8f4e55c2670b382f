"""The nouns of a file, worlds, secrets, pairs, mechanisms; and the options of its checks."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, partial
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np

from verifier import priors
from verifier.base import examples, parameters
from verifier.base.document import Mapping, Node, Plain, Scalar, Sequence
from verifier.base.errors import InputError, NotDecided, choice
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.base.registry import DEFINITIONS, PRIORS
from verifier.claims.question import Question, share
from verifier.claims.secrets import GENERATED, GIVEN, Pair, Pairs, PriorClass, Secret, generated
from verifier.mechanisms import Context, known_exactly, read_released, runs_python
from verifier.mechanisms.local import UNNAMED, Lookup, is_local, of_answers, read_local, ways
from verifier.world.box import Box
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.space import needs_records
from verifier.world.worlds import (
    MAX_WORLDS,
    WorldSpace,
    constraints,
    outline,
    predicate,
    read_worlds,
)

MAX_NAMED = 30  # mechanisms inside one another, by name
DECIDED = (
    "write fewer records, or one of the definitions that channels of single records decide: "
    "differential_privacy, metric_privacy, induced_neighbours, blowfish, label_privacy, "
    "pufferfish, noiseless, dependent_privacy"
)
FEW = 2**8  # worlds, above which channels are looked at rather than a matrix
FEW_OVER = 2**12  # the same with a real parameter
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
    """A check is about a mechanism of which only ends of the probabilities are known."""

    def __init__(self, box: Box) -> None:
        super().__init__("only ends of the probabilities are known")
        self.box = box


@dataclass(eq=False)
class Model(Later):
    """The nouns of a file; mechanisms are built when a check first needs them."""

    path: Path
    node: Mapping
    allow_python: bool = False
    _built: dict[str, Mechanism | Box] = field(default_factory=dict)
    _building: list[str] = field(default_factory=list)
    _files: dict[str, str] = field(default_factory=dict)  # path as written -> digest
    _wrong: dict[str, InputError] = field(default_factory=dict)
    priors_used: set[tuple[int, int]] = field(default_factory=set)  # by place
    _channels: dict[tuple[int, int], LocalMechanism | None] = field(
        default_factory=dict
    )  # by place

    @cached_property
    def space(self) -> WorldSpace:
        """The worlds, enumerated; S206 where they are too many."""
        if self.is_large and _worlds(self.outline) > MAX_WORLDS:
            said = f"{_many(self.outline)} worlds are too many to be enumerated"
            raise self.node["worlds"].fail("S206", said, DECIDED)
        return read_worlds(self.node["worlds"])

    @cached_property
    def outline(self) -> WorldSpace:
        """What worlds are made of, without any world unless they are listed."""
        return outline(self.node["worlds"], limited=False)

    @cached_property
    def is_large(self) -> bool:
        """Whether worlds are left alone until something needs them."""
        return is_large(self.node)

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
            same = ("is_fixed", "is_large", "outline", "secrets", "space")
            vars(self).update({name: vars(other)[name] for name in same if name in vars(other)})

    @property
    def where(self) -> list[Scalar]:
        """The constraints on the worlds."""
        return constraints(self.node["worlds"])

    def priors_at(self, node: Node) -> PriorClass:
        """The class of priors that a node describes."""
        self.priors_used.add((node.line, node.column))
        return priors.read_class(node, self.space, self.secrets)

    def mechanism_named(self, name: Scalar) -> Mechanism | Box:
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

    def local(self, node: Node) -> LocalMechanism | None:
        """The channels of a mechanism that answers every record by itself; None for another one, or
        where there are so few worlds that its matrix serves as well."""
        find, place = partial(lookup, self.node), (node.line, node.column)
        most = FEW_OVER if parameters.active().real else FEW
        if _worlds(self.outline) <= most and UNNAMED in ways(node, find):
            return None
        if place not in self._channels:
            self._channels[place] = self._local(node, find)
        return self._channels[place]

    def _local(self, node: Node, find: Lookup) -> LocalMechanism | None:
        """The channels of a mechanism, as its names are found; None where it has none."""
        crowd = self.outline.is_histograms
        whole = bool(self.outline.given) or crowd  # worlds go into one channel
        secrets: abc.Mapping[str, np.ndarray] = self.secrets if whole else {}
        context = Context(self.outline, secrets, _nothing, self.path.parent, self.allow_python)
        context = replace(context, files=self._files)
        if crowd:
            context = replace(context, space=self.space, named=self.mechanism_named)
            return of_answers(node, context, find)
        if not is_local(node, find):
            return of_answers(node, context, find) if whole else None
        if self.where:
            return None
        return read_local(node, context, find)

    @property
    def files(self) -> list[str]:
        """The files that its mechanisms were read from, by their paths as written."""
        return sorted(self._files)

    def source(self) -> dict[str, object]:
        """The digests of the file and of the files that its mechanisms were read from."""
        return {"spec": self.node.source.digest, "files": dict(sorted(self._files.items()))}

    def single_mechanism(self) -> Mechanism | Box:
        """The mechanism under `mechanism`, built once."""
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


def is_large(top: Mapping) -> bool:
    """Whether a file has so many worlds that they are enumerated only where something needs them:
    every mechanism answers every record by itself, or there is none and all checks are about
    hidden records."""
    worlds, found = top.table.get("worlds"), list(named_mechanisms(top))
    if not isinstance(worlds, Mapping) or worlds.table.get("where") is not None:
        return False
    if not found and not _asks_of_records(top.table.get("checks")):
        return False
    if not all(is_local(node, partial(lookup, top)) for _, node in found):
        return False
    try:
        return _worlds(outline(worlds, limited=False)) > MANY
    except InputError:  # told where worlds are read
        return False


def _asks_of_records(checks: Node | None) -> bool:
    """Whether all `checks` are about hidden records."""
    items = checks.items if isinstance(checks, Sequence) else ()
    known = [item for item in items if isinstance(item, Mapping) and "influence" in item.table]
    return bool(known) and len(known) == len(items)


def _worlds(space: WorldSpace) -> int:
    """How many worlds there are without constraints; 1 for histograms."""
    size: int = len(space.record_values) ** len(space.records)
    return size


def _many(space: WorldSpace) -> str:
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


@dataclass(frozen=True, eq=False)
class Options(Later):
    """What a file says about a definition: its options, and what stands beside them."""

    model: Model
    definition: Scalar
    options: Mapping

    @property
    def space(self) -> WorldSpace:
        """The worlds, enumerated; S206 where they are too many, as channels do not decide this."""
        outline = self.model.outline
        if self.model.is_large and _worlds(outline) > MAX_WORLDS:
            said = f"'{self.definition.text}' enumerates worlds, and {_many(outline)} are too many"
            raise self.definition.fail("S206", said, DECIDED)
        return self.model.space

    def option(self, key: str) -> Node | None:
        """An option of the definition, or one that stands around it."""
        return self.options.table.get(key)

    def value(self, key: str, default: Plain) -> Plain:
        """An option of the definition, or its default."""
        node = self.options.table.get(key)
        return default if node is None else node

    def needed(self, key: str, said: str = "", hint: str = "") -> Node:
        """An option that must be there; S016."""
        node = self.options.table.get(key)
        if node is None:
            message = f"the key '{key}' is missing{said}"
            raise self.definition.fail("S016", message, hint or examples.missing(key))
        return node

    def level(self) -> Level:
        """The level: exactly one of `epsilon` and `exp_epsilon`."""
        readers = {"epsilon": Level.of_epsilon, "exp_epsilon": Level.of_exp_epsilon}
        given = [key for key in readers if self.options.table.get(key) is not None]
        if len(given) != 1:
            times = "given twice" if given else "needed"
            hint = "leave one of the two out" if given else ""
            said = f"a level is {times}: either epsilon or exp_epsilon"
            raise self.definition.fail("S601", said, hint)
        node = self.options[given[0]].scalar("a level")
        return node.placed(lambda: readers[given[0]](node.text))

    def delta(self) -> Fraction:
        """delta in [0, 1], 0 where not given."""
        return share(self.value("delta", Fraction(0)))

    def mechanism_name(self) -> str | None:
        """The name of the chosen mechanism, or of several; None where the file has just one,
        without a name."""
        node = self.option("mechanism")
        if isinstance(node, Scalar):
            return node.text
        listed = self.options.table.get("of") or self.options.table.get("sequence")
        if node is None and isinstance(listed, Sequence):
            return ", ".join(
                item.text if isinstance(item, Scalar) else f"number {at}"
                for at, item in enumerate(listed, 1)
            )
        table = self.model.node.table.get("mechanisms")
        if node is None and table is not None:
            names = [key.text for key, _ in table.mapping().entries]
            if len(names) == 1:
                return names[0]
        return None

    def mechanism(self) -> Mechanism:
        """The mechanism to check; S605 where the file names several and the check none. `OfBox`
        where it is known between ends only."""
        found = self._mechanism()
        if isinstance(found, Box):
            raise OfBox(found)
        return found

    def _mechanism(self) -> Mechanism | Box:
        node = self.option("mechanism")
        if node is not None:
            return self.model.build(node)
        if self.model.node.table.get("mechanism") is not None:
            return self.model.single_mechanism()
        return self.model.mechanism_named(self._only_mechanism()[0])

    def _only_mechanism(self) -> tuple[Scalar, Node]:
        """The one under `mechanisms`; S605."""
        table = self.model.node.table.get("mechanisms")
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
        return entries[0]

    def released(self, decides: bool = True, crowds: bool = False) -> Mechanism | LocalMechanism:
        """The mechanism to check: its channels, where they decide and it is not small.

        decides  whether channels decide the question; if not, worlds are enumerated where they can
        crowds   whether a channel of whole histograms does
        """
        return self.channels(decides, crowds) or self.mechanism()

    def channels(self, decides: bool = True, crowds: bool = False) -> LocalMechanism | None:
        """The channels that are `released`, and None for a matrix."""
        node = self.option("mechanism") or self.model.node.table.get("mechanism")
        found = self.model.local(self._only_mechanism()[1] if node is None else node)
        decides &= self.options.table.get("tradeoff") is None
        if found is not None and found.is_of_histograms:
            decides &= crowds
        return found if decides or self.model.is_large else None

    def space_of(self, mechanism: Mechanism | LocalMechanism) -> WorldSpace:
        """The worlds of a mechanism; of channels what worlds are made of."""
        crowd = self.space if self.model.outline.is_histograms else self.model.outline
        return crowd if isinstance(mechanism, LocalMechanism) else self.space

    def mechanism_named(self) -> Mechanism | None:
        """The mechanism that is named for this definition; None where none is."""
        return None if self.option("mechanism") is None else self.mechanism()

    def mechanisms(self) -> list[tuple[str, Mechanism]]:
        """The mechanisms under `of` or `sequence` by name, as written; else the only one; S605."""
        given = [
            node for key in ("of", "sequence") if (node := self.options.table.get(key)) is not None
        ]
        if not given:
            return [(self.mechanism_name() or "", self.mechanism())]
        names = [item.scalar("a name") for item in given[0].sequence("a list of mechanisms")]
        if len(given) == 2 or self.option("mechanism") is not None:
            said = "only one of 'mechanism', 'of' and 'sequence' names mechanisms"
            raise given[0].fail("S605", said, "leave the others out")
        if not names:
            hint = "write the names of mechanisms, such as [once, twice]"
            raise given[0].fail("S605", "the list of mechanisms is empty", hint)
        return [(name.text, self._exact(name)) for name in names]

    def given(self) -> dict[str, Mechanism]:
        """The mechanisms listed under `of`, by name, a mechanism without a name by its number;
        S016, S018 where there are none."""
        hint = "add of: [response], a name under `mechanisms` or a mechanism"
        node = self.needed("of", ": a list of mechanisms", hint)
        items = [node] if isinstance(node, Scalar) else node.sequence("a list of mechanisms").items
        if not items:
            hint = examples.like("a list of mechanisms")
            raise node.fail("S018", "the list of mechanisms is empty", hint)
        return {
            item.text if isinstance(item, Scalar) else f"number {at}": self._exact(item)
            for at, item in enumerate(items, 1)
        }

    def _exact(self, node: Node) -> Mechanism:
        """The mechanism a node describes; S120 where it is known between ends only."""
        return node.placed(lambda: known_exactly(self.model.build(node)))

    def pairs(self, default: str = GIVEN) -> Pairs:
        """The pairs of secrets that are chosen, else those of a kind, else those of the file; S404
        where there are none."""
        node = self.option("pairs")
        if node is None and default != GIVEN:
            return generated(self.space, default)
        node = node or self.model.node.table.get("pairs")
        if node is None:
            raise self.definition.fail("S404", "the check needs pairs of secrets")
        return read_pairs(node, self.model)

    def priors(self) -> PriorClass:
        """The class of priors; S506 where there is none, or several and none is chosen."""
        return self.model.priors_at(self._priors()[1])

    def priors_node(self) -> Node:
        """Where the class of priors stands, which is not read here."""
        node = self._priors()[1]
        self.model.priors_used.add((node.line, node.column))
        return node

    def priors_name(self) -> str | None:
        """The name that the file gives to the class of priors; None where it gives none."""
        return self._priors()[0]

    def _priors(self) -> tuple[str | None, Node]:
        """The name of the class of priors, if it has one, and where it stands."""
        node = self.option("priors")
        shared = self.model.node.table.get("priors")
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
                return shared.entries[0][0].text, shared.entries[0][1]
        elif isinstance(node, Scalar) and not priors.is_class(node) and several:
            assert isinstance(shared, Mapping)
            chosen = shared.table.get(node.text)
            if chosen is None:
                known = [*(key.text for key, _ in shared.entries), *PRIORS.keywords()]
                hint = choice(node.text, known)
                raise node.fail("S506", f"no priors are named '{node.text}'", hint)
            return node.text, chosen
        return None, node

    def inside(self, key: str, said: str = ": a definition") -> Inside:
        """A definition inside this one's options, {keyword: options}."""
        node = self.needed(key, said)
        return Inside.of(self, node)


@dataclass(frozen=True, eq=False)
class Inside(Options):
    """A definition inside another one's options; pairs and priors are its own, or those of the
    check around it. It is about whichever mechanism it is asked of, now or later: parameters are
    what they were when it was read."""

    outer: Options
    asked_of: Mechanism | None = None
    chosen: parameters.Choice = field(default_factory=parameters.active)

    @classmethod
    def of(cls, outer: Options, node: Node) -> Inside:
        """The keyword and the options of a node."""
        key, options = node.mapping(what="a definition such as {differential_privacy: …}").only(
            "a definition", DEFINITIONS.keywords()
        )
        own = options.mapping(what="a mapping of options")
        return cls(outer.model, key, own, outer)

    def option(self, key: str) -> Node | None:
        """See Options."""
        own = self.options.table.get(key)
        return self.outer.option(key) if own is None else own

    def mechanism(self) -> Mechanism:
        """The mechanism that it is asked of."""
        return super().mechanism() if self.asked_of is None else self.asked_of

    def channels(self, decides: bool = True, crowds: bool = False) -> LocalMechanism | None:
        """See Options."""
        return super().channels(decides, crowds) if self.asked_of is None else None

    def mechanism_named(self) -> Mechanism | None:
        """See Options."""
        return super().mechanism_named() if self.asked_of is None else self.asked_of

    def question(self, mechanism: Mechanism) -> Question:
        """What it asks of a mechanism; NotDecided where there is no exact method."""
        module = DEFINITIONS.module(self.definition.text)
        self.options.check_keys((*module.OPTIONS, "pairs", "priors"))
        asked = replace(self, asked_of=mechanism)
        with parameters.given(self.chosen):
            found: Question = self.definition.placed(lambda: module.read(asked))
        if self.space.is_histograms and found.space.records:
            lacking = needs_records(
                "S407", "a secret of one record, inside a definition,", self.space
            )
            raise self.definition.fail(lacking.code, lacking.message, lacking.hint)
        return found


@dataclass(frozen=True, eq=False)
class Check(Options):
    """One item of `checks`: a definition, its options, and what the file expects. It is about the
    mechanism that it is `asked_of`, where there is one, in place of its own."""

    item: Mapping
    index: int
    asked_of: Mechanism | None = None

    def mechanism(self) -> Mechanism:
        """The mechanism to check, or that it is asked of."""
        return super().mechanism() if self.asked_of is None else self.asked_of

    def channels(self, decides: bool = True, crowds: bool = False) -> LocalMechanism | None:
        """See Options."""
        return super().channels(decides, crowds) if self.asked_of is None else None

    @cached_property
    def name(self) -> str | None:
        """The check's name in the file."""
        node = self.item.table.get("name")
        return node.scalar("a name").text if node else None

    @property
    def title(self) -> str:
        """Its name, or its definition."""
        return self.name or self.definition.text

    def option(self, key: str) -> Node | None:
        """An option of the definition, or of the check around it."""
        inside, outside = self.options.table.get(key), self.item.table.get(key)
        if inside is not None and outside is not None:
            said = f"'{key}' is given twice, here and in the definition"
            raise outside.fail("S602", said, "leave one of the two out")
        return inside if inside is not None else outside

    def isolation(self) -> str | None:
        """How the Python functions of its mechanisms are shut in; None where it has none."""
        if not self.model.allow_python:
            return None
        top = self.model.node
        asked = [self.option(key) for key in ("mechanism", "of", "sequence", "if", "then", "under")]
        own = DEFINITIONS.module(self.definition.text).OPTIONS
        if not any(asked) and ("epsilon" in own or self.definition.text == "error"):
            asked = [top.table.get("mechanism"), top.table.get("mechanisms")]
        if not any(runs_python(node, top) for node in asked):
            return None
        name: str | None = import_module("verifier.mechanisms._guests").isolation_name()
        return name

    def source(self) -> dict[str, object] | None:
        """The digests of the file and of those that it reads, and the place of the check."""
        file = self.model.source()
        return {**file, "check": self.index, "name": self.name} if file["spec"] else None

    def program(self) -> Scalar | None:
        """The text of the program that it is about, if its mechanism is a program."""
        top = self.model.node
        node = self.option("mechanism") or top.table.get("mechanism")
        table = top.table.get("mechanisms")
        if isinstance(table, Mapping):
            if isinstance(node, Scalar):
                node = table.get(node.text)
            elif node is None and len(table.entries) == 1:
                node = table.entries[0][1]
        text = node.table.get("program") if isinstance(node, Mapping) else None
        return text if isinstance(text, Scalar) else None
