"""Files (Markdown and journals) to index: what changed is decided as data first and applied second."""

from __future__ import annotations

from commonplace.sync.notebook import Notebook, Synced, build, catch_up, plan, synchronise

__all__ = ["Notebook", "Synced", "build", "catch_up", "plan", "synchronise"]
