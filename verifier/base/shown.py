"""How objects show themselves in a session, in a notebook and in a figure.

What is shown is made by a module far above this one. The door of the package, which knows all
rooms, says here how that module is loaded; it is loaded when something is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_loaders: list[Callable[[], Any]] = []  # one, once the package is imported


def show_by(load: Callable[[], Any]) -> None:
    """Let objects be shown by the module that `load` gives: `short`, `html` and `plot` there."""
    _loaders[:] = [load]


def _display() -> Any:
    return _loaders[0]()


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
