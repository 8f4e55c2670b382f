"""A simulator that never saw one record answers nearly as the mechanism does.

Syntax. `distributional_privacy: {epsilon: LEVEL, delta: NUMBER, priors: CLASS,
auxiliary: EXPRESSION, simulator: KIND, indexed: FLAG, form: FORM}`

Statement. X is the database, X_i its record i and X_-i the rest; F is the mechanism, Z what the
attacker knows besides, and α = e^ε the level. There is a simulator Sim such that for every record
i, every prior of the class on (X, Z) and every (v, z) with P(X_i = v, Z = z) > 0, the distributions
P of F(X) and Q of Sim(X_-i), given X_i = v and Z = z, are within (α, δ) of each other:
Σ_t max(0, P_t − α·Q_t) <= δ and Σ_t max(0, Q_t − α·P_t) <= δ.

Classes decided: `list`, and all those whose members are mixtures of finitely many priors: by
Theorem 4 the mixtures come for free. So `hull` is the same as `list`, `all` and `product` are the
priors on one world each, and `constraints` the corners of the polytope, at most 10,000.

Inference form (Definition 2): see `coupled_worlds`; only for priors in a `list`. An example
is the parity of fair coins, told to somebody who knows it. Nothing is learned about a record, so
the level is 1, though no simulator serves.

Options. `epsilon` or `exp_epsilon`, `delta`, `priors`; and
- `auxiliary`: what the attacker knows: an expression, a table {world: value, …}, or one prior
  [[world, value, probability], …] on both in place of `priors`
- `indexed`: `true` (the default) if the simulator knows which record is gone; `false`: it sees the
  others in their order, or, where records may be absent, the database without the record
- `simulator`: `any` (the default), or `canonical`: the mechanism itself on the database without the
  record, which must be a world (`absent: true`)
- `form`: `simulation` (the default) or `inference`

Leakage. The smallest α for the best simulator (or the canonical one); rational, infinite, or the
root of a quadratic. `tradeoff` gives the smallest δ at given levels.

Example. The exact majority of three fair coins needs 2, where noiseless privacy needs 3: the best
simulator flips a coin, and a record makes one of its answers half as likely.

    worlds: {records: [ann, bob, cat], domain: [0, 1]}
    mechanisms:
      majority: {deterministic: count(value == 1) >= 2}
      parity: {deterministic: count(value == 1) % 2}
    priors: {list: [uniform]}
    checks:
      - distributional_privacy: {exp_epsilon: 2, simulator: any, indexed: true}
        mechanism: majority
        leakage: 2
      - distributional_privacy: {exp_epsilon: 1, form: inference, auxiliary: count(value == 1) % 2}
        mechanism: parity
        leakage: 1

References. Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 and 3.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from verifier.base.document import Node, Plain, tree
from verifier.base.errors import HINTS, InputError, NotDecided
from verifier.base.level import Level
from verifier.definitions import _coupled
from verifier.definitions._coupled import Secrets, Setting
from verifier.definitions.coupled_worlds import tradeoff, value
from verifier.priors.constraints import ConstrainedPriors
from verifier.questions.beliefs.exchangeable import Exchangeable, exchangeable, without_one
from verifier.questions.question import Question, stated
from verifier.questions.secrets import PriorClass
from verifier.questions.simulation import SimulationClaim
from verifier.spec.options import Options
from verifier.world.mechanism import Column, Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = (*_coupled.OPTIONS, "simulator")
CLOSED = (
    "what is done to the mechanism's output may be done to the simulator's too; the canonical one "
    "is the mechanism itself"
)

__all__ = ["OPTIONS", "question", "read", "tradeoff", "value"]

Gone = tuple[int | None, tuple[int, ...]]  # which record is gone, if told; codes of the rest

ABSENT = "add absent: true to the worlds, or write simulator: any"
ANY = "write simulator: any, or constraints `where` that this world satisfies"


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    priors: PriorClass | Plain | None = None,
    form: Plain = "simulation",
    indexed: Plain = True,
    auxiliary: Plain | None = None,
    simulator: Plain = "any",
    secrets: Secrets | None = None,
) -> Question:
    """Whether a mechanism satisfies distributional privacy (Bassily et al. 2013, Definition 3).

    space       the possible worlds
    mechanism   what is released: P(output | world), shape (outputs, worlds)
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    priors      what attackers may believe; None where `auxiliary` lists one prior
    form        `simulation` or `inference` (posteriors are compared)
    indexed     whether the simulator is told which record is gone
    auxiliary   what attackers know besides: a function of the world, or [[world, z, p], …]
    simulator   `any`, or `canonical`: the mechanism without the record
    secrets     names that expressions may use, each true in some worlds: shape (worlds,)

    InputError for worlds that are no records (S608), or without the world that the canonical
    simulator needs (S609); NotDecided for classes of priors that are no mixtures of finitely many.
    """
    keyword = "distributional_privacy"
    about = Setting.of(keyword, space, mechanism, level, delta, form, auxiliary, priors, secrets)
    node, told = tree(simulator), tree(indexed).flag()
    canonical = node.word(("any", "canonical"), "simulator") == "canonical"
    if space.counts is not None:
        claim = _of_histograms(about, node if canonical else None)
    else:
        claim = _of_records(about, told, node if canonical else None)
    return about.question(claim, told, {"simulator": stated(node)})


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(
        space=options.space,
        mechanism=options.mechanism(),
        priors=_coupled.priors_of(options),
        level=options.level(),
        delta=options.delta(),
        form=options.value("form", "simulation"),
        indexed=options.value("indexed", True),
        auxiliary=options.options.get("auxiliary"),
        simulator=options.value("simulator", "any"),
        secrets=options.model.secrets,
    )


def _of_records(about: Setting, indexed: bool, canonical: Node | None) -> SimulationClaim:
    """The claim that some simulator, or the canonical one, serves every record."""
    space = about.space
    if not space.records:
        said = "a database without a record needs worlds of records"
        raise InputError("S608", said, hint=HINTS["S502"])
    _coupled.check_size(space, len(space.records))
    lacking = _lacks(space)
    seen = [_without(space, at, indexed, lacking) for at in range(len(space.records))]
    names = _names(space, dict.fromkeys(chain(*seen)), lacking)
    values = tuple(space.value_names)
    columns = [Column(values, codes) for codes in space.record_codes]
    privates = list(zip(space.records, columns, strict=True))
    claim = _coupled.claim(about, seen, names, privates)
    if canonical is None:
        return claim
    return replace(claim, given=canonical.placed(lambda: _worlds_without(claim)))


def _of_histograms(about: Setting, canonical: Node | None) -> SimulationClaim:
    """The claim about one of exchangeable records (see verifier.questions.beliefs.exchangeable)."""
    if about.posteriors:
        raise NotDecided("the inference-based form is not decided on histograms")
    if isinstance(about.priors, ConstrainedPriors):  # of which some tell the records apart
        raise NotDecided(
            "simulators for constraints on histograms are not decided: list the records"
        )
    auxiliary, priors = _coupled.beliefs(about)
    asked = exchangeable(about.space, about.mechanism, auxiliary, priors)
    given = None
    if canonical is not None:
        given = canonical.placed(lambda: _histograms_without(asked))
    return SimulationClaim(
        about.definition,
        asked.space,
        asked,
        about.level,
        about.delta,
        given,
        scope={
            "views": 1,
            "priors": len(priors),
            "records": about.space.record_count,
            "notes": list(asked.mechanism.notes),
        },
    )


def _histograms_without(question: Exchangeable) -> dict[int, int]:
    """What the simulator sees -> where the mechanism runs on it."""
    if question.histograms.absent_code is None:
        said = "without a record there is no world: it needs 'absent: true'"
        raise InputError("S609", said, hint=ABSENT)
    (view,) = question.views
    possible = {int(view.alt[w]) for belief in question.beliefs for w, _, _ in belief}
    found: dict[int, int] = {}
    for a, world in without_one(question).items():
        if world is not None:
            found[a] = world
        elif a in possible:
            name = question.seen[a]
            said = f"the histogram {name} with one record absent is not possible"
            raise InputError("S609", said, hint=ANY)
    return found


def _without(space: WorldSpace, record: int, indexed: bool, lacking: bool) -> list[Gone]:
    """For every world what the simulator sees of it."""
    told = record if indexed else None
    gone = (space.absent_code,) if lacking else ()
    table = space.record_codes.T.tolist()
    return [(told, (*codes[:record], *gone, *codes[record + 1 :])) for codes in table]


def _lacks(space: WorldSpace) -> bool:
    """Whether some world lacks a record, so that there is a place for one that is gone."""
    return space.absent_code is not None and bool((space.record_codes == space.absent_code).any())


def _names(space: WorldSpace, seen: Collection[Gone], lacking: bool) -> dict[Gone, str]:
    """What the simulator sees, in words: `0⊥1`, or `01` where it is not told who is gone."""
    if not lacking:
        full = [c if at is None else (*c[:at], None, *c[at:]) for at, c in seen]
        return dict(zip(seen, space.partial_names(full), strict=True))
    texts = zip(seen, space.partial_names(codes for _, codes in seen), strict=True)
    return {
        (at, codes): text if at is None else f"{text} without {space.records[at]}"
        for (at, codes), text in texts
    }


def _worlds_without(claim: SimulationClaim) -> dict[int, int]:
    """What the simulator sees -> the world that it is; S609 where there is no such world."""
    coupled = claim.coupled
    space = coupled.space
    if space.absent_code is None:
        said = "without a record there is no world: it needs 'absent: true'"
        raise InputError("S609", said, hint=ABSENT)
    numbers = {tuple(codes): w for w, codes in enumerate(space.record_codes.T.tolist())}
    possible = sorted({world for belief in coupled.beliefs for world, _, _ in belief})
    found = {}
    for record, view in enumerate(coupled.views):
        for world in possible:
            codes = space.record_codes[:, world].tolist()
            codes[record] = space.absent_code
            if tuple(codes) not in numbers:
                name, who = space.name(world), space.records[record]
                said = f"the world {name} without {who} is not possible"
                raise InputError("S609", said, hint=ANY)
            found[int(view.alt[world])] = numbers[tuple(codes)]
    return found
