"""Tokens, stems, stop words, languages and similarity of text: how the index stores a line and how a query matches it.

All functions are pure. Lines and queries pass through the same ones, so a query for a line has the tokens of the line.
Patterns and stemmers are made at their first use, because the command is started on every turn of an agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.language.text.language_detection import *
    from commonplace.language.text.phrase_matcher import *
    from commonplace.language.text.sentences import *
    from commonplace.language.text.shingles import *
    from commonplace.language.text.spelling import *
    from commonplace.language.text.term_expansion import *
    from commonplace.language.text.tokenizer import *
    from commonplace.language.text.unicode import *
    from commonplace.language.text.word_relations import *
else:
    __getattr__ = lazy_names(
        __name__,
        language_detection=(
            "all_function_words detect_language has_only_light_words is_light_word is_stop_word stop_words"
        ),
        phrase_matcher=(
            "FIRST_EAST_ASIAN_CHAR PhraseMatch SPACED_WORD_LISTS UNSPACED_WORD_LISTS WORD_LIST_LANGUAGES"
            " languages_of likely_languages match_labels match_phrases split_units"
        ),
        sentences="ends_in_question_mark is_only_addressed split_sentences",
        shingles=(
            "FRAME_FOOT FRAME_HEAD MIN_COPIED_SHINGLES RECALLED_PLACEHOLDER SHINGLE_MASK TextSpan find_copied_sentences"
            " find_copied_spans hash_shingles hash_unquoted_shingles is_copied is_mostly_quoted locate_shingles"
            " strip_frames"
        ),
        spelling=(
            "candidate_segments derived_tokens is_one_edit is_part_or_compound joinable_word_pairs may_be_misspelt"
            " rank_near_tokens segment_number spelling_lookup_keys split_compound stem_in_all_languages"
        ),
        term_expansion="QueryTerm hyponym_tokens is_language_uncertain query_terms unspaced_spellings",
        tokenizer="TextCache jaccard_similarity stem_by_script stem_to_tokens tokenize",
        unicode="fold_name name_key sanitize_line",
        word_relations=(
            "StatedNumber equivalent_forms find_numbers irregular_word_forms read_han_number strip_particle"
            " write_figures write_number_words"
        ),
    )
