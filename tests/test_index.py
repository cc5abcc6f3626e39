"""The index: thrown away and made anew at will, exact in what it finds, settled whatever the order of events."""

from __future__ import annotations

import errno
import os
import random
import re
import stat
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from itertools import accumulate, permutations
from pathlib import Path
from typing import Any

import apsw
import pytest
from msgspec import structs

from commonplace import Memory
from commonplace.errors import CommonplaceError, Interrupted, WorkspaceUnusable
from commonplace.index import (
    FileRow,
    Filter,
    Index,
    LedgerFacts,
    database,
    open_index,
    rebuild_index,
)
from commonplace.index import sql as index_sql
from commonplace.index.sql import FINAL_STATEMENTS, INDEXES, SCHEMA_VERSION, TABLES, fetch_all, fetch_value
from commonplace.language.text import QueryTerm
from commonplace.retrieval.recall import lexical
from commonplace.storage.workspace import parse_document
from commonplace.sync.index_entries import prepare_document
from commonplace.truth import Vocabulary
from tests.support.indexes import INDEX, bm25, change, made, put, read_by, rows

NOW = "2025-11-27T10:00"
pytestmark = pytest.mark.usefixtures("surroundings")


def found(index: Index, only: Filter) -> list[str]:
    fetched = index.fetch(index.newest_filtered_rows(only, 1000))
    return sorted(row.record.text for row in fetched.values())


# made anew


def spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    pages = len(data) // 4096
    path.unlink()
    if how in ("another version", "one column less"):
        path.write_bytes(data)
        connection = apsw.Connection(str(path))
        if how == "one column less":
            before: dict[str, Any] = {"__name__": "before"}
            source = Path(index_sql.__file__).read_text(encoding="utf-8")
            exec(source.replace("mtime integer not null, ", ""), before)
            connection.execute("alter table files drop column mtime")
            connection.pragma("user_version", before["SCHEMA_VERSION"])
        else:
            connection.pragma("user_version", SCHEMA_VERSION + 1)
        connection.close()
    elif how != "missing":
        path.write_bytes(
            {
                "empty": b"",
                "not a database": b"Dear diary,\n" * 100,
                "only a header": data[:100],
                "cut in half": data[: pages // 2 * 4096],
                "cut within a page": data[:-1000],
                "without tables": b"",
            }[how]
        )
        if how == "without tables":
            connection = apsw.Connection(str(path))
            connection.pragma("user_version", SCHEMA_VERSION)
            connection.close()


HOW = (
    "missing",
    "another version",
    "one column less",
    "empty",
    "not a database",
    "only a header",
    "cut in half",
    "cut within a page",
)


@pytest.mark.slow
@pytest.mark.parametrize("how", [*HOW, "without tables"])
def test_an_index_that_cannot_be_used_is_made_anew_and_nothing_is_lost(tmp_path: Path, how: str) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n- tea at four <!-- id: tea4 -->\n")
    with Memory.open(tmp_path) as memory:
        memory.retain("coffee at nine")
        before = memory.dump()
    spoil(tmp_path / INDEX, how)
    with Memory.open(tmp_path) as memory:
        assert memory.recall("coffee").hits[0].record.text == "coffee at nine"
        assert memory.dump() == before
    connection = apsw.Connection(str(tmp_path / INDEX))
    assert connection.pragma("user_version") == SCHEMA_VERSION
    connection.close()


@pytest.mark.slow
def test_a_leftover_log_of_another_database_never_meets_a_new_index(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"- tea number {number}\n" * 40)
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "7.md").write_text("- tea at five\n")
        memory.sync()
        log = (tmp_path / f"{INDEX}-wal").read_bytes()
    assert len(log) > 1000
    (tmp_path / INDEX).unlink()
    (tmp_path / f"{INDEX}-wal").write_bytes(log)
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"- coffee for {number} at nine\n\n" * 20)
    with Memory.open(tmp_path) as memory:
        assert memory.recall("tea").hits == ()
        assert len(memory.recall("coffee").hits) == 10
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


SAID = "the index was damaged and is thrown away: ask again, it is built from the files"


def answer(memory: Memory) -> str:
    try:
        found_by_words = memory.recall("tea number").hits
    except WorkspaceUnusable as error:
        return error.message.partition(": ")[2]
    return "" if len(found_by_words) == 10 else "fewer"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["every page but the first", "one byte in every 50"])
@pytest.mark.parametrize("opened", [True, False], ids=["while it is open", "while it is closed"])
def test_damage_that_is_met_while_answering_is_said_once_and_heals_itself(
    tmp_path: Path, how: str, *, opened: bool
) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_text("".join(f"- tea number {number} {word}\n" for word in "abcdefgh"))
    memory = Memory.open(tmp_path)
    before = memory.dump()
    if not opened:
        memory.close()
    data = bytearray((tmp_path / INDEX).read_bytes())
    if how == "every page but the first":
        data[4096:] = b"\xff" * (len(data) - 4096)
    else:
        data[200::50] = b"\xff" * len(data[200::50])
    with (tmp_path / INDEX).open("r+b") as file:
        file.write(data)
    said = [answer(memory) for _ in range(3)]
    assert said in (["", "", ""], [SAID, "", ""], ["", SAID, ""])
    assert memory.dump() == before
    memory.close()


@pytest.mark.parametrize("name", [b"valid_from text not null", b"byte_end integer", b"segid, term, pgno"])
def test_a_damaged_name_in_the_schema_is_found_at_the_start(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "a.md").write_text("- tea at nine\n")
    with Memory.open(tmp_path) as memory:
        before = memory.dump()
    data = (tmp_path / INDEX).read_bytes()
    assert name in data
    (tmp_path / INDEX).write_bytes(data.replace(name, b"x" + name[1:]))
    with Memory.open(tmp_path) as memory:
        assert len(memory.recall("tea").hits) == 1
        assert memory.dump() == before


def test_a_build_that_fails_leaves_the_old_index_and_no_debris(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    before, there = index.dump(), sorted(os.listdir(tmp_path))

    def fail(_index: Index) -> None:
        raise CommonplaceError("no")

    with pytest.raises(CommonplaceError, match="no"):
        rebuild_index(str(tmp_path / "index.sqlite"), fail)
    assert {name for name in os.listdir(tmp_path) if "building" in name} == set()
    assert set(there) <= set(os.listdir(tmp_path))
    assert index.dump() == before
    assert made(tmp_path, {}).dump() == before


def test_an_index_that_is_swapped_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, {"a.md": "- tea\n"}).close()
    (tmp_path / "other").mkdir()
    made(tmp_path / "other", {"a.md": "- coffee\n"}).close()
    real = database._connect_if_usable

    def swapped(path: str) -> apsw.Connection | None:
        monkeypatch.setattr(database, "_connect_if_usable", real)
        connection = real(path)
        (tmp_path / "other/index.sqlite").rename(path)
        return connection

    monkeypatch.setattr(database, "_connect_if_usable", swapped)
    index = made(tmp_path, {})
    assert found(index, Filter()) == ["coffee"]
    assert index.inode == (tmp_path / "index.sqlite").stat().st_ino


def test_who_waited_for_a_build_uses_it_and_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = database.files.hold_file_lock

    def after_another(path: str, seconds: float) -> AbstractContextManager[None]:
        monkeypatch.setattr(database.files, "hold_file_lock", real)
        made(tmp_path, {"a.md": "- tea\n"}).close()
        return real(path, seconds)

    monkeypatch.setattr(database.files, "hold_file_lock", after_another)
    assert found(made(tmp_path, {"a.md": "- coffee\n"}), Filter()) == ["tea"]


def test_who_waits_for_a_build_is_told_and_has_it_once_that_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "index.sqlite")
    monkeypatch.setattr(database, "REPORT_AFTER_S", 0.01)
    with ExitStack() as building:
        building.enter_context(database.files.hold_file_lock(f"{path}.lock"))
        told: list[str] = []
        index = open_index(path, lambda _index: None, lambda words: building.close() or told.append(words))
    index.close()
    assert told == [database.BUILDING_MESSAGE.format(60)]


def test_a_place_where_no_index_can_be_is_named_in_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(CommonplaceError, match=r"index\.sqlite"):
        made(tmp_path, {})


def test_a_pipe_in_place_of_our_index_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    os.mkfifo(tmp_path / ".memory/index.sqlite")
    index = made(tmp_path / ".memory", {"a.md": "- tea\n"})
    assert index.corpus_size()[0] == 1
    assert (tmp_path / ".memory/index.sqlite").is_file()


# where no file can be written


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, *_others: object) -> None:
        raise WorkspaceUnusable(path, "database or disk is full", is_unwritable=True)

    monkeypatch.setattr(database, "_open_on_disk", full)


@pytest.mark.parametrize(
    ("error", "is_unwritable"),
    [
        (OSError(errno.EROFS, "Read-only file system"), True),
        (apsw.FullError("database or disk is full"), True),
        (apsw.ReadOnlyError("attempt to write a readonly database"), True),
        (apsw.PermissionsError("access permission denied"), True),
        (OSError(errno.EIO, "Input/output error"), False),
        (apsw.IOError("disk I/O error"), False),
        (apsw.CantOpenError("unable to open database file"), False),
    ],
)
def test_only_want_of_leave_or_room_brings_an_index_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, is_unwritable: bool
) -> None:
    def failing(_connection: object) -> None:
        raise error

    monkeypatch.setattr(database, "_create_tables", failing)
    monkeypatch.setattr(database, "_open_in_memory", lambda *_others, cause: cause)
    if is_unwritable:
        assert str(made(tmp_path, {})).endswith(str(error).rpartition("] ")[2].lower())
    else:
        with pytest.raises(WorkspaceUnusable):
            made(tmp_path, {})


def test_an_index_that_cannot_be_kept_is_one_in_memory(tmp_path: Path, unwritable: None) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    assert index.memory_only_error
    assert "disk is full" in index.memory_only_error.message
    assert list(tmp_path.iterdir()) == []
    change(index, {"b.md": "- coffee\n"})
    with suppress(KeyError), index.transaction():
        index.drop_file("b.md")
        raise KeyError  # and what was begun is taken back
    assert found(index, Filter()) == ["coffee", "tea"]


@pytest.mark.parametrize("how", ["whole", "with a log", "of another version", "cut"])
def test_in_memory_an_index_that_is_whole_is_taken_over_and_any_other_is_built_anew(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    made(tmp_path, {"a.md": "- tea\n"}).close()
    file = tmp_path / "index.sqlite"
    if how == "with a log":
        (tmp_path / "index.sqlite-wal").write_bytes(b"what was written last")
    elif how == "of another version":
        connection = apsw.Connection(str(file))
        connection.pragma("user_version", 1)
        connection.close()
    elif how == "cut":
        file.write_bytes(file.read_bytes()[:8_192])
    before = file.read_bytes()
    request.getfixturevalue("unwritable")
    index = made(tmp_path, {"a.md": "- coffee\n"})
    assert found(index, Filter()) == ["tea" if how == "whole" else "coffee"]
    change(index, {"a.md": "- cocoa\n"})
    assert found(index, Filter()) == ["cocoa"]
    assert file.read_bytes() == before


@pytest.mark.parametrize("by", ["", "-wal"])
def test_an_index_that_was_written_while_it_was_copied_is_not_taken_over(
    tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, {"a.md": "- tea\n"}).close()

    def written(connection: apsw.Connection) -> bool:
        with (tmp_path / f"index.sqlite{by}").open("ab") as file:
            file.write(b"more")
        return usable(connection)

    usable = database._is_current_index
    path = str(tmp_path / "index.sqlite")
    assert database._copy_to_memory(path)
    monkeypatch.setattr(database, "_is_current_index", written)
    assert database._copy_to_memory(path) is None


def test_an_index_that_is_too_large_for_memory_is_not_made_there(
    tmp_path: Path, unwritable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MAX_IN_MEMORY_BYTES", 1 << 16)
    with pytest.raises(WorkspaceUnusable, match=r"index\.sqlite': database or disk is full"):
        made(tmp_path, {"a.md": "- tea\n" * 1_000})


def test_debris_of_a_build_that_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / f"index.sqlite.{os.getpid()}.building").write_bytes(b"half")
    index = made(tmp_path, {"a.md": "- tea\n"})
    assert found(index, Filter()) == ["tea"]


def test_the_index_is_for_its_owner_only(tmp_path: Path) -> None:
    made(tmp_path, {"a.md": "- tea\n"}).close()
    assert stat.S_IMODE((tmp_path / "index.sqlite").stat().st_mode) == 0o600


def test_an_index_that_was_read_whole_takes_no_more_memory_than_is_kept_of_it(tmp_path: Path) -> None:
    connection = made(tmp_path, {"a.md": "- tea\n"})._db
    connection.execute("create table heap (page)")
    connection.executemany("insert into heap values (zeroblob(4000))", [()] * 4_000)
    assert connection.execute("select sum(length(page)) from heap").fetchall() == [(16_000_000,)]
    most = 1024 * database.CACHE_KIB
    assert most / 2 < connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0] < 1.2 * most


@pytest.mark.parametrize(("sqlite", "mode"), [(3_053_000, "wal"), (3_052_999, "delete"), (3_051_003, "delete")])
def test_an_sqlite_that_can_corrupt_a_shared_log_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite: int, mode: str
) -> None:
    monkeypatch.setattr(database.apsw, "SQLITE_VERSION_NUMBER", sqlite)
    made(tmp_path, {"a.md": "- tea\n"}).close()
    connection = apsw.Connection(str(tmp_path / "index.sqlite"))
    assert connection.pragma("journal_mode") == mode
    connection.close()


def test_every_statement_of_the_schema_has_a_purpose_and_every_index_is_there(tmp_path: Path) -> None:
    made(tmp_path, {"a.md": "- tea\n"}).close()
    connection = apsw.Connection(str(tmp_path / "index.sqlite"))
    there = {name for (name,) in connection.execute("select name from sqlite_schema where name not like 'sqlite_%'")}
    connection.close()
    for purpose, statement in (*TABLES, *INDEXES, *FINAL_STATEMENTS):
        assert len(purpose) > 10
        made_here = re.match(r"create (?:virtual )?(?:table|index) (\w+)", statement)
        assert made_here is None or made_here[1] in there


def pieces(path: Path) -> int:
    """In how many pieces the full text is kept, each of which is searched for every word."""
    connection = apsw.Connection(str(path))
    found: int = connection.execute("select count(distinct segid) from lines_idx").get
    connection.close()
    return found


@pytest.mark.slow
def test_the_full_text_is_one_piece_when_it_is_built_and_few_after_many_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tuple((purpose, statement.replace("8388608", "1024")) for purpose, statement in TABLES)
    monkeypatch.setattr(database.sql, "TABLES", small)
    (tmp_path / "a.md").write_text("".join(f"- line {number} of many about w{number}\n" for number in range(2000)))
    with Memory.open(tmp_path) as memory:
        memory.sync()
        assert pieces(tmp_path / INDEX) == 1
        for number in range(15):
            memory.retain(f"one line more, number {number}")
        assert pieces(tmp_path / INDEX) < 8


# ids


def claims(index: Index) -> dict[str, str]:
    """text -> id of annotated lines"""
    return {row.record.text: row.record.id for row in rows(index) if row.record.annotated}


TWINS = {
    "a.md": "- first\n- one <!-- id: same1 -->\n",
    "b.md": "- two <!-- id: same1 -->\n",
    "c.md": "- first\n\n- three <!-- id: same1 -->\n",
}


@pytest.mark.parametrize("order", list(permutations(TWINS)), ids="-".join)
def test_of_lines_that_claim_one_id_the_first_by_path_keeps_it_whoever_came_first(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    index = made(tmp_path, {})
    for path in order:
        change(index, {path: TWINS[path]})
    ids = claims(index)
    assert ids["one"] == "same1"
    assert len(set(ids.values())) == 3
    assert all(len(ids[text]) == 12 for text in ("two", "three"))
    assert [(p.code, p.path, p.line) for p in index.problems()] == [
        ("duplicate-id", "b.md", 1),
        ("duplicate-id", "c.md", 3),
    ]
    (tmp_path / "again").mkdir()
    assert made(tmp_path / "again", TWINS).dump() == index.dump()


def test_when_a_twin_goes_the_next_gets_the_id_and_when_it_returns_gives_it_back(tmp_path: Path) -> None:
    index = made(tmp_path, TWINS)
    change(index, {}, "a.md")
    assert claims(index)["two"] == "same1"
    assert [p.path for p in index.problems()] == ["c.md"]
    change(index, {"b.md": "- two\n"})
    assert claims(index) == {"three": "same1"}
    assert index.problems() == ()
    change(index, {"a.md": TWINS["a.md"]})
    assert claims(index)["one"] == "same1"
    assert claims(index)["three"] != "same1"
    found_by_id = index.find("same1")
    assert found_by_id is not None
    assert found_by_id.text == "one"


def test_an_id_that_only_changed_hands_is_not_gone(tmp_path: Path) -> None:
    index = made(tmp_path, TWINS | {"a.md": "- alone\n- one <!-- id: same1 -->\n"})
    before = claims(index)
    assert change(index, {}, "a.md") == 1  # the other line, whose id nobody has now
    assert claims(index)["two"] == "same1" != before["two"]


def test_what_came_in_elsewhere_in_the_same_words_is_not_gone(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- first\n- second\n", "b.md": "- first\n"})
    assert change(index, {"c.md": "- another\n- second\n- first\n"}, "a.md") == 0
    assert change(index, {}, "b.md") == 1  # though the words stand in another file
    assert change(index, {"d.md": "- first\n"}, "c.md") == 2


# supersession


def superseded(index: Index) -> dict[str, str]:
    return {row.record.text: row.record.superseded_by for row in rows(index) if row.record.superseded_by}


def test_a_record_is_superseded_by_the_last_that_says_so_as_long_as_it_says_so(tmp_path: Path) -> None:
    index = made(
        tmp_path,
        {
            "x.md": "- old <!-- id: old1 -->\n",
            "memory/2025-01-01.md": "- new <!-- id: new1 · supersedes: old1 -->\n",
            "z/2024-01-01.md": "- older <!-- id: new0 · supersedes: old1, gone -->\n",
        },
    )
    assert superseded(index) == {"old": "new1"}
    change(index, {}, "memory/2025-01-01.md")
    assert superseded(index) == {"old": "new0"}
    change(index, {"z/2024-01-01.md": "- older <!-- id: new0 -->\n"})
    assert superseded(index) == {}
    change(index, {"z/2024-01-01.md": "- older <!-- id: new0 · supersedes: old1 -->\n"}, "x.md")
    assert superseded(index) == {}
    change(index, {"x.md": "- old <!-- id: old1 -->\n"})
    assert superseded(index) == {"old": "new0"}


def test_nothing_supersedes_itself_not_even_after_another_did(tmp_path: Path) -> None:
    index = made(
        tmp_path,
        {
            "x.md": "- old <!-- id: old1 · supersedes: old1 -->\n",
            "y.md": "- new <!-- id: new1 · supersedes: old1 -->\n",
        },
    )
    assert superseded(index) == {"old": "new1"}
    change(index, {}, "y.md")
    assert superseded(index) == {}


def test_a_superseder_is_known_by_the_id_that_it_ends_up_with(tmp_path: Path) -> None:
    index = made(
        tmp_path,
        {"x.md": "- old <!-- id: old1 -->\n", "z.md": "- new <!-- id: same1 · supersedes: old1 -->\n"},
    )
    assert superseded(index) == {"old": "same1"}
    change(index, {"a.md": "- other <!-- id: same1 -->\n"})
    assert superseded(index) == {"old": claims(index)["new"]}
    assert claims(index)["new"] != "same1"


# what full text holds

METADATA = """---
title: Zeppelin
tags: [quokka]
aliases: Marmot
project: gurdy
participants: [Wombat]
---
## Retain

- O(c=0.9) Tulips are lovely <!-- id: abcd1 · importance: 0.9 · category: decision · trigger: narwhal · from: obs:axolotl -->
"""


def test_full_text_holds_the_text_the_titles_above_and_the_triggers_and_no_metadata(tmp_path: Path) -> None:
    index = made(tmp_path, {"memory/semantic/preferences.md": METADATA})
    assert [row.record.text for row in rows(index)] == ["Tulips are lovely"]
    assert [index.document_frequency(token) for token in ("tulip", "love", "zeppelin", "retain", "narwhal")] == [1] * 5
    said = "opinion opinions decision preference preferences quokka gurdy axolotl marmot wombat abcd1 memory"
    assert {token: index.document_frequency(token) for token in said.split()} == dict.fromkeys(said.split(), 0)
    for word in (*said.split(), "importance", "0.9", "trusted", "semantic", "retain/opinion"):
        assert (
            lexical.search_bm25(
                index,
                lexical.Bm25Scorer(index, (QueryTerm(word, (word,)),)),
                Filter(history=True),
                lexical.SearchLimits(k=10),
            )
            == {}
        )


def test_frequencies_follow_every_change(tmp_path: Path) -> None:
    chance = random.Random(5)
    words = [first + second for first in "bdfgk" for second in ("a", "o", "u", "ax", "ox", "ux")]
    index, files = made(tmp_path, {}), {}
    for _ in range(60):
        path = f"{chance.randrange(6)}.md"
        if path in files and chance.random() < 0.4:
            del files[path]
            change(index, {}, path)
        else:
            files[path] = "".join(f"- {' '.join(chance.choices(words, k=5))}\n" for _ in range(chance.randrange(5)))
            change(index, {path: files[path]})
        lines = [line[2:].split() for text in files.values() for line in text.split("\n") if line]
        expected = Counter(word for line in lines for word in set(line))
        assert {word: index.document_frequency(word) for word in words} == {word: expected[word] for word in words}
        assert index.corpus_size() == (len(lines), sum(map(len, lines)))


# filters

SHELF = {
    "bank/world.md": "- the world <!-- id: wrld1 -->\n",
    "bank/opinions.md": "- an opinion <!-- project: gurdy -->\n",
    "memory/semantic/decisions.md": "- a decision <!-- origin: untrusted -->\n",
    "memory/2025-11-26.md": "- the day before\n",
    "memory/2025-11-27.md": "# 2025-11-27\n\n- the day\n\n- 00:00 Ada: midnight\n\n- 23:59 Ada: the last minute\n",
    "memory/2025-11-28.md": "- the day after\n",
    "notes/trip.md": "- the trip <!-- valid: 2025-11-20..2025-11-27 -->\n",
    "notes/since.md": "- since then <!-- valid: 2025-11-28.. -->\n",
    "notes/until.md": "- until then <!-- valid: ..2025-11-25 -->\n",
    "notes/replaced.md": "- replaced <!-- id: oldd1 -->\n- replaced twice <!-- id: oldd2 -->\n",
    "memory/2025-10-01.md": "- second of three <!-- id: midd2 · supersedes: oldd2 -->\n",
    "memory/2025-12-01.md": "- in its place <!-- supersedes: oldd1, oldd2 -->\n",
}
UNDATED = {"the world", "an opinion", "a decision"}
ALWAYS = UNDATED | {"second of three"}
OCTOBER = {"second of three"}
DAY = {"the day", "Ada: midnight", "Ada: the last minute"}


@pytest.fixture
def shelf(tmp_path: Path) -> Index:
    return made(tmp_path, SHELF)


def test_filters_let_through_kinds_categories_scopes_and_trusts(shelf: Index) -> None:
    assert found(shelf, Filter(kinds=("opinion",))) == ["an opinion"]
    assert found(shelf, Filter(kinds=("opinion", "experience"))) == ["an opinion"]
    assert found(shelf, Filter(categories=("decision",))) == ["a decision"]
    assert found(shelf, Filter(scopes=("gurdy",))) == ["an opinion"]
    assert "an opinion" not in found(shelf, Filter(scopes=("",)))
    assert "an opinion" in found(shelf, Filter(scopes=("", "gurdy")))
    assert "an opinion" in found(shelf, Filter(scopes=None))
    assert found(shelf, Filter(trusts=("untrusted", "quarantined"))) == ["a decision"]
    assert found(shelf, Filter(kinds=("opinion",), scopes=("other",))) == []


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2025-11-27T00:00", "2025-11-28T00:00", {*DAY, "the trip"}),
        ("2025-11-27T00:00", "2025-11-27T00:01", {"the day", "Ada: midnight", "the trip"}),
        ("2025-11-27T23:59", "2025-11-28T00:00", {"Ada: the last minute", "the trip"}),
        ("2025-11-27T00:01", "2025-11-27T23:59", {"the trip"}),
        ("2025-11-28T00:00", "2025-11-29T00:00", {"the day after", "since then"}),
        ("2025-11-28T00:00", "", {"the day after", "since then", "in its place"}),
        ("", "2025-11-26T00:00", {"the trip", "until then", *OCTOBER}),
        ("", "2025-11-27T00:00", {"the trip", "until then", "the day before", *OCTOBER}),
        ("2025-11-19T00:00", "2025-11-20T00:00", {"until then"}),
        ("2025-11-20T00:00", "2025-11-20T00:01", {"the trip", "until then"}),
        ("2025-11-25T23:59", "2025-11-26T00:00", {"the trip", "until then"}),
        ("2026-01-01T00:00", "", {"since then"}),
    ],
)
def test_a_stretch_of_time_takes_its_first_minute_and_leaves_its_last(
    shelf: Index, since: str, until: str, expected: set[str]
) -> None:
    assert set(found(shelf, Filter(since=since, until=until))) == expected


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2025-11-28T00:00", {*ALWAYS, "replaced", "the day before", *DAY, "the trip"}),
        ("2025-11-27T00:01", {*ALWAYS, "replaced", "the day before", "the day", "Ada: midnight", "the trip"}),
        ("2025-11-27T00:00", {*ALWAYS, "replaced", "the day before", "the trip"}),
        ("2025-11-29T00:00", {*ALWAYS, "replaced", "the day before", *DAY, "the day after", "since then"}),
        ("2025-11-26T00:00", {*ALWAYS, "replaced", "until then", "the trip"}),
        ("2025-10-02T00:00", {*ALWAYS, "replaced", "until then"}),
        ("2025-10-01T00:00", {*UNDATED, "replaced", "replaced twice", "until then"}),
        ("2025-12-02T00:00", {*ALWAYS, "the day before", *DAY, "the day after", "since then", "in its place"}),
    ],
)
def test_as_of_shows_what_held_until_that_minute_and_known_at_what_was_recorded_before_it(
    shelf: Index, as_of: str, expected: set[str]
) -> None:
    first_values = {"the day before", *DAY, "the day after"}  # which replace nothing: they may have held before
    assert set(found(shelf, Filter(as_of=as_of))) == expected | first_values
    unrecorded = {row.record.text for row in rows(shelf) if not row.record.recorded}
    assert set(found(shelf, Filter(as_of=as_of, known_at=as_of))) == expected - unrecorded


def test_known_at_shows_what_was_believed_then_whatever_replaced_it_since(shelf: Index) -> None:
    shelf_then = Filter(known_at="2025-11-01T00:00")
    assert found(shelf, shelf_then) == ["second of three"]
    facts = LedgerFacts(relations=(("oldd1", "seen", "", "2025-10-03"), ("oldd2", "seen", "", "2025-10-03")))
    with shelf.transaction():
        shelf.put_ledger_facts(facts)
        shelf.reconcile()
    assert found(shelf, shelf_then) == ["replaced", "second of three"]
    assert "replaced" not in found(shelf, Filter(known_at="2025-12-02T00:00"))


def test_what_is_superseded_shows_only_in_the_history(shelf: Index) -> None:
    assert {"replaced", "replaced twice"} & set(found(shelf, Filter())) == set()
    assert {"replaced", "replaced twice"} <= set(found(shelf, Filter(history=True)))


def test_filters_are_the_same_however_rows_are_asked_for(shelf: Index) -> None:
    only = Filter(since="2025-11-27T00:00", until="2025-11-28T00:00", trusts=("trusted",))
    everything = [row.row_id for row in rows(shelf)]
    few = shelf.token_counts(everything, only)
    assert (
        set(few)
        == set(shelf.filtered_rows(only, len(few)) or ())
        == {turn.row_id for turn in shelf.read_turns(everything, only)}
    )
    assert shelf.filtered_rows(only, len(few) - 1) is None
    assert set(few) == set(shelf.newest_filtered_rows(only, 100))
    change(shelf, {"memory/2025-11-27.md": "- tea\n"})
    assert set(shelf.token_counts([row.row_id for row in rows(shelf)], only)) == set(
        shelf.newest_filtered_rows(only, 100)
    )


def test_the_newest_come_first_and_equals_by_path_and_line(shelf: Index) -> None:
    numbers = shelf.newest_filtered_rows(Filter(history=True), 100)
    records = [shelf.fetch([number])[number].record for number in numbers]
    times = [record.time or record.valid_from for record in records]
    assert times == sorted(times, reverse=True)
    assert shelf.newest_of_rows(reversed(numbers), 100) == numbers
    assert shelf.newest_filtered_rows(Filter(history=True), 3) == numbers[:3]


# exactness

KINDS = ("world", "experience", "opinion")


def zipf(chance: random.Random, files: int, lines: int) -> tuple[dict[str, str], list[str]]:
    """Short lines whose words are as unevenly frequent as those of any language."""
    words = [f"w{number}" for number in range(1, 801)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    written: dict[str, str] = {}
    for number in range(files):
        day = f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}"
        text = f"# {chance.choice(words)} {chance.choice(words[:20])}\n\n## Retain\n\n"
        for _ in range(lines):
            said = " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(1, 14)))
            note = chance.choice(("", "", " <!-- project: gurdy -->", " <!-- origin: untrusted -->"))
            text += f"- {chance.choice('WBS')} {said}{note}\n"
        written[f"memory/{day}.md" if number % 3 else f"notes/{number}.md"] = text
    return written, words


FILTERS = (
    Filter(),
    Filter(kinds=("opinion", "experience")),
    Filter(scopes=("gurdy",)),
    Filter(scopes=("",), trusts=("trusted",)),
    Filter(since="2025-03-01T00:00", until="2025-07-01T00:00"),
    Filter(since="2025-06-05T00:00", until="2025-06-08T00:00"),
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_k_best_of_a_query_are_those_of_bm25_over_every_line(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    written, words = zipf(chance, 60, 50)
    index = made(tmp_path, written)
    held = [(row, Counter(row.tokens.split()), Counter(row.context.split())) for row in rows(index)]
    for number in range(12):
        asked = {*chance.choices(words, k=chance.randint(1, 4)), *chance.choices(words[:12], k=chance.randint(0, 4))}
        terms = tuple(QueryTerm(word, (word,), chance.choice((1.0, 1.0, 0.5))) for word in sorted(asked))
        if number % 3 == 0:
            terms = (*terms, QueryTerm("either", (words[0], words[500])))
        everything = bm25(held, terms)
        for only in FILTERS:
            visible = index.token_counts(everything, only)
            expected = {row: score for row, score in everything.items() if row in visible}
            ordered = sorted(expected.values(), reverse=True)
            for k in (1, 10, 50):
                measure = lexical.Bm25Scorer(index, terms)
                answer = lexical.search_bm25(index, measure, only, lexical.SearchLimits(k=k))
                bar = ordered[k - 1] if len(ordered) >= k else 0.0
                assert {row for row, score in expected.items() if score > bar - 1e-9} <= answer.keys()
                for row, score in answer.items():
                    assert score == pytest.approx(expected[row], abs=1e-9)
                    assert 0 < measure.coverage(row) <= 1 + 1e-9


def test_a_frequent_word_is_read_as_long_as_it_alone_could_beat_the_best_so_far(tmp_path: Path) -> None:
    lines = ["rare", *("often tea" for _ in range(1500)), *("coffee milk" for _ in range(1500)), "often " * 7]
    index = made(tmp_path, {"a.md": "".join(f"- {line}\n" for line in lines)})
    terms = (QueryTerm("rare", ("rare",), 0.1), QueryTerm("often", ("often",)))
    bar = lexical.search_bm25(index, lexical.Bm25Scorer(index, terms[:1]), Filter(), lexical.SearchLimits(k=1))
    rest = lexical.search_bm25(index, lexical.Bm25Scorer(index, terms[1:]), Filter(), lexical.SearchLimits(k=1))
    assert max(bar.values()) < max(rest.values())
    best = max(
        lexical.search_bm25(index, lexical.Bm25Scorer(index, terms), Filter(), lexical.SearchLimits(k=1)).items(),
        key=lambda found: found[1],
    )[0]
    assert index.fetch([best])[best].record.text == lines[-1].strip()


@pytest.mark.slow
def test_of_lines_that_hold_a_word_once_only_the_short_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [" ".join(("tea", *(f"w{word}" for word in range(number % 37)))) for number in range(2000, 0, -1)]
    index = made(tmp_path, {"a.md": "".join(f"- {line}\n" for line in (*lines, *["milk"] * 5000))})
    read = read_by(index, monkeypatch)
    answer = lexical.search_bm25(
        index, lexical.Bm25Scorer(index, (QueryTerm("tea", ("tea",)),)), Filter(), lexical.SearchLimits(k=50)
    )
    assert {kept.record.text for kept in index.fetch(answer).values()} == {"tea"}
    assert len(read) < 500


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_long_line_that_holds_words_again_and_again_is_not_passed_over(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    said = [
        " ".join(
            (
                *["tea"] * chance.choice((0, 1, 1, 1, 1, 3)),
                *["cocoa"] * chance.choice((0, 0, 0, 0, 1, 2)),
                *["often"] * chance.choice((0, 1, 1, 2, 15)),
                *(f"w{word}" for word in range(chance.randint(0, 60))),
            )
        )
        for _ in range(2500)
    ]
    index = made(tmp_path, {"a.md": "".join(f"- {line}\n" for line in said)})
    held = [(row, Counter(row.tokens.split()), Counter(row.context.split())) for row in rows(index)]
    terms = tuple(QueryTerm(word, (word,), weight) for word, weight in (("tea", 3.0), ("cocoa", 1.5), ("often", 1.0)))
    for asked in (terms, terms[::2], terms[:2]):
        expected = bm25(held, asked)
        ordered = sorted(expected.values(), reverse=True)
        for k in (10, 100, 400, 900):
            answer = lexical.search_bm25(index, lexical.Bm25Scorer(index, asked), Filter(), lexical.SearchLimits(k=k))
            assert answer.keys() == {row for row, score in expected.items() if score > ordered[k - 1] - 1e-9}


@pytest.mark.slow
def test_a_search_for_what_bears_a_name_goes_on_where_one_for_whatever_there_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(4)
    words = [f"w{number}" for number in range(300)]
    weights = list(accumulate(1 / rank for rank in range(1, 301)))
    said = [" ".join(chance.choices(words, cum_weights=weights, k=12)) for _ in range(3000)]
    lines = "".join(f"- W @{chance.choice(('Ada', 'Bob', 'Eve'))} {line}\n" for line in said)
    index = made(tmp_path, {"a.md": f"## Retain\n\n{lines}"})
    terms = tuple(QueryTerm(word, (word,)) for word in ("w3", "w40", "w90"))
    every, named = lexical.SearchLimits(k=100), lexical.SearchLimits(k=100, entity_names=("ada",))
    alone = lexical.search_bm25(index, lexical.Bm25Scorer(index, terms), Filter(), named)
    measure = lexical.Bm25Scorer(index, terms)
    lexical.search_bm25(index, measure, Filter(), every)
    asked: list[object] = []
    matching = index.matching_rows
    monkeypatch.setattr(index, "matching_rows", lambda *wanted: asked.append(wanted) or matching(*wanted))
    assert lexical.search_bm25(index, measure, Filter(), named) == alone
    after, asked[:] = len(asked), []
    assert lexical.search_bm25(index, lexical.Bm25Scorer(index, terms), Filter(), named) == alone
    assert len(alone) >= 100
    assert after < len(asked)


def test_the_few_that_a_filter_lets_through_are_counted_anew_after_a_write(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory, Memory.open(tmp_path) as other:
        only = Filter(scopes=("gurdy",))
        for number in range(1, 4):
            memory.retain(f"tea number {number}", scope="gurdy")
            assert [len(one.workspace.open_index().filtered_rows(only, 2) or ()) for one in (memory, other)] == [
                number % 3
            ] * 2


def test_words_that_nobody_wrote_find_nothing_and_cost_nothing(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    assert (
        lexical.search_bm25(
            index, lexical.Bm25Scorer(index, (QueryTerm("zebra", ("zebra",)),)), Filter(), lexical.SearchLimits(k=10)
        )
        == {}
    )
    assert lexical.search_bm25(index, lexical.Bm25Scorer(index, ()), Filter(), lexical.SearchLimits(k=10)) == {}


def test_what_utf8_cannot_hold_is_nowhere_and_asking_for_it_is_no_error(tmp_path: Path) -> None:
    index, odd = made(tmp_path, {"a.md": "- tea\n"}), "tea\ud800"
    assert (index.find(odd), index.document_frequency(odd)) == (None, 0)
    assert (index.written_names((odd, "a")), index.mentions((odd,)), index.pages_by_name((odd,))) == (
        {"a": "a"},
        [],
        [],
    )
    assert (index.rows_of_file(odd), index.origin_of(odd), index.newest_filtered_rows(Filter(scopes=(odd,)), 9)) == (
        [],
        odd,
        [],
    )


# trust and use


def test_origins_count_by_id_and_by_text_in_any_order(tmp_path: Path) -> None:
    read = prepare_document(parse_document("a.md", b"- tea\n"), FileRow("a.md", "a.md", "", (0, 0, 0, 0)), Vocabulary())
    text_digest = read.to_file_entries().entries[0].text_digest
    written = {"a.md": "- tea\n- coffee <!-- id: cafe1 -->\n"}
    facts = LedgerFacts(origins=((text_digest, "untrusted"), ("cafe1", "unknown"), ("cafe1", "trusted")))
    before, after = made(tmp_path, written), None
    with before.transaction():
        before.put_ledger_facts(facts)
        before.reconcile()

    def build(index: Index) -> None:
        index.put_ledger_facts(facts)
        put(index, written)
        index.reconcile()

    after = open_index(str(tmp_path / "other/index.sqlite"), build)
    for index in (before, after):
        assert {row.record.text: row.record.trust for row in rows(index)} == {"tea": "untrusted", "coffee": "unknown"}
    assert before.dump() == after.dump()


def test_what_is_gone_is_counted_without_what_the_ledger_explains(tmp_path: Path) -> None:
    written = {"a.md": "- tea <!-- id: teaa1 -->\n- coffee <!-- id: cafe1 -->\n- milk\n"}
    index = made(tmp_path, written)
    with index.transaction():
        index.put_ledger_facts(LedgerFacts(explained=("teaa1",)))
        index.reconcile()
    assert change(index, {"a.md": "- milk\n"}) == 1
    assert change(index, {}, "a.md") == 1
    assert change(index, written) == 0


def test_a_row_comes_back_as_it_was_put(tmp_path: Path) -> None:
    path = "memory/2025-11-27.md"
    text = (
        "---\ntags: [x, y]\nparticipants: [Teo]\ntrigger: at night\n---\n## Retain\n\n"
        "- O(c=0.8) @Ada: [[Garden]] at #dusk <!-- id: abcd1 · importance: 7 · valid: 2025-11-27..2025-11-28 · project: g"
        " · supersedes: a, b · from: obs:1, obs:2 · origin: unknown · trigger: tea, cake -->\n\n- 09:15 Teo: hello\n"
    )
    index = made(tmp_path, {path: text})
    parsed = parse_document(path, text.encode()).records
    expected = {record.id: structs.replace(record, recorded=record.time) for record in parsed}
    assert [record.form for record in expected.values()] == ["retain", "dialogue"]
    assert {row.record.id: row.record for row in rows(index)} == expected
    assert index.find("abcd1") == expected["abcd1"]
    assert structs.astuple(index.files()[path])[0] == path


# told to stop

ENDLESS = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select max(n) from numbers"


def from_another_thread(act: Callable[[], None], after_s: float = 0.0) -> threading.Thread:
    thread = threading.Timer(after_s, act)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.parametrize("ask", [fetch_all, fetch_value])
def test_a_question_that_takes_for_ever_is_broken_off_and_harms_nothing(
    tmp_path: Path, ask: Callable[[Any, str], Any]
) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    before = os.stat(tmp_path / "index.sqlite").st_ino
    thread = from_another_thread(index.stop, 0.1)
    with pytest.raises(Interrupted), index.snapshot():
        ask(index._db, ENDLESS)
    thread.join()
    for _ in range(2):
        with pytest.raises(Interrupted):
            index.scopes()  # it stays so
    index.resume()
    assert found(index, Filter()) == ["tea"]
    assert change(index, {"b.md": "- mint\n"}) == 0
    assert found(index, Filter()) == ["mint", "tea"]
    assert os.stat(tmp_path / "index.sqlite").st_ino == before


def test_what_is_being_written_is_left_to_its_end(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    with index.transaction():
        from_another_thread(index.stop).join()
        put(index, {"b.md": "- mint\n"})
        index.reconcile()
    with pytest.raises(Interrupted):
        index.scopes()
    index.resume()
    assert found(index, Filter()) == ["mint", "tea"]


@pytest.mark.parametrize("when", ["begin", "end"])
def test_a_stop_at_either_end_of_a_snapshot_leaves_none_open(tmp_path: Path, when: str) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    connection: apsw.Connection = index._db
    stops = [False, True] if when == "end" else [True]

    def stop_once() -> bool:
        return bool(stops and stops.pop())

    if when == "begin":
        connection.set_progress_handler(stop_once, 1)
        with pytest.raises(Interrupted), index.snapshot():
            pass
    else:
        with index.snapshot():
            index.scopes()
            connection.set_progress_handler(stop_once, 1)
    connection.set_progress_handler(None)
    assert stops in ([], [False])
    assert not connection.in_transaction
    change(index, {"b.md": "- mint\n"})
    assert found(index, Filter()) == ["mint", "tea"]


def test_an_index_that_is_closed_may_be_told_to_stop(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    index.close()
    index.stop()


def test_a_statement_that_begins_while_it_is_told_to_stop_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    monkeypatch.setattr(index_sql, "_raise_if_stopped", lambda _db: index.stop())  # between the check and the statement
    with pytest.raises(Interrupted):
        fetch_all(
            index._db,
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999999) select max(i) from n",
        )
    monkeypatch.undo()
    index.resume()
    assert found(index, Filter()) == ["tea"]
