"""Runs a user's function on every world, shut in; a process of its own, imports nothing of ours.

Reads one JSON task from standard input. Its answer, in lines of text: for each world the number
of its outputs, then for each of them [probability, label] in JSON; then `end`. Or `error`,
`differs` (in the world of a number) or `memory`, and [what there is to say]; or `null`, where the
system does not let it give up what it should.
"""

import json
import os
import sys
import time
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

ROUNDS = 64  # in which a function is asked again in the same process, to see it differ,
AGAIN = 0.05  # seconds, after which no other round begins; and none at all
SLOW = 5  # seconds or more after the first


def decode(value: Any) -> Any:
    """A value of the task: numbers come as [text]."""
    if isinstance(value, list):
        number = Fraction(value[0])
        return int(number) if number.denominator == 1 else number
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    return value


def encode(world: Any, answer: Any) -> dict[str, str]:
    """A function's answer with every probability as exact text.

    world   what it was asked about, for messages
    answer  what it said, a dict from outputs to probabilities; TypeError otherwise
    """
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


def ask(task: dict[str, Any]) -> list[dict[str, str]]:
    """The rows of all worlds of a `task`, from a fresh run of its file."""
    module = ModuleType("guest")
    module.__file__ = task["file"]
    sys.modules["guest"] = module
    exec(compile(task["source"], task["file"], "exec", dont_inherit=True), module.__dict__)
    function = module.__dict__[task["function"]]
    rows = []
    for given in task["worlds"]:
        world = decode(given["records"]) if isinstance(given, dict) else given
        rows.append(encode(world, function(world)))
    return rows


def answered(task: dict[str, Any]) -> list[str]:
    """The lines of the answer to a `task`: what the function says as often as it is asked."""
    began, rows, asked = time.monotonic(), ask(task), time.monotonic()
    for _ in range(ROUNDS if asked - began < SLOW else 0):
        if time.monotonic() - asked > AGAIN:
            break
        for at, (first, again) in enumerate(zip(rows, ask(task), strict=True)):
            if first != again:
                return ["differs", json.dumps([str(at)])]
    lines = []
    for row in rows:
        lines.append(str(len(row)))
        lines += [json.dumps([probability, label]) for label, probability in row.items()]
    return [*lines, "end"]


def failure(error: BaseException, file: str) -> list[str]:
    """What to say about an error, and the line of the file where it was raised."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f" (line {line} of {os.path.basename(file)})" if line else ""
    return ["error", json.dumps([f"{type(error).__name__}: {error}"[:1000] + place])]


def attempts(task: dict[str, Any]) -> list[str]:
    """Which of the things that a guest may not do go through here: the probe, told by a `task`."""

    def connect() -> None:
        import socket

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"x", ("127.0.0.1", task["port"]))

    def fork() -> None:
        if not (child := os.fork()):
            os._exit(0)
        os.waitpid(child, 0)

    tried = {
        "write": lambda: open(task["canary"], "a").close(),
        "read": lambda: open(task["canary"]).close(),
        "connect": connect,
        "signal": lambda: os.kill(task["asking"], 0),
        "fork": fork,
    }
    done = []
    for name, act in tried.items():
        try:
            act()
        except OSError:
            continue
        done.append(name)
    return [json.dumps(done)]


def beside(name: str) -> ModuleType:
    """The module of this file's folder, which is on no path, that has a `name`."""
    spec = spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run the task; what the function prints is thrown away."""
    task = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    # standard error leads nowhere: so nothing can be read, and what is printed is lost
    os.dup2(2, 0)
    os.dup2(2, 1)
    shut = beside("_confinement")
    if task["do"] == "readable":
        lines = [json.dumps(shut.readable())]
    else:
        shut.limit(task["seconds"], task["memory"], task["size"])
        lines = shut_in(task, shut)
    text = "\n".join([*lines, ""])
    if len(text) > task["size"]:
        said = f"the answer is larger than {task['size'] >> 20} MiB"
        text = f"error\n{json.dumps([said])}\n"
    answers.write(text)
    # at once, without what foreign code may have registered to be run at exit
    answers.flush()
    os._exit(0)


def shut_in(task: dict[str, Any], shut: ModuleType) -> list[str]:
    """The answer to a task, once this process has given up what it is told to.

    task  what to do
    shut  the module that shuts processes in
    """
    try:
        shut.confine(task["landlock"], task["seccomp"])
    except OSError:
        return ["null"]
    if task["parent"] not in (None, os.getppid()):
        os._exit(1)  # the parent died before the system was told to end this process with it
    # Python allows no limit below 640
    sys.set_int_max_str_digits(max(task["digits"], 640))
    return attempts(task) if task["do"] == "probe" else run(task)


def run(task: dict[str, Any]) -> list[str]:
    """The answer of the user's function to a `task`, or why there is none."""
    try:
        return answered(task)
    except MemoryError:
        return ["memory"]
    except BaseException as error:
        return failure(error, task["file"])


if __name__ == "__main__":
    main()
