"""The answers of operations and commands, as the documented JSON shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import to_builtins

from commonplace import capture
from commonplace.language.text import sanitize_line
from commonplace.model import Receipt, View, is_cited_as
from commonplace.retrieval import pack, recall
from commonplace.shapes import Json, hits_json, pack_json, pick_fields, receipt_json
from commonplace.upkeep import consolidate, forget, sessions, skills

MET_FIELDS = (
    "id:record.id text:record.text time:record.time citation:record.source.location"
    " effect reason old:old_value new:new_value pending"
)
FACT_FIELDS = (
    "subject key value scope trust since until end ended_by holds one:is_single_valued support"
    " sources(id citation:source.location text time recorded trust from:sources)"
)
SPOT_FIELDS = "path line store commit kind placeholder"
SECRET_FIELDS = f"kind placeholder vendor rotate:url places:locations({SPOT_FIELDS})"
LEFT_FIELDS = " ".join(f"{name}:location.{name}" for name in SPOT_FIELDS.split()) + " hint"
SCAN_FIELDS = "folders files bytes remaining(path view line) unread"
SCRUB_FIELDS = (
    f"applied replaced(path secrets:secret_count diff) left({LEFT_FIELDS}) secrets({SECRET_FIELDS}) commands notes"
)
IMPORT_FIELDS = (
    "system applied kinds:tally.kinds trusts:tally.trusts people:tally.people scopes:tally.scopes first:tally.first"
    " last:tally.last undated:tally.undated captured:ingest_result.captured known:ingest_result.known"
    " skipped:ingest_result.skipped forgotten:ingest_result.forgotten passed_over:tally.passed_over"
    " set_aside:ingest_result.set_aside examples:ingest_result.examples(part offset line reason)"
    " kept_in:ingest_result.kept_in masked:tally.masked redacted:ingest_result.redacted"
    " samples:tally.samples(kind day trust text)"
)
ENTRY_LINE_FIELDS = "line:record(id text trust scope citation:source.location) changed:is_changed before named(id text)"
OUTCOME_FIELDS = "included rank score tokens reason"
STAGE_FIELDS = "name passed says filter reasons beside(id:record_id citation rank score reasons)"
ITEM_FIELDS = "id text category reason why entity trust scope against"
PENDING_FIELDS = " ".join(f"{name}:item.{name}" for name in ITEM_FIELDS.split()) + (
    " from:item.sources evidence(id text time trust) contradicts(id text time trust citation:source.citation) citation"
)
FORGETTING_FIELDS = (
    "id ts by_erasing:is_erased records shown_again manifest files:changed(path kind bytes) tombstones commands"
    f" scan({SCAN_FIELDS})"
)
IMPACT_PACK_FIELDS = "receipt:receipt_id ts session automatic lines(id:record_id role citation reason tokens score)"
DIFFERENCE_FIELDS = (
    f"id:record_id citation change before({OUTCOME_FIELDS}) after({OUTCOME_FIELDS}) parts(name before after)"
)


def answer_json(answer_name: str, value: Any, **more: Any) -> Json:
    """`commonplace.ANSWER_NAME.v1` of a value; `more` is what only the caller knows of it."""
    serialize = ANSWERS[answer_name]
    fields = {**more, **pick_fields(value, serialize)} if isinstance(serialize, str) else serialize(value, **more)
    return {"schema": f"commonplace.{answer_name}.v1", **fields}


def _retained_json(retain_result: capture.RetainResult) -> Json:
    """The record is null if the text was not stored because it asked for that."""
    met = [pick_fields(one, MET_FIELDS) for one in retain_result.met]
    return {
        **pick_fields(retain_result, "capture:capture_id redacted record"),
        "findable": pick_fields(retain_result, "asked rank") if retain_result.asked else None,
        "replaces": [one for one in met if one["effect"] == "replaces"],
        "met": [one for one in met if one["effect"] != "replaces"],
    }


def _why_json(receipt: Receipt, record_id: str | None = None, entry_lines: Iterable[pack.EntryLine] = ()) -> Json:
    """The receipt, of one record only where it is named; with the lines of its entries if they are given."""
    shape = receipt_json(receipt)
    for entry, line in zip(shape["considered"], entry_lines, strict=False):
        entry.update(pick_fields(line, ENTRY_LINE_FIELDS))
    return shape | {
        "considered": [one for one in shape["considered"] if record_id is None or is_cited_as(one["id"], record_id)]
    }


def _view_json(view: View, citation: str = "") -> Json:
    """With a lasting citation, if requested, and the current location of an anchored one."""
    shape = pick_fields(view, "path line_start line_end text records")
    if citation:
        shape["citation"] = citation
    if isinstance(view, recall.ResolvedCitation):
        shape["resolved"] = pick_fields(view, "status note difference also")
    return shape


def _why_not_json(report: recall.WhyNot, describe: Callable[[recall.Counterfactual], str] | None = None) -> Json:
    """With each change as the command line takes it, if the caller can say that."""
    return {
        **pick_fields(report, "query reference"),
        "id": report.record.id if report.record else "",
        "citation": report.record.source.location if report.record else "",
        **pick_fields(report, f"rank lost_at stages({STAGE_FIELDS})"),
        "changes": [
            ({"change": describe(change)} if describe else {}) | pick_fields(change, "arguments word rank")
            for change in report.changes
        ],
        "notes": list(report.notes),
    }


def _ingested_json(sources: list[tuple[str, capture.IngestResult]]) -> Json:
    fields = "captured known skipped forgotten blank set_aside examples(offset line reason) kept_in redacted"
    return {"sources": [{"source": sanitize_line(path), **pick_fields(one, fields)} for path, one in sources]}


def _consolidated_json(
    run: consolidate.ConsolidationRun,
    *,
    findability: tuple[consolidate.FindabilityResult, ...],
    notes: tuple[str, ...],
    applied: bool,
) -> Json:
    fields = "id text category trust path:destination.path from:sources supersedes valid_to importance"
    return {
        "applied": applied,
        "captures": sum(plan.capture_count for plan in run.plans),
        "episodes": [pick_fields(episode, "path title summary") for plan in run.plans for episode in plan.episodes],
        "kept": [pick_fields(claim, fields) for plan in run.plans for claim in plan.lines],
        "pending": [pick_fields(item, "id text reason why") for plan in run.plans for item in plan.pending],
        **pick_fields(run, "skipped changes procedures:learned.pages drafts:learned.drafts"),
        "findability": [pick_fields(result, "id asked rank") for result in findability],
        "steps": [
            pick_fields(one, "step session model cached:is_cached result rules refused")
            for plan in run.plans
            for one in plan.steps
        ],
        "notes": [*notes, *run.notes, *(one.warning for one in findability if one.warning)],
    }


def _session_json(session: sessions.SessionState) -> Json:
    working = session.working
    return {
        **pick_fields(working, "session started updated goal plan(text done) skill"),
        "facts": [{"name": name, "value": fact.text, "trust": fact.trust} for name, fact in working.facts.items()],
        **pick_fields(session, "observations:working.observations(text trust) notes"),
    }


def _skills_json(library: skills.SkillLibrary) -> Json:
    records = library.track_records
    skills = [answer_json("skill", one, track_record=records.get(one.procedure)) for one in library.skills]
    return {"skills": skills, **pick_fields(library, "problems")}


def _skill_json(skill: skills.Skill, track_record: skills.TrackRecord | None) -> Json:
    """`standing` is null for a skill that was not learned from a procedure."""
    standing = "successes failures quality degradation last_success last_failure failed:recent_failures"
    return {
        **pick_fields(skill, "name path status edited:was_edited goal triggers"),
        "parameters": [
            {"name": name, **pick_fields(need, "type optional default")} for name, need in skill.preconditions.items()
        ],
        "steps": _steps_json(skill.steps),
        "procedure": skill.procedure,
        "standing": pick_fields(track_record, f"{standing}(at reason exit_code)") if track_record else None,
    }


def _dry_run_json(dry_run: skills.SkillDryRun) -> Json:
    return {"skill": dry_run.skill, "steps": _steps_json(dry_run.steps), "missing": list(dry_run.missing)}


def _steps_json(steps: Iterable[tuple[str, str]]) -> list[Json]:
    return [{"tool": tool, "input": text} for tool, text in steps]


def _imported_json(import_result: capture.ImportResult, path: str) -> Json:
    shape = {"source": sanitize_line(path), **pick_fields(import_result, IMPORT_FIELDS)}
    for example in shape["examples"]:
        example["part"] = sanitize_line(example["part"])
    return shape


def _forgotten_json(result: forget.ForgetResult) -> Json:
    """Without the texts where they were erased: nobody may keep them by mistake."""
    manifest = result.manifest
    return {
        **pick_fields(result, "id applied:is_applied files(path kind bytes lines texts) pending"),
        "similar": [pick_fields(one, "id citation:source.citation text") for one in result.similar],
        "selected": [
            {
                "id": one.record.id,
                "citation": one.record.source.citation,
                "reason": one.reason,
                "text": "" if manifest else one.shown.text,
            }
            for one in result.selected
        ],
        "manifest": manifest.path if manifest else "",
        "scan": pick_fields(manifest.scan, SCAN_FIELDS) if manifest and manifest.scan else None,
        "commands": list(manifest.commands) if manifest else [],
    }


def _receipts_diff_json(compared: pack.ReceiptComparison) -> Json:
    return {
        "before": _receipt_head_json(compared.before),
        "after": _receipt_head_json(compared.after),
        **pick_fields(compared, f"same_question unchanged differences({DIFFERENCE_FIELDS})"),
    }


def _replay_json(replay: pack.ReceiptReplay) -> Json:
    return {
        **pick_fields(replay, "same_pack same_files causes(kind subject outcome) left_out_differ"),
        **_receipts_diff_json(replay.comparison),
    }


def _receipt_head_json(receipt: Receipt) -> Json:
    return {
        **pick_fields(receipt, "id ts scope tokens budget_tokens"),
        "included": sum(entry.included for entry in receipt.considered),
        "considered": len(receipt.considered),
    }


def _listed_receipt_json(receipt: Receipt) -> Json:
    basis = receipt.basis
    reader = {"session": basis.session if basis else "", "automatic": bool(basis and basis.automatic)}
    first = next((entry.record_id for entry in receipt.considered if entry.included and entry.reasons), "")
    return {**_receipt_head_json(receipt), **pick_fields(receipt, "query timings_ms"), **reader, "first": first}


ANSWERS: dict[str, str | Callable[..., Json]] = {  # by shape: the fields of the value, or what makes them
    "activity": "days(day captures lines) last_day now",
    "audit": "writes:.(change:change_id ts path before after by trust from:sources act undone:is_undone)",
    "backup": "folder snapshot files bytes stored_objects stored_bytes left_out(path reason) unsettled",
    "changes": "changes files records problems",
    "consolidated": _consolidated_json,
    "order": "id session task turns(id speaker time text) known_lines(id text) answer_schema",
    "correction": "capture:capture_id redacted sessions expires",
    "decided": "id:item.id text:item.text path changes",
    "drill": "entrances:.(entrance held_back marked unmarked)",
    "dry-run": _dry_run_json,
    "embedded": "model dimensions added dropped texts",
    "entities": lambda entities: {"entities": [{"name": name, "records": number} for name, number in entities]},
    "edited": "path change:change_id redacted",
    "entity": "name page mentions unlinked",
    "export-diff": "differences:.(change path id)",
    "exported": "path filters files(path sha256 size) records captures",
    "facts": f"name as_of known_at facts({FACT_FIELDS}) unread",
    "facts-lint": "faults:.(code subject key message records:record_ids citations)",
    "file": "path title digest lines:line_count line_start:view.line_start line_end:view.line_end text:view.text"
    " hidden records:view.records problems",
    "files": "files:.(path title role records size problems)",
    "forget-scan": SCAN_FIELDS,
    "forgotten": _forgotten_json,
    "forgettings": f"forgettings:.({FORGETTING_FIELDS})",
    "health": "checks problems",
    "hits": hits_json,
    "impact": (
        f"reference records packs({IMPACT_PACK_FIELDS}) left_out sessions(session first last packs)"
        " derived(steps record) events(id ts op) problems"
    ),
    "imported": _imported_json,
    "ingested": _ingested_json,
    "init": "workspace:root created",
    "kept": _retained_json,
    "learnings": "learnings:.(text times citations)",
    "pack": pack_json,
    "pending": f"items({PENDING_FIELDS}) total",
    "prompt": to_builtins,
    "receipt": _why_json,
    "receipts": lambda receipts: {"receipts": [_listed_receipt_json(one) for one in receipts]},
    "receipts-diff": _receipts_diff_json,
    "replay": _replay_json,
    "related": "name related(name lines)",
    "resume": "text tokens budget_tokens parts(name citation lines shown withheld) notes",
    "restored": "workspace snapshot time files bytes notes",
    "rotated": "path lines notes",
    "merge": "path original applied diff questions change:change_id",
    "scrub": SCRUB_FIELDS,
    "search": "text kinds categories entities tags paths phrases since until",
    "secrets": f"secrets({SECRET_FIELDS}) looked_at:.(files bytes objects:blobs) notes",
    "session": _session_json,
    "sessions": "sessions:.(session goal updated)",
    "skill": _skill_json,
    "skill-matches": "matches:.(name:skill.name path:skill.path score reasons)",
    "settings": "settings:.(key type purpose value default source main:is_main)",
    "skills": _skills_json,
    "status": dict,
    "tags": "tags:.(tag:name records paths)",
    "taken": "outcome capture:id redacted",
    "timeline": "records:.",
    "tool": to_builtins,
    "turn": to_builtins,
    "undone": "path:.",
    "unit": "kind path text",
    "verified": "folder snapshots objects bytes problems",
    "view": _view_json,
    "why-not": _why_not_json,
}
