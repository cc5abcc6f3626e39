"""Runs operations for every interface that serves other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.serve.dispatch.handlers import *
    from commonplace.serve.dispatch.remote_methods import *
    from commonplace.serve.dispatch.worker import *
else:
    __getattr__ = lazy_names(
        __name__,
        handlers="HANDLERS decode_parameters find_operation run_operation",
        remote_methods="REMOTE_METHODS call_remote_method compatibility_key decode_result",
        worker="Job Worker",
    )
