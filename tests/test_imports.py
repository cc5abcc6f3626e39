"""Transcripts of other programs become events: in order, once each, with their places, whatever else a file holds."""

from __future__ import annotations

import base64
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commonplace
from commonplace.capture.imports import Blank, ImportedEvent, SetAside, StreamSource, read_transcript
from commonplace.capture.imports.chat_log import StampLayout, parse_day_heading, parse_stamp
from commonplace.capture.imports.events import StreamPosition
from commonplace.capture.imports.keyed_events import MAX_COUNTED_LINES
from commonplace.capture.imports.message_content import CallPairing, ToolCall, to_iso_time
from commonplace.capture.imports.reader import detect_format
from commonplace.capture.imports.streams import HEAD_BYTES, MAX_LINE_BYTES, ByteStream, ElementReader
from commonplace.model import TranscriptFormat
from commonplace.storage.workspace.timestamps import parse_timestamp

FILE = StreamSource("log.jsonl", ("path:/x/log.jsonl", "inode:5:77"))
PIPE = StreamSource()
Item = ImportedEvent | SetAside | Blank
LINE_FORMATS: tuple[TranscriptFormat, ...] = ("jsonl", "openclaw", "openclaw-mem", "claude-code")
SOURCE = str(Path(commonplace.__file__).parents[1])


def items(
    data: bytes | str, kind: TranscriptFormat = "auto", *, source: StreamSource = FILE, owner: str = ""
) -> list[Item]:
    raw = data.encode() if isinstance(data, str) else data
    return list(read_transcript(io.BytesIO(raw), format=kind, source=source, owner=owner))


def events(data: bytes | str, kind: TranscriptFormat = "auto", **more: Any) -> list[ImportedEvent]:
    return [item for item in items(data, kind, **more) if isinstance(item, ImportedEvent)]


def aside(data: bytes | str, kind: TranscriptFormat = "auto", **more: Any) -> list[SetAside]:
    return [item for item in items(data, kind, **more) if isinstance(item, SetAside)]


def texts(data: bytes | str, kind: TranscriptFormat = "auto", **more: Any) -> list[str]:
    return [event.fields["text"] for event in events(data, kind, **more)]


def jsonl(*objects: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def keys(data: bytes | str, kind: TranscriptFormat = "auto", **more: Any) -> list[tuple[str, ...]]:
    return [event.keys for event in events(data, kind, **more)]


def said(text: str, **more: object) -> dict[str, object]:
    return {"ts": "2025-11-27T09:40", "text": text, **more}


def line_starts(data: bytes) -> list[int]:
    """The offset of each line of a stream."""
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    return [start for start in starts if start < len(data)]


# Lines of our own shape.


def test_a_line_of_capture_v1_comes_out_as_it_went_in() -> None:
    line = {
        "v": 1,
        "id": "obs:abc",
        "ts": "2025-11-27T09:40",
        "type": "tool_result",
        "actor": "tool",
        "text": "ok",
        "session": "s1",
        "agent": "main",
        "scope": "boat",
        "origin": "untrusted",
        "detail": {"tool": "exec", "exit_code": 0},
        "from": ["obs:a"],
        "crc": "x",
    }
    (event,) = events(jsonl(line))
    assert event.fields == {
        **{
            key: line[key] for key in ("type", "actor", "text", "session", "agent", "scope", "origin", "detail", "from")
        },
        "ts": "2025-11-27T09:40:00",
    }
    assert (event.offset, event.line, event.is_actor_trusted) == (0, 1, True)


def test_unknown_keys_are_kept_and_other_words_understood() -> None:
    line = {
        "timestamp": 1764236400,
        "kind": "tool",
        "summary": "3 files",
        "tool_name": "ls",
        "detail_json": '{"message": 5}',
        "lang": "en",
    }
    (event,) = events(jsonl(line), "jsonl")
    assert event.fields == {
        "ts": "2025-11-27T09:40:00+00:00",
        "type": "tool_result",
        "actor": "tool",
        "text": "3 files",
        "detail": {"tool": "ls", "kind": "tool", "message": 5, "other": {"lang": "en"}},
    }


def test_the_word_of_ours_counts_before_another_and_the_other_is_kept() -> None:
    for line in ({"text": "ours", "summary": "theirs"}, {"summary": "theirs", "text": "ours"}):
        (event,) = events(jsonl(line), "jsonl")
        assert event.fields == {"text": "ours", "detail": {"other": {"summary": "theirs"}}}


def test_types_are_repaired_and_what_cannot_be_is_kept() -> None:
    line = {"text": 42, "session": 7, "from": "obs:a", "actor": "user", "detail": [1], "exit_code": "3", "tool": "x"}
    (event,) = events(jsonl(line), "jsonl")
    assert event.fields == {
        "text": "42",
        "session": "7",
        "from": ["obs:a"],
        "actor": "owner",
        "type": "tool_result",
        "detail": {"tool": "x", "exit_code": 3, "other": {"detail": [1]}},
    }


def test_who_speaks_beside_the_owner_is_not_taken_for_him() -> None:
    assert events(jsonl({"text": "hi", "sender": "Eve"}))[0].fields["actor"] == "tool"
    assert events(jsonl({"text": "hi", "user": {"name": "Eve"}}))[0].fields["detail"]["speaker"] == "Eve"
    assert events(jsonl({"text": "hi", "from": "Eve"}))[0].fields["actor"] == "tool"
    assert events(jsonl({"text": "hi", "sender": "Ana"}), owner="ana")[0].fields["actor"] == "owner"
    (cron,) = events(jsonl({"text": "hi", "actor": "the cron job"}))
    assert (cron.fields["actor"], cron.fields["detail"]) == ("tool", {"speaker": "the cron job"})
    assert events(jsonl({"message": {"role": "assistant", "content": "hi"}}), "jsonl")[0].fields["actor"] == "agent"
    assert "actor" not in events(jsonl({"text": "hi"}))[0].fields


def test_trust_that_is_said_anywhere_is_handed_on_and_an_unknown_word_is_no_trust() -> None:
    for more in ({"trust": "quarantine"}, {"detail": {"trust_tier": "quarantined"}}, {"origin": "quarantined"}):
        assert events(jsonl(said("x", **more)))[0].fields["origin"] == "quarantined"
    assert events(jsonl(said("x", detail={"provenance": {"trust": "very"}})))[0].fields["origin"] == "untrusted"
    assert "origin" not in events(jsonl(said("x")))[0].fields


def test_what_was_true_in_another_workspace_is_not_taken_over() -> None:
    (event,) = events(jsonl(said("x", detail={"kept": "Retain", "quoted": [[0, 1]], "private": True})))
    assert event.fields["detail"] == {"private": True, "other": {"kept": "Retain", "quoted": [[0, 1]]}}


def test_unknown_keys_are_bounded() -> None:
    line = {"text": "x", **{f"key {number}": "word " * 3_000 for number in range(100)}}
    other = events(jsonl(line))[0].fields["detail"]["other"]
    assert len(other) == 32
    assert max(map(len, other.values())) == 8_001
    assert sum(map(len, other.values())) < 100_100


def test_nothing_is_cut_within_a_word_for_half_a_secret_would_not_be_known_for_one() -> None:
    secret = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    (event,) = events(jsonl({"text": "x", "session": "s " * 90 + secret, "extra": "word " * 1_596 + secret}))
    assert event.fields["session"] == "s " * 90
    assert event.fields["detail"]["other"]["extra"] == "word " * 1_596 + "…"
    assert aside('{"text": 1' + " " * 175 + secret)[0].sample == '{"text": 1' + " " * 175
    assert events(jsonl({"text": "x", "session": "会" * 300}))[0].fields["session"] == "会" * 200


def test_what_is_noted_beside_a_text_is_small_however_large_the_line() -> None:
    rows = [{"cell": "y" * 3_000, "n": [[number]]} for number in range(1_000)]
    for line in (
        said("x", detail={"rows": rows}),
        said("x", rows=[rows]),
        {"toolName": "t", "params": {"r": rows}},
    ):
        (event,) = events(jsonl(line))
        assert len(json.dumps(event.fields)) < 120_000
    square = {str(row): dict.fromkeys(map(str, range(40)), 1) for row in range(40)}
    (event,) = events(jsonl(said("x", detail=square)))
    assert 900 < sum(map(len, event.fields["detail"].values())) <= 1_000


# Bad lines.

BAD: dict[bytes, str] = {
    b"null": "null, not an object",
    b"[1, 2]": "an array, not an object",
    b'"text"': "a string, not an object",
    b"42": "a number, not an object",
    b"true": "true or false, not an object",
    b'{"text": "a"': "not JSON",
    b"{'text': 'a'}": "not JSON",
    b'{"text": NaN}': "not JSON: NaN or Infinity",
    b'{"text": "a", "n": -Infinity}': "not JSON: NaN or Infinity",
    b'{"text": "a", "n": 1e999}': "out of range",
    b'{"text": "a\0b"}': "not JSON: it holds NUL bytes",
    b'{"text": "a\xff"}': "not UTF-8",
    '{"text": "a"}'.encode("utf-16-le"): "not UTF-8: it looks like UTF-16",
    '{"text": "a"}'.encode("utf-16"): "not UTF-8: it looks like UTF-16",
    ('{"text": "' + "会" * 40 + '"}').encode("utf-16"): "not UTF-8: it looks like UTF-16",
    b'\xef\xbb\xbf{"text": "a"}': "not JSON",
    b'{"text": ' * 100_000 + b"1" + b"}" * 100_000: "nested too deeply",
    b"[" * 100_000: "nested too deeply",
    b"{}": "an object without text",
    b'{"text": " "}': "an object without text",
    b'{"text": null}': "an object without text",
    b'{"text": {"a": 1}}': "an object without text",
    b'{"text": "a"} x': "not JSON",
    b'{"text": "' + b"x" * MAX_LINE_BYTES + b'"}': f"a line of {MAX_LINE_BYTES + 12} bytes, more than",
}


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad[:24].decode("ascii", "replace"))
def test_a_bad_line_is_set_aside_with_its_place_and_its_neighbours_go_in(bad: bytes) -> None:
    before, after = jsonl(said("before")).encode(), jsonl(said("after")).encode()
    first, found, last = items(before + bad + b"\n" + after)
    assert isinstance(found, SetAside)
    assert (found.offset, found.line) == (len(before), 2)
    assert BAD[bad] in found.reason
    assert len(found.sample) <= 200
    assert isinstance(first, ImportedEvent)
    assert isinstance(last, ImportedEvent)
    assert (first.fields["text"], last.fields["text"]) == ("before", "after")
    assert (last.offset, last.line) == (len(before) + len(bad) + 1, 3)


@pytest.mark.parametrize("escaped", [r"a\ud800b", r"a\udc00b", r"a\ud800\u0041", r"\ud800\ud83d\ude00", r"\ud83d"])
def test_half_a_surrogate_is_repaired(escaped: str) -> None:
    (text,) = texts(b'{"text": "' + escaped.encode() + b'"}\n')
    assert "\ufffd" in text
    text.encode()


def test_an_escaped_backslash_before_u_is_no_escape() -> None:
    assert texts(rb'{"text": "\\ud800 \ud800"}') == ["\\ud800 \ufffd"]


def test_a_surrogate_that_was_encoded_by_itself_is_repaired() -> None:
    pair = "😀".encode("utf-16", "surrogatepass").decode("utf-16")
    assert texts(b'{"text": "\xed\xa0\xbd\xed\xb8\x80 \xed\xa0\x80"}') == [f"{pair} \ufffd"]


def test_blank_lines_are_counted_and_a_byte_order_mark_is_passed_over() -> None:
    found = items(b"\xef\xbb\xbf" + jsonl(said("a")).encode() + b"\n \t\r\n" + jsonl(said("b")).encode())
    assert [type(item).__name__ for item in found] == ["ImportedEvent", "Blank", "Blank", "ImportedEvent"]
    assert found[0].offset == 0


def test_the_last_line_needs_no_newline_but_a_torn_one_is_set_aside() -> None:
    assert texts('{"text": "whole"}') == ["whole"]
    (torn,) = aside(jsonl(said("a")) + '{"text": "to')
    assert "torn" in torn.reason
    assert torn.line == 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_stream_of_utf_16_that_says_so_is_decoded_line_by_line(encoding: str) -> None:
    lines = [
        json.dumps(said(text), ensure_ascii=False) for text in ("a", "ਅĀਅ 😀", "c")
    ]  # `0a 00` and `00 0a` across two characters
    raw = "\ufeff".encode(encoding) + "".join(line + "\n" for line in lines).encode(encoding)
    assert texts(raw) == ["a", "ਅĀਅ 😀", "c"]
    assert [event.offset for event in events(raw)] == [
        0,
        2 + 2 * (len(lines[0]) + 1),
        len(raw) - 2 * (len(lines[2]) + 1),
    ]


def test_every_blob_of_the_json_test_suite_leaves_its_neighbours_alone(shared: Path) -> None:
    with gzip.open(shared / "corpora/json_test_suite/cases.jsonl.gz") as file:
        blobs = [base64.b64decode(json.loads(row)["b64"]) for row in file]
    assert len(blobs) == 318
    for blob in blobs:
        before, after = jsonl(said("good before")).encode(), jsonl(said("good after")).encode()
        found = items(before + blob + b"\n" + after)
        assert [item.offset for item in found] == line_starts(before + blob + b"\n" + after)
        assert [item.fields["text"] for item in found if isinstance(item, ImportedEvent)] == [
            "good before",
            "good after",
        ]
        for item, line in zip(found[1:-1], blob.split(b"\n"), strict=True):
            assert isinstance(item, SetAside if line.strip() else Blank), line[:80]


@pytest.mark.slow
@given(st.binary(max_size=400), st.sampled_from(LINE_FORMATS))
@settings(max_examples=300, deadline=None)
def test_whatever_a_stream_holds_nothing_is_raised_and_each_line_is_accounted_for(
    raw: bytes, kind: TranscriptFormat
) -> None:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raw = b" " + raw
    assert [item.offset for item in items(raw, kind)] == line_starts(raw)


@given(st.binary(max_size=300), st.sampled_from(("auto", "chatgpt", "claude", "chat")))
@settings(max_examples=300, deadline=None)
def test_whatever_an_export_or_a_chat_holds_nothing_is_raised(raw: bytes, kind: TranscriptFormat) -> None:
    places = [(item.offset, item.line) for item in items(raw, kind)]
    assert all(0 <= offset < len(raw) or not raw for offset, _ in places)


WORDS = st.sampled_from(
    [
        "text",
        "ts",
        "type",
        "actor",
        "role",
        "message",
        "content",
        "id",
        "tool",
        "toolName",
        "name",
        "input",
        "arguments",
        "result",
        "error",
        "params",
        "event",
        "ctx",
        "messages",
        "tool_use_id",
        "toolCallId",
        "timestamp",
        "details",
        "isError",
        "sessionId",
        "uuid",
        "summary",
        "payload",
        "event_id",
        "ts_ms",
        "mapping",
        "parent",
        "author",
        "current_node",
        "chat_messages",
        "sender",
        "attachments",
        "parts",
        "content_type",
        "metadata",
        "create_time",
        "toolUseResult",
        "session",
        "from",
    ]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
values = st.recursive(
    SCALARS | st.sampled_from(["user", "assistant", "toolResult", "tool_use", "tool_result", "tool.call", "text", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.lists(st.dictionaries(WORDS, values, min_size=1, max_size=8), max_size=4), st.sampled_from(LINE_FORMATS))
@settings(max_examples=150, deadline=None)
def test_objects_with_the_right_words_and_the_wrong_values_raise_nothing(
    lines: list[Any], kind: TranscriptFormat
) -> None:
    for event in events(jsonl(*lines), kind):
        assert event.fields["text"].strip()
        assert isinstance(event.fields.get("detail", {}), dict)
        assert all(isinstance(event.fields.get(name, ""), str) for name in ("ts", "type", "actor", "session", "agent"))


@pytest.mark.slow
@given(
    st.lists(st.dictionaries(WORDS, values, min_size=1, max_size=8), max_size=4), st.sampled_from(("chatgpt", "claude"))
)
@settings(max_examples=100, deadline=None)
def test_an_export_with_the_right_words_and_the_wrong_values_raises_nothing(
    array: list[Any], kind: TranscriptFormat
) -> None:
    assert len({item.offset for item in items(json.dumps(array), kind)}) == len(array)


# Idempotence.


def test_the_same_file_again_has_the_same_keys_and_each_event_its_own() -> None:
    data = jsonl(said("a", id="1"), said("b"), {"text": "c"}, said("b"), {"text": "c"}, said("a", id="2"))
    assert keys(data) == keys(data)
    flat = [key for one in keys(data) for key in one]
    assert len(flat) == len(set(flat)) == 1 + 1 + 2 + 1 + 2 + 1


def test_an_own_id_is_known_wherever_it_stands() -> None:
    moved = StreamSource("other", ("path:/other", "inode:1:1"))
    one, two = said("a", id="1", session="s"), said("b", id="2", session="s")
    assert keys(jsonl(one, two)) == keys(jsonl(two, one), source=moved)[::-1]
    assert keys(jsonl(one)) != keys(jsonl({**one, "session": "t"}))
    assert keys(jsonl(one)) != keys(jsonl({**one, "text": "another"}))


def test_a_uuid_needs_no_session_for_hosts_copy_messages_into_the_next() -> None:
    uuid = "b7300bff-a214-4c11-97ae-eab26883c67a"
    line = {"type": "user", "uuid": uuid, "sessionId": "s", "message": {"content": "hi"}}
    assert keys(jsonl(line)) == keys(jsonl({**line, "sessionId": "t"}))


def test_a_dated_line_is_known_wherever_it_stands_and_its_repetition_is_another() -> None:
    elsewhere = StreamSource("x", ("path:/rotated",))
    found = keys(jsonl(said("a"), said("a"), said("a")))
    assert len(set(found)) == 3
    assert keys(jsonl(said("other"), said("a"), said("a"), said("a")), source=elsewhere)[1:] == found


def test_a_line_without_date_and_id_is_known_by_path_or_inode_and_by_all_before_it() -> None:
    data = jsonl({"text": "a"}, {"text": "b"}, {"text": "a"})
    found = keys(data)
    assert [len(one) for one in found] == [2, 2, 2]
    renamed = keys(data, source=StreamSource("y", ("path:/y", "inode:5:77")))
    assert all(set(one) & set(other) for one, other in zip(found, renamed, strict=True))
    copied = keys(data, source=StreamSource("y", ("path:/x/log.jsonl", "inode:9:9")))
    assert all(set(one) & set(other) for one, other in zip(found, copied, strict=True))
    grown = keys(data + jsonl({"text": "a"}))
    assert grown[:3] == found
    assert not set(grown[3]) & {key for one in found for key in one}
    rewritten = keys(jsonl({"text": "x"}, {"text": "b"}, {"text": "a"}))
    assert not {key for one in rewritten for key in one} & {key for one in found for key in one}


def test_what_stands_before_a_line_counts_even_where_it_is_no_event() -> None:
    plain = keys(jsonl({"text": "a"}))
    for before in (b"\n", b"null\n", b"x" * (MAX_LINE_BYTES + 5) + b"\n"):
        assert not set(keys(before + jsonl({"text": "a"}).encode())[0]) & set(plain[0])


def test_a_line_that_is_too_long_counts_for_what_stands_before_with_all_its_bytes() -> None:
    first, second = b"x" * (2 * MAX_LINE_BYTES), b"y" + b"x" * (2 * MAX_LINE_BYTES - 1)
    line = b"\n" + jsonl({"text": "a"}).encode()
    long, (event,) = aside(first + line), events(first + line)
    assert event.offset == len(first) + 1
    assert f"a line of {len(first)} bytes" in long[0].reason
    assert not set(event.keys) & set(events(second + line)[0].keys)


def test_each_undated_line_of_a_pipe_is_a_new_event() -> None:
    assert keys(jsonl({"text": "a"}, said("b")), source=PIPE) == [(), keys(jsonl(said("b")))[0]]


def test_two_events_of_one_line_have_keys_of_their_own() -> None:
    line = {"role": "assistant", "content": [{"type": "toolCall", "name": "a"}, {"type": "toolCall", "name": "b"}]}
    first, second = keys(jsonl(line), "openclaw")
    assert not set(first) & set(second)
    assert len(first) == len(second) == 2


@pytest.mark.slow
def test_counting_what_repeats_holds_few_lines_in_memory() -> None:
    stream = jsonl(said("a"), *(said(str(number)) for number in range(MAX_COUNTED_LINES + 5)), said("a"))
    found = keys(stream)
    assert found[0] != found[-1]
    assert len(set(found)) == MAX_COUNTED_LINES + 7


# Times.


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2025-11-27T09:40:05.123Z", "2025-11-27T09:40:05+00:00"),
        ("2025-11-27 09:40", "2025-11-27T09:40:00"),
        ("2025-11-27T09:40:05+05:30", "2025-11-27T09:40:05+05:30"),
        ("2025-11-27", "2025-11-27"),
        (1764236400, "2025-11-27T09:40:00+00:00"),
        (1764236400.25, "2025-11-27T09:40:00+00:00"),
        (1764236400123, "2025-11-27T09:40:00+00:00"),
        ("1764236400", "2025-11-27T09:40:00+00:00"),
        ("yesterday", ""),
        ("2025-02-30T00:00", ""),
        ("2025-11-27T09:40:05+00:00:30", ""),
        (12, ""),
        (True, ""),
        (float("1e300"), ""),
        ({"a": 1}, ""),
    ],
)
def test_times_of_all_sorts_become_iso(written: object, read_as: str) -> None:
    assert to_iso_time(written) == read_as
    if read_as:
        assert len(parse_timestamp(read_as)) >= len("2025-11-27")


def test_a_time_that_cannot_be_read_is_noted_as_it_was_said() -> None:
    (event,) = events(jsonl({"text": "a", "ts": "yesterday"}))
    assert "ts" not in event.fields
    assert event.fields["detail"]["said_ts"] == "yesterday"


# OpenClaw.

HEADER = {"type": "session", "version": 3, "id": "sess-1", "timestamp": "2025-11-27T09:40:00.000Z", "cwd": "/w"}


def entry(number: int, message: dict[str, object]) -> dict[str, object]:
    stamp = f"2025-11-27T09:40:{number:02}.000Z"
    return {"type": "message", "id": f"m{number}", "parentId": "x", "timestamp": stamp, "message": message}


OPENCLAW = jsonl(
    HEADER,
    {"type": "model_change", "id": "x", "modelId": "m"},
    entry(1, {"role": "user", "content": [{"type": "text", "text": "run it"}], "timestamp": 1764236401000}),
    entry(
        2,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "secret thoughts"},
                {"type": "text", "text": "I will."},
                {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "make"}},
                {"type": "toolCall", "id": "c2", "name": "exec", "arguments": {"command": "never"}},
            ],
        },
    ),
    entry(
        3,
        {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "exec",
            "content": [{"type": "text", "text": "built"}],
            "details": {"exitCode": 2, "durationMs": 1500},
            "isError": True,
        },
    ),
    entry(4, {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}),
    {"type": "compaction", "id": "y", "summary": "what was before"},
)


def test_a_transcript_of_openclaw_is_told_in_order_calls_together_with_their_results() -> None:
    found = events(OPENCLAW)
    assert [(event.fields["actor"], event.fields["text"]) for event in found] == [
        ("owner", "run it"),
        ("agent", "I will."),
        ("tool", "built"),
        ("agent", "Done."),
        ("tool", "exec: (no result)"),
    ]
    assert {event.fields["session"] for event in found} == {"sess-1"}
    assert found[0].fields["ts"] == "2025-11-27T09:40:01+00:00"
    assert found[2].fields["type"] == "tool_result"
    assert found[2].fields["detail"] == {
        "tool": "exec",
        "arguments": {"command": "make"},
        "exit_code": 2,
        "duration_ms": 1500,
        "call": "c1",
    }
    assert found[4].fields["detail"] == {
        "tool": "exec",
        "arguments": {"command": "never"},
        "exit_code": None,
        "call": "c2",
    }
    assert found[4].line == 4
    assert all(event.is_actor_trusted for event in found)


def test_what_says_nothing_in_a_transcript_is_counted_and_not_set_aside() -> None:
    found = items(OPENCLAW)
    assert [item.line for item in found if isinstance(item, Blank)] == [1, 2, 7]
    assert not aside(OPENCLAW)


def test_a_result_without_output_is_an_event_all_the_same() -> None:
    line = entry(1, {"role": "toolResult", "toolCallId": "c", "toolName": "exec", "content": [], "isError": False})
    (event,) = events(jsonl(line))
    assert event.fields["text"] == "exec: (no output)"
    assert event.fields["detail"]["exit_code"] == 0


def test_a_result_whose_call_stood_in_a_file_before_keeps_its_key() -> None:
    lines = OPENCLAW.split("\n")
    rotated = "\n".join([lines[0], *lines[4:]])
    assert keys(rotated)[0] == keys(OPENCLAW)[2]


def test_other_people_in_a_channel_and_programs_are_not_the_owner() -> None:
    def actor(**more: object) -> str:
        return str(events(jsonl({"role": "user", "content": "hi", **more}), "openclaw")[0].fields["actor"])

    assert actor() == "owner"
    assert actor(senderIsOwner=True) == "owner"
    assert actor(senderIsOwner=False) == "tool"
    assert actor(__openclaw={"senderIsOwner": False}) == "tool"
    assert actor(provenance={"kind": "inter_session"}) == "agent"
    assert actor(provenance={"kind": "internal_system"}) == "system"


def test_what_a_channel_receives_is_the_owners_only_if_it_is_said_to_be() -> None:
    received = {"from": "Ana", "content": "hi", "messageId": "m1", "sessionKey": "agent:main:k"}

    def actor(**more: object) -> str:
        owner = str(more.pop("owner", ""))
        return str(events(jsonl({**received, **more}), "openclaw", owner=owner)[0].fields["actor"])

    assert actor() == "tool"
    assert actor(senderIsOwner=True) == "owner"
    assert actor(owner="ana") == "owner"
    (event,) = events(jsonl(received), "openclaw")
    assert event.fields["agent"] == "main"
    assert event.fields["detail"] == {"speaker": "Ana"}


def test_what_hooks_deliver_is_understood() -> None:
    after = {"toolName": "exec", "toolCallId": "c", "params": {"command": "ls"}, "durationMs": 12}
    result = {"content": [{"type": "text", "text": "a b"}], "details": {"exitCode": 0}}
    (event,) = events(jsonl({"event": {**after, "result": result}, "ctx": {"sessionKey": "agent:main:k"}}))
    assert event.fields["session"] == "agent:main:k"
    assert event.fields["text"] == "a b"
    assert event.fields["detail"] == {
        "tool": "exec",
        "arguments": {"command": "ls"},
        "exit_code": 0,
        "duration_ms": 12,
        "call": "c",
    }
    (failed,) = events(jsonl({**after, "error": "no such tool"}))
    assert (failed.fields["text"], failed.fields["detail"]["exit_code"]) == ("no such tool", 1)
    assert len(events(jsonl(after, {**after, "result": result}))) == 1
    (data,) = events(jsonl({**after, "result": {"rows": 3}}))
    assert data.fields["text"] == '{"rows":3}'


def test_a_session_that_is_handed_over_whole_after_each_turn_doubles_nothing() -> None:
    first = {"role": "user", "content": "a", "timestamp": 1764236400000}
    second = {"role": "assistant", "content": [{"type": "text", "text": "b"}], "timestamp": 1764236401000}
    before, after = {"messages": [first], "sessionId": "s"}, {"messages": [first, second], "sessionId": "s"}
    found = keys(jsonl(before, after))
    assert found[0] == found[1]
    assert len(set(found)) == 2


def test_calls_that_wait_are_few_and_the_oldest_is_told_first() -> None:
    calls = [{"type": "toolCall", "id": f"c{number}", "name": "t", "arguments": {}} for number in range(600)]
    found = events(jsonl(*({"role": "assistant", "content": [call]} for call in calls)), "openclaw")
    assert [event.fields["detail"]["call"] for event in found] == [f"c{number}" for number in range(600)]
    assert [event.line for event in found] == list(range(1, 601))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "waiting"), [(1, 512), (7_990, 500)])
def test_calls_wait_as_long_as_there_is_room_for_them(size: int, waiting: int) -> None:
    calls = [{"type": "toolCall", "id": f"c{at}", "name": "t", "arguments": {"a": "x" * size}} for at in range(600)]
    found = items(jsonl(*({"role": "assistant", "content": [call]} for call in calls)), "openclaw")
    assert next(at for at, item in enumerate(found) if isinstance(item, ImportedEvent)) == waiting
    large = ToolCall("c", "t", {"rows": [{"a": "x" * 900}] * 5_000})
    CallPairing().add_call(large, {}, StreamPosition(0, 1))
    assert len(json.dumps(large.arguments)) < 120_000


# openclaw-mem.


def test_observations_of_openclaw_mem_are_the_tools() -> None:
    line = {
        "ts": "2025-11-27T09:40:00.000Z",
        "kind": "tool",
        "tool_name": "read",
        "tool_call_id": "c1",
        "session_key": "agent:main:main",
        "agent_id": "main",
        "is_synthetic": False,
        "summary": "short",
        "detail": {"message": {"role": "toolResult", "content": [{"type": "text", "text": "longer than short"}]}},
    }
    (event,) = events(jsonl(line))
    assert event.fields["actor"] == "tool"
    assert event.fields["text"] == "longer than short"
    assert event.fields["session"] == "agent:main:main"
    assert event.fields["detail"]["call"] == "c1"
    assert event.fields["detail"]["other"] == {"is_synthetic": False, "summary": "short"}
    (fact,) = events(jsonl({"kind": "fact", "summary": "x is y"}))
    assert (fact.fields["actor"], fact.fields["type"], fact.fields["detail"]["kind"]) == ("agent", "note", "fact")


def test_episodes_of_openclaw_mem_are_told_calls_together_with_their_results() -> None:
    def episode(number: int, kind: str, **more: object) -> dict[str, object]:
        schema = {
            "schema": "openclaw-mem.episodes.spool.v0",
            "event_id": f"ep-{number}",
            "ts_ms": 1764236400000 + number,
        }
        return {**schema, "scope": "boat", "session_id": "s", "agent_id": "main", "type": kind, **more}

    found = events(
        jsonl(
            episode(1, "conversation.user", summary="please", payload={"text": "please build it"}),
            episode(
                2, "tool.call", summary="exec", payload={"tool_name": "exec", "toolCallId": "c", "params": {"x": 1}}
            ),
            episode(3, "tool.result", summary="ok", payload={"toolCallId": "c", "exitCode": 0}, refs={"a": 1}),
            episode(4, "ops.alert", summary="disk full"),
            episode(5, "tool.call", summary="alone", payload={"tool_name": "exec"}),
        )
    )
    assert [(one.fields["actor"], one.fields["type"], one.fields["text"]) for one in found] == [
        ("owner", "message", "please build it"),
        ("tool", "tool_result", "ok"),
        ("system", "alert", "disk full"),
        ("tool", "tool_result", "exec: (no result)"),
    ]
    assert found[1].fields["detail"]["arguments"] == {"x": 1}
    assert found[1].fields["detail"]["exit_code"] == 0
    assert {one.fields["scope"] for one in found} == {"boat"}


# Claude Code.


def turn(kind: str, content: object, uuid: str = "u", **more: object) -> dict[str, object]:
    message = {"role": kind, "content": content}
    return {
        "type": kind,
        "uuid": uuid,
        "sessionId": "s",
        "timestamp": "2025-11-27T09:40:00Z",
        "message": message,
        **more,
    }


def test_a_transcript_of_claude_code_is_told_in_order() -> None:
    data = jsonl(
        {"type": "summary", "summary": "An older title", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "m"},
        turn("user", "Caveat: …", "u0", isMeta=True),
        turn("user", "run the tests", "u1", cwd="/w", gitBranch="main"),
        turn("assistant", [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "Running."}], "u2"),
        turn("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}], "u3"),
        turn(
            "user",
            [{"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 2\nFAILED", "is_error": True}],
            "u4",
            toolUseResult="Error: Exit code 2\nFAILED",
        ),
        turn("assistant", [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "make"}}], "u5"),
        turn(
            "user",
            [{"type": "tool_result", "tool_use_id": "t2", "content": ""}],
            "u6",
            toolUseResult={"stdout": "built", "stderr": "", "interrupted": False, "durationMs": 12},
        ),
        turn("user", "This session is being continued…", "u7", isCompactSummary=True),
    )
    found = events(data)
    assert [(event.fields["actor"], event.fields["text"]) for event in found] == [
        ("owner", "run the tests"),
        ("agent", "Running."),
        ("tool", "Exit code 2\nFAILED"),
        ("tool", "built"),
    ]
    assert found[0].fields["detail"] == {"cwd": "/w", "gitBranch": "main"}
    assert found[2].fields["detail"]["exit_code"] == 2
    assert found[2].fields["detail"]["arguments"] == {"command": "make test"}
    assert found[3].fields["detail"]["exit_code"] == 0
    assert found[3].fields["detail"]["duration_ms"] == 12
    assert not aside(data)


def test_what_a_program_wrote_in_the_users_name_is_not_the_owners() -> None:
    for more in (
        turn("user", "do as I say", isSidechain=True),
        turn("user", "<local-command-stdout>total 5</local-command-stdout>"),
        turn("user", "<task-notification>remember that …</task-notification>"),
        turn("user", '<teammate-message teammate_id="bob">do as I say</teammate-message>'),
        turn("user", '<agent-message from="bob">do as I say</agent-message>'),
        turn("user", "Another Claude session sent a message:\ndo as I say"),
        turn("user", "<cross-session-message>do as I say</cross-session-message>"),
        turn("user", "do as I say", origin={"kind": "peer", "name": "bob"}),
        turn("user", "a bare result", toolUseResult={"stdout": "…"}),
    ):
        assert events(jsonl(more))[0].fields["actor"] != "owner"
    assert events(jsonl(turn("user", "do as I say")))[0].fields["actor"] == "owner"
    assert events(jsonl(turn("user", "do as I say", origin={"kind": "human"})))[0].fields["actor"] == "owner"


def test_a_command_that_was_stopped_or_still_runs_has_no_exit_code() -> None:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "…"}]
    for outcome in ({"interrupted": True}, {"backgroundTaskId": "b1"}):
        (event,) = events(jsonl(turn("user", content, toolUseResult=outcome)))
        assert event.fields["detail"]["exit_code"] is None


# Exports.


def node(name: str, parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    message = {
        "id": name,
        "author": {"role": role, **({"name": more.pop("tool")} if "tool" in more else {})},
        "create_time": 1764236400.5,
        "content": {"content_type": more.pop("kind", "text"), "parts": list(parts)},
        **more,
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "title": "Boats",
        "conversation_id": "conv-1",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["sys"]},
            "sys": node("sys", "root", "system", "You are…"),
            "info": node(
                "info", "sys", "user", "I like boats", metadata={"is_visually_hidden_from_conversation": True}
            ),
            "q": node("q", "info", "user", "What is 2+2?", {"content_type": "image_asset_pointer"}),
            "old": node("old", "q", "assistant", "Five."),
            "call": node("call", "q", "assistant", "2+2", kind="code", recipient="python"),
            "ran": node(
                "ran",
                "call",
                "tool",
                "4",
                tool="python",
                kind="execution_output",
                metadata={"aggregate_result": {"status": "success", "start_time": 1.0, "end_time": 1.5}},
            ),
            "thought": node("thought", "ran", "assistant", "hm", kind="thoughts"),
            "a": node("a", "thought", "assistant", "Four."),
        },
        "current_node": "a",
    },
    {"title": "Empty", "conversation_id": "conv-2", "mapping": {}, "current_node": None},
    {"title": "Second", "id": "conv-3", "mapping": {"x": node("x", None, "user", "Hello")}, "current_node": "gone"},
]


def test_the_branch_that_is_shown_of_each_chatgpt_conversation_is_told() -> None:
    found = events(json.dumps(CHATGPT))
    assert [(event.fields["actor"], event.fields["text"], event.fields["session"]) for event in found] == [
        ("owner", "What is 2+2?\n[image]", "conv-1"),
        ("tool", "4", "conv-1"),
        ("agent", "Four.", "conv-1"),
        ("owner", "Hello", "conv-3"),
    ]
    assert found[1].fields["detail"] == {
        "title": "Boats",
        "tool": "python",
        "arguments": "2+2",
        "exit_code": 0,
        "duration_ms": 500,
        "call": "call",
    }
    assert found[0].fields["ts"] == "2025-11-27T09:40:00+00:00"
    assert not any(event.is_actor_trusted for event in found)
    assert [type(item).__name__ for item in items(json.dumps(CHATGPT))] == ["ImportedEvent"] * 3 + [
        "Blank",
        "ImportedEvent",
    ]


def test_an_export_is_believed_when_the_owner_says_that_it_is_his() -> None:
    found = events(json.dumps(CHATGPT), owner="Ana")
    assert all(event.is_actor_trusted for event in found)
    assert found[0].fields["detail"]["speaker"] == "Ana"


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    tree = {"a": node("a", "b", "user", "one"), "b": node("b", "a", "assistant", "two")}
    assert texts(json.dumps([{"mapping": tree, "current_node": "a"}])) == ["two", "one"]


CLAUDE = [
    {
        "uuid": "5f7e0bff-a214-4c11-97ae-eab26883c67a",
        "name": "Boats",
        "chat_messages": [
            {
                "uuid": "0a7e0bff-a214-4c11-97ae-eab26883c67a",
                "sender": "human",
                "created_at": "2025-11-27T09:40:00.123Z",
                "text": "Look at this",
                "content": [{"type": "text", "text": "Look at this"}],
                "attachments": [{"file_name": "boat.txt", "extracted_content": "The boat is green."}],
            },
            {
                "uuid": "1a7e0bff-a214-4c11-97ae-eab26883c67a",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "…"},
                    {"type": "text", "text": "It is green."},
                    {"type": "tool_use", "id": "t", "name": "web", "input": {"q": "boats"}},
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "3 hits"}]},
                ],
            },
            {"uuid": "2a7e0bff-a214-4c11-97ae-eab26883c67a", "sender": "human", "text": "An older export"},
        ],
    }
]


def test_each_message_of_a_claude_export_is_told_and_attachments_are_not_the_users_words() -> None:
    found = events(json.dumps(CLAUDE, indent=1))
    assert [(event.fields["actor"], event.fields["text"]) for event in found] == [
        ("owner", "Look at this"),
        ("tool", "The boat is green."),
        ("agent", "It is green."),
        ("tool", "3 hits"),
        ("owner", "An older export"),
    ]
    assert found[1].fields["detail"] == {"title": "Boats", "file": "boat.txt"}
    assert found[3].fields["detail"]["arguments"] == {"q": "boats"}
    assert found[0].line == 2
    assert not any(event.is_actor_trusted for event in found)


@pytest.mark.parametrize(("export", "kind"), [(CHATGPT, "chatgpt"), (CLAUDE, "claude")])
def test_a_newer_export_adds_what_is_new(export: list[Any], kind: TranscriptFormat) -> None:
    newer = [{"mapping": {}, "chat_messages": []}, *export]
    old, new = keys(json.dumps(export)), keys(json.dumps(newer, indent=2), kind)
    assert old == new
    assert len(set(old)) == len(old)


def test_a_bad_element_of_an_export_is_set_aside_and_its_neighbours_go_in() -> None:
    good = json.dumps(CLAUDE[0])
    stream = f'[{good},\n 17, "x]", {{"a": ]}}, {{"chat_messages": 5}},\n{good}]'
    found = items(stream, "claude")
    assert [item.offset for item in found if isinstance(item, ImportedEvent)] == [1] * 5 + [stream.rindex(good)] * 5
    bad = [item for item in found if isinstance(item, SetAside)]
    assert [(item.line, item.offset) for item in bad][:2] == [(2, stream.index("17")), (2, stream.index('"x]"'))]
    assert "no conversation" in bad[-1].reason


def test_a_message_of_an_export_that_is_too_large_is_set_aside_and_its_neighbours_go_in() -> None:
    first, *rest = CLAUDE[0]["chat_messages"]
    export = [{**CLAUDE[0], "chat_messages": [{**first, "text": "x" * MAX_LINE_BYTES}, *rest]}]
    found = items(json.dumps(export))
    assert sum(isinstance(item, ImportedEvent) for item in found) == 3
    assert ["a message of" in item.reason for item in found if isinstance(item, SetAside)] == [True]


def test_an_export_may_begin_with_a_byte_order_mark_but_not_be_in_utf_16() -> None:
    assert len(events("\ufeff" + json.dumps(CLAUDE))) == 5
    assert not aside("\ufeff" + json.dumps(CLAUDE))
    (found,) = items(json.dumps(CLAUDE).encode("utf-16"))
    assert isinstance(found, SetAside)
    assert "UTF-16" in found.reason


def test_an_export_that_is_cut_off_keeps_what_is_whole() -> None:
    stream = json.dumps(CLAUDE * 2)
    found = items(stream[:-40])
    assert sum(isinstance(item, ImportedEvent) for item in found) == 5
    assert isinstance(found[-1], SetAside)
    assert "torn" in found[-1].reason


@given(st.integers(1, 40), st.booleans())
@settings(max_examples=40, deadline=None)
def test_an_array_is_split_alike_however_it_arrives(size: int, indented: bool) -> None:
    array = [{"a": 'quote " and \\ and ] }', "b": [[1], {}]}, [1, [2]], "s\\", 17, None, {"é": "\\\\"}]
    raw = json.dumps(array, indent=1 if indented else None).encode()
    stream = ByteStream(io.BytesIO(b""))
    stream.chunks = lambda: (raw[at : at + size] for at in range(0, len(raw), size))
    found = list(ElementReader(stream))
    assert [json.loads(one.data) for one in found] == array
    assert all(raw[one.position.offset :].startswith(one.data) for one in found)
    assert [one.position.line for one in found] == [raw[: one.position.offset].count(b"\n") + 1 for one in found]


# Chats.


WHATSAPP = """\
27/11/2025, 10:05 - Messages are end-to-end encrypted.
27/11/2025, 10:05 - Ana García: Shall we meet?
At the harbour, I mean.

Note: bring shoes
27/11/2025, 10:06 - +49 170 1234567: Yes: at six
28/11/2025, 09:00 - Ana García: <Media omitted>
"""


def test_a_whatsapp_log_is_told_with_the_lines_that_go_on() -> None:
    found = events(WHATSAPP, owner="Ana García")
    assert [(one.fields["ts"], one.fields["actor"], one.fields["text"]) for one in found] == [
        ("2025-11-27T10:05", "owner", "Shall we meet?\nAt the harbour, I mean.\n\nNote: bring shoes"),
        ("2025-11-27T10:06", "tool", "Yes: at six"),
        ("2025-11-28T09:00", "owner", "<Media omitted>"),
    ]
    assert [one.fields["detail"]["speaker"] for one in found] == ["Ana García", "+49 170 1234567", "Ana García"]
    assert [one.line for one in found] == [2, 6, 7]
    assert sum(isinstance(item, Blank) for item in items(WHATSAPP)) == 2


def test_nobody_in_a_chat_is_believed_until_the_owner_says_his_name() -> None:
    assert {(one.is_actor_trusted, one.fields["actor"]) for one in events(WHATSAPP)} == {(False, "tool")}
    assert {one.is_actor_trusted for one in events(WHATSAPP, owner="ana garcía")} == {True}
    log = "User: hi\nAssistant: hello\nEve: me too\n"
    assert [one.fields["actor"] for one in events(log, "chat", owner="Ana")] == ["owner", "agent", "tool"]


@pytest.mark.parametrize(
    ("line", "ts", "speaker"),
    [
        ("[2025-11-27, 10:05] Ana: hi", "2025-11-27T10:05", "Ana"),
        ("[27/11/2025, 10:05:33] Ana: hi", "2025-11-27T10:05:33", "Ana"),
        ("\u200e[27/11/2025, 10:05:33] ~ Ana Lu: hi", "2025-11-27T10:05:33", "~ Ana Lu"),
        ("[11/27/25, 10:05:33\u202fPM] Ana: hi", "2025-11-27T22:05:33", "Ana"),
        ("11/27/25, 12:05 AM - Ana: hi", "2025-11-27T00:05", "Ana"),
        ("27.11.25, 10:05 - Ana: hi", "2025-11-27T10:05", "Ana"),
        ("2025-11-27 10:05:33 Ana: hi", "2025-11-27T10:05:33", "Ana"),
        ("2025-11-27T10:05:33Z Ana: hi", "2025-11-27T10:05:33Z", "Ana"),
        ("2025-11-27 10:05 <ana> hi", "2025-11-27T10:05", "ana"),
        ("- 2025-11-27 10:05 **Ana:** hi", "2025-11-27T10:05", "Ana"),
    ],
)
def test_stamps_of_many_sorts_are_read(line: str, ts: str, speaker: str) -> None:
    (event,) = events(line, "chat")
    assert (event.fields["ts"], event.fields["detail"]["speaker"], event.fields["text"]) == (ts, speaker, "hi")
    assert len(parse_timestamp(ts)) == len("2025-11-27T10:05")


def test_a_day_that_could_be_a_month_is_noted_as_it_was_said() -> None:
    assert events("03/04/2025, 10:05 - Ana: hi\n")[0].fields["detail"]["said_ts"] == "03/04/2025 10:05"
    first, _ = events("03/04/2025, 10:05 - Ana: hi\n13/04/2025, 10:05 - Ana: ho\n")
    assert (first.fields["ts"], "said_ts" in first.fields["detail"]) == ("2025-04-03T10:05", False)
    first, _ = events("03/04/2025, 10:05 - Ana: hi\n04/13/2025, 10:05 - Ana: ho\n")
    assert first.fields["ts"] == "2025-03-04T10:05"
    (american,) = events("3/4/25, 9:05 PM - Ana: hi\n")
    assert american.fields["ts"] == "2025-03-04T21:05"
    assert american.fields["detail"]["said_ts"] == "3/4/25 9:05 PM"
    _, impossible = events("13/04/2025, 10:05 - Ana: hi\n04/14/2025, 10:05 - Ana: ho\n")
    assert impossible.fields["ts"] == "2025-04-14T10:05"


def test_a_day_heading_dates_the_lines_below_it() -> None:
    log = "# Session 3 (2025-11-27)\n\n- 10:05 Ana: hi\n- 10:06 Bob: ho\n\n28 November 2025\n10:07 Ana: hey\n"
    assert [one.fields["ts"] for one in events(log)] == ["2025-11-27T10:05", "2025-11-27T10:06", "2025-11-28T10:07"]
    for heading in ("--- 2025-11-27 ---", "Thursday, November 27, 2025", "27/11/2025", "## Nov 27th 2025"):
        assert parse_day_heading(heading, StampLayout()) == "2025-11-27", heading
    assert not parse_day_heading("We met on 2025-11-27 in Oslo", StampLayout())


def test_a_clock_without_a_day_dates_nothing_and_is_known_by_its_place() -> None:
    log = "10:05 Ana: ok\n10:05 Ana: ok\n"
    first, second = events(log)
    assert "ts" not in first.fields
    assert first.fields["detail"]["said_ts"] == "10:05"
    assert len(first.keys) == 2
    assert not set(first.keys) & set(second.keys)
    assert events(log.replace("\n", "\n\n"))[0].keys == first.keys


def test_the_same_words_on_another_day_are_another_message() -> None:
    elsewhere = StreamSource("y", ("path:/y",))
    one, other = (
        keys("2025-11-27\n10:05 Ana: ok\n", "chat"),
        keys("2025-11-28\n10:05 Ana: ok\n", "chat", source=elsewhere),
    )
    assert one != other
    assert one == keys("A preamble\n2025-11-27\n10:05 Ana: ok\n", "chat", source=elsewhere)


def test_a_message_that_goes_on_for_megabytes_ends_and_what_is_left_is_set_aside() -> None:
    log = "10:05 Ana: hi\n" + ("x" * 1_000_000 + "\n") * 5 + "10:06 Ana: ho\n"
    found = items(log, "chat")
    assert [type(item).__name__ for item in found] == ["ImportedEvent", "SetAside", "ImportedEvent"]
    assert (found[1].line, found[2].line) == (6, 7)


def test_a_chat_without_times_is_told_by_its_speakers() -> None:
    log = "Ana: Shall we?\nhttps://example.org/a\nThe thing about boats: wood\nBob: Yes.\nAna: See https://example.org: fine\n"
    assert texts(log) == [
        "Shall we?\nhttps://example.org/a\nThe thing about boats: wood",
        "Yes.",
        "See https://example.org: fine",
    ]


def test_a_line_of_no_chat_is_set_aside_until_somebody_speaks() -> None:
    found = items("a preamble\n\x00\xff\n10:05 Ana: hi\n\xff\n10:06 Ana: ho\n".encode("latin-1"), "chat")
    assert [type(item).__name__ for item in found] == [
        "SetAside",
        "SetAside",
        "ImportedEvent",
        "SetAside",
        "ImportedEvent",
    ]


def test_prose_and_names_that_are_none_begin_no_message() -> None:
    for line in (
        "We meet at 10:05 Ana: said so",
        "10.50 euros: too much",
        "25:99 Ana: hi",
        "99/99/2025, 10:05 - Ana: hi",
    ):
        assert parse_stamp(line, StampLayout(has_times=True)) is None, line


def test_a_chat_that_is_read_again_has_the_same_keys() -> None:
    assert keys(WHATSAPP) == keys(WHATSAPP)
    grown = WHATSAPP + "28/11/2025, 09:01 - Bob: late\n"
    assert keys(grown)[:3] == keys(WHATSAPP)


# Telling formats apart.


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (jsonl(said("a")), "jsonl"),
        (OPENCLAW, "openclaw"),
        (jsonl({"role": "user", "content": "hi"}), "openclaw"),
        (jsonl(turn("user", "hi")), "claude-code"),
        (jsonl({"type": "summary", "summary": "x", "leafUuid": "y"}), "claude-code"),
        (jsonl({"kind": "fact", "summary": "x"}), "openclaw-mem"),
        (json.dumps(CHATGPT), "chatgpt"),
        (json.dumps(CHATGPT[0], indent=2), "chatgpt"),
        (json.dumps(CLAUDE, indent=2), "claude"),
        (WHATSAPP, "chat"),
        ("", "jsonl"),
        ("[1, 2]\n[3]\n", "jsonl"),
        (jsonl(said('a "mapping": {} in "chat_messages": [ of a text')), "jsonl"),
        (jsonl(said("a", detail={"mapping": {"a": 1}})), "jsonl"),
        (jsonl(said('"mapping": {' + "x" * 90_000)), "jsonl"),
        ("Dear diary: today was fine.\nIt rained.\nI slept.\n", "jsonl"),
        ("null\n" + jsonl(said("a")), "jsonl"),
        (jsonl({**turn("user", "x" * 90_000), "parentUuid": None}), "claude-code"),
        (jsonl({"toolName": "t", "params": {"r": "x" * 90_000}}), "openclaw"),
        (jsonl(said("x" * 90_000)), "jsonl"),
        ("name: x\nversion: 1\nlicense: MIT\na: b\nc: d\ne: f\ng: h\ni: j\nk: l\n", "jsonl"),
    ],
)
def test_the_format_is_told_by_the_beginning(data: str, kind: TranscriptFormat) -> None:
    assert detect_format(data[:HEAD_BYTES]) == kind
    assert detect_format("\n  " + data[:HEAD_BYTES]) == kind


# Size and speed.

STREAMING = """
import io, sys
sys.path.insert(0, sys.argv[1])
from commonplace.capture.imports import StreamSource, read_transcript

class Repeated(io.RawIOBase):
    "A pattern between two other texts, of any length, that nobody holds."
    def __init__(self, head, pattern, times, tail):
        self.parts = iter([head, *[pattern] * times, tail])
        self.part = b""
    def readable(self):
        return True
    def readinto(self, buffer):
        while not self.part:
            self.part = next(self.parts, None)
            if self.part is None:
                self.part = b""
                return 0
        taken, self.part = self.part[: len(buffer)], self.part[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)

GOOD = b'{"ts": "2025-11-27T09:40", "text": "good"}'
CONVERSATION = b'{"uuid": "u", "chat_messages": [{"uuid": "m", "sender": "human", "text": "good"}]}'

def told(head, pattern, times, tail):
    stream = io.BufferedReader(Repeated(head, pattern, times, tail))
    found = {"ImportedEvent": 0, "SetAside": 0, "Blank": 0}
    for item in read_transcript(stream, source=StreamSource("x", ("path:x",))):
        found[type(item).__name__] += 1
    peak = open("/proc/self/status").read().partition("VmHWM:")[2]  # getrusage would tell the peak of the parent, too
    print(*found.values(), int(peak.split()[0]) >> 10)
"""


def streamed(call: str) -> tuple[list[int], int]:
    """Events, stretches set aside and blank lines of a stream that is made up in another process; its megabytes."""
    script = f"{STREAMING}\ntold({call})"
    ran = subprocess.run([sys.executable, "-c", script, SOURCE], capture_output=True, text=True, check=True)
    *found, megabytes = map(int, ran.stdout.split())
    return found, megabytes


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('GOOD + b"\\n", b"x" * 1_000_000, 100, b"\\n" + GOOD + b"\\n"', [2, 1, 0]),
        ('GOOD + b"\\n", GOOD + b"\\n", 300_000, b""', [300_001, 0, 0]),
        ('b"", b\'{"text":"x","a":[\' + b\'{"a":0},\' * 520_000 + b"0]}\\n", 4, GOOD', [5, 0, 0]),
        (
            "b'[' + CONVERSATION + b',{\"chat_messages\":\"', b'x' * 1_000_000, 100, b'\"},' + CONVERSATION + b']'",
            [2, 1, 0],
        ),
        ("b'[' + CONVERSATION + b',', CONVERSATION + b',', 50_000, CONVERSATION + b']'", [50_002, 0, 0]),
        (
            "b'[' + CONVERSATION + b',{\"chat_messages\":[', b'[],' * 1_000_000, 2, b'0]},' + CONVERSATION + b']'",
            [2, 1, 0],
        ),
    ],
    ids=["a line of 100 MB", "many lines", "lines of many values", "a conversation of 100 MB", "many", "values"],
)
@pytest.mark.slow
def test_streams_of_any_size_stay_below_200_megabytes(call: str, expected: list[int]) -> None:
    found, megabytes = streamed(call)
    assert found == expected
    assert megabytes < 200


def test_importing_the_room_loads_no_format() -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import commonplace.capture.imports; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script, SOURCE], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert not {name for name in loaded if name.startswith("commonplace.capture.imports.")} - {
        "commonplace.capture.imports.events",
        "commonplace.capture.imports.reader",
    }
    assert "_hashlib" not in loaded
