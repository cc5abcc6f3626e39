"""The parameters of each operation, decoded and checked from JSON."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from commonplace.capture.imports import Format
from commonplace.model import VISIBLE_TRUSTS, Actor, CaptureType, Category, Evidence, Kind, Trust


class EmptyRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """An operation that is asked with nothing."""


class ScopedRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """Which projects count: those of `scope` and the shared ones, or all; and the clock (ISO minute), now if null."""

    scope: str | None = None
    all_scopes: bool = False
    now: str | None = None


class RecallRequest(ScopedRequest, kw_only=True, forbid_unknown_fields=True):
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
    trust: tuple[Trust, ...] = VISIBLE_TRUSTS
    sync: bool = True


class PackRequest(RecallRequest, kw_only=True, forbid_unknown_fields=True):
    """A request to pack for; `receipt` asks for the id of the pack's receipt in the answer."""

    budget_tokens: int | None = None
    automatic: bool = False
    session: str = ""
    core: bool | None = None
    heard: str = ""
    receipt: bool = False


class LogRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A line for the narrative of the day, and who says it."""

    text: str
    actor: Actor = "owner"
    scope: str = ""
    session: str = ""
    now: str | None = None


class RetainRequest(LogRequest, kw_only=True, forbid_unknown_fields=True):
    """A sentence to keep; `valid` is `2025-11-27..2025-12-01`, either end open."""

    importance: float | None = None
    valid: str = ""
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


class CaptureRequest(Struct, kw_only=True, forbid_unknown_fields=True):
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


class IngestRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A transcript as `text`, or as `entries`: the objects that would be its lines."""

    text: str = ""
    entries: tuple[dict[str, Any], ...] = ()
    format: Format = "auto"
    owner: str = ""
    scope: str = ""
    session: str = ""
    name: str = ""
    now: str | None = None


class WhyRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A receipt by its id, or `last`; with `record`, only what it says of that one."""

    receipt: str = "last"
    record: str | None = None


class ShowRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A record's id, `PATH`, `PATH#L12` or `PATH#L12-L15`, with or without an anchor."""

    reference: str


class EntityRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A person, place or thing by name."""

    name: str
    at_most: int = 50


class TimelineRequest(ScopedRequest, kw_only=True, forbid_unknown_fields=True):
    """A stretch of time; `around` is a time or a record's id."""

    since: str = ""
    until: str = ""
    around: str = ""
    evidence: Evidence = "none"
    at_most: int = 50


class ResumeRequest(ScopedRequest, kw_only=True, forbid_unknown_fields=True):
    """What a restarted agent should read, within a budget of tokens."""

    session: str = ""
    budget_tokens: int | None = None


class ConsolidateRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What was captured, to be looked through; with `apply`, what is worth keeping is written."""

    apply: bool = False
    idle_minutes: int = 0
    owner: str = ""
    now: str | None = None


class DecisionRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """One item of the queue."""

    item_id: str
    now: str | None = None


class EditRequest(DecisionRequest, kw_only=True, forbid_unknown_fields=True):
    """One item of the queue and its new words."""

    text: str


class UndoRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """An applied write, by the id of its change; `last` is the newest."""

    change_id: str
    now: str | None = None


class AuditRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What was written since a time, newest first."""

    since: str = ""
    at_most: int = 20
    now: str | None = None


class SyncRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """Whether a suspicious loss is meant, and whether anything is to be changed."""

    force: bool = False
    dry_run: bool = False
