"""A prior of a class under which a check's mechanism leaks most, or nearly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verifier.base import document
from verifier.base.errors import InputError, NotDecided, Place
from verifier.lab.search.files import (
    Candidate,
    Tree,
    alone,
    headed,
    pinned,
    plain,
    without,
)
from verifier.questions.answer import Answer
from verifier.questions.witness import EventWitness, OutputWitness, RunWitness
from verifier.run import verify
from verifier.spec.options import Check

ROUNDS = 20


def worst(check: Check, priors: str) -> Iterator[tuple[Tree, str]]:
    """Files of a check with priors of a class that leak ever more, and what is known of each; the
    last one is the worst that was found.

    check   with a level
    priors  the class, as YAML

    Each prior shows that the class leaks as much as it does, and the next one is looked for above
    that. NotDecided where nothing leaks, or no prior is told; InputError where there is no such
    class.
    """
    whole = Candidate(_under(check, plain(document.parse(priors, "--priors"))), check.model.path)
    try:
        whole.read().priors()
    except InputError as error:  # its place is in a file that nobody has written
        raise InputError(
            error.code, error.message, Place("--priors", 1, 1), hint=error.hint
        ) from None
    tree, one = None, None
    for tree, one in _leaking(whole, f"{check.title}, the worst prior"):
        yield tree, f"this prior leaks {verify.describe_leakage(one)}"
    if tree is None or one is None:
        raise NotDecided("no prior of the class is found under which it leaks")
    yield tree, _told(whole, one)


def _leaking(whole: Candidate, title: str) -> Iterator[tuple[Tree, Answer]]:
    """Files with single priors that leak ever more, and the answers to them."""
    level = Fraction(1)
    for _ in range(ROUNDS):
        found = _at(whole, level).answer
        if found is None or found.verdict == "holds":
            return
        listed = whole.also(priors={"list": [{"worlds": _prior(found)}]})
        one = listed.answer
        if one is None or one.leakage is None:
            return
        more = one.leakage.exp_epsilon
        if not one.leakage.infinite and (more is None or more <= level):
            return
        (item,) = listed.tree["checks"]
        yield headed({**listed.tree, "checks": [pinned(item, one)]}, title), one
        if one.leakage.infinite:
            return
        assert more is not None
        level = Fraction(more)


def _told(whole: Candidate, best: Answer) -> str:
    one = verify.describe_leakage(best)
    every = "not decided" if whole.answer is None else verify.describe_leakage(whole.answer)
    return f"this prior leaks {one}; the smallest level for the whole class: {every}"


def _under(check: Check, priors: Tree) -> Tree:
    """The file of a check with other priors."""
    top = alone(check)
    return {**top, "priors": priors, "checks": [without(top["checks"][0], "priors")]}


def _at(whole: Candidate, level: Fraction) -> Candidate:
    """The same question at another level."""
    (item,) = whole.tree["checks"]
    keyword = whole.read().definition.text
    kept = {k: v for k, v in item[keyword].items() if k not in ("epsilon", "exp_epsilon")}
    return whole.also(checks=[{**item, keyword: {"exp_epsilon": str(level), **kept}}])


def _prior(found: Answer) -> dict[str, str]:
    """What an attacker believes whom a violation is about."""
    if not isinstance(found.witness, OutputWitness | EventWitness | RunWitness):
        raise NotDecided("no prior is told that violates it")
    return {world: str(p) for world, p in found.witness.before.prior.items()}
