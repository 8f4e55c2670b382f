"""The list of what is slow names tests that are there."""

import re
from pathlib import Path

from tests.quick import SLOW


def test_what_is_slow_is_there() -> None:
    found = {
        f"{path.name}::{name}"
        for path in Path(__file__).parent.rglob("test_*.py")
        for name in re.findall(
            r"^(?:def )?(test_\w+)(?:\(| = )", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert SLOW - found == set()
