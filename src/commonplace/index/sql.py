"""The tables, the execution of statements and its errors, filters as SQL conditions, and the canonical dump."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from zlib import crc32

import apsw
from msgspec import json

from commonplace.errors import UNWRITABLE, CommonplaceError, Interrupted, LockBusy, WorkspaceUnusable
from commonplace.index.values import Filter
from commonplace.storage.workspace import QUEUE_PATH


def _parse_script(script: str) -> tuple[tuple[str, str], ...]:
    """The statements of a script with the comments behind them, which say what they are for: (comment, statement)."""
    first, *rest = script.split("-- ")
    pieces = [part.partition("\n") for part in rest]
    statements = (first, *(statement for _purpose, _newline, statement in pieces))
    return tuple(
        (purpose, statement.strip().removesuffix(";"))
        for (purpose, *_rest), statement in zip(pieces, statements, strict=False)
    )


TABLES = _parse_script("""\
create table files (
    path text primary key, origin text not null, role text not null, title text not null,
    digest text not null, size integer not null, mtime integer not null, ctime integer not null,
    inode integer not null, records integer not null
) without rowid; -- one row a Markdown file as last read; the stamp (size, times, inode) spares reading it again
create table records (
    rowid integer primary key, length integer not null, scope text not null, kind text not null,
    category text not null, trust text not null, superseded_by text not null, actor text not null,
    retold integer not null default 0, speech_act text not null, dialogue integer not null,
    standing integer not null, time text not null,
    starts text not null, ends text not null, recorded text not null, id text not null, claim text not null,
    path text not null, line_start integer not null, line_end integer not null, byte_start integer not null,
    byte_end integer not null, digest text not null, form text not null, speaker text not null,
    valid_from text not null, valid_to text not null, confidence real, importance real,
    said_trust text not null, annotated integer not null, heading text not null, entities text not null,
    tags text not null, links text not null, triggers text not null, supersedes text not null,
    sources text not null, session text not null, text text not null, text_digest text not null,
    tokens text not null, context text not null, id_chars integer not null default 10
); -- one row a record, from `FIRST_CAPTURE_ROW` on a capture, cited by `id_chars` of its id; filters read first
create virtual table lines using fts5(
    text, context, marks, content='', contentless_delete=1, tokenize="ascii tokenchars '_.-@/:+#'"
); -- full text over the tokens that `text/` makes: of the text, of the titles above it, and what `marks` adds
insert into lines (lines, rank) values ('hashsize', 8388608);
-- tokens wait in this much memory before they are written: fewer, larger segments, a third less time to fill
create virtual table vocabulary using fts5vocab(lines, 'row'); -- how many records hold a token
create table mentions (
    key text not null, record integer not null, role text not null, name text not null,
    primary key (key, record, role)
) without rowid; -- which record names which entity, by folded name; role tells how
create table pages (
    key text not null, path text not null, name text not null, entity integer not null,
    primary key (key, path)
) without rowid; -- names of pages (title, file name, aliases), by folded name
create table tags (tag text not null, record integer not null, primary key (tag, record)) without rowid;
-- the tags of a record
create table links (
    target text not null, record integer not null, primary key (target, record)
) without rowid; -- the links of a record, by folded name of their target
create table supersessions (
    target text not null, record integer not null, primary key (target, record)
) without rowid; -- which record says that it replaces which
create table derivations (
    source text not null, record integer not null, primary key (source, record)
) without rowid; -- which record rests on which source
create table events (
    begins text not null, closes text not null, record integer not null, primary key (begins, closes, record)
) without rowid; -- the stretches of time that a record tells of
create table signatures (signature integer not null, record integer not null);
-- hashes that depend on a line and its scope alone: lines that share one may replace each other
create table replacements (
    signature integer not null, older integer not null, newer integer not null, since text not null,
    order_key text not null, old_value text not null, new_value text not null, reason text not null,
    primary key (signature, older, newer)
) without rowid; -- which record replaces which, as derived among the lines of one signature
create table twins (
    chain integer not null, position integer not null, record integer not null,
    primary key (chain, position, record)
) without rowid; -- lines that differ in one place alone, by signature, in order of being said
create table ledger_relations (
    id text not null, op text not null, other text not null, time text not null, primary key (id, op, other)
) without rowid;
-- what the ledger says of a record, by id, and another one, a source of it or the digest of its text; and when
create table problems (
    source text not null, path text not null, line integer not null, code text not null,
    message text not null, hint text not null
); -- what is wrong in the files; `source` is the file that was parsed, or what else was looked at
create table origins (key text primary key, trust text not null) without rowid;
-- trust as the ledger knows it, by record id, by digest of the text, and by both with a space between
create table moves (path text primary key, origin text not null, line text not null) without rowid;
-- where a file stood at first sight, and which ledger line says so
create table usage (
    id text primary key, included integer not null default 0, used integer not null default 0
) without rowid; -- how often a record was packed and used, as the ledger counts
create table captured (key text primary key) without rowid;
-- the keys under which the sources of captures know them, so that none is taken twice
create table explained (id text primary key) without rowid; -- records that the ledger says were put away on purpose
create table hidden (id text not null, line text not null, sentences text not null, primary key (id, line))
    without rowid; -- records and captures that are to be forgotten, whole or in part, and the ledger lines that say so
create table restored (line text primary key) without rowid; -- those of these ledger lines that were undone
create table hidden_places (
    path text not null, first_line integer not null, last_line integer not null, id text not null,
    primary key (path, first_line, id)
) without rowid; -- where the texts of the hidden ones stand, as long as they are in the files
create table taints (hash integer primary key); -- shingles (hashed runs of four words) of what cannot be trusted
create table spoken (id integer primary key, digest text not null unique, owner integer not null);
-- the texts whose shingles are kept: those of Markdown by digest, what the owner said by the id of the capture
create table shingles (
    hash integer not null, alone integer not null, text integer not null, primary key (hash, alone, text)
) without rowid; -- which shingles stand in which text, and which are alone there; kept only where somebody needs them
create table tainted (digest text primary key) without rowid;
-- digests of texts that share so many shingles with what cannot be trusted that they were taken from it
create table meta (key text primary key, value) without rowid;
-- how far each journal was read, and sums that queries need
""")

# Made after the first rows are in: filling a table that has no indexes takes half of the time.
INDEXES = _parse_script("""\
create index records_visible on records (
    superseded_by, scope, trust, kind, category, actor, retold, speech_act, length
); -- what the usual filters read, and the length of each text, without touching the texts
create index records_id on records (id); -- find a record by its id
create index records_claim on records (claim); -- find the records that claim one id, to settle who keeps it
create index records_rivals on records (path) where annotated and id <> claim;
-- find the records whose id another has
create index records_path on records (path, line_start); -- find the records of a file in order
create index records_time on records (time) where time <> ''; -- find the records of a stretch of time
create index records_newest on records (iif(time = '', starts, time)); -- find the newest records
create index records_valid on records (starts) where starts <> ''; -- find the records that hold in a stretch
create index records_unseen on records (id) where recorded = '' and form <> 'heading';
-- find what nobody knows when it was written
create index records_recorded on records (recorded, retold, scope, trust, form)
    where recorded <> '' and form <> 'heading'; -- count what was written down by day, and find the newest
create index records_standing on records (standing, importance) where standing <> 0; -- find what must always be known
create index records_scope on records (scope) where scope <> ''; -- find the records of a scope
create index records_superseded on records (superseded_by) where superseded_by <> ''; -- find the superseded records
create index records_dialogue on records (
    dialogue, iif(actor <> '', time, ''), path, line_start, byte_start
) where dialogue <> 0; -- read a dialogue in order: captures by time, the lines of a log as they stand
create index records_session on records (session) where session <> ''; -- find the captures of a session
create index records_text on records (text_digest); -- find records by the digest of their text
create index mentions_record on mentions (record); -- drop a record's mentions with it
create index pages_path on pages (path); -- drop a file's names with it
create index tags_record on tags (record); -- drop a record's tags with it
create index links_record on links (record); -- drop a record's links with it
create index supersessions_record on supersessions (record); -- drop a record's supersessions with it
create index derivations_record on derivations (record); -- drop a record's derivations with it
create index events_record on events (record); -- drop a record's times with it
create index signatures_signature on signatures (signature); -- find the lines of a signature
create index signatures_record on signatures (record); -- drop a record's signatures with it
create index replacements_older on replacements (older); -- find what replaces a record
create index replacements_newer on replacements (newer); -- find what a record replaces
create index twins_record on twins (record); -- find the twins of a record
create index ledger_relations_source on ledger_relations (other) where op = 'supported';
-- find the records that a source supports
create index ledger_relations_edits on ledger_relations (id, other) where op = 'edited'; -- find what edits supersede
create index problems_source on problems (source); -- drop a file's problems with it
""")

STORED_FORMAT = 18  # to be raised when rows say something else in the same columns
# An index of other tables than these is rebuilt.
SCHEMA_VERSION = crc32(json.encode([statement for _purpose, statement in (*TABLES, *INDEXES)]), STORED_FORMAT) >> 1

# The last steps of a build.
FINAL_STATEMENTS = _parse_script("""\
insert into lines (lines) values ('optimize');
-- join the pieces in which the full text was written: a word is looked up in each
insert into lines (lines, rank) values ('crisismerge', 4);
-- join the small pieces that later writes leave as soon as there are four (else sixteen)
""")
INTERRUPTED_MESSAGE = "the index was told to stop"
BUSY_MS = 3_000
TRUST_RANK = "case {} when 'quarantined' then 0 when 'untrusted' then 1 when 'unknown' then 2 else 3 end"  # of a trust
UNWRITABLE_ERRORS = (apsw.FullError, apsw.ReadOnlyError, apsw.PermissionsError)  # for want of room, or of leave
CORRUPTION_ERRORS = (apsw.CorruptError, apsw.NotADBError)
SQLITE_ERRORS = (
    *CORRUPTION_ERRORS,
    apsw.InterruptError,
    apsw.BusyError,
    apsw.IOError,
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    UnicodeDecodeError,
)


STEPS_BETWEEN_CHECKS = 100_000  # of SQLite's machine, about a millisecond: `interrupt` misses what is about to begin


class InterruptibleConnection(apsw.Connection):
    """A connection that another thread can interrupt; a write is completed first."""

    is_stopped = False
    is_shielded = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.set_progress_handler(lambda: self.is_stopped and not self.is_shielded, STEPS_BETWEEN_CHECKS)

    def stop(self) -> None:
        """Break off the statement that runs, and refuse to ask another until `resume`; safe to call from any thread."""
        self.is_stopped = True
        if not self.is_shielded:
            with suppress(apsw.ConnectionClosedError):
                self.interrupt()

    def resume(self) -> None:
        """Ask again."""
        self.is_stopped = False

    def roll_back(self) -> None:
        """Roll back the open transaction, if there is one, even if interrupted meanwhile."""
        while self.in_transaction:
            with suppress(apsw.InterruptError):
                self.execute("rollback")


def fetch_all(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[Any]:
    """All rows as tuples. Raises LockBusy, WorkspaceUnusable, Interrupted."""
    _raise_if_stopped(db)
    try:
        return db.execute(query, bindings).fetchall()
    except UnicodeEncodeError:  # UTF-8 cannot hold what is asked for, so no row does
        return []
    except SQLITE_ERRORS as error:
        raise translate_sqlite_error(db, error) from error


def fetch_column(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[Any]:
    """The first column of all rows. Raises LockBusy, WorkspaceUnusable, Interrupted."""
    return [value for (value,) in fetch_all(db, query, bindings)]


def fetch_value(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None without a row. Raises LockBusy, WorkspaceUnusable, Interrupted."""
    _raise_if_stopped(db)
    try:
        return db.execute(query, bindings).get
    except UnicodeEncodeError:
        return None
    except SQLITE_ERRORS as error:
        raise translate_sqlite_error(db, error) from error


def _raise_if_stopped(db: apsw.Connection) -> None:
    if getattr(db, "is_stopped", False) and not getattr(db, "is_shielded", False):
        raise Interrupted(INTERRUPTED_MESSAGE)


def json_strings(strings: Iterable[str]) -> str:
    """Keys as a JSON list to be bound, without those that UTF-8 cannot encode, which do not occur in the database."""
    every = list(strings)
    try:
        return json.encode(every).decode()
    except UnicodeEncodeError:
        return json.encode([key for key in every if key.encode("utf-8", "ignore").decode() == key]).decode()


def json_integers(integers: Iterable[int]) -> str:
    """Numbers as a JSON list to be bound."""
    return json.encode(list(integers)).decode()


def unusable_index_error(path: str, error: Exception) -> WorkspaceUnusable:
    """A database that cannot be read or written, and why."""
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    is_unwritable = isinstance(error, UNWRITABLE_ERRORS) or (isinstance(error, OSError) and error.errno in UNWRITABLE)
    return WorkspaceUnusable(path, why, is_unwritable=is_unwritable)


def translate_sqlite_error(db: apsw.Connection, error: Exception) -> CommonplaceError:
    """The error of ours for a failure of the database; a damaged one is deleted, and so rebuilt when next opened."""
    path = db.filename
    if isinstance(error, apsw.InterruptError):
        return Interrupted(INTERRUPTED_MESSAGE)
    if isinstance(error, apsw.BusyError):
        return LockBusy(path, BUSY_MS / 1_000)
    if not isinstance(error, (*CORRUPTION_ERRORS, UnicodeDecodeError)):
        return unusable_index_error(path, error)
    with suppress(FileNotFoundError):
        os.remove(path)
    return WorkspaceUnusable(path, "the index was damaged and is thrown away: ask again, it is built from the files")


SqlCondition = tuple[str, Sequence[object]]

# Only captures have an actor; beside them, lines that merely repeat them say nothing.
EVIDENCE_CONDITIONS = {
    "auto": "retold = 0",
    "none": "actor = ''",
    "only": "actor <> ''",
    "stated": "retold = 0 and speech_act = ''",
}
VOUCHED_CONDITION = "(actor = '' or trust = 'trusted')"
QUEUED = f"records.path = '{QUEUE_PATH}'"  # what waits for a decision is not kept


@lru_cache(64)
def filter_condition(record_filter: Filter) -> tuple[str, tuple[object, ...]]:
    """SQL after `where` (never empty) and the values to bind; columns are those of `records`."""
    timed = _validity_condition(record_filter.since, record_filter.until)
    plus = "+" if timed[0] else ""  # keeps SQLite from the index of the usual filters: that of times finds far fewer
    current: SqlCondition = ("" if record_filter.history else f"{plus}superseded_by = ''", [])
    parts: list[SqlCondition] = [
        (f"{plus}{EVIDENCE_CONDITIONS[record_filter.evidence]}", []),
        (VOUCHED_CONDITION if record_filter.vouched else "", []),
        (f"not {QUEUED}" if record_filter.decided else "", []),
        _membership_condition(f"{plus}kind", record_filter.kinds),
        _membership_condition(f"{plus}category", record_filter.categories),
        _membership_condition(f"{plus}trust", record_filter.trusts),
        ("", []) if record_filter.scopes is None else _membership_condition(f"{plus}scope", record_filter.scopes),
        _history_condition(record_filter) if record_filter.as_of or record_filter.known_at else current,
        timed,
    ]
    kept = [part for part in parts if part[0]]
    return " and ".join(part[0] for part in kept) or "1", tuple([value for part in kept for value in part[1]])


def has_subquery(condition: str) -> bool:
    """Whether a condition looks at other records than the one that it is asked of."""
    return "select" in condition


def _membership_condition(column: str, allowed_values: tuple[str, ...]) -> SqlCondition:
    if not allowed_values:
        return "", []
    return f"{column} in ({', '.join('?' * len(allowed_values))})", list(allowed_values)


# A later line may name a row as superseded in its own scope, if it is trusted as much, and the ledger does not say that
# both hold.
MAY_SUPERSEDE = f"""later.id <> records.id and later.scope = records.scope
        and {TRUST_RANK.format("later.trust")} >= {TRUST_RANK.format("records.trust")}
        and not exists (select 1 from ledger_relations as held where held.op = 'both'
            and held.id = min(later.id, records.id) and held.other = max(later.id, records.id))"""  # noqa: S608
# The lines that replace a row, and those that it replaces or gives another value; what a line says begins when it says
# so, else when it was said: at its own time, else that of the newest capture behind it.
_BEGIN = """coalesce(nullif(nullif({0}.starts, ''), '0000'), nullif({0}.time, ''), (
        select max(said.time) from derivations cross join records as said on said.id = source
        where derivations.record = {0}.rowid and said.actor <> ''), '')"""
_REPLACED_BY = (
    f"""select 1 from supersessions join records as later on later.rowid = supersessions.record
        where supersessions.target = records.id and {MAY_SUPERSEDE}""",  # noqa: S608 - constants
    "select 1 from replacements join records as later on later.rowid = newer where older = records.rowid",
)
_SINCE = (_BEGIN.format("later"), "since")
_REPLACES = (
    "select 1 from supersessions where supersessions.record = records.rowid and target <> records.id",
    "select 1 from replacements where newer = records.rowid",
    """select 1 from twins join twins as older on older.chain = twins.chain and older.position < twins.position
        where twins.record = records.rowid""",
)
_OWN_SINCE = (_BEGIN.format("records"), "since", _BEGIN.format("records"))


def _history_condition(record_filter: Filter) -> SqlCondition:
    """Recorded before `known_at`, holding in the minute before `as_of`, and not replaced by anything recorded before
    the one that began before the other. What replaces nothing holds from its stated start, or is open to the past."""
    known, end = (day.removesuffix("T00:00") for day in (record_filter.known_at, record_filter.as_of))
    parts: list[tuple[str, list[object]]] = []
    replaced: tuple[str, list[object]] = "", []
    if known:  # without the hour, or a mere date would count as recorded on the day before
        parts.append(("recorded <> '' and recorded < ?", [known]))
        replaced = " and later.recorded <> '' and later.recorded < ?", [known]
    if end:
        parts.append(("(starts = '' or starts < ?) and (ends = '' or ends >= ?)", [record_filter.as_of, _before(end)]))
        parts += [(f"not exists ({of} and {at} >= ?)", [end]) for of, at in zip(_REPLACES, _OWN_SINCE, strict=True)]
    for of, since in zip(_REPLACED_BY, _SINCE, strict=True):
        begun: tuple[str, list[object]] = (f" and {since} < ?", [end]) if end else ("", [])
        parts.append((f"not exists ({of}{replaced[0]}{begun[0]})", [*replaced[1], *begun[1]]))
    return " and ".join(part for part, _values in parts), [value for _part, values in parts for value in values]


def _before(end: str) -> str:
    """The minute before a time; of the first day, before which there is no calendar, the time itself."""
    if end.startswith("0001-01-01"):
        return end
    return (datetime.fromisoformat(end) - timedelta(minutes=1)).isoformat(timespec="minutes")


def _validity_condition(since: str, until: str) -> SqlCondition:
    """Recorded in the stretch, or holding in part of it."""
    if not since and not until:
        return "", []
    bottom, top = since or "0", until or "9999"
    return (
        "((time <> '' and time >= ? and time < ?) or (starts <> '' and starts < ? and ends >= ?))",
        [bottom.removesuffix("T00:00"), top.removesuffix("T00:00"), top, bottom],
    )
