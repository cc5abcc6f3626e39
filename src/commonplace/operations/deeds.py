"""The documented JSON shapes of what capture, consolidation and review answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.text import one_line

if TYPE_CHECKING:
    from commonplace.capture import Taken
    from commonplace.capture.intake import Ingested
    from commonplace.consolidate import Findable, Kept, Run
    from commonplace.consolidate.pending import Item
    from commonplace.model import Record
    from commonplace.review.audit import Written
    from commonplace.review.queue import Decided
    from commonplace.sessions import Resumed
    from commonplace.shapes import Json


def taken_json(taken: Taken) -> Json:
    """`commonplace.taken.v1`."""
    return {
        "schema": "commonplace.taken.v1",
        "outcome": taken.outcome,
        "capture": taken.id,
        "redacted": list(taken.redacted),
    }


def ingested_json(path: str, done: Ingested) -> Json:
    """One source of `commonplace.ingested.v1`."""
    return {
        "source": one_line(path),
        "captured": done.captured,
        "known": done.known,
        "skipped": done.skipped,
        "blank": done.blank,
        "set_aside": done.set_aside,
        "examples": [{"offset": it.offset, "line": it.line, "reason": it.reason} for it in done.examples],
        "kept_in": done.kept_in,
        "redacted": list(done.redacted),
    }


def run_json(run: Run, found: tuple[Findable, ...], notes: tuple[str, ...], *, applied: bool) -> Json:
    """`commonplace.consolidated.v1`."""
    plans = run.plans
    return {
        "schema": "commonplace.consolidated.v1",
        "applied": applied,
        "captures": sum(plan.captures for plan in plans),
        "episodes": [{"path": one.path, "summary": one.summary} for plan in plans for one in plan.episodes],
        "kept": [_kept_json(kept) for plan in plans for kept in plan.kept],
        "pending": [
            {"id": item.id, "text": item.text, "reason": item.reason, "why": item.why}
            for plan in plans
            for item in plan.pending
        ],
        "skipped": run.skipped,
        "changes": [change for written in run.written for change in written.changes],
        "procedures": list(run.learned.pages),
        "drafts": list(run.learned.drafts),
        "findability": [{"id": one.id, "asked": one.asked, "rank": one.rank} for one in found],
        "notes": [*notes, *(one.warning for one in found if one.warning)],
    }


def _kept_json(kept: Kept) -> Json:
    draft = kept.draft
    return {
        "id": draft.id,
        "text": draft.text,
        "category": draft.category,
        "trust": draft.trust,
        "path": kept.home.path,
        "from": list(draft.sources),
        "supersedes": list(draft.supersedes),
        "valid_to": draft.valid_to,
        "importance": draft.importance,
    }


def item_json(item: Item, evidence: tuple[Record, ...]) -> Json:
    """One item of `commonplace.pending.v1`."""
    return {
        "id": item.id,
        "text": item.text,
        "category": item.category,
        "reason": item.reason,
        "why": item.why,
        "entity": item.entity,
        "trust": item.trust,
        "scope": item.scope,
        "from": list(item.sources),
        "evidence": [{"id": one.id, "text": one.text, "time": one.time, "trust": one.trust} for one in evidence],
        "against": list(item.against),
        "citation": item.record.source.citation if item.record else "",
    }


def decided_json(deed: str, decided: Decided) -> Json:
    """`commonplace.decided.v1`."""
    return {
        "schema": "commonplace.decided.v1",
        "deed": deed,
        "id": decided.item.id,
        "text": decided.item.text,
        "path": decided.path,
        "changes": list(decided.changes),
    }


def written_json(one: Written) -> Json:
    """One write of `commonplace.audit.v1`."""
    return {
        "change": one.change_id,
        "ts": one.ts,
        "path": one.path,
        "before": one.before,
        "after": one.after,
        "by": list(one.by),
        "trust": list(one.trust),
        "from": list(one.sources),
    }


def resume_json(resumed: Resumed) -> Json:
    """`commonplace.resume.v1`."""
    return {
        "schema": "commonplace.resume.v1",
        "text": resumed.text,
        "tokens": resumed.tokens,
        "budget_tokens": resumed.budget_tokens,
        "parts": [
            {
                "name": part.name,
                "citation": part.citation,
                "lines": part.lines,
                "shown": part.shown,
                "withheld": part.withheld,
            }
            for part in resumed.parts
        ],
        "notes": list(resumed.notes),
    }


def pending_json(items: tuple[tuple[Item, tuple[Record, ...]], ...]) -> Json:
    """`commonplace.pending.v1`: each item with what was said where it comes from."""
    return {"schema": "commonplace.pending.v1", "items": [item_json(item, evidence) for item, evidence in items]}


def audit_json(writes: tuple[Written, ...]) -> Json:
    """`commonplace.audit.v1`."""
    return {"schema": "commonplace.audit.v1", "writes": [written_json(one) for one in writes]}


def undone_json(change: str, path: str) -> Json:
    """`commonplace.undone.v1`."""
    return {"schema": "commonplace.undone.v1", "change": change, "path": path}


def sources_json(sources: list[tuple[str, Ingested]]) -> Json:
    """`commonplace.ingested.v1`: what became of each source."""
    return {"schema": "commonplace.ingested.v1", "sources": [ingested_json(*one) for one in sources]}
