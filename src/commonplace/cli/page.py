"""The command `page`: opens the notebook in a browser, on a daemon that runs or that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import webbrowser
from argparse import Namespace

from commonplace.cli.options import argument_table, open_memory
from commonplace.cli.streams import print_result
from commonplace.errors import Unreachable
from commonplace.serve import client
from commonplace.shapes import Json
from commonplace.storage import config, files

START_TIMEOUT_S = 20.0
ASK_TIMEOUT_S = 10.0
LOOK_S = 0.05  # between two looks whether the daemon answers
LINK_PATH = "/page/link"
LOG_NAME = "daemon.log"

page_arguments = argument_table("""
| --print  Print the link, and open no browser.
""")


def page_run(options: Namespace) -> int:
    """Find or start the daemon of the workspace, and open its page; the link is good once, for a minute."""
    with open_memory(options) as memory:
        root, environment = memory.root, memory.environment
    answer = _ask_link(root) or _start_daemon(root, environment)
    link = str(answer["link"])
    is_opened = not options.print and not options.json and webbrowser.open(link)
    told = ["the page was opened in your browser"] if is_opened else [link]
    return print_result(options, answer, told, () if is_opened else ["open this link within a minute; it works once"])


def _ask_link(root: str) -> Json | None:
    """The answer of the daemon that runs; None where none does."""
    try:
        return client.get(root, LINK_PATH, deadline_s=ASK_TIMEOUT_S)
    except Unreachable:
        return None


def _start_daemon(root: str, environment: config.Environment) -> Json:
    """Start a daemon that outlives this command, and ask it for a link. Raises Unreachable with what it said."""
    folder = os.path.join(environment.state_home, "commonplace")
    files.make_folders(folder)
    log_path = os.path.join(folder, LOG_NAME)
    command = (sys.executable, "-m", "commonplace", "serve", "--workspace", root)
    with open(log_path, "ab", opener=_open_private) as log:
        daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)  # noqa: S603 - ourselves
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if answer := _ask_link(root):
            return answer
        if daemon.poll() is not None:
            break
        time.sleep(LOOK_S)
    raise Unreachable("the daemon does not start", hint=f"its log is {log_path!r}")


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
