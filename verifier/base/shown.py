"""How objects show themselves in a session, in a notebook and in a figure.

What is shown is made by `verifier.report.display`, which is loaded when something is shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _display() -> Any:
    return import_module("verifier.report.display")


class Shown:
    """A base of classes with a short form of one line, and one in HTML for notebooks.

    Every class on it has the short form as its own, so that a dataclass makes no long one; but
    where it has another one.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):
            cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        short: str = _display().short(self)
        return short

    def _repr_html_(self) -> str:
        html: str = _display().html(self)
        return html


def plot(found: object, ax: Axes | None, **options: Any) -> Axes:
    """Draw what was `found` on given axes, or on the current ones of pyplot, and return them.

    found    an object with a method `plot`
    ax       axes of matplotlib; None for the current ones, which are made where there are none
    options  of that method

    LibraryMissing without matplotlib; NotDecided with the reason where there is nothing to draw.
    """
    axes: Axes = _display().plot(found, ax, **options)
    return axes
