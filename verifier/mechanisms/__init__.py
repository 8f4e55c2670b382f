"""Ways to write a mechanism: one module each, named after its keyword in a file.

May enter: what stands under the keyword, and the worlds.
Must not know: which checks will be made of it.

Each module has `read(node, context) -> Mechanism`; its docstring is what `verifier explain` prints.
Modules are found by name and imported only when a file uses them; a name that starts with an
underscore is shared by several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from verifier.base.document import Mapping as Table
from verifier.base.document import Node, Plain, Scalar, Sequence, tree
from verifier.base.errors import InputError, choice
from verifier.base.nouns import Later, dataclass
from verifier.base.registry import MECHANISMS
from verifier.world.box import Box
from verifier.world.mechanism import Mechanism, reals_of
from verifier.world.reals import Released
from verifier.world.space import answers
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class Context(Later):
    """What a mechanism may refer to.

    secrets       name -> Boolean array over the worlds
    named         the mechanism of a name, where the file has several
    folder        where relative paths start
    allow_python  whether the user has allowed to run Python code
    files         the digest of every file that was read, by its path as written
    """

    space: WorldSpace
    secrets: Mapping[str, np.ndarray]
    named: Callable[[Scalar], Mechanism | Box | Released]
    folder: Path
    allow_python: bool = False
    files: dict[str, str] = field(default_factory=dict)


def read_mechanism(node: Node, context: Context) -> Mechanism:
    """The mechanism a node describes, with the values of its outputs; an error without a place is
    placed at the node.

    node     {keyword: options}, or a name of the file
    context  the worlds, and what the file names

    Raises S106 for a mechanism of no known kind, S120 for a box, and what its kind raises.
    """
    found = node.placed(lambda: known_exactly(read_released(node, context)))
    return replace(found, released=answers(found, context.space))


def read_run(node: Node, context: Context) -> Mechanism:
    """The same for what runs it independently of all else: of one that releases real numbers the
    finite mechanism that stands for it, whose `reals` is kept.

    node     {keyword: options}, or a name of the file
    context  the worlds, and what the file names
    """
    found = read_released(node, context)
    if not isinstance(found, Released):
        return read_mechanism(node, context)
    return replace(found.finite, released=answers(found.finite, context.space))


def of_runs(made: Mechanism, parts: Iterable[Mechanism]) -> Mechanism | Released:
    """What was `made` of independent runs of some `parts`; see `reals_of`."""
    reals = reals_of(parts)
    return Released(replace(made, reals=reals)) if reals else made


def known_exactly(found: Mechanism | Box | Released) -> Mechanism:
    """The mechanism that was `found`; S120 where only ends of its probabilities are known, S122
    where it releases real numbers."""
    if isinstance(found, Released):
        said = "this mechanism releases real numbers"
        raise InputError("S122", f"{said}, so that nothing can be made of it or compared with it")
    if isinstance(found, Box):
        said = "of this mechanism only ends of the probabilities are known"
        raise InputError("S120", f"{said}, so that nothing can be made of it or compared with it")
    return found


def read_released(node: Node, context: Context) -> Mechanism | Box | Released:
    """The mechanism a node describes, or the box in which it is.

    node     {keyword: options}, or a name of the file
    context  the worlds, and what the file names
    """
    if isinstance(node, Scalar):
        return context.named(node.scalar("a mechanism"))
    key, value = node.mapping(what="a mechanism").only("a mechanism")
    if key.text not in MECHANISMS.keywords():
        hint = choice(key.text, MECHANISMS.keywords())
        raise key.fail("S106", f"unknown kind of mechanism '{key.text}'", hint)
    module = MECHANISMS.module(key.text)
    made: Mechanism | Box | Released = key.placed(lambda: module.read(value, context))
    return made


def mechanism_of(
    space: WorldSpace,
    described: Plain,
    named: Mapping[str, Mechanism] | None = None,
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Mechanism:
    """A mechanism as a file describes it, {"randomized_response": {"truth": "3/4"}}.

    space      the worlds
    described  {keyword: options}, or a name
    named      mechanisms that it may refer to
    secrets    names that expressions may use, each true in some worlds: shape (worlds,)

    InputError for one that does not go with the worlds, S120 for a box. Python functions are not
    run.
    """
    return known_exactly(released_of(space, described, named, secrets))


def released_of(
    space: WorldSpace,
    described: Plain,
    named: Mapping[str, Mechanism] | None = None,
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Mechanism | Box | Released:
    """The same as `mechanism_of`, or a box, for tables of estimates and normal draws.

    space, described, named and secrets are those of `mechanism_of`.
    """
    known = named or {}

    def find(name: Scalar) -> Mechanism | Released:
        if name.text not in known:
            hint = choice(name.text, list(known))
            raise name.fail("S106", f"no mechanism is named '{name.text}'", hint)
        found = known[name.text]
        return Released(found) if found.reals else found

    return read_released(tree(described), Context(space, secrets or {}, find, Path(".")))


def runs_python(node: Node | None, file: Table, inside: tuple[str, ...] = ()) -> bool:
    """Whether what a node of a file describes or names, or a part of it, is a Python function.

    node    a mechanism, a list of them or a name; None for nothing
    file    the whole file, where names are looked up
    inside  the names that are being looked into
    """
    if isinstance(node, Sequence):
        return any(runs_python(item, file, inside) for item in node)
    if isinstance(node, Table):
        return any(k.text == "python" or runs_python(v, file, inside) for k, v in node.entries)
    table = file.get("mechanisms")
    if not isinstance(node, Scalar) or not isinstance(table, Table) or node.text in inside:
        return False
    return runs_python(table.get(node.text), file, (*inside, node.text))
