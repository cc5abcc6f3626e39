"""Forget on request: find what a wish concerns, hide it, and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.forget.due import *
    from commonplace.upkeep.forget.erasure import *
    from commonplace.upkeep.forget.history import *
    from commonplace.upkeep.forget.owner_wishes import *
    from commonplace.upkeep.forget.run import *
    from commonplace.upkeep.forget.scan import *
    from commonplace.upkeep.forget.selection import *
else:
    __getattr__ = lazy_names(
        __name__,
        due="DueTexts describe_places find_due find_hidden match_hidden without_hidden",
        erasure="TextMatcher cut_reasons describe_texts digest_words",
        owner_wishes=(
            "BY_HAND OwnMessage find_own_messages is_wished make_forget_item queue_agent_questions queue_forget_items"
        ),
        history="Forgetting list_forgettings",
        run=(
            "ErasureManifest ForgetResult describe_erasure describe_wish erase_texts find_sentences finish_erasure"
            " log_erasure_intent plan_erasure write_manifest"
        ),
        scan="RemainingText TextScan scan_folders",
        selection=(
            "ForgetReason ForgetWish SelectedRecord find_short_forms hide_ids hide_records select_records show_again"
        ),
    )
