"""Every model file of these two papers is derived by one of the tests beside this file."""

from pathlib import Path

from tests.loops import each
from tests.models.model_files import MODELS

TESTS = "".join(
    p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_*fish_*.py")
)


@each(
    "file",
    sorted(
        f"{paper}/{path.name}"
        for paper in ("pufferfish", "blowfish")
        for path in (MODELS / paper).glob("*.yaml")
    ),
)
def test_it_is_derived(file: str) -> None:
    assert TESTS.count(f'"{file}"') == 1
