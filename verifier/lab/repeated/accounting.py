"""What many runs leak with delta: for each mechanism of a file's checks of differential privacy.

For one run, and the number asked for: the least e^ε at a δ, or the least δ at a level, exactly or
between two ends. Runs are independent, so the privacy losses of k runs are the k-fold
convolution of those of one (Dwork, Rothblum 2016, Concentrated differential privacy); they are
never listed as outputs. Every number is one that the checker has accepted: ends of e^ε in one
certificate, those of δ in two, of which one holds and one is violated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from verifier.base import exact
from verifier.base.document import Plain, tree
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.exponential import bounds
from verifier.base.level import Leakage, Level
from verifier.base.nouns import Shown
from verifier.definitions import differential_privacy
from verifier.engines.comparison.local import compared, smallest_delta
from verifier.lab.repeated.accountants import Said, said
from verifier.mechanisms.local import channels_of
from verifier.questions.answer import Json
from verifier.questions.claim import LocalClaim
from verifier.questions.question import Question
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.model import OfBox, OfReleased
from verifier.spec.options import Check
from verifier.world.local import Channel, LocalMechanism, NotFactored, repeated

ANY = Level(exp_epsilon=Fraction(10**300))  # of a question that asks for the leakage alone
DIGITS = 20  # of the level, where it is irrational
BELOW = 1 - Fraction(1, 10**12)  # times a δ that is exact: one that is violated
DEFINITION = "differential_privacy"


@dataclass(frozen=True)
class Row:
    """What so many runs leak.

    leakage       the smallest level at the delta asked for; None where a level is asked for
    deltas        ends of the smallest delta at the level asked for; None where a delta is
    certificates  that prove it: of the level one, of delta one for each end above 0
    """

    runs: int
    leakage: Leakage | None
    deltas: tuple[Fraction, Fraction] | None
    certificates: tuple[Json, ...]


@dataclass(frozen=True)
class Account(Shown):
    """What runs of one mechanism leak to one kind of neighbours.

    checks      that are about it
    mechanism   its name, None where it has none
    options     `neighbours` and `group`, as a certificate has them
    asked       a delta, at which levels are looked for; or a level, at which deltas are
    rows        of one run, and of all
    reasons     what stayed undecided, and why
    said        what accountants of other libraries say of all, if they are asked
    """

    checks: tuple[str, ...]
    mechanism: str | None
    options: Json
    asked: Fraction | Level
    rows: tuple[Row, ...] = ()
    reasons: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()


def run(
    path: str,
    options: verify.Options,
    runs: int,
    asked: Fraction | Level,
    start: int = 0,
    accountants: bool = False,
) -> Iterator[Account]:
    """Every mechanism and kind of neighbours of the checks of differential privacy in a file.

    path         the file
    options      limits, and whether Python may run
    runs         how many, at most 10^6
    asked        a delta, at which levels are looked for; or a level, at which deltas are
    start        how many of them are left out
    accountants  whether those of other libraries are asked too

    Raises InputError for a bad file, S606 where it has no such check; verify.NotAccepted where the
    checker rejects a certificate.
    """
    with verify.limits(options):
        read, checks = reading.load(path, options.allow_python)
    about = [check for check in checks if check.definition.text == DEFINITION]
    if not about:
        said = f"no check is about '{DEFINITION}', whose runs can be accounted with delta"
        raise read.node["checks"].fail("S606", said)
    known: dict[str, tuple[Check, list[str]]] = {}
    for check in about:
        check.options.check_keys((*differential_privacy.OPTIONS, "mechanism", "tradeoff"))
        key = repr([check.mechanism_name(), _options(check)])
        known.setdefault(key, (check, []))[1].append(check.name or f"check {check.index + 1}")
    for check, titles in list(known.values())[start:]:
        options.progress(f"{path}: {titles[0]}")
        try:
            found = _account(check, verify.within(options, titles[0]), runs, asked, accountants)
        finally:
            options.progress("")
        yield replace(found, checks=tuple(titles))


def _options(check: Check) -> Json:
    neighbours, group = (check.value(*both) for both in (("neighbours", "replace"), ("group", 1)))
    return check.definition.placed(lambda: differential_privacy.stated_options(neighbours, group))


def _account(
    check: Check, options: verify.Options, runs: int, asked: Fraction | Level, accountants: bool
) -> Account:
    """Row by row, until a limit is reached; then what accountants say, if they are asked."""
    found = Account((), check.mechanism_name(), _options(check), asked)
    rows: list[Row] = []
    try:
        with verify.limits(options, "one run"):
            once = _channels(check)
        for count in dict.fromkeys((1, runs)):
            with verify.limits(options, f"{count} runs"):
                rows.append(_row(check, repeated(once, count), count, asked))
    except (NotDecided, LimitReached) as reason:
        about = f"{runs} runs" if rows else "one run"
        return replace(found, rows=tuple(rows), reasons=(f"{about}: {reason}",))
    heard: list[Said] = []
    try:
        with verify.limits(options, "accountants"):
            if accountants:
                claim = _claim(_question(check, repeated(once, runs), ANY, Fraction(0)))
                heard.extend(said(compared(claim), runs, asked))
    except (NotDecided, LimitReached) as reason:
        heard.append(Said("all others", reason=str(reason)))
    return replace(found, rows=tuple(rows), said=tuple(heard))


def _channels(check: Check) -> LocalMechanism:
    """The mechanism of a check, as one that runs can be made of."""
    why = "only probabilities that are known exactly, of finitely many outputs, are accounted"
    try:
        is_own = differential_privacy.is_own(tree(check.value("neighbours", "replace")))
        local = None if is_own else check.channels(crowds=True, parts=True)
        if local is not None and local.reals:
            raise NotDecided(why)
        if local is not None:
            return local
        matrix = check.mechanism()
    except (OfBox, OfReleased):
        raise NotDecided(why) from None
    try:
        if is_own:
            raise NotFactored
        return channels_of(check.space, [(matrix, 1)], matrix.notes)
    except NotFactored:
        return LocalMechanism.of(check.space, ("",), [Channel.of(matrix)], matrix.notes)


def _question(check: Check, local: LocalMechanism, level: Level, delta: Fraction) -> Question:
    neighbours: Plain = check.value("neighbours", "replace")
    group: Plain = check.value("group", 1)
    space = check.space_of(local)
    return check.definition.placed(
        lambda: differential_privacy.question(
            space=space,
            mechanism=local,
            level=level,
            delta=delta,
            neighbours=neighbours,
            group=group,
        )
    )


def _claim(question: Question) -> LocalClaim:
    claim = question.claim
    assert isinstance(claim, LocalClaim)
    return claim


def _row(check: Check, local: LocalMechanism, runs: int, asked: Fraction | Level) -> Row:
    question = partial(_question, check, local)
    if isinstance(asked, Fraction):
        answer = verify.certified(question(ANY, asked))
        return Row(runs, answer.leakage, None, (answer.certificate or {},))
    alpha = asked.alpha
    ends = bounds(alpha, DIGITS) if exact.is_irrational(alpha) else (alpha, alpha)
    low, high = smallest_delta(_claim(question(asked, Fraction(0))), *ends)
    if not low and verify.certified(question(asked, low)).verdict == "holds":
        high = low
    under = low if low < high else low * BELOW
    sides = [(high, "holds"), (under, "violated")] if low else [(high, "holds")]
    answers = [(verify.certified(question(asked, delta)), said) for delta, said in sides]
    if any(answer.verdict != said for answer, said in answers):
        raise LimitReached("an end of δ was found that its certificate does not show")
    certificates = tuple(answer.certificate or {} for answer, _ in answers)
    return Row(runs, None, (low, high), certificates)
