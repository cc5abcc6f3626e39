"""Scripts, tokens, stems, stop words, similarity: what the index stores for a line and how a query meets it.

Everything here is pure. Lines and queries go through the same functions, so that whatever a line is stored as, a query
for it becomes the same. Patterns and stemmers are made at first use: the command line is started on every agent turn.
"""

from __future__ import annotations

from commonplace.text.addressed import addresses
from commonplace.text.compounds import as_one, halves, neighbours, parted, segments
from commonplace.text.folding import fold, one_line
from commonplace.text.languages import language
from commonplace.text.light import is_light
from commonplace.text.members import members
from commonplace.text.names import name_key
from commonplace.text.near import may_be_near, near_spellings, nearest, stems
from commonplace.text.queries import Term, is_undecided, query_terms, spellings
from commonplace.text.sentence import asks, sentences
from commonplace.text.stops import is_stop
from commonplace.text.tokenize import forms_of, script_stems, similarity, tokens
from commonplace.text.variants import counterparts, without_particle

__all__ = [
    "Term",
    "addresses",
    "as_one",
    "asks",
    "counterparts",
    "fold",
    "forms_of",
    "halves",
    "is_light",
    "is_stop",
    "is_undecided",
    "language",
    "may_be_near",
    "members",
    "name_key",
    "near_spellings",
    "nearest",
    "neighbours",
    "one_line",
    "parted",
    "query_terms",
    "script_stems",
    "segments",
    "sentences",
    "similarity",
    "spellings",
    "stems",
    "tokens",
    "without_particle",
]
