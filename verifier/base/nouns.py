"""Nouns: frozen dataclasses whose methods are made when the first instance is, and how they show
themselves.

Making the methods of a dataclass takes longer than loading it, and a run uses few of the classes
that it loads. So those stand on `Later`. The standard library compiles a text for each method; here
that is done for `__init__` alone, which writes the values of a frozen instance at once.

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

import operator
from _thread import RLock
from collections.abc import Callable, Sequence
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

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
        if name == "__dataclass_fields__" and name not in vars(cls):
            complete(cls)
        return type.__getattribute__(cls, name)


def complete(cls: type) -> None:
    """Make the methods of a class, and of those it stands on, if they are still to be made."""
    with LOCK:
        # bases first, as a dataclass takes over the fields that they have by then
        for one in filter(_is_waiting, reversed(cls.__mro__)):
            if "_options" in vars(one):
                _make(one, **vars(one)["_options"])
            # from now on calling it costs nothing more
            one.__class__ = Made


def _make(
    cls: Any, frozen: bool = False, eq: bool = True, order: bool = False, kw_only: bool = False
) -> None:
    """Make the methods that a class has by these options of a dataclass, but for its own."""
    import dataclasses

    own = set(vars(cls)) - ({"__hash__"} if cls.__hash__ is None else set())
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    parts = dataclasses.fields(cls)
    values = _values([part.name for part in parts if part.compare])
    found: dict[str, Any] = {"__init__": _init(cls, parts)}
    found["__repr__"] = _repr([part.name for part in parts if part.repr])
    if eq:
        found["__eq__"] = _comparison(operator.eq, values)
        found["__hash__"] = (lambda self: hash(values(self))) if frozen else None
    for name in ("lt", "le", "gt", "ge") if order else ():
        found[f"__{name}__"] = _comparison(getattr(operator, name), values)
    if frozen:
        found |= {"__setattr__": _fixed, "__delattr__": _fixed}
    for name in found.keys() - own:
        setattr(cls, name, found[name])


def _init(cls: type, parts: Sequence[Any]) -> Any:
    """The method that takes the values of fields, the `parts`, compiled."""
    from dataclasses import MISSING

    known: dict[str, Any] = {"__name__": cls.__module__, "MISSING": MISSING}
    taken: dict[bool, list[str]] = {False: [], True: []}  # by whether they go by name alone
    lines = ["known_ = self.__dict__"]
    for part in parts:
        name, is_made = part.name, part.default_factory is not MISSING
        known |= {f"{name}_": part.default, f"make_{name}": part.default_factory}
        has_default = is_made or part.default is not MISSING
        if part.init:
            taken[part.kw_only].append(f"{name}={name}_" if has_default else name)
            value = f"make_{name}() if {name} is MISSING else {name}" if is_made else name
            lines.append(f"known_['{name}'] = {value}")
        elif is_made:
            lines.append(f"known_['{name}'] = make_{name}()")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    listed = ["self", *taken[False], *(["*", *taken[True]] if taken[True] else [])]
    exec("\n ".join([f"def __init__({', '.join(listed)}):", *lines]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {part.name: part.type for part in parts if part.init} | {"return": None}
    return init


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of some fields."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _comparison(ask: Callable[[Any, Any], Any], values: Callable[[Any], Any]) -> Callable[..., Any]:
    def compared(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return ask(values(self), values(other))

    return compared


def _repr(names: Sequence[str]) -> Callable[[Any], str]:
    def shown(self: Any) -> str:
        listed = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({listed})"

    return recursive_repr()(shown)


def _fixed(self: object, name: str, *value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


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
