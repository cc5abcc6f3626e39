"""The command `page`: opens the notebook in a browser, on a daemon that runs or that it starts."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
import webbrowser
from argparse import Namespace

from commonplace.cli.options import argument_table, open_memory
from commonplace.cli.streams import print_result
from commonplace.errors import AlreadyServed, BadArgument, CommonplaceError, NotFound, Unreachable
from commonplace.serve import client
from commonplace.shapes import Json

START_TIMEOUT_S = 20.0
ASK_TIMEOUT_S = 10.0
RETRY_S = 0.05  # between two looks whether a daemon that starts answers yet
LINK_PATH = "/page/link"
READY_MARK = b"commonplace: serving "
PIECE = 1 << 16

page_arguments = argument_table("""
--print  Print the link, and open no browser.
""")


def page_run(options: Namespace) -> int:
    """Find or start the daemon of the workspace, and open its page; the link is good once, for a minute."""
    with open_memory(options) as memory:
        root, asks_daemon = memory.root, memory.environment.asks_daemon
    if not asks_daemon:
        raise BadArgument("the page needs the daemon, and COMMONPLACE_DAEMON is `off`", hint="unset that variable")
    try:
        answer = _ask_link(root)
    except Unreachable:
        answer = _start_daemon(root)
    link = str(answer["link"])
    is_opened = not options.print and not options.json and webbrowser.open(link)
    told = ["the page was opened in your browser"] if is_opened else [link]
    return print_result(options, answer, told, () if is_opened else ["open this link within a minute; it works once"])


def _ask_link(root: str) -> Json:
    """The answer of the daemon that runs. Raises Unreachable where none does."""
    try:
        return client.get(root, LINK_PATH, deadline_s=ASK_TIMEOUT_S)
    except NotFound:
        hint = "stop it (`commonplace service` shows its process id) and run `commonplace page` again"
        raise BadArgument("the daemon that runs is of an older version, which has no page", hint=hint) from None


def _start_daemon(root: str) -> Json:
    """Start a daemon that outlives this command, and ask it for a link. Raises what kept it from starting."""
    deadline = time.monotonic() + START_TIMEOUT_S
    command = (sys.executable, "-m", "commonplace", "serve", "--json", "--workspace", root)
    quiet = subprocess.DEVNULL
    daemon = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, start_new_session=True)  # noqa: S603 - ourselves
    log = _read_until_ready(daemon, deadline)
    if READY_MARK in log:
        return _await_link(root, deadline, Unreachable("the daemon was started, but does not answer"))
    daemon.terminate()
    error = _decode_failure(log)
    if not isinstance(error, AlreadyServed):
        raise error
    return _await_link(root, deadline, error)


def _read_until_ready(daemon: subprocess.Popen[bytes], deadline: float) -> bytes:
    """What a daemon says until it serves, ends, or is late."""
    log = b""
    descriptor = daemon.stderr.fileno() if daemon.stderr else -1
    while READY_MARK not in log and select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))[0]:
        piece = os.read(descriptor, PIECE)
        if not piece:
            break
        log += piece
    return log


def _decode_failure(log: bytes) -> CommonplaceError:
    """The error that ended a daemon, from the last line that it wrote."""
    import msgspec

    lines = log.strip().split(b"\n")
    try:
        return client.error_from_json(msgspec.json.decode(lines[-1], type=dict))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        said = lines[-1].decode("utf-8", "replace")
        hint = "`commonplace serve` in this terminal says more"
        return Unreachable(f"the daemon does not start: {said or 'it says nothing'}", hint=hint)


def _await_link(root: str, deadline: float, error: CommonplaceError) -> Json:
    """The answer of a daemon that starts, for this command or another one. Raises `error` if it does not answer."""
    from threading import Event

    pause = Event()
    while time.monotonic() < deadline:
        try:
            return _ask_link(root)
        except Unreachable:
            pause.wait(RETRY_S)
    raise error
