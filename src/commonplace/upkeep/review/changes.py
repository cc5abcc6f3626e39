"""Applied writes: list the newest with their authors and sources, compare their lines with today's, undo one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher, unified_diff
from functools import lru_cache, partial
from operator import itemgetter

from msgspec import Struct, structs

from commonplace.errors import WriteConflict
from commonplace.index import Index, RowRelations
from commonplace.language.text import sanitize_line
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files, workspace
from commonplace.storage.journal import Journal, decode_with_checksum, read_ledger_lines
from commonplace.storage.workspace import QUEUE_PATH
from commonplace.upkeep import consolidate

MAX_CACHED_HEADS = 20_000  # writes that are remembered, without their lines
ORIGIN_OP = "origin"  # in the ledger: who wrote a record, whenever it is written again


class AuditedWrite(Struct, frozen=True):
    """One applied write: its change, time and path, the lines before and after, and the authors, trust and sources.

    `act` is the act that it was a part of (`approve owner c310adbae6bc518`), empty for one of its own; `is_undone`
    whether what it did was taken back by an undo that holds.
    """

    change_id: str
    ts: str
    path: str
    before: str
    after: str
    by: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    act: str = ""
    is_undone: bool = False


def audit_writes(
    journal_log: Journal, *, since: str = "", path: str = "", act: str = "", limit: int = 20, skip: int = 0
) -> tuple[AuditedWrite, ...]:
    """The newest `limit` writes since a time, of all files and acts or of one, newest first, without the first `skip`;
    those of one act are together."""
    root = journal_log.root
    stored = files.list_file_sizes(root, workspace.CHANGES_FOLDER).items()
    heads = [head for each in stored if (head := _read_head(root, each))]
    undone = _find_undone(heads)
    acts: dict[str, list[workspace.RecordedChange]] = {}
    for head in sort_newest_first(one for one in heads if path in ("", one.path) and act in ("", one.act)):
        acts.setdefault(f"{head.act} {head.ts}" if head.act else head.id, []).append(head)
    newest = [head.id for group in acts.values() for head in group if head.ts >= since][skip : skip + limit]
    origins: dict[str, list[Json]] = {}
    for one in read_ledger_lines(journal_log.root, (f'{ORIGIN_OP}"',)):
        if not isinstance(one, Problem) and one.get("op") == ORIGIN_OP:
            origins.setdefault(str(one.get("record")), []).append(one)
    audited = []
    for change in (workspace.find_change(root, change_id) for change_id in newest):
        added = workspace.parse_document(change.path, change.after.encode("utf-8", "replace")).records
        own = (origins[record.id] for record in added if record.id in origins)
        told = [
            max((one for one in each if one["ts"] <= change.ts), key=itemgetter("ts"), default=each[0]) for each in own
        ]
        lists = (
            [str(one.get("by") or one.get("actor")) for one in told],
            [str(one.get("trust")) for one in told],
            [source for record in added for source in record.sources],
        )
        by, trust, sources = (tuple(dict.fromkeys(one)) for one in lists)
        by = (change.act.split(" ")[1],) if change.act else by
        shown = AuditedWrite(change.id, change.ts, change.path, change.before, change.after, by, trust, sources)
        audited.append(structs.replace(shown, act=change.act, is_undone=change.id in undone))
    return tuple(audited)


def _find_undone(changes: Iterable[workspace.RecordedChange]) -> set[str]:
    """The ids of the changes that another one undid, which was not undone itself."""
    undoing: dict[str, list[str]] = {}
    for one in changes:
        undoing.setdefault(one.undoes, []).append(one.id)

    def is_undone(change_id: str) -> bool:
        return any(not is_undone(one) for one in undoing.get(change_id, ()))

    return {change_id for change_id in undoing if change_id and is_undone(change_id)}


def read_changes(root: str) -> Iterator[workspace.RecordedChange]:
    """Every applied write that can be read, in no particular order; `check` reports the others."""
    names = files.list_file_sizes(root, workspace.CHANGES_FOLDER)
    return (change for name in names if (change := _read_change(root, name)))


def _read_change(root: str, name: str) -> workspace.RecordedChange | None:
    raw_line = files.read_file_if_exists(root, f"{workspace.CHANGES_FOLDER}/{name}") or b""
    return decode_with_checksum(raw_line, workspace.RecordedChange) if name.endswith(".json") else None


@lru_cache(MAX_CACHED_HEADS)
def _read_head(root: str, stored: tuple[str, int]) -> workspace.RecordedChange | None:
    """A write without its lines, of a file with this name and size, which is written once."""
    change = _read_change(root, stored[0])
    return change and structs.replace(change, before="", after="")


def sort_newest_first(changes: Iterable[workspace.RecordedChange]) -> list[workspace.RecordedChange]:
    """The changes by time; of one minute a change comes before the one that it followed."""
    order = sorted(changes, key=lambda change: (change.ts, change.id), reverse=True)
    id_by_result = {(change.ts, change.path, change.digest_after): change.id for change in order}
    before = {change.id: id_by_result.get((change.ts, change.path, change.digest_before), "") for change in order}

    def depth(change_id: str) -> int:
        seen: list[str] = []
        while change_id and change_id not in seen:
            seen.append(change_id)
            change_id = before[change_id]
        return len(seen)

    return sorted(order, key=lambda change: (change.ts, depth(change.id)), reverse=True)


MAX_SHOWN_LINES = 3  # lines that a message shows


def restore_replaced_lines(root: str, change_id: str, *, now: str = "", act: str = "") -> workspace.WriteResult:
    """Put back what a change replaced, wherever in its file the lines are now. A file that the change created goes if
    nothing else is in it, but in a git repository stays empty: where the other side changed it, git could not merge.
    Raises NotFound, and WriteConflict if the lines changed since, unless they were put back before."""
    change = workspace.find_change(root, change_id)
    rest = None if change.is_new and not files.find_repository(root) else b""
    read_later = partial(read_changes, root)

    def revert(data: bytes) -> bytes | None:
        try:
            return revert_change(data, change, read_later) or rest
        except WriteConflict:
            if (withdrawn := _withdraw_items(data, change)) is None:
                raise
            return withdrawn

    try:
        return workspace.update_file(root, change.path, revert, now=now, act=act)
    except WriteConflict:
        data, back = files.read_file_if_exists(root, change.path) or b"", (change.path, change.after, change.before)
        is_gone = not _find_line_offsets(data, change.after.encode(change.encoding))
        if is_gone and any((one.path, one.before, one.after) == back for one in read_changes(root)):  # undone already
            return workspace.update_file(root, change.path, lambda data: data, now=now)
        raise


def _withdraw_items(data: bytes, change: workspace.RecordedChange) -> bytes | None:
    """The queue without the items that a change added and that still wait as it wrote them, and with those that it took
    off; None if it added none, or if somebody changed the words of all of them that still wait."""
    if change.path != QUEUE_PATH:
        return None
    texts = (text.encode(change.encoding) for text in (change.before, change.after))
    before, after, now = (
        {one.id: one for one in workspace.parse_document(change.path, text).records if one.annotated}
        for text in (*texts, data)
    )
    added = after.keys() - before.keys()
    own = {one: after[one].text for one in added if one in now and now[one].text == after[one].text}
    if not added or (not own and not added.isdisjoint(now)):
        return None
    edits = consolidate.FileEdits(change.path, removed_text_by_id=own)
    lines = change.before.encode(change.encoding)
    for item in consolidate.parse_queue(lines):
        if item.record and item.id not in now.keys() | after.keys():
            line = lines[item.record.source.byte_start : item.record.source.byte_end].decode(change.encoding)
            edits.added.append(consolidate.AddedLine(consolidate.HEADING_BY_REASON[item.reason], item.id, line))
    return consolidate.apply_file_edits(data, edits, lambda _record: False)


def restored_texts(root: str, change_id: str) -> list[str]:
    """The texts of the records that undoing a change brings back. Raises NotFound."""
    change = workspace.find_change(root, change_id)
    texts = (text.encode(change.encoding) for text in (change.before, change.after))
    before, after = ([one.text for one in workspace.parse_document(change.path, text).records] for text in texts)
    return [text for text in before if text not in after]


BOTH_OP = "both"  # in the ledger: of two records neither replaces the other


def find_replaced_pairs(index: Index, record_id: str) -> tuple[tuple[str, str], ...]:
    """The ids of a record and of what replaces it, also for what retells the record; if nothing does, of each record
    that it replaces and of itself."""
    record = index.find(record_id)
    if record is None:
        return ()
    later = index.find(record.superseded_by) if record.superseded_by else record
    if later is None:
        return ()
    row_id = index.row_of_record(later.id)
    replaces = index.relations_of([row_id]).get(row_id, RowRelations()).replaces
    derived = [one.record for one in index.fetch({one.older for one in replaces}).values()]
    named = [one for one in map(index.find, later.supersedes) if one is not None]
    grounds = {record_id, *record.sources}
    return tuple(
        dict.fromkeys(
            (old.id, later.id)
            for old in (*named, *derived)
            if old.superseded_by == later.id and (later is record or not grounds.isdisjoint((old.id, *old.sources)))
        )
    )


def append_pairs(journal_log: Journal, pairs: Iterable[tuple[str, str]], now: str) -> None:
    """Record that both records of each pair hold, which every sync obeys from then on."""
    journal_log.append_all([{"op": BOTH_OP, "ts": now, "records": list(pair)} for pair in pairs], "ledger")


def restore_struck_lines(root: str, index: Index, pairs: Iterable[tuple[str, str]], now: str) -> None:
    """Restore the first line of each pair where consolidation struck it out, next to the second."""
    for older, newer in ((index.find(older), index.find(newer)) for older, newer in pairs):
        if older and newer and older.text.startswith(consolidate.STRIKETHROUGH):
            is_beside = older.source.path == newer.source.path and older.form != "retain"
            heading = newer.heading[-1] if is_beside else ""
            restore = partial(consolidate.restore_struck_line, struck=older, heading=heading)
            workspace.update_file(root, older.source.path, restore, now=now)


UNSUPPORTED_OP = "unsupported"  # in the ledger: these sources do not say what the record says


def withdraw_support(index: Index, journal_log: Journal, undone_id: str, now: str) -> str:
    """Record that a capture supports no record any more, or a record not what said it last; returns the id of the
    record, empty if the id is of no support."""
    repeated = consolidate.LedgerHistory(journal_log).repeated_captures
    records = [undone_id, *(record_id for record_id, captures in repeated.items() if undone_id in captures)]
    supports = index.supporting_sources(records).items()
    pairs = [
        (record_id, source)
        for record_id, sources in supports
        for source, _time in (sources[-1:] if record_id == undone_id else sources)
        if undone_id in (record_id, source)
    ]
    entries = [{"op": UNSUPPORTED_OP, "ts": now, "record": one, "sources": [source]} for one, source in pairs]
    journal_log.append_all(entries, "ledger")
    return pairs[0][0] if pairs else ""


def revert_change(
    data: bytes,
    change: workspace.RecordedChange,
    read_later: Callable[[], Iterable[workspace.RecordedChange]] = tuple,
) -> bytes:
    """The file without the change; what changed elsewhere in it stays. Where its lines occur not once, the writes that
    `read_later` returns say where they are. Raises WriteConflict."""
    before, after = change.before.encode(change.encoding), change.after.encode(change.encoding)
    if files.content_digest(data) == change.digest_before:
        return data  # it is the file from before the change
    same = files.content_digest(data) == change.digest_after
    offsets = [change.offset] if same else _find_line_offsets(data, after)
    if len(offsets) != 1:
        followed = _follow_offset(read_later(), change, files.content_digest(data))
        offsets = [] if followed is None else [followed]
    if not offsets:
        error = WriteConflict(change.path, f"the lines of change {change.id!r} were edited since then")
        now = [
            sanitize_line(line[1:].partition(" <!--")[0])
            for line in _diff_lines_now(data, change)
            if line.startswith("+")
        ]
        shown = " / ".join(now[:MAX_SHOWN_LINES]) + (" / …" if len(now) > MAX_SHOWN_LINES else "")
        error.hint = f"it is now: {shown}" if shown else "its lines were deleted or replaced"
        raise error
    restored = data[: offsets[0]] + before + data[offsets[0] + len(after) :]
    if same and files.content_digest(restored) != change.digest_before:
        raise WriteConflict(change.path, f"change {change.id!r} does not fit it")
    return restored


def diff_change(root: str, change_id: str) -> tuple[str, ...]:
    """The lines of a change as it left them (`-`), and what is there now (`+`). Raises NotFound."""
    change = workspace.find_change(root, change_id)
    return _diff_lines_now(files.read_file_if_exists(root, change.path) or b"", change)


def _follow_offset(
    changes: Iterable[workspace.RecordedChange], change: workspace.RecordedChange, digest_now: str
) -> int | None:
    """Where the lines of a change are now, or were before it if it removed them, by the writes that led from it to the
    file as it is; None if others wrote there too, or one of these writes changed the lines."""
    next_changes: dict[str, list[workspace.RecordedChange]] = {}
    for one in changes:
        if one.path == change.path:
            next_changes.setdefault(one.digest_before, []).append(one)
    size, back = len(change.after.encode(change.encoding)), (change.after, change.before)
    offset_by_digest, reached = {change.digest_after: change.offset}, [change.digest_after]
    for digest in reached:  # which grows
        offset = offset_by_digest[digest]
        if digest == digest_now:
            return offset
        for one in next_changes.get(digest, ()):
            before, after = (len(text.encode(one.encoding)) for text in (one.before, one.after))
            is_above, is_below = one.offset + before <= offset, one.offset >= offset + size
            is_undone = one.offset == offset and (one.before, one.after) == back
            if one.digest_after not in offset_by_digest and (is_above or is_below) and not is_undone:
                offset_by_digest[one.digest_after] = offset + (after - before if is_above else 0)
                reached.append(one.digest_after)
    return None


def _find_line_offsets(data: bytes, block: bytes) -> list[int]:
    """The offsets of a block of whole lines, overlapping or not."""
    ending = b"" if block.endswith(b"\n") else rb"(?=\n|\Z)"
    return [one.start() for one in re.finditer(rb"(?m)^(?=" + re.escape(block) + ending + b")", data)] if block else []


def _diff_lines_now(data: bytes, change: workspace.RecordedChange) -> tuple[str, ...]:
    left, now = change.after.split("\n"), data.decode(change.encoding, "replace").split("\n")
    start = data[: change.offset].count(b"\n")
    blocks = SequenceMatcher(None, left, now, autojunk=False).get_matching_blocks()
    same = next((one for one in blocks if any(line.strip() for line in left[one.a : one.a + one.size])), None)
    if same is not None:  # else where they stood
        start = max(same.b - same.a, 0)
    region = now[start : start + len(left)]
    return tuple(line for line in unified_diff(left, region, lineterm="", n=1) if not line.startswith(("---", "+++")))
