"""The derived index in SQLite; all SQL lives in this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.index.database import *
    from commonplace.index.nouns import *
    from commonplace.index.postings import *
    from commonplace.index.relations import *
    from commonplace.index.rows import *
    from commonplace.index.store import *
    from commonplace.index.vector_store import *
else:
    __getattr__ = lazy_names(
        __name__,
        database="is_same_index_file open_index rebuild_index retry_on_disk",
        postings="name_marker repeated_token_marker",
        nouns=(
            "AllOf AnyOf Dialogue EntityMention FileEntries FileRow Filter IndexEntry IndexedRecord"
            " IndexedTurn LedgerFacts LedgerRelation LedgerRelationOp MAX_EVENT_DAYS MentionRole OPEN_END OPEN_START"
            " Relations Replacement RowRelations Stamp TokenQuery"
        ),
        relations="scoped_signature",
        rows="session_name",
        store="Index are_from_untrusted find_repeated_spans",
        vector_store="TextVectors VectorModel VectorStore",
    )
