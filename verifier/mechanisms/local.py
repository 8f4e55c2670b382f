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

from collections import abc
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import LimitReached
from verifier.mechanisms import MAX_DEPTH, REPEAT, Context, Lookup, read_mechanism, read_run
from verifier.mechanisms.compose import in_order
from verifier.mechanisms.repeat import MAX_RUNS
from verifier.mechanisms.repeat import repeated as in_multisets
from verifier.world.language.operations import plain
from verifier.world.local import (
    Answer,
    Channel,
    LocalMechanism,
    NotFactored,
    repeated,
    together,
    values_of,
)
from verifier.world.mechanism import Mechanism
from verifier.world.space import WorldSpace

MAX_ENTRIES = 2**20  # of the matrix of a channel
MANY = 2**16  # entries of a matrix, above which independent parts are looked at
MANY_DRAWN = 2**10  # the same of draws that are not clamped
MAX_RAW = 100_000  # the same that a matrix may have
ANSWERS = "the parts of the output are independent given the world, so each is looked at alone"
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
    """The channels of a program that returns a list of independent parts, of several mechanisms, or
    of runs of one, where outputs are so many that the parts are looked at instead; None where they
    are few. Of records there is a channel for each, else one of whole worlds if that is needed.

    node     any mechanism
    context  the worlds, and what the file names
    lookup   a name -> the mechanism that it names

    Raises NotFactored, with the reason if there is one, where there are no parts.
    """
    each = list(_parts(node, context, lookup, MAX_DEPTH))
    size, most = context.space.size, MANY
    for one, runs in each:
        size *= comb(runs + len(one.outputs) - 1, runs)
        most = MANY_DRAWN if one.noise is not None else most
    if size <= most:
        return None
    notes = dict.fromkeys(note for one, _ in each for note in one.notes)
    try:
        return channels_of(context.space, each, (ANSWERS, *notes))
    except NotFactored:
        if size <= MAX_RAW and all(runs == 1 for _, runs in each):
            raise
        return LocalMechanism.of(context.space, ("",), [Channel.of(*each)], (ANSWERS, *notes))


def channels_of(
    space: WorldSpace, parts: abc.Sequence[Answer], notes: Iterable[str] = ()
) -> LocalMechanism:
    """The channels of each record: the `parts` that are about it. Of worlds without records, and of
    histograms, one channel has all.

    space  the worlds
    parts  independent matrices over them, each with the number of its draws
    notes  what was seen, in words

    NotFactored where a part is about several records, or constraints tie them together.
    """
    if not space.records or space.is_histograms:
        return LocalMechanism.of(space, ("",), [Channel.of(*parts)], notes)
    if not space.complete:
        raise NotFactored
    values = values_of(space)
    answers: list[list[Answer]] = [[] for _ in space.records]
    for number, (part, runs) in enumerate(parts, 1):
        for own, codes in zip(answers, space.record_codes, strict=True):
            first = np.full(values.size, -1)
            first[codes[::-1]] = np.arange(space.size)[::-1]
            one = part.taken(first)
            if (first >= 0).all() and (one.codes[:, codes] == part.codes).all():
                own.append((one, runs))
                break
        else:
            raise NotFactored(f"part {number} of the output is about several records")
    silent = Mechanism.from_rows(["nothing"], [[1] * values.size], parts=())
    channels = [Channel.of(*(own or [(silent, 1)])) for own in answers]
    return LocalMechanism.of(values, space.records, channels, notes)


def _parts(node: Node, context: Context, lookup: Lookup, left: int) -> Iterator[Answer]:
    """The independent parts of what a mechanism releases, and how often each is drawn, where names
    may stand for one another so often; NotFactored, as for a mechanism that is made of itself."""
    while left and isinstance(node, Scalar) and (found := lookup(node)) is not None:
        node, left = found, left - 1
    table: dict[str, Node] = node.table if isinstance(node, Mapping) else {}
    several, program, again = map(table.get, ("compose", "program", "repeat"))
    if isinstance(program, Scalar):
        from verifier.programs.factored import factors

        made = factors(context.space, program.scalar("a program"), context.secrets)
        yield from ((part, 1) for part in made)
    elif isinstance(again, Mapping) and set(again.table) == REPEAT:
        runs = again["runs"].integer(1, MAX_RUNS, "a number of runs")
        yield from ((one, n * runs) for one, n in _parts_of(again["of"], context, lookup, left))
    elif not isinstance(several, Sequence) or len(several.items) < 2:
        raise NotFactored
    else:
        for item in several:
            yield from _parts_of(item, context, lookup, left)


def _parts_of(node: Node, context: Context, lookup: Lookup, left: int) -> list[Answer]:
    """The parts of one of several mechanisms, or of the one that runs again; itself without any."""
    try:
        return list(_parts(node, context, lookup, left))
    except NotFactored:
        alone = read_run(node, context)
        if alone.reals:
            raise
        return [(alone, 1)]


def over(space: WorldSpace, local: LocalMechanism) -> Mechanism:
    """The matrix of a local mechanism over all worlds of `space`, enumerated; LimitReached."""
    made = [matrix_of(channel) for channel in local.channels]
    if not space.records:
        return made[0]
    lifted = [
        replace(one.taken(codes), noise=None)
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
