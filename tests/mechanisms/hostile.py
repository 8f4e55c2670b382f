"""Hostile guests: mechanisms in Python that try to harm, to lie or to last.

`python -m tests.mechanisms.hostile attacks` asks some of them in a process that they may try to
kill, and prints what came of each as a line of JSON; `hosted` starts it. Campaigns: `one_by_one`
asks each alone, `campaign` draws new ones.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import verifier
from tests.mechanisms.guests.answers import ANSWERS, FORGING, SETTING_OUT, SLOW
from tests.pace import RestingClock
from verifier.base.errors import InputError
from verifier.mechanisms import _guests
from verifier.run import verify

PARTS = ("common", "files", "reading", "networks", "processes")  # of the attacks
PACKAGE = Path(verifier.__file__).parent
WORD = "the-secret-word-of-the-test"
FORGED = b'1\n["1", "refused 1"]\n1\n["1", "refused 0"]\nend\n'
SPEC = """
worlds: {{records: [ann], domain: [0, 1]}}
mechanisms:
  coin: {{randomized_response: {{truth: 3/4}}}}
  guest: {{python: {{file: guest.py, function: {function}}}}}
checks:
  - {{differential_privacy: {{exp_epsilon: 3}}, mechanism: coin, leakage: 3}}
  - {{differential_privacy: {{exp_epsilon: 1000}}, mechanism: guest}}
"""


def outcome(folder: Path, source: str, function: str) -> str:
    """What a run says about a guest: its error, or the verdict, and the guest's labels."""
    (folder / "guest.py").write_text(source, encoding="utf-8")
    spec = folder / "spec.yaml"
    spec.write_text(SPEC.format(function=function))
    said: list[str] = []
    try:
        for result in verify.run(str(spec), verify.Options(allow_python=True)):
            said.append(f"{result.status} {result.answer.verdict}")
            if result.answer.reason:
                said.append(result.answer.reason)
            if result.mechanism == "guest":
                said += sorted(texts(result.answer.certificate))
    except InputError as error:
        return f"{error.code} {error.message}"
    assert said[0] == "ok holds", f"another check of the file says: {said}"
    return ", ".join(dict.fromkeys(said[1:]))


def texts(node: Any) -> Iterator[str]:
    """Every text in a certificate that says `refused` or `went through`."""
    if isinstance(node, dict):
        node = [*node, *node.values()]
    if isinstance(node, list):
        for item in node:
            yield from texts(item)
    elif isinstance(node, str) and node.startswith(("refused", "went through")):
        yield node


def children(parent: int) -> list[int]:
    """The processes of a parent: its guests, and what they have left to it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


class Surroundings:
    """What a guest may be after: files, sockets, a secret; and whether it got at them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder / "outside"
        self.certificates = self.folder / "certificates"
        self.certificates.mkdir(parents=True)
        for name in ("secret", "certificates/spec.yaml-1.json"):
            (self.folder / name).write_text(f"{WORD}\n")
        (self.folder / "link").symlink_to(self.folder / "secret")
        self.sockets = [
            stack.enter_context(socket.socket(family, kind))
            for family, kind in (
                (socket.AF_INET, socket.SOCK_STREAM),
                (socket.AF_INET, socket.SOCK_DGRAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
                (socket.AF_UNIX, socket.SOCK_DGRAM),
                (socket.AF_UNIX, socket.SOCK_DGRAM),
            )
        ]
        addresses = [
            *(("127.0.0.1", 0), ("127.0.0.1", 0)),
            *(str(self.folder / "stream"), str(self.folder / "datagrams"), f"\0{folder}"),
        ]
        for one, address in zip(self.sockets, addresses, strict=True):
            one.setblocking(False)
            one.bind(address)
            if one.type == socket.SOCK_STREAM:
                one.listen()
        self.settings = {
            "package": str(PACKAGE),
            "certificates": str(self.certificates),
            "canary": str(self.certificates / "spec.yaml-1.json"),
            "secret": str(self.folder / "secret"),
            "link": str(self.folder / "link"),
            "word": WORD,
            "home": str(Path.home()),
            "parent": os.getpid(),
            "group": os.getpgrp(),
            "tcp": self.sockets[0].getsockname()[1],
            "udp": self.sockets[1].getsockname()[1],
            "unix": addresses[2],
            "datagrams": addresses[3],
            "abstract": addresses[4],
        }
        self.before = self.state()

    def state(self) -> list[object]:
        """All that a guest could have changed."""
        own = sorted(self.folder.rglob("*"))
        engine = sorted(path for path in PACKAGE.rglob("*") if path.suffix == ".py")
        seen: list[object] = [os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)]
        for path in [*own, *engine]:
            at = path.lstat()
            seen.append((str(path), at.st_mode, at.st_uid, at.st_size, at.st_mtime_ns))
        return seen

    def heard(self) -> list[str]:
        """The addresses at which something came in."""
        found = []
        for one in self.sockets:
            try:
                one.accept() if one.type == socket.SOCK_STREAM else one.recv(1)
            except BlockingIOError:
                continue
            found.append(str(one.getsockname()))
        return found


def attacks(folder: Path, names: list[str], together: int = 12) -> Iterator[tuple[str, str]]:
    """What came of each attack, by its name, and what it left; so many are one guest."""
    with ExitStack() as stack:
        around = Surroundings(folder, stack)
        source = source_of_attacks(around.settings)
        for start in range(0, len(names), together):
            group = names[start : start + together]
            said = outcome(folder, f"{source}\n\nnoise = mechanism({group!r})\n", "noise")
            left = [*around.heard(), *map(str, children(os.getpid()))]
            changed = ["changed"] if around.state() != around.before else []
            labels = said.split(", ")
            for name in group:
                known = [f"refused {name} {world}" in labels for world in (0, 1)]
                yield name, ", ".join(["refused" if all(known) else said, *left, *changed])


def source_of_attacks(settings: dict[str, object]) -> str:
    """All attacks as one file: a guest imports nothing of the tests."""
    folder = Path(__file__).with_name("guests")
    text = "\n".join((folder / f"{part}.py").read_text(encoding="utf-8") for part in PARTS)
    lines = re.sub(r"^from tests[^\n(]*(\([^)]*\))?$", "", text, flags=re.MULTILINE)
    return lines.replace("SETTINGS: dict = {}", f"SETTINGS = {settings!r}")


def attack_names() -> list[str]:
    """The names of all attacks."""
    found: dict[str, Any] = {}
    exec(compile(source_of_attacks({}), "attacks", "exec", dont_inherit=True), found)
    return list(found["GUESTS"])


def answers(folder: Path, sources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each guest with an answer of its own, and what came of it."""
    listed = list(sources)

    def one(number: int) -> str:
        own = folder / str(number)
        own.mkdir()
        return outcome(own, listed[number], "noise")

    with ThreadPoolExecutor(4) as pool:  # most of them wait
        yield from zip(listed, pool.map(one, range(len(listed))), strict=True)
    yield "all of them", ", ".join(["left", *map(str, children(os.getpid()))])


def hosted(*what: str) -> Iterator[tuple[str, str]]:
    """What comes of guests, in a process that they may kill; its own end is told as well."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.mechanisms.hostile", *what],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "SECRET": WORD, "PYTHONDONTWRITEBYTECODE": "1"},
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        name, said = json.loads(line)
        yield name, said
    if done.returncode:
        yield "the process that asks", f"status {done.returncode}: {done.stderr[-2000:]}"


def campaign(count: int, seed: int) -> str:
    """Ask `count` drawn guests, each with several attacks and perhaps a forged answer;
    AssertionError where one gets what it is after."""
    wrong = [f"{name}: {said}" for name, said in hosted("drawn", str(count), str(seed))]
    assert not wrong, "; ".join(wrong[:10])
    return f"{count} drawn guests by {_guests.isolation().name}: none got what it was after"


def one_by_one(count: int, seed: int) -> str:
    """Ask `count` guests (at most all) with one attack, an answer, or one that takes long, each;
    AssertionError where one gets what it is after, or something else comes of it."""
    chance = random.Random(seed)
    names = chance.sample(sorted(attack_names()), min(count, len(attack_names())))
    wrong = [f"{name}: {said}" for name, said in hosted("alone", *names) if said != "refused"]
    told = {**ANSWERS, **SLOW}
    listed = {
        "answers": chance.sample(range(len(ANSWERS)), min(count, len(ANSWERS))),
        "slow": range(min(count, len(SLOW))),
    }
    for what, numbers in listed.items():
        for source, said in hosted(what, *map(str, numbers)):
            if not said.startswith(told.get(source, "left")):
                wrong.append(f"{source}: {said}")
    assert not wrong, "; ".join(wrong[:10])
    asked = f"{len(names)} attacks, {' and '.join(str(len(n)) for n in listed.values())} answers"
    return f"{asked}: none got what it was after"


def drawn(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Drawn guests and what is wrong with what came of each."""
    chance = random.Random(seed)
    with ExitStack() as stack:
        around = Surroundings(folder, stack)
        base = source_of_attacks(around.settings)
        names = attack_names()
        for number in range(count):
            chosen = chance.sample(names, chance.randint(1, 4))
            place = chance.choice(("module", "call", "thread", "exit"))
            forged = mutated(b'1\n1 "refused 0"\n1\n1 "refused 1"\nend\n', chance)
            given = {
                "CHOSEN": chosen,
                "SEED": chance.random(),
                "PLACE": place,
                "FORGED": forged if chance.random() < 0.5 else None,
            }
            lines = [base, FORGING, *(f"{key} = {value!r}" for key, value in given.items())]
            said = outcome(folder, "\n".join([*lines, SETTING_OUT]), "drawn")
            wrong = [*around.heard(), *map(str, children(os.getpid()))]
            wrong += ["changed"] if around.state() != around.before else []
            fine = "holds" not in said or (given["FORGED"] is not None and says_one_thing(forged))
            wrong += [] if fine and "went through" not in said and WORD not in said else [said]
            if wrong:
                yield f"{seed}/{number} {chosen}", ", ".join(wrong)


def says_one_thing(forged: bytes) -> bool:
    """Whether a forged answer gives both worlds the same outputs, so that it may be believed."""
    _, first, _, second, *_ = [*forged.decode().split("\n"), "", "", ""]
    return json.loads(first)[1] == json.loads(second)[1]


def mutated(text: bytes, chance: random.Random) -> bytes:
    """A text with some bytes changed, left out, or repeated."""
    parts = bytearray(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(parts))
        parts[at : at + chance.randint(0, 3)] = chance.choice(
            (b"", b"\n", b"0", b"-", b"/", b'"', b"\0", bytes(parts[at : at + 9]))
        )
    return bytes(parts)


def main() -> None:
    """Ask guests, in a folder of their own."""
    import tempfile

    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # what guests leave becomes a child of this process
    _guests.SECONDS, _guests.GRACE, _guests.MEMORY = 1, 4, 2**28
    clock = SimpleNamespace(monotonic=RestingClock(), sleep=time.sleep)
    _guests.time = clock  # type: ignore[attr-defined]
    what, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "attacks": lambda: attacks(folder, attack_names()),
            "alone": lambda: attacks(folder, given, together=1),
            "answers": lambda: answers(folder, [[*ANSWERS][int(at)] for at in given]),
            "slow": lambda: answers(folder, [[*SLOW][int(at)] for at in given]),
            "drawn": lambda: drawn(folder, *map(int, given)),
        }[what]()
        for guest, said in found:
            print(json.dumps([guest, said]), flush=True)


if __name__ == "__main__":
    main()
