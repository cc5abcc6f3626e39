"""The power goes at any moment: whatever of the unsynced a disk may have kept, nothing acknowledged is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commonplace.storage.journal import STREAMS, Journal, Stream
from crash.bases import Bases
from crash.deeds import DEEDS, Deed, halves, kept, said, spared
from crash.orders import Outcome
from crash.replay import Event, File, Tree, crashes, laid_out, scanned
from crash.stage import Stage
from crash.trials import sample
from crash.verdict import TORN, Ids, judge

AFTER = ("log", "And then went home.")  # something to be lost in the midst of, with all that the deed told before
SAMPLED = ("retain", "retain, the first", "pack")
SAMPLE, SAMPLE_WHOLE = 25, 800  # states of a deed; most of all that there are differ in a page of the index
UNSYNCED = ("leftover", "a capture without its line")  # word of what was being done is not synced: nobody was told


def recorded(deed: Deed, stage: Stage, root: Path) -> tuple[Event, ...]:
    """What a deed, and a line of the log after it, do to the disk."""
    outcome = stage.run(root, *deed.commands(root), AFTER, stdin=deed.stdin, record=True)
    assert set(outcome.codes) == {0}, outcome.err
    return outcome.trace


def acknowledged(deed: Deed, told: list[str]) -> Ids:
    """What had been printed before the power went, by the deed and by the command after it."""
    many = 2 if deed.then else 1
    ids = said(deed, Outcome(died=True, out=tuple(told[:many])))
    for field, names in kept("".join(told[many:])).items():
        ids.setdefault(field, []).extend(names)
    return ids


def found_after(deed: Deed, stage: Stage, bases: Bases, folder: Path, *, many: int, synced: bool = True) -> list[str]:
    """The complaints about so many of the states in which the disk may be found."""
    before = stage.look(bases.copy(deed, folder / "before"))
    root = bases.copy(deed, folder / "root")
    disk = scanned(root)
    events = [event for event in recorded(deed, stage, root) if synced or event[0] != "sync"]
    states: list[tuple[Tree, list[str]]] = list(crashes(disk, events))
    tried = sample(states, many, deed.name)
    wrong = []
    for number, (tree, told) in enumerate(tried):
        state = laid_out(tree, folder / f"state {number}")
        states_of = spared(before, stage.look(state), deed.takes, erased=deed.erases)
        wrong += judge(*states_of, acknowledged(deed, told), *TORN, *UNSYNCED)
        wrong += halves(deed, state) if not told or all(deed.parts(state)) else ["acknowledged, and not done"]
        wrong += [f"empty: {path}" for path, data in tree.items() if path.endswith(".md") and not data]
        shutil.rmtree(state)
    print(f"\n{deed.name}: {len(events)} events, {len(states)} states, {len(tried)} tried, {len(wrong)} complaints")  # noqa: T201 - for who runs with -s
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name)
def test_a_power_cut_at_any_moment_loses_nothing_that_was_acknowledged(
    deed: Deed, stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    if not whole and deed.name not in SAMPLED:
        pytest.skip("`make crash` tries it")
    assert not found_after(deed, stage, bases, tmp_path, many=SAMPLE_WHOLE if whole else SAMPLE)


@pytest.mark.slow
def test_without_the_syncs_a_power_cut_does_lose(stage: Stage, bases: Bases, tmp_path: Path) -> None:
    """The negative control: these tests can fail."""
    (deed,) = [deed for deed in DEEDS if deed.name == "retain"]
    wrong = found_after(deed, stage, bases, tmp_path, many=2 * SAMPLE, synced=False)
    assert any(one.startswith("lost: ") for one in wrong)
    assert any(one.endswith(" of lines") for one in wrong)


def test_an_index_is_on_the_disk_before_it_gets_its_name(stage: Stage, bases: Bases, tmp_path: Path) -> None:
    (deed,) = [deed for deed in DEEDS if deed.name == "rebuild"]
    trace = recorded(deed, stage, bases.copy(deed, tmp_path / "root"))
    (named,) = [at for at, event in enumerate(trace) if event[0] == "rename" and event[-1] == "index.sqlite"]
    (made,) = [event[-1] for event in trace[:named] if event[0] == "create" and event[2] == trace[named][2]]
    touched = [event[0] for event in trace[:named] if event[0] in ("write", "sync") and event[1] == made]
    assert touched.count("write") > 10
    assert touched[-1] == "sync"


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name)
def test_a_new_folder_is_on_the_disk_before_anything_in_it_is_acknowledged(
    deed: Deed, stage: Stage, bases: Bases, tmp_path: Path
) -> None:
    trace = recorded(deed, stage, bases.copy(deed, tmp_path / "root"))
    for at, event in enumerate(trace):
        if event[0] == "mkdir":
            assert ("sync", event[1]) in trace[at : at + 2], event


@pytest.mark.parametrize("name", ["retain", "scrub"])
def test_the_record_holds_all_that_was_written(name: str, stage: Stage, bases: Bases, tmp_path: Path) -> None:
    """Of the tests themselves: played back, it ends with the files as they are."""
    (deed,) = [deed for deed in DEEDS if deed.name == name]
    root = bases.copy(deed, tmp_path / "root")
    disk = scanned(root)
    for event in recorded(deed, stage, root):
        disk.apply(event)
    tree, _told = next(crashes(disk, ()))
    assert any(path.endswith(".head") for path in tree)
    ours = (path for path in tree if not path.endswith(("/", "-shm")))
    assert [path for path in ours if (root / path).read_bytes() != tree[path]] == []


@pytest.mark.parametrize("stream", STREAMS)
def test_lines_written_at_once_of_which_a_disk_kept_any_part_are_no_tampering(stream: Stream, tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), "desk")
    path = tmp_path / f".memory/journal/{stream}-desk-2025-11.jsonl"
    journal.append({"ts": "2025-11-27T09:00", "text": "acknowledged"}, stream)
    before = path.read_bytes()
    head = path.with_name("chains-desk.head").read_bytes()
    journal.append_all([{"ts": "2025-11-27T09:01", "text": f"{number} " * 200} for number in range(4)], stream)
    states = list(File(before, [(len(before), path.read_bytes()[len(before) :])]).states())
    assert len(states) > 7
    for state in states:
        path.write_bytes(state)
        path.with_name("chains-desk.head").write_bytes(head)
        assert {problem.code for problem in journal.verify()} <= {"torn-line", "bad-line"}
        journal.append({"ts": "2025-11-27T09:02", "text": "after it"}, stream)
        assert {problem.code for problem in journal.verify()} <= {"bad-line"}
        texts = [entry.fields["text"] for entry in journal.read(stream).entries]
        assert (texts[0], texts[-1]) == ("acknowledged", "after it")


def test_a_disk_may_keep_any_part_of_what_was_not_synced(tmp_path: Path) -> None:
    """Of the tests themselves: the states of one write, one rename and one sync, written out."""
    (tmp_path / "a").write_bytes(b"old")
    disk = scanned(tmp_path)
    events: list[Event] = [
        ("create", disk.root, "b", 7),
        ("write", 7, 0, b"n" * 600),
        ("sync", 7),
        ("rename", disk.root, "b", disk.root, "a"),
    ]
    states = [tree for tree, _told in crashes(disk, events)]
    assert {"a": b"old"} in states
    assert {"a": b"old", "b": b""} in states
    assert {"a": b"old", "b": b"n" * 512} in states
    assert {"a": b"old", "b": bytes(512) + b"n" * 88} in states
    assert {"a": b"old", "b": bytes(600)} in states
    assert {"a": b"n" * 600} in states
    assert all(tree["a"] in (b"old", b"n" * 600) for tree in states)
    unsynced = [tree for tree, _told in crashes(scanned(tmp_path), [event for event in events if event[0] != "sync"])]
    assert {"a": b""} in unsynced


def test_a_file_that_moves_to_another_folder_is_in_one_of_the_two(tmp_path: Path) -> None:
    """Of the tests themselves: such a move is one step for the file system."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "here/a").write_bytes(b"x")
    disk = scanned(tmp_path)
    here, there = ((tmp_path / name).stat().st_ino for name in ("here", "there"))
    states = [set(tree) for tree, _told in crashes(disk, [("rename", here, "a", there, "b"), ("sync", there)])]
    assert states == [{"here/", "there/", "here/a"}, {"here/", "there/", "there/b"}]
