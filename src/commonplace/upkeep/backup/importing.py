"""Import an archive of a whole memory: files that are missing are added, and nothing that is there is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, cast

from msgspec import Struct

from commonplace.storage import files
from commonplace.storage.archives import open_archive
from commonplace.storage.journal import STREAMS, Journal, JournalEntry, Stream, decode_journal_line, is_stub
from commonplace.upkeep.backup.exports import is_exported
from commonplace.upkeep.backup.workspace_files import JOURNAL_FOLDER, TOMBSTONE_PREFIX

ImportChange = Literal[
    "file",  # it is added
    "file beside",  # another one has its name: it is added under the name of a conflict copy
    "line",  # of a journal, by its id
    "there already",
    "left out",  # settings, and what belongs to one machine
]
_SETTINGS_PATH = "commonplace.toml"  # may name programs to run: those of another machine are not taken over


class ImportedPart(Struct, frozen=True):
    """What becomes of a member of an archive, or of so many lines of it, and where."""

    change: ImportChange
    path: str
    count: int = 1


def import_archive(journal: Journal, path: str, now: str, *, apply: bool) -> tuple[ImportedPart, ...]:
    """Add what a workspace lacks, journals first; without `apply` only report it. Done again, it adds nothing.

    Raises BackupDamaged, BadArgument for what is no archive.
    """
    with open_archive(path) as archive:
        importer = _ArchiveImporter(journal, now, apply, _known_ids(journal))
        names = sorted((one.path for one in archive.manifest.files), key=lambda one: not one.startswith(JOURNAL_FOLDER))
        return tuple(part for name in names for part in importer.import_member(name, archive.read(name)))


def _known_ids(journal: Journal) -> set[str]:
    streams = (journal.read_batches(stream) for stream in STREAMS)
    return {str(entry.fields["id"]) for batches in streams for batch in batches for entry in batch.entries}


class _ArchiveImporter(Struct):
    journal: Journal
    now: str
    applies: bool
    known_ids: set[str]

    def import_member(self, path: str, data: bytes) -> Iterator[ImportedPart]:
        root = self.journal.root
        if not is_exported(path) or path == _SETTINGS_PATH:
            yield ImportedPart("left out", path)
        elif (there := files.read_file_if_exists(root, path)) == data:
            yield ImportedPart("there already", path)
        elif path.startswith(JOURNAL_FOLDER):
            yield from self._import_journal(path, data, is_missing=there is None)
        else:
            target = path if there is None else self._name_beside(path, data)
            is_new = target == path or files.is_missing(root, target)
            self._create(target, data)
            yield ImportedPart("there already" if not is_new else "file" if there is None else "file beside", target)

    def _import_journal(self, path: str, data: bytes, *, is_missing: bool) -> Iterator[ImportedPart]:
        """A journal with new lines only comes as it is; of another the new lines go to the journal of this device."""
        decoded = (decode_journal_line(raw_line) for raw_line in data.split(b"\n") if raw_line)
        entries = [one.fields for one in decoded if isinstance(one, JournalEntry) and not is_stub(one.fields)]
        new = [fields for fields in entries if fields["id"] not in self.known_ids]
        if is_missing and len(new) == len(entries):
            self._create(path, data)
            yield ImportedPart("file", path)
        else:
            if self.applies and new:
                self.journal.append_all(new, _stream_of(path))  # with a place of their own in its chain
            yield ImportedPart("line", path, len(new))
            yield ImportedPart("there already", path, len(entries) - len(new))
        self.known_ids.update(str(fields["id"]) for fields in new)

    def _name_beside(self, path: str, data: bytes) -> str:
        """The name of a conflict copy, which `check` reports and no pack takes lines of; the same content has one."""
        stem, ending = os.path.splitext(path)
        mark = files.content_digest(data)[:8]
        if path.startswith(TOMBSTONE_PREFIX):
            return f"{stem}-{mark}{ending}"
        folder, name = os.path.split(stem)
        names = files.list_folder_names(f"{self.journal.root}/{folder}")
        same = (one for one in names if one.startswith(f"{name}.sync-conflict-") and one.endswith(f"-{mark}{ending}"))
        day, clock = self.now[:10].replace("-", ""), self.now[11:16].replace(":", "")
        return os.path.join(folder, next(same, f"{name}.sync-conflict-{day}-{clock}00-{mark}{ending}"))

    def _create(self, path: str, data: bytes) -> None:
        if self.applies:
            with files.log_intent(self.journal.root):
                files.create_file(self.journal.root, path, data)


def _stream_of(path: str) -> Stream:
    return cast("Stream", path.removeprefix(JOURNAL_FOLDER).partition("-")[0])
