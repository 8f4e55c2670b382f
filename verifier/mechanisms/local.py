"""Every record is answered by itself, through a channel of its own.

Syntax. `local: MECHANISM`, or a list with one mechanism for each record

Options. A mechanism as anywhere, but on one record: its worlds are the values that a record may
have, and expressions call the record `record`. With `absent: true` it also says what happens to an
absent record, the world `⊥`. Names of other mechanisms are not known inside.

Statement. C_i[o, v] is the probability that the channel of record i gives o for the value v.
Outputs are lists with one output for each record, P(o_1 … o_n | v_1 … v_n) = Π_i C_i[o_i, v_i].
Worlds are not enumerated where the definition is decided from the channels, so there may be a
thousand records. There is no `where`: constraints tie records together.

Example. A thousand people answer for themselves; no answer tells more than 3.

    worlds: {records: 1000, domain: [0, 1]}
    mechanism: {local: {randomized_response: {truth: 3/4}}}
    checks:
      - differential_privacy: {exp_epsilon: 3}
        leakage: 3
      - differential_privacy: {exp_epsilon: 9, group: 2}
        leakage: 9

References. Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011, What can we learn privately?,
Definition 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import LimitReached
from verifier.mechanisms import Context, read_mechanism
from verifier.mechanisms.compose import in_order
from verifier.mechanisms.repeat import MAX_RUNS
from verifier.mechanisms.repeat import repeated as in_multisets
from verifier.world.language.operations import plain
from verifier.world.local import Channel, LocalMechanism, repeated, together, values_of
from verifier.world.mechanism import Mechanism
from verifier.world.space import WorldSpace

Lookup = Callable[[Scalar], Node | None]  # the mechanism of a name, as the file describes it
MAX_ENTRIES = 2**20  # of the matrix of a channel
MANY = 2**16  # entries of a matrix, above which independent elements are looked at
MAX_DEPTH = 30  # of names for names
REPEAT = {"of", "runs"}  # its options
UNNAMED = "randomized_response"  # what answers every record without saying `local`
WAYS, NO_WAY = frozenset(["local", UNNAMED]), frozenset[str]()
ANSWERS = "the elements of the output are independent given the world, so each is looked at alone"
SEEN = "every record is answered by itself, so single records decide and no world is enumerated"


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that answers every record by itself, as a matrix over all worlds.

    node     a mechanism on one record, or a list of these
    context  the worlds, and what the file names

    Raises S114 for constraints, names and lists of another length; LimitReached.
    """
    if not context.space.complete:
        raise node.fail("S114", "constraints tie records together", "leave `where` out")
    return over(context.space, read_channels(node, context))


def read_channels(node: Node, context: Context) -> LocalMechanism:
    """The channels of a mechanism that answers every record by itself.

    node     a mechanism on one record, or a list of these
    context  what worlds are made of, which need not be enumerated, and what the file names

    Raises S114 for names and lists of another length.
    """
    space = context.space
    inner = replace(context, space=node.placed(lambda: values_of(space)), secrets={}, named=_named)
    records = space.records or ("",)
    if not isinstance(node, Sequence):
        return LocalMechanism.of(inner.space, records, [_channel(node, inner)] * len(records))
    if len(node.items) != len(records):
        said = f"{len(node.items)} channels for {len(records)} records"
        raise node.fail("S114", said, "write one mechanism for all records, or one for each")
    channels = [_channel(item, inner) for item in node]
    return LocalMechanism.of(inner.space, records, channels)


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
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        return NO_WAY
    ((key, value),) = node.entries
    if key.text == "compose" and isinstance(value, Sequence) and len(value.items) > 1:
        parts = [_ways(part, lookup, known, left) for part in value]
        return NO_WAY.union(*parts) if all(parts) else NO_WAY
    if key.text == "repeat" and isinstance(value, Mapping) and set(value.table) == REPEAT:
        return _ways(value["of"], lookup, known, left)
    return WAYS.intersection([key.text])


def read_local(node: Node, context: Context, lookup: Lookup) -> LocalMechanism:
    """The channels of a mechanism that `is_local`.

    node     the mechanism
    context  what worlds are made of, which need not be enumerated
    lookup   a name -> the mechanism that it names
    """
    return _read_local(node, context, lookup, {})


def _read_local(
    node: Node, context: Context, lookup: Lookup, known: dict[str, LocalMechanism]
) -> LocalMechanism:
    """The same, where mechanisms of some names are `known`."""
    if isinstance(node, Scalar):
        if node.text not in known:
            found = lookup(node)
            assert found is not None
            known[node.text] = _read_local(found, context, lookup, known)
        return known[node.text]
    ((key, value),) = node.mapping().entries
    if key.text == "compose":
        return together([_read_local(part, context, lookup, known) for part in value.sequence()])
    if key.text == "repeat":
        once = _read_local(value.mapping()["of"], context, lookup, known)
        return repeated(once, value.mapping()["runs"].integer(1, MAX_RUNS, "a number of runs"))
    if key.text == "local":
        return key.placed(lambda: read_channels(value, context))
    return replace(key.placed(lambda: read_channels(node, context)), notes=(SEEN,))


def of_answers(node: Node, context: Context, lookup: Lookup) -> LocalMechanism | None:
    """The channel of a program on listed worlds or histograms that returns a list of independent
    elements, or of several mechanisms on histograms, where its outputs are so many that the
    elements are looked at instead; None for another mechanism.

    node     any mechanism
    context  the worlds, and what the file names
    lookup   a name -> the mechanism that it names
    """
    space, node = context.space, _named_by(node, lookup)
    if space.records:
        return None
    several = node.table.get("compose") if isinstance(node, Mapping) else None
    if not isinstance(several, Sequence) or not space.is_histograms:
        each = _elements(node, context)
    else:
        parts = [(item, _elements(_named_by(item, lookup), context)) for item in several]
        each = [one for item, own in parts for one in own or [read_mechanism(item, context)]]
    if not each or prod(len(one.outputs) for one in each) * space.size <= MANY:
        return None
    if any(one.noise is not None for one in each):
        return None
    notes = dict.fromkeys(note for one in each for note in one.notes)
    return LocalMechanism.of(space, ("",), [Channel.of(*each)], (ANSWERS, *notes))


def _named_by(node: Node, lookup: Lookup) -> Node:
    """The mechanism that a node describes or names."""
    for _ in range(MAX_DEPTH):
        if isinstance(node, Scalar) and (found := lookup(node)) is not None:
            node = found
    return node


def _elements(node: Node, context: Context) -> list[Mechanism] | None:
    """The independent elements of the list that a program returns; None for another mechanism."""
    program = node.table.get("program") if isinstance(node, Mapping) else None
    if not isinstance(program, Scalar):
        return None
    from verifier.programs.factored import factors

    return factors(context.space, program, context.secrets)


def over(space: WorldSpace, local: LocalMechanism) -> Mechanism:
    """The matrix of a local mechanism over all worlds of `space`, enumerated; LimitReached."""
    made = [matrix_of(channel) for channel in local.channels]
    if not space.records:
        return made[0]
    lifted = [
        replace(one, codes=one.codes[:, codes], noise=None)
        for one, codes in zip(map(made.__getitem__, local.chosen), space.record_codes, strict=True)
    ]
    alone = len(lifted) == 1
    found = lifted[0] if alone else in_order(lifted)
    each = ((value,) for value in found.released) if alone else found.released
    own = (tuple(map(_own, values)) for values in each)
    released = tuple(space.database(values) or (values[0] if alone else values) for values in own)
    found = replace(found, released=released)
    if not alone and all(len(output) == 1 for one in made for output in one.outputs):
        return replace(found, outputs=tuple(x[1:-1].replace(", ", "") for x in found.outputs))
    return found


def _own(answer: Any) -> Any:
    """An answer about one record: its value where it is a world of this record alone."""
    return tuple(map(_own, answer)) if isinstance(answer, tuple) else plain(answer)


def matrix_of(channel: Channel) -> Mechanism:
    """All answers of a `channel` as one matrix, of shape (outputs, values); LimitReached."""
    several = [in_multisets(one, runs) if runs > 1 else one for one, runs in channel.answers]
    size = several[0].worlds
    for one in several:
        size *= len(one.outputs)
    if size > MAX_ENTRIES:
        raise LimitReached(f"a channel of {size} entries is too large")
    return in_order(several) if len(several) > 1 else several[0]


def _channel(node: Node, context: Context) -> Channel:
    """The channel that a node describes over the values of one record."""
    if isinstance(node, Mapping) and len(node.entries) == 1:
        ((key, value),) = node.entries
        if key.text == "compose" and isinstance(value, Sequence) and len(value.items) > 1:
            return Channel.of(*(each for item in value for each in _channel(item, context).answers))
        if key.text == "repeat" and isinstance(value, Mapping) and set(value.table) == REPEAT:
            runs = value["runs"].integer(1, MAX_RUNS, "a number of runs")
            return _channel(value["of"], context).repeated(runs)
    return Channel.of(read_mechanism(node, context))


def _named(name: Scalar) -> Mechanism:
    said = f"'{name.text}' names a mechanism on all records, not on one"
    raise name.fail("S114", said, "write the mechanism of one record in full")
