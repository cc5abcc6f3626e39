"""Lines that say something else since they were edited: what else states their old values is superseded by them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from commonplace.capture import text_key
from commonplace.errors import NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.index import Index
from commonplace.model import Document, Record
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import path_role
from commonplace.sync.journals import EDITED_OP, index_ledger

FACT_ROLES = ("core", "warm", "bank", "entity")  # where a line is a fact; what was noted down of a day stays so
MIN_KEPT_SHARE = 0.4  # of the words of the shorter wording, which both have


def append_edits(index: Index, journal: Journal, document: Document, now: str) -> None:
    """Write to the ledger what states the old values of lines that were edited since the file was indexed."""
    from commonplace.truth import find_echoes

    lines = []
    for old, new in _find_edits(index, document) if path_role(document.path) in FACT_ROLES else ():
        echoes = [one.id for one in find_echoes(index, (old,), new.text) if one.scope == new.scope and one.id != new.id]
        lines += [{"op": EDITED_OP, "ts": now, "record": new.id, "records": echoes}] if echoes else []
    if lines:
        with suppress(NotFound, OutsideWorkspace, WorkspaceUnusable):
            journal.append_all(lines, "ledger")
            index_ledger(index, journal)


def _find_edits(index: Index, document: Document) -> Iterator[tuple[Record, Record]]:
    """(before, now) of the lines that say something else of the same thing."""
    from commonplace.truth import content_tokens

    indexed = {row: digest for row, _id, _path, digest in index.outlines(index.rows_of_file(document.path))}
    records = {text_key(one.text): one for one in document.records}
    gone = index.fetch([row for row, digest in indexed.items() if digest not in records]).values()
    old_words = [(one.record, frozenset(content_tokens(one.record.text))) for one in gone]
    for new in (one for digest, one in records.items() if gone and digest not in indexed.values()):
        words = frozenset(content_tokens(new.text))
        old, own = max(old_words, key=lambda pair: len(words & pair[1]))
        if len(words & own) >= MIN_KEPT_SHARE * max(1, min(len(words), len(own))):
            yield old, new
