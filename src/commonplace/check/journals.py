"""Checks of the journals and receipts: every line whole, the ledger's chain unbroken."""

from __future__ import annotations

from commonplace import receipts as receipt_store
from commonplace.check.subject import Subject
from commonplace.journal import SHRANK, verify_chain
from commonplace.model import Problem


def lines(subject: Subject) -> list[Problem]:
    """Lines of captures and ledgers that are torn, altered, or from a version that cannot be read; lost journals.

    All lines are read again. What was there and is not any more, only the index can know.
    """
    found = [*subject.journal.read("captures").problems, *subject.journal.read("ledger").problems]
    return found + [problem for problem in subject.index.problems() if problem.code == SHRANK]


def chain(subject: Subject) -> list[Problem]:
    """Ledger lines that were removed, altered or put elsewhere."""
    return list(verify_chain(subject.root))


def receipts(subject: Subject) -> list[Problem]:
    """Receipts that are torn or altered."""
    return list(receipt_store.read_all(subject.root).problems)
