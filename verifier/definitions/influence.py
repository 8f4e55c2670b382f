"""How much the visible entries tell about a secret when the best few entries are hidden.

Syntax. `influence: {epsilon: LEVEL, entries: NUMBER, pairs: PAIRS, priors: CLASS}`

Statement. An entry is a cell (record, attribute), an absent record being a value like others; b is
the number of hidden entries, θ a prior of the class, and α = e^ε the level. Every pair (s, s') of
secrets in both orders has a set H of at most b entries, such that for every θ with P(s | θ) > 0 and
P(s' | θ) > 0 and every value x of the other entries L:
P(Data_L = x | s, θ) <= α·P(Data_L = x | s', θ). H is one for all priors.

What it is for: a mechanism whose outputs change by at most a factor β between two worlds that agree
on L leaks at most β·e^a(b), and k such runs at most β^k·e^a(b) (Theorems 6.1 and 6.2), where e^a(b)
is the leakage below. Without constraints β is at most the b-th power of the level of differential
privacy for one entry.

Options. `epsilon` or `exp_epsilon`, `pairs`; and
- `entries`: how many entries may be hidden, from 0 to all of them
- `priors`: a class `list` or `conditionals`, or the name of one; records that are too many for
  their worlds may follow Markov chains or a tree, with two values also a class `markov`

Leakage. e^a(b), the smallest α for which each pair has such a set H: rational or infinite. It never
grows with b. Where all entries may be hidden it is 1.

Example. Three bits in a chain that stays with probability 3/4: hiding the middle bit, its
neighbours change by a factor of at most 3 each, so e^a(1) = 9.

    worlds: {records: [ann, bob, cat], domain: [0, 1]}
    secrets: {bob_yes: bob == 1, bob_no: bob == 0}
    pairs: [[bob_yes, bob_no]]
    priors:
      list:
        - markov:
            initial: {0: 1/2, 1: 1/2}
            transition: {0: {0: 3/4, 1: 1/4}, 1: {0: 1/4, 1: 3/4}}
    checks:
      - influence: {exp_epsilon: 9, entries: 1}
        leakage: 9

References. Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Section 6,
Definition 2, Theorems 6.1 and 6.2.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from verifier.base.document import Plain, tree
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.definitions import _quilts
from verifier.priors import ComparedPriors, Comparisons, class_of, pairs_of
from verifier.questions.claim import InfluenceClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, Pairs, PriorClass
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "entries", "pairs", "priors")
CLOSED = None  # about priors
LARGER = {"entries": 1}
FINITE = ("list", "conditionals")


def question(
    *,
    space: WorldSpace,
    level: Level,
    pairs: Pairs | str | Sequence[Pair],
    priors: PriorClass | Plain,
    entries: Plain,
) -> Question:
    """Whether a(b) is at most ε (Bai, He, Gu, Kifer, Maeng, Section 6, Definition 2).

    space    the possible worlds
    level    e^ε, one or more
    pairs    of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors   what attackers may believe: {"list": [prior, …]}, or `conditionals`
    entries  b, how many entries may be hidden

    InputError where worlds are no records (S603); NotDecided for classes that list no priors.
    """
    most = number_of_entries(space)
    hidden = tree(entries).integer(0, most, "a number of entries")
    known, chosen = class_of(space, priors), pairs_of(space, pairs)
    return Question(
        definition="influence",
        claim=_claim(space, chosen.listed, known, hidden, level),
        options={"entries": hidden, "pairs": chosen.kind},
        pairs=chosen.listed,
        priors=known,
    )


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    if (extra := options.option("mechanism")) is not None:
        raise extra.fail("S602", "'influence' takes no 'mechanism'", "leave it out")
    if (records := _quilts.read(options)) is not None:
        most = len(records.space.records)
        entries = options.needed("entries").integer(0, most, "a number of entries")
        return records.question(options.level(), entries)
    return question(
        space=options.space,
        entries=options.needed("entries"),
        pairs=options.pairs(),
        priors=options.priors(),
        level=options.level(),
    )


def _claim(
    space: WorldSpace, pairs: Sequence[Pair], priors: PriorClass, entries: int, level: Level
) -> InfluenceClaim:
    """The claim for given pairs and priors."""
    if not isinstance(priors, ComparedPriors):
        raise NotDecided(UNDECIDED)
    nothing = Mechanism.from_rows(("nothing",), [[Fraction(1)] * space.size])
    found = priors.comparisons(space, nothing, pairs)
    statement: dict[str, Any] = found.relation.statement
    if statement["priors"]["class"] not in FINITE:
        raise NotDecided(UNDECIDED)
    column = {key: at for at, key in enumerate(found.keys)}
    return InfluenceClaim(
        "influence",
        space,
        level,
        entries,
        [(left.name, right.name) for left, right in pairs],
        list(_beliefs(statement)),
        {**statement, "rule": "influence", "entries": entries},
        lambda prior, s, t: found.describe(column[prior, s], column[prior, t]),
        scope={"pairs": 2 * len(pairs), "priors": found.priors, "notes": _notes(found)},
    )


UNDECIDED = (
    f"influence is decided for the classes of priors {' and '.join(FINITE)}, and for stationary "
    "chains of two values within intervals in which each value changes with some probability"
)


def number_of_entries(space: WorldSpace) -> int:
    """The number of entries of a world of `space`; InputError S603 where worlds are no records."""
    if not space.records:
        raise needs_records("S603", "'influence'", space)
    return len(space.entry_codes)


def _beliefs(statement: dict[str, Any]) -> Iterator[dict[str, dict[int, Fraction]]]:
    """For each prior the weights inside each secret that is possible."""
    for prior in statement["priors"]["priors"]:
        given = {}
        for name, worlds in statement["secrets"].items():
            weights = prior.get(name, ()) if isinstance(prior, dict) else prior
            inside = {world: weights[world] for world in worlds if weights and weights[world]}
            if inside:
                given[name] = inside
        yield given


def _notes(found: Comparisons) -> list[str]:
    return [f"skipped: {reason}" for reason in found.skipped[:3]]


def value(
    databases: Sequence[Sequence[Hashable]],
    priors: Iterable[Sequence[Fraction]],
    pairs: Iterable[tuple[set[int], set[int]]],
    entries: int,
) -> Fraction | None:
    """e^a(b) for b = `entries`, straight from the definition; None where infinite.

    databases  the entries of each world
    priors     a weight per world each
    pairs      of sets of worlds
    """
    priors, cells = list(priors), range(len(databases[0]))
    sets = [set(h) for size in range(entries + 1) for h in combinations(cells, size)]
    worst = Fraction(1)
    for pair in pairs:
        for s, t in (pair, pair[::-1]):
            shown = ([cell for cell in cells if cell not in hidden] for hidden in sets)
            levels = [_ratio(databases, priors, s, t, cells) for cells in shown]
            finite = [level for level in levels if level is not None]
            if not finite:
                return None
            worst = max(worst, min(finite))
    return worst


def _ratio(
    databases: Sequence[Sequence[Hashable]],
    priors: Iterable[Sequence[Fraction]],
    s: set[int],
    t: set[int],
    shown: Sequence[int],
) -> Fraction | None:
    """The largest P(x | s, θ) / P(x | t, θ) over the values x of the entries that are shown."""
    worst = Fraction(1)
    for prior in priors:
        mass = [sum((prior[w] for w in side), Fraction(0)) for side in (s, t)]
        for x in {tuple(database[cell] for cell in shown) for database in databases}:
            agreeing = {w for w, d in enumerate(databases) if tuple(d[c] for c in shown) == x}
            p, q = (sum((prior[w] for w in side & agreeing), Fraction(0)) for side in (s, t))
            if all(mass) and p:
                if not q:
                    return None
                worst = max(worst, (p / mass[0]) / (q / mass[1]))
    return worst
