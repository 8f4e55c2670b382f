"""Batches of a sweep on a cluster: those of `dask.distributed`, each in one of its workers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from threading import Lock
from typing import Any

from verifier.base.errors import LibraryMissing, VerifierError
from verifier.base.version import VERSION

Json = dict[str, Any]
AHEAD = 3  # batches that are given to each worker, so that it never waits
PATIENCE = "20 s"  # until the scheduler must have answered
ALONE = Lock()  # a worker may have several threads


class NoScheduler(VerifierError):
    """Nothing answers at the address of a cluster's scheduler."""


class Cluster:
    """A cluster that does the batches of a sweep; to be used in a `with`.

    address  of its scheduler, such as tcp://10.0.0.1:8786

    LibraryMissing without dask.distributed; NoScheduler.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise LibraryMissing("a cluster", "dask.distributed", "cluster") from None
        try:
            self._client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NoScheduler(f"no scheduler answers at '{address}': {error}") from None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def workers(self) -> int:
        """How many batches can be done side by side."""
        return sum(self._client.nthreads().values()) or 1

    def as_they_come(self, jobs: Iterator[Json]) -> Iterator[tuple[int, Json]]:
        """The events of batches in the order in which they come, each with the number of its batch.

        jobs  which are asked for as workers become free
        """
        from distributed import as_completed

        numbered = enumerate(jobs)
        numbers: dict[Any, int] = {}

        def begun(count: int) -> list[Any]:
            found = list(islice(numbered, count))
            # not pure: else the cluster would do two equal batches once
            futures = [self._client.submit(done, job, pure=False) for _, job in found]
            numbers.update(zip(futures, (number for number, _ in found), strict=True))
            return futures

        coming = as_completed(begun(AHEAD * self.workers()), loop=self._client.loop)
        for future in coming:
            number = numbers.pop(future)
            coming.update(begun(1))
            yield from ((number, event) for event in _events(future))


def _events(future: Any) -> list[Json]:
    """What a batch has told, or why it could not be done."""
    try:
        found: list[Json] = future.result()
    except Exception as error:  # its worker was lost again and again
        return [{"crash": f"internal error: {type(error).__name__}: {error}"}]
    return found


def done(job: Json) -> list[Json]:
    """The events of a batch, in a worker of the cluster."""
    import traceback

    from verifier.cli import jobs

    if job["version"] != VERSION:
        raise RuntimeError(f"the worker has version {VERSION}, not {job['version']}")
    told: list[Json] = []
    whole = {**job, "start": 0, "stopped": {}}
    try:
        with ALONE:
            told.extend(jobs.run(whole, lambda event: None))
    except Exception as error:
        said = f"internal error: {type(error).__name__}: {error}"
        told.append({"crash": said, "traceback": traceback.format_exc()})
    return told
