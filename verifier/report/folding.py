"""Lines folded at the width of a terminal, in columns as it counts them."""

from __future__ import annotations

import re
import unicodedata

NARROWEST = 20  # columns, below which a terminal may fold lines as it likes
WIDE = ("W", "F")
HANGING = 4  # columns by which what follows is indented


def folded(line: str, width: int | None) -> list[str]:
    """A line as one or more that fit: folded at spaces, or in long words; nothing is left out but
    the spaces at which it is folded.

    >>> folded("  ok  a long name: holds", 20)
    ['  ok  a long name:', '      holds']
    """
    if width is None or width < NARROWEST or columns(line) <= width:
        return [line]
    margin = len(line) - len(line.lstrip(" "))
    indent = " " * min(margin + HANGING, width // 2)
    lines, rest = [], line
    while columns(rest) > width:
        start = len(rest) - len(rest.lstrip(" "))
        most = _fitting(rest, width)
        at = rest.rfind(" ", start + 1, most + 1)
        # there is no space to fold at: the word is cut
        at = most if at <= start else at
        lines.append(rest[:at].rstrip(" "))
        rest = indent + rest[at:].lstrip(" ")
    return [*lines, rest]


def columns(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> columns("naïve"), columns("世界")
    (5, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or re.match("[\ufe00-\ufe0f]", sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in WIDE else 1


def _fitting(text: str, width: int) -> int:
    """How many characters fit into the width; at least one besides the margin."""
    used = 0
    for number, sign in enumerate(text):
        used += _columns(sign)
        if used > width:
            return number
    return len(text)
