"""A report as one page of HTML that needs nothing else: no script, style or font from elsewhere.

What people have named is escaped, and the page's Content-Security-Policy allows its own script and
style alone, by their digests. Verdicts and texts stand in the page; figures are drawn from data
beside them when a check is opened.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import resources
from itertools import count, takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from verifier.base.escape import escaped
from verifier.base.version import VERSION
from verifier.report.findings import NOTE, RANKS, SOURCE, Document, Finding
from verifier.report.formats.text import WORDS, counted
from verifier.report.text import symbol

if TYPE_CHECKING:
    from jinja2 import Template

OPEN = 10  # findings that are open from the start: the first errors
LONG = 40  # findings of a list in which groups without anything to tell are closed at first
PASSING = "More leaks, and all is still as promised"  # the headline of such a change
LONGEST = 240  # characters of a fact
LONGEST_LINE = 2000  # characters of a line about a check
TEXTS = {  # title, heading of the list, where it is empty; by the worst severity; explanation
    "check": (
        ("Privacy checks", "Checks", "No check ran."),
        ("Failed", "Not all was decided, nothing failed", "Passed, with notes", "Passed"),
        "ε bounds how far an output moves an attacker's odds: by a factor of at most e^ε. The "
        "smallest ε at which a check holds is exact; decimals are rounded to six digits.",
    ),
    "diff": (
        ("What a change leaks", "Changes", "No check was compared."),
        ("Stopped", "Not all was decided", "Passed, with notes", "Nothing leaks more"),
        "Before: as it was. After: as it would be. Leaks more: the smallest level or δ rose. "
        "Promises less: a check asks for less than it did. Promises otherwise: the two cannot be "
        "compared.",
    ),
    "certify": (
        ("Certificates", "Certificates", "There are no certificates."),
        ("Not all accepted", "Not all accepted", "Accepted, with notes", "Accepted"),
        "Accepted: the independent checker has verified the certificate. What is taken from the "
        "engine stands as the certificate has it.",
    ),
}

Json = dict[str, Any]
Facts = list[tuple[str, str]]


def render(document: Document) -> str:
    """The page of a report."""
    from markupsafe import Markup

    names, _, explained = TEXTS[document.kind]
    findings, (headline, tone) = document.findings, _headline(document)
    style, script = _part("page.css"), _part("page.js")
    page: str = _template().render(
        kind=document.kind,
        names=names,
        headline=headline,
        tone=tone,
        about=_told_at_top(document),
        head=_head(document),
        explained=explained,
        shares=_shares(findings),
        vacuous=sum(one.vacuous for one in findings),
        rules=sorted({one.rule for one in findings}),
        files=sorted({one.file for one in findings if one.file}),
        groups=_groups(document),
        style=Markup(style),
        script=Markup(script),
        digests=[_digest(script), _digest(style)],
        version=VERSION,
    )
    return page


def _headline(document: Document) -> tuple[str, str]:
    """How it ended, in words, and how severe that is; where nothing was done it has not passed."""
    names, verdicts, _ = TEXTS[document.kind]
    severities = {one.severity for one in document.findings}
    worst = next((one for one in RANKS if one in severities), "none")
    done = any(one.is_result for one in document.findings) or any(document.summary.values())
    if worst != "error" and not done:
        return names[-1], "warning"
    may_pass = (one.status == NOTE or one.json.get("passes") for one in document.findings)
    if worst == "warning" and all(may_pass):
        return PASSING, worst
    return verdicts[RANKS.index(worst)], worst


def _told_at_top(document: Document) -> str:
    """What is compared, and what the list does not have."""
    if document.kind != "diff":
        return ""
    sides = [f"{key}: {value}" for key, value in document.meta.items() if isinstance(value, str)]
    return " · ".join([*sides, *(counted(count, what) for what, count in document.summary.items())])


def _head(document: Document) -> list[tuple[str, str]]:
    """What was run, when, and with what."""
    day, _, time = document.began.partition("T")
    found = [("began", f"{day} {time}"), *document.head.items(), ("version", VERSION)]
    return [(name, _short(value, LONGEST)) for name, value in found if value]


def _template() -> Template:
    from jinja2 import Environment

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: escaped(value) if type(value) is str else value,
    )
    return environment.from_string(_part("page.html"))


def _part(name: str) -> str:
    return (resources.files("verifier.report") / "page" / name).read_text("utf-8")


def _digest(text: str) -> str:
    """How a Content-Security-Policy names a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shares(findings: Sequence[Finding]) -> list[Json]:
    """For each status how many have it, the worst first, and its part of a bar of length 100."""
    worst = {one.status: one for one in sorted(findings, key=lambda one: -one.rank)}
    counts = Counter(one.status for one in findings)
    found: list[Json] = []
    start = 0.0
    for status, one in sorted(worst.items(), key=lambda item: (item[1].rank, item[0])):
        count, width = counts[status], 100 * counts[status] / len(findings)
        word = WORDS[status][count != 1] if status in WORDS else status
        share = {"status": status, "word": word, "severity": one.severity, "count": count}
        found.append({**share, "start": round(start, 3), "width": round(width, 3)})
        start += width
    return found


def _groups(document: Document) -> list[Json]:
    """The findings under the places that they are in, the worst place and finding first.

    A place is a file of which there is more to tell than one thing, some of it not ok; else a
    folder, of which what is not ok stands apart.
    """
    files: dict[str, list[Finding]] = {}
    for one in document.findings:
        files.setdefault(document.path(one), []).append(one)
    groups: dict[tuple[str, bool], list[Finding]] = {}
    for path, found in files.items():
        is_ok = all(one.severity == "none" for one in found)
        is_whole = is_ok or len(found) == 1
        folder = PurePath(path).parent.as_posix()
        key = (folder if is_whole else path, is_ok)
        groups.setdefault(key, []).extend(found)
    ranked = sorted(groups.items(), key=lambda item: min(one.rank for one in item[1]))
    rows, is_long = _rows(), len(document.findings) > LONG
    return [
        {
            "name": name,
            "shares": _shares(found),
            "open": not (is_ok and is_long),
            "rows": [rows(one) for one in sorted(found, key=lambda one: one.rank)],
        }
        for (name, is_ok), found in ranked
    ]


def _rows() -> Callable[[Finding], Json]:
    """What makes of a finding that which the template tells of it, in the order of the page; ids
    are those of elements, and differ."""
    seen: Counter[str] = Counter()
    left = count(OPEN, -1)

    def row(one: Finding) -> Json:
        seen[one.id] += 1
        again = f"-{seen[one.id]}" if seen[one.id] > 1 else ""
        is_open = one.severity == "error" and next(left) > 0
        return {"finding": one, "anchor": f"c-{one.id}{again}", "open": is_open, **_row(one)}

    return row


def _row(one: Finding) -> Json:
    told, pair = one.json, [one.json.get(side) for side in ("before", "after")]
    if any(pair):
        before, after = (dict(_facts(side or {})) for side in pair)
        keys = dict.fromkeys([*before, *after])
        sides = [(key, before.get(key, "–"), after.get(key, "–")) for key in keys]
        facts: Facts = []
    else:
        sides, facts = [], _facts(told)
    epsilon, order = _epsilon(pair[1] or told)
    former = _epsilon(pair[0] or {})[0]
    if former and former != epsilon:
        epsilon = f"{former} → {epsilon.removeprefix('ε = ') or '–'}"
    epsilon = _called(pair[1] or pair[0] or told, epsilon)
    source = [_short(line, LONGEST_LINE) for line in takewhile(SOURCE.match, one.details)]
    lines = [*one.details[len(source) :], one.advice]
    return {
        "epsilon": epsilon,
        "order": order,
        "source": source,
        "lines": [_short(line, LONGEST_LINE) for line in lines if line],
        "sides": sides,
        "facts": [*facts, *_about(one)],
        "figures": _data([list(part) for part in one.figures.items() if part[1]]),
    }


def _about(one: Finding) -> Facts:
    """Where it is, and how it is named."""
    seconds = f"{one.seconds:.3g} s" if one.seconds else ""
    digest = "" if one.fingerprint == one.id else f"{one.fingerprint[:23]}…"
    found = [("time", seconds), ("question", digest), ("id", one.id)]
    return [(key, value) for key, value in found if value]


def _facts(told: Json) -> Facts:
    """What the JSON of a result says, in words; only what is there."""
    scope, certificate = told.get("scope") or {}, told.get("certificate") or {}
    accepted = "accepted by the checker" if certificate.get("accepted") else ""
    found = {
        "definition": told.get("definition"),
        "mechanism": told.get("mechanism"),
        "expected": told.get("expected"),
        "verdict": told.get("verdict"),
        "asked for": _called(told, _level(told)),
        "value" if "value" in _found(told) else "smallest": _called(told, _smallest(told)),
        "compared": ", ".join(_counted(key, part) for key, part in scope.items() if key != "notes"),
        "remarks": "; ".join(scope.get("notes", ())),
        "certificate": ", ".join(
            filter(None, (certificate.get("rule"), accepted, certificate.get("path")))
        ),
    }
    return [(key, _short(str(value), LONGEST)) for key, value in found.items() if value]


def _counted(key: str, part: object) -> str:
    return f"{part} {key}" if isinstance(part, int) else f"{key}: {part}"


def _called(told: Json, words: str) -> str:
    """Words about a level, as its definition calls it."""
    return words.replace("ε", symbol(told.get("definition")))


def _level(told: Json) -> str:
    """The level that is asked for."""
    level = told.get("level") or {}
    if "exp_epsilon" in level:
        decimal = told.get("level_epsilon")
        text = f"e^ε = {level['exp_epsilon']}" + (f" ({_is(decimal)})" if decimal else "")
    elif "epsilon" in level:
        text = f"ε = {level['epsilon']}"
    else:
        return ""
    return text + (f", δ = {level['delta']}" if level.get("delta", "0") != "0" else "")


def _found(told: Json) -> Json:
    """The smallest level; nothing for one that is a function, which the text of a result has."""
    found = told.get("leakage")
    return found if isinstance(found, dict) else {}


def _smallest(told: Json) -> str:
    """The smallest level, or the value, that was found."""
    found = _found(told)
    if "value" in found:
        return str(found["value"])
    if found.get("vacuous"):
        return "vacuous: nothing was compared"
    if found.get("infinite"):
        text = "infinite"
    elif "closed" in found:
        text = f"e^ε = {found['closed']}"
    elif "lower" in found:
        text = f"e^ε between {found['lower']} and {found['upper']}"
    elif "exp_epsilon" in found:
        text = f"e^ε = {found['exp_epsilon']}"
    else:
        return ""
    decimal = told.get("epsilon")
    text += f" ({_is(decimal)})" if decimal and not found.get("infinite") else ""
    return text + (", approached but not attained" if found.get("attained") is False else "")


def _epsilon(told: Json) -> tuple[str, float | None]:
    """The smallest ε for the list, and a number to sort by, of an interval the upper end."""
    found, decimal = _found(told), told.get("epsilon")
    if "value" in found:
        value = str(found["value"])
        return (f"value {value}" if len(value) <= 12 else "value below"), None
    if found.get("infinite"):
        return "ε = ∞", 1e9
    if found.get("vacuous") or decimal is None:
        return "", None
    return _is(decimal), float(decimal.strip("[]").split(", ")[-1])


def _is(decimal: str) -> str:
    """What ε is, or the interval that it is in."""
    return f"ε in {decimal}" if decimal.startswith("[") else f"ε = {decimal}"


def _data(value: object) -> object:
    """JSON that stands safely in an element of a page."""
    from markupsafe import Markup

    text = json.dumps(_readable(value), ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _readable(value: Any) -> Any:
    """The same with all its texts escaped."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {key: _readable(part) for key, part in value.items()}
    return list(map(_readable, value)) if isinstance(value, list) else value


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most - 40]} … ({len(text)} characters in all)"
