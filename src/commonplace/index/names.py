"""The names that records and pages bear, and the scopes in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from commonplace.index.protocol import Mention
from commonplace.index.sql import all_rows, numbers, texts


def known_names(db: apsw.Connection, keys: Sequence[str]) -> dict[str, str]:
    """Those of the folded names that an entity or page bears, with the name as written."""
    found = all_rows(
        db,
        "select asked.value, coalesce("
        " (select min(name) from pages where key = asked.value),"
        " (select min(name) from mentions where key = asked.value))"
        " from json_each(?) as asked",
        (texts(keys),),
    )
    return {key: name for key, name in found if name is not None}


def known(db: apsw.Connection, keys: Sequence[str]) -> tuple[str, ...]:
    """Those of the folded names that an entity or page bears, in the order asked."""
    query = """select asked.value from json_each(?) as asked
        where exists (select 1 from pages where pages.key = asked.value)
        or exists (select 1 from mentions where mentions.key = asked.value) order by asked.key"""
    return tuple(key for (key,) in all_rows(db, query, (texts(keys),)))


def mentions(db: apsw.Connection, keys: Sequence[str]) -> list[Mention]:
    """(row, key, role) of the records that name the entities."""
    query = "select record, key, role from mentions where key in (select value from json_each(?))"
    return all_rows(db, query, (texts(keys),))


def mentions_among(db: apsw.Connection, keys: Sequence[str], rows: Iterable[int]) -> list[Mention]:
    """Those of some rows."""
    query = """select record, mentions.key, role from json_each(?) as name cross join json_each(?) as asked
        cross join mentions on mentions.key = name.value and record = asked.value"""
    return all_rows(db, query, (texts(keys), numbers(rows)))


def on_pages(db: apsw.Connection, pages: Sequence[tuple[str, str]], rows: Iterable[int]) -> list[Mention]:
    """Those of some rows that stand on the pages, given as (key, path)."""
    query = """select records.rowid from json_each(?) as asked cross join records on records.rowid = asked.value
        where records.path = ?"""
    asked = numbers(rows)
    return [(row, key, "page") for key, path in pages for (row,) in all_rows(db, query, (asked, path))]


def speaking(db: apsw.Connection, keys: Sequence[str]) -> frozenset[str]:
    """The names under which somebody speaks."""
    query = """select value from json_each(?) as asked where exists (
        select 1 from mentions where mentions.key = asked.value and role = 'speaker')"""
    return frozenset(key for (key,) in all_rows(db, query, (texts(keys),)))


def pages(db: apsw.Connection, keys: Sequence[str]) -> list[tuple[str, str]]:
    """(key, path) of the pages that bear the names; pages of entities first."""
    query = "select key, path from pages where key in (select value from json_each(?)) order by entity desc, path"
    return all_rows(db, query, (texts(keys),))


def entities(db: apsw.Connection) -> list[tuple[str, str, int]]:
    """(folded name, name, number of records) of every entity, most named first."""
    query = "select key, min(name), count(distinct record) from mentions group by key order by 3 desc, key"
    return all_rows(db, query)


def scopes(db: apsw.Connection) -> tuple[str, ...]:
    """The scopes in use, sorted, without the shared one."""
    found = all_rows(db, "select distinct scope from records where scope <> '' order by scope")
    return tuple(scope for (scope,) in found)
