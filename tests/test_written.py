"""After a write of our own: what it may have touched is read anew, the rest is kept, and both say what is there."""

from __future__ import annotations

import importlib
import random
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.errors import OutsideWorkspace, SuspiciousLoss
from commonplace.index import (
    AllOf,
    FileRow,
    Filter,
    Index,
    TokenQuery,
    open_index,
    repeated_token_marker,
    rows,
    snapshot_cache,
)
from commonplace.index.store import SqliteIndex
from commonplace.model import ACTORS
from commonplace.storage.files import content_digest
from commonplace.storage.workspace import parse_document
from commonplace.sync import synchronizer
from commonplace.sync.index_entries import prepare_document
from commonplace.truth import Vocabulary
from tests.support.counting import runs_sql
from tests.support.indexes import INDEX, WORDS, asked_of_the_database, made, talk

LOG = "memory/2025-11-01.md"
FILTERS = (
    Filter(),
    Filter(history=True),
    Filter(trusts=("trusted",)),
    Filter(evidence="none"),
    Filter(as_of="2026-01-01T00:00"),
    Filter(since="2025-11-01T00:00", until="2025-11-03T00:00"),
)
FILES = ("memory/2025-11-01.md", "memory/2025-11-02.md", "notes.md", "memory/episodes/2025-11-01_09-00-00_tea.md")
TOKENS = (*WORDS, *map(repeated_token_marker, WORDS), "talk", "later", "Tea", "it's", "n'est", "café")


def answers(index: Index, only: Filter) -> list[Any]:
    """Whatever is kept, as an index tells it, in an order that tells nothing."""
    there = sorted(index.fetch(index.matching_rows(AllOf(()) if not TOKENS else TOKENS[0])))
    every = [row for path in sorted(index.files()) for row in index.rows_of_file(path)]
    rows = sorted({*there, *every, *index.filtered_rows(Filter(history=True), 10_000)})
    names = index.dialogue_names(rows)
    dialogues = index.read_dialogues(sorted(set(names.values())), rows, only)
    few = [index.filtered_rows(only, at_most) for at_most in (2, 10_000)]
    return [
        [index.matching_rows(token) for token in TOKENS],
        index.rows_by_token(TOKENS, rows),
        [index.document_frequency(token) for token in TOKENS],
        index.sort_by_length(rows),
        sorted(index.read_turns(rows, only), key=lambda turn: turn.row_id),
        sorted(names.items()),
        [(dialogue.turns, dialogue.size) for dialogue in dialogues],
        [sorted(found) if found is not None else None for found in few],
        index.distinct_size(),
        index.session_names(only),
        index.newest_filtered_rows(only, 9),
        index.newest_mentioning_rows(["ada", "ben"], only, 9),
    ]


def line(rng: random.Random, number: int) -> str:
    words = " ".join(rng.choices((*WORDS, "Tea", "it's", "n'est", "café", "X'Y"), k=rng.randint(1, 4)))
    said = rng.choice((f"09:{number % 60:02} {rng.choice(('Ada', 'Ben'))}: {words}", f"W @Ada: {words}", words))
    if rng.random() < 0.3:
        old = rng.randrange(40)
        return f"- {said} <!-- id: r{number} · supersedes: r{old} -->"
    return f"- {said} <!-- id: r{number} -->" if rng.random() < 0.5 else f"- {said}"


def write(root: Path, rng: random.Random, number: int) -> None:
    """Add, change, move or remove lines of a file, or the file."""
    path = root / rng.choice(FILES)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        path.read_text().splitlines() if path.exists() else ["# Page", "", f"## {rng.choice(('Talk', 'Later'))}", ""]
    )
    how = rng.random()
    if how < 0.6:
        lines.append(line(rng, number))
    elif how < 0.7:
        lines.insert(rng.randrange(4, len(lines) + 1), line(rng, number))
    elif how < 0.8 and len(lines) > 4:
        lines[rng.randrange(4, len(lines))] = line(rng, number)
    elif how < 0.9 and len(lines) > 4:
        del lines[rng.randrange(4, len(lines))]
    elif path.exists():
        return path.unlink()
    path.write_text("\n".join(lines) + "\n")
    return None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_after_a_write_is_what_one_reads_who_keeps_nothing(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(rows, "MAX_WHOLE_DIALOGUE_TURNS", 300 if seed % 2 else 4)
    with Memory.open(tmp_path) as memory:
        memory.sync()
        index = memory.workspace.open_index()
        only = rng.choice(FILTERS)
        for number in range(120):
            only = rng.choice(FILTERS) if rng.random() < 0.2 else only
            answers(index, only)
            if rng.random() < 0.25:
                actor = rng.choice(ACTORS)
                memory.capture(line(rng, number)[2:], actor=actor, session=rng.choice(("s1", "s2")))
            for _time in range(rng.randint(0, 2)):
                write(tmp_path, rng, number)
            try:
                memory.sync(force=rng.random() < 0.1)
            except SuspiciousLoss:
                memory.sync(force=True)
            there = {
                str(path.relative_to(tmp_path)): content_digest(path.read_bytes()) for path in tmp_path.rglob("*.md")
            }
            assert {path: row.digest for path, row in index.files().items()} == there
            alone = open_index(str(tmp_path / INDEX), lambda _index: None)
            assert answers(index, only) == answers(alone, only)
            alone.close()


BOTH: TokenQuery = AllOf(("boat", "harbour"))


def test_a_word_that_is_not_in_a_new_line_is_not_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, {"a.md": "- boat in the harbour\n- tea\n", "b.md": "- milk\n"})
    index.matching_rows(BOTH), index.matching_rows("tea")
    asked = asked_of_the_database(index, monkeypatch)
    append(index, "a.md", "- boat in the harbour\n- tea\n", "- milk with tea\n")
    assert len(index.matching_rows(BOTH)) == 1
    assert not asked
    assert len(index.matching_rows("tea")) == 2
    assert asked == ["tea"]
    append(index, "a.md", "- tea\n", "")
    assert index.matching_rows(BOTH) == []


def append(index: Index, path: str, before: str, more: str) -> None:
    """Let a file have some lines more, written as a sync writes them."""
    with index.transaction():
        replace(index, path, before + more)


def replace(index: Index, path: str, text: str) -> None:
    document = parse_document(path, text.encode())
    row = FileRow(path, path, document.digest, (0, 0, 0, 0), document.role, document.title)
    read = prepare_document(document, row, Vocabulary())
    index.replace_file(read.file, read.records, read.make_entry)
    index.reconcile()


def test_words_that_the_full_text_takes_apart_are_never_kept(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- boat\n"})
    assert index.matching_rows("it's") == []
    append(index, "a.md", "- boat\n", "- its s\n")
    odd = snapshot_cache.TransactionWrites()
    odd.note_tokens(" milk  tea ")
    assert odd.is_additive
    assert [odd.may_contain(token) for token in ("milk", "boat", "it's", "Boat")] == [True, False, True, True]
    odd.note_tokens(" it's ")
    assert not odd.is_additive


def test_the_dialogues_of_other_files_are_kept_and_that_of_the_file_is_read_anew(tmp_path: Path) -> None:
    other = {"memory/2025-11-02.md": "# 2025-11-02\n\n## Talk\n\n- 09:00 Ada: Boat.\n- 09:01 Ben: Zebra.\n"}
    said = talk("Ada: Tea.", "Ben: Milk.")
    index = made(tmp_path, said | other)
    names = sorted(
        set(index.dialogue_names(index.rows_of_file(LOG) + index.rows_of_file("memory/2025-11-02.md")).values())
    )
    before = index.read_dialogues(names, (), Filter())
    append(index, LOG, said[LOG], "- 09:02 Ada: Zebra.\n")
    after = index.read_dialogues(names, (), Filter())
    assert [one is other for one, other in zip(before, after, strict=True)] == [False, True]
    assert [dialogue.size for dialogue in after] == [3, 2]


def test_a_turn_that_a_new_line_of_another_file_puts_away_is_not_kept(tmp_path: Path) -> None:
    said = talk("Ada: Tea. <!-- id: old1 -->", "Ben: Milk.")
    index = made(tmp_path, said | {"b.md": "- boat\n"})
    rows = index.rows_of_file(LOG)
    for only in (Filter(), Filter(as_of="2030-01-01T00:00")):
        text = "".join(f"- {row.record.text}\n" for row in index.fetch(index.rows_of_file("b.md")).values())
        there, few = index.read_turns(rows, only), index.filtered_rows(only, 9) or []
        append(index, "b.md", text, f"- No {only.as_of or 'tea'}. <!-- supersedes: old1 -->\n")
        assert len(index.read_turns(rows, only)) == len(there) - 1
        assert len(index.filtered_rows(only, 9) or []) == len(few)
        append(index, "b.md", text, "- something else\n")
        assert len(index.read_turns(rows, only)) == len(there)


def test_a_turn_is_not_kept_that_a_new_line_puts_away_for_a_time_in_the_past_alone(tmp_path: Path) -> None:
    early = "# 2025-11-03\n\n- boat\n"
    index = made(
        tmp_path,
        talk("Ada: Tea. <!-- id: old1 -->")
        | {"memory/2025-11-03.md": early, "memory/2025-11-20.md": "- No tea. <!-- supersedes: old1 -->\n"},
    )
    rows, only = index.rows_of_file(LOG), Filter(as_of="2025-11-10T00:00")
    there, few = index.read_turns(rows, only), index.filtered_rows(only, 9) or []
    append(index, "memory/2025-11-03.md", early, "- Never tea. <!-- supersedes: old1 -->\n")
    assert len(index.read_turns(rows, only)) == len(there) - 1
    assert len(index.filtered_rows(only, 9) or []) == len(few)


def test_that_there_are_too_many_is_known_until_one_of_them_may_be_put_away(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea <!-- id: old1 -->\n- milk\n", "b.md": "- boat\n"})
    assert index.filtered_rows(Filter(), 2) is None
    append(index, "b.md", "- boat\n", "- zebra\n")
    assert not runs_sql(index, lambda: index.filtered_rows(Filter(), 2))
    assert index.filtered_rows(Filter(), 2) is None
    append(index, "b.md", "- boat\n- zebra\n", "- no tea <!-- supersedes: old1 -->\n")
    assert runs_sql(index, lambda: index.filtered_rows(Filter(), 2))
    assert index.filtered_rows(Filter(), 2) is None
    assert index.filtered_rows(Filter(), 4) is not None
    append(index, "b.md", "- boat\n- zebra\n- no tea <!-- supersedes: old1 -->\n", "- harbour\n")
    assert index.filtered_rows(Filter(), 4) is None


def test_nothing_is_kept_of_what_another_process_changed_before_we_wrote(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n", "b.md": "- boat\n"})
    other = open_index(index.path, lambda _index: None)
    assert len(index.matching_rows("boat")) == 1
    append(other, "b.md", "- boat\n", "- boat again\n")
    append(index, "a.md", "- tea\n", "- milk\n")
    assert len(index.matching_rows("boat")) == 2
    other.close()


def test_what_is_asked_in_the_midst_of_writing_is_not_kept_where_more_is_written(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    with index.transaction():
        replace(index, "a.md", "- tea\n- milk\n")
        assert (len(index.matching_rows("milk")), index.distinct_size()) == (1, (2, 2))
        replace(index, "a.md", "- tea\n- milk\n- milk again\n")
    assert (len(index.matching_rows("milk")), index.distinct_size()[0]) == (2, 3)


def test_of_an_index_that_grows_large_no_holders_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(tmp_path, {"a.md": "- tea\n"})
    monkeypatch.setattr(snapshot_cache, "MAX_CACHED_ROW_IDS", 2)
    assert index.rows_by_token(["tea"], [1]) == {"tea": [1]}
    append(index, "a.md", "- tea\n", "- milk\n- milk again\n")
    assert index.rows_by_token(["tea"], [1]) is None


def test_of_a_write_of_very_many_rows_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "MAX_NOTED_ROWS", 3)
    index = made(tmp_path, {"a.md": "- tea\n"})
    index.matching_rows("boat")
    append(index, "a.md", "- tea\n", "- milk\n" * 3)
    assert not runs_sql(index, lambda: index.matching_rows("boat"))
    append(index, "a.md", "- tea\n" + "- milk\n" * 3, "- milk\n" * 4)
    assert runs_sql(index, lambda: index.matching_rows("boat"))


def test_where_files_were_only_touched_everything_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    (tmp_path / "b.md").symlink_to("/etc/hosts")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        index = memory.workspace.open_index()
        newest, said = index.newest_filtered_rows(Filter(), 9), index.distinct_size()
        (tmp_path / "a.md").touch()
        with monkeypatch.context() as kept_only:
            for read in (
                "snapshot_cache.SnapshotCache.clear",
                "snapshot_cache.fetch_column",
            ):
                kept_only.setattr(f"commonplace.index.{read}", lambda *_asked: pytest.fail("something was let go"))
            memory.sync()
            kept_only.setattr(type(index), "corpus_size", lambda _index: pytest.fail("it was let go"))
            assert (index.newest_filtered_rows(Filter(), 9), index.distinct_size()) == (newest, said)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that a sync reads."""
    reads: list[str] = []
    real = synchronizer.SyncSource.read
    monkeypatch.setattr(synchronizer.SyncSource, "read", lambda self, path: reads.append(path) or real(self, path))
    return reads


def test_a_file_that_was_just_written_is_not_read_for_each_question(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("- tea\n")
    monkeypatch.setattr("commonplace.sync.change_plan.RACY_NS", 1 << 62)
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.recall("tea")
        path.write_text("- milk\n")
        reads.clear()
        for _time in range(3):
            assert [hit.record.text for hit in memory.recall("milk").hits] == ["milk"]
        assert reads == ["a.md"]
        path.write_text("- boat\n")
        assert [hit.record.text for hit in memory.recall("boat").hits] == ["boat"]
        assert reads == ["a.md"] * 2


def test_of_very_many_files_only_that_is_compared_of_which_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.md").write_text(f"- tea {number}\n")
    compared: list[list[str]] = []
    sync_plan = importlib.import_module("commonplace.sync.change_plan")  # its room has a function of this name
    real = sync_plan.diff_files
    monkeypatch.setattr(
        sync_plan, "diff_files", lambda known, *more: compared.append(sorted(known)) or real(known, *more)
    )
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.sync()
        compared.clear()
        (tmp_path / "3.md").write_text("- milk\n")
        (tmp_path / "5.txt").write_text("- milk\n")
        assert [(change.kind, change.path) for change in memory.sync().changes] == [("modified", "3.md")]
        assert compared == [["3.md"]]
        (tmp_path / "4.md").unlink()
        assert [(change.kind, change.path) for change in memory.sync().changes] == [("removed", "4.md")]
        assert len(compared[1]) == 9


def test_a_file_that_was_written_twice_under_one_stamp_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "commonplace.storage.workspace.sweep._stamp_of_status", lambda found: (found.st_size, 1, 1, found.st_ino)
    )
    monkeypatch.setattr("commonplace.sync.change_plan.RACY_NS", 1 << 62)
    path = tmp_path / "a.md"
    path.write_text("- tea1\n")
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.sync()
        for word in ("tea2", "tea3"):
            path.write_text(f"- {word}\n")
            assert [hit.record.text for hit in memory.recall(word).hits] == [word]


def test_where_another_process_wrote_all_files_are_compared(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("- tea\n")
    with Memory.open(tmp_path) as memory, Memory.open(tmp_path) as other:
        for _time in range(6):
            memory.sync()
        with other.workspace.open_index().transaction():
            other.workspace.open_index().drop_file("b.md")
            other.workspace.open_index().reconcile()
        (tmp_path / "a.md").write_text("- milk\n")
        assert [(change.kind, change.path) for change in memory.sync().changes] == [
            ("modified", "a.md"),
            ("added", "b.md"),
        ]


def test_where_another_process_writes_right_before_us_all_files_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("- tea\n")
    with Memory.open(tmp_path) as memory, Memory.open(tmp_path) as other:
        for _time in range(6):
            memory.sync()
        there, real = other.workspace.open_index(), SqliteIndex.transaction

        def late(index: SqliteIndex) -> AbstractContextManager[None]:
            with real(there):
                there.drop_file("b.md")
                there.reconcile()
            return real(index)

        (tmp_path / "a.md").write_text("- milk\n")
        with monkeypatch.context() as slow:
            slow.setattr(SqliteIndex, "transaction", late)
            assert len(memory.sync().changes) == 2


def test_a_file_of_which_the_ledger_tells_another_first_place_is_read_beside_one_that_changed(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("- tea\n")
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.sync()
        moved = {"op": "moved", "ts": "2025-11-27T10:00", "path": "b.md", "path_before": "c.md", "origin": "c.md"}
        memory.workspace.sync_source().journal.append_all([moved], "ledger")
        (tmp_path / "a.md").write_text("- milk\n")
        assert [change.path for change in memory.sync().changes] == ["a.md", "b.md"]
        assert memory.workspace.open_index().files()["b.md"].origin == "c.md"


def test_a_file_that_could_not_be_read_is_tried_again_at_the_next_question(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("- tea\n")
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.recall("tea")
        path.write_text("- milk\n")
        with monkeypatch.context() as busy:
            busy.setattr(synchronizer.SyncSource, "read", busy_for_now)
            assert not [hit for hit in memory.recall("milk").hits if hit.record.text == "milk"]
        assert [hit.record.text for hit in memory.recall("milk").hits] == ["milk"]


def test_a_file_that_could_not_be_read_once_more_is_tried_again_at_the_next_question(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("- tea\n")
    real = synchronizer.SyncSource.read
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.recall("tea")
        path.write_text("- milk\n")
        reads.clear()
        with monkeypatch.context() as busy:
            busy.setattr(
                "commonplace.sync.change_plan.READ_AHEAD_BYTES", 0
            )  # bytes that are kept from the first reading
            busy.setattr(
                synchronizer.SyncSource, "read", lambda self, path: (busy_for_now if reads else real)(self, path)
            )
            assert not memory.recall("milk").hits
        assert [hit.record.text for hit in memory.recall("milk").hits] == ["milk"]


def busy_for_now(_self: synchronizer.SyncSource, path: str) -> bytes:
    raise OutsideWorkspace(path, "too many open files") from OSError(24, "too many open files")


def test_a_capture_leaves_what_was_kept_of_words_that_it_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("- boat in the harbour\n- tea\n")
    with Memory.open(tmp_path) as memory:
        memory.capture("milk", session="s1")
        memory.sync()
        index = memory.workspace.open_index()
        index.matching_rows(BOTH), index.matching_rows("tea")
        asked = asked_of_the_database(index, monkeypatch)
        memory.capture("more tea", session="s1")
        memory.sync()
        assert len(index.matching_rows(BOTH)) == 1
        assert not asked
        assert len(index.matching_rows("tea")) == 2
