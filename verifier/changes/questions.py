"""The checks of a file as lines, read and not decided."""

from __future__ import annotations

import re
from pathlib import Path

from verifier.base import exact
from verifier.base.document import Mapping, load
from verifier.base.errors import InputError
from verifier.changes.lines import Line
from verifier.spec.reading import Asked, Wanted

NEEDED = ("worlds", "checks")  # keys of a spec file
_KEYS = [re.compile(rf"[\"']?\b{key}[\"']?\s*:") for key in NEEDED]


def is_spec(path: str) -> bool:
    """Whether a file is one with worlds and checks; as far as can be seen where it is not well
    formed."""
    try:
        node = load(path)
    except InputError:
        text = Path(path).read_bytes().decode(errors="replace")
        return all(key.search(text) for key in _KEYS)
    return isinstance(node, Mapping) and all(key in node.table for key in NEEDED)


def line(file: str, asked: Asked) -> Line:
    """The line of a check that is not decided.

    file   its path
    asked  the check, read
    """
    check, question = asked.check, asked.question
    level = None
    if question is not None and question.level is not None:
        level = {**question.level.as_json(), "delta": exact.text(question.delta)}
    return Line(
        file,
        check.name,
        check.definition.text,
        check.mechanism_name(),
        level,
        None,
        "undecided",
        asked.expected,
        asserted(asked.leakage),
        "" if question is None else question.content,
        "" if question is None else question.promise,
    )


def asserted(wanted: Wanted | None) -> str | None:
    """The leakage that a file asserts, as text; None without one.

    >>> asserted((Fraction(3), Fraction(4))), asserted((None, None))
    ('[3, 4]', 'infinite')
    """
    if wanted is None:
        return None
    low, high = ("infinite" if end is None else exact.text(end) for end in wanted)
    return low if low == high else f"[{low}, {high}]"
