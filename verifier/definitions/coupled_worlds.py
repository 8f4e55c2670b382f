"""A simulator that sees less of the world answers nearly as the mechanism does.

Syntax. `coupled_worlds: {epsilon: LEVEL, delta: NUMBER, alt: EXPRESSION, priv: EXPRESSION,
priors: CLASS, auxiliary: EXPRESSION, indexed: FLAG, form: FORM}`

Statement. X is the world, F the mechanism, and Z what the attacker knows besides; α = e^ε is the
level. There is one simulator Sim such that for every pair (alt, priv), every prior of the class on
(X, Z) and every (v, z) with P(priv(X) = v, Z = z) > 0, the distributions P of F(X) and Q of
Sim(alt(X)), given priv(X) = v and Z = z, are within (α, δ) of each other:
Σ_t max(0, P_t − α·Q_t) <= δ and Σ_t max(0, Q_t − α·P_t) <= δ.

Inference form (Definition 4). There is one simulator such that for every prior, with probability
at least 1 − δ over (t, z), for all pairs (alt, priv) at once, the distributions of priv(X) given
F(X) = t, Z = z and given Sim(alt(X)) = t, Z = z are within (α, δ) of each other. The simulator may
answer what F never does. Only for priors in a `list`, as mixtures do not come for free.

Classes decided: as for `distributional_privacy`, which is the special case priv = X_i, alt = the
other records.

Options. `epsilon` or `exp_epsilon`, `delta`, `priors`; and
- `alt`: what the simulator sees: an expression, a table {world: value, …}, or a list of them
- `priv`: what is private, in the same forms; one for each `alt`
- `auxiliary`: what the attacker knows: an expression, a table {world: value, …}, or one prior
  [[world, value, probability], …] on both in place of `priors`
- `indexed`: `true` if the simulator also knows which pair it is run for; `false` by default
- `form`: `simulation` (the default) or `inference`

Leakage. The smallest α for the best simulator; rational, infinite, or the root of a quadratic.
`tradeoff` gives the smallest δ at given levels.

Example. Released is the parity of two fair coins. A simulator that sees one of them serves whoever
guards the other, and cannot serve whoever knows the parity.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {deterministic: "xor(ann, bob)"}
    priors: {list: [uniform]}
    checks:
      - coupled_worlds: {exp_epsilon: 1, alt: ann, priv: bob}
        leakage: 1
      - coupled_worlds: {epsilon: 9, alt: ann, priv: bob, auxiliary: "xor(ann, bob)"}
        expect: violated
        leakage: infinite

References. Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 4 and 5.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from verifier.base.document import Node, Plain, Scalar, tree
from verifier.base.document import Sequence as SequenceNode
from verifier.base.examples import KEYS
from verifier.base.level import Level
from verifier.definitions import _coupled
from verifier.definitions._coupled import Secrets, Setting
from verifier.definitions._plain import Matrix
from verifier.engines.simulation import simulators
from verifier.engines.simulation.blocks import reduced
from verifier.questions.beliefs.coupled import Coupled, situations
from verifier.questions.question import Question, stated
from verifier.questions.secrets import PriorClass
from verifier.spec.options import Options
from verifier.world.mechanism import Column, Mechanism
from verifier.world.space import labels
from verifier.world.worlds import WorldSpace

OPTIONS = (*_coupled.OPTIONS, "alt", "priv")
CLOSED = "what is done to the mechanism's output may be done to the simulator's too"


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    alt: Plain,
    priv: Plain,
    priors: PriorClass | Plain | None = None,
    form: Plain = "simulation",
    indexed: Plain = False,
    auxiliary: Plain | None = None,
    secrets: Secrets | None = None,
) -> Question:
    """Whether a mechanism satisfies coupled-worlds privacy (Bassily et al. 2013, Definition 5).

    space       the possible worlds
    mechanism   what is released: P(output | world), shape (outputs, worlds)
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    alt         what simulators see: a function of the world, an expression or a table, or several
    priv        what is private, as many
    priors      what attackers may believe; None where `auxiliary` lists one prior
    form        `simulation` or `inference` (posteriors are compared)
    indexed     whether a simulator is told which of the functions it sees
    auxiliary   what attackers know besides: a function of the world, or [[world, z, p], …]
    secrets     names that expressions may use, each true in some worlds: shape (worlds,)

    InputError for functions that do not fit (S608); NotDecided for classes of priors that are no
    mixtures of finitely many.
    """
    keyword = "coupled_worlds"
    about = Setting.of(keyword, space, mechanism, level, delta, form, auxiliary, priors, secrets)
    alts, privs = _functions(about, "alt", tree(alt)), _functions(about, "priv", tree(priv))
    if len(alts) != len(privs):
        said = f"{len(privs)} functions for {len(alts)} in 'alt': they go in pairs"
        hint = f"write {len(alts)} of them, in the order of 'alt'"
        raise tree(priv).fail("S608", said, hint)
    _coupled.check_size(space, len(alts))
    told_which = tree(indexed).flag()
    seen: list[list[Hashable]] = []
    names: dict[Hashable, str] = {}
    for number, (_, column) in enumerate(alts):
        told = number if told_which and len(alts) > 1 else None
        seen.append([(told, value) for value in column.tolist()])
        for value, label in zip(column.values, labels(column.values), strict=True):
            where = "" if told is None else f" in pair {number + 1}"
            names[told, value] = label + where
    claim = _coupled.claim(about, seen, names, privs)
    options = {"alt": stated(alt), "priv": stated(priv)}
    return about.question(claim, told_which, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    alt, priv = options.needed("alt"), options.needed("priv")
    return question(
        space=options.space,
        alt=alt,
        priv=priv,
        mechanism=options.mechanism(),
        priors=_coupled.priors_of(options),
        level=options.level(),
        delta=options.delta(),
        form=options.value("form", "simulation"),
        indexed=options.value("indexed", False),
        auxiliary=options.options.get("auxiliary"),
        secrets=options.model.secrets,
    )


def _functions(about: Setting, key: str, node: Node) -> list[tuple[str, Column]]:
    """One function of the world or several, each with the words for it."""
    items: Sequence[Node] = node.items if isinstance(node, SequenceNode) else [node]
    if not items:
        hint = f"write {KEYS[key]}"
        raise node.fail("S608", f"'{key}' is empty: nothing would be checked", hint)
    return [
        (
            item.text if isinstance(item, Scalar) else f"{key} {number + 1}",
            _coupled.column(about.space, item, about.secrets),
        )
        for number, item in enumerate(items)
    ]


def tradeoff(coupled: Coupled, levels: Iterable[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """(α, the smallest δ at which some simulator serves α), exactly.

    coupled  that of a question
    levels   each α, a level e^ε
    """
    blocks = reduced(situations(coupled))
    return [
        (alpha, max(simulators.smallest_delta(block, alpha).missed for block in blocks))
        for alpha in levels
    ]


def value(
    rows: Matrix,
    simulator: Sequence[Sequence[Fraction]],
    views: Iterable[tuple[Sequence[int], Sequence[Hashable]]],
    priors: Iterable[Iterable[tuple[int, Hashable, Fraction]]],
    alpha: Fraction,
) -> Fraction:
    """The smallest δ at α for one simulator, straight from the definition.

    rows       P(t | world), one row per output
    simulator  Sim[t | a], one row per output, one column per a
    views      for each pair (alt, priv) their values in every world
    priors     (world, z, probability)
    alpha      α, the level e^ε
    """
    worst, views = Fraction(0), list(views)
    for prior in map(list, priors):
        for alt, priv in views:
            for v, z in {(priv[w], z) for w, z, p in prior if p}:
                given = [(w, p) for w, y, p in prior if priv[w] == v and y == z]
                mass = sum((p for _, p in given), Fraction(0))
                real = [sum((p * row[w] for w, p in given), Fraction(0)) / mass for row in rows]
                ideal = [
                    sum((p * row[alt[w]] for w, p in given), Fraction(0)) / mass
                    for row in simulator
                ]
                for p, q in ((real, ideal), (ideal, real)):
                    excess = [max(Fraction(0), x - alpha * y) for x, y in zip(p, q, strict=True)]
                    worst = max(worst, sum(excess, Fraction(0)))
    return worst


def inference_value(
    rows: Matrix,
    simulator: Sequence[Sequence[Fraction]],
    views: Iterable[tuple[Sequence[int], Sequence[Hashable]]],
    priors: Iterable[Iterable[tuple[int, Hashable, Fraction]]],
    alpha: Fraction,
) -> Fraction:
    """The smallest δ at α of the inference form for one simulator, straight from Definition 4.

    rows, simulator, views, priors and alpha are those of `value`, but the columns of the simulator
    may sum to less than 1.
    """
    smallest, views = Fraction(0), list(views)
    for prior in map(list, priors):
        needs: list[tuple[Fraction, Fraction]] = []  # δ that (t, z) needs, and its probability
        for z in {z for _, z, p in prior if p}:
            given = [(w, p) for w, y, p in prior if y == z]
            for row, answers in zip(rows, simulator, strict=True):
                mass = sum((p * row[w] for w, p in given), Fraction(0))
                if mass:
                    real = {w: p * row[w] for w, p in given}
                    needed = Fraction(0)
                    for alt, priv in views:
                        ideal = {w: p * answers[alt[w]] for w, p in given}
                        needed = max(needed, _apart(real, ideal, priv, alpha))
                    needs.append((needed, mass))
        choices = [(Fraction(0), Fraction(0)), *needs]
        missed = {d: sum((mass for e, mass in needs if e > d), Fraction(0)) for d, _ in choices}
        smallest = max(smallest, min(max(d, left) for d, left in missed.items()))
    return smallest


def _apart(
    real: Mapping[int, Fraction],
    ideal: Mapping[int, Fraction],
    priv: Sequence[Hashable],
    alpha: Fraction,
) -> Fraction:
    """The δ between two posteriors of the private value, by weights of worlds; 1 without one."""
    if not sum(ideal.values()):
        return Fraction(1)
    worst = Fraction(0)
    for p, q in ((real, ideal), (ideal, real)):
        excess = Fraction(0)
        for v in {priv[w] for w in real}:
            one, other = (
                sum((x for w, x in weights.items() if priv[w] == v), Fraction(0))
                / sum(weights.values())
                for weights in (p, q)
            )
            excess += max(Fraction(0), one - alpha * other)
        worst = max(worst, excess)
    return worst
