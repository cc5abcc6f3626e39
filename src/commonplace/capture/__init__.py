"""The one way in: an event or a sentence becomes a redacted, dated, attributed capture in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.capture.events import *
    from commonplace.capture.ingestion import *
    from commonplace.capture.migration import *
    from commonplace.capture.pipeline import *
    from commonplace.capture.retaining import *
    from commonplace.capture.write_context import *
else:
    __getattr__ = lazy_names(
        __name__,
        events="Event SourcePosition TRUST_BY_ACTOR event_from_fields",
        ingestion="IngestOptions IngestResult ingest",
        migration="ImportOptions ImportResult Tally import_memory",
        pipeline="CaptureLookups CaptureResult NO_LOOKUPS Span capture_events",
        retaining=(
            "AttributedSentence AuthoredText LOG_HEADING MetLine RETAIN_HEADING RetainResult SUPPORTED_OP"
            " TRIAL_ID finish_retain retain is_only_placeholders origin_entry require_annotatable"
            " require_not_forgotten require_short_names require_text"
        ),
        write_context=(
            "KEY_BYTES KEY_PATH MASKED_PATH TextMasker WriteContext mask_text off_record_since require_on_record"
            " set_off_record text_key workspace_key"
        ),
    )
