"""The checker stays small: its kernel, what each rule has for itself, what a certificate loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tests.pages import CERTIFICATES, ROOT

FOLDER = ROOT / "verifier" / "checker"
# modules -> code lines at most; what is reached, so that each number may only become smaller
SIZES = {
    # the kernel is to have 2,000
    "__init__ document reading question obligations levels linear "
    "numbers powers signs cuts sturm domains pieces": 2727,
    "rates": 89,
    # and no rule more than 500
    "inequality divergences chords hiding": 459,
    "leakage": 47,  # how much better is guessed: sums over outputs
    # cones of messages between records; and apart from them records without any: products of the
    # least ratios, and sums over losses
    "network cones": 465,
    "losses grids": 405,
    "polytopes": 189,
    # a solution or multipliers; simulators, which have situations; and what adds up over runs
    "feasibility facets": 413,
    "simulation situations": 288,
    "couplings": 151,
    "polynomials": 353,
    "composition supports ties": 376,
    "runs": 249,
    "noise integrals functions": 483,
    "densities": 136,
}
FILES, LINES = 8, 2692  # that a plain certificate is read by, its rule included
LOADED = """
import json, sys
from verifier.checker import check
assert check(json.load(sys.stdin)).outcome == "accepted"
print(*(sys.modules[name].__file__ for name in sys.modules if name.startswith("verifier.checker")))
"""


def code_lines(path: Path) -> int:
    """The lines that are code: not blank, no comment, no docstring, no import."""
    text = path.read_text(encoding="utf-8")
    lines = enumerate(text.splitlines(), 1)
    code = {n for n, line in lines if line.strip() and not line.lstrip().startswith("#")}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            code -= {*range(node.lineno, (node.end_lineno or 0) + 1)}
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                code -= {*range(first.lineno, (first.end_lineno or 0) + 1)}
    return len(code)


def test_kernel_and_rules_have_few_lines() -> None:
    listed = [module for modules in SIZES for module in modules.split()]
    assert sorted(listed) == sorted(path.stem for path in FOLDER.glob("*.py"))
    found = {
        modules: sum(code_lines(FOLDER / f"{module}.py") for module in modules.split())
        for modules in SIZES
    }
    assert all(found[modules] <= SIZES[modules] for modules in SIZES), found


def test_a_plain_certificate_is_read_by_few_modules() -> None:
    example = (CERTIFICATES / "comparison.json").read_text(encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", LOADED],
        input=example,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = [Path(name) for name in run.stdout.split()]
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in loaded)
    assert len(loaded) <= FILES and lines <= LINES, (len(loaded), lines)
