"""Compare statements, decide which of two is newer, and derive what holds now; pure functions of lines and ledger."""

from __future__ import annotations

from commonplace.truth.comparison import Comparison, Verdict, compare_statements
from commonplace.truth.order import SaidOrder, is_said_later, said_order
from commonplace.truth.relations import ComparedLine, derive_relations
from commonplace.truth.sources import ChangedSource, SourceLookup, find_changed_source, source_lookup
from commonplace.truth.statements import LineContext, Statement, read_statements

__all__ = [
    "ChangedSource",
    "ComparedLine",
    "Comparison",
    "LineContext",
    "SaidOrder",
    "SourceLookup",
    "Statement",
    "Verdict",
    "compare_statements",
    "derive_relations",
    "find_changed_source",
    "is_said_later",
    "read_statements",
    "said_order",
    "source_lookup",
]
