"""Check of the derived index: it says what a fresh rebuild says."""

from __future__ import annotations

from commonplace.check.subject import Subject
from commonplace.model import Problem


def matches_a_rebuild(subject: Subject) -> list[Problem]:
    """Compare the canonical dump with that of an index built from nothing."""
    kept, made = subject.index.dump(), subject.rebuilt()
    if kept == made:
        return []
    differing = sorted(set(kept) ^ set(made))
    message = (
        f"the index differs from a rebuild in {len(differing)} items, first {differing[0][:160] if differing else ''}"
    )
    return [Problem("index-drift", message, ".memory/index.sqlite", hint="run `commonplace rebuild`")]
