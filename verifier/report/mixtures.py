"""Mixtures of post-processings, and payoffs that refute them, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.claims.claim import Json
from verifier.report.shortened import SHOWN, some


def mixture(parts: Sequence[Json]) -> Iterator[str]:
    """With which weight which mechanism is run, and what becomes of its outputs."""
    for part in parts:
        start = f"with weight {part['weight']} {part['mechanism']} is run"
        if "entries" in part:
            yield f"{start} and processed ({part['entries']} entries, in the certificate)"
            continue
        rows = list(part["post_processing"].items())
        yield f"{start}, and"
        for output, row in rows[:SHOWN]:
            yield f"  {output} becomes {some([f'{name}: {p}' for name, p in row.items()])}"
        if len(rows) > SHOWN:
            yield f"  … ({len(rows)} outputs in all)"


def payoff(found: Json) -> Iterator[str]:
    """What one output tells, or what pays."""
    if "output" in found:
        prior = some([f"{world}: {p}" for world, p in found["prior"].items()])
        likelier, than = some(found["likelier"]), some(found["than"])
        told = f"makes {likelier} likelier than {than}" if found["than"] else f"reveals {likelier}"
        yield f"output {found['output']}, against the prior {prior}, {told};"
        yield "  no output of a post-processing does that"
        return
    yield (
        f"paid by the world and by what is announced, it earns {found['earns']}, a post-processing "
        f"at most {found['best']}, though no single output tells too much:"
    )
    rows = list(found["payoff"].items())
    for output, pays in rows[:SHOWN]:
        yield f"  {output} pays {some([f'{world}: {u}' for world, u in pays.items()])}"
    if len(rows) > SHOWN:
        yield f"  … ({len(rows)} outputs in all)"
