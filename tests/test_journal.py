"""The journals: what is acknowledged stays, what is broken is set aside with its place, what is cut or altered is found."""

from __future__ import annotations

import base64
import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import BadArgument
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.journal import (
    Journal,
    JournalEntry,
    Stream,
    decode_journal_line,
    decode_with_checksum,
    encode_journal_line,
    make_entry_id,
)
from commonplace.storage.journal.entries import read_journal_batches

TS = "2025-11-27T09:00"
LEDGER = ".memory/journal/ledger-dev-2025-11.jsonl"
CAPTURES = ".memory/journal/captures-dev-2025-11.jsonl"


def said(text: object, ts: str = TS) -> dict[str, Any]:
    return {"ts": ts, "actor": "owner", "text": text}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(str(tmp_path), "dev")


def texts(journal: Journal, stream: Stream = "captures") -> list[Any]:
    return [entry.fields["text"] for entry in journal.read(stream).entries]


def lines_of(journal: Journal, path: str = LEDGER) -> list[bytes]:
    return (Path(journal.root) / path).read_bytes().split(b"\n")[:-1]


def put_lines(journal: Journal, lines: list[bytes], path: str = LEDGER) -> None:
    target = Path(journal.root) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"".join(line + b"\n" for line in lines))


# lines


def test_a_line_is_an_object_with_its_checksum_last() -> None:
    line = encode_journal_line({"v": 1, "id": "obs:a", "ts": TS, "text": "snow ❄"})
    fields = json.loads(line)
    body = line[: line.rindex(b',"crc"')] + b"}"
    assert list(fields) == ["v", "id", "ts", "text", "crc"]
    assert fields["crc"] == f"{crc32(body):08x}"
    assert json.loads(body) == {"v": 1, "id": "obs:a", "ts": TS, "text": "snow ❄"}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), JSON))
def test_what_is_encoded_is_decoded_again_and_fits_one_line(fields: dict[str, Any]) -> None:
    whole = {**fields, "v": 1, "id": "obs:a", "ts": TS}
    line = encode_journal_line(whole)
    entry = decode_journal_line(line, "p", 3, offset=7)
    assert b"\n" not in line
    assert isinstance(entry, JournalEntry)
    crc = entry.fields["crc"]
    assert entry == JournalEntry({**{k: v for k, v in whole.items() if k != "crc"}, "crc": crc}, "p", 3, 7, len(line))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_byte_of_a_line_can_change_unnoticed(data: st.DataObject) -> None:
    line = encode_journal_line({"v": 1, "id": "obs:a", "ts": TS, "text": "In Marrakech for Andy's birthday."})
    at = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[at]))
    assert isinstance(decode_journal_line(line[:at] + bytes([byte]) + line[at + 1 :]), Problem)
    assert isinstance(decode_journal_line(line[:at]), Problem)


HOSTILE = {
    "nested arrays": b"[" * 5000 + b"]" * 5000,
    "nested objects": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "unclosed arrays": b"[" * 100_000,
    "NaN": b'{"v":1,"id":"a","ts":"t","x":NaN}',
    "lone surrogate": b'{"v":1,"id":"a","ts":"t","x":"\\ud800 "}',
    "huge integer": b'{"v":1,"id":"a","ts":"t","x":' + b"9" * 10_000 + b"}",
    "huge exponent": b'{"v":1,"id":"a","ts":"t","x":1e999}',
    "BOM": b"\xef\xbb\xbf" + encode_journal_line({"v": 1, "id": "a", "ts": "t"}),
    "null": b"null",
    "array": b"[]",
    "string": b'"a"',
    "number": b"1",
    "invalid UTF-8": b'{"v":1,"id":"\xff","ts":"t"}',
    "NUL": b"\0\0\0",
    "blank": b" ",
    "no version": encode_journal_line({"id": "a", "ts": "t"}),
    "version as text": encode_journal_line({"v": "1", "id": "a", "ts": "t"}),
    "version true": encode_journal_line({"v": True, "id": "a", "ts": "t"}),
    "version 3": encode_journal_line({"v": 3, "id": "a", "ts": "t"}),
    "no id": encode_journal_line({"v": 1, "ts": "t"}),
    "id no text": encode_journal_line({"v": 1, "id": 3, "ts": "t"}),
    "no time": encode_journal_line({"v": 1, "id": "a"}),
    "no checksum": b'{"v":1,"id":"a","ts":"t"}',
    "false checksum": b'{"v":1,"id":"a","ts":"t","crc":"00000000"}',
    "checksum inside": b'{"v":1,"id":"a","ts":"t","x":{"crc":"00000000"}}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_bad_line_is_set_aside_with_its_place_and_its_neighbours_are_read(journal: Journal, name: str) -> None:
    good = [encode_journal_line({"v": 1, "id": f"obs:{n}", "ts": TS, "text": n}) for n in "ab"]
    put_lines(journal, [good[0], HOSTILE[name], good[1]], CAPTURES)
    reading = journal.read("captures")
    assert [entry.line_number for entry in reading.entries] == [1, 3]
    assert [(problem.path, problem.line) for problem in reading.problems] == [(CAPTURES, 2)]


def test_no_blob_of_the_json_test_suite_hurts_its_neighbours(journal: Journal, shared: Path) -> None:
    with gzip.open(shared / "corpora/json_test_suite/cases.jsonl.gz", "rt") as rows:
        blobs = [base64.b64decode(json.loads(row)["b64"]) for row in rows]
    assert len(blobs) > 100
    lines = [encode_journal_line({"v": 1, "id": f"obs:{n}", "ts": TS, "text": n}) for n in range(len(blobs) + 1)]
    put_lines(journal, [part for pair in zip(lines, blobs, strict=False) for part in pair] + lines[-1:], CAPTURES)
    reading = journal.read("captures")
    assert [entry.fields["text"] for entry in reading.entries] == list(range(len(blobs) + 1))
    empty = sum(blob.strip(b"\n") == b"" for blob in blobs)
    assert len(reading.problems) >= len(blobs) - empty
    assert all(problem.path == CAPTURES and problem.line > 0 for problem in reading.problems)


def test_no_naughty_string_changes_on_its_way(journal: Journal, shared: Path) -> None:
    with gzip.open(next((shared / "corpora/blns").glob("*.jsonl.gz")), "rt") as rows:
        strings = [json.dumps(json.loads(row), ensure_ascii=False) for row in rows]
    journal.append_all([said(text) for text in strings], "captures")
    assert texts(journal) == strings
    assert journal.verify() == ()


@pytest.mark.parametrize("text", ["a\u2028b\u2029c\x85d\x0be\x0cf\r\ng\nh", "\0", "\ufeff", '","crc":"00000000"}'])
def test_lines_split_on_the_newline_only(journal: Journal, text: str) -> None:
    journal.append(said(text), "captures")
    journal.append(said("after"), "captures")
    assert texts(journal) == [text, "after"]


def test_a_lone_surrogate_becomes_the_replacement_character(journal: Journal) -> None:
    journal.append(said({"a\udcff": ["\ud83d\ude00", "b\ud800"]}), "captures")
    assert texts(journal) == [{"a\ufffd": ["😀", "b\ufffd"]}]


@pytest.mark.slow
def test_what_could_not_be_read_again_is_not_written(journal: Journal) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, object(), 10**5000):
        with pytest.raises(BadArgument):
            journal.append(said(value), "captures")
    for field in ({"v": 3}, {"v": "1"}, {"id": 7}):
        with pytest.raises(BadArgument):
            journal.append({**said("x"), **field}, "captures")
    assert journal.read("captures").entries == ()


@pytest.mark.parametrize("version", [0, 1, 2])
def test_lines_of_the_versions_before_and_after_are_read_with_fields_we_do_not_know(
    journal: Journal, version: int
) -> None:
    line = encode_journal_line({"v": version, "id": "obs:a", "ts": TS, "later": {"x": [1]}})
    put_lines(journal, [line], CAPTURES)
    reading = journal.read("captures")
    assert reading.problems == ()
    assert reading.entries[0].fields["later"] == {"x": [1]}


def test_version_0_knew_no_checksum() -> None:
    assert isinstance(decode_journal_line(b'{"v":0,"id":"obs:a","ts":"t"}'), JournalEntry)
    assert isinstance(decode_journal_line(b'{"v":0,"id":"obs:a","ts":"t","crc":"00000000"}'), Problem)


# appending


def test_entries_are_told_where_they_stand(journal: Journal) -> None:
    first, second = journal.append(said("one"), "captures"), journal.append(said("two"), "captures")
    data = (Path(journal.root) / CAPTURES).read_bytes()
    assert (first.path, first.offset) == (CAPTURES, 0)
    entry = decode_journal_line(data[second.offset :].split(b"\n")[0])
    assert isinstance(entry, JournalEntry)
    assert entry.fields["id"] == second.id
    assert [entry.offset for entry in journal.read("captures").entries] == [first.offset, second.offset]
    assert [entry.line_number for entry in journal.read("captures").entries] == [1, 2]


def test_equal_sentences_of_the_same_minute_have_ids_of_their_own(journal: Journal) -> None:
    places = (*journal.append_all([said("same")] * 3, "captures"), journal.append(said("same"), "captures"))
    assert len({place.id for place in places}) == 4
    assert all(place.id.startswith("obs:") and len(place.id) == 20 for place in places)


def test_ids_come_from_content(journal: Journal, tmp_path: Path) -> None:
    other = Journal(str(tmp_path / "other"), "dev")
    (tmp_path / "other").mkdir()
    assert journal.append(said("same"), "captures").id == other.append(said("same"), "captures").id
    known = make_entry_id(said("same"), "dev", 0)
    variations = [
        make_entry_id(said("other"), "dev", 0),
        make_entry_id(said("same", "2025-11-27T09:01"), "dev", 0),
        make_entry_id(said("same"), "laptop", 0),
        make_entry_id(said("same"), "dev", 1),
        make_entry_id({**said("same"), "actor": "tool"}, "dev", 0),
    ]
    assert len({known, *variations}) == 6


def test_an_id_that_is_given_is_kept(journal: Journal) -> None:
    assert journal.append({**said("x"), "id": "obs:mine", "v": 1}, "captures").id == "obs:mine"
    assert list(journal.read("captures").entries[0].fields)[:3] == ["v", "id", "ts"]


def test_each_month_and_device_has_a_file_of_its_own(journal: Journal) -> None:
    journal.append_all(
        [said("a", "2025-11-30T23:59"), said("b", "2025-12-01T00:00"), said("c", "2025-11-30T23:59")], "captures"
    )
    Journal(journal.root, "laptop-1").append(said("d"), "captures")
    assert sorted(files.list_file_sizes(journal.root, ".memory/journal")) == [
        "captures-dev-2025-11.jsonl",
        "captures-dev-2025-12.jsonl",
        "captures-laptop-1-2025-11.jsonl",
        "chains-dev.head",
        "chains-laptop-1.head",
    ]
    assert texts(journal) == ["a", "c", "b", "d"]


@pytest.mark.parametrize("ts", [None, "", "yesterday", "2025/11/27", "../../../etc", "２０２５-11-27"])
def test_an_entry_without_a_time_is_refused(journal: Journal, ts: object) -> None:
    with pytest.raises(BadArgument):
        journal.append({"ts": ts, "text": "x"}, "captures")


@pytest.mark.parametrize("device", ["", "../x", "a/b", "-a", ".a", "a\n", "é", "x" * 81])
def test_a_device_name_is_a_plain_name(tmp_path: Path, device: str) -> None:
    with pytest.raises(BadArgument):
        Journal(str(tmp_path), device).append(said("x"), "captures")
    assert os.listdir(tmp_path) == []


def test_a_torn_last_line_is_reported_then_fenced_and_its_neighbours_are_read(journal: Journal) -> None:
    for stream, path in (("captures", CAPTURES), ("ledger", LEDGER)):
        journal.append(said("one"), stream)
        with (Path(journal.root) / path).open("ab") as file:
            file.write(b'{"v":1,"id":"obs:torn","ts":"2025')
        reading = journal.read(stream)
        assert len(reading.entries) == 1
        assert [(problem.code, problem.line) for problem in reading.problems] == [("torn-line", 2)]
        place = journal.append(said("two"), stream)
        reading = journal.read(stream)
        assert place.offset == reading.entries[-1].offset
        assert [(entry.fields["text"], entry.line_number) for entry in reading.entries] == [("one", 1), ("two", 3)]
        assert [(problem.code, problem.line) for problem in reading.problems] == [("bad-line", 2)]
    assert [problem.code for problem in journal.verify()] == ["bad-line", "bad-line"]


def test_a_line_that_lacks_only_its_newline_counts_and_is_chained(journal: Journal) -> None:
    journal.append(said("one"), "ledger")
    journal.append(said("two"), "ledger")
    path = Path(journal.root) / LEDGER
    path.write_bytes(path.read_bytes()[:-1])
    journal.append(said("three"), "ledger")
    assert texts(journal, "ledger") == ["one", "two", "three"]
    assert journal.verify() == ()


# reading on


def test_reading_on_gives_only_what_is_new(journal: Journal) -> None:
    journal.append(said("one"), "ledger")
    first = journal.read("ledger")
    assert not journal.has_grown(first.position)
    assert journal.read("ledger", since=first.position).entries == ()
    journal.append(said("two"), "ledger")
    Journal(journal.root, "laptop").append(said("three", "2025-10-01"), "ledger")
    assert journal.has_grown(first.position)
    second = journal.read("ledger", since=first.position)
    assert [(entry.fields["text"], entry.line_number) for entry in second.entries] == [("two", 2), ("three", 1)]
    assert second.problems == ()
    assert not journal.has_grown(second.position)
    assert journal.has_grown("")
    assert len(journal.read("ledger", since="no position").entries) == 3


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(journal: Journal) -> None:
    journal.append(said("one"), "ledger")
    journal.append(said("two"), "ledger")
    path = Path(journal.root) / LEDGER
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    first = journal.read("ledger")
    assert len(first.entries) == 1
    assert not journal.has_grown(first.position)
    path.write_bytes(whole)
    assert journal.has_grown(first.position)
    assert [entry.fields["text"] for entry in journal.read("ledger", since=first.position).entries] == ["two"]


def test_a_journal_that_shrank_or_went_is_a_problem_once(journal: Journal) -> None:
    journal.append_all([said("one"), said("two")], "ledger")
    Journal(journal.root, "laptop").append(said("three"), "ledger")
    before = journal.read("ledger")
    put_lines(journal, lines_of(journal)[:1])
    (Path(journal.root) / ".memory/journal/ledger-laptop-2025-11.jsonl").unlink()
    assert journal.has_grown(before.position)
    after = journal.read("ledger", since=before.position)
    assert after.entries == ()
    assert [problem.code for problem in after.problems] == ["journal-shrank"] * 2
    assert not journal.has_grown(after.position)


@pytest.mark.parametrize("new", ["other", "a longer one"])
def test_a_journal_into_which_lines_were_merged_is_read_anew_from_its_start(journal: Journal, new: str) -> None:
    """As git leaves it that merged another's lines above ours, also where those are as long as ours."""
    journal.append_all([said("first"), said(new), said("owned")], "captures")
    first, between, last = lines_of(journal, CAPTURES)
    put_lines(journal, [first, last], CAPTURES)
    before = journal.read("captures")
    put_lines(journal, [first, between, last], CAPTURES)
    after = journal.read("captures", since=before.position)
    assert [problem.code for problem in after.problems] == ["journal-rewritten"]
    assert [(entry.fields["text"], entry.line_number) for entry in after.entries] == [
        ("first", 1),
        (new, 2),
        ("owned", 3),
    ]
    assert journal.read("captures", since=after.position).entries == ()


def test_a_workspace_without_journals_is_read_as_empty(journal: Journal) -> None:
    reading = journal.read("ledger")
    assert (reading.entries, reading.problems) == ((), ())
    assert not journal.has_grown(reading.position)
    assert not journal.has_grown("")
    assert journal.verify() == ()


def test_files_that_are_no_journals_are_passed_over(journal: Journal) -> None:
    journal.append(said("one"), "ledger")
    folder = Path(journal.root) / ".memory/journal"
    for name in (
        "ledger-dev-2025-11.sync-conflict.jsonl",
        "ledger-2025-11.jsonl",
        "notes.txt",
        "ledger-dev-2025.jsonl",
    ):
        (folder / name).write_text("x\n")
    (folder / "ledger-out-2025-11.jsonl").symlink_to("/etc/passwd")
    assert texts(journal, "ledger") == ["one"]
    assert journal.verify() == ()


# the chains

STREAM_PATHS: tuple[tuple[Stream, str], ...] = (("captures", CAPTURES), ("ledger", LEDGER))
HEAD = ".memory/journal/chains-dev.head"
OF_LEDGER = pytest.mark.parametrize(("stream", "path"), STREAM_PATHS)


def filled(journal: Journal, stream: Stream = "ledger") -> list[bytes]:
    for number in range(5):
        journal.append({"op": "used", **said(number)}, stream)
    assert journal.verify() == ()
    return lines_of(journal, dict(STREAM_PATHS)[stream])


def found(journal: Journal) -> list[tuple[str, str, int]]:
    return [(problem.code, problem.path, problem.line) for problem in journal.verify()]


def old_line(text: object, ts: str = TS) -> bytes:
    """A capture as it was written before captures were chained."""
    return encode_journal_line({"v": 1, "id": f"obs:{text}", **said(text, ts)})


def stub_of(raw_line: bytes) -> bytes:
    fields = json.loads(raw_line)
    link = {"digest": files.content_digest(raw_line), "prev": fields["prev"], "forgotten": "2025-12-24"}
    return encode_journal_line({"v": 1, "ts": fields["ts"][:7]} | link)


def test_each_ledger_line_names_the_one_before_across_months(journal: Journal) -> None:
    journal.append(said("a", "2025-11-30"), "ledger")
    journal.append(said("b", "2025-12-01"), "ledger")
    before, after = journal.read("ledger").entries
    assert before.fields["prev"] == ""
    assert after.fields["prev"] == files.content_digest(lines_of(journal)[0])
    assert after.path.endswith("2025-12.jsonl")
    assert journal.verify() == ()


def test_each_file_of_captures_is_a_chain_of_its_own(journal: Journal) -> None:
    journal.append_all(
        [said("a", "2025-12-01"), said("b", "2025-12-01"), said("c"), said("d", "2025-12-02")], "captures"
    )
    journal.append(said("e"), "captures")
    by_text = {entry.fields["text"]: entry.fields["prev"] for entry in journal.read("captures").entries}
    (older, _e), (first, second, _d) = (
        [files.content_digest(line) for line in lines_of(journal, path)]
        for path in (CAPTURES, CAPTURES.replace("11", "12"))
    )
    assert by_text == {"c": "", "e": older, "a": "", "b": first, "d": second}
    assert journal.verify() == ()


def test_equal_lines_have_other_digests_for_there_is_chance_in_them(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Journal(str(tmp_path / "other"), "dev")
    for one in (journal, other):
        one.append(said("a PIN of four digits"), "captures")
    ours, theirs = (one.read("captures").entries[0].fields for one in (journal, other))
    assert ours["id"] == theirs["id"]
    assert len(ours["salt"]) == len(theirs["salt"]) == 24
    assert ours["salt"] != theirs["salt"]


def test_a_clock_that_goes_back_does_not_break_the_chain(journal: Journal) -> None:
    journal.append(said("a", "2025-12-01"), "ledger")
    journal.append(said("b", "2025-11-30"), "ledger")
    assert texts(journal, "ledger") == ["a", "b"]
    assert journal.verify() == ()


def test_devices_have_chains_of_their_own(journal: Journal) -> None:
    laptop = Journal(journal.root, "laptop")
    for number in range(3):
        for stream, _path in STREAM_PATHS:
            journal.append(said(number), stream)
            laptop.append(said(number), stream)
    assert journal.verify() == ()


@OF_LEDGER
def test_a_missing_line_is_found(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    for at in range(4):
        put_lines(journal, lines[:at] + lines[at + 1 :], path)
        assert found(journal) == [("chain-broken", path, at + 1)]
    put_lines(journal, lines[:-1], path)
    assert found(journal) == [("chain-cut", path, 5)]
    put_lines(journal, [], path)
    assert found(journal) == [("chain-cut", path, 1)]
    (Path(journal.root) / path).unlink()
    assert found(journal) == [("chain-cut", path, 0)]


@OF_LEDGER
def test_a_reordered_line_is_found(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    put_lines(journal, [lines[0], lines[2], lines[1], *lines[3:]], path)
    assert found(journal) == [("chain-broken", path, number) for number in (2, 3, 4)]


@OF_LEDGER
def test_a_repeated_line_is_found(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    put_lines(journal, [*lines, lines[-1]], path)
    assert found(journal) == [("chain-broken", path, 6)]


@OF_LEDGER
def test_an_altered_line_is_found_even_with_a_new_checksum(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    changed = encode_journal_line({**json.loads(lines[1]), "text": 99})
    put_lines(journal, [lines[0], changed, *lines[2:]], path)
    assert found(journal) == [("chain-broken", path, 3)]
    put_lines(journal, [lines[0], lines[1].replace(b'"text":1', b'"text":9'), *lines[2:]], path)
    assert found(journal) == [("bad-line", path, 2), ("chain-broken", path, 3)]


def test_a_missing_month_is_found(journal: Journal) -> None:
    for ts in ("2025-10-01", "2025-11-01", "2025-12-01"):
        journal.append(said("x", ts), "ledger")
    (Path(journal.root) / LEDGER).unlink()
    assert found(journal) == [("chain-cut", LEDGER, 0)]


@OF_LEDGER
def test_newest_lines_that_were_cut_off_are_found_and_stay_found(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    put_lines(journal, lines[:3], path)
    assert found(journal) == [("chain-cut", path, 4)]
    journal.append(said("next"), stream)
    assert found(journal) == [("chain-broken", path, 4)]
    journal.append(said("and next"), stream)
    assert found(journal) == [("chain-broken", path, 4)]


@OF_LEDGER
def test_a_file_that_went_stays_missed_when_it_is_begun_again(journal: Journal, stream: Stream, path: str) -> None:
    filled(journal, stream)
    (Path(journal.root) / path).unlink()
    journal.append(said("next"), stream)
    assert found(journal) == [("chain-broken", path, 1)]


def test_a_last_line_altered_with_a_new_checksum_is_found(journal: Journal) -> None:
    lines = filled(journal)
    put_lines(journal, [*lines[:-1], encode_journal_line({**json.loads(lines[-1]), "text": 99})])
    assert [problem.code for problem in journal.verify()] == ["chain-cut"]


@OF_LEDGER
def test_a_stub_keeps_the_digest_of_its_line_and_breaks_no_chain(journal: Journal, stream: Stream, path: str) -> None:
    lines = filled(journal, stream)
    stubs = [stub_of(line) for line in lines]
    for chosen in ({0}, {2}, {4}, {0, 1, 2, 3, 4}):
        put_lines(journal, [stubs[at] if at in chosen else line for at, line in enumerate(lines)], path)
        assert journal.verify() == ()
        assert texts(journal, stream) == [at for at in range(5) if at not in chosen]
    journal.append(said("next"), stream)
    assert journal.verify() == ()
    put_lines(journal, [stubs[0], *lines[2:], *lines_of(journal, path)[5:]], path)
    assert found(journal) == [("chain-broken", path, 2)]
    put_lines(journal, [stubs[0].replace(b"2025-12-24", b"2025-12-25"), *lines[1:], *lines_of(journal, path)[4:]], path)
    assert [(code, line) for code, _path, line in found(journal)] == [("bad-line", 1), ("chain-broken", 2)]


def test_captures_from_before_the_chains_are_read_and_the_chain_begins_behind_them(journal: Journal) -> None:
    put_lines(journal, [old_line("a"), old_line("b")], CAPTURES)
    put_lines(journal, [old_line("c", "2025-10-01")], CAPTURES.replace("11", "10"))
    assert journal.verify() == ()
    journal.append_all([said("d"), said("e")], "captures")
    assert texts(journal) == ["c", "a", "b", "d", "e"]
    assert journal.verify() == ()
    lines = lines_of(journal, CAPTURES)
    assert json.loads(lines[2])["prev"] == files.content_digest(lines[1])
    for missing, finding in ((1, ("chain-broken", 2)), (2, ("chain-broken", 3)), (3, ("chain-cut", 4))):
        put_lines(journal, lines[:missing] + lines[missing + 1 :], CAPTURES)
        assert [(problem.code, problem.line) for problem in journal.verify()] == [finding]
    put_lines(journal, lines, CAPTURES)
    put_lines(journal, [], CAPTURES.replace("11", "10"))
    assert found(journal) == [("chain-cut", CAPTURES.replace("11", "10"), 1)]


def test_lines_that_a_version_from_before_the_chains_adds_are_part_of_the_chain(journal: Journal) -> None:
    journal.append(said("ours"), "captures")
    put_lines(journal, [*lines_of(journal, CAPTURES), old_line("theirs"), old_line("theirs too")], CAPTURES)
    assert journal.verify() == ()
    journal.append(said("ours again"), "captures")
    assert journal.verify() == ()
    lines = lines_of(journal, CAPTURES)
    put_lines(journal, [*lines[:2], lines[3]], CAPTURES)
    assert found(journal) == [("chain-broken", CAPTURES, 3)]


# the head


def head_rows(journal: Journal) -> list[bytes]:
    return (Path(journal.root) / HEAD).read_bytes().splitlines(keepends=True)


def test_a_head_lists_the_files_of_its_device_with_their_ends(journal: Journal) -> None:
    journal.append_all([said("a"), said("b")], "captures")
    journal.append(said("c"), "ledger")
    title, *rows = [json.loads(row) for row in head_rows(journal) if row.strip()]
    assert (title["v"], title["device"], title["rows"]) == (1, "dev", len(head_rows(journal)))
    assert [(row["row"], row["file"], row["size"], row["digest"]) for row in rows] == [
        (number, path.rpartition("/")[2], (Path(journal.root) / path).stat().st_size, files.content_digest(lines_of(journal, path)[-1]))
        for number, path in ((2, CAPTURES), (3, LEDGER))
    ]  # fmt: skip


def test_a_head_that_is_behind_is_no_loss(journal: Journal) -> None:
    head = Path(journal.root) / HEAD
    filled(journal)
    behind = head.read_bytes()
    filled(journal)
    head.write_bytes(behind)
    assert journal.verify() == ()
    journal.append(said("more"), "ledger")
    assert journal.verify() == ()
    assert head.read_bytes() != behind


def test_a_row_of_zeros_is_what_a_power_cut_may_leave_and_is_written_again(journal: Journal) -> None:
    filled(journal)
    rows = head_rows(journal)
    for zeros in ({1}, {1, 5}):
        (Path(journal.root) / HEAD).write_bytes(
            b"".join(bytes(256) if at in zeros else row for at, row in enumerate(rows))
        )
        assert journal.verify() == ()
        journal.append(said("more"), "ledger")
        assert journal.verify() == ()
        assert json.loads(head_rows(journal)[1])["file"] == LEDGER.rpartition("/")[2]


@pytest.mark.parametrize(
    ("damage", "rows"),
    [
        (lambda rows: [rows[0], rows[1].replace(b'"digest":"', b'"digest":"0'), *rows[2:]], [1, 2]),
        (lambda rows: [rows[0], rows[1].replace(b'"size":', b'"size":1', 1)[:-2] + b"\n", *rows[2:]], [2]),
        (lambda rows: [rows[0], rows[1][:-2] + b"\n\n", *rows[2:]], [2]),
        (lambda rows: [rows[0].replace(b"dev", b"dav"), *rows[1:]], [1]),
        (lambda rows: [rows[0], *rows[2:]], [1]),
        (lambda rows: [rows[1], rows[0], *rows[2:]], [1, 2]),
        (lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], [3]),
        (lambda rows: rows[:-1], [1]),
        (lambda _rows: [], [1]),
        (lambda _rows: [encode_journal_line({"path": 3})], [1]),
        (lambda _rows: [b"[" * 9999], [1, *range(2, 41)]),
    ],
)
def test_a_head_that_is_damaged_is_named_and_stays_so_and_stops_nothing(
    journal: Journal, damage: Any, rows: list[int]
) -> None:
    filled(journal)
    head = Path(journal.root) / HEAD
    head.write_bytes(b"".join(damage(head_rows(journal))))
    for _again in range(2):
        named = [problem for problem in journal.verify() if problem.code != "chain-broken"]
        assert {problem.code for problem in named} == {"head-damaged"}
        assert {problem.path for problem in named} == {HEAD}
        assert [problem.line for problem in named][: len(rows)] == rows
        journal.append(said("more"), "ledger")
    assert texts(journal, "ledger") == [*range(5), "more", "more"]
    head.unlink()
    assert [problem.code for problem in journal.verify()] == ["head-missing"]
    journal.append(said("more"), "ledger")
    assert journal.verify() == ()


def test_a_head_grows_by_as_many_rows_as_its_files_need(journal: Journal) -> None:
    days = [f"{year}-{month:02}-01" for year in range(2018, 2026) for month in range(1, 13)]
    for day in days:
        journal.append(said(day, day), "captures")
    assert journal.verify() == ()
    assert [json.loads(row)["file"][13:20] for row in head_rows(journal)[1:] if row.strip()] == [
        day[:7] for day in days
    ]
    assert len(head_rows(journal)) == 128
    for day in (days[0], days[-1]):
        (Path(journal.root) / f".memory/journal/captures-dev-{day[:7]}.jsonl").write_bytes(b"")
    assert [problem.code for problem in journal.verify()] == ["chain-cut", "chain-cut"]


def test_a_head_costs_no_fsync(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for two when it is made or grows, before anything relies on it."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    costs = []
    for ts in (TS, TS, "2025-12-01", "2025-12-01"):
        for stream, _path in STREAM_PATHS:
            synced.clear()
            journal.append_all([said("a", ts), said("b", ts)], stream)
            costs.append(len(synced))
    file, folder, head, folders = 1, 1, 2, 4  # of the folders one is that of the intents, for the head that is made
    assert costs == [
        file + folder + head + folders,
        file + folder,
        file,
        file,
        file + folder,
        file + folder,
        file,
        file,
    ]


def test_a_kill_before_the_head_was_written_is_no_loss(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(journal)
    with monkeypatch.context() as patched:
        patched.setattr(files, "write_in_place", lambda *_told: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            journal.append(said("unlisted"), "ledger")
    assert journal.verify() == ()
    journal.append(said("next"), "ledger")
    assert journal.verify() == ()
    assert texts(journal, "ledger") == [*range(5), "unlisted", "next"]


def test_the_last_line_is_found_behind_a_long_stretch_of_rubbish(journal: Journal) -> None:
    filled(journal)
    with (Path(journal.root) / LEDGER).open("ab") as file:
        file.write(b"x" * 200_000 + b"\n")
    (Path(journal.root) / HEAD).unlink()
    journal.append(said("after"), "ledger")
    assert [(problem.code, problem.line) for problem in journal.verify()] == [("bad-line", 6)]


# other processes

APPEND = """
import sys
from commonplace.storage.journal.writer import Journal
journal, name, times = Journal(sys.argv[1], "dev"), sys.argv[2], int(sys.argv[3])
for number in range(times):
    journal.append({"ts": "2025-11-27T09:00", "actor": "agent", "text": f"{name} {number}"}, "ledger")
    print(number, flush=True)
"""


def appender(journal: Journal, name: str, times: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", APPEND, journal.root, name, str(times)], stdout=subprocess.PIPE)


@pytest.mark.slow
@pytest.mark.parametrize("acknowledged", [1, 7, 30])
def test_a_kill_while_appending_loses_nothing_that_was_acknowledged(journal: Journal, acknowledged: int) -> None:
    with appender(journal, "child", 100_000) as child:
        assert child.stdout is not None
        for _ in range(acknowledged):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        told = acknowledged + len(child.stdout.read().split(b"\n")) - 1
    assert child.returncode == -signal.SIGKILL
    found = texts(journal, "ledger")
    assert found == [f"child {number}" for number in range(len(found))]
    assert told <= len(found) <= told + 1
    journal.append(said("after"), "ledger")
    assert texts(journal, "ledger")[len(found) :] in (["after"], [f"child {len(found)}", "after"])
    assert [problem for problem in journal.verify() if problem.code != "bad-line"] == []


@pytest.mark.slow
def test_two_processes_append_to_one_chain_and_lose_no_line(journal: Journal) -> None:
    children = [appender(journal, name, 200) for name in ("a", "b")]
    assert [child.communicate()[0].count(b"\n") for child in children] == [200, 200]
    found = texts(journal, "ledger")
    assert sorted(found) == sorted(f"{name} {number}" for name in ("a", "b") for number in range(200))
    assert journal.verify() == ()
    for name in ("a", "b"):
        assert [text for text in found if text.startswith(name)] == [f"{name} {number}" for number in range(200)]


def test_a_journal_is_read_in_pieces_of_any_size_as_it_is_read_whole(journal: Journal) -> None:
    """The size of a piece decides nothing, wherever it cuts a line; each position can be read on from."""
    journal.append_all([said(f"line {number}" * (number % 7)) for number in range(60)], "captures")
    with (Path(journal.root) / CAPTURES).open("ab") as file:
        file.write(b"[]\n\ntorn")
    whole = journal.read("captures")
    for size in (1, 7, 100, 5_000):
        readings = list(read_journal_batches(journal.root, "captures", "", size))
        entries = [entry for reading in readings for entry in reading.entries]
        assert (tuple(entries), readings[-1].position) == (whole.entries, whole.position)
        assert {p for reading in readings for p in reading.problems} == set(whole.problems)
        middle = readings[len(readings) // 2].position
        rest = [
            entry
            for reading in read_journal_batches(journal.root, "captures", middle, size)
            for entry in reading.entries
        ]
        assert entries[len(entries) - len(rest) :] == rest
        assert size > 100 or max(len(reading.entries) for reading in readings) < len(entries)


def test_what_is_unsealed_is_whole_and_of_its_shape() -> None:
    line = encode_journal_line({"op": "origin", "ts": "2025-11-20"})
    assert decode_with_checksum(line, dict[str, str])["op"] == "origin"
    assert decode_with_checksum(line.replace(b"origin", b"orogin"), dict[str, str]) is None
    assert decode_with_checksum(line, list[str]) is None
