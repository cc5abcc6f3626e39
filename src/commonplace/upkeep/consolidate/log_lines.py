"""Propose for the core the standing instructions in what was written into logs by hand, which stays where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import structs

from commonplace.capture import TextMasker, WriteContext
from commonplace.extract.rules import is_standing_instruction
from commonplace.index import Index
from commonplace.language.text import sanitize_line, split_sentences
from commonplace.lazy import lazy_pattern
from commonplace.model import Form, Record
from commonplace.storage import files
from commonplace.storage.workspace import path_date, path_role
from commonplace.upkeep.consolidate import file_edits
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, words_key
from commonplace.upkeep.consolidate.duplicates import find_duplicate
from commonplace.upkeep.consolidate.existing_records import ExistingRecords
from commonplace.upkeep.consolidate.history import LedgerHistory
from commonplace.upkeep.consolidate.planning import ConsolidationPlan, PlanningContext

MAX_OPEN_PROPOSALS = 20  # while so many wait for a decision, no other log is read
LINE_FORMS: tuple[Form, ...] = ("item", "paragraph", "retain", "row", "dialogue")
MAX_LINE_SENTENCES = 12  # of a line; a longer one is a document that was pasted
MAX_SENTENCE_CHARS = 300  # characters of a sentence that is proposed
ID_CHARS = 14
# `14:30 `, `**14:30** – `, `[14:30] `
_TIME_OF_DAY = lazy_pattern(r"\A[*_\[(]{0,3}\d\d?:\d\d(?::\d\d)?[*_\])]{0,3}(?:\s*[-–—:])?\s+")


def find_unread_logs(index: Index, history: LedgerHistory) -> dict[str, str]:
    """The paths of the logs that no earlier run read as they are now, the newest first, and their digests."""
    found = {path: row.digest for path, row in index.files().items() if row.digest not in history.consolidated}
    logs = [path for path in found.keys() - index.conflicted_paths() if path_role(path) == "log"]
    return {path: found[path] for path in sorted(logs, key=lambda path: (path_date(path), path), reverse=True)}


def plan_log_lines(
    logs: Mapping[str, str], index: Index, write_context: WriteContext, planning_context: PlanningContext
) -> tuple[ConsolidationPlan, tuple[str, ...]]:
    """The plan to propose what is in these logs, and the digests and ids of what needs no reading any more. The id of a
    proposal is made of its words, so that it is made once; a sentence with a secret is not copied."""
    existing, masker = planning_context.existing, TextMasker(write_context.root, write_context.exact)
    waiting = [item for item in planning_context.queued_items if item.reason == "proposal"]
    read_ids, read_digests = set[str](), list[str]()
    proposed, skipped = list[ClaimRecord](), list[ClaimRecord]()
    for path, digest in logs.items():
        if len(waiting) + len(proposed) >= MAX_OPEN_PROPOSALS:
            break
        read_digests.append(digest)
        rows = index.fetch(index.rows_of_file(path)).values()
        for claim in (claim for row in rows for claim in _read_standing_sentences(row.record, existing)):
            is_new = claim.id not in planning_context.history.consolidated and claim.id not in read_ids
            read_ids.add(claim.id)
            reason, duplicate = _find_objection(claim, planning_context) if is_new else ("", "")
            if reason:
                skipped.append(structs.replace(claim, reason=reason, duplicate_of=duplicate, sources=()))
            elif is_new and masker.redact(claim.text).text == claim.text:
                proposed.append(claim)
                existing.add(claim)  # so that other words for it are not proposed too
    is_whole = len(read_digests) == len(logs)  # else the words of an item may be in a log that was not read
    gone = [item for item in waiting if item.id not in read_ids and not any(map(index.find, item.sources))]
    why, core = "a standing instruction in {}, for {}", file_edits.CORE_DESTINATION.path
    made = [file_edits.make_review_item(one, "proposal", why.format(one.path, core)) for one in proposed]
    plan = ConsolidationPlan(pending=tuple(made), skipped=tuple(skipped), settled=tuple(gone if is_whole else ()))
    return plan, (*read_digests, *(claim.id for claim in skipped))


def _read_standing_sentences(record: Record, existing: ExistingRecords) -> Iterator[ClaimRecord]:
    """The standing instructions in a line, if it was written by hand, is trusted and the owner's, and holds."""
    is_by_hand = record.form in LINE_FORMS and not record.annotated
    is_over = record.superseded_by or record.text.startswith(file_edits.STRIKETHROUGH)
    if not is_by_hand or record.trust != "trusted" or is_over:
        return
    text = _TIME_OF_DAY.sub("", file_edits.strip_line_decoration(record), count=1)
    sentences = split_sentences(text.removeprefix(record.speaker).lstrip(":： ") if record.speaker else text)
    names = existing.vocabulary.names
    owner = {names.resolve(names.speaker_name(role)) for role in ("owner", "user")}
    is_owners = not record.speaker or names.resolve(names.speaker_name(record.speaker)) in owner
    if len(sentences) >= MAX_LINE_SENTENCES or not is_owners:
        return
    for sentence in map(sanitize_line, sentences):
        if len(sentence) <= MAX_SENTENCE_CHARS and is_standing_instruction(sentence):
            digest = files.text_digest(f"{words_key(sentence)} {record.scope}")
            claim = structs.replace(existing.to_claim(record), id=f"s{digest[:ID_CHARS]}", text=sentence)
            # The date above a line is nobody whom it is about.
            yield structs.replace(claim, entities=record.entities, sources=(record.id,), statements=())


def _find_objection(claim: ClaimRecord, planning_context: PlanningContext) -> tuple[str, str]:
    """Why a sentence is not proposed, a key of SKIP_REASON_SENTENCES, and the id of the record that says the same."""
    existing, words = planning_context.existing, words_key(claim.text)
    if words in planning_context.history.rejected_words:
        return "rejected", ""
    if existing.is_copied_from_untrusted(claim.text):
        return "taken", ""
    if any(words_key(item.text) == words for item in planning_context.queued_items):
        return "waiting", ""
    # Another line of a log keeps none out, unless consolidation wrote it.
    lasting = [one for one in existing.find_similar(claim) if one.sources or path_role(one.path) != "log"]
    same = find_duplicate(claim, lasting)
    return ("known", same) if same else ("", "")
