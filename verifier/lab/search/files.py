"""A spec file as texts, lists and mappings: read, decided, and written again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Map
from collections.abc import Sequence as Seq
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from verifier.base import document, parameters
from verifier.base.document import Mapping, Node, Sequence
from verifier.base.errors import InputError, NotDecided
from verifier.base.exact import is_irrational, is_symbolic
from verifier.base.exponential import Irrational
from verifier.base.level import Leakage
from verifier.lab.search import tables
from verifier.questions.answer import Answer
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.asked import read_wish
from verifier.spec.model import OfBox, OfReleased
from verifier.spec.options import Check, Inside
from verifier.spec.parameters import default
from verifier.world.mechanism import is_rational

Tree = Any  # texts, lists of trees, and mappings from texts to trees

LONG = 60  # characters of a level with powers of e
PLAIN = {"int": re.compile(r"0|-?[1-9][0-9]*"), "bool": re.compile("true|false")}
AROUND = ("mechanism", "pairs", "priors")  # of a check, beside its definition


def plain(node: Node) -> Tree:
    """The tree of a node."""
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    return [plain(item) for item in node] if isinstance(node, Sequence) else node.scalar().text


def written(tree: Tree) -> str:
    """The text of a file with this tree."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Whole numbers without quotes, and programs as blocks."""

        def represent_mapping(self, tag: str, mapping: Any, flow_style: Any = None) -> Any:
            """A mapping, which is a block where it has a text of several lines."""
            has_lines = any(isinstance(item, str) and "\n" in item for item in mapping.values())
            return super().represent_mapping(tag, mapping, False if has_lines else flow_style)

    def told(dumper: Any, text: str) -> Any:
        if "\n" in text:
            return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
        kind = next((kind for kind, form in PLAIN.items() if form.fullmatch(text)), "str")
        return dumper.represent_scalar(f"tag:yaml.org,2002:{kind}", text)

    Dumper.add_representer(str, told)
    Dumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]
    found: str = yaml.dump(
        tree, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    return found


def texts(tree: Tree) -> Iterator[str]:
    """All texts of a tree, keys too."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from (key, *texts(value))
    elif isinstance(tree, list):
        for item in tree:
            yield from texts(item)
    else:
        yield tree


def alone(check: Check) -> Tree:
    """The tree of a check's file with this check alone, of which nothing is expected; its
    parameters have the values that are active."""
    top = plain(check.model.node)
    if "parameters" in top:
        values = parameters.active().values
        top["parameters"] = {name: str(values[name]) for name in values}
    item = {key: node for key, node in plain(check.item).items() if key in AROUND}
    top["checks"] = [{check.definition.text: plain(check.options), **item}]
    return {key: value for key, value in top.items() if key not in ("title", "source")}


def headed(tree: Tree, title: str) -> Tree:
    """The tree under a title."""
    return {"title": title, "source": "found by search", **tree}


def answer(asked: Check | Inside) -> Answer:
    """The answer to a check; NotDecided where there is none."""
    return verify.certified(reading.asked(asked))  # type: ignore[arg-type]


def guess(asked: Check) -> Answer:
    """What an engine says of a check, with no certificate; NotDecided where it says nothing."""
    return verify.unchecked(reading.asked(asked))


def pinned(item: Tree, found: Answer) -> Tree:
    """A check that expects what was found."""
    wanted = {"expect": "violated"} if found.verdict == "violated" else {}
    return {**item, **wanted, **leakage(found.leakage)}


def without(item: Tree, option: str) -> Tree:
    """A check without an option, inside the definition or beside it."""
    return {
        key: {k: v for k, v in inner.items() if k != option} if isinstance(inner, dict) else inner
        for key, inner in item.items()
        if key != option
    }


def leakage(found: Leakage | None) -> Map[str, str]:
    """What a check asserts of its smallest level, where this is known exactly, in short."""
    if found is not None and found.infinite:
        return {"leakage": "infinite"}
    if found is None or found.exp_epsilon is None or is_symbolic(found.exp_epsilon):
        return {}
    if not is_irrational(found.exp_epsilon):
        return {"leakage": str(found.exp_epsilon)}
    written_out = str(found.exp_epsilon)
    return {"leakage": written_out} if len(written_out) <= LONG else {}


def confirmed(text: str) -> str:
    """The text of a file, decided once as it stands; NotDecided where it is not as it expects."""
    with parameters.given(parameters.NOTHING):  # its own parameters count, not those of the search
        node = document.parse(text, "example.yaml")
        with parameters.given(default(node)):
            _, checks = reading.read_model_and_checks(node, Path("example.yaml"))
            for check in checks:
                wish = read_wish(check)
                if verify.mismatch(answer(check), wish.expected, wish.leakage):
                    raise NotDecided("the file of the example is not decided as it expects")
    return text


class Candidate:
    """A file with one check, which may not be a valid one."""

    def __init__(
        self, tree: Tree, path: Path, allow_python: bool = False, check: Check | None = None
    ) -> None:
        self.tree, self.path, self.allow_python, self._known = tree, path, allow_python, check

    def also(self, **changes: Tree) -> Candidate:
        """The file with other values of some of its keys."""
        return self.whole({**self.tree, **changes})

    def whole(self, tree: Tree) -> Candidate:
        """Another file in the same place."""
        return Candidate(tree, self.path, self.allow_python)

    def read(self) -> Check:
        """The check; InputError."""
        node = document.parse(written(self.tree), str(self.path))
        (check,) = reading.read_model_and_checks(node, self.path, self.allow_python)[1]
        return check

    @cached_property
    def check(self) -> Check | None:
        """The check; None where the file is not valid."""
        if self._known is not None:
            return self._known
        try:
            check = self.read()
            _ = check.space.size
            return check
        except (InputError, NotDecided):
            return None

    @cached_property
    def answer(self) -> Answer | None:
        """Its answer; None where it is not valid or not decided."""
        try:
            return None if self.check is None else answer(self.check)
        except (InputError, NotDecided, Irrational):
            return None

    @cached_property
    def rows(self) -> tuple[Seq[str], tables.Rows] | None:
        """The outputs of its mechanism and its table; None where it has not one alone, of rational
        numbers."""
        check = self.check
        if check is None or check.options.get("sequence") is not None:
            return None
        if check.options.get("of") is not None and check.option("mechanism") is None:
            return None
        try:
            mechanism, space = check.mechanism(), check.space
        except (InputError, NotDecided, OfBox, OfReleased):
            return None
        if not is_rational(mechanism.values):  # its numbers are no table to be read
            return None
        return mechanism.outputs, tables.rows_of(mechanism, space.names(range(space.size)))

    @property
    def is_table(self) -> bool:
        """Whether its mechanism is written out."""
        named = self.check and self.check.mechanism_name()
        node = self.tree.get("mechanism") or self.tree.get("mechanisms", {}).get(named)
        return isinstance(node, dict) and "table" in node

    def with_table(self, outputs: Seq[str], rows: tables.Rows) -> Candidate:
        """The file with a table in the place of its mechanism, which it must have."""
        assert self.check is not None
        kept, named = tables.used(outputs, rows), self.check.mechanism_name()
        table = {w: [str(row.get(o, 0)) for o in kept] for w, row in rows.items()}
        node: Tree = {"table": {"outputs": kept, **table}}
        (item,) = self.tree["checks"]
        changes = {"mechanism": node}
        if isinstance(item.get("mechanism"), dict):
            changes = {"checks": [{**item, **changes}]}
        elif "mechanisms" in self.tree:
            changes = {"mechanisms": {**self.tree["mechanisms"], named: node}}
        check = replace(self.check, asked_of=tables.mechanism_of(list(rows), kept, rows))
        return Candidate({**self.tree, **changes}, self.path, self.allow_python, check)
