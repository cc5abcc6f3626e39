"""Records as database rows and back, with what they refer to; the dialogues and sessions that rows form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import filterfalse, groupby
from operator import itemgetter
from typing import Any, Literal

import apsw
from msgspec import json

from commonplace.index import sql
from commonplace.index.relations import scoped_signatures
from commonplace.index.values import Dialogue, Filter, IndexedRecord, IndexedTurn, IndexEntry
from commonplace.model import CAPTURE_PREFIX, Record, Source

MAX_WHOLE_DIALOGUE_TURNS = 300  # turns; of a longer dialogue only those near the lines asked about are read
MAX_DIALOGUE_CACHE_BYTES = 13_000_000  # bytes; of more all is let go
# Bytes: what a turn takes beside its text and tokens, and what its place in a long dialogue.
TURN_OVERHEAD_BYTES, ORDERED_ROW_BYTES = 400, 40
DIALOGUE_SLOT_BYTES = 80  # bytes of a place in a dialogue that is kept as a whole, with what recall makes of it
DIALOGUE_NAME_BYTES = 200  # bytes of the name of a row's dialogue
FILTERED_OUT: Literal[False] = False
NEIGHBOR_TURNS = 4  # turns to either side of such a line
_TURN_COLUMNS = "records.rowid, tokens, context, length, speaker, actor, text"
DIALOGUE_NAME = "iif(actor <> '', 's' || session, 'p' || records.path || char(1) || heading)"
_DIALOGUE_ORDER = "dialogue, iif(actor <> '', time, ''), records.path, line_start, byte_start"


def dialogue_number(record: Record, packed_heading: str) -> int:
    """The number of the dialogue that a record is a turn of; 0 if it is not a turn. `packed_heading` is as stored.

    A turn is what was captured in a session, or said under the same headings of the same file.
    """
    if record.actor:
        return _hash_dialogue_name(f"s{record.session}") if record.session or record.speaker else 0
    return _hash_dialogue_name(f"p{record.source.path}\x01{packed_heading}") if record.form == "dialogue" else 0


@lru_cache(256)
def _hash_dialogue_name(name: str) -> int:
    """So wide a hash of the name that no two of any number of dialogues meet; never 0."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1 | 1


class DialogueCache:
    """Turns and dialogues read from one state of the database; the caller must clear it when the state changes. Entries
    are kept up to a limit of memory, and turns only for the current filter."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._condition: sql.SqlCondition = "", ()
        self._turns_by_row: dict[int, IndexedTurn | Literal[False]] = {}  # by row; False for what the filter hides
        self._names_by_row: dict[int, str] = {}  # of the dialogues of rows; empty of a row that is no turn
        self._long_dialogue_rows: dict[str, list[int]] = {}  # the rows of long dialogues, by name
        self._whole_dialogues: dict[str, Dialogue] = {}  # the others
        self._titles: dict[str, str] = {}
        self._bytes = 0

    def clear(self) -> None:
        """Keep nothing of what was read."""
        self._turns_by_row, self._names_by_row, self._bytes = {}, {}, 0
        self._long_dialogue_rows, self._whole_dialogues, self._titles = {}, {}, {}

    def evict(self, row_ids: Collection[int]) -> None:
        """Remove these rows, and the dialogues that contain them."""
        if sql.has_subquery(self._condition[0]):
            self.clear()
        names = self.dialogue_names(row_ids).values()
        for row_id in row_ids:
            self._turns_by_row.pop(row_id, None)
        for name in names:
            self._long_dialogue_rows.pop(name, None)
            self._whole_dialogues.pop(name, None)

    def read_turns(self, row_ids: Iterable[int], record_filter: Filter) -> list[IndexedTurn]:
        """Those of the rows that the filter lets through, in any order."""
        where, values = self._use_filter(record_filter)
        asked = list(row_ids)
        known = self._turns_by_row
        found = [turn for turn in map(known.get, asked) if turn]
        if len(found) < len(asked) and (fresh := [row_id for row_id in asked if row_id not in known]):
            query = f"""select {_TURN_COLUMNS} from json_each(?) as asked cross join records
                on records.rowid = asked.value where {where}"""  # noqa: S608 - constant, values are bound
            read = [  # turns share their titles with those beside them
                IndexedTurn(row_id, token_text, self._titles.setdefault(context, context), *rest)
                for row_id, token_text, context, *rest in sql.fetch_all(
                    self._db, query, (sql.json_integers(fresh), *values)
                )
            ]
            known.update(dict.fromkeys(fresh, FILTERED_OUT))
            known.update((turn.row_id, turn) for turn in read)
            self._bytes += len(fresh) * TURN_OVERHEAD_BYTES + sum([len(turn.text) + len(turn.tokens) for turn in read])
            found += read
        return found

    def _use_filter(self, record_filter: Filter) -> sql.SqlCondition:
        """The filter as a condition; what was read through another is let go, and all where it is too much."""
        asked = sql.filter_condition(record_filter)
        if self._condition != asked or self._bytes > MAX_DIALOGUE_CACHE_BYTES:
            self.clear()
        self._condition = asked
        return asked

    def dialogue_names(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        asked = list(row_ids)
        fresh = list(filterfalse(self._names_by_row.__contains__, asked))
        if fresh:
            query = f"""select records.rowid, iif(dialogue, {DIALOGUE_NAME}, '') from json_each(?) as asked
                cross join records on records.rowid = asked.value"""  # noqa: S608 - constant
            read: dict[int, str] = dict(sql.fetch_all(self._db, query, (sql.json_integers(fresh),)))
            self._names_by_row |= read
            self._bytes += DIALOGUE_NAME_BYTES * len(read)
        return {row_id: name for row_id, name in zip(asked, map(self._names_by_row.get, asked), strict=True) if name}

    def read_dialogues(
        self, dialogue_names: Sequence[str], anchor_row_ids: Collection[int], record_filter: Filter
    ) -> list[Dialogue]:
        """Dialogues as wholes, in the order asked for; of long ones what is near the rows `anchor_row_ids`."""
        self._use_filter(record_filter)
        known = {name: whole for name in dialogue_names if (whole := self._whole_dialogues.get(name))}
        if fresh := [name for name in dialogue_names if name not in known]:
            known |= self._load_dialogues(fresh, anchor_row_ids, record_filter)
        return [known[name] for name in dialogue_names]

    def _load_dialogues(
        self, dialogue_names: Sequence[str], anchor_row_ids: Collection[int], record_filter: Filter
    ) -> dict[str, Dialogue]:
        fresh = [name for name in dialogue_names if name not in self._long_dialogue_rows]
        orders = self._long_dialogue_rows | (_read_dialogue_rows(self._db, fresh) if fresh else {})
        wanted = {name: _rows_near_anchors(orders.get(name, []), anchor_row_ids) for name in dialogue_names}
        row_ids = [row_id for near in wanted.values() for row_id in near if row_id]
        found = {turn.row_id: turn for turn in self.read_turns(row_ids, record_filter)}
        read = {
            name: Dialogue(tuple([found.get(row_id) for row_id in row_ids]), len(orders.get(name, [])))
            for name, row_ids in wanted.items()
        }
        wholes = {name: dialogue for name, dialogue in read.items() if dialogue.size <= MAX_WHOLE_DIALOGUE_TURNS}
        longs = {name: orders[name] for name in fresh if name not in wholes}
        self._whole_dialogues |= wholes
        self._long_dialogue_rows |= longs
        self._bytes += sum(TURN_OVERHEAD_BYTES + DIALOGUE_SLOT_BYTES * whole.size for whole in wholes.values())
        self._bytes += sum(TURN_OVERHEAD_BYTES + ORDERED_ROW_BYTES * len(order) for order in longs.values())
        return read


def _read_dialogue_rows(db: apsw.Connection, dialogue_names: Sequence[str]) -> dict[str, list[int]]:
    """The rows of dialogues in order, by name."""
    query = f"""select dialogue, records.rowid from json_each(?) as asked
        cross join records on dialogue = asked.value and dialogue <> 0 order by {_DIALOGUE_ORDER}"""  # noqa: S608 - constant
    asked = {_hash_dialogue_name(name): name for name in dialogue_names}
    ordered = groupby(sql.fetch_all(db, query, (sql.json_integers(asked),)), itemgetter(0))
    return {asked[number]: [row for _number, row in members] for number, members in ordered}


def _rows_near_anchors(dialogue_row_ids: list[int], anchor_row_ids: Collection[int]) -> list[int]:
    """The rows to read, in order; 0 in place of those that are left out."""
    if len(dialogue_row_ids) <= MAX_WHOLE_DIALOGUE_TURNS:
        return dialogue_row_ids
    asked, last = set(anchor_row_ids), len(dialogue_row_ids) - 1
    anchors = [at for at, row_id in enumerate(dialogue_row_ids) if row_id in asked]
    wanted: list[int] = []
    before = -1
    for place in sorted({near for at in anchors for near in range(at - NEIGHBOR_TURNS, at + NEIGHBOR_TURNS + 1)}):
        if 0 <= place <= last:
            wanted += [0, dialogue_row_ids[place]] if place != before + 1 and wanted else [dialogue_row_ids[place]]
            before = place
    return wanted


RECORD_COLUMNS = (
    "rowid, length, scope, kind, category, trust, superseded_by, actor, speech_act, time, starts, ends, recorded, id,"
    " claim, path, line_start, line_end, byte_start, byte_end, digest, form, speaker, valid_from, valid_to, confidence,"
    " importance, said_trust, annotated, heading, entities, tags, links, triggers, supersedes, sources, session,"
    " text, text_digest, tokens, context"
)
READ_COLUMNS = (
    "rowid, id, text, path, line_start, line_end, byte_start, byte_end, digest, form, kind, category, heading,"
    " entities, speaker, tags, links, triggers, time, valid_from, valid_to, confidence, importance, trust, scope,"
    " supersedes, superseded_by, sources, annotated, session, actor, speech_act, recorded, tokens, context, length,"
    " id_chars"
)
PRECEDING_TURN = """\
select rowid from records where dialogue = ?1 and dialogue <> 0 and iif(actor <> '', time, '') <= ?2
    and (iif(actor <> '', time, ''), path, line_start, byte_start) < (?2, ?3, ?4, ?5)
    order by iif(actor <> '', time, '') desc, path desc, line_start desc, byte_start desc limit 1"""
PRECEDING_LINE = """\
select rowid from records where path = ?3 and (line_start, byte_start) < (?4, ?5) and ?1 = 0 and ?2 = ''
    order by line_start desc, byte_start desc limit 1"""
CAPTURES_OF_PREFIX = "actor <> '' and id >= ? and id < ? || char(0x10ffff)"  # the beginning of an id, twice
LOCATION_COLUMNS = ("line_start", "line_end", "byte_start", "byte_end")
CONTENT_COLUMNS = (  # what a record says, wherever it stands; on a page of the same name all else follows from it
    "scope, kind, category, actor, time, claim, path, digest, form, speaker, valid_from, valid_to, confidence,"
    " importance, said_trust, annotated, heading, entities, tags, links, triggers, supersedes, sources, session, text"
)
INSERTED_COLUMNS = f"{RECORD_COLUMNS}, dialogue, standing"
INSERT_RECORD = f"insert into records ({INSERTED_COLUMNS}) values ({', '.join('?' * 43)})"  # noqa: S608 - constants

_READ_FIELDS = Record.__struct_fields__[3:]  # behind id, text and source
_PACKED_FIELDS = [at for at, name in enumerate(_READ_FIELDS) if Record.__annotations__[name] == "tuple[str, ...]"]
_ANNOTATED, _ACTOR = map(_READ_FIELDS.index, ("annotated", "actor"))
_unpack_strings = json.Decoder(tuple[str, ...]).decode
_encode_json = json.Encoder().encode


def to_record_row(row_id: int, entry: IndexEntry) -> tuple[Any, ...]:
    """The values of INSERTED_COLUMNS for an entry; `id`, `trust` and `recorded` are settled later."""
    r, s = entry.record, entry.record.source
    heading = pack_strings(r.heading)
    return (
        *(row_id, entry.token_count, r.scope, r.kind, r.category, r.trust, "", r.actor, r.speech_act, r.time),
        *(entry.starts, entry.ends, r.recorded),
        *(r.id, r.id, s.path, s.line_start, s.line_end, s.byte_start, s.byte_end, s.digest, r.form, r.speaker),
        *(r.valid_from, r.valid_to, r.confidence, r.importance, r.trust, r.annotated),
        *(heading, *map(pack_strings, (r.entities, r.tags, r.links, r.triggers, r.supersedes, r.sources))),
        *(r.session, r.text, entry.text_digest, entry.tokens, entry.context, dialogue_number(r, heading)),
        entry.standing_grade,
    )


def content_values(record: Record) -> tuple[Any, ...]:
    """The values of CONTENT_COLUMNS for a record as it was parsed."""
    r = record
    return (
        *(r.scope, r.kind, r.category, r.actor, r.time, r.id, r.source.path, r.source.digest, r.form, r.speaker),
        *(r.valid_from, r.valid_to, r.confidence, r.importance, r.trust, r.annotated),
        *map(pack_strings, (r.heading, r.entities, r.tags, r.links, r.triggers, r.supersedes, r.sources)),
        *(r.session, r.text),
    )


def from_record_row(columns: tuple[Any, ...]) -> IndexedRecord:
    """What `to_record_row` made, as settled since, from the values of READ_COLUMNS, in the order of the fields."""
    row, rid, text, path, first, last, start, end, digest, *rest = columns
    *fields, tokens, context, length, id_chars = rest
    for at in _PACKED_FIELDS:
        fields[at] = _unpack_strings(fields[at]) if fields[at] else ()
    fields[_ANNOTATED] = bool(fields[_ANNOTATED])
    prefix, rest_of_id = rid[: len(CAPTURE_PREFIX)], rid[len(CAPTURE_PREFIX) :]
    is_citable = prefix == CAPTURE_PREFIX and rest_of_id.isalnum()  # a journal of another program may have any ids
    short_id = rid[:id_chars] if fields[_ACTOR] and is_citable else ""
    source = Source(path, first, last, start, end, digest, short_id)
    return IndexedRecord(row, Record(rid, text, source, *fields), tokens, context, length)


def pack_strings(strings: tuple[str, ...]) -> str:
    """Texts in the format of a column; empty for none."""
    return _encode_json(strings).decode() if strings else ""


# As a dialogue is named: the session that a line was captured in, or its file and the headings above it.
IN_A_SESSION = "iif(actor <> '', session <> '', form = 'dialogue')"


def session_name(record: Record) -> str:
    """The name of the session that a record was said in; empty if it was said in none."""
    if record.actor:
        return f"s{record.session}" if record.session else ""
    return f"p{record.source.path}\x01{pack_strings(record.heading)}" if record.form == "dialogue" else ""


def find_session_names(db: apsw.Connection, record_filter: Filter) -> tuple[str, ...]:
    """The names of the sessions in which something was said that the filter lets through, the first one first.

    A session is as old as its oldest line; of two the first by path and line comes first.
    """
    where, values = sql.filter_condition(record_filter)
    first = "min(time || char(1) || records.path || char(1) || printf('%09d', line_start))"
    said = f"time <> '' and {IN_A_SESSION} and {where}"
    query = f"select {DIALOGUE_NAME} from records where {said} group by 1 order by {first}"  # noqa: S608 - values are bound
    return tuple(sql.fetch_column(db, query, values))


# For each table the columns beside the row of the record, and the values that an entry has for them.
REFERENCE_VALUES: dict[tuple[str, str], Callable[[IndexEntry], Iterable[tuple[str | int, ...]]]] = {
    ("mentions", "key, role, name"): lambda entry: entry.mentions,
    ("tags", "tag"): lambda entry: zip(entry.record.tags),
    ("links", "target"): lambda entry: zip(entry.record.links),
    ("supersessions", "target"): lambda entry: zip(entry.record.supersedes),
    ("derivations", "source"): lambda entry: zip(entry.record.sources),
    ("events", "begins, closes"): lambda entry: entry.events,
    ("signatures", "signature"): lambda entry: zip(scoped_signatures(entry)),
}


def put_references(db: apsw.Connection, numbered_entries: list[tuple[int, IndexEntry]]) -> None:
    """Add the references of records by their row numbers."""
    for (table, columns), values_of in REFERENCE_VALUES.items():
        if rows := [(*values, n) for n, entry in numbered_entries for values in values_of(entry)]:
            marks = "?, " * len(columns.split(", "))
            db.executemany(f"insert or ignore into {table} ({columns}, record) values ({marks}?)", rows)  # noqa: S608


def drop_references(db: apsw.Connection, row_id_tuples: list[tuple[int]]) -> None:
    """Remove the tokens and references of records that go."""
    db.executemany("delete from lines where rowid = ?", row_id_tuples)
    for table, _columns in REFERENCE_VALUES:
        db.executemany(f"delete from {table} where record = ?", row_id_tuples)  # noqa: S608 - constant names
