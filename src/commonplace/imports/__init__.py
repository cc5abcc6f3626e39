"""Foreign transcripts become events: a stream of bytes goes in, dicts of the shape of a capture come out."""

from __future__ import annotations

from commonplace.imports.nouns import Blank, Event, Format, SetAside, Source
from commonplace.imports.reading import read

__all__ = ["Blank", "Event", "Format", "SetAside", "Source", "read"]
