"""Whether every mechanism that satisfies one definition satisfies another one too.

Syntax. `implies: {if: {DEFINITION: {…}}, then: {DEFINITION: {…}}, pairs: PAIRS, priors: CLASS}`

Statement. Every mechanism over the worlds that satisfies the definition `if` satisfies `then`. Both
compare columns, so they ask linear inequalities of each row of a mechanism alone, and the question
is whether the rows of the first satisfy the inequalities of the second.

Options. The first two are needed:
- `if`: a definition without `delta` and with a rational level, such as
  `{blowfish: {exp_epsilon: 2, graph: full}}`; or `{post_processing: {of: […]}}` or
  `{row_cone: {of: […]}}`: all that can be made of given mechanisms
- `then`: a definition without `delta`; or `{row_cone: {of: […]}}`: the rows of all mechanisms of
  `if` are in the row cone of given ones; or `{post_processing: {of: […]}}`: all of them can be made
  of given ones. These two have no level
- `pairs`, `priors`: those of both definitions, where they have none of their own

Leakage. The smallest level of `then` that `if` implies: rational or infinite; for metrics it may be
a root. Where it is above the level, the witness is a mechanism with two outputs that satisfies
`if`, and whose smallest level under `then` is exactly this one: a row x that breaks `then` most,
and its complement, (t·x, 1 − t·x).

Example. Differential privacy at 2 for one changed record of two implies 4 for any two worlds: both
records change. It implies no level where records may be absent and only values are compared.

    worlds: {records: [ann, bob], domain: [0, 1]}
    checks:
      - implies:
          if: {differential_privacy: {exp_epsilon: 2}}
          then: {differential_privacy: {exp_epsilon: 4, neighbours: all}}
        leakage: 4
      - implies:
          if: {pufferfish: {exp_epsilon: 2}}
          then: {pufferfish: {exp_epsilon: 2}}
          pairs: values
          priors: product
        leakage: 2

References. Lin, Kifer 2012, Reasoning about privacy using axioms, Section III: definitions as
cones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base.document import Node
from verifier.base.errors import NotDecided
from verifier.base.examples import missing
from verifier.claims.rows import (
    ClosureImpliesClaim,
    ImpliesClaim,
    ImpliesClosureClaim,
    ImpliesRowConeClaim,
    LinearPremise,
)
from verifier.definitions._given import given
from verifier.definitions._plain import Matrix
from verifier.spec.linear import about, read
from verifier.spec.model import Check
from verifier.world.mechanism import Mechanism

OPTIONS = ("if", "then", "pairs", "priors")
CLOSURES = ("post_processing", "row_cone")


def compile(
    check: Check,
) -> ImpliesClaim | ClosureImpliesClaim | ImpliesRowConeClaim | ImpliesClosureClaim:
    """The inequalities of both definitions, and either as a claim about a given mechanism."""
    for key in ("if", "then"):
        if check.options.get(key) is None:
            said = f"the key '{key}' is missing: a definition"
            raise check.definition.fail("S016", said, missing(key))
    first, second = (check.options[key] for key in ("if", "then"))
    known, cone = _given(check, first, CLOSURES), _given(check, second, ("row_cone",))
    closure = _given(check, second, ("post_processing",))
    if closure is not None:
        return _into_closure(check, first, known, closure)
    if known is not None and cone is not None:
        raise NotDecided("one row cone in another: ask row_cone for each mechanism of the first")
    if cone is not None:
        return _into_cone(check, first, cone)
    conclusion = read(check, second)
    relation = conclusion.claim.relation
    if known is not None:
        return ClosureImpliesClaim(
            check.definition.text,
            check.space,
            known,
            lambda mechanism: about(check, second, mechanism),
            conclusion.claim.level,
            scope={"given": list(known), "then": relation.count(), "notes": [*relation.notes]},
        )
    premise = read(check, first)
    other = premise.claim.relation
    return ImpliesClaim(
        check.definition.text,
        check.space,
        premise.halfspaces(),
        lambda mechanism: about(check, first, mechanism),
        conclusion.weights,
        sorted(set(conclusion.comparisons())),
        lambda mechanism: about(check, second, mechanism),
        conclusion.claim.level,
        scope={
            "if": other.count(),
            "then": relation.count(),
            "notes": [*other.notes, *relation.notes],
        },
    )


def _into_cone(check: Check, first: Node, cone: Mapping[str, Mechanism]) -> ImpliesRowConeClaim:
    """The rows of the first definition, and the mechanisms of the cone."""
    premise = read(check, first)
    return ImpliesRowConeClaim(
        check.definition.text,
        check.space,
        premise.halfspaces(),
        lambda mechanism: about(check, first, mechanism),
        cone,
        scope={
            "if": premise.claim.relation.count(),
            "given": list(cone),
            "notes": [*premise.claim.relation.notes],
        },
    )


def _into_closure(
    check: Check,
    first: Node,
    known: Mapping[str, Mechanism] | None,
    given: Mapping[str, Mechanism],
) -> ImpliesClosureClaim:
    """The first definition, or its mechanisms, and those that all is to be made of."""
    premise: LinearPremise | Mapping[str, Mechanism]
    if known is None:
        definition = read(check, first)
        premise = LinearPremise(definition.halfspaces(), lambda m: about(check, first, m))
        relation = definition.claim.relation
        scope: dict[str, object] = {"if": relation.count(), "notes": [*relation.notes]}
    else:
        premise, scope = known, {"if": list(known), "notes": []}
    return ImpliesClosureClaim(
        check.definition.text,
        check.space,
        premise,
        _keyword(first) == "row_cone",
        given,
        scope={**scope, "given": list(given)},
    )


def _keyword(node: Node) -> str:
    return node.mapping(what="a definition such as {blowfish: …}").only("a definition")[0].text


def _given(check: Check, node: Node, keywords: Sequence[str]) -> Mapping[str, Mechanism] | None:
    """The given mechanisms, where a node is about a row cone or what can be made of them."""
    key, options = node.mapping(what="a definition such as {blowfish: …}").only("a definition")
    if key.text not in keywords:
        return None
    own = options.mapping(what="a mapping of options")
    own.check_keys(("of",))
    return given(replace(check, definition=key, options=own))


def value(
    rows: Matrix,
    weights: Sequence[Sequence[Fraction]],
    comparisons: Sequence[tuple[int, int, int]],
    alpha: Fraction,
) -> Fraction:
    """The largest Σ_w (a_w − α^d b_w) x_w over the rows x of a mechanism and comparisons (i, j,
    d) of columns with weights a, b: at most 0 exactly where it satisfies a definition."""
    return max(
        (
            sum(
                (
                    (a - alpha**d * b) * x
                    for a, b, x in zip(weights[i], weights[j], row, strict=True)
                ),
                Fraction(0),
            )
            for row in rows
            for i, j, d in comparisons
        ),
        default=Fraction(0),
    )
