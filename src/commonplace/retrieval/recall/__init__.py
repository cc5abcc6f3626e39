"""A query becomes ranked hits, each with the reasons for its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.retrieval.recall.candidates import *
    from commonplace.retrieval.recall.citations import *
    from commonplace.retrieval.recall.current_values import *
    from commonplace.retrieval.recall.entity_names import *
    from commonplace.retrieval.recall.explain import *
    from commonplace.retrieval.recall.filters import *
    from commonplace.retrieval.recall.lane_input import *
    from commonplace.retrieval.recall.lookup import *
    from commonplace.retrieval.recall.omissions import *
    from commonplace.retrieval.recall.pipeline import *
    from commonplace.retrieval.recall.question_analysis import *
    from commonplace.retrieval.recall.scoring import *
    from commonplace.retrieval.recall.search_syntax import *
else:
    __getattr__ = lazy_names(
        __name__,
        candidates="source_ids",
        current_values="content_tokens order_values",
        citations="parse_line_reference ResolvedCitation format_anchored_citation format_citation parse_citation",
        entity_names="expand_aliases",
        explain="Counterfactual RecallArguments RecallExplanation explain_recall",
        filters="build_record_filter parse_time_bound",
        lane_input="VectorSource",
        lookup=(
            "HIDDEN_LINE JOURNAL_FOLDER count_naming_lines find_cited find_entity_records find_related_names"
            " find_surroundings group_names hidden_lines list_timeline select_newest_rows show_reference split_lines"
            " view_lines"
        ),
        omissions="ComparedHit Stage WhyNot why_not",
        pipeline="RecallTrace recall trace_recall",
        question_analysis="asks_what_was_asked is_person_name",
        scoring="FACTOR_SIGN format_arithmetic",
        search_syntax="has_search_syntax parse_search read_search",
    )
