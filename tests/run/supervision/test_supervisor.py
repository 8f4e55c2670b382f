"""Workers under limits: whatever they do, the run goes on, and nothing of them stays."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pace import PATIENCE
from verifier.run.supervision import children, processes
from verifier.run.supervision.supervisor import Interrupted, Limits, Supervisor, in_units

pytestmark = pytest.mark.usefixtures("resting")
Json = dict[str, Any]
Tell = Callable[[Json], None]
Act = Callable[[], object]


def work_of(*acts: Act) -> Callable[[], Callable[[Json, Tell], Iterator[Json]]]:
    """Loads work whose parts are these acts, each told before and after, as the engine does."""

    def work(job: Json, tell: Tell) -> Iterator[Json]:
        for number, act in list(enumerate(acts))[job["start"] :]:
            part = f"part {number}"
            if part in job["stopped"]:
                answer: object = job["stopped"][part]
            else:
                tell({"part": part})
                answer = act()
                tell({"part": None})
            yield {"answer": answer, "next": number + 1}

    return lambda: work


def answers(limits: Limits, *acts: Act) -> list[object]:
    """What is told of all parts; other events as they are."""
    with Supervisor(work_of(*acts), limits) as supervisor:
        return [event.get("answer", event) for event in supervisor.run({})]


def sleep_in_native_code() -> None:
    """No signal handler of Python runs in here."""
    ctypes.PyDLL(None).sleep(600)  # holds the lock of the interpreter


def one() -> int:
    return 1


def test_what_does_not_end_is_ended_and_the_rest_is_done() -> None:
    found = answers(Limits(part=0.3), one, sleep_in_native_code, one, sleep_in_native_code)
    said = "the time limit of 0.3 s was reached (--time-limit)"
    assert found == [1, said, 1, said]


def test_seconds_are_those_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "NET", 1e6)
    found = answers(Limits(part=0.2), lambda: time.sleep(1), lambda: sum(range(10**15)), one)
    assert found == [None, "the time limit of 0.2 s was reached (--time-limit)", 1]


def test_every_part_has_its_own_clock() -> None:
    assert answers(Limits(part=30), *[lambda: time.sleep(0.01)] * 20) == [None] * 20


def test_memory_is_that_of_all_processes_together() -> None:
    def fill() -> None:
        child = os.fork()
        held = bytearray(os.urandom(1)) * 2**29
        time.sleep(PATIENCE)
        print(child, held[0])

    # each of the two starts with a copy of us; one of them alone stays below
    limit = processes.resident(os.getpid()) * 2 + 2**29 + 2**28
    (said, after) = answers(Limits(memory=limit), fill, one)
    assert "memory" in str(said) and after == 1


def test_a_worker_that_crashes_is_told_and_replaced() -> None:
    def crash() -> None:
        raise ZeroDivisionError("by zero")

    first, told, second, third = answers(Limits(), one, crash, one)
    assert (first, third) == (1, 1)
    assert told["crash"] == second == "internal error: ZeroDivisionError: by zero"  # type: ignore[index]


@pytest.mark.parametrize(
    ("number", "crash"), [(signal.SIGSEGV, True), (signal.SIGKILL, False), (signal.SIGABRT, False)]
)
def test_a_worker_that_dies_is_replaced(number: int, crash: bool) -> None:
    def die() -> None:
        faulthandler.disable()
        os.kill(os.getpid(), number)

    found = answers(Limits(), die, one)
    assert found[-1] == 1 and f"signal {int(number)}" in str(found[-2])
    assert len(found) == 2 + crash


def test_a_library_that_is_missing_is_named() -> None:
    def load() -> Any:
        import no_such_library_at_all  # type: ignore[import-not-found]  # noqa: F401

    with Supervisor(load, Limits()) as supervisor:
        crash, stopped = supervisor.run({})
    assert "'no_such_library_at_all' cannot be loaded" in crash["crash"]
    assert "pip install no_such_library_at_all" in crash["crash"]
    assert "memory" not in crash["crash"] and stopped["stopped"] == crash["crash"]


def test_the_whole_run_has_a_limit_too() -> None:
    with Supervisor(work_of(one, sleep_in_native_code, one), Limits(total=1.0)) as supervisor:
        first, over = supervisor.run({})
        again = list(supervisor.run({}))
    assert first == {"answer": 1} and "for the whole run" in over["over"]
    assert again == [over]


def test_what_hangs_before_any_part_stops_the_job() -> None:
    def work(job: Json, tell: Tell) -> Iterator[Json]:
        sleep_in_native_code()
        yield {}

    with Supervisor(lambda: work, Limits(part=0.2)) as supervisor:
        assert [list(event) for event in supervisor.run({})] == [["stopped"]]


def test_a_job_that_never_gets_on_ends() -> None:
    """A worker that dies after a part that another one has already died of."""

    def work(job: Json, tell: Tell) -> Iterator[Json]:
        tell({"part": "the same"})
        os._exit(3)
        yield {}

    with Supervisor(lambda: work, Limits()) as supervisor:
        assert [list(event) for event in supervisor.run({})] == [["crash"], ["crash"], ["stopped"]]


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_nothing_that_a_worker_starts_stays(tmp_path: Path) -> None:
    """Not even what leaves its session and its parent."""
    daemon = (
        "import os, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        f"open({str(tmp_path)!r} + f'/{{os.getpid()}}', 'w').close()\n"
        "time.sleep(600)\n"
    )

    def start() -> None:
        subprocess.run([sys.executable, "-c", daemon], check=True)
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)

    def start_and_hang() -> None:
        (tmp_path / next(tmp_path.iterdir()).name).unlink()
        start()
        sleep_in_native_code()

    with Supervisor(work_of(start), Limits()) as supervisor:
        list(supervisor.run({}))
        (left,) = (int(path.name) for path in tmp_path.iterdir())
        assert is_running(left)
    assert not is_running(left)
    answers(Limits(part=0.3), start_and_hang)
    (left,) = (int(path.name) for path in tmp_path.iterdir())
    assert not is_running(left)


def test_a_worker_that_stops_itself_or_the_zygote() -> None:
    def stop() -> None:
        for process in (os.getppid(), os.getpid()):
            os.kill(process, signal.SIGSTOP)

    found = answers(Limits(part=0.3), stop, one)
    assert "time limit" in str(found[0]) and found[1] == 1


def test_a_zygote_that_is_killed_is_replaced() -> None:
    found = answers(
        Limits(), one, lambda: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(9)), one
    )
    assert found[0] == found[-1] == 1 and len(found) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_after_what_is_told(number: int) -> None:
    before = signal.getsignal(number)
    parent = os.getpid()
    seen: list[Json] = []

    def interrupt() -> None:
        os.kill(parent, number)
        time.sleep(600)

    with (
        Supervisor(work_of(one, one, interrupt), Limits()) as supervisor,
        pytest.raises(Interrupted) as caught,
    ):
        for event in supervisor.run({}):
            seen.append(event)  # one by one: extend would lose them
    assert seen == [{"answer": 1}, {"answer": 1}]
    assert caught.value.number == number
    assert signal.getsignal(number) == before


def test_in_another_thread() -> None:
    """Limits need no signal."""
    found: list[object] = []
    thread = threading.Thread(
        target=lambda: found.extend(answers(Limits(part=0.2), sleep_in_native_code, one))
    )
    thread.start()
    thread.join(PATIENCE)
    assert len(found) == 2 and "time limit" in str(found[0]) and found[1] == 1


def test_long_answers_come_whole() -> None:
    text = "⊥" * 2**20
    assert answers(Limits(), lambda: text, lambda: text) == [text, text]


def test_what_lasts_is_told_with_its_time(tmp_path: Path) -> None:
    def work(job: Json, tell: Tell) -> Iterator[Json]:
        tell({"progress": "a long one"})
        while not (tmp_path / "told").exists():
            time.sleep(0.01)
        tell({"progress": ""})
        yield {"answer": 1}

    told: list[tuple[str, float]] = []

    def note(message: str, seconds: float) -> None:
        told.append((message, seconds))
        if len(told) == 3:
            (tmp_path / "told").touch()

    with Supervisor(lambda: work, Limits(), note) as supervisor:
        assert list(supervisor.run({})) == [{"answer": 1}]
    assert {message for message, _ in told} == {"a long one"}
    times = [seconds for _, seconds in told]
    assert times[0] > 1 and times == sorted(times)


def test_what_is_closed_at_once_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that comes before the child has its handlers is not taken by those of the parent."""
    monkeypatch.setattr(children, "PATIENCE", PATIENCE)
    killed: list[int] = []
    kill = processes.kill
    monkeypatch.setattr(processes, "kill", lambda process: (killed.append(process), kill(process)))
    for _ in range(20):
        with Supervisor(work_of(one), Limits()):
            pass
    assert not killed


def test_sizes_in_words() -> None:
    assert [in_units(size) for size in (1, 2**10, 2**20, 3 * 2**30, 2**34 + 1)] == [
        *("1 bytes", "1K", "1M", "3G", "16384M"),
    ]


def spawned() -> Callable[[Json, Tell], Iterator[Json]]:
    """The work of a worker that is started anew."""
    return work_of(one, sleep_in_native_code, one)()


def test_where_there_is_no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    with Supervisor(spawned, Limits(part=0.3)) as supervisor:
        found = [event["answer"] for event in supervisor.run({})]
    assert found[0] == found[2] == 1 and "time limit" in str(found[1])
