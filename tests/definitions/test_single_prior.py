"""Single-prior privacy with delta: one known distribution, and more outputs than have events."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import rows_of, spec_of
from tests.definitions.drawn import decide
from tests.drawing import examples
from verifier.definitions import single_prior_privacy

F = Fraction
OUTPUTS = 20


@examples(10)
@given(st.data(), st.sampled_from(["presence", "values"]))
def test_many_outputs(data: st.DataObject, pairs: str) -> None:
    """The level is the smallest one at which the plain sums over outputs are at most delta."""
    small = drawn.spaces().filter(lambda s: s.size < 7 and len(s.databases[0]) < 3)
    space = data.draw(small)
    columns = [data.draw(drawn.distributions(OUTPUTS)) for _ in range(space.size)]
    values = [*space.values, *([None] if space.absent else [])]
    known = dict(zip(values, data.draw(drawn.distributions(len(values))), strict=True))
    delta = data.draw(st.sampled_from([F(1, 10), F(1, 1000), F(1, 3)]))
    asked = data.draw(st.sampled_from([F(1), F(3, 2), F(10)]))
    rows = rows_of(columns)

    def smallest(alpha: Fraction) -> Fraction:
        return single_prior_privacy.value(rows, space.databases, known, alpha, pairs)

    shown = {drawn.value_text(x): str(p) for x, p in known.items()}
    options: Any = {"exp_epsilon": str(asked), "delta": str(delta), "known": shown, "pairs": pairs}
    answer = decide({**spec_of(space, columns), "checks": [{"single_prior_privacy": options}]})
    assert answer.leakage is not None
    assert answer.verdict == ("holds" if smallest(asked) <= delta else "violated")
    if answer.leakage.infinite:
        assert smallest(F(10) ** 60) > delta
        return
    level = answer.leakage.exp_epsilon
    assert level is not None and smallest(level) <= delta
    assert level == 1 or smallest(level * (1 - F(1, 10**60))) > delta
