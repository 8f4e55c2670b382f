"""Mechanisms, and priors, that tell two checks of a file apart: of one it holds, not of the other.

All of a family of small tables are tried, the small ones first, for half of the time; then any of
them, for the rest. The worlds are those of the file, or n of them in all ways in which two secrets
s and t can lie: some worlds are in s, no fewer in t, and the others in neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, groupby, product
from math import lcm, prod
from pathlib import Path
from random import Random
from time import thread_time

from verifier.base import document
from verifier.base.errors import InputError, LimitReached, NotDecided, Place, TimeLimitReached
from verifier.base.exact import is_irrational
from verifier.definitions import implies
from verifier.definitions._linear import linear_of
from verifier.lab.search import families
from verifier.lab.search.families import Row, Table
from verifier.lab.search.files import (
    Tree,
    alone,
    answer,
    guess,
    headed,
    pinned,
    texts,
    without,
    written,
)
from verifier.mechanisms.repeat import repeated
from verifier.questions.question import Question
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.options import Check
from verifier.world.mechanism import Mechanism

Inequalities = Sequence[Sequence[tuple[int, int]]]  # of a row x: Σ h·x_w <= 0, each as (w, h)

MOST_WORLDS = 64  # over which it is asked whether the first check implies the second
GENERATED = re.compile(r"\b(s|t|w[1-9][0-9]*)\b")  # the names of generated secrets and worlds


@dataclass(frozen=True)
class Family:
    """What is tried.

    worlds        numbers of worlds; None: those of the file
    outputs       numbers of outputs
    denominators  the largest denominator of a probability
    priors        that of a prior, which is positive everywhere; None: the priors of the file
    runs          of which the second check is asked, the first of one less; None: both of one
    """

    worlds: Sequence[int] | None = None
    outputs: Sequence[int] = (2,)
    denominators: int = 6
    priors: int | None = None
    runs: int | None = None


@dataclass(frozen=True)
class Setting:
    """Two checks over the same worlds under the same priors.

    tree     their file, without a mechanism
    classes  the worlds, those that may change places together
    swap     whether the first two classes may be swapped
    runs     of how many runs the first and the second check are asked
    """

    tree: Tree
    classes: tuple[tuple[str, ...], ...]
    swap: bool = False
    runs: tuple[int, int] = (1, 1)

    @cached_property
    def worlds(self) -> tuple[str, ...]:
        """All worlds."""
        return tuple(world for part in self.classes for world in part)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many worlds the classes have."""
        return tuple(map(len, self.classes))

    @cached_property
    def checks(self) -> tuple[Check, Check]:
        """The checks; InputError where they are no valid ones over these worlds."""
        first, second = _read(self.tree)
        return first, second

    def rows(self, table: Table) -> dict[str, Row]:
        """The distribution of every world of the file, in its order."""
        given = dict(zip(self.worlds, (row for part in table for row in part), strict=True))
        space = self.checks[0].space
        return {world: given[world] for world in space.names(range(space.size))}

    @cached_property
    def places(self) -> list[int]:
        """Where each world of the file stands in a table, whose classes follow each other."""
        space = self.checks[0].space
        return [self.worlds.index(world) for world in space.names(range(space.size))]

    @cached_property
    def linear(self) -> tuple[Inequalities | None, Inequalities | None]:
        """What the checks ask of each row of a mechanism; None where this is no list."""
        first, second = self.checks
        return _inequalities(first), _inequalities(second)

    def may_separate(self, table: Table) -> bool:
        """Whether no check asks something of rows that decides otherwise, in whole numbers."""
        columns = [row for part in table for row in part]
        shared = lcm(*(p.denominator for row in columns for p in row))
        whole = [[p.numerator * (shared // p.denominator) for p in columns[w]] for w in self.places]
        first, second = (_of_runs(list(zip(*whole, strict=True)), runs) for runs in self.runs)
        keeps = self.linear[0] is None or not _is_broken(self.linear[0], first)
        return keeps and (self.linear[1] is None or _is_broken(self.linear[1], second))

    def separates(self, table: Table) -> bool:
        """Whether the first check holds for a table, and the second does not; NotDecided.

        Engines alone say that it is not so: what is found has certificates.
        """
        if not self.may_separate(table):
            return False
        columns = self.rows(table).values()
        released = Mechanism.from_rows(_outputs(table), list(zip(*columns, strict=True)))
        first, second = (
            replace(check, asked_of=released if runs == 1 else repeated(released, runs))
            for check, runs in zip(self.checks, self.runs, strict=True)
        )
        for ask in (guess, answer):
            found = ask(first)
            if found.verdict != "holds" or verify.is_vacuous(found):
                return False
            if ask(second).verdict != "violated":
                return False
        return True

    def file(self, table: Table, title: str) -> Tree:
        """The file that says so."""
        rows = {world: list(map(str, row)) for world, row in self.rows(table).items()}
        rest = {key: item for key, item in self.tree.items() if key != "checks"}
        known: Tree = {"table": {"outputs": _outputs(table), **rows}}
        tree, checks = {**rest, "mechanism": known}, self.tree["checks"]
        if self.runs != (1, 1):
            names = ["once" if runs == 1 else f"runs_{runs}" for runs in self.runs]
            several = {
                name: {"repeat": {"of": "once", "runs": str(runs)}}
                for name, runs in zip(names, self.runs, strict=True)
            }
            tree = {**rest, "mechanisms": {**several, "once": known}}
            both = zip(checks, names, strict=True)
            checks = [{**item, "mechanism": name} for item, name in both]
        found = [answer(check) for check in _read({**tree, "checks": checks})]
        checks = [pinned(item, one) for item, one in zip(checks, found, strict=True)]
        return headed({**tree, "checks": checks}, title)


def why_none(first: Check, second: Check) -> str | None:
    """Why no mechanism over the worlds of a file tells two checks apart, in words: the first of
    them implies the second. None where this is not known."""
    if first.space.size > MOST_WORLDS:
        return None
    try:
        found = verify.certified(
            implies.question(
                space=first.space, premise=_asked_of(first), conclusion=_asked_of(second)
            )
        )
    except TimeLimitReached:
        raise
    except (NotDecided, LimitReached):
        return None
    if found.verdict != "holds":
        return None
    level = verify.describe_leakage(found)
    return f"there is none: the first check implies the second, of which e^ε {level} is needed"


def _asked_of(check: Check) -> Callable[[Mechanism], Question]:
    return lambda mechanism: reading.asked(replace(check, asked_of=mechanism))


def _inequalities(check: Check) -> Inequalities | None:
    try:
        found = linear_of(check.space, _asked_of(check))
        if is_irrational(found.claim.level.alpha):
            return None
        return [list(row.items()) for row in found.halfspaces().rows]
    except (NotDecided, LimitReached):
        return None


def _of_runs(rows: Sequence[tuple[int, ...]], runs: int) -> Sequence[tuple[int, ...]]:
    """The likelihoods of all multisets of outputs, up to factors."""
    several = combinations_with_replacement(rows, runs)
    return rows if runs == 1 else [tuple(map(prod, zip(*one, strict=True))) for one in several]


def _is_broken(asked: Inequalities, rows: Sequence[Sequence[int]]) -> bool:
    """Whether some row has h · x > 0 for one of the inequalities."""
    return any(sum(h * row[w] for w, h in terms) > 0 for terms in asked for row in rows)


def _outputs(table: Table) -> list[str]:
    return [chr(ord("a") + at) for at in range(len(table[0][0]))]


def _read(tree: Tree) -> list[Check]:
    return reading.read_model_and_checks(
        document.parse(written(tree), "example.yaml"), Path("example.yaml")
    )[1]


@dataclass
class Search:
    """A search for a mechanism that tells two checks apart, and how far it has come.

    settings   that are tried, those with few worlds first
    family     which tables
    seconds    for all of it; None without a limit
    count      how many tables up to symmetry have been decided in order
    drawn      how many more at random
    undecided  for how many of all of them there was no answer
    done       numbers of worlds and outputs, and denominators, of which all tables are decided
    """

    settings: Sequence[Setting]
    family: Family
    seconds: float | None
    count: int = 0
    drawn: int = 0
    undecided: int = 0
    done: list[tuple[int, int, int]] = field(default_factory=list)
    whole: bool = False
    started: float = field(default_factory=thread_time)

    def found(self, title: str) -> Tree | None:
        """The file of the first mechanism that tells the checks apart; None without one."""
        for setting, table in self._tables():
            try:
                if setting.separates(table):
                    return setting.file(table, title)
            except NotDecided:
                self.undecided += 1
            except InputError as error:  # of worlds or priors that --over gives: the file was read
                said = f"{error.message} (as --over makes worlds and priors)"
                raise InputError(error.code, said, Place("--over", 1, 1), hint=error.hint) from None
        return None

    def _tables(self) -> Iterator[tuple[Setting, Table]]:
        most = self.family.denominators
        for size, group in groupby(self.settings, key=lambda one: len(one.worlds)):
            settings = list(group)
            for outputs, denominator in product(self.family.outputs, range(1, most + 1)):
                for setting in settings:
                    about = setting.sizes, outputs, denominator, setting.swap
                    for table in families.tables(*about):
                        if self._is_over(Fraction(1, 2)):
                            yield from self._random()
                            return
                        self.count += 1
                        yield setting, table
                self.done.append((size, outputs, denominator))
        self.whole = True

    def _random(self) -> Iterator[tuple[Setting, Table]]:
        random, family = Random(0), self.family
        while not self._is_over(Fraction(9, 10)):
            setting = random.choice(self.settings)
            outputs = random.choice(family.outputs)
            self.drawn += 1
            yield setting, families.drawn(setting.sizes, outputs, family.denominators, random)

    def _is_over(self, share: Fraction) -> bool:
        return self.seconds is not None and thread_time() - self.started > self.seconds * share

    def told(self) -> str:
        """What has been tried, in words."""
        sizes = dict[tuple[int, int], int]()
        for size, outputs, denominator in self.done:
            sizes[size, outputs] = denominator
        whole = [
            f"{size} worlds, {outputs} outputs, denominators <= {denominator}"
            for (size, outputs), denominator in sizes.items()
        ]
        left = f"; {self.undecided} of them undecided" if self.undecided else ""
        drawn = f", and {self.drawn} drawn at random" if self.drawn else ""
        return f"{self.count} tried in order{drawn}{left}; all up to symmetry with: " + (
            "; ".join(whole) or "no size"
        )


def settings(first: Check, second: Check, family: Family) -> list[Setting]:
    """The worlds and priors over which two checks of a file are asked; NotDecided where these name
    worlds and others are to be tried."""
    top = {k: v for k, v in alone(first).items() if k not in ("mechanism", "mechanisms", "checks")}
    items = [alone(check)["checks"][0] for check in (first, second)]
    items = [{key: item[key] for key in item if key != "mechanism"} for item in items]
    if family.worlds is None:
        names = first.space.names(range(first.space.size))
        shapes = [Setting({**top, "checks": items}, tuple((name,) for name in names))]
    else:
        rest = {key: top[key] for key in ("parameters", "priors") if key in top}
        if any(GENERATED.search(text) for text in texts([rest, items])):
            raise NotDecided("s, t, w1, w2, … are names of what is tried, and stand in the file")
        shapes = [one for size in family.worlds for one in _shapes(rest, items, size)]
    if family.runs is not None:
        shapes = [replace(shape, runs=(family.runs - 1, family.runs)) for shape in shapes]
    if family.priors is None:
        return shapes
    return [one for shape in shapes for one in _under_priors(shape, family.priors)]


def _shapes(rest: Tree, items: Sequence[Tree], size: int) -> Iterator[Setting]:
    """So many worlds, in all ways in which two secrets can lie."""
    worlds = tuple(f"w{at}" for at in range(1, size + 1))
    for left in range(1, size // 2 + 1):
        for right in range(left, size - left + 1):
            parts = worlds[:left], worlds[left : left + right], worlds[left + right :]
            secrets = {"s": list(parts[0]), "t": list(parts[1])}
            about = {"worlds": list(worlds), "secrets": secrets, "pairs": [["s", "t"]]}
            classes = tuple(part for part in parts if part)
            yield Setting({**about, **rest, "checks": items}, classes, left == right)


def _under_priors(shape: Setting, most: int) -> Iterator[Setting]:
    """The setting under each positive prior with small denominators; worlds that may change places
    have ascending shares, and may do so where these are equal."""
    sizes = shape.sizes
    shares = sorted({p for row in families.distributions(len(shape.worlds), most) for p in row})
    positive = [share for share in shares if share]
    for parts in product(*(combinations_with_replacement(positive, size) for size in sizes)):
        row = [share for part in parts for share in part]
        if sum(row) != 1:
            continue
        known = dict(zip(shape.worlds, row, strict=True))
        classes = tuple(
            tuple(group)
            for part in shape.classes
            for _, group in groupby(part, key=known.__getitem__)
        )
        prior = {"list": [{"worlds": {world: str(p) for world, p in known.items()}}]}
        checks = [without(item, "priors") for item in shape.tree["checks"]]
        tree = {**shape.tree, "priors": prior, "checks": checks}
        yield Setting(tree, classes, runs=shape.runs)
