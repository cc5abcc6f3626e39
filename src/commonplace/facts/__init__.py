"""Facts: read what a text says and is worth keeping, without a model. Text in, claims out.

Rules and word lists per language are data under `languages/`; precision comes first: what is asked, supposed, wished
or quoted is no claim, and every claim names the characters it rests on.
"""

from __future__ import annotations

from commonplace.facts.attributes import single_valued
from commonplace.facts.extracting import extract
from commonplace.facts.keys import keyed
from commonplace.facts.nouns import Claim, Sort

__all__ = ["Claim", "Sort", "extract", "keyed", "single_valued"]
