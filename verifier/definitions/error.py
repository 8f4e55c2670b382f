"""How far a given mechanism's output is from the truth, on average.

Syntax. `error: {loss: EXPRESSION, prior: PRIOR, equals: NUMBER, at_most: NUMBER,
mechanism: NAME}`

Statement. M[o, w] is the probability of output o in world w, and θ_w that of world w. The expected
error is Σ_w θ_w Σ_o M[o, w]·loss(o, w) against a prior, or the largest Σ_o M[o, w]·loss(o, w) of a
world. With the loss (o − f(w))² it is the mean squared error of M for the query f, with |o − f(w)|
the mean absolute one.

Options. The first is needed:
- `loss`: an expression about the world and the answer, which is called `output`
- `prior`: one prior, or `worst`, the worst world (the default)
- `equals`: the error that the check asserts
- `at_most`: the most that the error may be, in place of `equals`
- `mechanism`: whose error it is; by default the only one of the file

Leakage. None: the answer is the expected error, an exact number.

Example. A count of two with noise of ratio 1/2, kept between 0 and 2: an exact count of 0 is off
by 1 with probability 1/6 and by 2 with 1/6, a count of 1 by 1 with probability 2/3.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {geometric: {query: ann + bob, ratio: 1/2, low: 0, high: 2}}
    checks:
      - differential_privacy: {exp_epsilon: 2}
        leakage: 2
      - error: {loss: (output - ann - bob) ** 2, equals: 5/6}
      - error: {loss: abs(output - ann - bob), prior: uniform, equals: 7/12}
      - error: {loss: abs(output - ann - bob), prior: {worlds: {01: 1}}, at_most: 2/3}

References. He, Machanavajjhala, Ding 2014, Blowfish privacy, Definition 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Plain, Scalar, tree
from verifier.definitions.optimal import losses, value
from verifier.questions.beliefs.prior import Prior, prior_of, read_prior
from verifier.questions.question import Question, stated
from verifier.questions.rows import ErrorClaim
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism, stands_for_many
from verifier.world.space import answers
from verifier.world.worlds import WorldSpace

OPTIONS = ("loss", "prior", "equals", "at_most", "mechanism")
CLOSED = None  # about a loss

__all__ = ["OPTIONS", "question", "read", "value"]


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    loss: Plain,
    prior: Sequence[Fraction | int | str] | Prior | None = None,
    equals: Plain | None = None,
    at_most: Plain | None = None,
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Question:
    """What the expected error of a mechanism is (He, Machanavajjhala, Ding 2014, Definition 2.4).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    loss       an expression about the world and `output`, a number
    prior      for the expected error; None for that of the worst world
    equals     what the error is to be, if it is known
    at_most    what it may be at most; not with `equals`
    secrets    names that the loss may use, each true in some worlds: arrays of shape (worlds,)

    InputError for a loss that is no number, and for outputs of which each stands for many (S604);
    for both `equals` and `at_most` (S602).
    """
    if equals is not None and at_most is not None:
        said = "only one of 'equals' and 'at_most' says what the error is to be"
        raise tree(at_most).fail("S602", said, "leave one of the two out")
    node = tree(loss).scalar("an expression")
    claim = ErrorClaim(
        "error",
        space,
        mechanism,
        losses(space, _answers(mechanism, node, space), node, secrets or {}),
        None if prior is None else prior_of(space, prior).tolist(),
        None if equals is None else tree(equals).number("the expected error"),
        None if at_most is None else tree(at_most).number("the largest error"),
    )
    return Question(definition="error", claim=claim, options={"loss": stated(loss)})


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    loss = options.needed("loss")
    prior = options.options.get("prior")
    worst = isinstance(prior, Scalar) and prior.text == "worst"
    mechanism = options.mechanism()
    return question(
        space=options.space,
        mechanism=mechanism,
        loss=loss,
        prior=None if worst or prior is None else read_prior(prior, options.space),
        equals=options.options.get("equals"),
        at_most=options.options.get("at_most"),
        secrets=options.model.secrets,
    )


def _answers(mechanism: Mechanism, loss: Scalar, space: WorldSpace) -> Sequence[Any]:
    """The values that the outputs of a mechanism are; S604 where one stands for many of them."""
    found = answers(mechanism, space)
    for name, output in zip(mechanism.outputs, found, strict=True):
        if stands_for_many(output):
            said = f"the output '{name}' stands for many, which have no single loss"
            hint = "give the noise bounds, such as low: 0, high: 2"
            raise loss.fail("S604", said, hint)
    return found
