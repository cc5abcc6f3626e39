"""What one transaction writes, as SQLite itself tells it row by row, so that what it cannot have touched is kept."""

from __future__ import annotations

import re

import apsw

MOST = 2_000  # rows; of a transaction that writes more nothing is noted, and nothing is kept
# What the full text takes for one token as it stands: other ASCII parts tokens, and capital letters are made small.
_PLAIN = re.compile(r"[a-z0-9_.@/:+#\x80-\U0010ffff-]+")
_ALL_PLAIN = re.compile(r"[ a-z0-9_.@/:+#\x80-\U0010ffff-]*")


class Written:
    """The rows of `records` that were added and those that were changed, and the tokens of what was added.

    `is_more` is true as long as that is all: nothing was removed, and it is not too much to be told.
    """

    def __init__(self) -> None:
        self.added: set[int] = set()
        self.changed: set[int] = set()
        self.tokens: set[str] = set()
        self.is_any = False
        self.is_more = True

    def note(self, kind: int, _database: str, table: str, row: int) -> None:
        """Take in what SQLite tells of one row; tables without row numbers change with those of records, or tell of
        files and journals."""
        if table == "problems":
            return
        self.is_any = True
        if table != "records" or not self.is_more:
            return
        if kind == apsw.SQLITE_INSERT:
            self.added.add(row)
        elif row not in self.added:
            self.changed.add(row)
        self.is_more = kind != apsw.SQLITE_DELETE and len(self.added) + len(self.changed) <= MOST

    def hold(self, texts: str) -> None:
        """Take in the tokens of a row that was added, with spaces between them."""
        if not self.is_more:
            return
        self.is_more = _ALL_PLAIN.fullmatch(texts) is not None
        self.tokens.update(texts.split())

    def may_hold(self, token: str) -> bool:
        """Whether a row that was added may hold the token."""
        return token in self.tokens or not _PLAIN.fullmatch(token)
