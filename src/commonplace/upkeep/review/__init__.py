"""Review by a person: the review queue, recent writes, tags, repeated learnings, golden questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.review.changes import *
    from commonplace.upkeep.review.golden_questions import *
    from commonplace.upkeep.review.listings import *
    from commonplace.upkeep.review.queue import *
else:
    __getattr__ = lazy_names(
        __name__,
        changes=(
            "AuditedWrite append_pairs audit_writes diff_change find_replaced_pairs read_changes"
            " restore_replaced_lines restore_struck_lines restored_texts withdraw_support"
        ),
        golden_questions=(
            "ANY_SCOPE AnswerTarget GoldenQuestions Question QuestionResult compare_ranks parse_golden_questions"
            " rank_expectations resolve_anchors"
        ),
        listings="Learning Tag find_tagged_records list_tags read_learnings",
        queue=(
            "ExplainedItem ExplainedQueue ReviewDecision approve_queued_item edit_queued_item find_removed_by_hand"
            " finish_decision queue_choice read_queue reject_queued_item"
        ),
    )
