"""Checks of the derived index: it could be brought up to date, and says what a fresh rebuild says."""

from __future__ import annotations

import os

from commonplace.check.subject import Subject
from commonplace.model import Problem

HOME = ".memory/index.sqlite"


def in_step(subject: Subject) -> list[Problem]:
    """Why the index is behind the files, as the sync just before this check found."""
    unkept = subject.index.unkept  # then `sync` cannot help before what is wrong is set right
    hint = unkept.hint if unkept else "run `commonplace sync`"
    return [Problem("not-synced", note, _where(subject), hint=hint) for note in subject.notes]


def matches_a_rebuild(subject: Subject) -> list[Problem]:
    """Compare the canonical dump with that of an index built from nothing."""
    if subject.notes:
        return []  # it lags behind, and that is known
    kept, made = _of_files(subject.index.dump()), _of_files(subject.rebuilt())
    if kept == made:
        return []
    differing = set(kept) ^ set(made)
    kinds = ", ".join(sorted({item.partition('"')[2].partition('"')[0] for item in differing})) or "their order"
    message = f"the index differs from a rebuild in {len(differing)} items: {kinds}"
    return [Problem("index-drift", message, _where(subject), hint="run `commonplace rebuild`")]


def _of_files(dump: list[str]) -> list[str]:
    """Less what reading the journals met: that hangs on when they were read, and `journals` finds it anew."""
    return [item for item in dump if not item.startswith('["problem",".memory/')]


def _where(subject: Subject) -> str:
    """The path of the index, below the workspace if it lies there."""
    path = subject.index_path or f"{subject.root}/{HOME}"
    return os.path.relpath(path, subject.root) if path.startswith(f"{subject.root}/") else path
