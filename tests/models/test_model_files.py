"""Every model file of these two papers is derived by one of the tests beside this file."""

from pathlib import Path

import pytest

from tests.models.model_files import MODELS

TESTS = "".join(
    p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_*fish_*.py")
)


@pytest.mark.parametrize(
    "file",
    sorted(
        f"{paper}/{path.name}"
        for paper in ("pufferfish", "blowfish")
        for path in (MODELS / paper).glob("*.yaml")
    ),
)
def test_it_is_derived(file: str) -> None:
    assert TESTS.count(f'"{file}"') == 1
