"""Nouns: frozen dataclasses whose methods are made when the first instance is, and how they show
themselves.

Making the methods of a dataclass takes longer than loading it, and a run uses few of the classes
that it loads. So those stand on `Later`.

Nouns that stand on `Shown` show themselves in a session, in a notebook and in a figure, by a
module far above this one. The door of the package, which knows all rooms, says here how that
module is loaded; it is loaded when something is shown.

>>> @dataclass(frozen=True)
... class Point(Later):
...     x: int
...     y: int = 0
>>> Point(1)
Point(x=1, y=0)
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOCK = RLock()  # two threads may make their first instances at once


class Made(type):
    """The metaclass of a class that is complete."""


class Waiting(Made):
    """The metaclass of a class that is completed when it is called, or must tell its fields."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        complete(cls)
        return cls(*values, **named)

    def __getattribute__(cls, name: str) -> Any:
        if name == "__dataclass_fields__":
            complete(cls)
        return type.__getattribute__(cls, name)


def complete(cls: type) -> None:
    """Make the methods of a class, and of those it stands on, if they are still to be made."""
    from dataclasses import dataclass as made

    with LOCK:
        # bases first, as a dataclass takes over the fields that they have by then
        for one in filter(_is_waiting, reversed(cls.__mro__)):
            if "_options" in vars(one):
                made(**vars(one)["_options"])(one)
            # from now on calling it costs nothing more
            one.__class__ = Made


def _is_waiting(cls: type) -> bool:
    return type(cls) is Waiting


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    class Later:
        """A base of dataclasses that are completed before they have an instance."""

else:

    class Later(metaclass=Waiting):
        """A base of dataclasses that are completed before they have an instance."""

        def __setstate__(self, state):  # of a copy that another process has sent
            complete(type(self))
            vars(self).update(state)

    def dataclass(cls=None, /, **options):
        """Let a class on `Later` wait for its methods; the options are those of a dataclass."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        # one that stands on a complete class would else be taken for complete too
        cls._options, cls.__class__ = options, Waiting
        return cls


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
