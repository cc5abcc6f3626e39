"""Compare statements, decide which of two is newer, and derive what holds now; pure functions of lines and ledger."""

from __future__ import annotations

from commonplace.truth.comparison import Comparison, Verdict, compare_statements
from commonplace.truth.statements import LineContext, Statement, read_statements

__all__ = ["Comparison", "LineContext", "Statement", "Verdict", "compare_statements", "read_statements"]
