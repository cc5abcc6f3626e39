"""Tokens beside those of a text: which words it says more than once, and whom it names; none that anybody types."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from hashlib import blake2b

from commonplace.index.protocol import Entry

# Of the private use area, which no token of a text begins with unless the text does.
_AGAIN, _NAMED = "\ue000", "\ue001"


def again(token: str) -> str:
    """The mark of a record that holds the token more than once, in its text and its titles together."""
    return _AGAIN + token


@lru_cache(4_096)
def naming(key: str) -> str:
    """The mark of a record that names or is spoken by whom the folded name means."""
    return _NAMED + blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def marks(entry: Entry) -> str:
    """All marks of an entry, with spaces between them."""
    held = (entry.tokens + entry.context).split()
    found = {naming(key) for key, _role, _name in entry.mentions}
    if len(set(held)) < len(held):
        found.update(again(token) for token, count in Counter(held).items() if count > 1)
    return " ".join(sorted(found))
