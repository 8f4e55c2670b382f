"""Runs of a file's mechanisms, repeated: leakage run by run, and when privacy collapses.

For each setting (mechanisms, pairs of secrets and priors) of a file's checks: the exact leakage of
1, 2, …, K runs beside the linear bound, the k-th power of that of one run; the smallest level that
the conditions of Theorem 5.1 allow; when runs make certain what is the case; how odds change (Bai,
He, Gu, Kifer, Maeng, Sections 4 and 5). Every number is one that the checker has accepted, or a
product of such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from verifier import checker
from verifier.base.errors import MEMORY_REACHED, LimitReached, NotDecided
from verifier.base.level import Leakage
from verifier.base.nouns import Shown, plot
from verifier.base.registry import DEFINITIONS
from verifier.lab.repeated import folds, listed
from verifier.lab.repeated.listed import Certainty, Found, Given, Trajectory
from verifier.lab.repeated.runs import Worst
from verifier.lab.repeated.setting import Case, Row, Seen, linear
from verifier.priors.list import ListedPriors
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.world.mechanism import is_rational

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Result = TypeVar("Result")


@dataclass(frozen=True)
class Setting(Shown):
    """Mechanisms, pairs and priors, the checks that ask about them, and all there is to say.

    order       "alone", "sequence" (run one after the other, again and again) or "any order"
    priors      the class in a word
    conditions  the smallest level that the conditions of Theorem 5.1 allow; None: not decided
    given       the priors that certainty and trajectories are about
    reasons     what stayed undecided, and why
    """

    checks: tuple[str, ...]
    mechanisms: tuple[str, ...] = ()
    order: str = "alone"
    pairs: tuple[tuple[str, str], ...] = ()
    priors: str = ""
    given: Given | None = None
    rows: tuple[Row, ...] = ()
    conditions: Leakage | None = None
    certainty: tuple[Certainty, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    reasons: tuple[str, ...] = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what runs leak on given axes, or on the current ones of pyplot, and return them."""
        return plot(self, ax)


def run(path: str, options: verify.Options, runs: int, start: int = 0) -> Iterator[Setting]:
    """Every setting of the file's checks of `composition`, or of `pufferfish` where there is none,
    from number `start` on.

    Raises InputError for a bad file, S606 where it has no such check; verify.NotAccepted where the
    checker rejects a certificate.
    """
    with verify.limits(options):
        read, checks = reading.load(path, options.allow_python)
    settings: dict[str, tuple[Case | None, str | None, list[str]]] = {}
    for check in _asking(read, checks):
        title = check.name or f"check {check.index + 1}"
        part = f"check {check.index + 1}"
        case, reason = _attempt(options, part, lambda check=check: _case(check))  # type: ignore[misc]
        key = case.key if case else title
        settings.setdefault(key, (case, reason, []))[2].append(title)
    for number, (case, reason, titles) in list(enumerate(settings.values(), 1))[start:]:
        options.progress(f"{path}: {titles[0]}")
        about = verify.within(options, f"setting {number}")
        try:
            found = _about(case, about, runs) if case else Setting((), reasons=(str(reason),))
        finally:
            options.progress("")
        yield replace(found, checks=tuple(titles))


def _asking(read: Model, checks: Sequence[Check]) -> list[Check]:
    """The checks whose settings are looked at."""
    for keyword in ("composition", "pufferfish"):
        found = [check for check in checks if check.definition.text == keyword]
        if found:
            return found
    said = "no check is about 'composition' or 'pufferfish'"
    hint = "add one, such as - pufferfish: {exp_epsilon: 3, pairs: values, priors: product}"
    raise read.node["checks"].fail("S606", said, hint)


def _case(check: Check) -> Case:
    """What a check is about; InputError where its secrets do not go with its priors."""
    options = DEFINITIONS.module(check.definition.text).OPTIONS
    check.options.check_keys((*options, "mechanism", "tradeoff"))
    case = check.definition.placed(lambda: Case.of(check))
    if isinstance(priors := case.priors, ListedPriors):
        mechanism = case.plan.mechanism
        found = check.definition.placed(
            lambda: priors.comparisons(case.space, mechanism, case.pairs)
        )
        if found.relation.is_empty():
            raise NotDecided("no prior allows both secrets of a pair: there is nothing to compare")
    return case


def _about(case: Case, options: verify.Options, runs: int) -> Setting:
    """All there is to say about a setting, one part after the other within the limits."""
    conditions, reason = _attempt(options, "conditions", lambda: _conditions(case))
    reasons = [f"conditions of Theorem 5.1: {reason}"] if reason else []
    rational = _is_rational(case)
    if isinstance(case.priors, ListedPriors) and rational:
        given = case.given([prior.positive() for prior in case.priors.priors])
        found, more = _found(given, options, runs, True)
        each = [Leakage(worst.ratio) for worst in found.alone]
        rows = [_row(given, k + 1, worst, each) for k, worst in enumerate(found.rows)]
    else:
        rows, more = _rows(case, options, runs)
        prior, reason = None, "the probabilities are irrational"
        if rational:
            prior, reason = _attempt(options, "certainty", lambda: folds.collapsing(case))
        reasons += [f"certainty: {reason}"] if reason else []
        given, found = case.given([prior] if prior else []), Found()
        if prior:
            found, certain = _found(given, options, runs, False)
            more = [*more, *certain]
    return Setting(
        (),
        tuple(name for name, _ in case.named),
        case.order,
        tuple(given.pairs),
        case.keyword,
        given,
        tuple(rows),
        conditions,
        found.certainty,
        found.trajectories,
        (*reasons, *more),
    )


def _is_rational(case: Case) -> bool:
    """Whether no likelihood, and no weight of a listed prior, has powers of e."""
    values = [value for _, mechanism in case.named for value in mechanism.values]
    if isinstance(case.priors, ListedPriors):
        values += [weight for prior in case.priors.priors for weight in prior.tolist()]
    return is_rational(values)


def _conditions(case: Case) -> Leakage:
    """The smallest level that the conditions of Theorem 5.1 allow."""
    question = case.check.definition.placed(case.conditions)
    leakage = verify.certified(question).leakage
    assert leakage is not None
    return leakage


def _found(
    given: Given, options: verify.Options, runs: int, leaks: bool
) -> tuple[Found, list[str]]:
    """Certainty under given priors, and leakage if it is wanted; accepted by the checker."""
    nothing, reasons = Found(), []
    certain, reason = _attempt(options, "certain", lambda: listed.certainties(given, runs))
    found = certain or nothing
    reasons += [f"certainty: {reason}"] if reason else []
    if leaks:
        leaking, reason = _attempt(options, "leakage", lambda: listed.leaks(given, found, runs))
        found = leaking or found
        reasons += [f"leakage: {reason}"] if reason else []
    if found.rows:
        worst = found.rows[-1]
        paths, reason = _attempt(options, "odds", lambda: listed.trajectories(given, worst, runs))
        found = replace(found, trajectories=paths or ())
        reasons += [f"odds: {reason}"] if reason else []
    verdict, reason = _attempt(
        options, "checking", lambda: checker.check(listed.document(given, found))
    )
    if verdict is None:
        return nothing, [*reasons, f"checking: {reason}"]
    if verdict.outcome != "accepted":
        raise verify.NotAccepted(f"the checker {verdict.outcome} a certificate: {verdict.reason}")
    return found, [*found.reasons, *reasons]


def _row(given: Given, runs: int, worst: Worst, alone: Sequence[Leakage]) -> Row:
    labels = given.plan.mechanism.outputs
    prior = given.priors[worst.prior]
    seen = Seen(
        worst.pair,
        {given.space.name(w): prior[w] for w in sorted(prior)},
        {labels[output]: n for output, n in Counter(worst.outputs).items()},
    )
    needed = None if worst.ratio == 1 else seen
    return Row(runs, Leakage(worst.ratio), linear(alone, runs), needed, ("runs", runs))


def _rows(case: Case, options: verify.Options, runs: int) -> tuple[list[Row], list[str]]:
    """Row by row, until a limit is reached."""
    rows: list[Row] = []
    source = folds.rows(case)
    while len(rows) < runs:
        row, reason = _attempt(options, f"{len(rows) + 1} runs", lambda: next(source))
        if row is None:
            return rows, [f"leakage of {len(rows) + 1} runs: {reason}"]
        rows.append(row)
    return rows, []


def _attempt(
    options: verify.Options, part: str, work: Callable[[], Result]
) -> tuple[Result | None, str | None]:
    """What a piece of work gives within the limits; None and the reason where it gives nothing."""
    try:
        with verify.limits(options, part):
            return work(), None
    except (NotDecided, LimitReached) as reason:
        return None, str(reason)
    except MemoryError:
        return None, MEMORY_REACHED
