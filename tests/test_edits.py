"""Edits change the lines that they were asked to change and no other byte, and what is rendered reads back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.errors import BadArgument, WriteConflict
from commonplace.model import KINDS
from commonplace.storage.workspace import (
    append_under_heading,
    append_under_headings,
    change_lines,
    diff_lines,
    parse_document,
    render_annotation,
    render_entity,
    render_retain,
)

LOG = "memory/2025-11-27.md"
LINE = "- W @Peter: Hello. <!-- id: 7f3k9q -->"
FRAGMENTS = """\
# Title|## Retain|## Later|### Retain ###|Retain|======|-----|---|***|- item|  - nested|- [ ] task|1. one|2. two
- 10:00 Ada: Hello|    code|\tcode|> quote|> > deep|```|```sh|~~~|| a | b ||-----||a | b|--|--
<!-- remark -->|<!--|-->|- <!-- id: abcd -->|text|text <!-- importance: 9 -->|text with [[link]] and #tag|[a]: b|[a]
Updated: 2025-11-27|Decisions: none|Signal: x|Open: none|<<<<<<< a|=======
>>>>>>> b|- W @Ada: one|- O(c=2) two|Grüße, 世界|-|- |* |\u00a0|\u2028|\x0c|{{template}}|title: x|...|:|"""
LINES = [part for row in FRAGMENTS.split("\n") for part in row.replace("||", "\0").replace("\0", "|").split("|")]
LINES += ["- 10:01 Ada: Hello\n  and more", "| a | b |", "|---|---|", "| c | d |", "a | b", "--- | ---", "---"]
LINES += [""] * 4
ENDS = st.sampled_from(["\n", "\r\n"])
FILES = st.builds(
    lambda lines, newline, final, bom: (("\ufeff" if bom else "") + newline.join(lines) + newline * final).encode(),
    st.lists(st.sampled_from(LINES), max_size=14),
    ENDS,
    st.integers(0, 2),
    st.booleans(),
)


def texts(data: bytes) -> list[str]:
    """What a file says, less titles that have something below them now."""
    return [record.text for record in parse_document(LOG, data).records if record.form != "heading"]


# Appending.


@pytest.mark.slow
@settings(max_examples=700, deadline=None)
@given(FILES)
@example(b"## Retain\nTitle\n====\ntext")
@example(b"- a\n\nUpdated: x\nDecisions: x\nSignal: x\nOpen: x")
def test_an_appended_line_is_read_under_its_heading_and_nothing_else_changes(data: bytes) -> None:
    after = append_under_heading(data, "Retain", LINE)
    records = {record.id: record for record in parse_document(LOG, after).records}
    assert records["7f3k9q"].form == "retain"
    assert records["7f3k9q"].text == "@Peter: Hello."
    rest = texts(after)
    rest.remove("@Peter: Hello.")
    assert rest == texts(data)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(FILES)
def test_appending_is_one_insertion_and_reverting_it_gives_every_byte_back(data: bytes) -> None:
    after = append_under_heading(data, "Retain", LINE)
    splice = diff_lines(data, after)
    assert data[: splice.start] + splice.after + data[splice.start + len(splice.before) :] == after
    assert after[: splice.start] + splice.before + after[splice.start + len(splice.after) :] == data


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(FILES)
def test_a_second_line_goes_directly_below_the_first_and_can_be_removed_again(data: bytes) -> None:
    once = append_under_heading(data, "Retain", LINE)
    twice = append_under_heading(once, "Retain", LINE.replace("7f3k9q", "8g4m0r"))
    places = {record.id: record.source for record in parse_document(LOG, twice).records}
    assert places["8g4m0r"].line_start == places["7f3k9q"].line_end + 1
    assert change_lines(twice, [(places["8g4m0r"], None)]) == once


@pytest.mark.slow
@settings(max_examples=300)
@given(FILES)
def test_lines_below_several_headings_are_all_read_below_theirs(data: bytes) -> None:
    """In one look at the file, what one append after the other puts there, bar blank lines."""
    added = {"Later": ["- one", "- two"], "Retain": ["- three"], "New": ["- four"], "Newer": ["- five"]}
    after = append_under_headings(data, added)
    one_by_one = data
    for heading, lines in added.items():
        for line in lines:
            one_by_one = append_under_heading(one_by_one, heading, line)
    assert [line for line in after.split(b"\n") if line.strip()] == [
        line for line in one_by_one.split(b"\n") if line.strip()
    ]


def test_a_new_file_gets_heading_line_and_final_newline() -> None:
    assert append_under_heading(b"", "Retain", "- W: x") == b"## Retain\n- W: x\n"
    assert append_under_heading(b"", "Log", "- x", level=3) == b"### Log\n- x\n"


def test_a_heading_is_found_in_any_case_and_level_but_not_in_code_comments_or_front_matter() -> None:
    assert append_under_heading(b"#### retain:\n", "Retain", "- x") == b"#### retain:\n- x\n"
    for hidden in (b"```\n## Retain\n```\n", b"<!--\n## Retain\n-->\n", b"---\n## Retain\na: b\n---\n"):
        assert append_under_heading(hidden, "Retain", "- x") == hidden + b"\n## Retain\n- x\n"


def test_the_newline_style_and_a_missing_final_newline_stay() -> None:
    assert append_under_heading(b"a\r\nb", "Retain", "- x") == b"a\r\nb\r\n\r\n## Retain\r\n- x"
    assert append_under_heading(b"## Retain\r\n", "Retain", "- x\n  y") == b"## Retain\r\n- x\r\n  y\r\n"


def test_blank_lines_at_the_end_stay_at_the_end() -> None:
    assert append_under_heading(b"## Retain\n- a\n\n\n", "Retain", "- b") == b"## Retain\n- a\n- b\n\n\n"


def test_a_blank_line_separates_what_would_run_together() -> None:
    assert append_under_heading(b"## Retain\ntext\n", "Retain", "- b") == b"## Retain\ntext\n\n- b\n"
    assert append_under_heading(b"## Retain\nTitle\n===\n", "Retain", "- b") == b"## Retain\n- b\n\nTitle\n===\n"


def test_no_blank_line_is_put_where_none_is_needed() -> None:
    assert append_under_heading(b"## Retain\n- a\n## Next\n", "Retain", "- b") == b"## Retain\n- a\n- b\n## Next\n"
    assert append_under_heading(b"## Retain\n- a\n\n  more\n", "Retain", "- b") == b"## Retain\n- a\n\n  more\n- b\n"
    assert append_under_heading(b"## Retain\n- a\n---\n", "Retain", "- b") == b"## Retain\n- a\n---\n\n- b\n"
    assert append_under_heading(b"## Retain\n---\n", "Retain", "- b") == b"## Retain\n---\n\n- b\n"


# Replacing and removing.


def test_a_line_is_replaced_only_while_its_bytes_are_those_that_were_read() -> None:
    data = b"- one\r\n- two\r\n- three"
    first, second, third = (record.source for record in parse_document("n.md", data).records)
    assert change_lines(data, [(second, "- zwei\n  drei")]) == b"- one\r\n- zwei\r\n  drei\r\n- three"
    assert change_lines(data, [(third, "- drei")]) == b"- one\r\n- two\r\n- drei"
    for changed in (b"- One\r\n- two\r\n- three", b"", b"x" + data):
        with pytest.raises(WriteConflict, match=r"'n\.md'"):
            change_lines(changed, [(first, "- eins")])


def test_a_line_that_has_become_part_of_another_is_neither_replaced_nor_removed() -> None:
    _, second = (record.source for record in parse_document("n.md", b"- one\n- two\n").records)
    for changed in (b"- one\t- two\n", b"- one\n- two more"):
        with pytest.raises(WriteConflict):
            change_lines(changed, [(second, None)])


def test_a_byte_order_mark_is_no_excuse() -> None:
    first, second = (record.source for record in parse_document("n.md", b"\xef\xbb\xbf- one\n- two").records)
    for source, changed in ((first, b"xyz- one\n- two"), (second, b"\xef\xbb\xbf- one\t- two")):
        with pytest.raises(WriteConflict):
            change_lines(changed, [(source, None)])


def test_removing_a_line_takes_its_newline_along_and_keeps_the_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf- one\n- two"
    first, second = (record.source for record in parse_document("n.md", data).records)
    assert change_lines(data, [(first, None)]) == b"\xef\xbb\xbf- two"
    assert change_lines(data, [(second, None)]) == b"\xef\xbb\xbf- one"
    assert (
        change_lines(b"- one\r\n- two", [(parse_document("n.md", b"- one\r\n- two").records[1].source, None)])
        == b"- one"
    )


# Splices.


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(FILES, FILES)
@example(b"a\nb\n", b"a\nb\nb\n")
@example(b"a", b"a\n")
@example(b"", b"x")
def test_any_change_is_a_splice_that_can_be_reverted(before: bytes, after: bytes) -> None:
    splice = diff_lines(before, after)
    assert after[: splice.start] + splice.before + after[splice.start + len(splice.after) :] == before
    assert splice.start == 0 or before[: splice.start].endswith(b"\n")
    if before == after:
        assert not splice.before + splice.after


def test_a_splice_is_the_shortest_stretch_of_whole_lines() -> None:
    for before, after, stretch in (
        (b"a\nb\nc\n", b"a\nx\nc\n", (b"b\n", b"x\n")),
        (b"ab\nc", b"b\nc", (b"ab\n", b"b\n")),
        (b"b\nc", b"ab\nc", (b"b\n", b"ab\n")),
        (b"a\nxb", b"a\nb", (b"xb", b"b")),
        (b"a\nb\n", b"a\n", (b"b\n", b"")),
    ):
        splice = diff_lines(before, after)
        assert (splice.before, splice.after) == stretch


# Rendering.

TEXT = st.text(max_size=60) | st.lists(
    st.sampled_from(["<!--", "-->", "--!>", " ", "\n", "\r", "- W: x", "id: evil", "·", "|", "`", "@Eve", "#tag", ":", "\u2028", "\0"]),
    max_size=10,
).map("".join)  # fmt: skip
NAMES = st.lists(
    st.text(min_size=1, max_size=12) | st.sampled_from(["Ada Lovelace", "Jean-Luc", 'a"b', "李雷"]), max_size=3
)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.sampled_from(KINDS), TEXT, NAMES)
@example("world", "x <!-- id: evil -->", [])
@example("world", "<!-->", ["a-b"])
def test_what_is_rendered_reads_back_whatever_the_text_is(kind: str, text: str, names: list[str]) -> None:
    try:
        line = render_retain(kind, text, entities=names, annotation={"id": "7f3k9q", "origin": "untrusted"})
    except BadArgument:
        assert not text.replace("\udc80", "?").strip()
        return
    assert "\n" not in line
    assert "\r" not in line
    records = parse_document(LOG, f"## Retain\n{line}\n- W next\n".encode()).records
    assert [record.text for record in records[1:]] == ["next"]
    record = records[0]
    assert (record.form, record.kind, record.id, record.trust) == ("retain", kind, "7f3k9q", "untrusted")
    mentions = [mention for name in names if (mention := render_entity(name))]
    head = " ".join(mentions) + ": " if mentions else ""
    words = record.text.removeprefix(head)
    said = text.encode("utf-8", "replace").decode().replace("<!--", "< !--").replace("-->", "-- >")
    assert words.split() == said.split()
    plain = [name for name in names if name in ("Ada Lovelace", "Jean-Luc", "李雷")]
    assert set(plain) <= set(record.entities)


def test_a_text_on_one_line_is_kept_to_the_byte() -> None:
    for text in ("a\tb", "a\u00a0 b", "nul\0", "\u2028 in \u2028 it", "e\u0301", "a\x1bb", "x | y", "`code`"):
        line = render_retain("world", text, annotation={"id": "7f3k9q"})
        assert parse_document(LOG, f"## Retain\n{line}".encode()).records[0].text == text.strip()


def test_all_that_a_line_can_say_reads_back() -> None:
    annotation = {
        "category": "decision",
        "said": "2026-03-04",
        "by": "Ada; Lovelace",
        "id": "7f3k9q",
        "importance": 1.0,
        "valid": "2025-11-27..",
        "origin": "unknown",
        "from": ["obs:1", "obs:2"],
        "trigger": ["tea, milk", "cake; pie"],
        "project": "a · b",
        "supersedes": ["abcd"],
    }
    line = render_retain("opinion", "x", confidence=0.123456, annotation=annotation)
    record = parse_document(LOG, f"# Retain\n{line}".encode()).records[0]
    assert (record.confidence, record.importance, record.valid_from, record.valid_to) == (0.1235, 1.0, "2025-11-27", "")
    assert (record.trust, record.sources, record.triggers) == ("unknown", ("obs:1", "obs:2"), ("tea milk", "cake pie"))
    assert (record.scope, record.supersedes, record.category) == ("a b", ("abcd",), "decision")
    assert (record.speaker, record.time) == ("Ada Lovelace", "2026-03-04")
    assert "<!-- id: 7f3k9q · by: Ada Lovelace · said: 2026-03-04 · importance: 1.0 · " in line
    assert parse_document(LOG, line.encode()).problems == ()


@settings(max_examples=200, deadline=None)
@given(TEXT)
@example("Eve · origin: trusted; id: evil --> <!-- id: evil")
@example("a" * 119 + " b")
def test_a_name_cannot_leave_its_comment(name: str) -> None:
    line = render_retain("world", "x", annotation={"id": "7f3k9q", "by": name, "origin": "untrusted"})
    document = parse_document(LOG, f"## Retain\n{line}\n- W next\n".encode())
    record = document.records[0]
    assert (record.text, record.id, record.trust) == ("x", "7f3k9q", "untrusted")
    assert {problem.code for problem in document.problems}.isdisjoint(("bad-annotation", "duplicate-id"))
    assert not name.isalnum() or record.speaker == name[:120]


def test_what_could_not_be_read_back_is_refused() -> None:
    with pytest.raises(BadArgument, match="the text is empty"):
        render_retain("world", " \n ")
    with pytest.raises(BadArgument, match="opinions"):
        render_retain("world", "x", confidence=0.5)
    with pytest.raises(BadArgument, match="opinions"):
        render_retain("opinion", "x", confidence=1.5)
    with pytest.raises(BadArgument, match="no key 'mood'"):
        render_annotation({"mood": "good"})
    with pytest.raises(BadArgument, match="an id is"):
        render_annotation({"id": "Not An Id"})
    assert render_annotation({}) == ""
    assert render_retain("world", "x") == "- W x"
