"""An event as it arrives, checked and bounded: what happened, who did it, where; nothing is redacted here yet."""

from __future__ import annotations

from typing import Any, get_args

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.model import ACTORS, TRUSTS, Actor, CaptureType, Trust
from commonplace.text import one_line
from commonplace.workspace.times import moment

TRUST_OF: dict[Actor, Trust] = {"owner": "trusted", "agent": "unknown", "tool": "untrusted", "system": "unknown"}
TYPES: tuple[CaptureType, ...] = get_args(CaptureType)
MOST_TEXT = 4 << 20  # characters that are looked at; what is behind them is dropped, and the capture says so
MOST_NAME = 200  # characters of a session, agent, scope, or a source
MOST_NAMES = 64  # sources
DEEPEST, MOST_ITEMS, MOST_STRING = 5, 48, 2_000  # of what is said besides: levels, items of one, characters of one
LOOSE_STRING = 64_000  # of a text in it before its secrets are masked; the end of a cut one is cut off again
EDGE = 4_096  # characters in which a cut looks back for a blank, so that it divides no secret
CUT = "…"


class Event(Struct, frozen=True, kw_only=True):
    """What happened. `ts` is an ISO time, empty for now; `origin` can only lower the trust that `actor` has.

    `detail` is what else is known: `speaker`, `tool`, `arguments`, `exit_code`, `duration_ms`, `call`, …; `keys` are
    those under which its source knows it: an event of which one is known was captured before.
    """

    text: str
    type: CaptureType = "message"
    actor: Actor = "owner"
    ts: str = ""
    session: str = ""
    agent: str = ""
    scope: str = ""
    origin: Trust = "trusted"
    detail: dict[str, Any] = {}
    from_: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def event_of(fields: dict[str, Any], keys: tuple[str, ...] = ()) -> Event:
    """An event from the fields of `commonplace.capture.v1`; others are passed over. Raises BadArgument."""
    detail = fields.get("detail")
    sources = fields.get("from")
    names = {name: fields.get(name) or "" for name in ("text", "ts", "session", "agent", "scope")}
    for name, value in names.items():
        if not isinstance(value, str):
            raise BadArgument(f"`{name}` must be a text, not {type(value).__name__}")
    return checked(
        Event(
            **names,
            type=fields.get("type") or "message",
            actor=fields.get("actor") or "owner",
            origin=fields.get("origin") or "trusted",
            detail=detail if isinstance(detail, dict) else {},
            from_=tuple(map(str, sources)) if isinstance(sources, list) else (),
            keys=keys,
        )
    )


def checked(event: Event) -> Event:
    """The event, if it can be captured. Raises BadArgument, which repeats nothing that was given."""
    for name, value, allowed in (("type", event.type, TYPES), ("actor", event.actor, ACTORS)):
        if value not in allowed:
            raise BadArgument(f"`{name}` must be one of {', '.join(allowed)}")
    if event.origin not in TRUSTS:
        raise BadArgument(f"`origin` must be one of {', '.join(TRUSTS)}")
    if event.ts and len(moment(event.ts)) < len("2025-11-27"):
        raise BadArgument("`ts` is not an ISO time", hint="say 2025-11-27T09:40")
    if not one_line(event.text[:MOST_TEXT]):
        raise BadArgument("there is no text to capture")
    names = (event.session, event.agent, event.scope, *event.from_)
    if max(map(len, names)) > MOST_NAME or len(event.from_) > MOST_NAMES:
        raise BadArgument(f"a session, agent, scope or source has at most {MOST_NAME} characters, a list {MOST_NAMES}")
    return event


def bounded_text(text: str) -> str:
    """As much of a text as is looked at, cut at a blank."""
    if len(text) <= MOST_TEXT:
        return text
    blank = max(text.rfind(sign, MOST_TEXT - EDGE, MOST_TEXT) for sign in " \n\t")
    return text[: blank if blank > 0 else MOST_TEXT - EDGE]


def bounded(value: Any, longest: int = MOST_STRING, depth: int = 0) -> Any:
    """What is said besides, made small: five levels, 48 items of one, so many characters of one; no more is kept."""
    if isinstance(value, str):
        return value if len(value) <= longest else value[:longest] + CUT
    if isinstance(value, dict):
        items = list(value.items())[:MOST_ITEMS] if depth < DEEPEST else []
        return {str(key)[:longest]: bounded(inner, longest, depth + 1) for key, inner in items}
    if isinstance(value, list | tuple):
        return [bounded(inner, longest, depth + 1) for inner in list(value)[:MOST_ITEMS]] if depth < DEEPEST else []
    return value if value is None or isinstance(value, bool | int | float) else str(value)[:longest]
