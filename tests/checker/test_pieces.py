"""Certificates of kind pieces: good ones, and siblings that are broken by hand; their numbers.

The example of the page tells a bit with 3/4 by one that is told with p: that is possible from 3/4
on, as a mean of p and 1 - p with weights (4p - 1)/(8p - 4) and the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import asking, check, digest_of, of_format_2, sealed, stated
from tests.checker.outcomes import GONE, siblings
from tests.pages import example
from verifier import checker
from verifier.base import parameters
from verifier.checker import reading
from verifier.checker.document import FUNCTIONS, MAX_STEPS, Refused, Rejected, limited, spend
from verifier.checker.levels import Level
from verifier.checker.losses import needs_level
from verifier.checker.numbers import Divided, Number, Poly, functions_on
from verifier.checker.pieces import _followed
from verifier.checker.signs import Spot, dense
from verifier.checker.sturm import Dense, Gap, Real, compare, multiplied
from verifier.questions.answer import write
from verifier.run import verify

Json = dict[str, Any]
EXAMPLE: Json = of_format_2(example("pieces"))
HALF, ONE = Fraction(1, 2), Fraction(1)
ROOT_2 = Real(Fraction(7, 10), Fraction(3, 4), (-1, 0, 2))  # √½


def broken(edit: Callable[[Json], object], source: Json = EXAMPLE) -> str:
    """The outcome of a sibling, whose digest is the right one."""
    found = deepcopy(source)
    edit(found)
    found["digest"] = digest_of(found["question"])
    return check(found).outcome


def pieces(document: Json) -> Any:
    return document["answer"]["pieces"]


def shown(document: Json) -> Any:
    return document["evidence"]["witness"]["pieces"]


def undecided(document: Json, at: int, said: Any = True) -> None:
    """No more is said of a piece."""
    ends = {key: pieces(document)[at][key] for key in ("from", "to")}
    pieces(document)[at] = {**ends, "undecided": said}
    shown(document)[at] = None


def without_the_last(document: Json) -> None:
    """The last piece is undecided, and only its end is in the region."""
    undecided(document, 2)
    document["answer"]["region"][0]["to"] = {"rational": "3/4", "closed": True}


WORLDS: Json = {"records": [[0], [1]], "entries_per_record": 1}
WORLDS |= {"counts": [[1, 0], [0, 1]], "entries_of_values": [[0], [1]]}


def in_a_cell(document: Json, key: str) -> None:
    """A part that says what the worlds are, where it depends on the parameter; the rest beside."""
    model = document["question"]["model"]
    model["cells"][0][key] = WORLDS[key]
    if key in ("records", "entries_per_record"):
        (other,) = {"records", "entries_per_record"} - {key}
        model[other] = WORLDS[other]
    elif key == "entries_of_values":
        model["counts"] = WORLDS["counts"]


test_siblings = siblings(
    (EXAMPLE, "accepted", "", without_the_last),
    (EXAMPLE, "rejected", "", lambda d: undecided(d, 2)),
    (EXAMPLE, "refused", "", lambda d: undecided(d, 2, False)),
    (EXAMPLE, "rejected", "", lambda d: (without_the_last(d), undecided(d, 0))),
    (EXAMPLE, "rejected", "", lambda d: (undecided(d, 0), d["answer"].update(verdict="holds"))),
    (
        EXAMPLE,
        "refused",
        "",
        lambda d: (without_the_last(d), shown(d).__setitem__(2, shown(EXAMPLE)[2])),
    ),
    (EXAMPLE, "rejected", "answer.verdict", "holds"),
    (EXAMPLE, "rejected", "answer.pieces.0.verdict", "holds"),
    (EXAMPLE, "refused", "answer.pieces.0.verdict", GONE),
    (EXAMPLE, "refused", "answer.pieces.0.leakage", {"exp_epsilon": "1"}),
    (EXAMPLE, "refused", "answer.leakage", {"vacuous": True}),
    (EXAMPLE, "rejected", "answer.region", []),
    (EXAMPLE, "rejected", "answer.region.0.from.rational", "2/3"),
    (EXAMPLE, "refused", "", lambda d: (pieces(d).clear(), shown(d).clear())),
    (EXAMPLE, "rejected", "", lambda d: (pieces(d).pop(), shown(d).pop())),
    (
        EXAMPLE,
        "rejected",
        "",
        lambda d: (pieces(d).append(pieces(d)[2]), shown(d).append(shown(d)[2])),
    ),
    (EXAMPLE, "refused", "witness.pieces.-1", GONE),
    (EXAMPLE, "refused", "witness.pieces.1", None),
    (EXAMPLE, "rejected", "", lambda d: shown(d).__setitem__(0, shown(d)[2])),
    (EXAMPLE, "rejected", "", lambda d: shown(d).__setitem__(1, shown(d)[0])),
    (EXAMPLE, "rejected", "witness.pieces.0.witness.payoff.1", ["0", "p"]),
    (EXAMPLE, "refused", "witness.pieces.0.witness.payoff.1", ["0", "4*q"]),
    (
        EXAMPLE,
        "rejected",
        "",
        lambda d: (
            pieces(d)[0].update(to={"rational": "4/5", "closed": False}),
            pieces(d)[1].update(
                {key: {"rational": "4/5", "closed": True} for key in ("from", "to")}
            ),
            pieces(d)[2].update({"from": {"rational": "4/5", "closed": False}}),
        ),
    ),
    (EXAMPLE, "refused", "model.cells.0.worlds", ["0", "1"]),
    (EXAMPLE, "refused", "", lambda d: in_a_cell(d, "records")),
    (EXAMPLE, "refused", "", lambda d: in_a_cell(d, "entries_per_record")),
    (EXAMPLE, "refused", "", lambda d: in_a_cell(d, "counts")),
    (EXAMPLE, "refused", "", lambda d: in_a_cell(d, "entries_of_values")),
    (EXAMPLE, "refused", "relation.cells", []),
    (EXAMPLE, "refused", "relation.cells+", None),
    (EXAMPLE, "refused", "relation.rule", "region"),
    (EXAMPLE, "refused", "relation.kind", "pieces", "row_cone"),
    (EXAMPLE, "refused", "relation.from", {"rational": "1", "closed": False}),
    (EXAMPLE, "refused", "model.cells.0.given.0.values", ["1 - 2*p", "2*p"]),
    (EXAMPLE, "refused", "model.cells.0.values", ["1/4", "3/0"]),
)


def test_the_example_is_accepted() -> None:
    assert check(EXAMPLE).outcome == "accepted"


def written(text: str, folder: Path) -> list[Json]:
    """The certificates of a file."""
    path = folder / "file.yaml"
    path.write_text(text)
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        asked = verify.load(path).questions
        answers = [verify.decide(one.question) for one in asked if one.question is not None]
    return [of_format_2(json.loads(write(answer.certificate or {}))) for answer in answers]


SIDES = """
parameters: {p: 1/2 < p < 1}
worlds: [i1, i2, j1, j2]
secrets: {s: [i1, i2], t: [j1, j2]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], i1: [p, 1-p], i2: [1-p, p], j1: [p, 1-p], j2: [1-p, p]}}
priors: {hull: [{worlds: {i1: 1/2, j1: 1/2}}, {worlds: {i2: 1/3, j2: 2/3}}]}
checks:
  - pufferfish: {exp_epsilon: 13/10}
  - {pufferfish: {exp_epsilon: 3/2}, where: p == 3/4}
"""


TRUTH = """
parameters: {p: 1/2 < p < 1}
worlds: {records: 1, domain: ["0", "1"]}
mechanism: {randomized_response: {truth: p}}
checks: [differential_privacy: {exp_epsilon: 3}]
"""


def test_what_holds_at_most_has_no_witness(tmp_path: Path) -> None:
    """The leakage p/(1 - p) is at most 3 up to 3/4; no place is needed to say so."""
    document = sealed(written(TRUTH, tmp_path)[0])
    assert checker.check(document).outcome == "accepted"
    document["answer"]["pieces"][0]["leakage"] = {"at_most": "3"}
    verdict = checker.check(document)
    assert verdict.outcome == "refused" and "the witness proves nothing" in verdict.reason
    document["evidence"]["places"][0]["witness"] = None
    assert checker.check(document).outcome == "accepted"


def test_levels_from_one_side(tmp_path: Path) -> None:
    """What is said holds at the level asked for, and nothing sharper than what is proved."""
    found = written(SIDES, tmp_path)[0]
    assert check(found).outcome == "accepted"
    keys = [next(iter(piece["leakage"])) for piece in pieces(found)]
    most, least = keys.index("at_most"), keys.index("at_least")

    def said(at: int, **leakage: str) -> str:
        return broken(lambda d: pieces(d)[at].update(leakage=leakage), found)

    assert said(most, at_most="13/10") == "accepted"
    assert said(most, at_most="1") == said(most, at_most="7/5") == "rejected"
    assert said(most, at_least="13/10") == "refused"
    assert said(most, at_most="9/10") == said(least, at_least="1/2") == "refused"
    assert said(least, at_least="100") == said(least, at_least="13/10") == "rejected"
    assert said(least, at_least="5/4", at_most="7/5") == "refused"
    assert said(least, at_most="3/2") == "refused"


def test_no_piece_has_a_level_of_its_own(tmp_path: Path) -> None:
    """Else what holds at 100 would be said to hold at the 13/10 that is asked for, and does not."""
    asked = SIDES[: SIDES.index("  - {pufferfish")]
    small, large = (written(asked.replace("13/10", x), tmp_path)[0] for x in ("13/10", "100"))
    assert small["answer"]["verdict"] == "violated"
    assert large["answer"]["verdict"] == "holds"
    assert check(large).outcome == "accepted"
    level = large["question"]["level"]

    def edit(document: Json) -> None:
        document.update(answer=deepcopy(large["answer"]), evidence=large["evidence"])
        for piece in pieces(document):
            piece["level"] = level

    assert broken(edit, small) == "refused"
    for key in ("definition", "digest", "kind"):
        own = str(large["question"].get(key, large["digest"]))
        one = {key: own}
        assert broken(lambda d, one=one: pieces(d)[0].update(one), large) == "refused"


def test_nothing_else_is_said_of_all_pieces() -> None:
    """Else a value would be told that no piece has."""
    assert broken(lambda d: d["answer"].update(value="7")) == "refused"
    assert broken(lambda d: d["question"].update(at_most="7")) == "refused"


def of_a_sensitivity(document: Json) -> None:
    """A question that would be proved, if pieces of its kind were taken."""
    question = document["question"]
    question.update(definition=None, options={}, equals="1")
    document["taken"] = ["matrix", "relation", "worlds"]
    question["relation"].update(kind="sensitivity", cells=[{"rule": "all"}])
    ends = {key: question["relation"][key] for key in ("from", "to")}
    question["model"]["cells"] = [{**ends, "functions": [["0", "1"]]}]
    piece = {**ends, "verdict": "holds", "value": "1"}
    document["answer"] = {"verdict": "holds", "region": [ends], "pieces": [piece]}
    document["evidence"] = {"witness": {"pieces": [{"witness": {"pair": [0, 1]}}]}}


def test_only_some_kinds_have_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no definition asks for a kind."""
    assert broken(of_a_sensitivity) == "refused"
    monkeypatch.setattr("verifier.checker.pieces.PIECEWISE", ("sensitivity",))
    assert broken(of_a_sensitivity) == "accepted"


def test_no_side_without_a_parameter(tmp_path: Path) -> None:
    plain = SIDES.replace("parameters: {p: 1/2 < p < 1}", "parameters: {p: 3/4}")
    found = written(plain[: plain.index("  - {")], tmp_path)[0]
    assert check(found).outcome == "accepted"

    def edit(document: Json) -> None:
        document["answer"]["leakage"] = {"at_most": "13/10"}

    assert broken(edit, found) == "refused"


BIT = """
parameters: {p: 3/5 < p < 2/3}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
  - renyi: {exp_epsilon: 3, order: 3}
  - bounded_range: {exp_epsilon: 9}
"""


def test_a_level_that_is_a_root(tmp_path: Path) -> None:
    """Of order 3 the sum is p³/(1 − p)² + (1 − p)³/p², and the level its square root."""
    third, of_range = written(BIT, tmp_path)
    power = pieces(third)[0]["leakage"]["exp_epsilon"]
    assert pieces(third)[0]["leakage"] == {"exp_epsilon": power, "root": 2}
    assert check(third).outcome == check(of_range).outcome == "accepted"

    def said(document: Json = third, **leakage: Any) -> str:
        return broken(lambda d: pieces(d)[0].update(leakage=leakage), document)

    assert said(exp_epsilon=power) == "rejected"
    assert said(exp_epsilon=power, root=2, infinite=True) == "rejected"
    for root in (1, 3, True, "2", 0):
        assert said(exp_epsilon=power, root=root) == "refused"
    assert said(exp_epsilon="1", root=2) == said(exp_epsilon="9", root=2) == "rejected"
    assert said(exp_epsilon="1/2", root=2) == said(root=2) == "refused"
    assert said(of_range, exp_epsilon="9", root=2) == "refused"

    def asked(level: str, verdict: str) -> str:
        """At another level: the sum is 11/4 at 2/3, and less before."""

        def edit(document: Json) -> None:
            document["question"]["level"]["exp_epsilon"] = level
            document["answer"]["verdict"] = pieces(document)[0]["verdict"] = verdict
            if verdict == "violated":
                document["answer"]["region"].clear()

        return broken(edit, third)

    assert asked("2", "holds") == asked("1", "violated") == "accepted"
    assert asked("2", "violated") == asked("1", "holds") == "rejected"


def test_no_root_where_nothing_is_compared(tmp_path: Path) -> None:
    """Else 1 would be said to be needed."""
    found = written(BIT, tmp_path)[0]

    def edit(document: Json) -> None:
        (relation,) = document["question"]["relation"]["cells"]
        relation["pairs"] = {"rule": "pairs", "distances": {}}
        document["question"]["options"]["neighbours"] = {"where": "ann > 1"}
        document["taken"] = ["matrix", "neighbours", "worlds"]
        pieces(document)[0]["leakage"] = {"exp_epsilon": "1", "root": 2}
        shown(document)[0]["witness"] = None
        document["digest"] = digest_of(document["question"])

    edit(found)
    assert "vacuous is said" in check(found).reason


def test_no_root_without_a_parameter(tmp_path: Path) -> None:
    plain = BIT.replace("3/5 < p < 2/3", "3/4")
    found = written(plain, tmp_path)[0]
    assert check(found).outcome == "accepted"

    def edit(document: Json) -> None:
        document["answer"]["leakage"] = {"exp_epsilon": "61/9", "root": 2}

    assert broken(edit, found) == "refused"


FAR = """
parameters: {p: 3/5 < p < 2/3}
worlds: {records: 300, domain: [0, 3]}
mechanism: {local: {randomized_response: {truth: p}}}
checks:
  - metric_privacy: {exp_epsilon: 5/4, distance: l1}
  - differential_privacy: {exp_epsilon: 3}
  - metric_privacy: {exp_epsilon: 5/4, distance: hamming}
"""


def test_a_root_of_a_ratio(tmp_path: Path) -> None:
    """A bit that is told counts three times, so its level is the cube root of p/(1 − p), at most 2;
    nothing else that is not per unit has a root, nor what is not compared."""
    cube, private, near = written(FAR, tmp_path)
    for document, root in ((cube, {"root": 3}), (private, {}), (near, {})):
        assert pieces(document)[0]["leakage"] == {"exp_epsilon": "p/(1 - p)", **root}
        assert check(document).outcome == "accepted"

    def said(document: Json, power: str = "p/(1 - p)", root: int = 3) -> str:
        leakage = {"exp_epsilon": power, "root": root}
        return broken(lambda d: pieces(d)[0].update(leakage=leakage), document)

    assert said(cube, "2") == said(cube, "3/2") == said(cube, root=2) == "rejected"
    assert said(near, "p^2/(1 - 2*p + p^2)", 2) == "accepted"
    assert said(cube, root=1) == said(cube, root=10**9) == said(private) == "refused"

    def nothing(document: Json) -> None:
        document["question"]["relation"]["cells"][0]["parts"] = [{"rule": "pairs", "distances": {}}]
        pieces(document)[0]["leakage"] = {"exp_epsilon": "1", "root": 2}
        shown(document)[0]["witness"] = None
        document["digest"] = digest_of(document["question"])

    nothing(cube)
    assert "vacuous is said" in check(cube).reason


LIMITED = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
priors:
  constraints: ["P(bob == 1 | ann == 1) in [1 - p, p]", "P(bob == 1 | ann == 0) in [1 - p, p]"]
secrets: {ann_yes: ann == 1, ann_no: ann == 0}
pairs: [[ann_yes, ann_no]]
checks: [{pufferfish: {exp_epsilon: 4}}]
"""


def test_rows_of_functions(tmp_path: Path) -> None:
    """A coordinate counts with the sum of its coefficients, whatever functions are equal."""
    (found,) = written(LIMITED, tmp_path)
    assert check(found).outcome == "accepted"
    assert found["answer"]["region"][0]["to"]["rational"] == "9/14"

    def changed(coefficients: Json) -> str:
        def edit(document: Json) -> None:
            rows = document["question"]["relation"]["cells"][0]["priors"]["rows"]
            assert rows[0]["coefficients"] == {"-p": [2], "1 - p": [3]}
            rows[0]["coefficients"] = coefficients

        return broken(edit, found)

    assert changed({"-p": [2], "(1 - 2*p)/2": [3], "1/2": [3]}) == "accepted"
    assert changed({"-1/2": [2, 3], "(1 - 2*p)/2": [2], "(3 - 2*p)/2": [3]}) == "accepted"
    assert changed({"-p": [2], "1 - p": [3], "(2 - 2*p)/2": [3]}) == "rejected"
    assert changed({"-p": [2], "2 - p": [3]}) == "rejected"
    assert changed({"-p": [2]}) == changed({}) == "rejected"
    assert changed({"-p": [2], "1 - p": [4]}) == changed({"-q": [2], "1 - p": [3]}) == "refused"


NOTHING = """
parameters: {p: 1/2 < p < 1}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [p, 1-p], b: [1-p, p]}}
checks:
  - coupled_worlds: {exp_epsilon: 2, priors: {list: [{worlds: {a: p, b: 1-p}}]}, alt: a, priv: a}
    expect: vacuous
"""


def test_nothing_is_compared(tmp_path: Path) -> None:
    """What the simulator sees is what is private."""
    (found,) = written(NOTHING, tmp_path)
    assert found["answer"]["leakage"] == {"vacuous": True}
    assert check(found).outcome == "accepted"
    assert broken(lambda d: d["answer"].pop("leakage"), found) == "refused"


def spot(low: Any, high: Any) -> Spot:
    ends = [end if isinstance(end, Real) else Real(end, end) for end in (low, high)]
    return Spot("p", ends[0], ends[1], is_point=low is high)


WHOLE = spot(Fraction(0), ONE)


def test_a_rule_is_followed_on_parts() -> None:
    """p is compared with 1/3 and √½, so with the parts between: five in all."""
    seen = []

    def rule() -> bool:
        p = reading.number("p")
        seen.append(("<" if p < Fraction(1, 3) else ">=", "<" if p * p < HALF else ">="))
        return True

    assert _followed(WHOLE, rule) == "holds"
    assert sorted(seen) == [("<", "<"), (">=", "<"), (">=", "<"), (">=", ">="), (">=", ">=")]
    assert _followed(WHOLE, lambda: reading.number("p") > 2) == "violated"
    with pytest.raises(Rejected):
        _followed(WHOLE, lambda: reading.number("p") < HALF)


def test_parts_are_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.checker.pieces.MOST_PARTS", 20)

    def rule() -> bool:
        spot = FUNCTIONS.get()
        assert isinstance(spot, Spot)
        if not spot.is_point:
            middle = spot.gap.sample
            raise Divided((-middle.numerator, middle.denominator))
        return True

    with pytest.raises(Refused, match="divided too often"):
        _followed(WHOLE, rule)


def drawn(random: Random) -> tuple[Dense, Dense]:
    """Polynomials without roots between 0 and 1, which may be negative there."""
    found: Dense = (random.choice((-3, -1, 1, 2, 6)),)
    for _ in range(random.randint(0, 3)):
        factor = random.choice(((1, 1), (2, -1), (0, 1), (-3, 1), (-1, 0, 2, 0, -2)))
        found = tuple(multiplied(found, factor))
    return found, tuple(-c for c in found)


def sparse(a: Dense) -> Poly:
    return Poly({k: c for k, c in enumerate(a) if c})


def value(a: Dense, x: Fraction) -> Fraction:
    return sum((c * x**k for k, c in enumerate(a)), Fraction(0))


@pytest.mark.parametrize("seed", range(10))
def test_functions_are_numbers(seed: int) -> None:
    """At every value of the parameter what is computed is what numbers make there."""
    with functions_on(WHOLE):
        check_numbers(Random(seed), Fraction(37, 101))


def check_numbers(random: Random, x: Fraction) -> None:
    parts = [(random.choice(drawn(random)), random.choice(drawn(random))) for _ in range(4)]
    numbers = [FUNCTIONS.get().quotient(sparse(top), sparse(bottom)) for top, bottom in parts]
    known = [value(top, x) / value(bottom, x) for top, bottom in parts]

    def at(number: Any) -> Fraction:
        if isinstance(number, Number):
            bottom = value(dense(number.bottom), x)
            assert bottom > 0
            return value(dense(number.top), x) / bottom
        return Fraction(number)

    for one, a in zip(numbers, known, strict=True):
        assert at(one) == a and at(-one) == -a and at(abs(one)) == abs(a) and at(one**3) == a**3
        assert at(2 / one) == 2 / a and at(1 - one) == 1 - a and bool(one)
        assert one == one and hash(one) == hash(one + 0)
        for other, b in zip(numbers, known, strict=True):
            assert at(one + other) == a + b and at(one * other) == a * b
            assert at(one / other) == a / b and at(one - other) == a - b
    if any(isinstance(one, Number) for one in numbers):
        unit, tops = reading.in_integers(numbers)
        assert unit > 0 and [at(top) for top in tops] == [a * at(unit) for a in known]


def test_numbers_at_a_point() -> None:
    irrational, rational = spot(ROOT_2, ROOT_2), spot(HALF, HALF)
    with functions_on(irrational):
        p = reading.number("p")
        assert p * p == HALF and not (p * p - HALF) and p > Fraction(7, 10) and p != HALF
        assert hash(p) == hash(p + p)
        with pytest.raises(ZeroDivisionError):
            1 / (p * p - HALF)
    with functions_on(rational):
        assert reading.number("(1 - p)/(2*p)") == HALF and type(reading.number("p")) is Fraction
        with pytest.raises(Rejected):
            reading.number("(p)/(1 - 2*p)")
    with functions_on(WHOLE), pytest.raises(Divided):
        reading.number("p") < HALF  # noqa: B015


def test_a_level_is_not_needed_where_some_value_misses_it() -> None:
    """p - 1/4 passes 2 (p/4) at p = 1/2: the event needs the level 2 above, and not below."""
    with functions_on(WHOLE):
        p = reading.number("p")
        losses = {reading.number("1/4"): p}
        assert not needs_level(losses, Level(Fraction(2)), Fraction(1, 4))
        assert needs_level(losses, Level(Fraction(2)), p / 4)


def test_roots_between_numbers() -> None:
    """(3x − 1)² (2x² − 1) (x − 1/2) x (x − 1): all but the ends, each once."""
    product: Dense = (1,)
    for factor in ((-1, 3), (-1, 3), (-1, 0, 2), (-1, 2), (0, 1), (-1, 1)):
        product = tuple(multiplied(product, factor))
    zero, one = Real(Fraction(0), Fraction(0)), Real(ONE, ONE)
    found = Gap(zero, one).roots(product)
    near = [float((root.low + root.high) / 2) for root in found]
    for root in found:
        inside = root.halved()
        assert root.low <= inside.low <= inside.high <= root.high
    assert len(found) == 3 and near == sorted(near)
    above = Gap(ROOT_2, one).roots(product)
    assert above == []
    below = Gap(zero, ROOT_2).roots(product)
    assert len(below) == 2


def test_all_steps_are_added_up() -> None:
    with limited() as spent:
        spend(MAX_STEPS - 10)
        with pytest.raises(Refused):
            spend(20)
        assert spent[0] == MAX_STEPS + 10
    spend(MAX_STEPS)


CELLS = """
parameters: {p: 0 < p < 1}
worlds: [a, b]
mechanisms:
  told: {table: {outputs: [x, y], a: [(1-2*p)**2, 1-(1-2*p)**2], b: [0, 1]}}
  bit: {table: {outputs: [x, y], a: [1/4, 3/4], b: [0, 1]}}
checks: [{post_processing: {of: told}, mechanism: bit}, {row_cone: {of: told}, mechanism: bit}]
"""


@pytest.mark.parametrize("number", [0, 1])
def test_pieces_of_several_cells(number: int, tmp_path: Path) -> None:
    """(1 − 2p)² is at least 1/4 up to 1/4 and from 3/4 on; at 1/2 it vanishes, which is a cell of
    its own."""
    found = written(CELLS, tmp_path)[number]
    cells = found["question"]["model"]["cells"]
    assert len(cells) == 3 and len(pieces(found)) == 7
    assert check(found).outcome == "accepted"
    ends = [(one["from"]["rational"], one["to"]["rational"]) for one in found["answer"]["region"]]
    assert ends == [("0", "1/4"), ("3/4", "1")]

    def joined(document: Json) -> None:
        """One piece across the cells."""
        pieces(document)[2]["to"] = pieces(document)[4]["to"]
        del pieces(document)[3:5], shown(document)[3:5]

    def exchanged(document: Json) -> None:
        first, point, _ = document["question"]["model"]["cells"]
        for key in ("values", "columns", "given"):
            first[key], point[key] = point[key], first[key]

    assert broken(joined, found) != "accepted"
    assert broken(exchanged, found) != "accepted"


def test_roots_beside_a_rational_end_that_is_one() -> None:
    """x (3x − 1) has one root between 0 and 1, which is above 3/10 and below 2/5."""
    (root,) = WHOLE.gap.roots((0, -1, 3))
    below, above = (Real(Fraction(x), Fraction(x)) for x in ("3/10", "2/5"))
    assert (compare(root, below), compare(root, above)) == (1, -1)
    (root,) = WHOLE.gap.roots((1, -4, 3))  # (x − 1)(3x − 1)
    assert (compare(root, below), compare(root, above)) == (1, -1)


RENYI = """
parameters: {p: 1/2 < p < 3/4}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{renyi: {exp_epsilon: 9, order: 3}}]
"""


def test_a_bound_from_below_refutes_no_level_above_it(tmp_path: Path) -> None:
    """That a level of at least 1 is needed says nothing of 9, which is enough."""
    (found,) = written(RENYI, tmp_path)
    assert found["answer"]["verdict"] == "holds" and check(found).outcome == "accepted"

    def violated(document: Json) -> None:
        for piece in pieces(document):
            piece |= {"leakage": {"at_least": "1"}, "verdict": "violated"}
        document["answer"] |= {"verdict": "violated", "region": []}

    assert broken(violated, found) == "rejected"


IMPLIED = """
parameters: {p: 1/2 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
priors: {list: [{worlds: {00: p/2, 11: p/2, 01: (1-p)/2, 10: (1-p)/2}}]}
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: 2}}
      then: {pufferfish: {exp_epsilon: 2 + p, pairs: values}}
"""


def test_inequalities_at_an_irrational_end(tmp_path: Path) -> None:
    """2 + p is (2 + 2p)/(2 − p) at √3 − 1, where (2 + p)(1 − p) is p: as a multiplier it may be
    written so, and each inequality needs its own."""
    (found,) = written(IMPLIED, tmp_path)
    assert check(found).outcome == "accepted"
    at = next(k for k, piece in enumerate(pieces(found)) if "polynomial" in piece["from"])
    assert pieces(found)[at]["from"]["polynomial"] == ["-2", "2", "1"]
    for k in range(len(shown(found)[at]["witness"]["proofs"])):
        assert broken(lambda d, k=k: shown(d)[at]["witness"]["proofs"].pop(k), found) == "rejected"


CROWD = """
parameters: {p: 1/2 < p < 1}
worlds: {records: 30, domain: [0, 1]}
mechanism: {local: {randomized_response: {truth: p}}}
checks:
  - bounded_range: {exp_epsilon: 9}
"""


def test_two_records_among_many_are_not_one(tmp_path: Path) -> None:
    """Channels are asked about the values of one record: two of them change more."""
    (document,) = written(CROWD, tmp_path)
    assert broken(lambda d: None, document) == "accepted"

    def two(found: Json) -> None:
        found["question"]["options"]["group"] = 2
        for cell in found["question"]["relation"]["cells"]:
            cell["pairs"]["group"] = 2

    assert broken(two, document) == "rejected"


HISTOGRAMS = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: 12..13, domain: [a, b, c], exchangeable: true}
mechanism:
  compose:
    - geometric: {query: count(value == 'a'), ratio: p, low: 0, high: 13}
    - geometric: {query: count(value == 'b'), ratio: p, low: 0, high: 13}
    - geometric: {query: count(value == 'c'), ratio: p, low: 0, high: 13}
checks:
  - differential_privacy: {exp_epsilon: 9}
"""


def test_histograms_go_into_one_channel(tmp_path: Path) -> None:
    """Who moves changes two counts: 1/p², at most 9 from 1/3 on."""
    (document,) = written(HISTOGRAMS, tmp_path)
    assert document["question"]["relation"]["kind"] == "local"
    assert broken(lambda d: None, document) == "accepted"
    assert document["answer"]["region"][0]["from"] == {"rational": "1/3", "closed": True}
    assert pieces(document)[0]["leakage"] == {"exp_epsilon": "1/(p^2)"}
    cells = document["question"]["model"]["cells"]
    assert broken(lambda d: d["question"]["model"]["cells"][0].pop("people"), document) == "refused"
    assert all(len(cell["people"]) == 1 for cell in cells)


HEDGED = """
parameters: {p: 0 < p < 1}
worlds: {records: 2, domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - hedging_privacy: {exp_epsilon: 4, known: {0: 1/2, 1: 1/2}, weight: p}
"""


@pytest.mark.parametrize("weight", ["1 - p", "p/2", "1/2", "p^2"])
def test_an_option_is_the_same_function(weight: str, tmp_path: Path) -> None:
    """Not one that has the same value at a point, such as 1/2."""
    (document,) = written(HEDGED, tmp_path)
    assert broken(lambda d: None, document) == "accepted"
    found = broken(lambda d: d["question"]["options"].update(weight=weight), document)
    assert found in ("rejected", "refused")


def test_no_root_is_implied() -> None:
    """Of the given mechanisms, at distance 2, one needs the root of 3 and the other that of 9: the
    root of the first is not enough, though 9 is 3 squared."""
    both = [("1/4", "3/4"), ("1/10", "9/10")]
    given = [{"outputs": ["x", "y"], "values": [*v], "columns": [[1, 0], [0, 1]]} for v in both]
    ends = {end: {"rational": at, "closed": False} for end, at in (("from", "0"), ("to", "1"))}
    then = {"rule": "pairs", "distances": {"2": [[1], [0]]}}
    named = [{"name": name, **one} for name, one in zip("ab", given, strict=True)]
    worst = {"pair": [0, 1], "output": 0}
    for at, leakage, expected in (
        (0, {"exp_epsilon": "3", "root": 2}, "refused"),
        (1, {"exp_epsilon": "9", "root": 2}, "refused"),
        (1, {"exp_epsilon": "3"}, "accepted"),
    ):
        relation = {"rule": "pieces", "kind": "implies", "parameter": "p", **ends}
        relation["cells"] = [{"if": {"rule": "given"}, "level": None, "then": then}]
        model = {"worlds": ["a", "b"], "cells": [{**ends, "given": named}]}
        mechanism = {key: part for key, part in named[at].items() if key != "name"}
        witness = {"worst": worst, "inequalities": [], "proofs": []}
        piece = {**ends, "verdict": "holds", "leakage": leakage}
        answer = {"verdict": "holds", "region": [ends], "pieces": [piece]}
        shown = {"pieces": [{"witness": witness, "mechanism": mechanism}]}
        level = {"exp_epsilon": "3", "delta": "0"}
        document = asking("pieces", model, relation, answer, shown, level=level)
        assert check(stated(document)).outcome == expected
