"""Limits on time in any thread: they end the block, and never anything after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from sys import getswitchinterval, setprofile, setswitchinterval
from threading import Thread, active_count
from time import monotonic, sleep

import pytest

from verifier.base.errors import TimeLimitReached
from verifier.run.supervision import processes
from verifier.run.supervision.limits import clock

Work = Callable[[], object]


def here(work: Work) -> object:
    return work()


def elsewhere(work: Work) -> object:
    """The value of work in another thread, or what it raises."""
    found: list[object] = []
    raised: list[BaseException] = []

    def do() -> None:
        try:
            found.append(work())
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=do)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return found[0]


@pytest.fixture(params=[here, elsewhere])
def run(request: pytest.FixtureRequest) -> Iterator[Callable[[Work], object]]:
    before = active_count()
    yield request.param
    assert active_count() <= before + 1  # a timer that was called off may take a moment to end


def forever() -> None:
    until = monotonic() + 60
    while monotonic() < until:
        pass


def test_work_is_ended(run: Callable[[Work], object]) -> None:
    def work() -> None:
        with clock(0.05):
            forever()

    with pytest.raises(TimeLimitReached, match=r"the time limit of 0\.05 s was reached"):
        run(work)


def test_seconds_spent_before_count(run: Callable[[Work], object]) -> None:
    def work() -> None:
        with clock(3600, spent=3599.95):
            forever()

    with pytest.raises(TimeLimitReached, match=r"the time limit of 3600 s was reached"):
        run(work)


def test_short_work_is_not_disturbed(run: Callable[[Work], object]) -> None:
    def work() -> int:
        with clock(3600):
            return 7

    assert run(work) == 7


def test_what_comes_after_a_block_is_never_ended(run: Callable[[Work], object]) -> None:
    """Blocks that end just when their time does: each is ended or not, and nothing else is."""

    def work() -> list[int]:
        after = []
        for number in range(300):
            with suppress(TimeLimitReached), clock(0.001):
                until = monotonic() + 0.0008 + number % 8 * 0.0001
                while monotonic() < until:
                    pass
            for _ in range(3000):  # here a late exception would arrive
                monotonic()
            after.append(number)
        return after

    before = getswitchinterval()
    setswitchinterval(1e-5)  # or the timer's thread waits for longer than a block lasts
    try:
        assert run(work) == list(range(300))
    finally:
        setswitchinterval(before)


def test_a_limit_that_is_handled_leaves_the_next_block_its_time(
    run: Callable[[Work], object],
) -> None:
    def work() -> str:
        with pytest.raises(TimeLimitReached), clock(0.01):
            forever()
        with clock(3600):
            return "whole"

    assert run(work) == "whole"


def test_what_waits_has_only_a_net(
    run: Callable[[Work], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seconds are those of the processor: a thread that waits takes none, or hardly any."""

    def work() -> str:
        with clock(0.05):
            for _ in range(20):
                sleep(0.02)
        return "whole"

    monkeypatch.setattr(processes, "NET", 1e6)
    assert run(work) == "whole"
    monkeypatch.setattr(processes, "NET", 1.0)
    with pytest.raises(TimeLimitReached):
        run(work)


def test_a_callback_of_the_import_system_swallows_no_limit() -> None:
    text = """
end, swallowed = monotonic() + 0.1, False
try:
    while monotonic() < end:
        pass
except BaseException:
    swallowed = True
"""
    names: dict[str, object] = {"monotonic": monotonic}
    callback = compile(text, "<frozen importlib._bootstrap>", "exec")

    def work() -> None:
        exec(callback, names)
        while True:
            pass

    with pytest.raises(TimeLimitReached), clock(0.02):
        work()
    assert names["swallowed"] is False


def test_what_comes_after_a_block_can_be_profiled(run: Callable[[Work], object]) -> None:
    """Interpreters that look for an exception that was taken back never leave a call then."""

    def work() -> None:
        with clock(3600):
            pass
        with pytest.raises(TimeLimitReached), clock(0.01):
            forever()

    run(work)
    run(work)
    seen: list[str] = []
    setprofile(lambda frame, event, about: seen.append(event))
    here(list)
    setprofile(None)
    assert seen[0] == "call"
