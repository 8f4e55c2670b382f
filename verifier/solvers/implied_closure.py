"""Whether all mechanisms of a premise are mixtures of post-processings of given mechanisms.

If the premise is such mixtures of other mechanisms, it is enough that each of these is one. If it
asks something of each row alone, a row is a sum of extreme ones, up to factors r_1, …, r_n, and
its mechanisms are the mixtures of post-processings of finitely many: those with rows λ_i r_i, λ an
extreme point of {λ ≥ 0 : Σ λ_i r_i = (1, …, 1)}. One that cannot be made of the given ones refutes.

That all can be made is proved by one mechanism with independent rows that can be made of the given
ones, and has all rows of the premise in its row cone: for if mechanisms have Σ_o x_o = (1, …, 1) =
Σ_j row_j and x_o = Σ_j y_oj row_j with y ≥ 0, then Σ_o y_oj = 1 for every j.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from verifier import certificate
from verifier.claim import Answer, Json
from verifier.mechanism import Mechanism
from verifier.priors import NotDecided
from verifier.row_claims import (
    ImpliesClosureClaim,
    LinearPremise,
    PostProcessingClaim,
    RowConeClaim,
)
from verifier.rowcone import directions
from verifier.rowcone import row_cone as cone_of
from verifier.rowcone.facets import Row
from verifier.solvers import implied_cone, post_processing, row_cone
from verifier.solvers.implications import completed, with_equations
from verifier.solvers.implies import table

EXTREME = 2_000  # rows of the premise, or mechanisms made of them, at any time


def decide(claim: ImpliesClosureClaim) -> Answer:
    """A mechanism of the premise that cannot be made of the given ones, or how all are made."""
    if isinstance(claim.premise, LinearPremise):
        return _of_rows(claim, _Definition(claim.premise))
    rows, mixtures = _RowCone(claim), []
    for name, mechanism in claim.premise.items():
        made = _made(claim, mechanism)
        if made.verdict == "violated":
            told = rows.belongs(mechanism) if claim.only_rows else {}
            return _violated(claim, mechanism, made, told, {"given": name})
        mixtures.append(_witness(made)["mixture"])
    if claim.only_rows:
        return _of_rows(claim, rows)
    return _answer(claim, None, {"mixtures": mixtures})


class _Rows(Protocol):
    """A premise that asks something of each row alone."""

    def inside(self, given: Sequence[Mechanism]) -> Json | Mechanism:
        """Evidence that all its rows are in the row cone of given mechanisms, or a mechanism of it
        that has a row outside."""

    def extreme(self) -> Sequence[Row]:
        """Its extreme rows."""

    def belongs(self, mechanism: Mechanism) -> Json:
        """Evidence that a mechanism is of it."""


class _Definition:
    """All mechanisms whose rows satisfy inequalities."""

    def __init__(self, premise: LinearPremise) -> None:
        self.asked = with_equations(premise.asked)

    def inside(self, given: Sequence[Mechanism]) -> Json | Mechanism:
        found = implied_cone.inside(self.asked, given)
        if isinstance(found, dict):
            return found
        return Mechanism.from_rows(("yes", "no"), completed(found, self.asked))

    def extreme(self) -> Sequence[Row]:
        worlds = range(self.asked.worlds)
        rows = [[-terms.get(w, 0) for w in worlds] for terms in self.asked.rows]
        return _rays([*rows, *([int(v == w) for v in worlds] for w in worlds)])

    def belongs(self, mechanism: Mechanism) -> Json:
        return {}


class _RowCone:
    """All mechanisms with rows in the row cone of known ones."""

    def __init__(self, claim: ImpliesClosureClaim) -> None:
        assert not isinstance(claim.premise, LinearPremise)
        self.claim, self.known = claim, claim.premise

    def inside(self, given: Sequence[Mechanism]) -> Json | Mechanism:
        weights = []
        for mechanism in self.known.values():
            found = self._weights(mechanism, given)
            if found is None:
                return mechanism
            weights.append(found)
        return {"weights": weights}

    def extreme(self) -> Sequence[Row]:
        cone = cone_of(self.known.values(), EXTREME)
        turned = [tuple(-a for a in row) for row in cone.equations]
        return _rays([*cone.facets, *cone.equations, *turned])

    def belongs(self, mechanism: Mechanism) -> Json:
        return {"weights": self._weights(mechanism, list(self.known.values()))}

    def _weights(self, mechanism: Mechanism, given: Sequence[Mechanism]) -> object:
        """The evidence that rows are in a row cone; None where they are not."""
        named = {str(k): other for k, other in enumerate(given)}
        claim = RowConeClaim(self.claim.definition, self.claim.space, named, None, mechanism)
        found = row_cone.decide(claim)
        return _witness(found)["weights"] if found.verdict == "holds" else None


def _of_rows(claim: ImpliesClosureClaim, premise: _Rows) -> Answer:
    """The answer where the premise is a cone of rows."""
    for mechanism in claim.given.values():
        if _independent(mechanism) and isinstance(found := premise.inside([mechanism]), dict):
            return _all_made(claim, mechanism, found)
    outside = premise.inside(list(claim.given.values()))
    if isinstance(outside, Mechanism):
        return _violated(claim, outside, _made(claim, outside), premise.belongs(outside))
    extreme = list(_mechanisms(premise.extreme()))
    for mechanism in extreme:
        made = _made(claim, mechanism)
        if made.verdict == "violated":
            return _violated(claim, mechanism, made, premise.belongs(mechanism))
    found = premise.inside(extreme[:1])
    if isinstance(found, dict):
        return _all_made(claim, extreme[0], found)
    raise NotDecided(
        f"the {len(extreme)} extreme mechanisms of the first definition can be made of the given "
        "ones, but no single one with independent rows, of which all others can be made, proves it"
    )


def _independent(mechanism: Mechanism) -> bool:
    """Whether the rows are linearly independent once proportional ones are merged."""
    import flint

    rows = directions([mechanism])
    return len(rows) <= len(rows[0]) and flint.fmpz_mat(rows).rank() == len(rows)


def _rays(rows: Sequence[Sequence[int]]) -> Sequence[Row]:
    """The extreme rays of the cone of all x with a · x ≥ 0 for all rows a."""
    from verifier.lp.double_description import dual

    return dual(rows, EXTREME).rays


def _mechanisms(rows: Sequence[Row]) -> Iterator[Mechanism]:
    """The mechanisms with rows λ_i r_i for the extreme λ ≥ 0 with Σ λ_i r_i = (1, …, 1)."""
    first, *others = zip(*rows, strict=True)
    equal = [tuple(a - b for a, b in zip(other, first, strict=True)) for other in others]
    turned = [tuple(-a for a in row) for row in equal]
    units = [tuple(int(i == j) for j in range(len(rows))) for i in range(len(rows))]
    for ray in _rays([*units, *equal, *turned]):
        total = sum(y * a for y, a in zip(ray, first, strict=True))
        used = [(y, row) for y, row in zip(ray, rows, strict=True) if y]
        table = [[Fraction(y * a, total) for a in row] for y, row in used]
        yield Mechanism.from_rows([f"output {k}" for k in range(1, len(used) + 1)], table)


def _made(claim: ImpliesClosureClaim, mechanism: Mechanism) -> Answer:
    """Whether a mechanism is a mixture of post-processings of the given ones."""
    about = PostProcessingClaim(claim.definition, claim.space, mechanism, claim.given)
    return post_processing.decide(about)


def _witness(answer: Answer) -> Json:
    """The evidence of an answer."""
    assert answer.certificate is not None
    found: Json = answer.certificate["evidence"]["witness"]
    return found


def _all_made(claim: ImpliesClosureClaim, mechanism: Mechanism, inside: Json) -> Answer:
    """The answer where all can be made of one mechanism with independent rows."""
    made = _made(claim, mechanism)
    return _answer(claim, mechanism, {"mixture": _witness(made)["mixture"], **inside})


def _violated(
    claim: ImpliesClosureClaim,
    mechanism: Mechanism,
    made: Answer,
    belongs: Json,
    named: Json | None = None,
) -> Answer:
    """The answer that one mechanism of the premise proves; `named` says which of the file."""
    answer = _answer(claim, mechanism, {"worst": _witness(made), **belongs}, "violated")
    words = {"mechanism": table(claim, mechanism)} if named is None else named
    return replace(answer, witness={**(made.witness or {}), **words})


def _answer(
    claim: ImpliesClosureClaim,
    mechanism: Mechanism | None,
    evidence: Json,
    verdict: str = "holds",
) -> Answer:
    stated = {"definition": claim.definition, "kind": "implies", "verdict": verdict}
    given = {f"then: {name}": other for name, other in claim.given.items()}
    then = {"rule": "post_processing", "of": list(range(len(given)))}
    if isinstance(claim.premise, LinearPremise):
        about = claim.premise.about(mechanism or next(iter(claim.given.values())))
        first, level = about.relation.statement, about.level.as_json()
    else:
        rule = "row_cone" if claim.only_rows else "post_processing"
        of = [len(given) + k for k in range(len(claim.premise))]
        first, level = {"rule": rule, "of": of}, None
        given |= {f"if: {name}": other for name, other in claim.premise.items()}
    return Answer(
        verdict,
        certificate=certificate.document(
            stated,
            certificate.of_mechanisms(claim.space, mechanism, given),
            {"if": first, "level": level, "then": then},
            evidence,
        ),
        scope={"worlds": claim.space.size, **claim.scope},
    )
