"""A memory for the command line that uses the running daemon, or opens the workspace if there is none."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import msgspec
from msgspec import structs

from commonplace.errors import CommonplaceError, Unreachable
from commonplace.memory import Memory
from commonplace.operations.parameters import Request
from commonplace.serve.client import daemon
from commonplace.serve.dispatch import REMOTE_METHODS, compatibility_key, decode_result
from commonplace.storage import config
from commonplace.storage.settings import step_models

BUSY_NOTICE = "the daemon is busy; this waits for its answer"
READ_TIMEOUT_S = 15.0  # for an answer that can be had here as well
WRITE_TIMEOUT_S = 120.0
RETRY_LOCALLY_CODES = ("too-busy", "internal-error", "deadline-passed", "cancelled")  # of a read: it is asked here


class DaemonMemory:
    """`Memory` with its verbs: those of the daemon's go there first; everything else is the memory's.

    So is a recall whose hits a language model puts in order: others would wait for it.
    """

    def __init__(self, memory: Memory, path: str) -> None:
        self._memory, self._path = memory, path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._memory.close()

    def __getattr__(self, name: str) -> Any:
        is_slow = name == "recall" and step_models(self._memory.settings, "rerank")
        is_remote = self._path and name in REMOTE_METHODS and not is_slow
        return partial(self._ask, name) if is_remote else getattr(self._memory, name)

    def _ask(self, name: str, *positional: Any, **keywords: Any) -> Any:
        method, now = REMOTE_METHODS[name], self._memory.environment.now
        is_request = len(positional) == 1 and not keywords and isinstance(positional[0], method.request)
        request: Any = positional[0] if is_request else method.request(*positional, **keywords)
        if now and getattr(request, "now", now) is None:
            request = structs.replace(request, now=now)
        try:
            if method.writes:
                text = "\n".join(map(str, structs.astuple(request)))
                if any(secret.value in text for secret in config.read_secret_values(self._memory.root)):
                    raise Unreachable("what this process knows to be a secret is for it to mask")
            return self._ask_daemon_for(name, request, writes=method.writes)
        except Unreachable:
            self._path = ""  # once is enough
            return getattr(self._memory, name)(*positional, **keywords)

    def _ask_daemon_for(self, name: str, request: Request, *, writes: bool) -> Any:
        """The daemon's answer. Raises Unreachable where it surely did nothing, else the error that is its answer."""
        memory = self._memory
        try:
            body = msgspec.json.encode(request)
        except UnicodeEncodeError:
            raise Unreachable("this cannot be sent as text") from None
        alike = compatibility_key(memory.root, memory.settings, memory.environment)
        head = daemon.render_head(f"POST /nouns/{name}", self._path)
        head += daemon.render_body_head(body, f"commonplace-likeness: {alike}")
        try:
            timeout_s = WRITE_TIMEOUT_S if writes else READ_TIMEOUT_S
            notify = partial(memory.workspace.report_wait, BUSY_NOTICE)
            answer, is_sent = daemon.exchange(self._path, head, body, timeout_s, report_wait=notify)
        except OSError as cut:
            raise (_unknown_outcome_error if writes else Unreachable)(cut.strerror or str(cut)) from None
        if not is_sent:  # what it says instead says why
            raise Unreachable(daemon.decode_error(daemon.split_response(answer)[1]).message)
        try:
            status, told = daemon.split_response(answer)
            if status == b"200":
                return decode_result(name, told)
            error = daemon.decode_error(told)
        except Unreachable as cut:
            raise _unknown_outcome_error(cut.message) if writes else cut from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            make_error = _unknown_outcome_error if writes else Unreachable
            raise make_error(daemon.NOT_OUR_DAEMON) from None
        if error.code in RETRY_LOCALLY_CODES and (not writes or error.code == "too-busy"):
            raise Unreachable(error.message)
        raise error


def _unknown_outcome_error(reason: str) -> CommonplaceError:
    return CommonplaceError(
        f"the daemon took this on and did not answer: {reason}",
        hint="it may be done: look with `commonplace recall` before you repeat it",
    )
