"""How objects show themselves: one line, HTML that a theme colours, axes of matplotlib."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import pytest
from lxml import html

import verifier
from verifier.base.errors import LibraryMissing, NotDecided
from verifier.base.nouns import Shown
from verifier.lab.curves import influence
from verifier.lab.repeated import compose
from verifier.report.display import ROWS

SPEC = """\
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
priors: {list: [{worlds: {00: 1/2, 11: 1/2}}]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3}
  - name: "<b>equal</b>"
    pufferfish: {exp_epsilon: 3}
    expect: violated
  - optimal:
      under: {differential_privacy: {exp_epsilon: 3}}
      outputs: [0, 1]
      loss: abs(output - ann)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("spec") / "spec.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def report(file: str) -> verifier.Report:
    return verifier.check(file)


def shown(report: verifier.Report) -> list[Any]:
    """One object of each kind."""
    _, second, third = report.results
    question = second.question
    assert question is not None and question.mechanism is not None
    reading = verifier.load(report.file)
    options = verifier.run.verify.Options()  # type: ignore[attr-defined]
    return [
        report,
        *report.results,
        *(result.answer for result in report.results),
        second.witness,
        third.answer.made,
        question,
        question.mechanism,
        question.space,
        question.pairs[0][0],
        verifier.prior(question.space, ["1/2", 0, 0, "1/2"]),
        reading,
        *reading.questions,
        *influence.run(report.file, options),
        *compose.run(report.file, options, 2),
    ]


def test_every_object_is_one_line_and_a_part_of_a_page(report: verifier.Report) -> None:
    for one in shown(report):
        assert isinstance(one, Shown)
        line = repr(one)
        assert line.startswith("<") and line.endswith(">") and line.isprintable()
        assert len(line) < 250 and " object at 0x" not in line
        part = html.fragment_fromstring(one._repr_html_())
        assert part.tag == "div" and part.text_content().strip()
        assert not part.xpath("//b") and not part.xpath("//@style")


def test_the_level_of_zcdp_is_called_rho(tmp_path: Path) -> None:
    """Fair coins tell nothing: e^ρ = 1."""
    path = tmp_path / "coins.yaml"
    text = SPEC[: SPEC.index("  - name")].replace("3/4", "1/2")
    path.write_text(text.replace("differential_privacy: {exp_epsilon: 3}", "zcdp: {rho: 0}"))
    report = verifier.check(path)
    (result,) = report.results
    assert repr(result.answer) == "<Answer: holds; smallest e^ρ 1>"
    row = html.fragment_fromstring(report._repr_html_()).xpath("//tbody/tr/*/text()")
    assert row == ["zcdp (rho 0)", "ok", "holds", "e^ρ: 1", "ρ: 0.000000"]


def test_what_is_said_in_one_line(report: verifier.Report) -> None:
    first, second, _ = report.results
    assert repr(second.answer) == "<Answer: violated; smallest e^ε 9>"
    assert repr(replace(second.answer, certificate=None)) == repr(second.answer)
    question = second.question
    assert question is not None
    assert repr(question) == "<Question pufferfish, e^ε = 3: 4 worlds>"
    assert repr(question.space) == "<WorldSpace: 4 worlds of 2 records: 00, 01, 10, 11>"
    assert repr(question.pairs[0][0]) == "<Secret ann = 0: 2 of 4 worlds>"
    assert repr(first).startswith("<Result differential_privacy (exp_epsilon 3): ok, holds;")


def test_tables_are_exact_and_cut(report: verifier.Report) -> None:
    rows = [[cell.text for cell in row] for row in html.fromstring(report._repr_html_()).iter("tr")]
    assert rows[2] == ["<b>equal</b>", "ok", "violated", "9", "2.197225", None]
    assert rows[3][-1] == "1/4"  # a bit is told wrongly once in 1 + e^ε times
    label, other, size = "<script>", "x", 40
    wide = verifier.Mechanism.from_rows([label, other], [["1/3"] * size, ["2/3"] * size])
    table = html.fromstring(wide._repr_html_())
    cells = [[cell.text for cell in row] for row in table.iter("tr")]
    assert cells[1] == ["<script>", *["1/3"] * ROWS, "…"] and not table.xpath("//script")
    tall = verifier.Mechanism.from_array(map(str, range(size)), [[1]] * size)
    told = html.fromstring(tall._repr_html_())
    assert len(list(told.iter("tr"))) == ROWS + 1 and "(40 in all)" in told.text_content()


def test_nothing_that_shows_is_loaded_before(file: str) -> None:
    code = (
        f"import sys, verifier; report = verifier.check({file!r})\n"
        "assert 'verifier.report.display' not in sys.modules\n"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n"
        "repr(report); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_figures_follow_matplotlib(report: verifier.Report, file: str) -> None:
    """The given axes come back, else the current ones; colours are those of the style."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = report.results[1]
    assert result.question is not None and result.question.mechanism is not None
    options = verifier.run.verify.Options()  # type: ignore[attr-defined]
    cycle = matplotlib.cycler(color=["#123456", "#654321"])
    with matplotlib.rc_context({"axes.prop_cycle": cycle}):
        _, axes = pyplot.subplots()
        assert result.plot(axes) is axes
        assert axes.lines[0].get_color() == "C0"
        assert matplotlib.colors.to_hex("C0") == "#123456"
    corners = [tuple(point) for point in axes.lines[1].get_xydata()]
    assert corners == [pytest.approx((0, 1 / 2)), pytest.approx((log(9), 0))]
    for one in (result.question.mechanism, report, *compose.run(file, options, 2)):
        pyplot.figure()
        drawn = one.plot()
        assert drawn is pyplot.gca() and drawn.has_data()
    for curve in influence.run(file, options):
        assert curve.plot(axes) is axes
    with pytest.raises(NotDecided, match="no function of one real parameter"):
        result.plot(what="region")
    with pytest.raises(NotDecided, match="nothing to draw"):
        verifier.Report("", ()).plot(what="frontier")
    pyplot.close("all")


def test_frames_are_exact(report: verifier.Report) -> None:
    pytest.importorskip("pandas")
    question = report.results[0].question
    assert question is not None and question.mechanism is not None
    frame = question.mechanism.to_dataframe(question.space.names(range(4)))
    assert frame.loc["01", "10"] == Fraction(1, 16) and list(frame.columns)[1] == "01"
    assert question.mechanism.to_dataframe().columns.tolist() == [1, 2, 3, 4]
    table = report.to_dataframe()
    assert table["exp_epsilon"].tolist()[:2] == [3, 9] and table["value"][2] == Fraction(1, 4)
    assert table["verdict"].tolist() == ["holds", "violated", "holds"]


@pytest.mark.parametrize("library", ["matplotlib", "pandas"])
def test_without_a_library(
    library: str, report: verifier.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    extra = {"matplotlib": "plot", "pandas": "pandas"}[library]
    with pytest.raises(LibraryMissing, match=f"privacy-verifier\\[{extra}\\]"):
        report.plot() if library == "matplotlib" else report.to_dataframe()


def test_what_cannot_be_drawn_or_chosen_is_said(report: verifier.Report, file: str) -> None:
    with pytest.raises(verifier.InputError, match=r"S014 'curv' is no figure"):
        report.results[0].plot(what="curv")
    with pytest.raises(verifier.InputError, match=r"S014 'curve' is no figure"):
        report.plot(what="curve")
    for wrong in ("3/4", [0.75]):
        with pytest.raises(
            verifier.InputError, match=r"S806 the values of 'p' are a list of texts"
        ):
            verifier.check(file, values={"p": wrong})  # type: ignore[dict-item]
