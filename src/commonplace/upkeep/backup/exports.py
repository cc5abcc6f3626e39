"""Export a memory, all of it or a part, without what is forgotten; import a whole one; and compare two exports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Literal, cast

from msgspec import Struct

from commonplace.errors import WriteConflict
from commonplace.index import Index
from commonplace.shapes import Json, capture_json, record_json
from commonplace.storage import files, journal
from commonplace.storage.archives import Archive, ArchiveManifest, open_archive, write_archive
from commonplace.storage.stores import STATE_FOLDER, TOMBSTONE_PREFIX
from commonplace.sync import artifact_name, detail_of
from commonplace.upkeep.backup.backups import walk_copied_files
from commonplace.upkeep.forget import ForgetWish, select_records

CAPTURES_PREFIX, ARTIFACT_FOLDER = f"{journal.JOURNAL_FOLDER}/captures-", f"{STATE_FOLDER}/artifacts/"
EXPORTED_STATE = (CAPTURES_PREFIX, f"{journal.JOURNAL_FOLDER}/ledger-", ARTIFACT_FOLDER, TOMBSTONE_PREFIX)
SETTINGS_PATH = "commonplace.toml"  # may name programs to run: those of another machine are not taken over

ImportChange = Literal[
    "file",  # it is added
    "file beside",  # another one has its name: it is added under the name of a conflict copy
    "line",  # of a journal, by its id
    "there already",
    "left out",  # settings, and what belongs to one machine
]


def select_exported(
    index: Index, journal_log: journal.Journal, wish: ForgetWish | None
) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """The records that a wish names, with the captures on which they rest, as JSON in a fixed order; else all."""
    chosen = None
    if wish is not None:
        selected = (one for one in select_records(index, wish) if one.reason in ("named", "source"))
        chosen = {one.record.id for one in selected}
    hidden = index.hidden_ids()
    rows = [row for path in sorted(index.files()) for row in index.rows_of_file(path)]
    records = (one.record for one in index.fetch(rows).values())
    entries = (one.fields for batch in journal_log.read_batches("captures") for one in batch.entries)
    captures = (capture_json(journal.parse_capture(one)) for one in entries if not _ids_of(one) & hidden)
    return (
        tuple(record_json(one) for one in records if chosen is None or one.id in chosen),
        tuple(one for one in captures if chosen is None or one["id"] in chosen),
    )


def _ids_of(capture_fields: Json) -> set[str]:
    """The id of a capture, and of the line of Markdown that was written with it."""
    capture_id = str(capture_fields["id"])
    return {capture_id, capture_id.removeprefix("obs:")}


def export_whole(path: str, root: str, index: Index, now: str) -> ArchiveManifest:
    """Write all files of the person, the journals, artifacts and tombstones to an archive, without hidden lines, which
    have a stub in journals, and without `.env` files, links, and what only one machine uses."""
    return write_archive(path, _whole_members(root, index, now), {})


def _is_exported(path: str) -> bool:
    """Whether a file of a workspace belongs into an archive."""
    name = path.rpartition("/")[2]
    if path.startswith(f"{STATE_FOLDER}/"):
        return path.startswith(EXPORTED_STATE) and not path.endswith(".head")
    is_secret = name in (".env", ".envrc") or name.startswith(".env.")
    return not is_secret and files.printable_path(path) == path


def _whole_members(root: str, index: Index, now: str) -> Iterator[tuple[str, bytes]]:
    """The files without what is hidden, the journals first: they name the artifacts that are left out."""
    hidden_ids, hidden_artifacts, hidden_numbers = index.hidden_ids(), set[str](), dict[str, set[int]]()
    for place in index.hidden_places():
        hidden_numbers.setdefault(place.path, set()).update(range(place.first_line, place.last_line + 1))
    digests = {path: row.digest for path, row in index.files().items() if path in hidden_numbers}
    for path in sorted(filter(_is_exported, walk_copied_files(root)), key=_archive_order):
        is_plain = os.path.isfile(f"{root}/{path}") and not os.path.islink(f"{root}/{path}")
        if not is_plain or path.removeprefix(ARTIFACT_FOLDER) in hidden_artifacts:
            continue
        data = files.read_file(root, path)
        if path.startswith(CAPTURES_PREFIX):
            lines = [_visible_line(line, hidden_ids, hidden_artifacts, now[:10]) for line in data.split(b"\n")]
            data = b"\n".join(lines)
        elif path in digests:
            if files.content_digest(data) != digests[path]:
                raise WriteConflict(path, "it changed while it was exported")
            lines = [line for n, line in enumerate(data.split(b"\n"), 1) if n not in hidden_numbers[path]]
            data = b"\n".join(lines)
        yield path, data


def _archive_order(path: str) -> tuple[bool, str]:
    return not path.startswith(journal.JOURNAL_FOLDER), path


def _visible_line(raw_line: bytes, hidden_ids: frozenset[str], hidden_artifacts: set[str], day: str) -> bytes:
    """A line of a journal, or the stub, which keeps the chain, of one that is hidden; its artifact is noted."""
    fields = journal.parse_json_line(raw_line) if hidden_ids else ""
    if isinstance(fields, str) or "id" not in fields or not _ids_of(fields) & hidden_ids:
        return raw_line
    hidden_artifacts.add(artifact_name(detail_of(fields)))
    stub = {"v": 1, "ts": str(fields["ts"])[:7], "digest": journal.line_digest(raw_line, fields)}
    return journal.encode_journal_line({**stub, "prev": fields.get("prev", ""), "forgotten": day})


def import_archive(journal_log: journal.Journal, path: str, now: str, *, apply: bool) -> Counter[ImportChange]:
    """Add what a workspace lacks of an archive of a whole memory, journals first; without `apply` only count it.

    Nothing that is there is changed, and done again, it adds nothing. Returns what becomes of how many members, or
    lines of journals. Raises BackupDamaged, BadArgument for what is no archive.
    """
    batches = (batch for stream in journal.STREAMS for batch in journal_log.read_batches(stream))
    known_ids = {str(entry.fields["id"]) for batch in batches for entry in batch.entries}
    importer, changes = _ArchiveImporter(journal_log, now, apply, known_ids), Counter[ImportChange]()
    with open_archive(path) as archive:
        for name in sorted((one.path for one in archive.manifest.files), key=_archive_order):
            changes += importer.import_member(name, archive.read(name))
    return changes


class _ArchiveImporter(Struct):
    journal_log: journal.Journal
    now: str
    applies: bool
    known_ids: set[str]

    def import_member(self, path: str, data: bytes) -> Counter[ImportChange]:
        root = self.journal_log.root
        if not _is_exported(path) or path == SETTINGS_PATH:
            return Counter(["left out"])
        there = files.read_file_if_exists(root, path)
        if there == data:
            return Counter(["there already"])
        if path.startswith(journal.JOURNAL_FOLDER):
            decoded = (journal.decode_journal_line(raw_line) for raw_line in data.split(b"\n") if raw_line)
            lines = (one.fields for one in decoded if isinstance(one, journal.JournalEntry))
            entries = [fields for fields in lines if not journal.is_stub(fields)]
            new = [fields for fields in entries if fields["id"] not in self.known_ids]
            self.known_ids.update(str(fields["id"]) for fields in new)
            if there is not None or len(new) < len(entries):  # one with new lines only comes as it is
                if self.applies and new:  # they get a place of their own in the chain of this device
                    stream = path[len(journal.JOURNAL_FOLDER) + 1 :].partition("-")[0]
                    self.journal_log.append_all(new, cast("journal.Stream", stream))
                return Counter({"line": len(new), "there already": len(entries) - len(new)})
        target = path if there is None else self._name_beside(path, data)
        if target != path and not files.is_missing(root, target):
            return Counter(["there already"])
        if self.applies:
            with files.log_intent(root):
                files.create_file(root, target, data)
        return Counter(["file" if there is None else "file beside"])

    def _name_beside(self, path: str, data: bytes) -> str:
        """The name of a conflict copy, which `check` reports and no pack takes lines of; the same content has one."""
        stem, ending = os.path.splitext(path)
        mark = files.content_digest(data)[:8]
        if path.startswith(TOMBSTONE_PREFIX):
            return f"{stem}-{mark}{ending}"
        folder, name = os.path.split(stem)
        names = files.list_folder_names(f"{self.journal_log.root}/{folder}")
        same = (one for one in names if one.startswith(f"{name}.sync-conflict-") and one.endswith(f"-{mark}{ending}"))
        day, clock = self.now[:10].replace("-", ""), self.now[11:16].replace(":", "")
        return os.path.join(folder, next(same, f"{name}.sync-conflict-{day}-{clock}00-{mark}{ending}"))


ExportChange = Literal["added", "removed", "changed"]


class ExportDifference(Struct, frozen=True):
    """A file that only one of two archives has, or both with other content; or a line of it, by its id."""

    change: ExportChange
    path: str
    id: str = ""


def compare_archives(before_path: str, after_path: str) -> tuple[ExportDifference, ...]:
    """What differs between two archives, by path; of files of JSON lines also which ids. Raises BackupDamaged."""
    with open_archive(before_path) as before, open_archive(after_path) as after:
        return tuple(_differences(before, after))


def _differences(earlier: Archive, later: Archive) -> Iterator[ExportDifference]:
    old, new = ({one.path: one.sha256 for one in archive.manifest.files} for archive in (earlier, later))
    for path in sorted(old.keys() | new.keys()):
        if change := _change_of(old.get(path), new.get(path)):
            yield ExportDifference(change, path)
        if change and path.endswith(".jsonl"):
            old_lines = _lines_by_id(earlier.read(path)) if path in old else {}
            new_lines = _lines_by_id(later.read(path)) if path in new else {}
            for line_id in sorted(old_lines.keys() | new_lines.keys()):
                if line_change := _change_of(old_lines.get(line_id), new_lines.get(line_id)):
                    yield ExportDifference(line_change, path, line_id)


def _change_of(old: str | bytes | None, new: str | bytes | None) -> ExportChange | None:
    if old == new:
        return None
    return "added" if old is None else "removed" if new is None else "changed"


def _lines_by_id(data: bytes) -> dict[str, bytes]:
    pairs = ((journal.parse_json_line(line), line) for line in data.split(b"\n") if line)
    return {str(fields["id"]): line for fields, line in pairs if isinstance(fields, dict) and "id" in fields}
