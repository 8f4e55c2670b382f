"""Tests of many small cases that are one test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

Test = Callable[..., None]


def each(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """In place of `pytest.mark.parametrize`: one test that goes through all cases, and lists those
    that fail. Fixtures are shared by all of them.

    names  parameters of the test, with commas between them
    cases  what they are: a value each, or a tuple where there are several names
    """
    listed, parameters = list(cases), [name.strip() for name in names.split(",")]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def together(**fixtures: Any) -> None:
            failed = []
            for case in listed:
                values = case if len(parameters) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(parameters, values, strict=True)))
                except Exception as error:
                    failed.append(f"{case!r:.300}: {type(error).__name__}: {error}")
            assert not failed, f"{len(failed)} of {len(listed)}:\n" + "\n".join(failed)

        known = signature(test)
        left = [one for name, one in known.parameters.items() if name not in parameters]
        together.__signature__ = known.replace(parameters=left)  # type: ignore[attr-defined]
        del together.__wrapped__
        return together

    return decorate
