"""The health checks: each returns the problems of one kind; CHECKS names them all."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable

from msgspec import Struct

from commonplace.errors import CommonplaceError
from commonplace.index import Index
from commonplace.model import Health, Problem
from commonplace.storage import files
from commonplace.storage import receipts as receipt_store
from commonplace.storage.journal import (
    JOURNAL_FOLDER,
    JOURNAL_SHRANK,
    RECEIPT_FOLDER,
    Journal,
    verify_chains,
    verify_heads,
)
from commonplace.storage.tombstones import read_tombstones
from commonplace.sync import find_forgotten_places
from commonplace.truth import find_changed_source
from commonplace.upkeep import merge


class CheckSubject(Struct, frozen=True):
    """A workspace to be checked; `dump_rebuilt_index` returns the canonical dump of a rebuilt index, `notes` say why
    the index could not be brought up to date just now."""

    root: str
    index: Index
    journal: Journal
    dump_rebuilt_index: Callable[[], list[str]]
    most_bytes: int
    index_path: str
    notes: tuple[str, ...] = ()


def check_files(subject: CheckSubject) -> list[Problem]:
    """All problems met while the files were read, except those of journals, which `journals` reports."""
    problems = [one for one in subject.index.problems() if not one.path.startswith(f"{JOURNAL_FOLDER}/")]
    for path in merge.find_copies(subject.root, subject.index.files()):
        hint = f"run `commonplace merge {shlex.quote(path)}`; rename it if it is a file of its own"
        problems.append(Problem("conflict-copy", "a sync tool saved two versions of this file", path, hint=hint))
    return problems


def check_citations(subject: CheckSubject) -> list[Problem]:
    """Records whose text is not on the lines that they cite."""
    if subject.notes:
        return []  # the index is behind the files, as `sync` reports
    found: list[Problem] = []
    for path, file_row in subject.index.files().items():
        if not file_row.digest:
            continue  # could not be read when it was synced: `files` says so
        try:
            data = files.read_file(subject.root, path, subject.most_bytes)
        except CommonplaceError as error:
            found.append(Problem("unreadable", error.message, path, hint=error.hint))
            continue
        for record in (row.record for row in subject.index.fetch(subject.index.rows_of_file(path)).values()):
            source, lines = record.source, data[record.source.byte_start : record.source.byte_end]
            written = lines.decode("utf-8", "replace")
            is_there = all(part.strip() in written for part in record.text.split("…"))  # in place of what is hidden
            if files.content_digest(lines) != source.digest or not is_there:
                message = f"the index cites record {record.id} here, but the line has other text"
                found.append(Problem("stale-citation", message, path, source.line_start, "run `commonplace rebuild`"))
    return found


def check_tombstones(subject: CheckSubject) -> list[Problem]:
    """Lines and captures that came back though they were forgotten, and damaged tombstones."""
    found = find_forgotten_places(subject.root, subject.index.files(), subject.most_bytes)
    text, hint = "this was forgotten", "`commonplace forget --due --apply` erases it"
    returned = (Problem("forgotten", text, place.path, place.first_line, hint) for place in found)
    return [*read_tombstones(subject.root).problems, *returned]


EPISODES_FOLDER = "memory/episodes/"


def check_sources(subject: CheckSubject) -> list[Problem]:
    """Lines that rest on a source that was superseded, undone or removed, or on such a line, and hold themselves; not
    episodes, which say what was said."""
    found: list[Problem] = []
    for path in (path for path in subject.index.files() if not path.startswith(EPISODES_FOLDER)):
        for record in (row.record for row in subject.index.fetch(subject.index.rows_of_file(path)).values()):
            changed = find_changed_source(record, subject.index) if not record.superseded_by else None
            if changed is not None:
                verb = f"was superseded by {changed.superseded_by}" if changed.superseded_by else "was removed"
                through = "" if changed.through == changed.id else f", on which its source {changed.through} rests,"
                message = f"its source changed: {changed.id}{through} {verb}"
                hint = "check whether the line still holds; correct it, or remove the source from its `from:`"
                found.append(Problem("source-changed", message, path, record.source.line_start, hint))
    return found


CORE_PATH = "MEMORY.md"
CORE_TITLE = "# Agent Memory"
CORE_HEADER_PREFIXES = ("#tags:", "last_verified:", "last_updated:")
MAX_CORE_LINES = 60


def check_core(subject: CheckSubject) -> list[Problem]:
    """The core holds at most 60 lines; where it begins with our title, the other three lines of our header follow."""
    row = subject.index.files().get(CORE_PATH)
    data = files.read_file_if_exists(subject.root, CORE_PATH, subject.most_bytes) if row and row.digest else None
    if data is None:
        return []
    lines = data.decode("utf-8-sig", "replace").rstrip().split("\n")
    found = []
    if len(lines) > MAX_CORE_LINES:
        message = f"the core has {len(lines)} lines; {MAX_CORE_LINES} fit into every prompt"
        hint = "move lines that are not always needed to other files"
        found.append(Problem("core-too-long", message, CORE_PATH, MAX_CORE_LINES + 1, hint))
    if lines[0].strip() == CORE_TITLE:
        for number, start in enumerate(CORE_HEADER_PREFIXES, 2):
            line = lines[number - 1] if len(lines) >= number else ""
            if not line.lstrip("> ").startswith(start):
                message = f"line {number} of the core should begin with `{start}`"
                found.append(Problem("core-header", message, CORE_PATH, number, "write it, as `init` does"))
    return found


def check_journal_lines(subject: CheckSubject) -> list[Problem]:
    """Lines of captures and ledgers that are torn, altered, or from a version that cannot be read; captures that were
    removed or put elsewhere; damaged heads; lost journals; copies of the workspace that share a device name, until that
    was reported once."""
    shared = []
    hint = "give one of them a name of its own: the setting `device`, or COMMONPLACE_DEVICE"
    for device, names in merge.find_shared_names(subject.journal).items():
        wrote = f"two copies of this workspace wrote as device {device!r}; lines of the other are in {', '.join(names)}"
        shared.append(Problem(merge.SHARED_NAME_CODE, wrote, JOURNAL_FOLDER, hint=hint))
    return [
        *subject.journal.read("captures").problems,
        *subject.journal.read("ledger").problems,
        *verify_chains(subject.root, "captures"),
        *verify_heads(subject.root, JOURNAL_FOLDER),
        *(problem for problem in subject.index.problems() if problem.code == JOURNAL_SHRANK),
        *shared,
    ]


def check_ledger_chain(subject: CheckSubject) -> list[Problem]:
    """Ledger lines that were removed, altered or put elsewhere."""
    return list(verify_chains(subject.root, "ledger"))


def check_receipts(subject: CheckSubject) -> list[Problem]:
    """Receipts that are torn, altered, removed or put elsewhere, and damaged heads."""
    found = receipt_store.read_receipts(subject.root).problems
    return [*found, *verify_chains(subject.root, "receipts"), *verify_heads(subject.root, RECEIPT_FOLDER)]


def check_index_synced(subject: CheckSubject) -> list[Problem]:
    """The reason why the index is behind the files, as the sync just before this check found."""
    error = subject.index.memory_only_error  # then `sync` cannot help before its cause is removed
    hint = error.hint if error else "run `commonplace sync`"
    path = _relative_path(subject, subject.index_path)
    return [Problem("not-synced", note, path, hint=hint) for note in subject.notes]


def check_index_matches_rebuild(subject: CheckSubject) -> list[Problem]:
    """Compare the canonical dump with that of an index built from nothing."""
    if subject.notes:
        return []  # the index is behind the files, as `sync` reports
    # Less the problems of reading journals: they depend on when those were read, and `journals` finds them again.
    dumps = subject.index.dump(), subject.dump_rebuilt_index()
    now, rebuilt = ([line for line in dump if not line.startswith('["problem",".memory/')] for dump in dumps)
    if now == rebuilt:
        return []
    differing = set(now) ^ set(rebuilt)
    kinds = ", ".join(sorted({item.partition('"')[2].partition('"')[0] for item in differing})) or "their order"
    message = f"the index differs from a rebuild in {len(differing)} items: {kinds}"
    path = _relative_path(subject, subject.index_path)
    return [Problem("index-drift", message, path, hint="run `commonplace rebuild`")]


def _relative_path(subject: CheckSubject, path: str) -> str:
    """A path relative to the workspace, if it is inside."""
    return os.path.relpath(path, subject.root) if path.startswith(f"{subject.root}/") else path


STATE_FOLDER = ".memory"
INDEX_FILE_SUFFIXES = ("", "-wal", "-shm", ".lock")


def check_private_permissions(subject: CheckSubject) -> list[Problem]:
    """Files below `.memory`, or of an index elsewhere, that group or others can read or write."""
    folder = f"{subject.root}/{STATE_FOLDER}"
    paths = [folder, *(f"{folder}/{path.rstrip('/')}" for path in files.walk_paths(folder))]
    paths += [subject.index_path + ending for ending in INDEX_FILE_SUFFIXES]
    found = []
    for path in dict.fromkeys(paths):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            continue
        if mode & 0o077 and not stat.S_ISLNK(mode):  # the permissions of a link have no effect
            readable = files.printable_path(_relative_path(subject, path))
            message = f"others can get at it (mode {stat.S_IMODE(mode):04o})"
            found.append(Problem("open-permissions", message, readable, hint=f"chmod go= {shlex.quote(readable)}"))
    return found


CHECKS: tuple[tuple[str, Callable[[CheckSubject], list[Problem]]], ...] = (
    ("files", check_files),
    ("citations", check_citations),
    ("sources", check_sources),
    ("tombstones", check_tombstones),
    ("core", check_core),
    ("journals", check_journal_lines),
    ("ledger-chain", check_ledger_chain),
    ("receipts", check_receipts),
    ("sync", check_index_synced),
    ("index", check_index_matches_rebuild),
    ("permissions", check_private_permissions),
)


def run_checks(subject: CheckSubject) -> Health:
    """Run every check."""
    found = [problem for _name, look in CHECKS for problem in look(subject)]
    return Health(tuple(name for name, _look in CHECKS), tuple(found))
