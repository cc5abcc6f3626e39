"""Real clones merge with real git, and copies of sync tools with their files; what is left to do is done at the start."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.acceptance.diverged import Clone, find_faults, try_history
from commonplace import Memory
from commonplace.bridges import hosts
from commonplace.cli import main
from commonplace.errors import BadArgument
from commonplace.storage import files, journal
from commonplace.upkeep.merge import copies, merge_journal
from tests.support.sample_size import sample_size

NOW = "2026-11-03T08:00"
LOG = "memory/2026-11-02.md"
LINE = "- W @Peter: Lives in Trieste. <!-- id: bbbb2 -->\n"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("surroundings", "calm")]


@pytest.fixture(autouse=True)
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of installations go into a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Clone, Clone]:
    """Two clones of a workspace with one line, under one device name."""
    first = Clone(tmp_path / "first", "laptop", "first")
    (first.root / "memory").mkdir(parents=True)
    (first.root / LOG).write_text(f"## Retain\n{LINE}", encoding="utf-8")
    first.git("init", "-q", "-b", "main")
    first.install()
    with first.open() as memory:
        memory.retain("W Before.", now=NOW)
    first.commit()
    first.git("clone", "-q", str(first.root), str(tmp_path / "second"))
    second = Clone(tmp_path / "second", "laptop", "second")
    second.install()
    return first, second


def merge(clone: Clone, other: Clone) -> None:
    """Merge what another clone committed."""
    clone.git("fetch", "-q", str(other.root), "main")
    clone.git("merge", "-q", "--no-edit", "FETCH_HEAD")


@pytest.mark.sampled
@pytest.mark.parametrize("number", range(10))
def test_two_clones_diverge_and_merge_the_same_way(tmp_path: Path, number: int) -> None:
    """A sample of `python -m bench.acceptance.diverged`."""
    assert not try_history(tmp_path, number, sample_size(full=100, sample=12))


def test_copies_with_one_device_name_become_two_chains_and_check_says_so_once(clones: tuple[Clone, Clone]) -> None:
    """At the next start after the merge; heads are made anew, and the next line continues the chain that stayed."""
    for clone, text in zip(clones, ("W Left.", "W Right."), strict=True):
        with clone.open() as memory:
            memory.retain(text, now=NOW)
        clone.commit()
    first, second = clones
    lines = {line for clone in clones for line in clone.journal_entries()}
    merge(first, second)
    with first.open() as memory:
        problems = [problem.code for problem in memory.check().problems]
        assert problems.count("device-name-shared") == 1
        assert "chain-broken" not in problems
        assert lines <= set(first.journal_entries())
        names = [name for name in memory.workspace.sync_source().journal.file_sizes() if name.startswith("captures-")]
        assert len(names) == 2
        memory.retain("W Lantern.", now=NOW)
        assert not [problem for problem in memory.check().problems if problem.code != "open-permissions"]
        assert {hit.record.text for hit in memory.recall("Left Right Lantern").hits} >= {"Left.", "Right.", "Lantern."}


def test_a_line_that_two_clones_changed_becomes_one_question_on_both(clones: tuple[Clone, Clone]) -> None:
    """Rejecting it keeps both lines; the queue is the same in both clones."""
    for clone, city in zip(clones, ("Turin", "Tartu"), strict=True):
        path = clone.root / LOG
        path.write_text(path.read_text(encoding="utf-8").replace("Trieste", city), encoding="utf-8")
        clone.commit()
    first, _second = clones
    for clone, other in (clones, clones[::-1]):
        clone.git("fetch", "-q", str(other.root), "main")
    queues = []
    for clone in clones:
        clone.git("merge", "-q", "--no-edit", "FETCH_HEAD")
        with clone.open() as memory:
            (item,) = memory.pending()
            queues.append((clone.root / "memory/pending.md").read_bytes())
            assert not find_faults(clone)
    assert queues[0] == queues[1]
    assert "Turin" in item.text
    assert "Tartu" in item.why
    with first.open() as memory:
        memory.reject(item.id, now=NOW)
        assert not memory.pending()
    text = (first.root / LOG).read_text(encoding="utf-8")
    assert "Turin" in text
    assert "Tartu" in text


def test_the_second_wording_is_trusted_as_much_as_the_first(clones: tuple[Clone, Clone]) -> None:
    """Its id is new, and an agent's line does not become the owner's by a merge."""
    first, second = clones
    with first.open() as memory:
        memory.retain("W The gate opens at six.", actor="tool", now=NOW)
    first.commit()
    merge(second, first)
    texts = ("Breakfast is served in the hall.", "Breakfast is served on the terrace.")
    for clone, text in zip(clones, texts, strict=True):  # nothing else shows where they are from
        path = clone.root / "memory/2026-11-03.md"
        page = path.read_text(encoding="utf-8").replace("The gate opens at six.", text)
        path.write_text(page.replace(" · origin: untrusted", ""), encoding="utf-8")
        clone.commit()
    merge(first, second)
    with first.open() as memory:
        hits = memory.recall("where is breakfast?").hits
    trusts = {hit.record.text: hit.record.trust for hit in hits if hit.record.source.path != "memory/pending.md"}
    assert trusts == dict.fromkeys(texts, "untrusted")


def test_install_git_is_shown_first_and_doctor_finds_it_missing(
    clones: tuple[Clone, Clone], capsys: pytest.CaptureFixture[str]
) -> None:
    """In a clone, to which git does not bring its configuration; uninstall gives every byte back."""
    _first, second = clones
    third = Clone(second.root.parent / "third", "third", "")
    second.git("clone", "-q", str(second.root), str(third.root))
    before = third.tree() | {"config": (third.root / ".git/config").read_bytes()}
    assert main(["doctor", "--workspace", str(third.root)]) == 3
    assert "git: not-installed" in capsys.readouterr().out
    assert main(["install", "git", "--dry-run", "--workspace", str(third.root)]) == 0
    assert "merge-driver" in capsys.readouterr().out
    assert third.tree() | {"config": (third.root / ".git/config").read_bytes()} == before
    assert main(["install", "git", "--yes", "--workspace", str(third.root)]) == 0
    assert third.git("log", "--oneline") == second.git("log", "--oneline")
    assert not [
        one for one in hosts.examine_host(choice(third), hosts.read_host_paths()) if one.code == "not-installed"
    ]
    assert main(["uninstall", "git", "--yes", "--workspace", str(third.root)]) == 0
    assert (third.root / ".git/config").read_bytes() == before["config"]


def choice(clone: Clone) -> hosts.InstallChoice:
    """The installation into the repository of a clone."""
    return hosts.InstallChoice("git", str(clone.root))


def test_doctor_says_that_git_does_not_keep_permissions(clones: tuple[Clone, Clone]) -> None:
    """What it names is repaired by the command that it prints."""
    _first, second = clones
    (second.root / ".memory").chmod(0o755)
    findings = {one.code: one for one in hosts.examine_host(choice(second), hosts.read_host_paths())}
    assert findings["open-permissions"].hint.startswith("chmod -R go= ")


def test_a_workspace_in_no_repository_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what to do."""
    (tmp_path / "plain").mkdir()
    assert main(["install", "git", "--yes", "--workspace", str(tmp_path / "plain")]) == 1
    assert "git init" in capsys.readouterr().err


def test_undo_of_a_new_file_leaves_it_empty_in_a_repository(clones: tuple[Clone, Clone]) -> None:
    """A file that one side removes and the other changes would be a conflict."""
    first, second = clones
    later = "2026-11-04T09:00"
    with first.open() as memory:
        memory.retain("W New.", now=later)
    first.commit()
    merge(second, first)
    with first.open() as memory:
        memory.undo("last", now=later)
    with second.open() as memory:
        memory.retain("W Newer.", now=later)
    for clone in clones:
        clone.commit()
    merge(first, second)
    assert "Newer." in (first.root / "memory/2026-11-04.md").read_text(encoding="utf-8")


COPY_NAMES = (
    "boat.sync-conflict-20261101-101010-ABCDEFG.md",
    "boat (Anna's conflicted copy 2026-11-01).md",
    "boat (conflicted copy 2026-11-01 101010).md",
    "boat 2.md",
)
BOAT = "# Boat\n\n- The boat is green. <!-- id: boat1 -->\n- The oars are in the shed.\n- The mast is new.\n"


@pytest.mark.parametrize("name", COPY_NAMES)
def test_a_copy_of_a_sync_tool_is_united_with_its_file(tmp_path: Path, name: str) -> None:
    """After a preview; both wordings stay and are asked about, the copy is set aside, and undo takes it back."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/boat.md").write_text(BOAT, encoding="utf-8")
    copy = BOAT.replace("green", "blue").replace("- The mast", "- The sail is old.\n- The mast")
    (tmp_path / "notes" / name).write_text(copy, encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        assert "conflict-copy" in {problem.code for problem in memory.check().problems}
        shown = memory.merge(f"notes/{name}")
        assert (shown.applied, shown.questions, shown.original) == (False, 1, "notes/boat.md")
        assert (tmp_path / "notes/boat.md").read_text(encoding="utf-8") == BOAT
        done = memory.merge(f"notes/{name}", apply=True, now=NOW)
        text = (tmp_path / "notes/boat.md").read_text(encoding="utf-8")
        for words in ("is blue", "is green", "sail is old", "mast is new"):
            assert text.count(words) == 1
        assert not (tmp_path / "notes" / name).exists()
        assert [path.read_text(encoding="utf-8") for path in (tmp_path / ".memory/set-aside").iterdir()] == [copy]
        assert len(memory.pending()) == 1
        assert "conflict-copy" not in {problem.code for problem in memory.check().problems}
        memory.undo(done.change_id, now=NOW)
    assert (tmp_path / "notes/boat.md").read_text(encoding="utf-8") == BOAT


def test_a_file_that_only_looks_like_a_copy_is_left_alone(tmp_path: Path) -> None:
    """`boat 2.md` may be somebody's own."""
    (tmp_path / "boat.md").write_text(BOAT, encoding="utf-8")
    (tmp_path / "boat 2.md").write_text("# The second boat\n\n- It is of steel.\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        assert not [problem for problem in memory.check().problems if problem.code == "conflict-copy"]
        with pytest.raises(BadArgument):
            memory.merge("boat 2.md", apply=True)
        with pytest.raises(BadArgument):
            memory.merge("boat.md")


def test_a_copy_of_a_journal_is_united_and_its_chain_split(tmp_path: Path) -> None:
    """As after a merge by git."""
    for side in ("one", "two"):
        with Memory.open(init(tmp_path / side)) as memory:
            memory.retain(f"W In {side}.", now=NOW)
    folder, name = tmp_path / "one" / journal.JOURNAL_FOLDER, "captures-dev-2026-11.jsonl"
    copy = f"{journal.JOURNAL_FOLDER}/captures-dev-2026-11.sync-conflict-20261103-101010-ABCDEFG.jsonl"
    shutil.copy(tmp_path / "two" / journal.JOURNAL_FOLDER / name, tmp_path / "one" / copy)
    data = [(tmp_path / "one" / path).read_bytes() for path in (f"{journal.JOURNAL_FOLDER}/{name}", copy)]
    with Memory.open(tmp_path / "one") as memory:
        assert copy in {problem.path for problem in memory.check().problems}
        memory.merge(copy, apply=True, now=NOW)
        captures = b"".join(path.read_bytes() for path in sorted(folder.glob("captures-*.jsonl")))
        assert {*captures.split(b"\n")} == {*merge_journal(*data).split(b"\n")}
        assert [one.code for one in memory.check().problems] == ["device-name-shared"]


def init(root: Path) -> Path:
    """A folder."""
    root.mkdir()
    return root


def test_a_merge_that_breaks_off_anywhere_is_finished_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of its writes; `tests/crash` kills it at every call."""
    name = COPY_NAMES[0]
    for step in ("update_file", "queue_reworded", "settle_chains", "move_file"):
        root = init(tmp_path / step)
        (root / "boat.md").write_text(BOAT, encoding="utf-8")
        (root / name).write_text(BOAT.replace("green", "blue"), encoding="utf-8")
        owner = files if step == "move_file" else copies
        with monkeypatch.context() as patch, Memory.open(root) as memory:
            patch.setattr(owner, step, interrupt)
            with pytest.raises(KeyboardInterrupt):
                memory.merge(name, apply=True, now=NOW)
        with Memory.open(root) as memory:
            memory.sync()
            assert len(memory.pending()) == 1
            assert not memory.check().problems
        assert not (root / name).exists()
        assert (root / "boat.md").read_text(encoding="utf-8").count("The boat is") == 2


def interrupt(*_arguments: object, **_options: object) -> None:
    """Break off."""
    raise KeyboardInterrupt
