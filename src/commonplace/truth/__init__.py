"""Compare statements, decide which of two is newer, and derive what holds now; pure functions of lines and ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.truth.change_words import *
    from commonplace.truth.comparison import *
    from commonplace.truth.evidence import *
    from commonplace.truth.facts import *
    from commonplace.truth.relations import *
    from commonplace.truth.signatures import *
    from commonplace.truth.statements import *
    from commonplace.truth.talk import *
    from commonplace.truth.vocabulary import *
else:
    __getattr__ = lazy_names(
        __name__,
        change_words="Phrase change_words_of labels_of",
        comparison="Comparison Verdict compare_statements is_worded_alike",
        evidence="derive_beliefs describe_belief find_changed_source find_disputes find_echoes",
        facts="Fact FactFault FactLine SubjectFacts facts_at find_conflicts find_faults",
        relations=(
            "ComparedLine EXCLUDED_PATHS Effect MANY_HOLDERS MAX_RAREST_WORDS NearQuery SaidOrder StatedLine"
            " compare_lines content_tokens derive_relations dissimilarity_key find_nearest make_near_query said_order"
        ),
        signatures="Statement key_signature",
        statements="read_statements",
        talk=(
            "LASTING_LABELS MAX_PASSING_COLUMNS MIN_WIDTH_COLUMNS REFERENCE_DAY classify_speech_act column_width"
            " has_personal_words is_acknowledgement is_in_past is_transient_state is_written_statement"
        ),
        vocabulary="LineContext NameTable Vocabulary build_name_table find_owner read_vocabulary resolve_subject",
    )
