"""The answers of operations and commands, as the documented JSON shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.language.text import sanitize_line
from commonplace.shapes import (
    change_json,
    pick_fields,
    problem_json,
    reasons_json,
    receipt_json,
    record_json,
    shape_json,
)

if TYPE_CHECKING:
    from commonplace.capture import CaptureResult, ImportResult, IngestResult, MetLine, RetainResult
    from commonplace.model import EntityView, Health, InitResult, Receipt, Record, View
    from commonplace.retrieval.pack import ReceiptComparison, RecordDifference
    from commonplace.shapes import Json
    from commonplace.sync import SyncResult
    from commonplace.truth import FactFault, SubjectFacts
    from commonplace.upkeep.consolidate import ConsolidationRun, FindabilityResult, ReviewItem
    from commonplace.upkeep.review import AuditedWrite, ReviewDecision
    from commonplace.upkeep.scrub import ScanResult, ScrubResult, Secret, SecretLocation
    from commonplace.upkeep.sessions import ResumeContext, RotationResult, SessionState, WorkingMemory
    from commonplace.upkeep.skills import Skill, SkillDryRun, SkillLibrary, SkillMatch, TrackRecord


def init_json(created: InitResult) -> Json:
    """`commonplace.init.v1`."""
    return shape_json("init", created, "workspace:root created")


def retained_json(retain_result: RetainResult) -> Json:
    """`commonplace.kept.v1`; the record is null if the text was not stored because it asked for that."""
    record = record_json(retain_result.record) if retain_result.record else None
    findable = pick_fields(retain_result, "asked rank") if retain_result.asked else None
    met = [_met_line_json(one) for one in retain_result.met if one.effect != "replaces"]
    replaces = [_met_line_json(one) for one in retain_result.met if one.effect == "replaces"]
    fields = "capture:capture_id redacted"
    return shape_json("kept", retain_result, fields, record=record, findable=findable, replaces=replaces, met=met)


def _met_line_json(met: MetLine) -> Json:
    """A known line that a stored one replaced or met."""
    line = {**pick_fields(met.record, "id text time"), "citation": met.record.source.citation}
    return line | pick_fields(met, "effect reason old:old_value new:new_value pending")


def why_json(receipt: Receipt, record_id: str | None) -> Json:
    """`commonplace.receipt.v1`, of one record only where it is named."""
    shape = receipt_json(receipt)
    if record_id is None:
        return shape
    return shape | {"considered": [one for one in shape["considered"] if one["id"] == record_id]}


def view_json(view: View, citation: str = "") -> Json:
    """`commonplace.view.v1`; with a lasting citation, if requested, and the current location of an anchored one."""
    from commonplace.retrieval.recall import ResolvedCitation

    records = [record_json(record) for record in view.records]
    shape = shape_json("view", view, "path line_start line_end text", records=records)
    if citation:
        shape["citation"] = citation
    if isinstance(view, ResolvedCitation):
        shape["resolved"] = pick_fields(view, "status note difference also")
    return shape


def entity_json(view: EntityView) -> Json:
    """`commonplace.entity.v1`."""
    page, mentions = map(record_json, view.page), map(record_json, view.mentions)
    return shape_json("entity", view, "name", page=list(page), mentions=list(mentions))


def entities_json(entities: tuple[tuple[str, int], ...]) -> Json:
    """`commonplace.entities.v1`."""
    named = [{"name": name, "records": number} for name, number in entities]
    return {"schema": "commonplace.entities.v1", "entities": named}


def facts_json(subject: SubjectFacts) -> Json:
    """`commonplace.facts.v1`."""
    fields = "subject key value scope trust since until end ended_by one:is_single_valued support"
    facts = [
        pick_fields(fact, fields)
        | {"sources": [pick_fields(one, "id citation text time recorded trust from:sources") for one in fact.sources]}
        for fact in subject.facts
    ]
    return shape_json("facts", subject, "name as_of known_at", facts=facts)


def facts_lint_json(faults: tuple[FactFault, ...]) -> Json:
    """`commonplace.facts-lint.v1`."""
    found = [pick_fields(fault, "code subject key message records citations") for fault in faults]
    return {"schema": "commonplace.facts-lint.v1", "faults": found}


def timeline_json(records: tuple[Record, ...]) -> Json:
    """`commonplace.timeline.v1`."""
    return {"schema": "commonplace.timeline.v1", "records": [record_json(record) for record in records]}


def changes_json(sync_result: SyncResult) -> Json:
    """`commonplace.changes.v1`."""
    return {
        "schema": "commonplace.changes.v1",
        "changes": [change_json(change) for change in sync_result.changes],
        **pick_fields(sync_result, "files records"),
        "problems": [problem_json(problem) for problem in sync_result.problems],
    }


def status_json(status: dict[str, str | int]) -> Json:
    """`commonplace.status.v1`."""
    return {"schema": "commonplace.status.v1", **status}


def health_json(health: Health) -> Json:
    """`commonplace.health.v1`."""
    return shape_json("health", health, "checks", problems=list(map(problem_json, health.problems)))


def captured_json(capture_result: CaptureResult) -> Json:
    """`commonplace.taken.v1`."""
    return shape_json("taken", capture_result, "outcome capture:id redacted")


def ingested_json(path: str, ingest_result: IngestResult) -> Json:
    """One source of `commonplace.ingested.v1`."""
    return {
        "source": sanitize_line(path),
        **pick_fields(ingest_result, "captured known skipped blank set_aside"),
        "examples": [pick_fields(example, "offset line reason") for example in ingest_result.examples],
        **pick_fields(ingest_result, "kept_in redacted"),
    }


def consolidated_json(
    run: ConsolidationRun, findability: tuple[FindabilityResult, ...], notes: tuple[str, ...], *, applied: bool
) -> Json:
    """`commonplace.consolidated.v1`."""
    plans = run.plans
    return {
        "schema": "commonplace.consolidated.v1",
        "applied": applied,
        "captures": sum(plan.capture_count for plan in plans),
        "episodes": [pick_fields(episode, "path summary") for plan in plans for episode in plan.episodes],
        "kept": [
            pick_fields(claim, "id text category trust")
            | {"path": claim.destination.path}
            | pick_fields(claim, "from:sources supersedes valid_to importance")
            for plan in plans
            for claim in plan.lines
        ],
        "pending": [pick_fields(item, "id text reason why") for plan in plans for item in plan.pending],
        **pick_fields(run, "skipped changes"),
        **pick_fields(run.learned, "procedures:pages drafts"),
        "findability": [pick_fields(result, "id asked rank") for result in findability],
        "notes": [*notes, *(one.warning for one in findability if one.warning)],
    }


def pending_item_json(item: ReviewItem, evidence: tuple[Record, ...]) -> Json:
    """One item of `commonplace.pending.v1`."""
    return {
        **pick_fields(item, "id text category reason why entity trust scope from:sources"),
        "evidence": [pick_fields(record, "id text time trust") for record in evidence],
        "against": list(item.against),
        "citation": item.record.source.citation if item.record else "",
    }


def decided_json(action: str, decision: ReviewDecision) -> Json:
    """`commonplace.decided.v1`."""
    return {
        "schema": "commonplace.decided.v1",
        "deed": action,
        **pick_fields(decision.item, "id text"),
        **pick_fields(decision, "path changes"),
    }


def resume_json(resumed: ResumeContext) -> Json:
    """`commonplace.resume.v1`."""
    parts = [pick_fields(part, "name citation lines shown withheld") for part in resumed.parts]
    return shape_json("resume", resumed, "text tokens budget_tokens", parts=parts, notes=list(resumed.notes))


def pending_json(items: tuple[tuple[ReviewItem, tuple[Record, ...]], ...]) -> Json:
    """`commonplace.pending.v1`: each item with what was said where it comes from."""
    return {"schema": "commonplace.pending.v1", "items": [pending_item_json(*item) for item in items]}


def audit_json(writes: tuple[AuditedWrite, ...]) -> Json:
    """`commonplace.audit.v1`."""
    fields = "change:change_id ts path before after by trust from:sources"
    return {"schema": "commonplace.audit.v1", "writes": [pick_fields(write, fields) for write in writes]}


def undone_json(change: str, path: str) -> Json:
    """`commonplace.undone.v1`."""
    return {"schema": "commonplace.undone.v1", "change": change, "path": path}


def ingest_sources_json(sources: list[tuple[str, IngestResult]]) -> Json:
    """`commonplace.ingested.v1`: what became of each source."""
    return {"schema": "commonplace.ingested.v1", "sources": [ingested_json(*one) for one in sources]}


def session_json(session: SessionState) -> Json:
    """`commonplace.session.v1`."""
    return {"schema": "commonplace.session.v1", **_working_memory_json(session.working), "notes": list(session.notes)}


def sessions_json(sessions: tuple[WorkingMemory, ...]) -> Json:
    """`commonplace.sessions.v1`."""
    named = [pick_fields(working, "session goal updated") for working in sessions]
    return {"schema": "commonplace.sessions.v1", "sessions": named}


def rotated_json(rotation: RotationResult) -> Json:
    """`commonplace.rotated.v1`."""
    return shape_json("rotated", rotation, "path lines notes")


def _working_memory_json(working: WorkingMemory) -> Json:
    return {
        **pick_fields(working, "session started updated goal"),
        "plan": [pick_fields(step, "text done") for step in working.plan],
        "skill": working.skill,
        "facts": [{"name": name, "value": fact.text, "trust": fact.trust} for name, fact in working.facts.items()],
        "observations": [pick_fields(observation, "text trust") for observation in working.observations],
    }


def skills_json(library: SkillLibrary) -> Json:
    """`commonplace.skills.v1`."""
    return {
        "schema": "commonplace.skills.v1",
        "skills": [skill_json(skill, library.track_record_of(skill)) for skill in library.skills],
        "problems": [problem_json(problem) for problem in library.problems],
    }


def skill_json(skill: Skill, track_record: TrackRecord | None) -> Json:
    """`commonplace.skill.v1`; `standing` is null for a skill that was not learned from a procedure."""
    needs, standing = skill.preconditions.items(), None
    if track_record is not None:
        standing = pick_fields(track_record, "successes failures quality degradation last_success last_failure")
        standing["failed"] = [pick_fields(one, "at reason exit_code") for one in track_record.recent_failures]
    return {
        "schema": "commonplace.skill.v1",
        **pick_fields(skill, "name path status edited:was_edited goal triggers"),
        "parameters": [{"name": name, **pick_fields(need, "type optional default")} for name, need in needs],
        "steps": [{"tool": tool, "input": text} for tool, text in skill.steps],
        "procedure": skill.procedure,
        "standing": standing,
    }


def skill_matches_json(request_text: str, matches: tuple[SkillMatch, ...]) -> Json:
    """`commonplace.skill-matches.v1`."""
    return {
        "schema": "commonplace.skill-matches.v1",
        "query": request_text,
        "matches": [
            {**pick_fields(match.skill, "name path"), "score": match.score, "reasons": reasons_json(match.reasons)}
            for match in matches
        ],
    }


def dry_run_json(dry_run: SkillDryRun) -> Json:
    """`commonplace.dry-run.v1`."""
    steps = [{"tool": tool, "input": text} for tool, text in dry_run.steps]
    return shape_json("dry-run", dry_run, "skill", steps=steps, missing=list(dry_run.missing))


def imported_json(path: str, import_result: ImportResult) -> Json:
    """`commonplace.imported.v1`."""
    tally, outcome = import_result.tally, import_result.ingest_result
    return {
        "schema": "commonplace.imported.v1",
        "source": sanitize_line(path),
        **pick_fields(import_result, "system applied"),
        **pick_fields(tally, "kinds trusts people scopes first last undated"),
        **pick_fields(outcome, "captured known skipped"),
        "passed_over": tally.passed_over,
        "set_aside": outcome.set_aside,
        "examples": [
            {"part": sanitize_line(example.part), **pick_fields(example, "offset line reason")}
            for example in outcome.examples
        ],
        "kept_in": outcome.kept_in,
        "masked": tally.masked,
        "redacted": list(outcome.redacted),
        "samples": [pick_fields(sample, "kind day trust text") for sample in tally.samples],
    }


def scan_json(scan_result: ScanResult) -> Json:
    """`commonplace.secrets.v1`."""
    return {
        "schema": "commonplace.secrets.v1",
        "secrets": [_secret_json(secret) for secret in scan_result.secrets],
        "looked_at": pick_fields(scan_result, "files bytes objects:blobs"),
        "notes": list(scan_result.notes),
    }


def scrub_json(scrub_result: ScrubResult) -> Json:
    """`commonplace.scrub.v1`."""
    return {
        "schema": "commonplace.scrub.v1",
        "applied": scrub_result.applied,
        "replaced": [
            {"path": one.path, "secrets": one.secret_count, "diff": one.diff} for one in scrub_result.replaced
        ],
        "left": [_spot_json(one.location) | {"hint": one.hint} for one in scrub_result.left],
        "secrets": [_secret_json(secret) for secret in scrub_result.secrets],
        **pick_fields(scrub_result, "commands notes"),
    }


def _secret_json(secret: Secret) -> Json:
    places = [_spot_json(location) for location in secret.locations]
    return {**pick_fields(secret, "kind placeholder vendor rotate:url"), "places": places}


def _spot_json(location: SecretLocation) -> Json:
    return pick_fields(location, "path line store commit kind placeholder")


def receipts_diff_json(compared: ReceiptComparison) -> Json:
    """`commonplace.receipts-diff.v1`."""
    return {
        "schema": "commonplace.receipts-diff.v1",
        "before": _receipt_head_json(compared.before),
        "after": _receipt_head_json(compared.after),
        **pick_fields(compared, "same_question unchanged"),
        "differences": [_record_difference_json(difference) for difference in compared.differences],
    }


def _receipt_head_json(receipt: Receipt) -> Json:
    return {
        **pick_fields(receipt, "id ts scope tokens budget_tokens"),
        "included": sum(entry.included for entry in receipt.considered),
        "considered": len(receipt.considered),
    }


def _record_difference_json(difference: RecordDifference) -> Json:
    fields = "included rank score tokens reason"
    return {
        **pick_fields(difference, "id:record_id citation change"),
        "before": pick_fields(difference.before, fields),
        "after": pick_fields(difference.after, fields),
        "parts": [pick_fields(part, "name before after") for part in difference.parts],
    }
