"""The reports of all models are, word for word, what they were; and written in every format."""

from difflib import unified_diff

import pytest

from tests.contracts.parsers import PARSERS
from tests.golden.reports import FOLDERS, GOLDEN, document, frozen, report
from verifier.report.formats import FORMATS

WHOLE = ("json", "jsonl", "junit", "html")  # which tell everything, whatever its length


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_report_is_what_it_was(folder: str) -> None:
    before = frozen(folder).read_text(encoding="utf-8").splitlines()
    found = report(folder)
    changes = unified_diff(before, found, "frozen", "found", n=2, lineterm="")
    assert found == before, "\n".join(["make golden writes this:", *changes])
    whole, wrong = document(folder), []
    for name, form in FORMATS.items():  # here, where the models have been decided
        try:
            told = "\n".join(one.text for one in PARSERS[name](form.render(whole)))
        except Exception as error:
            wrong.append((name, repr(error)))
            continue
        if name in WHOLE:
            wrong += [(name, one.label) for one in whole.findings if one.label not in told]
    assert not wrong


def test_nothing_else_is_frozen() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*FOLDERS}
