"""Verbs of `Memory` whose nouns pass between two processes of one version without loss, for the command line.

What a program is promised are the documented shapes of the operations; this is ours, and changes as we do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.operations import params

if TYPE_CHECKING:
    from commonplace.config import Settings, Surroundings
    from commonplace.memory import Memory
    from commonplace.shapes import Json


class Receipt(Struct, kw_only=True, forbid_unknown_fields=True):
    """A receipt by its id, or `last`; with a record, all that is known of that one's score."""

    receipt_id: str = "last"
    record_id: str | None = None


class Verb(Struct, frozen=True):
    """One verb: what it is asked with, the names of what may be given by position, and whether it writes."""

    params: type[Struct]
    places: tuple[str, ...] = ()
    writes: bool = False


class Noun(Struct, frozen=True):
    """An answer on its way: the name of its type, and itself."""

    kind: str
    value: msgspec.Raw


VERBS: dict[str, Verb] = {
    "recall": Verb(params.Recall, ("text",)),
    "pack": Verb(params.Pack, ("text",)),
    "why": Verb(Receipt, ("receipt_id", "record_id")),
    "receipt": Verb(Receipt, ("receipt_id",)),
    "show": Verb(params.Show, ("reference",)),
    "cite": Verb(params.Show, ("reference",)),
    "entity": Verb(params.Entity, ("name",)),
    "entities": Verb(params.Nothing),
    "timeline": Verb(params.Timeline),
    "status": Verb(params.Nothing),
    "retain": Verb(params.Retain, ("text",), writes=True),
    "log": Verb(params.Saying, ("text",), writes=True),
    "capture": Verb(params.Capture, ("text",), writes=True),
}
OF_THE_SHAPE = {"pack": ("receipt",), "receipt": ("record_id",)}  # parameters that the verb does not have


def said(memory: Memory, name: str, given: Any) -> bytes:
    """The noun that a verb answers, encoded. Raises CommonplaceError."""
    try:
        asked = msgspec.convert(given, VERBS[name].params)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{name}`: {error}") from None
    without = OF_THE_SHAPE.get(name, ())
    choices = {field: value for field, value in structs.asdict(asked).items() if field not in without}
    noun = getattr(memory, name)(**choices)
    return msgspec.json.encode({"kind": type(noun).__name__, "value": noun})


def heard(name: str, data: bytes) -> Any:
    """The noun again. Raises msgspec.DecodeError, ValidationError for what no verb of ours says."""
    noun = msgspec.json.decode(data, type=Noun)
    return msgspec.json.decode(noun.value, type=_types(name).get(noun.kind, Any))


def likeness(root: str, settings: Settings, around: Surroundings) -> str:
    """What two processes must have in common so that one can answer for the other: the code, the folder, the names."""
    from zlib import crc32

    from commonplace import __version__, config

    device, index = config.device_name(settings, around), config.index_path(root, settings, around)
    alike: Json = {
        "version": __version__,
        "root": root,
        "device": device,
        "index": index,
        "zone": config.variable("TZ"),
    }
    return f"{crc32(repr(alike).encode('utf-8', 'surrogateescape')):08x}"


def _types(name: str) -> dict[str, Any]:
    from commonplace.capture.funnel import Taken
    from commonplace.capture.saying import Kept
    from commonplace.model import EntityView, Hits, Pack, Record, View
    from commonplace.model import Receipt as Explained
    from commonplace.recall.citations import Resolved

    kinds = (Taken, Kept, EntityView, Hits, Pack, View, Explained, Resolved)
    rows: Any = tuple[tuple[str, int], ...] if name == "entities" else tuple[Record, ...]
    return {**{kind.__name__: kind for kind in kinds}, "tuple": rows, "str": str, "dict": dict[str, str | int]}
