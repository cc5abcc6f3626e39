"""The derived index behind one Protocol: SQLite is the embedded default; all SQL lives in this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.index.database import *
    from commonplace.index.derived import *
    from commonplace.index.postings import *
    from commonplace.index.protocol import *
    from commonplace.index.reconcile import *
    from commonplace.index.relations import *
    from commonplace.index.rows import *
    from commonplace.index.values import *
    from commonplace.index.vector_keys import *
    from commonplace.index.vector_store import *
else:
    __getattr__ = lazy_names(
        __name__,
        database="is_same_index_file open_index rebuild_index retry_on_disk",
        derived="HiddenPlace LedgerFacts LedgerRelation LedgerRelationOp Relations Replacement RowRelations",
        postings="name_marker repeated_token_marker",
        protocol="Index",
        relations="scoped_signature",
        reconcile="are_from_untrusted find_repeated_spans",
        rows="session_name",
        values=(
            "AllOf AnyOf Dialogue EVERY_YEAR EntityMention FileEntries FileRow Filter IndexEntry IndexedRecord"
            " IndexedTurn MAX_EVENT_DAYS MentionRole OPEN_END OPEN_START Stamp TokenQuery"
        ),
        vector_keys="split_vector_key",
        vector_store="TextVectors VectorModel VectorStore",
    )
