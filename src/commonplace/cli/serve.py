"""The commands that serve other programs (`serve`, `mcp`, `service`), and the log that they write to standard error."""

from __future__ import annotations

import gc
import os
import select
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import RawIOBase, TextIOWrapper
from stat import S_ISFIFO, S_ISSOCK
from threading import RLock
from typing import Any

from commonplace import __version__
from commonplace.cli.options import argument_table, open_memory
from commonplace.cli.streams import print_answer, print_messages, print_result
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.language.text import sanitize_line
from commonplace.memory import Memory
from commonplace.serve import client, dispatch, http, stdio
from commonplace.storage import config

LOG_PATIENCE_S = 1.0  # for who reads the log of a pipe that is full; once, until there is room
LOG_LINES_DROPPED = "commonplace: {} lines of this log were dropped, because nobody read it\n"


serve_arguments = argument_table("""
--stdio  Serve one program: JSON on standard input and output.
--port PORT:int  Also serve HTTP on a loopback address, at this port; 0 chooses a free one.
--host ADDRESS  The loopback address for --port.
""")


def serve_run(options: Namespace) -> int:
    """Serve until the other side disconnects, or a signal ends it."""
    install_dropping_log()
    if options.stdio and options.port is not None:
        raise BadArgument("--stdio and --port cannot be combined", hint="use one of them")
    if options.host is not None and options.port is None:
        raise BadArgument("--host needs --port", hint="add --port; 0 chooses a free port")
    return _serve_over_stdio(open_memory(options)) if options.stdio else _serve_over_http(options)


def _serve_over_stdio(memory: Memory) -> int:
    incoming, outgoing = take_standard_descriptors()
    gc.enable()  # a command of one answer goes without
    if stdio.serve_stdio_pipes(memory, __version__, stdio.Pipes(incoming, outgoing), log_to_stderr):
        return 0
    os._exit(1)  # threads that do not come to an end must not keep the process


def log_to_stderr(text: str) -> None:
    """Lines of a log, on standard error."""
    print_messages(*(f"commonplace: {line}" for line in text.split("\n")))


class DroppingLogStream(RawIOBase):
    """A descriptor that is not waited for for long where it is a pipe that nobody reads; files and terminals are.

    What finds no room in a pipe is dropped line by line, and counted for whoever reads on.
    """

    def __init__(self, descriptor: int) -> None:
        mode = os.fstat(descriptor).st_mode
        self._descriptor = descriptor
        self._is_pipe = S_ISFIFO(mode) or S_ISSOCK(mode)
        self._is_unread = self._is_cut = False  # the last that was written found no room, and was begun
        self._dropped = 0  # lines
        self._lock = RLock()  # one line at a time; what is collected meanwhile may complain here too

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any) -> int:
        whole = bytes(data)
        with self._lock, suppress(OSError):  # nobody there to read it
            note = LOG_LINES_DROPPED.format(self._dropped) if self._dropped else ""
            left = (b"\n" if self._is_cut else b"") + note.encode("ascii") + whole
            while left and self._has_room():
                left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
                self._is_cut = bool(left)
            self._dropped = self._dropped + whole.count(b"\n") if left else 0
        return len(whole)

    def _has_room(self) -> bool:
        patience = (0.0 if self._is_unread else LOG_PATIENCE_S) if self._is_pipe else None
        self._is_unread = not select.select([], [self._descriptor], [], patience)[1]
        return not self._is_unread


def install_dropping_log() -> None:
    """Drop messages to standard error once its pipe is full, so that a parent that reads nothing cannot block us."""
    with suppress(OSError):  # there is none
        raw: Any = DroppingLogStream(sys.stderr.fileno())
        sys.stderr = TextIOWrapper(raw, sys.stderr.encoding, "backslashreplace", write_through=True)


def take_standard_descriptors() -> tuple[int, int]:
    """Standard input and output as descriptors of our own; whatever else is printed goes to standard error from now on.

    They are moved above the three standard ones, which stay taken: no file of the memory can become one of those.
    """
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    silence, end = os.pipe()  # where a standard descriptor is closed these take its place: nothing comes, nobody reads
    if end > 2:
        os.close(end)
    incoming, outgoing = (fcntl(number, F_DUPFD_CLOEXEC, 3) for number in (0, 1))
    os.dup2(silence, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


CLOSE_TIMEOUT_S = 20.0  # for what was begun, when it is to end


mcp_arguments = argument_table("""
--http PORT:int  Serve streamable HTTP on a loopback address, at this port; 0 chooses a free one.
--allow-decisions  Also offer the tool that approves and rejects items and undoes writes.
--all-tools  Also offer pack, why, capture, review, and rare filters of recall.
--scope SCOPE  Pin the clients to this project and shared records: they read and write no other.
--structured  Also answer with JSON, which some clients show to the model twice.
""")


def mcp_run(options: Namespace) -> int:
    """Serve until the client hangs up, or until a signal."""
    from commonplace.serve import mcp

    mcp.require_mcp_sdk()
    install_dropping_log()
    progress = mcp.ProgressReporter()
    try:
        memory = open_memory(options, progress)
    except CommonplaceError as error:
        if options.http is None:
            mcp.refuse_first_request(error, take_standard_descriptors())
        raise
    worker, is_taken = dispatch.Worker(memory, log=log_to_stderr, scope=options.scope or ""), True
    tools = mcp.ToolOptions(options.all_tools, options.allow_decisions, options.structured)
    if options.http is None:
        is_taken = mcp.serve_mcp_stdio(worker, progress, take_standard_descriptors(), tools)
    else:
        folder = f"{memory.environment.state_home}/commonplace"
        endpoint = mcp.HttpEndpoint(options.http, folder, log_to_stderr, options.scope or "")
        mcp.serve_mcp_http(worker, progress, endpoint, tools)
    if worker.close(CLOSE_TIMEOUT_S) and is_taken:
        return 0
    os._exit(1)  # threads that do not come to an end must not keep the process


DAEMON_TIMEOUT_S = 5.0


def _serve_over_http(options: Namespace) -> int:
    """Serve over the Unix socket, and over TCP on loopback where a port is named, until a signal."""
    try:
        serve_workspace = http.serve_workspace
    except ImportError as error:
        hint = "install the extras `web` and `daemon`: in the clone, `pipx install --force '.[web,daemon]'`"
        raise BadArgument(f"the daemon needs the Python package {error.name!r}", hint=hint) from None
    gc.enable()  # a command of one answer goes without
    host = http.ListenOptions().host if options.host is None else options.host
    serve_workspace(open_memory(options), http.ListenOptions(host, options.port), log_to_stderr, _make_page)
    return 0


def _make_page(root: str, ask: Any, log: Callable[[str], None]) -> http.Page:
    """The page of a workspace. Raises BadArgument if a package that it needs is not there."""
    from commonplace.cli.install import examine_hosts

    try:
        from commonplace.serve.page import PageServer
    except ImportError as error:
        hint = "install the extra `web`: in the clone, `pipx install --force '.[web,daemon]'`, and restart the daemon"
        raise BadArgument(f"the page needs the Python package {error.name!r}", hint=hint) from None
    return PageServer(root, ask, log, partial(examine_hosts, root))


service_arguments = argument_table("""
| --schedule  Show when each job runs next, and how its last run ended.
| --systemd  Print a unit for `systemd --user`.
| --launchd  Print a launchd agent for macOS.
""")


def service_run(options: Namespace) -> int:
    """Say what the daemon does and what it will do, or print what starts it."""
    if options.systemd or options.launchd:
        return _print_unit(options)
    return _print_schedule(options) if options.schedule else _print_daemon_health(options)


def _print_daemon_health(options: Namespace) -> int:
    with open_memory(options) as memory:
        told = client.get(memory.root, "/healthz", deadline_s=DAEMON_TIMEOUT_S)
    width = max(map(len, told))
    lines = (f"{name:<{width}}  {sanitize_line(str(value))}" for name, value in told.items() if name != "schema")
    return print_result(options, told, lines)


def _print_schedule(options: Namespace) -> int:
    with open_memory(options) as memory:
        told = http.schedule_json(memory.root, http.configured_jobs(memory.settings), config.unix_time())
    lines = []
    for row in told["jobs"]:
        lines.append(f"{row['name']}: next at {row['next']}, every {row['every_minutes']} minutes")
        if last := row["last"]:
            lines.append(f"  {last['outcome']} at {last['ended']}: {sanitize_line(last['note'])}")
    return print_result(options, told, lines, () if lines else ["nothing is scheduled: the settings turn it off"])


def _print_unit(options: Namespace) -> int:
    with open_memory(options) as memory:
        command = (os.path.abspath(sys.executable), "-m", "commonplace", "serve", "--workspace", memory.root)
        render = http.systemd_unit if options.systemd else http.launchd_agent
        unit = render(http.ServiceCommand(command, memory.root, memory.environment.home))
    message = f"write it to {unit.path}, then: {unit.enable}"
    return print_answer(options, "unit", unit, unit.text.rstrip("\n").split("\n"), messages=[message])
