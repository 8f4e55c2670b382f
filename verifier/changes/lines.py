"""What a lock or a report says of one check: a line, without the question itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.changes import curves

Json = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One check and its answer; every number is text, as in the JSON of a report.

    file        its path
    name        of the check, None without one
    definition  its keyword
    mechanism   the name of the mechanism, None without one
    level       {"exp_epsilon" or "epsilon": …, "delta": …}; None without a level
    leakage     the smallest level or value that was found; None without one
    verdict     "holds", "violated" or "undecided"
    expected    "holds", "violated" or "vacuous"
    asserted    the leakage that the file asserts: "3", "infinite", "[3, 4]"; None without one
    digest      of the question, wherever it stands; "" where it could not be written down
    promise     of the question without its mechanism and level; "" where it is not known
    values      of parameters that have several, in words; "" without any
    curve       the answer for all values of a real parameter, as a report has it; None without one
    wish        what the file expects for all of them; None where nothing
    asks        what is asked of what, part by part, as a report has it; None where it is not known
    tradeoff    the smallest delta at levels that the check names; None where it names none
    """

    file: str
    name: str | None
    definition: str
    mechanism: str | None
    level: Mapping[str, str] | None
    leakage: Mapping[str, Any] | None
    verdict: str
    expected: str
    asserted: str | None
    digest: str
    promise: str
    values: str = ""
    curve: Mapping[str, Any] | None = None
    wish: Mapping[str, Any] | None = None
    asks: Mapping[str, Any] | None = None
    tradeoff: Sequence[Mapping[str, str]] | None = None

    @property
    def label(self) -> str:
        """The name, or the definition and the level; and the mechanism."""
        numbers = {k: v for k, v in (self.level or {}).items() if (k, v) != ("delta", "0")}
        level = f" ({', '.join(f'{k} {v}' for k, v in numbers.items())})" if numbers else ""
        mechanism = f" [{self.mechanism}]" if self.mechanism else ""
        return f"{self.name or self.definition + level}{mechanism}"

    @property
    def vacuous(self) -> bool:
        """Whether nothing was compared."""
        return bool(self.leakage and self.leakage.get("vacuous"))


LEVELS = ({"exp_epsilon", "delta"}, {"epsilon", "delta"})
BOUNDS = {"lower", "upper"}
LEAKAGES = ({"exp_epsilon"}, {"closed", *BOUNDS}, BOUNDS, {"infinite"}, {"value"})
TEXTS = ("file", "definition", "digest", "promise", "values")
NULLABLE = ("name", "mechanism", "asserted")
WORDS = {
    "verdict": ("holds", "violated", "undecided"),
    "expected": ("holds", "violated", "vacuous"),
}
FLAGS = ("infinite", "vacuous", "attained")
# keys that stand only where there is something to say
OPTIONAL = ("values", "curve", "wish", "asks", "tradeoff")
KEYS = tuple(key for key in Line.__dataclass_fields__ if key not in OPTIONAL)
OF_CURVE = ("parameter", "domain", "region", "leakage", "value", "undecided", "tradeoff")
_FUNCTION = re.compile(r"[(-]*[\w(][\w +*/^()-]*")
_SIDE = re.compile(r"(sha256:[0-9a-f]{16,64})(, .*)?")


def of_result(result: Json) -> Line:
    """The line of a check in the JSON of a report; KeyError where a part of it is missing.

    What was not run is undecided.
    """
    known = {"asserted": None, **result, "digest": result["digest"] or ""}
    known["promise"] = result.get("promise") or ""
    if known["verdict"] == "not run":
        known["verdict"] = "undecided"
    line = Line(**{key: known[key] for key in (*KEYS, *OPTIONAL) if known.get(key) or key in KEYS})
    if "region" not in known:
        return line
    curve = {key: known[key] for key in OF_CURVE if key in known}
    if isinstance(line.leakage, dict):  # nothing is compared for any value
        return replace(line, curve={**curve, "leakage": []}, tradeoff=None)
    return replace(line, leakage=None, curve=curve, tradeoff=None)


def moved(before: Line, after: Line) -> Iterator[str]:
    """Where a check stood `before`, and what it was called, where that is another one `after`."""
    if before.file != after.file:
        yield f"it stood in {before.file}"
    if before.name != after.name:
        yield f"its name was {before.name or 'none'}"


def side(line: Line | None) -> str:
    """What a line asks and expects, in short: the digest, and what is expected besides *holds*.

    >>> side(None)
    'gone'
    """
    if line is None:
        return "gone"
    expected = "" if line.expected == "holds" else f", {line.expected}"
    asserted = f", leakage {line.asserted}" if line.asserted else ""
    return f"{line.digest[:23] or 'unknown'}{expected}{asserted}"


def is_side(text: str) -> bool:
    """Whether a text is such a short one, or one with more of the digest."""
    return text in ("gone", "unknown") or _SIDE.fullmatch(text) is not None


def is_of(text: str, line: Line | None) -> bool:
    """Whether a text is short for a line."""
    long = _SIDE.fullmatch(text)
    if long is None or line is None:
        return text == side(line)
    return line.digest.startswith(long[1]) and long[1][:23] + (long[2] or "") == side(line)


def as_json(line: Line) -> Json:
    """A line as an object of JSON."""
    return {key: part for key, part in asdict(line).items() if key not in OPTIONAL or part}


def wrong(line: Line) -> Iterator[str]:
    """The keys of a line whose values cannot stand there, in their order."""
    return (key for key, value in vars(line).items() if not _is_well_made(key, value))


def _is_well_made(key: str, value: Any) -> bool:
    if key in WORDS:
        return value in WORDS[key]
    if key in TEXTS:
        return isinstance(value, str)
    if value is None:
        return True
    if key in ("curve", "wish"):
        return curves.is_readable(value, key)
    if key == "tradeoff":
        return isinstance(value, list) and all(
            isinstance(one, dict) and _is_one_of(one, LEVELS) for one in value
        )
    if key in NULLABLE:
        return isinstance(value, str) and (key != "asserted" or _is_interval(value))
    if not isinstance(value, dict):
        return False
    if key == "asks":
        return _asks(value)
    if key == "level" and value.keys() == LEVELS[0]:  # where functions of parameters may stand
        return all(map(_is_function, value.values()))
    return _is_one_of(value, LEVELS if key == "level" else LEAKAGES)


def _asks(found: Mapping[str, Any]) -> bool:
    """Whether an object says what is asked: texts, and lists of them."""
    if found.keys() - {"bound"} != {"mechanism", "options", "items", "rest"}:
        return False
    items, options = found["items"], found["options"]
    if not (isinstance(items, dict) and isinstance(options, dict)):
        return False
    lists = [*items.values(), [found["mechanism"], found["rest"], *options.values()]]
    bound = found.get("bound")
    return (bound is None or is_number(bound)) and all(
        isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists
    )


def _is_one_of(found: Mapping[str, Any], shapes: Sequence[set[str]]) -> bool:
    """Whether an object has the keys of one of the shapes, with exact numbers or flags."""
    if found.keys() - {"vacuous", "attained"} not in shapes:
        return False
    numbers = [value for key, value in found.items() if key not in FLAGS]
    flags = [value for key, value in found.items() if key in FLAGS]
    return all(map(is_number, numbers)) and all(isinstance(flag, bool) for flag in flags)


def _is_function(found: Any) -> bool:
    """Whether it is an exact number, or may be a function of parameters, as text."""
    return is_number(found) or (isinstance(found, str) and _FUNCTION.fullmatch(found) is not None)


def is_number(found: Any) -> bool:
    """Whether it is an exact number that is not negative, as text."""
    try:
        return isinstance(found, str) and exact.number(found) >= 0
    except InputError:
        return False


def _is_interval(text: str) -> bool:
    """Whether a text is an asserted leakage."""
    ends = text[1:-1].split(", ") if text.startswith("[") and text.endswith("]") else [text]
    return text == "infinite" or (len(ends) <= 2 and all(map(is_number, ends)))
