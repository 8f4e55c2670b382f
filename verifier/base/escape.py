"""Text of users as it may be printed: it moves no cursor, and neither ends nor turns a line."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"##(?=\[|vso\[)")  # what some build servers obey anywhere in a line
_FIRST = re.compile(r"^(\s*):(?=:)")  # what GitHub obeys at the beginning of a line
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def escaped(text: str) -> str:
    r"""The text with every character that is not printable written as an escape.

    These are control characters, line ends, characters without width or that change the direction
    of writing, and halves of surrogate pairs.

    >>> print(escaped("naïve ⊥ 世界"))
    naïve ⊥ 世界
    >>> print(escaped("ok\r\x1b[2J"))
    ok\r\x1b[2J
    """
    text = _COMMAND.sub(r"#\\x23", _FIRST.sub(r"\1\\x3a", text))
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _SHORT.get(c) or _code(c) for c in text)


def _code(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def escaped_json(text: str) -> str:
    r"""A JSON text with the same meaning and the same escapes, in the notation of JSON.

    >>> print(escaped_json('{"name": "a\u202eb"}'))
    {"name": "a\u202eb"}
    """
    return _COMMAND.sub(r"#\\u0023", _IN_JSON.sub(lambda found: _pair(ord(found[0])), text))


def _pair(number: int) -> str:
    if number < 0x10000:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
