"""Export a memory, all of it or a part, without what is forgotten; and compare two exports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, json

from commonplace.errors import WriteConflict
from commonplace.index import Index
from commonplace.shapes import Json, capture_json, record_json
from commonplace.storage import files
from commonplace.storage.archives import Archive, ArchiveManifest, open_archive, write_archive
from commonplace.storage.journal import (
    Journal,
    encode_journal_line,
    line_digest,
    parse_capture,
    parse_json_line,
)
from commonplace.upkeep.backup.backups import SEGMENT_BYTES
from commonplace.upkeep.backup.workspace_files import (
    JOURNAL_FOLDER,
    STATE_FOLDER,
    TOMBSTONE_PREFIX,
    printable_path,
    walk_copied_files,
)
from commonplace.upkeep.forget import ForgetWish, select_records

RECORDS_NAME, CAPTURES_NAME = "records.jsonl", "captures.jsonl"
ARTIFACT_FOLDER = f"{STATE_FOLDER}/artifacts/"
_EXPORTED_STATE = (f"{JOURNAL_FOLDER}captures-", f"{JOURNAL_FOLDER}ledger-", ARTIFACT_FOLDER, TOMBSTONE_PREFIX)


class ExportedParts(Struct, frozen=True):
    """The records and the captures of an export, as documented JSON, each in a fixed order."""

    records: tuple[Json, ...]
    captures: tuple[Json, ...]


def select_exported(index: Index, journal: Journal, wish: ForgetWish | None) -> ExportedParts:
    """The records that a wish names, with the captures on which they rest; everything without one."""
    chosen = None
    if wish is not None:
        selected = (one for one in select_records(index, wish) if one.reason in ("named", "source"))
        chosen = {one.record.id for one in selected}
    hidden = index.hidden_ids()
    rows = [row for path in sorted(index.files()) for row in index.rows_of_file(path)]
    fetched = index.fetch(rows)
    records = (fetched[row].record for row in rows if row in fetched)
    entries = (one.fields for batch in journal.read_batches("captures") for one in batch.entries)
    captures = (capture_json(parse_capture(one)) for one in entries if not _ids_of(one) & hidden)
    return ExportedParts(
        tuple(record_json(one) for one in records if chosen is None or one.id in chosen),
        tuple(one for one in captures if chosen is None or one["id"] in chosen),
    )


def _ids_of(capture_fields: Json) -> set[str]:
    """The id of a capture, and of the line of Markdown that was written with it."""
    capture_id = str(capture_fields["id"])
    return {capture_id, capture_id.removeprefix("obs:")}


def export_parts(path: str, parts: ExportedParts, filters: dict[str, str]) -> ArchiveManifest:
    """Write records and captures to an archive."""
    named = ((RECORDS_NAME, parts.records), (CAPTURES_NAME, parts.captures))
    return write_archive(path, ((name, (json.encode(one) + b"\n" for one in many)) for name, many in named), filters)


def export_whole(path: str, root: str, index: Index, now: str) -> ArchiveManifest:
    """Write all files of the person, the journals, artifacts and tombstones to an archive.

    The lines of what is hidden are left out; in journals a stub stands for each. Secrets in `.env` files, links, and
    what only one machine uses are left out too.
    """
    export = _WholeExport(root, index.hidden_ids(), {}, set(), now)
    for place in index.hidden_places():
        numbers = range(place.first_line, place.last_line + 1)
        export.hidden_numbers.setdefault(place.path, set()).update(numbers)
    digests = {path: row.digest for path, row in index.files().items() if path in export.hidden_numbers}
    wanted = (one for one in walk_copied_files(root) if is_exported(one))
    paths = sorted(one for one in wanted if os.path.isfile(f"{root}/{one}") and not os.path.islink(f"{root}/{one}"))
    # The journals first, because they say which artifacts are left out.
    paths.sort(key=lambda one: not one.startswith(JOURNAL_FOLDER))
    return write_archive(path, export.members(paths, digests), {})


def is_exported(path: str) -> bool:
    """Whether a file of a workspace belongs into an archive."""
    name = path.rpartition("/")[2]
    if path.startswith(f"{STATE_FOLDER}/"):
        return path.startswith(_EXPORTED_STATE) and not path.endswith(".head")
    is_secret = name in (".env", ".envrc") or name.startswith(".env.")
    return not is_secret and printable_path(path) == path


class _WholeExport(Struct):
    root: str
    hidden_ids: frozenset[str]
    hidden_numbers: dict[str, set[int]]  # of the lines of Markdown, by path
    hidden_artifacts: set[str]
    now: str

    def members(self, paths: list[str], digests: dict[str, str]) -> Iterator[tuple[str, Iterator[bytes]]]:
        for path in paths:
            if path.startswith(f"{JOURNAL_FOLDER}captures-") and self.hidden_ids:
                yield path, self._journal_lines(path)
            elif path in digests:
                yield path, self._visible_lines(path, digests[path])
            elif path.removeprefix(ARTIFACT_FOLDER) not in self.hidden_artifacts:
                yield path, _read_pieces(self.root, path)

    def _visible_lines(self, path: str, digest: str) -> Iterator[bytes]:
        """A file without the hidden lines. Raises WriteConflict if it is not as it was indexed."""
        data = files.read_file(self.root, path)
        if files.content_digest(data) != digest:
            raise WriteConflict(path, "it changed while it was exported")
        lines = data.split(b"\n")
        yield b"\n".join(line for number, line in enumerate(lines, 1) if number not in self.hidden_numbers[path])

    def _journal_lines(self, path: str) -> Iterator[bytes]:
        """A journal with a stub, which keeps the chain, in place of each hidden line."""
        for raw_line in files.read_file(self.root, path).split(b"\n")[:-1]:
            fields = parse_json_line(raw_line)
            if isinstance(fields, dict) and "id" in fields and _ids_of(fields) & self.hidden_ids:
                artifact = parse_capture(fields).detail.get("artifact")
                self.hidden_artifacts.add(str(artifact.get("sha256")) if isinstance(artifact, dict) else "")
                stub = {"v": 1, "ts": str(fields["ts"])[:7], "digest": line_digest(raw_line, fields)}
                raw_line = encode_journal_line({**stub, "prev": fields.get("prev", ""), "forgotten": self.now[:10]})
            yield raw_line + b"\n"


def _read_pieces(root: str, path: str) -> Iterator[bytes]:
    offset = 0
    while data := files.read_range(root, path, offset, SEGMENT_BYTES):
        offset += len(data)
        yield data


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
    pairs = ((parse_json_line(line), line) for line in data.split(b"\n") if line)
    return {str(fields["id"]): line for fields, line in pairs if isinstance(fields, dict) and "id" in fields}
