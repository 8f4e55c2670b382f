"""All that single outputs of given mechanisms, processed in any way, may tell.

Syntax. `row_cone: {of: [NAME, …], facets: NUMBER}` or `row_cone: {of: [NAME, …], mechanism: NAME}`

Statement. The row of an output o has the entries P(o | w), one for each world w. With `facets: n`,
the cone of all Σ_j y_j · row_j, y ≥ 0, over the rows of the given mechanisms has n facets: n
inequalities Σ_w a_w x_w ≥ 0 describe it, within its span, and no fewer. With a `mechanism`, every
row of it lies in this cone: what a single output of it tells, some output of a post-processing of
the given ones tells too. Rows in the cone do not make a mechanism a post-processing:
`post_processing` decides that.

Options. One of the last two:
- `of`: the given mechanisms, a list of names
- `facets`: how many facets the cone has, those that only say x_w ≥ 0 included
- `mechanism`: a mechanism whose rows are to lie in the cone, here or beside the definition

Leakage. None: there is no level. The value is the number of facets. Where a row lies outside, the
answer is an inequality of the cone that it breaks, read as a guarantee against an attacker: for
the prior proportional to |a_w|, the worlds with a_w < 0 never become likelier than those with
a_w > 0. `verifier explain-cone FILE` explains all facets in this way.

Example. Randomized response on k bits has 2^k facets (Theorem 4.3), all of them about the parity of
all bits. The parity with 5/8 lies in the cone of two bits with 3/4, with 3/4 it does not.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanisms:
      bits: {randomized_response: {truth: 3/4}}
      exact: {deterministic: "xor(ann, bob)"}
      parity: {post_process: {of: exact, matrix: {0: {0: 5/8, 1: 3/8}, 1: {0: 3/8, 1: 5/8}}}}
    checks:
      - row_cone: {of: [bits], facets: 4}
      - row_cone: {of: [bits], mechanism: parity}
      - row_cone: {of: [bits], mechanism: exact}
        expect: violated

References. Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.5, Theorem 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from verifier.base.document import Plain, tree
from verifier.base.errors import InputError
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.questions.rows import RowConeClaim
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("of", "facets", "mechanism")
CLOSED = "a row after processing is a non-negative combination of rows before it"
MOST = 10**9


def question(
    *,
    space: WorldSpace,
    of: Mapping[str, Mechanism],
    facets: Plain | None = None,
    mechanism: Mechanism | None = None,
) -> Question:
    """Whether a row cone has so many facets, or rows (Lin, Kifer 2012, Definition 3.5).

    space      the possible worlds
    of         the mechanisms of the cone, by name
    facets     how many facets it has; or
    mechanism  whose rows are in it: P(output | world), shape (outputs, worlds)

    InputError S602 unless exactly one of the two is given.
    """
    if (facets is None) == (mechanism is None):
        said = "exactly one of 'facets' and 'mechanism' is asked about"
        raise InputError("S602", said, hint="give one of the two")
    claim = RowConeClaim(
        "row_cone",
        space,
        of,
        None if facets is None else tree(facets).integer(1, MOST, "a number of facets"),
        mechanism,
        scope={"notes": list(mechanism.notes) if mechanism else []},
    )
    return Question(definition="row_cone", claim=claim)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask; S016, S602 unless it is exactly one."""
    mechanisms, facets = options.given(), options.options.get("facets")
    extra = options.option("mechanism")
    if facets is not None and extra is not None:
        said = "'facets' asks about the cone alone, so there is no 'mechanism'"
        raise extra.fail("S602", said, "leave one of the two out")
    mechanism = options.mechanism_named()
    if facets is None and mechanism is None:
        hint = "add facets: 4, or mechanism: with the name of one"
        said = "a number of 'facets' or a 'mechanism' is needed"
        raise options.definition.fail("S016", said, hint)
    return question(space=options.space, of=mechanisms, facets=facets, mechanism=mechanism)


def value(rows: Matrix, weights: Sequence[Fraction]) -> list[Fraction]:
    """A row of the cone, straight from the definition: Σ_j y_j · row_j.

    rows     P(output | world), one row per output j
    weights  y_j >= 0
    """
    worlds = range(len(rows[0]))
    return [
        sum((y * row[w] for y, row in zip(weights, rows, strict=True)), Fraction(0)) for w in worlds
    ]


def least(rows: Matrix, coefficients: Sequence[int]) -> Fraction:
    """The least of Σ_w a_w · row_j[w]: not negative where the inequality holds all over the cone.

    rows          P(output | world), one row per output j
    coefficients  a_w, one per world
    """
    return min(
        sum((a * x for a, x in zip(coefficients, row, strict=True)), Fraction(0)) for row in rows
    )
