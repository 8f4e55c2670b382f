"""What a claim asks, as it stands in a certificate: the whole question, and nothing of the answer.

docs/certificate.md describes it. The spine writes it beside the engine's evidence, so that what the
checker accepts is an answer to the question that was compiled, and to no other one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.beliefs.exchangeable import Exchangeable
from verifier.claims import certificate
from verifier.claims.claim import (
    Claim,
    ComparisonClaim,
    ComposableClaim,
    CompositionClaim,
    InfluenceClaim,
    Json,
    PolynomialsClaim,
    PolytopeClaim,
    SensitivityClaim,
    SimulationClaim,
)
from verifier.claims.rows import (
    ClosureImpliesClaim,
    ImpliesClaim,
    ImpliesClosureClaim,
    ImpliesRowConeClaim,
    LinearPremise,
    OptimalClaim,
    PostProcessingClaim,
    RowClaim,
    RowConeClaim,
)
from verifier.spec.model import GENERATED_PAIRS, Check
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class Asked:
    """Who asks: a definition of a file with its options in canonical form, or nobody by name.

    source  digests of the file and of those it reads, and the check's place in it
    """

    definition: str | None = None
    options: Json = field(default_factory=dict)
    source: Json | None = None


NOBODY = Asked()


def asked(check: Check) -> Asked:
    """The definition of a check, its options in canonical form, and its place."""
    file, keyword = check.model.source(), check.definition.text
    source = {**file, "check": check.index, "name": check.name} if file["spec"] else None
    return Asked(keyword, options(check, keyword, check.options), source)


def options(check: Check, keyword: str, given: Mapping) -> Json:
    """The options that `CANONICAL` names: as given, or by default."""
    found: Json = {}
    for key, default in CANONICAL[keyword].items():
        node = given.get(key)
        if key == "pairs":
            found[key] = _pairs(check, node or check.option(key), default)
        elif key in ("if", "then", "under"):
            found[key] = _inner(check, given[key])
        else:
            found[key] = default if node is None else _plain(node, default)
    return found


def _pairs(check: Check, node: Node | None, default: str) -> str:
    """A kind of generated pairs, or "given"."""
    node = node or (check.model.node.get("pairs") if default == "given" else None)
    if isinstance(node, Sequence) and len(node.items) == 1:
        node = node.items[0]
    if node is None:
        return default
    return node.text if isinstance(node, Scalar) and node.text in GENERATED_PAIRS else "given"


def _inner(check: Check, node: Node) -> Json:
    """A definition inside another one's options."""
    key, inner = node.mapping().only("a definition")
    return {"definition": key.text, "options": options(check, key.text, inner.mapping())}


def _plain(node: Node, like: object) -> Any:
    """The node as JSON, exact numbers as canonical text; of the type of the default."""
    if isinstance(node, Mapping):
        return {key.text: _plain(value, None) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [_plain(item, None) for item in node.items]
    text = node.scalar("a value").text
    if isinstance(like, bool):
        return text == "true"
    if isinstance(like, int):
        return int(text)
    return exact.text(exact.number(text)) if exact.looks_like_number(text) else text


CANONICAL: dict[str, Json] = {  # the options that a question states, with their defaults
    "bayesian_privacy": {"known": "any"},
    "blowfish": {"graph": "full"},
    "composition": {"pairs": "given"},
    "coupled_worlds": {
        "form": "simulation",
        "indexed": False,
        "auxiliary": None,
        "alt": None,
        "priv": None,
    },
    "dependent_privacy": {},
    "differential_privacy": {"neighbours": "replace", "group": 1},
    "distributional_privacy": {
        "form": "simulation",
        "indexed": True,
        "auxiliary": None,
        "simulator": "any",
    },
    "hedging_privacy": {"weight": None, "pairs": "presence"},
    "implies": {"if": None, "then": None},
    "induced_neighbours": {},
    "influence": {"entries": 0, "pairs": "given"},
    "metric_privacy": {"distance": None},
    "noiseless": {"pairs": "values"},
    "optimal": {"under": None, "loss": None},
    "parallel_composition": {"graph": "full", "groups": None},
    "post_processing": {},
    "pufferfish": {"pairs": "given"},
    "row_cone": {},
    "sensitivity": {"graph": "full", "query": None},
    "single_prior_privacy": {"pairs": "presence"},
    "universally_composable": {"pairs": "given"},
}


def of(claim: Claim | RowClaim, by: Asked = NOBODY) -> certificate.Question:
    """The question of a claim."""
    kind, parts, model = _QUESTIONS[type(claim)](claim)
    stated = {"definition": by.definition, "options": by.options, "source": by.source}
    return certificate.Question({**stated, "kind": kind, **parts}, model)


Parts = tuple[str, Json, certificate.Model]  # the kind; relation, level, …; the model


def _level(claim: Any) -> Json:
    return {**claim.level.as_json(), "delta": exact.text(claim.delta)}


def _comparison(claim: ComparisonClaim) -> Parts:
    levels = {"tradeoff": list(map(exact.text, claim.tradeoff))} if claim.tradeoff else {}
    parts = {"relation": claim.relation.statement, "level": _level(claim), **levels}
    return "comparison", parts, certificate.of_mechanism(claim.space, claim.mechanism)


def _of_secrets(kind: str) -> Callable[[Any], Parts]:
    def parts(claim: PolytopeClaim | PolynomialsClaim | CompositionClaim) -> Parts:
        model = certificate.of_mechanism(claim.space, claim.mechanism)
        return kind, {"relation": claim.statement, "level": _level(claim)}, model

    return parts


def _sensitivity(claim: SensitivityClaim) -> Parts:
    bound: Json = {"equals": None}
    if claim.equals is not None:
        bound = {"equals": exact.text(claim.equals)}
    if claim.at_most is not None:
        bound = {"at_most": exact.text(claim.at_most)}
    model = certificate.of_functions(claim.space, claim.functions)
    return "sensitivity", {"relation": claim.relation.statement, **bound}, model


def _simulation(claim: SimulationClaim) -> Parts:
    coupled = claim.coupled
    about = coupled.space, coupled.mechanism
    if isinstance(coupled, Exchangeable):
        about = coupled.histograms, coupled.released
    levels = {"tradeoff": list(map(exact.text, claim.tradeoff))} if claim.tradeoff else {}
    parts = {"relation": _situations(claim), "level": _level(claim), **levels}
    kind = "inference" if claim.posteriors else "simulator"
    return kind, parts, certificate.of_mechanism(*about)


def _situations(claim: SimulationClaim) -> Json:
    """What the simulator sees, what is private, and the priors."""
    coupled, given = claim.coupled, claim.given
    worlds = None if given is None else [given.get(a, -1) for a in range(len(coupled.seen))]
    if isinstance(coupled, Exchangeable):
        priors = [[list(entry) for entry in prior] for prior in coupled.priors]
        if worlds is not None:
            worlds = [w if w < 0 else int(coupled.whole[w]) for w in worlds]
        return {"rule": "exchangeable", "priors": priors, "given": worlds}
    return {
        "rule": "simulator",
        "views": [{"alt": v.alt.tolist(), "priv": v.priv.tolist()} for v in coupled.views],
        "priors": [[list(entry) for entry in belief] for belief in coupled.beliefs],
        "given": worlds,
    }


def _composable(claim: ComposableClaim) -> Parts:
    return "composable", {"relation": claim.statement}, certificate.of_worlds(claim.space)


def _influence(claim: InfluenceClaim) -> Parts:
    level = {**claim.level.as_json(), "delta": "0"}
    parts = {"relation": claim.statement, "level": level}
    return "influence", parts, certificate.of_worlds(claim.space)


def _optimal(claim: OptimalClaim) -> Parts:
    relation = {
        "under": claim.statement,
        "exp_epsilon": exact.text(claim.level),
        "prior": None if claim.prior is None else list(claim.prior),
    }
    parts: Json = {"relation": relation, "equals": None}
    if claim.equals is not None:
        parts["equals"] = exact.text(claim.equals)
    return "optimal", parts, certificate.of_functions(claim.space, claim.loss, claim.mechanism)


def _post_processing(claim: PostProcessingClaim) -> Parts:
    model = certificate.of_mechanisms(claim.space, claim.mechanism, claim.given)
    return "post_processing", {"relation": None}, model


def _row_cone(claim: RowConeClaim) -> Parts:
    facets = {} if claim.facets is None else {"facets": str(claim.facets)}
    model = certificate.of_mechanisms(claim.space, claim.mechanism, claim.given)
    return "row_cone", {"relation": None, **facets}, model


def _silent(space: WorldSpace) -> Mechanism:
    """A mechanism that says nothing: for the comparisons that a definition makes of any."""
    return Mechanism.from_rows(("nothing",), [[Fraction(1)] * space.size])


def _premise(premise: Callable[[Mechanism], ComparisonClaim], space: WorldSpace) -> Json:
    about = premise(_silent(space))
    return {"if": about.relation.statement, "level": about.level.as_json()}


def _implies(claim: ImpliesClaim) -> Parts:
    then = claim.conclusion_of(_silent(claim.space)).relation.statement
    relation = {**_premise(claim.premise_of, claim.space), "then": then}
    return (
        "implies",
        {"relation": relation, "level": _level(claim)},
        certificate.of_worlds(claim.space),
    )


def _closure_implies(claim: ClosureImpliesClaim) -> Parts:
    then = claim.conclusion_of(_silent(claim.space)).relation.statement
    relation = {"if": {"rule": "given"}, "level": None, "then": then}
    model = certificate.of_mechanisms(claim.space, None, claim.given)
    return "implies", {"relation": relation, "level": _level(claim)}, model


def _implies_row_cone(claim: ImpliesRowConeClaim) -> Parts:
    relation = {**_premise(claim.premise_of, claim.space), "then": {"rule": "row_cone"}}
    model = certificate.of_mechanisms(claim.space, None, claim.given)
    return "implies", {"relation": relation}, model


def _implies_closure(claim: ImpliesClosureClaim) -> Parts:
    given = {f"then: {name}": other for name, other in claim.given.items()}
    then = {"rule": "post_processing", "of": list(range(len(given)))}
    if isinstance(claim.premise, LinearPremise):
        first = _premise(claim.premise.about, claim.space)
    else:
        rule = "row_cone" if claim.only_rows else "post_processing"
        of = [len(given) + k for k in range(len(claim.premise))]
        first = {"if": {"rule": rule, "of": of}, "level": None}
        given |= {f"if: {name}": other for name, other in claim.premise.items()}
    model = certificate.of_mechanisms(claim.space, None, given)
    return "implies", {"relation": {**first, "then": then}}, model


_QUESTIONS: dict[type, Callable[[Any], Parts]] = {
    ClosureImpliesClaim: _closure_implies,
    ComparisonClaim: _comparison,
    ComposableClaim: _composable,
    CompositionClaim: _of_secrets("composition"),
    ImpliesClaim: _implies,
    ImpliesClosureClaim: _implies_closure,
    ImpliesRowConeClaim: _implies_row_cone,
    InfluenceClaim: _influence,
    OptimalClaim: _optimal,
    PolynomialsClaim: _of_secrets("polynomials"),
    PolytopeClaim: _of_secrets("polytope"),
    PostProcessingClaim: _post_processing,
    RowConeClaim: _row_cone,
    SensitivityClaim: _sensitivity,
    SimulationClaim: _simulation,
}
