"""The list of what is slow names tests that are there."""

import re
from pathlib import Path

from tests.quick import SLOW


def test_what_is_slow_is_there() -> None:
    texts = {
        path.name: path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py")
    }
    for name in sorted(SLOW):
        file, test = name.split("::")
        assert re.search(rf"^def {test}\(", texts[file], re.MULTILINE), name
