"""The surroundings of a line that decide what it means."""

from __future__ import annotations

from msgspec import Struct

from commonplace.extract import KeyRegistry
from commonplace.truth.names import NameTable


class LineContext(Struct, frozen=True):
    """The surroundings of a text that decide what it means.

    `language` is a code, empty to detect it; `speaker` is who says it; `entities` are its marks, `heading` the titles
    above it. `is_talk` is true for captured messages, and false for lines that somebody wrote down.
    `names` are those of the notebook, `registry` its keys; None means the packaged ones.
    """

    language: str = ""
    speaker: str = ""
    entities: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    is_talk: bool = False
    names: NameTable = NameTable()
    registry: KeyRegistry | None = None
