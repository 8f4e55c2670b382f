"""The smallest expected loss of any mechanism that satisfies a definition of privacy.

Syntax. `optimal: {under: {DEFINITION: {…}}, outputs: [VALUE, …], loss: EXPRESSION, prior: PRIOR,
equals: NUMBER, mechanism: NAME, pairs: PAIRS, priors: CLASS}`

Statement. X[r, w] is the probability of answer r in world w, and θ_w that of world w. Among all
mechanisms with the given answers that satisfy a definition, the smallest expected loss: against a
prior, Σ_w θ_w Σ_r X[r, w]·loss(r, w), or in the worst world. A check with a `mechanism` asks
whether this mechanism satisfies the definition too, and loses no more once its outputs are
interpreted as well as possible.

Options. The first three are needed:
- `under`: a definition without `delta`, such as `{differential_privacy: {exp_epsilon: 2}}`; or
  `{post_processing: {of: [NAME, …]}}`, what is made of given mechanisms
- `outputs`: the possible answers
- `loss`: an expression about the world and the answer, which is called `output`
- `prior`: one prior, or `worst`, the worst world (the default)
- `equals`: the smallest loss that the check asserts
- `mechanism`: the mechanism that is to have the smallest loss; none by default
- `pairs`, `priors`: those of the definition, if it has none of its own

Leakage. None: the answer is the smallest loss, an exact number, and a mechanism that has it.

Example. A bit under differential privacy at 3 is answered wrongly with probability 1/4 at best, and
randomized response with truth 3/4 does so.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      response: {randomized_response: {truth: 3/4}}
    checks:
      - optimal:
          under: {differential_privacy: {exp_epsilon: 3}}
          outputs: [0, 1]
          loss: abs(output - ann)
          prior: uniform
          equals: 1/4
          mechanism: response
      - optimal:
          under: {pufferfish: {exp_epsilon: 3}}
          outputs: [0, 1]
          loss: abs(output - ann)
          pairs: values
          priors: all
          equals: 1/4

References. Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy
mechanisms; for the worst world: Gupte, Sundararajan 2010, Universally optimal privacy
mechanisms for minimax agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Plain, Scalar, tree
from verifier.base.errors import NotDecided
from verifier.definitions._linear import Definition, identity, linear_of
from verifier.questions.beliefs.prior import Prior, prior_of, read_prior
from verifier.questions.claim import Claim
from verifier.questions.question import Question, stated
from verifier.questions.rows import BestMadeClaim, OptimalClaim, PostProcessingClaim
from verifier.spec.options import Options
from verifier.world.language.operations import plain
from verifier.world.mechanism import Column, Mechanism
from verifier.world.space import candidates, is_number, show
from verifier.world.worlds import WorldSpace, evaluate_each

OPTIONS = ("under", "outputs", "loss", "prior", "equals", "mechanism", "pairs", "priors")
CLOSED = None  # about losses


def question(
    *,
    space: WorldSpace,
    under: Definition,
    outputs: Plain,
    loss: Plain,
    prior: Sequence[Fraction | int | str] | Prior | None = None,
    mechanism: Mechanism | None = None,
    equals: Plain | None = None,
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Question:
    """What the best mechanism loses (Ghosh, Roughgarden, Sundararajan 2009).

    space      the possible worlds
    under      the definition of privacy: from a mechanism to the question that it asks of it
    outputs    the answers, numbers or words
    loss       an expression about the world and `output`, a number
    prior      for the expected loss; None for that of the worst world
    mechanism  which is to be best: P(output | world), shape (outputs, worlds); None for none
    equals     what the smallest loss is to be, if it is known
    secrets    names that the loss may use, each true in some worlds: arrays of shape (worlds,)

    InputError for a loss that is no number (S604); NotDecided where the definition is no system of
    finitely many inequalities.
    """
    answers = candidates(tree(outputs), space, "an answer", "answers")
    node = tree(loss).scalar("an expression")
    costs = losses(space, [answer.value for answer in answers], node, secrets or {})
    named = [answer.text for answer in answers]
    theta = None if prior is None else prior_of(space, prior).tolist()
    expected = None if equals is None else tree(equals).number("the expected loss")
    closure = under(identity(space))
    found = "optimal", space, named, costs, theta, expected
    claim: Claim
    if isinstance(closure.claim, PostProcessingClaim):
        if mechanism is not None:
            raise NotDecided("whether a mechanism is made of others is asked by post_processing")
        inside = {"definition": "post_processing", "options": {}}
        claim = BestMadeClaim(*found, closure.claim.given)
    else:
        linear = linear_of(space, under)
        inside, relation = linear.stated, linear.claim.relation
        claim = OptimalClaim(
            *found,
            linear.halfspaces(),
            linear.claim.level,
            relation.statement,
            mechanism,
            scope={"pairs": relation.count()},
        )
    options = {"under": inside, "loss": stated(loss)}
    return Question(definition="optimal", claim=claim, options=options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    under = options.inside("under", "")
    outputs, loss = options.needed("outputs"), options.needed("loss")
    prior = options.options.get("prior")
    worst = isinstance(prior, Scalar) and prior.text == "worst"
    return question(
        space=options.space,
        under=under.question,
        outputs=outputs,
        loss=loss,
        prior=None if worst or prior is None else read_prior(prior, options.space),
        mechanism=options.mechanism_named(),
        equals=options.options.get("equals"),
        secrets=options.model.secrets,
    )


def value(
    loss: Sequence[Sequence[Fraction]],
    rows: Sequence[Sequence[Fraction]],
    prior: Sequence[Fraction] | None,
) -> Fraction:
    """The expected loss of a mechanism, straight from the definition.

    loss   one row per answer, one entry per world
    rows   P(answer | world), likewise
    prior  a probability per world; None: the worst world
    """
    of_world = [
        sum((a * x for a, x in zip(costs, column, strict=True)), Fraction(0))
        for costs, column in zip(zip(*loss, strict=True), zip(*rows, strict=True), strict=True)
    ]
    if prior is None:
        return max(of_world)
    return sum((p * x for p, x in zip(prior, of_world, strict=True)), Fraction(0))


def losses(
    space: WorldSpace,
    answers: Sequence[Any],
    loss: Scalar,
    secrets: Mapping[str, np.ndarray],
    name: str = "output",
) -> list[list[Fraction]]:
    """What each answer costs, or gains, in every world.

    space    the worlds
    answers  values that `output` may have
    loss     an expression about the world and `output`
    secrets  names that it may use, each true in some worlds: arrays of shape (worlds,)
    name     which answers have in the expression

    InputError S604 where it is no number.
    """
    columns = evaluate_each(space, loss, secrets, name, answers)
    return [_loss(loss, column, name) for column in columns]


def _loss(node: Scalar, column: Column, name: str) -> list[Fraction]:
    found = list(map(plain, column.tolist()))
    wrong = next((value for value in found if not is_number(value)), None)
    if wrong is not None:
        what = "loss" if name == "output" else "gain"
        hint = f"write a number such as abs({name} - ann), or 0 if {name} == ann else 1"
        raise node.fail("S604", f"a {what} must be a number; found {show(wrong)}", hint)
    return [Fraction(value) for value in found]
