"""Compare statements, decide which of two is newer, and derive what holds now; pure functions of lines and ledger."""

from __future__ import annotations

from commonplace.truth.comparison import Comparison, Verdict, compare_statements
from commonplace.truth.facts import (
    Fact,
    FactFault,
    FactLine,
    FactSource,
    SubjectFacts,
    facts_at,
    find_faults,
    make_fault,
)
from commonplace.truth.opinions import REVIEW_QUEUE_PATH, derive_beliefs, derive_confidence, find_disputes
from commonplace.truth.order import SaidOrder, is_said_later, said_order
from commonplace.truth.relations import ComparedLine, derive_relations
from commonplace.truth.signatures import key_signature
from commonplace.truth.sources import ChangedSource, SourceLookup, find_changed_source, source_lookup
from commonplace.truth.statements import LineContext, Statement, read_statements
from commonplace.truth.vocabulary import Vocabulary, find_owner, load_key_registry, read_vocabulary

__all__ = [
    "REVIEW_QUEUE_PATH",
    "ChangedSource",
    "ComparedLine",
    "Comparison",
    "Fact",
    "FactFault",
    "FactLine",
    "FactSource",
    "LineContext",
    "SaidOrder",
    "SourceLookup",
    "Statement",
    "SubjectFacts",
    "Verdict",
    "Vocabulary",
    "compare_statements",
    "derive_beliefs",
    "derive_confidence",
    "derive_relations",
    "facts_at",
    "find_changed_source",
    "find_disputes",
    "find_faults",
    "find_owner",
    "is_said_later",
    "key_signature",
    "load_key_registry",
    "make_fault",
    "read_statements",
    "read_vocabulary",
    "said_order",
    "source_lookup",
]
