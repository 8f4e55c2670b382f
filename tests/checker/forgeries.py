"""No claim and another one that contradicts it are both accepted, whatever the evidence.

Small certificates of every kind and both verdicts are made from model files. A claim is changed to
one that contradicts it, of the same question. Its evidence is emptied, repeated, swapped,
multiplied by common factors, or taken from elsewhere.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tests.checker.drafts import check, digest_of, draft, opened, sealed
from tests.checker.test_parameters import GOOD, ISOLATED
from tests.harden.alterations import UNFIT, in_bulk
from tests.pages import examples
from verifier.questions.answer import write
from verifier.run import verify

Json = dict[str, Any]
Path_ = tuple[Any, ...]  # of keys, to a part of a document

MODELS = Path(__file__).parents[2] / "models"
SOURCES = {  # model file -> numbers of checks
    "blowfish/all-or-nothing": (0, 1),
    "blowfish/one-solution": (0, 1),
    "blowfish/ordered-hierarchical-error": (2,),
    "blowfish/ordered-mechanism-error": (4, 5),
    "blowfish/parallel-composition-split-graph": (0,),
    "blowfish/sufficiency-conjecture": (3, 4),
    "composition/collapse-interval-priors": (2, 3),
    "composition/influence-of-attributes": (1,),
    "composition/influence-of-a-tree": (3,),
    "composition/influence-of-intervals": (1,),
    "composition/influence-short-chain": (0,),
    "composition/influence-under-constraints": (0, 3, 4),
    "composition/post-processing-invariance": (1,),
    "composition/supports-matter": (0, 2, 5),
    "coupled-worlds/composition-of-words": (0, 8),
    "coupled-worlds/inference-and-certainty": (0, 1, 2),
    "coupled-worlds/inference-of-pufferfish": (1,),
    "coupled-worlds/inference-theorem": (1, 2, 3),
    "coupled-worlds/majority-of-a-crowd": (3, 4),
    "coupled-worlds/majority-without-noise": (3,),
    "exponentials/linear-programs": (4, 11, 13, 14),
    "exponentials/one-epsilon": (0, 5, 9, 10),
    "mechanisms/divergences": (0, 2, 5, 7, 9, 10, 11),
    "mechanisms/guesses": (1, 4, 6, 7, 8, 9, 10),
    "mechanisms/estimates": (0, 1, 2, 3, 4),
    "mechanisms/local-channels": (0, 1, 2, 4, 5, 7, 8),
    "mechanisms/mixture": (0, 1),
    "mechanisms/stability-histogram": (0, 1, 2),
    "noise/laplace-every-epsilon": (15,),
    "noise/released": (0, 14),
    "parameters/level-against-error": (1,),
    "parameters/linear-programs": (1, 2),
    "parameters/ranges-and-orders": (0, 2),
    "parameters/simulators-and-inference": (2,),
    "parameters/survey-of-a-thousand": (0, 3, 4),
    "parameters/two-state-chain": (0, 3),
    "parameters/two-truths": (4, 9, 11),
    "parameters/unknown-crowd": (0,),
    "programs/values": (3,),
    "pufferfish/absent-or-changed": (1, 2),
    "pufferfish/aggregate-secrets-with-a-gap": (1,),
    "pufferfish/chain-of-channels": (0, 2, 3),
    "pufferfish/chain-of-three-values": (0,),
    "pufferfish/implied-for-classes": (0, 1),
    "pufferfish/tree-of-channels": (0, 1, 2),
    "pufferfish/constraints-without-a-worst": (0, 1, 2),
    "pufferfish/hedging-is-no-mixture": (0, 2),
    "pufferfish/iid-three-values": (1, 2),
    "pufferfish/iid-two-values": (0, 3),
    "pufferfish/markov-intervals": (1, 4),
    "pufferfish/mixtures-irrational-level": (0,),
    "pufferfish/mixtures-without-a-worst": (1, 2, 3),
    "pufferfish/priors-under-a-constraint": (0,),
    "pufferfish/two-runs-reveal-all": (0, 1, 2),
    "pufferfish/universally-composable": (0, 1, 2, 3),
    "row-cone/closure-by-rows": (0, 2),
    "row-cone/closures-compared": (0, 2, 3, 5),
    "row-cone/definitions-compared": (4, 9, 10),
    "row-cone/erasure": (0, 1, 3, 4, 5, 6, 7, 8),
    "row-cone/exponential-facets": (0,),
    "row-cone/k-ary-facets": (0, 2),
    "synthesis/three-counts": (0, 1, 2),
}
EMPTIES: tuple[Any, ...] = (None, [], {}, [[]], [{}])
OTHER: Any = {"garbage": [None]}  # stands for nothing in any kind
OUTCOMES = ("holds", "violated", "optimal", "infeasible", "unbounded")


# What a certificate says, and its evidence: the only places that know the envelope.


def answer_of(document: Json) -> Json:
    """What is said: verdict, leakage, value and the like."""
    return {key: value for key, value in document["claim"].items() if key in ANSWERS}


def forged(document: Json, answer: Json, witness: Any) -> Json:
    """The same question with another answer and other evidence."""
    kept = {key: value for key, value in document["claim"].items() if key not in ANSWERS}
    return {**document, "claim": {**kept, **answer}, "evidence": {"witness": witness}}


def redigested(document: Json) -> Json:
    """With the digest of a model that was changed."""
    return {**document, "claim": {**document["claim"], "digest": digest_of(document["model"])}}


ANSWERS = ("verdict", "leakage", "value", "one_run", "tradeoff", "rows", "alone")
ANSWERS += ("certainty", "trajectories", "region", "pieces")
QUESTION = ("model", "relation")


@dataclass(frozen=True)
class Report:
    """How many different forgeries were tried, and those that were accepted."""

    tried: int
    accepted: list[Json] = field(default_factory=list)


def campaign(count: int, seed: int) -> Report:
    """Try so many forgeries, drawn in an order that the seed decides."""
    random, seen, accepted = Random(seed), set[str](), list[Json]()
    while len(seen) < count:
        document = random.choice(by_kind()[random.choice(sorted(by_kind()))])
        answer, damaged = random.choice(false_answers(document)), draw_damaged(document, random)
        forgery = forged(document, answer, damaged)
        text = json.dumps([originals().index(document), answer, damaged], default=str)
        if text not in seen:
            seen.add(text)
            if check(forgery).outcome == "accepted":
                accepted.append(forgery)
    return Report(len(seen), accepted)


@cache
def originals() -> list[Json]:
    """Certificates that are accepted, as they stand in files."""
    found = [document for name, numbers in SOURCES.items() for document in _made(name, numbers)]
    found += _on_the_page()
    found += [opened(sealed(deepcopy(document))) for document in (*GOOD.values(), ISOLATED)]
    factored = (_with_factors(document) for document in found)
    return [*found, *(one for one in factored if one and check(one).outcome == "accepted")]


def _with_factors(document: Json) -> Json | None:
    """The same question with functions of parameters that have a factor above and below, which is 0
    inside the domain; None where there are none."""
    relation = document["relation"]
    names = (relation or {}).get("parameters") or [(relation or {}).get("parameter")]
    if names == [None] or "cells" not in document["model"]:
        return None
    model = deepcopy(document["model"])
    for cell in filter(None, model["cells"]):
        if "values" in cell:
            cell["values"] = [_times(text, names[0]) for text in cell["values"]]
    return redigested({**document, "model": model})


def _times(text: Any, name: str) -> Any:
    """A polynomial times (4x - 3) over 4x - 3, terms of powers of x with constants only."""
    terms = re.fullmatch(rf"(?:([0-9]+) - )?(?:([0-9]+)\*)?{name}|([0-9]+)", text)
    if terms is None:
        return text
    constant, factor = (int(terms[k] or 0) for k in (1, 2))
    if terms[3] is not None:
        a, b = int(terms[3]), 0
    else:
        b = (factor or 1) * (-1 if terms[1] else 1)
        a = constant
    powers = ((-3 * a, ""), (4 * a - 3 * b, f"*{name}"), (4 * b, f"*{name}^2"))
    top = " + ".join(f"{c}{power}" for c, power in powers if c).replace("+ -", "- ")
    return f"({top})/(-3 + 4*{name})" if top else "0"


@cache
def by_kind() -> dict[str, list[Json]]:
    """The originals of each kind."""
    found: dict[str, list[Json]] = {}
    for document in originals():
        found.setdefault(document["claim"]["kind"], []).append(document)
    return found


def _made(name: str, numbers: tuple[int, ...]) -> Iterator[Json]:
    questions = verify.load(MODELS / f"{name}.yaml").questions
    for number in numbers:
        question = questions[number].question
        assert question is not None
        answer = verify.decide(question)
        assert answer.certificate is not None
        yield opened(json.loads(write(answer.certificate)))


def _on_the_page() -> Iterator[Json]:
    """Of some kinds the examples of the page; and two small programs."""
    for document in map(opened, examples().values()):
        kind = document["claim"]["kind"]
        if kind in ("parameters", "runs", "region", "pieces"):
            yield document
        if kind == "program":
            yield document
            yield from map(_program, ("infeasible", "unbounded"))


def _program(outcome: str) -> Json:
    """x >= 0 with x <= -1; or maximise x with x >= 0 and no other bound."""
    empty = outcome == "infeasible"
    program = {
        "columns": ["x"],
        "rows": ["most"] if empty else [],
        "values": ["0", "1", "-1"],
        "matrix": [[[0], [1]]] if empty else [],
        "senses": ["<="] if empty else [],
        "right": [2] if empty else [],
        "objective": [1],
        "lower": [0],
        "upper": [None],
    }
    one = [[0, "1"]]
    witness = {"multipliers": one} if empty else {"point": one, "ray": one}
    return draft("program", {"program": program}, None, witness, outcome)


@cache
def _false_answers(text: str) -> list[Json]:
    answer = json.loads(text)
    verdicts = OUTCOMES[2:] if answer["verdict"] in OUTCOMES[2:] else OUTCOMES[:2]
    flipped = [verdict for verdict in verdicts if verdict != answer["verdict"]]
    found = [{**answer, "verdict": verdict} for verdict in flipped]
    if verdicts == OUTCOMES[2:]:  # only an optimum has a value
        found = [{"verdict": v, **({"value": "0"} if v == "optimal" else {})} for v in flipped]
    for verdict in ("holds", "violated"):
        for leakage in _other_leakages(answer) if "leakage" in answer else ():
            found.append({**answer, "verdict": verdict, "leakage": leakage})
    if "leakage" not in answer and answer["verdict"] in OUTCOMES[:2]:
        found.append({**answer, "leakage": {"vacuous": True}})
    for key in ("value", "one_run"):
        if answer.get(key) is not None:
            others = {"0", "1", "2", "1000000", "1/1000", "-1"} - {answer[key]}
            found += [{**answer, key: other} for other in sorted(others)]
    for key in ("rows", "alone"):
        for at in range(len(answer.get(key, ()))):
            for other in ({"exp_epsilon": "1"}, {"exp_epsilon": "1000"}, {"infinite": True}):
                if other != answer[key][at]:
                    found.append(_with(answer, (key, at), other))
    for at in range(len(answer.get("certainty", ()))):
        found.append(_with(answer, ("certainty", at, "expected", "average"), "1"))
        found.append(_with(answer, ("certainty", at, "fewest"), {"outputs": [0]}))
    for at, path in enumerate(answer.get("trajectories", ())):
        found += [
            _with(answer, ("trajectories", at, "odds", k), "7") for k in range(len(path["odds"]))
        ]
    found += _other_regions(answer)
    for at in range(len(answer.get("tradeoff", ()))):
        found.append(_with(answer, ("tradeoff", at, 1), "1/97"))
    return found


def _other_regions(answer: Json) -> Iterator[Json]:
    """Less or more than where it holds; other functions on single pieces."""
    for at, part in enumerate(answer.get("region", ())):
        yield {**answer, "region": answer["region"][:at] + answer["region"][at + 1 :]}
        for end in ("from", "to"):
            closed = part[end]["closed"]
            yield _with(answer, ("region", at, end, "closed"), not closed)
            yield _with(answer, ("region", at, end), {"rational": "1000", "closed": closed})
    for at, piece in enumerate(answer.get("pieces", ())):
        ends = {key: piece[key] for key in ("from", "to")}
        if "verdict" in piece:
            yield from (
                _with(answer, ("pieces", at), {**ends, **one}) for one in _other_pieces(piece)
            )
            continue
        for other in ({"infinite": True}, _constant("1"), _constant("1000000")):
            if "infinite" not in piece or "infinite" not in other:
                yield _with(answer, ("pieces", at), {**ends, **other})


def _other_pieces(piece: Json) -> Iterator[Json]:
    """Another verdict on a piece, or another level."""
    kept = {key: part for key, part in piece.items() if key not in ("from", "to")}
    for verdict in OUTCOMES[:2]:
        if verdict != piece["verdict"]:
            yield {**kept, "verdict": verdict}
        for leakage in _other_leakages(piece) if "leakage" in piece else ():
            yield {**kept, "verdict": verdict, "leakage": leakage}


def _constant(level: str) -> Json:
    return {"numerator": [level], "denominator": ["1"]}


def false_answers(document: Json) -> list[Json]:
    """Answers that contradict the one that is accepted: another verdict, or another number."""
    return _false_answers(json.dumps(answer_of(document)))


def _other_leakages(answer: Json) -> Iterator[Json]:
    """Leakages that exclude the one that was proved. No bounds here end above 900000, or at 1."""
    known = answer["leakage"]
    exact = ({"exp_epsilon": "1"}, {"exp_epsilon": "1000001/1000000"}, {"exp_epsilon": "1000000"})
    wide = {"lower": "900001", "upper": "900001"}
    for other in (*exact, wide, {"infinite": True}, {"vacuous": True}):
        if known is not None and other != known:
            yield other


def _with(document: Any, path: Path_, value: Any) -> Any:
    """A copy with another part at a path."""
    if not path:
        return value
    found = copy_of(document)
    found[path[0]] = _with(found[path[0]], path[1:], value)
    return found


def copy_of(value: Any) -> Any:
    """A list or an object, so that a part of it can be exchanged."""
    return list(value) if isinstance(value, list) else dict(value)


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The paths to all parts, the whole first."""
    yield path
    keys: Any = range(len(value)) if isinstance(value, list) else value
    for key in keys if isinstance(value, dict | list) else ():
        yield from places(value[key], (*path, key))


def part(value: Any, path: Path_) -> Any:
    """The part at a path."""
    for key in path:
        value = value[key]
    return value


def draw_damaged(document: Json, random: Random) -> Any:
    """Evidence that says less, or the evidence of another certificate of this kind."""
    witness = document["evidence"]["witness"]
    ways = (_emptied_together, _emptied, _repeated, _foreign, _kept, _swapped, _multiplied)
    ways += (_in_bulk,) * 2
    return random.choice(ways)(document, deepcopy(witness), random)


def _kept(document: Json, witness: Any, random: Random) -> Any:
    return witness


def _in_bulk(document: Json, witness: Any, random: Random) -> Any:
    """All numbers of some parts 0, or times a factor; or these parts emptied."""
    with suppress(*UNFIT):  # there are no parts
        witness = in_bulk(witness, random)[0]
    return witness


def _emptied(document: Json, witness: Any, random: Random) -> Any:
    """One or two parts emptied."""
    for _ in range(random.choice((1, 1, 2))):
        witness = _with(witness, random.choice(list(places(witness))), random.choice(EMPTIES))
    return witness


def _emptied_together(document: Json, witness: Any, random: Random) -> Any:
    """Every part of an object, or each kept."""
    if not isinstance(witness, dict):
        return random.choice(EMPTIES)
    return {key: random.choice((kept, *EMPTIES)) for key, kept in witness.items()}


def _repeated(document: Json, witness: Any, random: Random) -> Any:
    """A list with an element twice, or without it, or turned, or with nothing."""
    lists = [p for p in places(witness) if isinstance(part(witness, p), list)]
    if not lists:
        return random.choice(EMPTIES)
    path = random.choice(lists)
    listed = part(witness, path)
    at = random.randrange(len(listed) + 1)
    ways = (listed + listed, listed[:at] + listed[at + 1 :], listed[::-1], [*listed, *EMPTIES[1:2]])
    return _with(witness, path, random.choice((*ways, listed[:at] + listed[:at])))


def _swapped(document: Json, witness: Any, random: Random) -> Any:
    """Two parts of one list or object exchanged, or one part put in place of any other."""
    paths = [path for path in places(witness) if path]
    if not paths:
        return witness
    one, other = random.choice(paths), random.choice(paths)
    if random.random() < 0.7:
        beside = [path for path in paths if path[:-1] == one[:-1]]
        other = random.choice(beside)
        witness = _with(witness, one, part(left := witness, other))
        return _with(witness, other, part(left, one))
    return _with(witness, one, part(witness, other))


def _multiplied(document: Json, witness: Any, random: Random) -> Any:
    """Some numbers, polynomials or trees times a factor that is 0 somewhere, or everywhere."""
    paths = list(places(witness))
    names = (document["relation"] or {}).get("parameters", ["p"])
    for _ in range(random.choice((1, 1, 2, 5))):
        path = random.choice(paths)
        with suppress(LookupError, TypeError):
            witness = _with(witness, path, _times_any(part(witness, path), names, random))
    return witness


def _times_any(found: Any, names: list[str], random: Random) -> Any:
    count = len(names)
    if isinstance(found, str):
        x = random.choice(names)
        factors = (f"({found})*0", "0", f"-{found}", f"{found}{found}", f"({x}*{found})/{x}")
        return random.choice((*factors, f"(1 - 4*{x})*{found}/(1 - 4*{x})", _times(found, x)))
    if type(found) is int:
        return random.choice((0, -found, 2 * found, found + 1))
    if isinstance(found, dict) and "tree" in found and "polynomial" in found:
        rows = [[0, *row[1:]] for row in found["polynomial"]]
        return {**found, "polynomial": random.choice((rows, [[1] + [0] * count]))}
    if isinstance(found, dict) and found.keys() & {"tree", "plus", "none", "factor"}:
        square = [[1, *[0] * (2 * count)], [-1, 1, *[0] * (2 * count - 1)]]
        return random.choice((0, {"square": square, "rest": [[-1] + [0] * 2 * count], "tree": 0}))
    if isinstance(found, list) and found and type(found[0]) is int:
        return [0 if random.random() < 0.5 else x for x in found]
    return found


def _foreign(document: Json, witness: Any, random: Random) -> Any:
    """Evidence, or parts of it, of another certificate of this kind."""
    other = random.choice(by_kind()[document["claim"]["kind"]])["evidence"]["witness"]
    if not isinstance(witness, dict) or not isinstance(other, dict) or random.random() < 0.3:
        return other
    return {key: random.choice((kept, other.get(key, kept))) for key, kept in witness.items()}


def all_emptied(document: Json) -> list[Any]:
    """The evidence with each part emptied, and each combination of its parts, if they are few."""
    witness = document["evidence"]["witness"]
    found = [_with(witness, path, empty) for path in places(witness) for empty in EMPTIES]
    if isinstance(witness, dict) and len(witness) <= 3:
        parts = product(*[(kept, *EMPTIES) for kept in witness.values()])
        found += [dict(zip(witness, chosen, strict=True)) for chosen in parts]
    return found


def with_garbage(document: Json) -> Iterator[tuple[Path_, Json]]:
    """Each part of answer, question and evidence exchanged for what is nothing in any kind."""
    answer, witness = answer_of(document), document["evidence"]["witness"]
    for path in places(witness):
        yield ("witness", *path), forged(document, answer, _with(witness, path, OTHER))
    for path in places(answer):
        yield ("answer", *path), forged(document, _with(answer, path, OTHER), witness)
    for key in QUESTION:
        for path in places(document[key]):
            if len(path) < 5:
                changed = {**document, key: _with(document[key], path, OTHER)}
                yield (key, *path), redigested(changed)
