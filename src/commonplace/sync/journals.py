"""Journals to index: captures as evidence, ledger facts, and the shingles of untrusted captures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from msgspec import json, structs

from commonplace.errors import LockBusy, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import Index, IndexEntry, LedgerFacts
from commonplace.language import text
from commonplace.language.text import SHINGLE_MASK, hash_unquoted_shingles
from commonplace.model import ACTORS, TRUSTS, Change, Record, Source, least_trusted
from commonplace.storage.files import content_digest
from commonplace.storage.journal import (
    JOURNAL_REWRITTEN,
    JOURNAL_SHRANK,
    Journal,
    JournalEntry,
    decode_position,
    device_in_file_name,
)
from commonplace.storage.workspace import parse_timestamp
from commonplace.sync.forgotten import cut_hidden, detail_of, is_forgotten_capture, read_artifact
from commonplace.sync.index_entries import make_record_entry
from commonplace.sync.relations import EDITED_OP

if TYPE_CHECKING:
    from commonplace.index import LedgerRelationOp
    from commonplace.language.text import TextSpan
    from commonplace.shapes import Json
    from commonplace.storage.tombstones import Tombstones
    from commonplace.truth import Vocabulary


def tainted_shingles(fields: Json, root: str) -> tuple[int, ...]:
    """The shingles of a capture of which a record must not be made up; none of one that is trusted or an agent's.

    Whether it is evidence does not matter: it was read all the same. Of a long text that was set aside all counts, if
    the capture notes what of it is quoted (`artifact.quoted`); a private one may have its `shingles` alone.
    """
    if fields.get("origin") in ("trusted", "unknown"):
        return ()
    detail = detail_of(fields)
    own = list(hash_unquoted_shingles(str(fields.get("text") or ""), decode_spans(detail.get("quoted"))))
    noted, artifact = detail.get("shingles"), detail.get("artifact")
    if isinstance(noted, list):
        own += [one for one in noted if isinstance(one, int) and 0 <= one <= SHINGLE_MASK]
    if isinstance(artifact, dict) and "quoted" in artifact:
        own += hash_unquoted_shingles(read_artifact(root, detail), decode_spans(artifact["quoted"]))
    return tuple(own)


def decode_spans(json_value: Any) -> list[TextSpan]:
    """The spans of a text, decoded from a journal line; invalid ones are skipped."""
    if not isinstance(json_value, list):
        return []
    pairs = [pair for pair in json_value if isinstance(pair, list) and len(pair) == 2]
    return [(pair[0], pair[1]) for pair in pairs if all(isinstance(place, int) and place >= 0 for place in pair)]


def own_words(capture_text: str, pasted: Any) -> str:
    """A capture without what its owner pasted (`detail.pasted`), with ellipses; empty if no other words are left."""
    parts, end = list[str](), 0
    for start, stop in sorted(decode_spans(pasted)):
        parts += [capture_text[end:start], "… "]
        end = max(end, stop)
    words = "".join([*parts, capture_text[end:]]) if parts else capture_text
    return words if any(map(str.isalnum, words)) else ""


def index_captures(index: Index, journal: Journal, vocabulary: Vocabulary, tombstones: Tombstones) -> None:
    """Index new captures, all if a journal was rewritten; of those that were forgotten only keys and ids."""
    since = index.get_meta("captures")
    if decode_position(since) is None:
        index.drop_captures()
    parts = index.hidden_sentences()
    for reading in journal.read_batches("captures", since):
        if any(problem.code in (JOURNAL_SHRANK, JOURNAL_REWRITTEN) for problem in reading.problems):
            index.set_meta("captures", "")
            return index_captures(index, journal, vocabulary, tombstones)
        lines = reading.entries
        forgotten = {line.fields["id"] for line in lines if is_forgotten_capture(line.fields, journal.root, tombstones)}
        shown = [line for line in lines if line.fields["id"] not in forgotten]
        keys = (key for line in lines for key in (*_ledger_record_ids(line.fields, "keys"), *_unindexed_id(line)))
        index.put_captures(
            tuple(entry for line in shown if (entry := _make_capture_entry(line, vocabulary, parts)) is not None),
            (*keys, *sorted(forgotten)),
        )
        index.put_tainted_shingles(
            {one for journal_entry in reading.entries for one in tainted_shingles(journal_entry.fields, journal.root)}
        )
        index.set_meta("captures", reading.position)
        for problem in reading.problems:
            index.replace_problems(f"captures:{problem.path}#{problem.line}", (problem,))
    return None


def _unindexed_id(line: JournalEntry) -> tuple[str, ...]:
    """The id of a capture that is not evidence, so that its absence does not look as if it had been removed; of an
    untrusted private one also the keys that say that something was read which is no record."""
    fields = line.fields
    if is_indexable_capture(fields):
        return ()
    is_unread = detail_of(fields).get("private") and fields.get("origin") in ("untrusted", "quarantined")
    device = device_in_file_name("captures", line.path.rpartition("/")[2])
    names = (str(fields.get("session") or ""), f"{device} {str(fields['ts'])[:10]}") if is_unread else ()
    return (str(fields.get("id") or ""), *map(unread_key, filter(None, names)))


def unread_key(name: str) -> str:
    """The key that says: in this session, or on this device and day, something untrusted was read, no record."""
    return f"unread {name}"


def is_indexable_capture(fields: Json) -> bool:
    """Whether a capture can be found: it is not private, not in Markdown already, and no mere echo of stored text."""
    is_left_out = any(map(detail_of(fields).get, ("private", "kept", "echo")))
    return not is_left_out and bool(text.sanitize_line(str(fields.get("text") or "")))


def _make_capture_entry(
    journal_entry: JournalEntry, vocabulary: Vocabulary, hidden_sentences: dict[str, list[list[int]]]
) -> IndexEntry | None:
    fields = journal_entry.fields
    if not is_indexable_capture(fields) or fields.get("actor") not in ACTORS or fields.get("origin") not in TRUSTS:
        return None
    record = cut_hidden(capture_record(journal_entry), hidden_sentences)
    key = f"e:{content_digest(record.text.encode())}"  # unlike the keys of the ledger, which are ids of captures
    return structs.replace(make_record_entry(record, "", (), vocabulary), text_digest=key)


def capture_record(journal_entry: JournalEntry) -> Record:
    """A line of a capture journal as a record of form `capture`."""
    from commonplace.retrieval.recall import is_person_name
    from commonplace.truth import classify_speech_act

    fields = journal_entry.fields
    detail = detail_of(fields)
    speaker = text.sanitize_line(str(detail.get("speaker") or ""))
    act = classify_speech_act(str(fields["text"])) if fields["actor"] == "owner" else ""
    line, start = journal_entry.line_number, journal_entry.offset
    digest = content_digest(str(fields["text"]).encode())
    words = own_words(str(fields["text"]), detail.get("pasted"))
    return Record(
        id=fields["id"],
        text=words or str(fields["text"]),
        source=Source(journal_entry.path, line, line, start, start + journal_entry.size, digest),
        form="capture",
        kind="experience" if fields["actor"] == "agent" else "world",
        speaker=speaker,
        time=parse_timestamp(fields["ts"]),
        trust=fields["origin"] if words else least_trusted(fields["origin"], "untrusted"),
        scope=str(fields.get("scope") or ""),
        sources=tuple(str(name) for name in fields.get("from") or ()),
        session=str(fields.get("session") or ""),
        actor=fields["actor"],
        speech_act="" if act != "noise" and is_person_name(speaker) else act,  # what is asked of an agent alone
        recorded=parse_timestamp(str(fields.get("recorded") or fields["ts"])),
    )


SEEN_OP: Literal["seen"] = "seen"  # names records that no date and no other ledger line says anything about, by day
FORGOTTEN_OP, RESTORED_OP = "forgotten", "restored"  # hides records and captures; undoes such ledger lines
EXPLAINING_OPS = ("archived", "removed", FORGOTTEN_OP)  # after which records are gone
REJECTED_OP: Literal["rejected"] = "rejected"  # an item of the queue, by a person, and the digests of its words
CORRECTED_OP: Literal["corrected"] = "corrected"  # a capture is to tell sessions that records were wrong
MAX_SEEN_IDS = 1_000  # records of one ledger line
PASSING_PROBLEMS = ("torn-line", "unreadable")  # problems that are met again at the next reading, or are over by then


def index_ledger(index: Index, journal: Journal) -> bool:
    """Index the new ledger lines, all if the ledger was rewritten; whether another device wrote any."""
    since = index.get_meta("ledger")
    if decode_position(since) is None:
        index.drop_ledger_facts()
    reading = journal.read("ledger", since)
    if any(problem.code == JOURNAL_REWRITTEN for problem in reading.problems):
        index.drop_ledger_facts()
        reading = journal.read("ledger")
    if reading.entries:
        index.put_ledger_facts(collect_ledger_facts(reading.entries))
    index.set_meta("ledger", reading.position)
    passing = [problem for problem in reading.problems if problem.code in PASSING_PROBLEMS]
    index.replace_problems("ledger", passing)
    for problem in reading.problems:
        if problem not in passing:  # the line is not read again, so what is wrong with it is kept under its own name
            index.replace_problems(f"ledger:{problem.path}#{problem.line}", (problem,))
    names = {entry.path.rpartition("/")[2] for entry in reading.entries}
    return any(device_in_file_name("ledger", name) != journal.device for name in names)


def collect_ledger_facts(journal_entries: Iterable[JournalEntry]) -> LedgerFacts:
    """The facts in ledger lines, of the operations that the index uses; other operations are ignored."""
    origins: list[tuple[str, Any]] = []
    moves: list[tuple[str, str, str]] = []
    hidden: list[tuple[str, str, str]] = []
    ids_by_op: dict[str, list[str]] = defaultdict(list)
    relations: list[tuple[str, LedgerRelationOp, str, Any]] = []
    for entry in journal_entries:
        line = entry.fields
        op, record = line.get("op"), str(line.get("record") or "")
        if op == "origin" and line.get("trust") in TRUSTS:
            digest = str(line.get("digest") or "")
            keys = (record, digest, f"{record} {digest}" if record and digest else "")
            origins += [(key, line["trust"]) for key in keys if key]
        elif op == "moved" and line.get("path") and line.get("origin"):
            when = f"{line['ts']} {entry.path} {entry.line_number:09}"
            moves.append((str(line["path"]), str(line["origin"]), when))
        elif op in (*EXPLAINING_OPS, "included", "used", RESTORED_OP):
            ids_by_op[op] += _ledger_record_ids(line, "undone" if op == RESTORED_OP else "records")
            hidden += _hidden_facts(line) if op == FORGOTTEN_OP else []
        relations += _ledger_relations(line)
    return LedgerFacts(
        tuple(origins),
        tuple(moves),
        tuple(ids_by_op["included"]),
        tuple(ids_by_op["used"]),
        tuple(one for op in EXPLAINING_OPS for one in ids_by_op[op]),
        tuple(hidden),
        tuple(ids_by_op[RESTORED_OP]),
        tuple((one, op, other, when) for one, op, other, time in relations if (when := parse_timestamp(str(time)))),
    )


def _hidden_facts(fields: Json) -> list[tuple[str, str, str]]:
    """(id, id of the ledger line, which sentences as JSON) of what a ledger line forgets."""
    parts = given if isinstance(given := fields.get("sentences"), dict) else {}
    texts = {
        one: json.encode(part).decode()
        for one, part in parts.items()
        if isinstance(part, list) and {*map(type, part)} == {int}
    }
    return [(one, fields["id"], texts.get(one, "")) for one in _ledger_record_ids(fields)]


def _ledger_relations(fields: Json) -> list[tuple[str, LedgerRelationOp, str, Any]]:
    """What a ledger line says of ids, with its time; nothing if it is of another operation."""
    op, record, when = fields.get("op"), str(fields.get("record") or ""), fields["ts"]
    ids = _ledger_record_ids(fields)
    if op == "origin" and fields.get("trust") in TRUSTS:
        return [(record, op, str(fields["digest"]), when)] if record and fields.get("digest") else []
    if op == "both" and len(ids) == 2:
        return [(min(ids), op, max(ids), when)]
    if op in ("supported", "unsupported"):
        return [(record, op, source, when) for source in _ledger_record_ids(fields, "sources")]
    if op in ("superseded", EDITED_OP):
        return [(record, op, older, when) for older in ids]
    if op == REJECTED_OP:
        return [(words, op, record, when) for words in _ledger_record_ids(fields, "words")]
    if op == CORRECTED_OP:
        return [(session, op, str(fields.get("notice")), when) for session in _ledger_record_ids(fields, "sessions")]
    if op == "delivered":
        return [(str(fields.get("session")), op, notice, when) for notice in ids]
    return [(one, op, "", fields.get("day")) for one in ids] if op == SEEN_OP else []


def _ledger_record_ids(fields: Json, key: str = "records") -> list[str]:
    records = fields.get(key)
    return [str(name) for name in records] if isinstance(records, list) else []


def append_moves(index: Index, journal: Journal, changes: tuple[Change, ...], now: str) -> None:
    """Write a ledger line for each file that moved, unless there is one, so that its ids are kept, also in a rebuild.
    Where nothing can be written the ids follow the new path, as they would in a rebuild."""
    known = index.files()
    moved = {change.path: change.path_before for change in changes if change.kind == "moved"}
    lines = [
        {"op": "moved", "ts": now, "path": path, "path_before": before, "origin": known[before].origin}
        for path, before in moved.items()
        if index.origin_of(path) != known[before].origin
    ]
    append_known(index, journal, lines)


def append_known(index: Index, journal: Journal, ledger_lines: Sequence[Json]) -> None:
    """Write ledger lines that the index is to know at once; where nothing can be written, nothing is."""
    if ledger_lines:
        with suppress(NotFound, OutsideWorkspace, WorkspaceUnusable):
            journal.append_all(ledger_lines, "ledger")
            index_ledger(index, journal)


def append_seen(index: Index, journal: Journal, now: str) -> None:
    """Note in the ledger, if it can be written, that records with no date and no ledger line are recorded today."""
    names = index.unrecorded_ids()
    batches = [names[start : start + MAX_SEEN_IDS] for start in range(0, len(names), MAX_SEEN_IDS)]
    with suppress(NotFound, OutsideWorkspace, WorkspaceUnusable, LockBusy):
        journal.append_all([{"op": SEEN_OP, "ts": now, "records": one, "day": now[:10]} for one in batches], "ledger")
