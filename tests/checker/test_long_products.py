"""Long powers of several answers are brought to lowest terms only where there is time for it."""

from typing import Any

import pytest

from tests.checker.drafts import digest_of
from verifier import checker


def test_long_powers_are_not_multiplied_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many draws of each of two answers: there is time for the powers, and not for their product,
    which would take minutes of a million draws."""
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 8 * 10**6)
    worlds: dict[str, Any] = {"worlds": ["a", "b"], "records": [[0], [1]], "entries_per_record": 1}
    answers = [
        {
            "outputs": ["0", "1"],
            "values": [f"{x}/1001" for x in sorted((p, 1001 - p, q, 1001 - q))],
            "columns": [[1, 2], [0, 3]],
            "runs": 99_999,
        }
        for p, q in ((430, 291), (431, 292))
    ]
    part = {"rule": "replace", "group": 1}
    relation = {"rule": "network", "limit": "1", "per_unit": False, "parts": [part]}
    relation |= {"chosen": [0], "hidden": 0, "priors": None}
    model = {**worlds, "people": ["p"], "chosen": [0], "channels": [answers]}
    question = {"definition": None, "options": {}, "source": None, "relation": relation}
    question |= {"level": {"exp_epsilon": "2", "delta": "0"}, "model": model}
    verdict = checker.check(
        {
            "format": "verifier-certificate",
            "version": 3,
            "question": question,
            "digest": digest_of(question),
            "taken": checker.taken(question),
            "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "1"}},
            "evidence": {"rule": "network", "witness": None},
        }
    )
    assert verdict.outcome == "refused"
    assert "steps" in verdict.reason
