"""Distinct labels for outputs that are values of the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from verifier.language.values import show


def labels(values: Sequence[Hashable]) -> list[str]:
    """`show` of each value; where two would read alike (the word '1' and the number 1), the
    word is quoted."""
    shown = [show(value) for value in values]
    twice = {label for label, count in Counter(shown).items() if count > 1}
    return [
        repr(value) if label in twice and isinstance(value, str) else label
        for value, label in zip(values, shown, strict=True)
    ]
