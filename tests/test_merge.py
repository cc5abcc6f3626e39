"""Two versions of a file merge into the same bytes from either side; nothing is lost, and no id stands twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.storage import files, journal
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.upkeep.merge import (
    MergedPage,
    merge_entries,
    merge_journal,
    merge_markdown,
    merge_state,
    merge_tombstones,
    split_forks,
)

LOG = "memory/2025-11-27.md"
NOW = "2025-11-27T10:00"
BASE = """# 2025-11-27

## Retain

- W @Ada: Keeps the violin in the cellar. <!-- id: aaaa1 -->
- W @Peter: Lives in Trieste. <!-- id: bbbb2 -->
- tea in the morning

A paragraph.

Updated: morning
Decisions: none
Signal: quiet
Open: the roof
"""


def merge(base: str, ours: str, theirs: str, path: str = LOG) -> MergedPage:
    """The merge, which is the same from either side."""
    merged = merge_markdown(path, base.encode(), ours.encode(), theirs.encode())
    assert merged == merge_markdown(path, base.encode(), theirs.encode(), ours.encode())
    return merged


def test_lines_of_both_sides_stand_in_the_merged_file_and_removed_ones_do_not() -> None:
    """And what only one side changed is as that side has it."""
    ours = BASE.replace("- tea", "- W Ours. <!-- id: ours1 -->\n- tea").replace("Lives in Trieste", "Lives in Turin")
    theirs = BASE.replace("- tea in the morning\n", "- W Theirs. <!-- id: thrs1 -->\n").replace(
        "morning\nDec", "noon\nDec"
    )
    merged = merge(BASE, ours, theirs)
    assert not merged.reworded
    assert merged.data.decode() == BASE.replace(
        "- tea in the morning\n", "- W Theirs. <!-- id: thrs1 -->\n- W Ours. <!-- id: ours1 -->\n"
    ).replace("Lives in Trieste", "Lives in Turin").replace("morning\nDec", "noon\nDec")


def test_a_record_that_both_sides_changed_stands_in_both_wordings_under_two_ids() -> None:
    """With an id and without one."""
    sides = [
        BASE.replace("Lives in Trieste", f"Lives in {city}").replace("tea in the morning", f"tea in the {time}")
        for city, time in (("Turin", "evening"), ("Tartu", "afternoon"))
    ]
    merged = merge(BASE, *sides)
    records = [one for one in parse_document(LOG, merged.data).records if "Lives in" in one.text]
    assert [one.text for one in records] == ["@Peter: Lives in Tartu.", "@Peter: Lives in Turin."]
    assert records[0].id == "bbbb2"
    assert re.fullmatch(r"m[0-9a-f]{13}", records[1].id)
    assert next(("Tartu" in first, "Turin" in second) for first, second in merged.reworded) == (True, True)
    assert merged.reworded[1:]
    assert {*merged.reworded[1]} == {"- tea in the evening", "- tea in the afternoon"}
    assert not parse_document(LOG, merged.data).problems


def test_words_changed_on_one_side_and_the_annotation_on_the_other_are_one_line() -> None:
    """No question is needed."""
    ours = BASE.replace("Lives in Trieste", "Lives in Turin")
    theirs = BASE.replace("id: bbbb2", "id: bbbb2 · valid: 2025-11-01..")
    merged = merge(BASE, ours, theirs)
    assert "- W @Peter: Lives in Turin. <!-- id: bbbb2 · valid: 2025-11-01.. -->" in merged.data.decode()
    assert not merged.reworded


def test_a_line_that_one_side_moved_and_the_other_changed_stands_once() -> None:
    """Where it was moved, as it was changed."""
    line = "- W @Ada: Keeps the violin in the cellar. <!-- id: aaaa1 -->\n"
    ours = BASE.replace(line, "").replace("- tea", f"{line}- tea")
    theirs = BASE.replace("violin", "cello")
    merged = merge(BASE, ours, theirs).data.decode()
    assert merged == BASE.replace(line, "").replace("- tea", f"{line.replace('violin', 'cello')}- tea")


def test_what_one_side_removed_and_the_other_changed_stays() -> None:
    """Nothing that was written since is lost."""
    line = "- W @Ada: Keeps the violin in the cellar. <!-- id: aaaa1 -->\n"
    assert b"cello" in merge(BASE, BASE.replace(line, ""), BASE.replace("violin", "cello")).data


def test_insertions_at_one_point_keep_to_their_sections() -> None:
    """A bullet of one side does not fall below the heading that the other added."""
    base = "## Retain\n- W One.\n"
    merged = merge(base, f"{base}\n## Later\n- later\n", f"{base}- W Two.\n").data.decode()
    assert merged == f"{base}- W Two.\n\n## Later\n- later\n"
    both = merge("", "## Retain\n- W One.\n", "## Retain\n- W Two.\n").data.decode()
    assert both == "## Retain\n- W One.\n- W Two.\n"


def test_paragraphs_of_both_sides_are_not_joined() -> None:
    """Two wordings of a paragraph are two paragraphs."""
    merged = merge("A note on the ferry.\n", "A note on the old ferry.\n", "A note on the new ferry.\n", "notes/a.md")
    assert [one.text for one in parse_document("notes/a.md", merged.data).records] == [
        "A note on the new ferry.",
        "A note on the old ferry.",
    ]
    assert merged.reworded


def test_the_closure_block_stays_the_last_four_lines() -> None:
    """With the values of both."""
    ours = BASE.replace("Decisions: none", "Decisions: slate").replace("Updated: morning", "Updated: noon")
    theirs = BASE.replace("Decisions: none", "Decisions: zinc").replace("Updated: morning", "Updated: late")
    lines = merge(BASE, ours, theirs).data.decode().split("\n")
    assert lines[-5:] == ["Updated: noon", "Decisions: slate; zinc", "Signal: quiet", "Open: the roof", ""]


def test_front_matter_merges_by_key_and_stays_valid() -> None:
    """Of an entry that both changed one is a comment."""
    base = "---\ntitle: Boat\ntags: [sea]\n---\nText.\n"
    ours = base.replace("Boat", "Green boat").replace("---\nText", "project: harbour\n---\nText")
    theirs = base.replace("Boat", "Blue").replace("tags: [sea]", "tags: [sea, wood]")
    merged = merge(base, ours, theirs, "notes/boat.md").data
    assert merged == (b"---\ntitle: Green boat\n# title: Blue\ntags: [sea, wood]\nproject: harbour\n---\nText.\n")
    assert not parse_document("notes/boat.md", merged).problems
    assert merge_entries("a: [x]", "a: [x]\nb: [y]", "a: [x]\nc: [z]") == "a: [x]\nb: [y]\nc: [z]"


def test_header_lines_of_a_warm_file_stay_one_each() -> None:
    """Tags of both, the later date."""
    base = "# Boats\n#tags: sea\n> last_verified: 2025-10-01\n\n- Name: Runa\n"
    ours = base.replace("sea", "sea, wood").replace("10-01", "11-01")
    theirs = base.replace("sea", "sea, wind").replace("10-01", "11-05")
    merged = merge(base, ours, theirs, "memory/semantic/boats.md").data.decode()
    assert merged.split("\n")[1:3] == ["#tags: sea, wind, wood", "> last_verified: 2025-11-05"]


def repeated_ids(data: bytes) -> list[str]:
    """What a file says of ids that stand in it twice."""
    return [one.message for one in parse_document(LOG, data).problems if one.code == "duplicate-id"]


LINES = st.sampled_from(
    [
        *(
            "",
            "",
            "# Title",
            "## Retain",
            "## Later",
            "- tea",
            "- coffee",
            "  - nested",
            "A paragraph.",
            "Another one.",
        ),
        *("- W @Ada: One. <!-- id: aaaa1 -->", "- W @Ada: Two. <!-- id: aaaa1 -->", "- W Three. <!-- id: cccc3 -->"),
        *("- W Four. <!-- id: dddd4 · importance: 0.9 -->", "| a | b |", "|---|---|", "```", "> quoted", "#tags: x"),
        *("---", "title: x", "Updated: 1", "Decisions: none", "Signal: x", "Open: none", "<!-- remark -->", "text\r"),
    ]
)
PAGES = st.lists(LINES, max_size=12).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(PAGES, PAGES, PAGES, st.booleans())
def test_any_three_versions_merge_the_same_way_from_either_side(base: str, ours: str, theirs: str, end: bool) -> None:
    """Words that a side added are there, ids stand once, nothing marks a conflict, and what is merged merges again."""
    base, ours, theirs = (text + "\n" * end for text in (base, ours, theirs))
    merged = merge(base, ours, theirs).data
    # A line of tags belongs to the text above it from the sixth line on, and what stands behind an open fence is code:
    # both can hide that an id stands twice.
    is_open = any(text.count("```") % 2 for text in (base, ours, theirs))
    if not (is_open or any(repeated_ids(text.lstrip("\n").encode()) for text in (ours, theirs))):
        assert not repeated_ids(merged)
    before = {line.strip() for line in base.split("\n")}
    for line in {*ours.split("\n"), *theirs.split("\n")}:
        words = line.partition(" <!-- id")[0].strip()
        if line.strip() not in before and ":" not in words and "---" not in words:
            assert words.encode() in merged
    assert not re.search(rb"^(<<<<<<<|=======|>>>>>>>)", merged, re.MULTILINE)
    assert merge_markdown(LOG, base.encode(), merged, merged).data == merged
    assert merge(base, base, ours).data.decode() == ours


@pytest.fixture(autouse=True)
def copies(tmp_path: Path) -> None:
    """Folders for two copies, and for what becomes of them."""
    for name in ("a", "b", "merged"):
        (tmp_path / name).mkdir()


def write(root: Path, *texts: str, device: str = "laptop", now: str = NOW) -> None:
    """Captures of a device, each a line."""
    lines = [{"ts": now, "type": "note", "actor": "owner", "text": text} for text in texts]
    Journal(str(root), device).append_all(lines, "captures")


def copied(source: Path, target: Path) -> Path:
    """Another folder with the same files."""
    for name in files.list_file_sizes(str(source), journal.JOURNAL_FOLDER):
        path = target / journal.JOURNAL_FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((source / journal.JOURNAL_FOLDER / name).read_bytes())
    return target


NAME = "captures-laptop-2025-11.jsonl"


def diverged(tmp_path: Path, *, same: bool = False) -> tuple[bytes, bytes, bytes]:
    """A file of captures, and what two copies made of it."""
    write(tmp_path / "a", "one", "two")
    base = (tmp_path / "a" / journal.JOURNAL_FOLDER / NAME).read_bytes()
    copied(tmp_path / "a", tmp_path / "b")
    write(tmp_path / "a", "three" if same else "left", "four")
    write(tmp_path / "b", "three" if same else "right", "five", "six")
    ours, theirs = ((tmp_path / side / journal.JOURNAL_FOLDER / NAME).read_bytes() for side in "ab")
    return base, ours, theirs


def ids_of(data: bytes) -> list[str]:
    """The ids of all lines that are no stubs."""
    lines = (journal.parse_json_line(line) for line in data.split(b"\n") if line)
    return [line["id"] for line in lines if not isinstance(line, str) and "id" in line]


@pytest.mark.parametrize("same", [False, True])
def test_a_chain_that_two_copies_continued_becomes_two_chains(tmp_path: Path, *, same: bool) -> None:
    """Every line is there once, no id twice, and both chains hold, also where two lines would have one id."""
    base, ours, theirs = diverged(tmp_path, same=same)
    merged = merge_journal(ours, theirs)
    assert merged == merge_journal(theirs, ours)
    assert merged.startswith(base)
    assert {*merged.split(b"\n")} == {*ours.split(b"\n"), *theirs.split(b"\n")}
    parts = split_forks("captures", "laptop", {NAME: merged})
    assert len(parts) == 2
    assert parts[NAME] in (ours, theirs)
    ids = [one for data in parts.values() for one in ids_of(data)]
    assert len(ids) == len(set(ids)) == 7
    root = tmp_path / "merged"
    for name, data in parts.items():
        files.write_atomic(str(root), f"{journal.JOURNAL_FOLDER}/{name}", data)
    assert not journal.verify_chains(str(root), "captures")
    assert not split_forks("captures", "laptop", parts)
    if not same:
        (other,) = (data for name, data in parts.items() if name != NAME)
        assert other.split(b"\n", 1)[1] in (ours[len(base) :], theirs[len(base) :])


def test_a_tail_that_arrives_again_goes_where_it_went_before(tmp_path: Path) -> None:
    """A copy that went on after the others had merged adds to its own second chain."""
    _base, ours, theirs = diverged(tmp_path)
    parts = split_forks("captures", "laptop", {NAME: merge_journal(ours, theirs)})
    behind = "a" if parts[NAME] == theirs else "b"
    write(tmp_path / behind, "seven")
    later = (tmp_path / behind / journal.JOURNAL_FOLDER / NAME).read_bytes()
    again = parts | {NAME: merge_journal(parts[NAME], later)}
    again |= split_forks("captures", "laptop", again)
    assert len(again) == 2
    assert again[NAME] == parts[NAME]
    (name,) = set(again) - {NAME}
    assert again[name].startswith(parts[name])
    assert b'"seven"' in again[name]


def test_the_ledger_of_a_device_is_split_over_its_files(tmp_path: Path) -> None:
    """The lines of a later month follow the chain that they continue."""
    for side, months in (("a", ("11",)), ("b", ())):
        journal_of_side = Journal(str(tmp_path / side), "laptop")
        for month in months:
            journal_of_side.append({"ts": f"2025-{month}-01T10:00", "op": "used", "records": ["x"]}, "ledger")
    copied(tmp_path / "a", tmp_path / "b")
    for side in "ab":
        for month in ("11", "12"):
            entry = {"ts": f"2025-{month}-02T10:00", "op": "used", "records": [side]}
            Journal(str(tmp_path / side), "laptop").append(entry, "ledger")
    folders = [tmp_path / side / journal.JOURNAL_FOLDER for side in "ab"]
    names = [f"ledger-laptop-2025-{month}.jsonl" for month in ("11", "12")]
    merged = {name: merge_journal(*((folder / name).read_bytes() for folder in folders)) for name in names}
    merged |= split_forks("ledger", "laptop", merged)
    assert len(merged) == 4
    for name, data in merged.items():
        files.write_atomic(str(tmp_path / "merged"), f"{journal.JOURNAL_FOLDER}/{name}", data)
    assert not journal.verify_chains(str(tmp_path / "merged"), "ledger")
    own = b"".join(merged[name] for name in names)
    assert (b'["a"]' in own) != (b'["b"]' in own)


def test_a_stub_wins_over_the_line_whose_digest_it_has(tmp_path: Path) -> None:
    """In the common beginning and in a tail."""
    _base, ours, theirs = diverged(tmp_path)
    for number, other in ((1, theirs), (2, ours)):
        lines = ours.split(b"\n")
        fields = journal.parse_json_line(lines[number])
        assert not isinstance(fields, str)
        stub = {"v": 1, "ts": "2025-11", "digest": files.content_digest(lines[number]), "prev": fields["prev"]}
        lines[number] = journal.encode_journal_line({**stub, "forgotten": "2026-01-08"})
        merged = merge_journal(b"\n".join(lines), other)
        assert merged == merge_journal(other, b"\n".join(lines))
        assert lines[number] in merged
        assert ours.split(b"\n")[number] not in merged


def test_tombstones_keep_their_salts() -> None:
    """Lines of two salts do not mix; lines of one are united."""
    one, two = (journal.encode_journal_line({"v": 1, "salt": salt * 16}) for salt in ("ab", "cd"))
    lines = [journal.encode_journal_line({"v": 1, "ts": "2025-11", "whole": digit * 16}) for digit in "123"]
    left = b"\n".join((one, lines[0], lines[1], b""))
    right = b"\n".join((two, lines[2], one, lines[0], b""))
    merged = merge_tombstones(left, right)
    assert merged == merge_tombstones(right, left) == b"\n".join((one, *lines[:2], two, lines[2], b""))


def test_state_is_of_the_side_that_changed_it_and_lists_are_united() -> None:
    """Else the newest holds."""
    old, new, newer = (b'{"at": "2025-11-%02dT10:00"}' % day for day in (1, 2, 3))
    assert merge_state(old, new, old) == merge_state(old, old, new) == new
    assert merge_state(old, new, newer) == merge_state(old, newer, new) == newer
    open_period, ended, other = b'[["2025-11-01T10:00",""]]', b'[["2025-11-01T10:00","2025-11-01T11:00"]]', b"[]"
    assert merge_state(open_period, ended, open_period) == ended
    assert merge_state(b"[]", b'[["a","b"]]', b'[["c","d"]]') == b'[["a","b"],["c","d"]]\n'
    assert merge_state(ended, other, ended) == other
