"""Memory methods that the command line may call in the daemon, with arguments and results encoded."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import msgspec
from msgspec import Struct

from commonplace import __version__, capture, model, truth
from commonplace.errors import BadArgument
from commonplace.memory import Memory
from commonplace.operations import parameters
from commonplace.operations.declarations import OPERATIONS
from commonplace.retrieval import recall
from commonplace.shapes import Json
from commonplace.storage import config
from commonplace.storage.settings import Environment, Settings

PROTOCOL = 7  # of requests and results; to be raised when the name or a field of one of them changes


class RemoteMethod(Struct, frozen=True):
    """A method of `Memory`: its parameters, and whether it writes."""

    request: type[parameters.Request]
    writes: bool = False


class EncodedResult(Struct, frozen=True):
    """A result as it is sent: the name of its type, and its JSON."""

    kind: str
    value: msgspec.Raw


REMOTE_METHODS: dict[str, RemoteMethod] = {
    **{
        name: RemoteMethod(OPERATIONS[name].request, OPERATIONS[name].effect != "reads")
        for name in ["recall", "show", "entity", "entities", "facts", "timeline", "status", "retain", "log", "capture"]
    },
    "pack": RemoteMethod(parameters.PackRequest),
    "why": RemoteMethod(parameters.ExplainPackRequest),
    "receipt": RemoteMethod(parameters.ReceiptRequest),
    "cite": RemoteMethod(parameters.ShowRequest),
}


def call_method(memory: Memory, name: str, request: parameters.Request) -> Any:
    """The result of the method of this name for a request."""
    method = getattr(memory, name)
    return method() if isinstance(request, parameters.EmptyRequest) else method(request)


def call_remote_method(memory: Memory, name: str, arguments: Any) -> bytes:
    """The result of a method, encoded. Raises CommonplaceError."""
    try:
        request = msgspec.convert(arguments, REMOTE_METHODS[name].request)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{name}`: {error}") from None
    result = call_method(memory, name, request)
    return msgspec.json.encode({"kind": type(result).__name__, "value": result})


def decode_result(name: str, data: bytes) -> Any:
    """The decoded result of a method. Raises msgspec.DecodeError or ValidationError if the data is malformed."""
    result = msgspec.json.decode(data, type=EncodedResult)
    classes = (
        *(capture.CaptureResult, capture.RetainResult, recall.ResolvedCitation, truth.SubjectFacts),
        *(model.EntityView, model.Hits, model.Pack, model.View, model.Receipt),
    )
    rows: Any = tuple[tuple[str, int], ...] if name == "entities" else tuple[model.Record, ...]
    types: dict[str, Any] = {"tuple": rows, "str": str, "dict": dict[str, str | int]}
    types |= {one.__name__: one for one in classes}
    return msgspec.json.decode(result.value, type=types.get(result.kind, Any))


def compatibility_key(root: str, settings: Settings, environment: Environment) -> str:
    """A digest of what two processes must share so that one can answer for the other: protocol, version, names."""
    device, index = config.device_name(settings, environment), config.index_path(root, settings, environment)
    alike: Json = {
        "protocol": PROTOCOL,
        "version": __version__,
        "root": root,
        "device": device,
        "index": index,
        "zone": config.environment_variable("TZ"),
        "vectors": environment.vectors,
    }
    return f"{crc32(repr(alike).encode('utf-8', 'surrogateescape')):08x}"
