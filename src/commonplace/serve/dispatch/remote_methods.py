"""Memory methods that the command line may call in the daemon, with arguments and results encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.operations import parameters

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.shapes import Json
    from commonplace.storage.config import Environment, Settings


class ReceiptRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A receipt by its id, or `last`; with a record, all that is known of that one's score."""

    receipt_id: str = "last"
    record_id: str | None = None


class RemoteMethod(Struct, frozen=True):
    """One verb: what it is asked with, the names of what may be given by position, and whether it writes."""

    params: type[Struct]
    positional: tuple[str, ...] = ()
    writes: bool = False


class EncodedResult(Struct, frozen=True):
    """An answer on its way: the name of its type, and itself."""

    kind: str
    value: msgspec.Raw


REMOTE_METHODS: dict[str, RemoteMethod] = {
    "recall": RemoteMethod(parameters.RecallRequest, ("text",)),
    "pack": RemoteMethod(parameters.PackRequest, ("text",)),
    "why": RemoteMethod(ReceiptRequest, ("receipt_id", "record_id")),
    "receipt": RemoteMethod(ReceiptRequest, ("receipt_id",)),
    "show": RemoteMethod(parameters.ShowRequest, ("reference",)),
    "cite": RemoteMethod(parameters.ShowRequest, ("reference",)),
    "entity": RemoteMethod(parameters.EntityRequest, ("name",)),
    "entities": RemoteMethod(parameters.EmptyRequest),
    "timeline": RemoteMethod(parameters.TimelineRequest),
    "status": RemoteMethod(parameters.EmptyRequest),
    "retain": RemoteMethod(parameters.RetainRequest, ("text",), writes=True),
    "log": RemoteMethod(parameters.LogRequest, ("text",), writes=True),
    "capture": RemoteMethod(parameters.CaptureRequest, ("text",), writes=True),
}
NOT_METHOD_PARAMETERS = {"pack": ("receipt",), "receipt": ("record_id",)}  # parameters that the verb does not have


def call_remote_method(memory: Memory, name: str, arguments: Any) -> bytes:
    """The noun that a verb answers, encoded. Raises CommonplaceError."""
    try:
        asked = msgspec.convert(arguments, REMOTE_METHODS[name].params)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{name}`: {error}") from None
    without = NOT_METHOD_PARAMETERS.get(name, ())
    choices = {field: value for field, value in structs.asdict(asked).items() if field not in without}
    noun = getattr(memory, name)(**choices)
    return msgspec.json.encode({"kind": type(noun).__name__, "value": noun})


def decode_result(name: str, data: bytes) -> Any:
    """The noun again. Raises msgspec.DecodeError, ValidationError for what no verb of ours says."""
    noun = msgspec.json.decode(data, type=EncodedResult)
    return msgspec.json.decode(noun.value, type=_result_types(name).get(noun.kind, Any))


def compatibility_key(root: str, settings: Settings, environment: Environment) -> str:
    """What two processes must have in common so that one can answer for the other: the code, the folder, the names."""
    from zlib import crc32

    from commonplace import __version__
    from commonplace.storage import config

    device, index = config.device_name(settings, environment), config.index_path(root, settings, environment)
    alike: Json = {
        "version": __version__,
        "root": root,
        "device": device,
        "index": index,
        "zone": config.environment_variable("TZ"),
    }
    return f"{crc32(repr(alike).encode('utf-8', 'surrogateescape')):08x}"


def _result_types(name: str) -> dict[str, Any]:
    from commonplace.capture.pipeline import CaptureResult
    from commonplace.capture.retaining import RetainResult
    from commonplace.model import EntityView, Hits, Pack, Record, View
    from commonplace.model import Receipt as Explained
    from commonplace.retrieval.recall.citations import ResolvedCitation

    kinds = (CaptureResult, RetainResult, EntityView, Hits, Pack, View, Explained, ResolvedCitation)
    rows: Any = tuple[tuple[str, int], ...] if name == "entities" else tuple[Record, ...]
    return {**{kind.__name__: kind for kind in kinds}, "tuple": rows, "str": str, "dict": dict[str, str | int]}
