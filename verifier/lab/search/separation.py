"""A mechanism that satisfies one definition and not another, in a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.base.errors import InputError, NotDecided
from verifier.lab.search import tables
from verifier.lab.search.files import Tree, headed, plain
from verifier.lab.search.shrink import shrunk
from verifier.questions.answer import Answer
from verifier.questions.witness import MechanismWitness
from verifier.run import verify
from verifier.spec.options import Check


def small(check: Check, answer: Answer, title: str) -> Iterator[Tree]:
    """Files with ever smaller mechanisms of the first definition of an implication and not of the
    second, as they are found."""
    if not isinstance(answer.witness, MechanismWitness):
        raise NotDecided("a mechanism of the file itself tells the definitions apart")
    outputs = answer.witness.mechanism.outputs
    worlds = check.space.names(range(check.space.size))
    first, second = check.inside("if"), check.inside("then")
    rows: tables.Rows = {
        world: {o: p for o, p in zip(outputs, row, strict=True) if p}
        for world, row in answer.witness.mechanism.columns.items()
    }

    def holds(candidate: tables.Rows) -> bool:
        try:
            mechanism = tables.mechanism_of(worlds, outputs, candidate)
            kept = verify.certified(first.question(mechanism)).verdict == "holds"
            return kept and verify.certified(second.question(mechanism)).verdict == "violated"
        except InputError:
            return False

    for one in shrunk(rows, holds, tables.simpler, tables.order):
        yield _with_mechanism(check, title, outputs, one)


def _with_mechanism(check: Check, title: str, outputs: Sequence[str], rows: tables.Rows) -> Tree:
    """The file of a check, with a further mechanism `found`, and checks of both definitions."""
    top, options = plain(check.model.node), plain(check.options)
    table = {world: [str(row.get(o, 0)) for o in outputs] for world, row in rows.items()}
    known = {"found": {"table": {"outputs": list(outputs), **table}}, **top.get("mechanisms", {})}
    shared = {key: options[key] for key in ("pairs", "priors") if key in options}
    both = [
        {key: {**shared, **inner} for key, inner in options[side].items()}
        for side in ("if", "then")
    ]
    kept = {key: top[key] for key in ("worlds", "secrets", "pairs", "priors") if key in top}
    checks = [{**both[0], "mechanism": "found"}]
    checks.append({**both[1], "mechanism": "found", "expect": "violated"})
    said = f"{title}, a mechanism that separates the definitions"
    return headed({**kept, "mechanisms": known, "checks": checks}, said)
