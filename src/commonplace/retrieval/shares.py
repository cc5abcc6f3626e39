"""The numbers that recall and packs share: weights are made of these, for no set tells finer ones apart.

`python -m bench weights` shows how far apart the best of them are when a conversation or a set is left out.
"""

from __future__ import annotations

HALF, QUARTER, TENTH = 0.5, 0.25, 0.1
MAX_EXCERPT_CHARS = 80  # of a line or a value that is told beside another
