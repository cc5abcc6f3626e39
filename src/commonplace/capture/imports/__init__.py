"""Transcripts of other programs become events: a stream of bytes in, fields of captures out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.capture.imports.events import *
    from commonplace.capture.imports.message_content import *
    from commonplace.capture.imports.openclaw import *
    from commonplace.capture.imports.reader import *
    from commonplace.capture.imports.streams import *
else:
    __getattr__ = lazy_names(
        __name__,
        events=(
            "Blank ImportedEvent MAX_SAMPLE_CHARS SetAside SizeLimits StreamItem StreamSource truncate_before_word"
            " truncate_json"
        ),
        message_content="TOOL_CALL_TYPES extract_text object_or_empty parse_message_content parse_number shorten_name",
        openclaw="TOOL_ROLES strip_envelope",
        reader="read_transcript",
        streams="TRUNCATED",
    )
