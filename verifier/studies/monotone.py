"""Whether what holds for one value of an integer parameter holds for all larger ones, or smaller.

It is proved by where the parameter stands. If it stands in levels and deltas alone, and none of
them falls as it grows, what holds for a value holds for all larger ones. If it stands in sizes of
groups alone, larger ones compare more worlds at the same level: what holds for a value holds for
all smaller ones.

Example. With `n: 1..20`, all that is asked at the level e^ε = n for n = 7 holds for n = 8 too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from verifier.base import exact, parameters
from verifier.base.document import Mapping, Node, Scalar, parse, read_text
from verifier.base.errors import InputError
from verifier.base.parameters import Choice
from verifier.spec.symbolic import ASIDE, texts

LEVELS = ("exp_epsilon", "epsilon", "rho", "delta")  # a larger one asks for less
SIZES = ("group",)  # a larger one asks for more
GROUPED = ("differential_privacy", "bounded_range", "renyi", "zcdp")
LEVELED = (
    *(*GROUPED, "blowfish", "composition", "coupled_worlds", "distributional_privacy"),
    *("hedging_privacy", "label_privacy", "metric_privacy", "noiseless", "pufferfish"),
    "single_prior_privacy",
)
_LN = re.compile(r"\s*ln\((.*)\)\s*", re.DOTALL)
Place = tuple[str, str]  # a key of a check, and its text


def direction(path: str, name: str, choices: Sequence[Choice]) -> int:
    """1 where it is proved that what holds for a value holds for all larger ones, -1 for all
    smaller ones; 0 where neither is proved.

    path     of a file
    name     of a parameter with a list of integers
    choices  of the parameters of the file
    """
    text = read_text(path)
    if re.search(rf"\${name}\b", text):
        return 0
    try:
        places = _places(parse(text, path), name)
        signs = set() if places is None else {_sign(place, name, choices) for place in places}
    except InputError:
        return 0
    if places is None or 0 in signs or len(signs) > 1:
        return 0
    return signs.pop() if signs else 1


def _places(top: Node, name: str) -> list[Place] | None:
    """The levels and sizes in which a parameter stands; None where it stands anywhere else."""
    shared = [node for key, node in top.mapping().entries if key.text not in ASIDE]
    # cells of a table in another file may have the name too
    word, found = re.compile(rf"(?<![\w.])({name}|csv)(?!\w)"), list[Place]()
    if any(word.search(text) for node in shared for text in texts(node)):
        return None
    for item in top.mapping()["checks"].sequence():
        for key, value in item.mapping().entries:
            known = (
                *(LEVELS if key.text in LEVELED else ()),
                *(SIZES if key.text in GROUPED else ()),
            )
            inner = value.entries if isinstance(value, Mapping) else [(key, value)]
            for option, node in inner if key.text != "name" else ():
                if not any(word.search(text) for text in (option.text, *texts(node))):
                    continue
                if option.text not in known or not isinstance(node, Scalar):
                    return None
                found.append((option.text, node.text))
    return found


def _sign(place: Place, name: str, choices: Iterable[Choice]) -> int:
    """1 where larger values of a parameter ask for less, or the same, at a place; -1 for more."""
    key, text = place
    found: dict[tuple[tuple[str, str], ...], list[tuple[Fraction, Fraction]]] = {}
    logarithm = _LN.fullmatch(text) if key in ("epsilon", "rho") else None
    for choice in choices:
        with parameters.given(choice):
            value = exact.number(logarithm[1] if logarithm else text)
        others = tuple(one for one in choice.texts.items() if one[0] != name)
        found.setdefault(others, []).append((choice.values[name], value))
    steps = [
        after - before
        for known in found.values()
        for (_, before), (_, after) in pairwise(sorted(known, key=lambda one: one[0]))
    ]
    if any(map(exact.is_symbolic, steps)):
        return 0
    order = -1 if key in SIZES else 1
    if all(step >= 0 for step in steps):
        return order
    return -order if all(step <= 0 for step in steps) else 0
