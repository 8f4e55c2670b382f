"""The page that checks a certificate, in a real browser, from a server of this site alone."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.browser import Browser, browser, needs_chromium
from tests.pages import CERTIFICATES, ROOT

hooks = pytest.importorskip("docs.hooks")  # which needs mkdocs

needs_pyodide = pytest.mark.skipif(
    not hooks.PYODIDE.is_dir(), reason="npm has installed no Pyodide"
)
pytestmark = [pytest.mark.packaging, needs_chromium, needs_pyodide]
PAGE = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
CERTIFICATE = json.loads((CERTIFICATES / "comparison.json").read_text(encoding="utf-8"))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder with the page, as the site has it, and what it loads."""
    folder = tmp_path_factory.mktemp("site")
    elements = "\n".join(re.findall(r"^<.*?>$", PAGE, re.MULTILINE | re.DOTALL))
    (folder / "check.html").write_text(
        f"<!DOCTYPE html><link rel=icon href='data:,'>{elements}", encoding="utf-8"
    )
    (folder / "browser").mkdir()
    for name in ("check.js", "worker.js"):
        shutil.copy(ROOT / "docs" / "browser" / name, folder / "browser")
    hooks.add_checker(folder / "browser")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/check.html"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def seen(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that has the page open."""
    with browser(tmp_path_factory.mktemp("browser")) as found:
        found.visit(site)
        yield found


def told(seen: Browser, document: Any, digest: str = "") -> tuple[str, str]:
    """How a certificate is judged, and in which words."""
    text = document if isinstance(document, str) else json.dumps(document)
    asked = {"certificate": text, "digest": digest}
    for name, value in asked.items():
        seen.value(f"document.getElementById('{name}').value = {json.dumps(value)}")
    seen.value("document.getElementById('check').click()")
    done = """new Promise((done) => { const wait = () => document.getElementById('check').disabled
        ? setTimeout(wait, 50) : done(document.getElementById('told')); wait(); })"""
    outcome = seen.value(f"{done}.then((one) => one.dataset.outcome)")
    return outcome, seen.value("document.getElementById('told').textContent")


def test_nothing_is_loaded_before_it_is_asked_for(seen: Browser) -> None:
    assert not [address for address in seen.requests if "pyodide" in address or "pyz" in address]


def test_it_judges_as_the_command_line_does(seen: Browser, site: str) -> None:
    outcome, words = told(seen, CERTIFICATE)
    assert outcome == "accepted" and "the evidence proves the claim" in words
    assert "taken from the engine: the matrix" in words
    answer = {**CERTIFICATE["answer"], "leakage": {"exp_epsilon": "7/2"}}
    outcome, words = told(seen, {**CERTIFICATE, "answer": answer})
    assert outcome == "rejected" and "rejected" in words
    for bad in ("{", "", {**CERTIFICATE, "version": 1}, {**CERTIFICATE, "more": 1}):
        outcome, words = told(seen, bad)
        assert outcome == "refused" and "refused" in words, bad
    assert told(seen, CERTIFICATE, CERTIFICATE["digest"])[0] == "accepted"
    outcome, words = told(seen, CERTIFICATE, "sha256:00")
    assert outcome == "not as expected" and "none of these digests" in words
    host = site.removesuffix("/check.html")
    assert seen.requests and all(address.startswith(host) for address in seen.requests)
    assert seen.logged == []
