"""Workers that need no processes, for tests of what commands tell, not of how they are run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Any

from verifier.cli import jobs
from verifier.run.supervision.children import Load
from verifier.run.supervision.worker import Messages, _do

Json = dict[str, Any]


class Here:
    """Stands for `verifier.run.supervision.children.Zygote`, and does each job in this process.

    It does so when the job is sent. There are no limits, and nothing is done side by side.

    load    loads the engine
    others  pipes of other workers, of which there are none
    """

    is_alive, worker, ended = True, 0, None
    pipes: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()

    def __init__(self, load: Load, others: Iterable[int] = ()) -> None:
        self._work = load()
        self._told: list[Json] = []

    def send(self, job: Json) -> None:
        """Do a job."""
        with TemporaryFile(buffering=0) as events:
            with suppress(Exception):  # is told
                _do(json.loads(json.dumps({**job, "memory": None})), self._work, events.fileno())
            events.seek(0)
            self._told = [json.loads(message) for message in Messages().taken(events.read())]

    def receive(self, seconds: float) -> list[Json]:
        """The events of the job."""
        told, self._told = self._told, []
        return told

    def kill(self) -> list[Json]:
        """Forget what a process would take with it."""
        jobs._store.cache_clear()
        return []

    def close(self) -> None:
        """Forget what a process would take with it."""
        self.kill()
