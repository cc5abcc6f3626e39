"""`serve` over HTTP."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.streams import say
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from argparse import Namespace


def serve_http(options: Namespace) -> int:
    """Serve over the Unix socket, and over TCP on loopback where a port is named, until a signal."""
    try:
        from commonplace.daemon.running import Wanted, serve
    except ImportError as error:
        hint = "install it with `pip install 'commonplace[web,daemon]'`"
        raise BadArgument(f"the daemon needs the package {error.name!r}", hint=hint) from None
    gc.enable()  # a command of one answer goes without
    serve(open_memory(options), Wanted(options.host, options.port), _log)
    return 0


def _log(text: str) -> None:
    say(*(f"commonplace: {line}" for line in text.split("\n")))
    sys.stderr.flush()
