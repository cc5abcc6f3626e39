"""Reading by name and by dialogue: who is named or speaks, and what was said in turn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from commonplace.index import names, sessions
from commonplace.index.filters import condition
from commonplace.index.lookup.connected import NEWEST_FIRST
from commonplace.index.lookup.words import Words
from commonplace.index.marks import naming
from commonplace.index.protocol import Dialogue, Filter, Mention, Turn
from commonplace.index.sql import all_rows, texts

OFTEN = 2_000  # records that bear a name; of more the newest are found sooner by looking at the newest of all
NEWEST_OF_ALL = """select rowid from records indexed by records_newest where exists (
    select 1 from json_each(?) as asked cross join mentions on mentions.key = asked.value and record = records.rowid
    ) and {where} order by {order} limit ?"""
NEWEST_OF_THESE = """select distinct records.rowid from mentions cross join records on records.rowid = mentions.record
    where key in (select value from json_each(?)) and {where} order by {order} limit ?"""


class Names(Words):
    """Entities, sessions and dialogues; how often a name is borne is counted among the words."""

    def known_names(self, keys: Sequence[str]) -> dict[str, str]:
        """Those of the folded names that an entity or page bears, with the name as written."""
        return names.known_names(self._db, keys)

    def known(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Those of the folded names that an entity or page bears, in the order asked."""
        return names.known(self._db, keys)

    def mentions(self, keys: Sequence[str]) -> list[Mention]:
        """(row, key, role) of the records that name the entities."""
        return names.mentions(self._db, keys)

    def mentions_among(self, keys: Sequence[str], rows: Iterable[int]) -> list[Mention]:
        """The same of these rows only, and those of them that stand on the pages of the entities."""
        asked = list(rows)
        held = self.holders([naming(key) for key in keys], asked)
        bearing = asked if held is None else set().union(*held.values())
        found = names.mentions_among(self._db, keys, bearing) if bearing else []
        pages = self.pages(keys) if asked else []
        return found + names.on_pages(self._db, pages, asked) if pages else found

    def speaking(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the folded names under which somebody speaks."""
        return names.speaking(self._db, keys)

    def newest_naming(self, keys: Sequence[str], only: Filter, at_most: int) -> list[int]:
        """The rows that name the entities and that the filter lets through, newest first."""
        where, values = condition(only)
        often = sum(self.frequency(naming(key)) for key in keys) > OFTEN
        query = (NEWEST_OF_ALL if often else NEWEST_OF_THESE).format(where=where, order=NEWEST_FIRST)
        return self._kept_of_now().answers.rows(query, (texts(keys), *values, at_most))

    def pages(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """(key, path) of the pages that bear the names; pages of entities first."""
        return names.pages(self._db, keys)

    def entities(self) -> list[tuple[str, str, int]]:
        """(folded name, name, number of records) of every entity, most named first."""
        return names.entities(self._db)

    def scopes(self) -> tuple[str, ...]:
        """The scopes in use, sorted, without the shared one."""
        return names.scopes(self._db)

    def session(self, session: str) -> list[int]:
        """The rows of the captures of a session, in order of time."""
        found = all_rows(
            self._db,
            "select rowid from records where session = ? and session <> '' order by time, path, line_start",
            (session,),
        )
        return [row for (row,) in found]

    def sessions(self, only: Filter) -> tuple[str, ...]:
        """The names of the sessions in which something was said that the filter lets through, in order of time."""
        kept, key = self._kept_of_now(), condition(only)
        if kept.sessions is None or kept.sessions[0] != key:
            kept.sessions = key, sessions.in_order(self._db, only)
        return kept.sessions[1]

    def said_in(self, names: Collection[str], only: Filter, at_most: int) -> list[int]:
        """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""
        return sessions.said_in(self._db, names, only, at_most)

    def dialogues(self, rows: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        return self._kept_of_now().turns.names(rows)

    def read_dialogues(self, names: Sequence[str], around: Collection[int], only: Filter) -> list[Dialogue]:
        """Dialogues by name as wholes, in order; of long ones what is near the rows `around`."""
        return self._kept_of_now().turns.dialogues(names, around, only)

    def turns(self, rows: Iterable[int], only: Filter) -> list[Turn]:
        """What scoring needs of those of the rows that the filter lets through, in any order."""
        return self._kept_of_now().turns.read(rows, only)
