"""The page of a report in a real browser: widths, colours, keys, paper, and no word to anybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browser, needs_chromium
from verifier import cli
from verifier.report.findings import Document, Finding, of_error, of_file
from verifier.report.formats import FORMATS

pytestmark = needs_chromium
WIDTHS = (360, 500, 800, 1400)
SPEC = """\
worlds: {records: [ann, bob, cat], domain: [0, 1]}
secrets: {"<b>yes</b> \\u202e": bob == 1, "a rather long name of a secret that goes on": bob == 0}
pairs: [["<b>yes</b> \\u202e", "a rather long name of a secret that goes on"]]
priors:
  list:
    - markov: {initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}
mechanisms:
  bits: {randomized_response: {truth: 3/4}}
  "</script><script>alert(1)</script>": {deterministic: ann + bob + cat}
checks:
  - {name: first, pufferfish: {epsilon: 1}, mechanism: bits}
  - {name: second, differential_privacy: {exp_epsilon: 3}, mechanism: bits}
  - {name: third, differential_privacy: {exp_epsilon: 2, delta: 1/10}, mechanism: bits}
  - {differential_privacy: {epsilon: 1}, mechanism: "</script><script>alert(1)</script>"}
"""
OPEN_ALL = "document.querySelectorAll('#checks li > details').forEach((one) => one.open = true)"
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOCUSED = """document.activeElement.id
    || document.activeElement.closest('li')?.querySelector('.label').textContent"""


def texts(selector: str) -> str:
    """The script that gives the texts of elements."""
    return f"[...document.querySelectorAll('{selector}')].map((one) => one.textContent)"


SHOWN = texts("#checks li:not([hidden]) .label")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page about a file with names that are hostile and long."""
    folder = tmp_path_factory.mktemp("page")
    spec, found = folder / "spec.yaml", folder / "report.html"
    spec.write_text(SPEC, encoding="utf-8")
    assert cli.main(["check", str(spec), "-q", "--report", f"html={found}"]) == 1
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests here."""
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(autouse=True)
def nothing_is_logged_or_fetched(seen: Browser) -> Iterator[None]:
    """No error, and no request but for the page itself."""
    seen.logged.clear()
    seen.requests.clear()
    yield
    seen.value("new Promise((done) => setTimeout(done, 50))")
    assert seen.logged == []
    assert {address.partition(":")[0] for address in seen.requests} <= {"file"}
    assert len(set(seen.requests)) <= 1


def test_a_mistake_would_be_seen(seen: Browser, tmp_path: Path) -> None:
    """What the tests below look for is found where it is: nothing is silent by accident."""
    other = tmp_path / "other.html"
    policy = "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\">"
    other.write_text(
        f"<!DOCTYPE html>{policy}<img src='x.png'><script>1</script><p style='width:2000px'>wide"
    )
    seen.open(other, 360)
    assert seen.value(OVERFLOW) > 1000
    assert any("Content Security Policy" in text for text in seen.logged)
    assert any(address.endswith("x.png") for address in seen.requests)
    seen.logged.clear()
    seen.requests.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(seen: Browser, page: Path, width: int, scheme: str) -> None:
    seen.open(page, width, scheme=scheme)
    seen.value(OPEN_ALL)
    seen.value(DRAWN)
    seen.value("document.querySelectorAll('figure details').forEach((one) => one.open = true)")
    seen.value(DRAWN)
    assert seen.value("document.querySelectorAll('figure').length") >= 15
    assert seen.value(OVERFLOW) == 0
    dark = seen.value("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    assert dark == (scheme == "dark")
    outside = """[...document.querySelectorAll('figure svg text')].filter((text) => {
        const box = text.getBoundingClientRect();
        const all = text.ownerSVGElement.getBoundingClientRect();
        return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1;
    }).map((text) => text.textContent)"""
    assert seen.value(outside) == []
    clipped = """[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll')
        && one.getBoundingClientRect().right > document.documentElement.clientWidth)
        .map((one) => one.outerHTML.slice(0, 200))"""
    assert seen.value(clipped) == []


def test_names_are_text(seen: Browser, page: Path) -> None:
    seen.open(page)
    seen.value(OPEN_ALL)
    seen.value(DRAWN)
    assert seen.value("document.scripts.length") == 2
    assert seen.value("document.querySelectorAll('#checks b').length") == 0
    assert "<b>yes</b> \\u202e" in seen.value("document.querySelector('figure').textContent")
    assert "</script><script>alert(1)</script>" in seen.value(SHOWN)[2]


def test_each_figure_has_a_table(seen: Browser, page: Path) -> None:
    seen.open(page)
    seen.value(OPEN_ALL)
    seen.value(DRAWN)
    assert seen.value(texts("#checks li:first-child figcaption")) == [
        "Likelihood matrix",
        "Prior in the worst case",
        "Odds before and after the output",
        "Smallest δ at each level",
        "Leakage of several runs",
    ]
    pictures = seen.value("document.querySelectorAll('svg[role=img][aria-label]').length")
    tables = seen.value("document.querySelectorAll('figure table thead th[scope=col]').length")
    assert pictures == seen.value("document.querySelectorAll('figure').length") > 15
    assert tables >= 2 * pictures
    found = seen.value(texts("#checks li:nth-child(4) figure:nth-child(5) td"))
    assert found[:4] == ["3", "1.09861", "9", "2.19722"]


def test_filters(seen: Browser, page: Path) -> None:
    def put(control: str, value: str) -> list[str]:
        seen.value(
            f"(() => {{ const one = document.getElementById('{control}'); one.value = '{value}';"
            "one.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        found: list[str] = seen.value(SHOWN)
        return [name.split(" ")[0] for name in found]

    seen.open(page)
    assert put("search", "second")[:1] == ["second"]
    assert seen.value("document.getElementById('count').textContent") == "1 of 4 shown"
    assert put("search", "no such check") == []
    assert seen.value("document.getElementById('empty').checkVisibility()") is True
    put("search", "")
    assert put("rule", "pufferfish") == ["first"]
    assert len(put("rule", "")) == 4
    assert put("order", "leakage")[0] == "differential_privacy"
    assert put("order", "worst") == ["first", "third", "differential_privacy", "second"]
    seen.value("document.querySelector('input[value=failed]').click()")
    assert seen.value(SHOWN) == ["second [bits]"]


def test_all_is_reached_by_keys(seen: Browser, page: Path) -> None:
    """In the order of the page, with a visible mark where one is."""
    seen.open(page)
    reached = []
    for _ in range(13):
        seen.press("Tab")
        reached.append(seen.value(FOCUSED))
        outline = seen.value("getComputedStyle(document.activeElement).outlineWidth")
        assert float(outline.removesuffix("px")) >= 1, reached[-1]
    assert reached[1:6] == ["filters", "search", "rule", "file", "order"]
    assert reached[8:11] == ["all", None, "first [bits]"], "after the line of its group"
    seen.press("Tab", shift=True)


def test_a_check_is_opened_by_keys(seen: Browser, page: Path) -> None:
    seen.open(page)
    state = "document.activeElement.parentNode.open"
    seen.value("document.querySelectorAll('#checks li > details')[3].firstElementChild.focus()")
    assert seen.value(state) is False
    seen.press("Enter")
    assert seen.value(state) is True
    seen.value(DRAWN)
    assert seen.value("document.activeElement.closest('li').querySelectorAll('figure').length") == 5
    seen.press("Tab")
    seen.press("Space")
    assert seen.value(state) is True, "the table of the first figure"
    seen.press("Tab")
    assert seen.value("document.activeElement.getAttribute('role')") == "region"


def test_the_skip_link_leads_to_the_list(seen: Browser, page: Path) -> None:
    seen.open(page)
    seen.press("Tab")
    assert seen.value("document.activeElement.getBoundingClientRect().left") >= 0
    seen.press("Enter")
    for _ in range(2):
        seen.press("Tab")
    assert seen.value(FOCUSED) == "first [bits]"


def test_letters_go_into_the_search(seen: Browser, page: Path) -> None:
    seen.open(page)
    for _ in range(3):
        seen.press("Tab")
    for letter in "third":
        seen.press(letter)
    assert [name.split(" ")[0] for name in seen.value(SHOWN)] == ["third"]


def test_an_address_opens_its_check(seen: Browser, page: Path) -> None:
    seen.open(page)
    name = seen.value("document.querySelectorAll('#checks li')[1].id")
    seen.value(f"location.hash = '{name}'")
    seen.value("new Promise((done) => setTimeout(done, 100))")
    assert seen.value(f"document.getElementById('{name}').firstElementChild.open") is True


def test_without_scripts_verdicts_and_texts_are_there(seen: Browser, page: Path) -> None:
    seen.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        seen.open(page)
        tree = seen.call("DOM.getDocument", depth=1)["root"]["nodeId"]
        text = seen.call("DOM.getOuterHTML", nodeId=tree)["outerHTML"]
    finally:
        seen.call("Emulation.setScriptExecutionDisabled", value=False)
    assert 'id="controls" role="search" hidden' in text
    assert "asked for: ε = 1" in text and "odds" in text and "Without scripts" in text


def test_it_is_printed(seen: Browser, page: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.pdf"
    seen.open(page, scheme="dark")
    seen.printed(target)
    assert target.read_bytes().startswith(b"%PDF")
    seen.media("dark", "print")
    assert seen.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert seen.value("document.getElementById('controls').checkVisibility()") is False
    assert seen.value("document.querySelector('figure').checkVisibility()") is True
    seen.media("light", "")


@pytest.mark.parametrize("kind", ["check", "diff", "certify"])
def test_an_empty_report(seen: Browser, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "empty.html"
    target.write_text(FORMATS["html"].render(Document(kind, (), {})), encoding="utf-8")
    seen.open(target, 360)
    assert seen.value(OVERFLOW) == 0
    assert seen.value("document.getElementById('controls').checkVisibility()") is False
    assert seen.value("document.querySelector('main p').checkVisibility()") is True


def test_a_change_is_not_wider_than_the_page(seen: Browser, tmp_path: Path) -> None:
    side = {"definition": "differential_privacy", "level": {"exp_epsilon": "7" * 60}}
    before = {**side, "leakage": {"exp_epsilon": "3"}, "epsilon": "1.098612"}
    after = {**side, "leakage": {"exp_epsilon": "9"}, "epsilon": "2.197225"}
    runs = {"runs": [["3", 1.0986], ["9", 2.1972]]}
    one = Finding(
        "a.yaml", 1, 1, "0" * 16, "differential_privacy", "a check", "promises otherwise",
        "error", "the worlds are others", ("x" * 300,), "", {"before": before, "after": after},
        figures={"before": runs, "after": runs},
    )  # fmt: skip
    target = tmp_path / "change.html"
    target.write_text(FORMATS["html"].render(Document("diff", (one,), {})), encoding="utf-8")
    for width in WIDTHS:
        seen.open(target, width)
        rights = """[...document.querySelectorAll('.eps, td, figure')]
            .map((one) => one.getBoundingClientRect().right)"""
        assert max(seen.value(rights)) <= width - 15
        tops = "[...document.querySelectorAll('.figures')].map((one) => one.offsetTop)"
        first, second = seen.value(tops)
        assert (first == second) == (width > 800), "beside each other where there is room"


def test_only_an_error(seen: Browser, tmp_path: Path) -> None:
    error = {"file": "a.yaml", "line": 1, "column": 1, "code": "S001", "message": "x" * 500}
    text = f"a.yaml:1:1: S001 {'x' * 500}\n    1 | {'y' * 500}\n      | ^"
    found = Document("check", (of_error(error, text),), {})
    target = tmp_path / "error.html"
    target.write_text(FORMATS["html"].render(found), encoding="utf-8")
    for width in WIDTHS:
        seen.open(target, width)
        assert seen.value(OVERFLOW) == 0
    assert "yyy" in seen.value("document.querySelector('pre').textContent")


def test_the_worst_stands_on_top_and_long_lists_are_closed(seen: Browser, tmp_path: Path) -> None:
    """Each failing file under its name; folders where all is ok are closed until searched."""
    error = {"file": "deep/bad.yaml", "line": 1, "column": 1, "code": "S001", "message": "bad"}
    text = f"deep/bad.yaml:1:1: S001 bad\n    1 | {'y' * 90}\n      | {' ' * 80}^"

    def check(file: str, name: str, status: str = "ok") -> Finding:
        severity = {"ok": "none", "failed": "error"}[status]
        return Finding(
            file, 1, 1, name, "differential_privacy", name, status, severity, "said", (), name, {}
        )

    fine = [check(f"deep/{at}.yaml", f"fine {at}") for at in range(50)]
    mixed = [check("mixed.yaml", "holds"), check("mixed.yaml", "fails", "failed")]
    found = (*fine, *mixed, of_error(error, text), of_file("slow.yaml", "undecided", "too slow"))
    target = tmp_path / "groups.html"
    target.write_text(FORMATS["html"].render(Document("check", found, {})), encoding="utf-8")
    seen.open(target, 500)
    assert seen.value(texts(".group > summary bdi")) == ["deep", ".", "mixed.yaml", "deep"]
    assert seen.value(texts("#checks .label"))[:4] == [
        "S001 in line 1",
        "slow.yaml",
        "fails",
        "holds",
    ]
    opened = "[...document.querySelectorAll('.group')].map((one) => one.open)"
    assert seen.value(opened) == [True, True, True, False]
    assert seen.value("document.getElementById('filters').getBoundingClientRect().height < 60")
    # the caret stands below the sign that it points at, whatever the width
    source = seen.value("document.querySelector('.source').textContent").strip("\n").split("\n")
    assert source[1].index("^") == 8 + 80 and len(source) == 2
    line = "parseFloat(getComputedStyle(document.querySelector('.source')).lineHeight)"
    tall = seen.value(f"document.querySelector('.source').clientHeight / {line}")
    assert tall < 3.5, "two lines, and perhaps a bar to scroll with"
    seen.value("document.getElementById('search').value = 'fine 49'")
    seen.value(
        "document.getElementById('search').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert seen.value("document.querySelectorAll('.group')[3].open") is True
    hidden = "[...document.querySelectorAll('.group')].map((one) => one.hidden)"
    assert seen.value(hidden) == [True, True, True, False]
