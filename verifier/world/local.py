"""Mechanisms that answer for every record by itself: channels, and which record uses which.

A record's value goes into its channel, and nothing else does. So the matrix over all worlds, of
which there may be 2^1000, is the product of small matrices, one for each record, and is never
built:

    P(o_1 … o_n | v_1 … v_n) = Π_i C_i[o_i, v_i]                                              (1)

A channel itself may give several answers, each independent of the others given the value: the
twenty bits of a Bloom filter are twenty answers of two outputs, not one of 2^20.

Example. Two bits that are each told with probability 3/4 share one channel, of two values.

>>> from verifier.world.worlds import database
>>> one = values_of(database(["ann", "bob"], [0, 1]))
>>> truth = Mechanism.from_rows(["0", "1"], [["3/4", "1/4"], ["1/4", "3/4"]])
>>> both = LocalMechanism.of(one, ("ann", "bob"), [Channel.of(truth), Channel.of(truth)])
>>> len(both.channels), both.users(0), one.names(range(2))
(1, (0, 1), ['0', '1'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from verifier.base.errors import InputError, LimitReached
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

MAX_DRAWS = 10**6
RECORD = "record"  # what the one record is called in expressions
Answer = tuple[Mechanism, int]  # a matrix over the values of one record, and how often it is drawn


class NotFactored(Exception):
    """No two parts of an output are seen to be independent; the reason is told, if there is one."""


@dataclass(frozen=True, eq=False)
class Channel(Later):
    """What is said of one record: independent answers, of which each depends on its value alone.

    answers  matrices of shape (outputs, values), each with the number of its independent draws

    LimitReached for too many draws.
    """

    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        if any(runs > MAX_DRAWS for _, runs in self.answers):
            raise LimitReached(f"an answer is given more than {MAX_DRAWS} times")

    @classmethod
    def of(cls, *answers: Mechanism | Answer) -> Channel:
        """The channel of some `answers`; equal ones are one, drawn more often."""
        times: dict[object, Answer] = {}
        for answer in answers:
            matrix, runs = answer if isinstance(answer, tuple) else (answer, 1)
            known = times.get(key := _key(matrix))
            times[key] = (matrix, runs + (known[1] if known else 0))
        return cls(tuple(times.values()))

    def together(self, other: Channel) -> Channel:
        """The channel that gives its own answers and those of an `other` one."""
        return Channel.of(*self.answers, *other.answers)

    def repeated(self, runs: int) -> Channel:
        """The channel that gives all its answers so many times (`runs`)."""
        return Channel(tuple((matrix, times * runs) for matrix, times in self.answers))

    @property
    def key(self) -> object:
        """The same for two channels that give the same answers, in any order."""
        return frozenset((_key(matrix), times) for matrix, times in self.answers)


@dataclass(frozen=True, eq=False)
class LocalMechanism(Later):
    """A mechanism that sends each record through a channel of its own (1).

    values    what one record may be, as worlds of one record; ABSENT last where it may be absent
    records   the names of the records
    channels  distinct, each used by some record
    chosen    for each record the number of its channel
    notes     what was seen while it was built, in words
    """

    values: WorldSpace
    records: tuple[str, ...]
    channels: tuple[Channel, ...]
    chosen: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        values: WorldSpace,
        records: Sequence[str],
        channels: Iterable[Channel],
        notes: Iterable[str] = (),
    ) -> LocalMechanism:
        """The mechanism with one channel for each record, in order; equal ones are shared.

        values    what one record may be
        records   their names
        channels  as many as there are records
        notes     what was seen, in words
        """
        known: dict[object, int] = {}
        found: list[Channel] = []
        numbers = []
        for channel in channels:
            number = known.setdefault(channel.key, len(known))
            if number == len(found):
                found.append(channel)
            numbers.append(number)
        assert len(numbers) == len(records)
        return cls(values, tuple(records), tuple(found), tuple(numbers), tuple(notes))

    @property
    def is_whole(self) -> bool:
        """Whether what it calls a record is a whole world of several records."""
        return self.values.is_histograms or len(self.values.records) > 1

    @property
    def is_repeated(self) -> bool:
        """Whether some answer is drawn more than once."""
        return any(runs > 1 for channel in self.channels for _, runs in channel.answers)

    @property
    def reals(self) -> bool:
        """Whether answers are real numbers, for which the rows of a matrix stand."""
        return any(answer.reals for channel in self.channels for answer, _ in channel.answers)

    def users(self, channel: int) -> tuple[int, ...]:
        """The numbers of the records that use a `channel`, by its number."""
        return tuple(at for at, number in enumerate(self.chosen) if number == channel)

    def channel(self, record: int) -> Channel:
        """The channel of a `record`, by its number."""
        return self.channels[self.chosen[record]]

    def each(self, make: Callable[[Channel], Channel]) -> LocalMechanism:
        """The mechanism whose channels are made of its own by a function, `make`."""
        made = [make(channel) for channel in self.channels]
        return LocalMechanism.of(
            self.values, self.records, [made[at] for at in self.chosen], self.notes
        )


def values_of(space: WorldSpace) -> WorldSpace:
    """What one record of `space` may be, as worlds of one record, named like its values.

    Listed worlds have no records: they are the values of a single one. InputError S114 where
    records are not told apart.
    """
    if space.is_histograms:
        hint = "leave exchangeable out: the records of a local mechanism are told apart"
        raise InputError("S114", "a local mechanism needs records that are told apart", hint=hint)
    if not space.records:
        return space
    codes = np.arange(len(space.record_values), dtype=np.int64)[None, :]
    return WorldSpace(
        codes.shape[1], (RECORD,), space.attributes, space.record_values, codes, bare=True
    )


def together(parts: Sequence[LocalMechanism]) -> LocalMechanism:
    """All of several mechanisms on the same records, each run independently."""
    first, *rest = parts
    for part in rest:
        channels = [
            first.channel(at).together(part.channel(at)) for at in range(len(first.records))
        ]
        notes = dict.fromkeys((*first.notes, *part.notes))
        first = LocalMechanism.of(first.values, first.records, channels, notes)
    return first


def repeated(once: LocalMechanism, runs: int) -> LocalMechanism:
    """So many independent `runs` of a mechanism, `once`."""
    return once.each(lambda channel: channel.repeated(runs))


def _key(matrix: Mechanism) -> object:
    """The same for two matrices with the same outputs and entries."""
    codes = matrix.codes.astype(np.int64).tobytes()
    return matrix.outputs, matrix.values, codes, matrix.reals
