"""What lasts, told on standard error.

On a terminal it is one line that is kept up to date, with the time that has passed; elsewhere a
line when something begins to last, and again every 30 seconds.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from time import monotonic

from verifier.base.escape import escaped

AGAIN = 30.0  # seconds between two lines about the same
OFTEN = 0.1  # seconds between two looks of the line on a terminal
CLEAR = "\r\033[K"


class Progress:
    """The line, or the lines, of a process."""

    def __init__(self) -> None:
        self.begin()
        self._told: dict[str, float] = {}
        self._drawn: float | None = None

    def tell(self, message: str, seconds: float) -> None:
        """Tell what lasts, and for how many seconds it has."""
        if _is_terminal():
            times = f"{_clock(seconds)} of {_clock(monotonic() - self._began)}"
            self._draw(escaped(message), times)
        elif message not in self._told or seconds - self._told[message] >= AGAIN:
            lasted = f" ({_clock(seconds)})" if message in self._told else ""
            self._told[message] = seconds
            _write(f"{escaped(message)}{lasted}\n")

    def begin(self) -> None:
        """Count from now on the time that passes."""
        self._began = self._advanced = monotonic()

    def advance(self, message: str, left: float) -> None:
        """Tell how far a long run is, and how many seconds it may still take."""
        now = monotonic()
        if _is_terminal():
            self._draw(escaped(message), f"{_clock(left)} left")
        elif now - self._advanced >= AGAIN:
            self._advanced = now
            _write(f"{escaped(message)}, {_clock(left)} left\n")

    def hide(self) -> None:
        """Take the line away, so that something else can be printed."""
        if self._drawn is not None:
            _write(CLEAR)
            self._drawn = None

    def _draw(self, message: str, times: str) -> None:
        now = monotonic()
        if self._drawn is not None and now - self._drawn < OFTEN:
            return
        self._drawn = now
        import shutil

        width = shutil.get_terminal_size().columns - 1
        draw = _rich if find_spec("rich") else _plain
        _write(f"{CLEAR}{draw(message, times, width)}")


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _plain(message: str, times: str, width: int) -> str:
    """The line without any library; a long message is cut."""
    room = max(0, width - len(times) - 2)
    cut = message if len(message) <= room else f"{message[: max(0, room - 1)]}…"
    return f"{cut}  {times}"[:width]


def _rich(message: str, times: str, width: int) -> str:
    """The line as the library rich draws it."""
    from rich.console import Console
    from rich.spinner import Spinner
    from rich.table import Table
    from rich.text import Text

    console = Console(width=max(width, 1), stderr=True, force_terminal=True, highlight=False)
    line = Table.grid(padding=(0, 1), expand=True)
    for column in ({"width": 1}, {"ratio": 1}, {"justify": "right"}):
        line.add_column(no_wrap=True, overflow="ellipsis", **column)
    spinner = Spinner("dots", style="cyan").render(monotonic())
    line.add_row(spinner, Text(message), Text(times, style="dim"))
    with console.capture() as drawn:
        console.print(line, end="")
    return drawn.get().replace("\n", "")


def _clock(seconds: float) -> str:
    """Seconds as minutes and seconds.

    >>> _clock(75.9)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # nobody reads it
        sys.stderr.write(text)
        sys.stderr.flush()
