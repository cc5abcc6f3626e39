"""Tokens beside those of a text: which words it says more than once or again, and whom it names; nobody types them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from hashlib import blake2b

from commonplace.index.protocol import Entry

# Of the private use area, which no token of a text begins with unless the text does.
_AGAIN, _NAMED, _RETOLD = "\ue000", "\ue001", "\ue002"
EPISODES = "memory/episodes/"  # these tell what was captured


def again(token: str) -> str:
    """The mark of a record that holds the token more than once, in its text and its titles together."""
    return _AGAIN + token


@lru_cache(4_096)
def naming(key: str) -> str:
    """The mark of a record that names or is spoken by whom the folded name means."""
    return _NAMED + blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def retelling(token: str) -> str:
    """The mark of a record that holds the token and tells a capture again."""
    return _RETOLD + token


def retells(entry: Entry) -> bool:
    """Whether an entry is a line of an episode that rests on captures: these say it already."""
    return bool(entry.record.sources) and entry.record.source.path.startswith(EPISODES)


def marks(entry: Entry) -> str:
    """All marks of an entry, with spaces between them."""
    held = (entry.tokens + entry.context).split()
    found = {naming(key) for key, _role, _name in entry.mentions}
    if len(set(held)) < len(held):
        found.update(again(token) for token, count in Counter(held).items() if count > 1)
    if retells(entry):
        found.update(map(retelling, held))
    return " ".join(sorted(found))
