"""Whether every mechanism that satisfies one definition satisfies another one too.

Syntax. `implies: {if: {DEFINITION: {…}}, then: {DEFINITION: {…}}, pairs: PAIRS, priors: CLASS}`

Statement. Every mechanism over the worlds that satisfies the definition `if` satisfies `then`. Both
compare columns, so they ask linear inequalities of each row of a mechanism alone, and the question
is whether the rows of the first satisfy the inequalities of the second. In a class of priors with
unknown distributions, in either of the two, each prior asks such inequalities, and so does each
limit of priors.

Options. The first two are needed:
- `if`: a definition without `delta`, such as
  `{blowfish: {exp_epsilon: 2, graph: full}}`; or `{post_processing: {of: […]}}` or
  `{row_cone: {of: […]}}`: all that can be made of given mechanisms
- `then`: a definition without `delta`; or `{row_cone: {of: […]}}`: the rows of all mechanisms of
  `if` are in the row cone of given ones; or `{post_processing: {of: […]}}`: all of them can be made
  of given ones. These two have no level
- `pairs`, `priors`: those of both definitions, where they have none of their own

Leakage. The smallest level of `then` that `if` implies: rational, made of powers of e, or infinite;
for metrics it may be a root. Where it is above the level, the witness is a mechanism with two
outputs that satisfies `if`, and whose smallest level under `then` is exactly this one: a row x that
breaks `then` most, and its complement, (t·x, 1 − t·x).

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
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from verifier.base.errors import NotDecided
from verifier.definitions._linear import (
    Definition,
    FamilyDefinition,
    LinearDefinition,
    family_of,
    linear_of,
)
from verifier.definitions._plain import Matrix
from verifier.questions.claim import Json, PolynomialsClaim
from verifier.questions.question import Question
from verifier.questions.rows import (
    ClosureImpliesClaim,
    FamilyImpliesClaim,
    ImpliesClaim,
    ImpliesClosureClaim,
    ImpliesFamilyClaim,
    ImpliesRowConeClaim,
    LinearPremise,
)
from verifier.spec.options import Inside, Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("if", "then", "pairs", "priors")
CLOSED = None  # about definitions
CLOSURES = ("post_processing", "row_cone")


@dataclass(frozen=True, eq=False)
class Made:
    """The mechanisms made of given ones: all mixtures of post-processings of them, or all that have
    their rows in the row cone.

    of         the given mechanisms by name
    only_rows  whether rows in the row cone are enough
    """

    of: Mapping[str, Mechanism]
    only_rows: bool = False

    @property
    def stated(self) -> Json:
        """Its keyword, as it stands among the options."""
        return {"definition": CLOSURES[self.only_rows], "options": {}}


def question(
    *, space: WorldSpace, premise: Definition | Made, conclusion: Definition | Made
) -> Question:
    """Whether every mechanism of one definition satisfies another (Lin, Kifer 2012, Section III).

    space       the possible worlds
    premise     from a mechanism to the question that the first definition asks of it; or `Made`
    conclusion  the same for the second one

    NotDecided where a definition is no system of finitely many inequalities.
    """
    if isinstance(conclusion, Made) and not conclusion.only_rows:
        claim, options = _into_closure(space, premise, conclusion)
    elif isinstance(conclusion, Made):
        claim, options = _into_cone(space, premise, conclusion)
    elif isinstance(premise, Made):
        claim, options = _from_made(space, premise, conclusion)
    else:
        claim, options = _between(space, premise, conclusion)
    stated = dict(zip(("if", "then"), options, strict=True))
    return Question(definition="implies", claim=claim, options=stated)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    first, second = options.inside("if"), options.inside("then")
    return question(space=options.space, premise=_read(first), conclusion=_read(second))


def _read(asked: Inside) -> Definition | Made:
    """A definition of a file, or the mechanisms made of given ones."""
    keyword = asked.definition.text
    if keyword not in CLOSURES:
        return asked.question
    asked.options.check_keys(("of",))
    return Made(asked.given(), only_rows=keyword == "row_cone")


Asked = tuple[
    ImpliesClaim
    | FamilyImpliesClaim
    | ImpliesFamilyClaim
    | ClosureImpliesClaim
    | ImpliesRowConeClaim
    | ImpliesClosureClaim,
    tuple[Json, Json],
]


def _between(space: WorldSpace, premise: Definition, conclusion: Definition) -> Asked:
    """The inequalities of both definitions, and either as a claim about a given mechanism."""
    if (asked := family_of(space, conclusion)) is not None:
        return _to_family(space, linear_of(space, premise), asked)
    then, family = linear_of(space, conclusion), family_of(space, premise)
    if family is not None:
        return _from_family(space, family, then)
    first = linear_of(space, premise)
    ours, theirs = first.claim.relation, then.claim.relation
    scope = {"if": ours.count(), "then": theirs.count(), "notes": [*ours.notes, *theirs.notes]}
    claim = ImpliesClaim(
        "implies",
        space,
        first.halfspaces(),
        first.about,
        then.weights,
        sorted(set(then.comparisons())),
        then.about,
        then.claim.level,
        scope=scope,
    )
    return claim, (first.stated, then.stated)


def _from_family(space: WorldSpace, first: FamilyDefinition, then: LinearDefinition) -> Asked:
    """The priors of the first definition, and the comparisons of the second."""
    theirs = then.claim.relation
    scope = {"if": 2 * len(first.claim.pairs), "then": theirs.count(), "notes": [*theirs.notes]}
    claim = FamilyImpliesClaim(
        "implies",
        space,
        first.claim,
        first.about,
        then.weights,
        sorted(set(then.comparisons())),
        then.about,
        then.claim.level,
        scope=scope,
    )
    return claim, (first.stated, then.stated)


def _to_family(space: WorldSpace, first: LinearDefinition, then: FamilyDefinition) -> Asked:
    """The comparisons of the first definition, and the priors of the second."""
    if _class_of(then.claim) == "hedging":  # whose secrets are values of records, not worlds
        raise NotDecided("the second definition may be about priors product, iid or markov")
    within, pairs = _larger(space, then.claim)
    ours = first.claim.relation
    scope = {"if": ours.count(), "then": 2 * len(then.claim.pairs), "notes": [*ours.notes]}
    claim = ImpliesFamilyClaim(
        "implies",
        space,
        first.halfspaces(),
        first.about,
        then.claim,
        then.about,
        within,
        sorted((w, v, 1) for w, v in pairs),
        then.claim.level,
        scope=scope,
    )
    return claim, (first.stated, then.stated)


def _class_of(claim: PolynomialsClaim) -> object:
    """The class of priors, by its keyword."""
    statement: Any = claim.statement
    return statement["priors"]["class"]


def _larger(space: WorldSpace, claim: PolynomialsClaim) -> tuple[str, set[tuple[int, int]]]:
    """A larger class of priors, and the worlds that it compares: any two of two secrets; of equal
    distributions of all records, about one of which secrets are, those that differ in it alone."""
    inside = {
        name: [w for w, weight in enumerate(worlds) if weight]
        for name, (_, worlds) in claim.joint.items()
    }
    orders = {order for s, t in claim.pairs for order in ((s, t), (t, s))}
    pairs = {(w, v) for s, t in orders for w in inside[s] for v in inside[t]}
    if _class_of(claim) != "iid" or space.is_histograms or not space.complete:
        return "all", pairs
    rows = space.record_codes.T
    boxes = {name: [set(column) for column in rows[worlds].T] for name, worlds in inside.items()}
    is_boxed = all(prod(map(len, boxes[name])) == len(worlds) for name, worlds in inside.items())
    about = [sum(a != b for a, b in zip(boxes[s], boxes[t], strict=True)) for s, t in orders]
    if not is_boxed or set(about) != {1}:
        return "all", pairs
    return "product", {(w, v) for w, v in pairs if (rows[w] != rows[v]).sum() == 1}


def _from_made(space: WorldSpace, premise: Made, conclusion: Definition) -> Asked:
    """The mechanisms of the premise, and the definition."""
    then = linear_of(space, conclusion)
    relation, given = then.claim.relation, premise.of
    scope = {"given": list(given), "then": relation.count(), "notes": [*relation.notes]}
    claim = ClosureImpliesClaim("implies", space, given, then.about, then.claim.level, scope=scope)
    return claim, (premise.stated, then.stated)


def _into_cone(space: WorldSpace, premise: Definition | Made, cone: Made) -> Asked:
    """The rows of the first definition, and the mechanisms of the cone."""
    if isinstance(premise, Made):
        raise NotDecided("one row cone in another: ask row_cone for each mechanism of the first")
    first = linear_of(space, premise)
    relation = first.claim.relation
    scope = {"if": relation.count(), "given": list(cone.of), "notes": [*relation.notes]}
    claim = ImpliesRowConeClaim(
        "implies", space, first.halfspaces(), first.about, cone.of, scope=scope
    )
    return claim, (first.stated, cone.stated)


def _into_closure(space: WorldSpace, premise: Definition | Made, closure: Made) -> Asked:
    """The first definition, or its mechanisms, and those that all is to be made of."""
    known: LinearPremise | Mapping[str, Mechanism]
    if isinstance(premise, Made):
        known, first = premise.of, premise.stated
        scope: dict[str, object] = {"if": list(known), "notes": []}
    else:
        linear = linear_of(space, premise)
        known, first = LinearPremise(linear.halfspaces(), linear.about), linear.stated
        relation = linear.claim.relation
        scope = {"if": relation.count(), "notes": [*relation.notes]}
    claim = ImpliesClosureClaim(
        "implies",
        space,
        known,
        isinstance(premise, Made) and premise.only_rows,
        closure.of,
        scope={**scope, "given": list(closure.of)},
    )
    return claim, (first, closure.stated)


def value(
    rows: Matrix,
    weights: Sequence[Sequence[Fraction]],
    comparisons: Sequence[tuple[int, int, int]],
    alpha: Fraction,
) -> Fraction:
    """The largest Σ_w (a_w − α^d b_w) x_w over rows x and comparisons: at most 0 where it holds.

    rows         P(output | world), one row x per output
    weights      the compared columns, each a weight per world
    comparisons  (i, j, d): the columns with weights a and b, and their distance
    alpha        α, the level e^ε
    """
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
