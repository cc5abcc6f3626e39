"""A draft as a line of Markdown: a Retain bullet in a log, a plain item below its heading elsewhere."""

from __future__ import annotations

from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.routing import Home
from commonplace.model import Record
from commonplace.workspace import parse
from commonplace.workspace.render import one_line, render_annotation, render_retain

Annotation = dict[str, str | float | tuple[str, ...]]


def line_of(draft: Draft, home: Home) -> str:
    """The line as it will stand in its home."""
    annotation = annotation_of(draft, home)
    if home.is_log:
        confidence = draft.confidence if draft.kind == "opinion" else None
        note = f" #routing-note: {home.note}" if home.note else ""
        return render_retain(
            draft.kind, draft.text + note, entities=draft.entities, confidence=confidence, annotation=annotation
        )
    said = f"{draft.time[:10]}, {draft.text}" if draft.category in ("decision", "lesson") else draft.text
    return f"- {one_line(said)} {render_annotation(annotation)}"


def annotation_of(draft: Draft, home: Home) -> Annotation:
    """What the line says about itself."""
    valid = f"{draft.valid_from}..{draft.valid_to}" if draft.valid_from or draft.valid_to else ""
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": draft.id,
        "importance": draft.importance,
        "valid": valid,
        "origin": "" if draft.trust == "trusted" else draft.trust,
        "from": draft.sources,
        "project": draft.scope,
        "supersedes": draft.supersedes,
        "category": draft.category if home.is_log else "",
    }
    return {key: value for key, value in said.items() if value not in (None, "", ())}


def record_of(path: str, home: Home, line: str) -> Record:
    """The record that a line will be, as the parser reads it in its home."""
    return parse(path, f"# -\n\n## {home.heading}\n\n{line}\n".encode()).records[-1]
