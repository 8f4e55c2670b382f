"""Pufferfish paper, Theorem 5.1: post-processing and mixing do not need a higher level.

At δ = 0 and with δ, for named secrets under listed, all and conditional priors.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import Case
from tests.definitions.drawn import Json, decide
from tests.definitions.secret_cases import all_priors, given_conditionals, listed_priors
from tests.drawing import examples

CASES = st.one_of(listed_priors("pufferfish"), all_priors("pufferfish"), given_conditionals())
EXAMPLES = examples(60)


def level(case: Case, mechanism: Json) -> float | Fraction:
    """The smallest level of another mechanism in the same check."""
    answer = decide({**case.with_level(exp_epsilon="1"), "mechanism": mechanism})
    assert answer.leakage is not None
    found = answer.leakage.exp_epsilon
    return float("inf") if found is None else found


@EXAMPLES
@given(CASES, st.data())
def test_post_processing(case: Case, data: st.DataObject) -> None:
    table = case.spec["mechanism"]
    size = len(table["table"]["outputs"])
    kernel = [data.draw(drawn.distributions(2)) for _ in range(size)]
    matrix = {f"o{k}": {"u": str(p), "v": str(q)} for k, (p, q) in enumerate(kernel)}
    after = {"post_process": {"of": table, "matrix": matrix}}
    assert level(case, after) <= level(case, table)


@EXAMPLES
@given(CASES, st.data(), st.sampled_from(["1/2", "1/1000000007", "1"]))
def test_mixtures(case: Case, data: st.DataObject, weight: str) -> None:
    first = case.spec["mechanism"]
    names = [name for name in first["table"] if name != "outputs"]
    columns = data.draw(drawn.matrices(len(names)))
    rows = {n: [str(p) for p in c] for n, c in zip(names, columns, strict=True)}
    second = {"table": {"outputs": [f"p{k}" for k in range(len(columns[0]))], **rows}}
    parts = [
        {"weight": weight, "mechanism": first},
        {"weight": str(1 - Fraction(weight)), "mechanism": second},
    ]
    assert level(case, {"mixture": parts}) <= max(level(case, first), level(case, second))
