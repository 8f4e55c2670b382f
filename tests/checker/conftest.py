"""Building certificates for the tests, from docs/certificate.md alone."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.checker.drafts import digest_of, draft
from verifier.checker.reading import number

Json = dict[str, Any]


def listed(worlds: int, *pairs: tuple[int, int] | tuple[int, int, str]) -> Json:
    """The relation of these ordered pairs, at distance 1 or the one given."""
    rows: dict[str, list[list[int]]] = {}
    for i, j, *distance in pairs:
        key = str(*distance) or "1"
        rows.setdefault(key, [[] for _ in range(worlds)])[i].append(j)
    return {"rule": "pairs", "distances": rows}


def mechanism_model(
    columns: dict[str, list[Any]],
    records: list[list[int]] | None = None,
    entries_per_record: int = 1,
) -> Json:
    """The model of a mechanism, from world -> probability of each output (number or text)."""
    texts = {number(str(p)): str(p) for column in columns.values() for p in column}
    table = [[number(str(p)) for p in column] for column in columns.values()]
    values = sorted(texts)
    model: Json = {
        "worlds": list(columns),
        "outputs": [f"o{k}" for k in range(len(table[0]))],
        "values": [texts[value] for value in values],
        "columns": [[values.index(p) for p in column] for column in table],
    }
    if records is not None:
        model |= {"records": records, "entries_per_record": entries_per_record}
    return model


def certificate(
    model: Json,
    relation: Json,
    leakage: Any,
    verdict: str,
    witness: Json | None = None,
    level: Json | None = None,
) -> Json:
    """A comparison; `leakage` is a number in text, or the object itself."""
    return draft(
        "comparison",
        model,
        relation,
        witness,
        verdict=verdict,
        level={"exp_epsilon": "2", "delta": "0"} | (level or {}),
        leakage=leakage if isinstance(leakage, dict) else {"exp_epsilon": leakage},
    )


def sensitivity(
    model: Json, relation: Json, value: str, equals: str | None, verdict: str, pair: Any = None
) -> Json:
    return draft(
        "sensitivity",
        model,
        relation,
        {"pair": pair} if pair else None,
        verdict=verdict,
        value=value,
        equals=equals,
    )


class Build:
    """The functions above, as one fixture."""

    digest_of = staticmethod(digest_of)
    listed = staticmethod(listed)
    mechanism_model = staticmethod(mechanism_model)
    certificate = staticmethod(certificate)
    sensitivity = staticmethod(sensitivity)

    @staticmethod
    def edited(document: Json, edit: Callable[[Json], object]) -> Json:
        """A copy with one edit; the digest follows unless the edit is in the claim."""
        copy: Json = json.loads(json.dumps(document))
        edit(copy)
        if copy["model"] != document["model"]:
            copy["claim"]["digest"] = digest_of(copy["model"])
        return copy


@pytest.fixture(scope="session")
def build() -> Build:
    return Build()
