"""Short certificates that ask for hours of work are refused at once."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model, sensitivity
from tests.checker.drafts import asking, between, check, digest_of, draft
from tests.checker.outcomes import of_network, outcome, with_parts
from tests.checker.test_composition_levels import listed
from tests.checker.test_optimal import made as optimal
from tests.checker.test_polynomials import interior, markov
from tests.checker.test_region import sealed
from tests.pages import example
from tests.steps import at_most
from verifier.checker import document
from verifier.checker.document import Refused, canonical, limited, spend
from verifier.checker.numbers import Poly, packed
from verifier.checker.powers import enclosure, logarithm
from verifier.checker.signs import Cell
from verifier.checker.sturm import Gap, Real

Json = dict[str, Any]
COIN = ["1/2", "1/2"]
ALONE: Json = {
    "rule": "network",
    "limit": "1",
    "per_unit": False,
    "hidden": 0,
    "priors": None,
    "chosen": [0],
}


def many_distances() -> Json:
    """A table of all outputs for each distance."""
    model = mechanism_model({"a": COIN, "b": COIN})
    size = 30000
    halves = [0] * (size // 2), [1] * (size // 2)
    columns = [[*halves[0], *halves[1]], [*halves[1], *halves[0]]]
    codes = {"values": [f"1/{2 * size}", f"3/{2 * size}"], "columns": columns}
    model |= {"outputs": [str(o) for o in range(size)], **codes}
    distances = {f"{k}/7": [[1], []] for k in range(1, 6001)}
    return certificate(model, {"rule": "pairs", "distances": distances}, "3", "holds")


def many_pairs() -> Json:
    """One pair of large secrets, very often."""
    worlds = {str(w): COIN for w in range(6000)}
    relation = between(
        {"s": list(range(3000)), "t": list(range(3000, 6000))},
        [["s", "t"]] * 30000,
        {"class": "all"},
    )
    return certificate(mechanism_model(worlds), relation, "1", "holds")


def many_conditionals() -> Json:
    """Every prior given every secret."""
    worlds = {str(w): COIN for w in range(100)}
    model = mechanism_model(worlds)
    size = 1000
    model |= {"outputs": [str(o) for o in range(size)], "values": [f"1/{size}"]}
    model["columns"] = [[0] * size] * 100
    relation = between(
        {f"s{k}": list(range(100)) for k in range(200)},
        [],
        {"class": "list", "priors": [["1/100"] * 100] * 100},
    )
    return certificate(model, relation, {"vacuous": True}, "holds")


def deep_tree() -> Json:
    """Each level of the tree makes coefficients longer by 40,000 binary digits."""
    tree: Any = 0
    for _ in range(300):
        tree = [0, 1, 10**2999, 10**2999, tree, 0]
    return interior(tree)


def deeper_tree() -> Json:
    tree: Any = 0
    for _ in range(10**5):
        tree = {"merge": [0, 1], "tree": tree}
    document = interior()
    document["evidence"]["witness"]["upper"][0]["tree"] = tree
    return document


def long_chain() -> Json:
    document = markov()
    wide = [["0", "1"]] * 31
    values = [[v] for v in range(31)]
    document["relation"]["priors"].update(values=values, initial=wide, transition=[wide] * 31)
    return document


def long_power() -> Json:
    document = optimal()
    document["relation"]["under"] = {"rule": "pairs", "distances": {"10000000": [[1], []]}}
    return document


def long_run() -> Json:
    document = listed()
    document["claim"].update(verdict="violated", level={"exp_epsilon": "19/10", "delta": "0"})
    known = document["evidence"]["witness"]["lower"]
    known.update(run=dict(known["counts"]), repetitions=10**12)
    return document


def _between_secrets(
    kind: str, priors: Json, columns: list[list[str]], level: Json, witness: Json, more: Json
) -> Json:
    """Of the worlds, the first half are one secret, and the others the other one."""
    half = len(columns) // 2
    secrets = {"s": list(range(half)), "t": list(range(half, 2 * half))}
    relation = {"rule": "secrets", "secrets": secrets, "pairs": [["s", "t"]], "priors": priors}
    model = mechanism_model({str(w): column for w, column in enumerate(columns)}) | more
    found = certificate(model, relation, "2", "holds")
    found["claim"] |= {"kind": kind, "level": level}
    found["evidence"] = {"witness": witness}
    return found


def many_supports() -> Json:
    """Each of four distributions of four values makes any of 15 sets of them possible."""
    wide = [["0", "1"]] * 4
    priors = {
        "class": "markov",
        "values": [[v] for v in range(4)],
        "initial": wide,
        "transition": [wide] * 4,
    }
    records = {"records": [[w // 4, w % 4, 0, 0] for w in range(8)], "entries_per_record": 1}
    witness = {"upper": [], "lower": None}
    level = {"exp_epsilon": "2", "delta": "0"}
    return _between_secrets("composition", priors, [COIN] * 8, level, witness, records)


def many_events() -> Json:
    """Each of 2^20 events has polynomials of 144 terms."""
    records = {"records": [[w] for w in range(24)], "entries_per_record": 1}
    columns = [["1/20"] * 20] * 24
    level = {"exp_epsilon": "2", "delta": "1/2"}
    witness = {"lower": None, "upper": []}
    return _between_secrets("polynomials", {"class": "iid"}, columns, level, witness, records)


def events_without_proofs() -> Json:
    """There are 2^24 events, none of which has a proof."""
    columns = [["1/24"] * 24] * 2
    level = {"exp_epsilon": "2", "delta": "1/2"}
    priors = {"class": "hull", "priors": [COIN]}
    witness = {"lower": None, "upper": [], "impossible": {}}
    return _between_secrets("polytope", priors, columns, level, witness, {})


def many_neighbours() -> Json:
    """Of 20 worlds each has a neighbour of its own, so that there are 2^20 sets of these."""
    points = [["1", "1", *("01"[k == own] for k in range(20))] for own in range(20)]
    alone = [{"pair": ["s", "t"], "point": point, "powers": [0] * 22} for point in points]
    records = {"records": [[w // 20, w % 20] for w in range(40)], "entries_per_record": 1}
    witness = {"alone": alone, "trees": []}
    priors = {"class": "product"}
    found = _between_secrets("composable", priors, [COIN] * 40, {}, witness, records)
    for key in ("outputs", "values", "columns"):
        del found["model"][key]
    for key in ("level", "leakage"):
        del found["claim"][key]
    found["claim"] |= {"one_run": None, "digest": digest_of(found["model"])}
    return found


def _at_distance(distance: str, alpha: str) -> Json:
    relation = {"rule": "pairs", "distances": {distance: [[1], [0]]}}
    return certificate(mechanism_model({"a": ["1/3", "2/3"], "b": COIN}), relation, alpha, "holds")


def irrational_root() -> Json:
    """A level with a power of e, at a distance that raises probabilities to a high power."""
    return _at_distance("1/1000000000000", "e")


def irrational_power() -> Json:
    """The same, where it is the level that is raised."""
    return _at_distance("1000000000000", "e")


def _diverging(order: str | None, first: list[str], second: list[str]) -> Json:
    rule = "bounded_range" if order is None else "renyi"
    relation = {"rule": rule, "order": order, "pairs": {"rule": "all"}}
    model = mechanism_model({"a": first, "b": second})
    found = certificate(model, relation, {"exp_epsilon": "3/2"}, "holds", {"pair": [0, 1]})
    found["claim"]["kind"] = "divergence"
    return found


def power_of_roots() -> Json:
    """Ratios that are powers, so that the sum of their roots is one more time to be a power."""
    s, t = Fraction(17, 16) ** 999, Fraction(15, 16) ** 999
    q = (1 - t) / (s - t)
    return _diverging("1000/999", [str(q * s), str(1 - q * s)], [str(q), str(1 - q)])


def long_ratios() -> Json:
    """Few long probabilities, which meet in many ways."""
    unit, size = 10**3000 + 7, 12
    parts = [unit // (size + 1 + k) for k in range(size - 1)]
    values = [str(Fraction(part, unit)) for part in (*parts, unit - sum(parts))]
    found = _diverging(None, values, values)
    random = Random(1)
    found["model"] = mechanism_model({str(k): random.sample(values, size) for k in range(60)})
    found["claim"]["digest"] = digest_of(found["model"])
    return found


def path_of_records(digits: int) -> Json:
    """Records that follow each other, by transitions of so many digits."""
    people, unit = 20, 10**digits + 7
    table = [[f"{unit // k}/{unit}", f"{unit - unit // k}/{unit}"] for k in (3, 5)]
    chosen, parents = [-1] + [0] * (people - 1), list(range(-1, people - 1))
    tree = {"initial": COIN, "parents": parents, "transitions": [table], "chosen": chosen}
    priors = {"class": "trees", "trees": [tree]}
    relation = of_network([[[[0], [1]]]], [0] * people, priors, hidden=people)
    model: Json = {"worlds": ["0", "1"], "people": [str(i) for i in range(people)]}
    model |= {"records": [[0], [1]], "entries_per_record": 1}
    witness = {"upper": [[[0, people - 1]]] * (2 * people), "worst": 0}
    found = certificate(model, relation, "1", "holds", witness)
    found["claim"].update(kind="quilts", leakage={"exp_epsilon": "1"})
    return found


def _of_many_digits(worlds: int, outputs: int) -> Json:
    """Columns of 0, a number of 20,000 digits, and the rest to 1, in other places each."""
    unit, rest = 10**20000 + 7, [0] * (outputs - 2)
    model: Json = {"worlds": [str(w) for w in range(worlds)]}
    model["outputs"] = [f"{o:x}" for o in range(outputs)]
    model["values"] = ["0", f"1/{unit}", f"{unit - 1}/{unit}"]
    model["columns"] = [[*rest[:w], 1, 2, *rest[w:]] for w in range(worlds)]
    witness, level = {"pair": [0, 1], "outputs": [0]}, {"exp_epsilon": "2", "delta": "1/2"}
    return certificate(model, {"rule": "all"}, "2", "holds", witness, level)


def long_vectors() -> Json:
    return _of_many_digits(2, 40000)


def many_long_vectors() -> Json:
    return _of_many_digits(40, 3000)


def wide_room() -> Json:
    """Changes of 20 records, each at any of seven costs, of which nine fit together."""
    bit = {"outputs": ["x", "y"], "values": ["1/4", "3/4"], "columns": [[0, 1], [1, 0]], "runs": 1}
    people = list(map(str, range(20)))
    model = {"worlds": ["0", "1"], "people": people, "channels": [[bit]], "chosen": [0] * 20}
    costs = {"rule": "pairs", "distances": {str(10**8 + 17**k): [[1], []] for k in range(7)}}
    relation = {**ALONE, "limit": "900000000", "parts": [costs], "chosen": [0] * 20}
    found = certificate(model, relation, "3", "violated")
    found["claim"]["kind"] = "local"
    return found


def many_values() -> Json:
    """Each two of them would be secrets."""
    size = 3000
    model = {**mechanism_model({"a": COIN}), "worlds": [str(w) for w in range(size)]}
    model |= {"columns": [[0, 0]] * size, "records": [[w] for w in range(size)]}
    relation = {"rule": "secrets", "secrets": {}, "pairs": [], "priors": {"class": "all"}}
    found = certificate({**model, "entries_per_record": 1}, relation, "1", "holds")
    found["claim"].update(definition="pufferfish", options={"pairs": "values"})
    return found


def many_pairs_of_a_definition() -> Json:
    """The same large secrets very often, where no records say what they are about."""
    found = many_pairs()
    found["claim"].update(definition="pufferfish", options={"pairs": "values"})
    return found


def many_records() -> Json:
    """What is seen of so many records without each of them."""
    size = 7000
    view = {"alt": [0, 0], "priv": [0, 1]}
    relation = {"rule": "simulator", "views": [view] * size, "priors": [], "given": None}
    model = mechanism_model({"a": COIN, "b": COIN}, [[0] * size, [1] * size])
    found = certificate(model, relation, "1", "holds")
    options = {"form": "simulation", "indexed": True, "auxiliary": None, "simulator": "any"}
    found["claim"].update(definition="distributional_privacy", kind="simulator", options=options)
    return found


def many_shown() -> Json:
    """A pair of many worlds, which are looked for."""
    model = mechanism_model({str(w): COIN for w in range(4000)})
    witness = {"pair": list(range(4000, 104000)), "output": 0}
    return certificate(model, {"rule": "all"}, "1", "holds", witness)


def many_moved() -> Json:
    model = {"worlds": [str(w) for w in range(4000)], "functions": [["0"] * 4000]}
    return sensitivity(model, {"rule": "all"}, "0", "0", "holds", list(range(4000, 104000)))


def many_choices() -> Json:
    """Of 40 records each 20, in two worlds."""
    model = mechanism_model({"a": COIN, "b": COIN, "c": COIN}, [[0] * 40, [1] * 40, [0, *[1] * 39]])
    return certificate(model, {"rule": "replace", "group": 20}, "1", "holds")


def many_draws() -> Json:
    """A long ratio, and its power of 999,999."""
    long = "3" * 300
    bit = {"outputs": ["x", "y"], "values": [f"1/{long}", f"{'3' * 299}2/{long}"]}
    channel = [{**bit, "columns": [[0, 1], [1, 0]], "runs": 999_999}]
    model = {"worlds": ["0", "1"], "people": ["ann"], "channels": [channel], "chosen": [0]}
    found = certificate(model, {**ALONE, "parts": [{"rule": "all"}]}, "3", "violated")
    found["claim"]["kind"] = "local"
    return found


def many_moves() -> Json:
    """Of records that are not told apart, of five values, so many move."""
    model = mechanism_model({"a": COIN, "b": COIN})
    counts = [[10**9, 0, 0, 0, 0], [0, 0, 0, 0, 10**9]]
    model |= {"counts": counts, "entries_of_values": [[v] for v in range(5)]}
    return certificate(model, {"rule": "replace", "group": 10**8}, {"vacuous": True}, "holds")


def _of_parameters(low: str, sample: str) -> Json:
    ends = {"from": {"rational": low, "closed": False}, "to": {"rational": "1/2", "closed": False}}
    where = [{"polynomial": "1 + p^500", "strict": False}]
    relation = {"rule": "parameters", "parameters": ["p"], "domain": [ends], "where": where}
    cell = {"outputs": ["x", "y"], "values": ["p", "1 - p"], "columns": [[0, 1], [1, 0]]}
    model = {"worlds": ["a", "b"], "cells": [cell]}
    witness = {"cells": [{"sample": [sample], "signs": []}]}
    found = certificate(model, {**relation, "cells": [{"rule": "all"}]}, "2", "holds", witness)
    found["claim"]["kind"] = "parameters"
    del found["claim"]["leakage"]
    return found


LONG = f"{10**5000 // 3}/{10**5000}"


def long_sample() -> Json:
    return _of_parameters("1/4", LONG)


def long_end() -> Json:
    return _of_parameters(LONG, "2/5")


def _at_a_point(rule: str, **relation: Any) -> Json:
    """A long number as the first value of a parameter, and its power in a model."""
    ends = [{"rational": LONG, "closed": True}, {"rational": "1/2", "closed": False}]
    point, gap = {"from": ends[0], "to": ends[0]}, {"from": {**ends[0], "closed": False}}
    both = [point, {**gap, "to": ends[1]}]
    table = {"outputs": ["x", "y"], "values": ["p^5000", "1 - p^5000"], "columns": [[0, 1], [1, 0]]}
    model = {"worlds": ["a", "b"], "cells": [{**one, **table} for one in both]}
    relation = {"rule": rule, "parameter": "p", "from": ends[0], "to": ends[1], **relation}
    found = certificate(model, relation, "2", "violated")
    del found["claim"]["leakage"]
    found["claim"].update(kind=rule, region=[], pieces=both)
    return found


def long_point() -> Json:
    found = _at_a_point("region", cells=[{"rule": "all"}] * 2)
    found["evidence"]["witness"] = {"places": [{"pair": [0, 1], "output": 0}] * 2}
    return found


def long_point_of_a_function() -> Json:
    found = _at_a_point("pieces", kind="row_cone", cells=[None, None])
    del found["claim"]["level"]
    for cell in found["model"]["cells"]:
        table = {key: cell[key] for key in ("outputs", "values", "columns")}
        cell["given"] = [{"name": "m", **table}]
    found["claim"]["digest"] = digest_of(found["model"])
    for piece in found["claim"]["pieces"]:
        piece["verdict"] = "violated"
    shown = {"witness": {"output": 0, "inequality": ["1", "0"]}}
    found["evidence"]["witness"] = {"pieces": [shown, shown]}
    return found


@pytest.mark.parametrize(
    "make",
    [
        *(many_distances, many_pairs, many_conditionals, deep_tree, deeper_tree),
        *(long_chain, long_power, long_run, irrational_root, irrational_power),
        *(power_of_roots, long_ratios, long_sample, long_end),
        *(long_point, long_point_of_a_function, long_vectors, many_long_vectors),
        *(many_values, many_pairs_of_a_definition, many_records, many_shown, many_moved),
        *(many_supports, many_events, events_without_proofs, many_neighbours),
        *(many_choices, many_draws),
    ],
)
def test_refused_at_once(make: Callable[[], Json]) -> None:
    document = make()
    with at_most(2 * 10**6):
        assert check(document).outcome in ("refused", "rejected")


def test_what_changes_cost_together_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_BYTES", 10**5)
    with at_most(10**5):
        assert "memory" in check(wide_room()).reason
    monkeypatch.setattr(document, "MAX_BYTES", 10**8)
    monkeypatch.setattr(document, "MAX_STEPS", 10**6)
    assert "steps" in check(wide_room()).reason


def test_what_many_moves_reach_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_BYTES", 10**6)
    with at_most(2 * 10**5):
        assert check(many_moves()).outcome == "refused"


def several_answers(*channel: Json) -> Json:
    """One record of two values with answers that are independent, and a delta."""
    model = {"worlds": ["a", "b"], "people": ["0"], "chosen": [0], "channels": [[*channel]]}
    relation = {**ALONE, "parts": [{"rule": "all"}]}
    answer = {"verdict": "violated", "leakage": {"exp_epsilon": "3"}}
    level = {"exp_epsilon": "3", "delta": "1/10"}
    return asking("local", model, relation, answer, None, level=level)


def test_losses_are_counted_as_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """18 answers have 2^18 different ratios; 900 draws of 2^-n 5^m more than 10^6: so many are
    neither kept nor multiplied."""
    prime = 10**9 + 7
    bits = [
        {
            "outputs": ["x", "y"],
            "columns": [[0, 1], [1, 0]],
            "runs": 1,
            "values": [f"{3 + 11 * k}/{prime}", f"{prime - 3 - 11 * k}/{prime}"],
        }
        for k in range(18)
    ]
    drawn = {
        "outputs": list("abcdef"),
        "values": ["1/16", "1/8", "3/16", "1/4", "5/16"],
        "columns": [[0, 1, 2, 3, 4, 0], [4, 3, 2, 1, 0, 0]],
        "runs": 900,
    }
    few = check(sealed(several_answers(*bits[:3])))
    assert few.reason == "the leakage is too small"
    monkeypatch.setattr(document, "MAX_BYTES", 10**6)
    monkeypatch.setattr(document, "MAX_STEPS", 10**6)
    for channel, unit in ((bits, "memory"), ([drawn], "steps")):
        with at_most(10**6):
            found = check(sealed(several_answers(*channel)))
        assert found.outcome == "refused" and unit in found.reason


def test_long_polynomials_of_one_parameter_are_refused() -> None:
    ends = (Real(x, x) for x in (Fraction(1, 2), Fraction(3, 4)))
    gap = Gap(*ends)
    assert not gap.roots((-2,) + (0,) * 500 + (1,))
    long = (-(10**3000), *[10**2999] * 4900)
    with limited(), pytest.raises(Refused, match="steps"):
        gap.roots(long)


def test_polynomials_on_a_cell_are_counted_before_they_are_made() -> None:
    """A power of three parameters has 91^3 terms there, each of more than 10^4 binary digits."""
    sides = ((Fraction(123457, 999983), Fraction(999979, 999983)),) * 3
    place = Cell(("p", "q", "r"), sides, [])
    with pytest.raises(Refused, match="memory"):
        place.homogeneous(Poly({packed((90, 90, 90)): 1}))


def test_a_tree_pays_for_long_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**7)
    monkeypatch.setattr("verifier.checker.document.STEPS_OF_BYTE", 0)
    assert check(path_of_records(1)).outcome == "accepted"
    assert "more steps than are allowed" in check(path_of_records(1000)).reason
    monkeypatch.undo()
    assert check(path_of_records(200)).outcome == "accepted"


def test_no_group_is_gone_through_where_nothing_changes() -> None:
    """No record is absent, so none is added, however many may be."""
    model = mechanism_model({"a": COIN, "b": ["1/3", "2/3"]})
    model |= {"counts": [[2**50, 0], [0, 2**50]], "entries_of_values": [[0], [1]]}
    relation = {"rule": "add_remove", "group": 2**59}
    with at_most(10**5):
        assert check(certificate(model, relation, {"vacuous": True}, "holds")).outcome == "accepted"


def test_what_many_changes_of_histograms_reach_is_paid_for() -> None:
    """So many records move that each number of changes reaches two other histograms."""
    model = mechanism_model({"a": COIN, "b": COIN})
    model |= {"counts": [[2**59, 0], [2**59 - 1, 1]], "entries_of_values": [[0], [1]]}
    for group, expected in ((1000, "accepted"), (10**6, "refused")):
        relation = {"rule": "replace", "group": group}
        assert check(certificate(model, relation, "1", "holds")).outcome == expected


def of_entries(rows: list[list[int]], most: int) -> Json:
    """What half of some worlds tell, whatever is hidden, which is said to be everything."""
    half, names = len(rows) // 2, list(map(str, range(len(rows))))
    model = {"worlds": names, "records": rows, "entries_per_record": 1}
    sides = {"s": [*range(half)], "t": [*range(half, 2 * half)]}
    relation = {"rule": "influence", "entries": most, "secrets": sides, "pairs": [["s", "t"]]}
    relation["priors"] = {"class": "list", "priors": [[f"1/{2 * half}"] * (2 * half)]}
    witness = {"upper": None, "worst": 0}
    found = certificate(model, relation, {"infinite": True}, "violated", witness)
    found["claim"]["kind"] = "influence"
    return found


def test_entries_that_tell_everything_alone() -> None:
    """Each of 60: 45 may be hidden in any way, of which few are looked at."""
    with at_most(10**6):
        assert check(of_entries([[0] * 60, [1] * 60], 45)).outcome == "accepted"
        assert check(of_entries([[0] * 60, [1] * 60], 60)).outcome == "rejected"


def test_many_ways_to_hide_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40 drawn bits any few tell the worlds apart, and 20 may be hidden."""
    random = Random(1)
    rows = [[random.getrandbits(1) for _ in range(40)] for _ in range(8)]
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**5)
    assert check(of_entries(rows, 20)).outcome == "refused"


def test_posteriors_of_many_priors_and_outputs_are_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (prior,) = example("inference")["question"]["relation"]["priors"]
    table = {"outputs": [str(o) for o in range(40)], "values": ["0", "1/4", "3/4"]}
    columns = [[2, 1, *[0] * 38], [1, 2, *[0] * 38]]
    model = {**example("inference")["question"]["model"], **table, "columns": columns}
    parts = {"question__relation__priors": [prior] * 100, "question__model": model}
    document = with_parts(example("inference"), **parts)
    assert outcome(document) == "accepted"
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**6)
    assert outcome(document) == "refused"


def test_channels_are_read_once() -> None:
    """Of many trees, and an answer of 3000 outputs that say nothing."""
    size, path = 3000, "question__relation__priors__trees"
    flat = {"outputs": [str(o) for o in range(size)], "values": [f"1/{size}"], "runs": 1}
    (one,) = example("network")["question"]["relation"]["priors"]["trees"]
    parts = {
        path: [one] * 300,
        "question__model__channels": [[{**flat, "columns": [[0] * size] * 2}]],
        "evidence__witness__worst": None,
        "answer": {"verdict": "holds", "leakage": {"exp_epsilon": "1"}},
    }
    with at_most(3 * 10**6):
        assert outcome(with_parts(example("network"), **parts)) == "accepted"


def test_products_of_many_events_are_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = f"{10**3000 // 3}/{10**3000}"
    noise = {
        "laws": [["interval", "1"]],
        "events": [{"draws": [0], "conditions": [[[[0, 1]], f"-{limit}"]]}],
        "sums": [[0, [["1", [0] * 100]]]],
    }
    document = with_parts(example("post_processing"), question__model__noise=noise)
    assert outcome(document) == "rejected"
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**6)
    monkeypatch.setattr("verifier.checker.document.STEPS_OF_BYTE", 0)
    assert outcome(document) == "refused"


def test_functions_pay_for_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read again on every part of a piece."""
    long = "4" + "0" * 20000
    payoff = {"0": [f"4 - {long}*p", "0"], "1": ["0", "4*p"]}
    path = "evidence__places__0__witness__payoff"
    document = with_parts(example("pieces"), **{path: payoff})
    assert outcome(document) == "rejected"
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**5)
    assert outcome(document) == "refused"
    assert outcome(example("pieces")) == "accepted"


def test_many_draws_for_one_record_are_added_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a delta, and of each two of six values."""
    values = [f"{k}/13" for k in range(1, 13)]
    table = {"outputs": ["0", "1"], "values": values, "runs": 100}
    columns = [[k, 11 - k] for k in range(6)]
    parts = {
        "question__model__worlds": [str(k) for k in range(6)],
        "question__model__records": [[k] for k in range(6)],
        "question__model__channels": [[{**table, "columns": columns}]],
        "question__model__people": ["ann"],
        "question__model__chosen": [0],
        "question__definition": None,
        "question__options": {},
        "question__relation": {**ALONE, "parts": [{"rule": "all"}]},
        "question__level": {"exp_epsilon": "2", "delta": "1/2"},
        "answer": {"verdict": "violated", "leakage": {"exp_epsilon": "3"}},
    }
    document = with_parts(example("local"), **parts)
    with at_most(6 * 10**6):
        assert outcome(document) == "rejected"
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**5)
    assert outcome(document) == "refused"


def test_each_record_has_a_channel_that_gives_an_answer() -> None:
    bit = {"outputs": ["x", "y"], "values": ["1/4", "3/4"], "columns": [[0, 1], [1, 0]], "runs": 1}
    without, several = several_answers(), several_answers(bit)
    several["question"]["model"]["chosen"] = [0, 0]
    for stated, reason in ((without, "gives an answer"), (several, "for each record")):
        found = check(sealed(stated))
        assert found.outcome == "refused" and reason in found.reason


def test_long_questions_have_more_steps() -> None:
    """20,000 for each byte beyond 4,000, and nine times those of a short one at most."""
    for size, more in ((4_000, 0), (4_100, 2 * 10**6), (10**6, 9 * 10**8)):
        with limited() as spent:
            canonical("x" * (size - 2))  # and two quotation marks
            assert spent[0] == -more, size
            spend(10**8 + more)
            with pytest.raises(Refused, match="steps"):
                spend(1)


def test_long_weights_of_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of two rows over a denominator of 20,000 digits take some hundred times as long."""
    monkeypatch.setattr("verifier.checker.document.MORE_STEPS", 0)
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**7)
    names, size = [f"n{k}" for k in range(60)], range(60)
    columns = [[int(o == w) for o in size] for w in size]
    own = {"outputs": names, "values": ["0", "1"], "columns": columns}
    model = {"worlds": names, **own, "given": [{"name": name, **own} for name in "ab"]}
    for digits, reason in ((10, "proves the claim"), (20_000, "steps")):
        unit = 10**digits
        both = [f"1/{unit}", f"{unit - 1}/{unit}"]
        witness: Any = {"weights": [[[k, o, both[k]] for k in (0, 1)] for o in size]}
        document = draft("post_processing", model, {"rule": "post_processing"}, witness)
        assert reason in check(document).reason


def test_no_verdict_depends_on_what_was_checked_before() -> None:
    """What is kept is paid once in each certificate."""
    paid = []
    for times in (1, 2, 1):
        with limited() as spent:
            for _ in range(times):
                logarithm(Fraction(3), 2000)
                enclosure(7, 3, 2000)
            paid.append(spent[0])
    assert paid[0] == paid[1] == paid[2] > 1000
