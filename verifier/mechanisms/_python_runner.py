"""Runs a user's function on every world; started as a separate process, imports nothing of ours.

Reads one JSON task from standard input; it answers {"rows": …} or {"error": …}.
"""

import json
import os
import resource
import runpy
import sys
from fractions import Fraction
from typing import Any


def decode(value: Any) -> Any:
    """A value of the task: numbers come as [text]."""
    if isinstance(value, list):
        number = Fraction(value[0])
        return int(number) if number.denominator == 1 else number
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    return value


def encode(world: Any, answer: Any) -> dict[str, str]:
    """A function's answer with every probability as exact text."""
    if not isinstance(answer, dict):
        raise TypeError(f"world {world}: a dict from outputs to probabilities was expected")
    row = {}
    for output, probability in answer.items():
        if isinstance(probability, bool) or not isinstance(probability, int | Fraction | str):
            raise TypeError(
                f"world {world}: {probability!r} is not exact; return int, Fraction or text"
            )
        label = str(output)
        label.encode()  # fails for what is not text, such as a lone surrogate
        if label in row:
            raise TypeError(f"world {world}: two outputs are written '{label}'")
        row[label] = str(probability)
    return row


def main() -> None:
    """Run the task; what the function prints is thrown away."""
    task = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"]))
    resource.setrlimit(resource.RLIMIT_AS, (task["memory"], task["memory"]))
    try:
        function = runpy.run_path(task["file"])[task["function"]]
        rows = []
        for given in task["worlds"]:
            world = decode(given["records"]) if isinstance(given, dict) else given
            rows.append(encode(world, function(world)))
        answer: dict[str, Any] = {"rows": rows}
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer))
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
