"""Ways to write a mechanism: one module each, named after its keyword in a file.

May enter: what stands under the keyword, and the worlds.
Must not know: which checks will be made of it.

Each module has `read(node, context) -> Mechanism`; its docstring is what `verifier explain` prints.
Modules are found by name and imported only when a file uses them; a name that starts with an
underscore is shared by several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from verifier.base.document import Mapping as Table
from verifier.base.document import Node, Plain, Scalar, Sequence, tree
from verifier.base.errors import InputError, choice
from verifier.base.nouns import Later, dataclass
from verifier.base.registry import MECHANISMS
from verifier.world.box import Box
from verifier.world.mechanism import Mechanism
from verifier.world.space import answers
from verifier.world.worlds import WorldSpace

Lookup = Callable[[Scalar], Node | None]  # the mechanism of a name, as the file describes it
MAX_DEPTH = 30  # of names for names
REPEAT = {"of", "runs"}  # its options
UNNAMED = "randomized_response"  # what answers every record without saying `local`
WAYS, NO_WAY = frozenset(["local", UNNAMED]), frozenset[str]()


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
    named: Callable[[Scalar], Mechanism | Box]
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
    found = node.placed(lambda: _in_full(read_released(node, context)))
    return replace(found, released=answers(found, context.space))


def known_exactly(found: Mechanism | Box) -> Mechanism:
    """The mechanism that was `found`; S120 where only ends of its probabilities are known, S122
    where it releases real numbers."""
    if _in_full(found).reals:
        said = "this mechanism releases real numbers"
        raise InputError("S122", f"{said}, so that nothing can be made of it or compared with it")
    return _in_full(found)


def _in_full(found: Mechanism | Box) -> Mechanism:
    if isinstance(found, Box):
        said = "of this mechanism only ends of the probabilities are known"
        raise InputError("S120", f"{said}, so that nothing can be made of it or compared with it")
    return found


def read_released(node: Node, context: Context) -> Mechanism | Box:
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
    made: Mechanism | Box = key.placed(lambda: module.read(value, context))
    return made


def is_local(node: Node, lookup: Lookup) -> bool:
    """Whether a mechanism is written so that it answers every record by itself.

    node    any mechanism
    lookup  a name -> the mechanism that it names
    """
    return bool(ways(node, lookup))


def ways(node: Node, lookup: Lookup) -> frozenset[str]:
    """The keywords by which a mechanism answers every record by itself; none where it does not.

    node    any mechanism
    lookup  a name -> the mechanism that it names
    """
    return _ways(node, lookup, {}, MAX_DEPTH)


def _ways(
    node: Node, lookup: Lookup, known: dict[str, frozenset[str]], left: int
) -> frozenset[str]:
    """The same; of names that are `known`, and that may stand for one another so often."""
    if isinstance(node, Scalar):
        if node.text not in known:
            known[node.text] = NO_WAY  # until one is found, which is not by way of itself
            found = lookup(node) if left else None
            known[node.text] = NO_WAY if found is None else _ways(found, lookup, known, left - 1)
        return known[node.text]
    if not isinstance(node, Table) or len(node.entries) != 1:
        return NO_WAY
    ((key, value),) = node.entries
    if key.text == "compose" and isinstance(value, Sequence) and len(value.items) > 1:
        parts = [_ways(part, lookup, known, left) for part in value]
        return NO_WAY.union(*parts) if all(parts) else NO_WAY
    if key.text == "repeat" and isinstance(value, Table) and set(value.table) == REPEAT:
        return _ways(value["of"], lookup, known, left)
    return WAYS.intersection([key.text])


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
) -> Mechanism | Box:
    """The same as `mechanism_of`, or a box, for tables of estimates and normal draws.

    space, described, named and secrets are those of `mechanism_of`.
    """
    known = named or {}

    def find(name: Scalar) -> Mechanism:
        if name.text not in known:
            hint = choice(name.text, list(known))
            raise name.fail("S106", f"no mechanism is named '{name.text}'", hint)
        return known[name.text]

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
