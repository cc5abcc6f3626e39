"""The values that the methods of an index take and return."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Evidence, Kind, Problem, Record, Role, Trust


class AllOf(Struct, frozen=True):
    """All parts must match."""

    parts: tuple[TokenQuery, ...]


class AnyOf(Struct, frozen=True):
    """One part is enough."""

    parts: tuple[TokenQuery, ...]


TokenQuery = str | AllOf | AnyOf


def render_match_expression(token_query: TokenQuery) -> str:
    """The FTS5 query; tokens are quoted, so that none of them is an operator."""
    if isinstance(token_query, str):
        return '"' + token_query.replace('"', '""') + '"'
    parts = [render_match_expression(part) for part in token_query.parts]
    if len(parts) == 1:
        return parts[0]
    return "(" + (" AND " if isinstance(token_query, AllOf) else " OR ").join(parts) + ")"


Stamp = tuple[int, int, int, int]  # size, mtime in ns, ctime in ns, inode
EVERY_YEAR = "0004"  # the year of a time of a line that tells neither a year nor its own day; a leap year
MAX_EVENT_DAYS = 370  # days; longer times that a line names are not indexed: ten years name none of their days
OPEN_START, OPEN_END = "0000", "9999"  # of what holds, and nobody knows since when or until when
MentionRole = Literal["speaker", "mention", "page"]
EntityMention = tuple[int, str, str]  # row, folded name, role


class FileRow(Struct, frozen=True):
    """A file as last read. `origin` is its first path."""

    path: str
    origin: str
    digest: str
    stamp: Stamp
    role: Role = "note"
    title: str = ""
    record_count: int = 0


class IndexEntry(Struct, frozen=True):
    """A record made ready for the index: its tokens, the period it holds in, the entities it names.

    `tokens` and `context` are index tokens, each between two spaces of its own; `starts`/`ends` are inclusive ISO
    minutes, OPEN_START or OPEN_END where one of them is not known, and empty where neither is; `mentions` are (folded
    name, role, name as written), `events` the half-open periods that its text names; `signatures` are 63-bit hashes,
    shared by the lines that it may replace or be a twin of; `standing_grade` grows with how much it must always be
    known, 0 for what is only to be found.
    """

    record: Record
    tokens: str
    context: str
    token_count: int
    text_digest: str
    starts: str = ""
    ends: str = ""
    mentions: tuple[tuple[str, MentionRole, str], ...] = ()
    events: tuple[tuple[str, str], ...] = ()
    signatures: tuple[int, ...] = ()
    standing_grade: int = 0


class FileEntries(Struct, frozen=True):
    """The index entries of one file; `names` are (folded name, name) of the page, `is_entity` if it is an entity's."""

    file_row: FileRow
    entries: tuple[IndexEntry, ...]
    names: tuple[tuple[str, str], ...] = ()
    is_entity: bool = False
    problems: tuple[Problem, ...] = ()


class Filter(Struct, frozen=True):
    """Which records a query may see; None or empty means any.

    `scopes` lists the scopes to be seen (the shared one is the empty string). `since` (inclusive) and `until`
    (exclusive) are ISO minutes. `as_of` is one too: only what held until it. `known_at` is one: only what was recorded
    before it, and not replaced by then. `history` shows superseded records too; `evidence` says whether captures are
    let through, or they alone, or those that state something; `vouched` lets only trusted ones through. `decided`
    leaves out what waits for review.
    """

    kinds: tuple[Kind, ...] = ()
    categories: tuple[str, ...] = ()
    scopes: tuple[str, ...] | None = None
    trusts: tuple[Trust, ...] = ()
    since: str = ""
    until: str = ""
    as_of: str = ""
    known_at: str = ""
    history: bool = False
    evidence: Evidence = "auto"
    vouched: bool = False
    decided: bool = False


class IndexedRecord(Struct, frozen=True, gc=False):
    """A record as the index stores it, with its row number and tokens."""

    row_id: int
    record: Record
    tokens: str
    context: str
    token_count: int


class IndexedTurn(Struct, frozen=True, gc=False):
    """The data of a record that scoring needs; `tokens` and `context` as in `IndexedRecord`."""

    row_id: int
    tokens: str
    context: str
    token_count: int
    speaker: str
    actor: str
    text: str


class Dialogue(Struct, frozen=True, eq=False, weakref=True):
    """Turns of one dialogue in order, and how many it has in all; None stands where turns are left out or hidden.

    As long as nothing changes, and one filter is asked for, the same dialogue may be the same object.
    """

    turns: tuple[IndexedTurn | None, ...]
    size: int
