"""The options of a check, and what stands beside them in its file."""

from __future__ import annotations

from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property

from verifier import priors
from verifier.base import examples, parameters
from verifier.base.document import Mapping, Node, Plain, Scalar, Sequence
from verifier.base.errors import LimitReached, choice
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.base.registry import DEFINITIONS, PRIORS
from verifier.mechanisms import known_exactly, runs_python
from verifier.questions.question import Question, share
from verifier.questions.secrets import GIVEN, Pairs, PriorClass, generated
from verifier.spec.model import DECIDED, Model, OfBox, OfReleased, read_pairs, size_of, written_size
from verifier.world.box import Box
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.space import needs_records
from verifier.world.worlds import MAX_WORLDS, WorldSpace


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
        if self.model.is_large and size_of(outline) > MAX_WORLDS:
            many = written_size(outline)
            said = f"'{self.definition.text}' enumerates worlds, and {many} are too many"
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
            example = examples.missing(key, DEFINITIONS.told(self.definition.text))
            raise self.definition.fail("S016", message, hint or example)
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
        where it is known between ends only, `OfReleased` where it releases real numbers."""
        found = self._mechanism()
        if isinstance(found, Box):
            raise OfBox(found)
        if found.reals:
            raise OfReleased(found)
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

    def released(
        self, decides: bool = True, crowds: bool = False, parts: bool = False, runs: bool = False
    ) -> Mechanism | LocalMechanism:
        """The mechanism to check: its channels, where they decide and it is not small.

        decides  whether channels decide the question; if not, worlds are enumerated where they can
        crowds   whether a channel of whole histograms does
        parts    whether independent parts do that are each about one record
        runs     whether channels of whole worlds do that are drawn several times
        """
        if (found := self.channels(decides, crowds, parts, runs)) is not None:
            return found
        try:
            return self.mechanism()
        except LimitReached as reason:
            node = self._chosen()
            shared = self.model.shared.get((node.line, node.column))
            raise LimitReached(f"{reason}; {shared}") if shared else reason from None

    def channels(
        self, decides: bool = True, crowds: bool = False, parts: bool = False, runs: bool = False
    ) -> LocalMechanism | None:
        """The channels that are `released`, and None for a matrix."""
        decides &= self.options.table.get("tradeoff") is None
        found = self.model.local(self._chosen(), parts and decides)
        if found is not None and found.is_whole:
            decides &= crowds or (runs and found.is_repeated)
        if found is not None and found.reals:  # products of ratios alone are those of real numbers
            decides &= parts and not self.delta()
        return found if decides or self.model.is_large else None

    def _chosen(self) -> Node:
        """The mechanism to check, or its name."""
        node = self.option("mechanism") or self.model.node.table.get("mechanism")
        return self._only_mechanism()[1] if node is None else node

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
        if default != GIVEN and self.option("pairs") is None:
            return generated(self.space, default)
        return read_pairs(self.pairs_node(), self.model)

    def pairs_node(self) -> Node:
        """Where the pairs of secrets stand, chosen or those of the file; S404 without any."""
        node = self.option("pairs") or self.model.node.table.get("pairs")
        if node is None:
            raise self.definition.fail("S404", "the check needs pairs of secrets")
        self.model.use(node)
        return node

    def priors(self) -> PriorClass:
        """The class of priors; S506 where there is none, or several and none is chosen."""
        return self.model.priors_at(self._priors()[1])

    def priors_node(self) -> Node:
        """Where the class of priors stands, which is not read here."""
        node = self._priors()[1]
        self.model.use(node)
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

    def channels(
        self, decides: bool = True, crowds: bool = False, parts: bool = False, runs: bool = False
    ) -> LocalMechanism | None:
        """See Options."""
        return super().channels(decides, crowds, parts, runs) if self.asked_of is None else None

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

    def channels(
        self, decides: bool = True, crowds: bool = False, parts: bool = False, runs: bool = False
    ) -> LocalMechanism | None:
        """See Options."""
        return super().channels(decides, crowds, parts, runs) if self.asked_of is None else None

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
        from verifier.mechanisms import _guests  # which starts processes: loaded where one does

        return _guests.isolation_name()

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
