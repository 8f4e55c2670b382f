"""Mixtures of priors of which one does not allow a secret."""

from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.test_composable import SHARED, WITNESS, made, relation

WITHOUT = ["1/3", "2/3", "0"]  # P(yes | s) = 1/3 under both; only the other one allows t


@pytest.mark.parametrize("kind", ["list", "hull"])
@pytest.mark.parametrize("first", [True, False])
def test_one_run_under_priors_that_allow_it(build: Any, kind: str, first: bool) -> None:
    """P(yes | t) = 1/2 against 1/3: 3/2."""
    priors = [WITHOUT, SHARED] if first else [SHARED, WITHOUT]
    witness = {**WITNESS, "prior": int(first)}
    document = made(build, relation(kind, *priors), "3/2", witness)
    assert check(document).outcome == "accepted", check(document)
    for level in ("1", "4/3", "2"):
        document = made(build, relation(kind, *priors), level, witness)
        assert check(document).outcome == "rejected"
