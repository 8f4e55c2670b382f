"""The reports of all models are, word for word, what they were."""

from difflib import unified_diff

import pytest

from tests.golden.reports import FOLDERS, GOLDEN, frozen, report


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_report_is_what_it_was(folder: str) -> None:
    before = frozen(folder).read_text(encoding="utf-8").splitlines()
    found = report(folder)
    changes = unified_diff(before, found, "frozen", "found", n=2, lineterm="")
    assert found == before, "\n".join(["make golden writes this:", *changes])


def test_nothing_else_is_frozen() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*FOLDERS}
