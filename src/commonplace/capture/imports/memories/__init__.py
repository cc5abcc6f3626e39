"""Other memories become events: folders, databases and exports of other programs, read and never written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.capture.imports.memories.imported_memory import *
    from commonplace.capture.imports.memories.reader import *
else:
    __getattr__ = lazy_names(__name__, imported_memory="MemorySystem SYSTEMS", reader="find_memory read_memory")
