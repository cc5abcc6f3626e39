"""The one way in: an event or a sentence becomes a redacted, dated, attributed capture in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.capture.events import Event, SourcePosition, event_from_fields
    from commonplace.capture.pipeline import CaptureLookups, CaptureResult, capture_events
    from commonplace.capture.retaining import AttributedSentence, RetainResult, finish_retain, log_sentence, retain
    from commonplace.capture.write_context import KEY_BYTES, KEY_PATH, WriteContext, text_key, workspace_key

__all__ = [
    "KEY_BYTES",
    "KEY_PATH",
    "AttributedSentence",
    "CaptureLookups",
    "CaptureResult",
    "Event",
    "RetainResult",
    "SourcePosition",
    "WriteContext",
    "capture_events",
    "event_from_fields",
    "finish_retain",
    "log_sentence",
    "retain",
    "text_key",
    "workspace_key",
]

_MODULES = {
    "commonplace.capture.events": (
        "Event",
        "SourcePosition",
        "event_from_fields",
    ),
    "commonplace.capture.pipeline": (
        "CaptureLookups",
        "CaptureResult",
        "capture_events",
    ),
    "commonplace.capture.write_context": (
        "KEY_BYTES",
        "KEY_PATH",
        "WriteContext",
        "text_key",
        "workspace_key",
    ),
    "commonplace.capture.retaining": (
        "AttributedSentence",
        "RetainResult",
        "finish_retain",
        "log_sentence",
        "retain",
    ),
}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is first asked for: a host that captures loads no parser of Markdown."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
