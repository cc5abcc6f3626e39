"""The documented JSON shapes of answers that are more than one noun, as every face gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.shapes import change_json, problem_json, receipt_json, record_json

if TYPE_CHECKING:
    from commonplace.capture import Kept
    from commonplace.model import EntityView, Health, Made, Receipt, Record, View
    from commonplace.shapes import Json
    from commonplace.sync import Synced


def init_json(made: Made) -> Json:
    """`commonplace.init.v1`."""
    return {"schema": "commonplace.init.v1", "workspace": made.root, "created": list(made.created)}


def kept_json(kept: Kept) -> Json:
    """`commonplace.kept.v1`; the record is null for a text that asked not to be kept."""
    return {
        "schema": "commonplace.kept.v1",
        "capture": kept.capture_id,
        "redacted": list(kept.redacted),
        "record": record_json(kept.record) if kept.record else None,
        "findable": {"asked": kept.asked, "rank": kept.rank} if kept.asked else None,
    }


def why_json(receipt: Receipt, record_id: str | None) -> Json:
    """`commonplace.receipt.v1`, of one record only where it is named."""
    shape = receipt_json(receipt)
    if record_id is None:
        return shape
    return shape | {"considered": [one for one in shape["considered"] if one["id"] == record_id]}


def view_json(view: View, citation: str = "") -> Json:
    """`commonplace.view.v1`; with a citation that lasts, if one was asked for, and what an anchored one means today."""
    from commonplace.recall.citations import Resolved

    resolved = (
        {"status": view.status, "note": view.note, "difference": view.difference, "also": list(view.also)}
        if isinstance(view, Resolved)
        else None
    )
    return {
        "schema": "commonplace.view.v1",
        "path": view.path,
        "line_start": view.line_start,
        "line_end": view.line_end,
        "text": view.text,
        "records": [record_json(record) for record in view.records],
        **({"citation": citation} if citation else {}),
        **({"resolved": resolved} if resolved else {}),
    }


def entity_json(view: EntityView) -> Json:
    """`commonplace.entity.v1`."""
    return {
        "schema": "commonplace.entity.v1",
        "name": view.name,
        "page": [record_json(record) for record in view.page],
        "mentions": [record_json(record) for record in view.mentions],
    }


def entities_json(entities: tuple[tuple[str, int], ...]) -> Json:
    """`commonplace.entities.v1`."""
    named = [{"name": name, "records": number} for name, number in entities]
    return {"schema": "commonplace.entities.v1", "entities": named}


def timeline_json(records: tuple[Record, ...]) -> Json:
    """`commonplace.timeline.v1`."""
    return {"schema": "commonplace.timeline.v1", "records": [record_json(record) for record in records]}


def changes_json(synced: Synced) -> Json:
    """`commonplace.changes.v1`."""
    return {
        "schema": "commonplace.changes.v1",
        "changes": [change_json(change) for change in synced.changes],
        "files": synced.files,
        "records": synced.records,
        "problems": [problem_json(problem) for problem in synced.problems],
    }


def status_json(status: dict[str, str | int]) -> Json:
    """`commonplace.status.v1`."""
    return {"schema": "commonplace.status.v1", **status}


def health_json(health: Health) -> Json:
    """`commonplace.health.v1`."""
    problems = [problem_json(problem) for problem in health.problems]
    return {"schema": "commonplace.health.v1", "checks": list(health.checks), "problems": problems}
