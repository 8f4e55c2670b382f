"""Python functions as guests: what they may, what they may not, and what is said of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from tests.drawing import wider
from tests.mechanisms import hostile
from tests.mechanisms.guests.answers import ANSWERS
from tests.pace import PATIENCE
from verifier import cli
from verifier.base.errors import InputError, LimitReached
from verifier.cli import running
from verifier.mechanisms import _confinement, _guests
from verifier.spec import reading
from verifier.world.mechanism import Mechanism

ROOT = Path(__file__).parents[2]
SHUT_IN = pytest.mark.skipif(
    not _guests.isolation().landlock, reason="the system has no landlock, or no seccomp"
)
SPEC = """
worlds: {records: [ann], domain: [0, 1]}
mechanism: {python: {file: noise.py, function: noise}}
checks:
  - differential_privacy: {exp_epsilon: 2}
"""


def mechanism(folder: Path, source: str, spec: str = SPEC) -> Mechanism:
    """The mechanism of a file with the function `noise`."""
    (folder / "noise.py").write_text(source, encoding="utf-8")
    (folder / "spec.yaml").write_text(spec, encoding="utf-8")
    return reading.load(folder / "spec.yaml", allow_python=True)[1][0].mechanism()


@SHUT_IN
def test_no_attack_goes_through() -> None:
    """Nothing is written, read, sent or signalled, and nothing is left running."""
    names = hostile.attack_names()
    assert len(names) > 100
    assert dict(hostile.hosted("attacks")) == dict.fromkeys(names, "refused")


def test_attacks_go_through_where_nothing_is_in_their_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the test before this one would say nothing: by the least isolation, these succeed."""
    monkeypatch.setattr(_guests, "isolation", lambda: _guests.Isolation("rlimit"))
    canary = tmp_path / "spec.yaml-1.json"
    canary.write_text("")
    settings: dict[str, object] = {"canary": str(canary), "certificates": str(tmp_path)}
    names = ["changes_the_times", "overwrites_a_certificate", "reads_who_has_an_account", "listens"]
    source = hostile.source_of_attacks(settings)
    source += f"\n\nFOUND = mechanism({names!r})({{'ann': 0}})\n"
    source += "def noise(world):\n    raise ValueError(sorted(FOUND))\n"
    with pytest.raises(InputError) as raised:
        mechanism(tmp_path, source)
    assert all(f"went through {name} 0" in raised.value.message for name in names)


def test_what_comes_of_every_answer() -> None:
    """Each sixth guest gets the error, the delay or the verdict that it earns, and none stays; of
    all of them the campaign `attacks` of `make harden` says so."""
    numbers = range(0, len(ANSWERS), wider(6, 1))
    found = dict(hostile.hosted("answers", *map(str, numbers)))
    assert found.pop("all of them") == "left"
    wrong = {source: said for source, said in found.items() if not said.startswith(ANSWERS[source])}
    assert not wrong
    assert [*found] == [[*ANSWERS][at] for at in numbers]
    assert len(ANSWERS) > 100


@SHUT_IN
def test_a_short_campaign() -> None:
    assert hostile.campaign(4, seed=1).startswith("4 drawn guests")


def test_a_gigabyte_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_guests, "MEMORY", 2**29)
    with pytest.raises(LimitReached, match="needs more memory than it may have"):
        mechanism(tmp_path, "def noise(world): return {'a' * 2**30: 1}")


@pytest.mark.parametrize("way", ["landlock", "bubblewrap", "seccomp"])
def test_an_honest_guest_is_understood_in_every_way(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = dict(_guests._ways())
    if way not in ways or _guests._goes_through(ways[way]) & _guests.REFUSED[way]:
        pytest.skip(f"the system has no {way}")
    monkeypatch.setattr(_guests, "isolation", lambda: ways[way])
    made = mechanism(tmp_path, "def noise(world): return {'a': '1/3', world['ann']: '2/3'}")
    third = Fraction(1, 3)
    assert made.outputs == ("a", "0", "1")
    assert [*made.rows()] == [[third, third], [2 * third, 0], [0, 2 * third]]


HONEST = {  # what a guest may use
    "import numpy as np\ndef noise(world):\n"
    "    x = np.linalg.solve(np.eye(60) * 2, np.ones(60))\n"
    "    return {'a': Fraction(x[0]), 'b': Fraction(np.random.default_rng(1).integers(1, 2)) / 2}",
    "import asyncio\nasync def ask(): return '1/2'\ndef noise(world):\n"
    "    return {'a': asyncio.run(ask()), 'b': '1/2'}",
    "from concurrent.futures import ThreadPoolExecutor\ndef noise(world):\n"
    "    with ThreadPoolExecutor(4) as pool:\n"
    "        return dict(zip('ab', pool.map(lambda n: Fraction(n, 2), [1, 1])))",
    "from dataclasses import dataclass\n@dataclass\nclass Coin:\n    side: 'str'\n"
    "def noise(world): return {Coin('a').side: '1/2', Coin('b').side: Fraction(2, 4)}",
    "import random\ndef noise(world):\n"
    "    half = random.Random(7).choice([Fraction(1, 2)] * 3)\n    return {'a': half, 'b': half}",
    "import time, sys, io\nfrom contextlib import suppress, redirect_stdout\ndef noise(world):\n"
    "    with redirect_stdout(io.StringIO()):\n        print(1)\n"
    "    return {'a': '0.5', 'b': 1 - Fraction('1/2')}",
    "from __future__ import annotations\nimport decimal, datetime, locale, zoneinfo\n"
    "def noise(world: Unknown): return {'a': str(decimal.Decimal('0.5')), 'b': '5e-1'}",
}


@pytest.mark.parametrize("source", sorted(HONEST))
def test_what_a_guest_may_use(source: str, tmp_path: Path) -> None:
    future = "from __future__ import annotations\n"
    text = source if source.startswith(future) else f"from fractions import Fraction\n{source}"
    made = mechanism(tmp_path, text)
    assert [*made.rows()] == [[Fraction(1, 2)] * 2] * 2


def test_labels_and_their_order_do_not_depend_on_hashes(tmp_path: Path) -> None:
    """A set gives its elements in another order each time; the probabilities are the same."""
    source = "def noise(world): return {x: '1/8' for x in {f'{n}' for n in range(8)}}"
    found = {mechanism(tmp_path, source).outputs for _ in range(3)}
    assert len(found) == 1


def test_numbers_of_worlds_and_answers_are_exact(tmp_path: Path) -> None:
    spec = SPEC.replace("[0, 1]", "[0, 1/3, 123456789012345678901234567890]")
    small = Fraction(1, 3**9000)
    source = (
        "from fractions import Fraction\nP = Fraction(1, 3**9000)\ndef noise(world):\n"
        "    x = world['ann']\n    return {f'{type(x).__name__} {x}': P, 'b': 1 - P}"
    )
    made = mechanism(tmp_path, source, spec)
    names = ("int 0", "b", "Fraction 1/3", "int 123456789012345678901234567890")
    assert made.outputs == names
    assert made.probability(0, 0) == small
    assert made.probability(1, 2) == 1 - small


def test_a_place_in_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ZeroDivisionError: .* \(line 2 of noise.py\)"):
        mechanism(tmp_path, "def noise(world):\n    return {'a': 1 // 0}")


def test_limits_of_the_run_hold_for_guests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A guest has no more time and memory than the run that asks it."""
    (tmp_path / "noise.py").write_text("while True: pass")
    (tmp_path / "spec.yaml").write_text(SPEC)
    spec = str(tmp_path / "spec.yaml")
    run = ["check", "--allow-python", "--time-limit", "1", spec]
    assert cli.main(run) == running.UNDECIDED
    assert "the time limit of 1 s was reached" in "".join(capsys.readouterr())
    (tmp_path / "noise.py").write_text("x = bytearray(2**30)\ndef noise(world): return {'a': 1}")
    assert cli.main(["check", "--allow-python", "--memory-limit", "600M", spec]) == (
        running.UNDECIDED
    )


def test_reports_say_how_guests_were_shut_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "noise.py").write_text("def noise(world): return {'a': 1}")
    (tmp_path / "spec.yaml").write_text(
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanisms:\n"
        "  coin: {randomized_response: {truth: 3/4}}\n"
        "  guest: {python: {file: noise.py, function: noise}}\n"
        "  both: {compose: [coin, guest]}\n"
        "checks:\n"
        "  - {differential_privacy: {exp_epsilon: 3}, mechanism: coin}\n"
        "  - {differential_privacy: {exp_epsilon: 3}, mechanism: guest}\n"
        "  - {differential_privacy: {exp_epsilon: 3}, mechanism: both}\n"
    )
    check = ["check", "--allow-python", str(tmp_path / "spec.yaml")]
    name = _guests.isolation().name
    assert cli.main(check) == 0
    assert capsys.readouterr().out.count(f"      isolation: {name}\n") == 2
    cli.main([*check, "--format", "json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert [result.get("isolation") for result in results] == [None, name, name]


def test_a_guest_ends_with_the_process_that_asked_it(tmp_path: Path) -> None:
    """Also where that process is killed and can end nothing itself."""
    mark = f"guest-{os.getpid()}-{time.monotonic_ns()}.py"
    (tmp_path / mark).write_text("import time\ntime.sleep(9999)\n")
    (tmp_path / "spec.yaml").write_text(SPEC.replace("noise.py", mark))
    run = subprocess.Popen(
        [sys.executable, "-m", "verifier", "check", "--allow-python", tmp_path / "spec.yaml"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: len(runners(run.pid)) == 2)
        guests = runners(run.pid)
    finally:
        run.kill()
        run.wait()
    assert eventually(lambda: not any(Path(f"/proc/{guest}").exists() for guest in guests))


def runners(parent: int) -> list[int]:
    """The guests among all descendants of a process."""
    found, looked = [], [parent]
    while looked:
        for number in hostile.children(looked.pop()):
            looked.append(number)
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended in between
                if "_python_runner" in Path(f"/proc/{number}/cmdline").read_text():
                    found.append(number)
    return found


def eventually(true: object, seconds: float = PATIENCE) -> bool:
    """Whether something becomes true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_the_weakest_way_is_named_where_nothing_else_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_guests, "_goes_through", lambda way: _guests.EVERYTHING)
    assert _guests.isolation.__wrapped__().name == "rlimit"


def test_a_probe_that_cannot_be_made_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing runs with less: the check is undecided."""
    monkeypatch.setattr(_guests, "PROBE_SECONDS", 0)
    monkeypatch.setattr(_guests, "isolation", _guests.isolation.__wrapped__)
    with pytest.raises(LimitReached, match="could not be tried"):
        mechanism(tmp_path, "def noise(world): return {'a': 1}")
    assert _guests.isolation_name() is None


def test_a_guest_that_is_not_shut_in_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a system without landlock, where the probe would have found another way."""
    source = _confinement.__file__
    monkeypatch.setattr(_guests, "RUNNER", tmp_path / "_python_runner.py")
    runner = Path(source).with_name("_python_runner.py").read_text(encoding="utf-8")
    (tmp_path / "_python_runner.py").write_text(runner)
    text = Path(source).read_text(encoding="utf-8").replace("CREATE_RULESET, ADD", "_, ADD")
    (tmp_path / "_confinement.py").write_text(f"{text}\nCREATE_RULESET = 9999\n")
    way = _guests.Isolation("landlock", True, _confinement.has_seccomp())
    monkeypatch.setattr(_guests, "isolation", lambda: way)
    with pytest.raises(LimitReached, match="does not shut it in"):
        mechanism(tmp_path, "def noise(world): return {'a': 1}")
    assert _guests._goes_through(way) == _guests.EVERYTHING


def test_a_probe_finds_what_goes_through() -> None:
    assert _guests._goes_through(_guests.Isolation("nothing")) == _guests.EVERYTHING


def test_numbers_of_system_calls_are_those_of_the_headers() -> None:
    """Both columns, where the headers of the kernel are installed."""
    headers = [
        (0, Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")),
        (1, Path("/usr/include/asm-generic/unistd.h")),
    ]
    words = _confinement.FREE.split()
    looked = 0
    for column, header in headers:
        if not header.exists():
            continue
        for name, *numbers in zip(*[iter(words)] * 3, strict=True):
            if numbers[column] == "-":
                continue
            names = {name, {"newfstatat": "fstatat"}.get(name, name)}
            forms = [f"{kind}_{one} {numbers[column]}\n" for kind in NR for one in names]
            assert any(form in header.read_text() for form in forms), (name, column)
            looked += 1
    if not looked:
        pytest.skip("no headers of the kernel")


NR = ("#define __NR", "#define __NR3264")
