"""The daemon of a workspace: its sockets, its worker, its watcher and its schedule, from the start to a calm end."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace import config, files
from commonplace.daemon import allocator, complaints, schedule, sockets
from commonplace.daemon.apart import Apart
from commonplace.daemon.app import House, application
from commonplace.daemon.door import Door
from commonplace.daemon.listening import server_of
from commonplace.daemon.metrics import Metrics
from commonplace.daemon.watching import Watcher
from commonplace.errors import BadSettings, CommonplaceError
from commonplace.memory import Memory
from commonplace.operations import ending, nouns
from commonplace.operations.worker import Worker

if TYPE_CHECKING:
    from commonplace.operations.jobs import Job
    from commonplace.shapes import Json

NO_PLACE = "no folder for a socket has a short enough name; set XDG_RUNTIME_DIR to one that has"
GRACE_S = 20  # for what was begun, when it is to end
TURN_S = 20.0  # between two looks at the schedule: a clock that jumps is noticed after so long
GAUGES_MS = 2_000
NOUN_S = 10.0  # for what the command line would rather do by itself then
STATM = "statm"  # of /proc/self: sizes in pages


class Wanted(Struct, frozen=True):
    """How the daemon is to be started: TCP on loopback only where there is a `port`; 0 takes any."""

    host: str = "127.0.0.1"
    port: int | None = None


def serve(memory: Memory, wanted: Wanted, say: Callable[[str], None]) -> None:
    """Serve a workspace until a signal ends it; the memory is the daemon's from now on.

    `say` is given lines for the log, from any thread. Raises AlreadyServed, WorkspaceUnusable, BadArgument,
    BadSettings.
    """
    path = config.socket_path(memory.root, memory.around)
    if not path:
        raise BadSettings("the environment", (NO_PLACE,))
    allocator.hold_little()
    complaints.hear(say)
    with ending.heard() as early, sockets.occupied(path) as token, _listening(path, wanted) as listeners:
        port = listeners[1].getsockname()[1] if len(listeners) > 1 else 0
        told = f"serving {memory.root} at {path}" + (f" and at http://{_named(wanted.host)}:{port}" if port else "")
        daemon = Daemon(memory, Door(token.encode(), port), say)
        asyncio.run(daemon.run(listeners, told, early))
        say("ended")


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _listening(path: str, wanted: Wanted) -> Iterator[list[Any]]:
    made: list[Any] = []
    try:
        if wanted.port is not None:
            made.append(sockets.listen_tcp(wanted.host, wanted.port))
        made.insert(0, sockets.listen(path))
        yield made
    finally:
        for one in made:
            one.close()


class Daemon:
    """What runs: made in one thread, and run in an event loop of the same."""

    def __init__(self, memory: Memory, door: Door, say: Callable[[str], None]) -> None:
        self._root, self._around = memory.root, memory.around
        self._door, self._say = door, say
        self._metrics = Metrics()
        self._worker = Worker(memory, say=say)
        self._worker.warm_up()
        self._started = time.monotonic()
        self._counts: dict[str, float] = {}
        self._apart = Apart(memory.root)
        self._over = asyncio.Event()

    async def run(self, listeners: list[Any], told: str, early: list[int]) -> None:
        """Serve until a signal, and say so; then finish what was accepted, and let go of the index.

        At one that came `early` it ends before it has begun.
        """
        self._watcher = Watcher(self._root, self._sync, self._say)
        house = House(
            self._door,
            self._metrics,
            self._ask,
            self._noun,
            self._likeness,
            health=self._health,
            schedule=self._schedule,
            gauges=self._gauges,
        )
        server = server_of(application(house), partial(self._say, told))
        loop = asyncio.get_running_loop()
        for number in ending.signals():
            loop.add_signal_handler(number, setattr, server, "should_exit", True)
        server.should_exit = bool(early)
        beside = asyncio.gather(self._watcher.run(), self._keep_schedule())
        beside.add_done_callback(lambda _done: setattr(server, "should_exit", True))  # none of them ends by itself
        try:
            await server.serve(listeners)
        finally:
            self._over.set()
            self._watcher.stop()
            try:
                await asyncio.to_thread(self._apart.stop, GRACE_S)
                await beside
            finally:  # also where one of them had a bug
                if not await asyncio.to_thread(self._worker.close, GRACE_S):
                    self._say("what was being done took too long and was left; it is taken up at the next start")

    # questions

    async def _ask(self, name: str, given: Any, deadline_ms: int) -> Json:
        return await _answer_of(self._worker.submit(name, given, deadline_s=deadline_ms / 1e3))

    async def _noun(self, name: str, given: Any) -> bytes:
        def run(memory: Memory) -> Json:
            return {"noun": nouns.said(memory, name, given)}

        deadline = None if nouns.VERBS[name].writes else NOUN_S
        told = await _answer_of(self._worker.submit_call(run, writes=nouns.VERBS[name].writes, deadline_s=deadline))
        return bytes(told["noun"])

    def _likeness(self) -> str:
        return nouns.likeness(self._root, config.read_settings(self._root), self._around)

    async def _sync(self) -> None:
        await _answer_of(self._worker.submit_call(_synced, writes=True))

    # what can be got

    def _health(self) -> Json:
        trouble = self._watcher.trouble
        return {
            "schema": "commonplace.daemon.v1",
            "workspace": self._root,
            "pid": os.getpid(),
            "version": _version(),
            "uptime_seconds": int(time.monotonic() - self._started),
            "index_lag_seconds": round(self._watcher.lag(), 3),
            "waiting": self._worker.waiting,
            "trouble": trouble,
        }

    def _schedule(self) -> Json:
        wanted = schedule.jobs(config.read_settings(self._root))
        return schedule.schedule_json(schedule.planned(schedule.read(self._root), wanted, config.seconds()), wanted)

    async def _gauges(self) -> dict[str, float]:
        try:
            status = await self._ask("status", {}, GAUGES_MS)
            turn = schedule.read(self._root).jobs.get("consolidate", schedule.Turn(""))
            self._counts = {
                "records": float(status["records"]),
                "captures": float(status["captures"]),
                "last_consolidation_timestamp_seconds": schedule.seconds_of(turn.done),
            }
        except CommonplaceError as error:  # the numbers of before stand
            self._metrics.failed(error.code)
        return {
            **self._counts,
            "index_lag_seconds": self._watcher.lag(),
            "resident_memory_bytes": float(resident_bytes()),
            "uptime_seconds": time.monotonic() - self._started,
        }

    # the schedule

    async def _keep_schedule(self) -> None:
        while not self._over.is_set():
            try:
                await asyncio.to_thread(self._run_due)
            except CommonplaceError as error:
                self._say(f"the schedule waits: {error.message}")
            await asyncio.to_thread(allocator.give_back)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), TURN_S)

    def _run_due(self) -> None:
        """Run what is due, in a thread of its own."""
        wanted = schedule.jobs(config.read_settings(self._root))
        table = schedule.plan(self._root, wanted, config.seconds())
        for job in wanted:
            if table.jobs[job.name].next <= schedule.written(config.seconds()) and not self._over.is_set():
                turn = schedule.run(self._root, job, config.seconds, self._apart.act)
                if turn is not None:
                    self._say(f"{job.name} {turn.outcome}: {turn.note}; next at {turn.next}")


def _synced(memory: Memory) -> Json:
    return {"changes": len(memory.sync().changes)}


async def _answer_of(job: Job) -> Json:
    """The answer of a worker's job, waited for in the event loop. Raises CommonplaceError."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not done.done():  # who asked may have gone
            done.set_result(None)

    def tell(_job: Job) -> None:
        loop.call_soon_threadsafe(wake)

    job.when_done(tell)
    await done
    try:
        return job.result(0)
    finally:
        del job  # an error holds this frame


def _version() -> str:
    from importlib.metadata import version

    return version("commonplace")


def resident_bytes() -> int:
    """The memory that this process takes now; at its most, where the system does not say it now."""
    try:
        pages = files.read("/proc/self", STATM, 4_096).split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except CommonplaceError:
        import resource
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
