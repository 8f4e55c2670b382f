"""`verifier compose` with a δ or a level: against all sequences of outputs, and as it is told."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import comb, exp, prod
from random import Random
from typing import Any

import pytest
from mpmath import mp

from tests.checker.outcomes import accepted, outcome, with_parts
from tests.drawing import wider
from verifier import checker, cli
from verifier.base.errors import InputError
from verifier.base.exact import is_irrational
from verifier.base.exponential import bounds
from verifier.base.level import Leakage, Level
from verifier.lab.repeated import accounting
from verifier.lab.repeated.setting import ends
from verifier.run import verify

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
Write = Callable[[str], str]
Rows = list[list[Fraction]]
RESPONSE = """
worlds: {records: 1, domain: [0, 1]}
mechanism: {randomized_response: {truth: 11/20}}
checks: [differential_privacy: {exp_epsilon: 2}]
"""
COUNT = """
worlds: {records: 2, domain: [0, 1]}
mechanism: {geometric: {query: count(value == 1), exp_epsilon: 2}}
checks:
  - differential_privacy: {exp_epsilon: 2}
  - name: the same again
    differential_privacy: {exp_epsilon: 9, delta: 1/10}
  - differential_privacy: {exp_epsilon: 9, group: 2}
"""


def found(path: str, runs: int, asked: Fraction | Level) -> list[accounting.Account]:
    return list(accounting.run(path, verify.Options(), runs, asked))


def spec(rows: Rows) -> str:
    """A table over the worlds x and y, with a row for each output."""
    columns = {w: [str(row[at]) for row in rows] for at, w in enumerate("xy")}
    table = {"outputs": [f"o{at}" for at in range(len(rows))], **columns}
    check = {"differential_privacy": {"exp_epsilon": 2, "neighbours": "all"}}
    mechanism = {"table": table}
    return json.dumps({"worlds": ["x", "y"], "mechanism": mechanism, "checks": [check]})


def drawn(random: Random) -> Rows:
    size = random.randint(2, 3)
    weights = [[random.choice([1, 2, 5, 100, 101]) for _ in range(size)] for _ in "xy"]
    columns = [[Fraction(w, sum(own)) for w in own] for own in weights]
    return [list(row) for row in zip(*columns, strict=True)]


def plain(rows: Rows, runs: int, alpha: Fraction) -> Fraction:
    """The smallest δ at α, by all sequences of outputs."""
    totals = [Fraction(0), Fraction(0)]
    for outputs in product(rows, repeat=runs):
        p = q = Fraction(1)
        for a, b in outputs:
            p, q = p * a, q * b
        totals[0] += max(Fraction(0), p - alpha * q)
        totals[1] += max(Fraction(0), q - alpha * p)
    return max(totals)


def test_few_runs_against_all_sequences_of_outputs(write: Write) -> None:
    """The least level is where δ is met; the least δ lies between its ends."""
    for seed in range(wider(6, 100)):
        random = Random(seed)
        rows, runs = drawn(random), random.randint(2, 5)
        path, delta = write(spec(rows)), random.choice([Fraction(1, 10), Fraction(1, 1000)])
        ((_, row),) = (account.rows for account in found(path, runs, delta))
        assert row.leakage is not None
        least = row.leakage.exp_epsilon
        assert least is not None and plain(rows, runs, least) <= delta, seed
        assert least == 1 or plain(rows, runs, least * Fraction(10**9 - 1, 10**9)) > delta, seed
        alpha = random.choice([Fraction(1), Fraction(11, 10), Fraction(5)])
        ((_, row),) = (a.rows for a in found(path, runs, Level(exp_epsilon=alpha)))
        assert row.deltas is not None
        exact = plain(rows, runs, alpha)
        assert row.deltas == (exact, exact), seed


def test_certificates_are_accepted_and_about_the_ends(write: Write) -> None:
    path = write(RESPONSE)
    ((_, row),) = (account.rows for account in found(path, 300, Level.of_epsilon(1)))
    assert row.deltas is not None and len(row.certificates) == 2
    assert [checker.check(one).outcome for one in row.certificates] == ["accepted"] * 2
    said = [(one["question"]["level"], one["answer"]["verdict"]) for one in row.certificates]
    low, high = map(str, row.deltas)
    assert said[0] == ({"epsilon": "1", "delta": high}, "holds")
    assert said[1] == ({"epsilon": "1", "delta": low}, "violated")
    terms = ((comb(300, n), 11**n * 9 ** (300 - n), 9**n * 11 ** (300 - n)) for n in range(301))
    exact = sum(ways * max(0, p - Fraction(exp(1)) * q) for ways, p, q in terms) / 20**300
    assert (
        row.deltas[0] * (1 - Fraction(1, 10**9))
        <= exact
        <= row.deltas[1] * (1 + Fraction(1, 10**9))
    )
    assert row.deltas[1] - row.deltas[0] < Fraction(1, 10**5)


def test_records_together_and_groups(write: Write) -> None:
    """Of a noisy count of two records whole worlds are compared; alike checks are one setting."""
    one, two = found(write(COUNT), 2, Fraction(0))
    assert one.checks == ("check 1", "the same again") and two.checks == ("check 3",)
    assert one.options == {"neighbours": "replace", "group": 1} and two.options["group"] == 2
    levels = [[row.leakage and row.leakage.exp_epsilon for row in own.rows] for own in (one, two)]
    assert levels == [[2, 4], [4, 16]]


def test_pure_runs_have_no_delta_at_their_level(write: Write) -> None:
    ((_, row),) = (a.rows for a in found(write(RESPONSE), 3, Level.of_exp_epsilon("1331/729")))
    assert row.deltas == (0, 0) and len(row.certificates) == 1


def test_text_json_csv_and_latex(write: Write, capsys: Capture) -> None:
    path, told = write(RESPONSE), {}
    for kind in ("text", "json", "csv", "latex"):
        assert cli.main(["compose", path, "--runs", "2", "--delta", "0.1", "--format", kind]) == 0
        told[kind] = capsys.readouterr().out
    # δ = (11/20)² + … : two answers as the truth have 121/400 against 81/400
    assert "least ε at δ = 1/10" in told["text"] and "    2" in told["text"]
    document: dict[str, Any] = json.loads(told["json"])
    (setting,) = document["settings"]
    assert document["summary"] == {"decided": 1, "undecided": 0}
    assert [row["runs"] for row in setting["runs"]] == [1, 2]
    # (121 − 40)/81 = 1, as the event of two right answers decides
    assert setting["runs"][1]["leakage"]["exp_epsilon"] == "1"
    assert [checker.check(c).outcome for c in setting["runs"][1]["certificates"]] == ["accepted"]
    head, *rows = csv.reader(io.StringIO(told["csv"]))
    assert len(rows) == 2 and dict(zip(head, rows[1], strict=True))["delta_upper"] == "1/10"
    assert "\\begin{tabular}" in told["latex"]
    assert cli.main(["compose", path, "--runs", "2", "--epsilon", "0", "--format", "csv"]) == 0
    (_, _, row) = csv.reader(io.StringIO(capsys.readouterr().out))
    # at e^ε = 1 two right answers, 121/400 − 81/400, and no other event more
    assert row[-3:] == ["1/10", "1/10", ""]


def test_what_is_wrong_with_the_question(write: Write, capsys: Capture) -> None:
    path = write(RESPONSE)
    assert cli.main(["compose", path, "--runs", "101"]) == 2
    assert "S121 --runs: at most 100 without --delta or --epsilon" in capsys.readouterr().err
    bad = [["--delta", "2"], ["--delta", "x"], ["--epsilon", "-1"], ["--runs", "1000001"]]
    bad += [["--delta", "0", "--epsilon", "1"], ["--epsilon", "ln(1/2)"], ["--delta", "exp(-9)"]]
    for arguments in bad:
        with pytest.raises(SystemExit):
            cli.main(["compose", path, *arguments])
        capsys.readouterr()
    asked = "pufferfish: {pairs: values, priors: product, "
    secrets = RESPONSE.replace("differential_privacy: {", asked)
    with pytest.raises(InputError, match="S606"):
        found(write(secrets), 2, Fraction(1, 10))


OF_E = """
worlds: {records: 1, domain: [0, 1]}
mechanism: {randomized_response: {epsilon: 1}}
checks: [differential_privacy: {epsilon: 1}]
"""


def of_e(runs: int, alpha: Any) -> Any:
    """The smallest δ of response with odds e, in the digits of the moment: n true answers have
    the probabilities e^n and e^(runs − n) over (1 + e)^runs."""
    terms = (
        mp.binomial(runs, n) * max(0, mp.e**n - alpha * mp.e ** (runs - n)) for n in range(runs + 1)
    )
    return mp.fsum(terms) / (1 + mp.e) ** runs


@pytest.mark.parametrize("runs", [20, 1000])
def test_powers_of_e_against_sums_of_sixty_digits(write: Write, runs: int) -> None:
    """Both ends of δ and of ε; where losses are listed, to twelve digits of δ."""
    path, asked = write(OF_E), Level.of_epsilon(runs // 2)
    with mp.workdps(60):
        ((_, row),) = (account.rows for account in found(path, runs, asked))
        assert row.deltas is not None and len(row.certificates) == 2
        low, high = (mp.mpf(end.numerator) / end.denominator for end in row.deltas)
        exact = of_e(runs, mp.exp(runs // 2))
        assert low <= exact <= high and high - low < exact / 10 ** (11 if runs == 20 else 5)
        ((_, row),) = (account.rows for account in found(path, runs, Fraction(1, 10**5)))
        assert row.leakage is not None and len(row.certificates) == 1
        low, high = map(mp.mpf, map(_decimal, ends(row.leakage) or ()))
        assert of_e(runs, high * (1 + mp.mpf(10) ** -20)) <= mp.mpf(10) ** -5
        assert of_e(runs, low * (1 - mp.mpf(10) ** -20)) > mp.mpf(10) ** -5


def _decimal(value: Fraction) -> str:
    low = bounds(value, 30)[0] if is_irrational(value) else value
    return str(Context(prec=40).divide(Decimal(low.numerator), Decimal(low.denominator)))


def test_delta_a_little_above_and_below_the_smallest_one_of_powers_of_e(write: Write) -> None:
    """20 answers with odds e at ε = 8: by 10^-25 on both sides."""
    with mp.workdps(60):
        exact = Fraction(int(of_e(20, mp.exp(8)) * mp.mpf(10) ** 45), 10**45)
    once = "{randomized_response: {epsilon: 1}}"
    many = OF_E.replace(once, f"{{repeat: {{runs: 20, of: {once}}}}}")
    for shift, verdict in ((1, "holds"), (-1, "violated")):
        level = f"epsilon: 8, delta: {exact + Fraction(shift, 10**25)}"
        (result,) = verify.run(write(many.replace("epsilon: 1}]", f"{level}}}]")))
        assert result.verdict == verdict and result.certificate is not None


def test_what_is_not_decided_is_said(write: Write) -> None:
    """Of densities there is no table of outputs."""
    text = """
worlds: {records: 1, domain: [0, 1]}
mechanism: {program: "return count(value == 1) + draw(laplace(0, 1))"}
checks: [differential_privacy: {epsilon: 1}]
"""
    (account,) = found(write(text), 1000, Fraction(1, 100))
    assert not account.rows and "finitely many outputs" in account.reasons[0]


OWN = """
worlds: [x, y, z]
mechanism: {table: {outputs: [a, b], x: [3/4, 1/4], y: [1/2, 1/2], z: [1/8, 7/8]}}
checks:
  - differential_privacy: {exp_epsilon: 2, neighbours: {pairs: [[x, y]], directed: true}}
  - differential_privacy: {exp_epsilon: 2, neighbours: {where: w != z and v != z}}
  - differential_privacy: {exp_epsilon: 2, neighbours: all}
"""


def test_neighbours_of_the_file(write: Write) -> None:
    """Pairs of worlds, one way or both, and those of an expression; y against x needs more."""
    path, delta = write(OWN), Fraction(1, 100)
    columns = {"x": (3, 1), "y": (2, 2)}
    one_way, both, every = (account.rows[1] for account in found(path, 4, delta))
    for row, pairs in ((one_way, ["xy"]), (both, ["xy", "yx"])):
        assert row.leakage is not None and row.leakage.exp_epsilon is not None
        least, under = row.leakage.exp_epsilon, row.leakage.exp_epsilon * Fraction(999, 1000)
        sides = [[[Fraction(n, 4) for n in columns[w]] for w in pair] for pair in pairs]
        for alpha, holds in ((least, True), (under, False)):
            assert all(excess(*side, 4, alpha) <= delta for side in sides) == holds
    one, two, three = (_ends(row.leakage) for row in (one_way, both, every))
    assert one < two < three


def test_a_check_of_many_runs_with_neighbours_of_the_file(write: Write) -> None:
    """1,000 runs of two worlds, listed: the level is between the ends that `compose` tells."""
    once = OWN[OWN.index("{table") :].split("\n")[0]
    many = OWN.replace(once, f"{{repeat: {{runs: 1000, of: {once}}}}}")
    check = "{exp_epsilon: 1e900, delta: 1/100, neighbours: {pairs: [[x, y]], directed: true}}"
    head = many[: many.index("checks:")]
    path = write(head + "checks: [differential_privacy: " + check + "]")
    (result,) = verify.run(path)
    assert result.verdict == "holds" and result.certificate is not None
    account, *_ = found(write(OWN), 1000, Fraction(1, 100))
    assert result.leakage and account.rows[1].leakage
    (least, _), (low, high) = map(_ends, (result.leakage, account.rows[1].leakage))
    assert low <= least <= high


def _ends(leakage: Leakage | None) -> tuple[Fraction, Fraction]:
    both = leakage and ends(leakage)
    assert both
    return both


def excess(p: list[Fraction], q: list[Fraction], runs: int, alpha: Fraction) -> Fraction:
    """δ at α of one side against another one, by all sequences of outputs."""
    gaps = (
        prod(p[o] for o in one) - alpha * prod(q[o] for o in one)
        for one in product(range(len(p)), repeat=runs)
    )
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def test_certificates_of_neighbours_of_the_file_that_are_broken(write: Write) -> None:
    """Other pairs than those compared, and a second record with the same channel."""
    (account, *_) = found(write(OWN), 4, Fraction(1, 100))
    (certificate,) = account.rows[1].certificates
    accepted(certificate)
    question = certificate["question"]
    assert question["options"]["neighbours"] == {"pairs": [["x", "y"]], "directed": "true"}
    for pairs in ([["y", "x"]], [["x", "z"]], [], [["x", "y"], ["y", "z"]]):
        said = {"neighbours": {"pairs": pairs, "directed": "true"}, "group": 1}
        assert outcome(with_parts(certificate, options=said)) == "rejected"
    said = {"neighbours": {"pairs": [["x", "y"]]}, "group": 1}
    assert outcome(with_parts(certificate, options=said)) == "rejected"
    for limit in ("2", None):
        assert outcome(with_parts(certificate, relation__limit=limit)) == "rejected"
    people = ["", "another"]
    two = {"model__people": people, "model__chosen": [0, 0], "relation__chosen": [0, 0]}
    assert outcome(with_parts(certificate, **two)) == "refused"
