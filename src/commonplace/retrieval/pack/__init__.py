"""Turn hits and a token budget into a pack of cited lines that never exceeds it, and a receipt that explains it."""

from __future__ import annotations

from commonplace.retrieval.pack.build import build_pack, to_context_pack_v1
from commonplace.retrieval.pack.policy import PackOptions
from commonplace.retrieval.pack.receipt import explain_receipt, make_receipt

__all__ = ["PackOptions", "build_pack", "explain_receipt", "make_receipt", "to_context_pack_v1"]
