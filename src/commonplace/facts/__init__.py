"""Read what a text says and is worth keeping, without a model: text in, claims out."""

from __future__ import annotations

from commonplace.facts.attributes import single_valued
from commonplace.facts.extracting import extract
from commonplace.facts.keys import keyed
from commonplace.facts.nouns import Claim, Sort

__all__ = ["Claim", "Sort", "extract", "keyed", "single_valued"]
