"""The smallest public constraint under which a check is violated that holds without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import thread_time

from verifier.base.errors import NotDecided
from verifier.lab.search import separation
from verifier.lab.search.files import Candidate, Tree, alone, headed, pinned
from verifier.lab.search.violation import restricted
from verifier.spec.options import Check
from verifier.world.space import ABSENT, WorldSpace


@dataclass
class Tried:
    """How many constraints were tried, of how many worlds that they leave out, and what came out.

    count      how many were tried
    undecided  of how many of these there was no answer, though no secret went away
    below      all that leave out fewer worlds were tried
    """

    count: int = 0
    undecided: int = 0
    below: int = 1

    def told(self) -> str:
        """The same in words."""
        left = f", {self.undecided} of them undecided" if self.undecided else ""
        every = f"; all that leave out fewer than {self.below} worlds" * (self.below > 1)
        return f"constraints tried: {self.count}{left}{every}"


def smallest(check: Check, seconds: float | None) -> Iterator[tuple[Tree | None, str]]:
    """The file of a check with a constraint under which it is violated, which leaves out as few
    worlds as possible, or none; and what was tried. Of an implication, with ever smaller
    mechanisms.

    check    that holds
    seconds  for all of it; None without a limit

    NotDecided where it does not hold without a constraint.
    """
    given = Candidate(alone(check), check.model.path, check.model.allow_python)
    if given.answer is None or given.answer.verdict != "holds":
        raise NotDecided("it does not hold without a further constraint")
    tried, started = Tried(), thread_time()
    for size in range(1, check.space.size - 1):
        tried.below = size
        for away in combinations(range(check.space.size), size):
            if seconds is not None and thread_time() - started > seconds * 0.9:
                yield None, tried.told()
                return
            tried.count += 1
            candidate = _without(given, away)
            found = candidate.answer
            tried.undecided += found is None and candidate.check is not None
            if found is not None and found.verdict == "violated":
                for tree in _files(candidate, f"{check.title}, under a constraint"):
                    yield tree, tried.told()
                return
    tried.below = max(1, check.space.size - 1)
    yield None, tried.told()


def _files(candidate: Candidate, title: str) -> Iterator[Tree]:
    check, found = candidate.check, candidate.answer
    assert check is not None and found is not None
    if check.definition.text == "implies":
        yield from separation.small(check, found, title)
    else:
        (item,) = candidate.tree["checks"]
        yield headed({**candidate.tree, "checks": [pinned(item, found)]}, title)


def _without(given: Candidate, away: Sequence[int]) -> Candidate:
    """The file without some of its worlds, by a predicate for each where they have records."""
    check, worlds = given.check, given.tree["worlds"]
    assert check is not None
    space = check.space
    if isinstance(worlds, list):
        left = {space.name(world) for world in away}
        return restricted(given, [world for world in worlds if world not in left])
    where = worlds.get("where", [])
    known = where if isinstance(where, list) else [where]
    further = [_another(space, world) for world in away]
    return restricted(given, {**worlds, "where": [*known, *further]})


def _another(space: WorldSpace, world: int) -> str:
    """That the world is not this one, as a predicate."""
    if space.attributes or not space.records:
        raise NotDecided("constraints on records with attributes, or histograms, are not searched")
    values = [space.record_values[code] for code in space.record_codes[:, world].tolist()]
    return " or ".join(
        f"{record}.present"
        if value is ABSENT
        else f"{_absent(space, record)}{record} != {_literal(value)}"
        for record, value in zip(space.records, values, strict=True)
    )


def _absent(space: WorldSpace, record: str) -> str:
    return f"not {record}.present or " if space.may_be_absent else ""


def _literal(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)
