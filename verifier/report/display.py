"""Objects as one line, as HTML for notebooks, and as figures.

The HTML has no colours of its own, so that a notebook's theme, light or dark, is that of its
tables. Names are escaped. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base import exact, shortened
from verifier.base.errors import InputError, NotDecided, choice
from verifier.base.escape import escaped
from verifier.lab.curves import promises
from verifier.lab.repeated import compose
from verifier.questions.answer import Answer
from verifier.questions.beliefs.prior import Prior
from verifier.questions.question import Question
from verifier.questions.secrets import Secret
from verifier.questions.witness import Example
from verifier.report import text
from verifier.run.verify import Report, Result, describe_leakage
from verifier.spec.asked import Asked
from verifier.spec.reading import Reading
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS = 16  # of a table, and its columns
LINES = 40  # of text
LONGEST = 80  # characters of a cell
WIDEST = 200  # of the form of one line

Rows = Iterable[Sequence[object]]


@dataclass(frozen=True)
class View:
    """What is shown of an object.

    title  in one line
    head   of the columns of a table; empty where there is none
    rows   of the table
    size   how many rows there are, of which the first are shown
    lines  of text below it
    """

    title: str
    head: Sequence[object] = ()
    rows: Callable[[], Rows] = tuple
    size: int = 0
    lines: Callable[[], Iterable[str]] = tuple


def short(found: object) -> str:
    """An object in one line."""
    title = escaped(view(found).title)
    return f"<{title}>" if len(title) <= WIDEST else f"<{title[: WIDEST - 1]}…>"


def html(found: object) -> str:
    """An object as a part of a page."""
    shown = view(found)
    return "".join(["<div>", *_html(shown), "</div>"])


def _html(shown: View) -> Iterator[str]:
    yield f"<p>{_text(shown.title)}</p>"
    rows = list(islice(shown.rows(), ROWS))
    if rows:
        yield "<table>"
        if shown.head:
            yield f"<thead>{_row(shown.head, 'th')}</thead>"
        yield "<tbody>"
        yield from (_row(row, "td") for row in rows)
        yield "</tbody></table>"
    if shown.size > len(rows):
        yield f"<p>… ({shown.size} in all)</p>"
    lines = list(shown.lines())
    if lines:
        more = [f"… ({len(lines)} lines in all)"] if len(lines) > LINES else []
        yield f"<pre>{escape(chr(10).join(map(escaped, [*lines[:LINES], *more])))}</pre>"


def _row(cells: Sequence[object], kind: str) -> str:
    first, *others = map(_text, cells)
    return f"<tr><th>{first}</th>{''.join(f'<{kind}>{cell}</{kind}>' for cell in others)}</tr>"


def _text(cell: object) -> str:
    said = escaped(shortened.number(cell) if isinstance(cell, Fraction) else str(cell))
    return escape(said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…")


@singledispatch
def view(found: object) -> View:
    """What is shown of an object."""
    return View(type(found).__name__)


@view.register
def _(found: Mechanism) -> View:
    outputs, worlds = len(found.outputs), found.worlds
    columns = range(min(worlds, ROWS))
    cut = ["…"] if worlds > ROWS else []

    def rows() -> Rows:
        for o, label in enumerate(found.outputs):
            yield label, *(found.probability(o, world) for world in columns), *cut

    head = ["output \\ world", *(world + 1 for world in columns), *cut]
    title = f"Mechanism: {outputs} outputs, {worlds} worlds, {len(found.values)} probabilities"
    return View(title, head, rows, outputs)


@view.register
def _(found: WorldSpace) -> View:
    names = found.names(range(min(found.size, ROWS)))
    made = f" of {len(found.records)} records" if found.records else ""
    kind = " histograms" if found.is_histograms else " worlds"
    few = ", ".join(names[:4]) + (", …" if found.size > 4 else "")
    return View(
        f"WorldSpace: {found.size}{kind}{made}: {few}",
        ["number", "world"],
        lambda: enumerate(names, 1),
        found.size,
    )


@view.register
def _(found: Prior) -> View:
    positive = found.positive()
    return View(
        f"Prior: {found.weights.size} worlds, {len(positive)} possible",
        ["world", "probability"],
        lambda: ((world + 1, weight) for world, weight in positive.items()),
        len(positive),
    )


@view.register
def _(found: Secret) -> View:
    return View(f"Secret {found.name}: {int(np.sum(found.worlds))} of {len(found.worlds)} worlds")


@view.register
def _(found: Example) -> View:
    lines = list(found.lines())
    first = lines[0].strip() if lines else ""
    return View(f"{type(found).__name__}: {first}", lines=lambda: lines[1:])


@view.register
def _(found: Result) -> View:
    title = f"Result {found.label}: {found.status}, {text.message(found)}"
    return View(title, lines=lambda: text.details(found, verbose=True))


@view.register
def _(found: Report) -> View:
    def rows() -> Rows:
        for result in found.results:
            leakage = result.leakage
            level = "" if leakage is None else describe_leakage(result.answer, shortened.number)
            decimal, value = (leakage and leakage.decimal) or "", result.answer.value
            if result.definition == "zcdp" and leakage is not None:
                level, decimal = f"e^ρ: {level}", f"ρ: {decimal}" if decimal else ""
            cells = (level, decimal, "" if value is None else value)
            yield result.label, result.status, result.verdict, *cells

    count = len(found.results)
    title = f"Report {found.file}: {found.status}, {count} {'check' if count == 1 else 'checks'}"
    return View(title, ["check", "status", "verdict", "smallest e^ε", "ε", "value"], rows, count)


@view.register
def _(found: Answer) -> View:
    told = [found.verdict]
    if found.quantity is not None:
        told.append(found.quantity.told)
    if found.leakage is not None:
        asked = (found.certificate or {}).get("question", {}).get("definition")
        symbol = text.symbol(asked)
        told.append(f"smallest e^{symbol} {describe_leakage(found, shortened.number)}")
    if found.reason:
        told.append(found.reason)
    shown = [one for one in (found.shown, found.made) if one is not None]
    return View(
        f"Answer: {'; '.join(told)}",
        lines=lambda: [line for one in shown for line in one.lines()],
    )


@view.register
def _(found: Question) -> View:
    level = f", {found.level}" if found.level else ""
    missed = f", δ = {exact.text(found.delta)}" if found.delta else ""
    facts = {"options": found.options, "pairs": len(found.pairs), "priors": found.priors}
    rows = [(key, value) for key, value in facts.items() if value]
    title = f"Question {found.definition}{level}{missed}: {found.space.size} worlds"
    return View(title, ["what", "asked"], lambda: rows)


@view.register
def _(found: Asked) -> View:
    return View(f"Asked {found.name}: {found.question or found.reason}")


@view.register
def _(found: Reading) -> View:
    return View(
        f"Reading: {len(found.questions)} checks",
        ["check", "expected", "question"],
        lambda: ((one.name, one.expected, one.question or one.reason) for one in found.questions),
        len(found.questions),
    )


@view.register
def _(found: promises.Setting) -> View:
    from verifier.report import influence

    title = f"Influence curve {found.check}: priors {found.priors}"
    return View(title, lines=lambda: influence.lines(found))


@view.register
def _(found: compose.Setting) -> View:
    from verifier.report import compose as report

    title = f"Runs {', '.join(found.checks)}: {len(found.rows)} decided"
    return View(title, lines=lambda: report.lines(found))


def plot(found: object, ax: Axes | None, what: str = "") -> Axes:
    """Draw an object; see `verifier.base.nouns.plot`."""
    from verifier.report import drawings
    from verifier.report import plot as figure

    made: list[dict[str, Any]] = []
    if isinstance(found, Mechanism):
        made = [drawings.of_mechanism(found)]
    elif isinstance(found, promises.Setting):
        made = [drawings.of_influence(found)]
    elif isinstance(found, compose.Setting):
        made = [drawings.of_runs(found)]
    elif isinstance(found, Result):
        made = [drawings.of_check(found, _among(what, ("curve", "region", "matrix", "odds")))]
    elif isinstance(found, Report):
        made = list(drawings.of_report(found, _among(what, ("odds", "frontier"))))
    if not made:
        raise NotDecided("there is nothing to draw")
    return figure.on(ax, made)


def _among(what: str, known: Sequence[str]) -> str:
    """What is to be drawn, if it is known of the object; InputError S014."""
    if what not in known:
        raise InputError("S014", f"'{what}' is no figure of this", hint=choice(what, known))
    return what
