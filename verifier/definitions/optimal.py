"""The smallest expected loss of any mechanism that satisfies a definition of privacy.

Syntax. `optimal: {under: {DEFINITION: {…}}, outputs: [VALUE, …], loss: EXPRESSION, prior: PRIOR,
equals: NUMBER, mechanism: NAME, pairs: PAIRS, priors: CLASS}`

Statement. X[r, w] is the probability of answer r in world w, and θ_w that of world w. Among all
mechanisms with the given answers that satisfy a definition, the smallest expected loss: against a
prior, Σ_w θ_w Σ_r X[r, w]·loss(r, w), or in the worst world. A check with a `mechanism` asks
whether this mechanism satisfies the definition too, and loses no more once its outputs are
interpreted as well as possible.

Options. The first three are needed:
- `under`: a definition without `delta`, such as `{differential_privacy: {exp_epsilon: 2}}`
- `outputs`: the possible answers
- `loss`: an expression about the world and the answer, which is called `output`
- `prior`: one prior, or `worst`, the worst world (the default)
- `equals`: the smallest loss that the check asserts
- `mechanism`: the mechanism that is to have the smallest loss; none by default
- `pairs`, `priors`: those of the definition, if it has none of its own

Leakage. None: the answer is the smallest loss, a rational, and a mechanism that has it.

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

from collections.abc import Sequence
from fractions import Fraction

from verifier.base.document import Node, Scalar
from verifier.base.errors import NotDecided
from verifier.base.examples import missing
from verifier.beliefs.prior import read_prior
from verifier.claims.rows import OptimalClaim
from verifier.spec.linear import read
from verifier.spec.model import Check
from verifier.world.space import is_number, literal, show
from verifier.world.worlds import evaluate

OPTIONS = ("under", "outputs", "loss", "prior", "equals", "mechanism", "pairs", "priors")


def compile(check: Check) -> OptimalClaim:
    """The inequalities of the definition, and the loss of every answer in every world."""
    for key in ("under", "outputs", "loss"):
        if check.options.get(key) is None:
            raise check.definition.fail("S016", f"the key '{key}' is missing", missing(key))
    linear = read(check, check.options["under"])
    level = linear.claim.level.exp_epsilon
    if level is None:
        raise NotDecided("with a rational epsilon the inequalities are not: use exp_epsilon")
    answers, loss = _losses(check)
    prior, equals = check.options.get("prior"), check.options.get("equals")
    worst = prior is None or (isinstance(prior, Scalar) and prior.text == "worst")
    return OptimalClaim(
        check.definition.text,
        check.space,
        answers,
        loss,
        linear.halfspaces(),
        level,
        linear.claim.relation.statement,
        None if worst or prior is None else read_prior(prior, check.space).tolist(),
        check.mechanism() if check.option("mechanism") is not None else None,
        None if equals is None else equals.number("the expected loss"),
        {"pairs": linear.claim.relation.count()},
    )


def value(
    loss: Sequence[Sequence[Fraction]],
    rows: Sequence[Sequence[Fraction]],
    prior: Sequence[Fraction] | None,
) -> Fraction:
    """The expected loss of a mechanism, straight from the definition: against the prior, or in the
    worst world. Both tables have a row for each answer and an entry for each world."""
    of_world = [
        sum((a * x for a, x in zip(costs, column, strict=True)), Fraction(0))
        for costs, column in zip(zip(*loss, strict=True), zip(*rows, strict=True), strict=True)
    ]
    if prior is None:
        return max(of_world)
    return sum((p * x for p, x in zip(prior, of_world, strict=True)), Fraction(0))


def _losses(check: Check) -> tuple[list[str], list[list[Fraction]]]:
    """The answers, and what each costs in every world."""
    items = check.options["outputs"].sequence("a list of answers").items
    answers = [literal(item.scalar("an answer").text) for item in items]
    if not answers or len(set(answers)) < len(answers):
        hint = f"write [{', '.join(dict.fromkeys(map(show, answers))) or '0, 1'}]"
        raise check.options["outputs"].fail("S110", "answers must be different, at least one", hint)
    node = check.options["loss"].scalar("an expression")
    return [show(a) for a in answers], [_loss(check, node, answer, answers) for answer in answers]


def _loss(check: Check, node: Node, answer: object, answers: Sequence[object]) -> list[Fraction]:
    expression = node.scalar("an expression")
    column = evaluate(check.space, expression, check.model.secrets, {"output": answer}, answers)
    found = column.tolist()
    wrong = next((value for value in found if not is_number(value)), None)
    if wrong is not None:
        hint = "write a number such as abs(output - ann), or 0 if output == ann else 1"
        raise node.fail("S604", f"a loss must be a number; found {show(wrong)}", hint)
    return [Fraction(value) for value in found]
