"""What a sweep is about: combinations of values, each with the key under which its rows are kept.

The parent of a run works with these texts alone, and loads no engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from math import prod
from typing import Any

from verifier.base.nouns import Later, dataclass

Json = dict[str, Any]
Values = tuple[str, ...]


@dataclass(frozen=True)
class Plan(Later):
    """The combinations of the values of parameters.

    names   of the parameters
    lists   the values of each, as text
    zipped  whether the n-th values go together, instead of all combinations
    digest  of the spec file, and of the files that it names
    """

    names: tuple[str, ...]
    lists: tuple[Values, ...]
    zipped: bool
    digest: str

    @classmethod
    def of(cls, event: Json, zipped: bool) -> Plan:
        """The plan that a worker tells."""
        lists = tuple(map(tuple, event["lists"]))
        return cls(tuple(event["names"]), lists, zipped, event["digest"])

    @property
    def size(self) -> int:
        """How many combinations there are."""
        if self.zipped:
            return len(self.lists[0]) if self.lists else 1
        return prod(map(len, self.lists))

    def combinations(self) -> Iterator[Values]:
        """The values of each combination, in the order of the names."""
        return zip(*self.lists, strict=True) if self.zipped and self.lists else product(*self.lists)

    def key(self, values: Values) -> str:
        """The SHA-256 of the file and of the values of its parameters, whatever their order.

        >>> there = Plan(("n", "p"), (("2",), ("1/3",)), False, "of the file")
        >>> back = Plan(("p", "n"), (("1/3",), ("2",)), False, "of the file")
        >>> there.key(("2", "1/3")) == back.key(("1/3", "2"))
        True
        """
        of = json.dumps([self.digest, dict(zip(self.names, values, strict=True))], sort_keys=True)
        return sha256(of.encode()).hexdigest()
