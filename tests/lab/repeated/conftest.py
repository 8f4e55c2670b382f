"""What tests of repeated runs share."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    """Writes the text of a spec file, and gives its path."""

    def do(text: str) -> str:
        path = tmp_path / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return do
