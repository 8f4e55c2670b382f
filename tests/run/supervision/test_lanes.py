"""Several workers side by side: told in order, under limits that are those of all together."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pace import PATIENCE
from verifier.run.supervision import processes, supervisor, worker
from verifier.run.supervision.supervisor import Limits, Supervisor

pytestmark = pytest.mark.usefixtures("resting")
Json = dict[str, Any]
Act = Callable[[Path, Json], object]
SIZE = 150 * 2**20


def told(limits: Limits, lanes: int, folder: Path, *acts: Act) -> list[list[object]]:
    """What is told of each job, one act each: answers, or the names of other events."""

    def work(job: Json, tell: Callable[[Json], None]) -> Iterator[Json]:
        if "the act" in job["stopped"]:
            yield {"answer": job["stopped"]["the act"], "next": 1}
            return
        tell({"part": "the act"})
        yield {"answer": acts[job["number"]](folder, job), "next": 1}
        tell({"part": None})

    found: list[list[object]] = [[] for _ in acts]
    numbers = []
    with Supervisor(lambda: work, limits, lanes=lanes) as supervisor:
        for number, event in supervisor.run_all({"number": k} for k in range(len(acts))):
            numbers.append(number)
            found[number].append(event.get("answer", event.get("ended", next(iter(event)))))
    assert numbers == sorted(numbers)
    return found


def quick(folder: Path, job: Json) -> object:
    return job["number"]


def meet(folder: Path, job: Json) -> object:
    """Both jobs must be at work at the same time."""
    number = job["number"]
    (folder / f"{number}").touch()
    while not (folder / f"{number ^ 1}").exists():
        time.sleep(0.01)
    return number


def keep(folder: Path, job: Json) -> object:
    """Much memory."""
    return len(bytearray(SIZE))


def hold(folder: Path, job: Json) -> object:
    """Much memory, until it is seen that it is too much for several."""
    (folder / f"try of {os.getpid()}").touch()
    held = bytearray(SIZE)
    while not (folder / "crowded").exists():
        time.sleep(0.01)
    return len(held)


def hold_too_much(folder: Path, job: Json) -> object:
    # the limit grows with what the process of the tests holds by now
    held = bytearray(8 * SIZE + 2 * processes.resident(os.getpid()))
    time.sleep(PATIENCE)
    return len(held)


def die(folder: Path, job: Json) -> object:
    os._exit(7)


def starve(folder: Path, job: Json) -> object:
    """What a system does to one of several that hold too much; the zygote cannot tell of it yet."""
    meet(folder, job)
    if not (folder / "starved").exists():
        (folder / "starving").write_text(str(os.getppid()))
        os.kill(os.getppid(), signal.SIGSTOP)
        (folder / "starving").rename(folder / "starved")
        os.kill(os.getpid(), signal.SIGKILL)
    return "fed"


@pytest.fixture(autouse=True)
def _no_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address space of these tests may be larger than the memory that is allowed."""
    monkeypatch.setattr(worker, "FENCE", 2**40)


def test_jobs_are_done_side_by_side(tmp_path: Path) -> None:
    assert told(Limits(part=60), 2, tmp_path, meet, meet) == [[0, "done"], [1, "done"]]


@pytest.mark.parametrize("lanes", [1, 2, 5])
def test_all_are_told_in_their_order(tmp_path: Path, lanes: int) -> None:
    def slow(folder: Path, job: Json) -> object:
        time.sleep(0.3)
        return "slow"

    found = told(Limits(), lanes, tmp_path, slow, quick, quick, slow, quick)
    assert found == [[k if k in (1, 2, 4) else "slow", "done"] for k in range(5)]


def test_who_is_free_does_not_wait_for_who_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "TICK", PATIENCE)

    def last(folder: Path, job: Json) -> object:
        while not (folder / "9").exists():
            time.sleep(0.01)
        return "last"

    def leave(folder: Path, job: Json) -> object:
        (folder / f"{job['number']}").touch()
        return job["number"]

    began = time.monotonic()
    found = told(Limits(), 2, tmp_path, leave, last, *[leave] * 8)
    assert found == [["last" if k == 1 else k, "done"] for k in range(10)]
    assert time.monotonic() - began < PATIENCE


def test_nothing_to_do() -> None:
    with Supervisor(lambda: lambda job, tell: iter(()), Limits(), lanes=2) as supervisor:
        assert list(supervisor.run_all([])) == []


def test_what_fits_only_alone_is_done_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = supervisor._Memory.overstepped

    def overstepped(*arguments: Any) -> str | None:
        found = look(*arguments)
        if found == supervisor.CROWDED:
            (tmp_path / "crowded").touch()
        return found

    monkeypatch.setattr(supervisor._Memory, "overstepped", overstepped)
    resident = processes.resident(os.getpid())
    found = told(Limits(memory=resident + SIZE * 3 // 2), 2, tmp_path, hold, hold, quick)
    assert found == [[SIZE, "done"], [SIZE, "done"], [2, "done"]]
    assert len([*tmp_path.glob("try of *")]) == 3  # one of the two was tried twice


def test_what_is_too_large_is_ended_and_no_other(tmp_path: Path) -> None:
    resident = processes.resident(os.getpid())
    limit = 2 * resident + 3 * SIZE
    found = told(Limits(memory=limit), 2, tmp_path, hold_too_much, quick, keep)
    assert "memory limit" in str(found[0][0])
    assert found[1:] == [[1, "done"], [SIZE, "done"]]


def test_what_the_system_kills_beside_others_is_tried_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the others are done by the time that this is known."""

    def wait(folder: Path, job: Json) -> object:
        meet(folder, job)
        while not (folder / "starved").exists():
            time.sleep(0.01)
        return "waited"

    takes = supervisor._Watch.takes

    def taken(watch: Any, event: Json) -> bool:
        if event.get("done"):
            os.kill(int((tmp_path / "starved").read_text()), signal.SIGCONT)
        return takes(watch, event)

    monkeypatch.setattr(supervisor._Watch, "takes", taken)
    found = told(Limits(), 2, tmp_path, starve, wait)
    assert found == [["fed", "done"], ["waited", "done"]]


def test_a_crash_is_that_of_its_job(tmp_path: Path) -> None:
    found = told(Limits(), 2, tmp_path, quick, die, quick, quick)
    assert found[1][0] == "crash" and found[1][-1] == "done"
    assert [found[k] for k in (0, 2, 3)] == [[k, "done"] for k in (0, 2, 3)]


def test_the_limit_on_time_is_that_of_each_part(tmp_path: Path) -> None:
    def sleep(folder: Path, job: Json) -> object:
        return time.sleep(60)

    found = told(Limits(part=0.5), 2, tmp_path, sleep, quick, sleep, quick)
    assert all("time limit" in str(found[k][0]) for k in (0, 2))
    assert [found[k] for k in (1, 3)] == [[1, "done"], [3, "done"]]


def test_the_whole_run_has_one_limit(tmp_path: Path) -> None:
    def sleep(folder: Path, job: Json) -> object:
        return time.sleep(60)

    assert told(Limits(total=1), 2, tmp_path, sleep, sleep, quick) == [["over", "done"]] * 3


def test_a_signal_ends_all(tmp_path: Path) -> None:
    parent = os.getpid()

    def interrupt(folder: Path, job: Json) -> object:
        while not (folder / "last").exists():
            time.sleep(0.01)
        os.kill(parent, signal.SIGTERM)
        return time.sleep(60)

    def last(folder: Path, job: Json) -> object:
        (folder / "last").touch()
        return time.sleep(60)

    found = told(Limits(), 2, tmp_path, quick, interrupt, last, quick)
    assert found == [[0, "done"], ["interrupted"], ["interrupted"], ["not run"]]


def test_at_least_one_core() -> None:
    assert 1 <= processes.cores() <= (os.cpu_count() or 1)
