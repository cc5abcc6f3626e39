"""From captures to records and episodes: propose claims, compare and judge them, plan the edits, write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.consolidate.claim_record import *
    from commonplace.upkeep.consolidate.claims import validity_days as validity_days
    from commonplace.upkeep.consolidate.existing_records import *
    from commonplace.upkeep.consolidate.file_edits import *
    from commonplace.upkeep.consolidate.findability import *
    from commonplace.upkeep.consolidate.history import *
    from commonplace.upkeep.consolidate.orders import *
    from commonplace.upkeep.consolidate.planning import *
    from commonplace.upkeep.consolidate.runs import *
else:
    __getattr__ = lazy_names(
        __name__,
        claims="validity_days",
        claim_record="ClaimRecord DEFAULT_OWNER Destination LedgerStatement words_key",
        existing_records="ExistingRecords",
        file_edits=(
            "AddedLine CORE_DESTINATION FORGET_PREFIX FileEdits HEADING_BY_REASON ReviewItem STRIKETHROUGH"
            " annotated_fields apply_file_edits choose_destination describe_choice make_choice_item parse_queue"
            " render_queue_line replace_annotation_value restore_struck_line strip_line_decoration"
        ),
        findability="FindabilityResult claim_from_record findability_warning make_questions rank_in_hits",
        history="LedgerHistory",
        orders="OrderAnswer WorkOrder decode_order_answer",
        planning="ConsolidationPlan SKIP_REASON_SENTENCES",
        runs="ConsolidateOptions ConsolidationRun minutes_before open_order run_consolidation write_plan",
    )
