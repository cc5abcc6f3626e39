"""The daemon of a workspace: sockets, worker, file watcher and schedule, from start to shutdown."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Protocol

from msgspec import Struct

from commonplace import __version__
from commonplace.errors import BadArgument, BadSettings, CommonplaceError
from commonplace.memory import Memory
from commonplace.serve import handle_shutdown_signals, shutdown_signals
from commonplace.serve.dispatch import REMOTE_METHODS, Job, Worker, call_remote_method, compatibility_key
from commonplace.serve.http import schedule, server
from commonplace.serve.http.app import AppContext, Ask, Metrics, application
from commonplace.serve.http.auth import RequestAuth
from commonplace.serve.http.schedule import JobProcess
from commonplace.serve.http.server import build_http_server
from commonplace.serve.http.watcher import FileWatcher
from commonplace.shapes import Json
from commonplace.storage import config, files

# Of mallopt, in glibc's malloc.h.
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8
LARGE_BYTES = 128 << 10  # bytes; what glibc begins with


def limit_allocator() -> None:
    """Let the process hold little that it does not use, where the C library can be told so; before there are threads.

    All threads take memory from one place: glibc gives each a place of its own, and keeps there what a job has freed.
    Large pieces stay apart and go back at once: glibc, unless it is told what is large, takes the largest that was
    ever freed for it, and then large pieces lie among small ones that keep them from going back.
    """
    _call_libc("mallopt", M_ARENA_MAX, 1)
    _call_libc("mallopt", M_MMAP_THRESHOLD, LARGE_BYTES)


def trim_heap() -> None:
    """Give back to the system what is free, also between pieces that are not; takes well below a millisecond."""
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *values: int) -> None:
    import ctypes

    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*values)


NO_SOCKET_FOLDER = "no folder for a socket has a short enough name; set XDG_RUNTIME_DIR to one that has"
SHUTDOWN_TIMEOUT_S = 20  # for what was begun, when it is to end
SCHEDULE_CHECK_S = 20.0  # between two looks at the schedule: a clock that jumps is noticed after so long
GAUGES_MS = 2_000
METHOD_TIMEOUT_S = 10.0  # for what the command line would rather do by itself then
STATM = "statm"  # of /proc/self: sizes in pages


class ListenOptions(Struct, frozen=True):
    """The listening options of the daemon: TCP on loopback only if there is a `port`; 0 chooses a free one."""

    host: str = "127.0.0.1"
    port: int | None = None


class Page(Protocol):
    """What the daemon has to do with the page in a browser: give links, tell of changes, and end it."""

    async def open_link(self) -> str:
        """The address that opens the page once."""

    def notify(self) -> None:
        """The notebook has changed."""

    async def close(self) -> None:
        """End what is served."""


Log = Callable[[str], None]
MakePage = Callable[[str, Ask, Log], Page]


def serve_workspace(memory: Memory, listen: ListenOptions, log: Log, make_page: MakePage | None = None) -> None:
    """Serve a workspace until a signal ends it; the memory is the daemon's from now on.

    `log` is given lines for the log, from any thread; `make_page` makes the page of a workspace, and is called when
    somebody first wants to see it. Raises AlreadyServed, WorkspaceUnusable, BadArgument,
    BadSettings.
    """
    path = config.socket_path(memory.root, memory.environment)
    if not path:
        raise BadSettings("the environment", (NO_SOCKET_FOLDER,))
    limit_allocator()
    server.redirect_library_logs(log)
    with ExitStack() as stack:
        early: list[int] = []  # signals before anybody waits for them: what is made meanwhile is taken away again
        stack.enter_context(handle_shutdown_signals(lambda number, _frame: early.append(number)))
        token = stack.enter_context(server.hold_socket_path(path))
        tcp = [] if listen.port is None else [stack.enter_context(server.listen_tcp(listen.host, listen.port))]
        listeners = [stack.enter_context(server.listen_unix(path)), *tcp]
        port = tcp[0].getsockname()[1] if tcp else 0
        host = f"[{listen.host}]" if ":" in listen.host else listen.host
        told = f"serving {memory.root} at {path}" + (f" and at http://{host}:{port}" if port else "")
        daemon = Daemon(memory, RequestAuth(token.encode(), port), log, make_page)
        asyncio.run(daemon.run(listeners, told, early))
        log("ended")


class Daemon:
    """The running daemon: created in one thread, and run in an event loop of the same thread."""

    def __init__(self, memory: Memory, auth: RequestAuth, log: Log, make_page: MakePage | None) -> None:
        self._root, self._environment = memory.root, memory.environment
        self._auth, self._log = auth, log
        self._metrics = Metrics()
        self._worker = Worker(memory, log=log)
        self._worker.warm_up()
        self._started = time.monotonic()
        self._last_counts: dict[str, float] = {}
        self._job_process = JobProcess(memory.root)
        self._stopping = asyncio.Event()
        self._is_synced = asyncio.Event()  # and texts may have come that have no vectors
        self._make_page = make_page
        self._page: Page | None = None

    async def run(self, listeners: list[Any], ready_message: str, early_signals: list[int]) -> None:
        """Serve until a signal, and say so; then finish what was accepted, and let go of the index.

        At one that came `early_signals` it ends before it has begun.
        """
        self._watcher = FileWatcher(self._root, self._sync, self._log)
        context = AppContext(
            self._auth,
            self._metrics,
            self._ask,
            self._call_method,
            lambda: compatibility_key(self._root, config.read_settings(self._root), self._environment),
            self._health,
            self._schedule,
            self._open_page,
            self._gauges,
        )
        server = build_http_server(application(context), partial(self._log, ready_message))
        loop = asyncio.get_running_loop()
        for number in shutdown_signals():
            loop.add_signal_handler(number, setattr, server, "should_exit", True)
        server.should_exit = bool(early_signals)
        beside = asyncio.gather(self._watcher.run(), self._run_schedule(), self._embed_new_texts())
        beside.add_done_callback(lambda _done: setattr(server, "should_exit", True))  # none of them ends by itself
        try:
            settings = config.read_settings(self._root)
            if settings.page_host or settings.page_names:  # a browser elsewhere has no link that would start it
                await self._open_page()
            await server.serve(listeners)
        finally:
            self._stopping.set()
            self._is_synced.set()
            if self._page is not None:
                await self._page.close()
            self._watcher.stop()
            try:
                await asyncio.to_thread(self._job_process.stop, SHUTDOWN_TIMEOUT_S)
                await beside
            finally:  # also where one of them had a bug
                if not await asyncio.to_thread(self._worker.close, SHUTDOWN_TIMEOUT_S):
                    self._log("a running request took too long and was stopped; it is completed at the next start")

    # questions

    async def _ask(self, name: str, arguments: Any, deadline_ms: int) -> Json:
        return await _await_job(self._worker.submit(name, arguments, deadline_s=deadline_ms / 1e3))

    async def _call_method(self, name: str, arguments: Any) -> bytes:
        def run(memory: Memory) -> Json:
            return {"noun": call_remote_method(memory, name, arguments)}

        deadline = None if REMOTE_METHODS[name].writes else METHOD_TIMEOUT_S
        told = await _await_job(self._worker.submit_call(run, writes=REMOTE_METHODS[name].writes, deadline_s=deadline))
        return bytes(told["noun"])

    async def _sync(self) -> None:
        await _await_job(self._worker.submit_call(lambda memory: {"changes": len(memory.sync().changes)}, writes=True))
        self._is_synced.set()
        if self._page is not None:
            self._page.notify()

    async def _embed_new_texts(self) -> None:
        """After each sync compute the vectors that are missing, a few at a time, and no more than half of the time."""
        while not self._stopping.is_set():
            await self._is_synced.wait()
            self._is_synced.clear()
            left = 1
            while left and not self._stopping.is_set():
                start = time.monotonic()
                try:
                    embed = self._worker.submit_call(lambda memory: {"left": memory.embed_some()}, writes=True)
                    left = (await _await_job(embed))["left"]
                except CommonplaceError as error:
                    self._log(f"new texts wait for their vectors: {error.message}")
                    left = 0
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), time.monotonic() - start)

    # what can be got

    def _health(self) -> Json:
        return {
            "schema": "commonplace.daemon.v1",
            "workspace": self._root,
            "pid": os.getpid(),
            "version": __version__,
            "uptime_seconds": int(time.monotonic() - self._started),
            "index_lag_seconds": round(self._watcher.lag(), 3),
            "waiting": self._worker.waiting,
            "trouble": self._watcher.trouble or self._worker.trouble,
        }

    def _schedule(self) -> Json:
        wanted = schedule.configured_jobs(config.read_settings(self._root))
        return schedule.schedule_json(self._root, wanted, config.unix_time())

    async def _open_page(self) -> Json:
        """A link to the page, which is served from then on. Raises BadArgument if it cannot be."""
        if self._make_page is None:
            raise BadArgument("this daemon serves no page")
        if self._page is None:
            self._page = self._make_page(self._root, self._ask, self._log)
        return {"schema": "commonplace.page.v1", "link": await self._page.open_link()}

    async def _gauges(self) -> dict[str, float]:
        try:
            status = await self._ask("status", {}, GAUGES_MS)
            job_state = schedule.read_schedule(self._root).jobs.get("consolidate", schedule.JobState(""))
            self._last_counts = {
                "records": float(status["records"]),
                "captures": float(status["captures"]),
                "last_consolidation_timestamp_seconds": schedule.parse_utc(job_state.done),
            }
        except CommonplaceError as error:  # the numbers of before stand
            self._metrics.count_error(error.code)
        return {
            **self._last_counts,
            "index_lag_seconds": self._watcher.lag(),
            "resident_memory_bytes": float(resident_bytes()),
            "uptime_seconds": time.monotonic() - self._started,
        }

    # the schedule

    async def _run_schedule(self) -> None:
        while not self._stopping.is_set():
            try:
                await asyncio.to_thread(self._run_due)
            except CommonplaceError as error:
                self._log(f"the schedule waits: {error.message}")
            await asyncio.to_thread(trim_heap)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), SCHEDULE_CHECK_S)

    def _run_due(self) -> None:
        """Run what is due, in a thread of its own."""
        wanted = schedule.configured_jobs(config.read_settings(self._root))
        schedule_state = schedule.save_schedule(self._root, wanted, config.unix_time())
        for job in wanted:
            is_due = schedule_state.jobs[job.name].next <= schedule.format_utc(config.unix_time())
            if is_due and not self._stopping.is_set():
                turn = schedule.run_if_due(self._root, job, config.unix_time, self._job_process.run_job)
                if turn is not None:
                    self._log(f"{job.name} {turn.outcome}: {turn.note}; next at {turn.next}")


async def _await_job(job: Job) -> Json:
    """The answer of a worker's job, waited for in the event loop. Raises CommonplaceError."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not done.done():  # who asked may have gone
            done.set_result(None)

    job.when_done(lambda _job: loop.call_soon_threadsafe(wake))
    await done
    try:
        return job.result(0)
    finally:
        del job  # an error holds this frame


def resident_bytes() -> int:
    """The memory that this process takes now; at its most, where the system does not say it now."""
    try:
        pages = files.read_file("/proc/self", STATM, 4_096).split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except CommonplaceError:
        import resource
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
