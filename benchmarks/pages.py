"""The page of a report in a browser: `python -m benchmarks.pages FILE…` prints JSON.

All checks of the files are decided, and told twice: once as they are, and as often as makes ten
thousand. A page is open when all of it is read, its script has run, and it is drawn.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from tests.browser import Browser
from verifier.cli import jobs
from verifier.report.findings import Document, Finding, counted, of_check
from verifier.report.formats import FORMATS

MANY = 10_000
SHOWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SEARCH = """(async () => {
    const start = performance.now(), field = document.getElementById("search");
    field.value = "pufferfish";
    field.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return (performance.now() - start) / 1000;
})()"""


def findings(files: list[str]) -> Iterator[Finding]:
    """The results of all checks of the files, with what can be drawn."""
    job = {"work": "check", "time_limit": None, "stopped": {}, "dry_run": False, "start": 0}
    for file in files:
        for event in jobs.run({**job, "file": file, "figures": True}, lambda told: None):
            yield of_check(event["item"])


def measured(found: list[Finding], name: str) -> dict[str, float]:
    """How large the page about some findings is, and how long it takes."""
    started = perf_counter()
    text = FORMATS["html"].render(Document("check", tuple(found), counted(found)))
    told = {f"{name} render": perf_counter() - started, f"{name} size": len(text.encode()) / 1e6}
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder) / "profile") as browser:
        page = Path(folder) / "page.html"
        page.write_text(text, encoding="utf-8")
        browser.open(page)
        browser.value(SHOWN)
        told[f"{name} open"] = browser.value("performance.now() / 1000")
        told[f"{name} search"] = browser.value(SEARCH)
    return told


def main(files: list[str]) -> None:
    """Print what is measured."""
    found = list(findings(files))
    many = [replace(one, id=f"{k:016x}") for k, one in enumerate(islice(cycle(found), MANY))]
    print(json.dumps({**measured(found, "models"), **measured(many, "many")}))


if __name__ == "__main__":
    main(sys.argv[1:])
