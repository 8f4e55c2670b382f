"""The command `plot`: what each figure shows, by hand; and where there is nothing to show."""

from __future__ import annotations

import sys
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from verifier import cli
from verifier.cli import plot as plotting

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
BIT = """\
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
priors: {list: [{worlds: {00: 1/2, 11: 1/2}}]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3}
  - name: equal records
    pufferfish: {exp_epsilon: 3}
    expect: violated
"""
COLLAPSE = """\
worlds: [a, b, c, d]
secrets: {s: [a, b], t: [c, d]}
pairs: [[s, t]]
priors: {list: [uniform]}
mechanism:
  table: {outputs: [x, y], a: [1, 0], b: [1/2, 1/2], c: [1, 0], d: [0, 1]}
checks:
  - pufferfish: {exp_epsilon: 3}
"""
CHAIN = """\
parameters: {p: [3/4, 9/10]}
worlds: {records: 3, domain: [0, 1]}
pairs: values
priors:
  list: [{markov: {initial: stationary, transition: {0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}}}]
mechanism: {deterministic: 1}
checks:
  - influence: {entries: 1, exp_epsilon: 81}
"""
FRONTIER = """\
parameters: {alpha: [2, 4]}
worlds: {records: [total], domain: [0, 1]}
mechanism: {randomized_response: {truth: alpha/(1 + alpha)}}
checks:
  - differential_privacy: {exp_epsilon: alpha}
  - error: {loss: abs(output - total)}
  - optimal:
      under: {differential_privacy: {exp_epsilon: alpha}}
      outputs: [0, 1]
      loss: abs(output - total)
      prior: worst
"""


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The axes of figures that are saved."""
    figure = pytest.importorskip("matplotlib.figure")
    saved: list[Any] = []
    monkeypatch.setattr(figure.Figure, "savefig", lambda self, path, **_: saved.extend(self.axes))
    return saved


def plot(tmp_path: Path, text: str, what: str, *options: str) -> int:
    file = tmp_path / "spec.yaml"
    file.write_text(text, encoding="utf-8")
    return cli.main(["plot", str(file), "--what", what, "--out", str(tmp_path / "a.svg"), *options])


def points(axes: Any, number: int = 0) -> list[tuple[float, float]]:
    """Those of one line."""
    return [(float(x), float(y)) for x, y in axes.lines[number].get_xydata()]


def near(*wanted: tuple[float, float]) -> list[Any]:
    """Points up to rounding."""
    return list(map(pytest.approx, wanted))


def test_the_curve_is_exact_between_its_corners(tmp_path: Path, lines: list[Any]) -> None:
    """δ = 3/4 − e^ε/4 up to e^ε = 3; of two equal records 9/10 and 1/10 of the two runs."""
    assert plot(tmp_path, BIT, "curve") == 0
    first, second = lines
    for epsilon, delta in points(first):
        assert delta == pytest.approx(max(0.0, 3 / 4 - exp(epsilon) / 4))
    assert points(first, 1) == near((0, 1 / 2), (log(3), 0))
    assert points(first, 2) == near((log(3), 0))
    assert points(second, 1) == near((0, 1 / 2), (log(9), 0))
    assert (first.get_title(), second.get_title()) == (
        "differential_privacy (exp_epsilon 3)",
        "equal records",
    )


def test_one_check_is_chosen(tmp_path: Path, lines: list[Any], capsys: Capture) -> None:
    for chosen in ("equal records", "2"):
        lines.clear()
        assert plot(tmp_path, BIT, "curve", "--check", chosen) == 0
        assert [axes.get_title() for axes in lines] == ["equal records"]
    assert plot(tmp_path, BIT, "curve", "--check", "another") == 2
    told = capsys.readouterr().err
    assert "S606 'another' is no check" in told
    assert "hint: choose of check 1, equal records, check 2" in told
    assert plot(tmp_path, BIT, "frontier", "--check", "1") == 2
    assert "hint: leave out --check" in capsys.readouterr().err


NAMED = """\
worlds: {records: [ann], domain: [0, 1]}
pairs: values
mechanism: {randomized_response: {truth: 2/3}}
checks:
  - differential_privacy: {exp_epsilon: 2}
  - name: even
    pufferfish: {exp_epsilon: 2, priors: {list: [uniform]}}
  - pufferfish: {exp_epsilon: 2, priors: {list: [{worlds: {0: 1/4, 1: 3/4}}]}}
"""


@pytest.mark.parametrize("what", ["curve", "runs", "influence", "matrix", "odds"])
def test_a_check_is_chosen_by_its_number(
    what: str, tmp_path: Path, lines: list[Any], capsys: Capture
) -> None:
    """Whether or not it has a name; a setting has that of the first check about it."""
    drawn = []
    for chosen in ("even", "2", "3"):
        lines.clear()
        assert plot(tmp_path, NAMED, what, "--check", chosen) == 0, capsys.readouterr().err
        drawn.append([axes.get_title() or axes.get_legend_handles_labels()[1] for axes in lines])
    assert drawn[0] == drawn[1] and len(drawn[2]) == 1
    assert plot(tmp_path, NAMED, what, "--check", "4") == 2
    assert "S606 '4' is no check" in capsys.readouterr().err


def test_runs_are_of_runs_alone(tmp_path: Path, capsys: Capture) -> None:
    assert plot(tmp_path, BIT, "curve", "--runs", "3") == 2
    assert capsys.readouterr().err == "--runs belongs to --what runs\n"


def test_nothing_to_draw_says_what_is_needed(tmp_path: Path, capsys: Capture) -> None:
    for what, needed in {"frontier": "a check of error beside", "region": "real par"}.items():
        assert plot(tmp_path, BIT, what) == 2
        assert f"nothing to draw; --what {what} needs" in (said := capsys.readouterr().err)
        assert needed in said
    assert plotting.NEEDS.keys() == plotting.WHAT.keys()


def test_the_matrix_is_drawn_once(tmp_path: Path, lines: list[Any]) -> None:
    assert plot(tmp_path, BIT, "matrix", "--check", "1") == 0
    (axes,) = lines
    (image,) = axes.images
    assert image.get_array().tolist()[0] == [9 / 16, 3 / 16, 3 / 16, 1 / 16]
    assert [text.get_text() for text in axes.texts][:4] == ["9/16", "3/16", "3/16", "1/16"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["00", "01", "10", "11"]
    lines.clear()
    pufferfish = "name: equal records\n    pufferfish: {exp_epsilon: 3}"
    same = BIT.replace(pufferfish, "differential_privacy: {exp_epsilon: 2}")
    assert plot(tmp_path, same, "matrix") == 0 and len(lines) == 1


def test_odds_of_all_checks_stand_together(tmp_path: Path, lines: list[Any]) -> None:
    """Even odds become 3, and of equal records 9."""
    assert plot(tmp_path, BIT, "odds") == 0
    (axes,) = lines
    ends = [[x for x, _ in points(axes, k)] for k in (0, 3)]
    assert ends == [pytest.approx([0, log(3)]), pytest.approx([0, log(9)])]
    # the first check holds and the second is violated: their marks and colours differ
    assert [axes.lines[k].get_marker() for k in (2, 5)] == ["D", "X"]
    assert len({axes.lines[k].get_color() for k in (2, 5)}) == 2
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["before", "after, holds", "after, violated", "asked for"]
    assert len(axes.patches) == 2 and axes.patches[0].get_width() == pytest.approx(2 * log(3))


def test_what_is_infinite_stands_at_the_edge(tmp_path: Path, lines: list[Any]) -> None:
    """x has 3/4 of s and 1/2 of t, y 1/4 and 1/2: 2 once; (x, y) has 1/8 of s and none of t."""
    assert plot(tmp_path, COLLAPSE, "runs", "--runs", "3") == 0
    (axes,) = lines
    assert points(axes) == near((1, log(2)))
    assert [x for x, _ in points(axes, 1)] == [2, 3]
    assert points(axes, 2) == near((1, log(2)), (2, log(4)), (3, log(8)))
    named = axes.get_legend_handles_labels()[1]
    assert named == ["all runs", "infinite", "sum of single runs"]


def test_influence_curves_of_all_values(tmp_path: Path, lines: list[Any]) -> None:
    """Each neighbour of the middle record tells p/(1 − p); behind it (1 + l²)/(1 − l²) is told,
    where l = 2p − 1."""
    assert plot(tmp_path, CHAIN, "influence") == 0
    (axes,) = lines
    assert axes.get_legend_handles_labels()[1] == ["p = 3/4", "infinite", "p = 9/10"]
    assert points(axes, 0)[0] == pytest.approx((1, log(9))) and points(axes, 0)[-1] == (3, 0)
    assert points(axes, 2)[0] == pytest.approx((1, log(81)))
    assert points(axes, 2)[1] == pytest.approx((2, log(9)))


def test_the_frontier_of_a_bit(tmp_path: Path, lines: list[Any]) -> None:
    """No mechanism errs less often than 1/(1 + α), as randomized response does; a level that is no
    ε is not drawn."""
    text = FRONTIER.replace("checks:\n", "checks:\n  - zcdp: {rho: 5}\n")
    assert plot(tmp_path, text, "frontier") == 0
    (axes,) = lines
    wanted = near((log(2), 1 / 3), (log(4), 1 / 5))
    assert points(axes, 0) == wanted and points(axes, 1) == wanted
    assert axes.get_legend_handles_labels()[1] == [
        "mechanism, level of differential_privacy",
        "best mechanism",
    ]


def test_the_frontier_of_functions(tmp_path: Path, lines: list[Any]) -> None:
    """At each value of alpha one point: the level alpha, and the error 1/(1 + alpha)."""
    text = FRONTIER.replace("[2, 4]", "1 < alpha < 4")
    assert text != FRONTIER
    assert plot(tmp_path, text, "frontier") == 0
    (axes,) = lines
    for number in (0, 1):
        drawn = points(axes, number)
        assert len(drawn) == 19
        assert all(y == pytest.approx(1 / (1 + exp(x))) for x, y in drawn)


def test_an_error_is_drawn(tmp_path: Path, lines: list[Any]) -> None:
    text = FRONTIER.replace("[2, 4]", "1 < alpha < 4")
    assert plot(tmp_path, text, "region", "--check", "2") == 0
    assert lines[0].get_ylabel() == "expected error" and lines[0].get_yscale() == "linear"


def test_a_region_is_drawn(tmp_path: Path, lines: list[Any], capsys: Capture) -> None:
    text = BIT.replace("3/4", "p").replace("worlds:", "parameters: {p: 1/2 < p < 1}\nworlds:", 1)
    assert plot(tmp_path, text, "region", "--check", "1") == 0
    assert lines[0].get_xlabel() == "p" and "1/2 < p <= 3/4" in lines[0].get_title()
    assert plot(tmp_path, text, "curve") == 2
    assert "all values of a parameter; draw its region" in capsys.readouterr().err


SEVERAL = """\
parameters: {p: 1/2 < p < 1, q: 1/2 < q < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y], 0: [p, 1 - p], 1: [1 - q, q]}}
checks: [{differential_privacy: {exp_epsilon: q/(1 - p)}, where: q <= p}]
"""


def test_several_parameters_have_no_figure(tmp_path: Path, capsys: Capture) -> None:
    """Nor does the page of a report draw one."""
    for what in ("odds", "region"):
        assert plot(tmp_path, SEVERAL, what) == 2
        said = capsys.readouterr().err
        assert "all values of a parameter" in said or "no function of one real" in said
    pytest.importorskip("jinja2")
    assert cli.main(["check", str(tmp_path / "spec.yaml"), "--format", "html"]) == 0
    assert "holds" in capsys.readouterr().out


def test_each_suffix_names_a_format(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "spec.yaml"
    file.write_text(BIT.replace("equal records", "a $^x$ _$"), encoding="utf-8")
    for suffix, start in ((".pdf", b"%PDF"), (".svg", b"<?xml")):
        out, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
        assert cli.main(["plot", str(file), "--what", "odds", "--out", str(out)]) == 0
        assert out.read_bytes().startswith(start)
    assert cli.main(["plot", str(file), "--what", "odds", "--out", str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()
    with pytest.raises(SystemExit):
        cli.main(["plot", str(file), "--what", "odds", "--out", "figure.doc"])
    assert "a file .png, .svg, .pdf was expected" in capsys.readouterr().err


def test_too_many_figures_for_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    drawing = pytest.importorskip("verifier.report.plot")
    monkeypatch.setattr(drawing, "MOST", 1)
    assert plot(tmp_path, BIT, "curve") == 2
    assert "2 figures are more than 1 in one file; choose one by --check" in capsys.readouterr().err
    text = BIT.replace("3/4", "p").replace("worlds:", "parameters: {p: 1/2 < p < 1}\nworlds:", 1)
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8")
    cli.main(["region", str(tmp_path / "spec.yaml"), "--out", str(tmp_path / "a.svg")])
    assert "2 figures are more than 1 in one file" in capsys.readouterr().err


def test_what_is_undecided_is_told(tmp_path: Path, capsys: Capture) -> None:
    """zcdp is not decided for all values of a parameter at once."""
    pytest.importorskip("matplotlib")
    text = FRONTIER.replace("alpha: [2, 4]", "alpha: 2 <= alpha <= 4")
    text = f"{text.partition('  - error')[0]}  - zcdp: {{rho: 1}}\n"
    assert plot(tmp_path, text, "matrix") == 3
    assert "spec.yaml: zcdp: " in capsys.readouterr().err
    assert plot(tmp_path, text, "frontier") == 3


def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert plot(tmp_path, BIT, "curve") == 4
    assert "pip install 'privacy-verifier[plot]'" in capsys.readouterr().err


def test_one_of_what_and_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """What is to be drawn names the file. Where it is to go leaves what: the region of a check that
    has one, else its curve."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    interval = "parameters: {p: 1/2 < p < 1}\n"
    mechanism = "mechanism: {randomized_response: {truth: %s}}\n"
    check = "checks: [{differential_privacy: {exp_epsilon: %s}}]\n"
    worlds = "worlds: {records: 1, domain: [0, 1]}\n"
    Path("plain.yaml").write_text(worlds + mechanism % "3/4" + check % "3")
    Path("real.yaml").write_text(interval + worlds + mechanism % "p" + check % "p/(1 - p)")
    assert cli.main(["plot", "plain.yaml", "--what", "curve"]) == 0
    assert capsys.readouterr().out == "plain-curve.png\n"
    assert Path("plain-curve.png").read_bytes().startswith(b"\x89PNG")
    kinds: list[str] = []
    monkeypatch.setattr(
        "verifier.report.plot.save",
        lambda _, drawings: kinds.extend(one["kind"] for one in drawings),
    )
    for name in ("plain.yaml", "real.yaml"):
        assert cli.main(["plot", name, "--out", "a.svg"]) == 0
    assert kinds == ["curve", "region"] and capsys.readouterr().out == ""
    assert cli.main(["plot", "plain.yaml"]) == 2
    assert "one of --what and --out is needed" in capsys.readouterr().err
