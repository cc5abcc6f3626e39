"""`serve` over HTTP, and `service`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.streams import print_json, print_lines, say
from commonplace.errors import BadArgument
from commonplace.text import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from commonplace.shapes import Json

PATIENCE_S = 5.0


def serve_http(options: Namespace, log: Callable[[str], None]) -> int:
    """Serve over the Unix socket, and over TCP on loopback where a port is named, until a signal."""
    import gc

    try:
        from commonplace.daemon.running import Wanted, serve
    except ImportError as error:
        hint = "install it with `pip install 'commonplace[web,daemon]'`"
        raise BadArgument(f"the daemon needs the package {error.name!r}", hint=hint) from None
    gc.enable()  # a command of one answer goes without
    host = Wanted().host if options.host is None else options.host
    serve(open_memory(options), Wanted(host, options.port), log)
    return 0


def service_arguments(parser: ArgumentParser) -> None:
    """Arguments of `service`."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--schedule", action="store_true", help="when which job runs next, and how it went last")
    ways.add_argument("--systemd", action="store_true", help="print a unit for `systemd --user`")
    ways.add_argument("--launchd", action="store_true", help="print an agent for launchd of macOS")


def service_run(options: Namespace) -> int:
    """Say what the daemon does and what it will do, or print what starts it."""
    if options.systemd or options.launchd:
        return _print_unit(options)
    return _print_schedule(options) if options.schedule else _print_daemon(options)


def _print_daemon(options: Namespace) -> int:
    from commonplace.client.post import get

    with open_memory(options) as memory:
        told = get(memory.root, "/healthz", deadline_s=PATIENCE_S)
    if options.json:
        print_json(told)
        return 0
    width = max(map(len, told))
    print_lines(f"{name:<{width}}  {one_line(str(value))}" for name, value in told.items() if name != "schema")
    return 0


def _print_schedule(options: Namespace) -> int:
    from commonplace import config
    from commonplace.daemon.schedule import jobs, planned, read, schedule_json

    with open_memory(options) as memory:
        wanted = jobs(memory.settings)
        told = schedule_json(planned(read(memory.root), wanted, config.seconds()), wanted)
    if options.json:
        print_json(told)
        return 0
    for row in told["jobs"]:
        print_lines([f"{row['name']}: next at {row['next']}, every {row['every_minutes']} minutes"])
        print_lines([_last(row["last"])] if row["last"] else [])
    if not told["jobs"]:
        say("nothing runs by itself: the settings want nothing")
    return 0


def _last(last: Json) -> str:
    return f"  {last['outcome']} at {last['ended']}: {one_line(last['note'])}"


def _print_unit(options: Namespace) -> int:
    from commonplace.daemon.units import Start, launchd, systemd

    with open_memory(options) as memory:
        command = (os.path.abspath(sys.executable), "-m", "commonplace", "serve", "--workspace", memory.root)
        unit = (systemd if options.systemd else launchd)(Start(command, memory.root, memory.around.home))
    if options.json:
        print_json({"schema": "commonplace.unit.v1", "kind": unit.kind, "path": unit.path, "text": unit.text})
        return 0
    print_lines(unit.text.rstrip("\n").split("\n"))
    say(f"write it to {unit.path}, then: {unit.enable}")
    return 0
