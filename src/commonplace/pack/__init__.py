"""Turn hits and a budget into a pack of cited lines that never exceeds it, and a receipt that says why."""

from __future__ import annotations

from commonplace.pack.build import build
from commonplace.pack.explain import explain
from commonplace.pack.export import to_context_pack_v1
from commonplace.pack.policy import PackOptions
from commonplace.pack.receipt import receipt

__all__ = ["PackOptions", "build", "explain", "receipt", "to_context_pack_v1"]
