"""The memory over two pipes: `commonplace.stdio.v1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.serve.stdio.line_streams import *
    from commonplace.serve.stdio.protocol import *
    from commonplace.serve.stdio.server import *
else:
    __getattr__ = lazy_names(
        __name__,
        line_streams="LineSplitter Outbox OversizedLine is_hung_up",
        protocol="PROTOCOL",
        server="Pipes serve_stdio_pipes",
    )
