"""Neighbours by rule: how many steps of one rule make a step of another one.

Over the same worlds, with all databases of a domain where steps go through others:

- every two worlds are compared by `all`, in one step;
- up to g changes of a kind take ⌈g / g'⌉ steps of up to g' changes of that kind;
- up to g entries that change are in up to g records, so that they are up to g replaced records;
- up to g replaced records are gone first, in ⌈g / g'⌉ steps, and come with their new values in as
  many, where records may be absent.

A step at α, taken k times, gives α^k (see `comparisons`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from verifier.world.worlds import WorldSpace

RULES = ("replace", "add_remove", "entry", "all")
TIMES = {  # the changes of the first kind are made of so many rounds of the second one
    ("replace", "replace"): 1,
    ("add_remove", "add_remove"): 1,
    ("entry", "entry"): 1,
    ("entry", "replace"): 1,
    ("replace", "add_remove"): 2,
}


def steps(old: Mapping[str, Any], new: Mapping[str, Any], space: WorldSpace) -> int | None:
    """How many steps of a `new` relation make one of an `old` one; None where that is not known.

    old, new  relations as certificates have them
    space     the worlds of both
    """
    if old.get("rule") not in RULES or new.get("rule") not in RULES:
        return None
    if new["rule"] == "all":
        return 1
    rounds = TIMES.get((old["rule"], new["rule"]))
    if rounds is None:
        return None
    found = rounds * ceil(old["group"] / new["group"])
    between = space.complete and (rounds == 1 or space.absent_code is not None)
    return found if found == 1 or between else None
