"""Drawn spec files: tiny rational worlds and mechanisms, with ties, zeros and awkward numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.definitions.plain import Database
from tests.retold import is_retold
from verifier import checker
from verifier.base import document
from verifier.questions.answer import Answer, write
from verifier.run import verify
from verifier.spec import reading
from verifier.spec.options import Check

Draw = st.DrawFn
Json = dict[str, Any]

TINY = Fraction(1, 10**30)
HUGE = 10**40 + 7
WEIGHTS = [Fraction(0), Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3), 1 + TINY, TINY]
WEIGHTS += [Fraction(1, HUGE), Fraction(HUGE, 3)]

DOMAINS = (["0", "1"], ["0", "1", "2"], ["a", "b"], ["x", "yy"], ["0.5", "2"], ["-1", "1/3"])
NUMBERS = (["0", "1"], ["0", "1", "3"], ["0.5", "2"], ["-1", "1/3"])
ATTRIBUTES = ({"A": ["0", "1"], "B": ["a", "b"]}, {"A": ["u", "vv"], "B": ["0", "1/2"]})
NUMERIC_ATTRIBUTES = ({"A": ["0", "1"], "B": ["0", "1/2"]},)


@dataclass(frozen=True)
class Space:
    """The worlds of a drawn file, enumerated without the engine."""

    node: Any
    databases: list[Database]
    names: list[str]
    values: list[Any]
    absent: bool = False

    @property
    def size(self) -> int:
        return len(self.names)


def value(text: str) -> Any:
    """A value of a domain as the language has it."""
    return Fraction(text) if text[-1].isdigit() else text


def value_text(found: Any) -> str:
    """A record's value as it stands in names of worlds."""
    if found is None:
        return "⊥"
    return "/".join(map(str, found)) if isinstance(found, tuple) else str(found)


def world_name(database: Database, values: Sequence[Any], absent: bool) -> str:
    texts = [value_text(v) for v in [*values, *([None] if absent else [])]]
    short = all(len(text) == 1 for text in texts)
    parts = [value_text(v) for v in database]
    return "".join(parts) if short else f"({', '.join(parts)})"


@st.composite
def spaces(
    draw: Draw,
    absent: bool | None = None,
    constrained: bool | None = None,
    attributes: bool | None = None,
    numeric: bool = False,
) -> Space:
    """1 to 3 records with 2 or 3 values, some with attributes, absent records or constraints."""
    absent = draw(st.booleans()) if absent is None else absent
    if draw(st.booleans()) if attributes is None else attributes:
        parts = draw(st.sampled_from(NUMERIC_ATTRIBUTES if numeric else ATTRIBUTES))
        domain: Any = parts
        values: list[Any] = list(product(*(map(value, texts) for texts in parts.values())))
        count = draw(st.integers(1, 1 if absent else 2))
    else:
        domain = draw(st.sampled_from(NUMBERS if numeric else DOMAINS))
        values = list(map(value, domain))
        count = draw(st.integers(1, 3 if len(values) + absent == 2 else 2))
    everything = list(product([*values, *([None] if absent else [])], repeat=count))
    node: Json = {"records": str(count), "domain": domain, "absent": "true" if absent else "false"}
    kept = everything
    if draw(st.booleans()) if constrained is None else constrained:
        some = st.sets(st.sampled_from(everything), max_size=len(everything) - 1)
        removed = draw(some)
        kept = [database for database in everything if database not in removed]
        node["where"] = [f"not ({is_database(d, absent)})" for d in everything if d in removed]
    names = [world_name(database, values, absent) for database in kept]
    return Space(node, kept, names, values, absent)


def is_database(database: Database, absent: bool) -> str:
    """An expression that holds for one database."""

    def is_value(record: str, found: Any) -> str:
        if found is None:
            return f"not {record}.present"
        if isinstance(found, tuple):
            named = zip("AB", found, strict=True)
            return " and ".join(f"{record}.{name} == {literal(x)}" for name, x in named)
        return f"{record} == {literal(found)}"

    def literal(found: Any) -> str:
        return repr(found) if isinstance(found, str) else f"({found})"

    parts = []
    for at, found in enumerate(database):
        record = f"r{at + 1}"
        parts.append(is_value(record, found))
        if found is not None and absent:
            parts[-1] = f"({record}.present and {parts[-1]})"
    return " and ".join(parts)


@st.composite
def named_spaces(draw: Draw) -> Space:
    """2 to 6 worlds without records."""
    names = [f"w{i}" for i in range(draw(st.integers(2, 6)))]
    return Space(names, [(name,) for name in names], names, names)


@st.composite
def distributions(draw: Draw, size: int) -> list[Fraction]:
    weights = draw(st.lists(st.sampled_from(WEIGHTS), min_size=size, max_size=size).filter(any))
    return [weight / sum(weights) for weight in weights]


@st.composite
def matrices(draw: Draw, worlds: int) -> list[list[Fraction]]:
    """One output distribution per world; many are rearrangements of a few."""
    outputs = draw(st.integers(1, 4))
    known = draw(st.lists(distributions(outputs), min_size=1, max_size=3))
    return [draw(st.permutations(draw(st.sampled_from(known)))) for _ in range(worlds)]


def table(space: Space, columns: Sequence[Sequence[Fraction]]) -> Json:
    """The `table` mechanism with these columns."""
    rows = {
        name: [str(p) for p in column] for name, column in zip(space.names, columns, strict=True)
    }
    return {"table": {"outputs": [f"o{k}" for k in range(len(columns[0]))], **rows}}


def read(spec: Json) -> list[Check]:
    """The checks of a spec, read from its text."""
    text = json.dumps(spec, ensure_ascii=False)
    return reading.read_model_and_checks(document.parse(text, "drawn.json"), Path("drawn.json"))[1]


def decide(spec: Json) -> Answer:
    """The answer to the single check of a spec; its certificate is accepted, as is its text, which
    tells the same."""
    (check,) = read(spec)
    question = verify.asked(check)
    answer = verify.decide(question)
    verdict = checker.check(answer.certificate)
    assert verdict.outcome == "accepted", verdict.reason
    assert answer.certificate is not None
    assert checker.check(json.loads(write(answer.certificate))) == verdict
    is_retold(question, answer)
    return answer
