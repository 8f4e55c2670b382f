"""The smallest level as a figure, whose breakpoints are marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.base.errors import LibraryMissing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Json = dict[str, Any]
WIDTH, HEIGHT = 7.0, 4.0  # inches, of each check
HIGHEST = 20.0  # times the level asked for, beyond which a curve is cut


def draw(path: Path, drawings: Sequence[Json]) -> None:
    """Draw checks one below the other into a file of a format that its suffix names.

    path      where to
    drawings  of `verifier.report.region`, at least one

    LibraryMissing without matplotlib; ValueError for an unknown suffix.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LibraryMissing("a figure", "matplotlib", "plot") from None
    figure = Figure(figsize=(WIDTH, HEIGHT * len(drawings)), layout="constrained")
    axes = figure.subplots(len(drawings), 1, squeeze=False)
    for row, one in zip(axes, drawings, strict=True):
        _draw(row[0], one)
    figure.savefig(path)


def _draw(axes: Axes, one: Json) -> None:
    asked = [y for part in one["stretches"] for y in part["level"] if y is not None]
    highest = HIGHEST * max(asked, default=1.0)
    for low, high in one["region"]:
        axes.axvspan(low, high, color="tab:green", alpha=0.12, linewidth=0)
        if low == high:
            axes.axvline(low, color="tab:green", alpha=0.5)
    for part in one["stretches"]:
        pairs = zip(part["x"], part["y"], strict=True)
        points = [(x, y) for x, y in pairs if y is not None and y <= highest]
        axes.plot(*_columns(points), color="tab:blue", marker="o" if part["point"] else "")
    parts = one["stretches"]
    level = [xy for part in parts for xy in zip(part["x"], part["level"], strict=True)]
    axes.plot(*_columns(level), color="tab:red", linestyle="--", label="level")
    for end in one["breaks"]:
        axes.axvline(end, color="gray", linewidth=0.8, linestyle=":")
    axes.set_xlim(one["breaks"][0], one["breaks"][-1])
    axes.set_xticks(one["breaks"], [f"{end:.4g}" for end in one["breaks"]], rotation=45)
    axes.set_xlabel(one["parameter"])
    axes.set_ylabel("smallest $e^\\varepsilon$")
    axes.set_yscale("log")
    axes.set_title(f"{one['title']}: holds for {one['region_told']}", fontsize=10)
    axes.legend(loc="upper left")


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]
