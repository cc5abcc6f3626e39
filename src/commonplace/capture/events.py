"""An event as it arrives, validated; limits and redaction come later."""

from __future__ import annotations

from datetime import datetime
from typing import get_args

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.model import ACTORS, TRUSTS, Actor, CaptureType, Trust
from commonplace.shapes import Json
from commonplace.storage.workspace import parse_timestamp

TRUST_BY_ACTOR: dict[Actor, Trust] = {"owner": "trusted", "agent": "unknown", "tool": "untrusted", "system": "unknown"}
CAPTURE_TYPES: tuple[CaptureType, ...] = get_args(CaptureType)
MAX_NAME_CHARS = 200  # characters of a session, agent, scope, or a source
MAX_LIST_ITEMS = 64  # sources, or keys
TEXT_FIELDS = ("text", "ts", "session", "agent", "scope")


class SourcePosition(Struct, frozen=True):
    """The position of an event in its source: the name of a file, the offset and the line (from 1)."""

    name: str
    offset: int
    line: int


class Event(Struct, frozen=True, kw_only=True):
    """An event. `ts` is an ISO time, empty for now; `origin` can only lower the trust of the `actor`.

    `detail` has further fields: `speaker`, `tool`, `arguments`, `exit_code`, `duration_ms`, `call`, …; `from_` has the
    ids of captures or records that it is based on; `keys` are its names in its source: an event with a known key was
    captured before. `import_detail` says what it was in the memory that it comes from.
    """

    text: str
    type: CaptureType = "message"
    actor: Actor = "owner"
    ts: str = ""
    session: str = ""
    agent: str = ""
    scope: str = ""
    origin: Trust = "trusted"
    detail: Json = {}
    from_: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    position: SourcePosition | None = None
    import_detail: Json = {}


def event_from_fields(
    fields: Json,
    keys: tuple[str, ...] = (),
    position: SourcePosition | None = None,
    import_detail: Json | None = None,
) -> Event:
    """Return an event with the fields of `commonplace.capture.v1`, not yet validated; other fields are ignored.

    Without an actor it is trusted no more than a tool's.
    """
    detail, sources = fields.get("detail"), fields.get("from")
    return Event(
        **{name: fields.get(name) or "" for name in TEXT_FIELDS},
        type=fields.get("type") or "message",
        actor=fields.get("actor") or "tool",
        origin=fields.get("origin") or "trusted",
        detail=detail if isinstance(detail, dict) else {},
        from_=tuple(name for name in sources if isinstance(name, str)) if isinstance(sources, list) else (),
        keys=keys,
        position=position,
        import_detail=import_detail or {},
    )


def validate_event(event: Event) -> Event:
    """Return the event if it can be captured. Raises BadArgument, which repeats nothing of it."""
    for name, value, allowed in (
        ("type", event.type, CAPTURE_TYPES),
        ("actor", event.actor, ACTORS),
        ("origin", event.origin, TRUSTS),
    ):
        if value not in allowed:
            raise BadArgument(f"`{name}` must be one of {', '.join(allowed)}")
    # A host that is not type-checked may send anything.
    for name in TEXT_FIELDS:
        if not isinstance(value := getattr(event, name), str):
            raise BadArgument(f"`{name}` must be a text, not {type(value).__name__}")
    if not isinstance(event.detail, dict):
        raise BadArgument(f"`detail` must be an object, not {type(event.detail).__name__}")
    if not all(isinstance(name, str) for name in (*event.from_, *event.keys)):
        raise BadArgument("a source or key must be a text")
    if not event.text or event.text.isspace():
        raise BadArgument("the text is empty")
    if event.ts and not _is_iso_time(event.ts):
        raise BadArgument("`ts` is not an ISO time", hint="say 2025-11-27T09:40")
    longest = max(len(event.session), len(event.agent), len(event.scope), *map(len, event.from_))
    if longest > MAX_NAME_CHARS or len(event.from_) > MAX_LIST_ITEMS or len(event.keys) > MAX_LIST_ITEMS:
        raise BadArgument(
            f"a session, agent, scope or source has at most {MAX_NAME_CHARS} characters, a list {MAX_LIST_ITEMS}"
        )
    return event


def _is_iso_time(timestamp: str) -> bool:
    """Whether a text is a date or time of the calendar, which every reader of a journal can read."""
    if len(parse_timestamp(timestamp)) < len("2025-11-27"):
        return False
    try:
        datetime.fromisoformat(timestamp)
    except ValueError:
        return False
    return True
