"""Tokens, stems, stop words, languages and similarity of text: how the index stores a line and how a query matches it.

All functions are pure. Lines and queries pass through the same ones, so a query for a line has the tokens of the line.
Patterns and stemmers are made at their first use, because the command is started on every turn of an agent.
"""

from __future__ import annotations

from commonplace.language.text.language_detection import detect_language
from commonplace.language.text.query_terms import QueryTerm, is_language_uncertain, query_terms, unspaced_spellings
from commonplace.language.text.sentences import ends_in_question_mark, is_only_addressed, split_sentences
from commonplace.language.text.spelling import (
    candidate_segments,
    join_compound,
    joinable_word_pairs,
    may_be_misspelt,
    rank_near_tokens,
    segment_number,
    spelling_lookup_keys,
    split_compound,
    stem_in_all_languages,
)
from commonplace.language.text.stop_words import is_light_word, is_stop_word
from commonplace.language.text.tokenizer import jaccard_similarity, stem_by_script, stem_to_tokens, tokenize
from commonplace.language.text.unicode import fold_name, name_key, sanitize_line
from commonplace.language.text.word_relations import equivalent_forms, hyponym_tokens, strip_particle

__all__ = [
    "QueryTerm",
    "candidate_segments",
    "detect_language",
    "ends_in_question_mark",
    "equivalent_forms",
    "fold_name",
    "hyponym_tokens",
    "is_language_uncertain",
    "is_light_word",
    "is_only_addressed",
    "is_stop_word",
    "jaccard_similarity",
    "join_compound",
    "joinable_word_pairs",
    "may_be_misspelt",
    "name_key",
    "query_terms",
    "rank_near_tokens",
    "sanitize_line",
    "segment_number",
    "spelling_lookup_keys",
    "split_compound",
    "split_sentences",
    "stem_by_script",
    "stem_in_all_languages",
    "stem_to_tokens",
    "strip_particle",
    "tokenize",
    "unspaced_spellings",
]
