"""Ask a memory that another process serves, as if it were here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.serve.client.daemon import *
    from commonplace.serve.client.daemon_memory import *
    from commonplace.serve.client.process import *
else:
    __getattr__ = lazy_names(
        __name__,
        daemon="OTHER_VERSION error_from_json get post",
        daemon_memory="DaemonMemory",
        process="ProcessClient spawn",
    )
