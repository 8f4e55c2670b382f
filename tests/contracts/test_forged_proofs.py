"""Evidence that somebody altered: what the checker still accepts is told as it is, and is true.

Numbers of a witness are compared with plain sums over the file's likelihoods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import verifier
from tests.checker.forgeries import SOURCES
from tests.drawing import wider
from tests.models.model_files import decided
from tests.retold import retold
from verifier import checker
from verifier.questions.answer import Answer, Json, NotRead, write
from verifier.questions.question import Question
from verifier.questions.witness import EventWitness, OutputWitness
from verifier.run import verify

WORLDS = ("00", "01", "10", "11")
SECRETS = {
    f"{who} = {bit}": [w for w in WORLDS if w[k] == bit]
    for k, who in enumerate(("ann", "bob"))
    for bit in "01"
}
HEAD = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
"""
LISTED = """\
pairs: values
priors: {list: [uniform, {iid: {0: 1/3, 1: 2/3}}]}
"""
CONE = """\
pairs: values
priors: {constraints: ["P(ann == 0 and bob == 0) <= 1/2", "P(ann == 1 and bob == 1) <= 1/2"]}
"""
EVENTS = list(map(list, (e for k in range(1, 5) for e in combinations(range(4), k))))


def told(output: str, world: str) -> F:
    """The probability of an output: each bit is told with probability 3/4."""
    same = sum(a == b for a, b in zip(output, world, strict=True))
    return F(3, 4) ** same * F(1, 4) ** (2 - same)


def given(outputs: Sequence[str], secret: str, prior: Mapping[str, F]) -> F:
    """The probability of an event given a secret, or a world, under a prior."""
    inside = [w for w in SECRETS.get(secret, [secret]) if prior.get(w)]
    mass = sum(prior[w] for w in inside)
    return sum((prior[w] * told(o, w) for w in inside for o in outputs), F(0)) / mass


@dataclass(frozen=True)
class Asked:
    """A question and its answer, as the text of a certificate has it."""

    question: Question
    answer: Answer
    certificate: Json

    @classmethod
    def of(cls, text: str, folder: Path) -> Asked:
        path = folder / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        (one,) = verifier.load(path).questions
        assert one.question is not None
        answer = verify.certified(one.question)
        assert answer.certificate is not None
        return cls(one.question, answer, json.loads(write(answer.certificate)))

    def accepted(self, witness: Any) -> Answer | None:
        """What is told where the checker accepts this evidence; None where it does not, or where it
        has another form."""
        forged = deepcopy(self.certificate)
        if "witness" in forged["evidence"]:
            forged["evidence"]["witness"] = witness
        else:
            forged["evidence"] = witness
        if checker.check(forged).outcome != "accepted":
            return None
        try:
            return retold(self.question, forged)
        except NotRead:
            return None


def pairs_of_worlds(witness: Json) -> Iterator[Json]:
    """Every comparison of two worlds by one output."""
    for pair, output in product(product(range(4), repeat=2), range(4)):
        yield {"pair": list(pair), "output": output}


def events_of_worlds(witness: Json) -> Iterator[Json]:
    """Every comparison of two worlds by an event."""
    for pair, event in product(product(range(4), repeat=2), EVENTS):
        yield {"pair": list(pair), "outputs": event}


def comparisons_of_secrets(witness: Json) -> Iterator[Json]:
    """Every comparison of two secrets under a prior of the list."""
    for prior, pair, output in product(range(3), product(SECRETS, repeat=2), range(4)):
        yield {"prior": prior, "pair": list(pair), "output": output}


def points_of_a_cone(witness: Json) -> Iterator[Json]:
    """Other pairs, outputs and priors; and points as a segment, as if none attained the level."""
    points = [point for point in product(range(3), repeat=4) if sum(point) == 2]
    priors = [[str(F(x, 2)) for x in point] for point in points]
    pairs = [(s, t) for s, t in product(SECRETS, repeat=2) if s != t and s[:3] == t[:3]]
    for pair, output, prior in product(pairs, range(4), priors):
        lower = {"pair": list(pair), "output": output}
        yield {**witness, "lower": {**lower, "at": prior}}
        yield {**witness, "lower": {**lower, "between": [prior, prior]}}


def points_of_a_simplex(witness: Json) -> Iterator[Json]:
    """Other pairs, outputs and distributions of a bit; and curves to its ends."""
    points = [("1", "1"), ("1", "2"), ("3", "1"), ("1", "0")]
    powers = [[0, 0], [1, 0], [0, 1], [0, 2]]
    ends = product(product(SECRETS, repeat=2), range(4), points, powers)
    for pair, output, point, power in ends:
        lower = {"pair": list(pair), "outputs": [output], "point": list(point), "powers": power}
        yield {**witness, "lower": lower}


CASES: dict[str, tuple[str, str, Callable[[Json], Iterator[Json]]]] = {
    "worlds": (HEAD, "differential_privacy: {exp_epsilon: LEVEL}", pairs_of_worlds),
    "events": (HEAD, "differential_privacy: {exp_epsilon: LEVEL, delta: 1/8}", events_of_worlds),
    "list": (HEAD + LISTED, "pufferfish: {exp_epsilon: LEVEL}", comparisons_of_secrets),
    "cone": (HEAD + CONE, "pufferfish: {exp_epsilon: LEVEL}", points_of_a_cone),
    "iid": (
        f"{HEAD}pairs: values\npriors: iid\n",
        "pufferfish: {exp_epsilon: LEVEL}",
        points_of_a_simplex,
    ),
}


@pytest.mark.parametrize("level", ["1", "100"])
@pytest.mark.parametrize("name", CASES)
def test_other_evidence_is_refused_or_told_truly(name: str, level: str, tmp_path: Path) -> None:
    head, check, others = CASES[name]
    asked = Asked.of(f"{head}checks:\n  - {check.replace('LEVEL', level)}\n", tmp_path)
    own = asked.certificate["evidence"]["witness"]
    tried = [witness for witness in others(own) if witness != own]
    found = [answer for witness in tried if (answer := asked.accepted(witness))]
    assert 0 < len(found) < len(tried)
    for answer in found:
        assert (answer.verdict, answer.leakage) == (asked.answer.verdict, asked.answer.leakage)
        assert is_tight(answer)
    assert any(answer.shown != asked.answer.shown for answer in found)


def is_tight(answer: Answer) -> bool:
    """Whether what is shown is so by plain sums, and attains the smallest level."""
    shown = answer.shown
    assert isinstance(shown, OutputWitness | EventWitness) and answer.leakage
    event = [shown.output] if isinstance(shown, OutputWitness) else shown.outputs
    p, q = (given(event, side, shown.before.prior) for side in shown.before.pair)
    numbers = [shown.ratio] if isinstance(shown, OutputWitness) else [*shown.probabilities]
    expected = [p / q] if isinstance(shown, OutputWitness) else [p, q]
    return numbers == expected and p - answer.delta == q * (answer.leakage.exp_epsilon or 0)


def altered(witness: Any, random: Random) -> Any:
    """The same evidence with one number, or one name, in place of another."""
    found = deepcopy(witness)
    part, key = random.choice(list(leaves(found)))
    texts = [inner[at] for inner, at in leaves(found) if type(inner[at]) is str]
    is_index = type(part[key]) is int
    others = (part[key] - 1, part[key] + 1, 0) if is_index else ("0", "1", "1/3", *texts)
    part[key] = random.choice(others)
    return found


def leaves(part: Any) -> Iterator[tuple[Any, Any]]:
    """Where numbers and names stand: an object or list, and the key or place there."""
    inside = part.items() if isinstance(part, dict) else enumerate(part)
    for key, inner in inside:
        if isinstance(inner, dict | list):
            yield from leaves(inner)
        elif inner is not None:
            yield part, key


@pytest.mark.parametrize("source", SOURCES)
def test_altered_numbers_change_neither_verdict_nor_level(source: str) -> None:
    """Of every kind of evidence."""
    random, results = Random(source), decided(f"{source}.yaml")
    for number in SOURCES[source]:
        question, answer = results[number].question, results[number].answer
        assert question is not None and answer.certificate is not None
        whole = Asked(question, answer, json.loads(write(answer.certificate)))
        evidence = whole.certificate["evidence"]
        witness = evidence.get("witness", evidence)
        for _ in range(wider(8, 20) if list(leaves(witness or [])) else 0):
            found = whole.accepted(altered(witness, random))
            if found is not None:
                assert (found.verdict, found.leakage) == (answer.verdict, answer.leakage)
                assert found.quantity == answer.quantity
                assert (found.witness is None) == (answer.witness is None)
