"""Transcripts of other programs become events: a stream of bytes in, fields of captures out."""

from __future__ import annotations

from commonplace.capture.imports.events import Blank, ImportedEvent, SetAside, StreamSource
from commonplace.capture.imports.reader import read_transcript

__all__ = ["Blank", "ImportedEvent", "SetAside", "StreamSource", "read_transcript"]
