"""Where contained runs are made: worker processes of this machine, or the workers of a Dask cluster.

Both give futures; the runner cannot tell them apart. An executor only passes orders on: the containment
is the same on either, a child process for each thread that works.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, Protocol

from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.experiment.plan.orders import first_line
from cpcbench.experiment.workers import contained

CONNECT = 10.0
"""Seconds in which a cluster's scheduler has to answer."""

COUNT_EVERY = 2.0
"""Seconds between two counts of a cluster's workers, which may come and go."""


class Executor(Protocol):
    """What the runner needs. `done` is called with the future, in another thread, when it is done."""

    study: str

    def workers(self) -> int: ...

    def submit(self, work: Callable[[Any], Any], order: Any, done: Callable[[Any], None]) -> Any: ...

    def lost(self, future: Any) -> bool:
        """Whether a future that is done came to nothing because its worker was lost, not because of its run."""

    def check(self) -> None:
        """Raises if no future can be expected any more."""

    def close(self) -> None: ...


def executor(jobs: int, cluster: Any = None) -> Executor:
    """Processes of this machine, or the cluster: "local", a scheduler's address or a `distributed.Client`."""
    return Processes(jobs) if cluster is None else Cluster(cluster, jobs)


class Processes:
    """Worker processes here, each watched by one thread that does nothing else."""

    def __init__(self, jobs: int) -> None:
        self.study = uuid.uuid4().hex
        self._jobs = jobs
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="cpcbench")

    def workers(self) -> int:
        return self._jobs

    def submit(self, work: Callable[[Any], Any], order: Any, done: Callable[[Any], None]) -> Any:
        future = self._pool.submit(work, order)
        future.add_done_callback(done)
        return future

    def lost(self, future: Any) -> bool:  # noqa: ARG002 - one for all executors
        return False

    def check(self) -> None:
        pass

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        contained.finish(self.study)
        self._pool.shutdown(wait=True)


class Cluster:
    """The workers of a Dask cluster: one of this machine, one at an address, or one that the user has a client of."""

    def __init__(self, given: Any, jobs: int = 0) -> None:
        self.study = uuid.uuid4().hex
        self._close: list[Callable[[], object]] = []
        self._number = 0
        self._counted = (-COUNT_EVERY, 0)
        self._client = self._connected(given, jobs)
        self._where = str(getattr(getattr(self._client, "scheduler", None), "address", given))

    def _connected(self, given: Any, jobs: int) -> Any:
        distributed = _distributed()
        if isinstance(given, distributed.Client):
            if given.asynchronous:
                raise CpcbenchError(
                    "the cluster's client is asynchronous: a study needs Client(..., asynchronous=False)"
                )
            return given
        if not isinstance(given, str):
            raise CpcbenchError(
                f"cluster is 'local', an address such as 'tcp://host:8786' or a distributed.Client, not {given!r}"
            )
        if given == "local":
            given = _local_cluster(distributed, jobs or os.cpu_count() or 1)
            self._close.append(given.close)
        else:
            _check_address(given)
        try:
            with _quiet():
                client = distributed.Client(given, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise CpcbenchError(f"no Dask scheduler answers at {given}: {first_line(error)}") from error
        self._close.insert(0, client.close)
        return client

    def workers(self) -> int:
        """Threads of all workers that are there now."""
        when, count = self._counted
        if time.monotonic() - when > COUNT_EVERY:
            with self._reached():
                count = sum(self._client.nthreads().values())
            self._counted = time.monotonic(), count
        return count

    def submit(self, work: Callable[[Any], Any], order: Any, done: Callable[[Any], None]) -> Any:
        self._number += 1
        with self._reached():
            future = self._client.submit(work, order, key=f"cpcbench-{self.study}-{self._number}", pure=False)
            future.add_done_callback(done)
        return future

    def lost(self, future: Any) -> bool:
        if future.status in ("cancelled", "lost"):
            return True
        return future.status == "error" and isinstance(
            future.exception(), (_distributed().KilledWorker, CancelledError)
        )

    def check(self) -> None:
        if self._client.status != "running":
            raise CpcbenchError(f"the connection to the Dask scheduler at {self._where} was lost; {_KEPT}")

    def close(self) -> None:
        """Ends what the workers do for this study and leaves a cluster of the user's as it was."""
        if self._client.status == "running":
            with _quiet(), contextlib.suppress(Exception):  # a cluster that is going away needs no farewell
                self._client.run(contained.finish, self.study, on_error="ignore")
        for close in self._close:
            with _quiet(), contextlib.suppress(Exception):
                close()

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        self.check()
        try:
            yield
        except Exception as error:  # a client whose scheduler goes away fails in many ways
            raise CpcbenchError(
                f"the Dask scheduler at {self._where} cannot be reached ({first_line(error)}); {_KEPT}"
            ) from error


_KEPT = "what came in is kept, run the same again to go on"


def check_cluster(given: Any) -> None:
    """Says early that the cluster's library is missing."""
    if given is not None:
        _distributed()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError('a cluster needs Dask: pip install "cpcbench[cluster]"') from None
    return distributed


def _local_cluster(distributed: Any, workers: int) -> Any:
    """Workers as threads of this process: each has a child process anyway, which is what does the work.

    Worker processes would read the user's script again and take each Ctrl-C as well.
    """
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )


def _check_address(address: str) -> None:
    """Whether somebody listens there; a client would try for long, and once more when it is given up."""
    found = re.fullmatch(r"(?:(\w+)://)?\[?([^\s/]+?)\]?:(\d{1,5})", address)
    if found is None:
        raise CpcbenchError(f"a cluster is 'local' or an address such as 'tcp://host:8786', not {address!r}")
    if found[1] in (None, "tcp", "tls"):
        try:
            socket.create_connection((found[2], int(found[3])), timeout=CONNECT).close()
        except (OSError, OverflowError) as error:
            raise CpcbenchError(f"no Dask scheduler answers at {address}: {first_line(error)}") from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the log lines of a library whose failures are told by our own errors."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)
