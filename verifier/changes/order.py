"""Whether a new promise keeps an old one: the order of promises, question by question.

A promise is kept where every mechanism that keeps the new one keeps the old one, on the worlds
that the old one speaks of. Level and δ are at most the old ones, and what is quantified over
includes what was; `comparisons`, `beliefs` and `simulators` say what includes what, and why. What
they do not show is taken as not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verifier.base.errors import LimitReached
from verifier.base.level import at_most
from verifier.changes import beliefs, curves, numbers, simulators
from verifier.changes.comparisons import Pair, Promise, exact, lacking, renumbered
from verifier.changes.matching import Matching, identical, matched
from verifier.changes.rules import steps
from verifier.changes.statements import Statement, listing
from verifier.changes.statuses import PROMISES_LESS, PROMISES_MORE, PROMISES_OTHERWISE
from verifier.kernels.regions import Region, refined
from verifier.questions.claim import DivergenceClaim, SensitivityClaim
from verifier.questions.model import different
from verifier.questions.pieces import PiecesClaim
from verifier.questions.question import Question
from verifier.questions.several import EverywhereClaim
from verifier.questions.simulation import SimulationClaim
from verifier.world.worlds import WorldSpace

CLASSES = ("composition", "influence", "universally_composable")  # of secrets and priors
ROWS = ("error", "implies", "optimal", "post_processing", "row_cone")
SENSITIVITIES = ("sensitivity", "parallel_composition")
COMPARED = "comparisons"
FUNCTIONS = "probabilities are functions of parameters"


@dataclass(frozen=True)
class Loss:
    """Something that one promise has and another one is not shown to have.

    about     what it is about, in one word
    definite  whether it is fewer, or weaker; else it cannot be compared
    mine      its value in the first promise, where it has one
    theirs    in the other one
    names     what is fewer
    reason    why it cannot be compared, where that is known
    """

    about: str
    definite: bool
    mine: str | None = None
    theirs: str | None = None
    names: tuple[str, ...] = ()
    reason: str = ""


FEWER = {
    "level": "the level is larger",
    "delta": "delta is larger",
    "worlds": "fewer worlds",
    COMPARED: "fewer comparisons",
    "pairs": "fewer pairs of secrets",
    "priors": "fewer priors",
    "entries": "more entries may be hidden",
    "bound": "what is asserted is weaker",
    "given": "more mechanisms that it may be made from",
    "parameters": "fewer values of a parameter",
}
STRONGER = {
    "level": "the level is smaller",
    "delta": "delta is smaller",
    "worlds": "more worlds",
    COMPARED: "more comparisons",
    "pairs": "more pairs of secrets",
    "priors": "more priors",
    "entries": "fewer entries may be hidden",
    "bound": "what is asserted is stronger",
    "given": "fewer mechanisms that it may be made from",
    "parameters": "more values of a parameter",
}
OTHER = {
    "worlds": "other worlds",
    COMPARED: "other comparisons",
    "pairs": "other pairs of secrets",
    "priors": "other priors",
    "definition": "another definition",
    "views": "other views, or simulators that see other things",
    "simulator": "another simulator",
    "question": "another question",
    "parameters": "other values of other parameters",
}


def promised(before: Question, after: Question) -> list[Statement]:
    """How the promise of a question changed; nothing where each keeps the other.

    before, after  the question on either side
    """
    return compared(losses(before, after), losses(after, before))


def compared(lost: Sequence[Loss], gained: Sequence[Loss]) -> list[Statement]:
    """Statements about a change of a promise: only the old one has the parts that are `lost`, only
    the new one those that are `gained`."""
    if not lost:
        return [_stated(loss, PROMISES_MORE, STRONGER) for loss in gained]
    weaker = not gained  # what the new one promises, the old one did
    found = [
        _stated(loss, PROMISES_LESS, FEWER)
        if loss.definite or weaker
        else _stated(loss, PROMISES_OTHERWISE, OTHER)
        for loss in lost
    ]
    return found + [_stated(loss, PROMISES_MORE, STRONGER) for loss in gained if loss.definite]


def _stated(loss: Loss, status: str, words: dict[str, str]) -> Statement:
    told = words.get(loss.about) or OTHER.get(loss.about, loss.about)
    told = f"{told} ({loss.reason})" if loss.reason else told
    ends = (loss.theirs, loss.mine) if status == PROMISES_MORE else (loss.mine, loss.theirs)
    found = listing(status, loss.about, told, list(loss.names))
    return replace(found, before=ends[0], after=ends[1])


def losses(old: Question, new: Question) -> list[Loss]:
    """What an `old` promise has that a `new` one is not shown to have."""
    if old.is_for_all or new.is_for_all:
        return [*_fewer_values(old, new), *_large(old, new, FUNCTIONS)]
    if old.local is not None or new.local is not None:
        return _large(old, new, "channels are compared, and no world is enumerated")
    try:
        worlds = matched(old.space, new.space)
    except LimitReached as limit:
        return _large(old, new, str(limit))
    if not worlds.common:
        return [Loss("worlds", False, names=tuple(worlds.gone))]
    if _family(old) != _family(new):
        return [*_weaker(old, new), Loss("definition", False, old.definition, new.definition)]
    gone = [Loss("worlds", True, names=tuple(worlds.gone))] if worlds.gone else []
    if _family(old) == COMPARED and _implied(old, new, worlds):
        return gone
    return [*_weaker(old, new), *gone, *_scope(old, new, worlds)]


def _fewer_values(old: Question, new: Question) -> Iterator[Loss]:
    """The values of a parameter about which the new question is not."""
    if not isinstance(old.claim, PiecesClaim) or not isinstance(new.claim, PiecesClaim):
        if _about(old) != _about(new):
            yield Loss("parameters", False, _about(old), _about(new))
        return
    ours, theirs = (Region((claim.domain,)) for claim in (old.claim, new.claim))
    if old.claim.parameter != new.claim.parameter:
        yield Loss("parameters", False, _about(old), _about(new))
    elif refined([ours, theirs], lambda inside: [*inside] == [True, False]).intervals:
        yield Loss("parameters", True, _about(old), _about(new))


def _about(question: Question) -> str | None:
    """The values of parameters that a question is about, in words."""
    claim = question.claim
    if isinstance(claim, PiecesClaim):
        return claim.domain.told(claim.parameter)
    return claim.domain.told() if isinstance(claim, EverywhereClaim) else None


def _family(question: Question) -> str:
    """Definitions of one family ask the same of what they quantify over."""
    if isinstance(question.claim, SimulationClaim):
        return question.claim.form
    alone = question.definition in (*ROWS, *SENSITIVITIES, *CLASSES)
    return question.definition if alone else COMPARED


def _weaker(old: Question, new: Question) -> Iterator[Loss]:
    """A larger level, a larger delta."""
    if old.is_for_all or new.is_for_all:
        yield from _weaker_functions(old, new)
        return
    if old.level and new.level and not at_most(new.level, old.level):
        yield Loss("level", True, str(old.level), str(new.level))
    if new.delta > old.delta:
        yield Loss("delta", True, str(old.delta), str(new.delta))


def _weaker_functions(old: Question, new: Question) -> Iterator[Loss]:
    """The same for levels and deltas that are functions of parameters: larger for some values."""
    ours, theirs = (one.level.exp_epsilon if one.level else None for one in (old, new))
    for about, one, other in (("level", ours, theirs), ("delta", old.delta, new.delta)):
        if one is None or other is None or one == other:
            continue
        claim = new.claim
        if not isinstance(claim, PiecesClaim):
            yield Loss(about, False, str(one), str(other))
        elif curves.where_larger(claim.parameter, one, other, claim.domain).intervals:
            yield Loss(about, True, str(one), str(other))


def same_scope(old: Question, new: Question) -> bool:
    """Whether two questions quantify over the same, as their certificates have it."""
    alike = len({(type(one.claim), one.stated().rule) for one in (old, new)}) == 1
    return alike and old.options == new.options and same_question(old, new)


def same_question(old: Question, new: Question) -> bool:
    """Whether two questions, `old` and `new`, ask the same of a mechanism, or a query, but for the
    level."""
    if not identical(old.space, new.space) or old.definition != new.definition:
        return False
    ours, theirs = (_of_any_value(one.stated().compared) for one in (old, new))
    query = old.definition in SENSITIVITIES
    return bool(ours == theirs and (query or old.options == new.options))


def _of_any_value(compared: Any) -> Any:
    """What is compared on the cells of a domain of parameters, of one without the ends of it."""
    if "cells" not in compared:
        return compared
    sides = compared["sides"] if len(compared["parameters"]) > 1 else None
    cells = different(one and one["relation"] for one in compared["cells"])
    return {**compared, "sides": sides, "cells": cells}


def _large(old: Question, new: Question, reason: str) -> list[Loss]:
    """The losses where worlds are too many to be matched: the same scope, or nothing is known."""
    if same_scope(old, new):
        return list(_weaker(old, new))
    return [*_weaker(old, new), Loss(_apart(old, new), False, reason=reason)]


def _apart(old: Question, new: Question) -> str:
    """What two questions of different scope differ in, as their certificates have it."""
    if not identical(old.space, new.space):
        return "worlds"
    if old.definition != new.definition:
        return "definition"
    ours, theirs = (question.stated().parts["relation"] or {} for question in (old, new))
    of_network = ours.get("rule") == "network" and ours["priors"]
    named = {"parts": "pairs", "chosen": "pairs"} if of_network else {}
    differ = {named.get(key, key) for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)}
    return differ.pop() if differ in ({"priors"}, {"pairs"}) else "question"


def _scope(old: Question, new: Question, worlds: Matching) -> list[Loss]:
    """What the old question quantifies over and the new one is not shown to."""
    family = _family(old)
    if family in ROWS:
        return _rows(old, new)
    if family in SENSITIVITIES:
        return _sensitivity(old, new, worlds)
    if same_scope(old, new):
        return []
    if isinstance(old.claim, SimulationClaim) and isinstance(new.claim, SimulationClaim):
        return [Loss(about, False) for about in simulators.lost(old.claim, new.claim, worlds)]
    if family == COMPARED:
        return _compared(old, new, worlds)
    return _secrets(old, new, worlds)


def _implied(old: Question, new: Question, worlds: Matching) -> bool:
    """Whether comparisons, or pairs and priors, show that the old promise follows at its level."""
    weaker = any(_weaker(old, new))
    if same_scope(old, new):
        return not weaker
    if not weaker and not _secrets(old, new, worlds):
        return True
    if _by_rule(old, new):
        return True
    ours, theirs = _enough(old, worlds), _known(new)
    if ours is None or theirs is None:
        return False
    return next(lacking(ours, theirs, new.space.size), None) is None


def _by_rule(old: Question, new: Question) -> bool:
    """Whether the old relation is so many steps of the new one, by their rules."""
    if not identical(old.space, new.space):
        return False
    ours, theirs = (question.stated().compared for question in (old, new))
    found = steps(ours, theirs, new.space)
    if found is None or not old.level or not new.level:
        return False
    # over several steps δ adds up to more than that of either side
    fine = new.delta <= old.delta if found == 1 else not new.delta
    return fine and at_most(new.level, old.level, Fraction(found))


def _enough(old: Question, worlds: Matching) -> Promise | None:
    """Comparisons from which the old promise follows, about those worlds that are not gone."""
    promise, about = exact(old), beliefs.believed(old)
    if promise is None and about is not None and old.level is not None:
        pairs = beliefs.across(about)
        if pairs is not None:
            promise = Promise(dict.fromkeys(pairs, Fraction(1)), old.level, old.delta)
    return None if promise is None else renumbered(promise, worlds.place)


def _known(new: Question) -> Promise | None:
    """Comparisons that follow from the new promise."""
    promise, about = exact(new), beliefs.believed(new)
    if promise is None and about is not None:
        promise = beliefs.consequences(new, about)
    return promise


def _compared(old: Question, new: Question, worlds: Matching) -> list[Loss]:
    """What is compared no more, whatever the level: by pairs and priors, else by worlds."""
    both = beliefs.believed(old) is not None and beliefs.believed(new) is not None
    by_class = _secrets(old, new, worlds) if both else None
    if by_class == []:
        return []
    ours, theirs = _enough(old, worlds), _known(new)
    if ours is None or theirs is None:
        return by_class or [_unlike(old, new)]
    # at the stronger of both levels, so that a weaker one alone is not told as fewer pairs
    least = theirs.level if at_most(theirs.level, ours.level) else ours.level
    at_least = replace(theirs, level=least, delta=min(theirs.delta, ours.delta))
    lost = list(lacking(ours, at_least, new.space.size))
    if not lost:
        return []
    if by_class is not None:
        return by_class
    fewer = {pair for pair in theirs.pairs if _is_old(pair, worlds)} <= ours.pairs.keys()
    return [Loss(COMPARED, fewer, names=tuple(_words(pair, new.space) for pair in lost))]


def _unlike(old: Question, new: Question) -> Loss:
    """That two questions compare what is not compared with each other."""
    if isinstance(old.claim, DivergenceClaim) and old.definition == new.definition:
        return Loss("question", False)
    if old.definition == new.definition:
        return Loss(COMPARED, False, reason="too many to be listed")
    return Loss("definition", False, old.definition, new.definition)


def _is_old(pair: Pair, worlds: Matching) -> bool:
    """Whether a pair of new columns is about worlds that were there before."""
    kept = {at for _, at in worlds.common}
    return all(world in kept for column in pair for world, _ in column)


def _words(pair: Pair, space: WorldSpace) -> str:
    """Two columns in words."""
    return " against ".join(
        " + ".join(f"{p}*{space.name(w)}" if p != 1 else space.name(w) for w, p in column)
        for column in pair
    )


def _secrets(old: Question, new: Question, worlds: Matching) -> list[Loss]:
    """Pairs of secrets and classes of priors, or worlds that are compared."""
    ours, theirs = beliefs.believed(old), beliefs.believed(new)
    if ours is None or theirs is None:
        return [Loss("definition", False, old.definition, new.definition)]
    found, back = [], matched(new.space, old.space)
    if pairs := beliefs.lost_pairs(ours, theirs, worlds):
        fewer = not beliefs.lost_pairs(theirs, ours, back)
        found.append(Loss("pairs", fewer, names=tuple(pairs)))
    if not beliefs.inside(ours, theirs, worlds):
        narrower = beliefs.inside(theirs, ours, back)
        names = tuple(beliefs.outside(ours, theirs, worlds))
        found.append(Loss("priors", narrower, ours.kind, theirs.kind, names))
    entries = old.options.get("entries"), new.options.get("entries")
    if entries[0] is not None and entries[1] > entries[0]:
        found.append(Loss("entries", True, str(entries[0]), str(entries[1])))
    return found


def _sensitivity(old: Question, new: Question, worlds: Matching) -> list[Loss]:
    """The query, the pairs of worlds between which it changes, and what is asserted."""
    assert isinstance(old.claim, SensitivityClaim) and isinstance(new.claim, SensitivityClaim)
    found = []
    if not numbers.same_functions(old.claim, new.claim):
        found.append(Loss("question", False))
    known = set(new.claim.relation.pairs())
    moved = [(worlds.place[w], worlds.place[v]) for w, v in old.claim.relation.pairs()]
    fewer = [(w, v) for w, v in moved if w is not None and v is not None and (w, v) not in known]
    if fewer:
        names = [f"{new.space.name(w)} against {new.space.name(v)}" for w, v in fewer]
        found.append(Loss(COMPARED, True, names=tuple(names)))
    return [*found, *_bound(old, new)]


def _bound(old: Question, new: Question) -> Iterator[Loss]:
    if numbers.weaker(old, new):
        ours, theirs = (numbers.bound(question) for question in (old, new))
        yield Loss("bound", True, str(ours), None if theirs is None else str(theirs))


def _rows(old: Question, new: Question) -> list[Loss]:
    """Given mechanisms, and what is asserted of a best one."""
    if not numbers.same_rows(old, new):
        return [Loss("question", False)]
    more = numbers.more_given(old, new)
    if numbers.fixes_given(old):
        fewer = numbers.more_given(new, old)
        found = [Loss("question", False, names=(*more, *fewer))] if more or fewer else []
    else:
        found = [Loss("given", True, names=tuple(more))] if more else []
    return [*found, *_bound(old, new)]
