"""Assertions about verdicts, and certificates with other parts."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.checker.drafts import Json, check, digest_of, stated
from verifier.checker import Verdict

GONE = object()  # in place of a part that is left out


def rejected(document: Any, *words: str) -> None:
    verdict = check(document)
    assert verdict.outcome == "rejected", verdict
    for word in words:
        assert word in verdict.reason, verdict


def accepted(document: Any) -> None:
    assert check(document).outcome == "accepted", check(document)


def outcome(changed: Json) -> str:
    """The outcome of a certificate whose question was changed, and is stated rightly again."""
    return check(stated(changed)).outcome


def with_parts(document: Json, **parts: Any) -> Json:
    """The same with other parts, each named by its path, with __ between keys."""
    document = deepcopy(document)
    for path, part in parts.items():
        put(document, path.split("__"), part)
    return document


def put(document: Any, keys: list[str], value: Any) -> None:
    """Exchange a part; a function is applied to it, `GONE` leaves it out, + after the last key adds
    to it. What does not begin at the top does so in the question, what is claimed, or the evidence.
    """
    tops = (document, *(document.get(key) for key in ("question", "claim", "answer", "evidence")))
    inside = next(
        (top for top in tops if isinstance(top, dict) and keys[0].strip("+") in top), document
    )
    *before, last = keys
    for key in before:
        inside = inside[int(key) if isinstance(inside, list) else key]
    name = last.removesuffix("+")
    at: Any = int(name) if isinstance(inside, list) else name
    if value is GONE:
        del inside[at]
    elif name != last and isinstance(inside[at], dict):
        inside[at] |= value
    elif name != last:
        inside[at].append(value)
    else:
        inside[at] = value(inside[at]) if callable(value) else deepcopy(value)


def edited(document: Json, path: str, value: Any) -> Json:
    """A copy with another part at a path, with points between keys, and stated rightly again. An
    empty path is that of the whole, which a function changes."""
    found = deepcopy(document)
    if path:
        put(found, path.split("."), value)
    else:
        value(found)
    if "question" in document:
        return found if path in ("digest", "taken") else stated(found)
    if repr(found["model"]) != repr(document["model"]):
        found["claim"]["digest"] = digest_of(found["model"])
    return found


def siblings(*rows: tuple[Any, ...]) -> Callable[[], None]:
    """A test that certificates are accepted as they stand, and what is said of them with another
    part in place of one of theirs.

    rows  a certificate, or a function that makes it; what is said; the path of a part; all that
          stands there instead, each alone. What is said is an outcome, with a word of its reason
          after a colon or without; a word alone is one of why it is rejected, and the empty one
          stands for whatever is not accepted.
    """

    def test() -> None:
        failed, known = [], set()
        for made, said, path, *values in rows:
            document = made() if callable(made) else made
            document = stated(document) if "question" in document else document
            if id(made) not in known:
                known.add(id(made))
                accepted(document)
            for value in values:
                changed = edited(document, path, value)
                found = check(changed)
                if repr(changed) == repr(document) or not fits(found, said):
                    name = getattr(made, "__name__", "")
                    failed.append(f"{name} {path} {value!r:.200}: {said!r:.40}, but {found}")
        assert not failed, f"{len(failed)}:\n" + "\n".join(failed)

    return test


def parts(**changes: Any) -> Callable[[Json], None]:
    """Several parts at once, as `with_parts` has them."""

    def change(document: Json) -> None:
        for path, part in changes.items():
            put(document, path.split("__"), part)

    return change


def turned(listed: list[Any]) -> list[Any]:
    """The other way round."""
    return listed[::-1]


def fits(found: Verdict, said: str) -> bool:
    """Whether a verdict is what is said, as `siblings` has it."""
    outcome, _, word = said.partition(": ")
    if outcome not in ("accepted", "rejected", "refused"):
        outcome, word = ("rejected" if said else ""), said
    alike = found.outcome == outcome if outcome else found.outcome != "accepted"
    return alike and word in found.reason


def pairs_of_sets(pairs: Any) -> Json:
    """What is compared of a record: pairs of two lists of values, that others depend on."""
    named = [[str(side) for side in both] for both in pairs]
    sets = {str(side): side for both in pairs for side in both}
    return {"rule": "secrets", "secrets": sets, "pairs": named, "priors": {"class": "network"}}


def of_network(parts: Any, chosen: list[int], priors: Any, **more: Any) -> Json:
    """The relation of records which depend on each other, of parts as `pairs_of_sets` has them."""
    said = {"rule": "network", "limit": "1", "per_unit": False, "hidden": 0, **more}
    return {
        **said,
        "parts": list(map(pairs_of_sets, parts)),
        "chosen": chosen,
        "priors": priors,
    }
