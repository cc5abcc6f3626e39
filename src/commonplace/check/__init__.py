"""The health checks: each looks for one kind of trouble and returns what it found; together they prove the promises."""

from __future__ import annotations

from collections.abc import Callable

from commonplace.check import hot, index, journals, markdown, privacy
from commonplace.check.subject import Subject
from commonplace.model import Health, Problem

__all__ = ["CHECKS", "Subject", "check"]

CHECKS: tuple[tuple[str, Callable[[Subject], list[Problem]]], ...] = (
    ("files", markdown.files),
    ("citations", markdown.citations),
    ("core", hot.header_and_length),
    ("journals", journals.lines),
    ("ledger-chain", journals.chain),
    ("receipts", journals.receipts),
    ("sync", index.in_step),
    ("index", index.matches_a_rebuild),
    ("permissions", privacy.permissions),
)


def check(subject: Subject) -> Health:
    """Run every check."""
    found = [problem for _name, look in CHECKS for problem in look(subject)]
    return Health(tuple(name for name, _look in CHECKS), tuple(found))
