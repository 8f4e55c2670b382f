"""Campaign "claims": altered certificates of every kind; none is accepted whose claim is false.

The certificates that are altered stand in `certificates.json`, by their parts: small ones of every
kind, from models and from drawn specs (`python -m tests.harden.bases` writes them anew).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from functools import cache
from pathlib import Path
from random import Random

from tests.harden.alterations import altered
from tests.harden.envelope import Parts, closed
from tests.harden.oracle import is_true
from verifier.checker import check

BASES = Path(__file__).with_name("certificates.json")
REGRESSIONS = Path(__file__).parents[1] / "regressions" / "claims"


@cache
def bases() -> dict[str, list[Parts]]:
    """The certificates by kind; a test of every day holds that all are accepted."""
    found: dict[str, list[Parts]] = {}
    for listed in json.loads(BASES.read_text()):
        parts = Parts(*listed)
        found.setdefault(parts.kind, []).append(parts)
    return found


def campaign(count: int, seed: int, only: Collection[str] = ()) -> str:
    """Alter `count` certificates, equally many of each kind (or of some only); AssertionError if
    one whose claim is false is accepted."""
    kinds = {kind: listed for kind, listed in bases().items() if not only or kind in only}
    seen, wrong = Counter[str](), []
    known: dict[str, bool | None] = {}
    for number in range(count):
        kind = sorted(kinds)[number % len(kinds)]
        random = Random(f"{seed} {number}")
        parts = altered(random.choice(kinds[kind]), random, kinds[kind])
        outcome = judged(parts, known)
        seen[outcome] += 1
        if outcome == "false":
            wrong.append(keep(parts, f"{kind}-{seed}-{number}"))
    accepted = ", ".join(f"{seen[name]} {name}" for name in ("true", "false", "not told"))
    summary = f"{count} of {len(kinds)} kinds: {seen['not accepted']} not accepted; {accepted}"
    assert not wrong, f"{summary}; see {', '.join(wrong[:10])}"
    return summary


def judged(parts: Parts, known: dict[str, bool | None]) -> str:
    """What the checker says, and the oracle about what it accepts."""
    if check(closed(parts)).outcome != "accepted":
        return "not accepted"
    question = parts.question()
    if question not in known:
        try:
            known[question] = is_true(parts.claim, parts.model, parts.relation)
        except ImportError:  # of an oracle that is not installed
            raise
        except Exception:  # what the oracle cannot read has no meaning
            known[question] = False
    return {True: "true", False: "false", None: "not told"}[known[question]]


def keep(parts: Parts, name: str) -> str:
    """Write a certificate that an everyday test looks at from then on; its path."""
    REGRESSIONS.mkdir(parents=True, exist_ok=True)
    path = REGRESSIONS / f"{name}.json"
    listed = [parts.claim, parts.model, parts.relation, parts.witness]
    path.write_text(json.dumps(listed, indent=1) + "\n")
    return str(path)
