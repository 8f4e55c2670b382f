r"""A table in LaTeX, for papers: `\usepackage{booktabs}` and `\input` of the report.

A check is a row: its name, what was found, the smallest e^ε or value as a fraction, ε in six
digits. Errors, notes and files that were not read to their end are rows with a text.
"""

from __future__ import annotations

from typing import Any

from verifier.base import exact
from verifier.report import tex
from verifier.report.findings import Document, Finding

Json = dict[str, Any]
HEAD = ("check", "answer", f"smallest {tex.ALPHA}, or value", tex.EPSILON)


def render(document: Document) -> str:
    """The table; nothing where nothing was found."""
    if not document.findings:
        return ""
    about = r"needs \usepackage{booktabs}"
    return "\n".join(tex.table(HEAD, map(_row, document.findings), "llrr", about))


def _row(found: Finding) -> list[str]:
    told = found.json.get("after") or found.json
    if not found.is_result:
        return [tex.text(found.label), tex.text(f"{found.status}: {found.message}"), "", ""]
    verdict = "vacuous" if found.vacuous else str(told.get("verdict") or found.message)
    said = {"ok": verdict, verdict: verdict}.get(found.status, f"{found.status}: {verdict}")
    level, epsilon = _smallest(told), tex.number(_epsilon(told))
    if told.get("definition") == "zcdp" and level:
        level, epsilon = rf"$e^{{\rho}}$: {level}", rf"$\rho$: {epsilon}"
    return [tex.text(found.label), tex.text(said), level, epsilon]


def _smallest(told: Json) -> str:
    """The smallest level, or the value."""
    leakage = told.get("leakage")
    if isinstance(leakage, list):
        return tex.text(f"a function of {told['parameter']}")
    if not leakage or "vacuous" in leakage:
        return ""
    if "lower" in leakage and "closed" not in leakage:
        return tex.between(*(exact.number(leakage[end]) for end in ("lower", "upper")))
    keys = ("value", "closed", "exp_epsilon")
    return tex.number(next((leakage[key] for key in keys if key in leakage), "infinite"))


def _epsilon(told: Json) -> str:
    """ε in six digits, where there is a level that is finite."""
    leakage = told.get("leakage")
    is_level = isinstance(leakage, dict) and not {"infinite", "value", "vacuous"} & leakage.keys()
    return str(told.get("epsilon") or "") if is_level else ""
