"""Influence curves of a file, and what they promise about its mechanisms.

For each setting (pairs of secrets and priors) of a file's checks: e^a(b) for b = 0, 1, 2, … hidden
entries, and which ones. For each mechanism: its level α of differential privacy for one entry; the
largest ratio β(b) between two worlds of two secrets that agree on the entries that are not hidden;
the promises α^(kb)·e^a(b) and β(b)^k·e^a(b) about k runs (Bai, He, Gu, Kifer, Maeng, Theorems 6.1
and 6.2), and what k runs really leak.

The promise with β holds always: with L the entries that are shown,

    P(o | s) = Σ_x P(x | s) P(o | s, x) <= e^a(b) Σ_x P(x | t) β P(o | t, x) = e^a(b) β P(o | t),

since P(o | s, x) and P(o | t, x) average columns of worlds that agree on L; k runs are one
mechanism whose ratios are at most β^k. The promise with α needs β <= α^b, the group property, which
may fail where constraints leave gaps between the worlds, or records may be absent.

Where records that follow chains or a tree are too many for their worlds, β(b) is not asked for, and
its bound α^b, which holds as every world is possible, stands in its place.

Every number here is a leakage, certified by the checker, or a product of such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

from verifier.base.document import Node
from verifier.base.errors import MEMORY_REACHED, InputError, LimitReached, NotDecided, nearest
from verifier.base.level import Leakage, Level
from verifier.base.registry import DEFINITIONS
from verifier.definitions import _quilts, differential_privacy, influence, pufferfish
from verifier.definitions._quilts import Records
from verifier.engines.composition.influence import entry_names
from verifier.lab.curves.promises import (
    About,
    Point,
    Promise,
    Runs,
    Setting,
    Undecided,
    Value,
    power,
    times,
    wanted,
)
from verifier.mechanisms import known_exactly
from verifier.mechanisms.repeat import repeated
from verifier.priors.all import AllPriors
from verifier.questions.claim import InfluenceClaim, QuiltsClaim
from verifier.questions.evidence import HidingEvidence
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, PriorClass, Secret
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.relation import keys
from verifier.world.worlds import WorldSpace

ONE = Level(exp_epsilon=Fraction(1))
MAX_CELLS = 10**7  # worlds of all secrets of one comparison
MAX_CELLS_OF_RUNS = 250_000  # multisets of outputs times worlds


@dataclass(frozen=True, eq=False)
class Case:
    """What one setting is about, over enumerated worlds."""

    space: WorldSpace
    pairs: Sequence[Pair]
    priors: PriorClass

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return len(entry_names(self.space))

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """The secrets of the pairs."""
        return tuple((left.name, right.name) for left, right in self.pairs)

    def question(self, entries: int = 0) -> Question:
        """Whether nothing is told when so many entries are hidden."""
        return influence.question(
            space=self.space, level=ONE, pairs=self.pairs, priors=self.priors, entries=entries
        )

    @property
    def claim(self) -> InfluenceClaim:
        """The claim of that for none."""
        claim = self.question().claim
        assert isinstance(claim, InfluenceClaim)
        return claim

    @property
    def key(self) -> str:
        """Equal for equal settings."""
        statement = self.claim.statement
        return repr([statement[part] for part in ("secrets", "pairs", "priors")])

    def entry_level(self, mechanism: Mechanism) -> Leakage:
        """The level of differential privacy of a `mechanism` for one entry."""
        return _entry_level(self.space, mechanism)

    def factor(self, mechanism: Mechanism, point: Point, alpha: Value) -> Value:
        """The largest ratio between worlds of two secrets that agree on the entries shown: all
        priors on two secrets and one value of these entries."""
        return _factor(self, mechanism, point)

    def leakage(self, mechanism: Mechanism, runs: int) -> tuple[bool, Value]:
        """Whether it was looked for, and what so many `runs` of a `mechanism` leak."""
        return _leakage(self, mechanism, runs)


@dataclass(frozen=True, eq=False)
class RecordsCase:
    """What one setting is about, over records that depend on each other."""

    records: Records

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return len(self.records.space.records)

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """The secrets of the pairs."""
        return tuple((a, b) for _, a, b in self.records.named())

    def question(self, entries: int = 0) -> Question:
        """Whether nothing is told when so many entries are hidden."""
        return self.records.question(ONE, entries)

    @property
    def claim(self) -> QuiltsClaim:
        """The claim of that for none."""
        claim = self.question().claim
        assert isinstance(claim, QuiltsClaim)
        return claim

    @property
    def key(self) -> str:
        """Equal for equal settings."""
        return repr(self.claim.statement | {"pairs": self.claim.compared})

    def entry_level(self, mechanism: LocalMechanism) -> Leakage:
        """The level of differential privacy of a `mechanism` for one entry."""
        return _entry_level(self.records.space, mechanism)

    def factor(self, mechanism: LocalMechanism, point: Point, alpha: Value) -> Value:
        """A bound of the same, as one entry after the other may change."""
        return power(alpha, point.entries) if point.exp_a is not None else None

    def leakage(self, mechanism: LocalMechanism, runs: int) -> tuple[bool, Value]:
        """Whether it was looked for and found, and what so many `runs` of a `mechanism` leak."""
        several = mechanism.each(lambda channel: channel.repeated(runs))
        try:
            found = verify.certified(self.records.leaks(several)).leakage
        except (NotDecided, LimitReached):
            return False, None
        if found is None or found.bounds is not None:
            return False, None
        return True, found.exp_epsilon


def run(
    path: str,
    options: verify.Options,
    mechanism: str | None = None,
    runs: int = 3,
    start: int = 0,
    level: Fraction | None = None,
) -> Iterator[Setting | Undecided]:
    """Every setting of the file's checks of `influence`, or of `pufferfish` where there is none,
    from number `start` on; with what keeps a `level` of Pufferfish, if one is given.

    Raises InputError for a bad file, S606 where it has no such check, S106 for an unknown
    mechanism; verify.NotAccepted where the checker rejects a certificate.
    """
    with verify.limits(options):
        read, checks = reading.load(path, options.allow_python)
        mechanisms = dict(_mechanisms(read, mechanism))
    seen: set[str] = set()
    number = 0
    for check in _asking(read, checks):
        title = check.name or f"check {check.index + 1}"
        options.progress(f"{path}: {title}")
        found: Setting | Undecided | None
        try:
            with verify.limits(options, f"check {check.index + 1}"):
                case, key = check.definition.placed(lambda check=check: _case(check))  # type: ignore[misc]
                if key in seen:
                    continue
                seen.add(key)
                found = examine(case, title, mechanisms, runs) if number >= start else None
                if found and level is not None:
                    found = replace(found, wanted=wanted(level, found.curve))
        except (NotDecided, LimitReached) as reason:
            found = Undecided(title, str(reason))
        except MemoryError:
            found = Undecided(title, MEMORY_REACHED)
        finally:
            options.progress("")
        number += 1
        if found and number > start:
            yield found


def _case(check: Check) -> tuple[Case | RecordsCase, str]:
    """What a check is about, and what is equal for equal settings."""
    case: Case | RecordsCase
    records = _quilts.read(check) if check.model.is_large else None
    if records is not None:
        case = RecordsCase(records)
    else:
        case = Case(check.space, check.pairs().listed, check.priors())
    return case, case.key


def _asking(read: Model, checks: Sequence[Check]) -> list[Check]:
    """The checks whose pairs and priors are looked at."""
    for keyword in ("influence", "pufferfish"):
        found = [check for check in checks if check.definition.text == keyword]
        for check in found:
            check.options.check_keys((*DEFINITIONS.module(keyword).OPTIONS, "mechanism"))
        if found:
            return found
    said = "no check is about 'influence' or 'pufferfish'"
    hint = "add one, such as - pufferfish: {exp_epsilon: 3, pairs: values, priors: product}"
    raise read.node["checks"].fail("S606", said, hint)


def _mechanisms(
    read: Model, chosen: str | None
) -> Iterator[tuple[str | None, Mechanism | LocalMechanism]]:
    """The chosen mechanism, or all that the file names; channels where there are many worlds."""
    table = read.node.get("mechanisms")
    entries = table.mapping(what="a mapping from names to mechanisms").entries if table else ()
    names = [key for key, _ in entries]
    if chosen is not None and chosen not in {name.text for name in names}:
        hint = nearest(chosen, [name.text for name in names])
        raise InputError("S106", f"no mechanism is named '{chosen}'{hint}")
    one = read.node.get("mechanism")
    if one is not None:
        yield None, _channels(read, one) or known_exactly(read.single_mechanism())
    for name in names:
        if chosen in (None, name.text):
            yield name.text, _channels(read, name) or known_exactly(read.mechanism_named(name))


def _channels(read: Model, node: Node) -> LocalMechanism | None:
    return read.local(node) if read.is_large else None


def examine(
    case: Case | RecordsCase,
    title: str,
    mechanisms: Mapping[str | None, Any],
    runs: int,
) -> Setting:
    """The curve of a setting, and what it promises about mechanisms, up to so many runs; raises
    NotDecided, LimitReached, verify.NotAccepted."""
    points = tuple(_curve(case))
    return Setting(
        title,
        case.names,
        case.claim.scope["priors"],
        points,
        tuple(_about(case, name, m, points, runs) for name, m in mechanisms.items()),
    )


def _curve(case: Case | RecordsCase) -> Iterator[Point]:
    """The points of the curve, b = 0, 1, 2, …"""
    for entries in range(case.entries + 1):
        answer = verify.certified(case.question(entries))
        assert answer.leakage is not None and answer.proof is not None
        if answer.leakage.vacuous:
            raise NotDecided("no prior allows both secrets of a pair: there is nothing to tell")
        evidence = answer.proof.witness
        choices = None
        if isinstance(evidence, HidingEvidence) and evidence.upper and isinstance(case, Case):
            choices = tuple(tuple(evidence.hidden(at)) for at in range(len(evidence.upper)))
        yield Point(
            entries,
            answer.leakage.exp_epsilon,
            tuple(answer.scope["worst"]),
            tuple(answer.scope["hidden"]),
            choices,
        )


def _about(
    case: Case | RecordsCase, name: str | None, mechanism: Any, curve: Sequence[Point], runs: int
) -> About:
    found = case.entry_level(mechanism)
    alpha = found.exp_epsilon
    factors = [(point, case.factor(mechanism, point, alpha)) for point in curve]

    def promise(k: int, point: Point, factor: Value) -> Promise:
        by_alpha = times(power(alpha, k * point.entries), point.exp_a)
        return Promise(point.entries, factor, by_alpha, times(power(factor, k), point.exp_a))

    return About(
        name,
        alpha,
        found.vacuous,
        tuple(
            Runs(k, *case.leakage(mechanism, k), tuple(promise(k, *pair) for pair in factors))
            for k in range(1, runs + 1)
        ),
    )


def _entry_level(space: WorldSpace, mechanism: Mechanism | LocalMechanism) -> Leakage:
    asked = differential_privacy.question(
        space=space, mechanism=mechanism, level=ONE, neighbours="entry"
    )
    found = verify.certified(asked).leakage
    assert found is not None
    return found


def _factor(case: Case, mechanism: Mechanism, point: Point) -> Value:
    """The largest ratio between worlds of two secrets that agree on the entries shown."""
    if point.choices is None:
        return None
    pairs = [pair for both in case.pairs for pair in (both, both[::-1])]
    chosen = {(s.name, t.name): (s, t, h) for (s, t), h in zip(pairs, point.choices, strict=True)}
    parts = [part for place in chosen.values() for part in _agreeing(case.space, *place)]
    if len(parts) * case.space.size > MAX_CELLS:
        raise LimitReached(f"{len(parts)} sets of worlds that agree are too many")
    asked = pufferfish.question(
        space=case.space, mechanism=mechanism, level=ONE, pairs=parts, priors=AllPriors()
    )
    found = verify.certified(asked).leakage
    assert found is not None
    return found.exp_epsilon


def _agreeing(
    space: WorldSpace, s: Secret, t: Secret, hidden: Sequence[int]
) -> Iterator[tuple[Secret, Secret]]:
    """The worlds of two secrets with the same entries but for the hidden ones."""
    shown = [codes + 1 for entry, codes in enumerate(space.entry_codes) if entry not in hidden]
    groups = keys(shown, space.size)
    for group in sorted({*groups[s.worlds].tolist()} & {*groups[t.worlds].tolist()}):
        same, about = groups == group, f"hiding {hidden} from {s.name} to {t.name}: {group}"
        yield (
            Secret(f"{s.name}, {about}", s.worlds & same),
            Secret(f"{t.name}, {about}", t.worlds & same),
        )


def _leakage(case: Case, mechanism: Mechanism, runs: int) -> tuple[bool, Value]:
    multisets = comb(len(mechanism.outputs) + runs - 1, runs)
    if runs > 1 and multisets * case.space.size > MAX_CELLS_OF_RUNS:
        return False, None
    several = mechanism if runs == 1 else repeated(mechanism, runs)
    asked = pufferfish.question(
        space=case.space, mechanism=several, level=ONE, pairs=case.pairs, priors=case.priors
    )
    found = verify.certified(asked).leakage
    assert found is not None
    return True, found.exp_epsilon
