"""What released real numbers tell of two worlds at some levels: in which region they are.

Where real numbers with Laplace or normal noise are released, each region of `regions` is an output.
What else is released beside them, and how likely it is that they are, says how the odds begin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from verifier.base.errors import LimitReached
from verifier.noise.draws import Draw, Number, Path
from verifier.noise.events import events
from verifier.programs.chances import Frame, Returned, chances
from verifier.programs.told import MAX_RAW, Told, cells_of, every_cell
from verifier.world.box import Box
from verifier.world.language.axes import Axis
from verifier.world.language.regions import World, beside, labelled, regions
from verifier.world.mechanism import CUT, Asked, Mechanism
from verifier.world.noise import Noise, is_normal
from verifier.world.space import key_of


@dataclass(frozen=True)
class Piece:
    """A value that is returned, with real numbers in it, on one path.

    told     the value
    labels   of its axes, None for real numbers
    centers  of these
    draws    of these
    """

    told: Told
    labels: tuple[Any, ...]
    centers: tuple[Number, ...]
    draws: tuple[Draw, ...]
    path: Path
    block: int
    weight: Fraction


@dataclass(frozen=True)
class Cut:
    """The values that are returned, and the frame of their mechanism."""

    rows: Sequence[Returned]
    frame: Frame

    def at(self, levels: Sequence[Fraction], asked: Asked, more: bool) -> Mechanism | Box:
        """The mechanism that is cut for some `levels` and the worlds that are `asked` about;
        LimitReached where in one world numbers are released around several centers. See
        `Mechanism`."""
        blocks = self.frame.blocks.tolist()
        both = {(blocks[i], blocks[j]) for i, j in asked[1]}
        both -= {(k, k) for k in range(self.frame.size)}
        cases = list(self._plain)
        for pieces in self._groups:
            cases += _cases(pieces, both, levels, more)
            if len(cases) > MAX_RAW:
                raise LimitReached(f"more than {MAX_RAW} regions of released numbers")
        notes = ["real numbers are told by regions in which odds are on one side of the level"]
        found = self.frame.mechanism(chances(cases, self.frame.size), notes, CUT)
        return replace(found, levels=tuple(levels))

    @cached_property
    def _plain(self) -> list[Returned]:
        """What is returned without draws in it."""
        return [row for row in self.rows if Told.of(row[0]) is None]

    @cached_property
    def _groups(self) -> list[list[Piece]]:
        """The values that may be equal but for their real numbers."""
        made = [Told.of(value) for value, _, _, _ in self.rows]
        cells = every_cell(filter(None, made))
        found: dict[Any, list[Piece]] = defaultdict(list)
        for told, (_, path, block, weight) in zip(made, self.rows, strict=True):
            if told is None:
                continue
            own = [some if some.is_proportional else None for some in cells_of(told, cells)]
            left = [at for at, some in enumerate(own) if some is None]
            centers = tuple(told.centers[at] for at in left)
            draws = tuple(told.draws[at] for at in left)
            for labels, longer, share in told.expanded(path, own):
                key = told.shape, told.rests, key_of(told.told(labels))
                piece = Piece(told, labels, centers, draws, longer, block, weight * share)
                found[key].append(piece)
        return list(found.values())


def _cases(
    pieces: Sequence[Piece], pairs: set[tuple[int, int]], levels: Sequence[Fraction], more: bool
) -> Iterator[Returned]:
    """What equal values are told as, but for their real numbers."""
    worlds = _worlds(pieces)
    marks = {centers: at for at, centers in enumerate(dict.fromkeys(c for _, c in worlds.values()))}
    axes = _axes(pieces[0])
    found = regions(axes, worlds, sorted(pairs), levels)
    for region, plain in zip(found, labelled(found, axes), strict=True):
        for piece in pieces:
            conditions = region.conditions(piece.draws, piece.centers)
            own = {c for c in conditions if not isinstance(c, bool)}
            longer = Path(piece.path.conditions | own)  # possible, as these draws are new
            told = region.thin and more
            rest = iter(beside(plain, f", center {marks[piece.centers]}") if told else plain)
            labels = (next(rest) if label is None else label for label in piece.labels)
            yield piece.told.told(labels), longer, piece.block, piece.weight


def _axes(piece: Piece) -> list[Axis]:
    """The axes of the real numbers of a value."""
    every = zip(piece.told.shape.axes, piece.labels, strict=True)
    return [axis for axis, label in every if label is None]


def _worlds(pieces: Sequence[Piece]) -> dict[int, World]:
    """For each block of worlds the center of its numbers, and how likely they are released."""
    centers: dict[int, tuple[Number, ...]] = {}
    sums: dict[int, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for piece in pieces:
        if centers.setdefault(piece.block, piece.centers) != piece.centers:
            raise LimitReached("numbers are released around several centers in one world")
        event = tuple(sorted(events(piece.path), key=repr))
        if any(map(is_normal, event)):
            raise LimitReached("real numbers are released beside comparisons of normal draws")
        sums[piece.block][event] += piece.weight
    known = Noise.of(frozenset(own.items()) for own in sums.values()).values[1:]
    return {block: (value, centers[block]) for block, value in zip(sums, known, strict=True)}
