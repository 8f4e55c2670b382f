"""Writes `certificates.json`, the small certificates of every kind that the campaigns alter.

They come from models, from the format page and its tests, and from drawn specs with ties, zeros,
gaps of 1e-30 and denominators of 40 digits. Each is accepted, and true by the oracle.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from tests.checker import compositions, test_program, test_runs
from tests.checker.conftest import Build
from tests.checker.test_composition_engine import PRIORS
from tests.harden.claims import BASES
from tests.harden.envelope import Parts, closed, opened
from tests.harden.oracle import JUDGES, is_true
from tests.pages import ROOT, examples
from verifier.checker import check
from verifier.run import verify

MOST, WORLDS, SHORT, SECONDS = 24, 9, 2500, 0.4  # certificates of a kind; of one of these
LENGTH = {"pieces": 9000, "region": 9000}  # of some kinds
TINY, LARGE = Fraction(1, 10**30), 10**40 + 7
WEIGHTS = [*map(Fraction, (0, 0, 1, 1, 1, 2, 3)), 1 + TINY, TINY, Fraction(LARGE, 3)]
MODELS = {
    "blowfish": (
        "histogram-error known-sums-error one-solution two-solutions all-or-nothing known-sums "
        "parallel-composition parallel-composition-public-count"
    ),
    "composition": (
        "supports-matter habits-tell-less-and-less one-time-pad post-processing-invariance "
        "collapse-one-prior influence-under-constraints influence-short-chain markov-influence "
        "influence-alternating-chain influence-of-intervals influence-of-intervals-that-change "
        "influence-uneven-split influence-of-a-tree "
        "collapse-interval-corners"
    ),
    "coupled-worlds": (
        "composition-of-words inference-and-certainty inference-theorem "
        "parity-with-parity-known majority-without-noise noiseless-from-simulators "
        "histogram-of-a-sample hull-of-beliefs"
    ),
    "mechanisms": (
        "divergences ties mixture post-processing survey-designs geo-indistinguishability "
        "estimates local-channels guesses maximal-leakage"
    ),
    "exponentials": "linear-programs one-epsilon discrete-gaussian unknown-records",
    "noise": "noisy-max normal released released-chain sparse-vector-variants",
    "parameters": (
        "linear-programs ranges-and-orders two-state-chain two-truths unknown-crowd "
        "level-against-error one-irrational-value k-ary influence-uneven-split-of-a-chain "
        "composition-under-limits"
    ),
    "pufferfish": (
        "absent-or-changed iid-two-values one-winner hedging-is-no-mixture "
        "mixtures-without-a-worst mixtures-irrational-level constraints-without-a-worst "
        "priors-are-not-convex "
        "intervals-for-each-secret universally-composable markov-intervals markov-chains "
        "chain-of-channels chain-of-three-values tree-of-channels"
    ),
    "row-cone": (
        "erasure two-mechanisms definitions-compared closures-compared exponential-facets "
        "k-ary-facets row-cone-of-randomized-response closure-by-rows own-closures less-truth"
    ),
    "synthesis": "three-counts",
}


def main() -> None:
    found: dict[str, list[Parts]] = {}
    for document in (*by_hand(), *from_models(), *drawn(Random(1))):
        parts = opened(document)
        # of other kinds the oracle knows nothing; some things cannot be said by their parts
        known = parts.kind in JUDGES and is_small(parts)
        known = known and check(closed(parts)).outcome == "accepted"
        if known and parts not in found.get(parts.kind, ()):
            found.setdefault(parts.kind, []).append(parts)
    chosen = [
        p for kind in sorted(found) for p in islice(filter(is_known, some(found[kind])), MOST)
    ]
    lines = [json.dumps([p.claim, p.model, p.relation, p.witness]) for p in chosen]
    BASES.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), dict(Counter(p.kind for p in chosen)))


def some(listed: list[Parts]) -> list[Parts]:
    """All of them in another order, in turn one of each shape."""
    shapes: dict[str, list[Parts]] = {}
    for parts in Random(1).sample(listed, len(listed)):
        shapes.setdefault(shape(parts), []).append(parts)
    turns = zip_longest(*(shapes[name] for name in sorted(shapes)))
    return [parts for turn in turns for parts in turn if parts]


def shape(parts: Parts) -> str:
    """What decides by which rules a certificate is read, and how."""
    relation = parts.relation or {}
    inner = [relation, *(relation.get(key) or {} for key in ("if", "then", "under", "pairs"))]
    rules = [one.get("rule") for one in inner if type(one) is dict]
    classes = [one.get("class") for one in [relation.get("priors")] if type(one) is dict]
    witness = sorted(parts.witness) if type(parts.witness) is dict else None
    exact = [sorted(part) for part in (parts.claim, parts.claim.get("leakage") or {})]
    own = [sorted(parts.model), relation.get("kind"), '"e' in json.dumps(parts.model)]
    return json.dumps([rules, classes, witness, exact, own, parts.claim["verdict"]])


def is_small(parts: Parts) -> bool:
    few = len(parts.model.get("worlds", ())) <= WORLDS
    return few and len(json.dumps(closed(parts), default=str)) <= LENGTH.get(parts.kind, SHORT)


def is_known(parts: Parts) -> bool:
    """Whether the oracle tells soon that the claim is true; it must not say that it is false."""
    started = process_time()
    answer = is_true(parts.claim, parts.model, parts.relation)
    assert answer is not False, parts
    return answer is True and process_time() - started < SECONDS


def by_hand() -> Iterator[Any]:
    yield from examples().values()
    yield from (make() for make in compositions.CASES)
    yield from (make() for make in (test_runs.response, test_runs.collapse, test_runs.in_turn))
    for make in (test_program.optimal, test_program.unbounded, test_program.infeasible):
        yield make.__wrapped__(Build)


def from_models() -> Iterator[Any]:
    for folder, names in MODELS.items():
        for name in names.split():
            yield from _certificates(ROOT / "models" / folder / f"{name}.yaml")


def _certificates(path: Path) -> Iterator[Any]:
    for result in verify.run(str(path), verify.Options(time_limit=5)):
        if result.answer.certificate is not None:
            yield json.loads(json.dumps(result.answer.certificate, default=str))


def drawn(random: Random) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        for number, spec in enumerate(chain(_specs(random), _with_a_parameter(random))):
            path = Path(folder) / f"{number}.json"
            path.write_text(json.dumps(spec))
            yield from _certificates(path)


def _specs(random: Random) -> Iterator[Any]:
    """Two records of a bit, and two mechanisms of two or three outputs."""
    for priors in [*PRIORS.values()] * 2:
        level = {"exp_epsilon": random.choice(["1", "2", "5/4", str(1 + TINY)])}
        delta = {"delta": random.choice(["1/10", str(TINY), "1/3"])}
        checks = [
            {"differential_privacy": level},
            {"differential_privacy": level | delta},
            {"pufferfish": level},
            {"pufferfish": level | delta},
            {"composition": level},
            {"post_processing": {"of": ["given"]}},
            {"row_cone": {"of": ["given"]}},
            {"bounded_range": level},
            {"renyi": {**level, "order": random.choice(["2", "3", "5"])}},
            {"error": {"loss": "1/3 if output == 'o0' else r1 + r2", "at_most": 1}},
        ]
        if "list" in priors:
            checks += [{"influence": {"entries": 1, **level}}]
            checks += [{"distributional_privacy": level | more} for more in ({}, delta)]
            checks += [{"distributional_privacy": {**level, **delta, "form": "inference"}}]
        for check_ in checks:
            yield {
                "worlds": {"records": 2, "domain": [0, 1]},
                "secrets": {"s": "r1 == 0", "t": "r1 == 1"},
                "pairs": [["s", "t"]],
                "priors": priors,
                "mechanisms": {"given": _table(random), "asked": _table(random)},
                "checks": [check_ if "influence" in check_ else {**check_, "mechanism": "asked"}],
            }


def _with_a_parameter(random: Random) -> Iterator[Any]:
    """Two or three worlds whose numbers are functions, some of which vanish at one value."""
    rows = (
        *(["p", "1-p"], ["1-p", "p"], ["1/3", "2/3"], ["p**2", "1-p**2"]),
        ["(2*p**2-1)**2", "4*p**2-4*p**4"],
    )
    levels = ("3/2", "1 + p", "2", "4*p**2/(1-p)", "1/(1-p)**2")
    for number in range(24):
        near = {world: random.choice(rows) for world in "abc"}
        level = {"exp_epsilon": random.choice(levels)}
        delta = {"delta": random.choice(["1/10", "p/4"])}
        checks = [
            {"differential_privacy": {**level, "neighbours": "all"}},
            {"differential_privacy": {**level, **delta, "neighbours": "all"}},
            {"metric_privacy": {**level, "distance": {"graph": [["a", "b"], ["b", "c", 2]]}}},
            {"pufferfish": {**level, "priors": "listed"}},
            {"pufferfish": {**level, "priors": "mixed"}},
            {"composition": {**level, "priors": "listed"}},
            {"renyi": {**level, "order": 3, "neighbours": "all"}},
            {"bounded_range": {**level, "neighbours": "all"}},
        ]
        yield {
            "parameters": {"p": random.choice(["1/2 < p < 1", "1/2 <= p < 3/4"])},
            "worlds": ["a", "b", "c"],
            "secrets": {"s": ["a"], "t": ["b", "c"]},
            "pairs": [["s", "t"]],
            "priors": {
                "listed": {"list": [{"worlds": {"a": "1/2", "b": "p/2", "c": "(1-p)/2"}}]},
                "mixed": {
                    "hull": [
                        {"worlds": {"a": "p", "b": "1-p"}},
                        {"worlds": {"a": "1/2", "c": "1/2"}},
                    ]
                },
            },
            "mechanism": {"table": {"outputs": ["x", "y"], **near}},
            "checks": [checks[number % len(checks)]],
        }


def _table(random: Random) -> Any:
    outputs = random.choice([2, 2, 3])
    columns = {}
    for name in ("00", "01", "10", "11"):
        weights = [random.choice(WEIGHTS) for _ in range(outputs - 1)] + [Fraction(1)]
        random.shuffle(weights)
        columns[name] = [str(w / sum(weights)) for w in weights]
    return {"table": {"outputs": [f"o{k}" for k in range(outputs)], **columns}}


if __name__ == "__main__":
    main()
