"""Checks of the Markdown files: what was met while they were read, and citations that hold."""

from __future__ import annotations

from commonplace import files as disk
from commonplace.check.subject import Subject
from commonplace.errors import CommonplaceError
from commonplace.journal import FOLDER
from commonplace.model import Problem, Record


def files(subject: Subject) -> list[Problem]:
    """Everything that was met while the files were read; what is wrong in a journal is for `journals` to say."""
    return [problem for problem in subject.index.problems() if not problem.path.startswith(f"{FOLDER}/")]


def citations(subject: Subject) -> list[Problem]:
    """Records whose text is not on the lines that they cite."""
    if subject.notes:
        return []  # the index lags behind, and that is known
    found: list[Problem] = []
    for path, row in subject.index.files().items():
        if not row.digest:
            continue  # could not be read when it was synced: `files` says so
        try:
            data = disk.read(subject.root, path, subject.most_bytes)
        except CommonplaceError as error:
            found.append(Problem("unreadable", error.message, path, hint=error.hint))
            continue
        for kept in subject.index.fetch(subject.index.rows_of(path)).values():
            if not _holds(data, kept.record):
                message = f"the index cites record {kept.record.id} here, but the line says something else"
                line = kept.record.source.line_start
                found.append(Problem("stale-citation", message, path, line, "run `commonplace rebuild`"))
    return found


def _holds(data: bytes, record: Record) -> bool:
    """Whether a file says on the cited lines what the record says."""
    lines = data[record.source.byte_start : record.source.byte_end]
    return disk.digest(lines) == record.source.digest and record.text in lines.decode("utf-8", "replace")
