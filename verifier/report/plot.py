"""Figures by matplotlib, from the drawings of `verifier.report.drawings`.

Lines, sizes and colours are those of the style in use (`rcParams`). What is infinite is a triangle
at the upper edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from math import expm1, inf
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from verifier.base import files
from verifier.base.errors import LibraryMissing, LimitReached

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Json = dict[str, Any]
Points = Sequence[tuple[float, float]]
HIGHEST = 20.0  # times the level asked for, beyond which a curve is cut
NARROW = 0.06  # of an axis: labels of points that are nearer to each other stand upright
FEW_DECADES = 15  # the largest over the smallest number beside an axis, of evenly spaced ones
SAMPLES = 100  # places between two corners
LONGEST = 500.0  # exponent of a number that a float holds
MOST = 50  # figures below each other
UNDATED: dict[str, Json] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
WRITTEN = 64  # entries of a matrix that are written out
UPRIGHT = 4  # characters of a world's name that is not turned
NAME = 36  # characters of a name beside a row
ROW = 0.4  # inches, of each row of a figure that has rows
TOGETHER = ("influence", "odds", "frontier")  # drawn over each other
EPSILON = "$\\varepsilon$"


def ready() -> None:
    """LibraryMissing without matplotlib."""
    if find_spec("matplotlib") is None:
        raise LibraryMissing("a figure", "matplotlib", "plot")


def save(path: Path, drawings: Sequence[Json]) -> None:
    """Draw into a file of a format that its suffix names, one below the other or together.

    path      where to; folders are made as needed
    drawings  at least one, all of one kind

    The same drawings give the same bytes. LibraryMissing without matplotlib; LimitReached where
    there are too many for one figure; InputError S701; ValueError for an unknown suffix.
    """
    ready()
    from matplotlib import rc_context, rcParams
    from matplotlib.figure import Figure

    kind = drawings[0]["kind"]
    if kind not in TOGETHER and len(drawings) > MOST:
        raise LimitReached(f"{len(drawings)} figures are more than {MOST} in one file")
    groups = [drawings] if kind in TOGETHER else [[one] for one in drawings]
    width, height = rcParams["figure.figsize"]
    if kind == "odds":
        width, height = 1.3 * width, max(height / 2, 1.5 + ROW * len(drawings))
    figure = Figure(figsize=(width, height * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), 1, squeeze=False)
    for row, group in zip(axes, groups, strict=True):
        draw(row[0], group)
    whole = BytesIO()
    with rc_context({"svg.hashsalt": kind}):
        figure.savefig(whole, format=path.suffix[1:], metadata=UNDATED.get(path.suffix))
    files.write(path, whole.getvalue())


def on(ax: Axes | None, drawings: Sequence[Json]) -> Axes:
    """Draw on given axes, or on the current ones of pyplot, and return them; LibraryMissing."""
    ready()
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.gca()
    draw(ax, drawings)
    return ax


def draw(axes: Axes, drawings: Sequence[Json]) -> None:
    """Draw on given `axes` what goes together, all of one kind."""
    KINDS[drawings[0]["kind"]](axes, drawings)


def _region(axes: Axes, drawings: Sequence[Json]) -> None:
    """The smallest level, or another value, as a function, with its breakpoints marked, and where
    a check holds."""
    (one,) = drawings
    asked = [y for part in one["stretches"] for y in part["level"] if y is not None]
    highest = HIGHEST * max(asked, default=1.0) if asked else inf
    for low, high in one["region"]:
        axes.axvspan(low, high, color="C2", alpha=0.12, linewidth=0)
        if low == high:
            axes.axvline(low, color="C2", alpha=0.5)
    for part in one["stretches"]:
        pairs = zip(part["x"], part["y"], strict=True)
        points = [(x, y) for x, y in pairs if y is not None and y <= highest]
        axes.plot(*_columns(points), color="C0", marker="o" if part["point"] else "")
    parts = one["stretches"]
    level = [xy for part in parts for xy in zip(part["x"], part["level"], strict=True)]
    if one["quantity"]:
        axes.set_ylabel(one["quantity"])
    elif level:  # else no distributions are compared
        axes.plot(*_columns(level), color="C3", linestyle="--", label="level")
        axes.set_ylabel("smallest $e^\\varepsilon$")
        axes.set_yscale("log")
        _plain_numbers(axes)
        axes.legend(loc="best")
    else:
        axes.set_yticks([])
    for end in one["breaks"]:
        axes.axvline(end, color="gray", linewidth=0.8, linestyle=":")
    axes.set_xlim(one["breaks"][0], one["breaks"][-1])
    narrow = NARROW * (one["breaks"][-1] - one["breaks"][0])
    is_close = any(high - low < narrow for low, high in pairwise(one["breaks"]))
    labels = [f"{end:.4g}" for end in one["breaks"]]
    axes.set_xticks(one["breaks"], labels, rotation=90 if is_close else 45)
    axes.set_xlabel(one["parameter"])
    _title(axes, f"{one['title']}\nholds for {one['region_told']}")


def _plain_numbers(axes: Axes) -> None:
    """Numbers such as 2.4 and 10 beside a logarithmic axis, in place of powers of 10."""
    from matplotlib.ticker import LogFormatter, MaxNLocator, NullLocator, ScalarFormatter

    low, high = axes.get_ylim()
    if high > FEW_DECADES * low:
        axes.yaxis.set_major_formatter(LogFormatter())
        axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))
        return
    axes.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(ScalarFormatter())


def _curve(axes: Axes, drawings: Sequence[Json]) -> None:
    """The smallest δ at each ε: linear in e^ε between the corners, where all of it is known."""
    (one,) = drawings
    corners = [(x, y) for _, x, _, y in one["curve"]["points"]]
    (last, least), whole = corners[-1], one["curve"]["whole"]
    if whole:
        between = list(_between(corners))
        end = 1.15 * last or 1.0
        axes.plot(*_columns([*between, (last, least), (end, least)]), color="C0")
    axes.plot(*_columns(corners), color="C0", marker="o", linestyle="" if whole else "--")
    if asked := one.get("asked"):
        axes.plot([asked[1]], [asked[3]], color="C3", marker="D", linestyle="", label="asked for")
        axes.legend()
    axes.set_xlabel(EPSILON)
    axes.set_ylabel("smallest $\\delta$")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    _title(axes, one["title"])


def _between(corners: Points) -> Iterable[tuple[float, float]]:
    """Points (ε, δ) of a function that is linear in e^ε between its corners."""
    for (low, first), (high, second) in pairwise(corners):
        width = min(high - low, LONGEST)
        for k in range(SAMPLES):
            share = expm1(width * k / SAMPLES) / expm1(width)
            yield low + (high - low) * k / SAMPLES, first + (second - first) * share


def _runs(axes: Axes, drawings: Sequence[Json]) -> None:
    """What runs leak, and at most by what one leaks."""
    (one,) = drawings
    _line(axes, [(k, y) for k, y, _ in one["points"]], color="C0", marker="o", label="all runs")
    linear = [(k, y) for k, _, y in one["points"] if y is not None]
    axes.plot(*_columns(linear), color="C1", linestyle="--", label="sum of single runs")
    _whole(axes, "runs", f"smallest {EPSILON}")
    axes.set_ylim(bottom=0)
    _title(axes, one["title"])
    axes.legend()


def _influence(axes: Axes, drawings: Sequence[Json]) -> None:
    """Influence curves, each with its name."""
    for number, one in enumerate(drawings):
        _line(axes, one["points"], color=f"C{number}", marker="o", label=_label(one["title"]))
    _whole(axes, "hidden entries $b$", "influence $a(b)$")
    axes.set_ylim(bottom=0)
    axes.legend()


def _whole(axes: Axes, x: str, y: str) -> None:
    """Labels of axes of which the first has whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _line(axes: Axes, points: Sequence[Sequence[Any]], *, color: str, **style: Any) -> None:
    """A line through what is finite, and triangles at the edge for what is not."""
    axes.plot(*_columns([(x, y) for x, y in points if y is not None]), color=color, **style)
    if endless := [x for x, y in points if y is None]:
        edge, named = axes.get_xaxis_transform(), axes.get_legend_handles_labels()[1]
        label = "" if "infinite" in named else "infinite"
        high = [0.97] * len(endless)
        axes.plot(endless, high, color=color, marker="^", ls="", label=label, transform=edge)


def _odds(axes: Axes, drawings: Sequence[Json]) -> None:
    """How far an output moves the odds of a pair, one row for each check; what is violated has a
    mark and a colour of its own."""
    told: dict[str, Any] = {}
    for row, one in enumerate(drawings):
        before, after = (one["odds"][side][1] for side in ("before", "after"))
        is_violated = one["verdict"] == "violated"
        colour, mark = ("C3", "X") if is_violated else ("C0", "D")
        if "asked" in one:
            level = one["asked"][1]
            left = (before or 0) - level
            told["asked for"] = axes.barh(row, 2 * level, left=left, color="C2", alpha=0.2)
        if before is not None and after is not None:
            axes.plot([before, after], [row, row], color=colour)
        (told["before"],) = axes.plot([before or 0], [row], color="C7", marker="o", linestyle="")
        style: Json = {"marker": mark, "color": colour, "linestyle": ""}
        if after is None:
            style |= {"marker": ">", "transform": axes.get_yaxis_transform()}
        (seen,) = axes.plot([0.98 if after is None else after], [row], **style)
        told["after, infinite" if after is None else f"after, {one['verdict']}"] = seen
    names = [f"{_cut(one['title'])}\n{_cut(_about(one['odds']))}" for one in drawings]
    axes.set_yticks(range(len(drawings)), names)
    axes.set_ylim(len(drawings) - 0.5, -0.5)
    axes.set_xlabel("ln of the odds")
    order = sorted(told, key=lambda name: (name == "asked for", name != "before", name))
    above: Json = {"loc": "lower center", "bbox_to_anchor": (0.5, 1)}
    axes.legend([told[name] for name in order], order, ncols=len(order), **above)


def _cut(text: str) -> str:
    """A name that leaves room for the figure."""
    return _escaped(text if len(text) <= NAME else f"{text[: NAME - 1]}…")


def _about(odds: Json) -> str:
    left, right = odds["pair"]
    return f"{left} : {right}, output {odds['output']}"


def _matrix(axes: Axes, drawings: Sequence[Json]) -> None:
    """A heat map, with exact numbers where there are few."""
    (one,) = drawings
    matrix = one["matrix"]
    table = [[matrix["values"][code] for code in row] for row in matrix["codes"]]
    image = axes.imshow([[y for _, y in row] for row in table], vmin=0, aspect="auto")
    axes.set_xticks(range(len(matrix["columns"])), list(map(_escaped, matrix["columns"])))
    axes.set_yticks(range(len(matrix["outputs"])), list(map(_escaped, matrix["outputs"])))
    if max(map(len, matrix["columns"])) > UPRIGHT:
        axes.tick_params(axis="x", rotation=45)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    if sum(map(len, table)) <= WRITTEN:
        for at, row in enumerate(table):
            for world, (text, value) in enumerate(row):
                red, green, blue, _ = image.cmap(image.norm(value))
                dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
                colour = "white" if dark else "black"
                axes.text(world, at, text, ha="center", va="center", color=colour)
    else:
        axes.figure.colorbar(image, ax=axes)
    outputs, worlds = matrix["size"]
    cut = (outputs, worlds) != (len(table), len(table[0]) - matrix["secrets"])
    _title(axes, f"{one['title']} (part of {outputs} × {worlds})" if cut else one["title"])
    axes.set_xlabel("world")
    axes.set_ylabel("output")


def _frontier(axes: Axes, drawings: Sequence[Json]) -> None:
    """Level against error, a line through the points of each series."""
    series: dict[str, list[Any]] = {}
    for one in drawings:
        series.setdefault(one["title"], []).append(one["point"])
    for number, (name, points) in enumerate(series.items()):
        finite = sorted((x, y) for x, y in points if x is not None)
        style: Json = {"marker": "so^Dv"[number % 5], "linestyle": "--" if number % 2 else "-"}
        fill = "none" if number % 2 else "full"
        colour, label = f"C{number}", _label(name)
        axes.plot(*_columns(finite), color=colour, label=label, fillstyle=fill, **style)
    axes.set_xlabel(f"level {EPSILON}")
    axes.set_ylabel("expected error")
    axes.set_ylim(bottom=0)
    axes.legend()


def _title(axes: Axes, text: str) -> None:
    axes.set_title(_escaped(text), wrap=True)


def _label(text: str) -> str:
    """A name for a legend, in short lines."""
    return fill(_escaped(text), 40)


def _escaped(text: str) -> str:
    """A name that is no formula."""
    return text.replace("$", "\\$")


def _columns(points: Points) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


KINDS: dict[str, Callable[[Axes, Sequence[Json]], None]] = {
    "curve": _curve,
    "region": _region,
    "matrix": _matrix,
    "odds": _odds,
    "runs": _runs,
    "influence": _influence,
    "frontier": _frontier,
}
