"""Certificates of kind network from questions alone: the level, the outputs that attain it and the
worst words come from a sum over all values of all records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import Json, asking
from tests.checker.outcomes import of_network, outcome, pairs_of_sets, with_parts

HAIR = F(1, 10**12)
Rows = Sequence[Sequence[Any]]
Key = tuple[int, int, int, int]  # prior, record, and two of its values


def numbers(row: Sequence[Any]) -> list[F]:
    return list(map(F, row))


@dataclass(frozen=True)
class Question:
    """Chains of an initial distribution and transitions; channels, a row of chances of outputs for
    each value; the channel of each record; the pairs that are given."""

    priors: Sequence[tuple[Sequence[Any], Rows]]
    channels: Sequence[Rows]
    chosen: Sequence[int]
    pairs: Sequence[tuple[int, int, int]] | None = None

    @property
    def size(self) -> int:
        return len(self.channels[0])

    def chance(self, i: int, value: int, output: int) -> F:
        return F(self.channels[self.chosen[i]][value][output])

    def outputs(self, records: range) -> Iterator[tuple[int, ...]]:
        return product(*(range(len(self.channels[self.chosen[i]][0])) for i in records))

    def likely(self, prior: int, i: int, records: range, outputs: Sequence[int]) -> list[F]:
        """For each value v of record i the probability of v and of these outputs of `records`."""
        initial, rows = self.priors[prior]
        found = [F(0)] * self.size
        for path in product(range(self.size), repeat=len(self.chosen)):
            weight = F(initial[path[0]])
            for v, w in pairwise(path):
                weight *= F(rows[v][w])
            for k, output in zip(records, outputs, strict=True):
                weight *= self.chance(k, path[k], output)
            found[path[i]] += weight
        return found

    @cached_property
    def compared(self) -> list[Key]:
        found = []
        for prior, i in product(range(len(self.priors)), range(len(self.chosen))):
            mass = self.likely(prior, i, range(0), ())
            for a, b in permutations(range(self.size), 2):
                asked = self.pairs is None or (i, a, b) in self.pairs or (i, b, a) in self.pairs
                if asked and mass[a] and mass[b]:
                    found.append((prior, i, a, b))
        return found

    def worst(self, key: Key, records: range) -> tuple[F | None, tuple[int, ...]]:
        """The largest P(outputs of `records` | a) / P(… | b), None if infinite, and the outputs."""
        prior, i, a, b = key
        mass = self.likely(prior, i, range(0), ())
        best: tuple[F | None, tuple[int, ...]] = F(0), ()
        for outputs in self.outputs(records):
            p = self.likely(prior, i, records, outputs)
            if p[a] and not p[b]:
                return None, outputs
            ratio = p[a] / mass[a] / (p[b] / mass[b]) if p[a] else F(0)
            if best[0] is not None and ratio > best[0]:
                best = ratio, outputs
        return best

    @cached_property
    def level(self) -> tuple[F | None, Json | None]:
        """The smallest level, None for none, with the witness."""
        found: tuple[F | None, Json | None] = F(1), None
        everyone = range(len(self.chosen))
        for prior, i, a, b in self.compared:
            ratio, outputs = self.worst((prior, i, a, b), everyone)
            shown = {"prior": prior, "record": i, "pair": [[a], [b]], "outputs": list(outputs)}
            if ratio is None:
                return None, shown
            if found[0] is not None and ratio > found[0]:
                found = ratio, shown
        return found

    @property
    def parts(self) -> tuple[list[Any], list[int]]:
        """What is compared of each record, as it stands in a relation."""
        if self.pairs is None:
            return [[[[a], [b]] for a, b in combinations(range(self.size), 2)]], [0] * len(
                self.chosen
            )
        own = [[[[a], [b]] for i, a, b in self.pairs if i == k] for k in range(len(self.chosen))]
        return own, list(range(len(own)))

    @cached_property
    def words(self) -> list[Any]:
        """For all that is compared the worst outputs before and after, the nearest one first."""
        count = len(self.chosen)
        return [
            [
                *key,
                list(self.worst(key, range(key[1]))[1][::-1]),
                list(self.worst(key, range(key[1], count))[1]),
            ]
            for key in self.compared
        ]

    def certificate(self, level: str = "2") -> Json:
        ratio, shown = self.level
        leakage = {"infinite": True} if ratio is None else {"exp_epsilon": str(ratio)}
        parts, chosen = self.parts
        told = self.size > 2 and ratio is not None
        chains = [
            {"initial": texts(initial), "transition": list(map(texts, rows))}
            for initial, rows in self.priors
        ]
        model = {
            "worlds": [f"v{v}" for v in range(self.size)],
            "records": [[v] for v in range(self.size)],
            "entries_per_record": 1,
            "people": [f"r{i}" for i in range(len(self.chosen))],
            "chosen": list(self.chosen),
            "channels": [[answer(rows)] for rows in self.channels],
        }
        holds = not self.compared or (ratio is not None and ratio <= F(level))
        verdict = "holds" if holds else "violated"
        witness = {"worst": shown, "reach": None, "bits": None}
        return asking(
            "network",
            model,
            of_network(parts, chosen, {"class": "chains", "chains": chains}),
            {"verdict": verdict, "leakage": leakage if self.compared else {"vacuous": True}},
            {**witness, "words": deepcopy(self.words) if told else []},
            definition="pufferfish",
            options={"pairs": "values" if self.pairs is None else "given"},
            level={"exp_epsilon": level, "delta": "0"},
        )


def texts(row: Sequence[Any]) -> list[str]:
    return [str(F(p)) for p in row]


def answer(rows: Rows) -> Json:
    values = sorted({F(p) for row in rows for p in row})
    columns = [[values.index(F(p)) for p in row] for row in rows]
    return {
        "outputs": [f"o{o}" for o in range(len(rows[0]))],
        "values": list(map(str, values)),
        "columns": columns,
        "runs": 1,
    }


BIT = [["3/4", "1/4"], ["1/4", "3/4"]]
UNEQUAL = [["1/2", "1/3", "1/6"], ["1/7", "2/7", "4/7"]]
NEVER = [["1/2", "1/2", "0", "0"], ["1/5", "4/5", "0", "0"]]  # two outputs that nobody gives
FLAT = [["1/2", "1/2"]] * 2
DICE = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/5", "1/5", "3/5"]]
TWICE = [["1/4", "1/2", "1/4"], ["1/6", "1/3", "1/2"], ["1/5", "2/5", "2/5"]]  # alike rows
FOUR = [["4/7", "3/7"], ["3/7", "4/7"], ["1/2", "1/2"], ["2/3", "1/3"]]
ORDER = (["1/3", "2/3"], [["9/10", "1/10"], ["1/5", "4/5"]])
FAIR = (["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]])
RING = (
    ["1/2", "1/3", "1/6"],
    [["7/10", "1/5", "1/10"], ["1/9", "7/9", "1/9"], ["1/5", "1/7", "23/35"]],
)
AWAY = (["1/2", "1/2", "0"], [["1/2", "1/2", "0"], ["0", "2/3", "1/3"], ["0", "0", "1"]])
WIDE = (
    ["1/4", "1/4", "1/3", "1/6"],
    [
        ["3/5", "1/5", "1/10", "1/10"],
        ["1/8", "5/8", "1/8", "1/8"],
        ["1/7", "1/7", "4/7", "1/7"],
        ["1/6", "1/3", "1/3", "1/6"],
    ],
)
LOST = (["0", "1/2", "1/2"], [["1", "0", "0"], ["0", "1/3", "2/3"], ["0", "3/4", "1/4"]])
TOLD = [["1/2", "1/2", "0"], ["1/4", "3/4", "0"], ["1/3", "1/3", "1/3"]]
PARTS = (1, 1, 2, 5, F(1, 3), F(10**10, 10**10 + 1), F(1, 1000))


def drawn(seed: int) -> Question:
    """A chain of two values, three records and channels of three outputs."""
    draw = Random(seed)

    def row(size: int) -> list[F]:
        weights = [F(draw.choice(PARTS)) for _ in range(size)]
        return [w / sum(weights) for w in weights]

    chain = row(2), [row(2), row(2)]
    return Question([chain], [[row(3), row(3)] for _ in range(3)], draw.sample(range(3), 3))


FINITE = {f"drawn {seed}": drawn(seed) for seed in range(12)} | {
    "no answer tells anything": Question([ORDER], [FLAT], [0, 0]),
    "two values": Question([ORDER], [BIT, UNEQUAL], [1, 0, 1]),
    "two values, from the other end": Question([ORDER], [BIT, UNEQUAL], [0, 1, 1, 0]),
    "outputs that nobody gives": Question([ORDER], [NEVER, BIT], [0, 1]),
    "one record": Question([ORDER], [UNEQUAL], [0]),
    "two chains": Question([FAIR, ORDER], [BIT], [0, 0]),
    "two chains, the other first": Question([ORDER, FAIR], [BIT], [0, 0]),
    "given, of the first": Question([ORDER], [BIT, UNEQUAL], [0, 1], [(0, 1, 0)]),
    "given, of both": Question([ORDER], [BIT, UNEQUAL], [0, 1], [(1, 0, 1), (0, 0, 1)]),
    "given, of both, turned": Question([ORDER], [BIT, UNEQUAL], [0, 1], [(0, 0, 1), (1, 0, 1)]),
    "answers that tell nothing": Question([ORDER], [FLAT, BIT], [0, 1, 0]),
    "three values": Question([RING], [DICE, TWICE], [1, 0, 1]),
    "three values, from the other end": Question([RING], [DICE, TWICE], [0, 1, 0]),
    "three values, given": Question([RING], [DICE], [0, 0], [(1, 2, 0), (1, 0, 1)]),
    "three values, some impossible": Question(
        [AWAY], [DICE], [0, 0], [(0, 0, 1), (0, 0, 2), (0, 2, 0)]
    ),
    "three values, the first impossible": Question([LOST], [DICE], [0, 0]),
    "three values, an output of one alone": Question([AWAY], [TOLD], [0, 0], [(1, 0, 1)]),
    "four values": Question([WIDE], [FOUR], [0, 0, 0]),
}


@pytest.mark.parametrize("name", FINITE)
def test_the_level_of_the_sum_is_accepted_and_no_other_one(name: str) -> None:
    question = FINITE[name]
    document, (level, _) = question.certificate(), question.level
    assert level is not None and outcome(document) == "accepted"
    for other in (level * (1 - HAIR), level * (1 + HAIR), level * 2, F(1)):
        for verdict in ("holds", "violated") if other >= 1 and other != level else ():
            said = {"verdict": verdict, "leakage": {"exp_epsilon": str(other)}}
            assert outcome(with_parts(document, answer=said)) == "rejected"
    below, above = max(F(1), level * (1 - HAIR)), level * (1 + HAIR)
    for low, high in ((below, above), (level, level * 2), (below, level * (1 - HAIR**2))):
        leakage = {"lower": str(low), "upper": str(high)}
        asked = {"question__level__exp_epsilon": str(high)}
        said = {"verdict": "holds", "leakage": leakage}
        found = outcome(with_parts(document, answer=said, **asked))
        assert (found == "accepted") == (low <= level <= high)


@pytest.mark.parametrize("name", FINITE)
def test_what_is_violated_needs_no_level(name: str) -> None:
    """Beside a witness that exceeds the level no leakage is needed."""
    question = FINITE[name]
    level, _ = question.level
    assert level is not None
    alone = {"verdict": "violated", "leakage": None}
    for asked, good in ((level * (1 - HAIR), level > 1), (level, False), (level * 2, False)):
        document = with_parts(question.certificate(), answer=alone, evidence__witness__words=[])
        document["question"]["level"]["exp_epsilon"] = str(max(asked, 1))
        assert (outcome(document) == "accepted") == good
        document["evidence"]["witness"]["worst"] = None
        assert outcome(document) == "rejected"


SURE = (["1/2", "1/2"], [["1/2", "1/2"], ["0", "1"]])  # after 1 there is no 0
STUCK = (["1", "0"], [["1", "0"], ["0", "1"]])
ALONE = [["1", "0"], ["1/2", "1/2"], ["1", "0"]]
INFINITE = {
    "three values, seen from the next record": Question([AWAY], [ALONE, [["1"]] * 3], [1, 0]),
    "three values, seen from the record before": Question([AWAY], [ALONE, [["1"]] * 3], [0, 1]),
    "an output of one value": Question([ORDER], [[["1/2", "1/2"], ["0", "1"]], BIT], [1, 0]),
    "seen from the next record": Question([SURE], [[["1", "0"], ["0", "1"]], FLAT], [1, 0]),
    "seen from the record before": Question([SURE], [[["1", "0"], ["0", "1"]], FLAT], [0, 1]),
    "three values": Question(
        [AWAY], [[["1/2", "1/2"], ["1/2", "1/2"], ["0", "1"]], [["1"]] * 3], [1, 0]
    ),
}


@pytest.mark.parametrize("name", INFINITE)
def test_no_level_serves(name: str) -> None:
    document = INFINITE[name].certificate()
    assert document["answer"]["leakage"] == {"infinite": True}
    assert outcome(document) == "accepted"
    for level in ("1", "3", "1000000"):
        for verdict in ("holds", "violated"):
            said = {"verdict": verdict, "leakage": {"exp_epsilon": level}}
            changed = with_parts(document, answer=said)
            assert outcome(changed) == "rejected"
            assert outcome(with_parts(changed, evidence__witness__words=[])) == "rejected"
    assert outcome(with_parts(document, answer__leakage={"vacuous": True})) == "rejected"
    assert outcome(with_parts(document, answer__leakage=None)) == "accepted"
    assert outcome(with_parts(document, evidence__witness__worst=None)) == "rejected"


def test_nothing_is_compared_where_values_are_certain() -> None:
    """With another chain beside it something is."""
    document = Question([STUCK], [BIT], [0, 0]).certificate()
    assert document["answer"]["leakage"] == {"vacuous": True}
    assert outcome(document) == "accepted"
    told = {"verdict": "holds", "leakage": {"exp_epsilon": "1"}}
    assert outcome(with_parts(document, answer=told)) == "rejected"
    both = Question([STUCK, FAIR], [BIT], [0, 0]).certificate()
    assert outcome(both) == "accepted"
    assert outcome(with_parts(both, answer=document["answer"])) == "rejected"
    assert both["evidence"]["witness"]["worst"]["prior"] == 1


@pytest.mark.parametrize("name", [name for name in FINITE if FINITE[name].size > 2])
def test_words_are_the_worst_ones(name: str) -> None:
    """Any word that is not, for what decides the level, is refused; and any for other records."""
    question = FINITE[name]
    document, (_, shown) = question.certificate(), question.level
    assert shown is not None
    key = (shown["prior"], shown["record"], *shown["pair"][0], *shown["pair"][1])
    (at,) = (n for n, line in enumerate(question.words) if tuple(line[:4]) == key)
    for side, own in ((4, range(key[1])), (5, range(key[1], len(question.chosen)))):
        worst = question.words[at][side]
        nearest_first = [list(o[::-1] if side == 4 else o) for o in question.outputs(own)]
        assert worst in nearest_first
        for other in (*nearest_first, [*worst, 0]):
            words = deepcopy(question.words)
            words[at][side] = other
            changed = with_parts(document, evidence__witness__words=words)
            assert (outcome(changed) == "accepted") == (other == worst)


def test_an_impossible_word_bounds_nothing() -> None:
    """Of the first record nobody expects the third output."""
    question = FINITE["three values, an output of one alone"]
    document, (level, _) = question.certificate(), question.level
    assert level is not None and outcome(document) == "accepted"
    for line in document["evidence"]["witness"]["words"]:
        line[4] = [2]
    low = {"lower": "1", "upper": str((1 + level) / 2)}
    for said in (document["answer"]["leakage"], low):
        assert outcome(with_parts(document, answer={"verdict": "holds", "leakage": said})) == (
            "rejected"
        )


def test_impossible_outputs_show_nothing() -> None:
    document = FINITE["three values, an output of one alone"].certificate("1")
    worst = document["evidence"]["witness"]["worst"]
    assert document["answer"]["verdict"] == "violated" and outcome(document) == "accepted"
    nothing = {"answer__leakage": None, "evidence__witness__words": []}
    alone = with_parts(document, **nothing)
    assert outcome(alone) == "accepted"
    shown = {**worst, "outputs": [2, worst["outputs"][1]]}
    for said in (document, alone, with_parts(document, answer__leakage={"infinite": True})):
        assert outcome(with_parts(said, evidence__witness__worst=shown)) == "rejected"


def test_words_say_what_they_are_about() -> None:
    """Of a prior that is there, once, and with numbers alone."""
    question = FINITE["three values"]
    document = question.certificate()
    first, *rest = question.words
    for wrong in (
        [*question.words, [1, *first[1:]]],
        [*question.words, first],
        [["0", *first[1:]], *question.words],
        [*question.words, [0, "0", 0, 1, [], []]],
        [first[:5], *rest],
        {},
    ):
        assert outcome(with_parts(document, evidence__witness__words=wrong)) == "refused"


@pytest.mark.parametrize("name", [name for name in FINITE if FINITE[name].size > 2])
def test_without_words_cones_that_hold_nothing_else_are_enough(name: str) -> None:
    question = FINITE[name]
    level, _ = question.level
    assert level is not None
    document = with_parts(question.certificate(), evidence__witness__words=[])
    assert outcome(document) == "accepted"
    for upper in (level * (1 - HAIR), (1 + level) / 2):
        leakage = {"lower": "1", "upper": str(upper)}
        said = with_parts(document, answer={"verdict": "holds", "leakage": leakage})
        said["question"]["level"]["exp_epsilon"] = str(level)
        assert outcome(said) == "rejected"


def interval(low: Any, high: Any) -> list[str]:
    return texts([low, high])


ROW = [("1/5", "1/2"), ("1/2", "4/5")]
TENTH = ("1/10", "1/10")
# intervals of [stays at 0, goes to 1] and [goes to 0, stays at 1], and the least changes, by hand
LEAST: list[tuple[list[Any], F, F]] = [
    ([[("1/2", "9/10"), ("1/10", "1/2")], [("1/5", "1/2"), ("1/2", "4/5")]], F(1, 10), F(1, 5)),
    ([[("1/2", "9/10"), ("0", "1")], [("0", "1"), ("1/2", "4/5")]], F(1, 10), F(1, 5)),
    ([[("0", "1"), ("1/10", "1/2")], [("1/5", "1/2"), ("0", "1")]], F(1, 10), F(1, 5)),
    ([[("9/10", "9/10"), TENTH], [("4/5", "4/5"), ("1/5", "1/5")]], F(1, 10), F(4, 5)),
    ([[("9/10", "9/10"), TENTH], [("9/10", "9/10"), TENTH]], F(1, 10), F(9, 10)),
]


def between(transition: Any, a: F, b: F) -> Json:
    """The question of all chains within intervals, with the answer of the one that changes with
    probabilities a and b."""
    chain = ([b / (a + b), a / (a + b)], [[1 - a, a], [b, 1 - b]])
    document = Question([chain], [BIT, UNEQUAL], [0, 1, 0]).certificate()
    rows = [[interval(*ends) for ends in row] for row in transition]
    priors = {"class": "markov", "initial": "stationary", "transition": rows}
    return with_parts(document, question__relation__priors=priors)


@pytest.mark.parametrize(("transition", "a", "b"), LEAST)
def test_the_chain_within_intervals_that_changes_least(transition: Any, a: F, b: F) -> None:
    assert outcome(between(transition, a, b)) == "accepted"
    for other in ((a * (1 + HAIR), b), (a, b * (1 - HAIR)), (a / 2, b), (a, b / 2)):
        assert outcome(between(transition, *other)) == "rejected"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("transition", "a"),
    [
        ([[("1/2", "1"), ("0", "1/2")], ROW], F(0)),  # it may never change
        ([[("2/5", "9/10"), ("1/10", "3/5")], ROW], F(1, 10)),  # 3/5 + 1/2
        ([[("1/2", "9/10"), ("1/10", "1/20")], ROW], F(1, 10)),  # none
        ([[("1/2", "9/10"), ("3/5", "1")], ROW], F(3, 5)),  # no row of sum 1
        ([[("1/2", "9/10"), ("1/10", "11/10")], ROW], F(1, 10)),
        ([[("1/2", "9/10"), ("-1/10", "1/2")], ROW], F(1, 10)),
    ],
)
def test_intervals_without_a_worst_chain(transition: Any, a: F, turned: bool) -> None:
    """Either value may be the one that is at fault; the answer is that of the least change."""
    if turned:
        turn = [row[::-1] for row in transition[::-1]]
        assert outcome(between(turn, F(1, 5), a)) == "rejected"
    else:
        assert outcome(between(transition, a, F(1, 5))) == "rejected"


def test_relations_of_other_classes() -> None:
    document = FINITE["two chains"].certificate()
    chain = document["question"]["relation"]["priors"]["chains"]
    for priors in (
        {"class": "list", "chains": chain},
        {"class": "chains", "chains": {}},
        {"class": "chains", "chains": chain, "initial": "stationary"},
    ):
        assert outcome(with_parts(document, question__relation__priors=priors)) == "refused"
    for pair in ([[0], [2]], [[2], [0]], [[-1], [1]], [[1], [1]], [[0]], [[0], []]):
        parts = [pairs_of_sets([pair])]
        given = {"question__options__pairs": "given", "question__relation__parts": parts}
        assert outcome(with_parts(document, **given)) in ("refused", "rejected")
