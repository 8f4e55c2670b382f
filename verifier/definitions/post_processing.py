"""Whether a mechanism can be made from given ones, without another look at the data.

Syntax. `post_processing: {of: [NAME, …], mechanism: NAME}`

Statement. M_1, M_2, … are the given mechanisms and M' the one that is asked about, each a matrix
with a row for each output. M' = Σ_k p_k A_k M_k for a distribution p and stochastic matrices A_k:
one of the given mechanisms is chosen at random and run, and its output is processed without another
look at the data. For one given mechanism this is Blackwell's garbling.

Options. These two:
- `of`: the given mechanisms, a list of names
- `mechanism`: the mechanism that is to be made of them, here or beside the definition

Leakage. None: there is no level. Where it holds, the answer gives p and the A_k. Where it is
violated, it gives payoffs U with Σ U[o, w] M'[o, w] > max_k Σ_i max_o Σ_w U[o, w] M_k[i, w]: who is
paid U[o, w] for announcing o in world w earns more with M' than any post-processing can. Where
already a single row of M' is no non-negative combination of rows of the M_k, one output alone pays,
and no output of a given mechanism would earn anything: the violated Bayesian guarantee.

Example. Keeping a bit with probability 3/4 and then with 5/6 keeps it with 2/3; so 2/3 is a
post-processing of 3/4, and 3/4 none of 2/3. Erasure, which publishes a bit or nothing, has the
same row cone as publishing the bit, which is no post-processing of it all the same.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      clear: {randomized_response: {truth: 3/4}}
      blurred: {randomized_response: {truth: 2/3}}
    checks:
      - post_processing: {of: [clear], mechanism: blurred}
      - post_processing: {of: [blurred], mechanism: clear}
        expect: violated

References. Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.3, Theorem 3.4;
Blackwell 1951.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.questions.rows import PostProcessingClaim
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("of", "mechanism")
CLOSED = "post-processing twice is post-processing"


def question(*, space: WorldSpace, mechanism: Mechanism, of: Mapping[str, Mechanism]) -> Question:
    """Whether a mechanism is a mixture of post-processings (Lin, Kifer 2012, Definition 3.3).

    space      the possible worlds
    mechanism  M', what is released: P(output | world), shape (outputs, worlds)
    of         the M_k by name, over the same worlds
    """
    keyword, scope = "post_processing", {"notes": list(mechanism.notes)}
    claim = PostProcessingClaim(keyword, space, mechanism, of, scope=scope)
    return Question(definition=keyword, claim=claim)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = options.mechanism()
    return question(space=options.space, mechanism=mechanism, of=options.given())


def value(given: Sequence[Matrix], parts: Sequence[tuple[Fraction, Matrix]]) -> Matrix:
    """Σ_k p_k A_k M_k, straight from the definition.

    given  the mechanisms M_k
    parts  (p_k, A_k): A_k has a row for each output of the result, a column for each output of M_k
    """
    worlds = range(len(given[0][0]))
    return [
        [
            sum(
                (
                    p * processing[o][i] * row[w]
                    for (p, processing), rows in zip(parts, given, strict=True)
                    for i, row in enumerate(rows)
                ),
                Fraction(0),
            )
            for w in worlds
        ]
        for o in range(len(parts[0][1]))
    ]


def best(given: Sequence[Matrix], payoff: Matrix) -> Fraction:
    """The most that a post-processing can earn: max_k Σ_i max_o Σ_w U[o, w] M_k[i, w].

    given   the mechanisms M_k
    payoff  U, one row per announcement o, one entry per world w
    """

    def earned(pays: Sequence[Fraction], row: Sequence[Fraction]) -> Fraction:
        return sum((u * p for u, p in zip(pays, row, strict=True)), Fraction(0))

    return max(
        sum((max(earned(pays, row) for pays in payoff) for row in rows), Fraction(0))
        for rows in given
    )
