"""Row cones as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from verifier.base import exact
from verifier.kernels.rows import Reading, independent, named, read_row
from verifier.kernels.rows.independence import Marginals
from verifier.lab.explain_cone import Explanation

SHOWN = 100  # facets, and pairs of worlds, written out as text
LONGEST = 16  # terms of a sum, and worlds of a prior


def lines(found: Explanation) -> Iterator[str]:
    """The report on one cone that was found, as text."""
    cone, names = found.cone, found.space.names(range(found.space.size))
    dimension = cone.worlds - len(cone.equations)
    yield f"  row cone of {', '.join(found.of)}: {len(cone.facets)} facets, dimension {dimension}"
    yield from (f"      asked about in: {check}" for check in found.checks)
    for equation in cone.equations:
        yield f"    always {_sides(equation, names, '=')}"
    for number, facet in enumerate(cone.facets[:SHOWN], 1):
        yield f"    {number}. {_sides(facet, names, '≥')}"
        reading = read_row(facet)
        if reading:
            yield from (f"       {line}" for line in _reading(found, reading, names))
    if len(cone.facets) > SHOWN:
        yield f"    … ({len(cone.facets)} in all)"
    yield from _relaxation(found, names)


def _reading(found: Explanation, reading: Reading, names: list[str]) -> Iterator[str]:
    weights = [f"{names[w]}: {exact.text(p)}" for w, p in enumerate(reading.weights) if p]
    yield f"S₊: {named(found.space, reading.positive)}"
    yield f"S₋: {named(found.space, reading.negative)}"
    yield (
        f"(1) prior {{{_joined(weights, ', ')}}}: the odds of S₋ against S₊ are "
        f"{exact.text(reading.odds)} before and at most 1 after"
    )
    marginals = independent(found.space, reading.weights)
    if marginals:
        yield f"    that is, independently {_joined(_chances(marginals), ', ')}"
    yield (
        "(2) any prior proportional to it inside S₊ and inside S₋: the odds of S₋ against S₊ grow "
        f"by a factor of at most {exact.text(reading.factor)}"
    )


def _chances(marginals: Marginals) -> list[str]:
    return [
        f"{record} {{{_joined([f'{value}: {exact.text(p)}' for value, p in one.items()], ', ')}}}"
        for record, one in marginals.items()
    ]


def _relaxation(found: Explanation, names: list[str]) -> Iterator[str]:
    relaxation = found.relaxation
    if found.private:
        kind, level = found.private
        neighbours = "" if kind == "replace" else f" for neighbours '{kind}'"
        yield f"    relaxed to two worlds: ln({exact.text(level)})-differential privacy{neighbours}"
        return
    lines = [f"P(o|{names[v]}) = P(o|{names[w]})" for v, w in relaxation.equal]
    lines += [
        f"P(o|{names[v]}) ≤ {'' if c == 1 else f'{exact.text(c)}·'}P(o|{names[w]})"
        for (v, w), c in relaxation.bounds.items()
    ]
    yield f"    relaxed to two worlds:{'' if lines else ' nothing is left'}"
    yield from (f"      {line}" for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield f"      … ({len(lines)} in all)"


def _sides(row: Sequence[int], names: list[str], sign: str) -> str:
    """Σ a_w P(o|w) ≥ 0 without minus signs."""
    left, right = (
        _sum([(s * a, names[w]) for w, a in enumerate(row) if s * a > 0]) for s in (1, -1)
    )
    return f"{left} {sign} {right}"


def _sum(terms: list[tuple[int, str]]) -> str:
    texts = [f"{'' if a == 1 else f'{a}·'}P(o|{name})" for a, name in terms]
    return _joined(texts, " + ") or "0"


def _joined(texts: list[str], between: str) -> str:
    more = f"{between}… ({len(texts)} in all)" if len(texts) > LONGEST else ""
    return between.join(texts[:LONGEST]) + more


def as_json(found: Explanation) -> dict[str, Any]:
    """A cone that was found, as an object of JSON, version 1. Every rational is text."""
    cone, names = found.cone, found.space.names(range(found.space.size))
    kind, level = found.private or ("", 1)
    private = {"exp_epsilon": exact.text(level), "neighbours": kind} if kind else None
    return {
        "of": list(found.of),
        "checks": list(found.checks),
        "worlds": names,
        "rows": len(cone.rows),
        "dimension": cone.worlds - len(cone.equations),
        "equations": [_coefficients(row, names) for row in cone.equations],
        "facets": [_facet(row, found, names) for row in cone.facets],
        "relaxation": {
            "equal": [[names[v], names[w]] for v, w in found.relaxation.equal],
            "bounds": [
                {"world": names[v], "against": names[w], "factor": exact.text(c)}
                for (v, w), c in found.relaxation.bounds.items()
            ],
            "differential_privacy": private,
        },
    }


def _facet(row: Sequence[int], found: Explanation, names: list[str]) -> dict[str, Any]:
    reading = read_row(row)
    marginals = reading and independent(found.space, reading.weights)
    return {
        "coefficients": _coefficients(row, names),
        "reading": reading
        and {
            "weights": {names[w]: exact.text(p) for w, p in enumerate(reading.weights) if p},
            "independent": marginals
            and {
                record: {value: exact.text(p) for value, p in chances.items()}
                for record, chances in marginals.items()
            },
            "positive": _side(found, reading.positive, names),
            "negative": _side(found, reading.negative, names),
            "prior_odds": exact.text(reading.odds),
            "posterior_odds_at_most": "1",
            "factor": exact.text(reading.factor),
        },
    }


def _side(found: Explanation, worlds: Sequence[int], names: list[str]) -> dict[str, Any]:
    return {"name": named(found.space, worlds), "worlds": [names[w] for w in worlds]}


def _coefficients(row: Sequence[int], names: list[str]) -> dict[str, str]:
    return {names[w]: str(a) for w, a in enumerate(row) if a}
