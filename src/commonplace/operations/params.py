"""What each operation is asked with: Structs that take the keyword arguments of `Memory`'s verbs from JSON.

Fields, defaults and meanings are those of the verb; a field that is not there is refused.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from commonplace.imports import Format
from commonplace.model import SHOWN, Actor, CaptureType, Category, Evidence, Kind, Trust


class Nothing(Struct, kw_only=True, forbid_unknown_fields=True):
    """An operation that is asked with nothing."""


class Scoped(Struct, kw_only=True, forbid_unknown_fields=True):
    """Which projects count: those of `scope` and the shared ones, or all; and the clock (ISO minute), now if null."""

    scope: str | None = None
    all_scopes: bool = False
    now: str | None = None


class Recall(Scoped, kw_only=True, forbid_unknown_fields=True):
    """A question; times are ISO dates, minutes or words (`last week`)."""

    text: str
    k: int | None = None
    kinds: tuple[Kind, ...] = ()
    categories: tuple[Category, ...] = ()
    entities: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    around: str = ""
    as_of: str = ""
    history: bool = False
    evidence: Evidence = "auto"
    trust: tuple[Trust, ...] = SHOWN
    sync: bool = True


class Pack(Recall, kw_only=True, forbid_unknown_fields=True):
    """A request to pack for; `receipt` asks for the id of the pack's receipt in the answer."""

    budget_tokens: int | None = None
    automatic: bool = False
    session: str = ""
    core: bool | None = None
    heard: str = ""
    receipt: bool = False


class Saying(Struct, kw_only=True, forbid_unknown_fields=True):
    """A line for the narrative of the day, and who says it."""

    text: str
    actor: Actor = "owner"
    scope: str = ""
    session: str = ""
    now: str | None = None


class Retain(Saying, kw_only=True, forbid_unknown_fields=True):
    """A sentence to keep; `valid` is `2025-11-27..2025-12-01`, either end open."""

    importance: float | None = None
    valid: str = ""
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


class Capture(Struct, kw_only=True, forbid_unknown_fields=True):
    """One event; of two with a key in common the second adds nothing."""

    text: str
    type: CaptureType = "message"
    actor: Actor = "owner"
    ts: str = ""
    session: str = ""
    agent: str = ""
    scope: str = ""
    origin: Trust = "trusted"
    detail: dict[str, Any] | None = None
    sources: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    now: str | None = None


class Ingest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A transcript as `text`, or as `entries`: the objects that would be its lines."""

    text: str = ""
    entries: tuple[dict[str, Any], ...] = ()
    format: Format = "auto"
    owner: str = ""
    scope: str = ""
    session: str = ""
    name: str = ""
    now: str | None = None


class Why(Struct, kw_only=True, forbid_unknown_fields=True):
    """A receipt by its id, or `last`; with `record`, only what it says of that one."""

    receipt: str = "last"
    record: str | None = None


class Show(Struct, kw_only=True, forbid_unknown_fields=True):
    """A record's id, `PATH`, `PATH#L12` or `PATH#L12-L15`, with or without an anchor."""

    reference: str


class Entity(Struct, kw_only=True, forbid_unknown_fields=True):
    """A person, place or thing by name."""

    name: str
    at_most: int = 50


class Timeline(Scoped, kw_only=True, forbid_unknown_fields=True):
    """A stretch of time; `around` is a time or a record's id."""

    since: str = ""
    until: str = ""
    around: str = ""
    evidence: Evidence = "none"
    at_most: int = 50


class Resume(Scoped, kw_only=True, forbid_unknown_fields=True):
    """What a restarted agent should read, within a budget of tokens."""

    session: str = ""
    budget_tokens: int | None = None


class Consolidate(Struct, kw_only=True, forbid_unknown_fields=True):
    """What was captured, to be looked through; with `apply`, what is worth keeping is written."""

    apply: bool = False
    idle_minutes: int = 0
    owner: str = ""
    now: str | None = None


class Decide(Struct, kw_only=True, forbid_unknown_fields=True):
    """One item of the queue."""

    item_id: str
    now: str | None = None


class Edit(Decide, kw_only=True, forbid_unknown_fields=True):
    """One item of the queue and its new words."""

    text: str


class Undo(Struct, kw_only=True, forbid_unknown_fields=True):
    """An applied write, by the id of its change; `last` is the newest."""

    change_id: str
    now: str | None = None


class Audit(Struct, kw_only=True, forbid_unknown_fields=True):
    """What was written since a time, newest first."""

    since: str = ""
    at_most: int = 20
    now: str | None = None


class Sync(Struct, kw_only=True, forbid_unknown_fields=True):
    """Whether a suspicious loss is meant, and whether anything is to be changed."""

    force: bool = False
    dry_run: bool = False
