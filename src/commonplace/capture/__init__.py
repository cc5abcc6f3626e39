"""The one way in: an event or a sentence becomes a redacted, dated, attributed capture in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.capture.events import *
    from commonplace.capture.pipeline import *
    from commonplace.capture.retaining import *
    from commonplace.capture.write_context import *
else:
    __getattr__ = lazy_names(
        __name__,
        events="Event SourcePosition event_from_fields",
        pipeline="CaptureLookups CaptureResult capture_events",
        retaining="AttributedSentence RetainResult finish_retain log_sentence retain",
        write_context="KEY_BYTES KEY_PATH WriteContext text_key workspace_key",
    )
