"""The base of all clients: operations as methods, and errors as exceptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import Struct, structs

from commonplace.errors import CommonplaceError, Unreachable
from commonplace.operations.declarations import subject_parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from commonplace.shapes import Json
NOT_OUR_DAEMON = "the answer is not from a Commonplace daemon"


class ErrorShape(Struct):
    """`commonplace.error.v1` as it comes."""

    code: str
    message: str
    path: str = ""
    line: int = 0
    hint: str = ""


class OperationClient(ABC):
    """A memory that another process serves; use it with `with`, or close it.

    Every operation is a method that takes its parameters by name, beside `deadline_s`, and what it is about first:
    `memory.recall("where is Peter?", k=5)`, `memory.show("MEMORY.md")`. It returns the documented shape.
    """

    @abstractmethod
    def ask(self, operation: str, arguments: Json, *, deadline_s: float | None = None) -> Json:
        """Ask for an operation by name. Raises the CommonplaceError that is the answer, DeadlinePassed, Unreachable."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the other process."""

    def __getattr__(self, name: str) -> Callable[..., Json]:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self._ask, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _ask(
        self, operation: str, subject: str | None = None, /, *, deadline_s: float | None = None, **arguments: Any
    ) -> Json:
        told = {} if subject is None else {subject_parameter(operation): subject}
        return self.ask(operation, told | arguments, deadline_s=deadline_s)


def error_from_json(error_shape: Json) -> CommonplaceError:
    """A `commonplace.error.v1` as the exception that it was; of a code that is not known here the base of all."""
    known = {kind.code_of(): kind for kind in _error_types(CommonplaceError)}
    code, message = str(error_shape.get("code", "")), str(error_shape.get("message", ""))
    kind = known.get(code)
    error = CommonplaceError.__new__(kind or CommonplaceError)
    path, line, hint = (
        str(error_shape.get("path", "")),
        int(error_shape.get("line", 0)),
        str(error_shape.get("hint", "")),
    )
    CommonplaceError.__init__(error, message if kind else f"{code}: {message}", path=path, line=line, hint=hint)
    return error


def decode_error(body: bytes) -> CommonplaceError:
    """The error in the body of a reply. Raises Unreachable if it is not an error of ours, and so not the daemon's."""
    try:
        failure = msgspec.json.decode(body, type=ErrorShape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Unreachable(NOT_OUR_DAEMON) from None
    return error_from_json(structs.asdict(failure))


def _error_types(error_type: type[CommonplaceError]) -> Iterator[type[CommonplaceError]]:
    yield error_type
    for below in error_type.__subclasses__():
        yield from _error_types(below)
