"""Ask a memory that another process serves, as if it were here."""

from __future__ import annotations

from commonplace.client.asking import Asks, error_of
from commonplace.client.piped import Piped, spawn

__all__ = ["Asks", "Piped", "error_of", "spawn"]
