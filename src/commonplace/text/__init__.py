"""Scripts, tokens, stems, stop words, similarity: what the index stores for a line and how a query meets it.

Everything here is pure. Lines and queries go through the same functions, so that whatever a line is stored as, a query
for it becomes the same. Patterns and stemmers are made at first use: the command line is started on every agent turn.
"""

from __future__ import annotations

from commonplace.text.addressed import addresses
from commonplace.text.folding import fold, one_line
from commonplace.text.languages import language
from commonplace.text.light import is_light
from commonplace.text.members import members
from commonplace.text.names import name_key
from commonplace.text.near import may_be_near, near_spellings, nearest, stems
from commonplace.text.queries import Term, query_terms
from commonplace.text.sentence import asks, sentences
from commonplace.text.stops import is_stop
from commonplace.text.tokenize import similarity, tokens

__all__ = [
    "Term",
    "addresses",
    "asks",
    "fold",
    "is_light",
    "is_stop",
    "language",
    "may_be_near",
    "members",
    "name_key",
    "near_spellings",
    "nearest",
    "one_line",
    "query_terms",
    "sentences",
    "similarity",
    "stems",
    "tokens",
]
