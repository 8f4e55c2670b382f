"""Arguments of a library's mechanism, from texts of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from verifier.base.errors import InputError


def read_arguments(arguments: Mapping[str, str]) -> dict[str, Any]:
    """The arguments by their names as values of Python; InputError S121 for what is none."""
    return {name: _read(name, text) for name, text in arguments.items()}


def _read(name: str, text: str) -> Any:
    kind = KINDS[name]
    try:
        return kind.read(text)
    except ValueError:
        option = name.replace("_", "-")
        hint = f"write --{option} {kind.example}"
        raise InputError("S121", f"--{option}: '{text}' cannot be read", hint=hint) from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _numbers(text: str) -> list[int | float]:
    return list(map(_number, text.split(",")))


def _measure(text: str) -> str:
    if text not in ("max", "zero_concentrated"):
        raise ValueError(text)
    return text


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)


class Kind(NamedTuple):
    """An argument: how its text is read, what it may be, and what it means."""

    read: Callable[[str], Any]
    example: str
    about: str


KINDS = {
    "candidates": Kind(int, "3", "how many scores there are; 3 by default"),
    "categories": Kind(_names, "a,b,c", "the answers, with commas between"),
    "d": Kind(int, "3", "how many values there are"),
    "d_in": Kind(int, "1", "how far neighbours lie apart; 1 by default"),
    "epsilon": Kind(float, "1.5", "the level that is claimed"),
    "f": Kind(float, "0.5", "how often a bit is made up"),
    "hierarchy": Kind(json.loads, '[["a", "b"], ["c", "d"]]', "nested lists of names, in JSON"),
    "k": Kind(int, "2", "how many places are told, or values there are"),
    "lower": Kind(_number, "0", "the smallest output"),
    "measure": Kind(_measure, "zero_concentrated", "max, the default, or zero_concentrated"),
    "prob": Kind(float, "0.75", "the probability of the truth"),
    "scale": Kind(float, "1.5", "of the noise"),
    "sensitivity": Kind(_number, "1", "how far neighbours lie apart"),
    "threshold": Kind(int, "5", "what a count has to reach"),
    "upper": Kind(_number, "4", "the largest output"),
    "utility": Kind(_numbers, "0,1,1", "of each candidate, with commas between"),
    "utility_list": Kind(json.loads, '[["a", "b", 1]]', "pairs of names with utilities, in JSON"),
    "value0": Kind(str, "no", "a name; 0 by default"),
    "value1": Kind(str, "yes", "a name; 1 by default"),
}
