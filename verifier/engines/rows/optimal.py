"""The smallest loss under a definition, and whether a given mechanism has it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verifier.base import exact
from verifier.base.halfspaces import Halfspaces
from verifier.base.level import NO_COMPARISON
from verifier.claims.certificate import Proof
from verifier.claims.claim import Answer, Json
from verifier.claims.rows import OptimalClaim
from verifier.engines.answers import table
from verifier.rows.synthesis import Optimum, Use, best_mechanism, best_use


def decide(claim: OptimalClaim) -> Answer:
    """The smallest loss, a mechanism that has it, and the proof that none has less."""
    best = best_mechanism(claim.loss, claim.halfspaces, claim.prior)
    rows = None if claim.mechanism is None else list(claim.mechanism.rows())
    use = None if rows is None else best_use(rows, claim.loss, claim.prior)
    broken = None if rows is None else _broken(rows, claim.halfspaces)
    attains = use is None or (broken is None and use.loss == best.loss)
    holds = attains and claim.equals in (None, best.loss)
    asked = any(any(terms.values()) for terms in claim.halfspaces.rows)
    leakage = None if asked else NO_COMPARISON
    verdict = "holds" if holds else "violated"
    said: Json = {"verdict": verdict, "value": exact.text(best.loss)}
    if leakage:
        said["leakage"] = leakage.claim()
    return Answer(
        verdict,
        leakage,
        value=best.loss,
        witness=None if attains else _witness(claim, use, broken),
        best=table(claim.space, claim.answers, best.rows),
        proof=Proof(said, _evidence(claim, best, use, broken)),
        scope={"worlds": claim.space.size, "outputs": len(claim.answers), **claim.scope},
    )


def _broken(rows: Sequence[Sequence[Fraction]], asked: Halfspaces) -> tuple[int, int] | None:
    """The first output and inequality that a mechanism breaks."""
    for output, row in enumerate(rows):
        for at, terms in enumerate(asked.rows):
            if sum(h * row[w] for w, h in terms.items()) > 0:
                return output, at
    return None


def _evidence(
    claim: OptimalClaim, best: Optimum, use: Use | None, broken: tuple[int, int] | None
) -> Json:
    """Inequalities are written down where they have a multiplier, in the order of first use."""
    place = {h: at for at, h in enumerate(dict.fromkeys(h for y in best.multipliers for h in y))}
    found: Json = {
        "rows": best.rows,
        "prior": list(best.prior),
        "shares": list(best.shares),
        "inequalities": [[[w, str(x)] for w, x in claim.halfspaces.rows[h].items()] for h in place],
        "multipliers": [[[place[h], y] for h, y in listed.items()] for listed in best.multipliers],
        "use": None,
    }
    if use is not None and broken is None:
        found["use"] = {"answers": use.answers, "prior": list(use.prior)}
    return found


def _witness(claim: OptimalClaim, use: Use | None, broken: tuple[int, int] | None) -> Json:
    assert claim.mechanism is not None and use is not None
    if broken is not None:
        output, at = broken
        return {"output": claim.mechanism.outputs[output], "inequality": claim.halfspaces.names[at]}
    return {"loss": exact.text(use.loss), "prior": _named(claim, use.prior)}


def _named(claim: OptimalClaim, weights: Sequence[Fraction]) -> Json:
    names = enumerate(weights)
    return {claim.space.name(w): exact.text(weight) for w, weight in names if weight}
