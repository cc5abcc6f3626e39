"""Checks of the Markdown files: what was met while they were read, and citations that hold."""

from __future__ import annotations

from commonplace import files as disk
from commonplace.check.subject import Subject
from commonplace.errors import CommonplaceError
from commonplace.model import Problem


def files(subject: Subject) -> list[Problem]:
    """Everything that was met while the files were read."""
    return list(subject.index.problems())


def citations(subject: Subject) -> list[Problem]:
    """Records whose text is not on the lines that they cite."""
    found: list[Problem] = []
    for path, row in subject.index.files().items():
        if not row.digest:
            continue  # could not be read when it was synced: `files` says so
        try:
            data = disk.read(subject.root, path, subject.most_bytes)
        except CommonplaceError as error:
            found.append(Problem("unreadable", error.message, path))
            continue
        for kept in subject.index.fetch(subject.index.rows_of(path)).values():
            source = kept.record.source
            lines = data[source.byte_start : source.byte_end]
            if disk.digest(lines) != source.digest or kept.record.text not in lines.decode("utf-8", "replace"):
                message = f"the index cites record {kept.record.id} here, but the line says something else"
                found.append(Problem("stale-citation", message, path, source.line_start, "run `commonplace rebuild`"))
    return found
