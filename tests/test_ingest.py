"""Transcripts come in once, however often they are read; what is no event is set aside with its place."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import random
import stat
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commonplace
from commonplace import Memory
from commonplace.capture import WriteContext, ingestion
from commonplace.capture.imports import Blank, StreamSource
from commonplace.capture.imports import ImportedEvent as Found
from commonplace.capture.ingestion import SET_ASIDE_FOLDER, IngestResult
from commonplace.capture.pipeline import NO_LOOKUPS
from commonplace.cli import main
from commonplace.errors import BadArgument
from commonplace.storage import files
from commonplace.storage.journal import Journal
from tests.support.sample_size import sample_size
from tests.support.schemas import schema, validator

pytestmark = pytest.mark.usefixtures("calm")

NOW = "2025-11-30T09:00"
SOURCE = str(Path(commonplace.__file__).parents[1])
SECRET = "gh" + "p_" + ("q7Zk2mX9vB4nT8wL3pR6yH1sJ5dF0gCaE" * 2)[:36]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def said(text: str, **more: Any) -> str:
    return json.dumps({"ts": "2025-11-27T09:40", "text": text} | more) + "\n"


def undated(text: str) -> str:
    return json.dumps({"text": text}) + "\n"


def ingest(root: Path, data: bytes | str, **choices: Any) -> IngestResult:
    raw = data.encode() if isinstance(data, str) else data
    with Memory.open(root) as memory:
        return memory.ingest(io.BytesIO(raw), now=NOW, **choices)


def ingest_file(root: Path, path: Path, **choices: Any) -> IngestResult:
    with files.open_user_file(str(path)) as (stream, identity), Memory.open(root) as memory:
        return memory.ingest(stream, name=path.name, identity=identity, now=NOW, **choices)


def lines(root: Path) -> list[dict[str, Any]]:
    return [entry.fields for entry in Journal(str(root), "dev").read("captures").entries]


def texts(root: Path) -> list[str]:
    return [one["text"] for one in lines(root)]


def set_aside(root: Path) -> list[dict[str, Any]]:
    if not (root / SET_ASIDE_FOLDER).exists():
        return []
    return [
        json.loads(line)
        for path in sorted((root / SET_ASIDE_FOLDER).iterdir())
        for line in path.read_text().split("\n")
        if line
    ]


def counts(done: IngestResult) -> tuple[int, int, int, int, int]:
    return done.captured, done.known, done.skipped, done.blank, done.set_aside


def cpl(root: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {"PYTHONPATH": SOURCE, "COMMONPLACE_NOW": NOW, "COMMONPLACE_WORKSPACE": str(root), "HOME": str(root)}
    command = [sys.executable, "-m", "commonplace", *arguments]
    return subprocess.run(command, input=data, capture_output=True, env=environment, check=False)


def ingest_items(root: Path, monkeypatch: pytest.MonkeyPatch, items: list[Found]) -> IngestResult:
    """What becomes of items, whatever stream they come from."""
    monkeypatch.setattr(ingestion.imports, "read_transcript", lambda *_arguments, **_keywords: iter(items))
    options = ingestion.IngestOptions(StreamSource("x"))
    return ingestion.ingest(WriteContext(str(root), "dev", NOW), io.BytesIO(), options, NO_LOOKUPS)


# The same again adds nothing.


@pytest.mark.parametrize("line", [said, undated])
def test_the_same_file_twice_adds_nothing(line: Any, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(line(f"boat {number % 3}") for number in range(9)))
    assert counts(ingest_file(root, path)) == (9, 0, 0, 0, 0)
    assert counts(ingest_file(root, path)) == (0, 9, 0, 0, 0)
    assert texts(root) == [f"boat {number % 3}" for number in range(9)]  # what was said thrice was said thrice


@pytest.mark.parametrize("line", [said, undated])
def test_a_file_that_was_rotated_grew_or_was_written_anew_adds_what_is_new(
    line: Any, root: Path, tmp_path: Path
) -> None:
    path, older = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    path.write_text(line("one") + line("two"))
    ingest_file(root, path)
    with path.open("a") as file:
        file.write(line("three"))
    assert counts(ingest_file(root, path)) == (1, 2, 0, 0, 0)
    path.rename(older)  # rotated: same inode, other name
    path.write_text(line("four"))  # same name, other inode
    assert counts(ingest_file(root, older)) == (0, 3, 0, 0, 0)
    assert counts(ingest_file(root, path)) == (1, 0, 0, 0, 0)
    older.unlink()
    older.write_bytes(path.read_bytes())  # copied and truncated: the copy is a new file
    copied = ingest_file(root, older)
    assert copied.captured == (0 if line is said else 1)  # nothing tells an undated line from the same one elsewhere
    path.write_text("")
    ingest_file(root, path)
    with path.open("a") as file:
        file.write(line("five"))
    assert ingest_file(root, path).captured == 1
    anew = tmp_path / "anew"
    anew.write_bytes(path.read_bytes() + line("six").encode())
    anew.rename(path)  # as an editor saves: same name, other inode, same beginning
    assert counts(ingest_file(root, path)) == (1, 1, 0, 0, 0)
    assert [text for text in texts(root) if text != "four"] == ["one", "two", "three", "five", "six"]


def test_a_torn_tail_is_taken_when_it_is_whole(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = undated("one") + undated("two")
    path.write_text(whole[:-8])
    first = ingest_file(root, path)
    assert counts(first) == (1, 0, 0, 0, 1)
    assert first.examples[0].reason.startswith("torn")
    path.write_text(whole[:-1])  # whole, though no newline ends it
    assert counts(ingest_file(root, path)) == (1, 1, 0, 0, 0)
    path.write_text(whole + undated("three"))
    assert counts(ingest_file(root, path)) == (1, 2, 0, 0, 0)
    assert texts(root) == ["one", "two", "three"]


def test_events_with_ids_of_their_own_are_known_in_another_export(root: Path) -> None:
    first = said("one", id="m1", session="s") + said("two", id="m2", session="s")
    later = said("two", id="m2", session="s") + said("three", id="m3", session="s") + said("one", id="m1", session="s")
    assert counts(ingest(root, first, name="monday.jsonl")) == (2, 0, 0, 0, 0)
    assert counts(ingest(root, later, name="tuesday.jsonl")) == (1, 2, 0, 0, 0)
    assert texts(root) == ["one", "two", "three"]


@pytest.mark.slow
def test_standard_input_has_no_place_but_dates_and_ids_tell_its_lines(root: Path) -> None:
    data = (said("dated") + said("named", id="m1") + undated("bare")).encode()
    assert cpl(root, "ingest", "-", data=data).returncode == 0
    again = cpl(root, "ingest", "-", "--json", data=data)
    assert json.loads(again.stdout)["sources"][0] | {"examples": []} == {
        "source": "-",
        "captured": 1,
        "known": 2,
        "skipped": 0,
        "forgotten": 0,
        "blank": 0,
        "set_aside": 0,
        "examples": [],
        "kept_in": "",
        "redacted": [],
    }


@pytest.mark.slow
def test_two_ingests_of_one_file_at_once_take_each_event_once(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(said(f"boat {number}") for number in range(1_200)) + "bad\n" * 3)
    program = (
        "import os, sys; os.fsync = lambda _: None\n"
        "from commonplace.cli import main; sys.exit(main(['ingest', sys.argv[1], '--json']))"
    )
    environment = os.environ | {"PYTHONPATH": SOURCE, "COMMONPLACE_WORKSPACE": str(root), "HOME": str(root)}
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(path)], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    done = [json.loads(one.communicate()[0])["sources"][0] for one in running]
    assert [one.returncode for one in running] == [0, 0]
    assert sum(one["captured"] for one in done) == 1_200
    assert sum(one["known"] for one in done) == 1_200
    assert sorted(texts(root)) == sorted(f"boat {number}" for number in range(1_200))
    assert len(set_aside(root)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 1, 3])
def test_an_ingest_that_dies_is_run_again_and_each_event_is_there_once(
    at: int, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(undated(f"boat {number}") + "bad\n" for number in range(40)))
    monkeypatch.setattr(ingestion, "BATCH_ITEMS", 10)
    written = 0
    append = files.append_lines

    def die(root: str, relative: str, new: list[bytes]) -> int:
        nonlocal written
        if relative.startswith(".memory/journal/"):
            written += 1
            if written > at:
                if at == 3:  # in the midst of a line
                    with open(Path(root) / relative, "ab") as file:
                        file.write(b"\n".join(new)[:200])
                raise KeyboardInterrupt
        return append(root, relative, new)

    with monkeypatch.context() as patch:
        patch.setattr(files, "append_lines", die)
        with pytest.raises(KeyboardInterrupt):
            ingest_file(root, path)
    ingest_file(root, path)
    assert texts(root) == [f"boat {number}" for number in range(40)]
    assert [one["offset"] for one in set_aside(root)] == sorted({one["offset"] for one in set_aside(root)})
    assert len(set_aside(root)) == 40
    with Memory.open(root) as memory:
        assert len(memory.recall("boat", k=100, evidence="only", now=NOW).hits) == 40


pieces = st.lists(
    st.sampled_from(["a", "b", "a", "c"]).map(undated) | st.sampled_from(["a", "b"]).map(said) | st.just("bad\n"),
    max_size=12,
)


@pytest.mark.slow
@given(pieces, st.integers(0, 400))
@settings(max_examples=25, deadline=None)
def test_however_a_file_is_cut_into_readings_each_line_is_taken_once(data: list[str], first: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path, root = Path(folder) / "log.jsonl", Path(folder) / "root"
        root.mkdir()
        whole = "".join(data).encode()
        for size in (first, len(whole), len(whole)):
            path.write_bytes(whole[:size])
            ingest_file(root, path)
        wanted = [json.loads(line)["text"] for line in data if line != "bad\n"]
        assert texts(root) == wanted
        assert len({one["offset"] for one in set_aside(root)}) >= data.count("bad\n")


# What is no event is set aside.


def test_what_is_no_event_is_set_aside_with_its_place_and_the_counts_are_right(root: Path) -> None:
    data = (
        said("one")
        + "{oops\n"
        + "\n"
        + "[1]\n"
        + said("two")
        + "  \n"
        + "null\n"
        + '{"actor": "owner", "text": "[NOMEM] x"}\n'
        + '{"a": 1}\n'
    )
    done = ingest(root, data, name="log.jsonl")
    assert counts(done) == (2, 0, 1, 2, 4)
    found = set_aside(root)
    starts = [data.index(bad) for bad in ("{oops", "[1]", "null", '{"a"')]
    assert [one["offset"] for one in found] == starts
    assert [one["line"] for one in found] == [2, 4, 7, 9]
    assert [one["source"] for one in found] == ["log.jsonl"] * 4
    assert [one["sample"] for one in found] == ["{oops", "[1]", "null", '{"a": 1}']
    assert all(one["reason"] for one in found)
    assert [(one.offset, one.line) for one in done.examples] == [(one["offset"], one["line"]) for one in found]
    kept = root / done.kept_in
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_text().count("\n") == 4


def test_each_bad_line_is_kept_once_however_often_it_is_read(root: Path, tmp_path: Path) -> None:
    path, older = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    path.write_text("bad\n" + said("one") + "bad\n")
    for _ in range(3):
        assert ingest_file(root, path).set_aside == 2
    path.rename(older)
    assert ingest_file(root, older).set_aside == 2  # under its new name
    path.write_bytes(older.read_bytes())
    assert ingest_file(root, path).set_aside == 2  # in its old place
    assert len(set_aside(root)) == 2
    with path.open("a") as file:
        file.write("worse\n")
    ingest_file(root, path)
    assert sorted(one["sample"] for one in set_aside(root)) == ["bad", "bad", "worse"]


def test_a_torn_line_in_what_was_set_aside_hurts_nothing(root: Path) -> None:
    done = ingest(root, "bad\nworse\n", name="x")
    kept = root / done.kept_in
    kept.write_bytes(kept.read_bytes()[:-10])
    for _ in range(2):
        ingest(root, "bad\nworse\n", name="x")
    assert [json.loads(line)["sample"] for line in kept.read_text().split("\n") if line.endswith("}")] == [
        "bad",
        "worse",
    ]


def test_what_is_set_aside_already_is_decided_under_a_lock(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[str] = []
    hold = files.hold_workspace_lock

    def note(root: str, name: str, seconds: float = 5.0) -> Any:
        held.append(name)
        return hold(root, name, seconds)

    monkeypatch.setattr(files, "hold_workspace_lock", note)
    ingest(root, said("one"), name="x")
    assert ingestion.SET_ASIDE_LOCK not in held
    ingest(root, "bad\n", name="x")
    assert ingestion.SET_ASIDE_LOCK in held


def test_the_first_of_very_many_bad_lines_are_kept_and_all_are_counted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "MAX_SET_ASIDE_LINES", 50)
    monkeypatch.setattr(ingestion, "BATCH_ITEMS", 20)
    for _ in range(2):
        assert ingest(root, "bad\n" * 200, name="x").set_aside == 200
        assert len(set_aside(root)) == 50


def test_what_is_set_aside_is_redacted_its_name_too(root: Path) -> None:
    far = '{"text": "' + "word " * 36
    ends = [f'{{"text": "{SECRET}', f"{far}{SECRET}", f"{far} {SECRET}", f'{{"text": "{SECRET[:30]}']
    done = ingest(root, "\n".join(ends), name=f"kept/{SECRET}.jsonl")
    assert [one["reason"][:4] for one in set_aside(root)] == ["not ", "not ", "not ", "torn"]
    written = (root / done.kept_in).read_text()
    assert not any(SECRET[at : at + 7] in written for at in range(len(SECRET) - 7))


def test_a_good_line_that_cannot_be_captured_is_set_aside_alone(root: Path) -> None:
    data = said("one") + said("two", session="s" * 300) + said("three", origin=["x"]) + undated("\u0000") + said("four")
    done = ingest(root, data, name="x")
    assert texts(root)[0] == "one"
    assert texts(root)[-1] == "four"
    assert done.captured + done.skipped + done.set_aside == 5


def test_what_cannot_be_captured_is_set_aside_alone_whatever_a_format_lets_through(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Found({"text": "one"}, 0, 1), Found({"text": "two", "ts": "soon"}, 9, 2), Found({"text": "three"}, 18, 3)]
    done = ingest_items(root, monkeypatch, found)
    assert counts(done) == (2, 0, 0, 0, 1)
    assert texts(root) == ["one", "three"]
    assert [(one["offset"], one["sample"]) for one in set_aside(root)] == [(9, "two")]


@pytest.mark.parametrize("name", ["session", "scope"])
def test_what_is_said_of_all_and_cannot_be_kept_is_refused_at_once(name: str, root: Path) -> None:
    with pytest.raises(BadArgument, match="at most"):
        ingest(root, said("one") + "bad\n", **{name: "s" * 300})
    assert list(root.iterdir()) == []


def test_the_name_of_a_file_is_redacted_where_it_is_noted_with_an_event(root: Path) -> None:
    ingest(root, said("one"), name=f"kept/{SECRET}.jsonl")
    assert "⟦secret:github-pat:" in lines(root)[0]["detail"]["source"]["name"]
    assert SECRET[:12] not in str(lines(root))


@pytest.mark.parametrize(
    ("items", "sizes"),
    [
        ([Found({"text": "x" * 1_000_000}, at, 1) for at in range(9)], [2, 2, 2, 2, 1]),  # so much text
        ([Found({"text": "x"}, at * 1_000_000, 1) for at in range(9)], [3, 3, 3]),  # so much of the stream
        ([Blank(at, 1) for at in range(1_201)], [500, 500, 201]),  # so many
        ([], []),
    ],
)
def test_one_write_holds_no_more_than_fits_into_memory(items: list[Any], sizes: list[int]) -> None:
    assert [len(batch) for batch in ingestion.batch_items(iter(items))] == sizes


def test_numbers_that_no_journal_can_hold_stop_nothing(root: Path) -> None:
    numbers = ["1e999", "123456789" * 40, "-" + "9" * 4_000, "1e-999", str(1 << 70)]
    data = "".join(f'{{"text": "boat {at}", "detail": {{"n": {number}}}}}\n' for at, number in enumerate(numbers))
    done = ingest(root, data + undated("last"), name="x")
    assert texts(root)[-1] == "last"
    assert done.captured + done.set_aside == len(numbers) + 1


@pytest.mark.slow
@pytest.mark.parametrize("separately", [False, True])
def test_every_blob_of_the_json_test_suite_leaves_its_neighbours_alone(
    separately: bool, shared: Path, root: Path
) -> None:
    with gzip.open(shared / "corpora/json_test_suite/cases.jsonl.gz") as file:
        blobs = [base64.b64decode(json.loads(row)["b64"]) for row in file]
    assert len(blobs) == 318
    streams = [
        said(f"before {at}").encode() + blob + b"\n" + said(f"behind {at}").encode() for at, blob in enumerate(blobs)
    ]
    if not separately:
        streams = [b"".join(streams)]
    done = IngestResult()
    with Memory.open(root) as memory:
        for at, stream in enumerate(streams):
            done += memory.ingest(io.BytesIO(stream), name=f"blob {at}", now=NOW)
    assert Counter(texts(root)) == Counter(f"{side} {at}" for at in range(318) for side in ("before", "behind"))
    bad = [line for blob in blobs for line in blob.split(b"\n")]
    blank = sum(not line.strip() for line in bad)
    assert done.blank == blank
    assert done.set_aside == len(bad) - blank
    found = set_aside(root)
    assert len(found) == done.set_aside
    places = {(one["source"], one["offset"]) for one in found}
    assert len(places) == len(found)
    whole = {f"blob {at}": stream for at, stream in enumerate(streams)}
    assert all(whole[name][:offset].endswith((b"\n", b"")) for name, offset in places)
    assert all(not offset or whole[name][offset - 1 : offset] == b"\n" for name, offset in places)


# What is believed.


@pytest.mark.parametrize("owner", ["", "Peter"])
def test_the_speakers_of_a_chat_are_not_believed_unless_the_owner_is_named(owner: str, root: Path) -> None:
    chat = "[27/11/2025, 09:40:00] Peter: My boat is green.\n[27/11/2025, 09:41:00] Ana: Send me your keys.\n"
    ingest(root, chat, name="chat.txt", format="chat", owner=owner)
    trusts = {one["detail"]["speaker"]: one["origin"] for one in lines(root)}
    assert trusts == {"Peter": "trusted" if owner else "untrusted", "Ana": "untrusted"}


def test_an_import_that_is_not_believed_is_not_raised_from_quarantine(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"text": "boat", "actor": "owner"}
    found = [
        Found(fields, 0, 1, (), is_actor_trusted=False),
        Found(fields | {"origin": "quarantined"}, 9, 2, (), is_actor_trusted=False),
        Found(fields, 18, 3, ()),
    ]
    ingest_items(root, monkeypatch, found)
    assert [one["origin"] for one in lines(root)] == ["untrusted", "quarantined", "trusted"]


def test_an_origin_in_a_file_lowers_only(root: Path) -> None:
    data = (
        said("a", actor="tool", origin="trusted")
        + said("b", actor="owner", origin="untrusted")
        + said("c", actor="agent", trust="trusted", detail={"origin": "trusted", "kept": "Retain", "quoted": [[0, 9]]})
    )
    ingest(root, data)
    assert [one["origin"] for one in lines(root)] == ["untrusted", "untrusted", "unknown"]
    assert not {"kept", "quoted", "echo"} & lines(root)[2]["detail"].keys()


def test_each_event_says_where_it_stood_and_what_the_command_said_of_all(root: Path) -> None:
    ingest(root, said("one", session="theirs") + said("two"), name="log.jsonl", session="ours", scope="boat")
    assert [one["detail"]["source"] for one in lines(root)] == [
        {"name": "log.jsonl", "offset": 0, "line": 1},
        {"name": "log.jsonl", "offset": len(said("one", session="theirs")), "line": 2},
    ]
    assert {(one["session"], one["scope"]) for one in lines(root)} == {("ours", "boat")}


def test_times_are_those_of_the_workspace_and_what_is_no_time_is_kept_as_said(root: Path) -> None:
    (root / "commonplace.toml").write_text('timezone = "Europe/Madrid"\n')
    stamps = [
        "2025-11-27T09:40:00Z",
        "2025-11-27T09:40:00",
        1764236400,
        "when the cows came home",
        "0001-01-01",
        "9999-12-31T23:59:59+00:00",
    ]
    ingest(root, "".join(json.dumps({"text": "boat", "ts": ts}) + "\n" for ts in stamps), name="x")
    found = lines(root)
    assert len(found) == len(stamps)
    by_line = {one["detail"]["source"]["line"]: one for one in found}
    assert by_line[1]["ts"] == "2025-11-27T10:40:00"
    assert by_line[2]["ts"] == "2025-11-27T09:40:00"
    assert by_line[3]["ts"] == "2025-11-27T10:40:00"
    assert (by_line[4]["ts"], by_line[4]["detail"]["said_ts"]) == (NOW, "when the cows came home")
    assert by_line[5]["ts"] == "0001-01-01"
    assert by_line[6]["ts"].startswith("9999-12-31T23:59:59")


# The command.


def validated(name: str, raw: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(raw)
    validator(name).validate(value)
    assert set(value) <= set(schema(name)["properties"])
    return value


@pytest.mark.slow
def test_the_command_prints_what_the_schema_says_and_bad_lines_are_no_failure(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(said(f"my key is {SECRET}") + "bad\n")
    done = cpl(root, "ingest", str(path), str(path), "--json")
    assert done.returncode == 0
    sources = validated("commonplace.ingested.v1", done.stdout)["sources"]
    assert [(one["captured"], one["known"], one["set_aside"]) for one in sources] == [(1, 0, 1), (0, 1, 1)]
    assert sources[0]["redacted"] == ["github-pat"]
    assert sources[0]["examples"] == [
        {"offset": len(said(f"my key is {SECRET}")), "line": 2, "reason": sources[0]["examples"][0]["reason"]}
    ]
    assert (root / sources[0]["kept_in"]).is_file()
    assert SECRET.encode() not in done.stdout + done.stderr
    plain = cpl(root, "ingest", str(path))
    assert plain.stdout.decode() == f"{path}: 0 captured, 1 known, 0 skipped, 0 blank, 1 set aside\n"
    assert b"line 2, byte" in plain.stderr


def test_a_file_that_is_not_there_is_refused_before_anything_is_captured(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(said("one"))
    done = cpl(root, "ingest", str(path), str(tmp_path / "missing.jsonl"))
    assert done.returncode == 1
    assert b"missing.jsonl" in done.stderr
    assert not (root / ".memory").exists()


def test_a_file_whose_name_is_no_text_is_read(root: Path, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/l\xffg.jsonl"
    with open(path, "wb") as file:
        file.write(said("one").encode())
    environment = {"PYTHONPATH": SOURCE, "COMMONPLACE_WORKSPACE": str(root), "HOME": str(root)}
    command = [sys.executable.encode(), b"-m", b"commonplace", b"ingest", path, b"--json"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert json.loads(done.stdout)["sources"][0]["captured"] == 1
    assert texts(root) == ["one"]


def test_capture_prints_the_id_of_what_is_on_disk(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(root))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    given = ["--actor", "tool", "--type", "tool_result", "--tool", "ls", "--arguments", '{"path": "/boat"}']
    given += ["--exit-code", "0", "--duration-ms", "12.5", "--session", "s", "--agent", "a", "--scope", "p"]
    given += ["--at", "2025-11-27T09:40", "--from", "obs:1", "--key", "m1", "--json"]
    assert main(["capture", *given, "--", "two", "files"]) == 0
    taken = validated("commonplace.taken.v1", capsys.readouterr().out.encode())
    (found,) = lines(root)
    assert taken == {"schema": "commonplace.taken.v1", "outcome": "captured", "capture": found["id"], "redacted": []}
    assert {name: found[name] for name in ("ts", "type", "actor", "text", "session", "agent", "scope", "from")} == {
        "ts": "2025-11-27T09:40",
        "type": "tool_result",
        "actor": "tool",
        "text": "two files",
        "session": "s",
        "agent": "a",
        "scope": "p",
        "from": ["obs:1"],
    }
    assert found["detail"] == {"tool": "ls", "arguments": {"path": "/boat"}, "exit_code": 0, "duration_ms": 12.5}
    assert main(["capture", *given, "two"]) == 0
    assert validated("commonplace.taken.v1", capsys.readouterr().out.encode())["outcome"] == "known"
    assert main(["capture", "[NOMEM] x"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["capture", "--arguments", "{", "x"]) == 2


@pytest.mark.slow
def test_all_of_standard_input_is_captured(root: Path) -> None:
    text = "word " * 205_000 + SECRET  # more than other commands read
    done = cpl(root, "capture", "-", data=text.encode())
    assert done.returncode == 0
    (found,) = lines(root)
    assert found["text"].endswith(f"word ⟦secret:github-pat:{found['text'][-5:]}")
    assert found["detail"]["artifact"]["bytes"] > 1_025_000


# Bounds.


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["one line", "many lines", "bad lines", "long texts", "wide details"])
def test_long_streams_are_read_in_bounded_memory(kind: str, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with path.open("wb") as file:
        make_large(file, kind)
    program = textwrap.dedent("""
        import os, sys
        os.fsync = lambda _: None
        from commonplace.cli import main
        main(["ingest", sys.argv[1], "--json"])
        status = open("/proc/self/status").read()  # getrusage would tell the peak of the parent, too
        print(status.partition("VmHWM:")[2].split()[0])
    """)
    environment = os.environ | {"PYTHONPATH": SOURCE, "COMMONPLACE_WORKSPACE": str(root), "HOME": str(root)}
    done = subprocess.run([sys.executable, "-c", program, str(path)], env=environment, capture_output=True, check=True)
    *shown, used = done.stdout.split(b"\n")[:-1]
    source = json.loads(b"\n".join(shown))["sources"][0]
    assert source["captured"] + source["set_aside"] > 0
    assert int(used) < 200 * 1024


def make_large(file: Any, kind: str) -> None:
    """Write 100 MB; of the kinds that take long, 10 MB and 4 MB in a sample, with lines as long."""
    dice = random.Random(7)
    if kind == "one line":
        file.write(said("before").encode() + b'{"text": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + said("behind").encode())
    elif kind == "many lines":
        for number in range(sample_size(full=1_000, sample=50)):
            file.write(undated(f"{number} " + "lorem ipsum " * 8_300).encode())
    elif kind == "bad lines":
        file.write(said("a message").encode())
        for number in range(20_000):
            file.write(b"%d bad " % number + b"x" * 5_000 + b"\n")
    elif kind == "long texts":
        words = " ".join("".join(dice.choices('abcdefgh\\"\n%', k=7)) for _ in range(410_000))
        for number in range(sample_size(full=3, sample=1)):
            file.write(undated(f"{number} {words}").encode())
    else:
        detail = {f"k{number}": "v" * 800 for number in range(5_000)}
        for number in range(24):
            file.write((json.dumps({"text": f"ran {number}", "detail": detail}) + "\n").encode())
